/* mul.c: the public products: choosing the row, computing into fresh memory, verifying, and only
 * then replacing the output, so that a failure leaves it as it was and it may equal an operand.
 * Where nothing can fail once it is begun, the product goes to the output's own storage.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "methods.h"
#include "parallel.h"
#include "support.h"

static const gfp_mul_options default_options;

static bool is_free_choice(const gfp_mul_options *options)
{
    return options->method == NULL || strcmp(options->method, "auto") == 0;
}

static gfp_status unknown_method(const char *name, gfp_error *error)
{
    char known[120] = "";
    for (size_t i = 0, used = 0; i < gfp_method_count() && used < sizeof known; i++) {
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ",
                                 gfp_method_name(i));
    }
    return gfp_error_set(error, GFP_ERR_UNKNOWN,
                         "no method is called \"%.60s\"; there are auto, %s", name, known);
}

/* A cap may leave only methods that take ages: the pick is not to be one that is SLOW_FACTOR times
 * slower than without a cap and takes SLOW_NS. */
#define SLOW_FACTOR 16
#define SLOW_NS 1e8

static gfp_status refuse_slow(const gfp_method *picked, const gfp_field *field,
                              const gfp_problem *problem, gfp_error *error)
{
    gfp_problem usual = *problem;
    usual.memory_cap = 0;
    const gfp_method *row = gfp_problem_best(field, &usual);
    const double ns = gfp_problem_time(picked, field, &usual);
    const double usual_ns = gfp_problem_time(row, field, &usual);
    if (ns < SLOW_NS || ns < SLOW_FACTOR * usual_ns) {
        return GFP_OK;
    }
    return gfp_error_set(error, GFP_ERR_MEMORY,
                         "within %zu bytes of work space there is only %s, about %.0f times slower "
                         "than %s, which needs %zu",
                         problem->memory_cap, picked->name, ns / usual_ns, row->name,
                         gfp_problem_least_bytes(row, field, problem));
}

gfp_status gfp_method_check_problem(const gfp_field *field, const gfp_problem *problem,
                                    gfp_error *error)
{
    if (field == NULL || problem == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no field, or no problem");
    }
    if (gfp_operation_name(problem->operation) == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no such operation: %d",
                             (int)problem->operation);
    }
    const gfp_method *row = gfp_problem_best(field, problem);
    if (row == NULL) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "no method can serve");
    }
    const bool by_any = problem->memory_cap == 0 || problem->operation == GFP_OPERATION_FILE ||
                        problem->operation == GFP_OPERATION_OPERAND;
    return by_any ? GFP_OK : refuse_slow(row, field, problem, error);
}

gfp_status gfp_method_choose(const gfp_method **method, const gfp_field *field,
                             const gfp_problem *problem, const gfp_mul_options *options)
{
    if (is_free_choice(options)) {
        *method = gfp_problem_best(field, problem);
        return problem->memory_cap == 0 ? GFP_OK
                                        : refuse_slow(*method, field, problem, options->error);
    }
    *method = gfp_method_find(options->method);
    return *method != NULL ? GFP_OK : unknown_method(options->method, options->error);
}

/* What is asked for when the coefficients of this range are wanted, or with verification the whole
 * product. */
static gfp_problem problem_of(const gfp_range *r, unsigned threads, const gfp_mul_options *options)
{
    gfp_problem p = gfp_product_problem(options, r->len_a, r->len_b, threads);
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

gfp_status gfp_mul_options_check(const gfp_mul_options *options)
{
    if (options->verify != GFP_VERIFY_NONE && options->verify != GFP_VERIFY_POINT &&
        options->verify != GFP_VERIFY_CROSS) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "no such kind of verification: %d",
                             (int)options->verify);
    }
    return GFP_OK;
}

static gfp_status check_operands(const gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                                 const gfp_mul_options *options)
{
    if (a == NULL || b == NULL || c == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "a polynomial is NULL");
    }
    if (a->field == NULL || b->field == NULL || c->field == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                             "a polynomial was not initialised: it has no field");
    }
    if (!gfp_field_same(a->field, b->field) || !gfp_field_same(a->field, c->field)) {
        return gfp_error_set(options->error, GFP_ERR_FIELD_MISMATCH,
                             "operands over %s and %s, product over %s", gfp_field_name(a->field),
                             gfp_field_name(b->field), gfp_field_name(c->field));
    }
    return gfp_mul_options_check(options);
}

/* A product under way: what of it is wanted, what is computed, and where it goes. A verification
 * compares whole products. */
typedef struct job {
    const gfp_method *method;
    gfp_range wanted, range;
    uint64_t *digits;
    size_t len; /* coefficients computed */
    size_t cap; /* on memory for it; 0: none */
    const gfp_problem *problem;
    gfp_task *task;
    gfp_task storage; /* of the task, where there is one */
} job;

