/* six_step.c: DFT_N for N = K^e, K = 2k, by the iterative six-step formula with explicit stride
 * permutations: the sequel's Alg. 2, its steps numbered as there. Natural order throughout.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "fft_impl.h"
#include "support.h"

bool gfp_fft_plan_is_six_step(const gfp_fft_plan *plan)
{
    return plan->log2_n > 0 && plan->log2_n % (plan->field->log2_k + 1) == 0;
}

/* x := L_a^(ab) x on every block of a b elements: y[j b + i] = x[i a + j]. */
static void permute_blocks(const gfp_fft_plan *plan, uint64_t *x, uint64_t *copy, size_t a,
                           size_t b)
{
    size_t k = plan->field->k;
    memcpy(copy, x, plan->n * k * sizeof *x);
    for (size_t start = 0; start < plan->n; start += a * b) {
        for (size_t j = 0; j < a; j++) {
            for (size_t i = 0; i < b; i++) {
                memcpy(x + (start + j * b + i) * k, copy + (start + i * a + j) * k, k * sizeof *x);
            }
        }
    }
}

/* DFT_K(r) on every block of K elements. */
static void base_on_blocks(const gfp_fft_plan *plan, uint64_t *x)
{
    const gfp_field *field = plan->field;
    unsigned radix_log = field->log2_k + 1;
    for (size_t start = 0; start < plan->n; start += (size_t)1 << radix_log) {
        gfp_fft_base(field, x + start * field->k, radix_log, 1);
        gfp_fft_reorder(field, x + start * field->k, radix_log);
    }
}

/* D_(K,J)(w_(KJ)) on every block of K J elements: entry j J + i times w^(i j). */
static void twiddle_blocks(const gfp_fft_plan *plan, uint64_t *x, size_t radix, size_t stride)
{
    size_t scale = plan->n / (radix * stride);
    for (size_t start = 0; start < plan->n; start += radix * stride) {
        for (size_t j = 1; j < radix; j++) {
            gfp_fft_twiddles(plan, x + (start + j * stride) * plan->field->k, stride, j * scale, 0);
        }
    }
}

static void six_step(const gfp_fft_plan *plan, uint64_t *x, uint64_t *copy)
{
    size_t radix = 2 * (size_t)plan->field->k;
    for (size_t stride = plan->n / radix; stride > 1; stride /= radix) {
        permute_blocks(plan, x, copy, radix, stride); /* 1 */
    }
    base_on_blocks(plan, x); /* 2 */
    for (size_t stride = radix; stride < plan->n; stride *= radix) {
        twiddle_blocks(plan, x, radix, stride); /* 3 */
        permute_blocks(plan, x, copy, stride, radix);
        base_on_blocks(plan, x);
        permute_blocks(plan, x, copy, radix, stride);
    }
}

gfp_status gfp_fft_forward_six_step(const gfp_fft_plan *plan, uint64_t *y, const uint64_t *x,
                                    void *work)
{
    uint64_t *copy;
    size_t bytes = gfp_fft_six_step_workspace(plan);
    if (!gfp_fft_plan_is_six_step(plan)) {
        return GFP_ERR_NO_ROOT;
    }
    GFP_TRY(gfp_fft_work_get(plan, work, bytes, &copy));
    if (y != x) {
        gfp_vec_copy(plan->field, y, x, plan->n);
    }
    six_step(plan, y, copy);
    gfp_fft_work_release(plan, work, bytes, copy);
    return GFP_OK;
}

/* The inverse is 1/N times the transform at w^(-1), which is the forward transform with its output
 * read backwards. */
gfp_status gfp_fft_inverse_six_step(const gfp_fft_plan *plan, uint64_t *x, const uint64_t *y,
                                    void *work)
{
    const gfp_field *field = plan->field;
    size_t k = field->k;
    GFP_TRY(gfp_fft_forward_six_step(plan, x, y, work));
    for (size_t i = 1; i < plan->n - i; i++) {
        uint64_t t[GFP_MAX_K];
        gfp_elem_copy(field, t, x + i * k);
        gfp_elem_copy(field, x + i * k, x + (plan->n - i) * k);
        gfp_elem_copy(field, x + (plan->n - i) * k, t);
    }
    gfp_vec_div_2exp(field, x, x, plan->log2_n, plan->n);
    return GFP_OK;
}
