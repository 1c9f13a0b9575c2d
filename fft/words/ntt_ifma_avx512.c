/* ntt_ifma_avx512.c: products in Z_q[x]/(x^m - g) by IFMA: levels of the tree on whole vectors down
 * to x^8 - g, or x^(8 odd) - g, direct products there, and the levels back.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/ntt_ifma.h"

#include <stdbool.h>
#include <string.h>

/* Products of up to 2^LOG2_FLAT blocks go through the passes one after another; longer ones descend
 * depth first, so that the data of a pass is still in a near cache. */
#define LOG2_FLAT 8
/* The levels of a pass on the way down: its 8 lines, pages apart, fit the ways of a set of the
 * first-level cache; 16 do not (10 % of a product at n = 2^18). */
#define DEEP_LEVELS 3

/* The blocks of odd vectors that are multiplied together, so that they stay in a near cache. */
#define ODD_BLOCKS 8

/* The next blocks' factors are made after this row of four products and the three rows that
 * follow. */
#define FIRST_ROW 2

/* ---- passes: levels over elements `stride` vectors apart ---- */

/* In and out [3 q, 12.2 q]: every output is element 0, reduced to [7 q, 8 q + e), plus one product
 * in [-q, q) per level; the other elements are at most 3 levels away from being multiplied. */
GFP_INLINE void forward_pass(__m512i *x, size_t stride, unsigned n, const gfp_ntt48_root *roots,
                             size_t node, const gfp_ifma_modulus *mod)
{
    for (size_t c = 0; c < stride; c++) {
        __m512i v[16];
        GFP_UNROLL
        for (unsigned i = 0; i < n; i++) {
            v[i] = x[c + i * stride];
        }
        v[0] = gfp_ifma_raise(v[0], mod);
        gfp_ifma_forward_levels(v, n, roots, node, mod);
        GFP_UNROLL
        for (unsigned i = 0; i < n; i++) {
            x[c + i * stride] = v[i];
        }
    }
}

/* In and out [0, 2 q). */
GFP_INLINE void inverse_pass(__m512i *x, size_t stride, unsigned n, const gfp_ntt48_root *roots,
                             size_t node, const gfp_ifma_modulus *mod)
{
    for (size_t c = 0; c < stride; c++) {
        __m512i v[16];
        GFP_UNROLL
        for (unsigned i = 0; i < n; i++) {
            v[i] = x[c + i * stride];
        }
        gfp_ifma_inverse_levels(v, n, n, roots, node, mod);
        GFP_UNROLL
        for (unsigned i = 0; i < n / 2; i++) {
            v[i] = gfp_ifma_reduce(v[i], mod);
        }
        GFP_UNROLL
        for (unsigned i = 0; i < n; i++) {
            x[c + i * stride] = v[i];
        }
    }
}

/* Leaves side by side: leaf i, of odd 2^log2_blocks vectors, is below node nodes[i]. */
typedef struct group {
    const uint32_t *nodes;
    size_t leaves;
    unsigned log2_blocks;
} group;

/* Returns the node of block number c of the group. */
GFP_INLINE size_t node_of(group g, size_t c)
{
    size_t leaf = c >> g.log2_blocks;
    return ((size_t)g.nodes[leaf] << g.log2_blocks) + (c - (leaf << g.log2_blocks));
}

/* The passes over all leaves, each of which is split into 2^log2_blocks blocks of n stride vectors.
 * The last levels of leaves without an odd factor, stride = 1, have functions of their own, since
 * their blocks need no inner loop. */
#define INSTANTIATE(n)                                                                             \
    static void forward_pass_##n(const gfp_ntt_ifma *ntt, __m512i *x, group g, size_t stride)      \
    {                                                                                              \
        const gfp_ifma_modulus mod = gfp_ifma_modulus_of(ntt->prime);                              \
        for (size_t c = 0; c < g.leaves << g.log2_blocks; c++) {                                   \
            forward_pass(x + c * (n)*stride, stride, n, ntt->forward, node_of(g, c), &mod);        \
        }                                                                                          \
    }                                                                                              \
    static void forward_last_##n(const gfp_ntt_ifma *ntt, __m512i *x, group g, size_t stride)      \
    {                                                                                              \
        const gfp_ifma_modulus mod = gfp_ifma_modulus_of(ntt->prime);                              \
        for (size_t c = 0; c < g.leaves << g.log2_blocks; c++, x += (n)) {                         \
            forward_pass(x, 1, n, ntt->forward, node_of(g, c), &mod);                              \
        }                                                                                          \
        (void)stride;                                                                              \
    }                                                                                              \
    static void inverse_pass_##n(const gfp_ntt_ifma *ntt, __m512i *x, group g, size_t stride)      \
    {                                                                                              \
        const gfp_ifma_modulus mod = gfp_ifma_modulus_of(ntt->prime);                              \
        for (size_t c = 0; c < g.leaves << g.log2_blocks; c++) {                                   \
            inverse_pass(x + c * (n)*stride, stride, n, ntt->inverse, node_of(g, c), &mod);        \
        }                                                                                          \
    }                                                                                              \
    static void inverse_first_##n(const gfp_ntt_ifma *ntt, __m512i *x, group g, size_t stride)     \
    {                                                                                              \
        const gfp_ifma_modulus mod = gfp_ifma_modulus_of(ntt->prime);                              \
        for (size_t c = 0; c < g.leaves << g.log2_blocks; c++, x += (n)) {                         \
            inverse_pass(x, 1, n, ntt->inverse, node_of(g, c), &mod);                              \
        }                                                                                          \
        (void)stride;                                                                              \
    }
