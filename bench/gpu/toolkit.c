/* bench/gpu/toolkit.c: times of what is built on products on a CUDA device: batches of short
 * products by definition and by transforms, the levels of a tree, products from roots, evaluation,
 * interpolation, division, power series one by one and in batches. Results are checked before they
 * are timed.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "bench/markdown.h"
#include "gfpoly/gpu_toolkit.h"
#include "bench/gpu/bench.h"
#include "gpu/products.h"
#include "poly/device/series.h"

/* A field with its ring, and arrays of n elements. */
typedef struct toolkit_job {
    bench *b;
    gfp_field *field;
    gfp_gpu_ring *ring;
    size_t n, k;
    gfp_gpu_array *x, *y, *z;
    gfp_gpu_poly *f, *g, *q, *r;
    gfp_gpu_tree *tree;
    gfp_gpu_product_plan *plan;
    size_t len, rows; /* of products and series */
    gfp_options options;
} toolkit_job;

static void job_close(toolkit_job *w)
{
    gfp_gpu_tree_destroy(w->tree);
    gfp_gpu_product_plan_destroy(w->plan);
    gfp_gpu_poly_destroy(w->f);
    gfp_gpu_poly_destroy(w->g);
    gfp_gpu_poly_destroy(w->q);
    gfp_gpu_poly_destroy(w->r);
    gfp_gpu_array_destroy(w->x);
    gfp_gpu_array_destroy(w->y);
    gfp_gpu_array_destroy(w->z);
    gfp_gpu_ring_destroy(w->ring);
    gfp_field_destroy(w->field);
}

/* Random elements in x and y. */
static bool job_fill(toolkit_job *w)
{
    gfp_random g;
    void *host = NULL;
    const size_t words = w->n * w->k;
    if (!succeeds(w->b, gfp_gpu_host_allocate(&host, w->b->gpu, words * sizeof(uint64_t), NULL),
                  "memory")) {
        return false;
    }
    gfp_random_seed(&g, JOB_SEED);
    gfp_vec_random(w->field, host, w->n, &g);
    bool ok = succeeds(w->b, gfp_gpu_upload(w->x, 0, host, words, NULL), "upload");
    gfp_vec_random(w->field, host, w->n, &g);
    ok = ok && succeeds(w->b, gfp_gpu_upload(w->y, 0, host, words, NULL), "upload");
    gfp_gpu_host_release(host, w->b->gpu);
    return ok;
}

static bool job_open(toolkit_job *w, bench *b, const char *field, size_t n)
{
    gfp_error error = {.message = ""};
    *w = (toolkit_job){.b = b, .n = n};
    if (gfp_field_create(&w->field, field, NULL, &error) != GFP_OK) {
        return fails(b, "%s: %s", field, error.message);
    }
    w->k = gfp_field_k(w->field);
    return succeeds(b, gfp_gpu_ring_create(&w->ring, b->gpu, w->field, NULL, NULL), "ring") &&
           succeeds(b, gfp_gpu_poly_create(&w->f, w->ring, NULL), "polynomial") &&
           succeeds(b, gfp_gpu_poly_create(&w->g, w->ring, NULL), "polynomial") &&
           succeeds(b, gfp_gpu_poly_create(&w->q, w->ring, NULL), "polynomial") &&
           succeeds(b, gfp_gpu_poly_create(&w->r, w->ring, NULL), "polynomial") &&
           succeeds(b, gfp_gpu_array_create(&w->x, b->gpu, n * w->k, NULL), "array") &&
           succeeds(b, gfp_gpu_array_create(&w->y, b->gpu, n * w->k, NULL), "array") &&
           succeeds(b, gfp_gpu_array_create(&w->z, b->gpu, 2 * n * w->k, NULL), "array") &&
           job_fill(w);
}

/* ---- short products ---- */

static gfp_status run_rows(void *context)
{
    toolkit_job *w = context;
    const gfp_gpu_rows c = {w->z, 0, 2 * w->len}, a = {w->x, 0, w->len}, b = {w->y, 0, w->len};
    return gfp_gpu_product_rows(w->plan, &c, &a, w->len, &b, w->len, 0, 2 * w->len);
}

/* The nodes of one level, alternating: the middle coefficients of a tree's way down. */
static gfp_status run_middle(void *context)
{
    toolkit_job *w = context;
    const size_t n = w->len;
    const gfp_gpu_rows c = {w->z, 0, 2 * n}, a = {w->x, 0, 2 * n}, b = {w->y, n, 2 * n};
    return gfp_gpu_product_rows(w->plan, &c, &a, 2 * n, &b, n, n, n);
}

