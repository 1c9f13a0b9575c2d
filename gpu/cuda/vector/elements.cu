/* elements.cu: arithmetic on device arrays of elements.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu/cuda/general.cuh"
#include "gpu/cuda/wide_product.h"
#include "gpu/cuda/vector/elements.h"

using general::const_view;
using general::field;
using general::view;
using general::wide;

namespace
{
/* Operations on x_i and y_i. apply serves a thread per element (K digits), column a thread per
 * column (any k). */
struct add_op {
    template <unsigned K>
    __device__ static void apply(const field &f, const view &z, const const_view &x,
                                 const const_view &y)
    {
        general::add<K>(f, z, x, y);
    }
    __device__ static wide column(const field &, const const_view &x, const const_view &y,
                                  unsigned d)
    {
        return general::make_wide(static_cast<general::i128>(x[d]) + y[d]);
    }
};

struct sub_op {
    template <unsigned K>
    __device__ static void apply(const field &f, const view &z, const const_view &x,
                                 const const_view &y)
    {
        general::sub<K>(f, z, x, y);
    }
    __device__ static wide column(const field &, const const_view &x, const const_view &y,
                                  unsigned d)
    {
        return general::make_wide(static_cast<general::i128>(x[d]) - y[d]);
    }
};

/* The second operand is the first one. */
struct neg_op {
    template <unsigned K>
    __device__ static void apply(const field &f, const view &z, const const_view &x,
                                 const const_view &)
    {
        general::neg<K>(f, z, x);
    }
    __device__ static wide column(const field &, const const_view &x, const const_view &,
                                  unsigned d)
    {
        return general::make_wide(-static_cast<general::i128>(x[d]));
    }
};

struct mul_op {
    template <unsigned K>
    __device__ static void apply(const field &f, const view &z, const const_view &x,
                                 const const_view &y)
    {
        general::mul<K>(f, z, x, y);
    }
    __device__ static wide column(const field &f, const const_view &x, const const_view &y,
                                  unsigned d)
    {
        return general::column(f, x, y, d);
    }
};

/* The second operands: `row` reads element i mod n of an array; `constant` is one element, an
 * argument of the launch. */
struct row {
    const uint64_t *y;
    size_t n;
    __device__ size_t place(size_t i) const
    {
        return i < n ? i : i % n; /* a division of 64 bits takes longer than a product at k = 2 */
    }
    template <unsigned K> __device__ void second(uint64_t (&b)[K], size_t i) const
    {
        general::load(b, y + place(i) * K);
    }
    __device__ uint64_t digit(size_t i, unsigned d, unsigned k) const
    {
        return y[place(i) * k + d];
    }
};

struct constant {
    uint64_t c[GFP_MAX_K];
    template <unsigned K> __device__ void second(uint64_t (&b)[K], size_t) const
    {
        general::load(b, const_view(c, 1));
    }
    __device__ uint64_t digit(size_t, unsigned d, unsigned) const
    {
        return c[d];
    }
};

template <class Op, class Second> struct elements : Op, Second {
};

template <class Op, class Second> struct columns {
    Second y;
    unsigned k;
    __device__ size_t at(size_t i) const
    {
        return i;
    }
    __device__ uint64_t digit(size_t i, unsigned d) const
    {
        return y.digit(i, d, k);
    }
    __device__ wide column(const field &f, const const_view &a, const const_view &b, size_t,
                           unsigned d) const
    {
        return Op::column(f, a, b, d);
    }
};

} // namespace

template <unsigned K, class Op, class Second>
static gfp_status launch_elements(gfp_gpu *gpu, const field &f, uint64_t *z, const uint64_t *x,
                                  size_t n, const Second &y)
{
    const unsigned blocks = general::blocks_for(n, general::ELEMENT_THREADS);
    const elements<Op, Second> op = {{}, y};
    GFP_LAUNCH(gpu, (general::by_elements<K, elements<Op, Second>>), blocks,
               general::ELEMENT_THREADS, 0, f, z, x, n, op);
    return GFP_OK;
}

