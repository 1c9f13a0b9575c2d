/* divrem.c: quotients and remainders: a = q b + r, as the quadratic algorithm ("classical")
 * and FLINT have them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/division/lab.h"

#include "lab/rows.h"
#include "lab/sanitized.h"
#if GFP_HAVE_FLINT
#include "gfpoly/flint.h"
#endif

/* Lengths around the thresholds of the algorithms. */
static const size_t lengths[] = {0,  1,  2,  3,  4,  5,  8,  9,  10, 11, 12,  13,
                                 16, 17, 18, 24, 31, 33, 36, 48, 65, 70, 129, 200};
#define LENGTHS (sizeof lengths / sizeof lengths[0])

static size_t divrem_longest(unsigned k)
{
    return SANITIZED ? 33 : k <= 4 ? 200 : k <= 8 ? 70 : k <= 32 ? 36 : 18;
}

/* ---- the identity ---- */

typedef struct pair {
    gfp_poly a, b, q, r, x, y;
} pair;

static void divrem_make(pair *s, const gfp_field *field)
{
    gfp_poly *const all[] = {&s->a, &s->b, &s->q, &s->r, &s->x, &s->y};
    for (size_t i = 0; i < 6; i++) {
        gfp_poly_init(all[i], field);
    }
}

static void divrem_clear(pair *s)
{
    gfp_poly *const all[] = {&s->a, &s->b, &s->q, &s->r, &s->x, &s->y};
    for (size_t i = 0; i < 6; i++) {
        gfp_poly_clear(all[i]);
    }
}

/* Divides a by b != 0 in all ways. */
static void divrem_check(pair *s, const gfp_options *options)
{
    const size_t n = s->a.len, m = s->b.len;
    assert_int_equal(gfp_poly_divrem(&s->q, &s->r, &s->a, &s->b, options), GFP_OK);
    assert_int_equal(gfp_poly_mul(&s->x, &s->q, &s->b, NULL), GFP_OK);
    assert_int_equal(gfp_poly_add(&s->x, &s->x, &s->r), GFP_OK);
    expect_same(&s->x, &s->a, "q b + r", n, m);
    assert_true(s->r.len < m);
    assert_true(s->q.len == (n < m ? 0 : n - m + 1));
    assert_int_equal(gfp_poly_div(&s->x, &s->a, &s->b, options), GFP_OK);
    expect_same(&s->x, &s->q, "quotient", n, m);
    assert_int_equal(gfp_poly_rem(&s->x, &s->a, &s->b, options), GFP_OK);
    expect_same(&s->x, &s->r, "remainder", n, m);
}

/* What b divides, and what it does not. */
static void check_exact(pair *s, const gfp_options *options)
{
    bool yes = false;
    const size_t n = s->a.len, m = s->b.len;
    assert_int_equal(gfp_poly_mul(&s->x, &s->a, &s->b, NULL), GFP_OK);
    assert_int_equal(gfp_poly_divexact(&s->q, &s->x, &s->b, options), GFP_OK);
    expect_same(&s->q, &s->a, "exact quotient", n, m);
    gfp_poly_zero(&s->q);
    assert_int_equal(gfp_poly_divides(&yes, &s->q, &s->x, &s->b, options), GFP_OK);
    assert_true(yes);
    expect_same(&s->q, &s->a, "quotient of what divides", n, m);
    if (m > 1) {
        gfp_poly_zero(&s->y);
        assert_int_equal(gfp_poly_set_coeff_u64(&s->y, (n + m) % (m - 1), 1), GFP_OK);
        assert_int_equal(gfp_poly_add(&s->x, &s->x, &s->y), GFP_OK);
        assert_int_equal(gfp_poly_divides(&yes, &s->q, &s->x, &s->b, options), GFP_OK);
        assert_false(yes);
        assert_int_equal(gfp_poly_divexact(&s->q, &s->x, &s->b, options), GFP_ERR_ARGUMENT);
        expect_same(&s->q, &s->a, "the output of a refused quotient", n, m);
        assert_int_equal(gfp_poly_divides(&yes, NULL, &s->x, &s->b, options), GFP_OK);
        assert_false(yes);
    }
}

static void every_field(void **state)
{
    static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        gfp_random g;
        pair s;
        gfp_random_seed(&g, f);
        divrem_make(&s, l->field);
        for (size_t i = 0; i < LENGTHS * LENGTHS; i++) {
            const size_t n = lengths[i / LENGTHS], m = lengths[i % LENGTHS];
            if (n > divrem_longest(l->k) || m > divrem_longest(l->k) || m == 0 ||
                (i + f) % 3 == 0) {
                continue;
            }
            random_poly(&s.a, n, &g);
            random_poly(&s.b, m, &g);
            const gfp_options options = {.verify = kinds[(i + f) / 3 % 3]};
            const gfp_options classical = {.verify = kinds[(i + f) / 3 % 3], .method = "classical"};
            divrem_check(&s, &options);
            if (i % 4 == 0) {
                check_exact(&s, &options);
            }
            if (i % 5 == 0) {
                divrem_check(&s, &classical);
            }
        }
        divrem_clear(&s);
    }
}

