/* lab.h: points, polynomials and values for products from roots, trees and progressions, and
 * these operations as rows of a table.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_POLY_POINTS_LAB_H
#define TESTS_POLY_POINTS_LAB_H

#include <stdlib.h>
#include <string.h>

#include "poly/division/lab.h"

/* n points, f of n terms, its values there, a longer polynomial; a progression; results: z, and y
 * of n elements. */
typedef struct orchard {
    const gfp_field *field;
    size_t n, k;
    uint64_t *points, *values, *y;
    uint64_t start[GFP_MAX_K], ratio[GFP_MAX_K];
    uint64_t *progression; /* values of f there */
    gfp_poly f, longer, z;
    gfp_tree *T;
} orchard;

static inline uint64_t *new_vector(const gfp_field *field, size_t n)
{
    uint64_t *x = malloc((n + 1) * gfp_field_k(field) * sizeof *x);
    assert_non_null(x);
    return x;
}

/* values := f(points) by Horner's rule. */
static inline void slow_values(uint64_t *values, const gfp_poly *f, const uint64_t *points,
                               size_t n)
{
    const size_t k = gfp_field_k(f->field);
    for (size_t i = 0; i < n; i++) {
        gfp_poly_eval(values + i * k, f, points + i * k);
    }
}

/* z := start ratio^i. */
static inline void slow_progression(const gfp_field *field, uint64_t *z, const uint64_t *start,
                                    const uint64_t *ratio, size_t n)
{
    const size_t k = gfp_field_k(field);
    for (size_t i = 0; i < n; i++) {
        if (i == 0) {
            gfp_elem_set(field, z, start);
        } else {
            gfp_elem_mul(field, z + i * k, z + (i - 1) * k, ratio);
        }
    }
}

/* z := the product of X - x_i, factor by factor. */
static inline void slow_roots(gfp_poly *z, const uint64_t *points, size_t n)
{
    const gfp_field *field = z->field;
    uint64_t minus[GFP_MAX_K];
    gfp_poly factor;
    gfp_poly_init(&factor, field);
    assert_int_equal(gfp_poly_one(z), GFP_OK);
    for (size_t i = 0; i < n; i++) {
        gfp_elem_neg(field, minus, points + i * gfp_field_k(field));
        assert_int_equal(gfp_poly_set_coeff_u64(&factor, 1, 1), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff(&factor, 0, minus), GFP_OK);
        assert_int_equal(gfp_poly_mul(z, z, &factor, &(gfp_options){.method = "classical"}),
                         GFP_OK);
    }
    gfp_poly_clear(&factor);
}

/* Whether the field has at least n elements. */
static inline bool has_points(const gfp_field *field, size_t n)
{
    return gfp_field_bits(field) > 40 || gfp_field_modulus_limbs(field)[0] >= n;
}

/* The points are different, if the field has so many; `equal`: some points occur several times. */
static inline void make_orchard(orchard *s, const gfp_field *field, size_t n, bool equal,
                                uint64_t seed)
{
    gfp_random g;
    gfp_random_seed(&g, seed);
    *s = (orchard){.field = field, .n = n, .k = gfp_field_k(field)};
    s->points = new_vector(field, n);
    s->values = new_vector(field, n);
    s->y = new_vector(field, n);
    s->progression = new_vector(field, n);
    gfp_vec_random(field, s->points, n, &g);
    for (size_t i = 0; gfp_field_bits(field) <= 40 && i < n; i++) {
        gfp_elem_set_u64(field, s->points + i * s->k, 7 * i + seed);
    }
    for (size_t i = 2; equal && i < n; i += 3) {
        gfp_elem_set(field, s->points + i * s->k, s->points + (i % 2) * s->k);
    }
    gfp_poly_init(&s->f, field);
    gfp_poly_init(&s->longer, field);
    gfp_poly_init(&s->z, field);
    random_poly(&s->f, n, &g);
    random_poly(&s->longer, 2 * n + 5, &g);
    slow_values(s->values, &s->f, s->points, n);
    gfp_elem_set_u64(field, s->start, 2);
    gfp_elem_set_u64(field, s->ratio, 3);
    slow_progression(field, s->y, s->start, s->ratio, n);
    slow_values(s->progression, &s->f, s->y, n);
}

static inline void clear_orchard(orchard *s)
{
    gfp_tree_destroy(s->T);
    free(s->points);
    free(s->values);
    free(s->y);
    free(s->progression);
    gfp_poly_clear(&s->f);
    gfp_poly_clear(&s->longer);
    gfp_poly_clear(&s->z);
}

static inline void expect_values(const orchard *s, const uint64_t *values, const char *what)
{
    for (size_t i = 0; i < s->n; i++) {
        if (!gfp_elem_equal(s->field, s->y + i * s->k, values + i * s->k)) {
            fail_msg("%s: %s at %zu points: number %zu is wrong", gfp_field_name(s->field), what,
                     s->n, i);
        }
    }
}

#endif
