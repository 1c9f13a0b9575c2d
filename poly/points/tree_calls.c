/* tree_calls.c: the public calls on products from roots and trees: arguments, the operation around
 * the computation, outputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/methods/engine.h"
#include "poly/impl.h"
#include "field/base/support.h"
#include "poly/points/tree.h"

/* ---- arguments and outputs ---- */

/* Whether there is a field, and arrays of n elements. */
static gfp_status check_arrays(const char *name, const gfp_field *field, const uint64_t *x,
                               const uint64_t *y, size_t n, const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    return field != NULL && ((x != NULL && y != NULL) || n == 0)
               ? GFP_OK
               : gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                               "%s: no field, or an array is NULL", name);
}

/* Room for n coefficients. */
static gfp_status tree_calls_prepare(const char *name, gfp_poly *f, size_t n,
                                     const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    const gfp_status status = gfp_poly_fit_length(f, n);
    return status == GFP_OK
               ? GFP_OK
               : gfp_error_set(options->error, status, "%s: no room for %zu coefficients", name, n);
}

/* Whether n + 1 elements have a size. */
static gfp_status check_size(const char *name, const gfp_field *field, size_t n,
                             const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    return n < SIZE_MAX / gfp_element_bytes(field)
               ? GFP_OK
               : gfp_error_set(options->error, GFP_ERR_SIZE, "%s: no room for %zu coefficients",
                               name, gfp_size_add_sat(n, 1));
}

/* f := n coefficients, for which it has room. */
static void hand_out(gfp_poly *f, const uint64_t *digits, size_t n)
{
    gfp_vec_copy(f->field, f->digits, digits, n);
    gfp_poly_normalise(f, n);
}

static const gfp_field *field_of(const gfp_poly *f)
{
    return f == NULL ? NULL : f->field;
}

/* ---- products from roots ---- */

static gfp_status tree_calls_roots(gfp_operation_call *op, gfp_poly *f, const uint64_t *points,
                                   size_t n)
{
    uint64_t *result;
    GFP_TRY(gfp_operation_array(op, &result, n + 1));
    GFP_TRY(gfp_tree_roots(op, result, points, n));
    GFP_TRY(gfp_tree_check_roots(op, result, points, n));
    GFP_TRY(gfp_poly_fit_length(f, n + 1)); /* points may lie in f, and are not read any more */
    GFP_TRY(gfp_operation_finish(op));
    hand_out(f, result, n + 1);
    return GFP_OK;
}

gfp_status gfp_poly_from_roots(gfp_poly *f, const uint64_t *points, size_t n,
                               const gfp_options *options)
{
    static const char name[] = "product from roots";
    gfp_operation_call op;
    GFP_TRY(check_arrays(name, field_of(f), points, points, n, options));
    GFP_TRY(check_size(name, f->field, n, options));
    GFP_TRY(gfp_operation_begin(&op, name, f->field, options, gfp_tree_roots_units(n), 1));
    return gfp_operation_end(&op, tree_calls_roots(&op, f, points, n));
}

/* ---- trees ---- */

static gfp_status tree_calls_make(gfp_operation_call *op, gfp_tree **T, const uint64_t *points,
                                  size_t n)
{
    gfp_tree *made = NULL;
    GFP_TRY(gfp_tree_make(&made, op, points, n, true));
    const gfp_status status = gfp_operation_finish(op);
    if (status == GFP_OK) {
        *T = made;
    } else {
        gfp_tree_destroy(made);
    }
    return status;
}

gfp_status gfp_tree_create(gfp_tree **T, const gfp_field *field, const uint64_t *points, size_t n,
                           const gfp_options *options)
{
    static const char name[] = "tree";
    gfp_options copy;
    gfp_operation_call op;
    GFP_TRY(check_arrays(name, field, points, points, n, options));
    GFP_TRY(gfp_options_read(&options, &copy));
    if (T == NULL || n == 0) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "tree: %s",
                             n == 0 ? "no points" : "no place for it");
    }
    GFP_TRY(gfp_operation_begin(&op, name, field, options, gfp_tree_make_units(n), 2));
    return gfp_operation_end(&op, tree_calls_make(&op, T, points, n));
}

size_t gfp_tree_count(const gfp_tree *T)
{
    return T->shape.n;
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
    hand_out(f, T->product, T->shape.n + 1);
    return GFP_OK;
}

/* ---- calls on a tree, or on points without one ---- */

typedef struct job {
    const char *name;
    const gfp_tree *T; /* NULL: of the points */
    const uint64_t *points;
    size_t n;
    gfp_poly *f;      /* the result of an interpolation, and */
    gfp_series given; /* the polynomial to be evaluated */
    const uint64_t *values;
    uint64_t *result; /* the values of an evaluation */
} job;

static gfp_status tree_calls_work(gfp_operation_call *op, const job *w, const gfp_tree *T)
{
    uint64_t *z;
    const bool evaluates = w->result != NULL;
    op->method = T->method;
    op->longest = T->top == NULL ? 0 : gfp_space_length(T->top);
    GFP_TRY(gfp_operation_array(op, &z, w->n));
    GFP_TRY(evaluates ? gfp_tree_values(op, z, w->given, T) : gfp_tree_solve(op, z, w->values, T));
    GFP_TRY(gfp_operation_finish(op));
    if (evaluates) {
        gfp_vec_copy(op->field, w->result, z, w->n);
    } else {
        hand_out(w->f, z, w->n);
    }
    return GFP_OK;
}

