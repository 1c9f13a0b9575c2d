/* word_vec_gpu.c: products modulo words on a device, against the CPU's: every modulus, batches in
 * one round and in several, squares, aliases, caps, mistakes. On a device or, if the environment
 * variable GFPOLY_TEST_DEVICE is "fake", over tests/lab/fake_device/device.h, where every call
 * fails in turn.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fake_device/device.h"
#include "lab/rows.h"
#include "modular/lab.h"

#include "gfpoly.h"

#define MEMORY ((size_t)1 << 30)

static gfp_zring *ring;
static gfp_random state;

static bool is_fake(void)
{
    const char *device = getenv("GFPOLY_TEST_DEVICE");
    return device != NULL && strcmp(device, "fake") == 0;
}

static void need_device(void)
{
    gfp_error error;
    gfp_gpu_pool_release();
    if (is_fake()) {
        fake_reset(MEMORY);
    } else if (gfp_gpu_pool_ask(&error) != GFP_OK) {
        print_message("no GPU: %s\n", error.message);
        skip();
    }
}

static int word_vec_gpu_setup(void **unused)
{
    (void)unused;
    if (is_fake()) {
        fake_use();
    }
    gfp_random_seed(&state, 5);
    return gfp_zring_create(&ring, NULL, NULL) == GFP_OK ? 0 : -1;
}

static int word_vec_gpu_teardown(void **unused)
{
    (void)unused;
    gfp_zring_destroy(ring);
    return 0;
}

/* ---- products ---- */

typedef struct work {
    gfp_wvec_products p;
    uint64_t *a, *b, *c, *d, *q;
} work;

static work work_open(size_t len_a, size_t len_b, size_t count, bool extreme)
{
    const size_t len = len_a + len_b - 1;
    work w = {.a = malloc(count * len_a * 8),
              .b = malloc(count * len_b * 8),
              .c = calloc(count, len * 8),
              .d = calloc(count, len * 8),
              .q = malloc(count * 8)};
    assert_true(w.a != NULL && w.b != NULL && w.c != NULL && w.d != NULL && w.q != NULL);
    for (size_t i = 0; i < count; i++) {
        const uint64_t q = extreme
                               ? (uint64_t)1 << 63
                               : 1 + (gfp_random_u64(&state) >> (1 + gfp_random_below(&state, 62)));
        w.q[i] = q;
        for (size_t j = 0; j < len_a; j++) {
            w.a[i * len_a + j] = extreme ? q - 1 : gfp_random_below(&state, q);
        }
        for (size_t j = 0; j < len_b; j++) {
            w.b[i * len_b + j] = extreme ? q - 1 : gfp_random_below(&state, q);
        }
    }
    w.p = (gfp_wvec_products){w.c, w.a, w.b, len_a, len_b, w.q, count};
    return w;
}

static void work_close(work *w)
{
    free(w->a);
    free(w->b);
    free(w->c);
    free(w->d);
    free(w->q);
}

/* d := the products by the CPU. */
static void compute_on_cpu(work *w)
{
    gfp_wvec_products p = w->p;
    p.c = w->d;
    assert_int_equal(gfp_wvec_mul_batch(ring, &p, NULL), GFP_OK);
}

static size_t words_of(const work *w)
{
    return w->p.count * (w->p.len_a + w->p.len_b - 1);
}

static void word_vec_gpu_check(size_t len_a, size_t len_b, size_t count, bool extreme, size_t cap)
{
    gfp_report report = {0};
    gfp_error error = {.message = ""};
    const gfp_options options = {
        .method = "words_gpu", .report = &report, .error = &error, .gpu_memory_cap = cap};
    work w = work_open(len_a, len_b, count, extreme);
    compute_on_cpu(&w);
    if (gfp_wvec_mul_batch(ring, &w.p, &options) != GFP_OK) {
        fail_msg("%zu by %zu, %zu products: %s", len_a, len_b, count, error.message);
    }
    assert_memory_equal(w.c, w.d, words_of(&w) * 8);
    assert_string_equal(report.method, "words_gpu");
    work_close(&w);
}

static void word_vec_gpu_batches(void **unused)
{
    static const size_t lengths[][2] = {{1, 1}, {2, 1}, {5, 9}, {64, 64}, {100, 30}, {129, 128}};
    (void)unused;
    need_device();
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        for (size_t count = 1; count < 20; count = 3 * count + 1) {
            word_vec_gpu_check(lengths[i][0], lengths[i][1], count, i % 2 == 1, 0);
        }
    }
}

static void long_products(void **unused)
{
    (void)unused;
    need_device();
    word_vec_gpu_check(is_fake() ? 300 : 100000, is_fake() ? 200 : 70000, 2, true, 0);
    word_vec_gpu_check(is_fake() ? 300 : 40000, is_fake() ? 300 : 40000, 5, false, 0);
}

