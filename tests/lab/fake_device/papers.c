/* papers.c: the part of the backend `host' (device.h) for papers/: transforms by the CPU,
 * and invented times. Wrong calls fail as on a device. A program with this file uses the backend.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fake_device/inside.h"

#include <stdlib.h>
#include <string.h>

#include "field/base/word.h"
#include "papers/gpu/backend.h"
#include "papers/rival/half.h"

/* ---- times of steps ---- */

/* Fills in invented times under the given names. */
static void steps_of(gfp_gpu_times *times, const char *const *names, unsigned count)
{
    times->count = count;
    for (unsigned i = 0; i < count; i++) {
        times->step[i].name = names[i];
        times->step[i].ms = 0.5 * (i + 1);
        times->step[i].kernels = i + 1;
    }
}

static gfp_status check_ran(gfp_gpu *gpu, bool ran)
{
    return ran ? GFP_OK
               : GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "no timed transform of this plan yet");
}

/* Calls whose steps are timed cannot be recorded. */
static gfp_status begin_timed(gfp_gpu *gpu, bool timed, bool *ran)
{
    if (gpu->capturing && timed) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "cannot be recorded");
    }
    *ran = true;
    return GFP_OK;
}

/* ---- transforms over Z/pZ ---- */

static bool fft_serves(const gfp_gpu *gpu, const gfp_field *field, unsigned log2_n, size_t batch)
{
    size_t power = 1;
    (void)gpu;
    (void)batch;
    while (power >> log2_n == 0) {
        power *= 2 * (size_t)gfp_field_k(field);
    }
    return power == (size_t)1 << log2_n;
}

static gfp_status fft_create(gfp_gpu_fft_plan *plan)
{
    return fake_fft_engines[0]->create(plan);
}

static void fft_destroy(gfp_gpu_fft_plan *plan)
{
    fake_fft_engines[0]->destroy(plan);
}

static gfp_status fft_forward(gfp_gpu_fft_plan *plan, uint64_t *y, const uint64_t *x,
                              gfp_order order)
{
    fake_fft *own = plan->state;
    GFP_TRY(begin_timed(plan->gpu, own->timed, &own->ran));
    return fake_fft_engines[0]->forward(plan, y, x, order);
}

static gfp_status fft_inverse(gfp_gpu_fft_plan *plan, uint64_t *x, const uint64_t *y,
                              gfp_order order)
{
    fake_fft *own = plan->state;
    GFP_TRY(begin_timed(plan->gpu, own->timed, &own->ran));
    return fake_fft_engines[0]->inverse(plan, x, y, order);
}

static void fft_set_threads(gfp_gpu_fft_plan *plan, unsigned threads)
{
    ((fake_fft *)plan->state)->threads = threads;
}

static gfp_status fft_time(gfp_gpu_fft_plan *plan)
{
    ((fake_fft *)plan->state)->timed = true;
    return GFP_OK;
}

static gfp_status fft_times(gfp_gpu_fft_plan *plan, gfp_gpu_times *times)
{
    static const char *const names[] = {"layout", "permutation", "twiddle", "scaling", "base case"};
    const fake_fft *own = plan->state;
    GFP_TRY(check_ran(plan->gpu, own->timed && own->ran));
    steps_of(times, names, 5);
    /* Tells that the number has come through. */
    times->step[4].ms *= own->threads / (double)GFP_PAPERS_USUAL_THREADS;
    return GFP_OK;
}

static const gfp_gpu_fft_engine whole = {
    GFP_GPU_FFT_AUTO, fft_serves, fft_create, fft_forward, fft_inverse, fft_destroy, NULL,
};
static const gfp_gpu_fft_engine split = {
    GFP_GPU_FFT_AUTO, fft_serves, fft_create, fft_forward, fft_inverse, fft_destroy, NULL,
};
static const gfp_papers_fft_calls fft = {&whole, &split, fft_set_threads, fft_time, fft_times};

/* ---- transforms modulo half-word primes ---- */

typedef struct host_ntt {
    gfp_gpu_ntt_plan base;
    gfp_gpu_ntt_options options;
    uint64_t prime;
    bool ran;
    void *tables;
} host_ntt;

static void ntt_destroy(gfp_gpu_ntt_plan *base)
{
    host_ntt *plan = (host_ntt *)base;
    gfp_gpu_device_release(base->gpu, plan->tables, base->words * sizeof(uint64_t));
    fake_unmake(plan);
}

