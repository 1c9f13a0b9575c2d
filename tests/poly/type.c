/* type.c: the polynomial type and its linear operations against the GMP oracle, over every
 * test field, with aliasing, cancellation and failing arguments.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "lab/fixtures.h"

#include "gfpoly/poly.h"

static const size_t lengths[] = {0, 1, 2, 3, 5, 8, 17};
#define LENGTHS (sizeof lengths / sizeof lengths[0])

/* a := n samples from number first on (leading zeros dropped). */
static void type_fill(const lab *l, gfp_poly *a, size_t n, size_t first)
{
    assert_int_equal(gfp_poly_fit_length(a, n), GFP_OK);
    for (size_t i = 0; i < n; i++) {
        memcpy(a->digits + i * l->k, lab_sample(l, first + i), l->k * sizeof(uint64_t));
    }
    assert_int_equal(gfp_poly_set_length(a, n), GFP_OK);
}

static void type_make(const lab *l, gfp_poly *a, size_t n, size_t first)
{
    gfp_poly_init(a, l->field);
    type_fill(l, a, n, first);
}

/* v := n coefficients of a, zeros beyond its length. */
static mpz_t *type_integers(const lab *l, const gfp_poly *a, size_t n)
{
    mpz_t *v = oracle_vec_new(n);
    for (size_t i = 0; i < n; i++) {
        mpz_set_ui(v[i], 0);
        if (i < a->len) {
            oracle_get(&l->o, v[i], a->digits + i * l->k);
        }
    }
    return v;
}

/* a must be the normal form of the n integers. */
static void type_expect(const lab *l, const gfp_poly *a, mpz_t *v, size_t n, const char *what)
{
    size_t len = n;
    while (len > 0 && mpz_sgn(v[len - 1]) == 0) {
        len--;
    }
    if (a->len != len) {
        fail_msg("%s: %s: length %zu instead of %zu", l->entry->text, what, a->len, len);
    }
    assert_true(a->len <= a->capacity);
    for (size_t i = 0; i < len; i++) {
        lab_expect(l, a->digits + i * l->k, v[i], what, i, n);
    }
}

/* ---- storage ---- */

static void zero_needs_no_memory_and_clear_returns_to_it(void **state)
{
    (void)state;
    const lab *l = &lab_fields[0];
    gfp_poly a;
    gfp_poly_init(&a, l->field);
    assert_null(a.digits);
    assert_true(gfp_poly_is_zero(&a));
    assert_int_equal(gfp_poly_degree(&a), -1);
    assert_int_equal(gfp_poly_fit_length(&a, 0), GFP_OK);
    type_fill(l, &a, 9, 1);
    gfp_poly_clear(&a);
    assert_null(a.digits);
    assert_int_equal(a.len, 0);
    assert_int_equal(a.capacity, 0);
    gfp_poly_clear(&a);
}

static void fit_length_keeps_contents_and_refuses_overflow(void **state)
{
    (void)state;
    const lab *l = &lab_fields[2];
    gfp_poly a, b;
    type_make(l, &a, 7, 1);
    gfp_poly_init(&b, l->field);
    assert_int_equal(gfp_poly_set(&b, &a), GFP_OK);
    assert_int_equal(gfp_poly_fit_length(&a, 1000), GFP_OK);
    assert_true(a.capacity >= 1000);
    assert_true(gfp_poly_equal(&a, &b));
    assert_int_equal(gfp_poly_fit_length(&a, SIZE_MAX / 8), GFP_ERR_SIZE);
    assert_true(gfp_poly_equal(&a, &b));
    assert_int_equal(gfp_poly_set_length(&a, a.capacity + 1), GFP_ERR_ARGUMENT);
    assert_true(gfp_poly_equal(&a, &b));
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
}