INSTANTIATE(2)
INSTANTIATE(4)
INSTANTIATE(8)
INSTANTIATE(16)

typedef void pass(const gfp_ntt_ifma *, __m512i *, group, size_t);
/* Indexed by log2 n, and by whether the stride is 1. */
static pass *const forward_passes[5][2] = {{0},
                                           {forward_pass_2, forward_last_2},
                                           {forward_pass_4, forward_last_4},
                                           {forward_pass_8, forward_last_8},
                                           {forward_pass_16, forward_last_16}};
static pass *const inverse_passes[5][2] = {{0},
                                           {inverse_pass_2, inverse_first_2},
                                           {inverse_pass_4, inverse_first_4},
                                           {inverse_pass_8, inverse_first_8},
                                           {inverse_pass_16, inverse_first_16}};

/* Returns the levels of the next pass if this many remain: as few passes as possible, of like
 * size. */
static unsigned next_levels(unsigned levels)
{
    unsigned passes = (levels + 3) / 4;
    return levels / passes;
}

static void ntt_ifma_avx512_forward(const gfp_ntt_ifma *ntt, __m512i *x, group g)
{
    unsigned done = 0;
    while (done < g.log2_blocks) {
        unsigned levels = next_levels(g.log2_blocks - done);
        size_t stride = (size_t)ntt->odd << (g.log2_blocks - done - levels);
        forward_passes[levels][stride == 1](ntt, x, (group){g.nodes, g.leaves, done}, stride);
        done += levels;
    }
}

static void ntt_ifma_avx512_inverse(const gfp_ntt_ifma *ntt, __m512i *x, group g)
{
    unsigned left = g.log2_blocks;
    while (left != 0) {
        unsigned levels = next_levels(left);
        size_t stride = (size_t)ntt->odd << (g.log2_blocks - left);
        left -= levels;
        inverse_passes[levels][stride == 1](ntt, x, (group){g.nodes, g.leaves, left}, stride);
    }
}

/* ---- products modulo x^8 - g ---- */

/* A factor b: b, and the lanes of g b, so that b x^i mod x^8 - g is eight lanes of g b and b side
 * by side. */
typedef struct factor {
    __m512i b;
    __m512i wrapped;
} factor;

/* Sums of the low and high halves of eight products of lanes, for up to five vectors. */
typedef struct sums {
    __m512i low[5], high[5];
} sums;

/* Returns b x^i mod x^8 - g; the shift is an immediate. */
GFP_INLINE __m512i ntt_ifma_avx512_rotated(__m512i b, __m512i wrapped, int i)
{
    return i == 1   ? _mm512_alignr_epi64(b, wrapped, 7)
           : i == 2 ? _mm512_alignr_epi64(b, wrapped, 6)
           : i == 3 ? _mm512_alignr_epi64(b, wrapped, 5)
           : i == 4 ? _mm512_alignr_epi64(b, wrapped, 4)
           : i == 5 ? _mm512_alignr_epi64(b, wrapped, 3)
           : i == 6 ? _mm512_alignr_epi64(b, wrapped, 2)
                    : _mm512_alignr_epi64(b, wrapped, 1);
}

/* Adds lane i of a times b x^i mod x^8 - g. */
GFP_INLINE void add_row(sums *s, const __m512i *a, const factor *f, unsigned n, int i)
{
    GFP_UNROLL
    for (unsigned v = 0; v < n; v++) {
        __m512i x = LANES_WORD(a + v, i);
        __m512i y = i == 0 ? f[v].b : ntt_ifma_avx512_rotated(f[v].b, f[v].wrapped, i);
        s->low[v] = _mm512_madd52lo_epu64(s->low[v], x, y);
        s->high[v] = _mm512_madd52hi_epu64(s->high[v], x, y);
    }
}

/* A sum of products: z := z + sign times the sum; sign 0: z := the sum. */
typedef struct target {
    __m512i *z;
    const gfp_ifma_pairs *p;
    int sign;
} target;

GFP_INLINE void clear_sums(sums *s, unsigned n)
{
    GFP_UNROLL
    for (unsigned v = 0; v < n; v++) {
        s->low[v] = s->high[v] = _mm512_setzero_si512();
    }
}

/* Adds sums / 2^52 by Montgomery to vectors c, ..., c + n - 1: low q^-1 q has the low 52 bits of
 * low, so that the difference of the high parts is the quotient. a in [0, 12.2 q], b in [0, q + e),
 * g b in [0, 2 q]: the sums of eight high halves are below 8 (12.2 q) (2 q) / 2^52 < 13 q for each
 * product. */
