/* blocks.c: see blocks.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/blocks.h"

#include <string.h>

#include "fft/impl.h"
#include "field/base/parallel.h"
#include "field/base/support.h"
#include "field/base/word.h"

/* ---- plans and tables ---- */

size_t gfp_fft_blocks_bytes(const gfp_fft_blocks *b)
{
    size_t bytes, words;
    size_t sum = (b->low_size + b->high_size) * b->field->k * sizeof(uint64_t);
    gfp_fft_sizes(b->field, (size_t)1 << b->log2_rows, &bytes, &words);
    sum = gfp_size_add_sat(sum, bytes);
    gfp_fft_sizes(b->field, (size_t)1 << b->log2_columns, &bytes, &words);
    return gfp_size_add_sat(sum, bytes);
}

/* Sets all sizes. The buffer takes what the cap leaves: the area of gfp_work_bytes is at most a
 * quarter larger than its words. */
static bool set_sizes(gfp_fft_blocks *b, size_t cap, unsigned threads)
{
    const unsigned m = b->log2_n, powers = m - b->field->log2_k - 1;
    const size_t element = b->field->k * sizeof(uint64_t);
    size_t bytes, rows, columns;
    b->log2_rows = m / 2;
    b->log2_columns = m - m / 2;
    b->low_size = (size_t)1 << powers / 2;
    b->high_size = (size_t)1 << (powers - powers / 2);
    gfp_fft_sizes(b->field, (size_t)1 << b->log2_rows, &bytes, &rows);
    gfp_fft_sizes(b->field, (size_t)1 << b->log2_columns, &bytes, &columns);
    b->each = rows > columns ? rows : columns;
    const size_t tables = gfp_fft_blocks_bytes(b), longest = (size_t)1 << b->log2_columns;
    for (; threads > 0; threads--) {
        const size_t apart = tables + threads * b->each * sizeof(uint64_t) + 1024;
        const size_t left = apart < cap ? (cap - apart) / 5 * 4 : 0;
        b->buffer = left / element / longest * longest;
        if (b->buffer > 0) {
            return true;
        }
    }
    return false;
}

static void fill_powers(const gfp_field *field, uint64_t *table, size_t n, const uint64_t *root)
{
    const size_t k = field->k;
    gfp_elem_one(field, table);
    for (size_t i = 1; i < n; i++) {
        gfp_elem_mul(field, table + i * k, table + (i - 1) * k, root);
    }
}

static gfp_status make_tables(gfp_fft_blocks *b, gfp_error *error)
{
    const gfp_field *field = b->field;
    const size_t element = field->k * sizeof(uint64_t);
    uint64_t root[GFP_MAX_K];
    const uint64_t step = b->low_size;
    GFP_TRY(gfp_fft_plan_create_task(&b->rows, field, (size_t)1 << b->log2_rows, error, NULL));
    GFP_TRY(
        gfp_fft_plan_create_task(&b->columns, field, (size_t)1 << b->log2_columns, error, NULL));
    b->low = gfp_allocate(&field->allocator, b->low_size, element);
    b->high = gfp_allocate(&field->allocator, b->high_size, element);
    if (b->low == NULL || b->high == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for tables of powers");
    }
    GFP_TRY(gfp_field_root(field, root, b->log2_n));
    fill_powers(field, b->low, b->low_size, root);
    gfp_elem_pow(field, root, root, &step, 1);
    fill_powers(field, b->high, b->high_size, root);
    return GFP_OK;
}

gfp_status gfp_fft_blocks_create(gfp_fft_blocks *b, const gfp_field *field, size_t n, size_t cap,
                                 unsigned threads, gfp_error *error)
{
    *b = (gfp_fft_blocks){.field = field, .log2_n = n == 0 ? 0 : gfp_ctz64(n)};
    const size_t least = 4 * (size_t)field->k * field->k;
    if (n <= least || (n & (n - 1)) != 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "transforms by blocks need a power of two above %zu, not %zu points",
                             least, n);
    }
    if (b->log2_n > field->v2_order) {
        return gfp_error_set(error, GFP_ERR_NO_ROOT,
                             "transform length %zu does not divide p - 1: the largest is 2^%u", n,
                             field->v2_order);
    }
    if (!set_sizes(b, cap, threads)) {
        return gfp_error_set(error, GFP_ERR_MEMORY,
                             "a transform of %zu points does not fit in %zu bytes, even by blocks",
                             n, cap);
    }
    const gfp_status status = make_tables(b, error);
    if (status != GFP_OK) {
        gfp_fft_blocks_clear(b);
    }
    return status;
}

