/* costs.c: reading tables of measured times; the compiled-in table.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "costs.h"

#include <math.h>

#include "kernels.h"

/* The compiled-in measurements, for each kernel level: one field per k, filed under radix 0. */
#define COSTS(k, log2_len, ...) {k, 0, UINT64_C(1) << (log2_len), {__VA_ARGS__}},
static const gfp_cost_row portable_rows[] = {
#include "costs_portable.inc"
};
static const gfp_cost_row avx2_rows[] = {
#include "costs_avx2.inc"
};
static const gfp_cost_row avx512ifma_rows[] = {
#include "costs_avx512ifma.inc"
};
#undef COSTS
static const gfp_cost_table builtin[GFP_LEVEL_COUNT] = {
    [GFP_LEVEL_PORTABLE] = {portable_rows, sizeof portable_rows / sizeof portable_rows[0]},
    [GFP_LEVEL_AVX2] = {avx2_rows, sizeof avx2_rows / sizeof avx2_rows[0]},
    [GFP_LEVEL_AVX512IFMA] = {avx512ifma_rows, sizeof avx512ifma_rows / sizeof avx512ifma_rows[0]},
};
#define BUILTIN_MAX_K 128

int gfp_cost_compare(const gfp_cost_row *x, const gfp_cost_row *y)
{
    if (x->k != y->k) {
        return x->k < y->k ? -1 : 1;
    }
    if (x->r != y->r) {
        return x->r < y->r ? -1 : 1;
    }
    return (x->len > y->len) - (x->len < y->len);
}

size_t gfp_cost_lower_bound(const gfp_cost_table *table, const gfp_cost_row *key)
{
    size_t first = 0, beyond = table->count;
    while (first < beyond) {
        size_t middle = first + (beyond - first) / 2;
        if (gfp_cost_compare(&table->rows[middle], key) < 0) {
            first = middle + 1;
        } else {
            beyond = middle;
        }
    }
    return first;
}

/* The rows of the same field as row `at`. */
static gfp_cost_table curve_at(const gfp_cost_table *table, size_t at)
{
    gfp_cost_row key = {.k = table->rows[at].k, .r = table->rows[at].r};
    size_t first = gfp_cost_lower_bound(table, &key), beyond = at + 1;
    while (beyond < table->count && table->rows[beyond].k == key.k &&
           table->rows[beyond].r == key.r) {
        beyond++;
    }
    return (gfp_cost_table){table->rows + first, beyond - first};
}

/* Between or beyond the measured points of one curve. */
static double read_curve(const gfp_cost_table *curve, size_t column, const gfp_shape *shape,
                         double m)
{
    const gfp_cost_row *below = NULL, *above = NULL;
    double len = exp2(m);
    for (size_t i = 0; i < curve->count && above == NULL; i++) {
        const gfp_cost_row *row = &curve->rows[i];
        if (!(row->ns[column] > 0)) {
            continue;
        }
        if ((double)row->len <= len) {
            below = row;
        } else {
            above = row;
        }
    }
    if (below == NULL && above == NULL) {
        return HUGE_VAL;
    }
    if (below == NULL || above == NULL) {
        const gfp_cost_row *known = below == NULL ? above : below;
        double known_m = log2((double)known->len);
        return log2(known->ns[column]) + shape->value(shape, m) - shape->value(shape, known_m);
    }
    double from = log2((double)below->len), to = log2((double)above->len);
    double t = (m - from) / (to - from);
    return (1 - t) * log2(below->ns[column]) + t * log2(above->ns[column]);
}

static bool is_fast(uint64_t r)
{
    return GFP_FAST_R_MIN <= r && r <= GFP_FAST_R_MAX;
}

/* Fast and generic kernels differ by more than any two radices that the same ones serve. */
static bool same_kernels(uint64_t r, uint64_t other)
{
    return is_fast(r) == is_fast(other);
}

/* The curve that row `at` belongs to, for a field (k, r). */
static double cost_at(const gfp_cost_table *table, size_t at, unsigned k, uint64_t r, size_t column,
                      const gfp_shape *shape, double m)
{
    if (at >= table->count || table->rows[at].k != k || !same_kernels(r, table->rows[at].r)) {
        return HUGE_VAL;
    }
    gfp_cost_table curve = curve_at(table, at);
    return read_curve(&curve, column, shape, m);
}

double gfp_cost_log2(const gfp_cost_table *table, unsigned k, uint64_t r, size_t column,
                     const gfp_shape *shape, double m)
{
    gfp_cost_row key = {.k = k, .r = r};
    size_t at = gfp_cost_lower_bound(table, &key); /* the first row with a radix >= r */
    size_t below = at - 1;                         /* SIZE_MAX, which is no row, for at = 0 */
    size_t above = at;
    if (at < table->count && table->rows[at].k == k && table->rows[at].r == r) {
        double own = cost_at(table, at, k, r, column, shape, m);
        if (own < HUGE_VAL) {
            return own;
        }
        above = at + curve_at(table, at).count;
    }
    double cost_below = cost_at(table, below, k, r, column, shape, m);
    double cost_above = cost_at(table, above, k, r, column, shape, m);
    if (!(cost_below < HUGE_VAL) || !(cost_above < HUGE_VAL)) {
        return fmin(cost_below, cost_above);
    }
    return table->rows[above].r - r <= r - table->rows[below].r ? cost_above : cost_below;
}

static double follow_law(const gfp_shape *shape, double m)
{
    return shape->growth(m);
}

/* A larger k continues the step from 64 to 128. */
double gfp_cost_log2_builtin(gfp_level level, unsigned k, size_t column, gfp_growth *growth,
                             double m)
{
    const gfp_cost_table *table = &builtin[level];
    const gfp_shape law = {.value = follow_law, .growth = growth};
    if (k <= BUILTIN_MAX_K) {
        return gfp_cost_log2(table, k, 0, column, &law, m);
    }
    return 2 * gfp_cost_log2(table, BUILTIN_MAX_K, 0, column, &law, m) -
           gfp_cost_log2(table, BUILTIN_MAX_K / 2, 0, column, &law, m);
}
