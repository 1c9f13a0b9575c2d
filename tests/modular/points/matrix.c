/* matrix.c: matrices over Z[X]: determinants and characteristic polynomials against the
 * definition at points and against FLINT, at every kernel level; matrices whose pivots vanish
 * modulo some primes or at some points; storage, text, threads, caps, failing allocations.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>

#include "lab/rows.h"
#include "modular/polynomials.h"
#include "modular/lab.h"

#include "field/base/cpu.h"
#include "gfpoly/zmatrix.h"
#include "crt/blocks/remainders.h"
#include "modular/points/matrix.h"
#include "modular/ring.h"
#include "modular/bivariate.h"

#if GFP_HAVE_FLINT
#include <flint/fmpz.h>
#include <flint/fmpz_mat.h>
#include <flint/fmpz_poly.h>
#include <flint/fmpz_poly_mat.h>
#endif

/* ---- matrices by GMP ---- */

typedef struct matlab {
    zlab *entry;
    size_t n;
} matlab;

static matlab matlab_new(size_t n, size_t len)
{
    matlab a = {malloc((n * n + 1) * sizeof(zlab)), n};
    assert_non_null(a.entry);
    for (size_t i = 0; i < n * n; i++) {
        a.entry[i] = zlab_new(len);
    }
    return a;
}

static void matlab_free(matlab *a)
{
    for (size_t i = 0; i < a->n * a->n; i++) {
        zlab_free(&a->entry[i]);
    }
    free(a->entry);
}

/* Entries of this length, one in `sparse` other than 0. */
static matlab matlab_random(size_t n, size_t len, size_t bits, size_t sparse, gfp_random *g)
{
    matlab a = matlab_new(n, 0);
    for (size_t i = 0; i < n * n; i++) {
        zlab_free(&a.entry[i]);
        const bool some = gfp_random_below(g, sparse) == 0;
        a.entry[i] = some ? zlab_random(len, bits, 1, g) : zlab_new(0);
    }
    return a;
}

static void matlab_set(gfp_zmatrix *z, matlab a)
{
    gfp_zvec c;
    gfp_zvec_init(&c, z->ring);
    assert_int_equal(gfp_zmatrix_set_zero(z, a.n), GFP_OK);
    for (size_t i = 0; i < a.n * a.n; i++) {
        zlab_set(&c, a.entry[i]);
        assert_int_equal(gfp_zmatrix_set_entry(z, i / a.n, i % a.n, &c), GFP_OK);
    }
    gfp_zvec_clear(&c);
}

static void matrix_value(mpz_t z, zlab f, const mpz_t x)
{
    mpz_set_ui(z, 0);
    for (size_t i = f.len; i-- > 0;) {
        mpz_mul(z, z, x);
        mpz_add(z, z, f.c[i]);
    }
}

/* det := the determinant of t I - a, or of a if t is NULL, at x. */
static void determinant_at(mpz_t det, matlab a, const mpz_t x, const mpz_t t)
{
    zlab m = zlab_new(a.n * a.n);
    for (size_t i = 0; i < a.n * a.n; i++) {
        matrix_value(m.c[i], a.entry[i], x);
        if (t != NULL) {
            mpz_neg(m.c[i], m.c[i]);
            if (i % (a.n + 1) == 0) {
                mpz_add(m.c[i], m.c[i], t);
            }
        }
    }
    zlab_determinant(det, m.c, a.n);
    zlab_free(&m);
}

/* ---- results at all levels ---- */

/* Both results, the same at all levels and by all ways of checking. */
static void matrix_results(gfp_zvec *det, gfp_zbipoly *poly, const gfp_zmatrix *a)
{
    const gfp_level own = ring->level;
    gfp_zvec other;
    gfp_zbipoly other_poly;
    gfp_zvec_init(&other, ring);
    gfp_zbipoly_init(&other_poly, ring);
    assert_int_equal(gfp_zmatrix_det(det, a, NULL), GFP_OK);
    assert_int_equal(gfp_zmatrix_charpoly(poly, a, NULL), GFP_OK);
    for (size_t i = 0; i < 3; i++) {
        gfp_report report = {.threads = 0};
        const gfp_options options = {.verify = (gfp_verify)(GFP_VERIFY_NONE + i),
                                     .verify_seed = 3 + i,
                                     .report = &report,
                                     .threads = 1 + i % 2};
        ring->level = zlab_level(i);
        assert_int_equal(gfp_zmatrix_det(&other, a, &options), GFP_OK);
        assert_string_equal(report.method, "words");
        assert_true(gfp_zvec_equal(det, &other));
        assert_int_equal(gfp_zmatrix_charpoly(&other_poly, a, &options), GFP_OK);
        assert_true(a->n == 0 || report.verified == (gfp_verify)(GFP_VERIFY_NONE + i));
        assert_true(lab_bivariate_equal(poly, &other_poly));
    }
    ring->level = own;
    gfp_zvec_clear(&other);
    gfp_zbipoly_clear(&other_poly);
}

