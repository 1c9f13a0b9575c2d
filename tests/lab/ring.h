/* ring.h: a ring over Z whose allocations are counted, by several threads at once, and fail on
 * demand.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_RING_H
#define TESTS_LAB_RING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gfpoly/zvec.h"

static gfp_zring *ring;

static atomic_long left = -1; /* allocations until one fails; -1: none fails */
static atomic_size_t held;

static inline void *ring_take(void *user, size_t size)
{
    (void)user;
    if (left == 0) {
        return NULL;
    }
    if (left > 0) {
        left--;
    }
    void *block = malloc(size);
    held += block == NULL ? 0 : size;
    return block;
}

static inline void ring_give(void *user, void *block, size_t size)
{
    (void)user;
    held -= block == NULL ? 0 : size;
    free(block);
}

static const gfp_allocator counting = {ring_take, ring_give, NULL};

static inline int ring_setup(void **state)
{
    (void)state;
    return gfp_zring_create(&ring, &counting, NULL) == GFP_OK ? 0 : -1;
}

static inline int ring_teardown(void **state)
{
    (void)state;
    gfp_zring_destroy(ring);
    return held == 0 ? 0 : -1;
}

#endif
