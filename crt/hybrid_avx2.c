/* hybrid_avx2.c: the hybrid method's engine of the AVX2 level. Per prime: digits to residues, the
 * evaluation in T, channel by channel the product in x; then the recombination. Working space: the
 * channels of a for every prime, of b for one, and one column's digits.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "hybrid_fma.h"
#include "ntt_fma_vec.h"
#include "support.h"
#include "word.h"

/* ---- step 1: evaluation in T ---- */

/* Digits that are loaded before any of them is evaluated. */
#define BATCH_DIGITS 32

/* A signed 64-bit digit, as high 2^32 + low, modulo q: at most 0.55. The mantissas give high 2^32 -
 * 2^52 and 2^52 + low; 2^52 is 5 q and a little. */
static inline __m256d digit_load(const gfp_fma_constants *c, const int64_t *digits)
{
    __m256i d = _mm256_load_si256((const __m256i *)(const void *)digits);
    __m256i low = _mm256_blend_epi32(d, _mm256_set1_epi64x(0x4330000000000000), 0xaa);
    __m256i high =
        _mm256_xor_si256(_mm256_srli_epi64(d, 32), _mm256_set1_epi64x(0x4530000080000000));
    __m256d x = _mm256_sub_pd(_mm256_castsi256_pd(high), _mm256_set1_pd(0x1p84 + 0x1p63 + 0x1p52));
    __m256d f = _mm256_fmadd_pd(x, c->inverse, c->round);
    f = _mm256_sub_pd(f, _mm256_set1_pd(GFP_FMA_ROUND - 5));
    return _mm256_add_pd(_mm256_fnmadd_pd(f, c->q, x), _mm256_castsi256_pd(low));
}

/* A few columns at a time: first all digits, then all passes. */
static inline void evaluate(const gfp_fma_modulus *modulus, unsigned log2_k, const int64_t *digits,
                            size_t vectors, double *channels, size_t stride, double *buffer)
{
    const gfp_fma_modulus m = *modulus;
    gfp_fma_constants c = gfp_fma_constants_get(&m);
    size_t k = (size_t)1 << log2_k;
    unsigned bits = gfp_fma_bottom_bits(log2_k); /* the last pass goes to the channels */
    unsigned levels = log2_k - bits;
    size_t batch = k < BATCH_DIGITS ? (size_t)BATCH_DIGITS >> log2_k : 1;
    for (size_t v = 0; v < vectors;) {
        size_t columns = gfp_size_min(batch, vectors - v);
        for (size_t t = 0; t < k * columns; t++) {
            _mm256_store_pd(buffer + GFP_FMA_LANES * t,
                            digit_load(&c, digits + GFP_FMA_LANES * (k * v + t)));
        }
        for (size_t i = 0; i < columns; i++, v++) {
            double *column = buffer + GFP_FMA_LANES * k * i;
            if (levels != 0) {
                gfp_fma_forward(modulus, column, (size_t)1 << bits, levels, 1);
            }
            for (size_t b = 0; b < (size_t)1 << levels; b++) {
                gfp_fma_forward_pass(&m, channels + GFP_FMA_LANES * ((b << bits) * stride + v),
                                     stride, column + GFP_FMA_LANES * (b << bits), 1,
                                     ((size_t)1 << levels) + b, bits);
            }
        }
    }
}

void gfp_hybrid_fma_evaluate(const gfp_fma_modulus *modulus, unsigned log2_k, const int64_t *digits,
                             size_t vectors, double *channels, size_t stride, double *buffer)
{
    if (log2_k == 1) {
        evaluate(modulus, 1, digits, vectors, channels, stride, buffer);
    } else if (log2_k == 2) {
        evaluate(modulus, 2, digits, vectors, channels, stride, buffer);
    } else if (log2_k == 3) {
        evaluate(modulus, 3, digits, vectors, channels, stride, buffer);
    } else {
        evaluate(modulus, log2_k, digits, vectors, channels, stride, buffer);
    }
}

/* ---- step 2: one channel ---- */

