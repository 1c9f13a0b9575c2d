/* gfpoly/elem.h: elements of Z/pZ and arrays of elements.
 *
 * An element is k 64-bit digits in radix r, least significant first, in canonical form: every digit
 * in [0, r), or the one special element r^k = p - 1 = -1 with top digit r and all others 0. An
 * array (vec) of n elements is n*k digits, element after element. Pointers need the alignment of
 * uint64_t only. Inputs must be canonical unless a function's comment says otherwise; outputs
 * always are. An output may equal an input (same start) but must not overlap an input otherwise.
 * Functions that return void cannot fail.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_ELEM_H
#define GFPOLY_ELEM_H

#include "gfpoly/field.h"

GFP_BEGIN_DECLS

/* Whether x = 0. */
GFP_API bool gfp_elem_is_zero(const gfp_field *field, const uint64_t *x);
/* Whether x = 1. */
GFP_API bool gfp_elem_is_one(const gfp_field *field, const uint64_t *x);

/* z := value mod p. */
GFP_API void gfp_elem_set_u64(const gfp_field *field, uint64_t *z, uint64_t value);
/* z := (sum of limbs[i] 2^(64 i), i < n) mod p; any n, 0 included. The function works in blocks of
 * the modulus's size and does not allocate. Cost: O(n limbs(p)). */
GFP_API void gfp_elem_set_limbs(const gfp_field *field, uint64_t *z, const uint64_t *limbs,
                                size_t n);
/* limbs := x as an integer in [0, p), in gfp_field_limbs words. limbs must not overlap x. */
GFP_API void gfp_elem_get_limbs(const gfp_field *field, uint64_t *limbs, const uint64_t *x);

/* z := the number written in text[0 .. length), base 10 or 16 (digits of either case; no sign, no
 * prefix, no space). Leading zeros are accepted. Errors: PARSE (empty, or a character that is not a
 * digit: error->column is its 1-based place), RANGE (value >= p), ARGUMENT (base). */
GFP_API GFP_MUST_CHECK gfp_status gfp_elem_set_string(const gfp_field *field, uint64_t *z,
                                                      const char *text, size_t length, int base,
                                                      gfp_error *error);
/* Returns a number of bytes that suffices for gfp_elem_get_string, terminator included; base 10 or
 * 16. */
GFP_API size_t gfp_elem_string_size(const gfp_field *field, int base);
/* text := x in base 10 or 16 (lower case), without leading zeros, terminated; *length (may be NULL)
 * := the length of text. Errors: SIZE (size is less than this number needs), ARGUMENT (base). */
GFP_API GFP_MUST_CHECK gfp_status gfp_elem_get_string(const gfp_field *field, char *text,
                                                      size_t size, size_t *length, int base,
                                                      const uint64_t *x);

/* z := an element that is uniform over all p elements (the special element included), by
 * rejection. */
GFP_API void gfp_elem_random(const gfp_field *field, uint64_t *z, gfp_random *g);

/* z := x y. Each k uses the kernel that measures faster for it (see field/base/kernels.h). */
GFP_API void gfp_elem_mul(const gfp_field *field, uint64_t *z, const uint64_t *x,
                          const uint64_t *y);
/* z := x^e, e = sum of exponent[i] 2^(64 i), i < n; x^0 = 1 for every x. */
GFP_API void gfp_elem_pow(const gfp_field *field, uint64_t *z, const uint64_t *x,
                          const uint64_t *exponent, size_t n);
/* z := 1/x. Errors: NOT_INVERTIBLE if x = 0. Cost: an extended gcd. */
GFP_API GFP_MUST_CHECK gfp_status gfp_elem_inv(const gfp_field *field, uint64_t *z,
                                               const uint64_t *x);

/* The functions below take arrays of n elements. They do not check lengths: the arrays must hold
 * n*k digits.
 * z := n zeros. */
GFP_API void gfp_vec_zero(const gfp_field *field, uint64_t *z, size_t n);
/* z := x. z and x may overlap. */
GFP_API void gfp_vec_set(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t n);
/* Whether x_i = y_i for all i < n. */
GFP_API bool gfp_vec_equal(const gfp_field *field, const uint64_t *x, const uint64_t *y, size_t n);
/* Returns the number of leading elements of x that are canonical: n if all are. x may be any n*k
 * words. */
