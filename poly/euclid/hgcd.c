/* hgcd.c: half-gcds: the product of the steps of Euclid's algorithm that the highest coefficients
 * of two polynomials determine.
 *
 * Steps whose quotients have degrees of sum at most k depend on the 2 k + 1 highest coefficients.
 * They are found in two halves: the first ones, of sum at most k / 2, from the k + 1 highest
 * coefficients; these are applied to all 2 k + 1, and the others follow from what is left. Pairs
 * are computed modulo X^L - 1 with L at their length, which is known since the highest coefficients
 * cancel; the leading coefficient is known from the steps. Where a quotient is in the way of the
 * first half, it is computed by a division.
 *
 * The idea is Lehmer's and Schoenhage's; the sum of degrees as the rule where to stop follows von
 * zur Gathen and Gerhard, Modern Computer Algebra, section 11.1.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/division/divrem.h"
#include "poly/euclid/steps.h"
#include "field/base/support.h"
#include "product/methods/engine.h"

/* ---- sums of products in one ring ---- */

/* The factors of a few sums: each array is transformed once. */
#define MOST_FACTORS 16
#define MOST_SUMS 4

typedef struct factors {
    gfp_operation_call *op;
    gfp_space *s;
    const uint64_t *digits[MOST_FACTORS];
    gfp_operation_factor factor[MOST_FACTORS];
    size_t count;
} factors;

/* At least n, and such that lengths near by share a space: 4, 5, 6 or 8 times a power of 2. */
static size_t ring_length(size_t n)
{
    size_t power = 1;
    while (n > 8 * power) {
        power *= 2;
    }
    const size_t steps = (n + power - 1) / power;
    return steps <= 4 ? 4 * power : (steps == 7 ? 8 : steps) * power;
}

/* *x := an operand for a. */
static gfp_status operand_for(factors *w, const gfp_operand **x, gfp_series a)
{
    gfp_operation_call *op = w->op;
    const size_t length = gfp_space_length(w->s);
    gfp_operand *made;
    uint64_t *z;
    for (size_t i = 0; i < w->count; i++) {
        if (w->digits[i] == a.digits) {
            *x = w->factor[i].x;
            return GFP_OK;
        }
    }
    GFP_TRY(gfp_operation_operand(op, &made, w->s));
    *x = made;
    w->digits[w->count] = a.digits;
    if (a.len > length) {
        GFP_TRY(gfp_operation_array(op, &z, length));
        gfp_series_wrap(op->field, z, length, length, a);
        a = (gfp_series){z, length};
    }
    w->factor[w->count++] = (gfp_operation_factor){made, a.digits, a.len};
    return GFP_OK;
}

static gfp_status hgcd_plan(factors *w, gfp_operation_sum *sum, const gfp_dot *dot, size_t len)
{
    const gfp_series left[] = {dot->p, dot->q}, right[] = {dot->a, dot->b};
    *sum =
        (gfp_operation_sum){.c = dot->z->digits, .end = gfp_size_min(len, gfp_space_length(w->s))};
    for (size_t i = 0; i < 2; i++) {
        if (left[i].len > 0 && right[i].len > 0) {
            GFP_TRY(operand_for(w, &sum->x[sum->count], left[i]));
            GFP_TRY(operand_for(w, &sum->y[sum->count], right[i]));
            sum->count++;
        }
    }
    return GFP_OK;
}

/* The coefficients beyond the ring, and the length. */
static void hgcd_complete(const gfp_field *field, const gfp_dot *dot, size_t end, size_t len)
{
    const size_t k = gfp_field_k(field);
    uint64_t *z = dot->z->digits;
    gfp_vec_zero(field, z + end * k, len - end);
    if (dot->top_known) {
        gfp_elem_set(field, z + (len - 1) * k, dot->top);
        if (end < len) { /* it has wrapped around */
            gfp_elem_sub(field, z, z, dot->top);
        }
    }
    dot->z->len = gfp_series_trim(field, z, len);
}

