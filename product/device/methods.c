/* methods.c: products from host memory on a device: uploads, products and downloads in three
 * queues, with two buffers of each if there are several products. If the device's memory is too
 * small, products of blocks are added up on the device. A batch over several devices is a run on
 * each.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/device/methods.h"

#include <string.h>

#include "gpu/call.h"
#include "product/methods/row.h"
#include "field/base/options.h"
#include "field/base/parallel.h"
#include "field/base/support.h"

/* The words of a group of a batch's products, about 16 MiB, so that groups overlap. */
#define GROUP_WORDS ((size_t)1 << 21)
/* Blocks are not cut below this length. */
#define MIN_BLOCK ((size_t)64)

typedef struct run {
    const gfp_device_work *w;
    gfp_pool_entry *entry;
    gfp_task *task;
    size_t k;
    gfp_gpu_product_plan *plan;
    /* For groups: their number, and the products of each but the last. */
    size_t groups, group;
    /* For blocks: the product in pieces, x being the longer factor; products of two pieces have at
     * most `width` coefficients. */
    gfp_cut cut;
    uint64_t *c;
    size_t width;
    gfp_gpu_array *carried[2];   /* the part of a sum that belongs to the next sum */
    size_t held_x[2], held_y[2]; /* the pieces in the buffers */
    size_t pairs;                /* products of two pieces so far */
    size_t from, sums;           /* the first sum to compute, and their number, at least 1 */
    bool to_end;                 /* the last of them is that of the product */
    bool square;
} run;

/* ---- queues ---- */

static gfp_status device_methods_hold(const run *r, size_t fence, gfp_gpu_queue later)
{
    return gfp_gpu_fence_hold(r->entry->fence[fence], later);
}

/* `len` elements of each row, from an address on. */
static gfp_host_rows rows_of(const run *r, const uint64_t *at, size_t rows, size_t len,
                             size_t stride)
{
    return (gfp_host_rows){(uint64_t *)at, rows, len * r->k, stride * r->k};
}

/* ---- groups of products ---- */

static size_t words_of_product(const gfp_device_work *w)
{
    const size_t elements = gfp_size_add_sat(gfp_size_add_sat(w->len_a, w->len_b), w->n);
    return gfp_size_mul_sat(elements, gfp_field_k(w->field));
}

/* The products of a group if memory suffices. */
static size_t usual_group(const gfp_device_work *w)
{
    const size_t fit = GROUP_WORDS / words_of_product(w);
    return fit == 0 ? 1 : gfp_size_min(fit, w->count);
}

/* The arrays and the plan for groups of this many products. */
static gfp_status prepare_groups(run *r, size_t group, gfp_error *error)
{
    const gfp_device_work *w = r->w;
    const size_t lens[] = {w->len_a, r->square ? 0 : w->len_b, w->n};
    static const size_t arrays[] = {GFP_POOL_A, GFP_POOL_B, GFP_POOL_C};
    r->group = group;
    r->groups = gfp_cut_count(w->count, group);
    for (size_t i = 0; i < 3; i++) {
        size_t words = 0;
        if (!gfp_size_mul(&words, lens[i], r->k) || !gfp_size_mul(&words, words, group)) {
            return gfp_error_set(error, GFP_ERR_SIZE, "the product does not fit size_t");
        }
        for (size_t s = 0; s < 2 && s < r->groups && words != 0; s++) {
            GFP_TRY(gfp_pool_reserve(r->entry, arrays[i] + s, words));
        }
    }
    const gfp_pool_plan p = {.method = w->method,
                             .len_a = w->len_a,
                             .len_b = w->len_b,
                             .first = w->first,
                             .n = w->n,
                             .batch = group};
    GFP_TRY(gfp_pool_plan_for(r->entry, &r->plan, &p));
    /* The unused part of a group's arrays is multiplied too, and must hold digits. */
    for (size_t i = 0; i < 2 && r->groups == 2 && w->count % group != 0 && lens[i] != 0; i++) {
        GFP_TRY(gfp_gpu_clear(r->entry->array[arrays[i] + 1], lens[i] * r->k * group, NULL));
    }
    return gfp_gpu_fence_set(r->entry->fence[GFP_POOL_FENCE_C + 1], GFP_GPU_QUEUE_MAIN);
}

static size_t group_count(const run *r, size_t g)
{
    return gfp_size_min(r->group, r->w->count - g * r->group);
}

