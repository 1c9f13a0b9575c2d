/* series.c: composition of power series f(g) modulo X^n, g_0 = 0, and reversion.
 *
 * Quasi-linear composition (Kinoshita and Li). With Q = 1 + Y A(X, Y), at first 1 - Y g, f(g) is
 * the coefficient of Y^(m - 1) in P(Y) / Q, P the reversed f. Q(X, Y) Q(-X, Y) = V(X^2, Y) = 1 + Y
 * A' with A' = 2 E + Y (E^2 - Z O^2), A = E(Z) + X O(Z), Z = X^2: half as many powers of X, twice
 * as many of Y. A solution W for V, its d = deg_Y Q highest coefficients in Y and the d below them,
 * gives the d highest ones of W(Z, Y) Q(-X, Y) for Q. At the end n is 1, and Q is 1.
 *
 * A polynomial in Z and Y is an array of rows: the coefficients of Z^i, 2 d of Y each. Products of
 * arrays are those of polynomials, for what passes from one row into the next falls on places that
 * are 0 or not needed.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/compose/series.h"
#include "poly/euclid/steps.h"

#include <math.h>

#include "poly/compose/impl.h"
#include "field/base/support.h"
#include "product/verify/claim.h"

/* ---- checks ---- */

/* Sums of products modulo X^n: c = a[0] b[0] + ... */
typedef struct sum {
    const uint64_t *c;
    size_t n;
    const uint64_t *const *a, *const *b;
    size_t count;
} sum;

static gfp_range part_of(const gfp_operation_call *op, const sum *w, size_t i)
{
    return (gfp_range){
        .field = op->field, .a = w->a[i], .b = w->b[i], .len_a = w->n, .len_b = w->n, .end = w->n};
}

/* c is the sum. */
static gfp_status series_check(gfp_operation_call *op, const sum *w)
{
    gfp_identity identity = {.field = op->field};
    gfp_identity_add(&identity, w->c, w->n, NULL, 1)->result = true;
    for (size_t i = 0; i < w->count; i++) {
        gfp_term *term = gfp_identity_add(&identity, NULL, 0, NULL, 0);
        term->product = part_of(op, w, i);
        term->minus = term->result = true;
    }
    return gfp_operation_check(op, &identity);
}

/* ---- the levels of quasi-linear composition ---- */

/* The most levels: n is below 2^LEVELS. */
#define LEVELS 48

/* A level: n powers of X, d of Y in A; its halves have `half` powers of Z. */
typedef struct level {
    size_t n, d, half, len; /* len = 2 d half */
    uint64_t *even, *odd;   /* E and O, len elements */
} level;

static size_t half_of(size_t n)
{
    return n / 2 + n % 2;
}

/* Fills E and O of a level from the rows of A, d coefficients each. */
static gfp_status series_split(gfp_operation_call *op, level *w, const uint64_t *a)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), row = 2 * w->d * k;
    GFP_TRY(gfp_operation_array(op, &w->even, w->len));
    GFP_TRY(gfp_operation_array(op, &w->odd, w->len));
    gfp_vec_zero(field, w->even, w->len);
    gfp_vec_zero(field, w->odd, w->len);
    for (size_t i = 0; i < w->n; i++) {
        gfp_vec_set(field, (i % 2 == 0 ? w->even : w->odd) + i / 2 * row, a + i * w->d * k, w->d);
    }
    return GFP_OK;
}

static gfp_status operand_of(gfp_operation_call *op, gfp_operand **x, gfp_space *s,
                             const uint64_t *a, size_t len)
{
    GFP_TRY(gfp_operation_operand(op, x, s));
    return gfp_operation_set(op, *x, a, len);
}

