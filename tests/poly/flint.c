/* flint.c: the public bridge to FLINT: elements and polynomials both ways, reduction, wrong
 * moduli, versions that differ.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "lab/fixtures.h"

#include "gfpoly/flint.h"

static void elements_go_both_ways(void **state)
{
    fmpz_t value;
    mpz_t got;

    (void)state;
    fmpz_init(value);
    mpz_init(got);
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        uint64_t *back = lab_array(l->k);
        for (size_t i = 0; i < l->count; i++) {
            assert_int_equal(gfp_elem_get_fmpz(l->field, value, lab_sample(l, i)), GFP_OK);
            fmpz_get_mpz(got, value);
            assert_int_equal(mpz_cmp(got, l->values[i]), 0);
            assert_int_equal(gfp_elem_set_fmpz(l->field, back, value), GFP_OK);
            lab_expect(l, back, l->values[i], "set_fmpz", i, 0);
        }
        lab_free(back);
    }
    mpz_clear(got);
    fmpz_clear(value);
}

/* z := value + multiple p, set as an element: value again. */
static void check_reduced(const lab *l, const mpz_t value, long multiple)
{
    uint64_t *z = lab_array(l->k);
    mpz_t shifted;
    fmpz_t f;

    mpz_init(shifted);
    fmpz_init(f);
    mpz_set_si(shifted, multiple);
    mpz_mul(shifted, shifted, l->o.p);
    mpz_add(shifted, shifted, value);
    fmpz_set_mpz(f, shifted);
    assert_int_equal(gfp_elem_set_fmpz(l->field, z, f), GFP_OK);
    lab_expect(l, z, value, "set_fmpz reduces", (size_t)(multiple + 1000), 0);
    fmpz_clear(f);
    mpz_clear(shifted);
    lab_free(z);
}

static void negative_and_large_values_are_reduced(void **state)
{
    static const long multiples[] = {-1000, -2, -1, 1, 2, 12345678};

    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < l->count; i++) {
            for (size_t j = 0; j < sizeof(multiples) / sizeof(multiples[0]); j++) {
                check_reduced(l, l->values[i], multiples[j]);
            }
        }
    }
}

/* The ends of FLINT's one-word range, where an fmpz changes its form. */
static void small_values_of_either_sign(void **state)
{
    static const slong ends[] = {0, 1, -1, COEFF_MAX, COEFF_MIN, WORD_MAX, WORD_MIN};
    mpz_t expected;
    fmpz_t value;

    (void)state;
    mpz_init(expected);
    fmpz_init(value);
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        uint64_t *z = lab_array(l->k);
        for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
            fmpz_set_si(value, ends[i]);
            mpz_set_si(expected, ends[i]);
            mpz_mod(expected, expected, l->o.p);
            assert_int_equal(gfp_elem_set_fmpz(l->field, z, value), GFP_OK);
            lab_expect(l, z, expected, "set_fmpz small", i, 0);
        }
        lab_free(z);
    }
    fmpz_clear(value);
    mpz_clear(expected);
}

/* ---- polynomials ---- */

/* a := n samples from number first on. */
static void set_samples(const lab *l, gfp_poly *a, size_t n, size_t first)
{
    assert_int_equal(gfp_poly_fit_length(a, n), GFP_OK);
    for (size_t i = 0; i < n; i++) {
        gfp_elem_set(l->field, a->digits + i * l->k, lab_sample(l, first + i));
    }
    assert_int_equal(gfp_poly_set_length(a, n), GFP_OK);
}

/* A FLINT context for the modulus of l plus difference. */
static void context_init(fmpz_mod_ctx_t ctx, const lab *l, ulong difference)
{
    fmpz_t p;

    fmpz_init(p);
    fmpz_set_mpz(p, l->o.p);
    fmpz_add_ui(p, p, difference);
    fmpz_mod_ctx_init(ctx, p);
    fmpz_clear(p);
}

static void check_coefficients(const lab *l, const gfp_poly *a, const fmpz_mod_poly_t b)
{
    mpz_t got, expected;

    mpz_init(got);
    mpz_init(expected);
    assert_int_equal(b->length, a->len);
    for (size_t i = 0; i < a->len; i++) {
        fmpz_get_mpz(got, b->coeffs + i);
        oracle_get(&l->o, expected, a->digits + i * l->k);
        assert_int_equal(mpz_cmp(got, expected), 0);
    }
    mpz_clear(got);
    mpz_clear(expected);
}

