/* fraction.c: inverses modulo f, rational reconstruction, Padé approximants, minimal
 * polynomials of sequences, discriminants: what they must satisfy.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/euclid/lab.h"

#include "lab/sanitized.h"

static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};

static size_t fraction_longest(unsigned k)
{
    return SANITIZED ? 60 : k <= 4 ? 250 : k <= 8 ? 120 : k <= 32 ? 60 : 20;
}

static gfp_options options_for(size_t i)
{
    return (gfp_options){
        .verify = kinds[i % 3], .threads = 1 + i % 2, .method = i % 5 == 4 ? "classical" : NULL};
}

static bool leading_is_one(const gfp_poly *a)
{
    uint64_t x[GFP_MAX_K];
    gfp_poly_get_coeff(x, a, a->len - 1);
    return gfp_elem_is_one(a->field, x);
}

/* ---- inverses ---- */

static void fraction_inverses(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < 10; i++) {
            const gfp_options options = options_for(i);
            gfp_error error = {0};
            gfp_options named = options;
            gfp_random g;
            parts s;
            gfp_random_seed(&g, i);
            make_parts(&s, l->field, 1 + gfp_random_below(&g, fraction_longest(l->k)), i);
            assert_int_equal(gfp_modulus_create(&s.M, &s.f, NULL), GFP_OK);
            const gfp_poly *a = i % 3 == 0 ? &s.twice : &s.a;
            const gfp_status status = gfp_poly_inv_mod(&s.z, a, s.M, &options);
            assert_int_equal(gfp_poly_gcd(&s.y, a, &s.f, NULL), GFP_OK);
            assert_int_equal(status, gfp_poly_is_one(&s.y) ? GFP_OK : GFP_ERR_NOT_INVERTIBLE);
            if (status == GFP_OK) {
                assert_true(s.z.len <= s.n);
                assert_int_equal(gfp_poly_mul_mod(&s.y, &s.z, a, s.M, NULL), GFP_OK);
                assert_true(gfp_poly_is_one(&s.y));
                assert_int_equal(gfp_poly_inv_mod(&s.z, &s.z, s.M, &options), GFP_OK);
                assert_int_equal(gfp_poly_rem_mod(&s.y, a, s.M, NULL), GFP_OK);
                expect_same(&s.z, &s.y, "inverse of the inverse", s.n, i);
            }
            named.error = &error;
            assert_int_equal(gfp_poly_one(&s.z), GFP_OK);
            lab_expect_status(gfp_poly_inv_mod(&s.z, &s.f, s.M, &named), GFP_ERR_NOT_INVERTIBLE,
                              &error, "inverse of 0");
            assert_true(gfp_poly_is_one(&s.z));
            clear_parts(&s);
        }
    }
}

static void no_inverse_with_a_common_factor(void **state)
{
    (void)state;
    for (size_t n = 2; n < 200; n = 2 * n + 3) {
        gfp_error error = {0};
        const gfp_options options = {.error = &error, .verify = kinds[n % 2]};
        parts s;
        make_parts(&s, lab_named("p4")->field, n, n);
        assert_int_equal(gfp_poly_set_coeff_u64(&s.x, 0, 3), GFP_OK);
        assert_int_equal(gfp_poly_mul(&s.f, &s.a, &s.x, NULL), GFP_OK);
        assert_int_equal(gfp_poly_mul(&s.b, &s.b, &s.x, NULL), GFP_OK);
        assert_int_equal(gfp_modulus_create(&s.M, &s.f, NULL), GFP_OK);
        lab_expect_status(gfp_poly_inv_mod(&s.z, &s.b, s.M, &options), GFP_ERR_NOT_INVERTIBLE,
                          &error, "a common factor");
        clear_parts(&s);
    }
}

/* ---- fractions ---- */

/* den f = num modulo m. */
static void expect_congruent(euclid *s, const gfp_poly *f, const gfp_poly *m)
{
    assert_int_equal(gfp_poly_mul(&s->x, &s->v, f, NULL), GFP_OK);
    assert_int_equal(gfp_poly_sub(&s->x, &s->x, &s->u), GFP_OK);
    assert_int_equal(gfp_poly_rem(&s->x, &s->x, m, NULL), GFP_OK);
    assert_true(gfp_poly_is_zero(&s->x));
}

