/* unlucky.c: the report of greatest common divisors over Z counts the primes that are unlucky
 * by construction: word-size, named ones and those in stock.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/unlucky.h"

/* The gcd of a = g (X + c) and b = g (X + c + m), g = X + e, or, `lead`, of a and g (X + c + 1), g
 * = m X + e; c and e have these bits. Returns how many primes the report calls unlucky. */
static size_t count_unlucky(const mpz_t m, const char *method, uint64_t seed, bool lead,
                            size_t bits_c, size_t bits_e)
{
    zlab g = zlab_new(2), u = zlab_new(2), v = zlab_new(2);
    gfp_zvec x, y, z;
    gfp_report report = {.unlucky_primes = 99};
    const gfp_options options = {
        .method = method, .verify = GFP_VERIFY_CROSS, .verify_seed = seed, .report = &report};
    mpz_set_ui(g.c[1], 1);
    mpz_set_ui(u.c[1], 1);
    mpz_set_ui(v.c[1], 1);
    mpz_setbit(u.c[0], bits_c);
    mpz_setbit(g.c[0], bits_e);
    mpz_add_ui(g.c[0], g.c[0], 1);
    if (lead) {
        mpz_set(g.c[1], m);
        mpz_add_ui(v.c[0], u.c[0], 1);
    } else {
        mpz_add(v.c[0], u.c[0], m);
    }
    zlab a = zlab_product(g, u), b = zlab_product(g, v);
    gfp_zvec_init(&x, ring);
    gfp_zvec_init(&y, ring);
    gfp_zvec_init(&z, ring);
    zlab_set(&x, a);
    zlab_set(&y, b);
    assert_int_equal(gfp_zvec_gcd(&z, &x, &y, &options), GFP_OK);
    zlab_expect(&z, g, method);
    assert_string_equal(report.method, method);
    gfp_zvec_clear(&x);
    gfp_zvec_clear(&y);
    gfp_zvec_clear(&z);
    zlab_free(&a);
    zlab_free(&b);
    zlab_free(&g);
    zlab_free(&u);
    zlab_free(&v);
    return report.unlucky_primes;
}

/* c and e are longer than all primes of m, and than a named prime: big primes of k = 8 are drawn,
 * and no candidate is short before. */
static size_t unlucky_count(const mpz_t m, const char *method, uint64_t seed, bool lead)
{
    return count_unlucky(m, method, seed, lead, 6000, 5500);
}

static void unlucky_primes_are_counted(void **state)
{
    mpz_t m;
    (void)state;
    mpz_init_set_ui(m, 5);
    assert_int_equal(unlucky_count(m, "words", 1, false), 0);
    assert_int_equal(unlucky_count(m, "big", 0, false), 0);
    assert_int_equal(unlucky_count(m, "big", 1, false), 0);
    /* p2, the prime that suffices, comes first. */
    mpz_set_ui(m, UINT64_C(0x8020000000000000));
    mpz_mul(m, m, m);
    mpz_add_ui(m, m, 1);
    assert_int_equal(count_unlucky(m, "big", 0, false, 3, 6), 1);
    unlucky_words(m, 0, 2, 0);
    assert_int_equal(unlucky_count(m, "words", 1, false), 16);
    assert_int_equal(unlucky_count(m, "words", 1, true), 16);
    unlucky_words(m, 0, 1, 5);
    assert_int_equal(unlucky_count(m, "words", 1, false), 3);
    for (size_t count = 1; count < 7; count++) {
        unlucky_big(m, 0, count);
        assert_int_equal(unlucky_count(m, "big", 0, false), count);
        assert_int_equal(unlucky_count(m, "big", 0, true), count);
        /* Another seed, other primes. */
        assert_int_equal(unlucky_count(m, "big", 31, false), 0);
        assert_int_equal(unlucky_count(m, "words", 31, false), 0);
        /* Lucky primes come before. */
        unlucky_big(m, 3, count);
        assert_int_equal(unlucky_count(m, "big", 0, false), count);
        assert_int_equal(unlucky_count(m, "big", 0, true), count);
    }
    /* All primes of k = 8: those of k = 16 follow. */
    unlucky_big(m, 0, gfp_prime_stock_count(8) + 2);
    assert_int_equal(unlucky_count(m, "big", 0, false), gfp_prime_stock_count(8) + 2);
    mpz_clear(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unlucky_primes_are_counted),
    };
    return cmocka_run_group_tests(tests, zlab_setup, zlab_teardown);
}
