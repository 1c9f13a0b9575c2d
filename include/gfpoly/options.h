/* gfpoly/options.h: the options and the report of every call that computes products.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_OPTIONS_H
#define GFPOLY_OPTIONS_H

#include "gfpoly/base.h"

GFP_BEGIN_DECLS

/* How a call checks its result before it returns. */
typedef enum gfp_verify {
    /* POINT where the check takes at most about a fifth of the call, else NONE; the report names
     * which. Over fields with 2^52 <= r <= 2^64 - 2^20, without a memory_cap, in host memory by a
     * method on the CPU, these are: whole products, squares and batches whose factors have at least
     * 512 coefficients; quotients and remainders, gcds and cofactors where the longer operand has
     * at least 1024 coefficients; arithmetic and compositions modulo a polynomial of degree >=
     * 1024; products from roots and interpolation at >= 1024 points, not at progressions; inverses
     * and exponentials of series to >= 1024 terms; f(X + c) for f of >= 1024 coefficients. NONE are
     * parts of products, other calls, and those on devices, files and ranks and over Z. Such a
     * check turns no right result into an error: where memory or random numbers for it lack, the
     * call does without. */
    GFP_VERIFY_DEFAULT = 0,
    GFP_VERIFY_NONE = 1,
    /* Products of n coefficients, 2^52 <= r <= 2^64 - 2^20, are compared modulo X^j - d, for a
     * random digit d < 2^48 and j >= n / 2^8: wrong ones pass with probability <=
     * floor((n - 1) / j) / 2^48 <= 2^-40. The check takes 7 j elements of work space, and those of
     * a product of two factors of j coefficients. Identities of other results, as a = q b + r, are
     * compared in the same way, n being the length of the longest term, in j elements for each
     * polynomial and 4 j. Parts of products are: all of the product is computed where that takes
     * less time than points. Groups of m <= 32 products of a batch are
     * compared as one, multiplied by powers of a second random digit, with probability <= (m - 1 +
     * floor((n - 1) / j)) / 2^48 <= 2^-40 and m (4 j - 1) + n + 4 j elements a thread. If a
     * memory_cap leaves no room for the check, and for factors of one coefficient, parts of
     * products, products over ranks or of files in steps and other results, both sides are compared
     * at random points, each a single random digit from a set S: n wrong coefficients pass with
     * probability <= ((n - 1) / |S|)^points, |S| = min(r, 2^60). The number of points makes this
     * less than 2^-40; if that takes too many points, the check is CROSS. */
    GFP_VERIFY_POINT = 2,
    /* An independent method computes the same coefficients again; each one is compared. If only
     * methods on digits are built in, the second method shares digit arithmetic with the first: the
     * report names both. */
    GFP_VERIFY_CROSS = 3
} gfp_verify;

/* What a call did; filled on GFP_OK and on GFP_ERR_VERIFY. */
typedef struct gfp_report {
    const char *method;  /* the method that computed the result; for a space, its method */
    gfp_verify verified; /* the check that was done, never DEFAULT; POINT may have become CROSS */
    unsigned threads;    /* the most threads that the call used */
    const char *cross_method; /* the second method, or NULL */
    unsigned points;          /* points, or moduli; for operands, points that each carries */
    int log2_error;           /* a wrong product passes with probability <= 2^log2_error; 0 if no
                                 point and no modulus was drawn */
    uint64_t multiply_ns;     /* wall-clock times; for calls on operands the whole call, and 0 */
    uint64_t verify_ns;
    /* If the chooser picked a method on a GPU and a GPU failed: the last method that failed, and
     * its error. The result was then computed by `method`: on one GPU if several GPUs had failed,
     * else on the CPU. NULL: no GPU failed. */
    const char *gpu_method;
    gfp_error gpu_error;
    /* Of a greatest common divisor over Z by primes: how many of them were unlucky, detected and
     * replaced by others. 0 for other calls, and for FLINT's function, which does not tell. */
    size_t unlucky_primes;
} gfp_report;

