/* gfpoly/bipoly.h: dense polynomials in two variables X and Y over Z/pZ.
 *
 * A gfp_bipoly is an array of polynomials in X by power of Y. The leading term is that of the
 * lexicographic order with Y above X: the highest power of X at the highest power of Y.
 *
 * Options are those of a product (gfpoly/options.h). memory_cap counts all memory that the call
 * takes in addition to inputs, outputs, and what the field keeps. Each function says what verify
 * checks. Indices of coefficients in messages are powers.
 *
 * Outputs may equal inputs. Errors of all functions that return a status: FIELD_MISMATCH, SIZE,
 * MEMORY; those that take options also ARGUMENT (NULL), CANCELLED, VERIFY, UNKNOWN and UNAVAILABLE
 * (the method). Outputs are unchanged then.
 *
 * Costs: M(n) is a product of two polynomials of n terms; see docs/design/bivariate.md.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_BIPOLY_H
#define GFPOLY_BIPOLY_H

#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* ---- storage ---- */

/* coeff[j], j < len, is the polynomial in X at Y^j, over the same field; the last one is not 0 (len
 * 0 is the zero polynomial). The members may be read; change them through functions only (raw
 * access: gfp_bipoly_fit_length, change polynomials below the capacity, gfp_bipoly_set_length). */
typedef struct gfp_bipoly {
    const gfp_field *field;
    gfp_poly *coeff;
    size_t len;
    size_t capacity; /* polynomials in coeff, all of them initialised */
} gfp_bipoly;

/* The zero polynomial over field; allocates nothing and cannot fail. */
GFP_API void gfp_bipoly_init(gfp_bipoly *a, const gfp_field *field);
/* Frees the storage; a is the zero polynomial afterwards. */
GFP_API void gfp_bipoly_clear(gfp_bipoly *a);
/* Makes room for `capacity` powers of Y; contents and length unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_fit_length(gfp_bipoly *a, size_t capacity);
/* Declares that the first n <= capacity polynomials have been written, and drops leading zeros.
 * Errors: ARGUMENT (n > capacity); a is unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_set_length(gfp_bipoly *a, size_t n);
/* b := a. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_copy(gfp_bipoly *b, const gfp_bipoly *a);
/* Exchanges a and b, with their fields; cannot fail. */
GFP_API void gfp_bipoly_swap(gfp_bipoly *a, gfp_bipoly *b);
/* a := 0; the storage is kept. */
GFP_API void gfp_bipoly_zero(gfp_bipoly *a);
/* a := 1. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_one(gfp_bipoly *a);
/* Whether a = 0. */
GFP_API bool gfp_bipoly_is_zero(const gfp_bipoly *a);
/* Whether a = 1. */
GFP_API bool gfp_bipoly_is_one(const gfp_bipoly *a);
/* Whether a = b; false if the fields differ. */
GFP_API bool gfp_bipoly_equal(const gfp_bipoly *a, const gfp_bipoly *b);
/* The degree in X; -1 for the zero polynomial. Cost: a walk over the powers of Y. */
GFP_API ptrdiff_t gfp_bipoly_degree_x(const gfp_bipoly *a);
/* The degree in Y; -1 for the zero polynomial. */
GFP_API ptrdiff_t gfp_bipoly_degree_y(const gfp_bipoly *a);
/* a := len_y polynomials of len_x uniform coefficients each. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_random(gfp_bipoly *a, size_t len_x, size_t len_y,
                                                    gfp_random *g);

/* c := the polynomial in X at Y^j; 0 beyond the length. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_get_coeff(gfp_poly *c, const gfp_bipoly *a, size_t j);
/* Replaces the polynomial in X at Y^j; c may be one of a's coefficients. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_set_coeff(gfp_bipoly *a, size_t j, const gfp_poly *c);
/* b(X, Y) := a(Y, X). */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_transpose(gfp_bipoly *b, const gfp_bipoly *a);

/* ---- linear operations and values ---- */

