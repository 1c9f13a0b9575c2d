/* oracle.c: the tests' independent reference; see oracle.h. The code is slow on purpose and follows
 * the definitions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/oracle.h"
#include "lab/sanitized.h"

#include <stdlib.h>
#include <string.h>

#define TWO(e) (UINT64_C(1) << (e))

const oracle_field oracle_fields[ORACLE_ALL] = {
    {"p2", TWO(63) + TWO(53), 2, 127, 53, ORACLE_PROTH, true},
    {"p4", UINT64_MAX - TWO(50) + 1, 4, 256, 50, ORACLE_PROTH, true},
    {"p8", TWO(63) + TWO(34), 8, 505, 34, ORACLE_PROTH, true},
    {"p16", TWO(62) + TWO(36), 16, 993, 36, ORACLE_PROTH, true},
    {"p32", TWO(62) + TWO(56), 32, 1985, 56, ORACLE_PROTH, true},
    {"2^2+1", 2, 2, 3, 1, ORACLE_ANY_PROOF, false},
    {"256^2+1", 256, 2, 17, 8, ORACLE_PROTH, false},
    {"4^4+1", 4, 4, 9, 2, ORACLE_PROTH, false},
    {"2^16+1", 2, 16, 17, 1, ORACLE_PROTH, false},
    /* End of the first ORACLE_TOOLKIT. */
    {"p64", TWO(63) - TWO(40), 64, 4032, 40, ORACLE_PROTH, true},
    {"p128", UINT64_MAX - TWO(28) + 1, 128, 8192, 28, ORACLE_POCKLINGTON, true},
    {"m4", TWO(59) + TWO(58) + TWO(11), 4, 239, 11, ORACLE_POCKLINGTON, true},
    {"m8", TWO(59) + TWO(57) + TWO(39), 8, 475, 39, ORACLE_PROTH, true},
    {"30^32+1", 30, 32, 0, 1, ORACLE_ANY_PROOF, false},
    {"(2^12-2)^256+1", TWO(12) - 2, 256, 0, 1, ORACLE_ANY_PROOF, false},
    /* End of the first ORACLE_SHORT. */
    {"m16", TWO(58) + TWO(55) + TWO(45), 16, 931, 45, ORACLE_PROTH, true},
    {"m32", TWO(58) + TWO(55) + TWO(17), 32, 1862, 17, ORACLE_POCKLINGTON, true},
    {"m64", TWO(57) + TWO(56) + TWO(11), 64, 3686, 11, ORACLE_POCKLINGTON, true},
    {"m128", TWO(57) + TWO(52) + TWO(20), 128, 7302, 20, ORACLE_POCKLINGTON, true},
    {"102^64+1", 102, 64, 0, 1, ORACLE_ANY_PROOF, false},
    {"120^128+1", 120, 128, 0, 3, ORACLE_ANY_PROOF, false},
    {"4^2+1", 4, 2, 5, 2, ORACLE_PROTH, false},
    {"2^4+1", 2, 4, 5, 1, ORACLE_PROTH, false},
    {"2^8+1", 2, 8, 9, 1, ORACLE_PROTH, false},
    {"16^2+1", 16, 2, 9, 4, ORACLE_PROTH, false},
    {"16^4+1", 16, 4, 17, 4, ORACLE_PROTH, false},
    {"4^8+1", 4, 8, 17, 2, ORACLE_PROTH, false},
    /* End of the first ORACLE_USUAL. */
    {"278^256+1", 278, 256, 0, 1, ORACLE_ANY_PROOF, false},
    {"(2^14-2^7)^256+1", TWO(14) - TWO(7), 256, 0, 7, ORACLE_ANY_PROOF, false},
    {"(2^23-2^5)^256+1", TWO(23) - TWO(5), 256, 0, 5, ORACLE_ANY_PROOF, false},
    /* End of the first ORACLE_FIELDS. */
    {"(2^34+2^32)^2+1", 0x500000000u, 2, 0, 32, ORACLE_ANY_PROOF, false},
    {"(2^55-2^51)^2+1", 0x78000000000000u, 2, 0, 51, ORACLE_ANY_PROOF, false},
    {"(2^64-2^49)^2+1", 0xfffe000000000000u, 2, 0, 49, ORACLE_ANY_PROOF, false},
    {"(2^64-281599530762240)^2+1", 0xfffeffe300000000u, 2, 0, 32, ORACLE_ANY_PROOF, false},
    {"(2^64-281475028090880)^2+1", 0xfffefffffcf00000u, 2, 0, 20, ORACLE_ANY_PROOF, false},
    {"(2^40+2^14)^2+1", 0x10000004000u, 2, 0, 14, ORACLE_ANY_PROOF, false},
    {"(2^37+2^33)^4+1", 0x2200000000u, 4, 0, 33, ORACLE_ANY_PROOF, false},
    {"(2^63-2^36)^4+1", 0x7ffffff000000000u, 4, 0, 36, ORACLE_ANY_PROOF, false},
    {"(2^52+2^46)^4+1", 0x10400000000000u, 4, 0, 46, ORACLE_ANY_PROOF, false},
    {"(2^64-281569465991168)^4+1", 0xfffeffea00000000u, 4, 0, 33, ORACLE_ANY_PROOF, false},
    {"(2^64-281474978021376)^4+1", 0xfffeffffffec0000u, 4, 0, 18, ORACLE_ANY_PROOF, false},
    {"(2^43-2^36)^8+1", 0x7f000000000u, 8, 0, 36, ORACLE_ANY_PROOF, false},
    {"(2^61+2^41)^8+1", 0x2000020000000000u, 8, 0, 41, ORACLE_ANY_PROOF, false},
    {"(2^64-281831458996224)^8+1", 0xfffeffad00000000u, 8, 0, 32, ORACLE_ANY_PROOF, false},
    {"(2^64-281474985885696)^8+1", 0xfffeffffff740000u, 8, 0, 18, ORACLE_ANY_PROOF, false},
    {"(2^40+204800)^8+1", 0x10000032000u, 8, 0, 13, ORACLE_ANY_PROOF, false},
    {"(2^53+2^50)^16+1", 0x24000000000000u, 16, 0, 50, ORACLE_ANY_PROOF, false},
    {"(2^52+2^34)^16+1", 0x10000400000000u, 16, 0, 34, ORACLE_ANY_PROOF, false},
    {"(90194313216)^16+1", 0x1500000000u, 16, 0, 32, ORACLE_ANY_PROOF, false},
    {"(2^63-171798691840)^16+1", 0x7fffffd800000000u, 16, 0, 35, ORACLE_ANY_PROOF, false},
    {"(2^63-18153472)^16+1", 0x7ffffffffeeb0000u, 16, 0, 16, ORACLE_ANY_PROOF, false},
    {"(2^40+20480)^16+1", 0x10000005000u, 16, 0, 12, ORACLE_ANY_PROOF, false},
    {"(2^33+2^14)^2+1", 0x200004000u, 2, 0, 14, ORACLE_ANY_PROOF, false},
    {"(2^33+2^16)^4+1", 0x200010000u, 4, 0, 16, ORACLE_ANY_PROOF, false},
    {"(2^38+2^29)^4+1", 0x4020000000u, 4, 0, 29, ORACLE_ANY_PROOF, false},
    {"(2^34+2^13)^8+1", 0x400002000u, 8, 0, 13, ORACLE_ANY_PROOF, false},
    {"(2^33+2^19)^16+1", 0x200080000u, 16, 0, 19, ORACLE_ANY_PROOF, false},
    {"(2^35-2^19)^32+1", 0x7fff80000u, 32, 0, 19, ORACLE_ANY_PROOF, false},
    {"(2^38-2^33)^32+1", 0x3e00000000u, 32, 0, 33, ORACLE_ANY_PROOF, false},
    {"(2^49+2^29)^32+1", 0x2000020000000u, 32, 0, 29, ORACLE_ANY_PROOF, false},
    {"(2^53-2^24)^32+1", 0x1fffffff000000u, 32, 0, 24, ORACLE_ANY_PROOF, false},
    {"(2^33+2^19)^64+1", 0x200080000u, 64, 0, 19, ORACLE_ANY_PROOF, false},
    {"(2^47+2^32)^64+1", 0x800100000000u, 64, 0, 32, ORACLE_ANY_PROOF, false},
    {"(2^52-2^24)^64+1", 0xfffffff000000u, 64, 0, 24, ORACLE_ANY_PROOF, false},
    {"152116404224^128+1", 0x236ad82000u, 128, 0, 13, ORACLE_ANY_PROOF, false},
    {"(2^55-2^24)^128+1", 0x7fffffff000000u, 128, 0, 24, ORACLE_ANY_PROOF, false},
};
size_t oracle_field_count = SANITIZED ? ORACLE_SHORT : ORACLE_FIELDS;