/* z := c at x and t. */
static void value_of(mpz_t z, const gfp_zbipoly *c, const mpz_t x, const mpz_t t)
{
    mpz_t one;
    mpz_init(one);
    mpz_set_ui(z, 0);
    for (size_t j = c->len; j-- > 0;) {
        zlab row = zlab_of(&c->coeff[j]);
        matrix_value(one, row, x);
        mpz_mul(z, z, t);
        mpz_add(z, z, one);
        zlab_free(&row);
    }
    mpz_clear(one);
}

/* Fails the test unless both results have the right values at more points than degrees. */
static void expect_definition(matlab a, const char *what)
{
    gfp_zmatrix z;
    gfp_zvec det;
    gfp_zbipoly poly;
    size_t len = 1;
    gfp_zmatrix_init(&z, ring);
    gfp_zvec_init(&det, ring);
    gfp_zbipoly_init(&poly, ring);
    matlab_set(&z, a);
    matrix_results(&det, &poly, &z);
    for (size_t i = 0; i < a.n * a.n; i++) {
        len = z.entry[i].len > len ? z.entry[i].len : len;
    }
    const size_t degree = a.n * (len - 1);
    assert_true(det.len <= degree + 1);
    assert_int_equal(poly.len, a.n + 1);
    zlab got = zlab_of(&det);
    mpz_t x, t, z1, expected;
    mpz_inits(x, t, z1, expected, NULL);
    for (size_t i = 0; i <= degree; i++) {
        mpz_set_si(x, (long)i - (long)(degree / 2));
        determinant_at(expected, a, x, NULL);
        matrix_value(z1, got, x);
        if (mpz_cmp(z1, expected) != 0) {
            fail_msg("%s: n = %zu: another determinant at point %zu", what, a.n, i);
        }
        for (size_t j = 0; j <= a.n; j++) {
            mpz_set_si(t, (long)j - 1);
            determinant_at(expected, a, x, t);
            value_of(z1, &poly, x, t);
            if (mpz_cmp(z1, expected) != 0) {
                fail_msg("%s: n = %zu: another characteristic polynomial at %zu, %zu", what, a.n, i,
                         j);
            }
        }
    }
    for (size_t j = 0; j < poly.len; j++) {
        assert_true(poly.coeff[j].len <= degree + 1);
    }
    mpz_clears(x, t, z1, expected, NULL);
    zlab_free(&got);
    gfp_zmatrix_clear(&z);
    gfp_zvec_clear(&det);
    gfp_zbipoly_clear(&poly);
}

static void small_matrices_meet_the_definition(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 1);
    for (size_t trial = 0; trial < 90; trial++) {
        const size_t n = trial % 8, len = 1 + gfp_random_below(&g, trial % 3 == 0 ? 1 : 4);
        const size_t bits = 1 + gfp_random_below(&g, trial % 5 == 0 ? 300 : 70);
        matlab a = matlab_random(n, len, bits, 1 + trial % 4, &g);
        expect_definition(a, "random");
        matlab_free(&a);
    }
}

/* Entries of different lengths, some long. */
static void degrees_may_differ(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 2);
    for (size_t trial = 0; trial < 20; trial++) {
        const size_t n = 1 + trial % 5;
        matlab a = matlab_new(n, 0);
        for (size_t i = 0; i < n * n; i++) {
            zlab_free(&a.entry[i]);
            const size_t len = gfp_random_below(&g, 5);
            a.entry[i] = zlab_random(i == trial % (n * n) ? 12 : len, 40, 1, &g);
        }
        expect_definition(a, "lengths");
        matlab_free(&a);
    }
}

