/* native_matrix_portable.c: products of matrices of residues in plain C; the twin of
 * native_matrix_avx512.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/small/native.h"

/* Columns summed side by side. */
#define SIDE 4

/* Residues are in [0, q), so sums of GFP_PANEL_TERMS products are below 2^103 < 2^62 q. Each call
 * adds less than 2 q to c: reducing it to [0, 2 q) first keeps c below 4 q. */
void gfp_native_combine_portable(const gfp_native_prime *prime, uint64_t *c, const gfp_panel *panel,
                                 bool first)
{
    const uint64_t q = prime->prime.q, negative_inverse = gfp_mont_negative_inverse(q);
    const size_t width = panel->width;
    for (size_t r = 0; r < panel->rows; r++, c += width) {
        const uint64_t *a = panel->a + r * panel->step_a;
        for (size_t j = 0; j < width; j += SIDE) {
            const uint64_t *b = panel->b + j;
            gfp_u128 sum[SIDE] = {0};
            for (size_t i = 0; i < panel->terms; i++, b += width) {
                for (size_t l = 0; l < SIDE; l++) {
                    sum[l] += gfp_mul_wide(a[i], b[l]);
                }
            }
            for (size_t l = 0; l < SIDE; l++) {
                const uint64_t t = gfp_mont_reduce(sum[l], q, negative_inverse);
                const uint64_t old = first ? 0 : c[j + l];
                c[j + l] = t + (old >= 2 * q ? old - 2 * q : old);
            }
        }
    }
}
