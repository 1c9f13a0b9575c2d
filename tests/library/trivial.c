/* trivial.c: operations on operands that need no algorithm or one pass: constants, monomials,
 * polynomials in X^d, linear ones, values at 0 and 1. Results are compared with the definition, by
 * a convolution of the test; then their time with that of one product, in CPU time.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <time.h>

#include "gfpoly/compose.h"
#include "gfpoly/division.h"
#include "gfpoly/factor.h"
#include "gfpoly/gcd.h"
#include "gfpoly/modulus.h"
#include "gfpoly/series.h"
#include "gfpoly/tree.h"
#include "lab/sanitized.h"

/* ---- operands ---- */

enum { ZERO, ONE, CONSTANT, X, C_X, LINEAR, POWER, C_POWER, HALF, IN_POWER, TIMES_POWER, DENSE };
#define KINDS 12

static const struct {
    const char *field;
    size_t n;
} problems[] = {{"p8", 40}, {"17", 12}, {"p2", 33}, {"p128", 9}};
#define PROBLEMS (sizeof problems / sizeof *problems)

typedef struct world {
    gfp_field *field;
    size_t n, k;
    gfp_poly operand[KINDS], z[4];
    gfp_random random;
    uint64_t one[GFP_MAX_K], c[GFP_MAX_K], zero[GFP_MAX_K];
} world;

static void trivial_set(gfp_poly *a, size_t i, const uint64_t *x)
{
    assert_int_equal(gfp_poly_set_coeff(a, i, x), GFP_OK);
}

static void make_operands(world *w)
{
    gfp_poly *a = w->operand;
    trivial_set(&a[ONE], 0, w->one);
    trivial_set(&a[CONSTANT], 0, w->c);
    trivial_set(&a[X], 1, w->one);
    trivial_set(&a[C_X], 1, w->c);
    trivial_set(&a[LINEAR], 0, w->c);
    trivial_set(&a[LINEAR], 1, w->c);
    trivial_set(&a[POWER], 3, w->one);
    trivial_set(&a[C_POWER], 3, w->c);
    trivial_set(&a[HALF], w->n / 2, w->one);
    for (size_t i = 0; i < w->n; i += 3) {
        trivial_set(&a[IN_POWER], i, i == 0 ? w->one : w->c);
    }
    assert_int_equal(gfp_poly_random(&a[DENSE], w->n, &w->random), GFP_OK);
    assert_int_equal(gfp_poly_shift_left(&a[TIMES_POWER], &a[DENSE], 2), GFP_OK);
}

static void trivial_start(world *w, const char *name, size_t n)
{
    assert_int_equal(gfp_field_create(&w->field, name, NULL, NULL), GFP_OK);
    w->n = n;
    w->k = gfp_field_k(w->field);
    gfp_random_seed(&w->random, n);
    gfp_elem_zero(w->field, w->zero);
    gfp_elem_one(w->field, w->one);
    gfp_elem_set_u64(w->field, w->c, 3);
    for (size_t i = 0; i < KINDS; i++) {
        gfp_poly_init(&w->operand[i], w->field);
    }
    for (size_t i = 0; i < 4; i++) {
        gfp_poly_init(&w->z[i], w->field);
    }
    make_operands(w);
}

static void trivial_end(world *w)
{
    for (size_t i = 0; i < KINDS; i++) {
        gfp_poly_clear(&w->operand[i]);
    }
    for (size_t i = 0; i < 4; i++) {
        gfp_poly_clear(&w->z[i]);
    }
    gfp_field_destroy(w->field);
}

/* ---- the definition ---- */

