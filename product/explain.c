/* explain.c: the text of the plan of a product (gfp_plan_text).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/pipeline.h"

#include <math.h>
#include <stdio.h>

#include "product/device/pool.h"
#include "product/methods/file_plan.h"
#include "field/base/support.h"

/* ---- the reason of the choice ---- */

/* The methods of least estimate besides the one that ran, in order. */
#define NEXT 3
typedef struct next_methods {
    const gfp_method *row[NEXT];
    double ns[NEXT];
    size_t count;
} next_methods;

static void next_insert(next_methods *next, const gfp_method *row, double ns)
{
    size_t i = next->count < NEXT ? next->count++ : NEXT;
    for (; i > 0 && ns < next->ns[i - 1]; i--) {
        if (i < NEXT) {
            next->row[i] = next->row[i - 1];
            next->ns[i] = next->ns[i - 1];
        }
    }
    if (i < NEXT) {
        next->row[i] = row;
        next->ns[i] = ns;
    }
}

/* Devices that have not been opened stay closed. */
static bool explain_asks(const gfp_request *q, const gfp_method *row)
{
    return !gfp_method_on_device(row) || gfp_request_state(q, row) != GFP_DEVICE_UNKNOWN;
}

static next_methods methods_besides(const gfp_product *p)
{
    next_methods next = {.count = 0};
    char why[sizeof((gfp_method_info *)0)->reason];
    for (size_t i = 0; i < gfp_method_count(); i++) {
        const gfp_method *row = gfp_method_row(i);
        if (row != p->method && !p->request.kept && explain_asks(&p->request, row) &&
            gfp_request_serves(&p->request, row, why, sizeof why)) {
            const double ns = gfp_request_time(&p->request, row);
            if (ns < HUGE_VAL) {
                next_insert(&next, row, ns);
            }
        }
    }
    return next;
}

static void explain_reason(const gfp_product *p, gfp_text *text)
{
    char others[160] = "none";
    const next_methods next = methods_besides(p);
    for (size_t i = 0, used = 0; i < next.count; i++) {
        char one[60];
        (void)snprintf(one, sizeof one, "%.30s %.3g ms", next.row[i]->name, next.ns[i] / 1e6);
        used = gfp_list_name(others, sizeof others, used, one);
    }
    gfp_text_line(text, "reason", "%s",
                  p->request.kept                     ? "steps are those of hybrid"
                  : p->base.report.gpu_method != NULL ? "a method on a GPU failed"
                  : gfp_options_auto(p->base.options) ? "least estimate"
                                                      : "named by the caller");
    gfp_text_line(text, "estimate", "%.3g ms", gfp_request_time(&p->request, p->method) / 1e6);
    gfp_text_line(text, "others", "%s", others);
}

/* ---- the plan ---- */

static const char *range_name(const gfp_range *r)
{
    const bool to_end = r->end == gfp_range_product_length(r);
    return r->first == 0 ? to_end ? "whole" : "low" : to_end ? "high" : "middle";
}

static void explain_range(const gfp_product *p, gfp_text *text)
{
    const gfp_range *r = &p->plan.range;
    const gfp_needs *needs = &p->plan.needs;
    gfp_text_line(text, "problem", "%s, %zu by %zu coefficients, %s",
                  gfp_operation_name(p->request.operation), p->request.len_a, p->request.len_b,
                  gfp_field_name(p->field));
    if (p->request.operation == GFP_OPERATION_BATCH) {
        gfp_text_line(text, "range", "whole, coefficients 0 to %zu",
                      p->request.len_a + p->request.len_b - 2);
        gfp_text_line(text, "count", "%zu%s", p->request.count,
                      p->plan.workers > 0 ? ", threads compute different products" : "");
        return;
    }
    gfp_text_line(text, "range", "%s, coefficients %zu to %zu", range_name(r), r->first,
                  r->end - 1);
    if (p->plan.block == 0 && (needs->first != r->first || needs->end != r->end)) {
        gfp_text_line(text, "computed", "coefficients %zu to %zu", needs->first, needs->end - 1);
    }
}

static void explain_resources(const gfp_product *p, gfp_text *text)
{
    const gfp_plan *plan = &p->plan;
    gfp_text_line(text, "threads", "%u", plan->workers > 0 ? plan->workers : plan->limits.threads);
    gfp_text_line(text, "memory", "%s%zu bytes", plan->block > 0 ? "at most " : "",
                  gfp_size_mul_sat(plan->bytes, plan->workers > 0 ? plan->workers : 1));
    if (plan->limits.cap != 0) {
        gfp_text_line(text, "cap", "%zu bytes", plan->limits.cap);
    }
    if (gfp_method_on_device(p->method)) {
        const unsigned device = p->request.device, more = p->request.members - 1;
        gfp_text_line(text, "device", p->method->one_device != NULL ? "%u to %u" : "%u", device,
                      device + more);
    }
    if (plan->block > 0) {
        const gfp_cut g = gfp_blocks_cut(&plan->range, plan->block);
        gfp_text_line(text, "blocks",
                      "%zu stripes of %zu coefficients, %zu pieces of %zu of the longer factor",
                      gfp_cut_count(g.whole.end - g.whole.first, g.width), g.width,
                      gfp_cut_count(g.whole.len_a, g.length_a), g.length_a);
    }
}

static void explain_method(const gfp_plan *plan, gfp_text *text)
{
    if (plan->block == 0 && plan->method->describe != NULL) {
        plan->method->describe(plan, text);
    }
}

/* The cuts of a product of files, and its longest block. */
static void explain_file(const gfp_product *p, gfp_text *text)
{
    const gfp_file_limits within = {p->method, p->base.cap, p->plan.limits.threads, p->request.kept,
                                    p->request.members};
    gfp_file_block b;
    unsigned cuts;
    (void)gfp_file_plan_longest(&b, &cuts, &within, &p->plan.range);
    if (cuts > 0) {
        gfp_text_line(text, "cuts", "%u, in halves: blocks of at most %zu by %zu coefficients",
                      cuts, b.range.len_a, b.range.len_b);
    }
    switch (b.how) {
    case GFP_FILE_STEPS:
        gfp_text_line(text, "file", "in steps, %u of %u threads in blocks, %zu bytes of areas",
                      b.workers, within.threads,
                      p->request.kept ? p->plan.areas * sizeof(uint64_t) : b.streamed);
        break;
    default:
        gfp_text_line(text, "file", "in memory");
        explain_method(&b.plan, text);
        break;
    }
}

void gfp_product_explain(const gfp_product *p, gfp_plan_text *text)
{
    gfp_text lines = {.bytes = text->text, .size = sizeof text->text};
    text->text[0] = '\0';
    if (p->nothing) {
        gfp_text_line(&lines, "method", "none, the result is known");
        return;
    }
    gfp_text_line(&lines, "method", "%s", p->method->name);
    explain_reason(p, &lines);
    explain_range(p, &lines);
    explain_resources(p, &lines);
    if (p->request.operation == GFP_OPERATION_FILE) {
        explain_file(p, &lines);
    } else {
        explain_method(&p->plan, &lines);
    }
}