GFP_INLINE void divide_sums(const target *t, size_t c, const sums *s, unsigned n, __m512i inverse_q,
                            const gfp_ifma_modulus *mod)
{
    const size_t count = t->p->count;
    __m512i *z = t->z + c, multiple[5];
    GFP_UNROLL
    for (unsigned v = 0; v < n; v++) {
        multiple[v] = _mm512_madd52lo_epu64(_mm512_setzero_si512(), s->low[v], inverse_q);
    }
    GFP_UNROLL
    for (unsigned v = 0; v < n; v++) {
        __m512i h = _mm512_add_epi64(s->high[v], _mm512_srli_epi64(s->low[v], 52));
        __m512i m = _mm512_madd52hi_epu64(_mm512_setzero_si512(), multiple[v], mod->q);
        if (t->sign < 0) {
            const __m512i bound = lanes_set(13 * count * mod->word);
            h = _mm512_add_epi64(_mm512_sub_epi64(_mm512_add_epi64(m, bound), h), z[v]);
        } else {
            h = _mm512_sub_epi64(_mm512_add_epi64(h, mod->q), m);
            h = t->sign > 0 ? _mm512_add_epi64(h, z[v]) : h;
        }
        z[v] = gfp_ifma_reduce(count > 1 ? gfp_ifma_reduce_wide(h, mod) : h, mod);
    }
}

/* Adds a b modulo x^8 - g for n <= 5 vectors. */
GFP_INLINE void block_products(sums *s, const __m512i *a, const factor *f, unsigned n)
{
    GFP_UNROLL
    for (int i = 0; i < 8; i++) {
        add_row(s, a, f, n, i);
    }
}

/* Returns the factor of b in [0, 16 q) with g = w, or g = -w if negative. */
GFP_INLINE factor factor_of(__m512i b, gfp_ntt48_root w, bool negative, const gfp_ifma_modulus *mod)
{
    factor f;
    f.b = gfp_ifma_reduce(b, mod);
    f.wrapped = gfp_ifma_mul(f.b, w, mod);
    f.wrapped = _mm512_mask_sub_epi64(f.wrapped, (__mmask8)(negative ? 0xff : 0),
                                      lanes_set(2 * mod->word), f.wrapped);
    return f;
}

/* Returns the factor of block number c. long_leaves: v = c mod 4, and first is the node of block c
 * - v, an even one: pairs share a root up to the sign. */
GFP_INLINE factor factor_at(const gfp_ntt_ifma *ntt, const __m512i *b, group g, size_t c,
                            unsigned v, size_t first, bool long_leaves, const gfp_ifma_modulus *mod)
{
    if (long_leaves) {
        return factor_of(b[c], ntt->forward[first / 2 + v / 2], v % 2 != 0, mod);
    }
    const size_t node = node_of(g, c);
    return factor_of(b[c], ntt->forward[node / 2], node % 2 != 0, mod);
}

/* How blocks are walked: four of one vector at once, or (odd > 1) one of odd vectors. long_leaves:
 * as for factor_at. */
typedef struct walk {
    const gfp_ntt_ifma *ntt;
    group g;
    unsigned odd;
    bool long_leaves;
} walk;

GFP_INLINE unsigned walk_vectors(const walk *w)
{
    return w->odd == 1 ? 4 : w->odd;
}

/* Returns factor v of those at block c, whose node is `first`. */
GFP_INLINE factor walk_factor(const walk *w, const __m512i *b, size_t c, unsigned v, size_t first,
                              const gfp_ifma_modulus *mod)
{
    if (w->odd == 1) {
        return factor_at(w->ntt, b, w->g, c + v, v, first, w->long_leaves, mod);
    }
    const gfp_ntt48_root *base = w->ntt->odd_roots + first * GFP_NTT48_ODD_ROOTS(w->odd);
    return factor_of(b[c * w->odd + v], base[w->odd - 1 + v], false, mod);
}

/* Sums of a few vectors, and the factors of the products that come next. */
typedef struct running {
    sums s;
    factor f[4];
} running;

/* Adds the products of a, and makes the next factors, those of b at block c, between rows: products
 * after them wait for long chains. */
GFP_INLINE void add_step(const walk *w, running *q, const __m512i *a, const __m512i *b, size_t c,
                         const gfp_ifma_modulus *mod)
{
    const size_t first = node_of(w->g, c);
    const unsigned n = walk_vectors(w);
    factor next[4];
    GFP_UNROLL
    for (int i = 0; i < 8; i++) {
        add_row(&q->s, a, q->f, n, i);
        if (i >= FIRST_ROW && i < FIRST_ROW + (int)n) {
            const unsigned v = (unsigned)(i - FIRST_ROW);
            next[v] = walk_factor(w, b, c, v, first, mod);
        }
    }
    GFP_UNROLL
    for (unsigned v = 0; v < n; v++) {
        q->f[v] = next[v];
    }
}

