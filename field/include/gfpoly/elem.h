/* gfpoly/elem.h: elements of Z/pZ and arrays of them.
 *
 * An element is k 64-bit digits in radix r, least significant first, in canonical form: every digit
 * in [0, r), or the one special element r^k = p - 1 = -1 with top digit r and all others 0. An
 * array (vec) of n elements is n*k digits, element after element. Pointers need the alignment of
 * uint64_t only. Inputs must be canonical where nothing else is said; outputs always are. An output
 * may equal an input (same start) but not overlap it otherwise. Functions that return void cannot
 * fail.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_ELEM_H
#define GFPOLY_ELEM_H

#include "gfpoly/field.h"

GFP_BEGIN_DECLS

GFP_API void gfp_elem_zero(const gfp_field *field, uint64_t *z);
GFP_API void gfp_elem_one(const gfp_field *field, uint64_t *z);
GFP_API void gfp_elem_copy(const gfp_field *field, uint64_t *z, const uint64_t *x);
GFP_API bool gfp_elem_is_zero(const gfp_field *field, const uint64_t *x);
GFP_API bool gfp_elem_is_one(const gfp_field *field, const uint64_t *x);
GFP_API bool gfp_elem_equal(const gfp_field *field, const uint64_t *x, const uint64_t *y);
/* Whether any k words are the canonical form of an element. */
GFP_API bool gfp_elem_is_canonical(const gfp_field *field, const uint64_t *x);

/* z := value mod p. */
GFP_API void gfp_elem_set_u64(const gfp_field *field, uint64_t *z, uint64_t value);
/* z := the given k digits. Errors: RANGE when they are not canonical. */
GFP_API GFP_MUST_CHECK gfp_status gfp_elem_set_digits(const gfp_field *field, uint64_t *z,
                                                      const uint64_t *digits);
/* z := (sum of limbs[i] 2^(64 i), i < n) mod p; any n, 0 included. Works in blocks of the modulus's
 * size: no allocation. Cost: O(n limbs(p)). */
GFP_API void gfp_elem_set_limbs(const gfp_field *field, uint64_t *z, const uint64_t *limbs,
                                size_t n);
/* limbs (gfp_field_limbs of them) := x as an integer in [0, p). Must not overlap x. */
GFP_API void gfp_elem_get_limbs(const gfp_field *field, uint64_t *limbs, const uint64_t *x);

/* z := the number written in text[0 .. length), base 10 or 16 (digits of either case; no sign, no
 * prefix, no space). Leading zeros are accepted. Errors: PARSE (empty, or a character that is no
 * digit; error->column its 1-based place), RANGE (value >= p), ARGUMENT (base). */
GFP_API GFP_MUST_CHECK gfp_status gfp_elem_set_string(const gfp_field *field, uint64_t *z,
                                                      const char *text, size_t length, int base,
                                                      gfp_error *error);
/* Bytes that gfp_elem_get_string may need, terminator included; base 10 or 16. */
GFP_API size_t gfp_elem_string_size(const gfp_field *field, int base);
/* text := x in base 10 or 16 (lower case), without leading zeros, terminated; *length (may be NULL)
 * its length. Errors: SIZE when size < what the number needs, ARGUMENT (base). */
GFP_API GFP_MUST_CHECK gfp_status gfp_elem_get_string(const gfp_field *field, char *text,
                                                      size_t size, size_t *length, int base,
                                                      const uint64_t *x);

/* Uniform over all p elements, by rejection (the special element included). */
GFP_API void gfp_elem_random(const gfp_field *field, uint64_t *z, gfp_random *g);

GFP_API void gfp_elem_add(const gfp_field *field, uint64_t *z, const uint64_t *x,
                          const uint64_t *y);
GFP_API void gfp_elem_sub(const gfp_field *field, uint64_t *z, const uint64_t *x,
                          const uint64_t *y);
