/* blocks.c: ranges of products in blocks, within a cap on memory.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/methods/plan.h"

#include "product/methods/row.h"
#include "field/base/support.h"

/* Blocks are not cut below this length. */
#define MIN_BLOCK 32

static size_t blocks_longest(const gfp_range *r)
{
    const size_t longer = r->len_a > r->len_b ? r->len_a : r->len_b, n = r->end - r->first;
    return longer > n ? longer : n;
}

static unsigned most_halvings(const gfp_range *r)
{
    unsigned halvings = 0;
    while ((blocks_longest(r) - 1) >> halvings >= MIN_BLOCK) {
        halvings++;
    }
    return halvings;
}

/* The range with the longer factor as a. */
static gfp_range longer_first(const gfp_range *r)
{
    gfp_range range = *r;
    if (r->len_a < r->len_b) {
        range.a = r->b;
        range.len_a = r->len_b;
        range.b = r->a;
        range.len_b = r->len_a;
    }
    return range;
}

/* A range in blocks. */
typedef struct division {
    gfp_range range; /* a is the longer factor */
    gfp_blocks blocks;
} division;

static division blocks_of(const gfp_range *r, unsigned halvings)
{
    const size_t size = ((blocks_longest(r) - 1) >> halvings) + 1, n = r->end - r->first;
    division g = {.range = longer_first(r)};
    g.blocks.width = gfp_size_min(size, n);
    g.blocks.length = gfp_size_min(size, g.range.len_a);
    g.blocks.stripes = (n - 1) / g.blocks.width + 1;
    g.blocks.pieces = (g.range.len_a - 1) / g.blocks.length + 1;
    return g;
}

/* *block := the contribution of a piece to a stripe; *at := its first coefficient, counted from the
 * start of the range. False: no contribution. */
static bool block_at(gfp_range *block, size_t *at, const division *g, size_t stripe, size_t piece)
{
    const size_t from = g->range.first + stripe * g->blocks.width, skip = piece * g->blocks.length;
    const size_t to = from + gfp_size_min(g->blocks.width, g->range.end - from);
    *block = g->range;
    block->a = block->a == NULL ? NULL : block->a + skip * gfp_field_k(block->field);
    block->len_a = gfp_size_min(block->len_a - skip, g->blocks.length);
    const size_t end = gfp_size_min(to, skip + block->len_a + block->len_b - 1);
    const size_t first = from > skip ? from : skip;
    if (first >= end) {
        return false;
    }
    *at = first - g->range.first;
    block->first = first - skip;
    block->end = end - skip;
    gfp_range_trim(block);
    return true;
}

/* The bytes of a block that is computed at once. */
static size_t block_bytes(const gfp_method *method, const gfp_range *block, unsigned threads)
{
    const gfp_limits limits = {.threads = threads};
    gfp_plan plan;
    return gfp_plan_make(&plan, method, block, &limits) ? plan.bytes : SIZE_MAX;
}

/* Shapes of blocks, and the most bytes that one of them takes. The last SHAPES shapes are not
 * planned again. */
#define SHAPES 4
typedef struct survey {
    const gfp_method *method;
    unsigned threads;
    gfp_range visited[SHAPES];
    size_t count, bytes;
} survey;

static void visit_block(survey *s, const division *g, size_t stripe, size_t piece)
{
    gfp_range block;
    size_t at;
    if (stripe >= g->blocks.stripes || piece >= g->blocks.pieces ||
        !block_at(&block, &at, g, stripe, piece)) {
        return;
    }
    for (size_t i = 0; i < SHAPES && i < s->count; i++) {
        const gfp_range *x = &s->visited[i];
        if (x->len_a == block.len_a && x->len_b == block.len_b && x->first == block.first &&
            x->end == block.end) {
            return;
        }
    }
    s->visited[s->count++ % SHAPES] = block;
    const size_t bytes = block_bytes(s->method, &block, s->threads);
    s->bytes = bytes > s->bytes ? bytes : s->bytes;
}

static void visit_neighbours(survey *s, const division *g, size_t stripe, size_t piece)
{
    visit_block(s, g, stripe, piece);
    visit_block(s, g, stripe + 1, piece);
    visit_block(s, g, stripe == 0 ? 0 : stripe - 1, piece);
    visit_block(s, g, stripe, piece + 1);
    visit_block(s, g, stripe, piece == 0 ? 0 : piece - 1);
}

/* The first and the last piece that may contribute to a stripe: few if the other factor is
 * short. */
static size_t first_piece(const division *g, size_t stripe)
{
    const size_t from = g->range.first + stripe * g->blocks.width;
    return from > g->range.len_b ? (from - g->range.len_b) / g->blocks.length : 0;
}

static size_t last_piece(const division *g, size_t stripe)
{
    const size_t from = g->range.first + stripe * g->blocks.width;
    const size_t to = from + gfp_size_min(g->blocks.width, g->range.end - from);
    return gfp_size_min((to - 1) / g->blocks.length, g->blocks.pieces - 1);
}

/* Visits the blocks of a stripe that begin or end at an end of the second factor, which cuts them.
 * All blocks between are alike, except for the last one. */
static void visit_stripe(survey *s, const division *g, size_t stripe)
{
    const size_t ends = first_piece(g, stripe), begins = last_piece(g, stripe);
    visit_neighbours(s, g, stripe, begins);
    visit_neighbours(s, g, stripe, (begins + ends) / 2);
    visit_neighbours(s, g, stripe, ends);
}