/* Permutations, nilpotent matrices, products of a column and a row, zero rows, companions: pivots
 * vanish in all lanes. */
static void structured_matrices(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 3);
    for (size_t n = 1; n < 9; n++) {
        for (size_t kind = 0; kind < 7; kind++) {
            matlab a = matlab_new(n, 2);
            for (size_t i = 0; i < n; i++) {
                for (size_t j = 0; j < n; j++) {
                    mpz_t *c = a.entry[i * n + j].c;
                    const long u = (long)(i * i) - 3, v = 2 * (long)j + 1;
                    switch (kind) {
                    case 0: /* a cycle */
                        mpz_set_si(c[0], j == (i + 1) % n ? v : 0);
                        break;
                    case 1: /* the other diagonal */
                        mpz_set_si(c[1], j == n - 1 - i ? v : 0);
                        break;
                    case 2: /* nilpotent */
                        mpz_set_si(c[i % 2], j > i ? u : 0);
                        break;
                    case 3: /* rank 1 */
                        mpz_set_si(c[0], u * v);
                        break;
                    case 4: /* a zero column */
                        mpz_set_si(c[0], j == n / 2 ? 0 : u + v);
                        break;
                    case 5: /* X I - companion */
                        mpz_set_si(c[0], j + 1 == n ? u : i == j + 1 ? -1 : 0);
                        mpz_set_si(c[1], i == j);
                        break;
                    default: /* zero */
                        break;
                    }
                }
            }
            expect_definition(a, "structured");
            matlab_free(&a);
        }
    }
}

/* Entries that vanish modulo some primes of the first block, others modulo others, and (X^4 - 1)
 * times anything, which vanishes at some points. */
static void pivots_vanish_in_some_lanes(void **state)
{
    gfp_random g;
    const gfp_words *block;
    mpz_t factor;
    (void)state;
    gfp_random_seed(&g, 4);
    mpz_init(factor);
    assert_int_equal(gfp_words_supply_block(ring->supply, 0, &block), GFP_OK);
    for (size_t trial = 0; trial < 40; trial++) {
        const size_t n = 2 + trial % 6;
        matlab a = matlab_random(n, trial % 2 == 0 ? 1 : 5, 30, 1, &g);
        for (size_t i = 0; i < n * n; i++) {
            const size_t mask = gfp_random_below(&g, trial % 4 == 3 ? 2 : 256);
            mpz_set_ui(factor, 1);
            for (unsigned l = 0; l < GFP_WORDS; l++) {
                if ((mask >> l & 1) != 0) {
                    mpz_mul_ui(factor, factor, (unsigned long)block->q[l]);
                }
            }
            zlab *f = &a.entry[i];
            for (size_t k = 0; k < f->len; k++) {
                mpz_mul(f->c[k], f->c[k], factor);
            }
            if (f->len == 5 && gfp_random_below(&g, 2) == 0) {
                mpz_neg(f->c[4], f->c[0]);
                for (size_t k = 1; k < 4; k++) {
                    mpz_set_ui(f->c[k], 0);
                }
            }
        }
        expect_definition(a, "lanes");
        matlab_free(&a);
    }
    mpz_clear(factor);
}

/* Hadamard's matrix of n = 2^k rows times 2^bits - less, for polynomials of len equal coefficients.
 */
static void check_bound(size_t n, size_t len, size_t bits, unsigned less)
{
    matlab a = matlab_new(n, len);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            unsigned odd = 0;
            for (size_t both = i & j; both != 0; both /= 2) {
                odd ^= both & 1;
            }
            zlab *f = &a.entry[i * n + j];
            for (size_t k = 0; k < f->len; k++) {
                mpz_set_si(f->c[k], odd != 0 ? -1 : 1);
                mpz_mul_2exp(f->c[k], f->c[k], bits);
                mpz_sub_ui(f->c[k], f->c[k], less);
            }
        }
    }
    expect_definition(a, "extreme");
    matlab_free(&a);
}

/* Such matrices reach the bound; determinants are powers of two, of either sign, or next to them.
 */
static void bounds_are_reached(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 8; n *= 2) {
        for (unsigned trial = 0; trial < 4; trial++) {
            check_bound(n, 1 + trial % 2, 63, trial / 2);
        }
        for (size_t bits = 0; bits < 70; bits += n) {
            check_bound(n, 1, bits, 0);
            check_bound(n, 1, bits, 1);
        }
    }
}

