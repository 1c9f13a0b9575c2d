/* costs.h: tables of measured times, and the one way to read them: the curve of the field, or of
 * the nearest radix with the same k, interpolated in the logarithm of the length. The compiled-in
 * tables, one per kernel level, and every gfp_tuning are such tables.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_METHODS_COSTS_H
#define GFP_PRODUCT_METHODS_COSTS_H

#include <stdbool.h>

#include "field/base/cpu.h"
#include "gfpoly/methods.h"

/* Columns of a row: one per method. The method table has no more rows (product/rows.c checks that).
 */
#define GFP_COST_COLUMNS 16

/* Times of an operation on random polynomials of len_a and len_b coefficients over r^k + 1, with
 * this number of threads requested; a column per method; 0: not measured. */
typedef struct gfp_cost_row {
    unsigned operation; /* a gfp_operation */
    unsigned resident;  /* a gfp_residence */
    unsigned threads;
    unsigned k;
    uint64_t r;
    uint64_t len_a, len_b;
    double ns[GFP_COST_COLUMNS];
    int octave; /* gfp_cost_octave of the lengths */
} gfp_cost_row;

/* Rows in ascending order of (operation, resident, threads, k, r, len_a, len_b), no two alike. */
typedef struct gfp_cost_table {
    const gfp_cost_row *rows;
    size_t count;
} gfp_cost_table;

/* log2 of the time at length 2^m, up to a constant: how time grows where nothing was measured. */
typedef double gfp_growth(double m);

/* The continuation of a curve beyond its measured points, up to a constant: for the compiled-in
 * table a law of growth; for a tuning the compiled-in curve, which is more exact. */
typedef struct gfp_shape gfp_shape;
struct gfp_shape {
    double (*value)(const gfp_shape *shape, double m);
    gfp_growth *growth;     /* a law */
    const gfp_field *field; /* a compiled-in curve: its field, */
    size_t method;          /* and its row of the method table */
};

/* The order of rows: negative, 0, positive. */
int gfp_cost_compare(const gfp_cost_row *x, const gfp_cost_row *y);
/* The first index whose row is not before key; count if every row is. */
size_t gfp_cost_lower_bound(const gfp_cost_table *table, const gfp_cost_row *key);

/* The rows of an operation, a residence and a number of threads. */
gfp_cost_table gfp_cost_group(const gfp_cost_table *table, unsigned operation, unsigned resident,
                              unsigned threads);

/* Converts a measured row, in nanoseconds, to the quantity that is interpolated; NAN: the row has
 * no such value. */
typedef double gfp_cost_reading(const void *user, const gfp_cost_row *row, double ns);

/* The least power of two N, at most 2^62, for which a product modulo X^N - 1 is the whole
 * product. */
uint64_t gfp_cost_whole_length(uint64_t len_a, uint64_t len_b);

/* A value to look for: a column, the field (k, r), and the lengths of two factors. */
typedef struct gfp_cost_point {
    size_t column;
    unsigned k;
    uint64_t r, len_a, len_b;
} gfp_cost_point;

/* *value := the reading at a point, from the group's rows that have a time in the column, for the
 * field or the nearest radix as in gfp_cost_log2; `user` is for the reading. A row of exactly these
 * lengths gives its own reading. Otherwise the rows of one octave are interpolated in the logarithm
 * of the shorter length (on a device: of the whole length N, since times there are steps of N);
 * outside these rows the nearest reading holds. Between two octaves readings are interpolated in
 * the logarithm of the lengths' ratio; outside the octaves the nearest one holds. False: no such
 * rows exist; or, in host memory, len_a and len_b differ and all rows are of equal lengths. */
bool gfp_cost_read(const gfp_cost_table *group, const gfp_cost_point *at, gfp_cost_reading *reading,
                   const void *user, double *value);

/* log2 of the ratio of the longer length to the shorter, rounded to an integer. */
int gfp_cost_octave(uint64_t len_a, uint64_t len_b);

/* log2 of the nanoseconds of a column for two factors of length 2^m, in a group: on the curve of
 * (k, r); if the column was not measured for it, on the curve of the nearest radix below or above r
 * that the same kernels serve. A straight line between two measured lengths, the shape outside of
 * them. HUGE_VAL if no such curve has the column. Cost: O(log count) and the length of a curve. */
double gfp_cost_log2(const gfp_cost_table *group, unsigned k, uint64_t r, size_t column,
                     const gfp_shape *shape, double m);

/* gfp_cost_log2 for the compiled-in table of a kernel level, whose columns are the rows of the
 * method table, for every k that a field may have. */
double gfp_cost_log2_builtin(gfp_level level, unsigned k, size_t column, gfp_growth *growth,
                             double m);

#endif
