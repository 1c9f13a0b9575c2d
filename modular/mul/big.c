/* big.c: products over Z through big primes p = r^k + 1 whose product exceeds twice the bound of
 * the product's absolute values: one, if a named prime is large enough, else several. Products
 * modulo each prime come first, then the integers, tile by tile (modular/big.h). Negative numbers x
 * become p + x.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <string.h>

#include "field/base/parallel.h"
#include "modular/big.h"
#include "modular/mul/methods.h"
#include "modular/vec.h"

#define TILE GFP_ZBIG_TILE
/* The most primes. */
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
    gfp_zbig_step *steps; /* to each prime from those before */
    gfp_zarea area;       /* the products of primes, half the last one; the workers' memory */
    const uint64_t *all, *half;
    size_t limbs;     /* of the product of all primes */
    size_t room;      /* of an integer: at least the limbs of all primes together */
    uint64_t *memory; /* of the workers */
} run;

/* The conversion of a factor. */
typedef struct import {
    const gfp_field *field;
    const gfp_zfactor *from;
    uint64_t *digits;
    uint64_t wrap[GFP_MAX_K]; /* 2^(64 from->width) mod p, if the factor may exceed p */
} import;

/* ---- the choice ---- */

/* Primes in stock from k = 128 downwards, until a named prime suffices for what is missing: the
 * fewer primes, the fewer steps. Returns whether all of them suffice. */
static bool big_choose(choice *c, const gfp_zmul *z)
{
    size_t bits = 0, index;
    c->count = 0;
    for (size_t i = GFP_ZRING_PRIMES; i-- > GFP_ZRING_FIELDS && bits <= z->bits;) {
        if (gfp_zring_named(z->bits + 1 - bits, &index)) {
            c->index[c->count++] = index;
            return true;
        }
        if (gfp_zring_k(i) >= 8) {
            c->index[c->count++] = i;
            bits += gfp_zring_bits(i);
        }
    }
    return bits > z->bits;
}

/* ---- the factors ---- */

/* y := x modulo p, |x| < p. */
static void shift_up(const gfp_field *field, uint64_t *y, const uint64_t *x, size_t width)
{
    const size_t limbs = gfp_field_limbs(field), n = gfp_size_min(width, limbs);
    const bool negative = gfp_z_negative(x, width);
    memcpy(y, x, n * sizeof *y);
    memset(y + n, negative ? 0xff : 0, (limbs - n) * sizeof *y);
    if (negative) {
        (void)mpn_add_n(gfp_z_limbs(y), gfp_z_limbs(y),
                        gfp_z_const_limbs(gfp_field_modulus_limbs(field)), (mp_size_t)limbs);
    }
}

/* Numbers that p exceeds convert faster. */
static void import_tile(const import *r, size_t at, size_t n)
{
    uint64_t y[TILE * (GFP_MAX_LIMBS / 2)];
    const gfp_field *field = r->field;
    const size_t limbs = gfp_field_limbs(field), width = r->from->width;
    const uint64_t *x = r->from->x + at * width;
    uint64_t *digits = r->digits + at * gfp_field_k(field);
    if (r->from->bits >= gfp_field_bits(field)) {
        gfp_zbig_reduce(field, digits, x, width, n, r->wrap);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        shift_up(field, y + i * limbs, x + i * width, width);
    }
    gfp_vec_set_limbs_mod(field, digits, y, limbs, limbs, n);
}

