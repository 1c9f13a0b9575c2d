/* test_methods.c: every method against the oracle and against every other, over all test fields and
 * many pairs of lengths; the chooser; low products; failing allocations.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "lab.h"

#include "chooser.h"
#include "gfpoly/methods.h"
#include "gfpoly/operand.h"
#include "gfpoly/poly.h"
#include "meter.h"
#include "row_lab.h"
#include "sanitized.h"
#include "word.h"

/* Tests every STEP-th pair of lengths and pattern. */
#define STEP (SANITIZED ? 3 : 1)

/* A product costs tens of microseconds and more: the reference kernels at large k. */
static bool costly(const lab *l)
{
    return l->k >= 64 && l->o.r < (uint64_t)1 << 32;
}

/* Kinds of operands: all entries alike, or from a pattern. */
typedef enum pattern { SAMPLES, RANDOM, ALL_SPECIAL, ALL_TOP, SPARSE, ZEROS_INSIDE, KINDS } pattern;

static void fill_element(const lab *l, uint64_t *x, pattern kind, size_t i, size_t n, gfp_random *g)
{
    gfp_elem_zero(l->field, x);
    switch (kind) {
    case SAMPLES:
        gfp_elem_copy(l->field, x, lab_sample(l, 3 * i + n));
        break;
    case ALL_SPECIAL:
        x[l->k - 1] = l->o.r;
        break;
    case ALL_TOP:
        for (size_t j = 0; j < l->k; j++) {
            x[j] = l->o.r - 1;
        }
        break;
    case SPARSE:
        if (i == 0 || i == n - 1) {
            gfp_elem_random(l->field, x, g);
        }
        break;
    case ZEROS_INSIDE:
        if (i % 5 < 2) {
            gfp_elem_random(l->field, x, g);
        }
        break;
    default:
        gfp_elem_random(l->field, x, g);
        break;
    }
}

/* n >= 1 coefficients between guard words. */
static uint64_t *operand(const lab *l, size_t n, pattern kind, gfp_random *g)
{
    uint64_t *x = lab_array(n * l->k);
    for (size_t i = 0; i < n; i++) {
        fill_element(l, x + i * l->k, kind, i, n, g);
    }
    return x;
}

/* Runs a row between guard words, its work area exactly as large as it asked for. */
static uint64_t *run_row(const lab *l, const gfp_method *row, const uint64_t *a, size_t len_a,
                         const uint64_t *b, size_t len_b)
{
    const gfp_range range = row_range(l->field, a, len_a, b, len_b);
    const gfp_limits limits = {.threads = 1};
    uint64_t *c = lab_array((len_a + len_b - 1) * l->k);
    gfp_error error = {0};
    gfp_plan plan;
    assert_true(gfp_plan_make(&plan, row, &range, &limits));
    gfp_status status = gfp_plan_prepare(&plan, NULL, &error);
    if (status == GFP_OK) {
        uint64_t *area = lab_array(plan.needs.words + 7); /* 8 bytes past a line */
        status = row->run(&plan, &range, c, area + 7, NULL, &error);
        lab_free(area);
        gfp_plan_finish(&plan);
    }
    if (status != GFP_OK) {
        fail_msg("%s: %s: %s", l->entry->text, row->name, error.message);
    }
    return c;
}

static bool serves(const lab *l, const gfp_method *row, size_t len_a, size_t len_b)
{
    char why[160] = "";
    bool available = gfp_method_serves(row, l->field, len_a, len_b, 0, why, sizeof why);
    assert_true(available || why[0] != '\0');
    return available;
}

/* All rows but the first against the first, which is classical. */
static void compare_rows(const lab *l, const uint64_t *a, size_t len_a, const uint64_t *b,
                         size_t len_b)
{
    uint64_t *expected = run_row(l, gfp_method_row(0), a, len_a, b, len_b);
    for (size_t i = 1; i < gfp_method_count(); i++) {
        const gfp_method *row = gfp_method_row(i);
        if (serves(l, row, len_a, len_b)) {
            uint64_t *c = run_row(l, row, a, len_a, b, len_b);
            lab_expect_digits(l, c, expected, len_a + len_b - 1, row->name, len_a, len_b);
            lab_free(c);
        }
    }
    lab_free(expected);
}

static void classical_is_the_definition(void **state)
{
    (void)state;
    gfp_random g;
    gfp_random_seed(&g, 1);
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        for (size_t len_a = 1; len_a <= 9; len_a += 2) {
            for (size_t len_b = 1; len_b <= 12; len_b += 3) {
                uint64_t *a = operand(l, len_a, SAMPLES, &g), *b = operand(l, len_b, SAMPLES, &g);
                uint64_t *c = run_row(l, gfp_method_row(0), a, len_a, b, len_b);
                size_t n = len_a + len_b - 1;
                mpz_t *x = oracle_vec_new(len_a), *y = oracle_vec_new(len_b);
                mpz_t *z = oracle_vec_new(n);
                oracle_vec_get(&l->o, x, a, len_a);
                oracle_vec_get(&l->o, y, b, len_b);
                oracle_poly_mul(&l->o, z, x, len_a, y, len_b);
                for (size_t i = 0; i < n; i++) {
                    lab_expect(l, c + i * l->k, z[i], "classical", i, n);
                }
                oracle_vec_free(x, len_a);
                oracle_vec_free(y, len_b);
                oracle_vec_free(z, n);
                lab_free(a);
                lab_free(b);
                lab_free(c);
            }
        }
    }
}

