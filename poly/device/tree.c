/* tree.c: products from roots on a device, level by level in batches, and the passes over the
 * levels down and up.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/tree.h"

#include <math.h>

#include "poly/device/call.h"
#include "poly/impl.h"

/* The products of nodes of 2^j terms, by one plan: middle coefficients of those by vectors twice as
 * long, on the way down, and those of nodes, on the way up. */
enum { MIDDLE, NODES };

static gfp_gpu_products level_products(const gfp_gpu_tree *tree, unsigned j)
{
    const size_t n = (size_t)1 << j;
    return (gfp_gpu_products){
        .rows = tree->size / (2 * n),
        .exact = true,
        .count = 2,
        .extent = {[MIDDLE] = {n, 2 * n, n, n}, [NODES] = {n, n, 0, 2 * n}},
    };
}

/* Level j + 1, elements of z from `to` on, from level j, those from `from` on: (X^n + a)(X^n + b) =
 * X^2n + X^n (a + b) + a b. */
static gfp_status multiply_level(const gfp_gpu_tree *tree, unsigned j, gfp_gpu_array *z,
                                 size_t from, size_t to)
{
    const size_t n = (size_t)1 << j, rows = tree->size / (2 * n);
    const gfp_gpu_rows a = {z, from, 2 * n}, b = {z, from + n, 2 * n}, c = {z, to, 2 * n};
    const gfp_gpu_rows high = {z, to + n, 2 * n}, terms[] = {high, a, b};
    const gfp_gpu_products products = level_products(tree, j);
    GFP_TRY(gfp_gpu_ring_product(tree->ring, &products, NODES, &c, &a, &b));
    return gfp_gpu_vec_sum_rows(tree->ring->field, &high, terms, 3, 0, rows, n);
}

/* Level 0, the first elements of z: the points negated, and zeros. */
static gfp_status tree_start(const gfp_gpu_tree *tree, gfp_gpu_array *z,
                             const gfp_gpu_array *points)
{
    const size_t k = tree->ring->k;
    const gfp_gpu_rows leaves = {z, 0, tree->n}, x = {(gfp_gpu_array *)points, 0, tree->n};
    GFP_TRY(gfp_gpu_vec_sum_rows(tree->ring->field, &leaves, &x, 1, 1, 1, tree->n));
    return gfp_gpu_clear_range(z, tree->n * k, (tree->size - tree->n) * k);
}

static gfp_status tree_fill(gfp_gpu_tree *tree, const gfp_gpu_array *points)
{
    GFP_TRY(gfp_gpu_set(tree->points, points, tree->n * tree->ring->k, NULL));
    GFP_TRY(tree_start(tree, tree->levels, points));
    for (unsigned j = 0; j < tree->height; j++) {
        GFP_TRY(multiply_level(tree, j, tree->levels, j * tree->size, (j + 1) * tree->size));
    }
    return GFP_OK;
}

static gfp_status tree_make(gfp_gpu_tree *tree, const gfp_gpu_array *points)
{
    size_t words = 0;
    if (!gfp_size_mul(&words, tree->size, (tree->height + 1) * tree->ring->k * sizeof(uint64_t))) {
        return GFP_ERR_SIZE;
    }
    words /= sizeof(uint64_t);
    GFP_TRY(gfp_gpu_array_create(&tree->levels, tree->ring->gpu, words, NULL));
    GFP_TRY(gfp_gpu_array_create(&tree->points, tree->ring->gpu, tree->n * tree->ring->k, NULL));
    return tree_fill(tree, points);
}

/* The tree of n points without its levels. */
static gfp_gpu_tree tree_of(gfp_gpu_ring *ring, size_t n)
{
    gfp_gpu_tree tree = {.ring = ring, .n = n, .size = 1};
    while (tree.size < n) { /* below 2^63: the points have an array */
        tree.size *= 2;
        tree.height++;
    }
    return tree;
}

