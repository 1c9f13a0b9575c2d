/* tree_base.c: the leaves of a tree: polynomials of a few points, and the last steps of evaluation
 * and the first ones of interpolation. A leaf is split in halves down to single points; the same
 * step is done for many leaves at once, by sums of products of vectors.
 *
 * Coefficient j >= 1 of the part of a leaf with points number lo, lo + 1, ... is, for all leaves, a
 * vector in row lo + j - 1 of the part's depth. inner holds the depths from 1 on, `padded` elements
 * each, a row having `groups` elements; single points are rows of -x_i.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/kernels.h"
#include "field/base/support.h"
#include "poly/points/tree.h"

/* Leaves that are computed at once. */
#define BLOCK 32
#define MOST_PRODUCTS (2 * GFP_TREE_MOST_BASE)

/* Rows of vectors: row i at rows + i step. */
typedef struct rows {
    uint64_t *at;
    size_t step;
} rows;

static uint64_t *tree_base_row(rows r, size_t i)
{
    return r.at + i * r.step;
}

/* Some leaves under way. minus: -x_i; given, values: of single points, which lie in the arrays of
 * the caller at the same places. */
typedef struct leaves {
    const gfp_field *field;
    const gfp_tree_shape *shape;
    size_t count, step;
    const uint64_t *minus, *given;
    uint64_t *values;
    rows poly[GFP_TREE_DEPTH + 1]; /* of polynomials, by depth */
    rows sum[GFP_TREE_DEPTH + 1];  /* of vectors w, or of sums, by depth */
} leaves;

/* A part of the leaves. */
typedef struct part {
    size_t lo, size;
    unsigned depth;
} part;

static part left_of(part p)
{
    return (part){p.lo, p.size / 2, p.depth + 1};
}

static part right_of(part p)
{
    return (part){p.lo + p.size / 2, p.size - p.size / 2, p.depth + 1};
}

/* Coefficient j >= 1 of a part's polynomial. */
static const uint64_t *poly_at(const leaves *w, part p, size_t j)
{
    return p.size == 1 ? w->minus + p.lo * w->step : tree_base_row(w->poly[p.depth], p.lo + j - 1);
}

/* Coefficient t of its sum. */
static const uint64_t *sum_at(const leaves *w, part p, size_t t)
{
    return p.size == 1 ? w->given + p.lo * w->step : tree_base_row(w->sum[p.depth], p.lo + t);
}

/* Entry t of its vector w, to be written. */
static uint64_t *entry_of(const leaves *w, part p, size_t t)
{
    return p.size == 1 ? w->values + p.lo * w->step : tree_base_row(w->sum[p.depth], p.lo + t);
}

/* Products of rows that are added up, and at most two further rows. */
typedef struct terms {
    const uint64_t *x[MOST_PRODUCTS], *y[MOST_PRODUCTS];
    const uint64_t *apart[2];
    size_t products, rows;
} terms;

static void add_term(terms *s, const uint64_t *x, const uint64_t *y)
{
    s->x[s->products] = x;
    s->y[s->products++] = y;
}

/* z := the sum; z is none of its rows. */
static void sum_up(const leaves *w, uint64_t *z, const terms *s)
{
    const uint64_t *first = s->rows > 0 ? s->apart[0] : NULL;
    if (s->products > 0) {
        gfp_field_kernels(w->field)->dot_rows(w->field, z, first, s->x, s->y, s->products,
                                              w->count);
    } else {
        gfp_vec_set(w->field, z, first, w->count);
    }
    if (s->rows > 1) {
        gfp_vec_add(w->field, z, z, s->apart[1], w->count);
    }
}

/* ---- polynomials ---- */

/* Coefficient j of the product of both halves. */
static void multiply_at(const leaves *w, part p, size_t j)
{
    const part a = left_of(p), b = right_of(p);
    terms s = {.products = 0};
    if (j <= a.size) {
        s.apart[s.rows++] = poly_at(w, a, j);
    }
    if (j <= b.size) {
        s.apart[s.rows++] = poly_at(w, b, j);
    }
    for (size_t i = 1; i < j; i++) {
        if (i <= a.size && j - i <= b.size) {
            add_term(&s, poly_at(w, a, i), poly_at(w, b, j - i));
        }
    }
    sum_up(w, tree_base_row(w->poly[p.depth], p.lo + j - 1), &s);
}

