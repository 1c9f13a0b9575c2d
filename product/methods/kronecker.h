/* kronecker.h: products modulo p through one product over Z. Operands with short coefficients, that
 * is small integers of either sign, whose product needs no reduction modulo p, take the time of
 * their bits.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_METHODS_KRONECKER_H
#define GFP_PRODUCT_METHODS_KRONECKER_H

#include "product/methods/plan.h"
#include "field/base/task.h"

/* The result of a scan of operands: digits of coefficients, as integers between -p / 2 and p / 2,
 * least significant first. */
typedef struct gfp_short {
    unsigned digits; /* that some coefficient needs */
    uint64_t top;    /* the most of the highest of these digits */
    bool negative;   /* a coefficient is negative */
} gfp_short;

/* Adds n elements to the scan. False: one of them needs more than `most` digits; the scan ends
 * there, for random elements at the first one. */
bool gfp_short_scan(gfp_short *s, const gfp_field *field, const uint64_t *x, size_t n,
                    unsigned most);
/* bits_a and bits_b of the range := the bits of the coefficients of two operands if the product
 * needs no reduction modulo p, else 0. */
void gfp_short_bits(gfp_range *range, const gfp_short *a, const gfp_short *b);
/* Both for the operands of a range. */
void gfp_range_scan(gfp_range *range);

/* log2 of the predicted nanoseconds for coefficients of any size, as gfp_method.log2_cost; the
 * nanoseconds for a range with known bits. */
double gfp_kronecker_log2_cost(const struct gfp_method *row, const gfp_field *field, double m);
double gfp_kronecker_short_ns(const gfp_range *range);
bool gfp_kronecker_plan(gfp_plan *plan);
void gfp_kronecker_describe(const gfp_plan *plan, gfp_text *text);
gfp_status gfp_kronecker_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                             uint64_t *work, gfp_task *task, gfp_error *error);

#endif
