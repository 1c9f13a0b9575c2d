/* zform.c: see zform.h. Let F_(i, n) be the form of the coefficients i ... i + n - 1, of degree n -
 * 1. For m < n, F_(i, n) = t^(n - m) F_(i, m) + s^m F_(i + m, n - m). m is a leaf's terms times a
 * power of two, so that squares give all powers but one for each size of a last part.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zform.h"

#define LEVELS 64
/* Terms of integers that Horner's rule takes at once. */
#define LEAF_TERMS 32

typedef struct form {
    gfp_zcall *call;
    /* z := the value for n coefficients from `from` on; n is at most `leaf`. */
    gfp_status (*leaf_value)(const struct form *f, gfp_ztemp *z, size_t from, size_t n);
    const void *data;
    size_t len, leaf;
    const gfp_zvec *s, *t;
    gfp_ztemp s_power[LEVELS], t_power[LEVELS]; /* exponents leaf 2^level */
    unsigned levels;
    double to, done, total; /* terms at all levels */
} form;

/* ---- products ---- */

/* z := x y; z may be x or y. */
static gfp_status multiply(gfp_zcall *call, gfp_ztemp *z, const gfp_zvec *x, const gfp_zvec *y)
{
    const gfp_options inside = gfp_zcall_inside(call);
    GFP_TRY(gfp_zvec_mul(&z->v, x, y, &inside));
    return gfp_ztemp_count(call, z);
}

gfp_status gfp_zvec_power(gfp_zcall *call, gfp_ztemp *z, const gfp_zvec *x, size_t n)
{
    static const uint64_t one[] = {1};
    size_t bit = 1;
    while (bit <= n / 2) {
        bit *= 2;
    }
    GFP_TRY(n == 0 ? gfp_zvec_set_limbs(&z->v, one, 1, 1) : gfp_zvec_set(&z->v, x));
    GFP_TRY(gfp_ztemp_count(call, z));
    for (bit /= 2; bit > 0; bit /= 2) {
        GFP_TRY(gfp_zcall_step_on(call, 0.5, 1, 1));
        GFP_TRY(multiply(call, z, &z->v, &z->v));
        if ((n & bit) != 0) {
            GFP_TRY(multiply(call, z, &z->v, x));
        }
    }
    return GFP_OK;
}

/* ---- halves ---- */

/* The powers of the levels whose parts are shorter than the form. */
static gfp_status make_powers(form *f)
{
    for (unsigned i = 0; i < LEVELS && f->leaf << i < f->len; i++) {
        gfp_ztemp *s = &f->s_power[i], *t = &f->t_power[i];
        gfp_ztemp_init(f->call, s);
        gfp_ztemp_init(f->call, t);
        f->levels = i + 1;
        if (i == 0) {
            GFP_TRY(gfp_zvec_power(f->call, s, f->s, f->leaf));
            GFP_TRY(gfp_zvec_power(f->call, t, f->t, f->leaf));
        } else {
            GFP_TRY(multiply(f->call, s, &s[-1].v, &s[-1].v));
            /* The power of t is for a part on the right that has as many terms. */
            if (f->leaf << i <= f->len / 2) {
                GFP_TRY(multiply(f->call, t, &t[-1].v, &t[-1].v));
            }
        }
    }
    return GFP_OK;
}

static gfp_status value(form *f, gfp_ztemp *z, size_t from, size_t n);

/* z := t^n z, n at most the terms of a part of this level. */
static gfp_status times_power(form *f, gfp_ztemp *z, size_t n, unsigned level)
{
    gfp_ztemp power;
    if (z->v.len == 0) {
        return GFP_OK;
    }
    if (n == f->leaf << level) {
        return multiply(f->call, z, &z->v, &f->t_power[level].v);
    }
    gfp_ztemp_init(f->call, &power);
    gfp_status status = gfp_zvec_power(f->call, &power, f->t, n);
    if (status == GFP_OK) {
        status = multiply(f->call, z, &z->v, &power.v);
    }
    gfp_ztemp_clear(f->call, &power);
    return status;
}

