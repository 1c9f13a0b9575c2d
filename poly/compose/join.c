/* join.c: values at G = g^s modulo h of polynomials whose coefficients are rows, elements modulo h.
 *
 * Horner's rule takes a product modulo h for each row. Where the rows are many, t of them are
 * joined at once: r := (r G^t + row_(t-1) G^(t-1) + ... + row_1 G) mod h + row_0. With the
 * transforms of the powers of G kept, a row takes one transform and one product of transforms, and
 * t rows together one way back and one reduction.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/compose/impl.h"

#include "product/methods/engine.h"
#include "product/operand/impl.h"
#include "field/base/support.h"
#include "product/verify/claim.h"

/* The most rows that are joined at once. */
#define MOST_ROWS 16

typedef struct sums {
    const gfp_compose_argument *A;
    size_t n, t;
    gfp_operand *power[MOST_ROWS + 1];  /* of G^i at i >= 1 */
    gfp_operand *factor[MOST_ROWS + 1]; /* of row number i, and at t of r */
    uint64_t *c, *q, *next;             /* 2 n - 1 coefficients of a sum, its quotient, r */
    unsigned points;                    /* of the check */
    uint64_t point[GFP_VERIFY_MAX_POINTS];
    uint64_t *value; /* at each point: of h, then of G^1, ..., G^t */
} sums;

/* ---- how many ---- */

/* count: of the polynomials that have rows. */
static double horner_units(const gfp_modulus *M, size_t rows, size_t count)
{
    return (double)(rows - count) * gfp_multiplier_apply_units(M);
}

/* Of `rows` rows of `count` polynomials, t at once. */
static double sums_units(const gfp_modulus *M, size_t rows, size_t count, size_t t)
{
    const double length = (double)gfp_space_length(gfp_operand_space(M->quotients));
    const double reduce = gfp_poly_divisor_reduce_units(&M->divisor, 2 * M->divisor.n - 1);
    const size_t most = rows / t + count;
    const double groups = (double)most;
    return length * ((double)rows * (GFP_OPERAND_TRANSFORM_SHARE + GFP_OPERAND_MULTIPLY_SHARE) +
                     groups * GFP_OPERAND_RESTORE_SHARE) +
           groups * reduce +
           (double)(t - 1) * (gfp_multiplier_apply_units(M) + length * GFP_OPERAND_TRANSFORM_SHARE);
}

/* The number of rows that takes the least time; 1: Horner's rule. */
static size_t rows_at_once(const gfp_modulus *M, size_t rows, size_t count, double *units)
{
    size_t t = 1;
    *units = horner_units(M, rows, count);
    for (size_t i = 2; i <= MOST_ROWS; i++) {
        const double other = sums_units(M, rows, count, i);
        if (other < *units) {
            *units = other;
            t = i;
        }
    }
    return t;
}

double gfp_compose_join_units(const gfp_modulus *M, size_t rows, size_t count)
{
    double units;
    (void)rows_at_once(M, rows, count, &units);
    return units;
}

/* ---- one row after the other ---- */

