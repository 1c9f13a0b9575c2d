/* reference.cu: transforms over Z/pZ by plain kernels, for every field, length and batch: the slow
 * twin of the fast transforms.
 *
 * Forward, radix 2, decimation in frequency: the stage of half h takes each pair (a, b) at distance
 * h in blocks of 2h to (a + b, (a - b) w_2h^j), where j is the place of a in its block. The result
 * is in permuted order. The inverse undoes the stages one by one. A stage is two kernels:
 * butterflies, one per thread, and products by twiddles, from a table of w_N^t for t < N/2k. Since
 * w_N^(N/2k) = r, the other powers are shifts of these.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/general.cuh"

namespace
{
using general::const_view;
using general::view;

struct reference {
    general::field f;
    gfp_gpu_array *table; /* w_N^t, t < 2^table_log */
    unsigned table_log;
    unsigned unit; /* w_N^(2^table_log) = r^unit; unit is 1, or 2k/N for N < 2k */
};

/* The place of the first element of pair i, in the stage of half 2^half_log. */
static __device__ size_t pair_at(size_t i, unsigned half_log)
{
    return (i >> half_log << (half_log + 1)) | (i & ((size_t{1} << half_log) - 1));
}

struct butterflies {
    general::field f;
    uint64_t *x;
    unsigned half_log;
    __device__ void operator()(size_t i) const
    {
        const size_t a = pair_at(i, half_log), b = a + (size_t{1} << half_log);
        general::butterfly(f, view{x + a * f.k, 1}, view{x + b * f.k, 1});
    }
};

/* Multiplies the second elements of pairs by w_2h^(+-j). */
struct twiddles {
    const uint64_t *table;
    unsigned k, log2_n, half_log, table_log, unit;
    bool inverse;
    __device__ size_t at(size_t i) const
    {
        return pair_at(i, half_log) + (size_t{1} << half_log);
    }
    /* The exponent t of the factor w_N^t. */
    __device__ size_t power(size_t i) const
    {
        const size_t n = size_t{1} << log2_n;
        const size_t t = (i & ((size_t{1} << half_log) - 1)) << (log2_n - 1 - half_log);
        return inverse ? (n - t) & (n - 1) : t;
    }
    __device__ size_t index(size_t i) const
    {
        return power(i) & ((size_t{1} << table_log) - 1);
    }
    __device__ uint64_t digit(size_t i, unsigned d) const
    {
        return table[index(i) * k + d];
    }
    __device__ general::wide column(const general::field &f, const const_view &x,
                                    const const_view &y, size_t i, unsigned d) const
    {
        const unsigned shift = static_cast<unsigned>(power(i) >> table_log) * unit;
        const unsigned from = (d - shift) & (2 * k - 1);
        if (index(i) == 0) { /* only a shift by r^shift */
            const general::i128 moved = x[from & (k - 1)];
            return general::make_wide(from < k ? moved : -moved);
        }
        return general::column(f, x, y, from);
    }
};

/* Exchanges the words of elements i and bitrev(i), i < bitrev(i), in each block of N. */
struct reorder {
    uint64_t *x;
    unsigned k, log2_n;
    __device__ void operator()(size_t word) const
    {
        const size_t element = word / k, n = size_t{1} << log2_n;
        const size_t i = element & (n - 1), j = __brevll(i) >> (64 - log2_n);
        if (i < j) {
            const size_t other = word + (j - i) * k;
            const uint64_t t = x[word];
            x[word] = x[other];
            x[other] = t;
        }
    }
};

static gfp_status stage_twiddles(const gfp_gpu_fft_plan *plan, uint64_t *x, unsigned half_log,
                                 bool inverse)
{
    const reference *own = static_cast<const reference *>(plan->state);
    if (half_log == 0) {
        return GFP_OK; /* all twiddles are 1 */
    }
    const twiddles map = {own->table->data, plan->k,   plan->log2_n, half_log,
                          own->table_log,   own->unit, inverse};
    return general::launch_columns(plan->gpu, own->f, x, x, plan->batch * plan->n / 2, map);
}

static gfp_status stage_butterflies(const gfp_gpu_fft_plan *plan, uint64_t *x, unsigned half_log)
{
    const reference *own = static_cast<const reference *>(plan->state);
    return general::launch(plan->gpu, plan->batch * plan->n / 2, butterflies{own->f, x, half_log});
}