static gfp_status import_tiles(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const import *r = user;
    (void)worker;
    for (size_t i = from; i < to; i++) {
        const size_t at = i * TILE, n = gfp_size_min(r->from->len - at, TILE);
        import_tile(r, at, n);
        if (!gfp_task_advance(task, (double)n)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_status run_tiles(gfp_parallel_run *body, void *job, gfp_task *task, size_t len)
{
    const gfp_parallel parallel = {.run = body, .job = job};
    const size_t tiles = (len + TILE - 1) / TILE;
    return task == NULL
               ? body(job, 0, tiles, 0, NULL)
               : gfp_parallel_for(&parallel, task, tiles, gfp_parallel_chunk(task, tiles, 8));
}

/* p := the factor, as a span of the task that ends at `to`. */
static gfp_status import_factor(const gfp_zmul *z, gfp_poly *p, const gfp_zfactor *from, double to)
{
import r = {.field = p->field, .from = from };
    GFP_TRY(gfp_poly_fit_length(p, from->len));
    r.digits = p->digits;
    if (from->bits >= gfp_field_bits(p->field)) {
        gfp_zbig_wrap(p->field, r.wrap, from->width);
    }
    if (!gfp_task_span(z->task, to, (double)from->len, (double)gfp_field_k(p->field))) {
        return GFP_ERR_CANCELLED;
    }
    GFP_TRY(run_tiles(import_tiles, &r, z->task, from->len));
    return gfp_poly_set_length(p, from->len);
}

/* ---- products modulo primes ---- */

/* The product over the field, as a span of the task that ends at `to`. */
static gfp_status multiply_in_field(const gfp_zmul *z, gfp_poly *c, const gfp_poly *a,
                                    const gfp_poly *b, size_t taken, double to)
{
    const gfp_progress forwarded = {gfp_task_forward, z->task};
    gfp_options inner = {
        .verify = GFP_VERIFY_NONE, .threads = z->threads, .error = &z->call->error};
    if (z->cap != SIZE_MAX) {
        inner.memory_cap = z->cap > taken ? z->cap - taken : 1;
    }
    if (!gfp_task_span(z->task, to, 1, 1)) {
        return GFP_ERR_CANCELLED;
    }
    if (z->call->options->progress != NULL) {
        inner.progress = &forwarded;
    }
    return gfp_call_inner(z->call, gfp_poly_mul(c, a, b, &inner));
}

/* The bytes of the digits of factors and product. */
static size_t bytes_over(const gfp_zmul *z, unsigned k)
{
    const size_t len = z->len + z->a.len + (z->square ? 0 : z->b.len);
    return gfp_size_mul_sat(len, k * sizeof(uint64_t));
}

/* c := the product modulo p, all len coefficients; takes the task's part between the fractions from
 * and to. */
static gfp_status product_modulo(const gfp_zmul *z, const gfp_field *field, gfp_poly *c,
                                 double from, double to)
{
    const size_t taken = bytes_over(z, gfp_field_k(field));
    const double share = to - from;
    gfp_poly a, b;
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_status status =
        taken > z->cap ? GFP_ERR_MEMORY : import_factor(z, &a, &z->a, from + 0.05 * share);
    if (status == GFP_OK && !z->square) {
        status = import_factor(z, &b, &z->b, from + 0.1 * share);
    }
    if (status == GFP_OK) {
        status = multiply_in_field(z, c, &a, z->square ? &a : &b, taken, to);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    GFP_TRY(status);
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
        gfp_zbig_step_run(&r->steps[i], x, r->room, r->residues[i].digits + at * k, n, work);
    }
    for (size_t i = 0; i < n; i++) {
        gfp_zbig_least(z->c + (at + i) * z->width, z->width, x + i * r->room, r->all, r->half,
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
        GFP_TRY(gfp_zbig_step_init(&r->steps[i], r->residues[i].field, m, limbs));
        m += limbs;
        limbs = gfp_zbig_step_product(&r->steps[i], m);
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

static gfp_status big_combine(run *r)
{
    gfp_task *task = r->z->task;
    if (!gfp_task_span(task, 1, (double)r->z->len, (double)r->count)) {
        return GFP_ERR_CANCELLED;
    }
    const size_t products = words_of_products(r->count, r->room);
    GFP_TRY(gfp_zarea_take(r->z->ring, &r->area,
                           gfp_size_add_sat(products, words_of_workers(r->z->threads, r->room))));
    r->memory = r->area.words + products;
    gfp_status status = make_steps(r);
    if (status == GFP_OK) {
        status = run_tiles(combine_tiles, r, task, r->z->len);
    }
    gfp_zarea_give(r->z->ring, &r->area);
    return status;
}

/* ---- the strategy ---- */

static const char *big_refuses(const gfp_zmul *z)
{
    choice c;
    return big_choose(&c, z) ? NULL : "the big primes do not exceed the bound of the product";
}

static size_t bytes_of(const gfp_zmul *z)
{
    choice c;
    size_t bytes = 0, room = 1, most = 0;
    if (!big_choose(&c, z)) {
        return SIZE_MAX;
    }
    for (size_t i = 0; i < c.count; i++) {
        const size_t k = gfp_zring_k(c.index[i]), words = gfp_size_mul_sat(z->len, k);
        const size_t inside = bytes_over(z, (unsigned)k);
        bytes = gfp_size_add_sat(bytes, gfp_size_mul_sat(words, sizeof(uint64_t)));
        most = inside > most ? inside : most;
        room += k;
    }
    const size_t words =
        gfp_size_add_sat(words_of_products(c.count, room), words_of_workers(z->threads, room));
    bytes = gfp_size_add_sat(bytes, gfp_size_mul_sat(words, sizeof(uint64_t)));
    bytes = gfp_size_add_sat(bytes, c.count * sizeof(gfp_zbig_step));
    /* A product's own work space is about that of its factors and result. */
    return gfp_size_add_sat(bytes, gfp_size_mul_sat(most, 2));
}

static gfp_status big_multiply(const gfp_zmul *z)
{
    choice c;
    run r = {.z = z};
    const gfp_allocator *allocator = &z->ring->allocator;
    if (!big_choose(&c, z)) {
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
        status = big_combine(&r);
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

const gfp_zstrategy gfp_zmul_big = {GFP_Z_BIG, big_refuses, bytes_of, big_multiply};
