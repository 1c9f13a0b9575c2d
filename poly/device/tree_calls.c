/* tree_calls.c: evaluation at the points of a tree, interpolation, and their check.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/tree.h"

#include <math.h>

#include "poly/device/call.h"
#include "poly/impl.h"

/* Makes room for vectors on their way through the tree. */
static gfp_status make_room(const gfp_gpu_tree *tree, gfp_gpu_array **area)
{
    gfp_gpu_array *product = NULL;
    GFP_TRY(gfp_gpu_ring_work(tree->ring, GFP_GPU_USE_PRODUCT, tree->size, &product));
    return gfp_gpu_ring_work(tree->ring, GFP_GPU_USE_TREE, 2 * tree->size, area);
}

/* ---- evaluation ---- */

/* *reversed := the N + 1 coefficients of the root from the leading one, which is 1, down. */
static gfp_status reverse_root(const gfp_gpu_tree *tree, gfp_gpu_array **reversed)
{
    const gfp_gpu_ring *ring = tree->ring;
    uint64_t one[GFP_MAX_K];
    GFP_TRY(gfp_gpu_ring_work(tree->ring, GFP_GPU_USE_SECOND, tree->size + 1, reversed));
    gfp_elem_one(ring->field, one);
    GFP_TRY(gfp_gpu_upload(*reversed, 0, one, ring->k, NULL));
    return gfp_gpu_reverse_at(ring, *reversed, 1, tree->levels, tree->height * tree->size,
                              tree->size);
}

/* Makes the tree keep m terms of the inverse of the reversed root. */
static gfp_status keep_inverse(gfp_gpu_tree *tree, gfp_gpu_array *reversed, size_t m,
                               gfp_error *error)
{
    gfp_gpu_array *made = NULL;
    if (tree->precision >= m) {
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_array_create(&made, tree->ring->gpu, m * tree->ring->k, NULL));
    const gfp_gpu_rows g = {made, 0, m}, a = {reversed, 0, tree->size + 1};
    const gfp_status status = gfp_gpu_rows_invert(tree->ring, &g, m, &a, tree->size + 1, 1, error);
    if (status != GFP_OK) {
        gfp_gpu_array_destroy(made);
        return status;
    }
    gfp_gpu_array_destroy(tree->inverse);
    tree->inverse = made;
    tree->precision = m;
    return GFP_OK;
}

/* The root's vector: u_t = sum of f_j g_(j - t), where g is the inverse of the reversed root: with
 * q the quotient of f reversed by the root reversed, modulo X^len, u_t = q_(len - 1 - t). */
static gfp_status start_down(gfp_gpu_tree *tree, gfp_gpu_array *f, size_t len, gfp_gpu_array *area,
                             gfp_error *error)
{
    gfp_gpu_ring *ring = tree->ring;
    const size_t m = len - len / 2, known = gfp_size_min(len, tree->size);
    gfp_gpu_array *root = NULL, *reversed = NULL, *quotient = NULL;
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_FIRST, len, &reversed));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_RESULT, len, &quotient));
    GFP_TRY(reverse_root(tree, &root));
    GFP_TRY(keep_inverse(tree, root, m, error));
    GFP_TRY(gfp_gpu_reverse_at(ring, reversed, 0, f, 0, len));
    const gfp_gpu_rows q = {quotient, 0, len}, g = {tree->inverse, 0, m};
    const gfp_gpu_pairs pairs = {
        {reversed, 0, len}, {root, 0, tree->size + 1}, len, tree->size + 1, 1};
    GFP_TRY(gfp_gpu_rows_divide(ring, &q, len, &pairs, &g, m));
    GFP_TRY(gfp_gpu_reverse_at(ring, area, 0, quotient, len - known, known));
    return gfp_gpu_clear_range(area, known * ring->k, (tree->size - known) * ring->k);
}

/* y := f(x_i), i < n, for f of len coefficients. */
static gfp_status tree_calls_evaluate(gfp_gpu_tree *tree, gfp_gpu_array *y, gfp_gpu_array *f,
                                      size_t len, gfp_error *error)
{
    const size_t k = tree->ring->k;
    gfp_gpu_array *area = NULL;
    size_t at = 0;
    if (len == 0) {
        return gfp_gpu_clear(y, tree->n * k, NULL);
    }
    GFP_TRY(make_room(tree, &area));
    GFP_TRY(start_down(tree, f, len, area, error));
    GFP_TRY(gfp_gpu_tree_down(tree, &at));
    return gfp_gpu_copy_range(y, 0, area, at * k, tree->n * k);
}

/* ---- interpolation ---- */

