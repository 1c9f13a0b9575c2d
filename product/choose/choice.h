/* choice.h: the chooser: the cost of a problem by each row of the method table, and the available
 * row of least estimate.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_CHOOSE_CHOICE_H
#define GFP_PRODUCT_CHOOSE_CHOICE_H

#include "product/device/pool.h"
#include "product/methods/row.h"

/* A problem with its defaults filled in, and the options that matter: lengths, count and threads
 * are at least 1. A part of a product is the coefficients first <= i < end; operation is LOW, HIGH
 * or MIDDLE, or PRODUCT if these are all coefficients. */
typedef struct gfp_request {
    const gfp_field *field;
    const gfp_tuning *tuning;
    gfp_operation operation;
    size_t len_a, len_b, first, end, count, cap;
    size_t bits_a, bits_b;             /* as those of gfp_range */
    unsigned threads, device, members; /* members: GPUs from `device` on */
    bool resident, no_gpu;
    bool kept; /* of files: a dealer keeps the product, which hybrid computes in steps */
} gfp_request;

/* The problem of computing these coefficients of a product. */
gfp_problem gfp_range_problem(const gfp_range *range);
/* *q := the request of a problem. */
void gfp_request_fill(gfp_request *q, const gfp_problem *problem, const gfp_field *field,
                      const gfp_options *options);
static inline gfp_request gfp_request_make(const gfp_problem *problem, const gfp_field *field,
                                           const gfp_options *options)
{
    gfp_request q;
    gfp_request_fill(&q, problem, field, options);
    return q;
}
/* Whether a row has operands for products of this length; if not, puts the reason in why[0 ..
 * size). */
bool gfp_operand_serves(const gfp_method *method, const gfp_field *field, size_t length, char *why,
                        size_t size);
/* Adds the bits that a scan of the operands has found. */
void gfp_request_set_bits(gfp_request *q, const gfp_range *range);

/* The pick, and in *plan (unless NULL) its plan. NULL only for operands and files, since classical
 * needs no work space. The field remembers plans, but none of batches and files. */
const gfp_method *gfp_request_pick(gfp_plan *plan, const gfp_request *q);
/* *second := a row for verification that is not `used` (NULL: any row): the cheapest one of another
 * family, else the cheapest one. Errors: UNAVAILABLE, MEMORY (as gfp_request_refuse_slow). */
gfp_status gfp_request_second(const gfp_method **second, const gfp_request *q,
                              const gfp_method *used, gfp_error *error);
/* Whether the cap leaves to a product only this pick, which is many times slower than the pick
 * without a cap. Errors: MEMORY. */
gfp_status gfp_request_refuse_slow(const gfp_request *q, const gfp_method *picked,
                                   gfp_error *error);
/* Plans the request by a row that can serve, on as many threads as pay, or recalls that plan from
 * the field. False: no plan keeps to the cap (gfp_plan_refuse). */
bool gfp_request_plan(gfp_plan *plan, const gfp_request *q, const gfp_method *row);
/* The state of all devices that a row on devices needs: UNKNOWN if that of one is, and none is
 * MISSING. MISSING also for a row over several devices that deals no such requests. */
gfp_device_state gfp_request_state(const gfp_request *q, const gfp_method *row);
/* Whether a row can serve the request; if not, puts the reason in why[0 .. size). Opens the device
 * that the row needs. */
bool gfp_request_serves(const gfp_request *q, const gfp_method *row, char *why, size_t size);
/* The estimate by an available row; HUGE_VAL if the cap is too small. */
double gfp_request_time(const gfp_request *q, const gfp_method *row);
/* Bytes of work space that suffice for the row: about the least number above the cap. Rows that
 * work in blocks may use blocks. */
size_t gfp_request_least_bytes(const gfp_request *q, const gfp_method *row);
/* Whether the threads compute different products of a batch, where one product takes ns nanoseconds
 * on one thread; and the number of threads then. */
bool gfp_batch_shares(const gfp_method *method, double ns, size_t cap, size_t count,
                      unsigned threads);
unsigned gfp_batch_threads(double ns, size_t count, unsigned threads);
/* The time of the products of a batch that a thread takes at once. */
#define GFP_BATCH_CHUNK_NS 50000.0
/* The place of the pick's plan in the field's memory. */
size_t gfp_request_place(const gfp_request *q);
/* The number of threads, at most `threads`, that this row uses for a product of ns nanoseconds on
 * one thread: short products use fewer. */
unsigned gfp_method_useful_threads(const gfp_method *row, double ns, unsigned threads);

#endif
