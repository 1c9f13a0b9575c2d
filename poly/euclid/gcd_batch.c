/* gcd_batch.c: many greatest common divisors, or resultants, of one shape.
 *
 * One operation serves all pairs. The first pair is computed by the operation itself, which so
 * makes the spaces that pairs of this shape need, since nearly all pairs have quotients of the same
 * degrees. The others are computed side by side in branches of the operation, which allocate
 * nothing. A pair that needs more memory or other spaces than the first one stays behind; such
 * pairs are a batch of their own. Where few pairs succeed, or branches find no memory, the others
 * are computed one by one until one needs twice the memory. Resultants are fractions until the end,
 * where all denominators are inverted together.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gcd.h"

#include <stdatomic.h>

#include "poly/euclid/gcd.h"
#include "poly/operation_batch.h"
#include "poly/sequence.h"
#include "field/base/support.h"
#include "poly/call.h"
#include "product/verify/claim.h"

typedef struct rows rows;
struct rows {
    const char *name;
    /* Computes the result of pair i in `result`, and its length or denominator. */
    gfp_status (*compute)(gfp_operation_call *op, rows *w, size_t i, gfp_series a, gfp_series b);
    gfp_operation_call *op;
    gfp_batch batch; /* strides filled in */
    const uint64_t *a, *b;
    uint64_t *result;
    size_t room;    /* elements of a result */
    uint64_t *len;  /* of the divisors */
    uint64_t *den;  /* of the resultants */
    uint64_t *todo; /* pairs; those that are done become DONE */
    size_t left;
    size_t words; /* of a branch */
    atomic_flag failed;
    gfp_error error; /* of the first check that failed, which sets the flag */
    /* Of the branches. */
    atomic_uint_fast64_t verify_ns;
    atomic_bool verified;
};
#define DONE UINT64_MAX

/* ---- a pair ---- */

static gfp_series row_of(const gfp_field *field, const uint64_t *x, size_t i, size_t stride,
                         size_t len)
{
    x += i * stride * gfp_field_k(field);
    return (gfp_series){x, gfp_series_trim(field, x, len)};
}

static gfp_status compute_gcd(gfp_operation_call *op, rows *w, size_t i, gfp_series a, gfp_series b)
{
    const size_t k = gfp_field_k(op->field);
    uint64_t *g = w->result + i * w->room * k;
    gfp_common_divisor d;
    GFP_TRY(gfp_gcd(op, &d, a, b, false));
    gfp_vec_set(op->field, g, d.g.digits, d.g.len);
    gfp_vec_zero(op->field, g + d.g.len * k, w->room - d.g.len);
    w->len[i] = d.g.len;
    return GFP_OK;
}

static gfp_status compute_resultant(gfp_operation_call *op, rows *w, size_t i, gfp_series a,
                                    gfp_series b)
{
    const size_t k = gfp_field_k(op->field);
    uint64_t *r = w->result + i * k, *den = w->den + i * k;
    if (gfp_check_by_method(op, a.len + b.len + 1)) {
        gfp_elem_one(op->field, den);
        return gfp_resultant(op, r, a, b);
    }
    return gfp_resultant_ratio(op, r, den, a, b);
}

static gfp_status compute_pair(gfp_operation_call *op, rows *w, size_t i)
{
    const gfp_batch *batch = &w->batch;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    const gfp_status status =
        w->compute(op, w, i, row_of(op->field, w->a, i, batch->stride_a, batch->len_a),
                   row_of(op->field, w->b, i, batch->stride_b, batch->len_b));
    gfp_operation_release(op, mark);
    return status;
}

/* Names the pair whose check failed. */
static gfp_status gcd_batch_blame(rows *w, gfp_status status, size_t i)
{
    if (status == GFP_ERR_VERIFY && !atomic_flag_test_and_set(&w->failed)) {
        gfp_error_fill(&w->error, status, "%s: pair %zu: the result fails its check", w->name, i);
        w->error.index = i;
    }
    return status;
}

/* ---- side by side ---- */

static gfp_status run_some(void *user, size_t from, size_t to, uint64_t *scratch, gfp_task *task)
{
    rows *w = user;
    gfp_operation_call branch;
    gfp_status status = GFP_OK;
    gfp_operation_begin_branch(&branch, w->op, scratch, w->words, task);
    for (size_t i = from; i < to && status == GFP_OK; i++) {
        status = gcd_batch_blame(w, compute_pair(&branch, w, w->todo[i]), w->todo[i]);
        if (status == GFP_OK) {
            w->todo[i] = DONE;
        } else if (status != GFP_ERR_VERIFY && status != GFP_ERR_CANCELLED) {
            status = GFP_OK; /* the pair stays behind */
        }
        if (status == GFP_OK && !gfp_task_advance(task, 1)) {
            status = GFP_ERR_CANCELLED;
        }
    }
    atomic_fetch_add(&w->verify_ns, branch.base.report.verify_ns);
    if (branch.base.report.verified != GFP_VERIFY_NONE) {
        atomic_store(&w->verified, true);
    }
    return status;
}

