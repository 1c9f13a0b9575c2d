/* elements.c: trace maps, minimal and characteristic polynomials
 * modulo a polynomial: as the definitions have them, by products, and by linear algebra over tiny
 * fields.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/compose/lab.h"

#include <string.h>

#include "lab/rows.h"
#include "lab/sanitized.h"
#include "poly/compose/elements.h"

static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};

/* ---- trace maps ---- */

static void traces_of(parts *s, size_t d, const gfp_options *options)
{
    gfp_poly x_p, power, t;
    gfp_poly *const all[] = {&x_p, &power, &t};
    for (size_t i = 0; i < 3; i++) {
        gfp_poly_init(all[i], s->f.field);
    }
    assert_int_equal(gfp_poly_pow_mod(&x_p, &s->x, gfp_field_modulus_limbs(s->f.field),
                                      gfp_field_limbs(s->f.field), s->M, NULL),
                     GFP_OK);
    assert_int_equal(gfp_poly_rem(&t, &s->a, &s->f, NULL), GFP_OK);
    assert_int_equal(gfp_poly_rem(&power, &s->x, &s->f, NULL), GFP_OK);
    gfp_poly_zero(&s->y);
    for (size_t i = 0; i < d; i++) { /* powers by the definition */
        assert_int_equal(gfp_poly_add(&s->y, &s->y, &t), GFP_OK);
        assert_int_equal(gfp_poly_pow_mod(&t, &t, gfp_field_modulus_limbs(s->f.field),
                                          gfp_field_limbs(s->f.field), s->M, NULL),
                         GFP_OK);
        assert_int_equal(gfp_poly_pow_mod(&power, &power, gfp_field_modulus_limbs(s->f.field),
                                          gfp_field_limbs(s->f.field), s->M, NULL),
                         GFP_OK);
    }
    assert_int_equal(gfp_poly_trace_map_mod(&s->z, &t, &s->a, &x_p, d, s->M, options), GFP_OK);
    expect_same(&s->z, &s->y, "trace", s->n, d);
    expect_same(&t, &power, "power of X", s->n, d);
    gfp_poly_zero(&s->z);
    assert_int_equal(gfp_poly_trace_map_mod(&s->z, NULL, &s->a, &x_p, d, s->M, options), GFP_OK);
    expect_same(&s->z, &s->y, "trace alone", s->n, d);
    gfp_poly_zero(&t);
    assert_int_equal(gfp_poly_trace_map_mod(NULL, &t, NULL, &x_p, d, s->M, options), GFP_OK);
    expect_same(&t, &power, "power of X alone", s->n, d);
    /* outputs in place of inputs */
    assert_int_equal(gfp_poly_set(&t, &s->a), GFP_OK);
    assert_int_equal(gfp_poly_trace_map_mod(&t, &x_p, &t, &x_p, d, s->M, options), GFP_OK);
    expect_same(&t, &s->y, "trace in place", s->n, d);
    expect_same(&x_p, &power, "power of X in place", s->n, d);
    for (size_t i = 0; i < 3; i++) {
        gfp_poly_clear(all[i]);
    }
}

static void trace_maps(void **state)
{
    static const char *const names[] = {"2^2+1", "2^16+1", "4^2+1", "p2", "p8"};
    (void)state;
    for (size_t f = 0; f < sizeof names / sizeof names[0]; f++) {
        for (size_t n = 1; n < (f < 3 ? 40U : 20U); n += n < 8 ? 3 : 12) {
            const gfp_options options = {.verify = kinds[(f + n) % 3],
                                         .method = n % 5 == 4 ? "classical" : NULL};
            parts s;
            make_parts(&s, lab_named(names[f])->field, n, f);
            make_modulus(&s, &options);
            for (size_t d = 0; d < (f < 3 ? 14U : 4U); d += d < 4 ? 1 : 4) {
                traces_of(&s, d, &options);
            }
            clear_parts(&s);
        }
    }
}

/* ---- minimal and characteristic polynomials ---- */

/* Whether no polynomial of a smaller degree than f has the root b: over 5 elements the monic ones
 * are tried. */
static void expect_least(parts *s, const gfp_poly *f)
{
    size_t codes = 1;
    for (size_t len = 1; len < f->len; len++, codes *= 5) {
        for (size_t code = 0; code < codes; code++) {
            gfp_poly_zero(&s->y);
            for (size_t i = 0, c = code; i + 1 < len; i++, c /= 5) {
                assert_int_equal(gfp_poly_set_coeff_u64(&s->y, i, c % 5), GFP_OK);
            }
            assert_int_equal(gfp_poly_set_coeff_u64(&s->y, len - 1, 1), GFP_OK);
            slow_compose(&s->z, &s->y, &s->b, &s->f);
            assert_false(gfp_poly_is_zero(&s->z));
        }
    }
}

