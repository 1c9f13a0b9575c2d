/* ntt_ifma.h: arithmetic modulo a prime q just below 2^48 on eight lanes by IFMA, and the products
 * in Z_q[x]/(x^m - g) that use it. For the files of the AVX-512 level only.
 *
 * A lane holds a residue as an integer v in [0, 2^52) that may exceed q by several multiples of q:
 * the comments give v's range. IFMA reads the low 52 bits of its factors only. Bits 52 and above of
 * a lane are therefore arbitrary ("v modulo 2^52") until v is shifted or compared; they are masked
 * first. crt/hybrid/leaf/ifma_ranges.py proves the ranges, tests/fft/words/ifma_checked.c runs this
 * code on intervals; e below is a number less than q / 2^13.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_NTT_IFMA_H
#define GFP_FFT_WORDS_NTT_IFMA_H

#include "fft/words/ntt48.h"
#include "field/kernels/vector_avx512.h"

/* State bounds of the integer of a lane, modulo 2^52, and what an operation needs of it:
 * tests/lab/ifma_checked.h checks both. */
#ifndef LANES_CLAIM
#define LANES_CLAIM(a, low, high) (a)
#define LANES_NEED(a, low, high) ((void)0)
/* All lanes: word i of the vector at a. */
#define LANES_WORD(a, i) _mm512_set1_epi64(((const long long *)(a))[i])
#endif

/* The constants of a prime, in all lanes. */
typedef struct gfp_ifma_modulus {
    uint64_t word; /* q in one word */
    __m512i q;
    __m512i minus_q; /* modulo 2^64 */
    __m512i twice;   /* 2 q */
    __m512i minus_twice;
    __m512i complement; /* 2^52 - q */
    __m512i delta;
    __m512i low48;
} gfp_ifma_modulus;

GFP_INLINE gfp_ifma_modulus gfp_ifma_modulus_of(const gfp_ntt48_prime *prime)
{
    uint64_t q = prime->q;
    return (gfp_ifma_modulus){
        .word = q,
        .q = lanes_set(q),
        .minus_q = lanes_set(0 - q),
        .twice = lanes_set(2 * q),
        .minus_twice = lanes_set(0 - 2 * q),
        .complement = lanes_set((UINT64_C(1) << 52) - q),
        .delta = lanes_set((UINT64_C(1) << 48) - q),
        .low48 = lanes_set((UINT64_C(1) << 48) - 1),
    };
}

/* Returns v modulo q in [0, q + e), v < 2^52. */
GFP_INLINE __m512i gfp_ifma_reduce(__m512i v, const gfp_ifma_modulus *mod)
{
    LANES_NEED(v, 0, LANES_RADIX - 1);
    __m512i high = _mm512_and_si512(_mm512_srli_epi64(v, 48), _mm512_set1_epi64(15));
    return _mm512_madd52lo_epu64(_mm512_and_si512(v, mod->low48), high, mod->delta);
}

/* Returns v modulo q in [0, 2 q), v < 2^64. */
GFP_INLINE __m512i gfp_ifma_reduce_wide(__m512i v, const gfp_ifma_modulus *mod)
{
    return _mm512_madd52lo_epu64(_mm512_and_si512(v, mod->low48), _mm512_srli_epi64(v, 48),
                                 mod->delta);
}

/* Returns v modulo q in [7 q, 8 q + e): plus up to four products in [-q, q) this stays in [3 q,
 * 12.2 q]. */
GFP_INLINE __m512i gfp_ifma_raise(__m512i v, const gfp_ifma_modulus *mod)
{
    return _mm512_add_epi64(gfp_ifma_reduce(v, mod), lanes_set(7 * mod->word));
}

/* Returns start + v w modulo q with 0 <= v w - multiple of q < q (1 + v / 2^52) < 2 q, for any v <
 * 2^52. */
GFP_INLINE __m512i gfp_ifma_mul_from(__m512i start, __m512i v, __m512i w, __m512i companion,
                                     const gfp_ifma_modulus *mod)
{
    __m512i quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), v, companion);
    __m512i z =
        _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(start, v, w), quotient, mod->complement);
    return LANES_CLAIM(z, start.low, start.high + lanes_product(v, mod->word));
}

GFP_INLINE __m512i gfp_ifma_mul(__m512i v, gfp_ntt48_root root, const gfp_ifma_modulus *mod)
{
    return gfp_ifma_mul_from(_mm512_setzero_si512(), v, lanes_set(root.w),
                             lanes_set(root.companion), mod);
}

/* Returns the upper element of butterfly number j of a level that joins x[i] and x[i + h]. The
 * first half of the butterflies makes the elements that the next level multiplies first (those with
 * bit h/2), so that these results are ready when the next level starts. */
