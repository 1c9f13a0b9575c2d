/* rival.cu: the papers' rival on the device (gfpoly/rival.h): projection to word-size primes,
 * transforms modulo each prime, recombination by the Chinese remainder theorem. Primes and tables
 * are the CPU's.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "papers/gpu/ntt.cuh"

GFP_BEGIN_DECLS
#include "papers/rival/impl.h"
#include "field/base/word.h"
GFP_END_DECLS

namespace
{

/* The CPU's matrices of half words (papers/rival/impl.h), for its two products. Rows are in groups
 * of four, so that a group has an entry of 16 bytes per term. */
struct half_tables {
    const uint4 *split; /* s rows, parts k terms */
    const uint4 *merge; /* 1 + columns rows, s terms */
    const uint64_t *complement;
    unsigned parts, part_bits;
    unsigned columns, column_bits;
};

} // namespace

typedef struct rival_plan : gfp_gpu_rival_plan {
    gfp_papers_ntt *ntt;
    /* One block on the device: the primes; r^i 2^128 mod q_j at j k + i; then rows of words + 1
     * words with Q/q_j, 2^(64 (words + 1)) - Q and Q; and the work space of step 3, s + 1 rows of n
     * words. */
    uint64_t *block;
    size_t block_words;
    const gfp_rival_prime *prime;
    const uint64_t *powers, *cofactors;
    half_tables half; /* for half-word primes */
    uint64_t *work;
    gfp_gpu_clock clock;
} rival_plan;

namespace
{

enum { STEP_PROJECT, STEP_TRANSFORM, STEP_RECOMBINE, STEPS };

constexpr unsigned lanes = 32;
constexpr unsigned threads = 128;
/* tile_size: primes, or words of the result, that a thread sums at once; also the digits or words
 * that a warp exchanges through shared memory. */
constexpr unsigned tile_size = 4;

/* ---- sums of products ---- */

/* A sum of at most 2^9 products of words. */
struct sum {
    uint64_t low, high, top;