/* Milliseconds of `run` by a method; 0: it does not serve. */
static double rows_ms(toolkit_job *w, gfp_gpu_method method, body run, bool middle)
{
    const gfp_gpu_product_options options = {
        .method = method, .batch = w->rows, .first = middle ? w->len : 0, .n = middle ? w->len : 0};
    times t = {0};
    if (gfp_gpu_product_plan_create(&w->plan, w->b->gpu, w->field, middle ? 2 * w->len : w->len,
                                    w->len, &options, NULL) == GFP_OK) {
        (void)time_body(w->b, run, w, &t, gfp_field_name(w->field));
    }
    gfp_gpu_product_plan_destroy(w->plan);
    w->plan = NULL;
    return t.graph_ms;
}

static void bench_short(bench *b)
{
    static const struct {
        const char *name;
        size_t k;
    } fields[] = {{"p2", 2},   {"p4", 4},   {"p8", 8},     {"p16", 16},
                  {"p32", 32}, {"p64", 64}, {"p128", 128}, {"m4", 4}};
    printf("\n## Batches of short products, 2^23 digits for each factor, ms\n\n");
    markdown_head(stdout, 0, "field | 1 term: classical_gpu, hybrid_gpu | 2 | 4 | 8 | 16");
    for (size_t i = 0; i < COUNT(fields); i++) {
        toolkit_job w;
        const size_t words = (size_t)1 << (b->quick ? 14 : 23);
        if (!wanted(b, fields[i].name, words)) {
            continue;
        }
        if (job_open(&w, b, fields[i].name, words / fields[i].k)) {
            printf("| %s |", fields[i].name);
            for (w.len = 1; w.len <= 16; w.len *= 2) {
                w.rows = w.n / w.len;
                printf(" %.4g, %.4g |", rows_ms(&w, GFP_GPU_METHOD_CLASSICAL, run_rows, false),
                       rows_ms(&w, GFP_GPU_METHOD_HYBRID, run_rows, false));
            }
            printf("\n");
            (void)fflush(stdout);
        }
        job_close(&w);
    }
}

static void bench_levels(toolkit_job *w)
{
    printf("\n## The levels of a tree of %zu points over %s: one product of two nodes in each "
           "pair, ms\n\n",
           w->n, gfp_field_name(w->field));
    markdown_head(stdout, 0, "terms | products | full | middle");
    for (w->len = 1; w->len < w->n; w->len *= 2) {
        w->rows = w->n / (2 * w->len);
        const double full = rows_ms(w, GFP_GPU_METHOD_AUTO, run_rows, false);
        const double middle = rows_ms(w, GFP_GPU_METHOD_AUTO, run_middle, true);
        printf("| %zu | %zu | %.4g | %.4g |\n", w->len, w->rows, full, middle);
        (void)fflush(stdout);
    }
}

/* ---- operations ---- */

static gfp_status run_tree(void *context)
{
    toolkit_job *w = context;
    gfp_gpu_tree_destroy(w->tree);
    w->tree = NULL;
    return gfp_gpu_tree_create(&w->tree, w->ring, w->x, w->n, NULL);
}

static gfp_status run_roots(void *context)
{
    toolkit_job *w = context;
    return gfp_gpu_poly_product_roots(w->q, w->x, w->n, NULL);
}

static gfp_status run_eval(void *context)
{
    toolkit_job *w = context;
    return gfp_gpu_tree_eval(w->z, w->f, w->tree, &w->options);
}

static gfp_status run_interpolate(void *context)
{
    toolkit_job *w = context;
    return gfp_gpu_tree_interpolate(w->r, w->y, w->tree, &w->options);
}

static gfp_status run_tree_eval(void *context)
{
    const gfp_status status = run_tree(context);
    return status == GFP_OK ? run_eval(context) : status;
}

static gfp_status run_tree_interpolate(void *context)
{
    const gfp_status status = run_tree(context);
    return status == GFP_OK ? run_interpolate(context) : status;
}

static gfp_status run_divrem(void *context)
{
    toolkit_job *w = context;
    return gfp_gpu_poly_divrem(w->q, w->r, w->f, w->g, &w->options);
}

static gfp_status run_inverse(void *context)
{
    toolkit_job *w = context;
    return gfp_gpu_poly_inv_series(w->q, w->g, w->len, NULL);
}

static gfp_status run_product(void *context)
{
    toolkit_job *w = context;
    return gfp_gpu_poly_mul(w->q, w->g, w->g, NULL);
}

static gfp_status run_inverses(void *context)
{
    toolkit_job *w = context;
    const gfp_gpu_rows g = {w->z, 0, w->len}, f = {w->x, 0, w->len};
    return gfp_gpu_vec_inv_series(w->ring, &g, w->len, &f, w->len, w->rows, NULL);
}

static gfp_status run_quotients(void *context)
{
    toolkit_job *w = context;
    const gfp_gpu_rows q = {w->z, 0, w->len};
    const gfp_gpu_pairs pairs = {{w->y, 0, w->len}, {w->x, 0, w->len}, w->len, w->len, w->rows};
    return gfp_gpu_vec_div_series(w->ring, &q, w->len, &pairs, NULL);
}

static gfp_status run_vec_inv(void *context)
{
    toolkit_job *w = context;
    return gfp_gpu_vec_inv(w->ring, w->z, w->x, w->n, NULL);
}