/* z := t^(n - m) z + s^m right. */
static gfp_status join(form *f, gfp_ztemp *z, gfp_ztemp *right, size_t n, unsigned level)
{
    f->done += (double)n;
    GFP_TRY(gfp_zcall_step(f->call, f->to * f->done / f->total, 1, 1));
    GFP_TRY(times_power(f, z, n - (f->leaf << level), level));
    if (right->v.len == 0) {
        return GFP_OK;
    }
    GFP_TRY(multiply(f->call, right, &right->v, &f->s_power[level].v));
    GFP_TRY(gfp_zvec_combine(&z->v, 1, &z->v, 0, 1, &right->v));
    return gfp_ztemp_count(f->call, z);
}

static gfp_status value(form *f, gfp_ztemp *z, size_t from, size_t n)
{
    gfp_ztemp right;
    unsigned level = 0;
    if (n <= f->leaf) {
        GFP_TRY(f->leaf_value(f, z, from, n));
        return gfp_ztemp_count(f->call, z);
    }
    while (f->leaf << level < n - (f->leaf << level)) {
        level++;
    }
    const size_t half = f->leaf << level;
    gfp_ztemp_init(f->call, &right);
    gfp_status status = value(f, z, from, half);
    if (status == GFP_OK) {
        status = value(f, &right, from + half, n - half);
    }
    if (status == GFP_OK) {
        status = join(f, z, &right, n, level);
    }
    gfp_ztemp_clear(f->call, &right);
    return status;
}

static gfp_status compute(form *f, gfp_ztemp *z, double to)
{
    f->to = to;
    f->levels = 0;
    f->done = 0;
    f->total = (double)f->len;
    for (size_t terms = f->leaf; terms < f->len; terms *= 2) {
        f->total += (double)f->len;
    }
    gfp_status status = make_powers(f);
    if (status == GFP_OK) {
        status = value(f, z, 0, f->len);
    }
    for (unsigned i = 0; i < f->levels; i++) {
        gfp_ztemp_clear(f->call, &f->s_power[i]);
        gfp_ztemp_clear(f->call, &f->t_power[i]);
    }
    return status;
}

/* ---- integers ---- */

/* A number as sign and magnitude. */
typedef struct number {
    uint64_t *limbs;
    size_t n;
    bool negative;
} number;

typedef struct integers {
    gfp_zpoly a;
    number s, t;
    uint64_t *value, *power, *term, *work; /* of `width` limbs each */
    size_t width;
} integers;

static gfp_status number_of(gfp_zcall *call, number *x, const gfp_zvec *v)
{
    gfp_znat z;
    GFP_TRY(gfp_znat_of(call, &z, v->limbs, v->width));
    *x = (number){z.limbs, z.n, gfp_z_negative(v->limbs, v->width)};
    return GFP_OK;
}

/* x := x y; the product is made in *work, which x's limbs become. */
static void multiply_number(number *x, number y, uint64_t **work)
{
    if (x->n == 0) {
        return;
    }
    const number u = x->n >= y.n ? *x : y, v = x->n >= y.n ? y : *x;
    uint64_t *old = x->limbs;
    (void)mpn_mul(gfp_z_limbs(*work), gfp_z_limbs(u.limbs), (mp_size_t)u.n, gfp_z_limbs(v.limbs),
                  (mp_size_t)v.n);
    *x = (number){*work, gfp_z_strip(*work, u.n + v.n), x->negative != y.negative};
    *work = old;
}

