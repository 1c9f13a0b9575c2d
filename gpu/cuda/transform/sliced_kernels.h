/* sliced_kernels.h: the kernels of sliced.h as templates over the modulus and the shape of a pass.
 * Compiling needs CUDA, or a host compiler and definitions in place of CUDA's built-ins (tests).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_TRANSFORM_SLICED_KERNELS_H
#define GFP_GPU_CUDA_TRANSFORM_SLICED_KERNELS_H

#include "gpu/cuda/fast_arith.h"

namespace gfp_fast
{

/* The shape of a pass over a modulus F: 2^LOG_P points, and as many columns as make 2^LOG_E
 * elements (or one); NT threads per block and at least MINB blocks per processor. */
template <class F_, int LOG_P_, int LOG_E_, int NT_, int MINB_> struct pass_shape {
    typedef F_ F;
    static constexpr int log_p = LOG_P_, p = 1 << LOG_P_;
    static constexpr int log_e = LOG_E_ > LOG_P_ ? LOG_E_ : LOG_P_;
    static constexpr int log_cb = log_e - LOG_P_, cb = 1 << log_cb;
    static constexpr int elements = 1 << log_e;
    static constexpr int tile_bytes = elements * 8 * F_::k;
    /* Table entries come through shared memory too, during the computation of a level, unless the
     * processor then has room for one block only. */
    static constexpr bool staged = F_::k >= 16 && tile_bytes <= 32768;
    static constexpr int bytes = tile_bytes * (staged ? 2 : 1);
    static constexpr int wide = tile_bytes > 65536 ? 4 : tile_bytes > 32768 ? 2 : 1;
    static constexpr int threads = NT_ * wide;
    static constexpr int min_blocks = MINB_ / wide > 1 ? MINB_ / wide : 1;
    static constexpr int log_full = F_::log_k + 1; /* log2 of the largest radix */
    static constexpr int levels = (LOG_P_ + log_full - 1) / log_full;
    /* Only the first level may be smaller. */
    static FAST_HD constexpr int log_r(int level)
    {
        return level > 0 ? log_full : LOG_P_ - (levels - 1) * log_full;
    }
    /* log2 of the points of the blocks that the level splits */
    static FAST_HD constexpr int log_block(int level)
    {
        return (levels - 1 - level) * log_full + log_r(level);
    }
};

/* ---- shared memory ---- */

/* The address, in bytes, of pair c of digits of element e. The address is linear over GF(2) in the
 * bits of e and c, and free of bank conflicts if the lanes of a warp hold consecutive digits, or
 * one element each. */
template <class F> FAST_HD constexpr u32 shared_address(u32 e, u32 c)
{
    constexpr int pairs = F::k / 2, log_pairs = F::log_k - 1, s = log_pairs < 3 ? 3 - log_pairs : 0;
    return e * (pairs * 16) + ((c ^ ((e >> s) & (pairs - 1) & 7)) << 4);
}

#ifndef GFP_FAST_EMULATED
static __device__ __forceinline__ void copy_to_shared(unsigned char *to, const uint4 *from)
{
#if __CUDA_ARCH__ >= 800
    u32 address = (u32)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
#else
    *(uint4 *)to = *from;
#endif
}
static __device__ __forceinline__ void wait_for_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
#endif

/* The column and the point of element number e of the tile. */
template <class S> struct tile {
    u64 first; /* column */
    const gfp_gpu_sliced_args &a;
    const typename S::F f;

    __device__ __forceinline__ explicit tile(const gfp_gpu_sliced_args &args)
        : first(args.first_column + ((u64)blockIdx.x << S::log_cb)), a(args), f(args.radix)
    {
    }
    __device__ __forceinline__ u64 column(u32 e) const
    {
        return first + (e & (S::cb - 1));
    }
    /* The place of point 0 of the column; a column beyond the end repeats the last column. */
    __device__ __forceinline__ u64 base(u64 u) const
    {
        u = u < a.columns_end ? u : a.columns_end - 1;
        return ((u >> a.log_s) << (a.log_s + S::log_p)) + (u & (((u64)1 << a.log_s) - 1));
    }
    __device__ __forceinline__ u64 place(u32 e) const
    {
        return base(column(e)) + ((u64)(e >> S::log_cb) << a.log_s);
    }
    /* The place that replaces `place` at the ends of natural and inverse transforms. */
    __device__ __forceinline__ u64 moved(u64 place, int how) const
    {
        u32 mask = (u32)(((u64)1 << a.log_n) - 1), i = (u32)place & mask,
            j = how == SLICED_REVERSED ? __brev(i) >> (32 - a.log_n) : 0 - i;
        return (place & ~(u64)mask) | (j & mask);
    }
};

