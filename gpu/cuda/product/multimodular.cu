/* multimodular.cu: the engine of products through as many word-size primes as coefficients over Z
 * need: projection, transforms by gpu/cuda/transform/ntt.cu, recombination straight to base-r
 * digits.
 *
 * A transform's area holds the residues modulo one prime after another, batch N each, of 4 bytes
 * for primes below 2^31, else 8.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>

#include "gpu/cuda/transform/ntt.h"
#include "gpu/cuda/product/multimodular_arith.h"
#include "gpu/cuda/impl.h"
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

constexpr unsigned threads = 128;

/* ---- kernels ---- */

/* Elements per thread in project. */
constexpr unsigned elements = 2;

/* The residues of `items` elements, 2^log2_n for each product of a batch: len elements and then
 * zeros. Consecutive blocks take the groups of primes in turn. */
template <class word>
static __global__ void __launch_bounds__(threads)
    multimodular_project(word *residues, const uint64_t *x,
                         const __grid_constant__ multi::setting s, unsigned log2_n, size_t len,
                         size_t stride, size_t items, unsigned groups)
{
    constexpr unsigned PRIMES = GFP_MULTI_SPLIT_ROWS * sizeof(uint32_t) / sizeof(word);
    const unsigned group = blockIdx.x % groups;
    const size_t first = (size_t)(blockIdx.x / groups) * (threads * elements) + threadIdx.x;
    const size_t mask = ((size_t)1 << log2_n) - 1;
    const uint64_t *from[elements];
    bool has[elements];
    bool any = false;
    GFP_UNROLLED
    for (unsigned e = 0; e < elements; e++) {
        const size_t item = first + e * threads;
        has[e] = item < items && (item & mask) < len;
        from[e] = x + (has[e] ? (item >> log2_n) * stride + (item & mask) : 0) * s.k;
        any = any || has[e];
    }
    word z[elements][PRIMES] = {};
    if (any) {
        multi::project<word, elements>(z, from, s, group);
    }
    GFP_UNROLLED
    for (unsigned e = 0; e < elements; e++) {
        const size_t item = first + e * threads;
        GFP_UNROLLED
        for (unsigned i = 0; i < PRIMES; i++) {
            if (group * PRIMES + i < s.count && item < items) {
                residues[(group * PRIMES + i) * items + item] = has[e] ? z[e][i] : 0;
            }
        }
    }
}

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

/* recombine: the warps of a block, which is also the most that share elements, and other constants.
 * A warp computes up to 8 digits of 32 elements at once. */
constexpr unsigned lanes = 32;
constexpr unsigned warps = threads / lanes;
constexpr unsigned padded = lanes + 1; /* neither elements nor digits collide in a bank */

/* Blocks that share the registers of a multiprocessor, for `digits` digits per thread. */
static constexpr unsigned multimodular_resident(unsigned digits)
{
    return digits == 8 ? 4 : digits == 4 ? 6 : 8;
}

/* n elements of each product, from coefficient `first` on; `blocks` blocks per product.
 * Neighbouring warps take the groups of digits of the same elements and read the same residues.
 * Quotients by r are carried after all groups are done. */
