/* hybrid_leaf.h: leaves of the hybrid product on the device: what their kernels are given, and the
 * arithmetic that they share.
 *
 * A leaf is X^L - r^t over Z/pZ, L = m 2^j. Its coefficients are polynomials of degree < k in y, y
 * standing for r, y^k = -1. Modulo a prime q, y^k + 1 splits into k factors y - h^e, h of order 2k,
 * e odd: channels, in which the leaf is X^L - h^(e t), which splits further, by halves, down to
 * blocks X^m - g; these are multiplied as polynomials. All splits are of one tree: node n at depth
 * d is z^(S / 2^d) - w^i, w of order 2^d and i = the d bits of n reversed; its halves, nodes 2n and
 * 2n + 1 at depth d + 1, have the constants W[n] and -W[n], W[n] being independent of d. So a
 * table of one constant per node serves all: y^k + 1 is node 1 at depth 1, channel c its
 * descendant k + c, and the leaf in this channel node number brev(e t mod 2k) at depth log2 2k.
 *
 * Residues lie prime by prime, "planes" of leaves, k channels each (before the first pass back has
 * ended: digits), L coefficients each. Ranges: forwards [0, 4q), backwards [0, 2q), 4q < 2^32.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_HYBRID_LEAF_H
#define GFP_GPU_HYBRID_LEAF_H

#include "gpu_impl.h"
#include "hybrid_digits.h"

#define GFP_HYBRID_LEAF_PRIMES 6
/* Blocks of the rows' kernel take this many blocks X^m - g; planes are multiples of it. */
#define GFP_HYBRID_LEAF_TILE 1024

/* A constant modulo q by Shoup: w and floor(2^32 w / q). */
typedef struct gfp_leaf_factor {
    uint32_t w, companion;
} gfp_leaf_factor;

typedef union gfp_gpu_leaf_crt {
    gfp_hybrid::crt<3> of3;
    gfp_hybrid::crt<4> of4;
    gfp_hybrid::crt<5> of5;
    gfp_hybrid::crt<6> of6;
} gfp_gpu_leaf_crt;

/* What all kernels are given. */
typedef struct gfp_gpu_leaf_pass {
    int64_t *digits;                     /* of the leaves: hybrid_outer.h */
    uint32_t *a;                         /* residues, in and out */
    const uint32_t *b;                   /* of the other factor; may be a */
    gfp_leaf_factor *forward, *backward; /* W[n] and 1 / W[n]: tables of `table` entries a prime */
    uint64_t table;
    uint64_t plane;  /* words */
    uint64_t leaves; /* of this call */
    uint64_t length; /* L */
    uint32_t log2_m; /* of the outer size M: the leaf number modulo M is s */
    uint32_t log2_k;
    uint32_t depth;   /* rows, columns: levels of a leaf in X that come before */
    uint32_t product; /* rows: multiply; else finish a */
    uint32_t b_done;  /* and b is finished */
    uint32_t primes;
    uint32_t q[GFP_HYBRID_LEAF_PRIMES];
    uint32_t inverse[GFP_HYBRID_LEAF_PRIMES];      /* 1 / q modulo 2^32 */
    gfp_leaf_factor scale[GFP_HYBRID_LEAF_PRIMES]; /* what the last pass multiplies by */
    gfp_hybrid::radix radix;
    gfp_gpu_leaf_crt crt;
} gfp_gpu_leaf_pass;

GFP_BEGIN_DECLS

/* Kernels, by file. Calls enqueue. */

/* hybrid_leaf_edge.cu: digits to residues, the split into channels and the first `levels` in X; and
 * back, in place, without the digits. levels: 0 or gfp_gpu_leaf_edge_levels(k). */
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

/* hybrid_leaf_rows.cu: the last levels forwards, products, and the same levels backwards. m = 4: 2
 * <= levels <= 10; m = 8: 7 <= levels <= 10, and shared memory of GFP_HYBRID_LEAF_SHARED_8. */
#define GFP_HYBRID_LEAF_SHARED_8 (72 * 1024)
gfp_status gfp_gpu_leaf_rows(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, unsigned levels,
                             unsigned m);

/* hybrid_leaf_digits.cu: residues of digits (a) to the leaves' digits. */
gfp_status gfp_gpu_leaf_digits(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass);

/* hybrid_leaf_settle.cu: join and digits, in one kernel where there is one for it. */
gfp_status gfp_gpu_leaf_settle(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, unsigned log2_k,
                               unsigned levels);

