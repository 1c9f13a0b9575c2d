/* batch.c: many products of the same lengths. Work that depends only on the lengths is done once.
 * Threads compute different products; long products are computed one after the other, each by all
 * threads.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/methods/kronecker.h"
#include "field/base/parallel.h"
#include "product/pipeline.h"
#include "field/base/support.h"
#include "product/verify/claim.h"
#include "field/base/work.h"

typedef struct job {
    gfp_product product;
    uint64_t *c;
    const uint64_t *a, *b;
    gfp_batch batch; /* strides filled in, none is 0 */
    gfp_range range; /* of each product, without coefficients */
    double ns;       /* of a product, on one thread */
    uint64_t *work;  /* for each thread */
    size_t words;    /* this many words */
    uint64_t seed;
} job;

static const uint64_t *a_at(const job *w, size_t i)
{
    return w->a + i * w->batch.stride_a * gfp_field_k(w->product.field);
}

static const uint64_t *b_at(const job *w, size_t i)
{
    return w->b + i * w->batch.stride_b * gfp_field_k(w->product.field);
}

static uint64_t *c_at(const job *w, size_t i)
{
    return w->c + i * w->batch.stride_c * gfp_field_k(w->product.field);
}

/* Sets the index of the product that an error belongs to, if it belongs to one. */
static gfp_status batch_blame(gfp_status status, size_t i, gfp_error *error)
{
    if (status != GFP_OK && status != GFP_ERR_CANCELLED && error != NULL) {
        error->index = i;
    }
    return status;
}

static gfp_range range_at(const job *w, size_t i)
{
    gfp_range r = w->range;
    r.a = a_at(w, i);
    r.b = b_at(w, i);
    return r;
}

/* The bits of all operands. */
static void scan_operands(job *w)
{
    const gfp_range *r = &w->range;
    const unsigned k = gfp_field_k(r->field);
    gfp_short a = {.digits = 0}, b = {.digits = 0};
    for (size_t i = 0; i < w->batch.count; i++) {
        if (!gfp_short_scan(&a, r->field, a_at(w, i), r->len_a, k - 1) ||
            !gfp_short_scan(&b, r->field, b_at(w, i), r->len_b, k - a.digits)) {
            return;
        }
    }
    gfp_short_bits(&w->range, &a, &b);
}

static gfp_status verify_one(const job *w, size_t i, size_t cap, gfp_report *report, gfp_task *task,
                             gfp_error *error)
{
    const gfp_options *options = w->product.base.options;
    const gfp_claim claim = {.range = range_at(w, i),
                             .c = c_at(w, i),
                             .used = w->product.method,
                             .second = w->product.second,
                             .tuning = options->tuning,
                             .cap = cap};
    return batch_blame(gfp_verify_product(&claim, options->verify, w->seed, report, task, error), i,
                       error);
}

/* ---- products one by one, each by all threads ---- */

static gfp_status multiply_each(job *w, gfp_error *error)
{
    gfp_product *p = &w->product;
    const double share = gfp_call_share(p->base.options->verify) - p->from;
    if (p->task != NULL) {
        p->task->part_to = p->from; /* the first product begins at this fraction */
    }
    for (size_t i = 0; i < w->batch.count; i++) {
        const gfp_range range = range_at(w, i);
        gfp_task_part(p->task, p->from + share * ((double)i + 1) / (double)w->batch.count);
        GFP_TRY(batch_blame(gfp_plan_run(&p->plan, &range, c_at(w, i), p->task, error), i, error));
        p->base.report.threads = gfp_task_threads(p->task);
    }
    return GFP_OK;
}

static gfp_status verify_each(job *w)
{
    gfp_product *p = &w->product;
    const size_t cap = p->base.options->memory_cap;
    const double share = gfp_call_share(p->base.options->verify);
    for (size_t i = 0; i < w->batch.count; i++) {
        gfp_task_part(p->task, share + (1 - share) * ((double)i + 1) / (double)w->batch.count);
        GFP_TRY(verify_one(w, i, cap, &p->base.report, p->task, &p->base.error));
    }
    return GFP_OK;
}

/* ---- products side by side ---- */

static gfp_status multiply_one(const job *w, size_t i, uint64_t *work, gfp_error *error)
{
    const gfp_range range = range_at(w, i);
    const gfp_plan *plan = &w->product.plan;
    return plan->method->run(plan, &range, c_at(w, i), work, NULL, error);
}

