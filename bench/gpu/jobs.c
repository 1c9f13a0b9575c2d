/* bench/gpu/jobs.c: see jobs.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bench/gpu/jobs.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_MS 1.0
#define MAX_REPEATS 64
#define LEAST_SAMPLES 3

/* ---- measuring ---- */

bool fails(bench *b, const char *format, ...)
{
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    b->failed = true;
    return complain("%s", text);
}

bool succeeds(bench *b, gfp_status status, const char *what)
{
    return status == GFP_OK || fails(b, "%s: %s", what, gfp_gpu_last_error(b->gpu)->message);
}

static int by_size(const void *x, const void *y)
{
    const double a = *(const double *)x;
    const double b = *(const double *)y;
    return (a > b) - (a < b);
}

double median_of_samples(double *samples, size_t count)
{
    qsort(samples, count, sizeof *samples, by_size);
    return samples[count / 2];
}

static gfp_status run_graph(void *context)
{
    return gfp_gpu_graph_launch(context);
}

/* Whether to take another sample after `count` samples and the time since `since`. */
static bool goes_on(const bench *b, int count, uint64_t since)
{
    const double seconds = (double)(clock_ns() - since) / 1e9;
    return count < SAMPLES && (count < LEAST_SAMPLES || !(b->seconds > 0) || seconds < b->seconds);
}

gfp_status time_runs(const bench *b, body run, void *context, timing *t)
{
    double samples[SAMPLES];
    gfp_status status = GFP_OK;
    const uint64_t start = clock_ns();
    int count = 0;
    for (int i = -2; goes_on(b, i, start) && status == GFP_OK; i++) { /* the first two warm up */
        double *sample = &samples[i < 0 ? 0 : i];
        count = i + 1;
        status = gfp_gpu_timer_start(b->timer);
        if (status == GFP_OK) {
            status = run(context);
        }
        if (status == GFP_OK) {
            status = gfp_gpu_timer_stop(b->timer);
        }
        if (status == GFP_OK) {
            status = gfp_gpu_timer_read(b->timer, sample);
            *sample *= 1e6;
        }
    }
    if (status == GFP_OK) {
        *t = timing_of(samples, (size_t)count, 1);
    }
    return status;
}

/* Measures several runs in one graph: the device's time without waiting for the host. */
static gfp_status time_graph(const bench *b, body run, void *context, times *t)
{
    gfp_gpu_graph *graph = NULL;
    unsigned repeats = (unsigned)(SAMPLE_MS / t->single_ms) + 1;
    repeats = repeats > MAX_REPEATS ? MAX_REPEATS : repeats;
    gfp_status status = gfp_gpu_capture_begin(b->gpu);
    if (status != GFP_OK) {
        return status;
    }
    for (unsigned i = 0; i < repeats && status == GFP_OK; i++) {
        status = run(context);
    }
    gfp_status ended = gfp_gpu_capture_end(b->gpu, &graph);
    status = status != GFP_OK ? status : ended;
    if (status == GFP_OK) {
        status = time_runs(b, run_graph, graph, &t->graph);
        t->graph = timing_divide(t->graph, repeats);
        t->graph_ms = t->graph.median_ns / 1e6;
    }
    gfp_gpu_graph_destroy(graph);
    return status;
}

bool time_body(bench *b, body run, void *context, times *t, const char *what)
{
    *t = (times){0};
    if (!succeeds(b, time_runs(b, run, context, &t->single), what)) {
        return false;
    }
    t->single_ms = t->single.median_ns / 1e6;
    return succeeds(b, time_graph(b, run, context, t), what);
}

unsigned log2_of(size_t n)
{
    unsigned log = 0;
    while (((size_t)1 << log) < n) {
        log++;
    }
    return log;
}

static size_t jobs_reversed(size_t i, unsigned bits)
{
    size_t r = 0;
    for (unsigned b = 0; b < bits; b++) {
        r |= (i >> b & 1) << (bits - 1 - b);
    }
    return r;
}

/* ---- transforms over Z/pZ ---- */

gfp_status run_dft(void *context)
{
    dft_job *w = context;
    return w->inverse ? gfp_gpu_fft_run(w->y, w->x, GFP_INVERSE, w->order, w->plan, NULL)
                      : gfp_gpu_fft_run(w->y, w->x, GFP_FORWARD, w->order, w->plan, NULL);
}

void dft_close(dft_job *w)
{
    gfp_gpu_fft_plan_destroy(w->plan);
    gfp_gpu_array_destroy(w->x);
    gfp_gpu_array_destroy(w->y);
    gfp_field_destroy(w->field);
    free(w->digits);
    free(w->result);
}

const char *dft_form_name(dft_form form)
{
    static const char *const names[] = {"auto", "reference", "papers", "papers-split"};
    return names[form];
}

const char *dft_name(const dft_job *w)
{
    return w->form == DFT_AUTO ? gfp_gpu_fft_form_name(gfp_gpu_fft_plan_form(w->plan))
                               : dft_form_name(w->form);
}

