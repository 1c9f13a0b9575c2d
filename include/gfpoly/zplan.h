/* gfpoly/zplan.h: the strategies of operations over Z (gfpoly/zvec.h): the time that each is
 * predicted to take, and the choice.
 *
 * Predictions come from measured costs that are compiled in: images
 * modulo word-size and big primes by degree, projection and reconstruction, proofs, FLINT's
 * functions, gcds of integers. A last prime that is used in part counts as a whole. Times are those
 * of one call, whose operands and results are integers: products in a row count one by one.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_ZPLAN_H
#define GFPOLY_ZPLAN_H

#include "gfpoly/tuning.h"
#include "gfpoly/zvec.h"

GFP_BEGIN_DECLS

typedef enum gfp_zoperation {
    GFP_ZOPERATION_MUL = 0,
    GFP_ZOPERATION_GCD,
    GFP_ZOPERATION_RESULTANT,
    GFP_ZOPERATION_DISCRIMINANT
} gfp_zoperation;

#define GFP_ZOPERATION_COUNT 4

/* "mul", "gcd", "resultant", "discriminant"; NULL if the number is no operation. */
GFP_API const char *gfp_zoperation_name(gfp_zoperation operation);

/* The prediction for a strategy. Times are nanoseconds. */
typedef struct gfp_zprediction {
    /* The name that options.method takes; or "split": a product by short and long coefficients
     * apart, which the method "auto" may take (gfpoly/zvec.h). */
    const char *name;
    const char *reason; /* why the strategy cannot serve; NULL: it can */
    /* The whole call. For a gcd whose degree is not known, the mean of the times for coprime
     * operands and for a divisor with half of the degree and of the bits. */
    double estimate_ns;
    double convert_ns; /* the part of projection or packing, and of reconstruction */
    double proof_ns;   /* the part of a divisor's proof */
    double create_ns;  /* in addition, once: fields and tables that the ring does not keep yet */
    const char *prime; /* the name of the big prime; NULL: none, or several */
    size_t primes;     /* number of primes; 0: the strategy uses none, or FLINT chooses them */
    size_t blocks;     /* of eight word-size primes */
    size_t bits;       /* of the product of the primes; of a number in Kronecker's substitution */
} gfp_zprediction;

#define GFP_ZPLAN_ROWS 8

typedef struct gfp_zplan {
    gfp_zoperation operation;
    /* Without zeros at the end; of a discriminant, f and its derivative. For a gcd or resultant
     * without the powers of X that divide the operands, and in X for X^s, if both are polynomials
     * in X^s. */
    size_t len_a, len_b;
    size_t bits_a, bits_b; /* of the greatest coefficients, without contents for a gcd */
    /* The result's coefficients are below 2^bits in absolute value; for a gcd a guess. */
    size_t bits;
    /* Of a gcd: its length, if a short test shows it: an upper bound from a gcd modulo one prime,
     * or an estimate from a gcd of values. 1: the operands are proved coprime. 0: the length is not
     * known. The times are those for a divisor of this length. */
    size_t len_g;
    unsigned threads;
    size_t count; /* strategies; 0: the operation is trivial */
    gfp_zprediction row[GFP_ZPLAN_ROWS];
    size_t pick; /* the row of the strategy that the call takes; count: none */
    /* A gcd by word-size primes goes on by this strategy if the first image shows a common
     * divisor; NULL: by word-size primes. */
    const char *next;
    const char *why; /* the reason of the pick, a sentence without a full stop */
} gfp_zplan;

/* *plan := what the operation's function would do with these operands and options (method,
 * tuning, threads, memory_cap; NULL: all zero); b is not read for a discriminant. Computes
 * contents, bounds, and len_g, nothing else. Errors: ARGUMENT (NULL, operation), FIELD_MISMATCH,
 * UNKNOWN (no such strategy), SIZE, MEMORY; *plan is unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_plan(gfp_zplan *plan, gfp_zoperation operation,
                                                const gfp_zvec *a, const gfp_zvec *b,
                                                const gfp_options *options);

GFP_END_DECLS
#endif