#if GFP_HAVE_FLINT
static void integers_are_those_of_flint(void **state)
{
    static const struct {
        size_t n, bits, sparse;
    } sizes[] = {{1, 900, 1}, {15, 20, 1}, {30, 8, 1}, {33, 60, 3}, {12, 700, 1}, {40, 3, 8}};
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 5);
    for (size_t s = 0; LAB_ROW(sizes, s); s++) {
        const size_t n = sizes[s].n;
        matlab a = matlab_random(n, 1, sizes[s].bits, sizes[s].sparse, &g);
        gfp_zmatrix z;
        gfp_zvec det;
        gfp_zbipoly poly;
        fmpz_mat_t m;
        fmpz_poly_t f;
        fmpz_t d;
        gfp_zmatrix_init(&z, ring);
        gfp_zvec_init(&det, ring);
        gfp_zbipoly_init(&poly, ring);
        fmpz_mat_init(m, (slong)n, (slong)n);
        fmpz_poly_init(f);
        fmpz_init(d);
        matlab_set(&z, a);
        for (size_t i = 0; i < n * n; i++) {
            if (a.entry[i].len > 0) {
                fmpz_set_mpz(fmpz_mat_entry(m, (slong)(i / n), (slong)(i % n)), a.entry[i].c[0]);
            }
        }
        fmpz_mat_det(d, m);
        fmpz_mat_charpoly(f, m);
        zlab expected = zlab_new(1);
        fmpz_get_mpz(expected.c[0], d);
        assert_int_equal(gfp_zmatrix_det(&det, &z, NULL), GFP_OK);
        zlab_expect(&det, expected, "determinant");
        zlab_free(&expected);
        assert_int_equal(gfp_zmatrix_charpoly(&poly, &z, NULL), GFP_OK);
        assert_int_equal(poly.len, n + 1);
        for (size_t i = 0; i <= n; i++) {
            expected = zlab_new(1);
            fmpz_poly_get_coeff_fmpz(d, f, (slong)i);
            fmpz_get_mpz(expected.c[0], d);
            zlab_expect(&poly.coeff[i], expected, "characteristic polynomial");
            zlab_free(&expected);
        }
        fmpz_clear(d);
        fmpz_poly_clear(f);
        fmpz_mat_clear(m);
        gfp_zmatrix_clear(&z);
        gfp_zvec_clear(&det);
        gfp_zbipoly_clear(&poly);
        matlab_free(&a);
    }
}

static void determinants_are_those_of_flint(void **state)
{
    static const struct {
        size_t n, len, bits, sparse;
    } sizes[] = {{4, 40, 64, 1}, {10, 6, 30, 1}, {16, 3, 100, 2}, {20, 2, 10, 1}, {3, 100, 500, 1}};
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 6);
    for (size_t s = 0; LAB_ROW(sizes, s); s++) {
        const size_t n = sizes[s].n;
        matlab a = matlab_random(n, sizes[s].len, sizes[s].bits, sizes[s].sparse, &g);
        gfp_zmatrix z;
        gfp_zvec det;
        fmpz_poly_mat_t m;
        fmpz_poly_t f;
        fmpz_t c;
        gfp_zmatrix_init(&z, ring);
        gfp_zvec_init(&det, ring);
        fmpz_poly_mat_init(m, (slong)n, (slong)n);
        fmpz_poly_init(f);
        fmpz_init(c);
        matlab_set(&z, a);
        for (size_t i = 0; i < n * n; i++) {
            for (size_t k = 0; k < a.entry[i].len; k++) {
                fmpz_set_mpz(c, a.entry[i].c[k]);
                fmpz_poly_set_coeff_fmpz(fmpz_poly_mat_entry(m, (slong)(i / n), (slong)(i % n)),
                                         (slong)k, c);
            }
        }
        fmpz_poly_mat_det(f, m);
        assert_int_equal(gfp_zmatrix_det(&det, &z, NULL), GFP_OK);
        zlab expected = zlab_new((size_t)fmpz_poly_length(f));
        for (size_t i = 0; i < expected.len; i++) {
            fmpz_poly_get_coeff_fmpz(c, f, (slong)i);
            fmpz_get_mpz(expected.c[i], c);
        }
        zlab_expect(&det, expected, "FLINT");
        zlab_free(&expected);
        fmpz_clear(c);
        fmpz_poly_clear(f);
        fmpz_poly_mat_clear(m);
        gfp_zmatrix_clear(&z);
        gfp_zvec_clear(&det);
        matlab_free(&a);
    }
}
#endif