/* c := a + b. Cost: a sum for each coefficient. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_add(gfp_bipoly *c, const gfp_bipoly *a,
                                                 const gfp_bipoly *b);
/* c := a - b. Cost: a difference for each coefficient. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_sub(gfp_bipoly *c, const gfp_bipoly *a,
                                                 const gfp_bipoly *b);
/* b := -a. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_neg(gfp_bipoly *b, const gfp_bipoly *a);
/* b := x a, x an element of k digits. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_scale(gfp_bipoly *b, const gfp_bipoly *a,
                                                   const uint64_t *x);
/* b := a divided by the coefficient of its leading term. Errors: NOT_INVERTIBLE for a = 0. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_make_monic(gfp_bipoly *b, const gfp_bipoly *a);
/* f := a(x, Y), a polynomial whose variable is Y; x is an element of k digits. Cost of this call
 * and the next two: a product in the field for each coefficient of a. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_eval_x(gfp_poly *f, const gfp_bipoly *a,
                                                    const uint64_t *x);
/* f := a(X, y); y is an element of k digits. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_eval_y(gfp_poly *f, const gfp_bipoly *a,
                                                    const uint64_t *y);
/* z := a(x, y); x, y and z are elements of k digits. */
GFP_API void gfp_bipoly_eval(uint64_t *z, const gfp_bipoly *a, const uint64_t *x,
                             const uint64_t *y);

/* ---- products ---- */

/* c := a b. By a product of polynomials in one variable with (1 + deg_X a + deg_X b) (1 + deg_Y a +
 * deg_Y b) terms (Kronecker's substitution), which takes nearly all the time; method "classical":
 * by products of all pairs of coefficients. verify checks the product as gfp_poly_mul does. Work
 * space: both packed factors and the packed product, and that of gfp_poly_mul of their lengths. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_mul(gfp_bipoly *c, const gfp_bipoly *a,
                                                 const gfp_bipoly *b, const gfp_options *options);
/* c := a^2. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_sqr(gfp_bipoly *c, const gfp_bipoly *a,
                                                 const gfp_options *options);
/* *yes := whether b divides a; then q (may be NULL) := a / b, else q is unchanged. 0 divides 0
 * alone, with quotient 0. Cost: a division with remainder of polynomials with (1 + deg_X a) (1 +
 * deg_Y a) and (1 + deg_X a) (1 + deg_Y b) terms, which verify checks as gfp_poly_divrem does. Work
 * space: these two, quotient and remainder, and that of gfp_poly_divrem of their lengths. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_divides(bool *yes, gfp_bipoly *q, const gfp_bipoly *a,
                                                     const gfp_bipoly *b,
                                                     const gfp_options *options);

/* ---- values at a geometric progression ---- */

/* values_(i len + j) := the coefficient of Y^j in a(start ratio^i, Y), i < n, j < len = a->len: n
 * len elements, start and ratio any elements. method is one with transforms that stay
 * (gfpoly/operand.h), or "classical", for a sum of products with powers for each value. verify: the
 * values of a(X, y) for a random y are checked as those of gfp_poly_eval_geometric are, and a
 * wrong result passes with probability len / p more; cross: those of each coefficient by the
 * definition. Cost: about 0.6 M(d) for d = 1 + deg_X a values of a coefficient. Work space: n len
 * elements for the result, and that of gfp_poly_eval_geometric. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_eval_geometric(uint64_t *values, const gfp_bipoly *a,
                                                            const uint64_t *start,
                                                            const uint64_t *ratio, size_t n,
                                                            const gfp_options *options);

/* ---- resultants ---- */