static void tree_base_multiply(const leaves *w, part p)
{
    if (p.size > 1) {
        tree_base_multiply(w, left_of(p));
        tree_base_multiply(w, right_of(p));
        for (size_t j = 1; j <= p.size; j++) {
            multiply_at(w, p, j);
        }
    }
}

/* ---- loops ---- */

typedef struct job {
    const gfp_field *field;
    const gfp_tree_shape *shape;
    const uint64_t *minus;
    uint64_t *inner, *polys; /* polynomials, of parts (NULL: not kept) and of leaves */
    const uint64_t *from;    /* vectors, or coefficients at points */
    uint64_t *to;            /* values, or sums */
} job;

static unsigned depths_of(const gfp_tree_shape *shape)
{
    unsigned depths = 1; /* with parts of more than one point */
    for (size_t size = shape->base; size - size / 2 > 1; size -= size / 2) {
        depths++;
    }
    return depths;
}

size_t gfp_tree_inner_size(const gfp_tree_shape *shape)
{
    return (depths_of(shape) - 1) * shape->padded;
}

/* `count` leaves from number `from` on. Rows of a scratch array hold what the job does not keep.
 */
static leaves leaves_at(const job *j, size_t from, size_t count, uint64_t *scratch)
{
    const gfp_tree_shape *shape = j->shape;
    const size_t k = gfp_field_k(j->field), here = BLOCK * k;
    leaves w = {.field = j->field,
                .shape = shape,
                .count = count,
                .step = shape->groups * k,
                .minus = j->minus + from * k};
    for (unsigned d = 0; d < depths_of(shape); d++) {
        w.sum[d] = w.poly[d] = (rows){scratch, here};
        if (d > 0 && j->inner != NULL) {
            w.poly[d] = (rows){j->inner + ((d - 1) * shape->padded + from) * k, w.step};
        }
        scratch += shape->base * here;
    }
    return w;
}

static part tree_base_whole(const leaves *w)
{
    return (part){0, w->shape->base, 0};
}

/* The polynomials of leaves from number `from` on, from rows to coefficients one after the other.
 */
static void put_polys(const leaves *w, uint64_t *polys, size_t from)
{
    const size_t k = gfp_field_k(w->field), len = w->shape->base + 1;
    for (size_t i = 0; i < w->count; i++) {
        uint64_t *at = polys + (from + i) * len * k;
        gfp_elem_one(w->field, at);
        for (size_t j = 1; j < len; j++) {
            gfp_elem_set(w->field, at + j * k, poly_at(w, tree_base_whole(w), j) + i * k);
        }
    }
}

