/* karatsuba.h: products by Karatsuba's method.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_METHODS_KARATSUBA_H
#define GFP_PRODUCT_METHODS_KARATSUBA_H

#include "product/methods/plan.h"
#include "field/base/task.h"

bool gfp_karatsuba_plan(gfp_plan *plan);
gfp_status gfp_karatsuba_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                             uint64_t *work, gfp_task *task, gfp_error *error);

#endif
