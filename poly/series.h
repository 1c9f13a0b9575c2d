/* series.h: power series inside operations.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_SERIES_H
#define GFP_SERIES_H

#include "operation.h"

/* Coefficients of a series: zeros beyond len. */
typedef struct gfp_series {
    const uint64_t *digits;
    size_t len;
} gfp_series;

/* g, n >= 1 elements, := 1 / f modulo X^n; f_0 is not 0. g overlaps no input. */
gfp_status gfp_series_invert(gfp_operation_call *op, uint64_t *g, size_t n, gfp_series f);
/* q, n >= 1 elements, := a / b modulo X^n; b_0 is not 0. q overlaps no input. */
gfp_status gfp_series_divide(gfp_operation_call *op, uint64_t *q, size_t n, gfp_series a,
                             gfp_series b);

/* The units of these operations: see gfp_operation_begin. */
double gfp_series_invert_units(size_t n);
double gfp_series_divide_units(size_t n);

#endif
