/* leaves.c: one product modulo X^N - 1, N = M L, whose M leaves are dealt over the members of a
 * plan (shares: product_engine.h). A member sends its blocks of both factors to the others,
 * transforms the factors for its leaves, and multiplies. The digits of its leaves go to all other
 * members, and each restores its block of the product from all leaves. Kernels reach no other
 * device, since kernels that wait for a link take the place of others.
 *
 * The first factor is sent in groups of columns, and a group is projected while the next one is
 * sent; the second factor is sent meanwhile. Leaves are multiplied in groups, each half of what is
 * left, and a group's digits are sent while the next one is multiplied.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/dealt/dealt.h"

/* The most groups. */
#define MOST_GROUPS ((size_t)4)

static const gfp_gpu_queue MAIN = GFP_GPU_QUEUE_MAIN, COPIES = GFP_GPU_QUEUE_UPLOAD;

/* ---- plans ---- */

/* The first engine with shares and a length for these products. */
static gfp_status choose_engine(const gfp_gpu_dealt_plan *plan, gfp_gpu_cyclic *cyclic)
{
    gfp_gpu *gpu = plan->group.members[0].gpu;
    char why[160] = "the backend has no engine for such products";
    for (const gfp_gpu_product_engine *const *row = gpu->backend->product_engines; *row != NULL;
         row++) {
        if ((*row)->share != NULL) {
            cyclic->terms = gfp_size_min(plan->len_a, plan->len_b);
            cyclic->n = (*row)->length(gpu, plan->group.field, plan->len_a + plan->len_b - 1,
                                       cyclic->terms, why, sizeof why);
            cyclic->engine = *row;
            if (cyclic->n != 0) {
                return GFP_OK;
            }
        }
    }
    return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "a dealt product: %s", why);
}

/* Room for the other members' blocks of factor f. */
static gfp_status make_stage(gfp_gpu_dealt_plan *plan, unsigned i, unsigned f)
{
    const gfp_gpu_dealt_group *group = &plan->group;
    gfp_gpu_dealt_leaves *leaves = &plan->leaves[i];
    const size_t each = gfp_gpu_dealt_each(f == 0 ? plan->len_a : plan->len_b, group->count);
    leaves->staged_bytes[f] = each * (group->count - 1) * group->k * sizeof(uint64_t);
    return leaves->staged_bytes[f] == 0
               ? GFP_OK
               : gfp_gpu_device_allocate(group->members[i].gpu, (void **)&leaves->staged[f],
                                         leaves->staged_bytes[f]);
}

static gfp_status open_member(gfp_gpu_dealt_plan *plan, const gfp_gpu_cyclic *cyclic, unsigned i)
{
    const gfp_gpu_dealt_group *group = &plan->group;
    gfp_gpu_dealt_leaves *leaves = &plan->leaves[i];
    gfp_gpu_cyclic own = *cyclic;
    own.gpu = group->members[i].gpu;
    own.member = i;
    GFP_TRY(own.engine->create(&own));
    leaves->cyclic = own;
    leaves->shape = own.engine->share->shape(&own);
    leaves->first = gfp_gpu_share_first(leaves->shape.leaves, group->count, i);
    leaves->end = gfp_gpu_share_first(leaves->shape.leaves, group->count, i + 1);
    leaves->work_bytes = own.words * sizeof(uint64_t);
    for (unsigned f = 0; f < 2; f++) {
        GFP_TRY(make_stage(plan, i, f));
        GFP_TRY(gfp_gpu_device_allocate(own.gpu, (void **)&leaves->work[f], leaves->work_bytes));
        if (own.engine->prepare_area != NULL) {
            GFP_TRY(own.engine->prepare_area(&leaves->cyclic, leaves->work[f]));
        }
    }
    return GFP_OK;
}

static gfp_status leaves_open(gfp_gpu_dealt_plan *plan)
{
    const gfp_gpu_dealt_group *group = &plan->group;
    gfp_gpu_cyclic cyclic = {
        .field = group->field, .k = group->k, .batch = 1, .members = group->count};
    GFP_TRY(choose_engine(plan, &cyclic));
    const size_t bytes = cyclic.n / group->count * group->k * sizeof(uint64_t);
    const size_t least = group->members[0].gpu->backend->exchange->group_bytes;
    plan->groups = (unsigned)gfp_size_min(MOST_GROUPS, bytes / least + 1);
    for (unsigned i = 0; i < group->count; i++) {
        GFP_GPU_DEALT_TRY(group, i, true, open_member(plan, &cyclic, i));
    }
    return GFP_OK;
}

