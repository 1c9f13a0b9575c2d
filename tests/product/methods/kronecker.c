/* kronecker.c: operands with short coefficients: what a scan finds, products by the method
 * kronecker against the definition, the picks and the reports, parts, squares, batches, caps.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fixtures.h"

#include <stdlib.h>
#include <string.h>

#include "lab/rows.h"
#include "gfpoly.h"
#include "field/base/kernels.h"
#include "product/methods/kronecker.h"
#include "product/methods/row.h"
#include "crt/small/kronecker.h"

/* ---- operands ---- */

/* z := the integer x, in [-p / 2, p / 2], as an element. */
static void set_element(const lab *l, uint64_t *z, const mpz_t x)
{
    uint64_t limbs[GFP_MAX_LIMBS + 1] = {0};
    size_t n = 0;
    mpz_export(limbs, &n, -1, sizeof *limbs, 0, 0, x);
    gfp_elem_set_limbs(l->field, z, limbs, n);
    if (mpz_sgn(x) < 0) {
        gfp_elem_neg(l->field, z, z);
    }
}

/* n coefficients of up to `bits` bits, some of them extreme; signs if asked for. */
static uint64_t *short_operand(const lab *l, size_t n, size_t bits, bool negative,
                               gmp_randstate_t random)
{
    uint64_t *z = lab_array(n * l->k);
    mpz_t x;
    mpz_init(x);
    for (size_t i = 0; i < n; i++) {
        mpz_urandomb(x, random, bits);
        if (i % 7 == 3) { /* 2^bits - 1 */
            mpz_set_ui(x, 1);
            mpz_mul_2exp(x, x, bits);
            mpz_sub_ui(x, x, 1);
        } else if (i % 7 == 5) {
            mpz_set_ui(x, i % 2);
        }
        if (negative && (i % 3 == 1 || gmp_urandomb_ui(random, 1) != 0)) {
            mpz_neg(x, x);
        }
        set_element(l, z + i * l->k, x);
    }
    mpz_clear(x);
    return z;
}

static void expect_product(const lab *l, const uint64_t *c, const uint64_t *a, size_t len_a,
                           const uint64_t *b, size_t len_b, size_t first, size_t end)
{
    uint64_t *expected = lab_array((end - first) * l->k);
    gfp_field_kernels(l->field)->convolve(l->field, expected, a, len_a, b, len_b, first, end);
    lab_expect_digits(l, c, expected, end - first, "coefficient", len_a, len_b);
    lab_free(expected);
}

/* ---- the scan ---- */

static size_t bits_found(const lab *l, const uint64_t *x, size_t n)
{
    gfp_range range = gfp_range_make(l->field, x, x, n, n, 0, 2 * n - 1);
    gfp_range_scan(&range);
    assert_int_equal(range.bits_a, range.bits_b);
    return range.bits_a;
}

/* The bits found hold the largest coefficient, and are few: a bit for the sign, and one for each
 * digit. */
static void scan_finds_bits_of(const lab *l)
{
    gmp_randstate_t random;
    gmp_randinit_default(random);
    const size_t all = gfp_field_bits(l->field);
    for (size_t bits = 1; 2 * bits + l->k + 10 < all; bits += 1 + bits / 4) {
        for (int negative = 0; negative < 2; negative++) {
            uint64_t *x = short_operand(l, 9, bits, negative != 0, random);
            const size_t found = bits_found(l, x, 9);
            assert_in_range(found, bits, bits + (size_t)negative + 1 + 2 * bits / 16);
            /* A long coefficient at either end. */
            gfp_elem_set(l->field, x, lab_sample(l, l->extremes));
            assert_int_equal(bits_found(l, x, 9), 0);
            gfp_elem_zero(l->field, x);
            gfp_elem_set(l->field, x + 8 * l->k, lab_sample(l, l->extremes));
            assert_int_equal(bits_found(l, x, 9), 0);
            lab_free(x);
        }
    }
    gmp_randclear(random);
}

static void scan_finds_the_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < ORACLE_FIELDS; i++) {
        const lab *l = &lab_fields[i];
        if (l->field != NULL && l->o.r >= 1 << 16 && l->k >= 2) {
            scan_finds_bits_of(l);
        }
    }
}

/* A product that may exceed p in absolute value is none without reduction. */
static void scan_ends_at_the_limit(void **state)
{
    const lab *l = lab_named("p4");
    const size_t all = gfp_field_bits(l->field);
    uint64_t *x = lab_array(4 * l->k);
    mpz_t v;
    size_t longest = 0;
    (void)state;
    mpz_init(v);
    for (size_t bits = 1; bits < all; bits++) {
        gfp_vec_zero(l->field, x, 4);
        mpz_set_ui(v, 1);
        mpz_mul_2exp(v, v, bits - 1);
        set_element(l, x + 2 * l->k, v);
        const size_t found = bits_found(l, x, 4);
        if (found != 0) {
            assert_in_range(found, bits, bits + 3);
            longest = bits;
        }
    }
    assert_in_range(2 * longest + 2, all - 8, all - 1);
    mpz_clear(v);
    lab_free(x);
}

