/* calls.c: greatest common divisors over Z with cofactors, by every method: built from known
 * factors, against FLINT, with primes that are unlucky on purpose; threads, caps, failures.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/rows.h"
#include "modular/unlucky.h"
#include "modular/lab.h"

#include "crt/blocks/kernels/divide.h"
#include "modular/gcd/check.h"
#include "modular/residues.h"

#if GFP_HAVE_FLINT
#include <flint/fmpz.h>
#include <flint/fmpz_poly.h>

#include "gfpoly/zvec_flint.h"
#endif

static const char *const methods[] = {NULL, "words", "big", "kronecker",
#if GFP_HAVE_FLINT
                                      "flint"
#endif
};
#define METHODS (sizeof methods / sizeof *methods)

/* Fails the test unless f u = a. */
static void expect_product(const gfp_zvec *g, const gfp_zvec *u, zlab a, const char *what)
{
    zlab x = zlab_of(g), y = zlab_of(u), product = zlab_product(x, y);
    gfp_zvec z;
    gfp_zvec_init(&z, ring);
    zlab_set(&z, product);
    zlab_expect(&z, a, what);
    gfp_zvec_clear(&z);
    zlab_free(&product);
    zlab_free(&x);
    zlab_free(&y);
}

/* Fails the test unless all methods give g with the right cofactors. */
static void expect_gcd(zlab a, zlab b, zlab expected, const char *what)
{
    gfp_zvec x, y, g, u, v;
    gfp_zvec *const all[] = {&x, &y, &g, &u, &v};
    for (size_t i = 0; i < 5; i++) {
        gfp_zvec_init(all[i], ring);
    }
    zlab_set(&x, a);
    zlab_set(&y, b);
    for (size_t i = 0; i < METHODS; i++) {
        /* A seed changes the primes of "big". */
        gfp_report report = {.method = NULL};
        const gfp_options options = {.method = methods[i],
                                     .verify = (gfp_verify)(GFP_VERIFY_NONE + i % 3),
                                     .verify_seed = 9 + i,
                                     .report = &report};
        gfp_options first = options;
        first.verify_seed = 0;
        assert_int_equal(gfp_zvec_gcd_cofactors(&g, &u, &v, &x, &y, &options), GFP_OK);
        assert_non_null(report.method);
        zlab_expect(&g, expected, what);
        expect_product(&g, &u, a, what);
        expect_product(&g, &v, b, what);
        assert_int_equal(gfp_zvec_gcd(&g, &x, &y, &first), GFP_OK);
        zlab_expect(&g, expected, what);
    }
    for (size_t i = 0; i < 5; i++) {
        gfp_zvec_clear(all[i]);
    }
}

#if GFP_HAVE_FLINT
/* All coefficients of f := x, coefficient i := x + more. */
static void repeat_coefficient(zlab f, const mpz_t x, size_t i, unsigned long more)
{
    for (size_t j = 0; j < f.len; j++) {
        mpz_set(f.c[j], x);
    }
    mpz_add_ui(f.c[i], x, more);
}

/* A cofactor's product with the divisor has coefficients near half of whole limbs, where FLINT's
 * division refuses exact quotients: "flint" divides by this library, and a check does not take
 * FLINT's word. */
static void flint_mistakes_signs_of_quotients(void **state)
{
    static const struct {
        size_t len, bits;
    } cases[] = {{32, 571}, {64, 570}};
    (void)state;
    for (size_t i = 0; LAB_ROW(cases, i); i++) {
        zlab g = zlab_new(cases[i].len), u = zlab_new(cases[i].len), v = zlab_new(6);
        mpz_t x;
        mpz_init(x);
        mpz_setbit(x, cases[i].bits - cases[i].bits / 2);
        mpz_sub_ui(x, x, 1);
        repeat_coefficient(g, x, 0, 0);
        mpz_set_ui(g.c[g.len - 1], 1);
        mpz_set_ui(x, 1);
        mpz_mul_2exp(x, x, cases[i].bits / 2);
        mpz_ui_sub(x, 1, x);
        repeat_coefficient(u, x, 3, 5);
        mpz_add_ui(u.c[0], x, 2);
        mpz_add_ui(u.c[u.len - 1], x, 2);
        mpz_set_ui(v.c[0], 3);
        mpz_set_ui(v.c[5], 1);
        zlab a = zlab_product(u, g), b = zlab_product(v, g);
        expect_gcd(a, b, g, "signs at halves");
        zlab_free(&a);
        zlab_free(&b);
        zlab_free(&g);
        zlab_free(&u);
        zlab_free(&v);
        mpz_clear(x);
    }
}
#endif

/* ---- an oracle: Euclid's algorithm over Z with primitive remainders, by GMP ---- */

static size_t length_of(zlab f)
{
    size_t n = f.len;
    while (n > 0 && mpz_sgn(f.c[n - 1]) == 0) {
        n--;
    }
    return n;
}

