/* short.h: products over Z of polynomials with coefficients of one limb, by two to four primes just
 * below 2^48: projection, and the Chinese remainder theorem in mixed radix, next to the transforms
 * of native.h.
 *
 * With primes q_0, q_1, ..., M their product, an integer c is v_0 + v_1 q_0 + v_2 q_0 q_1 + ..., 0
 * <= v_j < q_j, up to a multiple of M. c is negative if the last digit is above half of its prime:
 * |c| < M / 4 for all c here.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_SHORT_H
#define GFP_SHORT_H

#include "native.h"

#define GFP_SHORT_PRIMES 4

/* The primes, from the greatest one down, and the constants of the CRT for the residues that the
 * transforms of an engine leave: digit j is the residue times own[j][halvings] plus the sum of
 * digit i < j times factor[j][i], modulo q_j. halvings: gfp_native_halvings of the size. */
#define GFP_SHORT_HALVINGS (GFP_NTT48_LOG2_ORDER + 1)
typedef struct gfp_short_primes {
    gfp_native_prime prime[GFP_SHORT_PRIMES];
    gfp_ntt48_root own[GFP_SHORT_PRIMES][GFP_SHORT_HALVINGS];
    gfp_ntt48_root factor[GFP_SHORT_PRIMES][GFP_SHORT_PRIMES];
    /* [count - 1]: M of the first `count` primes in digits of 52 bits. */
    uint64_t product[GFP_SHORT_PRIMES][GFP_SHORT_PRIMES];
} gfp_short_primes;

void gfp_short_primes_fill(gfp_short_primes *primes, const gfp_native_engine *engine);

/* A recombination by the first `count` primes. */
typedef struct gfp_short_crt {
    const gfp_short_primes *primes;
    unsigned count, halvings;
} gfp_short_crt;

/* The primes, at least 2, for integers of absolute value below 2^bits: M / 4 > 2^bits, since M >
 * 2^(48 count - 1). */
static inline size_t gfp_short_count(size_t bits)
{
    const size_t count = (bits + 3 + GFP_NATIVE_BITS - 1) / GFP_NATIVE_BITS;
    return count < 2 ? 2 : count;
}

typedef struct gfp_short_kernels {
    const gfp_native_engine *engine;
    /* z := residues of len words in two's complement, and of 0 up to `points`, as engine->multiply
     * takes them. */
    void (*project)(const gfp_native_prime *prime, uint64_t *z, const uint64_t *x, size_t len,
                    size_t points);
    /* c := the integers from <= i < end, the first one at c, in two's complement of `width` limbs,
     * with the residues x[j step + i], as engine->multiply gives them. x may be read up to the next
     * multiple of 8. */
    void (*recombine)(const gfp_short_crt *crt, uint64_t *c, size_t width, const uint64_t *x,
                      size_t step, size_t from, size_t end);
} gfp_short_kernels;

const gfp_short_kernels *gfp_short_kernels_get(gfp_level level);
/* *size := the least size of at least len points. Returns false if there is none. */
bool gfp_short_size_for(gfp_native_size *size, const gfp_native_engine *engine, size_t len);

extern const gfp_short_kernels gfp_short_portable;
#if GFP_X86_LEVELS
extern const gfp_short_kernels gfp_short_avx512;
#endif

/* c := the integer with these digits, of `width` limbs. */
static inline void gfp_short_put(uint64_t *c, size_t width, const gfp_short_crt *crt,
                                 const uint64_t v[GFP_SHORT_PRIMES])
{
    const gfp_native_prime *p = crt->primes->prime;
    const unsigned count = crt->count;
    const bool negative = v[count - 1] > p[count - 1].prime.q / 2;
    /* Horner's rule; a negative number is less than 0 by M - c: the last digit is q less. */
    uint64_t limb[3] = {v[count - 1], 0, 0};
    if (negative) {
        limb[0] -= p[count - 1].prime.q;
        limb[1] = limb[2] = UINT64_MAX;
    }
    for (unsigned j = count - 1; j-- > 0;) {
        /* limb := limb q_j + v_j modulo 2^192: two's complement needs no sign. */
        const uint64_t q = p[j].prime.q;
        gfp_u128 t = gfp_mul_wide(limb[0], q) + v[j];
        limb[0] = (uint64_t)t;
        t = gfp_mul_wide(limb[1], q) + gfp_hi64(t);
        limb[1] = (uint64_t)t;
        limb[2] = limb[2] * q + gfp_hi64(t);
    }
    for (size_t i = 0; i < width; i++) {
        c[i] = i < 3 ? limb[i] : 0 - (limb[2] >> 63);
    }
}

#endif
