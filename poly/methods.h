/* methods.h: the table of multiplication methods, and what the
 * product functions of this room share. A method works on digit arrays; adding one is adding a row
 * to methods.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_METHODS_H
#define GFP_METHODS_H

#include "chooser.h"
#include "costs.h"
#include "gfpoly/gpu_product.h"
#include "plan.h"
#include "task.h"

typedef struct gfp_operand_engine gfp_operand_engine;

/* One way to compute a product of len_a by len_b coefficients, both lengths >= 1. Rows are
 * constant. */
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
/* classical.c: the first n <= len_a + len_b - 1 coefficients of a b, n >= 1, and how many products
 * of coefficients that takes: the units that it adds to its task. False: cancelled. */
double gfp_classical_units(size_t len_a, size_t len_b, size_t n);
bool gfp_classical_low(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                       const uint64_t *b, size_t len_b, size_t n, gfp_task *task);
/* Coefficients first <= i < end of it. */
bool gfp_classical_range(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                         const uint64_t *b, size_t len_b, size_t first, size_t end, gfp_task *task);
bool gfp_classical_plan(gfp_plan *plan);
gfp_status gfp_classical_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                             uint64_t *work, gfp_task *task, gfp_error *error);

/* karatsuba.c */
bool gfp_karatsuba_plan(gfp_plan *plan);
gfp_status gfp_karatsuba_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                             uint64_t *work, gfp_task *task, gfp_error *error);

/* bigfft.c: the transform length that a product needs; 0 when no size_t holds it. */
size_t gfp_bigfft_length(size_t len_a, size_t len_b);
bool gfp_bigfft_available(const gfp_field *field, size_t len_a, size_t len_b, char *why,
                          size_t size);
bool gfp_bigfft_plan(gfp_plan *plan);
gfp_status gfp_bigfft_prepare(gfp_plan *plan, gfp_task *task, gfp_error *error);
void gfp_bigfft_finish(gfp_plan *plan);
gfp_status gfp_bigfft_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c, uint64_t *work,
                          gfp_task *task, gfp_error *error);

/* Fills the error of a range for which there is no plan; returns its status. */
gfp_status gfp_plan_refuse(const gfp_plan *plan, gfp_error *error);
/* Computes a range by this row within cap bytes of work space (0: any number): plans and runs.
 * Requirements and errors as for gfp_plan_run, and UNAVAILABLE. */
gfp_status gfp_range_run(const gfp_method *method, const gfp_range *range, uint64_t *c, size_t cap,
                         gfp_task *task, gfp_error *error);

/* mul.c: c := coefficients first <= i < first + n of a b, as gfp_poly_mul_by. */
gfp_status gfp_poly_range_by(const gfp_method *method, gfp_poly *c, const gfp_poly *a,
                             const gfp_poly *b, size_t first, size_t n, const gfp_options *options);

/* mul.c: c := a b mod X^n by the given row (NULL: the one that options names, or the pick);
 * n = SIZE_MAX gives the whole product. The public products are this with method NULL. */
gfp_status gfp_poly_mul_by(const gfp_method *method, gfp_poly *c, const gfp_poly *a,
                           const gfp_poly *b, size_t n, const gfp_options *options);

/* batch.c: whether products of a batch that take so long each on one thread are computed side by
 * side, each on a thread, and on how many then. */
bool gfp_batch_shares(const gfp_method *method, double ns, size_t cap, size_t count,
                      unsigned threads);
unsigned gfp_batch_threads(double ns, size_t count, unsigned threads);
/* file_mul.c: whether files can be multiplied here; the plan of a product of files, whose cap is
 * kept by scratch files and halves: plan->factor tells what these cost. */
bool gfp_file_possible(void);
bool gfp_file_plan(gfp_plan *plan, const gfp_method *method, const gfp_range *range,
                   const gfp_limits *limits);
/* Fills the error of a product of files for which there is no plan; returns its status. */
gfp_status gfp_file_refuse(const gfp_plan *plan, gfp_error *error);
/* verify.c: a random seed from the system. UNAVAILABLE. */
gfp_status gfp_system_seed(uint64_t *seed, gfp_error *error);
/* verify.c: the random points that check a product of len_c coefficients, and the log2 of the
 * probability that a wrong one passes; 0: too many, it is computed a second time. */
unsigned gfp_verify_points(const gfp_field *field, size_t len_c, int *log2_error);
#define GFP_VERIFY_MAX_POINTS 4
/* verify.c: d := these points, and y := x(d) for len >= 1 coefficients, a unit of k digit products
 * each; false: cancelled. */
void gfp_verify_draw(const gfp_field *field, uint64_t *d, unsigned points, uint64_t seed);
bool gfp_verify_evaluate(const gfp_field *field, uint64_t *y, const uint64_t *x, size_t len,
                         uint64_t d, gfp_task *task);
/* verify.c: c, len_a + len_b - 1 coefficients, is said to be a b. */
typedef struct gfp_claim {
    const gfp_field *field;
    const uint64_t *c, *a, *b;
    size_t len_a, len_b;
    const gfp_method *used;   /* the row that computed it; may be NULL */
    const gfp_tuning *tuning; /* for the choice of a second one; may be NULL */
    size_t cap;               /* bytes of work space of a second product; 0: any number */
} gfp_claim;
/* verify.c: checks a claim; how is POINT or CROSS. Fills verified, cross_method, points, log2_error
 * of *report on OK and VERIFY. It spans one part of task (may be NULL). Errors: VERIFY, UNAVAILABLE
 * (no second method), SIZE, MEMORY, CANCELLED, and the second method's. */
gfp_status gfp_verify_product(const gfp_claim *claim, gfp_verify how, uint64_t seed,
                              gfp_report *report, gfp_task *task, gfp_error *error);

/* Fills the error of a call that ends with CANCELLED; returns the status. */
gfp_status gfp_say_cancelled(gfp_status status, gfp_error *error);

/* A task of this room hangs on the options of its call, which last as long. The GPU of the call,
 * and the most bytes of its memory; 0: any number. */
static inline unsigned gfp_task_device(const gfp_task *task)
{
    const gfp_options *options = task == NULL ? NULL : task->context;
    return options == NULL ? 0 : options->gpu_device;
}
static inline size_t gfp_task_device_memory(const gfp_task *task)
{
    const gfp_options *options = task == NULL ? NULL : task->context;
    return options == NULL ? 0 : options->gpu_memory_cap;
}

/* Bytes of one element. */
static inline size_t gfp_element_bytes(const gfp_field *field)
{
    return gfp_field_k(field) * sizeof(uint64_t);
}

/* poly.c: drops leading zeros among the first n coefficients, sets len. n <= capacity. */
void gfp_poly_normalise(gfp_poly *a, size_t n);

#endif
