/* rival.cu: the papers' rival on the device (gfpoly/rival.h): projection to word-size primes,
 * transforms modulo each, recombination by the Chinese remainder theorem. Primes and tables are the
 * CPU's. SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu_ntt.h"

GFP_BEGIN_DECLS
#include "rival_impl.h"
#include "word.h"
GFP_END_DECLS

struct gfp_gpu_rival_plan {
    gfp_gpu *gpu;
    const gfp_field *field;
    unsigned k;
    size_t n;
    gfp_crt_rival_primes kind;
    size_t count; /* s */
    size_t words; /* of Q */
    gfp_gpu_ntt_plan *ntt;
    /* On the device, one block: the primes, r^i 2^128 mod q_j at j k + i, then by rows of words + 1
     * words Q/q_j, 2^(64 (words + 1)) - Q and Q; and the work of step 3, s + 1 rows of n words. */
    uint64_t *block;
    size_t block_words;
    const gfp_rival_prime *prime;
    const uint64_t *powers, *cofactors;
    uint64_t *work;
    gfp_gpu_clock clock;
};

namespace
{

enum { STEP_PROJECT, STEP_TRANSFORM, STEP_RECOMBINE, STEPS };

constexpr unsigned lanes = 32;
constexpr unsigned threads = 128;
/* Primes, or words of the result, of which a thread sums at once; digits or words that a warp
 * exchanges through shared memory. */
constexpr unsigned tile_size = 4;

/* ---- sums of products ---- */

/* A sum of at most 2^9 products x w of words; half: w < 2^32. */
struct sum {
    uint64_t low, high, top;

    template <bool half> GFP_HD void add(uint64_t x, uint64_t w)
    {
        uint64_t product_low = x * w;
        uint64_t product_high =
            half ? ((x >> 32) * w + ((uint64_t)(uint32_t)x * w >> 32)) >> 32 : high64(x, w);
        low += product_low;
        product_high += low < product_low; /* at most 2^64 - 2 before */
        high += product_high;
        top += high < product_high;
    }
    /* The sum divided by 2^64. */
    GFP_HD void shift()
    {
        low = high;
        high = top;
        top = 0;
    }
};

/* The sum divided by 2^128 modulo q, in [0, q), of at most 2^8 products with constants below q. The
 * first reduction leaves less than 2^71, the second less than 2^7 + q + 1: as the CPU's. */
static GFP_HD uint64_t reduce(const sum &s, uint64_t q, uint64_t negative_inverse)
{
    const uint64_t f = s.low * negative_inverse;
    const uint64_t carry = s.low != 0;
    const uint64_t added = high64(f, q);
    const uint64_t t = s.high + added;
    const uint64_t low = t + carry;
    const uint64_t high = s.top + (t < added) + (low < carry);
    const uint64_t g = low * negative_inverse;
    const uint64_t y = high + high64(g, q) + (low != 0);
    return y >= q ? y - q : y;
}

/* ---- step 1 ---- */

/* residues[i n + j] := element j modulo prime i. A thread has one element and some primes; the
 * digits come to it through shared memory, so that a warp reads whole lines. */
template <bool half>
static __global__ void project(uint64_t *residues, const uint64_t *x, const gfp_rival_prime *prime,
                               const uint64_t *powers, unsigned k, size_t count, size_t n)
{
    __shared__ uint64_t stage[threads][tile_size + 1];
    const unsigned lane = threadIdx.x % lanes;
    const unsigned start = threadIdx.x - lane;
    const size_t element = (size_t)blockIdx.x * threads + threadIdx.x;
    const size_t first = blockIdx.y * tile_size;
    sum sums[tile_size] = {};
    for (unsigned i = 0; i < k; i += tile_size) {
        __syncwarp();
        for (unsigned step = 0; step < tile_size; step++) {
            const unsigned e = (step * lanes + lane) / tile_size;
            const unsigned digit = lane % tile_size;
            const size_t from = (size_t)blockIdx.x * threads + start + e;
            stage[start + e][digit] = from < n && i + digit < k ? x[from * k + i + digit] : 0;
        }
        __syncwarp();
        for (unsigned digit = 0; digit < tile_size && i + digit < k; digit++) {
            GFP_UNROLLED
            for (unsigned p = 0; p < tile_size; p++) {
                if (first + p < count) {
                    sums[p].add<half>(stage[threadIdx.x][digit],
                                      powers[(first + p) * k + i + digit]);
                }
            }
        }
    }
    GFP_UNROLLED
    for (unsigned p = 0; p < tile_size; p++) {
        if (first + p < count && element < n) {
            residues[(first + p) * n + element] =
                reduce(sums[p], prime[first + p].q, prime[first + p].negative_inverse);
        }
    }
}

/* ---- step 3 ---- */

} // namespace

