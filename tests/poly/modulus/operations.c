/* operations.c: arithmetic modulo a fixed polynomial: results are those of products and
 * remainders, and FLINT's; threads share moduli and multipliers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/division/lab.h"

#include <pthread.h>

#include "lab/rows.h"
#include "lab/sanitized.h"
#if GFP_HAVE_FLINT
#include "gfpoly/flint.h"
#include "poly/modulus/impl.h"
#include "poly/modulus/multiplier.h"
#endif

/* Degrees of moduli around the thresholds of the algorithms. */
static const size_t degrees[] = {1, 2, 3, 7, 8, 9, 10, 15, 16, 17, 23, 32, 33, 64, 65, 128, 150};
#define DEGREES (sizeof degrees / sizeof degrees[0])

static size_t operations_largest(unsigned k)
{
    return SANITIZED ? 23 : k <= 4 ? 150 : k <= 8 ? 65 : k <= 32 ? 33 : 10;
}

static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};

/* x := a b mod f by a product and a division. */
static void slow_product(gfp_poly *x, const gfp_poly *a, const gfp_poly *b, const gfp_poly *f)
{
    gfp_poly c;
    gfp_poly_init(&c, f->field);
    assert_int_equal(gfp_poly_mul(&c, a, b, NULL), GFP_OK);
    assert_int_equal(gfp_poly_rem(x, &c, f, NULL), GFP_OK);
    gfp_poly_clear(&c);
}

/* x := a^e mod f, bit by bit. */
static void slow_power(gfp_poly *x, const gfp_poly *a, const uint64_t *e, size_t limbs,
                       const gfp_poly *f)
{
    gfp_poly one;
    gfp_poly_init(&one, f->field);
    assert_int_equal(gfp_poly_one(&one), GFP_OK);
    assert_int_equal(gfp_poly_rem(&one, &one, f, NULL), GFP_OK);
    assert_int_equal(gfp_poly_set(x, &one), GFP_OK);
    for (size_t i = 64 * limbs; i-- > 0;) {
        slow_product(x, x, x, f);
        if (e[i / 64] >> i % 64 & 1) {
            slow_product(x, x, a, f);
        }
    }
    gfp_poly_clear(&one);
}

/* ---- right results ---- */

/* All pairs of factors of several lengths. */
static void check_products(parts *s, const gfp_options *options)
{
    const gfp_poly *const factors[] = {&s->a, &s->b, &s->f, &s->x, &s->twice, &s->multiple};
    for (size_t i = 0; i < 36; i++) {
        const gfp_poly *a = factors[i / 6], *b = factors[i % 6];
        slow_product(&s->y, a, b, &s->f);
        assert_int_equal(gfp_poly_mul_mod(&s->z, a, b, s->M, options), GFP_OK);
        expect_same(&s->z, &s->y, "product", s->n, i);
    }
}

static void check_remainders(parts *s, const gfp_options *options)
{
    const gfp_poly *const dividends[] = {&s->a, &s->f, &s->x, &s->twice, &s->several, &s->multiple};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(gfp_poly_rem(&s->y, dividends[i], &s->f, NULL), GFP_OK);
        assert_int_equal(gfp_poly_rem_mod(&s->z, dividends[i], s->M, options), GFP_OK);
        expect_same(&s->z, &s->y, "remainder", s->n, i);
    }
}

static void check_powers(parts *s, const gfp_options *options)
{
    static const uint64_t exponents[][2] = {{0, 0},   {1, 0},      {2, 0}, {3, 0},
                                            {100, 0}, {0xfffe, 0}, {5, 1}};
    for (size_t i = 0; LAB_ROW(exponents, i); i++) {
        const uint64_t *e = exponents[i];
        slow_power(&s->y, &s->a, e, 2, &s->f);
        assert_int_equal(gfp_poly_pow_mod(&s->z, &s->a, e, 2, s->M, options), GFP_OK);
        expect_same(&s->z, &s->y, "power", s->n, i);
        slow_power(&s->y, &s->x, e, 2, &s->f);
        assert_int_equal(gfp_poly_pow_mod(&s->z, &s->x, e, 2, s->M, options), GFP_OK);
        expect_same(&s->z, &s->y, "power of X", s->n, i);
    }
    assert_int_equal(gfp_poly_pow_mod(&s->z, &s->several, exponents[4], 1, s->M, options), GFP_OK);
    slow_power(&s->y, &s->several, exponents[4], 1, &s->f);
    expect_same(&s->z, &s->y, "power of a long polynomial", s->n, 0);
}