/* ---- products ---- */

typedef struct sizes {
    size_t len_a, len_b, bits_a, bits_b;
    bool negative;
} sizes;

static void multiply_over(const lab *l, const sizes *s, gmp_randstate_t random)
{
    const size_t n = s->len_a + s->len_b - 1;
    uint64_t *a = short_operand(l, s->len_a, s->bits_a, s->negative, random);
    uint64_t *b = short_operand(l, s->len_b, s->bits_b, s->negative, random);
    uint64_t *c = lab_array(n * l->k), *expected = lab_array(n * l->k);
    gfp_field_kernels(l->field)->convolve(l->field, expected, a, s->len_a, b, s->len_b, 0, n);
    const gfp_method *row = gfp_method_find("kronecker");
    assert_non_null(row);
    const size_t parts[][2] = {{0, n}, {0, (n + 1) / 2}, {n / 3, n - n / 4}, {n - 1, n}};
    for (size_t i = 0; LAB_ROW(parts, i); i++) {
        const size_t first = parts[i][0], end = parts[i][1];
        if (first >= end) {
            continue;
        }
        gfp_range range = gfp_range_make(l->field, a, b, s->len_a, s->len_b, first, end);
        for (int scanned = 0; scanned < 2; scanned++) {
            assert_int_equal(gfp_range_run(row, &range, c, 0, NULL, NULL), GFP_OK);
            lab_expect_digits(l, c, expected + first * l->k, end - first, "product", first, end);
            gfp_range_scan(&range);
        }
    }
    lab_free(expected);
    gfp_range square = gfp_range_make(l->field, a, a, s->len_a, s->len_a, 0, 2 * s->len_a - 1);
    uint64_t *d = lab_array(square.end * l->k);
    for (int scanned = 0; scanned < 2; scanned++) {
        assert_int_equal(gfp_range_run(row, &square, d, 0, NULL, NULL), GFP_OK);
        gfp_range_scan(&square);
        if (scanned == 0) {
            expect_product(l, d, a, s->len_a, a, s->len_a, 0, square.end);
            gfp_vec_zero(l->field, d, 1);
        }
    }
    expect_product(l, d, a, s->len_a, a, s->len_a, 0, 1);
    lab_free(d);
    lab_free(a);
    lab_free(b);
    lab_free(c);
}

static void products_over(const lab *l)
{
    static const size_t lengths[][2] = {{1, 1}, {2, 3}, {5, 5}, {17, 4}, {34, 33}};
    gmp_randstate_t random;
    gmp_randinit_default(random);
    const size_t all = gfp_field_bits(l->field);
    const size_t most = l->k > 16 ? 4 : sizeof lengths / sizeof *lengths;
    for (size_t i = 0; i < most; i++) {
        for (size_t bits = 1; bits <= all / 2; bits += 1 + bits * (l->k > 16 ? 3 : 1)) {
            for (int negative = 0; negative < 2; negative++) {
                const sizes same = {lengths[i][0], lengths[i][1], bits, bits, negative != 0};
                const sizes other = {lengths[i][0], lengths[i][1], bits / 2 + 1, all - bits - 12,
                                     negative != 0};
                multiply_over(l, &same, random);
                if (i < 3 && all > bits + 12) {
                    multiply_over(l, &other, random);
                }
            }
        }
    }
    gmp_randclear(random);
}

static void products_are_right(void **state)
{
    (void)state;
    lab_for_each(products_over);
}

/* ---- the pipeline ---- */

static void kronecker_fill(gfp_poly *f, const lab *l, size_t n, size_t bits, bool negative,
                           unsigned seed)
{
    gmp_randstate_t random;
    gmp_randinit_default(random);
    gmp_randseed_ui(random, seed);
    uint64_t *x = short_operand(l, n, bits, negative, random);
    gfp_elem_set_u64(l->field, x + (n - 1) * l->k, 1); /* monic */
    assert_int_equal(gfp_poly_fit_length(f, n), GFP_OK);
    gfp_vec_set(l->field, f->digits, x, n);
    f->len = n;
    lab_free(x);
    gmp_randclear(random);
}

static void expect_poly(const lab *l, const gfp_poly *c, const gfp_poly *a, const gfp_poly *b)
{
    assert_int_equal(c->len, a->len + b->len - 1);
    expect_product(l, c->digits, a->digits, a->len, b->digits, b->len, 0, c->len);
}

