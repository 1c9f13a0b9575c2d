/* gfpoly/mpi.h: polynomials over the ranks of a communicator of MPI (libgfpoly_mpi). No other
 * header includes mpi.h, and gfpoly.h does not include this one.
 *
 * The program calls MPI_Init and MPI_Finalize. The library never ends the process: its own
 * duplicates of the communicator return errors, and after each step all ranks agree on a status, so
 * that a call returns the same status, and the message of the least rank that failed, on every
 * rank. If MPI itself fails on a rank, the others are told, and every later call of the context
 * returns IO.
 *
 * Calls that end with options are collective: all ranks make them in the same order, with equal
 * options except for threads, memory_cap, progress, report, error and plan. A rank that makes no
 * call, or another one, keeps the others waiting. A context belongs to one thread at a time, the
 * one that MPI serves (MPI_THREAD_FUNNELED). Threads inside a call do not call MPI.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_MPI_H
#define GFPOLY_MPI_H

#include <mpi.h>

#include "gfpoly/dealer.h"
#include "gfpoly/options.h"
#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* A communicator, and a field or none. */
typedef struct gfp_mpi gfp_mpi;

/* Creates a context over the ranks of comm, which may be destroyed or used for anything afterwards.
 * field: the field of this rank, which outlives the context, the same one on all ranks; NULL on all
 * ranks: a context for calls that need no field. Errors, on all ranks alike: ARGUMENT (MPI is not
 * initialised, or was finalised; an intercommunicator; ranks have different options),
 * FIELD_MISMATCH, VERSION (ranks run different versions of the library, or different kernel levels
 * for their fields: GFPOLY_CPU sets one), MEMORY, IO (a call of MPI failed); *mpi is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_mpi_create(gfp_mpi **mpi, MPI_Comm comm,
                                                 const gfp_field *field,
                                                 const gfp_options *options);
/* Collective. Whatever was made with the context must be destroyed before. NULL is allowed. */
GFP_API void gfp_mpi_destroy(gfp_mpi *mpi);

/* This rank and the number of ranks. */
GFP_API int gfp_mpi_rank(const gfp_mpi *mpi);
GFP_API int gfp_mpi_ranks(const gfp_mpi *mpi);

/* Returns OK on all ranks if all ranks pass OK; else the status and the message of the least rank
 * that failed: for steps of the program's own. Ranks pass their own error and message in *error,
 * which may be NULL, and receive the agreed one there. Collective. Errors: IO. */
GFP_API GFP_MUST_CHECK gfp_status gfp_mpi_agree(gfp_mpi *mpi, gfp_status status, gfp_error *error);

/* ---- modular methods over Z ---- */

/* *dealer := a dealer (gfpoly/dealer.h) of calls over Z on all ranks of the context, which must
 * outlive it. All ranks make the same calls on the same operands, and get the same results; images
 * are dealt out to them as they finish earlier ones. A call fails on all ranks if it fails on one.
 * checkpoint: NULL, or on rank 0, which alone reads and writes it, the file of gfp_dealer_create.
 * Collective. Errors, on all ranks alike: those of gfp_dealer_create, and IO. gfp_dealer_destroy
 * frees the dealer. */
GFP_API GFP_MUST_CHECK gfp_status gfp_mpi_create_dealer(gfp_dealer **dealer, gfp_mpi *mpi,
                                                        const char *checkpoint, gfp_error *error);

GFP_END_DECLS
#endif