static void every_field(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < DEGREES && degrees[i] <= operations_largest(l->k); i++) {
            const gfp_options options = {.verify = kinds[(f + i) % 3],
                                         .method = i % 4 == 3 ? "classical" : NULL};
            parts s;
            make_parts(&s, l->field, degrees[i], f);
            make_modulus(&s, &options);
            assert_true(gfp_poly_equal(gfp_modulus_poly(s.M), &s.f));
            check_remainders(&s, &options);
            check_products(&s, &options);
            if (l->k <= 8 && degrees[i] <= 33) {
                check_powers(&s, &options);
            }
            clear_parts(&s);
        }
    }
}

/* x := a^e mod f by quadratic algorithms. */
static void classical_power(gfp_poly *x, const gfp_poly *a, uint64_t e, const gfp_poly *f)
{
    const gfp_options options = {.method = "classical"};
    gfp_modulus *M = NULL;
    assert_int_equal(gfp_modulus_create(&M, f, &options), GFP_OK);
    assert_int_equal(gfp_poly_pow_mod(x, a, &e, 1, M, &options), GFP_OK);
    gfp_modulus_destroy(M);
}

/* Exponents that are long enough for a reduction modulo X^N - 1, N one of 1, 3, 5 times a power of
 * 2. factor: f and X^N - 1 have a common factor, so that this reduction does not serve. */
static void check_chain(const gfp_field *field, size_t n, bool factor, const gfp_options *options)
{
    static const uint64_t exponents[] = {UINT64_C(0x1ffffffff), UINT64_C(0x200000001),
                                         UINT64_C(0x123456789a)};
    parts s;
    make_parts(&s, field, n, n);
    if (factor) {
        uint64_t minus_one[GFP_MAX_K];
        gfp_elem_one(field, minus_one);
        gfp_elem_neg(field, minus_one, minus_one);
        assert_int_equal(gfp_poly_truncate(&s.f, &s.f, n), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff_u64(&s.f, n - 1, 1), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff(&s.y, 0, minus_one), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff_u64(&s.y, 1, 1), GFP_OK);
        assert_int_equal(gfp_poly_mul(&s.f, &s.f, &s.y, NULL), GFP_OK);
    }
    make_modulus(&s, options);
    for (size_t i = 0; LAB_ROW(exponents, i); i++) {
        const gfp_poly *const bases[] = {&s.a, &s.x};
        for (size_t j = 0; j < 2; j++) {
            classical_power(&s.y, bases[j], exponents[i], &s.f);
            assert_int_equal(gfp_poly_pow_mod(&s.z, bases[j], &exponents[i], 1, s.M, options),
                             GFP_OK);
            expect_same(&s.z, &s.y, "long power", n, 2 * i + j);
        }
    }
    clear_parts(&s);
}

static void long_powers(void **state)
{
    static const char *const names[] = {"p2", "p4", "p8", "p16", "p32", "2^16+1"};
    static const size_t lengths[] = {31, 32, 33, 40, 48, 64, 75, 130};
    (void)state;
    for (size_t f = 0; LAB_ROW(names, f); f++) {
        const gfp_field *field = lab_named(names[f])->field;
        const size_t most = SANITIZED ? 2 : gfp_field_k(field) > 8 ? 4 : 8;
        for (size_t i = 0; i < most; i++) {
            const gfp_options options = {.verify = kinds[(f + i) % 3]};
            check_chain(field, lengths[i], false, &options);
            check_chain(field, lengths[i], true, &options);
        }
    }
}

