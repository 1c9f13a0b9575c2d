/* frame.h: the frame of a call over ranks: that of a call (field/base/call.h), begun on all ranks
 * at once.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_RANKS_FRAME_H
#define GFP_RANKS_FRAME_H

#include "field/base/call.h"
#include "ranks/comm.h"

typedef struct gfp_mpi_frame {
    gfp_mpi *mpi;
    gfp_call call;
} gfp_mpi_frame;

/* Begins a call: all ranks have the same facts, at most GFP_MPI_FACTS - 1 - GFP_MPI_OPTION_FACTS of
 * them, and equal options. A call that was not begun is not ended; the caller's error is filled. */
gfp_status gfp_mpi_begin(gfp_mpi_frame *frame, gfp_mpi *mpi, const char *name,
                         const gfp_options *options, const gfp_mpi_fact *facts, size_t count);
/* A call that cannot begin on this rank, for the reason: ARGUMENT on all ranks. mpi NULL: no
 * context is known, and the other ranks are not told. */
gfp_status gfp_mpi_refuse(gfp_mpi *mpi, const gfp_options *options, const char *reason);
/* Agrees on the status of a step. */
gfp_status gfp_mpi_step(gfp_mpi_frame *frame, gfp_status status);
/* Ends the call with a status that was agreed. */
gfp_status gfp_mpi_finish(gfp_mpi_frame *frame, gfp_status status);

#endif
