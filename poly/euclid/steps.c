/* steps.c: steps of Euclid's algorithm by the definition.
 *
 * A row holds a remainder r with its cofactors u, v, one after the other. A step makes a row of the
 * two before it. Where the degree falls by 1, as it nearly always does, all its elements are the
 * same linear combination s x_i - q_0 y_i - q_1 y_(i-1), s = c^2, of elements of the rows before:
 * one call for all three parts.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/euclid/steps.h"

#include "field/base/kernels.h"
#include "field/base/support.h"

/* ---- polynomials and matrices ---- */

size_t gfp_series_trim(const gfp_field *field, const uint64_t *x, size_t len)
{
    const size_t k = gfp_field_k(field);
    while (len > 0 && gfp_elem_is_zero(field, x + (len - 1) * k)) {
        len--;
    }
    return len;
}

gfp_status gfp_piece_make(gfp_operation_call *op, gfp_piece *x, size_t room)
{
    x->len = 0;
    return gfp_operation_array(op, &x->digits, room);
}

void gfp_piece_copy(const gfp_field *field, gfp_piece *z, gfp_series x)
{
    gfp_vec_set(field, z->digits, x.digits, x.len);
    z->len = x.len;
}

gfp_status gfp_matrix_make(gfp_operation_call *op, gfp_matrix *M, size_t room)
{
    const size_t k = gfp_field_k(op->field);
    uint64_t *digits;
    GFP_TRY(gfp_operation_array(op, &digits, gfp_size_mul_sat(4, room)));
    for (size_t i = 0; i < 4; i++) {
        M->entry[i] = (gfp_piece){digits + i * room * k, i % 3 == 0 ? 1 : 0};
        if (i % 3 == 0) {
            gfp_elem_one(op->field, M->entry[i].digits);
        }
    }
    M->degree = 0;
    return GFP_OK;
}

/* ---- the list of quotients ---- */

gfp_status gfp_quotients_make(gfp_operation_call *op, gfp_quotients *list, size_t len,
                              const uint64_t *c)
{
    const size_t k = gfp_field_k(op->field);
    *list = (gfp_quotients){.count = 0};
    GFP_TRY(gfp_operation_array(op, &list->lead, gfp_size_add_sat(len, 2)));
    GFP_TRY(gfp_operation_array(op, &list->rest, len));
    GFP_TRY(gfp_operation_array(op, &list->degrees, len / k + 2));
    gfp_elem_set(op->field, list->lead, c);
    return GFP_OK;
}

void gfp_quotients_add(const gfp_field *field, gfp_quotients *list, const uint64_t *c,
                       const uint64_t *rest, size_t degree, bool scaled)
{
    const size_t k = gfp_field_k(field);
    if (list != NULL) {
        gfp_vec_set(field, list->rest + list->degree * k, rest, degree);
        list->degrees[list->count++] = 2 * (uint64_t)degree + (scaled ? 1 : 0);
        list->degree += degree;
        gfp_elem_set(field, list->lead + list->count * k, c);
    }
}

/* ---- rows ---- */

/* u, the coefficients low <= i < low + r of the remainder, and v. */
typedef struct row {
    uint64_t *digits;
    size_t u, v, r, low;
} row;

/* The parts of a row. */
enum { U, R, V, PARTS };

typedef struct part {
    uint64_t *digits;
    size_t low, len;
} part;

static part part_of(const row *x, size_t k, unsigned which)
{
    switch (which) {
    case U:
        return (part){x->digits, 0, x->u};
    case R:
        return (part){x->digits + x->u * k, x->low, x->r};
    default:
        return (part){x->digits + (x->u + x->r) * k, 0, x->v};
    }
}

typedef struct rows {
    gfp_operation_call *op;
    row x, y, z;
    const uint64_t **places; /* of the elements that a linear combination takes */
    uint64_t *zero;
    /* The leading coefficient of y's v is still to be computed: that of x's v times `factor`. It
     * is computed together with the next quotient. */
    bool owed;
    uint64_t *factor;
    gfp_quotients *list;
    bool cut;
} rows;

