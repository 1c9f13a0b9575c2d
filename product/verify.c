/* verify.c: checks of a product at run time: at random points, each a single digit, so that
 * Horner's rule takes k digit products per coefficient; or against an independent method.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <sys/random.h>

#include "chooser.h"
#include "kernels.h"
#include "methods.h"
#include "options.h"
#include "parallel.h"
#include "support.h"
#include "verify.h"
#include "work.h"

#define LOG2_ERROR (-40)
#define MAX_SET ((uint64_t)1 << 60)

static size_t length_of(const gfp_claim *claim)
{
    return claim->len_a + claim->len_b - 1;
}

/* The points are drawn from S = [0, set_size). */
static uint64_t set_size(const gfp_field *field)
{
    uint64_t r = gfp_field_r(field);
    return r < MAX_SET ? r : MAX_SET;
}

/* c - a b is a polynomial of degree <= len_a + len_b - 2 =: d. If it is not 0, it vanishes at no
 * more than d of the |S| points (digits are distinct mod p). So one point misses the difference
 * with probability <= d / |S|, and m independent points with its m-th power. Returns the m that
 * makes this <= 2^LOG2_ERROR, and 0 if m exceeds GFP_VERIFY_MAX_POINTS. */
unsigned gfp_verify_points(const gfp_field *field, size_t len_c, int *log2_error)
{
    double d = len_c > 1 ? (double)(len_c - 1) : 1;
    double one = log2(d) - log2((double)set_size(field));
    for (unsigned m = 1; m <= GFP_VERIFY_MAX_POINTS; m++) {
        if (m * one <= LOG2_ERROR) {
            *log2_error = (int)ceil(m * one);
            return m;
        }
    }
    return 0;
}

gfp_status gfp_system_seed(uint64_t *seed, gfp_error *error)
{
    ssize_t n;
    do {
        n = getrandom(seed, sizeof *seed, 0);
    } while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof *seed) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE,
                             "the system gives no random numbers for the points; set verify_seed");
    }
    return GFP_OK;
}

/* y := sum of x_i d^i; a unit per term, k digit products each. Works block after block from the
 * last, by Horner's rule in d^block, so that cancellation is checked between blocks. False:
 * cancelled. */
static bool evaluate_part(const gfp_field *field, uint64_t *y, const uint64_t *x, size_t len,
                          uint64_t d, gfp_task *task)
{
    const size_t k = gfp_field_k(field), block = gfp_task_block((double)k);
    const uint64_t exponent = block;
    uint64_t power[GFP_MAX_K], low[GFP_MAX_K];
    size_t i = (len - 1) / block * block; /* len >= 1 */
    gfp_eval_digit(field, y, x + i * k, len - i, d);
    if (i > 0) {
        gfp_elem_set_u64(field, power, d);
        gfp_elem_pow(field, power, power, &exponent, 1);
    }
    bool going = gfp_task_advance(task, (double)(len - i));
    while (i > 0 && going) {
        i -= block;
        gfp_eval_digit(field, low, x + i * k, block, d);
        gfp_elem_mul(field, y, y, power);
        gfp_elem_add(field, y, y, low);
        going = gfp_task_advance(task, (double)block);
    }
    return going;
}

/* The least number of digits of a part that a thread evaluates: some 10 us. */
#define PART_DIGITS 8192

typedef struct evaluation {
    const gfp_field *field;
    const uint64_t *x;
    size_t len, part; /* terms of all, and of a part */
    uint64_t d;
    uint64_t *y; /* an element for each part */
} evaluation;