/* The plan of a product, for people: lines "name: value". */
#define GFP_PLAN_TEXT_SIZE 1024
typedef struct gfp_plan_text {
    char text[GFP_PLAN_TEXT_SIZE]; /* ends with 0 */
} gfp_plan_text;

/* Costs measured on this machine: gfpoly/tuning.h. */
typedef struct gfp_tuning gfp_tuning;

/* Shares the work of calls over Z, and keeps it in a file: gfpoly/dealer.h. */
typedef struct gfp_dealer gfp_dealer;

/* Options of a call. All zero (or NULL): the chooser picks the method, verification by default.
 * Calls on operands take method, verification and device from their space. */
typedef struct gfp_options {
    /* sizeof(gfp_options), or 0 for the same. A program that was compiled with another version of
     * this struct sets its own size. Members beyond a smaller size count as zero. Members beyond a
     * larger size, unknown to this library, must be zero: ARGUMENT otherwise. */
    size_t size;
    const char *method; /* NULL or "auto": the chooser's pick; else a name of the method table */
    gfp_verify verify;
    /* The seed of all random choices of the call: points of checks, and what algorithms draw. One
     * seed draws the same numbers on every machine; 0: a seed from the system. Results do not
     * depend on it. Calls that take a seed as an argument mean the same. */
    uint64_t verify_seed;
    const gfp_tuning *tuning; /* costs for the chooser; NULL: the compiled-in costs */
    unsigned threads;         /* the most threads of the call, including the calling one; 0:
                                 for calls on operands the number named at their space's
                                 creation; if none was named, that of gfp_field_set_threads. Results
                                 do not depend on it */
    size_t memory_cap; /* most bytes that the call may take in addition to operands, result, and the
                          tables that stay with the field; 0: as many as the method needs, for calls
                          on operands the cap of their space's creation. Within a cap hybrid repeats
                          a part of its work, or cuts the factors into blocks; if that does not
                          suffice, and with other methods: MEMORY. The chooser refuses rather than
                          pick a method many times slower. A second product for verification may
                          take memory_cap bytes again, in addition to its coefficients. Calls on
                          operands use one thread if several threads need more than the cap */
    /* For the methods on a GPU. gpu_device: the GPU to use (gfpoly/gpu.h). A tuning has times of
     * GPU 0 only; they are used if GPU 0 is present. gpu_memory_cap: the most bytes of device
     * memory that the call, or all operands of a space, may take, operands and result included; 0:
     * all memory of the device. Products that need more are computed in blocks, by one GPU.
     * memory_cap includes their page-locked memory on the host, at most 24 MiB for each GPU.
     * gpu_count, below, is the number of GPUs. */
    unsigned gpu_device;
    size_t gpu_memory_cap;
    const gfp_progress *progress; /* may be NULL: receives the progress of the call, and can cancel
                                     it */
    gfp_report *report;           /* may be NULL */
    gfp_error *error;             /* may be NULL: the reason of a failure */
    /* May be NULL: receives the plan of a product, a part of one, a batch or a product of files, as
     * it ran: method and reason, range, threads, bytes, transforms, blocks. Filled with the report;
     * other calls leave it as it is. */
    gfp_plan_text *plan;
    gfp_dealer *dealer; /* may be NULL. Calls over Z deal images by it, gfp_file_mul steps; other
                           calls do not read it */
    /* For the method dealt_gpu, which deals a product or a batch in host memory over the GPUs
     * gpu_device, ..., gpu_device + gpu_count - 1, at most 16, each of which may take
     * gpu_memory_cap bytes. 0 and 1: one GPU, and dealt_gpu does not serve. Other methods use
     * gpu_device alone, and the chooser compares them. */
    unsigned gpu_count;
} gfp_options;

GFP_END_DECLS
#endif
