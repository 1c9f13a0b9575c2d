/* ragged.c: gcds, resultants and discriminants over Z of polynomials of which a few
 * coefficients are much longer than the others: they have the right values, and take memory by the
 * bits that are there.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/meter.h"
#include "modular/gcd/impl.h"
#include "modular/ragged_forms.h"

/* ---- divisors ---- */

/* f := f c. */
static void ragged_scale(zlab f, const mpz_t c)
{
    for (size_t i = 0; i < f.len; i++) {
        mpz_mul(f.c[i], f.c[i], c);
    }
}

/* The gcd of c x f and d x h is g x, f and h coprime, with contents 1, x primitive. */
static void expect_divisor(zlab f, zlab h, zlab x, const mpz_t c, const mpz_t d, const char *what)
{
    static const gfp_verify verify[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};
    zlab u = zlab_product(f, x), v = zlab_product(h, x);
    gfp_zvec a, b, z[3];
    mpz_t common, rest;
    mpz_init(common);
    mpz_init(rest);
    mpz_gcd(common, c, d);
    ragged_scale(u, c);
    ragged_scale(v, d);
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    zlab_set(&a, u);
    zlab_set(&b, v);
    zlab g = zlab_new(x.len), of_a = zlab_new(f.len), of_b = zlab_new(h.len);
    for (size_t i = 0; i < x.len; i++) {
        mpz_mul(g.c[i], x.c[i], common);
    }
    mpz_divexact(rest, c, common);
    for (size_t i = 0; i < f.len; i++) {
        mpz_mul(of_a.c[i], f.c[i], rest);
    }
    mpz_divexact(rest, d, common);
    for (size_t i = 0; i < h.len; i++) {
        mpz_mul(of_b.c[i], h.c[i], rest);
    }
    for (unsigned i = 0; i < 3; i++) {
        gfp_zvec_init(&z[i], ring);
    }
    for (unsigned i = 0; i < 3; i++) {
        gfp_report report;
        const gfp_options options = {.verify = verify[i], .report = &report};
        assert_int_equal(gfp_zvec_gcd_cofactors(&z[0], &z[1], &z[2], &a, &b, &options), GFP_OK);
        zlab_expect(&z[0], g, what);
        zlab_expect(&z[1], of_a, what);
        zlab_expect(&z[2], of_b, what);
        assert_int_equal(report.verified, verify[i]);
    }
    assert_int_equal(gfp_zvec_gcd(&a, &a, &b, NULL), GFP_OK);
    zlab_expect(&a, g, what);
    for (unsigned i = 0; i < 3; i++) {
        gfp_zvec_clear(&z[i]);
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    mpz_clear(common);
    mpz_clear(rest);
    zlab *const all[] = {&u, &v, &g, &of_a, &of_b};
    for (unsigned i = 0; i < 5; i++) {
        zlab_free(all[i]);
    }
}

/* A check of more than three million bits draws primes without roots of unity for the values, and
 * others for the degree, which takes half-gcds. */
static void a_check_of_millions_of_bits(void **state)
{
    gfp_random g;
    gfp_report report;
    const gfp_options options = {.method = "words", .verify = GFP_VERIFY_POINT, .report = &report};
    gfp_zvec a, b, z;
    (void)state;
    gfp_random_seed(&g, 29);
    zlab f = zlab_random(700, 60, 1, &g), h = zlab_random(690, 60, 1, &g);
    zlab x = zlab_random(5, 20, 1, &g);
    mpz_set_ui(x.c[4], 1);
    mpz_set_ui(f.c[350], 7);
    mpz_mul_2exp(f.c[350], f.c[350], 3200000);
    zlab u = zlab_product(f, x), v = zlab_product(h, x);
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&z, ring);
    zlab_set(&a, u);
    zlab_set(&b, v);
    assert_int_equal(gfp_zvec_gcd(&z, &a, &b, &options), GFP_OK);
    zlab_expect(&z, x, "a check of millions of bits");
    assert_true(report.verified == GFP_VERIFY_POINT && report.log2_error <= -40);
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&z);
    zlab *const all[] = {&f, &h, &x, &u, &v};
    for (unsigned i = 0; i < 5; i++) {
        zlab_free(all[i]);
    }
}

