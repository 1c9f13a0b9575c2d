/* chooser.h: the chooser: what a problem costs by each row of the method table, and the available
 * row of least estimate.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CHOOSER_H
#define GFP_CHOOSER_H

#include "methods.h"

/* A problem with all that it leaves open, and what the options say of it: lengths, count and
 * threads at least 1. Parts of products are the coefficients first <= i < end: LOW, HIGH or MIDDLE
 * by where these lie, PRODUCT where they are all. */
typedef struct gfp_request {
    const gfp_field *field;
    const gfp_tuning *tuning;
    gfp_operation operation;
    size_t len_a, len_b, first, end, count, cap;
    unsigned threads, device;
    bool resident, no_gpu;
} gfp_request;

/* What is asked for where these coefficients of a product are wanted. */
gfp_problem gfp_range_problem(const gfp_range *range);
gfp_request gfp_request_make(const gfp_problem *problem, const gfp_field *field,
                             const gfp_options *options);

/* The pick, and where plan is not NULL its plan. NULL only for operands and files, since classical
 * needs no work space. The field remembers some picks: of all but batches and files. */
const gfp_method *gfp_request_pick(gfp_plan *plan, const gfp_request *q);
/* The available row of least estimate whose family is not other_than_family and which is not
 * other_than (either may be NULL: no such condition); NULL when there is none. */
const gfp_method *gfp_request_cheapest(const gfp_request *q, const char *other_than_family,
                                       const gfp_method *other_than);
/* The plan by a row that can serve, on as many threads as pay. False: there is none within the cap
 * (gfp_plan_refuse). */
bool gfp_request_plan(gfp_plan *plan, const gfp_request *q, const gfp_method *row);
/* The estimate by an available row; HUGE_VAL: the cap does not suffice. */
double gfp_request_time(const gfp_request *q, const gfp_method *row);
/* Bytes of work space that suffice by the row, about the least of those above the cap: in blocks
 * where the row works in blocks. */
size_t gfp_request_least_bytes(const gfp_request *q, const gfp_method *row);
/* The place of the field's notes where the pick stands. */
size_t gfp_request_place(const gfp_request *q);
/* The threads, at most `threads`, that this row uses for a product of ns nanoseconds on one: short
 * products use fewer. */
unsigned gfp_method_useful_threads(const gfp_method *row, double ns, unsigned threads);

#endif
