/* gcd.c: greatest common divisors, cofactors, half-gcds: identities, the quadratic algorithm
 * ("classical"), and FLINT.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/euclid/lab.h"

#include <string.h>

#include "lab/meter.h"
#include "lab/rows.h"
#include "lab/sanitized.h"
#if GFP_HAVE_FLINT
#include "gfpoly/flint.h"
#endif

static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};

static size_t gcd_longest(unsigned k)
{
    return SANITIZED ? 70 : k <= 4 ? 300 : k <= 8 ? 150 : k <= 32 ? 70 : 30;
}

/* ---- the identities ---- */

static void expect_divides(const gfp_poly *g, const gfp_poly *a, size_t n)
{
    bool yes = false;
    assert_int_equal(gfp_poly_divides(&yes, NULL, a, g, NULL), GFP_OK);
    if (!yes) {
        fail_msg("%s: the common divisor does not divide, %zu", gfp_field_name(a->field), n);
    }
}

/* z := u a + v b. */
static void gcd_combine(euclid *s, const gfp_poly *u, const gfp_poly *v)
{
    assert_int_equal(gfp_poly_mul(&s->x, u, &s->a, NULL), GFP_OK);
    assert_int_equal(gfp_poly_mul(&s->z, v, &s->b, NULL), GFP_OK);
    assert_int_equal(gfp_poly_add(&s->z, &s->z, &s->x), GFP_OK);
}

static bool is_monic(const gfp_poly *a)
{
    uint64_t x[GFP_MAX_K];
    gfp_poly_get_coeff(x, a, a->len - 1);
    return gfp_elem_is_one(a->field, x);
}

/* The degrees of cofactors, where neither operand divides the other. */
static void expect_degrees(const euclid *s)
{
    const size_t n = s->a.len, m = s->b.len, d = s->g.len;
    if (n == 0 || m == 0) {
        return;
    }
    if (d < n && d < m) {
        assert_true(s->u.len <= m - d && s->v.len <= n - d);
    } else if (d == m && n >= m) {
        assert_true(s->u.len == 0 && s->v.len == 1);
    } else {
        assert_true(s->v.len == 0 && s->u.len == 1);
    }
}

/* Cofactors and divisor of a and b. */
static void gcd_check(euclid *s, const gfp_options *options)
{
    const size_t n = s->a.len, m = s->b.len;
    assert_int_equal(gfp_poly_xgcd(&s->g, &s->u, &s->v, &s->a, &s->b, options), GFP_OK);
    if (n == 0 && m == 0) {
        assert_true(s->g.len == 0 && s->u.len == 0 && s->v.len == 0);
    } else {
        assert_true(s->g.len > 0 && is_monic(&s->g));
        expect_divides(&s->g, &s->a, n);
        expect_divides(&s->g, &s->b, m);
    }
    gcd_combine(s, &s->u, &s->v);
    expect_same(&s->z, &s->g, "u a + v b", n, m);
    expect_degrees(s);
    assert_int_equal(gfp_poly_gcd(&s->z, &s->a, &s->b, options), GFP_OK);
    expect_same(&s->z, &s->g, "gcd", n, m);
}

/* As the other method has it. */
static void gcd_compare(euclid *s, const gfp_options *options)
{
    uint64_t r[GFP_MAX_K], e[GFP_MAX_K];
    const gfp_field *field = s->a.field;
    const gfp_options classical = {.method = "classical"};
    const size_t n = s->a.len, m = s->b.len;
    gcd_check(s, options);
    assert_int_equal(gfp_poly_xgcd(&s->x, &s->y, &s->z, &s->a, &s->b, &classical), GFP_OK);
    expect_same(&s->g, &s->x, "classical gcd", n, m);
    expect_same(&s->u, &s->y, "classical u", n, m);
    expect_same(&s->v, &s->z, "classical v", n, m);
    assert_int_equal(gfp_poly_resultant(r, &s->a, &s->b, options), GFP_OK);
    assert_int_equal(gfp_poly_resultant(e, &s->a, &s->b, &classical), GFP_OK);
    assert_true(gfp_elem_equal(field, r, e));
    if (n > 0 && m > 0) {
        assert_true(gfp_elem_is_zero(field, r) == (s->g.len > 1));
    }
    assert_int_equal(gfp_poly_resultant(e, &s->b, &s->a, options), GFP_OK);
    if (n % 2 == 0 && m % 2 == 0) {
        gfp_elem_neg(field, e, e);
    }
    assert_true(gfp_elem_equal(field, r, e));
}

