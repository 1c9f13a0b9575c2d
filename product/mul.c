/* mul.c: see mul.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/mul.h"

#include "product/methods/kronecker.h"
#include "field/base/parallel.h"
#include "field/base/support.h"
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

gfp_status gfp_mul_plan(gfp_mul *w, const gfp_method *method, const gfp_range *asked)
{
    gfp_error *error = &w->product.base.error;
    static const gfp_range trivial = {.len_a = 1, .len_b = 1, .end = 1};
    size_t bytes = 0;
    w->product.field = asked->field;
    w->product.compute = mul_compute;
    w->product.verify = mul_verify;
    w->product.method = method;
    GFP_TRY(wanted_range(&w->range, asked, error, &w->product.nothing));
    if (w->product.nothing) {
        w->range = trivial;
        w->range.field = asked->field;
    }
    w->len = w->range.end - w->range.first;
    if (!gfp_size_mul(&bytes, w->len, gfp_element_bytes(asked->field))) {
        return gfp_error_set(error, GFP_ERR_SIZE,
                             "a product of %zu coefficients does not fit size_t", w->len);
    }
    const gfp_problem problem = gfp_range_problem(&w->range);
    gfp_request_fill(&w->product.request, &problem, asked->field, w->product.base.options);
    if (!w->product.nothing) {
        gfp_range_scan(&w->range);
        gfp_request_set_bits(&w->product.request, &w->range);
    }
    return gfp_product_choose(&w->product);
}

gfp_status gfp_mul_run(gfp_mul *w, uint64_t *digits)
{
    w->digits = digits;
    return gfp_product_run(&w->product);
}
