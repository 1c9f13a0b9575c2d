/* gfpoly/zvec.h: vectors of integers, and polynomials over Z as vectors of their coefficients:
 * products, greatest common divisors, resultants. Results are computed modulo primes and put
 * together by the Chinese remainder theorem; they are never wrong because a prime was unlucky.
 *
 * A gfp_zring stands for Z: it keeps the primes, tables and fields that calls over Z use. Threads
 * may share it. A gfp_zvec has len integers of `width` limbs of 64 bits each in two's complement,
 * least significant limb first, one after the other. If a few integers are much longer than the
 * others, width is 0 and each integer has a number of limbs of its own: integer i begins at
 * limbs + limbs[i] and ends before limbs + limbs[i + 1], where the limbs 0 ... len are these
 * offsets. gfp_zvec_get reads both layouts. Results have width 0 if that takes at most a fourth of
 * the memory, 32 KiB of it or more. Polynomials have the
 * constant coefficient first; zeros at the end are allowed in inputs, results have none. The width
 * of a result is the least for its bits (gfp_zvec_bits) and a sign; that of a product, for the
 * bound of its bits.
 *
 * Options are those of a product (gfpoly/options.h). method names a strategy: "words" (word-size
 * primes and the Chinese remainder theorem), "big" (one named prime p = r^k + 1 that suffices, else
 * several big primes, named ones and those in stock (gfpoly/primes.h)), "kronecker" (one product or
 * one gcd of integers; products and gcds alone), "classical" (by the definition; short products
 * alone), "short" (by two to six word-size primes; products alone), "flint" (FLINT's own function,
 * where it is built in), NULL or "auto": by measured cut-offs of lengths and bits. The report has
 * the strategy in `method`, or the formula where nothing is left to a strategy: "content" (a gcd
 * with a constant), "power" (a resultant with a constant), "linear" (auto: a resultant with a
 * linear operand). Before any strategy, powers of X and contents come out of the operands of gcds
 * and resultants, and X stands for X^s if both are polynomials in X^s. threads = 0 is one thread.
 * memory_cap counts all memory that the call takes in addition to inputs, outputs, and what the
 * ring keeps (2 KiB of primes for each 398 bits of the longest result, their tables of at most 64
 * MiB, a work area, fields); a table of primes, at most some MB, may exceed the cap for a moment
 * before the call is refused. gpu_ members are read by bivariate resultants alone.
 *
 * verify = point compares modulo eight primes of 50 bits that are drawn at random, by verify_seed.
 * The report has in points 8, or 2 where short and long coefficients are multiplied apart, and in
 * log2_error, at most -40, the logarithm of the probability that a wrong result passes. cross: a
 * second strategy computes the result again; of a resultant, without FLINT, word-size primes other
 * than those before.
 *
 * Outputs may equal inputs. Errors of all functions: ARGUMENT (NULL), FIELD_MISMATCH (vectors of
 * different rings), SIZE, MEMORY, CANCELLED, VERIFY; UNKNOWN and UNAVAILABLE (the method). Outputs
 * are unchanged then. FLINT and GMP abort the process if memory runs out inside them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_ZVEC_H
#define GFPOLY_ZVEC_H

#include <stdio.h>

#include "gfpoly/options.h"

GFP_BEGIN_DECLS

/* ---- the ring ---- */

typedef struct gfp_zring gfp_zring;

/* *ring := Z. allocator: NULL for malloc; it must outlive the ring. Errors: MEMORY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zring_create(gfp_zring **ring, const gfp_allocator *allocator,
                                                   gfp_error *error);
/* NULL is allowed. All vectors over the ring must be cleared before. */
GFP_API void gfp_zring_destroy(gfp_zring *ring);

/* ---- vectors ---- */

typedef struct gfp_zvec {
    gfp_zring *ring;
    uint64_t *limbs;
    size_t len;   /* integers */
    size_t width; /* limbs of an integer; 0: they differ */
    size_t alloc; /* limbs that the memory holds */
} gfp_zvec;