/* hybrid_leaf_small.cu: digits := products of leaves: those digits times the ones at b (may be the
 * same), for leaves that are small. */
bool gfp_gpu_leaf_is_small(const gfp_gpu *gpu, unsigned log2_k, uint64_t length, unsigned primes);
gfp_status gfp_gpu_leaf_small(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass);

/* Fills the tables of a pass (hybrid_leaf_edge.cu). roots, on the device: for prime i, W[2^t] at
 * 64 i + t, its inverse 32 places on. */
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

/* The lowest bits of x in reverse order, 1 <= bits <= 32; upper bits of x are 0. */
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

/* Two factors, from an even place. */
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

/* x w mod q in [0, 2q), any x. */
static FAST_HD u32 multiply_lazy(u32 x, factor f, u32 q)
{
#ifdef __CUDA_ARCH__
    return x * f.w - __umulhi(x, f.companion) * q;
#else
    return x * f.w - (u32)((u64)x * f.companion >> 32) * q;
#endif
}

/* q, and 2q in a register of its own: for 2 * q compilers put a shift and a sum into every
 * difference. */
struct modulus {
    u32 q, twice;
    explicit FAST_HD modulus(u32 q_) : q(q_), twice(2 * q_)
    {
#ifdef __CUDA_ARCH__
        asm("mov.b32 %0, %1;" : "=r"(twice) : "r"(2 * q_));
#endif
    }
};

/* (u, v) := (u + w v, u - w v), all in [0, 4q). */
static FAST_HD void split(u32 &u, u32 &v, factor w, modulus m)
{
    const u32 x = least(u, u - m.twice), y = multiply_lazy(v, w, m.q);
    u = x + y;
    v = x - y + m.twice;
}

/* (u, v) := (u + v, (u - v) w), all in [0, 2q). */
static FAST_HD void join(u32 &u, u32 &v, factor w, modulus m)
{
    const u32 sum = u + v, difference = u - v + m.twice;
    u = least(sum, sum - m.twice);
    v = multiply_lazy(difference, w, m.q);
}

/* Number of the node at depth log2 2k that leaf number `leaf` of the call is in channel c. */
static FAST_HD u32 leaf_node(const gfp_gpu_leaf_pass &pass, u32 log2_k, u64 leaf, u32 c)
{
    const u32 s = (u32)leaf & ((1u << pass.log2_m) - 1), bits = log2_k + 1;
    const u32 e = reversed((1u << log2_k) + c, bits), t = reversed(s, bits);
    return reversed(e * t & ((1u << bits) - 1), bits);
}

/* Level D of W of DFTs of 2^W registers below node n, COUNT of them, 16 registers apart, by the
 * same constants: pairs of the table's neighbours. Loops that the compiler would leave rolled, with
 * x in local memory. */
template <int W, int D, bool FORWARD, int COUNT>
static FAST_HD void node_level(u32 *x, const factor *t, u32 n, modulus m)
{
    constexpr int half = 1 << (W - 1 - D), together = D > 0 ? 2 : 1;
    const factor *from = t + (n << D);
    gfp_fast::unroll<(1 << D) / together>([&](auto ec) {
        constexpr int e = decltype(ec)::value * together;
        factor w[2];
        if constexpr (together == 2) {
            load_two(from + e, w[0], w[1]);
        } else {
            w[0] = load(from);
        }
        gfp_fast::unroll<together * half>([&](auto ic) {
            constexpr int i = decltype(ic)::value, at = (2 * e + i / half * 2) * half + i % half;
            gfp_fast::unroll<COUNT>([&](auto cc) {
                constexpr int u = at + 16 * decltype(cc)::value;
                if constexpr (FORWARD) {
                    split(x[u], x[u + half], w[i / half], m);
                } else {
                    join(x[u], x[u + half], w[i / half], m);
                }
            });
        });
    });
}

/* W levels below the node n. */
template <int W, int COUNT = 1>
static FAST_HD void split_node(u32 *x, const factor *t, u32 n, modulus m)
{
    gfp_fast::unroll<W>(
        [&](auto dc) { node_level<W, decltype(dc)::value, true, COUNT>(x, t, n, m); });
}
template <int W> static FAST_HD void join_node(u32 *x, const factor *t, u32 n, modulus m)
{
    gfp_fast::unroll<W>(
        [&](auto dc) { node_level<W, W - 1 - decltype(dc)::value, false, 1>(x, t, n, m); });
}

} // namespace gfp_leaf

#endif
