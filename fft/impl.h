/* impl.h: the members of a plan, and the steps that the transforms share.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_IMPL_H
#define GFP_FFT_IMPL_H

#include "fft/task.h"
#include "field/base/context.h"

/* log2 of any length that fits the address space, in levels of at least 2 bits (k >= 2). */
#define GFP_FFT_MAX_LEVELS 32

/* A layout: element b of column c is at x + b row_step + c column_step, in words. */
typedef struct gfp_base_rows {
    uint64_t *x;
    size_t row_step, column_step;
    size_t columns;
} gfp_base_rows;

/* The base case DFT_(2^radix_log), radix_log <= 4, in lanes: by columns, a multiple of lanes, in
 * place, canonical digits in and out. Order and factors are those of gfp_fft_base and its
 * inverse. */
typedef struct gfp_base_engine {
    unsigned lanes;
    void (*forward)(const gfp_field *field, const gfp_base_rows *rows, unsigned radix_log);
    void (*inverse)(const gfp_field *field, const gfp_base_rows *rows, unsigned radix_log);
} gfp_base_engine;

/* Returns the engine for the field's level and k <= 8 on vector levels, else NULL. */
const gfp_base_engine *gfp_base_engine_get(const gfp_field *field);

struct gfp_fft_plan {
    const gfp_field *field;
    size_t n;
    unsigned log2_n;
    /* N is the product of 2^radix_log[i], level 0 first; every radix is at most 2k. */
    unsigned levels;
    unsigned radix_log[GFP_FFT_MAX_LEVELS];
    /* The powers w_N^t for t < table_size = max(1, N/2k); w_N^(N/2k) = r gives all others. */
    size_t table_size;
    uint64_t *table;
    const gfp_base_engine *base; /* may be NULL */
    /* The number of elements of the buffer of one base-case transform. */
    size_t buffer;
    /* The number of columns of one base-case call: enough to fill cache lines. */
    size_t columns;
    /* NULL: N = 2^m. Else the transform is that of axes.h, and of the members above only field and
     * n are set. */
    struct gfp_fft_axes *axes;
};

/* rows := the DFT of radix points at w_radix on rows of `columns` elements each, by shifts only,
 * natural order in, bit-reversed out (ISSAC 2017, section 4: base case). 2^radix_log <= 2k. */
void gfp_fft_base(const gfp_field *field, uint64_t *rows, unsigned radix_log, size_t columns);
/* rows := 2^radix_log times the inverse of gfp_fft_base. */
void gfp_fft_base_inverse(const gfp_field *field, uint64_t *rows, unsigned radix_log,
                          size_t columns);

/* x_i := x_i w_N^(from + i step) for i < n. */
void gfp_fft_twiddles(const gfp_fft_plan *plan, uint64_t *x, size_t n, size_t step, size_t from);

/* Returns the lowest bits of x in reverse order. */
size_t gfp_bit_reverse(size_t x, unsigned bits);

#endif
