/* ways.c: the plan of a range by hybrid, and its run.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/lean.h"
#include "crt/hybrid/outer_dft.h"
#include "crt/hybrid/product.h"

#include "field/base/support.h"
#include "field/base/work.h"

/* ---- the needs of a plan ---- */

/* Returns the bytes of tables for each coefficient of a full tree, of all engines: 6 to 12, and up
 * to 20 for odd leaf lengths (measured). */
size_t gfp_hybrid_table_bytes(const gfp_hybrid_shape *shape)
{
    const size_t n = gfp_size_mul_sat(shape->outer.m, (size_t)1 << shape->outer.log2_size);
    return gfp_size_mul_sat(n, shape->odd == 1 ? 12 : 20);
}

static void fill_needs(gfp_needs *needs, const gfp_hybrid_product *p, const gfp_range *r)
{
    needs->words = gfp_hybrid_words(&p->choice, &p->plan, r->len_a, r->len_b);
    needs->on_stack = needs->words <= GFP_STACK_WORDS;
    needs->tables = gfp_hybrid_table_bytes(&p->plan.shape);
}

/* ---- plans ---- */

/* Plans a product modulo X^L - 1, L too short for the whole product, if that is cheaper. */
static void try_ring(gfp_hybrid_product *p, gfp_needs *needs, const gfp_range *r)
{
    const size_t length = gfp_range_ring_length(r), shorter = gfp_size_min(r->len_a, r->len_b);
    gfp_hybrid_shape shape;
    double cost;
    if (length < gfp_range_product_length(r) &&
        gfp_hybrid_plan_ring(&shape, &p->choice, length, 1, shorter, true, false, &cost) &&
        cost < p->plan.cost) {
        needs->share = cost / p->plan.cost;
        p->plan = (gfp_hybrid_plan){.shape = shape,
                                    .block_a = r->len_a,
                                    .block_b = r->len_b,
                                    .cost = cost,
                                    .threads = p->plan.threads};
    }
    if (p->plan.shape.wrap == 0 && p->plan.block_a == r->len_a && p->plan.block_b == r->len_b) {
        p->way = GFP_HYBRID_RING;
        needs->end = r->end;
    }
}

/* Plans a product of factors of very different lengths. */
static bool try_long(gfp_hybrid_product *p, const gfp_range *r)
{
    const size_t shorter = gfp_size_min(r->len_a, r->len_b);
    return gfp_hybrid_long_make(&p->by_short, r->field, shorter == r->len_a ? r->len_b : r->len_a,
                                shorter) &&
           p->by_short.cost < p->plan.cost;
}

static bool ways_fits(const gfp_needs *needs, size_t cap)
{
    return needs->on_stack || gfp_work_bytes(needs->words) <= cap;
}

/* Replaces a long plan that does not fit by the usual plan, else by a lean one, if there is one. */
static void keep_to_cap(gfp_hybrid_product *p, gfp_needs *needs, const gfp_range *r, size_t cap)
{
    const gfp_hybrid_plan usual = p->plan;
    p->way = GFP_HYBRID_WHOLE;
    fill_needs(needs, p, r);
    if (ways_fits(needs, cap)) {
        return;
    }
    if (gfp_hybrid_lean_plan(p, needs, r, cap)) {
        p->way = GFP_HYBRID_LEAN;
    } else {
        p->plan = usual;
    }
}