template <class S>
static __device__ __forceinline__ void load_tile(unsigned char *shared, const tile<S> &t)
{
    typedef typename S::F F;
    constexpr int pairs = F::k / 2, chunks = S::elements * pairs;
    static_assert(chunks % S::threads == 0, "uniform loop");
#pragma unroll 4
    for (int i = 0; i < chunks / S::threads; i++) {
        u32 n = i * S::threads + threadIdx.x, e = n / pairs, c = n % pairs;
        u64 place = t.base(t.column(e)) + ((u64)(e >> S::log_cb) << t.a.log_s);
        if (t.a.in_place_of != SLICED_PLAIN) {
            place = t.moved(place, t.a.in_place_of);
        }
        copy_to_shared(shared + shared_address<F>(e, c), (const uint4 *)t.a.in + place * pairs + c);
    }
}

/* The factors of elements: entries of a table, which begins with M / R entries of 1. */
template <class S> struct factors {
    const uint4 *entries;
    u32 mask, ones;

    __device__ __forceinline__ factors(const tile<S> &t, int junction)
        : entries((const uint4 *)t.a.table[junction]),
          mask((u32)(((u64)1 << t.a.log_m[junction]) - 1)),
          ones((u32)((u64)1 << (t.a.log_m[junction] - t.a.log_r[junction])))
    {
    }
    __device__ __forceinline__ u32 index(const tile<S> &t, u32 e) const
    {
        return (u32)t.place(e) & mask;
    }
};

/* Requests the table entries of this thread's elements; they arrive behind the tile. */
template <class S>
static __device__ __forceinline__ void ask_for_factors(unsigned char *shared, const tile<S> &t,
                                                       int junction)
{
    typedef typename S::F F;
    constexpr int pairs = F::k / 2;
    if constexpr (S::staged) {
        const factors<S> y(t, junction);
        if (y.entries == nullptr) {
            return;
        }
#pragma unroll 1
        for (u32 e = threadIdx.x; e < S::elements; e += S::threads) {
            const u32 index = y.index(t, e), at = shared_address<F>(e, 0);
            if (index >= y.ones) {
                unroll<pairs>([&](auto cc) {
                    constexpr int c = decltype(cc)::value;
                    copy_to_shared(shared + S::tile_bytes + (at ^ (c << 4)),
                                   y.entries + (u64)index * pairs + c);
                });
            }
        }
    }
}

/* Stores the pairs of digits of a product; `at` is the shared_address of pair 0. Tiles of all
 * shapes share this type, so that the product's code does not depend on the shape. */
struct put_in_tile {
    unsigned char *shared;
    u32 at;

    __device__ __forceinline__ void operator()(int c, u32 v0, u32 v1, u32 v2, u32 v3) const
    {
        *(uint4 *)(shared + (at ^ (c << 4))) = make_uint4(v0, v1, v2, v3);
    }
};

/* Multiplies the elements of the tile by their factors, one element per thread. The barrier in
 * front comes after the request for the first factor. */
template <class S>
static __device__ __forceinline__ void multiply_tile(unsigned char *shared, const tile<S> &t,
                                                     int junction)
{
    typedef typename S::F F;
    constexpr int pairs = F::k / 2;
    static_assert(S::elements % S::threads == 0, "uniform loop");
    const factors<S> factor(t, junction);
#pragma unroll 1
    for (u32 e = threadIdx.x; e < S::elements; e += S::threads) {
        const u32 index = factor.index(t, e), at = shared_address<F>(e, 0);
        const uint4 *entry = factor.entries + (u64)index * pairs;
        u32 x[2 * F::k], y[2 * F::k];
        const auto read = [&](u32 *words, const uint4 &v) {
            words[0] = v.x, words[1] = v.y, words[2] = v.z, words[3] = v.w;
        };
        if constexpr (!S::staged) {
            unroll<pairs>([&](auto cc) {
                constexpr int c = decltype(cc)::value;
                read(y + 4 * c, __ldg(entry + c));
            });
        }
        if (e == threadIdx.x) {
            wait_for_copies();
            __syncthreads();
        }
        if (index >= factor.ones) {
            unroll<pairs>([&](auto cc) {
                constexpr int c = decltype(cc)::value;
                const unsigned char *from = shared + (at ^ (c << 4));
                if constexpr (S::staged) {
                    read(y + 4 * c, *(const uint4 *)(from + S::tile_bytes));
                }
                read(x + 4 * c, *(const uint4 *)from);
            });
            make_unsigned(t.f, x);
            multiply(t.f, x, y, put_in_tile{shared, at});
        }
    }
}