/* Without common factors but contents, and with the factor 2 X + 3. */
static void divisors_of_all_forms(void **state)
{
    enum { LONG = 6000 };
    gfp_random g;
    mpz_t c, d;
    zlab one = zlab_new(1), linear = zlab_new(2);
    (void)state;
    gfp_random_seed(&g, 11);
    mpz_init(c);
    mpz_init(d);
    mpz_set_ui(one.c[0], 1);
    mpz_set_ui(linear.c[0], 3);
    mpz_set_ui(linear.c[1], 2);
    for (zform form = 0; form < ZFORMS; form++) {
        for (zform other = form % 2; other < ZFORMS; other += 2) {
            char what[64];
            zlab f = zform_new(form, 100, LONG, &g), h = zform_new(other, 80, LONG, &g);
            /* Contents 1; X + 1 and X at the ends of both are no common factors. */
            mpz_set_ui(f.c[1], 1);
            mpz_set_ui(h.c[1], 1);
            mpz_set_ui(f.c[0], 7);
            snprintf(what, sizeof what, "gcd of forms %d and %d", form, other);
            mpz_set_ui(c, 1);
            mpz_set_ui(d, 6);
            expect_divisor(f, h, one, c, d, what);
            expect_divisor(f, h, linear, c, d, what);
            mpz_ui_pow_ui(c, 3, 200);
            mpz_ui_pow_ui(d, 6, 150);
            expect_divisor(f, h, one, c, d, what);
            zlab_free(&f);
            zlab_free(&h);
        }
    }
    mpz_clear(c);
    mpz_clear(d);
    zlab_free(&one);
    zlab_free(&linear);
}

