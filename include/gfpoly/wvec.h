/* gfpoly/wvec.h: polynomials modulo a word: products of vectors of residues modulo any q <= 2^63,
 * prime or not. A residue is a word in [0, q), the constant coefficient comes first.
 *
 * A product is computed over Z by the calls of gfpoly/zvec.h, so that q needs no roots of unity,
 * and reduced modulo q. Options, report and errors are those of gfp_zvec_mul; in addition RANGE (a
 * coefficient is not below q; the message names the factor and the index). A product of at most 32
 * coefficients by at most 2^16 is computed by the definition, and the reduction at the end takes
 * some nanoseconds for each coefficient: neither calls options->progress.
 *
 * Method "words_gpu": a device (gpu_device, gpu_memory_cap) computes products of up to 2^24
 * coefficients by transforms modulo three primes. `verify` compares with the CPU's products, which
 * alone read memory_cap and threads; progress is not called. Errors: also DEVICE.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_WVEC_H
#define GFPOLY_WVEC_H

#include "gfpoly/zvec.h"

GFP_BEGIN_DECLS

/* c := a b modulo q, len_a + len_b - 1 words; nothing if len_a or len_b is 0. 1 <= q <= 2^63. c may
 * be a or b, else must not overlap them; a = b with equal lengths is a square. Errors: ARGUMENT
 * (NULL, q is 0 or above 2^63), RANGE, and those of gfp_zvec_mul; c is unchanged. Cost: transforms
 * modulo two to four primes of 48 bits, of as many points as c has words: for n coefficients of the
 * shorter factor two if q^2 n <= 2^93, three if q^2 n <= 2^141. Work space: the product over Z, two
 * or three words for each word of c; for each point of the transforms a word for each prime, and
 * two more for each thread. */
GFP_API GFP_MUST_CHECK gfp_status gfp_wvec_mul(gfp_zring *ring, uint64_t *c, const uint64_t *a,
                                               size_t len_a, const uint64_t *b, size_t len_b,
                                               uint64_t q, const gfp_options *options);

/* `count` products of the same lengths, each modulo its own q: product i has the factors a + i
 * len_a and b + i len_b, the modulus q[i], and the result c + i (len_a + len_b - 1). */
typedef struct gfp_wvec_products {
    uint64_t *c;
    const uint64_t *a, *b;
    size_t len_a, len_b;
    const uint64_t *q;
    size_t count;
} gfp_wvec_products;

/* Computes all products. c must not overlap a or b; after an error c is undefined, and the message
 * names the product. The report is that of the last product, with the times of all. Errors, cost:
 * as for gfp_wvec_mul. */
GFP_API GFP_MUST_CHECK gfp_status gfp_wvec_mul_batch(gfp_zring *ring,
                                                     const gfp_wvec_products *products,
                                                     const gfp_options *options);

GFP_END_DECLS
#endif