/* Pairs that are done leave the list. */
static void gcd_batch_shorten(rows *w)
{
    size_t left = 0;
    for (size_t i = 0; i < w->left; i++) {
        if (w->todo[i] != DONE) {
            w->todo[left++] = w->todo[i];
        }
    }
    w->left = left;
}

static double units_of(const rows *w)
{
    return gfp_gcd_units(w->batch.len_a, w->batch.len_b, false);
}

/* The first pair of the list by the operation itself; its words. */
static gfp_status run_first(rows *w, size_t *words)
{
    gfp_operation_call *op = w->op;
    const size_t i = w->todo[0], before = op->base.peak = gfp_call_words(&op->base);
    GFP_TRY(gcd_batch_blame(w, compute_pair(op, w, i), i));
    w->todo[0] = DONE;
    *words = op->base.peak - before;
    gcd_batch_shorten(w);
    return GFP_OK;
}

/* All pairs of the list in branches for pairs of these words, as far as they serve and find memory.
 */
static gfp_status run_side_by_side(rows *w, size_t words)
{
    gfp_operation_call *op = w->op;
    const size_t k = gfp_field_k(op->field);
    w->words = gfp_operation_branch_words(op, words);
    const gfp_operation_loop loop = {.run = run_some,
                                     .job = w,
                                     .items = w->left,
                                     .chunk = 1,
                                     .scratch = w->words / k + 1,
                                     .units = units_of(w) * (double)w->left,
                                     .cost = GFP_TASK_GRAIN};
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    const gfp_status status = gfp_operation_loop_run(op, &loop);
    gfp_operation_release(op, mark);
    op->base.refused = 0;
    gcd_batch_shorten(w);
    return status == GFP_ERR_MEMORY ? GFP_OK : status;
}

/* Words that did not serve most pairs are not tried again, nor ones that are not twice as many. */
static gfp_status run_all(rows *w)
{
    const bool apart = !gfp_check_by_method(w->op, w->batch.len_a + w->batch.len_b + 1);
    size_t tried = 0;
    while (w->left > 0) {
        size_t words;
        GFP_TRY(run_first(w, &words));
        const size_t before = w->left;
        if (apart && before > 0 && words / 2 >= tried) {
            GFP_TRY(run_side_by_side(w, words));
            tried = 2 * w->left < before ? tried : words;
        }
    }
    return GFP_OK;
}

/* ---- the call ---- */

static gfp_status gcd_batch_prepare(rows *w)
{
    gfp_operation_call *op = w->op;
    const size_t count = w->batch.count, k = gfp_field_k(op->field);
    GFP_TRY(gfp_operation_array(op, &w->result, gfp_size_mul_sat(count, w->room)));
    GFP_TRY(gfp_operation_array(op, &w->todo, count / k + 1));
    if (w->compute == compute_gcd) {
        GFP_TRY(gfp_operation_array(op, &w->len, count / k + 1));
    } else {
        GFP_TRY(gfp_operation_array(op, &w->den, count));
    }
    for (size_t i = 0; i < count; i++) {
        w->todo[i] = i;
    }
    w->left = count;
    return GFP_OK;
}

/* The report has the check of each pair. */
static void fill_report(rows *w)
{
    gfp_operation_call *op = w->op;
    gfp_report *report = &op->base.report;
    const unsigned threads = report->threads > 0 ? report->threads : 1;
    report->verify_ns += atomic_load(&w->verify_ns) / threads;
    if (report->verified == GFP_VERIFY_NONE && atomic_load(&w->verified)) {
        report->verified = GFP_VERIFY_POINT;
    }
    if (report->verified == GFP_VERIFY_POINT) {
        report->points =
            gfp_verify_points(op->field, w->batch.len_a + w->batch.len_b + 1, &report->log2_error);
    }
}

static gfp_status compute_all(rows *w)
{
    gfp_operation_call *op = w->op;
    size_t zero;
    GFP_TRY(gcd_batch_prepare(w));
    const gfp_status status = run_all(w);
    fill_report(w);
    GFP_TRY(status);
    if (w->den != NULL) {
        GFP_TRY(gfp_sequence_invert(op, w->den, w->den, w->batch.count, &zero));
        GFP_TRY(gfp_sequence_times(op, w->result, w->den, w->batch.count));
    }
    return gfp_operation_finish(op);
}

