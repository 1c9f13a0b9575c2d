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
    const gfp_gpu_dealt_group *group = &plan->group;
    gfp_gpu *gpu = group->members[i].gpu;
    gfp_gpu_dealt_parts *parts = &plan->parts[i];
    const size_t shorter = gfp_size_min(plan->len_a, plan->len_b);
    const size_t longer =
        gfp_gpu_dealt_each(longer_of(plan) == 0 ? plan->len_a : plan->len_b, group->count);
    GFP_TRY(make_array(gpu, &parts->shorter, shorter * group->k));
    GFP_TRY(make_array(gpu, &parts->product, (longer + shorter - 1) * group->k));
    return gfp_gpu_product_plan_create(&parts->plan, gpu, group->field, longer, shorter, NULL,
                                       NULL);
}

static gfp_status parts_open(gfp_gpu_dealt_plan *plan)
{
    for (unsigned i = 0; i < plan->group.count; i++) {
        GFP_GPU_DEALT_TRY(&plan->group, i, true, open_member(plan, i));
    }
    return GFP_OK;
}

static void parts_close(gfp_gpu_dealt_plan *plan, unsigned i)
{
    gfp_gpu *gpu = plan->group.members[i].gpu;
    gfp_gpu_dealt_parts *parts = &plan->parts[i];
    gfp_gpu_product_plan_destroy(parts->plan);
    gfp_gpu_device_release(gpu, parts->shorter.data, parts->shorter.words * sizeof(uint64_t));
    gfp_gpu_device_release(gpu, parts->product.data, parts->product.words * sizeof(uint64_t));
    *parts = (gfp_gpu_dealt_parts){.plan = NULL};
}

/* ---- products ---- */

static gfp_gpu_dealt_rows one_row(size_t n)
{
    return (gfp_gpu_dealt_rows){.n = n, .rows = 1};
}

/* Copies the shorter factor, and enqueues the member's product behind. A member without a block
 * copies nothing: no work of it would wait for that. */
static gfp_status multiply_block(const gfp_gpu_dealt_product *p, unsigned i)
{
    const gfp_gpu_dealt_group *group = p->group;
    const gfp_gpu_dealt_member *m = &group->members[i];
    gfp_gpu_dealt_parts *parts = &p->plan->parts[i];
    const unsigned f = longer_of(p->plan);
    const gfp_gpu_blocks *x = &p->x[f], *y = &p->x[1 - f];
    const size_t len_y = p->len[1 - f], len_x = gfp_gpu_dealt_block(group, p->len[f], i);
    if (len_x == 0) {
        return gfp_gpu_dealt_set(m, m->made, MAIN);
    }
    for (unsigned step = 0; step < group->count; step++) {
        const unsigned j = (i + step) % group->count;
        GFP_TRY(gfp_gpu_dealt_copy(group, i, COPIES, parts->shorter.data + j * y->each * group->k,
                                   y->block[j], one_row(gfp_gpu_dealt_block(group, len_y, j))));
    }
    GFP_TRY(gfp_gpu_dealt_set(m, m->read, COPIES));
    const gfp_gpu_array block = {m->gpu, x->block[i], len_x * group->k, true};
    const gfp_gpu_extent all = {len_x, len_y, 0, len_x + len_y - 1};
    GFP_TRY(gfp_gpu_product_range_after(parts->plan, &parts->product, &block, &parts->shorter, &all,
                                        m->read));
    return gfp_gpu_dealt_set(m, m->made, MAIN);
}

/* Adds n coefficients at `from`, which are member j's, to those of c at `to`. Those of another
 * member come in pieces, where the shorter factor was. */
static gfp_status add_part(const gfp_gpu_dealt_product *p, unsigned i, unsigned j, uint64_t *to,
                           const uint64_t *from, size_t n)
{
    const gfp_gpu_dealt_member *m = &p->group->members[i];
    const gfp_gpu_array *stage = &p->plan->parts[i].shorter;
    const size_t k = p->group->k, most = j == i ? n : stage->words / k;
    for (size_t at = 0, count; at < n; at += count) {
        count = gfp_size_min(most, n - at);
        gfp_gpu_array z = {m->gpu, to + at * k, count * k, true};
        gfp_gpu_array y = {m->gpu, (uint64_t *)from + at * k, count * k, true};
        if (j != i) {
            y.data = stage->data;
            GFP_TRY(gfp_gpu_dealt_copy(p->group, i, COPIES, y.data, from + at * k, one_row(count)));
            GFP_TRY(gfp_gpu_dealt_set(m, m->read, COPIES));
            GFP_TRY(gfp_gpu_dealt_hold(m, MAIN, m->read));
        }
        GFP_TRY(gfp_gpu_vec_add(p->group->field, &z, &z, &y, count));
        GFP_TRY(gfp_gpu_dealt_set(m, m->sent, MAIN));
        GFP_TRY(gfp_gpu_dealt_hold(m, COPIES, m->sent));
    }
    return GFP_OK;
}

/* Adds up the parts that fall on the member's block of the product. */
static gfp_status add_parts(const gfp_gpu_dealt_product *p, unsigned i)
{
    const gfp_gpu_dealt_group *group = p->group;
    const gfp_gpu_dealt_member *m = &group->members[i];
    const unsigned f = longer_of(p->plan);
    const size_t k = group->k, begin = i * p->c.each, n = gfp_gpu_dealt_block(group, p->len_c, i);
    if (n == 0) {
        return GFP_OK;
    }
    GFP_TRY(m->gpu->backend->memory->clear(m->gpu, p->c.block[i], n * k * sizeof(uint64_t)));
    GFP_TRY(gfp_gpu_dealt_hold(m, COPIES, m->made));
    for (unsigned step = 0; step < group->count; step++) {
        const unsigned j = (i + step) % group->count;
        const size_t len_x = gfp_gpu_dealt_block(group, p->len[f], j), at = j * p->x[f].each;
        const size_t from = begin > at ? begin : at;
        const size_t to = gfp_size_min(begin + n, at + len_x + p->len[1 - f] - 1);
        if (len_x > 0 && from < to) {
            GFP_TRY(gfp_gpu_dealt_hold(m, COPIES, group->members[j].made));
            GFP_TRY(add_part(p, i, j, p->c.block[i] + (from - begin) * k,
                             p->plan->parts[j].product.data + (from - at) * k, to - from));
        }
    }
    return GFP_OK;
}

static gfp_status parts_run(const gfp_gpu_dealt_product *p)
{
    for (unsigned i = 0; i < p->group->count; i++) {
        GFP_GPU_DEALT_TRY(p->group, i, false, multiply_block(p, i));
    }
    for (unsigned i = 0; i < p->group->count; i++) {
        GFP_GPU_DEALT_TRY(p->group, i, false, add_parts(p, i));
    }
    return GFP_OK;
}

const gfp_gpu_dealt_way gfp_gpu_dealt_by_parts = {parts_open, parts_close, parts_run};
