/* multimodular.cu: the engine of products through as many word-size primes as coefficients over Z
 * need: projection, transforms by gpu/cuda/transform/ntt.cu, recombination straight to base-r
 * digits.
 *
 * A transform's area holds the residues modulo one prime after another, batch N each, of 4 bytes
 * for primes below 2^31, else 8.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>

#include "gpu/cuda/transform/ntt.h"
#include "gpu/cuda/product/multimodular.cuh"
#include "gpu/product_engine.h"

GFP_BEGIN_DECLS
#include "field/base/word.h"
GFP_END_DECLS

namespace
{

struct multimodular {
    unsigned log2_n;
    unsigned bits; /* bits of the primes */
    gfp_cuda_ntt_plan *ntt;
    multi::setting setting;
    uint64_t *image; /* the tables on the device */
    size_t image_words;
};

/* ---- kernels ---- */

/* x := x y / 2^32 or 2^64 modulo the primes, `each` pairs of residues for each prime; `blocks`
 * blocks per prime. */
template <class word, class pair>
static __global__ void __launch_bounds__(item_threads)
    multimodular_multiply(pair *x, const pair *y, const gfp_gpu_prime *primes, size_t each,
                          unsigned blocks)
{
    const unsigned prime = blockIdx.x / blocks;
    const gfp_gpu_modulus modulus = primes[prime].modulus;
    const size_t i = (size_t)(blockIdx.x % blocks) * item_threads + threadIdx.x;
    if (i < each) {
        pair a = x[prime * each + i];
        const pair b = y[prime * each + i];
        if constexpr (sizeof(word) == sizeof(uint32_t)) {
            const ring31 r(modulus);
            a.x = r.mul(a.x, b.x);
            a.y = r.mul(a.y, b.y);
        } else {
            a.x = mont64(a.x, b.x, modulus);
            a.y = mont64(a.y, b.y, modulus);
        }
        x[prime * each + i] = a;
    }
}

/* ---- plans ---- */

/* The bits of the primes: prime_bits if given. Otherwise half words if there are enough primes,
 * else doubles if the device is fast at them, else words. */
static unsigned choose_bits(const gfp_gpu_cyclic *plan)
{
    bool doubles = false;
    if (plan->prime_bits > 31) {
        return plan->prime_bits;
    }
    if (gfp_multi_half_words(plan->field, gfp_ctz64(plan->n), plan->terms)) {
        return 31;
    }
    return gfp_cuda_ntt_fast_doubles(plan->gpu, &doubles) == GFP_OK && doubles ? 50 : 62;
}

static size_t residue_bytes(unsigned bits)
{
    return bits == 31 ? sizeof(uint32_t) : sizeof(uint64_t);
}

/* The words of a transform; saturates. */
static size_t transform_words(const gfp_gpu_cyclic *plan, size_t count, unsigned bits)
{
    const size_t residues = gfp_size_mul_sat(gfp_size_mul_sat(count, plan->batch), plan->n);
    return gfp_size_mul_sat(residues, residue_bytes(bits)) / sizeof(uint64_t);
}

constexpr unsigned max_log2 = 32;

static size_t engine_length(const gfp_gpu *gpu, const gfp_field *field, size_t n, size_t terms,
                            char *why, size_t size)
{
    (void)gpu, (void)field, (void)terms;
    for (unsigned log2_n = 1; log2_n <= max_log2; log2_n++) {
        if (n <= (size_t)1 << log2_n) {
            return (size_t)1 << log2_n;
        }
    }
    (void)snprintf(why, size, "its transforms have at most 2^%u points", max_log2);
    return 0;
}

static size_t engine_bytes(const gfp_gpu_cyclic *plan, size_t *words)
{
    const unsigned bits = choose_bits(plan);
    const size_t count = gfp_multi_most(plan->field, bits, plan->terms);
    *words = transform_words(plan, count, bits);
    const size_t tables = gfp_multi_table_words(gfp_field_k(plan->field), bits, count);
    return gfp_size_add_sat(
        gfp_cuda_ntt_most_bytes(count, plan->batch, gfp_ctz64(plan->n), residue_bytes(bits)),
        tables * sizeof(uint64_t));
}

static void engine_destroy(gfp_gpu_cyclic *plan)
{
    multimodular *m = (multimodular *)plan->state;
    gfp_cuda_ntt_destroy(m->ntt);
    gfp_gpu_device_release(plan->gpu, m->image, m->image_words * sizeof(uint64_t));
    gfp_release(&plan->gpu->allocator, m, 1, sizeof *m);
}

