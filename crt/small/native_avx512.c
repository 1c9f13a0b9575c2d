/* native_avx512.c: the native multimodular product by AVX-512 IFMA: eight coefficients side by
 * side in projection and CRT, transforms of fft/words/ntt_ifma.h. Bounds: native_ranges.py.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/small/native_ifma.h"

#include <string.h>

#include "field/kernels/lanes_avx512.h"

#define IFMA GFP_INLINE
#define UNROLL GFP_UNROLL

enum { GROUP = GFP_NATIVE_GROUP, VECTORS = GFP_NATIVE_TILE / LANES, LIMBS = 3 };

static bool native_avx512_serves(const gfp_native_radix *radix)
{
    return radix->r >= GFP_NATIVE_R_MIN;
}

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* For the projection: two pieces of each digit, and digits of the last coefficients; for the CRT:
 * factors y_i, and the same digits of two vectors. */
static size_t crt_words(size_t k, size_t count)
{
    return LANES * max_size(3 * k, VECTORS * (count + 1 + k) + k);
}

IFMA __m512i piece_mask(void)
{
    return lanes_set(GFP_NATIVE_PIECE_MASK);
}

/* ---- projection ---- */

/* Loads the digits of eight coefficients in pieces; only the first `count` coefficients exist. */
static void load_pieces(const gfp_native_tables *tables, __m512i *pieces, const uint64_t *x,
                        size_t count, uint64_t *near)
{
    const size_t k = tables->radix.k;
    if (tables->radix.per > 1) {
        memset(near, 0, LANES * k * sizeof *near);
        for (size_t i = 0; i < count; i++) {
            gfp_native_join(tables, near + i * k, x + i * tables->field->k);
        }
        x = near;
    } else if (count < LANES) {
        memset(near, 0, LANES * k * sizeof *near);
        memcpy(near, x, count * k * sizeof *near);
        x = near;
    }
    /* The digits go to the upper half: digit t is read before piece 2 t + 1 <= k + t replaces
     * it. */
    __m512i *digits = pieces + k;
    lanes_load_digits(digits, x, k, (unsigned)k);
    for (size_t t = 0; t < k; t++) {
        const __m512i d = digits[t];
        pieces[2 * t] = _mm512_and_si512(d, piece_mask());
        pieces[2 * t + 1] = _mm512_srli_epi64(d, GFP_NATIVE_PIECE_BITS);
    }
}

/* z[j step .. j step + 8) := residues modulo the primes of a group from 2k pieces. */
static void project_vector(const gfp_native_prime *primes, const uint64_t *powers, size_t count,
                           uint64_t *z, size_t step, const __m512i *pieces, size_t k)
{
    __m512i low[GROUP], high[GROUP];
    UNROLL
    for (unsigned j = 0; j < GROUP; j++) {
        low[j] = _mm512_setzero_si512();
        high[j] = _mm512_setzero_si512();
    }
    for (size_t p = 0; p < 2 * k; p++, powers += GROUP) {
        const __m512i x = pieces[p];
        UNROLL
        for (unsigned j = 0; j < GROUP; j++) {
            const __m512i w = lanes_set(powers[j]);
            low[j] = _mm512_madd52lo_epu64(low[j], x, w);
            high[j] = _mm512_madd52hi_epu64(high[j], x, w);
        }
    }
    __m512i sums[2][GROUP];
    UNROLL
    for (unsigned j = 0; j < GROUP; j++) {
        sums[0][j] = low[j];
        sums[1][j] = high[j];
    }
    for (size_t j = 0; j < count; j++) {
        _mm512_storeu_si512(z + j * step, gfp_native_fold(sums[0][j], sums[1][j], primes + j));
    }
}

static void native_avx512_project(const gfp_native_tables *tables, size_t first, size_t count,
                                  const gfp_native_factor *factor, size_t step, size_t n,
                                  uint64_t *work)
{
    const size_t k = tables->radix.k, len = factor->len;
    uint64_t *z = factor->z;
    const gfp_native_prime *primes = tables->primes + first;
    const uint64_t *powers = tables->powers + gfp_native_power(k, first, 0, 0);
    __m512i *pieces = (__m512i *)work;
    size_t i = 0;
    for (; i < len; i += LANES) {
        load_pieces(tables, pieces, factor->x + i * tables->field->k,
                    len - i < LANES ? len - i : LANES, work + 2 * LANES * k);
        for (size_t j = 0; j < count; j += GROUP) {
            project_vector(primes + j, powers + 2 * k * j, count - j < GROUP ? count - j : GROUP,
                           z + j * step + i, step, pieces, k);
        }
    }
    for (size_t j = 0; j < count; j++) { /* 0, in the range of the transforms */
        const __m512i zero = lanes_set(3 * primes[j].prime.q);
        for (size_t l = i; l < n; l += LANES) {
            _mm512_storeu_si512(z + j * step + l, zero);
        }
    }
}

