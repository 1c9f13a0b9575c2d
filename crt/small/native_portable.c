/* native_portable.c: the native multimodular product in plain C, for every k and r; the twin of the
 * vector kernels. Bounds: native_ranges.py.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "crt/small/native.h"

/* A word w and floor(2^64 w / q). */
typedef struct shoup {
    uint64_t w;
    uint64_t companion;
} shoup;

static shoup shoup_of(uint64_t w, uint64_t q)
{
    return (shoup){w, gfp_shoup_companion(w, q)};
}

/* Returns x w up to a multiple of q, in [0, 2q). */
static inline uint64_t shoup_mul(uint64_t x, shoup c, uint64_t q)
{
    return gfp_shoup_mul(x, c.w, c.companion, q);
}

static bool native_portable_serves(const gfp_native_radix *radix)
{
    (void)radix;
    return true;
}

static size_t crt_words(size_t k, size_t count)
{
    (void)k;
    return count + 1;
}

/* ---- projection ---- */

/* The number of terms of less than 2^64 2^48 that a sum of 128 bits holds with room. */
#define CHUNK 128

/* Returns the residue of x in [0, q); x in radix R. */
static uint64_t project_one(const gfp_native_tables *tables, size_t i, const uint64_t *x)
{
    const size_t k = tables->radix.k;
    const uint64_t q = tables->primes[i].prime.q;
    const uint64_t *power = tables->powers + gfp_native_power(k, i, 0, 0);
    uint64_t residue = 0;
    for (size_t t = 0; t < k; t += CHUNK) {
        const size_t end = k - t < CHUNK ? k : t + CHUNK;
        gfp_u128 sum = residue;
        for (size_t j = t; j < end; j++) {
            sum += gfp_mul_wide(x[j], power[j * 2 * GFP_NATIVE_GROUP]);
        }
        /* The sum is below 2^7 2^112: its high word is reduced first. */
        const uint64_t fold = gfp_mod_mul(gfp_hi64(sum) % q, (UINT64_MAX % q + 1) % q, q);
        residue = ((uint64_t)sum % q + fold) % q;
    }
    return residue;
}

static void native_portable_project(const gfp_native_tables *tables, size_t first, size_t count,
                                    const gfp_native_factor *factor, size_t step, size_t n,
                                    uint64_t *work)
{
    (void)work;
    uint64_t digits[GFP_MAX_K];
    uint64_t *z = factor->z;
    for (size_t i = 0; i < factor->len; i++) {
        gfp_native_join(tables, digits, factor->x + i * tables->field->k);
        for (size_t j = 0; j < count; j++) {
            z[j * step + i] = project_one(tables, first + j, digits);
        }
    }
    for (size_t j = 0; j < count; j++) {
        memset(z + j * step + factor->len, 0, (n - factor->len) * sizeof *z);
    }
}

/* ---- transforms: the tree of fft/words/ntt48.h down to single values ---- */

/* Returns half the length of both tables; at least one entry. */
static size_t root_count(unsigned log2_n)
{
    return log2_n == 0 ? 1 : (size_t)1 << (log2_n - 1);
}

static size_t root_words(unsigned log2_n)
{
    return 4 * root_count(log2_n);
}

static void fill_roots(shoup *table, const gfp_ntt48_root *turn, uint64_t q, unsigned log2_n)
{
    table[0] = shoup_of(1, q);
    for (unsigned t = 0; t + 1 < log2_n; t++) {
        const size_t half = (size_t)1 << t;
        const shoup w = shoup_of(turn[t].w, q);
        for (size_t b = 0; b < half; b++) {
            const uint64_t x = shoup_mul(table[b].w, w, q);
            table[half + b] = shoup_of(x >= q ? x - q : x, q);
        }
    }
}

static void native_portable_roots(const gfp_native_prime *prime, unsigned log2_n, uint64_t *words)
{
    shoup *table = (shoup *)(void *)words;
    fill_roots(table, prime->turn, prime->prime.q, log2_n);
    fill_roots(table + root_count(log2_n), prime->back, prime->prime.q, log2_n);
}

/* The transform modulo the polynomial of this node. Values grow by 2q from level to level: below 4q
 * + 2 24 q < 2^54. */
static void native_portable_forward(uint64_t *x, unsigned log2_n, size_t node, const shoup *table,
                                    uint64_t q)
{
    for (unsigned d = 0; d < log2_n; d++) {
        const size_t half = (size_t)1 << (log2_n - d - 1);
        for (size_t b = 0; b < (size_t)1 << d; b++) {
            uint64_t *low = x + 2 * b * half, *high = low + half;
            const shoup w = table[(node << d) + b];
            for (size_t i = 0; i < half; i++) {
                const uint64_t t = shoup_mul(high[i], w, q);
                high[i] = low[i] + 2 * q - t;
                low[i] += t;
            }
        }
    }
}