/* z := the empty vector over the ring; allocates nothing and cannot fail. */
GFP_API void gfp_zvec_init(gfp_zvec *z, gfp_zring *ring);
/* Frees the storage; z is empty afterwards. */
GFP_API void gfp_zvec_clear(gfp_zvec *z);
/* Exchanges a and b; cannot fail. */
GFP_API void gfp_zvec_swap(gfp_zvec *a, gfp_zvec *b);
/* z := len integers of width limbs, laid out as above, which may be z's own; no integers get the
 * width 1. Errors: SIZE, MEMORY, ARGUMENT (NULL, width = 0). */
GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_set_limbs(gfp_zvec *z, const uint64_t *limbs, size_t len,
                                                     size_t width);
/* z := len integers, integer i of widths[i] limbs, one after the other, in the layout of results.
 * z's own limbs are not allowed. Errors: SIZE, MEMORY, ARGUMENT (NULL, a width 0). */
GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_set_ragged(gfp_zvec *z, const uint64_t *limbs,
                                                      const size_t *widths, size_t len);
/* Returns the limbs of integer i < len, which belong to a; *width := their number. */
GFP_API const uint64_t *gfp_zvec_get(size_t *width, const gfp_zvec *a, size_t i);
/* z := a, which may be over another ring. Errors: ARGUMENT (NULL), SIZE, MEMORY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_set(gfp_zvec *z, const gfp_zvec *a);
/* Whether both have the same integers, widths and zeros at the end apart; false if the rings
 * differ. */
GFP_API bool gfp_zvec_equal(const gfp_zvec *a, const gfp_zvec *b);
/* The bits of the greatest absolute value; 0 if all are 0. */
GFP_API size_t gfp_zvec_bits(const gfp_zvec *a);

/* ---- text ---- */

/* The format of FLINT's fmpz_poly: the length, then the coefficients in decimal, a minus sign
 * before negative ones: "3  -1 0 2". White space of any kind separates the numbers; one more space
 * after the length is customary.
 *
 * z := the polynomial that the rest of the stream or the text holds; zeros at the end are dropped,
 * and *stored_length (may be NULL) is the length in the text. Errors: PARSE (also a number or a
 * character too many), SIZE, MEMORY, IO; *error then names line, column, offset, and the index of
 * the coefficient. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_fread(gfp_zvec *z, size_t *stored_length, FILE *stream,
                                                 gfp_error *error);
GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_from_string(gfp_zvec *z, const char *text, size_t length,
                                                       gfp_error *error);
/* Writes the polynomial a and a newline, and flushes the stream. Errors: IO (with errno), MEMORY.
 */
GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_fwrite(const gfp_zvec *a, FILE *stream);
/* *text := the same text without the newline, from the ring's allocator; *size := its bytes with
 * the terminator; gfp_free frees the text. Errors: SIZE, MEMORY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_to_string(char **text, size_t *size, const gfp_zvec *a);

/* ---- polynomials over Z ---- */

