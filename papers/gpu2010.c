/* papers/gpu2010.c: figures 3 to 8 of "Fast polynomial multiplication on a GPU" (2010): transforms
 * and products modulo a prime of 30 bits, on a CUDA device if there is one, and on one processor.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly/ntt.h"
#include "papers/tables.h"
#include "fft/words/primes.h"
#include "gpu/arrays.h"

#define LEAST_LOG 12
#define MOST_LOG 26
#define MOST_PRODUCT_LOG 26 /* Figure 8, whose own lengths are unknown: those of Figure 6 */
#define TRANSFER_SAMPLES 5

/* The papers' forms with the paper's product, and the library's form. */
static const struct {
    const char *name, *column; /* its column of Figure 6, or NULL */
    gfp_ntt_form form;
    gfp_gpu_ntt_product product;
} ways[] = {
    {"Cooley-Tukey", NULL, GFP_NTT_COOLEY_TUKEY, GFP_GPU_NTT_DOUBLE_QUOTIENT},
    {"tabulated powers", "cooley_tukey", GFP_NTT_COOLEY_TUKEY_TABULATED,
     GFP_GPU_NTT_DOUBLE_QUOTIENT},
    {"Stockham", "stockham", GFP_NTT_STOCKHAM, GFP_GPU_NTT_DOUBLE_QUOTIENT},
    {"ours", NULL, GFP_NTT_FORM_AUTO, GFP_GPU_NTT_PRODUCT_AUTO},
};
enum { CT, TABULATED, STOCKHAM, OURS, WAYS };

static bool find_prime(uint64_t *q)
{
    return gfp_word_prime_below(q, (uint64_t)1 << 30, MOST_LOG) == GFP_OK ||
           complain("no prime of 30 bits for 2^%d points", MOST_LOG);
}

/* n residues as in ntt_open's vectors, with zeros from `count` on. */
static uint64_t *residues(size_t n, size_t count, uint64_t q, uint64_t seed)
{
    uint64_t *x = calloc(n, sizeof(*x));
    gfp_random g;

    gfp_random_seed(&g, seed);
    for (size_t i = 0; x != NULL && i < count; i++) {
        x[i] = gfp_random_below(&g, q);
    }
    return x;
}

/* Packs in place: two residues per word, n / 2 words. */
static void pack(uint64_t *x, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        x[i] = x[2 * i] | x[2 * i + 1] << 32;
    }
}

/* ---- on the CPU ---- */

typedef struct cpu_job {
    gfp_ntt_plan *plan;
    uint64_t *a, *b, *c; /* b: for products only */
    void *work;
} cpu_job;

static bool run_cpu(void *context)
{
    cpu_job *w = context;

    return (w->b == NULL
                ? gfp_ntt_forward(w->plan, w->c, w->a, GFP_ORDER_NATURAL, w->work, NULL)
                : gfp_ntt_convolve_cyclic(w->plan, w->c, w->a, w->b, w->work, NULL)) == GFP_OK;
}

/* Makes factors and room for the result, n residues each; the factors of a product have n / 2
 * terms. */
static bool fill_cpu(cpu_job *w, uint64_t q, size_t n, bool product)
{
    w->a = residues(n, product ? n / 2 : n, q, JOB_SEED);
    w->b = product ? residues(n, n / 2, q, JOB_SEED + 1) : NULL;
    w->c = calloc(n, sizeof(*w->c));
    return w->a != NULL && (w->b != NULL || !product) && w->c != NULL;
}

static void forget_plan(cpu_job *w)
{
    gfp_ntt_plan_destroy(w->plan);
    free(w->work);
    w->plan = NULL;
    w->work = NULL;
}

