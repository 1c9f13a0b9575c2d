/* generic.c: the outer DFT by its definition, on canonical elements: the slow twin of the
 * engines in lanes, and the engine of the radices that they refuse.
 *
 * Inverse with the first leaves only: these are full nodes N_1, N_2, ..., the largest first. Their
 * residues R_i come from inverse butterflies. c = C_1 + N_1 h_2 + N_1 N_2 h_3 + ..., where C_1 =
 * R_1, C_(i+1) = C_i + N_1 ... N_i h_(i+1). A node N_a = y^s - T^e is the left child of its parent
 * and every later node divides the right child y^s + T^e, so that N_a = -2 T^e modulo a later node:
 * h_(i+1) is R_(i+1) - C_i, times a power of T, divided by +-2^i. N_1 ... N_i has 2^i terms, whose
 * multiples of h fall on disjoint blocks of C_(i+1), the leading one on the place of R_(i+1).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "fft/outer/impl.h"

/* d := the balanced digits of x, exactly: |d| <= r/2. The special element has one digit r. */
static void to_balanced(const gfp_field *field, int64_t *d, const uint64_t *x)
{
    uint64_t r = field->r, carry = 0;
    for (unsigned t = 0; t < field->k; t++) {
        uint64_t value = x[t] + carry; /* <= r */
        carry = value > r / 2;
        d[t] = (int64_t)(carry ? value - r : value);
    }
    /* A digit that carried is at least -r/2 + 1. */
    d[0] -= (int64_t)carry;
}

static void to_canonical(const gfp_field *field, uint64_t *x, const int64_t *d)
{
    gfp_i128 v[GFP_MAX_K];
    for (unsigned t = 0; t < field->k; t++) {
        v[t] = d[t];
    }
    gfp_reference_normalize(field, x, v);
}

/* x := x T^s, s taken modulo 2k. */
static void outer_generic_shift(const gfp_field *field, uint64_t *x, unsigned s)
{
    field->kernels->mul_r(field, x, x, s & (2 * field->k - 1), 1);
}

/* z := z T^s + x. */
static void horner_step(const gfp_field *field, uint64_t *z, unsigned s, const uint64_t *x)
{
    outer_generic_shift(field, z, s);
    field->kernels->add(field, z, z, x, 1);
}

static void outer_generic_forward(const gfp_outer *outer, int64_t *leaf_digits, const uint64_t *x,
                                  size_t len, size_t v0, size_t v1)
{
    const gfp_field *field = outer->field;
    const gfp_outer top = gfp_outer_top(outer);
    const size_t k = field->k, node_words = gfp_outer_node_words(outer);
    for (size_t v = v0; v < v1; v++) {
        unsigned blocks = gfp_outer_blocks(&top, len, v, 1);
        for (unsigned j = 0; j < top.leaves; j++) {
            unsigned e = gfp_outer_exponent(top.log2_size, j, 2 * field->k);
            uint64_t z[GFP_MAX_K] = {0};
            for (unsigned i = blocks; i-- > 0;) {
                horner_step(field, z, e, x + (i * top.m + v) * k);
            }
            to_balanced(field, leaf_digits + j * node_words + v * k, z);
        }
    }
}

static void outer_generic_refine(const gfp_outer *outer, int64_t *node_digits, unsigned node)
{
    const gfp_field *field = outer->field;
    const unsigned log2_step = gfp_outer_log2_step(outer), step = 1U << log2_step;
    const size_t k = field->k, leaf = outer->m * k;
    for (size_t v = 0; step > 1 && v < outer->m; v++) {
        uint64_t x[GFP_OUTER_MAX_STEP][GFP_MAX_K];
        int64_t *column = node_digits + v * k;
        for (unsigned i = 0; i < step; i++) {
            to_canonical(field, x[i], column + i * leaf);
        }
        for (unsigned j = 0; j < step; j++) {
            unsigned e =
                gfp_outer_exponent(outer->log2_size, (node << log2_step) + j, 2 * field->k);
            uint64_t z[GFP_MAX_K] = {0};
            for (unsigned i = step; i-- > 0;) {
                horner_step(field, z, e, x[i]);
            }
            to_balanced(field, column + j * leaf, z);
        }
    }
}

/* One column of the leaves, canonical: block i at x + i step. */
typedef struct column {
    const gfp_field *field;
    uint64_t *x;
    size_t step;
} column;

static uint64_t *block_at(const column *c, unsigned i)
{
    return c->x + i * c->step;
}

/* Computes the residues of all full nodes among `leaves` leaves from number first on, at which the
 * column starts, from the leaves up. */
static void node_residues(const column *c, unsigned log2_size, unsigned first, unsigned leaves)
{
    const gfp_field *field = c->field;
    for (unsigned half = 1; 2 * half <= leaves; half *= 2) {
        for (unsigned at = 0; at + 2 * half <= leaves; at += 2 * half) {
            /* The parent y^(2 half) - T^e, e = 2 half e(its first leaf): s = e/2. */
            unsigned s = half * gfp_outer_exponent(log2_size, first + at, 2 * field->k);
            for (unsigned i = at; i < at + half; i++) {
                field->kernels->butterfly_inverse(field, block_at(c, i), block_at(c, i + half), s,
                                                  1);
            }
        }
    }
}

