/* fake_transforms.c: the rest of the stand-in for a device (fake_gpu.h): timers, graphs,
 * page-locked memory, and transforms by the CPU's. Asked wrongly, a call fails as on a device.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fake_gpu_inside.h"
#include "gfpoly/rival.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_RECORDED 256

/* ---- graphs ---- */

/* A transform that was enqueued: one of the plans. */
typedef struct operation {
    gfp_gpu_fft_plan *fft;
    gfp_gpu_ntt_plan *ntt;
    gfp_gpu_array *y;
    const gfp_gpu_array *x;
    gfp_order order;
    bool inverse;
} operation;

struct gfp_gpu_graph {
    gfp_gpu *gpu;
    operation recorded[MOST_RECORDED];
    size_t count;
};

static gfp_status perform(const operation *o);

/* Now, or when the graph is launched that is being recorded. */
static gfp_status enqueue(gfp_gpu *gpu, const operation *o, bool timed)
{
    if (!gpu->capturing) {
        TRY(fake_gpu_begin(gpu, GFP_ERR_DEVICE));
        return perform(o);
    }
    if (timed || gpu->graph->count == MOST_RECORDED) {
        return fake_gpu_failed(gpu, GFP_ERR_ARGUMENT, "cannot be recorded");
    }
    gpu->graph->recorded[gpu->graph->count++] = *o;
    return GFP_OK;
}

gfp_status gfp_gpu_capture_begin(gfp_gpu *gpu)
{
    TRY(fake_gpu_begin(gpu, GFP_ERR_DEVICE));
    gpu->graph = fake_gpu_make(sizeof *gpu->graph);
    gpu->graph->gpu = gpu;
    gpu->capturing = true;
    return GFP_OK;
}

gfp_status gfp_gpu_capture_end(gfp_gpu *gpu, gfp_gpu_graph **graph)
{
    if (!gpu->capturing) {
        return fake_gpu_failed(gpu, GFP_ERR_ARGUMENT, "no capture is open");
    }
    gpu->capturing = false;
    const gfp_status status = fake_gpu_begin(gpu, GFP_ERR_DEVICE);
    if (status != GFP_OK) {
        gfp_gpu_graph_destroy(gpu->graph);
        return status;
    }
    *graph = gpu->graph;
    return GFP_OK;
}

gfp_status gfp_gpu_graph_launch(gfp_gpu_graph *graph)
{
    TRY(fake_gpu_begin(graph->gpu, GFP_ERR_DEVICE));
    for (size_t i = 0; i < graph->count; i++) {
        TRY(perform(&graph->recorded[i]));
    }
    return GFP_OK;
}

void gfp_gpu_graph_destroy(gfp_gpu_graph *graph)
{
    free(graph);
}

/* ---- timers ---- */

struct gfp_gpu_timer {
    gfp_gpu *gpu;
    double start, stop; /* ms; 0: not yet */
};

