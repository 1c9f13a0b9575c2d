/* random.c: xoshiro256** (Blackman, Vigna 2018) seeded by SplitMix64.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/base.h"
#include "field/base/word.h"

static uint64_t rotate_left(uint64_t x, unsigned n)
{
    return (x << n) | (x >> (64 - n));
}

void gfp_random_seed(gfp_random *g, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        seed += 0x9e3779b97f4a7c15;
        g->state[i] = gfp_mix64(seed);
    }
}

uint64_t gfp_random_u64(gfp_random *g)
{
    uint64_t *s = g->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t gfp_random_below(gfp_random *g, uint64_t bound)
{
    if (bound == 0) {
        return gfp_random_u64(g);
    }
    /* Numbers below the largest multiple of bound are uniform modulo bound: the first 2^64 mod
     * bound = -bound mod bound numbers are rejected. */
    uint64_t refuse = (0 - bound) % bound;
    uint64_t x;
    do {
        x = gfp_random_u64(g);
    } while (x < refuse);
    return x % bound;
}
