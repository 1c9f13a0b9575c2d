/* operations.c: power series. Results equal those of an oracle by GMP, of the quadratic algorithms
 * ("classical"), and of FLINT, and satisfy the identities that define them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/series/lab.h"

#include <string.h>

#include "lab/rows.h"
#include "lab/thresholds.h"
#if GFP_HAVE_FLINT
#include <flint/nmod_poly.h>

#include "gfpoly/flint.h"
#endif

/* Lengths around the thresholds of the algorithms, and the longest for fields of k digits. */
static const size_t lengths[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  11, 12, 13, 15,  16,  17,
                                 24, 25, 26, 33, 40, 41, 48, 49, 63, 64, 65, 66, 128, 129, 131};
#define LENGTHS (sizeof lengths / sizeof lengths[0])

static size_t operations_longest(unsigned k)
{
    return k == 2 ? 131 : k == 4 ? 66 : k == 8 ? 49 : k == 16 ? 26 : 13;
}

/* ---- the oracle: definitions and recurrences over GMP integers ---- */

/* A series f of n coefficients, another one, a. */
typedef void oracle_action(const oracle *o, mpz_t *z, size_t n, mpz_t *f, mpz_t *a);

/* z := z + sign x y. */
static void add_product(const oracle *o, mpz_t z, const mpz_t x, const mpz_t y, int sign)
{
    mpz_t product;
    mpz_init(product);
    oracle_mul(o, product, x, y);
    if (sign > 0) {
        oracle_add(o, z, z, product);
    } else {
        oracle_sub(o, z, z, product);
    }
    mpz_clear(product);
}

/* z := z / x. */
static void divide_by(const oracle *o, mpz_t z, const mpz_t x)
{
    mpz_t inverse;
    mpz_init(inverse);
    assert_true(oracle_inv(o, inverse, x));
    oracle_mul(o, z, z, inverse);
    mpz_clear(inverse);
}

static void divide_by_ui(const oracle *o, mpz_t z, unsigned long x)
{
    mpz_t value;
    mpz_init_set_ui(value, x);
    mpz_mod(value, value, o->p);
    divide_by(o, z, value);
    mpz_clear(value);
}

static void times_ui(const oracle *o, mpz_t z, const mpz_t x, unsigned long i)
{
    mpz_mul_ui(z, x, i);
    mpz_mod(z, z, o->p);
}

static void oracle_divide(const oracle *o, mpz_t *z, size_t n, mpz_t *f, mpz_t *a)
{
    for (size_t i = 0; i < n; i++) {
        mpz_set(z[i], a[i]);
        for (size_t j = 1; j <= i; j++) {
            add_product(o, z[i], f[j], z[i - j], -1);
        }
        divide_by(o, z[i], f[0]);
    }
}

static void oracle_invert(const oracle *o, mpz_t *z, size_t n, mpz_t *f, mpz_t *a)
{
    mpz_t *one = oracle_vec_new(n);
    (void)a;
    mpz_set_ui(one[0], 1);
    oracle_divide(o, z, n, f, one);
    oracle_vec_free(one, n);
}

static void oracle_root(const oracle *o, mpz_t *z, size_t n, mpz_t *f, mpz_t *a)
{
    (void)a;
    for (size_t i = 0; i < n; i++) {
        mpz_set(z[i], f[i]);
        for (size_t j = 1; j < i; j++) {
            add_product(o, z[i], z[j], z[i - j], -1);
        }
        if (i > 0) {
            divide_by_ui(o, z[i], 2);
        }
    }
}

static void oracle_inverse_root(const oracle *o, mpz_t *z, size_t n, mpz_t *f, mpz_t *a)
{
    mpz_t *s = oracle_vec_new(n);
    oracle_root(o, s, n, f, a);
    oracle_invert(o, z, n, s, a);
    oracle_vec_free(s, n);
}

