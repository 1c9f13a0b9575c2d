/* papers/complexity/counts.c: see counts.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "papers/complexity/counts.h"

#include <math.h>

#include "fft/impl.h"
#include "crt/hybrid/shape.h"
#include "crt/small/native.h"

double counts_word_products(const counts *c, unsigned k)
{
    return (c->products + c->powers) * k * k + c->butterflies + c->pointwise + c->roots +
           c->projected + c->recombined;
}

double counts_additions(const counts *c)
{
    return c->digit_sums + c->outer_sums;
}

double counts_moved(const counts *c)
{
    double sum = 0;

    for (size_t i = 0; i < COUNT_AREAS; i++) {
        sum += c->moved[i];
    }
    return sum;
}

static unsigned log2_up(double x)
{
    return x > 1 ? (unsigned)ceil(log2(x)) : 0;
}

static void counts_move(counts *c, double words, double area)
{
    const unsigned i = log2_up(area);

    c->moved[i < COUNT_AREAS ? i : COUNT_AREAS - 1] += words;
}

/* ---- transforms over Z/pZ ---- */

static size_t divisor_of_both(size_t a, size_t b)
{
    while (b != 0) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The number of twiddles w_L^(i j), 0 < i < radix, j < L / radix, that are not powers of r. Powers
 * of r are the powers of w_L^(L/2k), so that L / 2k must not divide j i. */
static double general_twiddles(size_t length, size_t radix, size_t full)
{
    const size_t columns = length / radix, order = length > full ? length / full : 1;
    const size_t periods = columns / order;
    size_t count = 0;

    for (size_t i = 1; i < radix; i++) {
        count += columns - periods * divisor_of_both(i, order);
    }
    return (double)count;
}

void count_transform(counts *c, const gfp_fft_plan *plan)
{
    const double n = (double)plan->n, k = plan->field->k;
    size_t length = plan->n;

    for (unsigned level = 0; level < plan->levels; level++) {
        const unsigned log2_radix = plan->radix_log[level];
        const size_t radix = (size_t)1 << log2_radix;
        const double rows = n / (double)length, transforms = n / (double)radix;
        /* all butterflies, and the butterflies except the first of each stage */
        const double all = (double)radix / 2 * log2_radix, turned = all - (double)(radix - 1);
        c->digit_sums += transforms * all * 2 * k;
        c->turned += transforms * turned * k;
        c->products += rows * general_twiddles(length, radix, 2 * (size_t)plan->field->k);
        counts_move(c, 2 * n * k, (double)length * k);
        length /= radix;
    }
}

bool count_bigfft(counts *c, const gfp_field *field, size_t n)
{
    const double k = field->k, area = 2 * (double)n * k;
    gfp_fft_plan *plan;

    if (gfp_fft_plan_create(&plan, field, 2 * n, NULL) != GFP_OK) {
        return false;
    }
    *c = (counts){.products = 2 * (double)n, .powers = (double)plan->table_size - 1};
    for (unsigned i = 0; i < 3; i++) {
        count_transform(c, plan);
    }
    const double divisions = ceil((double)plan->log2_n / field->v2_r);
    c->digit_sums += area * divisions;
    /* input, pointwise products, division, output */
    counts_move(c, 3 * area + 3 * area + 2 * area * divisions + 2 * area, 2 * area);
    gfp_fft_plan_destroy(plan);
    return true;
}

/* ---- hybrid ---- */

/* The number of coefficients of the polynomials at which a channel's transform stops: those of a
 * vector, or in portable code 8 or 4, so that the number of levels is even. */
static size_t leaf_base(const gfp_hybrid_choice *choice, size_t m)
{
    switch (choice->level) {
    case GFP_LEVEL_AVX512IFMA:
        return 8;
    case GFP_LEVEL_AVX2:
    case GFP_LEVEL_AVX512DQ:
    case GFP_LEVEL_NEON:
        return 4;
    default:
        return log2_up((double)m / 8) % 2 == 0 ? 8 : 4;
    }
}

void count_leaves(counts *c, const struct gfp_hybrid_choice *choice,
                  const struct gfp_hybrid_shape *shape)
{
    const size_t m = shape->outer.m;
    const double digits = (double)shape->outer.leaves * (double)m * choice->k;
    const double base = (double)leaf_base(choice, m);
    /* Reals take half of the time of the prime that they replace. */
    const double residues = (shape->primes - (shape->real ? 0.5 : 0)) * digits;

    c->butterflies += 3 * residues / 2 * (choice->log2_k + log2((double)m / base));
    c->pointwise += residues * (base + 2);
    c->recombined += residues * (shape->primes > 2 ? 3 : 2);
    /* evaluation, transforms, products, the transform back, interpolation, digits */
    counts_move(c, 2 * shape->primes * digits + 12 * residues + digits,
                (shape->primes + 1.0) * (double)m * choice->k);
}

double count_outer_sums(const struct gfp_hybrid_shape *shape, unsigned factors)
{
    const double digits =
        (double)shape->outer.leaves * (double)shape->outer.m * gfp_field_k(shape->outer.field);
    const double levels = shape->outer.log2_size;

    /* the first level only copies, since the upper half is zero */
    return digits * (factors * (levels - 1) + levels);
}

bool count_hybrid(counts *c, const gfp_field *field, size_t n)
{
    gfp_hybrid_choice choice;
    gfp_hybrid_plan plan;

    gfp_hybrid_choose(&choice, field);
    if (!gfp_hybrid_plan_make(&plan, &choice, n, n)) {
        return false;
    }
    const gfp_hybrid_shape *shape = &plan.shape;
    const unsigned log2_size = shape->outer.log2_size;
    if (plan.block_a < n || plan.block_b < n || shape->wrap > 0 || shape->odd != 1 ||
        shape->outer.leaves != 1U << log2_size || log2_size == 0) {
        return false;
    }
    const double digits = (double)shape->outer.leaves * (double)shape->outer.m * choice.k;
    *c = (counts){.outer_sums = count_outer_sums(shape, 2)};
    count_leaves(c, &choice, shape);
    /* the outer DFTs, in two passes for 32 leaves and more */
    counts_move(c, (log2_size > 4 ? 11 : 5) * digits, 3 * digits);
    return true;
}

/* ---- crt ---- */

void count_ring(counts *c, const gfp_field *field, unsigned log2_n, unsigned transforms)
{
    const gfp_native_engine *engine = gfp_native_engine_get(field);
    const double points = exp2(log2_n), base = exp2(engine->least_log2_n);

    c->butterflies += transforms * points / 2 * (log2_n - engine->least_log2_n);
    c->pointwise += points * (base > 1 ? base + 2 : 2);
    c->roots += (double)engine->root_words(log2_n) / 2 - 2;
}

bool count_crt_steps(counts steps[CRT_STEPS], const gfp_field *field, size_t n)
{
    const gfp_native_engine *engine = gfp_native_engine_get(field);
    const gfp_native_tables *tables = gfp_native_tables_get(field);
    const unsigned log2_n = log2_up(2 * (double)n);

    if (tables == NULL || log2_n < engine->least_log2_n + 1 ||
        log2_n > tables->log2_order + engine->least_log2_n) {
        return false;
    }
    const double k = tables->radix.k, s = (double)count_crt_primes(field, n);
    const double points = 2 * (double)n, residues = s * points;
    counts ring = {0};
    count_ring(&ring, field, log2_n, 3);
    steps[CRT_PROJECTION] = (counts){.projected = residues * k};
    steps[CRT_ROOTS] = (counts){.roots = ring.roots * s};
    steps[CRT_TRANSFORMS] =
        (counts){.butterflies = ring.butterflies * s, .pointwise = ring.pointwise * s};
    steps[CRT_RECOMBINATION] = (counts){.recombined = (points - 1) * (s + k * (s + 1))};
    counts_move(&steps[CRT_PROJECTION], points * k + residues * 2, residues + points * k);
    counts_move(&steps[CRT_TRANSFORMS], 2 * residues * 3 + 3 * residues, 2 * points);
    counts_move(&steps[CRT_RECOMBINATION], residues + points * k, residues + points * k);
    return true;
}

bool count_crt(counts *c, const gfp_field *field, size_t n)
{
    counts steps[CRT_STEPS];

    if (!count_crt_steps(steps, field, n)) {
        return false;
    }
    *c = (counts){.projected = steps[CRT_PROJECTION].projected,
                  .roots = steps[CRT_ROOTS].roots,
                  .butterflies = steps[CRT_TRANSFORMS].butterflies,
                  .pointwise = steps[CRT_TRANSFORMS].pointwise,
                  .recombined = steps[CRT_RECOMBINATION].recombined};
    for (size_t i = 0; i < CRT_STEPS; i++) {
        for (size_t j = 0; j < COUNT_AREAS; j++) {
            c->moved[j] += steps[i].moved[j];
        }
    }
    return true;
}

size_t count_crt_primes(const gfp_field *field, size_t n)
{
    return gfp_native_count(field, n);
}

/* ---- word-size primes ---- */

void count_small_primes(counts *c, size_t n, size_t primes, size_t limbs, size_t width)
{
    const double points = (double)n, x = points * (double)limbs, z = points * (double)width;
    const double residues = points * (double)primes;

    *c = (counts){.projected = residues * (double)limbs};
    c->butterflies = residues / 2 * log2_up(points);
    c->recombined = residues * (double)width;
    counts_move(c, x + residues, x + residues);
    counts_move(c, 2 * residues, points);
    counts_move(c, residues + z, z + residues);
}

/* ---- the papers' formulas ---- */

formulas formulas_of(unsigned k, size_t n)
{
    const double points = (double)n, levels = log2((double)n), log2_k = log2(k);
    const double product = (double)k * k, sums = points * levels * k;

    return (formulas){.radix_2 = sums + points * levels * product,
                      .radix_2k = sums + points * levels / (log2_k + 1) * product,
                      .small_primes = sums + points * product * log2_k};
}
