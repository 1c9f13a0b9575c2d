/* poly.h: the distributed polynomial inside the room.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_RANKS_POLY_H
#define GFP_RANKS_POLY_H

#include "ranks/deal.h"
#include "ranks/exchange.h"
#include "ranks/frame.h"
#include "ranks/memory.h"

struct gfp_mpi_poly {
    gfp_mpi *mpi;
    gfp_mpi_deal deal; /* of deal.n coefficients */
    gfp_mpi_memory memory;
};

/* Makes *a of n coefficients, contents undefined. Collective; errors agreed. */
gfp_status gfp_mpi_poly_make(gfp_mpi_poly *a, gfp_mpi *mpi, size_t n, gfp_error *error);
/* a := made, whose memory becomes that of a. */
void gfp_mpi_poly_take(gfp_mpi_poly *a, gfp_mpi_poly *made);
/* This rank's block. */
static inline uint64_t *gfp_mpi_poly_mine(const gfp_mpi_poly *a)
{
    return a->memory.block[a->mpi->rank];
}
static inline size_t gfp_mpi_poly_count(const gfp_mpi_poly *a)
{
    return gfp_mpi_deal_count(&a->deal, a->mpi->rank);
}
/* Coefficients from, ..., from + n - 1; and all of them. */
static inline gfp_mpi_array gfp_mpi_poly_range(const gfp_mpi_poly *a, size_t from, size_t n)
{
    return (gfp_mpi_array){gfp_mpi_deal_range(a->deal, from, n), a->memory.block, 0,
                           gfp_field_k(a->mpi->field), false};
}
static inline gfp_mpi_array gfp_mpi_poly_array(const gfp_mpi_poly *a)
{
    return gfp_mpi_poly_range(a, 0, a->deal.n);
}

/* The objects of a call: whether they have one context with a field. */
gfp_status gfp_mpi_objects(const gfp_mpi_poly *c, const gfp_mpi_poly *a, const gfp_mpi_poly *b,
                           const gfp_options *options);
/* The facts of two operands, which may be one. */
#define GFP_MPI_OPERAND_FACTS 3
void gfp_mpi_operand_facts(gfp_mpi_fact facts[GFP_MPI_OPERAND_FACTS], const gfp_mpi_poly *a,
                           const gfp_mpi_poly *b);

/* A call that brings polynomials to or from rank root: whether root is a rank, and what it passes,
 * over `field` (NULL: nothing), serves; not agreed. begin_gather: the begin of such a call. */
gfp_status gfp_mpi_check_root(const gfp_mpi *mpi, const gfp_field *field, int root,
                              gfp_error *error);
gfp_status gfp_mpi_begin_gather(gfp_mpi_frame *frame, const gfp_mpi_poly *a, int root,
                                const gfp_options *options);

/* y := a(x), from the values of the ranks' own blocks. Errors: IO, not agreed. */
gfp_status gfp_mpi_join_values(uint64_t *y, const gfp_mpi_poly *a, const uint64_t *x,
                               const uint64_t *mine);

/* check.c: whether c = a b at random points, by the call's options and its report. Agreed. */
gfp_status gfp_mpi_check_product(gfp_mpi_frame *frame, const gfp_mpi_poly *c, const gfp_mpi_poly *a,
                                 const gfp_mpi_poly *b);

#endif
