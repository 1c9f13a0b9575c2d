/* gfpoly/options.h: the options of every call that computes products, and what such a call reports.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_OPTIONS_H
#define GFPOLY_OPTIONS_H

#include "gfpoly/base.h"

GFP_BEGIN_DECLS

/* How far a product is checked before it is handed out. */
typedef enum gfp_verify {
    GFP_VERIFY_NONE = 0,
    /* Both sides compared at random points, each a single random digit from a set S: a wrong
     * product, or part of a product, of n coefficients passes with probability <= ((n - 1) /
     * |S|)^points; |S| = min(r, 2^60), and points are added until that is below 2^-40; where that
     * would take too many, cross. */
    GFP_VERIFY_POINT = 1,
    /* The same coefficients computed again by an independent method; each compared. Where only
     * methods on digits are built in, the second one shares digit arithmetic with the first: the
     * report names both. */
    GFP_VERIFY_CROSS = 2
} gfp_verify;

/* What a call did; filled on GFP_OK and on GFP_ERR_VERIFY. */
typedef struct gfp_report {
    const char *method;       /* the method that computed it; of a space, the one it is for */
    gfp_verify verified;      /* what was done: point may have become cross */
    unsigned threads;         /* that the call used at most */
    const char *cross_method; /* the second method, or NULL */
    unsigned points;          /* points compared; of operands, those that each carries */
    int log2_error;           /* a wrong product passes with probability <= 2^log2_error; 0 where no
                                 point was compared */
    uint64_t multiply_ns;     /* wall-clock times; calls on operands: all of the call, and 0 */
    uint64_t verify_ns;
    /* The chooser's pick where it was a method on a GPU that failed, and how: the CPU then computed
     * the same, by `method`. NULL: that did not happen. */
    const char *gpu_method;
    gfp_error gpu_error;
} gfp_report;

/* Costs measured on this machine: gfpoly/tuning.h. */
typedef struct gfp_tuning gfp_tuning;

/* Options; all zero (or NULL instead) is: the chooser's pick, no verification. Calls on operands
 * take the method, verification and device from their space. */
typedef struct gfp_options {
    /* sizeof(gfp_options), or 0 for the same. A program that was compiled with another version of
     * this struct sets it to its own: members beyond a smaller size are zero, and those beyond a
     * larger one that this library does not know must be, else ARGUMENT. */
    size_t size;
    const char *method; /* NULL or "auto": the chooser's pick; else a name of the method table */
    gfp_verify verify;
    uint64_t verify_seed;     /* for the random points; 0: from the system */
    const gfp_tuning *tuning; /* for the chooser; NULL: the compiled-in costs */
    unsigned threads;         /* the most threads of the call, the calling one included; 0:
                                 gfp_field_threads, for calls on operands the threads of their space's
                                 creation. Results do not depend on it */
    size_t memory_cap; /* most bytes that the call may take in addition to operands, result, and the
                          tables that stay with the field; 0: as many as the method needs, for calls
                          on operands as at their space's creation. hybrid then repeats a part of
                          its work, or cuts the factors into blocks; where that does not suffice,
                          and with other methods: MEMORY. The pick refuses rather than take a method
                          many times slower. A second product for verification takes its
                          coefficients and has the cap for itself. Operands on several threads take
                          more and give way to one */
    /* For the methods on a GPU: which one (gfpoly/gpu.h; the others do not matter, but that times
     * of a tuning are of GPU 0, and count where that is there), and the most bytes of its memory
     * that the call, or all operands of a space, may take, operands and result included; 0:
     * what there is. Products that take more are computed in blocks. memory_cap counts their
     * page-locked memory on the host, 24 MiB at most. */
    unsigned gpu_device;
    size_t gpu_memory_cap;
    const gfp_progress *progress; /* may be NULL: hears how far the call is, and can cancel it */
    gfp_report *report;           /* may be NULL */
    gfp_error *error;             /* may be NULL: says why a call failed */
} gfp_options;

GFP_END_DECLS
#endif
