/* gfpoly/tuning.h: measured costs of every method on this machine, for the chooser: measuring,
 * files, merging, and whether a tuning fits this machine. The library reads and writes only the
 * streams and paths that the caller passes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_TUNING_H
#define GFPOLY_TUNING_H

#include <stdio.h>

#include "gfpoly/methods.h"

GFP_BEGIN_DECLS

/* A tuning: rows of measured times, each for one operation, number of threads, field, and lengths
 * of both factors. A description of the machine and the library that measured them belongs to it:
 * the CPU's brand, kernel level, GPU, the versions of gfpoly and FLINT, the revision of every
 * method. gfp_options.tuning and gfp_tuning_options.known take tunings. Times of methods on a GPU
 * count only if the same GPU is present. Threads may share a tuning that no thread changes.
 *
 * How an estimate is made. A method's time for a product of equal lengths on one thread is
 * interpolated between the lengths measured for the field, linearly in the logarithms of time and
 * length. Beyond these lengths it follows the compiled-in curve, shifted to the last measured
 * point. A field without measured times for a method takes the times of the nearest radix below or
 * above with the same k and the same kernels; if none exist, the compiled-in times. For factors of
 * different lengths, the time that gfp_method_query derives is multiplied by a factor from the rows
 * of unequal lengths, interpolated likewise, and in the logarithm of the lengths' ratio. For
 * squares, parts and operands, the derived time is multiplied in the same way by a factor from the
 * rows of the operation; for products on a device, by a factor from the rows of resident factors.
 * Rows of several threads give the share of the work that threads divide: rows of the requested
 * number of threads first, then of the nearest, and rows of products if the operation has none. So
 * the estimate of a measured problem is its measured time. */

/* The most rows of a tuning. */
#define GFP_TUNING_MAX_ROWS ((size_t)1 << 16)
/* An empty tuning of this machine; opens GPU 0 to describe it. allocator may be NULL (malloc and
 * free). Errors: MEMORY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_create(gfp_tuning **tuning,
                                                    const gfp_allocator *allocator);
/* NULL is allowed. */
GFP_API void gfp_tuning_destroy(gfp_tuning *tuning);

/* ---- measuring ---- */

/* Options of a measurement. All zero (or NULL): in full, without calls of progress. */
typedef struct gfp_tuning_options {
    /* Equal lengths 4, 16, 64, ...: a few seconds per field. In full: products of equal lengths 1,
     * 2, 3, 4, 6, 8, ..., 128, 256, ...; other operations at half of these lengths; products and
     * operands with one factor 4, 32 and 512 times as long as the other. In full takes up to half a
     * minute per field for all operations. Either measures methods that take up to 50 ms; with
     * factors on a GPU up to an eighth of that. */
    bool quick;
    /* Bits 1 << operation: PRODUCT, SQUARE, LOW, MIDDLE, OPERAND; 0: PRODUCT. */
    unsigned operations;
    /* The number of threads that calls ask for; 0: 1. If not 1, only methods that use several
     * threads are measured. Estimates for several threads also need the times of one thread, which
     * another measurement enters. */
    unsigned threads;
    /* Times in this tuning are not measured again; may be NULL. */
    const gfp_tuning *known;
    /* Called between products, about every 20 ms if these are that short, with the fraction done,
     * which rises from 0 to 1. Returns false to stop. May be NULL. */
    bool (*progress)(void *user, double done_fraction);
    void *user;
    gfp_error *error; /* may be NULL */
} gfp_tuning_options;

/* Measures every method that can serve, over the lengths above (LOW: the lower half of the product;
 * MIDDLE: 2 n - 1 by n), operation by operation, until no method is expected to stay within the
 * time above, and enters the least time of each. A method is left out at a length if it is expected
 * to exceed that time, or if it took more than 20 times the best at the length before: the chooser
 * extrapolates. A method that takes more than 3 times the best runs only a few times. Methods on a
 * GPU are measured if the tuning was created with a GPU; the call opens the GPU once, and leaves
 * these methods out if that fails (gfp_gpu_pool_ask). Entries of the same row are replaced. Errors:
 * ARGUMENT (operations, threads), CANCELLED (progress returned false), STALE (*tuning was measured
 * elsewhere; nothing is measured), MEMORY, SIZE, and those of gfp_poly_mul; times measured before
 * an error stay. A thread that called this should call FLINT's flint_cleanup before it ends, as for
 * gfp_poly_mul. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_measure(gfp_tuning *tuning, const gfp_field *field,
                                                     const gfp_tuning_options *options);

/* ---- rows ---- */

/* The number of rows. */
GFP_API size_t gfp_tuning_count(const gfp_tuning *tuning);
/* Enters all times of `from` into `into`; they replace times of the same row and method. Errors:
 * STALE (`from` and `into` were measured on different machines or with different libraries; *error
 * has the difference; `from` may have been measured without the GPU), SIZE, MEMORY; `into` is
 * unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_merge(gfp_tuning *into, const gfp_tuning *from,
                                                   gfp_error *error);
/* Whether this library measured the tuning on this machine: OK, or the warning STALE with the
 * reason in *error (may be NULL). The GPU and its driver are compared only if this process has
 * opened a GPU; without one, times of the GPU are not used and the others hold. The chooser does
 * not check the tuning that options pass: call this first. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_check(const gfp_tuning *tuning, gfp_error *error);

/* ---- files ---- */

/* Errors: IO (see errno). Times are rounded to nanoseconds. The text is the same in every
 * locale. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_fwrite(const gfp_tuning *tuning, FILE *stream);
/* Reads the file at path, whose text gfp_tuning_fwrite wrote. Memory grows with the text read,
 * whose length is limited. Errors: IO (see errno), and with the line in *error PARSE (malformed,
 * cut off, another version of the format), RANGE (a number out of bounds, rows out of order), SIZE
 * (too many rows), MEMORY; *tuning is unchanged. Tunings of other machines are read, too: see
 * gfp_tuning_check. Lines of thresholds and factors, which earlier versions wrote, are skipped: the
 * status is OK, and the message of *error says so, which is unchanged otherwise. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_load(gfp_tuning **tuning, const char *path,
                                                  const gfp_allocator *allocator, gfp_error *error);

GFP_END_DECLS
#endif