/* c := a b modulo X^n, by the definition. */
static void trivial_convolve(gfp_poly *c, const gfp_poly *a, const gfp_poly *b, size_t n)
{
    const size_t k = gfp_field_k(a->field);
    gfp_poly z;
    uint64_t t[GFP_MAX_K], s[GFP_MAX_K];
    gfp_poly_init(&z, a->field);
    for (size_t i = a->len + b->len; i-- > 0;) {
        gfp_elem_zero(a->field, s);
        for (size_t j = 0; j <= i && j < a->len; j++) {
            if (i - j < b->len) {
                gfp_elem_mul(a->field, t, a->digits + j * k, b->digits + (i - j) * k);
                gfp_elem_add(a->field, s, s, t);
            }
        }
        if (i < n) {
            trivial_set(&z, i, s);
        }
    }
    gfp_poly_swap(c, &z);
    gfp_poly_clear(&z);
}

/* y := f(x). */
static void trivial_evaluate(uint64_t *y, const gfp_poly *f, const uint64_t *x)
{
    uint64_t s[GFP_MAX_K];
    gfp_elem_zero(f->field, s);
    for (size_t i = f->len; i-- > 0;) {
        gfp_elem_mul(f->field, s, s, x);
        gfp_elem_add(f->field, s, s, f->digits + i * gfp_field_k(f->field));
    }
    gfp_elem_set(f->field, y, s);
}

/* c := f(g) modulo X^n; with a modulus h also modulo h. */
static void trivial_compose(gfp_poly *c, const gfp_poly *f, const gfp_poly *g, size_t n,
                            const gfp_poly *h)
{
    static const gfp_options classical = {.method = "classical"};
    gfp_poly z, t;
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K];
    gfp_poly_init(&z, f->field);
    gfp_poly_init(&t, f->field);
    for (size_t i = f->len; i-- > 0;) {
        trivial_convolve(&z, &z, g, n);
        gfp_poly_get_coeff(x, &z, 0);
        gfp_poly_get_coeff(y, f, i);
        gfp_elem_add(f->field, x, x, y);
        trivial_set(&z, 0, x);
        if (h != NULL) {
            assert_int_equal(gfp_poly_rem(&z, &z, h, &classical), GFP_OK);
        }
    }
    gfp_poly_swap(c, &z);
    gfp_poly_clear(&z);
    gfp_poly_clear(&t);
}

static void trivial_expect(const world *w, const gfp_poly *a, const gfp_poly *b, const char *what,
                           size_t i, size_t j)
{
    if (!gfp_poly_equal(a, b)) {
        fail_msg("%s over %s: operands %zu, %zu", what, gfp_field_name(w->field), i, j);
    }
}

/* Options of round i: no check, at points, by a second method. */
static gfp_options options_of(size_t i)
{
    return (gfp_options){.verify = (gfp_verify)(GFP_VERIFY_NONE + i % 3), .verify_seed = 5};
}

/* ---- two operands ---- */

static void check_products(world *w, size_t i, size_t j)
{
    const gfp_poly *a = &w->operand[i], *b = &w->operand[j];
    gfp_poly *z = w->z;
    const gfp_options options = options_of(i + j);
    assert_int_equal(gfp_poly_mul(&z[0], a, b, &options), GFP_OK);
    trivial_convolve(&z[1], a, b, SIZE_MAX);
    trivial_expect(w, &z[0], &z[1], "product", i, j);
    for (size_t first = 0; first < 5; first += 2) {
        assert_int_equal(gfp_poly_mulmid(&z[0], a, b, first, 3, &options), GFP_OK);
        assert_int_equal(gfp_poly_shift_right(&z[2], &z[1], first), GFP_OK);
        assert_int_equal(gfp_poly_truncate(&z[2], &z[2], 3), GFP_OK);
        trivial_expect(w, &z[0], &z[2], "middle product", i, j);
    }
}