/* A constant, 0, and operands of which the memory is counted. */
static void divisors_take_the_bits_that_are_there(void **state)
{
    enum { N = 3000, LONG = 400000 };
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator hook = meter_hook(&m);
    const gfp_options capped = {.memory_cap = 4 << 20, .verify = GFP_VERIFY_POINT};
    gfp_random g;
    gfp_zring *own;
    gfp_zvec a, b, z[3];
    (void)state;
    gfp_random_seed(&g, 12);
    zlab f = zform_new(ONE_LONG, N, LONG, &g), h = zform_new(LONG_LEAD, N, LONG, &g);
    assert_int_equal(gfp_zring_create(&own, &hook, NULL), GFP_OK);
    gfp_zvec_init(&a, own);
    gfp_zvec_init(&b, own);
    zlab_set(&a, f);
    zlab_set(&b, h);
    for (unsigned i = 0; i < 3; i++) {
        gfp_zvec_init(&z[i], own);
    }
    assert_int_equal(gfp_zvec_gcd_cofactors(&z[0], &z[1], &z[2], &a, &b, &capped), GFP_OK);
    assert_int_equal(z[0].len, 1);
    assert_int_equal(z[0].limbs[0], 1);
    assert_true(gfp_zvec_equal(&z[1], &a) && gfp_zvec_equal(&z[2], &b));
    assert_int_equal(gfp_zvec_content(&b, &a, &capped), GFP_OK);
    assert_true(gfp_zvec_equal(&z[0], &b));
    assert_true(m.peak < 16 << 20); /* 150 MB in one width */
    /* gcd(a, 0) and gcd(a, 12). */
    b.len = 0;
    assert_int_equal(gfp_zvec_gcd_cofactors(&z[0], &z[1], &z[2], &a, &b, NULL), GFP_OK);
    assert_int_equal(z[1].len, 1);
    assert_int_equal(z[2].len, 0);
    const uint64_t twelve = 12;
    assert_int_equal(gfp_zvec_set_limbs(&b, &twelve, 1, 1), GFP_OK);
    assert_int_equal(gfp_zvec_gcd_cofactors(&z[0], &z[1], &z[2], &b, &a, NULL), GFP_OK);
    assert_int_equal(z[0].limbs[0], 1);
    assert_true(gfp_zvec_equal(&z[1], &b) && gfp_zvec_equal(&z[2], &a));
    for (unsigned i = 0; i < 3; i++) {
        gfp_zvec_clear(&z[i]);
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zring_destroy(own);
    meter_expect_empty(&m);
    zlab_free(&f);
    zlab_free(&h);
}

/* ---- common factors ---- */

/* x := a primitive polynomial with a positive leading coefficient. */
static zlab primitive_form(zform form, size_t n, size_t bits, gfp_random *g)
{
    zlab x = zform_new(form, n, bits, g);
    mpz_set_ui(x.c[1], 1);
    mpz_abs(x.c[n - 1], x.c[n - 1]);
    if (mpz_sgn(x.c[0]) == 0) { /* X is no divisor */
        mpz_set_si(x.c[0], -1);
    }
    return x;
}

/* A divisor of few short terms, and one of many terms of which some are long. */
static void common_factors_of_all_forms(void **state)
{
    enum { LONG = 6000 };
    gfp_random g;
    mpz_t c, d;
    (void)state;
    gfp_random_seed(&g, 21);
    mpz_init_set_ui(c, 10);
    mpz_init_set_ui(d, 6);
    for (zform form = 0; form < ZFORMS; form++) {
        char what[64];
        zlab x = primitive_form(form, 120, LONG, &g), s = primitive_form(UNIFORM_LONG, 9, 30, &g);
        zlab f = primitive_form(UNIFORM_LONG, 8, 20, &g), h = primitive_form(form, 140, LONG, &g);
        zlab short_h = primitive_form(UNIFORM_LONG, 30, 90, &g);
        snprintf(what, sizeof what, "common factors of form %d", form);
        expect_divisor(f, short_h, x, c, d, what);
        expect_divisor(x, short_h, s, c, d, what);
        expect_divisor(short_h, x, s, c, d, what);
        expect_divisor(x, h, s, c, d, what);
        expect_divisor(f, h, s, c, d, what);
        zlab *const all[] = {&x, &s, &f, &h, &short_h};
        for (unsigned i = 0; i < 5; i++) {
            zlab_free(all[i]);
        }
    }
    mpz_clear(c);
    mpz_clear(d);
}

/* Both ends of the divisor are long, and the leading coefficients of the cofactors have a common
 * divisor of up to 90 bits: the cofactors follow from fractions. */
static void cofactors_with_denominators(void **state)
{
    enum { N = 150, LONG = 9000 };
    gfp_random g;
    mpz_t one;
    (void)state;
    gfp_random_seed(&g, 22);
    mpz_init_set_ui(one, 1);
    for (size_t bits = 0; bits <= 90; bits += 30) {
        zlab x = primitive_form(LONG_LEAD, N, LONG, &g);
        zlab f = primitive_form(UNIFORM_LONG, 7, 20, &g),
             h = primitive_form(UNIFORM_LONG, 5, 20, &g);
        zlab_number(x.c[0], LONG, &g);
        zlab_number(f.c[6], bits, &g);
        mpz_setbit(f.c[6], bits);
        mpz_abs(f.c[6], f.c[6]);
        mpz_mul_ui(h.c[4], f.c[6], 7);
        mpz_mul_ui(f.c[6], f.c[6], 12);
        mpz_set(h.c[0], f.c[6]);
        mpz_set(f.c[0], f.c[6]);
        expect_divisor(f, h, x, one, one, "denominators");
        expect_divisor(h, f, x, one, one, "denominators, exchanged");
        zlab_free(&x);
        zlab_free(&f);
        zlab_free(&h);
    }
    mpz_clear(one);
}

/* X^2 for X and a factor X^3: the operands are polynomials in X^2 times powers of X. */
static void powers_of_x_are_taken_out(void **state)
{
    gfp_random g;
    mpz_t one;
    (void)state;
    gfp_random_seed(&g, 23);
    mpz_init_set_ui(one, 1);
    for (zform form = 0; form < ZFORMS; form++) {
        zlab f = primitive_form(form, 100, 6000, &g), h = primitive_form(UNIFORM_LONG, 9, 50, &g);
        zlab x = primitive_form(UNIFORM_LONG, 6, 40, &g);
        zlab z[] = {zlab_new(2 * f.len - 1), zlab_new(2 * h.len - 1), zlab_new(2 * x.len + 2)};
        const zlab from[] = {f, h, x};
        for (unsigned k = 0; k < 3; k++) {
            for (size_t i = 0; i < from[k].len; i++) {
                mpz_set(z[k].c[2 * i + (k == 2 ? 3 : 0)], from[k].c[i]);
            }
        }
        expect_divisor(z[0], z[1], z[2], one, one, "powers of X");
        zlab *const all[] = {&f, &h, &x, &z[0], &z[1], &z[2]};
        for (unsigned i = 0; i < 6; i++) {
            zlab_free(all[i]);
        }
    }
    mpz_clear(one);
}

/* z := the gcd and the cofactors of f x and h x, in a ring of the meter, within the cap. */
static void expect_within(zlab f, zlab h, zlab x, size_t cap)
{
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator hook = meter_hook(&m);
    const gfp_options capped = {.memory_cap = cap, .verify = GFP_VERIFY_POINT};
    const gfp_options small = {.memory_cap = cap / 32};
    gfp_zring *own;
    gfp_zvec a, b, c, z[3];
    assert_int_equal(gfp_zring_create(&own, &hook, NULL), GFP_OK);
    gfp_zvec *const all[] = {&a, &b, &c, &z[0], &z[1], &z[2]};
    for (unsigned i = 0; i < 6; i++) {
        gfp_zvec_init(all[i], own);
    }
    zlab_set(&a, f);
    zlab_set(&b, h);
    zlab_set(&c, x);
    assert_int_equal(gfp_zvec_mul(&a, &a, &c, NULL), GFP_OK);
    assert_int_equal(gfp_zvec_mul(&b, &b, &c, NULL), GFP_OK);
    const size_t before = m.bytes;
    m.peak = before;
    assert_int_equal(gfp_zvec_gcd_cofactors(&z[0], &z[1], &z[2], &a, &b, &capped), GFP_OK);
    assert_true(m.peak - before < cap + cap / 2);
    zlab_expect(&z[0], x, "gcd");
    zlab_expect(&z[1], f, "cofactor");
    zlab_expect(&z[2], h, "cofactor");
    assert_int_equal(gfp_zvec_gcd_cofactors(&z[0], &z[1], &z[2], &a, &b, &small), GFP_ERR_MEMORY);
    zlab_expect(&z[0], x, "refused");
    for (unsigned i = 0; i < 6; i++) {
        gfp_zvec_clear(all[i]);
    }
    gfp_zring_destroy(own);
    meter_expect_empty(&m);
}

/* 400 MB in one width. */
static void common_factors_take_the_bits_that_are_there(void **state)
{
    enum { N = 8000, LONG = 400000 };
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 24);
    zlab f = primitive_form(ONE_LONG, N, LONG, &g), h = primitive_form(UNIFORM_LONG, N - 9, 60, &g);
    zlab x = primitive_form(UNIFORM_LONG, 40, 60, &g), y = primitive_form(UNIFORM_LONG, 30, 60, &g);
    expect_within(f, h, x, 32 << 20);
    expect_within(h, f, x, 32 << 20);
    expect_within(x, y, f, 32 << 20);
    zlab_free(&f);
    zlab_free(&h);
    zlab_free(&x);
    zlab_free(&y);
}

