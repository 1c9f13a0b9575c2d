/* calls.c: the CUDA backend's runtime: the reason without a device; contexts, arrays, graphs and
 * timers; every call of CUDA and of the allocation hook failing in turn; memory running out, a lost
 * device, several contexts and threads. Tests that need a device are skipped without one, with the
 * library's reason.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly/gpu_papers.h"
#include "gpu/products.h"
#include "gpu/measure.h"
#include "lab/meter.h"
#if GFP_HAVE_CUDA
#include "gpu/seam.h"
#endif
#include "fft/words/primes.h"

#define NEVER SIZE_MAX
#define THREADS 4
#define ROUNDS 8

/* Every stride-th call fails: under compute-sanitizer the time does not suffice for all. */
static size_t stride = 1;
/* Runs one thread after another: racecheck cannot follow launches of several. */
static bool serial;

static gfp_error no_device; /* the reason without a device */

static gfp_gpu *open_context(void)
{
    gfp_gpu *gpu = NULL;
    gfp_error error = {.message = ""};
    if (no_device.status != GFP_OK) {
        print_message("no GPU: %s\n", no_device.message);
        skip();
    }
    if (gfp_gpu_create(&gpu, NULL, &(gfp_options){.error = &error}) != GFP_OK) {
        fail_msg("%s", error.message);
    }
    return gpu;
}

static void expect_says(const gfp_gpu *gpu, gfp_status status, gfp_status expected,
                        const char *message)
{
    const gfp_error *error = gfp_gpu_last_error(gpu);
    assert_int_equal(status, expected);
    assert_int_equal(error->status, expected);
    if (strstr(error->message, message) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", error->message, message);
    }
}

static uint64_t *gpu_calls_numbers(size_t count, uint64_t seed)
{
    gfp_random g;
    uint64_t *x = malloc(count * sizeof *x);
    assert_non_null(x);
    gfp_random_seed(&g, seed);
    for (size_t i = 0; i < count; i++) {
        x[i] = gfp_random_u64(&g);
    }
    return x;
}

/* ---- with and without a device ---- */

/* Free bytes of the device. CUDA takes and gives back memory by the megabyte: JITTER bounds the
 * difference without a leak, far below the sum of leaks of a tour. */
#define JITTER ((size_t)4 << 20)

static size_t memory_free(gfp_gpu *gpu)
{
    gfp_gpu_info info;
    assert_int_equal(gfp_gpu_get_info(&info, gpu, NULL), GFP_OK);
    return info.memory_free;
}

/* Checks that as much memory is free as before. Short tests leave this out, since they run side by
 * side on the device; memcheck looks for leaks there. */
static void expect_given_back(gfp_gpu *gpu, size_t before)
{
    if (stride == 1) {
        assert_true(memory_free(gpu) + JITTER >= before);
    }
}

static void test_absence_has_a_reason(void **state)
{
    unsigned count = 77;
    gfp_gpu *untouched = (gfp_gpu *)&count;
    gfp_gpu *gpu = untouched;
    gfp_error error = {.message = ""};
    (void)state;
    gfp_status status = gfp_gpu_count(&count, &error);
    assert_int_equal(gfp_gpu_built_in(), GFP_HAVE_CUDA || GFP_CUDA_PLUGIN);
    if (status == GFP_OK) {
        assert_in_range(count, 1, 1000);
        const gfp_options options = {.gpu_device = count, .error = &error};
        assert_int_equal(gfp_gpu_create(&gpu, NULL, &options), GFP_ERR_ARGUMENT);
        assert_int_equal(error.status, GFP_ERR_ARGUMENT);
        assert_non_null(strstr(error.message, "no device"));
    } else {
        assert_int_equal(status, GFP_ERR_UNAVAILABLE);
        assert_int_equal(error.status, GFP_ERR_UNAVAILABLE);
        assert_int_equal(count, 77);
        if (!gfp_gpu_built_in()) {
            assert_string_equal(error.message, "built without CUDA");
        } else {
            assert_true(strncmp(error.message, "no ", 3) == 0);
        }
        gfp_error again = {.message = ""};
        assert_int_equal(gfp_gpu_create(&gpu, NULL, &(gfp_options){.error = &again}),
                         GFP_ERR_UNAVAILABLE);
        assert_string_equal(again.message, error.message);
        assert_int_equal(gfp_gpu_create(&gpu, NULL, NULL), GFP_ERR_UNAVAILABLE);
    }
    assert_ptr_equal(gpu, untouched);
    assert_string_equal(gfp_status_string(GFP_ERR_DEVICE), "device failed");
}

