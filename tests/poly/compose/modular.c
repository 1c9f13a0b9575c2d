/* modular.c: composition modulo a polynomial: results are those of Horner's rule and of FLINT;
 * degenerate and tiny inputs; threads share arguments.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/compose/lab.h"

#include <pthread.h>

#include "lab/rows.h"
#include "lab/sanitized.h"
#include "lab/thresholds.h"
#include "poly/compose/impl.h"
#if GFP_HAVE_FLINT
#include "gfpoly/flint.h"
#endif

/* Degrees of moduli around the thresholds of the algorithms. */
static const size_t degrees[] = {1, 2, 6, 7, 8, 16, 17, 33, 65, 130};
#define DEGREES (sizeof degrees / sizeof degrees[0])

static size_t modular_largest(unsigned k)
{
    return SANITIZED ? 17 : k <= 2 ? 130 : k <= 8 ? 65 : k <= 16 ? 33 : k <= 32 ? 17 : 8;
}

static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};

/* The polynomials that are composed with b. */
#define OUTER 5
static void outer_list(parts *s, const gfp_poly *list[OUTER])
{
    const gfp_poly *const all[OUTER] = {&s->a, &s->f, &s->x, &s->b, &s->twice};
    for (size_t i = 0; i < OUTER; i++) {
        list[i] = all[i];
    }
}

/* ---- right results ---- */

static void check_each(parts *s, const gfp_compose_argument *A, const gfp_options *options)
{
    const gfp_poly *f[OUTER];
    outer_list(s, f);
    for (size_t i = 0; i < OUTER; i++) {
        slow_compose(&s->y, f[i], &s->b, &s->f);
        assert_int_equal(gfp_poly_compose_mod(&s->z, f[i], A, options), GFP_OK);
        expect_same(&s->z, &s->y, "composition", s->n, i);
    }
}

static void check_together(parts *s, const gfp_compose_argument *A, const gfp_options *options)
{
    const gfp_poly *f[OUTER];
    gfp_poly c[OUTER], *outputs[OUTER];
    outer_list(s, f);
    for (size_t i = 0; i < OUTER; i++) {
        gfp_poly_init(&c[i], s->f.field);
        outputs[i] = &c[i];
    }
    assert_int_equal(gfp_poly_compose_mod_many(outputs, f, OUTER, A, options), GFP_OK);
    for (size_t i = 0; i < OUTER; i++) {
        slow_compose(&s->y, f[i], &s->b, &s->f);
        expect_same(&c[i], &s->y, "composition of several", s->n, i);
        gfp_poly_clear(&c[i]);
    }
    assert_int_equal(gfp_poly_compose_mod_many(NULL, NULL, 0, A, options), GFP_OK);
}

static void every_field(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < DEGREES && degrees[i] <= modular_largest(l->k); i++) {
            const gfp_options options = {.verify = kinds[(f + i) % 3],
                                         .threads = (unsigned)(1 + i % 2),
                                         .method = i % 5 == 3 ? "classical" : NULL};
            gfp_compose_argument *A;
            parts s;
            make_parts(&s, l->field, degrees[i], f);
            make_modulus(&s, &options);
            assert_int_equal(
                gfp_compose_argument_create(&A, &s.b, s.M, i % 3 == 0 ? 7 : 1, &options), GFP_OK);
            check_each(&s, A, &options);
            check_together(&s, A, &options);
            gfp_compose_argument_destroy(A);
            clear_parts(&s);
        }
    }
}

static void modular_decode(gfp_poly *a, uint64_t code)
{
    gfp_poly_zero(a);
    for (size_t i = 0; code > 0; i++, code /= 5) {
        assert_int_equal(gfp_poly_set_coeff_u64(a, i, code % 5), GFP_OK);
    }
}

/* All polynomials below degree 3 at all arguments modulo polynomials of degree 1 and 2. */
static void tiny_fields_exhaustively(void **state)
{
    (void)state;
    parts s;
    make_parts(&s, lab_named("2^2+1")->field, 1, 1);
    for (uint64_t h = 5; h < 125; h += 7) {
        gfp_modulus *M;
        modular_decode(&s.f, h);
        assert_int_equal(gfp_modulus_create(&M, &s.f, NULL), GFP_OK);
        for (uint64_t g = 0; g < 25; g++) {
            gfp_compose_argument *A;
            modular_decode(&s.b, g);
            assert_int_equal(gfp_compose_argument_create(&A, &s.b, M, 1, NULL), GFP_OK);
            for (uint64_t f = 0; f < 125; f++) {
                modular_decode(&s.a, f);
                slow_compose(&s.y, &s.a, &s.b, &s.f);
                assert_int_equal(gfp_poly_compose_mod(&s.z, &s.a, A, NULL), GFP_OK);
                expect_same(&s.z, &s.y, "composition", g, f);
            }
            gfp_compose_argument_destroy(A);
        }
        gfp_modulus_destroy(M);
    }
    clear_parts(&s);
}

