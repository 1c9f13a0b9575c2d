/* portable.c: the leaf products of the hybrid method in plain C, modulo up to three 57-bit
 * primes, for every k and r. Eight coefficients at a time are evaluated in T; a channel's transform
 * stops at polynomials of 4 to 12 coefficients. Bounds: portable_ranges.py.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "crt/hybrid/leaf/engine.h"
#include "fft/words/ntt_lazy.h"
#include "field/base/support.h"

/* ---- tables ---- */

#define MAX_PRIMES GFP_LAZY_PRIMES
#define LOG2_MAX_LENGTH 30
/* The most halvings that a product undoes: log2 k and the levels in x. */
#define MAX_LEVELS (8 + LOG2_MAX_LENGTH)

/* The CRT of the first `count` primes: Q is their product, cofactor[i] = Q / q_i. A product's
 * residue is scaled by 2^64 / 2^levels / cofactor[i] modulo q_i: 2^64 undoes Montgomery's
 * factor. */
typedef struct recombination {
    gfp_u128 cofactor[MAX_PRIMES];
    gfp_shoup scale[MAX_LEVELS + 1][MAX_PRIMES];
} recombination;

typedef struct tables {
    gfp_leaf_tables head;
    uint64_t negative_inverse[MAX_PRIMES]; /* -1/q mod 2^64 */
    recombination crt[MAX_PRIMES];
} tables;

static const tables *tables_of(const gfp_leaf_batch *l)
{
    return (const tables *)l->tables;
}

static void recombination_init(recombination *crt, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const uint64_t q = gfp_lazy_prime(i);
        crt->cofactor[i] = 1;
        for (unsigned j = 0; j < count; j++) {
            if (j != i) { /* at most two factors of 57 bits */
                crt->cofactor[i] *= gfp_lazy_prime(j);
            }
        }
        const uint64_t cofactor = (uint64_t)(crt->cofactor[i] % q);
        uint64_t scale =
            gfp_mod_mul((uint64_t)(((gfp_u128)1 << 64) % q), gfp_mod_pow(cofactor, q - 2, q), q);
        for (unsigned level = 0; level <= MAX_LEVELS; level++) {
            crt->scale[level][i] = gfp_shoup_make(scale, q);
            scale = scale % 2 == 0 ? scale / 2 : scale / 2 + q / 2 + 1;
        }
    }
}

static void leaf_portable_constants(gfp_leaf_tables *head, const gfp_field *field)
{
    tables *t = (tables *)head;
    (void)field;
    for (unsigned i = 0; i < MAX_PRIMES; i++) {
        t->negative_inverse[i] = gfp_mont_negative_inverse(gfp_lazy_prime(i));
        recombination_init(&t->crt[i], i + 1);
    }
}

static void fill_roots(uint64_t *roots, unsigned prime, unsigned odd, unsigned log2_roots)
{
    gfp_shoup *w = (gfp_shoup *)roots;
    (void)odd;
    gfp_lazy_fill(w, w + ((size_t)1 << log2_roots), prime, (size_t)1 << log2_roots);
}

static gfp_lazy lazy_of(const gfp_leaf_batch *l, unsigned prime)
{
    const gfp_shoup *w = gfp_leaf_roots(l, prime, 1);
    return (gfp_lazy){gfp_lazy_prime(prime), tables_of(l)->negative_inverse[prime], w,
                      w + ((size_t)1 << l->log2_roots)};
}

/* ---- shapes ---- */

/* The split of a channel: an even number of levels (radix 4), down to polynomials of `base`
 * coefficients. */
typedef struct split {
    size_t base;
    unsigned levels;
} split;

static split split_of(const gfp_hybrid_shape *shape)
{
    static const size_t bases[6][2] = {[1] = {8, 4}, [3] = {12, 6}, [5] = {10, 5}};
    const size_t m = shape->outer.m;
    const size_t base = bases[shape->odd][0];
    const unsigned levels = gfp_ctz64(m / base);
    return levels % 2 == 0 ? (split){base, levels} : (split){bases[shape->odd][1], levels + 1};
}

