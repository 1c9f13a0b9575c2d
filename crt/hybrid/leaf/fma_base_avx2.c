/* fma_base_avx2.c: the base of the AVX2 engine's products: modulo x^4 - g by four error-free
 * products; modulo x^(4 odd) - g by a DFT of odd points before and after. Nodes come in pairs, with
 * g and -g: two vectors of 4 lanes, or the halves of one of 8, which are split before and joined
 * after. Bounds are in units of q; tests/crt/hybrid/leaf/fma_checked.c proves them in this code.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/leaf/fma.h"
#include "fft/words/ntt_fma_vec.h"
#include "field/base/contract.h"
#include "field/base/unroll.h"

#define MAX_ODD 5
/* The vectors of a pair's coefficient 4 j of both nodes. */
#define PAIR_VECTORS (8 / GFP_FMA_LANES)
/* The pairs of nodes of one batch, and the most vectors of a batch. */
#define BATCH_PAIRS(odd) ((odd) == 1 ? 8 : (odd) == 3 ? 4 : 2)
#define BATCH_VECTORS (12 * PAIR_VECTORS)

/* A batch goes through short loops, one for each step: a product is a long chain of dependent
 * operations, and the results of many chains would be in flight at once. */
typedef struct batch {
    size_t pairs;
    size_t root[BATCH_PAIRS(1)]; /* of each pair: its place in the tables of roots */
    /* The first factor, reduced; the second one, b, scaled; and g b. Then the product: in two parts
     * at gb and b, and for odd = 3, 5 reduced at x. */
    double x[GFP_FMA_LANES * BATCH_VECTORS] __attribute__((aligned(64)));
    double b[GFP_FMA_LANES * BATCH_VECTORS] __attribute__((aligned(64)));
    double gb[GFP_FMA_LANES * BATCH_VECTORS] __attribute__((aligned(64)));
} batch;

/* Sets the batch's pairs, from pair `first` of the leaves on. */
static inline void batch_begin(batch *s, const gfp_fma_nodes *nodes, size_t first, size_t pairs)
{
    const unsigned shift = nodes->levels - 1;
    s->pairs = pairs;
    for (size_t i = 0; i < pairs; i++) {
        const size_t leaf = (first + i) >> shift;
        s->root[i] = ((size_t)nodes->number[leaf] << shift) + (first + i - (leaf << shift));
    }
}

/* ---- pairs of nodes ---- */

#ifdef GFP_WIDE

/* Returns x root in the lower half, and x root or (opposite) -x root in the upper one. */
static inline __m256d mul_pair(const gfp_fma_constants *c, __m256d x, const gfp_fma_root *root,
                               size_t number, bool opposite)
{
    const __m256d value = _mm256_broadcast_sd(&root->value);
    const __m256d quotient = _mm256_broadcast_sd(&root->quotient);
    (void)number;
    return opposite ? gfp_fma_mul(c, x, wide_negate_high(value), wide_negate_high(quotient))
                    : gfp_fma_mul(c, x, value, quotient);
}

/* z := x, of at most 4.15, modulo the two nodes of each pair: x^(8 odd) - g^2, the coefficients 4
 * i and 4 (i + odd) in the lower and in the upper halves; at most 4.86. */
static inline void split_pairs(const gfp_fma_context *context, const gfp_fma_constants *c,
                               const batch *s, double *z, const double *x, unsigned odd)
{
    for (size_t i = 0; i < s->pairs; i++, x += 4 * odd) {
        const gfp_fma_root *root = context->modulus.forward + s->root[i];
        for (unsigned j = 0; j < odd; j++, x += 4, z += GFP_FMA_LANES) {
            const __m256d t = mul_pair(c, wide_twice(x + (size_t)4 * odd), root, 0, true);
            _mm256_store_pd(z, _mm256_add_pd(wide_twice(x), t));
        }
    }
}

/* The inverse of split_pairs, times 2, of at most 0.8, in place: at most 0.6. */
static inline void join_pairs(const gfp_fma_context *context, const gfp_fma_constants *c, batch *s,
                              unsigned odd)
{
    double *z = s->b;
    for (size_t i = 0; i < s->pairs; i++, z += 4 * odd) {
        const gfp_fma_root *root = context->modulus.backward + s->root[i];
        const __m256d value = wide_halves(_mm256_set1_pd(1), _mm256_broadcast_sd(&root->value));
        const __m256d quotient = wide_halves(c->inverse, _mm256_broadcast_sd(&root->quotient));
        for (unsigned j = 0; j < odd; j++, z += 4) {
            const __m256d v = _mm256_load_pd(s->x + GFP_FMA_LANES * (odd * i + j));
            const __m256d sum = _mm256_add_pd(wide_exchange(v), wide_negate_high(v));
            const __m256d joined = gfp_fma_mul(c, sum, value, quotient);
            if (odd == 1) {
                _mm256_store_pd(z, joined);
            } else {
                wide_store_halves(z, z + (size_t)4 * odd, joined);
            }
        }
    }
}