/* ---- transforms ---- */

static unsigned log2_blocks(unsigned log2_n)
{
    return log2_n - 3;
}

static size_t root_count(unsigned log2_n)
{
    return log2_n <= 4 ? 1 : (size_t)1 << (log2_n - 4);
}

static size_t root_words(unsigned log2_n)
{
    return 2 * 2 * root_count(log2_n);
}

/* Returns the factor that computes companions of eight roots at once: 2^100 / q - 2^52, rounded
 * down. */
static uint64_t companion_factor(uint64_t q)
{
    const uint64_t delta = ((uint64_t)1 << GFP_NATIVE_BITS) - q;
    return (uint64_t)(((gfp_u128)delta << 52) / q);
}

/* Returns floor(2^52 w / q), w < q: w 2^4 (2^52 + factor) / 2^52 is less than that by less than 2.
 * The remainder, below 2 q, is known modulo 2^52. */
IFMA __m512i native_avx512_companions(__m512i w, __m512i factor, const gfp_ifma_modulus *mod)
{
    const __m512i x = _mm512_slli_epi64(w, 4);
    const __m512i c = _mm512_madd52hi_epu64(x, x, factor);
    const __m512i rest = _mm512_madd52lo_epu64(_mm512_setzero_si512(), c, mod->complement);
    const __mmask8 less = _mm512_cmpge_epu64_mask(rest, mod->q);
    return _mm512_mask_add_epi64(c, less, c, _mm512_set1_epi64(1));
}

/* to := the next eight roots: those at `from` times turn. */
IFMA void next_roots(gfp_ntt48_root *to, const gfp_ntt48_root *from, gfp_ntt48_root turn,
                     __m512i factor, const gfp_ifma_modulus *mod)
{
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    __m512i w =
        _mm512_permutex2var_epi64(_mm512_loadu_si512(from), even, _mm512_loadu_si512(from + 4));
    w = _mm512_and_si512(gfp_ifma_mul(w, turn, mod), piece_mask());
    w = _mm512_min_epu64(w, _mm512_sub_epi64(w, mod->q));
    const __m512i c = native_avx512_companions(w, factor, mod);
    _mm512_storeu_si512(
        to, _mm512_permutex2var_epi64(w, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), c));
    _mm512_storeu_si512(
        to + 4, _mm512_permutex2var_epi64(w, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), c));
}

/* Fills a table of roots in the order of gfp_ntt48_roots_fill. */
static void fill_roots(gfp_ntt48_root *table, const gfp_ntt48_root *turn,
                       const gfp_ntt48_prime *prime, size_t count)
{
    const gfp_ifma_modulus mod = gfp_ifma_modulus_of(prime);
    const __m512i factor = lanes_set(companion_factor(prime->q));
    table[0] = gfp_ntt48_root_of(1, prime->q);
    for (size_t half = 1; half < count; half *= 2, turn++) {
        if (half < LANES) {
            for (size_t b = 0; b < half; b++) {
                const uint64_t w = gfp_mod_mul(table[b].w, turn->w, prime->q);
                table[half + b] = gfp_ntt48_root_of(w, prime->q);
            }
            continue;
        }
        for (size_t b = 0; b < half; b += LANES) {
            next_roots(table + half + b, table + b, *turn, factor, &mod);
        }
    }
}

static void native_avx512_roots(const gfp_native_prime *prime, unsigned log2_n, uint64_t *words)
{
    gfp_ntt48_root *table = (gfp_ntt48_root *)(void *)words;
    const size_t count = root_count(log2_n);
    fill_roots(table, prime->turn, &prime->prime, count);
    fill_roots(table + count, prime->back, &prime->prime, count);
}

