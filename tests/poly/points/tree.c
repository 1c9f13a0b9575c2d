/* tree.c: products from roots, values at points, interpolation: results are those of Horner's
 * rule, of the quadratic algorithms, and FLINT's; threads share trees.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/points/lab.h"

#include <limits.h>
#include <pthread.h>

#include "lab/rows.h"
#include "lab/sanitized.h"
#include "field/elem.h"
#include "poly/points/tree.h"
#if GFP_HAVE_FLINT
#include "gfpoly/flint.h"
#include <flint/fmpz_vec.h>
#endif

/* Numbers of points around the thresholds, and on both sides of lengths of rings. */
static const size_t sizes[] = {1,  2,  3,  5,  8,  16, 17, 18,  20,  21,  24, 25,
                               31, 32, 33, 40, 41, 63, 65, 100, 129, 161, 257};
#define SIZES (sizeof sizes / sizeof sizes[0])

static size_t tree_largest(unsigned k)
{
    return SANITIZED ? 41 : k <= 8 ? 257 : k <= 32 ? 65 : 21;
}

static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};

/* ---- right results ---- */

static void check_roots(orchard *s, const gfp_options *options)
{
    gfp_poly expected;
    gfp_poly_init(&expected, s->field);
    slow_roots(&expected, s->points, s->n);
    assert_int_equal(gfp_poly_product_roots(&s->z, s->points, s->n, options), GFP_OK);
    expect_same(&s->z, &expected, "product from roots", s->n, 0);
    assert_int_equal(gfp_tree_product(&s->z, s->T), GFP_OK);
    expect_same(&s->z, &expected, "product of a tree", s->n, 0);
    gfp_poly_clear(&expected);
}

/* Polynomials of several lengths, 0 included. */
static void check_values(orchard *s, const gfp_options *options)
{
    gfp_poly part;
    uint64_t *expected = new_vector(s->field, s->n);
    gfp_poly_init(&part, s->field);
    const size_t lengths[] = {0, 1, 2, s->n / 2, 17, s->n, s->n + 1, 2 * s->n + 5};
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        assert_int_equal(gfp_poly_truncate(&part, &s->longer, lengths[i]), GFP_OK);
        slow_values(expected, &part, s->points, s->n);
        memset(s->y, 0x55, s->n * s->k * sizeof *s->y);
        assert_int_equal(gfp_tree_eval(s->y, &part, s->T, options), GFP_OK);
        expect_values(s, expected, "values by a tree");
        memset(s->y, 0x55, s->n * s->k * sizeof *s->y);
        assert_int_equal(gfp_poly_eval_vec(s->y, &part, s->points, s->n, options), GFP_OK);
        expect_values(s, expected, "values");
    }
    gfp_poly_clear(&part);
    free(expected);
}

static void check_interpolation(orchard *s, const gfp_options *options)
{
    assert_int_equal(gfp_poly_interpolate(&s->z, s->points, s->values, s->n, options), GFP_OK);
    expect_same(&s->z, &s->f, "interpolation", s->n, 0);
    for (size_t i = 0; i < 2; i++) { /* the second time with weights */
        gfp_poly_zero(&s->z);
        assert_int_equal(gfp_tree_interpolate(&s->z, s->values, s->T, options), GFP_OK);
        expect_same(&s->z, &s->f, "interpolation by a tree", s->n, i);
        assert_int_equal(gfp_tree_eval(s->y, &s->f, s->T, options), GFP_OK);
        expect_values(s, s->values, "values by a tree with weights");
    }
}

/* Points i < j that are equal: both are named. */
static void check_refusal(orchard *s)
{
    gfp_error error = {0};
    char text[64];
    const gfp_options options = {.error = &error};
    gfp_poly_zero(&s->z);
    lab_expect_status(gfp_poly_interpolate(&s->z, s->points, s->values, s->n, &options),
                      GFP_ERR_NOT_INVERTIBLE, &error, "equal points");
    lab_expect_status(gfp_tree_interpolate(&s->z, s->values, s->T, &options),
                      GFP_ERR_NOT_INVERTIBLE, &error, "equal points of a tree");
    assert_true(s->z.len == 0);
    assert_true(error.index < s->n);
    size_t other = 0;
    while (other < error.index &&
           !gfp_elem_equal(s->field, s->points + other * s->k, s->points + error.index * s->k)) {
        other++;
    }
    assert_true(other < error.index);
    (void)snprintf(text, sizeof text, "points %zu and %zu are equal", other, (size_t)error.index);
    if (strstr(error.message, text) == NULL) {
        fail_msg("\"%s\" instead of \"%s\"", error.message, text);
    }
}