gfp_status gfp_dots(gfp_operation_call *op, gfp_dot *dots, size_t count, size_t len)
{
    factors w = {.op = op};
    gfp_operation_sum sum[MOST_SUMS];
    bool known = len > 1;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    for (size_t i = 0; i < count; i++) {
        known = known && dots[i].top_known;
    }
    GFP_TRY(
        gfp_operation_space_of(op, &w.s, ring_length(len - (known ? 1 : 0)), 2, GFP_WRAP_CYCLIC));
    for (size_t i = 0; i < count; i++) {
        GFP_TRY(hgcd_plan(&w, &sum[i], &dots[i], len));
    }
    GFP_TRY(gfp_operation_transforms(op, w.s, w.factor, w.count));
    GFP_TRY(gfp_operation_sums(op, w.s, sum, count));
    for (size_t i = 0; i < count; i++) {
        hgcd_complete(op->field, &dots[i], sum[i].end, len);
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* ---- divisions ---- */

gfp_status gfp_piece_submul(gfp_operation_call *op, gfp_piece *z, gfp_series x, gfp_series q,
                            gfp_series y)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), product = q.len > 0 && y.len > 0 ? q.len + y.len - 1 : 0;
    const size_t len = product > x.len ? product : x.len;
    uint64_t *t;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &t, product));
    gfp_vec_set(field, z->digits, x.digits, x.len);
    gfp_vec_zero(field, z->digits + x.len * k, len - x.len);
    if (product > 0) {
        const gfp_range range = {.field = field,
                                 .a = q.digits,
                                 .b = y.digits,
                                 .len_a = q.len,
                                 .len_b = y.len,
                                 .end = product};
        GFP_TRY(gfp_operation_product(op, op->method, t, &range));
        gfp_vec_sub(field, z->digits, z->digits, t, product);
    }
    z->len = gfp_series_trim(field, z->digits, len);
    gfp_operation_release(op, mark);
    return GFP_OK;
}

gfp_status gfp_divide_step(gfp_operation_call *op, gfp_piece *q, gfp_piece *r, gfp_quotients *list,
                           gfp_pair pair)
{
    const size_t n = pair.y.len - 1, degree = pair.x.len - pair.y.len;
    GFP_TRY(gfp_division(op, q->digits, r->digits, pair.x, pair.y.digits, n));
    q->len = degree + 1;
    r->len = gfp_series_trim(op->field, r->digits, n);
    gfp_quotients_add(op->field, list, pair.y.digits + n * gfp_field_k(op->field), q->digits,
                      degree, false);
    return GFP_OK;
}

/* ---- half-gcds ---- */

gfp_pair gfp_pair_above(const gfp_field *field, gfp_pair pair, size_t from)
{
    return (gfp_pair){gfp_series_slice(field, pair.x, from, SIZE_MAX),
                      gfp_series_slice(field, pair.y, from, SIZE_MAX)};
}

static void copy_matrix(const gfp_field *field, gfp_matrix *M, const gfp_matrix *R)
{
    for (size_t i = 0; i < 4; i++) {
        gfp_piece_copy(field, &M->entry[i], gfp_piece_series(R->entry[i]));
    }
    M->degree = R->degree;
}

/* The state between the halves: the pair after the steps of R, of which coefficients below X^base
 * are not kept. */
typedef struct half {
    gfp_operation_call *op;
    gfp_matrix R;
    gfp_pair pair;
    size_t base;
    uint64_t *lead;
    gfp_quotients *list;
} half;

/* The pair of 2 k + 1 coefficients after R. */
static gfp_status hgcd_apply(half *w, gfp_pair pair, size_t k)
{
    gfp_operation_call *op = w->op;
    const size_t len = 2 * k - w->R.degree + 1;
    const gfp_piece *m = w->R.entry;
    gfp_piece x, y;
    uint64_t zero[GFP_MAX_K];
    gfp_elem_zero(op->field, zero);
    GFP_TRY(gfp_piece_make(op, &x, len));
    GFP_TRY(gfp_piece_make(op, &y, len));
    gfp_dot dots[] = {
        {&x, gfp_piece_series(m[0]), pair.x, gfp_piece_series(m[1]), pair.y, true, w->lead},
        {&y, gfp_piece_series(m[2]), pair.x, gfp_piece_series(m[3]), pair.y, true, zero}};
    GFP_TRY(gfp_dots(op, dots, 2, len));
    w->pair = (gfp_pair){gfp_piece_series(x), gfp_piece_series(y)};
    return GFP_OK;
}

/* R := (0, 1; 1, -q) R. */
static gfp_status hgcd_prepend(half *w, gfp_piece q)
{
    gfp_operation_call *op = w->op;
    gfp_matrix *R = &w->R;
    gfp_piece z;
    const size_t degree = R->degree + q.len - 1;
    for (size_t i = 0; i < 2; i++) {
        GFP_TRY(gfp_piece_make(op, &z, degree + 1));
        GFP_TRY(gfp_piece_submul(op, &z, gfp_piece_series(R->entry[i]), gfp_piece_series(q),
                                 gfp_piece_series(R->entry[2 + i])));
        R->entry[i] = R->entry[2 + i];
        R->entry[2 + i] = z;
    }
    R->degree = degree;
    return GFP_OK;
}

