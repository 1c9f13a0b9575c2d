/* moduli.c: passes over a tree of moduli.
 *
 * To a node with product P of degree d and a polynomial f belongs the vector u of d elements, the
 * polynomial part of X^d (f mod P) / P. With Q the product of the other half, the vector of a half
 * S of the node is the part of u Q from X^(deg Q) on, below X^d: coefficients of a product modulo
 * X^L - 1, L >= d, since what wraps around falls below. This is the scaled remainder tree
 * (Bernstein: Scaled remainder trees, 2004; Bostan, Lecerf, Schost: Tellegen's principle into
 * practice, 2003). A remainder modulo a leaf m is the part of u m from X^d on.
 *
 * Sums go up: the sum over both halves is s P' + s' P for their sums s, s' and products P, P'.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/points/moduli.h"

#include "poly/division/divrem.h"
#include "field/base/kernels.h"
#include "product/methods/engine.h"
#include "field/base/support.h"

/* ---- passes ---- */

typedef struct pass pass;
struct pass {
    /* Computes a node by the transforms that are kept, or by the definition, in its own array. */
    gfp_status (*by_transforms)(const pass *p, gfp_moduli_node *node,
                                const gfp_operation_worker *w);
    gfp_status (*by_definition)(const pass *p, gfp_moduli_node *node, uint64_t *scratch,
                                gfp_task *task);
    const gfp_field *field;
    uint64_t *v;
    const gfp_cofactors *cofactors;
    size_t scratch; /* elements of the array for each of the degree */
    double units;   /* for each coefficient, by transforms */
};

/* Consecutive nodes in the order of a tree which have one ring and do not depend on each other. */
typedef struct bundle {
    const pass *p;
    gfp_moduli_node **node;
    size_t count, most; /* most: the highest degree */
    double total;       /* the sum of the degrees */
} bundle;

static gfp_status run_by_transforms(void *user, size_t i, const gfp_operation_worker *w)
{
    const bundle *b = user;
    return b->p->by_transforms(b->p, b->node[i], w);
}

static gfp_status run_by_definition(void *user, size_t from, size_t to, uint64_t *scratch,
                                    gfp_task *task)
{
    const bundle *b = user;
    for (size_t i = from; i < to; i++) {
        GFP_TRY(b->p->by_definition(b->p, b->node[i], scratch, task));
    }
    return GFP_OK;
}

/* A thread takes short products for about 50 us at once: digit products. */
#define CHUNK_COST 1.5e5

static gfp_status run_bundle(gfp_operation_call *op, bundle *b)
{
    const pass *p = b->p;
    gfp_space *const space = b->node[0]->space;
    if (space == NULL) {
        const double most = (double)b->most;
        const double cost = most * most / 2 * gfp_task_product_cost(op->field);
        const gfp_operation_loop loop = {.run = run_by_definition,
                                         .job = b,
                                         .items = b->count,
                                         .chunk = 1 + (size_t)(CHUNK_COST / cost),
                                         .scratch = gfp_size_mul_sat(p->scratch, b->most),
                                         .units = b->total,
                                         .cost = cost};
        return gfp_operation_loop_run(op, &loop);
    }
    const gfp_operation_batch batch = {.run = run_by_transforms,
                                       .job = b,
                                       .space = space,
                                       .items = b->count,
                                       .operands = 2,
                                       .elements = gfp_size_mul_sat(2, b->most),
                                       .terms = 2,
                                       .units = p->units * b->total};
    return gfp_operation_batch_run(op, &batch);
}

/* The bundle of nodes from order[from] on, up to order[end]. */
static bundle bundle_at(const pass *p, const gfp_moduli *M, size_t from, size_t end)
{
    bundle b = {.p = p, .node = M->order + from};
    const gfp_moduli_node *first = b.node[0];
    for (size_t i = from; i < end; i++) {
        const gfp_moduli_node *node = M->order[i];
        if (node->space != first->space || (node->left != NULL && node->depth != first->depth)) {
            break;
        }
        b.count++;
        b.total += (double)node->degree;
        b.most = node->degree > b.most ? node->degree : b.most;
    }
    return b;
}

/* Nodes order[from], ..., order[end - 1]. */
static gfp_status run_down(gfp_operation_call *op, const pass *p, const gfp_moduli *M, size_t from,
                           size_t end)
{
    while (from < end) {
        bundle b = bundle_at(p, M, from, end);
        GFP_TRY(run_bundle(op, &b));
        from += b.count;
    }
    return GFP_OK;
}

