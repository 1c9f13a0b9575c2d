/* tuning_thresholds.c: the part of test_tuning about thresholds of operations and factors of costs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "tuning_lab.h"

/* ---- thresholds ---- */

static gfp_status enter(gfp_tuning *tuning, const char *name, unsigned k, uint64_t value)
{
    return gfp_tuning_set_threshold(tuning, &(gfp_tuning_threshold){name, k, value});
}

static void expect_threshold(const gfp_tuning *tuning, size_t index, const char *name, unsigned k,
                             uint64_t value)
{
    gfp_tuning_threshold found = {.name = NULL};
    assert_int_equal(gfp_tuning_get_threshold(tuning, index, &found), GFP_OK);
    assert_string_equal(found.name, name);
    assert_int_equal(found.k, k);
    assert_true(found.value == value);
}

/* Three rows and five thresholds, one of a name that no operation knows, one not measured. */
static gfp_tuning *sample_with_thresholds(void)
{
    gfp_tuning *tuning = sample();
    assert_int_equal(enter(tuning, "division", 8, 9), GFP_OK);
    assert_int_equal(enter(tuning, "half_gcd", 4, 0), GFP_OK);
    assert_int_equal(enter(tuning, "what_comes_later", 256, GFP_TUNING_MAX_THRESHOLD), GFP_OK);
    assert_int_equal(enter(tuning, "tree_leaf", 64, GFP_TUNING_UNMEASURED), GFP_OK);
    assert_int_equal(enter(tuning, "half_gcd", 8, 1), GFP_OK);
    assert_int_equal(enter(tuning, "half_gcd", 8, 17), GFP_OK);
    return tuning;
}

static void expect_sample_thresholds(const gfp_tuning *tuning)
{
    assert_int_equal(gfp_tuning_threshold_count(tuning), 5);
    expect_threshold(tuning, 0, "half_gcd", 4, 0);
    expect_threshold(tuning, 1, "division", 8, 9);
    expect_threshold(tuning, 2, "half_gcd", 8, 17);
    expect_threshold(tuning, 3, "tree_leaf", 64, GFP_TUNING_UNMEASURED);
    expect_threshold(tuning, 4, "what_comes_later", 256, GFP_TUNING_MAX_THRESHOLD);
}

static void thresholds_come_back(void **state)
{
    char text[TEXT_SIZE], again[TEXT_SIZE];
    gfp_tuning_threshold found = {.k = 77};
    (void)state;
    gfp_tuning *tuning = sample_with_thresholds(), *alone = empty();
    expect_sample_thresholds(tuning);
    assert_int_equal(gfp_tuning_get_threshold(tuning, 5, &found), GFP_ERR_ARGUMENT);
    assert_int_equal(found.k, 77);
    write_text(tuning, text);
    assert_non_null(strstr(text, "\nthreshold half_gcd k=4 0\nthreshold division k=8 9\n"));
    assert_non_null(strstr(text, "\nthreshold tree_leaf k=64 unmeasured\n"));
    gfp_tuning *copy = read_text(text);
    expect_sample_thresholds(copy);
    assert_int_equal(gfp_tuning_count(copy), 3);
    write_text(copy, again);
    assert_string_equal(again, text);
    gfp_tuning_destroy(copy);
    /* Without rows. */
    assert_int_equal(enter(alone, "modulus", 2, 5), GFP_OK);
    write_text(alone, text);
    copy = read_text(text);
    assert_int_equal(gfp_tuning_count(copy), 0);
    expect_threshold(copy, 0, "modulus", 2, 5);
    gfp_tuning_destroy(copy);
    gfp_tuning_destroy(alone);
    gfp_tuning_destroy(tuning);
}

