/* hybrid_fma_tables_avx2.c: the tables of hybrid_fma.h. The constants are made when the first
 * product asks, tables of roots when the first of their length does; threads may race, one of them
 * wins. SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "hybrid_fma.h"
#include "support.h"
#include "word.h"

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

/* Takes the 53 highest bits off the ratio. */
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

/* G = 2^this: 2^51 G is at least 4 U / r and 2^102 / r, U >= 2^24 k (r / 2)^2 (1 + 2^-18) bounding
 * the digits of every product. */
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

/* The constants of the DFT_5: half sums and half differences of opposite powers. */
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
        /* c_i stands for i primes before it: what divides it are the primes from i on. */
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
    fifth_make(prime->fifth, gfp_fma_odd_root(index, 5), q);
    for (int o = 0; o < 3; o++) {
        uint64_t z = o == 0 ? 1 : gfp_fma_odd_root(index, odd_factor[o]);
        uint64_t x = 1;
        for (int i = 0; i < 5; i++) {
            prime->zeta[o][i] = gfp_fma_root_make(x, q);
            x = gfp_mod_mul(x, z, q);
        }
        for (unsigned i = 0; i < GFP_FMA_LOG2_ORDER; i++) {
            atomic_init(&prime->roots[o][i], NULL);
        }
    }
}

/* ---- the attachment ---- */

static void tables_destroy(gfp_attachment *attachment, const gfp_allocator *allocator)
{
    gfp_hybrid_fma *tables = (gfp_hybrid_fma *)(void *)attachment;
    for (int p = 0; p < GFP_FMA_PRIMES; p++) {
        for (int o = 0; o < 3; o++) {
            for (unsigned i = 0; i < GFP_FMA_LOG2_ORDER; i++) {
                gfp_release(allocator, atomic_load(&tables->prime[p].roots[o][i]), (size_t)2 << i,
                            sizeof(gfp_fma_root));
            }
        }
    }
    gfp_release(allocator, tables, 1, sizeof *tables);
}

static gfp_hybrid_fma *tables_make(const gfp_field *field)
{
    gfp_hybrid_fma *tables = gfp_allocate(&field->allocator, 1, sizeof *tables);
    if (tables == NULL) {
        return NULL;
    }
    tables->head.destroy = tables_destroy;
    radix_make(&tables->radix, field);
    for (unsigned p = 0; p < GFP_FMA_PRIMES; p++) {
        prime_make(&tables->prime[p], p);
    }
    tables->bits = field->log2_k + 1;
    tables->reversed[0] = 0;
    for (unsigned i = 1; i < 2 * field->k; i++) {
        tables->reversed[i] =
            (uint16_t)(tables->reversed[i / 2] / 2 + (i % 2 << (tables->bits - 1)));
    }
    return tables;
}

static gfp_status roots_prepare(const gfp_allocator *allocator, gfp_fma_prime *prime,
                                unsigned index, int o, unsigned log2_size)
{
    if (atomic_load(&prime->roots[o][log2_size]) != NULL) {
        return GFP_OK;
    }
    size_t size = (size_t)1 << log2_size;
    gfp_fma_root *made = gfp_allocate(allocator, 2 * size, sizeof *made);
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    gfp_fma_roots_fill(made, made + size, log2_size, index, odd_factor[o]);
    gfp_fma_root *expected = NULL;
    if (!atomic_compare_exchange_strong(&prime->roots[o][log2_size], &expected, made)) {
        gfp_release(allocator, made, 2 * size, sizeof *made);
    }
    return GFP_OK;
}

unsigned gfp_hybrid_fma_levels(const gfp_hybrid_shape *shape)
{
    return gfp_ctz64(shape->outer.m) - 2;
}

unsigned gfp_hybrid_fma_log2_roots(const gfp_hybrid_shape *shape)
{
    unsigned depth = shape->outer.log2_size + gfp_hybrid_fma_levels(shape);
    unsigned log2_k = shape->outer.field->log2_k;
    return depth > log2_k + 1 ? depth - 1 : log2_k;
}

gfp_status gfp_hybrid_fma_prepare(const gfp_hybrid_shape *shape)
{
    const gfp_field *field = shape->outer.field;
    gfp_attachment *attachment = gfp_field_attached(field, GFP_ATTACHMENT_HYBRID);
    if (attachment == NULL) {
        gfp_hybrid_fma *made = tables_make(field);
        if (made == NULL) {
            return GFP_ERR_MEMORY;
        }
        attachment = gfp_field_attach(field, GFP_ATTACHMENT_HYBRID, &made->head);
    }
    gfp_hybrid_fma *tables = (gfp_hybrid_fma *)(void *)attachment;
    unsigned log2_size = gfp_hybrid_fma_log2_roots(shape);
    for (unsigned p = 0; p < shape->primes; p++) {
        gfp_fma_prime *prime = &tables->prime[p];
        GFP_TRY(roots_prepare(&field->allocator, prime, p, 0, log2_size));
        if (shape->odd != 1) {
            GFP_TRY(roots_prepare(&field->allocator, prime, p, (int)shape->odd / 2, log2_size));
        }
    }
    return GFP_OK;
}
