/* batch.c: many products of the same lengths: what depends on the lengths is done once, and threads
 * share the products; long ones are computed one after the other, each by all threads.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "crt.h"
#include "gpu_methods.h"
#include "hybrid_shape.h"
#include "methods.h"
#include "parallel.h"
#include "support.h"
#include "work.h"

static const gfp_mul_options default_options;

/* From this estimate on threads share each product. */
#define LONG_NS 1e6
/* Products that a thread takes at once take so long together. */
#define CHUNK_NS 50000.0

typedef struct job {
    const gfp_field *field;
    const gfp_mul_options *options;
    const gfp_method *method;
    uint64_t *c;
    const uint64_t *a, *b;
    gfp_batch batch;   /* no stride is 0 */
    double ns;         /* of a product, on one thread */
    unsigned threads;  /* that may be used */
    bool side_by_side; /* threads share the products, not each of them */
    /* The plans of the rows hybrid and bigfft, and work areas for each thread. */
    bool hybrid, crt;
    gfp_hybrid_choice choice;
    gfp_hybrid_plan plan;
    gfp_fft_plan *transform;
    uint64_t *work;
    size_t words;
    uint64_t seed;
    gfp_mul_report *report;
    gfp_task *task;
    gfp_task storage; /* of the task, where there is one */
} job;

static const uint64_t *a_at(const job *w, size_t i)
{
    return w->a + i * w->batch.stride_a * gfp_field_k(w->field);
}

static const uint64_t *b_at(const job *w, size_t i)
{
    return w->b + i * w->batch.stride_b * gfp_field_k(w->field);
}

static uint64_t *c_at(const job *w, size_t i)
{
    return w->c + i * w->batch.stride_c * gfp_field_k(w->field);
}

/* The product, if it is one, that an error is about. */
static gfp_status blame(gfp_status status, size_t i, gfp_error *error)
{
    if (status != GFP_OK && status != GFP_ERR_CANCELLED && error != NULL) {
        error->index = i;
    }
    return status;
}

/* ---- products one by one, each by all threads ---- */

static gfp_status multiply_each(const job *w)
{
    const double share = gfp_product_share(w->options->verify);
    for (size_t i = 0; i < w->batch.count; i++) {
        gfp_task_part(w->task, share * ((double)i + 1) / (double)w->batch.count);
        GFP_TRY(blame(gfp_method_run(w->method, w->field, c_at(w, i), a_at(w, i), w->batch.len_a,
                                     b_at(w, i), w->batch.len_b, w->options->memory_cap, w->task,
                                     w->options->error),
                      i, w->options->error));
        w->report->threads = gfp_task_threads(w->task); /* within a cap one, perhaps */
    }
    return GFP_OK;
}

static gfp_status verify_each(const job *w)
{
    const double share = gfp_product_share(w->options->verify);
    for (size_t i = 0; i < w->batch.count; i++) {
        gfp_task_part(w->task, share + (1 - share) * ((double)i + 1) / (double)w->batch.count);
        GFP_TRY(blame(gfp_verify_product(w->field, c_at(w, i), a_at(w, i), w->batch.len_a,
                                         b_at(w, i), w->batch.len_b, w->options->verify, w->seed,
                                         w->options->tuning, w->options->memory_cap, w->method,
                                         w->report, w->task, w->options->error),
                      i, w->options->error));
    }
    return GFP_OK;
}

/* ---- products side by side ---- */

static gfp_status multiply_one(const job *w, size_t i, uint64_t *work)
{
    const size_t len_a = w->batch.len_a, len_b = w->batch.len_b;
    const uint64_t *a = a_at(w, i), *b = b_at(w, i);
    if (w->hybrid) {
        return gfp_hybrid_run(&w->choice, &w->plan, c_at(w, i), a, len_a, b, len_b, work, NULL);
    }
    if (w->crt) {
        return gfp_crt_mul_native_in(w->field, c_at(w, i), a, len_a, b, len_b, work);
    }
    if (w->transform != NULL) {
        gfp_bigfft_run(w->transform, c_at(w, i), a, len_a, b, len_b, work);
        return GFP_OK;
    }
    return w->method->execute(w->field, c_at(w, i), a, len_a, b, len_b, work, NULL, NULL);
}

