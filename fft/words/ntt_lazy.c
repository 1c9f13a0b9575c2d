/* ntt_lazy.c: transforms modulo 57-bit primes on the node tree: tables and radix-4 passes, depth
 * first if a polynomial exceeds the cache.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/ntt_lazy.h"

/* The largest primes below 2^57 that are 1 modulo 2^32. */
static const uint64_t lazy_primes[GFP_LAZY_PRIMES] = {
    0x1fffff900000001,
    0x1ffffd100000001,
    0x1ffffc300000001,
};

uint64_t gfp_lazy_prime(unsigned index)
{
    return lazy_primes[index];
}

/* ---- tables ---- */

/* Returns an element of order 2^log2_order: the first a^((q-1)/2^log2_order) whose half order is
 * -1. */
static uint64_t find_root(uint64_t q, unsigned log2_order)
{
    for (uint64_t a = 2;; a++) {
        const uint64_t w = gfp_mod_pow(a, (q - 1) >> log2_order, q);
        if (gfp_mod_pow(w, UINT64_C(1) << (log2_order - 1), q) == q - 1) {
            return w;
        }
    }
}

/* Returns w and floor(w 2^64 / q), by the invariant divisor q. */
static gfp_shoup ntt_lazy_make(uint64_t w, const gfp_divisor *q)
{
    uint64_t remainder;
    return (gfp_shoup){w, gfp_div_wide(q, gfp_join(w, 0), &remainder)};
}

static uint64_t ntt_lazy_full(uint64_t x, uint64_t q)
{
    return x >= q ? x - q : x;
}

/* Fills the table by w_(h + u) = w_u z for u < h, z of order 4h: reversing d bits of h + u adds 1
 * to those of u. */
static void ntt_lazy_fill(gfp_shoup *table, uint64_t root, size_t nodes, const gfp_divisor *q)
{
    unsigned log2_h = 0;
    table[0] = ntt_lazy_make(1, q);
    for (size_t h = 1; h < nodes; h *= 2, log2_h++) {
        const gfp_shoup z = ntt_lazy_make(
            gfp_mod_pow(root, UINT64_C(1) << (GFP_LAZY_LOG2_ORDER - 2 - log2_h), q->value), q);
        for (size_t u = 0; u < h; u++) {
            table[h + u] = ntt_lazy_make(
                ntt_lazy_full(gfp_shoup_mul(table[u].w, z.w, z.companion, q->value), q->value), q);
        }
    }
}

void gfp_lazy_fill(gfp_shoup *w, gfp_shoup *inverse, unsigned index, size_t nodes)
{
    const uint64_t q = lazy_primes[index];
    const uint64_t root = find_root(q, GFP_LAZY_LOG2_ORDER);
    gfp_divisor divisor;
    gfp_divisor_init(&divisor, q);
    ntt_lazy_fill(w, root, nodes, &divisor);
    ntt_lazy_fill(inverse, gfp_mod_pow(root, q - 2, q), nodes, &divisor);
}

/* ---- passes ---- */

/* Polynomials above this length are split depth first, so that their parts stay in the cache. */
#define CACHED 4096

/* (x, y) := (x + w y, x - w y): x below b gives values below b + 2q, for any y. */
#define FORWARD(x, y, c)                                                                           \
    do {                                                                                           \
        const gfp_lazy_word t_ = gfp_lazy_mul(y, c, q);                                            \
        (y) = gfp_lazy_sub(gfp_lazy_add(x, gfp_lazy_constant(2 * q)), t_);                         \
        (x) = gfp_lazy_add(x, t_);                                                                 \
    } while (0)

/* (x, y) := (x + y, (x - y) / w), c being 1 / w; y < b. */
#define INVERSE(x, y, c, b)                                                                        \
    do {                                                                                           \
        const gfp_lazy_word t_ = gfp_lazy_sub(gfp_lazy_add(x, gfp_lazy_constant(b)), y);           \
        (x) = gfp_lazy_add(x, y);                                                                  \
        (y) = gfp_lazy_mul(t_, c, q);                                                              \
    } while (0)

static void forward_2(const gfp_lazy *lazy, uint64_t *x, size_t half, size_t node)
{
    const uint64_t q = lazy->q;
    const gfp_shoup w = lazy->w[node];
    for (size_t i = 0; i < half; i++) {
        gfp_lazy_word x0 = gfp_lazy_load(&x[i]), x1 = gfp_lazy_load(&x[i + half]);
        FORWARD(x0, x1, w);
        gfp_lazy_store(&x[i], x0);
        gfp_lazy_store(&x[i + half], x1);
    }
}

