/* fast_mul.cu: pointwise products over the fields that the fast transforms serve.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu/cuda/fast_fields.h"
#include "gpu/cuda/fast_mul.h"
#include "gpu/cuda/general.cuh"
#include "gpu/cuda/vector/elements.h"

namespace
{
/* The second operands: elements of an array; one element, an argument of the launch. */
struct array_second {
    const uint64_t *y;
    template <unsigned K> __device__ void second(uint64_t (&b)[K], size_t i) const
    {
        general::load(b, y + i * K);
    }
};

template <unsigned MOST> struct constant_second {
    uint64_t c[MOST];
    template <unsigned K> __device__ void second(uint64_t (&b)[K], size_t) const
    {
        static_assert(K <= MOST, "digits");
        general::load(b, general::const_view(c, 1));
    }
};

template <class F, class Second> struct fast_product : Second {
    gfp_fast::radix_constants constants;
    template <unsigned K>
    __device__ void apply(const general::field &f, const general::view &z,
                          const general::const_view &x, const general::const_view &y) const
    {
        gfp_fast::multiply_canonical(F(constants), f, z, x, y);
    }
};

/* cicc of CUDA 13.0 ends with a segmentation fault in products of 16 digits by constants at run
 * time: they are left to the general products. */
constexpr bool is_compiled(unsigned k, uint64_t r)
{
    return gfp_fast::is_served(k, r) && (k < 16 || gfp_fast::is_named(k, r));
}

/* Multiplies by the kernel of a field's type. */
template <class Second> struct multiplication {
    gfp_gpu *gpu;
    const general::field &f;
    uint64_t *z;
    const uint64_t *x;
    const Second &y;
    size_t n;
    template <class Type> gfp_status operator()(Type) const
    {
        typedef typename Type::F F;
        if constexpr (F::k == 16 && F::at_run_time) {
            return GFP_ERR_UNAVAILABLE; /* not is_compiled */
        } else {
            typedef fast_product<F, Second> product;
            const product op = {y, gfp_fast::make_constants((int)f.k, f.r)};
            GFP_LAUNCH(gpu, (general::by_elements<F::k, product>),
                       general::blocks_for(n, general::ELEMENT_THREADS), general::ELEMENT_THREADS,
                       0, f, z, x, n, op);
            return GFP_OK;
        }
    }
};
} // namespace

/* *served := whether the fast arithmetic serves the field; if so, z_i := x_i y_i. */
template <class Second>
static gfp_status try_multiply(gfp_gpu *gpu, const gfp_field *field, uint64_t *z, const uint64_t *x,
                               const Second &y, size_t n, bool *served)
{
    const general::field f = general::field_of(field);
    *served = is_compiled(f.k, f.r);
    if (!*served) {
        return GFP_OK;
    }
    const multiplication<Second> multiply = {gpu, f, z, x, y, n};
    return gfp_fast::with_field(f.k, f.r, multiply);
}

gfp_status gfp_gpu_vec_mul_fast(gfp_gpu *gpu, const gfp_field *field, uint64_t *z,
                                const uint64_t *x, const uint64_t *y, size_t n, bool *served)
{
    return try_multiply(gpu, field, z, x, array_second{y}, n, served);
}

gfp_status gfp_gpu_vec_scale_fast(gfp_gpu *gpu, const gfp_field *field, uint64_t *z,
                                  const uint64_t *x, const uint64_t *c, size_t n, bool *served)
{
    constant_second<16> factor = {};
    memcpy(factor.c, c, gfp_size_min(gfp_field_k(field), 16) * sizeof *c);
    return try_multiply(gpu, field, z, x, factor, n, served);
}
