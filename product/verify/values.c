/* values.c: values of polynomials and of parts of products at points that are single digits,
 * where a step of Horner's rule costs k digit products.
 *
 * Coefficients of a product from X^f on: write i for places of a, j for those of b. The pairs with
 * i + j = f are a diagonal. The value of
 *     sum over i + j >= f of a_i b_j d^(i+j-f) = sum over i of a_i B_(f-i)
 * takes the values of the suffixes, B_s = sum over j >= s of b_j d^(j-s). Horner's rule passes all
 * B_s on its way, and a general product is needed for each pair of the diagonal alone: that is the
 * kernel eval_pairs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "field/base/kernels.h"
#include "field/base/parallel.h"
#include "product/methods/plan.h"
#include "field/base/support.h"
#include "product/verify/claim.h"
#include "field/base/work.h"

/* A part that threads evaluate has at least so many terms times k: some 10 us. */
#define PART_DIGITS 8192

/* The terms to evaluate: len of x; and where y is not NULL as many of y, whose suffixes meet the
 * terms of x: the pairs i + j = len - 1 are on the diagonal. */
typedef struct terms {
    const gfp_field *field;
    const uint64_t *x, *y;
    size_t len;
    uint64_t d;
} terms;

/* Their values v are one after the other: x(d), and with y also y(d), and the sum over i + j >=
 * len - 1 of x_i y_j d^(i+j-len+1). */
#define MAX_VALUES (3 * GFP_MAX_K)

static size_t words_of(const terms *t)
{
    return (t->y == NULL ? 1 : 3) * gfp_field_k(t->field);
}

/* Units of work of a term, of k digit products each. */
static double unit_of(const terms *t)
{
    return t->y == NULL ? 1 : 2 + gfp_task_product_cost(t->field) / gfp_field_k(t->field);
}

static void power_of(const gfp_field *field, uint64_t *z, uint64_t d, size_t n)
{
    const uint64_t exponent = n;
    gfp_elem_set_u64(field, z, d);
    gfp_elem_pow(field, z, z, &exponent, 1);
}

/* z := z w + x. */
static void values_step(const gfp_field *field, uint64_t *z, const uint64_t *w, const uint64_t *x)
{
    gfp_elem_mul(field, z, z, w);
    gfp_elem_add(field, z, z, x);
}

/* The terms at <= i < at + n of x, and the terms of y that they meet. */
static void evaluate_block(const terms *t, uint64_t *v, size_t at, size_t n)
{
    const size_t k = gfp_field_k(t->field);
    const uint64_t *x = t->x + at * k;
    if (t->y == NULL) {
        gfp_eval_digit(t->field, v, x, n, t->d);
    } else {
        gfp_eval_pairs(t->field, v, x, t->y + (t->len - at - n) * k, n, t->d);
    }
}

/* Values of neighbours are joined from the last terms of x, the first ones of y, on. */
typedef struct joint {
    const terms *t;
    uint64_t d[GFP_MAX_K], power[GFP_MAX_K]; /* d^terms of what is added */
    uint64_t above[GFP_MAX_K];               /* d^terms of what is joined */
} joint;

/* For pieces of n terms; what is joined has `len` terms. */
static void joint_begin(joint *w, const terms *t, size_t n, size_t len)
{
    w->t = t;
    power_of(t->field, w->power, t->d, n);
    if (t->y != NULL) {
        power_of(t->field, w->d, t->d, 1);
        power_of(t->field, w->above, t->d, len);
    }
}

/* The terms of x that are joined meet all that is added of y, beyond the diagonal. */
static void joint_add_pairs(joint *w, uint64_t *v, const uint64_t *added)
{
    const gfp_field *field = w->t->field;
    const size_t k = gfp_field_k(field);
    uint64_t z[GFP_MAX_K];
    gfp_elem_mul(field, z, v, added + k);
    values_step(field, z, w->d, added + 2 * k);
    gfp_elem_add(field, v + 2 * k, v + 2 * k, z);
    gfp_elem_mul(field, z, added + k, w->above);
    gfp_elem_add(field, v + k, v + k, z);
    gfp_elem_mul(field, w->above, w->above, w->power);
}

static void joint_add(joint *w, uint64_t *v, const uint64_t *added)
{
    if (w->t->y != NULL) {
        joint_add_pairs(w, v, added);
    }
    values_step(w->t->field, v, w->power, added);
}

/* The terms at <= i < at + n of x, n >= 1, block after block, so that the caller is asked on the
 * way. False: cancelled. */
