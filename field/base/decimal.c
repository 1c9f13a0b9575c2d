/* decimal.c: see decimal.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/decimal.h"

#include <gmp.h>
#include <string.h>

#include "field/base/word.h"

/* The number of digits that move at once, and base^digits: below 2^64. */
typedef struct chunk {
    unsigned digits;
    uint64_t power;
} chunk;

static chunk chunk_of(int base)
{
    return base == 10 ? (chunk){19, UINT64_C(10000000000000000000)}
                      : (chunk){15, (uint64_t)1 << 60};
}

/* The value of a digit, or -1. */
static int digit_value(char c, int base)
{
    int value = -1;
    if (c >= '0' && c <= '9') {
        value = c - '0';
    } else if (c >= 'a' && c <= 'f') {
        value = c - 'a' + 10;
    } else if (c >= 'A' && c <= 'F') {
        value = c - 'A' + 10;
    }
    return value < base ? value : -1;
}

/* z := z factor + addend on *size of at most limit limbs; returns false if z needs more limbs. */
static bool multiply_add(uint64_t *z, size_t *size, size_t limit, uint64_t factor, uint64_t addend)
{
    uint64_t carry = addend;
    for (size_t i = 0; i < *size; i++) {
        gfp_u128 t = gfp_mul_wide(z[i], factor) + carry;
        z[i] = (uint64_t)t;
        carry = gfp_hi64(t);
    }
    if (carry != 0) {
        if (*size == limit) {
            return false;
        }
        z[(*size)++] = carry;
    }
    return true;
}

gfp_status gfp_limbs_from_text(uint64_t *z, size_t limit, const char *text, size_t length, int base,
                               size_t *bad)
{
    chunk c = chunk_of(base);
    size_t size = 0;
    bool fits = true;
    uint64_t value = 0;
    uint64_t power = 1;
    for (size_t i = 0; i < length; i++) {
        int digit = digit_value(text[i], base);
        if (digit < 0) {
            *bad = i;
            return GFP_ERR_PARSE;
        }
        value = value * (uint64_t)base + (uint64_t)digit;
        power *= (uint64_t)base;
        if (power == c.power || i + 1 == length) {
            fits = fits && multiply_add(z, &size, limit, power, value);
            value = 0;
            power = 1;
        }
    }
    if (length == 0) {
        *bad = 0;
        return GFP_ERR_PARSE;
    }
    if (fits && size < limit) {
        memset(z + size, 0, (limit - size) * sizeof *z);
    }
    return fits ? GFP_OK : GFP_ERR_RANGE;
}

size_t gfp_limbs_text_size(size_t n, int base)
{
    /* 64 log10(2) < 19.3. */
    return base == 16 ? 16 * n : n * 193 / 10 + 1;
}

size_t gfp_limbs_to_text(char *text, uint64_t *z, size_t n, int base)
{
    static const char characters[] = "0123456789abcdef";
    chunk c = chunk_of(base);
    size_t room = gfp_limbs_text_size(n, base);
    size_t at = room; /* digits fill text from its end */
    mp_limb_t *limbs = (mp_limb_t *)(void *)z;
    n = gfp_significant(limbs, (unsigned)n);
    while (n > 0) {
        uint64_t rest = mpn_divrem_1(limbs, 0, limbs, (mp_size_t)n, c.power);
        n -= limbs[n - 1] == 0;
        for (unsigned i = 0; i < c.digits && (n > 0 || rest != 0); i++) {
            text[--at] = characters[rest % (uint64_t)base];
            rest /= (uint64_t)base;
        }
    }
    if (at == room) {
        text[0] = '0';
        return 1;
    }
    memmove(text, text + at, room - at);
    return room - at;
}