bool gfp_hybrid_product_plan(gfp_hybrid_product *p, gfp_needs *needs, const gfp_range *r,
                             const gfp_limits *limits)
{
    p->way = GFP_HYBRID_WHOLE;
    gfp_hybrid_choose(&p->choice, r->field);
    if (!gfp_hybrid_plan_make(&p->plan, &p->choice, r->len_a, r->len_b)) {
        return false;
    }
    *needs = (gfp_needs){.end = gfp_range_product_length(r), .share = 1};
    p->plan.threads = limits->threads;
    if (!gfp_range_is_whole(r)) {
        try_ring(p, needs, r);
    }
    fill_needs(needs, p, r);
    if (p->way == GFP_HYBRID_WHOLE && try_long(p, r)) {
        p->way = GFP_HYBRID_LONG;
        needs->words = gfp_hybrid_long_words(&p->by_short, limits->threads);
        needs->on_stack = false;
    }
    if (limits->cap != 0 && limits->threads == 1 && p->way != GFP_HYBRID_RING &&
        !ways_fits(needs, limits->cap)) {
        keep_to_cap(p, needs, r, limits->cap);
    }
    return true;
}

/* ---- runs ---- */

static gfp_status run_long(const gfp_hybrid_product *p, const gfp_range *r, uint64_t *c,
                           uint64_t *work, gfp_task *task)
{
    return r->len_a < r->len_b ? gfp_hybrid_long_run(&p->by_short, c, r->b, r->a, work, task)
                               : gfp_hybrid_long_run(&p->by_short, c, r->a, r->b, work, task);
}

gfp_status gfp_hybrid_product_run(const gfp_hybrid_product *p, const gfp_range *r, uint64_t *c,
                                  uint64_t *work, gfp_task *task)
{
    switch (p->way) {
    case GFP_HYBRID_LONG:
        return run_long(p, r, c, work, task);
    case GFP_HYBRID_LEAN:
        return gfp_hybrid_lean_run(p, r, c, work, task);
    case GFP_HYBRID_RING:
        return gfp_hybrid_run_first(&p->choice, &p->plan, r, c, work, task);
    default:
        return gfp_hybrid_run(&p->choice, &p->plan, r, c, work, task);
    }
}

/* ---- text ---- */

static void describe_way(const gfp_hybrid_product *p, const gfp_range *r, gfp_text *text)
{
    const gfp_hybrid_plan *plan = &p->plan;
    switch (p->way) {
    case GFP_HYBRID_LONG:
        gfp_text_line(text, "way",
                      "pieces of %zu coefficients by one transform of the shorter "
                      "factor",
                      p->by_short.block);
        return;
    case GFP_HYBRID_RING:
        gfp_text_line(text, "way",
                      (size_t)plan->shape.outer.leaves * plan->shape.outer.m <
                              gfp_range_product_length(r)
                          ? "a ring whose wrapped coefficients miss the range"
                          : "whole");
        return;
    case GFP_HYBRID_LEAN:
        gfp_text_line(text, "way", "little memory, leaves of the second factor in memory: %u",
                      p->group);
        break;
    default:
        gfp_text_line(text, "way", "whole");
    }
    if (plan->block_a < r->len_a || plan->block_b < r->len_b) {
        gfp_text_line(text, "pieces", "of %zu and %zu coefficients", plan->block_a, plan->block_b);
    }
}

void gfp_hybrid_product_describe(const gfp_hybrid_product *p, const gfp_range *r, gfp_text *text)
{
    const bool by_short = p->way == GFP_HYBRID_LONG;
    const gfp_hybrid_shape *shape = by_short ? &p->by_short.ring.shape : &p->plan.shape;
    const gfp_hybrid_choice *choice = by_short ? &p->by_short.ring.choice : &p->choice;
    const gfp_outer *outer = &shape->outer;
    describe_way(p, r, text);
    gfp_text_line(text, "transform", "N = %zu, outer size %u, %s", outer->m << outer->log2_size,
                  1U << outer->log2_size, choice->outer->name);
    gfp_text_line(text, "leaves", "%u of %u, %zu coefficients, modulo %u primes%s, %s",
                  outer->leaves, 1U << outer->log2_size, outer->m, shape->primes - shape->real,
                  shape->real ? " and in reals" : "", choice->engine->name);
    if (shape->wrap > 0) {
        gfp_text_line(text, "wrapped", "%zu coefficients, computed apart", shape->wrap);
    }
}