static void check_division(world *w, size_t i, size_t j)
{
    const gfp_poly *a = &w->operand[i], *b = &w->operand[j];
    gfp_poly *z = w->z;
    const gfp_options options = options_of(i + j);
    bool yes = false;
    if (b->len == 0) {
        assert_int_equal(gfp_poly_divrem(&z[0], &z[1], a, b, &options), GFP_ERR_NOT_INVERTIBLE);
        return;
    }
    assert_int_equal(gfp_poly_divrem(&z[0], &z[1], a, b, &options), GFP_OK);
    assert_true(z[1].len < b->len);
    trivial_convolve(&z[2], &z[0], b, SIZE_MAX);
    assert_int_equal(gfp_poly_add(&z[2], &z[2], &z[1]), GFP_OK);
    trivial_expect(w, &z[2], a, "division", i, j);
    assert_int_equal(gfp_poly_rem(&z[2], a, b, &options), GFP_OK);
    trivial_expect(w, &z[2], &z[1], "remainder", i, j);
    assert_int_equal(gfp_poly_divides(&yes, &z[3], a, b, &options), GFP_OK);
    assert_int_equal(yes, z[1].len == 0);
}

/* u a + v b = g divides both; the resultant is the subresultant of index 0. */
static void check_euclid(world *w, size_t i, size_t j)
{
    const gfp_poly *a = &w->operand[i], *b = &w->operand[j];
    gfp_poly *z = w->z, t;
    const gfp_options options = options_of(i + j);
    uint64_t r[GFP_MAX_K], s[GFP_MAX_K];
    gfp_poly_init(&t, w->field);
    assert_int_equal(gfp_poly_xgcd(&z[0], &z[1], &z[2], a, b, &options), GFP_OK);
    trivial_convolve(&z[1], &z[1], a, SIZE_MAX);
    trivial_convolve(&z[2], &z[2], b, SIZE_MAX);
    assert_int_equal(gfp_poly_add(&z[1], &z[1], &z[2]), GFP_OK);
    trivial_expect(w, &z[1], &z[0], "Bezout's identity", i, j);
    assert_int_equal(gfp_poly_gcd(&t, a, b, &options), GFP_OK);
    trivial_expect(w, &t, &z[0], "gcd", i, j);
    if (t.len > 0) {
        assert_int_equal(gfp_poly_rem(&z[1], a, &t, NULL), GFP_OK);
        assert_int_equal(gfp_poly_rem(&z[2], b, &t, NULL), GFP_OK);
        assert_true(z[1].len + z[2].len == 0);
        assert_true(gfp_elem_is_one(w->field, t.digits + (t.len - 1) * w->k));
    }
    assert_int_equal(gfp_poly_resultant(r, a, b, &options), GFP_OK);
    if (a->len > 1 && b->len > 1 && a->len + b->len > 4) {
        assert_int_equal(gfp_poly_subresultant(&t, a, b, 0, &options), GFP_OK);
        gfp_poly_get_coeff(s, &t, 0);
        assert_memory_equal(r, s, w->k * sizeof *r);
    }
    gfp_poly_clear(&t);
}

static void check_compositions(world *w, size_t i, size_t j)
{
    const gfp_poly *f = &w->operand[i], *g = &w->operand[j];
    gfp_poly *z = w->z;
    const gfp_options options = options_of(i + j);
    if (f->len * g->len <= 4 * w->n) {
        assert_int_equal(gfp_poly_compose(&z[0], f, g, &options), GFP_OK);
        trivial_compose(&z[1], f, g, SIZE_MAX, NULL);
        trivial_expect(w, &z[0], &z[1], "composition", i, j);
    }
    const bool starts = g->len > 0 && !gfp_elem_is_zero(w->field, g->digits);
    const gfp_status status = gfp_poly_compose_series(&z[0], f, g, w->n, &options);
    assert_int_equal(status, starts ? GFP_ERR_ARGUMENT : GFP_OK);
    if (status == GFP_OK) {
        trivial_compose(&z[1], f, g, w->n, NULL);
        trivial_expect(w, &z[0], &z[1], "composition of series", i, j);
    }
}

static void two_operands(void **state)
{
    (void)state;
    for (size_t p = 0; p < PROBLEMS - SANITIZED; p++) {
        world w;
        trivial_start(&w, problems[p].field, problems[p].n);
        for (size_t i = 0; i < KINDS; i++) {
            for (size_t j = 0; j < KINDS; j++) {
                check_products(&w, i, j);
                check_division(&w, i, j);
                check_euclid(&w, i, j);
                check_compositions(&w, i, j);
            }
        }
        trivial_end(&w);
    }
}