static unsigned leaf_portable_levels(const gfp_hybrid_shape *shape)
{
    return split_of(shape).levels;
}

static bool leaf_portable_serves(unsigned k, uint64_t r)
{
    (void)k;
    (void)r;
    return true;
}

/* The primes exceed 2^57 (1 - 2^-18), and sums up to a quarter of their product are admitted. */
static unsigned bound_log2(unsigned count)
{
    return count <= MAX_PRIMES ? (GFP_LAZY_BITS * count - 2) * GFP_HYBRID_BITS - 1 : 0;
}

static unsigned log2_max_length(unsigned k, unsigned odd)
{
    (void)k;
    return odd == 1 || odd == 3 || odd == 5 ? LOG2_MAX_LENGTH : 0;
}

#define TILE 8 /* coefficients of a column; divides every m */

/* A channel has its residues and a gap, so that channels do not share cache lines. */
static size_t leaf_portable_step(size_t columns)
{
    return columns + 1;
}

static size_t scratch_words(unsigned k, unsigned primes)
{
    (void)k;
    (void)primes;
    return 0;
}

/* ---- evaluation in T ---- */

/* Returns the least multiple of q that is at least 2^63. */
static uint64_t leaf_portable_bias(uint64_t q)
{
    return ((UINT64_C(1) << 63) / q + 1) * q;
}

/* Returns a digit as a residue, any word; without a branch, since signs are as good as random. */
static inline uint64_t to_residue(int64_t d, uint64_t positive)
{
    return (uint64_t)d + (positive & (0 - ((uint64_t)d >> 63)));
}

/* Loads the digits of TILE coefficients, digit by digit, as residues. The lower half is below 2q;
 * the upper half is any words, which the first level of the transform accepts. */
static void load_tile(uint64_t *tile, const int64_t *digits, unsigned k, uint64_t q)
{
    const uint64_t positive = leaf_portable_bias(q);
    for (unsigned i = 0; i < TILE; i++) {
        for (unsigned t = 0; t < k / 2; t++) {
            const uint64_t word = to_residue(digits[i * k + t], positive);
            gfp_lazy_store(&tile[t * TILE + i], gfp_lazy_reduce(gfp_lazy_any(word), q));
        }
        for (unsigned t = k / 2; t < k; t++) {
            const uint64_t word = to_residue(digits[i * k + t], positive);
            gfp_lazy_store(&tile[t * TILE + i], gfp_lazy_any(word));
        }
    }
}

/* Computes the channels of the digits: channel c is the value at the root of node k + c of T^(2k) -
 * 1. */
static void leaf_portable_evaluate(const gfp_leaf_batch *l, const gfp_lazy *lazy,
                                   uint64_t *channels, const int64_t *digits)
{
    const unsigned k = l->k;
    const size_t stride = TILE * l->step, size = TILE * l->columns;
    uint64_t tile[GFP_MAX_K * TILE];
    for (size_t x = 0; x < size; x += TILE) {
        load_tile(tile, digits + x * k, k, lazy->q);
        gfp_lazy_forward(lazy, tile, (size_t)k * TILE, 1, TILE);
        for (unsigned c = 0; c < k; c++) {
            memcpy(channels + c * stride + x, tile + c * TILE, TILE * sizeof *tile);
        }
    }
}

/* ---- channels ---- */

/* a := a b / 2^64 modulo x^n - g, or x^n + g if negative. Values of a are below 74q, those of b
 * any; out: below 16q. A sum of at most 12 products 74q 2q stays below 2^128 2^-2. */
