/* bench/gpu/gcds.c: gcds and resultants of many pairs in one call on a CUDA device, next to one
 * core of the CPU. Results are checked, and those of the CPU are the same.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "bench/markdown.h"
#include "gfpoly/gcd.h"
#include "gfpoly/gpu_toolkit.h"
#include "bench/gpu/bench.h"

#define SAMPLE 32 /* the pairs that the CPU computes */

typedef struct pairs_job {
    bench *b;
    gfp_field *field;
    gfp_gpu_ring *ring;
    gfp_gpu_array *x, *z;
    gfp_gpu_pairs pairs;
    gfp_gpu_rows results;
    size_t len, rows, k;
    gfp_poly f[2 * SAMPLE], g;
    uint64_t *host, result[GFP_MAX_K];
    bool resultants;
    gfp_options options;
} pairs_job;

static void job_close(pairs_job *w)
{
    for (size_t i = 0; i < 2 * SAMPLE; i++) {
        gfp_poly_clear(&w->f[i]);
    }
    gfp_poly_clear(&w->g);
    if (w->host != NULL) {
        gfp_gpu_host_release(w->host, w->b->gpu);
    }
    gfp_gpu_array_destroy(w->x);
    gfp_gpu_array_destroy(w->z);
    gfp_gpu_ring_destroy(w->ring);
    gfp_field_destroy(w->field);
}

static bool job_fill(pairs_job *w)
{
    const size_t k = w->k, words = 2 * w->rows * w->len * k;
    void *host = NULL;
    gfp_random g;
    if (!succeeds(w->b, gfp_gpu_host_allocate(&host, w->b->gpu, words * sizeof(uint64_t), NULL),
                  "memory")) {
        return false;
    }
    w->host = host;
    gfp_random_seed(&g, JOB_SEED);
    gfp_vec_random(w->field, w->host, 2 * w->rows * w->len, &g);
    for (size_t i = 0; i < 2 * SAMPLE; i++) {
        if (!succeeds(w->b, gfp_poly_fit_length(&w->f[i], w->len), "polynomial")) {
            return false;
        }
        memcpy(w->f[i].digits, w->host + i * w->len * k, w->len * k * sizeof *w->host);
        if (!succeeds(w->b, gfp_poly_set_length(&w->f[i], w->len), "polynomial")) {
            return false;
        }
    }
    return succeeds(w->b, gfp_gpu_upload(w->x, 0, w->host, words, NULL), "upload");
}

/* Random pairs of polynomials of degree len - 1, which alternate. */
static bool job_open(pairs_job *w, bench *b, const char *field, size_t len, size_t rows)
{
    gfp_error error = {.message = ""};
    *w = (pairs_job){.b = b, .len = len, .rows = rows};
    if (gfp_field_create(&w->field, field, NULL, &error) != GFP_OK) {
        return fails(b, "%s: %s", field, error.message);
    }
    w->k = gfp_field_k(w->field);
    for (size_t i = 0; i < 2 * SAMPLE; i++) {
        gfp_poly_init(&w->f[i], w->field);
    }
    gfp_poly_init(&w->g, w->field);
    const bool ok =
        succeeds(b, gfp_gpu_ring_create(&w->ring, b->gpu, w->field, NULL, NULL), "ring") &&
        succeeds(b, gfp_gpu_array_create(&w->x, b->gpu, 2 * rows * len * w->k, NULL), "array") &&
        succeeds(b, gfp_gpu_array_create(&w->z, b->gpu, rows * len * w->k, NULL), "array");
    w->pairs = (gfp_gpu_pairs){{w->x, 0, 2 * len}, {w->x, len, 2 * len}, len, len, rows};
    return ok && job_fill(w);
}

static gfp_status run_pairs(void *context)
{
    pairs_job *w = context;
    return w->resultants ? gfp_gpu_vec_resultant(w->ring, &w->results, &w->pairs, &w->options)
                         : gfp_gpu_vec_gcd(w->ring, &w->results, NULL, &w->pairs, &w->options);
}

