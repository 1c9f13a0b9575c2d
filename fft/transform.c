/* transform.c: DFT_N for any N = 2^m that divides p - 1, in place, depth first.
 *
 * A level of radix R on L = R J elements (Cooley-Tukey, ISSAC 2017 (1), decimation in frequency):
 * for every column j < J a base-case DFT_R over the elements j, j + J, ...; its output number i,
 * times w_L^(i j), goes to row i; then every row is a transform of J points. Base cases leave rows
 * in bit-reversed order, so the whole result is bit-reversed, whatever the radices. The inverse
 * undoes this step by step.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "fft/axes.h"
#include "fft/call.h"
#include "fft/impl.h"
#include "field/base/parallel.h"
#include "fft/six_step.h"
#include "field/base/support.h"

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
static void transform_gather(const gfp_field *field, uint64_t *buffer, const uint64_t *x,
                             size_t stride, size_t radix, size_t columns)
{
    size_t row = columns * field->k;
    for (size_t b = 0; b < radix; b++) {
        memcpy(buffer + b * row, x + b * stride * field->k, row * sizeof *x);
    }
}

static void transform_scatter(const gfp_field *field, uint64_t *x, const uint64_t *buffer,
                              size_t stride, size_t radix, size_t columns)
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

/* A level on blocks of n elements, one behind the other, or the levels from this one on. Before the
 * first level that is done the elements lie at `from`, which may be x: that level moves them. */