double gfp_product_share(gfp_verify verify)
{
    static const double shares[] = {1, 0.95, 0.5};
    return shares[verify];
}

gfp_task *gfp_mul_watch(gfp_task *task, const gfp_mul_options *options, unsigned threads)
{
    if (options->progress == NULL && threads <= 1 && options->gpu_device == 0 &&
        options->gpu_memory_cap == 0) {
        return NULL;
    }
    gfp_task_start(task, options->progress);
    task->threads = threads;
    task->device = options->gpu_device;
    task->device_memory = options->gpu_memory_cap;
    return task;
}

gfp_status gfp_say_cancelled(gfp_status status, gfp_error *error)
{
    if (status == GFP_ERR_CANCELLED) {
        gfp_error_set(error, status, "cancelled by the caller's progress callback");
    }
    return status;
}

bool gfp_method_fall_back(const gfp_method **method, const gfp_field *field,
                          const gfp_problem *problem, const gfp_mul_options *options,
                          gfp_status status, const gfp_error *error, gfp_mul_report *report,
                          gfp_task **task, gfp_task *storage)
{
    gfp_problem other = *problem;
    if (status == GFP_OK || status == GFP_ERR_CANCELLED || !gfp_method_on_device(*method) ||
        !is_free_choice(options)) {
        return false;
    }
    other.no_gpu = true;
    const gfp_method *row = gfp_problem_best(field, &other);
    if (row == NULL) {
        return false;
    }
    const unsigned threads = gfp_problem_threads(row, field, problem);
    if (*task == NULL) {
        *task = gfp_mul_watch(storage, options, threads);
        gfp_task_part(*task, gfp_product_share(options->verify));
    } else {
        (*task)->threads = threads;
        gfp_task_again(*task);
    }
    report->gpu_method = (*method)->name;
    report->gpu_error = *error;
    report->method = row->name;
    *method = row;
    return true;
}

/* Computes into p->digits: where a device fails that nobody asked for, by the CPU. */
static gfp_status run(job *p, const gfp_mul_options *options, gfp_mul_report *report)
{
    gfp_error error;
    if (!gfp_method_on_device(p->method)) {
        return gfp_range_run(p->method, &p->range, p->digits, p->cap, p->task, options->error);
    }
    error = (gfp_error){.status = GFP_OK};
    const gfp_status status =
        gfp_range_run(p->method, &p->range, p->digits, p->cap, p->task, &error);
    if (gfp_method_fall_back(&p->method, p->range.field, p->problem, options, status, &error,
                             report, &p->task, &p->storage)) {
        return gfp_range_run(p->method, &p->range, p->digits, p->cap, p->task, options->error);
    }
    if (status != GFP_OK && options->error != NULL) {
        *options->error = error;
    }
    return status;
}