/* Names two equal points, one of which is number i. */
static gfp_status name_points(const gfp_gpu_tree *tree, size_t i, gfp_error *error)
{
    const gfp_gpu_ring *ring = tree->ring;
    const size_t k = ring->k;
    size_t other = 0;
    uint64_t *x = NULL;
    GFP_TRY(gfp_call_array(&tree->ring->operation->base, &x, tree->n * k));
    GFP_TRY(gfp_gpu_download(x, tree->points, 0, tree->n * k, NULL));
    while (other + 1 < tree->n &&
           (other == i || !gfp_elem_equal(ring->field, x + i * k, x + other * k))) {
        other++;
    }
    return gfp_error_set_at(error, GFP_ERR_NOT_INVERTIBLE, i, "points %zu and %zu are equal", i,
                            other);
}

/* *derivative := that of the product over the points, n coefficients. */
static gfp_status tree_calls_differentiate(const gfp_gpu_tree *tree, gfp_gpu_array *derivative)
{
    const gfp_gpu_ring *ring = tree->ring;
    const size_t k = ring->k, root = tree->height * tree->size + tree->size - tree->n;
    uint64_t one[GFP_MAX_K];
    gfp_elem_one(ring->field, one);
    GFP_TRY(gfp_gpu_copy_range(derivative, 0, tree->levels, (root + 1) * k, (tree->n - 1) * k));
    GFP_TRY(gfp_gpu_upload(derivative, (tree->n - 1) * k, one, k, NULL));
    return gfp_gpu_vec_mul_index(ring->field, derivative, derivative, 1, tree->n);
}

/* weights := 1 / M'(x_i); `derivative` has room for n elements. */
static gfp_status tree_calls_weigh(gfp_gpu_tree *tree, gfp_gpu_array *weights,
                                   gfp_gpu_array *derivative, gfp_error *error)
{
    gfp_error own = {.status = GFP_OK};
    GFP_TRY(tree_calls_differentiate(tree, derivative));
    GFP_TRY(tree_calls_evaluate(tree, weights, derivative, tree->n, error));
    const gfp_status status = gfp_gpu_invert(tree->ring, weights, weights, tree->n, &own);
    if (status == GFP_ERR_NOT_INVERTIBLE) {
        return name_points(tree, (size_t)own.index, error);
    }
    return status == GFP_OK || error == NULL ? status : (*error = own, status);
}

static gfp_status keep_weights(gfp_gpu_tree *tree, gfp_error *error)
{
    gfp_gpu_array *weights = NULL, *derivative = NULL;
    if (tree->weights != NULL) {
        return GFP_OK;
    }
    const size_t words = tree->n * tree->ring->k;
    gfp_status status = gfp_gpu_array_create(&weights, tree->ring->gpu, words, NULL);
    status = status != GFP_OK
                 ? status
                 : gfp_gpu_ring_work(tree->ring, GFP_GPU_USE_ELEMENTS, tree->n, &derivative);
    status = status != GFP_OK ? status : tree_calls_weigh(tree, weights, derivative, error);
    if (status != GFP_OK) {
        gfp_gpu_array_destroy(weights);
        return status;
    }
    tree->weights = weights;
    return GFP_OK;
}

/* The vectors of the leaves: y_i w_i. */
static gfp_status start_up(const gfp_gpu_tree *tree, const gfp_gpu_array *y, gfp_gpu_array *area)
{
    const size_t k = tree->ring->k;
    GFP_TRY(gfp_gpu_vec_mul(tree->ring->field, area, y, tree->weights, tree->n));
    return gfp_gpu_clear_range(area, tree->n * k, (tree->size - tree->n) * k);
}

/* ---- the check ---- */

/* Work space of a check: vectors of n elements at places of an array. */
typedef struct checked {
    gfp_gpu_tree *tree;
    const gfp_gpu_array *y;
    const gfp_gpu_poly *f;
    gfp_gpu_array *inverses, *terms, *values;
} checked;

/* value := the value at t of n coefficients of x from element `from` on; 0 of no coefficients. */
static gfp_status value_at(const checked *c, gfp_gpu_array *x, size_t from, size_t n,
                           const uint64_t *t, uint64_t *value)
{
    const gfp_gpu_ring *ring = c->tree->ring;
    gfp_gpu_array *part = NULL;
    if (n == 0) {
        gfp_elem_zero(ring->field, value);
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_array_part(&part, x, from * ring->k, n * ring->k));
    gfp_status status = gfp_gpu_vec_evaluate(ring->field, c->values, part, n, t);
    gfp_gpu_array_destroy(part);
    return status != GFP_OK ? status : gfp_gpu_download(value, c->values, 0, ring->k, NULL);
}

