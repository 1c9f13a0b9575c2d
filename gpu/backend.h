/* backend.h: the interface of a backend for devices: tables of functions, by subject, below the
 * public functions of gpu.h and gpu_product.h. The public functions check what every backend would
 * check alike, enter the context's device, call the table, and leave the device. Nothing above the
 * tables names a backend. The sub-tables `device` and `memory` are complete, except for enter,
 * enter_to_destroy and leave. Another sub-table may be NULL, and so may members of `vec`, if the
 * backend lacks them; calls that need them are UNAVAILABLE.
 *
 * A backend's own contexts, fences and plans begin with the structures below; the tables give their
 * sizes in bytes. The public functions allocate and release these structures, which are zero except
 * for members that this header names; a backend opens and closes its own members. `close` also
 * releases everything that a failed `open` has left. Addresses are of the device; sizes of memory
 * are in bytes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_BACKEND_H
#define GFP_GPU_BACKEND_H

#include "gpu/products.h"

GFP_BEGIN_DECLS
#include "field/base/support.h"

typedef struct gfp_gpu_backend gfp_gpu_backend;

/* ---- contexts and arrays ---- */

struct gfp_gpu {
    const gfp_gpu_backend *backend;
    gfp_allocator allocator;
    unsigned device;
    size_t memory_cap; /* SIZE_MAX: no cap */
    size_t bytes;      /* device memory held */
    size_t peak;
    bool capturing;
    bool lost;       /* every call fails from now on */
    gfp_error error; /* of the last call that failed */
};

struct gfp_gpu_array {
    gfp_gpu *gpu;
    uint64_t *data; /* aligned to 16 bytes at least */
    size_t words;
    bool window; /* another array's memory, or other code's */
};

struct gfp_gpu_fence {
    gfp_gpu *gpu;
};

typedef struct gfp_gpu_device_calls {
    size_t context_size;
    /* *count := the number of devices, at least 1. On failure the context holds the reason; it may
     * not be open. */
    gfp_status (*count)(gfp_gpu *gpu, unsigned *count);
    /* Opens gpu->device; afterwards the context is ready for work. */
    gfp_status (*open)(gfp_gpu *gpu);
    void (*close)(gfp_gpu *gpu); /* waits for all work */
    gfp_status (*info)(gfp_gpu *gpu, gfp_gpu_info *info);
    /* Makes the context's device the current one of the thread. *before is -1; enter sets it if
     * leave has to restore the device *before. NULL: nothing to do. */
    gfp_status (*enter)(gfp_gpu *gpu, int *before);
    int (*enter_to_destroy)(const gfp_gpu *gpu); /* returns `before`; cannot fail */
    void (*leave)(int before);
    /* Waits for all queues. The call checks and enters by itself, since a failure must not leave
     * copies under way if possible. */
    gfp_status (*wait)(gfp_gpu *gpu);
    gfp_status (*wait_device)(gfp_gpu *gpu); /* waits for other code's work too; entered */
} gfp_gpu_device_calls;

typedef struct gfp_gpu_memory_calls {
    /* Aligned to 256 bytes; bytes > 0. The caller keeps the account. */
    gfp_status (*allocate)(gfp_gpu *gpu, void **block, size_t bytes);
    void (*release)(gfp_gpu *gpu, void *block, size_t bytes);
    /* *bytes := the free device memory. */
    gfp_status (*available)(gfp_gpu *gpu, size_t *bytes);
    gfp_status (*host_allocate)(gfp_gpu *gpu, void **block, size_t bytes); /* page-locked */
    void (*host_release)(gfp_gpu *gpu, void *block);
    gfp_status (*host_is_pinned)(gfp_gpu *gpu, const void *block, size_t bytes, bool *pinned);
    /* Copies from and to the host, after all work in the main queue; both wait. bytes > 0, here and
     * below. */
    gfp_status (*upload)(gfp_gpu *gpu, void *to, const void *from, size_t bytes);
    gfp_status (*download)(gfp_gpu *gpu, void *to, const void *from, size_t bytes);
    /* In the main queue; the two areas are disjoint. */
    gfp_status (*copy)(gfp_gpu *gpu, void *to, const void *from, size_t bytes);
    gfp_status (*clear)(gfp_gpu *gpu, void *to, size_t bytes);
    /* Sets `bytes` bytes from to + i pitch on to 0, i < rows. */
    gfp_status (*clear_rows)(gfp_gpu *gpu, void *to, size_t pitch, size_t bytes, size_t rows);
} gfp_gpu_memory_calls;

