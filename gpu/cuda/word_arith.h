/* word_arith.h: arithmetic modulo primes of one word: rings whose residues are half words, doubles
 * or words. The code runs on the device and on the host.
 *
 * A ring has a type `word` for residues inside a transform, and a type `power` for constants to
 * multiply by (roots of unity, made by encode). The words of a ring are "inner": residues in [0,
 * m), m = q or 2q, or doubles (see ring50). Comments of operations state their ranges;
 * word_ranges.py proves the ranges.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_WORD_ARITH_H
#define GFP_GPU_CUDA_WORD_ARITH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifndef GFP_HD
#ifdef __CUDACC__
#define GFP_HD __host__ __device__ __forceinline__
#else
#define GFP_HD inline __attribute__((always_inline))
#endif
#endif

/* Loops that the device's compiler unrolls, or must not unroll; the host's compiler decides for
 * itself. */
#ifdef __CUDA_ARCH__
#define GFP_UNROLLED _Pragma("unroll")
#define GFP_ROLLED _Pragma("unroll 1")
#else
#define GFP_UNROLLED
#define GFP_ROLLED
#endif

/* The modulus, and constants of the rings. */
struct gfp_gpu_modulus {
    uint64_t q;
    uint64_t negative_inverse; /* -1/q mod 2^64; its lower half is -1/q mod 2^32 */
    uint64_t square32;         /* 2^64 mod q and 2^128 mod q: the squares of Montgomery's R */
    uint64_t square64;
    double inverse; /* 1/q rounded */
};

/* A prime of a plan for transforms of N points. */
struct gfp_gpu_prime {
    gfp_gpu_modulus modulus;
    uint64_t root[2]; /* w_N and its inverse */
    uint64_t scale;   /* 1/N */
};

namespace
{

/* ---- words ---- */

static GFP_HD uint64_t high64(uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)a * b >> 64);
#endif
}

static GFP_HD uint32_t high32(uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
    return __umulhi(a, b);
#else
    return (uint32_t)((uint64_t)a * b >> 32);
#endif
}

static GFP_HD uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static GFP_HD uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* a b mod q for a, b < q < 2^62, q odd: for tables, on the device. Two Montgomery products; the
 * second one multiplies by 2^128 mod q. */
static GFP_HD uint64_t mont64(uint64_t a, uint64_t b, const gfp_gpu_modulus &modulus)
{
    const uint64_t low = a * b;
    /* (a b + f q) / 2^64, where the sum of the low words is 0, with a carry unless both are 0:
     * below 2q for a b < 2^64 q. */
    const uint64_t f = low * modulus.negative_inverse;
    const uint64_t t = high64(a, b) + high64(f, modulus.q) + (low != 0);
    return t >= modulus.q ? t - modulus.q : t;
}

static GFP_HD uint64_t mod_mul(uint64_t a, uint64_t b, const gfp_gpu_modulus &modulus)
{
    return mont64(mont64(a, b, modulus), modulus.square64, modulus);
}

static GFP_HD uint64_t mod_pow(uint64_t a, uint64_t e, const gfp_gpu_modulus &modulus)
{
    uint64_t x = 1;
    for (; e != 0; e >>= 1) {
        if (e & 1) {
            x = mod_mul(x, a, modulus);
        }
        a = mod_mul(a, a, modulus);
    }
    return x;
}

/* ---- half words by Montgomery's product: q < 2^31, m = q ---- */

struct ring31 {
    typedef uint32_t word;
    typedef uint32_t power;
    static constexpr int bits = 31;
    static constexpr int radix = 5;      /* log2 of the greatest transform in registers */
    static constexpr int resident = 3;   /* blocks of 256 threads share the registers */
    static constexpr bool grows = false; /* the ring reduces its sums */
    static constexpr bool plain = true;  /* inner words and residues are the same */
    uint32_t q, negative_inverse, square;

    explicit GFP_HD ring31(const gfp_gpu_modulus &modulus)
        : q((uint32_t)modulus.q), negative_inverse((uint32_t)modulus.negative_inverse),
          square((uint32_t)modulus.square32)
    {
    }
    static GFP_HD power encode(uint64_t w, const gfp_gpu_modulus &modulus)
    {
        return (uint32_t)mod_mul(w, ((uint64_t)1 << 32) % modulus.q, modulus);
    }
    static GFP_HD uint64_t decode(power p, const gfp_gpu_modulus &modulus)
    {
        return ring31(modulus).mul(p, 1);
    }
    GFP_HD word enter(uint64_t x) const
    {
        return (uint32_t)x;
    }
    GFP_HD uint64_t leave(word x) const
    {
        return x;
    }
    GFP_HD word reduce(word x) const
    {
        return x;
    }
    /* x + y, x - y of inner words. */
    GFP_HD word add(word x, word y) const
    {
        const word sum = x + y;
        return least(sum, sum - q);
    }
    GFP_HD word sub(word x, word y) const
    {
        const word difference = x - y;
        return least(difference, difference + q);
    }
    /* x times the constant that w encodes, for any 32-bit x; in general x w / 2^32 mod q. sub_mul:
     * x - y times this constant. */
    GFP_HD word mul(word x, power w) const
    {
        const uint64_t product = (uint64_t)x * w;
        const uint32_t f = (uint32_t)product * negative_inverse;
        const word t = (uint32_t)((product + (uint64_t)f * q) >> 32);
        return least(t, t - q);
    }
    GFP_HD word sub_mul(word x, word y, power w) const
    {
        return mul(x - y + q, w);
    }
    /* x y of two inner words. */
    GFP_HD word product(word x, word y) const
    {
        return mul(mul(x, y), square);
    }
};

