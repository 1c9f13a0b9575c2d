/* fma_base_avx2.c: the base of the AVX2 engine's products: modulo x^4 - g, one vector, by
 * four error-free products; modulo x^(4 odd) - g by a DFT of odd points before and after. Bounds
 * are in units of q; tests/crt/hybrid/leaf/fma_checked.c proves them in this code.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/leaf/fma.h"
#include "fft/words/ntt_fma_vec.h"

/* The nodes of one batch: first their operands, then their products. */
#define BATCH 8

/* Nodes 2 i and 2 i + 1 have g and -g. Reduces a, and sets y := scaled b and g times scaled b;
 * count <= BATCH. */
static inline void base_1_operands(const gfp_fma_context *context, double *a, const double *b,
                                   double *y, size_t count, const gfp_fma_root *g)
{
    const gfp_fma_constants c = gfp_fma_constants_get(&context->modulus);
    const __m256d scale = _mm256_set1_pd(context->scale->value);
    const __m256d scale_quotient = _mm256_set1_pd(context->scale->quotient);
    for (size_t i = 0; i < count; i += 2, a += 8, b += 8, y += 16, g++) {
        __m256d b0 = gfp_fma_mul(&c, _mm256_load_pd(b), scale, scale_quotient);
        __m256d b1 = gfp_fma_mul(&c, _mm256_load_pd(b + 4), scale, scale_quotient);
        _mm256_store_pd(a, gfp_fma_reduce(&c, _mm256_load_pd(a)));
        _mm256_store_pd(a + 4, gfp_fma_reduce(&c, _mm256_load_pd(a + 4)));
        _mm256_store_pd(y, b0);
        _mm256_store_pd(y + 4, gfp_fma_mul_root(&c, b0, g));
        _mm256_store_pd(y + 8, b1);
        _mm256_store_pd(y + 12, gfp_fma_mul_root_negative(&c, b1, g));
    }
}

static inline void base_1_products(const gfp_fma_constants *c, double *a, const double *y,
                                   size_t count)
{
    for (size_t i = 0; i < GFP_FMA_LANES * count; i += GFP_FMA_LANES) {
        __m256d b = _mm256_load_pd(y + 2 * i), gb = _mm256_load_pd(y + 2 * i + GFP_FMA_LANES);
        _mm256_store_pd(a + i, gfp_fma_mul_4(c, a + i, b, gb));
    }
}

static void base_1(const gfp_fma_context *context, double *a, const double *b, size_t count,
                   size_t node)
{
    const gfp_fma_constants c = gfp_fma_constants_get(&context->modulus);
    const gfp_fma_root *g = context->modulus.forward + node / 2;
    double y[2 * GFP_FMA_LANES * BATCH] __attribute__((aligned(32)));
    for (size_t i = 0; i < count; i += BATCH) {
        size_t size = count - i < BATCH ? count - i : BATCH;
        double *x = a + GFP_FMA_LANES * i;
        base_1_operands(context, x, b + GFP_FMA_LANES * i, y, size, g + i / 2);
        base_1_products(&c, x, y, size);
    }
}

/* ---- short leaves side by side: a batch has the nodes of several leaves ---- */

static inline void short_leaves(const gfp_fma_context *context, double *a, double *b,
                                unsigned levels, const uint32_t *nodes, size_t count, bool both)
{
    const gfp_fma_modulus m = context->modulus;
    const gfp_fma_constants c = gfp_fma_constants_get(&m);
    const size_t size = (size_t)1 << levels, leaf = GFP_FMA_LANES * size;
    const size_t batch = BATCH / size;
    double y[2 * GFP_FMA_LANES * BATCH] __attribute__((aligned(32)));
    for (size_t i = 0; i < count; i++) {
        gfp_fma_forward_pass(&m, a + leaf * i, 1, a + leaf * i, 1, nodes[i], levels);
        if (both) {
            gfp_fma_forward_pass(&m, b + leaf * i, 1, b + leaf * i, 1, nodes[i], levels);
        }
    }
    for (size_t i = 0; i < count; i += batch) {
        size_t in_batch = count - i < batch ? count - i : batch;
        for (size_t j = 0; j < in_batch; j++) {
            base_1_operands(context, a + leaf * (i + j), b + leaf * (i + j), y + 2 * leaf * j, size,
                            m.forward + ((size_t)nodes[i + j] << (levels - 1)));
        }
        base_1_products(&c, a + leaf * i, y, size * in_batch);
    }
    for (size_t i = 0; i < count; i++) {
        gfp_fma_backward_pass(&m, a + leaf * i, 1, a + leaf * i, 1, nodes[i], levels);
    }
}

void gfp_hybrid_fma_multiply_short(const gfp_fma_context *context, double *a, double *b,
                                   unsigned levels, const uint32_t *nodes, size_t count, bool both)
{
    if (levels == 1) {
        short_leaves(context, a, b, 1, nodes, count, both);
    } else if (levels == 2) {
        short_leaves(context, a, b, 2, nodes, count, both);
    } else {
        short_leaves(context, a, b, 3, nodes, count, both);
    }
}

/* ---- odd = 3, 5: x^(4 odd) - y^odd splits into the x^4 - y z^i, z a root of unity of order odd.
 * Vector j is the coefficient of x^(4 j). ---- */

#define MAX_ODD 5
/* The nodes of one batch. */
#define ODD_BATCH 4

