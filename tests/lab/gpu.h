/* gpu.h: shared by the tests of the CUDA backend, in addition to fixtures.h. Without a device the
 * tests are skipped, with the library's reason.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_GPU_H
#define TESTS_LAB_GPU_H

#include "lab/fixtures.h"

#include "gfpoly/gpu.h"

/* For whole programs: lab_setup and lab_teardown if there is a GPU, else nothing, since every test
 * is skipped. */
int gpu_lab_setup(void **state);
int gpu_lab_teardown(void **state);

/* Opens a context; skips the test if that is impossible. From then on the chooser keeps to the CPU,
 * whose results are the reference. */
gfp_gpu *gpu_lab_open(void);
/* Closes the context and checks that no object and no error is left on the device. */
void gpu_lab_close(gfp_gpu *gpu);

/* Whether tests must be shorter than lab_is_short says, and use one thread: GFPOLY_TEST_SHORT is
 * "serial", as under racecheck. */
bool gpu_lab_serial(void);
/* Whether short tests leave out this test field: all but the first of each k. */
bool gpu_lab_skips(size_t field);
/* The same for code that is equal for every k: serial tests keep a short and a long element. */
bool gpu_lab_skips_alike(size_t field);

/* Creates a device array of `words' words; a device array with the words of x. */
gfp_gpu_array *gpu_lab_array(gfp_gpu *gpu, size_t words);
gfp_gpu_array *gpu_lab_upload(gfp_gpu *gpu, const uint64_t *x, size_t words);
/* Fails the test unless the array begins with the n elements expected. */
void gpu_lab_expect(const lab *l, const gfp_gpu_array *array, const uint64_t *expected, size_t n,
                    const char *what, size_t i, size_t j);
/* Fails the test, with the context's own message, unless the call succeeded. */
void gpu_lab_ok(const gfp_gpu *gpu, gfp_status status, const char *what);

/* n random elements. */
uint64_t *gpu_lab_random(const lab *l, size_t n, uint64_t seed);

#endif
