/* decimal.h: natural numbers between text and limbs, base 10 or 16. The loops are our own (and
 * mpn_divrem_1): GMP's mpn_set_str and mpn_get_str take tables from malloc above a few dozen limbs,
 * and abort without memory. The cost is quadratic, for at most 256 limbs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_DECIMAL_H
#define GFP_FIELD_BASE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#include <gmp.h>

#include "gfpoly/base.h"

/* Returns the number of limbs of x without the zeros on top. */
static inline unsigned gfp_significant(const mp_limb_t *x, unsigned n)
{
    while (n > 0 && x[n - 1] == 0) {
        n--;
    }
    return n;
}

/* z (limit limbs, all written, zeros on top) := the number in text. Leading zeros are accepted.
 * Errors: PARSE (no digits: *bad = length; or text[*bad] is not a digit of the base), RANGE (more
 * than limit limbs; z is undefined). */
gfp_status gfp_limbs_from_text(uint64_t *z, size_t limit, const char *text, size_t length, int base,
                               size_t *bad);

/* Returns an upper bound of the characters of a number of n limbs. */
size_t gfp_limbs_text_size(size_t n, int base);

/* text := z (n limbs, destroyed) without leading zeros or terminator. Returns the length, at most
 * gfp_limbs_text_size. */
size_t gfp_limbs_to_text(char *text, uint64_t *z, size_t n, int base);

#endif
