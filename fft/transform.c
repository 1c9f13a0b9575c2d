/* transform.c: DFT_N for any N = 2^m that divides p - 1, in place, depth first.
 *
 * A level of radix R on L = R J elements (Cooley-Tukey, ISSAC 2017 (1), decimation in frequency):
 * for every column j < J a base-case DFT_R over the elements j, j + J, ...; its output number i,
 * times w_L^(i j), goes to row i; then every row is a transform of J points. Base cases leave rows
 * in bit-reversed order, so the whole result is bit-reversed, whatever the radices. The inverse
 * undoes this step by step. SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "fft_impl.h"
#include "support.h"

/* Twiddles handed to a kernel at once. */
#define TWIDDLES ((size_t)64)

size_t gfp_bit_reverse(size_t x, unsigned bits)
{
    size_t y = 0;
    for (unsigned i = 0; i < bits; i++) {
        y = (y << 1) | (x & 1);
        x >>= 1;
    }
    return y;
}

/* The exponent of r in the butterflies of block g at the stage of half h: the upper half is
 * multiplied by w_R^(h bitrev(g)), w_R = r^(2k/R), where the bits of g reversed number as many as
 * stages went before. */
static unsigned base_shift(const gfp_field *field, unsigned radix_log, unsigned half_log, size_t g)
{
    unsigned stage = radix_log - 1 - half_log;
    size_t exponent = gfp_bit_reverse(g, stage) << half_log;
    return (unsigned)(exponent << (field->log2_k + 1 - radix_log));
}

void gfp_fft_base(const gfp_field *field, uint64_t *rows, unsigned radix_log, size_t columns)
{
    size_t row = columns * field->k;
    for (unsigned half_log = radix_log; half_log-- > 0;) {
        size_t half = (size_t)1 << half_log;
        for (size_t g = 0; g < (size_t)1 << (radix_log - 1 - half_log); g++) {
            uint64_t *x = rows + 2 * g * half * row;
            field->kernels->butterfly(field, x, x + half * row,
                                      base_shift(field, radix_log, half_log, g), half * columns);
        }
    }
}

void gfp_fft_base_inverse(const gfp_field *field, uint64_t *rows, unsigned radix_log,
                          size_t columns)
{
    size_t row = columns * field->k;
    for (unsigned half_log = 0; half_log < radix_log; half_log++) {
        size_t half = (size_t)1 << half_log;
        for (size_t g = 0; g < (size_t)1 << (radix_log - 1 - half_log); g++) {
            uint64_t *x = rows + 2 * g * half * row;
            field->kernels->butterfly_inverse(field, x, x + half * row,
                                              base_shift(field, radix_log, half_log, g),
                                              half * columns);
        }
    }
}

/* w_N^t = w_N^(t mod table_size) r^s, since w_N^table_size = r where N >= 2k; smaller N have no
 * twiddles but 1. */
void gfp_fft_twiddles(const gfp_fft_plan *plan, uint64_t *x, size_t n, size_t step, size_t from)
{
    gfp_twiddle factors[TWIDDLES];
    for (size_t i = 0; i < n; i += TWIDDLES) {
        size_t count = gfp_size_min(n - i, TWIDDLES);
        for (size_t j = 0; j < count; j++) {
            size_t t = (from + (i + j) * step) & (plan->n - 1);
            factors[j] = (gfp_twiddle){t % plan->table_size, t / plan->table_size};
        }
        uint64_t *block = x + i * plan->field->k;
        plan->field->kernels->mul_indexed(plan->field, block, block, plan->table, factors, count);
    }
}

/* Rows of columns elements at distance stride from x to the buffer. */
static void gather(const gfp_field *field, uint64_t *buffer, const uint64_t *x, size_t stride,
                   size_t radix, size_t columns)
{
    size_t row = columns * field->k;
    for (size_t b = 0; b < radix; b++) {
        memcpy(buffer + b * row, x + b * stride * field->k, row * sizeof *x);
    }
}

static void scatter(const gfp_field *field, uint64_t *x, const uint64_t *buffer, size_t stride,
                    size_t radix, size_t columns)
{
    size_t row = columns * field->k;
    for (size_t b = 0; b < radix; b++) {
        memcpy(x + b * stride * field->k, buffer + b * row, row * sizeof *x);
    }
}

/* rows[b][c] times w_L^(+-bitrev(b) (j + c)), L = N / scale. */
static void twiddle_rows(const gfp_fft_plan *plan, uint64_t *rows, unsigned radix_log, size_t j,
                         size_t columns, size_t scale, bool inverse)
{
    const gfp_field *field = plan->field;
    gfp_twiddle factors[TWIDDLES];
    size_t n = columns << radix_log;
    size_t first = columns, count = 0; /* row 0 has no twiddles */
    for (size_t at = columns; at < n; at++) {
        size_t t = gfp_bit_reverse(at / columns, radix_log) * (j + at % columns) * scale;
        t = (inverse ? plan->n - t : t) & (plan->n - 1);
        factors[count++] = (gfp_twiddle){t % plan->table_size, t / plan->table_size};
        if (count == TWIDDLES || at + 1 == n) {
            uint64_t *x = rows + first * field->k;
            field->kernels->mul_indexed(field, x, x, plan->table, factors, count);
            first = at + 1;
            count = 0;
        }
    }
}

