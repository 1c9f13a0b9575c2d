/* ifma.c: the constants of the leaf engine's IFMA level (portable: set-up only).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/leaf/ifma.h"

#include "field/base/context.h"
#include "field/base/word.h"

/* ---- integers modulo 2^256 ---- */

typedef struct wide {
    uint64_t word[4];
} wide;

static wide wide_mul(wide x, uint64_t y)
{
    uint64_t carry = 0;
    for (int i = 0; i < 4; i++) {
        gfp_u128 t = gfp_mul_wide(x.word[i], y) + carry;
        x.word[i] = (uint64_t)t;
        carry = gfp_hi64(t);
    }
    return x;
}

static wide wide_add(wide x, wide y)
{
    uint64_t carry = 0;
    for (int i = 0; i < 4; i++) {
        gfp_u128 t = (gfp_u128)x.word[i] + y.word[i] + carry;
        x.word[i] = (uint64_t)t;
        carry = gfp_hi64(t);
    }
    return x;
}

static wide wide_negate(wide x)
{
    for (int i = 0; i < 4; i++) {
        x.word[i] = ~x.word[i];
    }
    return wide_add(x, (wide){{1, 0, 0, 0}});
}

/* Returns bits 52 l .. 52 l + 51. */
static uint64_t wide_limb(wide x, unsigned l)
{
    unsigned word = 52 * l / 64, bit = 52 * l % 64;
    gfp_u128 t = gfp_join(word == 3 ? 0 : x.word[word + 1], x.word[word]) >> bit;
    return (uint64_t)t & ((UINT64_C(1) << 52) - 1);
}

/* Returns floor(2^e / d) if it is below 2^128. */
static gfp_u128 divide_power(unsigned e, uint64_t d)
{
    gfp_u128 quotient = 0, rest = 1;
    for (;; e--) {
        quotient <<= 1;
        if (rest >= d) {
            rest -= d;
            quotient |= 1;
        }
        if (e == 0) {
            return quotient;
        }
        rest <<= 1;
    }
}

/* ---- constants of the split ---- */

static void fill_quotients(gfp_ifma_split *split, uint64_t r)
{
    const gfp_u128 limit = ((gfp_u128)1 << 104) - 1;
    unsigned log2_r = 63 - gfp_clz64(r);
    split->scale = r >= GFP_IFMA_R_PLAIN ? 0 : 60 - log2_r;
    unsigned e = log2_r + split->scale;
    split->shift = e - 52;
    gfp_u128 reciprocal = divide_power(104 + e, r << split->scale);
    reciprocal = reciprocal < limit ? reciprocal : limit;
    split->reciprocal[0] = (uint64_t)reciprocal & ((UINT64_C(1) << 52) - 1);
    split->reciprocal[1] = (uint64_t)(reciprocal >> 52);
    split->round = (UINT64_C(1) << (split->shift - 1)) + 4;
    unsigned most = split->shift + log2_r - 10;
    split->top_shift = most < 52 ? most : 52;
    split->top_reciprocal = (uint64_t)divide_power(52 + split->top_shift - split->shift, r);
}

/* Returns M / q_skip 2^scale, or M 2^scale. */
static wide product_of_primes(const gfp_ifma_split *split, unsigned skip)
{
    wide x = {{UINT64_C(1) << split->scale, 0, 0, 0}};
    for (unsigned i = 0; i < split->primes; i++) {
        x = wide_mul(x, i == skip ? 1 : gfp_ntt48_primes[i].q);
    }
    return x;
}

