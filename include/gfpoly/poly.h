/* gfpoly/poly.h: dense univariate polynomials over Z/pZ: storage, arithmetic, products by several
 * independent methods with verification at run time, and text.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_POLY_H
#define GFPOLY_POLY_H

#include <stdio.h>

#include "gfpoly/elem.h"
#include "gfpoly/operand.h"
#include "gfpoly/product.h"

GFP_BEGIN_DECLS

/* A polynomial: len coefficients of k canonical digits each, constant term first; the last one is
 * nonzero (len 0 is the zero polynomial). The members may be read; change them through functions
 * only (raw access: gfp_poly_fit_length, write to digits, gfp_poly_set_length). */
typedef struct gfp_poly {
    const gfp_field *field;
    uint64_t *digits;
    size_t len;
    size_t capacity; /* coefficients that fit into digits */
} gfp_poly;

/* The zero polynomial over field; allocates nothing and cannot fail. */
GFP_API void gfp_poly_init(gfp_poly *a, const gfp_field *field);
/* Frees the storage; a is the zero polynomial afterwards. */
GFP_API void gfp_poly_clear(gfp_poly *a);
/* Makes room for `capacity` coefficients; contents and length unchanged. Errors: SIZE, MEMORY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_fit_length(gfp_poly *a, size_t capacity);
/* Declares that the first n <= capacity coefficients have been written, and drops leading zeros.
 * Errors: ARGUMENT (n > capacity), RANGE (a coefficient is not canonical); a is unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_set_length(gfp_poly *a, size_t n);
/* Errors of the functions below: FIELD_MISMATCH if operands are over different fields, SIZE,
 * MEMORY. Outputs may equal inputs. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_set(gfp_poly *b, const gfp_poly *a);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_one(gfp_poly *a);
GFP_API bool gfp_poly_is_one(const gfp_poly *a);
/* False if the fields differ. */
GFP_API bool gfp_poly_equal(const gfp_poly *a, const gfp_poly *b);

/* a := 0; a keeps its storage. */
static inline void gfp_poly_zero(gfp_poly *a)
{
    a->len = 0;
}

/* Exchanges a and b, their fields included. */
static inline void gfp_poly_swap(gfp_poly *a, gfp_poly *b)
{
    const gfp_poly t = *a;
    *a = *b;
    *b = t;
}

/* len - 1; -1 for the zero polynomial. */
static inline ptrdiff_t gfp_poly_degree(const gfp_poly *a)
{
    return (ptrdiff_t)a->len - 1;
}

static inline bool gfp_poly_is_zero(const gfp_poly *a)
{
    return a->len == 0;
}

/* a := len uniform coefficients (the polynomial is shorter when the last are 0). */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_random(gfp_poly *a, size_t len, gfp_random *g);

/* Coefficient access. get gives 0 beyond the length; set extends the polynomial with zeros and
 * normalises it; integers are reduced modulo p. Errors: RANGE (digits that are not canonical),
 * SIZE, MEMORY. */
GFP_API void gfp_poly_get_coeff(uint64_t *x, const gfp_poly *a, size_t i);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_set_coeff(gfp_poly *a, size_t i, const uint64_t *x);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_set_coeff_u64(gfp_poly *a, size_t i, uint64_t value);
static inline GFP_MUST_CHECK gfp_status gfp_poly_set_coeff_si(gfp_poly *a, size_t i, int64_t value)
{
    uint64_t x[GFP_MAX_K];
    gfp_elem_set_si(a->field, x, value);
    return gfp_poly_set_coeff(a, i, x);
}

/* set: a := the polynomial with n coefficients given as integers; get: the inverse. See
 * gfp_vec_set_limbs. Errors: RANGE (a coefficient is not below p; error->index is the first), SIZE,
 * MEMORY; a is unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_set_limbs(gfp_poly *a, const uint64_t *limbs,
                                                     size_t size, size_t step, size_t n,
                                                     gfp_error *error);
/* a->len coefficients of gfp_field_limbs words each, at limbs + i step. */
static inline void gfp_poly_get_limbs(uint64_t *limbs, size_t step, const gfp_poly *a)
{
    gfp_vec_get_limbs(a->field, limbs, step, a->digits, a->len);
}

