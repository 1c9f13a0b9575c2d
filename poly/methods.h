/* methods.h: the table of multiplication methods, the chooser over it (chooser.c), and what the
 * product functions of this room share. A method works on digit arrays; adding one is adding a row
 * to methods.c. SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_METHODS_H
#define GFP_METHODS_H

#include "costs.h"
#include "gfpoly/chooser.h"
#include "gfpoly/fft.h"
#include "gfpoly/gpu_product.h"
#include "task.h"

typedef struct gfp_operand_engine gfp_operand_engine;

/* One way to compute a product of len_a by len_b coefficients, both lengths >= 1. Rows are
 * constant. */
typedef struct gfp_method {
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
    /* Digits of the block that execute works in. Saturates. */
    size_t (*block)(const gfp_field *field, size_t len_a, size_t len_b);
    /* Bytes it needs in all beside operands and product with so many threads: block, plans, FLINT's
     * own. Saturates. */
    size_t (*bytes)(const gfp_field *field, size_t len_a, size_t len_b, unsigned threads);
    /* By measurement: the part of its time that threads share; 0: it knows one thread only. */
    double shared;
    /* The time of a square, by the time of a product. */
    double square;
    /* Its transforms that stay (operand_engine.h); NULL: it has none. */
    const gfp_operand_engine *operands;
    /* c := a b, len_a + len_b - 1 canonical coefficients, the leading ones 0 where those of a or b
     * are. c and work overlap nothing; a may equal b. Called only where it serves. It spans
     * one part of task (may be NULL). On CANCELLED c is undefined; on another error it is unchanged
     * (whatever can fail comes before the first coefficient), and *error (may be NULL) filled. It
     * has the task's threads. */
    gfp_status (*execute)(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                          const uint64_t *b, size_t len_b, uint64_t *work, gfp_task *task,
                          gfp_error *error);
    /* Raised with every change that makes older measurements of its time wrong. */
    unsigned revision;
    /* AUTO: on the CPU. Else on a CUDA device (gpu_methods.h); then an error may leave c undefined.
     */
    gfp_gpu_method device;
} gfp_method;

static inline bool gfp_method_on_device(const gfp_method *row)
{
    return row->device != GFP_GPU_METHOD_AUTO;
}

/* NULL for index >= gfp_method_count. */
const gfp_method *gfp_method_row(size_t index);
/* NULL when no row is called so. */
const gfp_method *gfp_method_find(const char *name);
/* The nanoseconds of a product by the row of this index on one thread, from the tuning (may be
 * NULL) or the compiled-in costs. */
double gfp_method_estimate(const gfp_tuning *tuning, size_t index, const gfp_field *field,
                           size_t len_a, size_t len_b);
/* Whether the tuning has times for that. */
bool gfp_method_is_measured(const gfp_tuning *tuning, size_t index, const gfp_field *field);

/* The threads that this row uses of so many for what takes so many nanoseconds on one: short
 * products use fewer. */
unsigned gfp_method_useful_threads(const gfp_method *row, double ns, unsigned threads);

/* What a product may take. */
typedef struct gfp_limits {
    size_t cap;       /* bytes of work space; 0: any number */
    unsigned threads; /* >= 1 */
} gfp_limits;

/* The bytes that a product by this row takes within these limits (where the cap asks for it on one
 * thread: then limits->threads becomes 1), and the factor that its time on one thread grows by;
 * SIZE_MAX: it takes more. */
size_t gfp_method_bytes(const gfp_method *method, const gfp_field *field, size_t len_a,
                        size_t len_b, gfp_limits *limits, double *factor);
/* chooser.c: the problem of a product with these options. */
gfp_problem gfp_product_problem(const gfp_mul_options *options, size_t len_a, size_t len_b,
                                unsigned threads);
/* The available row of least estimate for the problem whose family is not other_than_family and
 * which is not other_than (either may be NULL: no such condition); NULL when there is none. */
const gfp_method *gfp_problem_cheapest(const gfp_field *field, const gfp_problem *problem,
                                       const char *other_than_family, const gfp_method *other_than);
/* The pick: the same without conditions; NULL only for operands and files, since classical needs no
 * work space. The field remembers some picks: of all but batches and files. */
const gfp_method *gfp_problem_best(const gfp_field *field, const gfp_problem *problem);
/* The place of the field's notes where the pick for a problem stands. */
size_t gfp_problem_place(const gfp_field *field, const gfp_problem *problem);
/* The estimate by an available row; HUGE_VAL: the cap does not suffice. */
double gfp_problem_time(const gfp_method *row, const gfp_field *field, const gfp_problem *problem);
/* The threads that an available row uses, the cap left aside: short ones use fewer. */
unsigned gfp_problem_threads(const gfp_method *row, const gfp_field *field,
                             const gfp_problem *problem);

