/* avx2.c: the residue rings of the leaf engine at the AVX2 level: digits to residues, the
 * evaluation in T, and products in x, channel by channel. fma_base_avx2.c has the products of short
 * leaves, fma_recombine_avx2.c the recombination.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/leaf/fma.h"
#include "crt/hybrid/leaf/real.h"
#include "fft/words/ntt_fma_vec.h"
#include "field/base/support.h"
#include "field/base/word.h"

/* ---- step 1: evaluation in T ---- */

/* Returns a signed 64-bit digit modulo q: at most 0.55. 2^52 is slightly more than 5 q. */
static inline __m256d digit_load(const gfp_fma_constants *c, const int64_t *digits)
{
    __m256d x, low;
    gfp_fma_integers(&x, &low, digits);
    __m256d f = _mm256_fmadd_pd(x, c->inverse, c->round);
    f = _mm256_sub_pd(f, _mm256_set1_pd(GFP_FMA_ROUND - 5));
    return _mm256_add_pd(_mm256_fnmadd_pd(f, c->q, x), low);
}

/* A pass over levels done to done + bits of the tree of T^(2k) - 1 below node 1. Only the last pass
 * reduces, and only from REDUCED_LOG2 on: at most 2.83 out (fma_ranges.py). */
#define REDUCED_LOG2 5
static inline void evaluate_pass(const gfp_fma_modulus *m, double *x, size_t columns,
                                 unsigned log2_k, unsigned done, unsigned bits)
{
    const size_t nodes = (size_t)1 << done, width = (size_t)1 << (log2_k - done - bits);
    for (size_t i = 0; i < columns; i++) {
        for (size_t b = 0; b < nodes; b++, x += GFP_FMA_LANES * (width << bits)) {
            for (size_t t = 0; t < width; t++) {
                double *v = x + GFP_FMA_LANES * t;
                gfp_fma_forward_pass(m, v, width, v, width, nodes + b, bits, false);
            }
        }
    }
}

/* Evaluates a few columns at a time: each pass goes over all of them before the next one, since one
 * column is a long chain of dependent operations. The last pass writes to the channels. */
static inline void leaf_avx2_evaluate(const gfp_fma_modulus *modulus, unsigned log2_k,
                                      const int64_t *digits, size_t vectors, double *channels,
                                      size_t stride, double *buffer)
{
    const gfp_fma_modulus m = *modulus;
    const gfp_fma_constants c = gfp_fma_constants_get(&m);
    const size_t k = (size_t)1 << log2_k;
    const size_t batch = k < GFP_HYBRID_FMA_DIGITS / 2 ? GFP_HYBRID_FMA_DIGITS >> log2_k : 2;
    const unsigned last = log2_k == 1 ? 1 : 2;
    const bool reduce = log2_k >= REDUCED_LOG2;
    for (size_t v = 0; v < vectors; v += batch) {
        const size_t columns = gfp_size_min(batch, vectors - v), n = k * columns;
        for (size_t t = 0; t < n; t++) {
            _mm256_store_pd(buffer + GFP_FMA_LANES * t,
                            digit_load(&c, digits + GFP_FMA_LANES * (k * v + t)));
        }
        for (unsigned done = 0, bits; done + last < log2_k; done += bits) {
            bits = (log2_k - done) % 2 == 0 ? 2 : 1;
            evaluate_pass(&m, buffer, columns, log2_k, done, bits);
        }
        for (size_t b = 0; b < k >> last; b++) {
            const double *x = buffer + GFP_FMA_LANES * (b << last);
            double *z = channels + GFP_FMA_LANES * ((b << last) * stride + v);
            for (size_t i = 0; i < columns; i++) {
                gfp_fma_forward_pass(&m, z + GFP_FMA_LANES * i, stride, x + GFP_FMA_LANES * k * i,
                                     1, (k >> last) + b, last, reduce);
            }
        }
    }
}