/* c := the content, with the sign of the leading coefficient. */
static void content_of(mpz_t c, zlab f)
{
    const size_t n = length_of(f);
    mpz_set_ui(c, 0);
    for (size_t i = 0; i < n; i++) {
        mpz_gcd(c, c, f.c[i]);
    }
    if (n > 0 && mpz_sgn(f.c[n - 1]) < 0) {
        mpz_neg(c, c);
    }
}

static void make_primitive(zlab f)
{
    mpz_t c;
    mpz_init(c);
    content_of(c, f);
    for (size_t i = 0; i < f.len && mpz_sgn(c) != 0; i++) {
        mpz_divexact(f.c[i], f.c[i], c);
    }
    mpz_clear(c);
}

/* a := the primitive part of the pseudo-remainder of a by b. */
static void take_remainder(zlab a, zlab b)
{
    const size_t lb = length_of(b);
    mpz_t lead;
    mpz_init(lead);
    for (size_t la = length_of(a); la >= lb; la = length_of(a)) {
        mpz_set(lead, a.c[la - 1]);
        for (size_t i = 0; i < la; i++) {
            mpz_mul(a.c[i], a.c[i], b.c[lb - 1]);
        }
        for (size_t i = 0; i < lb; i++) {
            mpz_submul(a.c[la - lb + i], lead, b.c[i]);
        }
    }
    mpz_clear(lead);
    make_primitive(a);
}

static zlab copy_of(zlab f)
{
    zlab c = zlab_new(f.len);
    for (size_t i = 0; i < f.len; i++) {
        mpz_set(c.c[i], f.c[i]);
    }
    return c;
}

/* The greatest common divisor. */
static zlab gcd_calls_euclid(zlab a, zlab b)
{
    zlab x = copy_of(a), y = copy_of(b);
    mpz_t c, d;
    mpz_init(c);
    mpz_init(d);
    content_of(c, a);
    content_of(d, b);
    mpz_gcd(c, c, d);
    make_primitive(x);
    make_primitive(y);
    while (length_of(y) > 0) {
        take_remainder(x, y);
        const zlab t = x;
        x = y;
        y = t;
    }
    make_primitive(x);
    for (size_t i = 0; i < x.len; i++) {
        mpz_mul(x.c[i], x.c[i], c);
    }
    mpz_clear(c);
    mpz_clear(d);
    zlab_free(&y);
    return x;
}

static void expect_euclid(zlab a, zlab b, const char *what)
{
    zlab g = gcd_calls_euclid(a, b);
    expect_gcd(a, b, g, what);
    zlab_free(&g);
}

/* ---- families ---- */

/* a = g u, b = g v. */
static void expect_common(zlab g, zlab u, zlab v, const char *what)
{
    zlab a = zlab_product(g, u), b = zlab_product(g, v);
    expect_euclid(a, b, what);
    zlab_free(&a);
    zlab_free(&b);
}

static void random_common_factors(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 1);
    for (size_t trial = 0; trial < 150; trial++) {
        const size_t most = trial % 5 == 0 ? 500 : 60;
        zlab f[3];
        for (size_t i = 0; i < 3; i++) {
            f[i] = zlab_random(1 + gfp_random_below(&g, 8), 1 + gfp_random_below(&g, most),
                               1 + trial % 4, &g);
        }
        expect_common(f[0], f[1], f[2], "random");
        for (size_t i = 0; i < 3; i++) {
            zlab_free(&f[i]);
        }
    }
}

static void zeros_constants_and_signs(void **state)
{
    static const struct {
        const char *a, *b, *g;
    } cases[] = {
        {"0", "0", "0"},
        {"0", "2 -4 -6", "2 4 6"},
        {"2 4 6", "0", "2 4 6"},
        {"1 -6", "1 4", "1 2"},
        {"1 -6", "0", "1 6"},
        {"1 6", "2 9 -12", "1 3"},
        {"2 9 -12", "1 -6", "1 3"},
        {"2 1 1", "2 -1 -1", "2 1 1"},
        {"2 -1 -1", "2 -1 -1", "2 1 1"},
        {"2 -6 -6", "2 4 4", "2 2 2"},
        {"3 -1 0 1", "2 1 1", "2 1 1"},
        {"3 -1 0 1", "2 -1 1", "2 -1 1"},
        {"2 2 2", "3 -6 0 6", "2 2 2"},
        {"3 0 0 1", "2 0 5", "2 0 1"},
        {"2 1 2", "2 1 3", "1 1"},
        {"3 0 0 12", "4 0 0 0 -18", "3 0 0 6"},
    };
    (void)state;
    for (size_t i = 0; LAB_ROW(cases, i); i++) {
        gfp_zvec x;
        zlab f[3];
        gfp_zvec_init(&x, ring);
        const char *const text[] = {cases[i].a, cases[i].b, cases[i].g};
        for (size_t j = 0; j < 3; j++) {
            assert_int_equal(gfp_zvec_from_string(&x, text[j], strlen(text[j]), NULL), GFP_OK);
            f[j] = zlab_of(&x);
        }
        expect_gcd(f[0], f[1], f[2], text[0]);
        for (size_t j = 0; j < 3; j++) {
            zlab_free(&f[j]);
        }
        gfp_zvec_clear(&x);
    }
}

