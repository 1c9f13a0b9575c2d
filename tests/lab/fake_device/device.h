/* device.h: the backend `host': simulated devices under the library's own table of backends,
 * for tests of the code above gpu/ without a device. The backend makes the worst of its freedom:
 * copies, products and arithmetic run as late as fences let them, or as early, and any call can be
 * made to fail.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_FAKE_DEVICE_DEVICE_H
#define TESTS_LAB_FAKE_DEVICE_DEVICE_H

#include "gfpoly/gpu_product.h"

typedef enum fake_fault {
    FAKE_MEMORY, /* one call: no device memory */
    FAKE_ONCE,   /* one call: DEVICE */
    FAKE_LOST,   /* all calls from that one on: DEVICE */
    FAKE_FULL    /* all calls from that one on: no device memory */
} fake_fault;

/* New contexts use this backend from now on. planned: with products by the library's own plans over
 * engines on the host; what this header counts and refuses about products does not apply then. */
void fake_use(void);
void fake_use_planned(void);
/* Resets the backend: two devices, with `memory` bytes together, which were never opened, without
 * objects. Fails the test if an object is left. */
void fake_reset(size_t memory);
/* Changes the size of the device's memory, whatever it holds. */
void fake_memory(size_t memory);
/* Sets the reason why there is no device; NULL: there is one. */
void fake_missing(const char *reason);
/* Sets the reason why device 0 cannot be used, although others can; NULL: all can. Other devices
 * are like device 0, and their objects count with those of device 0. */
void fake_exclude(const char *reason);
/* Sets the number of devices. */
void fake_devices(unsigned count);
/* Sets the driver's version, as in gfp_gpu_info; initially 0. */
void fake_driver(unsigned version);
/* Bits 1 << queue: these queues run operations as early as possible; other queues as late as
 * possible. */
void fake_eager(unsigned queues);
/* Products by this method are UNAVAILABLE; AUTO: all methods serve. */
void fake_refuse(gfp_gpu_method method);
/* Plans without enough memory cut their factors into pieces (true), or fail. */
void fake_cuts(bool cuts);
/* Products of two factors shorter than len are UNAVAILABLE; 0: none. */
void fake_least(size_t len);
/* The device is lost at the first plan for a factor longer than len; 0: never. */
void fake_most(size_t len);
/* Whether the device serves any field; initially true. */
void fake_serves(bool serves);
/* Whether no context reaches the memory of another one; initially false. */
void fake_apart(bool contexts_are);
/* Bits 1 << queue: every copy in these queues flips its middle word. */
void fake_corrupt(unsigned queues);
/* The nth product from now on is wrong: one more in its first element; 0: none. */
void fake_spoil(size_t nth);
/* Sets the time that creating a context takes. */
void fake_start(unsigned milliseconds);
/* Makes the nth call from now on fail; 0: none. */
void fake_fail(fake_fault fault, size_t nth);
/* The number of calls since fake_fail, and whether one was made to fail. */
size_t fake_calls(void);
bool fake_failed(void);

/* Contexts made since the last reset; objects alive; the most device memory used; uploads; products
 * begun; transforms of operands. */
size_t fake_contexts(void);
size_t fake_alive(void);
size_t fake_peak(void);
size_t fake_uploads(void);
size_t fake_products(void);
size_t fake_transforms(void);
/* Plans of products that exist; plans made since the last reset. */
size_t fake_plans(void);
size_t fake_plans_made(void);
/* Whether a product read memory that was never written. */
bool fake_misread(void);

#endif
