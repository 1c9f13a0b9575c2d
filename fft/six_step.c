/* six_step.c: DFT_N for N = K^e, K = 2k, by the iterative six-step formula with explicit stride
 * permutations: the sequel's Alg. 2, its steps numbered as there. Natural order throughout. Every
 * step is a loop over blocks or rows by all threads.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "fft/impl.h"
#include "field/base/parallel.h"
#include "fft/six_step.h"
#include "field/base/support.h"

/* A running transform. A permutation reads the array `now` and writes `next`, the others work in
 * place on `now`. */
typedef struct six_step {
    const gfp_fft_plan *plan;
    gfp_task *task;
    const uint64_t *input; /* until the first permutation; then NULL */
    uint64_t *now, *next;
    size_t a, b; /* of a permutation: L_a^(ab); of twiddles: D_(a,b) */
    double *ns;  /* may be NULL: times of the parts */
} six_step;

bool gfp_fft_is_six_step(const gfp_fft_plan *plan)
{
    return plan->log2_n > 0 && plan->log2_n % (plan->field->log2_k + 1) == 0;
}

/* The least words of a chunk, some 15 us. */
#define LEAST_WORDS ((size_t)2048)

/* Runs a step over `items` equal parts of all elements. */
static bool run_step(six_step *s, gfp_parallel_run *run, size_t items, gfp_six_step_part part)
{
    const gfp_parallel loop = {.run = run, .job = s};
    const uint64_t start = s->ns != NULL ? gfp_clock_ns() : 0;
    const size_t least = LEAST_WORDS / (s->plan->n / items * s->plan->field->k);
    const size_t chunk = gfp_parallel_chunk(s->task, items, 4);
    const bool going =
        gfp_parallel_for(&loop, s->task, items, chunk > least ? chunk : least) == GFP_OK;
    if (s->ns != NULL) {
        s->ns[part] += (double)(gfp_clock_ns() - start);
    }
    return going;
}

/* y := L_a^(ab) x on every block of a b elements: y[j b + i] = x[i a + j]; a row has b elements. */
static gfp_status six_step_permute(void *user, size_t from, size_t to, unsigned worker,
                                   gfp_task *task)
{
    const six_step *s = user;
    const size_t k = s->plan->field->k;
    const uint64_t *x = s->input != NULL ? s->input : s->now;
    (void)worker;
    (void)task;
    for (size_t row = from; row < to; row++) {
        const size_t start = row / s->a * s->a * s->b, j = row % s->a;
        for (size_t i = 0; i < s->b; i++) {
            memcpy(s->next + (start + j * s->b + i) * k, x + (start + i * s->a + j) * k,
                   k * sizeof *x);
        }
    }
    return GFP_OK;
}

static bool permute_blocks(six_step *s, size_t a, size_t b)
{
    uint64_t *written = s->next;
    s->a = a;
    s->b = b;
    const bool going = run_step(s, six_step_permute, s->plan->n / b, GFP_SIX_STEP_PERMUTATION);
    s->next = s->now;
    s->now = written;
    s->input = NULL;
    return going;
}