/* Lengths around powers of two, and far from them; fewer where an element is long. */
static const size_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 48, 63, 64, 65, 100};

static size_t length_count(const lab *l)
{
    size_t count = sizeof lengths / sizeof lengths[0];
    return costly(l) ? 5 : l->k <= 8 ? count : l->k <= 32 ? 13 : 10;
}

static void all_methods_agree_at_all_pairs_of_lengths(void **state)
{
    (void)state;
    gfp_random g;
    gfp_random_seed(&g, 2);
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < length_count(l); i++) {
            for (size_t j = i % STEP; j < length_count(l); j += STEP) {
                uint64_t *a = operand(l, lengths[i], RANDOM, &g);
                uint64_t *b = operand(l, lengths[j], (i + j) % 2 ? SAMPLES : RANDOM, &g);
                compare_rows(l, a, lengths[i], b, lengths[j]);
                lab_free(a);
                lab_free(b);
            }
        }
    }
}

static void all_methods_agree_on_extreme_operands(void **state)
{
    (void)state;
    gfp_random g;
    gfp_random_seed(&g, 3);
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        size_t len_a = costly(l) ? 5 : l->k <= 16 ? 45 : 19;
        size_t len_b = costly(l) ? 3 : l->k <= 16 ? 33 : 17;
        for (int x = 0; x < KINDS; x++) {
            for (int y = x % STEP; y < KINDS; y += STEP) {
                uint64_t *a = operand(l, len_a, (pattern)x, &g);
                uint64_t *b = operand(l, len_b, (pattern)y, &g);
                compare_rows(l, a, len_a, b, len_b);
                lab_free(a);
                lab_free(b);
            }
        }
    }
}

static void all_methods_square(void **state)
{
    (void)state;
    gfp_random g;
    gfp_random_seed(&g, 4);
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < length_count(l); i++) {
            uint64_t *a = operand(l, lengths[i], (pattern)(i % KINDS), &g);
            compare_rows(l, a, lengths[i], a, lengths[i]);
            lab_free(a);
        }
    }
}

/* Longer operands: Karatsuba recurses several times, transforms have more than one level of K. Here
 * the subquadratic rows are compared with one another. */
static void subquadratic_methods_agree_on_long_operands(void **state)
{
    (void)state;
    gfp_random g;
    gfp_random_seed(&g, 5);
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        size_t n = costly(l) ? 8 : l->k <= 8 ? 1024 : l->k <= 32 ? 256 : 64;
        const size_t pairs[][2] = {{n, n}, {n + 1, n - 1}, {n + n / 5, n / 6}, {n + n / 2, n + 1}};
        for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
            size_t len_a = pairs[i][0], len_b = pairs[i][1];
            uint64_t *a = operand(l, len_a, RANDOM, &g), *b = operand(l, len_b, RANDOM, &g);
            uint64_t *expected = run_row(l, gfp_method_find("karatsuba"), a, len_a, b, len_b);
            for (size_t m = 2; m < gfp_method_count(); m++) {
                const gfp_method *row = gfp_method_row(m);
                if (serves(l, row, len_a, len_b)) {
                    uint64_t *c = run_row(l, row, a, len_a, b, len_b);
                    lab_expect_digits(l, c, expected, len_a + len_b - 1, row->name, len_a, len_b);
                    lab_free(c);
                }
            }
            lab_free(expected);
            lab_free(a);
            lab_free(b);
        }
    }
}

/* ---- the public products ---- */

static void random_poly(const lab *l, gfp_poly *a, size_t n, gfp_random *g)
{
    gfp_poly_init(a, l->field);
    assert_int_equal(gfp_poly_random(a, n, g), GFP_OK);
}

static void outputs_may_equal_inputs(void **state)
{
    (void)state;
    gfp_random g;
    gfp_random_seed(&g, 6);
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        for (size_t m = 0; m < gfp_method_count(); m++) {
            gfp_options options = {.method = gfp_method_name(m)};
            gfp_poly a, b, c, d;
            if (!serves(l, gfp_method_row(m), 20, 20)) {
                continue;
            }
            random_poly(l, &a, costly(l) ? 3 : 20, &g);
            random_poly(l, &b, costly(l) ? 5 : 13, &g);
            gfp_poly_init(&c, l->field);
            gfp_poly_init(&d, l->field);
            assert_int_equal(gfp_poly_mul(&c, &a, &b, &options), GFP_OK);
            assert_int_equal(c.len, a.len + b.len - 1);
            assert_int_equal(gfp_poly_copy(&d, &a), GFP_OK);
            assert_int_equal(gfp_poly_mul(&d, &d, &b, &options), GFP_OK);
            assert_true(gfp_poly_equal(&c, &d));
            assert_int_equal(gfp_poly_copy(&d, &b), GFP_OK);
            assert_int_equal(gfp_poly_mul(&d, &a, &d, &options), GFP_OK);
            assert_true(gfp_poly_equal(&c, &d));
            assert_int_equal(gfp_poly_copy(&d, &a), GFP_OK);
            assert_int_equal(gfp_poly_mul(&c, &a, &d, &options), GFP_OK);
            assert_int_equal(gfp_poly_mul(&d, &d, &d, &options), GFP_OK);
            assert_true(gfp_poly_equal(&c, &d));
            assert_int_equal(gfp_poly_sqr(&a, &a, &options), GFP_OK);
            assert_true(gfp_poly_equal(&c, &a));
            gfp_poly_clear(&a);
            gfp_poly_clear(&b);
            gfp_poly_clear(&c);
            gfp_poly_clear(&d);
        }
    }
}