GFP_INLINE unsigned gfp_ifma_forward_place(unsigned n, unsigned h, unsigned j)
{
    if (h == 1 || n < 8) {
        return j % h + j / h * 2 * h;
    }
    const unsigned next = h / 2, low = j % (n / 4);
    return low % next + low / next * 4 * next + (j < n / 4 ? next : 0);
}

/* One level of x[0 .. n) in the tree below the node, which joins elements h apart. This is a single
 * loop, so that compilers unroll it before they assign registers. */
GFP_INLINE void gfp_ifma_forward_level(__m512i *x, unsigned n, unsigned h,
                                       const gfp_ntt48_root *roots, size_t node,
                                       const gfp_ifma_modulus *mod)
{
    const gfp_ntt48_root *root = roots + node * (n / (2 * h));
    const unsigned group = n / 2 < 4 ? n / 2 : 4;
    GFP_UNROLL
    for (unsigned j = 0; j < n / 2; j += group) {
        __m512i quotient[4], t[4];
        GFP_UNROLL
        for (unsigned u = 0; u < group; u++) {
            const unsigned i = gfp_ifma_forward_place(n, h, j + u);
            quotient[u] = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x[i + h],
                                                lanes_set(root[i / (2 * h)].companion));
            t[u] = _mm512_madd52lo_epu64(mod->minus_q, x[i + h], lanes_set(root[i / (2 * h)].w));
        }
        GFP_UNROLL
        for (unsigned u = 0; u < group; u++) {
            t[u] = _mm512_madd52lo_epu64(t[u], quotient[u], mod->complement);
        }
        GFP_UNROLL
        for (unsigned u = 0; u < group; u++) {
            const unsigned i = gfp_ifma_forward_place(n, h, j + u);
            t[u] = LANES_CLAIM(t[u], -(gfp_i128)mod->word,
                               lanes_product(x[i + h], mod->word) - mod->word);
            x[i + h] = _mm512_sub_epi64(x[i], t[u]);
            x[i] = _mm512_add_epi64(x[i], t[u]);
        }
    }
}

/* All levels of x[0 .. n), n = 1, 2, 4, 8 or 16. */
GFP_INLINE void gfp_ifma_forward_levels(__m512i *x, unsigned n, const gfp_ntt48_root *roots,
                                        size_t node, const gfp_ifma_modulus *mod)
{
    if (n >= 16) {
        gfp_ifma_forward_level(x, n, 8, roots, node, mod);
    }
    if (n >= 8) {
        gfp_ifma_forward_level(x, n, 4, roots, node, mod);
    }
    if (n >= 4) {
        gfp_ifma_forward_level(x, n, 2, roots, node, mod);
    }
    if (n >= 2) {
        gfp_ifma_forward_level(x, n, 1, roots, node, mod);
    }
}

/* Inverse levels, each (a, b) := (a + b, w (a - b)), from x in [0, 2 q). A bias makes differences
 * non-negative; where possible, the start of the previous level's products does so at no cost. At
 * the level that joins elements h apart, a product (element h <= i < 2 h of its block) is in
 * [start, start + 2 q). The next level joins the product with that of the neighbour block, and the
 * level after joins the sums. The starts 2 q and 0 in blocks 0 and 1 of four, 0 and -2 q in blocks
 * 2 and 3, keep all these differences above 0: sums are in [2 q, 6 q) and [-2 q, 2 q), then in [0,
 * 8 q). The products of the last level start at 0. Returns the start in multiples of q. */
GFP_INLINE int gfp_ifma_inverse_start(unsigned n, unsigned h, unsigned block)
{
    return 2 * h == n ? 0 : (block % 2 == 0 ? 2 : 0) - (block / 2 % 2 == 0 ? 0 : 2);
}

/* Returns the bias, in multiples of q, of the differences of elements i of their blocks. Only sums
 * of three or more levels need one; the sums double from [0, 2 q) on, except for element 0 of 16
 * (see gfp_ifma_inverse_levels). */
GFP_INLINE unsigned gfp_ifma_inverse_bias(unsigned h, unsigned i)
{
    if (h >= 2 && i >= (h + 3) / 4) {
        return 0;
    }
    return h == 8 ? (i == 0 ? 10 : 8) : 2 * h;
}

GFP_INLINE __m512i gfp_ifma_difference(__m512i a, __m512i b, unsigned bias,
                                       const gfp_ifma_modulus *mod)
{
    __m512i difference = _mm512_sub_epi64(a, b);
    return bias == 0 ? difference : _mm512_add_epi64(difference, lanes_set(bias * mod->word));
}