/* Item i: product i + 1. */
static gfp_status multiply_some(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const job *w = user;
    /* Without work space there is none to step to. */
    uint64_t *work = w->work == NULL ? NULL : w->work + worker * w->words;
    for (size_t i = from; i < to; i++) {
        GFP_TRY(multiply_one(w, i + 1, work));
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Whether rows of this kind allocate nothing while they compute on one thread, there is a product
 * for each thread, and no cap asks for less work space than each thread's. */
bool gfp_batch_shares(const gfp_method *method, double ns, size_t cap, size_t count,
                      unsigned threads)
{
    return ns < LONG_NS && count >= threads && cap == 0 &&
           (strcmp(method->name, "hybrid") == 0 || strcmp(method->name, "crt") == 0 ||
            strcmp(method->name, "bigfft") == 0 || strcmp(method->name, "classical") == 0 ||
            strcmp(method->name, "karatsuba") == 0);
}

static bool is(const job *w, const char *name)
{
    return strcmp(w->method->name, name) == 0;
}

/* Products that a thread takes at once. */
static size_t chunk_of(const job *w)
{
    const size_t chunk = gfp_parallel_chunk(w->task, w->batch.count, 8);
    const size_t most = (size_t)(CHUNK_NS / (w->ns + 1)) + 1;
    return gfp_size_min(chunk, most);
}

/* Words of a thread's work area. */
static size_t work_words(const job *w)
{
    const size_t len_a = w->batch.len_a, len_b = w->batch.len_b;
    return w->hybrid              ? gfp_hybrid_words(&w->choice, &w->plan, len_a, len_b)
           : w->crt               ? gfp_crt_native_words(w->field, len_a, len_b)
           : w->transform != NULL ? gfp_bigfft_words(w->transform)
                                  : w->method->block(w->field, len_a, len_b);
}

/* In the calling thread: it makes the tables that the field keeps. */
static gfp_status multiply_first(const job *w)
{
    const gfp_status status = multiply_one(w, 0, w->work);
    if (status != GFP_OK) {
        return gfp_error_set(w->options->error, status, "%s: %s", w->method->name,
                             gfp_status_string(status));
    }
    return gfp_task_advance(w->task, 1) ? GFP_OK : GFP_ERR_CANCELLED;
}

static gfp_status multiply_planned(job *w)
{
    const gfp_parallel loop = {.run = multiply_some, .job = w};
    const unsigned workers = gfp_parallel_workers(w->task, w->batch.count, chunk_of(w));
    w->report->threads = workers;
    /* Whole cache lines, so that no two threads write to one. */
    w->words = work_words(w);
    w->words = w->words == 0 ? 0 : gfp_size_add_sat(w->words, 15) / 8 * 8;
    gfp_work area;
    gfp_status status = gfp_work_take(&area, w->field, gfp_size_mul_sat(w->words, workers));
    if (status != GFP_OK) {
        return gfp_error_set(w->options->error, status,
                             "%s: no memory for the work space of a batch", w->method->name);
    }
    w->work = area.words;
    status = gfp_task_span(w->task, 1, (double)w->batch.count, w->ns) ? multiply_first(w)
                                                                      : GFP_ERR_CANCELLED;
    if (status == GFP_OK) {
        status = gfp_parallel_for(&loop, w->task, w->batch.count - 1, chunk_of(w));
    }
    gfp_work_give(&area, w->field);
    return status;
}

static gfp_status multiply_shared(job *w)
{
    if (is(w, "bigfft")) {
        const size_t n = gfp_bigfft_length(w->batch.len_a, w->batch.len_b);
        GFP_TRY(gfp_fft_plan_create(&w->transform, w->field, n, w->options->error));
    }
    const gfp_status status = multiply_planned(w);
    gfp_fft_plan_destroy(w->transform);
    return status;
}

typedef struct check {
    const job *w;
    gfp_error *errors;       /* of each worker */
    gfp_mul_report *reports; /* the same */
} check;

static gfp_status verify_some(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const check *v = user;
    const job *w = v->w;
    for (size_t i = from; i < to; i++) {
        const gfp_status status = gfp_verify_product(
            w->field, c_at(w, i), a_at(w, i), w->batch.len_a, b_at(w, i), w->batch.len_b,
            GFP_VERIFY_POINT, w->seed, w->options->tuning, w->options->memory_cap, w->method,
            &v->reports[worker], NULL, &v->errors[worker]);
        if (status != GFP_OK) {
            return blame(status, i, &v->errors[worker]);
        }
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* The first of the workers' errors by index. */
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

static gfp_status verify_shared(const job *w)
{
    gfp_error errors[MAX_CHECKERS] = {{.status = GFP_OK}};
    gfp_mul_report reports[MAX_CHECKERS];
    check v = {w, errors, reports};
    const gfp_parallel loop = {.run = verify_some, .job = &v};
    gfp_task_part(w->task, 1);
    if (!gfp_task_span(w->task, 1, (double)w->batch.count, w->ns / 4)) {
        return GFP_ERR_CANCELLED;
    }
    if (w->task != NULL && w->task->threads > MAX_CHECKERS) {
        w->task->threads = MAX_CHECKERS;
    }
    for (unsigned i = 0; i < MAX_CHECKERS; i++) {
        reports[i] = *w->report;
    }
    const gfp_status status = gfp_parallel_for(&loop, w->task, w->batch.count, chunk_of(w));
    hand_back(errors, MAX_CHECKERS, w->options->error);
    /* Every product was checked in the same way; some worker may have had none. */
    for (unsigned i = 0; i < MAX_CHECKERS; i++) {
        if (reports[i].points >= w->report->points) {
            w->report->points = reports[i].points;
            w->report->log2_error = reports[i].log2_error;
        }
    }
    w->report->verified = GFP_VERIFY_POINT;
    return status;
}

/* ---- all at once, on a device ---- */

static gfp_status multiply_on_device(const job *w, gfp_error *error)
{
    const gfp_batch *batch = &w->batch;
    const size_t cap = w->options->memory_cap;
    const gfp_device_work work = {.method = w->method->device,
                                  .field = w->field,
                                  .c = w->c,
                                  .a = w->a,
                                  .b = w->b,
                                  .len_a = batch->len_a,
                                  .len_b = batch->len_b,
                                  .n = batch->len_a + batch->len_b - 1,
                                  .count = batch->count,
                                  .stride_a = batch->stride_a,
                                  .stride_b = batch->stride_b,
                                  .stride_c = batch->stride_c};
    const size_t bytes = gfp_device_bytes(&work);
    if (cap != 0 && bytes > cap) {
        return gfp_error_set(error, GFP_ERR_MEMORY,
                             "%s: the batch needs %zu bytes of work space, the cap is %zu",
                             w->method->name, bytes, cap);
    }
    w->report->threads = gfp_task_threads(w->task);
    return gfp_device_run(&work, w->task, error);
}

/* ---- the door ---- */

static gfp_status check_batch(const gfp_field *field, gfp_batch *batch,
                              const gfp_mul_options *options)
{
    size_t sum = 0, bytes = 0, strides = 0;
    if (batch->len_a == 0 || batch->len_b == 0) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "a batch of factors of length 0");
    }
    if (!gfp_size_add(&sum, batch->len_a, batch->len_b)) {
        return gfp_error_set(options->error, GFP_ERR_SIZE, "the products' length overflows");
    }
    batch->stride_a = batch->stride_a == 0 ? batch->len_a : batch->stride_a;
    batch->stride_b = batch->stride_b == 0 ? batch->len_b : batch->stride_b;
    batch->stride_c = batch->stride_c == 0 ? sum - 1 : batch->stride_c;
    if (batch->stride_c < sum - 1) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                             "products of %zu coefficients %zu apart would overlap", sum - 1,
                             batch->stride_c);
    }
    if (!gfp_size_mul(&bytes, batch->stride_c, gfp_element_bytes(field)) ||
        !gfp_size_mul(&bytes, bytes, batch->count)) {
        return gfp_error_set(options->error, GFP_ERR_SIZE, "the products do not fit size_t");
    }
    strides = batch->stride_a > batch->stride_b ? batch->stride_a : batch->stride_b;
    if (!gfp_size_mul(&bytes, strides, gfp_element_bytes(field)) ||
        !gfp_size_mul(&bytes, bytes, batch->count)) {
        return gfp_error_set(options->error, GFP_ERR_SIZE, "the factors do not fit size_t");
    }
    return gfp_mul_options_check(options);
}