/* Copies the host's tables to the device. */
static gfp_status fill_plan(gfp_gpu_cyclic *plan, multimodular *m, const gfp_multi_primes *primes,
                            const gfp_multi_tables *tables)
{
    const gfp_cuda_ntt_shape shape = {primes->q, tables->scale, primes->count,
                                      plan->n,   plan->batch,   m->bits == 31};
    GFP_TRY(
        gfp_gpu_device_allocate(plan->gpu, (void **)&m->image, tables->words * sizeof(uint64_t)));
    m->image_words = tables->words;
    m->setting = multi::make_setting(plan->field, tables, m->bits, m->image);
    GFP_TRY(
        gfp_gpu_device_fill(plan->gpu, m->image, tables->image, tables->words * sizeof(uint64_t)));
    return gfp_cuda_ntt_create(&m->ntt, plan->gpu, gfp_cuda_ntt_engine_of(m->bits), &shape);
}

static gfp_status engine_create(gfp_gpu_cyclic *plan)
{
    const gfp_allocator *allocator = &plan->gpu->allocator;
    gfp_multi_primes primes;
    gfp_multi_tables tables;
    if (!gfp_multi_choose(&primes, plan->field, choose_bits(plan), gfp_ctz64(plan->n),
                          plan->terms)) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_UNAVAILABLE,
                            "there are too few primes for transforms of %zu points", plan->n);
    }
    multimodular *m = (multimodular *)gfp_allocate(allocator, 1, sizeof *m);
    if (m == NULL || gfp_multi_tables_init(&tables, plan->field, &primes, allocator) != GFP_OK) {
        gfp_release(allocator, m, 1, sizeof *m);
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_MEMORY, "out of memory for %zu primes",
                            primes.count);
    }
    *m = {};
    m->log2_n = primes.log2_n;
    m->bits = primes.bits;
    plan->state = m;
    plan->words = transform_words(plan, primes.count, primes.bits);
    const gfp_status status = fill_plan(plan, m, &primes, &tables);
    gfp_multi_tables_release(&tables, allocator);
    if (status != GFP_OK) {
        engine_destroy(plan);
        plan->state = NULL;
    }
    return status;
}

/* ---- steps ---- */

template <class word, class pair>
static gfp_status run_multiply(const gfp_gpu_cyclic *plan, uint64_t *ta, const uint64_t *tb)
{
    const multimodular *m = (const multimodular *)plan->state;
    const size_t each = (plan->batch << m->log2_n) / 2;
    const unsigned blocks = multi::block_count(each, item_threads);
    GFP_LAUNCH(plan->gpu, (multimodular_multiply<word, pair>), m->setting.count * blocks,
               item_threads, 0, (pair *)ta, (const pair *)tb, m->ntt->device, each, blocks);
    return GFP_OK;
}

static gfp_status engine_transform(gfp_gpu_cyclic *plan, uint64_t *t, const uint64_t *x, size_t len,
                                   size_t stride, bool kept)
{
    (void)kept;
    const multimodular *m = (const multimodular *)plan->state;
    gfp_cuda_ntt_plan *ntt = m->ntt;
    const multi::row_span rows = {plan->batch, len, stride, 0, m->log2_n};
    GFP_TRY(ntt->packed ? multi::run_project<uint32_t>(plan->gpu, m->setting, t, x, rows)
                        : multi::run_project<uint64_t>(plan->gpu, m->setting, t, x, rows));
    return ntt->engine->run(ntt, t, t, GFP_ORDER_PERMUTED, false);
}

static gfp_status engine_multiply(gfp_gpu_cyclic *plan, uint64_t *c, size_t first, size_t n,
                                  size_t stride, uint64_t *ta, uint64_t *tb, bool tb_kept)
{
    (void)tb_kept;
    const multimodular *m = (const multimodular *)plan->state;
    gfp_cuda_ntt_plan *ntt = m->ntt;
    const multi::row_span rows = {plan->batch, n, stride, first, m->log2_n};
    if (ntt->packed) {
        GFP_TRY((run_multiply<uint32_t, uint2>(plan, ta, tb)));
    } else {
        GFP_TRY((run_multiply<uint64_t, ulonglong2>(plan, ta, tb)));
    }
    GFP_TRY(ntt->engine->run(ntt, ta, ta, GFP_ORDER_PERMUTED, true));
    return ntt->packed ? multi::run_recombine<uint32_t>(plan->gpu, m->setting, c, ta, rows)
                       : multi::run_recombine<uint64_t>(plan->gpu, m->setting, c, ta, rows);
}

} // namespace

const gfp_gpu_product_engine gfp_gpu_product_multimodular = {
    GFP_GPU_METHOD_MULTIMODULAR,
    engine_length,
    engine_bytes,
    engine_create,
    engine_destroy,
    nullptr,
    engine_transform,
    engine_multiply,
    nullptr,
    nullptr,
    nullptr,
};