/* Pair i on the CPU; its result in w->result (of a gcd the constant term). */
static bool run_on_cpu(pairs_job *w, size_t i)
{
    const gfp_options options = {.threads = 1, .verify = GFP_VERIFY_NONE};
    if (w->resultants) {
        return succeeds(w->b,
                        gfp_poly_resultant(w->result, &w->f[2 * i], &w->f[2 * i + 1], &options),
                        "resultant on the CPU");
    }
    if (!succeeds(w->b, gfp_poly_gcd(&w->g, &w->f[2 * i], &w->f[2 * i + 1], &options),
                  "gcd on the CPU")) {
        return false;
    }
    gfp_elem_set(w->field, w->result, w->g.digits);
    return true;
}

/* *ns := the least time of a pair on the CPU; the device's results are compared. */
static bool time_pairs(pairs_job *w, double *ns)
{
    uint64_t least = UINT64_MAX, got[GFP_MAX_K];
    for (size_t i = 0; i < SAMPLE; i++) {
        const uint64_t start = clock_ns();
        if (!run_on_cpu(w, i)) {
            return false;
        }
        const uint64_t taken = clock_ns() - start;
        least = taken < least ? taken : least;
        if (!succeeds(w->b, gfp_gpu_download(got, w->z, i * w->results.stride * w->k, w->k, NULL),
                      "download")) {
            return false;
        }
        if (!gfp_elem_equal(w->field, got, w->result)) {
            return fails(w->b, "pair %zu: not the CPU's result", i);
        }
    }
    *ns = (double)least;
    return true;
}

/* The same on one core: no GPU computes parts of a pair. */
static bool time_cpu(pairs_job *w, double *ns)
{
    const bool ok = keep_to_cpu(true) && time_pairs(w, ns);
    return keep_to_cpu(false) && ok;
}

static void gcds_row(pairs_job *w, bool resultants)
{
    gfp_report checked = {0};
    timing t;
    double cpu_ns = 0;
    w->resultants = resultants;
    w->results = (gfp_gpu_rows){w->z, 0, resultants ? 1 : w->len};
    w->options = (gfp_options){.verify = GFP_VERIFY_POINT, .verify_seed = 1, .report = &checked};
    if (!succeeds(w->b, run_pairs(w), "pairs, checked")) {
        return;
    }
    w->options = (gfp_options){.verify = GFP_VERIFY_NONE};
    if (!time_cpu(w, &cpu_ns) || !succeeds(w->b, time_runs(w->b, run_pairs, w, &t), "pairs")) {
        return;
    }
    printf("| %s, degree %zu |", resultants ? "resultants" : "gcds", w->len - 1);
    cell(t.median_ns / 1e6);
    cell((double)checked.verify_ns / 1e6);
    cell(cpu_ns / 1e6);
    cell((double)w->rows * cpu_ns / t.median_ns);
    printf("\n");
    (void)fflush(stdout);
}

void bench_gcds(bench *b)
{
    static const char *const fields[] = {"p8", "p2", "p4", "p16", "p32", "p128"};
    for (size_t f = 0; f < COUNT(fields); f++) {
        const size_t rows = b->quick ? SAMPLE : 4096;
        if (!wanted(b, fields[f], rows * 64)) {
            continue;
        }
        printf("\n## %zu gcds or resultants in a call over %s\n\n", rows, fields[f]);
        markdown_head(stdout, 0,
                      "operation | ms | a check, ms | one pair on one core, ms | times one core");
        for (size_t log2_n = 6; log2_n <= (b->quick ? 6 : 8); log2_n++) {
            pairs_job w;
            if (job_open(&w, b, fields[f], ((size_t)1 << log2_n) + 1, rows)) {
                gcds_row(&w, false);
                gcds_row(&w, true);
            }
            job_close(&w);
        }
    }
}