/* f divides X^p - X where it is a product of different linear factors: then a^p = a modulo f. */
static void operations_frobenius(void **state)
{
    static const char *const names[] = {"p2", "p8", "4^2+1", "2^16+1"};
    (void)state;
    for (size_t f = 0; LAB_ROW(names, f); f++) {
        const gfp_field *field = lab_named(names[f])->field;
        const size_t n = f == 2 ? 15 : 20;
        parts s;
        make_parts(&s, field, n, f);
        assert_int_equal(gfp_poly_set_coeff_u64(&s.f, 0, 3), GFP_OK);
        for (size_t i = 0; i < n; i++) { /* f := 3 (X - 1) (X - 2) ... */
            gfp_poly root;
            gfp_poly_init(&root, field);
            assert_int_equal(gfp_poly_set_coeff_u64(&root, 1, 1), GFP_OK);
            assert_int_equal(gfp_poly_set_coeff_u64(&root, 0, i + 1), GFP_OK);
            if (i == 0) {
                assert_int_equal(gfp_poly_truncate(&s.f, &s.f, 1), GFP_OK);
            }
            assert_int_equal(gfp_poly_mul(&s.f, &s.f, &root, NULL), GFP_OK);
            gfp_poly_clear(&root);
        }
        make_modulus(&s, NULL);
        assert_int_equal(gfp_poly_pow_mod(&s.z, &s.a, gfp_field_modulus_limbs(s.f.field),
                                          gfp_field_limbs(s.f.field), s.M, NULL),
                         GFP_OK);
        assert_int_equal(gfp_poly_rem(&s.y, &s.a, &s.f, NULL), GFP_OK);
        expect_same(&s.z, &s.y, "a^p", n, f);
        assert_int_equal(gfp_poly_pow_mod(&s.z, &s.x, gfp_field_modulus_limbs(s.f.field),
                                          gfp_field_limbs(s.f.field), s.M, NULL),
                         GFP_OK);
        expect_same(&s.z, &s.x, "X^p", n, f);
        clear_parts(&s);
    }
}

static void operations_decode(gfp_poly *a, uint64_t code)
{
    gfp_poly_zero(a);
    for (size_t i = 0; code > 0; i++, code /= 5) {
        assert_int_equal(gfp_poly_set_coeff_u64(a, i, code % 5), GFP_OK);
    }
}

/* All products of two polynomials modulo every polynomial of degree 1 and 2 over 5 elements. */
static void tiny_fields_exhaustively(void **state)
{
    (void)state;
    parts s;
    make_parts(&s, lab_named("2^2+1")->field, 1, 1);
    for (uint64_t f = 5; f < 125; f++) {
        gfp_modulus *M;
        operations_decode(&s.f, f);
        assert_int_equal(gfp_modulus_create(&M, &s.f, NULL), GFP_OK);
        for (uint64_t code = 0; code < 25 * 25; code++) {
            operations_decode(&s.a, code / 25);
            operations_decode(&s.b, code % 25);
            slow_product(&s.y, &s.a, &s.b, &s.f);
            assert_int_equal(gfp_poly_mul_mod(&s.z, &s.a, &s.b, M, NULL), GFP_OK);
            expect_same(&s.z, &s.y, "product", f, code);
        }
        gfp_modulus_destroy(M);
    }
    clear_parts(&s);
}

#if GFP_HAVE_FLINT
static void as_flint_has_them(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        fmpz_t p, e;
        fmpz_mod_ctx_t ctx;
        fmpz_mod_poly_t a, b, m, z;
        fmpz_init(p);
        fmpz_init(e);
        fmpz_set_mpz(p, l->o.p);
        fmpz_mod_ctx_init(ctx, p);
        fmpz_mod_poly_init(a, ctx);
        fmpz_mod_poly_init(b, ctx);
        fmpz_mod_poly_init(m, ctx);
        fmpz_mod_poly_init(z, ctx);
        for (size_t i = 0; i < DEGREES && degrees[i] <= operations_largest(l->k); i += 2) {
            const uint64_t exponent = 1000003;
            parts s;
            make_parts(&s, l->field, degrees[i], i);
            make_modulus(&s, NULL);
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(a, &s.a, ctx), GFP_OK);
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(b, &s.b, ctx), GFP_OK);
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(m, &s.f, ctx), GFP_OK);
            fmpz_mod_poly_mulmod(z, a, b, m, ctx);
            assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s.y, z, ctx), GFP_OK);
            assert_int_equal(gfp_poly_mul_mod(&s.z, &s.a, &s.b, s.M, NULL), GFP_OK);
            expect_same(&s.z, &s.y, "FLINT's product", s.n, i);
            fmpz_set_ui(e, exponent);
            fmpz_mod_poly_powmod_fmpz_binexp(z, a, e, m, ctx);
            assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s.y, z, ctx), GFP_OK);
            assert_int_equal(gfp_poly_pow_mod(&s.z, &s.a, &exponent, 1, s.M, NULL), GFP_OK);
            expect_same(&s.z, &s.y, "FLINT's power", s.n, i);
            clear_parts(&s);
        }
        fmpz_mod_poly_clear(a, ctx);
        fmpz_mod_poly_clear(b, ctx);
        fmpz_mod_poly_clear(m, ctx);
        fmpz_mod_poly_clear(z, ctx);
        fmpz_mod_ctx_clear(ctx);
        fmpz_clear(p);
        fmpz_clear(e);
    }
    flint_cleanup();
}
#endif