/* ---- one operand ---- */

/* Functions of f(X^d), constants among them. */
static void check_series(world *w, size_t i)
{
    const gfp_poly *f = &w->operand[i];
    gfp_poly *z = w->z;
    const gfp_options options = options_of(i);
    const size_t n = w->n - 1;
    uint64_t first[GFP_MAX_K];
    gfp_poly_get_coeff(first, f, 0);
    gfp_status status = gfp_poly_inv_series(&z[0], f, n, &options);
    assert_int_equal(status, gfp_elem_is_zero(w->field, first) ? GFP_ERR_NOT_INVERTIBLE : GFP_OK);
    if (status == GFP_OK) {
        trivial_convolve(&z[1], &z[0], f, n);
        trivial_expect(w, &z[1], &w->operand[ONE], "inverse", i, 0);
        assert_int_equal(gfp_poly_div_series(&z[2], &w->operand[IN_POWER], f, n, &options), GFP_OK);
        trivial_convolve(&z[3], &z[0], &w->operand[IN_POWER], n);
        trivial_expect(w, &z[2], &z[3], "quotient", i, 0);
    }
    status = gfp_poly_sqrt_series(&z[0], f, n, &options);
    assert_int_equal(status, gfp_elem_is_one(w->field, first) ? GFP_OK : GFP_ERR_ARGUMENT);
    if (status == GFP_OK) {
        trivial_convolve(&z[1], &z[0], &z[0], n);
        assert_int_equal(gfp_poly_truncate(&z[2], f, n), GFP_OK);
        trivial_expect(w, &z[1], &z[2], "square root", i, 0);
        assert_int_equal(gfp_poly_invsqrt_series(&z[1], f, n, &options), GFP_OK);
        trivial_convolve(&z[1], &z[1], &z[0], n);
        trivial_expect(w, &z[1], &w->operand[ONE], "inverse square root", i, 0);
        assert_int_equal(gfp_poly_log_series(&z[0], f, n, &options), GFP_OK);
        assert_int_equal(gfp_poly_exp_series(&z[0], &z[0], n, &options), GFP_OK);
        trivial_expect(w, &z[0], &z[2], "exponential of the logarithm", i, 0);
    }
    const uint64_t exponent = 5;
    assert_int_equal(gfp_poly_pow_series(&z[0], f, &exponent, 1, n, &options), GFP_OK);
    assert_int_equal(gfp_poly_one(&z[1]), GFP_OK);
    for (size_t e = 0; e < exponent; e++) {
        trivial_convolve(&z[1], &z[1], f, n);
    }
    trivial_expect(w, &z[0], &z[1], "power", i, 0);
}

static void check_values(world *w, size_t i)
{
    const gfp_poly *f = &w->operand[i];
    const uint64_t *const x[] = {w->zero, w->one, w->c};
    const gfp_options options = options_of(i);
    const size_t n = 7;
    uint64_t y[GFP_MAX_K], *values = calloc(n * w->k, sizeof *values);
    assert_non_null(values);
    for (size_t j = 0; j < 9; j++) {
        uint64_t point[GFP_MAX_K];
        gfp_poly_eval(y, f, x[j % 3]);
        trivial_evaluate(point, f, x[j % 3]);
        assert_memory_equal(y, point, w->k * sizeof *y);
        assert_int_equal(gfp_poly_eval_geometric(values, f, x[j % 3], x[j / 3], n, &options),
                         GFP_OK);
        gfp_elem_set(w->field, point, x[j % 3]);
        for (size_t e = 0; e < n; e++) {
            trivial_evaluate(y, f, point);
            assert_memory_equal(values + e * w->k, y, w->k * sizeof *y);
            gfp_elem_mul(w->field, point, point, x[j / 3]);
        }
    }
    free(values);
}

