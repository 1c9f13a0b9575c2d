/* gfpoly/tuning.h: measured costs of every method on this machine, for the chooser: measuring,
 * files, merging, and whether a tuning still fits. The library reads and writes only the streams
 * and paths that it is given.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_TUNING_H
#define GFPOLY_TUNING_H

#include <stdio.h>

#include "gfpoly/methods.h"

GFP_BEGIN_DECLS

/* Rows of measured times, each of one operation, a number of threads, one field and the lengths of
 * both factors, under the description of the machine and the library that measured them: the CPU's
 * brand, kernel level, GPU, the versions of gfpoly and FLINT, the revision of every method. It is
 * used by gfp_options.tuning and gfp_options.tuning. Times of methods on a GPU count
 * only where that GPU is there. Threads may share one that nobody changes.
 *
 * How an estimate is made: each method's time for a product on one thread is interpolated between
 * the lengths measured for the field, a straight line in the logarithms of time and length, and
 * beyond them by the compiled-in curve, moved to the last measured point. A field without measured
 * times for a method takes those of the nearest radix below or above with the same k that the same
 * kernels serve; where there are none either, the compiled-in ones. Factors of different lengths
 * cost what gfp_method_query derives from that, times a factor that the rows of unequal
 * lengths give, interpolated likewise, and in the logarithm of the lengths' ratio. Squares, parts
 * and operands cost what is derived from that, times a factor that the rows of the operation give
 * in the same way; so do products on a device, by its rows of resident factors. Rows of several
 * threads say which part of that the threads share, those of the asked number first, then the
 * nearest, and rows of products where the operation has none. So a measured problem has its
 * measured time. */
typedef struct gfp_tuning gfp_tuning;

/* Limits of a tuning: rows, and the nanoseconds of an entry (11 days). */
#define GFP_TUNING_MAX_ROWS ((size_t)1 << 16)
#define GFP_TUNING_MAX_NS 1e15

/* An empty tuning of this machine, whose GPU is asked for. allocator may be NULL (malloc and free).
 * Errors: MEMORY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_create(gfp_tuning **tuning,
                                                    const gfp_allocator *allocator);
/* NULL is allowed. */
GFP_API void gfp_tuning_destroy(gfp_tuning *tuning);

/* ---- measuring ---- */

/* Options of a measurement; all zero (or NULL instead) is: in full, without anybody watching. */
typedef struct gfp_tuning_options {
    /* Equal lengths 4, 16, 64, ...: a few seconds a field. In full: products of equal lengths 1, 2,
     * 3, 4, 6, 8, ..., 128, 256, ..., of other operations half of these, and products and operands
     * of lengths 4, 32 and 512 times the other's: half a minute or less a field for all operations.
     * Either by methods that take up to 50 ms; with factors on a GPU up to an eighth of that. */
    bool quick;
    /* Bits 1 << operation: PRODUCT, SQUARE, LOW, MIDDLE, OPERAND; 0: PRODUCT. */
    unsigned operations;
    /* The number that the calls are asked for with; 0: 1. Where it is not 1, only what uses several
     * is measured. Estimates for several threads need the times of one as well, which another
     * measurement enters. */
    unsigned threads;
    /* Times that are not to be measured again, because this has them; may be NULL. */
    const gfp_tuning *known;
    /* Called between products, about every 20 ms where these are that short, with the fraction
     * done, which rises from 0 to 1; false: stop. May be NULL. */
    bool (*progress)(void *user, double done_fraction);
    void *user;
    gfp_error *error; /* may be NULL */
} gfp_tuning_options;

/* Measures every method that can serve over these lengths (LOW: the lower half of the product;
 * MIDDLE: 2 n - 1 by n), operation by operation, until no method is expected to stay within the
 * time above, and enters the least time of each. Where a method is expected to exceed that, or took
 * more than 20 times the best at the length before, it is left out: the chooser extrapolates; one
 * that takes more than 3 times the best runs a few times only. Methods on a GPU are measured where
 * the tuning was created with one: it is asked for once, and left out where it is gone or has too
 * little memory to answer (gfp_gpu_pool_ask). Entries of the same row are replaced. Errors:
 * ARGUMENT (operations, threads), CANCELLED (progress said stop), STALE (*tuning was measured
 * elsewhere; nothing is measured), MEMORY, SIZE, and those of gfp_poly_mul; what was measured
 * before an error stays. A thread that called it should call FLINT's flint_cleanup before it ends,
 * as for gfp_poly_mul. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_measure(gfp_tuning *tuning, const gfp_field *field,
                                                     const gfp_tuning_options *options);

/* ---- rows ---- */