void gfp_gpu_tree_destroy(gfp_gpu_tree *tree)
{
    if (tree != NULL) {
        gfp_gpu_array_destroy(tree->levels);
        gfp_gpu_array_destroy(tree->points);
        gfp_gpu_array_destroy(tree->inverse);
        gfp_gpu_array_destroy(tree->weights);
        gfp_release(&tree->ring->allocator, tree, 1, sizeof *tree);
    }
}

/* ---- the check ---- */

/* m is the product of X - x_i, or that without its leading term. */
typedef struct claim {
    gfp_gpu_ring *ring;
    const gfp_gpu_array *points;
    size_t n;
    const gfp_gpu_poly *m;
} claim;

gfp_status gfp_gpu_tree_distances(gfp_gpu_ring *ring, gfp_gpu_array *z, const gfp_gpu_array *points,
                                  size_t n, const uint64_t *t)
{
    gfp_gpu_array *here = NULL;
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_SMALL, 1, &here));
    GFP_TRY(gfp_gpu_upload(here, 0, t, ring->k, NULL));
    const gfp_gpu_rows to = {z, 0, 1}, terms[] = {{here, 0, 0}, {(gfp_gpu_array *)points, 0, 1}};
    return gfp_gpu_vec_sum_rows(ring->field, &to, terms, 2, 2, n, 1);
}

/* *product := that of t - x_i. */
static gfp_status multiply_distances(const claim *w, const uint64_t *t, uint64_t *product)
{
    gfp_gpu_ring *ring = w->ring;
    gfp_gpu_array *z = NULL;
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_FIRST, w->n, &z));
    GFP_TRY(gfp_gpu_tree_distances(ring, z, w->points, w->n, t));
    GFP_TRY(gfp_gpu_prefix_products(ring, z, w->n));
    return gfp_gpu_download(product, z, (w->n - 1) * ring->k, ring->k, NULL);
}

static gfp_status check_at(const void *claimed, const uint64_t *t)
{
    const claim *w = claimed;
    const gfp_field *field = w->ring->field;
    const uint64_t n = w->n;
    uint64_t product[GFP_MAX_K], value[GFP_MAX_K], power[GFP_MAX_K];
    GFP_TRY(gfp_gpu_poly_value(w->m, value, t));
    if (w->m->len == w->n) {
        gfp_elem_pow(field, power, t, &n, 1);
        gfp_elem_add(field, value, value, power);
    }
    GFP_TRY(multiply_distances(w, t, product));
    return gfp_elem_equal(field, value, product) ? GFP_OK : GFP_ERR_VERIFY;
}

static gfp_status check_roots(gfp_gpu_operation *op, const gfp_gpu_poly *m,
                              const gfp_gpu_array *points, size_t n)
{
    const claim w = {op->ring, points, n, m};
    GFP_TRY(gfp_gpu_check_elements(op->ring, m->array, m->len));
    return gfp_gpu_check_elementwise(op, log2((double)n), check_at, &w);
}

/* ---- creation ---- */

static gfp_status compute_tree(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    gfp_gpu_tree **made = w->own;
    (void)z;
    if (w->n == 0) {
        return gfp_error_set(&op->base.error, GFP_ERR_ARGUMENT, "no points");
    }
    *made = gfp_allocate(&op->ring->allocator, 1, sizeof **made);
    if (*made == NULL) {
        return GFP_ERR_MEMORY;
    }
    **made = tree_of(op->ring, w->n);
    return tree_make(*made, w->array[0].x);
}

static gfp_status check_tree(gfp_gpu_operation *op, const gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    gfp_gpu_tree *const *made = w->own, *tree = *made;
    const size_t root = tree->height * tree->size + tree->size - tree->n, k = op->ring->k;
    gfp_gpu_poly m = {.ring = op->ring, .len = tree->n};
    (void)z;
    GFP_TRY(gfp_gpu_array_part(&m.array, tree->levels, root * k, tree->n * k));
    const gfp_status status = check_roots(op, &m, w->array[0].x, tree->n);
    gfp_gpu_array_destroy(m.array);
    return status;
}

