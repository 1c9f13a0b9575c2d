/* vec.h: what the files of modular/ share on vectors of integers: storage, integers as sign
 * and magnitude, bounds.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_VEC_H
#define GFP_MODULAR_VEC_H

#include <gmp.h>
#include <string.h>

#include "gfpoly/zvec.h"
#include "field/base/contract.h"
#include "field/base/support.h"

/* GMP's limbs are words of 64 bits. */
static inline mp_limb_t *gfp_z_limbs(uint64_t *x)
{
    return (mp_limb_t *)(void *)x;
}
static inline const mp_limb_t *gfp_z_const_limbs(const uint64_t *x)
{
    return (const mp_limb_t *)(const void *)x;
}

/* ---- one integer in two's complement ---- */

static inline bool gfp_z_negative(const uint64_t *x, size_t width)
{
    return x[width - 1] >> 63 != 0;
}
/* z := |x|, of `width` limbs (0 <= |x| <= 2^(64 width - 1)); returns the limbs without leading
 * zeros. z may be x. */
size_t gfp_z_magnitude(uint64_t *z, const uint64_t *x, size_t width);
/* z, of `width` limbs, := the number of this sign and this magnitude of n limbs, which must fit.
 * z may be `magnitude`. */
void gfp_z_put(uint64_t *z, size_t width, const uint64_t *magnitude, size_t n, bool negative);
/* The bits of |x|. */
size_t gfp_z_bits(const uint64_t *x, size_t width);
/* The most bits of len such numbers, one after the other. */
size_t gfp_z_most_bits(const uint64_t *x, size_t len, size_t width);
/* Limbs of x, at most n, without leading zeros. */
static inline size_t gfp_z_strip(const uint64_t *x, size_t n)
{
    while (n > 0 && x[n - 1] == 0) {
        n--;
    }
    return n;
}
/* z, of `width` limbs, := x: the sign is extended, or limbs that repeat it are left out. z may be
 * x. */
void gfp_z_resize(uint64_t *z, size_t width, const uint64_t *x, size_t old);
/* z := x. GMP aborts the process if memory runs out. */
void gfp_z_get_mpz(mpz_ptr z, const uint64_t *x, size_t width);
/* Bits of a magnitude of n limbs, the top one not 0 unless n = 0. */
size_t gfp_z_magnitude_bits(const uint64_t *x, size_t n);
/* Limbs that hold all numbers of absolute value below 2^bits, with their signs; at least 1. */
static inline size_t gfp_z_width(size_t bits)
{
    return bits / 64 + 1;
}

/* The least number of limbs, at least 1, that hold x with its sign. */
static inline size_t gfp_z_own_width(const uint64_t *x, size_t width)
{
    const uint64_t sign = gfp_z_negative(x, width) ? UINT64_MAX : 0;
    while (width > 1 && x[width - 1] == sign && (x[width - 2] ^ sign) >> 63 == 0) {
        width--;
    }
    return width;
}

/* ---- vectors ---- */

/* gfp_zvec_get. */
static inline const uint64_t *gfp_zvec_entry(const gfp_zvec *a, size_t i, size_t *width)
{
    if (a->width > 0) {
        *width = a->width;
        return a->limbs + i * a->width;
    }
    *width = (size_t)(a->limbs[i + 1] - a->limbs[i]);
    return a->limbs + a->limbs[i];
}
/* Of a vector of one width. */
static inline const uint64_t *gfp_zvec_at(const gfp_zvec *a, size_t i)
{
    GFP_CONTRACT(a->width > 0);
    return a->limbs + i * a->width;
}
/* The length without zeros at the end. */
size_t gfp_zvec_length(const gfp_zvec *a);
/* z := len integers of width limbs with undefined values; for outputs that lie in a new place: the
 * old integers are lost. Errors: SIZE, MEMORY; z is unchanged then. */
gfp_status gfp_zvec_reserve(gfp_zvec *z, size_t len, size_t width);
/* z := these integers without zeros at the end, in the least width. x does not overlap z. Errors:
 * SIZE, MEMORY; z is unchanged then. */
gfp_status gfp_zvec_set_polynomial(gfp_zvec *z, const uint64_t *x, size_t len, size_t width);
/* Drops zeros at the end of z, of one width, and takes its integers to their least width, in place.
 * If less than three quarters of the memory are used then, z gets less, if there is any. */
void gfp_zvec_trim(gfp_zvec *z);

/* ---- layouts (vec_layout.c) ---- */

/* Gives all integers of z one width; nothing changes where they have one. Errors: SIZE, MEMORY. */
GFP_MUST_CHECK gfp_status gfp_zvec_flatten(gfp_zvec *z);

/* Widths of their own are worth the steps that read them from here on: limbs in one width, and how
 * many times as many as otherwise. */
#define GFP_ZRAGGED_LIMBS 4096
#define GFP_ZRAGGED_FACTOR 4

/* Numbers of which a vector is to be made. */
typedef struct gfp_zlayout {
    size_t len, widest, total; /* limbs of the longest one, and of all */
} gfp_zlayout;

static inline void gfp_zlayout_add(gfp_zlayout *layout, size_t width)
{
    layout->len++;
    layout->widest = width > layout->widest ? width : layout->widest;
    layout->total = gfp_size_add_sat(layout->total, width);
}
/* Limbs of a vector of such numbers with widths of their own. */
static inline size_t gfp_zlayout_ragged_limbs(const gfp_zlayout *layout)
{
    return gfp_size_add_sat(gfp_size_add_sat(layout->total, layout->len), 1);
}
/* Whether the numbers are to have widths of their own. */
bool gfp_zlayout_is_ragged(const gfp_zlayout *layout);
/* z := numbers with undefined values, which gfp_zvec_put_number and
 * gfp_zvec_put_limbs set in order. Errors: SIZE, MEMORY; z is unchanged then. */
gfp_status gfp_zvec_reserve_layout(gfp_zvec *z, const gfp_zlayout *layout);
void gfp_zvec_put_number(gfp_zvec *z, size_t i, const uint64_t *magnitude, size_t n, bool negative);
void gfp_zvec_put_limbs(gfp_zvec *z, size_t i, const uint64_t *x, size_t width);
/* Whether a few of the integers are so much longer than the others that widths of their own save
 * three fourths of the memory. */
bool gfp_zvec_scan_ragged(const gfp_zvec *a);
static inline bool gfp_zvec_is_ragged(const gfp_zvec *a)
{
    const bool small = a->width <= GFP_ZRAGGED_FACTOR || a->len < GFP_ZRAGGED_LIMBS / a->width;
    return (a->width == 0 || !small) && gfp_zvec_scan_ragged(a);
}
/* z := a without zeros at the end, in the layout of results, or in one width, the least one. z is
 * not a. Errors: SIZE, MEMORY; z is unchanged then. */
gfp_status gfp_zvec_set_result(gfp_zvec *z, const gfp_zvec *a);
gfp_status gfp_zvec_set_flat(gfp_zvec *z, const gfp_zvec *a);
/* *flat := a, or a copy of one width. Errors: SIZE, MEMORY. */
gfp_status gfp_zvec_view(const gfp_zvec **flat, gfp_zvec *copy, const gfp_zvec *a);
/* log2 of the Euclidean norm of n integers, at most 2^-20 too large and not too small; 0 if all are
 * 0. */
double gfp_z_log2_norm(const uint64_t *x, size_t n, size_t width);
double gfp_zvec_log2_norm(const gfp_zvec *a);

#endif
