/* papers/modular.c: figures 1 and 2 of "Fast polynomial multiplication on a GPU" (2010): an array
 * of residues modulo a prime of 30 bits times a constant, by Montgomery's product and by a product
 * with a quotient in floating point. On the CPU the products go through the kernel levels of
 * papers/ntt/impl.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "field/base/cpu.h"
#include "papers/ntt/impl.h"
#include "papers/tables.h"
#include "fft/words/primes.h"

#define BLOCK 2048 /* the kernels' block: its residues and products fit the first cache */
#define LEAST_LOG 11
#define CPU_LOG_MOST 23
#define GPU_LOG 26
#define LOG_STEP 3 /* between the lengths */

enum { MONTGOMERY, FLOATING, PRODUCTS };

/* ---- on the CPU ---- */

typedef struct cpu_job {
    gfp_ntt_plan *plan;
    uint64_t words[2]; /* the constant, encoded */
    uint64_t *x, *y;
    size_t n; /* a multiple of BLOCK */
} cpu_job;

/* The kernels' path from residues to residues times a constant. */
static bool run_cpu(void *context)
{
    cpu_job *w = context;
    const gfp_ntt_kernels *k = w->plan->kernels;
    const gfp_ntt_powers constant = {&w->words[0], &w->words[1]};

    for (size_t i = 0; i < w->n; i += BLOCK) {
        const gfp_ntt_job job = {.modulus = &w->plan->modulus,
                                 .y = w->y + i,
                                 .x = w->x + i,
                                 .n = BLOCK,
                                 .table = &constant};
        k->enter(&job, 0, BLOCK / k->lanes);
        k->leave_scaled(&job, 0, BLOCK / k->lanes);
    }
    return true;
}

/* Fills the job's plan and residues. Returns false without memory. */
static bool open_cpu(cpu_job *w, gfp_ntt_product product, uint64_t q, size_t n)
{
    const gfp_ntt_options options = {GFP_NTT_BLOCKED, product};
    gfp_random g;

    *w = (cpu_job){.x = calloc(n, sizeof(*w->x)), .y = calloc(n, sizeof(*w->y)), .n = n};
    if (w->x == NULL || w->y == NULL ||
        gfp_ntt_plan_create(&w->plan, q, BLOCK, &options, NULL, NULL) != GFP_OK) {
        return complain("no memory for %zu residues", n);
    }
    w->plan->kernels->encode(&w->plan->modulus, q / 3, &w->words[0], &w->words[1]);
    gfp_random_seed(&g, JOB_SEED);
    for (size_t i = 0; i < n; i++) {
        w->x[i] = gfp_random_below(&g, q);
    }
    return true;
}

static bool check_cpu(cpu_job *w, uint64_t q, gfp_ntt_product product)
{
    bool ok = run_cpu(w);

    for (size_t i = 0; i < w->n && ok; i++) {
        ok = w->y[i] == w->x[i] * (q / 3) % q ||
             complain("%s: a product is wrong", gfp_ntt_product_name(product));
    }
    return ok;
}

/* *ns := the time per residue with the kernels of this level; 0 if the kernels of another level
 * would run. */
static bool measure_level(paper *w, gfp_level level, gfp_ntt_product product, uint64_t q, size_t n,
                          double *ns)
{
    cpu_job job;
    timing t;
    char name[64];

    *ns = 0;
    bool ok = open_cpu(&job, product, q, n);
    if (ok && strcmp(gfp_ntt_plan_kernels(job.plan), gfp_cpu_level_name(level)) == 0) {
        ok = check_cpu(&job, q, product) && measure(&t, w->s.seconds, run_cpu, &job);
        if (ok) {
            t = timing_divide(t, (double)n);
            snprintf(name, sizeof(name), "residue by a constant, %s, %s",
                     gfp_ntt_product_name(product), gfp_cpu_level_name(level));
            ok = note_figure(w, OVER_WORDS, name, n, &t);
            *ns = t.min_ns;
        }
    }
    gfp_ntt_plan_destroy(job.plan);
    free(job.x);
    free(job.y);
    return ok;
}

/* Adds both times to the picture, by the length's logarithm. */
static void put_times(figure *picture, unsigned log2_n, const char *on, const double ns[PRODUCTS])
{
    static const char *const names[PRODUCTS] = {"Montgomery", "floating point"};
    char label[8], series[64];

    snprintf(label, sizeof(label), "%u", log2_n);
    for (int i = 0; i < PRODUCTS; i++) {
        snprintf(series, sizeof(series), "%s, %s", on, names[i]);
        figure_put(picture, label, series, false, ns[i] > 0 ? ns[i] : NAN);
    }
}

static bool cpu_row(paper *w, gfp_level level, uint64_t q, unsigned log2_n, double was,
                    figure *picture)
{
    static const gfp_ntt_product products[PRODUCTS] = {GFP_NTT_MONTGOMERY, GFP_NTT_DOUBLE_QUOTIENT};
    const size_t n = (size_t)1 << log2_n;
    double ns[PRODUCTS] = {0, 0};
    char on[40];

    for (int i = 0; i < PRODUCTS; i++) {
        if ((n == BLOCK || !left_out(w, n)) &&
            !measure_level(w, level, products[i], q, n, &ns[i])) {
            return false;
        }
    }
    snprintf(on, sizeof(on), "CPU, %s", gfp_cpu_level_name(level));
    fprintf(w->out, "| %s | 2^%u", on, log2_n);
    table_cell(w->out, 0, ns[MONTGOMERY]);
    table_cell(w->out, 0, ns[FLOATING]);
    table_cell(w->out, was, per(ns[MONTGOMERY], ns[FLOATING]));
    table_row_end(w->out);
    put_times(picture, log2_n, on, ns);
    return true;
}

