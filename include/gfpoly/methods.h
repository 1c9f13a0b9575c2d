/* gfpoly/methods.h: the table of methods and the chooser: which methods can solve a problem, the
 * time and memory that each needs, and which one the library picks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_METHODS_H
#define GFPOLY_METHODS_H

#include "gfpoly/field.h"
#include "gfpoly/options.h"

GFP_BEGIN_DECLS

/* The operation of a problem. */
typedef enum gfp_operation {
    GFP_OPERATION_PRODUCT = 0, /* a b: gfp_poly_mul */
    GFP_OPERATION_SQUARE,      /* a^2: gfp_poly_sqr, and products of two equal arguments */
    GFP_OPERATION_LOW,         /* a b mod X^n: gfp_poly_mullow */
    GFP_OPERATION_MIDDLE,      /* n coefficients from X^from on: gfp_poly_mulmid */
    GFP_OPERATION_OPERAND,     /* a by an operand, whose transform is kept: gfp_poly_mul_operand */
    GFP_OPERATION_HIGH,        /* a b div X^n: gfp_poly_mulhigh */
    GFP_OPERATION_BATCH,       /* count products of these lengths: gfp_vec_mul_batch */
    GFP_OPERATION_FILE         /* a b from files to a file: gfp_file_mul */
} gfp_operation;

#define GFP_OPERATION_COUNT 8

/* Where factors and result lie. */
typedef enum gfp_residence {
    GFP_RESIDENT_HOST = 0,
    GFP_RESIDENT_DEVICE /* in the memory of a GPU: only methods on a GPU can serve */
} gfp_residence;

/* A problem: what to compute. All zero but the lengths: the product of two factors. */
typedef struct gfp_problem {
    gfp_operation operation;
    size_t len_a, len_b; /* 0 means 1; SQUARE ignores len_b */
    size_t n;            /* LOW, HIGH, MIDDLE: the parameter n of the function */
    size_t from;         /* MIDDLE: the parameter from */
    size_t count;        /* BATCH: number of products; 0 means 1 */
    gfp_residence resident;
    bool no_gpu; /* excludes the methods on a GPU */
} gfp_problem;

/* "product", "square", "low", "middle", "operand", "high", "batch", "file"; NULL if the number is
 * no operation. */
GFP_API const char *gfp_operation_name(gfp_operation operation);

/* ---- the method table ---- */

/* One row of the table: a method, and its answer to a problem. */
typedef struct gfp_method_info {
    /* "classical", "karatsuba", "bigfft", "multimodular", "flint", "hybrid", "crt", "kronecker";
     * and on a GPU "bigfft_gpu", "hybrid_gpu", "multimodular_gpu", over several "dealt_gpu". */
    const char *name;
    double estimate_ns; /* from the tuning, or the compiled-in costs; 0 if not available */
    /* Bytes that the method needs in addition to operands and product when the field keeps its
     * tables but no work areas (gfpoly/field.h): at most 6 times the bytes of operands and product,
     * or 256 KiB. An estimate for the methods based on FLINT. */
    size_t workspace;
    /* The source of the estimate. "measured": interpolated between times that the tuning has for
     * this operation and number of threads; "derived": computed from other times of the tuning;
     * "built-in": from the compiled-in costs; "": not available. */
    const char *source;
    unsigned threads; /* threads that the method would use; 0 if not available */
    bool available;   /* the method is built in and can serve this problem */
    char reason[160]; /* why the method is not available; "" if it is */
    /* Methods that do the same on the CPU, on a GPU or for other lengths have one algorithm:
     * "classical", "big-prime FFT", "hybrid" (a big-prime FFT outside, word-size primes inside),
     * "own CRT", "FLINT's CRT", "FLINT", "Kronecker". */
    const char *algorithm;
} gfp_method_info;

/* Methods on a GPU need a library built with CUDA, and a device. The first call that needs a device
 * opens it, which starts the driver: about 0.2 s. These calls open the device: queries of methods
 * on a GPU, products and operands by them, new tunings (gfpoly/tuning.h), and the chooser, once a
 * GPU would have saved this process more than these 0.2 s. The environment variable GFPOLY_GPU=off
 * keeps all work on the CPU. The process caches contexts after calls return, as many as were used
 * at once, 8 to 32 of them, with their plans, device memory (together at most half of the device's)
 * and page-locked host memory (up to 24 MiB each): until other contexts need the memory, their
 * field is destroyed, or gfp_gpu_pool_release is called. Queries whose options name no GPU use GPU
 * 0. */

/* Opens GPU 0 unless its state is known already; OK: GPU 0 can be used. Errors: UNAVAILABLE (no
 * device; GFPOLY_GPU=off; built without CUDA; the device was lost; or this process is a fork of one
 * that had opened a device), MEMORY (too little free device memory to open it; the next call tries
 * again). *error (may be NULL) has the reason. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_pool_ask(gfp_error *error);
/* Frees all cached GPU contexts. Contexts used by running calls or by operands are kept, and return
 * to the cache afterwards. Also forgets the state of every device (including 'lost'): the next call
 * that needs a device opens it again. Any thread may call this at any time. */
GFP_API void gfp_gpu_pool_release(void);

GFP_API size_t gfp_method_count(void);
/* NULL for index >= count. */
GFP_API const char *gfp_method_name(size_t index);
/* The functions below read these members of options (NULL: all zero): tuning, threads, memory_cap,
 * gpu_device and gpu_count. OPERAND ignores memory_cap, since each call on operands checks its own
 * cap; gfp_space_create picks the method for two factors of about equal lengths whose product has
 * the space's length.
 *
 * *info := the answer of the method with this index to the problem over field: whether it can serve
 * within the cap, its time and work space on the threads that it would use, and the source of the
 * time. For OPERAND the work space is an estimate. The time is the one measured for the operation
 * and number of threads if the tuning has it. Otherwise it is derived from the product's time on
 * one thread, measured or compiled in: for squares and operands by measured ratios, for parts by
 * their share of the work, for several threads by the share of the work that threads divide.
 * Lengths that no memory can hold count as the longest that memory can. Errors: ARGUMENT (index,
 * operation, NULL); *info is unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_method_query(gfp_method_info *info, size_t index,
                                                   const gfp_problem *problem,
                                                   const gfp_field *field,
                                                   const gfp_options *options);
/* The chooser: the method that the operation's function uses if its options name none, the
 * available method of least estimated time for coefficients of any size. The functions look at
 * their operands: if all coefficients are small integers of either sign, and the product needs no
 * reduction modulo p, the method may be "kronecker" instead. NULL: no method is available, or the
 * operation is invalid; never NULL for products, since classical can serve every product. */
GFP_API const char *gfp_method_pick(const gfp_problem *problem, const gfp_field *field,
                                    const gfp_options *options);
/* Whether the operation's function accepts this pick. Errors: MEMORY (within the cap only methods
 * are left that are many times slower, so the function refuses: options->error names the method
 * left, and the memory that would allow a faster one), UNAVAILABLE (there is no pick), ARGUMENT
 * (operation, NULL). */
GFP_API GFP_MUST_CHECK gfp_status gfp_method_check(const gfp_problem *problem,
                                                   const gfp_field *field,
                                                   const gfp_options *options);

GFP_END_DECLS
#endif
