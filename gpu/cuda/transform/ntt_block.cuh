/* ntt_block.cuh: transforms over a word-size prime in registers, and passes of many such transforms
 * through shared memory: templates over the rings of gpu/cuda/word_arith.h.
 *
 * A pass transforms columns of P = 2^A points in rounds: round k does DFTs of 2^size(k) points in
 * registers, one per thread. Between rounds words are multiplied by powers of the root and go
 * through shared memory. All steps are in place, so that frequencies end in bit-reversed order:
 * round 0 leaves frequency bitrev(slot) of its DFT in slot `slot`.
 *
 * A transform of N points is one pass, or "column" passes of 2^10 points at a stride and then one
 * pass over contiguous points ("rows"). Column passes multiply by the powers of the root of the
 * sub-transform; each thread makes these powers as two or four geometric progressions from a few
 * entries of small tables. The inverse of a transform in permuted order goes the same way back.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_TRANSFORM_NTT_BLOCK_CUH
#define GFP_GPU_CUDA_TRANSFORM_NTT_BLOCK_CUH

#include "gpu/cuda/word_dft.h"

#ifndef GFP_KERNEL
/* The registers of a multiprocessor serve `resident` blocks of 256 threads, or as many threads in
 * blocks of another size. */
#define GFP_KERNEL(threads, resident)                                                              \
    static __global__ void __launch_bounds__(                                                      \
        threads, (resident)*256 / (threads) < 1 ? 1 : (resident)*256 / (threads))
#define GFP_DEVICE static __device__ __forceinline__
#define GFP_SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#define GFP_SYNC() __syncthreads()
#endif