/* X^n - 1. */
static zlab gcd_calls_binomial(size_t n)
{
    zlab f = zlab_new(n + 1);
    mpz_set_si(f.c[0], -1);
    mpz_set_ui(f.c[n], 1);
    return f;
}

static void roots_of_unity(void **state)
{
    static const size_t pairs[][3] = {
        {12, 18, 6}, {30, 42, 6}, {64, 48, 16}, {35, 36, 1}, {60, 30, 30}};
    (void)state;
    for (size_t i = 0; LAB_ROW(pairs, i); i++) {
        zlab a = gcd_calls_binomial(pairs[i][0]), b = gcd_calls_binomial(pairs[i][1]),
             g = gcd_calls_binomial(pairs[i][2]);
        expect_gcd(a, b, g, "roots of unity");
        zlab_free(&a);
        zlab_free(&b);
        zlab_free(&g);
    }
}

/* The product of X +- sqrt 2 +- sqrt 3 ...: f(X)^2 and squares of square roots, one at a time: f(X
 * + s) f(X - s) with s^2 = d. */
static zlab swinnerton_dyer(size_t count)
{
    static const unsigned long d[] = {2, 3, 5, 7};
    zlab f = zlab_new(2);
    mpz_set_ui(f.c[1], 1);
    for (size_t k = 0; k < count; k++) {
        const size_t n = f.len - 1;
        /* f(X + s) = even + s odd; the product is even^2 - d odd^2. */
        zlab even = zlab_new(n + 1), odd = zlab_new(n + 1);
        mpz_t c;
        mpz_init(c);
        for (size_t i = 0; i <= n; i++) {
            for (size_t j = 0; j <= i; j++) {
                mpz_bin_uiui(c, i, j);
                mpz_mul(c, c, f.c[i]);
                for (size_t e = 0; e < j / 2; e++) {
                    mpz_mul_ui(c, c, d[k]);
                }
                mpz_add(j % 2 == 0 ? even.c[i - j] : odd.c[i - j],
                        j % 2 == 0 ? even.c[i - j] : odd.c[i - j], c);
            }
        }
        zlab x = zlab_product(even, even), y = zlab_product(odd, odd);
        for (size_t i = 0; i < x.len; i++) {
            mpz_submul_ui(x.c[i], y.c[i], d[k]);
        }
        mpz_clear(c);
        zlab_free(&y);
        zlab_free(&even);
        zlab_free(&odd);
        zlab_free(&f);
        f = x;
    }
    return f;
}

static void swinnerton_dyer_polynomials(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 2);
    for (size_t count = 1; count <= 4; count++) {
        zlab f = swinnerton_dyer(count), derivative = zlab_new(f.len - 1);
        assert_int_equal(f.len, ((size_t)1 << count) + 1);
        for (size_t i = 0; i + 1 < f.len; i++) {
            mpz_mul_ui(derivative.c[i], f.c[i + 1], i + 1);
        }
        expect_euclid(f, derivative, "no common factor");
        zlab square = zlab_product(f, f), both = zlab_product(f, derivative);
        expect_euclid(square, both, "square");
        zlab u = zlab_random(5, 90, 1, &g), v = zlab_random(7, 90, 2, &g);
        expect_common(f, u, v, "Swinnerton-Dyer");
        zlab_free(&u);
        zlab_free(&v);
        zlab_free(&square);
        zlab_free(&both);
        zlab_free(&derivative);
        zlab_free(&f);
    }
}

/* a = the product of X^n - 1 for n = 60 ... 125 has short coefficients. g = (X - 1)^66 divides a;
 * the quotient has coefficients above 2^400: more primes are needed than the bits of a suggest. */
static void quotients_longer_than_the_operand(void **state)
{
    zlab a = gcd_calls_binomial(60), g = gcd_calls_binomial(1), linear = zlab_new(2);
    gfp_zvec x;
    (void)state;
    for (size_t n = 61; n <= 125; n++) {
        zlab f = zlab_new(a.len + n), power = zlab_new(g.len + 1);
        for (size_t i = 0; i < a.len; i++) {
            mpz_add(f.c[i + n], f.c[i + n], a.c[i]);
            mpz_sub(f.c[i], f.c[i], a.c[i]);
        }
        for (size_t i = 0; i < g.len; i++) {
            mpz_add(power.c[i + 1], power.c[i + 1], g.c[i]);
            mpz_sub(power.c[i], power.c[i], g.c[i]);
        }
        zlab_free(&a);
        zlab_free(&g);
        a = f;
        g = power;
    }
    gfp_zvec_init(&x, ring);
    zlab_set(&x, a);
    assert_true(gfp_zvec_bits(&x) < 300);
    mpz_set_si(linear.c[0], -2);
    mpz_set_ui(linear.c[1], 1);
    zlab b = zlab_product(g, linear);
    expect_gcd(a, b, g, "long quotient");
    gfp_zvec_clear(&x);
    zlab_free(&a);
    zlab_free(&b);
    zlab_free(&g);
    zlab_free(&linear);
}

