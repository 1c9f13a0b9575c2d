/* blocks.c: ranges of products in blocks, within a cap on memory.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/methods/plan.h"

#include "product/methods/row.h"
#include "field/base/support.h"

/* Blocks are not cut below this length. */
#define MIN_BLOCK 32
/* More stripes are not considered: such products would take thousands of times as long. */
#define MAX_STRIPES ((size_t)1 << 14)

gfp_cut gfp_blocks_cut(const gfp_range *range, size_t block)
{
    const gfp_range r = gfp_range_longer_first(range);
    return (gfp_cut){r, gfp_size_min(block, r.len_a), r.len_b,
                     gfp_size_min(block, r.end - r.first)};
}

/* ---- the bytes of blocks ---- */

/* The most bytes of the blocks visited so far; more than the cap: those of one block. */
typedef struct survey {
    const gfp_plan *plan;
    gfp_limits limits;
    size_t bytes;
} survey;

static void survey_block(void *user, const gfp_cut_piece *x)
{
    survey *s = user;
    gfp_plan plan;
    if (s->bytes <= s->plan->limits.cap) {
        const bool found = gfp_plan_make(&plan, s->plan->method, &x->range, &s->limits);
        s->bytes = !found ? SIZE_MAX : plan.bytes > s->bytes ? plan.bytes : s->bytes;
    }
}

/* The most bytes of all blocks on `threads` threads. */
static size_t blocks_bytes(const gfp_plan *plan, const gfp_cut *cut, unsigned threads)
{
    survey s = {.plan = plan, .limits = {.threads = threads, .devices = plan->limits.devices}};
    gfp_cut lengths = *cut;
    lengths.whole.a = lengths.whole.b = NULL;
    gfp_cut_visit_shapes(&lengths, survey_block, &s);
    const size_t apart = gfp_cut_count(cut->whole.len_a, cut->length_a) > 1 ? cut->width : 0;
    return gfp_size_add_sat(s.bytes, gfp_size_mul_sat(apart, gfp_element_bytes(cut->whole.field)));
}

bool gfp_blocks_make(gfp_plan *plan)
{
    const gfp_range *r = &plan->range;
    const size_t longer = r->len_a > r->len_b ? r->len_a : r->len_b, n = r->end - r->first;
    const size_t longest = longer > n ? longer : n;
    for (size_t block = longest; block > MIN_BLOCK && block > longest / MAX_STRIPES;) {
        block = gfp_cut_count(block, 2);
        const gfp_cut cut = gfp_blocks_cut(r, block);
        if (blocks_bytes(plan, &cut, 1) <= plan->limits.cap) {
            plan->block = block;
            if (plan->limits.threads > 1 &&
                blocks_bytes(plan, &cut, plan->limits.threads) > plan->limits.cap) {
                plan->limits.threads = 1;
            }
            return true;
        }
    }
    return false;
}

/* ---- runs ---- */

typedef struct run {
    const gfp_plan *plan;
    size_t done, total; /* blocks */
    double from, to;    /* fractions of the call */
    gfp_task *task;
    gfp_error *error;
} run;

static gfp_status multiply_block(void *user, const gfp_cut_piece *x, uint64_t *c)
{
    run *w = user;
    const gfp_limits limits = {.threads = w->plan->limits.threads,
                               .devices = w->plan->limits.devices};
    gfp_plan plan;
    w->done++;
    gfp_task_part(w->task, w->from + (w->to - w->from) * (double)w->done / (double)w->total);
    return gfp_plan_make(&plan, w->plan->method, &x->range, &limits)
               ? gfp_plan_run(&plan, &x->range, c, w->task, w->error)
               : gfp_error_set(w->error, GFP_ERR_SIZE, "a block of a product is too long");
}

gfp_status gfp_blocks_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c, gfp_task *task,
                          gfp_error *error)
{
    const gfp_allocator *allocator = gfp_field_allocator(range->field);
    const gfp_cut cut = gfp_blocks_cut(range, plan->block);
    const size_t bytes = gfp_element_bytes(range->field);
    run w = {.plan = plan, .total = gfp_cut_total(&cut), .to = 1, .task = task, .error = error};
    uint64_t *z = NULL; /* the contribution of a part, if several meet in a stripe */
    if (task != NULL) {
        w.from = task->part_from;
        w.to = task->part_to;
        task->part_to = w.from; /* the first block begins at this fraction */
    }
    if (cut.length_a < cut.whole.len_a) {
        z = gfp_allocate(allocator, cut.width, bytes);
        if (z == NULL) {
            return gfp_error_set(error, GFP_ERR_MEMORY, "%s: no memory for a block of a product",
                                 plan->method->name);
        }
    }
    const gfp_status status = gfp_cut_run(&cut, c, z, multiply_block, &w);
    gfp_release(allocator, z, cut.width, bytes);
    return status;
}