static gfp_status multiply_group(const run *r, size_t g)
{
    const gfp_device_work *w = r->w;
    const size_t s = g % 2, count = group_count(r, g), at = g * r->group * r->k;
    gfp_gpu_array *const *array = r->entry->array;
    gfp_gpu_array *a = array[GFP_POOL_A + s], *b = array[GFP_POOL_B + s];
    gfp_gpu_fence *b_ready = NULL;
    /* The product two groups before has read this buffer. */
    GFP_TRY(device_methods_hold(r, GFP_POOL_FENCE_C + s, GFP_GPU_QUEUE_UPLOAD));
    const gfp_host_rows from_a = rows_of(r, w->a + at * w->stride_a, count, w->len_a, w->stride_a);
    GFP_TRY(gfp_pool_upload(r->entry, a, &from_a, r->task));
    GFP_TRY(
        gfp_pool_order(r->entry, GFP_POOL_FENCE_A + s, GFP_GPU_QUEUE_UPLOAD, GFP_GPU_QUEUE_MAIN));
    if (!r->square) {
        const gfp_host_rows from_b =
            rows_of(r, w->b + at * w->stride_b, count, w->len_b, w->stride_b);
        GFP_TRY(gfp_pool_upload(r->entry, b, &from_b, r->task));
        b_ready = r->entry->fence[GFP_POOL_FENCE_B + s];
        GFP_TRY(gfp_gpu_fence_set(b_ready, GFP_GPU_QUEUE_UPLOAD));
    }
    GFP_TRY(device_methods_hold(r, GFP_POOL_FENCE_OUT + s, GFP_GPU_QUEUE_MAIN));
    const gfp_gpu_extent part = {w->len_a, w->len_b, w->first, w->n};
    GFP_TRY(gfp_gpu_product_range_after(r->plan, array[GFP_POOL_C + s], a, r->square ? a : b, &part,
                                        b_ready));
    return gfp_gpu_fence_set(r->entry->fence[GFP_POOL_FENCE_C + s], GFP_GPU_QUEUE_MAIN);
}

static gfp_status hand_out_group(const run *r, size_t g)
{
    const gfp_device_work *w = r->w;
    const size_t s = g % 2;
    const gfp_host_rows to =
        rows_of(r, w->c + g * r->group * r->k * w->stride_c, group_count(r, g), w->n, w->stride_c);
    GFP_TRY(device_methods_hold(r, GFP_POOL_FENCE_C + s, GFP_GPU_QUEUE_DOWNLOAD));
    GFP_TRY(gfp_pool_download(r->entry, &to, r->entry->array[GFP_POOL_C + s], 0, r->task));
    return gfp_gpu_fence_set(r->entry->fence[GFP_POOL_FENCE_OUT + s], GFP_GPU_QUEUE_DOWNLOAD);
}

/* ---- blocks of a product ---- */

/* With pieces x_i, y_j of L coefficients, the products x_i y_j of one sum i + j = d start at
 * X^(dL); their coefficients from X^(dL + L) on are carried into the next sum. In a square x_i x_j
 * and x_j x_i are one product, added twice. */

static size_t pieces_of_x(const run *r)
{
    return gfp_cut_count(r->cut.whole.len_a, r->cut.length_a);
}

static size_t pieces_of_y(const run *r)
{
    return gfp_cut_count(r->cut.whole.len_b, r->cut.length_b);
}

/* The sums that overlap the range, and the sum before them, which carries into them. */
static void count_sums(run *r)
{
    const size_t piece = r->cut.length_a, all = pieces_of_x(r) + pieces_of_y(r) - 1;
    const size_t begin = r->w->first / piece, end = r->w->first + r->w->n;
    const size_t last = gfp_size_min(all, gfp_cut_count(end, piece));
    r->from = begin == 0 ? 0 : gfp_size_min(begin, all) - 1;
    r->sums = last - r->from;
    r->to_end = last == all;
}