static inline void base_product(size_t n, uint64_t *a, const uint64_t *b, gfp_shoup g,
                                bool negative, const gfp_lazy *lazy)
{
    const uint64_t q = lazy->q;
    gfp_lazy_word extended[24]; /* b g, then b: coefficient i of b is at n + i, and b x^n at i */
    gfp_lazy_word x[12];
    for (size_t i = 0; i < n; i++) {
        const gfp_lazy_word y = gfp_lazy_mul(gfp_lazy_load(&b[i]), g, q);
        extended[i] = negative ? gfp_lazy_sub(gfp_lazy_constant(2 * q), y) : y;
        extended[n + i] = gfp_lazy_reduce(gfp_lazy_load(&b[i]), q);
        x[i] = gfp_lazy_load(&a[i]);
    }
    for (size_t i = 0; i < n; i++) {
        gfp_lazy_sum sum = GFP_LAZY_ZERO;
        for (size_t j = 0; j < n; j++) {
            sum = gfp_lazy_add_product(sum, x[j], extended[n + i - j]);
        }
        gfp_lazy_store(&a[i], gfp_lazy_montgomery(sum, q, lazy->negative_inverse));
    }
}

static inline void base_products_of(size_t n, uint64_t *a, const uint64_t *b, size_t blocks,
                                    size_t node, const gfp_lazy *lazy)
{
    for (size_t i = 0; i < blocks; i++) {
        const size_t v = node + i;
        base_product(n, a + i * n, b + i * n, lazy->w[v / 2], v % 2 != 0, lazy);
    }
}

static void base_products(size_t n, uint64_t *a, const uint64_t *b, size_t blocks, size_t node,
                          const gfp_lazy *lazy)
{
    switch (n) {
    case 4:
        base_products_of(4, a, b, blocks, node, lazy);
        break;
    case 5:
        base_products_of(5, a, b, blocks, node, lazy);
        break;
    case 6:
        base_products_of(6, a, b, blocks, node, lazy);
        break;
    case 8:
        base_products_of(8, a, b, blocks, node, lazy);
        break;
    case 10:
        base_products_of(10, a, b, blocks, node, lazy);
        break;
    default:
        base_products_of(12, a, b, blocks, node, lazy);
        break;
    }
}

/* Does the steps: values stay below 74q in transforms, and below 16q in products, which are times
 * 2^levels / 2^64. */
static void leaf_portable_steps(const gfp_leaf_batch *l, unsigned prime, uint64_t *x, uint64_t *y,
                                const int64_t *a, const int64_t *b, unsigned which)
{
    const gfp_lazy lazy = lazy_of(l, prime);
    const size_t m = l->shape->outer.m, base = split_of(l->shape).base;
    if (b != NULL) {
        leaf_portable_evaluate(l, &lazy, y, b);
    }
    if (a != NULL) {
        leaf_portable_evaluate(l, &lazy, x, a);
    }
    const uint32_t *node = l->nodes;
    for (unsigned c = 0; which != 0 && c < l->k; c++) {
        for (unsigned j = 0; j < l->count; j++, node++) {
            const size_t at = c * TILE * l->step + j * m;
            if (which & GFP_LEAF_FORWARD) {
                gfp_lazy_forward(&lazy, x + at, m, *node, base);
            }
            if (b != NULL) {
                gfp_lazy_forward(&lazy, y + at, m, *node, base);
            }
            if (which & GFP_LEAF_MULTIPLY) {
                base_products(base, x + at, y + at, m / base, (size_t)*node << l->levels, &lazy);
            }
            if (which & GFP_LEAF_INVERSE) {
                gfp_lazy_inverse(&lazy, x + at, m, *node, base);
            }
        }
    }
}