/* Powers modulo h; minimal and characteristic polynomials of elements of degree at most 1. */
static void check_modulus(world *w, size_t i, const gfp_modulus *M)
{
    const gfp_poly *a = &w->operand[i], *h = gfp_modulus_poly(M);
    gfp_poly *z = w->z;
    const gfp_options options = options_of(i);
    assert_int_equal(gfp_poly_one(&z[1]), GFP_OK);
    for (uint64_t e = 0; e < 70; e++) {
        assert_int_equal(gfp_poly_pow_mod(&z[0], a, &e, 1, M, &options), GFP_OK);
        trivial_expect(w, &z[0], &z[1], "power modulo h", i, e);
        trivial_convolve(&z[1], &z[1], a, SIZE_MAX);
        assert_int_equal(gfp_poly_rem(&z[1], &z[1], h, NULL), GFP_OK);
    }
    if (a->len <= 2) {
        assert_int_equal(gfp_poly_minpoly_mod(&z[0], a, M, &options), GFP_OK);
        assert_int_equal(z[0].len, a->len < 2 ? 2 : h->len);
        assert_true(gfp_elem_is_one(w->field, z[0].digits + (z[0].len - 1) * w->k));
        trivial_compose(&z[1], &z[0], a, SIZE_MAX, h);
        assert_true(gfp_poly_is_zero(&z[1]));
        assert_int_equal(gfp_poly_charpoly_mod(&z[2], a, M, &options), GFP_OK);
        assert_int_equal(z[2].len, h->len);
        for (size_t e = 2; e < h->len && a->len < 2; e++) { /* (X - c)^n */
            assert_int_equal(gfp_poly_divexact(&z[2], &z[2], &z[0], NULL), GFP_OK);
        }
        trivial_expect(w, &z[2], &z[0], "characteristic polynomial", i, 0);
    }
}

static void one_operand(void **state)
{
    (void)state;
    for (size_t p = 0; p < PROBLEMS - SANITIZED; p++) {
        world w;
        gfp_modulus *M;
        trivial_start(&w, problems[p].field, problems[p].n);
        assert_int_equal(gfp_modulus_create(&M, &w.operand[DENSE], NULL), GFP_OK);
        for (size_t i = 0; i < KINDS; i++) {
            check_series(&w, i);
            check_values(&w, i);
            check_modulus(&w, i, M);
        }
        gfp_modulus_destroy(M);
        trivial_end(&w);
    }
}

/* ---- time ---- */

/* Operations, each on operands that need no more than a pass or two. */
static gfp_modulus *fixed;
static uint64_t *room;

static gfp_status trivial_run(world *w, size_t which)
{
    const gfp_poly *a = w->operand, *f = &w->operand[DENSE];
    gfp_poly *z = w->z;
    const uint64_t *p = gfp_field_modulus_limbs(w->field);
    const size_t n = w->n, limbs = gfp_field_limbs(w->field);
    switch (which) {
    case 0:
        return gfp_poly_mul(z, f, &a[HALF], NULL);
    case 1:
        return gfp_poly_divrem(&z[0], &z[1], f, &a[HALF], NULL);
    case 2:
        return gfp_poly_gcd(z, f, &a[CONSTANT], NULL);
    case 3:
        return gfp_poly_gcd(z, f, &a[HALF], NULL);
    case 4:
        return gfp_poly_resultant(room, f, &a[HALF], NULL);
    case 5:
        return gfp_poly_compose(z, f, &a[X], NULL);
    case 6:
        return gfp_poly_compose(z, f, &a[POWER], NULL);
    case 7:
        return gfp_poly_compose(z, f, &a[CONSTANT], NULL);
    case 8:
        return gfp_poly_compose_series(z, f, &a[X], n, NULL);
    case 9:
        return gfp_poly_revert_series(z, &a[C_X], n, NULL);
    case 10:
        return gfp_poly_inv_series(z, &a[CONSTANT], n, NULL);
    case 11:
        return gfp_poly_log_series(z, &a[ONE], n, NULL);
    case 12:
        return gfp_poly_exp_series(z, &a[ZERO], n, NULL);
    case 13:
        return gfp_poly_pow_mod(z, &a[CONSTANT], p, limbs, fixed, NULL);
    case 14:
        return gfp_poly_minpoly_mod(z, &a[ONE], fixed, NULL);
    case 15:
        return gfp_poly_eval_geometric(room, f, w->c, w->zero, n, NULL);
    case 16:
        return gfp_poly_eval_geometric(room, f, w->c, w->one, n, NULL);
    case 17:
        return gfp_poly_eval_vec(room, &a[CONSTANT], f->digits, n, NULL);
    default:
        gfp_poly_eval(room, f, w->zero);
        return GFP_OK;
    }
}
#define RUNS 19

