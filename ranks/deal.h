/* deal.h: how elements are dealt to ranks: in blocks, one after the other.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_RANKS_DEAL_H
#define GFP_RANKS_DEAL_H

#include "field/base/support.h"

/* Rank `root` has the first `block` elements of n, the next rank the next ones; the last ranks may
 * have fewer, or none. block >= 1, and ranks block >= n. */
typedef struct gfp_mpi_deal {
    size_t n, block;
    int ranks, root;
} gfp_mpi_deal;

static inline gfp_mpi_deal gfp_mpi_deal_even(size_t n, int ranks)
{
    const size_t count = (size_t)ranks;
    return (gfp_mpi_deal){n, n == 0 ? 1 : (n - 1) / count + 1, ranks, 0};
}

/* All to one rank. */
static inline gfp_mpi_deal gfp_mpi_deal_root(size_t n, int ranks, int root)
{
    return (gfp_mpi_deal){n, n == 0 ? 1 : n, ranks, root};
}

/* The same deal of things that consist of `unit` elements each. */
static inline gfp_mpi_deal gfp_mpi_deal_units(gfp_mpi_deal deal, size_t unit)
{
    return (gfp_mpi_deal){deal.n * unit, deal.block * unit, deal.ranks, deal.root};
}

/* The rank has elements first <= i < end. */
static inline size_t gfp_mpi_deal_first(const gfp_mpi_deal *deal, int rank)
{
    const size_t part = (size_t)((rank - deal->root + deal->ranks) % deal->ranks);
    return part > deal->n / deal->block ? deal->n : gfp_size_min(part * deal->block, deal->n);
}

static inline size_t gfp_mpi_deal_end(const gfp_mpi_deal *deal, int rank)
{
    const size_t first = gfp_mpi_deal_first(deal, rank);
    return first + gfp_size_min(deal->block, deal->n - first);
}

static inline size_t gfp_mpi_deal_count(const gfp_mpi_deal *deal, int rank)
{
    return gfp_mpi_deal_end(deal, rank) - gfp_mpi_deal_first(deal, rank);
}

/* The rank that has element i < n. */
static inline int gfp_mpi_deal_owner(const gfp_mpi_deal *deal, size_t i)
{
    return (int)((i / deal->block + (size_t)deal->root) % (size_t)deal->ranks);
}

#endif
