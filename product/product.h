/* product.h: the way of every product: choose a method and its plan, watch, compute, fall back to
 * the CPU where a GPU fails, verify, report. mul.c, batch.c and file_mul.c bring factors and
 * results to it.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_H
#define GFP_PRODUCT_H

#include "chooser.h"
#include "methods.h"
#include "options.h"

typedef struct gfp_product gfp_product;
struct gfp_product {
    /* What is asked for. */
    const gfp_field *field;
    const gfp_options *options;
    gfp_request request;
    bool nothing; /* the result is exact without computing: a factor is 0, or there are no products
                   */
    /* Runs p->plan for all factors; what is not said in *error (may be NULL) nobody learns. */
    gfp_status (*compute)(gfp_product *p, gfp_error *error);
    /* Checks the results, by options->verify, which is not NONE. */
    gfp_status (*verify)(gfp_product *p);
    /* What was chosen; a method that is set beforehand stays. */
    const gfp_method *method;
    gfp_plan plan;
    /* How it goes. */
    gfp_task *task; /* NULL: nobody watches, and there is one thread */
    gfp_task storage;
    double from; /* the fraction of the call at which computing begins */
    gfp_report report;
};

/* Sets method and plan: of the method that the options name, or of the pick for the request.
 * Errors: UNKNOWN, UNAVAILABLE, SIZE; MEMORY, also where the cap leaves the pick only what takes
 * ages. */
gfp_status gfp_product_choose(gfp_product *p);
/* Computes, verifies, and fills options->report on OK and VERIFY. Errors: those of the method;
 * VERIFY; CANCELLED. */
gfp_status gfp_product_run(gfp_product *p);
/* The account of a call that somebody watches, or that has several threads; else NULL: none. */
gfp_task *gfp_product_watch(gfp_task *task, const gfp_options *options, unsigned threads);
/* Fills the error of a call that ends with CANCELLED; returns the status. */
gfp_status gfp_say_cancelled(gfp_status status, gfp_error *error);

/* How much of a call the product is, the rest being its verification: for fractions of progress
 * only. */
double gfp_product_share(gfp_verify verify);

#endif