/* i z_i f_0 = i f_i - sum of j z_j f_(i-j). */
static void oracle_log(const oracle *o, mpz_t *z, size_t n, mpz_t *f, mpz_t *a)
{
    mpz_t x;
    (void)a;
    mpz_init(x);
    mpz_set_ui(z[0], 0);
    for (size_t i = 1; i < n; i++) {
        times_ui(o, z[i], f[i], i);
        for (size_t j = 1; j < i; j++) {
            times_ui(o, x, z[j], j);
            add_product(o, z[i], x, f[i - j], -1);
        }
        divide_by_ui(o, z[i], i);
    }
    mpz_clear(x);
}

/* i z_i = sum of j f_j z_(i-j). */
static void oracle_exp(const oracle *o, mpz_t *z, size_t n, mpz_t *f, mpz_t *a)
{
    mpz_t x;
    (void)a;
    mpz_init(x);
    mpz_set_ui(z[0], 1);
    for (size_t i = 1; i < n; i++) {
        mpz_set_ui(z[i], 0);
        for (size_t j = 1; j <= i; j++) {
            times_ui(o, x, f[j], j);
            add_product(o, z[i], x, z[i - j], 1);
        }
        divide_by_ui(o, z[i], i);
    }
    mpz_clear(x);
}

/* z := z x modulo X^n. */
static void multiply_low(const oracle *o, mpz_t *z, size_t n, mpz_t *x)
{
    mpz_t *product = oracle_vec_new(2 * n - 1);
    oracle_poly_mul(o, product, z, n, x, n);
    for (size_t i = 0; i < n; i++) {
        mpz_set(z[i], product[i]);
    }
    oracle_vec_free(product, 2 * n - 1);
}

/* By squares and products, or where n <= p and f_0 is not 0 by i f_0 z_i = sum over j > 0 of
 * (e j - (i - j)) f_j z_(i-j). */
static void oracle_power(const oracle *o, mpz_t *z, size_t n, mpz_t *f, const mpz_t e)
{
    mpz_t x;
    if (mpz_cmp_ui(o->p, n) < 0 || mpz_sgn(f[0]) == 0) {
        for (size_t i = 0; i < n; i++) {
            mpz_set_ui(z[i], i == 0);
        }
        for (size_t i = mpz_sizeinbase(e, 2); i-- > 0;) {
            multiply_low(o, z, n, z);
            if (mpz_tstbit(e, i) != 0) {
                multiply_low(o, z, n, f);
            }
        }
        return;
    }
    mpz_init(x);
    oracle_pow(o, z[0], f[0], e);
    for (size_t i = 1; i < n; i++) {
        mpz_set_ui(z[i], 0);
        for (size_t j = 1; j <= i; j++) {
            mpz_mul_ui(x, e, j);
            mpz_sub_ui(x, x, i - j);
            mpz_mod(x, x, o->p);
            oracle_mul(o, x, x, f[j]);
            add_product(o, z[i], x, z[i - j], 1);
        }
        divide_by(o, z[i], f[0]);
        divide_by_ui(o, z[i], i);
    }
    mpz_clear(x);
}

static void oracle_cube(const oracle *o, mpz_t *z, size_t n, mpz_t *f, mpz_t *a)
{
    mpz_t e;
    (void)a;
    mpz_init_set_ui(e, 3);
    oracle_power(o, z, n, f, e);
    mpz_clear(e);
}

static void oracle_large_power(const oracle *o, mpz_t *z, size_t n, mpz_t *f, mpz_t *a)
{
    mpz_t e;
    (void)a;
    mpz_init(e);
    oracle_set_words(e, large, 3);
    oracle_power(o, z, n, f, e);
    mpz_clear(e);
}

/* z_i = sum over j >= i of binomial(j, i) f_j 7^(j-i). */
static void oracle_taylor(const oracle *o, mpz_t *z, size_t n, mpz_t *f, mpz_t *a)
{
    mpz_t binomial, power;
    (void)a;
    mpz_init(binomial);
    mpz_init(power);
    for (size_t i = 0; i < n; i++) {
        mpz_set_ui(z[i], 0);
        for (size_t j = i; j < n; j++) {
            mpz_bin_uiui(binomial, j, i);
            mpz_ui_pow_ui(power, 7, j - i);
            mpz_mul(binomial, binomial, power);
            mpz_mod(binomial, binomial, o->p);
            add_product(o, z[i], binomial, f[j], 1);
        }
    }
    mpz_clear(binomial);
    mpz_clear(power);
}

