/* gpu_pool.h: what the rows of the method table that run on a CUDA device share: whether there is a
 * device, asked once and only when it matters; and seats, contexts with all that products over a
 * field need there, which a process keeps and threads exchange.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_POOL_H
#define GFP_GPU_POOL_H

#include "gfpoly/field.h"
#include "gfpoly/gpu_product.h"
#include "task.h"

/* ---- the device ---- */

/* Starting the driver, once in a process, and a first product's tables. */
#define GFP_DEVICE_START_NS 2e8

/* Devices are known by number below this; others are missing. */
#define GFP_MAX_DEVICES 64

/* What the process knows of a device. */
typedef enum gfp_device_state {
    GFP_DEVICE_UNKNOWN, /* nobody asked: asking starts the driver; or memory was too short */
    GFP_DEVICE_THERE,
    GFP_DEVICE_MISSING /* there is none, GFPOLY_GPU=off, it was lost, or the process that this one
                          is a fork of has asked for one */
} gfp_device_state;

/* Free of cost. */
gfp_device_state gfp_device_look(unsigned device);
/* Another number whenever what is known of a device is something else. Free of cost. */
uint64_t gfp_device_epoch(void);
/* As gfp_gpu_pool_ask, which is for device 0. */
gfp_status gfp_device_ask(unsigned device, gfp_error *error);
/* Whether it serves a method, a field and lengths, asking where nobody has (gfp_device_ask);
 * false: why is in why[0 .. size). True as well where memory was too short to find out: who uses
 * the device then gets its own status and reason. */
bool gfp_device_serves(unsigned device, gfp_gpu_method method, const gfp_field *field, size_t len_a,
                       size_t len_b, char *why, size_t size);
/* name[0 .. size) := what device 0 is called; "none". Asks. */
void gfp_device_name(char *name, size_t size);
/* A pick would have been so much faster with the device that nobody has asked for: true once that
 * has added up to what asking for this device costs. */
bool gfp_device_missed(unsigned device, double ns);

/* ---- seats ---- */

/* What a seat keeps: plans, arrays by their use, slots of pinned memory for either direction. */
#define GFP_SEAT_PLANS 8
#define GFP_SEAT_SLOTS 3
#define GFP_SLOT_WORDS ((size_t)1 << 19) /* 4 MiB: some 80 us on the bus */
/* Transfers of fewer words are left to the driver. */
#define GFP_STAGED_WORDS ((size_t)1 << 13)

enum {
    GFP_SEAT_A,
    GFP_SEAT_B = GFP_SEAT_A + 2,
    GFP_SEAT_C = GFP_SEAT_B + 2,
    GFP_SEAT_PRODUCT = GFP_SEAT_C + 2,
    GFP_SEAT_ARRAYS
};
enum {
    GFP_SEAT_FENCE_A,                          /* a is there, */
    GFP_SEAT_FENCE_B = GFP_SEAT_FENCE_A + 2,   /* and b, of either buffer */
    GFP_SEAT_FENCE_C = GFP_SEAT_FENCE_B + 2,   /* the product is computed, */
    GFP_SEAT_FENCE_OUT = GFP_SEAT_FENCE_C + 2, /* and handed out */
    GFP_SEAT_FENCES = GFP_SEAT_FENCE_OUT + 2
};

typedef struct gfp_seat_plan {
    gfp_gpu_product_plan *plan; /* NULL: none */
    gfp_gpu_method method;
    size_t len_a, len_b, first, n, batch; /* first, n: as in gfp_gpu_product_options */
} gfp_seat_plan;

/* The slots of one direction. */
typedef struct gfp_seat_ring {
    uint64_t *words; /* pinned: GFP_SEAT_SLOTS slots; NULL: not made yet */
    size_t slot;     /* words of each */
    unsigned next;
    gfp_gpu_fence *fence[GFP_SEAT_SLOTS]; /* the slot's last copy is done */
} gfp_seat_ring;

typedef struct gfp_seat {
    struct gfp_seat *next; /* of those that wait */
    const gfp_field *field;
    unsigned device;
    size_t cap; /* on device memory; 0: none */
    gfp_gpu *gpu;
    gfp_seat_plan plan[GFP_SEAT_PLANS]; /* the last used first */
    gfp_gpu_array *array[GFP_SEAT_ARRAYS];
    gfp_gpu_fence *fence[GFP_SEAT_FENCES];
    gfp_seat_ring up, down;
} gfp_seat;

/* *seat := one for the field on a device, nobody else's. Errors: those of gfp_gpu_create;
 * UNAVAILABLE after a fork. */
gfp_status gfp_seat_take(gfp_seat **seat, const gfp_field *field, unsigned device, size_t cap,
                         gfp_error *error);
/* Gives it back after a call that ended so: to be kept, or after a failure destroyed, when nothing
 * of the call runs any more. A device, once lost, is missing from then on. */
void gfp_seat_give(gfp_seat *seat, gfp_status status);
/* After a call that ended so: waits until nothing of it runs any more; false: the device is lost.
 */
bool gfp_seat_idle(gfp_seat *seat, gfp_status status);
/* Plans and arrays of the seat, and all seats that wait, are destroyed: device memory was short. */
void gfp_seat_clear(gfp_seat *seat);

/* What follows fills the error of the seat's context. *plan := one like that, made or kept. Errors:
 * those of gfp_gpu_product_plan_create. */
gfp_status gfp_seat_plan_for(gfp_seat *seat, gfp_gpu_product_plan **plan,
                             const gfp_seat_plan *like);
/* seat->array[index] has so many words. Errors: those of gfp_gpu_array_create. */
gfp_status gfp_seat_reserve(gfp_seat *seat, size_t index, size_t words);

/* What comes into queue `later` waits for what `earlier` has now, by the fence of that number. */
gfp_status gfp_seat_order(gfp_seat *seat, size_t fence, gfp_gpu_queue earlier, gfp_gpu_queue later);

/* ---- transfers (gpu_copy.c) ---- */

/* `rows` vectors of `len` words each, `stride` words apart, on the host. */
typedef struct gfp_host_rows {
    uint64_t *at;
    size_t rows, len, stride;
} gfp_host_rows;

/* The bytes of pinned memory that transfers of at most so many words in each direction take. */
size_t gfp_staging_bytes(size_t up_words, size_t down_words);

/* Enqueues the upload of all rows, one after another, to the array's start; when it returns they
 * have been read, or lie in pinned memory and stay the device's until the upload is done. Units of
 * the task are words. Errors: DEVICE, MEMORY, CANCELLED. */
gfp_status gfp_seat_upload(gfp_seat *seat, gfp_gpu_array *array, const gfp_host_rows *from,
                           gfp_task *task);
/* The other way, from word `first` on, after what the queue of downloads was told to wait for; when
 * it returns the rows are written, or lie in pinned memory and will be. */
gfp_status gfp_seat_download(gfp_seat *seat, const gfp_host_rows *to, const gfp_gpu_array *array,
                             size_t first, gfp_task *task);

#endif
