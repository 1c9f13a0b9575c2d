/* geometric.c: values of a polynomial at the points s q^i, and interpolation there.
 *
 * Let C(i) = i (i - 1) / 2. Then i j = C(i) + C(j + 1) - C(i - j), and f(s q^i) is q^C(i) times the
 * sum over j of f_j s^j q^C(j + 1) q^(-C(i - j)): one middle product (Bluestein, with triangular
 * numbers, which need no root of q).
 *
 * Interpolation (Bostan, Schost: Polynomial evaluation and interpolation on special sets of points,
 * 2005): with M the product of X - q^i and c_i = y_i / M'(q^i), the polynomial read backwards is P
 * times the sum over t of X^t times the sum of c_i q^(i t), modulo X^n, where P is M read
 * backwards: values of the polynomial with coefficients c_i at a progression, and one low product.
 * With u_j = 1 - q^j and D_j = u_1 ... u_j
 *
 *   P_j = (-1)^j q^C(j) u_n D_(n-1) / (D_j D_(n-j)) for 0 < j < n,
 *   1 / M'(q^i) = (-1)^i q^(C(i+1) - (n-1) i) / (D_i D_(n-1-i)).
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/points/geometric.h"

#include <stdio.h>

#include "poly/sequence.h"
#include "field/base/support.h"
#include "poly/points/tree.h"

/* ---- sequences ---- */

/* z_i := -z_i for odd i < n. */
static void geometric_alternate(const gfp_field *field, uint64_t *z, size_t n)
{
    const size_t k = gfp_field_k(field);
    for (size_t i = 1; i < n; i += 2) {
        gfp_elem_neg(field, z + i * k, z + i * k);
    }
}

gfp_status gfp_geometric_points(gfp_operation_call *op, uint64_t *z, const gfp_progression *p)
{
    GFP_TRY(gfp_sequence_powers(op, z, p->n, p->ratio));
    gfp_vec_scalar_mul(op->field, z, z, p->start, p->n);
    return GFP_OK;
}

/* ---- values ---- */

static gfp_status values_by_horner(gfp_operation_call *op, uint64_t *values, gfp_series f,
                                   const gfp_progression *p)
{
    uint64_t *points;
    if (op->done == 0) { /* of an evaluation, not inside an interpolation */
        op->units += gfp_classical_values_units(p->n, f.len);
    }
    GFP_TRY(gfp_operation_array(op, &points, p->n));
    GFP_TRY(gfp_geometric_points(op, points, p));
    return gfp_classical_values(op, values, f, points, p->n);
}

/* z_m := q^(-C(m - len + 1)) for m < n + len - 1, from down_i = q^(-C(i)): C(-i) = C(i + 1). */
static void both_sides(const gfp_field *field, uint64_t *z, const uint64_t *down, size_t len,
                       size_t n)
{
    const size_t k = gfp_field_k(field);
    for (size_t m = 0; m + 1 < len; m++) {
        gfp_elem_set(field, z + m * k, down + (len - m) * k);
    }
    gfp_vec_set(field, z + (len - 1) * k, down, n);
}

/* q is not 0. */
static gfp_status values_by_product(gfp_operation_call *op, uint64_t *values, gfp_series f,
                                    const gfp_progression *p)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = p->n, len = f.len, most = (n > len ? n : len) + 1;
    uint64_t inverse[GFP_MAX_K], *a, *up, *down, *z;
    GFP_TRY(gfp_operation_array(op, &a, len));
    GFP_TRY(gfp_operation_array(op, &up, most));
    GFP_TRY(gfp_operation_array(op, &down, most));
    GFP_TRY(gfp_operation_array(op, &z, n + len - 1));
    GFP_TRY(gfp_elem_inv(field, inverse, p->ratio));
    GFP_TRY(gfp_sequence_chirp(op, up, most, p->ratio));
    GFP_TRY(gfp_sequence_chirp(op, down, most, inverse));
    both_sides(field, z, down, len, n);
    gfp_vec_set(field, a, f.digits, len);
    GFP_TRY(gfp_sequence_times_powers(op, a, len, p->start));
    GFP_TRY(gfp_sequence_times(op, a, up + k, len));
    const gfp_range range = {.field = field,
                             .a = z,
                             .b = a,
                             .len_a = n + len - 1,
                             .len_b = len,
                             .first = len - 1,
                             .end = len - 1 + n};
    GFP_TRY(gfp_operation_product(op, NULL, values, &range));
    return gfp_sequence_times(op, values, up, n);
}

