/* batch.c: many products of the same lengths. Work that depends only on the lengths is done once.
 * Threads compute different products; long products are computed one after the other, each by all
 * threads.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdatomic.h>

#include "product/methods/kronecker.h"
#include "field/base/parallel.h"
#include "product/pipeline.h"
#include "field/base/support.h"
#include "product/verify/claim.h"
#include "field/base/work.h"

/* The check of groups of products by threads: by combined values, or one by one. */
typedef struct check {
    bool groups;         /* false: all threads check each product */
    size_t group;        /* products of a group */
    gfp_batch_plan plan; /* words = 0: values of each product are compared at points */
    size_t at;           /* the place of its words in a thread's area */
    uint64_t seed;
    atomic_size_t wrong;      /* the least product of a wrong group; SIZE_MAX: none */
    atomic_uint_least64_t ns; /* the time of checks between products, the sum of all threads' */
    gfp_report report;        /* of a product, where they are checked one by one */
} check;

typedef struct job {
    gfp_product product;
    uint64_t *c;
    const uint64_t *a, *b;
    gfp_batch batch; /* strides filled in, none is 0 */
    gfp_range range; /* of each product, without coefficients */
    double ns;       /* of a product, on one thread */
    uint64_t *work;  /* for each thread */
    size_t words;    /* this many words */
    check check;
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
    return batch_blame(
        gfp_verify_product(&claim, options->verify, w->check.seed, report, task, error), i, error);
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

/* ---- checks of groups ---- */

/* A group has at most GROUP_BYTES, so that it is in a cache yet, and takes at most GROUP_NS: calls
 * of a progress callback lie between groups. Fewer products than GROUP_LEAST would not fill the
 * lanes; products of ALONE coefficients and more do, each by itself. */
#define GROUP_BYTES ((size_t)1 << 20)
#define GROUP_NS 1e6
#define GROUP_LEAST 8
#define ALONE 1024

/* Whole cache lines, so that no two threads write to one. */
static size_t area_words(size_t words)
{
    return words == 0 ? 0 : gfp_size_add_sat(words, 15) / 8 * 8;
}

static gfp_batch_claim claim_from(const job *w, size_t from, size_t count)
{
    gfp_batch_claim claim = {.field = w->product.field,
                             .a = a_at(w, from),
                             .b = b_at(w, from),
                             .c = c_at(w, from),
                             .batch = w->batch};
    claim.batch.count = count;
    return claim;
}

/* Threads must not allocate: a cap of 1 leaves the stack to the check of a product. */
static bool check_each(job *w, size_t from, size_t count)
{
    gfp_report report = w->product.base.report;
    bool right = true;
    for (size_t i = from; i < from + count; i++) {
        right = verify_one(w, i, 1, &report, NULL, NULL) == GFP_OK && right;
    }
    if (from == 0) {
        w->check.report = report;
    }
    return right;
}

/* Marks a group that is wrong. */
static void check_group(job *w, size_t from, size_t count, uint64_t *work)
{
    check *v = &w->check;
    const gfp_batch_claim claim = claim_from(w, from, count);
    const bool right = v->plan.words > 0 ? gfp_verify_batch(&claim, &v->plan, v->seed, work + v->at)
                                         : check_each(w, from, count);
    size_t least = atomic_load(&v->wrong);
    while (!right && from < least && !atomic_compare_exchange_weak(&v->wrong, &least, from)) {
    }
}

/* The error of the least wrong group: of its first wrong product, where its own check finds it. */
static gfp_status blame_group(const job *w, gfp_call *call)
{
    const size_t first = atomic_load(&w->check.wrong);
    const size_t end = first + gfp_size_min(w->batch.count - first, w->check.group);
    for (size_t i = first; i < end; i++) {
        if (verify_one(w, i, call->options->memory_cap, &call->report, NULL, &call->error) ==
            GFP_ERR_VERIFY) {
            return GFP_ERR_VERIFY;
        }
    }
    return gfp_error_set_at(&call->error, GFP_ERR_VERIFY, first,
                            "one of the products from %zu to %zu is wrong", first, end - 1);
}

/* After all groups were checked. */
static gfp_status finish_check(job *w)
{
    gfp_call *call = &w->product.base;
    const check *v = &w->check;
    const bool combined = v->plan.words > 0;
    call->report.verified = GFP_VERIFY_POINT;
    call->report.points = combined ? 1 : v->report.points;
    call->report.log2_error = combined ? v->plan.log2_error : v->report.log2_error;
    return atomic_load(&v->wrong) == SIZE_MAX ? GFP_OK : blame_group(w, call);
}

static size_t group_size(const job *w)
{
    const gfp_field *field = w->product.field;
    const size_t length = w->batch.len_a + w->batch.len_b - 1;
    const size_t share = w->batch.count / (2 * (size_t)gfp_task_threads(w->product.task));
    size_t group = GROUP_BYTES / (2 * length * gfp_element_bytes(field));
    if (group < GROUP_LEAST) {
        group = length >= ALONE ? 1 : GROUP_LEAST;
    }
    group = gfp_size_min(group, (size_t)(GROUP_NS / (w->ns + 1)) + 1);
    group = gfp_size_min(gfp_size_min(group, share), GFP_VERIFY_TOGETHER);
    return group == 0 ? 1 : group;
}

/* Whether threads check groups, and how. Long products, and those of a field with too few points,
 * are checked one after the other, each by all threads. */
static void choose_check(job *w)
{
    gfp_product *p = &w->product;
    check *v = &w->check;
    int log2_error;
    const size_t cap = p->base.options->memory_cap;
    const size_t length = w->batch.len_a + w->batch.len_b - 1;
    atomic_init(&v->wrong, SIZE_MAX);
    atomic_init(&v->ns, 0);
    v->plan.words = 0;
    v->group = 1;
    v->groups = p->base.options->verify == GFP_VERIFY_POINT &&
                (p->plan.workers > 0 || p->method->run_batch != NULL) &&
                gfp_verify_points(p->field, length, &log2_error) > 0;
    if (v->groups) {
        v->group = group_size(w);
        const gfp_batch_claim claim = claim_from(w, 0, v->group);
        const bool planned = gfp_verify_batch_plan(&v->plan, &claim);
        const size_t words = gfp_size_mul_sat(area_words(v->plan.words), gfp_task_threads(p->task));
        /* Under a cap no products are computed side by side (choice.c): here it limits run_batch.
         */
        v->groups = planned ? cap == 0 || gfp_work_bytes(words) <= cap
                            : length == 1 || !gfp_verify_folds(p->field);
    }
    v->plan.words = v->groups ? v->plan.words : 0;
}

/* Item i: a group. */
static gfp_status check_groups(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    job *w = user;
    const size_t group = w->check.group;
    uint64_t *work = w->words == 0 ? NULL : w->work + worker * w->words;
    for (size_t i = from * group; i < gfp_size_min(to * group, w->batch.count); i += group) {
        const size_t count = gfp_size_min(group, w->batch.count - i);
        check_group(w, i, count, work);
        if (!gfp_task_advance(task, (double)count)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* After a method that computes all products in one call. */
static gfp_status check_all(job *w)
{
    gfp_product *p = &w->product;
    const size_t groups = (w->batch.count - 1) / w->check.group + 1;
    const gfp_parallel loop = {.run = check_groups, .job = w};
    const unsigned workers = gfp_parallel_workers(p->task, groups, 1);
    gfp_work area;
    w->words = area_words(w->check.plan.words);
    w->check.at = 0;
    gfp_status status = gfp_work_take(&area, p->field, w->words * workers);
    if (status != GFP_OK) {
        return gfp_error_set(&p->base.error, status, "no memory to check a batch of products");
    }
    w->work = area.words;
    gfp_task_part(p->task, 1);
    status = gfp_task_span(p->task, 1, (double)w->batch.count, w->ns / 8)
                 ? gfp_parallel_for(&loop, p->task, groups, 1)
                 : GFP_ERR_CANCELLED;
    gfp_work_give(&area, p->field);
    return status == GFP_OK ? finish_check(w) : status;
}

/* ---- products side by side ---- */

static gfp_status multiply_one(const job *w, size_t i, uint64_t *work, gfp_error *error)
{
    const gfp_range range = range_at(w, i);
    const gfp_plan *plan = &w->product.plan;
    return plan->method->run(plan, &range, c_at(w, i), work, NULL, error);
}

/* Products from i on, and their check while they are in a cache. */
static gfp_status multiply_group(job *w, size_t i, size_t count, uint64_t *work, gfp_task *task,
                                 gfp_error *error)
{
    check *v = &w->check;
    const bool timed = v->groups && w->product.base.options->report != NULL;
    for (size_t e = i; e < i + count; e++) {
        GFP_TRY(multiply_one(w, e, work, error));
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    const uint64_t start = timed ? gfp_clock_ns() : 0;
    if (v->groups) {
        check_group(w, i, count, work);
    }
    if (timed) {
        atomic_fetch_add(&v->ns, gfp_clock_ns() - start);
    }
    return GFP_OK;
}

/* Item i: product i + 1. */
static gfp_status multiply_some(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    job *w = user;
    /* Without work space there is no pointer to advance. */
    uint64_t *work = w->work == NULL ? NULL : w->work + worker * w->words;
    for (size_t i = from; i < to; i += w->check.group) {
        const size_t count = gfp_size_min(w->check.group, to - i);
        GFP_TRY(multiply_group(w, i + 1, count, work, task, NULL));
    }
    return GFP_OK;
}

/* Products that a thread takes at once: whole groups. */
static size_t chunk_of(const job *w)
{
    const size_t chunk = gfp_parallel_chunk(w->product.task, w->batch.count, 8);
    const size_t most = (size_t)(GFP_BATCH_CHUNK_NS / (w->ns + 1)) + 1;
    const size_t groups = gfp_size_min(chunk, most) / w->check.group;
    return groups == 0 ? w->check.group : groups * w->check.group;
}

/* Runs in the calling thread, and makes the tables that the field keeps. */
static gfp_status multiply_first(job *w, gfp_error *error)
{
    return multiply_group(w, 0, 1, w->work, w->product.task, error);
}

/* The work space of the threads, and of their checks. Where a check by default lacks memory, the
 * products are not checked. */
static gfp_status take_area(job *w, gfp_work *area, unsigned workers)
{
    gfp_product *p = &w->product;
    check *v = &w->check;
    v->at = area_words(p->plan.needs.words);
    w->words = gfp_size_add_sat(v->at, area_words(v->plan.words));
    const gfp_status status = gfp_work_take(area, p->field, gfp_size_mul_sat(w->words, workers));
    if (status != GFP_ERR_MEMORY || v->plan.words == 0 || !gfp_call_uncheck(&p->base)) {
        return status;
    }
    v->groups = false;
    v->plan.words = 0;
    w->words = v->at;
    return gfp_work_take(area, p->field, gfp_size_mul_sat(w->words, workers));
}

static gfp_status multiply_prepared(job *w, gfp_error *error)
{
    gfp_product *p = &w->product;
    const gfp_parallel loop = {.run = multiply_some, .job = w};
    const unsigned workers = gfp_parallel_workers(p->task, w->batch.count, chunk_of(w));
    p->base.report.threads = workers;
    gfp_work area;
    gfp_status status = take_area(w, &area, workers);
    if (status != GFP_OK) {
        return gfp_error_set(error, status, "%s: no memory for the work space of a batch",
                             p->method->name);
    }
    w->work = area.words;
    if ((w->check.groups || p->base.options->verify == GFP_VERIFY_NONE) && p->task != NULL) {
        p->task->part_to = 1; /* nothing is left to do after the products */
    }
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

/* ---- all together ---- */

static gfp_status batch_compute(gfp_product *p, gfp_error *error)
{
    job *w = (job *)p;
    gfp_request one = p->request;
    one.operation = GFP_OPERATION_PRODUCT;
    one.count = one.threads = 1;
    one.cap = 0;
    w->ns = gfp_request_time(&one, p->method);
    choose_check(w);
    if (p->method->run_batch != NULL) {
        p->base.report.threads = gfp_task_threads(p->task);
        return p->method->run_batch(&p->plan, &w->batch, w->c, w->a, w->b, p->task, error);
    }
    return p->plan.workers > 0 ? multiply_side_by_side(w, error) : multiply_each(w, error);
}

static gfp_status batch_verify(gfp_product *p)
{
    job *w = (job *)p;
    if (!w->check.groups) {
        return verify_each(w);
    }
    if (p->method->run_batch != NULL) {
        return check_all(w);
    }
    p->base.checked_ns += atomic_load(&w->check.ns) / p->base.report.threads;
    return finish_check(w);
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
    w->check.seed = options->verify_seed;
    if (!p->nothing) {
        gfp_default_product(&p->base, &w->range, gfp_method_on_device(p->method));
    }
    if (!p->nothing && p->base.options->verify != GFP_VERIFY_NONE && w->check.seed == 0) {
        const gfp_status status = gfp_system_seed(&w->check.seed, &p->base.error);
        if (status != GFP_OK && !gfp_call_uncheck(&p->base)) {
            return status;
        }
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
