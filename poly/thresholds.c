/* thresholds.c: see thresholds.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/thresholds.h"

#include "field/base/kernels.h"
#include "crt/small/native.h"
#include "field/base/support.h"
#include "product/choose/tuning.h"
#include "field/base/word.h"

#define ALWAYS GFP_THRESHOLD_ALWAYS
/* The same value for every k; the same values at every level. */
#define EACH(x)                                                                                    \
    {                                                                                              \
        x, x, x, x, x, x                                                                           \
    }
#define LEVELS(...)                                                                                \
    {                                                                                              \
        __VA_ARGS__, __VA_ARGS__, __VA_ARGS__                                                      \
    }

/* Compiled-in values: docs/design/toolkit.md has their measurement. Lines of a row: portable, avx2,
 * avx512ifma. */
static const gfp_threshold_row rows[GFP_THRESHOLDS] = {
    /* f(g) modulo X^n: f of up to this length by Horner's rule. */
    [GFP_THRESHOLD_COMPOSE_HORNER] = {"compose_horner", 1, ALWAYS, LEVELS(EACH(5))},
    /* Up to this n by baby steps and giant steps, then by halves (Kinoshita and Li). */
    [GFP_THRESHOLD_COMPOSE_STEPS] = {"compose_steps",
                                     1,
                                     ALWAYS,
                                     {{195, 185, 160, 110, 60, 16},
                                      {175, 160, 144, 130, 100, 42},
                                      {205, 170, 200, 170, 73, 60}}},
    /* Quotients of up to this length, and divisors of up to this degree, by the definition: see
     * gfp_threshold_serves. */
    [GFP_THRESHOLD_DIVISION] = {"division",
                                1,
                                ALWAYS,
                                {{200, 98, 50, 14, 12, 6},
                                 {76, 52, 25, 14, 8, 6},
                                 {55, 41, 20, 10, 5, 5}}},
    /* Points of a geometric progression, and polynomials there, by Horner's rule. */
    [GFP_THRESHOLD_GEOMETRIC] = {"geometric", 1, ALWAYS, LEVELS(EACH(16))},
    /* Half-gcds that take up to this degree away, and gcds of up to twice this length, by steps of
     * Euclid's algorithm. */
    [GFP_THRESHOLD_HALF_GCD] = {"half_gcd",
                                1,
                                ALWAYS,
                                {{84, 46, 30, 12, 10, 5},
                                 {44, 40, 26, 15, 10, 6},
                                 {44, 28, 24, 12, 10, 6}}},
    /* Products of matrices with up to this number of rows as linear combinations, then by residues
     * modulo word primes: without and with residues that are kept. */
    [GFP_THRESHOLD_MATRIX_ROWS] = {"matrix_rows",
                                   0,
                                   ALWAYS,
                                   {{ALWAYS, ALWAYS, 31, 7, 7, 7},
                                    {ALWAYS, 6, 2, 0, 0, 0},
                                    {60, 11, 2, 0, 0, 0}}},
    [GFP_THRESHOLD_MATRIX_ROWS_KEPT] = {"matrix_rows_kept",
                                        0,
                                        ALWAYS,
                                        {{ALWAYS, ALWAYS, 7, 1, 1, 1},
                                         {2, 1, 0, 0, 0, 0},
                                         {20, 0, 0, 0, 0, 0}}},
    /* Products modulo f of up to this degree by the definition; such f keep no transforms. */
    [GFP_THRESHOLD_MODULUS] = {"modulus",
                               1,
                               ALWAYS,
                               {{90, 40, 20, 9, 6, 3}, {36, 18, 9, 6, 3, 2}, {26, 15, 6, 5, 3, 2}}},
    /* Quotients of series of up to this length in two blocks, then in four. */
    [GFP_THRESHOLD_QUOTIENT_BLOCKS] = {"quotient_blocks",
                                       1,
                                       ALWAYS,
                                       {{391, 174, 115, 60, 60, 60},
                                        {511, 511, 511, 126, 126, 126},
                                        {261, 310, 150, 126, 80, 60}}},
    /* Remainders from quotients of up to this length by the definition. */
    [GFP_THRESHOLD_REMAINDER] = {"remainder",
                                 1,
                                 ALWAYS,
                                 {{52, 25, 12, 6, 2, 1}, {16, 6, 2, 2, 1, 1}, {20, 9, 2, 2, 1, 1}}},
    /* Inverses and quotients of series of up to this length by products by the definition. */
    [GFP_THRESHOLD_SERIES_DEFINITION] = {"series_definition",
                                         1,
                                         ALWAYS,
                                         {{210, 135, 60, 17, 9, 6},
                                          {120, 53, 25, 11, 8, 4},
                                          {122, 60, 24, 9, 6, 4}}},
    /* Roots and exponentials of up to this length by a recurrence; longer ones begin with one of up
     * to series_start coefficients. */
    [GFP_THRESHOLD_SERIES_RECURRENCE] = {"series_recurrence",
                                         1,
                                         ALWAYS,
                                         {{420, 204, 108, 51, 23, 14},
                                          {112, 95, 72, 42, 22, 13},
                                          {85, 80, 46, 22, 10, 10}}},
    [GFP_THRESHOLD_SERIES_START] = {"series_start",
                                    4,
                                    ALWAYS,
                                    {{200, 100, 50, 30, 13, 10},
                                     {81, 50, 36, 20, 10, 6},
                                     {67, 40, 20, 10, 6, 5}}},
    /* Values of polynomials of up to this number of terms, without a tree, by Horner's rule. */
    [GFP_THRESHOLD_TREE_HORNER] = {"tree_horner",
                                   1,
                                   ALWAYS,
                                   {{13, 14, 23, 70, 50, 30},
                                    {6, 12, 9, 9, 8, 8},
                                    {4, 6, 8, 9, 8, 8}}},
    /* Interpolation at up to this number of points by Lagrange's formula; trees of up to this
     * number of points that are kept are quadratic algorithms. */
    [GFP_THRESHOLD_TREE_INTERPOLATION] = {"tree_interpolation",
                                          1,
                                          ALWAYS,
                                          {{16, 14, 8, 4, 6, 4},
                                           {16, 16, 8, 4, 4, 4},
                                           {16, 16, 9, 4, 4, 4}}},
    /* Points of a leaf of a tree: 8, 16 or 32. */
    [GFP_THRESHOLD_TREE_LEAF] = {"tree_leaf", 8, 32, LEVELS({32, 32, 16, 8, 8, 8})},
    /* Polynomials of up to this number of terms, and as many points, without a tree. */
    [GFP_THRESHOLD_TREE_POINTS] = {"tree_points",
                                   1,
                                   ALWAYS,
                                   {{400, 270, 170, 70, 50, 30},
                                    {200, 205, 175, 200, 160, 100},
                                    {400, 400, 300, 290, 200, 110}}},
    /* Products from up to this number of roots factor by factor. */
    [GFP_THRESHOLD_TREE_ROOTS] = {"tree_roots",
                                  1,
                                  ALWAYS,
                                  {{18, 16, 9, 4, 9, 4},
                                   {38, 36, 20, 18, 14, 14},
                                   {63, 63, 34, 19, 16, 16}}},
};

