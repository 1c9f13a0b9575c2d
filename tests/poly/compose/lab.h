/* lab.h: compositions by Horner's rule, the twins of those of the library.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_POLY_COMPOSE_LAB_H
#define TESTS_POLY_COMPOSE_LAB_H

#include "poly/division/lab.h"

/* x := f(g), modulo h where h is not NULL. */
static inline void slow_compose(gfp_poly *x, const gfp_poly *f, const gfp_poly *g,
                                const gfp_poly *h)
{
    gfp_poly y, c;
    uint64_t digits[GFP_MAX_K];
    gfp_poly_init(&y, g->field);
    gfp_poly_init(&c, g->field);
    for (size_t i = f->len; i-- > 0;) {
        assert_int_equal(gfp_poly_mul(&y, &y, g, NULL), GFP_OK);
        gfp_poly_zero(&c);
        gfp_poly_get_coeff(digits, f, i);
        assert_int_equal(gfp_poly_set_coeff(&c, 0, digits), GFP_OK);
        assert_int_equal(gfp_poly_add(&y, &y, &c), GFP_OK);
        if (h != NULL) {
            assert_int_equal(gfp_poly_rem(&y, &y, h, NULL), GFP_OK);
        }
    }
    assert_int_equal(gfp_poly_set(x, &y), GFP_OK);
    gfp_poly_clear(&y);
    gfp_poly_clear(&c);
}

#endif
