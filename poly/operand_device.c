/* operand_device.c: see operand_device.h. SPDX-License-Identifier: LGPL-3.0-or-later */
#include "operand_device.h"

#include <pthread.h>

#include "support.h"

struct gfp_operand_device {
    const gfp_field *field;
    size_t k;
    gfp_gpu_method method;
    pthread_mutex_t mutex; /* of all that follows, and of the transforms */
    gfp_seat *seat;
    gfp_gpu_product_plan *plan;
    gfp_status status; /* DEVICE, once a call ended so: the seat is not for others */
};

/* What a call is to compute. */
typedef struct product {
    uint64_t *z;
    const uint64_t *a, *b;
    size_t len_a, len_b, first, n;
    gfp_device_transform *there;
    gfp_task *task;
} product;

/* ---- plans ---- */

/* For all products whose length is at most `length`: none of them wraps around, and the middle
 * coefficient of the longest factors needs no longer transforms. */
static gfp_status try_plan(gfp_operand_device *d, size_t length, gfp_error *error)
{
    const gfp_gpu_product_options options = {.method = d->method, .first = length - 1, .n = 1};
    GFP_TRY(gfp_gpu_product_plan_create(&d->plan, d->seat->gpu, d->field, length, length, &options,
                                        error));
    const size_t pieces = gfp_gpu_product_plan_pieces(d->plan);
    if (pieces == 1) {
        return GFP_OK;
    }
    /* It cuts operands, of which there are no transforms then. */
    gfp_gpu_product_plan_destroy(d->plan);
    d->plan = NULL;
    return gfp_error_set(error, GFP_ERR_MEMORY,
                         "%s: operands of length %zu do not fit the GPU: products take %zu pieces",
                         gfp_gpu_method_name(d->method), length, pieces);
}

/* Where memory is short what others keep goes. */
static gfp_status make_plan(gfp_operand_device *d, size_t length, gfp_error *error)
{
    const gfp_status status = try_plan(d, length, error);
    if (status != GFP_ERR_MEMORY) {
        return status;
    }
    gfp_seat_clear(d->seat);
    return try_plan(d, length, error);
}

gfp_status gfp_operand_device_create(gfp_operand_device **made, gfp_gpu_method method,
                                     const gfp_field *field, size_t length, unsigned device,
                                     size_t cap, gfp_error *error)
{
    const gfp_allocator *allocator = gfp_field_allocator(field);
    gfp_operand_device *d = gfp_allocate(allocator, 1, sizeof *d);
    if (d == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "no memory for operands on a GPU");
    }
    *d = (gfp_operand_device){.field = field, .k = gfp_field_k(field), .method = method};
    gfp_status status = gfp_seat_take(&d->seat, field, device, cap, error);
    if (status == GFP_OK) {
        status = make_plan(d, length, error);
        if (status != GFP_OK) {
            gfp_seat_give(d->seat, status);
        }
    }
    if (status == GFP_OK && pthread_mutex_init(&d->mutex, NULL) != 0) {
        gfp_gpu_product_plan_destroy(d->plan);
        gfp_seat_give(d->seat, GFP_OK);
        status = gfp_error_set(error, GFP_ERR_MEMORY, "no memory for a lock");
    }
    if (status != GFP_OK) {
        gfp_release(allocator, d, 1, sizeof *d);
        return status;
    }
    *made = d;
    return GFP_OK;
}

void gfp_operand_device_destroy(gfp_operand_device *d)
{
    if (d != NULL) {
        gfp_gpu_product_plan_destroy(d->plan);
        gfp_seat_give(d->seat, d->status);
        (void)pthread_mutex_destroy(&d->mutex);
        gfp_release(gfp_field_allocator(d->field), d, 1, sizeof *d);
    }
}

/* ---- products ---- */

