/* refine.c: signs and values of polynomials at real numbers v in [0, 1], and refinement of roots.
 *
 * Horner's rule with integers that stand for numbers times 2^p: as |v| <= 1, errors do not grow,
 * and each step adds less than 1.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/system/roots.h"

/* The coefficient times 2^p is in [z, z + 1], and is z for p >= 0. */
static void scaled_coefficient(mpz_t z, const gfp_zvec *f, size_t n, gfp_zside side, size_t i,
                               ptrdiff_t p)
{
    const size_t at = side.reversed ? n - i : i;
    const bool opposite = side.negative && at % 2 == 1;
    if (at >= f->len) {
        mpz_set_ui(z, 0);
        return;
    }
    /* Limbs without the low ones are those of the number rounded down. */
    const size_t down = p < 0 ? (size_t)-p : 0;
    size_t width;
    const uint64_t *x = gfp_zvec_entry(f, at, &width);
    const size_t limbs = gfp_size_min(down / 64, width - 1);
    gfp_z_get_mpz(z, x + limbs, width - limbs);
    if (p >= 0) {
        mpz_mul_2exp(z, z, (mp_bitcnt_t)p);
    } else {
        mpz_fdiv_q_2exp(z, z, down - 64 * limbs);
    }
    if (opposite) {
        mpz_neg(z, z);
        mpz_sub_ui(z, z, p < 0 ? 1 : 0);
    }
}

void gfp_zroots_coefficient(mpz_t z, const gfp_zvec *f, size_t n, gfp_zside side, size_t i)
{
    scaled_coefficient(z, f, n, side, i, 0);
}

/* The value of f at c / 2^e times 2^p is in [z, z + 2 n + 1], or is z if p >= n e. */
static void value_at(mpz_t z, const gfp_zvec *f, gfp_zside side, const mpz_t c, size_t e,
                     ptrdiff_t p)
{
    const size_t n = f->len - 1;
    mpz_t a;
    mpz_init(a);
    mpz_set_ui(z, 0);
    for (size_t i = n + 1; i-- > 0;) {
        mpz_mul(z, z, c);
        mpz_fdiv_q_2exp(z, z, e);
        scaled_coefficient(a, f, n, side, i, p);
        mpz_add(z, z, a);
    }
    mpz_clear(a);
}

/* The sign of f at c / 2^e. *lost: bits that small values need in addition to e; it grows. */
static int sign_at(const gfp_zvec *f, gfp_zside side, const mpz_t c, size_t e, size_t *lost)
{
    const size_t n = f->len - 1;
    const ptrdiff_t all = (ptrdiff_t)(n * e), bits = (ptrdiff_t)gfp_zvec_bits(f);
    int sign = 0;
    mpz_t z;
    mpz_init(z);
    for (bool known = false; !known; *lost += known ? 0 : *lost + 64) {
        const ptrdiff_t precision = (ptrdiff_t)(e + 64 + *lost) - bits;
        const ptrdiff_t p = precision < all ? precision : all;
        value_at(z, f, side, c, e, p);
        sign = mpz_sgn(z);
        known = p == all || sign > 0;
        if (!known) {
            mpz_add_ui(z, z, 2 * n + 1);
            known = mpz_sgn(z) < 0;
            sign = -1;
        }
    }
    mpz_clear(z);
    return sign;
}

int gfp_zroots_sign(const gfp_zvec *f, gfp_zside side, const mpz_t c, size_t e)
{
    size_t lost = 0;
    return sign_at(f, side, c, e, &lost);
}

/* ---- refinement ---- */

/* Halves the interval. */
static void refine_bisect(gfp_zroot *root, const gfp_zvec *f, size_t *lost)
{
    mpz_mul_2exp(root->c, root->c, 1);
    mpz_add_ui(root->c, root->c, 1);
    root->e++;
    const int sign = sign_at(f, root->side, root->c, root->e, lost);
    root->exact = sign == 0;
    if (sign != 0 && sign != root->sign) {
        mpz_sub_ui(root->c, root->c, 1);
    }
}

/* at := the number of the part, of 2^k equal parts of the interval, that the secant meets. Both
 * ends must have a value other than 0. Returns false if they do not have it. */
static bool refine_secant(mpz_t at, const gfp_zroot *root, const gfp_zvec *f, size_t k, size_t lost)
{
    const size_t n = f->len - 1;
    const ptrdiff_t bits = (ptrdiff_t)gfp_zvec_bits(f);
    const ptrdiff_t p = (ptrdiff_t)(root->e + 2 * k + 64 + lost) - bits;
    mpz_t left, right;
    mpz_inits(left, right, NULL);
    value_at(left, f, root->side, root->c, root->e, p);
    mpz_add_ui(right, root->c, 1);
    mpz_set(at, right);
    value_at(right, f, root->side, at, root->e, p);
    mpz_sub(right, left, right);
    const bool good = mpz_sgn(right) != 0 && mpz_sgn(left) == root->sign && n > 0;
    if (good) {
        mpz_mul_2exp(left, left, k);
        mpz_fdiv_q(at, left, right);
    }
    mpz_clears(left, right, NULL);
    return good;
}