static void every_field(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        gfp_random g;
        euclid s;
        gfp_random_seed(&g, f);
        make_euclid(&s, l->field);
        for (size_t i = 0; i < (l->k <= 16 ? 24 : 6); i++) {
            const gfp_options options = {.verify = kinds[i % 3], .threads = 1 + i % 2};
            const size_t n = 1 + gfp_random_below(&g, gcd_longest(l->k));
            make_pair(&s, n, i % 4 == 0 ? gfp_random_below(&g, n) : 0, 1 + n / 3, &g);
            if (i % 5 == 4) {
                gfp_poly_swap(&s.a, &s.b);
            }
            gcd_check(&s, &options);
            if (i % 3 == 0) {
                gcd_compare(&s, &options);
            }
        }
        clear_euclid(&s);
    }
}

/* Zero, constants, equal operands, multiples. */
static void degenerate_operands(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p4")->field;
    for (size_t n = 0; n < 130; n = 2 * n + 1) {
        for (size_t i = 0; i < 8; i++) {
            const gfp_options options = {.verify = kinds[i % 3]};
            gfp_random g;
            euclid s;
            gfp_random_seed(&g, n + i);
            make_euclid(&s, field);
            random_poly(&s.a, n, &g);
            if (i == 1) {
                random_poly(&s.b, 1, &g);
            } else if (i == 2) {
                assert_int_equal(gfp_poly_set(&s.b, &s.a), GFP_OK);
            } else if (i == 3) {
                random_poly(&s.b, n, &g);
            } else if (i > 3) {
                random_poly(&s.x, i == 4 ? 1 : i == 5 ? 2 : n + 1, &g);
                assert_int_equal(gfp_poly_mul(&s.b, &s.a, &s.x, NULL), GFP_OK);
            }
            gcd_compare(&s, &options);
            gfp_poly_swap(&s.a, &s.b);
            gcd_compare(&s, &options);
            clear_euclid(&s);
        }
    }
}

/* Fibonacci's polynomials: all quotients are X. And all quotients of one degree. */
static void equal_quotients(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p2")->field;
    for (size_t degree = 1; degree < 60; degree = 2 * degree + 1) {
        euclid s;
        make_euclid(&s, field);
        assert_int_equal(gfp_poly_one(&s.a), GFP_OK);
        while (s.a.len < 400) {
            assert_int_equal(gfp_poly_shift_left(&s.x, &s.a, degree), GFP_OK);
            assert_int_equal(gfp_poly_add(&s.b, &s.b, &s.x), GFP_OK);
            gfp_poly_swap(&s.a, &s.b);
        }
        gcd_compare(&s, &(gfp_options){.verify = GFP_VERIFY_POINT});
        assert_true(gfp_poly_is_one(&s.g));
        clear_euclid(&s);
    }
}

/* Common factors of all degrees, and jumps of all degrees. */
static void long_pairs(void **state)
{
    (void)state;
    const size_t n = SANITIZED ? 200 : 700;
    const gfp_field *field = lab_named("p2")->field;
    for (size_t i = 0; i < 60; i++) {
        gfp_random g;
        euclid s;
        gfp_random_seed(&g, i);
        make_euclid(&s, field);
        const gfp_options options = {.verify = kinds[i % 2]};
        make_pair(&s, n, i % 2 == 0 ? i * n / 60 : 0, i % 3 == 0 ? 1 : 1 + i * n / 60, &g);
        gcd_compare(&s, &options);
        clear_euclid(&s);
    }
}

/* ---- tiny fields ---- */

/* a := the polynomial over the field of p elements with these digits in base p. */
static void gcd_decode(gfp_poly *a, uint64_t code, uint64_t p)
{
    gfp_poly_zero(a);
    for (size_t i = 0; code > 0; i++, code /= p) {
        assert_int_equal(gfp_poly_set_coeff_u64(a, i, code % p), GFP_OK);
    }
}

/* ---- subresultants by determinants ---- */

#define MOST_ROWS 24

