/* wide_product.h: the general product of elements of k = 4 ... 128 digits, k / V lanes an element.
 *
 * The digits' negacyclic convolution is computed modulo five primes q below 2^27 with 32 | q - 1.
 * With U = T^L, L = k / V, log2 V levels of butterflies split the ring Z_q[T]/(T^k + 1) into V
 * rings Z_q[T]/(T^L - z) of degree L < 16. Lane c holds digits c, c + L, c + 2L, ...: all levels
 * stay within a lane, with constant roots, the same for every k. The product M of the primes that a
 * radix needs (primes_for: three to five; five exceed 2^134.9) exceeds twice the columns of a
 * product. Hence a column is sum c_p M/q_p - a M, where a follows from the sum of the c_p alone,
 * since every q_p is nearly 2^27. The c_p of other primes are 0, since their tables are. M/q_p and
 * M are kept as m0 + m1 r, so that only sums a little wider than a digit are divided by r, for any
 * form of r.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_WIDE_PRODUCT_H
#define GFP_GPU_CUDA_WIDE_PRODUCT_H

#include <stdint.h>
#include <type_traits>
#include <utility>

#ifdef __CUDACC__
#define GFP_HD static __host__ __device__ __forceinline__
#else
#define GFP_HD static inline
#endif

namespace gfp_wide
{

static constexpr int PRIMES = 5;

/* The five primes, from the one nearest to 2^27 down; -1/q mod 2^32; an element of order 32. */
static constexpr uint32_t prime(int p)
{
    constexpr uint32_t q[PRIMES] = {134217409, 134217089, 134216801, 134216737, 134216609};
    return q[p];
}
static constexpr uint32_t power(uint64_t a, uint64_t e, uint32_t q)
{
    uint64_t r = 1;
    for (; e != 0; e >>= 1, a = a * a % q)
        if (e & 1)
            r = r * a % q;
    return (uint32_t)r;
}
static constexpr uint32_t inverse(uint32_t a, uint32_t q)
{
    return power(a, q - 2, q);
}
static constexpr uint32_t neg_inverse(uint32_t q)
{
    uint32_t x = 1;
    for (int i = 0; i < 5; i++)
        x *= 2 - q * x;
    return 0u - x;
}
static constexpr uint32_t root32(int p)
{
    constexpr uint32_t z[PRIMES] = {4066203, 109421203, 119007338, 35451688, 44624258};
    return z[p];
}
/* a 2^32 mod q, nearest to zero. */
static constexpr int32_t montgomery(uint64_t a, uint32_t q)
{
    uint32_t t = (uint32_t)(((a % q) << 32) % q);
    return t > q / 2 ? (int32_t)(t - q) : (int32_t)t;
}

/* z^e, z of order 2V. */
static constexpr uint32_t unit(int p, int V, int e)
{
    return power(root32(p), (uint64_t)(16 / V) * (e % (2 * V)), prime(p));
}
/* The exponent of node n (0 <= n < 2^level) of the tree: U^(2h) - z^e has the children z^(e/2) and
 * z^(e/2 + V). */
static constexpr int exponent(int V, int level, int n)
{
    int e = V;
    for (int l = level - 1; l >= 0; l--)
        e = e / 2 + ((n >> l & 1) ? V : 0);
    return e;
}
/* The representative of a modulo q nearest to zero, and the quotient that reduces products with it:
 * round(a 2^32 / q). */
static constexpr int32_t nearest(uint32_t a, uint32_t q)
{
    return a > q / 2 ? (int32_t)(a - q) : (int32_t)a;
}
static constexpr int32_t quotient_of(int32_t a, uint32_t q)
{
    int64_t n = ((int64_t)a * ((int64_t)1 << 33) + q) /
                2; /* floor((a 2^33 + q) / 2q), divisions rounding to zero */
    return (int32_t)(n >= 0 ? n / q : -((-n + q - 1) / q));
}
/* The root of the butterflies of node n of a level, and its inverse. */
static constexpr int32_t node_root(int p, int V, int level, int n)
{
    return nearest(unit(p, V, exponent(V, level, n) / 2), prime(p));
}
static constexpr int32_t node_inverse(int p, int V, int level, int n)
{
    return nearest(unit(p, V, 2 * V - exponent(V, level, n) / 2), prime(p));
}
/* The root of ring i, in Montgomery form. */
static constexpr int32_t zeta(int p, int V, int i)
{
    int levels = V == 8 ? 3 : V == 16 ? 4 : V == 4 ? 2 : V == 2 ? 1 : 0;
    return montgomery(unit(p, V, exponent(V, levels, i)), prime(p));
}
/* Returns the number of primes, at most PRIMES, that columns of k digits of a radix of `bits` bits
 * need. */
