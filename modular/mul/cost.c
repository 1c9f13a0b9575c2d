/* cost.c: the predicted times of products over Z.
 *
 * Times of word-size primes are sums of measured times of steps; times of the other strategies are
 * interpolated, in logarithms, between measured products of two factors of n coefficients.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/mul/cost.h"

#include <math.h>

#include "crt/methods.h"
#include "crt/small/kronecker.h"
#include "crt/blocks/levels.h"
#include "crt/small/log.h"
#include "modular/mul/methods.h"
#include "modular/vec.h"

/* Lengths 4^i, i < LENGTHS; bits of the product 64 2^j, j < SIZES. */
enum { LENGTHS = 9, SIZES = 12, BIG = 7 };

/* Nanoseconds of one thread. */
typedef struct costs {
    double direct, direct_point;   /* for each product of residues, each point, modulo a block */
    double point, level;           /* of transforms: for each point, for each point and level */
    double fold;                   /* for each point of half a transform */
    double split;                  /* for each limb that is projected */
    double project, project_limb;  /* for each number, for each of its limbs, modulo a block */
    double combine, combine_block; /* for each number, for each number and eight primes */
    double combine_limb;           /* for each limb of a number and eight primes */
    double few;                    /* one by one: for each limb of a number and block */
    double block, call;            /* in addition, for each block, for the call */
    double big[LENGTHS][BIG];      /* log2 of the time over p2 ... p128, conversions included */
} costs;

static const costs table[GFP_LEVEL_COUNT] = {
#include "modular/mul/costs.inc"
};

/* log2 of the times of FLINT's product, without and with its transforms fft_small; the same for all
 * levels. */
static const double flint[LENGTHS][SIZES] = {
#include "modular/mul/costs_flint.inc"
};
static const double flint_fft[LENGTHS][SIZES] = {
#include "modular/mul/costs_flint_fft.inc"
};

static const costs *costs_of(const gfp_zmul *z)
{
    return &table[z->ring->level];
}

/* ---- word-size primes ---- */

static double direct_time(const costs *c, const gfp_zmul *z)
{
    return c->direct * (double)z->a.len * (double)z->b.len + c->direct_point * (double)z->len;
}

/* Bases of more blocks convert by trees, which takes about twice as long at first. */
#define TREE 127

/* A square saves one transform of three. */
static double transform_time(const costs *c, const gfp_zmul *z, size_t points)
{
    const double all = (double)points * (c->point + c->level * gfp_zlog2((double)points));
    return z->square ? 0.7 * all : all;
}

void gfp_zcost_shape(gfp_zmul *z)
{
    const costs *c = costs_of(z);
    gfp_zshape *shape = &z->shape;
    const bool transforms = gfp_words_size_for(&shape->size, z->len);
    shape->points = transforms ? gfp_words_points(shape->size) : SIZE_MAX;
    shape->direct = z->b.len <= GFP_WORDS_DIRECT &&
                    (!transforms || direct_time(c, z) < transform_time(c, z, shape->points));
    if (shape->direct) {
        shape->points = z->len;
    }
    shape->primes = (z->bits + 1) / GFP_WORDS_BITS + 1;
    shape->blocks = (shape->primes + GFP_WORDS - 1) / GFP_WORDS;
    shape->serves = transforms || shape->direct;
    shape->twice = !shape->direct && transforms && !shape->size.three &&
                   shape->size.log2_n > GFP_WORDS_LEAST_LOG2 && z->a.len <= shape->points / 2 &&
                   gfp_zprimes_twice(shape->primes);
}

/* Numbers are converted in groups, up to FEW ones of the last group one by one. */
#define FEW 5

/* The numbers that count, and those of them that are converted one by one. */
static void count_numbers(size_t len, double *all, double *few)
{
    const size_t rest = len % GFP_WORDS_GROUP;
    *few = rest <= FEW ? (double)rest : 0;
    *all = (double)(rest <= FEW ? len : len - rest + GFP_WORDS_GROUP);
}

static double cost_projection(const costs *c, const gfp_zfactor *f, double blocks)
{
    const double width = (double)f->width;
    double n, few;
    count_numbers(f->len, &n, &few);
    return n * (c->split * width + blocks * (c->project + c->project_limb * width)) +
           c->few * few * width * blocks;
}

