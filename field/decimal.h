/* decimal.h: natural numbers between text and limbs, base 10 or 16. Our own loops (and
 * mpn_divrem_1): GMP's mpn_set_str and mpn_get_str take tables from malloc above a few dozen
 * limbs, and abort without memory. Quadratic, and at most 256 limbs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_DECIMAL_H
#define GFP_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#include <gmp.h>

#include "gfpoly/base.h"

/* The number of limbs without the zeros on top. */
static inline unsigned gfp_significant(const mp_limb_t *x, unsigned n)
{
    while (n > 0 && x[n - 1] == 0) {
        n--;
    }
    return n;
}

/* z (limit limbs, all written, zeros on top) := the number in text. Leading zeros are accepted.
 * Errors: PARSE (no digits, or text[*bad] is no digit of the base; *bad = length for the former),
 * RANGE (more than limit limbs; z is undefined). */
gfp_status gfp_limbs_from_text(uint64_t *z, size_t limit, const char *text, size_t length, int base,
                               size_t *bad);

/* Characters of the largest number of n limbs, at most. */
size_t gfp_limbs_text_size(size_t n, int base);

/* text := z (n limbs, destroyed) without leading zeros or terminator; returns the length, at most
 * gfp_limbs_text_size. */
size_t gfp_limbs_to_text(char *text, uint64_t *z, size_t n, int base);

#endif