/* Returns the transform modulo the polynomial of a node. */
static gfp_ntt_ifma node_of(const gfp_native_prime *prime, const uint64_t *roots, unsigned log2_all,
                            unsigned log2_n)
{
    const gfp_ntt48_root *table = (const gfp_ntt48_root *)(const void *)roots;
    return (gfp_ntt_ifma){.prime = &prime->prime,
                          .inverse_q = prime->inverse_q,
                          .forward = table,
                          .inverse = table + root_count(log2_all),
                          .odd = 1,
                          .log2_blocks = log2_blocks(log2_n)};
}

/* The nodes of a transform: the root, or nodes 0 and 2. */
typedef struct node {
    uint32_t number;
    unsigned log2_n;
    size_t at; /* points before this node */
} node;

static unsigned nodes_of(node nodes[2], gfp_native_size size)
{
    if (!size.three) {
        nodes[0] = (node){0, size.log2_n, 0};
        return 1;
    }
    nodes[0] = (node){0, size.log2_n - 1, 0};
    nodes[1] = (node){2, size.log2_n - 2, (size_t)2 << (size.log2_n - 2)};
    return 2;
}

/* split_three of native_portable.c in lanes: residues in [3 q, 6.1 q], out in [3 q, 12.2 q]. */
static void split_three(uint64_t *words, size_t m, const gfp_native_prime *prime)
{
    const gfp_ifma_modulus mod = gfp_ifma_modulus_of(&prime->prime);
    const __m512i bias = lanes_set(7 * mod.word);
    __m512i *x = (__m512i *)words;
    m /= LANES;
    for (size_t i = 0; i < m; i++) {
        const __m512i x0 = x[i], x2 = x[i + 2 * m];
        __m512i y = gfp_ifma_mul(x[i + m], prime->turn[0], &mod);
        y = _mm512_add_epi64(_mm512_and_si512(y, piece_mask()), _mm512_sub_epi64(bias, x2));
        x[i] = _mm512_add_epi64(x0, x2);
        x[i + 2 * m] = _mm512_add_epi64(x0, y);
    }
}

/* join_three of native_portable.c in lanes: values in [0, 2 q), modulo 2^52. */
static void join_three(uint64_t *words, size_t m, const gfp_native_prime *prime)
{
    const uint64_t q = prime->prime.q, half = (q + 1) / 2;
    const gfp_ifma_modulus mod = gfp_ifma_modulus_of(&prime->prime);
    const gfp_ntt48_root root = gfp_ntt48_root_of(half, q);
    const gfp_ntt48_root root_s = gfp_ntt48_root_of(gfp_mod_mul(half, prime->turn[0].w, q), q);
    __m512i *x = (__m512i *)words;
    m /= LANES;
    for (size_t i = 0; i < m; i++) {
        const __m512i u = _mm512_add_epi64(x[i], mod.twice);
        __m512i top = _mm512_sub_epi64(mod.twice, x[i + 2 * m]);
        top = _mm512_add_epi64(top, gfp_ifma_mul(x[i], root, &mod));
        top = _mm512_add_epi64(top, gfp_ifma_mul(x[i + m], root_s, &mod));
        top = gfp_ifma_reduce(top, &mod);
        x[i] = gfp_ifma_reduce(_mm512_sub_epi64(u, top), &mod);
        x[i + 2 * m] = top;
    }
}

static void native_avx512_multiply(const gfp_native_prime *prime, const uint64_t *roots,
                                   uint64_t *a, uint64_t *b, gfp_native_size size)
{
    const size_t m = (size_t)1 << (size.log2_n - 2);
    node nodes[2];
    const unsigned count = nodes_of(nodes, size);
    if (size.three) {
        split_three(a, m, prime);
        if (b != a) {
            split_three(b, m, prime);
        }
    }
    for (unsigned i = 0; i < count; i++) {
        const gfp_ntt_ifma ntt = node_of(prime, roots, size.log2_n, nodes[i].log2_n);
        gfp_ntt_ifma_multiply(&ntt, (__m512i *)(a + nodes[i].at), (__m512i *)(b + nodes[i].at), 1,
                              &nodes[i].number);
    }
    if (size.three) {
        join_three(a, m, prime);
    }
}

_Static_assert(GFP_NATIVE_FORWARD == (int)GFP_IFMA_FORWARD &&
                   GFP_NATIVE_MULTIPLY == (int)GFP_IFMA_MULTIPLY &&
                   GFP_NATIVE_INVERSE == (int)GFP_IFMA_INVERSE,
               "steps are those of fft/words/ntt_ifma.h");

