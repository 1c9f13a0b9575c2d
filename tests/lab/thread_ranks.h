/* thread_ranks.h: ranks of a dealer that are threads of one process.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_THREAD_RANKS_H
#define TESTS_LAB_THREAD_RANKS_H

#include "field/deal/dealer.h"

#define THREAD_RANKS 5 /* the most */

/* Runs body(rank, dealer, user) in a thread for each rank. Dealers deal all loops, and rank 0 has
 * the checkpoint at `path`, which may be NULL. fail_at: the transport fails, for all ranks, at this
 * send or broadcast; SIZE_MAX: at none. Returns the number of sends and broadcasts. */
typedef void thread_ranks_body(unsigned rank, gfp_dealer *dealer, void *user);
size_t thread_ranks_run(unsigned ranks, const char *path, size_t fail_at, thread_ranks_body *body,
                        void *user);

#endif
