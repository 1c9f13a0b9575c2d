/* bipoly_group.h: Euclid's algorithm for the images of several points side by side, in given
 * memory.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_BIPOLY_GROUP_H
#define GFP_BIPOLY_GROUP_H

#include "gfpoly/elem.h"

/* Points of a group. */
#define GFP_GROUP ((size_t)8)

/* Images of n <= GFP_GROUP points: the coefficients of a, then those of b, of one point after the
 * other. Both lengths are at least 1. */
typedef struct gfp_group_images {
    const gfp_field *field;
    const uint64_t *values;
    size_t len_a, len_b, n;
} gfp_group_images;

/* The room, in elements, for the functions below. */
size_t gfp_group_room(size_t len_a, size_t len_b);
/* num_i / den_i, i < n, := the resultants; see gfp_image_resultant. */
void gfp_group_resultants(const gfp_group_images *w, uint64_t *num, uint64_t *den, uint64_t *room);
/* The greatest common divisor of each point up to a constant: its length in len[i], and its
 * coefficients in g, `stride` elements for each point, where it is not longer than that, else
 * len[i] = 0. */
void gfp_group_gcds(const gfp_group_images *w, uint64_t *g, size_t *len, size_t stride,
                    uint64_t *room);

#endif
