/* calls.c: resultants and discriminants over Z, by every method, against determinants and
 * FLINT; leading coefficients that vanish modulo primes; threads, caps, failing allocations.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/rows.h"
#include "modular/unlucky.h"
#include "modular/lab.h"

#if GFP_HAVE_FLINT
#include <flint/fmpz.h>
#include <flint/fmpz_poly.h>

#include "gfpoly/zvec_flint.h"
#endif

static const char *const methods[] = {NULL, "words", "big",
#if GFP_HAVE_FLINT
                                      "flint"
#endif
};
#define METHODS (sizeof methods / sizeof *methods)

/* Fails the test unless all methods give r; "big" may have no prime. */
static void expect_resultant(zlab a, zlab b, const mpz_t r, const char *what)
{
    gfp_zvec x, y, z;
    zlab expected = zlab_new(1);
    mpz_set(expected.c[0], r);
    gfp_zvec_init(&x, ring);
    gfp_zvec_init(&y, ring);
    gfp_zvec_init(&z, ring);
    zlab_set(&x, a);
    zlab_set(&y, b);
    for (size_t j = 0; j < 2 * METHODS; j++) {
        const size_t i = j / 2; /* "big" begins at its first primes, then where a seed says */
        gfp_report report = {.threads = 0};
        const gfp_options options = {.method = methods[i],
                                     .verify = (gfp_verify)(GFP_VERIFY_NONE + i % 3),
                                     .verify_seed = j % 2 == 0 ? 0 : 5,
                                     .report = &report};
        const gfp_status status = gfp_zvec_resultant(&z, &x, &y, &options);
        if (i == 2 && status == GFP_ERR_UNAVAILABLE) {
            continue;
        }
        assert_int_equal(status, GFP_OK);
        zlab_expect(&z, expected, what);
        assert_non_null(report.method);
    }
    gfp_zvec_clear(&x);
    gfp_zvec_clear(&y);
    gfp_zvec_clear(&z);
    zlab_free(&expected);
}

static void expect_definition(zlab a, zlab b, const char *what)
{
    mpz_t r;
    mpz_init(r);
    zlab_resultant(r, a, b);
    expect_resultant(a, b, r, what);
    mpz_clear(r);
}

static void small_resultants_are_determinants(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 1);
    for (size_t trial = 0; trial < 200; trial++) {
        const size_t la = 1 + gfp_random_below(&g, 9), lb = 1 + gfp_random_below(&g, 9);
        const size_t bits = 1 + gfp_random_below(&g, trial % 4 == 0 ? 700 : 70);
        zlab a = zlab_random(la, bits, 1 + trial % 3, &g);
        zlab b = zlab_random(lb, 1 + gfp_random_below(&g, bits), 1 + trial % 2, &g);
        expect_definition(a, b, "random");
        zlab_free(&a);
        zlab_free(&b);
    }
}

/* Coefficients -2^bits, 2^bits and their neighbours: results next to powers of two, of either sign,
 * among them those at half of whole limbs. */
static void signs_at_powers_of_two_are_right(void **state)
{
    (void)state;
    for (size_t bits = 0; bits <= 130; bits++) {
        for (size_t trial = 0; trial < 8; trial++) {
            zlab f[2] = {zlab_new(1 + trial % 4), zlab_new(1 + (bits + trial / 4) % 3)};
            for (size_t side = 0; side < 2; side++) {
                for (size_t i = 0; i < f[side].len; i++) {
                    mpz_setbit(f[side].c[i], bits);
                    if ((trial + bits) % 3 != 0) {
                        mpz_sub_ui(f[side].c[i], f[side].c[i], (trial + side) % 2);
                    }
                    if ((trial >> side & 1) != 0 || i % 2 != 0) {
                        mpz_neg(f[side].c[i], f[side].c[i]);
                    }
                }
                if (f[side].len > 0 && mpz_sgn(f[side].c[f[side].len - 1]) == 0) {
                    mpz_set_si(f[side].c[f[side].len - 1], -1);
                }
            }
            expect_definition(f[0], f[1], "powers of two");
            zlab_free(&f[0]);
            zlab_free(&f[1]);
        }
    }
}

