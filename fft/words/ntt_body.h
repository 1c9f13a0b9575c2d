/* ntt_body.h: the kernels of ntt.h, for the operations of one level, included before
 * (ntt_ops_portable.h describes the operations). With M = N / 2^(d + 1), node v of level d of
 * the tree is X^(2 M) - g, and has the children 2 v, X^M - w_v, and 2 v + 1, X^M + w_v.
 *
 * The table serves the inverse transforms, too: w_v = exp(i pi rev(v)), rev(v) in [0, 1) the bits
 * of v in reverse. For h <= v < 2 h, h a power of two, and u = 3 h - 1 - v, rev(v) + rev(u) = 1,
 * and so 1 / w_v = -w_u.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_NTT_BODY_H
#define GFP_FFT_WORDS_NTT_BODY_H

#include <string.h>

#include "fft/words/ntt.h"

/* Polynomials above this length are split depth first, so that their parts stay in the cache. */
#define CACHED 256
/* Points of a node between two reports: some milliseconds. */
#define REPORTED ((size_t)1 << 16)

#define POINT(x, i) ((x) + (size_t)GFP_WORDS * (i))

/* ---- roots ---- */

/* w_(h + u) = w_u turn[t], h = 2^t. */
static void ntt_roots(const gfp_words *block, uint64_t *roots, gfp_words_size size)
{
    const words_mode mode = words_begin();
    const ntt_moduli n = ntt_moduli_of(block);
    const uint64_t ones[GFP_WORDS] = {1, 1, 1, 1, 1, 1, 1, 1};
    const size_t count = (size_t)1 << (size.log2_n - GFP_WORDS_LEAST_LOG2);
    ntt_root_store(roots, 0, ntt_root_make(ntt_enter(words_load(ones), &n), &n));
    for (size_t h = 1, t = 0; h < count; h *= 2, t++) {
        const words turn = words_enter(words_load(block->turn[t]), &n.m);
        for (size_t u = 0; u < h; u++) {
            const words w = words_mul(ntt_root_load(roots, u).w, turn, &n.m);
            ntt_root_store(roots, h + u, ntt_root_make(w, &n));
        }
    }
    words_end(mode);
}

/* Returns v' with w_v' = -1 / w_v, v >= 1. */
static size_t ntt_body_mirror(size_t v)
{
    size_t h = 1;
    while (h <= v / 2) {
        h *= 2;
    }
    return 3 * h - 1 - v;
}

/* ---- forward ---- */

/* (x, y) := (x + w y, x - w y), values of transforms. */
GFP_INLINE void ntt_body_butterfly(words *x, words *y, ntt_root w, const ntt_moduli *n)
{
    const words s = ntt_small(*x, n), t = ntt_mul(*y, w, n);
    *x = ntt_add(s, t);
    *y = ntt_sub(s, t, n);
}

static void forward_2(const ntt_moduli *n, const uint64_t *roots, uint64_t *x, size_t half,
                      size_t node)
{
    const ntt_root w = ntt_root_load(roots, node);
    for (size_t i = 0; i < half; i++) {
        words x0 = words_load(POINT(x, i)), x1 = words_load(POINT(x, i + half));
        ntt_body_butterfly(&x0, &x1, w, n);
        words_store(POINT(x, i), x0);
        words_store(POINT(x, i + half), x1);
    }
}

/* Two levels: those of the node and of its children. */
static void forward_4(const ntt_moduli *moduli, const uint64_t *roots, uint64_t *x, size_t quarter,
                      size_t node)
{
    const ntt_moduli n = *moduli;
    const ntt_root w = ntt_root_load(roots, node), v0 = ntt_root_load(roots, 2 * node),
                   v1 = ntt_root_load(roots, 2 * node + 1);
    uint64_t *y = POINT(x, quarter), *z = POINT(x, 2 * quarter), *u = POINT(x, 3 * quarter);
    for (size_t i = 0; i < quarter * GFP_WORDS; i += GFP_WORDS) {
        words x0 = words_load(x + i), x1 = words_load(y + i);
        words x2 = words_load(z + i), x3 = words_load(u + i);
        ntt_body_butterfly(&x0, &x2, w, &n);
        /* x1 and x3 are multiplied next. */
        x1 = ntt_small(x1, &n);
        const words t = ntt_mul_wild(x3, w, &n);
        x3 = ntt_sub(x1, t, &n);
        x1 = ntt_add(x1, t);
        ntt_body_butterfly(&x0, &x1, v0, &n);
        ntt_body_butterfly(&x2, &x3, v1, &n);
        words_store(x + i, x0);
        words_store(y + i, x1);
        words_store(z + i, x2);
        words_store(u + i, x3);
    }
}

