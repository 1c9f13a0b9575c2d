/* disk.h: calls of the system that fail: the test's functions stand in place of libc's. In
 * LD_PRELOAD with the command GFPOLY_TEST_SYNC_RANGE=N, GFPOLY_TEST_FLOCK=N and
 * GFPOLY_TEST_FCNTL_LOCK=N make these calls fail with errno N.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_DISK_H
#define TESTS_LAB_DISK_H

#include <stddef.h>

/* The last one: locks of fcntl for open files. */
typedef enum disk_call { DISK_SYNC_RANGE, DISK_FLOCK, DISK_FCNTL_LOCK, DISK_CALLS } disk_call;

/* From the n-th call of this kind on, counted from 0, calls fail with this errno; 0: none does. */
void disk_fail(disk_call call, size_t n, int number);
/* The calls of this kind since then. */
size_t disk_count(disk_call call);

#endif
