/* claim.c: checks of a product or a part of one at run time: modulo a random polynomial
 * (residues.c), at random points (values.c), or against an independent method.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <sys/random.h>

#include "product/choose/choice.h"
#include "product/methods/row.h"
#include "field/base/options.h"
#include "field/base/parallel.h"
#include "field/base/support.h"
#include "product/verify/claim.h"

#define LOG2_ERROR (-40)
#define MAX_SET ((uint64_t)1 << 60)

static size_t length_of(const gfp_claim *claim)
{
    return claim->range.end - claim->range.first;
}

/* The points are drawn from S = [0, set_size). */
static uint64_t set_size(const gfp_field *field)
{
    uint64_t r = gfp_field_r(field);
    return r < MAX_SET ? r : MAX_SET;
}

/* The difference of c and the range of a b is a polynomial of degree <= len_c - 1 =: d. If it is
 * not 0, it vanishes at no more than d of the |S| points (digits are distinct mod p). So one point
 * misses the difference with probability <= d / |S|, and m independent points with its m-th power.
 * Returns the m that makes this <= 2^LOG2_ERROR, and 0 if m exceeds GFP_VERIFY_MAX_POINTS. */
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

/* The system is asked once for each thread: a call of it takes as long as the check of a short
 * product. Processes after a fork draw the same seeds, which no check minds. */
gfp_status gfp_system_seed(uint64_t *seed, gfp_error *error)
{
    static _Thread_local gfp_random source;
    static _Thread_local bool ready;
    uint64_t first;
    ssize_t n = sizeof first;
    while (!ready && (n = getrandom(&first, sizeof first, 0)) < 0 && errno == EINTR) {
    }
    if (n != (ssize_t)sizeof first) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE,
                             "the system gives no random numbers for the check; set verify_seed");
    }
    if (!ready) {
        gfp_random_seed(&source, first);
        ready = true;
    }
    *seed = gfp_random_u64(&source);
    return GFP_OK;
}

void gfp_verify_draw(const gfp_field *field, uint64_t *d, unsigned points, uint64_t seed)
{
    gfp_random g;
    gfp_random_seed(&g, seed);
    for (unsigned i = 0; i < points; i++) {
        d[i] = gfp_random_below(&g, set_size(field));
    }
}

static gfp_status not_canonical(const gfp_claim *claim, size_t i, gfp_error *error)
{
    i += claim->range.first;
    return gfp_error_set_at(error, GFP_ERR_VERIFY, i,
                            "coefficient %zu of the product is not canonical", i);
}

/* Whether both sides agree modulo a random polynomial or at random points. */
static gfp_status compare_values(const gfp_claim *claim, uint64_t seed, gfp_report *report,
                                 gfp_task *task, gfp_error *error)
{
    gfp_identity identity = {.field = claim->range.field,
                             .used = claim->used,
                             .tuning = claim->tuning,
                             .cap = claim->cap};
    gfp_finding found;
    gfp_identity_add(&identity, NULL, 0, NULL, 0)->product = claim->range;
    gfp_term *c = gfp_identity_add(&identity, claim->c, length_of(claim), NULL, 1);
    c->minus = c->result = true;
    const gfp_status status = gfp_verify_identity(&identity, seed, &found, task, error);
    report->points = found.points;
    report->log2_error = found.log2_error;
    if (status != GFP_ERR_VERIFY) {
        return status;
    }
    if (found.wrong != GFP_NO_INDEX) {
        return not_canonical(claim, (size_t)found.wrong, error);
    }
    return found.j > 0 ? gfp_error_set(error, status,
                                       "the product and its operands differ modulo X^%zu - d for "
                                       "a random d",
                                       found.j)
                       : gfp_error_set(error, status,
                                       "the product and its operands differ at a random point");
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

static gfp_status second_method(const gfp_method **second, const gfp_claim *claim,
                                const gfp_task *task, bool no_gpu, gfp_error *error)
{
    gfp_problem again = gfp_range_problem(&claim->range);
    const gfp_options options = {.threads = gfp_task_threads(task),
                                 .gpu_device = gfp_task_device(task),
                                 .gpu_count = gfp_task_devices(task),
                                 .memory_cap = claim->cap,
                                 .tuning = claim->tuning};
    again.no_gpu = no_gpu;
    const gfp_request q = gfp_request_make(&again, claim->range.field, &options);
    return gfp_request_second(second, &q, claim->used, error);
}

static gfp_status compare_products(const gfp_claim *claim, const gfp_method *second, uint64_t *d,
                                   gfp_task *task, gfp_error *error)
{
    const gfp_method *used = claim->used;
    gfp_range range = claim->range;
    gfp_range_trim(&range);
    GFP_TRY(gfp_range_run(second, &range, d, claim->cap, task, error));
    size_t i = first_difference(claim->range.field, claim->c, d, length_of(claim));
    if (i == length_of(claim)) {
        return GFP_OK;
    }
    i += claim->range.first;
    return gfp_error_set_at(error, GFP_ERR_VERIFY, i, "%s and %s differ at coefficient %zu",
                            used != NULL ? used->name : "the given product", second->name, i);
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
        const gfp_method *other;
        if (second_method(&other, claim, task, true, NULL) == GFP_OK) {
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
    const gfp_method *second = claim->second;
    const size_t wrong = gfp_vec_canonical(claim->range.field, claim->c, length_of(claim));
    if (wrong < length_of(claim)) {
        return not_canonical(claim, wrong, error);
    }
    if (second == NULL) {
        GFP_TRY(second_method(&second, claim, task, false, error));
    }
    report->verified = GFP_VERIFY_CROSS;
    const gfp_allocator *allocator = gfp_field_allocator(claim->range.field);
    size_t size = gfp_field_k(claim->range.field) * sizeof(uint64_t);
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

void gfp_default_check(gfp_call *call, const gfp_field *field)
{
    if (call->options->memory_cap == 0 && gfp_verify_folds(field)) {
        gfp_call_check(call);
    }
}

void gfp_default_product(gfp_call *call, const gfp_range *range, bool device)
{
    if (!device && gfp_range_is_whole(range) && range->len_a >= GFP_DEFAULT_FACTOR &&
        range->len_b >= GFP_DEFAULT_FACTOR) {
        gfp_default_check(call, range->field);
    }
}

gfp_status gfp_verify_product(const gfp_claim *claim, gfp_verify how, uint64_t seed,
                              gfp_report *report, gfp_task *task, gfp_error *error)
{
    int log2_error = 0;
    report->verified = how;
    report->points = 0;
    report->log2_error = 0;
    report->cross_method = NULL;
    const bool served = how == GFP_VERIFY_POINT &&
                        gfp_verify_points(claim->range.field, length_of(claim), &log2_error) > 0;
    return served ? compare_values(claim, seed, report, task, error)
                  : verify_cross(claim, report, task, error);
}