/* From a node of len points to its leaves. */
static void ntt_body_forward(const ntt_moduli *n, const uint64_t *roots, uint64_t *x, size_t len,
                             size_t node)
{
    if (len > CACHED) {
        forward_4(n, roots, x, len / 4, node);
        for (size_t i = 0; i < 4; i++) {
            ntt_body_forward(n, roots, POINT(x, i * (len / 4)), len / 4, 4 * node + i);
        }
        return;
    }
    size_t nodes = 1, size = len;
    for (; size >= 4 * GFP_WORDS_LEAF; nodes *= 4, size /= 4) {
        for (size_t b = 0; b < nodes; b++) {
            forward_4(n, roots, POINT(x, b * size), size / 4, node * nodes + b);
        }
    }
    if (size > GFP_WORDS_LEAF) {
        for (size_t b = 0; b < nodes; b++) {
            forward_2(n, roots, POINT(x, b * size), size / 2, node * nodes + b);
        }
    }
}

/* A long transform, which reports between nodes outside of the mode of the kernels. */
typedef struct pauses {
    words_mode mode;
    gfp_task *task;
} pauses;

/* Returns false if the call is cancelled: the transform need not be completed. */
static bool pause_at_node(pauses *p)
{
    words_end(p->mode);
    const bool goes_on = gfp_task_report(p->task);
    p->mode = words_begin();
    return goes_on;
}

/* forward with reports. */
static bool forward_long(const ntt_moduli *n, const uint64_t *roots, uint64_t *x, size_t len,
                         size_t node, pauses *p)
{
    if (len <= REPORTED) {
        ntt_body_forward(n, roots, x, len, node);
        return len < REPORTED / 4 || pause_at_node(p);
    }
    forward_4(n, roots, x, len / 4, node);
    bool goes_on = pause_at_node(p);
    for (size_t i = 0; i < 4 && goes_on; i++) {
        goes_on = forward_long(n, roots, POINT(x, i * (len / 4)), len / 4, 4 * node + i, p);
    }
    return goes_on;
}

/* forward_4 of node 0, whose roots are 1 and s, for words in [0, q), of which only the first
 * `present` quarters are not 0. */
GFP_INLINE void first_4(const ntt_moduli *moduli, ntt_root s, uint64_t *x, size_t quarter,
                        size_t from, size_t end, unsigned present)
{
    const ntt_moduli n = *moduli;
    for (size_t i = from; i < end; i++) {
        words v[4];
        for (unsigned j = 0; j < 4; j++) {
            v[j] =
                j < present ? ntt_enter(words_load(POINT(x, i + j * quarter)), &n) : words_zero();
        }
        const words u0 = ntt_add(v[0], v[2]), u1 = ntt_add(v[1], v[3]);
        const words u2 = present > 2 ? ntt_sub_small(v[0], v[2], &n) : v[0];
        const words u3 = present > 3 ? ntt_sub_small(v[1], v[3], &n) : v[1];
        const words t = ntt_mul(u3, s, &n);
        words_store(POINT(x, i), ntt_add(u0, u1));
        words_store(POINT(x, i + quarter), ntt_sub(u0, u1, &n));
        words_store(POINT(x, i + 2 * quarter), ntt_add(u2, t));
        words_store(POINT(x, i + 3 * quarter), ntt_sub(u2, t, &n));
    }
}

