/* meter.h: an allocation hook that counts, checks sizes at release, and fails on demand. Its blocks
 * hold garbage.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_METER_H
#define TESTS_LAB_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gfpoly/base.h"

/* Tests initialise it with {.fail_at = SIZE_MAX} and may set any member. */
typedef struct meter {
    size_t calls;   /* allocations so far */
    size_t fail_at; /* the number of the allocation that fails, from 0; SIZE_MAX: none */
    bool lasting;   /* all later allocations fail, too */
    size_t blocks;  /* blocks not yet released */
    size_t bytes;
    size_t peak;     /* the most bytes at once */
    size_t largest;  /* the largest block */
    size_t mistakes; /* releases with a wrong size */
} meter;

/* Threads may share the hook. */
gfp_allocator meter_hook(meter *m);
/* Counts calls from 0 again. */
void meter_fail_at(meter *m, size_t fail_at);
/* Fails the test unless every block was released with its size. */
void meter_expect_empty(const meter *m);

#endif
