/* calls.c: calls on series: arguments, outputs that are inputs, reports. A call that fails leaves
 * its output as it was.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/division/lab.h"
#include "poly/series/lab.h"

#include <string.h>

/* ---- arguments ---- */

/* A constant term that is 0 where it must not be, or not what it must be. */
static void wrong_constant_terms(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    for (size_t i = 0; i < OPERATIONS; i++) {
        const operation *o = &operations[i];
        if (o->run == third_power || o->run == large_power || o->run == taylor_shift) {
            continue; /* these take any */
        }
        for (uint64_t value = 0; value < 3; value++) {
            const gfp_status expected = o->constant == UNIT && value == 0   ? GFP_ERR_NOT_INVERTIBLE
                                        : o->constant == ONE && value != 1  ? GFP_ERR_ARGUMENT
                                        : o->constant == ZERO && value != 0 ? GFP_ERR_ARGUMENT
                                                                            : GFP_OK;
            series s;
            lab_make(&s, field, 40, 40, 1);
            assert_int_equal(gfp_poly_set_coeff_u64(&s.a, 0, value), GFP_OK);
            for (size_t n = 1; n < 60; n += 19) {
                assert_int_equal(gfp_poly_one(&s.z), GFP_OK);
                lab_expect_status(o->run(&s.z, &s.a, &s.b, n, &options), expected, &error, o->name);
                if (expected != GFP_OK) {
                    assert_int_equal(error.index, 0);
                    assert_true(gfp_poly_is_one(&s.z));
                }
            }
            /* 0 has no coefficient at all. */
            gfp_poly_zero(&s.a);
            lab_expect_status(o->run(&s.z, &s.a, &s.b, 40, &options),
                              o->constant == UNIT  ? GFP_ERR_NOT_INVERTIBLE
                              : o->constant == ONE ? GFP_ERR_ARGUMENT
                                                   : GFP_OK,
                              &error, o->name);
            lab_clear(&s);
        }
    }
}

static void fields_that_are_too_small(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("4^2+1")->field; /* 17 elements */
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    for (size_t i = 0; i < OPERATIONS; i++) {
        for (size_t n = 16; n < 20; n++) {
            series s;
            lab_make(&s, field, n, n, n);
            while (s.a.len < n) {
                assert_int_equal(gfp_poly_set_coeff_u64(&s.a, n - 1, 1), GFP_OK);
            }
            lab_adapt(&s, &operations[i]);
            assert_int_equal(gfp_poly_one(&s.z), GFP_OK);
            const bool fails = operations[i].divides && n > 17;
            assert_true(fails == too_small(&operations[i], &s, n));
            lab_expect_status(operations[i].run(&s.z, &s.a, &s.b, n, &options),
                              fails ? GFP_ERR_UNAVAILABLE : GFP_OK, &error, operations[i].name);
            assert_true(!fails || gfp_poly_is_one(&s.z));
            lab_clear(&s);
        }
    }
}

static void no_coefficients_at_all(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    series s;
    lab_make(&s, field, 5, 0, 1);
    /* Modulo X^0 everything is 0, whatever the divisor. */
    for (size_t i = 0; i < OPERATIONS; i++) {
        if (operations[i].run == taylor_shift) {
            continue; /* its length is the polynomial's */
        }
        assert_int_equal(gfp_poly_one(&s.z), GFP_OK);
        assert_int_equal(operations[i].run(&s.z, &s.a, &s.b, 0, NULL), GFP_OK);
        assert_int_equal(s.z.len, 0);
    }
    assert_int_equal(gfp_vec_inv_series(field, NULL, 0, NULL, 0, NULL), GFP_OK);
    assert_int_equal(gfp_vec_div_series(field, NULL, 0, NULL, 0, NULL, 0, NULL), GFP_OK);
    /* 0 by something. */
    for (size_t n = 1; n < 70; n += 17) {
        assert_int_equal(gfp_poly_one(&s.z), GFP_OK);
        assert_int_equal(gfp_poly_div_series(&s.z, &s.b, &s.a, n, NULL), GFP_OK);
        assert_int_equal(s.z.len, 0);
    }
    lab_clear(&s);
}