static void long_ones(void **state)
{
    static const size_t some[][2] = {{600, 300},  {601, 300},   {1025, 513}, {1024, 512},
                                     {2000, 100}, {3000, 20},   {900, 870},  {1500, 700},
                                     {1000, 11},  {2500, 1000}, {513, 257},  {1000, 999}};
    (void)state;
    const gfp_field *field = lab_named("p4")->field;
    gfp_random g;
    pair s;
    gfp_random_seed(&g, 1);
    divrem_make(&s, field);
    for (size_t i = 0; LAB_ROW(some, i); i++) {
        const gfp_options options = {.verify = GFP_VERIFY_POINT, .threads = 1 + i % 2};
        random_poly(&s.a, some[i][0], &g);
        random_poly(&s.b, some[i][1], &g);
        divrem_check(&s, &options);
        check_exact(&s, &options);
    }
    divrem_clear(&s);
}

/* a := the polynomial over the field of p elements with these digits in base p. */
static void divrem_decode(gfp_poly *a, uint64_t code, uint64_t p)
{
    gfp_poly_zero(a);
    for (size_t i = 0; code > 0; i++, code /= p) {
        assert_int_equal(gfp_poly_set_coeff_u64(a, i, code % p), GFP_OK);
    }
}

/* Every polynomial of 4 coefficients over the field of 5 elements by every one of 3. */
static void tiny_fields_exhaustively(void **state)
{
    (void)state;
    pair s;
    divrem_make(&s, lab_named("2^2+1")->field);
    for (uint64_t a = 0; a < 5 * 5 * 5 * 5; a++) {
        divrem_decode(&s.a, a, 5);
        for (uint64_t b = 1; b < 5 * 5 * 5; b++) {
            bool yes, expected;
            divrem_decode(&s.b, b, 5);
            divrem_check(&s, NULL);
            expected = s.r.len == 0;
            assert_int_equal(gfp_poly_divides(&yes, &s.y, &s.a, &s.b, NULL), GFP_OK);
            assert_true(yes == expected);
            assert_int_equal(gfp_poly_divexact(&s.y, &s.a, &s.b, NULL),
                             expected ? GFP_OK : GFP_ERR_ARGUMENT);
            if (expected) {
                expect_same(&s.y, &s.q, "exact quotient", a, b);
            }
        }
    }
    divrem_clear(&s);
}

#if GFP_HAVE_FLINT
static void as_flint_has_them(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        gfp_random g;
        pair s;
        fmpz_t p;
        fmpz_mod_ctx_t ctx;
        fmpz_mod_poly_t a, b, q, r;
        gfp_random_seed(&g, f);
        divrem_make(&s, l->field);
        fmpz_init(p);
        fmpz_set_mpz(p, l->o.p);
        fmpz_mod_ctx_init(ctx, p);
        fmpz_mod_poly_init(a, ctx);
        fmpz_mod_poly_init(b, ctx);
        fmpz_mod_poly_init(q, ctx);
        fmpz_mod_poly_init(r, ctx);
        for (size_t n = 1; n <= divrem_longest(l->k); n = 2 * n + 1) {
            random_poly(&s.a, 2 * n + n % 3, &g);
            random_poly(&s.b, n, &g);
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(a, &s.a, ctx), GFP_OK);
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(b, &s.b, ctx), GFP_OK);
            fmpz_mod_poly_divrem(q, r, a, b, ctx);
            assert_int_equal(gfp_poly_divrem(&s.q, &s.r, &s.a, &s.b, NULL), GFP_OK);
            assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s.x, q, ctx), GFP_OK);
            expect_same(&s.q, &s.x, "FLINT's quotient", n, n);
            assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s.x, r, ctx), GFP_OK);
            expect_same(&s.r, &s.x, "FLINT's remainder", n, n);
        }
        fmpz_mod_poly_clear(a, ctx);
        fmpz_mod_poly_clear(b, ctx);
        fmpz_mod_poly_clear(q, ctx);
        fmpz_mod_poly_clear(r, ctx);
        fmpz_mod_ctx_clear(ctx);
        fmpz_clear(p);
        divrem_clear(&s);
    }
    flint_cleanup();
}
#endif

/* ---- arguments ---- */