static void set_length_normalises_and_refuses_non_canonical_digits(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        gfp_poly a;
        type_make(l, &a, 4, 1);
        size_t len = a.len;
        gfp_vec_zero(l->field, a.digits + 2 * l->k, 2);
        gfp_elem_one(l->field, a.digits + l->k);
        assert_int_equal(gfp_poly_set_length(&a, 4), GFP_OK);
        assert_int_equal(a.len, 2);
        a.digits[2 * l->k] = l->o.r;
        a.digits[2 * l->k + 1] = 1; /* k = 2: (r, 1); else digit 0 is r: never canonical */
        len = a.len;
        assert_int_equal(gfp_poly_set_length(&a, 3), GFP_ERR_RANGE);
        assert_int_equal(a.len, len);
        gfp_poly_clear(&a);
    }
}

static void copy_swap_equal_one(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        gfp_poly a, b, c;
        type_make(l, &a, 6, 1);
        type_make(l, &b, 3, 4);
        gfp_poly_init(&c, l->field);
        assert_int_equal(gfp_poly_set(&c, &a), GFP_OK);
        assert_true(gfp_poly_equal(&c, &a));
        assert_int_equal(gfp_poly_set(&c, &c), GFP_OK);
        assert_true(gfp_poly_equal(&c, &a));
        gfp_poly_swap(&a, &b);
        assert_true(gfp_poly_equal(&c, &b));
        assert_int_equal(gfp_poly_one(&c), GFP_OK);
        assert_true(gfp_poly_is_one(&c));
        assert_int_equal(gfp_poly_degree(&c), 0);
        assert_false(gfp_poly_equal(&c, &b));
        gfp_poly_zero(&c);
        assert_true(gfp_poly_is_zero(&c));
        assert_false(gfp_poly_is_one(&c));
        gfp_poly_clear(&a);
        gfp_poly_clear(&b);
        gfp_poly_clear(&c);
    }
}

static void random_has_its_length_and_depends_on_the_seed_alone(void **state)
{
    (void)state;
    const lab *l = &lab_fields[2];
    gfp_poly a, b;
    gfp_random g;
    gfp_poly_init(&a, l->field);
    gfp_poly_init(&b, l->field);
    gfp_random_seed(&g, 7);
    assert_int_equal(gfp_poly_random(&a, 100, &g), GFP_OK);
    assert_int_equal(a.len, 100);
    gfp_random_seed(&g, 7);
    assert_int_equal(gfp_poly_random(&b, 100, &g), GFP_OK);
    assert_true(gfp_poly_equal(&a, &b));
    assert_int_equal(gfp_poly_random(&b, 100, &g), GFP_OK);
    assert_false(gfp_poly_equal(&a, &b));
    assert_int_equal(gfp_vec_canonical(l->field, a.digits, a.len), a.len);
    assert_int_equal(gfp_poly_random(&b, 0, &g), GFP_OK);
    assert_true(gfp_poly_is_zero(&b));
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
}

/* ---- coefficients ---- */

static void coefficients_go_in_and_out(void **state)
{
    (void)state;
    uint64_t x[GFP_MAX_K], zero[GFP_MAX_K] = {0};
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        gfp_poly a;
        gfp_poly_init(&a, l->field);
        /* Beyond the length: zeros in between, and the length grows. */
        for (size_t i = 0; i < l->count; i++) {
            assert_int_equal(gfp_poly_set_coeff(&a, 2 * i, lab_sample(l, i)), GFP_OK);
        }
        for (size_t i = 0; i < 2 * l->count + 3; i++) {
            gfp_poly_get_coeff(x, &a, i);
            const uint64_t *y = i % 2 == 0 && i < 2 * l->count ? lab_sample(l, i / 2) : zero;
            lab_expect_digits(l, x, y, 1, "coefficient", i, f);
        }
        /* Zero far beyond needs no room; zero at the top shortens. */
        size_t capacity = a.capacity;
        assert_int_equal(gfp_poly_set_coeff(&a, SIZE_MAX, zero), GFP_OK);
        assert_int_equal(a.capacity, capacity);
        size_t top = a.len - 1;
        assert_int_equal(gfp_poly_set_coeff(&a, top, zero), GFP_OK);
        assert_true(a.len < top + 1);
        gfp_poly_clear(&a);
    }
}

