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
        if (i % SHAPES > (gfp_field_k(field) > 32 ? 2 : gfp_field_k(field) > 8 ? 8 : SHAPES)) {
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
    /* c Y^2 and c Y^3: no weight of Y gives the least bound of the degree. */
    gfp_bipoly_zero(&s.a);
    gfp_bipoly_zero(&s.b);
    assert_int_equal(gfp_bipoly_set_coeff(&s.a, 2, &s.g), GFP_OK);
    assert_int_equal(gfp_bipoly_set_coeff(&s.b, 3, &s.g), GFP_OK);
    assert_int_equal(gfp_bipoly_resultant_y(&s.f, &s.a, &s.b, NULL), GFP_OK);
    assert_true(gfp_poly_is_zero(&s.f));
    clear_bivariate(&s);
}

/* Images too long for the algorithm that threads share, one after the other. */
static void resultants_of_high_degree(void **state)
{
    (void)state;
    bivariate s;
    uint64_t x[GFP_MAX_K];
    make_bivariate(&s, lab_named("p32")->field, 5);
    fill(&s, &s.a, 2, 70, false);
    fill(&s, &s.b, 2, 62, false);
    assert_int_equal(
        gfp_bipoly_resultant_y(&s.f, &s.a, &s.b, &(gfp_options){.verify = GFP_VERIFY_POINT}),
        GFP_OK);
    gfp_elem_random(s.field, x, &s.random);
    expect_image(&s, &s.f, x, 0);
    clear_bivariate(&s);
}

/* ---- greatest common divisors ---- */

static void expect_divides(const gfp_bipoly *g, const gfp_bipoly *a, const char *what, size_t i)
{
    bool yes = false;
    assert_int_equal(gfp_bipoly_divides(&yes, NULL, a, g, NULL), GFP_OK);
    if (!yes) {
        fail_msg("%s: %s, %zu: does not divide", gfp_field_name(a->field), what, i);
    }
}

/* Fails unless g is monic and divides a and b, and c, a common divisor, divides g. */
static void expect_gcd(const bivariate *s, const gfp_bipoly *g, size_t i)
{
    uint64_t x[GFP_MAX_K];
    assert_false(gfp_bipoly_is_zero(g));
    const gfp_poly *lead = &g->coeff[g->len - 1];
    gfp_poly_get_coeff(lead, x, lead->len - 1);
    assert_true(gfp_elem_is_one(s->field, x));
    expect_divides(g, &s->x, "gcd of the first operand", i);
    expect_divides(g, &s->y, "gcd of the second operand", i);
    expect_divides(&s->c, g, "a common divisor of the gcd", i);
}

/* x and y := a c and b c. */
static void fill_multiples(bivariate *s, size_t i)
{
    static const size_t divisors[][2] = {{1, 1}, {1, 3}, {4, 1}, {3, 3}, {2, 6}, {7, 4}, {5, 5}};
    const size_t *n = divisors[i % 7];
    fill_operands(s, i);
    fill(s, &s->c, n[0], n[1], i % 5 == 0);
    assert_int_equal(gfp_bipoly_mul(&s->x, &s->a, &s->c, NULL), GFP_OK);
    assert_int_equal(gfp_bipoly_mul(&s->y, &s->b, &s->c, NULL), GFP_OK);
}