/* The first two levels of X^N - 1 for a polynomial of len coefficients. */
static void ntt_body_first(const ntt_moduli *n, const uint64_t *roots, uint64_t *x, size_t len,
                           size_t quarter)
{
    const ntt_root s = ntt_root_load(roots, 1);
    const size_t present = len / quarter, rest = len % quarter;
    switch (present) {
    case 0:
        first_4(n, s, x, quarter, 0, rest, 1);
        memset(POINT(x, rest), 0, (quarter - rest) * sizeof(uint64_t[GFP_WORDS]));
        for (size_t j = 1; j < 4; j++) {
            memset(POINT(x, j * quarter + rest), 0, (quarter - rest) * sizeof(uint64_t[GFP_WORDS]));
        }
        break;
    case 1:
        first_4(n, s, x, quarter, 0, rest, 2);
        first_4(n, s, x, quarter, rest, quarter, 1);
        break;
    case 2:
        first_4(n, s, x, quarter, 0, rest, 3);
        first_4(n, s, x, quarter, rest, quarter, 2);
        break;
    case 3:
        first_4(n, s, x, quarter, 0, rest, 4);
        first_4(n, s, x, quarter, rest, quarter, 3);
        break;
    default:
        first_4(n, s, x, quarter, 0, quarter, 4);
    }
}

/* Residues modulo X^(2m) - 1 and X^m - s: x0 + x2, x1, and x0 + s x1 - x2. */
static void split_three(const ntt_moduli *moduli, const uint64_t *roots, uint64_t *x, size_t m)
{
    const ntt_moduli n = *moduli;
    const ntt_root s = ntt_root_load(roots, 1);
    for (size_t i = 0; i < m; i++) {
        const words x0 = ntt_enter(words_load(POINT(x, i)), &n);
        const words x1 = ntt_enter(words_load(POINT(x, i + m)), &n);
        const words x2 = ntt_enter(words_load(POINT(x, i + 2 * m)), &n);
        words_store(POINT(x, i), ntt_add(x0, x2));
        words_store(POINT(x, i + m), x1);
        words_store(POINT(x, i + 2 * m), ntt_add(ntt_sub_small(x0, x2, &n), ntt_mul(x1, s, &n)));
    }
}

static void ntt_forward(const gfp_words *block, const uint64_t *roots, uint64_t *x, size_t len,
                        gfp_words_size size, gfp_task *task)
{
    pauses p = {words_begin(), task};
    const ntt_moduli n = ntt_moduli_of(block);
    const size_t points = gfp_words_points(size), quarter = (size_t)1 << (size.log2_n - 2);
    if (size.three || size.log2_n < GFP_WORDS_LEAST_LOG2 + 1) {
        memset(POINT(x, len), 0, (points - len) * sizeof(uint64_t[GFP_WORDS]));
    }
    if (size.three) {
        split_three(&n, roots, x, quarter);
        if ((quarter < REPORTED || pause_at_node(&p)) &&
            forward_long(&n, roots, x, 2 * quarter, 0, &p)) {
            (void)forward_long(&n, roots, POINT(x, 2 * quarter), quarter, 2, &p);
        }
    } else if (size.log2_n < GFP_WORDS_LEAST_LOG2 + 1) {
        for (size_t i = 0; i < points; i++) {
            words_store(POINT(x, i), ntt_enter(words_load(POINT(x, i)), &n));
        }
        ntt_body_forward(&n, roots, x, points, 0);
    } else {
        ntt_body_first(&n, roots, x, len, quarter);
        for (size_t i = 0; i < 4 && forward_long(&n, roots, POINT(x, i * quarter), quarter, i, &p);
             i++) {
        }
    }
    words_end(p.mode);
}

/* ---- products of leaves ---- */

/* a := a b modulo X^4 - g, gb[1 .. 3] = g b. */
GFP_INLINE void ntt_body_leaf(uint64_t *a, const words b[GFP_WORDS_LEAF],
                              const words gb[GFP_WORDS_LEAF], const ntt_moduli *n)
{
    words x[GFP_WORDS_LEAF];
    GFP_UNROLL
    for (unsigned i = 0; i < GFP_WORDS_LEAF; i++) {
        x[i] = ntt_small(words_load(POINT(a, i)), n);
    }
    GFP_UNROLL
    for (unsigned k = 0; k < GFP_WORDS_LEAF; k++) {
        ntt_sum sum = ntt_sum_zero();
        GFP_UNROLL
        for (unsigned i = 0; i < GFP_WORDS_LEAF; i++) {
            ntt_sum_add(&sum, x[i], i <= k ? b[k - i] : gb[GFP_WORDS_LEAF + k - i], n);
        }
        words_store(POINT(a, k), ntt_sum_small(&sum, n));
    }
}