/* Takes the 2^k-th part of the interval that the secant meets, if the root is there. */
static bool refine_jump(gfp_zroot *root, const gfp_zvec *f, size_t k, size_t *lost)
{
    mpz_t at, left;
    int sign[2] = {0, 0};
    mpz_inits(at, left, NULL);
    bool good =
        refine_secant(at, root, f, k, *lost) && mpz_sgn(at) >= 0 && mpz_sizeinbase(at, 2) <= k;
    if (good) {
        mpz_mul_2exp(left, root->c, k);
        mpz_add(left, left, at);
        sign[0] = sign_at(f, root->side, left, root->e + k, lost);
        mpz_add_ui(at, left, 1);
        sign[1] = sign_at(f, root->side, at, root->e + k, lost);
        /* The left end of the whole interval may be another root. */
        mpz_mul_2exp(at, root->c, k);
        const bool first = mpz_cmp(at, left) == 0;
        good = (sign[0] == root->sign || first) && sign[1] == -root->sign;
    }
    if (good) {
        mpz_swap(root->c, left);
        root->e += k;
    }
    mpz_clears(at, left, NULL);
    return good;
}

/* Quadratic interval refinement: J. Abbott, Quadratic interval refinement for real roots (ISSAC
 * 2006, poster): parts that become squares as long as secants meet the root. The next refinement
 * goes on with their number. */
gfp_status gfp_zroots_refine(gfp_zcall *call, gfp_zroot *root, const gfp_zvec *f, size_t bits)
{
    while (!root->exact && root->e < bits) {
        size_t *k = &root->parts;
        *k = *k > 2 ? *k : 2;
        if (refine_jump(root, f, *k, &root->lost)) {
            *k *= 2;
        } else {
            refine_bisect(root, f, &root->lost);
            *k /= 2;
        }
        const double work = (double)f->len * (double)(root->e + 64) / 64;
        if (!gfp_task_advance(&call->base.task, work)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* ---- values on an interval ---- */

/* z := d^n f(c / d). */
static void homogeneous_value(mpz_t z, const gfp_zvec *f, size_t n, const mpz_t c, const mpz_t d)
{
    mpz_t a, power;
    mpz_init(a);
    mpz_init_set_ui(power, 1);
    mpz_set_ui(z, 0);
    for (size_t i = n + 1; i-- > 0;) {
        mpz_mul(z, z, c);
        if (i < f->len) {
            size_t width;
            const uint64_t *x = gfp_zvec_entry(f, i, &width);
            gfp_z_get_mpz(a, x, width);
            mpz_addmul(z, a, power);
        }
        mpz_mul(power, power, d);
    }
    mpz_clears(a, power, NULL);
}

/* Terms of an expansion, at most. */
#define TERMS 8

/* With v = (c + s) / 2^e, 0 <= s <= 1, the value is sum_k b[k] s^k + r, |r| <= rest. */
typedef struct expansion {
    mpz_t b[TERMS], rest;
    size_t terms;
} expansion;

/* One step of Horner's rule, with the coefficient a: the value times v. Each term and a are rounded
 * by less than 1. */
static void expand_by(expansion *x, const gfp_zroot *root, const mpz_t a, mpz_t t)
{
    const size_t last = x->terms - 1;
    mpz_add_ui(t, root->c, root->exact ? 0 : 1);
    mpz_mul(x->rest, x->rest, t);
    mpz_cdiv_q_2exp(x->rest, x->rest, root->e);
    mpz_add_ui(x->rest, x->rest, x->terms + 1);
    if (!root->exact) {
        mpz_abs(t, x->b[last]);
        mpz_cdiv_q_2exp(t, t, root->e);
        mpz_add(x->rest, x->rest, t);
    }
    for (size_t k = last; k > 0; k--) {
        mpz_mul(x->b[k], x->b[k], root->c);
        mpz_add(x->b[k], x->b[k], x->b[k - 1]);
        mpz_fdiv_q_2exp(x->b[k], x->b[k], root->e);
    }
    mpz_mul(x->b[0], x->b[0], root->c);
    mpz_fdiv_q_2exp(x->b[0], x->b[0], root->e);
    mpz_add(x->b[0], x->b[0], a);
}

/* Terms after which 2^(-e k) of the greatest coefficient is less than 1. */
static size_t terms_of(const gfp_zroot *root, const gfp_zvec *f, ptrdiff_t p)
{
    const ptrdiff_t bits = (ptrdiff_t)gfp_zvec_bits(f) + p;
    if (root->exact || root->e == 0 || bits <= 0) {
        return 1;
    }
    return gfp_size_min((size_t)bits / root->e + 1, TERMS);
}

void gfp_zroots_range(gfp_zrange *z, const gfp_zroot *root, const gfp_zvec *f, size_t n,
                      ptrdiff_t p)
{
    expansion x = {.terms = terms_of(root, f, p)};
    mpz_t a, t;
    if (mpz_sgn(root->d) > 0) {
        homogeneous_value(z->low, f, n, root->c, root->d);
        mpz_set(z->high, z->low);
        return;
    }
    mpz_inits(x.rest, a, t, NULL);
    for (size_t k = 0; k < x.terms; k++) {
        mpz_init(x.b[k]);
    }
    for (size_t i = n + 1; i-- > 0;) {
        scaled_coefficient(a, f, n, root->side, i, p);
        expand_by(&x, root, a, t);
    }
    mpz_sub(z->low, x.b[0], x.rest);
    mpz_add(z->high, x.b[0], x.rest);
    for (size_t k = 1; k < x.terms; k++) {
        mpz_ptr end = mpz_sgn(x.b[k]) < 0 ? z->low : z->high;
        mpz_add(end, end, x.b[k]);
    }
    for (size_t k = 0; k < x.terms; k++) {
        mpz_clear(x.b[k]);
    }
    mpz_clears(x.rest, a, t, NULL);
}