static void a_coefficient_may_be_set_from_the_polynomial_itself(void **state)
{
    (void)state;
    const lab *l = &lab_fields[2];
    gfp_poly a;
    type_make(l, &a, 3, 1);
    uint64_t x[GFP_MAX_K];
    gfp_poly_get_coeff(x, &a, a.len - 1);
    for (size_t i = 0; i < 40; i++) { /* grows, and moves, several times */
        assert_int_equal(gfp_poly_set_coeff(&a, a.len, a.digits + (a.len - 1) * l->k), GFP_OK);
        lab_expect_digits(l, a.digits + (a.len - 1) * l->k, x, 1, "own coefficient", i, 0);
    }
    gfp_poly_clear(&a);
}

static void coefficients_from_integers(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        gfp_poly a;
        mpz_t v;
        mpz_init(v);
        gfp_poly_init(&a, l->field);
        assert_int_equal(gfp_poly_set_coeff_u64(&a, 1, UINT64_MAX), GFP_OK);
        oracle_set_u64(v, UINT64_MAX);
        mpz_mod(v, v, l->o.p);
        if (mpz_sgn(v) != 0) {
            lab_expect(l, a.digits + l->k, v, "set_coeff_u64", 1, 0);
        } else {
            assert_true(gfp_poly_is_zero(&a)); /* 2^64 - 1 is a multiple of this p */
        }
        const uint64_t limbs[3] = {5, 6, 7};
        uint64_t x[GFP_MAX_K];
        gfp_elem_set_limbs(l->field, x, limbs, 3);
        assert_int_equal(gfp_poly_set_coeff(&a, 4, x), GFP_OK);
        oracle_set_words(v, limbs, 3);
        mpz_mod(v, v, l->o.p);
        gfp_poly_get_coeff(x, &a, 4);
        lab_expect(l, x, v, "set_coeff", 4, 0);
        mpz_clear(v);
        gfp_poly_clear(&a);
    }
}

static void bad_coefficients_are_refused_and_change_nothing(void **state)
{
    (void)state;
    const lab *l = &lab_fields[2];
    gfp_poly a, before;
    uint64_t x[GFP_MAX_K] = {0};
    type_make(l, &a, 5, 1);
    gfp_poly_init(&before, l->field);
    assert_int_equal(gfp_poly_set(&before, &a), GFP_OK);
    x[0] = l->o.r;
    assert_int_equal(gfp_poly_set_coeff(&a, 0, x), GFP_ERR_RANGE);
    assert_int_equal(gfp_poly_set_coeff_u64(&a, SIZE_MAX / 16, 1), GFP_ERR_SIZE);
    assert_true(gfp_poly_equal(&a, &before));
    gfp_poly_clear(&a);
    gfp_poly_clear(&before);
}

/* ---- linear operations ---- */

typedef void (*pair_check)(const lab *l, const gfp_poly *a, const gfp_poly *b);

/* Every field and pair of lengths, samples from different places. */
static void for_all_pairs(pair_check check)
{
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < LENGTHS; i++) {
            for (size_t j = 0; j < LENGTHS; j++) {
                gfp_poly a, b;
                type_make(l, &a, lengths[i], 1 + 3 * i);
                type_make(l, &b, lengths[j], 5 + 7 * j);
                check(l, &a, &b);
                gfp_poly_clear(&a);
                gfp_poly_clear(&b);
            }
        }
    }
}

typedef gfp_status (*binary)(gfp_poly *c, const gfp_poly *a, const gfp_poly *b);

