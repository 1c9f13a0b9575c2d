/* sliced.cuh: the tables of the kernels of one k, included by one file per k.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_TRANSFORM_SLICED_CUH
#define GFP_GPU_CUDA_TRANSFORM_SLICED_CUH

#include "gpu/cuda/fast_fields.h"
#include "gpu/cuda/transform/sliced.h"
#ifndef GFP_FAST_EMULATED
#define GFP_FAST_SHARED(name) extern __shared__ __align__(128) unsigned char name[]
#endif
#include "gpu/cuda/transform/sliced_kernels.h"

/* log2 of the number of elements that counts as many. */
#ifndef GFP_FAST_LOG_MANY
#define GFP_FAST_LOG_MANY 19
#endif

namespace gfp_fast
{

/* Passes of 2 ... 2^MAX_P points over F, in tiles of 2^LOG_E elements. Passes of 2^TWICE_P points
 * or more over many elements (2^GFP_FAST_LOG_MANY) take tiles twice as large (longer runs of
 * memory), TWICE_MINB blocks per processor. Passes of 2^FEW_P points or more with at most as many
 * tiles as the device has processors use twice the threads. */
template <class F_, int MAX_P, int LOG_E, int NT, int MINB, int TWICE_P, int TWICE_MINB, int FEW_P>
struct field_shapes {
    typedef F_ F;
    static constexpr int max_p = MAX_P;
    template <int P> using shape = pass_shape<F, P, LOG_E, NT, MINB>;
    template <int P> static constexpr bool has_twice = P >= TWICE_P;
    template <int P> using twice = pass_shape<F, P, shape<P>::log_e + 1, NT, TWICE_MINB>;
    template <int P> static constexpr bool has_few = P >= FEW_P;
    template <int P> using few = pass_shape<F, P, LOG_E, 2 * NT, 1>;
    static constexpr int most_bytes =
        TWICE_P <= MAX_P ? (int)twice<MAX_P>::bytes : (int)shape<MAX_P>::bytes;
    static constexpr uint64_t many = (uint64_t)1 << GFP_FAST_LOG_MANY;
};

/* Calls fn(shape) with the shape of 2^log_p points. */
template <class C, int P = 1, class Fn>
static GFP_GPU_INLINE gfp_status with_shape(unsigned log_p, const Fn &fn)
{
    if constexpr (P < C::max_p) {
        if (log_p != P) {
            return with_shape<C, P + 1>(log_p, fn);
        }
    }
    return fn(typename C::template shape<P>{});
}
template <class C> static unsigned levels_of(unsigned log_p, uint8_t *log_r)
{
    unsigned count = 0;
    (void)with_shape<C>(log_p, [&](auto s) {
        typedef decltype(s) S;
        count = S::levels;
        for (int i = 0; i < S::levels; i++) {
            log_r[i] = (uint8_t)S::log_r(i);
        }
        return GFP_OK;
    });
    return count;
}
template <class S, bool FORWARD> static gfp_status prepare_one(gfp_gpu *gpu)
{
    auto kernel = run_pass<S, FORWARD>;
    GFP_CUDA_TRY(gpu, cudaFuncSetAttribute((const void *)kernel,
                                           cudaFuncAttributeMaxDynamicSharedMemorySize, S::bytes));
    GFP_CUDA_TRY(gpu, cudaFuncSetAttribute((const void *)kernel,
                                           cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    return GFP_OK;
}
template <class C> static gfp_status prepare_all(gfp_gpu *gpu)
{
    for (unsigned p = 1; p <= (unsigned)C::max_p; p++) {
        GFP_TRY(with_shape<C>(p, [&](auto s) {
            typedef decltype(s) S;
            if constexpr (C::template has_twice<S::log_p>) {
                typedef typename C::template twice<S::log_p> T;
                GFP_TRY((prepare_one<T, true>(gpu)));
                GFP_TRY((prepare_one<T, false>(gpu)));
            }
            if constexpr (C::template has_few<S::log_p>) {
                typedef typename C::template few<S::log_p> T;
                GFP_TRY((prepare_one<T, true>(gpu)));
                GFP_TRY((prepare_one<T, false>(gpu)));
            }
            GFP_TRY((prepare_one<S, true>(gpu)));
            return prepare_one<S, false>(gpu);
        }));
    }
    return GFP_OK;
}
template <class S> static unsigned blocks_of(const gfp_gpu_sliced_args *args)
{
    return (unsigned)((args->columns_end - args->first_column + S::cb - 1) >> S::log_cb);
}
template <class S, bool FORWARD>
static gfp_status launch_one(gfp_gpu *gpu, const gfp_gpu_sliced_args *args)
{
    auto kernel = run_pass<S, FORWARD>;
    GFP_LAUNCH(gpu, kernel, blocks_of<S>(args), S::threads, S::bytes, *args);
    return GFP_OK;
}
template <class C, bool FORWARD>
static gfp_status launch(gfp_gpu *gpu, unsigned log_p, const gfp_gpu_sliced_args *args)
{
    return with_shape<C>(log_p, [&](auto s) {
        typedef decltype(s) S;
        if constexpr (C::template has_twice<S::log_p>) {
            if (args->columns_end - args->first_column >= C::many >> S::log_p) {
                return launch_one<typename C::template twice<S::log_p>, FORWARD>(gpu, args);
            }
        }
        if constexpr (C::template has_few<S::log_p>) {
            if (blocks_of<S>(args) <= (unsigned)gfp_cuda_device_of(gpu)->multiprocessors) {
                return launch_one<typename C::template few<S::log_p>, FORWARD>(gpu, args);
            }
        }
        return launch_one<S, FORWARD>(gpu, args);
    });
}
template <class C>
static gfp_status make_table(gfp_gpu *gpu, uint64_t *table, const uint64_t *powers, unsigned log_m,
                             unsigned log_r, const radix_constants *constants)
{
    auto kernel = make_twiddles<typename C::F>;
    unsigned blocks = (unsigned)((((uint64_t)1 << log_m) + 127) / 128);
    GFP_LAUNCH(gpu, kernel, blocks, 128, 0, table, powers, (int)log_m, (int)log_r, *constants);
    return GFP_OK;
}

template <class C>
static constexpr gfp_gpu_sliced_kernels kernels_of = {
    C::F::k,        (unsigned)C::max_p, (unsigned)C::most_bytes, levels_of<C>,
    prepare_all<C>, launch<C, true>,    launch<C, false>,        make_table<C>,
};

/* The kernels that serve r^K + 1, with the same shapes for every r. */
template <int K, int... SHAPES> static const gfp_gpu_sliced_kernels *find_kernels(u64 r)
{
    return with_radix<K>(r, [](auto type) {
        return &kernels_of<field_shapes<typename decltype(type)::F, SHAPES...>>;
    });
}

} // namespace gfp_fast

#endif