/* a, len elements, := A' = 2 E + Y (E^2 - Z O^2). */
static gfp_status series_square(gfp_operation_call *op, uint64_t *a, const level *w)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), row = 2 * w->d;
    gfp_space *s;
    gfp_operand *even, *odd, *shifted;
    uint64_t *minus, *b;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &minus, w->len)); /* -Z O */
    GFP_TRY(gfp_operation_array(op, &b, w->len));
    gfp_vec_zero(field, minus, row);
    gfp_vec_neg(field, minus + row * k, w->odd, w->len - row);
    GFP_TRY(gfp_operation_space_of(op, &s, 2 * w->len - 1, 2, GFP_WRAP_LINEAR));
    GFP_TRY(operand_of(op, &even, s, w->even, w->len));
    GFP_TRY(operand_of(op, &odd, s, w->odd, w->len));
    GFP_TRY(operand_of(op, &shifted, s, minus, w->len));
    const gfp_operand *const x[] = {even, shifted}, *const y[] = {even, odd};
    GFP_TRY(gfp_operation_dot(op, b, 0, w->len, x, y, 2));
    const uint64_t *const left[] = {w->even, minus}, *const right[] = {w->even, w->odd};
    GFP_TRY(series_check(op, &(sum){b, w->len, left, right, 2}));
    gfp_vec_add(field, a, w->even, w->even, w->len);
    gfp_vec_add(field, a + k, a + k, b, w->len - 1);
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* r, rows of d elements for the n powers of X, := the d highest coefficients in Y of W(Z, Y) Q(-X,
 * Y), for w, rows of 2 d elements. */
static gfp_status series_restore(gfp_operation_call *op, uint64_t *r, const uint64_t *w,
                                 const level *l)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), d = l->d;
    gfp_space *s;
    gfp_operand *x;
    uint64_t *c;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &c, l->len));
    GFP_TRY(gfp_operation_space_of(op, &s, 2 * l->len - 1, 2, GFP_WRAP_LINEAR));
    GFP_TRY(operand_of(op, &x, s, w, l->len));
    for (size_t odd = 0; odd < 2; odd++) {
        const uint64_t *factor = odd ? l->odd : l->even;
        GFP_TRY(gfp_operation_multiply_by(op, c, 0, l->len, factor, l->len, x));
        GFP_TRY(series_check(op, &(sum){c, l->len, &w, &factor, 1}));
        for (size_t i = odd; i < l->n; i += 2) {
            const size_t at = i / 2 * 2 * d + d;
            uint64_t *to = r + i * d * k;
            if (odd) {
                gfp_vec_neg(field, to, c + (at - 1) * k, d);
            } else {
                gfp_vec_add(field, to, w + at * k, c + (at - 1) * k, d);
            }
        }
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

static gfp_status compose_by_halves(gfp_operation_call *op, uint64_t *z, size_t n, gfp_series f,
                                    gfp_series g)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    level w[LEVELS];
    uint64_t *a, *now, *next;
    size_t depth = 0, most = n, d = 1;
    for (size_t m = n; m > 1; m = half_of(m)) {
        most = gfp_size_mul_sat(2 * d, half_of(m));
        d *= 2;
    }
    GFP_TRY(gfp_operation_array(op, &a, most));
    GFP_TRY(gfp_operation_array(op, &next, most));
    gfp_series_copy(field, a, n, g);
    gfp_vec_neg(field, a, a, n);
    for (size_t m = n; m > 1; m = half_of(m), depth++) {
        level *l = &w[depth];
        *l = (level){.n = m, .d = (size_t)1 << depth, .half = half_of(m)};
        l->len = 2 * l->d * l->half;
        GFP_TRY(series_split(op, l, a));
        if (l->half > 1) {
            GFP_TRY(series_square(op, a, l));
        }
    }
    now = a; /* the reversed f */
    for (size_t i = 0; i < d; i++) {
        const size_t at = d - 1 - i;
        if (at < f.len && at < n) {
            gfp_vec_set(field, now + i * k, f.digits + at * k, 1);
        } else {
            gfp_elem_zero(field, now + i * k);
        }
    }
    while (depth-- > 0) {
        uint64_t *last = now;
        GFP_TRY(series_restore(op, next, now, &w[depth]));
        now = next;
        next = last;
    }
    gfp_vec_set(field, z, now, n);
    return GFP_OK;
}

