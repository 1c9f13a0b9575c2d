/* wide_lanes.cuh: an element of k = 4 ... 128 digits in the lanes of a warp: products
 * (wide_product.h), sums, and the change between canonical digits and digits near zero. All lanes
 * of a warp call each function together, each with the same k.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_WIDE_LANES_CUH
#define GFP_GPU_CUDA_WIDE_LANES_CUH

#include "gpu/cuda/wide_product.h"

namespace gfp_wide
{

/* Whether k digits are served for radices beyond 2^64 - 2^48, too. */
static constexpr bool is_wide(int k)
{
    return k == 128;
}
static constexpr unsigned ALL_LANES = 0xffffffffu;

/* ---- carries between lanes ---- */

/* The digit below digit c + LANES i, from the v[i] of all lanes: v[i] of lane c - 1, or v[i - 1] of
 * the last lane for c = 0 (negated for i = 0, since r^k = -1). */
template <int COUNT, int LANES>
static __device__ __forceinline__ void from_below(int32_t (&v)[COUNT], int c)
{
    unroll<COUNT>([&](auto i_) {
        v[GFP_AT(i_)] = __shfl_sync(ALL_LANES, v[GFP_AT(i_)], c + LANES - 1, LANES);
    });
    int32_t last = -v[COUNT - 1];
    unroll<COUNT>([&](auto i_) {
        constexpr int i = COUNT - 1 - GFP_AT(i_);
        v[i] = c != 0 ? v[i] : i > 0 ? v[i > 0 ? i - 1 : 0] : last;
    });
}

/* The same for one bit of each digit, bit i of `bits` for digit c + LANES i. Bit COUNT of the
 * result, of lane 0 alone, is that of the highest digit, which counts negatively for digit 0. */
template <int COUNT, int LANES>
static __device__ __forceinline__ uint32_t bits_from_below(uint32_t bits, int c)
{
    const uint32_t below = __shfl_sync(ALL_LANES, bits, c + LANES - 1, LANES);
    return c != 0 ? below : below << 1;
}

/* d := d + v, brought to |d_i| <= r/2 + 1; |d_i| + |v_i| <= 3/2 r - 1 before. */
template <class Digit, int COUNT, int LANES>
static __device__ __forceinline__ void add_settled(int64_t (&d)[COUNT], const Digit (&v)[COUNT],
                                                   int c, const radix &R)
{
    int32_t one[COUNT];
    unroll<COUNT>([&](auto i_) {
        constexpr int i = GFP_AT(i_);
        d[i] = settle(d[i], v[i], R, one[i]);
    });
    from_below<COUNT, LANES>(one, c);
    unroll<COUNT>([&](auto i_) { d[GFP_AT(i_)] += one[GFP_AT(i_)]; });
}

/* d_i + carry_i; the carries come from the digits below. */
template <int K, int COUNT, int LANES>
static __device__ __forceinline__ void add_carries(int64_t (&d)[COUNT], int32_t (&carry)[COUNT],
                                                   int c, const radix &R)
{
    from_below<COUNT, LANES>(carry, c);
    if constexpr (is_wide(K)) {
        add_settled<int32_t, COUNT, LANES>(d, carry, c, R);
    } else {
        unroll<COUNT>([&](auto i_) { d[GFP_AT(i_)] += carry[GFP_AT(i_)]; });
    }
}

/* ---- canonical digits ---- */

/* Canonical digits to digits of the same element, |d_i| <= r/2 + 1. */
template <int COUNT, int LANES>
static __device__ __forceinline__ void balance(int64_t (&d)[COUNT], int c, const radix &R)
{
    uint32_t large = 0;
    unroll<COUNT>([&](auto i_) {
        constexpr int i = GFP_AT(i_);
        const bool over = (uint64_t)d[i] > R.r >> 1;
        large |= over ? 1u << i : 0;
        d[i] = (int64_t)((uint64_t)d[i] - (over ? R.r : 0));
    });
    const uint32_t ones = bits_from_below<COUNT, LANES>(large, c);
    unroll<COUNT>([&](auto i_) { d[GFP_AT(i_)] += ones >> GFP_AT(i_) & 1; });
    d[0] -= ones >> COUNT & 1;
}

/* Makes digits below r in size canonical. Borrows are the carries of an addition of bit masks, for
 * LANES digits at a time. */