static void polynomials_go_both_ways(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        gfp_poly a, back;
        fmpz_mod_ctx_t ctx;
        fmpz_mod_poly_t b;

        context_init(ctx, l, 0);
        fmpz_mod_poly_init(b, ctx);
        gfp_poly_init(&a, l->field);
        gfp_poly_init(&back, l->field);
        /* Falling lengths: what b held before must go; the last is the zero polynomial. */
        for (size_t n = 150; n != SIZE_MAX; n = n == 0 ? SIZE_MAX : n / 3) {
            set_samples(l, &a, n, n);
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(b, &a, ctx), GFP_OK);
            check_coefficients(l, &a, b);
            assert_int_equal(gfp_poly_set_fmpz_mod_poly(&back, b, ctx), GFP_OK);
            assert_true(gfp_poly_equal(&a, &back));
        }
        assert_true(gfp_poly_is_zero(&back));
        gfp_poly_clear(&a);
        gfp_poly_clear(&back);
        fmpz_mod_poly_clear(b, ctx);
        fmpz_mod_ctx_clear(ctx);
    }
}

static void products_agree_through_the_bridge(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        const gfp_options classical = {.method = "classical"};
        gfp_poly a, b, c, d;
        fmpz_mod_ctx_t ctx;
        fmpz_mod_poly_t fa, fb;

        context_init(ctx, l, 0);
        fmpz_mod_poly_init(fa, ctx);
        fmpz_mod_poly_init(fb, ctx);
        gfp_poly_init(&a, l->field);
        gfp_poly_init(&b, l->field);
        gfp_poly_init(&c, l->field);
        gfp_poly_init(&d, l->field);
        set_samples(l, &a, 12, 0);
        set_samples(l, &b, 7, 5);
        assert_int_equal(gfp_poly_mul(&c, &a, &b, &classical), GFP_OK);
        assert_int_equal(gfp_poly_get_fmpz_mod_poly(fa, &a, ctx), GFP_OK);
        assert_int_equal(gfp_poly_get_fmpz_mod_poly(fb, &b, ctx), GFP_OK);
        fmpz_mod_poly_mul(fa, fa, fb, ctx);
        assert_int_equal(gfp_poly_set_fmpz_mod_poly(&d, fa, ctx), GFP_OK);
        assert_true(gfp_poly_equal(&c, &d));
        gfp_poly_clear(&a);
        gfp_poly_clear(&b);
        gfp_poly_clear(&c);
        gfp_poly_clear(&d);
        fmpz_mod_poly_clear(fa, ctx);
        fmpz_mod_poly_clear(fb, ctx);
        fmpz_mod_ctx_clear(ctx);
    }
}

/* Coefficients outside [0, p), the leading ones multiples of p: reduced, then normalised away. */
static void unreduced_coefficients_are_normalised(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        gfp_poly a;
        fmpz_mod_ctx_t ctx;
        fmpz_mod_poly_t b;

        context_init(ctx, l, 0);
        fmpz_mod_poly_init2(b, 5, ctx);
        fmpz_set_si(b->coeffs + 0, 3);
        fmpz_set_si(b->coeffs + 1, -1);
        fmpz_add_ui(b->coeffs + 2, fmpz_mod_ctx_modulus(ctx), 1);
        fmpz_set(b->coeffs + 3, fmpz_mod_ctx_modulus(ctx));
        fmpz_mul_si(b->coeffs + 4, fmpz_mod_ctx_modulus(ctx), -7);
        _fmpz_mod_poly_set_length(b, 5);
        gfp_poly_init(&a, l->field);
        assert_int_equal(gfp_poly_set_fmpz_mod_poly(&a, b, ctx), GFP_OK);
        assert_int_equal(a.len, 3);
        lab_expect(l, a.digits + l->k, l->o.special, "minus one", 0, 0);
        assert_true(gfp_elem_is_one(l->field, a.digits + 2 * l->k));
        gfp_poly_clear(&a);
        fmpz_mod_poly_clear(b, ctx);
        fmpz_mod_ctx_clear(ctx);
    }
}

/* Coefficients of every size and either sign in one polynomial, many enough for several groups. */
static void mixed_coefficients_are_reduced(void **state)
{
    enum { LENGTH = 131 };

    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        uint64_t seed = f;
        gfp_poly a;
        fmpz_mod_ctx_t ctx;
        fmpz_mod_poly_t b;
        mpz_t expected;

        mpz_init(expected);
        context_init(ctx, l, 0);
        fmpz_mod_poly_init2(b, LENGTH, ctx);
        for (slong i = 0; i < LENGTH; i++) {
            fmpz_set_mpz(b->coeffs + i, l->values[oracle_random(&seed) % l->count]);
            if (i % 4 == 1) {
                fmpz_tdiv_q_2exp(b->coeffs + i, b->coeffs + i,
                                 oracle_random(&seed) % gfp_field_bits(l->field));
            } else if (i % 16 == 2) {
                fmpz_mul(b->coeffs + i, b->coeffs + i, fmpz_mod_ctx_modulus(ctx));
                fmpz_add_ui(b->coeffs + i, b->coeffs + i, 7);
            }
            if (i % 8 >= 6) {
                fmpz_neg(b->coeffs + i, b->coeffs + i);
            }
        }
        fmpz_one(b->coeffs + LENGTH - 1);
        _fmpz_mod_poly_set_length(b, LENGTH);
        gfp_poly_init(&a, l->field);
        assert_int_equal(gfp_poly_set_fmpz_mod_poly(&a, b, ctx), GFP_OK);
        assert_int_equal(a.len, LENGTH);
        for (slong i = 0; i < LENGTH; i++) {
            fmpz_get_mpz(expected, b->coeffs + i);
            mpz_mod(expected, expected, l->o.p);
            lab_expect(l, a.digits + (size_t)i * l->k, expected, "mixed coefficients", (size_t)i,
                       0);
        }
        gfp_poly_clear(&a);
        fmpz_mod_poly_clear(b, ctx);
        fmpz_mod_ctx_clear(ctx);
        mpz_clear(expected);
    }
}

