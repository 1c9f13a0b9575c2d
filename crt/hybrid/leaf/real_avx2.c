/* real_avx2.c: see real.h. A complex vector is a vector of real parts and one of imaginary parts.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/leaf/real.h"

#include <math.h>
#include <string.h>

#include "field/base/context.h"
#include "crt/hybrid/leaf/fma.h"
#include "field/base/support.h"
#include "fft/impl.h"
#include "fft/words/ntt_fma_arithmetic.h"

/* The doubles of a complex vector. */
#define WIDTH ((size_t)2 * GFP_FMA_LANES)

/* ---- complex vectors ---- */

typedef struct complex_vector {
    __m256d re, im;
} complex_vector;

/* A place of complex vectors: doubles from one to the next, and from real to imaginary parts. */
typedef struct place {
    double *at;
    size_t step, im;
} place;

static inline complex_vector complex_load(place x, size_t i)
{
    const double *at = x.at + i * x.step;
    return (complex_vector){_mm256_load_pd(at), _mm256_load_pd(at + x.im)};
}

static inline void complex_store(place z, size_t i, complex_vector v)
{
    double *at = z.at + i * z.step;
    _mm256_store_pd(at, v.re);
    _mm256_store_pd(at + z.im, v.im);
}

static inline complex_vector complex_add(complex_vector a, complex_vector b)
{
    return (complex_vector){_mm256_add_pd(a.re, b.re), _mm256_add_pd(a.im, b.im)};
}

static inline complex_vector complex_sub(complex_vector a, complex_vector b)
{
    return (complex_vector){_mm256_sub_pd(a.re, b.re), _mm256_sub_pd(a.im, b.im)};
}

/* a + i b and a - i b */
static inline complex_vector complex_add_turned(complex_vector a, complex_vector b)
{
    return (complex_vector){_mm256_sub_pd(a.re, b.im), _mm256_add_pd(a.im, b.re)};
}

static inline complex_vector complex_sub_turned(complex_vector a, complex_vector b)
{
    return (complex_vector){_mm256_add_pd(a.re, b.im), _mm256_sub_pd(a.im, b.re)};
}

static inline complex_vector complex_mul(complex_vector x, complex_vector w)
{
    return (complex_vector){_mm256_fmsub_pd(x.re, w.re, _mm256_mul_pd(x.im, w.im)),
                            _mm256_fmadd_pd(x.re, w.im, _mm256_mul_pd(x.im, w.re))};
}

/* x times the conjugate of w */
static inline complex_vector complex_mul_conjugate(complex_vector x, complex_vector w)
{
    return (complex_vector){_mm256_fmadd_pd(x.re, w.re, _mm256_mul_pd(x.im, w.im)),
                            _mm256_fmsub_pd(x.im, w.re, _mm256_mul_pd(x.re, w.im))};
}

static inline complex_vector complex_root(const gfp_real_root *w)
{
    return (complex_vector){_mm256_broadcast_sd(&w->re), _mm256_broadcast_sd(&w->im)};
}

/* ---- passes of one or two levels: nodes and roots as in fft/words/ntt_fma.h; the root of node 2
 * nu + 1 is i times that of node 2 nu ---- */

static inline void forward_2(const gfp_real_root *roots, place z, place x, size_t node)
{
    const complex_vector a = complex_load(x, 0);
    const complex_vector b = complex_mul(complex_load(x, 1), complex_root(roots + node));
    complex_store(z, 0, complex_add(a, b));
    complex_store(z, 1, complex_sub(a, b));
}

static inline void forward_4(const gfp_real_root *roots, place z, place x, size_t node)
{
    const complex_vector w1 = complex_root(roots + node), w2 = complex_root(roots + 2 * node);
    const complex_vector v2 = complex_mul(complex_load(x, 2), w1);
    const complex_vector v3 = complex_mul(complex_load(x, 3), w1);
    const complex_vector v0 = complex_load(x, 0), v1 = complex_load(x, 1);
    const complex_vector plus = complex_mul(complex_add(v1, v3), w2);
    const complex_vector minus = complex_mul(complex_sub(v1, v3), w2);
    const complex_vector even = complex_add(v0, v2), odd = complex_sub(v0, v2);
    complex_store(z, 0, complex_add(even, plus));
    complex_store(z, 1, complex_sub(even, plus));
    complex_store(z, 2, complex_add_turned(odd, minus));
    complex_store(z, 3, complex_sub_turned(odd, minus));
}

