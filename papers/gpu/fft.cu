/* fft.cu: the transform of "Big prime field FFT on the GPU" (ISSAC 2017, sections 5 and 6), for
 * comparison: N = K^e, K = 2k, one thread per operation on elements, digits N apart in memory so
 * that neighbouring threads read neighbouring words, and every operator of Prop. 3 in a kernel:
 *
 *     DFT_(K^e) = U_0 ... U_(e-1) V_(e-2) ... V_0, the rightmost first; with J_i = K^(e-1-i)
 *     V_i = I_(K^i) x L_K^(K J_i)
 *     U_i = V_i (I_(K^(e-1)) x DFT_K(r)) (I_(K^i) x L_(J_i)^(K J_i)) (I_(K^i) x D_(K,J_i)(w^(K^i)))
 *
 * L_m^(mn) is the stride permutation y_(j n + i) = x_(i m + j). D_(K,J)(w) multiplies number j J +
 * l by w^(j l). DFT_K consists of shifts and butterflies: either in one kernel with K/2 threads per
 * DFT, or (split) in a kernel for the shifts and a kernel for the butterflies of every stage.
 *
 * Within a call, the transforms of a batch lie one after another in planes: digit d of element i at
 * d P + i, P = batch N.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/general.cuh"
#include "papers/gpu/steps.cuh"
#include "papers/gpu/backend.h"

namespace
{
using general::const_view;
using general::view;

/* The steps that are timed. */
enum { LAYOUT, PERMUTATION, TWIDDLE, SCALING, BASE_CASE, SHIFT = BASE_CASE, ADD_SUB };
const char *const step_names[] = {"layout", "permutation", "twiddle", "scaling", "base case"};
const char *const split_names[] = {"layout",  "permutation", "twiddle",
                                   "scaling", "shift",       "add-sub"};

struct papers {
    general::field f;
    gfp_gpu_array *table; /* w_N^t, t < T = max(1, N/K), in planes: digit d at d T + t */
    gfp_gpu_array *buffer[2];
    unsigned table_log; /* T = 2^table_log */
    unsigned base_log;  /* K = 2^base_log */
    unsigned levels;    /* e */
    bool split;
    unsigned threads;    /* of a block */
    gfp_gpu_clock clock; /* used if the plan is timed */
};

static gfp_gpu_clock *clock_of(gfp_gpu_fft_plan *plan)
{
    return &static_cast<papers *>(plan->state)->clock;
}

/* A running call: the buffer that holds the elements, and the other buffer. */
struct run {
    gfp_gpu_fft_plan *plan;
    const papers *own;
    uint64_t *now, *next;
    size_t elements; /* P */
};

static __device__ size_t fft_reversed(size_t i, unsigned bits)
{
    return bits == 0 ? 0 : __brevll(i) >> (64 - bits);
}

/* ---- both ends: conversion between elements of contiguous digits and planes ---- */

/* The place outside the call of element i of a transform: i, bitrev(i), or -i. */
enum edge_order { NATURAL, PERMUTED, BACKWARDS };

static __device__ size_t edge_place(size_t element, unsigned log2_n, edge_order order)
{
    const size_t mask = (size_t{1} << log2_n) - 1, i = element & mask;
    const size_t at = order == NATURAL    ? i
                      : order == PERMUTED ? fft_reversed(i, log2_n)
                                          : (0 - i) & mask;
    return (element & ~mask) | at;
}

/* Conversions by words of the planes. */
struct to_planes {
    uint64_t *planes;
    const uint64_t *x;
    size_t elements;
    unsigned k, log2_n;
    edge_order order;
    __device__ void operator()(size_t word) const
    {
        const size_t element = word % elements, digit = word / elements;
        planes[word] = x[edge_place(element, log2_n, order) * k + digit];
    }
};

struct from_planes {
    uint64_t *x;
    const uint64_t *planes;
    size_t elements;
    unsigned k, log2_n;
    edge_order order;
    __device__ void operator()(size_t word) const
    {
        const size_t element = word % elements, digit = word / elements;
        x[edge_place(element, log2_n, order) * k + digit] = planes[word];
    }
};

/* ---- the operators ---- */

