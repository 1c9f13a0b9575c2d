/* fake_device.h: the backend `host`: devices made of the CPU, under the library's own table of
 * backends, so that what is built above gpu/ is tested where there is no device. It does what it
 * may and what is worst: copies, products and arithmetic run as late as fences let them, or as
 * early, and any call can be made to fail.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef FAKE_DEVICE_H
#define FAKE_DEVICE_H

#include "gfpoly/gpu_product.h"

typedef enum fake_fault {
    FAKE_MEMORY, /* one call: no device memory */
    FAKE_ONCE,   /* one call: DEVICE */
    FAKE_LOST,   /* from that call on all: DEVICE */
    FAKE_FULL    /* from that call on all: no device memory */
} fake_fault;

/* Contexts are over this backend from now on. */
void fake_use(void);
/* No device, but one that was never asked for, of so many bytes, and nothing made over it. Fails
 * the test where something of it is left. */
void fake_reset(size_t memory);
/* Another size of the device, whatever it holds. */
void fake_memory(size_t memory);
/* Why there is no device; NULL: there is one. */
void fake_missing(const char *reason);
/* Why device 0 cannot be used, though device 1 can; NULL: both can be. Device 1 is like device 0
 * and counts for the same. */
void fake_exclude(const char *reason);
/* Its driver's version, as in gfp_gpu_info; 0 at first. */
void fake_driver(unsigned version);
/* Bits 1 << queue: queues that run as early as they may; the others as late. */
void fake_eager(unsigned queues);
/* Products by this method are UNAVAILABLE; AUTO: none. */
void fake_refuse(gfp_gpu_method method);
/* Plans that memory is too short for cut their factors into pieces (true), or fail. */
void fake_cuts(bool cuts);
/* Products of factors shorter than this, both, are UNAVAILABLE; 0: none. */
void fake_least(size_t len);
/* The device is lost at the first plan for a factor that is longer; 0: never. */
void fake_most(size_t len);
/* Whether it serves any field; so at first. */
void fake_serves(bool serves);
/* The same bits flip the middle word of every copy in that queue. */
void fake_corrupt(unsigned queues);
/* How long making a context takes. */
void fake_start(unsigned milliseconds);
/* Call number nth from here fails; 0: none. */
void fake_fail(fake_fault fault, size_t nth);
/* Since then: calls; whether one was made to fail. */
size_t fake_calls(void);
bool fake_failed(void);

/* Contexts made since the last reset, objects alive, the most device memory used, uploads and the
 * products begun, transforms of operands. */
size_t fake_contexts(void);
size_t fake_alive(void);
size_t fake_peak(void);
size_t fake_uploads(void);
size_t fake_products(void);
size_t fake_transforms(void);
/* Plans of products that exist, and that were made since the last reset. */
size_t fake_plans(void);
size_t fake_plans_made(void);
/* Whether a product read what nobody wrote. */
bool fake_misread(void);

#endif
