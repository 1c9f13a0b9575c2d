/* fma_tables_avx2.c: the constants of fma.h and its tables of roots.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "crt/hybrid/leaf/fma.h"
#include "field/base/support.h"
#include "field/base/word.h"

static const unsigned odd_factor[3] = {1, 3, 5};

static uint64_t inverse_mod(uint64_t x, uint64_t q)
{
    return gfp_mod_pow(x % q, q - 2, q);
}

static gfp_fma_factor factor_make(uint64_t value)
{
    gfp_fma_factor factor = {value, value << 32 | value >> 32};
    return factor;
}

/* ---- weights: 192-bit integers divided by r with 192 bits after the point ---- */

#define WEIGHT_WORDS 3
#define RATIO_WORDS 6

/* ratio := x 2^192 / r, least significant word first. */
static void ratio_make(uint64_t ratio[RATIO_WORDS], const uint64_t x[WEIGHT_WORDS], uint64_t r)
{
    uint64_t rem = 0;
    for (int i = RATIO_WORDS - 1; i >= 0; i--) {
        gfp_u128 part = gfp_join(rem, i >= 3 ? x[i - 3] : 0);
        ratio[i] = (uint64_t)(part / r);
        rem = (uint64_t)(part % r);
    }
}

/* Removes the 53 highest bits from the ratio and returns them. */
static double ratio_take(uint64_t ratio[RATIO_WORDS])
{
    int i = RATIO_WORDS - 1;
    while (i > 0 && ratio[i] == 0) {
        i--;
    }
    if (ratio[i] == 0) {
        return 0;
    }
    unsigned shift = gfp_clz64(ratio[i]);
    uint64_t below = i > 0 ? ratio[i - 1] : 0;
    uint64_t top = (uint64_t)(gfp_join(ratio[i], below) << shift >> 64) >> 11 << 11;
    gfp_u128 taken = gfp_join(top, 0) >> shift;
    ratio[i] -= gfp_hi64(taken);
    if (i > 0) {
        ratio[i - 1] -= (uint64_t)taken;
    }
    return ldexp((double)top, 64 * (i - 3) - (int)shift);
}

