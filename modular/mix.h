/* mix.h: several big primes p = r^k + 1: the order in which calls take them, and integers from
 * their residues, prime by prime (Garner). With x modulo M and v modulo a further prime q, t = (v -
 * x) / M mod q gives x + M t modulo M q.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_MIX_H
#define GFP_MODULAR_MIX_H

#include "modular/scalar.h"

/* ---- the order of primes ---- */

/* Primes of k = 8 come first, the named ones and then those in stock; then those of k = 16, ...,
 * 128. Where few bits are left, one of k = 4 is enough. Each prime comes once. */
typedef struct gfp_zmix_order {
    size_t start[GFP_ZRING_SHELVES]; /* the primes of one k go round, from here on */
    size_t taken[GFP_ZRING_SHELVES];
} gfp_zmix_order;

/* seed = 0: the order begins at the named primes; else at primes that the seed draws. */
void gfp_zmix_order_init(gfp_zmix_order *order, uint64_t seed);
/* *index := the next prime where `bits` bits are missing; false: none is left. */
bool gfp_zmix_order_next(gfp_zmix_order *order, size_t bits, size_t *index);
/* The bits of the product of all primes of an order, not too many. */
size_t gfp_zmix_most_bits(void);

/* What calls without a seed take: primes of each shelf (k = 4, 8, ..., 128), how many of their
 * fields the ring keeps, and the bits of their product, about. */
typedef struct gfp_zmix_demand {
    size_t primes[GFP_ZRING_SHELVES], kept[GFP_ZRING_SHELVES];
    size_t bits;
} gfp_zmix_demand;

/* *demand := that of `bits` bits where `bound` bits are sought; false: there are too few primes. */
bool gfp_zmix_demand_of(gfp_zmix_demand *demand, const gfp_zring *ring, size_t bits, size_t bound);

/* ---- integers from residues ---- */

/* Integers of a step. */
#define GFP_ZMIX_TILE 16

/* The step from M to M q; q does not divide M. */
typedef struct gfp_zmix_step {
    const gfp_field *q;
    const uint64_t *m; /* M, of this number of limbs, at least 1, the top one not 0 */
    size_t limbs;
    uint64_t inverse[GFP_MAX_K]; /* 1 / M mod q */
} gfp_zmix_step;

/* Errors: NOT_INVERTIBLE (q divides M). */
gfp_status gfp_zmix_step_init(gfp_zmix_step *step, const gfp_field *q, const uint64_t *m,
                              size_t limbs);
/* x: n <= GFP_ZMIX_TILE integers in [0, M), `room` limbs each, of which the step reads `limbs`
 * (none for M = 1) and writes those of M q; there is room for the limbs of M and of q; v: residues
 * modulo q, elements. work: limbs of M and q. */
void gfp_zmix_step_run(const gfp_zmix_step *step, uint64_t *x, size_t room, const uint64_t *v,
                       size_t n, uint64_t *work);
/* product := M q; returns its limbs. product, limbs of M and q, overlaps neither. */
size_t gfp_zmix_step_product(const gfp_zmix_step *step, uint64_t *product);
/* z, of `width` limbs in two's complement, := the integer least in absolute value that is x modulo
 * m, 0 <= x < m; it fits the width. half := floor(m / 2). x is overwritten. */
void gfp_zmix_least(uint64_t *z, size_t width, uint64_t *x, const uint64_t *m, const uint64_t *half,
                    size_t limbs);

/* ---- the integers of a call ---- */

/* n integers in [0, M); the arrays are the call's. */
typedef struct gfp_zmix {
    gfp_zcall *call;
    uint64_t *x, *m;
    size_t n, limbs, room; /* limbs of M; limbs that each x and M have room for */
} gfp_zmix;

/* M := 1. Errors: MEMORY, SIZE. */
gfp_status gfp_zmix_init(gfp_zmix *mix, gfp_zcall *call, size_t n);
/* Adds residues v modulo a further prime. Errors: MEMORY, SIZE, CANCELLED. */
gfp_status gfp_zmix_add(gfp_zmix *mix, const gfp_field *q, const uint64_t *v);
/* z := the integers least in absolute value, in a new array. Errors: MEMORY, SIZE. */
gfp_status gfp_zmix_get(const gfp_zmix *mix, gfp_zpoly *z);
/* floor(log2 M). */
size_t gfp_zmix_bits(const gfp_zmix *mix);

#endif
