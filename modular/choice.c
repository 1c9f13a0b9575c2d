/* choice.c: see choice.h. Cut-offs that were measured on the problems of gfpoly_regret --over-z
 * (docs/design/modular.md).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/choice.h"

#include "crt/methods.h"
#include "crt/small/short.h"
#include "field/base/word.h"

typedef struct cutoffs {
    /* `classical` takes shorter factors of up to this length: both of one limb, with products of
     * two; of any limbs; one of 64 bits at most. And any of up to this product of lengths. */
    size_t words, few, few_limb, few_products;
    /* Kronecker's substitution takes products of up to these bits of a coefficient, and these of
     * the integer of the shorter factor; and any number of coefficients of up to these bits. */
    size_t kronecker_bits, kronecker_integer, kronecker_any;
    size_t short_bits; /* `short` takes products of up to these bits of a coefficient */
    size_t flint_bits; /* FLINT takes products from these bits of a coefficient on */
    /* Gcds: Kronecker's substitution takes any number of coefficients of up to these bits, the
     * shorter ones counting; of up to these bits in integers of GCD_LONG_INTEGER bits; and up to
     * these bits of the shorter integer. */
    size_t gcd_any, gcd_bits, gcd_integer;
} cutoffs;

/* words, few, few_limb, few_products; kronecker_bits, _integer, _any; short, flint; gcd_any, _bits,
 * _integer. */
static const cutoffs table[GFP_LEVEL_COUNT] = {
    [GFP_LEVEL_PORTABLE] = {64, 16, 16, 256, 768, 32768, 64, 192, 64, 256, 256, 16384},
    [GFP_LEVEL_AVX2] = {64, 4, 16, 256, 128, 16384, 64, 0, 8000, 64, 100, 2048},
    [GFP_LEVEL_AVX512IFMA] = {16, 1, 8, 24, 64, 1536, 0, 285, 45000, 24, 64, 1536},
    [GFP_LEVEL_AVX512DQ] = {64, 4, 16, 256, 128, 16384, 64, 0, 8000, 64, 100, 2048},
    /* AVX2's, but for Kronecker's substitution: by counts of instructions, not by time. */
    [GFP_LEVEL_NEON] = {64, 4, 16, 256, 528, 20480, 64, 0, 8000, 64, 100, 2048},
};

/* In words `classical` takes any product of lengths up to WORD_PRODUCTS, and shorter factors of up
 * to WORD_FEW coefficients if products have at most WORD_BITS bits, GFP_ZCLASSICAL if at most 64,
 * `words` of the table beyond. */
#define WORD_PRODUCTS 1024
#define WORD_FEW 8
#define WORD_BITS 24
/* The product of lengths up to which `classical` takes products of more limbs before `short`. */
#define SHORT_PRODUCTS 100
/* Kronecker's substitution multiplies coefficients of these bits by word-size primes with vectors.
 */
#define LONG_BITS ((size_t)1 << 23)
/* Gcds of operands with such a product of lengths, of up to these bits, are those of integers. */
#define GCD_PRODUCTS 16
#define GCD_BITS 4096
#define GCD_LONG_INTEGER ((size_t)1 << 17)

static bool fits_short(const cutoffs *c, const gfp_zsizes *s, size_t bits)
{
    return bits <= c->short_bits && s->bits_a <= GFP_SHORT_BITS && s->bits_b <= GFP_SHORT_BITS;
}

static bool is_classical(const cutoffs *c, const gfp_zsizes *s, size_t shorter, size_t bits)
{
    const size_t less = gfp_size_min(s->bits_a, s->bits_b);
    const size_t more = s->bits_a > s->bits_b ? s->bits_a : s->bits_b;
    const size_t products = gfp_size_mul_sat(s->len_a, s->len_b);
    if (more < 64 && bits < 128) {
        const size_t most = bits > 64 ? c->words : bits > WORD_BITS ? GFP_ZCLASSICAL : WORD_FEW;
        return products <= WORD_PRODUCTS || shorter <= most;
    }
    if (shorter > GFP_ZCLASSICAL) {
        return false;
    }
    return fits_short(c, s, bits) ? products <= SHORT_PRODUCTS
                                  : shorter <= c->few || products <= c->few_products ||
                                        (shorter <= c->few_limb && less <= 64);
}

gfp_zmethod gfp_zchoose_mul(gfp_level level, const gfp_zsizes *s)
{
    const cutoffs *c = &table[level];
    const size_t shorter = gfp_size_min(s->len_a, s->len_b);
    const size_t bits =
        gfp_size_add_sat(gfp_size_add_sat(s->bits_a, s->bits_b), gfp_log2_above(shorter));
    if (level != GFP_LEVEL_PORTABLE && gfp_size_min(s->bits_a, s->bits_b) >= LONG_BITS) {
        return GFP_Z_KRONECKER;
    }
    if (is_classical(c, s, shorter, bits)) {
        return GFP_Z_CLASSICAL;
    }
    if (bits <= c->kronecker_any ||
        (bits <= c->kronecker_bits && gfp_size_mul_sat(shorter, bits) <= c->kronecker_integer)) {
        return GFP_Z_KRONECKER;
    }
    if (fits_short(c, s, bits)) {
        return GFP_Z_SHORT;
    }
    return bits >= c->flint_bits ? GFP_Z_FLINT : GFP_Z_WORDS;
}

gfp_zmethod gfp_zchoose_gcd(gfp_level level, const gfp_zsizes *s)
{
    const cutoffs *c = &table[level];
    const size_t shorter = gfp_size_min(s->len_a, s->len_b);
    const size_t bits = gfp_size_min(s->bits_a, s->bits_b);
    const size_t products = gfp_size_mul_sat(s->len_a, s->len_b);
    const size_t integer = gfp_size_mul_sat(shorter, bits);
    const bool packs = bits <= c->gcd_any || integer <= c->gcd_integer ||
                       (bits <= c->gcd_bits && integer <= GCD_LONG_INTEGER) ||
                       (products <= GCD_PRODUCTS && bits <= GCD_BITS);
    return packs ? GFP_Z_KRONECKER : GFP_Z_WORDS;
}

bool gfp_zflint_is_there(void)
{
    return GFP_HAVE_FLINT && gfp_crt_flint_problem()[0] == '\0';
}
