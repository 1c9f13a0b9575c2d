/* pool.h: the state of each CUDA device, found out once and only when it matters; and a pool of
 * entries, contexts with everything that products over a field need on a device. The rows of the
 * method table on a device share both. A process keeps idle entries for any thread.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_DEVICE_POOL_H
#define GFP_PRODUCT_DEVICE_POOL_H

#include "gfpoly/field.h"
#include "gpu/products.h"
#include "field/base/task.h"

/* ---- the device ---- */

/* Nanoseconds to start the driver, once in a process, and to make a first product's tables. */
#define GFP_DEVICE_START_NS 2e8

/* Devices have numbers below this; others are missing. */
#define GFP_MAX_DEVICES 64

/* The state of a device in this process. */
typedef enum gfp_device_state {
    GFP_DEVICE_UNKNOWN, /* not opened yet (opening starts the driver), or memory was too short */
    GFP_DEVICE_PRESENT,
    GFP_DEVICE_MISSING /* no device, GFPOLY_GPU=off, the device was lost, or this process is a fork
                          of one that had opened a device */
} gfp_device_state;

/* The state as known. Costs nothing. */
gfp_device_state gfp_device_get_state(unsigned device);
/* A number that changes whenever the state of any device changes. Costs nothing. */
uint64_t gfp_device_epoch(void);
/* gfp_gpu_pool_ask for any device. */
gfp_status gfp_device_ask(unsigned device, gfp_error *error);
/* Whether the device serves a method, a field and lengths; opens the device if its state is unknown
 * (gfp_device_ask). False: the reason is in why[0 .. size). Also true if memory was too short to
 * open the device: the call that uses the device then gets its own status and reason. */
bool gfp_device_serves(unsigned device, gfp_gpu_method method, const gfp_field *field, size_t len_a,
                       size_t len_b, char *why, size_t size);
/* name[0 .. size) := the name of device 0, or "none". Opens the device. */
void gfp_device_name(char *name, size_t size);
/* Adds ns, the time that a pick would have saved on a device whose state is unknown. True once the
 * sum exceeds the cost of opening the device. */
bool gfp_device_missed(unsigned device, double ns);

/* ---- entries of the pool ---- */

/* Sizes of an entry: plans; arrays by their use; slots of pinned memory in either direction. */
#define GFP_POOL_PLANS 8
#define GFP_POOL_SLOTS 3
#define GFP_SLOT_WORDS ((size_t)1 << 19) /* 4 MiB: some 80 us on the bus */
/* The driver copies transfers of fewer words. */
#define GFP_STAGED_WORDS ((size_t)1 << 13)

enum {
    GFP_POOL_A,
    GFP_POOL_B = GFP_POOL_A + 2,
    GFP_POOL_C = GFP_POOL_B + 2,
    GFP_POOL_PRODUCT = GFP_POOL_C + 2,
    GFP_POOL_ARRAYS
};
enum {
    GFP_POOL_FENCE_A,                          /* a is on the device, */
    GFP_POOL_FENCE_B = GFP_POOL_FENCE_A + 2,   /* and b, for either buffer */
    GFP_POOL_FENCE_C = GFP_POOL_FENCE_B + 2,   /* the product is computed, */
    GFP_POOL_FENCE_OUT = GFP_POOL_FENCE_C + 2, /* and downloaded */
    GFP_POOL_FENCES = GFP_POOL_FENCE_OUT + 2
};

typedef struct gfp_pool_plan {
    gfp_gpu_product_plan *plan; /* NULL: empty */
    gfp_gpu_method method;
    size_t len_a, len_b, first, n, batch; /* first, n: as in gfp_gpu_product_options */
} gfp_pool_plan;

/* The slots of one direction. */
typedef struct gfp_pool_ring {
    uint64_t *words; /* pinned: GFP_POOL_SLOTS slots; NULL: not allocated yet */
    size_t slot;     /* words of each */
    unsigned next;
    gfp_gpu_fence *fence[GFP_POOL_SLOTS]; /* marks the end of the slot's last copy */
} gfp_pool_ring;

/* A context on a device, with everything that products over a field need there. An entry for
 * several devices is a list of members, one for each, which live and die together. */
