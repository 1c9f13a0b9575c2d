/* tree_calls.c: the public calls on products from roots and trees.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/methods/engine.h"
#include "poly/call.h"
#include "poly/impl.h"
#include "field/base/support.h"
#include "poly/points/tree.h"

/* ---- products from roots ---- */

/* Its array has the points. */
static gfp_status plan_roots(gfp_operation_call *op, gfp_poly_call *w)
{
    const size_t n = w->array[0].n;
    if (n >= SIZE_MAX / gfp_element_bytes(op->field)) {
        return gfp_poly_call_refuse(op, GFP_ERR_SIZE, "too many points");
    }
    w->units = gfp_tree_roots_units(n);
    w->length = n;
    return GFP_OK;
}

static gfp_status compute_roots(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w)
{
    const uint64_t *points = w->array[0].x;
    const size_t n = w->array[0].n;
    z[0].len = n + 1;
    GFP_TRY(gfp_operation_array(op, &z[0].digits, n + 1));
    GFP_TRY(gfp_tree_roots(op, z[0].digits, points, n));
    return gfp_tree_check_roots(op, z[0].digits, points, n);
}

gfp_status gfp_poly_product_roots(gfp_poly *f, const uint64_t *points, size_t n,
                                  const gfp_options *options)
{
    gfp_poly_call w = {.name = "product from roots",
                       .array = {{points, n, "points"}},
                       .arrays = 1,
                       .output = {f},
                       .outputs = 1,
                       .plan = plan_roots,
                       .compute = compute_roots};
    return gfp_poly_call_run(&w, options);
}

/* ---- trees ---- */

/* Its arrays have the points, and the place for the tree. */
typedef struct creation {
    gfp_poly_call call;
    gfp_tree **made;
} creation;

static gfp_status plan_tree(gfp_operation_call *op, gfp_poly_call *w)
{
    const size_t n = w->array[0].n;
    if (n == 0) {
        return gfp_poly_call_refuse(op, GFP_ERR_ARGUMENT, "no points");
    }
    w->units = gfp_tree_make_units(n);
    return GFP_OK;
}

static gfp_status compute_tree(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w)
{
    (void)z;
    return gfp_tree_make(((const creation *)w)->made, op, w->array[0].x, w->array[0].n, true);
}

gfp_status gfp_tree_create(gfp_tree **T, const gfp_field *field, const uint64_t *points, size_t n,
                           const gfp_options *options)
{
    gfp_tree *made = NULL;
    creation c = {.call = {.name = "tree",
                           .field = field,
                           .array = {{points, n, "points"}, {T, 1, "place for it"}},
                           .arrays = 2,
                           .plan = plan_tree,
                           .claims = 2,
                           .compute = compute_tree},
                  .made = &made};
    const gfp_status status = gfp_poly_call_run(&c.call, options);
    if (status == GFP_OK) {
        *T = made;
    } else {
        gfp_tree_destroy(made);
    }
    return status;
}

