/* methods.h: the table of methods, and products of ranges by one of them. A method works on digit
 * arrays; adding one is adding a row to methods.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_METHODS_H
#define GFP_METHODS_H

#include "costs.h"
#include "gfpoly/gpu_product.h"
#include "gfpoly/methods.h"
#include "gfpoly/product.h"
#include "plan.h"
#include "task.h"

typedef struct gfp_operand_engine gfp_operand_engine;

/* One way to compute a product of len_a by len_b coefficients, both lengths >= 1. Rows are
 * constant. */
typedef struct gfp_method gfp_method;
struct gfp_method {
    const char *name;
    /* Methods of different families share no algorithm: one checks the other. */
    const char *family;
    /* The law of its time for two factors of length 2^m. */
    gfp_growth *growth;
    /* Whether it can serve (gfp_method_serves asks for the device as well); if not, says why in
     * why[0 .. size). */
    bool (*available)(const gfp_field *field, size_t len_a, size_t len_b, char *why, size_t size);
    /* The length of two equally long factors that take as long, and how many such products the
     * problem takes. HUGE_VAL in *len: no such length. */
    double (*balanced)(size_t len_a, size_t len_b, double *len);
    /* log2 of the nanoseconds of a product of two factors of length 2^m on one thread, where
     * nothing was measured here. */
    double (*log2_cost)(const gfp_method *row, const gfp_field *field, double m);
    /* Fills plan->needs and plan->state for plan->range on plan->limits.threads; a row that can
     * make do with little memory keeps to plan->limits.cap on one thread. False: the lengths are
     * too long. */
    bool (*plan)(gfp_plan *plan);
    /* Makes what run needs in addition to the work area, once for any number of runs. It may change
     * the needs, but not those of a plan that streams. On an error nothing is left. finish: gives
     * it back. NULL: nothing to do. */
    gfp_status (*prepare)(gfp_plan *plan, gfp_task *task, gfp_error *error);
    void (*finish)(gfp_plan *plan);
    /* c := coefficients needs.first <= i < needs.end of the product; range: the plan's lengths, and
     * the coefficients. c and work overlap nothing; a may equal b. Called only where the row
     * serves. It spans one part of task (may be NULL), and uses the task's threads, limits.threads
     * at most. On CANCELLED c is undefined; on another error c is unchanged (whatever can fail
     * comes before the first coefficient), and *error (may be NULL) filled. */
    gfp_status (*run)(const gfp_plan *plan, const gfp_range *range, uint64_t *c, uint64_t *work,
                      gfp_task *task, gfp_error *error);
    /* The products of a batch in one call, where that is the row's way; NULL: one after the other,
     * or side by side. c, a, b: as gfp_vec_mul_batch. */
    gfp_status (*run_batch)(const gfp_plan *plan, const gfp_batch *batch, uint64_t *c,
                            const uint64_t *a, const uint64_t *b, gfp_task *task, gfp_error *error);
    /* On one thread run allocates nothing but at its first call for these lengths, so that threads
     * may compute products side by side. */
    bool side_by_side;
    /* By measurement: the part of its time that threads share; 0: it knows one thread only. */
    double shared;
    /* The time of a square, by the time of a product. */
    double square;
    /* Its transforms that stay (operand_engine.h); NULL: it has none. */
    const gfp_operand_engine *operands;
    /* Raised with every change that makes older measurements of its time wrong. */
    unsigned revision;
    /* AUTO: on the CPU. Else on a CUDA device (gpu_methods.h); then an error may leave c undefined.
     */
    gfp_gpu_method device;
};

static inline bool gfp_method_on_device(const gfp_method *row)
{
    return row->device != GFP_GPU_METHOD_AUTO;
}

/* NULL for index >= gfp_method_count. */
const gfp_method *gfp_method_row(size_t index);
/* Its index; at least gfp_method_count for a row that is not in the table. */
size_t gfp_method_index(const gfp_method *row);
/* For tests, in one thread: a row of their own at the end of the table, which has room for a few;
 * and without it again, the last one first. Fields that were used in between remember picks. */
void gfp_method_add(const gfp_method *row);
void gfp_method_remove(const gfp_method *row);
/* NULL when no row is called so. */
const gfp_method *gfp_method_find(const char *name);
/* The nanoseconds of a product by the row of this index on one thread, from the tuning (may be
 * NULL) or the compiled-in costs. */
double gfp_method_estimate(const gfp_tuning *tuning, size_t index, const gfp_field *field,
                           size_t len_a, size_t len_b);
/* Whether the tuning has times for that. */
bool gfp_method_is_measured(const gfp_tuning *tuning, size_t index, const gfp_field *field);

/* Whether a row can serve, on this device where it needs one: it may be asked for, which takes a
 * while once; if not, says why in why[0 .. size). */
bool gfp_method_serves(const gfp_method *method, const gfp_field *field, size_t len_a, size_t len_b,
                       unsigned device, char *why, size_t size);
/* Fills the error of a range for which there is no plan; returns its status. */
gfp_status gfp_plan_refuse(const gfp_plan *plan, gfp_error *error);
/* Computes a range by this row within cap bytes of work space (0: any number): plans and runs.
 * Requirements and errors as for gfp_plan_run, and UNAVAILABLE. */
gfp_status gfp_range_run(const gfp_method *method, const gfp_range *range, uint64_t *c, size_t cap,
                         gfp_task *task, gfp_error *error);

/* Bytes of one element. */
static inline size_t gfp_element_bytes(const gfp_field *field)
{
    return gfp_field_k(field) * sizeof(uint64_t);
}

#endif