/* Factors are in [0, 12.2 q], products in [0, q + e). */
static void native_avx512_steps(const gfp_native_prime *prime, const uint64_t *roots, uint64_t *a,
                                const uint64_t *b, gfp_native_size size, unsigned steps)
{
    const size_t m = (size_t)1 << (size.log2_n - 2);
    node nodes[2];
    const unsigned count = nodes_of(nodes, size);
    if (size.three && (steps & GFP_NATIVE_FORWARD)) {
        split_three(a, m, prime);
    }
    for (unsigned i = 0; i < count; i++) {
        const gfp_ntt_ifma ntt = node_of(prime, roots, size.log2_n, nodes[i].log2_n);
        const uint64_t *factor = steps & GFP_NATIVE_MULTIPLY ? b + nodes[i].at : a + nodes[i].at;
        gfp_ntt_ifma_steps(&ntt, (__m512i *)(a + nodes[i].at), (const __m512i *)factor, 1,
                           &nodes[i].number, steps);
    }
    if (size.three && (steps & GFP_NATIVE_INVERSE)) {
        join_three(a, m, prime);
    }
}

static void native_avx512_accumulate(const gfp_native_prime *prime, const uint64_t *roots,
                                     uint64_t *z, const uint64_t *x, const uint64_t *y,
                                     gfp_native_size size, int sign)
{
    node nodes[2];
    const unsigned count = nodes_of(nodes, size);
    for (unsigned i = 0; i < count; i++) {
        const gfp_ntt_ifma ntt = node_of(prime, roots, size.log2_n, nodes[i].log2_n);
        const size_t at = nodes[i].at;
        const gfp_ifma_pairs p = {{(const __m512i *)(x + at)}, {(const __m512i *)(y + at)}, 1};
        gfp_ntt_ifma_accumulate(&ntt, (__m512i *)(z + at), &p, 1, &nodes[i].number, sign);
    }
}

static void native_avx512_add(const gfp_native_prime *prime, uint64_t *z, const uint64_t *x,
                              const uint64_t *y, size_t n, bool subtract)
{
    gfp_ntt_ifma_add(&prime->prime, (__m512i *)z, (const __m512i *)x, (const __m512i *)y, n / LANES,
                     subtract);
}

/* Factors are below 2^52, products in [0, q + e). */
static void native_avx512_lift(const gfp_native_prime *prime, uint64_t *z, const uint64_t *x,
                               size_t n)
{
    const uint64_t q = prime->prime.q;
    const gfp_ifma_modulus mod = gfp_ifma_modulus_of(&prime->prime);
    const gfp_ntt48_root inverse_word =
        gfp_ntt48_root_of(gfp_mod_pow((q + 1) / 2, GFP_NATIVE_PIECE_BITS, q), q);
    for (size_t i = 0; i < n; i += LANES) {
        const __m512i v = _mm512_load_si512(x + i);
        const __m512i product = gfp_ifma_mul(v, inverse_word, &mod);
        _mm512_store_si512(z + i, gfp_ifma_reduce(_mm512_and_si512(product, piece_mask()), &mod));
    }
}

/* ---- recombination ---- */

/* y := y_i of two vectors in turn, followed by f. Missing lanes count as 0. */
static void native_avx512_weigh(const gfp_native_tables *tables, const gfp_native_set *set,
                                const gfp_ntt48_root *scale, __m512i *y, const uint64_t *x,
                                size_t step, size_t left)
{
    const __mmask8 first = (__mmask8)(left >= LANES ? 0xff : (1U << left) - 1);
    const size_t beyond = left > LANES ? left - LANES : 0;
    const __mmask8 second = (__mmask8)(beyond >= LANES ? 0xff : (1U << beyond) - 1);
    __m512i sum[VECTORS];
    sum[0] = sum[1] = lanes_set((uint64_t)1 << (GFP_NATIVE_BITS - 1));
    for (size_t i = 0; i < set->count; i++, x += step, y += VECTORS) {
        const gfp_ifma_modulus mod =
            gfp_ifma_modulus_of(&(gfp_ntt48_prime){.q = tables->moduli[i]});
        __m512i v[VECTORS];
        _mm_prefetch((const char *)(x + GFP_NATIVE_TILE), _MM_HINT_T0);
        _mm_prefetch((const char *)(x + GFP_NATIVE_TILE + LANES), _MM_HINT_T0);
        v[0] = _mm512_maskz_loadu_epi64(first, x);
        v[1] = _mm512_maskz_loadu_epi64(second, x + LANES);
        UNROLL
        for (unsigned j = 0; j < VECTORS; j++) {
            v[j] = _mm512_and_si512(gfp_ifma_mul(v[j], scale[i], &mod), piece_mask());
            v[j] = _mm512_min_epu64(v[j], _mm512_sub_epi64(v[j], mod.q));
            sum[j] = _mm512_add_epi64(sum[j], v[j]);
            y[j] = v[j];
        }
    }
    y[0] = _mm512_srli_epi64(sum[0], GFP_NATIVE_BITS);
    y[1] = _mm512_srli_epi64(sum[1], GFP_NATIVE_BITS);
}

