/* fma_matrix_avx2.c: products of matrices of residues by FMA on doubles: rows by four columns stay
 * in registers. Bounds: fma_ranges.py.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/leaf/fma.h"
#include "fft/words/ntt_fma_vec.h"
#include "field/base/unroll.h"

#define ROWS 4

/* Doubles in [2^102, 2^103) are multiples of 2^50: x y + 3 2^101 rounds to 3 2^101 + 2^50 h. The
 * rest l = x y - 2^50 h is at most 2^49 in absolute value, and 3 2^51 + l is exact. The bits of
 * these two doubles are the bits of 3 2^101 plus h, and the bits of 3 2^51 plus l: integers, summed
 * up modulo 2^64. */
#define HIGH_ZERO 0x1.8p102
#define LOW_ZERO 0x1.8p52
#define HIGH_BITS ((uint64_t)(1023 + 102) << 52 | (uint64_t)1 << 51)
#define LOW_BITS ((uint64_t)(1023 + 52) << 52 | (uint64_t)1 << 51)
/* Sums of h or l plus this are in [0, 2^61). */
#define SUM_BIAS ((uint64_t)1 << 60)

/* Words below 2^52 as doubles. */
static inline __m256d to_doubles(__m256i x)
{
    const __m256d zero = _mm256_set1_pd(0x1p52);
    return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(x, _mm256_castpd_si256(zero))), zero);
}

static inline __m256d high_half(__m256i x)
{
    return to_doubles(_mm256_srli_epi64(x, 32));
}

static inline __m256d low_half(__m256i x)
{
    return to_doubles(_mm256_and_si256(x, _mm256_set1_epi64x(0xffffffff)));
}

/* Returns sum + 2^50 h + l, reduced, for sums h and l plus SUM_BIAS each. */
static inline __m256d reduce_sums(const gfp_fma_constants *c, const gfp_fma_prime *prime, __m256i h,
                                  __m256i l, __m256d sum)
{
    const gfp_fma_root *fold = prime->fold;
    __m256d x = _mm256_add_pd(gfp_fma_mul_root(c, high_half(h), &fold[0]),
                              gfp_fma_mul_root(c, low_half(h), &fold[1]));
    x = _mm256_add_pd(x, gfp_fma_mul_root(c, high_half(l), &fold[2]));
    x = _mm256_add_pd(x, _mm256_sub_pd(low_half(l), _mm256_set1_pd(fold[3].value)));
    return gfp_fma_reduce(c, _mm256_add_pd(x, sum));
}

/* c, four columns of `rows` <= ROWS rows. */
static void combine_block(const gfp_fma_constants *q, const gfp_fma_prime *prime, double *c,
                          const gfp_panel *panel, const double *const *a, const double *b,
                          size_t rows, bool first)
{
    const size_t terms = panel->terms, width = panel->width;
    const __m256d high_zero = _mm256_set1_pd(HIGH_ZERO);
    const __m256d both_zero = _mm256_set1_pd(HIGH_ZERO + LOW_ZERO);
    const __m256i high_start = _mm256_set1_epi64x((int64_t)(SUM_BIAS - terms * HIGH_BITS));
    const __m256i low_start = _mm256_set1_epi64x((int64_t)(SUM_BIAS - terms * LOW_BITS));
    __m256i low[ROWS], high[ROWS];
    GFP_UNROLL
    for (unsigned r = 0; r < ROWS; r++) {
        low[r] = low_start;
        high[r] = high_start;
    }
    for (size_t i = 0; i < terms; i++, b += width) {
        const __m256d y = _mm256_load_pd(b);
        GFP_UNROLL
        for (unsigned r = 0; r < ROWS; r++) {
            const __m256d x = _mm256_broadcast_sd(a[r] + i);
            const __m256d h = _mm256_fmadd_pd(x, y, high_zero);
            const __m256d l = _mm256_fmadd_pd(x, y, _mm256_sub_pd(both_zero, h));
            high[r] = _mm256_add_epi64(high[r], _mm256_castpd_si256(h));
            low[r] = _mm256_add_epi64(low[r], _mm256_castpd_si256(l));
        }
    }
    GFP_UNROLL
    for (unsigned r = 0; r < ROWS; r++) {
        if (r < rows) {
            double *z = c + r * width;
            const __m256d sum = first ? _mm256_setzero_pd() : _mm256_load_pd(z);
            _mm256_store_pd(z, reduce_sums(q, prime, high[r], low[r], sum));
        }
    }
}

void gfp_hybrid_fma_combine(const gfp_leaf_tables *tables, unsigned prime, uint64_t *c,
                            const gfp_panel *panel, bool first)
{
    const gfp_fma_prime *p = &((const gfp_hybrid_fma *)(const void *)tables)->prime[prime];
    const gfp_fma_modulus modulus = {.q = p->q, .inverse = p->inverse};
    const gfp_fma_constants q = gfp_fma_constants_get(&modulus);
    const double *a = (const double *)(const void *)panel->a;
    const double *b = (const double *)(const void *)panel->b;
    double *z = (double *)(void *)c;
    for (size_t r = 0; r < panel->rows; r += ROWS) {
        const size_t rows = panel->rows - r < ROWS ? panel->rows - r : ROWS;
        const double *row[ROWS];
        for (size_t i = 0; i < ROWS; i++) {
            row[i] = a + (r + (i < rows ? i : 0)) * panel->step_a;
        }
        for (size_t j = 0; j < panel->width; j += GFP_FMA_LANES) {
            combine_block(&q, p, z + r * panel->width + j, panel, row, b + j, rows, first);
        }
    }
}