static void another_modulus_is_refused(void **state)
{
    const lab *l = &lab_fields[0];
    gfp_poly a, before;
    fmpz_mod_ctx_t ctx;
    fmpz_mod_poly_t b;

    (void)state;
    context_init(ctx, l, 2);
    fmpz_mod_poly_init(b, ctx);
    fmpz_mod_poly_set_coeff_ui(b, 4, 9, ctx);
    gfp_poly_init(&a, l->field);
    gfp_poly_init(&before, l->field);
    set_samples(l, &a, 6, 3);
    assert_int_equal(gfp_poly_set(&before, &a), GFP_OK);
    assert_int_equal(gfp_poly_set_fmpz_mod_poly(&a, b, ctx), GFP_ERR_FIELD_MISMATCH);
    assert_true(gfp_poly_equal(&a, &before));
    assert_int_equal(gfp_poly_get_fmpz_mod_poly(b, &a, ctx), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(b->length, 5);
    gfp_poly_clear(&a);
    gfp_poly_clear(&before);
    fmpz_mod_poly_clear(b, ctx);
    fmpz_mod_ctx_clear(ctx);
}

/* Forms of one number: digits differ, the modulus does not, and the integers must agree. */
static void forms_of_one_prime_meet_in_flint(void **state)
{
    static const struct {
        uint64_t r;
        unsigned k;
    } forms[] = {{256, 2}, {16, 4}, {4, 8}, {2, 16}};
    uint64_t x[16];
    fmpz_t value;

    (void)state;
    fmpz_init(value);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        gfp_field *field;
        assert_int_equal(gfp_field_create_rk(&field, forms[i].r, forms[i].k, NULL, NULL), GFP_OK);
        for (ulong v = 0; v <= 65536; v += 17) {
            fmpz_set_ui(value, v + 65537);
            assert_int_equal(gfp_elem_set_fmpz(field, x, value), GFP_OK);
            assert_int_equal(gfp_elem_get_fmpz(field, value, x), GFP_OK);
            assert_true(fmpz_equal_ui(value, v));
        }
        gfp_field_destroy(field);
    }
    fmpz_clear(value);
}

static void other_versions_are_told_apart(void **state)
{
    (void)state;
    assert_int_equal(gfp_flint_check(), GFP_OK);
    assert_true(gfp_flint_versions_agree("2.9.0", "2.9.0"));
    assert_true(gfp_flint_versions_agree("2.9.0", "2.9.11")); /* a patch is the same interface */
    assert_true(gfp_flint_versions_agree("3.1", "3.1"));
    assert_false(gfp_flint_versions_agree("2.9.0", "2.8.0"));
    assert_false(gfp_flint_versions_agree("2.9.0", "3.9.0"));
    assert_false(gfp_flint_versions_agree("3.1.0", "3.10.0"));
    assert_false(gfp_flint_versions_agree("3.10.0", "3.1.0"));
}

static void version_is_reported(void **state)
{
    (void)state;
    assert_string_equal(gfp_build_get_info()->flint, FLINT_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_go_both_ways),
        cmocka_unit_test(negative_and_large_values_are_reduced),
        cmocka_unit_test(small_values_of_either_sign),
        cmocka_unit_test(polynomials_go_both_ways),
        cmocka_unit_test(products_agree_through_the_bridge),
        cmocka_unit_test(unreduced_coefficients_are_normalised),
        cmocka_unit_test(mixed_coefficients_are_reduced),
        cmocka_unit_test(another_modulus_is_refused),
        cmocka_unit_test(forms_of_one_prime_meet_in_flint),
        cmocka_unit_test(other_versions_are_told_apart),
        cmocka_unit_test(version_is_reported),
    };

    return cmocka_run_group_tests(tests, lab_setup_all, lab_teardown);
}
