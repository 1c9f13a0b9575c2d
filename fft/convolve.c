/* convolve.c: products modulo X^N - 1 and X^N + 1.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/call.h"
#include "fft/impl.h"
#include "field/base/parallel.h"
#include "field/base/support.h"
#include "fft/task.h"

/* The arguments of a convolution. */
typedef struct convolution {
    const gfp_fft_plan *plan;
    uint64_t *c;
    const uint64_t *a, *b;
    gfp_fft_call call;
} convolution;

/* The words of another array for b. */
static size_t other_words(const convolution *w)
{
    return w->a != w->b ? w->plan->n * w->plan->field->k : 0;
}

/* Three transforms at most, and products; `weighed` arrays are multiplied by weights, which are
 * products, too. */
static gfp_status convolve_begin(convolution *w, double weighed, const gfp_options *options)
{
    const gfp_fft_plan *plan = w->plan;
    const double n = (double)plan->n;
    const gfp_fft_needs needs = {.shared =
                                     gfp_size_add_sat(other_words(w), gfp_fft_shared_words(plan)),
                                 .each = gfp_fft_buffer_words(plan),
                                 .elements = plan->n,
                                 .units = (w->a != w->b ? 2 : 1) * gfp_fft_run_units(plan, false) +
                                          gfp_fft_run_units(plan, true) + n + 2 * weighed * n};
    return gfp_fft_call_begin(&w->call, "convolution", plan->field, &needs, options);
}

/* c := a b mod X^N - 1, at the start of the work area the transform of b unless a == b. */
static bool fft_convolve(const convolution *w, const uint64_t *a, const uint64_t *b)
{
    const gfp_fft_plan *plan = w->plan;
    gfp_task *task = w->call.task;
    uint64_t *other = w->call.area, *area = other + other_words(w);
    const uint64_t *right = w->a != w->b ? other : w->c;
    return (w->a == w->b || gfp_fft_run_forward(plan, other, b, GFP_ORDER_PERMUTED, area, task)) &&
           gfp_fft_run_forward(plan, w->c, a, GFP_ORDER_PERMUTED, area, task) &&
           gfp_fft_multiply(task, plan->field, w->c, w->c, right, plan->n) &&
           gfp_fft_run_inverse(plan, w->c, w->c, GFP_ORDER_PERMUTED, area, task);
}

gfp_status gfp_fft_convolve_cyclic(uint64_t *c, const uint64_t *a, const uint64_t *b,
                                   const gfp_fft_plan *plan, const gfp_options *options)
{
    convolution w = {.plan = plan, .c = c, .a = a, .b = b};
    GFP_TRY(convolve_begin(&w, 0, options));
    const bool completed = fft_convolve(&w, a, b);
    return gfp_fft_call_end(&w.call, completed);
}

/* The least elements of a chunk of weights: each chunk starts with a power, some 100 products. */
#define LEAST_WEIGHTS 512

typedef struct weights {
    const gfp_field *field;
    uint64_t *z;
    const uint64_t *x, *w;
} weights;

/* z_i := x_i w^i. */
static gfp_status weigh_some(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const weights *s = user;
    const size_t k = s->field->k;
    const uint64_t exponent = from;
    uint64_t power[GFP_MAX_K];
    (void)worker;
    gfp_elem_pow(s->field, power, s->w, &exponent, 1);
    for (size_t i = from; i < to; i++) {
        gfp_elem_mul(s->field, s->z + i * k, s->x + i * k, power);
        gfp_elem_mul(s->field, power, power, s->w);
        if (!gfp_task_advance(task, 2)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static bool convolve_weigh(const convolution *c, uint64_t *z, const uint64_t *x, const uint64_t *w)
{
    weights s = {c->plan->field, z, x, w};
    const gfp_parallel loop = {.run = weigh_some, .job = &s};
    const size_t chunk = gfp_parallel_chunk(c->call.task, c->plan->n, 1);
    return gfp_parallel_for(&loop, c->call.task, c->plan->n,
                            chunk > LEAST_WEIGHTS ? chunk : LEAST_WEIGHTS) == GFP_OK;
}

/* With theta = w_(2N): a(theta X) b(theta X) mod X^N - 1 is c(theta X) for c = a b mod X^N + 1. */
gfp_status gfp_fft_convolve_negacyclic(uint64_t *c, const uint64_t *a, const uint64_t *b,
                                       const gfp_fft_plan *plan, const gfp_options *options)
{
    const gfp_field *field = plan->field;
    convolution w = {.plan = plan, .c = c, .a = a, .b = b};
    uint64_t theta[GFP_MAX_K], inverse[GFP_MAX_K];
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    if (plan->axes != NULL) {
        return gfp_error_set(options->error, GFP_ERR_UNAVAILABLE,
                             "modulo X^N + 1: N = %zu is no power of two at the canonical root",
                             plan->n);
    }
    const gfp_status status = gfp_field_root(field, theta, plan->log2_n + 1);
    if (status != GFP_OK) {
        return gfp_error_set(options->error, status,
                             "modulo X^N + 1: 2N does not divide p - 1, N = %zu", plan->n);
    }
    GFP_TRY(gfp_elem_inv(field, inverse, theta)); /* a root of unity has an inverse */
    GFP_TRY(convolve_begin(&w, a == b ? 2 : 3, options));
    const bool completed = (a == b || convolve_weigh(&w, w.call.area, b, theta)) &&
                           convolve_weigh(&w, c, a, theta) && fft_convolve(&w, c, w.call.area) &&
                           convolve_weigh(&w, c, c, inverse);
    return gfp_fft_call_end(&w.call, completed);
}
