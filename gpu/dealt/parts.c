/* parts.c: dealt products, of any lengths and by any engine: a member multiplies its block of
 * the longer factor by all of the shorter one, which it copies, and each adds up those parts of the
 * members' products that fall on its block of the product.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/dealt/dealt.h"
#include "gpu/products.h"

static const gfp_gpu_queue MAIN = GFP_GPU_QUEUE_MAIN, COPIES = GFP_GPU_QUEUE_UPLOAD;

/* ---- plans ---- */

/* The longer factor of the plan; that of a product may be shorter. */
static unsigned longer_of(const gfp_gpu_dealt_plan *plan)
{
    return plan->len_a >= plan->len_b ? 0 : 1;
}

static gfp_status make_array(gfp_gpu *gpu, gfp_gpu_array *array, size_t words)
{
    array->gpu = gpu;
    array->window = true;
    array->words = words;
    return gfp_gpu_device_allocate(gpu, (void **)&array->data, words * sizeof(uint64_t));
}

static gfp_status open_member(gfp_gpu_dealt_plan *plan, unsigned i)
{
    gfp_gpu *gpu = plan->members[i].gpu;
    gfp_gpu_dealt_parts *parts = &plan->members[i].parts;
    const size_t longer =
        gfp_gpu_dealt_each(longer_of(plan) == 0 ? plan->len_a : plan->len_b, plan->count);
    const size_t shorter = gfp_size_min(plan->len_a, plan->len_b);
    GFP_TRY(make_array(gpu, &parts->shorter, shorter * plan->k));
    GFP_TRY(make_array(gpu, &parts->product, (longer + shorter - 1) * plan->k));
    return gfp_gpu_product_plan_create(&parts->plan, gpu, plan->field, longer, shorter, NULL, NULL);
}

static gfp_status parts_open(gfp_gpu_dealt_plan *plan)
{
    for (unsigned i = 0; i < plan->count; i++) {
        GFP_GPU_DEALT_TRY(plan, i, true, open_member(plan, i));
    }
    return GFP_OK;
}

static void parts_close(gfp_gpu_dealt_plan *plan, unsigned i)
{
    gfp_gpu *gpu = plan->members[i].gpu;
    gfp_gpu_dealt_parts *parts = &plan->members[i].parts;
    gfp_gpu_product_plan_destroy(parts->plan);
    gfp_gpu_device_release(gpu, parts->shorter.data, parts->shorter.words * sizeof(uint64_t));
    gfp_gpu_device_release(gpu, parts->product.data, parts->product.words * sizeof(uint64_t));
    *parts = (gfp_gpu_dealt_parts){.plan = NULL};
}

/* ---- products ---- */

/* Copies the shorter factor, and enqueues the member's product behind. */
static gfp_status multiply_block(const gfp_gpu_dealt_product *p, unsigned i)
{
    const gfp_gpu_dealt_plan *plan = p->plan;
    gfp_gpu_dealt_member *m = &p->plan->members[i];
    const unsigned f = longer_of(plan);
    const gfp_gpu_blocks *x = &p->x[f], *y = &p->x[1 - f];
    const size_t len_y = p->len[1 - f], len_x = gfp_gpu_dealt_block(plan, p->len[f], i);
    for (unsigned step = 0; step < plan->count; step++) {
        const unsigned j = (i + step) % plan->count;
        GFP_TRY(gfp_gpu_dealt_copy(plan, i, m->parts.shorter.data + j * y->each * plan->k,
                                   y->block[j], gfp_gpu_dealt_block(plan, len_y, j), 1, 0));
    }
    GFP_TRY(gfp_gpu_dealt_set(m, m->read, COPIES));
    if (len_x > 0) {
        const gfp_gpu_array block = {m->gpu, x->block[i], len_x * plan->k, true};
        const gfp_gpu_extent all = {len_x, len_y, 0, len_x + len_y - 1};
        GFP_TRY(gfp_gpu_product_range_after(m->parts.plan, &m->parts.product, &block,
                                            &m->parts.shorter, &all, m->read));
    }
    return gfp_gpu_dealt_set(m, m->made, MAIN);
}

/* Adds n coefficients at `from`, which are member j's, to those of c at `to`. Those of another
 * member come in pieces, where the shorter factor was. */
static gfp_status add_piece(const gfp_gpu_dealt_plan *plan, unsigned i, unsigned j, uint64_t *to,
                            uint64_t *from, size_t n)
{
    const gfp_gpu_dealt_member *m = &plan->members[i];
    const size_t k = plan->k, most = j == i ? n : m->parts.shorter.words / k;
    for (size_t at = 0, count; at < n; at += count) {
        count = gfp_size_min(most, n - at);
        gfp_gpu_array z = {m->gpu, to + at * k, count * k, true};
        gfp_gpu_array y = {m->gpu, from + at * k, count * k, true};
        if (j != i) {
            y.data = m->parts.shorter.data;
            GFP_TRY(gfp_gpu_dealt_copy(plan, i, y.data, from + at * k, count, 1, 0));
            GFP_TRY(gfp_gpu_dealt_set(m, m->read, COPIES));
            GFP_TRY(gfp_gpu_dealt_hold(m, MAIN, m->read));
        }
        GFP_TRY(gfp_gpu_vec_add(plan->field, &z, &z, &y, count));
        GFP_TRY(gfp_gpu_dealt_set(m, m->sent, MAIN));
        GFP_TRY(gfp_gpu_dealt_hold(m, COPIES, m->sent));
    }
    return GFP_OK;
}

/* Adds up the parts that fall on the member's block of the product. */
static gfp_status add_parts(const gfp_gpu_dealt_product *p, unsigned i)
{
    const gfp_gpu_dealt_plan *plan = p->plan;
    const gfp_gpu_dealt_member *m = &plan->members[i];
    const unsigned f = longer_of(plan);
    const size_t k = plan->k, begin = i * p->c.each, n = gfp_gpu_dealt_block(plan, p->len_c, i);
    if (n == 0) {
        return GFP_OK;
    }
    GFP_TRY(m->gpu->backend->memory->clear(m->gpu, p->c.block[i], n * k * sizeof(uint64_t)));
    GFP_TRY(gfp_gpu_dealt_hold(m, COPIES, m->made));
    for (unsigned step = 0; step < plan->count; step++) {
        const unsigned j = (i + step) % plan->count;
        const gfp_gpu_dealt_member *other = &plan->members[j];
        const size_t len_x = gfp_gpu_dealt_block(plan, p->len[f], j), at = j * p->x[f].each;
        const size_t from = begin > at ? begin : at;
        const size_t to = gfp_size_min(begin + n, at + len_x + p->len[1 - f] - 1);
        if (len_x > 0 && from < to) {
            GFP_TRY(gfp_gpu_dealt_hold(m, COPIES, other->made));
            GFP_TRY(add_piece(plan, i, j, p->c.block[i] + (from - begin) * k,
                              other->parts.product.data + (from - at) * k, to - from));
        }
    }
    return GFP_OK;
}

static gfp_status parts_run(const gfp_gpu_dealt_product *p)
{
    for (unsigned i = 0; i < p->plan->count; i++) {
        GFP_GPU_DEALT_TRY(p->plan, i, false, multiply_block(p, i));
    }
    for (unsigned i = 0; i < p->plan->count; i++) {
        GFP_GPU_DEALT_TRY(p->plan, i, false, add_parts(p, i));
    }
    return GFP_OK;
}

const gfp_gpu_dealt_way gfp_gpu_dealt_by_parts = {parts_open, parts_close, parts_run};