typedef struct gfp_gpu_queue_calls {
    gfp_status (*upload)(gfp_gpu *gpu, void *to, const void *from, size_t bytes);
    gfp_status (*download)(gfp_gpu *gpu, void *to, const void *from, size_t bytes);
    size_t fence_size;
    gfp_status (*fence_open)(gfp_gpu_fence *fence);
    void (*fence_close)(gfp_gpu_fence *fence);
    gfp_status (*fence_set)(gfp_gpu_fence *fence, gfp_gpu_queue queue);
    gfp_status (*fence_hold)(gfp_gpu_fence *fence, gfp_gpu_queue queue);
    gfp_status (*fence_wait)(gfp_gpu_fence *fence);
} gfp_gpu_queue_calls;

/* Rows of bytes that go from one place to another; row i begins i pitches after the first one. */
typedef struct gfp_gpu_copy {
    void *to;
    const void *from;
    size_t to_pitch, from_pitch, bytes, rows;
} gfp_gpu_copy;

/* Work of several contexts on each other's memory. Contexts of one device always reach each
 * other. */
typedef struct gfp_gpu_exchange_calls {
    /* From now on, kernels and copies of gpu may read and write the memory of peer. Errors:
     * UNAVAILABLE (the devices have no way to each other), DEVICE. */
    gfp_status (*reach)(gfp_gpu *gpu, const gfp_gpu *peer);
    /* fence_hold for a fence of any context. */
    gfp_status (*hold)(gfp_gpu *gpu, gfp_gpu_queue queue, const gfp_gpu_fence *fence);
    /* Enqueues a copy; both ends are memory that gpu reaches. */
    gfp_status (*copy)(gfp_gpu *gpu, gfp_gpu_queue queue, const gfp_gpu_copy *copy);
    /* Work is cut into groups of at least so many bytes on a device, one copied while another is
     * computed: a group takes the host and the ends of kernels some time. */
    size_t group_bytes;
} gfp_gpu_exchange_calls;

/* ---- arrays of elements ---- */

/* Operations on x_i and y_i that give z_i; NEG and REVERSE have y = x. */
typedef enum gfp_gpu_vec_operation {
    GFP_GPU_VEC_ADD,
    GFP_GPU_VEC_SUB,
    GFP_GPU_VEC_NEG,
    GFP_GPU_VEC_MUL,
    GFP_GPU_VEC_REVERSE
} gfp_gpu_vec_operation;

/* The kinds of search; all but DIFFERENCE have y = x. */
typedef enum gfp_gpu_vec_search {
    GFP_GPU_VEC_LENGTH,
    GFP_GPU_VEC_DIFFERENCE,
    GFP_GPU_VEC_CANONICAL
} gfp_gpu_vec_search;

/* A fold of `count` polynomials x[i] of n[i] coefficients, as in gfp_gpu_vec_fold; y has `words`
 * words. */
typedef struct gfp_gpu_fold {
    uint64_t *y;
    const uint64_t *x[GFP_GPU_FOLD_MAX];
    size_t n[GFP_GPU_FOLD_MAX];
    size_t count, j, words;
    uint64_t d;
} gfp_gpu_fold;

