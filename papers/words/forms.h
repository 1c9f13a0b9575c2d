/* forms.h: the papers' transforms modulo word-size primes on the CPU: DFT_N in natural order by
 * levels of radix 2 ("Big prime field FFT on the GPU", ISSAC 2017, section 7, and the 2010 paper on
 * products of polynomials on a GPU). They compute modulo the eight primes of a block at once, with
 * the library's arithmetic (fft/words/block.h), or modulo one prime below 2^30, with the 2010
 * paper's product.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef PAPERS_WORDS_FORMS_H
#define PAPERS_WORDS_FORMS_H

#include "field/base/cpu.h"
#include "fft/words/block.h"
#include "gfpoly/gpu_papers.h"

/* A prime q < 2^GFP_HALF_BITS. */
#define GFP_HALF_BITS 30
typedef struct gfp_half {
    uint32_t q, negative_inverse; /* -1/q mod 2^32 */
    double inverse;               /* 1/q, rounded */
} gfp_half;

gfp_half gfp_half_of(uint32_t q);

/* The ways to multiply residues by a constant: Montgomery's product, R = 2^32, and the paper's
 * double_mul_mod, a b - trunc(a b (1/q)) q with the quotient in double precision. */
typedef enum gfp_half_product { GFP_HALF_MONTGOMERY, GFP_HALF_DOUBLE_QUOTIENT } gfp_half_product;

/* The kernels of a level. N = 2^log2_n, 1 <= log2_n. */
typedef struct gfp_forms {
    gfp_level level;
    /* table := the powers of w_N that `transform` reads, for COOLEY_TUKEY w_N^i at i < N/2, for the
     * other forms w_2h^i at h + i, i < h = 1, 2, ..., N/2; eight words an entry. w_N is a power of
     * the block's root; log2_n <= GFP_WORDS_LOG2_ORDER. table has gfp_forms_entries entries. */
    void (*powers)(const gfp_words *block, uint64_t *table, unsigned log2_n, gfp_ntt_form form);
    /* x := DFT_N of x, eight words a point, residues in [0, q). Stockham's form moves the points
     * between x and work, which has as many words; the other forms do not use work. */
    void (*transform)(const gfp_words *block, const uint64_t *table, uint64_t *x, uint64_t *work,
                      unsigned log2_n, gfp_ntt_form form);
    /* y := c x, n residues in [0, q), c < q. y may be x. */
    void (*scale)(const gfp_half *half, uint32_t *y, const uint32_t *x, size_t n, uint32_t c,
                  gfp_half_product product);
    /* x := DFT_N of x in Stockham's form with the paper's product; powers are those of
     * gfp_half_powers, work has N residues. */
    void (*transform_half)(const gfp_half *half, const uint32_t *powers, uint32_t *x,
                           uint32_t *work, unsigned log2_n);
} gfp_forms;

static inline size_t gfp_forms_entries(unsigned log2_n, gfp_ntt_form form)
{
    return (size_t)1 << (form == GFP_NTT_COOLEY_TUKEY ? log2_n - 1 : log2_n);
}

/* powers[h + i] := w_2h^i, i < h = 1, 2, ..., N/2, w_N = gfp_word_root_of_unity(q, log2_n). */
void gfp_half_powers(uint32_t *powers, uint32_t q, unsigned log2_n);

extern const gfp_forms gfp_forms_portable;
#if GFP_X86_LEVELS || GFP_NEON_LEVEL
extern const gfp_forms gfp_forms_avx2;
extern const gfp_forms gfp_forms_avx512dq;
extern const gfp_forms gfp_forms_avx512;
#endif
/* Returns the kernels of the level. */
const gfp_forms *gfp_forms_get(gfp_level level);

#endif
