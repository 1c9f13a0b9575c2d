/* products.c: products of polynomials over Z by every strategy against FLINT's, and against the
 * definition by GMP: all short lengths, unbalanced and long factors, extreme numbers, squares,
 * aliases, caps, checks, cancelled calls.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <pthread.h>
#include <string.h>

#include "lab/ring.h"
#include "lab/rows.h"

#if GFP_HAVE_FLINT
#include "lab/flint_mpz.h"
#endif

#include "gfpoly.h"
#include "field/base/word.h"
#include "modular/mul/methods.h"
#include "modular/vec.h"

/* ---- inputs ---- */

static uint64_t seed = 7;

static uint64_t products_next(void)
{
    return gfp_mix64(seed += UINT64_C(0x9e3779b97f4a7c15));
}

enum { RANDOM, MOST, LEAST, SPARSE, SHORT, KINDS };

/* a := len numbers of absolute value at most 2^(bits - 1): random ones, all the greatest or the
 * least number of `bits` bits in two's complement, mostly 0, of different sizes. */
static void products_fill(gfp_zvec *a, size_t len, size_t bits, unsigned kind)
{
    const size_t width = (bits + 63) / 64;
    uint64_t *x = calloc(len * width + 1, sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < len; i++) {
        uint64_t *at = x + i * width;
        const uint64_t r = products_next();
        for (size_t j = 0; j < width; j++) {
            at[j] = kind == MOST ? UINT64_MAX : kind == LEAST ? 0 : products_next();
        }
        size_t size = kind == SHORT ? 1 + r % bits : bits;
        const bool zero = kind == SPARSE && r % 4 != 0;
        const bool negative = kind == MOST    ? false
                              : kind == LEAST ? true
                                              : (at[(size - 1) / 64] >> (size - 1) % 64 & 1) != 0;
        for (size_t j = 0; j < 64 * width; j++) {
            if (j >= size - 1 || zero) {
                const uint64_t bit = (uint64_t)(negative && !zero) << j % 64;
                at[j / 64] = (at[j / 64] & ~((uint64_t)1 << j % 64)) | bit;
            }
        }
    }
    assert_int_equal(gfp_zvec_set_limbs(a, x, len, width), GFP_OK);
    free(x);
}

/* ---- oracles ---- */

static void products_get(mpz_t z, const gfp_zvec *a, size_t i)
{
    const uint64_t *x = a->limbs + i * a->width;
    mpz_import(z, a->width, -1, sizeof *x, 0, 0, x);
    if (x[a->width - 1] >> 63 != 0) {
        mpz_t power;
        mpz_init(power);
        mpz_setbit(power, 64 * a->width);
        mpz_sub(z, z, power);
        mpz_clear(power);
    }
}

static void products_expect(const gfp_zvec *c, size_t i, const mpz_t value)
{
    mpz_t z;
    mpz_init(z);
    if (i < c->len) {
        products_get(z, c, i);
    }
    if (mpz_cmp(z, value) != 0) {
        fail_msg("coefficient %zu of %zu is wrong", i, c->len);
    }
    mpz_clear(z);
}

static mpz_t *products_integers(const gfp_zvec *a)
{
    mpz_t *x = malloc((a->len + 1) * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < a->len; i++) {
        mpz_init(x[i]);
        products_get(x[i], a, i);
    }
    return x;
}

static void integers_free(mpz_t *x, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        mpz_clear(x[i]);
    }
    free(x);
}

/* By the definition. */
static void expect_definition(const gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b)
{
    mpz_t *x = products_integers(a), *y = products_integers(b), sum;
    mpz_init(sum);
    const size_t len = a->len + b->len;
    for (size_t i = 0; i < len; i++) {
        mpz_set_ui(sum, 0);
        for (size_t j = i < b->len ? 0 : i - b->len + 1; j <= i && j < a->len; j++) {
            mpz_addmul(sum, x[j], y[i - j]);
        }
        products_expect(c, i, sum);
    }
    mpz_clear(sum);
    integers_free(x, a->len);
    integers_free(y, b->len);
}

#if GFP_HAVE_FLINT
static void to_flint(fmpz_poly_t f, const gfp_zvec *a)
{
    mpz_t *x = products_integers(a);
    fmpz_poly_init(f);
    for (size_t i = 0; i < a->len; i++) {
        set_coefficient_mpz(f, i, x[i]);
    }
    integers_free(x, a->len);
}

