/* roots.h: real roots of polynomials over Z: isolation, refinement, values at roots. All results
 * are exact or enclosures; GMP's functions on integers of any size do the arithmetic.
 *
 * A root T is v or -v, 1 / v or -1 / v with v in [0, 1]: its side. A polynomial f of formal degree
 * d becomes f(v), f(-v), v^d f(1 / v) or v^d f(-1 / v).
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFP_MODULAR_SYSTEM_ROOTS_H
#define GFP_MODULAR_SYSTEM_ROOTS_H

#include "modular/call.h"

typedef struct gfp_zside {
    bool negative, reversed;
} gfp_zside;

/* T = c / d if d > 0; v = c / 2^e if it is exact; otherwise v is in (c / 2^e, (c + 1) / 2^e), the
 * root of f there is the only one, and `sign` is the sign of f to the left of it. */
typedef struct gfp_zroot {
    mpz_t c, d;
    size_t e;
    gfp_zside side;
    bool exact; /* also for d > 0 */
    int sign;
    size_t part;        /* the caller's number of f */
    size_t parts, lost; /* of the refinement: log2 of the parts of an interval, see refine.c */
} gfp_zroot;

typedef struct gfp_zroots {
    gfp_zring *ring;
    gfp_zroot *root;
    size_t count, room;
} gfp_zroots;

void gfp_zroots_clear(gfp_zroots *roots);
/* Adds the real roots of f, which has no multiple root, as those of this part. many, unless it is
 * NULL: if f may have many real roots, none is added, and *many := true. Memory beyond the cap:
 * some integers. Errors: MEMORY, SIZE, CANCELLED. */
gfp_status gfp_zroots_isolate(gfp_zcall *call, gfp_zroots *roots, const gfp_zvec *f, size_t part,
                              bool *many);

/* Adds the root T = c / d, d > 0. Errors: MEMORY. */
gfp_status gfp_zroots_add_rational(gfp_zroots *roots, const mpz_t c, const mpz_t d, size_t part);
/* Adds rational roots of f, which has no multiple root, as those of this part; rest := the
 * quotient of f by them, of degree 0 if all roots are found. Memory beyond the cap: some integers.
 * Errors: MEMORY, SIZE, CANCELLED. */
gfp_status gfp_zroots_split(gfp_zcall *call, gfp_zroots *roots, gfp_zvec *rest, const gfp_zvec *f,
                            size_t part);

/* The sign of f at c / 2^e of this side; formal degree: that of f. */
int gfp_zroots_sign(const gfp_zvec *f, gfp_zside side, const mpz_t c, size_t e);
/* Refines the root of f to e >= bits, unless it is exact. Errors: CANCELLED. */
gfp_status gfp_zroots_refine(gfp_zcall *call, gfp_zroot *root, const gfp_zvec *f, size_t bits);

/* The values of f at all v of the root's interval, times 2^p, are in [low, high]; f has the formal
 * degree n and coefficients below 2^(bits - p). For T = c / d: both are d^n f(T). */
typedef struct gfp_zrange {
    mpz_t low, high;
} gfp_zrange;
void gfp_zroots_range(gfp_zrange *z, const gfp_zroot *root, const gfp_zvec *f, size_t n,
                      ptrdiff_t p);

/* z := coefficient i of f of formal degree n after the change to v. */
void gfp_zroots_coefficient(mpz_t z, const gfp_zvec *f, size_t n, gfp_zside side, size_t i);

#endif