/* Sums up the products of blocks, at most four vectors at a time, while there are as many. Returns
 * the end of these blocks. */
GFP_INLINE size_t sum_walk(const walk *w, const target *t, __m512i inverse_q,
                           const gfp_ifma_modulus *mod)
{
    const gfp_ifma_pairs *p = t->p;
    const unsigned n = walk_vectors(w), odd = w->odd, step = n / odd;
    const size_t count = p->count, end = w->g.leaves << w->g.log2_blocks;
    size_t c = 0, i = 0; /* the products that are added now: at block c of pair number i */
    running q;
    if (step > end) {
        return 0;
    }
    GFP_UNROLL
    for (unsigned v = 0; v < n; v++) {
        q.f[v] = walk_factor(w, p->y[0], c, v, node_of(w->g, c), mod);
    }
    clear_sums(&q.s, n);
    for (;;) {
        const bool last = i + 1 == count;
        const size_t next_c = last ? c + step : c, next_i = last ? 0 : i + 1;
        if (next_c + step > end) {
            break;
        }
        add_step(w, &q, p->x[i] + c * odd, p->y[next_i], next_c, mod);
        if (last) {
            divide_sums(t, c * odd, &q.s, n, inverse_q, mod);
            clear_sums(&q.s, n);
        }
        c = next_c;
        i = next_i;
    }
    block_products(&q.s, p->x[i] + c * odd, q.f, n);
    divide_sums(t, c * odd, &q.s, n, inverse_q, mod);
    return c + step;
}

/* Sums up the products of all blocks; long_leaves: every leaf is a multiple of four blocks. */
GFP_INLINE void sum_fours(const gfp_ntt_ifma *ntt, const target *t, group g, bool long_leaves)
{
    const gfp_ifma_modulus mod = gfp_ifma_modulus_of(ntt->prime);
    const __m512i inverse_q = lanes_set(ntt->inverse_q);
    const size_t blocks = g.leaves << g.log2_blocks;
    const walk w = {ntt, g, 1, long_leaves};
    for (size_t c = sum_walk(&w, t, inverse_q, &mod); c < blocks; c++) {
        sums s;
        clear_sums(&s, 1);
        for (size_t i = 0; i < t->p->count; i++) {
            const factor f = factor_at(ntt, t->p->y[i], g, c, 0, 0, false, &mod);
            block_products(&s, t->p->x[i] + c, &f, 1);
        }
        divide_sums(t, c, &s, 1, inverse_q, &mod);
    }
}

static __attribute__((noinline)) void sum_blocks(const gfp_ntt_ifma *ntt, const target *t, group g)
{
    if (g.log2_blocks >= 2) {
        sum_fours(ntt, t, g, true);
    } else {
        sum_fours(ntt, t, g, false);
    }
}

/* a := a b. */
static __attribute__((noinline)) void multiply_blocks(const gfp_ntt_ifma *ntt, __m512i *a,
                                                      const __m512i *b, group g)
{
    const gfp_ifma_pairs p = {{a}, {b}, 1};
    const target t = {a, &p, 0};
    if (g.log2_blocks >= 2) {
        sum_fours(ntt, &t, g, true);
    } else {
        sum_fours(ntt, &t, g, false);
    }
}

/* ---- products modulo x^(8 odd) - g, by a DFT of odd points ---- */

/* add returns x + y; sub returns x - y + bias q. */
GFP_INLINE __m512i ntt_ifma_avx512_add(__m512i x, __m512i y)
{
    return _mm512_add_epi64(x, y);
}

GFP_INLINE __m512i ntt_ifma_avx512_sub(__m512i x, __m512i y, unsigned bias,
                                       const gfp_ifma_modulus *mod)
{
    return _mm512_add_epi64(_mm512_sub_epi64(x, y), lanes_set(bias * mod->word));
}

/* The factors of a DFT of odd points, in all lanes: loaded once, not after every store. */
typedef struct dft_vectors {
    __m512i w[GFP_NTT48_DFT_ROOTS], companion[GFP_NTT48_DFT_ROOTS];
} dft_vectors;

GFP_INLINE dft_vectors load_dft(const gfp_ntt48_root *roots, unsigned odd)
{
    const unsigned count = odd == 3 ? 1 : GFP_NTT48_DFT_ROOTS;
    dft_vectors d;
    for (unsigned i = 0; i < count; i++) {
        d.w[i] = lanes_set(roots[i].w);
        d.companion[i] = lanes_set(roots[i].companion);
    }
    return d;
}

GFP_INLINE __m512i ntt_ifma_avx512_times(__m512i v, const dft_vectors *d, unsigned i,
                                         const gfp_ifma_modulus *mod)
{
    return gfp_ifma_mul_from(_mm512_setzero_si512(), v, d->w[i], d->companion[i], mod);
}