static constexpr int primes_for(int k, int bits)
{
    int log_k = 0;
    while (1 << log_k < k)
        log_k++;
    int n = (log_k + 2 * bits + 27) / 27;
    return n < PRIMES ? n : PRIMES;
}
/* 2^32 / (V M/q_p) mod q_p, nearest to zero, M being the product of the first n primes: the factor
 * of a transformed digit in a table; 0 for primes that M lacks. */
static constexpr int32_t table_factor(int p, int V, int n)
{
    if (p >= n)
        return 0;
    uint32_t q = prime(p);
    uint64_t d = V;
    for (int i = 0; i < n; i++)
        if (i != p)
            d = d * (prime(i) % q) % q;
    return montgomery(inverse((uint32_t)d, q), q);
}

template <class F, int... I> GFP_HD void unroll_(F &&f, std::integer_sequence<int, I...>)
{
    (f(std::integral_constant<int, I>{}), ...);
}
template <int N, class F> GFP_HD void unroll(F &&f)
{
    unroll_(f, std::make_integer_sequence<int, N>{});
}
#define GFP_AT(c) (std::remove_reference_t<decltype(c)>::value)

static constexpr int digits_of_lane(int k)
{
    return k == 128 ? 16 : k < 8 ? k : 8;
}
template <int K> struct shape {
    static constexpr int V = digits_of_lane(K);
    static constexpr int LEVELS = V == 16 ? 4 : V == 8 ? 3 : 2;
    static constexpr int L = K / V; /* lanes per element, and the degree of the small rings */
    static constexpr int G = V / L; /* small rings per lane */
    /* Padding words between the rings of lanes, and per element, so that banks differ. */
    static constexpr int PAD = L == 8 ? 4 : 0;
    static constexpr int STRIDE = K == 4    ? 4
                                  : K == 8  ? 12
                                  : K == 16 ? 20
                                  : K == 32 ? 36
                                  : K == 64 ? 104
                                            : 168;
    GFP_HD constexpr int word(int i, int c)
    {
        return i * L + c + i / G * PAD;
    }
};

static constexpr int LEAST_BITS = 34; /* of a radix */

/* Whether the ranges of wide_ranges.py hold. k = 128 serves radices up to 2^64 - 2^27 (settle). Not
 * powers of two: their rho1 is 2^31. */
static inline bool radix_served(int k, uint64_t r)
{
    return k >= 4 && k <= 128 && r >> (LEAST_BITS - 1) != 0 && (r & (r - 1)) != 0 &&
           r <= (k == 128 ? 0 - (1ull << 27) : 0 - (1ull << 48));
}
/* Whether products of elements are these: for shorter ones other forms take less time. */
static inline bool elements_served(int k, uint64_t r)
{
    return k >= 32 && radix_served(k, r);
}

/* The constants of a radix, 2^33 < r < 2^64. Halves of words are signed, the lower halves too: a =
 * lo + hi 2^32. */
struct radix {
    uint64_t r;
    int32_t r_lo, r_hi;
    int32_t m0_lo[PRIMES + 1], m0_hi[PRIMES + 1]; /* M/q_p = m0 + m1 r, |m0| <= r/2; entry 5: -M */
    int32_t m1_lo[PRIMES + 1], m1_hi[PRIMES + 1];
    int32_t m1_top;                                  /* of -M, whose m1 takes three words */
    int32_t factor[PRIMES], factor_quotient[PRIMES]; /* table_factor, and its quotient_of */
    int32_t rho1, rho0;          /* floor(2^(bits + 61) / r) = rho1 2^31 + rho0 */
    int32_t column_left;         /* the shift of columns before their division: max(57 - bits, 0) */
    int32_t shift;               /* bits + column_left - 34 */
    int32_t sum_left, sum_right; /* the shift of sums of digits before theirs: 45 - bits */
};

