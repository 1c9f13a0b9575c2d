/* avx512.c: the leaf engine's rings of the AVX-512 IFMA level. The evaluation in T and its
 * inverse are in evaluate_avx512.c, the CRT in split_avx512.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/leaf/avx512.h"

#include "field/base/context.h"
#include "fft/words/panel_ifma.h"
#include "field/base/support.h"

/* Below this number of vectors per channel, all channels go through the transforms as one array. */
#define FEW_COLUMNS 64

/* The least number of vectors of digits that go through the CRT at once. */
#define CRT_VECTORS 64

static bool leaf_avx512_serves(unsigned k, uint64_t r)
{
    return k >= 2 && k <= GFP_MAX_K && r >= GFP_FAST_R_MIN && r <= GFP_OUTER_R_MAX;
}

/* 1 - 2^-14 and 1 + 2^-7 have binary logarithms of -5.8 and 735.7 / 65536. */
static unsigned bound_log2(unsigned count)
{
    return count == 3   ? GFP_HYBRID_BITS * GFP_IFMA_BITS_3 - 6
           : count == 4 ? GFP_HYBRID_BITS * GFP_IFMA_BITS_4 + 735
                        : 0;
}

static unsigned log2_max_length(unsigned k, unsigned odd)
{
    (void)k;
    return odd == 1 || odd == 3 || odd == 5 ? GFP_IFMA_LOG2_LENGTH : 0;
}

/* m = 8 odd 2^levels. */
static unsigned leaf_avx512_levels(const gfp_hybrid_shape *shape)
{
    return gfp_ctz64(shape->outer.m) - 3;
}

/* The step of long channels is odd, so that they do not meet in a cache set. */
static size_t leaf_avx512_step(size_t columns)
{
    return columns < FEW_COLUMNS ? columns : columns | 1;
}

/* Returns the columns that go through the CRT at once. */
static size_t crt_columns(unsigned k)
{
    return k < CRT_VECTORS ? CRT_VECTORS / k : 1;
}

static size_t scratch_words(unsigned k, unsigned primes)
{
    return 8 * primes * crt_columns(k) * k;
}

/* Returns the transforms modulo prime number i of the batch's leaves. */
static gfp_ntt_ifma transforms_of(const gfp_leaf_batch *l, unsigned i)
{
    const gfp_ifma_tables *tables = (const gfp_ifma_tables *)l->tables;
    const unsigned odd = l->shape->odd;
    gfp_ntt_ifma ntt = {.prime = &gfp_ntt48_primes[i], .inverse_q = tables->inverse_q[i]};
    ntt.forward = gfp_leaf_roots(l, i, 1);
    ntt.inverse = ntt.forward + ((size_t)1 << l->log2_roots);
    ntt.odd = odd;
    ntt.log2_blocks = l->levels;
    if (odd != 1) {
        ntt.odd_roots = gfp_leaf_roots(l, i, odd);
        ntt.dft_roots = tables->dft[i][odd / 4];
    }
    return ntt;
}

_Static_assert((int)GFP_LEAF_PAIRS == (int)GFP_IFMA_PAIRS, "pairs are those of ntt_ifma.h");
_Static_assert((int)GFP_LEAF_FORWARD == (int)GFP_IFMA_FORWARD &&
                   (int)GFP_LEAF_MULTIPLY == (int)GFP_IFMA_MULTIPLY &&
                   (int)GFP_LEAF_INVERSE == (int)GFP_IFMA_INVERSE,
               "steps are those of fft/words/ntt_ifma.h");

/* An operand of more words than this, 1 MiB, exceeds the second-level cache. */
#define FAR_WORDS ((size_t)1 << 17)

/* Whether channels follow each other without a gap, so that they go as one array. */
static bool leaf_avx512_joined(const gfp_leaf_batch *l)
{
    return l->step == l->columns;
}