static bool evaluate_part(const terms *t, uint64_t *v, size_t at, size_t n, gfp_task *task)
{
    const double unit = unit_of(t);
    const size_t block = gfp_task_block(gfp_field_k(t->field) * unit);
    size_t i = (n - 1) / block * block;
    uint64_t added[MAX_VALUES];
    joint w;
    evaluate_block(t, v, at + i, n - i);
    if (i > 0) {
        joint_begin(&w, t, block, n - i);
    }
    bool going = gfp_task_advance(task, (double)(n - i) * unit);
    while (i > 0 && going) {
        i -= block;
        evaluate_block(t, added, at + i, block);
        joint_add(&w, v, added);
        going = gfp_task_advance(task, (double)block * unit);
    }
    return going;
}

typedef struct evaluation {
    const terms *t;
    size_t part; /* terms of a part */
    uint64_t *values;
} evaluation;

static gfp_status evaluate_parts(void *user, size_t from, size_t to, unsigned worker,
                                 gfp_task *task)
{
    evaluation *e = user;
    const size_t words = words_of(e->t);
    (void)worker;
    for (size_t i = from; i < to; i++) {
        const size_t at = i * e->part, n = gfp_size_min(e->part, e->t->len - at);
        if (!evaluate_part(e->t, e->values + i * words, at, n, task)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* The same in at most so many parts by the task's threads; area: values of each. */
static bool evaluate_shared(const terms *t, uint64_t *v, size_t parts, uint64_t *area,
                            gfp_task *task)
{
    evaluation e = {.t = t, .part = (t->len + parts - 1) / parts, .values = area};
    const gfp_parallel loop = {.run = evaluate_parts, .job = &e};
    const size_t words = words_of(t);
    size_t i = (t->len - 1) / e.part; /* the last part that has terms */
    joint w;
    if (gfp_parallel_for(&loop, task, i + 1, 1) != GFP_OK) {
        return false;
    }
    memcpy(v, area + i * words, words * sizeof *v);
    joint_begin(&w, t, e.part, t->len - i * e.part);
    while (i-- > 0) {
        joint_add(&w, v, area + i * words);
    }
    return true;
}

static bool evaluate_on_stack(const terms *t, uint64_t *v, size_t parts, gfp_task *task)
{
    uint64_t area[GFP_STACK_WORDS];
    return evaluate_shared(t, v, parts, area, task);
}

/* All terms. False: cancelled. */
static bool values_evaluate(const terms *t, uint64_t *v, gfp_task *task)
{
    const size_t threads = gfp_task_threads(task);
    const double most = (double)t->len * gfp_field_k(t->field) * unit_of(t) / PART_DIGITS;
    const size_t parts =
        gfp_size_min(t->len, most < 2.0 * (double)threads ? (size_t)most : 2 * threads);
    gfp_work work;
    if (threads == 1 || parts < 2) {
        return evaluate_part(t, v, 0, t->len, task);
    }
    if (parts * words_of(t) <= GFP_STACK_WORDS) {
        return evaluate_on_stack(t, v, parts, task);
    }
    /* One thread needs no memory: where there is none it does the whole. */
    if (gfp_work_take(&work, t->field, parts * words_of(t)) != GFP_OK) {
        return evaluate_part(t, v, 0, t->len, task);
    }
    const bool done = evaluate_shared(t, v, parts, work.words, task);
    gfp_work_give(&work, t->field);
    return done;
}

bool gfp_verify_evaluate(const gfp_field *field, uint64_t *y, const uint64_t *x, size_t len,
                         uint64_t d, gfp_task *task)
{
    const terms t = {.field = field, .x = x, .len = len, .d = d};
    if (len == 0) {
        gfp_elem_zero(field, y);
        return true;
    }
    return values_evaluate(&t, y, task);
}

/* ---- parts of products ---- */

static bool is_square(const gfp_range *r)
{
    return r->a == r->b && r->len_a == r->len_b;
}

/* y := a(d) b(d). */
static bool evaluate_whole(uint64_t *y, const gfp_range *r, uint64_t d, gfp_task *task)
{
    uint64_t z[GFP_MAX_K];
    if (!gfp_verify_evaluate(r->field, y, r->a, r->len_a, d, task)) {
        return false;
    }
    if (is_square(r)) {
        gfp_elem_sqr(r->field, y, y);
        return true;
    }
    const bool done = gfp_verify_evaluate(r->field, z, r->b, r->len_b, d, task);
    gfp_elem_mul(r->field, y, y, z);
    return done;
}

/* y := (a b div X^first)(d). The range is trimmed, so that the diagonal has all a_i and b_i with
 * i <= first; those above it meet everything. */
static bool evaluate_from_first(uint64_t *y, const gfp_range *r, uint64_t d, gfp_task *task)
{
    const size_t k = gfp_field_k(r->field), n = r->first + 1;
    const terms t = {.field = r->field, .x = r->a, .y = r->b, .len = n, .d = d};
    uint64_t a[GFP_MAX_K], b[GFP_MAX_K], z[GFP_MAX_K];
    uint64_t v[MAX_VALUES];
    if (!values_evaluate(&t, v, task) ||
        !gfp_verify_evaluate(r->field, a, r->a + n * k, r->len_a - n, d, task) ||
        !gfp_verify_evaluate(r->field, b, r->b + n * k, r->len_b - n, d, task)) {
        return false;
    }
    /* upper + d (a (y + b d^n) + x b), with the values x, y, upper of the terms. */
    power_of(r->field, z, d, n);
    gfp_elem_mul(r->field, z, z, b);
    gfp_elem_add(r->field, z, z, v + k);
    gfp_elem_mul(r->field, z, z, a);
    gfp_elem_mul(r->field, v, v, b);
    gfp_elem_add(r->field, z, z, v);
    power_of(r->field, y, d, 1);
    values_step(r->field, y, z, v + 2 * k);
    return true;
}

/* z := the value of all terms of x, where it is that of those from the n-th on. */
static bool values_complete(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t n,
                            uint64_t d, gfp_task *task)
{
    uint64_t power[GFP_MAX_K], low[GFP_MAX_K];
    if (!gfp_verify_evaluate(field, low, x, n, d, task)) {
        return false;
    }
    power_of(field, power, d, n);
    values_step(field, z, power, low);
    return true;
}

/* y := (a b div X^end)(d); with whole != NULL, *whole := a(d) b(d), from the same values. The range
 * is trimmed, so that the diagonal has the last terms of both factors; the others meet none of
 * them. */
static bool evaluate_from_end(uint64_t *y, uint64_t *whole, const gfp_range *r, uint64_t d,
                              gfp_task *task)
{
    const size_t k = gfp_field_k(r->field);
    const size_t below_a = r->end - (r->len_b - 1), below_b = r->end - (r->len_a - 1);
    const terms t = {.field = r->field,
                     .x = r->a + below_a * k,
                     .y = r->b + below_b * k,
                     .len = r->len_a - below_a,
                     .d = d};
    uint64_t v[MAX_VALUES];
    if (!values_evaluate(&t, v, task)) {
        return false;
    }
    gfp_elem_set(r->field, y, v + 2 * k);
    if (whole != NULL) {
        if (!values_complete(r->field, v, r->a, below_a, d, task) ||
            !values_complete(r->field, v + k, r->b, below_b, d, task)) {
            return false;
        }
        gfp_elem_mul(r->field, whole, v, v + k);
    }
    return true;
}

/* The range is (a b div X^first) - X^(end-first) (a b div X^end). */
bool gfp_verify_evaluate_range(uint64_t *y, const gfp_range *range, uint64_t d, gfp_task *task)
{
    gfp_range r = *range;
    uint64_t above[GFP_MAX_K], power[GFP_MAX_K];
    gfp_range_trim(&r);
    const bool to_end = r.end == gfp_range_product_length(&r);
    if (r.first == 0 && to_end) {
        return evaluate_whole(y, &r, d, task);
    }
    if (r.first > 0 && !evaluate_from_first(y, &r, d, task)) {
        return false;
    }
    if (to_end) {
        return true;
    }
    if (!evaluate_from_end(above, r.first == 0 ? y : NULL, &r, d, task)) {
        return false;
    }
    power_of(r.field, power, d, r.end - r.first);
    gfp_elem_mul(r.field, above, above, power);
    gfp_elem_sub(r.field, y, y, above);
    return true;
}

double gfp_verify_range_units(const gfp_range *range)
{
    gfp_range r = *range;
    gfp_range_trim(&r);
    const size_t length = gfp_range_product_length(&r);
    const terms pairs = {.field = r.field, .y = r.b};
    const double la = (double)r.len_a, lb = (double)r.len_b;
    const double first = r.first == 0 ? 0 : (double)r.first + 1, end = (double)(length - r.end);
    if (first == 0 && end == 0) {
        return is_square(&r) ? la : la + lb;
    }
    return (first > 0 ? la + lb - 2 * first
            : end > 0 ? la + lb - 2 * end
                      : 0) +
           (first + end) * unit_of(&pairs);
}