/* z := x + y or x - y, any words, to [0, 2q). */
static void add_channel(uint64_t *z, const uint64_t *x, const uint64_t *y, size_t n, bool subtract,
                        uint64_t q)
{
    for (size_t i = 0; i < n; i++) {
        const gfp_lazy_word u = gfp_lazy_reduce(gfp_lazy_load(&x[i]), q);
        const gfp_lazy_word v = gfp_lazy_reduce(gfp_lazy_load(&y[i]), q);
        const gfp_lazy_word w = subtract ? gfp_lazy_sub(gfp_lazy_constant(2 * q), v) : v;
        gfp_lazy_store(&z[i], gfp_lazy_reduce(gfp_lazy_add(u, w), q));
    }
}

static void accumulate_pair(const gfp_leaf_batch *l, unsigned prime, uint64_t *z, const uint64_t *x,
                            const uint64_t *y, int sign)
{
    const gfp_lazy lazy = lazy_of(l, prime);
    const size_t m = l->shape->outer.m, base = split_of(l->shape).base;
    const uint32_t *node = l->nodes;
    for (unsigned c = 0; c < l->k; c++) {
        for (unsigned j = 0; j < l->count; j++, node++) {
            const size_t at = c * TILE * l->step + j * m;
            memcpy(l->other, x + at, m * sizeof *x);
            base_products(base, l->other, y + at, m / base, (size_t)*node << l->levels, &lazy);
            if (sign == 0) {
                memcpy(z + at, l->other, m * sizeof *z);
            } else {
                add_channel(z + at, z + at, l->other, m, sign < 0, lazy.q);
            }
        }
    }
}

static void leaf_portable_accumulate(const gfp_leaf_batch *l, unsigned prime, uint64_t *z,
                                     const gfp_leaf_pairs *pairs, int sign)
{
    for (size_t i = 0; i < pairs->count; i++) {
        accumulate_pair(l, prime, z, pairs->x[i], pairs->y[i], i > 0 && sign == 0 ? 1 : sign);
    }
}

static void leaf_portable_add(const gfp_leaf_batch *l, unsigned prime, uint64_t *z,
                              const uint64_t *x, const uint64_t *y, bool subtract)
{
    for (unsigned c = 0; c < l->k; c++) {
        const size_t at = c * TILE * l->step;
        add_channel(z + at, x + at, y + at, TILE * l->columns, subtract, gfp_lazy_prime(prime));
    }
}

/* ---- back to digits ---- */

/* Restores the sum V of one digit, |V| < Q/4 and |V| <= (C - 2) r^2 for C = terms k / 2 + 2: V =
 * sum_i y_i cofactor[i] - f Q with y_i = residue scale[i] in [0, 2q_i), f the integer next to sum
 * y_i / q_i.
 *
 * Carries run from T^0 to T^(k-1). V + C r^2 >= 0 is divided; the amount that C r^2 adds at T^t is
 * subtracted at T^(t+2), where T^k = -1. Adding r/2 before the division and subtracting it
 * afterwards makes the digit balanced. So offset[t >= 2][f] = C r^2 + r/2 - f Q -+ C, in three
 * words. */
typedef struct restorer {
    uint64_t q[MAX_PRIMES];
    gfp_shoup scale[MAX_PRIMES];
    uint64_t cofactor[MAX_PRIMES][2];
    gfp_divisor radix;
    uint64_t half; /* r / 2 */
    struct {
        uint64_t low;
        gfp_u128 high; /* modulo 2^192 */
    } offset[2][2 * MAX_PRIMES + 1];
} restorer;