static void bad_thresholds_are_refused(void **state)
{
    (void)state;
    gfp_tuning *tuning = sample_with_thresholds();
    assert_int_equal(enter(tuning, NULL, 8, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(enter(tuning, "", 8, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(enter(tuning, "half gcd", 8, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(enter(tuning, "half\ngcd", 8, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(enter(tuning, "a23456789012345678901234", 8, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(enter(tuning, "half_gcd", 0, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(enter(tuning, "half_gcd", 6, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(enter(tuning, "half_gcd", 512, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(enter(tuning, "half_gcd", 8, GFP_TUNING_MAX_THRESHOLD + 1), GFP_ERR_ARGUMENT);
    assert_int_equal(enter(tuning, "half_gcd", 8, GFP_TUNING_UNMEASURED - 1), GFP_ERR_ARGUMENT);
    expect_sample_thresholds(tuning);
    gfp_tuning_destroy(tuning);
}

static const damage damaged_thresholds[] = {
    {"threshold half_gcd k=4", "threshold", 10, GFP_ERR_PARSE, "without its end"},
    {"threshold half_gcd k=4 0", "threshold", 10, GFP_ERR_PARSE, "threshold NAME"},
    {"half_gcd k=4", "half_gcd l=4", 10, GFP_ERR_PARSE, "k="},
    {"half_gcd k=4 0", "half_gcd k=4", 10, GFP_ERR_PARSE, "a space"},
    {"half_gcd k=4 0", "half_gcd k=4 ", 10, GFP_ERR_PARSE, "a number is missing"},
    {"half_gcd k=4 0", "half_gcd k=4 -1", 10, GFP_ERR_PARSE, "a number is missing"},
    {"half_gcd k=4 0", "half_gcd k=4 0 0", 10, GFP_ERR_PARSE, "something follows"},
    {"half_gcd k=4 0", "half_gcd k=4 unmeasured 0", 10, GFP_ERR_PARSE, "something follows"},
    {"half_gcd k=4 0", "half_gcd k=4 unmeasure", 10, GFP_ERR_PARSE, "a number is missing"},
    {"half_gcd k=4 0", "half_gcd k=4 18446744073709551615", 10, GFP_ERR_RANGE, "too large"},
    {"half_gcd k=4 0", "half_gcd k=4 1099511627777", 10, GFP_ERR_RANGE, "too large"},
    {"half_gcd k=4", "half_gcd k=6", 10, GFP_ERR_RANGE, "power of two"},
    {"half_gcd k=4", "half_gcd k=0", 10, GFP_ERR_RANGE, "power of two"},
    {"half_gcd k=4", "half_gcd k=512", 10, GFP_ERR_RANGE, "too large"},
    {"half_gcd k=4", "Half-gcd k=4", 10, GFP_ERR_RANGE, "no name"},
    {"half_gcd k=4", "half_gcd_half_gcd_half_gcd k=4", 10, GFP_ERR_PARSE, "too long"},
    {"half_gcd k=4", "half_gcd k=8", 11, GFP_ERR_RANGE, "not in ascending order"},
    {"division k=8 9", "half_gcd k=4 9", 11, GFP_ERR_RANGE, "not in ascending order"},
    {"threshold division", "operation product threads=1\nthreshold division", 11, GFP_ERR_PARSE,
     "expected \"threshold\", \"factor\" or \"end\""},
    {"threshold division", "field k=8 r=2\nthreshold division", 11, GFP_ERR_PARSE,
     "expected \"threshold\", \"factor\" or \"end\""},
    {"\n64 64 ", "\nthreshold division k=2 1\n64 64 ", 10, GFP_ERR_PARSE,
     "expected \"threshold\", \"factor\" or \"end\""},
    {"\n16 16 ", "\nthreshold division k=2 1\n16 16 ", 6, GFP_ERR_PARSE, "has no rows"},
};

static void malformed_thresholds_change_nothing(void **state)
{
    (void)state;
    gfp_tuning *tuning = sample_with_thresholds();
    expect_damages(tuning, damaged_thresholds,
                   sizeof damaged_thresholds / sizeof damaged_thresholds[0]);
    expect_sample_thresholds(tuning);
    gfp_tuning_destroy(tuning);
}

static void merging_takes_the_newer_thresholds(void **state)
{
    (void)state;
    gfp_tuning *into = sample_with_thresholds(), *from = empty();
    gfp_error error = {.message = ""};
    char name[] = "a0";
    assert_int_equal(enter(from, "half_gcd", 8, 30), GFP_OK);
    assert_int_equal(enter(from, "modulus", 2, 7), GFP_OK);
    assert_int_equal(gfp_tuning_merge(into, from, &error), GFP_OK);
    assert_int_equal(gfp_tuning_threshold_count(into), 6);
    expect_threshold(into, 0, "modulus", 2, 7);
    expect_threshold(into, 1, "half_gcd", 4, 0);
    expect_threshold(into, 3, "half_gcd", 8, 30);
    expect_threshold(into, 4, "tree_leaf", 64, GFP_TUNING_UNMEASURED);
    assert_int_equal(gfp_tuning_merge(into, into, &error), GFP_OK);
    assert_int_equal(gfp_tuning_threshold_count(into), 6);
    /* Too many. */
    for (size_t i = 2; i < GFP_TUNING_MAX_THRESHOLDS; i++) {
        name[0] = (char)('a' + i % 26);
        name[1] = (char)('a' + i / 26);
        assert_int_equal(enter(from, name, 64, i), GFP_OK);
    }
    assert_int_equal(enter(from, "modulus", 64, 1), GFP_ERR_SIZE);
    assert_int_equal(enter(from, "modulus", 2, 8), GFP_OK);
    assert_int_equal(gfp_tuning_merge(into, from, &error), GFP_ERR_SIZE);
    assert_non_null(strstr(error.message, "thresholds"));
    assert_int_equal(gfp_tuning_threshold_count(into), 6);
    assert_int_equal(gfp_tuning_count(into), 3);
    expect_threshold(into, 0, "modulus", 2, 7);
    gfp_tuning_destroy(from);
    gfp_tuning_destroy(into);
}

/* ---- factors ---- */

static gfp_status set_factor(gfp_tuning *tuning, const char *name, double value)
{
    return gfp_tuning_set_factor(tuning, &(gfp_tuning_factor){name, value});
}

static void expect_factor(const gfp_tuning *tuning, size_t index, const char *name, double value)
{
    gfp_tuning_factor found = {.name = NULL};
    assert_int_equal(gfp_tuning_get_factor(tuning, index, &found), GFP_OK);
    assert_string_equal(found.name, name);
    assert_true(fabs(found.value - value) < 1e-9);
}

static gfp_tuning *sample_with_factors(void)
{
    gfp_tuning *tuning = sample_with_thresholds();
    assert_int_equal(set_factor(tuning, "z_images", 1.25), GFP_OK);
    assert_int_equal(set_factor(tuning, "a_later_one", 0.001), GFP_OK);
    assert_int_equal(set_factor(tuning, "z_flint", GFP_TUNING_MAX_FACTOR), GFP_OK);
    return tuning;
}

static void expect_sample_factors(const gfp_tuning *tuning)
{
    assert_int_equal(gfp_tuning_factor_count(tuning), 3);
    expect_factor(tuning, 0, "a_later_one", 0.001);
    expect_factor(tuning, 1, "z_flint", GFP_TUNING_MAX_FACTOR);
    expect_factor(tuning, 2, "z_images", 1.25);
    expect_sample_thresholds(tuning);
}

static void factors_come_back(void **state)
{
    gfp_tuning_factor found = {.value = 77};
    gfp_error error = {.message = ""};
    char text[TEXT_SIZE];
    (void)state;
    gfp_tuning *tuning = sample_with_factors(), *other = empty();
    write_text(tuning, text);
    assert_non_null(strstr(text, "\nfactor a_later_one 1\nfactor z_flint 1000000\n"));
    gfp_tuning *copy = read_text(text);
    expect_sample_factors(copy);
    assert_int_equal(gfp_tuning_get_factor(copy, 3, &found), GFP_ERR_ARGUMENT);
    assert_true(found.value == 77);
    static const char *const names[] = {NULL, "", "Z", "with space", "a_name_with_24_characters"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(set_factor(copy, names[i], 1), GFP_ERR_ARGUMENT);
    }
    assert_int_equal(set_factor(copy, "z", 0), GFP_ERR_ARGUMENT);
    assert_int_equal(set_factor(copy, "z", NAN), GFP_ERR_ARGUMENT);
    assert_int_equal(set_factor(copy, "z", 1000.5), GFP_ERR_ARGUMENT);
    expect_sample_factors(copy);
    /* Merging: newer values; no room for all. */
    assert_int_equal(set_factor(other, "z_images", 2), GFP_OK);
    assert_int_equal(gfp_tuning_merge(copy, other, &error), GFP_OK);
    assert_int_equal(gfp_tuning_factor_count(copy), 3);
    expect_factor(copy, 2, "z_images", 2);
    for (unsigned i = 0; i + 1 < GFP_TUNING_MAX_FACTORS; i++) {
        char name[8];
        snprintf(name, sizeof name, "f%u", i);
        assert_int_equal(set_factor(other, name, 1), GFP_OK);
    }
    assert_int_equal(set_factor(other, "more", 1), GFP_ERR_SIZE);
    assert_int_equal(gfp_tuning_merge(copy, other, &error), GFP_ERR_SIZE);
    assert_int_equal(gfp_tuning_factor_count(copy), 3);
    gfp_tuning_destroy(copy);
    gfp_tuning_destroy(other);
    gfp_tuning_destroy(tuning);
}

static const damage damaged_factors[] = {
    {"factor a_later_one 1\n", "factor\n", 15, GFP_ERR_PARSE, "factor NAME"},
    {"factor a_later_one 1\n", "factor a_later_one\n", 15, GFP_ERR_PARSE, "without its end"},
    {"factor a_later_one 1\n", "factor a_later_one x\n", 15, GFP_ERR_PARSE, "a number"},
    {"factor a_later_one 1\n", "factor a_later_one 0\n", 15, GFP_ERR_RANGE, "is 0"},
    {"factor a_later_one 1\n", "factor a_later_one 1000001\n", 15, GFP_ERR_RANGE, "too large"},
    {"factor a_later_one 1\n", "factor a_later_one 1 2\n", 15, GFP_ERR_PARSE, "end of the line"},
    {"factor a_later_one 1\n", "factor z_flint 1\n", 16, GFP_ERR_RANGE, "ascending order"},
    {"factor z_flint", "threshold tree_leaf k=128 1\nfactor z_flint", 16, GFP_ERR_PARSE,
     "expected \"factor\" or \"end\""},
};

static void malformed_factors_change_nothing(void **state)
{
    (void)state;
    gfp_tuning *tuning = sample_with_factors();
    expect_damages(tuning, damaged_factors, sizeof damaged_factors / sizeof damaged_factors[0]);
    expect_sample_factors(tuning);
    gfp_tuning_destroy(tuning);
}

int run_tests_of_thresholds(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_come_back),
        cmocka_unit_test(malformed_factors_change_nothing),
        cmocka_unit_test(thresholds_come_back),
        cmocka_unit_test(bad_thresholds_are_refused),
        cmocka_unit_test(malformed_thresholds_change_nothing),
        cmocka_unit_test(merging_takes_the_newer_thresholds),
    };
    return cmocka_run_group_tests_name("tuning: thresholds", tests, tuning_fields_open,
                                       tuning_fields_close);
}