GFP_API size_t gfp_vec_canonical(const gfp_field *field, const uint64_t *x, size_t n);
/* z_i := elements that are independent and uniform, as by gfp_elem_random. */
GFP_API void gfp_vec_random(const gfp_field *field, uint64_t *z, size_t n, gfp_random *g);
/* z_i := x_i + y_i. */
GFP_API void gfp_vec_add(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                         size_t n);
/* z_i := x_i - y_i. */
GFP_API void gfp_vec_sub(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                         size_t n);
/* z_i := -x_i. */
GFP_API void gfp_vec_neg(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t n);
/* z_i := number i, which is `size` words of 64 bits at limbs + i step, least significant first. The
 * function converts several elements at a time, in vector lanes if the machine has them. z must not
 * overlap limbs. Errors: RANGE (a number is not below p; error->index is the first such number); z
 * is unchanged then. Cost: at most O(n k^2) word products. */
GFP_API GFP_MUST_CHECK gfp_status gfp_vec_set_limbs(const gfp_field *field, uint64_t *z,
                                                    const uint64_t *limbs, size_t size, size_t step,
                                                    size_t n, gfp_error *error);
/* z_i := number i mod p, with numbers of any size laid out as for gfp_vec_set_limbs. The function
 * cannot fail. Numbers below p cost the same as with gfp_vec_set_limbs, less a pass over their
 * highest words; longer numbers cost a conversion and a product for each gfp_field_limbs - 1 words.
 * z must not overlap limbs. */
GFP_API void gfp_vec_set_limbs_mod(const gfp_field *field, uint64_t *z, const uint64_t *limbs,
                                   size_t size, size_t step, size_t n);
/* Number i := x_i in [0, p), in gfp_field_limbs words at limbs + i step. limbs must not overlap x.
 * Cost: at most O(n k^2) word products. */
GFP_API void gfp_vec_get_limbs(const gfp_field *field, uint64_t *limbs, size_t step,
                               const uint64_t *x, size_t n);
/* z_i := x_i y_i. */
GFP_API void gfp_vec_mul(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                         size_t n);
/* z_i := x_i c for one element c, which must not lie inside z. */
GFP_API void gfp_vec_scalar_mul(const gfp_field *field, uint64_t *z, const uint64_t *x,
                                const uint64_t *c, size_t n);
/* z_i := z_i + c x_i for one element c, which must not lie inside z. */
GFP_API void gfp_vec_scalar_addmul(const gfp_field *field, uint64_t *z, const uint64_t *x,
                                   const uint64_t *c, size_t n);
/* z_i := z_i - c x_i for one element c, which must not lie inside z. */
GFP_API void gfp_vec_scalar_submul(const gfp_field *field, uint64_t *z, const uint64_t *x,
                                   const uint64_t *c, size_t n);
/* z := sum of x_i y_i for i < n, one element; 0 for n = 0. z may be an element of x or y. Cost:
 * less than n products: up to 256 / k products share a reduction. */
GFP_API void gfp_vec_dot(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                         size_t n);

/* ---- one element: calls above, for n = 1 ---- */

/* z := 0. */
static inline void gfp_elem_zero(const gfp_field *field, uint64_t *z)
{
    gfp_vec_zero(field, z, 1);
}

/* z := 1. */
static inline void gfp_elem_one(const gfp_field *field, uint64_t *z)
{
    gfp_vec_zero(field, z, 1);
    z[0] = 1;
}

/* z := x. */
static inline void gfp_elem_set(const gfp_field *field, uint64_t *z, const uint64_t *x)
{
    gfp_vec_set(field, z, x, 1);
}

/* Whether x = y. */
static inline bool gfp_elem_equal(const gfp_field *field, const uint64_t *x, const uint64_t *y)
{
    return gfp_vec_equal(field, x, y, 1);
}

/* z := x + y. */
static inline void gfp_elem_add(const gfp_field *field, uint64_t *z, const uint64_t *x,
                                const uint64_t *y)
{
    gfp_vec_add(field, z, x, y, 1);
}

/* z := x - y. */
static inline void gfp_elem_sub(const gfp_field *field, uint64_t *z, const uint64_t *x,
                                const uint64_t *y)
{
    gfp_vec_sub(field, z, x, y, 1);
}

/* z := -x. */
static inline void gfp_elem_neg(const gfp_field *field, uint64_t *z, const uint64_t *x)
{
    gfp_vec_neg(field, z, x, 1);
}

/* z := x^2. */
static inline void gfp_elem_sqr(const gfp_field *field, uint64_t *z, const uint64_t *x)
{
    gfp_elem_mul(field, z, x, x);
}

/* z := value mod p, for a value of either sign. */
static inline void gfp_elem_set_si(const gfp_field *field, uint64_t *z, int64_t value)
{
    gfp_elem_set_u64(field, z, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    if (value < 0) {
        gfp_vec_neg(field, z, z, 1);
    }
}

GFP_END_DECLS
#endif
