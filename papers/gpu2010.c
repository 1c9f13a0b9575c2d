/* papers/gpu2010.c: the figures of "Fast polynomial multiplication on a GPU" (2010): an array by a
 * constant, transforms and products modulo a prime of 30 bits, on a CUDA device if there is one,
 * and on one processor; beside them the library's products modulo a word (gfpoly/wvec.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/device.h"
#include "papers/small.h"
#include "field/base/word.h"
#include "fft/words/ntt.h"
#include "fft/words/primes.h"
#include "gpu/word_products.h"

#define MOST_LOG 26
#define TRANSFER_SAMPLES 5

static bool find_prime(uint64_t *q)
{
    return gfp_word_prime_below(q, (uint64_t)1 << GFP_HALF_BITS, MOST_LOG) == GFP_OK ||
           complain("no prime of 30 bits for 2^%d points", MOST_LOG);
}

/* Residues modulo the prime on the CPU: the hash of pairs of residues is that of a device's packed
 * words. */
typedef struct residues {
    uint64_t q;
    gfp_half half;
    size_t n;
    const gfp_forms *forms;
    uint32_t *x, *y, *work, *powers;
    gfp_half_product product;
} residues;

static void residues_close(residues *w)
{
    free(w->x);
    free(w->y);
    free(w->work);
    free(w->powers);
}

/* Draws x as ntt_open does, n residues, n even. */
static bool residues_open(residues *w, size_t n)
{
    gfp_random g;

    *w = (residues){.n = n, .forms = gfp_forms_get(gfp_cpu_level_get())};
    if (!find_prime(&w->q)) {
        return false;
    }
    w->half = gfp_half_of((uint32_t)w->q);
    w->x = malloc(n * sizeof(*w->x));
    w->y = malloc(n * sizeof(*w->y));
    w->work = malloc(n * sizeof(*w->work));
    w->powers = malloc(n * sizeof(*w->powers));
    if (w->x == NULL || w->y == NULL || w->work == NULL || w->powers == NULL) {
        return complain("no memory for %zu residues", n);
    }
    gfp_random_seed(&g, JOB_SEED);
    for (size_t i = 0; i < n; i++) {
        w->x[i] = (uint32_t)gfp_random_below(&g, w->q);
    }
    return true;
}

/* A hash as a quantity: doubles hold 53 bits. */
static double hash_quantity(const uint64_t *x, size_t n)
{
    return (double)(hash_words(x, n, 1) >> 11);
}

/* The hash of n residues, packed. */
static double hash_residues(const uint32_t *x, size_t n)
{
    uint64_t hash = 1;

    for (size_t i = 0; i + 1 < n; i += 2) {
        const uint64_t pair = x[i] | (uint64_t)x[i + 1] << 32;
        hash = hash_words(&pair, 1, hash);
    }
    return (double)(hash >> 11);
}

/* ---- figures 1 and 2: an array by a constant ---- */

static bool run_scale(void *context)
{
    residues *w = context;

    w->forms->scale(&w->half, w->y, w->x, w->n, (uint32_t)(w->q / 3), w->product);
    return true;
}

static const struct {
    gfp_half_product on_cpu;
    gfp_gpu_ntt_product on_device;
    const char *token, *name;
} products[] = {
    {GFP_HALF_MONTGOMERY, GFP_GPU_NTT_MONTGOMERY, "montgomery", "Montgomery"},
    {GFP_HALF_DOUBLE_QUOTIENT, GFP_GPU_NTT_DOUBLE_QUOTIENT, "floating", "floating point"}};

/* Keeps the nanoseconds for one of n residues. */
static bool note_scale(paper *w, const table_row *r, size_t product, bool device, timing t)
{
    char name[64];

    t = timing_divide(t, (double)r->n);
    snprintf(name, sizeof(name), "%sscale.%s", device ? "gpu" : "cpu", products[product].token);
    quantity_put(w, r, name, device ? t.median_ns : t.min_ns);
    snprintf(name, sizeof(name), "residue by a constant, %s", products[product].name);
    return device ? note_gpu_figure(w, OVER_WORDS, name, r->n, &t)
                  : note_figure(w, OVER_WORDS, name, r->n, &t);
}