/* operation(a, b) must be v, into a fresh polynomial, a used one, a, and b. */
static void expect_binary(const lab *l, binary operation, const gfp_poly *a, const gfp_poly *b,
                          mpz_t *v, size_t n, const char *what)
{
    gfp_poly c;
    type_make(l, &c, 20, 2);
    assert_int_equal(operation(&c, a, b), GFP_OK);
    type_expect(l, &c, v, n, what);
    gfp_poly_clear(&c);
    assert_int_equal(operation(&c, a, b), GFP_OK);
    type_expect(l, &c, v, n, what);
    assert_int_equal(gfp_poly_set(&c, a), GFP_OK);
    assert_int_equal(operation(&c, &c, b), GFP_OK);
    type_expect(l, &c, v, n, what);
    assert_int_equal(gfp_poly_set(&c, b), GFP_OK);
    assert_int_equal(operation(&c, a, &c), GFP_OK);
    type_expect(l, &c, v, n, what);
    gfp_poly_clear(&c);
}

static void check_sums(const lab *l, const gfp_poly *a, const gfp_poly *b)
{
    size_t n = a->len > b->len ? a->len : b->len;
    mpz_t *x = type_integers(l, a, n), *y = type_integers(l, b, n), *z = oracle_vec_new(n);
    for (size_t i = 0; i < n; i++) {
        oracle_add(&l->o, z[i], x[i], y[i]);
    }
    expect_binary(l, gfp_poly_add, a, b, z, n, "add");
    for (size_t i = 0; i < n; i++) {
        oracle_sub(&l->o, z[i], x[i], y[i]);
    }
    expect_binary(l, gfp_poly_sub, a, b, z, n, "sub");
    oracle_vec_free(x, n);
    oracle_vec_free(y, n);
    oracle_vec_free(z, n);
}

static void sums_and_differences(void **state)
{
    (void)state;
    for_all_pairs(check_sums);
}

static void check_cancellation(const lab *l, const gfp_poly *a, const gfp_poly *b)
{
    gfp_poly c, d;
    gfp_poly_init(&c, l->field);
    gfp_poly_init(&d, l->field);
    /* a + b - b = a; a - a = 0; a + (-a) = 0; a twice itself in place. */
    assert_int_equal(gfp_poly_add(&c, a, b), GFP_OK);
    assert_int_equal(gfp_poly_sub(&c, &c, b), GFP_OK);
    assert_true(gfp_poly_equal(&c, a));
    assert_int_equal(gfp_poly_neg(&d, a), GFP_OK);
    assert_int_equal(d.len, a->len);
    assert_int_equal(gfp_poly_add(&d, &d, a), GFP_OK);
    assert_true(gfp_poly_is_zero(&d));
    assert_int_equal(gfp_poly_sub(&c, &c, &c), GFP_OK);
    assert_true(gfp_poly_is_zero(&c));
    assert_int_equal(gfp_poly_set(&c, b), GFP_OK);
    assert_int_equal(gfp_poly_neg(&c, &c), GFP_OK);
    assert_int_equal(gfp_poly_sub(&d, a, b), GFP_OK);
    assert_int_equal(gfp_poly_add(&c, a, &c), GFP_OK);
    assert_true(gfp_poly_equal(&c, &d));
    gfp_poly_clear(&c);
    gfp_poly_clear(&d);
}

static void cancellation_normalises(void **state)
{
    (void)state;
    for_all_pairs(check_cancellation);
}

/* The operations with a number; b's length takes the number's part, so that it is below, at and
 * above a's. */
