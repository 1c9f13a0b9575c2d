/* wide.cuh: the kernels of one k: GFP_WIDE_K digits (wide.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/transform/wide.h"
#include "gpu/cuda/wide_lanes.cuh"

namespace gfp_wide
{

static constexpr int K = GFP_WIDE_K;
static constexpr bool WIDE = is_wide(K);

/* ---- products ---- */

static __global__ void __launch_bounds__(PRODUCT_THREADS, product_blocks(K))
    product_kernel(const __grid_constant__ gfp_gpu_wide_products a, const __grid_constant__ radix R)
{
    constexpr int V = shape<K>::V, L = shape<K>::L;
    __shared__ product_room<K, PRODUCT_THREADS> room;
    const int c = (int)threadIdx.x % L, slot = (int)threadIdx.x / L;
    const uint64_t e = (uint64_t)blockIdx.x * (PRODUCT_THREADS / L) + slot;
    const bool valid = e < a.count;
    const uint64_t mask = ((uint64_t)1 << a.log_n) - 1, place = valid ? e : 0;
    uint64_t power = 0;
    if (a.log_q != 0) {
        uint32_t number = (uint32_t)(place >> a.log_s) & ((1u << a.log_q) - 1);
        power =
            ((uint64_t)(__brev(number) >> (32 - a.log_q)) * (place & (((uint64_t)1 << a.log_s) - 1))
             << a.log_step) &
            mask;
        if (a.inverse) {
            power = ((uint64_t)0 - power) & mask;
        }
    }
    const uint32_t turn = (uint32_t)(power >> a.log_table);
    const int32_t *entry = a.table + (power & (((uint64_t)1 << a.log_table) - 1)) * ENTRY<K>;
    uint64_t *data = a.data + place * K;
    int64_t x[V], z[V];
    unroll<V>([&](auto i_) {
        uint32_t from = (uint32_t)(c + L * GFP_AT(i_)) - turn;
        int64_t d = (int64_t)data[from & (K - 1)];
        x[GFP_AT(i_)] = (from & K) != 0 ? -d : d;
    });
    multiply(x, table_entry<K>{entry}, room, slot, c, R, z);
    if (valid) {
        store_digits<K>(data, z, c);
    }
}

static __global__ void __launch_bounds__(PRODUCT_THREADS, product_blocks(K))
    scale_kernel(uint64_t *out, const uint64_t *in, const int32_t *table, uint64_t count,
                 const __grid_constant__ radix R)
{
    constexpr int V = shape<K>::V, L = shape<K>::L;
    __shared__ product_room<K, PRODUCT_THREADS> room;
    const int c = (int)threadIdx.x % L, slot = (int)threadIdx.x / L;
    const uint64_t e = (uint64_t)blockIdx.x * (PRODUCT_THREADS / L) + slot,
                   place = e < count ? e : 0;
    int64_t x[V], z[V];
    load_digits<K>(x, in + place * K, c);
    multiply(x, table_entry<K>{table}, room, slot, c, R, z);
    if (e < count) {
        store_digits<K>(out + e * K, z, c);
    }
}

static __global__ void entry_kernel(int32_t *table, const uint64_t *in, uint64_t count,
                                    const __grid_constant__ radix R)
{
    constexpr int V = shape<K>::V, L = shape<K>::L;
    const int c = (int)threadIdx.x % L;
    const uint64_t e = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / L;
    if (e >= count) {
        return;
    }
    int64_t y[V];
    load_digits<K>(y, in + e * K, c);
    unroll<PRIMES>([&](auto p_) {
        constexpr int P = GFP_AT(p_);
        int32_t v[V];
        gfp_wide::prepare<K, P>(y, R, v);
        put_entry<K, P>(v, table + e * ENTRY<K>, c);
    });
}

/* ---- passes ---- */

/* A thread holds digits q, q + K/4, q + K/2, q + 3K/4 of elements, q < LANES. Each digit is three
 * words of 22 bits; the last word is signed and holds all higher bits. Sums of up to 64 digits need
 * no carries, and a DFT of 8 points needs no digit of another thread. */
static constexpr int LANES = K / 4;
static constexpr int PAD = LANES % 32; /* puts elements of a warp into different banks */

struct words {
    int32_t w[4][3];
};

static __device__ __forceinline__ words split(const uint64_t (&d)[4], bool canonical)
{
    words x;
    unroll<4>([&](auto m_) {
        constexpr int m = GFP_AT(m_);
        x.w[m][0] = (int32_t)(d[m] & 0x3fffff);
        x.w[m][1] = (int32_t)(d[m] >> 22 & 0x3fffff);
        x.w[m][2] = canonical ? (int32_t)(d[m] >> 44) : (int32_t)((int64_t)d[m] >> 44);
    });
    return x;
}