static void every_field(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = f % 3; i < SIZES && sizes[i] <= tree_largest(l->k); i += l->k > 8 ? 3 : 1) {
            const size_t n = sizes[i];
            const bool equal = (f + i) % 4 == 1 || !has_points(l->field, n);
            const gfp_options options = {.verify = kinds[(f + i) % 3],
                                         .method = i % 5 == 3 ? "classical" : NULL};
            orchard s;
            make_orchard(&s, l->field, n, equal, i);
            assert_int_equal(gfp_tree_create(&s.T, l->field, s.points, n, &options), GFP_OK);
            check_roots(&s, &options);
            check_values(&s, &options);
            if (!equal) {
                check_interpolation(&s, &options);
            } else if (n > 2) {
                check_refusal(&s);
            }
            clear_orchard(&s);
        }
    }
}

/* Short polynomials at several blocks of points, among them 0, 1, -1 and equal ones; coefficients
 * are random, or all -1, or all of greatest digits. */
static void few_terms_at_many_points(void **state)
{
    static const size_t lengths[] = {1, 9, 16, 17, 40, 100}, counts[] = {1, 255, 256, 257, 600};
    static const char *const fields[] = {"p2", "p4", "p8", "p16"};
    (void)state;
    for (size_t i = 0; i < (SANITIZED ? 8 : 4 * sizeof counts / sizeof counts[0]); i++) {
        const lab *l = lab_named(fields[i % 4]);
        const size_t k = l->k, n = counts[i / 4];
        uint64_t *points = lab_vector(l, n, 0), *y = new_vector(l->field, n);
        uint64_t *expected = new_vector(l->field, n);
        for (size_t j = 0; LAB_ROW(lengths, j); j++) {
            const gfp_options options = {.verify = kinds[(i + j) % 3],
                                         .threads = (unsigned)(1 + i % 2)};
            gfp_poly f;
            gfp_random g;
            gfp_poly_init(&f, l->field);
            gfp_random_seed(&g, i);
            random_poly(&f, lengths[j], &g);
            for (size_t t = 0; t < f.len * k && j % 3 > 0; t++) {
                f.digits[t] = j % 3 == 1 ? gfp_field_r(l->field) / 2 : gfp_field_r(l->field) - 1;
            }
            slow_values(expected, &f, points, n);
            assert_int_equal(gfp_poly_eval_vec(y, &f, points, n, &options), GFP_OK);
            lab_expect_digits(l, y, expected, n, "values of few terms", lengths[j], n);
            gfp_poly_clear(&f);
        }
        lab_free(points);
        free(y);
        free(expected);
    }
}

/* Polynomials of many terms at few points, also within a cap that has room for little more than
 * both: by steps, by Horner's rule since f is long, and since memory is short. */
static void many_terms_at_few_points(void **state)
{
    static const size_t lengths[] = {900, 4096, 4097, 100000};
    const lab *l = lab_named("p8");
    (void)state;
    for (size_t i = 0; i < 2 * (4 - SANITIZED); i++) {
        const size_t n = 10, len = lengths[i / 2];
        const gfp_options options = {.verify = i % 4 < 2 ? GFP_VERIFY_POINT : GFP_VERIFY_NONE,
                                     .memory_cap = i % 2 == 0 ? 0 : (size_t)1 << 17};
        uint64_t *points = lab_vector(l, n, 0), *y = new_vector(l->field, n);
        uint64_t *expected = new_vector(l->field, n);
        gfp_poly f;
        gfp_random g;
        gfp_poly_init(&f, l->field);
        gfp_random_seed(&g, i);
        random_poly(&f, len, &g);
        slow_values(expected, &f, points, n);
        assert_int_equal(gfp_poly_eval_vec(y, &f, points, n, &options), GFP_OK);
        lab_expect_digits(l, y, expected, n, "values of many terms", len, n);
        gfp_poly_clear(&f);
        lab_free(points);
        free(y);
        free(expected);
    }
}

