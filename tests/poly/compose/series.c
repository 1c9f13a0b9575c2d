/* series.c: composition of polynomials and of series, and reversion: as Horner's rule
 * and FLINT have them; g(z) = X for reversions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/compose/lab.h"

#include <string.h>

#include "lab/sanitized.h"
#if GFP_HAVE_FLINT
#include "gfpoly/flint.h"
#endif

static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};

/* ---- polynomials ---- */

static void series_polynomials(void **state)
{
    static const size_t lengths[] = {0, 1, 2, 3, 5, 16, 17, 33, 50, 70};
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        const size_t most = SANITIZED ? 60 : l->k <= 4 ? 600 : l->k <= 16 ? 150 : 40;
        gfp_random g;
        parts s;
        gfp_random_seed(&g, f);
        make_parts(&s, l->field, 1, f);
        for (size_t i = 0; i < 100; i++) {
            const size_t m = lengths[i / 10], n = lengths[i % 10];
            const gfp_options options = {.verify = kinds[(f + i) % 3],
                                         .method = i % 7 == 3 ? "classical" : NULL};
            if (m * n > most) {
                continue;
            }
            random_poly(&s.a, m, &g);
            random_poly(&s.b, n, &g);
            slow_compose(&s.y, &s.a, &s.b, NULL);
            assert_int_equal(gfp_poly_compose(&s.z, &s.a, &s.b, &options), GFP_OK);
            expect_same(&s.z, &s.y, "composition", m, n);
            assert_int_equal(gfp_poly_set(&s.z, &s.a), GFP_OK);
            assert_int_equal(gfp_poly_compose(&s.z, &s.z, &s.b, &options), GFP_OK);
            expect_same(&s.z, &s.y, "composition in place of f", m, n);
            assert_int_equal(gfp_poly_compose(&s.b, &s.a, &s.b, &options), GFP_OK);
            expect_same(&s.b, &s.y, "composition in place of g", m, n);
        }
        clear_parts(&s);
    }
}

/* ---- series ---- */

static const size_t lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 47, 48, 49, 64, 65, 100, 130};
#define LENGTHS (sizeof lengths / sizeof lengths[0])

static size_t series_longest(unsigned k)
{
    return SANITIZED ? 16 : k <= 4 ? 130 : k <= 8 ? 100 : k <= 16 ? 49 : k <= 64 ? 16 : 5;
}

/* x := f(g) modulo X^n. */
static void slow_series(gfp_poly *x, const gfp_poly *f, const gfp_poly *g, size_t n)
{
    gfp_poly power;
    gfp_poly_init(&power, f->field);
    assert_int_equal(gfp_poly_set_coeff_u64(&power, n, 1), GFP_OK);
    slow_compose(x, f, g, &power);
    gfp_poly_clear(&power);
}

static void without_constant_term(gfp_poly *g)
{
    uint64_t zero[GFP_MAX_K];
    gfp_elem_zero(g->field, zero);
    assert_int_equal(gfp_poly_set_coeff(g, 0, zero), GFP_OK);
}

static void compose_series(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        gfp_random g;
        parts s;
        gfp_random_seed(&g, f);
        make_parts(&s, l->field, 1, f);
        for (size_t i = 0; i < LENGTHS * 4 && lengths[i / 4] <= series_longest(l->k); i++) {
            const size_t n = lengths[i / 4];
            const size_t len_f = i % 4 == 0 ? n : i % 4 == 1 ? n / 3 : i % 4 == 2 ? 2 * n + 1 : 8;
            const size_t len_g = i % 4 == 1 ? n + 9 : i % 4 == 3 ? n / 2 : n;
            const gfp_options options = {.verify = kinds[(f + i) % 3],
                                         .threads = (unsigned)(1 + i % 2),
                                         .method = i % 11 == 7 ? "classical" : NULL};
            random_poly(&s.a, len_f, &g);
            random_poly(&s.b, len_g, &g);
            without_constant_term(&s.b);
            slow_series(&s.y, &s.a, &s.b, n);
            assert_int_equal(gfp_poly_compose_series(&s.z, &s.a, &s.b, n, &options), GFP_OK);
            expect_same(&s.z, &s.y, "composition of series", n, i);
            assert_int_equal(gfp_poly_compose_series(&s.a, &s.a, &s.b, n, &options), GFP_OK);
            expect_same(&s.a, &s.y, "composition in place", n, i);
        }
        clear_parts(&s);
    }
}