/* Plans for one prime, one vector and packed residues only: the tests need no more. */
static gfp_status ntt_create(gfp_gpu_ntt_plan **plan, gfp_gpu *gpu, const uint64_t *primes,
                             size_t count, size_t n, const gfp_gpu_ntt_options *options)
{
    const bool quotient = options->product == GFP_GPU_NTT_DOUBLE_QUOTIENT;
    if (count != 1 || options->batch > 1 || !options->packed || n < 2 ||
        primes[0] >> (quotient ? 30 : 31) != 0) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "no such plan");
    }
    if (options->form == GFP_NTT_BLOCKED && (options->timed || quotient)) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "not in this form");
    }
    host_ntt *made = fake_make(sizeof *made);
    made->base = (gfp_gpu_ntt_plan){.gpu = gpu, .count = 1, .batch = 1, .n = n, .words = n / 2};
    made->options = *options;
    made->prime = primes[0];
    const gfp_status status =
        gfp_gpu_device_allocate(gpu, &made->tables, made->base.words * sizeof(uint64_t));
    if (status != GFP_OK) {
        fake_unmake(made);
        return status;
    }
    *plan = &made->base;
    return GFP_OK;
}

/* Copies the residues of an array to new memory. */
static uint64_t *papers_unpacked(const host_ntt *plan, const uint64_t *x)
{
    uint64_t *residues = fake_make(plan->base.n * sizeof *residues);
    for (size_t i = 0; i < plan->base.n; i++) {
        residues[i] = x[i / 2] >> (32 * (i % 2)) & UINT32_MAX;
    }
    return residues;
}

/* Packs the residues into an array and releases them. */
static void put_packed(const host_ntt *plan, uint64_t *y, uint64_t *residues)
{
    memset(y, 0, plan->base.words * sizeof *y);
    for (size_t i = 0; i < plan->base.n; i++) {
        y[i / 2] |= residues[i] << (32 * (i % 2));
    }
    fake_unmake(residues);
}

/* x := DFT_N of x, or its inverse. */
static void papers_transform(const host_ntt *plan, uint64_t *x, bool inverse)
{
    const size_t n = plan->base.n;
    const uint64_t q = plan->prime, scale = gfp_mod_pow(n, q - 2, q);
    uint64_t *work = fake_make(n * sizeof *work);
    gfp_word_transform(x, n, plan->prime, work);
    if (inverse) { /* the same in reverse order, over N */
        memcpy(work, x, n * sizeof *work);
        for (size_t i = 0; i < n; i++) {
            x[i] = gfp_mod_mul(work[(n - i) % n], scale, q);
        }
    }
    fake_unmake(work);
}

static void run_ntt(gfp_gpu *gpu, const operation *o)
{
    const host_ntt *plan = o->plan;
    uint64_t *x = papers_unpacked(plan, o->from);
    (void)gpu;
    papers_transform(plan, x, o->inverse);
    put_packed(plan, o->to, x);
}

static gfp_status ntt_run(gfp_gpu_ntt_plan *base, uint64_t *y, const uint64_t *x, bool inverse)
{
    host_ntt *plan = (host_ntt *)base;
    const operation o = {.run = run_ntt, .plan = plan, .to = y, .from = x, .inverse = inverse};
    GFP_TRY(begin_timed(base->gpu, plan->options.timed, &plan->ran));
    return fake_put(base->gpu, GFP_GPU_QUEUE_MAIN, o);
}

/* The other calls run at once, after all enqueued operations. */
static host_ntt *begin_ntt(gfp_gpu_ntt_plan *plan)
{
    fake_run_all(plan->gpu);
    return (host_ntt *)plan;
}

static gfp_status ntt_scale(gfp_gpu_ntt_plan *base, uint64_t *z, const uint64_t *x,
                            const uint64_t *c)
{
    const host_ntt *plan = begin_ntt(base);
    uint64_t *residues = papers_unpacked(plan, x);
    for (size_t i = 0; i < base->n; i++) {
        residues[i] = gfp_mod_mul(residues[i], *c % plan->prime, plan->prime);
    }
    put_packed(plan, z, residues);
    return GFP_OK;
}

static gfp_status ntt_convolve(gfp_gpu_ntt_plan *base, uint64_t *c, const uint64_t *a,
                               const uint64_t *b)
{
    const host_ntt *plan = begin_ntt(base);
    if (!plan->options.convolutions) {
        return GFP_GPU_FAIL(base->gpu, GFP_ERR_ARGUMENT, "not made for convolutions");
    }
    uint64_t *x = papers_unpacked(plan, a), *y = papers_unpacked(plan, b);
    papers_transform(plan, x, false);
    papers_transform(plan, y, false);
    for (size_t i = 0; i < base->n; i++) {
        x[i] = gfp_mod_mul(x[i], y[i], plan->prime);
    }
    papers_transform(plan, x, true);
    put_packed(plan, c, x);
    fake_unmake(y);
    return GFP_OK;
}

