/* factors.c: factorisations, roots, irreducibility: known factors, tiny fields exhaustively,
 * p-th powers, FLINT's factors; results depend neither on seeds nor on methods.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/factor/lab.h"

#include <stdlib.h>
#include <string.h>

#include "lab/sanitized.h"
#include "lab/thresholds.h"
#if GFP_HAVE_FLINT
#include <flint/fmpz_mod_poly.h>
#include <flint/fmpz_mod_poly_factor.h>

#include "gfpoly/flint.h"
#endif

static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};

/* Factors f in this way, and all that follows from its factors. G: the factors. */
static void check_all(gfp_factors *G, const gfp_poly *f, const gfp_options *options)
{
    gfp_roots R;
    gfp_factors F;
    bool yes;
    gfp_roots_init(&R, f->field);
    gfp_factors_init(&F, f->field);
    assert_int_equal(gfp_poly_factor(G, f, options), GFP_OK);
    expect_factors(G, f);
    assert_int_equal(gfp_poly_roots(&R, f, options), GFP_OK);
    expect_roots(&R, G);
    assert_int_equal(gfp_poly_is_irreducible(&yes, f, options), GFP_OK);
    assert_int_equal(yes, G->count == 1 && G->factor[0].exponent == 1);
    assert_int_equal(gfp_poly_factor_squarefree(&F, f, options), GFP_OK);
    expect_product(&F, f, false);
    for (size_t i = 0; i < F.count; i++) { /* the product of the factors of one exponent */
        const gfp_factor_power *part = &F.factor[i];
        size_t degree = 0;
        assert_true(i == 0 || F.factor[i - 1].exponent < part->exponent);
        for (size_t j = 0; j < G->count; j++) {
            const gfp_factor_power *factor = &G->factor[j];
            gfp_poly g;
            gfp_poly_init(&g, f->field);
            bool divides;
            assert_int_equal(gfp_poly_divides(&divides, NULL, &part->poly, &factor->poly, NULL),
                             GFP_OK);
            assert_int_equal(divides, factor->exponent == part->exponent);
            degree += divides ? factor->poly.len - 1 : 0;
            gfp_poly_clear(&g);
        }
        assert_int_equal(degree, part->poly.len - 1);
    }
    gfp_factors_clear(&F);
    gfp_roots_clear(&R);
}

/* ---- tiny fields ---- */

/* Polynomials over p elements as numbers of base p, the constant term first. */
static void factors_decode(gfp_poly *a, uint64_t code, uint64_t p)
{
    gfp_poly_zero(a);
    for (size_t i = 0; code > 0; i++, code /= p) {
        assert_int_equal(gfp_poly_set_coeff_u64(a, i, code % p), GFP_OK);
    }
}

static uint64_t factors_encode(const gfp_poly *a, uint64_t p)
{
    uint64_t code = 0, limbs[GFP_MAX_LIMBS];
    for (size_t i = a->len; i-- > 0;) {
        gfp_elem_get_limbs(a->field, limbs, a->digits + i * gfp_field_k(a->field));
        code = code * p + limbs[0];
    }
    return code;
}

/* The number of the product. */
static uint64_t product_of(uint64_t a, uint64_t b, uint64_t p)
{
    uint64_t x[20] = {0}, code = 0;
    for (size_t i = 0; a > 0; i++, a /= p) {
        uint64_t rest = b;
        for (size_t j = 0; rest > 0; j++, rest /= p) {
            x[i + j] = (x[i + j] + a % p * (rest % p)) % p;
        }
    }
    for (size_t i = 20; i-- > 0;) {
        code = code * p + x[i];
    }
    return code;
}

static void every_polynomial(const char *name, uint64_t p, size_t degree)
{
    const gfp_field *field = lab_named(name)->field;
    uint64_t most = 1, low[12];
    for (size_t d = 0; d <= degree; d++, most *= p) {
        low[d] = most; /* monic ones of degree d: low[d] <= code < 2 low[d] */
    }
    bool *composite = calloc(most, sizeof *composite);
    assert_non_null(composite);
    for (size_t d = 1; d < degree; d++) {
        for (size_t e = d; d + e <= degree; e++) {
            for (uint64_t a = low[d]; a < 2 * low[d]; a++) {
                for (uint64_t b = low[e]; b < 2 * low[e] && !composite[a]; b++) {
                    composite[product_of(a, b, p)] = true;
                }
            }
        }
    }
    gfp_poly f;
    gfp_factors F;
    gfp_poly_init(&f, field);
    gfp_factors_init(&F, field);
    for (size_t d = 0; d <= degree; d++) {
        for (uint64_t code = low[d]; code < 2 * low[d]; code++) {
            const gfp_options options = {.verify = kinds[code % 3],
                                         .method = code % 5 == 0 ? "classical" : NULL};
            factors_decode(&f, code, p);
            check_all(&F, &f, &options);
            for (size_t i = 0; i < F.count; i++) {
                assert_false(composite[factors_encode(&F.factor[i].poly, p)]);
            }
        }
    }
    gfp_factors_clear(&F);
    gfp_poly_clear(&f);
    free(composite);
}

