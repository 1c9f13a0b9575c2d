/* series.h: inverses and quotients of many power series at once, rows of device arrays.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_DEVICE_SERIES_H
#define GFP_POLY_DEVICE_SERIES_H

#include "gfpoly/gpu_toolkit.h"

/* For each row i < rows: g_i := 1 / f_i mod X^n. Rows f have len_f coefficients, the constant term
 * first; coefficients beyond are 0. Rows g have n; they may overlap f. Waits. Errors:
 * NOT_INVERTIBLE (n > 0, and the constant term of row error->index is 0, or len_f is 0), ARGUMENT,
 * SIZE, MEMORY, DEVICE, UNAVAILABLE (the ring's method does not serve these lengths). Cost: 2 M,
 * and two passes over g; work space for 3 n elements a row. The check is a product f g for all
 * rows, and one check of a product for each row, which waits. */
GFP_MUST_CHECK gfp_status gfp_gpu_vec_inv_series(gfp_gpu_ring *ring, const gfp_gpu_rows *g,
                                                 size_t n, const gfp_gpu_rows *f, size_t len_f,
                                                 size_t rows, const gfp_options *options);
/* q_i := a_i / b_i mod X^n for each row i < rows of the pairs, which are as above. Waits. Errors:
 * those of the inverse of b. Cost: 2.5 M; the check is that of the inverse. */
GFP_MUST_CHECK gfp_status gfp_gpu_vec_div_series(gfp_gpu_ring *ring, const gfp_gpu_rows *q,
                                                 size_t n, const gfp_gpu_pairs *pairs,
                                                 const gfp_options *options);

#endif