/* b := a mod X^n; b := a X^n; b := a div X^n; b := X^(n-1) a(1/X) for a mod X^n. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_truncate(gfp_poly *b, const gfp_poly *a, size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_shift_left(gfp_poly *b, const gfp_poly *a, size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_shift_right(gfp_poly *b, const gfp_poly *a, size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_reverse(gfp_poly *b, const gfp_poly *a, size_t n);
/* b := a divided by its leading coefficient. Errors: NOT_INVERTIBLE for a = 0. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_make_monic(gfp_poly *b, const gfp_poly *a);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_add(gfp_poly *c, const gfp_poly *a, const gfp_poly *b);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_sub(gfp_poly *c, const gfp_poly *a, const gfp_poly *b);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_neg(gfp_poly *b, const gfp_poly *a);
/* b := x a, x an element of k digits. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_scalar_mul(gfp_poly *b, const gfp_poly *a,
                                                      const uint64_t *x);
/* y := a(x), by Horner's rule: len general products, about 0.1 us each at k = 8, 1 us at k = 32, 10
 * us at k = 128. Does not call gfp_progress: 2^16 terms take 7 ms, 70 ms, 0.7 s. A program that
 * cannot wait this long evaluates blocks of the coefficients and joins them by powers of x. */
GFP_API void gfp_poly_eval(uint64_t *y, const gfp_poly *a, const uint64_t *x);

/* ---- products ---- */

/* c := a b. Errors: FIELD_MISMATCH, UNKNOWN (method), UNAVAILABLE (the method cannot serve this
 * problem; the error has the reason), VERIFY (the result failed its verification and is discarded),
 * CANCELLED (by options->progress), SIZE, MEMORY, DEVICE (options name a method on a GPU, and the
 * GPU failed; if the chooser picked the method, the CPU computes instead, see gfp_report). Cost:
 * gfp_method_query's estimate.
 *
 * Progress: between two calls of gfp_progress some 0.2 ms pass. Exceptions: hybrid up to a 16th of
 * the product (a leaf; a 4th and an 8th at k = 2 and 4); multimodular and crt the product modulo
 * one prime; flint the whole product (FLINT cannot be interrupted); methods on a GPU a transfer.
 *
 * FLINT: the methods based on FLINT are the exception to "never aborts": FLINT and GMP abort the
 * process when memory runs out inside them. A thread that has used these methods should call
 * FLINT's flint_cleanup before it ends. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_mul(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                                               const gfp_options *options);
/* c := a^2. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_sqr(gfp_poly *c, const gfp_poly *a,
                                               const gfp_options *options);
/* Parts of a product; errors as gfp_poly_mul. Verification checks the part alone. n coefficients
 * from either end of a product of two factors of length n take 0.5 to 0.65 of the product's time
 * with classical and karatsuba. The transforms of the other methods save almost nothing: they
 * compute nearly the whole product. memory_cap includes everything computed in addition to the
 * part; if it is too small, the part is computed in blocks, or refused. */
/* c := a b mod X^n. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_mullow(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                                                  size_t n, const gfp_options *options);
/* c := a b div X^n: the coefficients from X^n on. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_mulhigh(gfp_poly *c, const gfp_poly *a,
                                                   const gfp_poly *b, size_t n,
                                                   const gfp_options *options);
/* c := (a b div X^from) mod X^n: coefficients from <= i < from + n of a b, for any from and n. With
 * a of length 2n - 1, b of length n and from = n - 1 this is the middle product, the transpose of
 * multiplication by b. It costs about as much as a product of n by n: hybrid computes modulo X^(2n)
 * - 1, where no coefficient wraps around into the result. Other shapes gain likewise. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_mulmid(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                                                  size_t from, size_t n,
                                                  const gfp_options *options);

/* Checks c = a b for a product computed elsewhere: CROSS if options->verify says so, else (and with
 * NULL) at points; options->method is ignored. Errors: VERIFY (c is not a b, has the wrong length,
 * or digits that are not canonical), FIELD_MISMATCH, UNAVAILABLE, CANCELLED, SIZE, MEMORY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_verify_mul(const gfp_poly *c, const gfp_poly *a,
                                                      const gfp_poly *b,
                                                      const gfp_options *options);

/* ---- operands (gfpoly/operand.h) ---- */