static void expect_product(const gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b)
{
    fmpz_poly_t x, y, z;
    mpz_t value;
    mpz_init(value);
    to_flint(x, a);
    to_flint(y, b);
    fmpz_poly_init(z);
    fmpz_poly_mul(z, x, y);
    assert_int_equal(c->len, fmpz_poly_length(z));
    for (size_t i = 0; i < c->len; i++) {
        fmpz_get_mpz(value, fmpz_poly_get_coeff_ptr(z, (slong)i));
        products_expect(c, i, value);
    }
    mpz_clear(value);
    fmpz_poly_clear(x);
    fmpz_poly_clear(y);
    fmpz_poly_clear(z);
}
#else
static void expect_product(const gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b)
{
    expect_definition(c, a, b);
}
#endif

/* ---- products ---- */

static bool products_serves(const char *name)
{
    return GFP_HAVE_FLINT || strcmp(name, "flint") != 0;
}

/* Whether the strategy serves factors of more than a limb. */
static bool serves_long(const char *name)
{
    return products_serves(name) && strcmp(name, "classical") != 0 && strcmp(name, "short") != 0;
}

/* Multiplies by a strategy, or "auto"; big primes do not serve every bound. Returns whether c is
 * there. */
static bool products_multiply(gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b, const char *name)
{
    gfp_report report = {.method = NULL};
    gfp_error error = {.status = GFP_OK};
    const gfp_options options = {.method = name, .report = &report, .error = &error};
    const gfp_status status = gfp_zvec_mul(c, a, b, &options);
    if (status == GFP_ERR_UNAVAILABLE &&
        (strchr("bmcs", name[0]) != NULL || !products_serves(name))) {
        assert_true(error.message[0] != '\0');
        return false;
    }
    assert_int_equal(status, GFP_OK);
    if (strcmp(name, "auto") != 0) {
        assert_string_equal(report.method, name);
    }
    return true;
}

static const char *name_of(size_t i)
{
    return i < gfp_zmul_count() ? gfp_zmethod_names[gfp_zmul_strategy(i)->method] : "auto";
}

static unsigned computed[16];

static void products_check(const gfp_zvec *a, const gfp_zvec *b, bool definition)
{
    gfp_zvec c;
    gfp_zvec_init(&c, ring);
    for (size_t i = 0; i <= gfp_zmul_count(); i++) {
        if (products_multiply(&c, a, b, name_of(i))) {
            computed[i]++;
            if (definition) {
                expect_definition(&c, a, b);
            } else {
                expect_product(&c, a, b);
            }
        }
    }
    gfp_zvec_clear(&c);
}

static void check_lengths(size_t len_a, size_t len_b, size_t bits_a, size_t bits_b, unsigned kind)
{
    gfp_zvec a, b;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    products_fill(&a, len_a, bits_a, kind);
    products_fill(&b, len_b, bits_b, kind == LEAST && len_b % 2 == 0 ? MOST : kind);
    products_check(&a, &b, len_a * len_b < 64);
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
}

static void short_products_are_right(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 40; n++) {
        for (unsigned kind = 0; kind < KINDS; kind++) {
            check_lengths(n, n, 1 + products_next() % 300, 1 + products_next() % 300, kind);
            check_lengths(n, 1 + products_next() % 40, 1 + products_next() % 64,
                          1 + products_next() % 1000, kind);
        }
    }
}

static void products_of_all_sizes_are_right(void **state)
{
    static const size_t bits[] = {1,   2,   3,   31,  48,  49,  50,   62,   63,   64,  65,
                                  126, 127, 128, 250, 500, 992, 1984, 2500, 4031, 5000};
    (void)state;
    for (size_t i = 0; LAB_ROW(bits, i); i++) {
        for (unsigned kind = 0; kind < KINDS; kind++) {
            check_lengths(1 + products_next() % 9, 5, bits[i], bits[i], kind);
            check_lengths(3, 1 + products_next() % 9, bits[i], 1 + products_next() % 200, kind);
        }
    }
}

static void long_products_are_right(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        check_lengths(1000 + products_next() % 300, 700 + products_next() % 300, 90, 100, kind);
        check_lengths(3000 + products_next() % 3000, 1 + products_next() % 40, 30, 200, kind);
        check_lengths(5000, 4000, 20, 1 + products_next() % 60, kind);
        check_lengths(65 + products_next() % 64, 64, 1000 + products_next() % 1000, 900, kind);
        check_lengths(129, 200, 400, 77, kind);
    }
    for (size_t i = 0; i <= gfp_zmul_count(); i++) { /* every strategy has computed something */
        assert_true(computed[i] > 100 || !products_serves(name_of(i)));
    }
}

