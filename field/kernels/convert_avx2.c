/* convert_avx2.c: radix conversion in four lanes of AVX2 and FMA. Products of 52-bit integers are
 * computed in double precision (doubles.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/convert.h"
#include "field/kernels/vector_avx2.h"

#define FEWEST 2

typedef double factor_word;

#define POWER_OF(level) ((level)->power_double)
#define INVERSE_OF(level) ((level)->inverse_double)

/* On this level the order of additions matters little. */
GFP_INLINE lanes lanes_keep(lanes x)
{
    return x;
}

GFP_INLINE lanes lanes_right_52(lanes x)
{
    return _mm256_srli_epi64(x, 52);
}

/* x + 2^63 is natural, so that an unsigned shift serves. */
GFP_INLINE lanes lanes_right_52_signed(lanes x)
{
    const lanes natural = _mm256_xor_si256(x, lanes_set((uint64_t)1 << 63));
    return lanes_sub(lanes_right_52(natural), lanes_set((uint64_t)1 << 11));
}

GFP_INLINE lanes_mask lanes_natural(lanes x)
{
    return _mm256_cmpgt_epi64(x, lanes_set(~(uint64_t)0));
}

GFP_INLINE void lanes_prefetch(const void *x)
{
    _mm_prefetch(x, _MM_HINT_T0);
}

/* w[j] := word j of each row, j < n; n = 2, 4 or 8. */
GFP_INLINE void load_rows(lanes *w, const uint64_t *const x[LANES], unsigned n)
{
    if (n == 2) {
        const lanes even = _mm256_inserti128_si256(_mm256_castsi128_si256(lanes_load_two(x[0])),
                                                   lanes_load_two(x[2]), 1);
        const lanes odd = _mm256_inserti128_si256(_mm256_castsi128_si256(lanes_load_two(x[1])),
                                                  lanes_load_two(x[3]), 1);
        w[0] = _mm256_unpacklo_epi64(even, odd);
        w[1] = _mm256_unpackhi_epi64(even, odd);
        return;
    }
    GFP_UNROLL
    for (unsigned t = 0; t < n; t += 4) {
        GFP_UNROLL
        for (unsigned e = 0; e < LANES; e++) {
            w[t + e] = lanes_load(x[e] + t);
        }
        lanes_transpose(w + t);
    }
}

GFP_INLINE void store_rows(uint64_t *const x[LANES], lanes *w, unsigned n)
{
    if (n == 2) {
        const lanes even = _mm256_unpacklo_epi64(w[0], w[1]);
        const lanes odd = _mm256_unpackhi_epi64(w[0], w[1]);
        const __m128i v[4] = {_mm256_castsi256_si128(even), _mm256_castsi256_si128(odd),
                              _mm256_extracti128_si256(even, 1), _mm256_extracti128_si256(odd, 1)};
        GFP_UNROLL
        for (unsigned e = 0; e < LANES; e++) {
            _mm_storeu_si128((__m128i *)(void *)x[e], v[e]);
        }
        return;
    }
    GFP_UNROLL
    for (unsigned t = 0; t < n; t += 4) {
        lanes_transpose(w + t);
        GFP_UNROLL
        for (unsigned e = 0; e < LANES; e++) {
            lanes_store(x[e] + t, w[t + e]);
        }
    }
}

/* w[j] := word from + j of each number, 0 beyond its end, j < 8. */
GFP_INLINE void load_some_words(lanes w[8], const gfp_limbs_view *x, size_t from)
{
    uint64_t near[LANES][8] = {{0}};
    const uint64_t *const rows[LANES] = {near[0], near[1], near[2], near[3]};
    for (unsigned e = 0; e < LANES; e++) {
        const size_t left = x[e].size > from ? x[e].size - from : 0;
        for (unsigned i = 0; i < 8 && i < left; i++) {
            near[e][i] = x[e].limbs[from + i];
        }
    }
    load_rows(w, rows, 8);
}

/* w[j] := word from + j of each number, j < n; n = 2, 4 or 8. */
GFP_INLINE void load_all_words(lanes w[8], const gfp_limbs_view *x, size_t from, unsigned n)
{
    const uint64_t *const rows[LANES] = {x[0].limbs + from, x[1].limbs + from, x[2].limbs + from,
                                         x[3].limbs + from};
    load_rows(w, rows, n);
}

/* Writes the first n words of each number, at most tile, to z[e] + from. */
GFP_INLINE void store_words(uint64_t *const *z, size_t from, lanes w[8], size_t n, unsigned tile)
{
    if (n >= tile) {
        uint64_t *const rows[LANES] = {z[0] + from, z[1] + from, z[2] + from, z[3] + from};
        store_rows(rows, w, tile);
        return;
    }
    uint64_t near[LANES][8];
    uint64_t *const rows[LANES] = {near[0], near[1], near[2], near[3]};
    store_rows(rows, w, 8);
    for (unsigned e = 0; e < LANES; e++) {
        memcpy(z[e] + from, near[e], n * sizeof near[e][0]);
    }
}

/* Loads n = 2, 4 or 8 digits of 4 elements, k words apart. */
GFP_INLINE void load_digits(lanes digits[8], const uint64_t *x, size_t k, unsigned n)
{
    const uint64_t *const rows[LANES] = {x, x + k, x + 2 * k, x + 3 * k};
    load_rows(digits, rows, n);
}

GFP_INLINE void store_digits(uint64_t *z, size_t k, lanes digits[8], unsigned n)
{
    uint64_t *const rows[LANES] = {z, z + k, z + 2 * k, z + 3 * k};
    store_rows(rows, digits, n);
}

#include "field/kernels/convert_lanes.inc"

gfp_convert_functions gfp_convert_avx2(unsigned k)
{
    return functions_for(k);
}