/* One more than the degree; 0 for a remainder of which nothing is known to be there. */
static size_t end_of(const row *x)
{
    return x->r == 0 ? 0 : x->low + x->r;
}

static void steps_turn(rows *w)
{
    const row x = w->x;
    w->x = w->y;
    w->y = w->z;
    w->z = x;
}

/* The remainder := len coefficients of it from number `drop` on. */
static void steps_shorten(const gfp_field *field, row *z, size_t drop, size_t len)
{
    const size_t k = gfp_field_k(field);
    const part r = part_of(z, k, R), v = part_of(z, k, V);
    if (len < z->r) {
        gfp_vec_set(field, r.digits, r.digits + drop * k, len);
        z->r = len;
        z->low += drop;
        gfp_vec_set(field, part_of(z, k, V).digits, v.digits, v.len);
    }
}

/* Drops leading zeros of the remainder. */
static void steps_trim(const gfp_field *field, row *z)
{
    steps_shorten(field, z, 0,
                  gfp_series_trim(field, part_of(z, gfp_field_k(field), R).digits, z->r));
}

static uint64_t *lead_of(part x, size_t k)
{
    return x.digits + (x.len - 1) * k;
}

static void charge_steps(rows *w)
{
    const size_t k = gfp_field_k(w->op->field);
    if (w->owed) {
        gfp_elem_mul(w->op->field, lead_of(part_of(&w->y, k, V), k),
                     lead_of(part_of(&w->x, k, V), k), w->factor);
        w->owed = false;
    }
}

/* ---- a step with a quotient of degree 1 ---- */

/* Puts the places of elements from <= i < from + n of a part, zeros where there are none. */
static void put_places(const rows *w, const uint64_t **to, part x, ptrdiff_t from, size_t n)
{
    const size_t k = gfp_field_k(w->op->field);
    for (size_t i = 0; i < n; i++) {
        const size_t at = (size_t)(from + (ptrdiff_t)i) - x.low; /* huge below the part */
        to[i] = at < x.len ? x.digits + at * k : w->zero;
    }
}

/* c[0 .. 2] := s, -q_0, -q_1, and q_0; pays what is owed. */
static void normal_quotient(rows *w, uint64_t *c, uint64_t *q0)
{
    const gfp_field *field = w->op->field;
    const size_t k = gfp_field_k(field);
    const part x = part_of(&w->x, k, R), y = part_of(&w->y, k, R);
    const uint64_t *lead = lead_of(y, k), *high = lead_of(x, k);
    const uint64_t *left[5] = {lead, lead, lead, high, w->factor};
    const uint64_t *right[5] = {lead, high, high - k, y.len > 1 ? lead - k : w->zero,
                                w->owed ? lead_of(part_of(&w->x, k, V), k) : w->zero};
    uint64_t a[5 * GFP_MAX_K], b[5 * GFP_MAX_K];
    for (size_t i = 0; i < 5; i++) {
        gfp_elem_set(field, a + i * k, left[i]);
        gfp_elem_set(field, b + i * k, right[i]);
    }
    gfp_vec_mul(field, a, a, b, w->owed ? 5 : 4);
    gfp_elem_set(field, c, a);
    gfp_elem_sub(field, c + k, a + 3 * k, a + 2 * k);
    gfp_elem_neg(field, c + 2 * k, a + k);
    gfp_elem_neg(field, q0, c + k);
    if (w->owed) {
        gfp_elem_set(field, lead_of(part_of(&w->y, k, V), k), a + 4 * k);
    }
}

