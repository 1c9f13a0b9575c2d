/* linear.h: vectors of integers for the time of a call; derivatives and linear combinations.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_LINEAR_H
#define GFP_MODULAR_LINEAR_H

#include "modular/call.h"

/* A vector whose bytes count for the cap of the call. */
typedef struct gfp_ztemp {
    gfp_zvec v;
    size_t held; /* bytes that are counted */
} gfp_ztemp;

void gfp_ztemp_init(gfp_zcall *call, gfp_ztemp *t);
/* Counts the bytes that t has now. Errors: MEMORY. */
gfp_status gfp_ztemp_count(gfp_zcall *call, gfp_ztemp *t);
void gfp_ztemp_clear(gfp_zcall *call, gfp_ztemp *t);

/* z := the derivative of a. z may be a. Errors: SIZE, MEMORY. */
gfp_status gfp_zvec_derivative(gfp_zvec *z, const gfp_zvec *a);
/* z := u X^shift a + v b; z may be a or b. Errors: SIZE, MEMORY. */
gfp_status gfp_zvec_combine(gfp_zvec *z, int64_t u, const gfp_zvec *a, size_t shift, int64_t v,
                            const gfp_zvec *b);

#endif
