/* mix.c: products over Z through several big primes whose product exceeds twice the bound:
 * products modulo each of them, then the integers, tile by tile (modular/mix.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <math.h>
#include <string.h>

#include "field/base/parallel.h"
#include "modular/mul/cost.h"
#include "modular/mix.h"
#include "modular/mul/big.h"
#include "modular/vec.h"

#define TILE GFP_ZMIX_TILE
/* At least the primes of an order (modular/mix.h). */
#define MOST GFP_ZRING_PRIMES

/* The indices of the primes. */
typedef struct choice {
    size_t count;
    size_t index[MOST];
} choice;

typedef struct run {
    const gfp_zmul *z;
    size_t count;
    gfp_zring_big *big;   /* the fields */
    gfp_poly *residues;   /* products modulo each prime, len elements */
    gfp_zmix_step *steps; /* to each prime from those before */
    gfp_zarea area;       /* the products of primes, half the last one; the workers' memory */
    const uint64_t *all, *half;
    size_t limbs;     /* of the product of all primes */
    size_t room;      /* of an integer: at least the limbs of all primes together */
    uint64_t *memory; /* of the workers */
} run;

/* ---- the choice ---- */

/* Finds the pair of least predicted time whose product exceeds 2^(bits + 1); both exceed the
 * factors. */
static bool choose_pair(choice *best, double *time, const gfp_zmul *z)
{
    const size_t *bits = z->ring->kept.named_bits;
    const size_t least = z->a.bits > z->b.bits ? z->a.bits : z->b.bits;
    double over[GFP_ZRING_FIELDS];
    *time = HUGE_VAL;
    for (size_t p = 0; p < GFP_ZRING_FIELDS; p++) {
        over[p] = bits[p] > 0 && bits[p] >= least ? gfp_zcost_over(z, p) : HUGE_VAL;
        for (size_t q = 0; q < p; q++) {
            /* The last step converts the residues modulo the larger prime once more. */
            const bool swap = bits[q] > bits[p];
            const double t = (swap ? 1.3 : 1.1) * over[p] + (swap ? 1.1 : 1.3) * over[q];
            if (bits[p] + bits[q] > z->bits && t < *time) {
                *time = t;
                best->count = 2;
                best->index[0] = swap ? q : p;
                best->index[1] = swap ? p : q;
            }
        }
    }
    return *time < HUGE_VAL;
}

/* Finds two primes, or where no two suffice as many as it takes, from k = 128 downwards: the fewer
 * primes, the fewer steps. */
static bool mix_choose(choice *best, double *time, const gfp_zmul *z)
{
    size_t bits = 0;
    if (choose_pair(best, time, z)) {
        return true;
    }
    best->count = 0;
    for (size_t i = GFP_ZRING_PRIMES; i-- > 0 && bits <= z->bits;) {
        if (gfp_zring_k(i) >= 8) {
            best->index[best->count++] = i;
            bits += gfp_zring_bits(i);
        }
    }
    return bits > z->bits;
}

/* ---- the last step ---- */

static void combine_tile(const run *r, size_t at, size_t n, uint64_t *x)
{
    const gfp_zmul *z = r->z;
    uint64_t *work = x + TILE * r->room;
    for (size_t i = 0; i < n; i++) {
        x[i * r->room] = 0;
    }
    for (size_t i = 0; i < r->count; i++) {
        const size_t k = gfp_field_k(r->residues[i].field);
        gfp_zmix_step_run(&r->steps[i], x, r->room, r->residues[i].digits + at * k, n, work);
    }
    for (size_t i = 0; i < n; i++) {
        gfp_zmix_least(z->c + (at + i) * z->width, z->width, x + i * r->room, r->all, r->half,
                       r->limbs);
    }
}

