/* file_mul.c: products of mapped files in little memory. What a method needs is met in one of three
 * ways: it fits; hybrid works in a scratch file and holds one leaf in memory; or the factors are
 * cut in halves, with sums and middle products in scratch files. POSIX. SPDX-License-Identifier:
 * LGPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "crt.h"
#include "file_impl.h"
#include "methods.h"
#include "parallel.h"
#include "support.h"

/* Blocks are not cut further: what does not fit then is refused. */
#define MIN_BLOCK 64
/* Areas begin on lines. */
#define LINE 64

static const gfp_mul_options default_options;

/* A product under way. */
typedef struct job {
    const gfp_field *field;
    const gfp_method *method;
    const gfp_method *hybrid;
    size_t k;
    size_t cap;       /* bytes; SIZE_MAX: as many as it takes */
    const char *path; /* scratch files lie beside it */
    gfp_scratch work; /* hybrid's, kept from block to block */
    gfp_task *task;   /* may be NULL */
    gfp_task storage; /* of the task */
    unsigned used;    /* the most threads that a block had */
    gfp_error *error;
} job;

static gfp_status open_scratch(const job *p, gfp_scratch *scratch, size_t streamed, size_t held)
{
    return gfp_scratch_open(scratch, p->path, gfp_field_allocator(p->field), streamed, held,
                            p->error);
}

/* ---- a block ---- */

/* Memory for hybrid's work: that of the block before where it is enough, used from the place where
 * what streams ends at the same address. */
static gfp_status fit_work(job *p, size_t streamed, size_t held)
{
    if (p->work.words != NULL && streamed <= p->work.streamed && held <= p->work.held) {
        return GFP_OK;
    }
    gfp_scratch_close(&p->work);
    return open_scratch(p, &p->work, streamed, held);
}

static gfp_status run_streamed(job *p, uint64_t *c, const uint64_t *a, size_t len_a,
                               const uint64_t *b, size_t len_b, const gfp_crt_areas *areas,
                               unsigned threads)
{
    GFP_TRY(fit_work(p, areas->streamed, areas->held));
    uint64_t *work = p->work.words + (p->work.streamed - areas->streamed) / sizeof(uint64_t);
    const gfp_status status =
        gfp_crt_mul_hybrid_in(p->field, c, a, len_a, b, len_b, work, threads, p->task);
    if (status != GFP_OK && status != GFP_ERR_CANCELLED) {
        gfp_error_set(p->error, status, "hybrid: %s", gfp_status_string(status));
    }
    return status;
}

/* The ways to compute a block: within `room` bytes of memory, as gfp_method_run can; with a scratch
 * file; or in halves. */
typedef enum way { WITHIN, STREAMED, CUT } way;

typedef struct block_plan {
    way how;
    size_t room;         /* WITHIN */
    gfp_crt_areas areas; /* STREAMED */
    unsigned threads;    /* STREAMED: that multiply leaves */
} block_plan;

/* A scratch file costs less than a product in little memory that takes so many times the usual. */
#define LEAN_FACTOR 1.6

/* What hybrid holds for a leaf goes to the scratch file too, as far as memory does not suffice:
 * each leaf goes through it a few times, from end to end. Up to twice the cap that is better than
 * to cut, which costs half as much again. */
static bool stream(const job *p, gfp_crt_areas *areas)
{
    if (areas->tables > p->cap || areas->held / 2 > p->cap ||
        areas->held / 8 > p->cap - areas->tables) {
        return false;
    }
    const size_t room = (p->cap - areas->tables) / LINE * LINE;
    if (areas->held > room) {
        areas->streamed += areas->held - room;
        areas->held = room;
    }
    return true;
}

/* As many threads for the leaves as the memory that the cap allows holds the work of. */
static void add_threads(const job *p, block_plan *plan, size_t len_a, size_t len_b)
{
    gfp_crt_areas areas;
    for (unsigned threads = gfp_task_threads(p->task); threads > 1; threads--) {
        if (gfp_crt_hybrid_areas(&areas, p->field, len_a, len_b, threads) &&
            areas.tables <= p->cap && areas.held <= p->cap - areas.tables) {
            plan->areas = areas;
            plan->threads = threads;
            return;
        }
    }
}