/* Outside the namespace, in which nvcc would give a kernel that is no template external linkage.
 * work[i n + j] := y_i = x_i (Q/q_i)^(-1) mod q_i for the residues x_i of element j, and
 * work[s n + j] := t = floor(sum y_i/q_i), or one less: its integer is sum y_i Q/q_i - t Q. */
static __global__ void weigh(uint64_t *work, const uint64_t *residues, const gfp_rival_prime *prime,
                             size_t count, size_t n)
{
    GFP_FOR_ITEMS(j, n)
    {
        uint64_t fractions = 0;
        for (size_t i = 0; i < count; i++) {
            const gfp_rival_prime p = prime[i];
            const uint64_t x = residues[i * n + j];
            uint64_t y = x * p.inverse - high64(x, p.companion) * p.q;
            y = y >= p.q ? y - p.q : y;
            work[i * n + j] = y;
            /* Bits shift, shift + 1, ... of the product; shift < 128. */
            const uint64_t low = y * p.reciprocal;
            const uint64_t high = high64(y, p.reciprocal);
            fractions +=
                p.shift < 64 ? high << (64 - p.shift) | low >> p.shift : high >> (p.shift - 64);
        }
        work[count * n + j] = fractions >> GFP_RIVAL_FRACTION_BITS;
    }
}

namespace
{

/* z := z modulo Q, z < 2Q of words + 1 words, the highest in top. Rare. */
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

/* z_j := sum over i <= s of work[i n + j] times row i of the cofactors, reduced modulo Q. A thread
 * has one element; words leave through shared memory. */
template <bool half>
static __global__ void recombine(uint64_t *z, const uint64_t *work, const uint64_t *cofactors,
                                 size_t count, unsigned words, size_t n)
{
    __shared__ uint64_t stage[threads][tile_size + 1];
    const unsigned lane = threadIdx.x % lanes;
    const unsigned start = threadIdx.x - lane;
    const size_t element = (size_t)blockIdx.x * threads + threadIdx.x;
    const size_t column = element < n ? element : n - 1;
    const uint64_t *modulus = cofactors + (count + 1) * (words + 1);
    uint64_t top = 0;
    uint64_t highest = 0; /* of the words of z */
    sum carry = {};
    for (unsigned c = 0; c <= words; c += tile_size) {
        sum sums[tile_size] = {};
        for (size_t i = 0; i <= count; i++) {
            const uint64_t y = work[i * n + column];
            GFP_UNROLLED
            for (unsigned w = 0; w < tile_size; w++) {
                if (c + w <= words) {
                    sums[w].add<half>(cofactors[i * (words + 1) + c + w], y);
                }
            }
        }
        __syncwarp();
        GFP_UNROLLED
        for (unsigned w = 0; w < tile_size; w++) {
            /* What is carried is below 2^75: it has two words. */
            carry.low += sums[w].low;
            const uint64_t over = carry.low < sums[w].low;
            carry.high += over;
            carry.top += carry.high < over;
            carry.high += sums[w].high;
            carry.top += (carry.high < sums[w].high) + sums[w].top;
            stage[threadIdx.x][w] = carry.low;
            highest = c + w + 1 == words ? carry.low : highest;
            top = c + w == words ? carry.low : top;
            carry.shift();
        }
        __syncwarp();
        for (unsigned step = 0; step < tile_size; step++) {
            const unsigned e = (step * lanes + lane) / tile_size;
            const unsigned w = lane % tile_size;
            const size_t to = (size_t)blockIdx.x * threads + start + e;
            if (to < n && c + w < words) {
                z[to * words + c + w] = stage[start + e][w];
            }
        }
    }
    __threadfence_block();
    __syncwarp();
    if (element < n && (top != 0 || highest >= modulus[words - 1])) {
        reduce_once(z + element * words, top, modulus, words);
    }
}

/* ---- plans ---- */

/* Words of the tables, and where each begins. */
static size_t prime_words(size_t count)
{
    static_assert(sizeof(gfp_rival_prime) % sizeof(uint64_t) == 0, "whole words");
    return count * (sizeof(gfp_rival_prime) / sizeof(uint64_t));
}

/* From the CPU's tables, which have rows of `words` words. */
static void copy_tables(const gfp_gpu_rival_plan *plan, const gfp_crt_rival_plan *tables,
                        uint64_t *to)
{
    const size_t words = plan->words;
    const size_t row = words + 1;
    uint64_t *cofactors = to + prime_words(plan->count) + plan->count * plan->k;
    memcpy(to, tables->prime, prime_words(plan->count) * sizeof *to);
    memcpy(to + prime_words(plan->count), tables->powers, plan->count * plan->k * sizeof *to);
    for (size_t i = 0; i < plan->count; i++) {
        memcpy(cofactors + i * row, tables->cofactors + i * words, words * sizeof *to);
        cofactors[i * row + words] = 0;
    }
    uint64_t *complement = cofactors + plan->count * row;
    uint64_t *modulus = complement + row;
    memcpy(modulus, tables->modulus, words * sizeof *to);
    modulus[words] = 0;
    /* Q is odd: one more than the complement of its bits does not carry. */
    for (size_t i = 0; i < row; i++) {
        complement[i] = ~modulus[i];
    }
    complement[0]++;
}

/* Tables and work space, for the primes in tables->prime. */
static gfp_status fill_tables(gfp_gpu_rival_plan *plan, gfp_crt_rival_plan *tables)
{
    const gfp_allocator *allocator = &plan->gpu->allocator;
    gfp_status status = gfp_rival_tables_init(tables);
    if (status != GFP_OK) {
        return GFP_GPU_FAIL(plan->gpu, status, "out of memory for %zu primes", plan->count);
    }
    plan->words = tables->words;
    const size_t powers = prime_words(plan->count);
    const size_t cofactors = powers + plan->count * plan->k;
    const size_t size = cofactors + (plan->count + 2) * (plan->words + 1);
    plan->block_words = size + (plan->count + 1) * plan->n;
    uint64_t *image = (uint64_t *)gfp_allocate(allocator, size, sizeof *image);
    if (image == NULL) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_MEMORY, "out of memory for %zu primes", plan->count);
    }
    copy_tables(plan, tables, image);
    status = gfp_gpu_device_allocate(plan->gpu, (void **)&plan->block,
                                     plan->block_words * sizeof *image);
    if (status == GFP_OK) {
        plan->prime = (const gfp_rival_prime *)plan->block;
        plan->powers = plan->block + powers;
        plan->cofactors = plan->block + cofactors;
        plan->work = plan->block + size;
        status = gfp_gpu_device_fill(plan->gpu, plan->block, image, size * sizeof *image);
    }
    gfp_release(allocator, image, size, sizeof *image);
    return status;
}

