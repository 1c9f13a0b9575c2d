/* degree.c: see degree.h. The gcd of two polynomials over Z modulo 2^61 - 1, in plain words,
 * costs little for short operands, and bounds the degree before a method is chosen; by IFMA the
 * prime is another one for longer operands.
 *
 * Let the prime not divide lc(a). The divisor's leading coefficient divides lc(a), so its image has
 * its degree, and divides the gcd of the images. Degree 0 there proves that primitive operands are
 * coprime; any other degree is a bound, and nearly always right.
 *
 * A remainder is multiplied by a power of the divisor's leading coefficient, which saves the
 * inverse; where the quotient is long, the divisor becomes monic.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/gcd/degree.h"

#include <math.h>

#include "field/base/word.h"

#define P ((UINT64_C(1) << 61) - 1)
/* Words on the stack: the coefficients of both operands. */
#define MOST_WORDS 4096

/* x mod P, for x < 2^124. */
static uint64_t mersenne_reduce(gfp_u128 x)
{
    const uint64_t sum = ((uint64_t)x & P) + (uint64_t)(x >> 61);
    const uint64_t less = (sum & P) + (sum >> 61);
    return less >= P ? less - P : less;
}

/* The residue of an integer in two's complement; wrap = 2^(64 width) mod P. */
static uint64_t mersenne_residue(const uint64_t *x, size_t width, uint64_t wrap)
{
    uint64_t r = 0;
    for (size_t i = width; i-- > 0;) {             /* 2^64 = 8 mod P */
        const gfp_u128 y = (gfp_u128)r * 8 + x[i]; /* r < 2^62 */
        r = ((uint64_t)y & P) + (uint64_t)(y >> 61);
    }
    return mersenne_reduce(gfp_z_negative(x, width) ? (gfp_u128)r + P - wrap : r);
}

/* z := the residues of f; returns their length without zeros at the end. */
static size_t mersenne_residues(uint64_t *z, gfp_zpoly f)
{
    const uint64_t wrap = UINT64_C(1) << (64 * f.width % 61);
    for (size_t i = 0; i < f.len; i++) {
        z[i] = mersenne_residue(gfp_zpoly_at(f, i), f.width, wrap);
    }
    size_t len = f.len;
    while (len > 0 && z[len - 1] == 0) {
        len--;
    }
    return len;
}

/* x := a multiple of the remainder of x by y, n >= m > 0; returns its length. Each step takes a
 * multiple of y from c x, c the leading coefficient of y. Coefficients of x below `low` are
 * multiplied by the power of c when y reaches them. */
static size_t remainder_of(uint64_t *x, size_t n, const uint64_t *y, size_t m)
{
    const uint64_t c = y[m - 1];
    uint64_t power = 1;
    size_t low = n - m;
    while (n >= m) {
        const uint64_t d = P - x[n - 1];
        for (size_t i = 0; i + 1 < m; i++) {
            x[low + i] = mersenne_reduce((gfp_u128)c * x[low + i] + (gfp_u128)d * y[i]);
        }
        power = mersenne_reduce((gfp_u128)power * c);
        n--;
        while (n > 0 && (n == low || x[n - 1] == 0)) {
            if (n == low) {
                low--;
                x[low] = mersenne_reduce((gfp_u128)power * x[low]);
            } else {
                n--;
            }
        }
        for (; low > 0 && n - low < m; low--) {
            x[low - 1] = mersenne_reduce((gfp_u128)power * x[low - 1]);
        }
    }
    return n;
}

/* The usual quotient, of two coefficients, n = m + 1, m >= 2: x := c^2 x - (alpha X + beta) y, c
 * the leading coefficient of y. Returns the length. */
static size_t usual_remainder(uint64_t *x, const uint64_t *y, size_t m)
{
    const uint64_t c = y[m - 1], top = x[m];
    const uint64_t square = mersenne_reduce((gfp_u128)c * c),
                   less = P - mersenne_reduce((gfp_u128)c * top);
    const uint64_t sum = mersenne_reduce((gfp_u128)c * x[m - 1] + (gfp_u128)(P - top) * y[m - 2]);
    const uint64_t beta = P - sum;
    uint64_t below = 0;
    for (size_t i = 0; i + 1 < m; i++) {
        x[i] = mersenne_reduce((gfp_u128)square * x[i] + (gfp_u128)less * below +
                               (gfp_u128)beta * y[i]);
        below = y[i];
    }
    size_t n = m - 1;
    while (n > 0 && x[n - 1] == 0) {
        n--;
    }
    return n;
}

/* The inverse of c, not 0: c^(2^61 - 3) = (c^(2^59 - 1))^4 c. */
static uint64_t mersenne_inverse(uint64_t c)
{
    uint64_t z = c; /* c^(2^k - 1), k the first binary digits of 59 */
    for (unsigned i = 5, k = 1; i-- > 0;) {
        uint64_t y = z;
        for (unsigned j = 0; j < k; j++) {
            y = mersenne_reduce((gfp_u128)y * y);
        }
        z = mersenne_reduce((gfp_u128)y * z);
        k = 59U >> i;
        z = k % 2 == 0 ? z : mersenne_reduce((gfp_u128)mersenne_reduce((gfp_u128)z * z) * c);
    }
    z = mersenne_reduce((gfp_u128)z * z);
    z = mersenne_reduce((gfp_u128)z * z);
    return mersenne_reduce((gfp_u128)z * c);
}