namespace
{

/* ---- the rounds of a pass of 2^A points ---- */

/* The number of rounds is the least that the radix allows; sizes are nearly equal, greater ones
 * first. */
template <int A, int RADIX> struct rounds {
    static constexpr int count = (A + RADIX - 1) / RADIX;
    static GFP_HD constexpr int size(int k)
    {
        return A / count + (k < A % count ? 1 : 0);
    }
    /* log2 of the blocks that round k works on, after the rounds before. */
    static GFP_HD constexpr int block(int k)
    {
        int a = A;
        for (int i = 0; i < k; i++) {
            a -= size(i);
        }
        return a;
    }
    /* The place of the powers after round k among the powers of the pass: 2^block(k) entries; entry
     * slot 2^(block - size) + i holds w_(2^block)^(bitrev(slot) i). */
    static GFP_HD constexpr int powers(int k)
    {
        int n = 0;
        for (int i = 0; i < k; i++) {
            n += 1 << block(i);
        }
        return n;
    }
};

/* The arguments of a pass over vectors of one plan. */
struct ntt_pass {
    const void *in;
    void *out;
    const gfp_gpu_prime *primes;
    const void *tables; /* table_size entries of `ring::power` per prime */
    size_t table_size;
    unsigned scale_at;     /* the place of 1/N */
    unsigned constants_at; /* the place of w_(2^constants_log)^i, i < 2^(constants_log - 1) */
    unsigned constants_log;
    unsigned rounds_at; /* the place of the powers between the rounds of this pass */
    unsigned low_at;    /* the place of w_N^i, i < 2^low_log */
    unsigned high_at;   /* the place of w_N^(i 2^low_log), i < 2^(log2_n - low_log) */
    unsigned low_log;
    unsigned log2_n;
    unsigned log2_sub; /* column passes: log2 of the points of a sub-transform */
    unsigned batch;    /* vectors per prime */
    size_t first;      /* number of the first vector */
    bool enter, leave; /* in (enter), out (leave): residues in [0, q), not inner words */
    bool wide;         /* such residues have 64 bits */
    bool natural;      /* the order of out */
    bool scaled;       /* multiplies the result by 1/N */
};

/* Shared memory: the place of point p of column c. Words p, p + 1, ... and p, p + 32, ... of a
 * column are in different banks, and so are those of the columns of a warp. */
template <class word, int A, int LC> struct tile {
    static constexpr int banks = 128 / (int)sizeof(word);
    static constexpr int padded = (1 << A) + (1 << A) / banks;
    static constexpr int wanted = (1 << LC) >= banks ? 1 : banks >> LC;
    static constexpr int stride = padded + ((wanted - padded) % banks + banks) % banks;
    static constexpr size_t bytes = sizeof(word) * (size_t)stride << LC;
    static GFP_HD int at(int column, int point)
    {
        return column * stride + point + point / banks;
    }
};

template <class ring> struct pass_kernel {
    typedef typename ring::word word;
    typedef typename ring::power power;

    /* load: x[s] := word from + s step of the input, s < COUNT. store: the reverse, to
     * the output. */
    template <int COUNT>
    static GFP_HD void load(const ring &r, const ntt_pass &a, size_t from, size_t step, word *x)
    {
        if (!a.enter) {
            const word *in = (const word *)a.in + from;
            GFP_UNROLLED
            for (int s = 0; s < COUNT; s++) {
                x[s] = in[(unsigned)s * step];
            }
        } else if (a.wide) {
            const uint64_t *in = (const uint64_t *)a.in + from;
            GFP_UNROLLED
            for (int s = 0; s < COUNT; s++) {
                x[s] = r.enter(in[(unsigned)s * step]);
            }
        } else {
            const uint32_t *in = (const uint32_t *)a.in + from;
            GFP_UNROLLED
            for (int s = 0; s < COUNT; s++) {
                x[s] = r.enter(in[(unsigned)s * step]);
            }
        }
    }

    template <int COUNT>
    static GFP_HD void store(const ring &r, const ntt_pass &a, size_t to, size_t step,
                             const word *x)
    {
        if (!a.leave) {
            word *out = (word *)a.out + to;
            GFP_UNROLLED
            for (int s = 0; s < COUNT; s++) {
                out[(unsigned)s * step] = x[s];
            }
        } else if (a.wide) {
            uint64_t *out = (uint64_t *)a.out + to;
            GFP_UNROLLED
            for (int s = 0; s < COUNT; s++) {
                out[(unsigned)s * step] = r.leave(x[s]);
            }
        } else {
            uint32_t *out = (uint32_t *)a.out + to;
            GFP_UNROLLED
            for (int s = 0; s < COUNT; s++) {
                out[(unsigned)s * step] = (uint32_t)r.leave(x[s]);
            }
        }
    }

    static GFP_HD const power *table(const ntt_pass &a, unsigned prime)
    {
        return (const power *)a.tables + prime * a.table_size;
    }

    /* w_(2^B)^i, i < 2^(B-1). */
    template <int B> static GFP_HD void constants(const ntt_pass &a, const power *t, power *w)
    {
        GFP_UNROLLED
        for (int i = 1; i < (1 << (B - 1)); i++) {
            w[i] = t[a.constants_at + ((unsigned)i << (a.constants_log - B))];
        }
    }

    /* w_N^e, e < N. */
    static GFP_HD power root(const ring &r, const ntt_pass &a, const power *t, size_t e)
    {
        const power low = t[a.low_at + (e & (((size_t)1 << a.low_log) - 1))];
        return r.mul(t[a.high_at + (e >> a.low_log)], low);
    }

    /* Multiplies slot s by first ratio^bitrev(s). Four progressions run at once, so that few
     * products wait for each other. `progress` is the step for the V-th slot, and recurses, so that
     * places are known at compile time. */
    template <int B, int V>
    static GFP_HD void progress(const ring &r, word *x, power *c, power step)
    {
        if constexpr (V < 1 << B) {
            constexpr int s = reversed(V, B);
            constexpr int chain = V % 4;
            x[s] = r.mul(x[s], c[chain]);
            if constexpr (V + 4 < 1 << B) {
                c[chain] = r.mul(c[chain], step);
            }
            progress<B, V + 1>(r, x, c, step);
        }
    }

    template <int B>
    static GFP_HD void progression(const ring &r, word *x, power first, power ratio)
    {
        const power square = r.mul(ratio, ratio);
        power c[4] = {first, r.mul(first, ratio), r.mul(first, square), first};
        c[3] = r.mul(c[1], square);
        progress<B, 0>(r, x, c, r.mul(square, square));
    }

    /* ---- rounds: words between shared memory and registers ---- */

    /* The work of thread i of a round: DFT number n of column c. By columns: the threads of a warp
     * share n; by rows: they share c. */
    template <int A, int LC, int B> struct work {
        int column, offset, block;
        GFP_HD work(bool by_columns, int i, int block_log)
        {
            const int n = by_columns ? i >> LC : i & ((1 << (A - B)) - 1);
            column = by_columns ? i & ((1 << LC) - 1) : i >> (A - B);
            offset = n & ((1 << (block_log - B)) - 1);
            block = n >> (block_log - B);
        }
        /* The point of slot s. */
        GFP_HD int point(int s, int block_log) const
        {
            return (block << block_log) + (s << (block_log - B)) + offset;
        }
    };

    /* Multiplies by the powers after round K. */
    template <int A, int K>
    static GFP_HD void between(const ring &r, word *x, const power *t, int offset)
    {
        typedef rounds<A, ring::radix> plan;
        constexpr int B = plan::size(K);
        constexpr int L = plan::block(K);
        x[0] = r.reduce(x[0]);
        GFP_UNROLLED
        for (int s = 1; s < (1 << B); s++) {
            x[s] = r.mul(x[s], t[plan::powers(K) + (s << (L - B)) + offset]);
        }
    }

    template <int A, int LC, int THREADS, int K>
    static GFP_HD void inner_round(const ring &r, const ntt_pass &a, const power *t, word *shared,
                                   int thread, bool by_columns)
    {
        typedef rounds<A, ring::radix> plan;
        constexpr int B = plan::size(K);
        constexpr int L = plan::block(K);
        power w[1 << B];
        constants<B>(a, t, w);
        GFP_ROLLED
        for (int i = thread; i < 1 << (A + LC - B); i += THREADS) {
            const work<A, LC, B> at(by_columns, i, L);
            word x[1 << B];
            GFP_UNROLLED
            for (int s = 0; s < (1 << B); s++) {
                x[s] = shared[tile<word, A, LC>::at(at.column, at.point(s, L))];
            }
            dft<B>::forward(r, x, w);
            if constexpr (K + 1 < plan::count) {
                between<A, K>(r, x, t + a.rounds_at, at.offset);
            }
            GFP_UNROLLED
            for (int s = 0; s < (1 << B); s++) {
                shared[tile<word, A, LC>::at(at.column, at.point(s, L))] = x[s];
            }
        }
    }

    template <int A, int LC, int THREADS, int K>
    static GFP_HD void inner_round_back(const ring &r, const ntt_pass &a, const power *t,
                                        word *shared, int thread, bool by_columns)
    {
        typedef rounds<A, ring::radix> plan;
        constexpr int B = plan::size(K);
        constexpr int L = plan::block(K);
        power w[1 << B];
        constants<B>(a, t, w);
        GFP_ROLLED
        for (int i = thread; i < 1 << (A + LC - B); i += THREADS) {
            const work<A, LC, B> at(by_columns, i, L);
            word x[1 << B];
            GFP_UNROLLED
            for (int s = 0; s < (1 << B); s++) {
                x[s] = shared[tile<word, A, LC>::at(at.column, at.point(s, L))];
            }
            if constexpr (K + 1 < plan::count) {
                between<A, K>(r, x, t + a.rounds_at, at.offset);
            }
            dft<B>::backward(r, x, w);
            GFP_UNROLLED
            for (int s = 0; s < (1 << B); s++) {
                shared[tile<word, A, LC>::at(at.column, at.point(s, L))] = x[s];
            }
        }
    }
};

/* A round begins after all threads have left the round before. */
template <class ring, int A, int LC, int THREADS, int K, int END>
GFP_DEVICE void forward_rounds(const ring &r, const ntt_pass &a, const typename ring::power *t,
                               typename ring::word *shared, int thread, bool by_columns)
{
    if constexpr (K < END) {
        GFP_SYNC();
        pass_kernel<ring>::template inner_round<A, LC, THREADS, K>(r, a, t, shared, thread,
                                                                   by_columns);
        forward_rounds<ring, A, LC, THREADS, K + 1, END>(r, a, t, shared, thread, by_columns);
    }
}

template <class ring, int A, int LC, int THREADS, int K>
GFP_DEVICE void backward_rounds(const ring &r, const ntt_pass &a, const typename ring::power *t,
                                typename ring::word *shared, int thread, bool by_columns)
{
    if constexpr (K > 0) {
        GFP_SYNC();
        pass_kernel<ring>::template inner_round_back<A, LC, THREADS, K>(r, a, t, shared, thread,
                                                                        by_columns);
        backward_rounds<ring, A, LC, THREADS, K - 1>(r, a, t, shared, thread, by_columns);
    }
}

/* ---- column passes ---- */

/* 2^LC neighbouring columns of 2^A points per block of threads. */
template <class ring, int A, int LC> struct columns {
    typedef rounds<A, ring::radix> plan;
    static constexpr int threads = 1 << (A + LC - plan::size(0));
    static constexpr size_t shared = tile<typename ring::word, A, LC>::bytes;
    static_assert(plan::count > 1, "rounds");

    size_t base, column; /* the place where column 0 of the tile starts, and its number */
    unsigned stride_log, prime;
    GFP_HD columns(const ntt_pass &a, size_t block)
    {
        stride_log = a.log2_sub - A;
        const size_t tiles = block >> (stride_log - LC); /* tiles: number of the sub-transform */
        column = (block & (((size_t)1 << (stride_log - LC)) - 1)) << LC;
        base = (tiles << a.log2_sub) + column;
        prime = (unsigned)((a.first + (tiles >> (a.log2_n - a.log2_sub))) / a.batch);
    }
    /* The place of point p of column c. */
    GFP_HD size_t at(int c, int p) const
    {
        return base + (unsigned)c + ((size_t)(unsigned)p << stride_log);
    }
    /* The distance of points 2^log apart. */
    GFP_HD size_t step(int log) const
    {
        return (size_t)1 << (stride_log + (unsigned)log);
    }
    /* After the last round forwards, and before the first round backwards: point p = block 2^B +
     * slot has frequency i = bitrev(p). Multiplies by w^(i column), w of order 2^log2_sub, and by
     * 1/N if a.scaled. */
    template <int B>
    GFP_HD void twiddle(const ring &r, const ntt_pass &a, const typename ring::power *t,
                        typename ring::word *x, int c, int block) const
    {
        const unsigned shift = a.log2_n - a.log2_sub;
        const size_t j = column + (unsigned)c;
        typename ring::power first =
            pass_kernel<ring>::root(r, a, t, (j * bit_reverse((unsigned)block, A - B)) << shift);
        if (a.scaled) {
            first = r.mul(first, t[a.scale_at]);
        }
        const typename ring::power ratio =
            pass_kernel<ring>::root(r, a, t, (j << (A - B)) << shift);
        pass_kernel<ring>::template progression<B>(r, x, first, ratio);
    }
};

template <class ring, int A, int LC>
GFP_KERNEL((columns<ring, A, LC>::threads), ring::resident)
columns_forward(const ntt_pass a)
{
    typedef columns<ring, A, LC> shape;
    typedef typename ring::word word;
    typedef typename ring::power power;
    constexpr int K = shape::plan::count - 1;
    constexpr int B0 = shape::plan::size(0);
    constexpr int B = shape::plan::size(K);
    GFP_SHARED(memory);
    word *shared = (word *)memory;
    const shape tiles(a, blockIdx.x);
    const ring r(a.primes[tiles.prime].modulus);
    const power *t = pass_kernel<ring>::table(a, tiles.prime);
    const int thread = (int)threadIdx.x;
    {
        const typename pass_kernel<ring>::template work<A, LC, B0> at(true, thread, A);
        word x[1 << B0];
        pass_kernel<ring>::template load<1 << B0>(r, a, tiles.at(at.column, at.point(0, A)),
                                                  tiles.step(A - B0), x);
        power w[1 << B0];
        pass_kernel<ring>::template constants<B0>(a, t, w);
        dft<B0>::forward(r, x, w);
        pass_kernel<ring>::template between<A, 0>(r, x, t + a.rounds_at, at.offset);
        GFP_UNROLLED
        for (int s = 0; s < (1 << B0); s++) {
            shared[tile<word, A, LC>::at(at.column, at.point(s, A))] = x[s];
        }
    }
    forward_rounds<ring, A, LC, shape::threads, 1, K>(r, a, t, shared, thread, true);
    GFP_SYNC();
    power w[1 << B];
    pass_kernel<ring>::template constants<B>(a, t, w);
    GFP_ROLLED
    for (int i = thread; i < 1 << (A + LC - B); i += shape::threads) {
        const typename pass_kernel<ring>::template work<A, LC, B> at(true, i, B);
        word x[1 << B];
        GFP_UNROLLED
        for (int s = 0; s < (1 << B); s++) {
            x[s] = shared[tile<word, A, LC>::at(at.column, at.point(s, B))];
        }
        dft<B>::forward(r, x, w);
        tiles.template twiddle<B>(r, a, t, x, at.column, at.block);
        pass_kernel<ring>::template store<1 << B>(r, a, tiles.at(at.column, at.point(0, B)),
                                                  tiles.step(0), x);
    }
}

template <class ring, int A, int LC>
GFP_KERNEL((columns<ring, A, LC>::threads), ring::resident)
columns_backward(const ntt_pass a)
{
    typedef columns<ring, A, LC> shape;
    typedef typename ring::word word;
    typedef typename ring::power power;
    constexpr int K = shape::plan::count - 1;
    constexpr int B0 = shape::plan::size(0);
    constexpr int B = shape::plan::size(K);
    GFP_SHARED(memory);
    word *shared = (word *)memory;
    const shape tiles(a, blockIdx.x);
    const ring r(a.primes[tiles.prime].modulus);
    const power *t = pass_kernel<ring>::table(a, tiles.prime);
    const int thread = (int)threadIdx.x;
    {
        power w[1 << B];
        pass_kernel<ring>::template constants<B>(a, t, w);
        GFP_ROLLED
        for (int i = thread; i < 1 << (A + LC - B); i += shape::threads) {
            const typename pass_kernel<ring>::template work<A, LC, B> at(true, i, B);
            word x[1 << B];
            pass_kernel<ring>::template load<1 << B>(r, a, tiles.at(at.column, at.point(0, B)),
                                                     tiles.step(0), x);
            tiles.template twiddle<B>(r, a, t, x, at.column, at.block);
            dft<B>::backward(r, x, w);
            GFP_UNROLLED
            for (int s = 0; s < (1 << B); s++) {
                shared[tile<word, A, LC>::at(at.column, at.point(s, B))] = x[s];
            }
        }
    }
    backward_rounds<ring, A, LC, shape::threads, K - 1>(r, a, t, shared, thread, true);
    GFP_SYNC();
    const typename pass_kernel<ring>::template work<A, LC, B0> at(true, thread, A);
    word x[1 << B0];
    GFP_UNROLLED
    for (int s = 0; s < (1 << B0); s++) {
        x[s] = shared[tile<word, A, LC>::at(at.column, at.point(s, A))];
    }
    power w[1 << B0];
    pass_kernel<ring>::template constants<B0>(a, t, w);
    pass_kernel<ring>::template between<A, 0>(r, x, t + a.rounds_at, at.offset);
    dft<B0>::backward(r, x, w);
    pass_kernel<ring>::template store<1 << B0>(r, a, tiles.at(at.column, at.point(0, A)),
                                               tiles.step(A - B0), x);
}

/* ---- passes over contiguous points ---- */

/* 2^LC rows of 2^A contiguous points per block: vectors of one prime if N = 2^A, else parts of one
 * vector. If the result is in natural order, these parts have consecutive lowest frequencies. */
template <class ring, int A, int LC> struct rows {
    typedef rounds<A, ring::radix> plan;
    static constexpr int threads = 1 << (A + LC - plan::size(0));
    static constexpr size_t shared = tile<typename ring::word, A, LC>::bytes;

    size_t base;     /* of the vector, or of the first vector of this prime */
    unsigned number; /* of row 0 of the tile */
    unsigned count;  /* number of all rows */
    unsigned prime;
    bool whole; /* rows are vectors */
    GFP_HD rows(const ntt_pass &a, size_t block)
    {
        whole = a.log2_n == A;
        count = whole ? a.batch : 1u << (a.log2_n - A);
        const unsigned tiles = (count + (1u << LC) - 1) >> LC;
        const size_t owner = block / tiles; /* prime or vector */
        number = (unsigned)(block % tiles) << LC;
        base = whole ? owner * a.batch << A : owner << a.log2_n;
        prime = (unsigned)(whole ? owner : (a.first + owner) / a.batch);
    }
    GFP_HD bool has(int c) const
    {
        return number + (unsigned)c < count;
    }
    /* The place where the points of row c begin; mixed: rows are numbered by frequency. */
    GFP_HD size_t start(const ntt_pass &a, int c, bool mixed) const
    {
        const unsigned row = number + (unsigned)c;
        return base + ((size_t)(mixed ? bit_reverse(row, a.log2_n - A) : row) << A);
    }
};

/* Loads all rows of the tile to shared memory; neighbouring threads read neighbouring points. */
template <class ring, int A, int LC>
GFP_DEVICE void rows_load(const ring &r, const ntt_pass &a, const rows<ring, A, LC> &tiles,
                          typename ring::word *shared, int thread, bool mixed)
{
    typedef typename ring::word word;
    GFP_UNROLLED
    for (int k = 0; k < (1 << (A + LC)) / rows<ring, A, LC>::threads; k++) {
        const int i = k * rows<ring, A, LC>::threads + thread;
        const int c = i >> A;
        const int p = i & ((1 << A) - 1);
        word x = 0;
        if (tiles.has(c)) {
            pass_kernel<ring>::template load<1>(r, a, tiles.start(a, c, mixed) + (unsigned)p, 0,
                                                &x);
        }
        shared[tile<word, A, LC>::at(c, p)] = x;
    }
}

template <class ring, int A, int LC>
GFP_KERNEL((rows<ring, A, LC>::threads), ring::resident)
rows_forward(const ntt_pass a)
{
    typedef rows<ring, A, LC> shape;
    typedef typename ring::word word;
    typedef typename ring::power power;
    constexpr int K = shape::plan::count - 1;
    constexpr int B0 = shape::plan::size(0);
    constexpr int B = shape::plan::size(K);
    GFP_SHARED(memory);
    word *shared = (word *)memory;
    const shape tiles(a, blockIdx.x);
    const ring r(a.primes[tiles.prime].modulus);
    const power *t = pass_kernel<ring>::table(a, tiles.prime);
    const int thread = (int)threadIdx.x;
    const bool mixed = a.natural && !tiles.whole;
    {
        const typename pass_kernel<ring>::template work<A, LC, B0> at(false, thread, A);
        word x[1 << B0];
        if constexpr (K == 0) { /* rows are too short for neighbouring threads to read them */
            rows_load<ring, A, LC>(r, a, tiles, shared, thread, mixed);
            GFP_SYNC();
            GFP_UNROLLED
            for (int s = 0; s < (1 << B0); s++) {
                x[s] = shared[tile<word, A, LC>::at(at.column, at.point(s, A))];
            }
        } else if (tiles.has(at.column)) {
            pass_kernel<ring>::template load<1 << B0>(
                r, a, tiles.start(a, at.column, mixed) + (unsigned)at.point(0, A),
                (size_t)1 << (A - B0), x);
        } else {
            GFP_UNROLLED
            for (int s = 0; s < (1 << B0); s++) {
                x[s] = 0;
            }
        }
        power w[1 << B0];
        pass_kernel<ring>::template constants<B0>(a, t, w);
        dft<B0>::forward(r, x, w);
        if constexpr (K > 0) {
            pass_kernel<ring>::template between<A, 0>(r, x, t + a.rounds_at, at.offset);
        }
        GFP_UNROLLED
        for (int s = 0; s < (1 << B0); s++) {
            shared[tile<word, A, LC>::at(at.column, at.point(s, A))] = x[s];
        }
    }
    forward_rounds<ring, A, LC, shape::threads, 1, K>(r, a, t, shared, thread, false);
    GFP_SYNC();
    if constexpr (K > 0) {
        power w[1 << B];
        pass_kernel<ring>::template constants<B>(a, t, w);
        GFP_ROLLED
        for (int i = thread; i < 1 << (A + LC - B); i += shape::threads) {
            const typename pass_kernel<ring>::template work<A, LC, B> at(false, i, B);
            word x[1 << B];
            GFP_UNROLLED
            for (int s = 0; s < (1 << B); s++) {
                x[s] = shared[tile<word, A, LC>::at(at.column, at.point(s, B))];
            }
            dft<B>::forward(r, x, w);
            GFP_UNROLLED
            for (int s = 0; s < (1 << B); s++) {
                shared[tile<word, A, LC>::at(at.column, at.point(s, B))] = x[s];
            }
        }
        GFP_SYNC();
    }
    /* Frequency f of a row is at point bitrev(f). Neighbouring threads write neighbouring points,
     * or columns, as suits the order of the result. */
    const power scale = t[a.scale_at];
    GFP_ROLLED
    for (int i = thread; i < 1 << (A + LC); i += shape::threads) {
        const int c = mixed ? i & ((1 << LC) - 1) : i >> A;
        const unsigned j = mixed ? (unsigned)i >> LC : (unsigned)i & ((1u << A) - 1);
        const unsigned other = a.natural ? bit_reverse(j, A) : j;
        if (tiles.has(c)) {
            word x = shared[tile<word, A, LC>::at(c, (int)(mixed ? j : other))];
            x = a.scaled ? r.mul(x, scale) : x;
            const size_t to =
                mixed ? tiles.base + tiles.number + (unsigned)c + ((size_t)other << (a.log2_n - A))
                      : tiles.start(a, c, false) + j;
            pass_kernel<ring>::template store<1>(r, a, to, 0, &x);
        }
    }
}

template <class ring, int A, int LC>
GFP_KERNEL((rows<ring, A, LC>::threads), ring::resident)
rows_backward(const ntt_pass a)
{
    typedef rows<ring, A, LC> shape;
    typedef typename ring::word word;
    typedef typename ring::power power;
    constexpr int K = shape::plan::count - 1;
    constexpr int B0 = shape::plan::size(0);
    GFP_SHARED(memory);
    word *shared = (word *)memory;
    const shape tiles(a, blockIdx.x);
    const ring r(a.primes[tiles.prime].modulus);
    const power *t = pass_kernel<ring>::table(a, tiles.prime);
    const int thread = (int)threadIdx.x;
    rows_load<ring, A, LC>(r, a, tiles, shared, thread, false);
    backward_rounds<ring, A, LC, shape::threads, K>(r, a, t, shared, thread, false);
    GFP_SYNC();
    const typename pass_kernel<ring>::template work<A, LC, B0> at(false, thread, A);
    word x[1 << B0];
    GFP_UNROLLED
    for (int s = 0; s < (1 << B0); s++) {
        x[s] = shared[tile<word, A, LC>::at(at.column, at.point(s, A))];
    }
    power w[1 << B0];
    pass_kernel<ring>::template constants<B0>(a, t, w);
    if constexpr (K > 0) {
        pass_kernel<ring>::template between<A, 0>(r, x, t + a.rounds_at, at.offset);
    }
    dft<B0>::backward(r, x, w);
    if (a.scaled) {
        const power scale = t[a.scale_at];
        GFP_UNROLLED
        for (int s = 0; s < (1 << B0); s++) {
            x[s] = r.mul(x[s], scale);
        }
    }
    if constexpr (K == 0) { /* rows are too short for neighbouring threads to write them */
        GFP_UNROLLED
        for (int s = 0; s < (1 << B0); s++) {
            shared[tile<word, A, LC>::at(at.column, at.point(s, A))] = x[s];
        }
        GFP_SYNC();
        GFP_ROLLED
        for (int i = thread; i < 1 << (A + LC); i += shape::threads) {
            const int c = i >> A;
            const int p = i & ((1 << A) - 1);
            if (tiles.has(c)) {
                pass_kernel<ring>::template store<1>(r, a, tiles.start(a, c, false) + (unsigned)p,
                                                     0, &shared[tile<word, A, LC>::at(c, p)]);
            }
        }
    } else if (tiles.has(at.column)) {
        pass_kernel<ring>::template store<1 << B0>(
            r, a, tiles.start(a, at.column, false) + (unsigned)at.point(0, A),
            (size_t)1 << (A - B0), x);
    }
}

} // namespace

#endif
