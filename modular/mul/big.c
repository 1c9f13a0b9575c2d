/* big.c: products over Z through one prime p = r^k + 1 that exceeds twice the bound of the
 * product's absolute values: negative numbers x become p + x.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <string.h>

#include "field/base/parallel.h"
#include "modular/big.h"
#include "modular/mul/cost.h"
#include "modular/mul/big.h"
#include "modular/vec.h"

/* Numbers of a conversion. */
#define TILE 32

typedef struct run {
    const gfp_zmul *z;
    const gfp_field *field;
    const gfp_zfactor *from;
    uint64_t *digits; /* of the factor, or of the product */
    size_t limbs;     /* of p */
    bool back;
    uint64_t wrap[GFP_MAX_K]; /* 2^(64 from->width) mod p, if the factor may exceed p */
} run;

/* ---- conversions ---- */

/* y := x modulo p, |x| < p. */
static void shift_up(const run *r, uint64_t *y, const uint64_t *x, size_t width)
{
    const bool negative = gfp_z_negative(x, width);
    const size_t n = gfp_size_min(width, r->limbs);
    memcpy(y, x, n * sizeof *y);
    memset(y + n, negative ? 0xff : 0, (r->limbs - n) * sizeof *y);
    if (negative) {
        (void)mpn_add_n(gfp_z_limbs(y), gfp_z_limbs(y),
                        gfp_z_const_limbs(gfp_field_modulus_limbs(r->field)), (mp_size_t)r->limbs);
    }
}

/* z := y, or y - p if y > p / 2: |z| < 2^(64 width - 1). */
static void shift_down(const run *r, uint64_t *z, size_t width, uint64_t *y, const uint64_t *half)
{
    const bool negative =
        mpn_cmp(gfp_z_const_limbs(y), gfp_z_const_limbs(half), (mp_size_t)r->limbs) > 0;
    const size_t n = gfp_size_min(width, r->limbs);
    if (negative) {
        (void)mpn_sub_n(gfp_z_limbs(y), gfp_z_limbs(y),
                        gfp_z_const_limbs(gfp_field_modulus_limbs(r->field)), (mp_size_t)r->limbs);
    }
    memcpy(z, y, n * sizeof *z);
    memset(z + n, negative ? 0xff : 0, (width - n) * sizeof *z);
}

static void export_tile(const run *r, size_t at, size_t n)
{
    uint64_t y[TILE * (GFP_MAX_LIMBS / 2)], half[GFP_MAX_LIMBS];
    const gfp_zmul *z = r->z;
    (void)mpn_rshift(gfp_z_limbs(half), gfp_z_const_limbs(gfp_field_modulus_limbs(r->field)),
                     (mp_size_t)r->limbs, 1);
    gfp_vec_get_limbs(r->field, y, r->limbs, r->digits + at * gfp_field_k(r->field), n);
    for (size_t i = 0; i < n; i++) {
        shift_down(r, z->c + (at + i) * z->width, z->width, y + i * r->limbs, half);
    }
}

/* Numbers that p exceeds convert faster. */
static void import_tile(const run *r, size_t at, size_t n)
{
    uint64_t y[TILE * (GFP_MAX_LIMBS / 2)];
    if (r->from->bits >= gfp_field_bits(r->field)) {
        gfp_zbig_reduce(r->field, r->digits + at * gfp_field_k(r->field),
                        r->from->x + at * r->from->width, r->from->width, n, r->wrap);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        shift_up(r, y + i * r->limbs, r->from->x + (at + i) * r->from->width, r->from->width);
    }
    gfp_vec_set_limbs_mod(r->field, r->digits + at * gfp_field_k(r->field), y, r->limbs, r->limbs,
                          n);
}

static size_t length_of(const run *r)
{
    return r->back ? r->z->len : r->from->len;
}

