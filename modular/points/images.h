/* images.h: polynomials in X over Z from their images. The coefficients of bivariate polynomials
 * are evaluated at points of X modulo blocks of word-size primes; an image, computed from the
 * values at a point, is the value of the results there; interpolation and the Chinese remainder
 * theorem make the results. Bounds of the results say beforehand how many points and primes
 * suffice; images are right at every point and modulo every prime, so that none is unlucky.
 *
 * A kind of image is a row gfp_zimage_kind: resultants (resultant.c), determinants and
 * characteristic polynomials (matrix_images.c).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_POINTS_IMAGES_H
#define GFP_MODULAR_POINTS_IMAGES_H

#include "modular/bivariate.h"
#include "modular/residues.h"

typedef struct gfp_zimages gfp_zimages;

/* Values at some points, forms of the level: at a point those of the coefficients of of[0], then of
 * of[1], point after point. Result o at point i goes to r + (o step + i) GFP_WORDS. */
typedef struct gfp_zimage_group {
    const gfp_words *block;
    gfp_level level;
    uint64_t *x; /* an image may destroy the values */
    size_t points;
    uint64_t *r;
    size_t step;
} gfp_zimage_group;

typedef struct gfp_zimage_kind {
    /* Words of the work area for this number of points. Saturates. */
    size_t (*words)(const gfp_zimages *images, size_t points);
    void (*compute)(const gfp_zimages *images, const gfp_zimage_group *group, uint64_t *work);
} gfp_zimage_kind;

/* The coefficients of results, X^0 to X^degree, are below 2^bits in absolute value. */
struct gfp_zimages {
    const gfp_zimage_kind *kind;
    const gfp_zbipoly *operand[2]; /* the second one may be NULL */
    size_t n;                      /* rows of a matrix */
    size_t results, degree, bits;
    double cost;    /* of an image, in vectors of products */
    bool on_device; /* a device computes the images, if it can; one resultant alone */
};

/* r := the results, one after the other, degree + 1 integers of gfp_z_width(bits) limbs each,
 * modulo the blocks of the supply from `first` on, up to the fraction `to` of the call. Reports the
 * method. If a device fails, and the options do not name its method, the CPU goes on. Errors:
 * MEMORY, SIZE, CANCELLED; those of a device. */
gfp_status gfp_zimages_compute(gfp_zcall *call, uint64_t *r, const gfp_zimages *images,
                               size_t first, double to);
/* The blocks that suffice. */
size_t gfp_zimages_blocks(const gfp_zimages *images);
/* Compares r with images at a random point modulo each of eight random primes; adds to the report.
 * Errors: VERIFY, MEMORY, UNAVAILABLE (no seed). */
gfp_status gfp_zimages_check(gfp_zcall *call, const uint64_t *r, const gfp_zimages *images);

/* *log2_norm := at least log2 of the maximum of sqrt(sum_j |f_j(x)|^2) over |x| = 1, f_j the
 * coefficients of f, -HUGE_VAL if all are 0; by sums of absolute values if samples take more than
 * `products`. Errors: SIZE, MEMORY. */
gfp_status gfp_zimages_norm(gfp_zcall *call, double *log2_norm, const gfp_zbipoly *f,
                            double products);
/* *bits := the bits of numbers below 2^log2, which may be -HUGE_VAL. Errors: SIZE. */
gfp_status gfp_zimages_bits(size_t *bits, double log2);

#endif