static void division_by_zero(void **state)
{
    (void)state;
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    bool yes = true;
    parts s;
    make_parts(&s, lab_named("p8")->field, 20, 1);
    assert_int_equal(gfp_poly_one(&s.z), GFP_OK);
    assert_int_equal(gfp_poly_one(&s.y), GFP_OK);
    gfp_poly_zero(&s.b);
    lab_expect_status(gfp_poly_divrem(&s.z, &s.y, &s.a, &s.b, &options), GFP_ERR_NOT_INVERTIBLE,
                      &error, "divrem");
    lab_expect_status(gfp_poly_div(&s.z, &s.a, &s.b, &options), GFP_ERR_NOT_INVERTIBLE, &error,
                      "div");
    lab_expect_status(gfp_poly_rem(&s.z, &s.a, &s.b, &options), GFP_ERR_NOT_INVERTIBLE, &error,
                      "rem");
    lab_expect_status(gfp_poly_divexact(&s.z, &s.a, &s.b, &options), GFP_ERR_NOT_INVERTIBLE, &error,
                      "divexact");
    assert_true(gfp_poly_is_one(&s.z) && gfp_poly_is_one(&s.y));
    assert_int_equal(gfp_poly_divides(&yes, &s.z, &s.a, &s.b, &options), GFP_OK);
    assert_false(yes);
    assert_true(gfp_poly_is_one(&s.z));
    gfp_poly_zero(&s.a);
    assert_int_equal(gfp_poly_divides(&yes, &s.z, &s.a, &s.b, &options), GFP_OK);
    assert_true(yes && gfp_poly_is_zero(&s.z));
    clear_parts(&s);
}

static void bad_arguments(void **state)
{
    (void)state;
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    const gfp_options unknown = {.error = &error, .method = "none"};
    bool yes;
    parts s, other;
    make_parts(&s, lab_named("p8")->field, 20, 1);
    make_parts(&other, lab_named("p4")->field, 20, 1);
#define EXPECT(call, status) lab_expect_status(call, status, &error, #call)
    EXPECT(gfp_poly_divrem(&s.z, &s.z, &s.a, &s.f, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_divrem(NULL, &s.z, &s.a, &s.f, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_divrem(&s.z, NULL, &s.a, &s.f, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_divrem(&s.z, &s.y, NULL, &s.f, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_divrem(&s.z, &s.y, &s.a, NULL, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_div(NULL, &s.a, &s.f, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_rem(NULL, &s.a, &s.f, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_divexact(NULL, &s.a, &s.f, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_divides(NULL, &s.z, &s.a, &s.f, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_divides(&yes, &s.z, NULL, &s.f, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_divrem(&s.z, &s.y, &other.twice, &s.f, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_divrem(&s.z, &other.y, &s.twice, &s.f, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_rem(&other.z, &s.twice, &s.f, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_divides(&yes, NULL, &s.twice, &other.f, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_divrem(&s.z, &s.y, &s.twice, &s.f, &unknown), GFP_ERR_UNKNOWN);
#undef EXPECT
    assert_true(s.z.len == 0 && s.y.len == 0);
    clear_parts(&s);
    clear_parts(&other);
}

/* The quotient and the remainder in the place of either input. */
static void outputs_may_be_inputs(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    for (size_t n = 1; n < 80; n += 13) {
        for (size_t i = 0; i < 4; i++) {
            parts s;
            pair c;
            make_parts(&s, field, n, n);
            divrem_make(&c, field);
            const gfp_poly *dividend = i % 2 == 0 ? &s.twice : &s.several;
            assert_int_equal(gfp_poly_set(&c.a, dividend), GFP_OK);
            assert_int_equal(gfp_poly_set(&c.b, &s.f), GFP_OK);
            assert_int_equal(gfp_poly_divrem(&c.q, &c.r, &c.a, &c.b, NULL), GFP_OK);
            gfp_poly *q = i < 2 ? &c.a : &c.b, *r = i < 2 ? &c.b : &c.a;
            assert_int_equal(gfp_poly_divrem(q, r, &c.a, &c.b, NULL), GFP_OK);
            expect_same(q, &c.q, "quotient in place", n, i);
            expect_same(r, &c.r, "remainder in place", n, i);
            assert_int_equal(gfp_poly_div(&c.q, &s.f, &s.f, NULL), GFP_OK);
            assert_true(gfp_poly_is_one(&c.q));
            assert_int_equal(gfp_poly_set(&c.a, &s.f), GFP_OK);
            assert_int_equal(gfp_poly_divrem(&c.a, &c.b, &c.a, &c.a, NULL), GFP_OK);
            assert_true(gfp_poly_is_one(&c.a) && gfp_poly_is_zero(&c.b));
            divrem_clear(&c);
            clear_parts(&s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field),
        cmocka_unit_test(long_ones),
        cmocka_unit_test(tiny_fields_exhaustively),
#if GFP_HAVE_FLINT
        cmocka_unit_test(as_flint_has_them),
#endif
        cmocka_unit_test(division_by_zero),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(outputs_may_be_inputs),
    };
    return cmocka_run_group_tests(tests, lab_setup_toolkit, lab_teardown);
}