/* Two operands of so many vectors fit the first cache; larger ones are split depth first. */
#define CACHE_VECTORS 512

void gfp_hybrid_fma_multiply(const gfp_fma_context *context, double *a, double *b, unsigned levels,
                             size_t node)
{
    const gfp_fma_modulus *m = &context->modulus;
    size_t vectors = (size_t)context->odd << levels;
    if (vectors <= CACHE_VECTORS || levels < 3) {
        gfp_fma_forward(m, a, context->odd, levels, node);
        if (b != a) {
            gfp_fma_forward(m, b, context->odd, levels, node);
        }
        gfp_hybrid_fma_base(context, a, b, (size_t)1 << levels, node << levels);
        gfp_fma_backward(m, a, context->odd, levels, node);
        return;
    }
    size_t part = vectors / 8;
    gfp_fma_forward(m, a, part, 3, node);
    if (b != a) {
        gfp_fma_forward(m, b, part, 3, node);
    }
    for (size_t i = 0; i < 8; i++) {
        gfp_hybrid_fma_multiply(context, a + GFP_FMA_LANES * part * i, b + GFP_FMA_LANES * part * i,
                                levels - 3, 8 * node + i);
    }
    gfp_fma_backward(m, a, part, 3, node);
}

/* ---- the engine ---- */

static bool serves(unsigned k, uint64_t r)
{
    return k >= 2 && k <= GFP_MAX_K && r >= GFP_FAST_R_MIN && r <= GFP_OUTER_R_MAX;
}

/* The product of the first three primes is just above 2^149, of all above 2^198, of two above 2^99.
 */
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

/* Vectors from one channel to the next: not a multiple of the page. */
static size_t channel_stride(size_t vectors)
{
    return (vectors + 1) / 2 * 2 + 2;
}

static size_t work_words(const gfp_hybrid_shape *shape)
{
    size_t k = gfp_field_k(shape->outer.field);
    size_t vectors = gfp_size_mul_sat(shape->group, shape->outer.m / GFP_FMA_LANES);
    size_t channels = gfp_size_mul_sat(k * (shape->primes + 1), channel_stride(vectors));
    channels = gfp_size_add_sat(channels, gfp_hybrid_fma_scratch((unsigned)k));
    return gfp_size_add_sat(gfp_size_mul_sat(GFP_FMA_LANES, channels), k * shape->group);
}

/* The channels of a for the last prime. */
static size_t late_word(const gfp_hybrid_shape *shape)
{
    const size_t stride = channel_stride(shape->outer.m / GFP_FMA_LANES);
    return GFP_FMA_LANES * gfp_field_k(shape->outer.field) * stride * (shape->primes - 1);
}

static gfp_fma_context context_make(const gfp_hybrid_fma *tables, const gfp_hybrid_shape *shape,
                                    unsigned p)
{
    unsigned log2_roots = gfp_hybrid_fma_log2_roots(shape);
    unsigned o = shape->odd / 2;
    const gfp_fma_prime *prime = &tables->prime[p];
    gfp_fma_context context;
    context.modulus.q = prime->q;
    context.modulus.inverse = prime->inverse;
    context.modulus.forward =
        atomic_load_explicit(&prime->roots[0][log2_roots], memory_order_acquire);
    context.modulus.backward = context.modulus.forward + ((size_t)1 << log2_roots);
    context.prime = prime;
    context.odd_forward = atomic_load_explicit(&prime->roots[o][log2_roots], memory_order_acquire);
    context.odd_backward = context.odd_forward + ((size_t)1 << log2_roots);
    context.scale = &prime->scale[o][gfp_hybrid_fma_levels(shape) + tables->bits - 1];
    context.odd = shape->odd;
    return context;
}

/* Where x^m - t^e(j) is in the tree of x^(2^s m) - 1, t being the root of T^k + 1 of channel c: t
 * is exp(2 pi i E / 2k), E the reversal of k + c, so the node nu has rev(nu) = E rev(j) mod 2^s,
 * all reversals being of s bits. */
