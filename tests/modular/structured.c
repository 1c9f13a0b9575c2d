/* structured.c: gcds and resultants over Z of operands with a structure: powers of X,
 * polynomials in X^s, contents, constant and linear operands, divisors of short coefficients.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/rows.h"
#include "modular/lab.h"

#include "modular/resultant/impl.h"

static gfp_zvec x, y, z, u, v, other;
static gfp_zvec *const all[] = {&x, &y, &z, &u, &v, &other};
#define VECTORS (sizeof all / sizeof *all)

static int structured_setup(void **state)
{
    const int failed = zlab_setup(state);
    for (size_t i = 0; i < VECTORS && failed == 0; i++) {
        gfp_zvec_init(all[i], ring);
    }
    return failed;
}

static int structured_teardown(void **state)
{
    for (size_t i = 0; i < VECTORS; i++) {
        gfp_zvec_clear(all[i]);
    }
    return zlab_teardown(state);
}

/* c X^power f(X^step). */
static zlab structured_inflated(zlab f, size_t power, size_t step, unsigned long c)
{
    zlab g = zlab_new(f.len == 0 ? 0 : power + (f.len - 1) * step + 1);
    for (size_t i = 0; i < f.len; i++) {
        mpz_mul_ui(g.c[power + i * step], f.c[i], c);
    }
    return g;
}

/* z := the polynomial of this many terms, which are 1, or c X^(len - 1) + d. */
static void set_ones(gfp_zvec *to, size_t len)
{
    zlab f = zlab_new(len);
    for (size_t i = 0; i < len; i++) {
        mpz_set_ui(f.c[i], 1);
    }
    zlab_set(to, f);
    zlab_free(&f);
}

static void set_two(gfp_zvec *to, size_t degree, long c, long d)
{
    zlab f = zlab_new(degree + 1);
    mpz_set_si(f.c[degree], c);
    mpz_set_si(f.c[0], d);
    zlab_set(to, f);
    zlab_free(&f);
}

/* Fails the test unless f g = h. */
static void expect_product(const gfp_zvec *f, const gfp_zvec *g, const gfp_zvec *h)
{
    assert_int_equal(gfp_zvec_mul(&other, f, g, NULL), GFP_OK);
    assert_true(gfp_zvec_equal(&other, h));
}

/* ---- greatest common divisors ---- */

static const char *const gcd_methods[] = {NULL, "words", "kronecker", "big"};

/* The gcd of c X^i a(X^s) and d X^j b(X^s) is that of c a and d b with X^s for X, times the power.
 */
static void expect_inflated_gcd(zlab a, zlab b, size_t i, size_t j, size_t s)
{
    static const unsigned long contents[][2] = {{1, 1}, {12, 18}, {5, 1}};
    const unsigned long *c = contents[(i + j + s) % 3];
    zlab short_a = structured_inflated(a, 0, 1, c[0]), short_b = structured_inflated(b, 0, 1, c[1]);
    zlab long_a = structured_inflated(a, i, s, c[0]), long_b = structured_inflated(b, j, s, c[1]);
    zlab_set(&x, short_a);
    zlab_set(&y, short_b);
    assert_int_equal(gfp_zvec_gcd(&z, &x, &y, NULL), GFP_OK);
    zlab g = zlab_of(&z), expected = structured_inflated(g, i < j ? i : j, s, 1);
    zlab_set(&x, long_a);
    zlab_set(&y, long_b);
    for (size_t k = 0; LAB_ROW(gcd_methods, k); k++) {
        const gfp_options options = {.method = gcd_methods[k],
                                     .verify = (gfp_verify)(GFP_VERIFY_NONE + (k + i) % 3),
                                     .verify_seed = 5};
        assert_int_equal(gfp_zvec_gcd_cofactors(&z, &u, &v, &x, &y, &options), GFP_OK);
        zlab_expect(&z, expected, "inflated");
        expect_product(&z, &u, &x);
        expect_product(&z, &v, &y);
        assert_int_equal(gfp_zvec_gcd(&u, &x, &y, &options), GFP_OK);
        assert_true(gfp_zvec_equal(&z, &u));
    }
    zlab *const made[] = {&short_a, &short_b, &long_a, &long_b, &g, &expected};
    for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
        zlab_free(made[k]);
    }
}

