/* rows.c: the rows of the method table that run on a device against the CPU's, digit for
 * digit, from pageable and from page-locked memory, in blocks and batches; and every failing call
 * of CUDA below them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L
#include "lab/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "gfpoly/methods.h"
#include "gfpoly/operand.h"
#include "gfpoly/poly.h"
#include "product/operand/lab.h"
#include "gpu/seam.h"
#include "product/methods/engine.h"

static const char *const names[] = {"bigfft_gpu", "hybrid_gpu", "multimodular_gpu"};

/* For the chooser, too. */
static gfp_gpu *open_device(void)
{
    gfp_gpu *gpu = gpu_lab_open();
    assert_int_equal(unsetenv("GFPOLY_GPU"), 0);
    return gpu;
}

/* The test is skipped where there is no device. */
static void need_device(void)
{
    gfp_gpu *gpu = open_device();
    gpu_lab_close(gpu);
    gfp_gpu_pool_release();
}

/* Where there is a device: every row serves named fields, multimodular_gpu the others as well. */
static bool rows_serves(const lab *l, const char *name, size_t len_a, size_t len_b)
{
    gfp_method_info info = {.available = false};
    for (size_t i = 0; i < gfp_method_count(); i++) {
        if (strcmp(gfp_method_name(i), name) == 0) {
            assert_int_equal(gfp_method_query(&info, i,
                                              &(gfp_problem){.len_a = len_a, .len_b = len_b},
                                              l->field, NULL),
                             GFP_OK);
        }
    }
    if (!info.available && (l->entry->named || strcmp(name, "multimodular_gpu") == 0)) {
        fail_msg("%s, %s, %zu by %zu is not served: %s", l->entry->text, name, len_a, len_b,
                 info.reason);
    }
    return info.available;
}

typedef struct factors {
    const lab *l;
    gfp_poly a, b, c, expected;
} factors;

static void rows_draw(factors *x, const lab *l, size_t len_a, size_t len_b)
{
    const gfp_options options = {.method = "hybrid"};
    gfp_random g;
    gfp_random_seed(&g, len_a + 1000 * len_b);
    x->l = l;
    gfp_poly_init(&x->a, l->field);
    gfp_poly_init(&x->b, l->field);
    gfp_poly_init(&x->c, l->field);
    gfp_poly_init(&x->expected, l->field);
    assert_int_equal(gfp_poly_random(&x->a, len_a, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&x->b, len_b, &g), GFP_OK);
    assert_int_equal(gfp_poly_mul(&x->expected, &x->a, &x->b, &options), GFP_OK);
}

static void rows_drop(factors *x)
{
    gfp_poly_clear(&x->a);
    gfp_poly_clear(&x->b);
    gfp_poly_clear(&x->c);
    gfp_poly_clear(&x->expected);
}

static void rows_check(factors *x, const char *name, size_t cap)
{
    gfp_error error = {.status = GFP_OK};
    const gfp_options options = {
        .method = name, .error = &error, .threads = 2, .gpu_memory_cap = cap};
    const gfp_status status = gfp_poly_mul(&x->c, &x->a, &x->b, &options);
    if (status == GFP_ERR_MEMORY && cap != 0 && cap < 4000000) {
        return; /* some tables take as much, whatever the length */
    }
    if (status != GFP_OK) {
        fail_msg("%s, %s, %zu by %zu, cap %zu: %s", x->l->entry->text, name, x->a.len, x->b.len,
                 cap, error.message);
    }
    if (!gfp_poly_equal(&x->c, &x->expected)) {
        fail_msg("%s, %s, %zu by %zu, cap %zu: a wrong product", x->l->entry->text, name, x->a.len,
                 x->b.len, cap);
    }
}

/* Runs check_by on factors of several lengths over every field, for each method that serves their
 * products; with `whole', each of two factors is as long as the product. */