/* One inverse level, times 2; a single loop like gfp_ifma_forward_level. */
GFP_INLINE void gfp_ifma_inverse_level(__m512i *x, unsigned n, unsigned h,
                                       const gfp_ntt48_root *roots, size_t node,
                                       const gfp_ifma_modulus *mod)
{
    const gfp_ntt48_root *root = roots + node * (n / (2 * h));
    GFP_UNROLL
    for (unsigned j = 0; j < n / 2; j++) {
        const unsigned b = j / h, i = j % h + 2 * h * b;
        const int start = gfp_ifma_inverse_start(n, h, b);
        __m512i difference =
            gfp_ifma_difference(x[i], x[i + h], gfp_ifma_inverse_bias(h, j % h), mod);
        x[i] = _mm512_add_epi64(x[i], x[i + h]);
        x[i + h] =
            gfp_ifma_mul_from(start == 0  ? _mm512_setzero_si512()
                              : start > 0 ? mod->twice
                                          : mod->minus_twice,
                              difference, lanes_set(root[b].w), lanes_set(root[b].companion), mod);
    }
}

/* The levels that join elements less than `end` apart, end <= n, for x[0 .. n) in [0, 2 q). With
 * end = n, x[0 .. n/2) is below 16 q afterwards, and the rest below 2 q. */
GFP_INLINE void gfp_ifma_inverse_levels(__m512i *x, unsigned n, unsigned end,
                                        const gfp_ntt48_root *roots, size_t node,
                                        const gfp_ifma_modulus *mod)
{
    if (end > 1) {
        gfp_ifma_inverse_level(x, n, 1, roots, node, mod);
    }
    if (end > 2) {
        gfp_ifma_inverse_level(x, n, 2, roots, node, mod);
    }
    if (n == 16) { /* sums of four, below 8 q, are added twice more */
        x[0] = gfp_ifma_reduce(x[0], mod);
        x[4] = gfp_ifma_reduce(x[4], mod);
        x[8] = gfp_ifma_reduce(x[8], mod);
    }
    if (end > 4) {
        gfp_ifma_inverse_level(x, n, 4, roots, node, mod);
    }
    if (end > 8) {
        gfp_ifma_inverse_level(x, n, 8, roots, node, mod);
    }
}

/* ---- products in Z_q[x]/(x^m - g), ntt_ifma_avx512.c ---- */

/* The leaves of one product: m = 8 odd 2^log2_blocks coefficients, and tables large enough for
 * them. */
typedef struct gfp_ntt_ifma {
    const gfp_ntt48_prime *prime;
    uint64_t inverse_q; /* 1 / q mod 2^52 */
    const gfp_ntt48_root *forward;
    const gfp_ntt48_root *inverse;
    const gfp_ntt48_root *odd_roots; /* if odd != 1 */
    const gfp_ntt48_root *dft_roots;
    unsigned odd;
    unsigned log2_blocks;
} gfp_ntt_ifma;

/* a := a b 2^(log2_blocks) odd / 2^52 for `leaves` leaves side by side, each of m / 8 vectors; leaf
 * i is x^m - g with g of node nodes[i] at its depth. In: [3 q, 12.2 q]; out: [0, 2 q). b is
 * overwritten. b may be a: then a is squared. */
void gfp_ntt_ifma_multiply(const gfp_ntt_ifma *ntt, __m512i *a, __m512i *b, size_t leaves,
                           const uint32_t *nodes);

/* gfp_ntt_ifma_multiply in steps, in this order. FORWARD: a in [3 q, 12.2 q] becomes its transform,
 * in [0, 12.2 q]. MULTIPLY: a := a transform times the transform b in [0, 16 q), which is
 * unchanged. INVERSE: products in [0, q + e) become leaves in [0, 2 q). Only MULTIPLY reads b; FAR
 * prefetches b. */
enum { GFP_IFMA_FORWARD = 1, GFP_IFMA_MULTIPLY = 2, GFP_IFMA_INVERSE = 4, GFP_IFMA_FAR = 8 };
void gfp_ntt_ifma_steps(const gfp_ntt_ifma *ntt, __m512i *a, const __m512i *b, size_t leaves,
                        const uint32_t *nodes, unsigned steps);
/* Pairs of transforms, at least one. */
#define GFP_IFMA_PAIRS 4
typedef struct gfp_ifma_pairs {
    const __m512i *x[GFP_IFMA_PAIRS], *y[GFP_IFMA_PAIRS];
    size_t count;
} gfp_ifma_pairs;

/* z := s, z + s or z - s for sign 0, 1, -1, s the sum of the pairs' products x y: x in [0, 12.2 q],
 * y in [0, 16 q), z in and out in [0, q + e). z may be any x or y. */
void gfp_ntt_ifma_accumulate(const gfp_ntt_ifma *ntt, __m512i *z, const gfp_ifma_pairs *pairs,
                             size_t leaves, const uint32_t *nodes, int sign);
/* z := x + y or x - y for n vectors in [0, 16 q); z in [0, q + e). */
void gfp_ntt_ifma_add(const gfp_ntt48_prime *prime, __m512i *z, const __m512i *x, const __m512i *y,
                      size_t n, bool subtract);

#endif