/* The arguments of gfp_gpu_vec_sum_rows; strides in elements. */
typedef struct gfp_gpu_row_sum {
    uint64_t *z;
    size_t z_stride;
    const uint64_t *x[GFP_GPU_ROWS_MAX];
    size_t x_stride[GFP_GPU_ROWS_MAX];
    unsigned count, negated;
    size_t rows, n; /* neither is 0 */
} gfp_gpu_row_sum;

/* c := a b for matrices of elements: the arguments of gfp_gpu_vec_mul_matrix; strides in elements.
 */
typedef struct gfp_gpu_matrix {
    uint64_t *c;
    const uint64_t *a, *b;
    size_t stride_c, stride_a, stride_b;
    size_t rows, inner, columns; /* none is 0 */
} gfp_gpu_matrix;

/* Euclid's algorithm for rows a and b: the arguments of gfp_gpu_vec_euclid;
 * strides in elements. */
typedef struct gfp_gpu_euclid {
    const uint64_t *a, *b;
    size_t stride_a, stride_b, len_a, len_b;
    size_t rows, room;      /* room: the longer length; neither is 0 */
    uint64_t *work;         /* 2 room elements a row: the gcd, room of them, comes first */
    uint64_t *leads;        /* the gcds' leading coefficients, 1 for a gcd that is 0 */
    uint64_t *numerators;   /* the resultants' */
    uint64_t *denominators; /* none is 0 */
    uint64_t *words;       /* the gcds' lengths; in a check 1 for rows with a wrong claim, else 0 */
    const uint64_t *claim; /* what is checked; NULL: nothing */
    size_t stride_claim;
    bool resultants;       /* the claim: one element a row, or gcds of room elements */
    const uint64_t *point; /* of a check; on the host */
} gfp_gpu_euclid;

/* Calls over n elements; z, x and y are equal or disjoint, c is on the host. Calls are enqueued. */
typedef struct gfp_gpu_vec_calls {
    gfp_status (*combine)(gfp_gpu *gpu, gfp_gpu_vec_operation operation, const gfp_field *field,
                          uint64_t *z, const uint64_t *x, const uint64_t *y, size_t n);
    gfp_status (*scale)(gfp_gpu *gpu, const gfp_field *field, uint64_t *z, const uint64_t *x,
                        const uint64_t *c, size_t n);
    /* *result lies apart from x and y. */
    gfp_status (*search)(gfp_gpu *gpu, gfp_gpu_vec_search search, const gfp_field *field,
                         uint64_t *result, const uint64_t *x, const uint64_t *y, size_t n);
    /* The words of y in a fold; saturates. */
    size_t (*fold_words)(const gfp_gpu *gpu, const gfp_field *field, const size_t *n, size_t count,
                         size_t j);
    gfp_status (*fold)(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_fold *fold);
    gfp_status (*evaluate)(gfp_gpu *gpu, const gfp_field *field, uint64_t *y, const uint64_t *x,
                           size_t n, const uint64_t *point);
    gfp_status (*sum_rows)(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_row_sum *sum);
    /* z_i := (first + i) x_i. */
    gfp_status (*mul_index)(gfp_gpu *gpu, const gfp_field *field, uint64_t *z, const uint64_t *x,
                            uint64_t first, size_t n);
    gfp_status (*euclid)(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_euclid *pairs);
    /* Allocates for the time of the call, and waits for uploads. */
    gfp_status (*mul_matrix)(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_matrix *m);
} gfp_gpu_vec_calls;

/* ---- transforms over Z/pZ ---- */

struct gfp_gpu_fft_engine;

struct gfp_gpu_fft_plan {
    gfp_gpu *gpu;
    const gfp_field *field;
    unsigned k;
    unsigned log2_n;
    size_t n;
    size_t batch;
    size_t words; /* batch n k */
    size_t bytes; /* device memory held */
    const struct gfp_gpu_fft_engine *engine;
    void *state; /* the engine's own data */
};

/* Parts of one transform of N = P S elements in permuted order, dealt over several devices
 * (gpu/dealt/fft.c): the first pass takes columns, elements u + p S, p < P, of one u; the others
 * take rows, elements p S + u, u < S, of one p. Arrays t and x have places for all elements. */