static void multiply_channels(const gfp_ntt_ifma *ntt, const gfp_leaf_batch *l, __m512i *x,
                              __m512i *y)
{
    const size_t arrays = leaf_avx512_joined(l) ? 1 : l->k,
                 leaves = leaf_avx512_joined(l) ? l->k * l->count : l->count;
    for (size_t c = 0; c < arrays; c++) {
        gfp_ntt_ifma_multiply(ntt, x + c * l->step, y + c * l->step, leaves,
                              l->nodes + c * l->count);
    }
}

static void channel_steps(const gfp_ntt_ifma *ntt, const gfp_leaf_batch *l, __m512i *x,
                          const __m512i *y, unsigned which)
{
    const size_t arrays = leaf_avx512_joined(l) ? 1 : l->k,
                 leaves = leaf_avx512_joined(l) ? l->k * l->count : l->count;
    for (size_t c = 0; c < arrays; c++) {
        gfp_ntt_ifma_steps(ntt, x + c * l->step, y + c * l->step, leaves, l->nodes + c * l->count,
                           which);
    }
}

static void leaf_avx512_steps(const gfp_leaf_batch *l, unsigned prime, uint64_t *x, uint64_t *y,
                              const int64_t *a, const int64_t *b, unsigned which)
{
    const gfp_ifma_leaf_kernels *kernels = &gfp_ifma_leaf_table[l->log2_k - 1];
    const gfp_ntt_ifma ntt = transforms_of(l, prime);
    __m512i *u = (__m512i *)x, *v = y == NULL ? u : (__m512i *)y;
    if (b != NULL) {
        kernels->evaluate(ntt.prime, ntt.forward, v, l->step, (const __m512i *)b, l->columns);
    }
    if (a != NULL) {
        kernels->evaluate(ntt.prime, ntt.forward, u, l->step, (const __m512i *)a, l->columns);
    }
    if (which == 0) {
        return;
    }
    if (which == GFP_LEAF_PRODUCT && (b != NULL || v == u)) {
        multiply_channels(&ntt, l, u, v);
        return;
    }
    const gfp_outer *outer = &l->shape->outer;
    const bool far = (l->shape->primes * outer->leaves * outer->m) << l->log2_k > FAR_WORDS;
    channel_steps(&ntt, l, u, v, which | (far && (which & GFP_LEAF_MULTIPLY) ? GFP_IFMA_FAR : 0));
}

static void leaf_avx512_accumulate(const gfp_leaf_batch *l, unsigned prime, uint64_t *z,
                                   const gfp_leaf_pairs *pairs, int sign)
{
    const gfp_ntt_ifma ntt = transforms_of(l, prime);
    const size_t arrays = leaf_avx512_joined(l) ? 1 : l->k,
                 leaves = leaf_avx512_joined(l) ? l->k * l->count : l->count;
    gfp_ifma_pairs p = {.count = pairs->count};
    for (size_t c = 0; c < arrays; c++) {
        const size_t at = c * l->step;
        for (size_t j = 0; j < p.count; j++) {
            p.x[j] = (const __m512i *)pairs->x[j] + at;
            p.y[j] = (const __m512i *)pairs->y[j] + at;
        }
        gfp_ntt_ifma_accumulate(&ntt, (__m512i *)z + at, &p, leaves, l->nodes + c * l->count, sign);
    }
}

static void leaf_avx512_add(const gfp_leaf_batch *l, unsigned prime, uint64_t *z, const uint64_t *x,
                            const uint64_t *y, bool subtract)
{
    for (size_t c = 0; c < l->k; c++) {
        const size_t at = c * l->step;
        gfp_ntt_ifma_add(&gfp_ntt48_primes[prime], (__m512i *)z + at, (const __m512i *)x + at,
                         (const __m512i *)y + at, l->columns, subtract);
    }
}

/* ---- matrices ---- */

/* Channels are below 12.2 q; products by Montgomery lack no factor. */
static void leaf_avx512_project(const gfp_leaf_batch *l, unsigned prime, uint64_t *x,
                                const int64_t *digits, bool left)
{
    (void)left;
    gfp_ifma_leaf_table[l->log2_k - 1].evaluate(&gfp_ntt48_primes[prime],
                                                gfp_leaf_roots(l, prime, 1), (__m512i *)x, l->step,
                                                (const __m512i *)digits, l->columns);
}