/* Columns that go through a level in lanes at once: rows of a few KiB stay in the first cache. */
#define LANE_COLUMNS ((size_t)16)

/* Whether the base case in lanes does DFT_radix on so many columns. */
static bool in_lanes(const gfp_fft_plan *plan, size_t columns)
{
    return plan->base != NULL && columns % plan->base->lanes == 0;
}

/* rows[b], b > 0, times w_L^(+-bitrev(b) (j + c)) for columns c; rows lie `stride` elements apart,
 * L = N / scale. */
static void twiddle_far_rows(const gfp_fft_plan *plan, uint64_t *rows, size_t stride,
                             unsigned radix_log, size_t j, size_t columns, size_t scale,
                             bool inverse)
{
    for (size_t b = 1; b < (size_t)1 << radix_log; b++) {
        size_t step = gfp_bit_reverse(b, radix_log) * scale;
        step = inverse ? (size_t)0 - step : step; /* exponents are modulo N, a power of two */
        gfp_fft_twiddles(plan, rows + b * stride * plan->field->k, columns, step, j * step);
    }
}

/* The base case and its twiddles on n elements from x by columns; the last level, which has one
 * column, on n / 2^radix_log blocks. False: cancelled. */
static bool level_in_lanes(const gfp_fft_plan *plan, uint64_t *x, size_t n, unsigned level,
                           bool inverse, gfp_task *task)
{
    unsigned radix_log = plan->radix_log[level];
    bool last = level + 1 == plan->levels;
    size_t k = plan->field->k, radix = (size_t)1 << radix_log, total = n >> radix_log;
    size_t row = last ? 1 : total, column = last ? radix : 1;
    for (size_t j = 0; j < total; j += LANE_COLUMNS) {
        uint64_t *from = x + j * column * k;
        gfp_base_rows rows = {from, row * k, column * k, gfp_size_min(LANE_COLUMNS, total - j)};
        if (inverse && !last) {
            twiddle_far_rows(plan, from, row, radix_log, j, rows.columns, plan->n / n, true);
        }
        (inverse ? plan->base->inverse : plan->base->forward)(plan->field, &rows, radix_log);
        if (!inverse && !last) {
            twiddle_far_rows(plan, from, row, radix_log, j, rows.columns, plan->n / n, false);
        }
        if (!gfp_task_advance(task, (double)(radix * rows.columns))) {
            return false;
        }
    }
    return true;
}

/* Whether the level is the last but one and both it and the last one run in lanes: the rows of this
 * level are then the columns of the last one. */
static bool last_in_lanes(const gfp_fft_plan *plan, unsigned level)
{
    return level + 2 == plan->levels && in_lanes(plan, (size_t)1 << plan->radix_log[level]);
}

/* One level on n elements from x, the rows left. scale = N / n. False: cancelled. */
static bool forward_columns(const gfp_fft_plan *plan, uint64_t *x, size_t n, unsigned level,
                            uint64_t *buffer, gfp_task *task)
{
    const gfp_field *field = plan->field;
    unsigned radix_log = plan->radix_log[level];
    size_t radix = (size_t)1 << radix_log;
    size_t stride = n >> radix_log;
    size_t columns = plan->columns < stride ? plan->columns : stride;
    if (stride == 1) {
        gfp_fft_base(field, x, radix_log, 1);
        return gfp_task_advance(task, (double)radix);
    }
    if (in_lanes(plan, stride)) {
        return level_in_lanes(plan, x, n, level, false, task);
    }
    for (size_t j = 0; j < stride; j += columns) {
        gather(field, buffer, x + j * field->k, stride, radix, columns);
        gfp_fft_base(field, buffer, radix_log, columns);
        twiddle_rows(plan, buffer, radix_log, j, columns, plan->n / n, false);
        scatter(field, x + j * field->k, buffer, stride, radix, columns);
        if (!gfp_task_advance(task, (double)(radix * columns))) {
            return false;
        }
    }
    return true;
}

static bool forward_level(const gfp_fft_plan *plan, uint64_t *x, size_t n, unsigned level,
                          uint64_t *buffer, gfp_task *task)
{
    size_t radix = (size_t)1 << plan->radix_log[level], stride = n / radix;
    if (!forward_columns(plan, x, n, level, buffer, task)) {
        return false;
    }
    if (last_in_lanes(plan, level)) {
        return level_in_lanes(plan, x, n, level + 1, false, task);
    }
    for (size_t b = 0; stride > 1 && b < radix; b++) {
        if (!forward_level(plan, x + b * stride * plan->field->k, stride, level + 1, buffer,
                           task)) {
            return false;
        }
    }
    return true;
}

