/* elem.h: calls on elements that are not public.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_ELEM_H
#define GFP_FIELD_ELEM_H

#include "gfpoly/elem.h"

GFP_BEGIN_DECLS

/* Whether x is the canonical form of an element. x may be any k words. */
bool gfp_elem_is_canonical(const gfp_field *field, const uint64_t *x);
/* z := x r^s, any s (reduced mod 2k): a negacyclic shift of digits (ISSAC 2017, 3.4). Cost:
 * O(k). */
void gfp_elem_mul_r(const gfp_field *field, uint64_t *z, const uint64_t *x, unsigned s);
/* z_i := x_i r^s, any s (reduced mod 2k). */
void gfp_vec_mul_r(const gfp_field *field, uint64_t *z, const uint64_t *x, unsigned s, size_t n);
/* z := the given k digits. Errors: RANGE if the digits are not canonical. */
GFP_MUST_CHECK gfp_status gfp_elem_set_digits(const gfp_field *field, uint64_t *z,
                                              const uint64_t *digits);

/* z_i := 1 / x_i for i < n. z may equal x. Errors: NOT_INVERTIBLE (error->index names the first
 * zero), MEMORY; z is unchanged then. Cost: one gfp_elem_inv and 3 (n - 1) products by gfp_vec_mul;
 * it allocates up to n + 64 elements. */
GFP_MUST_CHECK gfp_status gfp_vec_inv(const gfp_field *field, uint64_t *z, const uint64_t *x,
                                      size_t n, gfp_error *error);

GFP_END_DECLS
#endif
