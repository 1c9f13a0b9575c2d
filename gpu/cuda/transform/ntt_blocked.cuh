/* ntt_blocked.cuh: an engine of transforms over word-size primes: column passes of 2^10 points and
 * a last pass of up to 2^12 points in rows, over groups of vectors that share one work area. Each
 * ring has a file that includes this header and instantiates it.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_TRANSFORM_NTT_BLOCKED_CUH
#define GFP_GPU_CUDA_TRANSFORM_NTT_BLOCKED_CUH

#include "gpu/cuda/transform/ntt.h"
#include "gpu/cuda/transform/ntt_block.cuh"

namespace
{

/* log2 of the points of a pass, and of the columns of a block of threads. */
constexpr int row_points = 12;
constexpr int column_points = 10;

/* 256 threads a block. */
static constexpr int row_columns(int a, int radix)
{
    const int rounds = (a + radix - 1) / radix;
    const int greatest = (a + rounds - 1) / rounds;
    return 8 + greatest > a ? 8 + greatest - a : 0;
}

static constexpr int column_columns(int radix)
{
    return row_columns(column_points, radix);
}

/* ---- tables ---- */

/* Powers of w_N: entry i of a segment is w_N^(e(i) 2^shift). e(i) = i if bits is 0. In the powers
 * after a round, e(i) = bitrev(i 2^-low) (i mod 2^low), where bitrev reverses `bits` bits. */
struct segment {
    unsigned at, bits, low, shift;
};

struct layout {
    segment part[10];
    unsigned parts;
    unsigned size; /* entries per prime */
};

struct blocked_shape {
    unsigned passes;       /* column passes */
    unsigned rest;         /* log2 of the points of the last pass */
    ntt_pass pass;         /* its members that are places in the tables */
    unsigned rounds_at[2]; /* for column passes, and for the last pass */
    layout table;
};

static void add_segment(layout *table, unsigned bits, unsigned low, unsigned shift,
                        unsigned entries)
{
    table->part[table->parts++] = {table->size, bits, low, shift};
    table->size += entries;
}

template <int A, int RADIX> static void add_rounds(layout *table, unsigned log2_n)
{
    typedef rounds<A, RADIX> plan;
    for (int k = 0; k + 1 < plan::count; k++) {
        const int length = plan::block(k);
        const int bits = plan::size(k);
        add_segment(table, (unsigned)bits, (unsigned)(length - bits), log2_n - (unsigned)length,
                    1u << length);
    }
}

/* add_rounds for a value of a that is chosen at run time. */
template <int RADIX, int A = 1>
static void add_rounds_of(layout *table, unsigned a, unsigned log2_n)
{
    if (a == A) {
        add_rounds<A, RADIX>(table, log2_n);
    } else if constexpr (A < row_points) {
        add_rounds_of<RADIX, A + 1>(table, a, log2_n);
    }
}

template <int RADIX> static blocked_shape make_shape(unsigned log2_n)
{
    blocked_shape s = {};
    layout *table = &s.table;
    s.passes = log2_n <= row_points ? 0 : (log2_n - row_points + column_points - 1) / column_points;
    s.rest = log2_n - column_points * s.passes;
    s.pass.log2_n = log2_n;
    s.pass.constants_log = log2_n < RADIX ? log2_n : RADIX;
    s.pass.constants_at = table->size;
    add_segment(table, 0, 0, log2_n - s.pass.constants_log, 1u << (s.pass.constants_log - 1));
    s.rounds_at[0] = table->size;
    if (s.passes > 0) {
        add_rounds<column_points, RADIX>(table, log2_n);
    }
    s.rounds_at[1] = table->size;
    add_rounds_of<RADIX>(table, s.rest, log2_n);
    s.pass.low_log = (log2_n + 1) / 2;
    s.pass.low_at = table->size;
    add_segment(table, 0, 0, 0, 1u << s.pass.low_log);
    s.pass.high_at = table->size;
    add_segment(table, 0, 0, s.pass.low_log, 1u << (log2_n - s.pass.low_log));
    s.pass.scale_at = table->size++;
    s.pass.table_size = table->size;
    return s;
}

template <class ring>
static __global__ void fill_table(typename ring::power *table, const layout form,
                                  const gfp_gpu_prime *primes, size_t count, int inverse)
{
    GFP_FOR_ITEMS(item, count * form.size)
    {
        const gfp_gpu_prime &prime = primes[item / form.size];
        const unsigned place = (unsigned)(item % form.size);
        uint64_t value = prime.scale;
        if (place + 1 < form.size) {
            unsigned k = form.parts - 1;
            while (place < form.part[k].at) {
                k--;
            }
            const segment part = form.part[k];
            const unsigned i = place - part.at;
            uint64_t e = i;
            if (part.bits != 0) {
                e = (uint64_t)bit_reverse(i >> part.low, part.bits) * (i & ((1u << part.low) - 1));
            }
            value = mod_pow(prime.root[inverse], e << part.shift, prime.modulus);
        }
        table[item] = ring::encode(value, prime.modulus);
    }
}

