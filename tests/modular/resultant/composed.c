/* composed.c: composed sums and products of polynomials over Z against the roots of both.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/lab.h"

#include "gfpoly/zbipoly.h"

/* f := c times the product of X - root[i]. */
static zlab from_roots(const mpz_t c, mpz_t *root, size_t n)
{
    zlab f = zlab_new(1);
    mpz_set(f.c[0], c);
    for (size_t i = 0; i < n; i++) {
        zlab linear = zlab_new(2);
        mpz_neg(linear.c[0], root[i]);
        mpz_set_ui(linear.c[1], 1);
        zlab product = zlab_product(f, linear);
        zlab_free(&f);
        zlab_free(&linear);
        f = product;
    }
    return f;
}

/* f := c times the product of all u_i - v_j X. */
static zlab from_quotients(const mpz_t c, zlab u, zlab v)
{
    zlab f = zlab_new(1);
    mpz_set(f.c[0], c);
    for (size_t i = 0; i < u.len * v.len; i++) {
        zlab linear = zlab_new(2);
        mpz_set(linear.c[0], u.c[i / v.len]);
        mpz_neg(linear.c[1], v.c[i % v.len]);
        zlab product = zlab_product(f, linear);
        zlab_free(&f);
        zlab_free(&linear);
        f = product;
    }
    return f;
}

/* lead is lc(a)^n lc(b)^m. */
static void check_inverses(gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b, zlab u, zlab v,
                           const mpz_t lead, const gfp_options *options)
{
    const size_t n = u.len * v.len;
    zlab differences = zlab_new(n);
    bool zero = false;
    for (size_t i = 0; i < n; i++) {
        mpz_sub(differences.c[i], u.c[i / v.len], v.c[i % v.len]);
    }
    zlab expected = from_roots(lead, differences.c, n);
    assert_int_equal(gfp_zvec_composed(c, a, b, GFP_ZCOMPOSED_DIFFERENCE, options), GFP_OK);
    zlab_expect(c, expected, "composed difference");
    zlab_free(&expected);
    zlab_free(&differences);
    for (size_t j = 0; j < v.len; j++) {
        zero = zero || mpz_sgn(v.c[j]) == 0;
    }
    gfp_error error;
    gfp_options with_error = *options;
    with_error.error = &error;
    const gfp_status status = gfp_zvec_composed(c, a, b, GFP_ZCOMPOSED_QUOTIENT, &with_error);
    if (zero) {
        assert_int_equal(status, GFP_ERR_ARGUMENT);
        assert_int_equal(error.index, 1);
        return;
    }
    assert_int_equal(status, GFP_OK);
    expected = from_quotients(lead, u, v);
    zlab_expect(c, expected, "composed quotient");
    zlab_free(&expected);
}

/* For polynomials with integer roots u_i and v_j, among them zeros and multiple ones: the products
 * of all X - u_i - v_j, of all X - u_i v_j, X - u_i + v_j, u_i - v_j X. */
