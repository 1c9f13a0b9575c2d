/* convolve.c: products modulo X^N - 1 and X^N + 1.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "call.h"
#include "fft_impl.h"
#include "parallel.h"
#include "support.h"

/* The arguments of a convolution. */
typedef struct convolution {
    const gfp_fft_plan *plan;
    uint64_t *c;
    const uint64_t *a, *b;
    gfp_fft_call call;
} convolution;

/* Three transforms at most, products, 1/N; `weighed` elements are multiplied by weights, which are
 * products, too. */
static gfp_status begin(convolution *w, double weighed, const gfp_options *options)
{
    const gfp_fft_plan *plan = w->plan;
    const double n = (double)plan->n;
    const gfp_fft_needs needs = {.shared = w->a != w->b ? plan->n * plan->field->k : 0,
                                 .each = gfp_fft_buffer_words(plan),
                                 .elements = plan->n,
                                 .units = (w->a != w->b ? 3 : 2) *
                                              gfp_fft_transform_units(plan->field, plan->n) +
                                          n * (1 + GFP_FFT_DIVISION_UNITS) + 2 * weighed * n};
    return gfp_fft_call_begin(&w->call, "convolution", plan->field, &needs, options);
}

/* c := a b mod X^N - 1. c holds a; the work area holds b, unless a == b. The transforms run in
 * place. */
static bool convolve_in_place(convolution *w)
{
    const gfp_fft_plan *plan = w->plan;
    const gfp_field *field = plan->field;
    gfp_task *task = w->call.task;
    const bool square = w->a == w->b;
    uint64_t *other = w->call.area;
    uint64_t *buffer = square ? other : other + plan->n * field->k;
    return gfp_fft_forward_in_place(plan, w->c, buffer, task) &&
           (square || gfp_fft_forward_in_place(plan, other, buffer, task)) &&
           gfp_fft_multiply(task, field, w->c, square ? w->c : other, plan->n) &&
           gfp_fft_inverse_in_place(plan, w->c, buffer, task) &&
           gfp_fft_divide(task, field, w->c, plan->log2_n, plan->n);
}

gfp_status gfp_fft_convolve_cyclic(const gfp_fft_plan *plan, uint64_t *c, const uint64_t *a,
                                   const uint64_t *b, const gfp_options *options)
{
    convolution w = {.plan = plan, .c = c, .a = a, .b = b};
    GFP_TRY(begin(&w, 0, options));
    gfp_task *task = w.call.task;
    const bool completed = (a == b || gfp_fft_copy(task, plan->field, w.call.area, b, plan->n)) &&
                           gfp_fft_copy(task, plan->field, c, a, plan->n) && convolve_in_place(&w);
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

static bool weigh(const convolution *c, uint64_t *z, const uint64_t *x, const uint64_t *w)
{
    weights s = {c->plan->field, z, x, w};
    const gfp_parallel loop = {.run = weigh_some, .job = &s};
    const size_t chunk = gfp_parallel_chunk(c->call.task, c->plan->n, 1);
    return gfp_parallel_for(&loop, c->call.task, c->plan->n,
                            chunk > LEAST_WEIGHTS ? chunk : LEAST_WEIGHTS) == GFP_OK;
}

/* With theta = w_(2N): a(theta X) b(theta X) mod X^N - 1 is c(theta X) for c = a b mod X^N + 1. */
gfp_status gfp_fft_convolve_negacyclic(const gfp_fft_plan *plan, uint64_t *c, const uint64_t *a,
                                       const uint64_t *b, const gfp_options *options)
{
    const gfp_field *field = plan->field;
    convolution w = {.plan = plan, .c = c, .a = a, .b = b};
    uint64_t theta[GFP_MAX_K], inverse[GFP_MAX_K];
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    const gfp_status status = gfp_field_root(field, theta, plan->log2_n + 1);
    if (status != GFP_OK) {
        return gfp_error_set(options->error, status,
                             "modulo X^N + 1: 2N does not divide p - 1, N = %zu", plan->n);
    }
    GFP_TRY(gfp_elem_inv(field, inverse, theta)); /* a root of unity has an inverse */
    GFP_TRY(begin(&w, a == b ? 2 : 3, options));
    const bool completed = (a == b || weigh(&w, w.call.area, b, theta)) && weigh(&w, c, a, theta) &&
                           convolve_in_place(&w) && weigh(&w, c, c, inverse);
    return gfp_fft_call_end(&w.call, completed);
}