static void for_each_method(bool whole, void (*check_by)(factors *x, const char *name))
{
    static const size_t lens[][2] = {{1, 1}, {70, 50}, {1000, 900}, {30, 3000}, {20000, 17000}};
    const size_t most = gpu_lab_serial() ? 2000 : lab_is_short() ? 20000 : 600000; /* digits */
    need_device();
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < sizeof lens / sizeof lens[0] && !gpu_lab_skips(f); i++) {
            factors x;
            if ((lens[i][0] + lens[i][1]) * l->k > most) {
                continue;
            }
            rows_draw(&x, l, lens[i][0], lens[i][1]);
            for (size_t m = 0; m < 3 && x.expected.len > 0; m++) {
                const size_t length = x.a.len + x.b.len - 1;
                if (rows_serves(l, names[m], whole ? length : x.a.len, whole ? length : x.b.len)) {
                    check_by(&x, names[m]);
                }
            }
            rows_drop(&x);
        }
    }
    gfp_gpu_pool_release();
}

static void check_uncapped(factors *x, const char *name)
{
    rows_check(x, name, 0);
}

static void products_are_those_of_the_cpu(void **state)
{
    (void)state;
    for_each_method(false, check_uncapped);
}

static void blocks_and_parts_are_those_of_the_cpu(void **state)
{
    const lab *l = &lab_fields[2];
    const size_t n = lab_is_short() ? 3000 : 40000;
    (void)state;
    need_device();
    if (gpu_lab_serial()) { /* the kernels are those of whole products */
        skip();
    }
    factors x;
    gfp_poly expected;
    gfp_poly_init(&expected, l->field);
    rows_draw(&x, l, n, n - 100);
    for (size_t m = 0; m < 3; m++) {
        if (!rows_serves(l, names[m], x.a.len, x.b.len)) {
            continue;
        }
        gfp_error error = {.status = GFP_OK};
        const gfp_options cpu = {.method = "hybrid"};
        gfp_options options = {.method = names[m], .error = &error};
        for (size_t cap = 40 * n * l->k * 8; cap > 4 * n * l->k * 8; cap /= 3) {
            rows_check(&x, names[m], cap);
        }
        assert_int_equal(gfp_poly_mulmid(&expected, &x.a, &x.b, n / 2, n, &cpu), GFP_OK);
        for (int capped = 0; capped < 2; capped++) {
            options.gpu_memory_cap = capped ? 20 * n * l->k * 8 : 0;
            lab_expect_status(gfp_poly_mulmid(&x.c, &x.a, &x.b, n / 2, n, &options), GFP_OK, &error,
                              names[m]);
            assert_true(gfp_poly_equal(&x.c, &expected));
        }
    }
    gfp_poly_clear(&expected);
    rows_drop(&x);
    gfp_gpu_pool_release();
}

/* A square in blocks multiplies each pair of pieces once. */
static void squares_in_blocks_are_those_of_the_cpu(void **state)
{
    const lab *l = &lab_fields[2];
    const size_t n = lab_is_short() ? 3000 : 40000;
    const gfp_options cpu = {.method = "hybrid"};
    (void)state;
    need_device();
    if (gpu_lab_serial()) { /* the kernels are those of whole products */
        skip();
    }
    factors x;
    rows_draw(&x, l, n, 1);
    assert_int_equal(gfp_poly_sqr(&x.expected, &x.a, &cpu), GFP_OK);
    for (size_t m = 0; m < 3; m++) {
        for (size_t cap = 40 * n * l->k * 8; cap > 10 * n * l->k * 8; cap /= 2) {
            gfp_error error = {.status = GFP_OK};
            const gfp_options options = {
                .method = names[m], .error = &error, .gpu_memory_cap = cap};
            if (rows_serves(l, names[m], n, n)) {
                const gfp_status status = gfp_poly_sqr(&x.c, &x.a, &options);
                assert_true(status == GFP_OK || (status == GFP_ERR_MEMORY && cap < 4000000));
                assert_true(status != GFP_OK || gfp_poly_equal(&x.c, &x.expected));
            }
        }
    }
    rows_drop(&x);
    gfp_gpu_pool_release();
}

