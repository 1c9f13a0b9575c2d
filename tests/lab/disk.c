/* disk.c: see disk.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _GNU_SOURCE /* sync_file_range, F_OFD_SETLK, RTLD_NEXT */
#include "lab/disk.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

static struct {
    atomic_size_t calls;
    size_t first;
    int number;
} faults[DISK_CALLS];

void disk_fail(disk_call call, size_t n, int number)
{
    atomic_store(&faults[call].calls, 0);
    faults[call].first = n;
    faults[call].number = number;
}

size_t disk_count(disk_call call)
{
    return atomic_load(&faults[call].calls);
}

/* Whether this call fails, with errno. */
static bool disk_fails(disk_call call)
{
    static const char *const names[DISK_CALLS] = {"GFPOLY_TEST_SYNC_RANGE", "GFPOLY_TEST_FLOCK",
                                                  "GFPOLY_TEST_FCNTL_LOCK"};
    const char *given = getenv(names[call]);
    const int number = given != NULL ? atoi(given) : faults[call].number;
    const bool fails =
        atomic_fetch_add(&faults[call].calls, 1) >= faults[call].first && number != 0;
    errno = fails ? number : errno;
    return fails;
}

/* The address of libc's function as a pointer to one. */
#define LIBC(function, name)                                                                       \
    do {                                                                                           \
        void *address = dlsym(RTLD_NEXT, name);                                                    \
        memcpy(&(function), &address, sizeof(function));                                           \
    } while (0)

#if defined(__linux__)
int sync_file_range(int fd, off_t offset, off_t bytes, unsigned flags)
{
    int (*usual)(int, off_t, off_t, unsigned);
    if (disk_fails(DISK_SYNC_RANGE)) {
        return -1;
    }
    LIBC(usual, "sync_file_range");
    return usual(fd, offset, bytes, flags);
}
#endif

int flock(int fd, int operation)
{
    int (*usual)(int, int);
    if (disk_fails(DISK_FLOCK)) {
        return -1;
    }
    LIBC(usual, "flock");
    return usual(fd, operation);
}

int fcntl(int fd, int command, ...)
{
    int (*usual)(int, int, ...);
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
#if defined(F_OFD_SETLK)
    if (command == F_OFD_SETLK && disk_fails(DISK_FCNTL_LOCK)) {
        return -1;
    }
#endif
    LIBC(usual, "fcntl");
    return usual(fd, command, argument);
}
