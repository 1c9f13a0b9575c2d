/* native_matrix_avx2.c: products of matrices of residues by FMA on doubles: a block of rows by four
 * columns stays in registers. Bounds: native_ranges.py.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/small/native.h"
#include "field/kernels/vector_avx2.h"

enum { ROWS = 4 };

/* Doubles in [2^103, 2^104) are multiples of 2^51: x y + 2^103 rounds to 2^103 + 2^51 h. The rest l
 * = x y - 2^51 h is at most 2^50 in absolute value, and 3 2^51 + l is exact. The bits of these two
 * doubles are the bits of 2^103 plus h, and the bits of 3 2^51 plus l: integers, summed up modulo
 * 2^64. */
#define HIGH_ZERO 0x1p103
#define LOW_ZERO 0x1.8p52
#define HIGH_BITS ((uint64_t)(1023 + 103) << 52)
#define LOW_BITS ((uint64_t)(1023 + 52) << 52 | (uint64_t)1 << 51)
#define HIGH_SHIFT 51

/* Words below 2^52 as doubles. */
GFP_INLINE __m256d to_doubles(lanes x)
{
    const __m256d zero = _mm256_set1_pd(0x1p52);
    return _mm256_sub_pd(_mm256_castsi256_pd(lanes_or(x, _mm256_castpd_si256(zero))), zero);
}

/* c, four columns of up to ROWS rows: a has ROWS entries for each term. The sums are those of
 * native_matrix_portable.c. */
static void combine_block(const gfp_native_prime *prime, uint64_t *c, const gfp_panel *panel,
                          const double *a, const uint64_t *b, size_t rows, bool first)
{
    const uint64_t q = prime->prime.q, negative_inverse = gfp_mont_negative_inverse(q);
    const size_t width = panel->width, terms = panel->terms;
    const __m256d high_zero = _mm256_set1_pd(HIGH_ZERO);
    const __m256d both_zero = _mm256_set1_pd(HIGH_ZERO + LOW_ZERO);
    lanes low[ROWS], high[ROWS];
    uint64_t lows[ROWS][LANES], highs[ROWS][LANES];
    GFP_UNROLL
    for (unsigned r = 0; r < ROWS; r++) {
        low[r] = lanes_zero();
        high[r] = lanes_zero();
    }
    for (size_t i = 0; i < terms; i++, a += ROWS, b += width) {
        const __m256d y = to_doubles(_mm256_loadu_si256((const __m256i *)(const void *)b));
        GFP_UNROLL
        for (unsigned r = 0; r < ROWS; r++) {
            const __m256d x = _mm256_broadcast_sd(a + r);
            const __m256d h = _mm256_fmadd_pd(x, y, high_zero);
            const __m256d l = _mm256_fmadd_pd(x, y, _mm256_sub_pd(both_zero, h));
            high[r] = lanes_add(high[r], _mm256_castpd_si256(h));
            low[r] = lanes_add(low[r], _mm256_castpd_si256(l));
        }
    }
    GFP_UNROLL
    for (unsigned r = 0; r < ROWS; r++) {
        _mm256_storeu_si256((__m256i *)(void *)lows[r], low[r]);
        _mm256_storeu_si256((__m256i *)(void *)highs[r], high[r]);
    }
    for (size_t r = 0; r < rows; r++, c += width) {
        for (size_t j = 0; j < LANES; j++) {
            const gfp_u128 h = (gfp_u128)(highs[r][j] - terms * HIGH_BITS) << HIGH_SHIFT;
            const gfp_i128 l = (int64_t)(lows[r][j] - terms * LOW_BITS);
            const uint64_t t = gfp_mont_reduce(h + (gfp_u128)l, q, negative_inverse);
            const uint64_t old = first ? 0 : c[j];
            c[j] = t + (old >= 2 * q ? old - 2 * q : old);
        }
    }
}

void gfp_native_combine_avx2(const gfp_native_prime *prime, uint64_t *c, const gfp_panel *panel,
                             bool first)
{
    double a[GFP_PANEL_TERMS * ROWS];
    for (size_t r = 0; r < panel->rows; r += ROWS) {
        const size_t rows = panel->rows - r < ROWS ? panel->rows - r : ROWS;
        for (size_t l = 0; l < ROWS; l++) {
            const uint64_t *row = panel->a + (r + (l < rows ? l : 0)) * panel->step_a;
            for (size_t i = 0; i < panel->terms; i++) {
                a[i * ROWS + l] = (double)(int64_t)row[i];
            }
        }
        for (size_t j = 0; j < panel->width; j += LANES) {
            combine_block(prime, c + r * panel->width + j, panel, a, panel->b + j, rows, first);
        }
    }
}