static void gcds_are_those_without_points(void **state)
{
    (void)state;
    for (size_t i = 0; i < oracle_field_count * SHAPES; i++) {
        const gfp_field *field = lab_fields[i / SHAPES].field;
        bivariate s;
        gfp_error error = {0};
        gfp_options options = {.verify = kinds[i % 3], .error = &error, .threads = 1 + i % 2};
        if (i % SHAPES > (gfp_field_k(field) > 32 ? 2 : gfp_field_k(field) > 8 ? 8 : SHAPES)) {
            continue;
        }
        make_bivariate(&s, field, i);
        fill_multiples(&s, i);
        lab_expect_status(gfp_bipoly_gcd(&s.z, &s.x, &s.y, &options), GFP_OK, &error, "gcd");
        expect_gcd(&s, &s.z, i);
        options.method = "classical";
        assert_int_equal(gfp_bipoly_gcd(&s.a, &s.y, &s.x, &options), GFP_OK);
        expect_same_bipoly(&s.a, &s.z, "classical gcd", i, 0);
        /* In place; equal operands. */
        options.method = NULL;
        assert_int_equal(gfp_bipoly_copy(&s.b, &s.x), GFP_OK);
        assert_int_equal(gfp_bipoly_gcd(&s.b, &s.b, &s.y, &options), GFP_OK);
        expect_same_bipoly(&s.b, &s.z, "gcd in place", i, 0);
        assert_int_equal(gfp_bipoly_gcd(&s.b, &s.x, &s.x, &options), GFP_OK);
        assert_int_equal(gfp_bipoly_make_monic(&s.x, &s.x), GFP_OK);
        expect_same_bipoly(&s.b, &s.x, "gcd of equal operands", i, 0);
        clear_bivariate(&s);
    }
}

static void gcds_with_zero(void **state)
{
    (void)state;
    bivariate s;
    make_bivariate(&s, lab_named("p4")->field, 3);
    assert_int_equal(gfp_bipoly_one(&s.z), GFP_OK);
    assert_int_equal(gfp_bipoly_gcd(&s.z, &s.a, &s.b, NULL), GFP_OK);
    assert_true(gfp_bipoly_is_zero(&s.z));
    fill(&s, &s.a, 3, 3, false);
    assert_int_equal(gfp_bipoly_make_monic(&s.c, &s.a), GFP_OK);
    assert_int_equal(gfp_bipoly_gcd(&s.z, &s.a, &s.b, NULL), GFP_OK);
    expect_same_bipoly(&s.z, &s.c, "gcd with 0", 0, 0);
    assert_int_equal(gfp_bipoly_gcd(&s.z, &s.b, &s.a, NULL), GFP_OK);
    expect_same_bipoly(&s.z, &s.c, "gcd with 0", 1, 0);
    clear_bivariate(&s);
}

/* Common factors in X alone and in Y alone. */
static void gcds_of_contents(void **state)
{
    (void)state;
    static const char *const names[] = {"p8", "2^16+1", "16^4+1", "2^4+1", "2^2+1"};
    for (size_t i = 0; i < 5 * 12; i++) {
        bivariate s;
        make_bivariate(&s, lab_named(names[i / 12])->field, i);
        fill(&s, &s.a, 3, 3 + i % 3, false);
        fill(&s, &s.b, 2 + i % 2, 4, false);
        fill(&s, &s.c, 4, 1, false);
        fill(&s, &s.z, 1, i % 4 == 0 ? 1 : 3, false);
        assert_int_equal(gfp_bipoly_mul(&s.c, &s.c, &s.z, NULL), GFP_OK);
        assert_int_equal(gfp_bipoly_mul(&s.x, &s.a, &s.c, NULL), GFP_OK);
        assert_int_equal(gfp_bipoly_mul(&s.y, i % 3 == 0 ? &s.c : &s.b, &s.c, NULL), GFP_OK);
        const gfp_options options = {.verify = kinds[i % 3]};
        assert_int_equal(gfp_bipoly_gcd(&s.z, &s.x, &s.y, &options), GFP_OK);
        expect_gcd(&s, &s.z, i);
        clear_bivariate(&s);
    }
}

/* Every third pair of linear polynomials times a fixed one over a tiny field: too few points for
 * most, and many unlucky ones. */
