/* batch.c: see batch.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/operand/batch.h"

#include "field/base/support.h"

bool gfp_operand_batch_serves(gfp_space *s, size_t terms)
{
    const gfp_operand zero = {.space = s};
    return s->engine->dot != NULL && s->engine->cache_bytes == 0 && s->points == 0 &&
           terms <= GFP_OPERAND_BATCH_TERMS && gfp_operand_room(&zero) >= terms;
}

void gfp_operand_batch_begin(gfp_operand_call *w, const gfp_space *s, uint64_t *work)
{
    w->base.options = &gfp_no_options;
    w->base.cap = w->base.left = SIZE_MAX;
    w->base.refused = 0;
    w->base.error.status = GFP_OK;
    w->s = s;
    w->threads = 1;
    w->method = s->method;
    w->task = w->quiet = NULL;
    w->work = work;
    w->rounding = gfp_rounding_begin();
}

void gfp_operand_batch_end(gfp_operand_call *w)
{
    gfp_rounding_end(w->rounding);
}