/* Arguments of few terms, constants, 0, multiples of the modulus. */
static void degenerate_arguments(void **state)
{
    static const size_t some[] = {1, 8, 40, 90};
    (void)state;
    for (size_t i = 0; LAB_ROW(some, i); i++) {
        parts s;
        make_parts(&s, lab_named("p4")->field, some[i], i);
        make_modulus(&s, NULL);
        gfp_poly *const arguments[] = {&s.x, &s.f, &s.multiple, &s.several, &s.z, &s.y};
        for (size_t j = 0; j < 6; j++) {
            gfp_compose_argument *A;
            gfp_poly_zero(&s.y);
            gfp_poly_zero(&s.z);
            assert_int_equal(gfp_poly_set_coeff_u64(&s.z, 0, 3), GFP_OK);
            assert_int_equal(gfp_compose_argument_create(&A, arguments[j], s.M, 1, NULL), GFP_OK);
            assert_int_equal(gfp_poly_set(&s.b, arguments[j]), GFP_OK);
            check_each(&s, A, NULL);
            gfp_poly_zero(&s.a);
            assert_int_equal(gfp_poly_compose_mod(&s.z, &s.a, A, NULL), GFP_OK);
            assert_true(gfp_poly_is_zero(&s.z));
            assert_int_equal(gfp_poly_one(&s.a), GFP_OK);
            assert_int_equal(gfp_poly_compose_mod(&s.z, &s.a, A, NULL), GFP_OK);
            assert_true(gfp_poly_is_one(&s.z));
            gfp_compose_argument_destroy(A);
        }
        clear_parts(&s);
    }
}

/* The numbers of uses change the steps, not the results. */
static void numbers_of_uses(void **state)
{
    static const size_t uses[] = {1, 2, 3, 10, 100, SIZE_MAX};
    size_t bytes = 0;
    (void)state;
    parts s;
    make_parts(&s, lab_named("p2")->field, 150, 1);
    make_modulus(&s, NULL);
    for (size_t i = 0; LAB_ROW(uses, i); i++) {
        gfp_compose_argument *A;
        assert_int_equal(gfp_compose_argument_create(&A, &s.b, s.M, uses[i], NULL), GFP_OK);
        check_each(&s, A, NULL);
        check_together(&s, A, NULL);
        assert_true(gfp_compose_argument_bytes(A) >= bytes);
        bytes = gfp_compose_argument_bytes(A);
        gfp_compose_argument_destroy(A);
    }
    clear_parts(&s);
}

/* a := len coefficients, the same of extreme digits, or random ones. */
static void fill_outer(gfp_poly *a, size_t len, bool extreme, gfp_random *g)
{
    uint64_t minus[GFP_MAX_K];
    random_poly(a, len, g);
    gfp_elem_one(a->field, minus);
    gfp_elem_neg(a->field, minus, minus);
    for (size_t i = 0; i < len && extreme; i++) {
        assert_int_equal(gfp_poly_set_coeff(a, i, minus), GFP_OK);
    }
}

/* Polynomials of many more coefficients than the modulus: several rows are joined at once, also by
 * threads, in one call with short polynomials and 0, and within a cap, where they are not. */
static void many_rows(void **state)
{
    static const size_t lengths[] = {200, 431, 0, 2000, 5};
    static const char *const fields[] = {"p2", "p4", "p8"};
    (void)state;
    for (size_t f = 0; f < (SANITIZED ? 1 : sizeof fields / sizeof fields[0]); f++) {
        for (unsigned i = 0; i < (SANITIZED ? 2 : 6); i++) {
            const gfp_options options = {.verify = kinds[i % 3],
                                         .threads = 1 + i / 3,
                                         .memory_cap = i == 4 ? (size_t)1 << 26 : 0};
            gfp_poly c[OUTER], outer[OUTER], *outputs[OUTER];
            const gfp_poly *inputs[OUTER];
            gfp_compose_argument *A;
            gfp_random g;
            parts s;
            make_parts(&s, lab_named(fields[f])->field, f == 0 ? 130 : 60, i);
            make_modulus(&s, &options);
            gfp_random_seed(&g, i);
            fill_outer(&s.b, s.n, i % 2 == 1, &g);
            assert_int_equal(gfp_compose_argument_create(&A, &s.b, s.M, 1, &options), GFP_OK);
            for (size_t j = 0; j < OUTER; j++) {
                gfp_poly_init(&c[j], s.f.field);
                gfp_poly_init(&outer[j], s.f.field);
                fill_outer(&outer[j], lengths[j], i % 2 == 1, &g);
                inputs[j] = &outer[j];
                outputs[j] = &c[j];
            }
            assert_int_equal(gfp_poly_compose_mod_many(outputs, inputs, OUTER, A, &options),
                             GFP_OK);
            for (size_t j = 0; j < OUTER; j++) {
                slow_compose(&s.y, &outer[j], &s.b, &s.f);
                expect_same(&c[j], &s.y, "composition of many rows", s.n, j);
                gfp_poly_clear(&c[j]);
                gfp_poly_clear(&outer[j]);
            }
            gfp_compose_argument_destroy(A);
            clear_parts(&s);
        }
    }
}

