/* operation_need.c: the cap on memory with which an operation succeeds, from its name and its size,
 * for the message of a refusal.
 *
 * The arrays and operands of an operation are a number of elements for each coefficient, in the
 * length of its longest ring; a product inside takes elements for each coefficient up to a length,
 * and beyond it the same for any length (hybrid within a cap). The numbers are measured: least caps
 * found by bisection over p2 ... p64 on all kernel levels, 64 to 8192 coefficients; tests compare
 * them with the least caps (docs/design/memory.md).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "operation.h"
#include "support.h"

#define NO_BASE GFP_THRESHOLDS

/* What else an operation has. */
enum {
    LEAVES = 1, /* loops over leaves of a tree, with an area for each thread */
    POWER = 2,  /* rings whose lengths are powers of 2 */
    STEPS = 4,  /* a matrix of about n^(1/2) rows, STEP_TERMS elements each for a coefficient */
};

/* Elements for each coefficient: of arrays and operands, the same for each doubling of the length,
 * of a product inside, and in addition where short operands are converted. Up to the threshold
 * `base` the operation computes without transforms. */
typedef struct need {
    const char *name;
    double terms, levels, product, converted;
    unsigned base, has;
} need;

static const need needs[] = {
    {"inverse of a series", 6.5, 0, 8.3, 0, GFP_THRESHOLD_SERIES_DEFINITION, 0},
    {"quotient of series", 13.7, 0, 8.3, 0, GFP_THRESHOLD_SERIES_DEFINITION, 0},
    {"square root of a series", 14.3, 0, 8.3, 0, GFP_THRESHOLD_SERIES_RECURRENCE, 0},
    {"inverse square root of a series", 15.5, 0, 8.3, 0, NO_BASE, 0},
    {"logarithm of a series", 17.1, 0, 8.3, 0, GFP_THRESHOLD_SERIES_DEFINITION, 0},
    {"exponential of a series", 18.3, 0, 8.3, 0, GFP_THRESHOLD_SERIES_RECURRENCE, 0},
    {"Taylor shift", 6.9, 0, 0, 0, NO_BASE, 0},
    {"division", 14.3, 0, 8.3, 0, NO_BASE, 0},
    {"quotient", 14.3, 0, 8.3, 0, NO_BASE, 0},
    {"remainder", 14.3, 0, 8.3, 0, NO_BASE, 0},
    {"modulus", 8.7, 0, 8.3, 2.9, NO_BASE, 0},
    {"remainder by a modulus", 6, 0, 8.3, 7, NO_BASE, 0},
    {"product by a modulus", 8.3, 0, 8.3, 7.2, NO_BASE, 0},
    {"power by a modulus", 27.6, 0, 8.3, 0, NO_BASE, 0},
    {"inverse by a modulus", 37.5, 0, 8.3, 0, NO_BASE, 0},
    {"multiplier", 7.6, 0, 8.3, 7, NO_BASE, 0},
    {"product by a multiplier", 10.6, 0, 8.3, 7.2, NO_BASE, 0},
    {"argument of compositions", 28.2, 0, 8.3, 0, NO_BASE, 0},
    {"composition", 16, 0, 8.3, 0, NO_BASE, STEPS},
    {"composition of series", 54.5, 0, 8.3, 0, NO_BASE, POWER},
    {"reversion of a series", 59, 0, 8.3, 0, NO_BASE, POWER},
    {"greatest common divisor", 24, 0, 8.3, 0, NO_BASE, 0},
    {"greatest common divisor and cofactors", 37.3, 0, 8.3, 0, NO_BASE, 0},
    {"resultant", 25.2, 0, 8.3, 0, NO_BASE, 0},
    {"discriminant", 25.2, 0, 8.3, 0, NO_BASE, 0},
    {"subresultant", 25.2, 0, 8.3, 0, NO_BASE, 0},
    {"rational reconstruction", 37.3, 0, 8.3, 0, NO_BASE, 0},
    {"minimal polynomial of a sequence", 27.8, 0, 8.3, 0, NO_BASE, 0},
    {"product from roots", 12.2, 0, 8.3, 3, NO_BASE, LEAVES},
    {"values at points", 38, 5, 8.3, 0, NO_BASE, 0},
    {"values at a geometric progression", 7.8, 0, 0, 0, NO_BASE, 0},
    {"interpolation at a geometric progression", 13.3, 0, 0, 0, NO_BASE, 0},
    {"interpolation", 40, 5, 8.3, 0, NO_BASE, 0},
};

/* Digits of a product beyond which hybrid within a cap takes no more, and up to which operands are
 * converted. */
#define PRODUCT_DIGITS 8192
#define CONVERTED_DIGITS 6144
/* Work areas of short loops and rounding to blocks, where there are products inside. */
#define FIXED_BYTES (24 << 10)
/* Elements for each coefficient in a base case. */
#define BASE_TERMS 8
/* Elements for each coefficient of a kept factor of a power. */
#define KEPT_TERMS 7.65
#define STEP_TERMS 1.05
#define MARGIN 1.06

/* The least of 4, 5, 6 and 8 times a power of 2 that is at least n. */
static size_t ring_of(size_t n)
{
    size_t power = 1;
    while (power <= n / 8) {
        power *= 2;
    }
    const size_t steps = n / power + (n % power != 0);
    return (steps <= 4 ? 4 : steps == 7 ? 8 : steps) * power;
}

static size_t power_of(size_t n)
{
    size_t power = 1;
    while (power < n) {
        power *= 2;
    }
    return power;
}

static bool is_base(const gfp_operation_call *op, const need *x)
{
    return x->base < NO_BASE && op->size <= op->threshold[x->base];
}

static double elements_of(const gfp_operation_call *op, const need *x)
{
    const size_t ring = (x->has & POWER) != 0 ? power_of(op->size) : ring_of(op->size);
    const double n = (double)ring, k = gfp_field_k(op->field);
    const double leaf = (double)op->threshold[GFP_THRESHOLD_TREE_LEAF];
    if (is_base(op, x)) {
        return BASE_TERMS * n;
    }
    const double steps = (x->has & STEPS) != 0 ? STEP_TERMS * sqrt((double)op->size) : 0;
    const double all =
        (x->terms + KEPT_TERMS * (double)op->kept + x->levels * log2(n) + steps) * n +
        x->product * fmin(n, PRODUCT_DIGITS / k) +
        (n * k <= CONVERTED_DIGITS ? x->converted * n : 0);
    return fmax(all, (x->has & LEAVES) != 0 ? 6.1 * leaf * leaf : 0);
}

size_t gfp_operation_need(const gfp_operation_call *op)
{
    if (op->options->verify == GFP_VERIFY_CROSS || !gfp_options_auto(op->options)) {
        return 0;
    }
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        const need *x = &needs[i];
        if (op->size > 0 && op->size < SIZE_MAX / 16 && strcmp(op->name, x->name) == 0) {
            const double bytes = (x->product > 0 && !is_base(op, x) ? FIXED_BYTES : 0) +
                                 MARGIN * 8 * gfp_field_k(op->field) * elements_of(op, x);
            return bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : 0;
        }
    }
    return 0;
}