/* Whether a call that ended so by this row goes on by a row of the CPU: nobody asked for the row,
 * and its device failed. Then *method := that row, the report says what happened, and the task
 * (gfp_mul_watch) has the row's threads; *storage is for one where there was none. */
bool gfp_method_fall_back(const gfp_method **method, const gfp_field *field,
                          const gfp_problem *problem, const gfp_mul_options *options,
                          gfp_status status, const gfp_error *error, gfp_mul_report *report,
                          gfp_task **task, gfp_task *storage);

/* Whether a row can serve, on this device where it needs one: it may be asked for, which takes a
 * while once; if not, says why in why[0 .. size). */
bool gfp_method_serves(const gfp_method *method, const gfp_field *field, size_t len_a, size_t len_b,
                       unsigned device, char *why, size_t size);
/* Runs a row: takes its block, executes, gives it back, all within cap bytes of work space (0: any
 * number). Requirements as for execute.
 * Errors: UNAVAILABLE, SIZE, MEMORY, CANCELLED, and execute's. */
gfp_status gfp_method_run(const gfp_method *method, const gfp_field *field, uint64_t *c,
                          const uint64_t *a, size_t len_a, const uint64_t *b, size_t len_b,
                          size_t cap, gfp_task *task, gfp_error *error);

/* classical.c: the first n <= len_a + len_b - 1 coefficients of a b, n >= 1, and how many products
 * of coefficients that takes: the units that it adds to its task; those of coefficients first <= i
 * < end. False: cancelled. */
double gfp_classical_units(size_t len_a, size_t len_b, size_t n);
double gfp_classical_range_units(size_t len_a, size_t len_b, size_t first, size_t end);
bool gfp_classical_low(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                       const uint64_t *b, size_t len_b, size_t n, gfp_task *task);
/* Coefficients first <= i < end of it. */
bool gfp_classical_range(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                         const uint64_t *b, size_t len_b, size_t first, size_t end, gfp_task *task);
/* The first n as a part of a task. */
gfp_status gfp_classical_part(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                              const uint64_t *b, size_t len_b, size_t n, gfp_task *task);
gfp_status gfp_classical_execute(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                 size_t len_a, const uint64_t *b, size_t len_b, uint64_t *work,
                                 gfp_task *task, gfp_error *error);

/* karatsuba.c */
size_t gfp_karatsuba_block(const gfp_field *field, size_t len_a, size_t len_b);
size_t gfp_karatsuba_bytes(const gfp_field *field, size_t len_a, size_t len_b, unsigned threads);
gfp_status gfp_karatsuba_execute(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                 size_t len_a, const uint64_t *b, size_t len_b, uint64_t *work,
                                 gfp_task *task, gfp_error *error);

/* Coefficients first <= i < end of a b: the products of coefficients that it takes (units of a
 * task), digits of work space; 0: that is the whole product, which execute computes. Else c :=
 * these coefficients; false: cancelled. */
double gfp_karatsuba_range_units(const gfp_field *field, size_t len_a, size_t len_b, size_t first,
                                 size_t end);
size_t gfp_karatsuba_range_block(const gfp_field *field, size_t len_a, size_t len_b, size_t first,
                                 size_t end);
bool gfp_karatsuba_range(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                         const uint64_t *b, size_t len_b, size_t first, size_t end, uint64_t *work,
                         gfp_task *task);

/* bigfft.c: the transform length that a product needs; 0 when no size_t holds it. */
size_t gfp_bigfft_length(size_t len_a, size_t len_b);
bool gfp_bigfft_available(const gfp_field *field, size_t len_a, size_t len_b, char *why,
                          size_t size);
size_t gfp_bigfft_block(const gfp_field *field, size_t len_a, size_t len_b);
size_t gfp_bigfft_bytes(const gfp_field *field, size_t len_a, size_t len_b, unsigned threads);
gfp_status gfp_bigfft_execute(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                              const uint64_t *b, size_t len_b, uint64_t *work, gfp_task *task,
                              gfp_error *error);

/* The same on one thread with a plan of gfp_bigfft_length, in a work area of so many words. */
size_t gfp_bigfft_words(const gfp_fft_plan *plan);
void gfp_bigfft_run(const gfp_fft_plan *plan, uint64_t *c, const uint64_t *a, size_t len_a,
                    const uint64_t *b, size_t len_b, uint64_t *work);

