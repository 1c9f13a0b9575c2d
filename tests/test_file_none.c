/* test_file_none.c: the functions on mapped files for systems without POSIX (poly/file_none.c):
 * every call returns UNAVAILABLE and changes nothing.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "gfpoly.h"

static gfp_error error;

/* Checks the status of a call and its message in `error`. */
static void expect_unavailable(gfp_status status)
{
    assert_int_equal(status, GFP_ERR_UNAVAILABLE);
    assert_int_equal(error.status, GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "POSIX"));
    error = (gfp_error){.status = GFP_OK};
}

static void test_calls_on_files_are_unavailable(void **state)
{
    static char place;
    gfp_file *const before = (gfp_file *)(void *)&place;
    gfp_file *file = before;
    const gfp_options options = {.error = &error};
    size_t length = 7;
    (void)state;
    expect_unavailable(gfp_file_open(&file, "a.gfp", NULL, NULL, &error));
    expect_unavailable(gfp_file_create(&file, "a.gfp", NULL, 1, &error));
    assert_ptr_equal(file, before);
    expect_unavailable(gfp_file_commit(NULL, &error));
    expect_unavailable(gfp_poly_load(NULL, "a.gfp", &error));
    expect_unavailable(gfp_poly_store(NULL, "a.gfp", &error));
    expect_unavailable(gfp_file_mul(NULL, NULL, NULL, &options));
    expect_unavailable(gfp_file_forward(NULL, NULL, GFP_ORDER_NATURAL, &options));
    expect_unavailable(gfp_file_inverse(NULL, NULL, GFP_ORDER_NATURAL, &options));
    assert_int_equal(gfp_file_product_length(NULL, NULL, &length), GFP_ERR_UNAVAILABLE);
    assert_int_equal(length, 7);
}

static void test_messages_are_optional(void **state)
{
    (void)state;
    assert_int_equal(gfp_file_commit(NULL, NULL), GFP_ERR_UNAVAILABLE);
    assert_int_equal(gfp_file_mul(NULL, NULL, NULL, NULL), GFP_ERR_UNAVAILABLE);
}

static void test_no_file_has_properties(void **state)
{
    (void)state;
    assert_null(gfp_file_field(NULL));
    assert_int_equal(gfp_file_length(NULL), 0);
    assert_null(gfp_file_digits(NULL));
    assert_null(gfp_file_digits_mutable(NULL));
    assert_null(gfp_file_temporary(NULL));
    gfp_file_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_on_files_are_unavailable),
        cmocka_unit_test(test_messages_are_optional),
        cmocka_unit_test(test_no_file_has_properties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
