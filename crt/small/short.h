/* short.h: products over Z of polynomials with coefficients of at most three limbs, by two to six
 * primes just below 2^48: projection, and the Chinese remainder theorem in mixed radix, next to the
 * transforms of native.h.
 *
 * With primes q_0, q_1, ..., M their product, an integer c is v_0 + v_1 q_0 + v_2 q_0 q_1 + ..., 0
 * <= v_j < q_j, up to a multiple of M. c is negative if the last digit is above half of its prime:
 * |c| < M / 4 for all c here.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_SMALL_SHORT_H
#define GFP_CRT_SMALL_SHORT_H

#include "crt/small/native.h"

#define GFP_SHORT_PRIMES 6
/* Coefficients have at most this many limbs and absolute values below 2^GFP_SHORT_BITS: three
 * pieces of 48 bits, the top one with a sign. */
#define GFP_SHORT_WIDTH 3
#define GFP_SHORT_BITS 142
/* The limbs of an integer below 2^(48 GFP_SHORT_PRIMES - 2) in absolute value. */
#define GFP_SHORT_LIMBS 5

/* The primes, from the greatest one down, and the constants of the CRT for the residues that the
 * transforms of an engine leave: digit j is the residue times own[j][halvings] plus the sum of
 * digit i < j times factor[j][i], modulo q_j. halvings: gfp_native_halvings of the size. */
#define GFP_SHORT_HALVINGS (GFP_NTT48_LOG2_ORDER + 1)
typedef struct gfp_short_primes {
    gfp_native_prime prime[GFP_SHORT_PRIMES];
    gfp_ntt48_root own[GFP_SHORT_PRIMES][GFP_SHORT_HALVINGS];
    gfp_ntt48_root factor[GFP_SHORT_PRIMES][GFP_SHORT_PRIMES];
    /* The weights of the second and the third piece, 2^48 and 2^96; -2^46 2^96: a third piece is
     * multiplied after 2^46 is added to it. */
    gfp_ntt48_root second[GFP_SHORT_PRIMES], third[GFP_SHORT_PRIMES];
    uint64_t bias[GFP_SHORT_PRIMES];
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
    /* z := residues modulo prime j of len coefficients of `width` limbs in two's complement, and of
     * 0 up to `points`, as engine->multiply takes them. */
    void (*project)(const gfp_short_primes *primes, unsigned j, uint64_t *z, const uint64_t *x,
                    size_t width, size_t len, size_t points);
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

/* The second and the third piece of a coefficient of two or three limbs, the third one plus 2^46.
 */
static inline uint64_t gfp_short_second(const uint64_t *x)
{
    return (x[0] >> GFP_NATIVE_BITS | x[1] << (64 - GFP_NATIVE_BITS)) &
           (((uint64_t)1 << GFP_NATIVE_BITS) - 1);
}

static inline uint64_t gfp_short_third(const uint64_t *x, size_t width)
{
    const uint64_t top = width > 2 ? x[2] : 0 - (x[1] >> 63);
    return (x[1] >> 32 | top << 32) + ((uint64_t)1 << (GFP_NATIVE_BITS - 2));
}

/* c := the integer with these digits, of `width` limbs. */
static inline void gfp_short_put(uint64_t *c, size_t width, const gfp_short_crt *crt,
                                 const uint64_t v[GFP_SHORT_PRIMES])
{
    const gfp_native_prime *p = crt->primes->prime;
    const unsigned count = crt->count;
    const bool negative = v[count - 1] > p[count - 1].prime.q / 2;
    /* Horner's rule; a negative number is less than 0 by M - c: the last digit is q less. */
    uint64_t limb[GFP_SHORT_LIMBS] = {v[count - 1] - (negative ? p[count - 1].prime.q : 0)};
    for (unsigned i = 1; i < GFP_SHORT_LIMBS; i++) {
        limb[i] = negative ? UINT64_MAX : 0;
    }
    for (unsigned j = count - 1; j-- > 0;) {
        /* limb := limb q_j + v_j modulo a power of two: two's complement needs no sign. */
        gfp_u128 t = v[j];
        for (unsigned i = 0; i < GFP_SHORT_LIMBS; i++) {
            t += gfp_mul_wide(limb[i], p[j].prime.q);
            limb[i] = (uint64_t)t;
            t = gfp_hi64(t);
        }
    }
    for (size_t i = 0; i < width; i++) {
        c[i] = i < GFP_SHORT_LIMBS ? limb[i] : 0 - (limb[GFP_SHORT_LIMBS - 1] >> 63);
    }
}

#endif
