/* gpu_dft.c: a transform on the GPU and back; on the CPU without a GPU. The digits are the same on
 * both.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gfpoly.h"
#include "gfpoly/gpu.h"

#define LENGTH 65536

/* The time by the clock in milliseconds. */
static double now_ms(void)
{
    struct timespec t;
    (void)timespec_get(&t, TIME_UTC);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* y := DFT(x) on the device; both have `words' words. *ms := its time without the copies. */
static gfp_status transform(gfp_gpu *gpu, const gfp_field *field, uint64_t *y, const uint64_t *x,
                            size_t words, double *ms, gfp_error *error)
{
    gfp_gpu_fft_plan *plan = NULL;
    gfp_gpu_array *array = NULL;

    gfp_status status =
        gfp_gpu_fft_plan_create(&plan, gpu, field, LENGTH, NULL, &(gfp_options){.error = error});
    if (status == GFP_OK) {
        status = gfp_gpu_array_create(&array, gpu, words, NULL);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_upload(array, 0, x, words, NULL);
    }
    /* Twice in both directions: the first run also loads the code. */
    for (int run = 0; run < 2 && status == GFP_OK; run++) {
        status = gfp_gpu_wait(gpu, &(gfp_options){.error = error});
        const double start = now_ms();
        if (status == GFP_OK) {
            status = gfp_gpu_fft_run(array, array, GFP_FORWARD, GFP_ORDER_NATURAL, plan, NULL);
        }
        if (status == GFP_OK) {
            status = gfp_gpu_wait(gpu, &(gfp_options){.error = error});
        }
        *ms = now_ms() - start;
        if (status == GFP_OK && run == 0) {
            status = gfp_gpu_fft_run(array, array, GFP_INVERSE, GFP_ORDER_NATURAL, plan, NULL);
        }
    }
    if (status == GFP_OK) {
        status = gfp_gpu_download(y, array, 0, words, NULL);
    }
    gfp_gpu_array_destroy(array);
    gfp_gpu_fft_plan_destroy(plan);
    return status;
}

/* Transforms on the GPU and compares with the CPU's y. */
static int on_gpu(gfp_gpu *gpu, const gfp_field *field, const uint64_t *x, const uint64_t *y,
                  size_t words)
{
    gfp_error error = {.message = ""};
    double ms = 0;
    uint64_t *z = malloc(words * sizeof *z);

    gfp_status status =
        z == NULL ? GFP_ERR_MEMORY : transform(gpu, field, z, x, words, &ms, &error);
    const int same = status == GFP_OK && memcmp(y, z, words * sizeof *z) == 0;
    if (same) {
        printf("a DFT of %d elements of %s by the GPU in %.3f ms\n", LENGTH, gfp_field_name(field),
               ms);
    } else {
        fprintf(stderr, "gpu_dft: %s %s\n",
                status == GFP_OK ? "other digits than the CPU's" : gfp_status_string(status),
                gfp_gpu_last_error(gpu)->message);
    }
    free(z);
    return same ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run(const gfp_field *field, const gfp_fft_plan *plan, uint64_t *x, uint64_t *y)
{
    const size_t words = (size_t)LENGTH * gfp_field_k(field);
    gfp_error error = {.message = ""};
    gfp_gpu *gpu;
    gfp_random generator;

    gfp_random_seed(&generator, 1);
    gfp_vec_random(field, x, LENGTH, &generator);
    if (gfp_fft_run(y, x, GFP_FORWARD, GFP_ORDER_NATURAL, plan, NULL) != GFP_OK) {
        fprintf(stderr, "gpu_dft: out of memory\n");
        return EXIT_FAILURE;
    }
    if (gfp_gpu_create(&gpu, NULL, &(gfp_options){.error = &error}) != GFP_OK) {
        printf("a DFT of %d elements of %s by the CPU: no GPU: %s\n", LENGTH, gfp_field_name(field),
               error.message);
        return EXIT_SUCCESS;
    }
    const int code = on_gpu(gpu, field, x, y, words);
    gfp_gpu_destroy(gpu);
    return code;
}

int main(void)
{
    gfp_error error = {.message = ""};
    gfp_field *field;
    gfp_fft_plan *plan = NULL;
    uint64_t *x = NULL;
    uint64_t *y = NULL;
    int code = EXIT_FAILURE;

    if (gfp_field_create(&field, "p8", NULL, &error) != GFP_OK) {
        fprintf(stderr, "gpu_dft: %s\n", error.message);
        return EXIT_FAILURE;
    }
    if (gfp_fft_plan_create(&plan, field, LENGTH, &error) != GFP_OK) {
        fprintf(stderr, "gpu_dft: %s\n", error.message);
    } else {
        x = malloc(LENGTH * sizeof *x * gfp_field_k(field));
        y = malloc(LENGTH * sizeof *y * gfp_field_k(field));
        if (x != NULL && y != NULL) {
            code = run(field, plan, x, y);
        }
    }
    free(x);
    free(y);
    gfp_fft_plan_destroy(plan);
    gfp_field_destroy(field);
    return code;
}