static void sizes_at_the_extremes(void **state)
{
    static const struct {
        size_t g, of_g, u, of_u, v, of_v, sparse;
    } sizes[] = {
        {2, 5000, 2, 5000, 2, 5000, 1}, {3, 2, 3, 6000, 4, 1, 1},    {2, 3000, 30, 1, 30, 1, 1},
        {1, 2000, 12, 30, 13, 50, 1},   {40, 1, 50, 1, 60, 1, 1},    {90, 3, 1, 9, 1, 12, 7},
        {30, 400, 30, 400, 1, 5, 1},    {5, 64, 100, 64, 3, 64, 10}, {60, 63, 2, 2, 2, 2, 20}};
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 3);
    for (size_t i = 0; LAB_ROW(sizes, i); i++) {
        zlab f = zlab_random(sizes[i].g, sizes[i].of_g, sizes[i].sparse, &g);
        zlab u = zlab_random(sizes[i].u, sizes[i].of_u, sizes[i].sparse, &g);
        zlab v = zlab_random(sizes[i].v, sizes[i].of_v, sizes[i].sparse, &g);
        expect_common(f, u, v, "sizes");
        zlab_free(&f);
        zlab_free(&u);
        zlab_free(&v);
    }
}

/* ---- unlucky primes ---- */

/* a = g (X - r), b = g (X - r + m): all primes of m are unlucky. */
static void expect_unlucky(const mpz_t m, gfp_random *g, const char *what)
{
    zlab f = zlab_random(1 + gfp_random_below(g, 5), 40, 1, g), u = zlab_new(2), v = zlab_new(2);
    mpz_set_ui(u.c[1], 1);
    mpz_set_ui(v.c[1], 1);
    zlab_number(u.c[0], 20, g);
    mpz_add(v.c[0], u.c[0], m);
    expect_common(f, u, v, what);
    /* Two more degrees, also through the leading coefficient. */
    zlab w = zlab_product(u, u), x = zlab_product(v, v);
    expect_common(f, w, x, what);
    mpz_add(w.c[2], w.c[2], m);
    expect_common(f, w, x, what);
    /* The leading coefficients of the divisor vanish. */
    zlab lead = zlab_random(3, 20, 1, g);
    mpz_mul(lead.c[2], lead.c[2], m);
    expect_common(lead, u, w, what);
    mpz_mul(lead.c[1], lead.c[1], m);
    expect_common(lead, f, w, what);
    zlab_free(&lead);
    zlab_free(&w);
    zlab_free(&x);
    zlab_free(&f);
    zlab_free(&u);
    zlab_free(&v);
}

static void the_first_primes_are_unlucky(void **state)
{
    gfp_random g;
    mpz_t m;
    (void)state;
    gfp_random_seed(&g, 4);
    mpz_init(m);
    for (size_t blocks = 1; blocks <= 8; blocks *= 2) {
        unlucky_words(m, 0, blocks, 0);
        expect_unlucky(m, &g, "first primes");
        unlucky_words(m, 0, blocks, 7); /* a lucky prime in each round */
        expect_unlucky(m, &g, "first primes but some");
        unlucky_words(m, blocks, 2, 3);
        expect_unlucky(m, &g, "later primes");
    }
    mpz_clear(m);
}

static void named_primes_are_unlucky(void **state)
{
    gfp_random g;
    mpz_t m, p;
    (void)state;
    gfp_random_seed(&g, 5);
    mpz_init_set_ui(m, 1);
    mpz_init(p);
    for (size_t i = 0; i < gfp_named_prime_count(); i++) {
        gfp_field *field;
        if (gfp_named_prime_get(i)->k > 16) {
            continue;
        }
        assert_int_equal(gfp_field_create(&field, gfp_named_prime_get(i)->name, NULL, NULL),
                         GFP_OK);
        assert_int_equal(mpz_set_str(p, gfp_field_get_info(field).modulus, 10), 0);
        gfp_field_destroy(field);
        expect_unlucky(p, &g, gfp_named_prime_get(i)->name);
        mpz_mul(m, m, p);
    }
    expect_unlucky(m, &g, "all named primes to k = 16");
    mpz_clear(p);
    mpz_clear(m);
}

static void primes_in_stock_are_unlucky(void **state)
{
    gfp_random g;
    mpz_t m;
    (void)state;
    gfp_random_seed(&g, 12);
    mpz_init(m);
    for (size_t count = 1; count < 6; count += 2) {
        unlucky_big(m, 0, count);
        expect_unlucky(m, &g, "big primes");
        unlucky_big(m, 1, count);
        expect_unlucky(m, &g, "big primes");
    }
    mpz_clear(m);
}

