/* job.h: a computation that NTL's user asked for.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_JOB_H
#define GFP_JOB_H

#include "bindings/preload/decision.h"
#include "gfpoly/poly.h"
#include "bindings/preload/ntl/host.h"
#include "bindings/preload/modulus.h"
#include "bindings/preload/product.h"

typedef struct gfp_job gfp_job;

#define GFP_JOB_RESULTS 3

/* What NTL's user may ask for: a row. */
typedef struct gfp_job_row {
    size_t results;
    /* Returns whether the results were computed; if not, nothing has changed. */
    bool (*take)(const gfp_job *job);
    /* NTL's own function, with other results. */
    void (*original)(gfp_zz_px *const *x, const gfp_job *job);
    /* Of divisions and gcds (toolkit.c): the predictions, the number of coefficients of the
     * results, and the computation: z[0], z[1], ... := the results for z[0] and z[1]. */
    gfp_job_kind kind;
    size_t (*size)(size_t len_a, size_t len_b);
    gfp_status (*compute)(gfp_poly *z, const gfp_options *options);
} gfp_job_row;

/* Coefficients i < end of a product a b; end may exceed the product. b is a for a square. Results
 * are different polynomials, and may be a or b. This NTL serves (gfp_ntl_serves). */
struct gfp_job {
    const gfp_host *host;
    const gfp_job_row *row;
    gfp_zz_px *result[GFP_JOB_RESULTS];
    const gfp_zz_px *a, *b;
    size_t end;
    gfp_zz_px *const *next; /* the result that is written next */
};

extern const gfp_job_row gfp_job_product;
extern const gfp_job_row gfp_job_div_rem, gfp_job_div, gfp_job_rem, gfp_job_gcd, gfp_job_xgcd;

/* ---- conversions (convert.c) ---- */

/* Coefficients of the operands and of *job->next, the first result. May throw. */
gfp_passage gfp_ntl_passage(gfp_job *job);
/* The bits of the longest of the first n coefficients, up to multiples of 8, or of one that has as
 * many limbs as the modulus. */
size_t gfp_ntl_bits(const gfp_host *host, const gfp_zz_px *x, size_t n);
/* The record of the modulus that the thread has installed; NULL: not one of ours. */
gfp_known *gfp_ntl_known(const gfp_host *host);

#endif