gfp_status gfp_gpu_tree_create(gfp_gpu_tree **tree, gfp_gpu_ring *ring, const gfp_gpu_array *points,
                               size_t n, const gfp_options *options)
{
    gfp_gpu_tree *made = NULL;
    const gfp_status status = gfp_gpu_call_run(&(gfp_gpu_call){.name = "tree",
                                                               .ring = ring,
                                                               .array = {{points, n, "the points"}},
                                                               .arrays = 1,
                                                               .n = n,
                                                               .own = &made,
                                                               .compute = compute_tree,
                                                               .check = check_tree},
                                               options);
    if (status != GFP_OK) {
        gfp_gpu_tree_destroy(made);
        return status;
    }
    *tree = made;
    return GFP_OK;
}

/* ---- products ---- */

/* z := the product whose root is elements root, root + 1, ... of x, for m. */
static gfp_status tree_deliver(gfp_gpu_poly *z, gfp_gpu_poly *m, bool apart,
                               const gfp_gpu_tree *tree, const gfp_gpu_array *x, size_t root)
{
    const size_t k = tree->ring->k;
    uint64_t one[GFP_MAX_K];
    GFP_TRY(gfp_gpu_poly_place(m, tree->n + 1, apart, &z->array));
    z->len = tree->n + 1;
    z->exact = true;
    gfp_elem_one(tree->ring->field, one);
    GFP_TRY(gfp_gpu_copy_range(z->array, 0, x, (root + tree->size - tree->n) * k, tree->n * k));
    return gfp_gpu_upload(z->array, tree->n * k, one, k, NULL);
}

static gfp_status compute_root(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    const gfp_gpu_tree *tree = w->own;
    return tree_deliver(z, w->output[0], op->apart, tree, tree->levels, tree->height * tree->size);
}

gfp_status gfp_gpu_tree_product(gfp_gpu_poly *m, const gfp_gpu_tree *tree,
                                const gfp_options *options)
{
    if (tree == NULL) {
        return gfp_gpu_call_refuse("product of a tree", "no tree", options);
    }
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = "product of a tree",
                                            .ring = tree->ring,
                                            .output = {m},
                                            .outputs = 1,
                                            .own = (void *)tree,
                                            .compute = compute_root},
                            options);
}

static gfp_status multiply_roots(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    const gfp_gpu_tree tree = tree_of(op->ring, w->n);
    gfp_gpu_array *area = NULL;
    size_t at = 0;
    GFP_TRY(gfp_gpu_ring_work(op->ring, GFP_GPU_USE_TREE, 2 * tree.size, &area));
    GFP_TRY(tree_start(&tree, area, w->array[0].x));
    for (unsigned j = 0; j < tree.height; j++) {
        GFP_TRY(multiply_level(&tree, j, area, at, tree.size - at));
        at = tree.size - at;
    }
    return tree_deliver(z, w->output[0], op->apart, &tree, area, at);
}

static gfp_status compute_from_roots(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    uint64_t one[GFP_MAX_K];
    if (w->n > 0) {
        return multiply_roots(op, z, w);
    }
    gfp_elem_one(op->ring->field, one);
    GFP_TRY(gfp_gpu_poly_place(w->output[0], 1, op->apart, &z->array));
    z->len = 1;
    return gfp_gpu_upload(z->array, 0, one, op->ring->k, NULL);
}

static gfp_status check_from_roots(gfp_gpu_operation *op, const gfp_gpu_poly *z,
                                   const gfp_gpu_call *w)
{
    return w->n == 0 ? GFP_OK : check_roots(op, z, w->array[0].x, w->n);
}

gfp_status gfp_gpu_poly_product_roots(gfp_gpu_poly *m, const gfp_gpu_array *points, size_t n,
                                      const gfp_options *options)
{
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = "product from roots",
                                            .output = {m},
                                            .outputs = 1,
                                            .array = {{points, n, "the points"}},
                                            .arrays = 1,
                                            .n = n,
                                            .compute = compute_from_roots,
                                            .check = check_from_roots},
                            options);
}