static void gcds_of_polynomials_in_a_power(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 1);
    for (size_t trial = 0; trial < 60; trial++) {
        zlab f = zlab_random(1 + gfp_random_below(&g, 4), 1 + 20 * (trial % 4), 1 + trial % 3, &g);
        zlab a = zlab_random(1 + trial % 5, 30, 1, &g), b = zlab_random(1 + trial % 7, 90, 2, &g);
        zlab *const factors[] = {&f, &a, &b};
        for (size_t k = 0; k < 3; k++) { /* the root 0 is that of the powers alone */
            mpz_set_ui(factors[k]->c[0], 1 + k);
        }
        zlab fa = zlab_product(f, a), fb = zlab_product(f, b);
        expect_inflated_gcd(fa, fb, gfp_random_below(&g, 4), gfp_random_below(&g, 4),
                            1 + trial % 6);
        zlab *const made[] = {&f, &a, &b, &fa, &fb};
        for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
            zlab_free(made[k]);
        }
    }
}

/* Lengths for which steps of a length that is not reduced take minutes. */
static void long_gcds_of_few_terms(void **state)
{
    gfp_report report;
    const gfp_options options = {
        .report = &report, .verify = GFP_VERIFY_POINT, .memory_cap = (size_t)1 << 28};
    (void)state;
    set_two(&x, 1000000, 1, 0);
    set_two(&y, 750000, 6, 0);
    assert_int_equal(gfp_zvec_gcd(&z, &x, &y, &options), GFP_OK);
    set_two(&y, 750000, 1, 0);
    assert_true(gfp_zvec_equal(&z, &y));
    assert_string_equal(report.method, "content");

    set_two(&x, 600000, 1, -1);
    set_two(&y, 420000, 2, -2);
    assert_int_equal(gfp_zvec_gcd_cofactors(&z, &u, &v, &x, &y, &options), GFP_OK);
    expect_product(&z, &u, &x);
    expect_product(&z, &v, &y);
    set_two(&other, 60000, 1, -1);
    assert_true(gfp_zvec_equal(&z, &other));
}

/* Candidates whose greatest coefficients do not show that the digits are those of the product: the
 * norms do, or the product itself. */
static void candidates_of_short_digits(void **state)
{
    gfp_report report;
    const gfp_options options = {.method = "kronecker", .report = &report};
    (void)state;
    set_ones(&x, 4000);
    set_ones(&y, 2800);
    assert_int_equal(gfp_zvec_gcd_cofactors(&z, &u, &v, &x, &y, &options), GFP_OK);
    assert_string_equal(report.method, "kronecker");
    expect_product(&z, &u, &x);
    expect_product(&z, &v, &y);
    set_ones(&other, 400);
    assert_true(gfp_zvec_equal(&z, &other));
    /* (1 - X)^2 divides (1 - X^800)^2 and (2 X + 3) (1 - X)^2; the cofactor has 1599 terms of up to
     * ten bits. */
    set_two(&z, 1, -1, 1);
    set_ones(&u, 800);
    assert_int_equal(gfp_zvec_mul(&x, &z, &u, NULL), GFP_OK);
    assert_int_equal(gfp_zvec_mul(&x, &x, &x, NULL), GFP_OK);
    assert_int_equal(gfp_zvec_mul(&z, &z, &z, NULL), GFP_OK);
    set_two(&y, 1, 2, 3);
    assert_int_equal(gfp_zvec_mul(&y, &y, &z, NULL), GFP_OK);
    assert_int_equal(gfp_zvec_gcd_cofactors(&v, &u, &other, &x, &y, &options), GFP_OK);
    assert_true(gfp_zvec_equal(&v, &z));
    assert_string_equal(report.method, "kronecker");
    expect_product(&v, &u, &x);
}

/* ---- resultants ---- */

static const char *const methods[] = {NULL, "words", "big"};

static void expect_resultant(zlab a, zlab b, const char *what)
{
    zlab expected = zlab_new(1);
    zlab_resultant(expected.c[0], a, b);
    zlab_set(&x, a);
    zlab_set(&y, b);
    for (size_t i = 0; i < 9; i++) {
        gfp_report report;
        const gfp_verify verify = (gfp_verify)(GFP_VERIFY_NONE + i % 3);
        const gfp_options options = {
            .method = methods[i / 3], .verify = verify, .verify_seed = 7, .report = &report};
        assert_int_equal(gfp_zvec_resultant(&z, &x, &y, &options), GFP_OK);
        zlab_expect(&z, expected, what);
        assert_non_null(report.method);
    }
    zlab_free(&expected);
}

