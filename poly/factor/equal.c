/* equal.c: equal-degree factorisation.
 *
 * f has t factors of degree d. The trace y of a random polynomial (for d = 1 of X + a; at first X
 * itself, whose power is known) has an element of Z/pZ as its value modulo each factor, and
 * y^((p - 1) / 2^s) a 2^s-th root of unity. All factors with the same root form a class: 2^s
 * classes are told apart bit by bit, by gcds with b - w and b = y^((p - 1) / 2^(j + 1)), where w is
 * one of the two values that b can have modulo the part. So one long power serves log2(t) levels.
 * Factors of one class at the end, of which there are few, begin again. With s = 1 this is the
 * algorithm of Cantor and Zassenhaus, with traces as by von zur Gathen and Shoup.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/factor/frame.h"
#include "field/base/support.h"

/* Splits that separate nothing, one after the other, before the input is refused: each separates
 * two factors with probability 1/4 at least. */
#define MOST_TRIES 400

typedef struct splitting {
    gfp_factoring *w;
    size_t d, exponent;
    const gfp_poly *x_p; /* modulo a multiple of every part; not read where d = 1 */
    unsigned tries;
} splitting;

/* A product of factors with the same root of unity ζ^t, ζ of order 2^level, as value of y^((p - 1)
 * / 2^level). */
typedef struct branch {
    unsigned level, levels;
    uint64_t t;
    unsigned near; /* which power `near` is */
} branch;

/* Powers of y modulo a part: root = y^((p - 1) / 2^levels), near = root^(2^branch.near), from which
 * the powers for the next bits are computed. */
typedef struct powers {
    gfp_poly *root, *near;
} powers;

static gfp_status equal_refuse(const splitting *s)
{
    gfp_error_fill(&s->w->op.base.error, GFP_ERR_VERIFY,
                   "%s: a polynomial that has factors of degree %zu alone does not split",
                   s->w->op.base.name, s->d);
    return GFP_ERR_VERIFY;
}

static gfp_status equal_emit(splitting *s, const gfp_poly *f)
{
    return gfp_factors_add(&s->w->found, f, s->exponent);
}

/* Adds X - x. */
static gfp_status emit_root(splitting *s, const uint64_t *x)
{
    const gfp_field *field = s->w->op.field;
    gfp_factoring_item *mark = s->w->top;
    uint64_t c[GFP_MAX_K];
    gfp_poly *g;
    gfp_elem_neg(field, c, x);
    GFP_TRY(gfp_factoring_poly(s->w, &g, 2));
    GFP_TRY(gfp_poly_set_coeff_u64(g, 1, 1));
    GFP_TRY(gfp_poly_set_coeff(g, 0, c));
    GFP_TRY(equal_emit(s, g));
    gfp_factoring_release(s->w, mark);
    return GFP_OK;
}

/* ---- classes ---- */

/* value := ζ^t for the ζ of order 2^(level + 1). */
static gfp_status first_value(const gfp_field *field, uint64_t *value, const branch *c)
{
    uint64_t zeta[GFP_MAX_K];
    GFP_TRY(gfp_field_root(field, zeta, c->level + 1));
    gfp_elem_pow(field, value, zeta, &c->t, 1);
    return GFP_OK;
}

static void equal_descend(branch *c, bool other)
{
    c->t += other ? (uint64_t)1 << c->level : 0;
    c->level++;
}

/* f of degree 2 with roots in Z/pZ, where b of degree 1 has the values w and -w: the first root is
 * that of b - w, the sum of both is the negative of a coefficient of f. */
static gfp_status two_roots(splitting *s, const gfp_poly *f, const gfp_poly *b, const uint64_t *w)
{
    const gfp_field *field = f->field;
    const size_t k = gfp_field_k(field);
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K];
    gfp_elem_sub(field, y, w, b->digits);
    GFP_TRY(gfp_elem_inv(field, x, b->digits + k));
    gfp_elem_mul(field, x, x, y);
    gfp_elem_add(field, y, f->digits + k, x);
    gfp_elem_neg(field, y, y);
    GFP_TRY(emit_root(s, x));
    return emit_root(s, y);
}

static gfp_status equal_split(splitting *s, gfp_poly *f, const powers *y, branch c);
static gfp_status begin_again(splitting *s, gfp_poly *f);

/* below := the powers modulo f. */
static gfp_status equal_reduce(gfp_factoring *w, const powers *below, const powers *y,
                               const gfp_poly *f)
{
    GFP_TRY(gfp_factoring_rem(w, below->root, y->root, f));
    return gfp_factoring_rem(w, below->near, y->near, f);
}