template <class ring> static gfp_status blocked_create(gfp_cuda_ntt_plan *plan)
{
    typedef typename ring::power power;
    const blocked_shape s = make_shape<ring::radix>(plan->log2_n);
    const size_t vectors = plan->count * plan->batch;
    const size_t each = plan->n * sizeof(typename ring::word);
    plan->group = 1;
    if (s.passes > 0 && each < group_bytes) {
        plan->group = gfp_size_min(vectors, group_bytes / each);
    }
    GFP_TRY(gfp_cuda_ntt_allocate(plan, plan->count * s.table.size * sizeof(power),
                                  s.passes > 0 ? plan->group * each : 0));
    for (int inverse = 0; inverse < 2; inverse++) {
        GFP_LAUNCH(plan->gpu, (fill_table<ring>), item_blocks(plan->count * s.table.size),
                   item_threads, 0, (power *)plan->tables[inverse], s.table, plan->device,
                   plan->count, inverse);
    }
    return GFP_OK;
}

/* ---- passes ---- */

template <class ring, int A = 1>
static gfp_status run_rows(gfp_cuda_ntt_plan *plan, const ntt_pass &pass, unsigned a,
                           size_t vectors, bool backward)
{
    if (a == A) {
        constexpr int LC = row_columns(A, ring::radix);
        typedef rows<ring, A, LC> shape;
        const bool whole = pass.log2_n == A;
        const size_t count = whole ? plan->batch : (size_t)1 << (pass.log2_n - A);
        const size_t tiles = (count + ((size_t)1 << LC) - 1) >> LC;
        const unsigned blocks = (unsigned)(tiles * (whole ? plan->count : vectors));
        if (backward) {
            GFP_LAUNCH(plan->gpu, (rows_backward<ring, A, LC>), blocks, shape::threads,
                       shape::shared, pass);
        } else {
            GFP_LAUNCH(plan->gpu, (rows_forward<ring, A, LC>), blocks, shape::threads,
                       shape::shared, pass);
        }
        return GFP_OK;
    }
    if constexpr (A < row_points) {
        return run_rows<ring, A + 1>(plan, pass, a, vectors, backward);
    }
    return GFP_OK;
}

template <class ring>
static gfp_status run_columns(gfp_cuda_ntt_plan *plan, const ntt_pass &pass, size_t vectors,
                              bool backward)
{
    constexpr int LC = column_columns(ring::radix);
    typedef columns<ring, column_points, LC> shape;
    const unsigned blocks = (unsigned)(vectors << (pass.log2_n - column_points - LC));
    if (backward) {
        GFP_LAUNCH(plan->gpu, (columns_backward<ring, column_points, LC>), blocks, shape::threads,
                   shape::shared, pass);
    } else {
        GFP_LAUNCH(plan->gpu, (columns_forward<ring, column_points, LC>), blocks, shape::threads,
                   shape::shared, pass);
    }
    return GFP_OK;
}

/* The passes over one group of vectors. The pass over rows comes first backwards, and last
 * forwards. */
template <class ring>
static gfp_status run_group(gfp_cuda_ntt_plan *plan, const blocked_shape &s, ntt_pass pass, void *y,
                            const void *x, size_t vectors, bool backward)
{
    for (unsigned i = 0; i <= s.passes; i++) {
        const unsigned depth = backward ? s.passes - i : i;
        pass.in = i == 0 ? x : plan->work;
        pass.out = i == s.passes ? y : plan->work;
        pass.enter = i == 0;
        pass.leave = i == s.passes;
        /* A column pass multiplies by 1/N once, in the powers of the outermost pass. */
        const bool inverse = pass.scaled;
        pass.log2_sub = pass.log2_n - depth * column_points;
        if (depth < s.passes) {
            pass.rounds_at = s.rounds_at[0];
            pass.scaled = inverse && depth == 0;
            GFP_TRY(run_columns<ring>(plan, pass, vectors, backward));
        } else {
            pass.rounds_at = s.rounds_at[1];
            pass.scaled = inverse && s.passes == 0;
            GFP_TRY(run_rows<ring>(plan, pass, s.rest, vectors, backward));
        }
        pass.scaled = inverse;
    }
    return GFP_OK;
}

template <class ring>
static gfp_status blocked_run(gfp_cuda_ntt_plan *plan, void *y, const void *x, gfp_order order,
                              bool inverse)
{
    const blocked_shape s = make_shape<ring::radix>(plan->log2_n);
    const size_t vectors = plan->count * plan->batch;
    const size_t group = s.passes == 0 ? vectors : plan->group;
    const size_t bytes = plan->n * (plan->packed ? sizeof(uint32_t) : sizeof(uint64_t));
    ntt_pass pass = s.pass;
    pass.primes = plan->device;
    pass.tables = plan->tables[inverse];
    pass.batch = (unsigned)plan->batch;
    pass.wide = !plan->packed;
    pass.natural = order == GFP_ORDER_NATURAL;
    pass.scaled = inverse;
    for (size_t first = 0; first < vectors; first += group) {
        pass.first = first;
        GFP_TRY(run_group<ring>(plan, s, pass, (unsigned char *)y + first * bytes,
                                (const unsigned char *)x + first * bytes,
                                gfp_size_min(group, vectors - first),
                                inverse && order == GFP_ORDER_PERMUTED));
    }
    return GFP_OK;
}

} // namespace

#endif