/* L_m^(mn) on every block of m n elements, m = 2^log2_m, n = 2^log2_n. */
struct stride_permutation {
    uint64_t *y;
    const uint64_t *x;
    size_t elements;
    unsigned k, log2_m, log2_n;
    __device__ void operator()(size_t place) const
    {
        const size_t in_block = place & ((size_t{1} << (log2_m + log2_n)) - 1);
        const size_t j = in_block >> log2_n, i = in_block & ((size_t{1} << log2_n) - 1);
        const size_t from = (place - in_block) + (i << log2_m) + j;
        for (unsigned d = 0; d < k; d++) {
            y[d * elements + place] = x[d * elements + from];
        }
    }
};

/* In the functions below K > 0 is for fields of k = K: elements pass through registers. K = 0 is
 * for any k. */

/* x := x r^s in place. */
template <unsigned K>
static __device__ void shift_element(const general::field &f, const view &x, unsigned s)
{
    if constexpr (K == 0) {
        general::mul_r_in_place(f, x, s);
    } else {
        uint64_t a[K];
#pragma unroll
        for (unsigned d = 0; d < K; d++) {
            a[d] = x[(d - s) & (K - 1)];
        }
        general::set_sums<K>(f, x, [&](unsigned d) { /* r^k = -1 */
                                                     const general::i128 digit = a[d];
                                                     return ((d - s) & K) != 0 ? -digit : digit;
        });
    }
}

/* z := x y. z must not overlap x or y. */
template <unsigned K>
static __device__ void multiply_element(const general::field &f, const view &z, const const_view &x,
                                        const const_view &y)
{
    if constexpr (K == 0) {
        general::mul(f, z, x, y);
    } else {
        uint64_t a[K], b[K];
        general::load(a, x);
        general::load(b, y);
        general::mul<K>(f, z, const_view(a, 1), const_view(b, 1));
    }
}

/* D_(K,J)(w_N^step) on every block of K J elements, J = 2^log2_j, step = N / (K J). */
template <unsigned K> struct twiddle {
    general::field f;
    uint64_t *z;
    const uint64_t *x, *table;
    size_t elements;
    unsigned base_log, log2_j, log2_step, table_log;
    __device__ void operator()(size_t place) const
    {
        const size_t in_block = place & ((size_t{1} << (base_log + log2_j)) - 1);
        const size_t j = in_block >> log2_j, l = in_block & ((size_t{1} << log2_j) - 1);
        const size_t t = j * l << log2_step, size = size_t{1} << table_log;
        const size_t index = t & (size - 1);
        const unsigned s = static_cast<unsigned>(t >> table_log); /* w_N^T = r */
        const view to = {z + place, elements};
        const const_view from(x + place, elements);
        if (index == 0) {
            general::mul_r(f, to, from, s);
        } else {
            multiply_element<K>(f, to, from, const_view(table + index, size));
            if (s != 0) {
                shift_element<K>(f, to, s);
            }
        }
    }
};

/* ---- DFT_K on every block of K elements ---- */

/* Butterfly `number` of a stage, with K/2 butterflies per block: its elements, and the shift of the
 * second one. */
struct pair {
    size_t a, b;
    unsigned shift;
};

static __device__ pair pair_of(size_t number, unsigned base_log, unsigned stage)
{
    const unsigned half_log = base_log - 1 - stage;
    const size_t in_block = number & ((size_t{1} << (base_log - 1)) - 1);
    const size_t group = in_block >> half_log, i = in_block & ((size_t{1} << half_log) - 1);
    const size_t a = ((number - in_block) << 1) + (group << (half_log + 1)) + i;
    return {a, a + (size_t{1} << half_log),
            static_cast<unsigned>(fft_reversed(group, stage) << half_log)};
}

static __device__ void exchange_reversed(uint64_t *x, size_t elements, unsigned k,
                                         unsigned base_log, size_t place)
{
    const size_t i = place & ((size_t{1} << base_log) - 1), j = fft_reversed(i, base_log);
    for (unsigned d = 0; i < j && d < k; d++) {
        uint64_t *at = x + d * elements + place;
        const uint64_t t = *at;
        *at = at[j - i];
        at[j - i] = t;
    }
}

} // namespace

/* The whole base case: a thread does one shift and one butterfly of each stage, and takes part in
 * the exchanges that put the result in order. A block of threads holds whole DFTs. */
