/* bivariate.c: bivariate polynomials over Z: storage, text, and resultants against Sylvester's
 * determinants at points, FLINT, and identities, at every kernel level;
 * threads, caps, failing allocations.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>

#include "modular/polynomials.h"
#include "lab/rows.h"
#include "modular/points/lab.h"

#include "field/base/cpu.h"
#include "crt/blocks/remainders.h"
#include "modular/points/resultant.h"
#include "modular/ring.h"
#include "modular/bivariate.h"

#if GFP_HAVE_FLINT
#include <flint/fmpz.h>
#include <flint/fmpz_mpoly.h>
#endif

/* ---- resultants ---- */

/* r := the resultant, the same at all levels, by all ways of checking, and by word-size primes
 * where an operand that is constant or linear in Y has a formula. */
static void bivariate_resultant(gfp_zvec *r, const gfp_zbipoly *a, const gfp_zbipoly *b)
{
    const gfp_level own = ring->level;
    const size_t len = a->len < b->len ? a->len : b->len;
    const char *name = len == 1 ? "power" : len == 2 ? "linear" : "words";
    gfp_zvec other;
    gfp_zvec_init(&other, ring);
    assert_int_equal(gfp_zbipoly_resultant_y(r, a, b, NULL), GFP_OK);
    for (size_t i = 0; i < 6; i++) {
        gfp_report report = {.threads = 0};
        const gfp_verify verify = (gfp_verify)(GFP_VERIFY_NONE + i % 3);
        const gfp_options options = {.method = i < 3 ? NULL : "words",
                                     .verify = verify,
                                     .verify_seed = 3 + i,
                                     .report = &report,
                                     .threads = 1 + i % 2};
        ring->level = zlab_level(i);
        assert_int_equal(gfp_zbipoly_resultant_y(&other, a, b, &options), GFP_OK);
        assert_string_equal(report.method, i < 3 ? name : "words");
        assert_true(len == 0 || report.verified == verify);
        assert_true(gfp_zvec_equal(r, &other));
    }
    ring->level = own;
    gfp_zvec_clear(&other);
}

/* Fails the test unless r is the determinant at `points` integers and of degree below that. */
static void expect_definition(bilab a, bilab b, const char *what)
{
    gfp_zbipoly x, y;
    gfp_zvec r;
    gfp_zbipoly_init(&x, ring);
    gfp_zbipoly_init(&y, ring);
    gfp_zvec_init(&r, ring);
    bilab_set(&x, a);
    bilab_set(&y, b);
    bilab fa = {a.row, x.len}, fb = {b.row, y.len};
    bivariate_resultant(&r, &x, &y);
    zlab got = zlab_of(&r);
    mpz_t at, z, expected;
    mpz_inits(at, z, expected, NULL);
    const size_t of_x = x.len > 0 ? gfp_zbipoly_len_x(&x) - 1 : 0;
    const size_t of_y = y.len > 0 ? gfp_zbipoly_len_x(&y) - 1 : 0;
    const size_t degree = x.len == 0 || y.len == 0 ? 0 : (y.len - 1) * of_x + (x.len - 1) * of_y;
    assert_true(got.len <= degree + 1);
    for (size_t i = 0; i <= degree; i++) {
        mpz_set_si(at, (long)i - (long)(degree / 2));
        if (x.len > 0 && y.len > 0) {
            zlab u = bilab_at(fa, at), v = bilab_at(fb, at);
            zlab_resultant(expected, u, v);
            zlab_free(&u);
            zlab_free(&v);
        }
        lab_value(z, got, at);
        if (mpz_cmp(z, expected) != 0) {
            fail_msg("%s: another value at point %zu of %zu", what, i, degree + 1);
        }
    }
    mpz_clears(at, z, expected, NULL);
    zlab_free(&got);
    gfp_zbipoly_clear(&x);
    gfp_zbipoly_clear(&y);
    gfp_zvec_clear(&r);
}

