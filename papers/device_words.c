/* papers/device_words.c: the quantities of a CUDA device for the figures of 2010: an array by a
 * constant, transforms and products modulo a prime of 30 bits, and the library's products modulo a
 * word.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/arrays.h"
#include "papers/modulo_words.h"
#include "gpu/word_products.h"

#define TRANSFER_SAMPLES 5

/* ---- an array by a constant ---- */

typedef struct device_scale {
    ntt_job job;
    uint64_t c;
} device_scale;

static gfp_status run_device_scale(void *context)
{
    device_scale *w = context;

    return gfp_gpu_ntt_scale(w->job.plan, w->job.y, w->job.x, &w->c);
}

static bool check_device_scale(device_scale *w, uint64_t q, size_t n)
{
    bench *b = w->job.b;
    bool right = succeeds(b, run_device_scale(w), "products") &&
                 succeeds(b, gfp_gpu_download(w->job.result, w->job.y, 0, n / 2, NULL), "products");

    for (size_t i = 0; i < n && right; i++) {
        const uint64_t x = w->job.residues[i / 2] >> (32 * (i % 2)) & UINT32_MAX;
        const uint64_t y = w->job.result[i / 2] >> (32 * (i % 2)) & UINT32_MAX;
        right = y == x * w->c % q || fails(b, "products by a constant: number %zu is wrong", i);
    }
    return right;
}

bool measure_device_scale(paper *w, const table_row *r)
{
    uint64_t q;
    bool ok = find_prime(&q);

    for (size_t i = 0; i < SCALE_PRODUCTS && ok; i++) {
        const gfp_gpu_ntt_options options = {
            .form = GFP_NTT_STOCKHAM, .product = scale_products[i].on_device, .packed = true};
        device_scale g = {.c = q / 3};
        timing t;
        if (ntt_open(&g.job, &w->gpu, q, r->n, &options) && check_device_scale(&g, q, r->n) &&
            succeeds(&w->gpu, time_runs(&w->gpu, run_device_scale, &g, &t), "products")) {
            ok = note_scale(w, r, i, true, t);
        }
        ntt_close(&g.job);
    }
    return ok;
}

/* ---- transforms on the device ---- */

static const struct {
    const char *name, *transform, *steps, *product; /* prefixes of quantities */
    gfp_ntt_form form;
    gfp_gpu_ntt_product by;
} ways[] = {
    {"Cooley-Tukey", "nct", "sct", NULL, GFP_NTT_COOLEY_TUKEY, GFP_GPU_NTT_DOUBLE_QUOTIENT},
    {"tabulated powers", "ntab", "stab", NULL, GFP_NTT_COOLEY_TUKEY_TABULATED,
     GFP_GPU_NTT_DOUBLE_QUOTIENT},
    {"Stockham", "nst", "sst", "pst", GFP_NTT_STOCKHAM, GFP_GPU_NTT_DOUBLE_QUOTIENT},
    {"ours", "nown", NULL, "pown", GFP_NTT_BLOCKED, GFP_GPU_NTT_MONTGOMERY},
};

/* Page-locked memory, in both directions. */
typedef struct transfer {
    bench *b;
    uint64_t *in, *out;
} transfer;

static void transfer_close(transfer *t)
{
    gfp_gpu_host_release(t->in, t->b->gpu);
    gfp_gpu_host_release(t->out, t->b->gpu);
}

/* The caller calls transfer_close after success and after failure. */
static bool transfer_open(transfer *t, bench *b, size_t words)
{
    void *in = NULL, *out = NULL;
    const bool ok =
        succeeds(b, gfp_gpu_host_allocate(&in, b->gpu, words * 8, NULL), "page-locked") &&
        succeeds(b, gfp_gpu_host_allocate(&out, b->gpu, words * 8, NULL), "page-locked");

    *t = (transfer){b, in, out};
    return ok;
}

