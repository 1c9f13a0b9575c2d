/* axes.h: transforms of any length that divides p - 1.
 *
 * A length n = q_1^e_1 q_2^e_2 ... is an array with one axis for each prime power, by the Chinese
 * remainder theorem for its indices: the canonical root of order n is the product of those of these
 * orders, so that DFT_n is a transform along every axis, without twiddles between them (Good and
 * Thomas). Axes lie one inside the other, the last one innermost. A row of the table of kinds
 * transforms along an axis.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_AXES_H
#define GFP_FFT_AXES_H

#include "fft/impl.h"
#include "field/primes/factor.h"

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
    gfp_fft_plan *inner;   /* of the kind; may be NULL */
    uint64_t *table;       /* of the kind: `entries` elements */
    size_t entries;
};

typedef struct gfp_fft_axes {
    unsigned count;
    size_t *places;            /* of the n indices, in elements; NULL: the place is the index */
    uint64_t scale[GFP_MAX_K]; /* 1/N */
    gfp_fft_axis axis[GFP_MAX_FACTORS];
} gfp_fft_axes;

/* The kinds: powers of two by plans; radices by sums of products, level by level; Bluestein's chirp
 * by a convolution of a power of two. */
extern const gfp_fft_axis_kind gfp_fft_axis_power, gfp_fft_axis_radix, gfp_fft_axis_chirp;

/* Makes plan->axes for the length plan->n. The caller destroys the plan after an error. Errors:
 * NO_ROOT, MEMORY, SIZE. */
gfp_status gfp_fft_axes_make(gfp_fft_plan *plan, gfp_error *error);
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

#endif