void gfp_fft_blocks_clear(gfp_fft_blocks *b)
{
    const size_t element = b->field->k * sizeof(uint64_t);
    gfp_fft_plan_destroy(b->rows);
    gfp_fft_plan_destroy(b->columns);
    gfp_release(&b->field->allocator, b->low, b->low_size, element);
    gfp_release(&b->field->allocator, b->high, b->high_size, element);
    *b = (gfp_fft_blocks){.field = b->field};
}

gfp_fft_needs gfp_fft_blocks_needs(const gfp_fft_blocks *b, size_t cap, size_t *left)
{
    const size_t rows = (size_t)1 << b->log2_rows, columns = (size_t)1 << b->log2_columns;
    *left = cap - gfp_fft_blocks_bytes(b);
    return (gfp_fft_needs){.shared = b->buffer * b->field->k,
                           .each = b->each,
                           .elements = b->buffer,
                           .units = gfp_fft_blocks_units(b, true) * (double)columns +
                                    gfp_fft_blocks_units(b, false) * (double)rows};
}

/* ---- passes ---- */

/* Where vectors lie: element e of vector v is number v * vector + e * element of an array. One of
 * both is 1. */
typedef struct layout {
    size_t vector, element;
} layout;

/* A pass over all vectors. */
typedef struct pass {
    const gfp_fft_blocks *b;
    const gfp_fft_plan *plan; /* of the vectors */
    const uint64_t *in;
    size_t len; /* elements of the input; those behind are 0 */
    uint64_t *out;
    layout from, to;
    bool inverse, permuted;
    /* Products with w_N^(+-s t): s is the number of the vector, with its bits reversed if it has
     * bits, and t likewise that of the element. twiddles: whether there are products. */
    bool twiddles;
    unsigned vector_bits, element_bits;
    unsigned division; /* by 2^division */
    /* The vectors in the buffer. */
    uint64_t *buffer, *work;
    size_t first, count;
} pass;

/* Copies n elements of the input from number i on; those behind its end are 0. */
static void blocks_fetch(const pass *s, uint64_t *z, size_t i, size_t n)
{
    const size_t k = s->b->field->k;
    const size_t there = i < s->len ? gfp_size_min(n, s->len - i) : 0;
    if (there > 0) { /* an empty input is NULL */
        memcpy(z, s->in + i * k, there * k * sizeof *z);
    }
    memset(z + there * k, 0, (n - there) * k * sizeof *z);
}

/* The items of a move between the buffer and an array: vectors that lie in one piece, else elements
 * of all vectors. */
static size_t move_items(const pass *s, const layout *l)
{
    return l->element == 1 ? s->count : s->plan->n;
}

static gfp_status blocks_gather(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const pass *s = user;
    const size_t k = s->b->field->k, n = s->plan->n;
    (void)worker;
    (void)task;
    for (size_t i = from; i < to && s->from.element == 1; i++) {
        blocks_fetch(s, s->buffer + i * n * k, (s->first + i) * s->from.vector, n);
    }
    for (size_t e = from; e < to && s->from.element != 1; e++) {
        for (size_t v = 0; v < s->count; v++) {
            blocks_fetch(s, s->buffer + (v * n + e) * k, s->first + v + e * s->from.element, 1);
        }
    }
    return GFP_OK;
}