static inline void backward_2(const gfp_real_root *roots, place z, place x, size_t node)
{
    const complex_vector a = complex_load(x, 0), b = complex_load(x, 1);
    complex_store(z, 0, complex_add(a, b));
    complex_store(z, 1, complex_mul_conjugate(complex_sub(a, b), complex_root(roots + node)));
}

static inline void backward_4(const gfp_real_root *roots, place z, place x, size_t node)
{
    const complex_vector w1 = complex_root(roots + node), w2 = complex_root(roots + 2 * node);
    const complex_vector x0 = complex_load(x, 0), x1 = complex_load(x, 1);
    const complex_vector x2 = complex_load(x, 2), x3 = complex_load(x, 3);
    const complex_vector even = complex_add(x0, x1), odd = complex_add(x2, x3);
    const complex_vector plus = complex_mul_conjugate(complex_sub(x0, x1), w2);
    const complex_vector minus = complex_mul_conjugate(complex_sub(x2, x3), w2); /* times -i */
    complex_store(z, 0, complex_add(even, odd));
    complex_store(z, 1, complex_sub_turned(plus, minus));
    complex_store(z, 2, complex_mul_conjugate(complex_sub(even, odd), w1));
    complex_store(z, 3, complex_mul_conjugate(complex_add_turned(plus, minus), w1));
}

static inline void real_pass(const gfp_real_root *roots, place z, place x, size_t node,
                             unsigned bits, bool back)
{
    if (bits == 2 && back) {
        backward_4(roots, z, x, node);
    } else if (bits == 2) {
        forward_4(roots, z, x, node);
    } else if (back) {
        backward_2(roots, z, x, node);
    } else {
        forward_2(roots, z, x, node);
    }
}

/* ---- evaluation in T ---- */

/* Returns the digits as doubles, rounded once. */
static inline __m256d digit_round(const int64_t *digits)
{
    __m256d high, low;
    gfp_fma_integers(&high, &low, digits);
    return _mm256_add_pd(high, low);
}

/* A pass over levels done to done + bits of the tree of T^(2k) - 1 below node 2, in place. x: k
 * vectors, the first half of them real parts. */
static inline void tree_pass(const gfp_real_root *roots, double *x, unsigned log2_half,
                             unsigned done, unsigned bits, bool back)
{
    const size_t half = (size_t)1 << log2_half, width = half >> (done + bits);
    for (size_t b = 0; b < (size_t)1 << done; b++, x += GFP_FMA_LANES * (width << bits)) {
        for (size_t t = 0; t < width; t++) {
            const place v = {x + GFP_FMA_LANES * t, GFP_FMA_LANES * width, GFP_FMA_LANES * half};
            real_pass(roots, v, v, ((size_t)2 << done) + b, bits, back);
        }
    }
}

static inline void evaluate_real(const gfp_real_root *roots, unsigned log2_half,
                                 const int64_t *digits, size_t vectors, double *channels,
                                 size_t stride, double *buffer)
{
    const size_t half = (size_t)1 << log2_half, k = 2 * half;
    const size_t batch = k < GFP_HYBRID_FMA_DIGITS / 2 ? GFP_HYBRID_FMA_DIGITS / k : 2;
    const unsigned last = log2_half > 2 ? 2 : log2_half;
    for (size_t v = 0; v < vectors; v += batch) {
        const size_t columns = gfp_size_min(batch, vectors - v);
        for (size_t t = 0; t < k * columns; t++) {
            _mm256_store_pd(buffer + GFP_FMA_LANES * t,
                            digit_round(digits + GFP_FMA_LANES * (k * v + t)));
        }
        for (unsigned done = 0, bits; done + last < log2_half; done += bits) {
            bits = (log2_half - done) % 2 == 0 ? 2 : 1;
            for (size_t i = 0; i < columns; i++) {
                tree_pass(roots, buffer + GFP_FMA_LANES * k * i, log2_half, done, bits, false);
            }
        }
        for (size_t b = 0; b < half >> last; b++) {
            double *z = channels + WIDTH * ((b << last) * stride + v);
            double *x = buffer + GFP_FMA_LANES * (b << last);
            for (size_t i = 0; i < columns; i++, z += WIDTH, x += GFP_FMA_LANES * k) {
                const place to = {z, WIDTH * stride, GFP_FMA_LANES};
                const place from = {x, GFP_FMA_LANES, GFP_FMA_LANES * half};
                if (last == 0) {
                    complex_store(to, 0, complex_load(from, 0));
                } else {
                    real_pass(roots, to, from, (2 * half >> last) + b, last, false);
                }
            }
        }
    }
}