/* ---- words by Montgomery's product: q < 2^62, m = 2q ---- */

struct ring62 {
    typedef uint64_t word;
    typedef uint64_t power;
    static constexpr int bits = 62;
    static constexpr int radix = 4;
    static constexpr int resident = 2;
    static constexpr bool grows = false;
    static constexpr bool plain = false; /* inner words and residues are the same */
    uint64_t q, negative_inverse, square;

    explicit GFP_HD ring62(const gfp_gpu_modulus &modulus)
        : q(modulus.q), negative_inverse(modulus.negative_inverse), square(modulus.square64)
    {
    }
    static GFP_HD power encode(uint64_t w, const gfp_gpu_modulus &modulus)
    {
        return mod_mul(w, modulus.square32, modulus);
    }
    static GFP_HD uint64_t decode(power p, const gfp_gpu_modulus &modulus)
    {
        return mont64(p, 1, modulus);
    }
    GFP_HD word enter(uint64_t x) const
    {
        return x;
    }
    GFP_HD uint64_t leave(word x) const
    {
        return least(x, x - q);
    }
    GFP_HD word reduce(word x) const
    {
        return x;
    }
    GFP_HD word add(word x, word y) const
    {
        const word sum = x + y;
        return least(sum, sum - 2 * q);
    }
    GFP_HD word sub(word x, word y) const
    {
        const word difference = x - y;
        return least(difference, difference + 2 * q);
    }
    /* x times the constant that w encodes, for x < 4q and w < q, or for both below 2q. The
     * multiplier f satisfies f q = -x w modulo 2^64, so that the low word of the sum is 0, with a
     * carry unless x w has low word 0. */
    GFP_HD word mul(word x, power w) const
    {
        const uint64_t low = x * w;
        return high64(x, w) + high64(low * negative_inverse, q) + (low != 0);
    }
    GFP_HD word sub_mul(word x, word y, power w) const
    {
        return mul(x - y + 2 * q, w);
    }
    GFP_HD word product(word x, word y) const
    {
        return mul(mul(x, y), square);
    }
};

/* ---- doubles: q < 2^50 ---- */

/* Words are integers as doubles, |x| <= q after mul and reduce. Sums are not reduced: callers keep
 * them below 2^53, and operands of products so small that |x w| / q < 2^51 (word_ranges.py). */
struct ring50 {
    typedef double word;
    typedef double power;
    static constexpr int bits = 50;
    static constexpr int radix = 4;
    static constexpr int resident = 4;
    static constexpr bool grows = true;
    static constexpr bool plain = false; /* inner words and residues are the same */
    double q, inverse;

    explicit GFP_HD ring50(const gfp_gpu_modulus &modulus)
        : q((double)modulus.q), inverse(modulus.inverse)
    {
    }
    /* Balanced: |w| <= q/2. */
    static GFP_HD power encode(uint64_t w, const gfp_gpu_modulus &modulus)
    {
        return w > modulus.q / 2 ? -(double)(modulus.q - w) : (double)w;
    }
    static GFP_HD uint64_t decode(power p, const gfp_gpu_modulus &modulus)
    {
        return p < 0 ? modulus.q - (uint64_t)-p : (uint64_t)p;
    }
    /* The nearest integer, for |x| < 2^51: adding 1.5 2^52 rounds the fraction away. */
    GFP_HD double quotient(double x) const
    {
        return fma(x, inverse, 6755399441055744.0) - 6755399441055744.0;
    }
    /* x < 2^52: the bits of 2^52 + x. */
    GFP_HD word enter(uint64_t x) const
    {
        const uint64_t image = x | UINT64_C(0x4330000000000000);
        double y;
#ifdef __CUDA_ARCH__
        y = __longlong_as_double((long long)image);
#else
        memcpy(&y, &image, sizeof y);
#endif
        return reduce(y - 4503599627370496.0);
    }
    GFP_HD uint64_t leave(word x) const
    {
        double y = reduce(x);
        y = y < 0 ? y + q : y;
        y += 4503599627370496.0;
        uint64_t image;
#ifdef __CUDA_ARCH__
        image = (uint64_t)__double_as_longlong(y);
#else
        memcpy(&image, &y, sizeof image);
#endif
        return image & UINT64_C(0xfffffffffffff);
    }
    GFP_HD word reduce(word x) const
    {
        return fma(-quotient(x), q, x);
    }
    GFP_HD word add(word x, word y) const
    {
        return x + y;
    }
    GFP_HD word sub(word x, word y) const
    {
        return x - y;
    }
    /* x w = high + low exactly; subtracts the multiple of q that is nearest as far as double
     * precision tells. */
    GFP_HD word mul(word x, power w) const
    {
        const double high = x * w;
        const double low = fma(x, w, -high);
        return fma(-quotient(high), q, high) + low;
    }
    GFP_HD word sub_mul(word x, word y, power w) const
    {
        return mul(x - y, w);
    }
    GFP_HD word product(word x, word y) const
    {
        return mul(reduce(x), reduce(y));
    }
};

} // namespace

#endif