/* Replaces the plan, and computes the hash of its result. */
static bool try_plan(cpu_job *w, uint64_t q, size_t n, const gfp_ntt_options *options,
                     uint64_t *hash)
{
    forget_plan(w);
    if (gfp_ntt_plan_create(&w->plan, q, n, options, NULL, NULL) != GFP_OK) {
        return false;
    }
    w->work = malloc(
        (w->b != NULL ? gfp_ntt_convolution_workspace(w->plan) : gfp_ntt_workspace(w->plan)) + 1);
    memset(w->c, 0, n * sizeof(*w->c)); /* no result of the last plan remains */
    const bool ok = w->work != NULL && run_cpu(w);
    *hash = hash_words(w->c, n, 1);
    return ok;
}

/* Times the transform of n residues, or the product of two polynomials of n / 2 terms, and compares
 * it with the papers' form by the papers' product. The hash is that of the packed result. */
static bool measure_cpu(paper *w, uint64_t q, size_t n, bool product, word_transform *found)
{
    const gfp_ntt_options papers = {GFP_NTT_STOCKHAM, GFP_NTT_DOUBLE_QUOTIENT};
    cpu_job job = {.plan = NULL};
    timing t = {0};
    uint64_t expected = 0, hash = 0;

    progress("CPU", product ? "product" : "transform", n);
    const bool ok =
        fill_cpu(&job, q, n, product) && try_plan(&job, q, n, &papers, &expected) &&
        try_plan(&job, q, n, NULL, &hash) &&
        (hash == expected || complain("%zu residues on the CPU: two forms differ", n)) &&
        measure(&t, w->s.seconds, run_cpu, &job) &&
        note_figure(w, OVER_WORDS, product ? "product" : "transform", n, &t);
    if (ok) {
        pack(job.c, n);
        found->hash = hash_words(job.c, n / 2, 1);
        found->ms = t.min_ns / 1e6;
    }
    progress_end();
    forget_plan(&job);
    free(job.a);
    free(job.b);
    free(job.c);
    return ok || complain("%zu residues on the CPU: failed", n);
}

/* *found := the figures of a transform, measured once for all figures; all 0 if it is left out. */
static bool find_transform(paper *w, uint64_t q, size_t n, word_transform *found)
{
    word_transform *known = &w->words[log2_of(n)];

    if (!left_out(w, n) && !(known->ms > 0) && !measure_cpu(w, q, n, false, known)) {
        return false;
    }
    *found = *known;
    return true;
}

/* ---- transforms on the device ---- */

/* Page-locked memory for the residues of the longest transform, in both directions. */
typedef struct transfer {
    uint64_t *in, *out;
} transfer;

static void transfer_close(paper *w, transfer *t)
{
    if (w->gpu.gpu != NULL) {
        gfp_gpu_host_release(w->gpu.gpu, t->in);
        gfp_gpu_host_release(w->gpu.gpu, t->out);
    }
}

/* Opens nothing without a device. The caller calls transfer_close after success and
 * after failure. */
