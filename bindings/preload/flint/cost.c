/* cost.c: the times of FLINT modulo p, and whether a product over Z is faster here, by measured
 * cut-offs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "bindings/preload/decision.h"
#include "bindings/preload/flint/job.h"
#include "crt/small/log.h"
#include "field/base/word.h"
#include "modular/ring.h"
#include "modular/vec.h"

/* ---- FLINT's products over Z ---- */

/* Lengths 4^i, i < LENGTHS; bits of the product 64 2^j, j < SIZES. */
enum { LENGTHS = 9, SIZES = 12 };

/* log2 of the times of FLINT's products of factors of equal lengths, without and with its
 * transforms fft_small. */
static const double times[LENGTHS][SIZES] = {
#include "bindings/preload/flint/times.inc"
};
static const double times_fft[LENGTHS][SIZES] = {
#include "bindings/preload/flint/times_fft.inc"
};

/* Of a product: len_a >= len_b. */
typedef struct factors {
    size_t len_a, len_b, bits_a, bits_b, bits;
} factors;

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
static double flint_even(const factors *z, bool fft)
{
    const double len = (double)z->len_b;
    const bool small = z->bits_a <= FLINT_SMALL && z->bits_b <= FLINT_SMALL;
    const double bits = small || z->len_b <= FLINT_DEFINITION
                            ? (double)z->bits
                            : fmax((double)z->bits, FLINT_INTEGERS);
    const double t = time_in_grid(fft ? times_fft : times, len, bits);
    const double share = z->bits < 60 ? ((double)z->bits + 4) / 64 : 1;
    const double linear = fmin(t, FLINT_COEFFICIENT * len);
    if (fft) {
        return z->len_b > 64 ? share * t : z->len_b > 16 ? (1 + share) / 2 * t : t;
    }
    return z->len_b > 16 ? linear + (t - linear) * share : t;
}

static double flint_product(const factors *z, bool fft)
{
    const double x = (double)gfp_z_width(z->bits_a), y = (double)gfp_z_width(z->bits_b);
    const double of_b = flint_even(z, fft), once = fmin(FLINT_CALL, 0.8 * of_b);
    const double t = once + (of_b - once) * (double)z->len_a / (double)z->len_b;
    const bool definition = z->len_b <= FLINT_DEFINITION;
    const bool karatsuba = z->len_a <= FLINT_KARATSUBA && fmax(x, y) > FLINT_KARATSUBA_LIMBS;
    if (x == y || t < 450 || (!definition && !karatsuba)) {
        return t;
    }
    const double uneven = gfp_zlog2(4 * x * y) - 2 * gfp_zlog2(x + y);
    return 450 + (t - 450) * gfp_zexp2((definition ? 0.65 : 0.4) * uneven);
}

static double flint_z(const gfp_host *host, const gfp_job_size *size, size_t bits)
{
    const factors z = {size->len_a, size->len_b, size->bits_a, size->bits_b, bits};
    return flint_product(&z, host->fft) * gfp_host_part(size) * (size->square ? 0.75 : 1);
}

/* ---- modulo p ---- */

/* FLINT divides each coefficient of this many limbs by p, if it is longer. */
static double cost_reduction(double limbs, double product)
{
    const double quotient = product - limbs + 1;
    return quotient < 1 ? 10 : 40 + 8 * limbs + 0.9 * limbs * fmin(quotient, limbs);
}

/* FLINT computes a product that needs no reduction over Z, and asks for that product here. */
double gfp_host_mod_ns(const gfp_host *host, const gfp_job_size *size)
{
    if (gfp_job_is_short(size)) {
        return 0;
    }
    const size_t bits = size->bits_a + size->bits_b + gfp_log2_above(size->len_b);
    const double limbs = (double)(size->bits + 63) / 64;
    /* The measured lengths of products over Z are 4^i: between 4 and 16 they promise too much. */
    const double grid = size->len_b < 8 ? 0.65 : 1;
    return grid * flint_z(host, size, bits) +
           (double)(size->end - size->first) * cost_reduction(limbs, (double)bits / 64);
}

/* A call; from and to fmpz, for each coefficient. */
double gfp_host_convert_ns(double limbs, double in, double out)
{
    return 700 + in * (12 + 3 * limbs) + out * (25 + 3 * limbs);
}

/* ---- over Z ---- */

/* The least length of the shorter factor from which a product is faster here than in FLINT.
 * Columns: products of up to 64, 128, ..., 65536 bits; 0: FLINT is faster at every length. Two rows
 * a level: FLINT without fft_small, and with it. */
#define COLUMNS 11
static const uint16_t least[GFP_LEVEL_MEASURED][2][COLUMNS] = {
    [GFP_LEVEL_PORTABLE] = {{4096, 1024, 1536, 0, 0, 0, 0, 0, 0, 0, 0}, {0}},
    [GFP_LEVEL_AVX2] = {{4096, 1024, 128, 48, 192, 384, 768, 1024, 1024, 1024, 512},
                        {0, 0, 0, 3072, 1536, 3072, 0, 0, 0, 0, 0}},
    [GFP_LEVEL_AVX512IFMA] = {{256, 128, 32, 16, 12, 12, 8, 8, 8, 32, 160},
                              {0, 3072, 32, 20, 16, 16, 16, 24, 512, 0, 0}}};

/* Nanoseconds of a limb of factors and product here, about: for the number of threads. */
#define LIMB_NS 8.0

static gfp_decision compare_z(const gfp_host *host, void *where, const gfp_job_size *size)
{
    const gfp_zring *ring = where;
    const size_t bits = size->bits_a + size->bits_b + gfp_log2_above(size->len_b);
    const double all = (double)(size->len_a + size->len_b - 1);
    /* A host that needs a part of the product takes less time. */
    const double part = ((double)size->end - (double)size->first) / all;
    size_t column = 0;
    while (column < COLUMNS && bits > (size_t)64 << column) {
        column++;
    }
    const gfp_level level = gfp_level_measured(ring->level);
    const size_t from = column < COLUMNS ? least[level][host->fft][column] : 0;
    return (gfp_decision){from > 0 && (double)size->len_b * part >= (double)from,
                          LIMB_NS * all * (double)gfp_z_width(bits)};
}

gfp_decision gfp_decide_z(const gfp_host *host, gfp_zring *ring, const gfp_job_size *size)
{
    return gfp_decide(compare_z, host, ring, size);
}
