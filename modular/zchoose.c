/* zchoose.c: see zchoose.h. Times are nanoseconds of one thread, from figures of a Zen 4 core
 * (docs/design/modular.md): images are quadratic at each level, FLINT's gcds and resultants modulo
 * a word are sub-quadratic from a degree of some hundreds on.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zchoose.h"

#include <math.h>

#include "zgcd.h"
#include "zresidues.h"

bool gfp_zflint_is_there(void)
{
    return GFP_HAVE_FLINT && gfp_crt_flint_problem()[0] == '\0';
}

/* Plain C, AVX2, IFMA: an image modulo the eight primes of a block, by steps for each product of
 * two degrees, and by half-gcds (degrees from 600 on) at degree 1024; a product of a quotient. */
static const double step_ns[GFP_LEVEL_COUNT] = {15.5, 2.7, 1.15};
static const double half_gcd_ns[GFP_LEVEL_COUNT] = {12.2e6, 1.84e6, 0.96e6};
static const double quotient_ns[GFP_LEVEL_COUNT] = {12, 2, 0.9};
/* The same for each coefficient of both operands, and each of their limbs. */
#define COEFFICIENT_NS 20
#define LIMB_NS 3

static double block_ns(gfp_level level, gfp_zpoly a, gfp_zpoly b)
{
    const double la = (double)a.len, lb = (double)b.len, d = la < lb ? la : lb;
    const double steps = step_ns[level] * la * lb;
    const double halves =
        half_gcd_ns[level] * pow(d / 1024, 1.45) + steps * fabs(la - lb) / (la + lb);
    return (d > 600 && halves < steps ? halves : steps) + COEFFICIENT_NS * (la + lb) +
           LIMB_NS * (la * (double)a.width + lb * (double)b.width);
}

/* FLINT's resultant modulo a word, for each bit of the prime, degrees of geometric mean d. */
static double flint_bit_ns(double d)
{
    const double euclid = d * (1 + 0.0225 * d), half_gcd = 187000 * pow(d / 4096, 1.4);
    return half_gcd < euclid && d > 512 ? half_gcd : euclid;
}

gfp_zmethod gfp_zchoose_resultant(const gfp_zcall *call, const gfp_zpair *pair)
{
    const double bits = (double)pair->bits;
    const double d = sqrt((double)pair->a.len * (double)pair->b.len);
    const double words =
        block_ns(call->ring->level, pair->a, pair->b) * (bits / GFP_Z_BLOCK_BITS + 1);
    /* Word-size primes share threads, FLINT's do not. */
    const double share = call->task.threads > 1 ? call->task.threads : 1;
    const bool flint_wins =
        flint_bit_ns(d) * bits < words / share || bits > GFP_Z_MOST_BLOCKS * GFP_Z_BLOCK_BITS;
    return gfp_zflint_is_there() && flint_wins ? GFP_Z_FLINT : GFP_Z_WORDS;
}

gfp_zmethod gfp_zchoose_gcd(const gfp_zcall *call, gfp_zpoly a, gfp_zpoly b)
{
    /* The divisor is not known: half of the bits and of the degree of the shorter operand. */
    const double of_a = (double)gfp_zpoly_bits(a), of_b = (double)gfp_zpoly_bits(b);
    const double less = of_a < of_b ? of_a : of_b, more = of_a < of_b ? of_b : of_a;
    const double la = (double)a.len, lb = (double)b.len, d = sqrt(la * lb);
    const gfp_level level = call->ring->level;
    const double images = 1 + less / 2 / GFP_Z_BLOCK_BITS, proof = 1 + more / GFP_Z_BLOCK_BITS;
    const double words = block_ns(level, a, b) * images + quotient_ns[level] * la * lb / 2 * proof;
    const double flint =
        (call->cofactors ? 1.6 : 1.1) * 23.7e6 * pow(d / 4096, 1.45) * pow((more + 16) / 80, 0.74);
    const double share = call->task.threads > 1 ? call->task.threads : 1;
    return gfp_zflint_is_there() && flint < words / share ? GFP_Z_FLINT : GFP_Z_WORDS;
}