/* ---- kernels ---- */

static uint64_t mod_mul(uint64_t x, uint64_t y, uint64_t q)
{
    mpz_t t;
    mpz_init_set_ui(t, x);
    mpz_mul_ui(t, t, y);
    const uint64_t r = mpz_fdiv_ui(t, q);
    mpz_clear(t);
    return r;
}

/* A residue: 0, 1, q - 1, or random. */
static uint64_t gcd_calls_residue(uint64_t q, gfp_random *g)
{
    const uint64_t x = gfp_random_below(g, q), extremes[] = {0, 1, q - 1, x, x, x};
    return extremes[gfp_random_below(g, 6)];
}

#define MOST 40

/* The quotient and the remainder of g q + r at each level, against their definition: prime i has a
 * remainder r if bit i of the mask says so. */
static void check_quotient(const gfp_words *block, size_t len_q, size_t len_g, unsigned mask,
                           gfp_random *g)
{
    uint64_t q[MOST * GFP_WORDS], d[MOST * GFP_WORDS], a[2 * MOST * GFP_WORDS] = {0};
    uint64_t got[MOST * GFP_WORDS], d2[MOST * GFP_WORDS], a2[2 * MOST * GFP_WORDS];
    const size_t len_a = len_q + len_g - 1;
    for (size_t i = 0; i < MOST * GFP_WORDS; i++) {
        q[i] = gcd_calls_residue(block->q[i % GFP_WORDS], g);
        d[i] = gcd_calls_residue(block->q[i % GFP_WORDS], g);
    }
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        const uint64_t p = block->q[l];
        uint64_t *lead = &d[(len_g - 1) * GFP_WORDS + l];
        *lead = *lead == 0 ? p - 1 : *lead;
        for (size_t i = 0; i < len_q; i++) {
            for (size_t j = 0; j < len_g; j++) {
                uint64_t *to = &a[(i + j) * GFP_WORDS + l];
                *to = (*to + mod_mul(q[i * GFP_WORDS + l], d[j * GFP_WORDS + l], p)) % p;
            }
        }
        if ((mask >> l & 1) != 0 && len_g > 1) {
            uint64_t *to = &a[gfp_random_below(g, len_g - 1) * GFP_WORDS + l];
            *to = (*to + 1 + gfp_random_below(g, p - 1)) % p;
        }
    }
    for (unsigned level = 0; level < GFP_LEVEL_COUNT; level++) {
        if (!gfp_cpu_has((gfp_level)level)) {
            continue;
        }
        memcpy(a2, a, sizeof a);
        memcpy(d2, d, sizeof d);
        const unsigned zeros = gfp_words_divide((gfp_level)level, block, got, a2, len_a, d2, len_g);
        assert_int_equal(zeros, len_g > 1 ? ~mask & 255U : 255U);
        assert_memory_equal(got, q, len_q * GFP_WORDS * sizeof *q);
        gfp_words_scale((gfp_level)level, block, got, q, len_q, d);
        for (size_t i = 0; i < len_q * GFP_WORDS; i++) {
            assert_true(got[i] == mod_mul(q[i], d[i % GFP_WORDS], block->q[i % GFP_WORDS]));
        }
    }
}

static void quotients_modulo_a_block(void **state)
{
    gfp_random g;
    gfp_words block;
    (void)state;
    gfp_random_seed(&g, 8);
    for (size_t trial = 0; trial < 60; trial++) {
        (void)gfp_words_draw(&block, &g, 1000, 1000);
        check_quotient(&block, 1 + gfp_random_below(&g, MOST - 1),
                       1 + gfp_random_below(&g, MOST - 1), gfp_random_u64(&g) & 255U, &g);
        check_quotient(&block, 1 + trial % 4, 1 + trial / 4 % 4, trial % 3 == 0 ? 0 : 255, &g);
    }
}

/* ---- the check ---- */

/* The check's answer for a divisor of (X + 1) (2 X - 6) and (X + 1) (4 X + 2). */
static gfp_status check_divisor(const uint64_t g[2], const uint64_t u[2], const uint64_t v[2])
{
    uint64_t a[] = {-(uint64_t)6, -(uint64_t)4, 2}, b[] = {2, 6, 4};
    uint64_t d[3][2] = {{g[0], g[1]}, {u[0], u[1]}, {v[0], v[1]}};
    gfp_zcall call;
    assert_int_equal(zlab_call_begin(&call, "test", ring, NULL), GFP_OK);
    const gfp_zdivisor divisor = {{d[0], 2, 1}, {d[1], 2, 1}, {d[2], 2, 1}};
    const gfp_status status =
        gfp_zgcd_check(&call, (gfp_zpoly){a, 3, 1}, (gfp_zpoly){b, 3, 1}, &divisor);
    assert_int_equal(gfp_call_end(&call.base, status), status);
    return status;
}

/* (q X + 1) (X + 2) and (q X + 1) (X + 3), of which 1 is no gcd, also if q is a prime that the
 * check draws: q divides both leading coefficients, and modulo q the degrees agree. */
