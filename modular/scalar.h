/* scalar.h: integers as magnitudes: greatest common divisors, contents; products and quotients of
 * vectors by an integer.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_SCALAR_H
#define GFP_MODULAR_SCALAR_H

#include "crt/methods.h"
#include "modular/call.h"

/* A natural number; n limbs, the top one not 0; n = 0: the number 0. */
typedef struct gfp_znat {
    uint64_t *limbs;
    size_t n;
} gfp_znat;

/* A polynomial: len integers of width limbs; width 0: in the layout of a vector whose integers have
 * widths of their own. */
typedef struct gfp_zpoly {
    uint64_t *limbs;
    size_t len, width;
} gfp_zpoly;

static inline bool gfp_znat_is_one(gfp_znat x)
{
    return x.n == 1 && x.limbs[0] == 1;
}
/* Of a polynomial of one width. */
static inline uint64_t *gfp_zpoly_at(gfp_zpoly a, size_t i)
{
    return a.limbs + i * a.width;
}
/* Shares the limbs. */
static inline gfp_zvec gfp_zpoly_view(const gfp_zcall *call, gfp_zpoly a)
{
    return (gfp_zvec){.ring = call->ring, .limbs = a.limbs, .len = a.len, .width = a.width};
}
/* Coefficient i, *width limbs. */
static inline const uint64_t *gfp_zpoly_get(gfp_zpoly a, size_t i, size_t *width)
{
    const gfp_zvec view = {.limbs = a.limbs, .len = a.len, .width = a.width};
    return gfp_zvec_entry(&view, i, width);
}
/* The limbs of the longest coefficient; of all coefficients. */
size_t gfp_zpoly_widest(gfp_zpoly a);
static inline size_t gfp_zpoly_limbs(gfp_zpoly a)
{
    return a.width > 0 ? a.len * a.width : (size_t)(a.limbs[a.len] - a.limbs[0]);
}
/* z := len numbers with undefined values, in a new array, which gfp_zpoly_put sets in order:
 * numbers that are up to `more` limbs longer than those of a, in the layout of a; or those of a
 * layout. Errors: MEMORY, SIZE. */
gfp_status gfp_zpoly_reserve_like(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly a, size_t more);
gfp_status gfp_zpoly_reserve(gfp_zcall *call, gfp_zpoly *z, const gfp_zlayout *layout);
static inline void gfp_zpoly_put(gfp_zpoly z, size_t i, const uint64_t *magnitude, size_t n,
                                 bool negative)
{
    if (z.width > 0) {
        gfp_z_put(gfp_zpoly_at(z, i), z.width, magnitude, n, negative);
    } else {
        gfp_zvec view = {.limbs = z.limbs, .len = z.len};
        gfp_zvec_put_number(&view, i, magnitude, n, negative);
    }
}
/* Sets number i in order, too, to x. */
static inline void gfp_zpoly_put_limbs(gfp_zpoly z, size_t i, const uint64_t *x, size_t width)
{
    gfp_zvec view = {.limbs = z.limbs, .len = z.len, .width = z.width};
    gfp_zvec_put_limbs(&view, i, x, width);
}

/* g := gcd(x, y), in a new array of the call. Errors: MEMORY, SIZE. */
gfp_status gfp_znat_gcd(gfp_zcall *call, gfp_znat *g, gfp_znat x, gfp_znat y);
/* g := gcd(x, y), of at most min(x.n, y.n) limbs, for which g has room; x and y, neither 0, are
 * destroyed. */
void gfp_znat_gcd_in_place(gfp_znat *g, gfp_znat x, gfp_znat y);
/* z := x y, in a new array. */
gfp_status gfp_znat_mul(gfp_zcall *call, gfp_znat *z, gfp_znat x, gfp_znat y);
/* c := the greatest common divisor of the coefficients, with room for one more limb. */
gfp_status gfp_zvec_content_of(gfp_zcall *call, gfp_znat *c, const gfp_zvec *a);
gfp_status gfp_zcontent(gfp_zcall *call, gfp_znat *c, gfp_zpoly a);
/* The same of the coefficients and x; x = 0 counts for nothing. */
gfp_status gfp_zcontent_with(gfp_zcall *call, gfp_znat *c, gfp_zpoly a, gfp_znat x);
/* z := a / c, c > 0 a divisor of all coefficients; a itself if c = 1. */
gfp_status gfp_zdivide_exact(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly a, gfp_znat c);
/* z := x / c, c > 0 a divisor of x. */
gfp_status gfp_znat_divide_exact(gfp_zcall *call, gfp_znat *z, gfp_znat x, gfp_znat c);
/* z := c a, or -c a; a itself for a factor 1. */
gfp_status gfp_zscale(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly a, gfp_znat c, bool negative);
/* |x| of one coefficient, in a new array. */
gfp_status gfp_znat_of(gfp_zcall *call, gfp_znat *z, const uint64_t *x, size_t width);
gfp_status gfp_znat_of_coefficient(gfp_zcall *call, gfp_znat *z, gfp_zpoly a, size_t i);

/* z := the polynomial of a vector, without zeros at the end, with widths of their own if that takes
 * much less memory; z shares the limbs of a if they are in that layout, and has new ones otherwise.
 * Errors: MEMORY, SIZE. */
gfp_status gfp_zpoly_of(gfp_zcall *call, gfp_zpoly *z, const gfp_zvec *a);
/* z := a in one width, within the cap. Errors: MEMORY, SIZE. */
gfp_status gfp_zpoly_flatten(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly a);
/* Both of them. */
gfp_status gfp_zpoly_flat_of(gfp_zcall *call, gfp_zpoly *z, const gfp_zvec *a);
static inline bool gfp_zpoly_is_negative(gfp_zpoly a)
{
    size_t width;
    if (a.len == 0) {
        return false;
    }
    const uint64_t *x = gfp_zpoly_get(a, a.len - 1, &width);
    return gfp_z_negative(x, width);
}
size_t gfp_zpoly_bits(gfp_zpoly a);
double gfp_zpoly_log2_norm(gfp_zpoly a);

/* Whether b = a, in numbers of one width. */
static inline bool gfp_zpoly_are_equal(gfp_zpoly a, gfp_zpoly b)
{
    const size_t limbs = a.len * a.width;
    return a.len == b.len && a.width > 0 && a.width == b.width &&
           memcmp(a.limbs, b.limbs, limbs * sizeof *a.limbs) == 0;
}
/* Whether b = -a, in numbers of one width; neither is 0. */
static inline bool gfp_zpoly_are_opposite(gfp_zpoly a, gfp_zpoly b)
{
    bool same = a.len == b.len && a.width > 0 && a.width == b.width && a.limbs[0] + b.limbs[0] == 0;
    for (size_t i = 0; i < a.len && same; i++) {
        const uint64_t *x = gfp_zpoly_at(a, i), *y = gfp_zpoly_at(b, i);
        uint64_t carry = 1;
        for (size_t j = 0; j < a.width; j++) {
            same = same && y[j] == ~x[j] + carry;
            carry = (uint64_t)(carry != 0 && y[j] == 0);
        }
        /* -2^(64 width - 1) has no opposite in this width: its negation wraps to itself. */
        same = same && (carry != 0 || ((x[a.width - 1] ^ y[a.width - 1]) >> 63) != 0);
    }
    return same;
}

/* a as FLINT's functions take it. */
static inline gfp_crt_integers gfp_zflint_integers(gfp_zpoly a)
{
    return (gfp_crt_integers){a.limbs, a.len, a.width};
}

#endif
