/* test_bipoly_gcd.c: resultants and greatest common divisors of polynomials in two variables:
 * identities, the algorithms without points ("classical"), and FLINT.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bipoly_lab.h"

#include "sanitized.h"
#if GFP_HAVE_FLINT
#include <flint/fmpz_mod_mpoly.h>

#include "gfpoly/flint.h"
#endif

static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};

/* Lengths in X and Y of both operands. */
static const size_t shapes[][4] = {
    {1, 1, 1, 1}, {1, 1, 3, 4}, {3, 4, 1, 1}, {4, 1, 1, 5},  {5, 1, 3, 1}, {1, 5, 1, 4},
    {1, 4, 6, 3}, {2, 2, 2, 2}, {3, 3, 4, 4}, {4, 4, 3, 3},  {5, 2, 2, 7}, {6, 6, 6, 6},
    {3, 9, 4, 2}, {2, 8, 9, 5}, {9, 5, 7, 6}, {26, 3, 4, 4},
};
#define SHAPES (sizeof shapes / sizeof shapes[0])

static void fill_operands(bivariate *s, size_t i)
{
    const size_t *n = shapes[i % SHAPES];
    fill(s, &s->a, n[0], n[1], i % 2 == 1);
    fill(s, &s->b, n[2], n[3], i % 4 >= 2);
}

/* ---- resultants ---- */

/* Fails unless r is the resultant of a and b at x, where no degree falls. */
static void expect_image(bivariate *s, const gfp_poly *r, const uint64_t *x, size_t i)
{
    uint64_t y[GFP_MAX_K], z[GFP_MAX_K];
    assert_int_equal(gfp_bipoly_eval_x(&s->g, &s->a, x), GFP_OK);
    assert_int_equal(gfp_bipoly_eval_x(&s->h, &s->b, x), GFP_OK);
    if (s->g.len == s->a.len && s->h.len == s->b.len) {
        assert_int_equal(gfp_poly_resultant(y, &s->g, &s->h, NULL), GFP_OK);
        gfp_poly_eval(r, z, x);
        if (!gfp_elem_equal(s->field, y, z)) {
            fail_msg("%s: resultant of shape %zu: wrong value", gfp_field_name(s->field), i);
        }
    }
}

static void resultants_are_those_of_images(void **state)
{
    (void)state;
    for (size_t i = 0; i < oracle_field_count * SHAPES; i++) {
        const gfp_field *field = lab_fields[i / SHAPES].field;
        bivariate s;
        gfp_error error = {0};
        uint64_t x[GFP_MAX_K];
        if (gfp_field_k(field) > 16 && i % SHAPES > 8) {
            continue;
        }
        make_bivariate(&s, field, i);
        fill_operands(&s, i);
        gfp_options options = {.verify = kinds[i % 3], .error = &error};
        lab_expect_status(gfp_bipoly_resultant_y(&s.f, &s.a, &s.b, &options), GFP_OK, &error,
                          "resultant");
        for (size_t j = 0; j < 5; j++) {
            gfp_elem_random(field, x, &s.random);
            expect_image(&s, &s.f, x, i);
        }
        options.method = "classical";
        assert_int_equal(gfp_bipoly_resultant_y(&s.g, &s.a, &s.b, &options), GFP_OK);
        expect_same(&s.g, &s.f, "classical resultant", i, 0);
        /* With respect to X: that of exchanged variables with respect to Y. */
        assert_int_equal(gfp_bipoly_resultant_x(&s.f, &s.a, &s.b, &options), GFP_OK);
        assert_int_equal(gfp_bipoly_transpose(&s.a, &s.a), GFP_OK);
        assert_int_equal(gfp_bipoly_transpose(&s.b, &s.b), GFP_OK);
        options.method = NULL;
        assert_int_equal(gfp_bipoly_resultant_y(&s.g, &s.a, &s.b, &options), GFP_OK);
        expect_same(&s.g, &s.f, "resultant with respect to X", i, 0);
        clear_bivariate(&s);
    }
}