    GFP_HD void add(uint64_t x, uint64_t w)
    {
        const uint64_t product_low = x * w;
        uint64_t product_high = high64(x, w);
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

/* The sum divided by 2^128 modulo q, in [0, q), for at most 2^8 products with constants below q.
 * The first reduction leaves less than 2^71, the second less than 2^7 + q + 1, as on the CPU. */
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

/* residues[i n + j] := element j modulo prime i. A thread has one element and some primes. The
 * digits come through shared memory, so that a warp reads whole lines. */
template <class word>
static __global__ void project(word *residues, const uint64_t *x, const gfp_rival_prime *prime,
                               const uint64_t *powers, unsigned k, size_t count, size_t n)
{
    __shared__ stage_row stage[threads];
    const size_t element = (size_t)blockIdx.x * threads + threadIdx.x;
    const size_t first = blockIdx.y * tile_size;
    sum sums[tile_size] = {};
    for (unsigned i = 0; i < k; i += tile_size) {
        stage_digits(stage, x, i, k, n);
        for (unsigned digit = 0; digit < tile_size && i + digit < k; digit++) {
            GFP_UNROLLED
            for (unsigned p = 0; p < tile_size; p++) {
                if (first + p < count) {
                    sums[p].add(stage[threadIdx.x][digit], powers[(first + p) * k + i + digit]);
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

/* project for half-word primes: a row of the matrix times the parts of the digits, with a sum below
 * 2^63. A thread has one element and the primes of row_groups groups of rows. */
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

template <class word>
static __global__ void project_half(word *residues, const uint64_t *x, const gfp_rival_prime *prime,
                                    const half_tables tables, unsigned k, unsigned count, size_t n)
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
            residues[(4 * first + p) * n + element] = (word)(t >= q ? t - q : t);
        }
    }
}

/* ---- step 3 ---- */

/* work[i n + j] := y_i = x_i (Q/q_i)^(-1) mod q_i for the residues x_i of element j; and work[s n +
 * j] := t = floor(sum y_i/q_i), or one less. The integer of element j is sum y_i Q/q_i - t Q. */
template <class word>
static __global__ void weigh(word *work, const uint64_t *residues, const gfp_rival_prime *prime,
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
            work[i * n + j] = (word)y;
            /* Bits shift, shift + 1, ... of the product; shift < 128. */
            const uint64_t low = y * p.reciprocal;
            const uint64_t high = high64(y, p.reciprocal);
            fractions +=
                p.shift < 64 ? high << (64 - p.shift) | low >> p.shift : high >> (p.shift - 64);
        }
        work[count * n + j] = (word)(fractions >> GFP_RIVAL_FRACTION_BITS);
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

/* z_j := the sum over i <= s of work[i n + j] times row i of the cofactors, reduced modulo Q. A
 * thread has one element. Words of the result go through shared memory. */
template <class word>
static __global__ void recombine(uint64_t *z, const word *work, const uint64_t *cofactors,
                                 size_t count, unsigned words, size_t n)
{
    __shared__ stage_row stage[threads];
    const size_t element = (size_t)blockIdx.x * threads + threadIdx.x;
    const size_t column = element < n ? element : n - 1;
    const uint64_t *modulus = cofactors + (count + 1) * (words + 1);
    uint64_t top = 0;
    uint64_t highest = 0; /* the highest word of z */
    sum carry = {};
    for (unsigned c = 0; c <= words; c += tile_size) {
        sum sums[tile_size] = {};
        for (size_t i = 0; i <= count; i++) {
            const uint64_t y = work[i * n + column];
            GFP_UNROLLED
            for (unsigned w = 0; w < tile_size; w++) {
                if (c + w <= words) {
                    sums[w].add(cofactors[i * (words + 1) + c + w], y);
                }
            }
        }
        GFP_UNROLLED
        for (unsigned w = 0; w < tile_size; w++) {
            /* The carry is below 2^75: it has two words. */
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
        store_staged(z, stage, c, words, words, n);
    }
    __threadfence_block();
    __syncwarp();
    if (element < n && (top != 0 || highest >= modulus[words - 1])) {
        reduce_once(z + element * words, top, modulus, words);
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

/* recombine for half-word primes: columns have so few bits that sums stay below 2^64, including t
 * times the complement of Q and the carry (papers/rival/tables.c). */
template <class word>
static __global__ void recombine_half(uint64_t *z, const word *work, const half_tables tables,
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
            add_rows(sums, tables.merge, first, groups, count, i, (uint32_t)work[i * n + column]);
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

/* Offsets of the tables in their block, in words. The matrices come first, since they are read by
 * 16 bytes. */
struct places {
    size_t merge, columns, primes, powers, cofactors, work;
};

static size_t round_up(size_t n, size_t step)
{
    return (n + step - 1) / step * step;
}

static places place_tables(const rival_plan *plan, const gfp_crt_rival_plan *tables)
{
    static_assert(sizeof(gfp_rival_prime) % sizeof(uint64_t) == 0, "whole words");
    const size_t rows = GFP_RIVAL_ROWS;
    const gfp_rival_matrices *m = &tables->matrices;
    places at = {};
    if (tables->vector) { /* two entries to a word */
        at.merge = round_up(plan->count, rows) * m->terms / 2;
        at.columns = at.merge + round_up(1 + m->columns, rows) * plan->count / 2;
    }
    at.primes = at.columns + (tables->vector ? m->columns : 0);
    at.powers = at.primes + plan->count * (sizeof(gfp_rival_prime) / sizeof(uint64_t));
    at.cofactors = at.powers + plan->count * plan->k;
    at.work = at.cofactors + (plan->count + 2) * (plan->words + 1);
    return at;
}

/* Copies the CPU's tables, whose cofactors have rows of `words` words. */
static void copy_tables(const rival_plan *plan, const gfp_crt_rival_plan *tables, const places *at,
                        uint64_t *to)
{
    const size_t words = plan->words;
    const size_t row = words + 1;
    uint64_t *cofactors = to + at->cofactors;
    if (tables->vector) {
        const gfp_rival_matrices *m = &tables->matrices;
        memcpy(to, m->split, at->merge * sizeof *to);
        memcpy(to + at->merge, m->merge, (at->columns - at->merge) * sizeof *to);
        memcpy(to + at->columns, m->complement, m->columns * sizeof *to);
    }
    memcpy(to + at->primes, tables->prime, (at->powers - at->primes) * sizeof *to);
    memcpy(to + at->powers, tables->powers, plan->count * plan->k * sizeof *to);
    for (size_t i = 0; i < plan->count; i++) {
        memcpy(cofactors + i * row, tables->cofactors + i * words, words * sizeof *to);
        cofactors[i * row + words] = 0;
    }
    uint64_t *complement = cofactors + plan->count * row;
    uint64_t *modulus = complement + row;
    memcpy(modulus, tables->modulus, words * sizeof *to);
    modulus[words] = 0;
    /* Q is odd: adding one to the complement of its bits does not carry. */
    for (size_t i = 0; i < row; i++) {
        complement[i] = ~modulus[i];
    }
    complement[0]++;
}

static void find_tables(rival_plan *plan, const gfp_crt_rival_plan *tables, const places *at)
{
    const gfp_rival_matrices *m = &tables->matrices;
    plan->half = {(const uint4 *)plan->block,
                  (const uint4 *)(plan->block + at->merge),
                  plan->block + at->columns,
                  m->parts,
                  m->part_bits,
                  (unsigned)m->columns,
                  m->column_bits};
    plan->prime = (const gfp_rival_prime *)(plan->block + at->primes);
    plan->powers = plan->block + at->powers;
    plan->cofactors = plan->block + at->cofactors;
    plan->work = plan->block + at->work;
}

/* Makes tables and work space, for the primes in tables->prime. */
static gfp_status fill_tables(rival_plan *plan, gfp_crt_rival_plan *tables)
{
    const gfp_allocator *allocator = &plan->gpu->allocator;
    gfp_status status = gfp_rival_tables_init(tables);
    if (status != GFP_OK) {
        return GFP_GPU_FAIL(plan->gpu, status, "out of memory for %zu primes", plan->count);
    }
    plan->words = tables->words;
    const places at = place_tables(plan, tables);
    plan->block_words = at.work + (plan->count + 1) * plan->elements;
    uint64_t *image = (uint64_t *)gfp_allocate(allocator, at.work, sizeof *image);
    if (image == NULL) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_MEMORY, "out of memory for %zu primes", plan->count);
    }
    copy_tables(plan, tables, &at, image);
    status = gfp_gpu_device_allocate(plan->gpu, (void **)&plan->block,
                                     plan->block_words * sizeof *image);
    if (status == GFP_OK) {
        find_tables(plan, tables, &at);
        status = gfp_gpu_device_fill(plan->gpu, plan->block, image, at.work * sizeof *image);
    }
    gfp_release(allocator, image, at.work, sizeof *image);
    return status;
}

static gfp_status make_tables(rival_plan *plan, const uint64_t *primes)
{
    const gfp_allocator *allocator = gfp_field_allocator(plan->field);
    gfp_crt_rival_plan tables = {};
    tables.field = plan->field;
    tables.n = plan->n;
    tables.kind = plan->kind;
    tables.count = plan->count;
    tables.vector = plan->kind == GFP_CRT_RIVAL_HALF_WORDS;
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

/* Makes all parts on the device except the transforms. */
static gfp_status fill_plan(rival_plan *plan, const uint64_t *primes, bool timed)
{
    static const char *const steps[STEPS] = {"project", "transform", "recombine"};
    GFP_TRY(make_tables(plan, primes));
    return timed ? gfp_gpu_clock_create(&plan->clock, plan->gpu, steps, STEPS, STEPS + 1) : GFP_OK;
}

static void destroy(gfp_gpu_rival_plan *base)
{
    rival_plan *plan = (rival_plan *)base;
    gfp_gpu *gpu = plan->gpu;
    gfp_papers_ntt_destroy(plan->ntt);
    gfp_gpu_device_release(gpu, plan->block, plan->block_words * sizeof(uint64_t));
    gfp_gpu_clock_destroy(&plan->clock);
    gfp_release(&gpu->allocator, plan, 1, sizeof *plan);
}

/* Errors are recorded in the context. */
static gfp_status create(gfp_gpu_rival_plan **plan, gfp_gpu *gpu, const gfp_field *field, size_t n,
                         const gfp_gpu_rival_options *options)
{
    uint64_t primes[GFP_RIVAL_MAX_PRIMES];
    rival_plan made = {};
    /* The same choice as in the CPU's plan: narrow primes for the double quotient. */
    gfp_crt_rival_options choice = {};
    choice.primes = options->primes;
    choice.ntt.product = options->product == GFP_GPU_NTT_DOUBLE_QUOTIENT ? GFP_NTT_DOUBLE_QUOTIENT
                                                                         : GFP_NTT_PRODUCT_AUTO;
    gfp_gpu_ntt_options ntt = {};
    ntt.form = options->form;
    ntt.product = options->product;
    ntt.batch = options->batch == 0 ? 1 : options->batch;
    GFP_TRY(gfp_rival_check(field, n, options->primes, 4, &gpu->error));
    made.gpu = gpu;
    made.field = field;
    made.k = gfp_field_k(field);
    made.n = n;
    made.batch = ntt.batch;
    if (!gfp_size_mul(&made.elements, n, made.batch) ||
        made.elements > SIZE_MAX / 8 / (GFP_RIVAL_MAX_PRIMES + 1)) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "%zu vectors of %zu elements are too many",
                            made.batch, n);
    }
    GFP_TRY(gfp_rival_choose_primes(primes, &made.count, &made.kind, field, gfp_ctz64(n), &choice,
                                    &gpu->error));
    rival_plan *p = (rival_plan *)gfp_allocate(&gpu->allocator, 1, sizeof *p);
    if (p == NULL) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    *p = made;
    const size_t before = gpu->bytes;
    gfp_status status = gfp_papers_ntt_create(&p->ntt, gpu, primes, p->count, n, &ntt);
    if (status == GFP_OK) {
        status = fill_plan(p, primes, options->timed);
    }
    p->bytes = gpu->bytes - before;
    if (status != GFP_OK) {
        destroy(p);
        return status;
    }
    *plan = p;
    return GFP_OK;
}

/* ---- steps ---- */

static gfp_status run_project(rival_plan *plan, uint64_t *residues, const uint64_t *x)
{
    const bool half = plan->kind == GFP_CRT_RIVAL_HALF_WORDS;
    const size_t each = half ? 4 * row_groups : tile_size; /* primes per thread */
    const dim3 blocks((unsigned)((plan->elements + threads - 1) / threads),
                      (unsigned)((plan->count + each - 1) / each));
    if (half) {
        GFP_LAUNCH(plan->gpu, project_half<uint64_t>, blocks, threads, 0, residues, x, plan->prime,
                   plan->half, plan->k, (unsigned)plan->count, plan->elements);
    } else {
        GFP_LAUNCH(plan->gpu, project<uint64_t>, blocks, threads, 0, residues, x, plan->prime,
                   plan->powers, plan->k, plan->count, plan->elements);
    }
    return gfp_gpu_clock_mark(&plan->clock, STEP_PROJECT, 1);
}

static gfp_status run_recombine(rival_plan *plan, uint64_t *z, const uint64_t *residues)
{
    const unsigned blocks = (unsigned)((plan->elements + threads - 1) / threads);
    const uint64_t *modulus = plan->cofactors + (plan->count + 1) * (plan->words + 1);
    if (plan->kind == GFP_CRT_RIVAL_HALF_WORDS) {
        uint32_t *work = (uint32_t *)plan->work;
        GFP_LAUNCH(plan->gpu, weigh<uint32_t>, item_blocks(plan->elements), item_threads, 0, work,
                   residues, plan->prime, plan->count, plan->elements);
        GFP_LAUNCH(plan->gpu, recombine_half<uint32_t>, blocks, threads, 0, z, work, plan->half,
                   modulus, (unsigned)plan->count, (unsigned)plan->words, plan->elements);
    } else {
        GFP_LAUNCH(plan->gpu, weigh<uint64_t>, item_blocks(plan->elements), item_threads, 0,
                   plan->work, residues, plan->prime, plan->count, plan->elements);
        GFP_LAUNCH(plan->gpu, recombine<uint64_t>, blocks, threads, 0, z, plan->work,
                   plan->cofactors, plan->count, (unsigned)plan->words, plan->elements);
    }
    return gfp_gpu_clock_mark(&plan->clock, STEP_RECOMBINE, 2);
}

static gfp_status run_transform(rival_plan *plan, uint64_t *y, const uint64_t *x)
{
    GFP_TRY(gfp_papers_ntt_transform(plan->ntt, y, x, GFP_ORDER_NATURAL, false));
    return gfp_gpu_clock_mark(&plan->clock, STEP_TRANSFORM, 1);
}

/* ---- the table ---- */

static gfp_status project_step(gfp_gpu_rival_plan *base, uint64_t *residues, const uint64_t *x)
{
    rival_plan *plan = (rival_plan *)base;
    GFP_TRY(gfp_gpu_clock_start(&plan->clock));
    return run_project(plan, residues, x);
}

static gfp_status transform_step(gfp_gpu_rival_plan *base, uint64_t *y, const uint64_t *x)
{
    rival_plan *plan = (rival_plan *)base;
    GFP_TRY(gfp_gpu_clock_start(&plan->clock));
    return run_transform(plan, y, x);
}

static gfp_status recombine_step(gfp_gpu_rival_plan *base, uint64_t *z, const uint64_t *residues)
{
    rival_plan *plan = (rival_plan *)base;
    GFP_TRY(gfp_gpu_clock_start(&plan->clock));
    return run_recombine(plan, z, residues);
}

static gfp_status forward(gfp_gpu_rival_plan *base, uint64_t *z, uint64_t *y, const uint64_t *x)
{
    rival_plan *plan = (rival_plan *)base;
    GFP_TRY(gfp_gpu_clock_start(&plan->clock));
    GFP_TRY(run_project(plan, y, x));
    GFP_TRY(run_transform(plan, y, y));
    return z != NULL ? run_recombine(plan, z, y) : GFP_OK;
}

static uint64_t prime_of(const gfp_gpu_rival_plan *plan, size_t i)
{
    return ((const rival_plan *)plan)->ntt->ntt->prime[i].modulus.q;
}

static gfp_status times_of(gfp_gpu_rival_plan *base, gfp_gpu_times *times)
{
    return gfp_gpu_clock_read(base->gpu, &((rival_plan *)base)->clock, times);
}

} // namespace

const gfp_papers_rival_calls gfp_papers_cuda_rival = {
    create, destroy, prime_of, project_step, transform_step, recombine_step, forward, times_of,
};
