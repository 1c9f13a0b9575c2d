/* tree.c: products from roots on a device, level by level in batches, and the passes over the
 * levels down and up.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/tree.h"

#include "poly/impl.h"
#include "field/base/support.h"

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
    GFP_TRY(gfp_gpu_copy(tree->points, points, tree->n * tree->ring->k));
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
    GFP_TRY(gfp_gpu_array_create(&tree->levels, tree->ring->gpu, words));
    GFP_TRY(gfp_gpu_array_create(&tree->points, tree->ring->gpu, tree->n * tree->ring->k));
    return tree_fill(tree, points);
}

static gfp_status check_points(const gfp_gpu_ring *ring, const gfp_gpu_array *points, size_t n,
                               gfp_error *error)
{
    if (gfp_gpu_array_context(points) != ring->gpu) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "the points are of another context");
    }
    return n > 0 && n <= gfp_gpu_array_words(points) / ring->k
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_ARGUMENT, "%zu points in an array of %zu words", n,
                               gfp_gpu_array_words(points));
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

gfp_status gfp_gpu_tree_create(gfp_gpu_tree **tree, gfp_gpu_ring *ring, const gfp_gpu_array *points,
                               size_t n, gfp_error *error)
{
    GFP_TRY(check_points(ring, points, n, error));
    gfp_gpu_tree *made = gfp_allocate(&ring->allocator, 1, sizeof *made);
    if (made == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for a tree");
    }
    *made = tree_of(ring, n);
    const gfp_status status = tree_make(made, points);
    if (status != GFP_OK) {
        gfp_gpu_tree_destroy(made);
        return gfp_gpu_ring_explain(ring, status, error);
    }
    *tree = made;
    return GFP_OK;
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

static size_t words_of(const gfp_gpu_array *array)
{
    return array == NULL ? 0 : gfp_gpu_array_words(array);
}

size_t gfp_gpu_tree_bytes(const gfp_gpu_tree *tree)
{
    return sizeof(uint64_t) * (words_of(tree->levels) + words_of(tree->points) +
                               words_of(tree->inverse) + words_of(tree->weights));
}

/* m := the product whose root is elements root, root + 1, ... of z. */
static gfp_status tree_deliver(gfp_gpu_poly *m, const gfp_gpu_tree *tree, const gfp_gpu_array *z,
                               size_t root)
{
    const size_t k = tree->ring->k;
    uint64_t one[GFP_MAX_K];
    GFP_TRY(gfp_gpu_poly_fit_length(m, tree->n + 1));
    gfp_elem_one(m->ring->field, one);
    GFP_TRY(gfp_gpu_copy_range(m->array, 0, z, (root + tree->size - tree->n) * k, tree->n * k));
    GFP_TRY(gfp_gpu_upload(m->array, tree->n * k, one, k));
    GFP_TRY(gfp_gpu_poly_set_length(m, tree->n + 1));
    m->exact = true;
    return GFP_OK;
}

gfp_status gfp_gpu_tree_product(gfp_gpu_poly *m, const gfp_gpu_tree *tree)
{
    if (!gfp_field_same(m->ring->field, tree->ring->field)) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    GFP_TRY(m->ring->gpu == tree->ring->gpu ? GFP_OK : GFP_ERR_ARGUMENT);
    return tree_deliver(m, tree, tree->levels, tree->height * tree->size);
}

static gfp_status multiply_roots(gfp_gpu_poly *m, const gfp_gpu_array *points, size_t n)
{
    const gfp_gpu_tree tree = tree_of(m->ring, n);
    gfp_gpu_array *area = NULL;
    size_t at = 0;
    GFP_TRY(gfp_gpu_ring_work(m->ring, GFP_GPU_USE_TREE, 2 * tree.size, &area));
    GFP_TRY(tree_start(&tree, area, points));
    for (unsigned j = 0; j < tree.height; j++) {
        GFP_TRY(multiply_level(&tree, j, area, at, tree.size - at));
        at = tree.size - at;
    }
    return tree_deliver(m, &tree, area, at);
}

gfp_status gfp_gpu_poly_from_roots(gfp_gpu_poly *m, const gfp_gpu_array *points, size_t n,
                                   gfp_error *error)
{
    if (n == 0) {
        return gfp_gpu_ring_explain(m->ring, gfp_gpu_poly_one(m), error);
    }
    GFP_TRY(check_points(m->ring, points, n, error));
    return gfp_gpu_ring_explain(m->ring, multiply_roots(m, points, n), error);
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