static gfp_status prepare_blocks(run *r, size_t piece)
{
    gfp_gpu_array **array = r->entry->array;
    const size_t piece_y = gfp_size_min(piece, r->cut.whole.len_b);
    const size_t width = piece + piece_y - 1, k = r->k;
    const size_t lens[GFP_POOL_ARRAYS] = {piece, piece, piece_y, piece_y, width, width, width};
    for (size_t i = 0; i < GFP_POOL_ARRAYS; i++) {
        GFP_TRY(gfp_pool_reserve(r->entry, i, lens[i] * k));
    }
    const gfp_pool_plan p = {
        .method = r->w->method, .len_a = piece, .len_b = piece_y, .n = width, .batch = 1};
    GFP_TRY(gfp_pool_plan_for(r->entry, &r->plan, &p));
    for (size_t i = 0; i < 2; i++) {
        GFP_TRY(gfp_gpu_array_part(&r->carried[i], array[GFP_POOL_C + i], piece * k,
                                   (width - piece) * k));
    }
    r->cut.length_a = piece;
    r->cut.length_b = piece_y;
    r->width = width;
    count_sums(r);
    return GFP_OK;
}

static void forget_blocks(run *r)
{
    for (size_t i = 0; i < 2; i++) {
        gfp_gpu_array_destroy(r->carried[i]);
        r->carried[i] = NULL;
    }
}

/* Puts piece i of a factor, len coefficients, into the buffer unless the buffer holds it. */
static gfp_status device_methods_fetch(const run *r, size_t buffer, size_t *held, const uint64_t *x,
                                       size_t len, size_t i)
{
    if (*held == i) {
        return GFP_OK;
    }
    const gfp_host_rows from = rows_of(r, x, 1, len, len);
    *held = i;
    return gfp_pool_upload(r->entry, r->entry->array[buffer], &from, r->task);
}

/* sum += x_i y_j. In a square only i <= j are visited, and products with i < j are added twice. */
static gfp_status add_pair(run *r, gfp_gpu_array *sum, size_t i, size_t j)
{
    gfp_gpu_array *const *array = r->entry->array;
    gfp_gpu_array *product = array[GFP_POOL_PRODUCT], *x, *y;
    const size_t s = r->pairs++ % 2;
    gfp_cut_piece pair;
    (void)gfp_cut_at(&r->cut, &pair, i, j, 0);
    const size_t len_x = pair.range.len_a, len_y = pair.range.len_b;
    x = y = array[GFP_POOL_A + s];
    GFP_TRY(device_methods_hold(r, GFP_POOL_FENCE_A + s,
                                GFP_GPU_QUEUE_UPLOAD)); /* the buffers have been read */
    GFP_TRY(device_methods_fetch(r, GFP_POOL_A + s, &r->held_x[s], pair.range.a, len_x, i));
    if (!r->square || i != j) {
        y = array[GFP_POOL_B + s];
        GFP_TRY(device_methods_fetch(r, GFP_POOL_B + s, &r->held_y[s], pair.range.b, len_y, j));
    }
    GFP_TRY(
        gfp_pool_order(r->entry, GFP_POOL_FENCE_B + s, GFP_GPU_QUEUE_UPLOAD, GFP_GPU_QUEUE_MAIN));
    GFP_TRY(gfp_gpu_product_mul(product, x, len_x, y, len_y, r->plan, NULL));
    GFP_TRY(gfp_gpu_fence_set(r->entry->fence[GFP_POOL_FENCE_A + s], GFP_GPU_QUEUE_MAIN));
    if (r->square && i != j) {
        GFP_TRY(gfp_gpu_vec_add(r->w->field, sum, sum, product, len_x + len_y - 1));
    }
    return gfp_gpu_vec_add(r->w->field, sum, sum, product, len_x + len_y - 1);
}

/* Computes sum number d; `carries`: the sum before left a carry. */
static gfp_status add_up(run *r, size_t d, bool carries)
{
    const size_t e = d % 2, nx = pieces_of_x(r), ny = pieces_of_y(r);
    gfp_gpu_array *sum = r->entry->array[GFP_POOL_C + e];
    GFP_TRY(device_methods_hold(r, GFP_POOL_FENCE_OUT + e, GFP_GPU_QUEUE_MAIN)); /* sum d - 2 */
    GFP_TRY(gfp_gpu_clear(sum, r->width * r->k, NULL));
    if (carries) {
        GFP_TRY(gfp_gpu_set(sum, r->carried[1 - e], (r->width - r->cut.length_a) * r->k, NULL));
    }
    const size_t last = r->square ? d / 2 : gfp_size_min(d, nx - 1);
    for (size_t i = d < ny ? 0 : d - ny + 1; i <= last; i++) {
        GFP_TRY(add_pair(r, sum, i, d - i));
    }
    return gfp_gpu_fence_set(r->entry->fence[GFP_POOL_FENCE_C + e], GFP_GPU_QUEUE_MAIN);
}

