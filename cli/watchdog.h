/* watchdog.h: ends the program for ranks if a rank is stopped or its host is dead, also where the
 * launcher does not notice.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef CLI_WATCHDOG_H
#define CLI_WATCHDOG_H

#include "gfpoly/mpi.h"

#include "cli/cli.h"

/* The variable with the seconds without a sign of life, or "off". */
#define WATCHDOG "GFPOLY_WATCHDOG"

/* Starts the thread. MPI gives MPI_THREAD_MULTIPLE, to 2 ranks or more, which all call this.
 * report: a descriptor for the message of the rank that notices. Returns an exit code. */
int start_watchdog(int rank, int size, int report);
/* Waits until all ranks call this, watching them; MPI_Finalize follows at once. Without a watchdog
 * nothing happens. */
void stop_watchdog(void);

#endif