/* In so much less memory than usual no product takes only LEAN_FACTOR times as long. */
#define LEAN_SHARE 1024

/* Tables are made in the memory that the cap allows, too. */
static block_plan plan_hybrid(const job *p, size_t len_a, size_t len_b)
{
    block_plan plan = {.how = CUT};
    double factor = 1;
    if (!gfp_crt_hybrid_areas(&plan.areas, p->field, len_a, len_b, 1)) {
        return plan;
    }
    plan.room = plan.areas.tables < p->cap ? p->cap - plan.areas.tables : 1;
    gfp_limits limits = {plan.room, 1};
    const bool near =
        gfp_size_add_sat(plan.areas.streamed, plan.areas.held) / LEAN_SHARE <= plan.room;
    if (near &&
        gfp_method_bytes(p->method, p->field, len_a, len_b, &limits, &factor) <= plan.room &&
        factor <= LEAN_FACTOR) {
        plan.how = WITHIN;
    } else if (stream(p, &plan.areas)) {
        plan.how = STREAMED;
        plan.threads = 1;
        add_threads(p, &plan, len_a, len_b);
    }
    return plan;
}

static block_plan plan_block(const job *p, size_t len_a, size_t len_b)
{
    if (p->method == p->hybrid) {
        return plan_hybrid(p, len_a, len_b);
    }
    const bool fits = p->method->bytes(p->field, len_a, len_b, 1) <= p->cap;
    return (block_plan){.how = fits ? WITHIN : CUT, .room = p->cap};
}

/* ---- what it costs ---- */

/* A product whose leaves stream takes so many times as long as in memory, and halves half as long
 * again: performance-notes. */
#define STREAM_FACTOR 2.0
#define CUT_FACTOR 1.5

/* The time of the product by that in any memory; HUGE_VAL: it cannot be cut so small. */
static double time_factor(const job *p, size_t len_a, size_t len_b)
{
    if (len_a < len_b) {
        return time_factor(p, len_b, len_a);
    }
    const block_plan plan = plan_block(p, len_a, len_b);
    const size_t h = (len_a + 1) / 2;
    double factor = 1;
    if (plan.how == WITHIN && p->method == p->hybrid) {
        gfp_limits limits = {plan.room, 1};
        (void)gfp_method_bytes(p->method, p->field, len_a, len_b, &limits, &factor);
        return factor;
    }
    if (plan.how != CUT) {
        return plan.how == STREAMED ? STREAM_FACTOR : 1;
    }
    if (len_a <= MIN_BLOCK) {
        return HUGE_VAL;
    }
    return len_b <= h ? time_factor(p, h, len_b) : CUT_FACTOR * time_factor(p, h, h);
}

bool gfp_file_possible(void)
{
    return true;
}

size_t gfp_file_bytes(const gfp_method *method, const gfp_field *field, size_t len_a, size_t len_b,
                      gfp_limits *limits, double *factor)
{
    const job p = {.field = field,
                   .k = gfp_field_k(field),
                   .cap = limits->cap,
                   .method = method,
                   .hybrid = gfp_method_find("hybrid")};
    const size_t bytes = method->bytes(field, len_a, len_b, limits->threads);
    *factor = 1;
    if (limits->cap == 0) {
        return bytes;
    }
    *factor = time_factor(&p, len_a, len_b);
    return *factor < HUGE_VAL ? gfp_size_min(bytes, limits->cap) : SIZE_MAX;
}

static gfp_status refuse(const job *p, size_t len_a, size_t len_b)
{
    return gfp_error_set(p->error, GFP_ERR_MEMORY,
                         "%s needs %zu bytes for blocks of %zu by %zu coefficients; the cap is %zu",
                         p->method->name, p->method->bytes(p->field, len_a, len_b, 1), len_a, len_b,
                         p->cap);
}

static gfp_status multiply(job *p, uint64_t *c, const uint64_t *a, size_t len_a, const uint64_t *b,
                           size_t len_b, double from, double to);

/* ---- halves ---- */

