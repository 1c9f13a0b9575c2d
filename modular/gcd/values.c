/* values.c: a cheap proof that operands are coprime: the gcd of two values. Let a and b be
 * primitive, g their greatest common divisor, x = 2^s. g(x) divides h = gcd(a(x), b(x)). If deg g >
 * 0, all roots of g are roots of a and of b. If those of one of both are below x / 2 in absolute
 * value, |g(x)| exceeds x / 2: an h up to x / 2, other than 0, proves that g = 1.
 *
 * Roots of a, of degree n, are below r if |a_(n - i)| < |a_n| (r / 2)^i for all i > 0 (Fujiwara):
 * then the other terms are less than the leading one wherever |z| >= r.
 *
 * The values have s bits for each coefficient, however long the coefficients are, where
 * Kronecker's substitution takes all of their bits. Values of random coprime operands have an h
 * >= x / 2 with a probability of about 1 / x.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/gcd/impl.h"

#include "field/base/word.h"

/* Limbs on the stack, for each of four numbers. */
#define MOST 1024

/* Limbs of the value at 2^step, with its sign. */
static size_t limbs_of(gfp_zpoly f, size_t bits, unsigned step)
{
    const size_t all = gfp_size_add_sat(gfp_size_mul_sat(f.len - 1, step), bits);
    return gfp_size_add_sat(all, 2) / 64 + 1;
}

/* Whether all roots are below 2^(step - 1): the coefficient at n - i, n the degree, is below the
 * leading one times 2^((step - 2) i). */
static bool roots_are_short(gfp_zpoly f, size_t bits, unsigned step)
{
    size_t most = gfp_z_bits(gfp_zpoly_at(f, f.len - 1), f.width) - 1;
    for (size_t i = f.len - 1; i-- > 0;) {
        most += step - 2;
        if (most >= bits) {
            return true;
        }
        if (gfp_z_bits(gfp_zpoly_at(f, i), f.width) > most) {
            return false;
        }
    }
    return true;
}

bool gfp_zvalues_serve(const gfp_zoperands *p, unsigned step)
{
    return limbs_of(p->a, p->bits_a, step) <= MOST && limbs_of(p->b, p->bits_b, step) <= MOST &&
           (roots_are_short(p->a, p->bits_a, step) || roots_are_short(p->b, p->bits_b, step));
}

/* z := f(2^step) mod 2^(64 n), coefficients of one limb: those of each = 64 / step places at once.
 */
static inline void narrow_value(uint64_t *z, size_t n, gfp_zpoly f, unsigned step, size_t each)
{
    gfp_u128 sum = 0;
    size_t i = 0;
    for (; i + each <= f.len; i += each) {
        const uint64_t *x = f.limbs + i;
#pragma GCC unroll 8
        for (size_t j = 0; j < each; j++) {
            sum += (gfp_u128)(gfp_i128)(int64_t)x[j] << j * step;
        }
        *z++ = (uint64_t)sum;
        sum = (gfp_u128)((gfp_i128)sum >> 64);
        n--;
    }
    for (size_t j = 0; i + j < f.len; j++) {
        sum += (gfp_u128)(gfp_i128)(int64_t)f.limbs[i + j] << j * step;
    }
    for (size_t j = 0; j < n; j++) {
        z[j] = (uint64_t)sum;
        sum = (gfp_u128)((gfp_i128)sum >> 64);
    }
}

/* row := the sum of the coefficients at r, r + each, ... times 2^64, 2^128, ..., mod 2^(64 n). */
static void add_up(uint64_t *row, size_t n, gfp_zpoly f, size_t r, size_t each)
{
    uint64_t top = 0; /* the limb above those that are there, and its sign beyond */
    size_t m = 0;
    memset(row, 0, gfp_size_min(f.width, n) * sizeof *row);
    for (size_t i = r; i < f.len; i += each, m++) {
        const uint64_t *x = gfp_zpoly_at(f, i);
        const size_t width = gfp_size_min(f.width, n - m);
        if (m > 0 && m + f.width <= n) {
            row[m + f.width - 1] = top;
        }
        const uint64_t carry = mpn_add_n(gfp_z_limbs(row + m), gfp_z_limbs(row + m),
                                         gfp_z_const_limbs(x), (mp_size_t)width);
        top = (0 - (top >> 63)) - (x[f.width - 1] >> 63) + carry;
    }
    for (size_t i = gfp_size_min(m > 0 ? m - 1 + f.width : f.width, n); i < n; i++) {
        row[i] = top;
        top = 0 - (top >> 63);
    }
}

static void wide_value(uint64_t *z, size_t n, gfp_zpoly f, unsigned step)
{
    uint64_t row[MOST];
    const size_t each = 64 / step;
    add_up(z, n, f, 0, each);
    for (size_t r = 1; r < each && r < f.len; r++) {
        add_up(row, n, f, r, each);
        (void)mpn_lshift(gfp_z_limbs(row), gfp_z_limbs(row), (mp_size_t)n, (unsigned)r * step);
        (void)mpn_add_n(gfp_z_limbs(z), gfp_z_limbs(z), gfp_z_limbs(row), (mp_size_t)n);
    }
}

/* |f(2^step)|, without limbs that are 0, in z. */
static gfp_znat value_of(uint64_t *z, gfp_zpoly f, size_t bits, unsigned step)
{
    const size_t n = limbs_of(f, bits, step);
    if (f.width > 1) {
        wide_value(z, n, f, step);
    } else if (step == 8) {
        narrow_value(z, n, f, 8, 8); /* in constants, for the compiler */
    } else {
        narrow_value(z, n, f, step, 64 / step);
    }
    return (gfp_znat){z, gfp_z_magnitude(z, z, n)};
}

bool gfp_zvalues_are_coprime(const gfp_zoperands *p, unsigned step)
{
    uint64_t of_a[MOST], of_b[MOST], of_h[MOST + 1];
    const gfp_znat a = value_of(of_a, p->a, p->bits_a, step);
    const gfp_znat b = value_of(of_b, p->b, p->bits_b, step);
    gfp_znat h = {of_h, 0};
    if (a.n == 0 || b.n == 0) {
        return false;
    }
    gfp_znat_gcd_in_place(&h, a, b);
    return h.n == 1 && h.limbs[0] <= UINT64_C(1) << (step - 1);
}