/* Converts back to signed digits, each at most r/2 + 2^-18 r with carries added, if r >= 2^56, and
 * at most r/2 + 2^-10 r otherwise. WIDE: at most r/2 + 1. */
static __device__ __forceinline__ void join(const words &x, int q, const radix &R, int64_t (&d)[4])
{
    int32_t carry[4];
    unroll<4>([&](auto m_) {
        constexpr int m = GFP_AT(m_);
        int64_t top = mad(x.w[m][2], 1 << 22, (int64_t)x.w[m][1]) + (x.w[m][0] >> 22);
        int32_t h =
            high(mul((int32_t)((uint32_t)(int32_t)(top >> R.sum_right) << R.sum_left), R.rho1));
        int32_t c = (h + (1 << 20)) >> 21;
        uint64_t w = ((uint64_t)top << 22) + (uint32_t)(x.w[m][0] & 0x3fffff);
        d[m] = (int64_t)((uint64_t)mad(-c, R.r_lo, (int64_t)w) -
                         ((uint64_t)((uint32_t)c * (uint32_t)R.r_hi) << 32));
        if constexpr (WIDE) {
            int32_t part = h - (c << 21);
            if ((part ^ high(d[m])) < 0 &&
                (d[m] > ((int64_t)1 << 62) || d[m] < -((int64_t)1 << 62))) {
                c += part >= 0 ? 1 : -1;
                d[m] = (int64_t)(part >= 0 ? (uint64_t)d[m] - R.r : (uint64_t)d[m] + R.r);
            }
        }
        carry[m] = c;
    });
    add_carries<K, 4, LANES>(d, carry, q, R);
}

static constexpr int log2_of(int n)
{
    return n <= 1 ? 0 : 1 + log2_of(n / 2);
}
static constexpr int reversed_bits(int i, int bits)
{
    int r = 0;
    for (int b = 0; b < bits; b++) {
        r |= (i >> b & 1) << (bits - 1 - b);
    }
    return r;
}

/* x[u] += x[v], x[v] := (x[u] - x[v]) r^(TURN K/4), both from the old values; then its inverse,
 * times 2. */
template <int TURN> static __device__ __forceinline__ void butterfly(words &a, words &b)
{
    words t;
    unroll<12>([&](auto i_) {
        constexpr int m = GFP_AT(i_) / 3, w = GFP_AT(i_) % 3, to = (m + TURN) % 4;
        t.w[to][w] = m + TURN >= 4 ? b.w[m][w] - a.w[m][w] : a.w[m][w] - b.w[m][w];
        a.w[m][w] += b.w[m][w];
    });
    b = t;
}
template <int TURN> static __device__ __forceinline__ void butterfly_back(words &a, words &b)
{
    words t;
    unroll<12>([&](auto i_) {
        constexpr int m = GFP_AT(i_) / 3, w = GFP_AT(i_) % 3, from = (m + TURN) % 4;
        int32_t v = m + TURN >= 4 ? -b.w[from][w] : b.w[from][w];
        t.w[m][w] = a.w[m][w] - v;
        a.w[m][w] += v;
    });
    b = t;
}
/* The DFT of R <= 8 points, natural order in, bit-reversed order out; then its inverse, times R. */
template <bool INVERSE, int R> static __device__ __forceinline__ void dft(words (&x)[R])
{
    constexpr int LEVELS = log2_of(R);
    unroll<LEVELS>([&](auto l_) {
        constexpr int h = INVERSE ? 1 << GFP_AT(l_) : R >> (GFP_AT(l_) + 1);
        unroll<R / 2>([&](auto b_) {
            constexpr int j = GFP_AT(b_) % h, u = GFP_AT(b_) / h * 2 * h + j, turn = 4 / h * j;
            if constexpr (INVERSE) {
                butterfly_back<turn>(x[u], x[u + h]);
            } else {
                butterfly<turn>(x[u], x[u + h]);
            }
        });
    });
}

template <int R1, int R2> struct tile {
    static constexpr int R = R1 * R2;
    static constexpr int COLUMNS =
        128 / (R2 * LANES) != 0 ? 128 / (R2 * LANES) : 1; /* columns of a block */
    static constexpr int THREADS = COLUMNS * R2 * LANES;
    /* Words of shared memory: three planes, each with rows of R2 elements. */
    static constexpr int ROW = R2 * (K + PAD) + PAD;
    static constexpr int PLANE = COLUMNS * R1 * ROW;
    static constexpr size_t SHARED = R2 == 1 ? 0 : 3 * sizeof(int32_t) * (size_t)PLANE;
    static constexpr int BLOCKS = R1 == 8 ? 384 / THREADS : 640 / THREADS;
};

