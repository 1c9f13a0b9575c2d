/* gfpoly/zbipoly.h: dense polynomials in two variables X and Y over Z, and their resultants.
 *
 * A gfp_zbipoly is an array of polynomials in X by power of Y. The ring, options, the methods'
 * names, memory_cap and errors are those of gfpoly/zvec.h; outputs may equal inputs, and are
 * unchanged on an error.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_ZBIPOLY_H
#define GFPOLY_ZBIPOLY_H

#include "gfpoly/zvec.h"

GFP_BEGIN_DECLS

/* ---- storage ---- */

/* coeff[j], j < len, is the polynomial in X at Y^j, without zeros at the end, in its least width
 * or, if a few integers are much longer than the others, in widths of their own (zvec.h); the last
 * one is not 0 (len 0 is the zero polynomial). The members may be read; change them through
 * functions only. */
typedef struct gfp_zbipoly {
    gfp_zring *ring;
    gfp_zvec *coeff;
    size_t len;
    size_t capacity; /* vectors in coeff, all of them initialised */
} gfp_zbipoly;

/* a := 0 over the ring; allocates nothing and cannot fail. */
GFP_API void gfp_zbipoly_init(gfp_zbipoly *a, gfp_zring *ring);
/* Frees the storage; a is 0 afterwards. */
GFP_API void gfp_zbipoly_clear(gfp_zbipoly *a);
/* Replaces the polynomial in X at Y^j; c may be one of a's coefficients, and may have zeros at the
 * end. Errors: ARGUMENT (NULL), FIELD_MISMATCH (another ring), SIZE, MEMORY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zbipoly_set_coeff(gfp_zbipoly *a, size_t j,
                                                        const gfp_zvec *c);

/* ---- text ---- */

/* One polynomial in X for each power of Y, from Y^0 on, each in one line and in the format of
 * gfp_zvec_fread; lines of white space do not count. The zero polynomial is the line "0". Zeros at
 * the end are dropped, in X and in Y. Errors are those of gfp_zvec_fread, with line, column,
 * offset, and the power of X as index; the message begins with the power of Y. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zbipoly_fread(gfp_zbipoly *a, FILE *stream, gfp_error *error);
/* Writes a, with a newline at the end of each line, and flushes the stream. Errors: IO (see errno),
 * MEMORY. Text written before an error stays written. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zbipoly_fwrite(const gfp_zbipoly *a, FILE *stream);

/* ---- resultants ---- */

/* r := the resultant of a and b with respect to Y, a polynomial in X: the determinant of
 * Sylvester's matrix of a and b as polynomials in Y with degrees m = deg_Y a and n = deg_Y b. 0 if
 * an operand is 0; 1 if both have degree 0 in Y.
 *
 * Method "words": resultants at D + 1 roots of unity modulo each of B / 50 word-size
 * primes. D bounds the degree of r: at most n deg_X a + m deg_X b, at most n t_a + m t_b - m n for
 * total degrees t_a and t_b, and less where other weights of X and Y say so. B bounds the bits of
 * r. The images are determinants for the degrees m and n, whatever vanishes at a point or modulo a
 * prime: no point and no prime is unlucky. threads share points and primes. verify = point compares
 * r with resultants at a random point modulo each of eight random primes; verify = cross computes
 * the resultant of b and a modulo other primes. SIZE: D is more than about 10^6. Cost: about 1.5
 * n^2 products of words for each point and prime, n <= m = n, less from n = 640 on, and the values.
 *
 * With an operand of degree 0 or 1 in Y, auto computes a power of the operand, or a value of the
 * other one by products of halves; the report names "power" or "linear".
 *
 * Method "words_gpu": the same numbers; a GPU (gpu_device, gpu_memory_cap) computes the resultants
 * at points, and the CPU those with an irregular sequence of remainders. auto takes it for long
 * calls without memory_cap; if the GPU fails then, the CPU goes on, and the report names gpu_method
 * and gpu_error. Errors if it is named: UNAVAILABLE (no GPU, or more than some 900 coefficients in
 * Y), MEMORY, DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zbipoly_resultant_y(gfp_zvec *r, const gfp_zbipoly *a,
                                                          const gfp_zbipoly *b,
                                                          const gfp_options *options);

/* The operation on roots of a composed polynomial. */
typedef enum gfp_zcomposed {
    GFP_ZCOMPOSED_SUM = 0,
    GFP_ZCOMPOSED_DIFFERENCE,
    GFP_ZCOMPOSED_PRODUCT,
    GFP_ZCOMPOSED_QUOTIENT
} gfp_zcomposed;

/* c := the polynomial whose roots are all sums (differences, products, quotients) of a root u of a
 * and a root v of b, with multiplicities; m and n are the degrees:
 *
 *     SUM         the resultant of a(Y) and b(X - Y) with respect to Y: lc(a)^n lc(b)^m times the
 *                 product of all X - u - v
 *     DIFFERENCE  (-1)^(m n) times that of a(Y) and b(Y - X): lc(a)^n lc(b)^m times the product of
 *                 all X - u + v
 *     PRODUCT     that of a(Y) and Y^n b(X / Y): lc(a)^(n - z) lc(b)^m times the product of all
 *                 X - u v, z the multiplicity of the root 0 of b
 *     QUOTIENT    that of a(Y) and X^n b(Y / X): lc(a)^n b(0)^m times the product of all X - u / v
 *
 * 0 if an operand is 0. The minimal polynomial of a sum of algebraic numbers is a factor of the
 * composed sum of theirs, and so on. Options, errors and cost are those of gfp_zbipoly_resultant_y
 * with degree m n in X; 2^n may be a factor of coefficients of b(X - Y). Errors in addition:
 * ARGUMENT (no such operation; QUOTIENT: b has the root 0, and the index of the error is 1).
 * Source: Bostan, Flajolet, Salvy, Schost, 2006. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_composed(gfp_zvec *c, const gfp_zvec *a,
                                                    const gfp_zvec *b, gfp_zcomposed operation,
                                                    const gfp_options *options);

GFP_END_DECLS
#endif