/* a b and a b + c, written in PTX and in halves: without this the compiler combines them from other
 * products and additions. */
GFP_HD int64_t mul(int32_t a, int32_t b)
{
#ifdef __CUDA_ARCH__
    int64_t d;
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(d) : "r"(a), "r"(b));
    return d;
#else
    return (int64_t)a * b;
#endif
}
GFP_HD int64_t mad(int32_t a, int32_t b, int64_t c)
{
#ifdef __CUDA_ARCH__
    int32_t lo = (int32_t)c, hi = (int32_t)(c >> 32);
    asm("mad.lo.cc.s32 %0, %2, %3, %0;\n\tmadc.hi.s32 %1, %2, %3, %1;"
        : "+r"(lo), "+r"(hi)
        : "r"(a), "r"(b));
    return (int64_t)((uint64_t)(uint32_t)hi << 32 | (uint32_t)lo);
#else
    return (int64_t)a * b + c;
#endif
}
GFP_HD int32_t high(int64_t a)
{
    return (int32_t)(a >> 32);
}
GFP_HD int32_t low(int64_t a)
{
    return (int32_t)a;
}
GFP_HD int32_t mul_high(int32_t a, int32_t b)
{
#ifdef __CUDA_ARCH__
    return __mulhi(a, b);
#else
    return high((int64_t)a * b);
#endif
}
/* The upper word of (high 2^32 + low) 2^s, 0 <= s < 32. */
GFP_HD uint32_t funnel(uint32_t low, uint32_t high, int32_t s)
{
#ifdef __CUDA_ARCH__
    return __funnelshift_l(low, high, (unsigned)s);
#else
    return (uint32_t)(((uint64_t)high << 32 | low) << s >> 32);
#endif
}
/* v / 2^32 mod q: |.| <= |v| / 2^32 + q/2 + 1. */
template <int P> GFP_HD int32_t reduce(int64_t v)
{
    constexpr uint32_t q = prime(P), n = 0u - neg_inverse(q);
    return high(v) - mul_high((int32_t)((uint32_t)v * n), (int32_t)q);
}
/* a + b w mod q, for |b| < 2^31 and W = round(w 2^32 / q): the result exceeds a by -0.25 q ... 1.25
 * q. */
template <int P> GFP_HD int32_t add_product(int32_t a, int32_t b, int32_t w, int32_t W)
{
    return (int32_t)((uint32_t)a + (uint32_t)b * (uint32_t)w - (uint32_t)mul_high(b, W) * prime(P));
}
/* The same residue, at most 0.51 q in size. */
template <int P> GFP_HD int32_t brought_back(int32_t v)
{
    return v - ((v + (1 << 26)) >> 27) * (int32_t)prime(P);
}

/* The residues of a lane's digits, -4.8 q ... 5.8 q (q is a little below 2^27). Then the forward
 * levels; each adds up to 1.25 q, so that residues are at most 11.3 q. */
template <int K, int P>
GFP_HD void forward(const int64_t (&x)[shape<K>::V], int32_t (&v)[shape<K>::V])
{
    constexpr int V = shape<K>::V;
    constexpr int32_t c = (int32_t)((1ull << 32) % prime(P));
    unroll<V>([&](auto i_) {
        constexpr int i = GFP_AT(i_);
        int64_t t = mad(high(x[i]), c, (int64_t)(uint32_t)x[i]);
        v[i] = (int32_t)((uint32_t)t - (uint32_t)(t >> 27) * prime(P));
    });
    unroll<shape<K>::LEVELS>([&](auto l_) {
        constexpr int l = GFP_AT(l_), h = V >> (l + 1);
        unroll<V / 2>([&](auto b_) {
            constexpr int b = GFP_AT(b_), n = b / h, u = n * 2 * h + b % h;
            constexpr int32_t w = node_root(P, V, l, n), W = quotient_of(w, prime(P));
            int32_t s = add_product<P>(v[u], v[u + h], w, W);
            v[u + h] = (int32_t)(2 * (uint32_t)v[u] - (uint32_t)s);
            v[u] = s;
        });
    });
}