/* A row: the field r^k + 1, the length of the first factor and of the second, which is not longer;
 * what is computed; the threads asked for; where factors and result lie. */
typedef struct gfp_tuning_row {
    unsigned k;
    uint64_t r;
    uint64_t len;
    uint64_t len_b; /* to enter a row: 0 for len */
    gfp_operation operation;
    unsigned threads; /* to enter a row: 0 for 1 */
    gfp_residence resident;
} gfp_tuning_row;

/* Rows are in ascending order of (operation, resident, threads, k, r, len, len_b). */
GFP_API size_t gfp_tuning_count(const gfp_tuning *tuning);
/* Errors: ARGUMENT (index >= count). */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_get_row(const gfp_tuning *tuning, size_t index,
                                                     gfp_tuning_row *row);
/* Nanoseconds of the method in a row; 0 where it was not measured, and for a name or an index that
 * the tuning does not have. */
GFP_API double gfp_tuning_get_ns(const gfp_tuning *tuning, size_t index, const char *method);
/* Enters a time measured elsewhere, for the product on one thread of two factors of length len (a
 * power of two shows bigfft, whose transforms have 2^m points, as it is). ns 0 takes an entry back.
 * Errors: UNKNOWN (method), ARGUMENT (len = 0 or above 2^62; ns outside of [0, GFP_TUNING_MAX_NS]),
 * SIZE (too many rows), MEMORY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_set_ns(gfp_tuning *tuning, const gfp_field *field,
                                                    uint64_t len, const char *method, double ns);
/* The same for any row: PRODUCT and OPERAND of two equal lengths, or with len more than 1.42 times
 * len_b; SQUARE and LOW (mod X^len) of equal ones; MIDDLE (from = len_b - 1, n = len_b) with len =
 * 2 len_b - 1. Errors: the same, ARGUMENT also for other rows. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_set_row(gfp_tuning *tuning, const gfp_tuning_row *row,
                                                     const char *method, double ns);
/* Enters all times of `from` into `into`, in place of those that it has for the same row and
 * method. Errors: STALE (they were measured on different machines or with different libraries; the
 * error says what differs; `from` may have been measured without the GPU), SIZE, MEMORY; `into` is
 * unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_merge(gfp_tuning *into, const gfp_tuning *from,
                                                   gfp_error *error);
/* Whether it was measured on this machine by this library: OK, or the warning STALE, whose reason
 * is in *error (may be NULL). Of the GPU and its driver, only where this process has asked for it
 * and has one: without, the GPU's times are not used and the others are as good as ever. The
 * chooser uses what it is given: ask first. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_check(const gfp_tuning *tuning, gfp_error *error);

/* ---- files ---- */

/* Reads the text that gfp_tuning_fwrite writes, up to the end of the stream. Memory grows with what
 * is read, and what is read is limited. Errors: IO (errno tells), and each with its line in *error
 * PARSE (malformed, cut off, another version of the format), RANGE (a number out of bounds, rows
 * out of order), SIZE (too many rows), MEMORY; *tuning is unchanged. One from another machine is
 * read all the same: see gfp_tuning_check. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_fread(gfp_tuning **tuning, FILE *stream,
                                                   const gfp_allocator *allocator,
                                                   gfp_error *error);
/* Errors: IO (errno tells). Times are rounded to nanoseconds. The same on every locale. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_fwrite(const gfp_tuning *tuning, FILE *stream);
/* The same from the file at path. Further errors: IO, where the file cannot be opened (errno
 * tells). */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_load(gfp_tuning **tuning, const char *path,
                                                  const gfp_allocator *allocator, gfp_error *error);
/* The same to the file at path: written beside it under a name of its own, and renamed when
 * complete, so that a failure leaves the old file. A symbolic link to a file is followed, an old
 * file's mode kept. Errors: IO (errno tells; also where path is there and is no regular file),
 * MEMORY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_save(const gfp_tuning *tuning, const char *path,
                                                  gfp_error *error);

GFP_END_DECLS
#endif
