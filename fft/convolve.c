/* convolve.c: products modulo X^N - 1 and X^N + 1.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft_impl.h"
#include "support.h"

/* c := a b mod X^N - 1. c holds a; other holds b, or is b; other is NULL for a square. The
 * transforms run in place. */
static void convolve_in_place(const gfp_fft_plan *plan, uint64_t *c, uint64_t *other,
                              uint64_t *buffer)
{
    const gfp_field *field = plan->field;
    (void)gfp_fft_forward_in_place(plan, c, buffer, NULL);
    if (other != NULL) {
        (void)gfp_fft_forward_in_place(plan, other, buffer, NULL);
    }
    gfp_vec_mul(field, c, c, other != NULL ? other : c, plan->n);
    (void)gfp_fft_inverse_in_place(plan, c, buffer, NULL);
    gfp_vec_div_2exp(field, c, c, plan->log2_n, plan->n);
}

gfp_status gfp_fft_convolve_cyclic(const gfp_fft_plan *plan, uint64_t *c, const uint64_t *a,
                                   const uint64_t *b, void *work)
{
    const gfp_field *field = plan->field;
    uint64_t *other;
    size_t bytes = gfp_fft_convolution_workspace(plan);
    GFP_TRY(gfp_fft_work_get(plan, work, bytes, &other));
    uint64_t *buffer = other + plan->n * field->k;
    if (a != b) {
        gfp_vec_copy(field, other, b, plan->n);
    }
    gfp_vec_copy(field, c, a, plan->n);
    convolve_in_place(plan, c, a != b ? other : NULL, buffer);
    gfp_fft_work_release(plan, work, bytes, other);
    return GFP_OK;
}

/* z_i := x_i w^i. */
static void weigh(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *w,
                  size_t n)
{
    size_t k = field->k;
    uint64_t power[GFP_MAX_K];
    gfp_elem_one(field, power);
    for (size_t i = 0; i < n; i++) {
        gfp_elem_mul(field, z + i * k, x + i * k, power);
        gfp_elem_mul(field, power, power, w);
    }
}

/* With theta = w_(2N): a(theta X) b(theta X) mod X^N - 1 is c(theta X) for c = a b mod X^N + 1. */
gfp_status gfp_fft_convolve_negacyclic(const gfp_fft_plan *plan, uint64_t *c, const uint64_t *a,
                                       const uint64_t *b, void *work)
{
    const gfp_field *field = plan->field;
    uint64_t theta[GFP_MAX_K];
    uint64_t *other;
    size_t bytes = gfp_fft_convolution_workspace(plan);
    GFP_TRY(gfp_field_root(field, theta, plan->log2_n + 1));
    GFP_TRY(gfp_fft_work_get(plan, work, bytes, &other));
    uint64_t *buffer = other + plan->n * field->k;
    if (a != b) {
        weigh(field, other, b, theta, plan->n);
    }
    weigh(field, c, a, theta, plan->n);
    convolve_in_place(plan, c, a != b ? other : NULL, buffer);
    /* This cannot fail: a root of unity has an inverse. */
    gfp_status status = gfp_elem_inv(field, theta, theta);
    weigh(field, c, c, theta, plan->n);
    gfp_fft_work_release(plan, work, bytes, other);
    return status;
}