#else

/* Returns x root for the first node of the pair, and x root or (opposite) -x root for the second.
 */
static inline __m256d mul_pair(const gfp_fma_constants *c, __m256d x, const gfp_fma_root *root,
                               size_t number, bool opposite)
{
    return number == 1 && opposite ? gfp_fma_mul_root_negative(c, x, root)
                                   : gfp_fma_mul_root(c, x, root);
}

#endif

/* ---- odd = 3, 5: x^(4 odd) - y^odd splits into the x^4 - y z^i, z a root of unity of order odd.
 * Vector j is the coefficient of x^(4 j). ---- */

/* v[i] := sum over j of v[j] z^(i j); at most 0.8 in, 4 out. */
static inline void dft_3(const gfp_fma_constants *c, __m256d v[MAX_ODD], const gfp_fma_root *z)
{
    __m256d t = gfp_fma_mul_root(c, _mm256_sub_pd(v[1], v[2]), z);
    __m256d a1 = _mm256_add_pd(_mm256_sub_pd(v[0], v[2]), t); /* z^2 = -1 - z */
    __m256d a2 = _mm256_sub_pd(_mm256_sub_pd(v[0], v[1]), t);
    v[0] = _mm256_add_pd(v[0], _mm256_add_pd(v[1], v[2]));
    v[1] = a1;
    v[2] = a2;
}

static inline void dft_5(const gfp_fma_constants *c, __m256d v[MAX_ODD], const gfp_fma_root w[4])
{
    __m256d s1 = _mm256_add_pd(v[1], v[4]), d1 = _mm256_sub_pd(v[1], v[4]);
    __m256d s2 = _mm256_add_pd(v[2], v[3]), d2 = _mm256_sub_pd(v[2], v[3]);
    __m256d even1 = _mm256_add_pd(
        v[0], _mm256_add_pd(gfp_fma_mul_root(c, s1, &w[0]), gfp_fma_mul_root(c, s2, &w[1])));
    __m256d even2 = _mm256_add_pd(
        v[0], _mm256_add_pd(gfp_fma_mul_root(c, s1, &w[1]), gfp_fma_mul_root(c, s2, &w[0])));
    __m256d odd1 = _mm256_add_pd(gfp_fma_mul_root(c, d1, &w[2]), gfp_fma_mul_root(c, d2, &w[3]));
    __m256d odd2 = _mm256_sub_pd(gfp_fma_mul_root(c, d1, &w[3]), gfp_fma_mul_root(c, d2, &w[2]));
    v[0] = _mm256_add_pd(v[0], _mm256_add_pd(s1, s2));
    v[1] = _mm256_add_pd(even1, odd1);
    v[2] = _mm256_add_pd(even2, odd2);
    v[3] = _mm256_sub_pd(even2, odd2);
    v[4] = _mm256_sub_pd(even1, odd1);
}

static inline void dft_odd(const gfp_fma_constants *c, __m256d v[MAX_ODD],
                           const gfp_fma_prime *prime, unsigned odd)
{
    if (odd == 3) {
        dft_3(c, v, &prime->third);
    } else {
        dft_5(c, v, prime->fifth);
    }
}

/* z[j] := x, of at most 4.86, modulo the odd factor j of a node of the pair with this root. */
static inline void split_node(const gfp_fma_context *context, const gfp_fma_constants *c, double *z,
                              const double *x, size_t root, size_t number, unsigned odd)
{
    const gfp_fma_root *power = context->odd_roots + root;
    __m256d v[MAX_ODD];
    v[0] = gfp_fma_reduce(c, _mm256_load_pd(x));
    for (unsigned j = 1; j < odd; j++, power += 2 * context->nodes) {
        v[j] = mul_pair(c, _mm256_load_pd(x + GFP_FMA_LANES * j), power, number, j % 2 != 0);
    }
    dft_odd(c, v, context->prime, odd);
    for (unsigned j = 0; j < odd; j++) {
        _mm256_store_pd(z + GFP_FMA_LANES * j, v[j]);
    }
}