/* A cap of device memory makes several rounds, and refuses a product that does not fit. */
static void word_vec_gpu_caps(void **unused)
{
    gfp_error error = {.message = ""};
    const gfp_options little = {.method = "words_gpu", .error = &error, .gpu_memory_cap = 1000};
    (void)unused;
    need_device();
    work w = work_open(100, 100, 3, false);
    word_vec_gpu_check(100, 100, 64, false, is_fake() ? 100000 : (size_t)4 << 20);
    assert_int_equal(gfp_wvec_mul_batch(ring, &w.p, &little), GFP_ERR_MEMORY);
    assert_true(error.message[0] != '\0');
    for (size_t i = 0; i < words_of(&w); i++) {
        assert_int_equal(w.c[i], 0);
    }
    work_close(&w);
}

static void single_products(void **unused)
{
    const size_t len = 90;
    gfp_report report = {0};
    gfp_options options = {.method = "words_gpu", .report = &report};
    (void)unused;
    need_device();
    for (int alias = 0; alias < 4; alias++) {
        work w = work_open(len, len, 1, false);
        uint64_t *c = calloc(2 * len, 8), *d = calloc(2 * len, 8);
        const uint64_t *a = w.a, *b = alias == 3 ? w.a : w.b;
        options.verify = alias % 2 == 0 ? GFP_VERIFY_POINT : GFP_VERIFY_NONE;
        assert_int_equal(gfp_wvec_mul(ring, d, a, len, b, len, w.q[0], NULL), GFP_OK);
        if (alias == 1 || alias == 2) { /* the output is a factor */
            memcpy(c, alias == 1 ? a : b, len * 8);
            *(alias == 1 ? &a : &b) = c;
        }
        assert_int_equal(gfp_wvec_mul(ring, c, a, len, b, len, w.q[0], &options), GFP_OK);
        assert_memory_equal(c, d, (2 * len - 1) * 8);
        assert_int_equal(report.verified, alias % 2 == 0 ? GFP_VERIFY_CROSS : GFP_VERIFY_NONE);
        free(c);
        free(d);
        work_close(&w);
    }
}

static void word_vec_gpu_mistakes(void **unused)
{
    gfp_error error = {.message = ""};
    const gfp_options options = {.method = "words_gpu", .error = &error};
    const gfp_options elsewhere = {.method = "words_gpu", .error = &error, .gpu_device = 63};
    uint64_t a[] = {5, 7}, c[3] = {0, 0, 0};
    (void)unused;
    need_device();
    assert_int_equal(gfp_wvec_mul(ring, c, a, 2, a, 2, 7, &options), GFP_ERR_RANGE);
    assert_int_not_equal(gfp_wvec_mul(ring, c, a, 2, a, 2, 8, &elsewhere), GFP_OK);
    assert_true(c[0] == 0 && c[1] == 0 && c[2] == 0);
    assert_true(error.message[0] != '\0');
    assert_int_equal(gfp_wvec_mul(ring, c, a, 2, a, 2, 8, &options), GFP_OK);
    assert_int_equal(c[0], 25 % 8);
}

/* Each call on the device fails in turn: the output is unchanged, and nothing is lost. */
static void word_vec_gpu_failures(void **unused)
{
    static const fake_fault faults[] = {FAKE_MEMORY, FAKE_ONCE, FAKE_LOST};
    gfp_error error = {.message = ""};
    const gfp_options options = {.method = "words_gpu", .error = &error};
    (void)unused;
    if (!is_fake()) {
        skip();
    }
    work w = work_open(40, 30, 4, false);
    compute_on_cpu(&w);
    for (size_t i = 0; LAB_ROW(faults, i); i++) {
        bool failed = true;
        size_t count = 0;
        memset(w.c, 0, words_of(&w) * 8);
        while (failed) {
            need_device();
            fake_fail(faults[i], ++count);
            const gfp_status status = gfp_wvec_mul_batch(ring, &w.p, &options);
            failed = fake_failed();
            fake_fail(FAKE_ONCE, 0);
            assert_int_equal(status == GFP_OK, !failed);
            for (size_t j = 0; j < words_of(&w) && failed; j++) {
                assert_int_equal(w.c[j], 0);
            }
            assert_int_equal(fake_alive(), 0);
        }
        assert_true(count > 3);
        assert_memory_equal(w.c, w.d, words_of(&w) * 8);
    }
    work_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(word_vec_gpu_batches),  cmocka_unit_test(long_products),
        cmocka_unit_test(word_vec_gpu_caps),     cmocka_unit_test(single_products),
        cmocka_unit_test(word_vec_gpu_mistakes), cmocka_unit_test(word_vec_gpu_failures),
    };
    return cmocka_run_group_tests(tests, word_vec_gpu_setup, word_vec_gpu_teardown);
}
