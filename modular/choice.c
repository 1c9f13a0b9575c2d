/* choice.c: see choice.h. Cut-offs that were measured on the problems of gfpoly_regret --over-z
 * (docs/design/modular.md).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/choice.h"

#include "crt/methods.h"
#include "crt/small/short.h"
#include "field/base/word.h"

typedef struct cutoffs {
    /* `classical` takes shorter factors of up to this length, of a limb if the other factor has
     * more, and up to this product of lengths. */
    size_t few, few_limb, few_products;
    /* Kronecker's substitution takes products of up to these bits of a coefficient, and these of
     * the integer of the shorter factor; and any number of coefficients of up to these bits. */
    size_t kronecker_bits, kronecker_integer, kronecker_any;
    bool has_short;    /* `short` has vectors */
    size_t flint_bits; /* FLINT takes products from these bits of a coefficient on */
    /* Gcds: Kronecker's substitution takes operands of up to these bits, the shorter coefficients
     * counting, and up to these bits of the shorter integer. */
    size_t gcd_bits, gcd_integer;
} cutoffs;

static const cutoffs table[GFP_LEVEL_COUNT] = {
    [GFP_LEVEL_PORTABLE] = {16, 16, 256, 512, 32768, 48, false, 64, 256, 4096},
    [GFP_LEVEL_AVX2] = {4, 16, 256, 128, 16384, 48, false, 8000, 100, 2048},
    [GFP_LEVEL_AVX512IFMA] = {2, 8, 16, 64, 4096, 0, true, 45000, 64, 1024},
};

/* Factors of a limb with products of at most two: `classical` takes this product of lengths. */
#define WORD_PRODUCTS 1024
/* Gcds of operands of so few coefficients, of up to these bits, are those of integers. */
#define GCD_FEW 4
#define GCD_FEW_BITS 4096

static bool is_classical(const cutoffs *c, const gfp_zsizes *s, size_t shorter, size_t products,
                         size_t bits)
{
    const size_t less = gfp_size_min(s->bits_a, s->bits_b);
    const size_t more = s->bits_a > s->bits_b ? s->bits_a : s->bits_b;
    if (more < 64 && bits < 128) {
        return products <= WORD_PRODUCTS || shorter <= GFP_ZCLASSICAL;
    }
    return shorter <= c->few || (shorter <= GFP_ZCLASSICAL && products <= c->few_products) ||
           (shorter <= c->few_limb && less < 64);
}

gfp_zmethod gfp_zchoose_mul(gfp_level level, const gfp_zsizes *s)
{
    const cutoffs *c = &table[level];
    const size_t shorter = gfp_size_min(s->len_a, s->len_b);
    const size_t products = gfp_size_mul_sat(s->len_a, s->len_b);
    const size_t bits =
        gfp_size_add_sat(gfp_size_add_sat(s->bits_a, s->bits_b), gfp_log2_above(shorter));
    const size_t integer = gfp_size_mul_sat(shorter, bits);
    const bool packs = bits <= c->kronecker_bits && integer <= c->kronecker_integer;
    if (is_classical(c, s, shorter, products, bits)) {
        return GFP_Z_CLASSICAL;
    }
    if (packs || bits <= c->kronecker_any) {
        return GFP_Z_KRONECKER;
    }
    if (c->has_short && gfp_short_count(bits) <= GFP_SHORT_PRIMES && s->bits_a <= GFP_SHORT_BITS &&
        s->bits_b <= GFP_SHORT_BITS) {
        return GFP_Z_SHORT;
    }
    return bits >= c->flint_bits ? GFP_Z_FLINT : GFP_Z_WORDS;
}

gfp_zmethod gfp_zchoose_gcd(gfp_level level, const gfp_zsizes *s)
{
    const cutoffs *c = &table[level];
    const size_t shorter = gfp_size_min(s->len_a, s->len_b);
    const size_t bits = gfp_size_min(s->bits_a, s->bits_b);
    const bool is_short = bits <= c->gcd_bits || gfp_size_mul_sat(shorter, bits) <= c->gcd_integer;
    return is_short || (shorter <= GCD_FEW && bits <= GCD_FEW_BITS) ? GFP_Z_KRONECKER : GFP_Z_WORDS;
}

bool gfp_zflint_is_there(void)
{
    return GFP_HAVE_FLINT && gfp_crt_flint_problem()[0] == '\0';
}
