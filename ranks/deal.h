/* deal.h: how elements are dealt to ranks: in blocks, one after the other.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_RANKS_DEAL_H
#define GFP_RANKS_DEAL_H

#include "field/base/support.h"

/* Rank `root` has the first `block` elements of n, the next rank the next ones; the last ranks may
 * have fewer, or none. block >= 1, and ranks block >= skip + n. A range of a longer deal has
 * skip > 0: the blocks begin this number of elements before the first one. */
typedef struct gfp_mpi_deal {
    size_t n, block;
    int ranks, root;
    size_t skip;
} gfp_mpi_deal;

static inline gfp_mpi_deal gfp_mpi_deal_even(size_t n, int ranks)
{
    const size_t count = (size_t)ranks;
    return (gfp_mpi_deal){n, n == 0 ? 1 : (n - 1) / count + 1, ranks, 0, 0};
}

/* All to one rank. */
static inline gfp_mpi_deal gfp_mpi_deal_root(size_t n, int ranks, int root)
{
    return (gfp_mpi_deal){n, n == 0 ? 1 : n, ranks, root, 0};
}

/* The same deal of things that consist of `unit` elements each. */
static inline gfp_mpi_deal gfp_mpi_deal_units(gfp_mpi_deal deal, size_t unit)
{
    return (gfp_mpi_deal){deal.n * unit, deal.block * unit, deal.ranks, deal.root,
                          deal.skip * unit};
}

/* Elements from <= i < from + n of a deal without skip. */
static inline gfp_mpi_deal gfp_mpi_deal_range(gfp_mpi_deal deal, size_t from, size_t n)
{
    return (gfp_mpi_deal){n, deal.block, deal.ranks, deal.root, from};
}

/* The number of the rank's block. */
static inline size_t gfp_mpi_deal_part(const gfp_mpi_deal *deal, int rank)
{
    return (size_t)((rank - deal->root + deal->ranks) % deal->ranks);
}

/* The first element from block number `part` on; n: none. */
static inline size_t gfp_mpi_deal_edge(const gfp_mpi_deal *deal, size_t part)
{
    if (part > (deal->skip + deal->n) / deal->block) {
        return deal->n;
    }
    const size_t at = part * deal->block;
    return at > deal->skip ? gfp_size_min(at - deal->skip, deal->n) : 0;
}

/* The rank has elements first <= i < end. */
static inline size_t gfp_mpi_deal_first(const gfp_mpi_deal *deal, int rank)
{
    return gfp_mpi_deal_edge(deal, gfp_mpi_deal_part(deal, rank));
}

static inline size_t gfp_mpi_deal_end(const gfp_mpi_deal *deal, int rank)
{
    return gfp_mpi_deal_edge(deal, gfp_mpi_deal_part(deal, rank) + 1);
}

/* The place of the rank's first element in its block, if it has one. */
static inline size_t gfp_mpi_deal_place(const gfp_mpi_deal *deal, int rank)
{
    const size_t at = gfp_mpi_deal_part(deal, rank) * deal->block;
    return at < deal->skip ? deal->skip - at : 0;
}

static inline size_t gfp_mpi_deal_count(const gfp_mpi_deal *deal, int rank)
{
    return gfp_mpi_deal_end(deal, rank) - gfp_mpi_deal_first(deal, rank);
}

/* The rank that has element i < n. */
static inline int gfp_mpi_deal_owner(const gfp_mpi_deal *deal, size_t i)
{
    return (int)(((i + deal->skip) / deal->block + (size_t)deal->root) % (size_t)deal->ranks);
}

#endif
