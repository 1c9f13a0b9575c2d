/* zmul_mix.c: products over Z through two big primes p > q whose product exceeds twice the bound:
 * with u in [0, p) and t = (v - u) / p mod q, c = u + p t or u + p t - p q.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <math.h>
#include <string.h>

#include "parallel.h"
#include "zcost.h"
#include "zmul_big.h"
#include "zvec_impl.h"

/* Numbers of a conversion. */
#define TILE 16
/* The most limbs of p and of q. */
#define LIMBS (GFP_MAX_LIMBS / 2)

/* The indices of two named primes. */
typedef struct pair {
    size_t p, q;
} pair;

typedef struct run {
    const gfp_zmul *z;
    const gfp_field *p, *q;
    const uint64_t *u, *v;           /* len elements of each */
    uint64_t inverse[GFP_MAX_K];     /* 1 / p mod q */
    uint64_t product[2 * LIMBS + 1]; /* p q, and half of it */
    uint64_t half[2 * LIMBS + 1];
    size_t limbs_p, limbs_q;
} run;

/* ---- the choice ---- */

/* Finds the pair of least predicted time whose product exceeds 2^(bits + 1); both exceed the
 * factors. */
static bool choose_pair(pair *best, double *time, const gfp_zmul *z)
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
                *best = swap ? (pair){q, p} : (pair){p, q};
            }
        }
    }
    return *time < HUGE_VAL;
}

/* ---- the last step ---- */

static void finish(const run *r, uint64_t *c, const uint64_t *u, const uint64_t *t)
{
    uint64_t y[2 * LIMBS + 1];
    const size_t all = r->limbs_p + r->limbs_q, width = r->z->width;
    (void)mpn_mul(gfp_z_limbs(y), gfp_z_const_limbs(gfp_field_modulus_limbs(r->p)),
                  (mp_size_t)r->limbs_p, gfp_z_const_limbs(t), (mp_size_t)r->limbs_q);
    (void)mpn_add(gfp_z_limbs(y), gfp_z_const_limbs(y), (mp_size_t)all, gfp_z_const_limbs(u),
                  (mp_size_t)r->limbs_p);
    const bool negative =
        mpn_cmp(gfp_z_const_limbs(y), gfp_z_const_limbs(r->half), (mp_size_t)all) > 0;
    if (negative) {
        (void)mpn_sub_n(gfp_z_limbs(y), gfp_z_const_limbs(y), gfp_z_const_limbs(r->product),
                        (mp_size_t)all);
    }
    const size_t n = gfp_size_min(width, all);
    memcpy(c, y, n * sizeof *c);
    memset(c + n, negative ? 0xff : 0, (width - n) * sizeof *c);
}

static void combine_tile(const run *r, size_t at, size_t n)
{
    uint64_t u[TILE * LIMBS], t[TILE * LIMBS], d[TILE * GFP_MAX_K / 2];
    const size_t kp = gfp_field_k(r->p), kq = gfp_field_k(r->q);
    gfp_vec_get_limbs(r->p, u, r->limbs_p, r->u + at * kp, n);
    gfp_vec_set_limbs_mod(r->q, d, u, r->limbs_p, r->limbs_p, n);
    gfp_vec_sub(r->q, d, r->v + at * kq, d, n);
    gfp_vec_scale(r->q, d, d, r->inverse, n);
    gfp_vec_get_limbs(r->q, t, r->limbs_q, d, n);
    for (size_t i = 0; i < n; i++) {
        finish(r, r->z->c + (at + i) * r->z->width, u + i * r->limbs_p, t + i * r->limbs_q);
    }
}

static gfp_status combine_tiles(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const run *r = user;
    (void)worker;
    for (size_t i = from; i < to; i++) {
        const size_t at = i * TILE, n = gfp_size_min(r->z->len - at, TILE);
        combine_tile(r, at, n);
        if (!gfp_task_advance(task, (double)n)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_status combine(run *r)
{
    const gfp_parallel parallel = {.run = combine_tiles, .job = r};
    gfp_task *task = r->z->task;
    const size_t tiles = (r->z->len + TILE - 1) / TILE, all = r->limbs_p + r->limbs_q;
    uint64_t p_mod_q[GFP_MAX_K];
    if (!gfp_task_span(task, 1, (double)r->z->len, 1)) {
        return GFP_ERR_CANCELLED;
    }
    const uint64_t *p = gfp_field_modulus_limbs(r->p), *q = gfp_field_modulus_limbs(r->q);
    gfp_elem_set_limbs(r->q, p_mod_q, p, r->limbs_p);
    GFP_TRY(gfp_elem_inv(r->q, r->inverse, p_mod_q));
    (void)mpn_mul(gfp_z_limbs(r->product), gfp_z_const_limbs(p), (mp_size_t)r->limbs_p,
                  gfp_z_const_limbs(q), (mp_size_t)r->limbs_q);
    (void)mpn_rshift(gfp_z_limbs(r->half), gfp_z_const_limbs(r->product), (mp_size_t)all, 1);
    return task == NULL
               ? combine_tiles(r, 0, tiles, 0, NULL)
               : gfp_parallel_for(&parallel, task, tiles, gfp_parallel_chunk(task, tiles, 8));
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

static gfp_status multiply_over(const gfp_zmul *z, const gfp_field *p, const gfp_field *q)
{
    run r = {.z = z, .p = p, .q = q, .limbs_p = gfp_field_limbs(p), .limbs_q = gfp_field_limbs(q)};
    gfp_poly u, v;
    gfp_poly_init(&u, p);
    gfp_poly_init(&v, q);
    gfp_status status = product_modulo(z, p, &u, 0, 0.6);
    if (status == GFP_OK) {
        status = product_modulo(z, q, &v, 0.6, 0.9);
    }
    if (status == GFP_OK) {
        r.u = u.digits;
        r.v = v.digits;
        status = combine(&r);
    }
    gfp_poly_clear(&u);
    gfp_poly_clear(&v);
    return status;
}

static const char *refuses(const gfp_zmul *z)
{
    pair two;
    double time;
    return choose_pair(&two, &time, z) ? NULL
                                       : "no two named primes exceed the bounds of the product";
}

/* The fields that are not there yet are part of the price. */
static double time_of(const gfp_zmul *z)
{
    pair two;
    double time;
    if (!choose_pair(&two, &time, z)) {
        return HUGE_VAL;
    }
    for (unsigned i = 0; i < 2; i++) {
        const size_t index = i == 0 ? two.p : two.q;
        time += atomic_load(&z->ring->field[index]) == NULL ? gfp_zcost_field(index) : 0;
    }
    return time;
}

static size_t bytes_of(const gfp_zmul *z)
{
    pair two;
    double time;
    if (!choose_pair(&two, &time, z)) {
        return SIZE_MAX;
    }
    return gfp_size_add_sat(gfp_size_mul_sat(gfp_zbig_bytes(z, gfp_named_prime_get(two.p)->k), 2),
                            gfp_size_mul_sat(gfp_zbig_bytes(z, gfp_named_prime_get(two.q)->k), 2));
}

static gfp_status multiply(const gfp_zmul *z)
{
    const gfp_field *p, *q;
    pair two;
    double time;
    if (!choose_pair(&two, &time, z)) {
        return GFP_ERR_SIZE;
    }
    GFP_TRY(gfp_zring_field(z->ring, two.p, &p));
    GFP_TRY(gfp_zring_field(z->ring, two.q, &q));
    return multiply_over(z, p, q);
}

const gfp_zstrategy gfp_zmul_mix = {"mix", refuses, time_of, 5e4, bytes_of, multiply};
