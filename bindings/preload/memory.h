/* memory.h: the memory of computations. A signal handler of the host may jump out of a computation
 * at any instruction, and may itself ask for a computation. Malloc has locks, which a jump leaves
 * locked; these functions have none. Blocks that are in use at a jump are lost.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MEMORY_OF_HOST_H
#define GFP_MEMORY_OF_HOST_H

#include <stddef.h>

#include "gfpoly/base.h"

/* For fields and rings. GMP, as this library holds GMP, allocates here as well. */
extern const gfp_allocator gfp_host_memory;

/* Returns a block of zeros; NULL: no memory. */
void *gfp_host_allocate(size_t bytes);
/* bytes: those that the block was asked for. block may be NULL. */
void gfp_host_release(void *block, size_t bytes);

#endif
