/* mul.c: see mul.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "mul.h"

#include "parallel.h"
#include "support.h"
#include "verify.h"

/* The problem to choose a method for: this range, or with verification the whole product. */
static gfp_problem problem_of(const gfp_range *r, const gfp_options *options)
{
    gfp_problem p = {.len_a = r->len_a, .len_b = r->len_b};
    const bool whole =
        options->verify != GFP_VERIFY_NONE || (r->first == 0 && r->end == r->len_a + r->len_b - 1);
    if (!whole) {
        p.operation = GFP_OPERATION_MIDDLE;
        p.from = r->first;
        p.n = r->end - r->first;
    } else if (r->a == r->b && r->len_a == r->len_b) {
        p.operation = GFP_OPERATION_SQUARE;
    }
    return p;
}

static gfp_status compute(gfp_product *p, gfp_error *error)
{
    gfp_mul *w = (gfp_mul *)p;
    const gfp_status status = gfp_plan_run(&p->plan, &w->range, w->digits, p->task, error);
    p->report.threads = gfp_task_threads(p->task);
    return status;
}

static gfp_status verify(gfp_product *p)
{
    const gfp_mul *w = (const gfp_mul *)p;
    const gfp_options *options = p->options;
    const gfp_claim claim = {.field = p->field,
                             .c = w->digits,
                             .a = w->range.a,
                             .b = w->range.b,
                             .len_a = w->range.len_a,
                             .len_b = w->range.len_b,
                             .used = p->method,
                             .tuning = options->tuning,
                             .cap = options->memory_cap};
    gfp_task_part(p->task, 1);
    return gfp_verify_product(&claim, options->verify, options->verify_seed, &p->report, p->task,
                              options->error);
}

/* The part of a whole product, computed for verification, that exceeds the result counts towards
 * the cap. */
static gfp_status respect_cap(gfp_mul *w)
{
    const gfp_options *options = w->product.options;
    const size_t wanted = w->wanted.end - w->wanted.first;
    const size_t apart = (w->len - wanted) * gfp_element_bytes(w->range.field);
    if (options->memory_cap == 0) {
        return GFP_OK;
    }
    if (options->memory_cap <= apart) {
        return gfp_error_set(options->error, GFP_ERR_MEMORY,
                             "the whole product, which is verified, takes %zu bytes in addition to "
                             "the part; the cap is %zu",
                             apart, options->memory_cap);
    }
    w->product.request.cap = options->memory_cap - apart;
    return GFP_OK;
}

/* The range to compute: the range wanted, or with verification the whole product. */
static gfp_status computed_range(gfp_mul *w)
{
    const gfp_options *options = w->product.options;
    size_t bytes = 0;
    w->range = w->wanted;
    if (options->verify != GFP_VERIFY_NONE) {
        w->range.first = 0;
        w->range.end = w->range.len_a + w->range.len_b - 1;
    } else {
        gfp_range_trim(&w->range);
    }
    w->len = w->range.end - w->range.first;
    if (!gfp_size_mul(&bytes, w->len, gfp_element_bytes(w->range.field))) {
        return gfp_error_set(options->error, GFP_ERR_SIZE,
                             "a product of %zu coefficients does not fit size_t", w->len);
    }
    return respect_cap(w);
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

gfp_status gfp_mul_begin(gfp_mul *w, const gfp_method *method, const gfp_range *asked,
                         const gfp_options *options)
{
    static const gfp_range trivial = {.len_a = 1, .len_b = 1, .end = 1};
    w->product.field = asked->field;
    w->product.options = options;
    w->product.compute = compute;
    w->product.verify = verify;
    w->product.method = method;
    GFP_TRY(wanted_range(&w->wanted, asked, options->error, &w->product.nothing));
    if (w->product.nothing) {
        w->wanted = trivial;
        w->wanted.field = asked->field;
    }
    const gfp_problem problem = problem_of(&w->wanted, options);
    w->product.request = gfp_request_make(&problem, asked->field, options);
    GFP_TRY(computed_range(w));
    return gfp_product_choose(&w->product);
}

gfp_status gfp_mul_run(gfp_mul *w, uint64_t *digits)
{
    w->digits = digits;
    return gfp_product_run(&w->product);
}
