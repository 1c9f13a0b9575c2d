/* row.h: the table of methods, and products of ranges by one of them. A method works on arrays
 * of digits; a new method is a new row in product/rows.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_METHODS_ROW_H
#define GFP_PRODUCT_METHODS_ROW_H

#include "crt/ring.h"
#include "product/methods/costs.h"
#include "gfpoly/gpu_product.h"
#include "gfpoly/methods.h"
#include "gfpoly/product.h"
#include "product/methods/plan.h"
#include "field/base/support.h"
#include "field/base/task.h"

/* The most points at which values verify a result. */
#define GFP_VERIFY_MAX_POINTS 4

/* One way to compute a product of len_a by len_b coefficients, both lengths >= 1. Rows are
 * constant. */
typedef struct gfp_method gfp_method;
struct gfp_method {
    const char *name;
    /* Methods of different families share no algorithm: one can check the other. */
    const char *family;
    /* What the method is for readers of tables: gfp_method_info has it. NULL: the name says it. */
    const char *algorithm;
    /* How its time grows for two factors of length 2^m. */
    gfp_growth *growth;
    /* Whether the method can serve (gfp_method_serves also asks the device); if not, puts the
     * reason in why[0 .. size). */
    bool (*available)(const gfp_field *field, size_t len_a, size_t len_b, char *why, size_t size);
    /* Expresses the problem by products of two factors of equal length: their length in *len, their
     * number returned. *len = HUGE_VAL: no such length. */
    double (*balanced)(size_t len_a, size_t len_b, double *len);
    /* log2 of the nanoseconds of a product of two factors of length 2^m on one thread, for machines
     * without measured times. */
    double (*log2_cost)(const gfp_method *row, const gfp_field *field, double m);
    /* The nanoseconds for a range with known bits (bits_a and bits_b are not 0). NULL: the time
     * does not depend on the coefficients. */
    double (*short_ns)(const gfp_range *range);
    /* Fills plan->needs and plan->state for plan->range on plan->limits.threads; state_bytes is set
     * to all of the state, and the row may lower it. Nothing else outlasts the call: the field
     * remembers plans, and run does not plan again. A row that can work in less memory keeps to
     * plan->limits.cap on one thread. False: the lengths are too long. */
    bool (*plan)(gfp_plan *plan);
    /* Makes the tables that run needs in addition to the work area, once for any number of runs.
     * May change the needs. Leaves nothing on an error. finish frees the tables. NULL: no
     * tables. */
    gfp_status (*prepare)(gfp_plan *plan, gfp_task *task, gfp_error *error);
    void (*finish)(gfp_plan *plan);
    /* c := coefficients needs.first <= i < needs.end of the product. range: factors of the plan's
     * lengths. c and work overlap nothing; a may equal b. Called only if the row serves. Spans one
     * part of task (may be NULL) and uses the task's threads, at most limits.threads. On CANCELLED
     * c is undefined; on another error c is unchanged (every step that can fail comes before the
     * first coefficient) and *error (may be NULL) is filled. */
    gfp_status (*run)(const gfp_plan *plan, const gfp_range *range, uint64_t *c, uint64_t *work,
                      gfp_task *task, gfp_error *error);
    /* All products of a batch in one call. NULL: the products are computed one after the other, or
     * side by side. c, a, b: as gfp_vec_mul_batch. */
    gfp_status (*run_batch)(const gfp_plan *plan, const gfp_batch *batch, uint64_t *c,
                            const uint64_t *a, const uint64_t *b, gfp_task *task, gfp_error *error);
    /* Adds lines on the state of a plan that ran. NULL: there is nothing to tell. */
    void (*describe)(const gfp_plan *plan, gfp_text *text);
    /* On one thread only the first run for these lengths allocates memory, so threads may compute
     * products side by side. */
    bool side_by_side;
    /* Measured: the share of its time that threads divide; 0: the method uses one thread. */
    double shared;
    /* Measured: the time of a square over the time of a product. */
    double square;
    /* The engine of its operands; NULL: none. */
    const gfp_ring_engine *operands;
    /* Increases with every change that makes older measurements of its time wrong. */
    unsigned revision;
    /* AUTO: the method runs on the CPU. Otherwise it runs on a CUDA device
     * (product/device/methods.h), and an error may leave c undefined. */
    gfp_gpu_method device;
    /* The same method on one device, whose times tell those of this row: this row deals its work
     * over limits.devices devices. NULL: the row uses at most one device. */
    const gfp_method *one_device;
};

static inline bool gfp_method_on_device(const gfp_method *row)
{
    return row->device != GFP_GPU_METHOD_AUTO;
}

/* NULL for index >= gfp_method_count(). */
const gfp_method *gfp_method_row(size_t index);
/* The row's index; at least gfp_method_count() for a row that is not in the table. */
size_t gfp_method_index(const gfp_method *row);
/* For tests, in one thread. add puts a row at the end of the table, which has room for a few;
 * remove takes the last one out. Fields used in between remember plans by the row. */
void gfp_method_add(const gfp_method *row);
void gfp_method_remove(const gfp_method *row);
/* NULL if no row has this name. */
const gfp_method *gfp_method_find(const char *name);
/* UNKNOWN, with a message that lists the names. */
gfp_status gfp_method_unknown(const char *name, gfp_error *error);
/* The nanoseconds of a product on one thread by the row with this index, from the tuning (may be
 * NULL) or the compiled-in costs. */
double gfp_method_estimate(const gfp_tuning *tuning, size_t index, const gfp_field *field,
                           size_t len_a, size_t len_b);
/* Whether the tuning has times of the row that count for the field. */
bool gfp_method_is_measured(const gfp_tuning *tuning, size_t index, const gfp_field *field);

/* Whether a row can serve, on this device if it needs one, or on `members` devices from this one on
 * if it deals its work; opens devices whose state is unknown. If not, puts the reason in why[0 ..
 * size). */
bool gfp_method_serves(const gfp_method *method, const gfp_field *field, size_t len_a, size_t len_b,
                       unsigned device, unsigned members, char *why, size_t size);
/* Fills the error of a range that has no plan; returns its status. */
gfp_status gfp_plan_refuse(const gfp_plan *plan, gfp_error *error);
/* Computes a range by this row within cap bytes of work space (0: no cap): plans and runs.
 * Requirements and errors as for gfp_plan_run, and UNAVAILABLE. */
gfp_status gfp_range_run(const gfp_method *method, const gfp_range *range, uint64_t *c, size_t cap,
                         gfp_task *task, gfp_error *error);

/* Bytes of one element. */
static inline size_t gfp_element_bytes(const gfp_field *field)
{
    return gfp_field_k(field) * sizeof(uint64_t);
}

#endif