/* A fraction of the degrees n and d is found again from its residue modulo m of degree n + d + 1;
 * with one degree less for den it is not, unless another fraction is there. */
static void fractions_are_found_again(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < 8; i++) {
            const gfp_options options = options_for(i);
            gfp_modulus *M = NULL;
            gfp_random g;
            euclid s;
            gfp_random_seed(&g, i);
            make_euclid(&s, l->field);
            const size_t n = gfp_random_below(&g, fraction_longest(l->k)),
                         d = gfp_random_below(&g, 40);
            random_poly(&s.a, n + 1, &g);
            random_poly(&s.b, d + 1, &g);
            assert_int_equal(gfp_poly_make_monic(&s.b, &s.b), GFP_OK);
            random_poly(&s.g, n + d + 2, &g);
            assert_int_equal(gfp_modulus_create(&M, &s.g, NULL), GFP_OK);
            if (gfp_poly_inv_mod(&s.y, &s.b, M, NULL) == GFP_OK) {
                assert_int_equal(gfp_poly_mul_mod(&s.y, &s.y, &s.a, M, NULL), GFP_OK);
                assert_int_equal(gfp_poly_reconstruct(&s.u, &s.v, &s.y, &s.g, n, d, &options),
                                 GFP_OK);
                assert_true(s.u.len <= n + 1 && s.v.len <= d + 1 && leading_is_one(&s.v));
                expect_congruent(&s, &s.y, &s.g);
                /* num / den = a / b */
                assert_int_equal(gfp_poly_mul(&s.x, &s.u, &s.b, NULL), GFP_OK);
                assert_int_equal(gfp_poly_mul(&s.z, &s.v, &s.a, NULL), GFP_OK);
                expect_same(&s.x, &s.z, "fraction", n, d);
            }
            gfp_modulus_destroy(M);
            clear_euclid(&s);
        }
    }
}

/* Any f has a fraction if the degrees leave room, and is reduced first. */
static void fractions_of_any_degrees(void **state)
{
    (void)state;
    for (size_t i = 0; i < 60; i++) {
        const gfp_options options = options_for(i);
        gfp_random g;
        euclid s;
        gfp_random_seed(&g, i);
        make_euclid(&s, lab_named(i % 2 == 0 ? "2^2+1" : "p2")->field);
        random_poly(&s.g, 2 + 3 * i, &g);
        random_poly(&s.a, i % 7 == 0 ? 0 : 1 + 4 * i, &g);
        const size_t degree = s.g.len - 1, n = gfp_random_below(&g, degree), d = degree - 1 - n;
        assert_int_equal(gfp_poly_reconstruct(&s.u, &s.v, &s.a, &s.g, n, d, &options), GFP_OK);
        assert_true(s.u.len <= n + 1 && s.v.len <= d + 1 && leading_is_one(&s.v));
        expect_congruent(&s, &s.a, &s.g);
        if (s.v.len > 1) { /* den is of least degree */
            assert_int_equal(gfp_poly_reconstruct(&s.x, &s.y, &s.a, &s.g, n, s.v.len - 2, NULL),
                             GFP_ERR_NOT_INVERTIBLE);
        }
        assert_int_equal(gfp_poly_reconstruct(&s.u, &s.v, &s.a, &s.g, SIZE_MAX, 0, &options),
                         GFP_OK);
        assert_true(gfp_poly_is_one(&s.v));
        clear_euclid(&s);
    }
}

