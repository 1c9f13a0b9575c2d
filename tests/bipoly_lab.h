/* bipoly_lab.h: bivariate polynomials for tests, and what they are compared with.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BIPOLY_LAB_H
#define BIPOLY_LAB_H

#include <stdlib.h>
#include <string.h>

#include "division_lab.h"

/* Operands, factors of them, results. */
typedef struct bivariate {
    const gfp_field *field;
    gfp_bipoly a, b, c, x, y, z;
    gfp_poly f, g, h;
    gfp_random random;
} bivariate;

static inline void make_bivariate(bivariate *s, const gfp_field *field, uint64_t seed)
{
    gfp_bipoly *const list[] = {&s->a, &s->b, &s->c, &s->x, &s->y, &s->z};
    s->field = field;
    for (size_t i = 0; i < 6; i++) {
        gfp_bipoly_init(list[i], field);
    }
    gfp_poly_init(&s->f, field);
    gfp_poly_init(&s->g, field);
    gfp_poly_init(&s->h, field);
    gfp_random_seed(&s->random, seed);
}

static inline void clear_bivariate(bivariate *s)
{
    gfp_bipoly *const list[] = {&s->a, &s->b, &s->c, &s->x, &s->y, &s->z};
    for (size_t i = 0; i < 6; i++) {
        gfp_bipoly_clear(list[i]);
    }
    gfp_poly_clear(&s->f);
    gfp_poly_clear(&s->g);
    gfp_poly_clear(&s->h);
}

/* a := a polynomial with these lengths in X and Y; 0 if one of them is 0. `total`: coefficients of
 * total degree from len_x on are 0, but for that of Y^(len_y - 1). */
static inline void fill(bivariate *s, gfp_bipoly *a, size_t len_x, size_t len_y, bool total)
{
    gfp_bipoly_zero(a);
    for (size_t j = len_x > 0 ? len_y : 0; j-- > 0;) {
        const size_t len = !total || j == 0 ? len_x : j < len_x ? len_x - j : 1;
        random_poly(&s->f, len, &s->random);
        assert_int_equal(gfp_bipoly_set_coeff(a, j, &s->f), GFP_OK);
    }
}

static inline void expect_same_bipoly(const gfp_bipoly *z, const gfp_bipoly *expected,
                                      const char *what, size_t n, size_t m)
{
    if (!gfp_bipoly_equal(z, expected)) {
        fail_msg("%s: %s, %zu and %zu: wrong", gfp_field_name(z->field), what, n, m);
    }
}

/* c := a b by the definition. */
static inline void slow_product(gfp_bipoly *c, const gfp_bipoly *a, const gfp_bipoly *b)
{
    const gfp_options classical = {.method = "classical"};
    gfp_bipoly sum;
    gfp_poly t;
    gfp_poly u;
    gfp_bipoly_init(&sum, a->field);
    gfp_poly_init(&t, a->field);
    gfp_poly_init(&u, a->field);
    for (size_t i = 0; i < a->len; i++) {
        for (size_t j = 0; j < b->len; j++) {
            assert_int_equal(gfp_poly_mul(&t, &a->coeff[i], &b->coeff[j], &classical), GFP_OK);
            assert_int_equal(gfp_bipoly_get_coeff(&u, &sum, i + j), GFP_OK);
            assert_int_equal(gfp_poly_add(&t, &t, &u), GFP_OK);
            assert_int_equal(gfp_bipoly_set_coeff(&sum, i + j, &t), GFP_OK);
        }
    }
    gfp_bipoly_swap(c, &sum);
    gfp_bipoly_clear(&sum);
    gfp_poly_clear(&t);
    gfp_poly_clear(&u);
}

#endif