/* Times several runs by the clock. */
static bool time_by_clock(bench *b, body run, void *context, timing *t, const char *what)
{
    double samples[TRANSFER_SAMPLES];

    for (int i = -1; i < TRANSFER_SAMPLES; i++) { /* the first warms up */
        const uint64_t start = clock_ns();
        if (!succeeds(b, run(context), what)) {
            return false;
        }
        samples[i < 0 ? 0 : i] = (double)(clock_ns() - start);
    }
    *t = timing_of(samples, TRANSFER_SAMPLES, 1);
    return true;
}

/* Keeps both figures, "PREFIX.ms" and "PREFIX.transfer". */
static bool note_both(paper *w, const table_row *r, const char *prefix, const char *what,
                      const char *form, const timing *alone, const timing *with)
{
    quantity_put(w, r, alone->median_ns / 1e6, "%s.ms", prefix);
    quantity_put(w, r, with->median_ns / 1e6, "%s.transfer", prefix);
    return note_figure(w, OVER_WORDS, r->n, alone, ON_DEVICE "%s, %s", what, form) &&
           note_figure(w, OVER_WORDS, r->n, with, ON_DEVICE "%s, %s, with transfers", what, form);
}

typedef struct there_and_back {
    ntt_job job;
    transfer t;
} there_and_back;

static gfp_status run_alone(void *context)
{
    there_and_back *r = context;

    return run_ntt(&r->job);
}

static gfp_status run_there_and_back(void *context)
{
    there_and_back *r = context;
    gfp_status status = gfp_gpu_upload(r->job.x, 0, r->t.in, r->job.words, NULL);

    if (status == GFP_OK) {
        status = run_ntt(&r->job);
    }
    return status != GFP_OK ? status : gfp_gpu_download(r->t.out, r->job.y, 0, r->job.words, NULL);
}

/* Opens a transform with page-locked memory and checks that its result is the CPU's. */
static bool open_way(paper *w, int way, size_t n, bool timed, double expected, there_and_back *r)
{
    const gfp_gpu_ntt_options options = {
        .form = ways[way].form, .product = ways[way].by, .packed = true, .timed = timed};
    bench *b = &w->gpu;
    uint64_t q = 0;
    bool ok = find_prime(&q);

    *r = (there_and_back){.job = {.b = b}, .t = {.b = b}};
    ok = ok && ntt_open(&r->job, b, q, n, &options) && transfer_open(&r->t, b, r->job.words) &&
         succeeds(b, run_ntt(&r->job), "transform") &&
         succeeds(b, gfp_gpu_download(r->job.result, r->job.y, 0, r->job.words, NULL),
                  "transform") &&
         (hash_quantity(hash_words(r->job.result, r->job.words, 1)) == expected ||
          fails(b, "transform of %zu residues by the form %s: wrong", n, ways[way].name));
    if (ok) {
        memcpy(r->t.in, r->job.residues, r->job.words * sizeof(uint64_t));
    }
    return ok;
}

static void close_way(there_and_back *r)
{
    ntt_close(&r->job);
    transfer_close(&r->t);
}

/* The way `argument`. A failure on the device is reported and leaves quantities unknown. */
bool measure_way(paper *w, const table_row *r)
{
    const char *name = ways[r->argument].name;
    there_and_back job;
    timing alone, with;
    double expected;

    if (!quantity_find(w, r, &expected, "word.hash")) {
        return false;
    }
    progress("device", name, r->n);
    const bool ok = open_way(w, r->argument, r->n, false, expected, &job) &&
                    succeeds(&w->gpu, time_runs(&w->gpu, run_alone, &job, &alone), name) &&
                    time_by_clock(&w->gpu, run_there_and_back, &job, &with, name) &&
                    (hash_quantity(hash_words(job.t.out, job.job.words, 1)) == expected ||
                     fails(&w->gpu, "%s, %zu residues, with transfers: wrong", name, r->n));
    close_way(&job);
    return !ok || note_both(w, r, ways[r->argument].transform, "transform", name, &alone, &with);
}

/* ---- figures 3 to 5: steps ---- */

static double ms_since(uint64_t start)
{
    return (double)(clock_ns() - start) / 1e6;
}

static void put_step(paper *w, const table_row *r, int way, const char *step, const char *what,
                     double value)
{
    quantity_put(w, r, value, "%s.%s.%s", ways[way].steps, step, what);
}

