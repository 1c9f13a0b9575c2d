/* group.c: contexts that work together: fences, copies, blocks of arrays, errors.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/call.h"
#include "gpu/dealt/dealt.h"

/* ---- groups ---- */

bool gfp_gpu_dealt_all(gfp_gpu *const *gpus, size_t members)
{
    bool all = gpus != NULL && members > 0;
    for (size_t i = 0; all && i < members && i < GFP_GPU_MOST_MEMBERS; i++) {
        all = gpus[i] != NULL;
    }
    return all;
}

gfp_status gfp_gpu_dealt_refuse(const char *name, const gfp_options *options)
{
    gfp_call call;
    GFP_TRY(gfp_call_begin(&call, name, options));
    gfp_call_unreported(&call);
    return gfp_call_end(&call,
                        gfp_error_set(&call.error, GFP_ERR_ARGUMENT,
                                      "%s: an argument is NULL, or there are no members", name));
}

gfp_status gfp_gpu_dealt_failed(const gfp_gpu_dealt_group *group, unsigned i, gfp_status status)
{
    const gfp_gpu *gpu = group->members[i].gpu;
    const gfp_error error = gpu->error;
    return GFP_GPU_FAIL(group->members[0].gpu, status, "member %u, device %u: %s", i, gpu->device,
                        error.message);
}

static gfp_status join_member(gfp_gpu_dealt_group *group, unsigned i)
{
    gfp_gpu_dealt_member *m = &group->members[i];
    for (unsigned j = 0; j < group->count; j++) {
        GFP_TRY(m->gpu->backend->exchange->reach(m->gpu, group->members[j].gpu));
    }
    GFP_TRY(gfp_gpu_fence_create(&m->ready, m->gpu));
    GFP_TRY(gfp_gpu_fence_create(&m->read, m->gpu));
    GFP_TRY(gfp_gpu_fence_create(&m->made, m->gpu));
    return gfp_gpu_fence_create(&m->sent, m->gpu);
}

static gfp_status check_members(gfp_gpu *const *gpus, size_t members, const gfp_field *field)
{
    if (members > GFP_GPU_MOST_MEMBERS || field == NULL) {
        return GFP_GPU_FAIL(gpus[0], GFP_ERR_ARGUMENT, "%zu members (at most %d)%s", members,
                            GFP_GPU_MOST_MEMBERS, field == NULL ? ", no field" : "");
    }
    for (size_t i = 0; i < members * members; i++) {
        if (i / members < i % members && gpus[i / members] == gpus[i % members]) {
            return GFP_GPU_FAIL(gpus[0], GFP_ERR_ARGUMENT, "members %zu and %zu are one context",
                                i / members, i % members);
        }
    }
    for (size_t i = 1; i < members; i++) {
        if (gpus[i]->backend != gpus[0]->backend) {
            return GFP_GPU_FAIL(gpus[0], GFP_ERR_ARGUMENT, "contexts of several backends");
        }
    }
    GFP_GPU_NEED(gpus[0], exchange, reach);
    GFP_GPU_NEED(gpus[0], queues, fence_open);
    return GFP_OK;
}

gfp_status gfp_gpu_dealt_open(gfp_gpu_dealt_group *group, gfp_gpu *const *gpus, size_t members,
                              const gfp_field *field)
{
    *group = (gfp_gpu_dealt_group){.field = field};
    GFP_TRY(check_members(gpus, members, field));
    group->k = gfp_field_k(field);
    group->count = (unsigned)members;
    for (size_t i = 0; i < members; i++) {
        group->members[i].gpu = gpus[i];
    }
    for (unsigned i = 0; i < group->count; i++) {
        GFP_GPU_DEALT_TRY(group, i, true, join_member(group, i));
    }
    return GFP_OK;
}

void gfp_gpu_dealt_wait(const gfp_gpu_dealt_group *group)
{
    for (unsigned i = 0; i < group->count; i++) {
        gfp_gpu *gpu = group->members[i].gpu;
        const gfp_error error = gpu->error;
        (void)gpu->backend->device->wait(gpu);
        gpu->error = error;
    }
}

void gfp_gpu_dealt_close(gfp_gpu_dealt_group *group)
{
    for (unsigned i = 0; i < group->count; i++) {
        gfp_gpu_dealt_member *m = &group->members[i];
        gfp_gpu_fence_destroy(m->ready);
        gfp_gpu_fence_destroy(m->read);
        gfp_gpu_fence_destroy(m->made);
        gfp_gpu_fence_destroy(m->sent);
    }
}