/* Item i: product i + 1. */
static gfp_status multiply_some(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const job *w = user;
    /* Without work space there is no pointer to advance. */
    uint64_t *work = w->work == NULL ? NULL : w->work + worker * w->words;
    for (size_t i = from; i < to; i++) {
        GFP_TRY(multiply_one(w, i + 1, work, NULL));
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Products that a thread takes at once. */
static size_t chunk_of(const job *w)
{
    const size_t chunk = gfp_parallel_chunk(w->product.task, w->batch.count, 8);
    const size_t most = (size_t)(GFP_BATCH_CHUNK_NS / (w->ns + 1)) + 1;
    return gfp_size_min(chunk, most);
}

/* Runs in the calling thread, and makes the tables that the field keeps. */
static gfp_status multiply_first(const job *w, gfp_error *error)
{
    GFP_TRY(multiply_one(w, 0, w->work, error));
    return gfp_task_advance(w->product.task, 1) ? GFP_OK : GFP_ERR_CANCELLED;
}

static gfp_status multiply_prepared(job *w, gfp_error *error)
{
    gfp_product *p = &w->product;
    const gfp_parallel loop = {.run = multiply_some, .job = w};
    const unsigned workers = gfp_parallel_workers(p->task, w->batch.count, chunk_of(w));
    const size_t words = p->plan.needs.words;
    p->base.report.threads = workers;
    /* Whole cache lines, so that no two threads write to one. */
    w->words = words == 0 ? 0 : gfp_size_add_sat(words, 15) / 8 * 8;
    gfp_work area;
    gfp_status status = gfp_work_take(&area, p->field, gfp_size_mul_sat(w->words, workers));
    if (status != GFP_OK) {
        return gfp_error_set(error, status, "%s: no memory for the work space of a batch",
                             p->method->name);
    }
    w->work = area.words;
    status = gfp_task_span(p->task, 1, (double)w->batch.count, w->ns) ? multiply_first(w, error)
                                                                      : GFP_ERR_CANCELLED;
    if (status == GFP_OK) {
        status = gfp_parallel_for(&loop, p->task, w->batch.count - 1, chunk_of(w));
        if (status != GFP_OK && status != GFP_ERR_CANCELLED) {
            gfp_error_set(error, status, "%s: %s", p->method->name, gfp_status_string(status));
        }
    }
    gfp_work_give(&area, p->field);
    return status;
}

static gfp_status multiply_side_by_side(job *w, gfp_error *error)
{
    gfp_plan *plan = &w->product.plan;
    GFP_TRY(gfp_plan_prepare(plan, NULL, error));
    const gfp_status status = multiply_prepared(w, error);
    gfp_plan_finish(plan);
    return status;
}

typedef struct check {
    const job *w;
    gfp_error *errors;   /* of each worker */
    gfp_report *reports; /* of each worker */
} check;

/* Workers must not allocate: a cap of 1 leaves the stack to the check. */
static gfp_status verify_some(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const check *v = user;
    for (size_t i = from; i < to; i++) {
        GFP_TRY(verify_one(v->w, i, 1, &v->reports[worker], NULL, &v->errors[worker]));
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* *error := the workers' error of least index. */
static void hand_back(const gfp_error *errors, unsigned workers, gfp_error *error)
{
    const gfp_error *first = NULL;
    for (unsigned i = 0; i < workers; i++) {
        if (errors[i].status != GFP_OK && (first == NULL || errors[i].index < first->index)) {
            first = &errors[i];
        }
    }
    if (first != NULL && error != NULL) {
        *error = *first;
    }
}

#define MAX_CHECKERS 32

static gfp_status verify_shared(job *w)
{
    gfp_product *p = &w->product;
    gfp_error errors[MAX_CHECKERS] = {{.status = GFP_OK}};
    gfp_report reports[MAX_CHECKERS];
    check v = {w, errors, reports};
    const gfp_parallel loop = {.run = verify_some, .job = &v};
    gfp_task_part(p->task, 1);
    if (!gfp_task_span(p->task, 1, (double)w->batch.count, w->ns / 4)) {
        return GFP_ERR_CANCELLED;
    }
    if (p->task != NULL && p->task->threads > MAX_CHECKERS) {
        p->task->threads = MAX_CHECKERS;
    }
    for (unsigned i = 0; i < MAX_CHECKERS; i++) {
        reports[i] = p->base.report;
    }
    const gfp_status status = gfp_parallel_for(&loop, p->task, w->batch.count, chunk_of(w));
    hand_back(errors, MAX_CHECKERS, &p->base.error);
    /* All products were checked in the same way; a worker may have had none. */
    for (unsigned i = 0; i < MAX_CHECKERS; i++) {
        if (reports[i].points >= p->base.report.points) {
            p->base.report.points = reports[i].points;
            p->base.report.log2_error = reports[i].log2_error;
        }
    }
    p->base.report.verified = GFP_VERIFY_POINT;
    return status;
}

/* ---- all together ---- */

static gfp_status batch_compute(gfp_product *p, gfp_error *error)
{
    job *w = (job *)p;
    gfp_request one = p->request;
    one.operation = GFP_OPERATION_PRODUCT;
    one.count = one.threads = 1;
    one.cap = 0;
    w->ns = gfp_request_time(&one, p->method);
    if (p->method->run_batch != NULL) {
        p->base.report.threads = gfp_task_threads(p->task);
        return p->method->run_batch(&p->plan, &w->batch, w->c, w->a, w->b, p->task, error);
    }
    return p->plan.workers > 0 ? multiply_side_by_side(w, error) : multiply_each(w, error);
}

/* If the field has too few points, the check is a second product: one product after the other. */
static gfp_status batch_verify(gfp_product *p)
{
    job *w = (job *)p;
    int log2_error;
    const bool points =
        p->base.options->verify == GFP_VERIFY_POINT &&
        gfp_verify_points(p->field, w->batch.len_a + w->batch.len_b - 1, &log2_error) > 0;
    const bool shared = p->plan.workers > 0 || p->method->run_batch != NULL;
    return shared && points ? verify_shared(w) : verify_each(w);
}

static gfp_status check_batch(const gfp_field *field, gfp_batch *batch, gfp_error *error)
{
    size_t sum = 0, bytes = 0, strides = 0;
    if (batch->len_a == 0 || batch->len_b == 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "a batch of factors of length 0");
    }
    if (!gfp_size_add(&sum, batch->len_a, batch->len_b)) {
        return gfp_error_set(error, GFP_ERR_SIZE, "the products' length overflows");
    }
    batch->stride_a = batch->stride_a == 0 ? batch->len_a : batch->stride_a;
    batch->stride_b = batch->stride_b == 0 ? batch->len_b : batch->stride_b;
    batch->stride_c = batch->stride_c == 0 ? sum - 1 : batch->stride_c;
    if (batch->stride_c < sum - 1) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "products of %zu coefficients %zu apart would overlap", sum - 1,
                             batch->stride_c);
    }
    if (!gfp_size_mul(&bytes, batch->stride_c, gfp_element_bytes(field)) ||
        !gfp_size_mul(&bytes, bytes, batch->count)) {
        return gfp_error_set(error, GFP_ERR_SIZE, "the products do not fit size_t");
    }
    strides = batch->stride_a > batch->stride_b ? batch->stride_a : batch->stride_b;
    if (!gfp_size_mul(&bytes, strides, gfp_element_bytes(field)) ||
        !gfp_size_mul(&bytes, bytes, batch->count)) {
        return gfp_error_set(error, GFP_ERR_SIZE, "the factors do not fit size_t");
    }
    return GFP_OK;
}

static gfp_status batch_run(job *w, const gfp_field *field)
{
    gfp_product *p = &w->product;
    const gfp_options *options = p->base.options;
    if (field == NULL || (w->batch.count > 0 && (w->a == NULL || w->b == NULL || w->c == NULL))) {
        return gfp_error_set(&p->base.error, GFP_ERR_ARGUMENT,
                             "the field, the batch, or an array is NULL");
    }
    GFP_TRY(check_batch(field, &w->batch, &p->base.error));
    const size_t len_a = w->batch.len_a, len_b = w->batch.len_b;
    w->range = gfp_range_whole(field, NULL, len_a, NULL, len_b);
    p->field = field;
    p->nothing = w->batch.count == 0;
    const gfp_problem problem = {
        .operation = GFP_OPERATION_BATCH, .len_a = len_a, .len_b = len_b, .count = w->batch.count};
    p->request = gfp_request_make(&problem, field, options);
    scan_operands(w);
    gfp_request_set_bits(&p->request, &w->range);
    GFP_TRY(gfp_product_choose(p));
    w->seed = options->verify_seed;
    if (!p->nothing && options->verify != GFP_VERIFY_NONE && w->seed == 0) {
        GFP_TRY(gfp_system_seed(&w->seed, &p->base.error));
    }
    return gfp_product_run(p);
}

gfp_status gfp_vec_mul_batch(const gfp_field *field, uint64_t *c, const uint64_t *a,
                             const uint64_t *b, const gfp_batch *batch, const gfp_options *options)
{
    job w = {.product = {.compute = batch_compute, .verify = batch_verify}, .c = c, .a = a, .b = b};
    GFP_TRY(gfp_call_begin(&w.product.base, "batch of products", options));
    if (batch != NULL) {
        w.batch = *batch;
    }
    return gfp_call_end(&w.product.base, batch_run(&w, batch == NULL ? NULL : field));
}