/* zy := z y for a ring Z_q[T]/(T^L - z), its root in Montgomery form: at most 0.51 q. */
template <int K, int P>
GFP_HD void wrap(const int32_t (&y)[shape<K>::V], const int32_t (&z)[shape<K>::G],
                 int32_t (&zy)[shape<K>::V])
{
    unroll<shape<K>::V>([&](auto i_) {
        constexpr int i = GFP_AT(i_);
        zy[i] = reduce<P>(mul(y[i], z[i / shape<K>::L]));
    });
}
/* Products in Z_q[T]/(T^L - z) of x (at most 11.3 q) and y (y and z y at most 0.51 q): at most
 * 1.9 q. The lowest coefficient of z y is not used. */
template <int K, int P>
GFP_HD void products(const int32_t (&x)[shape<K>::V], const int32_t (&y)[shape<K>::V],
                     const int32_t (&zy)[shape<K>::V], int32_t (&u)[shape<K>::V])
{
    constexpr int L = shape<K>::L;
    unroll<shape<K>::V>([&](auto i_) {
        constexpr int g = GFP_AT(i_) / L * L, c = GFP_AT(i_) % L;
        int64_t a = mul(x[g], y[g + c]);
        unroll<L - 1>([&](auto e_) {
            constexpr int e = GFP_AT(e_) + 1;
            a = mad(x[g + e],
                    e <= c ? y[g + (e <= c ? c - e : 0)] : zy[g + (e <= c ? 0 : c + L - e)], a);
        });
        u[g + c] = reduce<P>(a);
    });
}

/* The backward levels, times V (the tables compensate). Differences times roots are -0.25 q ...
 * 1.25 q. Sums double, and are reduced before they would exceed 2^31, or 6 q at the end. */
template <int K, int P> GFP_HD void backward(int32_t (&v)[shape<K>::V])
{
    constexpr int V = shape<K>::V, LEVELS = shape<K>::LEVELS;
    unroll<LEVELS>([&](auto l_) {
        constexpr int l = GFP_AT(l_), h = 1 << l;
        if constexpr (l == 3) {
            v[0] = brought_back<P>(v[0]);
            v[h] = brought_back<P>(v[h]);
        }
        unroll<V / 2>([&](auto b_) {
            constexpr int b = GFP_AT(b_), n = b / h, u = n * 2 * h + b % h;
            constexpr int32_t w = node_inverse(P, V, LEVELS - 1 - l, n),
                              W = quotient_of(w, prime(P));
            int32_t s = v[u], t = v[u + h];
            v[u] = s + t;
            v[u + h] = add_product<P>(0, s - t, w, W);
        });
    });
    v[V == 16] = brought_back<P>(v[V == 16]);
}

/* The parts of a column: l, to be divided by r, and h for the next digit; each is lo + hi 2^32. */
struct column {
    int64_t l_lo, l_hi;
    uint32_t h_lo;
    int64_t h_hi;
};
GFP_HD column recombine(const int32_t (&c)[PRIMES], const radix &R)
{
    column t;
    int32_t s = 1 << 24; /* the sum of c_p / q_p, each nearly c_p / 2^27; it stays a quarter of a
                            unit and more away from the values where rounding changes */
    int64_t h = 0;
    t.l_lo = 0, t.l_hi = 0, t.h_hi = 0;
    unroll<PRIMES>([&](auto p_) {
        constexpr int p = GFP_AT(p_);
        s += c[p] >> 2;
        t.l_lo = mad(c[p], R.m0_lo[p], t.l_lo);
        t.l_hi = mad(c[p], R.m0_hi[p], t.l_hi);
        h = mad(c[p], R.m1_lo[p], h);
        t.h_hi = mad(c[p], R.m1_hi[p], t.h_hi);
    });
    int32_t a = s >> 25;
    t.l_lo = mad(a, R.m0_lo[PRIMES], t.l_lo);
    t.l_hi = mad(a, R.m0_hi[PRIMES], t.l_hi);
    h = mad(a, R.m1_lo[PRIMES], h);
    t.h_hi = mad(a, R.m1_hi[PRIMES], t.h_hi);
    t.h_hi = (int64_t)((uint64_t)t.h_hi + ((uint64_t)(uint32_t)(a * R.m1_top) << 32));
    t.h_lo = (uint32_t)h;
    t.h_hi += h >> 32;
    return t;
}
/* The remainder of l + h modulo r, near zero, and the quotient; h comes from the digit below. WIDE:
 * for r > 2^64 - 2^48 the remainder may not fit; then the quotient takes one more. */