gfp_status gfp_tree_product(gfp_poly *f, const gfp_tree *T)
{
    if (f == NULL || T == NULL || f->field == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    if (!gfp_field_same(f->field, T->field)) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    GFP_TRY(gfp_poly_fit_length(f, T->shape.n + 1));
    gfp_vec_set(f->field, f->digits, T->product, T->shape.n + 1);
    gfp_poly_normalise(f, T->shape.n + 1);
    return GFP_OK;
}

/* ---- calls on a tree, or on points without one ---- */

/* A call: values of its input, or an interpolation of values. */
typedef struct job {
    gfp_poly_call call;
    const gfp_tree *T; /* NULL: of the points */
    const uint64_t *points;
    size_t n;
    const uint64_t *given; /* of an interpolation, the values */
} job;

/* The number of terms of the polynomial that is evaluated, and whether one is. */
static size_t terms_of(const job *w)
{
    return w->call.inputs > 0 ? w->call.input[0]->len : 0;
}

static bool is_evaluation(const job *w)
{
    return w->call.inputs > 0;
}

static gfp_status tree_calls_work(gfp_operation_call *op, gfp_piece *z, const job *w,
                                  const gfp_tree *T)
{
    op->method = T->method;
    op->longest = T->top == NULL ? 0 : gfp_space_length(T->top);
    z[0].len = w->n;
    GFP_TRY(gfp_operation_array(op, &z[0].digits, w->n));
    return is_evaluation(w) ? gfp_tree_values(op, z[0].digits, gfp_poly_series(w->call.input[0]), T)
                            : gfp_tree_solve(op, z[0].digits, w->given, T);
}

/* Whether values at points are found without a tree. If they are for as many points as f has terms,
 * they are for more points, which make a tree higher. A check of such values, by Horner's rule,
 * takes longer than they do, one of values by a tree takes less. */
static bool serves_directly(const gfp_operation_call *op, const job *w)
{
    const size_t terms = terms_of(w), few = gfp_tree_few_terms(op);
    const size_t most = op->base.options->verify != GFP_VERIFY_NONE
                            ? few
                            : op->threshold[GFP_THRESHOLD_TREE_POINTS];
    return op->classical || terms <= few || terms <= most ||
           gfp_threshold_serves(most, w->n, terms);
}

/* Without a tree or the product of its roots. */
static gfp_status evaluate_directly(gfp_operation_call *op, gfp_piece *z, const job *w)
{
    gfp_tree T = {.field = op->field, .shape = {.n = w->n, .padded = w->n}};
    atomic_init(&T.weights, NULL);
    atomic_init(&T.sums, NULL);
    op->units = gfp_classical_values_units(w->n, terms_of(w)) *
                (op->base.options->verify == GFP_VERIFY_NONE ? 1 : 2);
    GFP_TRY(gfp_operation_array(op, &T.points, w->n));
    gfp_vec_set(op->field, T.points, w->points, w->n);
    return tree_calls_work(op, z, w, &T);
}

static gfp_status tree_calls_compute(gfp_operation_call *op, gfp_piece *z,
                                     const gfp_poly_call *call)
{
    const job *w = (const job *)call;
    gfp_tree *T = NULL;
    op->classical = op->classical || (w->T != NULL && w->T->shape.base == 0);
    if (op->base.options->verify == GFP_VERIFY_CROSS) {
        op->units += gfp_classical_values_units(w->n, is_evaluation(w) ? terms_of(w) : w->n);
    }
    if (w->T != NULL) {
        return tree_calls_work(op, z, w, w->T);
    }
    if (is_evaluation(w) && serves_directly(op, w)) {
        return evaluate_directly(op, z, w);
    }
    GFP_TRY(gfp_tree_make(&T, op, w->points, w->n, false));
    const gfp_status status = tree_calls_work(op, z, w, T);
    gfp_tree_destroy(T);
    return status;
}

static gfp_status tree_calls_plan(gfp_operation_call *op, gfp_poly_call *call)
{
    const job *w = (const job *)call;
    gfp_tree_shape shape = {.padded = w->n};
    if (w->n >= SIZE_MAX / gfp_element_bytes(op->field)) {
        return gfp_poly_call_refuse(op, GFP_ERR_SIZE, "too many points");
    }
    if (w->T != NULL) {
        shape = w->T->shape;
    }
    const bool weights = w->T != NULL && atomic_load(&w->T->weights) != NULL;
    call->trivial = w->n == 0;
    call->claims = 3;
    call->length = is_evaluation(w) ? 0 : w->n;
    call->units = (w->T == NULL ? gfp_tree_make_units(w->n) : 0) +
                  (is_evaluation(w) ? gfp_tree_values_units(&shape, terms_of(w))
                                    : gfp_tree_solve_units(&shape, weights));
    return GFP_OK;
}

/* values := those of f at the points of the job. */
static gfp_status tree_calls_values(job *w, uint64_t *values, const gfp_poly *f,
                                    const gfp_options *options)
{
    gfp_poly_call *call = &w->call;
    call->name = "values at points";
    call->input[0] = f;
    call->inputs = 1;
    call->values = values;
    call->n = w->n;
    call->plan = tree_calls_plan;
    call->compute = tree_calls_compute;
    return gfp_poly_call_run(call, options);
}

/* f := the polynomial with these values at the points of the job. */
static gfp_status tree_calls_solve(job *w, gfp_poly *f, const uint64_t *values,
                                   const gfp_options *options)
{
    gfp_poly_call *call = &w->call;
    call->name = "interpolation";
    call->array[call->arrays++] = (gfp_poly_call_array){values, w->n, "values"};
    call->output[0] = f;
    call->outputs = 1;
    call->plan = tree_calls_plan;
    call->compute = tree_calls_compute;
    w->given = values;
    return gfp_poly_call_run(call, options);
}

/* A job on a tree: T is there, and of the field of the polynomial. */
static job job_on_tree(const gfp_tree *T)
{
    job w = {.call = {.array = {{T, 1, "tree"}}, .arrays = 1}, .T = T};
    if (T != NULL) {
        w.call.field = T->field;
        w.n = T->shape.n;
    }
    return w;
}

static job job_on_points(const uint64_t *points, size_t n)
{
    return (job){.call = {.array = {{points, n, "points"}}, .arrays = 1}, .points = points, .n = n};
}

gfp_status gfp_tree_eval(uint64_t *values, const gfp_poly *f, const gfp_tree *T,
                         const gfp_options *options)
{
    job w = job_on_tree(T);
    return tree_calls_values(&w, values, f, options);
}

gfp_status gfp_tree_interpolate(gfp_poly *f, const uint64_t *values, const gfp_tree *T,
                                const gfp_options *options)
{
    job w = job_on_tree(T);
    return tree_calls_solve(&w, f, values, options);
}

gfp_status gfp_poly_eval_vec(uint64_t *values, const gfp_poly *f, const uint64_t *points, size_t n,
                             const gfp_options *options)
{
    job w = job_on_points(points, n);
    return tree_calls_values(&w, values, f, options);
}

gfp_status gfp_poly_interpolate(gfp_poly *f, const uint64_t *points, const uint64_t *values,
                                size_t n, const gfp_options *options)
{
    job w = job_on_points(points, n);
    return tree_calls_solve(&w, f, values, options);
}