/* x := a. Errors: FIELD_MISMATCH, SIZE (a is longer than the space), MEMORY; x is unchanged
 * then. A transform that began and failed (CANCELLED, MEMORY, DEVICE) leaves x = 0. Cost: about a
 * quarter of a product; on a GPU a copy. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_to_operand(gfp_operand *x, const gfp_poly *a,
                                                      const gfp_options *options);
/* c := coefficients from <= i < from + n of x, that is (x div X^from) mod X^n; from = 0 and n =
 * SIZE_MAX give all of x. Errors: FIELD_MISMATCH, SIZE, MEMORY, CANCELLED, VERIFY; c is unchanged
 * then. Cost: about 0.35 of a product for any n. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_from_operand(gfp_poly *c, size_t from, size_t n,
                                                        const gfp_operand *x,
                                                        const gfp_options *options);
/* The same for x[0] y[0] + ... + x[count - 1] y[count - 1], count >= 1. Faster than
 * GFP_OPERAND_ADDMUL, since no sum is written to memory in between. If the method has no such sums
 * (bigfft, GPU), or an operand is itself a product, the products are added up in an operand;
 * gfp_progress is then called between them. Errors also: ARGUMENT (count 0, or operands of
 * different spaces), and those of gfp_operand_arith. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_dot_operands(gfp_poly *c, size_t from, size_t n,
                                                        const gfp_operand *const *x,
                                                        const gfp_operand *const *y, size_t count,
                                                        const gfp_options *options);
/* The same for a x; c may be a. Cost: 0.75 of a product, less than with an operand for a. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_mul_operand(gfp_poly *c, size_t from, size_t n,
                                                       const gfp_poly *a, const gfp_operand *x,
                                                       const gfp_options *options);

/* ---- text ---- */

typedef enum gfp_format {
    GFP_FORMAT_FLINT = 0, /* "length modulus  c0 c1 ...", as FLINT prints an fmpz_mod_poly */
    GFP_FORMAT_NTL = 1,   /* "[c0 c1 ...]", as NTL prints a ZZ_pX; the field is not in the text */
    GFP_FORMAT_BINARY = 2 /* not text: digits as gfpoly/file.h describes them, with the field and
                             checksums; for streams only, ARGUMENT for strings */
} gfp_format;

/* Reads one polynomial up to the end of the stream, in constant space in addition to the result.
 * White space (CR LF included) separates numbers. Leading zero coefficients are accepted and
 * removed. Anything but white space after the last number is an error. Memory grows with the text
 * read, whatever the header says: at most 2.5 times the result. *stored_length (may be NULL): the
 * number of coefficients in the text, leading zeros included. Errors, each with line, column,
 * offset, and index of the coefficient in *error: PARSE (empty, not a number, sign, NUL byte, too
 * few or too many coefficients), RANGE (coefficient >= p), FIELD_MISMATCH (the modulus is another
 * prime than that of a's field), IO, SIZE, MEMORY. a is unchanged then. Reading and writing do not
 * call gfp_progress: a program can make its stream fail (close the other end, or use a stream of
 * its own), which ends the call with IO. Binary format: any byte after the last coefficient is an
 * error, line and column are 0, PARSE also means a damaged file, RANGE digits that are not
 * canonical. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_fread(gfp_poly *a, size_t *stored_length, FILE *stream,
                                                 gfp_format format, gfp_error *error);
/* gfp_poly_fread for the formats that name the field: FLINT's, and the binary one, which the first
 * byte identifies. Creates *field and initialises *a over it (the caller destroys both). Errors
 * also: those of gfp_field_create. On an error *field and *a are unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_fread_field(gfp_poly *a, gfp_field **field,
                                                       size_t *stored_length, FILE *stream,
                                                       const gfp_allocator *allocator,
                                                       gfp_error *error);
/* Writes a, as text with a newline at the end, in constant space. Errors: IO (see errno), MEMORY.
 * Text written before an error stays written. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_fwrite(const gfp_poly *a, FILE *stream,
                                                  gfp_format format);
/* Writes the first n coefficients of a vector of elements, zeros included, such as a transform. */
GFP_API GFP_MUST_CHECK gfp_status gfp_vec_fwrite(const gfp_field *field, const uint64_t *x,
                                                 size_t n, FILE *stream, gfp_format format);
/* The same texts from and to strings, without the newline. to_string allocates *text through the
 * field's allocator, and gfp_free frees it; *size is its number of bytes with the terminator. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_from_string(gfp_poly *a, const char *text, size_t length,
                                                       gfp_format format, gfp_error *error);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_to_string(char **text, size_t *size, const gfp_poly *a,
                                                     gfp_format format);

GFP_END_DECLS
#endif
