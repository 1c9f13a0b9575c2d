/* papers/modular.c: figures 1 and 2 of "Fast polynomial multiplication on a GPU" (2010): an array
 * of residues modulo a prime of 30 bits times a constant, by Montgomery's product and by a product
 * with a quotient in floating point. On the CPU the products go through the kernel levels of
 * ntt_impl.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cpu.h"
#include "ntt_impl.h"
#include "tables.h"
#include "word_primes.h"

#define CPU_RESIDUES 2048 /* these residues and their products fit the first cache */
#define GPU_LOG 26

enum { MONTGOMERY, FLOATING, PRODUCTS };

/* ---- on the CPU ---- */

typedef struct cpu_job {
    gfp_ntt_plan *plan;
    uint64_t words[2]; /* the constant, encoded */
    uint64_t x[CPU_RESIDUES], y[CPU_RESIDUES];
} cpu_job;

/* The kernels' path from residues to residues times a constant. */
static bool run_cpu(void *context)
{
    cpu_job *w = context;
    const gfp_ntt_kernels *k = w->plan->kernels;
    const gfp_ntt_powers constant = {&w->words[0], &w->words[1]};

    k->enter(&w->plan->modulus, w->y, w->x, CPU_RESIDUES);
    k->leave_scaled(&w->plan->modulus, w->y, CPU_RESIDUES, &constant);
    return true;
}

/* *ns := the time per residue with the kernels of this level; 0 if the kernels of another level
 * would run. */
static bool measure_level(paper *w, gfp_level level, gfp_ntt_product product, uint64_t q,
                          double *ns)
{
    const gfp_ntt_options options = {GFP_NTT_BLOCKED, product};
    const uint64_t c = q / 3;
    static cpu_job job;
    gfp_random g;
    timing t;
    char name[64];
    bool ok = true;

    *ns = 0;
    if (gfp_ntt_plan_create(&job.plan, q, CPU_RESIDUES, &options, NULL, NULL) != GFP_OK) {
        return complain("no transform of %d residues", CPU_RESIDUES);
    }
    if (strcmp(gfp_ntt_plan_kernels(job.plan), gfp_cpu_level_name(level)) == 0) {
        job.plan->kernels->encode(&job.plan->modulus, c, &job.words[0], &job.words[1]);
        gfp_random_seed(&g, JOB_SEED);
        for (size_t i = 0; i < CPU_RESIDUES; i++) {
            job.x[i] = gfp_random_below(&g, q);
        }
        ok = run_cpu(&job);
        for (size_t i = 0; i < CPU_RESIDUES && ok; i++) {
            ok = job.y[i] == job.x[i] * c % q ||
                 complain("%s: a product is wrong", gfp_ntt_product_name(product));
        }
        ok = ok && measure(&t, w->s.seconds, run_cpu, &job);
        if (ok) {
            t = timing_divide(t, CPU_RESIDUES);
            snprintf(name, sizeof(name), "residue by a constant, %s, %s",
                     gfp_ntt_product_name(product), gfp_cpu_level_name(level));
            ok = note_figure(w, OVER_WORDS, name, CPU_RESIDUES, &t);
            *ns = t.min_ns;
        }
    }
    gfp_ntt_plan_destroy(job.plan);
    return ok;
}

static bool cpu_rows(paper *w, uint64_t q, double was)
{
    static const gfp_ntt_product products[PRODUCTS] = {GFP_NTT_MONTGOMERY, GFP_NTT_DOUBLE_QUOTIENT};
    const gfp_level current = gfp_cpu_level_get();
    bool ok = true;

    for (int level = 0; level <= (int)current && ok; level++) {
        double ns[PRODUCTS] = {0, 0};
        ok = gfp_cpu_level_force((gfp_level)level);
        for (int i = 0; i < PRODUCTS && ok; i++) {
            ok = measure_level(w, (gfp_level)level, products[i], q, &ns[i]);
        }
        if (ok) {
            fprintf(w->out, "| CPU, %s", gfp_cpu_level_name((gfp_level)level));
            table_cell(w->out, 0, ns[MONTGOMERY]);
            table_cell(w->out, 0, ns[FLOATING]);
            table_cell(w->out, was, per(ns[MONTGOMERY], ns[FLOATING]));
            table_row_end(w->out);
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
    static const char *const columns[] = {"on", "Montgomery, ns", "floating point, ns",
                                          "Montgomery / floating point", NULL};
    published_table p;
    uint64_t q;
    size_t n = (size_t)1 << GPU_LOG;
    double ns[PRODUCTS] = {0, 0};

    if (!published_load(&p, w->folder, "gpu2010-figures1-2")) {
        return false;
    }
    if (gfp_word_prime_below(&q, (uint64_t)1 << 30, GPU_LOG) != GFP_OK) {
        return complain("no prime of 30 bits");
    }
    table_title(w->out, &p, false);
    fprintf(
        w->out,
        "Here: for each residue; on one processor %d of them, vectors where the level has them; "
        "on the device an array of residues of 32 bits in its memory.\n\n",
        CPU_RESIDUES);
    table_head(w->out, columns);
    if (!cpu_rows(
            w, q,
            published_figure(&p, published_named_row(&p, "cpu"), "montgomery_by_floating_point"))) {
        return false;
    }
    while (left_out(w, n) && n > 2) {
        n /= 2;
    }
    if (w->gpu.gpu != NULL) {
        ns[MONTGOMERY] = measure_gpu(w, q, n, GFP_GPU_NTT_MONTGOMERY);
        ns[FLOATING] = measure_gpu(w, q, n, GFP_GPU_NTT_DOUBLE_QUOTIENT);
    }
    fprintf(w->out, "| GPU, 2^%u residues", log2_of(n));
    table_gpu_cell(w, 0, ns[MONTGOMERY]);
    table_gpu_cell(w, 0, ns[FLOATING]);
    table_gpu_cell(
        w, published_figure(&p, published_named_row(&p, "gpu"), "montgomery_by_floating_point"),
        per(ns[MONTGOMERY], ns[FLOATING]));
    table_row_end(w->out);
    return true;
}