static void common_factors_give_zero(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 2);
    for (size_t trial = 0; trial < 20; trial++) {
        zlab u = zlab_random(4, 60, 1, &g), v = zlab_random(6, 20, 1, &g);
        zlab d = zlab_random(2 + trial % 3, 30, 1, &g);
        zlab a = zlab_product(u, d), b = zlab_product(v, d);
        mpz_t zero;
        mpz_init(zero);
        expect_resultant(a, b, zero, "common factor");
        mpz_clear(zero);
        zlab_free(&a);
        zlab_free(&b);
        zlab_free(&u);
        zlab_free(&v);
        zlab_free(&d);
    }
}

static void zeros_and_constants(void **state)
{
    gfp_random g;
    zlab none = zlab_new(0);
    mpz_t r;
    (void)state;
    gfp_random_seed(&g, 3);
    mpz_init(r);
    for (size_t len = 0; len < 6; len++) {
        zlab f = zlab_random(len, 100, 1, &g), c = zlab_random(1, 100, 1, &g);
        expect_resultant(none, f, r, "0");
        expect_resultant(f, none, r, "0");
        if (len > 0) {
            mpz_pow_ui(r, c.c[0], len - 1);
            expect_resultant(f, c, r, "constant");
            expect_resultant(c, f, r, "constant");
            mpz_set_ui(r, 0);
        }
        zlab_free(&f);
        zlab_free(&c);
    }
    mpz_clear(r);
    zlab_free(&none);
}

/* Leading coefficients, and more, that vanish modulo the first word-size primes and modulo the
 * named prime p2 ... p8. */
static void leading_coefficients_may_vanish(void **state)
{
    static const char *const names[] = {"p2", "p4", "p8"};
    gfp_random g;
    mpz_t factor, p;
    (void)state;
    gfp_random_seed(&g, 4);
    mpz_init(factor);
    mpz_init(p);
    for (size_t trial = 0; trial < 48; trial++) {
        zlab a = zlab_random(3 + trial % 4, 20, 1, &g), b = zlab_random(2 + trial % 5, 20, 1, &g);
        unlucky_words(factor, 0, 1, 0);
        if (trial % 4 < 3) {
            gfp_field *field;
            assert_int_equal(gfp_field_create(&field, names[trial % 3], NULL, NULL), GFP_OK);
            assert_int_equal(mpz_set_str(p, gfp_field_get_info(field).modulus, 10), 0);
            gfp_field_destroy(field);
            mpz_set(factor, p);
        }
        /* One, two, or all leading coefficients; of a, of b, or of both. */
        for (size_t i = 0; i < 1 + trial % 2; i++) {
            if (trial % 3 != 1) {
                mpz_mul(a.c[a.len - 1 - i], a.c[a.len - 1 - i], factor);
            }
            if (trial % 3 != 0 && b.len > i) {
                mpz_mul(b.c[b.len - 1 - i], b.c[b.len - 1 - i], factor);
            }
        }
        expect_definition(a, b, "vanishing");
        zlab_free(&a);
        zlab_free(&b);
    }
    mpz_clear(p);
    mpz_clear(factor);
}

/* The same modulo the primes that "big" draws first: p8, m8 and some in stock. */
static void leading_coefficients_may_vanish_modulo_big_primes(void **state)
{
    gfp_random g;
    mpz_t factor;
    (void)state;
    gfp_random_seed(&g, 14);
    mpz_init(factor);
    for (size_t count = 1; count < 5; count++) {
        unlucky_big(factor, 0, count);
        for (size_t trial = 0; trial < 30; trial++) {
            zlab a = zlab_random(3 + trial % 4, 20, 1, &g);
            zlab b = zlab_random(2 + trial % 5, 20, 1, &g);
            mpz_t *lead[] = {&a.c[a.len - 1], &b.c[b.len - 1], &a.c[a.len - 2]};
            for (size_t i = 0; i < 3; i++) {
                if ((1 + trial % 7) >> i & 1) {
                    mpz_mul(*lead[i], *lead[i], factor);
                }
            }
            expect_definition(a, b, "vanishing");
            zlab_free(&a);
            zlab_free(&b);
        }
    }
    mpz_clear(factor);
}