typedef struct gfp_gpu_fft_share_calls {
    /* log2 of P; 0: the plan cannot be dealt. */
    unsigned (*log2_rows)(const gfp_gpu_fft_plan *plan);
    /* The first pass over columns from <= u < to of t, in place. */
    gfp_status (*columns)(gfp_gpu_fft_plan *plan, uint64_t *t, size_t from, size_t to);
    /* y[i] := value from + i, from + i < to: whole rows, which the call overwrites. */
    gfp_status (*rows)(gfp_gpu_fft_plan *plan, uint64_t *y, uint64_t *t, size_t from, size_t to);
    /* The inverse: t's elements from <= i < to, whole rows, from the values y[i - from]. */
    gfp_status (*rows_back)(gfp_gpu_fft_plan *plan, uint64_t *t, const uint64_t *y, size_t from,
                            size_t to);
    /* Columns -u mod S of x from columns u of t, from <= u < to. x and t are apart. */
    gfp_status (*columns_back)(gfp_gpu_fft_plan *plan, uint64_t *x, const uint64_t *t, size_t from,
                               size_t to);
} gfp_gpu_fft_share_calls;

/* An engine validates nothing: arrays are long enough, aligned to 16 bytes and hold canonical
 * digits; y and x are equal or disjoint. Results are canonical. */
typedef struct gfp_gpu_fft_engine {
    gfp_gpu_fft_form form;
    /* Whether the engine serves this field, N = 2^log2_n and batch on this device. */
    bool (*serves)(const gfp_gpu *gpu, const gfp_field *field, unsigned log2_n, size_t batch);
    /* Makes tables and work space, with host memory through gpu->allocator and device memory
     * through gfp_gpu_device_allocate, and sets plan->state. After an error nothing is left
     * allocated, and plan->state is unchanged. */
    gfp_status (*create)(gfp_gpu_fft_plan *plan);
    /* Enqueue plan->batch transforms; neither may wait or allocate. */
    gfp_status (*forward)(gfp_gpu_fft_plan *plan, uint64_t *y, const uint64_t *x, gfp_order order);
    gfp_status (*inverse)(gfp_gpu_fft_plan *plan, uint64_t *x, const uint64_t *y, gfp_order order);
    void (*destroy)(gfp_gpu_fft_plan *plan);
    const gfp_gpu_fft_share_calls *share; /* NULL: its transforms cannot be dealt */
} gfp_gpu_fft_engine;

/* Like gfp_gpu_fft_plan_create, over `engines`, an array that ends with NULL: AUTO takes the first
 * engine that serves. engines itself may be NULL: UNAVAILABLE. */
gfp_status gfp_gpu_fft_plan_make(gfp_gpu_fft_plan **plan, gfp_gpu *gpu, const gfp_field *field,
                                 size_t n, const gfp_gpu_fft_options *options,
                                 const gfp_gpu_fft_engine *const *engines);

/* ---- products ---- */

struct gfp_gpu_product_engine;

struct gfp_gpu_product_plan {
    gfp_gpu *gpu;
    const gfp_field *field;
    unsigned k;
    size_t len_a, len_b;
    size_t batch;
    gfp_gpu_method method; /* this and the members below are set by open */
    size_t length;         /* N of the products modulo X^N - 1 */
    size_t pieces;         /* the number of such products in the plan's product */
    size_t bytes;          /* device memory held */
};

struct gfp_gpu_operand {
    gfp_gpu_product_plan *plan;
    uint64_t *data;
    size_t bytes;
    size_t len;
};

/* The arguments of gfp_gpu_product_range_after and gfp_gpu_product_rows: the rows of a batch lie
 * `stride` elements apart. operand is NULL, or takes the place of b. */
