/* operand_device.h: operands (operand.c) of the methods on a CUDA device: a plan in a seat of their
 * own, which one thread uses at a time, and transforms that stay on the device.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_OPERAND_DEVICE_H
#define GFP_OPERAND_DEVICE_H

#include "gpu_pool.h"

/* What operands made alike share there. Any number of threads may call with it: they wait for each
 * other. */
typedef struct gfp_operand_device gfp_operand_device;

/* An operand's transform; NULL: not made yet. */
typedef struct gfp_device_transform {
    gfp_gpu_operand *made;
} gfp_device_transform;

/* One for products of up to `length` coefficients, within `cap` bytes of the device's memory, all
 * operands included (0: any number). Errors: those of gfp_gpu_create and
 * gfp_gpu_product_plan_create, *error (may be NULL) saying which; *made is unchanged. */
gfp_status gfp_operand_device_create(gfp_operand_device **made, gfp_gpu_method method,
                                     const gfp_field *field, size_t length, unsigned device,
                                     size_t cap, gfp_error *error);
/* All transforms are forgotten before. NULL is allowed. */
void gfp_operand_device_destroy(gfp_operand_device *d);

/* z := coefficients first <= i < first + n of a b, n >= 1, none beyond the end; len_a, len_b >= 1,
 * the product fits. there: the transform of b, which is made if it is not yet. Units of the task
 * are words that are copied. On an error z is undefined, and *error (may be NULL) says what
 * happened; nothing of the call runs any more. Errors: MEMORY, DEVICE, UNAVAILABLE, CANCELLED. */
gfp_status gfp_operand_device_multiply(gfp_operand_device *d, uint64_t *z, size_t first, size_t n,
                                       const uint64_t *a, size_t len_a, gfp_device_transform *there,
                                       const uint64_t *b, size_t len_b, gfp_task *task,
                                       gfp_error *error);
/* The transform, if it is made, goes. */
void gfp_operand_device_forget(gfp_operand_device *d, gfp_device_transform *there);
/* The bytes of device memory that it takes; 0: it is not made. */
size_t gfp_operand_device_bytes(gfp_operand_device *d, const gfp_device_transform *there);

#endif