static double cost_recombination(const costs *c, const gfp_zmul *z)
{
    const double width = (double)z->width, blocks = (double)z->shape.blocks;
    const double eights = (double)z->shape.primes / GFP_WORDS;
    double n, few;
    count_numbers(z->len, &n, &few);
    return n * (c->combine + eights * (c->combine_block + c->combine_limb * width)) +
           c->few * few * width * blocks;
}

gfp_ztimes gfp_zcost_words(const gfp_zmul *z)
{
    const costs *c = costs_of(z);
    const gfp_zshape shape = z->shape;
    gfp_ztimes t = {HUGE_VAL, HUGE_VAL, HUGE_VAL, 1};
    if (!shape.serves) {
        return t;
    }
    const double blocks = (double)shape.blocks;
    t.blocks = shape.blocks;
    t.project = cost_projection(c, &z->a, blocks) + c->call;
    t.project += z->square ? 0 : cost_projection(c, &z->b, blocks);
    t.transform = shape.direct ? direct_time(c, z) : transform_time(c, z, shape.points);
    t.transform = blocks * (t.transform + c->block);
    if (shape.twice) {
        const size_t half = shape.points / 2;
        t.transform += transform_time(c, z, half) + c->fold * (double)half -
                       transform_time(c, z, shape.points);
    }
    t.recombine = cost_recombination(c, z);
    const double convert = shape.blocks > TREE ? 2 : 1;
    t.project *= convert;
    t.recombine *= convert;
    return t;
}

/* ---- interpolation ---- */

/* A place among n entries of a grid: between entry i and the next one, or beyond the last one,
 * where the line goes on. */
typedef struct place {
    size_t i;
    double fraction;
} place;

static place place_of(double at, size_t n)
{
    const double i = fmax(0, fmin(floor(at), (double)(n - 2)));
    return (place){(size_t)i, at - i};
}

static double cost_between(double x, double y, place p)
{
    return x + p.fraction * (y - x);
}

/* Returns the time of the product of two factors of n coefficients, at least 1. */
static double time_in_grid(const double grid[LENGTHS][SIZES], double n, double bits)
{
    const place at = place_of(gfp_zlog2(n) / 2, LENGTHS);
    const place size = place_of(gfp_zlog2(fmax(bits, 64)) - 6, SIZES);
    const double *low = grid[at.i] + size.i, *high = grid[at.i + 1] + size.i;
    return gfp_zexp2(
        cost_between(cost_between(low[0], low[1], size), cost_between(high[0], high[1], size), at));
}

/* A longer factor counts as several of the shorter one's length. */
static double cost_unbalanced(const gfp_zmul *z)
{
    return (double)z->a.len / (double)z->b.len;
}

/* Products of words, and of numbers of several words. */
double gfp_zcost_classical(const gfp_zmul *z)
{
    const double of_a = (double)z->a.len, of_b = (double)z->b.len, products = of_a * of_b;
    if (z->a.width == 1 && z->b.width == 1 && z->width <= 2) {
        return z->width == 1 ? 170 + 0.45 * products + 0.8 * (of_a + of_b)
                             : 170 + 1.25 * products + 3 * of_b;
    }
    /* Of magnitudes; a product by one limb is added in the same pass. */
    const size_t limbs_a = (z->a.bits + 63) / 64, limbs_b = (z->b.bits + 63) / 64;
    const double x = (double)limbs_a, y = (double)limbs_b;
    const double each =
        fmin(x, y) <= 1 ? 3.6 + 0.54 * fmax(x, y) : 7.6 + 1.04 * gfp_zkronecker_integer_ns(x, y);
    return 170 + products * each + of_a * (6 + 0.2 * (x + y));
}

/* FLINT packs products below 64 bits the closer, the fewer they have: what a coefficient takes in
 * any case remains. Coefficients beyond 62 bits are integers of GMP, whose memory counts. A longer
 * factor repeats all but the cost of a call. Numbers of unequal bits take less than equal ones with
 * the same product where FLINT multiplies by the definition or by Karatsuba's method; 450 ns of a
 * call do not depend on them. */
