/* watchdog.h: ends the program for ranks if a rank is stopped or its host is dead, also where the
 * launcher does not notice.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef CLI_WATCHDOG_H
#define CLI_WATCHDOG_H

#include "gfpoly/mpi.h"

#include "cli/cli.h"

/* The variable with the seconds without a sign of life, or "off". */
#define WATCHDOG "GFPOLY_WATCHDOG"

/* The level of threads to ask MPI for: less than MPI_THREAD_MULTIPLE if the watchdog is off. */
int watchdog_level(void);
/* Starts the thread on all of 2 ranks or more, which all call this, or on none: what rank 0 has in
 * its environment counts, and MPI gives MPI_THREAD_MULTIPLE to all. level: what it gives to this
 * rank. report: a descriptor for the message of the rank that notices. Returns an exit code, the
 * same one on all ranks. */
int start_watchdog(int rank, int size, int level, int report);
/* Waits until all ranks call this, watching them; MPI_Finalize follows at once. Without a watchdog
 * nothing happens. */
void stop_watchdog(void);

#endif