static gfp_status hand_out_sum(const run *r, size_t d, bool last)
{
    const size_t e = d % 2, piece = r->cut.length_a, from = d * piece, end = r->w->first + r->w->n;
    const size_t low = from > r->w->first ? from : r->w->first;
    const size_t high = gfp_size_min(end, from + (last ? r->width : piece));
    if (low >= high) {
        return GFP_OK;
    }
    const gfp_host_rows to =
        rows_of(r, r->c + (low - r->w->first) * r->k, 1, high - low, high - low);
    GFP_TRY(device_methods_hold(r, GFP_POOL_FENCE_C + e, GFP_GPU_QUEUE_DOWNLOAD));
    GFP_TRY(gfp_pool_download(r->entry, &to, r->entry->array[GFP_POOL_C + e], (low - from) * r->k,
                              r->task));
    return gfp_gpu_fence_set(r->entry->fence[GFP_POOL_FENCE_OUT + e], GFP_GPU_QUEUE_DOWNLOAD);
}

/* Begins product number i in blocks. */
static void start_product(run *r, size_t i)
{
    const gfp_device_work *w = r->w;
    const uint64_t *a = w->a + i * w->stride_a * r->k, *b = w->b + i * w->stride_b * r->k;
    r->cut.whole.a = w->len_a >= w->len_b ? a : b;
    r->cut.whole.b = w->len_a >= w->len_b ? b : a;
    r->c = w->c + i * w->stride_c * r->k;
    r->held_x[0] = r->held_x[1] = r->held_y[0] = r->held_y[1] = SIZE_MAX;
}

/* ---- steps ---- */

/* A step of a run enqueues a group or a sum, and hands out the one before, which is computed
 * meanwhile. After the last sum of a product in blocks the device is waited for, before sums are
 * cleared. */

/* In blocks: the sums, and the last one to hand out. */
static size_t steps_of_product(const run *r)
{
    return r->sums + 1;
}

static size_t steps_of(const run *r)
{
    return r->groups > 0 ? r->groups + 1 : r->w->count * steps_of_product(r);
}

static gfp_status step_begin(run *r, size_t step)
{
    if (r->groups > 0) {
        return step < r->groups ? multiply_group(r, step) : GFP_OK;
    }
    const size_t sum = step % steps_of_product(r);
    if (sum == 0) {
        start_product(r, step / steps_of_product(r));
    }
    return sum < r->sums ? add_up(r, r->from + sum, sum > 0) : GFP_OK;
}

static gfp_status step_end(run *r, size_t step)
{
    if (r->groups > 0) {
        return step > 0 ? hand_out_group(r, step - 1) : GFP_OK;
    }
    const size_t sum = step % steps_of_product(r);
    const bool last = sum == r->sums;
    GFP_TRY(sum > 0 ? hand_out_sum(r, r->from + sum - 1, last && r->to_end) : GFP_OK);
    return last ? gfp_gpu_wait(r->entry->gpu, NULL) : GFP_OK;
}

/* ---- all together ---- */

/* Uses the largest groups that fit into memory, else blocks of one product. Each attempt starts
 * with all memory free. After a failure the reason is in *error, or is the context's last error. */
static gfp_status device_methods_prepare(run *r, gfp_error *error)
{
    const gfp_device_work *w = r->w;
    size_t group = usual_group(w), piece = r->cut.whole.len_a;
    gfp_status status = prepare_groups(r, group, error);
    if (status == GFP_ERR_MEMORY) {
        gfp_pool_clear(r->entry);
        status = prepare_groups(r, group, error);
    }
    while (status == GFP_ERR_MEMORY && group > 1) {
        group = gfp_cut_count(group, 2);
        gfp_pool_clear(r->entry);
        status = prepare_groups(r, group, error);
    }
    const gfp_status whole = status;
    const gfp_error why = *gfp_gpu_last_error(r->entry->gpu);
    while (status == GFP_ERR_MEMORY && piece > MIN_BLOCK) {
        piece = gfp_cut_count(piece, 2);
        forget_blocks(r);
        gfp_pool_clear(r->entry);
        r->groups = 0;
        status = prepare_blocks(r, piece);
    }
    if (whole == GFP_ERR_MEMORY && status == GFP_ERR_UNAVAILABLE) { /* the method does not serve
                                                                       such short blocks */
        *error = why;
        return whole;
    }
    return status;
}