static void toolkit_row(toolkit_job *w, const char *what, body run, double goal)
{
    timing t;
    if (succeeds(w->b, time_runs(w->b, run, w, &t), what)) {
        printf("| %s |", what);
        cell(t.median_ns / 1e6);
        cell(goal);
        printf("\n");
        (void)fflush(stdout);
    }
}

/* f := the array's first n elements. */
static bool set_poly(toolkit_job *w, gfp_gpu_poly *f, const gfp_gpu_array *x, size_t n)
{
    return succeeds(w->b, gfp_gpu_poly_fit_length(f, n, NULL), "polynomial") &&
           succeeds(w->b, gfp_gpu_set(gfp_gpu_poly_array(f), x, n * w->k, NULL), "polynomial") &&
           succeeds(w->b, gfp_gpu_poly_set_length(f, n, NULL), "polynomial");
}

static void bench_trees(toolkit_job *w)
{
    const bool goals = w->n == (size_t)1 << 20 && w->k == 8;
    gfp_report checked = {0};
    w->options = (gfp_options){.verify = GFP_VERIFY_POINT, .verify_seed = 1, .report = &checked};
    if (!set_poly(w, w->f, w->y, w->n) ||
        !succeeds(w->b, run_tree_eval(w), "evaluation, checked") ||
        !succeeds(w->b, run_interpolate(w), "interpolation, checked")) {
        return;
    }
    w->options = (gfp_options){.verify = GFP_VERIFY_NONE};
    bool equal = false;
    if (!succeeds(w->b, run_roots(w), "product from roots") ||
        !succeeds(w->b, gfp_gpu_tree_product(w->r, w->tree, NULL), "product of a tree") ||
        !succeeds(w->b, gfp_gpu_poly_equal(&equal, w->q, w->r, NULL), "comparison") || !equal) {
        (void)fails(w->b, "product from roots: not that of the tree");
        return;
    }
    toolkit_row(w, "product from roots", run_roots, goals ? 12 : 0);
    toolkit_row(w, "tree of products, kept", run_tree, 0);
    toolkit_row(w, "evaluation, with its tree", run_tree_eval, goals ? 40 : 0);
    toolkit_row(w, "evaluation, all kept", run_eval, 0);
    toolkit_row(w, "interpolation, with its tree", run_tree_interpolate, goals ? 65 : 0);
    toolkit_row(w, "interpolation, all kept", run_interpolate, 0);
    printf("| check of values | %.4g | – |\n", (double)checked.verify_ns / 1e6);
    toolkit_row(w, "inverses of all elements", run_vec_inv, 0);
}

static void bench_divisions(toolkit_job *w)
{
    const bool goals = w->n == (size_t)1 << 20 && w->k == 8;
    gfp_report checked = {0};
    w->len = w->n / 2;
    w->options = (gfp_options){.verify = GFP_VERIFY_POINT, .verify_seed = 1, .report = &checked};
    if (!set_poly(w, w->f, w->x, w->n) || !set_poly(w, w->g, w->y, w->len) ||
        !succeeds(w->b, run_divrem(w), "division, checked")) {
        return;
    }
    w->options = (gfp_options){.verify = GFP_VERIFY_NONE};
    toolkit_row(w, "quotient and remainder, n by n / 2", run_divrem, goals ? 3 : 0);
    printf("| check of it | %.4g | – |\n", (double)checked.verify_ns / 1e6);
    toolkit_row(w, "square of n / 2 terms", run_product, 0);
    toolkit_row(w, "inverse of a series, n / 2 terms", run_inverse, 0);
}

static void bench_batches(toolkit_job *w)
{
    w->len = 256;
    w->rows = w->n / w->len;
    toolkit_row(w, "batch: series of 2^8 terms, inverses", run_inverses, 0);
    toolkit_row(w, "batch: quotients of 2^8 terms", run_quotients, 0);
    printf("| batch: products of 2^8 terms | %.4g | – |\n",
           rows_ms(w, GFP_GPU_METHOD_AUTO, run_rows, false));
}

static void bench_operations(bench *b, const char *field, unsigned log2_n)
{
    toolkit_job w;
    if (!wanted(b, field, (size_t)4 << log2_n)) {
        return;
    }
    if (job_open(&w, b, field, (size_t)1 << log2_n)) {
        if (log2_n == 20 && w.k == 8) {
            bench_levels(&w);
        }
        printf("\n## Operations over %s, n = 2^%u, ms, with all waits and launches\n\n", field,
               log2_n);
        markdown_head(stdout, 0, "operation | ms | goal");
        bench_trees(&w);
        bench_divisions(&w);
        bench_batches(&w);
    }
    job_close(&w);
}

void bench_toolkit(bench *b)
{
    bench_short(b);
    bench_operations(b, "p8", 20);
    bench_operations(b, "p8", 16);
    bench_operations(b, "p4", 20);
    bench_operations(b, "p2", 12);
}
