/* points.h: values at roots of unity, and interpolation, modulo the eight primes of a block at
 * once: for a bivariate polynomial all coefficients of powers of Y at a point of X, in the order in
 * which images (euclid.h) take them.
 *
 * n points are parts of m = 2^j points each, in order of falling m: part 0 has the m-th roots of
 * unity; part i > 0 has w times its m-th roots, w of order 2^(j0 + i) for m0 = 2^j0. The order of a
 * point says to which part the point belongs, so that all points differ. The points of a part stand
 * in the order of the node tree of X^m - 1 (fft/words/ntt_lazy.h): node v has X^(2h) - s^2, its
 * children X^h - s and X^h + s, s = s_v.
 *
 * Arrays are forms of the level (words_enter), eight words for each, aligned to 64 bytes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_BLOCKS_KERNELS_POINTS_H
#define GFP_CRT_BLOCKS_KERNELS_POINTS_H

#include "field/base/cpu.h"
#include "fft/words/block.h"

#define GFP_POINTS_PARTS 6

typedef struct gfp_points {
    size_t n; /* points of all parts */
    unsigned
        log2_group; /* points come in groups of L = 2^log2_group; the last one may be shorter */
    unsigned parts;
    struct {
        unsigned log2_m, log2_order; /* of the part, of w */
        size_t from;                 /* its first point */
    } part[GFP_POINTS_PARTS];
} gfp_points;

/* *p := about the least number of points that is at least n >= 1, by parts: L divides each m but
 * the last one, which may be a power of two below L. Returns false if the primes have too few roots
 * of unity: n > 2^20 - 2^15 or less than that. */
bool gfp_points_plan(gfp_points *p, size_t n, unsigned log2_group);
/* Groups; points of group g: a power of two. */
static inline size_t gfp_points_groups(const gfp_points *p)
{
    return (p->n + ((size_t)1 << p->log2_group) - 1) >> p->log2_group;
}
static inline size_t gfp_points_of_group(const gfp_points *p, size_t g)
{
    const size_t left = p->n - (g << p->log2_group);
    return left >> p->log2_group == 0 ? left : (size_t)1 << p->log2_group;
}

/* A bivariate polynomial by powers of X: column j, of rows[j] coefficients, has those of X^j Y^0,
 * X^j Y^1, ... The columns stand one after the other, and rows[j] do not increase. */
typedef struct gfp_points_columns {
    const uint64_t *c;
    const size_t *rows;
    size_t len_x, len_y;
} gfp_points_columns;

/* Two polynomials; values of both at a point are adjacent: len_y of a, then len_y of b. */
typedef struct gfp_points_pair {
    const gfp_points *points;
    const gfp_words *block;
    gfp_points_columns a, b;
} gfp_points_pair;

/* Words of the work areas of `group` and `interpolate`. Saturates. */
size_t gfp_points_group_words(const gfp_points_pair *pair);
size_t gfp_points_interpolate_words(const gfp_points *points);

typedef struct gfp_points_kernels {
    /* Residues in [0, q) become forms, n of them. */
    void (*enter)(const gfp_words *block, uint64_t *x, size_t n);
    /* x := the values at the points of group g. */
    void (*group)(const gfp_points_pair *pair, size_t g, uint64_t *x, uint64_t *work);
    /* x, n values, becomes the coefficients, residues in [0, q), of the polynomial of degree below
     * n that has them. */
    void (*interpolate)(const gfp_points *points, const gfp_words *block, uint64_t *x,
                        uint64_t *work);
} gfp_points_kernels;

extern const gfp_points_kernels gfp_points_portable;
#if GFP_X86_LEVELS || GFP_NEON_LEVEL
extern const gfp_points_kernels gfp_points_avx2, gfp_points_avx512dq, gfp_points_avx512;
#endif

const gfp_points_kernels *gfp_points_get(gfp_level level);

#endif
