/* costs.c: reading tables of measured times; the compiled-in table.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/methods/costs.h"

#include <limits.h>
#include <math.h>

#include "field/base/kernels.h"

/* The compiled-in measurements, for each kernel level: products on one thread, one field per k,
 * filed under radix 0. */
#define COSTS(k, log2_len, ...)                                                                    \
    {0, 0, 1, k, 0, UINT64_C(1) << (log2_len), UINT64_C(1) << (log2_len), {__VA_ARGS__}, 0},
static const gfp_cost_row portable_rows[] = {
#include "product/methods/costs_portable.inc"
};
static const gfp_cost_row avx2_rows[] = {
#include "product/methods/costs_avx2.inc"
};
static const gfp_cost_row avx512ifma_rows[] = {
#include "product/methods/costs_avx512ifma.inc"
};
#undef COSTS
static const gfp_cost_table builtin[GFP_LEVEL_MEASURED] = {
    [GFP_LEVEL_PORTABLE] = {portable_rows, sizeof portable_rows / sizeof portable_rows[0]},
    [GFP_LEVEL_AVX2] = {avx2_rows, sizeof avx2_rows / sizeof avx2_rows[0]},
    [GFP_LEVEL_AVX512IFMA] = {avx512ifma_rows, sizeof avx512ifma_rows / sizeof avx512ifma_rows[0]},
};
#define BUILTIN_MAX_K 128

static int costs_compare(uint64_t x, uint64_t y)
{
    return (x > y) - (x < y);
}

int gfp_cost_compare(const gfp_cost_row *x, const gfp_cost_row *y)
{
    const uint64_t keys[][2] = {{x->operation, y->operation},
                                {x->resident, y->resident},
                                {x->threads, y->threads},
                                {x->k, y->k},
                                {x->r, y->r},
                                {x->len_a, y->len_a},
                                {x->len_b, y->len_b}};
    int order = 0;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && order == 0; i++) {
        order = costs_compare(keys[i][0], keys[i][1]);
    }
    return order;
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

gfp_cost_table gfp_cost_group(const gfp_cost_table *table, unsigned operation, unsigned resident,
                              unsigned threads)
{
    if (table->count == 0) { /* rows may be NULL, to which nothing is added */
        return *table;
    }
    const gfp_cost_row from = {.operation = operation, .resident = resident, .threads = threads};
    const gfp_cost_row to = {.operation = operation, .resident = resident, .threads = threads + 1};
    const size_t first = gfp_cost_lower_bound(table, &from);
    return (gfp_cost_table){table->rows + first, gfp_cost_lower_bound(table, &to) - first};
}

/* The rows of a group with the same field as row `at`. */
static gfp_cost_table curve_at(const gfp_cost_table *table, size_t at)
{
    gfp_cost_row key = table->rows[at];
    key.len_a = key.len_b = 0;
    size_t first = gfp_cost_lower_bound(table, &key), beyond = at + 1;
    while (beyond < table->count && table->rows[beyond].k == key.k &&
           table->rows[beyond].r == key.r) {
        beyond++;
    }
    return (gfp_cost_table){table->rows + first, beyond - first};
}