const gfp_threshold_row *gfp_threshold_get(gfp_threshold threshold)
{
    return &rows[threshold];
}

static size_t compiled_in(const gfp_threshold_row *row, unsigned k, gfp_level level)
{
    const unsigned log2_k = gfp_ctz64(k),
                   entry = log2_k < GFP_THRESHOLD_ENTRIES ? log2_k : GFP_THRESHOLD_ENTRIES;
    return row->value[gfp_level_measured(level)][entry - 1];
}

static size_t thresholds_limited(const gfp_threshold_row *row, size_t value)
{
    return value < row->least ? row->least : gfp_size_min(value, row->most);
}

void gfp_thresholds_read(size_t value[GFP_THRESHOLDS], const gfp_field *field,
                         const gfp_tuning *tuning)
{
    const unsigned k = (unsigned)gfp_field_k(field);
    const gfp_level level = gfp_native_engine_get(field)->combine_level;
    const size_t *given = tuning != NULL ? tuning->thresholds : NULL;
    for (size_t i = 0; i < GFP_THRESHOLDS; i++) {
        const gfp_threshold_row *row = &rows[i];
        value[i] = given == NULL || given[i] == GFP_THRESHOLD_COMPILED
                       ? compiled_in(row, k, level)
                       : thresholds_limited(row, given[i]);
    }
}

void gfp_thresholds_set(gfp_tuning *tuning, const size_t value[GFP_THRESHOLDS])
{
    tuning->thresholds = value;
}

bool gfp_threshold_serves(size_t threshold, size_t n, size_t len)
{
    return n <= threshold / 4 || (n <= threshold && len <= 2 * threshold - n);
}
