/* rival.cu: the papers' rival on the device: projection to half-word primes, transforms modulo each
 * prime, recombination by the Chinese remainder theorem. Primes and tables are those of
 * papers/rival/half.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu/cuda/transform/ntt.h"
#include "papers/gpu/backend.h"

GFP_BEGIN_DECLS
#include "papers/rival/half.h"
#include "field/base/word.h"
GFP_END_DECLS

namespace
{

/* The matrices of half words. Rows are in groups of four, so that a group has an entry of 16 bytes
 * per term. */
struct half_tables {
    const uint4 *split; /* s rows, parts k terms */
    const uint4 *merge; /* 1 + columns rows, s terms */
    const uint64_t *complement;
    unsigned parts, part_bits;
    unsigned columns, column_bits;
};

} // namespace

typedef struct rival_plan : gfp_gpu_rival_plan {
    gfp_gpu_ntt_plan *ntt;
    /* One block on the device: the tables that a device reads, and the work space of step 3, s + 1
     * rows of n half words. */
    uint64_t *block;
    size_t block_words;
    half_tables half;
    const gfp_rival_prime *prime;
    const uint64_t *modulus;
    uint32_t *work;
} rival_plan;

namespace
{

constexpr unsigned lanes = 32;
constexpr unsigned threads = 128;
/* tile_size: the digits or words that a warp exchanges through shared memory. */
constexpr unsigned tile_size = 4;

/* ---- words between memory and threads ---- */

/* tile_size words of a thread's element. The words of a warp go through shared memory, so that the
 * warp reads and writes whole lines. */
typedef uint64_t stage_row[tile_size + 1];

/* The warp's rows := words i, i + 1, ... of its elements of k words each; 0 beyond the ends. */
static __device__ __forceinline__ void stage_digits(stage_row *stage, const uint64_t *x, unsigned i,
                                                    unsigned k, size_t n)
{
    const unsigned lane = threadIdx.x % lanes;
    const unsigned start = threadIdx.x - lane;
    __syncwarp();
    for (unsigned step = 0; step < tile_size; step++) {
        const unsigned e = start + (step * lanes + lane) / tile_size;
        const unsigned word = i + lane % tile_size;
        const size_t from = (size_t)blockIdx.x * threads + e;
        stage[e][lane % tile_size] = from < n && word < k ? x[from * k + word] : 0;
    }
    __syncwarp();
}

/* Stores words i, i + 1, ... below both k and end. */
static __device__ __forceinline__ void store_staged(uint64_t *z, const stage_row *stage, unsigned i,
                                                    unsigned k, unsigned end, size_t n)
{
    const unsigned lane = threadIdx.x % lanes;
    const unsigned start = threadIdx.x - lane;
    __syncwarp();
    for (unsigned step = 0; step < tile_size; step++) {
        const unsigned e = start + (step * lanes + lane) / tile_size;
        const unsigned word = i + lane % tile_size;
        const size_t to = (size_t)blockIdx.x * threads + e;
        if (to < n && word < k && word < end) {
            z[to * k + word] = stage[e][lane % tile_size];
        }
    }
    __syncwarp();
}

/* ---- step 1 ---- */

/* A thread has one element and the primes of row_groups groups of rows. */
constexpr unsigned row_groups = 4;

/* sums[4 g + i] += v times entry i of group first + g. Beyond the last group, the last group is
 * repeated. */
static GFP_HD void add_rows(uint64_t *sums, const uint4 *matrix, unsigned first, unsigned groups,
                            size_t terms, size_t term, uint32_t v)
{
    GFP_UNROLLED
    for (unsigned g = 0; g < row_groups; g++) {
        const unsigned group = first + g < groups ? first + g : groups - 1;
        const uint4 entry = matrix[group * terms + term];
        sums[4 * g] += (uint64_t)v * entry.x;
        sums[4 * g + 1] += (uint64_t)v * entry.y;
        sums[4 * g + 2] += (uint64_t)v * entry.z;
        sums[4 * g + 3] += (uint64_t)v * entry.w;
    }
}

/* residues[i n + j] := element j modulo prime i: a row of the matrix times the parts of the digits,
 * with a sum below 2^63. The digits come through shared memory, so that a warp reads whole lines.
 */
static __global__ void rival_project(uint64_t *residues, const uint64_t *x,
                                     const gfp_rival_prime *prime, const half_tables tables,
                                     unsigned k, unsigned count, size_t n)
{
    __shared__ stage_row stage[threads];
    const size_t element = (size_t)blockIdx.x * threads + threadIdx.x;
    const unsigned first = blockIdx.y * row_groups;
    const uint64_t mask = ((uint64_t)1 << tables.part_bits) - 1;
    uint64_t sums[4 * row_groups] = {};
    for (unsigned i = 0; i < k; i += tile_size) {
        stage_digits(stage, x, i, k, n);
        for (unsigned digit = 0; digit < tile_size && i + digit < k; digit++) {
            uint64_t rest = stage[threadIdx.x][digit];
            for (unsigned part = 0; part < tables.parts; part++) {
                add_rows(sums, tables.split, first, (count + 3) / 4, (size_t)tables.parts * k,
                         (i + digit) * tables.parts + part, (uint32_t)(rest & mask));
                rest >>= tables.part_bits;
            }
        }
    }
    GFP_UNROLLED
    for (unsigned p = 0; p < 4 * row_groups; p++) {
        if (4 * first + p < count && element < n) {
            const uint32_t q = (uint32_t)prime[4 * first + p].q;
            const uint32_t inverse = (uint32_t)prime[4 * first + p].negative_inverse;
            /* Two divisions by 2^32: the result is below 2^32 after the first, and at most q after
             * the second. */
            uint64_t t = sums[p];
            t = (t + (uint64_t)((uint32_t)t * inverse) * q) >> 32;
            t = (t + (uint64_t)((uint32_t)t * inverse) * q) >> 32;
            residues[(4 * first + p) * n + element] = t >= q ? t - q : t;
        }
    }
}

/* ---- step 3 ---- */

/* work[i n + j] := y_i = x_i (Q/q_i)^(-1) mod q_i for the residues x_i of element j; and work[s n +
 * j] := t = floor(sum y_i/q_i), or one less. The integer of element j is sum y_i Q/q_i - t Q. */
static __global__ void rival_weigh(uint32_t *work, const uint64_t *residues,
                                   const gfp_rival_prime *prime, size_t count, size_t n)
{
    GFP_FOR_ITEMS(j, n)
    {
        uint64_t fractions = 0;
        for (size_t i = 0; i < count; i++) {
            const gfp_rival_prime p = prime[i];
            const uint64_t x = residues[i * n + j];
            uint64_t y = x * p.inverse - high64(x, p.companion) * p.q;
            y = y >= p.q ? y - p.q : y;
            work[i * n + j] = (uint32_t)y;
            /* Bits shift, shift + 1, ... of the product; shift < 128. */
            const uint64_t low = y * p.reciprocal;
            const uint64_t high = high64(y, p.reciprocal);
            fractions +=
                p.shift < 64 ? high << (64 - p.shift) | low >> p.shift : high >> (p.shift - 64);
        }
        work[count * n + j] = (uint32_t)(fractions >> GFP_RIVAL_FRACTION_BITS);
    }
}

/* z := z modulo Q, for z < 2Q of words + 1 words, with the highest word in top. Rarely needed. */
static GFP_HD void reduce_once(uint64_t *z, uint64_t top, const uint64_t *modulus, unsigned words)
{
    unsigned i = words;
    while (top == 0 && i > 0 && z[i - 1] == modulus[i - 1]) {
        i--;
    }
    if (top == 0 && i > 0 && z[i - 1] < modulus[i - 1]) {
        return;
    }
    uint64_t borrow = 0;
    for (i = 0; i < words; i++) {
        const uint64_t less = z[i] - modulus[i];
        const uint64_t next = (z[i] < modulus[i]) + (less < borrow);
        z[i] = less - borrow;
        borrow = next;
    }
}

/* Collects the words of an integer from its columns, the lowest first. The threads of a warp store
 * their words together, four at a time. */
struct word_stream {
    uint64_t *z;
    stage_row *stage;
    size_t n; /* elements */
    unsigned words, count;
    uint64_t bits;
    unsigned filled;
    uint64_t highest, top;