static gfp_status blocks_scatter(void *user, size_t from, size_t to, unsigned worker,
                                 gfp_task *task)
{
    const pass *s = user;
    const size_t k = s->b->field->k, n = s->plan->n;
    (void)worker;
    (void)task;
    for (size_t i = from; i < to && s->to.element == 1; i++) {
        memcpy(s->out + (s->first + i) * s->to.vector * k, s->buffer + i * n * k,
               n * k * sizeof *s->out);
    }
    for (size_t e = from; e < to && s->to.element != 1; e++) {
        for (size_t v = 0; v < s->count; v++) {
            memcpy(s->out + (s->first + v + e * s->to.element) * k, s->buffer + (v * n + e) * k,
                   k * sizeof *s->out);
        }
    }
    return GFP_OK;
}

/* The twiddles of one call of a kernel. */
#define TWIDDLES ((size_t)64)

/* x_e := x_e w_N^(+-s t). */
static void blocks_twiddle(const pass *s, uint64_t *x, size_t vector)
{
    const gfp_fft_blocks *b = s->b;
    const gfp_field *field = b->field;
    const size_t n = (size_t)1 << b->log2_n, period = n >> (field->log2_k + 1);
    const size_t step = s->vector_bits != 0 ? gfp_bit_reverse(vector, s->vector_bits) : vector;
    gfp_twiddle low[TWIDDLES], high[TWIDDLES];
    for (size_t at = 0; at < s->plan->n; at += TWIDDLES) {
        const size_t count = gfp_size_min(TWIDDLES, s->plan->n - at);
        for (size_t i = 0; i < count; i++) {
            const size_t e = at + i;
            size_t t = (s->element_bits != 0 ? gfp_bit_reverse(e, s->element_bits) : e) * step;
            t = (s->inverse ? (size_t)0 - t : t) & (n - 1);
            low[i] = (gfp_twiddle){t % period % b->low_size, t / period};
            high[i] = (gfp_twiddle){t % period / b->low_size, 0};
        }
        uint64_t *z = x + at * field->k;
        field->kernels->mul_indexed(field, z, z, b->low, low, count);
        field->kernels->mul_indexed(field, z, z, b->high, high, count);
    }
}

/* Transforms one vector of the buffer. */
static bool blocks_transform(const pass *s, size_t v, uint64_t *work, gfp_task *task)
{
    const gfp_field *field = s->b->field;
    const gfp_fft_plan *plan = s->plan;
    uint64_t *x = s->buffer + v * plan->n * field->k;
    bool going;
    if (s->inverse) {
        going = (s->permuted || gfp_fft_reorder(task, field, x, x, plan->log2_n)) &&
                gfp_fft_inverse_in_place(plan, x, work, task);
    } else {
        going = gfp_fft_forward_in_place(plan, x, work, task) &&
                (s->permuted || gfp_fft_reorder(task, field, x, x, plan->log2_n));
    }
    if (going && s->twiddles) {
        blocks_twiddle(s, x, s->first + v);
    }
    if (going && s->division > 0) {
        gfp_vec_div_2exp(field, x, x, s->division, plan->n);
    }
    return going && gfp_task_advance(task, (double)plan->n);
}

