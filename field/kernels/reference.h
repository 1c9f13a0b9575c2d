/* reference.h: digit division by shifts, the papers' form, kept as the twin of the reciprocal
 * division that the kernels use.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_KERNELS_REFERENCE_H
#define GFP_FIELD_KERNELS_REFERENCE_H

#include "field/base/word.h"

/* r = 2^w + sign 2^u; sign 0: r = 2^w. */
typedef struct gfp_sparse_radix {
    uint64_t r;
    unsigned w;
    unsigned u;
    int sign;
} gfp_sparse_radix;

/* Finds w, u and sign. Returns false if r has no such form (the m-primes). */
bool gfp_sparse_radix_find(gfp_sparse_radix *radix, uint64_t r);

/* Divides z, |z| < 2^126: z = q r + remainder, 0 <= remainder < r; returns q. ISSAC 2017, 3.1. */
gfp_i128 gfp_sparse_radix_divide(const gfp_sparse_radix *radix, gfp_i128 z, uint64_t *remainder);

#endif
