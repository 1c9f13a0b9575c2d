/* gpu_ntt.h: the inside of a plan for word-size primes on the device: a table of engines, one per
 * form and modular product.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_NTT_H
#define GFP_GPU_NTT_H

#include "gpu_impl.h"
#include "word_arith.h"

struct gfp_gpu_ntt_engine;

typedef struct gfp_cuda_ntt_plan : gfp_gpu_ntt_plan {
    unsigned log2_n;
    bool packed;
    bool convolutions;
    bool negacyclic; /* 2N divides every q - 1 */
    bool timed;
    const struct gfp_gpu_ntt_engine *engine;
    gfp_gpu_prime *prime;  /* count, on the host, */
    gfp_gpu_prime *device; /* and on the device */
    /* The engine's: tables[0] with powers of w_N, tables[1] with those of its inverse, and work. */
    void *tables[2];
    size_t table_bytes; /* of each */
    void *work;
    size_t work_bytes;
    size_t group;      /* vectors that the work area holds */
    uint64_t *area[2]; /* words each, for convolutions */
    gfp_gpu_clock clock;
} gfp_cuda_ntt_plan;

/* As gfp_gpu_ntt_plan_create, on an entered device; inverse transforms modulo prime i are
 * multiplied by scales[i] in the place of 1/N. scales may be NULL. What is wrong is recorded in the
 * context. */
GFP_BEGIN_DECLS
gfp_status gfp_gpu_ntt_plan_make(gfp_cuda_ntt_plan **plan, gfp_gpu *gpu, const uint64_t *primes,
                                 const uint64_t *scales, size_t count, size_t n,
                                 const gfp_gpu_ntt_options *options);
void gfp_cuda_ntt_destroy(gfp_cuda_ntt_plan *plan);
/* y := the DFT of x, or its inverse; no clock is started. */
gfp_status gfp_cuda_ntt_transform(gfp_cuda_ntt_plan *plan, uint64_t *y, const uint64_t *x,
                                  gfp_order order, bool inverse);
/* At least what a plan in the fast form holds, without convolutions, inner words having so many
 * bytes. Saturates. */
size_t gfp_gpu_ntt_most_bytes(size_t count, size_t batch, unsigned log2_n, size_t word_bytes);
/* Whether double precision runs at half the speed of single precision, not at 1/64. */
gfp_status gfp_gpu_ntt_fast_doubles(gfp_gpu *gpu, bool *fast);
GFP_END_DECLS

/* Engines validate nothing: y and x are equal or disjoint, n >= 2. */
typedef struct gfp_gpu_ntt_engine {
    gfp_gpu_ntt_product product;
    unsigned bits; /* q < 2^bits */
    /* Fills plan->tables and plan->work; what it has made when it fails is released by the plan. */
    gfp_status (*create)(gfp_cuda_ntt_plan *plan);
    /* y := the DFT, or its inverse, of x. Order is that of the DFT's result. */
    gfp_status (*run)(gfp_cuda_ntt_plan *plan, void *y, const void *x, gfp_order order,
                      bool inverse);
    /* z := x c[i], residue by residue, for every prime i; c on the host. NULL: as the papers' row
     * of this product and as many bits. */
    gfp_status (*scale)(gfp_cuda_ntt_plan *plan, void *z, const void *x, const uint64_t *c);
} gfp_gpu_ntt_engine;

/* Several levels per pass over the data. */
extern const gfp_gpu_ntt_engine gfp_gpu_ntt_blocked31;
extern const gfp_gpu_ntt_engine gfp_gpu_ntt_blocked50;
extern const gfp_gpu_ntt_engine gfp_gpu_ntt_blocked62;
/* The papers' forms: half words first. */
#define GFP_GPU_NTT_PAPERS_ROWS 6
extern const gfp_gpu_ntt_engine gfp_gpu_ntt_papers[GFP_GPU_NTT_PAPERS_ROWS];
/* The steps that they time. */
enum {
    GFP_GPU_NTT_STEP_CONVERT,
    GFP_GPU_NTT_STEP_PERMUTATION,
    GFP_GPU_NTT_STEP_BASE,
    GFP_GPU_NTT_STEP_TWIDDLE,
    GFP_GPU_NTT_STEP_BUTTERFLY,
    GFP_GPU_NTT_STEPS
};

namespace
{

/* Both directions of plan->tables, of the same size, and plan->work. */
static inline gfp_status gfp_gpu_ntt_allocate(gfp_cuda_ntt_plan *plan, size_t table_bytes,
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

/* The fast form: bytes of intermediate words in a group of vectors, enough of them to fill the
 * device; and more than the entries of a table for one prime are, but for 2^(log2_n / 2) twice. */
constexpr size_t group_bytes = (size_t)256 << 20;
constexpr size_t most_entries = (size_t)1 << 13;

/* Blocks of 256 threads for so many items, one a thread; loops go over what does not fit a grid. */
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