static gfp_status transform_some(void *user, size_t from, size_t to, unsigned worker,
                                 gfp_task *task)
{
    const pass *s = user;
    for (size_t v = from; v < to; v++) {
        if (!blocks_transform(s, v, s->work + worker * s->b->each, task)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static bool run_loop(gfp_parallel_run *run, pass *s, size_t items, gfp_task *task)
{
    const gfp_parallel loop = {.run = run, .job = s};
    return gfp_parallel_for(&loop, task, items, gfp_parallel_chunk(task, items, 4)) == GFP_OK;
}

/* Transforms the vectors in the buffer: threads share the vectors, or the work in each of few. */
static bool transform_buffer(pass *s, gfp_task *task)
{
    if (s->count >= gfp_task_threads(task)) {
        return run_loop(transform_some, s, s->count, task);
    }
    return transform_some(s, 0, s->count, 0, task) == GFP_OK;
}

static bool run_pass(pass *s, gfp_fft_call *call)
{
    const gfp_fft_blocks *b = s->b;
    const size_t vectors = ((size_t)1 << b->log2_n) / s->plan->n, most = b->buffer / s->plan->n;
    bool going = true;
    s->buffer = call->area;
    s->work = call->area + b->buffer * b->field->k;
    for (s->first = 0; s->first < vectors && going; s->first += s->count) {
        s->count = gfp_size_min(most, vectors - s->first);
        going = run_loop(blocks_gather, s, move_items(s, &s->from), call->task) &&
                transform_buffer(s, call->task) &&
                run_loop(blocks_scatter, s, move_items(s, &s->to), call->task);
    }
    return going;
}

/* The transforms of a pass, without places. Natural order takes columns first, and so does permuted
 * order forward; there place bitrev(i1) C + bitrev(i2) has value i1 + i2 R, so that values stay in
 * their rows. */
static pass describe_pass(const gfp_fft_blocks *b, bool columns, bool inverse, gfp_order order)
{
    const bool permuted = order == GFP_ORDER_PERMUTED, first = columns != (permuted && inverse);
    return (pass){.b = b,
                  .plan = columns ? b->rows : b->columns,
                  .inverse = inverse,
                  .permuted = permuted,
                  .twiddles = first,
                  .vector_bits = permuted && !columns ? b->log2_rows : 0,
                  .element_bits = permuted && columns ? b->log2_rows : 0,
                  .division = inverse && !first ? b->log2_n : 0};
}

/* Columns go to the scratch array, and its rows to the result. */
static bool run_natural(const gfp_fft_blocks *b, const gfp_fft_arrays *arrays, bool inverse,
                        gfp_fft_call *call)
{
    const size_t rows = (size_t)1 << b->log2_rows, columns = (size_t)1 << b->log2_columns;
    pass first = describe_pass(b, true, inverse, GFP_ORDER_NATURAL);
    pass second = describe_pass(b, false, inverse, GFP_ORDER_NATURAL);
    first.in = arrays->in;
    first.len = arrays->len;
    first.out = arrays->scratch;
    first.from = first.to = (layout){1, columns};
    second.in = arrays->scratch;
    second.len = rows * columns;
    second.out = arrays->out;
    second.from = (layout){columns, 1};
    second.to = (layout){1, rows};
    return run_pass(&first, call) && run_pass(&second, call);
}

static bool run_permuted(const gfp_fft_blocks *b, const gfp_fft_arrays *arrays, bool inverse,
                         gfp_fft_call *call)
{
    const size_t columns = (size_t)1 << b->log2_columns;
    for (int i = 0; i < 2; i++) {
        const bool along_columns = (i == 0) != inverse;
        pass s = describe_pass(b, along_columns, inverse, GFP_ORDER_PERMUTED);
        s.in = i == 0 ? arrays->in : arrays->out;
        s.len = i == 0 ? arrays->len : (size_t)1 << b->log2_n;
        s.out = arrays->out;
        s.from = s.to = along_columns ? (layout){1, columns} : (layout){columns, 1};
        if (!run_pass(&s, call)) {
            return false;
        }
    }
    return true;
}

bool gfp_fft_blocks_vectors(const gfp_fft_blocks *b, const gfp_fft_vectors *v, gfp_task *task)
{
    pass s = describe_pass(b, v->columns, v->inverse, v->order);
    s.buffer = v->x;
    s.work = v->work;
    s.first = v->first;
    s.count = v->count;
    return transform_buffer(&s, task);
}

double gfp_fft_blocks_units(const gfp_fft_blocks *b, bool columns)
{
    const size_t n = (size_t)1 << (columns ? b->log2_rows : b->log2_columns);
    return gfp_fft_transform_units(b->field, n) + (double)n;
}

bool gfp_fft_blocks_forward(const gfp_fft_blocks *b, const gfp_fft_arrays *arrays, gfp_order order,
                            gfp_fft_call *call)
{
    return order == GFP_ORDER_NATURAL ? run_natural(b, arrays, false, call)
                                      : run_permuted(b, arrays, false, call);
}

bool gfp_fft_blocks_inverse(const gfp_fft_blocks *b, const gfp_fft_arrays *arrays, gfp_order order,
                            gfp_fft_call *call)
{
    return order == GFP_ORDER_NATURAL ? run_natural(b, arrays, true, call)
                                      : run_permuted(b, arrays, true, call);
}