/* The radix in two words of 52 bits, and 2^156 / (r 2^shift). */
typedef struct radix_vectors {
    __m512i r, r0, r1;
    __m512i inverse[2];
    __m512i shift, unshift; /* 52 - shift */
} radix_vectors;

static radix_vectors radix_of(const gfp_native_tables *tables)
{
    const gfp_lanes_radix *radix = &tables->lanes;
    return (radix_vectors){
        .r = lanes_set(radix->r),
        .r0 = lanes_set(radix->r & GFP_NATIVE_PIECE_MASK),
        .r1 = lanes_set(radix->r >> GFP_NATIVE_PIECE_BITS),
        .inverse = {lanes_set(radix->inverse[0]), lanes_set(radix->inverse[1])},
        .shift = lanes_set(radix->shift),
        .unshift = lanes_set(GFP_NATIVE_PIECE_BITS - radix->shift),
    };
}

/* Returns the digit of x = x[0] + 2^52 x[1] + 2^104 x[2] < 2^123, x[i] < 2^63; carry := floor(x /
 * r) in two such words. The quotient by the inverse is less by at most 1, since the part left out
 * is below 2^-12. */
IFMA __m512i native_avx512_divide(const __m512i *x, __m512i *carry, const radix_vectors *c)
{
    const __m512i zero = _mm512_setzero_si512(), mask = piece_mask();
    const __m512i x0 = _mm512_and_si512(x[0], mask);
    __m512i x1 = _mm512_add_epi64(x[1], _mm512_srli_epi64(x[0], 52));
    const __m512i x2 = _mm512_add_epi64(x[2], _mm512_srli_epi64(x1, 52));
    x1 = _mm512_and_si512(x1, mask);
    __m512i below = _mm512_madd52hi_epu64(zero, x0, c->inverse[1]);
    __m512i below2 = _mm512_madd52lo_epu64(zero, x2, c->inverse[0]);
    __m512i above = _mm512_madd52hi_epu64(zero, x2, c->inverse[0]);
    __m512i above2 = _mm512_madd52lo_epu64(zero, x2, c->inverse[1]);
    const __m512i top = _mm512_madd52hi_epu64(zero, x2, c->inverse[1]);
    below = _mm512_madd52hi_epu64(below, x1, c->inverse[0]);
    below2 = _mm512_madd52lo_epu64(below2, x1, c->inverse[1]);
    above = _mm512_madd52hi_epu64(above, x1, c->inverse[1]);
    below = _mm512_add_epi64(below, below2);
    above = _mm512_add_epi64(_mm512_add_epi64(above, above2), _mm512_slli_epi64(top, 52));
    above = _mm512_add_epi64(above, _mm512_srli_epi64(below, 52));
    below = _mm512_srlv_epi64(_mm512_and_si512(below, mask), c->unshift);
    const __m512i q0 =
        _mm512_and_si512(_mm512_add_epi64(_mm512_sllv_epi64(above, c->shift), below), mask);
    const __m512i q1 = _mm512_srlv_epi64(above, c->unshift);

    const __m512i product = _mm512_madd52lo_epu64(zero, q0, c->r0);
    __m512i product1 = _mm512_madd52hi_epu64(zero, q0, c->r0);
    const __m512i product1b = _mm512_madd52lo_epu64(zero, q1, c->r0);
    product1 = _mm512_madd52lo_epu64(product1, q0, c->r1);
    __m512i d0 = _mm512_sub_epi64(x0, product);
    __m512i d1 = _mm512_sub_epi64(_mm512_sub_epi64(x1, product1b), product1);
    d1 = _mm512_and_si512(_mm512_add_epi64(d1, _mm512_srai_epi64(d0, 63)), mask);
    d0 = _mm512_and_si512(d0, mask);
    const __m512i e0 = _mm512_sub_epi64(d0, c->r0);
    const __m512i e1 = _mm512_add_epi64(_mm512_sub_epi64(d1, c->r1), _mm512_srai_epi64(e0, 63));
    const __mmask8 more = _mm512_cmpge_epi64_mask(e1, zero);
    const __m512i digit = _mm512_add_epi64(d0, _mm512_slli_epi64(d1, 52));
    carry[0] = _mm512_mask_add_epi64(q0, more, q0, _mm512_set1_epi64(1));
    carry[1] = q1;
    return _mm512_mask_sub_epi64(digit, more, digit, c->r);
}