static gfp_status make_tables(gfp_gpu_rival_plan *plan, const uint64_t *primes)
{
    const gfp_allocator *allocator = gfp_field_allocator(plan->field);
    gfp_crt_rival_plan tables = {};
    tables.field = plan->field;
    tables.n = plan->n;
    tables.kind = plan->kind;
    tables.count = plan->count;
    tables.prime = (gfp_rival_prime *)gfp_allocate(allocator, plan->count, sizeof *tables.prime);
    if (tables.prime == NULL) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_MEMORY, "out of memory for %zu primes", plan->count);
    }
    memset(tables.prime, 0, plan->count * sizeof *tables.prime);
    for (size_t i = 0; i < plan->count; i++) {
        tables.prime[i].q = primes[i];
    }
    const gfp_status status = fill_tables(plan, &tables);
    gfp_rival_tables_release(&tables);
    gfp_release(allocator, tables.prime, plan->count, sizeof *tables.prime);
    return status;
}

/* What is on the device but the transforms. */
static gfp_status fill_plan(gfp_gpu_rival_plan *plan, const uint64_t *primes)
{
    static const char *const steps[STEPS] = {"project", "transform", "recombine"};
    GFP_TRY(make_tables(plan, primes));
    return gfp_gpu_clock_create(&plan->clock, plan->gpu, steps, STEPS, STEPS + 1);
}

static gfp_status check_arguments(const gfp_field *field, size_t n,
                                  const gfp_gpu_rival_options *options, gfp_error *error)
{
    size_t words;
    if (n == 0 || (n & (n - 1)) != 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "transform length %zu is not a power of two",
                             n);
    }
    if ((unsigned)options->primes > GFP_CRT_RIVAL_WORDS) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no kind of primes has the number %d",
                             (int)options->primes);
    }
    if (!gfp_size_mul(&words, n, 4 * (size_t)gfp_field_k(field) * sizeof(uint64_t))) {
        return gfp_error_set(error, GFP_ERR_SIZE, "transform length %zu is too large", n);
    }
    return GFP_OK;
}

