/* bigfft.c: the product by transforms over Z/pZ itself: N = 2^m >= len a + len b - 1, permuted
 * order in both directions, so that no data moves but inside butterflies. A square transforms once.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>

#include "fft_task.h"
#include "methods.h"
#include "parallel.h"
#include "support.h"
#include "word.h"
#include "work.h"

size_t gfp_bigfft_length(size_t len_a, size_t len_b)
{
    size_t sum = 0, n = 1;
    if (!gfp_size_add(&sum, len_a, len_b)) {
        return 0;
    }
    while (n < sum - 1) {
        if (n > SIZE_MAX / 2) {
            return 0;
        }
        n *= 2;
    }
    return n;
}

bool gfp_bigfft_available(const gfp_field *field, size_t len_a, size_t len_b, char *why,
                          size_t size)
{
    size_t n = gfp_bigfft_length(len_a, len_b);
    unsigned order = gfp_field_v2_order(field);
    if (n == 0) {
        snprintf(why, size, "a product of this length needs N > 2^63");
        return false;
    }
    if (gfp_ctz64(n) > order) {
        snprintf(why, size, "a product of this length needs N = %zu, p - 1 allows only 2^%u", n,
                 order);
        return false;
    }
    return true;
}

/* The two operands, padded to N. */
size_t gfp_bigfft_block(const gfp_field *field, size_t len_a, size_t len_b)
{
    size_t n = gfp_bigfft_length(len_a, len_b);
    if (n == 0) {
        return SIZE_MAX;
    }
    return gfp_size_mul_sat(gfp_size_mul_sat(n, 2), gfp_field_k(field));
}

/* The block, the plan, and for each thread the buffer of a base case. */
size_t gfp_bigfft_bytes(const gfp_field *field, size_t len_a, size_t len_b, unsigned threads)
{
    size_t plan, buffer;
    const size_t block = gfp_bigfft_block(field, len_a, len_b);
    if (block == SIZE_MAX) {
        return SIZE_MAX;
    }
    gfp_fft_sizes(field, gfp_bigfft_length(len_a, len_b), &plan, &buffer);
    buffer = gfp_size_mul_sat(buffer, threads);
    return gfp_size_add_sat(gfp_size_add_sat(gfp_work_bytes(block), gfp_work_bytes(buffer)), plan);
}

/* z := DFT_N of the len coefficients of x and zeros, permuted. False: cancelled. */
static bool transform(const gfp_fft_plan *plan, uint64_t *z, const uint64_t *x, size_t len,
                      void *work, gfp_task *task)
{
    const gfp_field *field = gfp_fft_plan_field(plan);
    size_t n = gfp_fft_plan_length(plan);
    gfp_vec_copy(field, z, x, len);
    gfp_vec_zero(field, z + len * gfp_field_k(field), n - len);
    return gfp_fft_forward_in_place(plan, z, work, task) && gfp_task_report(task);
}

/* What dividing an element by N costs beside a general product. */
#define DIVISION_UNITS 0.1

/* Pointwise steps under way. */
typedef struct pointwise {
    const gfp_field *field;
    uint64_t *x;
    const uint64_t *y;
    unsigned log2_n;
} pointwise;