static void check_shifts(const lab *l, const gfp_poly *a, const gfp_poly *b)
{
    size_t n = b->len, all = a->len + n;
    gfp_poly c;
    gfp_poly_init(&c, l->field);
    mpz_t *x = type_integers(l, a, all), *z = oracle_vec_new(all);
    for (int in_place = 0; in_place < 2; in_place++) {
        const gfp_poly *from = in_place ? &c : a;
        assert_int_equal(gfp_poly_set(&c, a), GFP_OK);
        assert_int_equal(gfp_poly_truncate(&c, from, n), GFP_OK);
        type_expect(l, &c, x, n, "truncate");
        assert_int_equal(gfp_poly_set(&c, a), GFP_OK);
        assert_int_equal(gfp_poly_shift_right(&c, from, n), GFP_OK);
        type_expect(l, &c, x + n, all - n, "shift_right");
        for (size_t i = 0; i < all; i++) {
            mpz_set_ui(z[i], 0);
            if (i >= n) {
                mpz_set(z[i], x[i - n]);
            }
        }
        assert_int_equal(gfp_poly_set(&c, a), GFP_OK);
        assert_int_equal(gfp_poly_shift_left(&c, from, n), GFP_OK);
        type_expect(l, &c, z, all, "shift_left");
        for (size_t i = 0; i < n; i++) {
            mpz_set(z[i], x[n - 1 - i]);
        }
        assert_int_equal(gfp_poly_set(&c, a), GFP_OK);
        assert_int_equal(gfp_poly_reverse(&c, from, n), GFP_OK);
        type_expect(l, &c, z, n, "reverse");
    }
    oracle_vec_free(x, all);
    oracle_vec_free(z, all);
    gfp_poly_clear(&c);
}

static void truncation_shifts_reversal(void **state)
{
    (void)state;
    for_all_pairs(check_shifts);
    gfp_poly a;
    type_make(&lab_fields[2], &a, 3, 1);
    assert_int_equal(gfp_poly_shift_left(&a, &a, SIZE_MAX), GFP_ERR_SIZE);
    assert_int_equal(gfp_poly_shift_left(&a, &a, SIZE_MAX / 8), GFP_ERR_SIZE);
    assert_int_equal(a.len, 3);
    gfp_poly_zero(&a);
    assert_int_equal(gfp_poly_shift_left(&a, &a, SIZE_MAX), GFP_OK);
    assert_true(gfp_poly_is_zero(&a));
    gfp_poly_clear(&a);
}

static void check_scaling(const lab *l, const gfp_poly *a, const gfp_poly *b)
{
    size_t n = a->len;
    mpz_t *x = type_integers(l, a, n), *z = oracle_vec_new(n), factor;
    uint64_t digits[GFP_MAX_K];
    gfp_poly c;
    mpz_init(factor);
    gfp_poly_init(&c, l->field);
    gfp_poly_get_coeff(digits, b, 0); /* 0 now and then */
    oracle_get(&l->o, factor, digits);
    for (size_t i = 0; i < n; i++) {
        oracle_mul(&l->o, z[i], x[i], factor);
    }
    assert_int_equal(gfp_poly_scalar_mul(&c, a, digits), GFP_OK);
    type_expect(l, &c, z, n, "scale");
    if (n > 0) { /* by an own coefficient, in place */
        for (size_t i = 0; i < n; i++) {
            oracle_mul(&l->o, z[i], x[i], x[n - 1]);
        }
        assert_int_equal(gfp_poly_set(&c, a), GFP_OK);
        assert_int_equal(gfp_poly_scalar_mul(&c, &c, c.digits + (n - 1) * l->k), GFP_OK);
        type_expect(l, &c, z, n, "scale by own coefficient");
        assert_true(oracle_inv(&l->o, factor, x[n - 1]));
        for (size_t i = 0; i < n; i++) {
            oracle_mul(&l->o, z[i], x[i], factor);
        }
        assert_int_equal(gfp_poly_make_monic(&c, a), GFP_OK);
        type_expect(l, &c, z, n, "make_monic");
        assert_true(gfp_elem_is_one(l->field, c.digits + (n - 1) * l->k));
    }
    mpz_clear(factor);
    oracle_vec_free(x, n);
    oracle_vec_free(z, n);
    gfp_poly_clear(&c);
}

static void scaling_and_making_monic(void **state)
{
    (void)state;
    for_all_pairs(check_scaling);
    gfp_poly a, b;
    gfp_poly_init(&a, lab_fields[2].field);
    type_make(&lab_fields[2], &b, 3, 1);
    assert_int_equal(gfp_poly_make_monic(&b, &a), GFP_ERR_NOT_INVERTIBLE);
    assert_int_equal(b.len, 3);
    gfp_poly_clear(&b);
}