/* Splits f by g = gcd(f, b - w), which is neither 1 nor f. */
static gfp_status split_by(splitting *s, gfp_poly *f, gfp_poly *g, const powers *y, branch c)
{
    gfp_factoring *w = s->w;
    gfp_factoring_item *mark = w->top;
    powers below;
    branch other = c;
    if (s->d == 0 || (g->len - 1) % s->d != 0) {
        return equal_refuse(s);
    }
    s->tries = 0;
    equal_descend(&c, false);
    equal_descend(&other, true);
    GFP_TRY(gfp_factoring_divide(w, f, g));
    GFP_TRY(gfp_factoring_poly(w, &below.root, y->root->len));
    GFP_TRY(gfp_factoring_poly(w, &below.near, y->near->len));
    GFP_TRY(equal_reduce(w, &below, y, g));
    GFP_TRY(equal_split(s, g, &below, c));
    GFP_TRY(equal_reduce(w, &below, y, f));
    GFP_TRY(equal_split(s, f, &below, other));
    gfp_factoring_release(w, mark);
    return GFP_OK;
}

/* b := the power for the next bit of t factors. The bits that probably remain to be looked at set
 * how far ahead `near` is. */
static gfp_status next_power(gfp_factoring *w, gfp_poly *b, const powers *y, branch *c, size_t t,
                             const gfp_modulus *M)
{
    const unsigned wanted = c->levels - 1 - c->level;
    if (wanted < c->near) {
        unsigned ahead = 1;
        for (; t > 1; t /= 2) {
            ahead++;
        }
        c->near = wanted > ahead ? wanted - ahead : 0;
        GFP_TRY(gfp_frobenius_square(w, y->near, y->root, c->near, M));
    }
    return gfp_frobenius_square(w, b, y->near, wanted - c->near, M);
}

/* One bit: *done := whether f has been split to the end. Else c is one level deeper, or the last
 * one. */
static gfp_status split_bit(splitting *s, bool *done, gfp_poly *f, const powers *y,
                            const gfp_modulus *M, branch *c)
{
    gfp_factoring *w = s->w;
    const gfp_field *field = w->op.field;
    gfp_factoring_item *mark = w->top;
    uint64_t value[GFP_MAX_K];
    gfp_poly *b, *g;
    GFP_TRY(first_value(field, value, c));
    GFP_TRY(gfp_factoring_poly(w, &b, f->len));
    GFP_TRY(next_power(w, b, y, c, (f->len - 1) / s->d, M));
    if (s->d == 1 && f->len == 3 && b->len == 2) {
        *done = true;
        GFP_TRY(two_roots(s, f, b, value));
    } else if (b->len <= 1) { /* 0: y is 0 modulo all factors */
        equal_descend(c, b->len == 1 && !gfp_elem_equal(field, b->digits, value));
        c->level = b->len == 1 ? c->level : c->levels;
    } else {
        uint64_t low[GFP_MAX_K];
        GFP_TRY(gfp_factoring_poly(w, &g, f->len));
        gfp_poly_get_coeff(low, b, 0);
        gfp_elem_sub(field, low, low, value);
        GFP_TRY(gfp_poly_set_coeff(b, 0, low));
        GFP_TRY(gfp_factoring_gcd(w, g, f, b));
        *done = g->len > 1 && g->len < f->len;
        if (*done) {
            GFP_TRY(split_by(s, f, g, y, *c));
        } else {
            equal_descend(c, g->len == 1);
        }
    }
    gfp_factoring_release(w, mark);
    return GFP_OK;
}

/* Splits f of class c by powers of y modulo f. f and the powers are used up. */
static gfp_status equal_split(splitting *s, gfp_poly *f, const powers *y, branch c)
{
    gfp_factoring *w = s->w;
    gfp_factoring_item *mark = w->top, *modulus;
    bool done = false;
    if (f->len - 1 == s->d) {
        return equal_emit(s, f);
    }
    if (y->root->len > 1 && c.level < c.levels) {
        GFP_TRY(gfp_factoring_item_of(w, &modulus, 0));
        GFP_TRY(gfp_factoring_modulus(w, modulus, f));
        while (!done && c.level < c.levels) {
            GFP_TRY(split_bit(s, &done, f, y, modulus->M, &c));
        }
        gfp_factoring_release(w, mark);
    }
    return done ? GFP_OK : begin_again(s, f);
}

/* ---- powers to split by ---- */