/* a := len times the number value. */
static void products_repeat(gfp_zvec *a, size_t len, const mpz_t value)
{
    const size_t width = mpz_sizeinbase(value, 2) / 64 + 1;
    uint64_t *x = calloc(len * width, sizeof *x);
    mpz_t word;
    assert_non_null(x);
    mpz_init_set(word, value);
    if (mpz_sgn(value) < 0) {
        mpz_set_ui(word, 0);
        mpz_setbit(word, 64 * width);
        mpz_add(word, word, value);
    }
    for (size_t i = 0; i < len; i++) {
        mpz_export(x + i * width, NULL, -1, sizeof *x, 0, 0, word);
    }
    assert_int_equal(gfp_zvec_set_limbs(a, x, len, width), GFP_OK);
    mpz_clear(word);
    free(x);
}

/* The square of a with the signs of its upper half changed: for an even length, coefficient len - 1
 * is -len a_0^2. */
static void square_at_half(gfp_zvec *a)
{
    const size_t width = a->width;
    for (size_t i = a->len / 2; i < a->len; i++) {
        mpn_neg((mp_limb_t *)(void *)(a->limbs + i * width),
                (const mp_limb_t *)(const void *)(a->limbs + i * width), (mp_size_t)width);
    }
    products_check(a, a, true);
}

/* Products and squares of 2^log coefficients each, whose greatest one is just below, at or just
 * above 2^bits in absolute value, of either sign. */
static void check_power(size_t bits, unsigned log)
{
    const size_t len = (size_t)1 << log, bits_x = (bits - log) / 2;
    gfp_zvec a, b;
    mpz_t x, y;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    for (unsigned kind = 0; kind < 4; kind++) {
        mpz_inits(x, y, NULL);
        mpz_setbit(x, bits_x);
        mpz_setbit(y, bits - log - bits_x);
        mpz_neg(x, x);
        mpz_add_ui(x, x, kind & 1);      /* -2^m or 1 - 2^m */
        mpz_sub_ui(y, y, kind >> 1 & 1); /* 2^n or 2^n - 1 */
        products_repeat(&a, len, x);
        products_repeat(&b, len, y);
        products_check(&a, &b, true);
        products_repeat(&b, len, x);
        products_check(&a, &b, true);
        square_at_half(&a);
        mpz_clears(x, y, NULL);
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
}

/* Coefficients at powers of two, at half of whole limbs above all: where an engine decides upon the
 * sign, and where bounds of bits change. FLINT's product by the FFT had negative coefficients wrong
 * there. */
static void signs_at_halves_are_right(void **state)
{
    static const size_t limbs[] = {10, 12, 16, 20, 24, 32, 48};
    static const unsigned logs[] = {0, 1, 2, 4, 6};
    (void)state;
    for (size_t j = 0; LAB_ROW(logs, j); j++) {
        for (size_t bits = logs[j] + 2; bits < 540; bits += j < 3 ? 1 : 5) {
            check_power(bits, logs[j]);
        }
        for (size_t i = 0; LAB_ROW(limbs, i); i++) {
            check_power(64 * limbs[i] - 2, logs[j]);
            check_power(64 * limbs[i] - 1, logs[j]);
            check_power(64 * limbs[i], logs[j]);
        }
    }
}

/* Every number of primes in the last block, below and above four; factors that fill half of the
 * points, and longer ones; squares. */
static void last_blocks_of_all_sizes_are_right(void **state)
{
    static const size_t lengths[][2] = {{64, 64},  {64, 35}, {100, 29},
                                        {100, 20}, {48, 40}, {33, 33}};
    gfp_zvec a, c;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&c, ring);
    for (size_t bits = 30; bits < 450; bits += 24) {
        for (size_t i = 0; LAB_ROW(lengths, i); i++) {
            check_lengths(lengths[i][0], lengths[i][1], bits, bits, i % 2 == 0 ? RANDOM : MOST);
            products_fill(&a, lengths[i][0], bits, RANDOM);
            assert_true(products_multiply(&c, &a, &a, "words"));
            expect_product(&c, &a, &a);
        }
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&c);
}

/* Short coefficients, of up to three limbs, by two to six primes: every size of transforms, the
 * bounds of their numbers, signs, squares, factors of other bits, threads. */