/* One level, its rows being done. */
static bool inverse_columns(const gfp_fft_plan *plan, uint64_t *x, size_t n, unsigned level,
                            uint64_t *buffer, gfp_task *task)
{
    const gfp_field *field = plan->field;
    unsigned radix_log = plan->radix_log[level];
    size_t radix = (size_t)1 << radix_log;
    size_t stride = n >> radix_log;
    size_t columns = plan->columns < stride ? plan->columns : stride;
    if (stride == 1) {
        gfp_fft_base_inverse(field, x, radix_log, 1);
        return gfp_task_advance(task, (double)radix);
    }
    if (in_lanes(plan, stride)) {
        return level_in_lanes(plan, x, n, level, true, task);
    }
    for (size_t j = 0; j < stride; j += columns) {
        gather(field, buffer, x + j * field->k, stride, radix, columns);
        twiddle_rows(plan, buffer, radix_log, j, columns, plan->n / n, true);
        gfp_fft_base_inverse(field, buffer, radix_log, columns);
        scatter(field, x + j * field->k, buffer, stride, radix, columns);
        if (!gfp_task_advance(task, (double)(radix * columns))) {
            return false;
        }
    }
    return true;
}

static bool inverse_level(const gfp_fft_plan *plan, uint64_t *x, size_t n, unsigned level,
                          uint64_t *buffer, gfp_task *task)
{
    size_t radix = (size_t)1 << plan->radix_log[level], stride = n / radix;
    if (last_in_lanes(plan, level)) {
        if (!level_in_lanes(plan, x, n, level + 1, true, task)) {
            return false;
        }
    } else {
        for (size_t b = 0; stride > 1 && b < radix; b++) {
            if (!inverse_level(plan, x + b * stride * plan->field->k, stride, level + 1, buffer,
                               task)) {
                return false;
            }
        }
    }
    return inverse_columns(plan, x, n, level, buffer, task);
}

bool gfp_fft_forward_in_place(const gfp_fft_plan *plan, uint64_t *x, uint64_t *buffer,
                              gfp_task *task)
{
    const int rounding = gfp_rounding_begin();
    const bool going = plan->levels == 0 || forward_level(plan, x, plan->n, 0, buffer, task);
    gfp_rounding_end(rounding);
    return going;
}

bool gfp_fft_inverse_in_place(const gfp_fft_plan *plan, uint64_t *x, uint64_t *buffer,
                              gfp_task *task)
{
    const int rounding = gfp_rounding_begin();
    const bool going = plan->levels == 0 || inverse_level(plan, x, plan->n, 0, buffer, task);
    gfp_rounding_end(rounding);
    return going;
}

void gfp_fft_reorder(const gfp_field *field, uint64_t *x, unsigned log2_n)
{
    size_t k = field->k;
    for (size_t i = 0; i < (size_t)1 << log2_n; i++) {
        size_t j = gfp_bit_reverse(i, log2_n);
        if (i < j) {
            uint64_t t[GFP_MAX_K];
            memcpy(t, x + i * k, k * sizeof *x);
            memcpy(x + i * k, x + j * k, k * sizeof *x);
            memcpy(x + j * k, t, k * sizeof *x);
        }
    }
}

gfp_status gfp_fft_forward(const gfp_fft_plan *plan, uint64_t *y, const uint64_t *x,
                           gfp_order order, void *work)
{
    uint64_t *buffer;
    size_t bytes = gfp_fft_workspace(plan);
    GFP_TRY(gfp_fft_work_get(plan, work, bytes, &buffer));
    if (y != x) {
        gfp_vec_copy(plan->field, y, x, plan->n);
    }
    (void)gfp_fft_forward_in_place(plan, y, buffer, NULL);
    if (order == GFP_ORDER_NATURAL) {
        gfp_fft_reorder(plan->field, y, plan->log2_n);
    }
    gfp_fft_work_release(plan, work, bytes, buffer);
    return GFP_OK;
}

gfp_status gfp_fft_inverse(const gfp_fft_plan *plan, uint64_t *x, const uint64_t *y,
                           gfp_order order, void *work)
{
    uint64_t *buffer;
    size_t bytes = gfp_fft_workspace(plan);
    GFP_TRY(gfp_fft_work_get(plan, work, bytes, &buffer));
    if (x != y) {
        gfp_vec_copy(plan->field, x, y, plan->n);
    }
    if (order == GFP_ORDER_NATURAL) {
        gfp_fft_reorder(plan->field, x, plan->log2_n);
    }
    (void)gfp_fft_inverse_in_place(plan, x, buffer, NULL);
    gfp_vec_div_2exp(plan->field, x, x, plan->log2_n, plan->n);
    gfp_fft_work_release(plan, work, bytes, buffer);
    return GFP_OK;
}