/* z := the determinant of n rows of n elements, which change. */
static void gcd_determinant(const gfp_field *field, uint64_t *z, uint64_t *m, size_t n)
{
    const size_t k = gfp_field_k(field);
    uint64_t t[GFP_MAX_K], swap[MOST_ROWS * GFP_MAX_K];
    gfp_elem_one(field, z);
    for (size_t c = 0; c < n; c++) {
        uint64_t *const top = m + c * n * k;
        size_t pivot = c;
        while (pivot < n && gfp_elem_is_zero(field, m + (pivot * n + c) * k)) {
            pivot++;
        }
        if (pivot == n) {
            gfp_elem_zero(field, z);
            return;
        }
        if (pivot != c) {
            gfp_vec_set(field, swap, top, n);
            gfp_vec_set(field, top, m + pivot * n * k, n);
            gfp_vec_set(field, m + pivot * n * k, swap, n);
            gfp_elem_neg(field, z, z);
        }
        gfp_elem_mul(field, z, z, top + c * k);
        assert_int_equal(gfp_elem_inv(field, swap, top + c * k), GFP_OK);
        for (size_t i = c + 1; i < n; i++) {
            gfp_elem_mul(field, t, m + (i * n + c) * k, swap);
            gfp_vec_scalar_submul(field, m + (i * n + c) * k, top + c * k, t, n - c);
        }
    }
}

/* z := the coefficient of X^i of the subresultant S_j, by its definition. */
static void coefficient_of(uint64_t *z, const gfp_poly *a, const gfp_poly *b, size_t j, size_t i)
{
    const gfp_field *field = a->field;
    const size_t k = gfp_field_k(field), da = a->len - 1, db = b->len - 1, n = da + db - 2 * j;
    static uint64_t m[MOST_ROWS * MOST_ROWS * 8];
    assert_true(n <= MOST_ROWS && k <= 8);
    for (size_t row = 0; row < n; row++) {
        const gfp_poly *x = row < db - j ? a : b;
        const size_t shift = row < db - j ? db - j - 1 - row : n - 1 - row;
        for (size_t column = 0; column < n; column++) {
            const size_t power = column + 1 < n ? da + db - j - 1 - column : i;
            uint64_t *to = m + (row * n + column) * k;
            gfp_elem_zero(field, to);
            if (power >= shift && power - shift < x->len) {
                gfp_elem_set(field, to, x->digits + (power - shift) * k);
            }
        }
    }
    gcd_determinant(field, z, m, n);
}

/* All subresultants of a and b, which are not 0. */
static void check_subresultants(euclid *s, const gfp_options *options)
{
    const gfp_field *field = s->a.field;
    const bool exchanged = s->a.len < s->b.len;
    const size_t n = (exchanged ? s->a.len : s->b.len) - 1;
    const size_t longer = (exchanged ? s->b.len : s->a.len) - 1;
    uint64_t e[GFP_MAX_K], z[GFP_MAX_K];
    for (size_t j = 0; j <= n && j < longer; j++) {
        assert_int_equal(gfp_poly_subresultant(&s->z, &s->a, &s->b, j, options), GFP_OK);
        assert_true(s->z.len <= j + 1);
        for (size_t i = 0; i <= j; i++) {
            coefficient_of(e, &s->a, &s->b, j, i);
            gfp_poly_get_coeff(z, &s->z, i);
            if (!gfp_elem_equal(field, z, e)) {
                fail_msg("%s, degrees %zu and %zu: S_%zu, coefficient %zu", gfp_field_name(field),
                         s->a.len - 1, s->b.len - 1, j, i);
            }
        }
    }
}

static void subresultants_exhaustively(void **state)
{
    (void)state;
    euclid s;
    make_euclid(&s, lab_named("2^2+1")->field);
    for (uint64_t a = 1; a < 5 * 5 * 5; a++) {
        gcd_decode(&s.a, a, 5);
        for (uint64_t b = 1; b < 5 * 5 * 5 * 5; b += SANITIZED ? 7 : 1) {
            gcd_decode(&s.b, b, 5);
            check_subresultants(&s, NULL);
        }
    }
    clear_euclid(&s);
}

