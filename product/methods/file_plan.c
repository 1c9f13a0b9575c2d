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
/* The time of a product whose leaves stream, over its time in memory; and the factor by which
 * cutting into halves multiplies the time: docs/design/files.md. */
#define STREAM_FACTOR 2.0
#define CUT_FACTOR 1.5

/* If memory is too small for a leaf's work, the rest of it goes to the scratch file as well; each
 * leaf passes through the file a few times, from end to end. Up to twice the cap that is faster
 * than cutting, which adds half the work. */
static bool file_plan_stream(const gfp_file_limits *p, gfp_file_block *b)
{
    const gfp_needs *needs = &b->plan.needs;
    b->streamed = gfp_size_mul_sat(needs->streamed, sizeof(uint64_t));
    b->held = gfp_size_mul_sat(needs->words - needs->streamed, sizeof(uint64_t));
    if (needs->streamed == 0 || b->held == SIZE_MAX || needs->tables > p->cap ||
        b->held / 2 > p->cap || b->held / 8 > p->cap - needs->tables) {
        return false;
    }
    const size_t room = (p->cap - needs->tables) / LINE * LINE;
    if (b->held > room) {
        b->streamed += b->held - room;
        b->held = room;
    }
    return true;
}

/* Uses as many threads as have room for their work within the cap. */
static void add_threads(const gfp_file_limits *p, gfp_file_block *b)
{
    for (unsigned threads = p->threads; threads > 1; threads--) {
        const gfp_limits limits = {.threads = threads, .streams = true};
        gfp_file_block other = *b;
        if (gfp_plan_make(&other.plan, p->method, &b->range, &limits)) {
            const gfp_needs *needs = &other.plan.needs;
            other.streamed = gfp_size_mul_sat(needs->streamed, sizeof(uint64_t));
            other.held = gfp_size_mul_sat(needs->words - needs->streamed, sizeof(uint64_t));
            if (needs->tables <= p->cap && other.held <= p->cap - needs->tables) {
                *b = other;
                return;
            }
        }
    }
}

/* Whether the block can be computed in memory; the cap includes the tables. */
static bool plan_within(gfp_file_block *b, const gfp_file_limits *p, const gfp_needs *needs)
{
    const size_t room = needs->streamed == 0     ? p->cap
                        : needs->tables < p->cap ? p->cap - needs->tables
                                                 : 1;
    const gfp_limits within = {.cap = room, .threads = p->threads};
    const bool near = needs->streamed == 0 || b->plan.bytes / LEAN_SHARE <= room;
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

/* Whether the block can be computed in steps, by one thread at least. */
static bool plan_steps(gfp_file_block *b, const gfp_file_limits *p)
{
    const gfp_range *r = &b->range;
    const bool square = r->a == r->b && r->len_a == r->len_b;
    if (!gfp_hybrid_steps_plan(&b->steps, r->field, r->len_a, r->len_b)) {
        return false;
    }
    b->how = GFP_FILE_STEPS;
    b->factor = STREAM_FACTOR;
    b->streamed = gfp_size_mul_sat(b->steps.area, (square ? 2 : 3) * sizeof(uint64_t));
    b->held = gfp_size_mul_sat(b->steps.room, sizeof(uint64_t));
    return gfp_size_add_sat(b->steps.tables, b->held) <= p->cap;
}

void gfp_file_plan_block(gfp_file_block *b, const gfp_file_limits *p, const gfp_range *range)
{
    const gfp_limits streams = {.threads = 1, .streams = true};
    b->range = gfp_range_longer_first(range);
    if (p->steps) {
        if (!plan_steps(b, p)) {
            plan_halves(b);
        }
        return;
    }
    if (gfp_plan_make(&b->plan, p->method, &b->range, &streams)) {
        const gfp_needs needs = b->plan.needs;
        if (plan_within(b, p, &needs)) {
            b->how = GFP_FILE_WITHIN;
            b->factor = b->plan.factor;
            return;
        }
        if (gfp_plan_make(&b->plan, p->method, &b->range, &streams) && file_plan_stream(p, b)) {
            b->how = GFP_FILE_STREAMED;
            b->factor = STREAM_FACTOR;
            add_threads(p, b);
            return;
        }
    }
    plan_halves(b);
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

unsigned gfp_file_block_threads(const gfp_file_block *b, const gfp_file_limits *p)
{
    const size_t fit = (p->cap - b->steps.tables) / b->held;
    return fit < p->threads ? (unsigned)fit : p->threads;
}

size_t gfp_file_block_bytes(const gfp_file_block *b, const gfp_file_limits *p)
{
    return gfp_size_add_sat(b->steps.tables,
                            gfp_size_mul_sat(gfp_file_block_threads(b, p), b->held));
}

bool gfp_file_plan(gfp_plan *plan, const gfp_method *method, const gfp_range *range,
                   const gfp_limits *limits, bool steps)
{
    const gfp_file_limits p = {method, limits->cap != 0 ? limits->cap : SIZE_MAX,
                               steps ? limits->threads : 1, steps};
    const gfp_limits free = {.threads = limits->threads};
    gfp_file_block b;
    unsigned cuts;
    if (!gfp_plan_make(plan, method, range, &free)) {
        return false;
    }
    plan->limits.cap = limits->cap;
    if (limits->cap == 0 && !steps) {
        return true;
    }
    plan->factor = gfp_file_plan_longest(&b, &cuts, &p, range);
    plan->bytes =
        b.how == GFP_FILE_STEPS ? gfp_file_block_bytes(&b, &p) : gfp_size_min(plan->bytes, p.cap);
    return plan->factor < HUGE_VAL;
}

gfp_status gfp_file_refuse_block(const gfp_file_limits *p, const gfp_range *range, gfp_error *error)
{
    const gfp_limits free = {.threads = 1};
    gfp_plan plan;
    (void)gfp_plan_make(&plan, p->method, range, &free);
    return gfp_error_set(error, GFP_ERR_MEMORY,
                         "%s needs %zu bytes for blocks of %zu by %zu coefficients; the cap is %zu",
                         p->method->name, plan.bytes, range->len_a, range->len_b, p->cap);
}

gfp_status gfp_file_refuse(const gfp_plan *plan, bool steps, gfp_error *error)
{
    const gfp_file_limits p = {plan->method, plan->limits.cap, 1, steps};
    gfp_file_block b;
    unsigned cuts;
    return p.cap == 0 || gfp_file_plan_longest(&b, &cuts, &p, &plan->range) < HUGE_VAL
               ? gfp_error_set(error, GFP_ERR_SIZE, "%s: memory cannot hold such lengths",
                               plan->method->name)
               : gfp_file_refuse_block(&p, &b.range, error);
}