/* ---- calls ---- */

static void make_matrix(gfp_zmatrix *z, gfp_zring *operand, size_t n, size_t len, size_t bits)
{
    gfp_random g;
    gfp_random_seed(&g, 9);
    matlab a = matlab_random(n, len, bits, 1, &g);
    gfp_zmatrix_init(z, operand);
    matlab_set(z, a);
    matlab_free(&a);
}

static void threads_and_outputs_that_are_inputs(void **state)
{
    gfp_zmatrix a;
    gfp_zvec one, more;
    gfp_zbipoly first, second;
    gfp_report report;
    const gfp_options options = {
        .threads = 3, .method = "words", .memory_cap = (size_t)1 << 26, .report = &report};
    (void)state;
    make_matrix(&a, ring, 12, 9, 100);
    gfp_zvec_init(&one, ring);
    gfp_zvec_init(&more, ring);
    gfp_zbipoly_init(&first, ring);
    gfp_zbipoly_init(&second, ring);
    assert_int_equal(gfp_zmatrix_det(&one, &a, NULL), GFP_OK);
    assert_int_equal(gfp_zmatrix_det(&more, &a, &options), GFP_OK);
    assert_int_equal(report.threads, gfp_build_get_info()->threads ? 3 : 1);
    assert_true(gfp_zvec_equal(&one, &more));
    assert_int_equal(gfp_zmatrix_charpoly(&first, &a, NULL), GFP_OK);
    assert_int_equal(gfp_zmatrix_charpoly(&second, &a, &options), GFP_OK);
    assert_true(lab_bivariate_equal(&first, &second));
    assert_true(gfp_zvec_equal(&first.coeff[0], &one)); /* n is even */
    gfp_zvec taken = a.entry[2];
    assert_int_equal(gfp_zmatrix_det(&taken, &a, NULL), GFP_OK);
    a.entry[2] = taken;
    assert_true(gfp_zvec_equal(&one, &taken));
    gfp_zmatrix_clear(&a);
    gfp_zvec_clear(&one);
    gfp_zvec_clear(&more);
    gfp_zbipoly_clear(&first);
    gfp_zbipoly_clear(&second);
}

typedef struct outputs {
    gfp_zvec det;
    gfp_zbipoly poly;
} outputs;

static void checks_see_wrong_results(void **state)
{
    const gfp_zimage_kind *const kinds[] = {&gfp_zmatrix_determinants, &gfp_zmatrix_charpolys};
    gfp_zmatrix a;
    (void)state;
    make_matrix(&a, ring, 4, 3, 40);
    const gfp_zbipoly entries = gfp_zmatrix_view(&a);
    for (size_t k = 0; k < 2; k++) {
        gfp_zcall call;
        uint64_t *r;
        bool zero;
        gfp_zimages images = {
            .kind = kinds[k], .operand = {&entries, NULL}, .n = a.n, .results = k == 0 ? 1 : a.n};
        assert_int_equal(zlab_call_begin(&call, "test", ring, NULL), GFP_OK);
        assert_int_equal(gfp_zmatrix_bounds(&call, &images, &a, &zero), GFP_OK);
        assert_false(zero);
        assert_int_equal(images.degree, 8);
        const size_t n = images.results * (images.degree + 1) * gfp_z_width(images.bits);
        assert_int_equal(gfp_call_array(&call.base, &r, n), GFP_OK);
        assert_int_equal(gfp_zimages_compute(&call, r, &images, 0, 1), GFP_OK);
        assert_int_equal(gfp_zimages_check(&call, r, &images), GFP_OK);
        for (size_t i = 0; i < n; i += 5) {
            r[i] ^= (uint64_t)1 << i % 64;
            assert_int_equal(gfp_zimages_check(&call, r, &images), GFP_ERR_VERIFY);
            r[i] ^= (uint64_t)1 << i % 64;
        }
        assert_int_equal(gfp_call_end(&call.base, GFP_OK), GFP_OK);
    }
    gfp_zmatrix_clear(&a);
}

