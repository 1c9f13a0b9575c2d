/* native_matrix_avx512.c: products of matrices of residues by AVX-512 IFMA. Bounds:
 * native_ranges.py.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/small/native_ifma.h"
#include "fft/words/panel_ifma.h"

/* Residues in are below 6.1 q < 2^51: GFP_PANEL_TERMS products have low words below 2^59 and high
 * words below 2^57, and c is added to the low ones. Out: those of gfp_native_fold. */
GFP_INLINE __m512i fold_sums(__m512i low, __m512i high, __m512i old, const void *prime)
{
    return gfp_native_fold(_mm512_add_epi64(low, old), high, prime);
}

void gfp_native_combine_avx512(const gfp_native_prime *prime, uint64_t *c, const gfp_panel *panel,
                               bool first)
{
    gfp_panel_multiply(c, panel, first, fold_sums, prime);
}