/* ---- queues ---- */

gfp_status gfp_gpu_dealt_hold(const gfp_gpu_dealt_member *m, gfp_gpu_queue queue,
                              const gfp_gpu_fence *fence)
{
    return m->gpu->backend->exchange->hold(m->gpu, queue, fence);
}

gfp_status gfp_gpu_dealt_set(const gfp_gpu_dealt_member *m, gfp_gpu_fence *fence,
                             gfp_gpu_queue queue)
{
    return m->gpu->backend->queues->fence_set(fence, queue);
}

gfp_status gfp_gpu_dealt_hold_sent(const gfp_gpu_dealt_group *group, unsigned i)
{
    for (unsigned j = 0; j < group->count; j++) {
        GFP_TRY(gfp_gpu_dealt_hold(&group->members[i], GFP_GPU_QUEUE_MAIN, group->members[j].sent));
    }
    return GFP_OK;
}

static gfp_status hold_all(const gfp_gpu_dealt_group *group, unsigned i)
{
    const gfp_gpu_dealt_member *m = &group->members[i];
    for (unsigned j = 0; j < group->count; j++) {
        GFP_TRY(gfp_gpu_dealt_hold(m, GFP_GPU_QUEUE_MAIN, group->members[j].ready));
        GFP_TRY(gfp_gpu_dealt_hold(m, GFP_GPU_QUEUE_UPLOAD, group->members[j].ready));
        GFP_TRY(gfp_gpu_dealt_hold(m, GFP_GPU_QUEUE_DOWNLOAD, group->members[j].ready));
    }
    return GFP_OK;
}

gfp_status gfp_gpu_dealt_join(const gfp_gpu_dealt_group *group)
{
    for (unsigned i = 0; i < group->count; i++) {
        const gfp_gpu_dealt_member *m = &group->members[i];
        GFP_GPU_DEALT_TRY(group, i, false, gfp_gpu_dealt_set(m, m->ready, GFP_GPU_QUEUE_MAIN));
    }
    for (unsigned i = 0; i < group->count; i++) {
        GFP_GPU_DEALT_TRY(group, i, false, hold_all(group, i));
    }
    return GFP_OK;
}

gfp_status gfp_gpu_dealt_copy(const gfp_gpu_dealt_group *group, unsigned i, gfp_gpu_queue queue,
                              uint64_t *to, const uint64_t *from, gfp_gpu_dealt_rows rows)
{
    gfp_gpu *gpu = group->members[i].gpu;
    const size_t element = group->k * sizeof(uint64_t);
    const gfp_gpu_copy copy = {.to = to,
                               .from = from,
                               .to_pitch = rows.pitch * element,
                               .from_pitch = rows.pitch * element,
                               .bytes = rows.n * element,
                               .rows = rows.rows};
    return rows.n == 0 || rows.rows == 0 ? GFP_OK : gpu->backend->exchange->copy(gpu, queue, &copy);
}

/* ---- blocks ---- */

size_t gfp_gpu_dealt_block(const gfp_gpu_dealt_group *group, size_t len, unsigned i)
{
    const size_t each = gfp_gpu_dealt_each(len, group->count);
    return gfp_size_min(len - gfp_size_min(len, i * each), each);
}

gfp_status gfp_gpu_dealt_blocks(const gfp_gpu_dealt_group *group, gfp_gpu_array *const *x,
                                size_t len, gfp_gpu_blocks *blocks)
{
    blocks->each = gfp_gpu_dealt_each(len, group->count);
    for (unsigned i = 0; i < group->count; i++) {
        const size_t n = gfp_gpu_dealt_block(group, len, i);
        gfp_gpu *gpu = group->members[i].gpu;
        if (n > 0 && x[i] == NULL) {
            return GFP_GPU_FAIL(group->members[0].gpu, GFP_ERR_ARGUMENT, "member %u has no block",
                                i);
        }
        if (n > 0) {
            const gfp_status status = gfp_gpu_array_check(gpu, x[i], n * group->k);
            if (status != GFP_OK) {
                return gfp_gpu_dealt_failed(group, i, status);
            }
            blocks->block[i] = x[i]->data;
        }
    }
    return GFP_OK;
}