static inline void split_nodes(const gfp_fma_context *context, const gfp_fma_constants *c,
                               const batch *s, double *z, const double *x, unsigned odd)
{
    const size_t width = GFP_FMA_LANES * odd;
    for (size_t i = 0; i < s->pairs; i++) {
        GFP_UNROLL
        for (size_t n = 0; n < PAIR_VECTORS; n++, z += width, x += width) {
            split_node(context, c, z, x, s->root[i], n, odd);
        }
    }
}

/* The inverse of split_node, times odd: the same DFT, read backwards. x is at most 0.8, and becomes
 * at most 0.7. */
static inline void join_node(const gfp_fma_context *context, const gfp_fma_constants *c, double *x,
                             size_t root, size_t number, unsigned odd)
{
    const gfp_fma_root *power = context->odd_roots + context->nodes + root;
    __m256d v[MAX_ODD];
    for (unsigned j = 0; j < odd; j++) {
        v[j] = _mm256_load_pd(x + GFP_FMA_LANES * j);
    }
    dft_odd(c, v, context->prime, odd);
    _mm256_store_pd(x, gfp_fma_reduce(c, v[0]));
    for (unsigned j = 1; j < odd; j++, power += 2 * context->nodes) {
        _mm256_store_pd(x + GFP_FMA_LANES * j, mul_pair(c, v[odd - j], power, number, j % 2 != 0));
    }
}

/* ---- the steps of a batch; `odd` is a constant where they are inlined ---- */

/* x := the first factor, at most 1/2 + 2^-49; b := the second one, scaled, at most 0.75.
 * After split_nodes vectors are at most 4. */
static inline void batch_factors(const gfp_fma_context *context, const gfp_fma_constants *c,
                                 batch *s, const double *x, const double *y, unsigned odd)
{
    const __m256d scale = _mm256_set1_pd(context->scale.value);
    const __m256d quotient = _mm256_set1_pd(context->scale.quotient);
    const size_t n = (size_t)8 * odd * s->pairs;
#ifdef GFP_WIDE
    split_pairs(context, c, s, s->x, x, odd);
    split_pairs(context, c, s, s->b, y, odd);
    x = s->x;
    y = s->b;
#endif
    if (odd != 1) {
        split_nodes(context, c, s, s->x, x, odd);
        split_nodes(context, c, s, s->b, y, odd);
        x = s->x;
        y = s->b;
    }
    for (size_t i = 0; i < n; i += GFP_FMA_LANES) {
        _mm256_store_pd(s->b + i, gfp_fma_mul(c, _mm256_load_pd(y + i), scale, quotient));
    }
    for (size_t i = 0; i < n; i += GFP_FMA_LANES) {
        _mm256_store_pd(s->x + i, gfp_fma_reduce(c, _mm256_load_pd(x + i)));
    }
}

/* gb := g b; for odd = 3, 5 the constants are y z^j. */
static inline void batch_constants(const gfp_fma_context *context, const gfp_fma_constants *c,
                                   batch *s, unsigned odd)
{
    const size_t width = GFP_FMA_LANES * odd;
    for (unsigned j = 0; j < odd; j++) {
        const gfp_fma_root *g = odd == 1 ? context->modulus.forward
                                : j == 0 ? context->odd_roots
                                         : context->odd_roots + (2 * odd - 3 + j) * context->nodes;
        size_t at = GFP_FMA_LANES * j;
        for (size_t i = 0; i < s->pairs; i++) {
            const gfp_fma_root *root = g + s->root[i];
            GFP_UNROLL
            for (size_t n = 0; n < PAIR_VECTORS; n++, at += width) {
                _mm256_store_pd(s->gb + at, mul_pair(c, _mm256_load_pd(s->b + at), root, n, true));
            }
        }
    }
}

/* z := high + low, or z + high + low, reduced. */
static inline void batch_reduce(const gfp_fma_constants *c, const batch *s, double *z, size_t n,
                                bool add)
{
    const __m256d zero = _mm256_setzero_pd();
    for (size_t i = 0; i < n; i += GFP_FMA_LANES) {
        const __m256d sum = add ? _mm256_load_pd(z + i) : zero;
        _mm256_store_pd(z + i, gfp_fma_mul_4_reduce(c, s->gb + i, s->b + i, sum));
    }
}

