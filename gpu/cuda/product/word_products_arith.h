/* word_products_arith.h: what threads of word_products.cu compute: residues of coefficients, and
 * the coefficients of a product modulo q from residues. The code runs on the device and on the
 * host.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_PRODUCT_WORD_PRODUCTS_ARITH_H
#define GFP_GPU_CUDA_PRODUCT_WORD_PRODUCTS_ARITH_H

#include "gpu/cuda/word_arith.h"
#include "gpu/word_products.h"

/* The primes q0, q1, q2 below 2^62 and 1/q0 mod q1, 1/q0 mod q2, 1/q1 mod q2. */
struct gfp_gpu_word_primes {
    gfp_gpu_modulus modulus[GFP_GPU_WORD_PRIMES];
    uint64_t inverse01, inverse02, inverse12;
};

namespace
{

/* x mod q, x < 2^64: x (2^128 mod q) < 2^64 q is divided by 2^64 twice. */
static GFP_HD uint64_t word_residue(uint64_t x, const gfp_gpu_modulus &modulus)
{
    return mont64(mont64(x, modulus.square64, modulus), 1, modulus);
}

static GFP_HD uint64_t word_sub(uint64_t a, uint64_t b, const gfp_gpu_modulus &modulus)
{
    return a >= b ? a - b : a + modulus.q - b;
}

/* (high 2^64 + low) mod d for the normalised divisor d, high < d: Moeller and Granlund,
 * algorithm 4. */
static GFP_HD uint64_t word_remainder(uint64_t high, uint64_t low, uint64_t d, uint64_t inverse)
{
    uint64_t q1 = high64(inverse, high) + high;
    const uint64_t q0 = inverse * high + low;
    q1 += (q0 < low) + 1;
    uint64_t rest = low - q1 * d;
    if (rest > q0) {
        rest += d;
    }
    return rest >= d ? rest - d : rest;
}

/* x mod q for x = high 2^64 + low < 2^127 and q <= 2^63. */
static GFP_HD uint64_t word_reduce(uint64_t high, uint64_t low, const gfp_gpu_word_modulus &m)
{
    /* x 2^shift in three words; the highest one is below d = q 2^shift >= 2^63. */
    const unsigned s = (unsigned)m.shift;
    const uint64_t top = s == 0 ? 0 : high >> (64 - s);
    const uint64_t middle = s == 0 ? high : high << s | low >> (64 - s);
    const uint64_t rest =
        word_remainder(word_remainder(0, top, m.d, m.inverse), middle, m.d, m.inverse);
    return word_remainder(rest, low << s, m.d, m.inverse) >> s;
}

/* The coefficient modulo q with the residues r: v0 + v1 q0 + v2 q0 q1 in mixed radix. The sum of
 * the products is below 2^62 + 2 2^62 2^63 < 2^127. */
static GFP_HD uint64_t word_combine(const uint64_t r[GFP_GPU_WORD_PRIMES],
                                    const gfp_gpu_word_primes &p, const gfp_gpu_word_modulus &m)
{
    const uint64_t v0 = r[0];
    const gfp_gpu_modulus &q1 = p.modulus[1], &q2 = p.modulus[2];
    const uint64_t v1 = mod_mul(word_sub(r[1], word_residue(v0, q1), q1), p.inverse01, q1);
    uint64_t v2 = mod_mul(word_sub(r[2], word_residue(v0, q2), q2), p.inverse02, q2);
    v2 = mod_mul(word_sub(v2, word_residue(v1, q2), q2), p.inverse12, q2);
    uint64_t low = v0, high = 0, t = v1 * m.weight[0];
    low += t;
    high += high64(v1, m.weight[0]) + (low < t);
    t = v2 * m.weight[1];
    low += t;
    high += high64(v2, m.weight[1]) + (low < t);
    return word_reduce(high, low, m);
}

static inline void word_primes_fill(gfp_gpu_word_primes *p)
{
    /* The moduli are filled; q is prime. */
    const gfp_gpu_modulus *m = p->modulus;
    p->inverse01 = mod_pow(word_residue(m[0].q, m[1]), m[1].q - 2, m[1]);
    p->inverse02 = mod_pow(word_residue(m[0].q, m[2]), m[2].q - 2, m[2]);
    p->inverse12 = mod_pow(word_residue(m[1].q, m[2]), m[2].q - 2, m[2]);
}

} // namespace

#endif