/* digits += 1 in the lanes of the mask: no digit but the last becomes r. */
static void add_one(__m512i *digits, size_t k, __mmask8 mask, const radix_vectors *c)
{
    for (size_t t = 0; t < k && mask != 0; t++) {
        digits[t] = _mm512_mask_add_epi64(digits[t], mask, digits[t], _mm512_set1_epi64(1));
        if (t + 1 < k) {
            mask = _mm512_mask_cmpeq_epi64_mask(mask, digits[t], c->r);
            digits[t] = _mm512_mask_mov_epi64(digits[t], mask, _mm512_setzero_si512());
        }
    }
}

/* digits := digits - carry, as r^k = -1; digits below r, carry < 2^60 < r^2 - r. If the difference
 * is negative, the r^k borrowed at the top is 1 too little. */
static void take_carry(__m512i *digits, size_t k, const __m512i carry[2], const radix_vectors *c)
{
    const __m512i x[LIMBS] = {carry[0], carry[1], _mm512_setzero_si512()};
    __m512i rest[2];
    __m512i minus = native_avx512_divide(x, rest, c);
    __mmask8 borrow = _mm512_cmplt_epu64_mask(digits[0], minus);
    digits[0] = _mm512_sub_epi64(digits[0], minus);
    digits[0] = _mm512_mask_add_epi64(digits[0], borrow, digits[0], c->r);
    minus = _mm512_mask_add_epi64(rest[0], borrow, rest[0], _mm512_set1_epi64(1));
    borrow = _mm512_cmplt_epu64_mask(digits[1], minus);
    digits[1] = _mm512_sub_epi64(digits[1], minus);
    digits[1] = _mm512_mask_add_epi64(digits[1], borrow, digits[1], c->r);
    for (size_t t = 2; t < k && borrow != 0; t++) {
        const __mmask8 out = _mm512_mask_testn_epi64_mask(borrow, digits[t], digits[t]);
        digits[t] = _mm512_mask_sub_epi64(digits[t], borrow, digits[t], _mm512_set1_epi64(1));
        digits[t] = _mm512_mask_add_epi64(digits[t], out, digits[t], c->r);
        borrow = out;
    }
    add_one(digits, k, borrow, c);
}

/* Computes the next n digits of both vectors, and their carries: the columns from `rows` factors
 * y. */
IFMA void next_digits(__m512i *digits, size_t k, __m512i carry[VECTORS][2], const uint64_t *column,
                      const __m512i *y, size_t rows, const unsigned n, const radix_vectors *c)
{
    __m512i sum[4][VECTORS][LIMBS];
    UNROLL
    for (unsigned t = 0; t < n; t++) {
        UNROLL
        for (unsigned j = 0; j < VECTORS; j++) {
            sum[t][j][0] = sum[t][j][1] = sum[t][j][2] = _mm512_setzero_si512();
        }
    }
    for (size_t i = 0; i < rows; i++, y += VECTORS, column += 2 * n) {
        const __m512i y0 = y[0], y1 = y[1];
        UNROLL
        for (unsigned t = 0; t < n; t++) {
            const __m512i low = lanes_set(column[2 * t]);
            const __m512i high = lanes_set(column[2 * t + 1]);
            sum[t][0][0] = _mm512_madd52lo_epu64(sum[t][0][0], y0, low);
            sum[t][1][0] = _mm512_madd52lo_epu64(sum[t][1][0], y1, low);
            sum[t][0][1] = _mm512_madd52hi_epu64(sum[t][0][1], y0, low);
            sum[t][1][1] = _mm512_madd52hi_epu64(sum[t][1][1], y1, low);
            sum[t][0][2] = _mm512_madd52hi_epu64(sum[t][0][2], y0, high);
            sum[t][1][2] = _mm512_madd52hi_epu64(sum[t][1][2], y1, high);
            sum[t][0][1] = _mm512_madd52lo_epu64(sum[t][0][1], y0, high);
            sum[t][1][1] = _mm512_madd52lo_epu64(sum[t][1][1], y1, high);
        }
    }
    UNROLL
    for (unsigned t = 0; t < n; t++) {
        UNROLL
        for (unsigned j = 0; j < VECTORS; j++) {
            sum[t][j][0] = _mm512_add_epi64(sum[t][j][0], carry[j][0]);
            sum[t][j][1] = _mm512_add_epi64(sum[t][j][1], carry[j][1]);
            digits[j * k + t] = native_avx512_divide(sum[t][j], carry[j], c);
        }
    }
}

