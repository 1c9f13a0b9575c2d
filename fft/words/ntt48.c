/* ntt48.c: primes below 2^48 and tables of their roots of unity (portable: set-up only).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/ntt48.h"

#include "field/base/word.h"

/* The greatest primes = 1 mod 15 2^22 below 2^48 (test: hybrid_leaf). */
const gfp_ntt48_prime gfp_ntt48_primes[GFP_NTT48_PRIMES] = {
    {UINT64_C(0xffffd9800001), 17},
    {UINT64_C(0xffffd2000001), 14},
    {UINT64_C(0xffffc3000001), 11},
    {UINT64_C(0xffffa8c00001), 19},
};

gfp_ntt48_root gfp_ntt48_root_of(uint64_t w, uint64_t q)
{
    return (gfp_ntt48_root){w, (uint64_t)(((gfp_u128)w << 52) / q)};
}

/* Returns the root of unity generator^((q - 1) / order). */
static uint64_t root_of_order(const gfp_ntt48_prime *prime, uint64_t order)
{
    return gfp_mod_pow(prime->generator, (prime->q - 1) / order, prime->q);
}

static uint64_t ntt48_invert(uint64_t a, uint64_t q)
{
    return gfp_mod_pow(a, q - 2, q);
}

/* table[b] := the product, over the bits t of b, of the power of top (of order 2^22) that has order
 * 2^(t+2). */
static void fill_products(gfp_ntt48_root *table, uint64_t q, uint64_t top, unsigned log2_count)
{
    table[0] = gfp_ntt48_root_of(1, q);
    for (unsigned t = 0; t < log2_count; t++) {
        size_t half = (size_t)1 << t;
        uint64_t w = gfp_mod_pow(top, UINT64_C(1) << (GFP_NTT48_LOG2_ORDER - 2 - t), q);
        for (size_t b = 0; b < half; b++) {
            table[half + b] = gfp_ntt48_root_of(gfp_mod_mul(table[b].w, w, q), q);
        }
    }
}

void gfp_ntt48_roots_fill(gfp_ntt48_root *forward, gfp_ntt48_root *inverse,
                          const gfp_ntt48_prime *prime, unsigned log2_count)
{
    uint64_t top = root_of_order(prime, UINT64_C(1) << GFP_NTT48_LOG2_ORDER);
    fill_products(forward, prime->q, top, log2_count);
    fill_products(inverse, prime->q, ntt48_invert(top, prime->q), log2_count);
}

/* Fills the entries of the node with this c; inverse = 1 / c. */
static void fill_odd_node(gfp_ntt48_root *entry, uint64_t q, uint64_t c, uint64_t inverse,
                          uint64_t zeta, unsigned odd)
{
    uint64_t power = 1, back = 1, base = c;
    for (unsigned s = 1; s < odd; s++) {
        power = gfp_mod_mul(power, c, q);
        back = gfp_mod_mul(back, inverse, q);
        entry[s - 1] = gfp_ntt48_root_of(power, q);
        entry[2 * odd - 2 + s] = gfp_ntt48_root_of(back, q);
    }
    for (unsigned i = 0; i < odd; i++) {
        entry[odd - 1 + i] = gfp_ntt48_root_of(base, q);
        base = gfp_mod_mul(base, zeta, q);
    }
}

void gfp_ntt48_odd_roots_fill(gfp_ntt48_root *roots, const gfp_ntt48_prime *prime, unsigned odd,
                              unsigned log2_count)
{
    const uint64_t q = prime->q, order = UINT64_C(1) << GFP_NTT48_LOG2_ORDER;
    const uint64_t zeta = root_of_order(prime, odd);
    const size_t stride = GFP_NTT48_ODD_ROOTS(odd);
    /* 1 / odd modulo the order is (j order + 1) / odd for the j that makes it whole. */
    uint64_t j = 1;
    while ((j * order + 1) % odd != 0) {
        j++;
    }
    uint64_t top = gfp_mod_pow(root_of_order(prime, order), (j * order + 1) / odd, q);
    /* c is multiplicative like W, but c of node 2^t has order 2^(t+1). An entry holds c at odd - 1
     * and 1 / c at 2 odd - 1. */
    fill_odd_node(roots, q, 1, 1, zeta, odd);
    for (unsigned t = 0; t < log2_count; t++) {
        size_t half = (size_t)1 << t;
        uint64_t w = gfp_mod_pow(top, order >> (t + 1), q);
        uint64_t back = ntt48_invert(w, q);
        for (size_t b = 0; b < half; b++) {
            const gfp_ntt48_root *from = roots + b * stride;
            uint64_t c = gfp_mod_mul(from[odd - 1].w, w, q);
            uint64_t inverse = gfp_mod_mul(from[2 * odd - 1].w, back, q);
            fill_odd_node(roots + (half + b) * stride, q, c, inverse, zeta, odd);
        }
    }
}

void gfp_ntt48_dft_roots_fill(gfp_ntt48_root roots[GFP_NTT48_DFT_ROOTS],
                              const gfp_ntt48_prime *prime, unsigned odd)
{
    const uint64_t q = prime->q, half = (q + 1) / 2;
    const uint64_t zeta = root_of_order(prime, odd);
    for (unsigned i = 0; i < GFP_NTT48_DFT_ROOTS; i++) {
        roots[i] = gfp_ntt48_root_of(zeta, q);
    }
    if (odd == 5) {
        uint64_t c[2], s[2], power = zeta;
        for (unsigned j = 0; j < 2; j++) {
            uint64_t back = ntt48_invert(power, q);
            c[j] = gfp_mod_mul((power + back) % q, half, q);
            s[j] = gfp_mod_mul(gfp_mod_sub(power, back, q), half, q);
            power = gfp_mod_mul(power, power, q);
        }
        uint64_t quarter = gfp_mod_mul(half, half, q);
        roots[0] = gfp_ntt48_root_of(q - quarter, q);
        roots[1] = gfp_ntt48_root_of(gfp_mod_mul(gfp_mod_sub(c[0], c[1], q), half, q), q);
        roots[2] = gfp_ntt48_root_of(s[0], q);
        roots[3] = gfp_ntt48_root_of(gfp_mod_sub(s[1], s[0], q), q);
        roots[4] = gfp_ntt48_root_of((s[1] + s[0]) % q, q);
    }
}
