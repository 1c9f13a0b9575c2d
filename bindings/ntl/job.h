/* job.h: a product that NTL's user asked for.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_JOB_H
#define GFP_JOB_H

#include "host.h"

/* Coefficients i < end of a b; end may exceed the product. b is a for a square. The result may be
 * a factor. */
typedef struct gfp_job {
    const gfp_host *host;
    gfp_zz_px *result;
    const gfp_zz_px *a, *b;
    size_t end;
} gfp_job;

/* This NTL serves (gfp_ntl_serves). Returns whether the product was computed; if not, nothing has
 * changed. */
bool gfp_take(const gfp_job *job);

#endif