static void pade_approximants(void **state)
{
    (void)state;
    for (size_t i = 0; i < 40; i++) {
        const gfp_options options = options_for(i);
        gfp_random g;
        euclid s;
        gfp_random_seed(&g, i);
        make_euclid(&s, lab_named(i % 2 == 0 ? "2^2+1" : "p4")->field);
        const size_t n = gfp_random_below(&g, 60), d = gfp_random_below(&g, 60);
        random_poly(&s.a, n + d + 1, &g);
        const gfp_status status = gfp_poly_pade(&s.u, &s.v, &s.a, n, d, &options);
        if (status == GFP_OK) {
            uint64_t x[GFP_MAX_K];
            gfp_poly_get_coeff(x, &s.v, 0);
            assert_true(gfp_elem_is_one(s.a.field, x));
            assert_true(s.u.len <= n + 1 && s.v.len <= d + 1);
            assert_int_equal(gfp_poly_mullow(&s.x, &s.v, &s.a, n + d + 1, NULL), GFP_OK);
            expect_same(&s.x, &s.u, "den f", n, d);
        } else {
            assert_int_equal(status, GFP_ERR_NOT_INVERTIBLE);
        }
        clear_euclid(&s);
    }
    /* 1 + X^2 has no approximant of degrees 1 and 1: den would be divisible by X. */
    euclid s;
    make_euclid(&s, lab_named("p4")->field);
    assert_int_equal(gfp_poly_set_coeff_u64(&s.a, 2, 1), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff_u64(&s.a, 0, 1), GFP_OK);
    assert_int_equal(gfp_poly_pade(&s.u, &s.v, &s.a, 1, 1, NULL), GFP_ERR_NOT_INVERTIBLE);
    assert_int_equal(gfp_poly_pade(&s.u, &s.v, &s.a, SIZE_MAX, 1, NULL), GFP_ERR_SIZE);
    assert_int_equal(gfp_poly_pade(&s.u, &s.v, &s.a, SIZE_MAX / 5, 1, NULL), GFP_ERR_SIZE);
    assert_int_equal(gfp_poly_minpoly(&s.u, s.a.digits, SIZE_MAX, NULL), GFP_ERR_SIZE);
    assert_int_equal(gfp_poly_minpoly(&s.u, NULL, 1, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_minpoly(NULL, s.a.digits, 1, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_reconstruct(&s.u, &s.u, &s.a, &s.a, 1, 1, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_reconstruct(&s.u, &s.v, &s.a, &s.b, 1, 1, NULL),
                     GFP_ERR_NOT_INVERTIBLE);
    clear_euclid(&s);
}

/* ---- recurrences ---- */

/* Whether the recurrence f holds for all of the sequence. */
static bool fraction_recurs(const gfp_poly *f, const uint64_t *s, size_t n)
{
    const gfp_field *field = f->field;
    const size_t k = gfp_field_k(field);
    uint64_t sum[GFP_MAX_K];
    for (size_t i = 0; i + f->len <= n; i++) {
        gfp_vec_dot(field, sum, f->digits, s + i * k, f->len);
        if (!gfp_elem_is_zero(field, sum)) {
            return false;
        }
    }
    return true;
}

/* A random sequence; its first terms by a recurrence f of degree d, if d < n. */
static void make_sequence(const gfp_poly *f, uint64_t *s, size_t n, gfp_random *g)
{
    const gfp_field *field = f->field;
    const size_t k = gfp_field_k(field), d = f->len - 1;
    gfp_vec_random(field, s, n, g);
    for (size_t i = d; i < n; i++) {
        gfp_vec_dot(field, s + i * k, f->digits, s + (i - d) * k, d);
        gfp_elem_neg(field, s + i * k, s + i * k);
    }
}

static void recurrences_are_found_again(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < 8; i++) {
            const gfp_options options = options_for(i);
            gfp_random g;
            euclid s;
            gfp_random_seed(&g, i);
            make_euclid(&s, l->field);
            const size_t d = gfp_random_below(&g, fraction_longest(l->k) / 2), n = 2 * d + i % 3;
            uint64_t *sequence = lab_array(n * l->k);
            random_poly(&s.a, d + 1, &g);
            assert_int_equal(gfp_poly_make_monic(&s.a, &s.a), GFP_OK);
            make_sequence(&s.a, sequence, n, &g);
            assert_int_equal(gfp_poly_minpoly(&s.g, sequence, n, &options), GFP_OK);
            assert_true(s.g.len <= d + 1 && leading_is_one(&s.g) &&
                        fraction_recurs(&s.g, sequence, n));
            bool yes = false;
            assert_int_equal(gfp_poly_divides(&yes, NULL, &s.a, &s.g, NULL), GFP_OK);
            assert_true(yes);
            lab_free(sequence);
            clear_euclid(&s);
        }
    }
}

/* All sequences of up to 5 elements over the field of 5 elements: no shorter recurrence exists. */
static void no_recurrence_is_shorter(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("2^2+1")->field;
    const size_t k = gfp_field_k(field);
    for (size_t n = 0, count = 1; n <= 5; n++, count *= 5) {
        for (size_t code = 0; code < count; code++) {
            uint64_t s[5 * GFP_MAX_K];
            euclid e;
            make_euclid(&e, field);
            for (size_t i = 0, rest = code; i < n; i++, rest /= 5) {
                gfp_elem_set_u64(field, s + i * k, rest % 5);
            }
            assert_int_equal(gfp_poly_minpoly(&e.g, s, n, NULL), GFP_OK);
            assert_true(leading_is_one(&e.g) && fraction_recurs(&e.g, s, n));
            for (size_t d = 0, polys = 1; d + 1 < e.g.len; d++, polys *= 5) {
                for (size_t f = 0; f < polys; f++) {
                    gfp_poly_zero(&e.x);
                    for (size_t i = 0, rest = f; i < d; i++, rest /= 5) {
                        assert_int_equal(gfp_poly_set_coeff_u64(&e.x, i, rest % 5), GFP_OK);
                    }
                    assert_int_equal(gfp_poly_set_coeff_u64(&e.x, d, 1), GFP_OK);
                    assert_false(fraction_recurs(&e.x, s, n));
                }
            }
            clear_euclid(&e);
        }
    }
}

/* ---- discriminants ---- */

/* Of a product: disc(f g) = disc(f) disc(g) Res(f, g)^2. And 0 for a square. */
static void fraction_discriminants(void **state)
{
    (void)state;
    for (size_t i = 0; i < 30; i++) {
        const gfp_options options = options_for(i);
        const gfp_field *field = lab_named(i % 2 == 0 ? "2^2+1" : "p4")->field;
        uint64_t x[GFP_MAX_K], y[GFP_MAX_K], z[GFP_MAX_K], r[GFP_MAX_K];
        gfp_random g;
        euclid s;
        gfp_random_seed(&g, i);
        make_euclid(&s, field);
        random_poly(&s.a, 2 + gfp_random_below(&g, 80), &g);
        random_poly(&s.b, 2 + gfp_random_below(&g, 80), &g);
        assert_int_equal(gfp_poly_mul(&s.g, &s.a, &s.b, NULL), GFP_OK);
        assert_int_equal(gfp_poly_discriminant(x, &s.a, &options), GFP_OK);
        assert_int_equal(gfp_poly_discriminant(y, &s.b, &options), GFP_OK);
        assert_int_equal(gfp_poly_discriminant(z, &s.g, &options), GFP_OK);
        assert_int_equal(gfp_poly_resultant(r, &s.a, &s.b, &options), GFP_OK);
        gfp_elem_mul(field, x, x, y);
        gfp_elem_mul(field, x, x, r);
        gfp_elem_mul(field, x, x, r);
        assert_true(gfp_elem_equal(field, x, z));
        assert_int_equal(gfp_poly_sqr(&s.g, &s.a, NULL), GFP_OK);
        assert_int_equal(gfp_poly_discriminant(z, &s.g, &options), GFP_OK);
        assert_true(gfp_elem_is_zero(field, z));
        assert_int_equal(gfp_poly_truncate(&s.a, &s.a, 1), GFP_OK);
        assert_int_equal(gfp_poly_discriminant(z, &s.a, &options), GFP_OK);
        assert_true(gfp_elem_is_zero(field, z));
        clear_euclid(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fraction_inverses),
        cmocka_unit_test(no_inverse_with_a_common_factor),
        cmocka_unit_test(fractions_are_found_again),
        cmocka_unit_test(fractions_of_any_degrees),
        cmocka_unit_test(pade_approximants),
        cmocka_unit_test(recurrences_are_found_again),
        cmocka_unit_test(no_recurrence_is_shorter),
        cmocka_unit_test(fraction_discriminants),
    };
    return cmocka_run_group_tests(tests, lab_setup_toolkit, lab_teardown);
}
