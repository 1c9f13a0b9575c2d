/* papers/division.c: from an integer below r^k to its k digits by halving, as ISSAC 2017, 3.1, has
 * it, with the divisions by r^h, h = k/2, ..., 2, in three ways: by the sparse form of r^h ("by
 * shifts"), by Montgomery's reduction, and by GMP's division. Divisions by r itself, at the end of
 * every way, are the library's.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "papers/paper.h"
#include "field/base/word.h"

#define ELEMENTS 16
#define MOST_LEVELS 8 /* h = 2^level */
#define HALF GFP_MAX_K
/* The most rounds of a division by shifts, in case the sparse form gains nothing. */
#define MOST_ROUNDS 1000

enum { BY_SHIFTS, BY_MONTGOMERY, BY_GMP, BY_LIBRARY, WAYS_TO_DIGITS };

/* A power r^h, h = 2^level, as h limbs, and what the ways need. */
typedef struct power {
    size_t h, limbs;       /* limbs of r^h without zeros */
    mp_limb_t value[HALF]; /* r^h */
    /* r^h = 2^bits +- difference. */
    size_t bits, difference_limbs;
    bool negative;
    mp_limb_t difference[HALF];
    /* r^h = 2^twos odd; -1/odd modulo B^h, B = 2^64; B^(2h) modulo odd. */
    size_t twos;
    mp_limb_t odd[HALF], minus_inverse[HALF], square[HALF];
} power;

typedef struct conversion {
    const gfp_field *field;
    unsigned k, levels;
    gfp_divisor radix;
    power powers[MOST_LEVELS];
    uint64_t digits[ELEMENTS * GFP_MAX_K], out[ELEMENTS * GFP_MAX_K];
    mp_limb_t integers[ELEMENTS * GFP_MAX_K]; /* k limbs each */
    int way;
} conversion;

/* z := x / 2^bits, n limbs; returns nothing of the lower bits. */
static void shift_right(mp_limb_t *z, const mp_limb_t *x, size_t n, size_t bits)
{
    const size_t whole = bits / 64;
    const unsigned rest = (unsigned)(bits % 64);
    if (whole >= n) {
        mpn_zero(z, (mp_size_t)n);
        return;
    }
    if (rest == 0) {
        memmove(z, x + whole, (n - whole) * sizeof *z);
    } else {
        mpn_rshift(z, x + whole, (mp_size_t)(n - whole), rest);
    }
    mpn_zero(z + n - whole, (mp_size_t)whole);
}

/* x := x modulo 2^bits, n limbs. */
static void division_mask(mp_limb_t *x, size_t n, size_t bits)
{
    for (size_t i = bits / 64; i < n; i++) {
        x[i] = i == bits / 64 ? x[i] & (((mp_limb_t)1 << bits % 64) - 1) : 0;
    }
}

/* (q, rest) := z / r^h, z of 2 h limbs below r^(2h); q and rest have h limbs. False: no end. */
typedef bool division(const power *p, mp_limb_t *q, mp_limb_t *rest, const mp_limb_t *z);

static bool divide_by_gmp(const power *p, mp_limb_t *q, mp_limb_t *rest, const mp_limb_t *z)
{
    mp_limb_t quotient[2 * HALF + 1];
    mpn_tdiv_qr(quotient, rest, 0, z, (mp_size_t)(2 * p->h), p->value, (mp_size_t)p->limbs);
    mpn_copyi(q, quotient, (mp_size_t)p->h);
    mpn_zero(rest + p->limbs, (mp_size_t)(p->h - p->limbs));
    return true;
}

/* t := x / B^h modulo odd, x of 2 h limbs below odd B^h. */
static void division_reduce(const power *p, mp_limb_t *t, const mp_limb_t *x)
{
    const mp_size_t h = (mp_size_t)p->h;
    mp_limb_t low[2 * HALF], product[2 * HALF];
    mpn_mul_n(low, x, p->minus_inverse, h);
    mpn_mul_n(product, low, p->odd, h);
    const mp_limb_t carry = mpn_add_n(product, product, x, 2 * h);
    mpn_copyi(t, product + h, h);
    if (carry != 0 || mpn_cmp(t, p->odd, h) >= 0) {
        mpn_sub_n(t, t, p->odd, h);
    }
}

