/* papers.c: the part of the backend `host' (device.h) for papers/: transforms by the CPU,
 * and invented times. Wrong calls fail as on a device. A program with this file uses the backend.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fake_device/inside.h"

#include <stdlib.h>
#include <string.h>

#include "papers/gpu/backend.h"

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
    GFP_GPU_FFT_AUTO, fft_serves, fft_create, fft_forward, fft_inverse, fft_destroy,
};
static const gfp_gpu_fft_engine split = {
    GFP_GPU_FFT_AUTO, fft_serves, fft_create, fft_forward, fft_inverse, fft_destroy,
};
static const gfp_papers_fft_calls fft = {&whole, &split, fft_set_threads, fft_time, fft_times};

/* ---- transforms over word-size primes ---- */

typedef struct host_ntt {
    gfp_gpu_ntt_plan base;
    gfp_gpu_ntt_options options;
    bool ran;
    gfp_ntt_plan *cpu;
    void *tables;
} host_ntt;

static void ntt_destroy(gfp_gpu_ntt_plan *base)
{
    host_ntt *plan = (host_ntt *)base;
    gfp_gpu_device_release(base->gpu, plan->tables, base->words * sizeof(uint64_t));
    gfp_ntt_plan_destroy(plan->cpu);
    fake_unmake(plan);
}

static gfp_status ntt_fill(host_ntt *plan, uint64_t prime)
{
    gfp_gpu *gpu = plan->base.gpu;
    const gfp_ntt_options like = {plan->options.form, GFP_NTT_PRODUCT_AUTO};
    GFP_TRY(gfp_ntt_plan_create(&plan->cpu, prime, plan->base.n, &like, NULL, &gpu->error));
    plan->base.form = gfp_ntt_plan_form(plan->cpu);
    return gfp_gpu_device_allocate(gpu, &plan->tables, plan->base.words * sizeof(uint64_t));
}

/* Plans for one prime and one vector only: the tests need no more. */
static gfp_status ntt_create(gfp_gpu_ntt_plan **plan, gfp_gpu *gpu, const uint64_t *primes,
                             size_t count, size_t n, const gfp_gpu_ntt_options *options)
{
    const bool blocked = options->form == GFP_NTT_FORM_AUTO || options->form == GFP_NTT_BLOCKED;
    if (count != 1 || options->batch > 1 || (options->packed && (n < 2 || primes[0] >> 31 != 0)) ||
        (options->product == GFP_GPU_NTT_DOUBLE_QUOTIENT && primes[0] >> 30 != 0)) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "no such plan");
    }
    if (blocked && (options->timed || options->product == GFP_GPU_NTT_DOUBLE_QUOTIENT)) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "not in this form");
    }
    host_ntt *made = fake_make(sizeof *made);
    made->base = (gfp_gpu_ntt_plan){.gpu = gpu,
                                    .count = 1,
                                    .batch = 1,
                                    .n = n,
                                    .words = options->packed ? n / 2 : n,
                                    .product = options->product};
    made->options = *options;
    const gfp_status status = ntt_fill(made, primes[0]);
    if (status != GFP_OK) {
        ntt_destroy(&made->base);
        return status;
    }
    *plan = &made->base;
    return GFP_OK;
}

static uint64_t ntt_prime(const gfp_gpu_ntt_plan *plan, size_t i)
{
    (void)i;
    return gfp_ntt_plan_modulus(((const host_ntt *)plan)->cpu);
}

static uint64_t ntt_root(const gfp_gpu_ntt_plan *plan, size_t i)
{
    (void)i;
    return gfp_ntt_plan_root(((const host_ntt *)plan)->cpu);
}

/* Copies the residues of an array to new memory. */
static uint64_t *unpacked(const host_ntt *plan, const uint64_t *x)
{
    uint64_t *residues = fake_make(plan->base.n * sizeof *residues);
    for (size_t i = 0; i < plan->base.n; i++) {
        residues[i] = plan->options.packed ? x[i / 2] >> (32 * (i % 2)) & UINT32_MAX : x[i];
    }
    return residues;
}

