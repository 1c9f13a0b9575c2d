/* lab.h: operands of polynomials made in one call, in a new space or in another operand's
 * space.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_PRODUCT_OPERAND_LAB_H
#define TESTS_PRODUCT_OPERAND_LAB_H

#include "gfpoly/operand.h"
#include "gfpoly/poly.h"
#include "product/methods/engine.h"

/* *x := a (NULL: 0) in this space. */
static inline gfp_status operand_in(gfp_operand **x, gfp_space *s, const gfp_poly *a,
                                    const gfp_options *options)
{
    gfp_operand *made = NULL;
    gfp_status status = gfp_operand_create(&made, s);
    if (status == GFP_OK && a != NULL) {
        status = gfp_poly_to_operand(made, a, options);
    }
    if (status == GFP_OK) {
        *x = made;
    } else {
        gfp_operand_destroy(made);
    }
    return status;
}

/* The same in a new space over the field of a; only the operand keeps the space. The report also
 * gives the reason why the space is not on a GPU. */
static inline gfp_status operand_of(gfp_operand **x, const gfp_poly *a, gfp_space_spec spec,
                                    const gfp_options *options)
{
    gfp_space *s = NULL;
    gfp_report report = {.gpu_method = NULL};
    gfp_options apart = options != NULL ? *options : (gfp_options){.method = NULL};
    gfp_report *to = apart.report;
    apart.report = &report;
    gfp_status status = gfp_space_create(&s, a->field, &spec, &apart);
    if (status == GFP_OK) {
        apart.report = to;
        status = operand_in(x, s, a, &apart);
    }
    if (status == GFP_OK && to != NULL && report.gpu_method != NULL) {
        to->gpu_method = report.gpu_method;
        to->gpu_error = report.gpu_error;
    }
    gfp_space_destroy(s);
    return status;
}

/* The same in the space of another operand. */
static inline gfp_status operand_like(gfp_operand **x, const gfp_operand *like, const gfp_poly *a,
                                      const gfp_options *options)
{
    return operand_in(x, gfp_operand_space(like), a, options);
}

/* c := a b, through another operand. */
static inline gfp_status operand_times(gfp_operand *c, const gfp_poly *a, const gfp_operand *b,
                                       const gfp_options *options)
{
    gfp_operand *x = NULL;
    gfp_status status = operand_like(&x, b, a, options);
    if (status == GFP_OK) {
        status = gfp_operand_arith(c, x, b, GFP_OPERAND_MUL);
    }
    gfp_operand_destroy(x);
    return status;
}

#endif
