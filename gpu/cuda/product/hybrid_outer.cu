/* hybrid_outer.cu: the rounds of the outer DFT. See hybrid_outer.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/product/hybrid_outer.h"

#include "gpu/cuda/product/hybrid_digits.h"
#include "gpu/cuda/product/hybrid_outer.cuh"

using gfp_outer::forward_round;
using gfp_outer::forward_share;
using gfp_outer::inverse_round;
using gfp_outer::SHARED;
using gfp_outer::THREADS;

static unsigned log2_exact(uint64_t x)
{
    return (unsigned)__builtin_ctzll(x);
}

/* The levels of the first round of a tree (the last round of the inverse); the second round has the
 * rest. */
static unsigned upper_levels(unsigned log2_m)
{
    return log2_m <= gfp_outer::MAX_LOG ? log2_m : (log2_m + 1) / 2;
}

bool gfp_gpu_outer_serves(unsigned k, uint64_t r)
{
    return k >= 2 && k <= THREADS && gfp_hybrid::RADIX_MIN <= r && r <= gfp_hybrid::RADIX_MAX;
}

/* The arguments of a round of 2^levels points on each of the 2^log2_nodes nodes of each
 * polynomial. */
static gfp_gpu_outer_args outer_arguments(const gfp_gpu_outer *shape, unsigned log2_nodes,
                                          unsigned levels)
{
    gfp_gpu_outer_args a = {};
    a.r = shape->r;
    a.unit = 4194304.0 / (double)shape->r;
    a.n = (uint64_t)shape->leaf << (shape->log2_m - log2_nodes - levels);
    a.columns = ((uint64_t)shape->batch << log2_nodes) * a.n;
    a.log2_n = log2_exact(a.n);
    a.odd = a.n >> a.log2_n;
    a.log2_k = log2_exact(shape->k);
    a.log2_nodes = log2_nodes;
    return a;
}

/* The last round of the inverse divides by M. */
static void set_division(gfp_gpu_outer_args *args, const gfp_gpu_outer *shape)
{
    gfp_gpu_outer_args &a = *args;
    a.shift = shape->log2_m;
    a.most = log2_exact(shape->r);
    a.most = a.most < 8 ? a.most : 8;
}

static unsigned blocks_of(const gfp_gpu_outer_args *a)
{
    const uint64_t each = THREADS >> a->log2_k;
    return (unsigned)((a->columns + each - 1) / each);
}

gfp_status gfp_gpu_outer_forward(gfp_gpu *gpu, const gfp_gpu_outer *shape, int64_t *d,
                                 const uint64_t *x, size_t len, size_t stride)
{
    const unsigned upper = upper_levels(shape->log2_m), lower = shape->log2_m - upper;
    gfp_gpu_outer_args a = outer_arguments(shape, 0, upper);
    a.in = x;
    a.out = (uint64_t *)d;
    a.rows = len / a.n;
    a.rest = len % a.n;
    a.stride = (uint64_t)stride * shape->k;
    switch (upper) {
#define GFP_ROUND(LOG)                                                                             \
    case LOG:                                                                                      \
        GFP_LAUNCH(gpu, (forward_round<LOG, true>), blocks_of(&a), THREADS, SHARED, a);            \
        break
        GFP_ROUND(0);
        GFP_ROUND(1);
        GFP_ROUND(2);
        GFP_ROUND(3);
        GFP_ROUND(4);
        GFP_ROUND(5);
#undef GFP_ROUND
    }
    a = outer_arguments(shape, upper, lower);
    a.out = (uint64_t *)d;
    if (lower == 3) {
        GFP_LAUNCH(gpu, (forward_round<3, false>), blocks_of(&a), THREADS, SHARED, a);
    } else if (lower == 4) {
        GFP_LAUNCH(gpu, (forward_round<4, false>), blocks_of(&a), THREADS, SHARED, a);
    }
    return GFP_OK;
}

gfp_status gfp_gpu_outer_inverse(gfp_gpu *gpu, const gfp_gpu_outer *shape, uint64_t *c,
                                 size_t first, size_t n, size_t stride, int64_t *d)
{
    const unsigned upper = upper_levels(shape->log2_m), lower = shape->log2_m - upper;
    gfp_gpu_outer_args a = outer_arguments(shape, upper, lower);
    a.in = (const uint64_t *)d;
    a.out = (uint64_t *)d;
    if (lower == 3) {
        GFP_LAUNCH(gpu, (inverse_round<3, false>), blocks_of(&a), THREADS, SHARED, a);
    } else if (lower == 4) {
        GFP_LAUNCH(gpu, (inverse_round<4, false>), blocks_of(&a), THREADS, SHARED, a);
    }
    a = outer_arguments(shape, 0, upper);
    a.in = (const uint64_t *)d;
    a.out = c;
    a.first_row = first / a.n;
    a.first_column = first % a.n;
    a.rows = n / a.n;
    a.rest = n % a.n;
    a.stride = (uint64_t)stride * shape->k;
    set_division(&a, shape);
    switch (upper) {
#define GFP_ROUND(LOG)                                                                             \
    case LOG:                                                                                      \
        GFP_LAUNCH(gpu, (inverse_round<LOG, true>), blocks_of(&a), THREADS, SHARED, a);            \
        break
        GFP_ROUND(0);
        GFP_ROUND(1);
        GFP_ROUND(2);
        GFP_ROUND(3);
        GFP_ROUND(4);
        GFP_ROUND(5);
#undef GFP_ROUND
    }
    return GFP_OK;
}

/* ---- shares ---- */

gfp_status gfp_gpu_outer_forward_share(gfp_gpu *gpu, const gfp_gpu_outer_share *share, int64_t *d,
                                       const gfp_gpu_blocks *x, size_t len, unsigned first,
                                       unsigned count)
{
    /* The leaves are those of one node, or some of all. */
    const bool node = (count & (count - 1)) == 0 && first % count == 0;
    const unsigned log2_m = share->shape.log2_m, levels = node ? log2_exact(count) : log2_m;
    gfp_gpu_outer_args a = outer_arguments(&share->shape, 0, log2_m);
    a.part = a.n / share->parts;
    a.from = share->columns.from;
    a.width = share->columns.to - share->columns.from;
    a.columns = a.width * share->parts;
    if (a.columns == 0) {
        return GFP_OK;
    }
    a.blocks = *x;
    a.rows = len / a.n;
    a.rest = len % a.n;
    a.log2_nodes = log2_m - levels;
    a.node = node ? first / count : 0;
    a.first_leaf = first;
    a.leaves = count;
    a.out = (uint64_t *)d;
    switch (levels) {
#define GFP_ROUND(LOG)                                                                             \
    case LOG:                                                                                      \
        GFP_LAUNCH(gpu, forward_share<LOG>, blocks_of(&a), THREADS, SHARED, a);                    \
        break
        GFP_ROUND(0);
        GFP_ROUND(1);
        GFP_ROUND(2);
        GFP_ROUND(3);
        GFP_ROUND(4);
        GFP_ROUND(5);
#undef GFP_ROUND
    }
    return GFP_OK;
}