/* c := a b for a = a0 + a1 x^h and b of at most h coefficients: two products. */
static gfp_status multiply_long(job *p, uint64_t *c, const uint64_t *a, size_t len_a,
                                const uint64_t *b, size_t len_b, double from, double to)
{
    const size_t h = (len_a + 1) / 2, n = len_a - h + len_b - 1;
    const double middle = (from + to) / 2;
    gfp_scratch t = {.bytes = 0};
    GFP_TRY(open_scratch(p, &t, n * p->k * sizeof(uint64_t), 0));
    gfp_status status = multiply(p, c, a, h, b, len_b, from, middle);
    if (status == GFP_OK) {
        status = multiply(p, t.words, a + h * p->k, len_a - h, b, len_b, middle, to);
    }
    if (status == GFP_OK) {
        const size_t shared = len_b - 1;
        uint64_t *z = c + h * p->k;
        gfp_vec_add(p->field, z, z, t.words, shared);
        gfp_vec_copy(p->field, z + shared * p->k, t.words + shared * p->k, n - shared);
    }
    gfp_scratch_close(&t);
    return status;
}

/* s := x0 + x1 for x = x0 + x1 X^h. */
static void add_halves(const job *p, uint64_t *s, const uint64_t *x, size_t len, size_t h)
{
    gfp_vec_add(p->field, s, x, x + h * p->k, len - h);
    gfp_vec_copy(p->field, s + (len - h) * p->k, x + (len - h) * p->k, 2 * h - len);
}

/* m -= x + y, of n_x >= n_y coefficients, while a cache holds them. */
static void subtract_both(const job *p, uint64_t *m, const uint64_t *x, size_t n_x,
                          const uint64_t *y, size_t n_y)
{
    const size_t block = gfp_binary_block(p->field);
    for (size_t i = 0; i < n_x; i += block) {
        uint64_t *z = m + i * p->k;
        gfp_vec_sub(p->field, z, z, x + i * p->k, gfp_size_min(block, n_x - i));
        if (i < n_y) {
            gfp_vec_sub(p->field, z, z, y + i * p->k, gfp_size_min(block, n_y - i));
        }
    }
}

/* c := a b by Karatsuba's three products, of h = ceil(len_a / 2) < len_b <= len_a; m has room for
 * 2 h - 1 coefficients. The longest comes first, so that work memory is made once; the sums lie
 * where later the other two go (len_a + len_b - 1 >= 2 h). */
static gfp_status multiply_halves(job *p, uint64_t *c, const uint64_t *a, size_t len_a,
                                  const uint64_t *b, size_t len_b, uint64_t *m, double from,
                                  double to)
{
    const size_t h = (len_a + 1) / 2, k = p->k, low = 2 * h - 1;
    const size_t high = len_a + len_b - 2 * h - 1, middle = len_a + len_b - 1 - h;
    const bool square = a == b && len_a == len_b;
    const double part = (to - from) / 3;
    uint64_t *sa = c, *sb = square ? sa : c + h * k, *top = c + 2 * h * k;
    add_halves(p, sa, a, len_a, h);
    if (!square) {
        add_halves(p, sb, b, len_b, h);
    }
    GFP_TRY(multiply(p, m, sa, h, sb, h, from, from + part));
    GFP_TRY(multiply(p, c, a, h, b, h, from + part, to - part));
    gfp_vec_zero(p->field, c + low * k, 1);
    GFP_TRY(multiply(p, top, a + h * k, len_a - h, b + h * k, len_b - h, to - part, to));
    subtract_both(p, m, c, low, top, high);
    /* The middle product a0 b1 + a1 b0 has at most len_a - 1 <= middle coefficients. */
    gfp_vec_add(p->field, c + h * k, c + h * k, m, gfp_size_min(low, middle));
    return GFP_OK;
}

static gfp_status multiply_balanced(job *p, uint64_t *c, const uint64_t *a, size_t len_a,
                                    const uint64_t *b, size_t len_b, double from, double to)
{
    const size_t h = (len_a + 1) / 2;
    gfp_scratch m = {.bytes = 0};
    GFP_TRY(open_scratch(p, &m, (2 * h - 1) * p->k * sizeof(uint64_t), 0));
    const gfp_status status = multiply_halves(p, c, a, len_a, b, len_b, m.words, from, to);
    gfp_scratch_close(&m);
    return status;
}

