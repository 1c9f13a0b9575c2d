/* check.c: the check of a gcd over Z modulo eight random primes: g u = a and g v = b at a
 * random point, and no common divisor has a greater degree: the gcd of the images of a and b,
 * without powers of X and in X for X^s (modular/reduce.h), has that of g for one of the primes at
 * least that does not divide both leading coefficients; of coefficients of more than some millions
 * of bits, for one of eight other primes (gfp_words_draw). No integer divides both u and v, and the
 * leading coefficient of g is positive: exactly.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "crt/blocks/kernels/euclid.h"
#include "field/base/word.h"
#include "modular/gcd/impl.h"
#include "modular/gcd/check.h"
#include "modular/reduce.h"
#include "modular/residues.h"

typedef struct checker {
    gfp_zcall *call;
    const gfp_words *block;
    gfp_words_basis *basis;
    uint64_t *work;
    uint64_t x[GFP_WORDS]; /* the points */
} checker;

/* z := f modulo the primes. */
static void check_project(const checker *w, uint64_t *z, gfp_zpoly f)
{
    gfp_zpoly_project(&(gfp_words_residues){w->basis, w->call->ring->level, 0, 1, z, 0}, f,
                      w->work);
}

/* y := the values of n coefficients at the points. */
static void check_evaluate(const checker *w, uint64_t y[GFP_WORDS], const uint64_t *z, size_t n)
{
    memset(y, 0, GFP_WORDS * sizeof *y);
    for (size_t i = n; i-- > 0;) {
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            const uint64_t q = w->block->q[l];
            y[l] = (gfp_mod_mul(y[l], w->x[l], q) + z[i * GFP_WORDS + l]) % q;
        }
    }
}

static gfp_status check_values(checker *w, uint64_t y[GFP_WORDS], gfp_zpoly f)
{
    uint64_t *z;
    const gfp_call_mark mark = gfp_call_mark_here(&w->call->base);
    GFP_TRY(gfp_call_array(&w->call->base, &z, gfp_size_mul_sat(f.len, GFP_WORDS)));
    GFP_TRY(gfp_call_array(&w->call->base, &w->work, gfp_zpoly_project_words(w->basis, f)));
    check_project(w, z, f);
    check_evaluate(w, y, z, f.len);
    gfp_call_release(&w->call->base, mark);
    return GFP_OK;
}

/* Whether g u = a at the points. */
static gfp_status check_product(checker *w, gfp_zpoly a, gfp_zpoly g, gfp_zpoly u)
{
    uint64_t of_a[GFP_WORDS], of_g[GFP_WORDS], of_u[GFP_WORDS];
    GFP_TRY(check_values(w, of_a, a));
    GFP_TRY(check_values(w, of_g, g));
    GFP_TRY(check_values(w, of_u, u));
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        if (gfp_mod_mul(of_g[l], of_u[l], w->block->q[l]) != of_a[l]) {
            return gfp_zcall_wrong(w->call);
        }
    }
    return GFP_OK;
}