/* Packs the residues into an array and releases them. */
static void put_packed(const host_ntt *plan, uint64_t *y, uint64_t *residues)
{
    memset(y, 0, plan->base.words * sizeof *y);
    for (size_t i = 0; i < plan->base.n; i++) {
        if (plan->options.packed) {
            y[i / 2] |= residues[i] << (32 * (i % 2));
        } else {
            y[i] = residues[i];
        }
    }
    fake_unmake(residues);
}

static void run_ntt(gfp_gpu *gpu, const operation *o)
{
    const host_ntt *plan = o->plan;
    uint64_t *x = unpacked(plan, o->from);
    (void)gpu;
    if ((o->inverse ? gfp_ntt_inverse(plan->cpu, x, x, o->order, NULL, NULL)
                    : gfp_ntt_forward(plan->cpu, x, x, o->order, NULL, NULL)) != GFP_OK) {
        abort();
    }
    put_packed(plan, o->to, x);
}

static gfp_status ntt_run(gfp_gpu_ntt_plan *base, uint64_t *y, const uint64_t *x, gfp_order order,
                          bool inverse)
{
    host_ntt *plan = (host_ntt *)base;
    const operation o = {
        .run = run_ntt, .plan = plan, .to = y, .from = x, .order = order, .inverse = inverse};
    GFP_TRY(begin_timed(base->gpu, plan->options.timed, &plan->ran));
    return fake_put(base->gpu, GFP_GPU_QUEUE_MAIN, o);
}

/* The other calls run at once, after all enqueued operations. */
static host_ntt *begin_ntt(gfp_gpu_ntt_plan *plan)
{
    fake_run_all(plan->gpu);
    return (host_ntt *)plan;
}

static gfp_status ntt_multiply(gfp_gpu_ntt_plan *base, uint64_t *z, const uint64_t *x,
                               const uint64_t *y)
{
    const host_ntt *plan = begin_ntt(base);
    uint64_t *a = unpacked(plan, x), *b = unpacked(plan, y);
    gfp_ntt_mul_pointwise(plan->cpu, a, a, b);
    put_packed(plan, z, a);
    fake_unmake(b);
    return GFP_OK;
}

static gfp_status ntt_scale(gfp_gpu_ntt_plan *base, uint64_t *z, const uint64_t *x,
                            const uint64_t *c)
{
    const host_ntt *plan = begin_ntt(base);
    const uint64_t q = ntt_prime(base, 0);
    uint64_t *residues = unpacked(plan, x);
    for (size_t i = 0; i < base->n; i++) {
        residues[i] = residues[i] * *c % q; /* q < 2^31 here */
    }
    put_packed(plan, z, residues);
    return GFP_OK;
}

static gfp_status ntt_convolve(gfp_gpu_ntt_plan *base, uint64_t *c, const uint64_t *a,
                               const uint64_t *b, bool negacyclic)
{
    const host_ntt *plan = begin_ntt(base);
    if (!plan->options.convolutions) {
        return GFP_GPU_FAIL(base->gpu, GFP_ERR_ARGUMENT, "not made for convolutions");
    }
    uint64_t *x = unpacked(plan, a), *y = unpacked(plan, b);
    const gfp_status status = negacyclic
                                  ? gfp_ntt_convolve_negacyclic(plan->cpu, x, x, y, NULL, NULL)
                                  : gfp_ntt_convolve_cyclic(plan->cpu, x, x, y, NULL, NULL);
    put_packed(plan, c, x);
    fake_unmake(y);
    return status;
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
    .prime = ntt_prime,
    .root = ntt_root,
    .run = ntt_run,
    .multiply = ntt_multiply,
    .scale = ntt_scale,
    .convolve = ntt_convolve,
    .times = ntt_times,
};

/* ---- the papers' rival ---- */

typedef struct host_rival {
    gfp_gpu_rival_plan base;
    gfp_crt_rival_plan *cpu;
    gfp_crt_rival_times last;
    bool timed, ran;
    void *tables;
} host_rival;

static void rival_destroy(gfp_gpu_rival_plan *base)
{
    host_rival *plan = (host_rival *)base;
    gfp_gpu_device_release(base->gpu, plan->tables, base->bytes);
    gfp_crt_rival_plan_destroy(plan->cpu);
    fake_unmake(plan);
}