/* z := the products of the batch, or z + those; z is at most 1.25 in, 0.8 out. */
static inline void batch_products(const gfp_fma_context *context, const gfp_fma_constants *c,
                                  batch *s, double *z, unsigned odd, bool add)
{
    const size_t width = GFP_FMA_LANES * odd, n = (size_t)8 * odd * s->pairs;
    const double *v = s->x;
    for (size_t i = 0; i < n; i += GFP_FMA_LANES) {
        gfp_fma_mul_4(s->gb + i, s->b + i, s->x + i, _mm256_load_pd(s->b + i),
                      _mm256_load_pd(s->gb + i));
    }
    if (odd == 1 && PAIR_VECTORS == 2) {
        batch_reduce(c, s, z, n, add);
        return;
    }
    batch_reduce(c, s, s->x, n, false);
    for (size_t i = 0; i < s->pairs && odd != 1; i++) {
        GFP_UNROLL
        for (size_t j = 0; j < PAIR_VECTORS; j++) {
            join_node(context, c, s->x + width * (PAIR_VECTORS * i + j), s->root[i], j, odd);
        }
    }
#ifdef GFP_WIDE
    join_pairs(context, c, s, odd);
    v = s->b;
#endif
    for (size_t i = 0; i < n; i += GFP_FMA_LANES) {
        const __m256d x = _mm256_load_pd(v + i);
        const __m256d sum = add ? gfp_fma_reduce(c, _mm256_add_pd(_mm256_load_pd(z + i), x)) : x;
        _mm256_store_pd(z + i, sum);
    }
}

static inline void base_batches(const gfp_fma_context *context, double *z, const double *x,
                                const double *y, const gfp_fma_nodes *nodes, unsigned odd, bool add)
{
    const gfp_fma_constants c = gfp_fma_constants_get(&context->modulus);
    const size_t all = nodes->count << (nodes->levels - 1);
    batch s;
    for (size_t i = 0; i < all; i += BATCH_PAIRS(odd)) {
        const size_t at = (size_t)8 * odd * i;
        batch_begin(&s, nodes, i, all - i < BATCH_PAIRS(odd) ? all - i : BATCH_PAIRS(odd));
        batch_factors(context, &c, &s, x + at, y + at, odd);
        batch_constants(context, &c, &s, odd);
        batch_products(context, &c, &s, z + at, odd, add);
    }
}

void gfp_hybrid_fma_base(const gfp_fma_context *context, double *z, const double *x,
                         const double *y, const gfp_fma_nodes *nodes, bool add)
{
    GFP_CONTRACT(nodes->levels >= 1);
    if (context->odd == 1 && add) {
        base_batches(context, z, x, y, nodes, 1, true);
    } else if (context->odd == 1) {
        base_batches(context, z, x, y, nodes, 1, false);
    } else if (context->odd == 3) {
        base_batches(context, z, x, y, nodes, 3, add);
    } else {
        base_batches(context, z, x, y, nodes, 5, add);
    }
}

/* ---- short leaves, a few at a time: all transforms, then all products, then the way back ---- */

#define SHORT_VECTORS 128

static inline void short_leaves(const gfp_fma_context *context, double *a, double *b,
                                const gfp_fma_nodes *leaves, unsigned levels, bool both)
{
    const gfp_fma_modulus m = context->modulus;
    const unsigned passed = levels - GFP_FMA_INNER;
    const size_t leaf = (size_t)4 << levels, most = (size_t)SHORT_VECTORS >> passed;
    const bool reduce = passed == 3;
    gfp_fma_nodes nodes = {leaves->number, most, levels};
    for (size_t rest = leaves->count; rest > 0; rest -= nodes.count, nodes.number += nodes.count) {
        nodes.count = rest < most ? rest : most;
        for (size_t i = 0; i < nodes.count && passed > 0; i++) {
            const size_t node = nodes.number[i];
            gfp_fma_forward_pass(&m, a + leaf * i, 1, a + leaf * i, 1, node, passed, reduce);
            if (both) {
                gfp_fma_forward_pass(&m, b + leaf * i, 1, b + leaf * i, 1, node, passed, reduce);
            }
        }
        gfp_hybrid_fma_base(context, a, a, b, &nodes, false);
        for (size_t i = 0; i < nodes.count && passed > 0; i++) {
            gfp_fma_backward_pass(&m, a + leaf * i, 1, a + leaf * i, 1, nodes.number[i], passed);
        }
        a += leaf * nodes.count;
        b += leaf * nodes.count;
    }
}

void gfp_hybrid_fma_multiply_short(const gfp_fma_context *context, double *a, double *b,
                                   const gfp_fma_nodes *nodes, bool both)
{
    if (nodes->levels == 1) {
        short_leaves(context, a, b, nodes, 1, both);
    } else if (nodes->levels == 2) {
        short_leaves(context, a, b, nodes, 2, both);
    } else if (nodes->levels == 3) {
        short_leaves(context, a, b, nodes, 3, both);
#ifdef GFP_WIDE
    } else {
        short_leaves(context, a, b, nodes, 4, both);
#endif
    }
}