static void a_prime_of_both_leading_coefficients(void **state)
{
    const gfp_options options = {.verify_seed = 5};
    gfp_random g;
    gfp_words block;
    (void)state;
    gfp_random_seed(&g, options.verify_seed);
    (void)gfp_words_draw(&block, &g, 100, 10);
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        const uint64_t q = block.q[l];
        uint64_t a[] = {2, 2 * q + 1, q}, b[] = {3, 3 * q + 1, q}, one[] = {1};
        gfp_zcall call;
        assert_int_equal(zlab_call_begin(&call, "test", ring, &options), GFP_OK);
        const gfp_zdivisor divisor = {{one, 1, 1}, {a, 3, 1}, {b, 3, 1}};
        const gfp_status status =
            gfp_zgcd_check(&call, (gfp_zpoly){a, 3, 1}, (gfp_zpoly){b, 3, 1}, &divisor);
        assert_int_equal(gfp_call_end(&call.base, status), status);
        assert_int_equal(status, GFP_ERR_VERIFY);
    }
}

static void checks_see_wrong_divisors(void **state)
{
    const uint64_t g[] = {2, 2}, u[] = {-(uint64_t)3, 1}, v[] = {1, 2};
    const uint64_t half[] = {1, 1}, twice_u[] = {-(uint64_t)6, 2}, twice_v[] = {2, 4};
    const uint64_t less_g[] = {-(uint64_t)2, -(uint64_t)2};
    const uint64_t less_u[] = {3, -(uint64_t)1}, less_v[] = {-(uint64_t)1, -(uint64_t)2};
    (void)state;
    assert_int_equal(check_divisor(g, u, v), GFP_OK);
    assert_int_equal(check_divisor(g, v, u), GFP_ERR_VERIFY);
    assert_int_equal(check_divisor(g, u, u), GFP_ERR_VERIFY);
    assert_int_equal(check_divisor(half, u, v), GFP_ERR_VERIFY);
    /* A common divisor that lacks a content, or has another sign. */
    assert_int_equal(check_divisor(half, twice_u, twice_v), GFP_ERR_VERIFY);
    assert_int_equal(check_divisor(less_g, less_u, less_v), GFP_ERR_VERIFY);
}

/* ---- FLINT ---- */

#if GFP_HAVE_FLINT
static void long_divisors_are_those_of_flint(void **state)
{
    static const struct {
        size_t g, u, v, bits;
    } sizes[] = {{50, 50, 40, 30},
                 {130, 10, 200, 64},
                 {3, 150, 150, 100},
                 {80, 80, 80, 700},
                 {200, 200, 190, 10}};
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 6);
    for (size_t i = 0; LAB_ROW(sizes, i); i++) {
        zlab f = zlab_random(sizes[i].g, sizes[i].bits, 1, &g);
        zlab u = zlab_random(sizes[i].u, sizes[i].bits, 1 + i % 2, &g);
        zlab v = zlab_random(sizes[i].v, sizes[i].bits, 1, &g);
        zlab a = zlab_product(f, u), b = zlab_product(f, v), expected;
        gfp_zvec x, y;
        fmpz_poly_t fa, fb;
        fmpz_poly_init(fa);
        fmpz_poly_init(fb);
        gfp_zvec_init(&x, ring);
        gfp_zvec_init(&y, ring);
        zlab_set(&x, a);
        zlab_set(&y, b);
        assert_int_equal(gfp_zvec_get_fmpz_poly(fa, &x), GFP_OK);
        assert_int_equal(gfp_zvec_get_fmpz_poly(fb, &y), GFP_OK);
        fmpz_poly_gcd(fa, fa, fb);
        assert_int_equal(gfp_zvec_set_fmpz_poly(&x, fa), GFP_OK);
        expected = zlab_of(&x);
        expect_gcd(a, b, expected, "long");
        fmpz_poly_clear(fa);
        fmpz_poly_clear(fb);
        gfp_zvec_clear(&x);
        gfp_zvec_clear(&y);
        zlab_free(&expected);
        zlab_free(&a);
        zlab_free(&b);
        zlab_free(&f);
        zlab_free(&u);
        zlab_free(&v);
    }
}