static void small_resultants_are_determinants(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 1);
    for (size_t trial = 0; trial < 120; trial++) {
        const size_t bits = 1 + gfp_random_below(&g, trial % 5 == 0 ? 400 : 70);
        bilab a = bilab_random(1 + gfp_random_below(&g, 6), 1 + gfp_random_below(&g, 6), bits,
                               trial % 3 == 0, &g);
        bilab b = bilab_random(1 + gfp_random_below(&g, 6), 1 + gfp_random_below(&g, 9),
                               1 + gfp_random_below(&g, bits), trial % 2 == 0, &g);
        expect_definition(a, b, "random");
        bilab_free(&a);
        bilab_free(&b);
    }
}

static void long_columns_meet_their_points(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 2);
    static const struct {
        size_t ya, xa, yb, xb;
    } sizes[] = {{2, 60, 2, 50}, {3, 1, 2, 70}, {2, 40, 5, 1}, {1, 30, 4, 20}, {7, 9, 1, 30}};
    for (size_t i = 0; LAB_ROW(sizes, i); i++) {
        bilab a = bilab_random(sizes[i].ya, sizes[i].xa, 80, false, &g);
        bilab b = bilab_random(sizes[i].yb, sizes[i].xb, 80, false, &g);
        expect_definition(a, b, "long columns");
        expect_definition(b, a, "long columns");
        bilab_free(&a);
        bilab_free(&b);
    }
}

static void zeros_and_constants(void **state)
{
    gfp_random g;
    bilab none = bilab_new(0);
    (void)state;
    gfp_random_seed(&g, 3);
    for (size_t len = 1; len < 5; len++) {
        bilab f = bilab_random(len, 4, 60, false, &g);
        bilab in_x = bilab_random(1, 5, 60, false, &g), in_y = bilab_random(len, 1, 60, false, &g);
        bilab number = bilab_random(1, 1, 60, false, &g);
        bilab *const all[] = {&none, &f, &in_x, &in_y, &number};
        for (size_t i = 0; i < 5; i++) {
            for (size_t j = 0; j < 5; j++) {
                expect_definition(*all[i], *all[j], "degenerate");
            }
        }
        bilab_free(&f);
        bilab_free(&in_x);
        bilab_free(&in_y);
        bilab_free(&number);
    }
    bilab_free(&none);
}

static void common_factors_give_zero(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 4);
    for (size_t trial = 0; trial < 10; trial++) {
        bilab u = bilab_random(3, 3, 40, false, &g), v = bilab_random(2, 4, 40, true, &g);
        bilab d = bilab_random(2 + trial % 2, 3, 30, false, &g);
        bilab a = bilab_product(u, d), b = bilab_product(v, d);
        gfp_zbipoly x, y;
        gfp_zvec r;
        gfp_zbipoly_init(&x, ring);
        gfp_zbipoly_init(&y, ring);
        gfp_zvec_init(&r, ring);
        bilab_set(&x, a);
        bilab_set(&y, b);
        bivariate_resultant(&r, &x, &y);
        assert_int_equal(r.len, 0);
        gfp_zbipoly_clear(&x);
        gfp_zbipoly_clear(&y);
        gfp_zvec_clear(&r);
        bilab_free(&u);
        bilab_free(&v);
        bilab_free(&d);
        bilab_free(&a);
        bilab_free(&b);
    }
}

/* Y^i and Y^j alone: no weight of Y gives the least bound of the degree. */
static void powers_of_y_give_zero(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 7);
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++) {
            bilab a = bilab_new(i + 1), b = bilab_new(j + 1);
            a.row[i] = zlab_random(2, 30, 1, &g);
            b.row[j] = zlab_random(1 + j % 2, 30, 1, &g);
            expect_definition(a, b, "powers of Y");
            bilab_free(&a);
            bilab_free(&b);
        }
    }
}

/* Leading coefficients X^4 - 1, X^8 - 1 and so on vanish at points of the method, in one or in both
 * operands, and X^2 - 1 times the product of primes modulo all points. */
