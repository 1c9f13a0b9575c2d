/* hybrid_leaf.h: leaves of the hybrid product on the device: the arguments of their kernels, and
 * the arithmetic that the kernels share.
 *
 * A leaf is X^L - r^t over Z/pZ, L = m 2^j. The coefficients of a leaf are polynomials of degree <
 * k in y, where y stands for r, y^k = -1. Modulo a prime q, y^k + 1 splits into k factors y - h^e,
 * h of order 2k, e odd: the channels. In a channel the leaf is X^L - h^(e t), which splits further,
 * by halves, down to blocks X^m - g; blocks are multiplied as polynomials. All splits belong to one
 * tree: node n at depth d is z^(S / 2^d) - w^i, w of order 2^d and i = the d bits of n reversed.
 * The halves of node n, nodes 2n and 2n + 1 at depth d + 1, have the constants W[n] and -W[n], and
 * W[n] is independent of d. Hence one table with a constant per node serves all: y^k + 1 is node 1
 * at depth 1, channel c its descendant k + c, and the leaf in this channel node number brev(e t mod
 * 2k) at depth log2 2k.
 *
 * Residues lie prime by prime in "planes". A plane holds leaves, a leaf k channels (k digits after
 * the last pass backwards), a channel L coefficients. Ranges: forwards [0, 4q), backwards [0, 2q),
 * 4q < 2^32.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_PRODUCT_HYBRID_LEAF_H
#define GFP_GPU_CUDA_PRODUCT_HYBRID_LEAF_H

#include "gpu/cuda/impl.h"
#include "gpu/cuda/product/hybrid_digits.h"
#include "gpu/cuda/product/hybrid_primes.h"

/* A block of threads of the rows' kernel takes this many blocks X^m - g; the length of a plane is a
 * multiple of m times this number. */
#define GFP_HYBRID_LEAF_TILE 1024

/* A constant modulo q for Shoup products: w and floor(2^32 w / q). */
typedef struct gfp_leaf_factor {
    uint32_t w, companion;
} gfp_leaf_factor;

typedef union gfp_gpu_leaf_crt {
    gfp_hybrid::crt<3> of3;
    gfp_hybrid::crt<4> of4;
    gfp_hybrid::crt<5> of5;
    gfp_hybrid::crt<6> of6;
} gfp_gpu_leaf_crt;

/* The arguments of all kernels. */
typedef struct gfp_gpu_leaf_pass {
    int64_t *digits;                     /* of the leaves: hybrid_outer.h */
    uint32_t *a;                         /* residues, in and out */
    const uint32_t *b;                   /* residues of the other factor; may be a */
    gfp_leaf_factor *forward, *backward; /* W[n] and 1 / W[n], `table` entries per prime */
    uint64_t table;
    uint64_t plane; /* words of a plane */
    /* The leaves of this call. Unless these are all of the plan, they fill blocks of all kernels.
     */
    uint64_t leaves;
    uint64_t length; /* L */
    uint32_t log2_m; /* log2 of the outer size M */
    uint32_t first;  /* leaf number i of the call is leaf s = (first + i) mod M of its polynomial */
    /* split: of the L / 2^levels columns those from `from` on, `width` of them; width 0: all. */
    uint64_t from, width;
    uint32_t log2_k;
    uint32_t depth;   /* rows, columns: levels of a leaf in X that earlier passes did */
    uint32_t product; /* rows: multiplies a by b; otherwise completes the transform a */
    uint32_t b_done;  /* rows: the transform b is complete, too */
    uint32_t primes;
    uint32_t q[GFP_HYBRID_LEAF_PRIMES];
    uint32_t twice[GFP_HYBRID_LEAF_PRIMES];        /* 2q */
    uint32_t less[GFP_HYBRID_LEAF_PRIMES];         /* 2^32 - 2q */
    uint32_t inverse[GFP_HYBRID_LEAF_PRIMES];      /* 1 / q modulo 2^32 */
    gfp_leaf_factor scale[GFP_HYBRID_LEAF_PRIMES]; /* of the last pass; companions rounded */
    gfp_hybrid::radix radix;
    gfp_gpu_leaf_crt crt;
} gfp_gpu_leaf_pass;

GFP_BEGIN_DECLS

/* Kernels, by file. All calls enqueue work. */

/* hybrid_leaf_edge.cu: split converts digits to residues, splits them into channels and does the
 * first `levels` levels in X. join goes back, in place, up to residues of digits. levels: 0 or
 * gfp_gpu_leaf_edge_levels(k). */
static inline unsigned gfp_gpu_leaf_edge_levels(unsigned log2_k)
{
    return log2_k == 3 ? 4 : 8 - log2_k;
}
gfp_status gfp_gpu_leaf_split(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, unsigned log2_k,
                              unsigned levels);