/* f x and h x, f with long coefficients or x. */
static void set_operands(gfp_zvec *a, gfp_zvec *b, bool long_divisor, gfp_random *g)
{
    zlab f = primitive_form(ONE_LONG, 300, 20000, g), h = primitive_form(UNIFORM_LONG, 12, 40, g);
    zlab x = primitive_form(UNIFORM_LONG, 7, 40, g);
    zlab of_a = zlab_product(f, x), of_b = zlab_product(h, long_divisor ? f : x);
    zlab_set(a, of_a);
    zlab_set(b, of_b);
    assert_int_equal(a->width, 0);
    zlab *const all[] = {&f, &h, &x, &of_a, &of_b};
    for (unsigned i = 0; i < 5; i++) {
        zlab_free(all[i]);
    }
}

static void divisors_over_their_operands(void **state)
{
    gfp_random g;
    gfp_zvec a, b, u, v, copy[2];
    gfp_zvec *const all[] = {&a, &b, &u, &v, &copy[0], &copy[1]};
    (void)state;
    gfp_random_seed(&g, 25);
    for (unsigned i = 0; i < 6; i++) {
        gfp_zvec_init(all[i], ring);
    }
    for (unsigned k = 0; k < 2; k++) {
        set_operands(&copy[0], &copy[1], k == 1, &g);
        assert_int_equal(gfp_zvec_set(&a, &copy[0]), GFP_OK);
        assert_int_equal(gfp_zvec_set(&b, &copy[1]), GFP_OK);
        assert_int_equal(gfp_zvec_gcd_cofactors(&a, &u, &b, &a, &b, NULL), GFP_OK);
        assert_int_equal(gfp_zvec_mul(&u, &a, &u, NULL), GFP_OK);
        assert_int_equal(gfp_zvec_mul(&v, &a, &b, NULL), GFP_OK);
        assert_true(gfp_zvec_equal(&u, &copy[0]) && gfp_zvec_equal(&v, &copy[1]));
    }
    for (unsigned i = 0; i < 6; i++) {
        gfp_zvec_clear(all[i]);
    }
}