/* log2 of the nanoseconds at 2^m, between or beyond the measured points of one curve. */
static double read_curve(const gfp_cost_table *curve, size_t column, const gfp_shape *shape,
                         double m)
{
    const gfp_cost_row *below = NULL, *above = NULL;
    double len = exp2(m);
    for (size_t i = 0; i < curve->count && above == NULL; i++) {
        const gfp_cost_row *row = &curve->rows[i];
        if (!(row->ns[column] > 0) || row->len_a != row->len_b) {
            continue;
        }
        if ((double)row->len_a <= len) {
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
        double known_m = log2((double)known->len_a);
        return log2(known->ns[column]) + shape->value(shape, m) - shape->value(shape, known_m);
    }
    double from = log2((double)below->len_a), to = log2((double)above->len_a);
    double t = (m - from) / (to - from);
    return (1 - t) * log2(below->ns[column]) + t * log2(above->ns[column]);
}

static bool is_fast(uint64_t r)
{
    return GFP_FAST_R_MIN <= r && r <= GFP_FAST_R_MAX;
}

/* Fast and generic kernels differ by more than any two radices with the same kernels. */
static bool same_kernels(uint64_t r, uint64_t other)
{
    return is_fast(r) == is_fast(other);
}

int gfp_cost_octave(uint64_t len_a, uint64_t len_b)
{
    return (int)lround(fabs(log2((double)len_a) - log2((double)len_b)));
}

/* A value to read from a curve; HUGE_VAL: the curve does not have it. */
typedef struct question {
    size_t column;
    const gfp_shape *shape; /* for a time at 2^m; NULL: a reading at two lengths */
    double m;
    uint64_t len_a, len_b;
    gfp_cost_reading *reading;
    const void *user;
} question;

static uint64_t costs_shorter(uint64_t len_a, uint64_t len_b)
{
    return len_a < len_b ? len_a : len_b;
}

uint64_t gfp_cost_whole_length(uint64_t len_a, uint64_t len_b)
{
    const uint64_t most = UINT64_C(1) << 62;
    uint64_t n = 1;
    while (n < most && (len_a > n || n - len_a + 1 < len_b)) {
        n *= 2;
    }
    return n;
}

/* The coordinate of a row among the rows of its octave. */
static uint64_t place_of(unsigned resident, uint64_t len_a, uint64_t len_b)
{
    return resident != GFP_RESIDENT_HOST ? gfp_cost_whole_length(len_a, len_b)
                                         : costs_shorter(len_a, len_b);
}

static bool has_column(const gfp_cost_row *row, size_t column)
{
    return row->ns[column] > 0;
}

/* The readings of an octave's nearest rows below and above, interpolated; HUGE_VAL: no row has a
 * reading. */
static double read_octave(const gfp_cost_table *curve, const question *q, int octave)
{
    const uint64_t at = place_of(curve->rows[0].resident, q->len_a, q->len_b);
    const gfp_cost_row *below = NULL, *above = NULL;
    uint64_t len_below = 0, len_above = UINT64_MAX;
    for (size_t i = 0; i < curve->count; i++) {
        const gfp_cost_row *row = &curve->rows[i];
        if (row->octave != octave || !has_column(row, q->column)) {
            continue;
        }
        const uint64_t len = place_of(row->resident, row->len_a, row->len_b);
        if (len <= at && len >= len_below) {
            below = row;
            len_below = len;
        } else if (len > at && len < len_above) {
            above = row;
            len_above = len;
        }
    }
    const double from = below != NULL ? q->reading(q->user, below, below->ns[q->column]) : NAN;
    const double to = above != NULL ? q->reading(q->user, above, above->ns[q->column]) : NAN;
    if (isnan(from) || isnan(to)) {
        return !isnan(from) ? from : !isnan(to) ? to : HUGE_VAL;
    }
    const double x = log2((double)len_below);
    const double t = (log2((double)at) - x) / (log2((double)len_above) - x);
    return (1 - t) * from + t * to;
}

/* The reading of the row with these lengths; without such a row, interpolated between octaves of
 * the curve. */
static double read_rows(const gfp_cost_table *curve, const question *q)
{
    const double ratio = fabs(log2((double)q->len_a) - log2((double)q->len_b));
    int less = -1, more = INT_MAX; /* octaves around the ratio */
    for (size_t i = 0; i < curve->count; i++) {
        const gfp_cost_row *row = &curve->rows[i];
        if (!has_column(row, q->column)) {
            continue;
        }
        if (costs_shorter(row->len_a, row->len_b) == costs_shorter(q->len_a, q->len_b) &&
            row->len_a + row->len_b == q->len_a + q->len_b) {
            const double value = q->reading(q->user, row, row->ns[q->column]);
            if (!isnan(value)) {
                return value;
            }
        }
        if (row->octave <= ratio && row->octave > less) {
            less = row->octave;
        } else if (row->octave > ratio && row->octave < more) {
            more = row->octave;
        }
    }
    if (less == 0 && more == INT_MAX && curve->rows[0].resident == GFP_RESIDENT_HOST &&
        gfp_cost_octave(q->len_a, q->len_b) != 0) {
        return HUGE_VAL;
    }
    const double from = less >= 0 ? read_octave(curve, q, less) : HUGE_VAL;
    const double to = more < INT_MAX ? read_octave(curve, q, more) : HUGE_VAL;
    if (!(from < HUGE_VAL) || !(to < HUGE_VAL)) {
        return fmin(from, to);
    }
    const double t = (ratio - less) / (more - less);
    return (1 - t) * from + t * to;
}

/* The value from the curve that row `at` belongs to, for a field (k, r). */
static double answer_at(const gfp_cost_table *table, size_t at, unsigned k, uint64_t r,
                        const question *q)
{
    if (at >= table->count || table->rows[at].k != k || !same_kernels(r, table->rows[at].r)) {
        return HUGE_VAL;
    }
    gfp_cost_table curve = curve_at(table, at);
    return q->shape != NULL ? read_curve(&curve, q->column, q->shape, q->m) : read_rows(&curve, q);
}

static double costs_answer(const gfp_cost_table *table, unsigned k, uint64_t r, const question *q)
{
    if (table->count == 0) {
        return HUGE_VAL;
    }
    gfp_cost_row key = table->rows[0]; /* the group */
    key.k = k;
    key.r = r;
    key.len_a = key.len_b = 0;
    size_t at = gfp_cost_lower_bound(table, &key); /* the first row with a radix >= r */
    size_t below = at - 1;                         /* SIZE_MAX, which is no row, for at = 0 */
    size_t above = at;
    if (at < table->count && table->rows[at].k == k && table->rows[at].r == r) {
        double own = answer_at(table, at, k, r, q);
        if (own < HUGE_VAL) {
            return own;
        }
        above = at + curve_at(table, at).count;
    }
    double cost_below = answer_at(table, below, k, r, q);
    double cost_above = answer_at(table, above, k, r, q);
    if (!(cost_below < HUGE_VAL) || !(cost_above < HUGE_VAL)) {
        return fmin(cost_below, cost_above);
    }
    return table->rows[above].r - r <= r - table->rows[below].r ? cost_above : cost_below;
}

double gfp_cost_log2(const gfp_cost_table *group, unsigned k, uint64_t r, size_t column,
                     const gfp_shape *shape, double m)
{
    const question q = {.column = column, .shape = shape, .m = m};
    return costs_answer(group, k, r, &q);
}

bool gfp_cost_read(const gfp_cost_table *group, const gfp_cost_point *at, gfp_cost_reading *reading,
                   const void *user, double *value)
{
    const question q = {.column = at->column,
                        .len_a = at->len_a,
                        .len_b = at->len_b,
                        .reading = reading,
                        .user = user};
    const double read = costs_answer(group, at->k, at->r, &q);
    if (!(read < HUGE_VAL)) {
        return false;
    }
    *value = read;
    return true;
}

static double follow_law(const gfp_shape *shape, double m)
{
    return shape->growth(m);
}

/* Twice the largest k of the table adds the step of the last doubling once more. */
double gfp_cost_log2_builtin(gfp_level level, unsigned k, size_t column, gfp_growth *growth,
                             double m)
{
    const gfp_cost_table *table = &builtin[gfp_level_measured(level)];
    const gfp_shape law = {.value = follow_law, .growth = growth};
    if (k <= BUILTIN_MAX_K) {
        return gfp_cost_log2(table, k, 0, column, &law, m);
    }
    return 2 * gfp_cost_log2(table, BUILTIN_MAX_K, 0, column, &law, m) -
           gfp_cost_log2(table, BUILTIN_MAX_K / 2, 0, column, &law, m);
}
