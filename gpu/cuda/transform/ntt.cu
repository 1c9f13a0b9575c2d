/* ntt.cu: plans of transforms over word-size primes: the primes' constants, tables, work space.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/transform/ntt.h"

GFP_BEGIN_DECLS
#include "field/base/word.h"
#include "fft/words/primes.h"
GFP_END_DECLS

namespace
{

static uint64_t inverse_mod(uint64_t x, uint64_t q)
{
    return gfp_mod_pow(x, q - 2, q);
}

static void init_prime(gfp_gpu_prime *prime, uint64_t q, const gfp_cuda_ntt_plan *plan)
{
    const uint64_t square32 = gfp_mod_pow(2, 64, q);
    const int rounding = gfp_rounding_begin();
    const double inverse = 1.0 / (double)q;
    gfp_rounding_end(rounding);
    prime->modulus = {q, gfp_mont_negative_inverse(q), square32, gfp_mod_mul(square32, square32, q),
                      inverse};
    prime->root[0] = gfp_word_root_of_unity(q, plan->log2_n);
    prime->root[1] = inverse_mod(prime->root[0], q);
    prime->scale = inverse_mod(plan->n % q, q);
}

static gfp_status fill_primes(gfp_cuda_ntt_plan *plan, const gfp_cuda_ntt_shape *shape)
{
    const size_t bytes = plan->count * sizeof *plan->prime;
    plan->prime =
        (gfp_gpu_prime *)gfp_allocate(&plan->gpu->allocator, plan->count, sizeof *plan->prime);
    if (plan->prime == NULL) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_MEMORY, "out of memory for %zu primes", plan->count);
    }
    for (size_t i = 0; i < plan->count; i++) {
        init_prime(&plan->prime[i], shape->primes[i], plan);
        if (shape->scales != NULL) {
            plan->prime[i].scale = shape->scales[i];
        }
    }
    GFP_TRY(gfp_gpu_device_allocate(plan->gpu, (void **)&plan->device, bytes));
    return gfp_gpu_device_fill(plan->gpu, plan->device, plan->prime, bytes);
}

static gfp_status fill_plan(gfp_cuda_ntt_plan *plan, const gfp_cuda_ntt_shape *shape)
{
    GFP_TRY(fill_primes(plan, shape));
    return plan->engine != NULL ? plan->engine->create(plan) : GFP_OK;
}

static gfp_status check_sizes(gfp_gpu *gpu, const gfp_cuda_ntt_shape *shape)
{
    size_t words;
    /* A grid has fewer than 2^31 blocks, and a block may take a single vector, or 4096 residues. */
    if (!gfp_size_mul(&words, shape->count, shape->batch) || words >> 31 != 0 ||
        !gfp_size_mul(&words, words, shape->n) || words >> 43 != 0) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE,
                            "%zu vectors of %zu residues for %zu primes are too many", shape->batch,
                            shape->n, shape->count);
    }
    return GFP_OK;
}

} // namespace

const gfp_cuda_ntt_engine *gfp_cuda_ntt_engine_of(unsigned bits)
{
    return bits == 31   ? &gfp_cuda_ntt_blocked31
           : bits == 50 ? &gfp_cuda_ntt_blocked50
                        : &gfp_cuda_ntt_blocked62;
}

gfp_status gfp_cuda_ntt_fast_doubles(gfp_gpu *gpu, bool *fast)
{
    int ratio = 0;
    GFP_CUDA_TRY(gpu, cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio,
                                             (int)gpu->device));
    *fast = ratio <= 2;
    return GFP_OK;
}

size_t gfp_cuda_ntt_most_bytes(size_t count, size_t batch, unsigned log2_n, size_t word_bytes)
{
    const size_t each = gfp_size_mul_sat((size_t)1 << log2_n, word_bytes);
    const size_t vectors = gfp_size_mul_sat(count, batch);
    const size_t entries = most_entries + ((size_t)2 << (log2_n + 1) / 2);
    const size_t group =
        each < group_bytes ? gfp_size_min(gfp_size_mul_sat(vectors, each), group_bytes) : each;
    const size_t fixed = count * (2 * entries * word_bytes + sizeof(gfp_gpu_prime));
    return gfp_size_add_sat(group, fixed);
}

gfp_status gfp_cuda_ntt_create(gfp_cuda_ntt_plan **plan, gfp_gpu *gpu,
                               const gfp_cuda_ntt_engine *engine, const gfp_cuda_ntt_shape *shape)
{
    GFP_TRY(check_sizes(gpu, shape));
    gfp_cuda_ntt_plan *made = (gfp_cuda_ntt_plan *)gfp_allocate(&gpu->allocator, 1, sizeof *made);
    if (made == NULL) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    *made = {};
    made->gpu = gpu;
    made->count = shape->count;
    made->n = shape->n;
    made->batch = shape->batch;
    made->log2_n = gfp_ctz64(shape->n);
    made->packed = shape->packed;
    made->engine = engine;
    const gfp_status status = fill_plan(made, shape);
    if (status != GFP_OK) {
        gfp_cuda_ntt_destroy(made);
        return status;
    }
    *plan = made;
    return GFP_OK;
}

void gfp_cuda_ntt_destroy(gfp_cuda_ntt_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    gfp_gpu *gpu = plan->gpu;
    for (int i = 0; i < 2; i++) {
        gfp_gpu_device_release(gpu, plan->tables[i], plan->table_bytes);
    }
    gfp_gpu_device_release(gpu, plan->work, plan->work_bytes);
    gfp_gpu_device_release(gpu, plan->device, plan->count * sizeof *plan->device);
    gfp_release(&gpu->allocator, plan->prime, plan->count, sizeof *plan->prime);
    gfp_release(&gpu->allocator, plan, 1, sizeof *plan);
}