static void weight_multiply(uint64_t x[WEIGHT_WORDS], uint64_t q)
{
    uint64_t carry = 0;
    for (int i = 0; i < WEIGHT_WORDS; i++) {
        gfp_u128 t = gfp_mul_wide(x[i], q) + carry;
        x[i] = (uint64_t)t;
        carry = gfp_hi64(t);
    }
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Returns log2 G: 2^51 G is at least 4 U / r and 2^102 / r, U >= 2^24 k (r / 2)^2 (1 + 2^-18)
 * bounding the digits of every product. */
static int coarse_exponent(const gfp_field *field)
{
    int log2_r = (int)(64 - gfp_clz64(field->r)); /* r < 2^log2_r */
    int digits = GFP_HYBRID_FMA_LOG2_LENGTH + (int)field->log2_k + log2_r + 1;
    int primes = 102 - (log2_r - 1);
    return (digits > primes ? digits : primes) - 51;
}

static void radix_make(gfp_fma_radix *radix, const gfp_field *field)
{
    uint64_t r = field->r;
    uint64_t round = bits_of(0x1.8p52);
    uint64_t weight[WEIGHT_WORDS] = {1, 0, 0};
    radix->offset[0] = 0;
    for (unsigned i = 0; i < GFP_FMA_PRIMES; i++) {
        uint64_t ratio[RATIO_WORDS];
        ratio_make(ratio, weight, r);
        radix->weight_high[i] = ratio_take(ratio);
        radix->weight_low[i] = ratio_take(ratio);
        radix->word[i] = factor_make(weight[0]);
        radix->offset[i + 1] = radix->offset[i] - round * weight[0];
        weight_multiply(weight, gfp_fma_primes[i]);
    }
    radix->inverse = 1 / (double)r;
    uint64_t high = r >> (64 - 53) << (64 - 53);
    high = r < (uint64_t)1 << 53 ? r : high;
    radix->r_high = (double)high;
    radix->r_low = (double)(r - high);
    radix->coarse = ldexp(0x1.8p52, coarse_exponent(field));
    radix->minus_r = factor_make(0 - r);
    radix->minus_r2 = factor_make(0 - r * r);
    radix->r = r;
    radix->quarter = r >> 2;
    radix->half_less_quarter = (r >> 1) - (r >> 2);
}

/* ---- primes ---- */

/* fifth := the constants of the DFT_5: half sums and half differences of opposite powers. */
static void fifth_make(gfp_fma_root fifth[4], uint64_t z, uint64_t q)
{
    uint64_t half = (q + 1) / 2;
    uint64_t z2 = gfp_mod_mul(z, z, q);
    uint64_t z3 = gfp_mod_mul(z2, z, q);
    uint64_t z4 = gfp_mod_mul(z2, z2, q);
    fifth[0] = gfp_fma_root_make(gfp_mod_mul((z + z4) % q, half, q), q);
    fifth[1] = gfp_fma_root_make(gfp_mod_mul((z2 + z3) % q, half, q), q);
    fifth[2] = gfp_fma_root_make(gfp_mod_mul(gfp_mod_sub(z, z4, q), half, q), q);
    fifth[3] = gfp_fma_root_make(gfp_mod_mul(gfp_mod_sub(z2, z3, q), half, q), q);
}

static void prime_make(gfp_fma_prime *prime, unsigned index)
{
    uint64_t q = gfp_fma_primes[index];
    prime->q = (double)q;
    prime->inverse = 1 / (double)q;
    uint64_t product = 1; /* of the primes from i on, up to this one */
    for (unsigned i = index; i-- > 0;) {
        product = gfp_mod_mul(product, gfp_fma_primes[i] % q, q);
        /* c_i stands for i primes before it: the primes from i on divide it. */
        prime->garner[i] = gfp_fma_root_make(inverse_mod(product, q), q);
    }
    uint64_t base = inverse_mod(product, q);
    for (int o = 0; o < 3; o++) {
        uint64_t x = gfp_mod_mul(base, inverse_mod(odd_factor[o], q), q);
        for (unsigned e = 0; e < GFP_HYBRID_FMA_SCALES; e++) {
            prime->scale[o][e] = gfp_fma_root_make(x, q);
            x = gfp_mod_mul(x, (q + 1) / 2, q);
        }
    }
    const uint64_t power[] = {gfp_mod_pow(2, 82, q), gfp_mod_pow(2, 50, q), gfp_mod_pow(2, 32, q),
                              (gfp_mod_pow(2, 110, q) + gfp_mod_pow(2, 60, q)) % q};
    for (unsigned i = 0; i < 4; i++) {
        prime->fold[i] = gfp_fma_root_make(power[i], q);
    }
    fifth_make(prime->fifth, gfp_fma_odd_root(index, 5), q);
    prime->third = gfp_fma_root_make(gfp_fma_odd_root(index, 3), q);
}

/* ---- tables ---- */

void gfp_hybrid_fma_constants(gfp_leaf_tables *tables, const gfp_field *field)
{
    gfp_hybrid_fma *made = (gfp_hybrid_fma *)(void *)tables;
    radix_make(&made->radix, field);
    for (unsigned p = 0; p < GFP_FMA_PRIMES; p++) {
        prime_make(&made->prime[p], p);
    }
}

void gfp_hybrid_fma_roots(uint64_t *roots, unsigned prime, unsigned odd, unsigned log2_roots)
{
    gfp_fma_root *table = (gfp_fma_root *)(void *)roots;
    const size_t nodes = (size_t)1 << log2_roots;
    const int powers = odd == 1 ? 1 : (int)odd - 1;
    for (int j = 1; j <= powers; j++, table += 2 * nodes) {
        gfp_fma_roots_fill(table, log2_roots, prime, j, odd, 1);
        gfp_fma_roots_fill(table + nodes, log2_roots, prime, -j, odd, 1);
    }
    const uint64_t q = gfp_fma_primes[prime], z = odd == 1 ? 1 : gfp_fma_odd_root(prime, odd);
    uint64_t first = z;
    for (unsigned j = 1; j < odd; j++, table += nodes) {
        gfp_fma_roots_fill(table, log2_roots, prime, 1, odd, first);
        first = gfp_mod_mul(first, z, q);
    }
}
