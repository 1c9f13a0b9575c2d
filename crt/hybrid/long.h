/* long.h: the hybrid product of factors of very different lengths.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_HYBRID_LONG_H
#define GFP_CRT_HYBRID_LONG_H

#include "crt/hybrid/ring.h"

/* The least length and the least ratio of lengths for which this may pay. */
#define GFP_LONG_LEAST 32
#define GFP_LONG_RATIO 3

typedef struct gfp_hybrid_long {
    gfp_hybrid_ring ring;
    size_t longer, shorter;
    size_t block; /* coefficients of the longer factor at a time */
    double cost;  /* in the unit of a gfp_hybrid_plan's cost */
} gfp_hybrid_long;

/* Makes the cheapest plan; returns false if this way does not serve the lengths. */
bool gfp_hybrid_long_make(gfp_hybrid_long *plan, const gfp_field *field, size_t longer,
                          size_t shorter);
/* c := a b, a the longer factor, by the task's threads. work has gfp_hybrid_long_words words for
 * these threads (saturates). Errors: MEMORY, CANCELLED. */
size_t gfp_hybrid_long_words(const gfp_hybrid_long *plan, unsigned threads);
gfp_status gfp_hybrid_long_run(const gfp_hybrid_long *plan, uint64_t *c, const uint64_t *a,
                               const uint64_t *b, uint64_t *work, gfp_task *task);

#endif
