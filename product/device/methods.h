/* methods.h: products on one or several CUDA devices of polynomials that lie on the host.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_DEVICE_METHODS_H
#define GFP_PRODUCT_DEVICE_METHODS_H

#include "product/device/pool.h"

/* c_i := coefficients first <= j < first + n of a_i b_i for i < count. Operands and products lie
 * stride_a, stride_b and stride_c elements apart as in a batch; no stride is 0; 1 <= n, first + n
 * <= len_a + len_b - 1. Over several members, 2 to GFP_GPU_MOST_MEMBERS, each one computes a range
 * of the products; fewer products than members are dealt one by one, and wholly computed. */
typedef struct gfp_device_work {
    const char *name; /* for messages */
    gfp_gpu_method method;
    unsigned members; /* devices */
    const gfp_field *field;
    uint64_t *c;
    const uint64_t *a, *b;
    size_t len_a, len_b, first, n, count, stride_a, stride_b, stride_c;
} gfp_device_work;

/* The bytes of host memory that gfp_device_run takes. Saturates. */
size_t gfp_device_bytes(const gfp_device_work *w);
/* Computes w on the task's device, or from that one on, within the device memory that the task
 * allows each device, and with its threads; spans one part of the task (may be NULL: device 0, no
 * cap). c overlaps neither a nor b. On an error c is undefined if products have already been
 * downloaded; *error (may be NULL) has the reason. Errors: UNAVAILABLE, ARGUMENT (no such device),
 * SIZE, MEMORY, DEVICE, CANCELLED. */
gfp_status gfp_device_run(const gfp_device_work *w, gfp_task *task, gfp_error *error);

/* dealt.c: whether the products are dealt one by one; the host memory for that; and
 * gfp_device_run for them by a taken entry, up to the last copy, which may still be under way. *why
 * := the reason unless a member's context has it. */
bool gfp_device_is_dealt(const gfp_device_work *w);
size_t gfp_device_dealt_bytes(const gfp_device_work *w);
gfp_status gfp_device_run_dealt(const gfp_device_work *w, gfp_pool_entry *entry, gfp_task *task,
                                gfp_error *why);

/* A product whose factors and coefficients stay on the device, for measuring. It is begun once and
 * run any number of times; each run waits for the device. w->count is 1, w->c is not used. */
typedef struct gfp_device_resident {
    gfp_device_work w;
    gfp_pool_entry *entry; /* NULL: not begun */
    gfp_gpu_product_plan *plan;
} gfp_device_resident;

/* Errors: as gfp_device_run. */
gfp_status gfp_device_resident_begin(gfp_device_resident *x, const gfp_device_work *w,
                                     gfp_error *error);
/* Errors: DEVICE, MEMORY. */
gfp_status gfp_device_resident_run(const gfp_device_resident *x, gfp_error *error);
/* Ends the product after a call that returned status; also one that was not begun. */
void gfp_device_resident_end(gfp_device_resident *x, gfp_status status);

/* costs.c: log2 of the nanoseconds of a product of two factors of length 2^m, from and to host
 * memory, or resident. */
double gfp_device_log2_cost(gfp_gpu_method method, const gfp_field *field, double m, bool resident);
/* How work is dealt: the number of devices; product: one product, not ranges of a batch. */
typedef struct gfp_device_dealing {
    unsigned members;
    bool product;
} gfp_device_dealing;
/* The nanoseconds of what takes ns on one device, as long as a product of two factors of length 2^m
 * from and to host memory. */
double gfp_device_dealt_ns(gfp_gpu_method method, const gfp_field *field, double m, double ns,
                           const gfp_device_dealing *dealing);

#endif