/* ---- passes ---- */

/* The vectors of one level's children, n elements each from `to` on, from those u of the parents.
 */
static gfp_status both_children(const gfp_gpu_tree *tree, unsigned j, const gfp_gpu_factor *u,
                                size_t to)
{
    const size_t n = (size_t)1 << j, rows = tree->size / (2 * n);
    for (int side = 0; side < 2; side++) {
        const gfp_gpu_rows m = gfp_gpu_tree_nodes(tree, j, side == 0);
        const gfp_gpu_rows child = {u->rows.array, to + (side == 0 ? 0 : n), 2 * n};
        const gfp_gpu_rows terms[] = {child, u->rows};
        GFP_TRY(gfp_gpu_factor_mul(u, MIDDLE, &child, &m));
        GFP_TRY(gfp_gpu_vec_sum_rows(tree->ring->field, &child, terms, 2, 0, rows, n));
    }
    return GFP_OK;
}

/* One level down: vectors of 2 n elements at `from`, of n elements at `to`. */
static gfp_status one_down(const gfp_gpu_tree *tree, unsigned j, gfp_gpu_array *area, size_t from,
                           size_t to)
{
    const gfp_gpu_rows u = {area, from, (size_t)2 << j};
    const gfp_gpu_products products = level_products(tree, j);
    gfp_gpu_factor factor;
    GFP_TRY(gfp_gpu_factor_begin(&factor, tree->ring, &products, &u));
    const gfp_status status = both_children(tree, j, &factor, to);
    gfp_gpu_factor_end(&factor);
    return status;
}

gfp_status gfp_gpu_tree_down(const gfp_gpu_tree *tree, size_t *at)
{
    gfp_gpu_array *area = tree->ring->use[GFP_GPU_USE_TREE];
    *at = 0;
    for (unsigned j = tree->height; j-- > 0;) {
        const size_t next = *at == 0 ? tree->size : 0;
        GFP_TRY(one_down(tree, j, area, *at, next));
        *at = next;
    }
    return GFP_OK;
}

/* One level up: c_left (X^n + m_right) + c_right (X^n + m_left). */
static gfp_status one_up(const gfp_gpu_tree *tree, unsigned j, gfp_gpu_array *area, size_t from,
                         size_t to)
{
    const size_t n = (size_t)1 << j, rows = tree->size / (2 * n);
    const gfp_gpu_rows left = {area, from, 2 * n}, right = {area, from + n, 2 * n};
    const gfp_gpu_rows m_left = gfp_gpu_tree_nodes(tree, j, false),
                       m_right = gfp_gpu_tree_nodes(tree, j, true);
    const gfp_gpu_rows c = {area, to, 2 * n}, d = {tree->ring->use[GFP_GPU_USE_PRODUCT], 0, 2 * n};
    const gfp_gpu_rows low[] = {c, d};
    const gfp_gpu_rows high[] = {{area, to + n, 2 * n}, {d.array, n, 2 * n}, left, right};
    const gfp_gpu_products products = level_products(tree, j);
    GFP_TRY(gfp_gpu_ring_product(tree->ring, &products, NODES, &c, &left, &m_right));
    GFP_TRY(gfp_gpu_ring_product(tree->ring, &products, NODES, &d, &right, &m_left));
    GFP_TRY(gfp_gpu_vec_sum_rows(tree->ring->field, &c, low, 2, 0, rows, n));
    return gfp_gpu_vec_sum_rows(tree->ring->field, &high[0], high, 4, 0, rows, n);
}

gfp_status gfp_gpu_tree_up(const gfp_gpu_tree *tree, size_t *at)
{
    gfp_gpu_array *area = tree->ring->use[GFP_GPU_USE_TREE];
    *at = 0;
    for (unsigned j = 0; j < tree->height; j++) {
        const size_t next = *at == 0 ? tree->size : 0;
        GFP_TRY(one_up(tree, j, area, *at, next));
        *at = next;
    }
    return GFP_OK;
}