static void restorer_init(restorer *z, const gfp_leaf_batch *batch, size_t terms)
{
    const tables *t = tables_of(batch);
    const unsigned k = batch->k, primes = batch->shape->primes;
    const uint64_t r = gfp_field_r(batch->shape->outer.field);
    const uint64_t c = (uint64_t)terms * k / 2 + 2; /* below 2^38 */
    const gfp_u128 square = gfp_mul_wide(r, r);
    const gfp_u128 low = gfp_mul_wide(c, (uint64_t)square) + r / 2;
    const gfp_u128 high = gfp_mul_wide(c, gfp_hi64(square)) + gfp_hi64(low);
    const gfp_u128 q_low =
        gfp_mul_wide((uint64_t)t->crt[primes - 1].cofactor[0], gfp_lazy_prime(0));
    const gfp_u128 q_high =
        gfp_mul_wide(gfp_hi64(t->crt[primes - 1].cofactor[0]), gfp_lazy_prime(0)) + gfp_hi64(q_low);
    const recombination *crt = &t->crt[primes - 1];
    for (unsigned i = 0; i < primes; i++) {
        z->q[i] = gfp_lazy_prime(i);
        z->scale[i] = crt->scale[batch->levels + batch->log2_k][i];
        z->cofactor[i][0] = (uint64_t)crt->cofactor[i];
        z->cofactor[i][1] = gfp_hi64(crt->cofactor[i]);
    }
    gfp_divisor_init(&z->radix, r);
    z->half = r / 2;
    for (unsigned late = 0; late < 2; late++) {
        /* C < r^2 C: no borrow leaves the words. */
        gfp_u128 l = (gfp_u128)(uint64_t)low + (late != 0 ? 0 - (gfp_u128)c : (gfp_u128)c);
        gfp_u128 h = high + (late != 0 ? (gfp_u128)((gfp_i128)l >> 64) : gfp_hi64(l));
        for (unsigned f = 0; f <= 2 * primes; f++) {
            z->offset[late][f].low = (uint64_t)l;
            z->offset[late][f].high = h;
            l = (gfp_u128)(uint64_t)l - (uint64_t)q_low;
            h -= q_high + (gfp_hi64(l) & 1);
        }
    }
}

/* Returns digit t of a coefficient, balanced. *carry is the quotient from digit t - 1 on input, and
 * the one for digit t + 1 on output. residue[i step] is the residue modulo prime i. */
static inline int64_t leaf_portable_restore(const restorer *z, unsigned primes,
                                            const uint64_t *residue, size_t step, bool late,
                                            gfp_u128 *carry)
{
    gfp_u128 low = 0, high = 0;
    uint64_t sum = 0;
    for (unsigned i = 0; i < primes; i++) {
        const gfp_lazy_word scaled =
            gfp_lazy_mul(gfp_lazy_load(&residue[i * step]), z->scale[i], z->q[i]);
        const uint64_t y = gfp_lazy_value(scaled, z->q[i]);
        sum += y;
        low += gfp_mul_wide(y, z->cofactor[i][0]);
        if (primes > 2) {
            high += gfp_mul_wide(y, z->cofactor[i][1]);
        }
    }
    const unsigned f = (unsigned)((sum + (UINT64_C(1) << (GFP_LAZY_BITS - 1))) >> GFP_LAZY_BITS);
    high += gfp_hi64(low) + z->offset[late][f].high + gfp_hi64(*carry);
    low = (gfp_u128)(uint64_t)low + z->offset[late][f].low + (uint64_t)*carry;
    high += gfp_hi64(low);
    /* Divides three words by one, normalised: the quotient is below 2^128. */
    const unsigned s = z->radix.shift;
    const uint64_t w2 = gfp_hi64(high) << s | (uint64_t)high >> 1 >> (63 - s);
    const uint64_t w1 = (uint64_t)high << s | (uint64_t)low >> 1 >> (63 - s);
    uint64_t remainder;
    const uint64_t q1 = gfp_div21(&z->radix, w2, w1, &remainder);
    const uint64_t q0 = gfp_div21(&z->radix, remainder, (uint64_t)low << s, &remainder);
    *carry = gfp_join(q1, q0);
    return (int64_t)((remainder >> s) - z->half);
}

/* Adds to the balanced digits the carry beyond T^(k-1), |carry| < 2^61 r: it enters at T^0 with the
 * other sign. Every further step takes 1 off the sum of the digits' absolute values, or ends. */