static void series_reversions(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        gfp_random g;
        parts s;
        gfp_random_seed(&g, f);
        make_parts(&s, l->field, 1, f);
        for (size_t i = 0; i < LENGTHS && lengths[i] <= series_longest(l->k); i++) {
            const size_t n = lengths[i];
            const gfp_options options = {.verify = kinds[(f + i) % 3],
                                         .method = i % 5 == 3 ? "classical" : NULL};
            random_poly(&s.b, i % 3 == 0 ? 2 : n + i % 3, &g);
            without_constant_term(&s.b);
            assert_int_equal(gfp_poly_set_coeff_u64(&s.b, 1, 2 + i), GFP_OK);
            if (gfp_field_limbs(l->field) == 1 &&
                (2 + i) % gfp_field_modulus_limbs(l->field)[0] == 0) {
                assert_int_equal(gfp_poly_set_coeff_u64(&s.b, 1, 1), GFP_OK);
            }
            assert_int_equal(gfp_poly_revert_series(&s.z, &s.b, n, &options), GFP_OK);
            slow_series(&s.y, &s.b, &s.z, n);
            gfp_poly_zero(&s.x);
            assert_int_equal(gfp_poly_set_coeff_u64(&s.x, 1, 1), GFP_OK);
            assert_int_equal(gfp_poly_truncate(&s.x, &s.x, n), GFP_OK);
            expect_same(&s.y, &s.x, "g at its reversion", n, i);
            assert_int_equal(gfp_poly_revert_series(&s.b, &s.b, n, &options), GFP_OK);
            expect_same(&s.b, &s.z, "reversion in place", n, i);
        }
        clear_parts(&s);
    }
}

#if GFP_HAVE_FLINT
static void as_flint_has_them(void **state)
{
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        const lab *l = &lab_fields[i];
        fmpz_t p;
        fmpz_mod_ctx_t ctx;
        fmpz_mod_poly_t f, g, z;
        fmpz_init(p);
        fmpz_set_mpz(p, l->o.p);
        fmpz_mod_ctx_init(ctx, p);
        fmpz_mod_poly_init(f, ctx);
        fmpz_mod_poly_init(g, ctx);
        fmpz_mod_poly_init(z, ctx);
        for (size_t n = 5; n <= 40 && n * l->k <= 400; n += 7) {
            parts s;
            make_parts(&s, l->field, n, n);
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(f, &s.a, ctx), GFP_OK);
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(g, &s.b, ctx), GFP_OK);
            fmpz_mod_poly_compose(z, f, g, ctx);
            assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s.y, z, ctx), GFP_OK);
            assert_int_equal(gfp_poly_compose(&s.z, &s.a, &s.b, NULL), GFP_OK);
            expect_same(&s.z, &s.y, "FLINT's composition", n, i);
            without_constant_term(&s.b);
            assert_int_equal(gfp_poly_compose(&s.y, &s.a, &s.b, NULL), GFP_OK);
            assert_int_equal(gfp_poly_truncate(&s.y, &s.y, n), GFP_OK);
            assert_int_equal(gfp_poly_compose_series(&s.z, &s.a, &s.b, n, NULL), GFP_OK);
            expect_same(&s.z, &s.y, "composition cut off", n, i);
            clear_parts(&s);
        }
        fmpz_mod_poly_clear(f, ctx);
        fmpz_mod_poly_clear(g, ctx);
        fmpz_mod_poly_clear(z, ctx);
        fmpz_mod_ctx_clear(ctx);
        fmpz_clear(p);
    }
    flint_cleanup();
}
#endif

static void bad_arguments(void **state)
{
    (void)state;
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    const gfp_options unknown = {.error = &error, .method = "none"};
    parts s, other;
    make_parts(&s, lab_named("p8")->field, 20, 1);
    make_parts(&other, lab_named("p4")->field, 20, 1);
    assert_int_equal(gfp_poly_set_coeff_u64(&s.b, 0, 3), GFP_OK);
#define EXPECT(call, status) lab_expect_status(call, status, &error, #call)
    EXPECT(gfp_poly_compose(NULL, &s.a, &s.b, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_compose(&s.z, NULL, &s.b, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_compose(&s.z, &s.a, NULL, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_compose(&s.z, &s.a, &s.b, &unknown), GFP_ERR_UNKNOWN);
    EXPECT(gfp_poly_compose(&s.z, &s.a, &other.b, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_compose_series(&s.z, &s.a, &s.b, 10, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(error.index, 0);
    EXPECT(gfp_poly_compose_series(&s.z, &s.a, &other.b, 10, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_revert_series(&s.z, &s.b, 10, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_revert_series(NULL, &s.b, 10, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_revert_series(&s.z, &s.b, SIZE_MAX, &options), GFP_ERR_SIZE);
    gfp_poly_zero(&s.b);
    EXPECT(gfp_poly_revert_series(&s.z, &s.b, 10, &options), GFP_ERR_NOT_INVERTIBLE);
    assert_int_equal(gfp_poly_set_coeff_u64(&s.b, 2, 1), GFP_OK);
    EXPECT(gfp_poly_revert_series(&s.z, &s.b, 10, &options), GFP_ERR_NOT_INVERTIBLE);
    assert_int_equal(error.index, 1);
#undef EXPECT
    assert_true(s.z.len == 0);
    assert_int_equal(gfp_poly_revert_series(&s.z, &s.b, 1, &options), GFP_OK);
    assert_true(s.z.len == 0);
    clear_parts(&s);
    clear_parts(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(series_polynomials),
        cmocka_unit_test(compose_series),
        cmocka_unit_test(series_reversions),
#if GFP_HAVE_FLINT
        cmocka_unit_test(as_flint_has_them),
#endif
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, lab_setup_toolkit, lab_teardown);
}
