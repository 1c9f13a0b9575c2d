/* gcd_check.c: the check of Euclid's algorithm at random points, by the list of its quotients.
 *
 * With T the product of the matrices (0, 1; s_i, -q_i) of all quotients, T (a, b) = (x, y) is
 * checked at a random point. If it holds, and the q_i have positive degrees (the first one may have
 * degree 0) and deg y < deg x, the q_i are the quotients of Euclid's algorithm for a, b up to
 * constants, since that is the only way to write a / b so. The leading coefficients c_i are checked
 * with it: s_i and the leading coefficient of q_i are computed from them alone.
 *
 * The values of the matrices are multiplied in CHAINS parts of equal length side by side.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/choose/choice.h"
#include "poly/euclid/gcd.h"
#include "field/base/support.h"
#include "product/verify/claim.h"

#define CHAINS 16

/* The quotients at a point. */
typedef struct values {
    gfp_operation_call *op;
    const gfp_quotients *list;
    uint64_t point;
    uint64_t *s, *q;
} values;

static uint64_t degree_of(const gfp_quotients *list, size_t i)
{
    return list->degrees[i] / 2;
}

static bool is_scaled(const gfp_quotients *list, size_t i)
{
    return list->degrees[i] % 2 == 1;
}

static gfp_status value_of(gfp_operation_call *op, uint64_t *y, gfp_series x, uint64_t d)
{
    if (x.len == 0) {
        gfp_elem_zero(op->field, y);
        return GFP_OK;
    }
    return gfp_verify_evaluate(op->field, y, x.digits, x.len, d, &op->base.task)
               ? GFP_OK
               : GFP_ERR_CANCELLED;
}

/* q_i of a step with s_i = 1, whose coefficients below the leading one begin at `rest`. */
static gfp_status whole_quotient(values *w, size_t i, const uint64_t *rest)
{
    const gfp_field *field = w->op->field;
    const size_t k = gfp_field_k(field);
    const uint64_t degree = degree_of(w->list, i);
    uint64_t *q = w->q + i * k, x[GFP_MAX_K], y[GFP_MAX_K];
    GFP_TRY(gfp_elem_inv(field, x, w->list->lead + (i + 1) * k));
    gfp_elem_mul(field, x, x, w->list->lead + i * k);
    gfp_elem_set_u64(field, y, w->point);
    gfp_elem_pow(field, y, y, &degree, 1);
    gfp_elem_mul(field, x, x, y);
    GFP_TRY(value_of(w->op, q, (gfp_series){rest, degree}, w->point));
    gfp_elem_add(field, q, q, x);
    gfp_elem_one(field, w->s + i * k);
    return GFP_OK;
}

/* The values of all s_i and q_i. */
static gfp_status gcd_check_fill(values *w)
{
    const gfp_field *field = w->op->field;
    const gfp_quotients *list = w->list;
    const size_t k = gfp_field_k(field);
    uint64_t point[GFP_MAX_K];
    const uint64_t *rest = list->rest;
    gfp_elem_set_u64(field, point, w->point);
    gfp_vec_mul(field, w->s, list->lead + k, list->lead + k, list->count);
    gfp_vec_mul(field, w->q, list->lead + k, list->lead, list->count);
    gfp_vec_scalar_mul(field, w->q, w->q, point, list->count);
    if (list->degree == list->count) {
        gfp_vec_add(field, w->q, w->q, rest, list->count);
    }
    for (size_t i = 0; i < list->count; i++) {
        if (!is_scaled(list, i)) {
            GFP_TRY(whole_quotient(w, i, rest));
        } else if (list->degree != list->count) {
            gfp_elem_add(field, w->q + i * k, w->q + i * k, rest);
        }
        rest += degree_of(list, i) * k;
    }
    return GFP_OK;
}

/* (x, y) := (y, s x - q y). */
static void gcd_check_step(const gfp_field *field, uint64_t *x, uint64_t *y, const uint64_t *s,
                           const uint64_t *q)
{
    uint64_t t[GFP_MAX_K];
    gfp_elem_mul(field, x, x, s);
    gfp_elem_mul(field, t, y, q);
    gfp_elem_sub(field, t, x, t);
    gfp_elem_set(field, x, y);
    gfp_elem_set(field, y, t);
}