typedef struct gfp_pool_entry {
    struct gfp_pool_entry *next;         /* of the idle ones */
    struct gfp_pool_entry *first, *peer; /* the first member, and the next one */
    unsigned members;                    /* of the list */
    gfp_gpu_dealt_plan *dealt;           /* of the first member; NULL: none */
    size_t dealt_len_a, dealt_len_b;
    const gfp_field *field;
    unsigned device;
    size_t cap; /* of device memory; 0: none */
    gfp_gpu *gpu;
    gfp_pool_plan plan[GFP_POOL_PLANS]; /* the last used one first */
    gfp_gpu_array *array[GFP_POOL_ARRAYS];
    gfp_gpu_fence *fence[GFP_POOL_FENCES];
    gfp_pool_ring up, down;
} gfp_pool_entry;

/* *entry := the first member of an entry for field on `members` devices from `device` on, owned by
 * the caller: an idle one, or a new one. Errors: those of gfp_gpu_create; UNAVAILABLE after a
 * fork. */
gfp_status gfp_pool_take(gfp_pool_entry **entry, const gfp_field *field, unsigned device,
                         unsigned members, size_t cap, gfp_error *error);
/* Returns an entry to the pool after a call that ended with status. After a failure waits until
 * nothing of the call runs on the device; destroys the entry after DEVICE, or if the device is
 * lost, which is missing from then on. */
void gfp_pool_give(gfp_pool_entry *entry, gfp_status status);
/* Waits, after a call that ended with status, until nothing of the call runs on the devices; false:
 * a device is lost. */
bool gfp_pool_wait(gfp_pool_entry *entry, gfp_status status);
/* Frees device memory: destroys the plans and arrays of a member, the dealt plan, and all idle
 * entries. */
void gfp_pool_clear(gfp_pool_entry *entry);

/* The functions below record errors in the entry's context. *plan := a plan with the parameters of
 * `like`, kept or new. Errors: those of gfp_gpu_product_plan_create. */
gfp_status gfp_pool_plan_for(gfp_pool_entry *entry, gfp_gpu_product_plan **plan,
                             const gfp_pool_plan *like);
/* *plan := a plan of products dealt over the members of the entry, whose first one records errors:
 * the one that is kept, or a new one in its place. Errors: those of gfp_gpu_dealt_plan_create. */
gfp_status gfp_pool_dealt_for(gfp_pool_entry *entry, gfp_gpu_dealt_plan **plan, size_t len_a,
                              size_t len_b);
/* Makes entry->array[index] at least `words` words long. Errors: those of gfp_gpu_array_create. */
gfp_status gfp_pool_reserve(gfp_pool_entry *entry, size_t index, size_t words);

/* Work enqueued in `later` from now on waits for all work that `earlier` has now. `fence` is the
 * index of the fence to use. */
gfp_status gfp_pool_order(gfp_pool_entry *entry, size_t fence, gfp_gpu_queue earlier,
                          gfp_gpu_queue later);

/* ---- transfers (copy.c) ---- */

/* `rows` vectors of `len` words each, `stride` words apart, on the host. */
typedef struct gfp_host_rows {
    uint64_t *at;
    size_t rows, len, stride;
} gfp_host_rows;

/* The bytes of pinned memory for transfers of at most up_words and down_words words. */
size_t gfp_staging_bytes(size_t up_words, size_t down_words);

/* Rows on their way to or from the words of an array from `first` on. */
typedef struct gfp_pool_transfer {
    gfp_pool_entry *entry;
    gfp_gpu_array *array;
    gfp_host_rows rows;
    size_t first;
    bool down;
    /* Of gfp_pool_transfer_all: words that have been begun or need no slot, and those that have
     * left their slots. */
    size_t begun, done;
} gfp_pool_transfer;

/* Enqueues `count` transfers, slot by slot in turn: devices copy at the same time. On return the
 * rows have been read or written; or they lie in pinned memory, and are read or written later.
 * Downloads follow the work that the download queue waits for. The unit of the task is a word.
 * Errors: DEVICE, MEMORY, CANCELLED. */
gfp_status gfp_pool_transfer_all(gfp_pool_transfer *x, size_t count, gfp_task *task);
/* gfp_pool_transfer_all for one upload of all rows, one after another, to the start of the array.
 */
gfp_status gfp_pool_upload(gfp_pool_entry *entry, gfp_gpu_array *array, const gfp_host_rows *from,
                           gfp_task *task);
/* The same for one download, from word `first` of the array on. */
gfp_status gfp_pool_download(gfp_pool_entry *entry, const gfp_host_rows *to,
                             const gfp_gpu_array *array, size_t first, gfp_task *task);

#endif
