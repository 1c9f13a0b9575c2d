/* lab.h: pairs of polynomials with quotients and common factors of chosen degrees.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_POLY_EUCLID_LAB_H
#define TESTS_POLY_EUCLID_LAB_H

#include "poly/division/lab.h"

/* a, b, and room for results. */
typedef struct euclid {
    gfp_poly a, b, g, u, v, x, y, z, M[4];
} euclid;

#define EUCLID 12
static inline void euclid_list(euclid *s, gfp_poly *list[EUCLID])
{
    gfp_poly *const all[EUCLID] = {&s->a, &s->b, &s->g,    &s->u,    &s->v,    &s->x,
                                   &s->y, &s->z, &s->M[0], &s->M[1], &s->M[2], &s->M[3]};
    for (size_t i = 0; i < EUCLID; i++) {
        list[i] = all[i];
    }
}

static inline void make_euclid(euclid *s, const gfp_field *field)
{
    gfp_poly *list[EUCLID];
    euclid_list(s, list);
    for (size_t i = 0; i < EUCLID; i++) {
        gfp_poly_init(list[i], field);
    }
}

static inline void clear_euclid(euclid *s)
{
    gfp_poly *list[EUCLID];
    euclid_list(s, list);
    for (size_t i = 0; i < EUCLID; i++) {
        gfp_poly_clear(list[i]);
    }
}

/* The degrees of quotients: ones, and now and then one of up to `most`. */
static inline size_t next_degree(gfp_random *g, size_t most)
{
    return gfp_random_below(g, 6) == 0 ? 1 + gfp_random_below(g, most) : 1;
}

/* (a, b) := consecutive remainders that end with a common factor of degree common, deg a about n,
 * with quotients of degrees up to `most`. */
static inline void make_pair(euclid *s, size_t n, size_t common, size_t most, gfp_random *g)
{
    random_poly(&s->a, common + 1, g);
    gfp_poly_zero(&s->b);
    while (s->a.len <= n) {
        random_poly(&s->x, next_degree(g, most) + 1, g);
        assert_int_equal(gfp_poly_mul(&s->y, &s->a, &s->x, NULL), GFP_OK);
        assert_int_equal(gfp_poly_add(&s->b, &s->b, &s->y), GFP_OK);
        gfp_poly_swap(&s->a, &s->b);
    }
}

#endif