/* Products by one operand, transformed once; parts of them, sums, and squares of operands. */
static void check_operands(factors *x, const char *name)
{
    gfp_error error = {.status = GFP_OK};
    const gfp_options options = {.method = name, .error = &error, .threads = 2};
    const gfp_options cpu = {.method = "hybrid"};
    const size_t length = x->a.len + x->b.len - 1;
    gfp_operand *a = NULL, *b = NULL;
    gfp_poly part;
    gfp_poly_init(&part, x->l->field);
    lab_expect_status(operand_of(&b, &x->b, (gfp_space_spec){length, 1, GFP_WRAP_LINEAR}, &options),
                      GFP_OK, &error, name);
    assert_string_equal(gfp_space_get_info(gfp_operand_space(b)).method, name);
    assert_int_equal(operand_like(&a, b, &x->a, &options), GFP_OK);
    for (int i = 0; i < 2; i++) {
        lab_expect_status(gfp_poly_mul_operand(&x->c, 0, SIZE_MAX, &x->a, b, &options), GFP_OK,
                          &error, name);
        assert_true(gfp_poly_equal(&x->c, &x->expected));
    }
    assert_int_equal(gfp_poly_mul_operand(&x->c, length / 3, length / 2, &x->b, a, NULL), GFP_OK);
    assert_int_equal(gfp_poly_mulmid(&part, &x->a, &x->b, length / 3, length / 2, &cpu), GFP_OK);
    assert_true(gfp_poly_equal(&x->c, &part));
    assert_int_equal(gfp_operand_arith(b, a, b, GFP_OPERAND_ADDMUL), GFP_OK); /* b + a b */
    assert_int_equal(gfp_poly_from_operand(&x->c, 0, SIZE_MAX, b, NULL), GFP_OK);
    assert_int_equal(gfp_poly_add(&part, &x->expected, &x->b), GFP_OK);
    assert_true(gfp_poly_equal(&x->c, &part));
    gfp_operand_destroy(a);
    gfp_operand_destroy(b);
    gfp_poly_clear(&part);
}

static void operands_are_those_of_the_cpu(void **state)
{
    (void)state;
    for_each_method(true, check_operands);
}

/* From and to memory of gfp_gpu_host_allocate, and pageable memory. */
static void check_batch(gfp_gpu *gpu, const lab *l, const gfp_batch *batch, const char *name)
{
    const size_t k = l->k, n = batch->count, len_c = batch->len_a + batch->len_b - 1;
    const size_t words_a = n * batch->len_a * k, words_b = n * batch->len_b * k;
    const size_t words_c = n * len_c * k;
    gfp_error error = {.status = GFP_OK};
    const gfp_options options = {.method = name, .error = &error, .threads = 2};
    const gfp_options cpu = {.method = "hybrid"};
    void *block = NULL;
    gpu_lab_ok(gpu, gfp_gpu_host_allocate(&block, gpu, (words_a + words_b + words_c) * 8, NULL),
               "page-locked memory");
    uint64_t *a = block, *b = a + words_a, *c = b + words_b;
    uint64_t *expected = lab_array(words_c), *usual = lab_array(words_a);
    gfp_random g;
    gfp_random_seed(&g, n);
    gfp_vec_random(l->field, a, n * batch->len_a, &g);
    gfp_vec_random(l->field, b, n * batch->len_b, &g);
    memcpy(usual, a, words_a * 8);
    assert_int_equal(gfp_vec_mul_batch(l->field, expected, a, b, batch, &cpu), GFP_OK);
    for (int way = 0; way < 2; way++) {
        memset(c, 0, words_c * 8);
        lab_expect_status(gfp_vec_mul_batch(l->field, c, way == 0 ? a : usual, b, batch, &options),
                          GFP_OK, &error, name);
        assert_memory_equal(c, expected, words_c * 8);
    }
    gfp_gpu_host_release(block, gpu);
    lab_free(expected);
    lab_free(usual);
}

static void batches_are_those_of_the_cpu(void **state)
{
    static const gfp_batch batches[] = {{1, 5000, 4000, 0, 0, 0},
                                        {20, 100, 90, 0, 0, 0},
                                        {1500, 64, 64, 0, 0, 0},
                                        {2300, 64, 64, 0, 0, 0}};
    (void)state;
    need_device();
    gfp_gpu *gpu = open_device();
    const lab *l = &lab_fields[2];
    for (size_t i = 0; i < (lab_is_short() ? 2 : 4); i++) {
        for (size_t m = 0; m < 3; m++) {
            if (rows_serves(l, names[m], batches[i].len_a, batches[i].len_b)) {
                check_batch(gpu, l, &batches[i], names[m]);
            }
        }
    }
    gfp_gpu_pool_release();
    gpu_lab_close(gpu);
}