/* channels := those of the batch's digits. */
static void evaluate_batch(const gfp_leaf_batch *l, const gfp_fma_modulus *modulus,
                           const int64_t *digits, double *channels)
{
    double *buffer = (double *)(void *)l->scratch;
    if (l->log2_k == 1) {
        leaf_avx2_evaluate(modulus, 1, digits, l->columns, channels, l->step, buffer);
    } else if (l->log2_k == 2) {
        leaf_avx2_evaluate(modulus, 2, digits, l->columns, channels, l->step, buffer);
    } else if (l->log2_k == 3) {
        leaf_avx2_evaluate(modulus, 3, digits, l->columns, channels, l->step, buffer);
    } else {
        leaf_avx2_evaluate(modulus, l->log2_k, digits, l->columns, channels, l->step, buffer);
    }
}

/* ---- step 2: one channel ---- */

/* Two operands of this many words fit the first cache; larger ones are split depth first. */
#define CACHE_WORDS 2048

/* Does the steps of one leaf, 4 odd 2^levels coefficients, modulo the polynomial of the node:
 * transforms (at most 4.15), products by b (at most 1.25), inverse transforms. */
static void leaf_steps(const gfp_fma_context *context, double *a, double *b, unsigned levels,
                       size_t node, unsigned steps)
{
    const gfp_fma_modulus *m = &context->modulus;
    const size_t vectors = (size_t)context->odd << (levels - GFP_FMA_INNER);
    const bool flat = GFP_FMA_LANES * vectors <= CACHE_WORDS || levels < 3 + GFP_FMA_INNER;
    const size_t width = flat ? context->odd : vectors / 8;
    const unsigned here = flat ? levels - GFP_FMA_INNER : 3;
    if (steps & GFP_LEAF_FORWARD) {
        gfp_fma_forward(m, a, width, here, node);
    }
    if (steps & GFP_FMA_FORWARD_BOTH) {
        gfp_fma_forward(m, b, width, here, node);
    }
    if (flat && steps & GFP_LEAF_MULTIPLY) {
        const uint32_t number = (uint32_t)node;
        const gfp_fma_nodes nodes = {&number, 1, levels};
        gfp_hybrid_fma_base(context, a, a, b, &nodes, false);
    }
    for (size_t i = 0; i < 8 && !flat; i++) {
        const size_t at = GFP_FMA_LANES * width * i;
        leaf_steps(context, a + at, b + at, levels - 3, 8 * node + i, steps);
    }
    if (steps & GFP_LEAF_INVERSE) {
        gfp_fma_backward(m, a, width, here, node);
    }
}

/* ---- the rings ---- */

static bool leaf_avx2_serves(unsigned k, uint64_t r)
{
    return k >= 2 && k <= GFP_MAX_K && r >= GFP_FAST_R_MIN && r <= GFP_OUTER_R_MAX;
}

/* The product of the first three primes is just above 2^149, that of all four above 2^198, that of
 * two above 2^99. */
static unsigned bound_log2(unsigned count)
{
    static const unsigned bits[GFP_FMA_PRIMES + 1] = {0, 48, 98, 148, 197};
    return count <= GFP_FMA_PRIMES ? GFP_HYBRID_BITS * bits[count] : 0;
}

static unsigned log2_max_length(unsigned k, unsigned odd)
{
    (void)k; /* 2 k <= 2^9 */
    return odd == 1 || odd == 3 || odd == 5 ? GFP_HYBRID_FMA_LOG2_LENGTH : 0;
}

/* m = 4 odd 2^levels. */
static unsigned leaf_avx2_levels(const gfp_hybrid_shape *shape)
{
    return gfp_ctz64(shape->outer.m) - 2;
}

/* Channels of at most this many columns follow each other without a gap and are one array: more
 * independent work for short leaves. */
#define FEW_COLUMNS 32

/* The step of longer channels is not a multiple of the page; the columns are even. */
static size_t leaf_avx2_step(size_t columns)
{
    return columns <= FEW_COLUMNS ? columns : columns + 2;
}

/* Returns the number of channels that are one array. */
static size_t joined_channels(const gfp_leaf_batch *l)
{
    return l->step == l->columns ? l->k : 1;
}

