/* roots.c: roots of unity of any order that divides p - 1: canonical ones, the order of a given
 * one, and logarithms.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/axes.h"
#include "field/primes/factor.h"
#include "field/base/support.h"
#include "field/base/word.h"
#include "fft/task.h"
#include "field/elem.h"

static void roots_power(const gfp_field *field, uint64_t *z, const uint64_t *x, uint64_t exponent)
{
    gfp_elem_pow(field, z, x, &exponent, 1);
}

/* z := a^((p - 1) / prime^exponent), p - 1 = r^k, r = prime^v s: k powers of s, then powers of the
 * prime. */
static void cofactor_power(const gfp_field *field, uint64_t *z, uint64_t a, uint64_t prime,
                           unsigned exponent)
{
    uint64_t s = field->r;
    unsigned v = 0;
    for (; s % prime == 0; s /= prime) {
        v++;
    }
    gfp_elem_set_u64(field, z, a);
    for (unsigned i = 0; i < field->k; i++) {
        roots_power(field, z, z, s);
    }
    for (unsigned i = exponent; i < v * field->k; i++) {
        roots_power(field, z, z, prime);
    }
}

gfp_status gfp_fft_prime_power_root(const gfp_field *field, uint64_t *root, uint64_t prime,
                                    unsigned exponent)
{
    uint64_t r = field->r;
    unsigned most = 0;
    if (prime == 2) {
        return gfp_field_root(field, root, exponent);
    }
    for (; r % prime == 0; r /= prime) {
        most += field->k;
    }
    if (exponent > most) {
        return GFP_ERR_NO_ROOT;
    }
    /* The least a that is no prime-th power. */
    for (uint64_t a = 2;; a++) {
        uint64_t z[GFP_MAX_K];
        cofactor_power(field, root, a, prime, exponent);
        gfp_elem_set(field, z, root);
        for (unsigned i = 1; i < exponent; i++) {
            roots_power(field, z, z, prime);
        }
        if (!gfp_elem_is_one(field, z) && !gfp_elem_is_zero(field, z)) {
            return GFP_OK;
        }
    }
}

gfp_status gfp_fft_root(const gfp_field *field, uint64_t *root, size_t n)
{
    uint64_t prime[GFP_MAX_FACTORS], product[GFP_MAX_K], part[GFP_MAX_K];
    if (n == 0) {
        return GFP_ERR_NO_ROOT;
    }
    const unsigned count = gfp_factor(n, prime);
    gfp_elem_one(field, product);
    for (unsigned i = 0; i < count; i++) {
        unsigned exponent = 0;
        for (size_t left = n; left % prime[i] == 0; left /= prime[i]) {
            exponent++;
        }
        GFP_TRY(gfp_fft_prime_power_root(field, part, prime[i], exponent));
        gfp_elem_mul(field, product, product, part);
    }
    gfp_elem_set(field, root, product);
    return GFP_OK;
}

gfp_status gfp_fft_check_root(const gfp_field *field, const uint64_t *root, size_t n,
                              gfp_error *error)
{
    uint64_t prime[GFP_MAX_FACTORS], z[GFP_MAX_K];
    if (!gfp_elem_is_canonical(field, root)) {
        return gfp_error_set(error, GFP_ERR_RANGE, "the root's digits are not canonical");
    }
    roots_power(field, z, root, n);
    if (!gfp_elem_is_one(field, z)) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "the root has not order %zu: its power %zu is not 1", n, n);
    }
    const unsigned count = gfp_factor(n, prime);
    for (unsigned i = 0; i < count; i++) {
        roots_power(field, z, root, n / prime[i]);
        if (gfp_elem_is_one(field, z)) {
            return gfp_error_set(error, GFP_ERR_ARGUMENT,
                                 "the root has not order %zu: its power %zu is 1", n,
                                 n / (size_t)prime[i]);
        }
    }
    return GFP_OK;
}

/* Returns 1/a modulo m, for coprime a and m > 1, by Euclid's algorithm; cofactors are taken modulo
 * m. */
static uint64_t roots_inverse(uint64_t a, uint64_t m)
{
    uint64_t x = m, y = a % m, u = 0, v = 1;
    while (y != 0) {
        const uint64_t quotient = x / y, rest = x % y;
        const uint64_t next = gfp_mod_sub(u, gfp_mod_mul(quotient % m, v, m), m);
        x = y;
        y = rest;
        u = v;
        v = next;
    }
    return u;
}

void gfp_fft_part_of_root(const gfp_field *field, uint64_t *part, const uint64_t *root, size_t n,
                          size_t length)
{
    roots_power(field, part, root, n / length);
    if (length != n) {
        roots_power(field, part, part, roots_inverse(n / length, length));
    }
}

gfp_status gfp_fft_logarithm(const gfp_field *field, size_t *logarithm, const uint64_t *x,
                             unsigned m)
{
    uint64_t root[GFP_MAX_K], left[GFP_MAX_K], z[GFP_MAX_K];
    size_t j = 0;
    gfp_elem_set(field, left, x); /* x w^-j */
    for (unsigned bit = 0; bit < m; bit++) {
        roots_power(field, z, left, (uint64_t)1 << (m - 1 - bit));
        if (!gfp_elem_is_one(field, z)) {
            /* w^(-2^bit) is the inverse of the root of order 2^(m - bit). */
            GFP_TRY(gfp_field_root(field, root, m - bit));
            GFP_TRY(gfp_elem_inv(field, root, root));
            gfp_elem_mul(field, left, left, root);
            j |= (size_t)1 << bit;
        }
    }
    *logarithm = j;
    return GFP_OK;
}
