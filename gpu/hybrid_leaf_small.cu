/* hybrid_leaf_small.cu: products of small leaves, of 2^8 digits and k <= 16, from digits to digits
 * at once: a block takes 16 leaves of both factors. The points' layout and rounds are those of
 * hybrid_leaf_edge.cuh; the last two of its levels are left out, where X^4 - g is multiplied.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "hybrid_leaf_rows.cuh"
#include "hybrid_leaf_settle.cuh"

using namespace gfp_leaf;

/* Shared memory: the first factor's transforms, then products, modulo every prime; and what the
 * second factor is moved through. */
template <class E>
static constexpr size_t small_shared = (SETTLED_PRIMES + 1) * settled_plane<E> * sizeof(u32);

/* The first round of a factor modulo a prime, and the levels of the second one; residues below q.
 * Through `area`, of which the thread may use the places of the second round afterwards. */
template <class E>
static __device__ __forceinline__ void split_leaf(E &at, u32 *x, const s64 *d, u32 *area,
                                                  const column &c, int prime, int thread)
{
    constexpr int W0 = E::W0, B0 = E::B0, B1 = E::B1;
    const gfp_gpu_leaf_pass &pass = at.pass;
    at.table = pass.forward + prime * pass.table;
    LEAF_UNROLL
    for (int i = 0; i < 16; i++) {
        x[i] = gfp_hybrid::project(d[i], at.m.q, pass.inverse[prime]);
    }
    at.template split_all<W0, 0>(x, c.leaf, 0);
    settled_put<E, W0, B0>(area, x, thread, 0);
    __syncthreads();
    settled_get<E, 4, B1>(x, area, thread, 0);
    at.template level<4, W0, 0, true>(x, c.leaf, (u32)thread >> B1);
    at.template level<4, W0, 1, true>(x, c.leaf, (u32)thread >> B1);
    LEAF_UNROLL
    for (int i = 0; i < 16; i++) {
        x[i] = least(x[i], x[i] - at.m.twice);
        x[i] = least(x[i], x[i] - at.m.q);
    }
}

/* pass.digits := those times the digits at pass.b, which may be the same. */
template <int LOG_K>
GFP_KERNEL((edge<LOG_K, 8 - LOG_K>::THREADS), 2)
multiply_leaves(const __grid_constant__ gfp_gpu_leaf_pass pass)
{
    typedef edge<LOG_K, 8 - LOG_K> E;
    constexpr int W0 = E::W0, W1 = E::W1, B0 = E::B0, B1 = E::B1;
    static_assert(W0 == 4 && W1 == 4, "two rounds of sixteen points");
    GFP_FAST_SHARED(memory);
    u32 *planes = (u32 *)memory, *area = planes + SETTLED_PRIMES * settled_plane<E>;
    const int thread = (int)threadIdx.x;
    E at(pass, blockIdx.x);
    /* The thread's column is the same in both rounds. */
    const int p = E::template position<W0, B0>(thread, 0, 0);
    const column c = at.column_of(p);
    s64 d[16];
    u32 x[16], y[16];
    at.load_digits(d, pass.digits, c, p);
    LEAF_ROLLED
    for (int prime = 0; prime < SETTLED_PRIMES; prime++) {
        u32 *plane = planes + prime * settled_plane<E>;
        at.m = modulus(pass.q[prime]);
        split_leaf(at, x, d, plane, c, prime, thread);
        settled_put<E, W1, B1>(plane, x, thread, 0);
    }
    at.load_digits(d, (const s64 *)pass.b, c, p);
    LEAF_ROLLED
    for (int prime = 0; prime < SETTLED_PRIMES; prime++) {
        u32 *plane = planes + prime * settled_plane<E>;
        at.m = modulus(pass.q[prime]);
        split_leaf(at, y, d, area, c, prime, thread);
        settled_get<E, W1, B1>(x, plane, thread, 0);
        factor w[2];
        load_two(at.table + at.template node<W0 + 1>(c.leaf, (u32)thread >> B1 << 1), w[0], w[1]);
        LEAF_UNROLL
        for (int i = 0; i < 4; i++) {
            rows<2, 4>::multiply(x + 4 * i, y + 4 * i, w[i / 2], i % 2 != 0, at.m,
                                 pass.inverse[prime]);
        }
        at.table = pass.backward + prime * pass.table;
        at.template level<4, W0, 1, false>(x, c.leaf, (u32)thread >> B1);
        at.template level<4, W0, 0, false>(x, c.leaf, (u32)thread >> B1);
        settled_put<E, W1, B1>(plane, x, thread, 0);
        __syncthreads();
        settled_get<E, W0, B0>(x, plane, thread, 0);
        at.template join_all<W0, 0>(x, c.leaf, 0);
        LEAF_UNROLL
        for (int i = 0; i < 16; i++) {
            const u32 z = multiply_lazy(x[i], pass.scale[prime], at.m.q);
            x[i] = least(z, z - at.m.q);
        }
        settled_put<E, W0, B0>(plane, x, thread, 0);
    }
    u32 z[SETTLED_PRIMES][16];
    LEAF_UNROLL
    for (int prime = 0; prime < SETTLED_PRIMES; prime++) {
        settled_get<E, W0, B0>(z[prime], planes + prime * settled_plane<E>, thread, 0);
    }
    settle_group<E, LOG_K>(pass, z, planes, thread, 0);
    __syncthreads();
    store_digits<E, LOG_K>(at, planes, thread);
}

template <int LOG_K> static gfp_status launch_small(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass)
{
    typedef edge<LOG_K, 8 - LOG_K> E;
    const uint64_t blocks = ((pass->leaves - 1) >> E::LOG_T) + 1;
    if (blocks > INT32_MAX) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "too many blocks for one launch");
    }
    GFP_CUDA_TRY(gpu, cudaFuncSetAttribute((const void *)multiply_leaves<LOG_K>,
                                           cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           (int)small_shared<E>));
    GFP_LAUNCH(gpu, multiply_leaves<LOG_K>, (unsigned)blocks, E::THREADS, small_shared<E>, *pass);
    return GFP_OK;
}

bool gfp_gpu_leaf_is_small(const gfp_gpu *gpu, unsigned log2_k, uint64_t length, unsigned primes)
{
    return log2_k <= SETTLED_MAX_LOG_K && length << log2_k == 256 && primes == SETTLED_PRIMES &&
           (size_t)gpu->shared_per_block >= small_shared<edge<1, 7>>;
}

gfp_status gfp_gpu_leaf_small(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass)
{
    switch (pass->log2_k) {
    case 1:
        return launch_small<1>(gpu, pass);
    case 2:
        return launch_small<2>(gpu, pass);
    case 3:
        return launch_small<3>(gpu, pass);
    default:
        return launch_small<4>(gpu, pass);
    }
}