static void short_coefficients(void **state)
{
    static const size_t bits[] = {1,  20, 43, 44, 45,  60,  62,  63,  64,  65,
                                  67, 80, 91, 92, 100, 115, 116, 127, 128, 135};
    gfp_zvec a, b, c;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&c, ring);
    for (size_t n = 1; n < 700; n += 1 + n / 6) {
        for (size_t i = 0; LAB_ROW(bits, i); i++) {
            products_fill(&a, n, bits[i], (unsigned)(products_next() % KINDS));
            products_fill(&b, 1 + products_next() % n, 1 + products_next() % bits[i],
                          (unsigned)(products_next() % KINDS));
            assert_true(products_multiply(&c, &a, &b, "short"));
            expect_product(&c, &a, &b);
            assert_true(products_multiply(&c, &a, &a, "short"));
            expect_product(&c, &a, &a);
        }
    }
    for (unsigned kind = 0; kind < KINDS; kind++) {
        const gfp_options options = {.method = "short", .threads = 3, .verify = GFP_VERIFY_CROSS};
        for (size_t most = 63; most < 135; most += 13) {
            products_fill(&a, 20000, most, kind);
            products_fill(&b, 1500, most - 1, kind);
            assert_int_equal(gfp_zvec_mul(&c, &a, &b, &options), GFP_OK);
            expect_product(&c, &a, &b);
        }
    }
    /* The most bits of a coefficient, of either factor, and of the product. */
    for (unsigned kind = 0; kind < KINDS; kind++) {
        products_fill(&a, 6, 142, kind);
        products_fill(&b, 3, 141, kind);
        assert_true(products_multiply(&c, &a, &b, "short"));
        expect_product(&c, &a, &b);
        products_fill(&b, 300, 90, kind);
        assert_true(products_multiply(&c, &b, &a, "short"));
        expect_product(&c, &a, &b);
    }
    products_fill(&a, 6, 144, MOST);
    products_fill(&b, 6, 20, MOST);
    assert_false(products_multiply(&c, &a, &b, "short"));
    products_fill(&a, 6, 143, MOST);
    assert_false(products_multiply(&c, &a, &a, "short"));
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&c);
}

/* More bits than a named prime has, and than two have. */
static void products_by_many_big_primes_are_right(void **state)
{
    static const size_t sizes[][4] = {{5, 4, 4500, 4500},
                                      {5, 4, 8500, 8500},
                                      {40, 3, 30000, 100},
                                      {17, 33, 20000, 20000},
                                      {2, 2, 60000, 60001}};
    gfp_zvec a, b, c;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&c, ring);
    for (size_t i = 0; LAB_ROW(sizes, i); i++) {
        for (unsigned kind = 0; kind < KINDS; kind++) {
            products_fill(&a, sizes[i][0], sizes[i][2], kind);
            products_fill(&b, sizes[i][1], sizes[i][3], kind == LEAST && i % 2 == 0 ? MOST : kind);
            assert_true(products_multiply(&c, &a, &b, "big"));
            expect_product(&c, &a, &b);
        }
    }
    products_fill(&a, 1, 1000000, RANDOM);
    assert_false(products_multiply(&c, &a, &a, "big"));
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&c);
}

/* c = a, c = b, both; squares of one vector and of equal ones. */
static void outputs_may_be_inputs(void **state)
{
    gfp_zvec a, b, c, d;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&c, ring);
    gfp_zvec_init(&d, ring);
    for (size_t n = 1; n < 200; n += n) {
        for (size_t i = 0; i <= gfp_zmul_count(); i++) {
            products_fill(&a, n, 70, RANDOM);
            products_fill(&b, n / 2 + 1, 130, LEAST);
            if (!serves_long(name_of(i))) {
                continue;
            }
            assert_true(products_multiply(&c, &a, &b, name_of(i)));
            assert_int_equal(gfp_zvec_set(&d, &a), GFP_OK);
            assert_true(products_multiply(&d, &d, &b, name_of(i)));
            assert_true(gfp_zvec_equal(&c, &d));
            assert_int_equal(gfp_zvec_set(&d, &b), GFP_OK);
            assert_true(products_multiply(&d, &a, &d, name_of(i)));
            assert_true(gfp_zvec_equal(&c, &d));
            assert_int_equal(gfp_zvec_set(&d, &a), GFP_OK);
            assert_true(products_multiply(&c, &a, &d, name_of(i)));
            expect_product(&c, &a, &a);
            assert_true(products_multiply(&d, &d, &d, name_of(i)));
            assert_true(gfp_zvec_equal(&c, &d));
        }
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&c);
    gfp_zvec_clear(&d);
}

/* Vectors that share their limbs are equal only if their widths are, too. */
static void shared_limbs_have_two_widths(void **state)
{
    gfp_zvec a, c;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&c, ring);
    for (size_t n = 1; n < 200; n += n) {
        products_fill(&a, n, 120, RANDOM);
        const gfp_zvec b = {.ring = ring, .limbs = a.limbs, .len = a.len, .width = 1};
        for (size_t i = 0; i <= gfp_zmul_count(); i++) {
            if (serves_long(name_of(i))) {
                assert_true(products_multiply(&c, &a, &b, name_of(i)));
                expect_product(&c, &a, &b);
            }
        }
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&c);
}