static void discriminants_follow_the_definition(void **state)
{
    gfp_random g;
    gfp_zvec x, z;
    mpz_t r;
    (void)state;
    gfp_random_seed(&g, 5);
    gfp_zvec_init(&x, ring);
    gfp_zvec_init(&z, ring);
    mpz_init(r);
    for (size_t len = 0; len < 12; len++) {
        for (size_t trial = 0; trial < 6; trial++) {
            zlab f = zlab_random(len, 1 + 40 * trial, 1 + trial % 2, &g), expected = zlab_new(1);
            if (len == 2) {
                mpz_set_ui(expected.c[0], 1);
            } else if (len > 2) {
                zlab d = zlab_new(len - 1);
                for (size_t i = 0; i + 1 < len; i++) {
                    mpz_mul_ui(d.c[i], f.c[i + 1], i + 1);
                }
                zlab_resultant(r, f, d);
                mpz_divexact(r, r, f.c[len - 1]);
                if ((len - 1) * (len - 2) / 2 % 2 == 1) {
                    mpz_neg(r, r);
                }
                mpz_set(expected.c[0], r);
                zlab_free(&d);
            }
            zlab_set(&x, f);
            assert_int_equal(gfp_zvec_discriminant(&z, &x, NULL), GFP_OK);
            zlab_expect(&z, expected, "discriminant");
            zlab_free(&expected);
            zlab_free(&f);
        }
    }
    mpz_clear(r);
    gfp_zvec_clear(&x);
    gfp_zvec_clear(&z);
}

#if GFP_HAVE_FLINT
/* r := FLINT's resultant. */
static void by_flint(mpz_t r, const gfp_zvec *a, const gfp_zvec *b)
{
    fmpz_poly_t fa, fb;
    fmpz_t value;
    fmpz_poly_init(fa);
    fmpz_poly_init(fb);
    fmpz_init(value);
    assert_int_equal(gfp_zvec_get_fmpz_poly(fa, a), GFP_OK);
    assert_int_equal(gfp_zvec_get_fmpz_poly(fb, b), GFP_OK);
    fmpz_poly_resultant_modular(value, fa, fb);
    fmpz_get_mpz(r, value);
    fmpz_clear(value);
    fmpz_poly_clear(fa);
    fmpz_poly_clear(fb);
}

/* Sizes that need one basis, several parts, and a last part of few blocks. */
static void long_resultants_are_those_of_flint(void **state)
{
    static const struct {
        size_t la, lb, bits;
    } sizes[] = {{20, 20, 10},   {33, 17, 200},  {65, 64, 64},  {40, 90, 150}, {130, 100, 40},
                 {30, 30, 1000}, {25, 20, 3000}, {200, 3, 500}, {3, 120, 90},  {55, 55, 1300}};
    gfp_random g;
    mpz_t r;
    (void)state;
    gfp_random_seed(&g, 6);
    mpz_init(r);
    for (size_t i = 0; LAB_ROW(sizes, i); i++) {
        zlab a = zlab_random(sizes[i].la, sizes[i].bits, 1 + i % 2, &g);
        zlab b = zlab_random(sizes[i].lb, sizes[i].bits, 1 + i % 3, &g);
        gfp_zvec x, y;
        gfp_zvec_init(&x, ring);
        gfp_zvec_init(&y, ring);
        zlab_set(&x, a);
        zlab_set(&y, b);
        by_flint(r, &x, &y);
        expect_resultant(a, b, r, "long");
        gfp_zvec_clear(&x);
        gfp_zvec_clear(&y);
        zlab_free(&a);
        zlab_free(&b);
    }
    mpz_clear(r);
}
#endif

/* ---- calls ---- */

static void make_pair(gfp_zvec *x, gfp_zvec *y, gfp_zring *over, size_t len, size_t bits)
{
    gfp_random g;
    gfp_random_seed(&g, 7);
    zlab a = zlab_random(len, bits, 1, &g), b = zlab_random(len - 1, bits, 1, &g);
    gfp_zvec_init(x, over);
    gfp_zvec_init(y, over);
    zlab_set(x, a);
    zlab_set(y, b);
    zlab_free(&a);
    zlab_free(&b);
}

