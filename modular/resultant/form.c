/* form.c: see form.h. Let F_(i, n) be the form of the coefficients i ... i + n - 1, of degree n -
 * 1. For m < n, F_(i, n) = t^(n - m) F_(i, m) + s^m F_(i + m, n - m). m is a leaf's terms times a
 * power of two, so that squares give all powers but one for each size of a last part.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/resultant/form.h"

#define LEVELS 64
/* Terms of integers that Horner's rule takes at once, at least; as many more as have powers of s
 * and t of these bits. */
#define LEAF_TERMS 32
#define LEAF_BITS 2048

/* ---- products ---- */

/* The progress of products: fractions of the part, and the work that is done and in all. */
typedef struct counter {
    gfp_zcall *call;
    double from, to, done, total;
} counter;

static counter counter_of(gfp_zcall *call, double to, double total)
{
    const gfp_task *t = &call->base.task;
    const double part = t->part_to - t->part_from;
    return (counter){call, part > 0 ? (t->to - t->part_from) / part : 1, to, 0, total};
}

/* z := x y, a step of this work; z may be x or y. */
static gfp_status form_multiply(counter *w, gfp_ztemp *z, const gfp_zvec *x, const gfp_zvec *y,
                                double work)
{
    w->done += work;
    const double share = w->done < w->total ? w->done / w->total : 1;
    GFP_TRY(gfp_zcall_step(w->call, w->from + share * (w->to - w->from), 1, 1));
    const gfp_options inside = gfp_zcall_inside(w->call);
    GFP_TRY(gfp_call_inner(&w->call->base, gfp_zvec_mul(&z->v, x, y, &inside)));
    return gfp_ztemp_count(w->call, z);
}

/* z := x^n; each product is a step of this work. */
static gfp_status power_of(counter *w, gfp_ztemp *z, const gfp_zvec *x, size_t n, double work)
{
    static const uint64_t one[] = {1};
    size_t bit = 1;
    while (bit <= n / 2) {
        bit *= 2;
    }
    GFP_TRY(n == 0 ? gfp_zvec_set_limbs(&z->v, one, 1, 1) : gfp_zvec_set(&z->v, x));
    GFP_TRY(gfp_ztemp_count(w->call, z));
    for (bit /= 2; bit > 0; bit /= 2) {
        GFP_TRY(form_multiply(w, z, &z->v, &z->v, work));
        if ((n & bit) != 0) {
            GFP_TRY(form_multiply(w, z, &z->v, x, work));
        }
    }
    return GFP_OK;
}

gfp_status gfp_zvec_times_power(gfp_zcall *call, gfp_ztemp *z, const gfp_zvec *x, size_t n,
                                double to)
{
    gfp_ztemp power;
    counter w = counter_of(call, to, 2 * (double)gfp_log2_above(n) + 1);
    gfp_ztemp_init(call, &power);
    gfp_status status = power_of(&w, &power, x, n, 1);
    if (status == GFP_OK) {
        status = form_multiply(&w, z, &z->v, &power.v, w.total);
    }
    gfp_ztemp_clear(call, &power);
    return status;
}

/* ---- halves ---- */

typedef struct form {
    counter work;
    /* z, empty, := the value for n coefficients from `from` on; n is at most `leaf`. */
    gfp_status (*leaf_value)(const struct form *f, gfp_ztemp *z, size_t from, size_t n);
    const void *data;
    size_t len, leaf;
    const gfp_zvec *s, *t;
    gfp_ztemp s_power[LEVELS], t_power[LEVELS]; /* exponents leaf 2^level */
    unsigned levels;
} form;

/* The powers of the levels whose parts are shorter than the form. */
static gfp_status make_powers(form *f)
{
    counter *w = &f->work;
    for (unsigned i = 0; i < LEVELS && f->leaf << i < f->len; i++) {
        const double terms = (double)(f->leaf << i);
        gfp_ztemp *s = &f->s_power[i], *t = &f->t_power[i];
        gfp_ztemp_init(w->call, s);
        gfp_ztemp_init(w->call, t);
        f->levels = i + 1;
        if (i == 0) {
            GFP_TRY(power_of(w, s, f->s, f->leaf, 0));
            GFP_TRY(power_of(w, t, f->t, f->leaf, 0));
        } else {
            GFP_TRY(form_multiply(w, s, &s[-1].v, &s[-1].v, terms));
            /* The power of t is for a part on the right that has as many terms. */
            if (f->leaf << i <= f->len / 2) {
                GFP_TRY(form_multiply(w, t, &t[-1].v, &t[-1].v, terms));
            }
        }
    }
    return GFP_OK;
}

/* z := t^n z, n at most the terms of a part of this level. */
static gfp_status raise_left(form *f, gfp_ztemp *z, size_t n, unsigned level)
{
    counter *w = &f->work;
    gfp_ztemp power;
    if (z->v.len == 0) {
        return GFP_OK;
    }
    if (n == f->leaf << level) {
        return form_multiply(w, z, &z->v, &f->t_power[level].v, (double)n);
    }
    gfp_ztemp_init(w->call, &power);
    gfp_status status = power_of(w, &power, f->t, n, 0);
    if (status == GFP_OK) {
        status = form_multiply(w, z, &z->v, &power.v, (double)n);
    }
    gfp_ztemp_clear(w->call, &power);
    return status;
}