static gfp_status ntt_times(gfp_gpu_ntt_plan *base, gfp_gpu_times *times)
{
    static const char *const names[] = {"convert", "permutation", "base case", "twiddle",
                                        "butterfly"};
    const host_ntt *plan = (const host_ntt *)base;
    GFP_TRY(check_ran(base->gpu, plan->options.timed && plan->ran));
    steps_of(times, names, 5);
    return GFP_OK;
}

static const gfp_papers_ntt_calls ntt = {
    .create = ntt_create,
    .destroy = ntt_destroy,
    .run = ntt_run,
    .scale = ntt_scale,
    .convolve = ntt_convolve,
    .times = ntt_times,
};

/* ---- the papers' rival ---- */

/* A plan's memory on the device. */
#define RIVAL_BYTES 8

typedef struct host_rival {
    gfp_gpu_rival_plan base;
    gfp_half_rival cpu;
    void *tables;
} host_rival;

static void rival_destroy(gfp_gpu_rival_plan *base)
{
    host_rival *plan = (host_rival *)base;
    gfp_gpu_device_release(base->gpu, plan->tables, RIVAL_BYTES);
    gfp_half_rival_clear(&plan->cpu);
    fake_unmake(plan);
}

static gfp_status rival_create(gfp_gpu_rival_plan **plan, gfp_gpu *gpu, const gfp_field *field,
                               size_t n, const gfp_gpu_rival_options *options)
{
    const size_t batch = options->batch == 0 ? 1 : options->batch;
    gfp_half_rival cpu;
    GFP_TRY(gfp_half_rival_init(&cpu, field, gfp_ctz64(n), &gpu->error));
    host_rival *made = fake_make(sizeof *made);
    made->cpu = cpu;
    made->base = (gfp_gpu_rival_plan){.gpu = gpu,
                                      .field = field,
                                      .k = gfp_field_k(field),
                                      .n = n,
                                      .batch = batch,
                                      .elements = n * batch,
                                      .count = cpu.count,
                                      .words = cpu.words};
    const gfp_status status = gfp_gpu_device_allocate(gpu, &made->tables, RIVAL_BYTES);
    if (status != GFP_OK) {
        gfp_half_rival_clear(&made->cpu);
        fake_unmake(made);
        return status;
    }
    *plan = &made->base;
    return GFP_OK;
}

static void run_rival_now(gfp_gpu *gpu, const operation *o)
{
    host_rival *plan = o->plan;
    const gfp_gpu_rival_plan *base = &plan->base;
    const size_t n = base->n, z_words = n * base->words;
    uint64_t *z = o->third;
    uint64_t *residues = fake_make(n * base->count * sizeof *residues);
    uint64_t *work = fake_make(n * sizeof *work);
    (void)gpu;
    for (size_t b = 0; b < base->batch; b++) {
        gfp_half_rival_project(&plan->cpu, residues, o->from + b * n * base->k, n);
        gfp_half_rival_transform(&plan->cpu, residues, n, work);
        for (size_t i = 0; i < base->count; i++) {
            memcpy(o->to + (i * base->batch + b) * n, residues + i * n, n * sizeof *residues);
        }
        if (z != NULL) {
            gfp_half_rival_recombine(&plan->cpu, z + b * z_words, residues, n);
        }
    }
    fake_unmake(residues);
    fake_unmake(work);
}

static gfp_status rival_forward(gfp_gpu_rival_plan *base, uint64_t *z, uint64_t *y,
                                const uint64_t *x)
{
    const operation o = {.run = run_rival_now, .plan = base, .to = y, .from = x, .third = z};
    return fake_put(base->gpu, GFP_GPU_QUEUE_MAIN, o);
}

/* gfpoly_papers calls no step by itself. */
static const gfp_papers_rival_calls rival = {
    .create = rival_create,
    .destroy = rival_destroy,
    .forward = rival_forward,
};

static const gfp_papers_backend papers_backend = {&fake_backend, &fft, &ntt, &rival};

/* Runs before main. */
__attribute__((constructor)) static void set_up(void)
{
    gfp_papers_use_backend(&papers_backend);
}