/* Zeros at the end and limbs that are not needed are allowed. */
static void loose_vectors_are_read(void **state)
{
    const uint64_t x[] = {5, 0, 0, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, 0, 0, 0, 0, 0};
    const uint64_t zeros[12] = {0};
    const uint64_t square[] = {25, (uint64_t)-10, 1};
    gfp_zvec a, b, c;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&c, ring);
    for (size_t i = 0; i <= gfp_zmul_count(); i++) {
        assert_int_equal(gfp_zvec_set_limbs(&a, x, 4, 3), GFP_OK);
        assert_int_equal(gfp_zvec_set_limbs(&b, square, 3, 1), GFP_OK);
        if (products_serves(name_of(i))) {
            assert_true(products_multiply(&c, &a, &a, name_of(i)));
            assert_int_equal(c.len, 3);
            assert_true(gfp_zvec_equal(&c, &b));
            assert_int_equal(gfp_zvec_set_limbs(&b, zeros, 4, 3), GFP_OK);
            assert_true(products_multiply(&c, &a, &b, name_of(i)));
            assert_int_equal(c.len, 0);
        }
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&c);
}

static void products_are_checked(void **state)
{
    gfp_zvec a, b, c;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&c, ring);
    for (size_t n = 1; n < 2000; n = 3 * n + 1) {
        gfp_report report;
        gfp_options options = {.verify = GFP_VERIFY_POINT, .report = &report};
        products_fill(&a, n, 300, RANDOM);
        products_fill(&b, n + 5, 100, LEAST);
        assert_int_equal(gfp_zvec_mul(&c, &a, &b, &options), GFP_OK);
        expect_product(&c, &a, &b);
        assert_int_equal(report.verified, GFP_VERIFY_POINT);
        assert_true(report.log2_error < -60 && report.points == 8);
        options.verify = GFP_VERIFY_CROSS;
        assert_int_equal(gfp_zvec_mul(&c, &a, &b, &options), GFP_OK);
        expect_product(&c, &a, &b);
        assert_int_equal(report.verified, GFP_VERIFY_CROSS);
        assert_string_not_equal(report.method, report.cross_method);
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&c);
}

/* The check at a random point finds every single wrong bit. */
static void wrong_products_are_found(void **state)
{
    const gfp_options options = {.verify_seed = 5};
    uint64_t x[6] = {1, 2, 3, 4, 5, 6}, y[4] = {7, 8, 9, 10}, c[9 * 3];
    gfp_call call;
    const gfp_zmul z = {.ring = ring,
                        .a = {x, 6, 1, 3},
                        .b = {y, 4, 1, 4},
                        .bits = 150,
                        .c = c,
                        .len = 9,
                        .width = 3,
                        .threads = 1,
                        .cap = SIZE_MAX,
                        .call = &call};
    (void)state;
    assert_int_equal(gfp_call_begin(&call, "test", &options), GFP_OK);
    gfp_report report;
    assert_int_equal(gfp_zmul_kronecker.multiply(&z), GFP_OK);
    assert_int_equal(gfp_zmul_check_point(&z, &report), GFP_OK);
    for (size_t i = 0; i < 9 * 3; i++) {
        for (unsigned bit = 0; bit < 64; bit += 7) {
            c[i] ^= (uint64_t)1 << bit;
            assert_int_equal(gfp_zmul_check_point(&z, &report), GFP_ERR_VERIFY);
            c[i] ^= (uint64_t)1 << bit;
        }
    }
}

/* Long numbers are checked in parts: products of any signs, wrong bits everywhere. */
static void long_products_are_checked(void **state)
{
    static const size_t sizes[][4] = {/* lengths, bits */
                                      {1, 1, 16000, 16500}, {1, 1, 16384, 16384},
                                      {1, 1, 70000, 20},    {2, 3, 16320, 32700},
                                      {3, 2, 50, 32768},    {1, 1, 4300000, 64}};
    gfp_zvec a, b, c;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&c, ring);
    for (size_t i = 0; LAB_ROW(sizes, i); i++) {
        for (unsigned how = RANDOM; how <= MOST; how++) {
            gfp_report report;
            const gfp_options options = {.verify = GFP_VERIFY_POINT, .report = &report};
            products_fill(&a, sizes[i][0], sizes[i][2], how);
            products_fill(&b, sizes[i][1], sizes[i][3], RANDOM);
            assert_int_equal(gfp_zvec_mul(&c, &a, &b, &options), GFP_OK);
            assert_true(report.verified == GFP_VERIFY_POINT && report.log2_error <= -40);
            if (sizes[i][2] > 100000 && how != RANDOM) {
                continue;
            }
            const gfp_options seeded = {.verify_seed = 9};
            gfp_call call;
            gfp_zmul z = {.ring = ring,
                          .a = {a.limbs, a.len, a.width, 0},
                          .b = {b.limbs, b.len, b.width, 0},
                          .c = c.limbs,
                          .len = c.len,
                          .width = c.width,
                          .call = &call};
            assert_int_equal(gfp_call_begin(&call, "test", &seeded), GFP_OK);
            assert_int_equal(gfp_zmul_check_point(&z, &report), GFP_OK);
            const size_t step = c.len * c.width / 40 + 1;
            for (size_t limb = 0; limb < c.len * c.width; limb += step) {
                c.limbs[limb] ^= (uint64_t)1 << limb % 64;
                assert_int_equal(gfp_zmul_check_point(&z, &report), GFP_ERR_VERIFY);
                c.limbs[limb] ^= (uint64_t)1 << limb % 64;
            }
        }
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&c);
}