/* In the order of operations[]. */
static oracle_action *const oracles[OPERATIONS] = {
    oracle_invert, oracle_divide, oracle_root,        oracle_inverse_root, oracle_log,
    oracle_exp,    oracle_cube,   oracle_large_power, oracle_taylor};

/* ---- right results ---- */

#define SMALL 9

/* Polynomials of samples, extreme ones among them. */
static void results_equal_the_oracle(void **state)
{
    (void)state;
    for (size_t i = 0; i < oracle_field_count * OPERATIONS; i++) {
        const lab *l = &lab_fields[i / OPERATIONS];
        const operation *o = &operations[i % OPERATIONS];
        mpz_t *f = oracle_vec_new(SMALL), *a = oracle_vec_new(SMALL), *z = oracle_vec_new(SMALL);
        uint64_t *expected = lab_array(SMALL * l->k);
        for (size_t first = 0; first < l->count; first += 1 + l->k / 32) {
            const size_t n = 1 + first % SMALL;
            series s;
            lab_make(&s, l->field, 0, 0, 1);
            for (size_t j = 0; j < n; j++) {
                assert_int_equal(gfp_poly_set_coeff(&s.a, j, lab_sample(l, first + j)), GFP_OK);
                assert_int_equal(gfp_poly_set_coeff(&s.b, j, lab_sample(l, 3 * first + j)), GFP_OK);
            }
            if (s.a.len > 0 && !gfp_elem_is_zero(l->field, s.a.digits)) {
                gfp_elem_set(l->field, s.unit, s.a.digits);
            }
            lab_adapt(&s, o);
            for (size_t j = 0; j < n; j++) {
                uint64_t x[GFP_MAX_K];
                gfp_poly_get_coeff(x, &s.a, j);
                oracle_get(&l->o, f[j], x);
                gfp_poly_get_coeff(x, &s.b, j);
                oracle_get(&l->o, a[j], x);
            }
            if (too_small(o, &s, n)) {
                assert_int_equal(o->run(&s.z, &s.a, &s.b, n, NULL), GFP_ERR_UNAVAILABLE);
            } else {
                oracles[i % OPERATIONS](&l->o, z, n, f, a);
                oracle_vec_set(&l->o, expected, z, n);
                assert_int_equal(o->run(&s.z, &s.a, &s.b, n, NULL), GFP_OK);
                assert_int_equal(gfp_poly_fit_length(&s.z, n), GFP_OK);
                gfp_vec_zero(l->field, s.z.digits + s.z.len * l->k, n - s.z.len);
                lab_expect_digits(l, s.z.digits, expected, n, o->name, first, n);
            }
            lab_clear(&s);
        }
        lab_free(expected);
        oracle_vec_free(f, SMALL);
        oracle_vec_free(a, SMALL);
        oracle_vec_free(z, SMALL);
    }
}

/* By the pick and by the quadratic algorithm, for series shorter and longer than n. */
static void check_twins(const gfp_field *field, size_t n, size_t len_a, size_t len_b)
{
    const gfp_options classical = {.method = "classical"};
    series s;
    lab_make(&s, field, len_a, len_b, n + 3 * len_a);
    for (size_t i = 0; i < OPERATIONS; i++) {
        const operation *o = &operations[i];
        lab_adapt(&s, o);
        if (o->run == large_power && gfp_field_k(field) > 64 && n > 3) {
            continue; /* the power of the constant term takes seconds */
        }
        if (too_small(o, &s, n)) {
            assert_int_equal(o->run(&s.z, &s.a, &s.b, n, NULL), GFP_ERR_UNAVAILABLE);
            continue;
        }
        assert_int_equal(o->run(&s.z, &s.a, &s.b, n, NULL), GFP_OK);
        assert_int_equal(o->run(&s.expected, &s.a, &s.b, n, &classical), GFP_OK);
        expect_equal(&s.z, &s.expected, o->name, n, len_a);
    }
    lab_clear(&s);
}