/* ---- baby steps and giant steps ---- */

/* z := a x modulo X^n. */
static gfp_status multiply_low(gfp_operation_call *op, uint64_t *z, size_t n, const uint64_t *a,
                               const uint64_t *b, const gfp_operand *x)
{
    GFP_TRY(gfp_operation_multiply_by(op, z, 0, n, a, n, x));
    return series_check(op, &(sum){z, n, &a, &b, 1});
}

static gfp_status compose_by_steps(gfp_operation_call *op, uint64_t *z, size_t n, gfp_series f,
                                   gfp_series g)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), terms = gfp_size_min(f.len, n);
    const size_t s = (size_t)ceil(sqrt((double)terms)), rows = (terms - 1) / s + 1;
    gfp_native_matrix m;
    gfp_space *space;
    gfp_operand *x;
    uint64_t *a, *power, *c, *last, *now, *next;
    GFP_TRY(gfp_operation_array(op, &a, rows * s));
    GFP_TRY(gfp_operation_array(op, &power, gfp_size_mul_sat(s + 1, n)));
    GFP_TRY(gfp_operation_array(op, &c, gfp_size_mul_sat(rows, n)));
    GFP_TRY(gfp_operation_array(op, &now, n));
    GFP_TRY(gfp_operation_array(op, &next, n));
    gfp_series_copy(field, a, rows * s, (gfp_series){f.digits, terms});
    gfp_vec_zero(field, power, n);
    gfp_elem_one(field, power);
    gfp_series_copy(field, power + n * k, n, g);
    GFP_TRY(gfp_operation_space_of(op, &space, 2 * n - 1, 1, GFP_WRAP_LINEAR));
    GFP_TRY(operand_of(op, &x, space, power + n * k, n));
    for (size_t i = 2; i <= s; i++) {
        last = power + (i - 1) * n * k;
        GFP_TRY(multiply_low(op, last + n * k, n, last, power + n * k, x));
    }
    GFP_TRY(gfp_native_matrix_init(&m, field, s, n));
    const gfp_compose_product p = {.m = &m, .a = a, .rows = rows, .b = {power, n * k, k}};
    GFP_TRY(gfp_compose_multiply(op, c, &p));
    GFP_TRY(gfp_compose_check(op, c, &p));
    last = power + s * n * k;
    GFP_TRY(gfp_operation_set(op, x, last, n));
    gfp_vec_set(field, now, c + (rows - 1) * n * k, n);
    for (size_t i = rows - 1; i-- > 0;) {
        GFP_TRY(multiply_low(op, next, n, now, last, x));
        gfp_vec_add(field, now, next, c + i * n * k, n);
    }
    gfp_vec_set(field, z, now, n);
    return GFP_OK;
}

/* ---- Horner's rule ---- */

static gfp_status compose_by_horner(gfp_operation_call *op, uint64_t *z, size_t n, gfp_series f,
                                    gfp_series g)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), terms = gfp_size_min(f.len, n);
    uint64_t *next, *all;
    GFP_TRY(gfp_operation_array(op, &next, n));
    GFP_TRY(gfp_operation_array(op, &all, n));
    gfp_series_copy(field, all, n, g);
    gfp_vec_zero(field, z, n);
    for (size_t i = terms; i-- > 0;) {
        const uint64_t *const a = z, *const b = all;
        const sum w = {next, n, &a, &b, 1};
        const gfp_range range = part_of(op, &w, 0);
        GFP_TRY(gfp_operation_product(op, NULL, next, &range));
        GFP_TRY(series_check(op, &w));
        gfp_elem_add(field, next, next, f.digits + i * k);
        gfp_vec_set(field, z, next, n);
    }
    return GFP_OK;
}