/* Threads that have enough to do. */
unsigned gfp_batch_threads(double ns, size_t count, unsigned threads)
{
    const double most = ns * (double)count / CHUNK_NS;
    return most >= threads ? threads : most < 1 ? 1 : (unsigned)most;
}

static gfp_problem problem_of(const job *w, unsigned threads)
{
    gfp_problem p = gfp_product_problem(w->options, w->batch.len_a, w->batch.len_b, threads);
    p.operation = GFP_OPERATION_BATCH;
    p.count = w->batch.count;
    return p;
}

/* What the row that was chosen needs. */
static gfp_status plan_row(job *w, unsigned threads)
{
    const size_t len_a = w->batch.len_a, len_b = w->batch.len_b;
    char why[sizeof((gfp_method_info *)0)->reason];
    const gfp_problem all = problem_of(w, threads);
    const gfp_problem one = {.len_a = len_a, .len_b = len_b, .threads = 1, .tuning = all.tuning};
    if (!gfp_method_serves(w->method, w->field, len_a, len_b, all.gpu_device, why, sizeof why)) {
        return gfp_error_set(w->options->error, GFP_ERR_UNAVAILABLE, "%s cannot serve: %s",
                             w->method->name, why);
    }
    w->ns = gfp_problem_time(w->method, w->field, &one);
    w->hybrid = is(w, "hybrid");
    w->crt = is(w, "crt");
    w->side_by_side = gfp_batch_shares(w->method, w->ns, all.memory_cap, w->batch.count, threads);
    if (w->hybrid && w->side_by_side) {
        gfp_hybrid_choose(&w->choice, w->field);
        if (!gfp_hybrid_plan_make(&w->plan, &w->choice, len_a, len_b)) {
            return gfp_error_set(w->options->error, GFP_ERR_SIZE, "the products' length overflows");
        }
    }
    return GFP_OK;
}

