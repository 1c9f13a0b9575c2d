/* lab.h: polynomials with known factors, and what every factorisation satisfies.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_POLY_FACTOR_LAB_H
#define TESTS_POLY_FACTOR_LAB_H

#include "poly/division/lab.h"

/* f := f g^exponent. */
static inline void times_power(gfp_poly *f, const gfp_poly *g, size_t exponent)
{
    for (size_t i = 0; i < exponent; i++) {
        assert_int_equal(gfp_poly_mul(f, f, g, NULL), GFP_OK);
    }
}

/* f := X - x, from the element or a small integer. */
static inline void make_linear(gfp_poly *f, const uint64_t *x)
{
    uint64_t c[GFP_MAX_K];
    gfp_elem_neg(f->field, c, x);
    gfp_poly_zero(f);
    assert_int_equal(gfp_poly_set_coeff_u64(f, 1, 1), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff(f, 0, c), GFP_OK);
}

static inline void times_root(gfp_poly *f, const uint64_t *x, size_t exponent)
{
    gfp_poly g;
    gfp_poly_init(&g, f->field);
    make_linear(&g, x);
    times_power(f, &g, exponent);
    gfp_poly_clear(&g);
}

/* f := a product of n different roots, random, times a constant; with `twice` of them double. */
static inline void make_split(gfp_poly *f, size_t n, size_t twice, gfp_random *g)
{
    uint64_t x[GFP_MAX_K];
    gfp_poly_zero(f);
    assert_int_equal(gfp_poly_set_coeff_u64(f, 0, 3), GFP_OK);
    for (size_t i = 0; i < n; i++) {
        gfp_elem_random(f->field, x, g);
        times_root(f, x, i < twice ? 2 : 1);
    }
}

/* Whether a comes before b: by degree, then by the integers of the coefficients. */
static inline bool is_before(const gfp_poly *a, const gfp_poly *b)
{
    const size_t limbs = gfp_field_limbs(a->field), k = gfp_field_k(a->field);
    if (a->len != b->len) {
        return a->len < b->len;
    }
    for (size_t i = a->len; i-- > 0;) {
        uint64_t x[GFP_MAX_LIMBS], y[GFP_MAX_LIMBS];
        gfp_elem_get_limbs(a->field, x, a->digits + i * k);
        gfp_elem_get_limbs(b->field, y, b->digits + i * k);
        for (size_t j = limbs; j-- > 0;) {
            if (x[j] != y[j]) {
                return x[j] < y[j];
            }
        }
    }
    return false;
}

/* Monic factors of f, whose product is f; with exponents, or each one once. */
static inline void expect_product(const gfp_factors *F, const gfp_poly *f, bool once)
{
    const size_t k = gfp_field_k(f->field);
    gfp_poly product;
    gfp_poly_init(&product, f->field);
    assert_int_equal(gfp_poly_set_coeff(&product, 0, F->leading), GFP_OK);
    for (size_t i = 0; i < F->count; i++) {
        const gfp_poly *g = &F->factor[i].poly;
        assert_true(g->len >= 2 && gfp_elem_is_one(g->field, g->digits + (g->len - 1) * k));
        assert_true(F->factor[i].exponent >= 1);
        times_power(&product, g, once ? 1 : F->factor[i].exponent);
    }
    if (!gfp_poly_equal(&product, f)) {
        fail_msg("%s: the factors of a polynomial of %zu terms do not multiply back",
                 gfp_field_name(f->field), f->len);
    }
    gfp_poly_clear(&product);
}

/* The same, and sorted. */
static inline void expect_factors(const gfp_factors *F, const gfp_poly *f)
{
    expect_product(F, f, false);
    for (size_t i = 1; i < F->count; i++) {
        assert_true(is_before(&F->factor[i - 1].poly, &F->factor[i].poly));
    }
}

static inline void expect_same_factors(const gfp_factors *F, const gfp_factors *G)
{
    assert_int_equal(F->count, G->count);
    assert_true(gfp_elem_equal(F->field, F->leading, G->leading));
    for (size_t i = 0; i < F->count; i++) {
        assert_true(gfp_poly_equal(&F->factor[i].poly, &G->factor[i].poly));
        assert_int_equal(F->factor[i].exponent, G->factor[i].exponent);
    }
}

/* The roots are those of the linear factors. */
static inline void expect_roots(const gfp_roots *R, const gfp_factors *F)
{
    const size_t k = gfp_field_k(R->field);
    size_t linear = 0;
    for (size_t i = 0; i < F->count; i++) {
        uint64_t x[GFP_MAX_K];
        size_t j = 0;
        if (F->factor[i].poly.len > 2) {
            continue;
        }
        linear++;
        gfp_elem_neg(R->field, x, F->factor[i].poly.digits);
        while (j < R->count && !gfp_elem_equal(R->field, R->root + j * k, x)) {
            j++;
        }
        assert_true(j < R->count);
        assert_int_equal(R->multiplicity[j], F->factor[i].exponent);
    }
    assert_int_equal(R->count, linear);
    for (size_t i = 1; i < R->count; i++) {
        gfp_poly a, b;
        gfp_poly_init(&a, R->field);
        gfp_poly_init(&b, R->field);
        assert_int_equal(gfp_poly_set_coeff_u64(&a, 1, 1), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff_u64(&b, 1, 1), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff(&a, 0, R->root + (i - 1) * k), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff(&b, 0, R->root + i * k), GFP_OK);
        assert_true(is_before(&a, &b));
        gfp_poly_clear(&a);
        gfp_poly_clear(&b);
    }
}

#endif