/* Quotients and common factors of many degrees, both orders; zeros as coefficients. */
static void subresultants_by_determinants(void **state)
{
    static const char *const names[] = {"2^2+1", "2^4+1", "p2", "p8"};
    (void)state;
    for (size_t f = 0; LAB_ROW(names, f); f++) {
        const gfp_field *field = lab_named(names[f])->field;
        for (size_t i = 0; i < 40; i++) {
            gfp_random g;
            euclid s;
            gfp_random_seed(&g, i);
            make_euclid(&s, field);
            const gfp_options options = {.verify = kinds[i % 3]};
            make_pair(&s, i % 10, i % 4 == 0 ? gfp_random_below(&g, 3) : 0, 1 + i % 5, &g);
            if (i % 5 == 4) { /* a quotient of degree 0 */
                assert_int_equal(gfp_poly_add(&s.b, &s.b, &s.a), GFP_OK);
            }
            if (i % 2 == 1) {
                gfp_poly_swap(&s.a, &s.b);
            }
            if (s.a.len > 0 && s.b.len > 0) {
                check_subresultants(&s, &options);
            }
            clear_euclid(&s);
        }
    }
}

/* By half-gcds: as "classical" has them, the first one as a resultant. */
static void long_subresultants(void **state)
{
    (void)state;
    const size_t n = SANITIZED ? 120 : 300;
    const gfp_field *field = lab_named("p2")->field;
    const gfp_options classical = {.method = "classical"};
    uint64_t r[GFP_MAX_K], e[GFP_MAX_K];
    for (size_t i = 0; i < 8; i++) {
        const gfp_options options = {.verify = kinds[i % 3]};
        gfp_random g;
        euclid s;
        gfp_random_seed(&g, i);
        make_euclid(&s, field);
        make_pair(&s, n, i % 4 == 3 ? n / 5 : 0, i % 3 == 0 ? 1 : 20, &g);
        assert_int_equal(gfp_poly_resultant(r, &s.a, &s.b, &options), GFP_OK);
        assert_int_equal(gfp_poly_subresultant(&s.y, &s.a, &s.b, 0, &options), GFP_OK);
        gfp_poly_get_coeff(e, &s.y, 0);
        assert_true(gfp_elem_equal(field, r, e));
        for (size_t j = 0; j + 1 < s.b.len; j += 1 + gfp_random_below(&g, n / 8)) {
            assert_int_equal(gfp_poly_subresultant(&s.y, &s.a, &s.b, j, &options), GFP_OK);
            assert_int_equal(gfp_poly_subresultant(&s.z, &s.a, &s.b, j, &classical), GFP_OK);
            expect_same(&s.y, &s.z, "subresultant", i, j);
        }
        clear_euclid(&s);
    }
}

/* All pairs of up to 4 and 3 coefficients over the field of 5 elements. */
static void tiny_fields_exhaustively(void **state)
{
    (void)state;
    euclid s;
    const gfp_field *field = lab_named("2^2+1")->field;
    make_euclid(&s, field);
    for (uint64_t a = 0; a < 5 * 5 * 5 * 5; a++) {
        gcd_decode(&s.a, a, 5);
        for (uint64_t b = 0; b < 5 * 5 * 5; b++) {
            uint64_t r[GFP_MAX_K], e[GFP_MAX_K];
            gcd_decode(&s.b, b, 5);
            gcd_check(&s, NULL);
            assert_int_equal(gfp_poly_resultant(r, &s.a, &s.b, NULL), GFP_OK);
            gfp_elem_zero(field, e);
            if (a > 0 && b > 0) {
                coefficient_of(e, &s.a, &s.b, 0, 0);
            }
            assert_true(gfp_elem_equal(field, r, e));
        }
    }
    clear_euclid(&s);
}

/* Long pairs over tiny fields: degrees fall by more than 1 all the time. */
static void tiny_fields_at_length(void **state)
{
    static const char *const names[] = {"2^2+1", "4^2+1", "6^2+1", "2^4+1"};
    (void)state;
    for (size_t f = 0; LAB_ROW(names, f); f++) {
        gfp_field *field = lab_create(names[f]);
        for (size_t i = 0; i < 20; i++) {
            gfp_random g;
            euclid s;
            gfp_random_seed(&g, i);
            make_euclid(&s, field);
            random_poly(&s.a, 100 + 11 * i, &g);
            random_poly(&s.b, 100 + 10 * i, &g);
            gcd_compare(&s, &(gfp_options){.verify = kinds[i % 3]});
            clear_euclid(&s);
        }
        gfp_field_destroy(field);
    }
}

