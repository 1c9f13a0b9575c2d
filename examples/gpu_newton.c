/* gpu_newton.c: the inverse of a power series by Newton's iteration on the GPU. All polynomials
 * stay there: one series is uploaded, and its inverse is downloaded. gfp_gpu_poly_inv_series does
 * the same in one call; this program shows its steps.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gfpoly.h"
#include "gfpoly/gpu_poly.h"

#define LENGTH 65536

/* Polynomials of one ring: f; g, the known terms of 1/f; and two more for a step. */
typedef struct newton {
    gfp_gpu_poly *f, *g, *low, *e, *h;
} newton;

/* From n terms of g to 2n. f g = 1 + X^n e modulo X^2n, so that g - X^n g e is the inverse modulo
 * X^2n. e is a middle product: its low coefficients 1 0 ... 0 are not computed. */
static gfp_status step(newton *w, size_t n)
{
    gfp_status status = gfp_gpu_poly_truncate(w->low, w->f, 2 * n, NULL);
    if (status == GFP_OK) {
        status = gfp_gpu_poly_mulmid(w->e, w->low, w->g, n, n, NULL);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_poly_mullow(w->h, w->e, w->g, n, NULL);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_poly_shift_left(w->h, w->h, n, NULL);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_poly_sub(w->g, w->g, w->h, NULL);
    }
    return status;
}

/* f(0) = 1. Enqueues all steps; only the first use of a length waits. */
static gfp_status invert(newton *w)
{
    gfp_status status = gfp_gpu_poly_one(w->g, NULL);
    for (size_t n = 1; n < LENGTH && status == GFP_OK; n *= 2) {
        status = step(w, n);
    }
    return status;
}

static gfp_status create(newton *w, gfp_gpu_ring *ring)
{
    gfp_gpu_poly **const all[] = {&w->f, &w->g, &w->low, &w->e, &w->h};
    gfp_status status = GFP_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == GFP_OK; i++) {
        status = gfp_gpu_poly_create(all[i], ring, NULL);
    }
    return status;
}

static void destroy(newton *w)
{
    gfp_gpu_poly_destroy(w->f);
    gfp_gpu_poly_destroy(w->g);
    gfp_gpu_poly_destroy(w->low);
    gfp_gpu_poly_destroy(w->e);
    gfp_gpu_poly_destroy(w->h);
}

/* The time by the clock in milliseconds. */
static double now_ms(void)
{
    struct timespec t;
    (void)timespec_get(&t, TIME_UTC);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* g := 1/f on the GPU, twice: the first run makes plans. *ms: the time of the second. */
static gfp_status on_gpu(gfp_gpu *gpu, gfp_gpu_ring *ring, gfp_poly *g, const gfp_poly *f,
                         double *ms)
{
    newton w = {NULL, NULL, NULL, NULL, NULL};
    gfp_status status = create(&w, ring);
    if (status == GFP_OK) {
        status = gfp_gpu_poly_upload(w.f, f, NULL);
    }
    for (int run = 0; run < 2 && status == GFP_OK; run++) {
        status = gfp_gpu_wait(gpu, NULL);
        const double start = now_ms();
        if (status == GFP_OK) {
            status = invert(&w);
        }
        if (status == GFP_OK) {
            status = gfp_gpu_wait(gpu, NULL);
        }
        *ms = now_ms() - start;
    }
    if (status == GFP_OK) {
        status = gfp_gpu_poly_download(g, w.g, NULL);
    }
    destroy(&w);
    return status;
}

/* The CPU multiplies f by the downloaded inverse. */
static int check(const gfp_poly *f, const gfp_poly *g, double ms)
{
    const gfp_options cpu = {.method = "hybrid"};
    gfp_poly product;
    gfp_poly_init(&product, f->field);
    const gfp_status status = gfp_poly_mullow(&product, f, g, LENGTH, &cpu);
    const int right = status == GFP_OK && gfp_poly_is_one(&product);
    gfp_poly_clear(&product);
    printf("1/f to %d terms over %s by the GPU in %.3f ms: %s\n", LENGTH, gfp_field_name(f->field),
           ms, right ? "right" : "WRONG");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run(gfp_gpu *gpu, const gfp_field *field, gfp_poly *f, gfp_poly *g)
{
    gfp_error error = {.message = ""};
    gfp_gpu_ring *ring = NULL;
    gfp_random generator;
    double ms = 0;

    gfp_random_seed(&generator, 1);
    gfp_status status = gfp_poly_random(f, LENGTH, &generator);
    if (status == GFP_OK) {
        status = gfp_poly_set_coeff_u64(f, 0, 1);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_ring_create(&ring, gpu, field, NULL, &(gfp_options){.error = &error});
    }
    if (status == GFP_OK) {
        status = on_gpu(gpu, ring, g, f, &ms);
    }
    gfp_gpu_ring_destroy(ring);
    if (status != GFP_OK) {
        fprintf(stderr, "gpu_newton: %s %s\n", gfp_status_string(status),
                gfp_gpu_last_error(gpu)->message);
        return EXIT_FAILURE;
    }
    return check(f, g, ms);
}

int main(void)
{
    gfp_error error = {.message = ""};
    gfp_field *field;
    gfp_gpu *gpu;
    gfp_poly f, g;

    if (gfp_field_create(&field, "p8", NULL, &error) != GFP_OK) {
        fprintf(stderr, "gpu_newton: %s\n", error.message);
        return EXIT_FAILURE;
    }
    if (gfp_gpu_create(&gpu, NULL, &(gfp_options){.error = &error}) != GFP_OK) {
        printf("no GPU: %s\n", error.message);
        gfp_field_destroy(field);
        return EXIT_SUCCESS;
    }
    gfp_poly_init(&f, field);
    gfp_poly_init(&g, field);
    const int code = run(gpu, field, &f, &g);
    gfp_poly_clear(&f);
    gfp_poly_clear(&g);
    gfp_gpu_destroy(gpu);
    gfp_field_destroy(field);
    return code;
}