static uint32_t leaf_node(const gfp_hybrid_fma *tables, unsigned log2_size, unsigned leaf,
                          size_t channel)
{
    unsigned shift = tables->bits - log2_size;
    unsigned exponent = tables->reversed[((size_t)1 << (tables->bits - 1)) + channel];
    unsigned product = exponent * (tables->reversed[leaf] >> shift);
    return (uint32_t)tables->reversed[product & ((1U << log2_size) - 1)] >> shift;
}

/* The channels of one prime, k of them stride vectors apart; nodes as leaf_node has them, channel
 * by channel. */
static void multiply_channels(const gfp_fma_context *context, const gfp_hybrid_shape *shape,
                              double *x, double *y, size_t stride, const uint32_t *nodes,
                              unsigned count)
{
    const size_t k = gfp_field_k(shape->outer.field);
    const unsigned levels = gfp_hybrid_fma_levels(shape);
    for (size_t c = 0; c < k; c++, nodes += count) {
        double *a = x + GFP_FMA_LANES * c * stride;
        double *b = y + GFP_FMA_LANES * c * stride;
        if (shape->odd == 1 && levels <= GFP_HYBRID_FMA_SHORT) {
            gfp_hybrid_fma_multiply_short(context, a, b, levels, nodes, count);
            continue;
        }
        for (unsigned i = 0; i < count; i++, a += shape->outer.m, b += shape->outer.m) {
            gfp_hybrid_fma_multiply(context, a, b, levels, nodes[i]);
        }
    }
}

static void multiply(const gfp_hybrid_shape *shape, int64_t *a, const int64_t *b, unsigned first,
                     unsigned count, uint64_t *work)
{
    const gfp_hybrid_fma *tables = gfp_hybrid_fma_get(shape->outer.field);
    GFP_CONTRACT(shape->primes >= 2 && shape->primes <= GFP_FMA_PRIMES);
    GFP_CONTRACT(shape->outer.m >= 8 && shape->outer.m % (GFP_FMA_LANES * shape->odd) == 0);
    GFP_CONTRACT(count <= shape->group && first + count <= 1U << shape->outer.log2_size);
    const unsigned log2_k = tables->bits - 1;
    const size_t k = (size_t)1 << log2_k;
    const size_t vectors = count * (shape->outer.m / GFP_FMA_LANES);
    const size_t stride = channel_stride(vectors);
    const size_t all = GFP_FMA_LANES * k * stride; /* channels of one prime */
    double *channels_a = (double *)(void *)work;
    double *channels_b = channels_a + all * shape->primes;
    double *scratch = channels_b + all;
    uint32_t *nodes =
        (uint32_t *)(void *)(scratch + GFP_FMA_LANES * gfp_hybrid_fma_scratch((unsigned)k));
    for (size_t c = 0; c < k; c++) {
        for (unsigned i = 0; i < count; i++) {
            nodes[c * count + i] = leaf_node(tables, shape->outer.log2_size, first + i, c);
        }
    }
    gfp_fma_modulus moduli[GFP_FMA_PRIMES];
    for (unsigned p = 0; p < shape->primes; p++) {
        gfp_fma_context context = context_make(tables, shape, p);
        moduli[p] = context.modulus;
        double *x = channels_a + all * p;
        double *y = b == a ? x : channels_b;
        if (b != a) { /* first: b may lie at x */
            gfp_hybrid_fma_evaluate(&context.modulus, log2_k, b, vectors, y, stride, scratch);
        }
        gfp_hybrid_fma_evaluate(&context.modulus, log2_k, a, vectors, x, stride, scratch);
        multiply_channels(&context, shape, x, y, stride, nodes, count);
    }
    gfp_hybrid_fma_recombine(tables, moduli, shape->primes, log2_k, channels_a, stride, vectors, a,
                             scratch);
}

/* ---- products in parts: of each prime all channels, of each channel the leaves ---- */

enum { FORWARD = 1, MULTIPLY = 2, INVERSE = 4 };

/* Steps of gfp_hybrid_fma_multiply, depth first: transforms, at most 2.5, times one that stays, and
 * products, at most 1.25, back. */