/* ---- the modulus ---- */

void oracle_set_u64(mpz_t z, uint64_t value)
{
    mpz_import(z, 1, -1, sizeof value, 0, 0, &value);
}

void oracle_set_words(mpz_t z, const uint64_t *words, size_t n)
{
    mpz_import(z, n, -1, sizeof *words, 0, 0, words);
}

void oracle_get_words(uint64_t *words, size_t n, const mpz_t z)
{
    if (n != 0) {
        memset(words, 0, n * sizeof *words);
    }
    if (mpz_sgn(z) != 0) {
        mpz_export(words, NULL, -1, sizeof *words, 0, 0, z);
    }
}

void oracle_init(oracle *o, uint64_t r, unsigned k)
{
    o->r = r;
    o->k = k;
    mpz_init(o->p);
    mpz_init(o->special);
    oracle_set_u64(o->special, r);
    mpz_pow_ui(o->special, o->special, k);
    mpz_add_ui(o->p, o->special, 1);
}

void oracle_clear(oracle *o)
{
    mpz_clear(o->p);
    mpz_clear(o->special);
}

bool oracle_is_canonical(const oracle *o, const uint64_t *x)
{
    bool rest_zero = true;
    for (unsigned i = 0; i + 1 < o->k; i++) {
        if (x[i] >= o->r) {
            return false;
        }
        rest_zero = rest_zero && x[i] == 0;
    }
    return x[o->k - 1] < o->r || (x[o->k - 1] == o->r && rest_zero);
}