/* (x, y) := (m_0 x + m_1 y, m_2 x + m_3 y). */
static void gcd_check_times(const gfp_field *field, uint64_t *x, uint64_t *y,
                            const uint64_t *const m[4])
{
    uint64_t z[4][GFP_MAX_K];
    for (unsigned i = 0; i < 4; i++) {
        gfp_elem_mul(field, z[i], m[i], i % 2 == 0 ? x : y);
    }
    gfp_elem_add(field, x, z[0], z[1]);
    gfp_elem_add(field, y, z[2], z[3]);
}

/* z, CHAINS elements, := every length-th element from x on. */
static void gcd_check_pick(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t length)
{
    const size_t k = gfp_field_k(field);
    for (size_t i = 0; i < CHAINS; i++) {
        gfp_elem_set(field, z + i * k, x + i * length * k);
    }
}

/* (x, y) := the first CHAINS length steps. */
static gfp_status run_chains(const values *w, size_t length, uint64_t *x, uint64_t *y)
{
    const gfp_field *field = w->op->field;
    const size_t k = gfp_field_k(field), row = 2 * CHAINS;
    uint64_t *now, *next, *t, *s, *q;
    GFP_TRY(gfp_operation_array(w->op, &now, row));
    GFP_TRY(gfp_operation_array(w->op, &next, row));
    GFP_TRY(gfp_operation_array(w->op, &t, row));
    GFP_TRY(gfp_operation_array(w->op, &s, row));
    GFP_TRY(gfp_operation_array(w->op, &q, row));
    gfp_vec_zero(field, now, row);
    gfp_vec_zero(field, next, row);
    for (size_t i = 0; i < CHAINS; i++) {
        gfp_elem_one(field, now + i * k);
        gfp_elem_one(field, next + (CHAINS + i) * k);
    }
    for (size_t i = 0; i < length; i++) {
        uint64_t *const before = now;
        for (size_t column = 0; column < 2; column++) {
            gcd_check_pick(field, s + column * CHAINS * k, w->s + i * k, length);
            gcd_check_pick(field, q + column * CHAINS * k, w->q + i * k, length);
        }
        gfp_vec_mul(field, now, now, s, row);
        gfp_vec_mul(field, t, next, q, row);
        gfp_vec_sub(field, now, now, t, row);
        now = next;
        next = before;
    }
    for (size_t i = 0; i < CHAINS; i++) {
        const uint64_t *const m[4] = {now + i * k, now + (CHAINS + i) * k, next + i * k,
                                      next + (CHAINS + i) * k};
        gcd_check_times(field, x, y, m);
    }
    return GFP_OK;
}

static gfp_status check_at(gfp_reduction *w, uint64_t point)
{
    gfp_operation_call *op = w->op;
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), count = w->list.count, length = count / CHAINS;
    values v = {.op = op, .list = &w->list, .point = point};
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K], z[GFP_MAX_K];
    GFP_TRY(gfp_operation_array(op, &v.s, count));
    GFP_TRY(gfp_operation_array(op, &v.q, count));
    GFP_TRY(gcd_check_fill(&v));
    GFP_TRY(value_of(op, x, w->a, point));
    GFP_TRY(value_of(op, y, w->b, point));
    if (length > 0) {
        GFP_TRY(run_chains(&v, length, x, y));
    }
    for (size_t i = length * CHAINS; i < count; i++) {
        gcd_check_step(field, x, y, v.s + i * k, v.q + i * k);
    }
    GFP_TRY(value_of(op, z, gfp_piece_series(w->x), point));
    if (!gfp_elem_equal(field, x, z)) {
        return gfp_operation_wrong(op, GFP_NO_INDEX);
    }
    GFP_TRY(value_of(op, z, gfp_piece_series(w->y), point));
    return gfp_elem_equal(field, y, z) ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

/* Whether degrees and leading coefficients are those of such a list. */
static bool has_degrees(const gfp_reduction *w)
{
    const gfp_field *field = w->op->field;
    const size_t k = gfp_field_k(field);
    bool good =
        w->x.len > w->y.len && w->list.degree + w->x.len == w->a.len &&
        gfp_elem_equal(field, w->list.lead + w->list.count * k, w->x.digits + (w->x.len - 1) * k) &&
        gfp_vec_canonical(field, w->x.digits, w->x.len) == w->x.len &&
        gfp_vec_canonical(field, w->y.digits, w->y.len) == w->y.len;
    for (size_t i = 1; i < w->list.count; i++) {
        good = good && degree_of(&w->list, i) > 0;
    }
    return good;
}

