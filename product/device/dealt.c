/* dealt.c: products from host memory dealt over several devices. Each member receives its blocks of
 * both factors over its own bus, gfp_gpu_dealt_mul multiplies, and the wanted part of each member's
 * block of the product comes back.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/call.h"
#include "product/device/methods.h"
#include "field/base/support.h"

/* The arrays of a member for its blocks of a, b and c. */
enum { FACTOR_A, FACTOR_B, PRODUCT, PARTS };
static const size_t arrays[PARTS] = {GFP_POOL_A, GFP_POOL_B, GFP_POOL_C};

typedef struct dealt_run {
    const gfp_device_work *w;
    gfp_pool_entry *entry;
    gfp_task *task;
    size_t k, len[PARTS];
    bool square;
    gfp_gpu_dealt_plan *plan;
} dealt_run;

/* ---- blocks ---- */

static size_t block_begin(const dealt_run *r, size_t part, unsigned i)
{
    return gfp_size_min(i * gfp_gpu_dealt_each(r->len[part], r->w->members), r->len[part]);
}

/* The arrays of all members for a part. */
static void part_arrays(const dealt_run *r, size_t part, gfp_gpu_array **array)
{
    for (const gfp_pool_entry *m = r->entry; m != NULL; m = m->peer) {
        *array++ = m->array[arrays[part]];
    }
}

static gfp_status make_blocks(const dealt_run *r)
{
    unsigned i = 0;
    for (gfp_pool_entry *m = r->entry; m != NULL; m = m->peer, i++) {
        for (size_t part = 0; part < PARTS; part++) {
            const size_t n = block_begin(r, part, i + 1) - block_begin(r, part, i);
            if (n > 0 && !(part == FACTOR_B && r->square)) {
                GFP_TRY(gfp_pool_reserve(m, arrays[part], n * r->k));
            }
        }
    }
    return GFP_OK;
}

/* The context of the member that fails has the reason; of the plan, that of the first member. */
static gfp_status make_all(dealt_run *r, gfp_error *why)
{
    GFP_TRY(make_blocks(r));
    const gfp_status status =
        gfp_pool_dealt_for(r->entry, &r->plan, r->len[FACTOR_A], r->len[FACTOR_B]);
    if (status != GFP_OK) {
        *why = *gfp_gpu_last_error(r->entry->gpu);
    }
    return status;
}

static gfp_status prepare_dealt(dealt_run *r, gfp_error *why)
{
    gfp_status status = make_all(r, why);
    if (status == GFP_ERR_MEMORY) { /* memory of other plans and of idle entries may suffice */
        for (gfp_pool_entry *m = r->entry; m != NULL; m = m->peer) {
            gfp_pool_clear(m);
            gfp_gpu_error_begin(m->gpu, NULL);
        }
        why->status = GFP_OK;
        status = make_all(r, why);
    }
    for (gfp_pool_entry *m = r->entry; m != NULL && status == GFP_OK; m = m->peer) {
        gfp_gpu_error_begin(m->gpu, NULL); /* a way that the plan has not taken is no reason */
    }
    return status;
}

/* ---- copies ---- */

/* The transfer of coefficients from <= i < to, counted in the part, between x, which begins with
 * coefficient `first`, and the block of member i. False: the member has none of them. */
static bool block_transfer(const dealt_run *r, gfp_pool_transfer *t, size_t part, unsigned i,
                           const uint64_t *x, size_t first, size_t n)
{
    const size_t begin = block_begin(r, part, i), end = block_begin(r, part, i + 1);
    const size_t from = begin > first ? begin : first, to = gfp_size_min(end, first + n);
    if (from >= to) {
        return false;
    }
    const size_t words = (to - from) * r->k;
    t->array = t->entry->array[arrays[part]];
    t->rows = (gfp_host_rows){(uint64_t *)x + (from - first) * r->k, 1, words, words};
    t->first = (from - begin) * r->k;
    return true;
}

