/* costs.h: tables of measured times, and the one way to read them: the curve of the field, or of
 * the nearest one with the same k, interpolated in the logarithm of the length. The compiled-in
 * tables, one per kernel level, and every gfp_tuning are such tables.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_COSTS_H
#define GFP_COSTS_H

#include <stdbool.h>

#include "cpu.h"
#include "gfpoly/methods.h"

/* Methods that a row has room for; the method table has no more (methods.c checks that). */
#define GFP_COST_COLUMNS 16

/* Times of an operation on random polynomials of len_a and len_b coefficients over r^k + 1, asked
 * for with so many threads, a column per method; 0: not measured. */
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

/* How time grows with the length 2^m where nothing was measured: its log2, up to a constant. */
typedef double gfp_growth(double m);

/* What a curve follows beyond its measured points, up to a constant: a law of growth for the
 * compiled-in table; for a tuning the compiled-in curve, which knows more than any law. */
typedef struct gfp_shape gfp_shape;
struct gfp_shape {
    double (*value)(const gfp_shape *shape, double m);
    gfp_growth *growth;     /* of a law */
    const gfp_field *field; /* of a compiled-in curve, */
    size_t method;          /* and its row of the method table */
};

/* The order of rows: negative, 0, positive. */
int gfp_cost_compare(const gfp_cost_row *x, const gfp_cost_row *y);
/* The first index whose row is not before key; count where there is none. */
size_t gfp_cost_lower_bound(const gfp_cost_table *table, const gfp_cost_row *key);

/* The rows of an operation on factors that lie there, asked for with so many threads. */
gfp_cost_table gfp_cost_group(const gfp_cost_table *table, unsigned operation, unsigned resident,
                              unsigned threads);

/* What a measured row says, in nanoseconds, of something that is interpolated; NAN: nothing. */
typedef double gfp_cost_reading(const void *user, const gfp_cost_row *row, double ns);

/* N of a product modulo X^N - 1, a power of two, that gives a whole product; at most 2^62. */
uint64_t gfp_cost_whole_length(uint64_t len_a, uint64_t len_b);

/* Of a group's rows for the column and the same field, or the radix nearest to r as below: their
 * readings, interpolated in the logarithm of the shorter length (of factors on a device: of the
 * whole length N, of which its methods' times are steps), and beyond the rows that of the last
 * one; and between rows whose factors are less and more unequal, by octaves, in the
 * logarithm of the lengths' ratio, beyond those that of the nearest. False: there are no such rows,
 * or in host memory only of equal factors where these are not. */
bool gfp_cost_read(const gfp_cost_table *group, unsigned k, uint64_t r, size_t column,
                   uint64_t len_a, uint64_t len_b, gfp_cost_reading *reading, const void *user,
                   double *value);

/* How many times as long one factor is as the other, rounded to a power of two: its logarithm. */
int gfp_cost_octave(uint64_t len_a, uint64_t len_b);

/* log2 of the nanoseconds of a column for two factors of length 2^m, a group given: on the curve of
 * (k, r); where the column was not measured for that, on the curve of the radix nearest to r below
 * or above it if the same kernels serve both. Between two measured lengths on a straight line,
 * outside of them by the shape. HUGE_VAL where neither has the column. Cost: O(log count) and the
 * length of a curve.
 */
double gfp_cost_log2(const gfp_cost_table *group, unsigned k, uint64_t r, size_t column,
                     const gfp_shape *shape, double m);

/* The same from the compiled-in table of a kernel level, whose columns are the rows of the method
 * table, for every k that a field may have. */
double gfp_cost_log2_builtin(gfp_level level, unsigned k, size_t column, gfp_growth *growth,
                             double m);

#endif
