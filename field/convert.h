/* convert.h: radix conversion of many elements at once, in vector lanes: tables computed once per
 * field, and the table of functions of a kernel level. Elements of the same group lie one in each
 * lane, in base 2^52.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CONVERT_H
#define GFP_CONVERT_H

#include "cpu.h"
#include "gfpoly/elem.h"
#include "word.h"

/* Elements of a group, the most of all levels. */
#define GFP_CONVERT_LANES 8

/* A number: size words of 64 bits, least significant first; size 0 is zero. */
typedef struct gfp_limbs_view {
    const uint64_t *limbs;
    size_t size;
} gfp_limbs_view;

/* Numbers below power^2, power = r^h, divided by it: halves have L limbs, 2 for h = 1, 3 for h = 2,
 * 5 h / 4 above; power has b bits. Quotients are estimated as
 *     (x >> (b - g)) inverse >> 52 L, inverse = floor(2^(52 L + b - g) / power)
 * with g = (52 L - b) / 2 >= 2, so that they are right or one too small (convert_ranges.py).
 * Limbs are below 2^52, as words and (for products in double precision) as doubles. */
typedef struct gfp_convert_level {
    const uint64_t *power;
    const uint64_t *inverse;
    const double *power_double;
    const double *inverse_double;
    unsigned limbs;         /* L */
    unsigned inverse_limbs; /* of inverse, and what is called 52 L above: 6 for h = 4, else L */
    /* Blocks of 5 limbs of power that are zero, from the lowest; h >= 4. */
    unsigned zeros;
    /* b - g = 52 shift_limbs + shift_bits; what is called rest adds up to 52 with the number of
     * bits above it. */
    unsigned shift_limbs;
    uint64_t shift_bits, shift_rest;
    /* A remainder below 2 power has top_bits bits (1 to 52) in limb top_limb, and none above: its
     * 52 bits from there down are compared with those of power. */
    unsigned top_limb;
    uint64_t top_bits, top_rest;
    uint64_t top;
} gfp_convert_level;

#define GFP_CONVERT_LEVELS 8

typedef struct gfp_convert gfp_convert;

typedef struct gfp_convert_functions {
    unsigned lanes;
    unsigned fewest; /* elements for which a group pays: fewer are faster one by one */
    /* z := the digits of lanes numbers of at most gfp_field_limbs words (full: just as many),
     * element after element. Returns the lanes (bit i: number i) that are not below r^k; their
     * digits are 0. more: as many numbers follow in both arrays, and will be wanted next.
     * May be NULL. */
    unsigned (*import)(const gfp_convert *c, uint64_t *z, const gfp_limbs_view *x, bool full,
                       bool more);
    /* limbs[i] (gfp_field_limbs words) := element i of lanes elements. more: as above. */
    void (*export)(const gfp_convert *c, uint64_t *const *limbs, const uint64_t *x, bool more);
} gfp_convert_functions;

struct gfp_convert {
    unsigned k;
    unsigned words;  /* of an element: gfp_field_limbs */
    unsigned limbs;  /* of an element: 3 for k = 2, else 5 k / 4 */
    unsigned levels; /* log2 k */
    gfp_convert_functions functions;
    gfp_divisor radix;
    /* r^k = p - 1 (in words for the portable functions, which need nothing below), which has
     * last_bits bits (1 to 52) in limb last_limb; its 52 highest bits. */
    const uint64_t *last;
    unsigned last_limb;
    uint64_t last_bits, last_rest;
    uint64_t top;
    gfp_convert_level level[GFP_CONVERT_LEVELS]; /* level[i]: h = 2^i, i < log2 k */
    uint64_t *table;
    size_t table_size;
};

/* The radices that lanes serve: power is no power of two, and r^2 has more than 52 bits. */
#define GFP_CONVERT_R_MIN ((uint64_t)1 << 44)

/* MEMORY. Where nothing serves level, radix and k, field->convert stays NULL, and all below works
 * one by one. */
gfp_status gfp_convert_init(gfp_field *field);
void gfp_convert_destroy(gfp_convert *convert, const gfp_allocator *allocator);

/* z := n numbers modulo p, of any size. z must not overlap them. */
void gfp_convert_import(const gfp_field *field, uint64_t *z, const gfp_limbs_view *x, size_t n);
/* limbs[i] (gfp_field_limbs words) := element i, in [0, p), i < n. They must not overlap x. */
void gfp_convert_export(const gfp_field *field, uint64_t *const *limbs, const uint64_t *x,
                        size_t n);

/* Above these numbers of digits GMP's halves are faster: no export, and no import. */
#define GFP_CONVERT_PORTABLE_K 128
#define GFP_CONVERT_PORTABLE_IMPORT_K 16
gfp_convert_functions gfp_convert_portable(unsigned k);
#if GFP_X86_LEVELS
gfp_convert_functions gfp_convert_avx2(unsigned k);
gfp_convert_functions gfp_convert_avx512(unsigned k);
#endif

#endif