/* visit_stripe for a piece. */
static void visit_piece(survey *s, const division *g, size_t piece)
{
    const size_t skip = piece * g->blocks.length, reached = skip + g->range.len_b,
                 first = g->range.first;
    const size_t begins = skip > first ? (skip - first) / g->blocks.width : 0;
    const size_t ends = gfp_size_min(reached > first ? (reached - first) / g->blocks.width : 0,
                                     g->blocks.stripes - 1);
    visit_neighbours(s, g, begins, piece);
    visit_neighbours(s, g, (begins + ends) / 2, piece);
    visit_neighbours(s, g, ends, piece);
}

/* The most bytes of all blocks on `threads` threads. With several stripes and several pieces, width
 * and length are equal, and a block has the shape of the one in the next stripe and piece, except
 * for the last stripe and piece. So every block has the shape of one in the first or last stripe,
 * or in the first or last piece. */
static size_t blocks_bytes(const gfp_method *method, const division *g, unsigned threads)
{
    survey s = {.method = method, .threads = threads};
    visit_stripe(&s, g, 0);
    visit_stripe(&s, g, g->blocks.stripes - 1);
    visit_piece(&s, g, 0);
    visit_piece(&s, g, g->blocks.pieces - 1);
    const size_t apart = g->blocks.pieces > 1 ? g->blocks.width : 0;
    return gfp_size_add_sat(s.bytes, gfp_size_mul_sat(apart, gfp_element_bytes(g->range.field)));
}

bool gfp_blocks_make(gfp_plan *plan)
{
    const size_t cap = plan->limits.cap;
    unsigned low = 1, high = most_halvings(&plan->range);
    division found = blocks_of(&plan->range, high);
    if (high == 0 || blocks_bytes(plan->method, &found, 1) > cap) {
        return false;
    }
    while (low < high) { /* bisection */
        const unsigned middle = (low + high) / 2;
        const division other = blocks_of(&plan->range, middle);
        if (blocks_bytes(plan->method, &other, 1) <= cap) {
            found = other;
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    plan->blocks = found.blocks;
    if (plan->limits.threads > 1 &&
        blocks_bytes(plan->method, &found, plan->limits.threads) > cap) {
        plan->limits.threads = 1;
    }
    return true;
}

typedef struct run {
    const gfp_plan *plan;
    division blocks; /* with the factors' coefficients */
    uint64_t *c;
    uint64_t *z;     /* room for the contribution of a piece; NULL if stripes have one piece */
    double from, to; /* fractions of the call */
    gfp_task *task;
    gfp_error *error;
} run;

static gfp_status multiply_block(const run *w, const gfp_range *block, uint64_t *c)
{
    const gfp_limits limits = {.threads = w->plan->limits.threads};
    gfp_plan plan;
    return gfp_plan_make(&plan, w->plan->method, block, &limits)
               ? gfp_plan_run(&plan, block, c, w->task, w->error)
               : gfp_error_set(w->error, GFP_ERR_SIZE, "a block of a product is too long");
}

static gfp_status run_block(const run *w, size_t stripe, size_t piece)
{
    const division *g = &w->blocks;
    const gfp_field *field = g->range.field;
    const size_t begin = first_piece(g, stripe), pieces = last_piece(g, stripe) - begin + 1;
    const double done = (double)stripe + (double)(piece - begin + 1) / (double)pieces;
    gfp_range block;
    size_t at;
    if (!block_at(&block, &at, g, stripe, piece)) {
        return GFP_OK;
    }
    uint64_t *to = w->c + at * gfp_field_k(field);
    gfp_task_part(w->task, w->from + (w->to - w->from) * done / (double)g->blocks.stripes);
    GFP_TRY(multiply_block(w, &block, w->z != NULL ? w->z : to));
    if (w->z != NULL) {
        gfp_vec_add(field, to, to, w->z, block.end - block.first);
    }
    return GFP_OK;
}

static gfp_status run_blocks(const run *w)
{
    const division *g = &w->blocks;
    if (w->task != NULL) {
        w->task->part_to = w->from; /* the first block begins at this fraction */
    }
    if (w->z != NULL) {
        gfp_vec_zero(g->range.field, w->c, g->range.end - g->range.first);
    }
    for (size_t stripe = 0; stripe < g->blocks.stripes; stripe++) {
        const size_t last = last_piece(g, stripe);
        for (size_t piece = first_piece(g, stripe); piece <= last; piece++) {
            GFP_TRY(run_block(w, stripe, piece));
        }
    }
    return GFP_OK;
}

gfp_status gfp_blocks_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c, gfp_task *task,
                          gfp_error *error)
{
    const gfp_allocator *allocator = gfp_field_allocator(range->field);
    const size_t bytes = gfp_element_bytes(range->field), width = plan->blocks.width;
    run w = {.plan = plan,
             .blocks = {longer_first(range), plan->blocks},
             .c = c,
             .to = 1,
             .task = task,
             .error = error};
    if (task != NULL) {
        w.from = task->part_from;
        w.to = task->part_to;
    }
    if (plan->blocks.pieces > 1) {
        w.z = gfp_allocate(allocator, width, bytes);
        if (w.z == NULL) {
            return gfp_error_set(error, GFP_ERR_MEMORY, "%s: no memory for a block of a product",
                                 plan->method->name);
        }
    }
    const gfp_status status = run_blocks(&w);
    gfp_release(allocator, w.z, width, bytes);
    return status;
}