static bool transfer_open(paper *w, size_t words, transfer *t)
{
    void *in = NULL, *out = NULL;

    *t = (transfer){NULL, NULL};
    if (w->gpu.gpu == NULL) {
        return true;
    }
    const bool ok =
        succeeds(&w->gpu, gfp_gpu_host_allocate(w->gpu.gpu, &in, words * 8), "page-locked") &&
        succeeds(&w->gpu, gfp_gpu_host_allocate(w->gpu.gpu, &out, words * 8), "page-locked");
    *t = (transfer){in, out};
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

/* Adds both figures to the table of runs. */
static bool note_both(paper *w, const char *what, const char *form, size_t n, const timing *alone,
                      const timing *with)
{
    char name[64], with_name[64];

    snprintf(name, sizeof(name), "%s, %s", what, form);
    snprintf(with_name, sizeof(with_name), "%s, %s, with transfers", what, form);
    return note_gpu_figure(w, OVER_WORDS, name, n, alone) &&
           note_gpu_figure(w, OVER_WORDS, with_name, n, with);
}

typedef struct there_and_back {
    ntt_job *job;
    const transfer *t;
    size_t words;
} there_and_back;

static gfp_status run_there_and_back(void *context)
{
    const there_and_back *r = context;
    gfp_status status = gfp_gpu_upload(r->job->x, 0, r->t->in, r->words);

    if (status == GFP_OK) {
        status = run_ntt(r->job);
    }
    return status != GFP_OK ? status : gfp_gpu_download(r->t->out, r->job->y, 0, r->words);
}

/* Checks that the transform in natural order is the CPU's. */
static bool check_way(ntt_job *job, size_t words, uint64_t expected)
{
    job->order = GFP_ORDER_NATURAL;
    job->inverse = false;
    return succeeds(job->b, run_ntt(job), "transform") &&
           succeeds(job->b, gfp_gpu_download(job->result, job->y, 0, words), "transform") &&
           (hash_words(job->result, words, 1) == expected ||
            fails(job->b, "transform of %zu residues by the form %s: wrong", 2 * words,
                  gfp_ntt_form_name(gfp_gpu_ntt_plan_form(job->plan))));
}

static bool open_way(paper *w, int way, uint64_t q, size_t n, bool timed, ntt_job *job)
{
    const gfp_gpu_ntt_options options = {
        .form = ways[way].form, .product = ways[way].product, .packed = true, .timed = timed};
    bool absent;

    return ntt_open(job, &w->gpu, &q, 1, n, &options, &absent) ||
           (absent && fails(&w->gpu, "%s: this form does not serve %zu points", ways[way].name, n));
}

/* *ms, *with_ms := the figures; both are 0 after a complaint, and without a device. */
static void measure_way(paper *w, int way, uint64_t q, size_t n, const transfer *t,
                        uint64_t expected, double *ms, double *with_ms)
{
    ntt_job job;
    there_and_back r = {&job, t, n / 2};
    timing alone, with;

    *ms = *with_ms = 0;
    if (t->in == NULL) {
        return;
    }
    progress("device", ways[way].name, n);
    bool ok = open_way(w, way, q, n, false, &job) && check_way(&job, n / 2, expected) &&
              succeeds(&w->gpu, time_runs(&w->gpu, run_ntt, &job, &alone), ways[way].name);
    if (ok) {
        memcpy(t->in, job.residues, n / 2 * sizeof(uint64_t));
        ok = time_by_clock(&w->gpu, run_there_and_back, &r, &with, ways[way].name) &&
             (hash_words(t->out, n / 2, 1) == expected ||
              fails(&w->gpu, "%s, %zu residues, with transfers: wrong", ways[way].name, n)) &&
             note_both(w, "transform", ways[way].name, n, &alone, &with);
    }
    *ms = ok ? alone.median_ns / 1e6 : 0;
    *with_ms = ok ? with.median_ns / 1e6 : 0;
    ntt_close(&job);
    progress_end();
}

/* ---- Figures 3 to 5 ---- */

static double step_share(const gfp_gpu_times *taken, unsigned i)
{
    double all = 0;

    for (unsigned j = 0; j < taken->count; j++) {
        all += taken->step[j].ms;
    }
    return 100 * per(taken->step[i].ms, all);
}

/* What surrounds a transform, in ms by the clock: the plan (the root and its powers by squaring on
 * the host, the table by doubling on the device), and both transfers. */
typedef struct surroundings {
    double plan_ms, upload_ms, download_ms;
} surroundings;

static double ms_since(uint64_t start)
{
    return (double)(clock_ns() - start) / 1e6;
}

static bool time_plan(paper *w, int way, uint64_t q, size_t n, double *ms)
{
    const gfp_gpu_ntt_options options = {
        .form = ways[way].form, .product = ways[way].product, .packed = true};
    gfp_gpu_ntt_plan *plan = NULL;
    const uint64_t start = clock_ns();
    const bool ok =
        succeeds(&w->gpu, gfp_gpu_ntt_plan_create(&plan, w->gpu.gpu, &q, 1, n, &options, NULL),
                 ways[way].name) &&
        succeeds(&w->gpu, gfp_gpu_wait(w->gpu.gpu, NULL), ways[way].name);

    *ms = ms_since(start);
    gfp_gpu_ntt_plan_destroy(plan);
    return ok;
}

static bool time_transfers(paper *w, const ntt_job *job, const transfer *t, size_t words,
                           surroundings *s)
{
    uint64_t start = clock_ns();
    bool ok = succeeds(&w->gpu, gfp_gpu_upload(job->x, 0, t->in, words), "upload") &&
              succeeds(&w->gpu, gfp_gpu_wait(w->gpu.gpu, NULL), "upload");

    s->upload_ms = ms_since(start);
    start = clock_ns();
    ok = ok && succeeds(&w->gpu, gfp_gpu_download(t->out, job->y, 0, words), "download");
    s->download_ms = ms_since(start);
    return ok;
}

/* The steps of a warm transform, whose result is compared with the CPU's, and its surroundings. */
static bool steps_of_way(paper *w, int way, uint64_t q, size_t n, const transfer *t,
                         uint64_t expected, gfp_gpu_times *taken, surroundings *s)
{
    ntt_job job;
    bool ok = open_way(w, way, q, n, true, &job) && check_way(&job, n / 2, expected);

    if (ok) {
        memcpy(t->in, job.residues, n / 2 * sizeof(uint64_t));
    }
    for (int run = 0; run < 3 && ok; run++) {
        ok = succeeds(&w->gpu, run_ntt(&job), ways[way].name) &&
             succeeds(&w->gpu, gfp_gpu_ntt_plan_times(job.plan, taken), ways[way].name) &&
             time_transfers(w, &job, t, n / 2, s);
    }
    ntt_close(&job);
    return ok && time_plan(w, way, q, n, &s->plan_ms);
}

static void step_row(paper *w, figure *picture, const char *form, const char *step,
                     const char *kernels, double ms, double share)
{
    fprintf(w->out, "| %s | %s | %s", form, step, kernels);
    table_measured_cell(w->out, 0, ms);
    table_measured_cell(w->out, 0, share);
    table_row_end(w->out);
    figure_put(picture, form, step, false, ms);
}

static void rows_of_way(paper *w, figure *picture, int way, const gfp_gpu_times *taken,
                        const surroundings *s)
{
    const char *form = ways[way].name;

    for (unsigned i = 0; i < taken->count; i++) {
        char kernels[12];
        snprintf(kernels, sizeof(kernels), "%u", taken->step[i].kernels);
        step_row(w, picture, form, taken->step[i].name, kernels, taken->step[i].ms,
                 step_share(taken, i));
    }
    step_row(w, picture, form, "plan and powers", "–", s->plan_ms, NAN);
    step_row(w, picture, form, "upload", "–", s->upload_ms, NAN);
    step_row(w, picture, form, "download", "–", s->download_ms, NAN);
}

bool gpu2010_figures3_5(paper *w)
{
    static const char *const columns[] = {"form", "step", "kernels", "ms", "%", NULL};
    figure picture = {.kind = FIGURE_STACKS,
                      .title = "Kernels and surroundings of a transform on a device",
                      .x_label = "form",
                      .y_label = "ms"};
    size_t n = (size_t)1 << MOST_LOG;
    word_transform cpu;
    transfer t;
    uint64_t q;

    while (left_out(w, n) && n > 2) {
        n /= 2;
    }
    fputs("\n## Figures 3 to 5: time of each kernel, transforms of 2^26 points\n\nMoreno Maza, "
          "Pan: Fast polynomial multiplication on a GPU, J. Phys. Conf. Ser. 256 (2010) 012009. "
          "Time lines of a profiler on a GTX 285, without figures: Cooley-Tukey, the "
          "same with tabulated powers, Stockham.",
          w->out);
    fprintf(
        w->out,
        " Here: 2^%u points, events between the kernels; by the clock: the plan (the root and its "
        "powers by squaring on the host, the table of powers by doubling on the device) and "
        "transfers from and to page-locked memory. Shares are of the kernels' time.\n\n",
        log2_of(n));
    if (!find_prime(&q) || !find_transform(w, q, n, &cpu)) {
        return false;
    }
    if (!transfer_open(w, n / 2, &t)) {
        transfer_close(w, &t);
        return false;
    }
    table_head(w->out, columns);
    for (int way = 0; way < OURS; way++) {
        gfp_gpu_times taken = {.count = 0};
        surroundings around = {0};
        if (w->gpu.gpu == NULL) {
            fprintf(w->out, "| %s | all | –", ways[way].name);
            table_gpu_cell(w, 0, 0);
            table_gpu_cell(w, 0, 0);
            table_row_end(w->out);
        } else if (steps_of_way(w, way, q, n, &t, cpu.hash, &taken, &around)) {
            rows_of_way(w, &picture, way, &taken, &around);
        }
    }
    transfer_close(w, &t);
    fputs("| on the CPU, ours | all | –", w->out);
    table_cell(w->out, 0, cpu.ms);
    table_cell(w->out, 0, cpu.ms > 0 ? 100 : 0);
    table_row_end(w->out);
    return figure_draw(w, &picture, "gpu2010-figures3-5");
}

/* ---- Figures 6 and 7 ---- */

/* Adds a published time and this machine's to the picture. */
static void put_pair(figure *picture, const char *label, const char *series, double was,
                     double here)
{
    char published[64];

    snprintf(published, sizeof(published), "%s, published", series);
    if (was > 0) {
        figure_put(picture, label, published, true, was);
    }
    figure_put(picture, label, series, false, here);
}

static void figure6_row(paper *w, const published_table *p, size_t row, uint64_t q,
                        const transfer *t, const word_transform *cpu, figure *picture)
{
    const char *label = p->text[row][0];
    const unsigned log2_n = key_of(p, row, "log2_n");

    fprintf(w->out, "| %u", log2_n);
    for (int way = 0; way < WAYS; way++) {
        double ms = 0, with_ms = 0, was = 0, with_was = 0;
        if (w->gpu.gpu != NULL && cpu->ms > 0) {
            measure_way(w, way, q, (size_t)1 << log2_n, t, cpu->hash, &ms, &with_ms);
        }
        if (ways[way].column != NULL) {
            char column[32];
            snprintf(column, sizeof(column), "%s_transfer", ways[way].column);
            was = published_figure(p, row, ways[way].column);
            with_was = published_figure(p, row, column);
        }
        table_gpu_cell(w, was, ms);
        table_gpu_cell(w, with_was, with_ms);
        put_pair(picture, label, ways[way].name, was, ms);
    }
    const double modpn = published_figure(p, row, "modpn_cpu");
    table_cell(w->out, modpn, cpu->ms);
    put_pair(picture, label, "CPU", modpn, cpu->ms);
    table_row_end(w->out);
}

bool gpu2010_figures6_7(paper *w)
{
    static const char *const columns[] = {
        "log2 n",   "Cooley-Tukey",   "with transfers", "tabulated powers", "with transfers",
        "Stockham", "with transfers", "ours",           "with transfers",   "CPU: modpn, here ours",
        NULL};
    figure picture = {.kind = FIGURE_CURVES,
                      .logarithmic = true,
                      .title = "Transforms modulo a prime of 30 bits, without transfers",
                      .x_label = "log2 of the number of points",
                      .y_label = "ms"};
    published_table p;
    transfer t;
    uint64_t q;

    if (!published_load(&p, w->folder, "gpu2010-figure6") || !find_prime(&q)) {
        return false;
    }
    table_title(w->out, &p, false);
    fputs("Figure 7 plots the same. Here: residues of 32 bits, natural order, one call on the "
          "device; with transfers: from page-locked memory and back, by the clock; one processor. "
          "The paper's forms by the product with a quotient in floating point; its Cooley-Tukey "
          "form has tabulated powers.\n\n",
          w->out);
    table_head(w->out, columns);
    size_t words = 1;
    for (size_t i = 0; i < p.rows; i++) {
        const size_t n = (size_t)1 << key_of(&p, i, "log2_n");
        words = !left_out(w, n) && n / 2 > words ? n / 2 : words;
    }
    bool ok = transfer_open(w, words, &t);
    for (size_t i = 0; i < p.rows && ok; i++) {
        const size_t n = (size_t)1 << key_of(&p, i, "log2_n");
        word_transform cpu;
        ok = find_transform(w, q, n, &cpu);
        if (ok) {
            figure6_row(w, &p, i, q, &t, &cpu, &picture);
        }
    }
    transfer_close(w, &t);
    return ok && figure_draw(w, &picture, "gpu2010-figures6-7");
}

/* ---- Figure 8 ---- */

/* The product of two polynomials of n / 2 terms by a transform of n points. */
typedef struct product_job {
    gfp_gpu_ntt_plan *plan;
    gfp_gpu_array *a, *b, *c;
    const transfer *t;
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
    gfp_status status = put_factor(r->a, r->t->in, r->words);

    if (status == GFP_OK) {
        status = put_factor(r->b, r->t->in + r->words / 2, r->words);
    }
    if (status == GFP_OK) {
        status = run_product(r);
    }
    return status != GFP_OK ? status : gfp_gpu_download(r->t->out, r->c, 0, r->words);
}

static bool open_product(paper *w, int way, uint64_t q, size_t n, product_job *r)
{
    const gfp_gpu_ntt_options options = {
        .form = ways[way].form, .product = ways[way].product, .packed = true, .convolutions = true};
    gfp_gpu *gpu = w->gpu.gpu;
    const char *name = ways[way].name;

    return succeeds(&w->gpu, gfp_gpu_ntt_plan_create(&r->plan, gpu, &q, 1, n, &options, NULL),
                    name) &&
           succeeds(&w->gpu, gfp_gpu_array_create(&r->a, gpu, r->words), name) &&
           succeeds(&w->gpu, gfp_gpu_array_create(&r->b, gpu, r->words), name) &&
           succeeds(&w->gpu, gfp_gpu_array_create(&r->c, gpu, r->words), name);
}

/* *ms, *with_ms := the figures; both are 0 after a complaint. */
static void measure_product(paper *w, int way, uint64_t q, size_t n, const transfer *t,
                            uint64_t expected, double *ms, double *with_ms)
{
    product_job r = {.t = t, .words = n / 2};
    timing alone, with;

    progress("device, product", ways[way].name, n);
    const bool ok =
        open_product(w, way, q, n, &r) &&
        time_by_clock(&w->gpu, run_product_there_and_back, &r, &with, ways[way].name) &&
        (hash_words(t->out, r.words, 1) == expected ||
         fails(&w->gpu, "%s, product of %zu coefficients: wrong", ways[way].name, n)) &&
        succeeds(&w->gpu, time_runs(&w->gpu, run_product, &r, &alone), ways[way].name) &&
        note_both(w, "product", ways[way].name, n, &alone, &with);
    *ms = ok ? alone.median_ns / 1e6 : 0;
    *with_ms = ok ? with.median_ns / 1e6 : 0;
    gfp_gpu_ntt_plan_destroy(r.plan);
    gfp_gpu_array_destroy(r.a);
    gfp_gpu_array_destroy(r.b);
    gfp_gpu_array_destroy(r.c);
    progress_end();
}

/* Puts both factors of n / 2 terms, packed, into page-locked memory. */
static bool put_factors(const transfer *t, size_t n, uint64_t q)
{
    for (unsigned i = 0; i < 2; i++) {
        uint64_t *x = residues(n, n / 2, q, JOB_SEED + i);
        if (x == NULL) {
            return complain("no memory for %zu residues", n);
        }
        pack(x, n);
        memcpy(t->in + i * (n / 4), x, n / 4 * sizeof(*x));
        free(x);
    }
    return true;
}

/* The range of speed-ups over the CPU, transfers included. */
typedef struct range {
    double lowest, highest;
} range;

static void range_add(range *r, double x)
{
    if (x > 0) {
        r->lowest = r->lowest > 0 && r->lowest < x ? r->lowest : x;
        r->highest = r->highest > x ? r->highest : x;
    }
}

static bool figure8_row(paper *w, unsigned log2_n, uint64_t q, const transfer *t,
                        range speed_up[WAYS], figure *picture)
{
    char label[8];
    const size_t n = (size_t)1 << log2_n;
    word_transform cpu = {0, 0};

    if (!left_out(w, n) &&
        (!measure_cpu(w, q, n, true, &cpu) || (t->in != NULL && !put_factors(t, n, q)))) {
        return false;
    }
    snprintf(label, sizeof(label), "%u", log2_n - 1);
    fprintf(w->out, "| 2^%s", label);
    table_cell(w->out, 0, cpu.ms);
    for (int way = STOCKHAM; way < WAYS; way++) {
        double ms = 0, with_ms = 0;
        if (w->gpu.gpu != NULL && cpu.ms > 0) {
            measure_product(w, way, q, n, t, cpu.hash, &ms, &with_ms);
        }
        table_gpu_cell(w, 0, ms);
        table_gpu_cell(w, 0, with_ms);
        range_add(&speed_up[way], per(cpu.ms, with_ms));
        figure_put(picture, label, ways[way].name, false, per(cpu.ms, with_ms));
    }
    table_row_end(w->out);
    return true;
}

bool gpu2010_figure8(paper *w)
{
    static const char *const columns[] = {
        "terms", "CPU, ours, ms", "Stockham, ms", "with transfers", "ours, ms", "with transfers",
        NULL};
    static const char *const summary[] = {"CPU by GPU, transfers counted", "Stockham", "ours",
                                          NULL};
    figure picture = {.kind = FIGURE_CURVES,
                      .logarithmic = true,
                      .title = "Products: one processor by a device, transfers counted",
                      .x_label = "log2 of the number of terms",
                      .y_label = "times as fast"};
    range speed_up[WAYS] = {{0, 0}};
    published_table p;
    transfer t;
    uint64_t q;

    if (!published_load(&p, w->folder, "gpu2010-figure8") || !find_prime(&q)) {
        return false;
    }
    table_title(w->out, &p, false);
    fputs("Here: two polynomials of as many terms each; three transforms of twice the points. One "
          "processor.\n\n",
          w->out);
    table_head(w->out, columns);
    size_t most = MOST_PRODUCT_LOG;
    while (left_out(w, (size_t)1 << most) && most > LEAST_LOG) {
        most--;
    }
    bool ok = transfer_open(w, (size_t)1 << (most - 1), &t);
    for (unsigned log2_n = LEAST_LOG; log2_n <= MOST_PRODUCT_LOG && ok; log2_n += 2) {
        ok = figure8_row(w, log2_n, q, &t, speed_up, &picture);
    }
    transfer_close(w, &t);
    if (!ok) {
        return false;
    }
    fputs("\n", w->out);
    table_head(w->out, summary);
    for (size_t i = 0; i < p.rows; i++) {
        fprintf(w->out, "| %s", p.text[i][0]);
        for (int way = STOCKHAM; way < WAYS; way++) {
            const range *r = &speed_up[way];
            table_gpu_cell(w, published_figure(&p, i, "modpn_by_gpu"),
                           strcmp(p.text[i][0], "lowest") == 0 ? r->lowest : r->highest);
        }
        table_row_end(w->out);
    }
    return figure_draw(w, &picture, "gpu2010-figure8");
}