GFP_API void gfp_elem_neg(const gfp_field *field, uint64_t *z, const uint64_t *x);
/* z := x r^s, any s (taken mod 2k): a negacyclic shift of digits (ISSAC 2017, 3.4). O(k). */
GFP_API void gfp_elem_mul_r(const gfp_field *field, uint64_t *z, const uint64_t *x, unsigned s);
/* z := x y, by the kernel that measures faster for this k (see field/kernels.h). */
GFP_API void gfp_elem_mul(const gfp_field *field, uint64_t *z, const uint64_t *x,
                          const uint64_t *y);
GFP_API void gfp_elem_sqr(const gfp_field *field, uint64_t *z, const uint64_t *x);
/* z := x^e, e = sum of exponent[i] 2^(64 i), i < n; x^0 = 1 for every x. */
GFP_API void gfp_elem_pow(const gfp_field *field, uint64_t *z, const uint64_t *x,
                          const uint64_t *exponent, size_t n);
/* z := 1/x. Errors: NOT_INVERTIBLE for x = 0. Cost: an extended gcd. */
GFP_API GFP_MUST_CHECK gfp_status gfp_elem_inv(const gfp_field *field, uint64_t *z,
                                               const uint64_t *x);

/* Arrays of n elements. Lengths are not checked: the arrays must hold n*k digits. */
GFP_API void gfp_vec_zero(const gfp_field *field, uint64_t *z, size_t n);
GFP_API void gfp_vec_copy(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t n);
GFP_API bool gfp_vec_equal(const gfp_field *field, const uint64_t *x, const uint64_t *y, size_t n);
/* The number of leading elements that are canonical: n when all are. */
GFP_API size_t gfp_vec_canonical(const gfp_field *field, const uint64_t *x, size_t n);
GFP_API void gfp_vec_random(const gfp_field *field, uint64_t *z, size_t n, gfp_random *g);
GFP_API void gfp_vec_add(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                         size_t n);
GFP_API void gfp_vec_sub(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                         size_t n);
GFP_API void gfp_vec_neg(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t n);
/* Every element times r^s. */
GFP_API void gfp_vec_mul_r(const gfp_field *field, uint64_t *z, const uint64_t *x, unsigned s,
                           size_t n);
/* Arrays from and to integers: number i is `size` words of 64 bits at limbs + i step, least
 * significant first. Elements are converted several at a time, in vector lanes where the machine
 * has them. z, x and limbs must not overlap. Cost: O(n k^2) word products at most. Errors: RANGE
 * when a number is not below p (error->index the first); z is unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_vec_set_limbs(const gfp_field *field, uint64_t *z,
                                                    const uint64_t *limbs, size_t size, size_t step,
                                                    size_t n, gfp_error *error);
/* The same modulo p, of any size: cannot fail. Numbers below p cost no more than above, less a pass
 * over their highest words; others are reduced one by one. */
GFP_API void gfp_vec_set_limbs_mod(const gfp_field *field, uint64_t *z, const uint64_t *limbs,
                                   size_t size, size_t step, size_t n);
/* limbs (gfp_field_limbs words for each element, at limbs + i step) := the elements in [0, p). */
GFP_API void gfp_vec_get_limbs(const gfp_field *field, uint64_t *limbs, size_t step,
                               const uint64_t *x, size_t n);
/* Pointwise products. */
GFP_API void gfp_vec_mul(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                         size_t n);
/* Every element times the element c (c must not lie inside z). */
GFP_API void gfp_vec_scale(const gfp_field *field, uint64_t *z, const uint64_t *x,
                           const uint64_t *c, size_t n);
/* Every element divided by 2^j, any j (r is even: digit shifts, no product). */
GFP_API void gfp_vec_div_2exp(const gfp_field *field, uint64_t *z, const uint64_t *x, unsigned j,
                              size_t n);
/* z_i := 1 / x_i for i < n. z may equal x. Errors: NOT_INVERTIBLE (error->index names the first
 * zero), MEMORY; z is unchanged then. Cost: one gfp_elem_inv and 3 (n - 1) products by gfp_vec_mul;
 * it allocates up to n + 64 elements. */
GFP_API GFP_MUST_CHECK gfp_status gfp_vec_inv(const gfp_field *field, uint64_t *z,
                                              const uint64_t *x, size_t n, gfp_error *error);

GFP_END_DECLS
#endif