template <int COUNT, int LANES>
static __device__ __forceinline__ void canonical_any(int64_t (&d)[COUNT], int c, const radix &R)
{
    const unsigned shift = (threadIdx.x & 31) - c;
    const uint32_t mask = LANES == 32 ? ~0u : (1u << LANES % 32) - 1;
    uint32_t negative[COUNT], zero[COUNT];
    unroll<COUNT>([&](auto m_) {
        constexpr int m = GFP_AT(m_);
        negative[m] = __ballot_sync(ALL_LANES, d[m] < 0) >> shift & mask;
        zero[m] = __ballot_sync(ALL_LANES, d[m] == 0) >> shift & mask;
    });
    const uint32_t lowest = __ballot_sync(ALL_LANES, d[0] == -1) >> shift & 1;
    uint32_t borrows[COUNT];
    auto chain = [&] {
        uint64_t borrow = 0;
        unroll<COUNT>([&](auto m_) {
            constexpr int m = GFP_AT(m_);
            uint64_t sum = (uint64_t)(negative[m] | zero[m]) + negative[m] + borrow;
            borrows[m] = (uint32_t)sum ^ zero[m];
            borrow = sum >> LANES;
        });
        return borrow != 0;
    };
    bool special = false;
    if (chain()) { /* a negative element needs r^k + 1: one more at the bottom, and no borrow out of
                      the top; -1 becomes r^k */
        negative[0] &= ~lowest;
        zero[0] = (zero[0] & ~1u) | lowest;
        d[0] += c == 0 ? 1 : 0;
        special = !chain();
    }
    unroll<COUNT>([&](auto m_) {
        constexpr int m = GFP_AT(m_);
        int64_t t = d[m] - (int64_t)(borrows[m] >> c & 1);
        d[m] = special ? 0 : (int64_t)(t < 0 ? (uint64_t)t + R.r : (uint64_t)t);
    });
    if (special && c == LANES - 1) {
        d[COUNT - 1] = (int64_t)R.r;
    }
}

/* The same. If all digits are 2^32 or more in size, a digit borrows if it is negative. */
template <int COUNT, int LANES>
static __device__ __forceinline__ void canonical(int64_t (&d)[COUNT], int c, const radix &R)
{
    uint32_t negative = 0;
    bool near = false;
    unroll<COUNT>([&](auto i_) {
        constexpr int i = GFP_AT(i_);
        negative |= d[i] < 0 ? 1u << i : 0;
        near = near || (uint32_t)high(d[i]) + 1 <= 1;
    });
    if (__any_sync(ALL_LANES, near)) {
        canonical_any<COUNT, LANES>(d, c, R);
        return;
    }
    const uint32_t borrows = bits_from_below<COUNT, LANES>(negative, c);
    unroll<COUNT>([&](auto i_) {
        constexpr int i = GFP_AT(i_);
        d[i] = (int64_t)((uint64_t)d[i] + (d[i] < 0 ? R.r : 0) - (borrows >> i & 1));
    });
    d[0] += borrows >> COUNT & 1;
}

/* ---- products ---- */

static constexpr int PRODUCT_THREADS = 128; /* of a block */
/* Blocks per multiprocessor. */
static constexpr int product_blocks(int k)
{
    return k == 128 ? 3 : 4;
}

template <int K> struct product_roots {
    int32_t z[PRIMES * shape<K>::V];
};
/* Shared memory of a block of THREADS that multiplies by entries of tables: room for transforms. */
template <int K_, int THREADS_> struct alignas(16) product_room {
    static constexpr int K = K_, THREADS = THREADS_;
    int32_t first[THREADS / shape<K>::L * shape<K>::STRIDE];
};
/* The same for products of two elements, with the second factors' digits and the roots of the small
 * rings, zeta(p, V, i) at p V + i. */
template <int K_, int THREADS_> struct alignas(16) digits_room : product_room<K_, THREADS_> {
    alignas(16) int32_t second[THREADS_ / shape<K_>::L * shape<K_>::STRIDE];
    int64_t digits[shape<K_>::V * THREADS_];
    product_roots<K_> roots;
};

template <int K> static constexpr product_roots<K> all_roots()
{
    product_roots<K> list = {};
    for (int i = 0; i < PRIMES * shape<K>::V; i++) {
        list.z[i] = zeta(i / shape<K>::V, shape<K>::V, i % shape<K>::V);
    }
    return list;
}
template <int K> static __constant__ const product_roots<K> constant_roots = all_roots<K>();

/* By all threads of a block, before its first product. */
template <int K, int THREADS>
static __device__ __forceinline__ void load_roots(digits_room<K, THREADS> &room)
{
    for (int i = (int)threadIdx.x; i < PRIMES * shape<K>::V; i += THREADS) {
        room.roots.z[i] = constant_roots<K>.z[i];
    }
    __syncthreads();
}

/* v := the words at `from`, each four by `load`. */
template <int COUNT, class Load>
static __device__ __forceinline__ void load_words(const int4 *from, int32_t (&v)[COUNT],
                                                  const Load &load)
{
    unroll<COUNT / 4>([&](auto i_) {
        constexpr int i = GFP_AT(i_);
        const int4 t = load(from + i);
        v[4 * i] = t.x, v[4 * i + 1] = t.y, v[4 * i + 2] = t.z, v[4 * i + 3] = t.w;
    });
}

