/* mul.c: see mul.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/mul.h"

#include <string.h>

#include "product/methods/kronecker.h"
#include "field/base/parallel.h"
#include "field/base/support.h"
#include "field/base/work.h"
#include "product/verify/claim.h"

static gfp_status mul_compute(gfp_product *p, gfp_error *error)
{
    gfp_mul *w = (gfp_mul *)p;
    gfp_range range = w->range;
    gfp_range_trim(&range);
    const gfp_status status = gfp_plan_run(&p->plan, &range, w->digits, p->task, error);
    p->base.report.threads = gfp_task_threads(p->task);
    return status;
}

static gfp_status mul_verify(gfp_product *p)
{
    const gfp_mul *w = (const gfp_mul *)p;
    const gfp_options *options = p->base.options;
    const gfp_claim claim = {.range = w->range,
                             .c = w->digits,
                             .used = p->method,
                             .second = p->second,
                             .tuning = options->tuning,
                             .cap = options->memory_cap};
    gfp_task_part(p->task, 1);
    return gfp_verify_product(&claim, options->verify, options->verify_seed, &p->base.report,
                              p->task, &p->base.error);
}

/* The wanted part of a b; *nothing: it is empty. Removes coefficients of X^end and above, which do
 * not matter. */
static gfp_status wanted_range(gfp_range *r, const gfp_range *asked, gfp_error *error,
                               bool *nothing)
{
    size_t sum = 0;
    *r = *asked;
    r->len_a = gfp_size_min(r->len_a, r->end);
    r->len_b = gfp_size_min(r->len_b, r->end);
    *nothing = r->len_a == 0 || r->len_b == 0;
    if (*nothing) {
        return GFP_OK;
    }
    if (!gfp_size_add(&sum, r->len_a, r->len_b)) {
        return gfp_error_set(error, GFP_ERR_SIZE, "the product's length overflows");
    }
    r->end = gfp_size_min(r->end, sum - 1);
    *nothing = r->first >= r->end;
    return GFP_OK;
}

/* Plans the range by this row (NULL: as the options say). */
static gfp_status plan_range(gfp_mul *w, const gfp_method *method)
{
    gfp_product *p = &w->product;
    const gfp_problem problem = gfp_range_problem(&w->range);
    p->method = method;
    gfp_request_fill(&p->request, &problem, p->field, p->base.options);
    if (!p->nothing) {
        gfp_range_scan(&w->range);
        gfp_request_set_bits(&p->request, &w->range);
    }
    return gfp_product_choose(p);
}

/* A part is checked at points, the whole product modulo X^j - d, which takes WHOLE_CHECK of its
 * time. Where that pays, all of the product is computed. Measured: a digit product of a check at
 * points, in nanoseconds. */
#define WHOLE_CHECK 0.1
#define POINT_NS 0.5
static bool checks_whole(const gfp_mul *w)
{
    const gfp_product *p = &w->product;
    const gfp_options *options = p->base.options;
    if (options->verify != GFP_VERIFY_POINT || options->memory_cap != 0 || p->nothing ||
        gfp_range_is_whole(&w->range) || !gfp_verify_folds(p->field) ||
        gfp_method_on_device(p->method) || gfp_method_find(p->method->name) != p->method) {
        return false; /* a row outside the table has no estimate */
    }
    gfp_request all = p->request;
    all.first = 0;
    all.end = gfp_range_product_length(&w->range);
    const double part = gfp_request_time(&p->request, p->method);
    const double whole = gfp_request_time(&all, p->method);
    const double points = gfp_verify_range_units(&w->range) * gfp_field_k(p->field) * POINT_NS;
    return (1 + WHOLE_CHECK) * whole < part + points;
}

gfp_status gfp_mul_plan(gfp_mul *w, const gfp_method *method, const gfp_range *asked)
{
    gfp_error *error = &w->product.base.error;
    static const gfp_range trivial = {.len_a = 1, .len_b = 1, .end = 1};
    size_t bytes = 0;
    w->product.field = asked->field;
    w->product.compute = mul_compute;
    w->product.verify = mul_verify;
    w->whole = false;
    GFP_TRY(wanted_range(&w->range, asked, error, &w->product.nothing));
    if (w->product.nothing) {
        w->range = trivial;
        w->range.field = asked->field;
    }
    w->from = w->range.first;
    w->len = w->range.end - w->from;
    if (!gfp_size_mul(&bytes, w->len, gfp_element_bytes(asked->field))) {
        return gfp_error_set(error, GFP_ERR_SIZE,
                             "a product of %zu coefficients does not fit size_t", w->len);
    }
    GFP_TRY(plan_range(w, method));
    if (!w->product.nothing) {
        gfp_default_product(&w->product.base, &w->range, gfp_method_on_device(w->product.method));
    }
    if (!checks_whole(w)) {
        return GFP_OK;
    }
    w->whole = true;
    w->range.first = 0;
    w->range.end = gfp_range_product_length(&w->range);
    return plan_range(w, w->product.method);
}

/* Computes and checks all of the product apart, and delivers the wanted part. */
static gfp_status run_whole(gfp_mul *w, uint64_t *digits)
{
    const size_t k = gfp_field_k(w->product.field);
    gfp_work work;
    GFP_TRY(gfp_work_take(&work, w->product.field, w->range.end * k));
    w->digits = work.words;
    const gfp_status status = gfp_product_run(&w->product);
    if (status == GFP_OK) {
        memcpy(digits, work.words + w->from * k, w->len * k * sizeof *digits);
    }
    gfp_work_give(&work, w->product.field);
    return status;
}

gfp_status gfp_mul_run(gfp_mul *w, uint64_t *digits)
{
    if (w->whole) {
        const gfp_status status = run_whole(w, digits);
        if (status != GFP_ERR_MEMORY) {
            return status;
        }
        w->whole = false;
        w->range.first = w->from;
        w->range.end = w->from + w->len;
        GFP_TRY(plan_range(w, w->product.method));
    }
    w->digits = digits;
    return gfp_product_run(&w->product);
}