/* An array of the seat := a factor; what the main queue gets from now on finds it there. */
static gfp_status upload(gfp_operand_device *d, size_t index, size_t fence, const uint64_t *x,
                         size_t len, gfp_task *task)
{
    const gfp_host_rows rows = {(uint64_t *)x, 1, len * d->k, len * d->k};
    GFP_TRY(gfp_seat_reserve(d->seat, index, len * d->k));
    GFP_TRY(gfp_seat_upload(d->seat, d->seat->array[index], &rows, task));
    return gfp_seat_order(d->seat, fence, GFP_GPU_QUEUE_UPLOAD, GFP_GPU_QUEUE_MAIN);
}

/* With the lock held, like what follows. */
static gfp_status make_transform(gfp_operand_device *d, const product *p)
{
    if (p->there->made != NULL) {
        return GFP_OK;
    }
    GFP_TRY(upload(d, GFP_SEAT_B, GFP_SEAT_FENCE_B, p->b, p->len_b, p->task));
    return gfp_gpu_operand_create(&p->there->made, d->plan, d->seat->array[GFP_SEAT_B], p->len_b);
}

static gfp_status multiply(gfp_operand_device *d, const product *p)
{
    const gfp_host_rows to = {p->z, 1, p->n * d->k, p->n * d->k};
    gfp_seat *seat = d->seat;
    GFP_TRY(make_transform(d, p));
    GFP_TRY(upload(d, GFP_SEAT_A, GFP_SEAT_FENCE_A, p->a, p->len_a, p->task));
    GFP_TRY(gfp_seat_reserve(seat, GFP_SEAT_C, p->n * d->k));
    GFP_TRY(gfp_gpu_operand_mul(d->plan, seat->array[GFP_SEAT_C], seat->array[GFP_SEAT_A], p->len_a,
                                p->there->made, p->first, p->n));
    GFP_TRY(gfp_seat_order(seat, GFP_SEAT_FENCE_C, GFP_GPU_QUEUE_MAIN, GFP_GPU_QUEUE_DOWNLOAD));
    GFP_TRY(gfp_seat_download(seat, &to, seat->array[GFP_SEAT_C], 0, p->task));
    return gfp_gpu_wait(seat->gpu, NULL);
}

/* Where memory is short what others keep goes. */
static gfp_status multiply_locked(gfp_operand_device *d, const product *p, gfp_error *error)
{
    gfp_status status = multiply(d, p);
    if (status == GFP_ERR_MEMORY) {
        gfp_seat_clear(d->seat);
        status = multiply(d, p);
    }
    if (status != GFP_OK && status != GFP_ERR_CANCELLED) {
        const gfp_error *last = gfp_gpu_last_error(d->seat->gpu);
        gfp_error_set(error, status, "%s: %s", gfp_gpu_method_name(d->method),
                      last->status != GFP_OK ? last->message : gfp_status_string(status));
    }
    if (!gfp_seat_idle(d->seat, status) || status == GFP_ERR_DEVICE) {
        d->status = GFP_ERR_DEVICE;
    }
    return status;
}

gfp_status gfp_operand_device_multiply(gfp_operand_device *d, uint64_t *z, size_t first, size_t n,
                                       const uint64_t *a, size_t len_a, gfp_device_transform *there,
                                       const uint64_t *b, size_t len_b, gfp_task *task,
                                       gfp_error *error)
{
    const product p = {.z = z,
                       .a = a,
                       .b = b,
                       .len_a = len_a,
                       .len_b = len_b,
                       .first = first,
                       .n = n,
                       .there = there,
                       .task = task};
    (void)pthread_mutex_lock(&d->mutex);
    const gfp_status status = multiply_locked(d, &p, error);
    (void)pthread_mutex_unlock(&d->mutex);
    return status;
}

void gfp_operand_device_forget(gfp_operand_device *d, gfp_device_transform *there)
{
    (void)pthread_mutex_lock(&d->mutex);
    gfp_gpu_operand_destroy(there->made);
    there->made = NULL;
    (void)pthread_mutex_unlock(&d->mutex);
}

size_t gfp_operand_device_bytes(gfp_operand_device *d, const gfp_device_transform *there)
{
    (void)pthread_mutex_lock(&d->mutex);
    const size_t bytes = there->made != NULL ? gfp_gpu_operand_bytes(there->made) : 0;
    (void)pthread_mutex_unlock(&d->mutex);
    return bytes;
}