static void fast_and_quadratic_algorithms_agree(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < LENGTHS && lengths[i] <= operations_longest(l->k);
             i += 1 + l->k / 64) {
            const size_t n = lengths[i];
            check_twins(l->field, n, n, n);
            check_twins(l->field, n, n / 2 + 1, 1);
            check_twins(l->field, n, 2, n + 3);
            check_twins(l->field, n, 2 * n + 1, n / 3);
        }
    }
}

/* The functions on arrays are those on polynomials. */
static void arrays_and_polynomials(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    const size_t n = 50, k = gfp_field_k(field);
    uint64_t *z = lab_array(n * k), c[GFP_MAX_K];
    gfp_elem_set_u64(field, c, 7);
    static const size_t row[] = {0, 1, 8}; /* of the operations: those with a function on arrays */
    for (size_t i = 0; LAB_ROW(row, i); i++) {
        const operation *o = &operations[row[i]];
        series s;
        lab_make(&s, field, n, 40, row[i]);
        lab_adapt(&s, o);
        const uint64_t *a = s.a.digits, *b = s.b.digits;
        const gfp_status statuses[] = {
            i == 0 ? gfp_vec_inv_series(field, z, n, a, n, NULL) : GFP_OK,
            i == 1 ? gfp_vec_div_series(field, z, n, b, 40, a, n, NULL) : GFP_OK,
            i == 2 ? gfp_vec_taylor_shift(field, z, a, n, c, NULL) : GFP_OK};
        assert_int_equal(statuses[i], GFP_OK);
        assert_int_equal(o->run(&s.z, &s.a, &s.b, n, NULL), GFP_OK);
        assert_int_equal(s.z.len, n);
        assert_true(gfp_vec_equal(field, z, s.z.digits, n));
        lab_clear(&s);
    }
    lab_free(z);
}

/* Powers of series without constant term, of 0, and small exponents. */
static void operations_powers(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    series s;
    lab_make(&s, field, 30, 0, 3);
    for (size_t v = 0; v < 4; v++) {
        assert_int_equal(gfp_poly_shift_left(&s.b, &s.a, v), GFP_OK);
        assert_int_equal(gfp_poly_one(&s.expected), GFP_OK);
        for (uint64_t e = 0; e < 40; e++) {
            const uint64_t exponent[] = {e, 0};
            const size_t n = 33 + e % 3;
            assert_int_equal(gfp_poly_pow_series(&s.z, &s.b, exponent, 2, n, NULL), GFP_OK);
            assert_int_equal(gfp_poly_truncate(&s.a, &s.expected, n), GFP_OK);
            expect_equal(&s.z, &s.a, "power", n, (size_t)e);
            assert_int_equal(gfp_poly_mullow(&s.expected, &s.expected, &s.b, 36, NULL), GFP_OK);
        }
        lab_clear(&s);
        lab_make(&s, field, 30, 0, 3);
    }
    /* f^e for f without constant term and e beyond a word, and of 0. */
    const uint64_t huge[] = {0, 0, 1}, none[] = {0};
    assert_int_equal(gfp_poly_shift_left(&s.b, &s.a, 1), GFP_OK);
    assert_int_equal(gfp_poly_pow_series(&s.z, &s.b, huge, 3, 1000, NULL), GFP_OK);
    assert_int_equal(s.z.len, 0);
    gfp_poly_zero(&s.b);
    assert_int_equal(gfp_poly_pow_series(&s.z, &s.b, huge, 3, 50, NULL), GFP_OK);
    assert_int_equal(s.z.len, 0);
    assert_int_equal(gfp_poly_pow_series(&s.z, &s.b, none, 1, 50, NULL), GFP_OK);
    assert_true(gfp_poly_is_one(&s.z));
    assert_int_equal(gfp_poly_pow_series(&s.z, &s.b, NULL, 0, 50, NULL), GFP_OK);
    assert_true(gfp_poly_is_one(&s.z));
    /* (f^e)^(1/e) by logarithms: f^(p - 1) is 1 / f where f_0 is 1, for f^p = f_0 modulo X^p. */
    assert_int_equal(gfp_poly_set_coeff_u64(&s.a, 0, 1), GFP_OK);
    uint64_t exponent[GFP_MAX_K];
    const size_t limbs = gfp_field_limbs(field);
    memcpy(exponent, gfp_field_modulus_limbs(field), limbs * sizeof *exponent);
    exponent[0] -= 1; /* p is odd */
    assert_int_equal(gfp_poly_pow_series(&s.z, &s.a, exponent, limbs, 90, NULL), GFP_OK);
    assert_int_equal(gfp_poly_inv_series(&s.expected, &s.a, 90, NULL), GFP_OK);
    expect_equal(&s.z, &s.expected, "power p - 1", 90, 30);
    lab_clear(&s);
}