static void products_by_zero_and_one(void **state)
{
    (void)state;
    gfp_random g;
    gfp_random_seed(&g, 7);
    for (size_t m = 0; m < gfp_method_count(); m++) {
        const lab *l = &lab_fields[2];
        gfp_report report;
        gfp_options options = {
            .method = gfp_method_name(m), .verify = GFP_VERIFY_POINT, .report = &report};
        gfp_poly a, zero, one, c;
        if (!serves(l, gfp_method_row(m), 9, 9)) {
            continue;
        }
        random_poly(l, &a, 9, &g);
        random_poly(l, &c, 4, &g);
        gfp_poly_init(&zero, l->field);
        gfp_poly_init(&one, l->field);
        assert_int_equal(gfp_poly_one(&one), GFP_OK);
        assert_int_equal(gfp_poly_mul(&c, &a, &one, &options), GFP_OK);
        assert_true(gfp_poly_equal(&c, &a));
        assert_int_equal(gfp_poly_mul(&c, &one, &one, &options), GFP_OK);
        assert_true(gfp_poly_is_one(&c));
        assert_int_equal(gfp_poly_mul(&c, &a, &zero, &options), GFP_OK);
        assert_true(gfp_poly_is_zero(&c));
        assert_string_equal(report.method, gfp_method_name(m));
        assert_int_equal(gfp_poly_mul(&a, &zero, &a, &options), GFP_OK);
        assert_true(gfp_poly_is_zero(&a));
        assert_int_equal(gfp_poly_sqr(&c, &zero, &options), GFP_OK);
        assert_true(gfp_poly_is_zero(&c));
        gfp_poly_clear(&a);
        gfp_poly_clear(&zero);
        gfp_poly_clear(&one);
        gfp_poly_clear(&c);
    }
}

static void check_low_products(const lab *l, const gfp_poly *a, const gfp_poly *b,
                               const char *method)
{
    gfp_poly full, low, c;
    gfp_options options = {.method = method};
    gfp_poly_init(&full, l->field);
    gfp_poly_init(&low, l->field);
    gfp_poly_init(&c, l->field);
    assert_int_equal(gfp_poly_mul(&full, a, b, NULL), GFP_OK);
    for (size_t n = 0; n <= a->len + b->len + 2; n++) {
        options.verify = n % 3 == 0 ? GFP_VERIFY_POINT : GFP_VERIFY_NONE;
        assert_int_equal(gfp_poly_truncate(&low, &full, n), GFP_OK);
        assert_int_equal(gfp_poly_mul_low(&c, a, b, n, &options), GFP_OK);
        assert_true(gfp_poly_equal(&c, &low));
        assert_int_equal(gfp_poly_copy(&c, a), GFP_OK);
        assert_int_equal(gfp_poly_mul_low(&c, &c, b, n, &options), GFP_OK);
        assert_true(gfp_poly_equal(&c, &low));
    }
    gfp_poly_clear(&full);
    gfp_poly_clear(&low);
    gfp_poly_clear(&c);
}

static void low_products_are_truncated_products(void **state)
{
    (void)state;
    gfp_random g;
    gfp_random_seed(&g, 8);
    static const size_t pairs[][2] = {{0, 4}, {1, 1}, {6, 3}, {21, 20}};
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        size_t count = costly(l) ? 2 : l->k <= 32 ? 4 : 3;
        for (size_t i = 0; i < count; i++) {
            gfp_poly a, b;
            random_poly(l, &a, pairs[i][0], &g);
            random_poly(l, &b, pairs[i][1], &g);
            check_low_products(l, &a, &b, "auto");
            check_low_products(l, &a, &b, "classical");
            check_low_products(l, &a, &b, "karatsuba");
            gfp_poly_clear(&a);
            gfp_poly_clear(&b);
        }
    }
}

/* ---- refusals of a method ---- */

static void a_method_that_cannot_serve_says_why(void **state)
{
    (void)state;
    gfp_field *field = lab_create("16^2+1"); /* p - 1 = 2^8 */
    gfp_method_info info;
    gfp_random g;
    gfp_error error = {0};
    gfp_options options = {.method = "bigfft", .error = &error};
    gfp_poly a, b, c;
    gfp_random_seed(&g, 9);
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    assert_int_equal(
        gfp_method_query(&info, 2, &(gfp_problem){.len_a = 128, .len_b = 129}, field, NULL),
        GFP_OK);
    assert_string_equal(info.name, "bigfft");
    assert_true(info.available);
    assert_true(info.estimate_ns > 0);
    assert_string_equal(info.reason, "");
    assert_int_equal(
        gfp_method_query(&info, 2, &(gfp_problem){.len_a = 129, .len_b = 129}, field, NULL),
        GFP_OK);
    assert_false(info.available);
    assert_non_null(strstr(info.reason, "needs N = 512"));
    assert_non_null(strstr(info.reason, "p - 1 allows only 2^8"));
    assert_true(info.estimate_ns == 0);
    assert_int_equal(gfp_poly_random(&a, 120, &g), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff_u64(&a, 128, 3), GFP_OK);
    assert_int_equal(gfp_poly_copy(&b, &a), GFP_OK);
    assert_int_equal(gfp_poly_one(&c), GFP_OK);
    lab_expect_status(gfp_poly_mul(&c, &a, &b, &options), GFP_ERR_UNAVAILABLE, &error, "bigfft");
    assert_non_null(strstr(error.message, "bigfft"));
    assert_non_null(strstr(error.message, "needs N = 512"));
    assert_true(gfp_poly_is_one(&c));
    assert_string_not_equal(
        gfp_method_pick(&(gfp_problem){.len_a = 129, .len_b = 129}, field, NULL), "bigfft");
    options.method = NULL;
    assert_int_equal(gfp_poly_mul(&c, &a, &b, &options), GFP_OK);
    assert_int_equal(c.len, 257);
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    gfp_field_destroy(field);
}