static void caps_are_kept(void **state)
{
    gfp_zvec a, b, c, d;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&c, ring);
    gfp_zvec_init(&d, ring);
    products_fill(&a, 3000, 200, RANDOM);
    products_fill(&b, 3000, 200, RANDOM);
    assert_true(products_multiply(&d, &a, &b, "words"));
    for (size_t i = 0; i < gfp_zmul_count(); i++) {
        gfp_error error;
        gfp_options options = {.method = name_of(i), .memory_cap = 1000, .error = &error};
        if (!serves_long(name_of(i))) {
            continue;
        }
        products_fill(&c, 2, 3, MOST);
        const uint64_t kept = c.limbs[0];
        assert_int_equal(gfp_zvec_mul(&c, &a, &b, &options), GFP_ERR_MEMORY);
        assert_true(c.len == 2 && c.limbs[0] == kept);
        options.memory_cap = (size_t)1 << 30;
        assert_int_equal(gfp_zvec_mul(&c, &a, &b, &options), GFP_OK);
        assert_true(gfp_zvec_equal(&c, &d));
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&c);
    gfp_zvec_clear(&d);
}

/* Returns the least cap within which a product works. */
static size_t least_cap(const gfp_zvec *a, const gfp_zvec *b, gfp_options options)
{
    size_t low = 0, high = (size_t)1 << 30;
    gfp_zvec c;
    gfp_zvec_init(&c, ring);
    while (high - low > 1) {
        options.memory_cap = low + (high - low) / 2;
        const gfp_status status = gfp_zvec_mul(&c, a, b, &options);
        assert_true(status == GFP_OK || status == GFP_ERR_MEMORY);
        *(status == GFP_OK ? &high : &low) = options.memory_cap;
    }
    options.memory_cap = high;
    assert_int_equal(gfp_zvec_mul(&c, a, b, &options), GFP_OK);
    expect_product(&c, a, b);
    gfp_zvec_clear(&c);
    return high;
}

/* A cap counts copies of factors that are wider than needed, and the second product of a check. */
static void caps_count_copies_and_second_products(void **state)
{
    gfp_zvec a, b, wide;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&wide, ring);
    products_fill(&a, 300, 200, RANDOM);
    products_fill(&b, 200, 200, RANDOM);
    uint64_t *x = malloc(300 * 9 * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < 300; i++) {
        memset(x + i * 9, gfp_z_negative(gfp_zvec_at(&a, i), a.width) ? 0xff : 0, 9 * sizeof *x);
        memcpy(x + i * 9, gfp_zvec_at(&a, i), a.width * sizeof *x);
    }
    assert_int_equal(gfp_zvec_set_limbs(&wide, x, 300, 9), GFP_OK);
    free(x);
    const gfp_options words = {.method = "words"};
    const gfp_options cross = {.method = "words", .verify = GFP_VERIFY_CROSS};
    const size_t least = least_cap(&a, &b, words);
    const size_t copy = 300 * gfp_z_width(gfp_zvec_bits(&a)) * sizeof *x;
    const size_t second = 499 * gfp_z_width(2 * 199 + 8 + 1) * sizeof *x;
    size_t other = SIZE_MAX;
    for (size_t i = 0; i < gfp_zmul_count(); i++) {
        if (serves_long(name_of(i)) && strcmp(name_of(i), "words") != 0) {
            const size_t own = least_cap(&a, &b, (gfp_options){.method = name_of(i)});
            other = own < other ? own : other;
        }
    }
    assert_int_equal(wide.width, 9);
    assert_int_equal(least_cap(&wide, &b, words), least + copy);
    assert_int_equal(least_cap(&a, &b, cross), least > other + second ? least : other + second);
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&wide);
}

/* Without checks and progress the product may be computed in the output's storage, but not before
 * everything is allocated. */