static void resultants_of_products(void **state)
{
    (void)state;
    static const char *const names[] = {"p8", "p2", "2^16+1", "16^4+1", "2^4+1", "2^2+1"};
    for (size_t i = 0; i < 6 * SHAPES; i++) {
        const gfp_options options = {.verify = kinds[i % 3], .threads = 1 + i % 2};
        bivariate s;
        make_bivariate(&s, lab_named(names[i / SHAPES])->field, i);
        fill_operands(&s, i);
        fill(&s, &s.c, 1 + i % 4, 1 + i % 3, false);
        /* Res(a, b c) = Res(a, b) Res(a, c). */
        assert_int_equal(gfp_bipoly_mul(&s.x, &s.b, &s.c, NULL), GFP_OK);
        assert_int_equal(gfp_bipoly_resultant_y(&s.f, &s.a, &s.b, &options), GFP_OK);
        assert_int_equal(gfp_bipoly_resultant_y(&s.g, &s.a, &s.c, &options), GFP_OK);
        assert_int_equal(gfp_poly_mul(&s.h, &s.f, &s.g, NULL), GFP_OK);
        assert_int_equal(gfp_bipoly_resultant_y(&s.f, &s.a, &s.x, &options), GFP_OK);
        expect_same(&s.f, &s.h, "resultant of a product", i, 0);
        /* A common factor with Y. */
        if (s.c.len > 1) {
            assert_int_equal(gfp_bipoly_mul(&s.y, &s.a, &s.c, NULL), GFP_OK);
            assert_int_equal(gfp_bipoly_resultant_y(&s.f, &s.x, &s.y, &options), GFP_OK);
            assert_true(gfp_poly_is_zero(&s.f));
        }
        clear_bivariate(&s);
    }
}

static void resultants_of_zero_and_constants(void **state)
{
    (void)state;
    bivariate s;
    make_bivariate(&s, lab_named("p4")->field, 3);
    fill(&s, &s.b, 3, 3, false);
    assert_int_equal(gfp_poly_one(&s.f), GFP_OK);
    assert_int_equal(gfp_bipoly_resultant_y(&s.f, &s.a, &s.b, NULL), GFP_OK);
    assert_true(gfp_poly_is_zero(&s.f));
    assert_int_equal(gfp_bipoly_resultant_x(&s.f, &s.b, &s.a, NULL), GFP_OK);
    assert_true(gfp_poly_is_zero(&s.f));
    assert_int_equal(gfp_bipoly_resultant_y(&s.f, &s.b, &s.b, NULL), GFP_OK);
    assert_true(gfp_poly_is_zero(&s.f));
    fill(&s, &s.a, 4, 1, false);
    assert_int_equal(gfp_bipoly_resultant_y(&s.f, &s.a, &s.a, NULL), GFP_OK);
    assert_true(gfp_poly_is_one(&s.f));
    assert_int_equal(gfp_bipoly_resultant_y(&s.f, &s.a, &s.b, NULL), GFP_OK);
    assert_int_equal(gfp_poly_sqr(&s.g, &s.a.coeff[0], NULL), GFP_OK);
    expect_same(&s.f, &s.g, "resultant of a constant", 0, 0);
    clear_bivariate(&s);
}

/* Images too long for the algorithm that threads share, one after the other. */
static void resultants_of_high_degree(void **state)
{
    (void)state;
    bivariate s;
    uint64_t x[GFP_MAX_K];
    make_bivariate(&s, lab_named("p2")->field, 5);
    fill(&s, &s.a, 2, 300, false);
    fill(&s, &s.b, 2, 280, false);
    assert_int_equal(
        gfp_bipoly_resultant_y(&s.f, &s.a, &s.b, &(gfp_options){.verify = GFP_VERIFY_POINT}),
        GFP_OK);
    gfp_elem_random(s.field, x, &s.random);
    expect_image(&s, &s.f, x, 0);
    clear_bivariate(&s);
}

/* ---- FLINT ---- */