static void leaf_steps(const gfp_fma_context *context, double *a, const double *b, unsigned levels,
                       size_t node, unsigned steps)
{
    const gfp_fma_modulus *m = &context->modulus;
    const size_t vectors = (size_t)context->odd << levels;
    const bool flat = vectors <= CACHE_VECTORS || levels < 3;
    const size_t width = flat ? context->odd : vectors / 8;
    const unsigned here = flat ? levels : 3;
    if (steps & FORWARD) {
        gfp_fma_forward(m, a, width, here, node);
    }
    if (flat && steps & MULTIPLY) {
        gfp_hybrid_fma_base(context, a, b, (size_t)1 << levels, node << levels);
    }
    for (size_t i = 0; i < 8 && !flat; i++) {
        const size_t at = GFP_FMA_LANES * width * i;
        leaf_steps(context, a + at, b + at, levels - 3, 8 * node + i, steps);
    }
    if (steps & INVERSE) {
        gfp_fma_backward(m, a, width, here, node);
    }
}

/* Where things are for count leaves. */
typedef struct layout {
    const gfp_hybrid_fma *tables;
    unsigned log2_k, count, levels;
    size_t vectors; /* of a channel */
    size_t stride;  /* between channels */
    size_t all;     /* numbers of one prime */
} layout;

static layout layout_of(const gfp_hybrid_shape *shape, unsigned count)
{
    layout l = {.tables = gfp_hybrid_fma_get(shape->outer.field), .count = count};
    l.log2_k = gfp_ctz64(gfp_field_k(shape->outer.field));
    l.levels = gfp_hybrid_fma_levels(shape);
    l.vectors = count * (shape->outer.m / GFP_FMA_LANES);
    l.stride = channel_stride(l.vectors);
    l.all = (GFP_FMA_LANES * l.stride) << l.log2_k;
    return l;
}

static size_t parts_words(const gfp_hybrid_shape *shape, unsigned count)
{
    return shape->primes * layout_of(shape, count).all;
}

static void channel_steps(const gfp_hybrid_shape *shape, const layout *l,
                          const gfp_fma_context *context, double *x, const double *y,
                          unsigned first, unsigned steps)
{
    for (size_t c = 0; c >> l->log2_k == 0; c++) {
        const size_t channel = GFP_FMA_LANES * c * l->stride;
        for (unsigned j = 0; j < l->count; j++) {
            const uint32_t node = leaf_node(l->tables, shape->outer.log2_size, first + j, c);
            const size_t at = channel + j * shape->outer.m;
            leaf_steps(context, x + at, y + at, l->levels, node, steps);
        }
    }
}

static void parts_transform(const gfp_hybrid_shape *shape, uint64_t *x, const int64_t *digits,
                            unsigned first, unsigned count, uint64_t *work)
{
    const layout l = layout_of(shape, count);
    for (unsigned p = 0; p < shape->primes; p++) {
        const gfp_fma_context context = context_make(l.tables, shape, p);
        double *z = (double *)(void *)x + p * l.all;
        gfp_hybrid_fma_evaluate(&context.modulus, l.log2_k, digits, l.vectors, z, l.stride,
                                (double *)(void *)work);
        channel_steps(shape, &l, &context, z, z, first, FORWARD);
    }
}

/* z := x + y or x - y, of at most 2.5 each, reduced. */
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

static void parts_multiply(const gfp_hybrid_shape *shape, uint64_t *z, const uint64_t *x,
                           const uint64_t *y, unsigned first, unsigned count, int sign,
                           uint64_t *work)
{
    const layout l = layout_of(shape, count);
    const size_t numbers = GFP_FMA_LANES * l.vectors;
    double *product = (double *)(void *)work;
    for (unsigned p = 0; p < shape->primes; p++) {
        const gfp_fma_context context = context_make(l.tables, shape, p);
        for (size_t c = 0; c >> l.log2_k == 0; c++) {
            const size_t at = p * l.all + GFP_FMA_LANES * c * l.stride;
            double *sum = (double *)(void *)z + at;
            memcpy(product, x + at, numbers * sizeof *product);
            for (unsigned j = 0; j < count; j++) {
                const uint32_t node = leaf_node(l.tables, shape->outer.log2_size, first + j, c);
                gfp_hybrid_fma_base(&context, product + j * shape->outer.m,
                                    (const double *)(const void *)y + at + j * shape->outer.m,
                                    (size_t)1 << l.levels, (size_t)node << l.levels);
            }
            if (sign == 0) {
                memcpy(sum, product, numbers * sizeof *product);
            } else {
                add_vectors(&context.modulus, sum, sum, product, numbers, sign < 0);
            }
        }
    }
}

