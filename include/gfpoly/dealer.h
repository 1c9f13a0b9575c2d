/* gfpoly/dealer.h: dealers of calls over Z. Resultants, systems, greatest common divisors,
 * determinants and characteristic polynomials compute images modulo primes and at points. With a
 * dealer in its options a call keeps finished images in a file, so that the same call goes on after
 * its process ended; gfpoly/mpi.h makes dealers that also share images between ranks.
 *
 * A dealer serves one call at a time, and calls inside this call. Results do not depend on it.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_DEALER_H
#define GFPOLY_DEALER_H

#include "gfpoly/options.h"

GFP_BEGIN_DECLS

/* *dealer := a dealer that keeps images in the file `checkpoint` (a path). If the file does not
 * exist, the dealer creates it. Else the dealer takes images from the file: those of the same
 * operation, operands and method, computed on the same kernel level by the same version of the
 * library. A call with other operands or another method, level or version fails (ARGUMENT). Torn or
 * damaged parts of the file are computed again. The file has at most the bytes of all images, and
 * of the results of long steps. The caller removes the file once the result is safe. If writing
 * fails, the call fails (IO). Results are made durable at most once a second, and when the dealer
 * is destroyed. Errors: ARGUMENT (NULL; the file is no checkpoint), IO (opening, reading; another
 * dealer uses the file), MEMORY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_dealer_create(gfp_dealer **dealer, const char *checkpoint,
                                                    gfp_error *error);
/* Closes the file, which stays unless this dealer created the file and wrote nothing. NULL is
 * allowed. */
GFP_API void gfp_dealer_destroy(gfp_dealer *dealer);

typedef struct gfp_dealer_info {
    /* Whether other dealers are kept out of the file of this one; true where this rank has no file.
     * If not, the file system has no locks, and the caller sees to it that no other dealer uses the
     * file meanwhile. */
    bool locked;
    /* The number of images, and of pieces of other steps, that calls took from the file, on the
     * rank that has it. */
    uint64_t restored;
} gfp_dealer_info;
/* Describes the dealer and its file. */
GFP_API gfp_dealer_info gfp_dealer_get_info(const gfp_dealer *dealer);

GFP_END_DECLS
#endif