/* The place where `column` begins, and the number of the column in the rest of the level. */
struct place {
    uint64_t first;
    uint32_t number;
};
template <int R>
static __device__ __forceinline__ place find(const gfp_gpu_wide_pass &a, uint64_t column)
{
    uint64_t in_block = column & (((uint64_t)1 << a.log_s) - 1);
    return {(column - in_block) * R + in_block, (uint32_t)(in_block >> a.log_inner)};
}
/* The place of element e on the natural side of its transform. */
static __device__ __forceinline__ uint64_t natural(const gfp_gpu_wide_pass &a, uint64_t e)
{
    if (!a.reversed || a.log_n == 0) {
        return e;
    }
    uint64_t mask = ((uint64_t)1 << a.log_n) - 1;
    return (e & ~mask) | __brevll(e & mask) >> (64 - a.log_n);
}

/* Loads element e, rotated back by `turn` digits. */
static __device__ __forceinline__ words load(const gfp_gpu_wide_pass &a, uint64_t e, int q,
                                             uint32_t turn)
{
    const uint64_t *in = a.in + e * K;
    uint64_t d[4];
    unroll<4>([&](auto m_) { d[GFP_AT(m_)] = in[(q + GFP_AT(m_) * LANES + turn) & (K - 1)]; });
    words x = split(d, a.canonical_in);
    if (turn != 0) {
        unroll<4>([&](auto m_) {
            int32_t sign = ((q + GFP_AT(m_) * LANES + turn) & K) != 0 ? -1 : 1;
            unroll<3>([&](auto w_) { x.w[GFP_AT(m_)][GFP_AT(w_)] *= sign; });
        });
    }
    return x;
}
/* Stores element e, rotated by `turn` digits. */
static __device__ __forceinline__ void store(const gfp_gpu_wide_pass &a, uint64_t e, int q,
                                             uint32_t turn, const words &x, bool valid,
                                             const radix &R)
{
    int64_t d[4];
    join(x, q, R, d);
    if (a.canonical_out) {
        canonical<4, LANES>(d, q, R);
    }
    if (valid) {
        uint64_t *out = a.out + e * K;
        unroll<4>([&](auto m_) {
            uint32_t to = q + GFP_AT(m_) * LANES + turn;
            out[to & (K - 1)] = (uint64_t)((to & K) != 0 ? -d[GFP_AT(m_)] : d[GFP_AT(m_)]);
        });
    }
}
/* Moves elements into and out of shared memory, rotated by `turn` digits. */
static __device__ __forceinline__ void put(int32_t *at_element, int plane, int q, uint32_t turn,
                                           const words &x)
{
    unroll<4>([&](auto m_) {
        constexpr int m = GFP_AT(m_);
        uint32_t to = q + m * LANES + turn;
        int32_t sign = (to & K) != 0 ? -1 : 1, *at = at_element + (to & (K - 1));
        at[0] = sign * x.w[m][0], at[plane] = sign * x.w[m][1], at[2 * plane] = sign * x.w[m][2];
    });
}
static __device__ __forceinline__ words get(const int32_t *at_element, int plane, int q)
{
    words x;
    unroll<4>([&](auto m_) {
        constexpr int m = GFP_AT(m_);
        const int32_t *at = at_element + q + m * LANES;
        x.w[m][0] = at[0], x.w[m][1] = at[plane], x.w[m][2] = at[2 * plane];
    });
    return x;
}

/* Element i = i1 R2 + i2 of a column comes out at place p = p1 R2 + p2, with frequency brev(p1) +
 * R1 brev(p2). */