static void tiny_fields_exhaustively(void **state)
{
    (void)state;
    every_polynomial("2^2+1", 5, SANITIZED ? 3 : 5);
    every_polynomial(SANITIZED ? "2^2+1" : "4^2+1", SANITIZED ? 5 : 17, SANITIZED ? 3 : 3);
}

/* f^p, f(X^p), and products of these: f' = 0, or much of it. */
static void powers_by_the_characteristic(void **state)
{
    static const struct {
        const char *name;
        size_t p;
    } fields[] = {{"2^2+1", 5}, {"4^2+1", 17}};
    (void)state;
    for (size_t i = 0; i < 2 - SANITIZED; i++) {
        const size_t p = fields[i].p;
        const gfp_field *field = lab_named(fields[i].name)->field;
        gfp_random random;
        gfp_poly f, g;
        gfp_factors F;
        gfp_random_seed(&random, i);
        gfp_poly_init(&f, field);
        gfp_poly_init(&g, field);
        gfp_factors_init(&F, field);
        for (size_t round = 0; round < 12; round++) {
            const gfp_options options = {.verify = kinds[round % 3]};
            random_poly(&g, 2 + round % 4, &random);
            assert_int_equal(gfp_poly_one(&f), GFP_OK);
            times_power(&f, &g, p * (1 + round % 2));
            random_poly(&g, 3, &random);
            times_power(&f, &g, round % 3);
            random_poly(&g, 2, &random);
            times_power(&f, &g, round % 5 == 0 ? p + 1 : 0);
            check_all(&F, &f, &options);
        }
        /* X^p - X, X^(p^2) - X. */
        for (size_t n = p; n <= p * p; n *= p) {
            uint64_t one[GFP_MAX_K];
            gfp_elem_one(field, one);
            gfp_elem_neg(field, one, one);
            gfp_poly_zero(&f);
            assert_int_equal(gfp_poly_set_coeff_u64(&f, n, 1), GFP_OK);
            assert_int_equal(gfp_poly_set_coeff(&f, 1, one), GFP_OK);
            check_all(&F, &f, NULL);
            assert_int_equal(F.count, n == p ? p : p + (p * p - p) / 2);
        }
        gfp_factors_clear(&F);
        gfp_poly_clear(&f);
        gfp_poly_clear(&g);
    }
}

/* ---- known factors ---- */

static const char *const names[] = {"p2", "p8", "p4", "2^16+1", "30^32+1", "p16"};
#define NAMES (sizeof names / sizeof names[0])

/* Random roots, some double. */
static void polynomials_that_split(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES - SANITIZED * 3; i++) {
        const gfp_field *field = lab_named(names[i])->field;
        gfp_random random;
        gfp_poly f;
        gfp_factors F;
        gfp_random_seed(&random, i);
        gfp_poly_init(&f, field);
        gfp_factors_init(&F, field);
        for (size_t n = 1; n < (i < 2 ? 70 : 12); n += n < 5 ? 1 : 1 + n / 2) {
            const gfp_options options = {.verify = kinds[n % 3], .threads = 1 + n % 2};
            make_split(&f, n, n / 4, &random);
            check_all(&F, &f, &options);
            assert_int_equal(F.count, n);
        }
        gfp_factors_clear(&F);
        gfp_poly_clear(&f);
    }
}

/* Roots of which the first power of X tells nothing, or all but the lowest bits the same. */
static void roots_of_one_class(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    gfp_poly f;
    gfp_factors F;
    uint64_t c[GFP_MAX_K];
    gfp_poly_init(&f, field);
    gfp_factors_init(&F, field);
    for (size_t kind = 0; kind < 4; kind++) { /* X^32 - 1, X^32 - 3^32, X^33 - X, X^32 + 1 */
        gfp_elem_set_u64(field, c, kind == 1 ? 1853020188851841 : 1);
        if (kind < 3) {
            gfp_elem_neg(field, c, c);
        }
        gfp_poly_zero(&f);
        assert_int_equal(gfp_poly_set_coeff_u64(&f, kind == 2 ? 33 : 32, 1), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff(&f, kind == 2, c), GFP_OK);
        check_all(&F, &f, NULL);
        assert_int_equal(F.count, kind == 2 ? 33 : 32);
    }
    gfp_factors_clear(&F);
    gfp_poly_clear(&f);
}