typedef struct gfp_gpu_product {
    gfp_gpu_array *c;
    const gfp_gpu_array *a, *b;
    const gfp_gpu_operand *operand;
    size_t len_a, len_b;
    size_t first, n;
    size_t stride_a, stride_b, stride_c;
    gfp_gpu_fence *b_fence; /* or NULL */
} gfp_gpu_product;

/* These calls check their arguments themselves, except for the plan of an operand. */
typedef struct gfp_gpu_product_calls {
    size_t plan_size;
    /* Neither length is 0. */
    bool (*serves)(const gfp_gpu *gpu, gfp_gpu_method method, const gfp_field *field, size_t len_a,
                   size_t len_b, char *why, size_t size);
    gfp_status (*open)(gfp_gpu_product_plan *plan, const gfp_gpu_product_options *options);
    void (*close)(gfp_gpu_product_plan *plan);
    gfp_status (*run)(gfp_gpu_product_plan *plan, const gfp_gpu_product *product);
    /* operand->data and ->bytes := the transform of b, in device memory; destroying the operand
     * releases it. If operand->data is not NULL, the transform takes that memory. */
    gfp_status (*transform)(gfp_gpu_operand *operand, const gfp_gpu_array *b, size_t stride);
} gfp_gpu_product_calls;

/* Plans over the backend's engines (planner.c). */
extern const gfp_gpu_product_calls gfp_gpu_planned_products;

/* ---- backends ---- */

struct gfp_gpu_measure_calls; /* measure.h */
struct gfp_gpu_images_calls;  /* images.h */
struct gfp_gpu_word_calls;    /* word_products.h */

struct gfp_gpu_backend {
    const char *name;
    const gfp_gpu_device_calls *device;
    const gfp_gpu_memory_calls *memory;
    const gfp_gpu_queue_calls *queues;
    const gfp_gpu_exchange_calls *exchange;
    const gfp_gpu_vec_calls *vec;
    const gfp_gpu_fft_engine *const
        *fft; /* an array that ends with NULL, in the order in which AUTO asks */
    const gfp_gpu_product_calls *products;
    const struct gfp_gpu_product_engine *const
        *product_engines; /* the engines of planned products */
    const struct gfp_gpu_measure_calls *measure;
    const struct gfp_gpu_images_calls *images;
    const struct gfp_gpu_word_calls *words;
};

/* Finds the backend when one is needed, for instance in a plug-in (plugin.h); NULL with the reason
 * in *error (may be NULL). */
typedef const gfp_gpu_backend *gfp_gpu_source(gfp_error *error);

/* The backend in use: the backend that the library was built with, else the source's. NULL if there
 * is none: *error (may be NULL) is UNAVAILABLE, with the reason. */
const gfp_gpu_backend *gfp_gpu_backend_in_use(gfp_error *error);
/* Whether a backend or a source is known. The call does not ask the source. */
bool gfp_gpu_backend_possible(void);
/* For tests: contexts are made over this backend from now on; NULL: over the source's. */
void gfp_gpu_use_backend(const gfp_gpu_backend *backend);
/* For tests: replaces the source; NULL: none. */
void gfp_gpu_use_source(gfp_gpu_source *replacement);

/* ---- helpers of public functions and backends (memory.c) ---- */

/* Records a failure in the context and evaluates to `status`. */
#define GFP_GPU_FAIL(gpu, status, ...) gfp_error_set(&(gpu)->error, (status), __VA_ARGS__)

