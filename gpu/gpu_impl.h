/* gpu_impl.h: what the .cu files of this room share: the context, the one seam for CUDA calls,
 * device memory, arrays, plans and the table of engines. In .cu files everything but gfp_* is
 * static, kernels and their templates too (nvcc gives names in anonymous namespaces external
 * linkage); no exceptions, no C++ library. SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_IMPL_H
#define GFP_GPU_IMPL_H

#include <cuda_runtime.h>

#include "gfpoly/gpu.h"
#include "seam.h"

GFP_BEGIN_DECLS
#include "support.h"
GFP_END_DECLS

/* kernel<<<...>>>, without what nvcc adds to it: statics initialised on first use, which need the
 * C++ library or are not safe between threads. */
template <typename T> struct gfp_gpu_as {
    typedef T type;
};
template <typename... P>
__attribute__((always_inline)) static inline cudaError_t
gfp_gpu_launch(void (*kernel)(P...), dim3 blocks, dim3 threads, size_t shared, cudaStream_t stream,
               typename gfp_gpu_as<P>::type... arguments)
{
    void *addresses[] = {(void *)&arguments..., nullptr};
    return cudaLaunchKernel((const void *)kernel, blocks, threads, addresses, shared, stream);
}

/* What has external linkage is gfp_* and of C's, as the library's other rooms: no mangled names. */
GFP_BEGIN_DECLS

/* ---- the context ---- */

struct gfp_gpu {
    gfp_allocator allocator;
    int device;
    cudaStream_t stream;
    cudaStream_t side[2]; /* of uploads and downloads; made on first use (copy.cu) */
    size_t memory_cap;    /* SIZE_MAX: none */
    size_t bytes;         /* device memory held */
    size_t peak;
    bool capturing;
    bool lost;
    gfp_error error; /* of the last call that failed */
    int multiprocessors;
    int shared_per_block; /* most bytes of shared memory a block may ask for (opt-in) */
};

/* Records a failure of the context and is its status. */
#define GFP_GPU_FAIL(gpu, status, ...) gfp_error_set(&(gpu)->error, (status), __VA_ARGS__)

/* *error (may be NULL) := the context's last error, where status is not OK; returns status. */
gfp_status gfp_gpu_report(const gfp_gpu *gpu, gfp_status status, gfp_error *error);

/* What a CUDA error is for us: recorded, MEMORY, UNAVAILABLE or DEVICE; errors that stay mark the
 * context as lost. call is the text of the call. */
gfp_status gfp_gpu_cuda_failed(gfp_gpu *gpu, cudaError_t error, const char *call);

