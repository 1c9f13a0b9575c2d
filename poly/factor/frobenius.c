/* frobenius.c: powers of X modulo f that factorisations stand on.
 *
 * X^p is computed as X (X^((p - 1) / 2^s))^(2^s): the power in the middle has the 2^s-th roots of
 * unity as its values at the roots of f in Z/pZ, and tells them apart (equal.c).
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "poly/compose/elements.h"
#include "poly/factor/frame.h"
#include "field/base/support.h"

/* Products for a square, for a composition with an argument that is kept: of the square root of the
 * degree. Measured: docs/design/factor.md. */
#define SQUARE 1.7
#define COMPOSITION 5.0

double gfp_frobenius_units(const gfp_field *field, size_t n)
{
    return gfp_factoring_units(n, SQUARE * gfp_field_bits(field));
}

double gfp_frobenius_composition_units(size_t n)
{
    return gfp_factoring_units(n, COMPOSITION * sqrt((double)n));
}

bool gfp_frobenius_by_powers(const gfp_factoring *w, size_t n, size_t count, double compositions)
{
    const double powers = SQUARE * gfp_field_bits(w->op.field) * (double)count;
    return w->op.classical || powers < compositions * COMPOSITION * sqrt((double)n);
}

unsigned gfp_frobenius_levels(const gfp_factoring *w, size_t t)
{
    unsigned levels = 6;
    for (; t > 1; t /= 2) {
        levels += 2;
    }
    const unsigned most = gfp_field_v2_order(w->op.field);
    levels = levels < most ? levels : most;
    return w->op.classical ? 1 : levels < 62 ? levels : 62;
}

/* Units of operations modulo the polynomial of M. */
static double units_of(const gfp_modulus *M, double products)
{
    return gfp_factoring_units(gfp_modulus_poly(M)->len, products);
}

gfp_status gfp_frobenius_root(gfp_factoring *w, gfp_poly *b, const gfp_poly *a, unsigned levels,
                              const gfp_modulus *M)
{
    const gfp_field *field = w->op.field;
    const uint64_t *p = gfp_field_modulus_limbs(field);
    const size_t limbs = gfp_field_limbs(field);
    uint64_t e[GFP_MAX_LIMBS];
    for (size_t i = 0; i < limbs; i++) { /* p is odd, and levels < 64 */
        const uint64_t low = i == 0 ? p[0] - 1 : p[i], high = i + 1 < limbs ? p[i + 1] : 0;
        e[i] = levels == 0 ? low : low >> levels | high << (64 - levels);
    }
    GFP_INSIDE(w, units_of(M, SQUARE * gfp_field_bits(field)),
               gfp_poly_pow_mod(b, a, e, limbs, M, &w->inside));
    return GFP_OK;
}

gfp_status gfp_frobenius_square(gfp_factoring *w, gfp_poly *b, const gfp_poly *a, unsigned count,
                                const gfp_modulus *M)
{
    if (count == 0) {
        return gfp_poly_set(b, a);
    }
    for (unsigned i = 0; i < count; i++) {
        GFP_INSIDE(w, units_of(M, SQUARE),
                   gfp_poly_mul_mod(b, i == 0 ? a : b, i == 0 ? a : b, M, &w->inside));
    }
    return GFP_OK;
}

