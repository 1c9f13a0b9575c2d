/* limbs.cu: radix conversion on the device: elements from and to integers of 64-bit words.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/impl.h"
#include "gpu/cuda/vector/limbs_arith.h"

namespace
{

struct limbs_plan : gfp_gpu_limbs_plan {
    uint64_t *image; /* the tables on the device; they have `bytes` bytes */
    limbs::setting setting;
};

constexpr unsigned threads = 128;

template <unsigned DIGITS>
static __global__ void __launch_bounds__(threads)
    set_limbs(uint64_t *z, const uint64_t *x, const __grid_constant__ limbs::setting s, size_t n)
{
    const size_t i = blockIdx.x * (size_t)threads + threadIdx.x;
    if (i < n) {
        limbs::set<DIGITS>(z + i * s.k, x + i * s.size, s);
    }
}

template <unsigned DIGITS>
static __global__ void __launch_bounds__(threads)
    get_limbs(uint64_t *z, const uint64_t *x, const __grid_constant__ limbs::setting s, size_t n)
{
    const size_t i = blockIdx.x * (size_t)threads + threadIdx.x;
    if (i < n) {
        limbs::get<DIGITS>(z + i * s.size, x + i * s.k, s);
    }
}

template <unsigned DIGITS>
static gfp_status limbs_run(limbs_plan *plan, uint64_t *z, const uint64_t *x, size_t n, bool get)
{
    const unsigned blocks = (unsigned)((n + threads - 1) / threads);
    if (get) {
        GFP_LAUNCH(plan->gpu, (get_limbs<DIGITS>), blocks, threads, 0, z, x, plan->setting, n);
    } else {
        GFP_LAUNCH(plan->gpu, (set_limbs<DIGITS>), blocks, threads, 0, z, x, plan->setting, n);
    }
    return GFP_OK;
}

static gfp_status limbs_convert(gfp_gpu_limbs_plan *base, uint64_t *z, const uint64_t *x, size_t n,
                                bool get)
{
    limbs_plan *plan = (limbs_plan *)base;
    switch (gfp_limbs_together(plan->setting.k)) {
    case 2:
        return limbs_run<2>(plan, z, x, n, get);
    case 4:
        return limbs_run<4>(plan, z, x, n, get);
    default:
        return limbs_run<8>(plan, z, x, n, get);
    }
}

static gfp_status limbs_set(gfp_gpu_limbs_plan *plan, uint64_t *z, const uint64_t *x, size_t n)
{
    return limbs_convert(plan, z, x, n, false);
}

static gfp_status limbs_get(gfp_gpu_limbs_plan *plan, uint64_t *z, const uint64_t *x, size_t n)
{
    return limbs_convert(plan, z, x, n, true);
}

static gfp_status open_plan(gfp_gpu_limbs_plan *base)
{
    limbs_plan *plan = (limbs_plan *)base;
    gfp_gpu *gpu = plan->gpu;
    gfp_limbs_tables tables;
    if (plan->size > GFP_LIMBS_MAX_SIZE) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT,
                            "integers of %zu words: at most %d words are possible", plan->size,
                            GFP_LIMBS_MAX_SIZE);
    }
    if (gfp_limbs_tables_init(&tables, plan->field, plan->size, &gpu->allocator) != GFP_OK) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    const size_t bytes = tables.words * sizeof(uint64_t);
    gfp_status status = gfp_gpu_device_allocate(gpu, (void **)&plan->image, bytes);
    if (status == GFP_OK) {
        plan->bytes = bytes;
        plan->setting = limbs::make_setting(plan->field, plan->size, &tables, plan->image);
        status = gfp_gpu_device_fill(gpu, plan->image, tables.image, bytes);
    }
    gfp_limbs_tables_release(&tables, &gpu->allocator);
    return status;
}

static void close_plan(gfp_gpu_limbs_plan *plan)
{
    gfp_gpu_device_release(plan->gpu, ((limbs_plan *)plan)->image, plan->bytes);
}

} // namespace

const gfp_gpu_limbs_calls gfp_cuda_limbs = {
    sizeof(limbs_plan), open_plan, close_plan, limbs_set, limbs_get,
};
