/* operation_check.c: the check of an operation's result: claims on products, at random points or by
 * a second method.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "product/choose/choice.h"
#include "poly/operation.h"
#include "field/base/support.h"
#include "product/verify/claim.h"

gfp_status gfp_operation_wrong(gfp_operation_call *op, uint64_t index)
{
    gfp_error *error = &op->base.error;
    if (index == GFP_NO_INDEX) {
        gfp_error_fill(error, GFP_ERR_VERIFY, "%s: the result fails its identity at a random point",
                       op->base.name);
    } else {
        gfp_error_fill(error, GFP_ERR_VERIFY,
                       "%s: the result fails its identity at coefficient %zu", op->base.name,
                       (size_t)index);
    }
    error->index = index;
    return GFP_ERR_VERIFY;
}

/* Adds an identity that is checked at points to the report and to the progress. */
static gfp_status begin_points(gfp_operation_call *op, unsigned points, int log2_error,
                               double items, double cost)
{
    gfp_report *report = &op->base.report;
    if (report->verified == GFP_VERIFY_NONE) {
        report->verified = GFP_VERIFY_POINT;
    }
    report->points += points;
    /* Several identities: the probabilities add up. */
    op->check_error += ldexp(1, log2_error);
    report->log2_error = (int)ceil(log2(op->check_error));
    return gfp_operation_step(op, op->check_units, points * items, cost);
}

gfp_status gfp_operation_check_begin(gfp_operation_call *op, size_t len, unsigned *points,
                                     uint64_t *d, double items, double cost)
{
    int log2_error = 0;
    uint64_t seed = op->base.options->verify_seed;
    *points = op->base.options->verify == GFP_VERIFY_POINT
                  ? gfp_verify_points(op->field, len, &log2_error)
                  : 0;
    if (*points == 0) {
        op->base.report.verified = GFP_VERIFY_CROSS;
        return gfp_operation_step(op, op->check_units, items, cost);
    }
    if (seed == 0) {
        GFP_TRY(gfp_system_seed(&seed, &op->base.error));
    }
    gfp_verify_draw(op->field, d, *points, seed);
    return begin_points(op, *points, log2_error, items, cost);
}

gfp_status gfp_operation_check_again(gfp_operation_call *op, size_t len, double items, double cost)
{
    int log2_error = 0;
    const unsigned points = gfp_verify_points(op->field, len, &log2_error);
    return begin_points(op, points, log2_error, items, cost);
}

gfp_status gfp_operation_second_method(gfp_operation_call *op, const gfp_method **second,
                                       const gfp_range *range)
{
    gfp_problem problem = gfp_range_problem(range);
    problem.no_gpu = true;
    const gfp_method *used = op->method != NULL ? op->method : gfp_method_find("classical");
    gfp_request q = gfp_request_make(&problem, op->field, &op->inner);
    q.cap = op->base.left == SIZE_MAX ? 0 : op->base.left;
    GFP_TRY(gfp_request_second(second, &q, used, &op->base.error));
    op->base.report.cross_method = (*second)->name;
    return GFP_OK;
}

/* ---- claims ---- */

/* The product of a claim without coefficients of factors that matter to nothing; end <= first where
 * the product has no such coefficients. */
static gfp_range product_of(const gfp_operation_call *op, const gfp_operation_claim *claim)
{
    gfp_range r = {.field = op->field,
                   .a = claim->a,
                   .b = claim->b,
                   .len_a = gfp_size_min(claim->len_a, claim->end),
                   .len_b = gfp_size_min(claim->len_b, claim->end),
                   .first = claim->first};
    if (r.len_a > 0 && r.len_b > 0) {
        r.end = gfp_size_min(claim->end, r.len_a + r.len_b - 1);
    }
    return r;
}

/* Whether both sides have the same value at d. */
static gfp_status check_at(gfp_operation_call *op, const gfp_operation_claim *claim,
                           const gfp_range *product, uint64_t d)
{
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K];
    gfp_elem_zero(op->field, y);
    if (!gfp_verify_evaluate_range(x, product, d, &op->base.task) ||
        (claim->len_c > 0 &&
         !gfp_verify_evaluate(op->field, y, claim->c, claim->len_c, d, &op->base.task))) {
        return GFP_ERR_CANCELLED;
    }
    return gfp_elem_equal(op->field, x, y) ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

/* Compares the claim with the first n coefficients of the product, which has zeros beyond. */
static gfp_status operation_check_compare(gfp_operation_call *op, const gfp_operation_claim *claim,
                                          const uint64_t *c, size_t n)
{
    const size_t k = gfp_field_k(op->field), most = n > claim->len_c ? n : claim->len_c;
    uint64_t zero[GFP_MAX_K];
    size_t i = 0;
    gfp_elem_zero(op->field, zero);
    while (i < most && gfp_elem_equal(op->field, i < claim->len_c ? claim->c + i * k : zero,
                                      i < n ? c + i * k : zero)) {
        i++;
    }
    return i == most ? GFP_OK : gfp_operation_wrong(op, claim->first + i);
}

static gfp_status check_cross(gfp_operation_call *op, const gfp_operation_claim *claim,
                              const gfp_range *product)
{
    const size_t n = product->end - product->first;
    const gfp_method *second;
    uint64_t *c;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_second_method(op, &second, product));
    GFP_TRY(gfp_operation_array(op, &c, n));
    GFP_TRY(gfp_operation_product(op, second, c, product));
    const gfp_status status = operation_check_compare(op, claim, c, n);
    gfp_operation_release(op, mark);
    return status;
}

static gfp_status check_operation(gfp_operation_call *op, const gfp_operation_claim *claim)
{
    const gfp_range product = product_of(op, claim);
    const bool nothing = product.first >= product.end;
    const double units = (double)claim->len_c + (nothing ? 0 : gfp_verify_range_units(&product));
    const size_t wrong = gfp_vec_canonical(op->field, claim->c, claim->len_c);
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    unsigned points;
    if (wrong < claim->len_c) {
        return gfp_operation_wrong(op, claim->first + wrong);
    }
    GFP_TRY(gfp_operation_check_begin(op, claim->end - claim->first, &points, d, units,
                                      gfp_field_k(op->field)));
    if (nothing) {
        return operation_check_compare(op, claim, NULL, 0);
    }
    gfp_status status = points == 0 ? check_cross(op, claim, &product) : GFP_OK;
    for (unsigned i = 0; i < points && status == GFP_OK; i++) {
        status = check_at(op, claim, &product, d[i]);
    }
    return status;
}

gfp_status gfp_operation_check_product(gfp_operation_call *op, const gfp_operation_claim *claim)
{
    if (op->base.options->verify == GFP_VERIFY_NONE || claim->first >= claim->end) {
        return GFP_OK;
    }
    const uint64_t start = gfp_clock_ns();
    const gfp_status status = check_operation(op, claim);
    op->base.report.verify_ns += gfp_clock_ns() - start;
    return status;
}