/* *proved and *block of the claim that g divides a. */
static bool ragged_divides(zlab a, zlab g, size_t *block)
{
    bool proved;
    gfp_zcall call;
    gfp_zpoly f, x, u;
    gfp_zvec of_a, of_g;
    gfp_zvec_init(&of_a, ring);
    gfp_zvec_init(&of_g, ring);
    zlab_set(&of_a, a);
    zlab_set(&of_g, g);
    assert_int_equal(of_a.width, 0);
    assert_int_equal(zlab_call_begin(&call, "a test", ring, NULL), GFP_OK);
    assert_int_equal(gfp_zpoly_of(&call, &f, &of_a), GFP_OK);
    assert_int_equal(gfp_zpoly_of(&call, &x, &of_g), GFP_OK);
    assert_int_equal(gfp_zdivides(&call, &proved, &u, f, x, block), GFP_OK);
    assert_int_equal(gfp_call_end(&call.base, GFP_OK), GFP_OK);
    gfp_zvec_clear(&of_a);
    gfp_zvec_clear(&of_g);
    return proved;
}

/* a = g u + c M X^i, M the product of the first primes: images show no remainder, but the product
 * does, and the next primes refute the claim. */
static void wrong_quotients_are_found(void **state)
{
    gfp_random g;
    const gfp_words *primes;
    mpz_t m;
    size_t block;
    (void)state;
    gfp_random_seed(&g, 27);
    zlab u = primitive_form(ROOT_LONG, 300, 20000, &g), x = primitive_form(UNIFORM_LONG, 3, 40, &g);
    zlab a = zlab_product(u, x);
    assert_true(ragged_divides(a, x, &block));
    assert_int_equal(gfp_words_supply_block(ring->supply, 0, &primes), GFP_OK);
    mpz_init_set_ui(m, 1);
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        mpz_mul_ui(m, m, primes->q[i]);
    }
    for (size_t i = 0; i < a.len; i += 13) {
        mpz_add(a.c[i], a.c[i], m);
        assert_false(ragged_divides(a, x, &block));
        assert_true(block > 0);
        mpz_sub(a.c[i], a.c[i], m);
        mpz_add_ui(a.c[i], a.c[i], 1);
        assert_false(ragged_divides(a, x, &block));
        assert_int_equal(block, 0);
        mpz_sub_ui(a.c[i], a.c[i], 1);
    }
    mpz_clear(m);
    zlab_free(&u);
    zlab_free(&x);
    zlab_free(&a);
}

/* ---- resultants ---- */

static void expect_resultant(zlab a, zlab b, const char *what)
{
    static const gfp_verify verify[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};
    mpz_t r;
    gfp_zvec x, y, z;
    mpz_init(r);
    zlab_resultant(r, a, b);
    const zlab expected = {&r, 1};
    gfp_zvec_init(&x, ring);
    gfp_zvec_init(&y, ring);
    gfp_zvec_init(&z, ring);
    zlab_set(&x, a);
    zlab_set(&y, b);
    for (unsigned i = 0; i < 3; i++) {
        const gfp_options options = {.verify = verify[i]};
        assert_int_equal(gfp_zvec_resultant(&z, &x, &y, &options), GFP_OK);
        zlab_expect(&z, expected, what);
    }
    const gfp_options big = {.method = "big"};
    assert_int_equal(gfp_zvec_resultant(&z, &x, &y, &big), GFP_OK);
    zlab_expect(&z, expected, what);
    assert_int_equal(gfp_zvec_resultant(&x, &x, &y, NULL), GFP_OK);
    zlab_expect(&x, expected, what);
    gfp_zvec_clear(&x);
    gfp_zvec_clear(&y);
    gfp_zvec_clear(&z);
    mpz_clear(r);
}