static void bad_arguments(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    uint64_t one[8] = {1}, z[8] = {5};
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    series s, other;
    lab_make(&s, field, 5, 5, 1);
    lab_make(&other, lab_named("p4")->field, 5, 5, 1);
    lab_expect_status(gfp_vec_inv_series(NULL, z, 1, one, 1, &options), GFP_ERR_ARGUMENT, &error,
                      "no field");
    lab_expect_status(gfp_vec_inv_series(field, NULL, 1, one, 1, &options), GFP_ERR_ARGUMENT,
                      &error, "no output");
    lab_expect_status(gfp_vec_inv_series(field, z, 1, NULL, 1, &options), GFP_ERR_ARGUMENT, &error,
                      "no input");
    lab_expect_status(gfp_vec_div_series(field, z, 1, NULL, 1, one, 1, &options), GFP_ERR_ARGUMENT,
                      &error, "no dividend");
    lab_expect_status(gfp_poly_inv_series(&s.z, NULL, 5, &options), GFP_ERR_ARGUMENT, &error,
                      "no polynomial");
    for (size_t i = 0; i < OPERATIONS; i++) {
        lab_expect_status(operations[i].run(&s.z, &other.a, &s.b, 5, &options),
                          GFP_ERR_FIELD_MISMATCH, &error, operations[i].name);
        gfp_options unknown = options;
        unknown.method = "none";
        lab_adapt(&s, &operations[i]);
        lab_expect_status(operations[i].run(&s.z, &s.a, &s.b, 40, &unknown), GFP_ERR_UNKNOWN,
                          &error, operations[i].name);
        if (operations[i].run == taylor_shift) {
            continue;
        }
        const gfp_status status = operations[i].run(&s.z, &s.a, &s.b, SIZE_MAX / 2, &options);
        assert_true(status == GFP_ERR_SIZE || status == GFP_ERR_MEMORY);
        assert_int_equal(error.status, status);
    }
    assert_int_equal(gfp_vec_inv_series(field, z, SIZE_MAX / 64, one, 1, &options), GFP_ERR_SIZE);
    assert_true(z[0] == 5);
    lab_clear(&s);
    lab_clear(&other);
}

static void outputs_may_be_inputs(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    for (size_t n = 5; n < 100; n += 31) {
        for (size_t i = 0; i < OPERATIONS; i++) {
            series s;
            lab_make(&s, field, n, n + 2, n);
            lab_adapt(&s, &operations[i]);
            assert_int_equal(operations[i].run(&s.expected, &s.a, &s.b, n + 9, NULL), GFP_OK);
            assert_int_equal(gfp_poly_set(&s.z, &s.a), GFP_OK);
            assert_int_equal(operations[i].run(&s.z, &s.z, &s.b, n + 9, NULL), GFP_OK);
            expect_equal(&s.z, &s.expected, operations[i].name, n + 9, n);
            assert_int_equal(gfp_poly_set(&s.z, &s.b), GFP_OK);
            assert_int_equal(operations[i].run(&s.z, &s.a, &s.z, n + 9, NULL), GFP_OK);
            expect_equal(&s.z, &s.expected, operations[i].name, n + 9, n);
            lab_clear(&s);
        }
    }
    /* Arrays that overlap anyhow. */
    uint64_t *x = lab_array(60 * 8), *expected = lab_array(50 * 8);
    gfp_random g;
    gfp_random_seed(&g, 4);
    gfp_vec_random(field, x, 60, &g);
    assert_int_equal(gfp_vec_div_series(field, expected, 50, x, 40, x + 7 * 8, 50, NULL), GFP_OK);
    assert_int_equal(gfp_vec_div_series(field, x + 3 * 8, 50, x, 40, x + 7 * 8, 50, NULL), GFP_OK);
    assert_true(gfp_vec_equal(field, x + 3 * 8, expected, 50));
    lab_free(x);
    lab_free(expected);
}

static void series_calls_reports(void **state)
{
    (void)state;
    gfp_report report = {0};
    series s;
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .report = &report, .threads = 1};
    lab_make(&s, lab_named("p8")->field, 100, 100, 1);
    for (size_t i = 0; i < OPERATIONS; i++) {
        lab_adapt(&s, &operations[i]);
        assert_int_equal(operations[i].run(&s.z, &s.a, &s.b, 100, &options), GFP_OK);
        assert_string_equal(report.method, "hybrid");
        assert_int_equal(report.verified, GFP_VERIFY_POINT);
        assert_int_equal(report.threads, 1);
        assert_in_range(report.points, 1, 2);
        assert_true(report.log2_error < -40 && report.multiply_ns > 0 && report.verify_ns > 0);
        if (operations[i].run != taylor_shift && operations[i].run != third_power) {
            assert_int_equal(operations[i].run(&s.z, &s.a, &s.b, 4, &options), GFP_OK);
            assert_string_equal(report.method, "classical");
        }
    }
    lab_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_constant_terms),   cmocka_unit_test(fields_that_are_too_small),
        cmocka_unit_test(no_coefficients_at_all), cmocka_unit_test(bad_arguments),
        cmocka_unit_test(outputs_may_be_inputs),  cmocka_unit_test(series_calls_reports),
    };
    return cmocka_run_group_tests(tests, NULL, lab_teardown); /* fields are opened one by one */
}