/* x := x + y, with room for a carry. */
static void add_number(number *x, number y)
{
    const bool longer =
        x->n > y.n ||
        (x->n == y.n &&
         (x->n == 0 || mpn_cmp(gfp_z_limbs(x->limbs), gfp_z_limbs(y.limbs), (mp_size_t)x->n) >= 0));
    const number u = longer ? *x : y, v = longer ? y : *x;
    mp_limb_t *z = gfp_z_limbs(x->limbs);
    if (v.n == 0) {
        memmove(x->limbs, u.limbs, u.n * sizeof *u.limbs);
        x->n = u.n;
    } else if (u.negative == v.negative) {
        x->limbs[u.n] =
            mpn_add(z, gfp_z_limbs(u.limbs), (mp_size_t)u.n, gfp_z_limbs(v.limbs), (mp_size_t)v.n);
        x->n = gfp_z_strip(x->limbs, u.n + 1);
    } else {
        (void)mpn_sub(z, gfp_z_limbs(u.limbs), (mp_size_t)u.n, gfp_z_limbs(v.limbs),
                      (mp_size_t)v.n);
        x->n = gfp_z_strip(x->limbs, u.n);
    }
    x->negative = u.negative;
}

/* By Horner's rule, from the last coefficient on, with the power of t. */
static gfp_status integers_value(const form *f, gfp_ztemp *z, size_t from, size_t n)
{
    const integers *w = f->data;
    uint64_t *work = w->work, *term = w->term;
    number sum = {w->value, 0, false}, power = {w->power, 1, false};
    power.limbs[0] = 1;
    for (size_t i = from + n; i-- > from;) {
        const uint64_t *c = gfp_zpoly_at(w->a, i);
        number x = {term, gfp_z_magnitude(term, c, w->a.width), gfp_z_negative(c, w->a.width)};
        multiply_number(&sum, w->s, &work);
        if (x.n > 0) {
            multiply_number(&x, power, &work);
            add_number(&sum, x);
        }
        term = x.limbs;
        if (i > from) {
            multiply_number(&power, w->t, &work);
        }
    }
    gfp_z_put(work, w->width, sum.limbs, sum.n, sum.negative);
    return gfp_zvec_set_polynomial(&z->v, work, 1, w->width);
}

gfp_status gfp_zform_of_integers(gfp_zcall *call, gfp_ztemp *z, gfp_zpoly a, const gfp_zvec *s,
                                 const gfp_zvec *t, double to)
{
    integers w = {.a = a};
    form f = {.call = call,
              .leaf_value = integers_value,
              .data = &w,
              .len = a.len,
              .leaf = LEAF_TERMS,
              .s = s,
              .t = t};
    uint64_t **const array[] = {&w.value, &w.power, &w.term, &w.work};
    const gfp_zcall_mark mark = gfp_zcall_mark_here(call);
    GFP_TRY(number_of(call, &w.s, s));
    GFP_TRY(number_of(call, &w.t, t));
    const size_t longer = w.s.n > w.t.n ? w.s.n : w.t.n;
    w.width = gfp_size_add_sat(gfp_size_mul_sat(gfp_size_min(a.len, LEAF_TERMS), longer),
                               gfp_size_add_sat(a.width, 2));
    for (size_t i = 0; i < 4; i++) {
        GFP_TRY(gfp_zcall_array(call, array[i], w.width));
    }
    GFP_TRY(compute(&f, z, to));
    gfp_zcall_release(call, mark);
    return GFP_OK;
}

/* ---- polynomials ---- */

static gfp_status polynomials_value(const form *f, gfp_ztemp *z, size_t from, size_t n)
{
    const gfp_zbipoly *a = f->data;
    (void)n; /* 1 */
    return gfp_zvec_set(&z->v, &a->coeff[from]);
}

gfp_status gfp_zform_of_polynomials(gfp_zcall *call, gfp_ztemp *z, const gfp_zbipoly *a,
                                    const gfp_zvec *s, const gfp_zvec *t, double to)
{
    form f = {.call = call,
              .leaf_value = polynomials_value,
              .data = a,
              .len = a->len,
              .leaf = 1,
              .s = s,
              .t = t};
    return compute(&f, z, to);
}
