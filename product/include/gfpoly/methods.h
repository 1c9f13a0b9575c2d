/* gfpoly/methods.h: the table of methods, and the chooser: which method computes what, how long
 * that takes, and in how much memory, for every operation on products, any number of threads, and
 * within a cap on memory.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_METHODS_H
#define GFPOLY_METHODS_H

#include "gfpoly/field.h"
#include "gfpoly/options.h"

GFP_BEGIN_DECLS

/* What is computed. */
typedef enum gfp_operation {
    GFP_OPERATION_PRODUCT = 0, /* a b: gfp_poly_mul */
    GFP_OPERATION_SQUARE,      /* a^2: gfp_poly_sqr, and products of two equal arguments */
    GFP_OPERATION_LOW,         /* a b mod X^n: gfp_poly_mul_low */
    GFP_OPERATION_MIDDLE,      /* n coefficients from X^from on: gfp_poly_mul_middle */
    GFP_OPERATION_OPERAND,     /* a by the transform of b, which is there: gfp_poly_mul_operand */
    GFP_OPERATION_HIGH,        /* a b div X^n: gfp_poly_mul_high */
    GFP_OPERATION_BATCH,       /* count products of these lengths: gfp_vec_mul_batch */
    GFP_OPERATION_FILE         /* a b from files to a file: gfp_file_multiply */
} gfp_operation;

#define GFP_OPERATION_COUNT 8

/* Where factors and result lie. */
typedef enum gfp_residence {
    GFP_RESIDENT_HOST = 0,
    GFP_RESIDENT_DEVICE /* in the memory of a GPU: methods on it alone can serve */
} gfp_residence;

/* What is computed: the product of two factors, where all but the lengths is zero. */
typedef struct gfp_problem {
    gfp_operation operation;
    size_t len_a, len_b; /* of a square both are the factor's; 0 is taken for 1 */
    size_t n;            /* of LOW, HIGH, MIDDLE, as the functions take it */
    size_t from;         /* of MIDDLE */
    size_t count;        /* of BATCH; 0 is taken for 1 */
    gfp_residence resident;
    bool no_gpu; /* no method on a GPU is to serve */
} gfp_problem;

/* "product", "square", "low", "middle", "operand", "high", "batch", "file"; NULL for a number that
 * is no operation. */
GFP_API const char *gfp_operation_name(gfp_operation operation);
/* Errors: UNKNOWN. */
GFP_API GFP_MUST_CHECK gfp_status gfp_operation_find(gfp_operation *operation, const char *name);

/* ---- the method table ---- */

/* One row: a way to compute a product, and what it can do for a problem. */
typedef struct gfp_method_info {
    /* "classical", "karatsuba", "bigfft", "multimodular", "flint", "hybrid", "crt"; and on a GPU
     * "bigfft_gpu", "hybrid_gpu", "multimodular_gpu". */
    const char *name;
    double estimate_ns; /* from the tuning, or the compiled-in costs; 0 when not available */
    /* Bytes that it takes in addition to operands and product, where the field keeps none
     * (gfpoly/field.h) but its tables: at most 6 times what operands and product take, or 256 KiB.
     * With the methods based on FLINT an estimate. */
    size_t workspace;
    /* Where the estimate is from: "measured": interpolated between times that the tuning has of
     * this operation and these threads; "derived": from others that the tuning has; "built-in"; ""
     * when not available. */
    const char *source;
    unsigned threads; /* that it would use; 0 when not available */
    bool available;   /* built in, and able to serve this problem */
    char reason[160]; /* why not; "" when available */
} gfp_method_info;

/* Methods on a GPU serve where the library was built with CUDA and there is a device: asking for it
 * the first time starts the driver, some 0.2 s. Queries of these methods ask, and so do products
 * and operands by them, new tunings (gfpoly/tuning.h), and the chooser once what the process would
 * have gained exceeds that. The environment variable GFPOLY_GPU=off keeps everything on the CPU. A
 * few contexts stay with the process when calls are done with them, with their plans, memory on the
 * device and page-locked memory on the host: until others need the memory, their field is
 * destroyed, or gfp_gpu_pool_release is called. Queries that name no GPU are of GPU 0. */

/* Whether there is GPU 0, asking where that is not known. Errors: UNAVAILABLE (there is none,
 * GFPOLY_GPU=off, not built with CUDA, it was lost, or a process asked for one and then forked this
 * one), MEMORY (too little is free there to find out: the next to ask tries again); *error (may be
 * NULL) says why. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_pool_ask(gfp_error *error);
/* Gives all of that back. What calls under way and operands on a GPU use is still theirs, and stays
 * when they are done. What is known of the device is forgotten, also that it was lost: who needs it
 * next asks anew. Any thread may call it at any time. */
GFP_API void gfp_gpu_pool_release(void);

GFP_API size_t gfp_method_count(void);
/* NULL for index >= count. */
GFP_API const char *gfp_method_name(size_t index);
/* Of the options (NULL: all zero) tuning, threads, memory_cap and gpu_device count below.
 *
 * *info := what the method of row `index` can do for the problem over field: whether it can serve
 * (within the cap), the time and the work space on the threads that it would use, and where the
 * time is from. For operands the work space is an estimate. Times: those measured for the operation
 * and the threads, where the tuning has them; else the product's on one thread, measured or
 * compiled in, by measured ratios: of squares and operands to products, of parts by the share of
 * the work that they need, and of threads by the share of the work that they divide. Lengths that
 * no memory holds count as the longest that memory may hold. Errors: ARGUMENT (index, operation,
 * NULL); *info is unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_method_query(gfp_method_info *info, size_t index,
                                                   const gfp_problem *problem,
                                                   const gfp_field *field,
                                                   const gfp_options *options);
/* The chooser: the method that the operation's function takes where its options name none: of those
 * available the one of the least time. NULL: none is, or the operation is none; never for products,
 * which classical can always serve. */
GFP_API const char *gfp_method_pick(const gfp_problem *problem, const gfp_field *field,
                                    const gfp_options *options);
/* Whether the operation's function takes that pick. Errors: MEMORY (the cap leaves only methods
 * that take ages, which is refused: options->error says what is left and what more memory would
 * give), UNAVAILABLE (there is no pick), ARGUMENT (operation). */
GFP_API GFP_MUST_CHECK gfp_status gfp_method_check(const gfp_problem *problem,
                                                   const gfp_field *field,
                                                   const gfp_options *options);

GFP_END_DECLS
#endif
