/* lean.h: the hybrid product in little memory.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_HYBRID_LEAN_H
#define GFP_CRT_HYBRID_LEAN_H

#include "crt/methods.h"

struct gfp_hybrid_product;

/* For the whole product by one thread: replaces the usual plan of p by one whose work area has at
 * most cap bytes, and fills the needs. Returns false if no plan is that small; then the needs are
 * unchanged, and p's plan is undefined. */
bool gfp_hybrid_lean_plan(struct gfp_hybrid_product *p, gfp_needs *needs, const gfp_range *r,
                          size_t cap);
/* Runs the plan; see gfp_hybrid_product_run. */
gfp_status gfp_hybrid_lean_run(const struct gfp_hybrid_product *p, const gfp_range *r, uint64_t *c,
                               uint64_t *work, gfp_task *task);

#endif
