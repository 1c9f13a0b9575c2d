/* checked.c: the outer DFT on checking lanes, an engine like every other one. Between calls,
 * digits of nodes are words and have the bounds that fft/outer/dft.h states.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>

#include "fft/outer/checked.h"
#include "lab/lanes_checked.h"

static void checked_forward(const gfp_outer *outer, int64_t *node_digits, const uint64_t *x,
                            size_t len, size_t v0, size_t v1);
static void checked_refine(const gfp_outer *outer, int64_t *digits, unsigned node);
static void checked_coarsen(const gfp_outer *outer, int64_t *digits, unsigned node);
static void checked_inverse(const gfp_outer *outer, uint64_t *z, size_t len, int64_t *node_digits,
                            size_t v0, size_t v1);

#define OUTER_ENGINE gfp_outer_checked
#define BASE_ENGINE gfp_base_checked
#define OUTER_NAME "checked"
#define OUTER_FUSED 1
#define OUTER_STEPS checked_forward, checked_refine, checked_coarsen, checked_inverse
#include "fft/outer/body.inc"

/* The digits of some columns v0 <= v < v1 of nodes, in memory and in lanes, node after node. */
typedef struct checked_nodes {
    int64_t *words;
    lanes *digits;
    size_t count, step, from, to;
    gfp_i128 most;
} checked_nodes;

static checked_nodes nodes_open(const gfp_outer *outer, int64_t *memory, size_t count, size_t v0,
                                size_t v1)
{
    const gfp_i128 r = (gfp_i128)outer->field->r, most = r / 2 + (r >> 21);
    const size_t step = gfp_outer_node_words(outer), k = outer->field->k;
    lanes *digits = calloc(count * step, sizeof *digits);
    LANES_CHECK(digits != NULL);
    return (checked_nodes){
        .words = memory,
        .digits = digits,
        .count = count,
        .step = step,
        .from = v0 * k,
        .to = v1 * k,
        .most = most < LANES_TWO(63) ? most : LANES_TWO(63) - 1,
    };
}

static void nodes_load(checked_nodes *nodes)
{
    for (size_t j = 0; j < nodes->count; j++) {
        for (size_t i = nodes->from; i < nodes->to; i++) {
            const gfp_i128 digit = nodes->words[j * nodes->step + i];
            nodes->digits[j * nodes->step + i] = lanes_interval(digit, -nodes->most, nodes->most);
        }
    }
}

static void nodes_store(const checked_nodes *nodes)
{
    for (size_t j = 0; j < nodes->count; j++) {
        for (size_t i = nodes->from; i < nodes->to; i++) {
            const lanes digit = nodes->digits[j * nodes->step + i];
            LANES_CHECK(lanes_inside(digit, -nodes->most, nodes->most));
            nodes->words[j * nodes->step + i] = (int64_t)digit.value;
        }
    }
}

static void checked_forward(const gfp_outer *outer, int64_t *node_digits, const uint64_t *x,
                            size_t len, size_t v0, size_t v1)
{
    checked_nodes nodes = nodes_open(outer, node_digits, gfp_outer_top(outer).leaves, v0, v1);
    outer_forward(outer, (int64_t *)(void *)nodes.digits, x, len, v0, v1);
    nodes_store(&nodes);
    free(nodes.digits);
}

static void checked_node(const gfp_outer *outer, int64_t *digits, unsigned node,
                         void (*step)(const gfp_outer *outer, int64_t *digits, unsigned node))
{
    checked_nodes nodes = nodes_open(outer, digits, 1, 0, gfp_outer_top(outer).m);
    nodes_load(&nodes);
    step(outer, (int64_t *)(void *)nodes.digits, node);
    nodes_store(&nodes);
    free(nodes.digits);
}

static void checked_refine(const gfp_outer *outer, int64_t *digits, unsigned node)
{
    checked_node(outer, digits, node, outer_refine);
}

static void checked_coarsen(const gfp_outer *outer, int64_t *digits, unsigned node)
{
    checked_node(outer, digits, node, outer_coarsen);
}

static void checked_inverse(const gfp_outer *outer, uint64_t *z, size_t len, int64_t *node_digits,
                            size_t v0, size_t v1)
{
    checked_nodes nodes = nodes_open(outer, node_digits, gfp_outer_top(outer).leaves, v0, v1);
    nodes_load(&nodes);
    outer_inverse(outer, z, len, (int64_t *)(void *)nodes.digits, v0, v1);
    free(nodes.digits);
}