/* Reduces x below 2^56 to below q + 2^40 < 2q. */
static inline uint64_t native_portable_reduce(uint64_t x, uint64_t q)
{
    return x - (x >> GFP_NATIVE_BITS) * q;
}

/* The inverse transform; values are below 2q in and out. */
static void native_portable_inverse(uint64_t *x, unsigned log2_n, size_t node, const shoup *table,
                                    uint64_t q)
{
    for (unsigned d = log2_n; d-- > 0;) {
        const size_t half = (size_t)1 << (log2_n - d - 1);
        for (size_t b = 0; b < (size_t)1 << d; b++) {
            uint64_t *low = x + 2 * b * half, *high = low + half;
            const shoup w = table[(node << d) + b];
            for (size_t i = 0; i < half; i++) {
                const uint64_t u = low[i], v = high[i];
                low[i] = native_portable_reduce(u + v, q);
                high[i] = shoup_mul(u + 2 * q - v, w, q);
            }
        }
    }
}

/* Replaces x, 3m residues in [0, q), by its images modulo X^(2m) - 1 and modulo X^m - s, s^2 = -1;
 * below 4q. */
static void split_three(uint64_t *x, size_t m, shoup s, uint64_t q)
{
    for (size_t i = 0; i < m; i++) {
        const uint64_t x0 = x[i], x2 = x[i + 2 * m];
        x[i] = x0 + x2;
        x[i + 2 * m] = x0 + q - x2 + shoup_mul(x[i + m], s, q);
    }
}

/* The inverse of split_three: u modulo X^(2m) - 1 is c0 + c1 in its lower half and the next m
 * coefficients in the upper half; v modulo X^m - s is c0 + s upper - c1, and comes halved. Values
 * are below 2q in and out. */
static void join_three(uint64_t *x, size_t m, shoup half, shoup half_s, uint64_t q)
{
    for (size_t i = 0; i < m; i++) {
        const uint64_t u = x[i], sum = shoup_mul(u, half, q) + shoup_mul(x[i + m], half_s, q);
        const uint64_t top = native_portable_reduce(sum + 2 * q - x[i + 2 * m], q);
        x[i] = native_portable_reduce(u + 2 * q - top, q);
        x[i + 2 * m] = top;
    }
}

static void forward_steps(const gfp_native_prime *prime, const shoup *table, uint64_t *a,
                          gfp_native_size size)
{
    const uint64_t q = prime->prime.q;
    if (!size.three) {
        native_portable_forward(a, size.log2_n, 0, table, q);
        return;
    }
    const size_t m = (size_t)1 << (size.log2_n - 2);
    split_three(a, m, shoup_of(prime->turn[0].w, q), q);
    native_portable_forward(a, size.log2_n - 1, 0, table, q);
    native_portable_forward(a + 2 * m, size.log2_n - 2, 2, table, q);
}

/* The inverse transforms, times 2^gfp_native_halvings; values are below 2q in and out. */
static void inverse_steps(const gfp_native_prime *prime, const shoup *table, uint64_t *a,
                          gfp_native_size size)
{
    const uint64_t q = prime->prime.q, s = prime->turn[0].w;
    if (!size.three) {
        native_portable_inverse(a, size.log2_n, 0, table, q);
        return;
    }
    const size_t m = (size_t)1 << (size.log2_n - 2);
    native_portable_inverse(a, size.log2_n - 1, 0, table, q);
    native_portable_inverse(a + 2 * m, size.log2_n - 2, 2, table, q);
    join_three(a, m, shoup_of((q + 1) / 2, q), shoup_of(gfp_mod_mul(s, (q + 1) / 2, q), q), q);
}

/* z := z + sign x y / 2^64: factors below 2^54, products below 2q. */
static void native_portable_accumulate(const gfp_native_prime *prime, const uint64_t *words,
                                       uint64_t *z, const uint64_t *x, const uint64_t *y,
                                       gfp_native_size size, int sign)
{
    (void)words;
    const uint64_t q = prime->prime.q, negative_inverse = gfp_mont_negative_inverse(q);
    const size_t n = gfp_native_points(size);
    if (sign == 0) {
        for (size_t i = 0; i < n; i++) { /* below 2^44 + q */
            z[i] = gfp_mont_reduce(gfp_mul_wide(x[i], y[i]), q, negative_inverse);
        }
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t t = gfp_mont_reduce(gfp_mul_wide(x[i], y[i]), q, negative_inverse);
        z[i] = native_portable_reduce(z[i] + (sign > 0 ? t : 2 * q - t), q);
    }
}

