/* impl.h: resultants over Z by each method; calls.c has the public calls.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_RESULTANT_IMPL_H
#define GFP_MODULAR_RESULTANT_IMPL_H

#include "modular/residues.h"
#include "modular/scalar.h"

/* Two polynomials over Z, neither constant, and a bound: |res(a, b)| < 2^bits. */
typedef struct gfp_zpair {
    gfp_zpoly a, b;
    size_t bits;
} gfp_zpair;

/* r, gfp_z_width(bits) limbs, := the resultant, up to the fraction `to` of the call; by word-size
 * primes from block `first` on, or by big primes. Errors: MEMORY, SIZE, CANCELLED, UNAVAILABLE. */
gfp_status gfp_zresultant_words(gfp_zcall *call, uint64_t *r, const gfp_zpair *pair, size_t first,
                                double to);
gfp_status gfp_zresultant_big(gfp_zcall *call, uint64_t *r, const gfp_zpair *pair, double to);
/* The blocks that the resultant needs. */
size_t gfp_zresultant_blocks(const gfp_zpair *pair);

/* A resultant as (-1)^negative c_0^e_0 c_1^e_1 ... res(a, b)^power, a and b those of the pair:
 * powers of X, X^s for X, contents and constants are taken out of the operands. */
#define GFP_ZFACTORED 4
typedef struct gfp_zfactored {
    bool zero; /* both operands are multiples of X; nothing else is set */
    bool negative;
    gfp_zpair pair; /* without what is taken out; neither is constant if power > 0 */
    size_t power;
    size_t count;
    gfp_znat base[GFP_ZFACTORED];
    size_t exponent[GFP_ZFACTORED];
} gfp_zfactored;

/* f := that of operands other than 0. Errors: MEMORY, SIZE. */
gfp_status gfp_zresultant_factor(gfp_zcall *call, gfp_zfactored *f, gfp_zpoly a, gfp_zpoly b);
/* Whether one operand of the pair is linear, so that the resultant is a value of a form. */
static inline bool gfp_zpair_is_linear(const gfp_zpair *pair)
{
    return pair->a.len == 2 || pair->b.len == 2;
}
/* r, as above, := the resultant of a pair that is linear. */
gfp_status gfp_zresultant_linear(gfp_zcall *call, uint64_t *r, const gfp_zpair *pair, double to);
/* Compares r with the product of images modulo eight random primes; adds to the report. Errors:
 * VERIFY, MEMORY, CANCELLED. */
gfp_status gfp_zresultant_check(gfp_zcall *call, gfp_zpoly r, const gfp_zfactored *f);

/* z := the derivative of f, of length at least 2. Errors: MEMORY, SIZE. */
gfp_status gfp_zderivative(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly f);

/* Hadamard's bound for Sylvester's matrix. SIZE_MAX: the bits are no size. */
size_t gfp_zresultant_bits(gfp_zpoly a, gfp_zpoly b);

#endif