static void flint_polynomials_as_operands(void **state)
{
    gfp_random g;
    gfp_zvec x;
    fmpz_poly_t a, b, c, d;
    fmpz_t r, s;
    (void)state;
    gfp_random_seed(&g, 10);
    gfp_zvec_init(&x, ring);
    fmpz_poly_init(a);
    fmpz_poly_init(b);
    fmpz_poly_init(c);
    fmpz_poly_init(d);
    fmpz_init(r);
    fmpz_init(s);
    for (size_t trial = 0; trial < 50; trial++) {
        zlab f = zlab_random(trial % 20, 100, 1 + trial % 3, &g);
        zlab h = zlab_random(gfp_random_below(&g, 30), 1 + trial * 5, 1, &g);
        zlab_set(&x, f);
        assert_int_equal(gfp_zvec_get_fmpz_poly(a, &x), GFP_OK);
        zlab_set(&x, h);
        assert_int_equal(gfp_zvec_get_fmpz_poly(b, &x), GFP_OK);
        fmpz_poly_mul(d, a, b);
        assert_int_equal(gfp_fmpz_poly_mul(c, a, b, ring, NULL), GFP_OK);
        assert_true(fmpz_poly_equal(c, d));
        fmpz_poly_gcd(d, a, c);
        assert_int_equal(gfp_fmpz_poly_gcd(c, a, c, ring, NULL), GFP_OK);
        assert_true(fmpz_poly_equal(c, d));
        fmpz_poly_resultant(s, a, b);
        assert_int_equal(gfp_fmpz_poly_resultant(r, a, b, ring, NULL), GFP_OK);
        assert_true(fmpz_equal(r, s));
        zlab_free(&f);
        zlab_free(&h);
    }
    assert_int_equal(gfp_fmpz_poly_mul(c, a, b, NULL, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_fmpz_poly_gcd(c, a, b, NULL, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_fmpz_poly_resultant(r, a, b, NULL, NULL), GFP_ERR_ARGUMENT);
    assert_true(fmpz_poly_equal(c, d) && fmpz_equal(r, s));
    fmpz_clear(r);
    fmpz_clear(s);
    fmpz_poly_clear(a);
    fmpz_poly_clear(b);
    fmpz_poly_clear(c);
    fmpz_poly_clear(d);
    gfp_zvec_clear(&x);
}
#endif

/* ---- calls ---- */

static void make_pair(gfp_zvec *x, gfp_zvec *y, gfp_zring *over, size_t len, size_t bits)
{
    gfp_random g;
    gfp_random_seed(&g, 7);
    zlab f = zlab_random(len, bits, 1, &g), u = zlab_random(len, bits, 1, &g);
    zlab v = zlab_random(len, bits, 1, &g), a = zlab_product(f, u), b = zlab_product(f, v);
    gfp_zvec_init(x, over);
    gfp_zvec_init(y, over);
    zlab_set(x, a);
    zlab_set(y, b);
    zlab_free(&f);
    zlab_free(&u);
    zlab_free(&v);
    zlab_free(&a);
    zlab_free(&b);
}

static void threads_and_outputs_that_are_inputs(void **state)
{
    gfp_zvec x, y, g, u, v, more;
    gfp_zvec *const all[] = {&g, &u, &v, &more, &x, &y};
    gfp_report report;
    const gfp_options options = {.threads = 3, .method = "words", .report = &report};
    (void)state;
    make_pair(&x, &y, ring, 60, 1500);
    for (size_t i = 0; i < 4; i++) {
        gfp_zvec_init(all[i], ring);
    }
    assert_int_equal(gfp_zvec_gcd_cofactors(&g, &u, &v, &x, &y, NULL), GFP_OK);
    assert_int_equal(gfp_zvec_gcd(&more, &x, &y, &options), GFP_OK);
    assert_int_equal(report.threads, gfp_build_get_info()->threads ? 3 : 1);
    assert_true(gfp_zvec_equal(&g, &more));
    assert_int_equal(gfp_zvec_gcd_cofactors(&more, &y, &x, &x, &y, &options), GFP_OK);
    assert_true(gfp_zvec_equal(&g, &more));
    assert_true(gfp_zvec_equal(&u, &y));
    assert_true(gfp_zvec_equal(&v, &x));
    assert_int_equal(gfp_zvec_gcd_cofactors(&g, &g, &v, &x, &y, NULL), GFP_ERR_ARGUMENT);
    for (size_t i = 0; i < 6; i++) {
        gfp_zvec_clear(all[i]);
    }
}

/* Digits of all widths, across limbs; signs of all kinds: nearly all divisors are found without
 * word-size primes. */
static void one_gcd_of_integers_finds_divisors(void **state)
{
    gfp_random g;
    gfp_zvec x, y, d, e;
    gfp_zvec *const all[] = {&x, &y, &d, &e};
    gfp_report report = {.method = NULL};
    size_t found = 0, count = 0;
    (void)state;
    gfp_random_seed(&g, 71);
    for (size_t i = 0; i < 4; i++) {
        gfp_zvec_init(all[i], ring);
    }
    for (size_t bits = 1; bits < 150; bits++, count++) {
        const size_t len_g = 1 + bits % 9;
        zlab u = zlab_random(2 + bits % 5, bits, 1 + bits % 3, &g);
        zlab v = zlab_random(2 + bits % 7, bits, 1, &g), w = zlab_random(len_g, bits, 1, &g);
        zlab a = zlab_product(u, w), b = zlab_product(v, w);
        const gfp_options integers = {.method = "kronecker", .report = &report},
                          words = {.method = "words"};
        zlab_set(&x, a);
        zlab_set(&y, b);
        assert_int_equal(gfp_zvec_gcd(&d, &x, &y, &integers), GFP_OK);
        found += report.method != NULL && strcmp(report.method, "words") != 0;
        assert_int_equal(gfp_zvec_gcd(&e, &x, &y, &words), GFP_OK);
        assert_true(gfp_zvec_equal(&d, &e));
        zlab_free(&u);
        zlab_free(&v);
        zlab_free(&w);
        zlab_free(&a);
        zlab_free(&b);
    }
    assert_true(found * 10 > count * 9);
    for (size_t i = 0; i < 4; i++) {
        gfp_zvec_clear(all[i]);
    }
}

/* One operand has long coefficients: their proof is by longer digits or by residues. Its value at
 * a power of two may be 0 or negative. */
static void coefficients_of_unequal_bits(void **state)
{
    static const size_t bits[] = {20, 60, 120, 190, 400, 1500};
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 21);
    for (size_t i = 0; i < 6 * sizeof bits / sizeof *bits; i++) {
        const size_t len = 2 + (size_t)gfp_random_below(&g, 12), of_g = 1 + i % 5;
        zlab z = zlab_random(of_g, 1 + i % 9, 1, &g);
        zlab x = zlab_random(len, bits[i / 6], 1, &g), y = zlab_random(1 + i % 7, 3, 1, &g);
        if (i % 6 == 0) { /* the root 2^(5 + i) */
            mpz_set_si(x.c[0], -1);
            mpz_mul_2exp(x.c[0], x.c[0], 5 + i);
            mpz_set_ui(x.c[1], 1);
            for (size_t j = 2; j < len; j++) {
                mpz_set_ui(x.c[j], 0);
            }
        }
        zlab a = zlab_product(x, z), b = zlab_product(y, z);
        expect_euclid(i % 2 == 0 ? a : b, i % 2 == 0 ? b : a, "unequal bits");
        zlab *const all[] = {&x, &y, &z, &a, &b};
        for (size_t j = 0; j < 5; j++) {
            zlab_free(all[j]);
        }
    }
}

/* A basis that the ring does not keep counts for the cap until it is given back. */
static void bases_return_their_bytes(void **state)
{
    const gfp_options options = {.memory_cap = (size_t)1 << 20};
    gfp_zring_basis basis;
    gfp_zcall call;
    const gfp_words *block;
    const uint8_t use = 0x5a;
    (void)state;
    assert_int_equal(zlab_call_begin(&call, "bases", ring, &options), GFP_OK);
    const size_t left = call.base.left;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(gfp_zblocks_take(&call, &basis, 1, 20, false), GFP_OK);
        assert_true(call.base.left <= left - gfp_words_basis_bytes(basis.basis));
        gfp_zblocks_give(&call, &basis);
        assert_int_equal(call.base.left, left);
    }
    assert_int_equal(gfp_words_supply_block(ring->supply, 0, &block), GFP_OK);
    assert_int_equal(gfp_zblocks_choose(&call, &basis, &block, &use, 1), GFP_OK);
    assert_true(call.base.left < left);
    gfp_zblocks_give(&call, &basis);
    call.base.left = 100;
    assert_int_equal(gfp_zblocks_choose(&call, &basis, &block, &use, 1), GFP_ERR_MEMORY);
    assert_null(basis.basis);
    assert_int_equal(gfp_zblocks_take(&call, &basis, 1, 20, false), GFP_ERR_MEMORY);
    assert_null(basis.basis);
    gfp_zblocks_give(&call, &basis);
    assert_int_equal(call.base.left, 100);
    assert_int_equal(gfp_call_end(&call.base, GFP_OK), GFP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_common_factors),
        cmocka_unit_test(zeros_constants_and_signs),
        cmocka_unit_test(roots_of_unity),
        cmocka_unit_test(swinnerton_dyer_polynomials),
        cmocka_unit_test(quotients_longer_than_the_operand),
        cmocka_unit_test(sizes_at_the_extremes),
        cmocka_unit_test(quotients_modulo_a_block),
        cmocka_unit_test(the_first_primes_are_unlucky),
        cmocka_unit_test(named_primes_are_unlucky),
        cmocka_unit_test(primes_in_stock_are_unlucky),
        cmocka_unit_test(checks_see_wrong_divisors),
        cmocka_unit_test(a_prime_of_both_leading_coefficients),
#if GFP_HAVE_FLINT
        cmocka_unit_test(long_divisors_are_those_of_flint),
        cmocka_unit_test(flint_polynomials_as_operands),
        cmocka_unit_test(flint_mistakes_signs_of_quotients),
#endif
        cmocka_unit_test(threads_and_outputs_that_are_inputs),
        cmocka_unit_test(one_gcd_of_integers_finds_divisors),
        cmocka_unit_test(coefficients_of_unequal_bits),
        cmocka_unit_test(bases_return_their_bytes),
    };
    return cmocka_run_group_tests(tests, zlab_setup, zlab_teardown);
}