static void bad_arguments(void **state)
{
    gfp_zmatrix a, far_matrix, large;
    gfp_zvec z, far;
    gfp_zbipoly c;
    gfp_zring *other;
    gfp_error error;
    gfp_options options = {.error = &error};
    (void)state;
    make_matrix(&a, ring, 3, 2, 30);
    assert_int_equal(gfp_zring_create(&other, NULL, NULL), GFP_OK);
    gfp_zvec_init(&z, ring);
    gfp_zvec_init(&far, other);
    gfp_zbipoly_init(&c, ring);
    gfp_zmatrix_init(&far_matrix, other);
    gfp_zmatrix_init(&large, ring);
    assert_int_equal(gfp_zmatrix_det(NULL, &a, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zmatrix_det(&z, NULL, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zmatrix_det(&far, &a, &options), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_zmatrix_charpoly(NULL, &a, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zmatrix_charpoly(&c, &far_matrix, &options), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_zmatrix_set_entry(&a, 0, 0, &far), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_zmatrix_set_entry(&a, 3, 0, &z), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zmatrix_set_zero(&large, SIZE_MAX / 2), GFP_ERR_SIZE);
    options.method = "magic";
    assert_int_equal(gfp_zmatrix_det(&z, &a, &options), GFP_ERR_UNKNOWN);
    options.method = "big";
    assert_int_equal(gfp_zmatrix_det(&z, &a, &options), GFP_ERR_UNAVAILABLE);
    assert_int_equal(gfp_zmatrix_charpoly(&c, &a, &options), GFP_ERR_UNAVAILABLE);
    /* More points than roots of unity. */
    options.method = NULL;
    uint64_t *many = calloc((size_t)1400001, sizeof *many);
    assert_non_null(many);
    many[1400000] = 1;
    assert_int_equal(gfp_zmatrix_set_zero(&large, 2), GFP_OK);
    assert_int_equal(gfp_zvec_set_limbs(&z, many, (size_t)1400001, 1), GFP_OK);
    free(many);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(gfp_zmatrix_set_entry(&large, i, i, &z), GFP_OK);
    }
    assert_int_equal(gfp_zmatrix_det(&z, &large, &options), GFP_ERR_SIZE);
    assert_non_null(strstr(error.message, "degree"));
    gfp_zmatrix_clear(&large);
    gfp_zmatrix_clear(&a);
    gfp_zbipoly_clear(&c);
    gfp_zvec_clear(&z);
    gfp_zvec_clear(&far);
    gfp_zring_destroy(other);
}

/* ---- storage and text ---- */

static void entries_come_and_go(void **state)
{
    static const uint64_t five[] = {5, 0, 0, 0};
    gfp_zmatrix a;
    gfp_zvec c;
    (void)state;
    gfp_zmatrix_init(&a, ring);
    gfp_zvec_init(&c, ring);
    assert_int_equal(gfp_zmatrix_set_zero(&a, 2), GFP_OK);
    assert_int_equal(gfp_zvec_set_limbs(&c, five, 2, 2), GFP_OK); /* a zero at the end */
    assert_int_equal(gfp_zmatrix_set_entry(&a, 0, 1, &c), GFP_OK);
    assert_int_equal(a.entry[1].len, 1);
    assert_int_equal(a.entry[1].width, 1);
    assert_int_equal(gfp_zmatrix_set_entry(&a, 1, 1, &a.entry[1]), GFP_OK);
    assert_int_equal(a.entry[3].limbs[0], 5);
    assert_int_equal(a.entry[2].len, 0);
    assert_int_equal(gfp_zmatrix_set_zero(&a, 0), GFP_OK);
    assert_int_equal(a.n, 0);
    gfp_zmatrix_clear(&a);
    gfp_zvec_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_matrices_meet_the_definition),
        cmocka_unit_test(degrees_may_differ),
        cmocka_unit_test(structured_matrices),
        cmocka_unit_test(pivots_vanish_in_some_lanes),
        cmocka_unit_test(bounds_are_reached),
#if GFP_HAVE_FLINT
        cmocka_unit_test(integers_are_those_of_flint),
        cmocka_unit_test(determinants_are_those_of_flint),
#endif
        cmocka_unit_test(threads_and_outputs_that_are_inputs),
        cmocka_unit_test(checks_see_wrong_results),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(entries_come_and_go),
    };
    return cmocka_run_group_tests(tests, zlab_setup, zlab_teardown);
}