static void resultants_of_all_forms(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 28);
    for (zform form = 0; form < SLOPE; form++) {
        char what[64];
        zlab a = zform_new(form, 24, 11200, &g), b = zform_new(UNIFORM_LONG, 3, 30, &g);
        zlab line = zform_new(UNIFORM_LONG, 2, 30, &g);
        snprintf(what, sizeof what, "resultants of form %d", form);
        expect_resultant(a, b, what);
        expect_resultant(a, line, what);
        if (form == ONE_LONG) {
            expect_resultant(line, a, what);
            mpz_set_ui(a.c[0], 0); /* a factor X */
            expect_resultant(b, a, what);
        }
        zlab_free(&a);
        zlab_free(&b);
        zlab_free(&line);
    }
}

/* (-1)^(n (n - 1) / 2) res(f, f') / lc(f), for the degree n = 4. */
static void discriminants_with_a_long_coefficient(void **state)
{
    enum { N = 5 };
    gfp_random g;
    mpz_t r;
    gfp_zvec x;
    (void)state;
    gfp_random_seed(&g, 29);
    mpz_init(r);
    gfp_zvec_init(&x, ring);
    const zlab expected = {&r, 1};
    for (zform form = 0; form < ROOT_LONG; form++) {
        zlab f = zform_new(form, N, 53000, &g), d = zlab_new(N - 1);
        for (size_t i = 1; i < N; i++) {
            mpz_mul_ui(d.c[i - 1], f.c[i], i);
        }
        zlab_resultant(r, f, d);
        mpz_divexact(r, r, f.c[N - 1]);
        zlab_set(&x, f);
        assert_int_equal(x.width, 0);
        assert_int_equal(gfp_zvec_discriminant(&x, &x, NULL), GFP_OK);
        zlab_expect(&x, expected, "discriminant");
        zlab_free(&f);
        zlab_free(&d);
    }
    mpz_clear(r);
    gfp_zvec_clear(&x);
}

/* f(2) = the resultant of X - 2 and f. 400 MB in one width. */
static void values_take_the_bits_that_are_there(void **state)
{
    enum { N = 8000, LONG = 400000 };
    static const uint64_t line[] = {UINT64_MAX - 1, 1};
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator hook = meter_hook(&m);
    const gfp_options capped = {.memory_cap = 4 << 20, .verify = GFP_VERIFY_POINT};
    gfp_random g;
    gfp_zring *own;
    gfp_zvec a, b;
    mpz_t value;
    (void)state;
    gfp_random_seed(&g, 30);
    mpz_init(value);
    zlab f = zform_new(ONE_LONG, N, LONG, &g);
    for (size_t i = N; i-- > 0;) {
        mpz_mul_2exp(value, value, 1);
        mpz_add(value, value, f.c[i]);
    }
    const zlab expected = {&value, 1};
    assert_int_equal(gfp_zring_create(&own, &hook, NULL), GFP_OK);
    gfp_zvec_init(&a, own);
    gfp_zvec_init(&b, own);
    zlab_set(&a, f);
    assert_int_equal(gfp_zvec_set_limbs(&b, line, 2, 1), GFP_OK);
    assert_int_equal(gfp_zvec_resultant(&b, &b, &a, &capped), GFP_OK);
    zlab_expect(&b, expected, "a value");
    assert_true(m.peak < 8 << 20);
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zring_destroy(own);
    meter_expect_empty(&m);
    mpz_clear(value);
    zlab_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_check_of_millions_of_bits),
        cmocka_unit_test(divisors_of_all_forms),
        cmocka_unit_test(divisors_take_the_bits_that_are_there),
        cmocka_unit_test(common_factors_of_all_forms),
        cmocka_unit_test(cofactors_with_denominators),
        cmocka_unit_test(powers_of_x_are_taken_out),
        cmocka_unit_test(common_factors_take_the_bits_that_are_there),
        cmocka_unit_test(divisors_over_their_operands),
        cmocka_unit_test(wrong_quotients_are_found),
        cmocka_unit_test(resultants_of_all_forms),
        cmocka_unit_test(discriminants_with_a_long_coefficient),
        cmocka_unit_test(values_take_the_bits_that_are_there),
    };
    return cmocka_run_group_tests(tests, zlab_setup, zlab_teardown);
}
