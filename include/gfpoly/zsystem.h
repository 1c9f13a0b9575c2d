/* gfpoly/zsystem.h: systems of two polynomial equations F(X, Y) = G(X, Y) = 0 over Z with finitely
 * many solutions: all complex solutions with their multiplicities in rational univariate form, and
 * boxes that isolate the real solutions.
 *
 * A linear form T = s X + t Y takes different values at different solutions; s or t is 1. Each part
 * of the form is a polynomial f without multiple roots; each root of f is the value of T at one
 * solution (x(T) / q(T), y(T) / q(T)), and q has no root in common with f. All solutions of a part
 * have the same multiplicity. Results are exact and proved: no prime and no linear form is unlucky.
 *
 * Options are those of gfpoly/zvec.h. Errors of all functions: ARGUMENT (NULL), FIELD_MISMATCH,
 * SIZE, MEMORY, CANCELLED, VERIFY, UNKNOWN and UNAVAILABLE (the method). Outputs are unchanged
 * then.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_ZSYSTEM_H
#define GFPOLY_ZSYSTEM_H

#include "gfpoly/zbipoly.h"

GFP_BEGIN_DECLS

/* ---- the rational univariate form ---- */

/* deg f solutions. f is primitive and has a positive leading coefficient. x, y and q are those of
 * few bits that were found: the degree of f does not bound their degrees. */
typedef struct gfp_zsystem_part {
    size_t multiplicity;
    gfp_zvec f, x, y, q;
} gfp_zsystem_part;

/* The members may be read; functions change them. */
typedef struct gfp_zsystem {
    gfp_zring *ring;
    int64_t s, t;  /* T = s X + t Y; s or t is 1 */
    size_t degree; /* solutions, each counted with its multiplicity */
    size_t count;  /* parts, ordered by multiplicity; 0: the system has no solution */
    gfp_zsystem_part *part;
} gfp_zsystem;

/* s := no solutions; allocates nothing and cannot fail. */
GFP_API void gfp_zsystem_init(gfp_zsystem *s, gfp_zring *ring);
/* Frees the storage; s has no solutions afterwards. */
GFP_API void gfp_zsystem_clear(gfp_zsystem *s);
/* The number of different solutions. */
GFP_API size_t gfp_zsystem_solutions(const gfp_zsystem *s);

/* s := the solutions of f = g = 0. Multiplicities are intersection multiplicities; for total
 * degrees m and n, degree is m n less the multiplicities at infinity.
 *
 * verify = point compares, modulo eight random primes and at random points, the product of all f
 * with the resultant of f and g, and s x + t y with T q (nothing with y for t = 0, or with x for s
 * = 0); verify = cross, in addition, the numbers of solutions of each multiplicity with those of
 * another linear form. Errors: ARGUMENT also for polynomials that are 0 (index: which one) and for
 * systems with infinitely many solutions. Cost: that of the resultant of f and g with respect to X
 * or Y where a projection separates the solutions and one leading coefficient is constant,
 * otherwise of polynomials of total degrees m and n; and of a subresultant of index k for each k up
 * to the greatest degree of a common divisor of f and g over a value of T; 1 in general. Source:
 * docs/design/systems.md.
 */
GFP_API GFP_MUST_CHECK gfp_status gfp_zsystem_solve(gfp_zsystem *s, const gfp_zbipoly *f,
                                                    const gfp_zbipoly *g,
                                                    const gfp_options *options);

/* Writes lines of text, and flushes the stream: "s", a space, s, unless s = 1; "t", a space, t;
 * then for each part "multiplicity" with the number, and "f", "q", "x", "y" with the polynomials as
 * gfp_zvec_fwrite writes them. Errors: IO (see errno), MEMORY. Text written before an error stays
 * written. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zsystem_fwrite(const gfp_zsystem *s, FILE *stream);

/* ---- boxes of the real solutions ---- */

/* Solution i belongs to part part[i] of the system. Its box has the bounds x_low, x_high, y_low,
 * y_high: integers number 4 i to 4 i + 3 of bounds, divided by 2^scale. */
typedef struct gfp_zboxes {
    gfp_zring *ring;
    size_t count;
    size_t *part;
    gfp_zvec bounds;
    size_t scale;
} gfp_zboxes;

/* b := no boxes; allocates nothing and cannot fail. */
GFP_API void gfp_zboxes_init(gfp_zboxes *b, gfp_zring *ring);
GFP_API void gfp_zboxes_clear(gfp_zboxes *b);

/* b := boxes of the real solutions of s, one for each: a solution lies in its box, and no two boxes
 * have a common point. Both sides are at most 2^-bits. Boxes are ordered by x_low, then by y_low.
 *
 * Boxes are proved by exact arithmetic and enclosures; method and verify are not read. Errors: SIZE
 * (bits above 2^30). The memory of GMP's integers, of the size of boxes, is estimated for the cap.
 * Rational roots of f are split off if the signs of its coefficients allow more than some real
 * roots. Cost, with n = deg f without them: up to four Taylor shifts, n^2 / 2 additions of numbers
 * of n bits more than the coefficients, and n^2 / 2 additions of some words for each interval that
 * is halved, some for each root. Source: docs/design/systems.md. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zsystem_boxes(gfp_zboxes *b, const gfp_zsystem *s,
                                                    size_t bits, const gfp_options *options);
/* Writes a line for each box: the multiplicity, x_low, x_high, y_low, y_high as decimal fractions,
 * rounded outwards, with enough digits that boxes still have no common point. s: the system of the
 * boxes. Errors: those of gfp_zsystem_fwrite; ARGUMENT also if s has fewer parts. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zboxes_fwrite(const gfp_zboxes *b, const gfp_zsystem *s,
                                                    FILE *stream);
/* The least bits for which sides are at most 10^-digits, also when gfp_zboxes_fwrite has rounded
 * them. */
GFP_API size_t gfp_zboxes_bits(size_t digits);

GFP_END_DECLS
#endif
