/* memory.h: a block of words on each rank. Between ranks of one host the blocks are mappings of one
 * file without a name for each rank, which every rank maps, so that ranks read and write all blocks
 * without messages.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_RANKS_MEMORY_H
#define GFP_RANKS_MEMORY_H

#include "ranks/comm.h"

/* Creates blocks of `words` words on each rank, contents undefined, or takes one that was destroyed
 * before. Collective; all ranks pass the same number. Without memory for new blocks all ranks free
 * those that their contexts keep, and try once more. Errors, agreed: MEMORY, SIZE, ARGUMENT (the
 * blocks that were destroyed differ between ranks), UNAVAILABLE (ranks cannot share memory, for a
 * reason that is not the amount of memory), IO; *memory is unchanged. */
gfp_status gfp_mpi_memory_create(gfp_mpi_memory *memory, gfp_mpi *mpi, size_t words,
                                 gfp_error *error);
/* All ranks have ended their reads and writes. The context keeps the longest few blocks for later
 * calls. Between two creations ranks may destroy blocks in any order. */
void gfp_mpi_memory_destroy(gfp_mpi_memory *memory, gfp_mpi *mpi);
/* Frees the blocks that the context keeps. */
void gfp_mpi_memory_forget(gfp_mpi *mpi);

#endif