/* Member by member: a copy of the whole structure would wait for members just written. */
static gfp_fma_context context_of(const gfp_leaf_batch *l, unsigned p)
{
    const gfp_fma_prime *prime = &gfp_hybrid_fma_of(l)->prime[p];
    const unsigned odd = l->shape->odd;
    const size_t nodes = (size_t)1 << l->log2_roots;
    gfp_fma_context context;
    context.modulus.q = prime->q;
    context.modulus.inverse = prime->inverse;
    context.modulus.forward = gfp_leaf_roots(l, p, 1);
    context.modulus.backward = context.modulus.forward + nodes;
    context.prime = prime;
    context.odd_roots = gfp_leaf_roots(l, p, odd);
    context.nodes = nodes;
    context.scale = prime->scale[odd / 2][l->levels + l->log2_k];
    context.odd = odd;
    return context;
}

static void channel_steps(const gfp_leaf_batch *l, const gfp_fma_context *context, double *x,
                          double *y, unsigned which)
{
    const size_t m = l->shape->outer.m;
    const bool together =
        (which & GFP_LEAF_MULTIPLY) && context->odd == 1 && l->levels <= GFP_HYBRID_FMA_SHORT;
    const size_t joined = joined_channels(l);
    gfp_fma_nodes nodes = {l->nodes, joined * l->count, l->levels};
    for (size_t c = 0; c < l->k; c += joined, nodes.number += nodes.count) {
        double *a = x + GFP_FMA_LANES * c * l->step, *b = y + GFP_FMA_LANES * c * l->step;
        if (together) {
            gfp_hybrid_fma_multiply_short(context, a, b, &nodes, which & GFP_FMA_FORWARD_BOTH);
            continue;
        }
        for (size_t i = 0; i < nodes.count; i++, a += m, b += m) {
            leaf_steps(context, a, b, l->levels, nodes.number[i], which);
        }
    }
}

static void leaf_avx2_steps(const gfp_leaf_batch *l, unsigned prime, uint64_t *x, uint64_t *y,
                            const int64_t *a, const int64_t *b, unsigned which)
{
    if (GFP_HYBRID_REALS && prime == GFP_LEAF_REAL) {
        gfp_hybrid_real_steps(l, (double *)(void *)x, (double *)(void *)y, a, b, which);
        return;
    }
    const gfp_fma_context context = context_of(l, prime);
    double *u = (double *)(void *)x, *v = y == NULL ? u : (double *)(void *)y;
    if (b != NULL) {
        evaluate_batch(l, &context.modulus, b, v);
    }
    if (a != NULL) {
        evaluate_batch(l, &context.modulus, a, u);
    }
    if (which != 0) {
        channel_steps(l, &context, u, v, which | (b != NULL ? GFP_FMA_FORWARD_BOTH : 0));
    }
}

static void leaf_avx2_roots(uint64_t *roots, unsigned prime, unsigned odd, unsigned log2_roots)
{
    if (GFP_HYBRID_REALS && prime == GFP_LEAF_REAL) {
        gfp_hybrid_real_roots(roots, log2_roots);
    } else {
        gfp_hybrid_fma_roots(roots, prime, odd, log2_roots);
    }
}

/* z := x + y or x - y, of at most 4.15 each, reduced. */
static void add_vectors(const gfp_fma_modulus *modulus, double *z, const double *x, const double *y,
                        size_t n, bool subtract)
{
    const gfp_fma_constants c = gfp_fma_constants_get(modulus);
    for (size_t i = 0; i < n; i += GFP_FMA_LANES) {
        const __m256d u = _mm256_load_pd(x + i), v = _mm256_load_pd(y + i);
        const __m256d sum = subtract ? _mm256_sub_pd(u, v) : _mm256_add_pd(u, v);
        _mm256_store_pd(z + i, gfp_fma_reduce(&c, sum));
    }
}