/* ---- degenerate inputs ---- */

static void zeros_and_constants(void **state)
{
    static const size_t some[] = {1, 2, 9, 40};
    (void)state;
    for (size_t i = 0; LAB_ROW(some, i); i++) {
        for (size_t zero = 0; zero < 2; zero++) {
            const uint64_t exponent = 12;
            parts s;
            make_parts(&s, lab_named("p8")->field, some[i], i);
            gfp_poly_zero(&s.b);
            assert_int_equal(gfp_poly_set_coeff_u64(&s.b, 0, zero == 0 ? 7 : 0), GFP_OK);
            make_modulus(&s, NULL);
            check_products(&s, NULL);
            assert_int_equal(gfp_poly_rem_mod(&s.z, &s.b, s.M, NULL), GFP_OK);
            expect_same(&s.z, &s.b, "remainder of a constant", s.n, zero);
            slow_power(&s.y, &s.b, &exponent, 1, &s.f);
            assert_int_equal(gfp_poly_pow_mod(&s.z, &s.b, &exponent, 1, s.M, NULL), GFP_OK);
            expect_same(&s.z, &s.y, "power of a constant", s.n, zero);
            assert_int_equal(gfp_poly_pow_mod(&s.z, &s.b, NULL, 0, s.M, NULL), GFP_OK);
            assert_true(gfp_poly_is_one(&s.z));
            clear_parts(&s);
        }
    }
}

/* f = X^n - 1, X^n, X^n + X: its multiples are where wraps fall. */
static void special_moduli(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p4")->field;
    uint64_t minus_one[GFP_MAX_K];
    gfp_elem_one(field, minus_one);
    gfp_elem_neg(field, minus_one, minus_one);
    for (size_t n = 15; n <= 64; n += n < 18 ? 1 : 23) {
        for (size_t kind = 0; kind < 3; kind++) {
            parts s;
            make_parts(&s, field, n, n);
            gfp_poly_zero(&s.f);
            assert_int_equal(gfp_poly_set_coeff_u64(&s.f, n, 1), GFP_OK);
            if (kind != 1) {
                assert_int_equal(kind == 0 ? gfp_poly_set_coeff(&s.f, 0, minus_one)
                                           : gfp_poly_set_coeff_u64(&s.f, 1, 1),
                                 GFP_OK);
            }
            make_modulus(&s, NULL);
            check_remainders(&s, NULL);
            check_products(&s, NULL);
            check_powers(&s, NULL);
            clear_parts(&s);
        }
    }
}

/* ---- arguments ---- */