/* The two leaves below node v, X^4 - w_v and X^4 + w_v. */
GFP_INLINE void ntt_body_leaves(uint64_t *a, const uint64_t *b, ntt_root w, const ntt_moduli *n)
{
    words y[2][GFP_WORDS_LEAF], gy[2][GFP_WORDS_LEAF];
    GFP_UNROLL
    for (unsigned s = 0; s < 2; s++) {
        gy[s][0] = words_zero();
        GFP_UNROLL
        for (unsigned i = 0; i < GFP_WORDS_LEAF; i++) {
            y[s][i] = ntt_factor(words_load(POINT(b, s * GFP_WORDS_LEAF + i)), n);
        }
        GFP_UNROLL
        for (unsigned i = 1; i < GFP_WORDS_LEAF; i++) {
            const words t = ntt_mul(y[s][i], w, n);
            gy[s][i] = ntt_factor(s == 0 ? t : ntt_sub(words_zero(), t, n), n);
        }
    }
    ntt_body_leaf(a, y[0], gy[0], n);
    ntt_body_leaf(POINT(a, GFP_WORDS_LEAF), y[1], gy[1], n);
}

static void ntt_body_multiply(const ntt_moduli *moduli, const uint64_t *roots, uint64_t *a,
                              const uint64_t *b, size_t len, size_t node)
{
    const ntt_moduli n = *moduli;
    const size_t pairs = len / (2 * GFP_WORDS_LEAF);
    for (size_t v = 0; v < pairs; v++) {
        const size_t at = v * 2 * GFP_WORDS_LEAF;
        ntt_body_leaves(POINT(a, at), POINT(b, at), ntt_root_load(roots, node * pairs + v), &n);
    }
}

/* multiply with reports. */
static void multiply_long(const ntt_moduli *n, const uint64_t *roots, uint64_t *a,
                          const uint64_t *b, size_t len, size_t node, pauses *p)
{
    const size_t part = len < REPORTED ? len : REPORTED, parts = len / part;
    for (size_t i = 0; i < parts; i++) {
        ntt_body_multiply(n, roots, POINT(a, i * part), POINT(b, i * part), part, node * parts + i);
        if (part == REPORTED && !pause_at_node(p)) {
            break;
        }
    }
}

static void ntt_multiply(const gfp_words *block, const uint64_t *roots, uint64_t *a,
                         const uint64_t *b, gfp_words_size size, gfp_task *task)
{
    pauses p = {words_begin(), task};
    const ntt_moduli n = ntt_moduli_of(block);
    const size_t quarter = (size_t)1 << (size.log2_n - 2);
    if (size.three) {
        multiply_long(&n, roots, a, b, 2 * quarter, 0, &p);
        multiply_long(&n, roots, POINT(a, 2 * quarter), POINT(b, 2 * quarter), quarter, 2, &p);
    } else {
        multiply_long(&n, roots, a, b, 4 * quarter, 0, &p);
    }
    words_end(p.mode);
}

/* ---- inverse ---- */

/* (x, y) := (x + y, (y - x) w), w = -1 / w_v; values of products. */
GFP_INLINE void ntt_body_back(words *x, words *y, ntt_root w, const ntt_moduli *n)
{
    const words s = ntt_small(ntt_add(*x, *y), n);
    *y = ntt_mul(ntt_sub(*y, *x, n), w, n);
    *x = s;
}

/* Of node v >= 1; node 0 as below. */
static void inverse_2(const ntt_moduli *n, const uint64_t *roots, uint64_t *x, size_t half,
                      size_t node)
{
    const ntt_root w = ntt_root_load(roots, node == 0 ? 0 : ntt_body_mirror(node));
    for (size_t i = 0; i < half; i++) {
        words x0 = words_load(POINT(x, i)), x1 = words_load(POINT(x, i + half));
        if (node == 0) { /* (x0 - x1) 1 */
            const words s = ntt_small(ntt_add(x0, x1), n);
            x1 = ntt_small(ntt_sub(x0, x1, n), n);
            x0 = s;
        } else {
            ntt_body_back(&x0, &x1, w, n);
        }
        words_store(POINT(x, i), x0);
        words_store(POINT(x, i + half), x1);
    }
}