/* Words that cross the bus. */
static double words_to_move(const run *r)
{
    const double k = (double)r->k, count = (double)r->w->count;
    if (r->groups > 0) {
        return k * count *
               ((double)r->w->len_a + (r->square ? 0 : (double)r->w->len_b) + (double)r->w->n);
    }
    const double pairs = (double)pieces_of_x(r) * (double)pieces_of_y(r);
    return k * count *
           ((r->square ? pairs / 2 : pairs) * (double)(r->cut.length_a + r->cut.length_b) +
            (double)r->w->n);
}

/* Step by step on all devices. */
static gfp_status device_methods_compute(run *runs, size_t count, gfp_task *task)
{
    double words = 0;
    size_t steps = 0;
    for (size_t i = 0; i < count; i++) {
        words += words_to_move(&runs[i]);
        steps = steps_of(&runs[i]) > steps ? steps_of(&runs[i]) : steps;
    }
    if (!gfp_task_span(task, 1, words, 1)) {
        return GFP_ERR_CANCELLED;
    }
    for (size_t step = 0; step < steps; step++) {
        for (size_t i = 0; i < count; i++) {
            GFP_TRY(step < steps_of(&runs[i]) ? step_begin(&runs[i], step) : GFP_OK);
        }
        for (size_t i = 0; i < count; i++) {
            GFP_TRY(step < steps_of(&runs[i]) ? step_end(&runs[i], step) : GFP_OK);
        }
    }
    return GFP_OK;
}

/* The range of the products for member number i. */
static gfp_device_work share_of(const gfp_device_work *w, unsigned i)
{
    gfp_device_work share = *w;
    const size_t k = gfp_field_k(w->field), each = gfp_gpu_dealt_each(w->count, w->members);
    const size_t from = gfp_size_min(i * each, w->count);
    share.count = gfp_size_min(each, w->count - from);
    if (share.count == 0) {
        return share;
    }
    share.c += from * w->stride_c * k;
    share.a += from * w->stride_a * k;
    share.b += from * w->stride_b * k;
    return share;
}

static run run_of(const gfp_device_work *w, gfp_pool_entry *entry, gfp_task *task)
{
    run r = {.w = w,
             .entry = entry,
             .task = task,
             .k = gfp_field_k(w->field),
             .square = w->a == w->b && w->len_a == w->len_b && w->stride_a == w->stride_b};
    const gfp_range whole = gfp_range_whole(w->field, NULL, w->len_a, NULL, w->len_b),
                    longer_first = gfp_range_longer_first(&whole);
    r.cut = gfp_cut_factors(&longer_first, longer_first.len_a, longer_first.len_b);
    return r;
}

/* A member's share of the products on each. */
static gfp_status run_shares(const gfp_device_work *w, gfp_pool_entry *entry, gfp_task *task,
                             gfp_error *why)
{
    gfp_device_work shares[GFP_GPU_MOST_MEMBERS];
    run runs[GFP_GPU_MOST_MEMBERS];
    unsigned count = 0;
    gfp_status status = GFP_OK;
    for (; entry != NULL && status == GFP_OK; entry = entry->peer) {
        shares[count] = share_of(w, count);
        if (shares[count].count == 0) {
            break;
        }
        runs[count] = run_of(&shares[count], entry, task);
        status = device_methods_prepare(&runs[count++], why);
        if (status == GFP_OK) { /* what memory was too small for is no reason */
            gfp_gpu_error_begin(entry->gpu, NULL);
        }
    }
    if (status == GFP_OK) {
        status = device_methods_compute(runs, count, task);
    }
    for (unsigned i = 0; i < count; i++) {
        forget_blocks(&runs[i]);
    }
    return status;
}

/* Fills the error with the given reason, or that of the first member whose context has one. */
static gfp_status set_device_error(const gfp_device_work *w, const gfp_pool_entry *entry,
                                   const gfp_error *why, gfp_status status, gfp_error *error)
{
    while (entry->peer != NULL && gfp_gpu_last_error(entry->gpu)->status == GFP_OK) {
        entry = entry->peer;
    }
    const gfp_error *last = gfp_gpu_last_error(entry->gpu);
    if (why != NULL && why->status != GFP_OK) {
        return gfp_error_set(error, status, "%s: %s", w->name, why->message);
    }
    const char *reason = last->status != GFP_OK ? last->message : gfp_status_string(status);
    return w->members > 1
               ? gfp_error_set(error, status, "%s: device %u: %s", w->name, entry->device, reason)
               : gfp_error_set(error, status, "%s: %s", w->name, reason);
}