/* power[j] := y^j for 1 <= j < odd, y the root, negative for odd nodes. */
static inline void fma_base_avx2_powers(const gfp_fma_constants *c, __m256d power[MAX_ODD],
                                        const gfp_fma_root *roots, size_t node, unsigned odd)
{
    __m256d y = _mm256_broadcast_sd(&roots[node / 2].value);
    power[0] = _mm256_set1_pd(1);
    power[1] = node % 2 == 0 ? y : _mm256_sub_pd(_mm256_setzero_pd(), y);
    for (unsigned j = 2; j < odd; j++) {
        power[j] = gfp_fma_mul_any(c, power[j - 1], power[1]);
    }
}

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
                           const gfp_fma_context *context, unsigned odd)
{
    if (odd == 3) {
        dft_3(c, v, &context->prime->zeta[1][1]);
    } else {
        dft_5(c, v, context->prime->fifth);
    }
}

/* z[j] := x modulo its odd factor j. */
static inline void fma_base_avx2_split(const gfp_fma_constants *c, double *z, size_t z_step,
                                       const double *x, const __m256d power[MAX_ODD],
                                       const gfp_fma_context *context, unsigned odd)
{
    __m256d v[MAX_ODD];
    v[0] = gfp_fma_reduce(c, _mm256_load_pd(x));
    for (unsigned j = 1; j < odd; j++) {
        v[j] = gfp_fma_mul_any(c, _mm256_load_pd(x + GFP_FMA_LANES * j), power[j]);
    }
    dft_odd(c, v, context, odd);
    for (unsigned j = 0; j < odd; j++) {
        _mm256_store_pd(z + z_step * j, v[j]);
    }
}

/* The inverse of split in place, times odd: the same DFT, read backwards. */
static inline void fma_base_avx2_join(const gfp_fma_constants *c, double *x,
                                      const __m256d power[MAX_ODD], const gfp_fma_context *context,
                                      unsigned odd)
{
    __m256d v[MAX_ODD];
    for (unsigned j = 0; j < odd; j++) {
        v[j] = _mm256_load_pd(x + GFP_FMA_LANES * j);
    }
    dft_odd(c, v, context, odd);
    _mm256_store_pd(x, gfp_fma_reduce(c, v[0]));
    for (unsigned j = 1; j < odd; j++) {
        _mm256_store_pd(x + GFP_FMA_LANES * j, gfp_fma_mul_any(c, v[odd - j], power[j]));
    }
}

/* Computes one node: the odd factors of a; those of b at even places of y, and the factors'
 * constants at odd places. */
static inline void odd_operands(const gfp_fma_context *context, const gfp_fma_constants *c,
                                double *a, const double *b, double *y, size_t node, unsigned odd)
{
    const gfp_fma_root *zeta = context->prime->zeta[odd / 2];
    __m256d power[MAX_ODD];
    fma_base_avx2_powers(c, power, context->odd_forward, node, odd);
    fma_base_avx2_split(c, y, 2 * GFP_FMA_LANES, b, power, context, odd); /* first: b may be a */
    fma_base_avx2_split(c, a, GFP_FMA_LANES, a, power, context, odd);
    for (unsigned j = 0; j < odd; j++) {
        __m256d g = j == 0 ? power[1] : gfp_fma_mul_root(c, power[1], &zeta[j]);
        _mm256_store_pd(y + GFP_FMA_LANES * (2 * j + 1), g);
    }
}

static inline void base_odd(const gfp_fma_context *context, double *a, const double *b,
                            size_t count, size_t node, unsigned odd)
{
    const gfp_fma_modulus m = context->modulus;
    const gfp_fma_constants c = gfp_fma_constants_get(&m);
    const size_t width = GFP_FMA_LANES * odd;
    double y[2 * GFP_FMA_LANES * MAX_ODD * ODD_BATCH] __attribute__((aligned(32)));
    for (size_t i = 0; i < count; i += ODD_BATCH) {
        size_t size = count - i < ODD_BATCH ? count - i : ODD_BATCH;
        double *x = a + width * i;
        for (size_t n = 0; n < size; n++) {
            odd_operands(context, &c, x + width * n, b + width * (i + n), y + 2 * width * n,
                         node + i + n, odd);
        }
        for (size_t j = 0; j < width * size; j += GFP_FMA_LANES) {
            double *v = y + 2 * j;
            __m256d z = gfp_fma_mul_root(&c, _mm256_load_pd(v), context->scale);
            __m256d g = _mm256_load_pd(v + GFP_FMA_LANES);
            _mm256_store_pd(x + j, gfp_fma_reduce(&c, _mm256_load_pd(x + j)));
            _mm256_store_pd(v, z);
            _mm256_store_pd(v + GFP_FMA_LANES, gfp_fma_mul_any(&c, z, g));
        }
        base_1_products(&c, x, y, odd * size);
        for (size_t n = 0; n < size; n++) {
            __m256d power[MAX_ODD];
            fma_base_avx2_powers(&c, power, context->odd_backward, node + i + n, odd);
            fma_base_avx2_join(&c, x + width * n, power, context, odd);
        }
    }
}

void gfp_hybrid_fma_base(const gfp_fma_context *context, double *a, const double *b, size_t count,
                         size_t node)
{
    if (context->odd == 1) {
        base_1(context, a, b, count, node);
    } else if (context->odd == 3) {
        base_odd(context, a, b, count, node, 3);
    } else {
        base_odd(context, a, b, count, node, 5);
    }
}
