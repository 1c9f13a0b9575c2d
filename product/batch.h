/* batch.h: how the threads of a call share a batch.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_BATCH_H
#define GFP_BATCH_H

#include "methods.h"

/* Whether the threads compute different products of a batch, where one product takes ns nanoseconds
 * on one thread; and the number of threads then. */
bool gfp_batch_shares(const gfp_method *method, double ns, size_t cap, size_t count,
                      unsigned threads);
unsigned gfp_batch_threads(double ns, size_t count, unsigned threads);

#endif