/* Trees by transforms are those of the quadratic algorithms; lengths are not padded visibly. */
static void long_ones(void **state)
{
    static const size_t lengths[] = {1000, 1025, 1281, 3000};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0] - 2 * SANITIZED; i++) {
        const gfp_options options = {.verify = GFP_VERIFY_POINT};
        orchard s;
        make_orchard(&s, lab_named(i % 2 == 0 ? "p8" : "p2")->field, lengths[i], false, i);
        assert_int_equal(gfp_tree_create(&s.T, s.field, s.points, s.n, &options), GFP_OK);
        assert_int_equal(gfp_tree_eval(s.y, &s.f, s.T, &options), GFP_OK);
        expect_values(&s, s.values, "values");
        check_interpolation(&s, &options);
        clear_orchard(&s);
    }
}

static gfp_status check_claimed_values(const orchard *s, const uint64_t *values)
{
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .threads = 1};
    gfp_operation_call op;
    assert_int_equal(gfp_operation_begin(&op, "values", &options), GFP_OK);
    gfp_status status = gfp_operation_start(&op, s->field, 1, 1);
    if (status == GFP_OK) {
        status =
            gfp_tree_check_values(&op, s->T, NULL, (gfp_series){s->f.digits, s->f.len}, values);
    }
    return gfp_operation_end(&op, status);
}

/* Each wrong value is found, and errors at equal points that cancel out: by power sums that the
 * check computes, which wrong values do not keep, and by those that stay with the tree. */
static void wrong_values_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        orchard s;
        uint64_t one[GFP_MAX_K];
        make_orchard(&s, lab_named(i % 2 == 0 ? "p8" : "p2")->field, 130, false, i);
        gfp_elem_set(s.field, s.points + 77 * s.k, s.points + 5 * s.k);
        slow_values(s.values, &s.f, s.points, s.n);
        assert_int_equal(gfp_tree_create(&s.T, s.field, s.points, s.n, NULL), GFP_OK);
        assert_true(s.T->shape.base > 0);
        if (i >= 2) {
            assert_int_equal(check_claimed_values(&s, s.values), GFP_OK);
            assert_non_null(atomic_load(&s.T->sums));
        }
        gfp_elem_one(s.field, one);
        for (size_t j = 0; j < s.n; j++) {
            uint64_t *value = s.values + j * s.k;
            gfp_elem_add(s.field, value, value, one);
            assert_int_equal(check_claimed_values(&s, s.values), GFP_ERR_VERIFY);
            if (j == 5) {
                uint64_t *other = s.values + 77 * s.k;
                gfp_elem_sub(s.field, other, other, one);
                assert_int_equal(check_claimed_values(&s, s.values), GFP_ERR_VERIFY);
                gfp_elem_add(s.field, other, other, one);
            }
            gfp_elem_sub(s.field, value, value, one);
        }
        assert_true((atomic_load(&s.T->sums) != NULL) == (i >= 2));
        assert_int_equal(check_claimed_values(&s, s.values), GFP_OK);
        clear_orchard(&s);
    }
}

/* A wrong node of any level is found. */
static void wrong_products_of_a_tree_are_found(void **state)
{
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .threads = 2};
    orchard s;
    (void)state;
    make_orchard(&s, lab_named("p8")->field, 1000, false, 1);
    assert_int_equal(gfp_tree_create(&s.T, s.field, s.points, s.n, NULL), GFP_OK);
    for (unsigned l = 0; l <= s.T->shape.levels; l++) {
        const gfp_tree_level *level = &s.T->level[l];
        for (size_t i = 0; i < 3; i++) { /* in the first, a middle and the last node */
            const size_t node = i * (level->count - 1) / 2, at = node * (level->size + 1) + i;
            uint64_t *digit = level->polys + at * s.k + i;
            gfp_operation_call op;
            *digit ^= 1;
            assert_int_equal(gfp_operation_begin(&op, "a tree", &options), GFP_OK);
            gfp_status status = gfp_operation_start(&op, s.field, 1, 1);
            status = status == GFP_OK ? gfp_tree_check_products(&op, s.T) : status;
            assert_int_equal(gfp_operation_end(&op, status), GFP_ERR_VERIFY);
            *digit ^= 1;
        }
    }
    clear_orchard(&s);
}

