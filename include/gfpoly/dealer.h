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

/* *dealer := a dealer that keeps images in the file `checkpoint` (a path). The file is created if
 * it is not there; else the dealer takes images from it: those of the same operation, operands and
 * method, computed on the same kernel level by the same version of the library. Other operands, or
 * another of those, are an error of the call (ARGUMENT). A part of the file that
 * is torn or damaged is computed again. The file has at most the bytes of all images, and of the
 * results of long steps; the caller removes it once the result is safe. If writing fails, the call
 * fails (IO). Every second at most, what was written is made durable. Errors: ARGUMENT (NULL; the
 * file is no checkpoint), IO (opening, reading; another process uses the file), MEMORY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_dealer_create(gfp_dealer **dealer, const char *checkpoint,
                                                    gfp_error *error);
/* Closes the file, which stays. NULL is allowed. */
GFP_API void gfp_dealer_destroy(gfp_dealer *dealer);
/* The number of images, and of pieces of other steps, that calls took from the file, on the rank
 * that has it. */
GFP_API uint64_t gfp_dealer_restored(const gfp_dealer *dealer);

GFP_END_DECLS
#endif