/* z := t^n z + s^m right, m the terms of a part of this level, n those of the right one. */
static gfp_status form_join(form *f, gfp_ztemp *z, gfp_ztemp *right, size_t n, unsigned level)
{
    GFP_TRY(raise_left(f, z, n, level));
    if (right->v.len == 0) {
        return GFP_OK;
    }
    GFP_TRY(form_multiply(&f->work, right, &right->v, &f->s_power[level].v, (double)n));
    GFP_TRY(gfp_zvec_combine(&z->v, 1, &z->v, 0, 1, &right->v));
    return gfp_ztemp_count(f->work.call, z);
}

/* z, empty, := the value for n coefficients from `from` on. */
static gfp_status form_value(form *f, gfp_ztemp *z, size_t from, size_t n)
{
    gfp_ztemp right;
    unsigned level = 0;
    if (n <= f->leaf) {
        GFP_TRY(f->leaf_value(f, z, from, n));
        return gfp_ztemp_count(f->work.call, z);
    }
    while (f->leaf << level < n - (f->leaf << level)) {
        level++;
    }
    const size_t half = f->leaf << level;
    gfp_ztemp_init(f->work.call, &right);
    gfp_status status = form_value(f, z, from, half);
    if (status == GFP_OK) {
        status = form_value(f, &right, from + half, n - half);
    }
    if (status == GFP_OK) {
        status = form_join(f, z, &right, n - half, level);
    }
    gfp_ztemp_clear(f->work.call, &right);
    return status;
}

static gfp_status form_compute(form *f, gfp_zcall *call, gfp_ztemp *z, double to)
{
    const double n = (double)f->len;
    f->work = counter_of(call, to, 0);
    f->levels = 0;
    for (size_t terms = f->leaf; terms < f->len; terms *= 2) {
        f->work.total += n + 2 * (double)terms;
    }
    gfp_status status = make_powers(f);
    if (status == GFP_OK) {
        status = form_value(f, z, 0, f->len);
    }
    for (unsigned i = 0; i < f->levels; i++) {
        gfp_ztemp_clear(call, &f->s_power[i]);
        gfp_ztemp_clear(call, &f->t_power[i]);
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

static size_t bits_of(number x)
{
    return gfp_z_magnitude_bits(x.limbs, x.n);
}

static bool are_zeros(gfp_zpoly a, size_t from, size_t n)
{
    bool zero = true;
    for (size_t i = from; i < from + n && zero; i++) {
        size_t width;
        const uint64_t *x = gfp_zpoly_get(a, i, &width);
        zero = gfp_z_strip(x, width) == 0;
    }
    return zero;
}

/* Nothing for zeros; else by Horner's rule, from the last coefficient on, with powers of t. */
static gfp_status integers_value(const form *f, gfp_ztemp *z, size_t from, size_t n)
{
    const integers *w = f->data;
    if (are_zeros(w->a, from, n)) {
        return GFP_OK;
    }
    uint64_t *work = w->work, *term = w->term;
    number sum = {w->value, 0, false}, power = {w->power, 1, false};
    power.limbs[0] = 1;
    for (size_t i = from + n; i-- > from;) {
        size_t width;
        const uint64_t *c = gfp_zpoly_get(w->a, i, &width);
        number x = {term, gfp_z_magnitude(term, c, width), gfp_z_negative(c, width)};
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
    form f = {.leaf_value = integers_value, .data = &w, .len = a.len, .s = s, .t = t};
    uint64_t **const array[] = {&w.value, &w.power, &w.term, &w.work};
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    GFP_TRY(number_of(call, &w.s, s));
    GFP_TRY(number_of(call, &w.t, t));
    const size_t longer = w.s.n > w.t.n ? w.s.n : w.t.n;
    const size_t bits = bits_of(w.s) > bits_of(w.t) ? bits_of(w.s) : bits_of(w.t);
    f.leaf = gfp_size_min(LEAF_BITS / bits, a.len) > LEAF_TERMS ? LEAF_BITS / bits : LEAF_TERMS;
    w.width = gfp_size_add_sat(gfp_size_mul_sat(gfp_size_min(a.len, f.leaf), longer),
                               gfp_size_add_sat(gfp_zpoly_widest(a), 2));
    for (size_t i = 0; i < 4; i++) {
        GFP_TRY(gfp_call_array(&call->base, array[i], w.width));
    }
    GFP_TRY(form_compute(&f, call, z, to));
    gfp_call_release(&call->base, mark);
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
    form f = {.leaf_value = polynomials_value, .data = a, .len = a->len, .leaf = 1, .s = s, .t = t};
    return form_compute(&f, call, z, to);
}