static void inverse_4(const ntt_moduli *moduli, const uint64_t *roots, uint64_t *x, size_t quarter,
                      size_t mirrored)
{
    const ntt_moduli n = *moduli;
    const ntt_root w = ntt_root_load(roots, mirrored), v0 = ntt_root_load(roots, 2 * mirrored + 1),
                   v1 = ntt_root_load(roots, 2 * mirrored);
    uint64_t *y = POINT(x, quarter), *z = POINT(x, 2 * quarter), *u = POINT(x, 3 * quarter);
    for (size_t i = 0; i < quarter * GFP_WORDS; i += GFP_WORDS) {
        words x0 = words_load(x + i), x1 = words_load(y + i);
        words x2 = words_load(z + i), x3 = words_load(u + i);
        ntt_body_back(&x0, &x1, v0, &n);
        ntt_body_back(&x2, &x3, v1, &n);
        ntt_body_back(&x0, &x2, w, &n);
        ntt_body_back(&x1, &x3, w, &n);
        words_store(x + i, x0);
        words_store(y + i, x1);
        words_store(z + i, x2);
        words_store(u + i, x3);
    }
}

/* The last two levels, of node 0, before a factor: x0 .. x3 become values of transforms. */
GFP_INLINE void ntt_body_last(words x[4], ntt_root s, const ntt_moduli *n)
{
    const words u0 = ntt_small(ntt_add(x[0], x[1]), n), u1 = ntt_small(ntt_sub(x[0], x[1], n), n);
    const words u2 = ntt_small(ntt_add(x[2], x[3]), n);
    const words u3 = ntt_mul(ntt_sub(x[3], x[2], n), s, n);
    x[0] = ntt_add(u0, u2);
    x[1] = ntt_add(u1, u3);
    x[2] = ntt_sub(u0, u2, n);
    x[3] = ntt_sub(u1, u3, n);
}

static void inverse_4_zero(const ntt_moduli *moduli, const uint64_t *roots, uint64_t *x,
                           size_t quarter)
{
    const ntt_moduli n = *moduli;
    const ntt_root s = ntt_root_load(roots, 1);
    for (size_t i = 0; i < quarter; i++) {
        words v[4];
        for (unsigned j = 0; j < 4; j++) {
            v[j] = words_load(POINT(x, i + j * quarter));
        }
        ntt_body_last(v, s, &n);
        for (unsigned j = 0; j < 4; j++) {
            words_store(POINT(x, i + j * quarter), ntt_small(v[j], &n));
        }
    }
}

static void inverse_node(const ntt_moduli *n, const uint64_t *roots, uint64_t *x, size_t quarter,
                         size_t node)
{
    if (node == 0) {
        inverse_4_zero(n, roots, x, quarter);
    } else {
        inverse_4(n, roots, x, quarter, ntt_body_mirror(node));
    }
}

/* From the leaves of a node of len points to the node, times len / GFP_WORDS_LEAF. */
static void ntt_body_inverse(const ntt_moduli *n, const uint64_t *roots, uint64_t *x, size_t len,
                             size_t node)
{
    if (len > CACHED) {
        for (size_t i = 0; i < 4; i++) {
            ntt_body_inverse(n, roots, POINT(x, i * (len / 4)), len / 4, 4 * node + i);
        }
        inverse_node(n, roots, x, len / 4, node);
        return;
    }
    size_t size = GFP_WORDS_LEAF;
    bool odd = false;
    for (size_t l = len; l > GFP_WORDS_LEAF; l /= 2) {
        odd = !odd;
    }
    if (odd) {
        size *= 2;
        for (size_t b = 0; b < len / size; b++) {
            inverse_2(n, roots, POINT(x, b * size), size / 2, node * (len / size) + b);
        }
    }
    for (size *= 4; size <= len; size *= 4) {
        for (size_t b = 0; b < len / size; b++) {
            inverse_node(n, roots, POINT(x, b * size), size / 4, node * (len / size) + b);
        }
    }
}

/* inverse with reports. */
static bool inverse_long(const ntt_moduli *n, const uint64_t *roots, uint64_t *x, size_t len,
                         size_t node, pauses *p)
{
    bool goes_on = true;
    if (len <= REPORTED) {
        ntt_body_inverse(n, roots, x, len, node);
        return len < REPORTED / 4 || pause_at_node(p);
    }
    for (size_t i = 0; i < 4 && goes_on; i++) {
        goes_on = inverse_long(n, roots, POINT(x, i * (len / 4)), len / 4, 4 * node + i, p);
    }
    if (goes_on) {
        inverse_node(n, roots, x, len / 4, node);
        goes_on = pause_at_node(p);
    }
    return goes_on;
}