void oracle_get(const oracle *o, mpz_t z, const uint64_t *x)
{
    mpz_set_ui(z, 0);
    for (unsigned i = o->k; i-- > 0;) {
        mpz_mul_ui(z, z, (unsigned long)o->r);
        mpz_add_ui(z, z, (unsigned long)x[i]);
    }
}

void oracle_set(const oracle *o, uint64_t *x, const mpz_t z)
{
    mpz_t q;
    mpz_init(q);
    mpz_mod(q, z, o->p);
    memset(x, 0, o->k * sizeof *x);
    if (mpz_cmp(q, o->special) == 0) {
        x[o->k - 1] = o->r;
    } else {
        for (unsigned i = 0; i < o->k; i++) {
            x[i] = mpz_tdiv_q_ui(q, q, (unsigned long)o->r);
        }
    }
    mpz_clear(q);
}

/* ---- arithmetic ---- */

void oracle_add(const oracle *o, mpz_t z, const mpz_t x, const mpz_t y)
{
    mpz_add(z, x, y);
    mpz_mod(z, z, o->p);
}

void oracle_sub(const oracle *o, mpz_t z, const mpz_t x, const mpz_t y)
{
    mpz_sub(z, x, y);
    mpz_mod(z, z, o->p);
}

void oracle_neg(const oracle *o, mpz_t z, const mpz_t x)
{
    mpz_neg(z, x);
    mpz_mod(z, z, o->p);
}

void oracle_mul(const oracle *o, mpz_t z, const mpz_t x, const mpz_t y)
{
    mpz_mul(z, x, y);
    mpz_mod(z, z, o->p);
}

void oracle_pow(const oracle *o, mpz_t z, const mpz_t x, const mpz_t e)
{
    mpz_powm(z, x, e, o->p);
}

bool oracle_inv(const oracle *o, mpz_t z, const mpz_t x)
{
    return mpz_invert(z, x, o->p) != 0;
}

void oracle_r_power(const oracle *o, mpz_t z, unsigned long s)
{
    oracle_set_u64(z, o->r);
    mpz_powm_ui(z, z, s, o->p);
}

void oracle_half_power(const oracle *o, mpz_t z, unsigned long j)
{
    mpz_set_ui(z, 2);
    mpz_powm_ui(z, z, j, o->p);
    mpz_invert(z, z, o->p);
}

/* ---- vectors ---- */

mpz_t *oracle_vec_new(size_t n)
{
    mpz_t *v = malloc((n + 1) * sizeof *v);
    if (v == NULL) {
        abort();
    }
    for (size_t i = 0; i < n; i++) {
        mpz_init(v[i]);
    }
    return v;
}

void oracle_vec_free(mpz_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mpz_clear(v[i]);
    }
    free(v);
}

void oracle_vec_get(const oracle *o, mpz_t *v, const uint64_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        oracle_get(o, v[i], x + i * o->k);
    }
}

void oracle_vec_set(const oracle *o, uint64_t *x, mpz_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        oracle_set(o, x + i * o->k, v[i]);
    }
}

void oracle_dft_at(const oracle *o, mpz_t y, mpz_t *x, size_t n, const mpz_t root, size_t i)
{
    mpz_t point;
    mpz_init(point);
    mpz_powm_ui(point, root, (unsigned long)i, o->p);
    mpz_set_ui(y, 0);
    for (size_t j = n; j-- > 0;) {
        mpz_mul(y, y, point);
        mpz_add(y, y, x[j]);
        mpz_mod(y, y, o->p);
    }
    mpz_clear(point);
}