/* ---- FLINT ---- */

#if GFP_HAVE_FLINT
/* What FLINT computes. */
typedef struct oracle_polys {
    fmpz_mod_ctx_t ctx;
    fmpz_mod_poly_t a, b, g, u, v;
} oracle_polys;

static void as_flint(euclid *s, oracle_polys *o)
{
    const gfp_field *field = s->a.field;
    const size_t n = s->a.len, m = s->b.len;
    uint64_t r[GFP_MAX_K], e[GFP_MAX_K];
    fmpz_t value;
    fmpz_init(value);
    assert_int_equal(gfp_poly_get_fmpz_mod_poly(o->a, &s->a, o->ctx), GFP_OK);
    assert_int_equal(gfp_poly_get_fmpz_mod_poly(o->b, &s->b, o->ctx), GFP_OK);
    fmpz_mod_poly_xgcd(o->g, o->u, o->v, o->a, o->b, o->ctx);
    assert_int_equal(gfp_poly_xgcd(&s->g, &s->u, &s->v, &s->a, &s->b, NULL), GFP_OK);
    assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s->x, o->g, o->ctx), GFP_OK);
    expect_same(&s->g, &s->x, "FLINT's gcd", n, m);
    if (n != 1 && m != 1) { /* FLINT 2.9 leaves the cofactor of 0 as it was */
        assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s->x, o->u, o->ctx), GFP_OK);
        expect_same(&s->u, &s->x, "FLINT's first cofactor", n, m);
        assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s->x, o->v, o->ctx), GFP_OK);
        expect_same(&s->v, &s->x, "FLINT's second cofactor", n, m);
    }
    fmpz_mod_poly_resultant(value, o->a, o->b, o->ctx);
    assert_int_equal(gfp_poly_resultant(r, &s->a, &s->b, NULL), GFP_OK);
    assert_int_equal(gfp_elem_set_fmpz(field, e, value), GFP_OK);
    assert_true(gfp_elem_equal(field, r, e));
    fmpz_mod_poly_discriminant(value, o->a, o->ctx);
    assert_int_equal(gfp_poly_discriminant(r, &s->a, NULL), GFP_OK);
    assert_int_equal(gfp_elem_set_fmpz(field, e, value), GFP_OK);
    if (!gfp_elem_equal(field, r, e)) {
        fail_msg("%s: FLINT's discriminant, %zu", gfp_field_name(field), n);
    }
    fmpz_clear(value);
}

static void as_flint_has_them(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        oracle_polys o;
        fmpz_t p;
        gfp_random g;
        euclid s;
        gfp_random_seed(&g, f);
        make_euclid(&s, l->field);
        fmpz_init(p);
        fmpz_set_mpz(p, l->o.p);
        fmpz_mod_ctx_init(o.ctx, p);
        fmpz_mod_poly_struct *const all[] = {o.a, o.b, o.g, o.u, o.v};
        for (size_t i = 0; i < 5; i++) {
            fmpz_mod_poly_init(all[i], o.ctx);
        }
        for (size_t i = 0; i < (l->k <= 8 ? 60 : 20); i++) {
            const size_t n = gfp_random_below(&g, i % 4 == 0 ? gcd_longest(l->k) : 9);
            if (i % 2 == 0) {
                make_pair(&s, n, i % 3 == 0 ? gfp_random_below(&g, n + 1) : 0, 1 + n / 3, &g);
            } else {
                random_poly(&s.a, n, &g);
                random_poly(&s.b, gfp_random_below(&g, 9), &g);
            }
            as_flint(&s, &o);
            gfp_poly_swap(&s.a, &s.b);
            as_flint(&s, &o);
        }
        for (size_t i = 0; i < 5; i++) {
            fmpz_mod_poly_clear(all[i], o.ctx);
        }
        fmpz_mod_ctx_clear(o.ctx);
        fmpz_clear(p);
        clear_euclid(&s);
    }
    flint_cleanup();
}
#endif

/* ---- arguments ---- */