static unsigned useful_threads(const job *w, unsigned threads)
{
    const gfp_problem all = problem_of(w, threads);
    return gfp_problem_threads(w->method, w->field, &all);
}

static gfp_status multiply_here(job *w)
{
    return w->side_by_side ? multiply_shared(w) : multiply_each(w);
}

/* By the row; where it is on a device that fails and nobody asked for, by one of the CPU. */
static gfp_status multiply_all(job *w)
{
    gfp_error error = {.status = GFP_OK};
    const gfp_problem all = problem_of(w, w->threads);
    if (!gfp_method_on_device(w->method)) {
        return multiply_here(w);
    }
    const gfp_status status = multiply_on_device(w, &error);
    if (gfp_method_fall_back(&w->method, w->field, &all, w->options, status, &error, w->report,
                             &w->task, &w->storage)) {
        GFP_TRY(plan_row(w, w->threads));
        return multiply_here(w);
    }
    if (status != GFP_OK && w->options->error != NULL) {
        *w->options->error = error;
    }
    return status;
}

static gfp_status compute(job *w)
{
    const bool timed = w->options->report != NULL;
    const uint64_t start = timed ? gfp_clock_ns() : 0;
    w->report->method = w->method->name;
    gfp_task_part(w->task, gfp_product_share(w->options->verify));
    GFP_TRY(multiply_all(w));
    const uint64_t done = timed ? gfp_clock_ns() : 0;
    w->report->multiply_ns = done - start;
    if (w->options->verify != GFP_VERIFY_NONE) {
        /* Where points are too few for the field, the check is a product: one by one. */
        int log2_error;
        const bool points =
            w->options->verify == GFP_VERIFY_POINT &&
            gfp_verify_points(w->field, w->batch.len_a + w->batch.len_b - 1, &log2_error) > 0;
        const bool shared = w->side_by_side || gfp_method_on_device(w->method);
        GFP_TRY(shared && points ? verify_shared(w) : verify_each(w));
        w->report->verify_ns = timed ? gfp_clock_ns() - done : 0;
    }
    return gfp_task_finish(w->task) ? GFP_OK : GFP_ERR_CANCELLED;
}

gfp_status gfp_vec_mul_batch(const gfp_field *field, uint64_t *c, const uint64_t *a,
                             const uint64_t *b, const gfp_batch *batch,
                             const gfp_mul_options *options)
{
    gfp_mul_report report = {.threads = 1};
    options = options != NULL ? options : &default_options;
    if (field == NULL || batch == NULL ||
        (batch->count > 0 && (a == NULL || b == NULL || c == NULL))) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                             "a batch without a field, lengths, factors or room for products");
    }
    job w = {.field = field, .options = options, .c = c, .a = a, .b = b, .batch = *batch};
    w.report = &report;
    w.seed = options->verify_seed;
    GFP_TRY(check_batch(field, &w.batch, options));
    const unsigned threads = gfp_parallel_threads(field, options->threads);
    w.threads = threads;
    const gfp_problem all = problem_of(&w, threads);
    GFP_TRY(gfp_method_choose(&w.method, field, &all, options));
    GFP_TRY(plan_row(&w, threads));
    report.method = w.method->name;
    report.verified = options->verify;
    gfp_status status = GFP_OK;
    if (w.batch.count > 0) {
        if (options->verify != GFP_VERIFY_NONE && w.seed == 0) {
            GFP_TRY(gfp_system_seed(&w.seed, options->error));
        }
        w.task = gfp_mul_watch(&w.storage, options, useful_threads(&w, threads));
        status = gfp_say_cancelled(compute(&w), options->error);
    }
    if (options->report != NULL && (status == GFP_OK || status == GFP_ERR_VERIFY)) {
        *options->report = report;
    }
    return status;
}