/* r := the resultant of a and b with respect to Y, a polynomial in X: of a and b as polynomials in
 * Y with degrees m = deg_Y a and n = deg_Y b, lc(a)^n times the product of the values of b at the
 * roots of a. 0 if an operand is 0; 1 if both have degree 0 in the variable.
 *
 * By resultants at D + 1 points of a geometric progression with a random start, where D is a bound
 * of the degree of r, at most n deg_X a + m deg_X b, at most n t_a + m t_b - m n for total degrees
 * t_a and t_b, and less where other weights of X and Y say so. threads share the points. Method
 * "classical", and a field with fewer than D + 2 elements: subresultants of polynomials with
 * coefficients in X. verify: the value of r at a random point is compared with the resultant there,
 * computed by gfp_poly_resultant with its own check; a wrong r passes with probability at most (D /
 * |S|)^points (see gfp_verify). cross compares with the classical algorithm. Cost: about 1.5 n^2
 * products in the field for each point, n <= m = n, less from n = 256 on, and the values. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_resultant_y(gfp_poly *r, const gfp_bipoly *a,
                                                         const gfp_bipoly *b,
                                                         const gfp_options *options);
/* r := the resultant of a and b with respect to X, a polynomial whose variable is Y; see
 * gfp_bipoly_resultant_y. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_resultant_x(gfp_poly *r, const gfp_bipoly *a,
                                                         const gfp_bipoly *b,
                                                         const gfp_options *options);

/* ---- greatest common divisors ---- */

/* g := the greatest common divisor of a and b, whose leading term has the coefficient 1 (FLINT's
 * convention with the order lex and Y above X); 0 if both are 0.
 *
 * By gcds of images, where the variable of higher degree has values in a geometric progression with
 * a random start; unlucky points are replaced. Method "classical", and fields with too few points:
 * subresultants. The result divides a and b, whatever verify says. verify checks both divisions,
 * gcds of contents and of leading coefficients, and compares the degree with that of a gcd at a
 * random point, each as gfp_poly_divrem and gfp_poly_gcd do. Cost, both operands of degree d in
 * both variables, with a gcd of degree d / 2: about d gcds of polynomials of degree d, and both
 * divisions. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_gcd(gfp_bipoly *g, const gfp_bipoly *a,
                                                 const gfp_bipoly *b, const gfp_options *options);

/* ---- text ---- */

/* One polynomial in X for each power of Y, from Y^0 on, each in one line and in the format of a
 * polynomial (gfp_poly_fread): GFP_FORMAT_FLINT or GFP_FORMAT_NTL; lines of white space do not
 * count. The zero polynomial is a line with the polynomial 0. Leading zeros are accepted and
 * removed, in X and in Y. Memory grows with the text that is read. Errors are those of
 * gfp_poly_fread, with line, column, offset, and the power of X as index; the message begins with
 * the power of Y. ARGUMENT: GFP_FORMAT_BINARY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_fread(gfp_bipoly *a, FILE *stream, gfp_format format,
                                                   gfp_error *error);
/* gfp_bipoly_fread in FLINT's format, over the field that the first line names: creates *field and
 * initialises *a over it (the caller destroys both). Errors also: those of gfp_field_create. On an
 * error *field and *a are unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_fread_field(gfp_bipoly *a, gfp_field **field,
                                                         FILE *stream,
                                                         const gfp_allocator *allocator,
                                                         gfp_error *error);
/* Writes a, with a newline at the end of each line. Errors: IO (see errno), MEMORY. Text written
 * before an error stays written. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_fwrite(const gfp_bipoly *a, FILE *stream,
                                                    gfp_format format);
/* gfp_bipoly_fread from the first length bytes of text. */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_from_string(gfp_bipoly *a, const char *text,
                                                         size_t length, gfp_format format,
                                                         gfp_error *error);
/* *text := what gfp_bipoly_fwrite writes, without the last newline; *size := its number of bytes
 * with terminator. gfp_string_free frees *text. Errors: SIZE, MEMORY, ARGUMENT (the format). */
GFP_API GFP_MUST_CHECK gfp_status gfp_bipoly_to_string(const gfp_bipoly *a, char **text,
                                                       size_t *size, gfp_format format);

GFP_END_DECLS
#endif