static void threads_and_outputs_that_are_inputs(void **state)
{
    gfp_zvec x, y, one, more;
    gfp_report report;
    const gfp_options options = {.threads = 3, .method = "words", .report = &report};
    (void)state;
    make_pair(&x, &y, ring, 60, 300);
    gfp_zvec_init(&one, ring);
    gfp_zvec_init(&more, ring);
    assert_int_equal(gfp_zvec_resultant(&one, &x, &y, NULL), GFP_OK);
    assert_int_equal(gfp_zvec_resultant(&more, &x, &y, &options), GFP_OK);
    assert_int_equal(report.threads, gfp_build_get_info()->threads ? 3 : 1);
    assert_true(gfp_zvec_equal(&one, &more));
    assert_int_equal(gfp_zvec_resultant(&x, &x, &y, NULL), GFP_OK);
    assert_true(gfp_zvec_equal(&one, &x));
    gfp_zvec_clear(&x);
    gfp_zvec_clear(&y);
    gfp_zvec_clear(&one);
    gfp_zvec_clear(&more);
}

/* The result would have 32 million bits, the supply of primes has 24, and that of big ones 1.4. */
static void results_beyond_all_primes_are_refused(void **state)
{
    const size_t width = 125000;
    uint64_t *limbs = calloc(3 * width, sizeof *limbs);
    gfp_zvec x, z;
    gfp_error error;
    gfp_options options = {.method = "words", .error = &error};
    (void)state;
    assert_non_null(limbs);
    for (size_t i = 0; i < 3; i++) {
        limbs[(i + 1) * width - 1] = i + 1;
        limbs[i * width] = 1; /* no common content */
    }
    gfp_zvec_init(&x, ring);
    gfp_zvec_init(&z, ring);
    assert_int_equal(gfp_zvec_set_limbs(&x, limbs, 3, width), GFP_OK);
    assert_int_equal(gfp_zvec_resultant(&z, &x, &x, &options), GFP_ERR_SIZE);
    assert_non_null(strstr(error.message, "more bits than the word-size primes"));
    options.method = "big";
    assert_int_equal(gfp_zvec_resultant(&z, &x, &x, &options), GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "more bits than all big primes"));
    assert_int_equal(z.len, 0);
    gfp_zvec_clear(&x);
    gfp_zvec_clear(&z);
    free(limbs);
}

static void bad_arguments(void **state)
{
    gfp_zvec x, y, z;
    gfp_zring *other;
    gfp_error error;
    gfp_options options = {.error = &error};
    (void)state;
    make_pair(&x, &y, ring, 5, 30);
    assert_int_equal(gfp_zring_create(&other, NULL, NULL), GFP_OK);
    gfp_zvec_init(&z, other);
    assert_int_equal(gfp_zvec_resultant(NULL, &x, &y, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zvec_resultant(&x, NULL, &y, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zvec_resultant(&z, &x, &y, &options), GFP_ERR_FIELD_MISMATCH);
    options.method = "magic";
    assert_int_equal(gfp_zvec_resultant(&x, &x, &y, &options), GFP_ERR_UNKNOWN);
    assert_non_null(strstr(error.message, "magic"));
    options.method = "kronecker";
    assert_int_equal(gfp_zvec_resultant(&x, &x, &y, &options), GFP_ERR_UNAVAILABLE);
    gfp_zvec_clear(&x);
    gfp_zvec_clear(&y);
    gfp_zvec_clear(&z);
    gfp_zring_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_resultants_are_determinants),
        cmocka_unit_test(signs_at_powers_of_two_are_right),
        cmocka_unit_test(common_factors_give_zero),
        cmocka_unit_test(zeros_and_constants),
        cmocka_unit_test(leading_coefficients_may_vanish),
        cmocka_unit_test(leading_coefficients_may_vanish_modulo_big_primes),
        cmocka_unit_test(discriminants_follow_the_definition),
#if GFP_HAVE_FLINT
        cmocka_unit_test(long_resultants_are_those_of_flint),
#endif
        cmocka_unit_test(threads_and_outputs_that_are_inputs),
        cmocka_unit_test(results_beyond_all_primes_are_refused),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, zlab_setup, zlab_teardown);
}