static double now_ms(void)
{
    struct timespec t = {0, 0};

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

gfp_status gfp_gpu_timer_create(gfp_gpu_timer **timer, gfp_gpu *gpu)
{
    TRY(fake_gpu_begin(gpu, GFP_ERR_DEVICE));
    *timer = fake_gpu_make(sizeof **timer);
    (*timer)->gpu = gpu;
    return GFP_OK;
}

void gfp_gpu_timer_destroy(gfp_gpu_timer *timer)
{
    free(timer);
}

gfp_status gfp_gpu_timer_start(gfp_gpu_timer *timer)
{
    TRY(fake_gpu_begin(timer->gpu, GFP_ERR_DEVICE));
    timer->start = now_ms();
    timer->stop = 0;
    return GFP_OK;
}

gfp_status gfp_gpu_timer_stop(gfp_gpu_timer *timer)
{
    TRY(fake_gpu_begin(timer->gpu, GFP_ERR_DEVICE));
    timer->stop = timer->start > 0 ? now_ms() : 0;
    return GFP_OK;
}

gfp_status gfp_gpu_timer_read(gfp_gpu_timer *timer, double *ms)
{
    TRY(fake_gpu_begin(timer->gpu, GFP_ERR_DEVICE));
    if (!(timer->stop > 0)) {
        return fake_gpu_failed(timer->gpu, GFP_ERR_ARGUMENT, "not started and stopped");
    }
    *ms = timer->stop - timer->start + 1e-6;
    return GFP_OK;
}

/* ---- page-locked memory ---- */

gfp_status gfp_gpu_host_allocate(gfp_gpu *gpu, void **block, size_t bytes)
{
    TRY(fake_gpu_begin(gpu, GFP_ERR_MEMORY));
    *block = malloc(bytes);
    return *block != NULL ? GFP_OK : fake_gpu_failed(gpu, GFP_ERR_MEMORY, "out of memory");
}

void gfp_gpu_host_release(gfp_gpu *gpu, void *block)
{
    (void)gpu;
    free(block);
}

/* ---- transforms over Z/pZ ---- */

/* What making a plan fails with is also the caller's to read. */
static gfp_status told(gfp_gpu *gpu, gfp_status status, gfp_error *error)
{
    if (status != GFP_OK && error != NULL) {
        *error = gpu->error;
    }
    return status;
}

struct gfp_gpu_fft_plan {
    gfp_gpu *gpu;
    const gfp_field *field;
    size_t n, batch;
    gfp_gpu_fft_form form;
    bool timed, ran;
    gfp_fft_plan *cpu;
};

gfp_status gfp_gpu_fft_plan_create(gfp_gpu_fft_plan **plan, gfp_gpu *gpu, const gfp_field *field,
                                   size_t n, const gfp_gpu_fft_options *options, gfp_error *error)
{
    const bool papers =
        options->form == GFP_GPU_FFT_PAPERS || options->form == GFP_GPU_FFT_PAPERS_SPLIT;
    size_t power = 1;
    gfp_fft_plan *cpu = NULL;

    TRY(told(gpu, fake_gpu_begin(gpu, GFP_ERR_MEMORY), error));
    while (papers && power < n) {
        power *= 2 * (size_t)gfp_field_k(field);
    }
    if ((papers && power != n) || (options->timed && !papers)) {
        return told(gpu, fake_gpu_failed(gpu, GFP_ERR_UNAVAILABLE, "not in this form"), error);
    }
    TRY(gfp_fft_plan_create(&cpu, field, n, error));
    *plan = fake_gpu_make(sizeof **plan);
    **plan = (gfp_gpu_fft_plan){.gpu = gpu,
                                .field = field,
                                .n = n,
                                .batch = options->batch == 0 ? 1 : options->batch,
                                .form = options->form == GFP_GPU_FFT_AUTO ? GFP_GPU_FFT_FAST
                                                                          : options->form,
                                .timed = options->timed,
                                .cpu = cpu};
    gpu->bytes++;
    return GFP_OK;
}

void gfp_gpu_fft_plan_destroy(gfp_gpu_fft_plan *plan)
{
    if (plan != NULL) {
        plan->gpu->bytes--;
        gfp_fft_plan_destroy(plan->cpu);
        free(plan);
    }
}

gfp_gpu_fft_form gfp_gpu_fft_plan_form(const gfp_gpu_fft_plan *plan)
{
    return plan->form;
}

static gfp_status perform_fft(const operation *o)
{
    gfp_gpu_fft_plan *plan = o->fft;
    const size_t words = plan->n * gfp_field_k(plan->field);

    plan->ran = true;
    for (size_t i = 0; i < plan->batch; i++) {
        uint64_t *y = o->y->data + i * words;
        const uint64_t *x = o->x->data + i * words;
        TRY(o->inverse ? gfp_fft_inverse(plan->cpu, y, x, o->order, NULL)
                       : gfp_fft_forward(plan->cpu, y, x, o->order, NULL));
    }
    return GFP_OK;
}

static gfp_status transform(gfp_gpu_fft_plan *plan, gfp_gpu_array *y, const gfp_gpu_array *x,
                            gfp_order order, bool inverse)
{
    const operation o = {.fft = plan, .y = y, .x = x, .order = order, .inverse = inverse};
    const size_t words = plan->batch * plan->n * gfp_field_k(plan->field);

    TRY(fake_gpu_check(y, words, x, words, false));
    return enqueue(plan->gpu, &o, plan->timed);
}

gfp_status gfp_gpu_fft_forward(gfp_gpu_fft_plan *plan, gfp_gpu_array *y, const gfp_gpu_array *x,
                               gfp_order order)
{
    return transform(plan, y, x, order, false);
}

gfp_status gfp_gpu_fft_inverse(gfp_gpu_fft_plan *plan, gfp_gpu_array *x, const gfp_gpu_array *y,
                               gfp_order order)
{
    return transform(plan, x, y, order, true);
}

/* Made up, but for their names. */
static void steps_of(gfp_gpu_times *times, const char *const *names, unsigned count)
{
    times->count = count;
    for (unsigned i = 0; i < count; i++) {
        times->step[i].name = names[i];
        times->step[i].ms = 0.5 * (i + 1);
        times->step[i].kernels = i + 1;
    }
}

gfp_status gfp_gpu_fft_plan_times(gfp_gpu_fft_plan *plan, gfp_gpu_times *times)
{
    static const char *const names[] = {"layout", "permutation", "twiddle", "scaling", "base case"};

    TRY(fake_gpu_begin(plan->gpu, GFP_ERR_DEVICE));
    if (!plan->timed || !plan->ran) {
        return fake_gpu_failed(plan->gpu, GFP_ERR_ARGUMENT, "no timed transform of this plan yet");
    }
    steps_of(times, names, 5);
    return GFP_OK;
}

/* ---- transforms over word-size primes ---- */

struct gfp_gpu_ntt_plan {
    gfp_gpu *gpu;
    size_t n;
    gfp_gpu_ntt_options options;
    bool ran;
    gfp_ntt_plan *cpu;
};

/* One prime, one vector: as much as is asked for. */
gfp_status gfp_gpu_ntt_plan_create(gfp_gpu_ntt_plan **plan, gfp_gpu *gpu, const uint64_t *primes,
                                   size_t count, size_t n, const gfp_gpu_ntt_options *options,
                                   gfp_error *error)
{
    const bool fast = options->form == GFP_NTT_FORM_AUTO || options->form == GFP_NTT_BLOCKED;
    const gfp_ntt_options like = {options->form, GFP_NTT_PRODUCT_AUTO};
    gfp_ntt_plan *cpu = NULL;

    TRY(told(gpu, fake_gpu_begin(gpu, GFP_ERR_MEMORY), error));
    if (count != 1 || options->batch > 1 || (options->packed && (n < 2 || primes[0] >> 31 != 0)) ||
        (options->product == GFP_GPU_NTT_DOUBLE_QUOTIENT && primes[0] >> 30 != 0)) {
        return told(gpu, fake_gpu_failed(gpu, GFP_ERR_ARGUMENT, "no such plan"), error);
    }
    if (fast && (options->timed || options->product == GFP_GPU_NTT_DOUBLE_QUOTIENT)) {
        return told(gpu, fake_gpu_failed(gpu, GFP_ERR_UNAVAILABLE, "not in this form"), error);
    }
    TRY(gfp_ntt_plan_create(&cpu, primes[0], n, &like, NULL, error));
    *plan = fake_gpu_make(sizeof **plan);
    **plan = (gfp_gpu_ntt_plan){.gpu = gpu, .n = n, .options = *options, .cpu = cpu};
    gpu->bytes++;
    return GFP_OK;
}

void gfp_gpu_ntt_plan_destroy(gfp_gpu_ntt_plan *plan)
{
    if (plan != NULL) {
        plan->gpu->bytes--;
        gfp_ntt_plan_destroy(plan->cpu);
        free(plan);
    }
}

size_t gfp_gpu_ntt_plan_length(const gfp_gpu_ntt_plan *plan)
{
    return plan->n;
}

size_t gfp_gpu_ntt_plan_batch(const gfp_gpu_ntt_plan *plan)
{
    (void)plan;
    return 1;
}

size_t gfp_gpu_ntt_plan_prime_count(const gfp_gpu_ntt_plan *plan)
{
    (void)plan;
    return 1;
}

uint64_t gfp_gpu_ntt_plan_prime(const gfp_gpu_ntt_plan *plan, size_t i)
{
    (void)i;
    return gfp_ntt_plan_modulus(plan->cpu);
}

gfp_ntt_form gfp_gpu_ntt_plan_form(const gfp_gpu_ntt_plan *plan)
{
    return gfp_ntt_plan_form(plan->cpu);
}

gfp_gpu_ntt_product gfp_gpu_ntt_plan_product(const gfp_gpu_ntt_plan *plan)
{
    return plan->options.product;
}

size_t gfp_gpu_ntt_plan_words(const gfp_gpu_ntt_plan *plan)
{
    return plan->options.packed ? plan->n / 2 : plan->n;
}

/* The residues of an array, in memory of their own. */
static uint64_t *unpacked(const gfp_gpu_ntt_plan *plan, const gfp_gpu_array *x)
{
    uint64_t *residues = fake_gpu_make(plan->n * sizeof *residues);

    for (size_t i = 0; i < plan->n; i++) {
        residues[i] =
            plan->options.packed ? x->data[i / 2] >> (32 * (i % 2)) & UINT32_MAX : x->data[i];
    }
    return residues;
}

static void put_packed(const gfp_gpu_ntt_plan *plan, gfp_gpu_array *y, const uint64_t *residues)
{
    memset(y->data, 0, gfp_gpu_ntt_plan_words(plan) * sizeof *y->data);
    for (size_t i = 0; i < plan->n; i++) {
        if (plan->options.packed) {
            y->data[i / 2] |= residues[i] << (32 * (i % 2));
        } else {
            y->data[i] = residues[i];
        }
    }
}

static gfp_status perform_ntt(const operation *o)
{
    gfp_gpu_ntt_plan *plan = o->ntt;
    uint64_t *x = unpacked(plan, o->x);
    const gfp_status status = o->inverse ? gfp_ntt_inverse(plan->cpu, x, x, o->order, NULL)
                                         : gfp_ntt_forward(plan->cpu, x, x, o->order, NULL);

    plan->ran = true;
    put_packed(plan, o->y, x);
    free(x);
    return status;
}

static gfp_status perform(const operation *o)
{
    return o->fft != NULL ? perform_fft(o) : perform_ntt(o);
}

static gfp_status check_ntt(const gfp_gpu_ntt_plan *plan, const gfp_gpu_array *y,
                            const gfp_gpu_array *x)
{
    const size_t words = gfp_gpu_ntt_plan_words(plan);

    return fake_gpu_check(y, words, x, words, false);
}

gfp_status gfp_gpu_ntt_forward(gfp_gpu_ntt_plan *plan, gfp_gpu_array *y, const gfp_gpu_array *x,
                               gfp_order order)
{
    const operation o = {.ntt = plan, .y = y, .x = x, .order = order};

    TRY(check_ntt(plan, y, x));
    return enqueue(plan->gpu, &o, plan->options.timed);
}

gfp_status gfp_gpu_ntt_inverse(gfp_gpu_ntt_plan *plan, gfp_gpu_array *x, const gfp_gpu_array *y,
                               gfp_order order)
{
    const operation o = {.ntt = plan, .y = x, .x = y, .order = order, .inverse = true};

    TRY(check_ntt(plan, x, y));
    return enqueue(plan->gpu, &o, plan->options.timed);
}

gfp_status gfp_gpu_ntt_scale(gfp_gpu_ntt_plan *plan, gfp_gpu_array *z, const gfp_gpu_array *x,
                             const uint64_t *c)
{
    const uint64_t q = gfp_ntt_plan_modulus(plan->cpu);

    TRY(fake_gpu_begin(plan->gpu, GFP_ERR_DEVICE));
    TRY(check_ntt(plan, z, x));
    uint64_t *residues = unpacked(plan, x);
    for (size_t i = 0; i < plan->n; i++) {
        residues[i] = residues[i] * *c % q; /* q < 2^31 here */
    }
    put_packed(plan, z, residues);
    free(residues);
    return GFP_OK;
}

gfp_status gfp_gpu_ntt_convolve_cyclic(gfp_gpu_ntt_plan *plan, gfp_gpu_array *c,
                                       const gfp_gpu_array *a, const gfp_gpu_array *b)
{
    TRY(fake_gpu_begin(plan->gpu, GFP_ERR_DEVICE));
    TRY(check_ntt(plan, c, a));
    TRY(check_ntt(plan, c, b));
    if (!plan->options.convolutions) {
        return fake_gpu_failed(plan->gpu, GFP_ERR_ARGUMENT, "not made for convolutions");
    }
    uint64_t *x = unpacked(plan, a);
    uint64_t *y = unpacked(plan, b);
    const gfp_status status = gfp_ntt_convolve_cyclic(plan->cpu, x, x, y, NULL);
    put_packed(plan, c, x);
    free(x);
    free(y);
    return status;
}

gfp_status gfp_gpu_ntt_plan_times(gfp_gpu_ntt_plan *plan, gfp_gpu_times *times)
{
    static const char *const names[] = {"convert", "permutation", "base case", "twiddle",
                                        "butterfly"};

    TRY(fake_gpu_begin(plan->gpu, GFP_ERR_DEVICE));
    if (!plan->options.timed || !plan->ran) {
        return fake_gpu_failed(plan->gpu, GFP_ERR_ARGUMENT, "no timed transform of this plan yet");
    }
    steps_of(times, names, 5);
    return GFP_OK;
}

/* ---- the papers' rival ---- */

struct gfp_gpu_rival_plan {
    gfp_gpu *gpu;
    gfp_crt_rival_plan *cpu;
    gfp_crt_rival_times last;
    bool ran;
};

gfp_status gfp_gpu_rival_plan_create(gfp_gpu_rival_plan **plan, gfp_gpu *gpu,
                                     const gfp_field *field, size_t n,
                                     const gfp_gpu_rival_options *options, gfp_error *error)
{
    const gfp_crt_rival_options like = {.primes = options->primes, .ntt = {.form = options->form}};
    gfp_crt_rival_plan *cpu = NULL;

    TRY(told(gpu, fake_gpu_begin(gpu, GFP_ERR_MEMORY), error));
    TRY(gfp_crt_rival_plan_create(&cpu, field, n, &like, error));
    *plan = fake_gpu_make(sizeof **plan);
    (*plan)->gpu = gpu;
    (*plan)->cpu = cpu;
    gpu->bytes++;
    return GFP_OK;
}

void gfp_gpu_rival_plan_destroy(gfp_gpu_rival_plan *plan)
{
    if (plan != NULL) {
        plan->gpu->bytes--;
        gfp_crt_rival_plan_destroy(plan->cpu);
        free(plan);
    }
}

size_t gfp_gpu_rival_plan_prime_count(const gfp_gpu_rival_plan *plan)
{
    return gfp_crt_rival_plan_prime_count(plan->cpu);
}

size_t gfp_gpu_rival_plan_words(const gfp_gpu_rival_plan *plan)
{
    return gfp_crt_rival_plan_words(plan->cpu);
}

gfp_status gfp_gpu_rival_forward(gfp_gpu_rival_plan *plan, gfp_gpu_array *z, gfp_gpu_array *y,
                                 const gfp_gpu_array *x)
{
    const size_t n = gfp_crt_rival_plan_length(plan->cpu);
    const size_t x_words = n * gfp_field_k(gfp_crt_rival_plan_field(plan->cpu));
    const size_t y_words = n * gfp_gpu_rival_plan_prime_count(plan);

    TRY(fake_gpu_begin(plan->gpu, GFP_ERR_DEVICE));
    TRY(fake_gpu_check(y, y_words, x, x_words, true));
    if (z != NULL) {
        TRY(fake_gpu_check(z, n * gfp_gpu_rival_plan_words(plan), x, x_words, true));
    }
    plan->ran = true;
    return gfp_crt_rival_forward(plan->cpu, z != NULL ? z->data : NULL, y->data, x->data,
                                 &plan->last, NULL);
}

gfp_status gfp_gpu_rival_plan_times(gfp_gpu_rival_plan *plan, gfp_gpu_times *times)
{
    static const char *const names[] = {"project", "transform", "recombine"};
    const uint64_t ns[] = {plan->last.project_ns, plan->last.transform_ns, plan->last.recombine_ns};

    TRY(fake_gpu_begin(plan->gpu, GFP_ERR_DEVICE));
    if (!plan->ran) {
        return fake_gpu_failed(plan->gpu, GFP_ERR_ARGUMENT, "no transform of this plan yet");
    }
    steps_of(times, names, 3);
    for (size_t i = 0; i < 3; i++) {
        times->step[i].ms = (double)ns[i] / 1e6;
    }
    return GFP_OK;
}
