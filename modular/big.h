/* big.h: polynomials over Z modulo big primes p = r^k + 1: the order in which calls take primes,
 * residues, and integers from residues, prime by prime (Garner). With x modulo M and v modulo a
 * further prime q, t = (v - x) / M mod q gives x + M t modulo M q.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_BIG_H
#define GFP_MODULAR_BIG_H

#include "gfpoly/poly.h"

#include "modular/scalar.h"

/* ---- the order of primes ---- */

/* The first prime is a named one that suffices, if there is one. Then primes of k = 8 come, the
 * named ones and those in stock; then those of k = 16, ..., 128. Where few bits are left, one of k
 * = 4 is enough. Each prime comes once. */
typedef struct gfp_zbig_order {
    size_t first; /* index of the prime that suffices; SIZE_MAX: none */
    bool begun;
    size_t start[GFP_ZRING_SHELVES]; /* the primes of one k go round, from here on */
    size_t taken[GFP_ZRING_SHELVES];
} gfp_zbig_order;

/* bits: 2^bits < p for a prime that suffices. seed = 0: the order begins at a named prime that
 * suffices, else at the named primes of k = 8; other seeds: at primes that the seed draws. */
void gfp_zbig_order_init(gfp_zbig_order *order, size_t bits, uint64_t seed);
/* *index := the next prime where `bits` bits are missing; false: none is left. */
bool gfp_zbig_order_next(gfp_zbig_order *order, size_t bits, size_t *index);
/* The bits of the product of all primes of an order, not too many. */
size_t gfp_zbig_most_bits(void);

/* ---- residues ---- */

/* z_i := x_i mod p, n integers of `width` limbs, of any sign and size. wrap := 2^(64 width) mod p,
 * which gfp_zbig_wrap gives. */
void gfp_zbig_reduce(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t width, size_t n,
                     const uint64_t *wrap);
void gfp_zbig_wrap(const gfp_field *field, uint64_t *wrap, size_t width);
/* z := a mod p, over the field of z. Errors: MEMORY, SIZE. */
gfp_status gfp_zbig_image(gfp_zcall *call, gfp_poly *z, gfp_zpoly a);

/* ---- integers from residues ---- */

/* Integers of a step. */
#define GFP_ZBIG_TILE 16

/* The step from M to M q; q does not divide M. */
typedef struct gfp_zbig_step {
    const gfp_field *q;
    const uint64_t *m; /* M, of this number of limbs, at least 1, the top one not 0 */
    size_t limbs;
    uint64_t inverse[GFP_MAX_K]; /* 1 / M mod q */
} gfp_zbig_step;

/* Errors: NOT_INVERTIBLE (q divides M). */
gfp_status gfp_zbig_step_init(gfp_zbig_step *step, const gfp_field *q, const uint64_t *m,
                              size_t limbs);
/* x: n <= GFP_ZBIG_TILE integers in [0, M), `room` limbs each, of which the step reads `limbs`
 * (none for M = 1) and writes those of M q; there is room for the limbs of M and of q; v: residues
 * modulo q, elements. work: limbs of M and q. */
void gfp_zbig_step_run(const gfp_zbig_step *step, uint64_t *x, size_t room, const uint64_t *v,
                       size_t n, uint64_t *work);
/* product := M q; returns its limbs. product, limbs of M and q, overlaps neither. */
size_t gfp_zbig_step_product(const gfp_zbig_step *step, uint64_t *product);
/* z, of `width` limbs in two's complement, := the integer least in absolute value that is x modulo
 * m, 0 <= x < m; it fits the width. half := floor(m / 2). x is overwritten. */
void gfp_zbig_least(uint64_t *z, size_t width, uint64_t *x, const uint64_t *m, const uint64_t *half,
                    size_t limbs);

/* ---- the integers of a call ---- */

/* n integers in [0, M); the arrays are the call's. */
typedef struct gfp_zbig {
    gfp_zcall *call;
    uint64_t *x, *m;
    size_t n, limbs, room; /* limbs of M; limbs that each x and M have room for */
} gfp_zbig;

/* M := 1. Errors: MEMORY, SIZE. */
gfp_status gfp_zbig_begin(gfp_zbig *big, gfp_zcall *call, size_t n);
/* Adds residues v modulo a further prime. Errors: MEMORY, SIZE, CANCELLED. */
gfp_status gfp_zbig_add(gfp_zbig *big, const gfp_field *q, const uint64_t *v);
/* z := the integers least in absolute value, in a new array. Errors: MEMORY, SIZE. */
gfp_status gfp_zbig_get(const gfp_zbig *big, gfp_zpoly *z);
/* floor(log2 M). */
size_t gfp_zbig_bits(const gfp_zbig *big);

#endif