/* Two levels: those of the node and of its children. */
static void forward_4(const gfp_lazy *lazy, uint64_t *x, size_t quarter, size_t node)
{
    const uint64_t q = lazy->q;
    const gfp_shoup w = lazy->w[node], v0 = lazy->w[2 * node], v1 = lazy->w[2 * node + 1];
    for (size_t i = 0; i < quarter; i++) {
        gfp_lazy_word x0 = gfp_lazy_load(&x[i]), x1 = gfp_lazy_load(&x[i + quarter]);
        gfp_lazy_word x2 = gfp_lazy_load(&x[i + 2 * quarter]),
                      x3 = gfp_lazy_load(&x[i + 3 * quarter]);
        FORWARD(x0, x2, w);
        FORWARD(x1, x3, w);
        FORWARD(x0, x1, v0);
        FORWARD(x2, x3, v1);
        gfp_lazy_store(&x[i], x0);
        gfp_lazy_store(&x[i + quarter], x1);
        gfp_lazy_store(&x[i + 2 * quarter], x2);
        gfp_lazy_store(&x[i + 3 * quarter], x3);
    }
}

static void inverse_2(const gfp_lazy *lazy, uint64_t *x, size_t half, size_t node)
{
    const uint64_t q = lazy->q;
    const gfp_shoup w = lazy->inverse[node];
    for (size_t i = 0; i < half; i++) {
        gfp_lazy_word x0 = gfp_lazy_load(&x[i]), x1 = gfp_lazy_load(&x[i + half]);
        INVERSE(x0, x1, w, GFP_LAZY_INVERSE_BOUND * q);
        gfp_lazy_store(&x[i], gfp_lazy_reduce(x0, q));
        gfp_lazy_store(&x[i + half], x1);
    }
}

/* Takes values below 16q: sums reach 64q and are reduced; the others end below 4q. */
static void inverse_4(const gfp_lazy *lazy, uint64_t *x, size_t quarter, size_t node)
{
    const uint64_t q = lazy->q, bound = GFP_LAZY_INVERSE_BOUND * q;
    const gfp_shoup w = lazy->inverse[node];
    const gfp_shoup v0 = lazy->inverse[2 * node], v1 = lazy->inverse[2 * node + 1];
    for (size_t i = 0; i < quarter; i++) {
        gfp_lazy_word x0 = gfp_lazy_load(&x[i]), x1 = gfp_lazy_load(&x[i + quarter]);
        gfp_lazy_word x2 = gfp_lazy_load(&x[i + 2 * quarter]),
                      x3 = gfp_lazy_load(&x[i + 3 * quarter]);
        INVERSE(x0, x1, v0, bound);
        INVERSE(x2, x3, v1, bound);
        INVERSE(x0, x2, w, 2 * bound);
        INVERSE(x1, x3, w, 2 * q);
        gfp_lazy_store(&x[i], gfp_lazy_reduce(x0, q));
        gfp_lazy_store(&x[i + quarter], x1);
        gfp_lazy_store(&x[i + 2 * quarter], x2);
        gfp_lazy_store(&x[i + 3 * quarter], x3);
    }
}

/* Whether the number of levels from len to stop is odd. */
static bool odd_levels(size_t len, size_t stop)
{
    bool odd = false;
    for (; stop < len; stop *= 2) {
        odd = !odd;
    }
    return odd;
}

/* Transforms through an even number of levels. */
static void forward_even(const gfp_lazy *lazy, uint64_t *x, size_t len, size_t node, size_t stop)
{
    if (len > CACHED) {
        forward_4(lazy, x, len / 4, node);
        for (size_t i = 0; i < 4; i++) {
            forward_even(lazy, x + i * (len / 4), len / 4, 4 * node + i, stop);
        }
        return;
    }
    for (size_t blocks = 1; len > stop; blocks *= 4, len /= 4) {
        for (size_t b = 0; b < blocks; b++) {
            forward_4(lazy, x + b * len, len / 4, node * blocks + b);
        }
    }
}

void gfp_lazy_forward(const gfp_lazy *lazy, uint64_t *x, size_t len, size_t node, size_t stop)
{
    if (odd_levels(len, stop)) {
        forward_2(lazy, x, len / 2, node);
        forward_even(lazy, x, len / 2, 2 * node, stop);
        forward_even(lazy, x + len / 2, len / 2, 2 * node + 1, stop);
    } else if (len > stop) {
        forward_even(lazy, x, len, node, stop);
    }
}

static void inverse_even(const gfp_lazy *lazy, uint64_t *x, size_t len, size_t node, size_t stop)
{
    if (len > CACHED) {
        for (size_t i = 0; i < 4; i++) {
            inverse_even(lazy, x + i * (len / 4), len / 4, 4 * node + i, stop);
        }
        inverse_4(lazy, x, len / 4, node);
        return;
    }
    for (size_t size = 4 * stop, blocks = len / size; blocks > 0; size *= 4, blocks /= 4) {
        for (size_t b = 0; b < blocks; b++) {
            inverse_4(lazy, x + b * size, size / 4, node * blocks + b);
        }
    }
}

void gfp_lazy_inverse(const gfp_lazy *lazy, uint64_t *x, size_t len, size_t node, size_t stop)
{
    if (odd_levels(len, stop)) {
        inverse_even(lazy, x, len / 2, 2 * node, stop);
        inverse_even(lazy, x + len / 2, len / 2, 2 * node + 1, stop);
        inverse_2(lazy, x, len / 2, node);
    } else if (len > stop) {
        inverse_even(lazy, x, len, node, stop);
    }
}