/* Every call of CUDA, in functions that return gfp_status. */
#define GFP_CUDA_TRY(gpu, call)                                                                    \
    do {                                                                                           \
        cudaError_t gfp_cuda_error_ = (cudaError_t)gfp_gpu_seam_next();                            \
        if (gfp_cuda_error_ == cudaSuccess) {                                                      \
            gfp_cuda_error_ = (call);                                                              \
        }                                                                                          \
        if (gfp_cuda_error_ != cudaSuccess) {                                                      \
            return gfp_gpu_cuda_failed((gpu), gfp_cuda_error_, #call);                             \
        }                                                                                          \
    } while (0)

/* Kernel launches: GFP_LAUNCH(gpu, (kernel<8, true>), blocks, threads, shared_bytes, arguments...),
 * on the context's stream. Template kernels in parentheses. */
#define GFP_LAUNCH(gpu, kernel, blocks, threads, shared_bytes, ...)                                \
    do {                                                                                           \
        cudaError_t gfp_cuda_error_ = (cudaError_t)gfp_gpu_seam_next();                            \
        if (gfp_cuda_error_ == cudaSuccess) {                                                      \
            gfp_cuda_error_ = gfp_gpu_launch(kernel, (blocks), (threads), (shared_bytes),          \
                                             (gpu)->stream, __VA_ARGS__);                          \
        }                                                                                          \
        if (gfp_cuda_error_ != cudaSuccess) {                                                      \
            return gfp_gpu_cuda_failed((gpu), gfp_cuda_error_, "launch of " #kernel);              \
        }                                                                                          \
    } while (0)

/* What public calls begin with: GFP_GPU_ENTER(gpu, waits) makes the context's device the thread's
 * until the end of the scope, and ends the call where the device is lost or, with waits, where a
 * capture is open. Functions below public calls do without. */
#define GFP_GPU_ENTER(gpu, waits)                                                                  \
    gfp_gpu_scope gfp_gpu_scope_((gpu), (waits));                                                  \
    GFP_TRY(gfp_gpu_scope_.status)

/* *before := the thread's device where the context's replaces it. */
gfp_status gfp_gpu_enter(gfp_gpu *gpu, bool waits, int *before);
/* The same for what cannot fail: no checks, not through the seam; the device before, or -1. */
int gfp_gpu_enter_always(const gfp_gpu *gpu);
void gfp_gpu_leave(int before);

/* Member functions leave no symbols behind. */
#define GFP_GPU_INLINE __attribute__((always_inline)) inline

struct gfp_gpu_scope {
    int before;
    gfp_status status;
    GFP_GPU_INLINE gfp_gpu_scope(gfp_gpu *gpu, bool waits) : before(-1)
    {
        status = gfp_gpu_enter(gpu, waits, &before);
    }
    /* For functions that destroy. */
    explicit GFP_GPU_INLINE gfp_gpu_scope(const gfp_gpu *gpu)
        : before(gfp_gpu_enter_always(gpu)), status(GFP_OK)
    {
    }
    GFP_GPU_INLINE ~gfp_gpu_scope()
    {
        gfp_gpu_leave(before);
    }
};

/* Device memory through the cap and the account; 256-byte aligned. 0 bytes: NULL. MEMORY, DEVICE;
 * *block is unchanged then. */
gfp_status gfp_gpu_device_allocate(gfp_gpu *gpu, void **block, size_t bytes);
/* block may be NULL. */
void gfp_gpu_device_release(gfp_gpu *gpu, void *block, size_t bytes);
/* to (device) := from (host), bytes of it; waits, so that from may change at once. */
gfp_status gfp_gpu_device_fill(gfp_gpu *gpu, void *to, const void *from, size_t bytes);

/* ---- arrays ---- */

struct gfp_gpu_array {
    gfp_gpu *gpu;
    uint64_t *data; /* aligned to 16 bytes at least */
    size_t words;
    bool window; /* of another's memory */
};

/* What public calls check: array is of this context and has `words` words. */
gfp_status gfp_gpu_array_check(gfp_gpu *gpu, const gfp_gpu_array *array, size_t words);
/* The same, and that the first `out_words` words of out and `in_words` of in are the same memory
 * from the start, or disjoint. */
gfp_status gfp_gpu_array_check_pair(gfp_gpu *gpu, const gfp_gpu_array *out, size_t out_words,
                                    const gfp_gpu_array *in, size_t in_words);
/* And that they are disjoint. */
gfp_status gfp_gpu_array_check_apart(gfp_gpu *gpu, const gfp_gpu_array *out, size_t out_words,
                                     const gfp_gpu_array *in, size_t in_words);

/* It has words first, ..., first + words - 1. */
gfp_status gfp_gpu_array_check_range(gfp_gpu *gpu, const gfp_gpu_array *array, size_t first,
                                     size_t words);

/* ---- arrays of elements: for rooms' own use (vec.cu) ---- */

/* z_(b n + i) := x_(b n + i) y_i for b < rows, i < n: as gfp_gpu_vec_mul, y of n elements. */
gfp_status gfp_gpu_vec_mul_rows(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                                const gfp_gpu_array *y, size_t rows, size_t n);
/* table_i := root^i, i < n (fft.cu): made on the device by doubling, some 20 launches. root is one
 * element on the host. */
gfp_status gfp_gpu_vec_powers(const gfp_field *field, gfp_gpu_array *table, const uint64_t *root,
                              size_t n);

/* ---- times of steps (clock.cu) ---- */

/* An event between the steps of a call: what was enqueued since the one before was `kernels`
 * launches of `step`. */
typedef struct gfp_gpu_mark {
    cudaEvent_t event;
    unsigned step;
    unsigned kernels;
} gfp_gpu_mark;

/* All zero: not timed, and the calls below do nothing. */
typedef struct gfp_gpu_clock {
    gfp_gpu *gpu;
    const char *const *names; /* of `steps` steps, static */
    unsigned steps;
    unsigned capacity; /* of marks, the start included */
    unsigned marks;    /* of the last call */
    gfp_gpu_mark *mark;
} gfp_gpu_clock;

/* For calls of at most `marks` marks. MEMORY, DEVICE. *clock must be zero before. */
gfp_status gfp_gpu_clock_create(gfp_gpu_clock *clock, gfp_gpu *gpu, const char *const *names,
                                unsigned steps, unsigned marks);
void gfp_gpu_clock_destroy(gfp_gpu_clock *clock);
/* A call begins. ARGUMENT inside a capture. */
gfp_status gfp_gpu_clock_start(gfp_gpu_clock *clock);
/* What was enqueued since the last mark (or start), so many launches, was of this step. */
gfp_status gfp_gpu_clock_mark(gfp_gpu_clock *clock, unsigned step, unsigned kernels);
/* Waits. */
gfp_status gfp_gpu_clock_read(gfp_gpu_clock *clock, gfp_gpu_times *times);

/* ---- transforms over Z/pZ (fft.cu): a table of engines ---- */

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
    bool timed;
    const struct gfp_gpu_fft_engine *engine;
    void *state;                    /* the engine's own */
    gfp_gpu_clock clock;            /* the engine's, where timed; read and destroyed by fft.cu */
    gfp_gpu_array *work[2];         /* batch N elements each, for convolutions, or NULL */
    gfp_gpu_array *weights;         /* w_2N^i, i < N, for negacyclic ones, or NULL */
    gfp_gpu_array *inverse_weights; /* w_2N^-i */
};

/* An engine is a row of the table in fft.cu. It validates nothing: arrays are long enough, y and x
 * are equal or disjoint, aligned to 16 bytes, and of canonical digits; so are its results. */
typedef struct gfp_gpu_fft_engine {
    gfp_gpu_fft_form form;
    bool has_times; /* can serve plans with timed = true */
    /* Whether it serves this field, N = 2^log2_n and batch, on this device. */
    bool (*serves)(const gfp_gpu *gpu, const gfp_field *field, unsigned log2_n, size_t batch);
    /* Makes tables and work space: host memory through gpu->allocator, device memory through
     * gfp_gpu_device_allocate; plan->state := what it needs. On an error nothing is left, and
     * plan->state is unchanged. */
    gfp_status (*create)(gfp_gpu_fft_plan *plan);
    /* Enqueue on plan->gpu->stream; nothing may wait or allocate. batch transforms. */
    gfp_status (*forward)(gfp_gpu_fft_plan *plan, uint64_t *y, const uint64_t *x, gfp_order order);
    gfp_status (*inverse)(gfp_gpu_fft_plan *plan, uint64_t *x, const uint64_t *y, gfp_order order);
    void (*destroy)(gfp_gpu_fft_plan *plan);
} gfp_gpu_fft_engine;

/* The rows, by the file that has them: declared here, listed in fft.cu. */
extern const gfp_gpu_fft_engine gfp_gpu_fft_sliced;
extern const gfp_gpu_fft_engine gfp_gpu_fft_wide;
extern const gfp_gpu_fft_engine gfp_gpu_fft_reference;
extern const gfp_gpu_fft_engine gfp_gpu_fft_papers;
extern const gfp_gpu_fft_engine gfp_gpu_fft_papers_split;

GFP_END_DECLS
#endif
