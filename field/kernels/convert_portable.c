/* convert_portable.c: radix conversion in 64-bit words, digit by digit, of four elements side by
 * side: a division by the radix waits for the division before, and those of other elements fill the
 * time. The cost is quadratic: this form serves few digits.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "field/base/convert.h"
#include "field/base/word.h"

enum { WAYS = 4 };

/* Word j of element e is a[j][e]. */
typedef uint64_t words_of[GFP_CONVERT_PORTABLE_K][WAYS];

/* Returns the number of words of a number below r^digits. */
static unsigned words_below(const gfp_convert *c, unsigned digits)
{
    return digits < c->words ? digits : c->words;
}

/* a := a / r, n words each; remainder := the remainders. */
static void convert_portable_divide(words_of a, unsigned n, const gfp_divisor *radix,
                                    uint64_t *remainder)
{
    const unsigned s = radix->shift;
    uint64_t rest[WAYS];
    for (unsigned e = 0; e < WAYS; e++) {
        rest[e] = (uint64_t)(gfp_join(0, a[n - 1][e]) >> (64 - s)); /* below 2^s <= d */
    }
    for (unsigned j = n; j-- > 0;) {
        for (unsigned e = 0; e < WAYS; e++) {
            const uint64_t below = j > 0 ? a[j - 1][e] : 0;
            const uint64_t word = (uint64_t)(gfp_join(a[j][e], below) >> (64 - s));
            a[j][e] = gfp_div21(radix, rest[e], word, &rest[e]);
        }
    }
    for (unsigned e = 0; e < WAYS; e++) {
        remainder[e] = rest[e] >> s;
    }
}

/* Whether number e, of c->words words, is below r^k. */
static bool is_below(const gfp_convert *c, words_of a, unsigned e)
{
    unsigned j = c->words;
    while (j > 1 && a[j - 1][e] == c->last[j - 1]) {
        j--;
    }
    return a[j - 1][e] < c->last[j - 1];
}

static unsigned import_words(const gfp_convert *c, uint64_t *z, const gfp_limbs_view *x, bool full,
                             bool more)
{
    words_of a;
    uint64_t digit[WAYS];
    unsigned large = 0;
    (void)full;
    (void)more;
    for (unsigned e = 0; e < WAYS; e++) {
        for (unsigned j = 0; j < c->words; j++) {
            a[j][e] = j < x[e].size ? x[e].limbs[j] : 0;
        }
        if (!is_below(c, a, e)) {
            large |= 1U << e;
            for (unsigned j = 0; j < c->words; j++) {
                a[j][e] = 0;
            }
        }
    }
    for (unsigned i = 0; i + 1 < c->k; i++) {
        convert_portable_divide(a, words_below(c, c->k - i), &c->radix, digit);
        for (unsigned e = 0; e < WAYS; e++) {
            z[(size_t)e * c->k + i] = digit[e];
        }
    }
    for (unsigned e = 0; e < WAYS; e++) {
        z[(size_t)e * c->k + c->k - 1] = a[0][e];
    }
    return large;
}

static void export_words(const gfp_convert *c, uint64_t *const *limbs, const uint64_t *x, bool more)
{
    words_of a;
    const uint64_t r = c->radix.value;
    (void)more;
    memset(a, 0, c->words * sizeof a[0]);
    for (unsigned e = 0; e < WAYS; e++) {
        a[0][e] = x[(size_t)e * c->k + c->k - 1];
    }
    /* a := a r + digit; a stays below r^(k - i), or is r^k at the end. */
    for (unsigned i = c->k - 1; i-- > 0;) {
        uint64_t carry[WAYS];
        const unsigned n = words_below(c, c->k - i);
        for (unsigned e = 0; e < WAYS; e++) {
            carry[e] = x[(size_t)e * c->k + i];
        }
        for (unsigned j = 0; j < n; j++) {
            for (unsigned e = 0; e < WAYS; e++) {
                const gfp_u128 sum = gfp_mul_wide(a[j][e], r) + carry[e];
                a[j][e] = (uint64_t)sum;
                carry[e] = gfp_hi64(sum);
            }
        }
    }
    for (unsigned e = 0; e < WAYS; e++) {
        for (unsigned j = 0; j < c->words; j++) {
            limbs[e][j] = a[j][e];
        }
    }
}

gfp_convert_functions gfp_convert_portable(unsigned k)
{
    if (k > GFP_CONVERT_PORTABLE_K) {
        return (gfp_convert_functions){0};
    }
    return (gfp_convert_functions){
        WAYS, 3, k <= GFP_CONVERT_PORTABLE_IMPORT_K ? import_words : NULL, export_words};
}
