/* spawn.h: starts programs that read and write files of this process. For the command and bench/.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef CLI_SPAWN_H
#define CLI_SPAWN_H

#include <stdio.h>
#include <sys/types.h>

/* Starts the program argv[0], found on the search path, with standard input `in` and standard
 * output `out`. Returns 0 or errno. */
int spawn_filter(pid_t *pid, char *const *argv, int in, int out);
/* Runs gnuplot on the whole script, with standard output `out`. *status gets waitpid's status.
 * Returns 0, or errno where gnuplot could not be run. */
int run_gnuplot(FILE *script, int out, int *status);

#endif