static gfp_status convert_tiles(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const run *r = user;
    (void)worker;
    for (size_t i = from; i < to; i++) {
        const size_t at = i * TILE, n = gfp_size_min(length_of(r) - at, TILE);
        if (r->back) {
            export_tile(r, at, n);
        } else {
            import_tile(r, at, n);
        }
        if (!gfp_task_advance(task, (double)n)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Converts as a span of the task that ends at `to`. */
static gfp_status big_convert(run *r, double to)
{
    const gfp_parallel parallel = {.run = convert_tiles, .job = r};
    gfp_task *task = r->z->task;
    const size_t tiles = (length_of(r) + TILE - 1) / TILE;
    if (!gfp_task_span(task, to, (double)length_of(r), (double)gfp_field_k(r->field))) {
        return GFP_ERR_CANCELLED;
    }
    return task == NULL
               ? convert_tiles(r, 0, tiles, 0, NULL)
               : gfp_parallel_for(&parallel, task, tiles, gfp_parallel_chunk(task, tiles, 8));
}

static gfp_status import_factor(run *r, gfp_poly *p, const gfp_zfactor *from, double to)
{
    GFP_TRY(gfp_poly_fit_length(p, from->len));
    r->from = from;
    r->digits = p->digits;
    if (from->bits >= gfp_field_bits(r->field)) {
        gfp_zbig_wrap(r->field, r->wrap, from->width);
    }
    GFP_TRY(big_convert(r, to));
    return gfp_poly_set_length(p, from->len);
}

/* ---- the product ---- */

/* The product over the field, as a span of the task that ends at `to`. */
static gfp_status multiply_in_field(const gfp_zmul *z, gfp_poly *c, const gfp_poly *a,
                                    const gfp_poly *b, size_t taken, double to)
{
    const gfp_progress forwarded = {gfp_task_forward, z->task};
    gfp_options inner = {.threads = z->threads, .error = z->options->error};
    if (z->cap != SIZE_MAX) {
        inner.memory_cap = z->cap > taken ? z->cap - taken : 1;
    }
    if (!gfp_task_span(z->task, to, 1, 1)) {
        return GFP_ERR_CANCELLED;
    }
    if (z->options->progress != NULL) {
        inner.progress = &forwarded;
    }
    const bool plain = z->threads <= 1 && z->cap == SIZE_MAX && inner.progress == NULL;
    return gfp_poly_mul(c, a, b, plain ? NULL : &inner);
}

size_t gfp_zbig_bytes(const gfp_zmul *z, unsigned k)
{
    const size_t len = z->len + z->a.len + (z->square ? 0 : z->b.len);
    return gfp_size_mul_sat(len, k * sizeof(uint64_t));
}

gfp_status gfp_zbig_product(const gfp_zmul *z, const gfp_field *field, gfp_poly *c, double from,
                            double to)
{
    run r = {.z = z, .field = field, .limbs = gfp_field_limbs(field)};
    const size_t taken = gfp_zbig_bytes(z, gfp_field_k(field));
    const double share = to - from;
    gfp_poly a, b;
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_status status =
        taken > z->cap ? GFP_ERR_MEMORY : import_factor(&r, &a, &z->a, from + 0.05 * share);
    if (status == GFP_OK && !z->square) {
        status = import_factor(&r, &b, &z->b, from + 0.1 * share);
    }
    if (status == GFP_OK) {
        status = multiply_in_field(z, c, &a, z->square ? &a : &b, taken, to);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    return status;
}

static gfp_status multiply_over(const gfp_zmul *z, const gfp_field *field)
{
    run r = {.z = z, .field = field, .limbs = gfp_field_limbs(field), .back = true};
    gfp_poly c;
    gfp_poly_init(&c, field);
    gfp_status status = gfp_zbig_product(z, field, &c, 0, 0.9);
    if (status == GFP_OK) {
        r.digits = c.digits; /* all len coefficients: p does not divide the last one */
        status = big_convert(&r, 1);
    }
    gfp_poly_clear(&c);
    return status;
}

/* ---- the strategy ---- */

static const char *big_refuses(const gfp_zmul *z)
{
    return z->named < GFP_ZRING_FIELDS ? NULL : "no named prime exceeds the bound of the product";
}

static size_t bytes_of(const gfp_zmul *z)
{
    /* The product's own work space is about that of its factors and result. */
    return z->named < GFP_ZRING_FIELDS
               ? gfp_size_mul_sat(gfp_zbig_bytes(z, gfp_named_prime_get(z->named)->k), 2)
               : SIZE_MAX;
}

static gfp_status big_multiply(const gfp_zmul *z)
{
    const gfp_field *field;
    if (big_refuses(z) != NULL) {
        return GFP_ERR_SIZE;
    }
    GFP_TRY(gfp_zring_field(z->ring, z->named, &field));
    return multiply_over(z, field);
}

const gfp_zstrategy gfp_zmul_big = {"big", big_refuses, gfp_zcost_big,
                                    2000,  bytes_of,    big_multiply};
