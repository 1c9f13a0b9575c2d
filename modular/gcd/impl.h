/* impl.h: greatest common divisors of primitive polynomials over Z: images, candidates, and the
 * proof of a candidate. calls.c has the public calls.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_GCD_IMPL_H
#define GFP_MODULAR_GCD_IMPL_H

#include "gfpoly/poly.h"

#include "modular/scalar.h"

/* Two primitive polynomials, neither constant, and what follows from them. */
typedef struct gfp_zoperands {
    gfp_zpoly a, b;
    size_t bits_a, bits_b;           /* of the greatest coefficients */
    gfp_znat lead;                   /* the greatest common divisor of the leading coefficients */
    double log2_lead;                /* not too small */
    double log2_norm_a, log2_norm_b; /* of a / lc(a), and b / lc(b); not too small */
} gfp_zoperands;

/* A primitive common divisor with a positive leading coefficient, and the cofactors. */
typedef struct gfp_zdivisor {
    gfp_zpoly g, u, v;
} gfp_zdivisor;

/* *proved := whether g, primitive, divides a; then u := a / g. The proof is by residues: g u = a
 * modulo primes whose product exceeds twice the bound of both sides. *block := one whose primes
 * refute the claim, if it is false. Errors: MEMORY, SIZE, CANCELLED. */
gfp_status gfp_zdivides(gfp_zcall *call, bool *proved, gfp_zpoly *u, gfp_zpoly a, gfp_zpoly g,
                        size_t *block);

/* The same for the quotient u modulo a product of primes above 2^bits, where a few coefficients of
 * a are much longer than the others: *u := the quotient if *proved; false: the primes are too few.
 */
gfp_status gfp_zcomplete(gfp_zcall *call, bool *proved, gfp_zpoly *u, gfp_zpoly a, gfp_zpoly g,
                         size_t bits);
/* *equal := whether g u = a, by the product. Errors: MEMORY, SIZE, CANCELLED. */
gfp_status gfp_zis_product(gfp_zcall *call, bool *equal, gfp_zpoly a, gfp_zpoly g, gfp_zpoly u);

/* Bits that a candidate is shorter than the product of its primes. */
#define GFP_ZGCD_GAP 32

/* The bits that the coefficients of (lead / lc(g)) g need with a sign, if deg g <= degree, g a
 * common divisor. */
double gfp_zgcd_bits(const gfp_zoperands *p, size_t degree);

/* d := the greatest common divisor by word-size primes. Counts unlucky primes. */
gfp_status gfp_zgcd_words(gfp_zcall *call, gfp_zdivisor *d, const gfp_zoperands *p);
/* *found := whether big primes gave the proved divisor d; false: they do not suffice. Counts
 * unlucky primes. */
gfp_status gfp_zgcd_big(gfp_zcall *call, bool *found, gfp_zdivisor *d, const gfp_zoperands *p);

/* Whether values at 2^step, step 8, 16 or 32, of p's operands, which have one width each, may prove
 * that they are coprime: the roots of one of them are short, and the values. */
bool gfp_zvalues_serve(const gfp_zoperands *p, unsigned step);
/* Whether they do; false: nothing is proved. */
bool gfp_zvalues_are_coprime(const gfp_zoperands *p, unsigned step);

/* *found := whether the gcd of the values at one power of two gave the proved divisor d. Errors:
 * those above; UNAVAILABLE: the values have more limbs than this. */
#define GFP_ZKRONECKER_LIMBS ((size_t)1 << 31)
gfp_status gfp_zgcd_kronecker(gfp_zcall *call, bool *found, gfp_zdivisor *d,
                              const gfp_zoperands *p);

/* *proved := whether the candidate, an integer multiple of a divisor's image, is a multiple of a
 * common divisor; then d := the primitive one with its cofactors. *block as above. */
gfp_status gfp_zgcd_prove(gfp_zcall *call, bool *proved, gfp_zdivisor *d, const gfp_zoperands *p,
                          gfp_zpoly candidate, size_t *block);

/* Images of multiples of a common divisor modulo the primes of a basis: l times the monic gcds. */
typedef struct gfp_zgcd_images {
    const gfp_words_basis *basis;
    const gfp_words *const *block; /* of the basis */
    const uint8_t *use;            /* a byte for each block: the primes of the basis */
    size_t count, len;
    const uint64_t *image; /* step words for each block */
    size_t step;
} gfp_zgcd_images;

/* The same where the divisor has long coefficients and a cofactor has not: by the cofactor. */
gfp_status gfp_zgcd_by_cofactor(gfp_zcall *call, bool *proved, gfp_zdivisor *d,
                                const gfp_zoperands *p, const gfp_zgcd_images *images);

#endif