static void failing_allocations_leave_large_outputs(void **state)
{
    (void)state;
    for (size_t i = 0; i < gfp_zmul_count(); i++) {
        gfp_zvec a, b, c, before;
        gfp_zring *usual = ring, *fresh;
        gfp_status status = GFP_ERR_MEMORY;
        const gfp_options options = {.method = name_of(i)};
        if (!products_serves(name_of(i))) {
            continue;
        }
        assert_int_equal(gfp_zring_create(&fresh, &counting, NULL), GFP_OK);
        ring = fresh;
        gfp_zvec_init(&a, ring);
        gfp_zvec_init(&b, ring);
        gfp_zvec_init(&c, ring);
        gfp_zvec_init(&before, ring);
        const size_t bits = strcmp(options.method, "short") == 0 ? 60 : 100;
        products_fill(&a, 100, bits, RANDOM);
        products_fill(&b, GFP_ZCLASSICAL, bits, RANDOM);
        products_fill(&c, 120, 300, RANDOM);
        assert_int_equal(gfp_zvec_set(&before, &c), GFP_OK);
        const uint64_t *storage = c.limbs;
        for (long count = 0; status == GFP_ERR_MEMORY && count < 1000; count++) {
            assert_true(gfp_zvec_equal(&c, &before));
            left = count;
            status = gfp_zvec_mul(&c, &a, &b, &options);
            left = -1;
        }
        assert_int_equal(status, GFP_OK);
        assert_ptr_equal(c.limbs, storage);
        expect_product(&c, &a, &b);
        gfp_zvec_clear(&a);
        gfp_zvec_clear(&b);
        gfp_zvec_clear(&c);
        gfp_zvec_clear(&before);
        gfp_zring_destroy(fresh);
        ring = usual;
    }
}

typedef struct watch {
    unsigned steps, last;
    double fraction;
} watch;

static bool products_step(void *user, double fraction)
{
    watch *w = user;
    assert_true(fraction >= w->fraction && fraction <= 1);
    w->fraction = fraction;
    return w->steps++ < w->last;
}

static void calls_are_watched_and_cancelled(void **state)
{
    gfp_zvec a, b, c, d;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&c, ring);
    gfp_zvec_init(&d, ring);
    products_fill(&a, 2000, 400, RANDOM);
    products_fill(&b, 2000, 400, RANDOM);
    assert_true(products_multiply(&d, &a, &b, "words"));
    for (size_t i = 0; i < gfp_zmul_count(); i++) {
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            watch w = {.last = 1000000};
            const gfp_progress progress = {products_step, &w};
            const gfp_options options = {.method = name_of(i),
                                         .progress = &progress,
                                         .threads = threads,
                                         .verify = GFP_VERIFY_POINT};
            if (!serves_long(name_of(i))) {
                continue;
            }
            assert_int_equal(gfp_zvec_mul(&c, &a, &b, &options), GFP_OK);
            assert_true(gfp_zvec_equal(&c, &d));
            assert_true(w.fraction == 1 && w.steps >= 2);
            for (unsigned last = 0; last < w.steps && last < 12; last++) {
                watch stop = {.last = last};
                const gfp_progress stops = {products_step, &stop};
                gfp_options cancelled = options;
                cancelled.progress = &stops;
                products_fill(&c, 2, 3, MOST);
                const gfp_status status = gfp_zvec_mul(&c, &a, &b, &cancelled);
                assert_true(status == GFP_ERR_CANCELLED ? c.len == 2 : status == GFP_OK);
                assert_true(last > 0 || status == GFP_ERR_CANCELLED);
            }
        }
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&c);
    gfp_zvec_clear(&d);
}

/* ---- threads ---- */

enum { THREADS = 4, SHARED = 6 };

typedef struct shared {
    gfp_zvec a[SHARED], b[SHARED], c[THREADS][SHARED];
} shared;

typedef struct caller {
    shared *s;
    unsigned number;
    bool right;
} caller;

static void *products_call(void *user)
{
    caller *w = user;
    w->right = true;
    for (size_t i = 0; i < SHARED; i++) {
        const size_t j = (i + w->number) % SHARED;
        const gfp_options options = {.method = name_of((i + w->number) % (gfp_zmul_count() + 1)),
                                     .threads = 2};
        gfp_zvec *c = &w->s->c[w->number][j];
        gfp_status status = gfp_zvec_mul(c, &w->s->a[j], &w->s->b[j], &options);
        if (status == GFP_ERR_UNAVAILABLE) {
            status = gfp_zvec_mul(c, &w->s->a[j], &w->s->b[j], NULL);
        }
        w->right = w->right && status == GFP_OK;
    }
#if GFP_HAVE_FLINT
    flint_cleanup(); /* FLINT caches memory for each thread */
#endif
    return NULL;
}