#if GFP_HAVE_FLINT
/* z := a, where X is FLINT's second variable, Y the first. */
static void to_flint(fmpz_mod_mpoly_t z, const gfp_bipoly *a, fmpz_mod_mpoly_ctx_t ctx)
{
    fmpz_t value;
    fmpz_init(value);
    fmpz_mod_mpoly_zero(z, ctx);
    for (size_t j = 0; j < a->len; j++) {
        for (size_t i = 0; i < a->coeff[j].len; i++) {
            const ulong exponents[] = {j, i};
            uint64_t x[GFP_MAX_K];
            gfp_poly_get_coeff(&a->coeff[j], x, i);
            assert_int_equal(gfp_elem_get_fmpz(a->field, value, x), GFP_OK);
            if (!fmpz_is_zero(value)) {
                fmpz_mod_mpoly_push_term_fmpz_ui(z, value, exponents, ctx);
            }
        }
    }
    fmpz_mod_mpoly_sort_terms(z, ctx);
    fmpz_clear(value);
}

/* The resultant, as a polynomial of degree 0 in Y. */
static void as_flint(bivariate *s, fmpz_mod_mpoly_ctx_t ctx, size_t i)
{
    fmpz_mod_mpoly_t a, b, z, expected;
    fmpz_mod_mpoly_init(a, ctx);
    fmpz_mod_mpoly_init(b, ctx);
    fmpz_mod_mpoly_init(z, ctx);
    fmpz_mod_mpoly_init(expected, ctx);
    to_flint(a, &s->a, ctx);
    to_flint(b, &s->b, ctx);
    fmpz_mod_mpoly_mul(expected, a, b, ctx);
    assert_int_equal(gfp_bipoly_mul(&s->z, &s->a, &s->b, NULL), GFP_OK);
    to_flint(z, &s->z, ctx);
    if (!fmpz_mod_mpoly_equal(z, expected, ctx)) {
        fail_msg("%s: FLINT's product of shape %zu", gfp_field_name(s->field), i);
    }
    assert_true(fmpz_mod_mpoly_resultant(expected, a, b, 0, ctx));
    assert_int_equal(gfp_bipoly_resultant_y(&s->f, &s->a, &s->b, NULL), GFP_OK);
    gfp_bipoly_zero(&s->z);
    assert_int_equal(gfp_bipoly_set_coeff(&s->z, 0, &s->f), GFP_OK);
    to_flint(z, &s->z, ctx);
    if (!fmpz_mod_mpoly_equal(z, expected, ctx)) {
        fail_msg("%s: FLINT's resultant of shape %zu", gfp_field_name(s->field), i);
    }
    fmpz_mod_mpoly_clear(a, ctx);
    fmpz_mod_mpoly_clear(b, ctx);
    fmpz_mod_mpoly_clear(z, ctx);
    fmpz_mod_mpoly_clear(expected, ctx);
}

static void as_flint_has_them(void **state)
{
    (void)state;
    static const char *const names[] = {"p8", "p2", "2^16+1", "2^4+1"};
    for (size_t f = 0; f < 4; f++) {
        const gfp_field *field = lab_named(names[f])->field;
        fmpz_mod_mpoly_ctx_t ctx;
        fmpz_t p;
        fmpz_init(p);
        assert_int_equal(fmpz_set_str(p, gfp_field_modulus_string(field), 10), 0);
        fmpz_mod_mpoly_ctx_init(ctx, 2, ORD_LEX, p);
        for (size_t i = 0; i < SHAPES; i++) {
            bivariate s;
            make_bivariate(&s, field, i);
            fill_operands(&s, i);
            as_flint(&s, ctx, i);
            clear_bivariate(&s);
        }
        fmpz_mod_mpoly_ctx_clear(ctx);
        fmpz_clear(p);
    }
    flint_cleanup();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resultants_are_those_of_images),
        cmocka_unit_test(resultants_of_products),
        cmocka_unit_test(resultants_of_zero_and_constants),
        cmocka_unit_test(resultants_of_high_degree),
#if GFP_HAVE_FLINT
        cmocka_unit_test(as_flint_has_them),
#endif
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
