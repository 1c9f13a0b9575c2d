/* operation_check.c: the check of an operation's result: claims on products, at random points or by
 * a second method.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "chooser.h"
#include "kernels.h"
#include "operation.h"
#include "support.h"
#include "verify.h"

gfp_status gfp_operation_wrong(const gfp_operation_call *op, uint64_t index)
{
    gfp_error *error = op->options->error;
    if (index == GFP_NO_INDEX) {
        gfp_error_fill(error, GFP_ERR_VERIFY, "%s: the result fails its identity at a random point",
                       op->name);
    } else {
        gfp_error_fill(error, GFP_ERR_VERIFY,
                       "%s: the result fails its identity at coefficient %zu", op->name,
                       (size_t)index);
    }
    if (error != NULL) {
        error->index = index;
    }
    return GFP_ERR_VERIFY;
}

gfp_status gfp_operation_check_begin(gfp_operation_call *op, size_t len, unsigned *points,
                                     uint64_t *d, double items, double cost)
{
    int log2_error = 0;
    uint64_t seed = op->options->verify_seed;
    gfp_report *report = &op->report;
    *points = op->options->verify == GFP_VERIFY_POINT
                  ? gfp_verify_points(op->field, len, &log2_error)
                  : 0;
    if (*points == 0) {
        report->verified = GFP_VERIFY_CROSS;
        return gfp_operation_step(op, op->check_units, items, cost);
    }
    if (seed == 0) {
        GFP_TRY(gfp_system_seed(&seed, op->options->error));
    }
    gfp_verify_draw(op->field, d, *points, seed);
    if (report->verified == GFP_VERIFY_NONE) {
        report->verified = GFP_VERIFY_POINT;
    }
    report->points += *points;
    /* Several identities: the probabilities add up. */
    report->log2_error = report->log2_error == 0           ? log2_error
                         : log2_error > report->log2_error ? log2_error + 1
                                                           : report->log2_error + 1;
    return gfp_operation_step(op, op->check_units, items, cost);
}

/* ---- at points ---- */

/* Weighted by powers of a digit d, the claim is one equation:
 *   sum over first <= m < end of c_m d^(end - 1 - m) = sum over i of a_i U_(end - i),
 *   U_t = sum of b_j d^(t - 1 - j) over j < t, t - (end - first) <= j,
 * for a_i b_j counts towards c_(i + j) alone. Both sides are values of polynomials in d of degree
 * below end - first: where a coefficient is wrong they differ but at end - first - 1 digits. */
typedef struct window {
    const gfp_field *field;
    const uint64_t *b;
    size_t len_b, width;
    size_t t;   /* u = U_t */
    uint64_t d; /* the digit */
    uint64_t u[GFP_MAX_K];
    uint64_t drop[GFP_MAX_K]; /* d^width */
} window;

/* y := y d + x. */
static void horner(const gfp_field *field, uint64_t *y, const uint64_t *x, uint64_t d)
{
    const size_t k = gfp_field_k(field);
    uint64_t pair[2 * GFP_MAX_K];
    gfp_elem_copy(field, pair, x);
    gfp_elem_copy(field, pair + k, y);
    gfp_eval_digit(field, y, pair, 2, d);
}

/* u := U_(t + 1). */
static void slide(window *w)
{
    const size_t k = gfp_field_k(w->field);
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K];
    gfp_elem_zero(w->field, x);
    if (w->t < w->len_b) {
        gfp_elem_copy(w->field, x, w->b + w->t * k);
    }
    if (w->t >= w->width && w->t - w->width < w->len_b) {
        gfp_elem_mul(w->field, y, w->drop, w->b + (w->t - w->width) * k);
        gfp_elem_sub(w->field, x, x, y);
    }
    horner(w->field, w->u, x, w->d);
    w->t++;
}

/* Values of U that are made before their products with a are summed up. */
#define WINDOWS 64

/* y := the right side; b is not shorter than a, and neither is empty or longer than end. */
static bool right_side(window *w, uint64_t *y, const uint64_t *a, size_t len_a, size_t end,
                       uint64_t *values, gfp_task *task)
{
    const size_t k = gfp_field_k(w->field);
    uint64_t sum[GFP_MAX_K];
    gfp_elem_zero(w->field, y);
    while (w->t < end - len_a) {
        slide(w);
        if (!gfp_task_advance(task, 1)) {
            return false;
        }
    }
    while (w->t < end) {
        const size_t n = gfp_size_min(end - w->t, WINDOWS);
        const size_t low = end - w->t - n; /* a_low U_(end - low) is the last of these products */
        for (size_t i = 0; i < n; i++) {
            slide(w);
            gfp_elem_copy(w->field, values + i * k, w->u);
        }
        gfp_vec_dot(w->field, sum, a + low * k, values, n);
        gfp_elem_add(w->field, y, y, sum);
        if (!gfp_task_advance(task, (double)n)) {
            return false;
        }
    }
    return true;
}

/* y := the left side. */
static void left_side(const gfp_operation_call *op, uint64_t *y, const gfp_operation_claim *claim,
                      uint64_t d)
{
    const size_t k = gfp_field_k(op->field);
    const uint64_t gap = claim->end - claim->first - claim->len_c;
    uint64_t power[GFP_MAX_K];
    gfp_elem_zero(op->field, y);
    for (size_t i = 0; i < claim->len_c; i++) {
        horner(op->field, y, claim->c + i * k, d);
    }
    gfp_elem_set_u64(op->field, power, d);
    gfp_elem_pow(op->field, power, power, &gap, 1);
    gfp_elem_mul(op->field, y, y, power);
}