template <bool WIDE>
GFP_HD int64_t divide(const column &t, uint32_t h_lo, int64_t h_hi, const radix &R,
                      int32_t &quotient)
{
    int64_t lo = t.l_lo + (int64_t)h_lo;
    int64_t hi = t.l_hi + h_hi + (lo >> 32);
    int32_t top = (int32_t)funnel((uint32_t)hi, (uint32_t)high(hi), R.column_left);
    uint32_t next = funnel((uint32_t)lo, (uint32_t)hi, R.column_left);
    int64_t f = mad(top, R.rho1, (int64_t)((uint64_t)next * (uint32_t)R.rho1 >> 32)) +
                (mul(top, R.rho0) >> 31);
    int32_t q = (int32_t)((f + ((int64_t)1 << (R.shift - 1))) >> R.shift);
    uint64_t w = (uint64_t)hi << 32 | (uint32_t)lo;
    int64_t d = (int64_t)(w - (uint64_t)((int64_t)q * R.r_lo) -
                          ((uint64_t)((uint32_t)q * (uint32_t)R.r_hi) << 32));
    if (WIDE) {
        int64_t part = f - (int64_t)((uint64_t)(int64_t)q << R.shift);
        if ((part ^ d) < 0 && (d > ((int64_t)1 << 62) || d < -((int64_t)1 << 62))) {
            q += part > 0 ? 1 : -1;
            d = (int64_t)(part > 0 ? (uint64_t)d - R.r : (uint64_t)d + R.r);
        }
    }
    quotient = q;
    return d;
}
/* d + v modulo r, |d| + |v| <= 3/2 r - 1: at most r/2; *one := the carry to the next digit. */
GFP_HD int64_t settle(int64_t d, int64_t v, const radix &R, int32_t &one)
{
    int64_t s = (int64_t)((uint64_t)d + (uint64_t)v), half = (int64_t)(R.r >> 1);
    bool over = ((d ^ s) & (v ^ s)) < 0;
    bool up = over ? v > 0 : s > half, down = over ? v < 0 : s < -half;
    one = (int32_t)up - (int32_t)down;
    return (int64_t)((uint64_t)s - (up ? R.r : 0) + (down ? R.r : 0));
}

/* The constants of a radix for k digits, computed once by the host. */
static inline bool radix_init(radix &R, int k, uint64_t r)
{
    __extension__ typedef unsigned __int128 u128;
    __extension__ typedef __int128 s128;
    int bits = 64 - __builtin_clzll(r);
    if (bits < LEAST_BITS)
        return false;
    const int used = primes_for(k, bits);
    R.r = r;
    R.r_lo = (int32_t)r;
    R.r_hi = (int32_t)((r - (uint64_t)(int64_t)R.r_lo) >> 32);
    R.column_left = bits < 57 ? 57 - bits : 0;
    R.shift = bits + R.column_left - 34;
    R.sum_right = bits > 45 ? bits - 45 : 0;
    R.sum_left = bits < 45 ? 45 - bits : 0;
    for (int p = 0; p < PRIMES; p++) {
        R.factor[p] = table_factor(p, digits_of_lane(k), used);
        R.factor_quotient[p] = quotient_of(R.factor[p], prime(p));
    }
    for (int p = 0; p <= PRIMES; p++) {
        u128 v = p == PRIMES || p < used ? 1 : 0;
        for (int i = 0; i < used - 1; i++)
            v *= prime(p == PRIMES ? i + 1 : i < p ? i : i + 1);
        s128 m0 = (s128)(v % r), m1 = (s128)(v / r);
        if (p == PRIMES) { /* -M: minus the product of the other primes, times the first prime */
            s128 q = prime(0), a = m0 * q;
            m1 = -(m1 * q + (s128)((u128)a / r));
            m0 = -(s128)((u128)a % r);
        }
        if (m0 > (s128)(r / 2))
            m0 -= r, m1 += 1;
        if (m0 < -(s128)(r / 2))
            m0 += r, m1 -= 1;
        R.m0_lo[p] = (int32_t)m0;
        R.m0_hi[p] = (int32_t)((m0 - R.m0_lo[p]) >> 32);
        R.m1_lo[p] = (int32_t)m1;
        m1 = (m1 - R.m1_lo[p]) >> 32;
        R.m1_hi[p] = (int32_t)m1;
        if (p == PRIMES)
            R.m1_top = (int32_t)((m1 - R.m1_hi[p]) >> 32);
    }
    /* 2^(bits + 61) / r, upper part first. */
    u128 n = (u128)1 << (bits + 30);
    R.rho1 = (int32_t)(uint64_t)(n / r);
    R.rho0 = (int32_t)(uint64_t)(((u128)(uint64_t)(n % r) << 31) / r);
    return true;
}

