/* thresholds.h: the table of thresholds of the toolkit: up to which size an operation is computed
 * by its base case. Values are compiled in; `gfpoly_bench --thresholds` measures them. Results do
 * not depend on thresholds.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_THRESHOLDS_H
#define GFP_POLY_THRESHOLDS_H

#include "field/base/cpu.h"
#include "gfpoly/tuning.h"

/* The rows of the table, in the order of their names. */
typedef enum gfp_threshold {
    GFP_THRESHOLD_COMPOSE_HORNER,
    GFP_THRESHOLD_COMPOSE_STEPS,
    GFP_THRESHOLD_DIVISION,
    GFP_THRESHOLD_GEOMETRIC,
    GFP_THRESHOLD_HALF_GCD,
    GFP_THRESHOLD_MATRIX_ROWS,
    GFP_THRESHOLD_MATRIX_ROWS_KEPT,
    GFP_THRESHOLD_MODULUS,
    GFP_THRESHOLD_QUOTIENT_BLOCKS,
    GFP_THRESHOLD_REMAINDER,
    GFP_THRESHOLD_SERIES_DEFINITION,
    GFP_THRESHOLD_SERIES_RECURRENCE,
    GFP_THRESHOLD_SERIES_START,
    GFP_THRESHOLD_TREE_HORNER,
    GFP_THRESHOLD_TREE_INTERPOLATION,
    GFP_THRESHOLD_TREE_LEAF,
    GFP_THRESHOLD_TREE_POINTS,
    GFP_THRESHOLD_TREE_ROOTS,
    GFP_THRESHOLDS
} gfp_threshold;

/* A value of this size: the base case at every size. The greatest value of all rows. */
#define GFP_THRESHOLD_ALWAYS ((size_t)1 << 30)

/* Entries for k = 2, 4, 8, 16, 32 and from 64 on. */
#define GFP_THRESHOLD_ENTRIES 6

typedef struct gfp_threshold_row {
    const char *name;
    size_t least, most; /* values beyond count as these */
    /* By the level of the kernels that multiply polynomials and matrices over the field. */
    size_t value[GFP_LEVEL_MEASURED][GFP_THRESHOLD_ENTRIES];
} gfp_threshold_row;

const gfp_threshold_row *gfp_threshold_get(gfp_threshold threshold);
/* value := the thresholds for a field: the compiled-in ones, or those that gfp_thresholds_set gave
 * to the tuning (may be NULL). */
void gfp_thresholds_read(size_t value[GFP_THRESHOLDS], const gfp_field *field,
                         const gfp_tuning *tuning);
/* For tests and benchmarks: calls with this tuning take these values, which must outlive the
 * tuning, within the limits of each row; the compiled-in value where one is GFP_THRESHOLD_COMPILED.
 */
#define GFP_THRESHOLD_COMPILED SIZE_MAX
void gfp_thresholds_set(gfp_tuning *tuning, const size_t value[GFP_THRESHOLDS]);
/* Whether a base case that takes n len products is used for an operand of size n and one of size
 * len, when for two operands of one size it is used up to the threshold. What follows costs little
 * more than len for long operands: from a quarter of the threshold on, n + len counts. */
bool gfp_threshold_serves(size_t threshold, size_t n, size_t len);

#endif