typedef struct pass {
    const gfp_fft_plan *plan;
    uint64_t *x;
    const uint64_t *from;
    size_t blocks, n;
    unsigned level;
    bool inverse;
    unsigned halvings; /* the inverse of level 0 divides by 2^halvings */
    uint64_t *buffer;  /* one for each worker */
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

/* Runs a loop over items of item_elements elements each. */
static bool run_items(pass *s, gfp_parallel_run *run, size_t items, size_t item_elements,
                      gfp_task *task)
{
    const gfp_parallel loop = {.run = run, .job = s};
    if (gfp_task_threads(task) == 1) {
        return run(s, 0, items, 0, task) == GFP_OK;
    }
    const size_t chunk = gfp_parallel_chunk(task, items, 4);
    const size_t least = least_chunk(s->plan, item_elements);
    return gfp_parallel_for(&loop, task, items, chunk > least ? chunk : least) == GFP_OK;
}

/* Divides n elements at the end of an inverse transform. */
static void transform_halve(const pass *s, uint64_t *x, size_t n)
{
    if (s->halvings != 0 && s->level == 0) {
        gfp_vec_div_2exp(s->plan->field, x, x, s->halvings, n);
    }
}

/* Counts elements of a level as done. Returns false if the call is cancelled. */
static bool count_elements(const pass *s, size_t elements, gfp_task *task)
{
    const bool halves = s->halvings != 0 && s->level == 0;
    return gfp_task_advance(task, (double)elements * (halves ? 1 + GFP_FFT_DIVISION_UNITS : 1));
}

/* ---- base cases in lanes ---- */

/* The columns of a level, LANE_COLUMNS in an item. A block of the last level is a column, and all
 * blocks are treated as one. */
typedef struct lane_shape {
    size_t columns, items; /* of a block */
    size_t row, column;    /* elements between rows, and between columns */
} lane_shape;

static lane_shape lane_shape_of(const pass *s)
{
    const unsigned radix_log = s->plan->radix_log[s->level];
    const bool last = s->level + 1 == s->plan->levels;
    const size_t columns = (last ? s->blocks * s->n : s->n) >> radix_log;
    return (lane_shape){.columns = columns,
                        .items = (columns + LANE_COLUMNS - 1) / LANE_COLUMNS,
                        .row = last ? 1 : columns,
                        .column = last ? (size_t)1 << radix_log : 1};
}

/* Moves the elements of some columns to x, or (halves) divides them there: rows of neighbours. */
static void lane_edge(const pass *s, const lane_shape *shape, const gfp_base_rows *rows,
                      bool halves)
{
    const size_t k = s->plan->field->k, radix = (size_t)1 << s->plan->radix_log[s->level];
    const bool last = shape->row == 1;
    const size_t each = last ? rows->columns * radix : rows->columns;
    for (size_t b = 0; b < (last ? 1 : radix); b++) {
        uint64_t *x = rows->x + b * shape->row * k;
        if (halves) {
            gfp_vec_div_2exp(s->plan->field, x, x, s->halvings, each);
        } else {
            memcpy(x, s->from + (x - s->x), each * k * sizeof *x);
        }
    }
}

static gfp_status lane_columns(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const pass *s = user;
    const gfp_fft_plan *plan = s->plan;
    const lane_shape shape = lane_shape_of(s);
    const unsigned radix_log = plan->radix_log[s->level];
    const bool twiddles = s->level + 1 != plan->levels, halves = s->halvings != 0 && s->level == 0;
    const size_t k = plan->field->k, scale = plan->n / s->n;
    const size_t block = from == 0 ? 0 : from / shape.items;
    uint64_t *x = s->x + block * s->n * k;
    size_t j = (from - block * shape.items) * LANE_COLUMNS;
    (void)worker;
    for (size_t i = from; i < to; i++, j += LANE_COLUMNS) {
        if (j >= shape.columns) {
            j = 0;
            x += s->n * k;
        }
        const gfp_base_rows rows = {x + j * shape.column * k, shape.row * k, shape.column * k,
                                    gfp_size_min(LANE_COLUMNS, shape.columns - j)};
        if (s->from != s->x) {
            lane_edge(s, &shape, &rows, false);
        }
        if (s->inverse && twiddles) {
            twiddle_far_rows(plan, rows.x, shape.row, radix_log, j, rows.columns, scale, true);
        }
        (s->inverse ? plan->base->inverse : plan->base->forward)(plan->field, &rows, radix_log);
        if (!s->inverse && twiddles) {
            twiddle_far_rows(plan, rows.x, shape.row, radix_log, j, rows.columns, scale, false);
        }
        if (halves) {
            lane_edge(s, &shape, &rows, true);
        }
        if (!count_elements(s, rows.columns << radix_log, task)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Does the base case and its twiddles on all blocks by columns. Returns false if the call is
 * cancelled. */
static bool level_in_lanes(pass *s, gfp_task *task)
{
    const size_t radix = (size_t)1 << s->plan->radix_log[s->level];
    const bool last = s->level + 1 == s->plan->levels;
    const size_t items = lane_shape_of(s).items * (last ? 1 : s->blocks);
    return run_items(s, lane_columns, items, radix * LANE_COLUMNS, task);
}

/* Whether the level is the last but one, and both it and the last level run in lanes: the rows of
 * this level are then the columns of the last level. */
static bool last_in_lanes(const gfp_fft_plan *plan, unsigned level)
{
    return level + 2 == plan->levels && in_lanes(plan, (size_t)1 << plan->radix_log[level]);
}

/* ---- base cases through a buffer, and of whole blocks ---- */

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
    for (size_t i = from; i < to; i++) {
        const size_t j = i * columns % stride, at = i * columns / stride * s->n + j;
        transform_gather(field, buffer, s->from + at * field->k, stride, radix, columns);
        if (s->inverse) {
            twiddle_rows(plan, buffer, radix_log, j, columns, scale, true);
            gfp_fft_base_inverse(field, buffer, radix_log, columns);
            transform_halve(s, buffer, radix * columns);
        } else {
            gfp_fft_base(field, buffer, radix_log, columns);
            twiddle_rows(plan, buffer, radix_log, j, columns, scale, false);
        }
        transform_scatter(field, s->x + at * field->k, buffer, stride, radix, columns);
        if (!count_elements(s, radix * columns, task)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* The last level on blocks from <= i < to. */
static gfp_status base_blocks(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const pass *s = user;
    const gfp_field *field = s->plan->field;
    const unsigned radix_log = s->plan->radix_log[s->level];
    (void)worker;
    for (size_t i = from; i < to; i++) {
        uint64_t *x = s->x + i * s->n * field->k;
        if (s->from != s->x) {
            memcpy(x, s->from + i * s->n * field->k, s->n * field->k * sizeof *x);
        }
        (s->inverse ? gfp_fft_base_inverse : gfp_fft_base)(field, x, radix_log, 1);
        transform_halve(s, x, s->n);
        if (!count_elements(s, s->n, task)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Does one level on all blocks, before their rows, or (inverse) after them. Returns false if the
 * call is cancelled. */
static bool columns_of(pass *s, gfp_task *task)
{
    const gfp_fft_plan *plan = s->plan;
    const unsigned radix_log = plan->radix_log[s->level];
    const size_t radix = (size_t)1 << radix_log, stride = s->n >> radix_log;
    if (stride == 1) {
        return run_items(s, base_blocks, s->blocks, radix, task);
    }
    if (in_lanes(plan, stride)) {
        return level_in_lanes(s, task);
    }
    /* Both are powers of two. */
    const size_t columns = buffer_columns(plan, radix_log, stride);
    return run_items(s, buffered_columns, s->blocks * (stride / columns), radix * columns, task);
}

/* ---- levels ---- */

static bool transform_levels(pass *s, gfp_task *task);

/* Transforms blocks from <= b < to, each by itself. */
static gfp_status transform_blocks(void *user, size_t from, size_t to, unsigned worker,
                                   gfp_task *task)
{
    const pass *s = user;
    pass one = *s;
    one.blocks = 1;
    one.buffer = buffer_of(s, worker);
    for (size_t b = from; b < to; b++) {
        one.x = s->x + b * s->n * s->plan->field->k;
        one.from = s->from + b * s->n * s->plan->field->k;
        if (!transform_levels(&one, task)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Transforms all rows of a level, which are the blocks of the next level. Threads share the blocks
 * if the blocks are many or divide evenly; else threads share the next level on all blocks. */
static bool rows_of(const pass *s, gfp_task *task)
{
    const gfp_fft_plan *plan = s->plan;
    const size_t radix = (size_t)1 << plan->radix_log[s->level], threads = gfp_task_threads(task);
    pass next = *s;
    next.level++;
    next.blocks = s->blocks * radix;
    next.n = s->n / radix;
    if (last_in_lanes(plan, s->level)) {
        return level_in_lanes(&next, task);
    }
    if (threads == 1) {
        return transform_blocks(&next, 0, next.blocks, 0, task) == GFP_OK;
    }
    if (next.blocks % threads != 0 && next.blocks < 8 * threads) {
        return transform_levels(&next, task);
    }
    const gfp_parallel loop = {.run = transform_blocks, .job = &next};
    return gfp_parallel_for(&loop, task, next.blocks, least_chunk(plan, next.n)) == GFP_OK;
}

/* The first step takes the elements from s->from, all others from x; s->from is x afterwards. */
static bool transform_levels(pass *s, gfp_task *task)
{
    const bool last = s->n >> s->plan->radix_log[s->level] == 1;
    if (s->inverse && !last) {
        if (!rows_of(s, task)) {
            return false;
        }
        s->from = s->x;
    }
    if (!columns_of(s, task)) {
        return false;
    }
    s->from = s->x;
    return s->inverse || last || rows_of(s, task);
}

/* Transforms in place, or from another array; halvings: of the inverse. */
static bool fft_transform(const gfp_fft_plan *plan, uint64_t *x, const uint64_t *from, bool inverse,
                          unsigned halvings, uint64_t *buffer, gfp_task *task)
{
    pass all = {.plan = plan,
                .x = x,
                .from = from,
                .blocks = 1,
                .n = plan->n,
                .inverse = inverse,
                .halvings = halvings,
                .buffer = buffer};
    if (plan->levels == 0) {
        return gfp_fft_copy(task, plan->field, x, from, plan->n);
    }
    const int rounding = gfp_rounding_begin();
    const bool going = transform_levels(&all, task);
    gfp_rounding_end(rounding);
    return going;
}

bool gfp_fft_forward_in_place(const gfp_fft_plan *plan, uint64_t *x, uint64_t *buffer,
                              gfp_task *task)
{
    return fft_transform(plan, x, x, false, 0, buffer, task);
}

bool gfp_fft_inverse_in_place(const gfp_fft_plan *plan, uint64_t *x, uint64_t *buffer,
                              gfp_task *task)
{
    return fft_transform(plan, x, x, true, 0, buffer, task);
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
    /* Threads save a pass over memory. One thread is faster by a copy, which reads in order: level
     * 0 reads and writes rows that lie in the same sets of the first cache. */
    if (gfp_task_threads(task) == 1) {
        if (!gfp_fft_copy(task, plan->field, y, x, plan->n)) {
            return false;
        }
        x = y;
    }
    return fft_transform(plan, y, x, false, 0, area, task) &&
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
    if (!permuted) {
        if (!gfp_fft_reorder(task, field, x, y, plan->log2_n)) {
            return false;
        }
        y = x;
    }
    return fft_transform(plan, x, y, true, plan->log2_n, area, task);
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

static gfp_status transform_begin(gfp_fft_call *call, const gfp_fft_plan *plan, bool inverse,
                                  const gfp_options *options)
{
    const gfp_fft_needs needs = {.shared = gfp_fft_shared_words(plan),
                                 .each = gfp_fft_buffer_words(plan),
                                 .elements = plan->n,
                                 .units = gfp_fft_run_units(plan, inverse)};
    return gfp_fft_call_begin(call, "dft", plan->field, &needs, options);
}

gfp_status gfp_fft_check_kind(gfp_direction direction, gfp_order order, gfp_error *error)
{
    if (direction != GFP_FORWARD && direction != GFP_INVERSE) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no such direction: %d", (int)direction);
    }
    return order == GFP_ORDER_NATURAL || order == GFP_ORDER_PERMUTED
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_ARGUMENT, "no such order: %d", (int)order);
}

/* *six_step := whether the options name the six-step form. Errors: UNKNOWN, UNAVAILABLE (the form
 * in permuted order), ARGUMENT (the direction, the order), those of reading options. */
static gfp_status read_method(bool *six_step, gfp_direction direction, gfp_order order,
                              const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(gfp_fft_check_kind(direction, order, options->error));
    *six_step = !gfp_options_auto(options) && strcmp(options->method, "six-step") == 0;
    if (*six_step && order != GFP_ORDER_NATURAL) {
        return gfp_error_set(options->error, GFP_ERR_UNAVAILABLE,
                             "the six-step form has natural order alone");
    }
    if (!*six_step && !gfp_options_auto(options) && strcmp(options->method, "dft") != 0) {
        return gfp_error_set(options->error, GFP_ERR_UNKNOWN,
                             "unknown method \"%.60s\"; available: auto, dft, six-step",
                             options->method);
    }
    return GFP_OK;
}

gfp_status gfp_fft_run(uint64_t *y, const uint64_t *x, gfp_direction direction, gfp_order order,
                       const gfp_fft_plan *plan, const gfp_options *options)
{
    gfp_fft_call call;
    bool six_step;
    const bool inverse = direction == GFP_INVERSE;
    GFP_TRY(read_method(&six_step, direction, order, options));
    if (six_step) {
        return inverse ? gfp_fft_six_step_inverse(plan, y, x, options)
                       : gfp_fft_six_step_forward(plan, y, x, options, NULL);
    }
    GFP_TRY(transform_begin(&call, plan, inverse, options));
    const bool completed = (inverse ? gfp_fft_run_inverse
                                    : gfp_fft_run_forward)(plan, y, x, order, call.area, call.task);
    return gfp_fft_call_end(&call, completed);
}