static void leaves_close(gfp_gpu_dealt_plan *plan, unsigned i)
{
    gfp_gpu *gpu = plan->group.members[i].gpu;
    gfp_gpu_dealt_leaves *leaves = &plan->leaves[i];
    if (leaves->cyclic.engine != NULL) {
        leaves->cyclic.engine->destroy(&leaves->cyclic);
    }
    for (unsigned f = 0; f < 2; f++) {
        gfp_gpu_device_release(gpu, leaves->work[f], leaves->work_bytes);
        gfp_gpu_device_release(gpu, leaves->staged[f], leaves->staged_bytes[f]);
    }
    *leaves = (gfp_gpu_dealt_leaves){.work_bytes = 0};
}

/* ---- factors ---- */

/* Part number i of `count` parts of n. */
static gfp_gpu_columns part_of(size_t n, size_t i, size_t count)
{
    const size_t each = n / count, rest = n % count;
    return (gfp_gpu_columns){each * i + rest * i / count, each * (i + 1) + rest * (i + 1) / count};
}

/* Part number i of `count` parts of n, each half of what is left, the last one all of it. */
static gfp_gpu_columns half_of(size_t n, size_t i, size_t count)
{
    return (gfp_gpu_columns){n - (n >> i), i + 1 == count ? n : n - (n >> (i + 1))};
}

/* The place of member j's block of factor f at member i. */
static uint64_t *staged_block(const gfp_gpu_dealt_product *p, unsigned i, unsigned f, unsigned j)
{
    const size_t before = (j < i ? j : j - 1) * p->x[f].each * p->group->k;
    return j == i ? p->x[f].block[i] : p->plan->leaves[i].staged[f] + before;
}

/* Member j sends these columns of its block of a factor to member i. The block begins and ends
 * somewhere in a row of `part` coefficients: the rows between are one copy. */
static gfp_status send_columns(const gfp_gpu_dealt_product *p, unsigned i, unsigned f, unsigned j,
                               gfp_gpu_columns columns)
{
    const size_t k = p->group->k, part = p->plan->leaves[i].shape.part;
    const size_t begin = j * p->x[f].each;
    const size_t end = begin + gfp_gpu_dealt_block(p->group, p->len[f], j);
    for (size_t row = begin / part, rows; row * part < end; row += rows) {
        rows = row * part < begin || end / part <= row ? 1 : end / part - row;
        const size_t from = row * part + columns.from > begin ? row * part + columns.from : begin;
        const size_t to = gfp_size_min(row * part + columns.to, end);
        if (from < to) {
            const gfp_gpu_dealt_rows shape = {to - from, rows, part};
            GFP_TRY(gfp_gpu_dealt_copy(p->group, j, COPIES,
                                       staged_block(p, i, f, j) + (from - begin) * k,
                                       p->x[f].block[j] + (from - begin) * k, shape));
        }
    }
    return GFP_OK;
}

/* Member j sends columns of a factor to all others. */
static gfp_status send_factor(const gfp_gpu_dealt_product *p, unsigned j, unsigned f,
                              gfp_gpu_columns columns)
{
    const gfp_gpu_dealt_member *m = &p->group->members[j];
    for (unsigned step = 1; step < p->group->count; step++) {
        GFP_TRY(send_columns(p, (j + step) % p->group->count, f, j, columns));
    }
    return gfp_gpu_dealt_set(m, m->sent, COPIES);
}

/* Projects columns of a factor when they are there, and transforms it behind the last ones. */
static gfp_status project_columns(const gfp_gpu_dealt_product *p, unsigned i, unsigned f,
                                  gfp_gpu_columns columns)
{
    gfp_gpu_dealt_leaves *leaves = &p->plan->leaves[i];
    gfp_gpu_cyclic *cyclic = &leaves->cyclic;
    gfp_gpu_blocks x = {.each = p->x[f].each};
    for (unsigned j = 0; j < p->group->count; j++) {
        x.block[j] = staged_block(p, i, f, j);
    }
    GFP_TRY(gfp_gpu_dealt_hold_sent(p->group, i));
    GFP_TRY(cyclic->engine->share->project(cyclic, leaves->work[f], &x, p->len[f], columns));
    return columns.to < leaves->shape.part
               ? GFP_OK
               : cyclic->engine->share->transform(cyclic, leaves->work[f]);
}

