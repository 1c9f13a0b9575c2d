/* comm.h: the context of calls over ranks: its communicators, waiting for messages, and the status
 * that all ranks agree on.
 *
 * A rank whose call of MPI fails tells all others by a message (the alarm) on a communicator of its
 * own, and its context is broken from then on: every call returns the same error. A rank that waits
 * for a message also looks for an alarm. So no rank waits for one that has given up.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_RANKS_COMM_H
#define GFP_RANKS_COMM_H

#include "field/base/support.h"
#include "gfpoly/elem.h"
#include "gfpoly/mpi.h"
#include "poly/binary.h"
#include "ranks/seam.h"

/* The facts of a step (gfp_mpi_same), and the words of their reduction, which are the most of any.
 */
#define GFP_MPI_FACTS 15
#define GFP_MPI_WORDS (1 + 2 * GFP_MPI_FACTS)

/* A block of words on each rank: ranks/memory.h. */
typedef struct gfp_mpi_memory {
    size_t words;     /* of each block */
    uint64_t **block; /* by rank, in this rank's address space; only its own unless mpi->direct */
    struct gfp_mpi_memory_head *head; /* private to memory.c */
} gfp_mpi_memory;
#define GFP_MPI_SPARES 4

/* The words of a message. */
#define GFP_MPI_CHUNK ((size_t)1 << 17)

struct gfp_mpi {
    MPI_Comm comm, alarm; /* two duplicates of the program's communicator */
    int rank, size;
    int local; /* this rank's number among those of its host */
    const gfp_field *field; /* NULL: none */
    gfp_allocator allocator;
    bool temporary;   /* the context lies on a stack, and makes blocking calls only */
    gfp_error broken; /* status OK: nothing is broken */
    /* The buffers of calls that do not block. A call that was given up may use them for ever: a
     * broken context is never freed, and `next` leads to the one that broke before. */
    gfp_error alarm_sent, message;
    uint64_t sent[GFP_MPI_WORDS], received[GFP_MPI_WORDS];
    gfp_binary_state relayed; /* the checksum of a file, from the rank before or to the next one */
    struct gfp_mpi *next;
    uint64_t *gathered; /* what gfp_mpi_gather leaves: GFP_MPI_GATHERED words of each rank */
    bool direct;        /* ranks read and write all blocks of memory; else they send messages */
    uint64_t *chunks;   /* without direct: four messages */
    gfp_mpi_memory spare[GFP_MPI_SPARES]; /* blocks kept for later calls */
    uint64_t serial;                      /* of the blocks that were made last */
};

/* ---- failures of MPI ---- */

/* Returns OK if code is MPI_SUCCESS; else breaks the context, whose other ranks are told. `name` is
 * that of the call. */
gfp_status gfp_mpi_check(gfp_mpi *mpi, int code, const char *name);
/* Breaks the context for a reason that is none of MPI, unless it is broken. Returns its status. */
gfp_status gfp_mpi_break(gfp_mpi *mpi, const char *reason);
/* Returns OK, or the status of a broken context, and then fills *error (may be NULL). Looks for an
 * alarm. */
gfp_status gfp_mpi_state(gfp_mpi *mpi, gfp_error *error);
/* The same without a search for an alarm. */
gfp_status gfp_mpi_broken(const gfp_mpi *mpi, gfp_error *error);
/* Waits for the request, which is null afterwards. Errors: IO; the request may still be active, and
 * its buffers must stay: see gfp_mpi_give_up. */
gfp_status gfp_mpi_wait(gfp_mpi *mpi, MPI_Request *request, const char *name);
/* Ends a request of isend or irecv after a failure. */
void gfp_mpi_give_up(MPI_Request *request);

/* ---- what all ranks know ---- */

/* x[i] := the greatest x[i] of all ranks, n <= GFP_MPI_WORDS. Errors: IO. */
gfp_status gfp_mpi_max(gfp_mpi *mpi, uint64_t *x, size_t n);
/* mpi->gathered := x of all ranks, one after the other, n <= GFP_MPI_GATHERED words each. Errors:
 * IO. */
#define GFP_MPI_GATHERED GFP_MAX_K
gfp_status gfp_mpi_gather(gfp_mpi *mpi, const uint64_t *x, size_t n);
/* bytes of rank root to all ranks, at most sizeof(gfp_error). Errors: IO. */
gfp_status gfp_mpi_broadcast(gfp_mpi *mpi, void *data, size_t bytes, int root);

/* A number that must be the same on all ranks. */
typedef struct gfp_mpi_fact {
    const char *name; /* for the message: "lengths" */
    uint64_t value;
    gfp_status status; /* if ranks differ */
} gfp_mpi_fact;

/* Agrees on the status of a step, as gfp_mpi_agree does, and that all ranks have the same facts, at
 * most GFP_MPI_FACTS of them; a rank that has fewer facts has zeros in their place. One reduction
 * of always the same number of words, if nothing fails: ranks that are at different steps notice
 * it. */
gfp_status gfp_mpi_same(gfp_mpi *mpi, const gfp_mpi_fact *facts, size_t count, gfp_status status,
                        gfp_error *error);

/* The caller's place for an error, also in options that this version refuses; NULL: there is none.
 * *error := what it says of such options, by a call that returned the status. */
gfp_error *gfp_mpi_caller_error(gfp_error *error, const gfp_options *options, gfp_status status);

/* A number of the text, for facts. */
uint64_t gfp_mpi_text_fact(const char *text);
/* The facts of a call's options: method, verify, verify_seed; returns their number. */
#define GFP_MPI_OPTION_FACTS 3
size_t gfp_mpi_option_facts(gfp_mpi_fact *facts, const gfp_options *options);

#endif