/* What is wrong is recorded in the context. */
static gfp_status make_plan(gfp_gpu_rival_plan **plan, gfp_gpu *gpu, const gfp_field *field,
                            size_t n, const gfp_gpu_rival_options *options)
{
    uint64_t primes[GFP_RIVAL_MAX_PRIMES];
    gfp_gpu_rival_plan made = {};
    /* How the CPU's plan chooses: narrow primes for the double quotient. */
    gfp_crt_rival_options choice = {};
    choice.primes = options->primes;
    choice.ntt.product = options->product == GFP_GPU_NTT_DOUBLE_QUOTIENT ? GFP_NTT_DOUBLE_QUOTIENT
                                                                         : GFP_NTT_PRODUCT_AUTO;
    gfp_gpu_ntt_options ntt = {};
    ntt.form = options->form;
    ntt.product = options->product;
    GFP_GPU_ENTER(gpu, true);
    GFP_TRY(check_arguments(field, n, options, &gpu->error));
    made.gpu = gpu;
    made.field = field;
    made.k = gfp_field_k(field);
    made.n = n;
    GFP_TRY(gfp_rival_choose_primes(primes, &made.count, &made.kind, field, gfp_ctz64(n), &choice,
                                    &gpu->error));
    gfp_gpu_rival_plan *p = (gfp_gpu_rival_plan *)gfp_allocate(&gpu->allocator, 1, sizeof *p);
    if (p == NULL) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    *p = made;
    gfp_status status = gfp_gpu_ntt_plan_create(&p->ntt, gpu, primes, p->count, n, &ntt, NULL);
    if (status == GFP_OK) {
        status = fill_plan(p, primes);
    }
    if (status != GFP_OK) {
        gfp_gpu_rival_plan_destroy(p);
        return status;
    }
    *plan = p;
    return GFP_OK;
}

} // namespace

gfp_status gfp_gpu_rival_plan_create(gfp_gpu_rival_plan **plan, gfp_gpu *gpu,
                                     const gfp_field *field, size_t n,
                                     const gfp_gpu_rival_options *options, gfp_error *error)
{
    const gfp_gpu_rival_options automatic = {};
    options = options != NULL ? options : &automatic;
    return gfp_gpu_report(gpu, make_plan(plan, gpu, field, n, options), error);
}

void gfp_gpu_rival_plan_destroy(gfp_gpu_rival_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    gfp_gpu *gpu = plan->gpu;
    gfp_gpu_scope scope(gpu);
    gfp_gpu_ntt_plan_destroy(plan->ntt);
    gfp_gpu_device_release(gpu, plan->block, plan->block_words * sizeof(uint64_t));
    gfp_gpu_clock_destroy(&plan->clock);
    gfp_release(&gpu->allocator, plan, 1, sizeof *plan);
}

size_t gfp_gpu_rival_plan_length(const gfp_gpu_rival_plan *plan)
{
    return plan->n;
}

const gfp_field *gfp_gpu_rival_plan_field(const gfp_gpu_rival_plan *plan)
{
    return plan->field;
}

gfp_crt_rival_primes gfp_gpu_rival_plan_kind(const gfp_gpu_rival_plan *plan)
{
    return plan->kind;
}

size_t gfp_gpu_rival_plan_prime_count(const gfp_gpu_rival_plan *plan)
{
    return plan->count;
}

uint64_t gfp_gpu_rival_plan_prime(const gfp_gpu_rival_plan *plan, size_t i)
{
    return gfp_gpu_ntt_plan_prime(plan->ntt, i);
}

size_t gfp_gpu_rival_plan_words(const gfp_gpu_rival_plan *plan)
{
    return plan->words;
}

size_t gfp_gpu_rival_plan_bytes(const gfp_gpu_rival_plan *plan)
{
    return plan->block_words * sizeof(uint64_t) + gfp_gpu_ntt_plan_bytes(plan->ntt);
}

/* ---- steps ---- */