gfp_status gfp_geometric_values(gfp_operation_call *op, uint64_t *values, gfp_series f,
                                const gfp_progression *p)
{
    const size_t most = op->threshold[GFP_THRESHOLD_GEOMETRIC];
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    if (f.len == 0) {
        gfp_vec_zero(op->field, values, p->n);
        return GFP_OK;
    }
    GFP_TRY(op->classical || f.len <= most || p->n <= most || gfp_elem_is_zero(op->field, p->ratio)
                ? values_by_horner(op, values, f, p)
                : values_by_product(op, values, f, p));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* Of a middle product, and of the products in the field. */
double gfp_geometric_values_units(size_t n, size_t len)
{
    const double all = (double)n + (double)len;
    return all + 8 * GFP_OPERATION_ELEMENT_UNITS * all;
}

/* ---- interpolation ---- */

/* What interpolation at 1, q, ..., q^(n-1) needs, n elements each. */
typedef struct tables {
    const gfp_field *field;
    size_t n;
    uint64_t *d;              /* D_j, and at first 1, u_1, u_2, ... */
    uint64_t *inverse;        /* 1 / D_j */
    uint64_t *chirp;          /* q^C(j), j <= n */
    uint64_t last[GFP_MAX_K]; /* u_n */
} tables;

static gfp_status geometric_refuse(gfp_operation_call *op, size_t order)
{
    char why[64];
    (void)snprintf(why, sizeof why, ": the order of the ratio is %zu", order);
    return gfp_tree_equal_points(op, 0, order, why);
}

/* w->d := 1, u_1, ..., u_(n-1), w->last := u_n. Errors: NOT_INVERTIBLE (a u_j is 0). */
static gfp_status make_factors(gfp_operation_call *op, tables *w, const uint64_t *q)
{
    const gfp_field *field = w->field;
    const size_t k = gfp_field_k(field);
    uint64_t one[GFP_MAX_K];
    gfp_elem_one(field, one);
    GFP_TRY(gfp_sequence_powers(op, w->d, w->n, q));
    gfp_elem_mul(field, w->last, w->d + (w->n - 1) * k, q);
    gfp_elem_sub(field, w->last, one, w->last);
    for (size_t j = 1; j < w->n; j++) {
        uint64_t *u = w->d + j * k;
        gfp_elem_sub(field, u, one, u);
        if (gfp_elem_is_zero(field, u)) {
            return geometric_refuse(op, j);
        }
    }
    return GFP_OK;
}

/* D_j and 1 / D_j by one inverse: 1 / D_(j-1) = u_j / D_j. */
static gfp_status make_products(gfp_operation_call *op, tables *w)
{
    const gfp_field *field = w->field;
    const size_t k = gfp_field_k(field), n = w->n;
    uint64_t *x;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &x, n));
    gfp_vec_set(field, x, w->d, n);
    GFP_TRY(gfp_sequence_products(op, w->d, w->d, n));
    gfp_sequence_reverse(field, x, n); /* u_(n-1), ..., u_1, 1 */
    GFP_TRY(gfp_elem_inv(field, w->inverse, w->d + (n - 1) * k));
    gfp_vec_set(field, w->inverse + k, x, n - 1);
    GFP_TRY(gfp_sequence_products(op, w->inverse, w->inverse, n));
    gfp_sequence_reverse(field, w->inverse, n);
    gfp_operation_release(op, mark);
    return GFP_OK;
}

static gfp_status make_tables(gfp_operation_call *op, tables *w, const uint64_t *q, size_t n)
{
    *w = (tables){.field = op->field, .n = n};
    GFP_TRY(gfp_operation_array(op, &w->d, n));
    GFP_TRY(gfp_operation_array(op, &w->inverse, n));
    GFP_TRY(gfp_operation_array(op, &w->chirp, n + 1));
    GFP_TRY(make_factors(op, w, q));
    GFP_TRY(make_products(op, w));
    return gfp_sequence_chirp(op, w->chirp, n + 1, q);
}