/* Verification compares with points, or with a method of another family. */
static void short_products_pick_kronecker(void **state)
{
    const lab *l = lab_named("p16");
    gfp_poly a, b, c;
    (void)state;
    gfp_poly_init(&a, l->field);
    gfp_poly_init(&b, l->field);
    gfp_poly_init(&c, l->field);
    for (int negative = 0; negative < 2; negative++) {
        kronecker_fill(&a, l, 300, 20, negative != 0, 1);
        kronecker_fill(&b, l, 200, 9, negative != 0, 2);
        for (int verify = GFP_VERIFY_NONE; verify <= GFP_VERIFY_CROSS; verify++) {
            gfp_report report;
            gfp_options options = {.size = sizeof options, .report = &report};
            options.verify = (gfp_verify)verify;
            assert_int_equal(gfp_poly_mul(&c, &a, &b, &options), GFP_OK);
            assert_string_equal(report.method, "kronecker");
            expect_poly(l, &c, &a, &b);
            assert_int_equal(gfp_poly_sqr(&c, &a, &options), GFP_OK);
            assert_string_equal(report.method, "kronecker");
            expect_poly(l, &c, &a, &a);
        }
        /* A named method stays, and long coefficients take another one. */
        gfp_report report;
        gfp_options named = {.size = sizeof named, .report = &report, .method = "crt"};
        assert_int_equal(gfp_poly_mul(&c, &a, &b, &named), GFP_OK);
        assert_string_equal(report.method, "crt");
        named.method = NULL;
        gfp_elem_set(l->field, a.digits + 150 * l->k, lab_sample(l, l->extremes));
        assert_int_equal(gfp_poly_mul(&c, &a, &b, &named), GFP_OK);
        assert_string_not_equal(report.method, "kronecker");
        expect_poly(l, &c, &a, &b);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
}

/* Few pairs of coefficients go a way of their own. */
static void products_of_few_pairs_are_right(void **state)
{
    const lab *l = lab_named("p32");
    gfp_poly a, b, c;
    (void)state;
    gfp_poly_init(&a, l->field);
    gfp_poly_init(&b, l->field);
    gfp_poly_init(&c, l->field);
    for (size_t n = 1; n <= 4; n++) {
        kronecker_fill(&a, l, n, 31, true, (unsigned)n);
        kronecker_fill(&b, l, 5 - n, 63, true, (unsigned)n + 10);
        assert_int_equal(gfp_poly_mul(&c, &a, &b, NULL), GFP_OK);
        expect_poly(l, &c, &a, &b);
        assert_int_equal(gfp_poly_mul(&a, &a, &b, NULL), GFP_OK);
        assert_true(gfp_poly_equal(&a, &c));
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
}

/* A cap too small for the integers leaves the product to another method. */
static void caps_hold(void **state)
{
    const lab *l = lab_named("p8");
    gfp_poly a, b, c;
    (void)state;
    gfp_poly_init(&a, l->field);
    gfp_poly_init(&b, l->field);
    gfp_poly_init(&c, l->field);
    kronecker_fill(&a, l, 2000, 9, false, 3);
    kronecker_fill(&b, l, 2000, 9, true, 4);
    bool other = false;
    for (size_t cap = (size_t)1 << 22; cap >= 1 << 10; cap /= 4) {
        gfp_report report = {.method = NULL};
        gfp_error error;
        gfp_options options = {.size = sizeof options, .report = &report, .error = &error};
        options.memory_cap = cap;
        const gfp_status status = gfp_poly_mul(&c, &a, &b, &options);
        if (status == GFP_OK) {
            other = other || strcmp(report.method, "kronecker") != 0;
            expect_poly(l, &c, &a, &b);
        } else {
            assert_int_equal(status, GFP_ERR_MEMORY);
            other = true;
        }
    }
    assert_true(other);
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
}

/* One long coefficient in the last product decides for the batch. */
static void batches_scan_all_operands(void **state)
{
    enum { COUNT = 6, LEN_A = 40, LEN_B = 30, LEN = LEN_A + LEN_B - 1 };
    const lab *l = lab_named("p16");
    const size_t k = l->k;
    gmp_randstate_t random;
    (void)state;
    gmp_randinit_default(random);
    uint64_t *a = short_operand(l, COUNT * LEN_A, 12, true, random);
    uint64_t *b = short_operand(l, COUNT * LEN_B, 30, false, random);
    uint64_t *c = lab_array((size_t)COUNT * LEN * k);
    for (int longer = 0; longer < 2; longer++) {
        for (unsigned threads = 1; threads <= 2; threads++) {
            gfp_report report;
            gfp_options options = {.size = sizeof options, .report = &report, .threads = threads};
            options.verify = GFP_VERIFY_POINT;
            const gfp_batch batch = {.len_a = LEN_A, .len_b = LEN_B, .count = COUNT};
            assert_int_equal(gfp_vec_mul_batch(l->field, c, a, b, &batch, &options), GFP_OK);
            assert_true((strcmp(report.method, "kronecker") == 0) == (longer == 0));
            for (size_t i = 0; i < COUNT; i++) {
                expect_product(l, c + i * LEN * k, a + i * LEN_A * k, LEN_A, b + i * LEN_B * k,
                               LEN_B, 0, LEN);
            }
        }
        gfp_elem_set(l->field, b + (COUNT * LEN_B - 1) * k, lab_sample(l, l->extremes));
    }
    gmp_randclear(random);
    lab_free(a);
    lab_free(b);
    lab_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan_finds_the_bits),
        cmocka_unit_test(scan_ends_at_the_limit),
        cmocka_unit_test(products_are_right),
        cmocka_unit_test(short_products_pick_kronecker),
        cmocka_unit_test(products_of_few_pairs_are_right),
        cmocka_unit_test(caps_hold),
        cmocka_unit_test(batches_scan_all_operands),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
