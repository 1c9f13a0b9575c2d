/* word_poly.h: polynomials modulo one word-size prime by classical arithmetic, for the few steps
 * over Z that do not compute in lanes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_SYSTEM_WORD_POLY_H
#define GFP_MODULAR_SYSTEM_WORD_POLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An odd prime below 2^61. */
typedef struct gfp_wmod {
    uint64_t q, negative_inverse, square; /* 2^128 mod q */
} gfp_wmod;

gfp_wmod gfp_wmod_of(uint64_t q);
/* a b modulo q. */
uint64_t gfp_wmod_mul(uint64_t a, uint64_t b, const gfp_wmod *m);
/* 1 / a, a not 0. */
uint64_t gfp_wmod_inverse(uint64_t a, const gfp_wmod *m);

/* Coefficients c[0], ..., c[len - 1]; the last one is not 0 after gfp_wpoly_trim. */
typedef struct gfp_wpoly {
    uint64_t *c;
    size_t len;
} gfp_wpoly;

void gfp_wpoly_trim(gfp_wpoly *f);
/* a := a - x T^up b; zeros follow a up to the length of the difference. */
void gfp_wpoly_subtract(gfp_wpoly *a, uint64_t x, size_t up, const gfp_wpoly *b, const gfp_wmod *m);
/* a := a modulo f. */
void gfp_wpoly_reduce(gfp_wpoly *a, const gfp_wpoly *f, const gfp_wmod *m);
/* z := a b modulo f, a and b shorter than f; z has room for 2 f->len coefficients. */
void gfp_wpoly_mul_modulo(gfp_wpoly *z, const gfp_wpoly *a, const gfp_wpoly *b, const gfp_wpoly *f,
                          const gfp_wmod *m);
/* z := the derivative of f; z may be f. */
void gfp_wpoly_derivative(gfp_wpoly *z, const gfp_wpoly *f, const gfp_wmod *m);

#endif
