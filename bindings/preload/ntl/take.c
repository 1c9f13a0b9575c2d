/* take.c: products modulo p = r^k + 1.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bindings/preload/ntl/job.h"
#include "field/base/support.h"

/* The coefficients below end that a factor has. */
static size_t take_length(const gfp_job *job, const gfp_zz_px *x)
{
    return gfp_size_min((size_t)gfp_ntl_length(x), job->end);
}

static bool ntl_take(const gfp_job *job)
{
    gfp_known *known = gfp_ntl_known(job->host);
    if (known == NULL) {
        return false;
    }
    gfp_job copy = *job;
    const size_t len_a = take_length(job, job->a), len_b = take_length(job, job->b);
    const gfp_product_mod product = {.host = job->host,
                                     .len_a = len_a,
                                     .len_b = len_b,
                                     .bits_a = gfp_ntl_bits(job->host, job->a, len_a),
                                     .bits_b = gfp_ntl_bits(job->host, job->b, len_b),
                                     .end = job->end,
                                     .square = job->a == job->b,
                                     .passage = gfp_ntl_passage(&copy)};
    return gfp_product_take(&product, known);
}

static void take_original(gfp_zz_px *const *x, const gfp_job *job)
{
    const gfp_originals *o = &job->host->original;
    if (job->end != SIZE_MAX) {
        o->mul_trunc(x[0], job->a, job->b, (long)job->end);
    } else {
        o->mul(x[0], job->a, job->b);
    }
}

const gfp_job_row gfp_job_product = {.results = 1, .take = ntl_take, .original = take_original};