/* Changes x in place from permuted to natural order, or back, if `order` is natural. */
static gfp_status change_order(const gfp_gpu_fft_plan *plan, uint64_t *x, gfp_order order)
{
    return order == GFP_ORDER_PERMUTED || plan->log2_n == 0
               ? GFP_OK
               : general::launch(plan->gpu, plan->words, reorder{x, plan->k, plan->log2_n});
}

static gfp_status copy_input(const gfp_gpu_fft_plan *plan, uint64_t *y, const uint64_t *x)
{
    if (y != x) {
        GFP_CUDA_TRY(plan->gpu,
                     cudaMemcpyAsync(y, x, plan->words * sizeof *y, cudaMemcpyDeviceToDevice,
                                     gfp_cuda_of(plan->gpu)->stream));
    }
    return GFP_OK;
}

static gfp_status reference_forward(gfp_gpu_fft_plan *plan, uint64_t *y, const uint64_t *x,
                                    gfp_order order)
{
    GFP_TRY(copy_input(plan, y, x));
    for (unsigned half_log = plan->log2_n; half_log-- > 0;) {
        GFP_TRY(stage_butterflies(plan, y, half_log));
        GFP_TRY(stage_twiddles(plan, y, half_log, false));
    }
    return change_order(plan, y, order);
}

static gfp_status reference_inverse(gfp_gpu_fft_plan *plan, uint64_t *x, const uint64_t *y,
                                    gfp_order order)
{
    const reference *own = static_cast<const reference *>(plan->state);
    GFP_TRY(copy_input(plan, x, y));
    GFP_TRY(change_order(plan, x, order));
    for (unsigned half_log = 0; half_log < plan->log2_n; half_log++) {
        GFP_TRY(stage_twiddles(plan, x, half_log, true));
        GFP_TRY(stage_butterflies(plan, x, half_log));
    }
    if (plan->log2_n == 0) {
        return GFP_OK;
    }
    return general::launch(plan->gpu, plan->batch * plan->n,
                           general::divide_by_2exp{own->f, x, x, plan->k, 1, plan->log2_n});
}

static bool reference_serves(const gfp_gpu *, const gfp_field *, unsigned, size_t)
{
    return true;
}

static gfp_status make_table(gfp_gpu_fft_plan *plan, reference *own)
{
    uint64_t root[GFP_MAX_K];
    const size_t size = size_t{1} << own->table_log;
    GFP_TRY(gfp_gpu_array_create(&own->table, plan->gpu, size * plan->k, nullptr));
    gfp_status status = gfp_field_root(plan->field, root, plan->log2_n);
    if (status == GFP_OK) {
        status = gfp_gpu_vec_powers(plan->field, own->table, root, size);
    }
    if (status != GFP_OK) {
        gfp_gpu_array_destroy(own->table);
    }
    return status;
}

static gfp_status reference_create(gfp_gpu_fft_plan *plan)
{
    gfp_gpu *gpu = plan->gpu;
    const unsigned full = static_cast<unsigned>(__builtin_ctz(2 * plan->k)); /* log2 2k */
    reference *own = static_cast<reference *>(gfp_allocate(&gpu->allocator, 1, sizeof *own));
    if (own == nullptr) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    own->f = general::field_of(plan->field);
    own->table = nullptr;
    own->table_log = plan->log2_n > full ? plan->log2_n - full : 0;
    own->unit = plan->log2_n < full ? 1u << (full - plan->log2_n) : 1;
    const gfp_status status = make_table(plan, own);
    if (status != GFP_OK) {
        gfp_release(&gpu->allocator, own, 1, sizeof *own);
        return status;
    }
    plan->state = own;
    return GFP_OK;
}

static void reference_destroy(gfp_gpu_fft_plan *plan)
{
    reference *own = static_cast<reference *>(plan->state);
    gfp_gpu_array_destroy(own->table);
    gfp_release(&plan->gpu->allocator, own, 1, sizeof *own);
}
} // namespace

const gfp_gpu_fft_engine gfp_gpu_fft_reference = {
    GFP_GPU_FFT_REFERENCE, reference_serves,  reference_create, reference_forward,
    reference_inverse,     reference_destroy, nullptr,
};