/* x[0] < q + e, the others < 2 q; out below 6 q. */
GFP_INLINE void ntt_ifma_avx512_dft3(__m512i *x, const dft_vectors *d, const gfp_ifma_modulus *mod)
{
    __m512i t = ntt_ifma_avx512_times(ntt_ifma_avx512_sub(x[1], x[2], 2, mod), d, 0, mod);
    __m512i y1 = ntt_ifma_avx512_add(ntt_ifma_avx512_sub(x[0], x[2], 2, mod), t);
    __m512i y2 = ntt_ifma_avx512_sub(ntt_ifma_avx512_sub(x[0], x[1], 2, mod), t, 2, mod);
    x[0] = ntt_ifma_avx512_add(x[0], ntt_ifma_avx512_add(x[1], x[2]));
    x[1] = y1;
    x[2] = y2;
}

/* x[0] < q + e, the others < 2 q; out below 10 q. */
GFP_INLINE void ntt_ifma_avx512_dft5(__m512i *x, const dft_vectors *d, const gfp_ifma_modulus *mod)
{
    __m512i p1 = ntt_ifma_avx512_add(x[1], x[4]), p2 = ntt_ifma_avx512_add(x[2], x[3]); /* < 4 q */
    __m512i m1 = ntt_ifma_avx512_sub(x[1], x[4], 2, mod),
            m2 = ntt_ifma_avx512_sub(x[2], x[3], 2, mod);                            /* < 4 q */
    __m512i sum = ntt_ifma_avx512_add(p1, p2);                                       /* < 8 q */
    __m512i mean = ntt_ifma_avx512_add(x[0], ntt_ifma_avx512_times(sum, d, 0, mod)); /* < 3 q + e */
    __m512i apart =
        ntt_ifma_avx512_times(ntt_ifma_avx512_sub(p1, p2, 4, mod), d, 1, mod); /* < 2 q */
    __m512i a1 = ntt_ifma_avx512_add(mean, apart),
            a2 = ntt_ifma_avx512_sub(mean, apart, 2, mod);                     /* < 5 q + e */
    __m512i t = ntt_ifma_avx512_times(ntt_ifma_avx512_add(m1, m2), d, 2, mod); /* < 2 q */
    __m512i b1 = ntt_ifma_avx512_add(t, ntt_ifma_avx512_times(m2, d, 3, mod)); /* < 4 q */
    __m512i b2 = ntt_ifma_avx512_sub(ntt_ifma_avx512_times(m1, d, 4, mod), t, 2, mod); /* < 4 q */
    x[0] = ntt_ifma_avx512_add(x[0], sum);
    x[1] = ntt_ifma_avx512_add(a1, b1);
    x[4] = ntt_ifma_avx512_sub(a1, b1, 4, mod);
    x[2] = ntt_ifma_avx512_add(a2, b2);
    x[3] = ntt_ifma_avx512_sub(a2, b2, 4, mod);
}

GFP_INLINE void odd_dft(__m512i *x, unsigned odd, const dft_vectors *d, const gfp_ifma_modulus *mod)
{
    if (odd == 3) {
        ntt_ifma_avx512_dft3(x, d, mod);
    } else {
        ntt_ifma_avx512_dft5(x, d, mod);
    }
}

/* Replaces a block by its residues modulo its odd factors. */
GFP_INLINE void split_block(__m512i *y, unsigned odd, const gfp_ntt48_root *node,
                            const dft_vectors *d, const gfp_ifma_modulus *mod)
{
    __m512i x[5];
    x[0] = gfp_ifma_reduce(y[0], mod);
    GFP_UNROLL
    for (unsigned s = 1; s < odd; s++) {
        x[s] = gfp_ifma_mul(y[s], node[s - 1], mod);
    }
    odd_dft(x, odd, d, mod);
    GFP_UNROLL
    for (unsigned s = 0; s < odd; s++) {
        y[s] = x[s];
    }
}

/* Replaces y, y < q + e, by odd times the inverse of split_block, in [0, 2 q). */
GFP_INLINE void join_block(__m512i *y, unsigned odd, const gfp_ntt48_root *node,
                           const dft_vectors *d, const gfp_ifma_modulus *mod)
{
    __m512i x[5];
    GFP_UNROLL
    for (unsigned s = 0; s < odd; s++) {
        x[s] = y[s];
    }
    odd_dft(x, odd, d, mod);
    y[0] = gfp_ifma_reduce(x[0], mod);
    GFP_UNROLL
    for (unsigned s = 1; s < odd; s++) {
        /* The inverse DFT is the DFT with its outputs s and odd - s exchanged. */
        y[s] = gfp_ifma_mul(x[odd - s], node[2 * odd - 2 + s], mod);
    }
}

/* Sums up the products of block c of odd vectors. */
GFP_INLINE void sum_odd_block(const gfp_ntt_ifma *ntt, const target *t, unsigned odd, group g,
                              size_t c, __m512i inverse_q, const gfp_ifma_modulus *mod)
{
    const gfp_ntt48_root *base =
        ntt->odd_roots + node_of(g, c) * GFP_NTT48_ODD_ROOTS(odd) + odd - 1;
    sums s;
    clear_sums(&s, odd);
    for (size_t i = 0; i < t->p->count; i++) {
        factor f[5];
        GFP_UNROLL
        for (unsigned v = 0; v < odd; v++) {
            f[v] = factor_of(t->p->y[i][c * odd + v], base[v], false, mod);
        }
        block_products(&s, t->p->x[i] + c * odd, f, odd);
    }
    divide_sums(t, c * odd, &s, odd, inverse_q, mod);
}