/* Products of random irreducible polynomials of several degrees with exponents. */
static void products_of_irreducible_polynomials(void **state)
{
    static const size_t degrees[] = {1, 2, 2, 3, 4, 6, 6};
    (void)state;
    for (size_t i = 0; i < 4 - SANITIZED * 2; i++) {
        const gfp_field *field = lab_named(names[i])->field;
        gfp_random random;
        gfp_poly f, g;
        gfp_factors F;
        size_t total = 0;
        gfp_random_seed(&random, i);
        gfp_poly_init(&f, field);
        gfp_poly_init(&g, field);
        gfp_factors_init(&F, field);
        assert_int_equal(gfp_poly_set_coeff_u64(&f, 0, 7), GFP_OK);
        for (size_t j = 0; j < 7 - SANITIZED * 2; j++) {
            const gfp_options options = {.verify = kinds[j % 3]};
            bool yes = false;
            assert_int_equal(gfp_poly_random_irreducible(&g, degrees[j], &random, &options),
                             GFP_OK);
            assert_int_equal(g.len, degrees[j] + 1);
            assert_int_equal(gfp_poly_is_irreducible(&yes, &g, &options), GFP_OK);
            assert_true(yes);
            times_power(&f, &g, 1 + j % 3);
            total++;
            check_all(&F, &f, &options);
            assert_int_equal(F.count, total);
        }
        gfp_factors_clear(&F);
        gfp_poly_clear(&f);
        gfp_poly_clear(&g);
    }
}

/* X^n - a is irreducible for n = 2^m and a that is no square. */
static void factors_binomials(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const gfp_field *field = lab_named(names[i])->field;
        const gfp_certificate *certificate = gfp_field_get_info(field).certificate;
        uint64_t a[GFP_MAX_K];
        gfp_poly f;
        gfp_poly_init(&f, field);
        gfp_elem_set_u64(field, a, certificate->factor[0].base); /* a^((p - 1) / 2) is not 1 */
        gfp_elem_neg(field, a, a);
        for (size_t n = 2; n <= 32; n *= 2) {
            bool yes = false;
            gfp_poly_zero(&f);
            assert_int_equal(gfp_poly_set_coeff_u64(&f, n, 1), GFP_OK);
            assert_int_equal(gfp_poly_set_coeff(&f, 0, a), GFP_OK);
            assert_int_equal(gfp_poly_is_irreducible(&yes, &f, NULL), GFP_OK);
            assert_true(yes);
            assert_int_equal(gfp_poly_set_coeff_u64(&f, 0, 0), GFP_OK);
            assert_int_equal(gfp_poly_is_irreducible(&yes, &f, NULL), GFP_OK);
            assert_false(yes);
        }
        gfp_poly_clear(&f);
    }
}

/* ---- stages ---- */

static void factors_stages(void **state)
{
    (void)state;
    gfp_error error = {0};
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .error = &error};
    const gfp_field *field = lab_named("p2")->field;
    gfp_random random;
    gfp_poly f, g[6];
    gfp_factors F, G;
    gfp_random_seed(&random, 3);
    gfp_poly_init(&f, field);
    gfp_factors_init(&F, field);
    gfp_factors_init(&G, field);
    assert_int_equal(gfp_poly_set_coeff_u64(&f, 0, 5), GFP_OK);
    for (size_t i = 0; i < 6; i++) { /* degrees 1, 1, 3, 3, 5, 5 */
        gfp_poly_init(&g[i], field);
        assert_int_equal(gfp_poly_random_irreducible(&g[i], i / 2 * 2 + 1, &random, NULL), GFP_OK);
        times_power(&f, &g[i], 1);
    }
    assert_int_equal(gfp_poly_factor_distinct_deg(&F, &f, &options), GFP_OK);
    assert_int_equal(F.count, 3);
    expect_product(&F, &f, true);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(F.factor[i].exponent, 2 * i + 1);
        assert_int_equal(F.factor[i].poly.len, 4 * i + 3);
        assert_int_equal(gfp_poly_factor(&G, &F.factor[i].poly, &options), GFP_OK);
        assert_int_equal(G.count, 2);
        expect_factors(&G, &F.factor[i].poly);
    }
