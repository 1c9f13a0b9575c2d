/* cost.c: the predicted times of NTL modulo p. All figures: NTL 11.5, Debian 12 on Zen 4.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bindings/preload/ntl/cost.h"

#include <math.h>

#define ROWS 6
#define COLUMNS 7

/* Nanoseconds for two operands of 4^(i + 1) terms modulo p of 2^(j + 1) limbs. */
typedef struct table {
    int columns;
    double ns[ROWS][COLUMNS];
} table;

static const table products = {7,
                               {{979, 5181, 50900, 87700, 389000, 1.75e6, 8.9e6},
                                {1328, 9160, 61500, 165000, 737000, 3.42e6, 1.53e7},
                                {2743, 13570, 95200, 330000, 1.46e6, 6.76e6, 2.92e7},
                                {5611, 31800, 225000, 791000, 3.48e6, 1.54e7, 6.86e7},
                                {13800, 87100, 627000, 2.30e6, 9.85e6, 4.23e7, 1.84e8},
                                {38500, 248000, 1.79e6, 6.95e6, 2.99e7, 1.23e8, 5.3e8}}};

static const table gcds = {5,
                           {{3560, 18300, 167000, 1.76e6, 1.09e7},
                            {6220, 31700, 285000, 3.16e6, 1.97e7},
                            {11700, 63500, 612000, 6.35e6, 3.93e7},
                            {25900, 157000, 1.79e6, 1.63e7, 9.69e7},
                            {65900, 444000, 5.35e6, 4.73e7, 2.72e8},
                            {182000, 1.41e6, 1.58e7, 1.41e8, 8.1e8}}};

static const table xgcds = {5,
                            {{5430, 41900, 374000, 2.48e6, 1.39e7},
                             {8880, 68800, 654000, 4.44e6, 2.52e7},
                             {16400, 136000, 1.36e6, 8.89e6, 5.10e7},
                             {37700, 358000, 3.48e6, 2.17e7, 1.22e8},
                             {98800, 1.04e6, 9.86e6, 6.12e7, 3.40e8},
                             {275000, 3.15e6, 2.94e7, 1.81e8, 1.0e9}}};

/* Two operands of n terms: between rows and columns, and beyond them, along straight lines of the
 * logarithms. */
static double cost_balanced(const table *z, double limbs, double n)
{
    const double y = fmax(log2(limbs) - 1, 0), x = fmax(log2(n) / 2 - 1, 0);
    const int j = (int)fmin(y, ROWS - 2), i = (int)fmin(x, z->columns - 2);
    const double s = y - j, t = x - i;
    const double low = log(z->ns[j][i]) * (1 - t) + log(z->ns[j][i + 1]) * t;
    const double high = log(z->ns[j + 1][i]) * (1 - t) + log(z->ns[j + 1][i + 1]) * t;
    return exp(low * (1 - s) + high * s);
}

static double limbs_of(size_t bits)
{
    const size_t limbs = (bits + 63) / 64;
    return (double)limbs;
}

/* Up to about this number of terms NTL multiplies numbers, whose time goes with their limbs, as
 * modulo a p of the same size; then residues modulo small primes, as many as p needs. */
#define NUMBERS 100
/* What remains of the time where products need no reduction, or one factor is far shorter. */
#define UNREDUCED 0.65
#define FAR 4

double gfp_host_mod_ns(const gfp_host *host, const gfp_job_size *size)
{
    const bool numbers = size->len_b <= NUMBERS;
    const double x = limbs_of(size->bits_a), y = limbs_of(size->bits_b);
    const double limbs = numbers ? sqrt(x * y) : limbs_of(size->bits);
    const bool less = gfp_job_is_short(size) || fmax(x, y) >= FAR * fmin(x, y);
    const double part = numbers && less ? UNREDUCED : 1;
    const double a = (double)size->len_a, b = (double)size->len_b;
    (void)host;
    /* A long factor is cut into pieces, or both are transformed at one length. */
    const double pieces = a / b * cost_balanced(&products, limbs, b),
                 whole = cost_balanced(&products, limbs, (a + b) / 2);
    return part * fmin(pieces, whole) * gfp_host_part(size) * (size->square ? 0.7 : 1);
}

double gfp_host_convert_ns(double limbs, double in, double out)
{
    return 1300 + in * (10 + 2 * limbs) + out * (20 + 2 * limbs);
}

/* ---- divisions ---- */

/* Nanoseconds of a step of the division by the definition, which adds products of integers, and of
 * a reduction modulo p; by limbs as above. */
static const double steps[ROWS] = {15.5, 27, 54, 186, 593, 1814};
static const double reductions[ROWS] = {38, 60, 127, 325, 1000, 2960};

static double cost_at(const double ns[ROWS], double limbs)
{
    const double y = fmax(log2(limbs) - 1, 0);
    const int j = (int)fmin(y, ROWS - 2);
    return exp(log(ns[j]) * (1 - y + j) + log(ns[j + 1]) * (y - j));
}

/* NTL divides by the definition up to this degree of the divisor or of the quotient. */
#define PLAIN 90
/* The reductions for a coefficient of the quotient by a divisor with the leading coefficient 1,
 * taken for all divisors; others need about one more. */
#define REDUCTIONS 2

/* By a divisor of degree n, c coefficients of the quotient. */
static double cost_division(double limbs, double n, double c, bool remainder)
{
    const double m = fmin(n, c);
    if (n <= PLAIN || c <= PLAIN) {
        const double all = remainder ? n * c : m * c - m * m / 2;
        return all * cost_at(steps, limbs) +
               (REDUCTIONS * c + (remainder ? n : 0)) * cost_at(reductions, limbs);
    }
    const double product = cost_balanced(&products, limbs, m);
    const double blocks = fmax(c / n - 1, 0);
    return (2.8 + 1.2 * blocks) * product +
           (remainder ? 0.5 * cost_balanced(&products, limbs, n) : 0);
}

/* The time of the definition goes with the limbs of the divisor. */
static double division_ns(const gfp_job_size *size, bool remainder)
{
    const double n = (double)(size->len_b - 1), c = (double)(size->len_a - size->len_b + 1);
    return cost_division(limbs_of(n <= PLAIN || c <= PLAIN ? size->bits_b : size->bits), n, c,
                         remainder);
}

double gfp_ntl_division_ns(const gfp_host *host, const gfp_job_size *size)
{
    (void)host;
    return division_ns(size, true);
}

double gfp_ntl_quotient_ns(const gfp_host *host, const gfp_job_size *size)
{
    (void)host;
    return division_ns(size, false);
}

/* ---- greatest common divisors: the longer operand is first divided by the shorter one ---- */

/* The first steps of short coefficients cost little: the remainders' grow to the size of p. */
#define SHORT_STEPS 2

static double gcd_ns(const table *z, const gfp_job_size *size)
{
    const double n = (double)size->len_b;
    const double part = gfp_job_is_short(size) ? fmax(n - SHORT_STEPS, 0) / n : 1;
    return part * cost_balanced(z, limbs_of(size->bits), n) +
           (size->len_a > size->len_b ? division_ns(size, true) : 0);
}

double gfp_ntl_gcd_ns(const gfp_host *host, const gfp_job_size *size)
{
    (void)host;
    return gcd_ns(&gcds, size);
}

double gfp_ntl_xgcd_ns(const gfp_host *host, const gfp_job_size *size)
{
    (void)host;
    return gcd_ns(&xgcds, size);
}
