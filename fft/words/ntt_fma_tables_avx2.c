/* ntt_fma_tables_avx2.c: the primes of ntt_fma.h, their roots of unity, and the tables of roots in
 * the order of the tree. The code is scalar; it belongs to this level because no other level uses
 * it.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/ntt_fma.h"
#include "field/base/word.h"

const uint64_t gfp_fma_primes[GFP_FMA_PRIMES] = {
    UINT64_C(0x32cbfdf400001),
    UINT64_C(0x32cbfee400001),
    UINT64_C(0x32cc008800001),
    UINT64_C(0x32cc022c00001),
};

/* Returns a root of unity of exactly this order, a power of the prime `least`: least^(order /
 * least) != 1. */
static uint64_t root_of_order(uint64_t q, uint64_t order, uint64_t least)
{
    for (uint64_t g = 2;; g++) {
        uint64_t w = gfp_mod_pow(g, (q - 1) / order, q);
        if (gfp_mod_pow(w, order / least, q) != 1) {
            return w;
        }
    }
}

uint64_t gfp_fma_odd_root(unsigned prime, unsigned order)
{
    return root_of_order(gfp_fma_primes[prime], order, order);
}

gfp_fma_root gfp_fma_root_make(uint64_t value, uint64_t q)
{
    double balanced = value > q / 2 ? -(double)(q - value) : (double)value;
    gfp_fma_root root = {balanced, balanced / (double)q};
    return root;
}

/* Returns 1 / odd mod 2^GFP_FMA_LOG2_ORDER, by Newton's iteration. */
static uint64_t odd_inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (int i = 0; i < 5; i++) {
        x *= 2 - odd * x;
    }
    return x & (((uint64_t)1 << GFP_FMA_LOG2_ORDER) - 1);
}

/* Entry 2^j + i is entry i times the root of order 2^(j + 2). Only this function needs residues of
 * doubled precision: it reads the values below 2^j back from the table. */
void gfp_fma_roots_fill(gfp_fma_root *table, unsigned log2_size, unsigned prime, int power,
                        unsigned odd, uint64_t first)
{
    const uint64_t q = gfp_fma_primes[prime], order = (uint64_t)1 << GFP_FMA_LOG2_ORDER;
    const uint64_t exponent = ((uint64_t)(int64_t)power * odd_inverse(odd)) & (order - 1);
    const uint64_t root = gfp_mod_pow(root_of_order(q, order, 2), exponent, q);
    table[0] = gfp_fma_root_make(first, q);
    for (unsigned j = 0; j < log2_size; j++) {
        uint64_t w =
            gfp_mod_pow(root, (uint64_t)1 << (GFP_FMA_LOG2_ORDER - 2 - j), q); /* order 2^(j + 2) */
        uint64_t companion = gfp_shoup_companion(w, q);
        size_t half = (size_t)1 << j;
        for (size_t i = 0; i < half; i++) {
            double x = table[i].value;
            uint64_t residue = x < 0 ? q - (uint64_t)-x : (uint64_t)x;
            uint64_t y = gfp_shoup_mul(residue, w, companion, q);
            table[half + i] = gfp_fma_root_make(y >= q ? y - q : y, q);
        }
    }
}
