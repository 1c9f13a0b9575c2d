/* blocks.h: transforms of N = R C points in arrays that need not fit in memory: the six-step
 * formula with two passes over the data. x_(j1 C + j2) goes to y_(i1 + i2 R) by transforms of R
 * points over j1 for every j2, products with w_N^(i1 j2), and transforms of C points over j2 for
 * every i1. A pass moves as many vectors as a buffer holds through memory at once.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_BLOCKS_H
#define GFP_FFT_BLOCKS_H

#include "fft/call.h"

typedef struct gfp_fft_blocks {
    const gfp_field *field;
    unsigned log2_n, log2_rows, log2_columns; /* N = R C */
    gfp_fft_plan *rows, *columns;             /* of R and of C points */
    /* w_N^(t + u L) = low[t] high[u] for t < L and t + u L < N/2k; w_N^(N/2k) = r. */
    uint64_t *low, *high;
    size_t low_size, high_size;
    size_t buffer; /* elements that are in memory at once */
    size_t each;   /* words of a thread's buffer */
} gfp_fft_blocks;

/* Makes plans and tables for N = n, a power of two > 4 k^2, such that these and the work area of
 * gfp_fft_blocks_needs take at most cap bytes on one thread, and on up to `threads` threads if
 * possible. Errors: ARGUMENT (other n), NO_ROOT, MEMORY (the cap, too), SIZE. */
gfp_status gfp_fft_blocks_create(gfp_fft_blocks *b, const gfp_field *field, size_t n, size_t cap,
                                 unsigned threads, gfp_error *error);
void gfp_fft_blocks_clear(gfp_fft_blocks *b);
/* The bytes of plans and tables. */
size_t gfp_fft_blocks_bytes(const gfp_fft_blocks *b);
/* The needs of the calls below; *left := the bytes of the cap that the tables leave. */
gfp_fft_needs gfp_fft_blocks_needs(const gfp_fft_blocks *b, size_t cap, size_t *left);

/* One of the two passes over vectors that lie one after the other: vectors first <= i < first +
 * count. columns: vectors of R points, else of C points. The columns come first, except in the
 * inverse of permuted order. */
typedef struct gfp_fft_vectors {
    bool columns, inverse;
    gfp_order order;
    size_t first, count;
    uint64_t *x;
    uint64_t *work; /* `each` words for each thread of the task */
} gfp_fft_vectors;
/* Transforms the vectors in place. gfp_fft_blocks_units: the units that a vector adds. False:
 * cancelled. */
bool gfp_fft_blocks_vectors(const gfp_fft_blocks *b, const gfp_fft_vectors *v, gfp_task *task);
double gfp_fft_blocks_units(const gfp_fft_blocks *b, bool columns);

/* An array of N elements in: the first `len` ones from x, the others 0. out may not overlap it.
 * scratch has N elements in natural order and is NULL in permuted order, where out takes its
 * place. */
typedef struct gfp_fft_arrays {
    const uint64_t *in;
    size_t len;
    uint64_t *scratch, *out;
} gfp_fft_arrays;

/* Transforms like gfp_fft_run, in the frame of a call that was begun with
 * the needs. False: cancelled. */
bool gfp_fft_blocks_forward(const gfp_fft_blocks *b, const gfp_fft_arrays *arrays, gfp_order order,
                            gfp_fft_call *call);
bool gfp_fft_blocks_inverse(const gfp_fft_blocks *b, const gfp_fft_arrays *arrays, gfp_order order,
                            gfp_fft_call *call);

#endif