static void resultants_of_polynomials_in_a_power(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 2);
    for (size_t trial = 0; trial < 120; trial++) {
        const size_t i = trial % 3 == 0 ? gfp_random_below(&g, 4) : 0, step = 1 + trial % 4;
        const size_t j = trial % 3 == 1 ? gfp_random_below(&g, 4) : trial % 20 == 0;
        zlab a = zlab_random(1 + gfp_random_below(&g, 4), 1 + trial, 1 + trial % 2, &g);
        zlab b = zlab_random(1 + gfp_random_below(&g, 5), 40, 1, &g);
        zlab long_a = structured_inflated(a, i, step, 1 + trial % 5),
             long_b = structured_inflated(b, j, step, 6);
        expect_resultant(long_a, long_b, "inflated");
        zlab *const made[] = {&a, &b, &long_a, &long_b};
        for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
            zlab_free(made[k]);
        }
    }
}

/* Enough coefficients for contents. */
static void resultants_of_operands_with_contents(void **state)
{
    gfp_random g;
    mpz_t c;
    (void)state;
    mpz_init(c);
    gfp_random_seed(&g, 3);
    for (size_t trial = 0; trial < 4; trial++) {
        zlab a = zlab_random(60 - trial, 9, 1, &g), b = zlab_random(5 + trial, 5, 1, &g);
        mpz_set_si(c, -1);
        mpz_mul_2exp(c, c, 150);
        mpz_add_ui(c, c, 7);
        for (size_t i = 0; i < a.len; i++) {
            mpz_mul(a.c[i], a.c[i], c);
        }
        for (size_t i = 0; i < b.len && trial % 2 == 1; i++) {
            mpz_mul_ui(b.c[i], b.c[i], 35);
        }
        expect_resultant(trial < 2 ? a : b, trial < 2 ? b : a, "contents");
        zlab_free(&a);
        zlab_free(&b);
    }
    mpz_clear(c);
}

/* All lengths around the sizes of leaves and halves, both orders, signs of both coefficients. */
static void linear_operands(void **state)
{
    static const size_t lengths[] = {2,  3,  4,  31, 32,  33,  34,  63,  64,
                                     65, 66, 96, 97, 127, 128, 129, 161, 300};
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 4);
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        zlab a = zlab_random(lengths[i], 1 + 17 * (i % 9), 1 + (i % 3) * 20, &g);
        zlab b = zlab_random(2, i % 4 == 0 ? 1 : 70, 1, &g);
        zlab_set(&x, a);
        zlab_set(&y, b);
        for (unsigned swapped = 0; swapped < 2; swapped++) {
            gfp_report report;
            const gfp_options linear = {.report = &report,
                                        .verify = GFP_VERIFY_POINT,
                                        .threads = 2},
                              cross = {.verify = GFP_VERIFY_CROSS}, words = {.method = "words"};
            assert_int_equal(gfp_zvec_resultant(&u, &x, &y, &words), GFP_OK);
            assert_int_equal(gfp_zvec_resultant(&z, &x, &y, &linear), GFP_OK);
            assert_true(gfp_zvec_equal(&z, &u));
            assert_true(report.verified == GFP_VERIFY_POINT || z.len == 0);
            assert_true(z.len == 0 || strcmp(report.method, "linear") == 0 ||
                        strcmp(report.method, "power") == 0);
            assert_int_equal(gfp_zvec_resultant(&z, &x, &y, &cross), GFP_OK);
            assert_true(gfp_zvec_equal(&z, &u));
            gfp_zvec_swap(&x, &y);
        }
        zlab_free(&a);
        zlab_free(&b);
    }
}

