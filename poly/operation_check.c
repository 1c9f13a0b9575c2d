/* operation_check.c: the check of an operation's result: identities modulo a random polynomial, at
 * random points or by a second method.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/choose/choice.h"
#include "poly/operation_batch.h"
#include "field/base/support.h"
#include "field/base/word.h"
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

/* The bound of several identities is that of the worst one: what is computed depends on no random
 * point, and if some identities are wrong, the first one of these is found. */
void gfp_operation_count_points(gfp_operation_call *op, unsigned points, int log2_error)
{
    gfp_report *report = &op->base.report;
    if (report->verified == GFP_VERIFY_NONE) {
        report->verified = GFP_VERIFY_POINT;
    }
    report->points += points;
    if (report->log2_error == 0 || log2_error > report->log2_error) {
        report->log2_error = log2_error;
    }
}

gfp_status gfp_operation_seed(gfp_operation_call *op, uint64_t *seed)
{
    const uint64_t first = op->base.options->verify_seed, number = op->checks++;
    if (first == 0) {
        return gfp_system_seed(seed, &op->base.error);
    }
    *seed = number == 0 ? first : gfp_mix64(first + number) | 1;
    return GFP_OK;
}

gfp_status gfp_operation_check_begin(gfp_operation_call *op, size_t len, unsigned *points,
                                     uint64_t *d, double items, double cost)
{
    int log2_error = 0;
    uint64_t seed = 0;
    *points = op->base.options->verify == GFP_VERIFY_POINT
                  ? gfp_verify_points(op->field, len, &log2_error)
                  : 0;
    if (*points == 0) {
        op->base.report.verified = GFP_VERIFY_CROSS;
        return gfp_operation_step(op, op->check_units, items, cost);
    }
    GFP_TRY(gfp_operation_seed(op, &seed));
    gfp_verify_draw(op->field, d, *points, seed);
    gfp_operation_count_points(op, *points, log2_error);
    return gfp_operation_step(op, op->check_units, *points * items, cost);
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

/* ---- identities ---- */

/* sum := sum + or - n coefficients x of a term, once or twice. */
static void add_term(const gfp_field *field, uint64_t *sum, const gfp_term *t, const uint64_t *x,
                     size_t n)
{
    uint64_t *to = sum + t->shift * gfp_field_k(field);
    for (unsigned times = t->twice ? 2 : 1; times > 0; times--) {
        (t->minus ? gfp_vec_sub : gfp_vec_add)(field, to, to, x, n);
    }
}

/* Computes the sum of the terms, each product by a second method. */
static gfp_status check_cross(gfp_operation_call *op, const gfp_identity *w, size_t length)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    const gfp_method *second;
    uint64_t *sum, *one;
    GFP_TRY(gfp_operation_array(op, &sum, length));
    GFP_TRY(gfp_operation_array(op, &one, length));
    gfp_vec_zero(field, sum, length);
    for (size_t i = 0; i < w->count; i++) {
        const gfp_term *t = &w->term[i];
        const gfp_range *p = &t->product;
        if (p->len_a == 0 || p->len_b == 0) {
            continue;
        }
        if (p->b == NULL) {
            add_term(field, sum, t, p->a, p->len_a);
        } else {
            GFP_TRY(gfp_operation_second_method(op, &second, p));
            GFP_TRY(gfp_operation_product(op, second, one, p));
            add_term(field, sum, t, one, p->end - p->first);
        }
    }
    for (size_t i = 0; i < length; i++) {
        if (!gfp_elem_is_zero(field, sum + i * k)) {
            return gfp_operation_wrong(op, w->first + i);
        }
    }
    return GFP_OK;
}

static gfp_status wrong_coefficient(gfp_operation_call *op, const gfp_identity *w, uint64_t index)
{
    return gfp_operation_wrong(op, index == GFP_NO_INDEX ? index : w->first + index);
}

static gfp_status check_random(gfp_operation_call *op, const gfp_identity *w)
{
    gfp_finding found;
    uint64_t seed = 0;
    GFP_TRY(gfp_operation_seed(op, &seed));
    gfp_operation_part(op, op->check_units);
    const gfp_status status = gfp_verify_identity(w, seed, &found, &op->base.task, &op->base.error);
    if (status == GFP_OK || status == GFP_ERR_VERIFY) {
        gfp_operation_count_points(op, found.points, found.log2_error);
    }
    return status == GFP_ERR_VERIFY ? wrong_coefficient(op, w, found.wrong) : status;
}