/* x := the remainder of x by y, which becomes monic, n >= m > 0; returns its length. */
static size_t long_remainder(uint64_t *x, size_t n, uint64_t *y, size_t m)
{
    const uint64_t factor = mersenne_inverse(y[m - 1]);
    for (size_t i = 0; i < m; i++) {
        y[i] = mersenne_reduce((gfp_u128)factor * y[i]);
    }
    for (; n >= m; n--) {
        const uint64_t d = P - x[n - 1];
        for (size_t i = 0; i + 1 < m; i++) {
            x[n - m + i] = mersenne_reduce((gfp_u128)d * y[i] + x[n - m + i]);
        }
    }
    while (n > 0 && x[n - 1] == 0) {
        n--;
    }
    return n;
}

/* Products of a division from which on an inverse is worth its time. */
#define LONG 140

/* Nanoseconds: for each product of coefficients of two operands of the shorter one's length, and
 * for the rest of the longer one; for each coefficient and limb. */
#define EVEN_NS 1.4
#define REST_NS 1.43
#define COEFFICIENT_NS 3
#define LIMB_NS 1.6

/* Returns the length of the gcd of x and y, not both 0; overwrites them. 0: the gcd takes longer
 * than left_ns. */
static size_t gcd_length(uint64_t *x, size_t n, uint64_t *y, size_t m, double left_ns)
{
    while (m > 1) {
        size_t rest = n;
        left_ns -= n == m + 1 ? 2 * EVEN_NS * (double)m
                   : n >= m   ? REST_NS * (double)(n - m + 1) * (double)m
                              : 0;
        if (left_ns < 0) {
            return 0;
        }
        if (n == m + 1) {
            rest = usual_remainder(x, y, m);
        } else if (n >= m) {
            const bool is_long = (n - m + 1) * (m - 1) > LONG && n > m;
            rest = is_long ? long_remainder(x, n, y, m) : remainder_of(x, n, y, m);
        }
        uint64_t *z = x;
        x = y;
        n = m;
        y = z;
        m = rest;
    }
    return m == 1 ? 1 : n;
}

static double plain_residues(gfp_zpoly a, gfp_zpoly b)
{
    return COEFFICIENT_NS * ((double)a.len + (double)b.len) +
           LIMB_NS * ((double)a.len * (double)a.width + (double)b.len * (double)b.width);
}

/* The products of coefficients of a gcd of two operands of equal lengths, with a divisor of len_g
 * coefficients. */
static double even_products(double shorter, size_t len_g)
{
    return shorter * shorter - (double)len_g * (double)len_g;
}

static double plain_time(gfp_zpoly a, gfp_zpoly b, size_t len_g)
{
    const double of_a = (double)a.len, of_b = (double)b.len, less = of_a < of_b ? of_a : of_b;
    return EVEN_NS * even_products(less, len_g) + (of_a + of_b - 2 * less) * REST_NS * less +
           plain_residues(a, b);
}

/* The same by IFMA. */
#define LANES_LIMB_NS 3

static double lanes_residues(gfp_zpoly a, gfp_zpoly b)
{
    return COEFFICIENT_NS * ((double)a.len + (double)b.len) +
           LANES_LIMB_NS * ((double)a.len * (double)a.width + (double)b.len * (double)b.width);
}

static double lanes_time(gfp_zpoly a, gfp_zpoly b, size_t len_g)
{
    const double of_a = (double)a.len, of_b = (double)b.len, less = of_a < of_b ? of_a : of_b;
    return GFP_ZDEGREE_STEP_NS * (less - (double)len_g) +
           GFP_ZDEGREE_PRODUCT_NS * even_products(less, len_g) +
           (of_a + of_b - 2 * less) * (GFP_ZDEGREE_LONG_NS + GFP_ZDEGREE_REST_NS * less) +
           lanes_residues(a, b);
}

static bool takes_lanes(gfp_level level, gfp_zpoly a, gfp_zpoly b)
{
    return GFP_X86_LEVELS && level == GFP_LEVEL_AVX512IFMA &&
           lanes_time(a, b, 1) < plain_time(a, b, 1);
}

double gfp_zdegree_prime_time(gfp_level level, gfp_zpoly a, gfp_zpoly b, size_t len_g)
{
    const bool is_short = a.len <= MOST_WORDS && b.len <= MOST_WORDS - a.len;
    return !is_short                  ? HUGE_VAL
           : takes_lanes(level, a, b) ? lanes_time(a, b, len_g)
                                      : plain_time(a, b, len_g);
}

/* The length of the gcd; 0: the prime divides the leading coefficient of a, or the gcd takes longer
 * than limit_ns. */
static size_t length_of(uint64_t *z, gfp_zpoly a, gfp_zpoly b, double limit_ns)
{
    const size_t n = mersenne_residues(z, a), m = mersenne_residues(z + a.len, b);
    return n < a.len ? 0 : gcd_length(z, n, z + a.len, m, limit_ns);
}

bool gfp_zdegree_prime(gfp_level level, size_t *len, gfp_zpoly a, gfp_zpoly b, double limit_ns)
{
    uint64_t z[MOST_WORDS + 2];
    if (gfp_zdegree_prime_time(level, a, b, 1) >= HUGE_VAL) {
        return false;
    }
    const bool lanes = takes_lanes(level, a, b);
    const double left = limit_ns - (lanes ? lanes_residues(a, b) : plain_residues(a, b));
    if (left < 0) {
        return false;
    }
#if GFP_X86_LEVELS
    const size_t found = lanes ? gfp_zdegree_avx512(z, a, b, left) : length_of(z, a, b, left);
#else
    const size_t found = length_of(z, a, b, left);
#endif
    *len = found > 0 ? found : *len;
    return found > 0;
}