static void unknown_methods_and_verifications_are_refused(void **state)
{
    (void)state;
    const lab *l = &lab_fields[2];
    gfp_error error = {0};
    gfp_options options = {.method = "fastest", .error = &error};
    gfp_poly a, c;
    gfp_poly_init(&a, l->field);
    gfp_poly_init(&c, l->field);
    /* Also where the product would be zero. */
    lab_expect_status(gfp_poly_mul(&c, &a, &a, &options), GFP_ERR_UNKNOWN, &error, "method");
    assert_int_equal(gfp_poly_one(&a), GFP_OK);
    lab_expect_status(gfp_poly_mul(&c, &a, &a, &options), GFP_ERR_UNKNOWN, &error, "method");
    assert_non_null(strstr(error.message, "fastest"));
    assert_non_null(strstr(error.message, "karatsuba"));
    options.method = "auto";
    options.verify = (gfp_verify)7;
    lab_expect_status(gfp_poly_mul(&c, &a, &a, &options), GFP_ERR_ARGUMENT, &error, "verify");
    assert_true(gfp_poly_is_zero(&c));
    gfp_poly_clear(&a);
    gfp_poly_clear(&c);
}

static void without_flint_its_methods_say_so(void **state)
{
    (void)state;
    gfp_method_info info;
    for (size_t i = 3; i < 5; i++) {
        assert_int_equal(gfp_method_query(&info, i, &(gfp_problem){.len_a = 10, .len_b = 10},
                                          lab_fields[2].field, NULL),
                         GFP_OK);
        assert_int_equal(info.available, GFP_HAVE_FLINT);
        assert_true(info.available == (info.reason[0] == '\0'));
    }
}

/* ---- the chooser ---- */

static void check_query(const lab *l, size_t len_a, size_t len_b)
{
    gfp_method_info info;
    const char *pick =
        gfp_method_pick(&(gfp_problem){.len_a = len_a, .len_b = len_b}, l->field, NULL);
    double least = 0, picked = 0;
    for (size_t i = 0; i < gfp_method_count(); i++) {
        assert_int_equal(gfp_method_query(&info, i, &(gfp_problem){.len_a = len_a, .len_b = len_b},
                                          l->field, NULL),
                         GFP_OK);
        assert_string_equal(info.name, gfp_method_name(i));
        if (!info.available) {
            assert_string_not_equal(info.name, pick);
            continue;
        }
        assert_true(info.estimate_ns > 0 && info.estimate_ns < 1e40);
        least = least == 0 || info.estimate_ns < least ? info.estimate_ns : least;
        picked = strcmp(info.name, pick) == 0 ? info.estimate_ns : picked;
    }
    assert_true(picked == least);
}

static void the_pick_has_the_least_estimate(void **state)
{
    (void)state;
    static const size_t lens[] = {0, 1, 2, 3, 10, 300, 16384, 100000, (size_t)1 << 22};
    for (size_t f = 0; f < oracle_field_count; f++) {
        for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
            for (size_t j = 0; j < sizeof lens / sizeof lens[0]; j++) {
                check_query(&lab_fields[f], lens[i], lens[j]);
            }
        }
    }
}

#if GFP_HAVE_FLINT
/* Fields that the fast kernels do not serve: methods on integers are far faster there than methods
 * on digits, and the estimates show this. */
static void the_pick_for_small_radices_sees_integers(void **state)
{
    (void)state;
    static const char *const names[] = {"30^32+1", "65537", "102^64+1"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        gfp_field *field = NULL;
        assert_int_equal(gfp_field_create(&field, names[i], NULL, NULL), GFP_OK);
        const char *pick =
            gfp_method_pick(&(gfp_problem){.len_a = 1000, .len_b = 1000}, field, NULL);
        assert_true(strcmp(pick, "flint") == 0 || strcmp(pick, "multimodular") == 0 ||
                    strcmp(pick, "crt") == 0);
        gfp_field_destroy(field);
    }
}
#endif