/* c_i := y_i / M'(q^i). */
static gfp_status geometric_weigh(gfp_operation_call *op, uint64_t *c, const uint64_t *values,
                                  const tables *w, const uint64_t *q)
{
    const gfp_field *field = w->field;
    const size_t k = gfp_field_k(field), n = w->n;
    const uint64_t exponent = n - 1;
    uint64_t power[GFP_MAX_K], *x;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &x, n));
    gfp_elem_pow(field, power, q, &exponent, 1);
    GFP_TRY(gfp_elem_inv(field, power, power));
    gfp_vec_set(field, c, values, n);
    GFP_TRY(gfp_sequence_times_powers(op, c, n, power));
    GFP_TRY(gfp_sequence_times(op, c, w->chirp + k, n));
    GFP_TRY(gfp_sequence_times(op, c, w->inverse, n));
    gfp_vec_set(field, x, w->inverse, n);
    gfp_sequence_reverse(field, x, n);
    GFP_TRY(gfp_sequence_times(op, c, x, n));
    geometric_alternate(field, c, n);
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* z := P modulo X^n. */
static gfp_status make_root(gfp_operation_call *op, uint64_t *z, const tables *w)
{
    const gfp_field *field = w->field;
    const size_t k = gfp_field_k(field), n = w->n;
    uint64_t factor[GFP_MAX_K];
    gfp_elem_mul(field, factor, w->last, w->d + (n - 1) * k);
    gfp_elem_one(field, z);
    for (size_t j = 1; j < n; j++) {
        gfp_elem_set(field, z + j * k, w->inverse + (n - j) * k);
    }
    GFP_TRY(gfp_sequence_times(op, z + k, w->inverse + k, n - 1));
    GFP_TRY(gfp_sequence_times(op, z + k, w->chirp + k, n - 1));
    gfp_vec_scalar_mul(field, z + k, z + k, factor, n - 1);
    geometric_alternate(field, z, n);
    return GFP_OK;
}

/* n >= 2; s and q are not 0. */
static gfp_status geometric_solve(gfp_operation_call *op, uint64_t *f, const uint64_t *values,
                                  const gfp_progression *p)
{
    const gfp_field *field = op->field;
    const size_t n = p->n;
    uint64_t one[GFP_MAX_K], inverse[GFP_MAX_K], *c, *b;
    tables w;
    gfp_elem_one(field, one);
    GFP_TRY(make_tables(op, &w, p->ratio, n));
    GFP_TRY(gfp_operation_array(op, &c, n));
    GFP_TRY(gfp_operation_array(op, &b, n));
    GFP_TRY(geometric_weigh(op, c, values, &w, p->ratio));
    const gfp_progression powers = {one, p->ratio, n};
    GFP_TRY(gfp_geometric_values(op, b, (gfp_series){c, n}, &powers));
    GFP_TRY(make_root(op, c, &w));
    const gfp_range range = {.field = field, .a = c, .b = b, .len_a = n, .len_b = n, .end = n};
    GFP_TRY(gfp_operation_product(op, NULL, f, &range));
    gfp_sequence_reverse(field, f, n);
    GFP_TRY(gfp_elem_inv(field, inverse, p->start));
    return gfp_sequence_times_powers(op, f, n, inverse);
}

/* By Lagrange's formula. */
static gfp_status solve_slowly(gfp_operation_call *op, uint64_t *f, const uint64_t *values,
                               const gfp_progression *p)
{
    gfp_tree *T = NULL;
    uint64_t *points;
    GFP_TRY(gfp_operation_array(op, &points, p->n));
    GFP_TRY(gfp_geometric_points(op, points, p));
    GFP_TRY(gfp_tree_make(&T, op, points, p->n, false));
    const gfp_status status = gfp_classical_solve(op, f, values, T);
    gfp_tree_destroy(T);
    return status;
}

gfp_status gfp_geometric_solve(gfp_operation_call *op, uint64_t *f, const uint64_t *values,
                               const gfp_progression *p)
{
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    if (p->n == 1) {
        gfp_elem_set(op->field, f, values);
        return GFP_OK;
    }
    if (gfp_elem_is_zero(op->field, p->start)) {
        return gfp_tree_equal_points(op, 0, 1, ": the start is 0");
    }
    if (gfp_elem_is_zero(op->field, p->ratio)) {
        return gfp_error_set(&op->base.error, GFP_ERR_NOT_INVERTIBLE, "%s: the ratio is 0",
                             op->base.name);
    }
    GFP_TRY(op->classical ? solve_slowly(op, f, values, p) : geometric_solve(op, f, values, p));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

double gfp_geometric_solve_units(size_t n)
{
    return gfp_geometric_values_units(n, n) + (1 + 20 * GFP_OPERATION_ELEMENT_UNITS) * (double)n;
}
