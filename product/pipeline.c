/* pipeline.c: see pipeline.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/pipeline.h"

#include <stdio.h>

#include "product/methods/file_plan.h"
#include "field/base/parallel.h"
#include "field/base/support.h"
#include "product/verify/claim.h"

/* ---- the choice ---- */

gfp_status gfp_method_unknown(const char *name, gfp_error *error)
{
    char known[160] = "";
    for (size_t i = 0, used = 0; i < gfp_method_count(); i++) {
        used = gfp_list_name(known, sizeof known, used, gfp_method_name(i));
    }
    return gfp_error_set(error, GFP_ERR_UNKNOWN, "unknown method \"%.60s\"; available: auto, %s",
                         name, known);
}

gfp_status gfp_method_check(const gfp_problem *problem, const gfp_field *field,
                            const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    gfp_error *error = options->error;
    if (field == NULL || problem == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no field, or no problem");
    }
    if (gfp_operation_name(problem->operation) == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no such operation: %d",
                             (int)problem->operation);
    }
    const gfp_request q = gfp_request_make(problem, field, options);
    const gfp_method *row = gfp_request_pick(NULL, &q);
    if (row == NULL) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "no method can serve");
    }
    return gfp_request_refuse_slow(&q, row, error);
}

size_t gfp_product_least_bytes(const gfp_product *p, const gfp_method **best)
{
    size_t least = SIZE_MAX;
    *best = NULL;
    for (size_t i = 0; i < gfp_method_count(); i++) {
        const gfp_method *row = gfp_method_row(i);
        const size_t bytes = gfp_method_on_device(row) || (p->method != NULL && row != p->method)
                                 ? SIZE_MAX
                                 : gfp_request_least_bytes(&p->request, row);
        if (bytes < least) {
            least = bytes;
            *best = row;
        }
    }
    return least;
}

/* Fills the error if no method keeps to the cap, with the least bytes of any method. */
static gfp_status refuse_all(gfp_product *p)
{
    const gfp_method *best;
    const size_t least = gfp_product_least_bytes(p, &best);
    return best == NULL ? gfp_error_set(&p->base.error, GFP_ERR_MEMORY,
                                        "no method computes this within %zu bytes of work space",
                                        p->request.cap)
                        : gfp_error_set(&p->base.error, GFP_ERR_MEMORY,
                                        "%s needs %zu bytes of work space, the cap is %zu",
                                        best->name, least, p->request.cap);
}

static gfp_status choose_pick(gfp_product *p)
{
    p->method = gfp_request_pick(&p->plan, &p->request);
    if (p->method == NULL) {
        return refuse_all(p);
    }
    return gfp_request_refuse_slow(&p->request, p->method, &p->base.error);
}

static gfp_status check_serves(const gfp_product *p, gfp_error *error)
{
    char why[sizeof((gfp_method_info *)0)->reason];
    return gfp_method_serves(p->method, p->field, p->request.len_a, p->request.len_b,
                             p->request.device, p->request.members, why, sizeof why)
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_UNAVAILABLE, "%s cannot serve: %s", p->method->name,
                               why);
}

/* Plans a method that the options name. */
static gfp_status choose_named(gfp_product *p)
{
    if (p->method == NULL) {
        p->method = gfp_method_find(p->base.options->method);
    }
    if (p->method == NULL) {
        return gfp_method_unknown(p->base.options->method, &p->base.error);
    }
    if (p->nothing) {
        return GFP_OK;
    }
    GFP_TRY(check_serves(p, &p->base.error));
    if (gfp_request_plan(&p->plan, &p->request, p->method)) {
        return GFP_OK;
    }
    return p->request.operation == GFP_OPERATION_FILE
               ? gfp_file_refuse(&p->plan, p->request.kept, &p->base.error)
               : gfp_plan_refuse(&p->plan, &p->base.error);
}

/* Sets the second method if the verification computes the product again. */
static gfp_status choose_second(gfp_product *p)
{
    int log2_error;
    const gfp_options *options = p->base.options;
    gfp_request q = p->request;
    const size_t length = q.end - q.first;
    if (q.operation == GFP_OPERATION_BATCH) { /* its products are verified one by one */
        q.operation = GFP_OPERATION_PRODUCT;
        q.count = 1;
    }
    q.no_gpu = q.no_gpu || q.operation == GFP_OPERATION_FILE;
    p->second = NULL;
    return p->nothing || options->verify == GFP_VERIFY_NONE ||
                   (options->verify == GFP_VERIFY_POINT &&
                    gfp_verify_points(p->field, length, &log2_error) > 0)
               ? GFP_OK
               : gfp_request_second(&p->second, &q, p->method, &p->base.error);
}