gfp_status gfp_frobenius_of(gfp_factoring *w, gfp_frobenius *x, const gfp_poly *f)
{
    const size_t n = f->len - 1;
    gfp_factoring_item *mark;
    gfp_poly *base;
    x->f = f;
    x->levels = gfp_frobenius_levels(w, n);
    GFP_TRY(gfp_factoring_item_of(w, &x->modulus, 0));
    GFP_TRY(gfp_factoring_modulus(w, x->modulus, f));
    GFP_TRY(gfp_factoring_poly(w, &x->root, n));
    GFP_TRY(gfp_factoring_poly(w, &x->x_p, n));
    mark = w->top;
    GFP_TRY(gfp_factoring_poly(w, &base, 2));
    GFP_TRY(gfp_poly_set_coeff_u64(base, 1, 1));
    GFP_TRY(gfp_frobenius_root(w, x->root, base, x->levels, x->modulus->M));
    GFP_TRY(gfp_frobenius_square(w, x->x_p, x->root, x->levels, x->modulus->M));
    GFP_INSIDE(w, units_of(x->modulus->M, 1),
               gfp_poly_mul_mod(x->x_p, x->x_p, base, x->modulus->M, &w->inside));
    gfp_factoring_release(w, mark);
    return GFP_OK;
}

gfp_status gfp_frobenius_apply(gfp_factoring *w, gfp_poly *b, const gfp_poly *a,
                               const gfp_modulus *M)
{
    const gfp_field *field = w->op.field;
    GFP_INSIDE(w, gfp_frobenius_units(field, gfp_modulus_poly(M)->len),
               gfp_poly_pow_mod(b, a, gfp_field_modulus_limbs(field), gfp_field_limbs(field), M,
                                &w->inside));
    return GFP_OK;
}

/* ---- traces ---- */

/* Steps of two compositions: one for each bit of d, and for each bit that is 1. */
static double compositions_for(size_t d)
{
    double count = 0;
    for (; d > 1; d /= 2) {
        count += d % 2 == 1 ? 4 : 2;
    }
    return count;
}

static gfp_status frobenius_compose(gfp_factoring *w, gfp_poly *trace, gfp_poly *power,
                                    const gfp_poly *a, const gfp_poly *x_p, size_t d,
                                    const gfp_modulus *M)
{
    const double each = gfp_frobenius_composition_units(gfp_modulus_poly(M)->len);
    GFP_INSIDE(w, compositions_for(d) * each,
               gfp_poly_trace_map_mod(trace, power, a, x_p, d, M, &w->inside));
    return GFP_OK;
}

gfp_status gfp_frobenius_power_of(gfp_factoring *w, gfp_poly *power, const gfp_poly *a, size_t d,
                                  size_t count, const gfp_modulus *M)
{
    const size_t n = gfp_modulus_poly(M)->len - 1;
    if (count > 1 && !gfp_frobenius_by_powers(w, n, d * (count - 1), compositions_for(count) / 2)) {
        return frobenius_compose(w, NULL, power, NULL, a, count, M);
    }
    GFP_TRY(gfp_poly_set(power, a));
    for (size_t i = 0; i < d * (count - 1); i++) {
        GFP_TRY(gfp_frobenius_apply(w, power, power, M));
    }
    return GFP_OK;
}

gfp_status gfp_frobenius_power(gfp_factoring *w, gfp_poly *power, const gfp_poly *x_p, size_t d,
                               const gfp_modulus *M)
{
    return gfp_frobenius_power_of(w, power, x_p, 1, d, M);
}

gfp_status gfp_frobenius_trace(gfp_factoring *w, gfp_poly *trace, const gfp_poly *a,
                               const gfp_poly *x_p, size_t d, const gfp_modulus *M)
{
    const size_t n = gfp_modulus_poly(M)->len - 1;
    if (d > 1 && !gfp_frobenius_by_powers(w, n, d - 1, compositions_for(d))) {
        return frobenius_compose(w, trace, NULL, a, x_p, d, M);
    }
    gfp_factoring_item *mark = w->top;
    gfp_poly *power;
    GFP_TRY(gfp_factoring_poly(w, &power, n));
    GFP_TRY(gfp_poly_set(power, a));
    GFP_TRY(gfp_poly_set(trace, a));
    for (size_t i = 1; i < d; i++) {
        GFP_TRY(gfp_frobenius_apply(w, power, power, M));
        GFP_TRY(gfp_poly_add(trace, trace, power));
    }
    gfp_factoring_release(w, mark);
    return GFP_OK;
}