void oracle_dft(const oracle *o, mpz_t *y, mpz_t *x, size_t n, const mpz_t root)
{
    for (size_t i = 0; i < n; i++) {
        oracle_dft_at(o, y[i], x, n, root, i);
    }
}

void oracle_poly_mul(const oracle *o, mpz_t *c, mpz_t *a, size_t len_a, mpz_t *b, size_t len_b)
{
    size_t len = len_a + len_b - 1;
    for (size_t i = 0; i < len; i++) {
        mpz_set_ui(c[i], 0);
    }
    for (size_t i = 0; i < len_a; i++) {
        for (size_t j = 0; j < len_b; j++) {
            mpz_addmul(c[i + j], a[i], b[j]);
        }
    }
    for (size_t i = 0; i < len; i++) {
        mpz_mod(c[i], c[i], o->p);
    }
}

void oracle_convolve(const oracle *o, mpz_t *c, mpz_t *a, mpz_t *b, size_t n, int sign)
{
    mpz_t *full = oracle_vec_new(2 * n);
    oracle_poly_mul(o, full, a, n, b, n);
    for (size_t i = 0; i < n; i++) {
        if (sign > 0) {
            mpz_add(c[i], full[i], full[i + n]);
        } else {
            mpz_sub(c[i], full[i], full[i + n]);
        }
        mpz_mod(c[i], c[i], o->p);
    }
    oracle_vec_free(full, 2 * n);
}

/* ---- inputs ---- */

/* A list of extreme elements, and the place of the next one. */
typedef struct list {
    const oracle *o;
    uint64_t *x;
    size_t n;
} list;

static uint64_t *oracle_next(list *l)
{
    uint64_t *x = l->x + l->n * l->o->k;
    memset(x, 0, l->o->k * sizeof *x);
    l->n++;
    return x;
}

/* Digits a at even places and b at odd ones, from place first up to (not including) end. */
static void push_pattern(list *l, uint64_t a, uint64_t b, unsigned first, unsigned end)
{
    uint64_t *x = oracle_next(l);
    for (unsigned i = first; i < end; i++) {
        x[i] = (i % 2 == 0 ? a : b) % l->o->r;
    }
}

/* A lone digit on a background. */
static void push_lone(list *l, uint64_t background, unsigned place, uint64_t digit)
{
    uint64_t *x;
    push_pattern(l, background, background, 0, l->o->k);
    x = l->x + (l->n - 1) * l->o->k;
    x[place] = digit % l->o->r;
}

/* The integer sign 2^exponent + offset, mod p. */
static void push_integer(list *l, int sign, unsigned long exponent, long offset)
{
    mpz_t z;
    mpz_init_set_ui(z, 1);
    mpz_mul_2exp(z, z, exponent);
    if (sign <= 0) {
        mpz_mul_si(z, z, sign);
    }
    if (offset >= 0) {
        mpz_add_ui(z, z, (unsigned long)offset);
    } else {
        mpz_sub_ui(z, z, (unsigned long)-offset);
    }
    oracle_set(l->o, oracle_next(l), z);
    mpz_clear(z);
}

static void push_neighbours(list *l)
{
    for (long i = 0; i <= 6; i++) {
        push_integer(l, 0, 0, i);
    }
    for (long i = 1; i <= 6; i++) {
        push_integer(l, 0, 0, -i);
    }
}

static void push_powers(list *l)
{
    unsigned long bits = (unsigned long)mpz_sizeinbase(l->o->p, 2);
    push_integer(l, 1, 63, 0);
    push_integer(l, 1, 64, -1);
    push_integer(l, 1, 64, 0);
    push_integer(l, 1, 64 * ((bits - 1) / 64), -1);
    push_integer(l, 1, 64 * ((bits - 1) / 64), 0);
    push_integer(l, 1, bits - 1, 0);
    push_integer(l, 1, bits - 1, -1);
    push_integer(l, -1, 64, 0);
}

static void push_patterns(list *l)
{
    unsigned k = l->o->k;
    uint64_t top = l->o->r - 1;
    uint64_t half = l->o->r / 2;
    push_pattern(l, top, top, 0, k);
    push_pattern(l, half, half, 0, k);
    push_pattern(l, half - 1, half - 1, 0, k);
    push_pattern(l, half + 1, half + 1, 0, k);
    push_pattern(l, top - 1, top - 1, 0, k);
    push_pattern(l, 1, 1, 0, k);
    push_pattern(l, TWO(32), TWO(32), 0, k);
    push_pattern(l, 0, top, 0, k);
    push_pattern(l, top, 0, 0, k);
    push_pattern(l, half, top, 0, k);
    push_pattern(l, 1, top, 0, k);
    push_pattern(l, top, top, 0, k / 2);
    push_pattern(l, top, top, k / 2, k);
    push_pattern(l, top, top, 1, k);
}