/* ---- DFT_R, one digit of R elements per lane ---- */

template <class F> static __device__ __forceinline__ s32 from_lane(s32 v, int digit)
{
    return (s32)__shfl_sync(0xffffffffu, (u32)v, digit, F::k);
}
/* The three words of an element times r^s, 0 <= s < k: digit d takes the value of digit d - s,
 * negated if it wraps around. */
template <class F, int s>
static __device__ __forceinline__ void rotate(s32 &a, s32 &b, s32 &c, int d)
{
    if constexpr (s != 0) {
        s32 sign = d < s ? -1 : 1;
        a = sign * from_lane<F>(a, d - s), b = sign * from_lane<F>(b, d - s),
        c = sign * from_lane<F>(c, d - s);
    }
}
/* Natural to bit-reversed order (decimation in frequency), or bit-reversed to natural. Words grow
 * R-fold. */
template <class F, int R, bool FORWARD>
static __device__ __forceinline__ void dft(s32 (&a)[R], s32 (&b)[R], s32 (&c)[R], int d)
{
    constexpr int log_r = log2_of(R);
    unroll<log_r>([&](auto lc) {
        constexpr int l = decltype(lc)::value, h = FORWARD ? R >> (l + 1) : 1 << l;
        unroll<R / 2>([&](auto ic) {
            constexpr int i = decltype(ic)::value, j = i % h, p = (i / h) * 2 * h + j,
                          s = (F::k / h) * j;
            if constexpr (FORWARD) {
                s32 ta = a[p] - a[p + h], tb = b[p] - b[p + h], tc = c[p] - c[p + h];
                a[p] += a[p + h], b[p] += b[p + h], c[p] += c[p + h];
                rotate<F, s>(ta, tb, tc, d);
                a[p + h] = ta, b[p + h] = tb, c[p + h] = tc;
            } else {
                s32 ta = a[p + h], tb = b[p + h], tc = c[p + h];
                rotate<F, s>(ta, tb, tc, d);
                a[p + h] = a[p] - ta, b[p + h] = b[p] - tb, c[p + h] = c[p] - tc;
                a[p] += ta, b[p] += tb, c[p] += tc;
            }
        });
    });
}

/* The canonical digits of an element whose loosely balanced digits the lanes hold. */
template <class F>
static __device__ __forceinline__ void make_canonical(const F &f, u32 &lo, u32 &hi, int d)
{
    static_assert(F::k <= 16, "lanes");
    const int shift = (threadIdx.x & 31) - d;
    constexpr u32 all = (1u << F::k) - 1;
    u32 negative = (__ballot_sync(0xffffffffu, (s32)hi < 0) >> shift) & all;
    u32 nonzero = (__ballot_sync(0xffffffffu, (lo | hi) != 0) >> shift) & all;
    /* The sign is that of the highest digit other than 0. A negative element needs r^k + 1: 1 is
     * added here, and r^k by dropping the last borrow. */
    const bool below = negative > (nonzero & ~negative);
    u64 x = join(lo, hi) + (below && d == 0);
    negative = (__ballot_sync(0xffffffffu, (s64)x < 0) >> shift) & all;
    nonzero = (__ballot_sync(0xffffffffu, x != 0) >> shift) & all;
    /* Borrows begin at negative digits and run through digits 0, like the carries of an
     * addition. */
    const u32 through = all & ~nonzero;
    const u32 borrows = ((negative | through) + negative) ^ through;
    x -= (borrows >> d) & 1;
    x = plus_radix(f, (u32)x, (u32)(x >> 32), ((negative | (borrows & through)) >> d) & 1);
    if (below && nonzero == 0) { /* -1 */
        x = d == F::k - 1 ? f.r : 0;
    }
    lo = (u32)x, hi = (u32)(x >> 32);
}