/* Returns the factor that ends a product: 1 / 2^log2, times what sums of products leave. 2^-t = q -
 * (q - 1) / 2^t, as 2^t divides q - 1. */
static ntt_root scale_of(const gfp_words *block, unsigned log2, const ntt_moduli *n)
{
    uint64_t w[GFP_WORDS];
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        w[i] = log2 == 0 ? 1 : block->q[i] - ((block->q[i] - 1) >> log2);
    }
    return ntt_root_make(words_enter(words_load(w), &n->m), n);
}

/* The last two levels of X^N - 1, and the factor. */
static void inverse_last(const ntt_moduli *moduli, const uint64_t *roots, uint64_t *x,
                         size_t quarter, ntt_root scale)
{
    const ntt_moduli n = *moduli;
    const ntt_root s = ntt_root_load(roots, 1);
    for (size_t i = 0; i < quarter; i++) {
        words v[4];
        for (unsigned j = 0; j < 4; j++) {
            v[j] = words_load(POINT(x, i + j * quarter));
        }
        ntt_body_last(v, s, &n);
        for (unsigned j = 0; j < 4; j++) {
            words_store(POINT(x, i + j * quarter), ntt_leave(ntt_mul(v[j], scale, &n), &n));
        }
    }
}

/* From u modulo X^(2m) - 1, times 2m / 4, and v modulo X^m - s, times m / 4, to the polynomial: f1
 * = u1, f0 + f2 = u0, f0 - f2 = v - s u1. */
static void join_three(const ntt_moduli *moduli, const uint64_t *roots, uint64_t *x, size_t m,
                       const ntt_root scale[3])
{
    const ntt_moduli n = *moduli;
    const ntt_root s = ntt_root_load(roots, 1);
    for (size_t i = 0; i < m; i++) {
        const words u1 = words_load(POINT(x, i + m)), v = words_load(POINT(x, i + 2 * m));
        const words sum = ntt_mul(words_load(POINT(x, i)), scale[0], &n);
        const words w = ntt_mul(u1, scale[0], &n);
        const words difference =
            ntt_small(ntt_sub(ntt_mul(v, scale[1], &n), ntt_mul(w, s, &n), &n), &n);
        words_store(POINT(x, i), ntt_leave(ntt_small(ntt_add(sum, difference), &n), &n));
        words_store(POINT(x, i + m), ntt_leave(ntt_mul(u1, scale[2], &n), &n));
        words_store(POINT(x, i + 2 * m),
                    ntt_leave(ntt_small(ntt_sub(sum, difference, &n), &n), &n));
    }
}

static void ntt_inverse(const gfp_words *block, const uint64_t *roots, uint64_t *x,
                        gfp_words_size size, gfp_task *task)
{
    pauses p = {words_begin(), task};
    const ntt_moduli n = ntt_moduli_of(block);
    const size_t quarter = (size_t)1 << (size.log2_n - 2);
    const unsigned log2 = size.log2_n - GFP_WORDS_LOG2_LEAF;
    if (size.three) {
        /* Halves of u and v, and u. */
        const ntt_root scale[3] = {scale_of(block, log2, &n), scale_of(block, log2 - 1, &n),
                                   scale_of(block, log2 - 1, &n)};
        if (inverse_long(&n, roots, x, 2 * quarter, 0, &p)) {
            (void)inverse_long(&n, roots, POINT(x, 2 * quarter), quarter, 2, &p);
        }
        join_three(&n, roots, x, quarter, scale);
    } else if (size.log2_n < GFP_WORDS_LEAST_LOG2 + 1) {
        const ntt_root scale = scale_of(block, log2, &n);
        ntt_body_inverse(&n, roots, x, 4 * quarter, 0);
        for (size_t i = 0; i < 4 * quarter; i++) {
            words_store(POINT(x, i), ntt_leave(ntt_mul(words_load(POINT(x, i)), scale, &n), &n));
        }
    } else {
        for (size_t i = 0; i < 4 && inverse_long(&n, roots, POINT(x, i * quarter), quarter, i, &p);
             i++) {
        }
        inverse_last(&n, roots, x, quarter, scale_of(block, log2, &n));
    }
    words_end(p.mode);
}