/* x := x / N. */
static gfp_status divide(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const pointwise *s = user;
    const size_t k = gfp_field_k(s->field), block = gfp_task_block((double)k);
    (void)worker;
    for (size_t i = from; i < to; i += block) {
        const size_t m = to - i < block ? to - i : block;
        gfp_vec_div_2exp(s->field, s->x + i * k, s->x + i * k, s->log2_n, m);
        if (!gfp_task_advance(task, (double)m * DIVISION_UNITS)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* x := x y. */
static gfp_status multiply(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const pointwise *s = user;
    const size_t k = gfp_field_k(s->field);
    (void)worker;
    return gfp_task_vec_mul(task, s->field, s->x + from * k, s->x + from * k, s->y + from * k,
                            to - from)
               ? GFP_OK
               : GFP_ERR_CANCELLED;
}

/* One of them on all elements. False: cancelled. */
static bool run_pointwise(gfp_parallel_run *run, pointwise *s, gfp_task *task)
{
    const gfp_parallel loop = {.run = run, .job = s};
    const size_t n = (size_t)1 << s->log2_n, least = 4096 / gfp_field_k(s->field);
    const size_t chunk = gfp_parallel_chunk(task, n, 4);
    return gfp_parallel_for(&loop, task, n, chunk > least ? chunk : least) == GFP_OK;
}

/* x := a b cyclically, x and y of N elements each. False: cancelled. */
static bool convolve(const gfp_fft_plan *plan, uint64_t *x, uint64_t *y, const uint64_t *a,
                     size_t len_a, const uint64_t *b, size_t len_b, void *work, gfp_task *task)
{
    const gfp_field *field = gfp_fft_plan_field(plan);
    size_t n = gfp_fft_plan_length(plan);
    bool square = a == b && len_a == len_b;
    pointwise s = {field, x, square ? x : y, gfp_ctz64(n)};
    return transform(plan, x, a, len_a, work, task) &&
           (square || transform(plan, y, b, len_b, work, task)) &&
           run_pointwise(multiply, &s, task) && gfp_task_report(task) &&
           gfp_fft_inverse_in_place(plan, x, work, task) && run_pointwise(divide, &s, task);
}

/* The plan, two transforms (a square: one), the pointwise products, the inverse, and 1/N. */
static double units(const gfp_field *field, size_t n, bool square)
{
    return gfp_fft_plan_units(field, n) + (double)n +
           (square ? 2 : 3) * gfp_fft_transform_units(field, n) + (double)n * DIVISION_UNITS;
}

size_t gfp_bigfft_words(const gfp_fft_plan *plan)
{
    const size_t block =
        gfp_size_mul_sat(2 * gfp_fft_plan_length(plan), gfp_field_k(gfp_fft_plan_field(plan)));
    return gfp_size_add_sat(block, gfp_fft_workspace(plan) / sizeof(uint64_t));
}

void gfp_bigfft_run(const gfp_fft_plan *plan, uint64_t *c, const uint64_t *a, size_t len_a,
                    const uint64_t *b, size_t len_b, uint64_t *work)
{
    const gfp_field *field = gfp_fft_plan_field(plan);
    uint64_t *y = work + gfp_fft_plan_length(plan) * gfp_field_k(field);
    uint64_t *buffer = y + gfp_fft_plan_length(plan) * gfp_field_k(field);
    (void)convolve(plan, work, y, a, len_a, b, len_b, buffer, NULL); /* nobody cancels it */
    gfp_vec_copy(field, c, work, len_a + len_b - 1);
}

gfp_status gfp_bigfft_execute(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                              const uint64_t *b, size_t len_b, uint64_t *work, gfp_task *task,
                              gfp_error *error)
{
    size_t n = gfp_bigfft_length(len_a, len_b), k = gfp_field_k(field);
    gfp_fft_plan *plan = NULL;
    if (!gfp_task_span(task, 1, units(field, n, a == b && len_a == len_b),
                       gfp_task_product_cost(field))) {
        return GFP_ERR_CANCELLED;
    }
    GFP_TRY(gfp_fft_plan_create_task(&plan, field, n, error, task));
    gfp_work scratch;
    const size_t words =
        gfp_size_mul_sat(gfp_fft_workspace(plan) / sizeof(uint64_t), gfp_task_threads(task));
    gfp_status status = gfp_work_take(&scratch, field, words);
    if (status != GFP_OK) {
        status = gfp_error_set(error, status, "bigfft: no memory for the work area of a transform");
    } else if (convolve(plan, work, work + n * k, a, len_a, b, len_b, scratch.words, task)) {
        gfp_vec_copy(field, c, work, len_a + len_b - 1);
    } else {
        status = GFP_ERR_CANCELLED;
    }
    gfp_work_give(&scratch, field);
    gfp_fft_plan_destroy(plan);
    return status;
}
