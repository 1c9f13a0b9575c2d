/* batch.h: calls on many short operands of one space. What every call of create.c does
 * anew (options, work area, report) is done once for a worker, and the workers of a parallel loop
 * compute side by side: these calls allocate nothing.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_OPERAND_BATCH_H
#define GFP_PRODUCT_OPERAND_BATCH_H

#include "product/methods/engine.h"

/* Whether workers can compute sums of this many products in this space: its engine has such sums,
 * allocates nothing for them, and needs no conversion. */
bool gfp_operand_batch_serves(gfp_space *s, size_t terms);
/* The most products of a sum. */
#define GFP_OPERAND_BATCH_TERMS 4

/* A worker, in its own thread, begins and ends; in between it computes steps: transforms, and sums
 * of at most GFP_OPERAND_BATCH_TERMS products of operands fresh from coefficients. work has
 * gfp_operand_work_words(s, true, 1) words, aligned to 64 bytes. */
void gfp_operand_batch_begin(gfp_operand_call *w, const gfp_space *s, uint64_t *work);
void gfp_operand_batch_end(gfp_operand_call *w);

#endif
