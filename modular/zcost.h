/* zcost.h: the predicted times of the strategies of products over Z, from measured constants that
 * are compiled in (bench/zproducts.c measures them). SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_ZCOST_H
#define GFP_ZCOST_H

#include "words_ntt.h"
#include "zmul.h"

/* How word-size primes compute a product. */
typedef struct gfp_zshape {
    bool direct; /* by the definition, else by transforms of this size */
    gfp_words_size size;
    size_t points; /* residues of a factor, or of the product, modulo a prime */
    size_t primes, blocks;
} gfp_zshape;

/* Returns false if the product is too long for transforms. */
bool gfp_zshape_of(gfp_zshape *shape, const gfp_zmul *z);

/* Nanoseconds of one thread. */
typedef struct gfp_ztimes {
    double project, transform, recombine;
    size_t blocks;
} gfp_ztimes;

gfp_ztimes gfp_zcost_words(const gfp_zmul *z);
double gfp_zcost_classical(const gfp_zmul *z);
double gfp_zcost_big(const gfp_zmul *z);
double gfp_zcost_flint(const gfp_zmul *z);
double gfp_zcost_kronecker(const gfp_zmul *z);

/* Over the field of the named prime of this index. */
double gfp_zcost_over(const gfp_zmul *z, size_t index);

/* Whether the strategies know the cost of the named prime of this index. */
bool gfp_zcost_big_serves(size_t index);
/* The nanoseconds that it takes to create its field. */
double gfp_zcost_field(size_t index);

#endif