/* A division of the pair. */
static gfp_status hgcd_divide(half *w)
{
    gfp_operation_call *op = w->op;
    const gfp_field *field = op->field;
    const gfp_pair pair = gfp_pair_above(field, w->pair, w->R.degree - w->base);
    gfp_piece q, r;
    w->base = w->R.degree;
    GFP_TRY(gfp_piece_make(op, &q, pair.x.len - pair.y.len + 1));
    GFP_TRY(gfp_piece_make(op, &r, pair.y.len - 1));
    GFP_TRY(gfp_divide_step(op, &q, &r, w->list, pair));
    GFP_TRY(hgcd_prepend(w, q));
    gfp_elem_set(field, w->lead, pair.y.digits + (pair.y.len - 1) * gfp_field_k(field));
    w->pair = (gfp_pair){pair.y, gfp_piece_series(r)};
    return GFP_OK;
}

/* M := S R. */
static gfp_status hgcd_multiply(gfp_operation_call *op, gfp_matrix *M, const gfp_matrix *S,
                                const gfp_matrix *R)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), degree = S->degree + R->degree;
    uint64_t zero[GFP_MAX_K], top[GFP_MAX_K];
    gfp_dot dots[4];
    gfp_elem_zero(field, zero);
    gfp_elem_mul(field, top, S->entry[3].digits + S->degree * k,
                 R->entry[3].digits + R->degree * k);
    for (size_t i = 0; i < 4; i++) {
        const gfp_piece *row = &S->entry[i / 2 * 2], *column = &R->entry[i % 2];
        dots[i] = (gfp_dot){&M->entry[i],
                            gfp_piece_series(row[0]),
                            gfp_piece_series(column[0]),
                            gfp_piece_series(row[1]),
                            gfp_piece_series(column[2]),
                            true,
                            i == 3 ? top : zero};
    }
    M->degree = degree;
    return gfp_dots(op, dots, 4, degree + 1);
}

static gfp_status hgcd_halve(gfp_operation_call *op, gfp_matrix *M, uint64_t *lead,
                             gfp_quotients *list, gfp_pair pair, size_t k);

/* M := the product of the steps of the pair between the halves, and of R. */
static gfp_status second_half(half *w, gfp_matrix *M, size_t k)
{
    gfp_operation_call *op = w->op;
    const size_t left = k - w->R.degree;
    const gfp_pair pair = gfp_pair_above(op->field, w->pair, w->R.degree - w->base);
    gfp_matrix S;
    if (pair.y.len <= left) {
        copy_matrix(op->field, M, &w->R);
        return GFP_OK;
    }
    GFP_TRY(gfp_matrix_make(op, &S, left + 1));
    GFP_TRY(hgcd_halve(op, &S, w->lead, w->list, pair, left));
    return hgcd_multiply(op, M, &S, &w->R);
}

static gfp_status hgcd_split(gfp_operation_call *op, gfp_matrix *M, uint64_t *lead,
                             gfp_quotients *list, gfp_pair pair, size_t k)
{
    const size_t first = k / 2;
    half w = {.op = op, .pair = pair, .lead = lead, .list = list};
    GFP_TRY(gfp_matrix_make(op, &w.R, first + 1));
    GFP_TRY(
        hgcd_halve(op, &w.R, lead, list, gfp_pair_above(op->field, pair, 2 * (k - first)), first));
    if (w.R.degree > 0) {
        GFP_TRY(hgcd_apply(&w, pair, k));
    }
    if (w.R.degree < first && w.pair.y.len > k - w.base) {
        GFP_TRY(hgcd_divide(&w));
    }
    return second_half(&w, M, k);
}

static gfp_status hgcd_halve(gfp_operation_call *op, gfp_matrix *M, uint64_t *lead,
                             gfp_quotients *list, gfp_pair pair, size_t k)
{
    const gfp_euclid_result by_steps = {.M = M, .lead = lead, .list = list};
    pair.y.len = gfp_series_trim(op->field, pair.y.digits, pair.y.len);
    if (k <= op->threshold[GFP_THRESHOLD_HALF_GCD] || pair.y.len <= k) {
        return gfp_euclid(op, &by_steps, pair, k, true);
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(hgcd_split(op, M, lead, list, pair, k));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

gfp_status gfp_hgcd(gfp_operation_call *op, gfp_matrix *M, uint64_t *lead, gfp_quotients *list,
                    gfp_pair pair, size_t k)
{
    return hgcd_halve(op, M, lead, list, pair, k);
}

/* Of each level: 14 transforms and 6 sums of two products, of length k to 1.5 k. */
double gfp_hgcd_units(size_t k)
{
    double units = 0;
    for (size_t m = k; m > 24; m /= 2) {
        units += 10 * (double)k;
    }
    return units + 16 * (double)k;
}
