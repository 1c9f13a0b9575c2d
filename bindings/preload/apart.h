/* apart.h: computations by several threads run apart from the calling thread, which only waits. A
 * signal handler of the host that jumps out leaves the computation alone: the computation ends in
 * memory that nobody else uses. The threads block all signals, and do not touch the caller's mask.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_APART_H
#define GFP_APART_H

#include <stdbool.h>

#include "gfpoly/options.h"
#include "bindings/preload/held.h"

/* Returns function(user), which another thread calls if options->threads > 1. With several threads
 * user and options are in memory of gfp_host_memory, with all that the function touches; a jump out
 * of this call loses that memory. If no thread can be started, options->threads := 1. */
gfp_status gfp_apart(gfp_status (*function)(void *user), void *user, gfp_options *options);
/* Cancels the computation that this thread waits for, since a handler jumped out of the call; or
 * since the handler itself asks for a computation: the host then computes the one that waits. held:
 * what the call held; NULL: the call may still wait. Returns whether the other thread will give
 * that back. */
bool gfp_apart_end(const gfp_held_list *held);

#endif