static bool measure_scale(paper *w, const table_row *r, int argument)
{
    residues job;
    timing t;
    bool ok = residues_open(&job, r->n);

    (void)argument;
    progress("CPU", "products by a constant", r->n);
    for (size_t i = 0; i < COUNT(products) && ok; i++) {
        job.product = products[i].on_cpu;
        ok = run_scale(&job);
        for (size_t j = 0; j < r->n && ok; j++) {
            ok = job.y[j] == job.x[j] * (job.q / 3) % job.q ||
                 complain("%s: a product is wrong", products[i].name);
        }
        ok = ok && measure(&t, w->s.seconds, run_scale, &job) && note_scale(w, r, i, false, t);
    }
    residues_close(&job);
    return ok;
}

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
                 succeeds(b, gfp_gpu_download(w->job.result, w->job.y, 0, n / 2), "products");

    for (size_t i = 0; i < n && right; i++) {
        const uint64_t x = w->job.residues[i / 2] >> (32 * (i % 2)) & UINT32_MAX;
        const uint64_t y = w->job.result[i / 2] >> (32 * (i % 2)) & UINT32_MAX;
        right = y == x * w->c % q || fails(b, "products by a constant: number %zu is wrong", i);
    }
    return right;
}

static bool measure_device_scale(paper *w, const table_row *r, int argument)
{
    uint64_t q;
    bool ok = find_prime(&q);

    (void)argument;
    for (size_t i = 0; i < COUNT(products) && ok; i++) {
        const gfp_gpu_ntt_options options = {
            .form = GFP_NTT_STOCKHAM, .product = products[i].on_device, .packed = true};
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

/* ---- transforms on the CPU ---- */

static bool run_word(void *context)
{
    residues *w = context;

    memcpy(w->y, w->x, w->n * sizeof(*w->x));
    w->forms->transform_half(&w->half, w->powers, w->y, w->work, log2_of(w->n));
    return true;
}

/* Whether y has the transform's values at places 0, 1 and n - 1, by Horner's rule. */
static bool has_values(const residues *w)
{
    const uint64_t root = gfp_word_root_of_unity(w->q, log2_of(w->n));
    const size_t places[] = {0, 1, w->n - 1};

    for (size_t i = 0; i < COUNT(places); i++) {
        const uint64_t at = gfp_mod_pow(root, places[i], w->q);
        uint64_t value = 0;
        for (size_t j = w->n; j-- > 0;) {
            value = (value * at + w->x[j]) % w->q;
        }
        if (w->y[places[i]] != value) {
            return complain("%zu residues on the CPU: a value is wrong", w->n);
        }
    }
    return true;
}

/* Stockham's form with the paper's product, in plain C: "word.ms", "word.hash". */
static bool measure_word(paper *w, const table_row *r, int argument)
{
    residues job;
    timing t;
    bool ok = residues_open(&job, r->n);

    (void)argument;
    progress("CPU", "transform", r->n);
    if (ok) {
        gfp_half_powers(job.powers, (uint32_t)job.q, log2_of(r->n));
        ok = run_word(&job) && has_values(&job) && measure(&t, w->s.seconds, run_word, &job) &&
             note_figure(w, OVER_WORDS, "transform", r->n, &t);
    }
    if (ok) {
        quantity_put(w, r, "word.ms", t.min_ns / 1e6);
        quantity_put(w, r, "word.hash", hash_residues(job.y, r->n));
    }
    residues_close(&job);
    return ok;
}

/* The library's transform modulo a block of eight primes of 50 bits, for one of them. */
static bool measure_block(paper *w, const table_row *r, int argument)
{
    gfp_field *field;
    small_primes a = {.n = 0};
    timing t;

    (void)argument;
    if (r->n > (size_t)1 << GFP_WORDS_LOG2_ORDER || r->n < (size_t)1 << GFP_WORDS_LEAST_LOG2) {
        return true;
    }
    progress("CPU", "transform modulo a block", r->n);
    field = open_field('p', 2); /* integers of 127 bits: one block */
    bool ok = field != NULL && small_open(&a, field, r->n, GFP_NTT_BLOCKED, JOB_SEED) &&
              a.blocks == 1 && small_check(&a) && measure(&t, w->s.seconds, small_transform, &a);
    if (ok) {
        t = timing_divide(t, GFP_WORDS);
        quantity_put(w, r, "block.ms", t.min_ns / 1e6);
        ok = note_figure(w, "50 bits", "transform modulo a prime of a block", r->n, &t);
    }
    small_close(&a);
    gfp_field_destroy(field);
    return ok || complain("%zu residues modulo a block: failed", r->n);
}

/* ---- transforms on the device ---- */

/* The papers' forms with the paper's product, and the library's form. */
enum { WAY_CT, WAY_TABULATED, WAY_STOCKHAM, WAY_OWN };
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
    gfp_gpu_host_release(t->b->gpu, t->in);
    gfp_gpu_host_release(t->b->gpu, t->out);
}

/* The caller calls transfer_close after success and after failure. */
static bool transfer_open(transfer *t, bench *b, size_t words)
{
    void *in = NULL, *out = NULL;
    const bool ok = succeeds(b, gfp_gpu_host_allocate(b->gpu, &in, words * 8), "page-locked") &&
                    succeeds(b, gfp_gpu_host_allocate(b->gpu, &out, words * 8), "page-locked");

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
    char name[64];

    snprintf(name, sizeof(name), "%s.ms", prefix);
    quantity_put(w, r, name, alone->median_ns / 1e6);
    snprintf(name, sizeof(name), "%s.transfer", prefix);
    quantity_put(w, r, name, with->median_ns / 1e6);
    snprintf(name, sizeof(name), "%s, %s", what, form);
    if (!note_gpu_figure(w, OVER_WORDS, name, r->n, alone)) {
        return false;
    }
    snprintf(name, sizeof(name), "%s, %s, with transfers", what, form);
    return note_gpu_figure(w, OVER_WORDS, name, r->n, with);
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
    gfp_status status = gfp_gpu_upload(r->job.x, 0, r->t.in, r->job.words);

    if (status == GFP_OK) {
        status = run_ntt(&r->job);
    }
    return status != GFP_OK ? status : gfp_gpu_download(r->t.out, r->job.y, 0, r->job.words);
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
         succeeds(b, gfp_gpu_download(r->job.result, r->job.y, 0, r->job.words), "transform") &&
         (hash_quantity(r->job.result, r->job.words) == expected ||
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
static bool measure_way(paper *w, const table_row *r, int argument)
{
    const char *name = ways[argument].name;
    there_and_back job;
    timing alone, with;
    double expected;

    if (!quantity_find(w, r, "word.hash", &expected)) {
        return false;
    }
    progress("device", name, r->n);
    const bool ok = open_way(w, argument, r->n, false, expected, &job) &&
                    succeeds(&w->gpu, time_runs(&w->gpu, run_alone, &job, &alone), name) &&
                    time_by_clock(&w->gpu, run_there_and_back, &job, &with, name) &&
                    (hash_quantity(job.t.out, job.job.words) == expected ||
                     fails(&w->gpu, "%s, %zu residues, with transfers: wrong", name, r->n));
    close_way(&job);
    return !ok || note_both(w, r, ways[argument].transform, "transform", name, &alone, &with);
}

/* ---- figures 3 to 5: steps ---- */

static double ms_since(uint64_t start)
{
    return (double)(clock_ns() - start) / 1e6;
}

static void put_step(paper *w, const table_row *r, int way, const char *step, const char *what,
                     double value)
{
    char name[48];

    snprintf(name, sizeof(name), "%s.%s.%s", ways[way].steps, step, what);
    quantity_put(w, r, name, value);
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
    ok = ok && succeeds(b, gfp_gpu_upload(job->job.x, 0, job->t.in, job->job.words), "upload") &&
         succeeds(b, gfp_gpu_wait(b->gpu, NULL), "upload");
    put_step(w, r, way, "upload", "ms", ok ? ms_since(start) : NAN);
    start = clock_ns();
    ok = ok && succeeds(b, gfp_gpu_download(job->t.out, job->job.y, 0, job->job.words), "download");
    put_step(w, r, way, "download", "ms", ok ? ms_since(start) : NAN);
    return ok;
}

static bool measure_steps_of_way(paper *w, const table_row *r, int argument)
{
    there_and_back job;
    gfp_gpu_times taken;
    double expected;

    if (!quantity_find(w, r, "word.hash", &expected)) {
        return false;
    }
    bool ok = open_way(w, argument, r->n, true, expected, &job);
    for (int run = 0; run < 3 && ok; run++) {
        ok = succeeds(&w->gpu, run_ntt(&job.job), ways[argument].name) &&
             succeeds(&w->gpu, gfp_gpu_ntt_plan_times(job.job.plan, &taken), ways[argument].name);
    }
    if (ok && measure_surroundings(w, r, argument, &job)) {
        put_steps(w, r, argument, &taken);
    }
    close_way(&job);
    return true;
}

/* ---- figure 8: products ---- */

/* Factors a and b of n / 2 coefficients modulo the prime, and room for the product. */
typedef struct factors {
    gfp_zring *ring;
    uint64_t q;
    size_t terms;
    uint64_t *a, *b, *c;
} factors;

static void factors_close(factors *w)
{
    gfp_zring_destroy(w->ring);
    free(w->a);
    free(w->b);
    free(w->c);
}

static bool factors_open(factors *w, size_t n)
{
    gfp_random g;

    *w = (factors){.terms = n / 2};
    w->a = malloc(n / 2 * sizeof(*w->a));
    w->b = malloc(n / 2 * sizeof(*w->b));
    w->c = calloc(n, sizeof(*w->c));
    if (!find_prime(&w->q) || w->a == NULL || w->b == NULL || w->c == NULL ||
        gfp_zring_create(&w->ring, NULL, NULL) != GFP_OK) {
        return complain("no memory for %zu coefficients", n);
    }
    gfp_random_seed(&g, JOB_SEED);
    for (size_t i = 0; i < n / 2; i++) {
        w->a[i] = gfp_random_below(&g, w->q);
        w->b[i] = gfp_random_below(&g, w->q);
    }
    return true;
}

static bool run_wvec(void *context)
{
    factors *w = context;
    const gfp_options options = {.threads = 1};

    return gfp_wvec_mul(w->ring, w->c, w->a, w->terms, w->b, w->terms, w->q, &options) == GFP_OK;
}

/* x(at), by Horner's rule. */
static uint64_t value_at(const uint64_t *x, size_t len, uint64_t at, uint64_t q)
{
    uint64_t value = 0;

    for (size_t i = len; i-- > 0;) {
        value = (value * at + x[i]) % q;
    }
    return value;
}

/* Packs x, 2 i and 2 i + 1 to a word. */
static void pack_words(uint64_t *to, const uint64_t *x, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        to[i] = x[2 * i] | x[2 * i + 1] << 32;
    }
}

/* gfp_wvec_mul on one processor: "wcpu.ms" and "wcpu.hash", of the packed product. */
static bool measure_wvec(paper *w, const table_row *r, int argument)
{
    factors job;
    timing t;
    bool ok = factors_open(&job, r->n);

    (void)argument;
    progress("CPU", "product", r->n);
    if (ok) {
        const uint64_t q = job.q, at = q / 5;
        ok = run_wvec(&job);
        ok =
            (ok && value_at(job.c, r->n - 1, at, q) ==
                       value_at(job.a, job.terms, at, q) * value_at(job.b, job.terms, at, q) % q) ||
            complain("%zu coefficients on the CPU: the product failed, or is wrong", r->n);
        ok = ok && measure(&t, w->s.seconds, run_wvec, &job) &&
             note_figure(w, OVER_WORDS, "product", r->n, &t);
    }
    if (ok) {
        quantity_put(w, r, "wcpu.ms", t.min_ns / 1e6);
        pack_words(job.c, job.c, r->n);
        quantity_put(w, r, "wcpu.hash", hash_quantity(job.c, r->n / 2));
    }
    factors_close(&job);
    return ok;
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

static bool measure_words(paper *w, const table_row *r, int argument)
{
    factors job;
    word_run run = {.plan = NULL};
    bench *b = &w->gpu;
    timing t;
    double expected;

    (void)argument;
    if (r->n > (size_t)1 << 24) { /* the longest products */
        return true;
    }
    if (!quantity_find(w, r, "wcpu.hash", &expected) || !factors_open(&job, r->n)) {
        return false;
    }
    progress("device", "product by word_products", r->n);
    run.run = (gfp_gpu_word_run){job.c, job.a, job.b, &job.q, 1};
    bool ok = succeeds(b, gfp_gpu_word_products_create(&run.plan, b->gpu, job.terms, job.terms, 1),
                       "word_products") &&
              time_by_clock(b, run_words, &run, &t, "word_products");
    if (ok) {
        pack_words(job.c, job.c, r->n);
        ok = hash_quantity(job.c, r->n / 2) == expected ||
             fails(b, "word_products, %zu coefficients: wrong", r->n);
    }
    gfp_gpu_word_products_destroy(run.plan);
    factors_close(&job);
    if (ok) {
        quantity_put(w, r, "wgpu.transfer", t.median_ns / 1e6);
    }
    return !ok ||
           note_gpu_figure(w, OVER_WORDS, "product by word_products, with transfers", r->n, &t);
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
    const gfp_status status = gfp_gpu_upload(x, 0, from, words / 2);

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
    return status != GFP_OK ? status : gfp_gpu_download(r->t.out, r->c, 0, r->words);
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
         succeeds(b, gfp_gpu_array_create(&r->a, b->gpu, r->words), name) &&
         succeeds(b, gfp_gpu_array_create(&r->b, b->gpu, r->words), name) &&
         succeeds(b, gfp_gpu_array_create(&r->c, b->gpu, r->words), name) &&
         transfer_open(&r->t, b, r->words);
    if (ok) {
        pack_words(r->t.in, job.a, job.terms);
        pack_words(r->t.in + r->words / 2, job.b, job.terms);
    }
    factors_close(&job);
    return ok;
}

static bool measure_product(paper *w, const table_row *r, int argument)
{
    const char *name = ways[argument].name;
    product_job job;
    timing alone, with;
    double expected;

    if (!quantity_find(w, r, "wcpu.hash", &expected)) {
        return false;
    }
    progress("device, product", name, r->n);
    const bool ok = open_product(w, argument, r->n, &job) &&
                    time_by_clock(&w->gpu, run_product_there_and_back, &job, &with, name) &&
                    (hash_quantity(job.t.out, job.words) == expected ||
                     fails(&w->gpu, "%s, product of %zu coefficients: wrong", name, r->n)) &&
                    succeeds(&w->gpu, time_runs(&w->gpu, run_product, &job, &alone), name);
    gfp_gpu_ntt_plan_destroy(job.plan);
    gfp_gpu_array_destroy(job.a);
    gfp_gpu_array_destroy(job.b);
    gfp_gpu_array_destroy(job.c);
    transfer_close(&job.t);
    return !ok || note_both(w, r, ways[argument].product, "product", name, &alone, &with);
}

static const own_row product_rows[] = {
    {"11", "", 0, 0, 0, 12, false}, {"13", "", 0, 0, 0, 14, false}, {"15", "", 0, 0, 0, 16, false},
    {"17", "", 0, 0, 0, 18, false}, {"19", "", 0, 0, 0, 20, false}, {"21", "", 0, 0, 0, 22, false},
    {"23", "", 0, 0, 0, 24, false}, {"25", "", 0, 0, 0, 26, false}, {.text = NULL}};

/* "speed.WAY": the lowest or the highest ratio over all lengths, transfers counted. */
static bool measure_speed(paper *w, const table_row *r, int argument)
{
    static const char *const names[] = {"pst", "pown", "wgpu"};
    const bool lowest = strcmp(r->name, "lowest") == 0;
    char name[48];

    (void)argument;
    for (size_t i = 0; i < COUNT(names); i++) {
        double end = NAN;
        for (const own_row *own = product_rows; own->text != NULL; own++) {
            const table_row length = {.name = own->text, .n = (size_t)1 << own->log2_n};
            double cpu, device;
            snprintf(name, sizeof(name), "%s.transfer", names[i]);
            if (!quantity_find(w, &length, "wcpu.ms", &cpu) ||
                !quantity_find(w, &length, name, &device)) {
                return false;
            }
            end = lowest ? fmin(end, cpu / device) : fmax(end, cpu / device);
        }
        snprintf(name, sizeof(name), "speed.%s", names[i]);
        quantity_put(w, r, name, end);
    }
    return true;
}

const quantity_group gpu2010_groups[] = {
    {"cpuscale", measure_scale, 0, false},
    {"gpuscale", measure_device_scale, 0, true},
    {"word", measure_word, 0, false},
    {"block", measure_block, 0, false},
    {"nct", measure_way, WAY_CT, true},
    {"ntab", measure_way, WAY_TABULATED, true},
    {"nst", measure_way, WAY_STOCKHAM, true},
    {"nown", measure_way, WAY_OWN, true},
    {"sct", measure_steps_of_way, WAY_CT, true},
    {"stab", measure_steps_of_way, WAY_TABULATED, true},
    {"sst", measure_steps_of_way, WAY_STOCKHAM, true},
    {"wcpu", measure_wvec, 0, false},
    {"wgpu", measure_words, 0, true},
    {"pst", measure_product, WAY_STOCKHAM, true},
    {"pown", measure_product, WAY_OWN, true},
    {"speed", measure_speed, 0, true},
    {NULL, NULL, 0, false},
};

/* ---- tables ---- */

static const picture figures1_2 = {.name = "gpu2010-figures1-2",
                                   .kind = FIGURE_CURVES,
                                   .logarithmic = true,
                                   .axis = VARIATIONS_ON_AXIS,
                                   .title = "An array of residues of 30 bits by a constant",
                                   .x_label = "log2 of the number of residues",
                                   .y_label = "ns for each residue"};

static const picture figures3_5 = {.name = "gpu2010-figures3-5",
                                   .kind = FIGURE_STACKS,
                                   .axis = ROWS_ON_AXIS,
                                   .series_of_variations = true,
                                   .title = "Kernels and surroundings of a transform on a device",
                                   .x_label = "form",
                                   .y_label = "ms"};

static const picture figures6_7 = {.name = "gpu2010-figures6-7",
                                   .kind = FIGURE_CURVES,
                                   .logarithmic = true,
                                   .axis = ROWS_ON_AXIS,
                                   .title =
                                       "Transforms modulo a prime of 30 bits, without transfers",
                                   .x_label = "log2 of the number of points",
                                   .y_label = "ms"};

static const picture figure8 = {.name = "gpu2010-figure8",
                                .kind = FIGURE_CURVES,
                                .logarithmic = true,
                                .axis = ROWS_ON_AXIS,
                                .title = "Products: one processor by a device, transfers counted",
                                .x_label = "log2 of the number of terms",
                                .y_label = "times as fast"};

#define LENGTH(log2)                                                                               \
    {                                                                                              \
#log2, "", NULL, log2, false, true, true                                                   \
    }
#define STEP(text, token)                                                                          \
    {                                                                                              \
        text, token, NULL, 0, false, true, true                                                    \
    }

const paper_table gpu2010_tables[] = {
    {.name = "gpu2010-figures1-2",
     .files = FILES("gpu2010-figures1-2"),
     .text = "Here: for each residue of 32 bits, several lengths; on one processor by the kernel "
             "level in use (GFPOLY_CPU), vectors by the compiler; on the device an array in its "
             "memory.",
     .label = LABEL_TEXT,
     .heads = "on | log2 of the residues",
     .variations =
         VARIATIONS(LENGTH(11), LENGTH(14), LENGTH(17), LENGTH(20), LENGTH(23), LENGTH(26)),
     .columns = COLUMNS({"Montgomery, ns", NULL, "$scale.montgomery", "Montgomery", NULL},
                        {"floating point, ns", NULL, "$scale.floating", "floating point", NULL},
                        {"Montgomery / floating point", "montgomery_by_floating_point",
                         "$scale.montgomery / $scale.floating", NULL, NULL}),
     .drawn = &figures1_2},
    {.name = "gpu2010-figures3-5",
     .title = "Figures 3 to 5: time of each kernel, transforms of 2^26 points",
     .text = "Moreno Maza, Pan: Fast polynomial multiplication on a GPU, J. Phys. Conf. Ser. 256 "
             "(2010) 012009. Time lines of a profiler on a GTX 285, without figures: Cooley-Tukey, "
             "the same with tabulated powers, Stockham. Here: 2^26 points, or the longest that are "
             "not left out, events between the kernels; by the clock: the plan (the root and its "
             "powers by squaring on the host, the table of powers by doubling on the device) and "
             "transfers from and to page-locked memory. Shares are of the kernels' time.",
     .label = LABEL_TEXT,
     .heads = "form | step",
     .rows = ROWS({"Cooley-Tukey", "sct", 0, 0, 0, 26, true},
                  {"tabulated powers", "stab", 0, 0, 0, 26, true},
                  {"Stockham", "sst", 0, 0, 0, 26, true}),
     .variations = VARIATIONS(STEP("convert", "convert"), STEP("permutation", "permutation"),
                              STEP("base case", "base case"), STEP("twiddle", "twiddle"),
                              STEP("butterfly", "butterfly"), STEP("plan and powers", "plan"),
                              STEP("upload", "upload"), STEP("download", "download")),
     .columns = COLUMNS({"kernels", NULL, "$.@.kernels", NULL, NULL},
                        {"ms", NULL, "$.@.ms", "ms", NULL}, {"%", NULL, "$.@.%", NULL, NULL}),
     .drawn = &figures3_5},
    {.name = "gpu2010-figures6-7",
     .files = FILES("gpu2010-figure6"),
     .text =
         "Figure 7 plots the same. Here: residues of 32 bits, natural order, one call on the "
         "device; with transfers: from page-locked memory and back, by the clock; one "
         "processor: Stockham's form in C with the paper's product, and the library's transform "
         "modulo a block of eight primes of 50 bits, an eighth of its time. The paper's forms "
         "by the product with a quotient in floating point; its Cooley-Tukey form has tabulated "
         "powers.",
     .label = LABEL_TEXT,
     .heads = "log2 n",
     .columns = COLUMNS({"Cooley-Tukey", NULL, "nct.ms", "Cooley-Tukey", NULL},
                        {"with transfers", NULL, "nct.transfer", NULL, NULL},
                        {"tabulated powers", "cooley_tukey", "ntab.ms", "tabulated powers", NULL},
                        {"with transfers", "cooley_tukey_transfer", "ntab.transfer", NULL, NULL},
                        {"Stockham", "stockham", "nst.ms", "Stockham", NULL},
                        {"with transfers", "stockham_transfer", "nst.transfer", NULL, NULL},
                        {"ours", NULL, "nown.ms", "ours", NULL},
                        {"with transfers", NULL, "nown.transfer", NULL, NULL},
                        {"CPU: modpn, here C", "modpn_cpu", "word.ms", "CPU", NULL},
                        {"CPU, a prime of the library's block", NULL, "block.ms", NULL, NULL}),
     .drawn = &figures6_7},
    {.name = "gpu2010-figure8",
     .files = FILES("gpu2010-figure8"),
     .text =
         "Here: two polynomials of as many terms each; three transforms of twice the points. "
         "One processor: gfp_wvec_mul. The library's products modulo a word on a device "
         "(gfpoly/wvec.h, gpu/word_products.h): residues of 64 bits in the host's usual memory, "
         "three primes.",
     .label = LABEL_TEXT,
     .heads = "log2 of the terms",
     .rows = product_rows,
     .columns = COLUMNS({"CPU, ours, ms", NULL, "wcpu.ms", NULL, NULL},
                        {"Stockham, ms", NULL, "pst.ms", NULL, NULL},
                        {"with transfers", NULL, "pst.transfer", NULL, NULL},
                        {"CPU / this", NULL, "wcpu.ms / pst.transfer", "Stockham", NULL},
                        {"ours, ms", NULL, "pown.ms", NULL, NULL},
                        {"with transfers", NULL, "pown.transfer", NULL, NULL},
                        {"CPU / this", NULL, "wcpu.ms / pown.transfer", "ours", NULL},
                        {"any word, with transfers", NULL, "wgpu.transfer", NULL, NULL},
                        {"CPU / this", NULL, "wcpu.ms / wgpu.transfer", "any word", NULL}),
     .drawn = &figure8},
    {.name = "gpu2010-figure8",
     .files = FILES("gpu2010-figure8"),
     .title = "The ends of these ratios:",
     .label = LABEL_TEXT,
     .heads = "CPU by GPU, transfers counted",
     .columns = COLUMNS({"Stockham", "modpn_by_gpu", "speed.pst", NULL, NULL},
                        {"ours", "modpn_by_gpu", "speed.pown", NULL, NULL},
                        {"any word", "modpn_by_gpu", "speed.wgpu", NULL, NULL})},
    {.name = NULL},
};