static gfp_status evaluate_parts(void *user, size_t from, size_t to, unsigned worker,
                                 gfp_task *task)
{
    evaluation *e = user;
    const size_t k = gfp_field_k(e->field);
    (void)worker;
    for (size_t i = from; i < to; i++) {
        const size_t at = i * e->part;
        if (!evaluate_part(e->field, e->y + i * k, e->x + at * k,
                           gfp_size_min(e->part, e->len - at), e->d, task)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* evaluate_part in at most `parts` parts on the task's threads, joined by Horner's rule in d^part;
 * values: an element for each part. */
static bool evaluate_shared(const gfp_field *field, uint64_t *y, const uint64_t *x, size_t len,
                            uint64_t d, gfp_task *task, size_t parts, uint64_t *values)
{
    const size_t k = gfp_field_k(field), part = (len + parts - 1) / parts;
    evaluation e = {.field = field, .x = x, .len = len, .part = part, .d = d, .y = values};
    const gfp_parallel loop = {.run = evaluate_parts, .job = &e};
    const uint64_t exponent = part;
    uint64_t power[GFP_MAX_K];
    size_t i = (len - 1) / part + 1; /* parts that have terms */
    if (gfp_parallel_for(&loop, task, i, 1) != GFP_OK) {
        return false;
    }
    gfp_elem_set_u64(field, power, d);
    gfp_elem_pow(field, power, power, &exponent, 1);
    gfp_elem_copy(field, y, e.y + (i - 1) * k);
    for (i--; i-- > 0;) {
        gfp_elem_mul(field, y, y, power);
        gfp_elem_add(field, y, y, e.y + i * k);
    }
    return true;
}

bool gfp_verify_evaluate(const gfp_field *field, uint64_t *y, const uint64_t *x, size_t len,
                         uint64_t d, gfp_task *task)
{
    const size_t threads = gfp_task_threads(task);
    const size_t most = len * gfp_field_k(field) / PART_DIGITS;
    const size_t parts = gfp_size_min(2 * threads, most);
    gfp_work work;
    /* One thread needs no memory; without memory it evaluates everything. */
    if (threads == 1 || parts < 2 ||
        gfp_work_take(&work, field, parts * gfp_field_k(field)) != GFP_OK) {
        return evaluate_part(field, y, x, len, d, task);
    }
    const bool done = evaluate_shared(field, y, x, len, d, task, parts, work.words);
    gfp_work_give(&work, field);
    return done;
}

void gfp_verify_draw(const gfp_field *field, uint64_t *d, unsigned points, uint64_t seed)
{
    gfp_random g;
    gfp_random_seed(&g, seed);
    for (unsigned i = 0; i < points; i++) {
        d[i] = gfp_random_below(&g, set_size(field));
    }
}

/* Whether a(d) b(d) = c(d): OK, VERIFY or CANCELLED. */
static gfp_status agree_at(const gfp_claim *claim, uint64_t d, gfp_task *task)
{
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K];
    const gfp_field *field = claim->field;
    if (!gfp_verify_evaluate(field, x, claim->a, claim->len_a, d, task)) {
        return GFP_ERR_CANCELLED;
    }
    if (claim->a == claim->b && claim->len_a == claim->len_b) {
        gfp_elem_sqr(field, x, x);
    } else if (gfp_verify_evaluate(field, y, claim->b, claim->len_b, d, task)) {
        gfp_elem_mul(field, x, x, y);
    } else {
        return GFP_ERR_CANCELLED;
    }
    if (!gfp_verify_evaluate(field, y, claim->c, length_of(claim), d, task)) {
        return GFP_ERR_CANCELLED;
    }
    return gfp_elem_equal(field, x, y) ? GFP_OK : GFP_ERR_VERIFY;
}

static bool begin_points(const gfp_claim *claim, unsigned points, gfp_task *task)
{
    const double terms = (double)claim->len_a + (double)claim->len_b + (double)length_of(claim);
    return gfp_task_span(task, 1, points * terms, gfp_field_k(claim->field));
}

static gfp_status compare_points(const gfp_claim *claim, unsigned points, uint64_t seed,
                                 gfp_report *report, gfp_task *task, gfp_error *error)
{
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    if (seed == 0) {
        GFP_TRY(gfp_system_seed(&seed, error));
    }
    gfp_verify_draw(claim->field, d, points, seed);
    gfp_status status = begin_points(claim, points, task) ? GFP_OK : GFP_ERR_CANCELLED;
    for (unsigned i = 0; i < points && status == GFP_OK; i++) {
        report->points = i + 1;
        status = agree_at(claim, d[i], task);
    }
    if (status == GFP_ERR_VERIFY) {
        gfp_error_set(error, status,
                      "the product and its operands differ at a random point (%u of %u)",
                      report->points, points);
    }
    return status;
}

/* The first coefficient where x and y, n elements each, differ; n when they are equal. */
static size_t first_difference(const gfp_field *field, const uint64_t *x, const uint64_t *y,
                               size_t n)
{
    size_t k = gfp_field_k(field), i = 0;
    if (gfp_vec_equal(field, x, y, n)) {
        return n;
    }
    while (i < n && gfp_elem_equal(field, x + i * k, y + i * k)) {
        i++;
    }
    return i;
}

/* The second method: the cheapest of another family than the first method's, else another one of
 * its family; if the first method is unknown, the cheapest of all. */
static const gfp_method *second_method(const gfp_claim *claim, const gfp_task *task, bool no_gpu)
{
    const gfp_method *used = claim->used;
    const gfp_problem again = {.len_a = claim->len_a, .len_b = claim->len_b, .no_gpu = no_gpu};
    const gfp_options options = {.threads = gfp_task_threads(task),
                                 .gpu_device = gfp_task_device(task),
                                 .memory_cap = claim->cap,
                                 .tuning = claim->tuning};
    const gfp_request q = gfp_request_make(&again, claim->field, &options);
    const char *family = used != NULL ? used->family : NULL;
    const gfp_method *second = gfp_request_cheapest(&q, family, used);
    if (second == NULL) {
        second = gfp_request_cheapest(&q, NULL, used);
    }
    return second;
}

static gfp_status compare_products(const gfp_claim *claim, const gfp_method *second, uint64_t *d,
                                   gfp_task *task, gfp_error *error)
{
    const gfp_method *used = claim->used;
    const gfp_range whole = {.field = claim->field,
                             .a = claim->a,
                             .b = claim->b,
                             .len_a = claim->len_a,
                             .len_b = claim->len_b,
                             .end = length_of(claim)};
    GFP_TRY(gfp_range_run(second, &whole, d, claim->cap, task, error));
    size_t i = first_difference(claim->field, claim->c, d, length_of(claim));
    if (i == length_of(claim)) {
        return GFP_OK;
    }
    gfp_error_set(error, GFP_ERR_VERIFY, "%s and %s differ at coefficient %zu",
                  used != NULL ? used->name : "the given product", second->name, i);
    if (error != NULL) {
        error->index = i;
    }
    return GFP_ERR_VERIFY;
}

/* If the second method is on a device and fails, *second := a method of the CPU, if one can
 * serve. */
static gfp_status compare_by(const gfp_claim *claim, const gfp_method **second, uint64_t *d,
                             gfp_task *task, gfp_error *error)
{
    gfp_error why = {.status = GFP_OK};
    if (!gfp_method_on_device(*second)) {
        return compare_products(claim, *second, d, task, error);
    }
    const gfp_status status = compare_products(claim, *second, d, task, &why);
    if (status != GFP_OK && status != GFP_ERR_VERIFY && status != GFP_ERR_CANCELLED) {
        const gfp_method *other = second_method(claim, task, true);
        if (other != NULL) {
            *second = other;
            gfp_task_again(task);
            return compare_products(claim, other, d, task, error);
        }
    }
    if (status != GFP_OK && error != NULL) {
        *error = why;
    }
    return status;
}

static gfp_status verify_cross(const gfp_claim *claim, gfp_report *report, gfp_task *task,
                               gfp_error *error)
{
    const gfp_method *second = second_method(claim, task, false);
    if (second == NULL) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE,
                             "no second method can compute this product");
    }
    report->verified = GFP_VERIFY_CROSS;
    const gfp_allocator *allocator = gfp_field_allocator(claim->field);
    size_t size = gfp_field_k(claim->field) * sizeof(uint64_t);
    uint64_t *d = gfp_allocate(allocator, length_of(claim), size);
    if (d == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY,
                             "no memory for a second product of %zu coefficients",
                             length_of(claim));
    }
    const gfp_status status = compare_by(claim, &second, d, task, error);
    report->cross_method = second->name;
    gfp_release(allocator, d, length_of(claim), size);
    return status;
}

/* The other checks assume canonical coefficients: equality is equality of digits. */
static gfp_status check_canonical(const gfp_claim *claim, gfp_error *error)
{
    size_t i = gfp_vec_canonical(claim->field, claim->c, length_of(claim));
    if (i == length_of(claim)) {
        return GFP_OK;
    }
    gfp_error_set(error, GFP_ERR_VERIFY, "coefficient %zu of the product is not canonical", i);
    if (error != NULL) {
        error->index = i;
    }
    return GFP_ERR_VERIFY;
}

gfp_status gfp_verify_product(const gfp_claim *claim, gfp_verify how, uint64_t seed,
                              gfp_report *report, gfp_task *task, gfp_error *error)
{
    int log2_error = 0;
    report->verified = how;
    report->points = 0;
    report->log2_error = 0;
    report->cross_method = NULL;
    GFP_TRY(check_canonical(claim, error));
    const unsigned points = how == GFP_VERIFY_POINT
                                ? gfp_verify_points(claim->field, length_of(claim), &log2_error)
                                : 0;
    if (points == 0) {
        return verify_cross(claim, report, task, error);
    }
    report->log2_error = log2_error;
    return compare_points(claim, points, seed, report, task, error);
}
