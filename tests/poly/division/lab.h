/* lab.h: polynomials for divisions, and arithmetic modulo f: f, a modulus, a multiplier
 * and an argument of compositions of it.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_POLY_DIVISION_LAB_H
#define TESTS_POLY_DIVISION_LAB_H

#include "gfpoly.h"
#include "lab/fixtures.h"
#include "poly/modulus/multiplier.h"

/* f of degree n, a and b below it, `twice` of 2 n coefficients, `several` of 6 n, and `multiple`,
 * a multiple of f; y and z are results. */
typedef struct parts {
    gfp_poly f, a, b, twice, several, multiple, x, y, z;
    gfp_modulus *M;
    gfp_compose_argument *A; /* b */
    size_t n;
} parts;

#define PARTS 9
static inline void parts_list(parts *s, gfp_poly *list[PARTS])
{
    gfp_poly *const all[PARTS] = {&s->f,        &s->a, &s->b, &s->twice, &s->several,
                                  &s->multiple, &s->x, &s->y, &s->z};
    for (size_t i = 0; i < PARTS; i++) {
        list[i] = all[i];
    }
}

static inline void random_poly(gfp_poly *a, size_t len, gfp_random *g)
{
    uint64_t one[GFP_MAX_K];
    assert_int_equal(gfp_poly_random(a, len, g), GFP_OK);
    if (len > 0 && a->len < len) {
        gfp_elem_one(a->field, one);
        assert_int_equal(gfp_poly_set_coeff(a, len - 1, one), GFP_OK);
    }
}

/* Without modulus, multiplier and argument. */
static inline void make_parts(parts *s, const gfp_field *field, size_t n, uint64_t seed)
{
    gfp_random g;
    gfp_poly *list[PARTS];
    gfp_random_seed(&g, seed);
    parts_list(s, list);
    for (size_t i = 0; i < PARTS; i++) {
        gfp_poly_init(list[i], field);
    }
    s->n = n;
    s->M = NULL;
    s->A = NULL;
    random_poly(&s->f, n + 1, &g);
    random_poly(&s->a, n, &g);
    random_poly(&s->b, n, &g);
    random_poly(&s->twice, 2 * n, &g);
    random_poly(&s->several, 6 * n, &g);
    assert_int_equal(gfp_poly_mul(&s->multiple, &s->f, &s->a, NULL), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff_u64(&s->x, 1, 1), GFP_OK);
}

static inline void make_argument(parts *s, size_t uses, const gfp_options *options)
{
    assert_int_equal(gfp_compose_argument_create(&s->A, &s->b, s->M, uses, options), GFP_OK);
}

static inline void make_modulus(parts *s, const gfp_options *options)
{
    assert_int_equal(gfp_modulus_create(&s->M, &s->f, options), GFP_OK);
}

static inline void clear_parts(parts *s)
{
    gfp_poly *list[PARTS];
    parts_list(s, list);
    gfp_compose_argument_destroy(s->A);
    gfp_modulus_destroy(s->M);
    for (size_t i = 0; i < PARTS; i++) {
        gfp_poly_clear(list[i]);
    }
}

/* Outputs that a call must leave alone are 5 X^3 before. */
static inline void lab_mark(gfp_poly *z)
{
    gfp_poly_zero(z);
    assert_int_equal(gfp_poly_set_coeff_u64(z, 3, 5), GFP_OK);
}

static inline bool is_marked(const gfp_poly *z)
{
    uint64_t five[GFP_MAX_K];
    const size_t k = gfp_field_k(z->field);
    bool same = z->len == 4;
    for (size_t i = 0; same && i < 3; i++) {
        same = gfp_elem_is_zero(z->field, z->digits + i * k);
    }
    gfp_elem_set_u64(z->field, five, 5);
    return same && gfp_elem_equal(z->field, z->digits + 3 * k, five);
}

static inline void expect_same(const gfp_poly *z, const gfp_poly *expected, const char *what,
                               size_t n, size_t m)
{
    if (!gfp_poly_equal(z, expected)) {
        fail_msg("%s: %s, %zu and %zu: wrong", gfp_field_name(z->field), what, n, m);
    }
}

#endif