gfp_status gfp_product_choose(gfp_product *p)
{
    GFP_TRY(p->method == NULL && gfp_options_auto(p->base.options) ? choose_pick(p)
                                                                   : choose_named(p));
    return choose_second(p);
}

/* ---- the call ---- */

static unsigned threads_of(const gfp_plan *plan)
{
    return plan->workers > 0 ? plan->workers : plan->limits.threads;
}

/* Whether a call that ended with status continues: the chooser picked the method, and a device
 * failed. After several devices one of them may serve, else the CPU. */
static bool fall_back(gfp_product *p, gfp_status status, const gfp_error *error)
{
    if (status == GFP_OK || status == GFP_ERR_CANCELLED || !gfp_options_auto(p->base.options)) {
        return false;
    }
    p->request.no_gpu = p->method->one_device == NULL;
    p->request.members = 1;
    const gfp_method *row = gfp_request_pick(&p->plan, &p->request);
    if (row == NULL || gfp_request_refuse_slow(&p->request, row, NULL) != GFP_OK) {
        return false;
    }
    if (p->task == NULL) {
        p->task = gfp_call_task(&p->base, threads_of(&p->plan));
        gfp_task_part(p->task, gfp_call_share(p->base.options->verify));
    } else {
        p->task->threads = threads_of(&p->plan);
        gfp_task_again(p->task);
        p->from = p->task->to;
    }
    p->base.report.gpu_method = p->method->name;
    p->base.report.gpu_error = *error;
    p->base.report.method = row->name;
    p->method = row;
    return choose_second(p) == GFP_OK;
}

static gfp_status pipeline_compute(gfp_product *p)
{
    while (gfp_method_on_device(p->method)) {
        gfp_error error = {.status = GFP_OK};
        gfp_status status = check_serves(p, &error);
        status = status == GFP_OK ? p->compute(p, &error) : status;
        if (!fall_back(p, status, &error)) {
            p->base.error = error;
            return status;
        }
    }
    return p->compute(p, &p->base.error);
}

/* A check by default leaves a right result as it is where it lacks memory or random numbers. */
static gfp_status pipeline_verify(gfp_product *p)
{
    gfp_report *report = &p->base.report;
    gfp_call_checks(&p->base);
    const gfp_status status = p->verify(p);
    if (status == GFP_OK || status == GFP_ERR_VERIFY || status == GFP_ERR_CANCELLED ||
        !gfp_call_uncheck(&p->base)) {
        return status;
    }
    report->verified = GFP_VERIFY_NONE;
    report->points = 0;
    report->log2_error = 0;
    return GFP_OK;
}

static gfp_status compute_and_verify(gfp_product *p)
{
    p->base.start = p->base.options->report != NULL ? gfp_clock_ns() : 0;
    gfp_task_part(p->task, gfp_call_share(p->base.options->verify));
    GFP_TRY(pipeline_compute(p));
    if (p->base.options->verify == GFP_VERIFY_NONE) { /* perhaps since a check lacked memory */
        p->base.report.verified = GFP_VERIFY_NONE;
    } else {
        GFP_TRY(pipeline_verify(p));
    }
    return gfp_task_finish(p->task) ? GFP_OK : GFP_ERR_CANCELLED;
}

static gfp_status pipeline_run(gfp_product *p)
{
    p->base.report.method = p->method->name;
    p->base.report.verified = p->nothing ? GFP_VERIFY_NONE : p->base.options->verify;
    p->from = 0;
    p->task = NULL;
    if (p->nothing) {
        return GFP_OK;
    }
    p->task = gfp_call_task(&p->base, threads_of(&p->plan));
    return compute_and_verify(p);
}

gfp_status gfp_product_run(gfp_product *p)
{
    const gfp_status status = pipeline_run(p);
    if (p->base.options->plan != NULL && (status == GFP_OK || status == GFP_ERR_VERIFY)) {
        gfp_call_checked(&p->base);
        const uint64_t from = gfp_clock_ns();
        gfp_product_explain(p, p->base.options->plan);
        p->base.start += gfp_clock_ns() - from; /* no time of the product */
    }
    return status;
}
