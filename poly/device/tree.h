/* tree.h: trees of products on a device: their levels, and the passes over them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_DEVICE_TREE_H
#define GFP_POLY_DEVICE_TREE_H

#include "gfpoly/gpu_toolkit.h"
#include "poly/device/call.h"

/* Level j has N / 2^j nodes X^(2^j) + m, the 2^j elements of m from element j N + i 2^j on. Points
 * beyond n are 0: the root is X^(N - n) times the product over the points. */
struct gfp_gpu_tree {
    gfp_gpu_ring *ring;
    size_t n, size; /* size: N */
    unsigned height;
    gfp_gpu_array *levels;
    gfp_gpu_array *points;  /* n elements */
    gfp_gpu_array *inverse; /* of the reversed product as a power series; or NULL */
    size_t precision;       /* its number of terms */
    gfp_gpu_array *weights; /* 1 / M'(x_i), i < n; or NULL */
};

/* Nodes of level j as rows; right: every second one, from the second on. */
static inline gfp_gpu_rows gfp_gpu_tree_nodes(const gfp_gpu_tree *tree, unsigned j, bool right)
{
    const size_t n = (size_t)1 << j;
    return (gfp_gpu_rows){tree->levels, j * tree->size + (right ? n : 0), 2 * n};
}

/* The passes use the work arrays TREE (2 N elements) and PRODUCT (N). The vector of 2^h elements, h
 * the height, lies at TREE; vectors down to those of one element follow, and take turns in its two
 * halves. *at := the half where the results lie.
 *
 * Down: the vector u of a node becomes, for its left half (its right one), the middle coefficients
 * u_t + [X^(t + n)] u m_right (m_left), t < n. */
gfp_status gfp_gpu_tree_down(const gfp_gpu_tree *tree, size_t *at);
/* Up: the vectors c become c_left M_right + c_right M_left. */
gfp_status gfp_gpu_tree_up(const gfp_gpu_tree *tree, size_t *at);

/* z_i := t - x_i, i < n; takes the work array SMALL. */
gfp_status gfp_gpu_tree_distances(gfp_gpu_ring *ring, gfp_gpu_array *z, const gfp_gpu_array *points,
                                  size_t n, const uint64_t *t);

/* VERIFY unless f(x_i) = y_i, i < n, for f of at most n terms; by the weights w_i = 1 / M'(x_i): at
 * random elements t, the sum of w_i / (t - x_i) is 1 / M(t), and the sum of y_i w_i / (t - x_i) is
 * f(t) / M(t). A wrong f or y passes with probability at most ((n - 1) / (p - n))^points. */
gfp_status gfp_gpu_check_values(gfp_gpu_operation *op, gfp_gpu_tree *tree, const gfp_gpu_poly *f,
                                const gfp_gpu_array *y);

#endif