static void push_sparse(list *l)
{
    unsigned k = l->o->k;
    uint64_t top = l->o->r - 1;
    push_lone(l, 0, 0, top);
    push_lone(l, 0, k / 4, top);
    push_lone(l, 0, k / 2, top);
    push_lone(l, 0, k - 1, top);
    push_lone(l, 0, 1, 1);
    push_lone(l, 0, k / 2, 1);
    push_lone(l, 0, k - 1, 1);
    push_lone(l, 0, k - 1, l->o->r / 2);
    push_lone(l, top, 0, 0);
    push_lone(l, top, k - 1, 0);
    push_lone(l, top, k / 2, top - 1);
    push_pattern(l, 0, 0, 0, k); /* one digit at each end */
    l->x[(l->n - 1) * k] = 1;
    l->x[l->n * k - 1] = 1;
    push_pattern(l, 0, 0, 0, k);
    l->x[(l->n - 1) * k] = top;
    l->x[l->n * k - 1] = top;
    oracle_next(l)[k - 1] = l->o->r; /* r^k */
}

size_t oracle_extremes(const oracle *o, uint64_t *x)
{
    list l = {o, x, 0};
    push_neighbours(&l);
    push_powers(&l);
    push_patterns(&l);
    push_sparse(&l);
    return l.n;
}

uint64_t oracle_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void oracle_random_element(const oracle *o, uint64_t *x, uint64_t *state)
{
    bool runs = oracle_random(state) % 4 == 0;
    for (unsigned i = 0; i < o->k; i++) {
        uint64_t kind = oracle_random(state) % 3;
        x[i] = oracle_random(state) % o->r;
        if (runs && kind == 0) {
            x[i] = 0;
        } else if (runs && kind == 1) {
            x[i] = o->r - 1;
        }
    }
}

/* ---- primality ---- */

/* Removes all factors q from cofactor. Returns false unless q is a prime that divides it. */
static bool oracle_strip(mpz_t cofactor, uint64_t q)
{
    mpz_t z;
    bool divides;
    mpz_init(z);
    oracle_set_u64(z, q);
    divides =
        mpz_cmp_ui(z, 1) > 0 && mpz_probab_prime_p(z, 30) != 0 && mpz_divisible_p(cofactor, z) != 0;
    if (divides) {
        mpz_remove(cofactor, cofactor, z);
    }
    mpz_clear(z);
    return divides;
}

/* a^(p-1) = 1 and gcd(a^((p-1)/q) - 1, p) = 1. */
static bool oracle_witness(const oracle *o, uint64_t q, uint64_t a)
{
    mpz_t base, e, z;
    bool good;
    mpz_inits(base, e, z, NULL);
    oracle_set_u64(base, a);
    oracle_set_u64(e, q);
    mpz_divexact(e, o->special, e);
    mpz_powm(z, base, e, o->p);
    mpz_powm_ui(e, z, (unsigned long)q, o->p);
    good = mpz_cmp_ui(e, 1) == 0;
    mpz_sub_ui(z, z, 1);
    mpz_gcd(z, z, o->p);
    good = good && mpz_cmp_ui(z, 1) == 0;
    mpz_clears(base, e, z, NULL);
    return good;
}

bool oracle_proves(const oracle *o, const uint64_t *primes, const uint64_t *bases, size_t count)
{
    mpz_t rest, part;
    bool good = count != 0;
    mpz_inits(rest, part, NULL);
    oracle_set_u64(rest, o->r);
    for (size_t i = 0; i < count && good; i++) {
        good = oracle_strip(rest, primes[i]) && oracle_witness(o, primes[i], bases[i]);
    }
    /* The proved part F = (r / rest)^k must have (F + 1)^2 > p. */
    oracle_set_u64(part, o->r);
    mpz_divexact(part, part, rest);
    mpz_pow_ui(part, part, o->k);
    mpz_add_ui(part, part, 1);
    mpz_mul(part, part, part);
    good = good && mpz_cmp(part, o->p) > 0;
    mpz_clears(rest, part, NULL);
    return good;
}

bool oracle_is_probable_prime(const oracle *o)
{
    return mpz_probab_prime_p(o->p, 2) != 0;
}
