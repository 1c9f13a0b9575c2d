/* own_cost.c: the predicted times of divisions by the algorithm that the library takes, and of
 * greatest common divisors: the least of the definition and of products by their times. Factors are
 * those of p4, p8 and p16, measured; where they differ, the higher one.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "bindings/preload/ntl/cost.h"
#include "crt/small/native.h"
#include "poly/thresholds.h"

/* What remains of the times below at a level: kernels, divisions by products, those in blocks, and
 * gcds; a step of the Euclidean algorithm grows by this power of k. */
typedef struct level_scale {
    double kernels, division, blocks, gcd, power;
} level_scale;

static const level_scale scales[GFP_LEVEL_MEASURED] = {
    [GFP_LEVEL_PORTABLE] = {1.1, 0.9, 0.54, 0.42, 2},
    [GFP_LEVEL_AVX2] = {0.65, 0.66, 0.66, 0.66, 1.8},
    [GFP_LEVEL_AVX512IFMA] = {0.4, 1, 0.8, 1, 1.55},
};

static const level_scale *scale_of(const gfp_field *field)
{
    return &scales[gfp_level_measured(gfp_native_engine_get(field)->combine_level)];
}

/* Two factors of these lengths, by the time of a product alone, which is more than its prediction.
 */
static double own_cost_product(const gfp_field *field, double n, double m)
{
    gfp_job_size size = {.len_a = (size_t)fmax(n, m), .len_b = (size_t)fmin(n, m)};
    size.end = size.len_a + size.len_b - 1;
    return 2.4 * gfp_decision_product_ns(field, &size);
}

/* ---- divisions, each part by the algorithm that the library takes (poly/division) ---- */

/* A division by a divisor of degree n: c coefficients of the quotient. */
typedef struct quotient {
    const gfp_field *field;
    double n, c;
} quotient;

static double step_ns(const gfp_field *field)
{
    return scale_of(field)->kernels * 3.5 * pow(gfp_field_k(field), 1.3);
}

static double quotient_by_definition(const quotient *q)
{
    const double k = gfp_field_k(q->field), m = fmin(q->n, q->c);
    return q->c * 5.5 * k * k + (m * q->c - m * m / 2) * step_ns(q->field);
}

static double remainder_by_definition(const quotient *q)
{
    const double k = gfp_field_k(q->field), m = fmin(q->n, q->c);
    return (m * q->n - m * m / 2 + q->n) * step_ns(q->field) +
           scale_of(q->field)->kernels * q->n * k * k;
}

/* The quotient at once, from a series. */
static double quotient_by_products(const quotient *q)
{
    return scale_of(q->field)->division * (2.6 + 12 / sqrt(q->c)) *
           own_cost_product(q->field, q->c, q->c);
}

static double remainder_by_product(const quotient *q)
{
    return scale_of(q->field)->division * own_cost_product(q->field, q->n, q->c);
}

/* Blocks of a long quotient: by a divisor of low degree they are many short products. */
static double divide_by_blocks(const quotient *q)
{
    const double short_ns = own_cost_product(q->field, q->n, q->n),
                 long_ns = own_cost_product(q->field, q->n, q->c);
    return scale_of(q->field)->blocks * (1.2 + 4 / q->n) * (2.3 * long_ns + 2 * short_ns);
}

static double own_cost_division(const gfp_field *field, const gfp_job_size *size, bool remainder)
{
    const size_t n = size->len_b - 1, c = size->len_a - n;
    const quotient q = {field, (double)n, (double)c};
    size_t threshold[GFP_THRESHOLDS];
    gfp_thresholds_read(threshold, field, NULL);
    const size_t most = threshold[GFP_THRESHOLD_DIVISION];
    const bool plain = c <= most || gfp_threshold_serves(most, n, c);
    const double k = gfp_field_k(field), call = 500 + 120 * k;
    double ns = 0;
    if (!plain && c > n) {
        return fmax(call + divide_by_blocks(&q), scale_of(field)->division * 11 * k * k);
    }
    ns = plain ? quotient_by_definition(&q) : quotient_by_products(&q);
    if (remainder) {
        const bool short_one = c <= threshold[GFP_THRESHOLD_REMAINDER] || n <= most;
        ns += short_one ? remainder_by_definition(&q) : remainder_by_product(&q);
    }
    return call + ns;
}

double gfp_own_division_ns(const gfp_field *field, const gfp_job_size *size)
{
    return own_cost_division(field, size, true);
}

double gfp_own_quotient_ns(const gfp_field *field, const gfp_job_size *size)
{
    return own_cost_division(field, size, false);
}

/* ---- greatest common divisors ---- */

static double gcd_by_definition(const gfp_field *field, double n, bool cofactors)
{
    const double k = gfp_field_k(field);
    const double step = 103 * pow(k / 8, scale_of(field)->power);
    const double ns = 1000 + 250 * k + 100 * n + step * n * n;
    return cofactors ? 2.7 * ns : ns;
}

/* Shorter operands are not divided by products. */
#define LEAST_BY_PRODUCTS 16

static double gcd_by_products(const gfp_field *field, double n, bool cofactors)
{
    const double levels = log2(n), k = gfp_field_k(field);
    const double products = fmax(7, 5 * levels - 13 + 3 * (log2(k) - 3));
    const double more = cofactors ? fmin(2.1, fmax(1.25, 2.1 - 0.35 * (levels - 6))) : 1;
    return scale_of(field)->gcd * products * more * own_cost_product(field, n, n);
}

static double own_cost_gcd(const gfp_field *field, const gfp_job_size *size, bool cofactors)
{
    const double n = (double)size->len_b, k = gfp_field_k(field);
    const double inversions = 2.3 * k * k * n;
    const double plain = gcd_by_definition(field, n, cofactors);
    return inversions +
           (n < LEAST_BY_PRODUCTS ? plain : fmin(plain, gcd_by_products(field, n, cofactors))) +
           (size->len_a > size->len_b ? own_cost_division(field, size, true) : 0);
}

double gfp_own_gcd_ns(const gfp_field *field, const gfp_job_size *size)
{
    return own_cost_gcd(field, size, false);
}

double gfp_own_xgcd_ns(const gfp_field *field, const gfp_job_size *size)
{
    return own_cost_gcd(field, size, true);
}
