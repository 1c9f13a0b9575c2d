/* limbs.c: radix conversion on the device against the CPU's: every test field, both
 * directions, integers shorter and longer than p; refusals.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/gpu.h"

#include <string.h>

#include "gpu/arrays.h"

static gfp_gpu_limbs_plan *plan_of(gfp_gpu *gpu, const lab *l, size_t size)
{
    gfp_gpu_limbs_plan *plan = NULL;
    gpu_lab_ok(gpu, gfp_gpu_limbs_plan_create(&plan, gpu, l->field, size, NULL), "plan");
    return plan;
}

static void check_set(gfp_gpu *gpu, const lab *l, size_t size, size_t n)
{
    uint64_t *limbs = lab_array(n * size), *expected = lab_array(n * l->k);
    uint64_t *random = gpu_lab_random(l, n * size / l->k + 1, size);
    memcpy(limbs, random, n * size * sizeof *limbs);
    memset(limbs, 0xff, size * sizeof *limbs);
    gfp_vec_set_limbs_mod(l->field, expected, limbs, size, size, n);
    gfp_gpu_limbs_plan *plan = plan_of(gpu, l, size);
    assert_int_equal(gfp_gpu_limbs_plan_size(plan), size);
    assert_int_equal(gfp_gpu_limbs_plan_bytes(plan), gfp_gpu_memory_used(gpu));
    gfp_gpu_array *from = gpu_lab_upload(gpu, limbs, n * size);
    gfp_gpu_array *to = gpu_lab_array(gpu, n * l->k);
    gpu_lab_ok(gpu, gfp_gpu_set_limbs_mod(plan, to, from, n), "from integers");
    gpu_lab_expect(l, to, expected, n, "integers of this number of words", size, n);
    gfp_gpu_array_destroy(from);
    gfp_gpu_array_destroy(to);
    gfp_gpu_limbs_plan_destroy(plan);
    lab_free(random);
    lab_free(limbs);
    lab_free(expected);
}

static void check_get(gfp_gpu *gpu, const lab *l, size_t more, size_t n)
{
    const size_t size = gfp_field_limbs(l->field) + more;
    uint64_t *x = lab_vector(l, n, 0), *expected = lab_array(n * size), *got = lab_array(n * size);
    memset(expected, 0, n * size * sizeof *expected);
    gfp_vec_get_limbs(l->field, expected, size, x, n);
    gfp_gpu_limbs_plan *plan = plan_of(gpu, l, more == 0 ? 0 : size);
    gfp_gpu_array *from = gpu_lab_upload(gpu, x, n * l->k);
    gfp_gpu_array *to = gpu_lab_array(gpu, n * size);
    gpu_lab_ok(gpu, gfp_gpu_get_limbs(plan, to, from, n), "to integers");
    gpu_lab_ok(gpu, gfp_gpu_download(got, to, 0, n * size), "download");
    if (memcmp(got, expected, n * size * sizeof *got) != 0) {
        fail_msg("%s: %zu elements to integers of %zu words", l->entry->text, n, size);
    }
    gfp_gpu_array_destroy(from);
    gfp_gpu_array_destroy(to);
    gfp_gpu_limbs_plan_destroy(plan);
    lab_free(x);
    lab_free(expected);
    lab_free(got);
}

static void conversions_agree_with_the_cpu(void **state)
{
    (void)state;
    gfp_gpu *gpu = gpu_lab_open();
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        if (!gpu_lab_skips(f)) {
            const size_t limbs = gfp_field_limbs(l->field);
            check_set(gpu, l, 1, 3);
            check_set(gpu, l, limbs, 1);
            check_set(gpu, l, limbs, 300);
            check_set(gpu, l, limbs + 7, 129);
            check_get(gpu, l, 0, 300);
            check_get(gpu, l, 0, 1);
            check_get(gpu, l, 9, 129);
        }
    }
    gpu_lab_close(gpu);
}

static void what_is_refused(void **state)
{
    (void)state;
    gfp_gpu *gpu = gpu_lab_open();
    const lab *l = &lab_fields[2];
    const size_t limbs = gfp_field_limbs(l->field);
    gfp_error error = {0};
    gfp_gpu_limbs_plan *plan = NULL;
    lab_expect_status(gfp_gpu_limbs_plan_create(&plan, gpu, l->field, 4097, &error),
                      GFP_ERR_ARGUMENT, &error, "numbers of 4097 words");
    assert_null(plan);
    plan = plan_of(gpu, l, limbs - 1);
    gfp_gpu_array *array = gpu_lab_array(gpu, 64 * l->k);
    gfp_gpu_array *other = gpu_lab_array(gpu, 64 * l->k);
    assert_int_equal(gfp_gpu_get_limbs(plan, other, array, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_set_limbs_mod(plan, array, array, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_set_limbs_mod(plan, other, array, 65), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_set_limbs_mod(plan, other, array, SIZE_MAX), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_set_limbs_mod(plan, other, array, 0), GFP_OK);
    gfp_gpu_array_destroy(array);
    gfp_gpu_array_destroy(other);
    gfp_gpu_limbs_plan_destroy(plan);
    gfp_gpu_limbs_plan_destroy(NULL);
    gpu_lab_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions_agree_with_the_cpu),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, gpu_lab_setup, gpu_lab_teardown);
}