static void native_portable_steps(const gfp_native_prime *prime, const uint64_t *words, uint64_t *a,
                                  const uint64_t *b, gfp_native_size size, unsigned steps)
{
    const shoup *table = (const shoup *)(const void *)words;
    if (steps & GFP_NATIVE_FORWARD) {
        forward_steps(prime, table, a, size);
    }
    if (steps & GFP_NATIVE_MULTIPLY) {
        native_portable_accumulate(prime, words, a, a, b, size, 0);
    }
    if (steps & GFP_NATIVE_INVERSE) {
        inverse_steps(prime, table + root_count(size.log2_n), a, size);
    }
}

static void native_portable_multiply(const gfp_native_prime *prime, const uint64_t *words,
                                     uint64_t *a, uint64_t *b, gfp_native_size size)
{
    if (b != a) {
        native_portable_steps(prime, words, b, b, size, GFP_NATIVE_FORWARD);
    }
    native_portable_steps(prime, words, a, b, size,
                          GFP_NATIVE_FORWARD | GFP_NATIVE_MULTIPLY | GFP_NATIVE_INVERSE);
}

/* Values are below 2^54 in, below 2q out. */
static void native_portable_add(const gfp_native_prime *prime, uint64_t *z, const uint64_t *x,
                                const uint64_t *y, size_t n, bool subtract)
{
    const uint64_t q = prime->prime.q;
    for (size_t i = 0; i < n; i++) {
        z[i] = native_portable_reduce(subtract ? x[i] + 64 * q - y[i] : x[i] + y[i], q);
    }
}

static void native_portable_lift(const gfp_native_prime *prime, uint64_t *z, const uint64_t *x,
                                 size_t n)
{
    const uint64_t q = prime->prime.q;
    const shoup inverse_word = shoup_of(gfp_mod_pow((q + 1) / 2, 64, q), q);
    for (size_t i = 0; i < n; i++) {
        z[i] = shoup_mul(x[i], inverse_word, q);
    }
}

/* ---- recombination ---- */

/* y := y_i, followed by f. */
static void native_portable_weigh(const gfp_native_tables *tables, const gfp_native_set *set,
                                  const gfp_ntt48_root *scale, uint64_t *y, const uint64_t *x,
                                  size_t step)
{
    uint64_t sum = (uint64_t)1 << (GFP_NATIVE_BITS - 1);
    for (size_t i = 0; i < set->count; i++) {
        const uint64_t q = tables->moduli[i];
        y[i] = gfp_mod_mul(x[i * step], scale[i].w, q);
        sum += y[i];
    }
    y[set->count] = sum >> GFP_NATIVE_BITS;
}

/* Returns a column, below (s + 1) 2^48 2^64 < 2^122. */
static gfp_i128 native_portable_column(const gfp_native_set *set, size_t k, size_t t,
                                       const uint64_t *y)
{
    gfp_u128 low = 0, high = 0;
    for (size_t i = 0; i <= set->count; i++) {
        const uint64_t *piece = set->columns + gfp_native_column(k, set->count, i, t);
        low += gfp_mul_wide(y[i], piece[0]);
        high += gfp_mul_wide(y[i], piece[1]);
    }
    return (gfp_i128)(low + (high << GFP_NATIVE_PIECE_BITS));
}

static void native_portable_recombine(const gfp_native_tables *tables, const gfp_native_set *set,
                                      const gfp_ntt48_root *scale, uint64_t *z, const uint64_t *x,
                                      size_t step, size_t n, uint64_t *work)
{
    const gfp_field *field = tables->field;
    const size_t k = tables->radix.k, per = tables->radix.per;
    gfp_i128 v[GFP_MAX_K];
    for (size_t i = 0; i < n; i++, z += field->k) {
        native_portable_weigh(tables, set, scale, work, x + i, step);
        memset(v, 0, field->k * sizeof *v);
        for (size_t t = 0; t < k; t++) { /* R^t = r^(per t) */
            v[t * per] = native_portable_column(set, k, t, work);
        }
        gfp_reference_normalize(field, z, v);
    }
}

/* An engine of these kernels with the combine of a level. */
#define ENGINE(of_level, function)                                                                 \
    {                                                                                              \
        .level = GFP_LEVEL_PORTABLE, .serves = native_portable_serves, .least_log2_n = 0,          \
        .log2_montgomery = 64, .root_words = root_words, .crt_words = crt_words,                   \
        .project = native_portable_project, .roots = native_portable_roots,                        \
        .multiply = native_portable_multiply, .steps = native_portable_steps,                      \
        .accumulate = native_portable_accumulate, .add = native_portable_add,                      \
        .lift = native_portable_lift, .combine = (function), .combine_level = (of_level),          \
        .log2_combine = 64, .recombine = native_portable_recombine                                 \
    }

const gfp_native_engine gfp_native_portable =
    ENGINE(GFP_LEVEL_PORTABLE, gfp_native_combine_portable);
#if GFP_X86_LEVELS || GFP_NEON_LEVEL
const gfp_native_engine gfp_native_avx2 = ENGINE(GFP_LEVEL_FOUR_LANES, gfp_native_combine_avx2);
#endif