/* Lists of more polynomials than rows: zeros, constants, and one of several rows. */
static void zeros_and_constants(void **state)
{
    static const size_t lengths[][OUTER] = {
        {0, 0, 0, 0, 0}, {1, 0, 1, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 431, 0, 0}};
    (void)state;
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        const gfp_options options = {.verify = GFP_VERIFY_POINT};
        gfp_poly c[OUTER], outer[OUTER], *outputs[OUTER];
        const gfp_poly *inputs[OUTER];
        gfp_compose_argument *A;
        gfp_random g;
        parts s;
        make_parts(&s, lab_named("p8")->field, 60, i);
        make_modulus(&s, &options);
        gfp_random_seed(&g, i);
        assert_int_equal(gfp_compose_argument_create(&A, &s.b, s.M, 1, &options), GFP_OK);
        for (size_t j = 0; j < OUTER; j++) {
            gfp_poly_init(&c[j], s.f.field);
            gfp_poly_init(&outer[j], s.f.field);
            fill_outer(&outer[j], lengths[i][j], false, &g);
            inputs[j] = &outer[j];
            outputs[j] = &c[j];
        }
        assert_int_equal(gfp_poly_compose_mod_many(outputs, inputs, OUTER, A, &options), GFP_OK);
        for (size_t j = 0; j < OUTER; j++) {
            slow_compose(&s.y, &outer[j], &s.b, &s.f);
            expect_same(&c[j], &s.y, "composition of few rows", s.n, j);
            gfp_poly_clear(&c[j]);
            gfp_poly_clear(&outer[j]);
        }
        gfp_compose_argument_destroy(A);
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
        fmpz_mod_poly_t f, g, h, z;
        fmpz_init(p);
        fmpz_set_mpz(p, l->o.p);
        fmpz_mod_ctx_init(ctx, p);
        fmpz_mod_poly_init(f, ctx);
        fmpz_mod_poly_init(g, ctx);
        fmpz_mod_poly_init(h, ctx);
        fmpz_mod_poly_init(z, ctx);
        for (size_t j = 1; j < DEGREES && degrees[j] <= modular_largest(l->k); j += 2) {
            const gfp_options options = {.verify = GFP_VERIFY_POINT, .verify_seed = 1};
            gfp_compose_argument *A;
            parts s;
            make_parts(&s, l->field, degrees[j], j);
            make_modulus(&s, NULL);
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(f, &s.a, ctx), GFP_OK);
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(g, &s.b, ctx), GFP_OK);
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(h, &s.f, ctx), GFP_OK);
            fmpz_mod_poly_compose_mod(z, f, g, h, ctx);
            assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s.y, z, ctx), GFP_OK);
            assert_int_equal(gfp_compose_argument_create(&A, &s.b, s.M, 1, &options), GFP_OK);
            assert_int_equal(gfp_poly_compose_mod(&s.z, &s.a, A, &options), GFP_OK);
            expect_same(&s.z, &s.y, "FLINT's composition", s.n, i);
            gfp_compose_argument_destroy(A);
            clear_parts(&s);
        }
        fmpz_mod_poly_clear(f, ctx);
        fmpz_mod_poly_clear(g, ctx);
        fmpz_mod_poly_clear(h, ctx);
        fmpz_mod_poly_clear(z, ctx);
        fmpz_mod_ctx_clear(ctx);
        fmpz_clear(p);
    }
    flint_cleanup();
}
#endif

/* ---- arguments of calls ---- */

