/* batch.h: how the threads of a call share a batch.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_BATCH_H
#define GFP_BATCH_H

#include "methods.h"

/* Whether products of a batch that take so long each on one thread are computed side by
 * side, each on a thread, and on how many then. */
bool gfp_batch_shares(const gfp_method *method, double ns, size_t cap, size_t count,
                      unsigned threads);
unsigned gfp_batch_threads(double ns, size_t count, unsigned threads);

#endif
