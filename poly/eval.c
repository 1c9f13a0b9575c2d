/* eval.c: evaluation of a polynomial at an element, by Horner's rule; the constant term at 0, a sum
 * at 1. Verification evaluates at single digits instead, which is far cheaper
 * (product/verify/claim.c).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/poly.h"

void gfp_poly_eval(uint64_t *y, const gfp_poly *a, const uint64_t *x)
{
    const gfp_field *field = a->field;
    size_t k = gfp_field_k(field);
    uint64_t sum[GFP_MAX_K]; /* y may be x */
    const bool zero = gfp_elem_is_zero(field, x), one = gfp_elem_is_one(field, x);
    gfp_elem_zero(field, sum);
    for (size_t i = zero && a->len > 0 ? 1 : a->len; i-- > 0;) {
        if (!one) {
            gfp_elem_mul(field, sum, sum, x);
        }
        gfp_elem_add(field, sum, sum, a->digits + i * k);
    }
    gfp_elem_set(field, y, sum);
}
