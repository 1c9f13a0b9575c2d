/* gpu_lab.h: what the tests of the CUDA backend share on top of lab.h. Where there is no device
 * they are skipped, for the reason that the library gives.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GPU_LAB_H
#define GPU_LAB_H

#include "lab.h"

#include "gfpoly/gpu.h"

/* For whole programs: lab_setup and lab_teardown where there is a GPU, else nothing, since every
 * test is skipped. */
int gpu_lab_setup(void **state);
int gpu_lab_teardown(void **state);

/* A context; the test is skipped where there can be none. The chooser keeps to the CPU from then
 * on: what results are compared with is no GPU's. */
gfp_gpu *gpu_lab_open(void);
/* Nothing is left on the device, and nothing went wrong on it. */
void gpu_lab_close(gfp_gpu *gpu);

/* Whether tests are to be short (GFPOLY_TEST_SHORT is set), as under compute-sanitizer, or are
 * built with sanitizers themselves. */
bool gpu_lab_short(void);
/* Shorter still, and on one thread: GFPOLY_TEST_SHORT is "serial", as under racecheck. */
bool gpu_lab_serial(void);
/* Test fields that short tests leave out: all but the first of each k. */
bool gpu_lab_skips(size_t field);
/* The same, of what runs the same code for every k: serial tests keep a short and a long one. */
bool gpu_lab_skips_alike(size_t field);

/* Device arrays of so many words; holding those of x. */
gfp_gpu_array *gpu_lab_array(gfp_gpu *gpu, size_t words);
gfp_gpu_array *gpu_lab_upload(gfp_gpu *gpu, const uint64_t *x, size_t words);
/* The test fails unless the array begins with the n elements expected. */
void gpu_lab_expect(const lab *l, const gfp_gpu_array *array, const uint64_t *expected, size_t n,
                    const char *what, size_t i, size_t j);
/* The test fails, with the context's own message, unless the call went well. */
void gpu_lab_ok(const gfp_gpu *gpu, gfp_status status, const char *what);

/* n random elements. */
uint64_t *gpu_lab_random(const lab *l, size_t n, uint64_t seed);

#endif