static void evaluate_digits(const gfp_leaf_batch *l, const gfp_real_root *roots,
                            const int64_t *digits, double *channels)
{
    double *buffer = (double *)(void *)l->scratch;
    if (l->log2_k == 1) {
        evaluate_real(roots, 0, digits, l->columns, channels, l->step, buffer);
    } else if (l->log2_k == 2) {
        evaluate_real(roots, 1, digits, l->columns, channels, l->step, buffer);
    } else if (l->log2_k == 3) {
        evaluate_real(roots, 2, digits, l->columns, channels, l->step, buffer);
    } else {
        evaluate_real(roots, l->log2_k - 1, digits, l->columns, channels, l->step, buffer);
    }
}

static inline void interpolate_real(const gfp_real_root *roots, double *z, const double *channels,
                                    size_t stride, size_t columns, unsigned log2_half)
{
    const size_t half = (size_t)1 << log2_half, k = 2 * half;
    const unsigned first = log2_half > 2 ? 2 : log2_half;
    for (size_t b = 0; b < half >> first; b++) {
        double *v = z + GFP_FMA_LANES * (b << first);
        double *x = (double *)channels + WIDTH * ((b << first) * stride);
        for (size_t i = 0; i < columns; i++, v += GFP_FMA_LANES * k, x += WIDTH) {
            const place to = {v, GFP_FMA_LANES, GFP_FMA_LANES * half};
            const place from = {x, WIDTH * stride, GFP_FMA_LANES};
            if (first == 0) {
                complex_store(to, 0, complex_load(from, 0));
            } else {
                real_pass(roots, to, from, (2 * half >> first) + b, first, true);
            }
        }
    }
    for (unsigned left = log2_half - first, bits; left > 0; left -= bits) {
        bits = left == 1 ? 1 : 2;
        for (size_t i = 0; i < columns; i++) {
            tree_pass(roots, z + GFP_FMA_LANES * k * i, log2_half, left - bits, bits, true);
        }
    }
}

void gfp_hybrid_real_interpolate(const gfp_real_root *roots, double *z, const double *channels,
                                 size_t stride, size_t columns, unsigned log2_k)
{
    if (log2_k == 1) {
        interpolate_real(roots, z, channels, stride, columns, 0);
    } else if (log2_k == 2) {
        interpolate_real(roots, z, channels, stride, columns, 1);
    } else if (log2_k == 3) {
        interpolate_real(roots, z, channels, stride, columns, 2);
    } else {
        interpolate_real(roots, z, channels, stride, columns, log2_k - 1);
    }
}

/* ---- transforms in x ---- */

/* Passes over `blocks` nodes from `node` on, of 2^bits step complex vectors each. */
#define PASS(name, bits, back)                                                                     \
    static void name(const gfp_real_root *roots, double *x, size_t step, size_t blocks,            \
                     size_t node)                                                                  \
    {                                                                                              \
        for (size_t b = 0; b < blocks; b++) {                                                      \
            double *v = x + WIDTH * (b * step << (bits));                                          \
            for (size_t i = 0; i < step; i++, v += WIDTH) {                                        \
                const place at = {v, WIDTH * step, GFP_FMA_LANES};                                 \
                real_pass(roots, at, at, node + b, bits, back);                                    \
            }                                                                                      \
        }                                                                                          \
    }