static void put_steps(paper *w, const table_row *r, int way, const gfp_gpu_times *taken)
{
    double all = 0;

    for (unsigned i = 0; i < taken->count; i++) {
        all += taken->step[i].ms;
    }
    for (unsigned i = 0; i < taken->count; i++) {
        const char *step = taken->step[i].name;
        put_step(w, r, way, step, "kernels", taken->step[i].kernels);
        put_step(w, r, way, step, "ms", taken->step[i].ms);
        put_step(w, r, way, step, "%", 100 * taken->step[i].ms / all);
    }
}

/* The plan (the root and its powers by squaring on the host, the table by doubling on the device),
 * and both transfers, by the clock. */
static bool measure_surroundings(paper *w, const table_row *r, int way, const there_and_back *job)
{
    const gfp_gpu_ntt_options options = {
        .form = ways[way].form, .product = ways[way].by, .packed = true};
    bench *b = &w->gpu;
    gfp_gpu_ntt_plan *plan = NULL;
    uint64_t q = 0, start = clock_ns();
    bool ok = find_prime(&q) &&
              succeeds(b, gfp_gpu_ntt_plan_create(&plan, b->gpu, &q, 1, r->n, &options, NULL),
                       ways[way].name) &&
              succeeds(b, gfp_gpu_wait(b->gpu, NULL), ways[way].name);

    put_step(w, r, way, "plan", "ms", ok ? ms_since(start) : NAN);
    gfp_gpu_ntt_plan_destroy(plan);
    start = clock_ns();
    ok = ok &&
         succeeds(b, gfp_gpu_upload(job->job.x, 0, job->t.in, job->job.words, NULL), "upload") &&
         succeeds(b, gfp_gpu_wait(b->gpu, NULL), "upload");
    put_step(w, r, way, "upload", "ms", ok ? ms_since(start) : NAN);
    start = clock_ns();
    ok = ok &&
         succeeds(b, gfp_gpu_download(job->t.out, job->job.y, 0, job->job.words, NULL), "download");
    put_step(w, r, way, "download", "ms", ok ? ms_since(start) : NAN);
    return ok;
}

bool measure_steps_of_way(paper *w, const table_row *r)
{
    there_and_back job;
    gfp_gpu_times taken;
    double expected;

    if (!quantity_find(w, r, &expected, "word.hash")) {
        return false;
    }
    bool ok = open_way(w, r->argument, r->n, true, expected, &job);
    for (int run = 0; run < 3 && ok; run++) {
        ok =
            succeeds(&w->gpu, run_ntt(&job.job), ways[r->argument].name) &&
            succeeds(&w->gpu, gfp_gpu_ntt_plan_times(job.job.plan, &taken), ways[r->argument].name);
    }
    if (ok && measure_surroundings(w, r, r->argument, &job)) {
        put_steps(w, r, r->argument, &taken);
    }
    close_way(&job);
    return true;
}

/* The library's products on a device (gpu/word_products.h), from and to host memory. */
typedef struct word_run {
    gfp_gpu_word_products *plan;
    gfp_gpu_word_run run;
} word_run;

static gfp_status run_words(void *context)
{
    const word_run *w = context;

    return gfp_gpu_word_products_run(w->plan, &w->run);
}

bool measure_words(paper *w, const table_row *r)
{
    factors job;
    word_run run = {.plan = NULL};
    bench *b = &w->gpu;
    timing t;
    double expected;

    if (r->n > (size_t)1 << 24) { /* the longest products */
        return true;
    }
    if (!quantity_find(w, r, &expected, "wcpu.hash") || !factors_open(&job, r->n)) {
        return false;
    }
    progress("device", "product by word_products", r->n);
    run.run = (gfp_gpu_word_run){job.c, job.a, job.b, &job.q, 1};
    bool ok = succeeds(b, gfp_gpu_word_products_create(&run.plan, b->gpu, job.terms, job.terms, 1),
                       "word_products") &&
              time_by_clock(b, run_words, &run, &t, "word_products");
    if (ok) {
        pack_words(job.c, job.c, r->n);
        ok = hash_quantity(hash_words(job.c, r->n / 2, 1)) == expected ||
             fails(b, "word_products, %zu coefficients: wrong", r->n);
    }
    gfp_gpu_word_products_destroy(run.plan);
    factors_close(&job);
    if (ok) {
        quantity_put(w, r, t.median_ns / 1e6, "wgpu.transfer");
    }
    return !ok || note_figure(w, OVER_WORDS, r->n, &t,
                              ON_DEVICE "product by word_products, with transfers");
}