template <unsigned K, unsigned MOST>
static __global__ void __launch_bounds__(MOST)
    base_case(general::field f, uint64_t *x, size_t elements, unsigned base_log)
{
    const size_t number = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    const bool mine = number < elements / 2;
    for (unsigned stage = 0; stage < base_log; stage++) {
        if (mine) {
            const pair p = pair_of(number, base_log, stage);
            const view a = {x + p.a, elements}, b = {x + p.b, elements};
            if (p.shift != 0) {
                shift_element<K>(f, b, p.shift);
            }
            general::butterfly(f, a, b);
        }
        __syncthreads();
    }
    if (mine) {
        /* the pairs of the last stage cover all elements of the block */
        const pair p = pair_of(number, base_log, base_log - 1);
        exchange_reversed(x, elements, f.k, base_log, p.a);
        exchange_reversed(x, elements, f.k, base_log, p.b);
    }
}

namespace
{
template <unsigned K> struct shifts {
    general::field f;
    uint64_t *x;
    size_t elements;
    unsigned base_log, stage;
    __device__ void operator()(size_t number) const
    {
        const pair p = pair_of(number, base_log, stage);
        if (p.shift != 0) {
            shift_element<K>(f, view{x + p.b, elements}, p.shift);
        }
    }
};

struct add_subs {
    general::field f;
    uint64_t *x;
    size_t elements;
    unsigned base_log, stage;
    __device__ void operator()(size_t number) const
    {
        const pair p = pair_of(number, base_log, stage);
        general::butterfly(f, view{x + p.a, elements}, view{x + p.b, elements});
    }
};

struct base_order {
    uint64_t *x;
    size_t elements;
    unsigned k, base_log;
    __device__ void operator()(size_t place) const
    {
        exchange_reversed(x, elements, k, base_log, place);
    }
};

/* ---- steps of a call ---- */

static gfp_status fft_mark(const run *r, unsigned step)
{
    return gfp_gpu_clock_mark(clock_of(r->plan), step, 1);
}

/* Kernels are compiled twice: for more than this number of threads a thread has at most 65536 /
 * MOST registers. */
constexpr unsigned USUAL = GFP_PAPERS_USUAL_THREADS, MOST = GFP_PAPERS_MOST_THREADS;

/* body(i) for i < n in blocks of the plan's number of threads. */
template <class Body> static gfp_status fft_launch(const run *r, size_t n, const Body &body)
{
    const unsigned threads = r->own->threads, blocks = general::blocks_for(n, threads);
    if (n != 0 && threads <= USUAL) {
        GFP_LAUNCH(r->plan->gpu, (general::for_each<Body, USUAL>), blocks, threads, 0, n, body);
    } else if (n != 0) {
        GFP_LAUNCH(r->plan->gpu, (general::for_each<Body, MOST>), blocks, threads, 0, n, body);
    }
    return GFP_OK;
}

static void swap_buffers(run *r)
{
    uint64_t *t = r->now;
    r->now = r->next;
    r->next = t;
}

static gfp_status fft_permute(run *r, unsigned log2_m, unsigned log2_n)
{
    GFP_TRY(
        fft_launch(r, r->elements,
                   stride_permutation{r->next, r->now, r->elements, r->plan->k, log2_m, log2_n}));
    swap_buffers(r);
    return fft_mark(r, PERMUTATION);
}

template <unsigned K> static gfp_status twiddle_step(run *r, unsigned log2_j)
{
    const papers *own = r->own;
    const unsigned log2_step = r->plan->log2_n - own->base_log - log2_j;
    GFP_TRY(fft_launch(r, r->elements,
                       twiddle<K>{own->f, r->next, r->now, own->table->data, r->elements,
                                  own->base_log, log2_j, log2_step, own->table_log}));
    swap_buffers(r);
    return fft_mark(r, TWIDDLE);
}

template <unsigned K> static gfp_status split_base_cases(run *r)
{
    const papers *own = r->own;
    const size_t pairs = r->elements / 2;
    for (unsigned stage = 0; stage < own->base_log; stage++) {
        if (stage != 0) {
            GFP_TRY(
                fft_launch(r, pairs, shifts<K>{own->f, r->now, r->elements, own->base_log, stage}));
            GFP_TRY(fft_mark(r, SHIFT));
        }
        GFP_TRY(fft_launch(r, pairs, add_subs{own->f, r->now, r->elements, own->base_log, stage}));
        GFP_TRY(fft_mark(r, ADD_SUB));
    }
    GFP_TRY(fft_launch(r, r->elements, base_order{r->now, r->elements, own->f.k, own->base_log}));
    return fft_mark(r, PERMUTATION);
}

template <unsigned K> static gfp_status base_cases(run *r)
{
    const papers *own = r->own;
    if (own->split) {
        return split_base_cases<K>(r);
    }
    const unsigned threads = own->threads, blocks = general::blocks_for(r->elements / 2, threads);
    if (threads <= USUAL) {
        GFP_LAUNCH(r->plan->gpu, (base_case<K, USUAL>), blocks, threads, 0, own->f, r->now,
                   r->elements, own->base_log);
    } else {
        GFP_LAUNCH(r->plan->gpu, (base_case<K, MOST>), blocks, threads, 0, own->f, r->now,
                   r->elements, own->base_log);
    }
    return fft_mark(r, BASE_CASE);
}

/* The transform on planes, by Prop. 3. */
template <unsigned K> static gfp_status transform_of(run *r)
{
    const unsigned base = r->own->base_log;
    for (unsigned log2_j = r->plan->log2_n - base; log2_j > 0; log2_j -= base) {
        GFP_TRY(fft_permute(r, base, log2_j));
    }
    GFP_TRY(base_cases<K>(r));
    for (unsigned log2_j = base; log2_j < r->plan->log2_n; log2_j += base) {
        GFP_TRY(twiddle_step<K>(r, log2_j));
        GFP_TRY(fft_permute(r, log2_j, base));
        GFP_TRY(base_cases<K>(r));
        GFP_TRY(fft_permute(r, base, log2_j));
    }
    return GFP_OK;
}

static gfp_status fft_transform(run *r)
{
    switch (r->plan->k) {
    case 4:
        return transform_of<4>(r);
    case 8:
        return transform_of<8>(r);
    case 16:
        return transform_of<16>(r);
    default:
        return transform_of<0>(r);
    }
}

static gfp_status fft_begin(run *r, gfp_gpu_fft_plan *plan, const uint64_t *x, edge_order order)
{
    const papers *own = static_cast<const papers *>(plan->state);
    *r = {plan, own, own->buffer[0]->data, own->buffer[1]->data, plan->batch * plan->n};
    GFP_TRY(gfp_gpu_clock_start(clock_of(plan)));
    GFP_TRY(fft_launch(r, plan->words,
                       to_planes{r->now, x, r->elements, plan->k, plan->log2_n, order}));
    return fft_mark(r, LAYOUT);
}

static gfp_status fft_end(run *r, uint64_t *y, edge_order order)
{
    const gfp_gpu_fft_plan *plan = r->plan;
    GFP_TRY(fft_launch(r, plan->words,
                       from_planes{y, r->now, r->elements, plan->k, plan->log2_n, order}));
    return fft_mark(r, LAYOUT);
}

static edge_order edge_of(gfp_order order)
{
    return order == GFP_ORDER_PERMUTED ? PERMUTED : NATURAL;
}

static gfp_status fft_forward(gfp_gpu_fft_plan *plan, uint64_t *y, const uint64_t *x,
                              gfp_order order)
{
    run r;
    GFP_TRY(fft_begin(&r, plan, x, NATURAL));
    GFP_TRY(fft_transform(&r));
    return fft_end(&r, y, edge_of(order));
}

/* 1/N times the transform at w^(-1): the transform with its output in reverse order. */
static gfp_status fft_inverse(gfp_gpu_fft_plan *plan, uint64_t *x, const uint64_t *y,
                              gfp_order order)
{
    run r;
    GFP_TRY(fft_begin(&r, plan, y, edge_of(order)));
    GFP_TRY(fft_transform(&r));
    GFP_TRY(
        fft_launch(&r, r.elements,
                   general::divide_by_2exp{r.own->f, r.now, r.now, 1, r.elements, plan->log2_n}));
    GFP_TRY(fft_mark(&r, SCALING));
    return fft_end(&r, x, BACKWARDS);
}

/* ---- plans ---- */

static unsigned base_log_of(const gfp_field *field)
{
    return static_cast<unsigned>(__builtin_ctz(2 * gfp_field_k(field)));
}

static bool fft_serves(const gfp_gpu *, const gfp_field *field, unsigned log2_n, size_t)
{
    return log2_n > 0 && log2_n % base_log_of(field) == 0;
}

/* Makes the table in a buffer, where its digits are contiguous, and converts it to planes. */
static gfp_status make_table(gfp_gpu_fft_plan *plan, const papers *own)
{
    uint64_t root[GFP_MAX_K];
    const size_t size = size_t{1} << own->table_log;
    GFP_TRY(gfp_field_root(plan->field, root, plan->log2_n));
    GFP_TRY(gfp_gpu_vec_powers(plan->field, own->buffer[0], root, size));
    return general::launch(
        plan->gpu, size * plan->k,
        to_planes{own->table->data, own->buffer[0]->data, size, plan->k, own->table_log, NATURAL});
}

static gfp_status fft_prepare(gfp_gpu_fft_plan *plan, papers *own)
{
    gfp_gpu *gpu = plan->gpu;
    GFP_TRY(gfp_gpu_array_create(&own->table, gpu, plan->k << own->table_log, nullptr));
    for (gfp_gpu_array *&buffer : own->buffer) {
        GFP_TRY(gfp_gpu_array_create(&buffer, gpu, plan->words, nullptr));
    }
    return make_table(plan, own);
}

static void fft_release(gfp_gpu *gpu, papers *own)
{
    gfp_gpu_clock_destroy(&own->clock);
    gfp_gpu_array_destroy(own->table);
    for (gfp_gpu_array *buffer : own->buffer) {
        gfp_gpu_array_destroy(buffer);
    }
    gfp_release(&gpu->allocator, own, 1, sizeof *own);
}

static gfp_status create_form(gfp_gpu_fft_plan *plan, bool split)
{
    gfp_gpu *gpu = plan->gpu;
    papers *own = static_cast<papers *>(gfp_allocate(&gpu->allocator, 1, sizeof *own));
    if (own == nullptr) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    *own = {};
    own->f = general::field_of(plan->field);
    own->base_log = base_log_of(plan->field);
    own->levels = plan->log2_n / own->base_log;
    own->table_log = plan->log2_n - own->base_log;
    own->split = split;
    const gfp_status status = fft_prepare(plan, own);
    if (status != GFP_OK) {
        fft_release(gpu, own);
        return status;
    }
    plan->state = own;
    return GFP_OK;
}

static gfp_status fft_create(gfp_gpu_fft_plan *plan)
{
    return create_form(plan, false);
}

static gfp_status create_split(gfp_gpu_fft_plan *plan)
{
    return create_form(plan, true);
}

static void fft_destroy(gfp_gpu_fft_plan *plan)
{
    fft_release(plan->gpu, static_cast<papers *>(plan->state));
}

static void set_threads(gfp_gpu_fft_plan *plan, unsigned threads)
{
    static_cast<papers *>(plan->state)->threads = threads;
}

static gfp_status time_steps(gfp_gpu_fft_plan *plan)
{
    papers *own = static_cast<papers *>(plan->state);
    /* Both ends, scaling, and for each level two permutations, twiddles and a base case. */
    const unsigned base = own->split ? 2 * own->base_log : 1;
    return gfp_gpu_clock_create(&own->clock, plan->gpu, own->split ? split_names : step_names,
                                own->split ? ADD_SUB + 1 : BASE_CASE + 1,
                                4 + own->levels * (4 + base));
}

static gfp_status times_of(gfp_gpu_fft_plan *plan, gfp_gpu_times *times)
{
    return gfp_gpu_clock_read(plan->gpu, clock_of(plan), times);
}

static const gfp_gpu_fft_engine whole_engine = {
    GFP_GPU_FFT_AUTO, fft_serves, fft_create, fft_forward, fft_inverse, fft_destroy, nullptr,
};
static const gfp_gpu_fft_engine split_engine = {
    GFP_GPU_FFT_AUTO, fft_serves, create_split, fft_forward, fft_inverse, fft_destroy, nullptr,
};
} // namespace

const gfp_papers_fft_calls gfp_papers_cuda_fft = {
    &whole_engine, &split_engine, set_threads, time_steps, times_of,
};
