/* spawn.c: starts programs that read and write files of this process: gnuplot, other libraries.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/spawn.h"

extern char **environ;

/* The command ignores these signals; other programs expect the defaults. */
static int default_signals(posix_spawnattr_t *attributes)
{
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    (void)posix_spawnattr_setsigdefault(attributes, &defaults);
    return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF);
}

int spawn_filter(pid_t *pid, char *const *argv, int in, int out)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = default_signals(&attributes);
        error = error == 0 ? posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO) : error;
        error = error == 0 ? posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO) : error;
        error =
            error == 0 ? posix_spawnp(pid, argv[0], &actions, &attributes, argv, environ) : error;
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

int run_gnuplot(FILE *script, int out, int *status)
{
    char *const argv[] = {(char[]){"gnuplot"}, (char[]){"-d"}, NULL};
    pid_t pid = 0;
    if (fflush(script) != 0 || lseek(fileno(script), 0, SEEK_SET) != 0) {
        return errno;
    }
    int error = spawn_filter(&pid, argv, fileno(script), out);
    while (error == 0 && waitpid(pid, status, 0) < 0) {
        error = errno == EINTR ? 0 : errno;
    }
    return error;
}
