/* decision.h: whether a product is faster here than in FLINT, by the predicted times of both, with
 * the conversions between them. A thread remembers its last decisions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_DECISION_H
#define GFP_DECISION_H

#include "gfpoly/field.h"
#include "gfpoly/zvec.h"
#include "job.h"

typedef struct gfp_decision {
    bool take;
    double ns; /* the predicted time of the product here, one thread */
} gfp_decision;

/* The predicted nanoseconds of FLINT for a product modulo p. */
double gfp_decision_flint_mod(const gfp_host *host, const gfp_job_size *size);
gfp_decision gfp_decide_mod(const gfp_host *host, const gfp_field *field, const gfp_job_size *size);
gfp_decision gfp_decide_z(const gfp_host *host, gfp_zring *ring, const gfp_job_size *size);
#endif