typedef struct montgomery {
    gfp_ifma_modulus modulus;
    __m512i inverse_q;
} montgomery;

/* Sums / 2^52 plus old, in [0, q + e): GFP_PANEL_TERMS products have low halves below 2^59 and high
 * ones below 2^59. */
GFP_INLINE __m512i divide_sums(__m512i low, __m512i high, __m512i old, const void *constants)
{
    const montgomery *w = constants;
    const gfp_ifma_modulus *mod = &w->modulus;
    const __m512i multiple = _mm512_madd52lo_epu64(_mm512_setzero_si512(), low, w->inverse_q);
    const __m512i t = _mm512_madd52hi_epu64(_mm512_setzero_si512(), multiple, mod->q);
    __m512i h = _mm512_add_epi64(high, _mm512_srli_epi64(low, 52));
    h = _mm512_sub_epi64(_mm512_add_epi64(h, mod->q), t);
    return gfp_ifma_reduce(gfp_ifma_reduce_wide(_mm512_add_epi64(h, old), mod), mod);
}

static void leaf_avx512_combine(const gfp_leaf_tables *head, unsigned prime, uint64_t *c,
                                const gfp_panel *panel, bool first)
{
    const gfp_ifma_tables *tables = (const gfp_ifma_tables *)head;
    const montgomery w = {gfp_ifma_modulus_of(&gfp_ntt48_primes[prime]),
                          lanes_set(tables->inverse_q[prime])};
    gfp_panel_multiply(c, panel, first, divide_sums, &w);
}

/* Recombines a few columns at a time. */
static void leaf_avx512_recombine(const gfp_leaf_batch *l, int64_t *digits,
                                  const uint64_t *channels, const size_t columns[2], size_t terms)
{
    const gfp_ifma_tables *tables = (const gfp_ifma_tables *)l->tables;
    const unsigned primes = l->shape->primes, set = primes - 3;
    const gfp_ifma_leaf_kernels *kernels = &gfp_ifma_leaf_table[l->log2_k - 1];
    const uint64_t r = l->shape->outer.field->r;
    const size_t together = crt_columns(l->k), size = together * l->k;
    gfp_ifma_split_kernel *split = gfp_ifma_split_kernel_get(primes, r);
    __m512i *residues = (__m512i *)l->scratch;
    (void)terms; /* the bounds of the split include those of the primes */
    for (size_t column = columns[0]; column < columns[1]; column += together) {
        const size_t n = gfp_size_min(columns[1] - column, together);
        for (unsigned i = 0; i < primes; i++) {
            kernels->interpolate(&gfp_ntt48_primes[i], transforms_of(l, i).inverse,
                                 tables->scale[set][l->shape->odd / 2][l->levels][i],
                                 residues + i * size,
                                 (const __m512i *)(channels + i * l->words) + column, l->step, n);
        }
        split(&tables->split[set], r, (__m512i *)digits + column * l->k, residues, size, l->k, n);
    }
}

const gfp_leaf_engine gfp_leaf_avx512ifma = {
    .name = "avx512ifma",
    .serves = leaf_avx512_serves,
    .bound_log2 = bound_log2,
    .log2_max_length = log2_max_length,
    .lanes = 8,
    .levels = leaf_avx512_levels,
    .step = leaf_avx512_step,
    .scratch_words = scratch_words,
    .tables_size = sizeof(gfp_ifma_tables),
    .constants = gfp_ifma_constants,
    /* An odd node has GFP_NTT48_ODD_ROOTS roots, and the table twice as many nodes as plain
     * roots. */
    .node_roots = {2, 2 * GFP_NTT48_ODD_ROOTS(3), 2 * GFP_NTT48_ODD_ROOTS(5)},
    .fill_roots = gfp_ifma_roots,
    .steps = leaf_avx512_steps,
    .accumulate = leaf_avx512_accumulate,
    .add = leaf_avx512_add,
    .project = leaf_avx512_project,
    .combine = leaf_avx512_combine,
    .recombine = leaf_avx512_recombine,
};