/* Returns fn(K, R) for the K = k and the radix of elements that elements_served accepts. */
template <class F> static inline auto with_radix(int k, uint64_t r, const F &fn)
{
    radix R;
    (void)radix_init(R, k, r);
    switch (k) {
    case 32:
        return fn(std::integral_constant<int, 32>{}, R);
    case 64:
        return fn(std::integral_constant<int, 64>{}, R);
    default:
        return fn(std::integral_constant<int, 128>{}, R);
    }
}

/* Converts canonical digits to digits near zero: subtracts r from a digit above r/2 and adds one to
 * the digit above (-1 for r^k). */
static inline void balance_element(uint64_t *x, unsigned k, uint64_t r)
{
    uint64_t carry = 0;
    for (unsigned i = 0; i < k; i++) {
        uint64_t d = x[i] + carry; /* at most r */
        carry = d > r / 2;
        x[i] = d - (carry != 0 ? r : 0);
    }
    x[0] -= carry;
}

/* Lane c's part of a prepared element for prime P: y's transform, scaled, at most q/2. */
template <int K, int P>
GFP_HD void prepare(const int64_t (&y)[shape<K>::V], const radix &R, int32_t (&v)[shape<K>::V])
{
    constexpr int32_t q = (int32_t)prime(P);
    forward<K, P>(y, v);
    unroll<shape<K>::V>([&](auto i_) {
        constexpr int i = GFP_AT(i_);
        int32_t t = add_product<P>(0, v[i], R.factor[P], R.factor_quotient[P]);
        v[i] = t > q / 2 ? t - q : t;
    });
}
/* The words of an entry of a table: for each prime K words of y's transform and K words of its
 * multiples by the roots of the rings. */
template <int K> static constexpr int ENTRY = 2 * PRIMES *K;

/* Puts lane c's part v for prime P into an entry: coefficient c of ring i at i L + c. */
template <int K, int P>
GFP_HD void put_entry(const int32_t (&v)[shape<K>::V], int32_t *entry, int c)
{
    constexpr int V = shape<K>::V;
    int32_t *at = entry + 2 * P * K + c;
    unroll<V>([&](auto i_) {
        constexpr int i = GFP_AT(i_);
        constexpr int32_t z = zeta(P, V, i);
        at[i * shape<K>::L] = v[i];
        at[i * shape<K>::L + K] = reduce<P>(mul(v[i], z));
    });
}
/* v := the first halves for all primes and lanes, at P K + i L + c; y: digits near zero, as words.
 */
template <int K> GFP_HD void prepare_all(const uint64_t *y, const radix &R, int32_t *v)
{
    constexpr int V = shape<K>::V, L = shape<K>::L;
    for (int c = 0; c < L; c++) {
        int64_t d[V];
        unroll<V>([&](auto i_) { d[GFP_AT(i_)] = (int64_t)y[c + L * GFP_AT(i_)]; });
        unroll<PRIMES>([&](auto p_) {
            constexpr int P = GFP_AT(p_);
            int32_t part[V];
            prepare<K, P>(d, R, part);
            unroll<V>([&](auto i_) { v[P * K + GFP_AT(i_) * L + c] = part[GFP_AT(i_)]; });
        });
    }
}

} /* namespace gfp_wide */
#endif