/* The product of two polynomials of n / 2 terms by a transform of n points. */
typedef struct product_job {
    gfp_gpu_ntt_plan *plan;
    gfp_gpu_array *a, *b, *c;
    transfer t;
    size_t words; /* words of c; a factor has half of them */
} product_job;

static gfp_status run_product(void *context)
{
    const product_job *r = context;

    return gfp_gpu_ntt_convolve_cyclic(r->plan, r->c, r->a, r->b);
}

static gfp_status put_factor(gfp_gpu_array *x, const uint64_t *from, size_t words)
{
    const gfp_status status = gfp_gpu_upload(x, 0, from, words / 2, NULL);

    return status != GFP_OK ? status : gfp_gpu_clear_range(x, words / 2, words - words / 2);
}

/* The factors lie one after the other in host memory. */
static gfp_status run_product_there_and_back(void *context)
{
    product_job *r = context;
    gfp_status status = put_factor(r->a, r->t.in, r->words);

    if (status == GFP_OK) {
        status = put_factor(r->b, r->t.in + r->words / 2, r->words);
    }
    if (status == GFP_OK) {
        status = run_product(r);
    }
    return status != GFP_OK ? status : gfp_gpu_download(r->t.out, r->c, 0, r->words, NULL);
}

static bool open_product(paper *w, int way, size_t n, product_job *r)
{
    const gfp_gpu_ntt_options options = {
        .form = ways[way].form, .product = ways[way].by, .packed = true, .convolutions = true};
    const char *name = ways[way].name;
    bench *b = &w->gpu;
    factors job;
    bool ok = factors_open(&job, n);

    *r = (product_job){.words = n / 2, .t = {.b = b}};
    ok = ok &&
         succeeds(b, gfp_gpu_ntt_plan_create(&r->plan, b->gpu, &job.q, 1, n, &options, NULL),
                  name) &&
         succeeds(b, gfp_gpu_array_create(&r->a, b->gpu, r->words, NULL), name) &&
         succeeds(b, gfp_gpu_array_create(&r->b, b->gpu, r->words, NULL), name) &&
         succeeds(b, gfp_gpu_array_create(&r->c, b->gpu, r->words, NULL), name) &&
         transfer_open(&r->t, b, r->words);
    if (ok) {
        pack_words(r->t.in, job.a, job.terms);
        pack_words(r->t.in + r->words / 2, job.b, job.terms);
    }
    factors_close(&job);
    return ok;
}

bool measure_product(paper *w, const table_row *r)
{
    const char *name = ways[r->argument].name;
    product_job job;
    timing alone, with;
    double expected;

    if (!quantity_find(w, r, &expected, "wcpu.hash")) {
        return false;
    }
    progress("device, product", name, r->n);
    const bool ok = open_product(w, r->argument, r->n, &job) &&
                    time_by_clock(&w->gpu, run_product_there_and_back, &job, &with, name) &&
                    (hash_quantity(hash_words(job.t.out, job.words, 1)) == expected ||
                     fails(&w->gpu, "%s, product of %zu coefficients: wrong", name, r->n)) &&
                    succeeds(&w->gpu, time_runs(&w->gpu, run_product, &job, &alone), name);
    gfp_gpu_ntt_plan_destroy(job.plan);
    gfp_gpu_array_destroy(job.a);
    gfp_gpu_array_destroy(job.b);
    gfp_gpu_array_destroy(job.c);
    transfer_close(&job.t);
    return !ok || note_both(w, r, ways[r->argument].product, "product", name, &alone, &with);
}
