/* plan_run.c: plans of ranges of products, and their runs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/methods/plan.h"

#include <math.h>

#include "product/methods/row.h"
#include "field/base/support.h"
#include "field/base/work.h"

/* ---- plans ---- */

/* Whether the row computes other coefficients than the range: into separate memory. */
static bool is_apart(const gfp_plan *plan)
{
    return plan->needs.first != plan->range.first || plan->needs.end != plan->range.end;
}

/* Bytes of the separate memory. */
static size_t apart_bytes(const gfp_plan *plan)
{
    return is_apart(plan) ? gfp_size_mul_sat(plan->needs.end - plan->needs.first,
                                             gfp_element_bytes(plan->range.field))
                          : 0;
}

static void count_bytes(gfp_plan *plan)
{
    const gfp_needs *needs = &plan->needs;
    const size_t area = needs->on_stack ? 0 : gfp_work_bytes(needs->words);
    plan->bytes = gfp_size_add_sat(gfp_size_add_sat(area, needs->beyond), apart_bytes(plan));
}

/* Whether the row's own plan on this many threads keeps to the cap. */
static bool plan_at_once(gfp_plan *plan, unsigned threads)
{
    plan->limits.threads = threads;
    plan->bytes = SIZE_MAX;
    plan->factor = 1;
    plan->state_bytes = sizeof plan->state;
    if (!plan->method->plan(plan)) {
        return false;
    }
    count_bytes(plan);
    return plan->limits.cap == 0 || plan->bytes <= plan->limits.cap;
}

/* Plans the whole product in separate memory; the row has the rest of the cap. */
static bool plan_whole(gfp_plan *plan)
{
    const gfp_range wanted = plan->range;
    const size_t cap = plan->limits.cap, length = gfp_range_product_length(&wanted);
    const size_t apart = gfp_size_mul_sat(length, gfp_element_bytes(wanted.field));
    if (apart >= cap) {
        return false;
    }
    plan->range.first = 0;
    plan->range.end = length;
    plan->limits.cap = cap - apart;
    const bool found = plan_at_once(plan, 1);
    plan->limits.cap = cap;
    plan->range = wanted;
    if (found) {
        plan->factor = plan->needs.share / gfp_plan_share(plan->method, &wanted);
        count_bytes(plan);
    }
    return found;
}

/* The bytes of one thread without a cap. */
static size_t bytes_at_once(const gfp_method *method, const gfp_range *range, unsigned devices)
{
    gfp_plan plan = {.method = method, .range = *range, .limits = {.devices = devices}};
    (void)plan_at_once(&plan, 1);
    return plan.bytes;
}

bool gfp_plan_make(gfp_plan *plan, const gfp_method *method, const gfp_range *range,
                   const gfp_limits *limits)
{
    plan->method = method;
    plan->range = *range;
    plan->limits = *limits;
    plan->block = 0;
    plan->workers = 0;
    if (plan_at_once(plan, limits->threads) || (limits->threads > 1 && plan_at_once(plan, 1))) {
        /* A row that works in less memory takes longer. */
        plan->factor = limits->cap == 0 ? 1 : plan->needs.share / gfp_plan_share(method, range);
        return true;
    }
    if (limits->cap == 0 || plan->bytes == SIZE_MAX || gfp_range_is_whole(range)) {
        return false;
    }
    if (plan_whole(plan)) {
        return true;
    }
    const size_t least = bytes_at_once(method, range, limits->devices);
    /* Each halving of the memory about doubles the time. */
    plan->factor = exp2(ceil(log2((double)least / (double)limits->cap)));
    plan->limits.threads = limits->threads;
    if (gfp_blocks_make(plan)) {
        plan->bytes = limits->cap;
        return true;
    }
    plan->bytes = least;
    return false;
}

double gfp_plan_share(const gfp_method *method, const gfp_range *range)
{
    gfp_plan plan = {.method = method, .range = *range, .limits = {.threads = 1}};
    return gfp_range_is_whole(range) || !method->plan(&plan) ? 1 : plan.needs.share;
}

/* ---- runs ---- */

gfp_status gfp_plan_prepare(gfp_plan *plan, gfp_task *task, gfp_error *error)
{
    return plan->method->prepare == NULL ? GFP_OK : plan->method->prepare(plan, task, error);
}

void gfp_plan_finish(gfp_plan *plan)
{
    if (plan->method->finish != NULL) {
        plan->method->finish(plan);
    }
}

static gfp_status run_on_stack(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                               gfp_task *task, gfp_error *error)
{
    _Alignas(64) uint64_t work[GFP_STACK_WORDS];
    return plan->method->run(plan, range, c, work, task, error);
}

static gfp_status run_in_area(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                              gfp_task *task, gfp_error *error)
{
    gfp_work work;
    gfp_status status = gfp_work_take(&work, range->field, plan->needs.words);
    if (status == GFP_ERR_SIZE) {
        return gfp_error_set(error, status, "%s: the work space does not fit size_t",
                             plan->method->name);
    }
    if (status != GFP_OK) {
        return gfp_error_set(error, status, "%s: no memory for %zu bytes of work space",
                             plan->method->name, plan->needs.words * sizeof(uint64_t));
    }
    status = plan->method->run(plan, range, c, work.words, task, error);
    gfp_work_give(&work, range->field);
    return status;
}

static gfp_status run_at_once(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                              gfp_task *task, gfp_error *error)
{
    return plan->needs.on_stack ? run_on_stack(plan, range, c, task, error)
                                : run_in_area(plan, range, c, task, error);
}

static gfp_status run_apart(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                            gfp_task *task, gfp_error *error)
{
    const gfp_allocator *allocator = gfp_field_allocator(range->field);
    const size_t n = plan->needs.end - plan->needs.first, bytes = gfp_element_bytes(range->field);
    uint64_t *z = gfp_allocate(allocator, n, bytes);
    if (z == NULL) {
        return gfp_error_set(error, n > SIZE_MAX / bytes ? GFP_ERR_SIZE : GFP_ERR_MEMORY,
                             "%s: no memory for a part of a product", plan->method->name);
    }
    const gfp_status status = run_at_once(plan, range, z, task, error);
    if (status == GFP_OK) {
        const size_t skip = range->first - plan->needs.first;
        gfp_vec_set(range->field, c, z + skip * gfp_field_k(range->field),
                    range->end - range->first);
    }
    gfp_release(allocator, z, n, bytes);
    return status;
}

gfp_status gfp_plan_run(gfp_plan *plan, const gfp_range *range, uint64_t *c, gfp_task *task,
                        gfp_error *error)
{
    if (task != NULL) {
        task->threads = plan->limits.threads;
    }
    if (plan->block > 0) {
        return gfp_blocks_run(plan, range, c, task, error);
    }
    GFP_TRY(gfp_plan_prepare(plan, task, error));
    const gfp_status status = is_apart(plan) ? run_apart(plan, range, c, task, error)
                                             : run_at_once(plan, range, c, task, error);
    gfp_plan_finish(plan);
    return status;
}
