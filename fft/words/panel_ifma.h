/* panel_ifma.h: products of matrices of residues by IFMA, for the files of the AVX-512 level: a
 * block of rows by 16 columns stays in registers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_PANEL_IFMA_H
#define GFP_FFT_WORDS_PANEL_IFMA_H

#include <stdbool.h>

#include "fft/words/ntt_ifma.h"

enum { GFP_PANEL_VECTORS = 2, GFP_PANEL_ROWS = 6 };

/* Returns an entry of the product from sums of low and high halves, and old: 0, or the entry to
 * which the product is added. */
typedef __m512i gfp_panel_finish(__m512i low, __m512i high, __m512i old, const void *constants);

GFP_INLINE void gfp_panel_block(uint64_t *c, const gfp_panel *panel, const uint64_t *a,
                                const uint64_t *b, const unsigned rows, bool first,
                                gfp_panel_finish *finish, const void *constants)
{
    const size_t width = panel->width;
    __m512i low[GFP_PANEL_ROWS][GFP_PANEL_VECTORS], high[GFP_PANEL_ROWS][GFP_PANEL_VECTORS];
    GFP_UNROLL
    for (unsigned r = 0; r < rows; r++) {
        GFP_UNROLL
        for (unsigned v = 0; v < GFP_PANEL_VECTORS; v++) {
            low[r][v] = high[r][v] = lanes_zero();
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
        for (unsigned v = 0; v < GFP_PANEL_VECTORS; v++) {
            uint64_t *to = c + r * width + v * LANES;
            const __m512i old = first ? lanes_zero() : lanes_load(to);
            lanes_store(to, finish(low[r][v], high[r][v], old, constants));
        }
    }
}

/* c := the product of a panel, or c plus the product. */
GFP_INLINE void gfp_panel_multiply(uint64_t *c, const gfp_panel *panel, bool first,
                                   gfp_panel_finish *finish, const void *constants)
{
    const size_t width = panel->width;
    for (size_t r = 0; r < panel->rows; r += GFP_PANEL_ROWS) {
        const uint64_t *a = panel->a + r * panel->step_a;
        for (size_t j = 0; j < width; j += (size_t)GFP_PANEL_VECTORS * LANES) {
            uint64_t *to = c + r * width + j;
            const uint64_t *b = panel->b + j;
            switch (panel->rows - r) {
            case 1:
                gfp_panel_block(to, panel, a, b, 1, first, finish, constants);
                break;
            case 2:
                gfp_panel_block(to, panel, a, b, 2, first, finish, constants);
                break;
            case 3:
                gfp_panel_block(to, panel, a, b, 3, first, finish, constants);
                break;
            case 4:
                gfp_panel_block(to, panel, a, b, 4, first, finish, constants);
                break;
            case 5:
                gfp_panel_block(to, panel, a, b, 5, first, finish, constants);
                break;
            default:
                gfp_panel_block(to, panel, a, b, GFP_PANEL_ROWS, first, finish, constants);
                break;
            }
        }
    }
}

#endif
