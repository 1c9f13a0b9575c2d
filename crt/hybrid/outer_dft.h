/* outer_dft.h: the outer DFT of a polynomial, which the threads of a task share by columns: of
 * products (crt/hybrid/multiply.c) and of kept transforms (crt/hybrid/ring.c).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_HYBRID_OUTER_DFT_H
#define GFP_CRT_HYBRID_OUTER_DFT_H

#include "crt/hybrid/shape.h"

/* Returns gfp_outer_words for any lengths. Saturates. */
size_t gfp_hybrid_digit_words(const gfp_outer *outer);

/* An array of nodes. */
typedef struct gfp_hybrid_nodes {
    const gfp_hybrid_choice *choice;
    const gfp_outer *outer;
    int64_t *digits; /* gfp_outer_words */
} gfp_hybrid_nodes;

/* nodes.digits := the nodes of x, 1 <= len <= leaves m coefficients. */
typedef struct gfp_hybrid_input {
    gfp_hybrid_nodes nodes;
    const uint64_t *x;
    size_t len;
} gfp_hybrid_input;

/* Transforms `count` polynomials, 1 or 2, with nodes of one tree. Returns false if the call is
 * cancelled. */
bool gfp_hybrid_forward(const gfp_hybrid_input *inputs, size_t count, gfp_task *task);
/* z := len <= leaves m coefficients of the polynomial of the nodes, which are overwritten. Returns
 * false if the call is cancelled. */
bool gfp_hybrid_inverse(const gfp_hybrid_nodes *nodes, uint64_t *z, size_t len, gfp_task *task);

/* Turns nodes whose first leaves are among `count` leaves from leaf `first` on into leaves. */
void gfp_hybrid_refine(const gfp_hybrid_nodes *nodes, unsigned first, unsigned count);
/* Turns leaves into the nodes whose last leaves are among these. */
void gfp_hybrid_coarsen(const gfp_hybrid_nodes *nodes, unsigned first, unsigned count);

#endif
