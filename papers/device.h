/* papers/device.h: the quantities of a CUDA device for the tables of ISSAC 2017, and jobs of
 * transforms modulo half-word primes for those of 2010.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef DEVICE_H
#define DEVICE_H

#include "papers/paper.h"

/* ---- groups of quantities (paper.h) ---- */

/* profile.c: Table 5, "profile.FIELD KERNEL". */
measure_group measure_profile;
/* "twin.hash": of the rival's residues and integers on the CPU. */
measure_group measure_twin;
/* The rival in the form `argument`, ms: "PREFIX.two.CALLS" and "PREFIX.three.CALLS" for the ways to
 * call it, one, row and batch; PREFIX is gct, gtab, gst or glib. */
measure_group measure_rival;
/* The big prime's transform: the library's form (DEVICE_OWN), the papers' (DEVICE_PAPERS), or the
 * papers' with this number of threads a block, ms: "PREFIX.CALLS", and us: "PREFIX.CALLS_us"; given
 * threads, us of the steps in batches. */
enum { DEVICE_OWN, DEVICE_PAPERS };
measure_group measure_big_on_device;
/* "gends.slowest_small" and so on: the ends of the ranges of gct, gtab and gst, and of gbig. */
measure_group measure_ends;
/* "gsteps.twiddle%" and so on: shares of the steps in the papers' form. */
measure_group measure_device_steps;

/* ---- over half-word primes ---- */

/* A transform of n random residues modulo q, two a word, with its operands. */
typedef struct ntt_job {
    bench *b;
    gfp_gpu_ntt_plan *plan;
    gfp_gpu_array *x, *y;
    uint64_t *residues, *result;
    size_t words;
} ntt_job;

/* Makes a plan, draws x and uploads it. Returns false after a message. Call ntt_close in any
 * case. */
bool ntt_open(ntt_job *w, bench *b, uint64_t q, size_t n, const gfp_gpu_ntt_options *options);
void ntt_close(ntt_job *w);
/* A body: y := the transform of x. */
gfp_status run_ntt(void *context);

#endif