/* ---- halves side by side ---- */

/* Powers of a number in lanes 4 ... 7, and of 1 in the others, times a number: CHAINS successive
 * ones, and the factor to the next ones; forms. */
enum { CHAINS = 8 };
typedef struct chain {
    words w[CHAINS], step;
} chain;

/* Returns the form of x in lanes 4 ... 7, and of 1 in lanes 0 ... 3. */
GFP_INLINE words ntt_body_upper(const uint64_t x[GFP_WORDS], const ntt_moduli *n)
{
    uint64_t y[GFP_WORDS];
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        y[l] = l < GFP_WORDS / 2 ? 1 : x[l];
    }
    return words_enter(words_load(y), &n->m);
}

GFP_INLINE chain chain_of(words start, words base, const ntt_moduli *n)
{
    chain c;
    const words square = words_mul(base, base, &n->m), fourth = words_mul(square, square, &n->m);
    c.w[0] = start;
    c.w[1] = words_mul(start, base, &n->m);
    for (unsigned j = 0; j < 2; j++) {
        c.w[2 + j] = words_mul(c.w[j], square, &n->m);
    }
    for (unsigned j = 0; j < 4; j++) {
        c.w[4 + j] = words_mul(c.w[j], fourth, &n->m);
    }
    c.step = words_mul(fourth, fourth, &n->m);
    return c;
}

/* Returns x in [0, q) times the power j, and goes to the power j + CHAINS. */
GFP_INLINE words chain_mul(chain *c, unsigned j, words x, const ntt_moduli *n)
{
    const words product = words_mul(ntt_enter(x, n), c->w[j], &n->m);
    c->w[j] = words_mul(c->w[j], c->step, &n->m);
    return product;
}

/* w has order 2^(log2_n + 1). */
static void ntt_fold(const gfp_words *block, uint64_t *x, size_t len, gfp_words_size size)
{
    const words_mode mode = words_begin();
    const ntt_moduli n = ntt_moduli_of(block);
    const uint64_t ones[GFP_WORDS] = {1, 1, 1, 1, 1, 1, 1, 1};
    chain c =
        chain_of(ntt_body_upper(ones, &n), ntt_body_upper(block->turn[size.log2_n - 1], &n), &n);
    size_t i = 0;
    for (; i + CHAINS <= len; i += CHAINS) {
        GFP_UNROLL
        for (unsigned j = 0; j < CHAINS; j++) {
            const words t = chain_mul(&c, j, words_load(POINT(x, i + j)), &n);
            words_store(POINT(x, i + j), ntt_leave(t, &n));
        }
    }
    for (unsigned j = 0; i + j < len; j++) {
        const words t = chain_mul(&c, j, words_load(POINT(x, i + j)), &n);
        words_store(POINT(x, i + j), ntt_leave(t, &n));
    }
    words_end(mode);
}

/* 1 / w = w^(2 M - 1) is the product of all w^(2^k), the last one of which is -1. With u the
 * product modulo X^M - 1 and v the one modulo X^M + 1, coefficient i is (u_i + v_i) / 2, and
 * coefficient i + M is (u_i - v_i) / 2. */
static void ntt_unfold(const gfp_words *block, uint64_t *x, gfp_words_size size)
{
    const words_mode mode = words_begin();
    const ntt_moduli n = ntt_moduli_of(block);
    const size_t points = gfp_words_points(size);
    uint64_t minus[GFP_WORDS], half[GFP_WORDS];
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        minus[l] = block->q[l] - 1;
        half[l] = block->q[l] - block->q[l] / 2; /* (q + 1) / 2 */
    }
    words base = ntt_body_upper(minus, &n);
    for (unsigned t = 0; t < size.log2_n; t++) {
        base = words_mul(base, ntt_body_upper(block->turn[t], &n), &n.m);
    }
    chain c = chain_of(words_enter(words_load(half), &n.m), base, &n);
    for (size_t i = 0; i < points; i += CHAINS) {
        GFP_UNROLL
        for (unsigned j = 0; j < CHAINS; j++) {
            const words u = chain_mul(&c, j, words_load(POINT(x, i + j)), &n), v = ntt_swap(u);
            words_store(POINT(x, i + j), ntt_leave(ntt_small(ntt_add(u, v), &n), &n));
            words_store(POINT(x, i + j + points),
                        ntt_leave(ntt_small(ntt_sub_small(u, v, &n), &n), &n));
        }
    }
    words_end(mode);
}