static void bad_arguments(void **state)
{
    (void)state;
    gfp_error error = {0};
    const gfp_options options = {.error = &error}, unknown = {.error = &error, .method = "none"};
    uint64_t r[GFP_MAX_K];
    euclid s, other;
    gfp_random g;
    gfp_random_seed(&g, 1);
    make_euclid(&s, lab_named("p8")->field);
    make_euclid(&other, lab_named("p4")->field);
    make_pair(&s, 20, 0, 1, &g);
    make_pair(&other, 20, 0, 1, &g);
#define EXPECT(call, status) lab_expect_status(call, status, &error, #call)
    EXPECT(gfp_poly_gcd(NULL, &s.a, &s.b, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_gcd(&s.g, NULL, &s.b, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_gcd(&s.g, &s.a, NULL, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_gcd(&s.g, &s.a, &other.a, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_gcd(&s.g, &s.a, &s.b, &unknown), GFP_ERR_UNKNOWN);
    assert_non_null(strstr(error.message, "available: auto, classical, karatsuba, "));
    EXPECT(gfp_poly_xgcd(&s.g, &s.u, &s.u, &s.a, &s.b, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_xgcd(&s.g, &s.u, NULL, &s.a, &s.b, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_xgcd(&s.g, &other.u, &s.v, &s.a, &s.b, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_resultant(NULL, &s.a, &s.b, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_resultant(r, NULL, &s.b, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_resultant(r, &s.a, &other.b, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_discriminant(NULL, &s.a, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_discriminant(r, NULL, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_subresultant(NULL, &s.a, &s.b, 1, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_subresultant(&s.g, &s.a, &other.b, 1, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_subresultant(&s.g, &s.a, &s.b, s.b.len, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_subresultant(&s.g, &s.b, &s.a, SIZE_MAX, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_subresultant(&s.g, &s.a, &s.a, s.a.len - 1, &options), GFP_ERR_ARGUMENT);
#undef EXPECT
    assert_true(s.g.len == 0 && s.u.len == 0);
    clear_euclid(&s);
    clear_euclid(&other);
}

static void outputs_may_be_inputs(void **state)
{
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        euclid s, c;
        gfp_random g;
        gfp_random_seed(&g, i);
        make_euclid(&s, lab_named("p4")->field);
        make_euclid(&c, lab_named("p4")->field);
        make_pair(&s, 20 + 40 * i, i, 3, &g);
        assert_int_equal(gfp_poly_xgcd(&c.g, &c.u, &c.v, &s.a, &s.b, NULL), GFP_OK);
        assert_int_equal(gfp_poly_set(&c.a, &s.a), GFP_OK);
        assert_int_equal(gfp_poly_set(&c.b, &s.b), GFP_OK);
        gfp_poly *const first = i % 2 == 0 ? &s.a : &s.b, *const second = i % 2 == 0 ? &s.b : &s.a;
        assert_int_equal(gfp_poly_xgcd(first, second, &s.v, &s.a, &s.b, NULL), GFP_OK);
        expect_same(first, &c.g, "gcd in place", i, 0);
        expect_same(second, &c.u, "u in place", i, 0);
        expect_same(&s.v, &c.v, "v", i, 0);
        assert_int_equal(gfp_poly_gcd(&c.a, &c.a, &c.b, NULL), GFP_OK);
        expect_same(&c.a, &c.g, "gcd in place of a", i, 0);
        assert_int_equal(gfp_poly_gcd(&c.b, &c.b, &c.b, NULL), GFP_OK);
        assert_true(is_monic(&c.b));
        clear_euclid(&s);
        clear_euclid(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field),
        cmocka_unit_test(degenerate_operands),
        cmocka_unit_test(equal_quotients),
        cmocka_unit_test(long_pairs),
        cmocka_unit_test(tiny_fields_exhaustively),
        cmocka_unit_test(tiny_fields_at_length),
        cmocka_unit_test(subresultants_exhaustively),
        cmocka_unit_test(subresultants_by_determinants),
        cmocka_unit_test(long_subresultants),
#if GFP_HAVE_FLINT
        cmocka_unit_test(as_flint_has_them),
#endif
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(outputs_may_be_inputs),
    };
    return cmocka_run_group_tests(tests, lab_setup_toolkit, lab_teardown);
}