/* Undoes refine except for the division by 2^log2_step, which the inverse does. */
static void outer_generic_coarsen(const gfp_outer *outer, int64_t *node_digits, unsigned node)
{
    const gfp_field *field = outer->field;
    const unsigned log2_step = gfp_outer_log2_step(outer), step = 1U << log2_step;
    const size_t k = field->k;
    for (size_t v = 0; step > 1 && v < outer->m; v++) {
        column c = {field, (uint64_t *)node_digits + v * k, outer->m * k};
        for (unsigned j = 0; j < step; j++) {
            to_canonical(field, block_at(&c, j), (const int64_t *)block_at(&c, j));
        }
        node_residues(&c, outer->log2_size, node << log2_step, step);
        for (unsigned j = 0; j < step; j++) {
            uint64_t x[GFP_MAX_K];
            memcpy(x, block_at(&c, j), k * sizeof *x);
            to_balanced(field, (int64_t *)block_at(&c, j), x);
        }
    }
}

/* Computes h of node number count in the place of its residue: see the head of this file. */
static void node_quotient(const column *c, const gfp_outer_node *nodes, unsigned count)
{
    const gfp_field *field = c->field;
    const gfp_outer_node *node = &nodes[count];
    unsigned s = 2 * field->k;
    for (unsigned a = 0; a < count; a++) {
        s += 3 * field->k - nodes[a].e; /* times -T^-e */
    }
    for (unsigned u = 0; u < node->size; u++) {
        uint64_t *h = block_at(c, node->offset + u);
        uint64_t residue[GFP_MAX_K] = {0};
        for (unsigned i = node->offset; i > 0; i -= node->size) {
            horner_step(field, residue, node->e, block_at(c, i - node->size + u));
        }
        field->kernels->sub(field, h, h, residue, 1);
        outer_generic_shift(field, h, s);
        gfp_vec_div_2exp(field, h, h, count, 1);
    }
}

/* Adds N_1 ... N_count h: the terms of the product, except the leading one, are the proper subsets
 * of these nodes' leading terms. */
static void add_multiple(const column *c, const gfp_outer_node *nodes, unsigned count)
{
    const gfp_field *field = c->field;
    for (unsigned subset = 0; subset + 1 < 1U << count; subset++) {
        unsigned to = 0, s = 0;
        for (unsigned a = 0; a < count; a++) {
            if ((subset >> a & 1) != 0) {
                to += nodes[a].size;
            } else {
                s += nodes[a].e + field->k; /* times -T^e */
            }
        }
        for (unsigned u = 0; u < nodes[count].size; u++) {
            uint64_t h[GFP_MAX_K];
            uint64_t *z = block_at(c, to + u);
            memcpy(h, block_at(c, nodes[count].offset + u), field->k * sizeof *h);
            outer_generic_shift(field, h, s);
            field->kernels->add(field, z, z, h, 1);
        }
    }
}

static void inverse_column(const column *c, const gfp_outer *outer, unsigned log2_scale)
{
    gfp_outer_node nodes[GFP_OUTER_MAX_NODES];
    unsigned count = gfp_outer_nodes(nodes, outer->log2_size, outer->leaves, 2 * c->field->k);
    node_residues(c, outer->log2_size, 0, outer->leaves);
    for (unsigned a = 0; a < count; a++) {
        for (unsigned u = 0; u < nodes[a].size; u++) {
            uint64_t *x = block_at(c, nodes[a].offset + u);
            gfp_vec_div_2exp(c->field, x, x, gfp_ctz64(nodes[a].size) + log2_scale, 1);
        }
        if (a > 0) {
            node_quotient(c, nodes, a);
            add_multiple(c, nodes, a);
        }
    }
}

static void outer_generic_inverse(const gfp_outer *outer, uint64_t *z, size_t len,
                                  int64_t *leaf_digits, size_t v0, size_t v1)
{
    const gfp_field *field = outer->field;
    const gfp_outer top = gfp_outer_top(outer);
    size_t k = field->k;
    for (size_t v = v0; v < v1; v++) {
        column c = {field, (uint64_t *)leaf_digits + v * k, gfp_outer_node_words(outer)};
        for (unsigned j = 0; j < top.leaves; j++) {
            to_canonical(field, block_at(&c, j), (const int64_t *)block_at(&c, j));
        }
        inverse_column(&c, &top, gfp_outer_log2_step(outer));
        unsigned blocks = gfp_outer_blocks(&top, len, v, 1);
        for (unsigned i = 0; i < blocks; i++) {
            memcpy(z + (i * top.m + v) * k, block_at(&c, i), k * sizeof *z);
        }
    }
}

const gfp_outer_engine gfp_outer_generic = {"generic",
                                            1,
                                            outer_generic_forward,
                                            outer_generic_refine,
                                            outer_generic_coarsen,
                                            outer_generic_inverse};