/* UNAVAILABLE unless the backend has `member` of the sub-table. */
#define GFP_GPU_NEED(gpu, table, member)                                                           \
    GFP_TRY((gpu)->backend->table != NULL && (gpu)->backend->table->member != NULL                 \
                ? GFP_OK                                                                           \
                : gfp_gpu_lacks((gpu), #table))
gfp_status gfp_gpu_lacks(gfp_gpu *gpu, const char *what);

/* *error (may be NULL) := the context's last error, if status is not OK; returns status. */
gfp_status gfp_gpu_report(const gfp_gpu *gpu, gfp_status status, gfp_error *error);

/* The beginning of a public call: returns DEVICE if the device is lost, and ARGUMENT if the call
 * waits and a capture is open; otherwise enters the device. After success the call ends with
 * gfp_gpu_leave, which returns status. */
gfp_status gfp_gpu_enter(gfp_gpu *gpu, bool waits, int *before);
gfp_status gfp_gpu_leave(const gfp_gpu *gpu, int before, gfp_status status);
int gfp_gpu_enter_to_destroy(const gfp_gpu *gpu); /* cannot fail */

/* The end of a function: returns `call`, made between enter and leave. */
#define GFP_GPU_RETURN(gpu, waits, call)                                                           \
    do {                                                                                           \
        int before_ = -1;                                                                          \
        GFP_TRY(gfp_gpu_enter((gpu), (waits), &before_));                                          \
        return gfp_gpu_leave((gpu), before_, (call));                                              \
    } while (0)

/* A handle of `size` bytes, all zero. Without memory returns NULL and records MEMORY; `what` names
 * the handle in the message. */
void *gfp_gpu_make(gfp_gpu *gpu, size_t size, const char *what);

/* Allocates device memory within the cap and counts it in the account; aligned to 256 bytes. 0
 * bytes: NULL. Errors: MEMORY, DEVICE; *block is unchanged. */
gfp_status gfp_gpu_device_allocate(gfp_gpu *gpu, void **block, size_t bytes);
/* block may be NULL. */
void gfp_gpu_device_release(gfp_gpu *gpu, void *block, size_t bytes);
/* Copies bytes from `from` (host) to `to` (device); waits, so that the caller may change from at
 * once. */
gfp_status gfp_gpu_device_fill(gfp_gpu *gpu, void *to, const void *from, size_t bytes);

/* Checks of public calls: the array is of this context and has `words` words. */
gfp_status gfp_gpu_array_check(gfp_gpu *gpu, const gfp_gpu_array *array, size_t words);
/* Also checks that the first out_words words of out and in_words words of in begin at the same
 * address, or are disjoint. */
gfp_status gfp_gpu_array_check_pair(gfp_gpu *gpu, const gfp_gpu_array *out, size_t out_words,
                                    const gfp_gpu_array *in, size_t in_words);
/* Also checks that they are disjoint. */
gfp_status gfp_gpu_array_check_apart(gfp_gpu *gpu, const gfp_gpu_array *out, size_t out_words,
                                     const gfp_gpu_array *in, size_t in_words);

/* The words from the first to the last of `rows` rows of n elements, `stride` elements apart;
 * SIZE_MAX if they are too many. */
size_t gfp_gpu_row_words(const gfp_field *field, size_t rows, size_t stride, size_t n);
/* Rows of n elements from the beginning of an array on, `stride` elements apart. */
typedef struct gfp_gpu_row_span {
    const gfp_gpu_array *array;
    size_t stride, n;
} gfp_gpu_row_span;

/* Checks that both arrays have `rows` rows, and that no element belongs to both: they lie apart, or
 * their rows alternate with one stride. */
gfp_status gfp_gpu_rows_check_apart(gfp_gpu *gpu, const gfp_field *field, size_t rows,
                                    gfp_gpu_row_span out, gfp_gpu_row_span in);
/* *part := a window on the array from the rows' first element on. */
gfp_status gfp_gpu_rows_at(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_rows *rows,
                           gfp_gpu_array *part);

/* The words of n elements, or SIZE_MAX, which no array has, if they are too many (vec.c). */
size_t gfp_gpu_element_words(const gfp_field *field, size_t n);
/* table_i := root^i, i < n: computed on the device by doubling, in about log2 n launches. root is
 * one element on the host. */
gfp_status gfp_gpu_vec_powers(const gfp_field *field, gfp_gpu_array *table, const uint64_t *root,
                              size_t n);

GFP_END_DECLS
#endif