static void estimates_grow_with_the_length(void **state)
{
    (void)state;
    gfp_method_info shorter, longer;
    for (size_t f = 0; f < oracle_field_count; f++) {
        const gfp_field *field = lab_fields[f].field;
        for (size_t i = 0; i < gfp_method_count(); i++) {
            for (size_t n = 4; n < (size_t)1 << 20; n *= 4) {
                assert_int_equal(gfp_method_query(&shorter, i,
                                                  &(gfp_problem){.len_a = n, .len_b = n}, field,
                                                  NULL),
                                 GFP_OK);
                assert_int_equal(gfp_method_query(&longer, i,
                                                  &(gfp_problem){.len_a = 4 * n, .len_b = 4 * n},
                                                  field, NULL),
                                 GFP_OK);
                /* On a device, launches take all the time of short products. */
                const bool on_device = strstr(longer.name, "_gpu") != NULL;
                if (shorter.available && longer.available && !on_device) {
                    assert_true(longer.estimate_ns > shorter.estimate_ns);
                    assert_true(longer.workspace >= shorter.workspace);
                }
            }
        }
    }
}

static void absurd_lengths_are_answered_without_overflow(void **state)
{
    (void)state;
    gfp_method_info info;
    for (size_t i = 0; i < gfp_method_count(); i++) {
        assert_int_equal(gfp_method_query(&info, i,
                                          &(gfp_problem){.len_a = SIZE_MAX, .len_b = SIZE_MAX},
                                          lab_fields[2].field, NULL),
                         GFP_OK);
        if (i == 1 || i == 2) { /* karatsuba and bigfft saturate */
            assert_true(info.workspace == SIZE_MAX);
        }
    }
    assert_int_equal(gfp_method_query(&info, gfp_method_count(),
                                      &(gfp_problem){.len_a = 1, .len_b = 1}, lab_fields[2].field,
                                      NULL),
                     GFP_ERR_ARGUMENT);
    assert_null(gfp_method_name(gfp_method_count()));
    assert_non_null(gfp_method_pick(&(gfp_problem){.len_a = SIZE_MAX, .len_b = SIZE_MAX},
                                    lab_fields[2].field, NULL));
}

/* Lengths and caps of every kind, for one operation. */
static gfp_problem problem_like(gfp_operation operation, size_t len_a, size_t len_b)
{
    const size_t more = len_a > len_b ? len_a : len_b, less = len_a > len_b ? len_b : len_a;
    return (gfp_problem){.operation = operation,
                         .len_a = len_a,
                         .len_b = operation == GFP_OPERATION_SQUARE ? len_a : len_b,
                         .n = operation == GFP_OPERATION_MIDDLE ? more - less + 1 : more,
                         .from = less - 1,
                         .count = 10};
}

/* Checks that the pick for a problem (NULL: none) has the least estimate, and that the answers
 * about all methods are complete. */
static void check_problem(const gfp_field *field, const gfp_problem *p, const gfp_options *options)
{
    const char *pick = gfp_method_pick(p, field, options);
    double least = HUGE_VAL, picked = HUGE_VAL;
    for (size_t i = 0; i < gfp_method_count(); i++) {
        gfp_method_info info;
        assert_int_equal(gfp_method_query(&info, i, p, field, options), GFP_OK);
        assert_true(info.available == (info.reason[0] == '\0'));
        assert_true(info.available == (info.source[0] != '\0'));
        assert_true(info.available == (info.threads > 0) && info.threads <= 3);
        if (info.available) {
            assert_true(info.estimate_ns > 0 && info.estimate_ns < HUGE_VAL);
            assert_true(options->memory_cap == 0 || info.workspace <= options->memory_cap ||
                        p->operation == GFP_OPERATION_OPERAND);
            least = info.estimate_ns < least ? info.estimate_ns : least;
            picked = pick != NULL && strcmp(info.name, pick) == 0 ? info.estimate_ns : picked;
        }
    }
    assert_true((pick == NULL) == !(least < HUGE_VAL));
    assert_true(pick == NULL || picked == least);
}

static void the_pick_of_every_operation_has_the_least_estimate(void **state)
{
    static const size_t lens[] = {1, 2, 7, 300, 4096, 40000};
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f += 3) {
        const gfp_field *field = lab_fields[f].field;
        for (unsigned o = 0; o < GFP_OPERATION_COUNT; o++) {
            for (size_t i = 0; i < 6 * 6; i++) {
                const gfp_problem p = problem_like((gfp_operation)o, lens[i / 6], lens[i % 6]);
                gfp_options options = {.threads = 1};
                check_problem(field, &p, &options);
                check_problem(field, &p, &options); /* out of the field's notes */
                options.threads = 3;
                check_problem(field, &p, &options);
                if (i % 5 == 0) { /* a refusal searches for the bytes that it names */
                    options.memory_cap = 100000;
                    check_problem(field, &p, &options);
                }
            }
        }
    }
}

static void squares_ignore_the_second_length(void **state)
{
    static const size_t others[] = {0, 100, 200000};
    (void)state;
    const gfp_field *field = lab_fields[2].field;
    for (size_t i = 0; i < 2 * gfp_method_count(); i++) {
        const gfp_options options = {.threads = 1, .memory_cap = i % 2 == 0 ? 0 : (size_t)20000000};
        gfp_problem p = {.operation = GFP_OPERATION_SQUARE, .len_a = 100000, .len_b = 100000};
        gfp_method_info expected, info;
        assert_int_equal(gfp_method_query(&expected, i / 2, &p, field, &options), GFP_OK);
        for (size_t j = 0; j < sizeof others / sizeof *others; j++) {
            p.len_b = others[j];
            assert_int_equal(gfp_method_query(&info, i / 2, &p, field, &options), GFP_OK);
            assert_int_equal(info.available, expected.available);
            assert_int_equal(info.workspace, expected.workspace);
            assert_true(info.estimate_ns == expected.estimate_ns);
        }
    }
}