static void check_evaluation(const lab *l, const gfp_poly *a, const gfp_poly *b)
{
    mpz_t *x = type_integers(l, a, a->len), point, sum;
    uint64_t y[GFP_MAX_K];
    mpz_init(point);
    mpz_init(sum);
    gfp_poly_get_coeff(y, b, 1);
    oracle_get(&l->o, point, y);
    for (size_t i = a->len; i-- > 0;) {
        oracle_mul(&l->o, sum, sum, point);
        oracle_add(&l->o, sum, sum, x[i]);
    }
    gfp_poly_eval(y, a, y);
    lab_expect(l, y, sum, "eval", a->len, b->len);
    mpz_clear(point);
    mpz_clear(sum);
    oracle_vec_free(x, a->len);
}

static void type_evaluation(void **state)
{
    (void)state;
    for_all_pairs(check_evaluation);
}

/* ---- fields that do not mix ---- */

static void operands_of_different_fields_are_refused(void **state)
{
    (void)state;
    /* p = 257 in two forms, and a second context of the same form. */
    gfp_field *f = lab_create("16^2+1"), *g = lab_create("4^4+1"), *same = lab_create("16^2+1");
    gfp_poly a, b, c, d;
    gfp_poly_init(&a, f);
    gfp_poly_init(&b, g);
    gfp_poly_init(&c, f);
    gfp_poly_init(&d, same);
    assert_int_equal(gfp_poly_one(&a), GFP_OK);
    assert_int_equal(gfp_poly_one(&b), GFP_OK);
    assert_false(gfp_poly_equal(&a, &b));
    assert_int_equal(gfp_poly_set(&a, &b), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_poly_add(&c, &a, &b), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_poly_add(&b, &a, &a), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_poly_sub(&c, &b, &a), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_poly_neg(&c, &b), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_poly_truncate(&c, &b, 1), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_poly_shift_left(&c, &b, 1), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_poly_shift_right(&c, &b, 1), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_poly_reverse(&c, &b, 1), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_poly_make_monic(&c, &b), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_poly_scalar_mul(&c, &b, b.digits), GFP_ERR_FIELD_MISMATCH);
    gfp_error error = {0};
    gfp_options options = {.error = &error};
    lab_expect_status(gfp_poly_mul(&c, &a, &b, &options), GFP_ERR_FIELD_MISMATCH, &error, "mul");
    assert_non_null(strstr(error.message, gfp_field_name(g)));
    assert_true(gfp_poly_is_zero(&c));
    assert_int_equal(gfp_poly_set(&d, &a), GFP_OK);
    assert_true(gfp_poly_equal(&d, &a));
    assert_int_equal(gfp_poly_mul(&c, &a, &d, NULL), GFP_OK);
    assert_true(gfp_poly_is_one(&c));
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    gfp_poly_clear(&d);
    gfp_field_destroy(f);
    gfp_field_destroy(g);
    gfp_field_destroy(same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_needs_no_memory_and_clear_returns_to_it),
        cmocka_unit_test(fit_length_keeps_contents_and_refuses_overflow),
        cmocka_unit_test(set_length_normalises_and_refuses_non_canonical_digits),
        cmocka_unit_test(copy_swap_equal_one),
        cmocka_unit_test(random_has_its_length_and_depends_on_the_seed_alone),
        cmocka_unit_test(coefficients_go_in_and_out),
        cmocka_unit_test(a_coefficient_may_be_set_from_the_polynomial_itself),
        cmocka_unit_test(coefficients_from_integers),
        cmocka_unit_test(bad_coefficients_are_refused_and_change_nothing),
        cmocka_unit_test(sums_and_differences),
        cmocka_unit_test(cancellation_normalises),
        cmocka_unit_test(truncation_shifts_reversal),
        cmocka_unit_test(scaling_and_making_monic),
        cmocka_unit_test(type_evaluation),
        cmocka_unit_test(operands_of_different_fields_are_refused),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