/* ---- any product ---- */

/* c := a b, which is the part from `from` to `to` of the call. The recursion is as deep as a length
 * can be halved. */
static gfp_status multiply(job *p, uint64_t *c, const uint64_t *a, size_t len_a, const uint64_t *b,
                           size_t len_b, double from, double to)
{
    if (len_a < len_b) {
        return multiply(p, c, b, len_b, a, len_a, from, to);
    }
    const block_plan plan = plan_block(p, len_a, len_b);
    if (plan.how == CUT && len_a <= MIN_BLOCK) {
        return refuse(p, len_a, len_b);
    }
    if (plan.how == CUT) {
        return len_b <= (len_a + 1) / 2 ? multiply_long(p, c, a, len_a, b, len_b, from, to)
                                        : multiply_balanced(p, c, a, len_a, b, len_b, from, to);
    }
    gfp_task_part(p->task, to);
    const unsigned threads = gfp_task_threads(p->task);
    const gfp_status status =
        plan.how == WITHIN ? gfp_method_run(p->method, p->field, c, a, len_a, b, len_b, plan.room,
                                            p->task, p->error)
                           : run_streamed(p, c, a, len_a, b, len_b, &plan.areas, plan.threads);
    if (p->task != NULL) {
        p->used = gfp_task_threads(p->task) > p->used ? gfp_task_threads(p->task) : p->used;
        p->task->threads = threads; /* of which this block may have used fewer */
    }
    return status;
}

static gfp_status run(job *p, uint64_t *c, const uint64_t *a, size_t len_a, const uint64_t *b,
                      size_t len_b, double from, double to)
{
    const gfp_status status = multiply(p, c, a, len_a, b, len_b, from, to);
    gfp_scratch_close(&p->work);
    return status;
}

/* ---- verification ---- */

static gfp_status compare(const job *p, const uint64_t *c, const uint64_t *d, size_t n)
{
    const size_t block = gfp_binary_block(p->field);
    for (size_t i = 0; i < n; i += block) {
        size_t m = gfp_size_min(block, n - i);
        const uint64_t *x = c + i * p->k, *y = d + i * p->k;
        if (gfp_vec_equal(p->field, x, y, m)) {
            continue;
        }
        for (m = 0; gfp_elem_equal(p->field, x + m * p->k, y + m * p->k);) {
            m++;
        }
        gfp_error_set(p->error, GFP_ERR_VERIFY,
                      "the product and that by %s differ at coefficient %zu", p->method->name,
                      i + m);
        if (p->error != NULL) {
            p->error->index = i + m;
        }
        return GFP_ERR_VERIFY;
    }
    return GFP_OK;
}

/* A method of another family, where there is one. */
static const gfp_method *second_method(const job *p, size_t len_a, size_t len_b,
                                       const gfp_tuning *tuning)
{
    const gfp_problem again = {.len_a = len_a,
                               .len_b = len_b,
                               .threads = gfp_task_threads(p->task),
                               .tuning = tuning,
                               .no_gpu = true};
    const gfp_method *second = gfp_problem_cheapest(p->field, &again, p->method->family, p->method);
    return second != NULL ? second : gfp_problem_cheapest(p->field, &again, NULL, p->method);
}

/* The whole product again, by another method. */
static gfp_status verify_cross(const job *first, const uint64_t *c, const uint64_t *a, size_t len_a,
                               const uint64_t *b, size_t len_b, const gfp_tuning *tuning,
                               double from, gfp_mul_report *report)
{
    const size_t n = len_a + len_b - 1;
    job p = *first;
    gfp_scratch d = {.bytes = 0};
    const gfp_method *classical = gfp_method_find("classical");
    p.method = second_method(first, len_a, len_b, tuning);
    report->verified = GFP_VERIFY_CROSS;
    GFP_TRY(open_scratch(&p, &d, n * p.k * sizeof(uint64_t), 0));
    gfp_status status = run(&p, d.words, a, len_a, b, len_b, from, 1);
    if (status == GFP_ERR_MEMORY) { /* what needs no memory, or hybrid, which needs little */
        p.method = first->method != classical ? classical : p.hybrid;
        status = run(&p, d.words, a, len_a, b, len_b, from, 1);
    }
    report->cross_method = p.method->name; /* digits have three rows: never NULL */
    if (status == GFP_OK) {
        status = compare(&p, c, d.words, n);
    }
    gfp_scratch_close(&d);
    return status;
}