/* inverses := 1 / (t - x_i). Errors: NOT_INVERTIBLE (t is a point). */
static gfp_status invert_distances(const checked *c, const uint64_t *t)
{
    gfp_gpu_ring *ring = c->tree->ring;
    const size_t n = c->tree->n;
    GFP_TRY(gfp_gpu_tree_distances(ring, c->inverses, c->tree->points, n, t));
    return gfp_gpu_invert(ring, c->inverses, c->inverses, n, NULL);
}

/* VERIFY unless both sums have their values at t. */
static gfp_status check_at(const void *claimed, const uint64_t *t)
{
    const checked *c = claimed;
    const gfp_gpu_tree *tree = c->tree;
    const gfp_field *field = tree->ring->field;
    const size_t n = tree->n, root = tree->height * tree->size + tree->size - n;
    const uint64_t exponent = n;
    uint64_t one[GFP_MAX_K], sum[GFP_MAX_K], product[GFP_MAX_K], value[GFP_MAX_K];
    GFP_TRY(invert_distances(c, t));
    gfp_elem_one(field, one);
    GFP_TRY(value_at(c, tree->levels, root, n, t, product));
    gfp_elem_pow(field, value, t, &exponent, 1);
    gfp_elem_add(field, product, product, value); /* M(t) */
    GFP_TRY(gfp_gpu_vec_mul(field, c->terms, c->inverses, tree->weights, n));
    GFP_TRY(value_at(c, c->terms, 0, n, one, sum));
    gfp_elem_mul(field, sum, sum, product);
    if (!gfp_elem_is_one(field, sum)) {
        return GFP_ERR_VERIFY;
    }
    GFP_TRY(gfp_gpu_vec_mul(field, c->terms, c->terms, c->y, n));
    GFP_TRY(value_at(c, c->terms, 0, n, one, sum));
    gfp_elem_mul(field, sum, sum, product);
    GFP_TRY(value_at(c, c->f->array, 0, c->f->len, t, value));
    return gfp_elem_equal(field, sum, value) ? GFP_OK : GFP_ERR_VERIFY;
}

static gfp_status open_check(checked *c)
{
    gfp_gpu_ring *ring = c->tree->ring;
    const size_t n = c->tree->n;
    size_t longest = gfp_size_min(SIZE_MAX / 2, c->tree->size);
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_FIRST, n, &c->inverses));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_SECOND, n, &c->terms));
    return gfp_gpu_ring_work(ring, GFP_GPU_USE_PRODUCT, longest, &c->values);
}

gfp_status gfp_gpu_check_values(gfp_gpu_operation *op, gfp_gpu_tree *tree, const gfp_gpu_poly *f,
                                const gfp_gpu_array *y)
{
    const gfp_field *field = op->ring->field;
    const double log2_p = gfp_field_k(field) * log2((double)gfp_field_r(field));
    const double roots = tree->n > 1 ? log2((double)(tree->n - 1)) : 0;
    checked c = {.tree = tree, .y = y, .f = f};
    const gfp_status status = keep_weights(tree, &op->base.error);
    if (status == GFP_ERR_NOT_INVERTIBLE) {
        return gfp_error_set(&op->base.error, GFP_ERR_UNAVAILABLE,
                             "values at equal points are not checked on a device");
    }
    GFP_TRY(status);
    GFP_TRY(open_check(&c));
    /* p - n elements are no points; they are half of p at least, or the field is too small. */
    return gfp_gpu_check_elementwise(op, roots + 2 < log2_p ? roots + 1 : log2_p, check_at, &c);
}

/* r := f modulo M, checked; m := M. */
static gfp_status take_remainder(gfp_gpu_operation *op, const gfp_gpu_tree *tree, gfp_gpu_poly *m,
                                 gfp_gpu_poly *r, const gfp_gpu_poly *f)
{
    const size_t k = op->ring->k, root = tree->height * tree->size + tree->size - tree->n;
    uint64_t one[GFP_MAX_K];
    gfp_gpu_division d = {.a = f, .b = m, .len = tree->n + 1, .n = f->len - tree->n};
    gfp_elem_one(op->ring->field, one);
    GFP_TRY(gfp_gpu_poly_make_room(m, d.len));
    GFP_TRY(gfp_gpu_poly_make_room(r, tree->n));
    GFP_TRY(gfp_gpu_copy_range(m->array, 0, tree->levels, root * k, tree->n * k));
    GFP_TRY(gfp_gpu_upload(m->array, tree->n * k, one, k, NULL));
    m->len = d.len;
    GFP_TRY(gfp_gpu_divide(op->ring, &d, &op->base.error));
    GFP_TRY(gfp_gpu_division_rest(op->ring, &d, r->array));
    r->len = tree->n;
    r->exact = false;
    const gfp_gpu_poly q = {.ring = op->ring, .array = d.top_a, .len = d.n};
    return gfp_gpu_check_product(op, f, &q, m, r, true);
}