/* Every element modulo several polynomials over 5 elements, with square factors among them. */
static void minimal_polynomials_over_tiny_fields(void **state)
{
    (void)state;
    parts s;
    make_parts(&s, lab_named("2^2+1")->field, 3, 1);
    for (size_t h = 0; h < 25; h++) {
        gfp_modulus *M;
        gfp_poly_zero(&s.f);
        assert_int_equal(gfp_poly_set_coeff_u64(&s.f, 3, 1 + h % 4), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff_u64(&s.f, 1, h % 5), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff_u64(&s.f, 0, h / 5), GFP_OK);
        assert_int_equal(gfp_modulus_create(&M, &s.f, NULL), GFP_OK);
        for (size_t code = 0; code < 125; code += 1 + h % 3) {
            gfp_poly_zero(&s.b);
            for (size_t i = 0, c = code; i < 3; i++, c /= 5) {
                assert_int_equal(gfp_poly_set_coeff_u64(&s.b, i, c % 5), GFP_OK);
            }
            assert_int_equal(gfp_poly_minpoly_mod(&s.a, &s.b, M, NULL), GFP_OK);
            slow_compose(&s.z, &s.a, &s.b, &s.f);
            assert_true(gfp_poly_is_zero(&s.z));
            assert_true(gfp_elem_is_one(s.a.field, s.a.digits + (s.a.len - 1) * 2));
            expect_least(&s, &s.a);
        }
        gfp_modulus_destroy(M);
    }
    clear_parts(&s);
}

/* b(c) for f = (X - r_0) ... (X - r_(n - 1)) and roots that take few values at b. */
static void known_roots(void **state)
{
    static const char *const names[] = {"p2", "p4", "p8", "2^16+1", "m16"};
    (void)state;
    for (size_t f = 0; LAB_ROW(names, f); f++) {
        for (size_t n = 2; n < 60; n += 19) {
            const gfp_options options = {.verify = kinds[(f + n) % 3], .verify_seed = n};
            gfp_poly root, minimal, characteristic;
            uint64_t x[GFP_MAX_K];
            parts s;
            make_parts(&s, lab_named(names[f])->field, n, f);
            gfp_poly_init(&root, s.f.field);
            gfp_poly_init(&minimal, s.f.field);
            gfp_poly_init(&characteristic, s.f.field);
            assert_int_equal(gfp_poly_one(&s.f), GFP_OK);
            assert_int_equal(gfp_poly_one(&minimal), GFP_OK);
            assert_int_equal(gfp_poly_one(&characteristic), GFP_OK);
            gfp_poly_zero(&s.b); /* X^2: roots 1, -1, 2, -2, ... */
            assert_int_equal(gfp_poly_set_coeff_u64(&s.b, 2, 1), GFP_OK);
            for (size_t i = 0; i < n; i++) {
                gfp_elem_set_u64(s.f.field, x, 1 + i / 2);
                if (i % 2 == 0) {
                    gfp_elem_neg(s.f.field, x, x);
                }
                gfp_poly_zero(&root);
                assert_int_equal(gfp_poly_set_coeff_u64(&root, 1, 1), GFP_OK);
                assert_int_equal(gfp_poly_set_coeff(&root, 0, x), GFP_OK);
                assert_int_equal(gfp_poly_mul(&s.f, &s.f, &root, NULL), GFP_OK);
                gfp_elem_sqr(s.f.field, x, x);
                gfp_elem_neg(s.f.field, x, x);
                assert_int_equal(gfp_poly_set_coeff(&root, 0, x), GFP_OK);
                assert_int_equal(gfp_poly_mul(&characteristic, &characteristic, &root, NULL),
                                 GFP_OK);
                if (i % 2 == 0) {
                    assert_int_equal(gfp_poly_mul(&minimal, &minimal, &root, NULL), GFP_OK);
                }
            }
            make_modulus(&s, &options);
            assert_int_equal(gfp_poly_minpoly_mod(&s.z, &s.b, s.M, &options), GFP_OK);
            expect_same(&s.z, &minimal, "minimal polynomial", n, f);
            assert_int_equal(gfp_poly_charpoly_mod(&s.z, &s.b, s.M, &options), GFP_OK);
            expect_same(&s.z, &characteristic, "characteristic polynomial", n, f);
            assert_int_equal(gfp_poly_minpoly_mod(&s.z, &s.x, s.M, &options), GFP_OK);
            expect_same(&s.z, &s.f, "minimal polynomial of X", n, f);
            assert_int_equal(gfp_poly_charpoly_mod(&s.b, &s.b, s.M, &options), GFP_OK);
            expect_same(&s.b, &characteristic, "characteristic polynomial in place", n, f);
            gfp_poly_clear(&root);
            gfp_poly_clear(&minimal);
            gfp_poly_clear(&characteristic);
            clear_parts(&s);
        }
    }
}

