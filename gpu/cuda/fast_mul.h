/* fast_mul.h: products of canonical elements by the arithmetic of the fast transforms; results are
 * canonical.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_FAST_MUL_H
#define GFP_GPU_CUDA_FAST_MUL_H

#include "gpu/cuda/arith.h"
#include "gpu/cuda/fast_arith.h"

namespace gfp_fast
{

/* z := x y in loosely balanced digits, as signed words; z must not be x or y. */
template <class F>
FAST_HD void multiply_loose(const F &over, const general::view &z, const general::const_view &x,
                            const general::const_view &y)
{
    u32 a[2 * F::k], b[2 * F::k];
    unroll<F::k>([&](auto ic) {
        constexpr int i = decltype(ic)::value;
        const u64 v = x[i], w = y[i];
        a[2 * i] = (u32)v, a[2 * i + 1] = (u32)(v >> 32);
        b[2 * i] = (u32)w, b[2 * i + 1] = (u32)(w >> 32);
    });
    /* multiply_all, not multiply: nvcc 13.0 crashes on the sums of pairs here. */
    multiply_all(over, a, b, [&](int pair, u32 v0, u32 v1, u32 v2, u32 v3) {
        z[2 * pair] = join(v0, v1);
        z[2 * pair + 1] = join(v2, v3);
    });
}

/* z := x y, all of K = F::k digits; z must not be x or y. f describes the same field as `over`. */
template <class F>
FAST_HD void multiply_canonical(const F &over, const general::field &f, const general::view &z,
                                const general::const_view &x, const general::const_view &y)
{
    multiply_loose(over, z, x, y);
    general::set_sums<F::k>(f, z,
                            [&](unsigned i) { return static_cast<general::i128>((s64)z[i]); });
}

/* sum := sum + x y; `product` has room for an element. All are different. */
template <class F>
FAST_HD void multiply_add_canonical(const F &over, const general::field &f,
                                    const general::view &sum, const general::view &product,
                                    const general::const_view &x, const general::const_view &y)
{
    multiply_loose(over, product, x, y);
    general::set_sums<F::k>(
        f, sum, [&](unsigned i) { return static_cast<general::i128>((s64)product[i]) + sum[i]; });
}

} // namespace gfp_fast
#endif