/* All polynomials of degree below 3 at all triples of points over 5 elements. */
static void tiny_fields_exhaustively(void **state)
{
    (void)state;
    orchard s;
    make_orchard(&s, lab_named("2^2+1")->field, 3, false, 1);
    for (uint64_t code = 0; code < 125; code++) {
        const uint64_t x[] = {code % 5, code / 5 % 5, code / 25};
        const bool equal = x[0] == x[1] || x[0] == x[2] || x[1] == x[2];
        for (size_t i = 0; i < 3; i++) {
            gfp_elem_set_u64(s.field, s.points + i * s.k, x[i]);
        }
        for (uint64_t f = 0; f < 125; f++) {
            gfp_poly_zero(&s.f);
            assert_int_equal(gfp_poly_set_coeff_u64(&s.f, 0, f % 5), GFP_OK);
            assert_int_equal(gfp_poly_set_coeff_u64(&s.f, 1, f / 5 % 5), GFP_OK);
            assert_int_equal(gfp_poly_set_coeff_u64(&s.f, 2, f / 25), GFP_OK);
            slow_values(s.values, &s.f, s.points, 3);
            const gfp_options options = {.verify = kinds[f % 3]};
            assert_int_equal(gfp_poly_eval_vec(s.y, &s.f, s.points, 3, &options), GFP_OK);
            expect_values(&s, s.values, "values");
            assert_int_equal(gfp_poly_interpolate(&s.z, s.points, s.values, 3, &options),
                             equal ? GFP_ERR_NOT_INVERTIBLE : GFP_OK);
            if (!equal) {
                expect_same(&s.z, &s.f, "interpolation", code, f);
            }
        }
    }
    clear_orchard(&s);
}

#if GFP_HAVE_FLINT
static void as_flint_has_them(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        fmpz_t p;
        fmpz_mod_ctx_t ctx;
        fmpz_mod_poly_t a, m;
        fmpz_init(p);
        fmpz_set_mpz(p, l->o.p);
        fmpz_mod_ctx_init(ctx, p);
        fmpz_mod_poly_init(a, ctx);
        fmpz_mod_poly_init(m, ctx);
        for (size_t i = 1; i < SIZES && sizes[i] <= tree_largest(l->k); i += 3) {
            const size_t n = sizes[i];
            orchard s;
            make_orchard(&s, l->field, n, false, i + f);
            fmpz *x = _fmpz_vec_init((slong)n), *y = _fmpz_vec_init((slong)n);
            for (size_t j = 0; j < n; j++) {
                assert_int_equal(gfp_elem_get_fmpz(l->field, x + j, s.points + j * s.k), GFP_OK);
            }
            fmpz_mod_poly_product_roots_fmpz_vec(m, x, (slong)n, ctx);
            assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s.z, m, ctx), GFP_OK);
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(a, &s.f, ctx), GFP_OK);
            assert_int_equal(gfp_poly_product_roots(&s.f, s.points, n, NULL), GFP_OK);
            expect_same(&s.f, &s.z, "FLINT's product from roots", n, i);
            fmpz_mod_poly_evaluate_fmpz_vec(y, a, x, (slong)n, ctx);
            assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s.f, a, ctx), GFP_OK);
            assert_int_equal(gfp_poly_eval_vec(s.y, &s.f, s.points, n, NULL), GFP_OK);
            for (size_t j = 0; j < n; j++) {
                assert_int_equal(gfp_elem_set_fmpz(l->field, s.values + j * s.k, y + j), GFP_OK);
            }
            expect_values(&s, s.values, "FLINT's values");
            _fmpz_vec_clear(x, (slong)n);
            _fmpz_vec_clear(y, (slong)n);
            clear_orchard(&s);
        }
        fmpz_mod_poly_clear(a, ctx);
        fmpz_mod_poly_clear(m, ctx);
        fmpz_mod_ctx_clear(ctx);
        fmpz_clear(p);
    }
}
#endif

/* ---- geometric progressions ---- */

