/* program.c: the entry of the gfpoly command. Under a launcher of MPI it becomes the program for
 * ranks (ranks.c), which is linked with MPI: this one is not.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

#define RANKS_PROGRAM "gfpoly_ranks"
/* A value "off" leaves each process of a launcher a command of its own. */
#define RANKS_SWITCH "GFPOLY_RANKS"

static long number_of(const char *name)
{
    const char *value = getenv(name);
    return value == NULL ? -1 : strtol(value, NULL, 10);
}

/* Whether a launcher (Open MPI's, or one with PMI or PMIx) has started several ranks, as far as the
 * environment tells. */
static bool has_ranks(void)
{
    const char *asked = getenv(RANKS_SWITCH);
    if (asked != NULL && strcmp(asked, "off") == 0) {
        return false;
    }
    if (number_of("OMPI_COMM_WORLD_SIZE") >= 0) {
        return number_of("OMPI_COMM_WORLD_SIZE") > 1;
    }
    return number_of("PMI_SIZE") > 1 || number_of("PMIX_RANK") >= 0;
}

static bool is_first_rank(void)
{
    return number_of("OMPI_COMM_WORLD_RANK") <= 0 && number_of("PMI_RANK") <= 0 &&
           number_of("PMIX_RANK") <= 0;
}

/* Runs the program for ranks in place of this one; returns only if that fails. */
static int become_ranks(char **argv)
{
    static const char *const folders[] = {"", "../libexec/gfpoly/"};
    char *own = own_path();
    const char *reason =
        own != NULL ? "is not installed" : "is not found: this program's path is unknown";
    for (size_t i = 0; own != NULL && i < sizeof folders / sizeof *folders; i++) {
        char path[4096];
        const int folder = (int)(strrchr(own, '/') + 1 - own);
        const int n = snprintf(path, sizeof path, "%.*s%s" RANKS_PROGRAM, folder, own, folders[i]);
        if (n > 0 && (size_t)n < sizeof path && access(path, X_OK) == 0) {
            (void)execv(path, argv);
            reason = strerror(errno);
        }
    }
    free(own);
    if (is_first_rank()) {
        complain("several ranks, and the program for ranks, %s, %s; GFPOLY_RANKS=off runs this "
                 "command in each process",
                 RANKS_PROGRAM, reason);
    }
    return FAILED;
}

int main(int argc, char **argv)
{
    return has_ranks() ? become_ranks(argv) : run_gfpoly(argc, argv, NULL);
}