/* make_canonical for digits that are 2^32 or more away from 0: borrows end at the next digit. sign:
 * -1 for digit 0, else 1. */
template <class F>
static __device__ __forceinline__ void make_canonical_apart(const F &f, u32 &lo, u32 &hi, s32 sign,
                                                            int d)
{
    const s32 borrow = from_lane<F>((s32)hi >> 31, d - 1); /* -1 or 0 */
    const u64 x = plus_radix(f, lo, hi, hi >> 31) + (u64)(s64)(sign * borrow);
    lo = (u32)x, hi = (u32)(x >> 32);
}

/* ---- the levels of a pass ---- */

/* Where the digits of a thread lie: digit d of the R elements e, e + 2^log_step columns, ...; in
 * shared memory element j is at `at` ^ the address of j STEP. */
struct place {
    int d;
    u32 e, at;
};

/* Reads the digits of R elements, as words of 22 bits. */
template <class F, int R, int STEP>
static __device__ __forceinline__ void read_digits(const unsigned char *shared, const place &p,
                                                   u32 (&lo)[R], u32 (&hi)[R])
{
    unroll<R>([&](auto jc) {
        constexpr int j = decltype(jc)::value;
        constexpr u32 away = shared_address<F>(j * STEP, 0);
        uint2 v = *(const uint2 *)(shared + (p.at ^ away));
        lo[j] = v.x, hi[j] = v.y;
    });
}

/* x / 2^s in words of 22 bits: the low s bits of digit i, times r / 2^s, belong to digit i - 1. */
template <class F>
static __device__ __forceinline__ void split_quotient(const F &f, const gfp_gpu_sliced_args &args,
                                                      int d, u32 lo, u32 hi, s32 &a, s32 &b, s32 &c)
{
    const int s = args.shift;
    const u64 part = f.r >> s;
    const s32 sign = d == F::k - 1 ? -1 : 1;
    const u32 low = (u32)from_lane<F>((s32)(lo & ((1u << s) - 1)), d + 1), lo_s = funnel(lo, hi, s),
              hi_s = args.canonical_in ? hi >> s : sar(hi, s);
    if constexpr (F::shifts_in_words) {
        const u64 x = join(lo_s, hi_s) + (u64)(s64)(sign * (s32)low) * part;
        split22((u32)x, (u32)(x >> 32), args.canonical_in && sign > 0 ? 0xfffff : ~0u, a, b, c);
    } else {
        const u64 moved = low * part;
        s32 ma, mb, mc;
        split22((u32)moved, (u32)(moved >> 32), 0xfffff, ma, mb, mc);
        split22(lo_s, hi_s, 0xffffffffu, a, b, c);
        a += sign * ma, b += sign * mb, c += sign * mc;
    }
}

/* Digits from the words of a level's results: every lane gives its quotient to the next one. */
template <class F, int R>
static __device__ __forceinline__ void join_digits(const F &f, int d, const s32 (&a)[R],
                                                   const s32 (&b)[R], const s32 (&c)[R],
                                                   u32 (&lo)[R], u32 (&hi)[R])
{
    const s32 sign = d == 0 ? -1 : 1;
    unroll<R>([&](auto jc) {
        constexpr int j = decltype(jc)::value;
        s32 q = quotient22(f, b[j], c[j]), carry = from_lane<F>(q, d - 1);
        join22(f, a[j] + sign * carry, b[j], c[j], q, lo[j], hi[j]);
    });
}

template <class F, int R>
static __device__ __forceinline__ void make_all_canonical(const F &f, int d, u32 (&lo)[R],
                                                          u32 (&hi)[R])
{
    bool close = false;
    unroll<R>([&](auto jc) {
        constexpr int j = decltype(jc)::value;
        close = close || hi[j] + 1 <= 1;
    });
    if (__ballot_sync(0xffffffffu, close) != 0) {
        unroll<R>([&](auto jc) {
            constexpr int j = decltype(jc)::value;
            make_canonical(f, lo[j], hi[j], d);
        });
    } else {
        unroll<R>([&](auto jc) {
            constexpr int j = decltype(jc)::value;
            make_canonical_apart(f, lo[j], hi[j], d == 0 ? -1 : 1, d);
        });
    }
}

