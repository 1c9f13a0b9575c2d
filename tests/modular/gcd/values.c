/* values.c: coprime operands by values: against values by GMP's arithmetic; common roots near the
 * point prove nothing.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/lab.h"

#include "modular/gcd/impl.h"

static gfp_zvec a, b;

static int values_setup(void **state)
{
    if (zlab_setup(state) != 0) {
        return -1;
    }
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    return 0;
}

static int values_teardown(void **state)
{
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    return zlab_teardown(state);
}

static gfp_zpoly poly_of(const gfp_zvec *f)
{
    return (gfp_zpoly){f->limbs, gfp_zvec_length(f), f->width};
}

/* Whether the gcd of the values at 2^step, by Horner's rule, is at most 2^(step - 1). */
static bool is_common_small(zlab x, zlab y, unsigned step)
{
    mpz_t u, v;
    mpz_inits(u, v, NULL);
    for (size_t i = x.len; i-- > 0;) {
        mpz_mul_2exp(u, u, step);
        mpz_add(u, u, x.c[i]);
    }
    for (size_t i = y.len; i-- > 0;) {
        mpz_mul_2exp(v, v, step);
        mpz_add(v, v, y.c[i]);
    }
    mpz_gcd(u, u, v);
    const bool is_small = mpz_cmp_ui(u, 1UL << (step - 1)) <= 0;
    mpz_clears(u, v, NULL);
    return is_small;
}

static gfp_zoperands operands_of(zlab x, zlab y)
{
    zlab_set(&a, x);
    zlab_set(&b, y);
    gfp_zoperands p = {.a = poly_of(&a), .b = poly_of(&b)};
    p.bits_a = gfp_zpoly_bits(p.a);
    p.bits_b = gfp_zpoly_bits(p.b);
    return p;
}

/* Counts pairs where values show that they are coprime, and others. */
static void check_values(zlab x, zlab y, bool coprime, size_t count[2])
{
    const gfp_zoperands p = operands_of(x, y);
    for (unsigned step = 8; step <= 32; step *= 2) {
        if (gfp_zvalues_serve(&p, step)) {
            const bool proved = gfp_zvalues_are_coprime(&p, step);
            assert_true(proved == is_common_small(x, y, step));
            assert_true(coprime || !proved);
            count[!proved]++;
        }
    }
}

/* Random operands, dense and sparse, with a divisor in every second pair; coefficients of all bits
 * of their limbs. */
static void values_show_coprime_operands(void **state)
{
    gfp_random g;
    size_t count[2] = {0, 0};
    (void)state;
    gfp_random_seed(&g, 9);
    for (size_t i = 0; i < 600; i++) {
        const size_t most = i % 7 == 0 ? 200 : 30, sparse = 1 + i % 4;
        zlab x = zlab_random(1 + (size_t)gfp_random_below(&g, most), 1 + i % 260, sparse, &g);
        zlab y = zlab_random(2 + (size_t)gfp_random_below(&g, most), 1 + i % 70, sparse, &g);
        zlab z = zlab_random(2 + (size_t)gfp_random_below(&g, 9), 1 + i % 90, sparse, &g);
        if (i % 3 == 0) { /* -2^63 and 2^64 - 1 */
            mpz_set_si(y.c[0], INT64_MIN);
            mpz_set_ui(x.c[x.len / 2], UINT64_MAX);
        }
        zlab u = zlab_product(x, z), v = zlab_product(y, z);
        check_values(u, v, false, count);
        check_values(x, y, true, count);
        zlab_free(&x);
        zlab_free(&y);
        zlab_free(&z);
        zlab_free(&u);
        zlab_free(&v);
    }
    assert_true(count[0] > 1000 && count[1] > 1000);
}

/* A common root near the point of the values, where the divisor's value is small: values serve only
 * if the root is below half of the point, and then prove nothing. */
static void roots_near_the_point_prove_nothing(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 10);
    for (long root = -70000; root < 70000; root += labs(root) < 300 ? 1 : 997) {
        size_t count[2] = {0, 0};
        zlab x = zlab_random(1 + (size_t)gfp_random_below(&g, 20), 20, 1, &g);
        zlab y = zlab_random(2 + (size_t)gfp_random_below(&g, 20), 9, 1, &g);
        zlab z = zlab_new(2);
        mpz_set_si(z.c[0], -root);
        mpz_set_ui(z.c[1], 1);
        zlab u = zlab_product(x, z), v = zlab_product(y, z);
        const gfp_zoperands p = operands_of(u, v);
        for (unsigned step = 8; step <= 32; step *= 2) {
            assert_true(labs(root) < 1L << (step - 1) || !gfp_zvalues_serve(&p, step));
        }
        check_values(u, v, false, count);
        assert_int_equal(count[0], 0);
        zlab_free(&x);
        zlab_free(&y);
        zlab_free(&z);
        zlab_free(&u);
        zlab_free(&v);
    }
}

/* An operand whose value is 0 shows nothing; values too long for the test do not serve. */
static void values_without_use(void **state)
{
    const uint64_t zero[] = {0 - UINT64_C(256), 1}, other[] = {1, 0, 5};
    (void)state;
    assert_int_equal(gfp_zvec_set_limbs(&a, zero, 2, 1), GFP_OK);
    assert_int_equal(gfp_zvec_set_limbs(&b, other, 3, 1), GFP_OK);
    gfp_zoperands p = {.a = poly_of(&a), .b = poly_of(&b), .bits_a = 9, .bits_b = 3};
    assert_true(gfp_zvalues_serve(&p, 8));
    assert_false(gfp_zvalues_are_coprime(&p, 8));
    p.bits_a = 70000;
    assert_false(gfp_zvalues_serve(&p, 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_show_coprime_operands),
        cmocka_unit_test(roots_near_the_point_prove_nothing),
        cmocka_unit_test(values_without_use),
    };
    return cmocka_run_group_tests(tests, values_setup, values_teardown);
}
