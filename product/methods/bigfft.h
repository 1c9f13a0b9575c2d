/* bigfft.h: products by transforms over Z/pZ.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_METHODS_BIGFFT_H
#define GFP_PRODUCT_METHODS_BIGFFT_H

#include "product/methods/plan.h"
#include "field/base/task.h"

/* The transform length that a product needs; 0 if size_t cannot hold it. */
size_t gfp_bigfft_length(size_t len_a, size_t len_b);
bool gfp_bigfft_available(const gfp_field *field, size_t len_a, size_t len_b, char *why,
                          size_t size);
bool gfp_bigfft_plan(gfp_plan *plan);
gfp_status gfp_bigfft_prepare(gfp_plan *plan, gfp_task *task, gfp_error *error);
void gfp_bigfft_finish(gfp_plan *plan);
void gfp_bigfft_describe(const gfp_plan *plan, gfp_text *text);
gfp_status gfp_bigfft_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c, uint64_t *work,
                          gfp_task *task, gfp_error *error);

#endif
