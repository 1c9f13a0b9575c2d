/* native_matrix_avx512.c: products of matrices of residues by AVX-512 IFMA: a block of rows by 16
 * columns stays in registers. Bounds: native_ranges.py.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/small/native_ifma.h"

enum { VECTORS = 2, ROWS = 6 };

/* Residues in are below 6.1 q < 2^51: GFP_NATIVE_TERMS products have low words below 2^59 and high
 * words below 2^57, and c starts the low ones. Out: those of gfp_native_fold. */
GFP_INLINE void combine_block(const gfp_native_prime *prime, uint64_t *c,
                              const gfp_native_panel *panel, const uint64_t *a, const uint64_t *b,
                              const unsigned rows, bool first)
{
    const size_t width = panel->width;
    __m512i low[ROWS][VECTORS], high[ROWS][VECTORS];
    GFP_UNROLL
    for (unsigned r = 0; r < rows; r++) {
        GFP_UNROLL
        for (unsigned v = 0; v < VECTORS; v++) {
            low[r][v] = first ? lanes_zero() : lanes_load(c + r * width + v * LANES);
            high[r][v] = lanes_zero();
        }
    }
    for (size_t i = 0; i < panel->terms; i++, b += width) {
        const __m512i b0 = lanes_load(b), b1 = lanes_load(b + LANES);
        GFP_UNROLL
        for (unsigned r = 0; r < rows; r++) {
            const __m512i x = lanes_set(a[r * panel->step_a + i]);
            lanes_add_product(&low[r][0], &high[r][0], x, b0);
            lanes_add_product(&low[r][1], &high[r][1], x, b1);
        }
    }
    GFP_UNROLL
    for (unsigned r = 0; r < rows; r++) {
        GFP_UNROLL
        for (unsigned v = 0; v < VECTORS; v++) {
            lanes_store(c + r * width + v * LANES, gfp_native_fold(low[r][v], high[r][v], prime));
        }
    }
}

void gfp_native_combine_avx512(const gfp_native_prime *prime, uint64_t *c,
                               const gfp_native_panel *panel, bool first)
{
    const size_t width = panel->width;
    for (size_t r = 0; r < panel->rows; r += ROWS) {
        const uint64_t *a = panel->a + r * panel->step_a;
        for (size_t j = 0; j < width; j += (size_t)VECTORS * LANES) {
            uint64_t *to = c + r * width + j;
            const uint64_t *b = panel->b + j;
            switch (panel->rows - r) {
            case 1:
                combine_block(prime, to, panel, a, b, 1, first);
                break;
            case 2:
                combine_block(prime, to, panel, a, b, 2, first);
                break;
            case 3:
                combine_block(prime, to, panel, a, b, 3, first);
                break;
            case 4:
                combine_block(prime, to, panel, a, b, 4, first);
                break;
            case 5:
                combine_block(prime, to, panel, a, b, 5, first);
                break;
            default:
                combine_block(prime, to, panel, a, b, ROWS, first);
                break;
            }
        }
    }
}