/* Whatever the cap, the pick for operands is the method of their space. */
static void operands_are_picked_as_by_their_space(void **state)
{
    static const size_t caps[] = {0, 1 << 20, 10000, 1};
    (void)state;
    const gfp_field *field = lab_fields[2].field;
    for (size_t length = 3; length < 40000; length *= 3) {
        const gfp_problem p = {.operation = GFP_OPERATION_OPERAND,
                               .len_a = length / 2 + 1,
                               .len_b = length - length / 2};
        for (size_t i = 0; i < sizeof caps / sizeof *caps; i++) {
            gfp_error error;
            const gfp_options options = {.threads = 1, .memory_cap = caps[i], .error = &error};
            gfp_space *s = NULL;
            lab_expect_status(gfp_method_check(&p, field, &options), GFP_OK, &error, "operands");
            assert_int_equal(gfp_space_create(&s, field,
                                              &(gfp_space_spec){length, 1, GFP_WRAP_LINEAR},
                                              &options),
                             GFP_OK);
            assert_string_equal(gfp_method_pick(&p, field, &options), gfp_space_method(s));
            gfp_space_destroy(s);
        }
    }
}

/* Problems of several operations that the same numbers describe do not share a pick. */
static void operations_differ(void **state)
{
    (void)state;
    const gfp_field *field = lab_fields[2].field;
    gfp_problem p = problem_like(GFP_OPERATION_PRODUCT, 1000, 1000);
    const gfp_options options = {.threads = 1};
    gfp_method_info product, info;
    assert_int_equal(gfp_method_query(&product, 5, &p, field, &options), GFP_OK);
    p.operation = GFP_OPERATION_SQUARE;
    assert_int_equal(gfp_method_query(&info, 5, &p, field, &options), GFP_OK);
    assert_true(info.estimate_ns < product.estimate_ns);
    p.operation = GFP_OPERATION_BATCH;
    p.count = 100;
    assert_int_equal(gfp_method_query(&info, 5, &p, field, &options), GFP_OK);
    assert_true(info.estimate_ns > 99 * product.estimate_ns);
    /* All of a product, as a part of it. */
    p.operation = GFP_OPERATION_LOW;
    p.n = 1999;
    assert_int_equal(gfp_method_query(&info, 5, &p, field, &options), GFP_OK);
    assert_true(info.estimate_ns == product.estimate_ns);
    /* A few of its coefficients are best computed one by one. */
    p.n = 2;
    assert_string_equal(gfp_method_pick(&p, field, &options), "classical");
    p.operation = GFP_OPERATION_OPERAND;
    assert_int_equal(gfp_method_query(&info, 0, &p, field, &options), GFP_OK);
    assert_false(info.available);
    p.operation = (gfp_operation)GFP_OPERATION_COUNT;
    assert_int_equal(gfp_method_query(&info, 0, &p, field, &options), GFP_ERR_ARGUMENT);
    assert_null(gfp_method_pick(&p, field, &options));
    for (unsigned o = 0; o < GFP_OPERATION_COUNT; o++) {
        gfp_operation found;
        assert_int_equal(gfp_operation_find(&found, gfp_operation_name((gfp_operation)o)), GFP_OK);
        assert_int_equal(found, o);
        assert_int_equal(gfp_operation_find(&found, "quotient"), GFP_ERR_UNKNOWN);
    }
}

/* Two problems at one place of the field's notes, whatever follows their caps: its hash takes one
 * word of a problem after the other. */
static void problems_at_one_place_have_their_own_picks(void **state)
{
    (void)state;
    gfp_field *field = lab_create("p8");
    const gfp_problem longer = problem_like(GFP_OPERATION_PRODUCT, 4096, 4096);
    const gfp_problem shorter = problem_like(GFP_OPERATION_PRODUCT, 2, 2);
    uint64_t hash[2] = {0, 0};
    const gfp_options more = {.threads = 1, .memory_cap = (size_t)1 << 40};
    gfp_options less = {.threads = 1};
    for (size_t i = 0; i < 2; i++) {
        const gfp_problem *p = i == 0 ? &longer : &shorter;
        const uint64_t words[] = {p->len_a, p->len_b, 0, p->len_a + p->len_b - 1};
        for (size_t j = 0; j < 4; j++) {
            hash[i] = gfp_mix64(hash[i] + words[j]);
        }
    }
    less.memory_cap = hash[0] + more.memory_cap - hash[1];
    assert_true(less.memory_cap > (size_t)1 << 20);
    const gfp_request first = gfp_request_make(&longer, field, &more);
    const gfp_request second = gfp_request_make(&shorter, field, &less);
    assert_int_equal(gfp_request_place(&first), gfp_request_place(&second));
    for (unsigned i = 0; i < 3; i++) {
        assert_string_equal(gfp_method_pick(&longer, field, &more), "hybrid");
        assert_string_equal(gfp_method_pick(&shorter, field, &less), "classical");
    }
    gfp_field_destroy(field);
}