/* One pair. A difference is a sum with the product scaled by the negative factor. */
static void accumulate_pair(const gfp_leaf_batch *l, unsigned prime, uint64_t *z, const uint64_t *x,
                            const uint64_t *y, int sign)
{
    const size_t joined = joined_channels(l), step = GFP_FMA_LANES * joined * l->step;
    gfp_fma_context context = context_of(l, prime);
    gfp_fma_nodes nodes = {l->nodes, joined * l->count, l->levels};
    if (sign < 0) {
        context.scale = (gfp_fma_root){-context.scale.value, -context.scale.quotient};
    }
    for (size_t c = 0; c < l->k; c += joined, z += step, x += step, y += step) {
        gfp_hybrid_fma_base(&context, (double *)(void *)z, (const double *)(const void *)x,
                            (const double *)(const void *)y, &nodes, sign != 0);
        nodes.number += nodes.count;
    }
}

static void leaf_avx2_accumulate(const gfp_leaf_batch *l, unsigned prime, uint64_t *z,
                                 const gfp_leaf_pairs *pairs, int sign)
{
    for (size_t i = 0; i < pairs->count; i++) {
        accumulate_pair(l, prime, z, pairs->x[i], pairs->y[i], i > 0 && sign == 0 ? 1 : sign);
    }
}

static void leaf_avx2_add(const gfp_leaf_batch *l, unsigned prime, uint64_t *z, const uint64_t *x,
                          const uint64_t *y, bool subtract)
{
    const gfp_fma_modulus modulus = context_of(l, prime).modulus;
    const size_t numbers = GFP_FMA_LANES * l->columns, step = GFP_FMA_LANES * l->step;
    for (unsigned c = l->k; c > 0; c--, z += step, x += step, y += step) {
        add_vectors(&modulus, (double *)(void *)z, (const double *)(const void *)x,
                    (const double *)(const void *)y, numbers, subtract);
    }
}

/* A left factor is scaled as a product would be: at most 0.65. */
static void leaf_avx2_project(const gfp_leaf_batch *l, unsigned prime, uint64_t *x,
                              const int64_t *digits, bool left)
{
    const gfp_fma_context context = context_of(l, prime);
    const gfp_fma_constants c = gfp_fma_constants_get(&context.modulus);
    const size_t step = GFP_FMA_LANES * l->step, numbers = GFP_FMA_LANES * l->columns;
    double *v = (double *)(void *)x;
    evaluate_batch(l, &context.modulus, digits, v);
    for (size_t t = 0; t < l->k && left; t++, v += step) {
        for (size_t i = 0; i < numbers; i += GFP_FMA_LANES) {
            _mm256_store_pd(v + i, gfp_fma_mul_root(&c, _mm256_load_pd(v + i), &context.scale));
        }
    }
}

#ifdef GFP_WIDE
#define ENGINE_NAME "avx512dq"
const gfp_leaf_engine gfp_leaf_avx512dq = {
#else
#define ENGINE_NAME GFP_LEVEL_FOUR_LANES_NAME
const gfp_leaf_engine gfp_leaf_avx2 = {
#endif
    .name = ENGINE_NAME,
    .serves = leaf_avx2_serves,
    .bound_log2 = bound_log2,
    .real_log2 = GFP_HYBRID_REALS ? GFP_HYBRID_REAL_LOG2 : 0,
    .log2_max_length = log2_max_length,
    .lanes = GFP_FMA_LANES,
    .levels = leaf_avx2_levels,
    .step = leaf_avx2_step,
    .scratch_words = gfp_hybrid_fma_scratch,
    .tables_size = sizeof(gfp_hybrid_fma),
    .constants = gfp_hybrid_fma_constants,
    .node_roots = {2, GFP_FMA_ODD_ROOTS(3), GFP_FMA_ODD_ROOTS(5)},
    .fill_roots = leaf_avx2_roots,
    .steps = leaf_avx2_steps,
    .accumulate = leaf_avx2_accumulate,
    .add = leaf_avx2_add,
    .project = leaf_avx2_project,
    .combine = gfp_hybrid_fma_combine,
    .recombine = gfp_hybrid_fma_recombine,
};