template <int R1, int R2>
static __global__ void __launch_bounds__(tile<R1, R2>::THREADS, tile<R1, R2>::BLOCKS)
    forward_kernel(const __grid_constant__ gfp_gpu_wide_pass a, const __grid_constant__ radix R)
{
    typedef tile<R1, R2> T;
    extern __shared__ __align__(16) int32_t shared[];
    const int q = (int)threadIdx.x % LANES, item = (int)threadIdx.x / LANES;
    {
        const int i2 = item % R2, slot = item / R2;
        const uint64_t column = (uint64_t)blockIdx.x * T::COLUMNS + slot;
        const bool valid = column < a.columns;
        const place at = find<T::R>(a, valid ? column : 0);
        words x[R1];
        unroll<R1>([&](auto i_) {
            x[GFP_AT(i_)] = load(a, at.first + ((uint64_t)(GFP_AT(i_) * R2 + i2) << a.log_s), q, 0);
        });
        dft<false>(x);
        if constexpr (R2 == 1) {
            unroll<R1>([&](auto i_) {
                constexpr int p = GFP_AT(i_), f = reversed_bits(p, log2_of(R1));
                uint32_t turn = a.turns ? (f * at.number << a.log_turn) & (2 * K - 1) : 0;
                store(a, natural(a, at.first + ((uint64_t)p << a.log_s)), q, turn, x[p], valid, R);
            });
        } else {
            unroll<R1>([&](auto i_) {
                constexpr int p = GFP_AT(i_), f = reversed_bits(p, log2_of(R1));
                put(shared + (slot * R1 + p) * T::ROW + i2 * (K + PAD), T::PLANE, q,
                    f * i2 * (2 * K / T::R), x[p]);
            });
        }
    }
    if constexpr (R2 > 1) {
        __syncthreads();
#pragma unroll 1
        for (int part = 0; part < R1 / R2; part++) {
            const int turn_item = part * (T::THREADS / LANES) + item, p1 = turn_item % R1,
                      slot = turn_item / R1;
            const uint64_t column = (uint64_t)blockIdx.x * T::COLUMNS + slot;
            const bool valid = column < a.columns;
            const place at = find<T::R>(a, valid ? column : 0);
            words x[R2];
            unroll<R2>([&](auto i_) {
                x[GFP_AT(i_)] =
                    get(shared + (slot * R1 + p1) * T::ROW + GFP_AT(i_) * (K + PAD), T::PLANE, q);
            });
            dft<false>(x);
            const uint32_t f1 = __brev((uint32_t)p1) >> (32 - log2_of(R1));
            unroll<R2>([&](auto i_) {
                constexpr int p2 = GFP_AT(i_);
                const uint32_t f = f1 + R1 * reversed_bits(p2, log2_of(R2));
                const uint32_t turn = a.turns ? (f * at.number << a.log_turn) & (2 * K - 1) : 0;
                store(a, natural(a, at.first + ((uint64_t)(p1 * R2 + p2) << a.log_s)), q, turn,
                      x[p2], valid, R);
            });
        }
    }
}

/* Undoes the steps of forward_kernel from the last to the first, times R. */
template <int R1, int R2>
static __global__ void __launch_bounds__(tile<R1, R2>::THREADS, tile<R1, R2>::BLOCKS)
    inverse_kernel(const __grid_constant__ gfp_gpu_wide_pass a, const __grid_constant__ radix R)
{
    typedef tile<R1, R2> T;
    extern __shared__ __align__(16) int32_t shared[];
    const int q = (int)threadIdx.x % LANES, item = (int)threadIdx.x / LANES;
    if constexpr (R2 > 1) {
#pragma unroll 1
        for (int part = 0; part < R1 / R2; part++) {
            const int turn_item = part * (T::THREADS / LANES) + item, p1 = turn_item % R1,
                      slot = turn_item / R1;
            const uint64_t column = (uint64_t)blockIdx.x * T::COLUMNS + slot;
            const place at = find<T::R>(a, column < a.columns ? column : 0);
            const uint32_t f1 = __brev((uint32_t)p1) >> (32 - log2_of(R1));
            words x[R2];
            unroll<R2>([&](auto i_) {
                constexpr int p2 = GFP_AT(i_);
                const uint32_t f = f1 + R1 * reversed_bits(p2, log2_of(R2));
                const uint32_t turn = a.turns ? (f * at.number << a.log_turn) & (2 * K - 1) : 0;
                x[p2] =
                    load(a, natural(a, at.first + ((uint64_t)(p1 * R2 + p2) << a.log_s)), q, turn);
            });
            dft<true>(x);
            unroll<R2>([&](auto i_) {
                constexpr int i2 = GFP_AT(i_);
                put(shared + (slot * R1 + p1) * T::ROW + i2 * (K + PAD), T::PLANE, q,
                    (2 * K - f1 * i2 * (2 * K / T::R)) & (2 * K - 1), x[i2]);
            });
        }
        __syncthreads();
    }
    {
        const int i2 = item % R2, slot = item / R2;
        const uint64_t column = (uint64_t)blockIdx.x * T::COLUMNS + slot;
        const bool valid = column < a.columns;
        const place at = find<T::R>(a, valid ? column : 0);
        words x[R1];
        unroll<R1>([&](auto i_) {
            constexpr int p = GFP_AT(i_), f = reversed_bits(p, log2_of(R1));
            if constexpr (R2 == 1) {
                const uint32_t turn = a.turns ? (f * at.number << a.log_turn) & (2 * K - 1) : 0;
                x[p] = load(a, natural(a, at.first + ((uint64_t)p << a.log_s)), q, turn);
            } else {
                x[p] = get(shared + (slot * R1 + p) * T::ROW + i2 * (K + PAD), T::PLANE, q);
            }
        });
        dft<true>(x);
        unroll<R1>([&](auto i_) {
            store(a, at.first + ((uint64_t)(GFP_AT(i_) * R2 + i2) << a.log_s), q, 0, x[GFP_AT(i_)],
                  valid, R);
        });
    }
}