/* f := f without its factor X + a, which is added, if it has one. */
static gfp_status take_root(splitting *s, gfp_poly *f, const uint64_t *a)
{
    const gfp_field *field = f->field;
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K];
    gfp_factoring_item *mark = s->w->top;
    gfp_poly *g;
    gfp_elem_neg(field, x, a);
    gfp_poly_eval(y, f, x);
    if (!gfp_elem_is_zero(field, y)) {
        return GFP_OK;
    }
    GFP_TRY(emit_root(s, x));
    GFP_TRY(gfp_factoring_poly(s->w, &g, 2));
    GFP_TRY(gfp_poly_set_coeff_u64(g, 1, 1));
    GFP_TRY(gfp_poly_set_coeff(g, 0, a));
    GFP_TRY(gfp_factoring_divide(s->w, f, g));
    gfp_factoring_release(s->w, mark);
    return GFP_OK;
}

/* y := X + a for a random a: f loses the root -a. */
static gfp_status draw_shift(splitting *s, gfp_poly *y, gfp_poly *f)
{
    uint64_t a[GFP_MAX_K];
    gfp_elem_random(f->field, a, &s->w->random);
    GFP_TRY(gfp_poly_set_coeff_u64(y, 1, 1));
    GFP_TRY(gfp_poly_set_coeff(y, 0, a));
    return take_root(s, f, a);
}

/* y := the trace of a random polynomial. */
static gfp_status draw_trace(splitting *s, gfp_poly *y, const gfp_poly *f, const gfp_modulus *M)
{
    gfp_factoring_item *mark = s->w->top;
    gfp_poly *a, *x_p;
    GFP_TRY(gfp_factoring_poly(s->w, &a, f->len));
    GFP_TRY(gfp_factoring_poly(s->w, &x_p, s->x_p->len));
    GFP_TRY(gfp_poly_random(a, f->len - 1, &s->w->random));
    GFP_TRY(gfp_factoring_rem(s->w, x_p, s->x_p, f));
    GFP_TRY(gfp_frobenius_trace(s->w, y, a, x_p, s->d, M));
    gfp_factoring_release(s->w, mark);
    return GFP_OK;
}

/* Splits f, of which nothing is known, by root. */
static gfp_status split_whole(splitting *s, gfp_poly *f, gfp_poly *root, unsigned levels)
{
    const branch whole = {.levels = levels, .near = levels};
    powers y = {.root = root};
    GFP_TRY(gfp_factoring_poly(s->w, &y.near, f->len));
    return equal_split(s, f, &y, whole);
}

static gfp_status draw_and_split(splitting *s, gfp_poly *f)
{
    gfp_factoring *w = s->w;
    const unsigned levels = gfp_frobenius_levels(w, (f->len - 1) / s->d);
    gfp_factoring_item *modulus;
    gfp_poly *y;
    GFP_TRY(gfp_factoring_item_of(w, &modulus, 0));
    GFP_TRY(gfp_factoring_poly(w, &y, f->len));
    if (s->d == 1) {
        GFP_TRY(draw_shift(s, y, f));
    }
    if (f->len - 1 <= s->d) {
        return f->len > 1 ? equal_emit(s, f) : GFP_OK;
    }
    GFP_TRY(gfp_factoring_modulus(w, modulus, f));
    if (s->d > 1) {
        GFP_TRY(draw_trace(s, y, f, modulus->M));
    }
    if (y->len > 1) {
        GFP_TRY(gfp_frobenius_root(w, y, y, levels, modulus->M));
    }
    return split_whole(s, f, y, levels);
}

static gfp_status begin_again(splitting *s, gfp_poly *f)
{
    gfp_factoring_item *mark = s->w->top;
    if (++s->tries > MOST_TRIES) {
        return equal_refuse(s);
    }
    GFP_TRY(draw_and_split(s, f));
    gfp_factoring_release(s->w, mark);
    return GFP_OK;
}

gfp_status gfp_factoring_equal(gfp_factoring *w, const gfp_poly *f, size_t d, size_t exponent,
                               const gfp_frobenius *x)
{
    splitting s = {.w = w, .d = d, .exponent = exponent, .x_p = x->x_p};
    uint64_t zero[GFP_MAX_K];
    gfp_factoring_item *mark = w->top;
    gfp_poly *part, *root;
    if (f->len - 1 <= d) {
        return f->len > 1 ? equal_emit(&s, f) : GFP_OK;
    }
    GFP_TRY(gfp_factoring_poly(w, &part, f->len));
    GFP_TRY(gfp_factoring_poly(w, &root, x->root->len));
    GFP_TRY(gfp_poly_set(part, f));
    if (d > 1 || w->op.classical) {
        GFP_TRY(begin_again(&s, part));
    } else {
        gfp_elem_zero(w->op.field, zero);
        GFP_TRY(take_root(&s, part, zero));
        if (part->len > 1) {
            GFP_TRY(gfp_factoring_rem(w, root, x->root, part));
            GFP_TRY(split_whole(&s, part, root, x->levels));
        }
    }
    gfp_factoring_release(w, mark);
    return GFP_OK;
}