/* Whether values at points are found by Horner's rule. A check of such values takes as much time as
 * they do, one of values by a tree takes less. */
static bool serves_directly(const gfp_operation_call *op, const job *w)
{
    const size_t most = op->threshold[GFP_THRESHOLD_TREE_POINTS];
    const bool checks = op->options->verify != GFP_VERIFY_NONE;
    return op->classical || w->given.len <= GFP_TREE_FEW_TERMS ||
           gfp_threshold_serves(checks ? most - most / 3 : most, w->n, w->given.len);
}

/* By Horner's rule, without a tree or the product of its roots. */
static gfp_status evaluate_directly(gfp_operation_call *op, const job *w)
{
    gfp_tree T = {.field = op->field, .shape = {.n = w->n, .padded = w->n}};
    atomic_init(&T.weights, NULL);
    op->units = gfp_classical_values_units(w->n, w->given.len) *
                (op->options->verify == GFP_VERIFY_NONE ? 1 : 2);
    GFP_TRY(gfp_operation_array(op, &T.points, w->n));
    gfp_vec_copy(op->field, T.points, w->points, w->n);
    return tree_calls_work(op, w, &T);
}

static gfp_status work_apart(gfp_operation_call *op, const job *w)
{
    gfp_tree *T = NULL;
    if (w->result != NULL && serves_directly(op, w)) {
        return evaluate_directly(op, w);
    }
    GFP_TRY(gfp_tree_make(&T, op, w->points, w->n, false));
    const gfp_status status = tree_calls_work(op, w, T);
    gfp_tree_destroy(T);
    return status;
}

static gfp_status tree_calls_run(const job *w, const gfp_field *field, const gfp_options *options)
{
    gfp_operation_call op;
    gfp_tree_shape shape = {.padded = w->n};
    if (w->T != NULL) {
        shape = w->T->shape;
    }
    const bool weights = w->T != NULL && atomic_load(&w->T->weights) != NULL;
    const double units = (w->T == NULL ? gfp_tree_make_units(w->n) : 0) +
                         (w->result != NULL ? gfp_tree_values_units(&shape, w->given.len)
                                            : gfp_tree_solve_units(&shape, weights));
    GFP_TRY(gfp_operation_begin(&op, w->name, field, options, units, 3));
    op.classical = op.classical || (w->T != NULL && w->T->shape.base == 0);
    if (op.options->verify == GFP_VERIFY_CROSS) {
        op.units += gfp_classical_values_units(w->n, w->result != NULL ? w->given.len : w->n);
    }
    if (w->n == 0) {
        if (w->f != NULL) {
            gfp_poly_zero(w->f);
        }
        return gfp_operation_end(&op, GFP_OK);
    }
    return gfp_operation_end(&op,
                             w->T != NULL ? tree_calls_work(&op, w, w->T) : work_apart(&op, w));
}

static const char evaluation[] = "values at points";
static const char interpolation[] = "interpolation";

/* Whether f is a polynomial over the field of an existing tree. */
static gfp_status check_tree(const char *name, const gfp_poly *f, const gfp_tree *T,
                             const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(gfp_poly_check_operands(f, f, f, options));
    if (T == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "%s: no tree", name);
    }
    return gfp_field_same(f->field, T->field)
               ? GFP_OK
               : gfp_error_set(options->error, GFP_ERR_FIELD_MISMATCH,
                               "%s: the polynomial is over another field than the tree", name);
}

gfp_status gfp_tree_eval(uint64_t *values, const gfp_poly *f, const gfp_tree *T,
                         const gfp_options *options)
{
    GFP_TRY(check_tree(evaluation, f, T, options));
    GFP_TRY(check_arrays(evaluation, f->field, values, values, T->shape.n, options));
    const job w = {.name = evaluation,
                   .T = T,
                   .n = T->shape.n,
                   .given = {f->digits, f->len},
                   .result = values};
    return tree_calls_run(&w, T->field, options);
}

gfp_status gfp_tree_interpolate(gfp_poly *f, const uint64_t *values, const gfp_tree *T,
                                const gfp_options *options)
{
    GFP_TRY(check_tree(interpolation, f, T, options));
    GFP_TRY(check_arrays(interpolation, f->field, values, values, T->shape.n, options));
    GFP_TRY(tree_calls_prepare(interpolation, f, T->shape.n, options));
    const job w = {.name = interpolation, .T = T, .n = T->shape.n, .f = f, .values = values};
    return tree_calls_run(&w, T->field, options);
}

gfp_status gfp_poly_multieval(uint64_t *values, const gfp_poly *f, const uint64_t *points, size_t n,
                              const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(gfp_poly_check_operands(f, f, f, options));
    GFP_TRY(check_arrays(evaluation, f->field, values, points, n, options));
    const job w = {.name = evaluation,
                   .points = points,
                   .n = n,
                   .given = {f->digits, f->len},
                   .result = values};
    return tree_calls_run(&w, f->field, options);
}

gfp_status gfp_poly_interpolate(gfp_poly *f, const uint64_t *points, const uint64_t *values,
                                size_t n, const gfp_options *options)
{
    GFP_TRY(check_arrays(interpolation, field_of(f), points, values, n, options));
    GFP_TRY(tree_calls_prepare(interpolation, f, n, options));
    const job w = {.name = interpolation, .points = points, .n = n, .f = f, .values = values};
    return tree_calls_run(&w, f->field, options);
}