/* partial.c: the coefficients first <= i < end of a b, first < end <= len_a + len_b - 1. */
typedef struct gfp_range {
    const gfp_field *field;
    const uint64_t *a, *b;
    size_t len_a, len_b, first, end;
} gfp_range;
/* Leaves out coefficients of a and b that matter to none of these. */
void gfp_range_trim(gfp_range *r);
/* The time of these by that of the whole product; the work space, as gfp_method_bytes. */
double gfp_range_share(const gfp_method *method, const gfp_range *r);
size_t gfp_range_bytes(const gfp_method *method, const gfp_range *r, gfp_limits *limits,
                       double *factor);
/* c := these end - first coefficients; as gfp_method_run, cap (0: none) beside the result. */
gfp_status gfp_range_run(const gfp_method *method, const gfp_range *r, uint64_t *c, size_t cap,
                         gfp_task *task, gfp_error *error);

/* mul.c: c := coefficients first <= i < first + n of a b, as gfp_poly_mul_by. */
gfp_status gfp_poly_range_by(const gfp_method *method, gfp_poly *c, const gfp_poly *a,
                             const gfp_poly *b, size_t first, size_t n,
                             const gfp_mul_options *options);

/* mul.c: c := a b mod X^n by the given row (NULL: the one that options names, or the pick);
 * n = SIZE_MAX gives the whole product. The public products are this with method NULL. */
gfp_status gfp_poly_mul_by(const gfp_method *method, gfp_poly *c, const gfp_poly *a,
                           const gfp_poly *b, size_t n, const gfp_mul_options *options);

/* chooser.c: bytes of work space that suffice for the problem by the row, about the least of those
 * above the problem's cap: in blocks where it works in blocks. */
size_t gfp_problem_least_bytes(const gfp_method *row, const gfp_field *field,
                               const gfp_problem *problem);
/* mul.c, for batches as well. The row that the options name, or the pick for the problem. Errors:
 * UNKNOWN; MEMORY where the cap leaves the pick only what takes ages. */
gfp_status gfp_method_choose(const gfp_method **method, const gfp_field *field,
                             const gfp_problem *problem, const gfp_mul_options *options);
/* batch.c: whether products of a batch that take so long each on one thread are computed side by
 * side, each on a thread, and on how many then. */
bool gfp_batch_shares(const gfp_method *method, double ns, size_t cap, size_t count,
                      unsigned threads);
unsigned gfp_batch_threads(double ns, size_t count, unsigned threads);
/* file_mul.c: whether files can be multiplied here; as gfp_method_bytes for a product of files,
 * whose cap is kept by scratch files and halves; factor then tells what these cost. */
bool gfp_file_possible(void);
size_t gfp_file_bytes(const gfp_method *method, const gfp_field *field, size_t len_a, size_t len_b,
                      gfp_limits *limits, double *factor);
/* ARGUMENT for options that there are not. */
gfp_status gfp_mul_options_check(const gfp_mul_options *options);
/* The account of a call that somebody watches, or that has several threads; else NULL: none. */
gfp_task *gfp_mul_watch(gfp_task *task, const gfp_mul_options *options, unsigned threads);
/* How much of a call the product is, the rest being its verification: for fractions of progress
 * only. */
double gfp_product_share(gfp_verify verify);
/* Fills the error of a call that ends with CANCELLED; returns the status. */
gfp_status gfp_say_cancelled(gfp_status status, gfp_error *error);

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
/* verify.c: checks c, len_a + len_b - 1 coefficients, against a b; used (may be NULL) is the row
 * that computed it; tuning (may be NULL) and cap (of its work space; 0: none) guide the choice of a
 * second one. how is POINT or CROSS. Fills verified, cross_method, points, log2_error of *report on
 * OK and VERIFY. It spans one part of task (may be NULL). Errors: VERIFY, UNAVAILABLE (no second
 * method), SIZE, MEMORY, CANCELLED, and the second method's. */
gfp_status gfp_verify_product(const gfp_field *field, const uint64_t *c, const uint64_t *a,
                              size_t len_a, const uint64_t *b, size_t len_b, gfp_verify how,
                              uint64_t seed, const gfp_tuning *tuning, size_t cap,
                              const gfp_method *used, gfp_mul_report *report, gfp_task *task,
                              gfp_error *error);

/* Bytes of one element. */
static inline size_t gfp_element_bytes(const gfp_field *field)
{
    return gfp_field_k(field) * sizeof(uint64_t);
}

/* poly.c: drops leading zeros among the first n coefficients, sets len. n <= capacity. */
void gfp_poly_normalise(gfp_poly *a, size_t n);

#endif