static void derivatives_and_integrals(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        const uint64_t p = gfp_field_modulus_limbs(l->field)[0];
        const bool tiny = gfp_field_bits(l->field) < 16;
        for (size_t len = 0; len < 12; len++) {
            series s;
            gfp_error error = {0};
            const gfp_options options = {.error = &error};
            uint64_t x[GFP_MAX_K], y[GFP_MAX_K];
            lab_make(&s, l->field, 1, len, len);
            const size_t n = s.b.len;
            assert_int_equal(gfp_poly_derivative(&s.z, &s.b, &options), GFP_OK);
            for (size_t i = 0; i < 12; i++) {
                gfp_poly_get_coeff(x, &s.b, i + 1);
                gfp_elem_set_u64(l->field, y, i + 1);
                gfp_elem_mul(l->field, x, x, y);
                gfp_poly_get_coeff(y, &s.z, i);
                assert_true(gfp_elem_equal(l->field, x, y));
            }
            const gfp_status status = gfp_poly_integral(&s.z, &s.b, &options);
            if (tiny && n > 0 && p <= n) {
                lab_expect_status(status, GFP_ERR_NOT_INVERTIBLE, &error, "integral");
                assert_true(error.index == p - 1);
            } else {
                lab_expect_status(status, GFP_OK, &error, "integral");
                assert_int_equal(s.z.len, n == 0 ? 0 : n + 1);
                gfp_poly_get_coeff(x, &s.z, 0);
                assert_true(gfp_elem_is_zero(l->field, x));
                assert_int_equal(gfp_poly_derivative(&s.z, &s.z, &options), GFP_OK);
                expect_equal(&s.z, &s.b, "derivative of the integral", n, n);
            }
            lab_clear(&s);
        }
    }
}

static void shifts_there_and_back(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    for (size_t n = 0; n < 140; n += n < 10 ? 1 : 43) {
        uint64_t c[GFP_MAX_K], y[GFP_MAX_K], x[GFP_MAX_K], z[GFP_MAX_K];
        gfp_random g;
        series s;
        lab_make(&s, field, 1, n, n);
        gfp_random_seed(&g, n);
        gfp_elem_random(field, c, &g);
        gfp_elem_random(field, x, &g);
        assert_int_equal(gfp_poly_taylor_shift(&s.z, &s.b, c, NULL), GFP_OK);
        gfp_poly_eval(y, &s.z, x);
        gfp_elem_add(field, x, x, c);
        gfp_poly_eval(z, &s.b, x);
        assert_true(gfp_elem_equal(field, y, z));
        gfp_elem_neg(field, c, c);
        assert_int_equal(gfp_poly_taylor_shift(&s.z, &s.z, c, NULL), GFP_OK);
        expect_equal(&s.z, &s.b, "shift there and back", n, n);
        gfp_elem_zero(field, c);
        assert_int_equal(gfp_poly_taylor_shift(&s.z, &s.b, c, NULL), GFP_OK);
        expect_equal(&s.z, &s.b, "shift by 0", n, n);
        lab_clear(&s);
    }
}

