/* cost.h: the predicted times of divisions and greatest common divisors modulo p, of NTL (cost.c)
 * and here (own_cost.c), for the rows of toolkit.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_COST_H
#define GFP_COST_H

#include "bindings/preload/decision.h"

/* Quotient and remainder, or the remainder, at the same cost; the quotient. */
double gfp_ntl_division_ns(const gfp_host *host, const gfp_job_size *size);
double gfp_ntl_quotient_ns(const gfp_host *host, const gfp_job_size *size);
double gfp_own_division_ns(const gfp_field *field, const gfp_job_size *size);
double gfp_own_quotient_ns(const gfp_field *field, const gfp_job_size *size);

/* Without and with cofactors. */
double gfp_ntl_gcd_ns(const gfp_host *host, const gfp_job_size *size);
double gfp_ntl_xgcd_ns(const gfp_host *host, const gfp_job_size *size);
double gfp_own_gcd_ns(const gfp_field *field, const gfp_job_size *size);
double gfp_own_xgcd_ns(const gfp_field *field, const gfp_job_size *size);

#endif
