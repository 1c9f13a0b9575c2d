/* bigfft.c: products by transforms over Z/pZ, modulo X^N - 1, N = 2^m, in permuted order in both
 * directions, so that data moves only inside butterflies. A square needs one transform.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>

#include "product/methods/bigfft.h"
#include "fft/task.h"
#include "product/methods/row.h"
#include "field/base/support.h"
#include "field/base/word.h"

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

/* The shortest N for which the coefficients that wrap around modulo X^N - 1 miss the range. */
static size_t length_for(const gfp_range *r)
{
    size_t n = 1;
    while (n < gfp_range_ring_length(r)) {
        n *= 2; /* no overflow, since the method is available */
    }
    return n;
}

/* The work area: both factors, padded to N, and for each thread the buffer of a base case. */
bool gfp_bigfft_plan(gfp_plan *plan)
{
    const gfp_range *r = &plan->range;
    const size_t whole = gfp_bigfft_length(r->len_a, r->len_b);
    size_t buffer;
    plan->needs = (gfp_needs){.first = r->first, .end = r->end, .share = 1};
    if (whole == 0) {
        return false;
    }
    const size_t n = length_for(r);
    const size_t factors = gfp_size_mul_sat(gfp_size_mul_sat(n, 2), gfp_field_k(r->field));
    gfp_fft_sizes(r->field, n, &plan->needs.beyond, &buffer);
    plan->needs.words = gfp_size_add_sat(factors, gfp_size_mul_sat(buffer, plan->limits.threads));
    if (n < whole) {
        plan->needs.share =
            gfp_fft_transform_units(r->field, n) / gfp_fft_transform_units(r->field, whole);
    }
    plan->state.bigfft.n = n;
    plan->state.bigfft.transform = NULL;
    plan->state_bytes = sizeof plan->state.bigfft;
    return true;
}

/* z := DFT_N of the len coefficients of x and zeros, in permuted order. False: cancelled. */
static bool bigfft_transform(const gfp_fft_plan *plan, uint64_t *z, const uint64_t *x, size_t len,
                             void *work, gfp_task *task)
{
    const gfp_field *field = gfp_fft_plan_field(plan);
    size_t n = gfp_fft_plan_length(plan);
    gfp_vec_set(field, z, x, len);
    gfp_vec_zero(field, z + len * gfp_field_k(field), n - len);
    return gfp_fft_forward_in_place(plan, z, work, task) && gfp_task_report(task);
}

/* x := a b modulo X^N - 1, x and y of N elements each. False: cancelled. */
static bool bigfft_convolve(const gfp_fft_plan *plan, uint64_t *x, uint64_t *y, const gfp_range *r,
                            void *work, gfp_task *task)
{
    const gfp_field *field = gfp_fft_plan_field(plan);
    size_t n = gfp_fft_plan_length(plan);
    bool square = r->a == r->b && r->len_a == r->len_b;
    return bigfft_transform(plan, x, r->a, r->len_a, work, task) &&
           (square || bigfft_transform(plan, y, r->b, r->len_b, work, task)) &&
           gfp_fft_multiply(task, field, x, x, square ? x : y, n) && gfp_task_report(task) &&
           gfp_fft_inverse_in_place(plan, x, work, task) &&
           gfp_fft_divide(task, field, x, gfp_ctz64(n), n);
}

/* Two transforms (a square: one), the pointwise products, the inverse, and 1/N. */
static double bigfft_units(const gfp_field *field, size_t n, bool square)
{
    return (double)n + (square ? 2 : 3) * gfp_fft_transform_units(field, n) +
           (double)n * GFP_FFT_DIVISION_UNITS;
}

gfp_status gfp_bigfft_prepare(gfp_plan *plan, gfp_task *task, gfp_error *error)
{
    const gfp_field *field = plan->range.field;
    const size_t n = plan->state.bigfft.n;
    const double own = gfp_fft_plan_units(field, n), all = own + bigfft_units(field, n, false);
    if (!gfp_task_span(task, own / all, own, gfp_task_product_cost(field))) {
        return GFP_ERR_CANCELLED;
    }
    return gfp_fft_plan_create_task(&plan->state.bigfft.transform, field, n, error, task);
}

void gfp_bigfft_finish(gfp_plan *plan)
{
    gfp_fft_plan_destroy(plan->state.bigfft.transform);
    plan->state.bigfft.transform = NULL;
}

gfp_status gfp_bigfft_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c, uint64_t *work,
                          gfp_task *task, gfp_error *error)
{
    const gfp_range *r = range;
    const gfp_fft_plan *transform = plan->state.bigfft.transform;
    const size_t n = plan->state.bigfft.n, k = gfp_field_k(r->field);
    const bool square = r->a == r->b && r->len_a == r->len_b;
    uint64_t *y = work + n * k, *buffer = y + n * k;
    (void)error;
    if (!gfp_task_span(task, 1, bigfft_units(r->field, n, square),
                       gfp_task_product_cost(r->field)) ||
        !bigfft_convolve(transform, work, y, r, buffer, task)) {
        return GFP_ERR_CANCELLED;
    }
    gfp_vec_set(r->field, c, work + plan->needs.first * k, plan->needs.end - plan->needs.first);
    return GFP_OK;
}

void gfp_bigfft_describe(const gfp_plan *plan, gfp_text *text)
{
    gfp_text_line(text, "transform", "N = %zu, over Z/pZ, modulo X^N - 1", plan->state.bigfft.n);
}