static void fill_split(gfp_ifma_split *split, unsigned primes, uint64_t r)
{
    const uint64_t most = (UINT64_C(1) << 30) + (1 << 12);
    split->primes = primes;
    fill_quotients(split, r);
    gfp_u128 bias = divide_power(primes == 3 ? GFP_IFMA_BITS_3 : GFP_IFMA_BITS_4, r) / r;
    bias += (bias >> 7) + 2;
    split->bias = (bias < most ? (uint64_t)bias : most) + 1;
    wide offset = wide_mul((wide){{UINT64_C(1) << split->scale, 0, 0, 0}}, r);
    offset = wide_add(wide_mul(wide_mul(offset, r), split->bias), wide_mul(offset, r / 2));
    wide minus = wide_negate(product_of_primes(split, primes));
    for (unsigned f = 0; f < 16; f++) {
        for (unsigned l = 0; l < 3; l++) {
            split->offset[l][f] = wide_limb(offset, l);
        }
        offset = wide_add(offset, minus);
    }
    for (unsigned i = 0; i < primes; i++) {
        wide cofactor = product_of_primes(split, i);
        for (unsigned l = 0; l < 3; l++) {
            split->cofactor[i][l] = wide_limb(cofactor, l);
        }
    }
}

/* ---- constants of the primes ---- */

/* The factor that completes a product of leaves of 8 odd 2^j coefficients modulo a prime: 2^52 for
 * its Montgomery products, 1 / (k odd 2^j) for its inverse transforms, (q / M) mod q for the
 * CRT. */
static void fill_scale(gfp_ifma_tables *tables, unsigned primes, unsigned i, unsigned k)
{
    const uint64_t q = gfp_ntt48_primes[i].q, half = (q + 1) / 2;
    uint64_t lacking = (UINT64_C(1) << 52) % q;
    uint64_t others = 1;
    for (unsigned j = 0; j < primes; j++) {
        others = j == i ? others : gfp_mod_mul(others, gfp_ntt48_primes[j].q % q, q);
    }
    lacking = gfp_mod_mul(lacking, gfp_mod_pow(gfp_mod_mul(others, k, q), q - 2, q), q);
    /* 1 / W[1], of order 4. */
    uint64_t turn = gfp_mod_pow(gfp_ntt48_primes[i].generator, (q - 1) / 4 * 3, q);
    for (unsigned odd = 1; odd <= 5; odd += 2) {
        uint64_t x = gfp_mod_mul(lacking, gfp_mod_pow(odd, q - 2, q), q);
        for (unsigned j = 0; j < GFP_IFMA_LENGTHS; j++) {
            gfp_ntt48_root *scale = tables->scale[primes - 3][odd / 2][j][i];
            scale[0] = gfp_ntt48_root_of(x, q);
            scale[1] = gfp_ntt48_root_of(gfp_mod_mul(x, turn, q), q);
            x = gfp_mod_mul(x, half, q);
        }
    }
}

void gfp_ifma_constants(gfp_leaf_tables *head, const gfp_field *field)
{
    gfp_ifma_tables *tables = (gfp_ifma_tables *)head;
    for (unsigned i = 0; i < GFP_NTT48_PRIMES; i++) {
        const gfp_ntt48_prime *prime = &gfp_ntt48_primes[i];
        tables->inverse_q[i] =
            (0 - gfp_mont_negative_inverse(prime->q)) & ((UINT64_C(1) << 52) - 1);
        gfp_ntt48_dft_roots_fill(tables->dft[i][0], prime, 3);
        gfp_ntt48_dft_roots_fill(tables->dft[i][1], prime, 5);
        for (unsigned primes = 3; primes <= 4; primes++) {
            if (i < primes) {
                fill_scale(tables, primes, i, field->k);
            }
        }
    }
    fill_split(&tables->split[0], 3, field->r);
    fill_split(&tables->split[1], 4, field->r);
}

void gfp_ifma_roots(uint64_t *roots, unsigned prime, unsigned odd, unsigned log2_roots)
{
    gfp_ntt48_root *made = (gfp_ntt48_root *)roots;
    if (odd == 1) {
        gfp_ntt48_roots_fill(made, made + ((size_t)1 << log2_roots), &gfp_ntt48_primes[prime],
                             log2_roots);
    } else {
        gfp_ntt48_odd_roots_fill(made, &gfp_ntt48_primes[prime], odd, log2_roots + 1);
    }
}