static void pairs_over_a_tiny_field(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("2^2+1")->field;
    bivariate s;
    make_bivariate(&s, field, 1);
    for (size_t i = 0; i < 5 * 5 * 5 * 5 * 5; i += SANITIZED ? 31 : 3) {
        size_t digits = i;
        gfp_bipoly *const list[] = {&s.a, &s.b};
        for (size_t j = 0; j < 2; j++) {
            gfp_bipoly_zero(list[j]);
            for (size_t t = 0; t < 2; t++) {
                gfp_poly_zero(&s.f);
                assert_int_equal(gfp_poly_set_coeff_u64(&s.f, 0, digits % 5), GFP_OK);
                assert_int_equal(gfp_poly_set_coeff_u64(&s.f, 1, j == t), GFP_OK);
                digits /= 5;
                assert_int_equal(gfp_bipoly_set_coeff(list[j], t, &s.f), GFP_OK);
            }
        }
        gfp_bipoly_zero(&s.c); /* Y + X + c */
        gfp_poly_zero(&s.f);
        assert_int_equal(gfp_poly_set_coeff_u64(&s.f, 0, digits % 5), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff_u64(&s.f, 1, 1), GFP_OK);
        assert_int_equal(gfp_bipoly_set_coeff(&s.c, 0, &s.f), GFP_OK);
        assert_int_equal(gfp_poly_one(&s.f), GFP_OK);
        assert_int_equal(gfp_bipoly_set_coeff(&s.c, 1, &s.f), GFP_OK);
        assert_int_equal(gfp_bipoly_mul(&s.x, &s.a, &s.c, NULL), GFP_OK);
        assert_int_equal(gfp_bipoly_mul(&s.y, &s.b, &s.c, NULL), GFP_OK);
        assert_int_equal(gfp_bipoly_gcd(&s.z, &s.x, &s.y, NULL), GFP_OK);
        expect_gcd(&s, &s.z, i);
        const gfp_options classical = {.method = "classical"};
        assert_int_equal(gfp_bipoly_gcd(&s.a, &s.x, &s.y, &classical), GFP_OK);
        expect_same_bipoly(&s.z, &s.a, "gcd over a tiny field", i, 0);
        assert_int_equal(gfp_bipoly_resultant_y(&s.f, &s.x, &s.b, NULL), GFP_OK);
        assert_int_equal(gfp_bipoly_resultant_y(&s.g, &s.x, &s.b, &classical), GFP_OK);
        expect_same(&s.f, &s.g, "resultant over a tiny field", i, 0);
    }
    clear_bivariate(&s);
}

static void gcds_of_high_degree(void **state)
{
    (void)state;
    bivariate s;
    make_bivariate(&s, lab_named("p32")->field, 5);
    fill(&s, &s.a, 64, 70, false);
    fill(&s, &s.b, 3, 2, false);
    fill(&s, &s.c, 2, 3, false);
    assert_int_equal(gfp_bipoly_mul(&s.x, &s.a, &s.c, NULL), GFP_OK);
    assert_int_equal(gfp_bipoly_mul(&s.y, &s.b, &s.c, NULL), GFP_OK);
    assert_int_equal(gfp_bipoly_gcd(&s.z, &s.x, &s.y, &(gfp_options){.verify = GFP_VERIFY_POINT}),
                     GFP_OK);
    expect_gcd(&s, &s.z, 0);
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

/* Product, gcd, and the resultant as a polynomial of degree 0 in Y. */
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
    assert_true(fmpz_mod_mpoly_gcd(expected, a, b, ctx));
    assert_int_equal(gfp_bipoly_gcd(&s->z, &s->a, &s->b, NULL), GFP_OK);
    to_flint(z, &s->z, ctx);
    if (!fmpz_mod_mpoly_equal(z, expected, ctx)) {
        fail_msg("%s: FLINT's gcd of shape %zu", gfp_field_name(s->field), i);
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
            fill_multiples(&s, i);
            gfp_bipoly_swap(&s.a, &s.x);
            gfp_bipoly_swap(&s.b, &s.y);
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
        cmocka_unit_test(gcds_are_those_without_points),
        cmocka_unit_test(gcds_with_zero),
        cmocka_unit_test(gcds_of_contents),
        cmocka_unit_test(pairs_over_a_tiny_field),
        cmocka_unit_test(gcds_of_high_degree),
#if GFP_HAVE_FLINT
        cmocka_unit_test(as_flint_has_them),
#endif
    };
    return cmocka_run_group_tests(tests, lab_setup_toolkit, lab_teardown);
}
