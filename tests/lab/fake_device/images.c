/* images.c: images of bivariate polynomials for the backend `host': what the threads of
 * gpu/cuda/vector/images.cu compute, one after the other.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "lab/fake_device/inside.h"
#include "gpu/cuda/vector/images_arith.h"

/* Coefficients of both polynomials. */
#define MOST 900

static size_t images_most(const gfp_gpu *gpu)
{
    (void)gpu;
    return MOST;
}

static void images_compute(gfp_gpu *gpu, const operation *o)
{
    const gfp_gpu_images_work *w = (const gfp_gpu_images_work *)(const void *)o->copied;
    double *column = malloc(images_column(w->len_y[0], w->len_y[1]) * sizeof *column);
    (void)gpu;
    if (column == NULL) {
        abort();
    }
    for (size_t prime = 0; prime < w->count; prime++) {
        for (size_t group = 0; group < w->groups; group++) {
            images_powers(w, prime, group);
        }
        for (size_t item = 0; item < w->groups * (w->len_y[0] + w->len_y[1]); item++) {
            images_values(w, prime, item / w->groups, item % w->groups);
        }
        for (size_t point = 0; point < w->points; point++) {
            *images_place(w, prime, point) = images_resultant(w, prime, point, column, 1);
        }
    }
    free(column);
}

static gfp_status images_run(gfp_gpu *gpu, const gfp_gpu_images_work *w)
{
    gfp_gpu_images_work *copy = malloc(sizeof *copy);
    if (copy == NULL) {
        abort();
    }
    *copy = *w;
    return fake_put(gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = images_compute, .copied = (uint64_t *)(void *)copy});
}

const gfp_gpu_images_calls fake_images = {images_most, images_run};
