/* file_plan.c: how products of files keep to a cap on memory, and the cost of that.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/methods/file_plan.h"

#include <math.h>

#include "field/base/support.h"

/* Areas begin on lines of this many bytes. */
#define LINE 64

static gfp_range file_plan_whole(const gfp_field *field, size_t len_a, size_t len_b)
{
    return (gfp_range){.field = field, .len_a = len_a, .len_b = len_b, .end = len_a + len_b - 1};
}

/* ---- a block ---- */

/* A product in little memory that takes this multiple of the usual time, or more, costs more than a
 * scratch file. */
#define LEAN_FACTOR 1.6
/* A product in less than this fraction of the usual memory takes more than LEAN_FACTOR times as
 * long. */
#define LEAN_SHARE 1024

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
static void add_threads(const gfp_file_limits *p, gfp_file_block *b, const gfp_range *range)
{
    for (unsigned threads = p->threads; threads > 1; threads--) {
        const gfp_limits limits = {.threads = threads, .streams = true};
        gfp_file_block other = {.how = GFP_FILE_STREAMED};
        if (gfp_plan_make(&other.plan, p->method, range, &limits)) {
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

/* The cap includes the tables. */
void gfp_file_plan_block(gfp_file_block *b, const gfp_file_limits *p, const gfp_range *range)
{
    const gfp_limits streams = {.threads = 1, .streams = true};
    b->how = GFP_FILE_CUT;
    if (!gfp_plan_make(&b->plan, p->method, range, &streams)) {
        return;
    }
    const gfp_needs needs = b->plan.needs;
    const size_t room = needs.streamed == 0     ? p->cap
                        : needs.tables < p->cap ? p->cap - needs.tables
                                                : 1;
    const gfp_limits within = {.cap = room, .threads = p->threads};
    const bool near = needs.streamed == 0 || b->plan.bytes / LEAN_SHARE <= room;
    if (near && gfp_plan_make(&b->plan, p->method, range, &within) &&
        b->plan.factor <= LEAN_FACTOR) {
        b->how = GFP_FILE_WITHIN;
        return;
    }
    if (gfp_plan_make(&b->plan, p->method, range, &streams) && file_plan_stream(p, b)) {
        b->how = GFP_FILE_STREAMED;
        add_threads(p, b, range);
    }
}

/* ---- costs ---- */

/* The time of a product whose leaves stream, over its time in memory; and the factor by which
 * cutting into halves multiplies the time: docs/design/files.md. */
#define STREAM_FACTOR 2.0
#define CUT_FACTOR 1.5

/* The time of the product over its time without a cap; HUGE_VAL: blocks cannot be made small
 * enough. */
static double time_factor(const gfp_file_limits *p, const gfp_field *field, size_t len_a,
                          size_t len_b)
{
    if (len_a < len_b) {
        return time_factor(p, field, len_b, len_a);
    }
    const gfp_range range = file_plan_whole(field, len_a, len_b);
    const size_t h = (len_a + 1) / 2;
    gfp_file_block b;
    gfp_file_plan_block(&b, p, &range);
    if (b.how != GFP_FILE_CUT) {
        return b.how == GFP_FILE_STREAMED ? STREAM_FACTOR : b.plan.factor;
    }
    if (len_a <= GFP_FILE_MIN_BLOCK) {
        return HUGE_VAL;
    }
    return len_b <= h ? time_factor(p, field, h, len_b) : CUT_FACTOR * time_factor(p, field, h, h);
}

bool gfp_file_plan(gfp_plan *plan, const gfp_method *method, const gfp_range *range,
                   const gfp_limits *limits)
{
    const gfp_file_limits p = {.method = method, .cap = limits->cap, .threads = 1};
    const gfp_limits free = {.threads = limits->threads};
    if (!gfp_plan_make(plan, method, range, &free)) {
        return false;
    }
    plan->limits.cap = limits->cap;
    if (limits->cap == 0) {
        return true;
    }
    plan->factor = time_factor(&p, range->field, range->len_a, range->len_b);
    plan->bytes = gfp_size_min(plan->bytes, limits->cap);
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

gfp_status gfp_file_refuse(const gfp_plan *plan, gfp_error *error)
{
    const gfp_file_limits p = {.method = plan->method, .cap = plan->limits.cap};
    size_t len_a = plan->range.len_a, len_b = plan->range.len_b;
    while (len_a > GFP_FILE_MIN_BLOCK || len_b > GFP_FILE_MIN_BLOCK) {
        size_t *longer = len_a > len_b ? &len_a : &len_b;
        size_t *shorter = len_a > len_b ? &len_b : &len_a;
        *longer = (*longer + 1) / 2;
        *shorter = gfp_size_min(*shorter, *longer);
    }
    const gfp_range block = file_plan_whole(plan->range.field, len_a, len_b);
    return gfp_file_refuse_block(&p, &block, error);
}