PASS(real_avx2_forward2, 1, false)
PASS(real_avx2_forward4, 2, false)
PASS(real_avx2_backward2, 1, true)
PASS(real_avx2_backward4, 2, true)

static void forward_levels(const gfp_real_root *roots, double *x, size_t width, unsigned levels,
                           size_t node)
{
    size_t blocks = 1;
    while (levels != 0) {
        const unsigned bits = levels % 2 == 0 ? 2 : 1;
        levels -= bits;
        (bits == 2 ? real_avx2_forward4 : real_avx2_forward2)(roots, x, width << levels, blocks,
                                                              node);
        blocks <<= bits;
        node <<= bits;
    }
}

static void backward_levels(const gfp_real_root *roots, double *x, size_t width, unsigned levels,
                            size_t node)
{
    size_t step = width;
    while (levels != 0) {
        const unsigned bits = levels == 1 ? 1 : 2;
        levels -= bits;
        (bits == 2 ? real_avx2_backward4 : real_avx2_backward2)(roots, x, step, (size_t)1 << levels,
                                                                node << levels);
        step <<= bits;
    }
}

/* ---- the base: products modulo x^(4 odd) - g ---- */

#define MAX_ODD 5

/* a := a b modulo x^4 - g, b at `from`. */
static inline void node_product(double *a, const double *from, complex_vector g)
{
    const complex_vector b = {_mm256_load_pd(from), _mm256_load_pd(from + GFP_FMA_LANES)};
    const complex_vector gb = complex_mul(b, g);
    const __m256d r2 = _mm256_permute2f128_pd(gb.re, b.re, 0x21);
    const __m256d i2 = _mm256_permute2f128_pd(gb.im, b.im, 0x21);
    const __m256d r1 = _mm256_shuffle_pd(r2, b.re, 5), i1 = _mm256_shuffle_pd(i2, b.im, 5);
    const __m256d r3 = _mm256_shuffle_pd(gb.re, r2, 5), i3 = _mm256_shuffle_pd(gb.im, i2, 5);
    __m256d ar = _mm256_broadcast_sd(a), ai = _mm256_broadcast_sd(a + 4);
    __m256d rr = _mm256_mul_pd(ar, b.re), ri = _mm256_mul_pd(ar, b.im);
    __m256d ii = _mm256_mul_pd(ai, b.im), ir = _mm256_mul_pd(ai, b.re);
#define TERM(j, re, im)                                                                            \
    ar = _mm256_broadcast_sd(a + (j));                                                             \
    ai = _mm256_broadcast_sd(a + 4 + (j));                                                         \
    rr = _mm256_fmadd_pd(ar, re, rr);                                                              \
    ri = _mm256_fmadd_pd(ar, im, ri);                                                              \
    ii = _mm256_fmadd_pd(ai, im, ii);                                                              \
    ir = _mm256_fmadd_pd(ai, re, ir)
    TERM(1, r1, i1);
    TERM(2, r2, i2);
    TERM(3, r3, i3);
#undef TERM
    _mm256_store_pd(a, _mm256_sub_pd(rr, ii));
    _mm256_store_pd(a + GFP_FMA_LANES, _mm256_add_pd(ri, ir));
}