/* Modulo the odd part, and exactly by the odd part: the other part are bits. */
static bool divide_by_montgomery(const power *p, mp_limb_t *q, mp_limb_t *rest, const mp_limb_t *z)
{
    const mp_size_t h = (mp_size_t)p->h;
    mp_limb_t x[2 * HALF], t[HALF], product[2 * HALF];
    shift_right(x, z, 2 * p->h, p->twos);
    division_reduce(p, t, x);
    mpn_mul_n(product, t, p->square, h);
    division_reduce(p, t, product); /* x modulo odd */
    mpn_sub_n(x, t, x, h);          /* -(x - t) */
    mpn_mul_n(product, x, p->minus_inverse, h);
    mpn_copyi(q, product, h);
    /* rest := t 2^twos + the low bits of z. */
    mpn_zero(product, 2 * h);
    const size_t whole = p->twos / 64;
    const unsigned bits = (unsigned)(p->twos % 64);
    if (bits == 0) {
        mpn_copyi(product + whole, t, h);
    } else {
        product[whole + p->h] = mpn_lshift(product + whole, t, h, bits);
    }
    mpn_copyi(rest, z, h);
    division_mask(rest, p->h, p->twos);
    mpn_add_n(rest, rest, product, h);
    return true;
}

/* z = 2^bits z1 + z0 = r^h z1 + (z0 -+ z1 difference), again and again. */
static bool divide_by_shifts(const power *p, mp_limb_t *q, mp_limb_t *rest, const mp_limb_t *z)
{
    const mp_size_t h = (mp_size_t)p->h, n = 2 * h + 1;
    mp_limb_t x[2 * HALF + 1], high[2 * HALF + 1], product[4 * HALF + 2];
    bool minus = false; /* the sign of x */
    mpn_copyi(x, z, 2 * h);
    x[2 * h] = 0;
    mpn_zero(q, h);
    for (unsigned round = 0; round < MOST_ROUNDS; round++) {
        shift_right(high, x, (size_t)n, p->bits);
        mp_size_t count = n;
        while (count > 0 && high[count - 1] == 0) {
            count--;
        }
        if (count == 0) {
            mpn_copyi(rest, x, h);
            if (minus && !mpn_zero_p(rest, h)) {
                mpn_sub_n(rest, p->value, rest, h);
                mpn_sub_1(q, q, h, 1);
            } else if (mpn_cmp(rest, p->value, h) >= 0) {
                mpn_sub_n(rest, rest, p->value, h);
                mpn_add_1(q, q, h, 1);
            }
            return true;
        }
        (void)(minus ? mpn_sub_n(q, q, high, h) : mpn_add_n(q, q, high, h));
        division_mask(x, (size_t)n, p->bits);
        mpn_zero(product, 2 * n);
        const mp_size_t m = (mp_size_t)p->difference_limbs;
        if (m > 0) {
            (void)(count >= m ? mpn_mul(product, high, count, p->difference, m)
                              : mpn_mul(product, p->difference, m, high, count));
        }
        if (p->negative) { /* r^h = 2^bits - difference */
            mpn_add_n(x, x, product, n);
        } else if (mpn_cmp(x, product, n) >= 0) {
            mpn_sub_n(x, x, product, n);
        } else {
            mpn_sub_n(x, product, x, n);
            minus = !minus;
        }
    }
    return false;
}

static division *const divisions[] = {divide_by_shifts, divide_by_montgomery, divide_by_gmp};

/* The 2^(level + 1) digits of z, as many limbs. */
static bool division_split(const conversion *w, uint64_t *digits, const mp_limb_t *z,
                           unsigned level)
{
    mp_limb_t q[HALF], rest[HALF];
    if (level == 0) {
        digits[1] = gfp_div_wide(&w->radix, gfp_join(z[1], z[0]), &digits[0]);
        return true;
    }
    const power *p = &w->powers[level];
    return divisions[w->way](p, q, rest, z) && division_split(w, digits, rest, level - 1) &&
           division_split(w, digits + p->h, q, level - 1);
}