static gfp_status operation_check(gfp_operation_call *op, gfp_identity *w)
{
    const size_t length = gfp_identity_length(w);
    int log2_error;
    w->used = op->method;
    w->tuning = op->base.options->tuning;
    w->cap = op->base.left == SIZE_MAX ? 0 : op->base.left > 0 ? op->base.left : 1;
    if (length == 0) {
        return GFP_OK;
    }
    if (op->base.options->verify == GFP_VERIFY_POINT &&
        gfp_verify_points(op->field, length, &log2_error) > 0) {
        return check_random(op, w);
    }
    const uint64_t wrong = gfp_identity_wrong(w);
    op->base.report.verified = GFP_VERIFY_CROSS;
    GFP_TRY(gfp_operation_step(op, op->check_units, 1, 1));
    return wrong != GFP_NO_INDEX ? wrong_coefficient(op, w, wrong) : check_cross(op, w, length);
}

gfp_status gfp_operation_check(gfp_operation_call *op, gfp_identity *w)
{
    if (op->base.options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    const uint64_t start = gfp_clock_ns();
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    const gfp_status status = operation_check(op, w);
    gfp_operation_release(op, mark);
    op->base.report.verify_ns += gfp_clock_ns() - start;
    return status;
}

/* ---- batches ---- */

typedef struct batch_check {
    const gfp_batch_claim *claim;
    gfp_batch_plan plan;
    uint64_t seed;
} batch_check;

/* count products of the claim from the first-th on. */
static gfp_batch_claim part_of(const gfp_batch_claim *claim, size_t first, size_t count)
{
    const size_t k = gfp_field_k(claim->field);
    gfp_batch_claim part = *claim;
    part.a += first * part.batch.stride_a * k;
    part.b += first * part.batch.stride_b * k;
    part.c += first * part.batch.stride_c * k;
    part.batch.count = gfp_size_min(count, claim->batch.count - first);
    return part;
}

static gfp_status check_groups(void *user, size_t from, size_t to, uint64_t *scratch,
                               gfp_task *task)
{
    const batch_check *w = user;
    for (size_t i = from; i < to; i++) {
        const gfp_batch_claim part = part_of(w->claim, i * w->plan.count, w->plan.count);
        if (!gfp_verify_batch(&part, &w->plan, w->seed, scratch)) {
            return GFP_ERR_VERIFY;
        }
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_status check_together(gfp_operation_call *op, batch_check *w)
{
    const size_t k = gfp_field_k(op->field), count = w->claim->batch.count;
    const size_t length = w->claim->batch.len_a + w->claim->batch.len_b;
    const gfp_operation_loop loop = {.run = check_groups,
                                     .job = w,
                                     .items = (count - 1) / w->plan.count + 1,
                                     .chunk = 1,
                                     .scratch = w->plan.words / k + 1,
                                     .units = op->check_units,
                                     .cost = (double)(length * k * w->plan.count)};
    GFP_TRY(gfp_operation_seed(op, &w->seed));
    gfp_operation_count_points(op, (unsigned)loop.items, w->plan.log2_error);
    const gfp_status status = gfp_operation_loop_run(op, &loop);
    return status == GFP_ERR_VERIFY ? gfp_operation_wrong(op, GFP_NO_INDEX) : status;
}

static gfp_status check_one_by_one(gfp_operation_call *op, const gfp_batch_claim *claim)
{
    const gfp_batch *batch = &claim->batch;
    const size_t length = batch->len_a + batch->len_b - 1;
    for (size_t i = 0; i < batch->count; i++) {
        const gfp_batch_claim one = part_of(claim, i, 1);
        const gfp_operation_claim product = {one.c,        one.a,        one.b, length,
                                             batch->len_a, batch->len_b, 0,     length};
        GFP_TRY(gfp_operation_check_product(op, &product));
    }
    return GFP_OK;
}

gfp_status gfp_operation_check_batch(gfp_operation_call *op, const gfp_batch_claim *claim)
{
    batch_check w = {.claim = claim};
    const gfp_batch_claim first = part_of(claim, 0, GFP_VERIFY_TOGETHER);
    if (op->base.options->verify != GFP_VERIFY_POINT || claim->batch.count == 1 ||
        !gfp_verify_batch_plan(&w.plan, &first)) {
        return check_one_by_one(op, claim);
    }
    const uint64_t start = gfp_clock_ns();
    const gfp_status status = check_together(op, &w);
    op->base.report.verify_ns += gfp_clock_ns() - start;
    return status;
}

/* ---- claims ---- */

/* The product of a claim without coefficients of factors that matter to nothing; of no
 * coefficients of a where the product has none of these. */
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
    r.len_a = r.first < r.end ? r.len_a : 0;
    return r;
}

gfp_status gfp_operation_check_product(gfp_operation_call *op, const gfp_operation_claim *claim)
{
    gfp_identity w = {.field = op->field, .first = claim->first};
    if (claim->first >= claim->end) {
        return GFP_OK;
    }
    gfp_identity_add(&w, claim->c, claim->len_c, NULL, 1)->result = true;
    gfp_term *product = gfp_identity_add(&w, NULL, 0, NULL, 0);
    product->product = product_of(op, claim);
    product->minus = true;
    product->result = true; /* quotients and inverses are factors of their claims */
    return gfp_operation_check(op, &w);
}