/* ---- calls of the host ---- */

template <int R1, int R2>
static gfp_status run_pass(gfp_gpu *gpu, bool inverse, const gfp_gpu_wide_pass *args,
                           const radix *R)
{
    typedef tile<R1, R2> T;
    uint32_t blocks = (uint32_t)((args->columns + T::COLUMNS - 1) / T::COLUMNS);
    if (inverse) {
        GFP_LAUNCH(gpu, (inverse_kernel<R1, R2>), blocks, T::THREADS, T::SHARED, *args, *R);
    } else {
        GFP_LAUNCH(gpu, (forward_kernel<R1, R2>), blocks, T::THREADS, T::SHARED, *args, *R);
    }
    return GFP_OK;
}

static gfp_status pass(gfp_gpu *gpu, unsigned log_r, bool inverse, const gfp_gpu_wide_pass *args,
                       const radix *R)
{
    switch (log_r) {
    case 0:
        return run_pass<1, 1>(gpu, inverse, args, R);
    case 1:
        return run_pass<2, 1>(gpu, inverse, args, R);
    case 2:
        return run_pass<4, 1>(gpu, inverse, args, R);
    case 3:
        return run_pass<8, 1>(gpu, inverse, args, R);
    case 4:
        return run_pass<4, 4>(gpu, inverse, args, R);
    case 5:
        return run_pass<8, 4>(gpu, inverse, args, R);
    default:
        return run_pass<8, 8>(gpu, inverse, args, R);
    }
}

template <int R1, int R2> static gfp_status allow_shared(gfp_gpu *gpu)
{
    int bytes = (int)tile<R1, R2>::SHARED;
    GFP_CUDA_TRY(gpu, cudaFuncSetAttribute((const void *)(forward_kernel<R1, R2>),
                                           cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    GFP_CUDA_TRY(gpu, cudaFuncSetAttribute((const void *)(inverse_kernel<R1, R2>),
                                           cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    return GFP_OK;
}

static gfp_status prepare(gfp_gpu *gpu)
{
    GFP_TRY((allow_shared<4, 4>(gpu)));
    GFP_TRY((allow_shared<8, 4>(gpu)));
    return allow_shared<8, 8>(gpu);
}

static uint32_t product_grid(uint64_t count)
{
    constexpr unsigned elements = PRODUCT_THREADS / shape<K>::L;
    return (uint32_t)((count + elements - 1) / elements);
}

static gfp_status products(gfp_gpu *gpu, const gfp_gpu_wide_products *args, const radix *R)
{
    GFP_LAUNCH(gpu, product_kernel, product_grid(args->count), PRODUCT_THREADS, 0, *args, *R);
    return GFP_OK;
}

static gfp_status scale(gfp_gpu *gpu, uint64_t *out, const uint64_t *in, const int32_t *table,
                        uint64_t count, const radix *R)
{
    GFP_LAUNCH(gpu, scale_kernel, product_grid(count), PRODUCT_THREADS, 0, out, in, table, count,
               *R);
    return GFP_OK;
}

static gfp_status entries(gfp_gpu *gpu, int32_t *table, const uint64_t *in, uint64_t count,
                          const radix *R)
{
    GFP_LAUNCH(gpu, entry_kernel, product_grid(count), PRODUCT_THREADS, 0, table, in, count, *R);
    return GFP_OK;
}

} // namespace gfp_wide

#define GFP_WIDE_PASTE_(a, b) a##b
#define GFP_WIDE_PASTE(a, b) GFP_WIDE_PASTE_(a, b)
const gfp_gpu_wide_kernels GFP_WIDE_PASTE(gfp_gpu_wide_k, GFP_WIDE_K) = {
    gfp_wide::K,        gfp_wide::prepare, gfp_wide::pass,
    gfp_wide::products, gfp_wide::scale,   gfp_wide::entries};
