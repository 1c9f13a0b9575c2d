/* job.h: a product that FLINT asked for, and the two ways to take it.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_JOB_H
#define GFP_JOB_H

#include <stddef.h>

#include "bindings/preload/decision.h"
#include "gfpoly/zvec.h"
#include "bindings/preload/flint/host.h"

/* Coefficients first <= i < end of a b; end may exceed the product, whose further coefficients are
 * 0. b is a with the same length for a square. Modulo p the result may be a factor. */
typedef struct gfp_job {
    const gfp_host *host;
    gfp_fmpz *result;
    const gfp_fmpz *a, *b;
    size_t len_a, len_b; /* at least 1 */
    size_t first, end;
    const gfp_fmpz *p;   /* NULL: over Z */
    const void *modulus; /* the last argument of FLINT's function on arrays: p or a context */
} gfp_job;

/* Each returns whether the product was computed; if not, nothing has changed. */
bool gfp_take_mod(const gfp_job *job);
bool gfp_take_z(const gfp_job *job);

gfp_decision gfp_decide_z(const gfp_host *host, gfp_zring *ring, const gfp_job_size *size);

#endif
