/* zglance.c: the gcd of two polynomials over Z modulo 2^61 - 1, in plain words: it costs little for
 * short operands, and shows the degree before a method is chosen.
 *
 * Let the prime not divide lc(a). The divisor's leading coefficient divides lc(a), so its image has
 * its degree, and divides the gcd of the images. Degree 0 there proves that primitive operands are
 * coprime; any other degree is a bound, and nearly always right.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "word.h"
#include "zchoose.h"

#define P ((UINT64_C(1) << 61) - 1)
/* Words on the stack: the coefficients of both operands. */
#define MOST 256

/* x mod P, for x < 2^124. */
static uint64_t reduce(gfp_u128 x)
{
    const uint64_t low = (uint64_t)x & P, high = (uint64_t)(x >> 61);
    const uint64_t sum = low + (high & P) + (high >> 61);
    const uint64_t less = (sum & P) + (sum >> 61);
    return less >= P ? less - P : less;
}

/* The residue of an integer in two's complement; wrap = 2^(64 width) mod P. */
static uint64_t residue(const uint64_t *x, size_t width, uint64_t wrap)
{
    uint64_t r = 0;
    for (size_t i = width; i-- > 0;) { /* 2^64 = 8 mod P */
        r = reduce((gfp_u128)r * 8 + x[i]);
    }
    return gfp_z_negative(x, width) ? reduce((gfp_u128)r + P - wrap) : r;
}

/* z := the residues of f; returns their length without zeros at the end. */
static size_t residues(uint64_t *z, gfp_zpoly f)
{
    const uint64_t wrap = UINT64_C(1) << (64 * f.width % 61);
    for (size_t i = 0; i < f.len; i++) {
        z[i] = residue(gfp_zpoly_at(f, i), f.width, wrap);
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
            x[low + i] = reduce((gfp_u128)c * x[low + i] + (gfp_u128)d * y[i]);
        }
        power = reduce((gfp_u128)power * c);
        n--;
        while (n > 0 && (n == low || x[n - 1] == 0)) {
            if (n == low) {
                low--;
                x[low] = reduce((gfp_u128)power * x[low]);
            } else {
                n--;
            }
        }
        for (; low > 0 && n - low < m; low--) {
            x[low - 1] = reduce((gfp_u128)power * x[low - 1]);
        }
    }
    return n;
}

/* Returns the length of the gcd of x and y, not both 0; overwrites them. */
static size_t gcd_length(uint64_t *x, size_t n, uint64_t *y, size_t m)
{
    while (m > 0) {
        const size_t rest = n >= m ? remainder_of(x, n, y, m) : n;
        uint64_t *z = x;
        x = y;
        n = m;
        y = z;
        m = rest;
    }
    return n;
}

/* Nanoseconds: for each product of coefficients, for each limb. */
#define STEP_NS 2.2
#define LIMB_NS 1.6

bool gfp_zglance(size_t *len, gfp_zpoly a, gfp_zpoly b, double worth_ns)
{
    uint64_t z[MOST];
    if (a.len > MOST || b.len > MOST - a.len) {
        return false;
    }
    const double steps = (double)a.len * (double)b.len;
    const double limbs = (double)a.len * (double)a.width + (double)b.len * (double)b.width;
    if (STEP_NS * steps + LIMB_NS * limbs > worth_ns) {
        return false;
    }
    const size_t n = residues(z, a), m = residues(z + a.len, b);
    if (n < a.len) {
        return false;
    }
    *len = gcd_length(z, n, z + a.len, m);
    return true;
}