static void wrap_carry(const restorer *z, int64_t *digits, unsigned k, gfp_i128 carry)
{
    const gfp_i128 half = z->half;
    carry = -carry;
    for (unsigned t = 0;; t++) {
        if (t == k) {
            t = 0;
            carry = -carry;
        }
        const gfp_i128 sum = digits[t] + carry;
        if (sum >= -half && sum <= half) {
            digits[t] = (int64_t)sum;
            return;
        }
        uint64_t remainder;
        const gfp_u128 x = (gfp_u128)(sum + half + ((gfp_i128)z->radix.value << 62));
        const uint64_t quotient = gfp_div_wide(&z->radix, x, &remainder);
        digits[t] = (int64_t)(remainder - z->half);
        carry = (gfp_i128)quotient - ((gfp_i128)1 << 62);
    }
}

/* Restores TILE coefficients from the tiles of all primes. */
static inline void restore_tile_of(unsigned primes, const restorer *z, int64_t *digits,
                                   const uint64_t *tiles, unsigned k)
{
    gfp_u128 carry[TILE] = {0};
    for (unsigned t = 0; t < k; t++) {
        const bool late = t >= 2;
        for (unsigned i = 0; i < TILE; i++) {
            digits[i * k + t] = leaf_portable_restore(z, primes, tiles + t * TILE + i,
                                                      (size_t)GFP_MAX_K * TILE, late, &carry[i]);
        }
    }
    for (unsigned i = 0; i < TILE; i++) {
        wrap_carry(z, digits + i * k, k, (gfp_i128)carry[i]);
    }
}

static void restore_tile(unsigned primes, const restorer *z, int64_t *digits, const uint64_t *tiles,
                         unsigned k)
{
    switch (primes) {
    case 1:
        restore_tile_of(1, z, digits, tiles, k);
        break;
    case 2:
        restore_tile_of(2, z, digits, tiles, k);
        break;
    case 3:
        restore_tile_of(3, z, digits, tiles, k);
        break;
    default: /* there are no other numbers of primes */
        break;
    }
}

/* Inverts evaluate for all primes, and restores the digits. */
static void leaf_portable_recombine(const gfp_leaf_batch *l, int64_t *digits,
                                    const uint64_t *channels, const size_t columns[2], size_t terms)
{
    const unsigned k = l->k, primes = l->shape->primes;
    const size_t stride = TILE * l->step;
    uint64_t tiles[MAX_PRIMES * GFP_MAX_K * TILE];
    gfp_lazy lazy[MAX_PRIMES];
    restorer z;
    restorer_init(&z, l, terms);
    for (unsigned i = 0; i < primes; i++) {
        lazy[i] = lazy_of(l, i);
    }
    for (size_t x = TILE * columns[0]; x < TILE * columns[1]; x += TILE) {
        for (unsigned i = 0; i < primes; i++) {
            uint64_t *tile = tiles + (size_t)i * GFP_MAX_K * TILE;
            const uint64_t *from = channels + i * l->words + x;
            for (unsigned c = 0; c < k; c++) {
                memcpy(tile + c * TILE, from + c * stride, TILE * sizeof *tile);
            }
            gfp_lazy_inverse(&lazy[i], tile, (size_t)k * TILE, 1, TILE);
        }
        restore_tile(primes, &z, digits + x * k, tiles, k);
    }
}

const gfp_leaf_engine gfp_leaf_portable = {
    .name = "portable",
    .serves = leaf_portable_serves,
    .bound_log2 = bound_log2,
    .log2_max_length = log2_max_length,
    .lanes = TILE,
    .levels = leaf_portable_levels,
    .step = leaf_portable_step,
    .scratch_words = scratch_words,
    .tables_size = sizeof(tables),
    .constants = leaf_portable_constants,
    .node_roots = {2},
    .fill_roots = fill_roots,
    .steps = leaf_portable_steps,
    .accumulate = leaf_portable_accumulate,
    .add = leaf_portable_add,
    .recombine = leaf_portable_recombine,
};