/* Multiplies the blocks from `first` on, at most ODD_BLOCKS. Three loops avoid long chains of
 * dependent products: the residues of both operands modulo the factors x^8 - c zeta^i in place,
 * their products, and the way back. */
GFP_INLINE void multiply_odd_blocks(const gfp_ntt_ifma *ntt, __m512i *a, __m512i *b, unsigned odd,
                                    group g, size_t first, const dft_vectors *dft,
                                    const gfp_ifma_modulus *mod)
{
    const size_t blocks = g.leaves << g.log2_blocks;
    const size_t end = blocks - first < ODD_BLOCKS ? blocks : first + ODD_BLOCKS;
    const __m512i inverse_q = lanes_set(ntt->inverse_q);
    const size_t entry = GFP_NTT48_ODD_ROOTS(odd);
    const gfp_ifma_pairs p = {{a}, {b}, 1};
    const target t = {a, &p, 0};
    for (size_t c = first; c < end; c++) {
        const gfp_ntt48_root *roots = ntt->odd_roots + node_of(g, c) * entry;
        split_block(a + c * odd, odd, roots, dft, mod);
        if (b != a) {
            split_block(b + c * odd, odd, roots, dft, mod);
        }
    }
    for (size_t c = first; c < end; c++) {
        sum_odd_block(ntt, &t, odd, g, c, inverse_q, mod);
    }
    for (size_t c = first; c < end; c++) {
        const gfp_ntt48_root *roots = ntt->odd_roots + node_of(g, c) * entry;
        join_block(a + c * odd, odd, roots, dft, mod);
    }
}

GFP_INLINE void multiply_odd(const gfp_ntt_ifma *ntt, __m512i *a, __m512i *b, unsigned odd, group g)
{
    const gfp_ifma_modulus mod = gfp_ifma_modulus_of(ntt->prime);
    const dft_vectors dft = load_dft(ntt->dft_roots, odd);
    const size_t blocks = g.leaves << g.log2_blocks;
    for (size_t c = 0; c < blocks; c += ODD_BLOCKS) {
        multiply_odd_blocks(ntt, a, b, odd, g, c, &dft, &mod);
    }
}

static __attribute__((noinline)) void multiply_blocks3(const gfp_ntt_ifma *ntt, __m512i *a,
                                                       __m512i *b, group g)
{
    multiply_odd(ntt, a, b, 3, g);
}

static __attribute__((noinline)) void multiply_blocks5(const gfp_ntt_ifma *ntt, __m512i *a,
                                                       __m512i *b, group g)
{
    multiply_odd(ntt, a, b, 5, g);
}

/* ---- whole leaves ---- */

static void multiply_bottom(const gfp_ntt_ifma *ntt, __m512i *a, __m512i *b, group g)
{
    if (ntt->odd == 1) {
        multiply_blocks(ntt, a, b, g);
    } else if (ntt->odd == 3) {
        multiply_blocks3(ntt, a, b, g);
    } else {
        multiply_blocks5(ntt, a, b, g);
    }
}

static void multiply_flat(const gfp_ntt_ifma *ntt, __m512i *a, __m512i *b, group g)
{
    ntt_ifma_avx512_forward(ntt, a, g);
    if (b != a) {
        ntt_ifma_avx512_forward(ntt, b, g);
    }
    multiply_bottom(ntt, a, b, g);
    ntt_ifma_avx512_inverse(ntt, a, g);
}

/* Multiplies one leaf, or a part of one, depth first. */
static void multiply_deep(const gfp_ntt_ifma *ntt, __m512i *a, __m512i *b, uint32_t node,
                          unsigned log2_blocks)
{
    const group g = {&node, 1, 0};
    if (log2_blocks <= LOG2_FLAT) {
        multiply_flat(ntt, a, b, (group){&node, 1, log2_blocks});
        return;
    }
    unsigned levels = log2_blocks - LOG2_FLAT < DEEP_LEVELS ? log2_blocks - LOG2_FLAT : DEEP_LEVELS;
    size_t stride = (size_t)ntt->odd << (log2_blocks - levels);
    forward_passes[levels][stride == 1](ntt, a, g, stride);
    if (b != a) {
        forward_passes[levels][stride == 1](ntt, b, g, stride);
    }
    for (uint32_t c = 0; c >> levels == 0; c++) {
        multiply_deep(ntt, a + c * stride, b + c * stride, (node << levels) + c,
                      log2_blocks - levels);
    }
    inverse_passes[levels][stride == 1](ntt, a, g, stride);
}

