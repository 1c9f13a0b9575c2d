/* cost.h: the predicted times of the strategies of products over Z, from measured constants that
 * are compiled in (gfpoly_bench --zcosts products measures them).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_MUL_COST_H
#define GFP_MODULAR_MUL_COST_H

#include "modular/mul/methods.h"

/* Sets z->shape. */
void gfp_zcost_shape(gfp_zmul *z);

/* Nanoseconds of one thread. */
typedef struct gfp_ztimes {
    double project, transform, recombine;
    size_t blocks;
} gfp_ztimes;

gfp_ztimes gfp_zcost_words(const gfp_zmul *z);
/* The same by primes of 48 bits, counted as blocks (short.c). */
gfp_ztimes gfp_zcost_short(const gfp_zmul *z);
double gfp_zcost_classical(const gfp_zmul *z);
double gfp_zcost_big(const gfp_zmul *z);
double gfp_zcost_flint(const gfp_zmul *z);
/* Of a FLINT with or without its transforms fft_small; reads lengths, widths and z->bits. */
double gfp_zcost_flint_of(const gfp_zmul *z, bool fft);
double gfp_zcost_kronecker(const gfp_zmul *z);

/* Over the field of the big prime of this index (modular/ring.h). */
double gfp_zcost_over(const gfp_zmul *z, size_t index);

/* Whether the strategies know the cost of the named prime of this index. */
bool gfp_zcost_big_serves(size_t index);
/* The nanoseconds that it takes to create its field. */
double gfp_zcost_field(size_t index);
/* The same for any big prime of this k, a power of two. */
double gfp_zcost_field_of(unsigned k);

#endif