static void bad_arguments(void **state)
{
    (void)state;
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    const gfp_options unknown = {.error = &error, .method = "none"};
    const gfp_options low = {.tuning = low_thresholds()}; /* transforms are kept */
    gfp_compose_argument *A = NULL, *none = NULL;
    parts s, other;
    make_parts(&s, lab_named("p8")->field, 20, 1);
    make_parts(&other, lab_named("p4")->field, 20, 1);
    make_modulus(&s, &low);
    assert_int_equal(gfp_compose_argument_create(&A, &s.b, s.M, 1, &low), GFP_OK);
    gfp_poly *same[] = {&s.z, &s.z};
    const gfp_poly *f[] = {&s.a, NULL};
#define EXPECT(call, status) lab_expect_status(call, status, &error, #call)
    EXPECT(gfp_compose_argument_create(NULL, &s.b, s.M, 1, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_compose_argument_create(&none, NULL, s.M, 1, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_compose_argument_create(&none, &s.b, NULL, 1, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_compose_argument_create(&none, &s.b, s.M, 0, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_compose_argument_create(&none, &s.b, s.M, 1, &unknown), GFP_ERR_UNKNOWN);
    EXPECT(gfp_compose_argument_create(&none, &other.b, s.M, 1, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_compose_mod(NULL, &s.a, A, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_compose_mod(&s.z, NULL, A, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_compose_mod(&s.z, &s.a, NULL, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_compose_mod(&s.z, &other.a, A, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_compose_mod(&other.z, &other.a, A, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_compose_mod(&s.z, &s.a, A, &unknown), GFP_ERR_UNKNOWN);
    EXPECT(gfp_poly_compose_mod_many(NULL, f, 1, A, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_compose_mod_many(same, NULL, 1, A, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_compose_mod_many(same, f, 2, A, &options), GFP_ERR_ARGUMENT);
    f[1] = &s.a;
    EXPECT(gfp_poly_compose_mod_many(same, f, 2, A, &options), GFP_ERR_ARGUMENT);
#undef EXPECT
    assert_true(s.z.len == 0 && other.z.len == 0);
    assert_null(none);
    gfp_compose_argument_destroy(NULL);
    assert_true(gfp_compose_argument_bytes(A) > 20 * 8 * 8 * 4);
    gfp_compose_argument_destroy(A);
    clear_parts(&s);
    clear_parts(&other);
}

static void outputs_may_be_inputs(void **state)
{
    (void)state;
    for (size_t n = 3; n < 80; n += 19) {
        gfp_compose_argument *A;
        parts s;
        make_parts(&s, lab_named("p8")->field, n, n);
        make_modulus(&s, NULL);
        assert_int_equal(gfp_compose_argument_create(&A, &s.b, s.M, 1, NULL), GFP_OK);
        assert_int_equal(gfp_poly_compose_mod(&s.y, &s.a, A, NULL), GFP_OK);
        assert_int_equal(gfp_poly_set(&s.z, &s.a), GFP_OK);
        assert_int_equal(gfp_poly_compose_mod(&s.z, &s.z, A, NULL), GFP_OK);
        expect_same(&s.z, &s.y, "composition in place", n, 0);
        gfp_poly *const both[] = {&s.a, &s.x};
        const gfp_poly *const swapped[] = {&s.x, &s.a};
        assert_int_equal(gfp_poly_compose_mod_many(both, swapped, 2, A, NULL), GFP_OK);
        expect_same(&s.x, &s.y, "compositions in place", n, 1);
        assert_int_equal(gfp_poly_rem(&s.z, &s.b, &s.f, NULL), GFP_OK);
        expect_same(&s.a, &s.z, "compositions in place", n, 2);
        gfp_compose_argument_destroy(A);
        clear_parts(&s);
    }
}

/* ---- threads ---- */

typedef struct shared {
    const parts *s;
    const gfp_compose_argument *A;
} shared;

static void *modular_work(void *user)
{
    const shared *w = user;
    gfp_poly z;
    gfp_poly_init(&z, w->s->f.field);
    bool right = true;
    for (size_t i = 0; i < 10 && right; i++) {
        right = gfp_poly_compose_mod(&z, &w->s->a, w->A, NULL) == GFP_OK &&
                gfp_poly_equal(&z, &w->s->z);
    }
    gfp_poly_clear(&z);
    return right ? user : NULL;
}

static void two_threads_share_an_argument(void **state)
{
    (void)state;
    pthread_t threads[2];
    gfp_compose_argument *A;
    parts s;
    make_parts(&s, lab_named("p8")->field, 100, 1);
    make_modulus(&s, NULL);
    assert_int_equal(gfp_compose_argument_create(&A, &s.b, s.M, 20, NULL), GFP_OK);
    slow_compose(&s.z, &s.a, &s.b, &s.f);
    shared w = {&s, A};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, modular_work, &w), 0);
    }
    for (size_t i = 0; i < 2; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, &w);
    }
    gfp_compose_argument_destroy(A);
    clear_parts(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field),
        cmocka_unit_test(tiny_fields_exhaustively),
        cmocka_unit_test(degenerate_arguments),
        cmocka_unit_test(numbers_of_uses),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(zeros_and_constants),
#if GFP_HAVE_FLINT
        cmocka_unit_test(as_flint_has_them),
#endif
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(outputs_may_be_inputs),
        cmocka_unit_test(two_threads_share_an_argument),
    };
    return cmocka_run_group_tests(tests, lab_setup_toolkit, lab_teardown);
}