/* z_i := Op(x_i, y_i), i < n. */
template <class Op, class Second>
static gfp_status elements_launch(gfp_gpu *gpu, const gfp_field *over, uint64_t *z,
                                  const uint64_t *x, size_t n, const Second &y)
{
    const field f = general::field_of(over);
    switch (f.k) {
    case 2:
        return launch_elements<2, Op>(gpu, f, z, x, n, y);
    case 4:
        return launch_elements<4, Op>(gpu, f, z, x, n, y);
    case 8:
        return launch_elements<8, Op>(gpu, f, z, x, n, y);
    case 16:
        return launch_elements<16, Op>(gpu, f, z, x, n, y);
    default:
        return general::launch_columns(gpu, f, z, x, n, columns<Op, Second>{y, f.k});
    }
}

static gfp_status elements_multiply(gfp_gpu *gpu, const gfp_field *over, uint64_t *z,
                                    const uint64_t *x, const uint64_t *y, size_t n)
{
    bool served = false;
    GFP_TRY(gfp_gpu_vec_mul_fast(gpu, over, z, x, y, n, &served));
    if (!served) {
        const gfp_gpu_wide_mul m = {z, x, y, nullptr, nullptr, 0, n};
        GFP_TRY(gfp_gpu_vec_mul_wide(gpu, over, &m, &served));
    }
    return served ? GFP_OK : elements_launch<mul_op>(gpu, over, z, x, n, row{y, n});
}

/* Sums, differences and negatives over fields of many digits, as sums of rows; z may be x or y. */
static gfp_status elements_sum(gfp_gpu *gpu, gfp_gpu_vec_operation operation, const gfp_field *over,
                               uint64_t *z, const uint64_t *x, const uint64_t *y, size_t n)
{
    gfp_gpu_row_sum sum = {};
    const bool negates = operation == GFP_GPU_VEC_NEG;
    sum.z = z;
    sum.x[0] = x;
    sum.x[1] = y;
    sum.count = negates ? 1 : 2;
    sum.negated = negates ? 1 : operation == GFP_GPU_VEC_SUB ? 2 : 0;
    sum.rows = 1;
    sum.n = n;
    return n == 0 ? GFP_OK : gfp_cuda_sum_rows(gpu, over, &sum);
}

static gfp_status elements_combine(gfp_gpu *gpu, gfp_gpu_vec_operation operation,
                                   const gfp_field *over, uint64_t *z, const uint64_t *x,
                                   const uint64_t *y, size_t n)
{
    const bool linear = operation == GFP_GPU_VEC_ADD || operation == GFP_GPU_VEC_SUB ||
                        operation == GFP_GPU_VEC_NEG;
    if (linear && gfp_wide::elements_served((int)gfp_field_k(over), gfp_field_r(over))) {
        return elements_sum(gpu, operation, over, z, x, y, n);
    }
    switch (operation) {
    case GFP_GPU_VEC_ADD:
        return elements_launch<add_op>(gpu, over, z, x, n, row{y, n});
    case GFP_GPU_VEC_SUB:
        return elements_launch<sub_op>(gpu, over, z, x, n, row{y, n});
    case GFP_GPU_VEC_NEG:
        return elements_launch<neg_op>(gpu, over, z, x, n, row{y, n});
    case GFP_GPU_VEC_MUL:
        return elements_multiply(gpu, over, z, x, y, n);
    case GFP_GPU_VEC_REVERSE:
        break;
    }
    return gfp_cuda_reverse(gpu, over, z, x, n);
}

static gfp_status elements_scale(gfp_gpu *gpu, const gfp_field *over, uint64_t *z,
                                 const uint64_t *x, const uint64_t *c, size_t n)
{
    constant factor = {};
    bool served = false;
    GFP_TRY(gfp_gpu_vec_scale_fast(gpu, over, z, x, c, n, &served));
    if (!served) {
        const gfp_gpu_wide_mul m = {z, x, nullptr, c, nullptr, 0, n};
        GFP_TRY(gfp_gpu_vec_mul_wide(gpu, over, &m, &served));
    }
    memcpy(factor.c, c, gfp_field_k(over) * sizeof *c);
    return served ? GFP_OK : elements_launch<mul_op>(gpu, over, z, x, n, factor);
}

const gfp_gpu_vec_calls gfp_cuda_vec = {
    elements_combine, elements_scale,      gfp_cuda_search,   gfp_cuda_fold_words,
    gfp_cuda_fold,    gfp_cuda_evaluate,   gfp_cuda_sum_rows, gfp_cuda_mul_index,
    gfp_cuda_euclid,  gfp_cuda_mul_matrix,
};