static void bad_arguments(void **state)
{
    (void)state;
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    const gfp_options unknown = {.error = &error, .method = "none"};
    const uint64_t exponent = 3;
    gfp_modulus *M = NULL;
    parts s, other;
    make_parts(&s, lab_named("p8")->field, 20, 1);
    make_parts(&other, lab_named("p4")->field, 20, 1);
    make_modulus(&s, NULL);
#define EXPECT(call, status) lab_expect_status(call, status, &error, #call)
    EXPECT(gfp_modulus_create(NULL, &s.f, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_modulus_create(&M, NULL, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_modulus_create(&M, &s.f, &unknown), GFP_ERR_UNKNOWN);
    EXPECT(gfp_poly_rem_mod(NULL, &s.a, s.M, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_rem_mod(&s.z, NULL, s.M, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_rem_mod(&s.z, &s.a, NULL, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_mul_mod(&s.z, &s.a, NULL, s.M, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_mul_mod(&s.z, &s.a, &other.b, s.M, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_mul_mod(&other.z, &other.a, &other.b, s.M, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_mul_mod(&s.z, &s.a, &s.a, NULL, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_pow_mod(&s.z, &s.a, NULL, 1, s.M, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_pow_mod(&s.z, &s.a, &exponent, 1, NULL, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_set_coeff_u64(&s.y, 0, 5), GFP_OK);
    EXPECT(gfp_modulus_create(&M, &s.y, &options), GFP_ERR_ARGUMENT);
    gfp_poly_zero(&s.y);
    EXPECT(gfp_modulus_create(&M, &s.y, &options), GFP_ERR_NOT_INVERTIBLE);
#undef EXPECT
    assert_true(s.z.len == 0 && other.z.len == 0);
    assert_null(M);
    gfp_modulus_destroy(NULL);
    assert_true(gfp_modulus_bytes(s.M) > 20 * 8 * 8 * 3);
    clear_parts(&s);
    clear_parts(&other);
}

static void outputs_may_be_inputs(void **state)
{
    (void)state;
    for (size_t n = 3; n < 80; n += 19) {
        parts s;
        make_parts(&s, lab_named("p8")->field, n, n);
        make_modulus(&s, NULL);
        gfp_poly *const inputs[] = {&s.a, &s.twice, &s.several};
        for (size_t i = 0; i < 3; i++) {
            gfp_poly *a = inputs[i];
            assert_int_equal(gfp_poly_mul_mod(&s.y, a, &s.b, s.M, NULL), GFP_OK);
            assert_int_equal(gfp_poly_set(&s.z, a), GFP_OK);
            assert_int_equal(gfp_poly_mul_mod(&s.z, &s.z, &s.b, s.M, NULL), GFP_OK);
            expect_same(&s.z, &s.y, "product in place of a", n, i);
            assert_int_equal(gfp_poly_set(&s.z, &s.b), GFP_OK);
            assert_int_equal(gfp_poly_mul_mod(&s.z, a, &s.z, s.M, NULL), GFP_OK);
            expect_same(&s.z, &s.y, "product in place of b", n, i);
            assert_int_equal(gfp_poly_mul_mod(&s.y, a, a, s.M, NULL), GFP_OK);
            assert_int_equal(gfp_poly_set(&s.z, a), GFP_OK);
            assert_int_equal(gfp_poly_mul_mod(&s.z, &s.z, &s.z, s.M, NULL), GFP_OK);
            expect_same(&s.z, &s.y, "square in place", n, i);
            assert_int_equal(gfp_poly_rem_mod(&s.y, a, s.M, NULL), GFP_OK);
            assert_int_equal(gfp_poly_rem_mod(a, a, s.M, NULL), GFP_OK);
            expect_same(a, &s.y, "remainder in place", n, i);
        }
        clear_parts(&s);
    }
}

/* ---- threads ---- */

#define ROUNDS 20

static void *operations_work(void *user)
{
    const parts *s = user;
    gfp_poly a, z;
    gfp_poly_init(&a, s->f.field);
    gfp_poly_init(&z, s->f.field);
    bool right = gfp_poly_set(&a, &s->a) == GFP_OK;
    for (size_t i = 0; i < ROUNDS && right; i++) {
        right = gfp_poly_mul_mod(&z, &a, &s->b, s->M, NULL) == GFP_OK &&
                gfp_poly_mul_mod(&a, &a, &s->b, s->M, NULL) == GFP_OK && gfp_poly_equal(&a, &z) &&
                gfp_poly_mul_mod(&a, &a, &a, s->M, NULL) == GFP_OK;
    }
    right = right && gfp_poly_equal(&a, &s->z);
    gfp_poly_clear(&a);
    gfp_poly_clear(&z);
    return right ? user : NULL;
}

static void two_threads_share_a_modulus(void **state)
{
    (void)state;
    pthread_t threads[2];
    parts s;
    make_parts(&s, lab_named("p8")->field, 100, 1);
    make_modulus(&s, NULL);
    assert_int_equal(gfp_poly_set(&s.z, &s.a), GFP_OK);
    for (size_t i = 0; i < ROUNDS; i++) {
        slow_product(&s.z, &s.z, &s.b, &s.f);
        slow_product(&s.z, &s.z, &s.z, &s.f);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, operations_work, &s), 0);
    }
    for (size_t i = 0; i < 2; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, &s);
    }
    clear_parts(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field),
        cmocka_unit_test(long_powers),
        cmocka_unit_test(operations_frobenius),
        cmocka_unit_test(tiny_fields_exhaustively),
#if GFP_HAVE_FLINT
        cmocka_unit_test(as_flint_has_them),
#endif
        cmocka_unit_test(zeros_and_constants),
        cmocka_unit_test(special_moduli),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(outputs_may_be_inputs),
        cmocka_unit_test(two_threads_share_a_modulus),
    };
    return cmocka_run_group_tests(tests, lab_setup_toolkit, lab_teardown);
}