#define EXPECT(call, status) lab_expect_status(call, status, &error, #call)
    times_power(&f, &g[2], 1);
    EXPECT(gfp_poly_factor_distinct_deg(&G, &f, &options), GFP_ERR_ARGUMENT);
#undef EXPECT
    assert_int_equal(G.count, 2); /* unchanged */
    for (size_t i = 0; i < 6; i++) {
        gfp_poly_clear(&g[i]);
    }
    gfp_factors_clear(&F);
    gfp_factors_clear(&G);
    gfp_poly_clear(&f);
}

/* ---- ways ---- */

/* Every seed and method gives the same. */
static void seeds_and_methods(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p2")->field;
    gfp_random random;
    gfp_poly f, g;
    gfp_factors F, G;
    gfp_random_seed(&random, 8);
    gfp_poly_init(&f, field);
    gfp_poly_init(&g, field);
    gfp_factors_init(&F, field);
    gfp_factors_init(&G, field);
    make_split(&f, 12, 3, &random);
    random_poly(&g, 30, &random);
    times_power(&f, &g, 1);
    for (size_t i = 0; i < 2; i++) { /* factors of degree 2 */
        assert_int_equal(gfp_poly_random_irreducible(&g, 2, &random, NULL), GFP_OK);
        times_power(&f, &g, 1 + i);
    }
    assert_int_equal(gfp_poly_factor(&F, &f, NULL), GFP_OK);
    expect_factors(&F, &f);
    for (size_t i = 0; i < 6; i++) {
        gfp_report report = {0};
        const gfp_options options = {.verify = kinds[i % 3],
                                     .verify_seed = i,
                                     .report = &report,
                                     .tuning = low_thresholds(),
                                     .method = i == 4   ? "classical"
                                               : i == 5 ? "hybrid"
                                                        : NULL};
        assert_int_equal(gfp_poly_factor(&G, &f, &options), GFP_OK);
        expect_same_factors(&G, &F);
        assert_non_null(report.method);
        assert_true(report.verified >= options.verify);
        assert_true(i < 4 || strcmp(report.method, options.method) == 0);
        assert_true(options.verify != GFP_VERIFY_POINT ||
                    (report.points > 0 && report.log2_error < -30));
    }
    gfp_factors_clear(&F);
    gfp_factors_clear(&G);
    gfp_poly_clear(&f);
    gfp_poly_clear(&g);
}

/* ---- FLINT ---- */

#if GFP_HAVE_FLINT
static void expect_flint(const gfp_factors *F, const gfp_poly *f)
{
    fmpz_t p;
    fmpz_mod_ctx_t ctx;
    fmpz_mod_poly_t a;
    fmpz_mod_poly_factor_t factors;
    gfp_poly g;
    gfp_poly_init(&g, f->field);
    fmpz_init(p);
    fmpz_set_ui_array(p, gfp_field_modulus_limbs(f->field), gfp_field_limbs(f->field));
    fmpz_mod_ctx_init(ctx, p);
    fmpz_mod_poly_init(a, ctx);
    fmpz_mod_poly_factor_init(factors, ctx);
    assert_int_equal(gfp_poly_get_fmpz_mod_poly(a, f, ctx), GFP_OK);
    fmpz_mod_poly_factor(factors, a, ctx);
    assert_int_equal(factors->num, F->count);
    for (size_t i = 0; i < F->count; i++) {
        size_t found = 0;
        assert_int_equal(gfp_poly_set_fmpz_mod_poly(&g, factors->poly + i, ctx), GFP_OK);
        for (size_t j = 0; j < F->count; j++) {
            found += gfp_poly_equal(&F->factor[j].poly, &g) &&
                     F->factor[j].exponent == (size_t)factors->exp[i];
        }
        assert_int_equal(found, 1);
    }
    fmpz_mod_poly_factor_clear(factors, ctx);
    fmpz_mod_poly_clear(a, ctx);
    fmpz_mod_ctx_clear(ctx);
    fmpz_clear(p);
    gfp_poly_clear(&g);
}

static void as_flint_has_them(void **state)
{
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        const lab *l = &lab_fields[i];
        const bool small = gfp_field_bits(l->field) < 64;
        if (gfp_field_bits(l->field) > 600 || SANITIZED) {
            continue;
        }
        gfp_random random;
        gfp_poly f, g;
        gfp_factors F;
        gfp_random_seed(&random, i);
        gfp_poly_init(&f, l->field);
        gfp_poly_init(&g, l->field);
        gfp_factors_init(&F, l->field);
        for (size_t n = 2; n < (small ? 200 : 40); n += 1 + n / 2) {
            random_poly(&f, n, &random);
            random_poly(&g, 2, &random);
            times_power(&f, &g, n % 4);
            check_all(&F, &f, NULL);
            expect_flint(&F, &f);
        }
        gfp_factors_clear(&F);
        gfp_poly_clear(&f);
        gfp_poly_clear(&g);
    }
    flint_cleanup();
}
#endif