static void normal_step(rows *w)
{
    const gfp_field *field = w->op->field;
    const size_t k = gfp_field_k(field), end = end_of(&w->y) - 1;
    uint64_t c[3 * GFP_MAX_K], q0[GFP_MAX_K];
    row *z = &w->z;
    const size_t low = w->cut ? (w->x.low > w->y.low + 1 ? w->x.low : w->y.low + 1) : 0;
    normal_quotient(w, c, q0);
    gfp_quotients_add(field, w->list, lead_of(part_of(&w->y, k, R), k), q0, 1, true);
    w->owed = w->y.v > 0;
    gfp_elem_set(field, w->factor, c + 2 * k);
    z->u = w->y.u > 0 ? w->y.u + 1 : w->x.u;
    z->v = w->y.v > 0 ? w->y.v + 1 : w->x.v;
    z->low = low;
    z->r = end > low ? end - low : 0;
    const size_t n = z->u + z->r + z->v - (w->owed ? 1 : 0);
    const uint64_t **place = w->places;
    for (unsigned i = 0; i < PARTS; i++) {
        const part to = part_of(z, k, i), x_part = part_of(&w->x, k, i);
        const part y_part = part_of(&w->y, k, i);
        const ptrdiff_t from = (ptrdiff_t)to.low;
        const size_t len = to.len - (i == V && w->owed ? 1 : 0);
        put_places(w, place, x_part, from, len);
        put_places(w, place + n, y_part, from, len);
        put_places(w, place + 2 * n, y_part, from - 1, len);
        place += len;
    }
    gfp_field_kernels(field)->lincomb_at(field, z->digits, c, w->places, 3, n);
    steps_trim(field, z);
    steps_turn(w);
}

/* ---- a step with any quotient ---- */

/* z := x with room for q y, q of degree d; the remainder whole. */
static void steps_widen(rows *w, size_t d)
{
    const gfp_field *field = w->op->field;
    const size_t k = gfp_field_k(field);
    row *z = &w->z;
    const row *x = &w->x, *y = &w->y;
    z->u = y->u > 0 && y->u + d > x->u ? y->u + d : x->u;
    z->v = y->v > 0 && y->v + d > x->v ? y->v + d : x->v;
    z->low = x->low;
    z->r = x->r;
    for (unsigned i = 0; i < PARTS; i++) {
        const part to = part_of(z, k, i);
        const part from = part_of(x, k, i);
        gfp_vec_set(field, to.digits, from.digits, from.len);
        gfp_vec_zero(field, to.digits + from.len * k, to.len - from.len);
    }
}

/* z := z - t X^i y. */
static void subtract_multiple(rows *w, const uint64_t *t, size_t i)
{
    const gfp_field *field = w->op->field;
    const size_t k = gfp_field_k(field);
    for (unsigned j = 0; j < PARTS; j++) {
        const part z = part_of(&w->z, k, j), y = part_of(&w->y, k, j);
        const size_t from = y.low + i > z.low ? y.low + i : z.low;
        if (y.len > 0 && from < y.low + i + y.len) {
            gfp_vec_scalar_submul(field, z.digits + (from - z.low) * k,
                                  y.digits + (from - i - y.low) * k, t, y.low + i + y.len - from);
        }
    }
}