/* DFT_K(r) on every block of K elements. */
static gfp_status six_step_base(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const six_step *s = user;
    const gfp_field *field = s->plan->field;
    const unsigned radix_log = field->log2_k + 1;
    (void)worker;
    for (size_t block = from; block < to; block++) {
        uint64_t *x = s->now + (block << radix_log) * field->k;
        gfp_fft_base(field, x, radix_log, 1);
        (void)gfp_fft_reorder(NULL, field, x, x, radix_log);
        if (!gfp_task_advance(task, (double)((size_t)1 << radix_log) / 2)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static bool base_on_blocks(six_step *s)
{
    return run_step(s, six_step_base, s->plan->n >> (s->plan->field->log2_k + 1), GFP_SIX_STEP_DFT);
}

/* D_(K,J)(w_(KJ)) on every block of K J elements: entry j J + i times w^(i j). */
static gfp_status six_step_twiddle(void *user, size_t from, size_t to, unsigned worker,
                                   gfp_task *task)
{
    const six_step *s = user;
    const size_t scale = s->plan->n / (s->a * s->b);
    (void)worker;
    for (size_t row = from; row < to; row++) {
        const size_t j = row % s->a;
        if (j > 0) {
            gfp_fft_twiddles(s->plan, s->now + row * s->b * s->plan->field->k, s->b, j * scale, 0);
        }
        if (!gfp_task_advance(task, (double)s->b / 2)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static bool twiddle_blocks(six_step *s, size_t radix, size_t stride)
{
    s->a = radix;
    s->b = stride;
    return run_step(s, six_step_twiddle, s->plan->n / stride, GFP_SIX_STEP_TWIDDLE);
}

static bool run_steps(six_step *s)
{
    const size_t n = s->plan->n, radix = 2 * (size_t)s->plan->field->k;
    bool going = true;
    for (size_t stride = n / radix; stride > 1 && going; stride /= radix) {
        going = permute_blocks(s, radix, stride); /* 1 */
    }
    going = going && base_on_blocks(s); /* 2 */
    for (size_t stride = radix; stride < n && going; stride *= radix) {
        going = twiddle_blocks(s, radix, stride) && /* 3 */
                permute_blocks(s, stride, radix) && base_on_blocks(s) &&
                permute_blocks(s, radix, stride);
    }
    return going;
}

/* y := DFT_N(x). e - 1 permutations come first, two follow for each further level: if their number
 * is odd, the first one writes y unless y is x. */
static bool six_step_transform(const gfp_fft_plan *plan, uint64_t *y, const uint64_t *x,
                               gfp_fft_call *call, double *ns)
{
    const gfp_field *field = plan->field;
    const unsigned levels = plan->log2_n / (field->log2_k + 1);
    const bool odd = 3 * (levels - 1) % 2 == 1, apart = odd && y != x;
    six_step s = {.plan = plan, .task = call->task, .input = x, .ns = ns};
    s.now = apart ? call->area : y;
    s.next = apart ? y : call->area;
    if (levels == 1) {
        s.input = NULL;
        return gfp_fft_copy(call->task, field, y, x, plan->n) && base_on_blocks(&s);
    }
    return run_steps(&s) && gfp_fft_copy(call->task, field, y, s.now, plan->n);
}

static gfp_status six_step_begin(gfp_fft_call *call, const gfp_fft_plan *plan, bool divides,
                                 const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    if (!gfp_fft_is_six_step(plan)) {
        return gfp_error_set(options->error, GFP_ERR_NO_ROOT,
                             "the six-step form needs a power of %u, N is %zu", 2 * plan->field->k,
                             plan->n);
    }
    const gfp_fft_needs needs = {.shared = plan->n * plan->field->k,
                                 .elements = plan->n,
                                 .units = gfp_fft_transform_units(plan->field, plan->n) +
                                          (divides ? (double)plan->n * GFP_FFT_DIVISION_UNITS : 0)};
    return gfp_fft_call_begin(call, "six-step", plan->field, &needs, options);
}

gfp_status gfp_fft_six_step_forward(const gfp_fft_plan *plan, uint64_t *y, const uint64_t *x,
                                    const gfp_options *options, double *ns)
{
    gfp_fft_call call;
    GFP_TRY(six_step_begin(&call, plan, false, options));
    const bool completed = six_step_transform(plan, y, x, &call, ns);
    return gfp_fft_call_end(&call, completed);
}

/* The inverse is 1/N times the transform at w^(-1), which is the forward transform with its output
 * read backwards. */
gfp_status gfp_fft_six_step_inverse(const gfp_fft_plan *plan, uint64_t *x, const uint64_t *y,
                                    const gfp_options *options)
{
    gfp_fft_call call;
    GFP_TRY(six_step_begin(&call, plan, true, options));
    const bool completed = six_step_transform(plan, x, y, &call, NULL) &&
                           gfp_fft_reverse(call.task, plan->field, x, plan->n) &&
                           gfp_fft_divide(call.task, plan->field, x, plan->log2_n, plan->n);
    return gfp_fft_call_end(&call, completed);
}