static void composed_polynomials_have_their_roots(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 8);
    for (size_t trial = 0; trial < 60; trial++) {
        const size_t m = gfp_random_below(&g, 6), n = gfp_random_below(&g, 7),
                     bits = 1 + trial % 40;
        zlab u = zlab_new(m), v = zlab_new(n), sums = zlab_new(m * n), products = zlab_new(m * n);
        mpz_t lead[3];
        size_t zeros = 0;
        for (size_t i = 0; i < 3; i++) {
            mpz_init(lead[i]);
            zlab_number(lead[i], 100, &g);
            mpz_setbit(lead[i], 0);
        }
        for (size_t i = 0; i < m; i++) {
            zlab_number(u.c[i], gfp_random_below(&g, bits), &g);
        }
        for (size_t j = 0; j < n; j++) {
            zlab_number(v.c[j], gfp_random_below(&g, bits), &g);
            zeros += mpz_sgn(v.c[j]) == 0;
        }
        for (size_t i = 0; i < m * n; i++) {
            mpz_add(sums.c[i], u.c[i / n], v.c[i % n]);
            mpz_mul(products.c[i], u.c[i / n], v.c[i % n]);
        }
        gfp_zvec a, b, c;
        gfp_zvec_init(&a, ring);
        gfp_zvec_init(&b, ring);
        gfp_zvec_init(&c, ring);
        zlab fa = from_roots(lead[0], u.c, m), fb = from_roots(lead[1], v.c, n);
        zlab_set(&a, fa);
        zlab_set(&b, fb);
        mpz_pow_ui(lead[2], lead[0], (unsigned long)(n - zeros));
        mpz_pow_ui(lead[1], lead[1], (unsigned long)m);
        mpz_mul(lead[2], lead[2], lead[1]);
        zlab expected = from_roots(lead[2], products.c, m * n);
        const gfp_options options = {.verify = (gfp_verify)(GFP_VERIFY_NONE + trial % 3)};
        assert_int_equal(gfp_zvec_composed(&c, &a, &b, GFP_ZCOMPOSED_PRODUCT, &options), GFP_OK);
        zlab_expect(&c, expected, "composed product");
        zlab_free(&expected);
        mpz_pow_ui(lead[2], lead[0], (unsigned long)n);
        mpz_mul(lead[2], lead[2], lead[1]);
        check_inverses(&c, &a, &b, u, v, lead[2], &options);
        expected = from_roots(lead[2], sums.c, m * n);
        assert_int_equal(gfp_zvec_composed(&a, &a, &b, GFP_ZCOMPOSED_SUM, &options), GFP_OK);
        zlab_expect(&a, expected, "composed sum");
        zlab_free(&expected);
        gfp_zvec_clear(&a);
        gfp_zvec_clear(&b);
        gfp_zvec_clear(&c);
        zlab *const all[] = {&u, &v, &sums, &products, &fa, &fb};
        for (size_t i = 0; i < 6; i++) {
            zlab_free(all[i]);
        }
        for (size_t i = 0; i < 3; i++) {
            mpz_clear(lead[i]);
        }
    }
}

/* The minimal polynomials of 2^(1/2) + 3^(1/3) and of their product; zeros; bad arguments. */
static void composed_polynomials_as_calls(void **state)
{
    static const char two[] = "3  -2 0 1", three[] = "4  -3 0 0 1";
    gfp_zvec a, b, c;
    char *text;
    size_t size;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&c, ring);
    assert_int_equal(gfp_zvec_from_string(&a, two, sizeof two - 1, NULL), GFP_OK);
    assert_int_equal(gfp_zvec_from_string(&b, three, sizeof three - 1, NULL), GFP_OK);
    assert_int_equal(gfp_zvec_composed(&c, &a, &b, GFP_ZCOMPOSED_PRODUCT, NULL), GFP_OK);
    assert_int_equal(gfp_zvec_to_string(&text, &size, &c), GFP_OK);
    assert_string_equal(text, "7  -72 0 0 0 0 0 1");
    gfp_free(text);
    assert_int_equal(gfp_zvec_composed(&c, &a, &b, GFP_ZCOMPOSED_SUM, NULL), GFP_OK);
    assert_int_equal(gfp_zvec_to_string(&text, &size, &c), GFP_OK);
    assert_string_equal(text, "7  1 -36 12 -6 -6 0 1");
    gfp_free(text);
    assert_int_equal(gfp_zvec_composed(&c, &a, &b, (gfp_zcomposed)4, NULL), GFP_ERR_ARGUMENT);
    gfp_zvec_clear(&b);
    assert_int_equal(gfp_zvec_composed(&c, &a, &b, GFP_ZCOMPOSED_SUM, NULL), GFP_OK);
    assert_int_equal(c.len, 0);
    assert_int_equal(gfp_zvec_composed(&c, &b, &a, GFP_ZCOMPOSED_PRODUCT, NULL), GFP_OK);
    assert_int_equal(c.len, 0);
    assert_int_equal(gfp_zvec_composed(&c, &b, &a, GFP_ZCOMPOSED_QUOTIENT, NULL), GFP_OK);
    assert_int_equal(c.len, 0);
    assert_int_equal(gfp_zvec_composed(&c, &a, &b, GFP_ZCOMPOSED_QUOTIENT, NULL), GFP_OK);
    assert_int_equal(c.len, 0);
    assert_int_equal(gfp_zvec_composed(&c, NULL, &b, GFP_ZCOMPOSED_SUM, NULL), GFP_ERR_ARGUMENT);
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(composed_polynomials_have_their_roots),
        cmocka_unit_test(composed_polynomials_as_calls),
    };
    return cmocka_run_group_tests(tests, zlab_setup, zlab_teardown);
}