static gfp_status rival_create(gfp_gpu_rival_plan **plan, gfp_gpu *gpu, const gfp_field *field,
                               size_t n, const gfp_gpu_rival_options *options)
{
    const gfp_crt_rival_options like = {.primes = options->primes, .ntt = {.form = options->form}};
    const size_t batch = options->batch == 0 ? 1 : options->batch;
    gfp_crt_rival_plan *cpu = NULL;
    GFP_TRY(gfp_crt_rival_plan_create(&cpu, field, n, &like, &gpu->error));
    host_rival *made = fake_make(sizeof *made);
    made->cpu = cpu;
    made->timed = options->timed;
    made->base = (gfp_gpu_rival_plan){.gpu = gpu,
                                      .field = field,
                                      .k = gfp_field_k(field),
                                      .n = n,
                                      .batch = batch,
                                      .elements = n * batch,
                                      .kind = gfp_crt_rival_plan_kind(cpu),
                                      .count = gfp_crt_rival_plan_prime_count(cpu),
                                      .words = gfp_crt_rival_plan_words(cpu),
                                      .bytes = 8};
    const gfp_status status = gfp_gpu_device_allocate(gpu, &made->tables, made->base.bytes);
    if (status != GFP_OK) {
        rival_destroy(&made->base);
        return status;
    }
    *plan = &made->base;
    return GFP_OK;
}

static uint64_t rival_prime(const gfp_gpu_rival_plan *plan, size_t i)
{
    return gfp_crt_rival_plan_prime(((const host_rival *)plan)->cpu, i);
}

static void run_rival_now(gfp_gpu *gpu, const operation *o)
{
    host_rival *plan = o->plan;
    const gfp_gpu_rival_plan *base = &plan->base;
    const size_t n = base->n, z_words = n * base->words;
    uint64_t *z = o->third;
    uint64_t *residues = fake_make(n * base->count * sizeof *residues);
    uint64_t *integers = z != NULL ? fake_make(z_words * sizeof *integers) : NULL;
    (void)gpu;
    plan->ran = true;
    for (size_t b = 0; b < base->batch; b++) {
        if (gfp_crt_rival_forward(plan->cpu, integers, residues, o->from + b * n * base->k,
                                  &plan->last, NULL, NULL) != GFP_OK) {
            abort();
        }
        for (size_t i = 0; i < base->count; i++) {
            memcpy(o->to + (i * base->batch + b) * n, residues + i * n, n * sizeof *residues);
        }
        if (z != NULL) {
            memcpy(z + b * z_words, integers, z_words * sizeof *z);
        }
    }
    fake_unmake(residues);
    fake_unmake(integers);
}

static gfp_status rival_forward(gfp_gpu_rival_plan *base, uint64_t *z, uint64_t *y,
                                const uint64_t *x)
{
    const operation o = {.run = run_rival_now, .plan = base, .to = y, .from = x, .third = z};
    return fake_put(base->gpu, GFP_GPU_QUEUE_MAIN, o);
}

static gfp_status rival_times(gfp_gpu_rival_plan *base, gfp_gpu_times *times)
{
    static const char *const names[] = {"project", "transform", "recombine"};
    const host_rival *plan = (const host_rival *)base;
    fake_run_all(base->gpu);
    const uint64_t ns[] = {plan->last.project_ns, plan->last.transform_ns, plan->last.recombine_ns};
    GFP_TRY(check_ran(base->gpu, plan->timed && plan->ran));
    steps_of(times, names, 3);
    for (size_t i = 0; i < 3; i++) {
        times->step[i].ms = (double)ns[i] / 1e6;
    }
    return GFP_OK;
}

/* gfpoly_papers calls no step by itself. */
static const gfp_papers_rival_calls rival = {
    .create = rival_create,
    .destroy = rival_destroy,
    .prime = rival_prime,
    .forward = rival_forward,
    .times = rival_times,
};

static const gfp_papers_backend papers_backend = {&fake_backend, &fft, &ntt, &rival};

/* Runs before main. */
__attribute__((constructor)) static void set_up(void)
{
    gfp_papers_use_backend(&papers_backend);
}