static bool run_conversion(void *context)
{
    conversion *w = context;
    const size_t limbs = gfp_field_limbs(w->field);
    bool ok = true;

    if (w->way == BY_LIBRARY) {
        gfp_vec_set_limbs_mod(w->field, w->out, w->integers, limbs, w->k, ELEMENTS);
        return true;
    }
    for (size_t i = 0; i < ELEMENTS && ok; i++) {
        ok = division_split(w, w->out + i * w->k, w->integers + i * w->k, w->levels - 1);
    }
    return ok;
}

/* x := the limbs of z, n of them. */
static void take_limbs(mp_limb_t *x, size_t n, const mpz_t z)
{
    mpn_zero(x, (mp_size_t)n);
    mpn_copyi(x, mpz_limbs_read(z), (mp_size_t)mpz_size(z));
}

static void fill_power(power *p, uint64_t r, unsigned level)
{
    mpz_t z, t, b;

    mpz_inits(z, t, b, NULL);
    p->h = (size_t)1 << level;
    mpz_ui_pow_ui(z, r, p->h);
    p->limbs = mpz_size(z);
    take_limbs(p->value, p->h, z);
    /* The nearest power of r's leading power of two. */
    const size_t bits = mpz_sizeinbase(z, 2);
    mpz_set_ui(t, 1);
    mpz_mul_2exp(t, t, bits);
    mpz_sub(t, t, z); /* 2^bits - r^h */
    mpz_set_ui(b, 1);
    mpz_mul_2exp(b, b, bits - 1);
    mpz_sub(b, z, b); /* r^h - 2^(bits - 1) */
    p->negative = mpz_cmp(t, b) < 0;
    p->bits = p->negative ? bits : bits - 1;
    p->difference_limbs = mpz_size(p->negative ? t : b);
    take_limbs(p->difference, p->h, p->negative ? t : b);
    p->twos = mpz_scan1(z, 0);
    mpz_tdiv_q_2exp(z, z, p->twos);
    take_limbs(p->odd, p->h, z);
    mpz_set_ui(b, 1);
    mpz_mul_2exp(b, b, 64 * p->h);
    (void)mpz_invert(t, z, b);
    mpz_sub(t, b, t);
    take_limbs(p->minus_inverse, p->h, t);
    mpz_mul(t, b, b);
    mpz_mod(t, t, z);
    take_limbs(p->square, p->h, t);
    mpz_clears(z, t, b, NULL);
}

static conversion *new_conversion(const gfp_field *field, uint64_t seed)
{
    conversion *w = calloc(1, sizeof *w);
    gfp_random g;

    if (w == NULL) {
        (void)complain("no memory");
        return NULL;
    }
    w->field = field;
    w->k = gfp_field_k(field);
    gfp_divisor_init(&w->radix, gfp_field_r(field));
    for (; (1U << w->levels) < w->k; w->levels++) {
        fill_power(&w->powers[w->levels], gfp_field_r(field), w->levels);
    }
    gfp_random_seed(&g, seed);
    gfp_vec_random(field, w->digits, ELEMENTS, &g);
    for (size_t i = 0; i < ELEMENTS; i++) {
        gfp_elem_get_limbs(field, w->integers + i * w->k, w->digits + i * w->k);
    }
    return w;
}

bool measure_digits(paper *w, const table_row *r)
{
    static const char *const names[] = {"shifts", "montgomery", "gmp", "library"};
    const gfp_field *field = r->field;
    conversion *c = new_conversion(field, w->s.seed);
    bool ok = c != NULL;

    progress(r->name, "digits", 0);
    for (int way = 0; way < WAYS_TO_DIGITS && ok; way++) {
        timing t;
        c->way = way;
        ok = (run_conversion(c) && gfp_vec_equal(field, c->out, c->digits, ELEMENTS)) ||
             complain("%s, %s: wrong digits", r->name, names[way]);
        ok = ok && measure(&t, w->s.seconds, run_conversion, c);
        if (ok) {
            t = timing_divide(t, ELEMENTS);
            quantity_put(w, r, t.min_ns, "digits.%s", names[way]);
            ok = note_figure(w, gfp_field_name(field), 0, &t, "digits of an integer, %s",
                             names[way]);
        }
    }
    free(c);
    return ok;
}
