/* zsystem.h: systems of two polynomials over Z: the steps of gfp_zsystem_solve, whose call is in
 * zsystem_calls.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_ZSYSTEM_H
#define GFP_ZSYSTEM_H

#include "gfpoly/zsystem.h"
#include "zcall.h"

/* ---- vectors for the time of a call (zlinear.c) ---- */

/* A vector whose bytes count for the cap of the call. */
typedef struct gfp_ztemp {
    gfp_zvec v;
    size_t held; /* bytes that are counted */
} gfp_ztemp;

void gfp_ztemp_init(gfp_zcall *call, gfp_ztemp *t);
/* Counts the bytes that t has now. Errors: MEMORY. */
gfp_status gfp_ztemp_count(gfp_zcall *call, gfp_ztemp *t);
void gfp_ztemp_clear(gfp_zcall *call, gfp_ztemp *t);

/* z := the derivative of a. z may be a. Errors: SIZE, MEMORY. */
gfp_status gfp_zvec_derivative(gfp_zvec *z, const gfp_zvec *a);
/* z := u X^shift a + v b; z may be a or b. Errors: SIZE, MEMORY. */
gfp_status gfp_zvec_combine(gfp_zvec *z, int64_t u, const gfp_zvec *a, size_t shift, int64_t v,
                            const gfp_zvec *b);

/* ---- steps ---- */

/* The total degree of f; -1 for 0. */
ptrdiff_t gfp_zbipoly_total_degree(const gfp_zbipoly *f);
/* z := f(X - t Y, Y), of total degree n; its degree in Y is n if and only if the form of f of this
 * degree is not 0 at (-t, 1). Errors: SIZE, MEMORY. */
gfp_status gfp_zbipoly_shear(gfp_zcall *call, gfp_zbipoly *z, const gfp_zbipoly *f, int64_t t);

/* Adds a part of this multiplicity with zeros for polynomials. Errors: MEMORY. */
gfp_status gfp_zsystem_append(gfp_zsystem *s, size_t multiplicity, gfp_zsystem_part **part);

/* Adds a part to s for each multiplicity of roots of f: f is their product with these exponents. f
 * is primitive of positive degree, its leading coefficient positive. The step ends at the fraction
 * `to` of the call. Errors: those of gfp_zvec_gcd. */
gfp_status gfp_zsquarefree(gfp_zcall *call, gfp_zsystem *s, const gfp_zvec *f, double to);

/* A system after a shear: total degrees are degrees in Y, b has the lower one. */
typedef struct gfp_zsheared {
    gfp_zbipoly a, b;
    int64_t t;
    gfp_zvec content; /* of the resultant, with its sign */
} gfp_zsheared;

/* s := the parts of the system, and *separates := true; or false if X + t Y has one value at two
 * solutions. Errors: ARGUMENT (infinitely many solutions), those of gfp_zvec_gcd. */
gfp_status gfp_zsystem_decompose(gfp_zcall *call, gfp_zsystem *s, gfp_zsheared *sheared,
                                 bool *separates, double to);
/* Replaces x, y and q by shorter functions if the degree of q is not below that of f. content: that
 * of the resultant; t: of the linear form; to: the fraction of the call at the end. Errors: those
 * of gfp_zvec_gcd. */
gfp_status gfp_zsystem_shorten(gfp_zcall *call, gfp_zsystem_part *part, const gfp_zvec *content,
                               int64_t t, double to);
/* Compares values at random points modulo eight random primes; adds to the report. Errors: VERIFY,
 * MEMORY, UNAVAILABLE (no seed). */
gfp_status gfp_zsystem_check(gfp_zcall *call, const gfp_zsystem *s, const gfp_zsheared *sheared,
                             const gfp_zbipoly *f, const gfp_zbipoly *g);

#endif