static bool cpu_rows(paper *w, uint64_t q, double was, figure *picture)
{
    const gfp_level current = gfp_cpu_level_get();
    bool ok = true;

    for (int level = 0; level <= (int)current && ok; level++) {
        ok = gfp_cpu_level_force((gfp_level)level);
        for (unsigned m = LEAST_LOG; m <= CPU_LOG_MOST && ok; m += LOG_STEP) {
            ok = cpu_row(w, (gfp_level)level, q, m, was, picture);
        }
    }
    return gfp_cpu_level_force(current) && ok;
}

/* ---- on the device ---- */

typedef struct gpu_job {
    ntt_job job;
    uint64_t c;
} gpu_job;

static gfp_status run_gpu(void *context)
{
    gpu_job *w = context;

    return gfp_gpu_ntt_scale(w->job.plan, w->job.y, w->job.x, &w->c);
}

static bool check_gpu(gpu_job *w, uint64_t q, size_t n)
{
    bench *b = w->job.b;
    bool right = succeeds(b, run_gpu(w), "products") &&
                 succeeds(b, gfp_gpu_download(w->job.result, w->job.y, 0, n / 2), "products");

    for (size_t i = 0; i < n && right; i++) {
        const uint64_t x = w->job.residues[i / 2] >> (32 * (i % 2)) & UINT32_MAX;
        const uint64_t y = w->job.result[i / 2] >> (32 * (i % 2)) & UINT32_MAX;
        right = y == x * w->c % q || fails(b, "products by a constant: number %zu is wrong", i);
    }
    return right;
}

/* Returns nanoseconds per residue, or 0 after a complaint. */
static double measure_gpu(paper *w, uint64_t q, size_t n, gfp_gpu_ntt_product product)
{
    const gfp_gpu_ntt_options options = {
        .form = GFP_NTT_STOCKHAM, .product = product, .packed = true};
    gpu_job g = {.c = q / 3};
    timing t = {0};
    char name[64];
    bool absent;
    bool ok = ntt_open(&g.job, &w->gpu, &q, 1, n, &options, &absent) && check_gpu(&g, q, n) &&
              succeeds(&w->gpu, time_runs(&w->gpu, run_gpu, &g, &t), "products");

    ntt_close(&g.job);
    t = timing_divide(t, (double)n);
    snprintf(name, sizeof(name), "residue by a constant, %s", gfp_gpu_ntt_product_name(product));
    ok = ok && note_gpu_figure(w, OVER_WORDS, name, n, &t);
    return ok ? t.median_ns : 0;
}

bool gpu2010_figures1_2(paper *w)
{
    static const char *const columns[] = {
        "on", "residues", "Montgomery, ns", "floating point, ns", "Montgomery / floating point",
        NULL};
    figure picture = {.kind = FIGURE_CURVES,
                      .logarithmic = true,
                      .title = "An array of residues of 30 bits by a constant",
                      .x_label = "log2 of the number of residues",
                      .y_label = "ns for each residue"};
    published_table p;
    uint64_t q;

    if (!published_load(&p, w->folder, "gpu2010-figures1-2")) {
        return false;
    }
    if (gfp_word_prime_below(&q, (uint64_t)1 << 30, GPU_LOG) != GFP_OK) {
        return complain("no prime of 30 bits");
    }
    table_title(w->out, &p, false);
    fprintf(w->out,
            "Here: for each residue, several lengths; on one processor in blocks of %d, vectors "
            "where the level has them; on the device an array of residues of 32 bits in its "
            "memory.\n\n",
            BLOCK);
    table_head(w->out, columns);
    if (!cpu_rows(
            w, q,
            published_figure(&p, published_named_row(&p, "cpu"), "montgomery_by_floating_point"),
            &picture)) {
        return false;
    }
    for (unsigned m = LEAST_LOG; m <= GPU_LOG; m += LOG_STEP) {
        double ns[PRODUCTS] = {0, 0};
        const size_t n = (size_t)1 << m;
        if (w->gpu.gpu != NULL && !left_out(w, n)) {
            ns[MONTGOMERY] = measure_gpu(w, q, n, GFP_GPU_NTT_MONTGOMERY);
            ns[FLOATING] = measure_gpu(w, q, n, GFP_GPU_NTT_DOUBLE_QUOTIENT);
        }
        fprintf(w->out, "| GPU | 2^%u", m);
        table_gpu_cell(w, 0, ns[MONTGOMERY]);
        table_gpu_cell(w, 0, ns[FLOATING]);
        table_gpu_cell(
            w, published_figure(&p, published_named_row(&p, "gpu"), "montgomery_by_floating_point"),
            per(ns[MONTGOMERY], ns[FLOATING]));
        table_row_end(w->out);
        put_times(&picture, m, "GPU", ns);
    }
    return figure_draw(w, &picture, "gpu2010-figures1-2");
}