gfp_status gfp_gpu_leaf_join(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, unsigned log2_k,
                             unsigned levels);
/* Four levels in X, in place. */
gfp_status gfp_gpu_leaf_columns(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, bool forward);

/* hybrid_leaf_rows.cu: the last levels forwards, the products, and the same levels backwards. m =
 * 4: 2 <= levels <= 10; m = 8: 7 <= levels <= 10, and GFP_HYBRID_LEAF_SHARED_8 bytes of shared
 * memory. */
#define GFP_HYBRID_LEAF_SHARED_8 (72 * 1024)
gfp_status gfp_gpu_leaf_rows(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, unsigned levels,
                             unsigned m);

/* hybrid_leaf_digits.cu: converts residues of digits (a) to the leaves' digits. */
gfp_status gfp_gpu_leaf_digits(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass);

/* hybrid_leaf_settle.cu: join and digits, in one kernel where one serves the pass. */
gfp_status gfp_gpu_leaf_settle(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, unsigned log2_k,
                               unsigned levels);

/* log2 of the words of a small leaf. */
#define GFP_HYBRID_LEAF_LOG2_SMALL 8

/* hybrid_leaf_small.cu: digits := products of small leaves: pass->digits times the digits at
 * pass->b, which may be the same. */
bool gfp_gpu_leaf_is_small(const gfp_gpu *gpu, unsigned log2_k, uint64_t r, uint64_t length,
                           unsigned primes);
gfp_status gfp_gpu_leaf_small(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass);

/* Fills the tables of a pass (hybrid_leaf_edge.cu). roots, on the device: for prime i, W[2^t] at 64
 * i + t, and its inverse at 64 i + 32 + t. */
gfp_status gfp_gpu_leaf_tables(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, uint32_t *roots);

GFP_END_DECLS

/* ---- device code ---- */

#ifndef GFP_KERNEL
#define GFP_KERNEL(threads, resident) static __global__ void __launch_bounds__(threads, resident)
#endif
#ifndef GFP_FAST_SHARED
#define GFP_FAST_SHARED(name) extern __shared__ __align__(128) unsigned char name[]
#endif
#ifdef __CUDA_ARCH__
#define LEAF_UNROLL _Pragma("unroll")
#define LEAF_ROLLED _Pragma("unroll 1")
#else
#define LEAF_UNROLL
#define LEAF_ROLLED
#endif

