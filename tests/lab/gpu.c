/* gpu.c: see gpu.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L
#include "lab/gpu.h"

#include <stdlib.h>
#include <string.h>

bool gpu_lab_serial(void)
{
    const char *how = getenv("GFPOLY_TEST_SHORT");
    return how != NULL && strcmp(how, "serial") == 0;
}

bool gpu_lab_skips(size_t field)
{
    for (size_t f = 0; lab_is_short() && f < field; f++) {
        if (lab_fields[f].k == lab_fields[field].k) {
            return true;
        }
    }
    return false;
}

bool gpu_lab_skips_alike(size_t field)
{
    const unsigned k = lab_fields[field].k;
    return gpu_lab_skips(field) || (gpu_lab_serial() && k != 8 && k != 128);
}

static bool there_is_none(void)
{
    gfp_gpu *gpu = NULL;
    const gfp_status status = gfp_gpu_create(&gpu, NULL, NULL);
    gfp_gpu_destroy(gpu);
    return status == GFP_ERR_UNAVAILABLE;
}

int gpu_lab_setup(void **state)
{
    return there_is_none() ? 0 : lab_setup_all(state);
}

int gpu_lab_teardown(void **state)
{
    return there_is_none() ? 0 : lab_teardown(state);
}

gfp_gpu *gpu_lab_open(void)
{
    gfp_gpu *gpu = NULL;
    gfp_error error = {.message = ""};
    assert_int_equal(setenv("GFPOLY_GPU", "off", 1), 0);
    const gfp_status status = gfp_gpu_create(&gpu, NULL, &(gfp_options){.error = &error});
    if (status == GFP_ERR_UNAVAILABLE) {
        print_message("no GPU: %s\n", error.message);
        skip();
    }
    if (status != GFP_OK) {
        fail_msg("%s", error.message);
    }
    return gpu;
}

void gpu_lab_close(gfp_gpu *gpu)
{
    gpu_lab_ok(gpu, gfp_gpu_wait(gpu, NULL), "at the end");
    assert_int_equal(gfp_gpu_memory_used(gpu), 0);
    gfp_gpu_destroy(gpu);
}

void gpu_lab_ok(const gfp_gpu *gpu, gfp_status status, const char *what)
{
    if (status != GFP_OK) {
        fail_msg("%s: %s: %s", what, gfp_status_string(status), gfp_gpu_last_error(gpu)->message);
    }
}

gfp_gpu_array *gpu_lab_array(gfp_gpu *gpu, size_t words)
{
    gfp_gpu_array *array = NULL;
    gpu_lab_ok(gpu, gfp_gpu_array_create(&array, gpu, words, NULL), "array");
    return array;
}

gfp_gpu_array *gpu_lab_upload(gfp_gpu *gpu, const uint64_t *x, size_t words)
{
    gfp_gpu_array *array = gpu_lab_array(gpu, words);
    gpu_lab_ok(gpu, gfp_gpu_upload(array, 0, x, words, NULL), "upload");
    return array;
}

void gpu_lab_expect(const lab *l, const gfp_gpu_array *array, const uint64_t *expected, size_t n,
                    const char *what, size_t i, size_t j)
{
    uint64_t *x = lab_array(n * l->k);
    gfp_error error = {.message = ""};
    if (gfp_gpu_download(x, array, 0, n * l->k, &(gfp_options){.error = &error}) != GFP_OK) {
        fail_msg("%s: %s", what, error.message);
    }
    lab_expect_digits(l, x, expected, n, what, i, j);
    lab_free(x);
}

uint64_t *gpu_lab_random(const lab *l, size_t n, uint64_t seed)
{
    uint64_t *x = lab_array(n * l->k);
    for (size_t i = 0; i < n; i++) {
        oracle_random_element(&l->o, x + i * l->k, &seed);
    }
    return x;
}
