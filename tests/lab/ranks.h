/* ranks.h: test programs that run under mpirun. A failed assertion ends the program on all ranks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_RANKS_H
#define TESTS_LAB_RANKS_H

#include "lab/fixtures.h"
#include "lab/rows.h"

#include "gfpoly/mpi.h"
#include "gfpoly/zbipoly.h"

extern int ranks_rank, ranks_size;

/* MPI_Init and the watchdog; only rank 0 has standard output. Returns the number for
 * ranks_end. */
void ranks_begin(int *argc, char ***argv);
/* MPI_Finalize; returns the program's exit status. */
int ranks_end(int failed);

/* Waits for all ranks, by MPI itself. */
void ranks_barrier(void);
/* Whether the number is not 0 on any rank. */
bool ranks_any(int x);
/* Fails the test unless the status is `expected`, with a message that contains `text`. */
void ranks_expect(gfp_status status, gfp_status expected, const gfp_error *error, const char *text);

/* z := a random polynomial over Z in two variables of total degree d < 32. */
void ranks_random(gfp_zbipoly *z, gfp_zring *ring, size_t d, uint64_t seed);

/* ---- faults ---- */

/* The functions of the seam. */
extern const char *const ranks_functions[];
extern const size_t ranks_function_count;
/* On rank `victim` call number n (from 0) of function f returns an error from now on, after MPI has
 * done the call; victim = -1: no call fails. */
void ranks_fail(size_t f, unsigned n, int victim);
/* Whether this rank's call has failed. */
bool ranks_failed(void);

/* Some calls over a field, which fill *error. Returns the first status that is not OK. */
typedef gfp_status ranks_life(gfp_field *field);
/* On each rank in turn each allocation fails, or with `lasting` all from that one on: all ranks
 * get that error, and nothing leaks. Returns whether calls succeeded although one failed. */
bool ranks_memory_fails(ranks_life *run, const gfp_error *error, bool lasting);
/* On two ranks in turn each call of MPI fails: all ranks get that error. */
void ranks_mpi_fails(ranks_life *run, const gfp_error *error);

#endif