/* c := a b. Cost and choice: docs/design/modular.md. Further strategies of products: "classical"
 * (by the definition: a factor of at most 16 coefficients, or factors of one limb and products
 * below 2^127), "short" (coefficients below 2^142, products below 2^285, by two to six primes) and
 * "kronecker" (one product of integers by GMP). verify = point compares values at random points
 * modulo eight random word-size primes; verify = cross, products by two strategies.
 *
 * If a few coefficients are much longer than the others, the method "auto" multiplies short and
 * long ones separately where that takes less time: the report says "split", and verify = point
 * compares values modulo two random primes of 62 bits. Named methods and verify = cross compute in
 * one width. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_mul(gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                                               const gfp_options *options);

/* g := the greatest common divisor in Z[X], u := a / g and v := b / g (0 if g = 0), or without
 * quotients if u and v are both NULL. Outputs differ from each other. g includes the gcd of the
 * contents; its leading coefficient is positive; gcd(0, 0) = 0. The divisor is proved: primes
 * modulo which the degree is too high are detected, and both quotients are computed and verified
 * exactly, by residues modulo more primes than the bits of what could differ; "kronecker" divides
 * the integers exactly, and multiplies polynomials where digits do not show the product. The report
 * counts the unlucky primes of any method but "flint", which others replaced. "big", "kronecker":
 * if they do not find the divisor, word-size primes do, and the report says "words". "big" begins
 * at primes that verify_seed draws, if verify_seed is not 0: an input made for some primes meets
 * others then, which saves time; the result is proved anyway. Cost of operands of degree d and tau
 * bits, a divisor of b bits with the gcd of the leading coefficients: about (b + tau / 3) / 398 + 1
 * images of d^2 vectors of products. Source: docs/design/modular.md. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_gcd_cofactors(gfp_zvec *g, gfp_zvec *u, gfp_zvec *v,
                                                         const gfp_zvec *a, const gfp_zvec *b,
                                                         const gfp_options *options);

/* g := the greatest common divisor, without the cofactors. */
static inline GFP_MUST_CHECK gfp_status gfp_zvec_gcd(gfp_zvec *g, const gfp_zvec *a,
                                                     const gfp_zvec *b, const gfp_options *options)
{
    return gfp_zvec_gcd_cofactors(g, NULL, NULL, a, b, options);
}

/* r, one integer (none: 0), := the resultant of a and b; conventions of gfp_poly_resultant: 0 if an
 * operand is 0, b^deg(a) for a constant b other than 0. The number of primes follows from
 * Hadamard's bound, and no prime is unlucky. "words": SIZE beyond 23 million bits. "big":
 * UNAVAILABLE beyond 1.4 million bits. Cost: an image, d^2 / 2 vectors of three products, for each
 * 398 bits of the bound. With a linear operand auto computes a value of the other one by products
 * of halves: log2(d) products of the result's size. verify = cross compares what contents and
 * powers leave to a strategy. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_resultant(gfp_zvec *r, const gfp_zvec *a,
                                                     const gfp_zvec *b, const gfp_options *options);
/* r := the discriminant of f, as gfp_poly_discriminant defines it. Cost: that of a resultant. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_discriminant(gfp_zvec *r, const gfp_zvec *f,
                                                        const gfp_options *options);
/* r := the greatest common divisor of the coefficients, not negative, by GMP. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_content(gfp_zvec *r, const gfp_zvec *f,
                                                   const gfp_options *options);

/* ---- rational numbers ---- */

/* num, den := the fractions num_i / den whose residues modulo m are a_i, the vector `residues`:
 * num_i = den a_i modulo m, |num_i| <= N = max_num, 0 < den <= D = max_den, and no integer above 1
 * divides den and all num_i. N >= 0, D > 0 and m > 0 are vectors of one integer (none: 0), and 2 N
 * D < m: the fractions are unique. Both bounds NULL: the square root of (m - 1) / 2. Residues may
 * have any sign and size; num has no zeros at the end. Outputs are two vectors, and may equal
 * inputs. Every result is proved: verify and method are not read. Errors: NOT_INVERTIBLE (no such
 * fractions exist; error->index names the first residue without one), ARGUMENT (the bounds, the
 * modulus). Cost: two products and remainders modulo m for each residue, and for each that makes
 * den greater a quadratic Euclidean algorithm, 32 bits a step. Source: Wang; Lehmer. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_reconstruct(
    gfp_zvec *num, gfp_zvec *den, const gfp_zvec *residues, const gfp_zvec *modulus,
    const gfp_zvec *max_num, const gfp_zvec *max_den, const gfp_options *options);

GFP_END_DECLS
#endif