bool gfp_check_by_points(const gfp_operation_call *op, size_t len)
{
    int log2_error;
    return op->base.options->verify == GFP_VERIFY_POINT &&
           gfp_verify_points(op->field, len, &log2_error) > 0;
}

bool gfp_check_by_method(const gfp_operation_call *op, size_t len)
{
    return op->base.options->verify != GFP_VERIFY_NONE && !gfp_check_by_points(op, len);
}

/* A method with operands other than the one that was used, or "classical". */
static const char *second_method(const gfp_operation_call *op, size_t len)
{
    static const char *const names[] = {"hybrid", "crt", "bigfft"};
    char why[sizeof((gfp_method_info *)0)->reason];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const gfp_method *method = gfp_method_find(names[i]);
        if (method != NULL && method != op->method &&
            gfp_operand_serves(method, op->field, len, why, sizeof why)) {
            return names[i];
        }
    }
    return "classical";
}

gfp_status gfp_operation_begin_again(gfp_operation_call *again, gfp_options *options,
                                     gfp_operation_call *op, size_t len, double units)
{
    GFP_TRY(gfp_operation_step(op, op->check_units, 1, 1));
    if (op->base.left == 0) { /* which would be no cap */
        return GFP_ERR_MEMORY;
    }
    *options = op->inner;
    options->method = second_method(op, len);
    options->memory_cap = op->base.left == SIZE_MAX ? 0 : op->base.left;
    options->report = NULL;
    op->base.report.verified = GFP_VERIFY_CROSS;
    op->base.report.cross_method = options->method;
    GFP_TRY(gfp_operation_begin(again, op->base.name, options));
    again->base.start = gfp_clock_ns();
    const gfp_status status = gfp_operation_start(again, op->field, units, 1);
    return status == GFP_OK ? GFP_OK : gfp_operation_end(again, status);
}

gfp_status gfp_operation_end_again(gfp_operation_call *again, gfp_operation_call *op,
                                   gfp_status status)
{
    op->base.report.verify_ns += gfp_clock_ns() - again->base.start;
    return gfp_call_inner(&op->base, gfp_operation_end(again, status));
}

static gfp_status check_list(gfp_reduction *w, size_t len)
{
    gfp_operation_call *op = w->op;
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    unsigned points;
    if (!has_degrees(w)) {
        return gfp_operation_wrong(op, GFP_NO_INDEX);
    }
    GFP_TRY(gfp_operation_check_begin(op, len, &points, d, 3 * (double)len,
                                      (double)gfp_field_k(op->field)));
    for (unsigned i = 0; i < points; i++) {
        GFP_TRY(check_at(w, d[i]));
    }
    return GFP_OK;
}

gfp_status gfp_reduction_check(gfp_reduction *w)
{
    gfp_operation_call *op = w->op;
    const size_t len = w->a.len + w->b.len + 1;
    if (!gfp_check_by_points(op, len)) {
        return GFP_OK;
    }
    const uint64_t start = gfp_clock_ns();
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    const gfp_status status = check_list(w, len);
    gfp_operation_release(op, mark);
    op->base.report.verify_ns += gfp_clock_ns() - start;
    return status;
}

/* ---- u a + v b = g ---- */

gfp_status gfp_bezout_check(gfp_operation_call *op, const gfp_bezout *w)
{
    gfp_identity identity = {.field = op->field};
    gfp_identity_add(&identity, w->u.digits, w->u.len, w->a.digits, w->a.len)->result = true;
    gfp_identity_add(&identity, w->v.digits, w->v.len, w->b.digits, w->b.len)->result = true;
    gfp_term *g = gfp_identity_add(&identity, w->g.digits, w->g.len, NULL, 1);
    g->minus = g->result = true;
    return gfp_check_by_points(op, gfp_identity_length(&identity))
               ? gfp_operation_check(op, &identity)
               : GFP_OK;
}