static void results_satisfy_their_identities(void **state)
{
    static const size_t long_ones[] = {600, 767, 1000, 1024, 1500, 2049};
    (void)state;
    const gfp_field *field = lab_named("p4")->field;
    for (size_t i = 0; LAB_ROW(long_ones, i); i++) {
        const size_t n = long_ones[i];
        series s;
        lab_make(&s, field, n, n, n);
        assert_int_equal(gfp_poly_inv_series(&s.z, &s.a, n, NULL), GFP_OK);
        assert_int_equal(gfp_poly_mullow(&s.expected, &s.z, &s.a, n, NULL), GFP_OK);
        assert_true(gfp_poly_is_one(&s.expected));
        assert_int_equal(gfp_poly_div_series(&s.z, &s.b, &s.a, n, NULL), GFP_OK);
        assert_int_equal(gfp_poly_mullow(&s.expected, &s.z, &s.a, n, NULL), GFP_OK);
        expect_equal(&s.expected, &s.b, "quotient", n, n);
        assert_int_equal(gfp_poly_set_coeff_u64(&s.a, 0, 1), GFP_OK);
        assert_int_equal(gfp_poly_sqrt_series(&s.z, &s.a, n, NULL), GFP_OK);
        assert_int_equal(gfp_poly_mullow(&s.expected, &s.z, &s.z, n, NULL), GFP_OK);
        expect_equal(&s.expected, &s.a, "square of the root", n, n);
        assert_int_equal(gfp_poly_invsqrt_series(&s.b, &s.a, n, NULL), GFP_OK);
        assert_int_equal(gfp_poly_mullow(&s.expected, &s.z, &s.b, n, NULL), GFP_OK);
        assert_true(gfp_poly_is_one(&s.expected));
        assert_int_equal(gfp_poly_log_series(&s.b, &s.a, n, NULL), GFP_OK);
        assert_int_equal(gfp_poly_exp_series(&s.z, &s.b, n, NULL), GFP_OK);
        expect_equal(&s.z, &s.a, "exponential of the logarithm", n, n);
        lab_clear(&s);
    }
}

/* Every series of 3 terms over the field of 5 elements, and every dividend of 2. */
static void tiny_fields_exhaustively(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("2^2+1")->field;
    for (uint64_t code = 0; code < 5 * 5 * 5 * 5 * 5; code++) {
        uint64_t rest = code;
        series s;
        lab_make(&s, field, 0, 0, 1);
        for (size_t i = 0; i < 5; i++, rest /= 5) {
            assert_int_equal(gfp_poly_set_coeff_u64(i < 3 ? &s.a : &s.b, i % 3, rest % 5), GFP_OK);
        }
        const bool zero = code % 5 == 0;
        for (size_t n = 1; n <= 6; n++) {
            const gfp_status expected = zero ? GFP_ERR_NOT_INVERTIBLE : GFP_OK;
            assert_int_equal(gfp_poly_inv_series(&s.z, &s.a, n, NULL), expected);
            if (!zero) {
                assert_int_equal(gfp_poly_mullow(&s.z, &s.z, &s.a, n, NULL), GFP_OK);
                assert_true(gfp_poly_is_one(&s.z));
            }
            assert_int_equal(gfp_poly_div_series(&s.z, &s.b, &s.a, n, NULL), expected);
            if (!zero) {
                assert_int_equal(gfp_poly_mullow(&s.z, &s.z, &s.a, n, NULL), GFP_OK);
                assert_int_equal(gfp_poly_truncate(&s.expected, &s.b, n), GFP_OK);
                assert_true(gfp_poly_equal(&s.z, &s.expected));
            }
        }
        lab_clear(&s);
    }
}

