/* file_plan.c: how products of files keep to a cap on memory, and the cost of that.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/methods/file_plan.h"

#include <math.h>

#include "field/base/support.h"

/* Areas begin on lines of this many bytes. */
#define LINE 64

/* ---- a block ---- */

/* A product in little memory that takes this multiple of the usual time, or more, costs more than a
 * scratch file. */
#define LEAN_FACTOR 1.6
/* A product in less than this fraction of the usual memory takes more than LEAN_FACTOR times as
 * long. */
#define LEAN_SHARE 1024
/* The time of a product in steps, over its time in memory; and the factor by which cutting into
 * halves multiplies the time: docs/design/files.md. */
#define STEPS_FACTOR 2.0
#define CUT_FACTOR 1.5

/* Whether the block can be computed in memory; the cap includes the tables. */
static bool plan_within(gfp_file_block *b, const gfp_file_limits *p)
{
    const gfp_limits free = {.threads = 1, .devices = p->devices};
    if (!gfp_plan_make(&b->plan, p->method, &b->range, &free)) {
        return false;
    }
    const size_t tables = b->plan.needs.tables;
    const gfp_limits within = {
        .cap = tables < p->cap ? p->cap - tables : 1, .threads = p->threads, .devices = p->devices};
    const bool near = tables == 0 || b->plan.bytes / LEAN_SHARE <= within.cap;
    b->how = GFP_FILE_WITHIN;
    return near && gfp_plan_make(&b->plan, p->method, &b->range, &within) &&
           b->plan.factor <= LEAN_FACTOR;
}

/* The block in halves. */
static void plan_halves(gfp_file_block *b)
{
    b->half = gfp_cut_count(b->range.len_a, 2);
    b->how = b->range.len_a <= GFP_FILE_MIN_BLOCK ? GFP_FILE_REFUSED
             : b->range.len_b <= b->half          ? GFP_FILE_LONG
                                                  : GFP_FILE_HALVES;
    b->factor = b->how == GFP_FILE_REFUSED ? HUGE_VAL : b->how == GFP_FILE_LONG ? 1 : CUT_FACTOR;
}

/* Whether the block can be computed in steps. If memory is too small for a leaf's work, the rest of
 * that goes to the scratch file as well; each leaf passes through the file a few times, from end to
 * end. Up to twice the cap that is faster than cutting, which adds half the work. What is kept lies
 * in other areas than what it is made from. */
static bool plan_steps(gfp_file_block *b, const gfp_file_limits *p)
{
    const gfp_range *r = &b->range;
    /* Without pointers to coefficients: as if the factors differed. */
    const bool square = r->a != NULL && r->a == r->b && r->len_a == r->len_b;
    const gfp_hybrid_steps *steps = &b->steps;
    if (p->method != gfp_method_find("hybrid") ||
        !gfp_hybrid_steps_plan(&b->steps, r->field, r->len_a, r->len_b, !p->kept) ||
        steps->tables > p->cap) {
        return false;
    }
    const size_t room = (p->cap - steps->tables) / LINE * LINE;
    const size_t one = gfp_size_mul_sat(steps->room, sizeof(uint64_t)), fit = room / one;
    const size_t areas = (square ? 1U : 2U) + (p->kept ? 1U : 0U);
    b->how = GFP_FILE_STEPS;
    b->factor = STEPS_FACTOR;
    b->workers = fit < 1 ? 1 : fit < p->threads ? (unsigned)fit : p->threads;
    b->streamed = gfp_size_mul_sat(steps->area, areas * sizeof(uint64_t));
    b->held = gfp_size_mul_sat(one, b->workers);
    if (fit < 1) {
        b->streamed = gfp_size_add_sat(b->streamed, one - room);
        b->held = room;
    }
    return fit >= 1 || (!p->kept && one / 2 <= p->cap && one / 8 <= room);
}

void gfp_file_plan_block(gfp_file_block *b, const gfp_file_limits *p, const gfp_range *range)
{
    b->range = gfp_range_longer_first(range);
    if (!p->kept && plan_within(b, p)) {
        b->factor = b->plan.factor;
    } else if (!plan_steps(b, p)) {
        plan_halves(b);
    }
}

double gfp_file_plan_longest(gfp_file_block *b, unsigned *cuts, const gfp_file_limits *p,
                             const gfp_range *range)
{
    double factor = 1;
    *cuts = 0;
    gfp_file_plan_block(b, p, range);
    while (b->how == GFP_FILE_LONG || b->how == GFP_FILE_HALVES) {
        factor *= b->factor;
        ++*cuts;
        const gfp_range next = gfp_range_whole(range->field, NULL, b->half, NULL,
                                               gfp_size_min(b->range.len_b, b->half));
        gfp_file_plan_block(b, p, &next);
    }
    return factor * b->factor;
}

bool gfp_file_plan(gfp_plan *plan, const gfp_method *method, const gfp_range *range,
                   const gfp_limits *limits, bool kept)
{
    const gfp_file_limits p = {method, limits->cap != 0 ? limits->cap : SIZE_MAX, limits->threads,
                               kept, limits->devices};
    const gfp_limits free = {.threads = limits->threads, .devices = limits->devices};
    gfp_file_block b;
    unsigned cuts;
    if (!gfp_plan_make(plan, method, range, &free)) {
        return false;
    }
    plan->limits.cap = limits->cap;
    if (limits->cap == 0 && !kept) {
        return true;
    }
    plan->factor = gfp_file_plan_longest(&b, &cuts, &p, range);
    plan->bytes = b.how == GFP_FILE_STEPS ? gfp_size_add_sat(b.steps.tables, b.held)
                                          : gfp_size_min(plan->bytes, p.cap);
    return plan->factor < HUGE_VAL;
}

gfp_status gfp_file_refuse_block(const gfp_file_limits *p, const gfp_range *range, gfp_error *error)
{
    const gfp_limits free = {.threads = 1, .devices = p->devices};
    gfp_plan plan;
    (void)gfp_plan_make(&plan, p->method, range, &free);
    return gfp_error_set(error, GFP_ERR_MEMORY,
                         "%s needs %zu bytes for blocks of %zu by %zu coefficients; the cap is %zu",
                         p->method->name, plan.bytes, range->len_a, range->len_b, p->cap);
}

gfp_status gfp_file_refuse(const gfp_plan *plan, bool kept, gfp_error *error)
{
    const gfp_file_limits p = {plan->method, plan->limits.cap, 1, kept, plan->limits.devices};
    gfp_file_block b;
    unsigned cuts;
    return p.cap == 0 || gfp_file_plan_longest(&b, &cuts, &p, &plan->range) < HUGE_VAL
               ? gfp_error_set(error, GFP_ERR_SIZE, "%s: memory cannot hold such lengths",
                               plan->method->name)
               : gfp_file_refuse_block(&p, &b.range, error);
}