static gfp_status compute_problem(const gfp_problem *p, gfp_poly *c, const gfp_poly *a,
                                  const gfp_poly *b, const gfp_options *options)
{
    switch (p->operation) {
    case GFP_OPERATION_SQUARE:
        return gfp_poly_sqr(c, a, options);
    case GFP_OPERATION_LOW:
        return gfp_poly_mul_low(c, a, b, p->n, options);
    case GFP_OPERATION_HIGH:
        return gfp_poly_mul_high(c, a, b, p->n, options);
    case GFP_OPERATION_MIDDLE:
        return gfp_poly_mul_middle(c, a, b, p->from, p->n, options);
    default:
        return gfp_poly_mul(c, a, b, options);
    }
}

/* The functions use the method and the threads that the chooser announces, also within a cap. */
static void functions_take_the_pick(void **state)
{
    static const gfp_operation operations[] = {GFP_OPERATION_PRODUCT, GFP_OPERATION_SQUARE,
                                               GFP_OPERATION_LOW, GFP_OPERATION_MIDDLE,
                                               GFP_OPERATION_HIGH};
    static const size_t lens[] = {3, 40, 700};
    gfp_random g;
    gfp_random_seed(&g, 5);
    (void)state;
    for (size_t i = 0; i < 5 * 9 * 4; i++) {
        const lab *l = &lab_fields[2];
        gfp_poly a, b, c;
        gfp_poly_init(&a, l->field);
        gfp_poly_init(&b, l->field);
        gfp_poly_init(&c, l->field);
        gfp_problem p = problem_like(operations[i / 36], lens[i / 4 % 3], lens[i / 12 % 3]);
        random_poly(l, &a, p.len_a, &g);
        random_poly(l, &b, p.len_b, &g);
        p.len_a = a.len;
        p.len_b = b.len;
        gfp_report report = {.method = ""};
        const gfp_options options = {
            .report = &report, .threads = 1 + i % 2, .memory_cap = i % 4 < 2 ? 0 : 50000};
        assert_int_equal(compute_problem(&p, &c, &a, &b, &options), GFP_OK);
        assert_string_equal(report.method, gfp_method_pick(&p, l->field, &options));
        gfp_poly_clear(&a);
        gfp_poly_clear(&b);
        gfp_poly_clear(&c);
    }
}

/* ---- failing allocations ---- */

/* The product, and those by hybrid and crt, which may verify others. */
static void warm_up(const gfp_poly *a, const gfp_poly *b, const char *method)
{
    gfp_options options = {.method = method};
    gfp_poly c;
    gfp_poly_init(&c, a->field);
    assert_int_equal(gfp_poly_mul(&c, a, b, &options), GFP_OK);
    options.method = "hybrid";
    assert_int_equal(gfp_poly_mul(&c, a, b, &options), GFP_OK);
    options.method = "crt";
    assert_int_equal(gfp_poly_mul(&c, a, b, &options), GFP_OK);
    gfp_poly_clear(&c);
}

static void check_failing(gfp_field *field, meter *m, const char *method, gfp_verify verify)
{
    gfp_random g;
    gfp_error error = {0};
    gfp_options options = {.method = method, .verify = verify, .error = &error};
    gfp_poly a, b, c, before;
    gfp_random_seed(&g, 10);
    m->fail_at = SIZE_MAX;
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    gfp_poly_init(&before, field);
    assert_int_equal(gfp_poly_random(&a, 70, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&b, 50, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&c, 3, &g), GFP_OK);
    assert_int_equal(gfp_poly_copy(&before, &c), GFP_OK);
    warm_up(&a, &b, method);         /* tables that stay with the field: test_hybrid.c */
    gfp_field_release_memory(field); /* kept memory would hide allocations */
    size_t bytes = m->bytes, failures = 0;
    for (;; failures++) {
        meter_fail_at(m, failures);
        gfp_status status = gfp_poly_mul(&c, &a, &b, &options);
        gfp_field_release_memory(field);
        if (status == GFP_OK) {
            break;
        }
        lab_expect_status(status, GFP_ERR_MEMORY, &error, method);
        assert_true(gfp_poly_equal(&c, &before));
        assert_int_equal(m->bytes, bytes);
    }
    assert_true(failures > 0);
    assert_int_equal(c.len, 119);
    m->fail_at = SIZE_MAX;
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    gfp_poly_clear(&before);
}

static void every_failing_allocation_of_a_product_is_survived(void **state)
{
    (void)state;
    meter m = {.fail_at = SIZE_MAX, .lasting = true};
    const gfp_allocator allocator = meter_hook(&m);
    gfp_field *field = NULL;
    assert_int_equal(gfp_field_create(&field, "p8", &allocator, NULL), GFP_OK);
    for (size_t i = 0; i < gfp_method_count(); i++) {
        const lab *l = &lab_fields[2];
        if (serves(l, gfp_method_row(i), 70, 50)) {
            check_failing(field, &m, gfp_method_name(i), GFP_VERIFY_NONE);
            check_failing(field, &m, gfp_method_name(i), GFP_VERIFY_POINT);
            check_failing(field, &m, gfp_method_name(i), GFP_VERIFY_CROSS);
        }
    }
    gfp_field_destroy(field);
    meter_expect_empty(&m);
}

/* A product takes the work space that a query announces, and that is at most 6 times operands and
 * product, or 256 KiB: the shortest leaves at k = 256. */