#if GFP_HAVE_FLINT
static void results_equal_flint(void **state)
{
    static const size_t some[] = {1, 2, 3, 16, 17, 33, 50, 64};
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        fmpz_t p;
        fmpz_mod_ctx_t ctx;
        fmpz_mod_poly_t a, b, z;
        fmpz_init(p);
        fmpz_set_mpz(p, l->o.p);
        fmpz_mod_ctx_init(ctx, p);
        fmpz_mod_poly_init(a, ctx);
        fmpz_mod_poly_init(b, ctx);
        fmpz_mod_poly_init(z, ctx);
        for (size_t i = 0; i < sizeof some / sizeof some[0] && some[i] <= operations_longest(l->k);
             i++) {
            const size_t n = some[i];
            series s;
            lab_make(&s, l->field, n + i % 3, n + 1 - i % 2, 7 * n);
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(a, &s.a, ctx), GFP_OK);
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(b, &s.b, ctx), GFP_OK);
            fmpz_mod_poly_inv_series(z, a, (slong)n, ctx);
            assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s.expected, z, ctx), GFP_OK);
            assert_int_equal(gfp_poly_inv_series(&s.z, &s.a, n, NULL), GFP_OK);
            expect_equal(&s.z, &s.expected, "FLINT's inverse", n, s.a.len);
            fmpz_mod_poly_div_series(z, b, a, (slong)n, ctx);
            assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s.expected, z, ctx), GFP_OK);
            assert_int_equal(gfp_poly_div_series(&s.z, &s.b, &s.a, n, NULL), GFP_OK);
            expect_equal(&s.z, &s.expected, "FLINT's quotient", n, s.a.len);
            assert_int_equal(gfp_poly_set_coeff_u64(&s.a, 0, 1), GFP_OK);
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(a, &s.a, ctx), GFP_OK);
            fmpz_mod_poly_sqrt_series(z, a, (slong)n, ctx);
            assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s.expected, z, ctx), GFP_OK);
            assert_int_equal(gfp_poly_sqrt_series(&s.z, &s.a, n, NULL), GFP_OK);
            expect_equal(&s.z, &s.expected, "FLINT's root", n, s.a.len);
            fmpz_mod_poly_invsqrt_series(z, a, (slong)n, ctx);
            assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s.expected, z, ctx), GFP_OK);
            assert_int_equal(gfp_poly_invsqrt_series(&s.z, &s.a, n, NULL), GFP_OK);
            expect_equal(&s.z, &s.expected, "FLINT's inverse root", n, s.a.len);
            const uint64_t exponent[] = {1234567};
            fmpz_mod_poly_pow_trunc(z, a, 1234567, (slong)n, ctx);
            assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s.expected, z, ctx), GFP_OK);
            assert_int_equal(gfp_poly_pow_series(&s.z, &s.a, exponent, 1, n, NULL), GFP_OK);
            expect_equal(&s.z, &s.expected, "FLINT's power", n, s.a.len);
            lab_clear(&s);
        }
        fmpz_mod_poly_clear(a, ctx);
        fmpz_mod_poly_clear(b, ctx);
        fmpz_mod_poly_clear(z, ctx);
        fmpz_mod_ctx_clear(ctx);
        fmpz_clear(p);
    }
    flint_cleanup();
}

static void to_nmod_poly(nmod_poly_t y, const gfp_poly *x)
{
    nmod_poly_zero(y);
    for (size_t i = 0; i < x->len; i++) {
        uint64_t value;
        gfp_elem_get_limbs(x->field, &value, x->digits + i * gfp_field_k(x->field));
        nmod_poly_set_coeff_ui(y, (slong)i, value);
    }
}

static void expect_nmod_poly(const gfp_poly *z, const nmod_poly_t x, const char *what)
{
    gfp_poly y;
    gfp_poly_init(&y, z->field);
    for (slong i = 0; i < nmod_poly_length(x); i++) {
        assert_int_equal(gfp_poly_set_coeff_u64(&y, (size_t)i, nmod_poly_get_coeff_ui(x, i)),
                         GFP_OK);
    }
    expect_equal(z, &y, what, (size_t)nmod_poly_length(x), z->len);
    gfp_poly_clear(&y);
}