void gfp_ntt_ifma_multiply(const gfp_ntt_ifma *ntt, __m512i *a, __m512i *b, size_t leaves,
                           const uint32_t *nodes)
{
    /* Short leaves together, as many as go through the passes at once. */
    const unsigned log2_blocks = ntt->log2_blocks;
    const size_t vectors = (size_t)ntt->odd << log2_blocks;
    const size_t together = log2_blocks < LOG2_FLAT ? (size_t)1 << (LOG2_FLAT - log2_blocks) : 1;
    for (size_t i = 0; i < leaves; i += together) {
        size_t n = leaves - i < together ? leaves - i : together;
        if (log2_blocks <= LOG2_FLAT) {
            group g = {nodes + i, n, log2_blocks};
            multiply_flat(ntt, a + i * vectors, b + i * vectors, g);
        } else {
            multiply_deep(ntt, a + i * vectors, b + i * vectors, nodes[i], log2_blocks);
        }
    }
}

/* ---- products in steps ---- */

/* Computes the residues modulo the odd factors of all blocks, the end of the transform of a
 * factor. */
GFP_INLINE void split_blocks(const gfp_ntt_ifma *ntt, __m512i *a, unsigned odd, group g)
{
    const gfp_ifma_modulus mod = gfp_ifma_modulus_of(ntt->prime);
    const dft_vectors dft = load_dft(ntt->dft_roots, odd);
    for (size_t c = 0; c < g.leaves << g.log2_blocks; c++) {
        const gfp_ntt48_root *roots = ntt->odd_roots + node_of(g, c) * GFP_NTT48_ODD_ROOTS(odd);
        split_block(a + c * odd, odd, roots, &dft, &mod);
    }
}

GFP_INLINE void join_blocks(const gfp_ntt_ifma *ntt, __m512i *a, unsigned odd, group g)
{
    const gfp_ifma_modulus mod = gfp_ifma_modulus_of(ntt->prime);
    const dft_vectors dft = load_dft(ntt->dft_roots, odd);
    for (size_t c = 0; c < g.leaves << g.log2_blocks; c++) {
        const gfp_ntt48_root *roots = ntt->odd_roots + node_of(g, c) * GFP_NTT48_ODD_ROOTS(odd);
        join_block(a + c * odd, odd, roots, &dft, &mod);
    }
}

static __attribute__((noinline)) void sum_split3(const gfp_ntt_ifma *ntt, const target *t, group g)
{
    const gfp_ifma_modulus mod = gfp_ifma_modulus_of(ntt->prime);
    const walk w = {ntt, g, 3, false};
    (void)sum_walk(&w, t, lanes_set(ntt->inverse_q), &mod);
}

/* Blocks of five vectors leave no registers for the next factors. */
static __attribute__((noinline)) void sum_split5(const gfp_ntt_ifma *ntt, const target *t, group g)
{
    const gfp_ifma_modulus mod = gfp_ifma_modulus_of(ntt->prime);
    const __m512i inverse_q = lanes_set(ntt->inverse_q);
    for (size_t c = 0; c < g.leaves << g.log2_blocks; c++) {
        sum_odd_block(ntt, t, 5, g, c, inverse_q, &mod);
    }
}

static void sum_bottom(const gfp_ntt_ifma *ntt, const target *t, group g)
{
    if (ntt->odd == 1) {
        sum_blocks(ntt, t, g);
    } else if (ntt->odd == 3) {
        sum_split3(ntt, t, g);
    } else {
        sum_split5(ntt, t, g);
    }
}

/* The steps between the levels of the tree, for blocks of an odd length. */
GFP_INLINE void odd_steps(const gfp_ntt_ifma *ntt, __m512i *a, const __m512i *b, unsigned odd,
                          group g, unsigned steps)
{
    const gfp_ifma_pairs p = {{a}, {b}, 1};
    const target t = {a, &p, 0};
    if (steps & GFP_IFMA_FORWARD) {
        split_blocks(ntt, a, odd, g);
    }
    if (steps & GFP_IFMA_MULTIPLY) {
        sum_bottom(ntt, &t, g);
    }
    if (steps & GFP_IFMA_INVERSE) {
        join_blocks(ntt, a, odd, g);
    }
}

static __attribute__((noinline)) void odd_steps3(const gfp_ntt_ifma *ntt, __m512i *a,
                                                 const __m512i *b, group g, unsigned steps)
{
    odd_steps(ntt, a, b, 3, g, steps);
}

static __attribute__((noinline)) void odd_steps5(const gfp_ntt_ifma *ntt, __m512i *a,
                                                 const __m512i *b, group g, unsigned steps)
{
    odd_steps(ntt, a, b, 5, g, steps);
}

static void bottom_steps(const gfp_ntt_ifma *ntt, __m512i *a, const __m512i *b, group g,
                         unsigned steps)
{
    if (ntt->odd == 3) {
        odd_steps3(ntt, a, b, g, steps);
    } else if (ntt->odd == 5) {
        odd_steps5(ntt, a, b, g, steps);
    } else if (steps & GFP_IFMA_MULTIPLY) {
        multiply_blocks(ntt, a, b, g);
    }
}

