/* polynomials.h: bivariate polynomials over Z from and to texts in memory, comparisons.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_TESTS_MODULAR_POLYNOMIALS_H
#define GFP_TESTS_MODULAR_POLYNOMIALS_H

#include <stdio.h>
#include <string.h>

#include "gfpoly/zbipoly.h"
#include "modular/lab.h"

/* a := the polynomial of the text. */
static inline void lab_bivariate_read(gfp_zbipoly *a, const char *text)
{
    FILE *stream = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(stream);
    assert_int_equal(gfp_zbipoly_fread(a, stream, NULL), GFP_OK);
    assert_int_equal(fclose(stream), 0);
}

static inline bool lab_bivariate_equal(const gfp_zbipoly *a, const gfp_zbipoly *b)
{
    bool equal = a->len == b->len;
    for (size_t j = 0; equal && j < a->len; j++) {
        equal = gfp_zvec_equal(&a->coeff[j], &b->coeff[j]);
    }
    return equal;
}

#endif