template <class word, unsigned DIGITS>
static __global__ void __launch_bounds__(threads, multimodular_resident(DIGITS))
    multimodular_recombine(uint64_t *c, const word *y, const __grid_constant__ multi::setting s,
                           unsigned log2_n, size_t first, size_t n, size_t stride, size_t items,
                           unsigned blocks)
{
    __shared__ uint64_t digits[warps * DIGITS * padded], quotients[warps * DIGITS * padded];
    const unsigned groups = s.k / DIGITS;
    const unsigned together = groups < warps ? groups : warps;
    const unsigned lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
    const unsigned member = warp % together;
    const size_t product = blockIdx.x / blocks;
    const size_t start =
        ((size_t)(blockIdx.x % blocks) * (warps / together) + warp / together) * lanes;
    /* Lanes beyond the end repeat the last element; their results are not stored. */
    const size_t i = start + lane < n ? start + lane : n - 1;
    const word *from = y + (product << log2_n) + ((first + i) & (((size_t)1 << log2_n) - 1));
    uint64_t *to = c + (product * stride + start) * s.k;
    const unsigned tile = warp / together * together * DIGITS * padded;
    const unsigned wide = together * DIGITS; /* digits at once, a power of two */
    const unsigned wide_log = 31 - __clz((int)wide);
    uint64_t carry = 0, lowest = 0;
    uint32_t t = 0;
    for (unsigned done = 0; done < groups; done += together) {
        multi::sum96 sums[1][2 * DIGITS] = {};
        multi::merge<word, DIGITS>(sums, from, items, s, done + member, done == 0, &t);
        GFP_UNROLLED
        for (unsigned j = 0; j < DIGITS; j++) {
            const unsigned place = tile + (member * DIGITS + j) * padded + lane;
            uint64_t digit;
            quotients[place] = multi::divide_columns(s.field, sums[0] + 2 * j, 0, &digit);
            digits[place] = digit;
        }
        __syncthreads();
        if (member == 0) {
            for (unsigned j = 0; j < wide; j++) {
                const unsigned place = tile + j * padded + lane;
                digits[place] = multi::add_carry(digits[place], s.field.r, &carry);
                carry += quotients[place];
            }
            lowest = done == 0 ? digits[tile + lane] : lowest;
        }
        __syncthreads();
        for (unsigned j = member * lanes + lane; j < lanes * wide; j += together * lanes) {
            const unsigned element = j >> wide_log, digit = j & (wide - 1);
            if (start + element < n) {
                to[(size_t)element * s.k + done * DIGITS + digit] =
                    digits[tile + digit * padded + element];
            }
        }
        __syncthreads();
    }
    if (member == 0 && start + lane < n) {
        multi::finish(to + (size_t)lane * s.k, s.field.r, s.k, lowest, carry);
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

static unsigned blocks_of(size_t items, size_t each)
{
    return (unsigned)((items + each - 1) / each);
}

template <class word>
static gfp_status run_project(const gfp_gpu_cyclic *plan, void *t, const uint64_t *x, size_t len,
                              size_t stride)
{
    const multimodular *m = (const multimodular *)plan->state;
    const size_t items = plan->batch << m->log2_n;
    const unsigned groups = blocks_of(m->setting.rows, GFP_MULTI_SPLIT_ROWS);
    GFP_LAUNCH(plan->gpu, multimodular_project<word>, groups * blocks_of(items, threads * elements),
               threads, 0, (word *)t, x, m->setting, m->log2_n, len, stride, items, groups);
    return GFP_OK;
}

template <class word, class pair>
static gfp_status run_multiply(const gfp_gpu_cyclic *plan, uint64_t *ta, const uint64_t *tb)
{
    const multimodular *m = (const multimodular *)plan->state;
    const size_t each = (plan->batch << m->log2_n) / 2;
    const unsigned blocks = blocks_of(each, item_threads);
    GFP_LAUNCH(plan->gpu, (multimodular_multiply<word, pair>), m->setting.count * blocks,
               item_threads, 0, (pair *)ta, (const pair *)tb, m->ntt->device, each, blocks);
    return GFP_OK;
}

template <class word>
static gfp_status run_recombine(const gfp_gpu_cyclic *plan, uint64_t *c, const void *t,
                                size_t first, size_t n, size_t stride)
{
    const multimodular *m = (const multimodular *)plan->state;
    const unsigned groups = m->setting.k / gfp_multi_digits(m->setting.k);
    const unsigned blocks = blocks_of(n, threads / (groups < warps ? groups : warps));
    const unsigned all = blocks * (unsigned)plan->batch;
    const size_t items = plan->batch << m->log2_n;
    const word *y = (const word *)t;
    switch (gfp_multi_digits(m->setting.k)) {
    case 2:
        GFP_LAUNCH(plan->gpu, (multimodular_recombine<word, 2>), all, threads, 0, c, y, m->setting,
                   m->log2_n, first, n, stride, items, blocks);
        return GFP_OK;
    case 4:
        GFP_LAUNCH(plan->gpu, (multimodular_recombine<word, 4>), all, threads, 0, c, y, m->setting,
                   m->log2_n, first, n, stride, items, blocks);
        return GFP_OK;
    default:
        GFP_LAUNCH(plan->gpu, (multimodular_recombine<word, 8>), all, threads, 0, c, y, m->setting,
                   m->log2_n, first, n, stride, items, blocks);
        return GFP_OK;
    }
}

static gfp_status engine_transform(gfp_gpu_cyclic *plan, uint64_t *t, const uint64_t *x, size_t len,
                                   size_t stride, bool kept)
{
    (void)kept;
    gfp_cuda_ntt_plan *ntt = ((multimodular *)plan->state)->ntt;
    if (ntt->packed) {
        GFP_TRY(run_project<uint32_t>(plan, t, x, len, stride));
    } else {
        GFP_TRY(run_project<uint64_t>(plan, t, x, len, stride));
    }
    return ntt->engine->run(ntt, t, t, GFP_ORDER_PERMUTED, false);
}

static gfp_status engine_multiply(gfp_gpu_cyclic *plan, uint64_t *c, size_t first, size_t n,
                                  size_t stride, uint64_t *ta, uint64_t *tb, bool tb_kept)
{
    (void)tb_kept;
    gfp_cuda_ntt_plan *ntt = ((multimodular *)plan->state)->ntt;
    if (ntt->packed) {
        GFP_TRY((run_multiply<uint32_t, uint2>(plan, ta, tb)));
    } else {
        GFP_TRY((run_multiply<uint64_t, ulonglong2>(plan, ta, tb)));
    }
    GFP_TRY(ntt->engine->run(ntt, ta, ta, GFP_ORDER_PERMUTED, true));
    return ntt->packed ? run_recombine<uint32_t>(plan, c, ta, first, n, stride)
                       : run_recombine<uint64_t>(plan, c, ta, first, n, stride);
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