/* Computes the digits of two vectors of elements. */
static void recombine_digits(const gfp_native_set *set, __m512i *digits, const __m512i *y, size_t k,
                             const radix_vectors *c)
{
    const size_t rows = set->count + 1;
    __m512i carry[VECTORS][2];
    for (unsigned j = 0; j < VECTORS; j++) {
        carry[j][0] = carry[j][1] = _mm512_setzero_si512();
    }
    if (k == 2) {
        next_digits(digits, k, carry, set->columns, y, rows, 2, c);
    } else {
        for (size_t t = 0; t < k; t += 4) {
            next_digits(digits + t, k, carry, set->columns + 2 * rows * t, y, rows, 4, c);
        }
    }
    for (unsigned j = 0; j < VECTORS; j++) {
        take_carry(digits + j * k, k, carry[j], c);
    }
}

static void native_avx512_store(const gfp_native_tables *tables, uint64_t *z, const __m512i *digits,
                                size_t count, uint64_t *near)
{
    const size_t k = tables->radix.k;
    count = count < LANES ? count : LANES;
    if (tables->radix.per > 1) {
        lanes_store_digits(near, k, digits, (unsigned)k);
        for (size_t i = 0; i < count; i++) {
            gfp_native_split(tables, z + i * tables->field->k, near + i * k);
        }
        return;
    }
    if (count == LANES) {
        lanes_store_digits(z, k, digits, (unsigned)k);
        return;
    }
    lanes_store_digits(near, k, digits, (unsigned)k);
    memcpy(z, near, count * k * sizeof *z);
}

static void native_avx512_recombine(const gfp_native_tables *tables, const gfp_native_set *set,
                                    const gfp_ntt48_root *scale, uint64_t *z, const uint64_t *x,
                                    size_t step, size_t n, uint64_t *work)
{
    const size_t k = tables->radix.k;
    const radix_vectors c = radix_of(tables);
    __m512i *y = (__m512i *)work, *digits = y + VECTORS * (set->count + 1);
    uint64_t *near = (uint64_t *)(digits + VECTORS * k);
    for (size_t i = 0; i < n; i += GFP_NATIVE_TILE, z += GFP_NATIVE_TILE * tables->field->k) {
        const size_t left = n - i;
        native_avx512_weigh(tables, set, scale, y, x + i, step, left);
        recombine_digits(set, digits, y, k, &c);
        native_avx512_store(tables, z, digits, left, near);
        if (left > LANES) {
            native_avx512_store(tables, z + LANES * tables->field->k, digits + k, left - LANES,
                                near);
        }
    }
}

const gfp_native_engine gfp_native_avx512 = {
    .level = GFP_LEVEL_AVX512IFMA,
    .serves = native_avx512_serves,
    .least_log2_n = 3,
    .log2_montgomery = 52,
    .root_words = root_words,
    .crt_words = crt_words,
    .project = native_avx512_project,
    .roots = native_avx512_roots,
    .multiply = native_avx512_multiply,
    .steps = native_avx512_steps,
    .accumulate = native_avx512_accumulate,
    .add = native_avx512_add,
    .lift = native_avx512_lift,
    .combine = gfp_native_combine_avx512,
    .combine_level = GFP_LEVEL_AVX512IFMA,
    .recombine = native_avx512_recombine,
};