/* The nodes of one depth, and then those above. */
static gfp_status run_up(gfp_operation_call *op, const pass *p, const gfp_moduli *M)
{
    for (size_t end = M->inner; end > 0;) {
        size_t from = end - 1;
        while (from > 0 && M->order[from - 1]->depth == M->order[end - 1]->depth) {
            from--;
        }
        GFP_TRY(run_down(op, p, M, from, end));
        end = from;
    }
    return GFP_OK;
}

/* z := coefficients from <= i < to of x y, by the definition; they are this share of an item. */
static gfp_status moduli_convolve(const pass *p, uint64_t *z, gfp_series x, gfp_series y,
                                  size_t from, size_t to, gfp_task *task, double share)
{
    const gfp_field *field = p->field;
    const size_t k = gfp_field_k(field);
    const double terms = (double)gfp_size_min(x.len, y.len);
    const size_t block = gfp_task_block(terms * gfp_task_product_cost(field));
    for (size_t i = from; i < to; i += block) {
        const size_t end = gfp_size_min(to, i + block);
        gfp_field_kernels(field)->convolve(field, z + (i - from) * k, x.digits, x.len, y.digits,
                                           y.len, i, end);
        if (!gfp_task_advance(task, share * (double)(end - i) / (double)(to - from))) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* The node's part of the vector, and those of its halves. */
static uint64_t *moduli_part(const pass *p, const gfp_moduli_node *node)
{
    return p->v + node->offset * gfp_field_k(p->field);
}

static gfp_series series_of(const pass *p, const gfp_moduli_node *node)
{
    return (gfp_series){moduli_part(p, node), node->degree};
}

static gfp_series product_of(const gfp_moduli_node *node)
{
    return (gfp_series){node->poly, node->degree + 1};
}

static gfp_status moduli_set(const gfp_operation_worker *w, gfp_operand *x, gfp_series a)
{
    return gfp_operation_worker_set(w, x, a.digits, a.len);
}

/* ---- products ---- */

static gfp_status multiply_by_definition(const pass *p, gfp_moduli_node *node, uint64_t *scratch,
                                         gfp_task *task)
{
    (void)scratch;
    return moduli_convolve(p, node->poly, product_of(node->left), product_of(node->right), 0,
                           node->degree + 1, task, 1);
}

/* If the leading coefficient wraps around, it falls on the constant term. */
static gfp_status multiply_by_transforms(const pass *p, gfp_moduli_node *node,
                                         const gfp_operation_worker *w)
{
    uint64_t *top = node->poly + node->degree * gfp_field_k(p->field);
    const gfp_operand *const left[] = {&node->x[0]}, *const right[] = {&node->x[1]};
    GFP_TRY(moduli_set(w, &node->x[0], product_of(node->left)));
    GFP_TRY(moduli_set(w, &node->x[1], product_of(node->right)));
    GFP_TRY(gfp_operation_worker_dot(w, node->poly, 0, node->degree, left, right, 1));
    gfp_elem_one(p->field, top);
    if (gfp_space_length(node->space) == node->degree) {
        gfp_elem_sub(p->field, node->poly, node->poly, top);
    }
    return GFP_OK;
}

/* A leaf's own transform. */
static gfp_status keep_leaf(const pass *p, gfp_moduli_node *node, const gfp_operation_worker *w)
{
    (void)p;
    return gfp_operation_worker_set(w, node->x, node->poly, node->degree);
}

static gfp_status keep_nothing(const pass *p, gfp_moduli_node *node, uint64_t *scratch,
                               gfp_task *task)
{
    (void)p;
    (void)node;
    (void)scratch;
    return gfp_task_advance(task, 1) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* Units of a pass, of a coefficient. */
#define MULTIPLY_UNITS (2 * GFP_OPERATION_SET_UNITS + 0.5)
#define SUM_UNITS (2 * GFP_OPERATION_SET_UNITS + 0.75)
#define DESCEND_UNITS (GFP_OPERATION_SET_UNITS + 1.0)
#define TIMES_UNITS 4.0

gfp_status gfp_moduli_multiply(gfp_operation_call *op, gfp_moduli *M)
{
    const pass leaves = {keep_leaf, keep_nothing, op->field, .units = GFP_OPERATION_SET_UNITS};
    const pass p = {multiply_by_transforms, multiply_by_definition, op->field,
                    .units = MULTIPLY_UNITS};
    GFP_TRY(run_down(op, &leaves, M, M->inner, M->inner + M->count));
    return run_up(op, &p, M);
}

/* ---- sums ---- */

static gfp_status sum_by_definition(const pass *p, gfp_moduli_node *node, uint64_t *scratch,
                                    gfp_task *task)
{
    const size_t d = node->degree;
    uint64_t *other = scratch + d * gfp_field_k(p->field);
    GFP_TRY(moduli_convolve(p, scratch, series_of(p, node->left), product_of(node->right), 0, d,
                            task, 0.5));
    GFP_TRY(moduli_convolve(p, other, series_of(p, node->right), product_of(node->left), 0, d, task,
                            0.5));
    gfp_vec_add(p->field, moduli_part(p, node), scratch, other, d);
    return GFP_OK;
}

static gfp_status sum_by_transforms(const pass *p, gfp_moduli_node *node,
                                    const gfp_operation_worker *w)
{
    const gfp_operand *const sums[] = {w->x[0], w->x[1]};
    const gfp_operand *const others[] = {&node->x[1], &node->x[0]};
    GFP_TRY(moduli_set(w, w->x[0], series_of(p, node->left)));
    GFP_TRY(moduli_set(w, w->x[1], series_of(p, node->right)));
    return gfp_operation_worker_dot(w, moduli_part(p, node), 0, node->degree, sums, others, 2);
}

gfp_status gfp_moduli_sum(gfp_operation_call *op, uint64_t *v, const gfp_moduli *M)
{
    const pass p = {.by_transforms = sum_by_transforms,
                    .by_definition = sum_by_definition,
                    .field = op->field,
                    .v = v,
                    .scratch = 2,
                    .units = SUM_UNITS};
    return run_up(op, &p, M);
}

/* ---- remainders ---- */

gfp_status gfp_moduli_start(gfp_operation_call *op, uint64_t *v, gfp_series f, const gfp_moduli *M)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = M->n;
    gfp_poly_divisor d = {.f = M->node[0].poly, .n = n, .m = n, .quotients = M->inverse};
    uint64_t *w;
    gfp_elem_one(field, d.inverse);
    gfp_vec_zero(field, v + f.len * k, n - f.len);
    if (f.len == 0) {
        return GFP_OK;
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &w, n + f.len));
    gfp_vec_zero(field, w, n);
    gfp_vec_set(field, w + n * k, f.digits, f.len);
    GFP_TRY(gfp_poly_divisor_reduce(op, &d, v, NULL, (gfp_series){w, n + f.len}));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

static gfp_status halve_by_definition(const pass *p, gfp_moduli_node *node, uint64_t *scratch,
                                      gfp_task *task)
{
    const size_t d = node->degree, left = node->left->degree, right = node->right->degree;
    const gfp_series u = series_of(p, node);
    GFP_TRY(moduli_convolve(p, scratch, u, product_of(node->right), right, d, task, 0.5));
    GFP_TRY(moduli_convolve(p, scratch + left * gfp_field_k(p->field), u, product_of(node->left),
                            left, d, task, 0.5));
    gfp_vec_set(p->field, moduli_part(p, node), scratch, d);
    return GFP_OK;
}

/* Coefficients from <= i < node->degree of u times the polynomial of y go to the part of `half`. */
static gfp_status take_half(const pass *p, const gfp_moduli_node *node, const gfp_moduli_node *half,
                            const gfp_operation_worker *w, const gfp_operand *y)
{
    const size_t from = node->degree - half->degree;
    const gfp_operand *const u[] = {w->x[0]}, *const other[] = {y};
    GFP_TRY(gfp_operation_worker_dot(w, w->z, from, node->degree, u, other, 1));
    gfp_vec_set(p->field, moduli_part(p, half), w->z + from * gfp_field_k(p->field), half->degree);
    return GFP_OK;
}

static gfp_status halve_by_transforms(const pass *p, gfp_moduli_node *node,
                                      const gfp_operation_worker *w)
{
    GFP_TRY(moduli_set(w, w->x[0], series_of(p, node)));
    GFP_TRY(take_half(p, node, node->left, w, &node->x[1]));
    return take_half(p, node, node->right, w, &node->x[0]);
}

/* The part of u m from X^d on is u plus that of u (m - X^d). */
static gfp_status remain_by_definition(const pass *p, gfp_moduli_node *node, uint64_t *scratch,
                                       gfp_task *task)
{
    const size_t d = node->degree;
    const gfp_series u = series_of(p, node), low = {node->poly, d};
    if (d == 1) {
        return gfp_task_advance(task, 1) ? GFP_OK : GFP_ERR_CANCELLED;
    }
    GFP_TRY(moduli_convolve(p, scratch, u, low, d, 2 * d - 1, task, 1));
    gfp_vec_add(p->field, moduli_part(p, node), u.digits, scratch, d - 1);
    return GFP_OK;
}

static gfp_status remain_by_transforms(const pass *p, gfp_moduli_node *node,
                                       const gfp_operation_worker *w)
{
    const size_t d = node->degree;
    const gfp_operand *const u[] = {w->x[0]}, *const low[] = {node->x};
    uint64_t *v = moduli_part(p, node);
    GFP_TRY(moduli_set(w, w->x[0], series_of(p, node)));
    GFP_TRY(gfp_operation_worker_dot(w, w->z, d, 2 * d - 1, u, low, 1));
    gfp_vec_add(p->field, v, v, w->z + d * gfp_field_k(p->field), d - 1);
    return GFP_OK;
}

gfp_status gfp_moduli_descend(gfp_operation_call *op, uint64_t *v, const gfp_moduli *M)
{
    const pass halves = {.by_transforms = halve_by_transforms,
                         .by_definition = halve_by_definition,
                         .field = op->field,
                         .v = v,
                         .scratch = 1,
                         .units = DESCEND_UNITS};
    const pass leaves = {.by_transforms = remain_by_transforms,
                         .by_definition = remain_by_definition,
                         .field = op->field,
                         .v = v,
                         .scratch = 1,
                         .units = 2 * DESCEND_UNITS};
    GFP_TRY(run_down(op, &halves, M, 0, M->inner));
    return run_down(op, &leaves, M, M->inner, M->inner + M->count);
}

/* ---- products by the cofactors ---- */

/* The quotient of r c by m is the part of r h from X^d on, h the polynomial part of X^d c / m. The
 * remainder is r c - q (m - X^d), its first d coefficients. */
static gfp_status times_by_definition(const pass *p, gfp_moduli_node *node, uint64_t *scratch,
                                      gfp_task *task)
{
    const gfp_field *field = p->field;
    const size_t k = gfp_field_k(field), d = node->degree, at = node->offset * k;
    const gfp_series r = series_of(p, node), c = {p->cofactors->c + at, d};
    const gfp_series high = {p->cofactors->high + at, d}, low = {node->poly, d};
    uint64_t *q = scratch + d * k, *multiple = scratch + 2 * d * k;
    GFP_TRY(moduli_convolve(p, scratch, r, c, 0, d, task, d == 1 ? 1 : 0.4));
    if (d > 1) {
        GFP_TRY(moduli_convolve(p, q, r, high, d, 2 * d - 1, task, 0.3));
        GFP_TRY(moduli_convolve(p, multiple, (gfp_series){q, d - 1}, low, 0, d, task, 0.3));
        gfp_vec_sub(field, scratch, scratch, multiple, d);
    }
    gfp_vec_set(field, moduli_part(p, node), scratch, d);
    return GFP_OK;
}

static gfp_status times_by_transforms(const pass *p, gfp_moduli_node *node,
                                      const gfp_operation_worker *w)
{
    const gfp_field *field = p->field;
    const size_t d = node->degree;
    const gfp_operand *kept = p->cofactors->x + 2 * node->number;
    const gfp_operand *const r[] = {w->x[0], w->x[1]}, *const high[] = {&kept[1]};
    const gfp_operand *const c[] = {&kept[0], node->x};
    uint64_t *q = w->z + d * gfp_field_k(field);
    GFP_TRY(moduli_set(w, w->x[0], series_of(p, node)));
    GFP_TRY(gfp_operation_worker_dot(w, w->z, d, 2 * d - 1, r, high, 1));
    gfp_vec_neg(field, q, q, d - 1);
    GFP_TRY(gfp_operation_worker_set(w, w->x[1], q, d - 1));
    return gfp_operation_worker_dot(w, moduli_part(p, node), 0, d, r, c, 2);
}

gfp_status gfp_moduli_times(gfp_operation_call *op, uint64_t *v, const gfp_moduli *M,
                            const gfp_cofactors *c)
{
    const pass p = {.by_transforms = times_by_transforms,
                    .by_definition = times_by_definition,
                    .field = op->field,
                    .v = v,
                    .cofactors = c,
                    .scratch = 3,
                    .units = TIMES_UNITS};
    return run_down(op, &p, M, M->inner, M->inner + M->count);
}