/* The second factor of a product, its transforms prepared in a table: its entry there. */
template <int K> struct table_entry {
    const int32_t *__restrict__ entry;
    template <int P>
    __device__ void begin(int c, const radix &, int32_t (&y)[shape<K>::V],
                          int32_t (&zy)[shape<K>::V]) const
    {
        const int4 *mine = (const int4 *)(entry + 2 * P * K + c * shape<K>::V);
        auto load = [](const int4 *p) { return __ldg(p); };
        load_words(mine, y, load);
        load_words(mine + K / 4, zy, load);
    }
    template <int P>
    __device__ void end(int, int32_t (&)[shape<K>::V], int32_t (&)[shape<K>::V]) const
    {
    }
};

/* The same in shared memory. */
template <int K> struct shared_entry {
    const int32_t *entry;
    template <int P>
    __device__ void begin(int, const radix &, int32_t (&)[shape<K>::V],
                          int32_t (&)[shape<K>::V]) const
    {
    }
    template <int P>
    __device__ void end(int c, int32_t (&y)[shape<K>::V], int32_t (&zy)[shape<K>::V]) const
    {
        const int4 *mine = (const int4 *)(entry + 2 * P * K + c * shape<K>::V);
        auto load = [](const int4 *p) { return *p; };
        load_words(mine, y, load);
        load_words(mine + K / 4, zy, load);
    }
};

/* Stores and loads the words of lane c's rings. */
template <int K>
static __device__ __forceinline__ void put_rings(int32_t *element, int c,
                                                 const int32_t (&v)[shape<K>::V])
{
    int4 *mine = (int4 *)(element + shape<K>::word(c * shape<K>::G, 0));
    unroll<shape<K>::V / 4>([&](auto i_) {
        constexpr int i = GFP_AT(i_);
        mine[i] = make_int4(v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3]);
    });
}
template <int K>
static __device__ __forceinline__ void get_rings(const int32_t *element, int c,
                                                 int32_t (&v)[shape<K>::V])
{
    load_words<shape<K>::V>((const int4 *)(element + shape<K>::word(c * shape<K>::G, 0)), v,
                            [](const int4 *p) { return *p; });
}
/* The same for the word of digit position c in each ring. */
template <int K>
static __device__ __forceinline__ void put_places(int32_t *element, int c,
                                                  const int32_t (&v)[shape<K>::V])
{
    unroll<shape<K>::V>(
        [&](auto i_) { element[shape<K>::word(GFP_AT(i_), 0) + c] = v[GFP_AT(i_)]; });
}
template <int K>
static __device__ __forceinline__ void get_places(const int32_t *element, int c,
                                                  int32_t (&v)[shape<K>::V])
{
    unroll<shape<K>::V>(
        [&](auto i_) { v[GFP_AT(i_)] = element[shape<K>::word(GFP_AT(i_), 0) + c]; });
}

/* The second factor given by its digits, |y_i| <= r/2 + 1, of which each lane keeps its own. */
template <int K, int THREADS> struct kept_digits {
    int64_t *digits;  /* digit c + L i at i THREADS */
    int32_t *element; /* room for a transform */
    const int32_t *roots;
    __device__ kept_digits(digits_room<K, THREADS> &room, int slot, const int64_t (&y)[shape<K>::V])
        : digits(room.digits + threadIdx.x), element(room.second + slot * shape<K>::STRIDE),
          roots(room.roots.z)
    {
        unroll<shape<K>::V>([&](auto i_) { digits[GFP_AT(i_) * THREADS] = y[GFP_AT(i_)]; });
    }
    template <int P>
    __device__ void begin(int c, const radix &R, int32_t (&)[shape<K>::V],
                          int32_t (&)[shape<K>::V]) const
    {
        int64_t d[shape<K>::V];
        int32_t v[shape<K>::V];
        unroll<shape<K>::V>([&](auto i_) { d[GFP_AT(i_)] = digits[GFP_AT(i_) * THREADS]; });
        gfp_wide::prepare<K, P>(d, R, v);
        put_places<K>(element, c, v);
    }
    template <int P>
    __device__ void end(int c, int32_t (&y)[shape<K>::V], int32_t (&zy)[shape<K>::V]) const
    {
        constexpr int V = shape<K>::V, G = shape<K>::G;
        int32_t z[G];
        get_rings<K>(element, c, y);
        unroll<G>([&](auto g_) { z[GFP_AT(g_)] = roots[P * V + c * G + GFP_AT(g_)]; });
        wrap<K, P>(y, z, zy);
    }
};

/* z := x y. Lane c of the L lanes of an element holds digits c + L i of x and z; `slot` is the
 * number of the element in the block. */