/* X^n - 1 and 3 X - 2: 3^n - 2^n for odd n; X^n - 1 and X^m + 3, X^n - 2 and its derivative. */
static void long_resultants_of_few_terms(void **state)
{
    gfp_report report;
    const gfp_options options = {
        .report = &report, .verify = GFP_VERIFY_POINT, .memory_cap = (size_t)1 << 26};
    zlab expected = zlab_new(1);
    mpz_t t;
    (void)state;
    mpz_init(t);
    set_two(&x, 100001, 1, -1);
    set_two(&y, 1, 3, -2);
    assert_int_equal(gfp_zvec_resultant(&z, &x, &y, &options), GFP_OK);
    assert_string_equal(report.method, "linear");
    assert_int_equal(report.verified, GFP_VERIFY_POINT);
    mpz_ui_pow_ui(expected.c[0], 3, 100001);
    mpz_ui_pow_ui(t, 2, 100001);
    mpz_sub(expected.c[0], expected.c[0], t);
    zlab_expect(&z, expected, "3^n - 2^n");

    /* ((X^3 - 1) and (X^2 + 3)) in X^20000: their resultant is (1 + 3^3). */
    set_two(&x, 60000, 1, -1);
    set_two(&y, 40000, 1, 3);
    assert_int_equal(gfp_zvec_resultant(&z, &x, &y, &options), GFP_OK);
    mpz_ui_pow_ui(expected.c[0], 28, 20000);
    zlab_expect(&z, expected, "28^20000");

    /* (-1)^(n (n - 1) / 2) n^n a^(n - 1) for X^n + a. */
    set_two(&x, 5000, 1, -2);
    assert_int_equal(gfp_zvec_discriminant(&z, &x, &options), GFP_OK);
    mpz_ui_pow_ui(expected.c[0], 5000, 5000);
    mpz_mul_2exp(expected.c[0], expected.c[0], 4999);
    mpz_neg(expected.c[0], expected.c[0]);
    zlab_expect(&z, expected, "discriminant");
    mpz_clear(t);
    zlab_free(&expected);

    /* Both operands have the root 0, or one has a double one. */
    set_two(&x, 200000, 1, 0);
    set_two(&y, 100000, 1, 0);
    assert_int_equal(gfp_zvec_resultant(&z, &x, &y, &options), GFP_OK);
    assert_int_equal(z.len, 0);
    assert_int_equal(gfp_zvec_discriminant(&z, &x, &options), GFP_OK);
    assert_int_equal(z.len, 0);
}

static void checks_see_wrong_resultants(void **state)
{
    uint64_t a[] = {5, 0, 1}, b[] = {-(uint64_t)3, 1}, c[] = {7}, r[] = {7 * 7 * 14 * 14};
    const gfp_options options = {.verify_seed = 3};
    /* 7^2 res(X^2 + 5, X - 3)^2, the value at 3. */
    const gfp_zfactored f = {.pair = {{a, 3, 1}, {b, 2, 1}, 10},
                             .power = 2,
                             .count = 1,
                             .base = {{c, 1}},
                             .exponent = {2}};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        gfp_zfactored g = f;
        gfp_zcall call;
        g.power += i == 1;
        g.exponent[0] += i == 2;
        g.negative = i == 3;
        assert_int_equal(zlab_call_begin(&call, "check", ring, &options), GFP_OK);
        const gfp_status status = gfp_zresultant_check(&call, (gfp_zpoly){r, 1, 1}, &g);
        assert_int_equal(gfp_call_end(&call.base, status), i == 0 ? GFP_OK : GFP_ERR_VERIFY);
    }
}

/* -2^(64 w - 1) has no opposite in w limbs: equal coefficients of this value are not opposite. */
static void least_numbers_of_a_width(void **state)
{
    static const char *const names[] = {"auto", "words"};
    static const uint64_t first[][4] = {{3, (uint64_t)1 << 63}, {3, 0, 0, (uint64_t)1 << 63}},
                          second[][4] = {{(uint64_t)-3, (uint64_t)1 << 63},
                                         {(uint64_t)-3, UINT64_MAX, 0, (uint64_t)1 << 63}};
    (void)state;
    for (size_t width = 1; width <= 2; width++) {
        for (size_t i = 0; LAB_ROW(names, i); i++) {
            const gfp_options options = {.method = names[i]};
            gfp_zvec a, b, g;
            gfp_zvec_init(&a, ring);
            gfp_zvec_init(&b, ring);
            gfp_zvec_init(&g, ring);
            assert_int_equal(gfp_zvec_set_limbs(&a, first[width - 1], 2, width), GFP_OK);
            assert_int_equal(gfp_zvec_set_limbs(&b, second[width - 1], 2, width), GFP_OK);
            assert_int_equal(gfp_zvec_gcd(&g, &a, &b, &options), GFP_OK);
            assert_int_equal(g.len, 1);
            assert_int_equal(g.limbs[0], 1);
            gfp_zvec_clear(&a);
            gfp_zvec_clear(&b);
            gfp_zvec_clear(&g);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_numbers_of_a_width),
        cmocka_unit_test(gcds_of_polynomials_in_a_power),
        cmocka_unit_test(long_gcds_of_few_terms),
        cmocka_unit_test(candidates_of_short_digits),
        cmocka_unit_test(resultants_of_polynomials_in_a_power),
        cmocka_unit_test(resultants_of_operands_with_contents),
        cmocka_unit_test(linear_operands),
        cmocka_unit_test(long_resultants_of_few_terms),
        cmocka_unit_test(checks_see_wrong_resultants),
    };
    return cmocka_run_group_tests(tests, structured_setup, structured_teardown);
}