    __device__ __forceinline__ void flush()
    {
        store_staged(z, stage, (count - 1) / tile_size * tile_size, words, count, n);
    }
    __device__ __forceinline__ void emit()
    {
        stage[threadIdx.x][count % tile_size] = bits;
        highest = count + 1 == words ? bits : highest;
        top = count == words ? bits : top;
        count++;
        if (count % tile_size == 0) {
            flush();
        }
    }
    /* Appends width <= 32 bits. */
    __device__ __forceinline__ void append(uint64_t digit, unsigned width)
    {
        bits |= digit << filled;
        filled += width;
        if (filled >= 64) {
            filled -= 64;
            emit();
            bits = digit >> (width - filled);
        }
    }
};

/* z_j := the integer of element j. A thread has one element. Columns have so few bits that sums
 * stay below 2^64, including t times the complement of Q and the carry (papers/rival/half.c). */
static __global__ void rival_recombine(uint64_t *z, const uint32_t *work, const half_tables tables,
                                       const uint64_t *modulus, unsigned count, unsigned words,
                                       size_t n)
{
    __shared__ stage_row stage[threads];
    const size_t element = (size_t)blockIdx.x * threads + threadIdx.x;
    const size_t column = element < n ? element : n - 1;
    const unsigned groups = (1 + tables.columns + 3) / 4;
    const uint64_t mask = ((uint64_t)1 << tables.column_bits) - 1;
    const uint64_t t = work[count * n + column];
    word_stream out = {z, stage, n, words, 0, 0, 0, 0, 0};
    uint64_t carry = 0;
    for (unsigned first = 0; first < groups; first += row_groups) {
        uint64_t sums[4 * row_groups] = {};
        for (unsigned i = 0; i < count; i++) {
            add_rows(sums, tables.merge, first, groups, count, i, work[i * n + column]);
        }
        GFP_UNROLLED
        for (unsigned j = 0; j < 4 * row_groups; j++) {
            const unsigned row = 4 * first + j; /* row 0 holds the fractions */
            if (row > 0 && row <= tables.columns) {
                carry += sums[j] + t * tables.complement[row - 1];
                out.append(carry & mask, tables.column_bits);
                carry >>= tables.column_bits;
            }
        }
    }
    if (out.filled > 0) {
        out.emit();
    }
    if (out.count % tile_size != 0) {
        out.flush();
    }
    __threadfence_block();
    __syncwarp();
    if (element < n && (out.top != 0 || out.highest >= modulus[words - 1])) {
        reduce_once(z + element * words, out.top, modulus, words);
    }
}

/* ---- plans ---- */

/* Copies the tables to the device, and finds their places there. */
static gfp_status copy_tables(rival_plan *plan, const gfp_half_rival *rival)
{
    const size_t work = ((plan->count + 1) * plan->elements + 1) / 2;
    plan->block_words = rival->device_words + work;
    GFP_TRY(gfp_gpu_device_allocate(plan->gpu, (void **)&plan->block,
                                    plan->block_words * sizeof *plan->block));
    plan->half = {(const uint4 *)plan->block,
                  (const uint4 *)(plan->block + ((uint64_t *)rival->merge - rival->block)),
                  plan->block + (rival->complement - rival->block),
                  rival->parts,
                  rival->part_bits,
                  (unsigned)rival->columns,
                  rival->column_bits};
    plan->prime =
        (const gfp_rival_prime *)(plan->block + ((uint64_t *)rival->prime - rival->block));
    plan->modulus = plan->block + (rival->modulus - rival->block);
    plan->work = (uint32_t *)(plan->block + rival->device_words);
    return gfp_gpu_device_fill(plan->gpu, plan->block, rival->block,
                               rival->device_words * sizeof *plan->block);
}

/* Makes the transforms modulo the primes of the tables. */
static gfp_status make_transforms(rival_plan *plan, const gfp_half_rival *rival, gfp_ntt_form form)
{
    uint64_t primes[GFP_RIVAL_MAX_PRIMES];
    gfp_gpu_ntt_options options = {};
    options.form = form;
    options.batch = plan->batch;
    for (size_t i = 0; i < plan->count; i++) {
        primes[i] = rival->prime[i].q;
    }
    return gfp_papers_cuda_ntt.create(&plan->ntt, plan->gpu, primes, plan->count, plan->n,
                                      &options);
}

static void rival_destroy(gfp_gpu_rival_plan *base)
{
    rival_plan *plan = (rival_plan *)base;
    gfp_gpu *gpu = plan->gpu;
    if (plan->ntt != NULL) {
        gfp_papers_cuda_ntt.destroy(plan->ntt);
    }
    gfp_gpu_device_release(gpu, plan->block, plan->block_words * sizeof(uint64_t));
    gfp_release(&gpu->allocator, plan, 1, sizeof *plan);
}

/* Checks the sizes of a plan's arrays. */
static gfp_status check_sizes(rival_plan *plan)
{
    gfp_gpu *gpu = plan->gpu;
    size_t bytes;
    if (plan->n == 0 || (plan->n & (plan->n - 1)) != 0) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "transform length %zu is not a power of two",
                            plan->n);
    }
    if (!gfp_size_mul(&plan->elements, plan->n, plan->batch) ||
        !gfp_size_mul(&bytes, plan->elements, 4 * plan->k * sizeof(uint64_t)) ||
        plan->elements > SIZE_MAX / 8 / (GFP_RIVAL_MAX_PRIMES + 1)) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "%zu vectors of %zu elements are too many",
                            plan->batch, plan->n);
    }
    return GFP_OK;
}

