/* ntt.h: transforms over word-size primes on the device: plans, and their engines, one per ring
 * of gpu/cuda/word_arith.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_TRANSFORM_NTT_H
#define GFP_GPU_CUDA_TRANSFORM_NTT_H

#include "gpu/cuda/impl.h"
#include "gpu/cuda/word_arith.h"

struct gfp_cuda_ntt_engine;

/* A plan for `count` primes below 2^62 (copied), with `batch` vectors of n residues for each prime:
 * vector b modulo prime i starts at residue (i batch + b) n. n is a power of two that divides every
 * q - 1. */
typedef struct gfp_cuda_ntt_shape {
    const uint64_t *primes;
    const uint64_t *scales; /* inverse transforms modulo prime i are multiplied by scales[i] instead
                               of 1/n; NULL: by 1/n */
    size_t count, n, batch;
    bool packed; /* residues are half words, not words */
} gfp_cuda_ntt_shape;

typedef struct gfp_cuda_ntt_plan {
    gfp_gpu *gpu;
    size_t count, n, batch;
    unsigned log2_n;
    bool packed;
    const struct gfp_cuda_ntt_engine *engine;
    gfp_gpu_prime *prime;  /* count primes, on the host, */
    gfp_gpu_prime *device; /* and a copy on the device */
    /* The engine's own: tables[0] with powers of w_N, tables[1] with powers of its inverse, and
     * work. */
    void *tables[2];
    size_t table_bytes; /* bytes of each table */
    void *work;
    size_t work_bytes;
    size_t group; /* the number of vectors that the work area holds */
} gfp_cuda_ntt_plan;

GFP_BEGIN_DECLS
/* On an entered device. engine may be NULL: then the plan has the primes only. Errors: SIZE,
 * MEMORY, DEVICE. */
gfp_status gfp_cuda_ntt_create(gfp_cuda_ntt_plan **plan, gfp_gpu *gpu,
                               const struct gfp_cuda_ntt_engine *engine,
                               const gfp_cuda_ntt_shape *shape);
/* NULL is allowed. */
void gfp_cuda_ntt_destroy(gfp_cuda_ntt_plan *plan);
/* The engine for primes below 2^bits: 31, 50 or 62. */
const struct gfp_cuda_ntt_engine *gfp_cuda_ntt_engine_of(unsigned bits);
/* An upper bound of the bytes that a plan holds, for inner words of `word_bytes` bytes.
 * Saturates. */
size_t gfp_cuda_ntt_most_bytes(size_t count, size_t batch, unsigned log2_n, size_t word_bytes);
/* Whether double precision runs at half the speed of single precision rather than at 1/64. */
gfp_status gfp_cuda_ntt_fast_doubles(gfp_gpu *gpu, bool *fast);
GFP_END_DECLS

/* A row: several levels per pass over the data. Engines validate nothing: y and x are equal or
 * disjoint, n >= 2. */
typedef struct gfp_cuda_ntt_engine {
    unsigned bits; /* q < 2^bits */
    /* Fills plan->tables and plan->work. After a failure, destroying the plan releases what was
     * allocated. */
    gfp_status (*create)(gfp_cuda_ntt_plan *plan);
    /* y := the DFT, or its inverse, of x. `order` is the order of the DFT's result. */
    gfp_status (*run)(gfp_cuda_ntt_plan *plan, void *y, const void *x, gfp_order order,
                      bool inverse);
} gfp_cuda_ntt_engine;

extern const gfp_cuda_ntt_engine gfp_cuda_ntt_blocked31;
extern const gfp_cuda_ntt_engine gfp_cuda_ntt_blocked50;
extern const gfp_cuda_ntt_engine gfp_cuda_ntt_blocked62;

namespace
{

/* Allocates both directions of plan->tables, of the same size, and plan->work. */
static inline gfp_status gfp_cuda_ntt_allocate(gfp_cuda_ntt_plan *plan, size_t table_bytes,
                                               size_t work_bytes)
{
    for (int i = 0; i < 2; i++) {
        GFP_TRY(gfp_gpu_device_allocate(plan->gpu, &plan->tables[i], table_bytes));
        plan->table_bytes = table_bytes;
    }
    GFP_TRY(gfp_gpu_device_allocate(plan->gpu, &plan->work, work_bytes));
    plan->work_bytes = work_bytes;
    return GFP_OK;
}

/* group_bytes: the bytes of intermediate words in a group of vectors, enough to fill the device.
 * most_entries: an upper bound of the table entries of one prime, besides two parts of 2^(log2_n /
 * 2) entries each. */
constexpr size_t group_bytes = (size_t)256 << 20;
constexpr size_t most_entries = (size_t)1 << 13;

/* The number of blocks of 256 threads for `items` items, one item a thread, up to the limit of a
 * grid; kernels loop over the rest. */
constexpr unsigned item_threads = 256;

static inline unsigned item_blocks(size_t items)
{
    const size_t blocks = (items + item_threads - 1) / item_threads;
    return blocks > 0x7fffffff ? 0x7fffffff : (unsigned)blocks;
}

#define GFP_FOR_ITEMS(i, items)                                                                    \
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < (items);                    \
         i += (size_t)gridDim.x * blockDim.x)

} // namespace

#endif