static gfp_status combine_tiles(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const run *r = user;
    for (size_t i = from; i < to; i++) {
        const size_t at = i * TILE, n = gfp_size_min(r->z->len - at, TILE);
        combine_tile(r, at, n, r->memory + worker * (TILE + 1) * r->room);
        if (!gfp_task_advance(task, (double)n)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* The steps and the products of primes, in the area. */
static gfp_status make_steps(run *r)
{
    uint64_t *m = r->area.words;
    size_t limbs = 1;
    m[0] = 1;
    for (size_t i = 0; i < r->count; i++) {
        GFP_TRY(gfp_zmix_step_init(&r->steps[i], r->residues[i].field, m, limbs));
        m += limbs;
        limbs = gfp_zmix_step_product(&r->steps[i], m);
    }
    r->all = m;
    r->limbs = limbs;
    r->half = m + r->room;
    (void)mpn_rshift(gfp_z_limbs(m + r->room), gfp_z_const_limbs(m), (mp_size_t)limbs, 1);
    return GFP_OK;
}

/* The words of the products of primes: at most `room` for each, and for half of the last one. */
static size_t words_of_products(size_t count, size_t room)
{
    return gfp_size_mul_sat(count + 2, room);
}

static size_t words_of_workers(unsigned threads, size_t room)
{
    return gfp_size_mul_sat((TILE + 1) * (size_t)threads, room);
}

static gfp_status mix_combine(run *r)
{
    const gfp_parallel parallel = {.run = combine_tiles, .job = r};
    gfp_task *task = r->z->task;
    const size_t tiles = (r->z->len + TILE - 1) / TILE;
    if (!gfp_task_span(task, 1, (double)r->z->len, (double)r->count)) {
        return GFP_ERR_CANCELLED;
    }
    const size_t products = words_of_products(r->count, r->room);
    GFP_TRY(gfp_zarea_take(r->z->ring, &r->area,
                           gfp_size_add_sat(products, words_of_workers(r->z->threads, r->room))));
    r->memory = r->area.words + products;
    gfp_status status = make_steps(r);
    if (status == GFP_OK) {
        status = task == NULL
                     ? combine_tiles(r, 0, tiles, 0, NULL)
                     : gfp_parallel_for(&parallel, task, tiles, gfp_parallel_chunk(task, tiles, 8));
    }
    gfp_zarea_give(r->z->ring, &r->area);
    return status;
}

/* ---- the strategy ---- */

/* The product modulo one of the primes, all len coefficients. */
static gfp_status product_modulo(const gfp_zmul *z, const gfp_field *field, gfp_poly *c,
                                 double from, double to)
{
    GFP_TRY(gfp_zbig_product(z, field, c, from, to));
    const size_t len = c->len;
    GFP_TRY(gfp_poly_fit_length(c, z->len));
    gfp_vec_zero(field, c->digits + len * gfp_field_k(field), z->len - len);
    return GFP_OK;
}

/* The products modulo all primes; r->count := those that are to be cleared. */
static gfp_status multiply_each(run *r, const choice *c)
{
    const double share = 0.9 / (double)c->count;
    r->room = 1;
    for (size_t i = 0; i < c->count; i++) {
        GFP_TRY(gfp_zring_big_take(r->z->ring, &r->big[i], c->index[i]));
        const gfp_field *field = r->big[i].field;
        gfp_poly_init(&r->residues[i], field);
        r->count = i + 1;
        r->room += gfp_field_limbs(field);
        GFP_TRY(product_modulo(r->z, field, &r->residues[i], (double)i * share,
                               (double)(i + 1) * share));
    }
    return GFP_OK;
}

static const char *mix_refuses(const gfp_zmul *z)
{
    choice c;
    double time;
    return mix_choose(&c, &time, z) ? NULL
                                    : "the big primes do not exceed the bound of the product";
}

/* The fields that are not there yet are part of the price. More than two primes are never the
 * fastest way: a step for each one. */
static double time_of(const gfp_zmul *z)
{
    choice c;
    double time;
    if (!mix_choose(&c, &time, z)) {
        return HUGE_VAL;
    }
    const bool pair = time < HUGE_VAL;
    time = pair ? time : 0;
    for (size_t i = 0; i < c.count; i++) {
        const size_t index = c.index[i];
        time += pair ? 0 : (1 + 0.1 * (double)(i + 1)) * gfp_zcost_over(z, index);
        time += atomic_load(&z->ring->field[index]) == NULL ? gfp_zcost_field(index) : 0;
    }
    return time;
}

static size_t bytes_of(const gfp_zmul *z)
{
    choice c;
    double time;
    size_t bytes = 0, room = 1, most = 0;
    if (!mix_choose(&c, &time, z)) {
        return SIZE_MAX;
    }
    for (size_t i = 0; i < c.count; i++) {
        const size_t k = gfp_zring_k(c.index[i]), words = gfp_size_mul_sat(z->len, k);
        const size_t inside = gfp_zbig_bytes(z, (unsigned)k);
        bytes = gfp_size_add_sat(bytes, gfp_size_mul_sat(words, sizeof(uint64_t)));
        most = inside > most ? inside : most;
        room += k;
    }
    const size_t words =
        gfp_size_add_sat(words_of_products(c.count, room), words_of_workers(z->threads, room));
    bytes = gfp_size_add_sat(bytes, gfp_size_mul_sat(words, sizeof(uint64_t)));
    bytes = gfp_size_add_sat(bytes, c.count * sizeof(gfp_zmix_step));
    /* A product's own work space is about that of its factors and result. */
    return gfp_size_add_sat(bytes, gfp_size_mul_sat(most, 2));
}

static gfp_status mix_multiply(const gfp_zmul *z)
{
    choice c;
    double time;
    run r = {.z = z};
    const gfp_allocator *allocator = &z->ring->allocator;
    if (!mix_choose(&c, &time, z)) {
        return GFP_ERR_SIZE;
    }
    r.big = gfp_allocate(allocator, c.count, sizeof *r.big);
    r.residues = gfp_allocate(allocator, c.count, sizeof *r.residues);
    r.steps = gfp_allocate(allocator, c.count, sizeof *r.steps);
    const bool made = r.big != NULL && r.residues != NULL && r.steps != NULL;
    gfp_status status = made ? GFP_OK : GFP_ERR_MEMORY;
    if (status == GFP_OK) {
        status = multiply_each(&r, &c);
    }
    if (status == GFP_OK) {
        status = mix_combine(&r);
    }
    for (size_t i = 0; i < r.count; i++) {
        gfp_poly_clear(&r.residues[i]);
        gfp_zring_big_give(&r.big[i]);
    }
    gfp_release(allocator, r.big, c.count, sizeof *r.big);
    gfp_release(allocator, r.residues, c.count, sizeof *r.residues);
    gfp_release(allocator, r.steps, c.count, sizeof *r.steps);
    return status;
}

const gfp_zstrategy gfp_zmul_mix = {"mix", mix_refuses, time_of, 5e4, bytes_of, mix_multiply};