/* Errors are recorded in the context. */
static gfp_status rival_create(gfp_gpu_rival_plan **plan, gfp_gpu *gpu, const gfp_field *field,
                               size_t n, const gfp_gpu_rival_options *options)
{
    gfp_half_rival rival;
    rival_plan made = {};
    made.gpu = gpu;
    made.field = field;
    made.k = gfp_field_k(field);
    made.n = n;
    made.batch = options->batch == 0 ? 1 : options->batch;
    GFP_TRY(check_sizes(&made));
    GFP_TRY(gfp_half_rival_init(&rival, field, gfp_ctz64(n), &gpu->error));
    made.count = rival.count;
    made.words = rival.words;
    rival_plan *p = (rival_plan *)gfp_allocate(&gpu->allocator, 1, sizeof *p);
    if (p == NULL) {
        gfp_half_rival_clear(&rival);
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    *p = made;
    gfp_status status = make_transforms(p, &rival, options->form);
    if (status == GFP_OK) {
        status = copy_tables(p, &rival);
    }
    gfp_half_rival_clear(&rival);
    if (status != GFP_OK) {
        rival_destroy(p);
        return status;
    }
    *plan = p;
    return GFP_OK;
}

/* ---- steps ---- */

static gfp_status run_project(rival_plan *plan, uint64_t *residues, const uint64_t *x)
{
    const size_t each = 4 * row_groups; /* primes per thread */
    const dim3 blocks((unsigned)((plan->elements + threads - 1) / threads),
                      (unsigned)((plan->count + each - 1) / each));
    GFP_LAUNCH(plan->gpu, rival_project, blocks, threads, 0, residues, x, plan->prime, plan->half,
               plan->k, (unsigned)plan->count, plan->elements);
    return GFP_OK;
}

static gfp_status run_recombine(rival_plan *plan, uint64_t *z, const uint64_t *residues)
{
    const unsigned blocks = (unsigned)((plan->elements + threads - 1) / threads);
    GFP_LAUNCH(plan->gpu, rival_weigh, item_blocks(plan->elements), item_threads, 0, plan->work,
               residues, plan->prime, plan->count, plan->elements);
    GFP_LAUNCH(plan->gpu, rival_recombine, blocks, threads, 0, z, plan->work, plan->half,
               plan->modulus, (unsigned)plan->count, (unsigned)plan->words, plan->elements);
    return GFP_OK;
}

/* ---- the table ---- */

static gfp_status recombine_step(gfp_gpu_rival_plan *base, uint64_t *z, const uint64_t *residues)
{
    return run_recombine((rival_plan *)base, z, residues);
}

static gfp_status rival_forward(gfp_gpu_rival_plan *base, uint64_t *z, uint64_t *y,
                                const uint64_t *x)
{
    rival_plan *plan = (rival_plan *)base;
    GFP_TRY(run_project(plan, y, x));
    GFP_TRY(gfp_papers_cuda_ntt.run(plan->ntt, y, y, false));
    return z != NULL ? run_recombine(plan, z, y) : GFP_OK;
}

} // namespace

const gfp_papers_rival_calls gfp_papers_cuda_rival = {
    rival_create,
    rival_destroy,
    recombine_step,
    rival_forward,
};