#define FLINT_DEFINITION 6
#define FLINT_KARATSUBA 15
#define FLINT_KARATSUBA_LIMBS 12
#define FLINT_CALL 300
#define FLINT_COEFFICIENT 36
#define FLINT_SMALL 62
#define FLINT_INTEGERS 224

/* Of factors of equal lengths. */
static double flint_even(const gfp_zmul *z, bool fft)
{
    const double len = (double)z->b.len;
    const bool small = z->a.bits <= FLINT_SMALL && z->b.bits <= FLINT_SMALL;
    const double bits = small || z->b.len <= FLINT_DEFINITION
                            ? (double)z->bits
                            : fmax((double)z->bits, FLINT_INTEGERS);
    const double t = time_in_grid(fft ? flint_fft : flint, len, bits);
    const double share = z->bits < 60 ? ((double)z->bits + 4) / 64 : 1;
    const double linear = fmin(t, FLINT_COEFFICIENT * len);
    if (fft) {
        return z->b.len > 64 ? share * t : z->b.len > 16 ? (1 + share) / 2 * t : t;
    }
    return z->b.len > 16 ? linear + (t - linear) * share : t;
}

double gfp_zcost_flint_of(const gfp_zmul *z, bool fft)
{
    const double x = (double)z->a.width, y = (double)z->b.width;
    const double of_b = flint_even(z, fft), once = fmin(FLINT_CALL, 0.8 * of_b);
    const double t = once + (of_b - once) * cost_unbalanced(z);
    const bool definition = z->b.len <= FLINT_DEFINITION;
    const bool karatsuba = z->a.len <= FLINT_KARATSUBA && fmax(x, y) > FLINT_KARATSUBA_LIMBS;
    if (z->a.width == z->b.width || t < 450 || (!definition && !karatsuba)) {
        return t;
    }
    const double uneven = gfp_zlog2(4 * x * y) - 2 * gfp_zlog2(x + y);
    return 450 + (t - 450) * gfp_zexp2((definition ? 0.65 : 0.4) * uneven);
}

double gfp_zcost_flint(const gfp_zmul *z)
{
    return gfp_zcost_flint_of(z, gfp_crt_flint_has_fft());
}

double gfp_zcost_kronecker(const gfp_zmul *z)
{
    return gfp_zkronecker_ns(z->a.len, z->b.len, z->bits);
}

/* ---- big primes ---- */

/* Returns the row of `big` for primes of this k; BIG: none. Primes of equal k are about equal. */
static size_t row_of_k(unsigned own)
{
    size_t row = 0;
    for (unsigned k = 2; row < BIG; k *= 2, row++) {
        if (own == k) {
            return row;
        }
    }
    return BIG;
}

static size_t row_of(size_t index)
{
    return row_of_k(gfp_zring_k(index));
}

bool gfp_zcost_big_serves(size_t index)
{
    return row_of(index) < BIG;
}

double gfp_zcost_field_of(unsigned k)
{
    static const double ns[BIG] = {5e4, 1e5, 3e5, 1.3e6, 7.3e6, 4.6e7, 1.6e8};
    return ns[row_of_k(k)];
}

double gfp_zcost_field(size_t index)
{
    return gfp_zcost_field_of(gfp_zring_k(index));
}

static double cost_over(const gfp_zmul *z, size_t row, double n)
{
    const double(*grid)[BIG] = costs_of(z)->big;
    const place at = place_of(gfp_zlog2(n) / 2, LENGTHS);
    return gfp_zexp2(cost_between(grid[at.i][row], grid[at.i + 1][row], at));
}

/* Threads share a part of the work. */
double gfp_zcost_over(const gfp_zmul *z, size_t index)
{
    const size_t row = row_of(index);
    double t = cost_unbalanced(z) * cost_over(z, row, (double)z->b.len);
    if (z->a.len != z->b.len) {
        t = fmin(t, cost_over(z, row, ((double)z->a.len + (double)z->b.len) / 2));
    }
    return t / (0.8 * (z->threads - 1) + 1);
}

double gfp_zcost_big(const gfp_zmul *z)
{
    return z->named < GFP_ZRING_FIELDS ? gfp_zcost_over(z, z->named) : HUGE_VAL;
}
