/* sequence.h: sequences of elements inside operations (operation.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_SEQUENCE_H
#define GFP_POLY_SEQUENCE_H

#include "poly/operation.h"

/* Coefficients of a series: zeros beyond len. */
typedef struct gfp_series {
    const uint64_t *digits;
    size_t len;
} gfp_series;

/* A polynomial in an array with room: len coefficients, the last one not 0. */
typedef struct gfp_piece {
    uint64_t *digits;
    size_t len;
} gfp_piece;

static inline gfp_series gfp_piece_series(gfp_piece x)
{
    return (gfp_series){x.digits, x.len};
}

/* The coefficients from <= i < from + n of a series, as far as there are any. */
gfp_series gfp_series_slice(const gfp_field *field, gfp_series a, size_t from, size_t n);
/* z := the first n coefficients, with zeros. */
void gfp_series_copy(const gfp_field *field, uint64_t *z, size_t n, gfp_series a);

/* z_i := x_0 ... x_i for i < n; z may be x. Two products for each element. */
gfp_status gfp_sequence_products(gfp_operation_call *op, uint64_t *z, const uint64_t *x, size_t n);
/* z_i := c^i for i < n. One product for each element. */
gfp_status gfp_sequence_powers(gfp_operation_call *op, uint64_t *z, size_t n, const uint64_t *c);
/* z_i := c^(i (i - 1) / 2) for i < n, n >= 1. Three products for each element. */
gfp_status gfp_sequence_chirp(gfp_operation_call *op, uint64_t *z, size_t n, const uint64_t *c);
/* z_i := z_i x_i for i < n. */
gfp_status gfp_sequence_times(gfp_operation_call *op, uint64_t *z, const uint64_t *x, size_t n);
/* z_i := z_i c^i for i < n. Two products for each element. */
gfp_status gfp_sequence_times_powers(gfp_operation_call *op, uint64_t *z, size_t n,
                                     const uint64_t *c);
/* z_i := 1 / x_i for i < n, which are not 0; z may be x. Four products for each element. Errors:
 * NOT_INVERTIBLE, *zero := the first i with x_i = 0. */
gfp_status gfp_sequence_invert(gfp_operation_call *op, uint64_t *z, const uint64_t *x, size_t n,
                               size_t *zero);
/* Reverses the order. */
void gfp_sequence_reverse(const gfp_field *field, uint64_t *x, size_t n);

#endif