static void check_progression(orchard *s, const gfp_options *options)
{
    uint64_t *points = new_vector(s->field, s->n), *expected = new_vector(s->field, s->n);
    gfp_poly part;
    gfp_poly_init(&part, s->field);
    slow_progression(s->field, points, s->start, s->ratio, s->n);
    const size_t lengths[] = {0, 1, 17, s->n, 2 * s->n + 5};
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        assert_int_equal(gfp_poly_truncate(&part, &s->longer, lengths[i]), GFP_OK);
        slow_values(expected, &part, points, s->n);
        assert_int_equal(gfp_poly_eval_geometric(s->y, &part, s->start, s->ratio, s->n, options),
                         GFP_OK);
        expect_values(s, expected, "values at a progression");
    }
    gfp_poly_clear(&part);
    free(points);
    free(expected);
}

/* The order of the ratio, if it is below n; else n. */
static size_t order_below(const orchard *s)
{
    uint64_t x[GFP_MAX_K];
    size_t order = 1;
    gfp_elem_set(s->field, x, s->ratio);
    while (order < s->n && !gfp_elem_is_one(s->field, x)) {
        gfp_elem_mul(s->field, x, x, s->ratio);
        order++;
    }
    return order;
}

static void tree_progressions(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = f % 3; i < SIZES && sizes[i] <= tree_largest(l->k); i += l->k > 8 ? 3 : 1) {
            gfp_error error = {0};
            const gfp_options options = {.verify = kinds[(f + i) % 3],
                                         .method = i % 5 == 3 ? "classical" : NULL,
                                         .error = &error};
            orchard s;
            make_orchard(&s, l->field, sizes[i], false, i);
            check_progression(&s, &options);
            const size_t order = order_below(&s);
            const gfp_status status = gfp_poly_interpolate_geometric(&s.z, s.progression, s.start,
                                                                     s.ratio, s.n, &options);
            if (order >= s.n) {
                lab_expect_status(status, GFP_OK, &error, "interpolation at a progression");
                expect_same(&s.z, &s.f, "interpolation at a progression", s.n, i);
            } else {
                lab_expect_status(status, GFP_ERR_NOT_INVERTIBLE, &error, "a short progression");
                assert_int_equal(error.index, order);
            }
            clear_orchard(&s);
        }
    }
}

/* Ratios 0, 1, -1 and roots of unity; a start 0. */
static void special_progressions(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    const size_t n = 40;
    orchard s;
    make_orchard(&s, l->field, n, false, 3);
    for (unsigned i = 0; i < 5; i++) {
        gfp_error error = {0};
        const gfp_options options = {.verify = GFP_VERIFY_POINT, .error = &error};
        gfp_elem_set_u64(s.field, s.start, i == 4 ? 0 : 5);
        gfp_elem_set_u64(s.field, s.ratio, i == 0 ? 0 : i == 4 ? 3 : 1);
        if (i == 2) {
            gfp_elem_neg(s.field, s.ratio, s.ratio);
        } else if (i == 3) { /* r, of order 2 k = 16 */
            gfp_elem_mul_r(s.field, s.ratio, s.ratio, 1);
        }
        check_progression(&s, &options);
        gfp_poly_zero(&s.z);
        lab_expect_status(
            gfp_poly_interpolate_geometric(&s.z, s.values, s.start, s.ratio, n, &options),
            GFP_ERR_NOT_INVERTIBLE, &error, "equal points of a progression");
        assert_true(s.z.len == 0);
        if (i == 3) { /* as many points as the order */
            assert_int_equal(error.index, 16);
            assert_non_null(strstr(error.message, "the order of the ratio is 16"));
            assert_int_equal(gfp_poly_truncate(&s.f, &s.f, 16), GFP_OK);
            assert_int_equal(gfp_poly_eval_geometric(s.y, &s.f, s.start, s.ratio, 16, &options),
                             GFP_OK);
            assert_int_equal(
                gfp_poly_interpolate_geometric(&s.z, s.y, s.start, s.ratio, 16, &options), GFP_OK);
            expect_same(&s.z, &s.f, "interpolation at all roots of unity", 16, 0);
        }
    }
    clear_orchard(&s);
}

/* ---- arguments ---- */

