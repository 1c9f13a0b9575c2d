/* bench/gpu/modulus.c: times of arithmetic modulo a fixed polynomial, of Taylor shifts, and of
 * values and interpolation at geometric progressions, on a CUDA device, in ms and in products of
 * two polynomials of the modulus's degree. Results are checked before they are timed.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bench/markdown.h"
#include "gfpoly/gpu_toolkit.h"
#include "bench/gpu/bench.h"

/* A field with its ring; a and c below f, `twice` of twice as many terms. */
typedef struct modulus_job {
    bench *b;
    gfp_field *field;
    gfp_gpu_ring *ring;
    size_t n;
    gfp_gpu_poly *f, *a, *c, *twice, *x, *z;
    gfp_gpu_modulus *M;
    gfp_options options;
    uint64_t by[GFP_MAX_K]; /* of shifts, and the start and ratio of progressions */
    gfp_gpu_array *values;  /* n of them */
    double product_ms;
} modulus_job;

static void job_close(modulus_job *w)
{
    gfp_gpu_modulus_destroy(w->M);
    gfp_gpu_poly_destroy(w->f);
    gfp_gpu_poly_destroy(w->a);
    gfp_gpu_poly_destroy(w->c);
    gfp_gpu_poly_destroy(w->twice);
    gfp_gpu_poly_destroy(w->x);
    gfp_gpu_poly_destroy(w->z);
    gfp_gpu_array_destroy(w->values);
    gfp_gpu_ring_destroy(w->ring);
    gfp_field_destroy(w->field);
}

/* *to := random terms; X for none. */
static bool make_poly(modulus_job *w, gfp_gpu_poly **to, size_t len, gfp_random *g)
{
    gfp_poly host;
    gfp_poly_init(&host, w->field);
    const bool made =
        succeeds(w->b, gfp_gpu_poly_create(to, w->ring, NULL), "polynomial") &&
        succeeds(w->b,
                 len == 0 ? gfp_poly_set_coeff_u64(&host, 1, 1) : gfp_poly_random(&host, len, g),
                 "random polynomial") &&
        succeeds(w->b, gfp_gpu_poly_upload(*to, &host, NULL), "upload");
    gfp_poly_clear(&host);
    return made;
}

static bool job_open(modulus_job *w, bench *b, const char *field, size_t n)
{
    gfp_error error = {.message = ""};
    gfp_random g;
    *w = (modulus_job){.b = b, .n = n};
    gfp_random_seed(&g, JOB_SEED);
    if (gfp_field_create(&w->field, field, NULL, &error) != GFP_OK) {
        return fails(b, "%s: %s", field, error.message);
    }
    gfp_elem_random(w->field, w->by, &g);
    return succeeds(b, gfp_gpu_ring_create(&w->ring, b->gpu, w->field, NULL, NULL), "ring") &&
           make_poly(w, &w->f, n + 1, &g) && make_poly(w, &w->a, n, &g) &&
           make_poly(w, &w->c, n, &g) && make_poly(w, &w->twice, 2 * n, &g) &&
           make_poly(w, &w->x, 0, &g) &&
           succeeds(b, gfp_gpu_poly_create(&w->z, w->ring, NULL), "polynomial") &&
           succeeds(b, gfp_gpu_array_create(&w->values, b->gpu, n * gfp_field_k(w->field), NULL),
                    "values") &&
           succeeds(b, gfp_gpu_modulus_create(&w->M, w->f, NULL), "modulus");
}

/* ---- runs ---- */

static gfp_status run_product(void *context)
{
    modulus_job *w = context;
    return gfp_gpu_poly_mul(w->z, w->a, w->c, NULL);
}

static gfp_status run_modulus(void *context)
{
    modulus_job *w = context;
    gfp_gpu_modulus_destroy(w->M);
    w->M = NULL;
    return gfp_gpu_modulus_create(&w->M, w->f, NULL);
}

static gfp_status run_rem(void *context)
{
    modulus_job *w = context;
    return gfp_gpu_poly_rem_mod(w->z, w->twice, w->M, &w->options);
}

static gfp_status run_mul(void *context)
{
    modulus_job *w = context;
    return gfp_gpu_poly_mul_mod(w->z, w->a, w->c, w->M, &w->options);
}

static gfp_status run_sqr(void *context)
{
    modulus_job *w = context;
    return gfp_gpu_poly_mul_mod(w->z, w->a, w->a, w->M, &w->options);
}

static gfp_status run_power_of_x(void *context)
{
    modulus_job *w = context;
    return gfp_gpu_poly_pow_mod(w->z, w->x, gfp_field_modulus_limbs(w->field),
                                gfp_field_limbs(w->field), w->M, &w->options);
}

