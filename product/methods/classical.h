/* classical.h: products by the definition.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_METHODS_CLASSICAL_H
#define GFP_PRODUCT_METHODS_CLASSICAL_H

#include "product/methods/plan.h"
#include "field/base/task.h"

/* gfp_classical_low computes the first n coefficients of a b, 1 <= n <= len_a + len_b - 1;
 * gfp_classical_units is the number of products of coefficients that this takes: the units that it
 * adds to its task. False: cancelled. */
double gfp_classical_units(size_t len_a, size_t len_b, size_t n);
bool gfp_classical_low(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                       const uint64_t *b, size_t len_b, size_t n, gfp_task *task);
/* Coefficients first <= i < end of a b, as the range says. */
bool gfp_classical_range(const gfp_range *range, uint64_t *c, gfp_task *task);
bool gfp_classical_plan(gfp_plan *plan);
gfp_status gfp_classical_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                             uint64_t *work, gfp_task *task, gfp_error *error);

#endif
