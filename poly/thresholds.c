/* thresholds.c: see thresholds.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "thresholds.h"

#include <string.h>

#include "kernels.h"
#include "native.h"
#include "support.h"
#include "tuning.h"
#include "word.h"

#define ALWAYS GFP_THRESHOLD_ALWAYS
/* The same value for every k. */
#define EACH(x)                                                                                    \
    {                                                                                              \
        x, x, x, x, x, x                                                                           \
    }

/* Compiled-in values: docs/design/toolkit.md has their measurement. */
static const gfp_threshold_row rows[GFP_THRESHOLDS] = {
    /* f(g) modulo X^n: f of up to this length by Horner's rule. */
    [GFP_THRESHOLD_COMPOSE_HORNER] = {"compose_horner", 1, ALWAYS, EACH(5), NULL, NULL},
    /* Up to this n by baby steps and giant steps, then by halves (Kinoshita and Li). */
    [GFP_THRESHOLD_COMPOSE_STEPS] =
        {"compose_steps", 1, ALWAYS, {199, 111, 111, 59, 23, 23}, NULL, NULL},
    /* Divisors of up to this degree, and quotients of up to this length, by the definition. */
    [GFP_THRESHOLD_DIVISION] = {"division", 1, ALWAYS, EACH(8), NULL, NULL},
    /* Points of a geometric progression, and polynomials there, by Horner's rule. */
    [GFP_THRESHOLD_GEOMETRIC] = {"geometric", 1, ALWAYS, EACH(16), NULL, NULL},
    /* Half-gcds that take up to this degree away, and gcds of up to twice this length, by steps of
     * Euclid's algorithm. */
    [GFP_THRESHOLD_HALF_GCD] = {"half_gcd", 1, ALWAYS, {40, 24, 24, 12, 10, 5}, NULL, NULL},
    /* Products of matrices with up to this number of rows as linear combinations, then by residues
     * modulo word primes: without and with residues that are kept. */
    [GFP_THRESHOLD_MATRIX_ROWS] = {"matrix_rows",
                                   0,
                                   ALWAYS,
                                   {29, 6, 2, 1, 1, 1},
                                   (const size_t[]){ALWAYS, ALWAYS, 31, 7, 7, 7},
                                   (const size_t[]){ALWAYS, 15, 11, 5, 5, 5}},
    [GFP_THRESHOLD_MATRIX_ROWS_KEPT] = {"matrix_rows_kept",
                                        0,
                                        ALWAYS,
                                        {11, 0, 0, 0, 0, 0},
                                        (const size_t[]){ALWAYS, ALWAYS, 7, 1, 1, 1},
                                        (const size_t[]){ALWAYS, 7, 5, 2, 2, 2}},
    /* Products modulo f of up to this degree by the definition; such f keep no transforms. */
    [GFP_THRESHOLD_MODULUS] = {"modulus", 1, ALWAYS, EACH(6), NULL, NULL},
    /* Quotients of series of up to this length in two blocks, then in four. */
    [GFP_THRESHOLD_QUOTIENT_BLOCKS] = {"quotient_blocks", 1, ALWAYS, EACH(511), NULL, NULL},
    /* Remainders from quotients of up to this length by the definition. */
    [GFP_THRESHOLD_REMAINDER] = {"remainder", 1, ALWAYS, EACH(4), NULL, NULL},
    /* Inverses and quotients of series of up to this length by products by the definition. */
    [GFP_THRESHOLD_SERIES_DEFINITION] =
        {"series_definition", 1, ALWAYS, {64, 48, 24, 16, 8, 4}, NULL, NULL},
    /* Roots and exponentials of up to this length by a recurrence; longer ones begin with one of up
     * to series_start coefficients. */
    [GFP_THRESHOLD_SERIES_RECURRENCE] =
        {"series_recurrence", 1, ALWAYS, {128, 64, 40, 24, 12, 8}, NULL, NULL},
    [GFP_THRESHOLD_SERIES_START] = {"series_start", 4, ALWAYS, {64, 32, 16, 16, 10, 6}, NULL, NULL},
    /* Points of a leaf of a tree: 8, 16 or 32. */
    [GFP_THRESHOLD_TREE_LEAF] = {"tree_leaf", 8, 32, {32, 32, 16, 8, 8, 8}, NULL, NULL},
    /* Trees of up to this number of points are quadratic algorithms. */
    [GFP_THRESHOLD_TREE_POINTS] = {"tree_points", 1, ALWAYS, EACH(16), NULL, NULL},
};

const gfp_threshold_row *gfp_threshold_get(gfp_threshold threshold)
{
    return &rows[threshold];
}

static size_t compiled_in(const gfp_threshold_row *row, unsigned k, gfp_level level)
{
    const unsigned log2_k = gfp_ctz64(k),
                   entry = log2_k < GFP_THRESHOLD_ENTRIES ? log2_k : GFP_THRESHOLD_ENTRIES;
    const size_t *const values = level == GFP_LEVEL_PORTABLE ? row->portable
                                 : level == GFP_LEVEL_AVX2   ? row->avx2
                                                             : NULL;
    return (values != NULL ? values : row->value)[entry - 1];
}

static size_t limited(const gfp_threshold_row *row, uint64_t value)
{
    return value < row->least ? row->least : value < row->most ? (size_t)value : row->most;
}

void gfp_thresholds_read(size_t value[GFP_THRESHOLDS], const gfp_field *field,
                         const gfp_tuning *tuning)
{
    const unsigned k = (unsigned)gfp_field_k(field);
    const gfp_level level = gfp_native_engine_get(field)->combine_level;
    size_t count = 0, j = 0;
    const gfp_threshold_entry *measured =
        tuning != NULL ? gfp_tuning_thresholds_of(tuning, k, &count) : NULL;
    for (size_t i = 0; i < GFP_THRESHOLDS; i++) {
        const gfp_threshold_row *row = &rows[i];
        int order = 1;
        while (j < count && (order = strcmp(measured[j].name, row->name)) < 0) {
            j++; /* of another version */
        }
        value[i] =
            j < count && order == 0 ? limited(row, measured[j].value) : compiled_in(row, k, level);
    }
}

size_t gfp_threshold_count(void)
{
    return GFP_THRESHOLDS;
}

const char *gfp_threshold_name(size_t index)
{
    return index < GFP_THRESHOLDS ? rows[index].name : NULL;
}

size_t gfp_threshold_value(size_t index, const gfp_field *field, const gfp_tuning *tuning)
{
    size_t value[GFP_THRESHOLDS];
    gfp_thresholds_read(value, field, tuning);
    return index < GFP_THRESHOLDS ? value[index] : 0;
}