/* Stores the results of the last level, whose elements are 2^log_step points apart. */
template <class S, int R>
static __device__ __forceinline__ void store_digits(const tile<S> &t, const place &p, int log_step,
                                                    const u32 (&lo)[R], const u32 (&hi)[R])
{
    constexpr int k = S::F::k;
    const u64 u = t.column(p.e), to = t.base(u) + ((u64)(p.e >> S::log_cb) << t.a.log_s);
    if (u >= t.a.columns_end) {
        return;
    }
    if (t.a.out_place_of == SLICED_PLAIN) {
        uint64_t *out = t.a.out + to * k + p.d;
        const u64 apart = (u64)k << (log_step + t.a.log_s);
        unroll<R>([&](auto jc) {
            constexpr int j = decltype(jc)::value;
            *(uint2 *)(out + j * apart) = make_uint2(lo[j], hi[j]);
        });
    } else {
        unroll<R>([&](auto jc) {
            constexpr int j = decltype(jc)::value;
            u64 moved = t.moved(to + ((u64)j << (log_step + t.a.log_s)), t.a.out_place_of);
            *(uint2 *)(t.a.out + moved * k + p.d) = make_uint2(lo[j], hi[j]);
        });
    }
}

/* DFT_R of R elements, a digit of each. */
template <class S, int LEVEL, bool FORWARD, bool FIRST, bool LAST>
static __device__ __forceinline__ void run_column(unsigned char *shared, const tile<S> &t,
                                                  const place &p)
{
    typedef typename S::F F;
    constexpr int R = 1 << S::log_r(LEVEL), log_step = S::log_block(LEVEL) - S::log_r(LEVEL),
                  step = 1 << (log_step + S::log_cb);
    u32 lo[R], hi[R];
    s32 a[R], b[R], c[R];
    read_digits<F, R, step>(shared, p, lo, hi);
    if (FIRST && !FORWARD && t.a.shift != 0) {
        unroll<R>([&](auto jc) {
            constexpr int j = decltype(jc)::value;
            split_quotient(t.f, t.a, p.d, lo[j], hi[j], a[j], b[j], c[j]);
        });
    } else {
        const u32 top = FIRST && t.a.canonical_in ? 0xfffff : 0xffffffffu;
        unroll<R>([&](auto jc) {
            constexpr int j = decltype(jc)::value;
            split22(lo[j], hi[j], top, a[j], b[j], c[j]);
        });
    }
    dft<F, R, FORWARD>(a, b, c, p.d);
    join_digits(t.f, p.d, a, b, c, lo, hi);
    if constexpr (LAST) {
        if (t.a.canonical_out) {
            make_all_canonical(t.f, p.d, lo, hi);
        }
        store_digits(t, p, log_step, lo, hi);
    } else {
        unroll<R>([&](auto jc) {
            constexpr int j = decltype(jc)::value;
            constexpr u32 away = shared_address<F>(j * step, 0);
            *(uint2 *)(shared + (p.at ^ away)) = make_uint2(lo[j], hi[j]);
        });
    }
}

template <class S, int LEVEL, bool FORWARD, bool FIRST, bool LAST>
static __device__ __forceinline__ void run_level(unsigned char *shared, const tile<S> &t)
{
    typedef typename S::F F;
    constexpr int k = F::k, log_r = S::log_r(LEVEL),
                  step = 1 << (S::log_block(LEVEL) - log_r + S::log_cb); /* in elements */
    constexpr int work = (S::elements >> log_r) * k;
    static_assert(work % S::threads == 0 || (work < S::threads && work % 32 == 0),
                  "lanes that shuffle must all be there");
#pragma unroll 1
    for (int i = 0; i < (work + S::threads - 1) / S::threads; i++) {
        const u32 w = i * S::threads + threadIdx.x;
        if (work < S::threads && w >= work) {
            break; /* whole warps */
        }
        place p;
        p.d = (int)(w & (k - 1));
        const u32 column = w >> F::log_k;
        p.e = ((column & ~(u32)(step - 1)) << log_r) + (column & (step - 1));
        p.at = shared_address<F>(p.e, p.d >> 1) ^ ((p.d & 1) << 3);
        run_column<S, LEVEL, FORWARD, FIRST, LAST>(shared, t, p);
    }
}