static void leading_coefficients_may_vanish(void **state)
{
    gfp_random g;
    const gfp_words *block;
    mpz_t factor;
    (void)state;
    gfp_random_seed(&g, 5);
    mpz_init_set_ui(factor, 1);
    assert_int_equal(gfp_words_supply_block(ring->supply, 0, &block), GFP_OK);
    for (unsigned i = 0; i < GFP_WORDS; i += 3) {
        mpz_mul_ui(factor, factor, (unsigned long)block->q[i]);
    }
    for (size_t trial = 0; trial < 24; trial++) {
        bilab a = bilab_random(4, 9, 50, false, &g),
              b = bilab_random(3 + trial % 2, 9, 50, false, &g);
        for (size_t side = 0; side < 2; side++) {
            bilab *f = side == 0 ? &a : &b;
            if ((trial % 3) != 1 - side) {
                zlab *lead = &f->row[f->len - 1], root = zlab_new(1 + (trial % 2 == 0 ? 4 : 8));
                mpz_set_si(root.c[0], -1);
                mpz_set(root.c[root.len - 1], trial < 12 ? factor : root.c[0]);
                mpz_set_si(root.c[0], trial < 12 ? 0 : 1);
                zlab_free(lead);
                *lead = root;
            }
            for (size_t j = 0; trial % 4 == 3 && j < f->len; j++) { /* content */
                for (size_t i = 0; i < f->row[j].len; i++) {
                    mpz_mul(f->row[j].c[i], f->row[j].c[i], factor);
                }
            }
        }
        expect_definition(a, b, "vanishing leading coefficients");
        bilab_free(&a);
        bilab_free(&b);
    }
    mpz_clear(factor);
}

/* Coefficients -2^63, 2^63 - 1, with extreme sums. */
static void bounds_are_reached(void **state)
{
    (void)state;
    for (size_t trial = 0; trial < 8; trial++) {
        bilab f[2];
        for (size_t side = 0; side < 2; side++) {
            f[side] = bilab_new(2 + (trial & 1));
            for (size_t j = 0; j < f[side].len; j++) {
                f[side].row[j] = zlab_new(side == 0 ? 3 : 2);
                for (size_t i = 0; i < f[side].row[j].len; i++) {
                    mpz_t *c = &f[side].row[j].c[i];
                    mpz_set_si(*c, (trial & 2) != 0 && side == j % 2 ? -1 : 1);
                    mpz_mul_2exp(*c, *c, 63);
                    mpz_sub_ui(*c, *c, trial >> 2 & 1);
                }
            }
        }
        mpz_mul_si(f[0].row[0].c[0], f[0].row[0].c[0], 3);
        expect_definition(f[0], f[1], "extreme");
        bilab_free(&f[0]);
        bilab_free(&f[1]);
    }
}

#if GFP_HAVE_FLINT
static void to_flint(fmpz_mpoly_t f, bilab a, const fmpz_mpoly_ctx_t ctx)
{
    fmpz_t c;
    fmpz_init(c);
    for (size_t j = 0; j < a.len; j++) {
        for (size_t i = 0; i < a.row[j].len; i++) {
            const ulong e[] = {i, j};
            fmpz_set_mpz(c, a.row[j].c[i]);
            fmpz_mpoly_set_coeff_fmpz_ui(f, c, e, ctx);
        }
    }
    fmpz_clear(c);
}