namespace gfp_leaf
{

typedef ::gfp_leaf_factor factor;
using gfp_hybrid::s32;
using gfp_hybrid::s64;
using gfp_hybrid::u32;
using gfp_hybrid::u64;

/* The lowest `bits` bits of x in reverse order, 1 <= bits <= 32; the upper bits of x are 0. */
static FAST_HD u32 reversed(u32 x, unsigned bits)
{
#ifdef __CUDA_ARCH__
    return __brev(x) >> (32 - bits);
#else
    u32 y = 0;
    for (unsigned i = 0; i < bits; i++) {
        y |= (x >> i & 1) << (bits - 1 - i);
    }
    return y;
#endif
}

static FAST_HD u32 least(u32 x, u32 y)
{
    return x < y ? x : y;
}

static FAST_HD factor load(const factor *p)
{
#ifdef __CUDA_ARCH__
    const uint2 x = __ldg((const uint2 *)p);
    return {x.x, x.y};
#else
    return *p;
#endif
}

/* Loads two neighbouring factors; the index of the first one is even. */
static FAST_HD void load_two(const factor *p, factor &f, factor &g)
{
#ifdef __CUDA_ARCH__
    const uint4 x = __ldg((const uint4 *)p);
    f = {x.x, x.y};
    g = {x.z, x.w};
#else
    f = p[0], g = p[1];
#endif
}

/* x w mod q in [0, 2q), for any x. */
static FAST_HD u32 multiply_lazy(u32 x, factor f, u32 q)
{
#ifdef __CUDA_ARCH__
    return x * f.w - __umulhi(x, f.companion) * q;
#else
    return x * f.w - (u32)((u64)x * f.companion >> 32) * q;
#endif
}

/* x w mod q near zero, for the CRT: |result| <= residue_bound(N, q), for any x < 2q. The companion
 * and the quotient are rounded to nearest. */
template <int N> static FAST_HD s32 scaled(u32 x, factor f, u32 q)
{
    if constexpr (N > 5) {
        x = least(x, x - q);
    }
#ifdef __CUDA_ARCH__
    u32 quotient;
    asm("{\n\t.reg .u32 low;\n\tmad.lo.cc.u32 low, %1, %2, 0x80000000;\n\tmadc.hi.u32 %0, %1, %2, "
        "0;\n\t}"
        : "=r"(quotient)
        : "r"(x), "r"(f.companion));
#else
    const u32 quotient = (u32)(((u64)x * f.companion + 0x80000000) >> 32);
#endif
    return (s32)(x * f.w - quotient * q);
}

/* q, 2q and 2^32 - 2q as independent numbers. If the compiler knew their relation, it would put a
 * shift and a sum into differences, split sums with 2q again, and not use the instruction for the
 * minimum of a word and a sum. */
struct modulus {
    u32 q, twice, less;
    FAST_HD modulus(const gfp_gpu_leaf_pass &pass, u32 prime)
        : q(pass.q[prime]), twice(pass.twice[prime]), less(pass.less[prime])
    {
    }
};

/* (u, v) := (u + w v, u - w v), all in [0, 4q). */
static FAST_HD void split(u32 &u, u32 &v, factor w, modulus m)
{
    const u32 x = least(u, u + m.less), y = multiply_lazy(v, w, m.q);
    u = x + y;
    v = x - y + m.twice;
}

/* (u, v) := (u + v, (u - v) w), all in [0, 2q). */
static FAST_HD void join(u32 &u, u32 &v, factor w, modulus m)
{
    const u32 sum = u + v, difference = u - v + m.twice;
    u = least(sum, sum + m.less);
    v = multiply_lazy(difference, w, m.q);
}

/* The number of the node at depth log2 2k that leaf number `leaf` of the call is in channel c. */
static FAST_HD u32 leaf_node(const gfp_gpu_leaf_pass &pass, u32 log2_k, u64 leaf, u32 c)
{
    const u32 s = ((u32)leaf + pass.first) & ((1u << pass.log2_m) - 1), bits = log2_k + 1;
    const u32 e = reversed((1u << log2_k) + c, bits), t = reversed(s, bits);
    return reversed(e * t & ((1u << bits) - 1), bits);
}

/* A load of factors that the compiler cannot move: ptxas moves loads of constant memory behind the
 * next barrier. */
static FAST_HD factor load_here(const factor *p)
{
#ifdef __CUDA_ARCH__
    factor f;
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(f.w), "=r"(f.companion) : "l"(p));
    return f;
#else
    return *p;
#endif
}
static FAST_HD void load_two_here(const factor *p, factor &f, factor &g)
{
#ifdef __CUDA_ARCH__
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(f.w), "=r"(f.companion), "=r"(g.w), "=r"(g.companion)
                 : "l"(p));
#else
    f = p[0], g = p[1];
#endif
}

/* The factors of the W levels below a node; those of level D begin at w[2^D]. */
template <int W> struct node_factors {
    factor w[1 << W];

    FAST_HD void load(const factor *t, u32 n)
    {
        gfp_fast::unroll<W>([&](auto dc) {
            constexpr int D = decltype(dc)::value, count = 1 << D;
            const factor *from = t + (n << D);
            if constexpr (D == 0) {
                w[1] = load_here(from);
            } else {
                /* Loads pairs of neighbours in the table. */
                LEAF_UNROLL
                for (int e = 0; e < count; e += 2) {
                    load_two_here(from + e, w[count + e], w[count + e + 1]);
                }
            }
        });
    }
};

/* Level D of the W levels of DFTs of 2^W registers. COUNT DFTs, 16 registers apart, use the same
 * constants. The templates unroll loops that the compiler would leave rolled, with x in local
 * memory. */
template <int W, int D, bool FORWARD, int COUNT>
static FAST_HD void node_level(u32 *x, const node_factors<W> &f, modulus m)
{
    constexpr int half = 1 << (W - 1 - D);
    gfp_fast::unroll<(1 << D) * half>([&](auto ic) {
        constexpr int i = decltype(ic)::value, e = i / half, at = 2 * e * half + i % half;
        gfp_fast::unroll<COUNT>([&](auto cc) {
            constexpr int u = at + 16 * decltype(cc)::value;
            if constexpr (FORWARD) {
                split(x[u], x[u + half], f.w[(1 << D) + e], m);
            } else {
                join(x[u], x[u + half], f.w[(1 << D) + e], m);
            }
        });
    });
}

template <int W, int COUNT = 1>
static FAST_HD void split_node(u32 *x, const node_factors<W> &f, modulus m)
{
    gfp_fast::unroll<W>([&](auto dc) { node_level<W, decltype(dc)::value, true, COUNT>(x, f, m); });
}
template <int W> static FAST_HD void join_node(u32 *x, const node_factors<W> &f, modulus m)
{
    gfp_fast::unroll<W>(
        [&](auto dc) { node_level<W, W - 1 - decltype(dc)::value, false, 1>(x, f, m); });
}

} // namespace gfp_leaf

#endif