/* Whether the gcd of the images of the operands of r has the degree of g for some prime. */
static gfp_status check_degree(checker *w, const gfp_zreduced *r, gfp_zpoly g)
{
    const gfp_zpoly a = r->a, b = r->b;
    const size_t power = gfp_size_min(r->power_a, r->power_b);
    uint64_t *z, *image;
    size_t lengths[GFP_WORDS];
    const size_t longer = a.len > b.len ? a.len : b.len;
    const size_t of_a = gfp_zpoly_project_words(w->basis, a);
    const size_t of_b = gfp_zpoly_project_words(w->basis, b);
    const size_t project_words = of_a > of_b ? of_a : of_b;
    const size_t image_words = gfp_words_image_work_words(a.len, b.len);
    GFP_TRY(gfp_call_array(&w->call->base, &z, gfp_size_mul_sat(a.len + b.len, GFP_WORDS)));
    GFP_TRY(gfp_call_array(&w->call->base, &image, gfp_size_mul_sat(longer, GFP_WORDS)));
    GFP_TRY(gfp_call_array(&w->call->base, &w->work,
                           project_words > image_words ? project_words : image_words));
    uint64_t *zb = z + a.len * GFP_WORDS;
    check_project(w, z, a);
    check_project(w, zb, b);
    const gfp_words_image_pair pair = {w->block, z, zb, a.len, b.len};
    gfp_words_image_gcd(&pair, w->call->ring->level, image, lengths, w->work);
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        /* A prime that divides both leading coefficients may divide that of the gcd, too. */
        const bool keeps_degree =
            z[(a.len - 1) * GFP_WORDS + l] != 0 || zb[(b.len - 1) * GFP_WORDS + l] != 0;
        if (keeps_degree && lengths[l] > 0 && (lengths[l] - 1) * r->step + power + 1 == g.len) {
            return GFP_OK;
        }
    }
    return gfp_zcall_wrong(w->call);
}

/* Whether the contents of u and v have no common divisor, and g is positive. */
static gfp_status check_units(gfp_zcall *call, const gfp_zdivisor *d)
{
    gfp_znat of_u, of_v, common;
    GFP_TRY(gfp_zcontent(call, &of_u, d->u));
    GFP_TRY(gfp_zcontent(call, &of_v, d->v));
    GFP_TRY(gfp_znat_gcd(call, &common, of_u, of_v));
    const bool right = gfp_znat_is_one(common) && !gfp_zpoly_is_negative(d->g);
    return right ? GFP_OK : gfp_zcall_wrong(call);
}

/* g u - a is below 2^bits in absolute value. */
static double bits_of_difference(gfp_zpoly a, gfp_zpoly g, gfp_zpoly u)
{
    const double of_a = (double)gfp_zpoly_bits(a);
    const double product = (double)gfp_zpoly_bits(g) + (double)gfp_zpoly_bits(u) +
                           log2((double)gfp_size_min(g.len, u.len));
    return 1 + (product > of_a ? product : of_a);
}

gfp_status gfp_zgcd_check(gfp_zcall *call, gfp_zpoly a, gfp_zpoly b, const gfp_zdivisor *d)
{
    gfp_words block;
    gfp_random g;
    gfp_zreduced r;
    checker w = {.call = call, .block = &block};
    const gfp_words *const blocks[] = {&block};
    GFP_TRY(gfp_zreduce(call, &r, a, b));
    const double of_a = bits_of_difference(a, d->g, d->u);
    const double of_b = bits_of_difference(b, d->g, d->v);
    const double degree = (double)a.len + (double)b.len;
    GFP_TRY(gfp_zcall_random_block(call, &block, fmax(of_a, of_b), degree));
    gfp_random_seed(&g, block.q[0] ^ call->base.options->verify_seed);
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        w.x[l] = gfp_random_below(&g, block.q[l]);
    }
    GFP_TRY(gfp_words_basis_create(&w.basis, blocks, NULL, 1, &call->ring->allocator));
    gfp_status status = check_product(&w, a, d->g, d->u);
    if (status == GFP_OK) {
        status = check_product(&w, b, d->g, d->v);
    }
    if (status == GFP_OK && !gfp_words_has_roots(&block)) {
        /* An equal degree modulo one prime is a proof: primes with transforms are faster. */
        gfp_words_basis_destroy(w.basis);
        w.basis = NULL;
        (void)gfp_words_draw(&block, &g, 1, 0);
        status = gfp_words_basis_create(&w.basis, blocks, NULL, 1, &call->ring->allocator);
    }
    if (status == GFP_OK) {
        const gfp_call_mark mark = gfp_call_mark_here(&call->base);
        status = check_degree(&w, &r, d->g);
        gfp_call_release(&call->base, mark);
    }
    gfp_words_basis_destroy(w.basis);
    if (status == GFP_OK) {
        status = check_units(call, d);
    }
    return status;
}