#if GFP_HAVE_CUDA /* only with CUDA can calls of CUDA be made to fail */
/* Returns whether the fault occurred. A fault of a named method is the status; otherwise the CPU
 * computes the product. */
static bool check_fault(factors *x, gfp_gpu_fault fault, uint64_t nth, const char *name)
{
    gfp_error error = {.status = GFP_OK};
    const gfp_options options = {.method = name, .error = &error};
    gfp_poly_zero(&x->c);
    gfp_gpu_seam_arm(fault, nth);
    const gfp_status status = gfp_poly_mul(&x->c, &x->a, &x->b, &options);
    const bool came = gfp_gpu_seam_calls() >= nth;
    gfp_gpu_seam_arm(GFP_GPU_FAULT_NONE, 0);
    if (status == GFP_OK) {
        assert_true(gfp_poly_equal(&x->c, &x->expected));
    } else {
        assert_true(came);
        assert_true(gfp_poly_is_zero(&x->c));
        assert_true(error.status == status && error.message[0] != '\0');
        assert_true(status == GFP_ERR_DEVICE || status == GFP_ERR_MEMORY ||
                    status == GFP_ERR_UNAVAILABLE);
    }
    return came;
}

/* The same for an operand, from its creation to a product by it. */
static bool check_operand_fault(factors *x, gfp_gpu_fault fault, uint64_t nth, const char *name)
{
    gfp_error error = {.status = GFP_OK};
    const gfp_options options = {.method = name, .error = &error};
    gfp_operand *b = NULL;
    gfp_poly_zero(&x->c);
    gfp_gpu_seam_arm(fault, nth);
    gfp_status status = operand_of(
        &b, &x->b, (gfp_space_spec){x->a.len + x->b.len - 1, 1, GFP_WRAP_LINEAR}, &options);
    if (status == GFP_OK) {
        status = gfp_poly_mul_operand(&x->c, 0, SIZE_MAX, &x->a, b, &options);
    }
    const bool came = gfp_gpu_seam_calls() >= nth;
    gfp_gpu_seam_arm(GFP_GPU_FAULT_NONE, 0);
    gfp_operand_destroy(b);
    if (status == GFP_OK) {
        assert_true(gfp_poly_equal(&x->c, &x->expected));
    } else {
        assert_true(came && gfp_poly_is_zero(&x->c));
        assert_true(error.status == status && error.message[0] != '\0');
    }
    return came;
}

/* Opens a device in the pool on which no call has failed. */
static void open_pool(const factors *x, const char *name)
{
    gfp_gpu_pool_release();
    (void)rows_serves(x->l, name, 1, 1);
}

static void every_failing_call_is_survived(void **state)
{
    static const gfp_gpu_fault faults[] = {GFP_GPU_FAULT_MEMORY, GFP_GPU_FAULT_LAUNCH,
                                           GFP_GPU_FAULT_LOST};
    (void)state;
    need_device();
    factors x;
    rows_draw(&x, &lab_fields[2], 1200, 1100);
    for (size_t m = 0; m < 3; m++) {
        const uint64_t step = lab_is_short() ? 7 : 1;
        for (size_t i = 0; i < 3 && rows_serves(x.l, names[m], x.a.len, x.b.len); i++) {
            bool came = true;
            for (uint64_t nth = 1; came; nth += step) {
                open_pool(&x, names[m]);
                came = check_fault(&x, faults[i], nth, names[m]);
                open_pool(&x, names[m]); /* the first may have lost the device */
                came = check_operand_fault(&x, faults[i], nth, names[m]) || came;
            }
        }
        if (rows_serves(x.l, names[m], x.a.len, x.b.len)) {
            rows_check(&x, names[m], 0);
        }
    }
    rows_drop(&x);
    gfp_gpu_pool_release();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_cpu),
        cmocka_unit_test(blocks_and_parts_are_those_of_the_cpu),
        cmocka_unit_test(squares_in_blocks_are_those_of_the_cpu),
        cmocka_unit_test(operands_are_those_of_the_cpu),
        cmocka_unit_test(batches_are_those_of_the_cpu),
#if GFP_HAVE_CUDA
        cmocka_unit_test(every_failing_call_is_survived),
#endif
    };
    return cmocka_run_group_tests(tests, gpu_lab_setup, gpu_lab_teardown);
}