/* h = (X - 1)^n: a constant has a minimal polynomial of degree 1, X - 1 is nilpotent. */
static void one_root(void **state)
{
    static const char *const names[] = {"2^2+1", "p2", "p8"};
    (void)state;
    for (size_t f = 0; LAB_ROW(names, f); f++) {
        const size_t n = f == 0 ? 4 : 30;
        gfp_poly root;
        uint64_t x[GFP_MAX_K];
        parts s;
        make_parts(&s, lab_named(names[f])->field, n, f);
        gfp_poly_init(&root, s.f.field);
        gfp_elem_one(s.f.field, x);
        gfp_elem_neg(s.f.field, x, x);
        assert_int_equal(gfp_poly_set_coeff_u64(&root, 1, 1), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff(&root, 0, x), GFP_OK);
        assert_int_equal(gfp_poly_one(&s.f), GFP_OK);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(gfp_poly_mul(&s.f, &s.f, &root, NULL), GFP_OK);
        }
        make_modulus(&s, NULL);
        assert_int_equal(gfp_poly_shift_left(&s.y, &root, 0), GFP_OK);
        assert_int_equal(gfp_poly_minpoly_mod(&s.z, &root, s.M, NULL), GFP_OK);
        assert_true(s.z.len == n + 1);
        gfp_poly_zero(&s.y);
        assert_int_equal(gfp_poly_set_coeff_u64(&s.y, n, 1), GFP_OK);
        expect_same(&s.z, &s.y, "minimal polynomial of what is nilpotent", n, f);
        assert_int_equal(gfp_poly_charpoly_mod(&s.z, &root, s.M, NULL), GFP_OK);
        expect_same(&s.z, &s.y, "characteristic polynomial of what is nilpotent", n, f);
        assert_int_equal(gfp_poly_one(&s.b), GFP_OK);
        assert_int_equal(gfp_poly_minpoly_mod(&s.z, &s.b, s.M, NULL), GFP_OK);
        expect_same(&s.z, &root, "minimal polynomial of 1", n, f);
        assert_int_equal(gfp_poly_charpoly_mod(&s.z, &s.b, s.M, NULL), GFP_OK);
        expect_same(&s.z, &s.f, "characteristic polynomial of 1", n, f);
        gfp_poly_zero(&s.b);
        assert_int_equal(gfp_poly_minpoly_mod(&s.z, &s.b, s.M, NULL), GFP_OK);
        expect_same(&s.z, &s.x, "minimal polynomial of 0", n, f);
        gfp_poly_clear(&root);
        clear_parts(&s);
    }
}

static void bad_arguments(void **state)
{
    (void)state;
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    parts s, other, tiny;
    make_parts(&s, lab_named("p8")->field, 20, 1);
    make_parts(&other, lab_named("p4")->field, 20, 1);
    make_parts(&tiny, lab_named("2^2+1")->field, 5, 1);
    make_modulus(&s, NULL);
    make_modulus(&tiny, NULL);
    make_argument(&s, 1, NULL);
#define EXPECT(call, status) lab_expect_status(call, status, &error, #call)
    EXPECT(gfp_poly_trace_map_mod(NULL, NULL, &s.a, &s.b, 2, s.M, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_trace_map_mod(&s.z, &s.z, &s.a, &s.b, 2, s.M, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_trace_map_mod(&s.z, NULL, NULL, &s.b, 2, s.M, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_trace_map_mod(&s.z, NULL, &s.a, NULL, 2, s.M, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_trace_map_mod(&s.z, NULL, &s.a, &s.b, 2, NULL, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_trace_map_mod(&s.z, NULL, &other.a, &s.b, 2, s.M, &options),
           GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_trace_map_mod(&s.z, &other.z, &s.a, &s.b, 2, s.M, &options),
           GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_minpoly_mod(NULL, &s.a, s.M, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_minpoly_mod(&s.z, NULL, s.M, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_minpoly_mod(&s.z, &s.a, NULL, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_minpoly_mod(&s.z, &other.a, s.M, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_charpoly_mod(NULL, &s.a, s.M, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_charpoly_mod(&s.z, &s.a, NULL, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_charpoly_mod(&tiny.z, &tiny.a, tiny.M, &options), GFP_ERR_UNAVAILABLE);
#undef EXPECT
    assert_true(s.z.len == 0 && other.z.len == 0 && tiny.z.len == 0);
    clear_parts(&s);
    clear_parts(&other);
    clear_parts(&tiny);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace_maps),    cmocka_unit_test(minimal_polynomials_over_tiny_fields),
        cmocka_unit_test(known_roots),   cmocka_unit_test(one_root),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, lab_setup_toolkit, lab_teardown);
}