static gfp_status create_dft_plan(dft_job *w, const dft_options *options, gfp_error *error)
{
    const gfp_gpu_fft_options ours = {.batch = options->batch,
                                      .form = options->form == DFT_REFERENCE ? GFP_GPU_FFT_REFERENCE
                                                                             : GFP_GPU_FFT_AUTO};
    const gfp_gpu_papers_fft_options theirs = {.batch = options->batch,
                                               .split = options->form == DFT_PAPERS_SPLIT,
                                               .timed = options->timed,
                                               .threads = options->threads};
    return options->form < DFT_PAPERS
               ? gfp_gpu_fft_plan_create(&w->plan, w->b->gpu, w->field, w->n, &ours,
                                         &(gfp_options){.error = error})
               : gfp_gpu_papers_fft_create(&w->plan, w->b->gpu, w->field, w->n, &theirs, error);
}

bool dft_open(dft_job *w, bench *b, const char *field, size_t n, const dft_options *options,
              bool *absent)
{
    gfp_error error = {.message = ""};
    gfp_random g;
    *absent = false;
    *w = (dft_job){.b = b, .n = n, .batch = options->batch == 0 ? 1 : options->batch};
    w->form = options->form;
    if (gfp_field_create(&w->field, field, NULL, &error) != GFP_OK) {
        return fails(b, "%s: %s", field, error.message);
    }
    gfp_status status = create_dft_plan(w, options, &error);
    *absent = status == GFP_ERR_UNAVAILABLE || status == GFP_ERR_NO_ROOT;
    if (status != GFP_OK) {
        return *absent ? false : fails(b, "%s, N = %zu: %s", field, n, error.message);
    }
    w->words = n * w->batch * gfp_field_k(w->field);
    w->digits = malloc(w->words * sizeof *w->digits);
    w->result = malloc(w->words * sizeof *w->result);
    if (w->digits == NULL || w->result == NULL) {
        return fails(b, "no memory for transforms of %zu elements", n);
    }
    gfp_random_seed(&g, JOB_SEED);
    gfp_vec_random(w->field, w->digits, n * w->batch, &g);
    return succeeds(b, gfp_gpu_array_create(&w->x, b->gpu, w->words, NULL), field) &&
           succeeds(b, gfp_gpu_array_create(&w->y, b->gpu, w->words, NULL), field) &&
           succeeds(b, gfp_gpu_upload(w->x, 0, w->digits, w->words, NULL), field);
}

/* y := one value of the transform, by Horner's rule. */
static void dft_value(const gfp_field *field, uint64_t *y, const uint64_t *x, size_t n, size_t i)
{
    size_t k = gfp_field_k(field);
    uint64_t root[GFP_MAX_K];
    uint64_t power[GFP_MAX_K];
    const uint64_t exponent = i;
    (void)!gfp_field_root(field, root, log2_of(n));
    gfp_elem_pow(field, power, root, &exponent, 1);
    gfp_elem_zero(field, y);
    for (size_t j = n; j-- > 0;) {
        if (i != 0) {
            gfp_elem_mul(field, y, y, power);
        }
        gfp_elem_add(field, y, y, x + j * k);
    }
}

/* Whether the result is the transform: the CPU computes all values where that does not take long,
 * else some values, including a random one. */
static bool dft_right(const dft_job *w)
{
    size_t k = gfp_field_k(w->field);
    unsigned bits = log2_of(w->n);
    bool right = true;
    gfp_random g;
    gfp_random_seed(&g, w->n);
    for (size_t t = 0; t < w->batch && right; t += w->batch > 8 ? w->batch - 1 : 1) {
        const uint64_t *x = w->digits + t * w->n * k;
        const uint64_t *y = w->result + t * w->n * k;
        const size_t places[] = {0, gfp_random_below(&g, w->n)};
        if (w->n * k * k <= (size_t)1 << 22) {
            gfp_fft_plan *plan = NULL;
            uint64_t *expected = malloc(w->n * k * sizeof *expected);
            right = expected != NULL &&
                    gfp_fft_plan_create(&plan, w->field, w->n, NULL) == GFP_OK &&
                    gfp_fft_run(expected, x, GFP_FORWARD, w->order, plan, NULL) == GFP_OK &&
                    gfp_vec_equal(w->field, expected, y, w->n);
            gfp_fft_plan_destroy(plan);
            free(expected);
            continue;
        }
        for (size_t i = 0; i < COUNT(places); i++) {
            uint64_t value[GFP_MAX_K];
            size_t place =
                w->order == GFP_ORDER_PERMUTED ? jobs_reversed(places[i], bits) : places[i];
            dft_value(w->field, value, x, w->n, places[i]);
            right = right && gfp_elem_equal(w->field, value, y + place * k);
        }
    }
    return right;
}

bool dft_check(dft_job *w)
{
    const char *name = gfp_field_name(w->field);
    for (int order = 0; order < 2; order++) {
        w->order = (gfp_order)order;
        w->inverse = false;
        if (!succeeds(w->b, run_dft(w), name) ||
            !succeeds(w->b, gfp_gpu_download(w->result, w->y, 0, w->words, NULL), name)) {
            return false;
        }
        bool right = dft_right(w);
        if (!succeeds(w->b, gfp_gpu_fft_run(w->y, w->y, GFP_INVERSE, w->order, w->plan, NULL),
                      name) ||
            !succeeds(w->b, gfp_gpu_download(w->result, w->y, 0, w->words, NULL), name)) {
            return false;
        }
        if (!right || memcmp(w->result, w->digits, w->words * sizeof *w->result) != 0) {
            return fails(w->b, "%s, N = %zu, form %s, order %d: wrong %s", name, w->n, dft_name(w),
                         order, right ? "inverse" : "transform");
        }
    }
    return true;
}