/* Computes and verifies into p->digits, filling *report. */
static gfp_status compute(job *p, const gfp_mul_options *options, gfp_mul_report *report)
{
    const bool timed = options->report != NULL;
    uint64_t start = timed ? gfp_clock_ns() : 0;
    report->method = p->method->name;
    gfp_task_part(p->task, gfp_product_share(options->verify));
    GFP_TRY(run(p, options, report));
    uint64_t done = timed ? gfp_clock_ns() : 0;
    report->multiply_ns = done - start;
    report->threads = gfp_task_threads(p->task); /* within a cap one, perhaps */
    if (options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    gfp_task_part(p->task, 1);
    gfp_status status =
        gfp_verify_product(p->range.field, p->digits, p->range.a, p->range.len_a, p->range.b,
                           p->range.len_b, options->verify, options->verify_seed, options->tuning,
                           options->memory_cap, p->method, report, p->task, options->error);
    report->verify_ns = timed ? gfp_clock_ns() - done : 0;
    return status;
}

/* A whole product, computed for verification, takes of the cap what it is longer than the result.
 */
static gfp_status respect_cap(job *p, const gfp_mul_options *options)
{
    const size_t wanted = p->wanted.end - p->wanted.first;
    const size_t beside = (p->len - wanted) * gfp_element_bytes(p->range.field);
    if (options->memory_cap != 0 && options->memory_cap <= beside) {
        return gfp_error_set(options->error, GFP_ERR_MEMORY,
                             "the whole product, which is verified, takes %zu bytes beside the "
                             "part; the cap is %zu",
                             beside, options->memory_cap);
    }
    p->cap = options->memory_cap == 0 ? 0 : options->memory_cap - beside;
    return GFP_OK;
}

/* What to compute: what is wanted, or all of it. */
static gfp_status computed_range(job *p, const gfp_mul_options *options)
{
    size_t bytes = 0;
    p->range = p->wanted;
    if (options->verify != GFP_VERIFY_NONE) {
        p->range.first = 0;
        p->range.end = p->range.len_a + p->range.len_b - 1;
    } else {
        gfp_range_trim(&p->range);
    }
    p->len = p->range.end - p->range.first;
    if (!gfp_size_mul(&bytes, p->len, gfp_field_k(p->range.field) * sizeof(uint64_t))) {
        return gfp_error_set(options->error, GFP_ERR_SIZE,
                             "a product of %zu coefficients does not fit size_t", p->len);
    }
    return respect_cap(p, options);
}

/* c := what is wanted of p, whose memory c takes over. */
static void install(gfp_poly *c, const job *p)
{
    const size_t k = gfp_field_k(c->field), n = p->wanted.end - p->wanted.first;
    gfp_poly result;
    if (n < p->len) { /* the whole product was computed */
        memmove(p->digits, p->digits + p->wanted.first * k, n * k * sizeof *p->digits);
    }
    gfp_poly_init(&result, c->field);
    result.digits = p->digits;
    result.capacity = p->len;
    gfp_poly_normalise(&result, n);
    gfp_poly_swap(c, &result);
    gfp_poly_clear(&result);
}

/* Whether c's storage and len coefficients at x have a word in common. */
static bool overlap(const gfp_poly *c, const uint64_t *x, size_t len)
{
    const size_t size = gfp_element_bytes(c->field);
    const uintptr_t at = (uintptr_t)c->digits, other = (uintptr_t)x;
    return at < other + len * size && other < at + c->capacity * size;
}

/* Whether the product may be computed where c's digits are: there is room, the operands are
 * elsewhere, and nothing can fail once digits are written. */
static bool in_place(const gfp_poly *c, const job *p, const gfp_mul_options *options)
{
    return c->capacity >= p->len && !overlap(c, p->range.a, p->range.len_a) &&
           !overlap(c, p->range.b, p->range.len_b) && options->progress == NULL &&
           !gfp_method_on_device(p->method) && options->verify == GFP_VERIFY_NONE &&
           /* blocks within a cap allocate after the first one */
           (p->cap == 0 || p->len == p->range.len_a + p->range.len_b - 1);
}

/* The product of operands of length >= 1 each. */
static gfp_status multiply(gfp_poly *c, job *p, const gfp_mul_options *options,
                           gfp_mul_report *report)
{
    GFP_TRY(computed_range(p, options));
    if (in_place(c, p, options)) {
        p->digits = c->digits;
        GFP_TRY(compute(p, options, report));
        gfp_poly_normalise(c, p->len); /* without verification that is all that is wanted */
        return GFP_OK;
    }
    const gfp_allocator *allocator = gfp_field_allocator(c->field);
    size_t size = gfp_field_k(c->field) * sizeof(uint64_t);
    p->digits = gfp_allocate(allocator, p->len, size);
    if (p->digits == NULL) {
        return gfp_error_set(options->error, GFP_ERR_MEMORY,
                             "no memory for a product of %zu coefficients", p->len);
    }
    gfp_status status = compute(p, options, report);
    if (status == GFP_OK && !gfp_task_finish(p->task)) {
        status = GFP_ERR_CANCELLED;
    }
    if (status == GFP_OK) {
        install(c, p);
    } else {
        gfp_release(allocator, p->digits, p->len, size);
    }
    return status;
}

/* The part of a b that is wanted; false: there is nothing in it. Coefficients of X^end and above
 * matter to none of it. */
static gfp_status wanted_range(gfp_range *r, const gfp_poly *a, const gfp_poly *b, size_t first,
                               size_t n, gfp_error *error, bool *nothing)
{
    size_t end, sum = 0;
    if (!gfp_size_add(&end, first, n)) {
        end = SIZE_MAX;
    }
    *r = (gfp_range){
        a->field, a->digits, b->digits, gfp_size_min(a->len, end), gfp_size_min(b->len, end),
        first,    end};
    *nothing = r->len_a == 0 || r->len_b == 0;
    if (*nothing) {
        return GFP_OK;
    }
    if (!gfp_size_add(&sum, r->len_a, r->len_b)) {
        return gfp_error_set(error, GFP_ERR_SIZE, "the product's length overflows");
    }
    r->end = gfp_size_min(end, sum - 1);
    *nothing = r->first >= r->end;
    return GFP_OK;
}

gfp_status gfp_poly_range_by(const gfp_method *method, gfp_poly *c, const gfp_poly *a,
                             const gfp_poly *b, size_t first, size_t n,
                             const gfp_mul_options *options)
{
    static const gfp_range trivial = {.len_a = 1, .len_b = 1, .end = 1};
    options = options != NULL ? options : &default_options;
    GFP_TRY(check_operands(c, a, b, options));
    bool zero = false;
    job p = {.method = method};
    GFP_TRY(wanted_range(&p.wanted, a, b, first, n, options->error, &zero));
    if (zero) {
        p.wanted = trivial;
        p.wanted.field = c->field;
    }
    unsigned threads = gfp_parallel_threads(c->field, options->threads);
    const gfp_problem problem = problem_of(&p.wanted, threads, options);
    if (method == NULL) {
        GFP_TRY(gfp_method_choose(&p.method, c->field, &problem, options));
    }
    if (threads > 1 && !zero) {
        threads = gfp_problem_threads(p.method, c->field, &problem);
    }
    p.problem = &problem;
    p.task = gfp_mul_watch(&p.storage, options, threads);
    gfp_mul_report report = {.method = p.method->name, .threads = 1};
    gfp_status status = GFP_OK;
    if (zero) {
        gfp_poly_zero(c); /* exact: nothing to verify */
        report.verified = options->verify;
    } else {
        status = gfp_say_cancelled(multiply(c, &p, options, &report), options->error);
    }
    if (options->report != NULL && (status == GFP_OK || status == GFP_ERR_VERIFY)) {
        *options->report = report;
    }
    return status;
}

gfp_status gfp_poly_mul_by(const gfp_method *method, gfp_poly *c, const gfp_poly *a,
                           const gfp_poly *b, size_t n, const gfp_mul_options *options)
{
    return gfp_poly_range_by(method, c, a, b, 0, n, options);
}

gfp_status gfp_poly_mul(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                        const gfp_mul_options *options)
{
    return gfp_poly_mul_by(NULL, c, a, b, SIZE_MAX, options);
}

gfp_status gfp_poly_sqr(gfp_poly *c, const gfp_poly *a, const gfp_mul_options *options)
{
    return gfp_poly_mul_by(NULL, c, a, a, SIZE_MAX, options);
}

gfp_status gfp_poly_mul_low(gfp_poly *c, const gfp_poly *a, const gfp_poly *b, size_t n,
                            const gfp_mul_options *options)
{
    return gfp_poly_mul_by(NULL, c, a, b, n, options);
}

gfp_status gfp_poly_mul_high(gfp_poly *c, const gfp_poly *a, const gfp_poly *b, size_t n,
                             const gfp_mul_options *options)
{
    return gfp_poly_range_by(NULL, c, a, b, n, SIZE_MAX, options);
}

gfp_status gfp_poly_mul_middle(gfp_poly *c, const gfp_poly *a, const gfp_poly *b, size_t from,
                               size_t n, const gfp_mul_options *options)
{
    return gfp_poly_range_by(NULL, c, a, b, from, n, options);
}

static gfp_status differ(gfp_error *error, const char *what)
{
    return gfp_error_set(error, GFP_ERR_VERIFY, "%s", what);
}

/* The checks that need no arithmetic; *decided is set where they settle the matter. */
static gfp_status check_shape(const gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                              const gfp_mul_options *options, bool *decided)
{
    *decided = true;
    if (a->len == 0 || b->len == 0) {
        return c->len == 0 ? GFP_OK
                           : differ(options->error, "an operand is zero and the product is not");
    }
    if (c->len != a->len + b->len - 1) {
        return differ(options->error, "the product's degree is not the sum of the degrees");
    }
    *decided = false;
    return GFP_OK;
}

gfp_status gfp_poly_verify_mul(const gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                               const gfp_mul_options *options)
{
    options = options != NULL ? options : &default_options;
    GFP_TRY(check_operands(c, a, b, options));
    /* Asking for nothing makes no sense here: the default is a point. */
    gfp_verify how = options->verify != GFP_VERIFY_NONE ? options->verify : GFP_VERIFY_POINT;
    gfp_mul_report report = {.method = "", .verified = how};
    uint64_t start = gfp_clock_ns();
    bool decided;
    gfp_status status = check_shape(c, a, b, options, &decided);
    if (!decided) {
        gfp_task task;
        gfp_task *watched =
            gfp_mul_watch(&task, options, gfp_parallel_threads(c->field, options->threads));
        gfp_task_part(watched, 1);
        status = gfp_verify_product(c->field, c->digits, a->digits, a->len, b->digits, b->len, how,
                                    options->verify_seed, options->tuning, options->memory_cap,
                                    NULL, &report, watched, options->error);
        status = status == GFP_OK && !gfp_task_finish(watched) ? GFP_ERR_CANCELLED : status;
        status = gfp_say_cancelled(status, options->error);
    }
    report.verify_ns = gfp_clock_ns() - start;
    if (options->report != NULL && (status == GFP_OK || status == GFP_ERR_VERIFY)) {
        *options->report = report;
    }
    return status;
}