template <class Factor, int K, int THREADS>
static __device__ __forceinline__ void
multiply(const int64_t (&x)[shape<K>::V], const Factor &second, product_room<K, THREADS> &room,
         int slot, int c, const radix &R, int64_t (&z)[shape<K>::V])
{
    constexpr int V = shape<K>::V, L = shape<K>::L;
    int32_t residue[PRIMES][V];
    int32_t *element = room.first + slot * shape<K>::STRIDE;
    unroll<PRIMES>([&](auto p_) {
        constexpr int P = GFP_AT(p_);
        int32_t v[V], y[V], zy[V], u[V];
        second.template begin<P>(c, R, y, zy);
        forward<K, P>(x, v);
        put_places<K>(element, c, v);
        __syncwarp();
        get_rings<K>(element, c, v);
        second.template end<P>(c, y, zy);
        products<K, P>(v, y, zy, u);
        put_rings<K>(element, c, u);
        __syncwarp();
        get_places<K>(element, c, residue[P]);
        __syncwarp();
        backward<K, P>(residue[P]);
    });
    column sum[V];
    int32_t h0[V], h1[V], h2[V], quotient[V];
    unroll<V>([&](auto i_) {
        constexpr int i = GFP_AT(i_);
        int32_t s[PRIMES];
        unroll<PRIMES>([&](auto p_) { s[GFP_AT(p_)] = residue[GFP_AT(p_)][i]; });
        sum[i] = recombine(s, R);
        h0[i] = (int32_t)sum[i].h_lo, h1[i] = low(sum[i].h_hi), h2[i] = high(sum[i].h_hi);
    });
    if (c == L - 1) { /* a carry that wraps around is negated; from_below negates each of its three
                         words */
        int64_t h = -sum[V - 1].h_hi - (h0[V - 1] != 0);
        h1[V - 1] = -low(h), h2[V - 1] = -high(h);
    }
    from_below<V, L>(h0, c);
    from_below<V, L>(h1, c);
    from_below<V, L>(h2, c);
    unroll<V>([&](auto i_) {
        constexpr int i = GFP_AT(i_);
        int64_t h = (int64_t)((uint64_t)(uint32_t)h2[i] << 32 | (uint32_t)h1[i]);
        z[i] = divide<is_wide(K)>(sum[i], (uint32_t)h0[i], h, R, quotient[i]);
    });
    add_carries<K, V, L>(z, quotient, c, R);
}

/* Lane c's digits of an element in memory; and back. */
template <int K>
static __device__ __forceinline__ void load_digits(int64_t (&d)[shape<K>::V], const uint64_t *x,
                                                   int c)
{
    unroll<shape<K>::V>([&](auto i_) { d[GFP_AT(i_)] = (int64_t)x[c + shape<K>::L * GFP_AT(i_)]; });
}
template <int K>
static __device__ __forceinline__ void store_digits(uint64_t *x, const int64_t (&d)[shape<K>::V],
                                                    int c)
{
    unroll<shape<K>::V>(
        [&](auto i_) { x[c + shape<K>::L * GFP_AT(i_)] = (uint64_t)d[GFP_AT(i_)]; });
}

/* An element's sum of products: lane c's digits, |sum_i| <= r/2 + 1; elements are canonical. All
 * lanes of a warp call each function together; a group with x = NULL adds 0. */
template <int K, int THREADS> struct product_sum {
    digits_room<K, THREADS> &room;
    int slot, c;
    const radix &R;
    int64_t digits[shape<K>::V];

    __device__ void clear()
    {
        unroll<shape<K>::V>([&](auto i_) { digits[GFP_AT(i_)] = 0; });
    }
    /* Adds x y, or -x y. */
    __device__ void add(const uint64_t *x, const uint64_t *y, bool minus)
    {
        constexpr int V = shape<K>::V, L = shape<K>::L;
        int64_t d[V], product[V];
        const bool term = x != nullptr;
        if (!__any_sync(ALL_LANES, term)) {
            return;
        }
        auto load = [&](const uint64_t *from) {
            unroll<V>(
                [&](auto i_) { d[GFP_AT(i_)] = term ? (int64_t)from[c + L * GFP_AT(i_)] : 0; });
            balance<V, L>(d, c, R);
        };
        load(y);
        const kept_digits<K, THREADS> second(room, slot, d);
        load(x);
        unroll<V>([&](auto i_) { d[GFP_AT(i_)] = minus ? -d[GFP_AT(i_)] : d[GFP_AT(i_)]; });
        multiply(d, second, room, slot, c, R, product);
        add_settled<int64_t, V, L>(digits, product, c, R);
    }
    /* z := the sum, canonical; z = NULL: nowhere. */
    __device__ void store(uint64_t *z)
    {
        canonical<shape<K>::V, shape<K>::L>(digits, c, R);
        if (z != nullptr) {
            store_digits<K>(z, digits, c);
        }
    }
};

} // namespace gfp_wide
#endif
