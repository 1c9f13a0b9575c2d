/* papers/gmp_dft.h: the papers' own baseline: the steps of the sequel's Alg. 2 with every sum and
 * product by GMP, and without shifts. Elements are integers in [0, p) of `limbs`
 * words, least significant first.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GMP_DFT_H
#define GMP_DFT_H

#include <gmp.h>

#include "gfpoly.h"

typedef struct gmp_dft {
    const gfp_field *field;
    const mp_limb_t *p;
    size_t limbs;
    size_t n, radix;   /* N = K^e and K */
    mp_limb_t *powers; /* w_N^t, t < N */
    mp_limb_t *wide;   /* room for a product and a quotient: 3 limbs + 1 */
    mp_limb_t *t;      /* room for an element */
    bool shared;       /* the powers belong to another gmp_dft */
} gmp_dft;

/* Prepares N = K^e, K = 2k. Returns false without memory or without a root of unity of
 * this order. */
bool gmp_dft_init(gmp_dft *d, const gfp_field *field, size_t n);
/* Makes d a copy of `other` with its own scratch memory, for another thread. d must be cleared
 * before `other`. Returns false without memory. */
bool gmp_dft_share(gmp_dft *d, const gmp_dft *other);
void gmp_dft_clear(gmp_dft *d);
/* The steps (papers/steps.c has the loops): DFT_K on K elements, natural order; x := x w_N^t, 0 <=
 * t < N. */
void gmp_dft_base(gmp_dft *d, mp_limb_t *x);
void gmp_dft_multiply_by_power(gmp_dft *d, mp_limb_t *x, size_t t);
/* z := x y mod p: mpn_mul_n, then mpn_tdiv_qr. */
void gmp_dft_mul(gmp_dft *d, mp_limb_t *z, const mp_limb_t *x, const mp_limb_t *y);

/* Conversions between canonical digits and integers, for n elements. */
void gmp_dft_from_digits(const gmp_dft *d, mp_limb_t *z, const uint64_t *x, size_t n);
void gmp_dft_to_digits(const gmp_dft *d, uint64_t *z, const mp_limb_t *x, size_t n);

#endif