/* The same for f of any length, by its remainder. */
static gfp_status check_long(gfp_gpu_operation *op, gfp_gpu_tree *tree, const gfp_gpu_poly *f,
                             const gfp_gpu_array *y)
{
    gfp_gpu_poly *m = NULL, *r = NULL;
    if (f->len <= tree->n) {
        return gfp_gpu_check_values(op, tree, f, y);
    }
    gfp_status status = gfp_gpu_poly_make(&m, op->ring);
    status = status != GFP_OK ? status : gfp_gpu_poly_make(&r, op->ring);
    status = status != GFP_OK ? status : take_remainder(op, tree, m, r, f);
    status = status != GFP_OK ? status : gfp_gpu_check_values(op, tree, r, y);
    gfp_gpu_poly_destroy(m);
    gfp_gpu_poly_destroy(r);
    return status;
}

/* ---- the calls ---- */

/* Values at the points of a tree, kept apart from their place in `held`. */
typedef struct values {
    gfp_gpu_tree *tree;
    gfp_gpu_array *y, *held;
} values;

static gfp_status compute_values(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    values *v = w->own;
    const gfp_gpu_poly *f = w->input[0];
    (void)z;
    if (op->apart) {
        GFP_TRY(gfp_gpu_array_create(&v->held, op->ring->gpu, v->tree->n * op->ring->k, NULL));
    }
    return tree_calls_evaluate(v->tree, op->apart ? v->held : v->y, f->array, f->len,
                               &op->base.error);
}

static gfp_status check_evaluation(gfp_gpu_operation *op, const gfp_gpu_poly *z,
                                   const gfp_gpu_call *w)
{
    const values *v = w->own;
    (void)z;
    GFP_TRY(gfp_gpu_check_elements(op->ring, v->held, v->tree->n));
    return check_long(op, v->tree, w->input[0], v->held);
}

static gfp_status deliver_values(gfp_gpu_operation *op, const gfp_gpu_call *w)
{
    const values *v = w->own;
    return v->held == NULL ? GFP_OK : gfp_gpu_set(v->y, v->held, v->tree->n * op->ring->k, NULL);
}

gfp_status gfp_gpu_tree_eval(gfp_gpu_array *y, const gfp_gpu_poly *f, gfp_gpu_tree *tree,
                             const gfp_options *options)
{
    if (tree == NULL) {
        return gfp_gpu_call_refuse("values at the points of a tree", "no tree", options);
    }
    values v = {.tree = tree, .y = y};
    const gfp_status status =
        gfp_gpu_call_run(&(gfp_gpu_call){.name = "values at the points of a tree",
                                         .ring = tree->ring,
                                         .input = {f},
                                         .inputs = 1,
                                         .array = {{y, tree->n, "the values"}},
                                         .arrays = 1,
                                         .claims = 2,
                                         .own = &v,
                                         .compute = compute_values,
                                         .check = check_evaluation,
                                         .deliver = deliver_values},
                         options);
    gfp_gpu_array_destroy(v.held);
    return status;
}

static gfp_status compute_interpolation(gfp_gpu_operation *op, gfp_gpu_poly *z,
                                        const gfp_gpu_call *w)
{
    const size_t k = op->ring->k;
    gfp_gpu_tree *tree = w->own;
    gfp_gpu_array *area = NULL;
    size_t at = 0;
    GFP_TRY(keep_weights(tree, &op->base.error));
    GFP_TRY(make_room(tree, &area));
    GFP_TRY(start_up(tree, w->array[0].x, area));
    GFP_TRY(gfp_gpu_tree_up(tree, &at));
    GFP_TRY(gfp_gpu_poly_place(w->output[0], tree->n, op->apart, &z->array));
    z->len = tree->n;
    z->exact = false;
    return gfp_gpu_copy_range(z->array, 0, area, (at + tree->size - tree->n) * k, tree->n * k);
}

static gfp_status check_interpolation(gfp_gpu_operation *op, const gfp_gpu_poly *z,
                                      const gfp_gpu_call *w)
{
    GFP_TRY(gfp_gpu_check_elements(op->ring, z->array, z->len));
    return gfp_gpu_check_values(op, w->own, z, w->array[0].x);
}

gfp_status gfp_gpu_tree_interpolate(gfp_gpu_poly *f, const gfp_gpu_array *y, gfp_gpu_tree *tree,
                                    const gfp_options *options)
{
    if (tree == NULL) {
        return gfp_gpu_call_refuse("interpolation", "no tree", options);
    }
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = "interpolation",
                                            .ring = tree->ring,
                                            .output = {f},
                                            .outputs = 1,
                                            .array = {{y, tree->n, "the values"}},
                                            .arrays = 1,
                                            .own = tree,
                                            .compute = compute_interpolation,
                                            .check = check_interpolation},
                            options);
}