static gfp_status check_arguments(gfp_operation_call *op, const rows *w, const gfp_batch *batch,
                                  bool output)
{
    const char *wrong = NULL;
    if (batch->count > 0 && (w->a == NULL || w->b == NULL || !output)) {
        wrong = "an array is NULL";
    } else if (batch->len_a == 0 || batch->len_b == 0) {
        wrong = "a length is 0";
    } else if (batch->stride_c != 0 && batch->stride_c < w->room) {
        wrong = "rows of results overlap";
    }
    return wrong == NULL ? GFP_OK : gfp_poly_call_refuse(op, GFP_ERR_ARGUMENT, wrong);
}

/* Writes the results. */
static void hand_out(const rows *w, uint64_t *c, size_t *len)
{
    const gfp_field *field = w->op->field;
    const size_t k = gfp_field_k(field);
    for (size_t i = 0; i < w->batch.count; i++) {
        gfp_vec_set(field, c + i * w->batch.stride_c * k, w->result + i * w->room * k, w->room);
        if (len != NULL) {
            len[i] = w->len[i];
        }
    }
}

static size_t gcd_batch_either(size_t x, size_t y)
{
    return x != 0 ? x : y;
}

/* The seed of random points is drawn once for all pairs. */
static gfp_status draw_seed(gfp_operation_call *op)
{
    gfp_options *own = &op->base.copy;
    *own = *op->base.options;
    op->base.options = own;
    return own->verify == GFP_VERIFY_POINT && own->verify_seed == 0
               ? gfp_system_seed(&own->verify_seed, &op->base.error)
               : GFP_OK;
}

/* Computes the rows, and writes the results: c, and the lengths unless len is NULL. */
static gfp_status gcd_batch_compute(gfp_operation_call *op, rows *w, const gfp_field *field,
                                    uint64_t *c, size_t *len)
{
    const size_t count = w->batch.count;
    GFP_TRY(draw_seed(op));
    w->batch.stride_a = gcd_batch_either(w->batch.stride_a, w->batch.len_a);
    w->batch.stride_b = gcd_batch_either(w->batch.stride_b, w->batch.len_b);
    w->batch.stride_c = gcd_batch_either(w->batch.stride_c, w->room);
    GFP_TRY(gfp_operation_start(op, field, units_of(w) * (double)count,
                                count > 0 && count < UINT32_MAX ? (unsigned)count : 1));
    w->op = op;
    const gfp_status status = compute_all(w);
    if (status == GFP_OK) {
        hand_out(w, c, len);
    } else if (status == GFP_ERR_VERIFY) {
        op->base.error = w->error;
    }
    w->op = NULL;
    return status;
}

static gfp_status gcd_batch_run(rows *w, const gfp_field *field, const gfp_batch *batch,
                                uint64_t *c, size_t *len, bool output, const gfp_options *options)
{
    gfp_operation_call op;
    GFP_TRY(gfp_operation_begin(&op, w->name, options));
    gfp_status status = GFP_OK;
    if (field == NULL || batch == NULL) {
        status = gfp_poly_call_refuse(&op, GFP_ERR_ARGUMENT, "no field, or no batch");
    } else {
        status = check_arguments(&op, w, batch, output);
    }
    if (status == GFP_OK) {
        w->batch = *batch;
        status = gcd_batch_compute(&op, w, field, c, len);
    }
    return gfp_operation_end(&op, status);
}

gfp_status gfp_vec_gcd(const gfp_field *field, uint64_t *g, size_t *len, const uint64_t *a,
                       const uint64_t *b, const gfp_batch *batch, const gfp_options *options)
{
    rows w = {.name = "greatest common divisors",
              .compute = compute_gcd,
              .a = a,
              .b = b,
              .failed = ATOMIC_FLAG_INIT};
    if (batch != NULL) {
        w.room = batch->len_a > batch->len_b ? batch->len_a : batch->len_b;
    }
    return gcd_batch_run(&w, field, batch, g, len, g != NULL && len != NULL, options);
}

gfp_status gfp_vec_resultant(const gfp_field *field, uint64_t *r, const uint64_t *a,
                             const uint64_t *b, const gfp_batch *batch, const gfp_options *options)
{
    rows w = {.name = "resultants",
              .compute = compute_resultant,
              .a = a,
              .b = b,
              .room = 1,
              .failed = ATOMIC_FLAG_INIT};
    return gcd_batch_run(&w, field, batch, r, NULL, r != NULL, options);
}
