/* images.h: resultants of two bivariate polynomials at many points, modulo blocks of word-size
 * primes (fft/words/block.h), on a device: values at groups of eight points, then Euclid's
 * algorithm without divisions, a thread for each point and prime (gpu/cuda/vector/images_arith.h).
 * crt/blocks/kernels/points.h has the points and their order, crt/blocks/kernels/euclid.h the same
 * resultants on the CPU.
 *
 * Only regular images are computed: those whose sequence of remainders has the expected degrees.
 * The others are marked; the caller computes them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_IMAGES_H
#define GFP_GPU_IMAGES_H

#include "gfpoly/gpu.h"
#include "fft/words/block.h"

GFP_BEGIN_DECLS

/* log2 of the points of a group. */
#define GFP_GPU_IMAGES_LOG2_GROUP 3
#define GFP_GPU_IMAGES_PARTS 6
/* In the place of an image that is not regular: no residue. */
#define GFP_GPU_IMAGES_IRREGULAR UINT64_MAX

/* Part of the points: w times the roots of unity of order 2^log2_m, w of order 2^log2_order. */
typedef struct gfp_gpu_images_part {
    uint32_t log2_m, log2_order;
    size_t from; /* the first point */
} gfp_gpu_images_part;

/* Both polynomials by powers of X: column j has rows[j] > 0 coefficients, of Y^0, Y^1, ...; rows[j]
 * do not increase, and rows[0] = len_y. */
typedef struct gfp_gpu_images_columns {
    const size_t *rows;
    size_t len_x, len_y;
} gfp_gpu_images_columns;

typedef struct gfp_gpu_images_shape {
    gfp_gpu_images_columns columns_of[2]; /* each with len_y >= 2 */
    gfp_gpu_images_part part[GFP_GPU_IMAGES_PARTS];
    uint32_t parts;
    size_t points; /* of all parts, which are whole groups */
    size_t blocks; /* most blocks of a run */
} gfp_gpu_images_shape;

/* Device memory and tables for images of one shape. */
typedef struct gfp_gpu_images gfp_gpu_images;

/* Blocks of a run: as an input of gfp_gpu_images_begin; residues are at z + j step_z for block j:
 * in [0, q), those of both polynomials one after the other. */
typedef struct gfp_gpu_images_run {
    const gfp_words *const *block;
    size_t count;
    const uint64_t *z;
    size_t step_z;
} gfp_gpu_images_run;

/* *images := a plan for this shape; the plan keeps no pointer into the shape. The plan takes fewer
 * blocks than shape->blocks if memory or its cap is short: gfp_gpu_images_blocks. Errors:
 * UNAVAILABLE (the backend lacks images, or the polynomials are too long for the device), MEMORY,
 * SIZE, DEVICE; *images is unchanged. */
GFP_MUST_CHECK gfp_status gfp_gpu_images_create(gfp_gpu_images **images, gfp_gpu *gpu,
                                                const gfp_gpu_images_shape *shape);
/* Waits for enqueued work. NULL is allowed. */
void gfp_gpu_images_destroy(gfp_gpu_images *images);
/* The most blocks of a run. */
size_t gfp_gpu_images_blocks(const gfp_gpu_images *images);
/* Uploads the residues and enqueues the work; returns before the work is done, but z may change.
 * The results of the run before must have been read. Errors: DEVICE. */
GFP_MUST_CHECK gfp_status gfp_gpu_images_begin(gfp_gpu_images *images,
                                               const gfp_gpu_images_run *run);
/* Waits for the run. values[j step + 8 i + l] := the resultant at point i modulo prime l of block
 * j, in [0, q), or IRREGULAR; words from 8 points on are undefined. step: (points + 1) 8. Errors:
 * DEVICE. */
GFP_MUST_CHECK gfp_status gfp_gpu_images_end(gfp_gpu_images *images, uint64_t *values);

/* ---- the interface of a backend ---- */

/* What the kernels take: addresses of the device. The work is for `count` primes from number
 * `first` of the run on; prime i is in lane i % 8 of block i / 8. */
typedef struct gfp_gpu_images_work {
    const uint64_t *z;
    const double *primes;    /* GFP_GPU_IMAGES_CONSTANTS for each prime of the run */
    const uint32_t *columns; /* the columns that reach row y, for the rows of both; then the first
                                coefficient of each column of a, of b */
    double *powers;          /* [prime][power][group] */
    double *values;          /* [prime][row][point] */
    uint64_t *results;
    size_t step_z, step;
    size_t first, count;
    size_t points, groups;
    size_t len_x[2], len_y[2], powers_each; /* powers_each: the longer len_x */
    gfp_gpu_images_part part[GFP_GPU_IMAGES_PARTS];
    uint32_t parts;
} gfp_gpu_images_work;

/* q, 1 / q, and the roots of unity of orders 2^2, ..., 2^24, least in absolute value. */
#define GFP_GPU_IMAGES_CONSTANTS (2 + GFP_WORDS_LOG2_ORDER - 1)

typedef struct gfp_gpu_images_calls {
    /* The greatest sum of both len_y that the device serves. */
    size_t (*most)(const gfp_gpu *gpu);
    /* Enqueues powers, values and images. */
    gfp_status (*run)(gfp_gpu *gpu, const gfp_gpu_images_work *work);
} gfp_gpu_images_calls;

GFP_END_DECLS
#endif