static void resultants_are_those_of_flint(void **state)
{
    gfp_random g;
    static const struct {
        size_t ya, yb, x, bits;
        bool total;
    } sizes[] = {{7, 7, 0, 30, true},
                 {9, 6, 0, 64, true},
                 {5, 8, 12, 100, false},
                 {3, 4, 40, 20, false},
                 {8, 8, 2, 500, false}};
    (void)state;
    gfp_random_seed(&g, 6);
    for (size_t i = 0; LAB_ROW(sizes, i); i++) {
        bilab a = bilab_random(sizes[i].ya, sizes[i].x, sizes[i].bits, sizes[i].total, &g);
        bilab b = bilab_random(sizes[i].yb, sizes[i].x, sizes[i].bits, sizes[i].total, &g);
        gfp_zbipoly x, y;
        gfp_zvec r;
        fmpz_mpoly_ctx_t ctx;
        fmpz_mpoly_t fa, fb, fr;
        fmpz_t c;
        gfp_zbipoly_init(&x, ring);
        gfp_zbipoly_init(&y, ring);
        gfp_zvec_init(&r, ring);
        bilab_set(&x, a);
        bilab_set(&y, b);
        bivariate_resultant(&r, &x, &y);
        fmpz_mpoly_ctx_init(ctx, 2, ORD_LEX);
        fmpz_mpoly_init(fa, ctx);
        fmpz_mpoly_init(fb, ctx);
        fmpz_mpoly_init(fr, ctx);
        fmpz_init(c);
        to_flint(fa, a, ctx);
        to_flint(fb, b, ctx);
        assert_true(fmpz_mpoly_resultant(fr, fa, fb, 1, ctx));
        assert_true(fmpz_mpoly_length(fr, ctx) <= (slong)r.len);
        zlab expected = zlab_new(r.len);
        for (size_t k = 0; k < r.len; k++) {
            const ulong e[] = {k, 0};
            fmpz_mpoly_get_coeff_fmpz_ui(c, fr, e, ctx);
            fmpz_get_mpz(expected.c[k], c);
        }
        assert_int_equal(fmpz_mpoly_degree_si(fr, 0, ctx) + 1, r.len);
        zlab_expect(&r, expected, "FLINT");
        zlab_free(&expected);
        fmpz_clear(c);
        fmpz_mpoly_clear(fa, ctx);
        fmpz_mpoly_clear(fb, ctx);
        fmpz_mpoly_clear(fr, ctx);
        fmpz_mpoly_ctx_clear(ctx);
        gfp_zbipoly_clear(&x);
        gfp_zbipoly_clear(&y);
        gfp_zvec_clear(&r);
        bilab_free(&a);
        bilab_free(&b);
    }
}
#endif