static gfp_status read_factor(const gfp_gpu_dealt_product *p, unsigned f)
{
    const size_t part = p->plan->leaves[0].shape.part;
    const unsigned groups = f == 0 ? p->plan->groups : 1;
    for (unsigned g = 0; g < groups; g++) {
        const gfp_gpu_columns columns = part_of(part, g, groups);
        for (unsigned i = 0; i < p->group->count; i++) {
            GFP_GPU_DEALT_TRY(p->group, i, false, send_factor(p, i, f, columns));
        }
        for (unsigned i = 0; i < p->group->count; i++) {
            GFP_GPU_DEALT_TRY(p->group, i, false, project_columns(p, i, f, columns));
        }
    }
    return GFP_OK;
}

/* ---- products ---- */

/* Multiplies group g of the member's leaves, and sends their digits to the others behind. */
static gfp_status multiply_group(const gfp_gpu_dealt_product *p, unsigned i, unsigned g)
{
    const gfp_gpu_dealt_member *m = &p->group->members[i];
    gfp_gpu_dealt_leaves *leaves = &p->plan->leaves[i];
    const unsigned count = p->group->count;
    const gfp_gpu_columns group = half_of(leaves->end - leaves->first, g, p->plan->groups);
    const size_t length = leaves->shape.parts * leaves->shape.part;
    const size_t at = (leaves->first + group.from) * length * p->group->k;
    const gfp_gpu_dealt_rows all = {.n = (group.to - group.from) * length, .rows = 1};
    if (group.from == group.to) {
        return GFP_OK;
    }
    GFP_TRY(leaves->cyclic.engine->share->multiply(
        &leaves->cyclic, leaves->work[0], leaves->work[p->square ? 0 : 1],
        leaves->first + (unsigned)group.from, leaves->first + (unsigned)group.to));
    GFP_TRY(gfp_gpu_dealt_set(m, m->made, MAIN));
    GFP_TRY(gfp_gpu_dealt_hold(m, COPIES, m->made));
    for (unsigned step = 1; step < count; step++) {
        const gfp_gpu_dealt_leaves *other = &p->plan->leaves[(i + step) % count];
        GFP_TRY(gfp_gpu_dealt_copy(p->group, i, COPIES, other->shape.digits + at,
                                   leaves->shape.digits + at, all));
    }
    return GFP_OK;
}

static gfp_status restore_block(const gfp_gpu_dealt_product *p, unsigned i)
{
    gfp_gpu_cyclic *cyclic = &p->plan->leaves[i].cyclic;
    const size_t n = gfp_gpu_dealt_block(p->group, p->len_c, i);
    GFP_TRY(gfp_gpu_dealt_hold_sent(p->group, i));
    return n == 0 ? GFP_OK
                  : cyclic->engine->share->restore(cyclic, p->c.block[i], i * p->c.each, n);
}

/* Stage by stage, so that all members work at once. */
static gfp_status leaves_run(const gfp_gpu_dealt_product *p)
{
    const unsigned count = p->group->count;
    for (unsigned f = 0; f < (p->square ? 1u : 2u); f++) {
        GFP_TRY(read_factor(p, f));
    }
    for (unsigned g = 0; g < p->plan->groups; g++) {
        for (unsigned i = 0; i < count; i++) {
            GFP_GPU_DEALT_TRY(p->group, i, false, multiply_group(p, i, g));
        }
    }
    for (unsigned i = 0; i < count; i++) {
        const gfp_gpu_dealt_member *m = &p->group->members[i];
        GFP_GPU_DEALT_TRY(p->group, i, false, gfp_gpu_dealt_set(m, m->sent, COPIES));
    }
    for (unsigned i = 0; i < count; i++) {
        GFP_GPU_DEALT_TRY(p->group, i, false, restore_block(p, i));
    }
    return GFP_OK;
}

const gfp_gpu_dealt_way gfp_gpu_dealt_by_leaves = {leaves_open, leaves_close, leaves_run};