static gfp_status wait_members(const gfp_pool_entry *entry)
{
    for (; entry != NULL; entry = entry->peer) {
        GFP_TRY(gfp_gpu_wait(entry->gpu, NULL));
    }
    return GFP_OK;
}

gfp_status gfp_device_run(const gfp_device_work *w, gfp_task *task, gfp_error *error)
{
    gfp_error why = {.status = GFP_OK};
    gfp_pool_entry *entry = NULL;
    gfp_status status = gfp_pool_take(&entry, w->field, gfp_task_device(task), w->members,
                                      gfp_task_device_memory(task), &why);
    if (status != GFP_OK) {
        return w->members > 1 ? gfp_error_set(error, status, "%s: %s", w->name, why.message)
                              : gfp_error_set(error, status, "%s", why.message);
    }
    status = gfp_device_is_dealt(w) ? gfp_device_run_dealt(w, entry, task, &why)
                                    : run_shares(w, entry, task, &why);
    if (status == GFP_OK) {
        status = wait_members(entry);
    }
    if (status != GFP_OK && status != GFP_ERR_CANCELLED) {
        (void)set_device_error(w, entry, &why, status, error);
    }
    gfp_pool_give(entry, status);
    return status;
}

/* ---- resident products ---- */

/* Makes the plan, and uploads the factors. */
static gfp_status device_methods_settle(run *r, gfp_error *error)
{
    const gfp_device_work *w = r->w;
    const gfp_host_rows a = rows_of(r, w->a, 1, w->len_a, w->len_a),
                        b = rows_of(r, w->b, 1, w->len_b, w->len_b);
    GFP_TRY(prepare_groups(r, 1, error));
    GFP_TRY(gfp_pool_upload(r->entry, r->entry->array[GFP_POOL_A], &a, NULL));
    GFP_TRY(r->square ? GFP_OK : gfp_pool_upload(r->entry, r->entry->array[GFP_POOL_B], &b, NULL));
    return gfp_gpu_wait(r->entry->gpu, NULL);
}

gfp_status gfp_device_resident_begin(gfp_device_resident *x, const gfp_device_work *w,
                                     gfp_error *error)
{
    gfp_error why = {.status = GFP_OK};
    run r = {.w = w, .k = gfp_field_k(w->field), .square = w->a == w->b && w->len_a == w->len_b};
    *x = (gfp_device_resident){.w = *w};
    GFP_TRY(gfp_pool_take(&r.entry, w->field, 0, 1, 0, error));
    gfp_status status = device_methods_settle(&r, &why);
    if (status == GFP_ERR_MEMORY) { /* memory of idle entries may suffice */
        gfp_pool_clear(r.entry);
        status = device_methods_settle(&r, &why);
    }
    if (status != GFP_OK) {
        (void)set_device_error(w, r.entry, &why, status, error);
        gfp_pool_give(r.entry, status);
        return status;
    }
    x->entry = r.entry;
    x->plan = r.plan;
    return GFP_OK;
}

gfp_status gfp_device_resident_run(const gfp_device_resident *x, gfp_error *error)
{
    const gfp_device_work *w = &x->w;
    gfp_gpu_array *const *array = x->entry->array;
    const bool square = w->a == w->b && w->len_a == w->len_b;
    gfp_status status =
        gfp_gpu_product_range(x->plan, array[GFP_POOL_C], array[GFP_POOL_A], w->len_a,
                              array[square ? GFP_POOL_A : GFP_POOL_B], w->len_b, w->first, w->n);
    if (status == GFP_OK) {
        status = gfp_gpu_wait(x->entry->gpu, NULL);
    }
    return status == GFP_OK ? GFP_OK : set_device_error(w, x->entry, NULL, status, error);
}

void gfp_device_resident_end(gfp_device_resident *x, gfp_status status)
{
    if (x->entry != NULL) {
        gfp_pool_give(x->entry, status);
        x->entry = NULL;
    }
}

size_t gfp_device_bytes(const gfp_device_work *w)
{
    const size_t k = gfp_field_k(w->field), group = usual_group(w);
    const size_t len = w->len_a > w->len_b ? w->len_a : w->len_b;
    return gfp_device_is_dealt(w)
               ? gfp_device_dealt_bytes(w)
               : w->members * gfp_staging_bytes(gfp_size_mul_sat(gfp_size_mul_sat(len, k), group),
                                                gfp_size_mul_sat(gfp_size_mul_sat(w->n, k), group));
}