/* ---- arguments ---- */

static void constants_and_zero(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        gfp_error error = {0};
        const gfp_options options = {.error = &error, .verify = kinds[i % 3]};
        const gfp_field *field = lab_named(names[i])->field;
        gfp_poly f;
        gfp_factors F, G;
        gfp_roots R;
        bool yes = true;
        gfp_poly_init(&f, field);
        gfp_factors_init(&F, field);
        gfp_factors_init(&G, field);
        gfp_roots_init(&R, field);
        assert_int_equal(gfp_poly_set_coeff_u64(&f, 0, 3), GFP_OK);
        check_all(&F, &f, &options);
        assert_int_equal(F.count, 0);
        assert_int_equal(gfp_poly_factor_distinct_deg(&G, &f, &options), GFP_OK);
        assert_int_equal(G.count, 0);
        assert_int_equal(gfp_poly_set_coeff_u64(&f, 1, 2), GFP_OK);
        check_all(&F, &f, &options);
        assert_int_equal(F.count, 1);
        gfp_poly_zero(&f);
        assert_int_equal(gfp_poly_set_coeff_u64(&f, 40, 2), GFP_OK);
        check_all(&F, &f, &options);
        assert_int_equal(F.factor[0].exponent, 40);
        gfp_poly_zero(&f);
        lab_expect_status(gfp_poly_factor(&F, &f, &options), GFP_ERR_ARGUMENT, &error, "factor");
        lab_expect_status(gfp_poly_roots(&R, &f, &options), GFP_ERR_ARGUMENT, &error, "roots");
        lab_expect_status(gfp_poly_is_irreducible(&yes, &f, &options), GFP_ERR_ARGUMENT, &error,
                          "irreducible");
        assert_true(F.count == 1 && R.count == 0 && yes);
        gfp_roots_clear(&R);
        gfp_factors_clear(&F);
        gfp_factors_clear(&G);
        gfp_poly_clear(&f);
    }
}

static void bad_arguments(void **state)
{
    (void)state;
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    const gfp_options unknown = {.error = &error, .method = "none"};
    const gfp_field *field = lab_named("p8")->field;
    gfp_poly f;
    gfp_factors F;
    gfp_roots R;
    gfp_random g;
    bool yes;
    gfp_random_seed(&g, 1);
    gfp_poly_init(&f, field);
    gfp_factors_init(&F, field);
    gfp_roots_init(&R, field);
    assert_int_equal(gfp_poly_set_coeff_u64(&f, 3, 1), GFP_OK);
#define EXPECT(call, status) lab_expect_status(call, status, &error, #call)
    EXPECT(gfp_poly_factor(NULL, &f, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_factor(&F, NULL, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_factor(&F, &f, &unknown), GFP_ERR_UNKNOWN);
    EXPECT(gfp_poly_factor_squarefree(NULL, &f, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_factor_distinct_deg(NULL, &f, &options), GFP_ERR_ARGUMENT);
    gfp_factors no_factors = {0};
    gfp_roots no_roots = {0};
    EXPECT(gfp_poly_factor(&no_factors, &f, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_roots(&no_roots, &f, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_roots(NULL, &f, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_roots(&R, NULL, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_is_irreducible(NULL, &f, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_is_irreducible(&yes, NULL, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_random_irreducible(&f, 0, &g, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_random_irreducible(NULL, 3, &g, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_random_irreducible(&f, 3, NULL, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_random_irreducible(&f, SIZE_MAX, &g, &options), GFP_ERR_SIZE);
#undef EXPECT
    assert_true(F.count == 0 && R.count == 0 && f.len == 4);
    gfp_roots_clear(&R);
    gfp_factors_clear(&F);
    gfp_poly_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_fields_exhaustively),
        cmocka_unit_test(powers_by_the_characteristic),
        cmocka_unit_test(polynomials_that_split),
        cmocka_unit_test(roots_of_one_class),
        cmocka_unit_test(products_of_irreducible_polynomials),
        cmocka_unit_test(factors_binomials),
        cmocka_unit_test(factors_stages),
        cmocka_unit_test(seeds_and_methods),
#if GFP_HAVE_FLINT
        cmocka_unit_test(as_flint_has_them),
#endif
        cmocka_unit_test(constants_and_zero),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, lab_setup_toolkit, lab_teardown);
}