static gfp_status run_power(void *context)
{
    modulus_job *w = context;
    return gfp_gpu_poly_pow_mod(w->z, w->a, gfp_field_modulus_limbs(w->field),
                                gfp_field_limbs(w->field), w->M, &w->options);
}

static gfp_status run_composition(void *context)
{
    modulus_job *w = context;
    return gfp_gpu_poly_compose_mod(w->z, w->a, w->c, w->M, &w->options);
}

static gfp_status run_shift(void *context)
{
    modulus_job *w = context;
    return gfp_gpu_poly_taylor_shift(w->z, w->a, w->by, &w->options);
}

static gfp_status run_values(void *context)
{
    modulus_job *w = context;
    return gfp_gpu_poly_eval_geometric(w->values, w->a, w->by, w->by, w->n, &w->options);
}

static gfp_status run_interpolation(void *context)
{
    modulus_job *w = context;
    return gfp_gpu_poly_interpolate_geometric(w->z, w->values, w->by, w->by, w->n, &w->options);
}

/* ---- tables ---- */

/* Checks the result once, then times the run without checks. */
static void modulus_row(modulus_job *w, const char *what, body run, double goal)
{
    timing t;
    w->options.verify = GFP_VERIFY_POINT;
    const bool right = succeeds(w->b, run(w), what);
    w->options.verify = GFP_VERIFY_NONE;
    if (right && succeeds(w->b, time_runs(w->b, run, w, &t), what)) {
        const double ms = t.median_ns / 1e6;
        w->product_ms = run == run_product ? ms : w->product_ms;
        printf("| %s |", what);
        cell(ms);
        cell(ms / w->product_ms);
        cell(goal);
        printf("\n");
        (void)fflush(stdout);
    }
}

/* The same with checks. */
static void checked_row(modulus_job *w, const char *what, body run)
{
    timing t;
    w->options.verify = GFP_VERIFY_POINT;
    if (succeeds(w->b, time_runs(w->b, run, w, &t), what)) {
        printf("| %s |", what);
        cell(t.median_ns / 1e6);
        cell(t.median_ns / 1e6 / w->product_ms);
        cell(0);
        printf("\n");
    }
    w->options.verify = GFP_VERIFY_NONE;
}

/* The greatest degree of h, by its logarithm, of compositions. */
#define COMPOSITION_LOG2 16

static void bench_degree(bench *b, const char *field, unsigned log2_n)
{
    modulus_job w;
    const bool goals = log2_n == 18;
    if (!wanted(b, field, (size_t)4 << log2_n)) {
        return;
    }
    if (job_open(&w, b, field, (size_t)1 << log2_n)) {
        const double goal = goals && gfp_field_k(w.field) == 8 ? 400 : 0;
        printf("\n## Modulo f of degree 2^%u over %s, ms, with all waits and launches\n\n", log2_n,
               field);
        markdown_head(stdout, 0, "operation | ms | in M | goal");
        modulus_row(&w, "M: product of two polynomials below f", run_product, 0);
        modulus_row(&w, "modulus", run_modulus, 0);
        modulus_row(&w, "remainder of 2 n terms", run_rem, 0);
        modulus_row(&w, "a b mod f", run_mul, 0);
        modulus_row(&w, "a^2 mod f", run_sqr, 0);
        checked_row(&w, "a^2 mod f, checked", run_sqr);
        modulus_row(&w, "x^p mod f", run_power_of_x, goal);
        checked_row(&w, "x^p mod f, checked", run_power_of_x);
        modulus_row(&w, "a^p mod f", run_power, 0);
        if (log2_n <= COMPOSITION_LOG2) {
            modulus_row(&w, "f(g) mod h", run_composition,
                        log2_n == COMPOSITION_LOG2 && gfp_field_k(w.field) == 8 ? 200 : 0);
            checked_row(&w, "f(g) mod h, checked", run_composition);
        }
        modulus_row(&w, "Taylor shift of n terms", run_shift, 0);
        modulus_row(&w, "values at a geometric progression of n points", run_values, 0);
        modulus_row(&w, "interpolation there", run_interpolation, 0);
    }
    job_close(&w);
}

void bench_modulus(bench *b)
{
    const double seconds = b->seconds;
    b->seconds = 1.5; /* a power takes up to 0.5 s */
    bench_degree(b, "p8", 18);
    bench_degree(b, "p8", 16);
    bench_degree(b, "p8", 14);
    bench_degree(b, "p4", 18);
    bench_degree(b, "p8", 10);
    b->seconds = seconds;
}