static gfp_status verify(const job *p, const uint64_t *c, const uint64_t *a, size_t len_a,
                         const uint64_t *b, size_t len_b, const gfp_mul_options *options,
                         double from, gfp_mul_report *report)
{
    int log2_error = 0;
    if (options->verify == GFP_VERIFY_POINT &&
        gfp_verify_points(p->field, len_a + len_b - 1, &log2_error) > 0) {
        gfp_task_part(p->task, 1);
        return gfp_verify_product(p->field, c, a, len_a, b, len_b, options->verify,
                                  options->verify_seed, options->tuning, 0, p->method, report,
                                  p->task, p->error);
    }
    return verify_cross(p, c, a, len_a, b, len_b, options->tuning, from, report);
}

/* ---- the door ---- */

/* Coefficients without leading zeros. */
static size_t true_length(const gfp_file *file)
{
    const gfp_field *field = gfp_file_field(file);
    const uint64_t *x = gfp_file_digits(file);
    size_t n = gfp_file_length(file);
    while (n > 0 && gfp_elem_is_zero(field, x + (n - 1) * gfp_field_k(field))) {
        n--;
    }
    return n;
}

gfp_status gfp_file_product_length(const gfp_file *a, const gfp_file *b, size_t *length)
{
    const size_t len_a = true_length(a), len_b = true_length(b);
    size_t sum = 0;
    if (len_a > 0 && len_b > 0) {
        if (!gfp_size_add(&sum, len_a, len_b)) {
            return GFP_ERR_SIZE;
        }
        sum--;
    }
    *length = sum;
    return GFP_OK;
}

static gfp_status check(gfp_file *c, const gfp_file *a, const gfp_file *b,
                        const gfp_mul_options *options)
{
    size_t length = 0;
    if (!gfp_field_same(a->field, b->field) || !gfp_field_same(a->field, c->field)) {
        return gfp_error_set(options->error, GFP_ERR_FIELD_MISMATCH,
                             "operands over %s and %s, product over %s", gfp_field_name(a->field),
                             gfp_field_name(b->field), gfp_field_name(c->field));
    }
    if (gfp_file_product_length(a, b, &length) != GFP_OK) {
        return gfp_error_set(options->error, GFP_ERR_SIZE, "the product's length overflows");
    }
    if (c->fd < 0 || gfp_file_length(c) != length) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                             "the file for the product is not being made, or not of %zu "
                             "coefficients",
                             length);
    }
    return gfp_mul_options_check(options);
}

/* What is asked of the chooser. */
static gfp_problem problem_of(size_t len_a, size_t len_b, unsigned threads,
                              const gfp_mul_options *options)
{
    gfp_problem p = gfp_product_problem(options, len_a, len_b, threads);
    p.operation = GFP_OPERATION_FILE;
    return p;
}

/* The method for all blocks: that asked for, or the pick. Where none is known to keep the cap, that
 * which needs least: it says why not. */
static gfp_status choose(job *p, const gfp_problem *problem, const gfp_mul_options *options)
{
    const bool any = options->method == NULL || strcmp(options->method, "auto") == 0;
    p->hybrid = gfp_method_find("hybrid");
    if (!any) {
        return gfp_method_choose(&p->method, p->field, problem, options);
    }
    p->method = gfp_problem_best(p->field, problem);
    p->method = p->method != NULL ? p->method : p->hybrid;
    return GFP_OK;
}

