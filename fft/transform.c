/* transform.c: DFT_N for any N = 2^m that divides p - 1, in place, depth first.
 *
 * A level of radix R on L = R J elements (Cooley-Tukey, ISSAC 2017 (1), decimation in frequency):
 * for every column j < J a base-case DFT_R over the elements j, j + J, ...; its output number i,
 * times w_L^(i j), goes to row i; then every row is a transform of J points. Base cases leave rows
 * in bit-reversed order, so the whole result is bit-reversed, whatever the radices. The inverse
 * undoes this step by step.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "axes.h"
#include "call.h"
#include "fft_impl.h"
#include "parallel.h"
#include "support.h"

/* The number of twiddles of one call of a kernel. */
#define TWIDDLES ((size_t)64)

size_t gfp_bit_reverse(size_t x, unsigned bits)
{
    /* Bits change places with their neighbours, then twos, then fours, ... */
    static const uint64_t low[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                   0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
    uint64_t y = x;
    for (unsigned i = 0; i < 6; i++) {
        y = (y & low[i]) << (1U << i) | (y >> (1U << i) & low[i]);
    }
    return bits == 0 ? 0 : (size_t)(y >> (64 - bits));
}

/* Returns the exponent of r in the butterflies of block g at the stage of half h: the upper half is
 * multiplied by w_R^(h bitrev(g)), w_R = r^(2k/R), where bitrev reverses one bit of g per stage
 * before. */
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

/* w_N^t = w_N^(t mod table_size) r^s, since w_N^table_size = r for N >= 2k; smaller N have no
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

/* Copies rows of `columns` elements at distance stride from x to the buffer. */
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

/* The number of columns that go through a level in lanes at once: rows of a few KiB stay in the
 * first cache. */
#define LANE_COLUMNS ((size_t)16)

/* Whether the base case in lanes serves DFT_radix on this many columns. */
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

/* A running level on n elements from x, or the rows that it leaves. */
typedef struct pass {
    const gfp_fft_plan *plan;
    uint64_t *x;
    size_t n;
    unsigned level;
    bool inverse;
    uint64_t *buffer; /* one for each worker */
} pass;

/* Returns the buffer of a worker. */
static uint64_t *buffer_of(const pass *s, unsigned worker)
{
    return s->buffer + worker * gfp_fft_buffer_words(s->plan);
}

/* Returns the least number of items of a level that a thread takes at once: some 15 us. */
static size_t least_chunk(const gfp_fft_plan *plan, size_t item_elements)
{
    const size_t chunk = 2048 / (item_elements * plan->field->k);
    return chunk == 0 ? 1 : chunk;
}

/* Returns the chunk size of a loop over items of item_elements elements each. */
static size_t chunk_of(const pass *s, const gfp_task *task, size_t items, size_t item_elements)
{
    const size_t chunk = gfp_parallel_chunk(task, items, 4);
    const size_t least = least_chunk(s->plan, item_elements);
    return chunk > least ? chunk : least;
}

/* Does LANE_COLUMNS columns for each item from <= i < to. */
static gfp_status lane_columns(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const pass *s = user;
    const gfp_fft_plan *plan = s->plan;
    unsigned radix_log = plan->radix_log[s->level];
    bool last = s->level + 1 == plan->levels;
    size_t k = plan->field->k, radix = (size_t)1 << radix_log, total = s->n >> radix_log;
    size_t row = last ? 1 : total, column = last ? radix : 1;
    (void)worker;
    for (size_t i = from; i < to; i++) {
        size_t j = i * LANE_COLUMNS;
        uint64_t *x = s->x + j * column * k;
        gfp_base_rows rows = {x, row * k, column * k, gfp_size_min(LANE_COLUMNS, total - j)};
        if (s->inverse && !last) {
            twiddle_far_rows(plan, x, row, radix_log, j, rows.columns, plan->n / s->n, true);
        }
        (s->inverse ? plan->base->inverse : plan->base->forward)(plan->field, &rows, radix_log);
        if (!s->inverse && !last) {
            twiddle_far_rows(plan, x, row, radix_log, j, rows.columns, plan->n / s->n, false);
        }
        if (!gfp_task_advance(task, (double)(radix * rows.columns))) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Does the base case and its twiddles on n elements from x by columns; the last level has one
 * column, and goes by n / 2^radix_log blocks. Returns false if the call is cancelled. */
static bool level_in_lanes(const gfp_fft_plan *plan, uint64_t *x, size_t n, unsigned level,
                           bool inverse, gfp_task *task)
{
    size_t radix = (size_t)1 << plan->radix_log[level], total = n / radix;
    size_t items = (total + LANE_COLUMNS - 1) / LANE_COLUMNS;
    pass s = {.plan = plan, .x = x, .n = n, .level = level, .inverse = inverse};
    const gfp_parallel loop = {.run = lane_columns, .job = &s};
    return gfp_parallel_for(&loop, task, items, chunk_of(&s, task, items, radix * LANE_COLUMNS)) ==
           GFP_OK;
}

/* Whether the level is the last but one, and both it and the last level run in lanes: the rows of
 * this level are then the columns of the last level. */
static bool last_in_lanes(const gfp_fft_plan *plan, unsigned level)
{
    return level + 2 == plan->levels && in_lanes(plan, (size_t)1 << plan->radix_log[level]);
}

/* Returns the number of columns that go through the buffer at once: plan->columns of radix 2k, and
 * as many more of a smaller radix as the buffer holds, so that its few rows hand enough twiddles to
 * a kernel at once. */
static size_t buffer_columns(const gfp_fft_plan *plan, unsigned radix_log, size_t stride)
{
    return gfp_size_min(plan->columns << (plan->field->log2_k + 1 - radix_log), stride);
}

/* Moves groups of columns from <= i < to through a worker's buffer. */
static gfp_status buffered_columns(void *user, size_t from, size_t to, unsigned worker,
                                   gfp_task *task)
{
    const pass *s = user;
    const gfp_fft_plan *plan = s->plan;
    const gfp_field *field = plan->field;
    unsigned radix_log = plan->radix_log[s->level];
    size_t radix = (size_t)1 << radix_log, stride = s->n >> radix_log, scale = plan->n / s->n;
    size_t columns = buffer_columns(plan, radix_log, stride);
    uint64_t *buffer = buffer_of(s, worker);
    for (size_t j = from * columns; j < to * columns; j += columns) {
        gather(field, buffer, s->x + j * field->k, stride, radix, columns);
        if (s->inverse) {
            twiddle_rows(plan, buffer, radix_log, j, columns, scale, true);
            gfp_fft_base_inverse(field, buffer, radix_log, columns);
        } else {
            gfp_fft_base(field, buffer, radix_log, columns);
            twiddle_rows(plan, buffer, radix_log, j, columns, scale, false);
        }
        scatter(field, s->x + j * field->k, buffer, stride, radix, columns);
        if (!gfp_task_advance(task, (double)(radix * columns))) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Does one level on n elements from x, before its rows, or (inverse) after them. Returns false if
 * the call is cancelled. */
static bool columns_of(const gfp_fft_plan *plan, uint64_t *x, size_t n, unsigned level,
                       bool inverse, uint64_t *buffer, gfp_task *task)
{
    unsigned radix_log = plan->radix_log[level];
    size_t radix = (size_t)1 << radix_log, stride = n >> radix_log;
    if (stride == 1) {
        (inverse ? gfp_fft_base_inverse : gfp_fft_base)(plan->field, x, radix_log, 1);
        return gfp_task_advance(task, (double)radix);
    }
    if (in_lanes(plan, stride)) {
        return level_in_lanes(plan, x, n, level, inverse, task);
    }
    /* Both are powers of two. */
    size_t columns = buffer_columns(plan, radix_log, stride), items = stride / columns;
    pass s = {.plan = plan, .x = x, .n = n, .level = level, .inverse = inverse, .buffer = buffer};
    const gfp_parallel loop = {.run = buffered_columns, .job = &s};
    return gfp_parallel_for(&loop, task, items, chunk_of(&s, task, items, radix * columns)) ==
           GFP_OK;
}

static bool transform_level(const gfp_fft_plan *plan, uint64_t *x, size_t n, unsigned level,
                            bool inverse, uint64_t *buffer, gfp_task *task);

/* Transforms rows from <= b < to of a level, from the next level on. */
static gfp_status transform_rows(void *user, size_t from, size_t to, unsigned worker,
                                 gfp_task *task)
{
    const pass *s = user;
    size_t row = s->n >> s->plan->radix_log[s->level];
    for (size_t b = from; b < to; b++) {
        if (!transform_level(s->plan, s->x + b * row * s->plan->field->k, row, s->level + 1,
                             s->inverse, buffer_of(s, worker), task)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Transforms all rows of a level. Threads share the rows if the rows are many or divide evenly;
 * else the levels below share the work of each row in turn. */
static bool rows_of(const gfp_fft_plan *plan, uint64_t *x, size_t n, unsigned level, bool inverse,
                    uint64_t *buffer, gfp_task *task)
{
    size_t radix = (size_t)1 << plan->radix_log[level], threads = gfp_task_threads(task);
    bool shared = radix % threads == 0 || radix >= 16 * threads;
    pass s = {.plan = plan, .x = x, .n = n, .level = level, .inverse = inverse, .buffer = buffer};
    const gfp_parallel loop = {.run = transform_rows, .job = &s};
    if (n == radix) {
        return true;
    }
    if (last_in_lanes(plan, level)) {
        return level_in_lanes(plan, x, n, level + 1, inverse, task);
    }
    if (!shared) {
        return transform_rows(&s, 0, radix, 0, task) == GFP_OK;
    }
    return gfp_parallel_for(&loop, task, radix, least_chunk(plan, n / radix)) == GFP_OK;
}

static bool transform_level(const gfp_fft_plan *plan, uint64_t *x, size_t n, unsigned level,
                            bool inverse, uint64_t *buffer, gfp_task *task)
{
    if (inverse) {
        return rows_of(plan, x, n, level, true, buffer, task) &&
               columns_of(plan, x, n, level, true, buffer, task);
    }
    return columns_of(plan, x, n, level, false, buffer, task) &&
           rows_of(plan, x, n, level, false, buffer, task);
}

bool gfp_fft_forward_in_place(const gfp_fft_plan *plan, uint64_t *x, uint64_t *buffer,
                              gfp_task *task)
{
    const int rounding = gfp_rounding_begin();
    const bool going =
        plan->levels == 0 || transform_level(plan, x, plan->n, 0, false, buffer, task);
    gfp_rounding_end(rounding);
    return going;
}

bool gfp_fft_inverse_in_place(const gfp_fft_plan *plan, uint64_t *x, uint64_t *buffer,
                              gfp_task *task)
{
    const int rounding = gfp_rounding_begin();
    const bool going =
        plan->levels == 0 || transform_level(plan, x, plan->n, 0, true, buffer, task);
    gfp_rounding_end(rounding);
    return going;
}

/* ---- calls ---- */

size_t gfp_fft_shared_words(const gfp_fft_plan *plan)
{
    return plan->axes != NULL ? gfp_fft_axes_shared(plan) : 0;
}

bool gfp_fft_run_forward(const gfp_fft_plan *plan, uint64_t *y, const uint64_t *x, gfp_order order,
                         uint64_t *area, gfp_task *task)
{
    const bool permuted = order == GFP_ORDER_PERMUTED;
    if (plan->axes != NULL) {
        return gfp_fft_axes_run(plan, y, x, false, permuted, area, task);
    }
    return gfp_fft_copy(task, plan->field, y, x, plan->n) &&
           gfp_fft_forward_in_place(plan, y, area, task) &&
           (permuted || gfp_fft_reorder(task, plan->field, y, y, plan->log2_n));
}

bool gfp_fft_run_inverse(const gfp_fft_plan *plan, uint64_t *x, const uint64_t *y, gfp_order order,
                         uint64_t *area, gfp_task *task)
{
    const bool permuted = order == GFP_ORDER_PERMUTED;
    const gfp_field *field = plan->field;
    if (plan->axes != NULL) {
        return gfp_fft_axes_run(plan, x, y, true, permuted, area, task) &&
               gfp_fft_scale(task, field, x, plan->axes->scale, plan->n);
    }
    return (permuted ? gfp_fft_copy(task, field, x, y, plan->n)
                     : gfp_fft_reorder(task, field, x, y, plan->log2_n)) &&
           gfp_fft_inverse_in_place(plan, x, area, task) &&
           gfp_fft_divide(task, field, x, plan->log2_n, plan->n);
}

double gfp_fft_run_units(const gfp_fft_plan *plan, bool inverse)
{
    const double n = (double)plan->n;
    if (plan->axes != NULL) {
        return gfp_fft_axes_units(plan) + (inverse ? n : 0);
    }
    return gfp_fft_transform_units(plan->field, plan->n) +
           (inverse ? n * GFP_FFT_DIVISION_UNITS : 0);
}

static gfp_status begin(gfp_fft_call *call, const gfp_fft_plan *plan, bool inverse,
                        const gfp_options *options)
{
    const gfp_fft_needs needs = {.shared = gfp_fft_shared_words(plan),
                                 .each = gfp_fft_buffer_words(plan),
                                 .elements = plan->n,
                                 .units = gfp_fft_run_units(plan, inverse)};
    return gfp_fft_call_begin(call, "dft", plan->field, &needs, options);
}

gfp_status gfp_fft_forward(const gfp_fft_plan *plan, uint64_t *y, const uint64_t *x,
                           gfp_order order, const gfp_options *options)
{
    gfp_fft_call call;
    GFP_TRY(begin(&call, plan, false, options));
    const bool completed = gfp_fft_run_forward(plan, y, x, order, call.area, call.task);
    return gfp_fft_call_end(&call, completed);
}

gfp_status gfp_fft_inverse(const gfp_fft_plan *plan, uint64_t *x, const uint64_t *y,
                           gfp_order order, const gfp_options *options)
{
    gfp_fft_call call;
    GFP_TRY(begin(&call, plan, true, options));
    const bool completed = gfp_fft_run_inverse(plan, x, y, order, call.area, call.task);
    return gfp_fft_call_end(&call, completed);
}