static void check_announced(const gfp_field *field, meter *m, size_t index, size_t len_a,
                            size_t len_b)
{
    gfp_random g;
    gfp_method_info info;
    gfp_poly a, b, c;
    gfp_options options = {.method = gfp_method_name(index)};
    gfp_random_seed(&g, 11);
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    assert_int_equal(gfp_poly_random(&a, len_a, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&b, len_b, &g), GFP_OK);
    assert_int_equal(
        gfp_method_query(&info, index, &(gfp_problem){.len_a = len_a, .len_b = len_b}, field, NULL),
        GFP_OK);
    if (!info.available) {
        gfp_poly_clear(&a);
        gfp_poly_clear(&b);
        return;
    }
    warm_up(&a, &b, info.name);
    gfp_field_release_memory(field);
    const size_t size = gfp_field_k(field) * sizeof(uint64_t);
    const size_t before = m->bytes, product = (len_a + len_b - 1) * size;
    m->peak = 0;
    assert_int_equal(gfp_poly_mul(&c, &a, &b, &options), GFP_OK);
    const size_t used = m->peak - before - product;
    const size_t touched = (len_a + len_b) * size + product;
    if (used > info.workspace || info.workspace > used + used / 100 ||
        (used > 6 * touched && used > 256 << 10)) {
        fail_msg("%s, %s, %zu by %zu: announced %zu, used %zu, operands and product %zu",
                 gfp_field_name(field), info.name, len_a, len_b, info.workspace, used, touched);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
}

static void products_take_the_memory_that_was_announced(void **state)
{
    static const struct {
        size_t a, b;
    } cases[] = {{1, 1},    {1, 2},     {3, 3},       {7, 5},       {17, 16},
                 {40, 70},  {129, 128}, {200, 201},   {600, 500},   {1000, 3},
                 {1, 3000}, {77, 1300}, {1025, 1023}, {2100, 2048}, {12000, 90}};
    (void)state;
    static const char *const names[] = {
        "p2", "p4", "p8", "p32", "m128", "2^16+1", "(2^12-2)^256+1"};
    for (size_t f = 0; f < sizeof names / sizeof names[0]; f++) {
        meter m = {.fail_at = SIZE_MAX, .lasting = true};
        const gfp_allocator allocator = meter_hook(&m);
        gfp_field *field = NULL;
        assert_int_equal(gfp_field_create(&field, names[f], &allocator, NULL), GFP_OK);
        for (size_t i = 0; i < gfp_method_count(); i++) {
            if (i != 3 && i != 4) { /* the rows that take all their memory from the hook */
                for (size_t j = 0; j < sizeof cases / sizeof cases[0]; j++) {
                    /* Digits, and digit products, that quadratic methods take. */
                    const size_t digits = cases[j].a * cases[j].b * gfp_field_k(field);
                    if (SANITIZED && cases[j].a + cases[j].b > 2000 / gfp_field_k(field)) {
                        continue;
                    }
                    if (i == 5 || (digits < 3000000 && digits * gfp_field_k(field) < 50000000)) {
                        check_announced(field, &m, i, cases[j].a, cases[j].b);
                    }
                }
            }
        }
        gfp_field_destroy(field);
    }
}

static void a_product_too_long_for_memory_is_refused(void **state)
{
    (void)state;
    const lab *l = &lab_fields[2];
    uint64_t digits[8] = {1};
    gfp_poly a = {l->field, digits, SIZE_MAX / 64, SIZE_MAX / 64}; /* never read */
    gfp_poly c;
    gfp_error error = {0};
    gfp_options options = {.error = &error};
    gfp_poly_init(&c, l->field);
    lab_expect_status(gfp_poly_mul(&c, &a, &a, &options), GFP_ERR_SIZE, &error, "long product");
    assert_true(gfp_poly_is_zero(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classical_is_the_definition),
        cmocka_unit_test(all_methods_agree_at_all_pairs_of_lengths),
        cmocka_unit_test(all_methods_agree_on_extreme_operands),
        cmocka_unit_test(all_methods_square),
        cmocka_unit_test(subquadratic_methods_agree_on_long_operands),
        cmocka_unit_test(outputs_may_equal_inputs),
        cmocka_unit_test(products_by_zero_and_one),
        cmocka_unit_test(low_products_are_truncated_products),
        cmocka_unit_test(a_method_that_cannot_serve_says_why),
        cmocka_unit_test(unknown_methods_and_verifications_are_refused),
        cmocka_unit_test(without_flint_its_methods_say_so),
        cmocka_unit_test(the_pick_has_the_least_estimate),
#if GFP_HAVE_FLINT
        cmocka_unit_test(the_pick_for_small_radices_sees_integers),
#endif
        cmocka_unit_test(the_pick_of_every_operation_has_the_least_estimate),
        cmocka_unit_test(squares_ignore_the_second_length),
        cmocka_unit_test(operands_are_picked_as_by_their_space),
        cmocka_unit_test(operations_differ),
        cmocka_unit_test(problems_at_one_place_have_their_own_picks),
        cmocka_unit_test(functions_take_the_pick),
        cmocka_unit_test(estimates_grow_with_the_length),
        cmocka_unit_test(absurd_lengths_are_answered_without_overflow),
        cmocka_unit_test(every_failing_allocation_of_a_product_is_survived),
        cmocka_unit_test(products_take_the_memory_that_was_announced),
        cmocka_unit_test(a_product_too_long_for_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