static gfp_status join_by_horner(gfp_operation_call *op, uint64_t *r, const gfp_compose_argument *A,
                                 const uint64_t *row, size_t rows)
{
    const gfp_field *field = op->field;
    const size_t n = A->M->divisor.n, words = n * gfp_field_k(field);
    uint64_t *next;
    gfp_vec_set(field, r, row + (rows - 1) * words, n);
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &next, n));
    for (size_t i = rows - 1; i-- > 0;) {
        GFP_TRY(gfp_multiplier_apply(op, next, (gfp_series){r, n}, &A->giant, NULL));
        gfp_vec_add(field, r, next, row + i * words, n);
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* ---- several rows at once ---- */

static gfp_status join_value(gfp_operation_call *op, uint64_t *y, const uint64_t *x, size_t len,
                             uint64_t d)
{
    return gfp_verify_evaluate(op->field, y, x, len, d, &op->base.task) ? GFP_OK
                                                                        : GFP_ERR_CANCELLED;
}

/* The value of h (i = 0) or of G^i at point number j. */
static uint64_t *value_at(const gfp_operation_call *op, const sums *w, size_t i, unsigned j)
{
    return w->value + (j * (w->t + 1) + i) * gfp_field_k(op->field);
}

static gfp_status keep_values(gfp_operation_call *op, const sums *w, size_t i, const uint64_t *x,
                              size_t len)
{
    for (unsigned j = 0; j < w->points; j++) {
        GFP_TRY(join_value(op, value_at(op, w, i, j), x, len, w->point[j]));
    }
    return GFP_OK;
}

/* The coefficients of both sides of a check: those of a sum of products of up to n. */
static size_t claimed_length(const sums *w)
{
    return 2 * w->n - 1;
}

/* The space has the method of the modulus, whose units rows_at_once compares. w->t := 1, Horner's
 * rule, if that method has none of this length and number of terms. */
static gfp_status make_operands(gfp_operation_call *op, sums *w)
{
    const gfp_modulus *M = w->A->M;
    const char *named = op->inner.method;
    gfp_space *s;
    op->inner.method = gfp_operand_space(M->quotients)->method->name;
    const gfp_status status =
        gfp_operation_space_of(op, &s, claimed_length(w), w->t, GFP_WRAP_LINEAR);
    op->inner.method = named; /* that of the call */
    if (status == GFP_ERR_SIZE || status == GFP_ERR_UNAVAILABLE) {
        op->base.error.status = GFP_OK; /* that is no error */
        w->t = 1;
        return GFP_OK;
    }
    GFP_TRY(status);
    for (size_t i = 1; i <= w->t; i++) {
        GFP_TRY(gfp_operation_operand(op, &w->power[i], s));
        GFP_TRY(gfp_operation_operand(op, &w->factor[i], s));
    }
    return GFP_OK;
}

/* The powers of G, and their values, unless w->t becomes 1. */
static gfp_status join_begin(gfp_operation_call *op, sums *w)
{
    const gfp_field *field = op->field;
    const gfp_compose_argument *A = w->A;
    const size_t n = w->n;
    uint64_t *power, *next;
    GFP_TRY(make_operands(op, w));
    if (w->t == 1) {
        return GFP_OK;
    }
    GFP_TRY(gfp_operation_array(op, &w->c, claimed_length(w)));
    GFP_TRY(gfp_operation_array(op, &w->q, n - 1));
    GFP_TRY(gfp_operation_array(op, &w->next, n));
    if (op->base.options->verify != GFP_VERIFY_NONE) {
        const double items = (double)((w->t + 1) * n), cost = gfp_field_k(field);
        GFP_TRY(gfp_operation_array(op, &w->value, (w->t + 1) * GFP_VERIFY_MAX_POINTS));
        GFP_TRY(
            gfp_operation_check_begin(op, claimed_length(w), &w->points, w->point, items, cost));
        GFP_TRY(keep_values(op, w, 0, A->M->f.digits, A->M->f.len));
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &power, n));
    GFP_TRY(gfp_operation_array(op, &next, n));
    gfp_series_copy(field, power, n, (gfp_series){A->giant.b.digits, A->giant.b.len});
    for (size_t i = 1; i <= w->t; i++) {
        if (i > 1) {
            uint64_t *last = power;
            GFP_TRY(gfp_multiplier_apply(op, next, (gfp_series){last, n}, &A->giant, NULL));
            power = next;
            next = last;
        }
        GFP_TRY(gfp_operation_set(op, w->power[i], power, n));
        GFP_TRY(keep_values(op, w, i, power, n));
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* A group: rows 1 <= i < rows, and r at t unless that is 0, which are times G^i. */
typedef struct row_group {
    const uint64_t *row;
    size_t rows;
    const uint64_t *r; /* NULL: 0 */
} row_group;

/* Compares the sum with q h + next at point number j. */
static gfp_status check_at(gfp_operation_call *op, const sums *w, const row_group *g, unsigned j)
{
    const gfp_field *field = op->field;
    const size_t n = w->n, words = n * gfp_field_k(field);
    const uint64_t d = w->point[j];
    uint64_t left[GFP_MAX_K], right[GFP_MAX_K], x[GFP_MAX_K];
    gfp_elem_zero(field, left);
    for (size_t i = 1; i <= w->t; i++) {
        const uint64_t *factor = i < g->rows ? g->row + i * words : i == w->t ? g->r : NULL;
        if (factor != NULL) {
            GFP_TRY(join_value(op, x, factor, n, d));
            gfp_elem_mul(field, x, x, value_at(op, w, i, j));
            gfp_elem_add(field, left, left, x);
        }
    }
    GFP_TRY(join_value(op, x, w->q, n - 1, d));
    gfp_elem_mul(field, x, x, value_at(op, w, 0, j));
    GFP_TRY(join_value(op, right, w->next, n, d));
    gfp_elem_add(field, right, right, x);
    return gfp_elem_equal(field, left, right) ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

static gfp_status check_points(gfp_operation_call *op, const sums *w, const row_group *g)
{
    const size_t n = w->n;
    const double items = (double)((w->t + 2) * n);
    int log2_error = 0;
    if (gfp_vec_canonical(op->field, w->next, n) < n ||
        gfp_vec_canonical(op->field, w->q, n - 1) < n - 1) {
        return gfp_operation_wrong(op, GFP_NO_INDEX);
    }
    (void)gfp_verify_points(op->field, claimed_length(w), &log2_error);
    gfp_operation_count_points(op, w->points, log2_error);
    GFP_TRY(gfp_operation_step(op, op->check_units, w->points * items, gfp_field_k(op->field)));
    for (unsigned j = 0; j < w->points; j++) {
        GFP_TRY(check_at(op, w, g, j));
    }
    return GFP_OK;
}

static gfp_status join_check(gfp_operation_call *op, const sums *w, const row_group *g)
{
    if (op->base.options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    const uint64_t start = gfp_clock_ns();
    const gfp_status status = check_points(op, w, g);
    op->base.report.verify_ns += gfp_clock_ns() - start;
    return status;
}

/* w->next := the sum of a group modulo h. */
static gfp_status join_group(gfp_operation_call *op, const sums *w, const row_group *g)
{
    const size_t n = w->n, words = n * gfp_field_k(op->field), len = claimed_length(w);
    const gfp_operand *x[MOST_ROWS + 1], *y[MOST_ROWS + 1];
    gfp_operation_factor factor[MOST_ROWS + 1];
    size_t count = 0;
    for (size_t i = 1; i <= w->t; i++) {
        const uint64_t *digits = i < g->rows ? g->row + i * words : i == w->t ? g->r : NULL;
        if (digits != NULL) {
            factor[count] = (gfp_operation_factor){w->factor[i], digits, n};
            x[count] = w->factor[i];
            y[count++] = w->power[i];
        }
    }
    GFP_TRY(gfp_operation_transforms(op, gfp_operand_space(x[0]), factor, count));
    GFP_TRY(gfp_operation_dot(op, w->c, 0, len, x, y, count));
    GFP_TRY(gfp_poly_divisor_reduce(op, &w->A->M->divisor, w->q, w->next, (gfp_series){w->c, len}));
    return join_check(op, w, g);
}

/* r := the value at G; the first group has the rest of the rows. */
static gfp_status join_by_sums(gfp_operation_call *op, uint64_t *r, const sums *w,
                               const uint64_t *row, size_t rows)
{
    const gfp_field *field = op->field;
    const size_t n = w->n, words = n * gfp_field_k(field);
    size_t from = (rows - 1) / w->t * w->t;
    row_group g = {row + from * words, rows - from, NULL};
    for (;;) {
        if (g.rows > 1 || g.r != NULL) {
            GFP_TRY(join_group(op, w, &g));
            gfp_vec_add(field, r, w->next, g.row, n);
        } else {
            gfp_vec_set(field, r, g.row, n);
        }
        if (from == 0) {
            return GFP_OK;
        }
        from -= w->t;
        g = (row_group){row + from * words, w->t, r};
    }
}

/* Whether sums serve: they are checked at points, and need not keep to a cap. */
static bool sums_serve(const gfp_operation_call *op, size_t n)
{
    int log2_error;
    const gfp_verify verify = op->base.options->verify;
    return op->base.left == SIZE_MAX &&
           (verify == GFP_VERIFY_NONE ||
            (verify == GFP_VERIFY_POINT &&
             gfp_verify_points(op->field, 2 * n - 1, &log2_error) > 0));
}

gfp_status gfp_compose_join(gfp_operation_call *op, uint64_t *const *r,
                            const gfp_compose_argument *A, const uint64_t *row, const size_t *rows,
                            size_t count)
{
    const size_t n = A->M->divisor.n;
    size_t all = 0, some = 0;
    double units;
    for (size_t i = 0; i < count; i++) {
        all += rows[i];
        some += rows[i] > 0;
    }
    sums w = {.A = A, .n = n};
    w.t = sums_serve(op, n) ? rows_at_once(A->M, all, some, &units) : 1;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    if (w.t > 1) {
        GFP_TRY(join_begin(op, &w));
    }
    for (size_t i = 0; i < count; i++) {
        if (rows[i] == 0) {
            gfp_vec_zero(op->field, r[i], n);
        } else {
            GFP_TRY(w.t > 1 ? join_by_sums(op, r[i], &w, row, rows[i])
                            : join_by_horner(op, r[i], A, row, rows[i]));
        }
        row += rows[i] * n * gfp_field_k(op->field);
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}