static gfp_status check_at(gfp_operation_call *op, const gfp_operation_claim *claim, uint64_t d)
{
    const uint64_t width = claim->end - claim->first;
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K], *values;
    window w = {.field = op->field,
                .b = claim->b,
                .len_b = claim->len_b,
                .width = claim->end - claim->first,
                .d = d};
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &values, WINDOWS));
    gfp_elem_zero(op->field, w.u);
    gfp_elem_set_u64(op->field, w.drop, d);
    gfp_elem_pow(op->field, w.drop, w.drop, &width, 1);
    const bool done = right_side(&w, y, claim->a, claim->len_a, claim->end, values, &op->task);
    gfp_operation_release(op, mark);
    if (!done) {
        return GFP_ERR_CANCELLED;
    }
    left_side(op, x, claim, d);
    return gfp_elem_equal(op->field, x, y) ? GFP_OK : GFP_ERR_VERIFY;
}

/* ---- by a second method ---- */

gfp_status gfp_operation_second_method(gfp_operation_call *op, const gfp_method **second,
                                       const gfp_range *range)
{
    const gfp_problem problem = {.len_a = range->len_a, .len_b = range->len_b, .no_gpu = true};
    const gfp_method *used = op->method != NULL ? op->method : gfp_method_find("classical");
    gfp_request q = gfp_request_make(&problem, op->field, &op->inner);
    q.cap = op->left == SIZE_MAX ? 0 : op->left;
    GFP_TRY(gfp_request_second(second, &q, used, op->options->error));
    op->report.cross_method = (*second)->name;
    return GFP_OK;
}

static gfp_status compare(const gfp_operation_call *op, const gfp_operation_claim *claim,
                          const uint64_t *product)
{
    const size_t k = gfp_field_k(op->field), n = claim->end - claim->first;
    size_t i = 0;
    while (i < n && (i < claim->len_c ? gfp_elem_equal(op->field, claim->c + i * k, product + i * k)
                                      : gfp_elem_is_zero(op->field, product + i * k))) {
        i++;
    }
    return i == n ? GFP_OK : gfp_operation_wrong(op, claim->first + i);
}

static gfp_status check_cross(gfp_operation_call *op, const gfp_operation_claim *claim)
{
    const gfp_range range = {.field = op->field,
                             .a = claim->a,
                             .b = claim->b,
                             .len_a = claim->len_a,
                             .len_b = claim->len_b,
                             .first = claim->first,
                             .end = claim->end};
    const gfp_method *second;
    uint64_t *c;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_second_method(op, &second, &range));
    GFP_TRY(gfp_operation_array(op, &c, claim->end - claim->first));
    GFP_TRY(gfp_operation_product(op, second, c, &range));
    const gfp_status status = compare(op, claim, c);
    gfp_operation_release(op, mark);
    return status;
}

/* A product of which a factor is 0. */
static gfp_status check_zeros(const gfp_operation_call *op, const gfp_operation_claim *claim)
{
    size_t i = 0;
    while (i < claim->len_c && gfp_elem_is_zero(op->field, claim->c + i * gfp_field_k(op->field))) {
        i++;
    }
    return i == claim->len_c ? GFP_OK : gfp_operation_wrong(op, claim->first + i);
}

/* Coefficients of the factors that matter to no coefficient below `end` are left out; the shorter
 * factor comes first. */
static gfp_operation_claim trimmed(const gfp_operation_claim *claim)
{
    gfp_operation_claim t = *claim;
    t.len_a = gfp_size_min(t.len_a, t.end);
    t.len_b = gfp_size_min(t.len_b, t.end);
    if (t.len_a > t.len_b) {
        t.a = claim->b;
        t.b = claim->a;
        t.len_a = gfp_size_min(claim->len_b, t.end);
        t.len_b = gfp_size_min(claim->len_a, t.end);
    }
    return t;
}

static gfp_status check(gfp_operation_call *op, const gfp_operation_claim *claim)
{
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    unsigned points;
    const size_t n = claim->end - claim->first,
                 wrong = gfp_vec_canonical(op->field, claim->c, claim->len_c);
    if (wrong < claim->len_c) {
        return gfp_operation_wrong(op, claim->first + wrong);
    }
    GFP_TRY(gfp_operation_check_begin(op, n, &points, d, (double)claim->end,
                                      2 * gfp_task_product_cost(op->field)));
    if (claim->len_a == 0) {
        return check_zeros(op, claim);
    }
    if (points == 0) {
        return check_cross(op, claim);
    }
    gfp_status status = GFP_OK;
    for (unsigned i = 0; i < points && status == GFP_OK; i++) {
        status = check_at(op, claim, d[i]);
    }
    return status == GFP_ERR_VERIFY ? gfp_operation_wrong(op, GFP_NO_INDEX) : status;
}

gfp_status gfp_operation_check_product(gfp_operation_call *op, const gfp_operation_claim *claim)
{
    if (op->options->verify == GFP_VERIFY_NONE || claim->first >= claim->end) {
        return GFP_OK;
    }
    const gfp_operation_claim t = trimmed(claim);
    const uint64_t start = gfp_clock_ns();
    const gfp_status status = check(op, &t);
    op->report.verify_ns += gfp_clock_ns() - start;
    return status;
}