namespace
{

static gfp_status run_project(gfp_gpu_rival_plan *plan, uint64_t *residues, const uint64_t *x)
{
    const dim3 blocks((unsigned)((plan->n + threads - 1) / threads),
                      (unsigned)((plan->count + tile_size - 1) / tile_size));
    if (plan->kind == GFP_CRT_RIVAL_HALF_WORDS) {
        GFP_LAUNCH(plan->gpu, (project<true>), blocks, threads, 0, residues, x, plan->prime,
                   plan->powers, plan->k, plan->count, plan->n);
    } else {
        GFP_LAUNCH(plan->gpu, (project<false>), blocks, threads, 0, residues, x, plan->prime,
                   plan->powers, plan->k, plan->count, plan->n);
    }
    return gfp_gpu_clock_mark(&plan->clock, STEP_PROJECT, 1);
}

static gfp_status run_recombine(gfp_gpu_rival_plan *plan, uint64_t *z, const uint64_t *residues)
{
    const unsigned blocks = (unsigned)((plan->n + threads - 1) / threads);
    GFP_LAUNCH(plan->gpu, weigh, item_blocks(plan->n), item_threads, 0, plan->work, residues,
               plan->prime, plan->count, plan->n);
    if (plan->kind == GFP_CRT_RIVAL_HALF_WORDS) {
        GFP_LAUNCH(plan->gpu, (recombine<true>), blocks, threads, 0, z, plan->work, plan->cofactors,
                   plan->count, (unsigned)plan->words, plan->n);
    } else {
        GFP_LAUNCH(plan->gpu, (recombine<false>), blocks, threads, 0, z, plan->work,
                   plan->cofactors, plan->count, (unsigned)plan->words, plan->n);
    }
    return gfp_gpu_clock_mark(&plan->clock, STEP_RECOMBINE, 2);
}

static gfp_status run_transform(gfp_gpu_rival_plan *plan, gfp_gpu_array *y, const gfp_gpu_array *x)
{
    GFP_TRY(gfp_gpu_ntt_forward(plan->ntt, y, x, GFP_ORDER_NATURAL));
    return gfp_gpu_clock_mark(&plan->clock, STEP_TRANSFORM, 1);
}

} // namespace

gfp_status gfp_gpu_rival_project(gfp_gpu_rival_plan *plan, gfp_gpu_array *residues,
                                 const gfp_gpu_array *x)
{
    GFP_GPU_ENTER(plan->gpu, false);
    GFP_TRY(gfp_gpu_array_check_apart(plan->gpu, residues, plan->count * plan->n, x,
                                      plan->n * plan->k));
    GFP_TRY(gfp_gpu_clock_start(&plan->clock));
    return run_project(plan, residues->data, x->data);
}

gfp_status gfp_gpu_rival_transform(gfp_gpu_rival_plan *plan, gfp_gpu_array *y,
                                   const gfp_gpu_array *x)
{
    const size_t words = plan->count * plan->n;
    GFP_GPU_ENTER(plan->gpu, false);
    GFP_TRY(gfp_gpu_array_check_pair(plan->gpu, y, words, x, words));
    GFP_TRY(gfp_gpu_clock_start(&plan->clock));
    return run_transform(plan, y, x);
}

gfp_status gfp_gpu_rival_recombine(gfp_gpu_rival_plan *plan, gfp_gpu_array *z,
                                   const gfp_gpu_array *residues)
{
    GFP_GPU_ENTER(plan->gpu, false);
    GFP_TRY(gfp_gpu_array_check_apart(plan->gpu, z, plan->n * plan->words, residues,
                                      plan->count * plan->n));
    GFP_TRY(gfp_gpu_clock_start(&plan->clock));
    return run_recombine(plan, z->data, residues->data);
}

gfp_status gfp_gpu_rival_forward(gfp_gpu_rival_plan *plan, gfp_gpu_array *z, gfp_gpu_array *y,
                                 const gfp_gpu_array *x)
{
    const size_t words = plan->count * plan->n;
    GFP_GPU_ENTER(plan->gpu, false);
    GFP_TRY(gfp_gpu_array_check_apart(plan->gpu, y, words, x, plan->n * plan->k));
    if (z != NULL) {
        GFP_TRY(gfp_gpu_array_check_apart(plan->gpu, z, plan->n * plan->words, y, words));
        GFP_TRY(
            gfp_gpu_array_check_apart(plan->gpu, z, plan->n * plan->words, x, plan->n * plan->k));
    }
    GFP_TRY(gfp_gpu_clock_start(&plan->clock));
    GFP_TRY(run_project(plan, y->data, x->data));
    GFP_TRY(run_transform(plan, y, y));
    return z != NULL ? run_recombine(plan, z->data, y->data) : GFP_OK;
}

gfp_status gfp_gpu_rival_plan_times(gfp_gpu_rival_plan *plan, gfp_gpu_times *times)
{
    GFP_GPU_ENTER(plan->gpu, true);
    if (plan->clock.marks == 0) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_ARGUMENT, "no step of this plan has run yet");
    }
    return gfp_gpu_clock_read(&plan->clock, times);
}