static gfp_status move_parts(const dealt_run *r, size_t part, const uint64_t *x, size_t first,
                             size_t n)
{
    gfp_pool_transfer transfers[GFP_GPU_MOST_MEMBERS];
    size_t count = 0;
    unsigned i = 0;
    for (gfp_pool_entry *m = r->entry; m != NULL; m = m->peer, i++) {
        transfers[count] = (gfp_pool_transfer){.entry = m, .down = part == PRODUCT};
        count += block_transfer(r, &transfers[count], part, i, x, first, n);
    }
    return gfp_pool_transfer_all(transfers, count, r->task);
}

/* Work of `later` waits for that of `earlier`, on every member. */
static gfp_status order_members(const dealt_run *r, size_t fence, gfp_gpu_queue earlier,
                                gfp_gpu_queue later)
{
    for (gfp_pool_entry *m = r->entry; m != NULL; m = m->peer) {
        GFP_TRY(gfp_pool_order(m, fence, earlier, later));
    }
    return GFP_OK;
}

/* ---- all together ---- */

/* All queues of all members wait for the work before a dealt product's end: copies from the host
 * begin when the factors of the product before have been read. */
static gfp_status multiply_dealt(const dealt_run *r, size_t number, gfp_error *why)
{
    const gfp_device_work *w = r->w;
    gfp_gpu_array *a[GFP_GPU_MOST_MEMBERS], *b[GFP_GPU_MOST_MEMBERS], *c[GFP_GPU_MOST_MEMBERS];
    const size_t k = r->k, len_a = w->len_a, len_b = w->len_b;
    GFP_TRY(move_parts(r, FACTOR_A, w->a + number * w->stride_a * k, 0, len_a));
    GFP_TRY(r->square ? GFP_OK
                      : move_parts(r, FACTOR_B, w->b + number * w->stride_b * k, 0, len_b));
    GFP_TRY(order_members(r, GFP_POOL_FENCE_A, GFP_GPU_QUEUE_UPLOAD, GFP_GPU_QUEUE_MAIN));
    part_arrays(r, FACTOR_A, a);
    part_arrays(r, r->square ? FACTOR_A : FACTOR_B, b);
    part_arrays(r, PRODUCT, c);
    const gfp_status status = gfp_gpu_dealt_mul(c, a, len_a, b, len_b, r->plan, NULL);
    if (status != GFP_OK) {
        *why = *gfp_gpu_last_error(r->entry->gpu);
        return status;
    }
    GFP_TRY(move_parts(r, PRODUCT, w->c + number * w->stride_c * k, w->first, w->n));
    return order_members(r, GFP_POOL_FENCE_OUT, GFP_GPU_QUEUE_DOWNLOAD, GFP_GPU_QUEUE_MAIN);
}

bool gfp_device_is_dealt(const gfp_device_work *w)
{
    return w->members > 1 && w->count < w->members;
}

size_t gfp_device_dealt_bytes(const gfp_device_work *w)
{
    const size_t k = gfp_field_k(w->field), longer = w->len_a > w->len_b ? w->len_a : w->len_b;
    const size_t all = gfp_size_add_sat(w->len_a, w->len_b);
    const size_t up = gfp_gpu_dealt_each(longer, w->members);
    const size_t down = gfp_size_min(w->n, gfp_gpu_dealt_each(all, w->members));
    return w->members * gfp_staging_bytes(gfp_size_mul_sat(up, k), gfp_size_mul_sat(down, k));
}

gfp_status gfp_device_run_dealt(const gfp_device_work *w, gfp_pool_entry *entry, gfp_task *task,
                                gfp_error *why)
{
    dealt_run r = {.w = w,
                   .entry = entry,
                   .task = task,
                   .k = gfp_field_k(w->field),
                   .len = {w->len_a, w->len_b, w->len_a + w->len_b - 1},
                   .square = w->a == w->b && w->len_a == w->len_b && w->stride_a == w->stride_b};
    const double words = (double)r.k * (double)w->count *
                         ((double)w->len_a + (r.square ? 0 : (double)w->len_b) + (double)w->n);
    GFP_TRY(prepare_dealt(&r, why));
    if (!gfp_task_span(task, 1, words, 1)) {
        return GFP_ERR_CANCELLED;
    }
    for (size_t i = 0; i < w->count; i++) {
        GFP_TRY(multiply_dealt(&r, i, why));
    }
    return GFP_OK;
}
