/* disk.h: calls of the system that fail: the test's functions stand in place of libc's.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_DISK_H
#define TESTS_LAB_DISK_H

#include <stddef.h>

typedef enum disk_call { DISK_SYNC_RANGE, DISK_CALLS } disk_call;

/* From the n-th call of this kind on, counted from 0, calls fail with this errno; 0: none does. */
void disk_fail(disk_call call, size_t n, int number);
/* The calls of this kind since then. */
size_t disk_count(disk_call call);

#endif