/* Where a device fails that nobody asked for, the CPU does it. */
static gfp_status run_any(job *p, uint64_t *c, const uint64_t *a, size_t len_a, const uint64_t *b,
                          size_t len_b, const gfp_problem *problem, const gfp_mul_options *options,
                          gfp_mul_report *report)
{
    const double share = gfp_product_share(options->verify);
    gfp_error error = {.status = GFP_OK};
    if (!gfp_method_on_device(p->method)) {
        return run(p, c, a, len_a, b, len_b, 0, share);
    }
    p->error = &error;
    const gfp_status status = run(p, c, a, len_a, b, len_b, 0, share);
    p->error = options->error;
    if (gfp_method_fall_back(&p->method, p->field, problem, options, status, &error, report,
                             &p->task, &p->storage)) {
        if (p->task == NULL) {
            return run(p, c, a, len_a, b, len_b, 0, share);
        }
        p->task->part_to = p->task->to;
        return run(p, c, a, len_a, b, len_b, p->task->to, share);
    }
    if (status != GFP_OK && p->error != NULL) {
        *p->error = error;
    }
    return status;
}

static gfp_status compute(job *p, uint64_t *c, const uint64_t *a, size_t len_a, const uint64_t *b,
                          size_t len_b, const gfp_problem *problem, const gfp_mul_options *options,
                          gfp_mul_report *report)
{
    const double share = gfp_product_share(options->verify);
    const uint64_t start = gfp_clock_ns();
    GFP_TRY(run_any(p, c, a, len_a, b, len_b, problem, options, report));
    const uint64_t done = gfp_clock_ns();
    report->multiply_ns = done - start;
    report->threads = p->used;
    if (options->verify != GFP_VERIFY_NONE) {
        const gfp_status status = verify(p, c, a, len_a, b, len_b, options, share, report);
        report->verify_ns = gfp_clock_ns() - done;
        GFP_TRY(status);
    }
    return gfp_task_finish(p->task) ? GFP_OK : GFP_ERR_CANCELLED;
}

gfp_status gfp_file_multiply(gfp_file *c, const gfp_file *a, const gfp_file *b,
                             const gfp_mul_options *options)
{
    options = options != NULL ? options : &default_options;
    GFP_TRY(check(c, a, b, options));
    job p = {.field = c->field,
             .k = gfp_field_k(c->field),
             .cap = options->memory_cap != 0 ? options->memory_cap : SIZE_MAX,
             .path = c->target,
             .used = 1,
             .error = options->error};
    const size_t len_a = true_length(a), len_b = true_length(b);
    const bool zero = len_a == 0 || len_b == 0;
    unsigned threads = gfp_parallel_threads(c->field, options->threads);
    const gfp_problem problem = problem_of(len_a, len_b, threads, options);
    GFP_TRY(choose(&p, &problem, options));
    threads = zero ? 1 : gfp_problem_threads(p.method, p.field, &problem);
    p.task = gfp_mul_watch(&p.storage, options, threads);
    gfp_mul_report report = {.method = p.method->name, .verified = options->verify, .threads = 1};
    gfp_status status = GFP_OK;
    if (!zero) { /* the product with 0 is exact: nothing to verify */
        status = compute(&p, gfp_file_digits_mutable(c), gfp_file_digits(a), len_a,
                         gfp_file_digits(b), len_b, &problem, options, &report);
    }
    status = gfp_say_cancelled(status, options->error);
    if (options->report != NULL && (status == GFP_OK || status == GFP_ERR_VERIFY)) {
        *options->report = report;
    }
    return status;
}

gfp_status gfp_file_mul(const char *path, const gfp_file *a, const gfp_file *b,
                        const gfp_mul_options *options)
{
    gfp_error *error = options != NULL ? options->error : NULL;
    gfp_file *c = NULL;
    size_t length = 0;
    if (gfp_file_product_length(a, b, &length) != GFP_OK) {
        return gfp_error_set(error, GFP_ERR_SIZE, "the product's length overflows");
    }
    GFP_TRY(gfp_file_create(&c, path, gfp_file_field(a), length, error));
    gfp_status status = gfp_file_multiply(c, a, b, options);
    if (status == GFP_OK) {
        status = gfp_file_commit(c, error);
    }
    const int number = errno;
    gfp_file_close(c);
    errno = number;
    return status;
}