static void bad_arguments(void **state)
{
    (void)state;
    gfp_error error = {0};
    const gfp_options options = {.error = &error}, unknown = {.error = &error, .method = "none"};
    gfp_tree *T = NULL;
    gfp_poly none = {.field = NULL};
    orchard s, other;
    make_orchard(&s, lab_named("p8")->field, 20, false, 1);
    make_orchard(&other, lab_named("p4")->field, 20, false, 1);
    assert_int_equal(gfp_tree_create(&s.T, s.field, s.points, s.n, NULL), GFP_OK);
#define EXPECT(call, status) lab_expect_status(call, status, &error, #call)
    EXPECT(gfp_poly_product_roots(NULL, s.points, 2, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_product_roots(&none, s.points, 2, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_product_roots(&s.z, NULL, 2, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_product_roots(&s.z, s.points, 2, &unknown), GFP_ERR_UNKNOWN);
    EXPECT(gfp_poly_product_roots(&s.z, s.points, SIZE_MAX, &options), GFP_ERR_SIZE);
    EXPECT(gfp_tree_create(NULL, s.field, s.points, 2, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_tree_create(&T, NULL, s.points, 2, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_tree_create(&T, s.field, NULL, 2, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_tree_create(&T, s.field, s.points, 0, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_tree_create(&T, s.field, s.points, 20, &unknown), GFP_ERR_UNKNOWN);
    EXPECT(gfp_tree_eval(NULL, &s.f, s.T, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_tree_eval(s.y, NULL, s.T, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_tree_eval(s.y, &s.f, NULL, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_tree_eval(s.y, &other.f, s.T, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_tree_interpolate(NULL, s.values, s.T, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_tree_interpolate(&s.z, NULL, s.T, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_tree_interpolate(&s.z, s.values, NULL, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_tree_interpolate(&other.z, s.values, s.T, &options), GFP_ERR_FIELD_MISMATCH);
    EXPECT(gfp_poly_eval_vec(s.y, NULL, s.points, 2, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_eval_vec(NULL, &s.f, s.points, 2, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_eval_vec(s.y, &s.f, NULL, 2, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_interpolate(&s.z, NULL, s.values, 2, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_interpolate(&s.z, s.points, NULL, 2, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_interpolate(NULL, s.points, s.values, 2, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_eval_geometric(s.y, &s.f, NULL, s.ratio, 2, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_eval_geometric(s.y, &s.f, s.start, NULL, 2, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_eval_geometric(NULL, &s.f, s.start, s.ratio, 2, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_eval_geometric(s.y, NULL, s.start, s.ratio, 2, &options), GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_eval_geometric(s.y, &s.f, s.start, s.ratio, SIZE_MAX, &options), GFP_ERR_SIZE);
    EXPECT(gfp_poly_interpolate_geometric(&s.z, NULL, s.start, s.ratio, 2, &options),
           GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_interpolate_geometric(&s.z, s.values, NULL, s.ratio, 2, &options),
           GFP_ERR_ARGUMENT);
    EXPECT(gfp_poly_interpolate_geometric(NULL, s.values, s.start, s.ratio, 2, &options),
           GFP_ERR_ARGUMENT);
#undef EXPECT
    assert_int_equal(gfp_tree_product(NULL, s.T), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_tree_product(&s.z, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_tree_product(&other.z, s.T), GFP_ERR_FIELD_MISMATCH);
    assert_true(s.z.len == 0 && other.z.len == 0);
    assert_null(T);
    gfp_tree_destroy(NULL);
    clear_orchard(&s);
    clear_orchard(&other);
}

static void no_points(void **state)
{
    orchard s;
    (void)state;
    make_orchard(&s, lab_named("p8")->field, 20, false, 1);
    assert_int_equal(gfp_poly_product_roots(&s.z, NULL, 0, NULL), GFP_OK);
    assert_true(gfp_poly_is_one(&s.z));
    assert_int_equal(gfp_poly_interpolate(&s.z, NULL, NULL, 0, NULL), GFP_OK);
    assert_true(s.z.len == 0);
    assert_int_equal(gfp_poly_eval_vec(NULL, &s.f, NULL, 0, NULL), GFP_OK);
    assert_int_equal(gfp_poly_eval_geometric(NULL, &s.f, s.start, s.ratio, 0, NULL), GFP_OK);
    assert_int_equal(gfp_poly_interpolate_geometric(&s.z, NULL, s.start, s.ratio, 0, NULL), GFP_OK);
    assert_true(s.z.len == 0);
    clear_orchard(&s);
}

static void outputs_may_be_inputs(void **state)
{
    (void)state;
    for (size_t n = 5; n < 80; n += 30) {
        orchard s;
        make_orchard(&s, lab_named("p8")->field, n, false, n);
        assert_int_equal(gfp_tree_create(&s.T, s.field, s.points, n, NULL), GFP_OK);
        gfp_vec_set(s.field, s.y, s.points, n);
        assert_int_equal(gfp_poly_eval_vec(s.y, &s.f, s.y, n, NULL), GFP_OK);
        expect_values(&s, s.values, "values in place of points");
        assert_int_equal(gfp_poly_set(&s.z, &s.f), GFP_OK);
        assert_int_equal(gfp_tree_eval(s.z.digits, &s.z, s.T, NULL), GFP_OK);
        gfp_vec_set(s.field, s.y, s.z.digits, n);
        expect_values(&s, s.values, "values in place of coefficients");
        gfp_vec_set(s.field, s.z.digits, s.values, n);
        assert_int_equal(gfp_tree_interpolate(&s.z, s.z.digits, s.T, NULL), GFP_OK);
        expect_same(&s.z, &s.f, "coefficients in place of values", n, 0);
        gfp_vec_set(s.field, s.y, s.start, 1);
        assert_int_equal(gfp_poly_eval_geometric(s.y, &s.f, s.y, s.ratio, n, NULL), GFP_OK);
        expect_values(&s, s.progression, "values in place of the start");
        gfp_vec_set(s.field, s.z.digits, s.progression, n);
        assert_int_equal(
            gfp_poly_interpolate_geometric(&s.z, s.z.digits, s.start, s.ratio, n, NULL), GFP_OK);
        expect_same(&s.z, &s.f, "coefficients in place of values of a progression", n, 0);
        clear_orchard(&s);
    }
}

/* ---- threads ---- */

#define ROUNDS 10

static void *tree_work(void *user)
{
    orchard *s = user;
    uint64_t *y = new_vector(s->field, s->n);
    gfp_poly z;
    bool right = true;
    gfp_poly_init(&z, s->field);
    for (size_t i = 0; i < ROUNDS && right; i++) {
        const gfp_options options = {.verify = kinds[i % 2]};
        right = gfp_tree_eval(y, &s->f, s->T, &options) == GFP_OK &&
                gfp_vec_equal(s->field, y, s->values, s->n) &&
                gfp_tree_interpolate(&z, y, s->T, &options) == GFP_OK && gfp_poly_equal(&z, &s->f);
    }
    gfp_poly_clear(&z);
    free(y);
    return right ? user : NULL;
}

static void two_threads_share_a_tree(void **state)
{
    (void)state;
    pthread_t threads[2];
    orchard s;
    make_orchard(&s, lab_named("p8")->field, 100, false, 1);
    assert_int_equal(gfp_tree_create(&s.T, s.field, s.points, s.n, NULL), GFP_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, tree_work, &s), 0);
    }
    for (size_t i = 0; i < 2; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, &s);
    }
    clear_orchard(&s);
}

/* ---- calls ---- */

static gfp_status tree_multieval(orchard *s, const gfp_options *options)
{
    return gfp_poly_eval_vec(s->y, &s->f, s->points, s->n, options);
}

static gfp_status tree_interpolation(orchard *s, const gfp_options *options)
{
    return gfp_poly_interpolate(&s->z, s->points, s->values, s->n, options);
}

/* Roots, and the start of a progression, that lie in the result, which has no room yet. */
static void inputs_in_the_result(void **state)
{
    (void)state;
    orchard s;
    gfp_poly f, expected;
    make_orchard(&s, lab_named("p8")->field, 40, false, 2);
    gfp_poly_init(&f, s.field);
    gfp_poly_init(&expected, s.field);
    assert_int_equal(gfp_poly_product_roots(&expected, s.points, s.n, NULL), GFP_OK);
    assert_int_equal(gfp_poly_fit_length(&f, s.n), GFP_OK);
    gfp_vec_set(s.field, f.digits, s.points, s.n);
    assert_int_equal(gfp_poly_product_roots(&f, f.digits, s.n, NULL), GFP_OK);
    assert_true(gfp_poly_equal(&f, &expected));
    assert_int_equal(
        gfp_poly_interpolate_geometric(&expected, s.values, s.start, s.ratio, s.n, NULL), GFP_OK);
    gfp_poly_clear(&f);
    assert_int_equal(gfp_poly_fit_length(&f, 1), GFP_OK);
    gfp_elem_set(s.field, f.digits, s.start);
    assert_int_equal(gfp_poly_interpolate_geometric(&f, s.values, f.digits, s.ratio, s.n, NULL),
                     GFP_OK);
    assert_true(gfp_poly_equal(&f, &expected));
    gfp_poly_clear(&f);
    gfp_poly_clear(&expected);
    clear_orchard(&s);
}

/* ---- progress ---- */

typedef struct counter {
    unsigned steps, late; /* late: near the end */
    double before;        /* the last fraction below 1 */
} counter;

static bool count_steps(void *user, double fraction)
{
    counter *c = user;
    c->steps++;
    c->late += fraction > 0.95;
    c->before = fraction < 1 ? fraction : c->before;
    return true;
}

/* Quadratic computations and checks take nearly all the time of these calls, and of the bar. */
static void progress_of_quadratic_calls_is_even(void **state)
{
    static const struct {
        const char *method;
        gfp_verify verify;
        gfp_status (*run)(orchard *s, const gfp_options *options);
    } call[] = {{"hybrid", GFP_VERIFY_CROSS, tree_multieval},
                {"hybrid", GFP_VERIFY_CROSS, tree_interpolation},
                {"classical", GFP_VERIFY_NONE, tree_multieval},
                {"classical", GFP_VERIFY_POINT, tree_multieval},
                {"classical", GFP_VERIFY_CROSS, tree_multieval}};
    orchard s;
    (void)state;
    make_orchard(&s, lab_named("p8")->field, 400, false, 2);
    for (size_t i = 0; LAB_ROW(call, i); i++) {
        counter c = {0};
        const gfp_progress progress = {count_steps, &c};
        const gfp_options options = {
            .method = call[i].method, .verify = call[i].verify, .progress = &progress};
        assert_int_equal(call[i].run(&s, &options), GFP_OK);
        assert_in_range(c.steps, 10, UINT_MAX);
        assert_in_range(c.late, 0, c.steps / 3);
        assert_true(c.before > 0.6);
    }
    clear_orchard(&s);
}

static void no_points_and_an_error(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    const gfp_options options = {.method = "none"};
    gfp_poly f;
    gfp_poly_init(&f, field);
    assert_int_equal(gfp_poly_one(&f), GFP_OK);
    assert_int_equal(gfp_poly_interpolate(&f, NULL, NULL, 0, &options), GFP_ERR_UNKNOWN);
    assert_true(gfp_poly_is_one(&f));
    assert_int_equal(gfp_poly_interpolate(&f, NULL, NULL, 0, NULL), GFP_OK);
    assert_int_equal(f.len, 0);
    gfp_poly_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field),
        cmocka_unit_test(few_terms_at_many_points),
        cmocka_unit_test(many_terms_at_few_points),
        cmocka_unit_test(long_ones),
        cmocka_unit_test(wrong_values_are_found),
        cmocka_unit_test(wrong_products_of_a_tree_are_found),
        cmocka_unit_test(tiny_fields_exhaustively),
#if GFP_HAVE_FLINT
        cmocka_unit_test(as_flint_has_them),
#endif
        cmocka_unit_test(tree_progressions),
        cmocka_unit_test(special_progressions),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(no_points),
        cmocka_unit_test(outputs_may_be_inputs),
        cmocka_unit_test(two_threads_share_a_tree),
        cmocka_unit_test(inputs_in_the_result),
        cmocka_unit_test(progress_of_quadratic_calls_is_even),
        cmocka_unit_test(no_points_and_an_error),
    };
    return cmocka_run_group_tests(tests, lab_setup_toolkit, lab_teardown);
}