static void flat_steps(const gfp_ntt_ifma *ntt, __m512i *a, const __m512i *b, group g,
                       unsigned steps)
{
    if (steps & GFP_IFMA_FAR) { /* fetches b while a is transformed */
        for (size_t c = 0; c < (ntt->odd * g.leaves) << g.log2_blocks; c++) {
            _mm_prefetch((const char *)(b + c), _MM_HINT_T0);
        }
    }
    if (steps & GFP_IFMA_FORWARD) {
        ntt_ifma_avx512_forward(ntt, a, g);
    }
    bottom_steps(ntt, a, b, g, steps);
    if (steps & GFP_IFMA_INVERSE) {
        ntt_ifma_avx512_inverse(ntt, a, g);
    }
}

/* The steps of one leaf, or a part of one, depth first as in multiply_deep. */
static void deep_steps(const gfp_ntt_ifma *ntt, __m512i *a, const __m512i *b, uint32_t node,
                       unsigned log2_blocks, unsigned steps)
{
    const group g = {&node, 1, 0};
    if (log2_blocks <= LOG2_FLAT) {
        flat_steps(ntt, a, b, (group){&node, 1, log2_blocks}, steps);
        return;
    }
    unsigned levels = log2_blocks - LOG2_FLAT < DEEP_LEVELS ? log2_blocks - LOG2_FLAT : DEEP_LEVELS;
    size_t stride = (size_t)ntt->odd << (log2_blocks - levels);
    if (steps & GFP_IFMA_FORWARD) {
        forward_passes[levels][stride == 1](ntt, a, g, stride);
    }
    for (uint32_t c = 0; c >> levels == 0; c++) {
        deep_steps(ntt, a + c * stride, b + c * stride, (node << levels) + c, log2_blocks - levels,
                   steps);
    }
    if (steps & GFP_IFMA_INVERSE) {
        inverse_passes[levels][stride == 1](ntt, a, g, stride);
    }
}

void gfp_ntt_ifma_steps(const gfp_ntt_ifma *ntt, __m512i *a, const __m512i *b, size_t leaves,
                        const uint32_t *nodes, unsigned steps)
{
    const unsigned log2_blocks = ntt->log2_blocks;
    const size_t vectors = (size_t)ntt->odd << log2_blocks;
    const size_t together = log2_blocks < LOG2_FLAT ? (size_t)1 << (LOG2_FLAT - log2_blocks) : 1;
    for (size_t i = 0; i < leaves; i += together) {
        size_t n = leaves - i < together ? leaves - i : together;
        if (log2_blocks <= LOG2_FLAT) {
            group g = {nodes + i, n, log2_blocks};
            flat_steps(ntt, a + i * vectors, b + i * vectors, g, steps);
        } else {
            deep_steps(ntt, a + i * vectors, b + i * vectors, nodes[i], log2_blocks, steps);
        }
    }
}

/* Operands of more blocks than this are prefetched, this number of vectors ahead: they are far from
 * the caches. */
#define LOG2_APART 5
#define APART_AHEAD 64

static void fetch_pairs(const gfp_ifma_pairs *p, size_t size)
{
    for (size_t j = 0; j < p->count; j++) {
        for (size_t i = APART_AHEAD; i < size + APART_AHEAD; i++) {
            _mm_prefetch((const char *)(p->x[j] + i), _MM_HINT_T0);
            _mm_prefetch((const char *)(p->y[j] + i), _MM_HINT_T0);
        }
    }
}

void gfp_ntt_ifma_accumulate(const gfp_ntt_ifma *ntt, __m512i *z, const gfp_ifma_pairs *pairs,
                             size_t leaves, const uint32_t *nodes, int sign)
{
    const unsigned log2_blocks = ntt->log2_blocks;
    gfp_ifma_pairs p = *pairs;
    target t = {z, &p, sign};
    if (log2_blocks <= LOG2_APART) {
        sum_bottom(ntt, &t, (group){nodes, leaves, log2_blocks});
        return;
    }
    const unsigned levels = log2_blocks - LOG2_APART;
    const size_t size = (size_t)ntt->odd << LOG2_APART;
    for (size_t c = 0; c < leaves << levels; c++) {
        const uint32_t node = (uint32_t)node_of((group){nodes, leaves, levels}, c);
        fetch_pairs(&p, size);
        sum_bottom(ntt, &t, (group){&node, 1, LOG2_APART});
        t.z += size;
        for (size_t j = 0; j < p.count; j++) {
            p.x[j] += size;
            p.y[j] += size;
        }
    }
}

void gfp_ntt_ifma_add(const gfp_ntt48_prime *prime, __m512i *z, const __m512i *x, const __m512i *y,
                      size_t n, bool subtract)
{
    const gfp_ifma_modulus mod = gfp_ifma_modulus_of(prime);
    for (size_t i = 0; i < n; i++) {
        __m512i u = gfp_ifma_reduce(x[i], &mod), v = gfp_ifma_reduce(y[i], &mod);
        v = subtract ? _mm512_sub_epi64(mod.twice, v) : v;
        z[i] = gfp_ifma_reduce(_mm512_add_epi64(u, v), &mod);
    }
}