static void parts_add(const gfp_hybrid_shape *shape, uint64_t *z, const uint64_t *x,
                      const uint64_t *y, unsigned count, bool subtract)
{
    const layout l = layout_of(shape, count);
    for (unsigned p = 0; p < shape->primes; p++) {
        const gfp_fma_context context = context_make(l.tables, shape, p);
        for (size_t c = 0; c >> l.log2_k == 0; c++) {
            const size_t at = p * l.all + GFP_FMA_LANES * c * l.stride;
            add_vectors(&context.modulus, (double *)(void *)z + at,
                        (const double *)(const void *)x + at, (const double *)(const void *)y + at,
                        GFP_FMA_LANES * l.vectors, subtract);
        }
    }
}

/* The digits of the channels x of all primes; the scratch is behind those of a product. */
static void recombine(const gfp_hybrid_shape *shape, const layout *l, int64_t *digits,
                      const double *x, uint64_t *work)
{
    gfp_fma_modulus moduli[GFP_FMA_PRIMES];
    for (unsigned p = 0; p < shape->primes; p++) {
        moduli[p] = context_make(l->tables, shape, p).modulus;
    }
    gfp_hybrid_fma_recombine(l->tables, moduli, shape->primes, l->log2_k, x, l->stride, l->vectors,
                             digits, (double *)(void *)work + shape->primes * l->all);
}

static void parts_restore(const gfp_hybrid_shape *shape, int64_t *digits, uint64_t *x,
                          unsigned first, unsigned count, size_t terms, uint64_t *work)
{
    const layout l = layout_of(shape, count);
    (void)terms; /* the recombination serves all that the primes do */
    for (unsigned p = 0; p < shape->primes; p++) {
        const gfp_fma_context context = context_make(l.tables, shape, p);
        double *z = (double *)(void *)x + p * l.all;
        channel_steps(shape, &l, &context, z, z, first, INVERSE);
    }
    recombine(shape, &l, digits, (const double *)(const void *)x, work);
}

static void parts_multiply_by(const gfp_hybrid_shape *shape, int64_t *a, const uint64_t *y,
                              unsigned first, unsigned count, size_t terms, uint64_t *work)
{
    const layout l = layout_of(shape, count);
    double *channels = (double *)(void *)work;
    (void)terms;
    for (unsigned p = 0; p < shape->primes; p++) {
        const gfp_fma_context context = context_make(l.tables, shape, p);
        double *x = channels + p * l.all;
        gfp_hybrid_fma_evaluate(&context.modulus, l.log2_k, a, l.vectors, x, l.stride,
                                channels + shape->primes * l.all);
        channel_steps(shape, &l, &context, x, (const double *)(const void *)y + p * l.all, first,
                      FORWARD | MULTIPLY | INVERSE);
    }
    recombine(shape, &l, a, channels, work);
}

static const gfp_hybrid_parts parts = {
    .words = parts_words,
    .transform = parts_transform,
    .multiply = parts_multiply,
    .add = parts_add,
    .restore = parts_restore,
    .multiply_by = parts_multiply_by,
};

const gfp_hybrid_engine gfp_hybrid_avx2 = {
    .name = "avx2",
    .serves = serves,
    .bound_log2 = bound_log2,
    .log2_max_length = log2_max_length,
    .work_words = work_words,
    .late_word = late_word,
    .prepare = gfp_hybrid_fma_prepare,
    .multiply = multiply,
    .parts = &parts,
};
