/* rows.c: every method against the oracle and against every other, over all test fields and
 * many pairs of lengths; low products; failing allocations.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/fixtures.h"

#include "product/choose/choice.h"
#include "gfpoly/division.h"
#include "gfpoly/methods.h"
#include "gfpoly/operand.h"
#include "gfpoly/poly.h"
#include "lab/meter.h"
#include "lab/row.h"
#include "lab/rows.h"
#include "lab/sanitized.h"
#include "field/base/word.h"

/* Tests every STEP-th pair of lengths and pattern. */
#define STEP (SANITIZED ? 3 : 1)

/* A product costs tens of microseconds and more: the reference kernels at large k. */
static bool rows_costly(const lab *l)
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
        gfp_elem_set(l->field, x, lab_sample(l, 3 * i + n));
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
static uint64_t *rows_operand(const lab *l, size_t n, pattern kind, gfp_random *g)
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

static bool rows_serves(const lab *l, const gfp_method *row, size_t len_a, size_t len_b)
{
    char why[160] = "";
    bool available = gfp_method_serves(row, l->field, len_a, len_b, 0, 1, why, sizeof why);
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
        if (rows_serves(l, row, len_a, len_b)) {
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
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t len_a = 1; len_a <= 9; len_a += 2) {
            for (size_t len_b = 1; len_b <= 12; len_b += 3) {
                uint64_t *a = rows_operand(l, len_a, SAMPLES, &g),
                         *b = rows_operand(l, len_b, SAMPLES, &g);
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
    return rows_costly(l) ? 5 : l->k <= 8 ? count : l->k <= 32 ? 13 : 10;
}

static void all_methods_agree_at_all_pairs_of_lengths(void **state)
{
    (void)state;
    gfp_random g;
    gfp_random_seed(&g, 2);
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < length_count(l); i++) {
            for (size_t j = i % STEP; j < length_count(l); j += STEP) {
                uint64_t *a = rows_operand(l, lengths[i], RANDOM, &g);
                uint64_t *b = rows_operand(l, lengths[j], (i + j) % 2 ? SAMPLES : RANDOM, &g);
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
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        size_t len_a = rows_costly(l) ? 5 : l->k <= 16 ? 45 : 19;
        size_t len_b = rows_costly(l) ? 3 : l->k <= 16 ? 33 : 17;
        for (int x = 0; x < KINDS; x++) {
            for (int y = x % STEP; y < KINDS; y += STEP) {
                uint64_t *a = rows_operand(l, len_a, (pattern)x, &g);
                uint64_t *b = rows_operand(l, len_b, (pattern)y, &g);
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
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < length_count(l); i++) {
            uint64_t *a = rows_operand(l, lengths[i], (pattern)(i % KINDS), &g);
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
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        size_t n = rows_costly(l) ? 8 : l->k <= 8 ? 1024 : l->k <= 32 ? 256 : 64;
        const size_t pairs[][2] = {{n, n}, {n + 1, n - 1}, {n + n / 5, n / 6}, {n + n / 2, n + 1}};
        for (size_t i = 0; LAB_ROW(pairs, i); i++) {
            size_t len_a = pairs[i][0], len_b = pairs[i][1];
            uint64_t *a = rows_operand(l, len_a, RANDOM, &g),
                     *b = rows_operand(l, len_b, RANDOM, &g);
            uint64_t *expected = run_row(l, gfp_method_find("karatsuba"), a, len_a, b, len_b);
            for (size_t m = 2; m < gfp_method_count(); m++) {
                const gfp_method *row = gfp_method_row(m);
                if (rows_serves(l, row, len_a, len_b)) {
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
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t m = 0; m < gfp_method_count(); m++) {
            gfp_options options = {.method = gfp_method_name(m)};
            gfp_poly a, b, c, d;
            if (!rows_serves(l, gfp_method_row(m), 20, 20)) {
                continue;
            }
            random_poly(l, &a, rows_costly(l) ? 3 : 20, &g);
            random_poly(l, &b, rows_costly(l) ? 5 : 13, &g);
            gfp_poly_init(&c, l->field);
            gfp_poly_init(&d, l->field);
            assert_int_equal(gfp_poly_mul(&c, &a, &b, &options), GFP_OK);
            assert_int_equal(c.len, a.len + b.len - 1);
            assert_int_equal(gfp_poly_set(&d, &a), GFP_OK);
            assert_int_equal(gfp_poly_mul(&d, &d, &b, &options), GFP_OK);
            assert_true(gfp_poly_equal(&c, &d));
            assert_int_equal(gfp_poly_set(&d, &b), GFP_OK);
            assert_int_equal(gfp_poly_mul(&d, &a, &d, &options), GFP_OK);
            assert_true(gfp_poly_equal(&c, &d));
            assert_int_equal(gfp_poly_set(&d, &a), GFP_OK);
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
        if (!rows_serves(l, gfp_method_row(m), 9, 9)) {
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
        assert_int_equal(gfp_poly_mullow(&c, a, b, n, &options), GFP_OK);
        assert_true(gfp_poly_equal(&c, &low));
        assert_int_equal(gfp_poly_set(&c, a), GFP_OK);
        assert_int_equal(gfp_poly_mullow(&c, &c, b, n, &options), GFP_OK);
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
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        size_t count = rows_costly(l) ? 2 : l->k <= 32 ? 4 : 3;
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
    assert_int_equal(gfp_poly_set(&b, &a), GFP_OK);
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

/* ---- memory ---- */

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

/* A product takes the work space that a query announces, and that is at most 6 times operands and
 * product, or 256 KiB: the shortest leaves at k = 256. */
static void check_announced(const gfp_field *field, meter *m, size_t index, size_t len_a,
                            size_t len_b)
{
    gfp_random g;
    gfp_method_info info;
    gfp_poly a, b, c;
    gfp_options options = {.method = gfp_method_name(index), .verify = GFP_VERIFY_NONE};
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
        "p2", "p4", "p8", "p32", "2^16+1", "m128", "(2^12-2)^256+1"};
    for (size_t f = 0; LAB_ROW(names, f); f += lab_is_short() ? 2 : 1) {
        meter m = {.fail_at = SIZE_MAX, .lasting = true};
        const gfp_allocator allocator = meter_hook(&m);
        gfp_field *field = NULL;
        assert_int_equal(gfp_field_create(&field, names[f], &allocator, NULL), GFP_OK);
        for (size_t i = 0; i < gfp_method_count(); i++) {
            if (i != 3 && i != 4 && i != 7) { /* FLINT and GMP take memory of their own */
                for (size_t j = 0; LAB_ROW(cases, j); j++) {
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

/* Whether the text has the line. */
static bool has_line(const gfp_plan_text *plan, const char *line)
{
    const char *at = strstr(plan->text, line);
    return at != NULL && (at == plan->text || at[-1] == '\n');
}

/* Lines that do not fit are cut off; nothing beyond the array is written. */
static void lines_are_cut_at_the_end_of_a_text(void **state)
{
    static const char whole[] = "a:         1 2\nlong name: x\n";
    (void)state;
    for (size_t size = 1; size <= sizeof whole + 1; size++) {
        char bytes[sizeof whole + 2];
        memset(bytes, '#', sizeof bytes);
        gfp_text text = {.bytes = bytes, .size = size};
        gfp_text_line(&text, "a", "%d %d", 1, 2);
        gfp_text_line(&text, "long name", "%s", "x");
        const size_t used = size <= sizeof whole ? size - 1 : sizeof whole - 1;
        assert_int_equal(text.used, used);
        assert_int_equal(strlen(bytes), used);
        assert_memory_equal(bytes, whole, used);
        assert_int_equal(bytes[size], '#');
    }
}

/* The text tells of the plan that ran, for every method and range; a failure and calls that are no
 * products leave the text. */
static void the_plan_of_a_product_is_told(void **state)
{
    (void)state;
    const lab *l = &lab_fields[2];
    gfp_random g;
    gfp_random_seed(&g, 12);
    gfp_plan_text plan;
    gfp_report report;
    gfp_options options = {.plan = &plan, .report = &report};
    gfp_poly a, b, c;
    gfp_poly_init(&a, l->field);
    gfp_poly_init(&b, l->field);
    gfp_poly_init(&c, l->field);
    assert_int_equal(gfp_poly_random(&a, 300, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&b, 200, &g), GFP_OK);
    for (size_t i = 0; i < gfp_method_count(); i++) {
        char line[80];
        options.method = gfp_method_name(i);
        if (!rows_serves(l, gfp_method_row(i), a.len, b.len)) {
            continue;
        }
        snprintf(line, sizeof line, "method:    %s\n", options.method);
        assert_int_equal(gfp_poly_mul(&c, &a, &b, &options), GFP_OK);
        assert_true(has_line(&plan, line));
        assert_true(has_line(&plan, "reason:    named by the caller\n"));
        assert_true(has_line(&plan, "problem:   product, 300 by 200 coefficients, "));
        assert_true(has_line(&plan, "range:     whole, coefficients 0 to 498\n"));
        assert_true(has_line(&plan, "threads:   1\n"));
        assert_int_equal(gfp_poly_mulhigh(&c, &a, &b, 450, &options), GFP_OK);
        assert_true(has_line(&plan, line));
        assert_true(has_line(&plan, "problem:   high, "));
        assert_true(has_line(&plan, "range:     high, "));
        assert_int_equal(plan.text[strlen(plan.text) - 1], '\n');
    }
    options.method = "hybrid";
    assert_int_equal(gfp_poly_mul(&c, &a, &b, &options), GFP_OK);
    assert_true(has_line(&plan, "way:       whole\n"));
    assert_true(has_line(&plan, "transform: N = 512, "));
    assert_true(has_line(&plan, "leaves:    16 of 16, 32 coefficients, modulo "));
    options.method = NULL;
    assert_int_equal(gfp_poly_mul(&c, &a, &b, &options), GFP_OK);
    assert_true(has_line(&plan, "reason:    least estimate\n"));
    gfp_plan_text before = plan;
    options.method = "no method";
    assert_int_equal(gfp_poly_mul(&c, &a, &b, &options), GFP_ERR_UNKNOWN);
    options.method = NULL;
    assert_int_equal(gfp_poly_divrem(&c, &b, &a, &b, &options), GFP_OK);
    assert_string_equal(plan.text, before.text);
    gfp_poly_zero(&b);
    assert_int_equal(gfp_poly_mul(&c, &a, &b, &options), GFP_OK);
    assert_string_equal(plan.text, "method:    none, the result is known\n");
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
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
        cmocka_unit_test(products_take_the_memory_that_was_announced),
        cmocka_unit_test(a_product_too_long_for_memory_is_refused),
        cmocka_unit_test(lines_are_cut_at_the_end_of_a_text),
        cmocka_unit_test(the_plan_of_a_product_is_told),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