/* ---- by the definition ---- */

/* Coefficients computed at once, and the zeros at both ends of the longer factor. */
enum { AT_ONCE = 4, MARGIN = AT_ONCE - 1 };

/* c_k .. c_(k+3) for the longer factor y, which MARGIN zeros surround. */
GFP_INLINE void direct_four(uint64_t *c, size_t count, const uint64_t *x, size_t len_x,
                            const uint64_t *y, size_t len_y, size_t k, const ntt_moduli *n)
{
    ntt_sum sum[AT_ONCE];
    words out[AT_ONCE];
    const size_t from = k + 1 > len_y ? k + 1 - len_y : 0;
    const size_t end = k + AT_ONCE < len_x ? k + AT_ONCE : len_x;
    GFP_UNROLL
    for (unsigned s = 0; s < AT_ONCE; s++) {
        sum[s] = ntt_sum_zero();
    }
    for (size_t i = from; i < end; i++) {
        const words f = words_load(POINT(x, i));
        GFP_UNROLL
        for (unsigned s = 0; s < AT_ONCE; s++) {
            ntt_sum_add(&sum[s], f, words_load(POINT(y, k + s + MARGIN - i)), n);
        }
        if (i % AT_ONCE == MARGIN) {
            GFP_UNROLL
            for (unsigned s = 0; s < AT_ONCE; s++) {
                ntt_sum_fold(&sum[s], n);
            }
        }
    }
    GFP_UNROLL
    for (unsigned s = 0; s < AT_ONCE; s++) {
        out[s] = ntt_sum_leave(&sum[s], n);
    }
    for (size_t s = 0; s < count; s++) {
        words_store(POINT(c, k + s), out[s]);
    }
}

static void ntt_direct(const gfp_words *block, uint64_t *c, const uint64_t *a, size_t len_a,
                       const uint64_t *b, size_t len_b, uint64_t *work)
{
    const words_mode mode = words_begin();
    const ntt_moduli n = ntt_moduli_of(block);
    const bool swap = len_a > len_b;
    const uint64_t *shorter = swap ? b : a, *longer = swap ? a : b;
    const size_t len_x = swap ? len_b : len_a, len_y = swap ? len_a : len_b;
    const size_t len = len_a + len_b - 1;
    uint64_t *x = work, *y = POINT(work, len_x);
    /* x in the form of products: one factor of a sum carries what the sum divides by. */
    for (size_t i = 0; i < len_x; i++) {
        words_store(POINT(x, i), words_enter(words_load(POINT(shorter, i)), &n.m));
    }
    memset(y, 0, MARGIN * sizeof(uint64_t[GFP_WORDS]));
    memset(POINT(y, MARGIN + len_y), 0, MARGIN * sizeof(uint64_t[GFP_WORDS]));
    for (size_t i = 0; i < len_y; i++) {
        words_store(POINT(y, MARGIN + i), ntt_enter(words_load(POINT(longer, i)), &n));
    }
    for (size_t k = 0; k < len; k += AT_ONCE) {
        direct_four(c, len - k < AT_ONCE ? len - k : AT_ONCE, x, len_x, y, len_y, k, &n);
    }
    words_end(mode);
}

static void ntt_evaluate(const gfp_words *block, uint64_t y[GFP_WORDS], const uint64_t x[GFP_WORDS],
                         const uint64_t *a, size_t len)
{
    const words_mode mode = words_begin();
    const ntt_moduli n = ntt_moduli_of(block);
    const words point = words_enter(words_load(x), &n.m);
    words sum = ntt_enter(words_load(y), &n);
    for (size_t i = len; i-- > 0;) {
        sum = words_add(words_mul(sum, point, &n.m), ntt_enter(words_load(POINT(a, i)), &n), &n.m);
    }
    words_store(y, ntt_leave(sum, &n));
    words_end(mode);
}

#define GFP_WORDS_NTT_TABLE(level)                                                                 \
    {                                                                                              \
        level, ntt_roots, ntt_forward, ntt_multiply, ntt_inverse, ntt_direct, ntt_fold,            \
            ntt_unfold, ntt_evaluate                                                               \
    }

#endif