static gfp_status general_step(rows *w)
{
    const gfp_field *field = w->op->field;
    const size_t k = gfp_field_k(field), end = end_of(&w->y), d = end_of(&w->x) - end;
    const part y = part_of(&w->y, k, R);
    const uint64_t *lead = lead_of(y, k);
    uint64_t inverse[GFP_MAX_K], t[GFP_MAX_K], *rest;
    const gfp_operation_mark mark = gfp_operation_mark_here(w->op);
    GFP_TRY(gfp_operation_array(w->op, &rest, d));
    GFP_TRY(gfp_elem_inv(field, inverse, lead));
    charge_steps(w);
    steps_widen(w, d);
    for (size_t i = d + 1; i-- > 0;) {
        const part z = part_of(&w->z, k, R);
        gfp_elem_mul(field, t, z.digits + (end - 1 + i - z.low) * k, inverse);
        subtract_multiple(w, t, i);
        if (i < d) {
            gfp_elem_set(field, rest + i * k, t);
        }
        if (!gfp_task_advance(&w->op->base.task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    gfp_quotients_add(field, w->list, lead, rest, d, false);
    const size_t known = w->y.low + d, drop = w->cut && known > w->z.low ? known - w->z.low : 0;
    steps_shorten(field, &w->z, drop, end - 1 > w->z.low + drop ? end - 1 - w->z.low - drop : 0);
    steps_trim(field, &w->z);
    steps_turn(w);
    gfp_operation_release(w->op, mark);
    return GFP_OK;
}

/* ---- the algorithm ---- */

/* The rows of a pair. */
static gfp_status make_rows(rows *w, const gfp_pair *pair, size_t bound, bool cofactors)
{
    const gfp_field *field = w->op->field;
    const size_t steps = pair->x.len - gfp_size_min(bound, pair->x.len) + 2;
    const size_t room = gfp_size_add_sat(pair->x.len, cofactors ? 2 * steps : 0);
    const size_t k = gfp_field_k(field);
    row *const all[] = {&w->x, &w->y, &w->z};
    uint64_t *places;
    for (size_t i = 0; i < 3; i++) {
        *all[i] = (row){.u = 0};
        GFP_TRY(gfp_operation_array(w->op, &all[i]->digits, room));
    }
    GFP_TRY(gfp_operation_array(w->op, &places, 3 * (room / k + 1)));
    GFP_TRY(gfp_operation_array(w->op, &w->zero, 2));
    w->factor = w->zero + k;
    w->owed = false;
    gfp_elem_zero(field, w->zero);
    w->places = (const uint64_t **)(void *)places;
    w->x.u = w->y.v = cofactors ? 1 : 0;
    w->x.r = pair->x.len;
    w->y.r = gfp_series_trim(field, pair->y.digits, pair->y.len);
    gfp_vec_set(field, part_of(&w->x, k, R).digits, pair->x.digits, w->x.r);
    gfp_vec_set(field, part_of(&w->y, k, R).digits, pair->y.digits, w->y.r);
    if (cofactors) {
        gfp_elem_one(field, part_of(&w->x, k, U).digits);
        gfp_elem_one(field, part_of(&w->y, k, V).digits);
    }
    return GFP_OK;
}

static void copy_part(const gfp_field *field, gfp_piece *z, part x)
{
    gfp_piece_copy(field, z, (gfp_series){x.digits, x.len});
    z->len = gfp_series_trim(field, z->digits, z->len);
}

static void steps_fill(const rows *w, const gfp_euclid_result *result, size_t degree)
{
    const gfp_field *field = w->op->field;
    const size_t k = gfp_field_k(field);
    const part x = part_of(&w->x, k, R);
    if (result->M != NULL) {
        for (unsigned i = 0; i < 4; i++) {
            copy_part(field, &result->M->entry[i],
                      part_of(i < 2 ? &w->x : &w->y, k, i % 2 == 0 ? U : V));
        }
        result->M->degree = degree;
    }
    if (result->c != NULL) {
        copy_part(field, result->c, x);
        copy_part(field, result->d, part_of(&w->y, k, R));
    }
    if (result->lead != NULL) {
        gfp_elem_set(field, result->lead, x.digits + (x.len - 1) * k);
    }
}

gfp_status gfp_euclid(gfp_operation_call *op, const gfp_euclid_result *result, gfp_pair pair,
                      size_t bound, bool cut)
{
    const size_t n = pair.x.len;
    const double cost = 3 * gfp_task_product_cost(op->field) * (double)n;
    rows w = {.op = op, .list = result->list, .cut = cut};
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(make_rows(&w, &pair, bound, result->M != NULL));
    GFP_TRY(gfp_operation_step(op, 8 * (double)n, (double)n, cost));
    while (end_of(&w.y) > bound) {
        if (end_of(&w.x) == end_of(&w.y) + 1) {
            normal_step(&w);
        } else {
            GFP_TRY(general_step(&w));
        }
        if (!gfp_task_advance(&op->base.task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    charge_steps(&w);
    steps_fill(&w, result, n - end_of(&w.x));
    gfp_operation_release(op, mark);
    return GFP_OK;
}
