/* chirp.c: two kinds of axes through plans of powers of two: such lengths themselves, and any odd
 * length L by Bluestein's chirp: with c^2 = w_L, i j = (i^2 + j^2 - (i - j)^2) / 2 makes the
 * transform c^(i^2) times a convolution with c^(-t^2). An L-th root suffices, since L is odd:
 * c = w_L^((L + 1) / 2).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "fft/axes.h"
#include "field/base/support.h"
#include "field/base/word.h"

/* ---- powers of two ---- */

static double power_units(const gfp_fft_axis *axis)
{
    return axis->prime == 2 ? gfp_fft_transform_units(axis->field, axis->length) : INFINITY;
}

static gfp_status prepare_power(gfp_fft_axis *axis, const uint64_t *root, gfp_error *error)
{
    (void)root; /* a plan's own */
    axis->columns = 1;
    return gfp_fft_plan_create_task(&axis->inner, axis->field, axis->length, error, NULL);
}

static size_t power_words(const gfp_fft_axis *axis)
{
    return gfp_fft_buffer_words(axis->inner);
}

static bool run_power(const gfp_fft_axis *axis, uint64_t *x, size_t columns, bool inverse,
                      bool permuted, uint64_t *work, gfp_task *task)
{
    const gfp_fft_plan *plan = axis->inner;
    (void)columns;
    if (inverse) {
        return (permuted || gfp_fft_reorder(task, axis->field, x, x, plan->log2_n)) &&
               gfp_fft_inverse_in_place(plan, x, work, task);
    }
    return gfp_fft_forward_in_place(plan, x, work, task) &&
           (permuted || gfp_fft_reorder(task, axis->field, x, x, plan->log2_n));
}

const gfp_fft_axis_kind gfp_fft_axis_power = {.name = "power of two",
                                              .units = power_units,
                                              .prepare = prepare_power,
                                              .words = power_words,
                                              .run = run_power};

/* ---- chirp ---- */

/* The length of the convolution, a power of two >= 2 L - 1; 0 if there is none. */
static size_t convolution_length(const gfp_fft_axis *axis)
{
    unsigned m = 0;
    while (m < 62 && (size_t)1 << m < 2 * axis->length - 1) {
        m++;
    }
    return m < 62 && m <= axis->field->v2_order ? (size_t)1 << m : 0;
}

static double chirp_units(const gfp_fft_axis *axis)
{
    const size_t n = convolution_length(axis);
    return axis->prime == 2 || n == 0
               ? INFINITY
               : 2 * gfp_fft_transform_units(axis->field, n) + (double)n + 2 * (double)axis->length;
}

/* The table: c^(j^2), j < L; then the transform of c^(-t^2) / S, permuted. */
static bool fill_chirp(gfp_fft_axis *axis, const uint64_t *root, uint64_t *work)
{
    const gfp_field *field = axis->field;
    const size_t k = field->k, length = axis->length, n = axis->inner->n;
    const uint64_t exponent = length / 2 + 1;
    uint64_t odd[GFP_MAX_K], square[GFP_MAX_K];
    uint64_t *chirp = axis->table, *kernel = chirp + length * k;
    gfp_elem_pow(field, odd, root, &exponent, 1); /* c^(2 j + 1) */
    gfp_elem_set(field, square, root);
    gfp_elem_one(field, chirp);
    for (size_t j = 1; j < length; j++) {
        gfp_elem_mul(field, chirp + j * k, chirp + (j - 1) * k, odd);
        gfp_elem_mul(field, odd, odd, square);
    }
    /* c^(-t^2): the same for the inverse of c. */
    gfp_elem_pow(field, odd, root, &exponent, 1);
    if (gfp_elem_inv(field, odd, odd) != GFP_OK) {
        return false; /* no root of unity */
    }
    gfp_elem_sqr(field, square, odd);
    gfp_vec_zero(field, kernel, n);
    gfp_elem_one(field, kernel);
    for (size_t t = 1; t < length; t++) {
        gfp_elem_mul(field, kernel + t * k, kernel + (t - 1) * k, odd);
        gfp_elem_set(field, kernel + (n - t) * k, kernel + t * k);
        gfp_elem_mul(field, odd, odd, square);
    }
    (void)gfp_fft_forward_in_place(axis->inner, kernel, work, NULL);
    gfp_vec_div_2exp(field, kernel, kernel, axis->inner->log2_n, n);
    return true;
}

static gfp_status prepare_chirp(gfp_fft_axis *axis, const uint64_t *root, gfp_error *error)
{
    const gfp_allocator *allocator = &axis->field->allocator;
    const size_t k = axis->field->k, n = convolution_length(axis);
    axis->columns = 1;
    GFP_TRY(gfp_fft_plan_create_task(&axis->inner, axis->field, n, error, NULL));
    axis->entries = axis->length + n;
    axis->table = gfp_allocate(allocator, axis->entries, k * sizeof *axis->table);
    const size_t words = gfp_fft_buffer_words(axis->inner);
    uint64_t *work = gfp_allocate(allocator, words, sizeof *work);
    if (axis->table == NULL || work == NULL) {
        gfp_release(allocator, work, words, sizeof *work);
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for %zu roots", axis->entries);
    }
    const bool filled = fill_chirp(axis, root, work);
    gfp_release(allocator, work, words, sizeof *work);
    return filled ? GFP_OK : gfp_error_set(error, GFP_ERR_NO_ROOT, "the root has no inverse");
}

static size_t chirp_words(const gfp_fft_axis *axis)
{
    return axis->inner->n * axis->field->k + gfp_fft_buffer_words(axis->inner);
}

static bool run_chirp(const gfp_fft_axis *axis, uint64_t *x, size_t columns, bool inverse,
                      bool permuted, uint64_t *work, gfp_task *task)
{
    const gfp_field *field = axis->field;
    const size_t k = field->k, length = axis->length, n = axis->inner->n;
    const uint64_t *chirp = axis->table, *kernel = chirp + length * k;
    uint64_t *buffer = work + n * k;
    (void)columns;
    (void)permuted;
    gfp_vec_zero(field, work + length * k, n - length);
    return gfp_fft_multiply(task, field, work, x, chirp, length) &&
           gfp_fft_forward_in_place(axis->inner, work, buffer, task) &&
           gfp_fft_multiply(task, field, work, work, kernel, n) &&
           gfp_fft_inverse_in_place(axis->inner, work, buffer, task) &&
           gfp_fft_multiply(task, field, x, work, chirp, length) &&
           (!inverse || gfp_fft_reverse(task, field, x, length));
}

const gfp_fft_axis_kind gfp_fft_axis_chirp = {.name = "chirp",
                                              .units = chirp_units,
                                              .prepare = prepare_chirp,
                                              .words = chirp_words,
                                              .run = run_chirp};