/* Every destroy call takes NULL. */
static void test_destroying_nothing(void **state)
{
    (void)state;
    gfp_gpu_destroy(NULL);
    gfp_gpu_array_destroy(NULL);
    gfp_gpu_graph_destroy(NULL);
    gfp_gpu_timer_destroy(NULL);
    gfp_gpu_fft_plan_destroy(NULL);
    gfp_gpu_ntt_plan_destroy(NULL);
    gfp_gpu_rival_plan_destroy(NULL);
    gfp_gpu_product_plan_destroy(NULL);
    gfp_gpu_operand_destroy(NULL);
    if (no_device.status == GFP_OK) {
        gfp_gpu *gpu = open_context();
        gfp_gpu_host_release(NULL, gpu);
        gfp_gpu_destroy(gpu);
    }
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(gfp_gpu_fft_form_name(GFP_GPU_FFT_AUTO), "auto");
    assert_string_equal(gfp_gpu_fft_form_name(GFP_GPU_FFT_FAST), "fast");
    assert_string_equal(gfp_gpu_fft_form_name(GFP_GPU_FFT_REFERENCE), "reference");
    assert_string_equal(gfp_gpu_method_name(GFP_GPU_METHOD_AUTO), "auto");
    assert_string_equal(gfp_gpu_method_name(GFP_GPU_METHOD_HYBRID), "hybrid_gpu");
    assert_string_equal(gfp_gpu_method_name(GFP_GPU_METHOD_BIGFFT), "bigfft_gpu");
    assert_string_equal(gfp_gpu_method_name(GFP_GPU_METHOD_MULTIMODULAR), "multimodular_gpu");
}

/* ---- a device ---- */

static void test_info(void **state)
{
    gfp_gpu *gpu = open_context();
    gfp_gpu_info info;
    (void)state;
    assert_int_equal(gfp_gpu_get_info(&info, gpu, NULL), GFP_OK);
    assert_true(info.name[0] != '\0');
    assert_in_range(info.capability_major, 5, 99);
    assert_in_range(info.multiprocessors, 1, 10000);
    assert_in_range(info.memory_free, 1, info.memory_total);
    assert_in_range(info.runtime_version, 12000, 99000);
    assert_in_range(info.driver_version, 12000, 99000);
    assert_int_equal(gfp_gpu_last_error(gpu)->status, GFP_OK);
    gfp_gpu_destroy(gpu);
}

