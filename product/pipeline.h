/* pipeline.h: the steps of every product: choose a method and its plan, start the task, compute,
 * fall back to the CPU if a GPU fails, verify, report. mul.c, batch.c and poly/files/mul.c supply
 * factors and results.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_PIPELINE_H
#define GFP_PRODUCT_PIPELINE_H

#include "product/choose/choice.h"
#include "product/methods/row.h"
#include "field/base/call.h"

typedef struct gfp_product gfp_product;
struct gfp_product {
    /* The call, which the caller begins and ends, and the request. */
    gfp_call base;
    const gfp_field *field;
    gfp_request request;
    bool nothing; /* the result is exact without computing: a factor is 0, or there are no
                     products */
    /* Runs p->plan for all factors. A reason that is not put in *error (may be NULL) is lost. */
    gfp_status (*compute)(gfp_product *p, gfp_error *error);
    /* Checks the results by options->verify, which is not NONE. */
    gfp_status (*verify)(gfp_product *p);
    /* The choice; a method that is set beforehand stays. */
    const gfp_method *method;
    gfp_plan plan;
    const gfp_method *second; /* computes the product again for verification; NULL: none does */
    /* The progress. */
    gfp_task *task; /* NULL: no progress is reported, and one thread computes */
    double from;    /* the fraction of the call at which computing begins */
};

/* Sets method, plan and second method: the method that options name, or the pick for the request.
 * Errors: UNKNOWN, UNAVAILABLE, SIZE, MEMORY (also if the cap leaves only methods that are many
 * times slower). */
gfp_status gfp_product_choose(gfp_product *p);
/* The least bytes that p->method needs for the request within the cap, or if it is NULL any method
 * of the CPU, *best; SIZE_MAX and NULL: none. */
size_t gfp_product_least_bytes(const gfp_product *p, const gfp_method **best);
/* explain.c: text := the plan that ran. */
void gfp_product_explain(const gfp_product *p, gfp_plan_text *text);
/* Computes, verifies, and fills the call's report. Errors: those of the method; VERIFY;
 * CANCELLED. */
gfp_status gfp_product_run(gfp_product *p);

#endif