/* a := a b modulo x^(4 odd) - g. re and im: the 4 odd coefficients of g b, and then those of b. */
static inline void node_product_odd(double *a, const double *b, complex_vector g, unsigned odd)
{
    double re[GFP_FMA_LANES * 2 * MAX_ODD] __attribute__((aligned(32)));
    double im[GFP_FMA_LANES * 2 * MAX_ODD] __attribute__((aligned(32)));
    double z[WIDTH * MAX_ODD] __attribute__((aligned(32)));
    for (size_t i = 0; i < odd; i++) {
        const complex_vector v = {_mm256_load_pd(b + WIDTH * i),
                                  _mm256_load_pd(b + WIDTH * i + GFP_FMA_LANES)};
        const complex_vector gb = complex_mul(v, g);
        _mm256_store_pd(re + GFP_FMA_LANES * i, gb.re);
        _mm256_store_pd(im + GFP_FMA_LANES * i, gb.im);
        _mm256_store_pd(re + GFP_FMA_LANES * (odd + i), v.re);
        _mm256_store_pd(im + GFP_FMA_LANES * (odd + i), v.im);
    }
    for (size_t i = 0; i < odd; i++) {
        __m256d rr = _mm256_setzero_pd(), ri = rr, ii = rr, ir = rr;
        for (size_t j = 0; j < (size_t)GFP_FMA_LANES * odd; j++) {
            const double *at = a + WIDTH * (j / GFP_FMA_LANES) + j % GFP_FMA_LANES;
            const __m256d ar = _mm256_broadcast_sd(at),
                          ai = _mm256_broadcast_sd(at + GFP_FMA_LANES);
            const size_t from = GFP_FMA_LANES * (odd + i) - j;
            const __m256d br = _mm256_loadu_pd(re + from), bi = _mm256_loadu_pd(im + from);
            rr = _mm256_fmadd_pd(ar, br, rr);
            ri = _mm256_fmadd_pd(ar, bi, ri);
            ii = _mm256_fmadd_pd(ai, bi, ii);
            ir = _mm256_fmadd_pd(ai, br, ir);
        }
        _mm256_store_pd(z + WIDTH * i, _mm256_sub_pd(rr, ii));
        _mm256_store_pd(z + WIDTH * i + GFP_FMA_LANES, _mm256_add_pd(ri, ir));
    }
    memcpy(a, z, WIDTH * odd * sizeof *a);
}

/* a := a b for the 2^levels nodes below a leaf's node. Nodes 2 i and 2 i + 1 have g and -g. */
static inline void leaf_products(const gfp_real_root *roots, double *a, const double *b,
                                 unsigned odd, unsigned levels, size_t node)
{
    const __m256d zero = _mm256_setzero_pd();
    const gfp_real_root *root = roots + (node << (levels - 1));
    const size_t width = WIDTH * odd;
    for (size_t i = 0; i < (size_t)1 << (levels - 1); i++, a += 2 * width, b += 2 * width) {
        const complex_vector g = complex_root(root + i);
        const complex_vector minus = {_mm256_sub_pd(zero, g.re), _mm256_sub_pd(zero, g.im)};
        if (odd == 1) {
            node_product(a, b, g);
            node_product(a + width, b + width, minus);
        } else {
            node_product_odd(a, b, g, odd);
            node_product_odd(a + width, b + width, minus, odd);
        }
    }
}

static void leaf_base(const gfp_real_root *roots, double *a, const double *b, unsigned odd,
                      unsigned levels, size_t node)
{
    if (odd == 1) {
        leaf_products(roots, a, b, 1, levels, node);
    } else if (odd == 3) {
        leaf_products(roots, a, b, 3, levels, node);
    } else {
        leaf_products(roots, a, b, 5, levels, node);
    }
}

/* ---- one channel ---- */

/* Two operands of this many complex vectors fit the first cache; larger ones are split depth
 * first. */
#define CACHE_VECTORS 256

static void real_leaf(const gfp_real_root *roots, double *a, double *b, unsigned odd,
                      unsigned levels, size_t node, unsigned steps)
{
    const size_t vectors = (size_t)odd << levels;
    const bool flat = vectors <= CACHE_VECTORS || levels < 3;
    const size_t width = flat ? odd : vectors / 4;
    const unsigned here = flat ? levels : 2;
    if (steps & GFP_LEAF_FORWARD) {
        forward_levels(roots, a, width, here, node);
    }
    if (steps & GFP_FMA_FORWARD_BOTH) {
        forward_levels(roots, b, width, here, node);
    }
    if (flat && steps & GFP_LEAF_MULTIPLY) {
        leaf_base(roots, a, b, odd, levels, node);
    }
    for (size_t i = 0; i < 4 && !flat; i++) {
        const size_t at = WIDTH * width * i;
        real_leaf(roots, a + at, b + at, odd, levels - 2, 4 * node + i, steps);
    }
    if (steps & GFP_LEAF_INVERSE) {
        backward_levels(roots, a, width, here, node);
    }
}

/* Products of leaves of 2^levels complex vectors, levels at most 2: all transforms, then all
 * products, then the way back. */
