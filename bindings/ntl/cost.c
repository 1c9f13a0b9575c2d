/* cost.c: the predicted times of NTL's products modulo p.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "decision.h"

/* Nanoseconds of NTL 11.5's mul, two factors of 4^(i + 1) terms modulo p of 2^(j + 1) limbs, Debian
 * 12 on Zen 4. */
#define ROWS 6
#define COLUMNS 7
static const double measured[ROWS][COLUMNS] = {
    {979, 5181, 50900, 87700, 389000, 1.75e6, 8.9e6},
    {1328, 9160, 61500, 165000, 737000, 3.42e6, 1.53e7},
    {2743, 13570, 95200, 330000, 1.46e6, 6.76e6, 2.92e7},
    {5611, 31800, 225000, 791000, 3.48e6, 1.54e7, 6.86e7},
    {13800, 87100, 627000, 2.30e6, 9.85e6, 4.23e7, 1.84e8},
    {38500, 248000, 1.79e6, 6.95e6, 2.99e7, 1.23e8, 5.3e8},
};

/* Two factors of n terms: between rows and columns, and beyond them, along straight lines of the
 * logarithms. */
static double balanced(double limbs, double n)
{
    const double y = fmax(log2(limbs) - 1, 0), x = fmax(log2(n) / 2 - 1, 0);
    const int j = (int)fmin(y, ROWS - 2), i = (int)fmin(x, COLUMNS - 2);
    const double s = y - j, t = x - i;
    const double low = log(measured[j][i]) * (1 - t) + log(measured[j][i + 1]) * t;
    const double high = log(measured[j + 1][i]) * (1 - t) + log(measured[j + 1][i + 1]) * t;
    return exp(low * (1 - s) + high * s);
}

double gfp_host_mod_ns(const gfp_host *host, const gfp_job_size *size)
{
    const double limbs = (double)(size->bits_a + 63) / 64;
    const double a = (double)size->len_a, b = (double)size->len_b;
    (void)host;
    /* A long factor is cut into pieces, or both are transformed at one length. */
    const double pieces = a / b * balanced(limbs, b), whole = balanced(limbs, (a + b) / 2);
    return fmin(pieces, whole) * gfp_host_part(size) * (size->square ? 0.7 : 1);
}

double gfp_host_convert_ns(double limbs, double in, double out)
{
    return 1300 + in * (10 + 2 * limbs) + out * (20 + 2 * limbs);
}
