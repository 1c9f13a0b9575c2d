/* exchange.h: the exchange of a matrix between two ways in which ranks have it: elements in blocks
 * one after the other (the coefficients of a polynomial, or the digits of leaves), or ranges of
 * columns. One host: the ranks' memory is shared, and pieces (crt/hybrid/columns.h) name the
 * places. Else: messages.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_RANKS_EXCHANGE_H
#define GFP_RANKS_EXCHANGE_H

#include "crt/hybrid/columns.h"
#include "ranks/comm.h"
#include "ranks/deal.h"

/* A matrix of n elements of k words: element i stands in row i / m, column i mod m. */
typedef struct gfp_mpi_grid {
    size_t n, m, k;
    gfp_mpi_deal linear;  /* of elements */
    gfp_mpi_deal columns; /* of the m columns */
} gfp_mpi_grid;

/* The columns of this rank are rows of as many elements as it has columns. Elements beyond n are
 * not written. linear and columns are this rank's parts. Errors: IO, not agreed. */
gfp_status gfp_mpi_to_columns(gfp_mpi *mpi, const gfp_mpi_grid *grid, const uint64_t *linear,
                              uint64_t *columns);
gfp_status gfp_mpi_to_linear(gfp_mpi *mpi, const gfp_mpi_grid *grid, uint64_t *linear,
                             const uint64_t *columns);

/* An array of elements of k words in the memory of all ranks. Each rank's block begins `offset`
 * words behind its memory. packed: a rank's first element stands at the begin of its block; else at
 * its place in the block of the whole deal. */
typedef struct gfp_mpi_array {
    gfp_mpi_deal deal;
    uint64_t *const *block;
    size_t offset, k;
    bool packed;
} gfp_mpi_array;
/* Where memory is shared: see gfp_hybrid_pieces.at. */
uint64_t *gfp_mpi_array_at(const void *array, size_t i, size_t *run);
/* The first element of a rank; any place in its block if it has none. */
uint64_t *gfp_mpi_array_mine(const gfp_mpi_array *array, int rank);

/* Moves the array, a matrix with rows of m elements, between its place and columns that are dealt.
 * slab: this rank's columns, row by row. Errors: IO, not agreed; ranks may read the
 * result, or write what was read, after they have agreed. */
gfp_status gfp_mpi_move(gfp_mpi *mpi, const gfp_mpi_array *x, size_t m, const gfp_mpi_deal *columns,
                        uint64_t *slab, bool to_slab);

/* This rank's columns, after or before an exchange. */
typedef struct gfp_mpi_slab {
    uint64_t *words;
    size_t m, from, width, k; /* columns from, ..., from + width - 1 of m */
} gfp_mpi_slab;
uint64_t *gfp_mpi_slab_at(const void *slab, size_t i, size_t *run);

#endif