static gfp_status make_polys(void *user, size_t from, size_t to, uint64_t *scratch, gfp_task *task)
{
    const job *j = user;
    for (size_t i = from; i < to; i += BLOCK) {
        const leaves w = leaves_at(j, i, gfp_size_min(to - i, BLOCK), scratch);
        tree_base_multiply(&w, tree_base_whole(&w));
        put_polys(&w, j->polys, i);
        if (!gfp_task_advance(task, (double)w.count)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_status run_loop(gfp_operation_call *op, job *j,
                           gfp_status (*run)(void *, size_t, size_t, uint64_t *, gfp_task *))
{
    const gfp_tree_shape *shape = j->shape;
    const double base = (double)shape->base;
    const gfp_operation_loop loop = {.run = run,
                                     .job = j,
                                     .items = shape->groups,
                                     .chunk = BLOCK,
                                     .scratch = depths_of(shape) * shape->base * BLOCK,
                                     .units = (double)shape->padded,
                                     .cost = base * base * gfp_task_product_cost(op->field)};
    return gfp_operation_loop_run(op, &loop);
}

gfp_status gfp_tree_leaves(gfp_operation_call *op, uint64_t *polys, uint64_t *inner,
                           const uint64_t *minus, const gfp_tree_shape *shape)
{
    job j = {.field = op->field, .shape = shape, .polys = polys, .inner = inner, .minus = minus};
    return run_loop(op, &j, make_polys);
}

/* ---- values ---- */

/* Entry t of the vector of part a, from that of the whole part p: a sum over the coefficients of
 * the polynomial of the other part b. */
static void descend_at(const leaves *w, part p, part a, part b, size_t t)
{
    terms s = {.rows = 1};
    s.apart[0] = entry_of(w, p, t);
    for (size_t j = 1; j <= b.size; j++) {
        add_term(&s, poly_at(w, b, j), entry_of(w, p, t + j));
    }
    sum_up(w, entry_of(w, a, t), &s);
}

static void tree_base_descend(const leaves *w, part p)
{
    const part a = left_of(p), b = right_of(p);
    for (size_t t = 0; t < a.size; t++) {
        descend_at(w, p, a, b, t);
    }
    for (size_t t = 0; t < b.size; t++) {
        descend_at(w, p, b, a, t);
    }
    if (a.size > 1) {
        tree_base_descend(w, a);
    }
    if (b.size > 1) {
        tree_base_descend(w, b);
    }
}

static gfp_status make_values(void *user, size_t from, size_t to, uint64_t *scratch, gfp_task *task)
{
    const job *j = user;
    const size_t k = gfp_field_k(j->field), base = j->shape->base;
    for (size_t i = from; i < to; i += BLOCK) {
        leaves w = leaves_at(j, i, gfp_size_min(to - i, BLOCK), scratch);
        w.values = j->to + i * k;
        for (size_t e = 0; e < w.count; e++) {
            for (size_t t = 0; t < base; t++) {
                gfp_elem_set(j->field, entry_of(&w, tree_base_whole(&w), t) + e * k,
                             j->from + ((i + e) * base + base - 1 - t) * k);
            }
        }
        tree_base_descend(&w, tree_base_whole(&w));
        if (!gfp_task_advance(task, (double)w.count)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

gfp_status gfp_tree_leaf_values(gfp_operation_call *op, uint64_t *values, const uint64_t *v,
                                const gfp_tree *T)
{
    job j = {.field = op->field,
             .shape = &T->shape,
             .inner = T->inner,
             .minus = T->minus,
             .from = v,
             .to = values};
    return run_loop(op, &j, make_values);
}

/* ---- sums ---- */

/* Coefficient t of the sum of part p: N_a B + N_b A. */
static void combine_at(const leaves *w, part p, size_t t)
{
    const part a = left_of(p), b = right_of(p);
    terms s = {.rows = 0};
    if (t < a.size) {
        s.apart[s.rows++] = sum_at(w, a, t);
    }
    if (t < b.size) {
        s.apart[s.rows++] = sum_at(w, b, t);
    }
    for (size_t i = 0; i < t; i++) {
        if (i < a.size && t - i <= b.size) {
            add_term(&s, sum_at(w, a, i), poly_at(w, b, t - i));
        }
        if (i < b.size && t - i <= a.size) {
            add_term(&s, sum_at(w, b, i), poly_at(w, a, t - i));
        }
    }
    sum_up(w, entry_of(w, p, t), &s);
}

static void tree_base_combine(const leaves *w, part p)
{
    if (p.size > 1) {
        tree_base_combine(w, left_of(p));
        tree_base_combine(w, right_of(p));
        for (size_t t = 0; t < p.size; t++) {
            combine_at(w, p, t);
        }
    }
}

static gfp_status make_sums(void *user, size_t from, size_t to, uint64_t *scratch, gfp_task *task)
{
    const job *j = user;
    const size_t k = gfp_field_k(j->field), base = j->shape->base;
    for (size_t i = from; i < to; i += BLOCK) {
        leaves w = leaves_at(j, i, gfp_size_min(to - i, BLOCK), scratch);
        w.given = j->from + i * k;
        tree_base_combine(&w, tree_base_whole(&w));
        for (size_t e = 0; e < w.count; e++) {
            for (size_t t = 0; t < base; t++) {
                gfp_elem_set(j->field, j->to + ((i + e) * base + t) * k,
                             sum_at(&w, tree_base_whole(&w), t) + e * k);
            }
        }
        if (!gfp_task_advance(task, (double)w.count)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

gfp_status gfp_tree_leaf_sums(gfp_operation_call *op, uint64_t *v, const uint64_t *c,
                              const gfp_tree *T)
{
    job j = {.field = op->field,
             .shape = &T->shape,
             .inner = T->inner,
             .minus = T->minus,
             .from = c,
             .to = v};
    return run_loop(op, &j, make_sums);
}