static void test_arrays(void **state)
{
    enum { WORDS = 100003 };
    gfp_gpu *gpu = open_context();
    uint64_t *x = gpu_calls_numbers(WORDS, 1);
    uint64_t *y = gpu_calls_numbers(WORDS, 2);
    gfp_gpu_array *array = NULL;
    gfp_gpu_array *other = NULL;
    gfp_gpu_array *part = NULL;
    gfp_gpu_array *empty = NULL;
    void *pinned = NULL;
    (void)state;
    assert_int_equal(gfp_gpu_array_create(&array, gpu, WORDS, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_array_create(&other, gpu, WORDS, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_array_create(&empty, gpu, 0, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_array_words(array), WORDS);
    assert_int_equal(gfp_gpu_array_words(empty), 0);
    assert_ptr_equal(gfp_gpu_array_context(array), gpu);
    assert_int_equal(gfp_gpu_memory_used(gpu), 2 * WORDS * sizeof(uint64_t));

    assert_int_equal(gfp_gpu_upload(array, 0, x, WORDS, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_upload(array, 7, y, 5, NULL), GFP_OK);
    memcpy(x + 7, y, 5 * sizeof *x);
    assert_int_equal(gfp_gpu_set(other, array, WORDS - 1, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_download(y, other, 3, WORDS - 4, NULL), GFP_OK);
    assert_memory_equal(y, x + 3, (WORDS - 4) * sizeof *x);

    /* A window is the same memory. */
    assert_int_equal(gfp_gpu_array_part(&part, array, 1000, 10), GFP_OK);
    assert_int_equal(gfp_gpu_clear(part, 9, NULL), GFP_OK);
    memset(x + 1000, 0, 9 * sizeof *x);
    assert_int_equal(gfp_gpu_host_allocate(&pinned, gpu, WORDS * sizeof *x, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_download(pinned, array, 0, WORDS, NULL), GFP_OK);
    assert_memory_equal(pinned, x, WORDS * sizeof *x);
    gfp_gpu_host_release(pinned, gpu);

    /* Nothing to do, at the very end. */
    assert_int_equal(gfp_gpu_upload(array, WORDS, x, 0, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_download(y, empty, 0, 0, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_clear(empty, 0, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_set(array, array, WORDS, NULL), GFP_OK);

    gfp_gpu_array_destroy(part);
    gfp_gpu_array_destroy(array);
    gfp_gpu_array_destroy(other);
    gfp_gpu_array_destroy(empty);
    assert_int_equal(gfp_gpu_memory_used(gpu), 0);
    assert_int_equal(gfp_gpu_memory_peak(gpu), 2 * WORDS * sizeof(uint64_t));
    gfp_gpu_destroy(gpu);
    free(x);
    free(y);
}

static void test_wrong_ranges(void **state)
{
    enum { WORDS = 1003 };
    gfp_gpu *gpu = open_context();
    uint64_t *x = gpu_calls_numbers(WORDS, 1);
    uint64_t *y = gpu_calls_numbers(WORDS, 2);
    gfp_gpu_array *array = NULL;
    gfp_gpu_array *part = NULL;
    (void)state;
    assert_int_equal(gfp_gpu_array_create(&array, gpu, WORDS, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_array_part(&part, array, 500, 10), GFP_OK);
    expect_says(gpu, gfp_gpu_upload(array, WORDS, x, 1, NULL), GFP_ERR_ARGUMENT, "too many");
    expect_says(gpu, gfp_gpu_upload(array, SIZE_MAX, x, 2, NULL), GFP_ERR_ARGUMENT, "too many");
    expect_says(gpu, gfp_gpu_download(y, array, 1, WORDS, NULL), GFP_ERR_ARGUMENT, "too many");
    expect_says(gpu, gfp_gpu_set(part, array, 11, NULL), GFP_ERR_ARGUMENT, "has 10 words");
    expect_says(
        gpu, gfp_gpu_set(part, array, 10, NULL) == GFP_OK ? gfp_gpu_clear(part, 11, NULL) : GFP_OK,
        GFP_ERR_ARGUMENT, "of 10: too many");
    expect_says(gpu,
                gfp_gpu_set(array, part, 10, NULL) == GFP_OK ? gfp_gpu_clear(array, WORDS + 1, NULL)
                                                             : GFP_OK,
                GFP_ERR_ARGUMENT, "words");
    gfp_gpu_array *untouched = part;
    expect_says(gpu, gfp_gpu_array_part(&untouched, array, 3, 4), GFP_ERR_ARGUMENT, "even");
    expect_says(gpu, gfp_gpu_array_part(&untouched, array, 4, WORDS), GFP_ERR_ARGUMENT, "many");
    expect_says(gpu, gfp_gpu_array_part(&untouched, array, SIZE_MAX - 1, 4), GFP_ERR_ARGUMENT,
                "many");
    assert_ptr_equal(untouched, part);
    gfp_gpu_array_destroy(part);
    assert_int_equal(gfp_gpu_array_part(&part, array, 2, 100), GFP_OK);
    expect_says(gpu, gfp_gpu_set(array, part, 100, NULL), GFP_ERR_ARGUMENT, "overlaps");

    gfp_gpu_array_destroy(part);
    gfp_gpu_array_destroy(array);
    gfp_gpu_destroy(gpu);
    free(x);
    free(y);
}

static void test_memory_runs_out(void **state)
{
    gfp_gpu *gpu = open_context();
    gfp_gpu *capped = NULL;
    gfp_gpu_info before;
    gfp_gpu_info after;
    gfp_gpu_array *array = NULL;
    gfp_gpu_array *second = NULL;
    const gfp_options options = {.gpu_memory_cap = 1000 * sizeof(uint64_t)};
    (void)state;
    assert_int_equal(gfp_gpu_create(&capped, NULL, &options), GFP_OK);
    expect_says(capped, gfp_gpu_array_create(&array, capped, 1001, NULL), GFP_ERR_MEMORY, "cap");
    assert_int_equal(gfp_gpu_array_create(&array, capped, 600, NULL), GFP_OK);
    expect_says(capped, gfp_gpu_array_create(&second, capped, 401, NULL), GFP_ERR_MEMORY,
                "4800 in use");
    assert_int_equal(gfp_gpu_array_create(&second, capped, 400, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_memory_used(capped), options.gpu_memory_cap);
    gfp_gpu_array_destroy(array);
    gfp_gpu_array_destroy(second);
    assert_int_equal(gfp_gpu_memory_used(capped), 0);
    gfp_gpu_destroy(capped);

    /* The device's own limit, and one that no word counts. */
    array = NULL;
    assert_int_equal(gfp_gpu_get_info(&before, gpu, NULL), GFP_OK);
    expect_says(gpu, gfp_gpu_array_create(&array, gpu, before.memory_total / 8 + 1, NULL),
                GFP_ERR_MEMORY, "cudaMalloc");
    expect_says(gpu, gfp_gpu_array_create(&array, gpu, SIZE_MAX / 8 + 1, NULL), GFP_ERR_SIZE,
                "large");
    assert_null(array);
    assert_int_equal(gfp_gpu_memory_used(gpu), 0);
    assert_int_equal(gfp_gpu_get_info(&after, gpu, NULL), GFP_OK);
    expect_given_back(gpu, before.memory_free);
    assert_int_equal(gfp_gpu_wait(gpu, NULL), GFP_OK);
    gfp_gpu_destroy(gpu);
}

/* Calls that cannot be recorded are refused during a capture. */
static void expect_captured(gfp_gpu *gpu, gfp_gpu_array *a, gfp_gpu_timer *timer, uint64_t *x)
{
    gfp_gpu_array *none = NULL;
    void *pinned = NULL;
    gfp_error error = {.message = ""};
    expect_says(gpu, gfp_gpu_capture_begin(gpu), GFP_ERR_ARGUMENT, "capture");
    expect_says(gpu, gfp_gpu_wait(gpu, &(gfp_options){.error = &error}), GFP_ERR_ARGUMENT,
                "capture");
    assert_non_null(strstr(error.message, "capture"));
    expect_says(gpu, gfp_gpu_wait_device(gpu, NULL), GFP_ERR_ARGUMENT, "capture");
    expect_says(gpu, gfp_gpu_array_create(&none, gpu, 1, NULL), GFP_ERR_ARGUMENT, "capture");
    expect_says(gpu, gfp_gpu_upload(a, 0, x, 1, NULL), GFP_ERR_ARGUMENT, "capture");
    expect_says(gpu, gfp_gpu_download(x, a, 0, 1, NULL), GFP_ERR_ARGUMENT, "capture");
    expect_says(gpu, gfp_gpu_host_allocate(&pinned, gpu, 1, NULL), GFP_ERR_ARGUMENT, "capture");
    expect_says(gpu, gfp_gpu_timer_start(timer), GFP_ERR_ARGUMENT, "capture");
    expect_says(gpu, gfp_gpu_timer_stop(timer), GFP_ERR_ARGUMENT, "capture");
}

static void test_graphs_and_timers(void **state)
{
    enum { WORDS = 1000 };
    gfp_gpu *gpu = open_context();
    uint64_t *x = gpu_calls_numbers(WORDS, 1);
    uint64_t *y = gpu_calls_numbers(WORDS, 2);
    gfp_gpu_array *a = NULL;
    gfp_gpu_array *b = NULL;
    gfp_gpu_graph *graph = NULL;
    gfp_gpu_timer *timer = NULL;
    double ms = -1;
    (void)state;
    assert_int_equal(gfp_gpu_array_create(&a, gpu, WORDS, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_array_create(&b, gpu, WORDS, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_timer_create(&timer, gpu), GFP_OK);
    expect_says(gpu, gfp_gpu_timer_read(timer, &ms), GFP_ERR_ARGUMENT, "timer");
    assert_int_equal(gfp_gpu_timer_stop(timer), GFP_OK);
    expect_says(gpu, gfp_gpu_timer_read(timer, &ms), GFP_ERR_ARGUMENT, "timer");
    expect_says(gpu, gfp_gpu_capture_end(gpu, &graph), GFP_ERR_ARGUMENT, "no capture");

    /* A recorded call does not run. */
    assert_int_equal(gfp_gpu_upload(a, 0, x, WORDS, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_upload(b, 0, y, WORDS, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_capture_begin(gpu), GFP_OK);
    assert_int_equal(gfp_gpu_set(b, a, WORDS, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_clear(a, WORDS, NULL), GFP_OK);
    expect_captured(gpu, a, timer, x);
    assert_int_equal(gfp_gpu_capture_end(gpu, &graph), GFP_OK);
    uint64_t *z = gpu_calls_numbers(WORDS, 3);
    assert_int_equal(gfp_gpu_download(z, b, 0, WORDS, NULL), GFP_OK);
    assert_memory_equal(z, y, WORDS * sizeof *x);

    assert_int_equal(gfp_gpu_timer_start(timer), GFP_OK);
    assert_int_equal(gfp_gpu_graph_launch(graph), GFP_OK);
    assert_int_equal(gfp_gpu_timer_stop(timer), GFP_OK);
    assert_int_equal(gfp_gpu_timer_read(timer, &ms), GFP_OK);
    assert_true(ms > 0 && ms < 1000);
    assert_int_equal(gfp_gpu_download(z, b, 0, WORDS, NULL), GFP_OK);
    assert_memory_equal(z, x, WORDS * sizeof *x);
    assert_int_equal(gfp_gpu_download(z, a, 0, 1, NULL), GFP_OK);
    assert_int_equal(z[0], 0);
    /* A second launch works on the present contents. */
    assert_int_equal(gfp_gpu_upload(a, 0, y, WORDS, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_graph_launch(graph), GFP_OK);
    assert_int_equal(gfp_gpu_download(z, b, 0, WORDS, NULL), GFP_OK);
    assert_memory_equal(z, y, WORDS * sizeof *x);

    gfp_gpu_graph_destroy(graph);
    gfp_gpu_timer_destroy(timer);
    gfp_gpu_array_destroy(a);
    gfp_gpu_array_destroy(b);
    /* A capture left open is closed with the context. */
    assert_int_equal(gfp_gpu_capture_begin(gpu), GFP_OK);
    gfp_gpu_destroy(gpu);
    free(x);
    free(y);
    free(z);
}

/* ---- a tour through everything, with faults ---- */

#define TOUR_N 256 /* a power of 2k: every form serves it */

/* What a tour opens; all NULL before and after. */
typedef struct tour {
    gfp_gpu *gpu;
    gfp_gpu_array *a, *b, *c;
    gfp_gpu_graph *graph;
    gfp_gpu_timer *timer;
    void *pinned;
    gfp_gpu_fft_plan *fft;
    gfp_gpu_ntt_plan *ntt;
    gfp_gpu_rival_plan *rival;
    gfp_gpu_array *residues, *integers;
    gfp_gpu_product_plan *product;
    gfp_gpu_operand *operand;
} tour;

static gfp_field *tour_field;
static uint64_t *tour_digits; /* TOUR_N elements */
static uint64_t tour_primes[2];

#define STEP(call)                                                                                 \
    do {                                                                                           \
        gfp_status step_status = (call);                                                           \
        if (step_status != GFP_OK) {                                                               \
            return step_status;                                                                    \
        }                                                                                          \
    } while (0)

static gfp_status tour_arrays(tour *t)
{
    size_t words = TOUR_N * (size_t)gfp_field_k(tour_field);
    gfp_gpu_info info;
    STEP(gfp_gpu_get_info(&info, t->gpu, NULL));
    STEP(gfp_gpu_array_create(&t->a, t->gpu, words, NULL));
    STEP(gfp_gpu_array_create(&t->b, t->gpu, words, NULL));
    STEP(gfp_gpu_array_create(&t->c, t->gpu, words, NULL));
    STEP(gfp_gpu_host_allocate(&t->pinned, t->gpu, words * sizeof(uint64_t), NULL));
    STEP(gfp_gpu_upload(t->a, 0, tour_digits, words, NULL));
    STEP(gfp_gpu_set(t->b, t->a, words, NULL));
    STEP(gfp_gpu_clear(t->c, words, NULL));
    return gfp_gpu_download(t->pinned, t->c, 0, words, NULL);
}

static gfp_status tour_vectors(tour *t)
{
    STEP(gfp_gpu_vec_add(tour_field, t->c, t->a, t->b, TOUR_N));
    STEP(gfp_gpu_vec_sub(tour_field, t->c, t->c, t->b, TOUR_N));
    STEP(gfp_gpu_vec_neg(tour_field, t->c, t->c, TOUR_N));
    STEP(gfp_gpu_vec_mul(tour_field, t->c, t->c, t->b, TOUR_N));
    STEP(gfp_gpu_vec_sqr(tour_field, t->c, t->c, TOUR_N));
    return gfp_gpu_vec_scale(tour_field, t->c, t->c, tour_digits, TOUR_N);
}

/* With the plan that t->fft is. */
static gfp_status tour_plan(tour *t)
{
    gfp_error error;
    STEP(gfp_gpu_timer_create(&t->timer, t->gpu));
    STEP(gfp_gpu_timer_start(t->timer));
    for (int order = 0; order < 2; order++) {
        STEP(gfp_gpu_fft_run(t->c, t->a, GFP_FORWARD, (gfp_order)order, t->fft, NULL));
        STEP(gfp_gpu_fft_run(t->c, t->c, GFP_INVERSE, (gfp_order)order, t->fft, NULL));
    }
    STEP(gfp_gpu_timer_stop(t->timer));
    STEP(gfp_gpu_timer_read(t->timer, &(double){0}));
    STEP(gfp_gpu_capture_begin(t->gpu));
    gfp_status status = gfp_gpu_fft_run(t->c, t->a, GFP_FORWARD, GFP_ORDER_PERMUTED, t->fft, NULL);
    gfp_status ended = gfp_gpu_capture_end(t->gpu, &t->graph);
    STEP(status);
    STEP(ended);
    STEP(gfp_gpu_graph_launch(t->graph));
    return gfp_gpu_wait(t->gpu, &(gfp_options){.error = &error});
}

static gfp_status tour_transforms(tour *t, gfp_gpu_fft_form form)
{
    const gfp_gpu_fft_options options = {.form = form};
    gfp_error error;
    STEP(gfp_gpu_fft_plan_create(&t->fft, t->gpu, tour_field, TOUR_N, &options,
                                 &(gfp_options){.error = &error}));
    return tour_plan(t);
}

static gfp_status tour_papers(tour *t)
{
    gfp_gpu_papers_fft_options options = {.batch = 1};
    gfp_gpu_times times;
    gfp_error error;
    STEP(gfp_gpu_papers_fft_create(&t->fft, t->gpu, tour_field, TOUR_N, &options, &error));
    STEP(tour_plan(t));
    gfp_gpu_fft_plan_destroy(t->fft);
    t->fft = NULL;
    options.timed = true;
    STEP(gfp_gpu_papers_fft_create(&t->fft, t->gpu, tour_field, TOUR_N, &options, &error));
    STEP(gfp_gpu_fft_run(t->c, t->a, GFP_FORWARD, GFP_ORDER_NATURAL, t->fft, NULL));
    return gfp_gpu_papers_fft_times(t->fft, &times);
}

static gfp_status tour_primes_of_words(tour *t)
{
    gfp_gpu_ntt_options options = {.convolutions = true};
    gfp_error error;
    STEP(gfp_gpu_ntt_plan_create(&t->ntt, t->gpu, tour_primes, 2, TOUR_N, &options, &error));
    STEP(gfp_gpu_array_create(&t->residues, t->gpu, gfp_gpu_ntt_plan_words(t->ntt), NULL));
    STEP(gfp_gpu_clear(t->residues, gfp_gpu_ntt_plan_words(t->ntt), NULL));
    STEP(gfp_gpu_ntt_forward(t->ntt, t->residues, t->residues));
    STEP(gfp_gpu_ntt_scale(t->ntt, t->residues, t->residues, tour_primes));
    STEP(gfp_gpu_ntt_convolve_cyclic(t->ntt, t->residues, t->residues, t->residues));
    return gfp_gpu_wait(t->gpu, &(gfp_options){.error = &error});
}

static gfp_status tour_rival(tour *t)
{
    gfp_error error;
    STEP(gfp_gpu_rival_plan_create(&t->rival, t->gpu, tour_field, TOUR_N, NULL, &error));
    STEP(gfp_gpu_array_create(&t->residues, t->gpu,
                              TOUR_N * gfp_gpu_rival_plan_prime_count(t->rival), NULL));
    STEP(gfp_gpu_array_create(&t->integers, t->gpu, TOUR_N * gfp_gpu_rival_plan_words(t->rival),
                              NULL));
    return gfp_gpu_rival_forward(t->rival, t->integers, t->residues, t->a);
}

static gfp_status tour_products(tour *t, gfp_gpu_method method)
{
    enum { LEN = TOUR_N / 4 };
    const gfp_gpu_product_options options = {.method = method, .batch = 2};
    gfp_error error;
    STEP(gfp_gpu_product_plan_create(&t->product, t->gpu, tour_field, LEN, LEN, &options,
                                     &(gfp_options){.error = &error}));
    STEP(gfp_gpu_product_mul(t->c, t->a, LEN, t->a, LEN, t->product, NULL));
    STEP(gfp_gpu_product_range(t->product, t->c, t->a, LEN, t->b, LEN, LEN / 2, 2 * LEN));
    gfp_status status = gfp_gpu_operand_create(&t->operand, t->product, t->b, LEN, NULL);
    if (status != GFP_ERR_UNAVAILABLE) { /* within a cap there are none */
        STEP(status);
        STEP(gfp_gpu_operand_mul(t->c, t->a, LEN, t->operand, 0, LEN, t->product, NULL));
    }
    return gfp_gpu_wait(t->gpu, &(gfp_options){.error = &error});
}

/* The tours: arrays and vectors, each form of transforms, transforms over words, the rival, each
 * method of products. */
enum {
    TOUR_VECTORS,
    TOUR_FAST,
    TOUR_REFERENCE,
    TOUR_PAPERS,
    TOUR_NTT,
    TOUR_RIVAL,
    TOUR_HYBRID,
    TOUR_BIGFFT,
    TOUR_MULTIMODULAR,
    TOURS
};

static const char *const tour_names[TOURS] = {
    "vectors", "fast", "reference", "papers", "words", "rival", "hybrid", "bigfft", "multimodular",
};

static gfp_status take_tour(tour *t, int which, const gfp_allocator *allocator, size_t cap)
{
    gfp_error error;
    const gfp_options options = {.gpu_memory_cap = cap, .error = &error};
    STEP(gfp_gpu_create(&t->gpu, allocator, &options));
    STEP(tour_arrays(t));
    switch (which) {
    case TOUR_VECTORS:
        STEP(tour_vectors(t));
        return gfp_gpu_wait(t->gpu, &(gfp_options){.error = &error});
    case TOUR_FAST:
        return tour_transforms(t, GFP_GPU_FFT_FAST);
    case TOUR_REFERENCE:
        return tour_transforms(t, GFP_GPU_FFT_REFERENCE);
    case TOUR_PAPERS:
        return tour_papers(t);
    case TOUR_NTT:
        return tour_primes_of_words(t);
    case TOUR_RIVAL:
        return tour_rival(t);
    case TOUR_HYBRID:
        return tour_products(t, GFP_GPU_METHOD_HYBRID);
    case TOUR_BIGFFT:
        return tour_products(t, GFP_GPU_METHOD_BIGFFT);
    default:
        return tour_products(t, GFP_GPU_METHOD_MULTIMODULAR);
    }
}

/* Destroys all objects; no block may be left. */
static void end_tour(tour *t, const meter *m)
{
    gfp_gpu_fft_plan_destroy(t->fft);
    gfp_gpu_ntt_plan_destroy(t->ntt);
    gfp_gpu_rival_plan_destroy(t->rival);
    gfp_gpu_operand_destroy(t->operand);
    gfp_gpu_product_plan_destroy(t->product);
    gfp_gpu_graph_destroy(t->graph);
    gfp_gpu_timer_destroy(t->timer);
    gfp_gpu_array_destroy(t->a);
    gfp_gpu_array_destroy(t->b);
    gfp_gpu_array_destroy(t->c);
    gfp_gpu_array_destroy(t->residues);
    gfp_gpu_array_destroy(t->integers);
    if (t->gpu != NULL) {
        gfp_gpu_host_release(t->pinned, t->gpu);
        assert_int_equal(gfp_gpu_memory_used(t->gpu), 0);
    }
    gfp_gpu_destroy(t->gpu);
    meter_expect_empty(m);
    *t = (tour){.gpu = NULL};
}

/* Without faults; loads every kernel. The calls of the hook. */
static size_t tour_works(int which)
{
    meter m = {.fail_at = NEVER};
    const gfp_allocator allocator = meter_hook(&m);
    tour t = {.gpu = NULL};
    gfp_status status = take_tour(&t, which, &allocator, 0);
    if (status != GFP_OK) {
        fail_msg("%s: %s", tour_names[which], gfp_gpu_last_error(t.gpu)->message);
    }
    end_tour(&t, &m);
    return m.calls;
}

#if GFP_HAVE_CUDA
static void tour_with_fault(int which, gfp_gpu_fault fault, uint64_t nth)
{
    static const gfp_status expected[] = {GFP_OK, GFP_ERR_MEMORY, GFP_ERR_DEVICE, GFP_ERR_DEVICE};
    meter m = {.fail_at = NEVER};
    const gfp_allocator allocator = meter_hook(&m);
    tour t = {.gpu = NULL};
    gfp_gpu_seam_arm(fault, nth);
    gfp_status status = take_tour(&t, which, &allocator, 0);
    gfp_gpu_seam_arm(GFP_GPU_FAULT_NONE, 0);
    if (status != expected[fault]) {
        fail_msg("%s: fault %d of call %zu gives \"%s\"", tour_names[which], (int)fault,
                 (size_t)nth, gfp_status_string(status));
    }
    if (t.gpu != NULL) {
        assert_true(gfp_gpu_last_error(t.gpu)->message[0] != '\0');
        /* A lost device stays lost, and says so. */
        gfp_error error = {.message = ""};
        status = gfp_gpu_wait(t.gpu, &(gfp_options){.error = &error});
        assert_int_equal(status, fault == GFP_GPU_FAULT_LOST ? GFP_ERR_DEVICE : GFP_OK);
        assert_int_equal(error.message[0] != '\0', fault == GFP_GPU_FAULT_LOST);
    }
    end_tour(&t, &m);
}

static void test_every_call_fails_in_turn(void **state)
{
    gfp_gpu *gpu = open_context();
    (void)state;
    for (int which = 0; which < TOURS; which++) {
        gfp_gpu_seam_arm(GFP_GPU_FAULT_NONE, 0);
        (void)tour_works(which);
        uint64_t calls = gfp_gpu_seam_calls();
        size_t before = memory_free(gpu);
        assert_in_range(calls, 10, 100000);
        for (uint64_t n = 1; n <= calls; n += stride) {
            tour_with_fault(which, GFP_GPU_FAULT_MEMORY, n);
            tour_with_fault(which, GFP_GPU_FAULT_LAUNCH, n);
            tour_with_fault(which, GFP_GPU_FAULT_LOST, n);
        }
        expect_given_back(gpu, before);
        (void)tour_works(which);
    }
    gfp_gpu_destroy(gpu);
}

/* On machines without a device too. */
static void test_faults_before_there_is_a_context(void **state)
{
    (void)state;
    for (int fault = GFP_GPU_FAULT_MEMORY; fault <= GFP_GPU_FAULT_LOST; fault++) {
        meter m = {.fail_at = NEVER};
        const gfp_allocator allocator = meter_hook(&m);
        gfp_gpu *gpu = NULL;
        gfp_error error = {.message = ""};
        gfp_gpu_seam_arm((gfp_gpu_fault)fault, 1);
        gfp_status status = gfp_gpu_create(&gpu, &allocator, &(gfp_options){.error = &error});
        gfp_gpu_seam_arm(GFP_GPU_FAULT_NONE, 0);
        assert_int_equal(status, fault == GFP_GPU_FAULT_MEMORY ? GFP_ERR_MEMORY : GFP_ERR_DEVICE);
        assert_int_equal(error.status, status);
        assert_non_null(strstr(error.message, "cudaDriverGetVersion: "));
        assert_null(gpu);
        meter_expect_empty(&m);
        assert_int_equal(m.calls, 1);
    }
}
#endif

static void test_host_memory_fails_in_turn(void **state)
{
    gfp_gpu *gpu = open_context();
    (void)state;
    for (int which = 0; which < TOURS; which++) {
        size_t calls = tour_works(which);
        size_t before = memory_free(gpu);
        for (size_t n = 0; n < calls; n += stride) {
            meter m = {.fail_at = n};
            const gfp_allocator allocator = meter_hook(&m);
            tour t = {.gpu = NULL};
            gfp_status status = take_tour(&t, which, &allocator, 0);
            if (status != GFP_ERR_MEMORY) {
                fail_msg("%s: allocation %zu fails: \"%s\"", tour_names[which], n,
                         gfp_status_string(status));
            }
            end_tour(&t, &m);
        }
        expect_given_back(gpu, before);
    }
    gfp_gpu_destroy(gpu);
}

/* Caps from 0 to a tour's need: MEMORY, or success. */
static void test_caps(void **state)
{
    gfp_gpu *gpu = open_context();
    (void)state;
    for (int which = 0; which < TOURS; which++) {
        gfp_status status = GFP_ERR_MEMORY;
        for (size_t cap = 1; status != GFP_OK; cap += cap / 3 + 1) {
            meter m = {.fail_at = NEVER};
            const gfp_allocator allocator = meter_hook(&m);
            tour t = {.gpu = NULL};
            status = take_tour(&t, which, &allocator, cap);
            if (status != GFP_OK) {
                assert_int_equal(status, GFP_ERR_MEMORY);
                assert_in_range(gfp_gpu_memory_peak(t.gpu), 0, cap);
            }
            assert_in_range(cap, 1, (size_t)1 << 30);
            end_tour(&t, &m);
        }
    }
    gfp_gpu_destroy(gpu);
}

/* ---- several ---- */

static void test_contexts_do_not_mix(void **state)
{
    gfp_gpu *first = open_context();
    gfp_gpu *second = open_context();
    size_t words = TOUR_N * (size_t)gfp_field_k(tour_field);
    gfp_gpu_array *x = NULL;
    gfp_gpu_array *y = NULL;
    gfp_gpu_fft_plan *plan = NULL;
    (void)state;
    assert_int_equal(gfp_gpu_array_create(&x, first, words, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_array_create(&y, second, words, NULL), GFP_OK);
    expect_says(first, gfp_gpu_set(x, y, words, NULL), GFP_ERR_ARGUMENT, "another context");
    expect_says(first, gfp_gpu_vec_neg(tour_field, x, y, TOUR_N), GFP_ERR_ARGUMENT,
                "another context");
    assert_int_equal(gfp_gpu_fft_plan_create(&plan, second, tour_field, TOUR_N, NULL, NULL),
                     GFP_OK);
    expect_says(second, gfp_gpu_fft_run(x, y, GFP_FORWARD, GFP_ORDER_NATURAL, plan, NULL),
                GFP_ERR_ARGUMENT, "another context");
    expect_says(second, gfp_gpu_fft_run(y, x, GFP_INVERSE, GFP_ORDER_NATURAL, plan, NULL),
                GFP_ERR_ARGUMENT, "another context");
    assert_int_equal(gfp_gpu_memory_used(first), words * sizeof(uint64_t));
    gfp_gpu_fft_plan_destroy(plan);
    gfp_gpu_array_destroy(x);
    gfp_gpu_array_destroy(y);
    gfp_gpu_destroy(first);
    gfp_gpu_destroy(second);
}

/* A thread with a context of its own: transforms there and back, compared with the CPU's. NULL, or
 * what went wrong. */
static void *thread_body(void *argument)
{
    const uint64_t *expected = argument;
    size_t words = TOUR_N * (size_t)gfp_field_k(tour_field);
    for (int round = 0; round < ROUNDS; round++) {
        meter m = {.fail_at = NEVER};
        const gfp_allocator allocator = meter_hook(&m);
        gfp_gpu *gpu = NULL;
        gfp_gpu_array *x = NULL;
        gfp_gpu_fft_plan *plan = NULL;
        uint64_t *y = malloc(words * sizeof *y);
        bool right =
            y != NULL && gfp_gpu_create(&gpu, &allocator, NULL) == GFP_OK &&
            gfp_gpu_array_create(&x, gpu, words, NULL) == GFP_OK &&
            gfp_gpu_fft_plan_create(&plan, gpu, tour_field, TOUR_N, NULL, NULL) == GFP_OK &&
            gfp_gpu_upload(x, 0, tour_digits, words, NULL) == GFP_OK &&
            gfp_gpu_fft_run(x, x, GFP_FORWARD, GFP_ORDER_PERMUTED, plan, NULL) == GFP_OK &&
            gfp_gpu_download(y, x, 0, words, NULL) == GFP_OK &&
            memcmp(y, expected, words * sizeof *y) == 0 &&
            gfp_gpu_fft_run(x, x, GFP_INVERSE, GFP_ORDER_PERMUTED, plan, NULL) == GFP_OK &&
            gfp_gpu_download(y, x, 0, words, NULL) == GFP_OK &&
            memcmp(y, tour_digits, words * sizeof *y) == 0;
        gfp_gpu_fft_plan_destroy(plan);
        gfp_gpu_array_destroy(x);
        gfp_gpu_destroy(gpu);
        free(y);
        if (!right || m.blocks != 0) {
            return "wrong, or left something behind";
        }
    }
    return NULL;
}

static void test_threads(void **state)
{
    gfp_gpu *gpu = open_context();
    gfp_fft_plan *plan = NULL;
    pthread_t thread[THREADS];
    void *complaint = NULL;
    uint64_t *expected = malloc(TOUR_N * sizeof *expected * gfp_field_k(tour_field));
    (void)state;
    assert_non_null(expected);
    assert_int_equal(gfp_fft_plan_create(&plan, tour_field, TOUR_N, NULL), GFP_OK);
    assert_int_equal(
        gfp_fft_run(expected, tour_digits, GFP_FORWARD, GFP_ORDER_PERMUTED, plan, NULL), GFP_OK);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&thread[i], NULL, thread_body, expected), 0);
        if (serial) {
            assert_int_equal(pthread_join(thread[i], &complaint), 0);
            assert_null(complaint);
        }
    }
    for (int i = 0; i < THREADS && !serial; i++) {
        assert_int_equal(pthread_join(thread[i], &complaint), 0);
        assert_null(complaint);
    }
    gfp_fft_plan_destroy(plan);
    gfp_gpu_destroy(gpu);
    free(expected);
}

static int gpu_calls_setup(void **state)
{
    unsigned count;
    gfp_random g;
    (void)state;
    const char *rounds = getenv("GFPOLY_TEST_SHORT");
    stride = rounds != NULL ? 29 : 1;
    serial = rounds != NULL && strcmp(rounds, "serial") == 0;
    if (gfp_gpu_count(&count, &no_device) == GFP_OK) {
        no_device.status = GFP_OK;
    }
    if (gfp_field_create(&tour_field, "p8", NULL, NULL) != GFP_OK) {
        return -1;
    }
    tour_digits = malloc(TOUR_N * sizeof *tour_digits * gfp_field_k(tour_field));
    if (tour_digits == NULL ||
        gfp_word_prime_below(&tour_primes[0], (uint64_t)1 << 30, 20) != GFP_OK ||
        gfp_word_prime_below(&tour_primes[1], tour_primes[0], 20) != GFP_OK) {
        return -1;
    }
    gfp_random_seed(&g, 5);
    gfp_vec_random(tour_field, tour_digits, TOUR_N, &g);
    return 0;
}

static int gpu_calls_teardown(void **state)
{
    (void)state;
    free(tour_digits);
    gfp_field_destroy(tour_field);
    return 0;
}

/* An argument names the tests to run, with * and ?. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absence_has_a_reason),
        cmocka_unit_test(test_destroying_nothing),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_wrong_ranges),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_graphs_and_timers),
#if GFP_HAVE_CUDA
        cmocka_unit_test(test_faults_before_there_is_a_context),
        cmocka_unit_test(test_every_call_fails_in_turn),
#endif
        cmocka_unit_test(test_host_memory_fails_in_turn),
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_contexts_do_not_mix),
        cmocka_unit_test(test_threads),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, gpu_calls_setup, gpu_calls_teardown);
}