/* Logarithms, exponentials and shifts over primes of one word, where FLINT has them. */
static void results_equal_flint_over_words(void **state)
{
    static const char *const names[] = {"2^16+1", "256^2+1"};
    (void)state;
    for (size_t f = 0; LAB_ROW(names, f); f++) {
        const gfp_field *field = lab_named(names[f])->field;
        const mp_limb_t p = gfp_field_modulus_limbs(field)[0];
        nmod_poly_t x, z;
        nmod_poly_init(x, p);
        nmod_poly_init(z, p);
        for (size_t n = 1; n < 600; n = 2 * n + 1) {
            uint64_t c[GFP_MAX_K];
            series s;
            lab_make(&s, field, n, n, n);
            assert_int_equal(gfp_poly_set_coeff_u64(&s.a, 0, 1), GFP_OK);
            to_nmod_poly(x, &s.a);
            nmod_poly_log_series(z, x, (slong)n);
            assert_int_equal(gfp_poly_log_series(&s.z, &s.a, n, NULL), GFP_OK);
            expect_nmod_poly(&s.z, z, "FLINT's logarithm");
            nmod_poly_taylor_shift(z, x, 12345);
            gfp_elem_set_u64(field, c, 12345);
            assert_int_equal(gfp_poly_taylor_shift(&s.z, &s.a, c, NULL), GFP_OK);
            expect_nmod_poly(&s.z, z, "FLINT's shift");
            assert_int_equal(gfp_poly_set_coeff_u64(&s.a, 0, 0), GFP_OK);
            to_nmod_poly(x, &s.a);
            nmod_poly_exp_series(z, x, (slong)n);
            assert_int_equal(gfp_poly_exp_series(&s.z, &s.a, n, NULL), GFP_OK);
            expect_nmod_poly(&s.z, z, "FLINT's exponential");
            lab_clear(&s);
        }
        nmod_poly_clear(x);
        nmod_poly_clear(z);
    }
    flint_cleanup();
}
#endif

/* Every method that has transforms that stay. */
static void all_methods_with_operands(void **state)
{
    static const char *const names[] = {"p2", "p8", "m16", "30^32+1", "2^16+1"};
    (void)state;
    for (size_t f = 0; LAB_ROW(names, f); f++) {
        const lab *l = lab_named(names[f]);
        const size_t n = l->k == 2 ? 150 : 70; /* shorter ones take no products by transforms */
        series s;
        lab_make(&s, l->field, n, 60, f);
        for (size_t m = 0; m < gfp_method_count(); m++) {
            gfp_report report = {0};
            gfp_error error = {0};
            const gfp_options options = {.method = gfp_method_name(m),
                                         .report = &report,
                                         .error = &error,
                                         .tuning = low_thresholds()};
            for (size_t i = 0; i < OPERATIONS; i++) {
                lab_adapt(&s, &operations[i]);
                if (operations[i].run == taylor_shift || operations[i].run == third_power) {
                    continue; /* these take every method */
                }
                const gfp_status status = operations[i].run(&s.z, &s.a, &s.b, n, &options);
                if (status == GFP_ERR_UNAVAILABLE && too_small(&operations[i], &s, n)) {
                    continue;
                }
                if (status == GFP_ERR_UNAVAILABLE) {
                    assert_true(strcmp(options.method, "hybrid") != 0);
                    assert_true(error.message[0] != '\0');
                    continue;
                }
                lab_expect_status(status, GFP_OK, &error, options.method);
                assert_string_equal(report.method, options.method);
                assert_int_equal(operations[i].run(&s.expected, &s.a, &s.b, n, NULL), GFP_OK);
                expect_equal(&s.z, &s.expected, options.method, n, n);
            }
        }
        lab_clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_equal_the_oracle),
        cmocka_unit_test(fast_and_quadratic_algorithms_agree),
        cmocka_unit_test(arrays_and_polynomials),
        cmocka_unit_test(operations_powers),
        cmocka_unit_test(derivatives_and_integrals),
        cmocka_unit_test(shifts_there_and_back),
        cmocka_unit_test(results_satisfy_their_identities),
        cmocka_unit_test(tiny_fields_exhaustively),
#if GFP_HAVE_FLINT
        cmocka_unit_test(results_equal_flint),
        cmocka_unit_test(results_equal_flint_over_words),
#endif
        cmocka_unit_test(all_methods_with_operands),
    };
    return cmocka_run_group_tests(tests, lab_setup_toolkit, lab_teardown);
}