/* Degrees beyond the determinants' reach: Res(a, b c) = Res(a, b) Res(a, c). */
static void resultants_are_multiplicative(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 7);
    bilab a = bilab_random(15, 0, 40, true, &g), b = bilab_random(9, 0, 30, true, &g);
    bilab c = bilab_random(8, 11, 50, false, &g), bc = bilab_product(b, c);
    bilab *const factor[] = {&a, &b, &c, &bc};
    gfp_zbipoly f[4];
    gfp_zvec r[3], product;
    for (size_t i = 0; i < 4; i++) {
        gfp_zbipoly_init(&f[i], ring);
        bilab_set(&f[i], *factor[i]);
    }
    gfp_zvec_init(&product, ring);
    for (size_t i = 0; i < 3; i++) {
        gfp_zvec_init(&r[i], ring);
        bivariate_resultant(&r[i], &f[0], &f[i + 1]);
    }
    assert_int_equal(gfp_zvec_mul(&product, &r[0], &r[1], NULL), GFP_OK);
    assert_true(product.len > 200);
    assert_true(gfp_zvec_equal(&product, &r[2]));
    for (size_t i = 0; i < 4; i++) {
        gfp_zbipoly_clear(&f[i]);
        bilab_free(factor[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        gfp_zvec_clear(&r[i]);
    }
    gfp_zvec_clear(&product);
}

/* ---- calls ---- */

static void make_pair(gfp_zbipoly *x, gfp_zbipoly *y, gfp_zring *over, size_t len, size_t bits)
{
    gfp_random g;
    gfp_random_seed(&g, 9);
    bilab a = bilab_random(len, 0, bits, true, &g), b = bilab_random(len - 1, 3, bits, false, &g);
    gfp_zbipoly_init(x, over);
    gfp_zbipoly_init(y, over);
    bilab_set(x, a);
    bilab_set(y, b);
    bilab_free(&a);
    bilab_free(&b);
}

static void threads_and_outputs_that_are_inputs(void **state)
{
    gfp_zbipoly x, y;
    gfp_zvec one, more;
    gfp_report report;
    const gfp_options options = {
        .threads = 3, .method = "words", .memory_cap = (size_t)1 << 26, .report = &report};
    (void)state;
    make_pair(&x, &y, ring, 16, 100);
    gfp_zvec_init(&one, ring);
    gfp_zvec_init(&more, ring);
    assert_int_equal(gfp_zbipoly_resultant_y(&one, &x, &y, NULL), GFP_OK);
    assert_int_equal(gfp_zbipoly_resultant_y(&more, &x, &y, &options), GFP_OK);
    assert_int_equal(report.threads, gfp_build_get_info()->threads ? 3 : 1);
    assert_true(gfp_zvec_equal(&one, &more));
    /* The output is a coefficient of an operand. */
    gfp_zvec taken = x.coeff[2];
    assert_int_equal(gfp_zbipoly_resultant_y(&taken, &x, &y, NULL), GFP_OK);
    x.coeff[2] = taken;
    assert_true(gfp_zvec_equal(&one, &taken));
    gfp_zbipoly_clear(&x);
    gfp_zbipoly_clear(&y);
    gfp_zvec_clear(&one);
    gfp_zvec_clear(&more);
}

static void checks_see_wrong_results(void **state)
{
    gfp_zbipoly x, y;
    gfp_zcall call;
    uint64_t *r;
    (void)state;
    make_pair(&x, &y, ring, 7, 40);
    gfp_zbipair pair = {.a = &x, .b = &y};
    assert_int_equal(zlab_call_begin(&call, "test", ring, NULL), GFP_OK);
    assert_int_equal(gfp_zbiresultant_bounds(&call, &pair), GFP_OK);
    const size_t n = (pair.degree + 1) * gfp_z_width(pair.bits);
    assert_int_equal(gfp_call_array(&call.base, &r, n), GFP_OK);
    assert_int_equal(gfp_zbiresultant_words(&call, r, &pair, 0, 1), GFP_OK);
    assert_int_equal(gfp_zbiresultant_check(&call, r, &pair), GFP_OK);
    for (size_t i = 0; i < n; i += 5) {
        r[i] ^= (uint64_t)1 << i % 64;
        assert_int_equal(gfp_zbiresultant_check(&call, r, &pair), GFP_ERR_VERIFY);
        r[i] ^= (uint64_t)1 << i % 64;
    }
    assert_int_equal(gfp_call_end(&call.base, GFP_OK), GFP_OK);
    gfp_zbipoly_clear(&x);
    gfp_zbipoly_clear(&y);
}

static void bad_arguments(void **state)
{
    static const uint64_t one[] = {1};
    gfp_zbipoly x, y, high;
    gfp_zvec z, far;
    gfp_zring *other;
    gfp_error error;
    gfp_options options = {.error = &error};
    (void)state;
    make_pair(&x, &y, ring, 4, 30);
    assert_int_equal(gfp_zring_create(&other, NULL, NULL), GFP_OK);
    gfp_zvec_init(&z, ring);
    gfp_zvec_init(&far, other);
    assert_int_equal(gfp_zbipoly_resultant_y(NULL, &x, &y, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zbipoly_resultant_y(&z, NULL, &y, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zbipoly_resultant_y(&far, &x, &y, &options), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_zbipoly_set_coeff(&x, 0, &far), GFP_ERR_FIELD_MISMATCH);
    options.method = "magic";
    assert_int_equal(gfp_zbipoly_resultant_y(&z, &x, &y, &options), GFP_ERR_UNKNOWN);
    assert_string_equal(error.message,
                        "unknown method \"magic\" over the integers; available: auto, words, big, "
                        "flint, kronecker, classical, short, words_gpu");
    options.method = "big";
    assert_int_equal(gfp_zbipoly_resultant_y(&z, &x, &y, &options), GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "no method \"big\"; available: auto, words, words_gpu"));
    /* More points than roots of unity. */
    options.method = "words";
    gfp_zbipoly_init(&high, ring);
    uint64_t *many = calloc((size_t)1 << 18, sizeof *many);
    assert_non_null(many);
    many[((size_t)1 << 18) - 1] = 1;
    assert_int_equal(gfp_zvec_set_limbs(&z, many, (size_t)1 << 18, 1), GFP_OK);
    free(many);
    assert_int_equal(gfp_zbipoly_set_coeff(&high, 0, &z), GFP_OK);
    assert_int_equal(gfp_zvec_set_limbs(&z, one, 1, 1), GFP_OK);
    assert_int_equal(gfp_zbipoly_set_coeff(&y, 99, &z), GFP_OK);
    assert_int_equal(gfp_zbipoly_resultant_y(&z, &high, &y, &options), GFP_ERR_SIZE);
    assert_non_null(strstr(error.message, "degree"));
    assert_int_equal(z.len, 1);
    gfp_zbipoly_clear(&high);
    gfp_zbipoly_clear(&x);
    gfp_zbipoly_clear(&y);
    gfp_zvec_clear(&z);
    gfp_zvec_clear(&far);
    gfp_zring_destroy(other);
}

/* ---- storage and text ---- */

static void coefficients_come_and_go(void **state)
{
    static const uint64_t five[] = {5, 0, 0, 0};
    gfp_zbipoly a, b;
    gfp_zvec c;
    (void)state;
    gfp_zbipoly_init(&a, ring);
    gfp_zbipoly_init(&b, ring);
    gfp_zvec_init(&c, ring);
    assert_int_equal(gfp_zbipoly_len_x(&a), 0);
    assert_int_equal(gfp_zvec_set_limbs(&c, five, 2, 2), GFP_OK); /* a zero at the end */
    assert_int_equal(gfp_zbipoly_set_coeff(&a, 9, &c), GFP_OK);
    assert_int_equal(a.len, 10);
    assert_int_equal(a.coeff[9].len, 1);
    assert_int_equal(a.coeff[9].width, 1);
    assert_int_equal(gfp_zbipoly_len_x(&a), 1);
    assert_int_equal(gfp_zbipoly_set(&b, &a), GFP_OK);
    assert_true(lab_bivariate_equal(&a, &b));
    assert_int_equal(gfp_zbipoly_set_coeff(&b, 3, &b.coeff[9]), GFP_OK);
    assert_false(lab_bivariate_equal(&a, &b));
    gfp_zvec_clear(&c);
    assert_int_equal(gfp_zbipoly_set_coeff(&b, 9, &c), GFP_OK);
    assert_int_equal(b.len, 4);
    assert_int_equal(gfp_zbipoly_set_coeff(&b, 3, &c), GFP_OK);
    assert_int_equal(b.len, 0);
    assert_int_equal(gfp_zbipoly_set_coeff(&b, 1000, &c), GFP_OK);
    assert_int_equal(b.len, 0);
    assert_int_equal(gfp_zbipoly_set(&a, &b), GFP_OK);
    assert_int_equal(a.len, 0);
    assert_int_equal(gfp_zbipoly_set(&a, &a), GFP_OK);
    gfp_zbipoly_clear(&a);
    gfp_zbipoly_clear(&b);
    gfp_zvec_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_resultants_are_determinants),
        cmocka_unit_test(long_columns_meet_their_points),
        cmocka_unit_test(zeros_and_constants),
        cmocka_unit_test(common_factors_give_zero),
        cmocka_unit_test(powers_of_y_give_zero),
        cmocka_unit_test(leading_coefficients_may_vanish),
        cmocka_unit_test(bounds_are_reached),
#if GFP_HAVE_FLINT
        cmocka_unit_test(resultants_are_those_of_flint),
#endif
        cmocka_unit_test(resultants_are_multiplicative),
        cmocka_unit_test(threads_and_outputs_that_are_inputs),
        cmocka_unit_test(checks_see_wrong_results),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(coefficients_come_and_go),
    };
    return cmocka_run_group_tests(tests, zlab_setup, zlab_teardown);
}