/* Where all bytes are taken, a long basis is not kept, and a short one is. */
static void short_bases_are_kept_besides_long_ones(void **state)
{
    static const size_t bits[] = {49000, 10985};
    gfp_zring *own;
    gfp_zprimes p;
    (void)state;
    assert_int_equal(gfp_zring_create(&own, NULL, NULL), GFP_OK);
    atomic_store(&own->basis_bytes, GFP_ZRING_BASIS_BYTES);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(gfp_zprimes_take(own, &p, bits[i]), GFP_OK);
        assert_int_equal(p.kept, i == 1);
        gfp_zprimes_give(&p);
    }
    atomic_store(&own->basis_bytes, 2 * GFP_ZRING_BASIS_BYTES);
    assert_int_equal(gfp_zprimes_take(own, &p, 10000), GFP_OK);
    assert_false(p.kept);
    gfp_zprimes_give(&p);
    gfp_zring_destroy(own);
}

/* The first calls on a ring make its bases, fields and areas at the same time. */
static void threads_share_a_ring(void **state)
{
    shared s;
    caller callers[THREADS];
    pthread_t threads[THREADS];
    gfp_zring *usual = ring, *fresh;
    (void)state;
    assert_int_equal(gfp_zring_create(&fresh, &counting, NULL), GFP_OK);
    ring = fresh;
    for (size_t i = 0; i < SHARED; i++) {
        gfp_zvec_init(&s.a[i], ring);
        gfp_zvec_init(&s.b[i], ring);
        products_fill(&s.a[i], 100 + 150 * i, 100 + 77 * i, RANDOM);
        products_fill(&s.b[i], 300, 200, RANDOM);
    }
    for (unsigned t = 0; t < THREADS; t++) {
        for (size_t i = 0; i < SHARED; i++) {
            gfp_zvec_init(&s.c[t][i], ring);
        }
        callers[t] = (caller){&s, t, false};
        assert_int_equal(pthread_create(&threads[t], NULL, products_call, &callers[t]), 0);
    }
    for (unsigned t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
        assert_true(callers[t].right);
        for (size_t i = 0; i < SHARED; i++) {
            assert_true(gfp_zvec_equal(&s.c[t][i], &s.c[0][i]));
        }
    }
    for (size_t i = 0; i < SHARED; i++) {
        expect_product(&s.c[0][i], &s.a[i], &s.b[i]);
        gfp_zvec_clear(&s.a[i]);
        gfp_zvec_clear(&s.b[i]);
        for (unsigned t = 0; t < THREADS; t++) {
            gfp_zvec_clear(&s.c[t][i]);
        }
    }
    gfp_zring_destroy(fresh);
    ring = usual;
}

static void wrong_calls_are_refused(void **state)
{
    gfp_zvec a, c, other;
    gfp_zring *second;
    gfp_error error;
    gfp_options options = {.method = "fast", .error = &error};
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&c, ring);
    products_fill(&a, 3, 8, RANDOM);
    assert_int_equal(gfp_zvec_mul(&c, &a, &a, &options), GFP_ERR_UNKNOWN);
    assert_string_equal(error.message,
                        "unknown method \"fast\" of products over Z; available: auto, words, "
                        "flint, kronecker, classical, short, big");
    assert_int_equal(gfp_zvec_mul(NULL, &a, &a, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zvec_mul(&c, NULL, &a, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zvec_mul(&c, &a, NULL, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zring_create(&second, NULL, NULL), GFP_OK);
    gfp_zvec_init(&other, second);
    assert_int_equal(gfp_zvec_mul(&c, &a, &other, NULL), GFP_ERR_FIELD_MISMATCH);
    options.method = "big";
    products_fill(&a, 3, 800000, RANDOM);
    assert_int_equal(gfp_zvec_mul(&c, &a, &a, &options), GFP_ERR_UNAVAILABLE);
    gfp_zvec_clear(&other);
    gfp_zring_destroy(second);
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_products_are_right),
        cmocka_unit_test(products_of_all_sizes_are_right),
        cmocka_unit_test(long_products_are_right),
        cmocka_unit_test(products_by_many_big_primes_are_right),
        cmocka_unit_test(outputs_may_be_inputs),
        cmocka_unit_test(shared_limbs_have_two_widths),
        cmocka_unit_test(loose_vectors_are_read),
        cmocka_unit_test(products_are_checked),
        cmocka_unit_test(long_products_are_checked),
        cmocka_unit_test(wrong_products_are_found),
        cmocka_unit_test(signs_at_halves_are_right),
        cmocka_unit_test(last_blocks_of_all_sizes_are_right),
        cmocka_unit_test(short_coefficients),
        cmocka_unit_test(caps_are_kept),
        cmocka_unit_test(caps_count_copies_and_second_products),
        cmocka_unit_test(failing_allocations_leave_large_outputs),
        cmocka_unit_test(calls_are_watched_and_cancelled),
        cmocka_unit_test(short_bases_are_kept_besides_long_ones),
        cmocka_unit_test(threads_share_a_ring),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, ring_setup, ring_teardown);
}
