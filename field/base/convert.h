/* convert.h: radix conversion of many elements at once, in vector lanes: tables computed once per
 * field, and the table of functions of a kernel level. A group has one element in each lane, in
 * base 2^52.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_CONVERT_H
#define GFP_FIELD_BASE_CONVERT_H

#include "field/base/cpu.h"
#include "gfpoly/elem.h"
#include "field/base/word.h"

/* The most elements of a group, over all levels. */
#define GFP_CONVERT_LANES 8

/* A number: size words of 64 bits, least significant first; size 0 is zero. */
typedef struct gfp_limbs_view {
    const uint64_t *limbs;
    size_t size;
} gfp_limbs_view;

/* A division of numbers below power^2 by power = r^h. Halves have L limbs: 2 for h = 1, 3 for h =
 * 2, 5 h / 4 above; power has b bits. Quotients are estimated as
 *     (x >> (b - g)) inverse >> 52 L, inverse = floor(2^(52 L + b - g) / power)
 * with g = (52 L - b) / 2 >= 2; an estimate is right or one too small
 * (field/kernels/convert_ranges.py). Limbs are below 2^52, as words and (for products in double
 * precision) as doubles. */
typedef struct gfp_convert_level {
    const uint64_t *power;
    const uint64_t *inverse;
    const double *power_double;
    const double *inverse_double;
    unsigned limbs;         /* L */
    unsigned inverse_limbs; /* of inverse, and of the shift 52 L above: 6 for h = 4, else L */
    /* The number of blocks of 5 limbs of power that are zero, from the lowest; h >= 4. */
    unsigned zeros;
    /* b - g = 52 shift_limbs + shift_bits; shift_rest = 52 - shift_bits. (top_rest and last_rest
     * below also add up to 52 with their numbers of bits.) */
    unsigned shift_limbs;
    uint64_t shift_bits, shift_rest;
    /* A remainder below 2 power has top_bits bits (1 to 52) in limb top_limb, and none above. Its
     * 52 bits from the highest of these down are compared with those of power, which top holds. */
    unsigned top_limb;
    uint64_t top_bits, top_rest;
    uint64_t top;
} gfp_convert_level;

#define GFP_CONVERT_LEVELS 8

typedef struct gfp_convert gfp_convert;

typedef struct gfp_convert_functions {
    unsigned lanes;
    unsigned fewest; /* the fewest elements for which a group pays: fewer are faster one by one */
    /* z := the digits of `lanes` numbers, element after element. A number has at most
     * gfp_field_limbs words (full: exactly gfp_field_limbs words). Returns the lanes (bit i: number
     * i) of the numbers that are not below r^k; their digits are 0. more: `lanes` further numbers
     * follow in both arrays, and the next call converts them. import may be NULL. */
    unsigned (*import)(const gfp_convert *c, uint64_t *z, const gfp_limbs_view *x, bool full,
                       bool more);
    /* limbs[i] (gfp_field_limbs words) := element i, for `lanes` elements. more: as for import. */
    void (*export)(const gfp_convert *c, uint64_t *const *limbs, const uint64_t *x, bool more);
} gfp_convert_functions;

struct gfp_convert {
    unsigned k;
    unsigned words;  /* of an element: gfp_field_limbs */
    unsigned limbs;  /* of an element: 3 for k = 2, else 5 k / 4 */
    unsigned levels; /* log2 k */
    gfp_convert_functions functions;
    gfp_divisor radix;
    /* r^k = p - 1, in limbs (the portable functions have it in words, and use no member below). It
     * has last_bits bits (1 to 52) in limb last_limb; top is its 52 highest bits. */
    const uint64_t *last;
    unsigned last_limb;
    uint64_t last_bits, last_rest;
    uint64_t top;
    gfp_convert_level level[GFP_CONVERT_LEVELS]; /* level[i]: h = 2^i, i < log2 k */
    uint64_t *table;
    size_t table_size;
};

/* The radices that lanes serve: power is not a power of two, and r^2 has more than 52 bits. */
#define GFP_CONVERT_R_MIN ((uint64_t)1 << 44)

/* Creates field->convert. If no function serves the field's level, radix and k, field->convert
 * stays NULL, and the functions below convert elements one by one. Errors: MEMORY. */
gfp_status gfp_convert_init(gfp_field *field);
void gfp_convert_destroy(gfp_convert *convert, const gfp_allocator *allocator);

/* z_i := number i mod p, i < n, any size. z must not overlap the numbers. */
void gfp_convert_import(const gfp_field *field, uint64_t *z, const gfp_limbs_view *x, size_t n);
/* limbs[i] (gfp_field_limbs words) := element i, in [0, p), i < n. limbs[i] must not overlap x. */
void gfp_convert_export(const gfp_field *field, uint64_t *const *limbs, const uint64_t *x,
                        size_t n);

/* GMP's halves are faster above these numbers of digits: k > GFP_CONVERT_PORTABLE_K has no export,
 * and k > GFP_CONVERT_PORTABLE_IMPORT_K no import. */
#define GFP_CONVERT_PORTABLE_K 128
#define GFP_CONVERT_PORTABLE_IMPORT_K 16
gfp_convert_functions gfp_convert_portable(unsigned k);
#if GFP_X86_LEVELS || GFP_NEON_LEVEL
gfp_convert_functions gfp_convert_avx2(unsigned k);
gfp_convert_functions gfp_convert_avx512(unsigned k);
gfp_convert_functions gfp_convert_avx512dq(unsigned k);
#endif

#endif