template <class S, bool FORWARD>
static __global__ void __launch_bounds__(S::threads, S::min_blocks)
    run_pass(const __grid_constant__ gfp_gpu_sliced_args a)
{
    GFP_FAST_SHARED(shared);
    const tile<S> t(a);
    load_tile<S>(shared, t);
    ask_for_factors<S>(shared, t, 0);
    /* The loop holds one copy of the product's code, which is long; the code of the
     * levels is not. */
#pragma unroll 1
    for (int step = 0; step < S::levels; step++) {
        const int junction = FORWARD || step == 0 ? step : S::levels - step;
        if (a.table[junction] != nullptr) {
            multiply_tile<S>(shared, t, junction);
        }
        wait_for_copies();
        __syncthreads();
        if (step + 1 < S::levels) {
            ask_for_factors<S>(shared, t, FORWARD ? step + 1 : S::levels - step - 1);
        }
        unroll<S::levels>([&](auto sc) {
            constexpr int s = decltype(sc)::value, level = FORWARD ? s : S::levels - 1 - s;
            if (step == s) {
                run_level<S, level, FORWARD, s == 0, s == S::levels - 1>(shared, t);
            }
        });
    }
}

/* ---- tables ---- */

/* Balances the digits of a product to +-r / 2 and carries around. Products leave at most 9/2 r
 * (gpu/cuda/fast_ranges.py), and each of the four rounds takes off one r. */
template <class F> FAST_HD void tidy(const F &f, u32 (&x)[2 * F::k])
{
    for (int round = 0; round < 4; round++) {
        s64 carry = 0;
        for (int i = 0; i < F::k; i++) {
            s64 v = (s64)join(x[2 * i], x[2 * i + 1]) + carry;
            carry = 0;
            if (v > (s64)(f.r / 2)) {
                v = (s64)((u64)v - f.r), carry = 1;
            } else if (v < -(s64)(f.r / 2)) {
                v = (s64)((u64)v + f.r), carry = -1;
            }
            x[2 * i] = (u32)v, x[2 * i + 1] = (u32)((u64)v >> 32);
        }
        u64 v = join(x[0], x[1]) - (u64)carry;
        x[0] = (u32)v, x[1] = (u32)(v >> 32);
    }
}

/* table[q M / R + c] := w_M^(brev(q) c), powers[i] = w_M^(2^i), digits in [0, r]. */
template <class F>
static __global__ void __launch_bounds__(128)
    make_twiddles(uint64_t *table, const uint64_t *powers, int log_m, int log_r,
                  const __grid_constant__ radix_constants constants)
{
    constexpr int k = F::k;
    const F f(constants);
    const u64 i = (u64)blockIdx.x * 128 + threadIdx.x;
    if (i >> log_m != 0) {
        return;
    }
    const u32 q = __brev((u32)(i >> (log_m - log_r))) >> (32 - log_r);
    const u64 c = i & (((u64)1 << (log_m - log_r)) - 1),
              exponent = (q * c) & (((u64)1 << log_m) - 1);
    u32 x[2 * k];
    unroll<2 * k>([&](auto jc) { x[decltype(jc)::value] = decltype(jc)::value == 0; });
#pragma unroll 1
    for (int bit = 0; bit < log_m; bit++) {
        if ((exponent >> bit) & 1) {
            u32 y[2 * k], z[2 * k];
            unroll<k>([&](auto jc) {
                constexpr int j = decltype(jc)::value;
                uint64_t v = powers[(u64)bit * k + j];
                y[2 * j] = (u32)v, y[2 * j + 1] = (u32)(v >> 32);
            });
            multiply(f, x, y, [&](int pair, u32 v0, u32 v1, u32 v2, u32 v3) {
                z[4 * pair] = v0, z[4 * pair + 1] = v1, z[4 * pair + 2] = v2, z[4 * pair + 3] = v3;
            });
            if constexpr (!F::two_terms || F::roomy) {
                tidy(f, z);
            }
            make_unsigned(f, z);
            unroll<2 * k>([&](auto jc) { x[decltype(jc)::value] = z[decltype(jc)::value]; });
        }
    }
    unroll<k>([&](auto jc) {
        constexpr int j = decltype(jc)::value;
        table[i * k + j] = join(x[2 * j], x[2 * j + 1]);
    });
}

} // namespace gfp_fast
#endif