static inline void short_leaves(const gfp_real_root *roots, double *a, double *b,
                                const gfp_fma_nodes *leaves, unsigned levels, bool both)
{
    const size_t leaf = WIDTH << levels;
    for (size_t i = 0; i < leaves->count; i++) {
        const place x = {a + leaf * i, WIDTH, GFP_FMA_LANES},
                    y = {b + leaf * i, WIDTH, GFP_FMA_LANES};
        real_pass(roots, x, x, leaves->number[i], levels, false);
        if (both) {
            real_pass(roots, y, y, leaves->number[i], levels, false);
        }
    }
    for (size_t i = 0; i < leaves->count; i++) {
        leaf_products(roots, a + leaf * i, b + leaf * i, 1, levels, leaves->number[i]);
    }
    for (size_t i = 0; i < leaves->count; i++) {
        const place x = {a + leaf * i, WIDTH, GFP_FMA_LANES};
        real_pass(roots, x, x, leaves->number[i], levels, true);
    }
}

/* The steps on the leaves of one channel. */
static void channel_real(const gfp_leaf_batch *l, const gfp_real_root *roots, double *a, double *b,
                         const uint32_t *number, unsigned steps)
{
    const unsigned odd = l->shape->odd;
    const gfp_fma_nodes nodes = {number, l->count, l->levels};
    const bool together =
        (steps & GFP_LEAF_PRODUCT) == GFP_LEAF_PRODUCT && odd == 1 && l->levels <= 2;
    if (together && l->levels == 1) {
        short_leaves(roots, a, b, &nodes, 1, steps & GFP_FMA_FORWARD_BOTH);
    } else if (together) {
        short_leaves(roots, a, b, &nodes, 2, steps & GFP_FMA_FORWARD_BOTH);
    }
    const size_t leaf = WIDTH * odd << l->levels;
    for (size_t i = 0; i < l->count && !together; i++, a += leaf, b += leaf) {
        real_leaf(roots, a, b, odd, l->levels, number[i], steps);
    }
}

void gfp_hybrid_real_steps(const gfp_leaf_batch *l, double *x, double *y, const int64_t *a,
                           const int64_t *b, unsigned steps)
{
    const gfp_real_root *roots = gfp_leaf_roots(l, GFP_LEAF_REAL, 1);
    double *u = x, *v = y == NULL ? x : y;
    if (b != NULL) {
        evaluate_digits(l, roots, b, v);
        steps |= GFP_FMA_FORWARD_BOTH;
    }
    if (a != NULL) {
        evaluate_digits(l, roots, a, u);
    }
    const size_t step = WIDTH * l->step;
    const uint32_t *number = l->nodes;
    for (size_t c = 0; steps != 0 && c < l->k / 2; c++, u += step, v += step, number += l->count) {
        channel_real(l, roots, u, v, number, steps);
    }
}

/* ---- roots ---- */

/* Returns exp(pi i f), 0 <= f <= 1/4; pi f is high + low. */
static gfp_real_root eighth_root(double f)
{
    const double pi_high = 0x1.921fb54442d18p1, pi_low = 0x1.1a62633145c07p-53;
    const double high = pi_high * f, low = fma(pi_high, f, -high) + pi_low * f;
    const double c = cos(high), s = sin(high);
    return (gfp_real_root){c - s * low, s + c * low};
}

/* Returns exp(pi i f), 0 <= f < 1. */
static gfp_real_root root_at(double f)
{
    const double half = f > 0.5 ? 1 - f : f;
    gfp_real_root w = eighth_root(half > 0.25 ? 0.5 - half : half);
    if (half > 0.25) {
        w = (gfp_real_root){w.im, w.re};
    }
    w.re = f > 0.5 ? -w.re : w.re;
    return w;
}

/* Root nu has the bits of nu behind the binary point of f, in reverse. */
void gfp_hybrid_real_roots(uint64_t *roots, unsigned log2_roots)
{
    gfp_real_root *table = (gfp_real_root *)(void *)roots;
    for (size_t nu = 0; nu < (size_t)1 << log2_roots; nu++) {
        table[nu] =
            root_at((double)gfp_bit_reverse(nu, log2_roots) / (double)((size_t)1 << log2_roots));
    }
}
