/* toolkit.c: divisions and greatest common divisors modulo p = r^k + 1.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bindings/preload/ntl/cost.h"
#include "gfpoly/division.h"
#include "gfpoly/gcd.h"
#include "bindings/preload/ntl/job.h"
#include "poly/impl.h"
#include "field/base/support.h"

/* ---- a computation ---- */

/* Operands, then results. */
typedef struct pieces {
    gfp_poly z[GFP_JOB_RESULTS];
} pieces;

static void toolkit_clear(pieces *w)
{
    for (size_t i = 0; i < GFP_JOB_RESULTS; i++) {
        gfp_poly_clear(&w->z[i]);
    }
}

/* Errors: also RANGE (the highest coefficient is 0, which NTL answers). */
static gfp_status toolkit_import(gfp_poly *z, const gfp_passage *passage, bool second,
                                 const gfp_zz_px *x)
{
    const size_t n = (size_t)gfp_ntl_length(x);
    GFP_TRY(gfp_poly_fit_length(z, n));
    GFP_TRY(gfp_passage_import(passage, z->field, z->digits, second, n));
    gfp_poly_normalise(z, n);
    return z->len == n ? GFP_OK : GFP_ERR_RANGE;
}

static gfp_status toolkit_compute(void *user, const gfp_field *field, const gfp_options *options)
{
    gfp_job *job = user;
    const gfp_passage passage = gfp_ntl_passage(job);
    __attribute__((cleanup(toolkit_clear))) pieces w;
    for (size_t i = 0; i < GFP_JOB_RESULTS; i++) {
        gfp_poly_init(&w.z[i], field);
    }
    GFP_TRY(toolkit_import(&w.z[0], &passage, false, job->a));
    GFP_TRY(toolkit_import(&w.z[1], &passage, true, job->b));
    GFP_TRY(job->row->compute(w.z, options));
    for (size_t i = 0; i < job->row->results; i++, job->next++) {
        gfp_passage_export(&passage, field, w.z[i].digits, w.z[i].len);
    }
    return GFP_OK;
}

static bool toolkit_take(const gfp_job *job)
{
    gfp_known *known = gfp_ntl_known(job->host);
    if (known == NULL) {
        return false;
    }
    gfp_job copy = *job;
    const size_t len_a = (size_t)gfp_ntl_length(job->a), len_b = (size_t)gfp_ntl_length(job->b);
    const size_t shorter = gfp_size_min(len_a, len_b);
    gfp_job_mod modular = {.host = job->host, .user = &copy, .compute = toolkit_compute};
    modular.size.kind = &job->row->kind;
    modular.size.len_a = len_a > len_b ? len_a : len_b;
    modular.size.len_b = shorter;
    modular.size.bits_a =
        gfp_ntl_bits(job->host, len_a < len_b ? job->b : job->a, modular.size.len_a);
    modular.size.bits_b = gfp_ntl_bits(job->host, len_a < len_b ? job->a : job->b, shorter);
    modular.size.end = job->row->size(modular.size.len_a, shorter);
    return gfp_job_take(&modular, known);
}

/* ---- divisions ---- */

static gfp_status div_rem(gfp_poly *z, const gfp_options *options)
{
    return gfp_poly_divrem(&z[0], &z[1], &z[0], &z[1], options);
}

static gfp_status toolkit_quotient(gfp_poly *z, const gfp_options *options)
{
    return gfp_poly_div(&z[0], &z[0], &z[1], options);
}

static gfp_status remainder_of(gfp_poly *z, const gfp_options *options)
{
    return gfp_poly_rem(&z[0], &z[0], &z[1], options);
}

static void ntl_div_rem(gfp_zz_px *const *x, const gfp_job *job)
{
    job->host->original.div_rem(x[0], x[1], job->a, job->b);
}

static void ntl_div(gfp_zz_px *const *x, const gfp_job *job)
{
    job->host->original.div(x[0], job->a, job->b);
}

static void ntl_rem(gfp_zz_px *const *x, const gfp_job *job)
{
    job->host->original.rem(x[0], job->a, job->b);
}

static size_t div_rem_size(size_t len_a, size_t len_b)
{
    (void)len_b;
    return len_a;
}

static size_t quotient_size(size_t len_a, size_t len_b)
{
    return len_a - len_b + 1;
}

static size_t remainder_size(size_t len_a, size_t len_b)
{
    (void)len_a;
    return len_b - 1;
}

const gfp_job_row gfp_job_div_rem = {
    .results = 2,
    .take = toolkit_take,
    .original = ntl_div_rem,
    .kind = {GFP_COUNT_DIVISION, GFP_COUNT_DIVISION_PASSED, gfp_own_division_ns,
             gfp_ntl_division_ns},
    .size = div_rem_size,
    .compute = div_rem,
};
const gfp_job_row gfp_job_div = {
    .results = 1,
    .take = toolkit_take,
    .original = ntl_div,
    .kind = {GFP_COUNT_DIVISION, GFP_COUNT_DIVISION_PASSED, gfp_own_quotient_ns,
             gfp_ntl_quotient_ns},
    .size = quotient_size,
    .compute = toolkit_quotient,
};
const gfp_job_row gfp_job_rem = {
    .results = 1,
    .take = toolkit_take,
    .original = ntl_rem,
    .kind = {GFP_COUNT_DIVISION, GFP_COUNT_DIVISION_PASSED, gfp_own_division_ns,
             gfp_ntl_division_ns},
    .size = remainder_size,
    .compute = remainder_of,
};

/* ---- greatest common divisors ---- */

static gfp_status toolkit_gcd(gfp_poly *z, const gfp_options *options)
{
    return gfp_poly_gcd(&z[0], &z[0], &z[1], options);
}

static gfp_status toolkit_xgcd(gfp_poly *z, const gfp_options *options)
{
    return gfp_poly_xgcd(&z[0], &z[1], &z[2], &z[0], &z[1], options);
}

static void ntl_gcd(gfp_zz_px *const *x, const gfp_job *job)
{
    job->host->original.gcd(x[0], job->a, job->b);
}

static void ntl_xgcd(gfp_zz_px *const *x, const gfp_job *job)
{
    job->host->original.xgcd(x[0], x[1], x[2], job->a, job->b);
}

static size_t gcd_size(size_t len_a, size_t len_b)
{
    (void)len_a;
    return len_b;
}

static size_t xgcd_size(size_t len_a, size_t len_b)
{
    return len_a + len_b;
}

const gfp_job_row gfp_job_gcd = {
    .results = 1,
    .take = toolkit_take,
    .original = ntl_gcd,
    .kind = {GFP_COUNT_GCD, GFP_COUNT_GCD_PASSED, gfp_own_gcd_ns, gfp_ntl_gcd_ns},
    .size = gcd_size,
    .compute = toolkit_gcd,
};
const gfp_job_row gfp_job_xgcd = {
    .results = 3,
    .take = toolkit_take,
    .original = ntl_xgcd,
    .kind = {GFP_COUNT_GCD, GFP_COUNT_GCD_PASSED, gfp_own_xgcd_ns, gfp_ntl_xgcd_ns},
    .size = xgcd_size,
    .compute = toolkit_xgcd,
};