static double cpu_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The least time of some runs; which = RUNS: of a product. */
static double least_time(world *w, size_t which)
{
    double least = 1e9;
    for (unsigned i = 0; i < 7; i++) {
        const double from = cpu_seconds();
        assert_int_equal(which < RUNS
                             ? trivial_run(w, which)
                             : gfp_poly_mul(w->z, &w->operand[DENSE], &w->operand[DENSE], NULL),
                         GFP_OK);
        const double time = cpu_seconds() - from;
        least = time < least ? time : least;
    }
    return least;
}

/* Each run takes less than two products: Horner's rule takes about one. */
static void no_longer_than_two_products(void **state)
{
    world w;
    (void)state;
    trivial_start(&w, "p8", 2048);
    room = calloc(w.n * w.k, sizeof *room);
    assert_non_null(room);
    assert_int_equal(gfp_modulus_create(&fixed, &w.operand[DENSE], NULL), GFP_OK);
    for (size_t i = 0; i < RUNS; i++) {
        double time = 0, product = 0;
        for (unsigned attempt = 0; attempt < 5 && time >= 2 * product; attempt++) {
            time = least_time(&w, i); /* other processes may slow down one of both */
            product = least_time(&w, RUNS);
        }
        if (time > 2 * product) {
            fail_msg("run %zu takes %.0f us, a product %.0f", i, 1e6 * time, 1e6 * product);
        }
    }
    gfp_modulus_destroy(fixed);
    free(room);
    trivial_end(&w);
}

/* Roots of a polynomial with multiple factors take about as long as its factors: the square-free
 * part is a 16th of it. */
static void roots_by_squarefree_parts(void **state)
{
    world w;
    gfp_roots roots;
    gfp_factors factors;
    double of_roots = 1e9, of_factors = 1e9;
    (void)state;
    trivial_start(&w, "p8", 17);
    gfp_roots_init(&roots, w.field);
    gfp_factors_init(&factors, w.field);
    assert_int_equal(gfp_poly_product_roots(&w.z[0], w.operand[DENSE].digits, 8, NULL), GFP_OK);
    for (unsigned i = 0; i < 5; i++) { /* the power 32 */
        assert_int_equal(gfp_poly_sqr(&w.z[0], &w.z[0], NULL), GFP_OK);
    }
    assert_int_equal(gfp_poly_shift_left(&w.z[0], &w.z[0], 100), GFP_OK);
    for (unsigned i = 0; i < 3; i++) {
        const double from = cpu_seconds();
        assert_int_equal(gfp_poly_roots(&roots, &w.z[0], NULL), GFP_OK);
        const double middle = cpu_seconds();
        assert_int_equal(gfp_poly_factor(&factors, &w.z[0], NULL), GFP_OK);
        const double to = cpu_seconds();
        of_roots = middle - from < of_roots ? middle - from : of_roots;
        of_factors = to - middle < of_factors ? to - middle : of_factors;
    }
    assert_int_equal(roots.count, 9);
    assert_int_equal(factors.count, 9);
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(roots.multiplicity[i],
                         gfp_elem_is_zero(w.field, roots.root + i * w.k) ? 100 : 32);
    }
    assert_true(of_roots < 3 * of_factors);
    gfp_roots_clear(&roots);
    gfp_factors_clear(&factors);
    trivial_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_operands), cmocka_unit_test(one_operand),
        cmocka_unit_test(no_longer_than_two_products), cmocka_unit_test(roots_by_squarefree_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
