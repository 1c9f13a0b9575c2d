/* axes.h: transforms of any length that divides p - 1, in any number of dimensions, at any roots.
 *
 * A dimension of length n = q_1^e_1 q_2^e_2 ... is an array with one axis for each prime power, by
 * the Chinese remainder theorem for its indices: a root of order n is a product of roots of these
 * orders, so that DFT_n is a transform along every axis, without twiddles between them (Good and
 * Thomas). Axes of all dimensions lie one inside the other, the last one innermost. A row of the
 * table of kinds transforms along an axis.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_AXES_H
#define GFP_FFT_AXES_H

#include "fft/impl.h"

/* Axes have length 2 at least. */
#define GFP_FFT_MAX_AXES 63

typedef struct gfp_fft_axis gfp_fft_axis;

typedef struct gfp_fft_axis_kind {
    const char *name;
    /* Returns the units of a transform of axis->length points; infinite if the kind cannot serve
     * this axis. */
    double (*units)(const gfp_fft_axis *axis);
    /* Makes the tables for the root of order axis->length, and sets axis->columns. Errors: MEMORY,
     * SIZE. release gets axes that were prepared, or not entirely. */
    gfp_status (*prepare)(gfp_fft_axis *axis, const uint64_t *root, gfp_error *error);
    /* Returns the words of work area of a thread. */
    size_t (*words)(const gfp_fft_axis *axis);
    /* Transforms the columns of axis->length rows of `columns` elements from x, in place. Values
     * are in natural order unless `permuted`. inverse: axis->length times the inverse. work has
     * `words` words for each thread of the task. False: cancelled. */
    bool (*run)(const gfp_fft_axis *axis, uint64_t *x, size_t columns, bool inverse, bool permuted,
                uint64_t *work, gfp_task *task);
} gfp_fft_axis_kind;

struct gfp_fft_axis {
    const gfp_fft_axis_kind *kind;
    const gfp_field *field;
    size_t length, stride; /* the elements of a column lie `stride` elements apart */
    size_t prime;          /* length is a power of this prime */
    size_t columns;        /* the most columns that the kind transforms at once */
    size_t multiplier;     /* the value at index i is that of the root's index i multiplier */
    gfp_fft_plan *inner;   /* of the kind; may be NULL */
    uint64_t *table;       /* of the kind: `entries` elements */
    size_t entries;
};

typedef struct gfp_fft_axes {
    unsigned dimensions, count;
    size_t length[GFP_FFT_MAX_AXES];      /* of the dimensions longer than 1 */
    unsigned first[GFP_FFT_MAX_AXES + 1]; /* dimension d has the axes first[d] to first[d + 1] */
    /* Unless NULL: for each dimension the place of index i, in elements, of inputs and then of
     * values. NULL: the place is the index. */
    size_t *places;
    size_t place_count;
    uint64_t scale[GFP_MAX_K]; /* 1/N */
    gfp_fft_axis axis[GFP_FFT_MAX_AXES];
} gfp_fft_axes;

/* The kinds: powers of two by plans; radices by sums of products, level by level; Bluestein's chirp
 * by a convolution of a power of two. */
extern const gfp_fft_axis_kind gfp_fft_axis_power, gfp_fft_axis_radix, gfp_fft_axis_chirp;

/* Makes plan->axes for these lengths, whose product is plan->n. root: NULL, or the root of order
 * length[0] for one dimension. The caller destroys the plan after an error. Errors: NO_ROOT,
 * MEMORY, SIZE. */
gfp_status gfp_fft_axes_make(gfp_fft_plan *plan, const size_t *length, unsigned dimensions,
                             const uint64_t *root, gfp_error *error);
void gfp_fft_axes_destroy(gfp_fft_plan *plan);
size_t gfp_fft_axes_bytes(const gfp_fft_plan *plan);

/* The words of a transform: once, and for each thread. */
size_t gfp_fft_axes_shared(const gfp_fft_plan *plan);
size_t gfp_fft_axes_each(const gfp_fft_plan *plan);
double gfp_fft_axes_units(const gfp_fft_plan *plan);

/* y := the transform of x, or N times the inverse, by plan->axes; y may equal x. False: cancelled.
 */
bool gfp_fft_axes_run(const gfp_fft_plan *plan, uint64_t *y, const uint64_t *x, bool inverse,
                      bool permuted, uint64_t *area, gfp_task *task);

/* ---- roots of unity (roots.c) ---- */

/* root := the canonical root of order prime^exponent. Errors: NO_ROOT. */
gfp_status gfp_fft_prime_power_root(const gfp_field *field, uint64_t *root, uint64_t prime,
                                    unsigned exponent);
/* Checks that the order of root is n. Errors: ARGUMENT, RANGE (digits that are not canonical). */
gfp_status gfp_fft_check_root(const gfp_field *field, const uint64_t *root, size_t n,
                              gfp_error *error);
/* part := the factor of order `length` of a root of order n, where length and n / length are
 * coprime: root^e, e = 1 modulo length, e = 0 modulo n / length. */
void gfp_fft_part_of_root(const gfp_field *field, uint64_t *part, const uint64_t *root, size_t n,
                          size_t length);
/* *logarithm := the j < 2^m with x = w^j, for the canonical root w of order 2^m and a power x of
 * it. Errors: NO_ROOT (no such w). */
gfp_status gfp_fft_logarithm(const gfp_field *field, size_t *logarithm, const uint64_t *x,
                             unsigned m);

#endif