gfp_status gfp_series_compose(gfp_operation_call *op, uint64_t *z, size_t n, gfp_series f,
                              gfp_series g)
{
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    const size_t terms = gfp_size_min(f.len, n);
    if (terms == 0) {
        gfp_vec_zero(op->field, z, n);
        return GFP_OK;
    }
    if (op->classical || terms <= op->threshold[GFP_THRESHOLD_COMPOSE_HORNER]) {
        GFP_TRY(compose_by_horner(op, z, n, f, g));
    } else if (n <= op->threshold[GFP_THRESHOLD_COMPOSE_STEPS] || terms * terms < n) {
        GFP_TRY(compose_by_steps(op, z, n, f, g));
    } else {
        GFP_TRY(compose_by_halves(op, z, n, f, g));
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

double gfp_series_compose_units(size_t n)
{
    return (1 + log2((double)n)) * 3 * (double)n;
}

/* ---- reversion ---- */

/* z, n coefficients, from its first m >= n / 2: minus (g(z) - X) z' / g(z)', Newton's step, whose
 * quotient is needed from X^m on. */
static gfp_status series_lengthen(gfp_operation_call *op, uint64_t *z, size_t m, size_t n,
                                  gfp_series g)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), more = n - m;
    uint64_t *value, *top, *bottom, *product, *quotient, one[GFP_MAX_K];
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &value, n));
    GFP_TRY(gfp_operation_array(op, &top, more));
    GFP_TRY(gfp_operation_array(op, &bottom, more));
    GFP_TRY(gfp_operation_array(op, &product, more));
    GFP_TRY(gfp_operation_array(op, &quotient, more));
    GFP_TRY(gfp_series_compose(op, value, n, g, (gfp_series){z, m}));
    gfp_elem_one(field, one);
    gfp_elem_sub(field, value + k, value + k, one); /* X^m divides it */
    /* Both derivatives modulo X^(n - m); that of g(z) is 1 + ... up to X^(m - 1). */
    GFP_TRY(gfp_series_times_index(op, top, z + k, 1, gfp_size_min(more, m - 1)));
    gfp_vec_zero(field, top + gfp_size_min(more, m - 1) * k, more - gfp_size_min(more, m - 1));
    GFP_TRY(gfp_series_times_index(op, bottom, value + k, 1, more));
    gfp_elem_add(field, bottom, bottom, one);
    const uint64_t *const a = value + m * k, *const b = top;
    const sum w = {product, more, &a, &b, 1};
    const gfp_range range = part_of(op, &w, 0);
    GFP_TRY(gfp_operation_product(op, NULL, product, &range));
    GFP_TRY(series_check(op, &w));
    GFP_TRY(gfp_series_divide(op, quotient, more, (gfp_series){product, more},
                              (gfp_series){bottom, more}));
    const uint64_t *const q = quotient, *const divisor = bottom;
    GFP_TRY(series_check(op, &(sum){product, more, &q, &divisor, 1}));
    gfp_vec_neg(field, z + m * k, quotient, more);
    gfp_operation_release(op, mark);
    return GFP_OK;
}

gfp_status gfp_series_revert(gfp_operation_call *op, uint64_t *z, size_t n, gfp_series g)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    size_t length[LEVELS + 16], steps = 0;
    gfp_elem_zero(field, z);
    if (n == 1) {
        return GFP_OK;
    }
    if (gfp_elem_inv(field, z + k, g.digits + k) != GFP_OK) {
        return gfp_operation_wrong(op, 1);
    }
    if (gfp_series_trim(field, g.digits, gfp_size_min(g.len, n)) == 2) { /* g is linear */
        gfp_vec_zero(field, z + 2 * k, n - 2);
        return GFP_OK;
    }
    for (size_t m = n; m > 2; m = half_of(m)) {
        length[steps++] = m;
    }
    for (size_t m = 2; steps > 0; m = length[steps]) {
        GFP_TRY(series_lengthen(op, z, m, length[--steps], g));
    }
    return GFP_OK;
}

double gfp_series_revert_units(size_t n)
{
    return 4 * gfp_series_compose_units(n) + gfp_series_divide_units(n) + 2 * (double)n;
}
