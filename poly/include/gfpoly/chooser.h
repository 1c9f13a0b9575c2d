/* gfpoly/chooser.h: which method computes what, how long that takes, and in how much memory: for
 * every operation on products, any number of threads, and within a cap on memory. The calls without
 * a problem in gfpoly/poly.h ask the same of a product.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_CHOOSER_H
#define GFPOLY_CHOOSER_H

#include "gfpoly/poly.h"

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

/* A problem; all zero but the lengths is: the product on gfp_field_threads, by the compiled-in
 * costs, in any memory. */
typedef struct gfp_problem {
    gfp_operation operation;
    size_t len_a, len_b;      /* of a square both are the factor's; 0 is taken for 1 */
    size_t n;                 /* of LOW, HIGH, MIDDLE, as the functions take it */
    size_t from;              /* of MIDDLE */
    size_t count;             /* of BATCH; 0 is taken for 1 */
    unsigned threads;         /* as in gfp_mul_options */
    size_t memory_cap;        /* as in gfp_mul_options, or gfp_operand_options */
    const gfp_tuning *tuning; /* NULL: the compiled-in costs */
    gfp_residence resident;
    bool no_gpu;         /* no method on a GPU is to serve */
    unsigned gpu_device; /* as in gfp_mul_options */
} gfp_problem;

/* "product", "square", "low", "middle", "operand", "high", "batch", "file"; NULL for a number that
 * is no operation. */
GFP_API const char *gfp_operation_name(gfp_operation operation);
/* Errors: UNKNOWN. */
GFP_API GFP_MUST_CHECK gfp_status gfp_operation_find(gfp_operation *operation, const char *name);

/* *info := what the method of this row can do for the problem: whether it can serve (within the
 * cap), the time and the work space on the threads that it would use, and where the time is from.
 * For operands the work space is an estimate.
 * Times: those measured for the operation and the threads, where the tuning has them; else the
 * product's on one thread, measured or compiled in, by measured ratios: of squares and operands to
 * products, of parts by the share of the work that they need, and of threads by the share of the
 * work that they divide. Lengths that no memory holds count as the longest that it
 * may. Errors: ARGUMENT (index, operation, NULL); *info is unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_method_query_problem(const gfp_field *field,
                                                           const gfp_problem *problem, size_t index,
                                                           gfp_method_info *info);
/* The chooser: the method that the operation's function takes where its options name none: of those
 * available the one of the least time. NULL: none is, or the operation is none. */
GFP_API const char *gfp_method_pick_problem(const gfp_field *field, const gfp_problem *problem);
/* Whether the operation's function takes that pick. Errors: MEMORY (the cap leaves only methods
 * that take ages, which is refused: error says what is left and what more memory would give),
 * UNAVAILABLE (there is no pick), ARGUMENT (operation). */
GFP_API GFP_MUST_CHECK gfp_status gfp_method_check_problem(const gfp_field *field,
                                                           const gfp_problem *problem,
                                                           gfp_error *error);

GFP_END_DECLS
#endif
