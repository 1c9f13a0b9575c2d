/* distinct.c: distinct-degree factorisation.
 *
 * After the roots, intervals of l degrees each: the factors of degrees (j - 1) l < d <= j l divide
 * the product of X^(p^(l j)) - X^(p^i) over 0 <= i < l. The powers X^(p^i) are baby steps, X^(p^(l
 * j)) are giant steps, both by composition with a kept argument; over small fields by powers. One
 * gcd serves several intervals: it waits until the degree has grown by 1.6. An interval with more
 * than one factor is then searched degree by degree. All ends where what is left of f is too short
 * for two factors of the next degree. Kaltofen and Shoup's algorithm.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "poly/factor/frame.h"
#include "field/base/support.h"

/* An interval whose factors have not been taken yet: the degrees last - count < d <= last. */
typedef struct interval {
    gfp_poly *giant, *product;
    size_t last, count;
} interval;

/* The most intervals that wait for their gcd. */
#define MOST_WAITING 8
/* They wait until the degree has grown by this factor. Measured: docs/design/factor.md. */
#define GROWTH 1.6

/* The rest of a polynomial, and powers of X modulo it or a multiple of it. */
typedef struct search {
    gfp_factoring *w;
    gfp_factors *F;
    gfp_poly *rest;
    gfp_factoring_item *modulus; /* of rest, or of an earlier one */
    const gfp_modulus *M;
    size_t done;    /* the intervals have come to this degree */
    size_t taken;   /* all factors of up to this degree have been taken */
    gfp_poly *baby; /* X^(p^i), 0 <= i <= steps */
    size_t steps;
    gfp_poly *giant; /* X^(p^(l j)) */
    interval waiting[MOST_WAITING];
    size_t waits;
    gfp_poly *all;                          /* the product of those that wait */
    gfp_factoring_item *by_baby, *by_giant; /* arguments X^p and X^(p^l) */
} search;

/* Whether rest has at most one factor. */
static bool is_over(const search *s)
{
    return s->rest->len - 1 < 2 * (s->done + 1);
}

static gfp_status distinct_finish(search *s)
{
    return s->rest->len > 1 ? gfp_factors_add(s->F, s->rest, s->rest->len - 1) : GFP_OK;
}

/* Adds g, a factor of rest, which has irreducible factors of degree d alone. */
static gfp_status distinct_found(search *s, const gfp_poly *g, size_t d)
{
    GFP_TRY(gfp_factors_add(s->F, g, d));
    return gfp_factoring_divide(s->w, s->rest, g);
}

/* The factors of degree d, from X^(p^d) modulo a multiple of rest; those of smaller divisors of d
 * have been found. */
static gfp_status one_degree(search *s, const gfp_poly *power, size_t d)
{
    gfp_factoring_item *mark = s->w->top;
    gfp_poly *g;
    GFP_TRY(gfp_factoring_poly(s->w, &g, power->len + 2));
    GFP_TRY(gfp_factoring_rem(s->w, g, power, s->rest));
    GFP_TRY(gfp_factoring_minus_x(g, g));
    GFP_TRY(gfp_factoring_gcd(s->w, g, s->rest, g));
    if (g->len > 1) {
        GFP_TRY(distinct_found(s, g, d));
    }
    s->done = s->taken = d;
    gfp_factoring_release(s->w, mark);
    return GFP_OK;
}

/* ---- the modulus follows what is left ---- */

/* Polynomials modulo rest. */
static gfp_status distinct_reduce(search *s, gfp_poly *a)
{
    GFP_INSIDE(s->w, gfp_factoring_units(a->len, 1), gfp_poly_rem_mod(a, a, s->M, &s->w->inside));
    return GFP_OK;
}

static size_t degree_of(const search *s)
{
    return gfp_modulus_poly(s->M)->len - 1;
}

/* A new modulus where the old one is much longer than what is left: the argument of giant steps
 * then begins again, if it has begun. */
static gfp_status distinct_shorten(search *s)
{
    const size_t n = s->rest->len - 1, most = degree_of(s);
    if (s->by_giant->A == NULL ? 10 * n > 9 * most : 3 * n > 2 * most) {
        return GFP_OK;
    }
    gfp_compose_argument_destroy(s->by_baby->A);
    gfp_compose_argument_destroy(s->by_giant->A);
    s->by_baby->A = s->by_giant->A = NULL;
    GFP_TRY(gfp_factoring_modulus(s->w, s->modulus, s->rest));
    s->M = s->modulus->M;
    for (size_t i = 0; i <= s->steps && s->baby != NULL; i++) {
        GFP_TRY(distinct_reduce(s, &s->baby[i]));
    }
    return s->giant != NULL ? distinct_reduce(s, s->giant) : GFP_OK;
}

/* ---- steps ---- */

/* a := a^(p^count), by powers or by composition with g = X^(p^count), which `by` keeps for about
 * `uses` steps. */
static gfp_status distinct_step(search *s, gfp_poly *b, const gfp_poly *a, const gfp_poly *g,
                                size_t count, gfp_factoring_item *by, size_t uses)
{
    gfp_factoring *w = s->w;
    const size_t n = degree_of(s);
    if (gfp_frobenius_by_powers(w, n, count, 1)) {
        for (size_t i = 0; i < count; i++) {
            GFP_TRY(gfp_frobenius_apply(w, b, i == 0 ? a : b, s->M));
        }
        return GFP_OK;
    }
    if (by->A == NULL) {
        GFP_TRY(gfp_factoring_argument(w, by, g, s->M, uses > 0 ? uses : 1));
    }
    GFP_INSIDE(w, gfp_frobenius_composition_units(n),
               gfp_poly_compose_mod(b, a, by->A, &w->inside));
    return GFP_OK;
}

/* Baby steps cost less than giant steps and their gcds. Measured: docs/design/factor.md. */
static size_t baby_steps(const search *s)
{
    const double n = (double)s->rest->len - 1;
    const size_t l = (size_t)ceil(sqrt(n));
    return l < 2 ? 2 : l;
}

static gfp_status make_baby_steps(search *s, const gfp_poly *x_p)
{
    gfp_factoring *w = s->w;
    const size_t n = degree_of(s), l = baby_steps(s);
    GFP_TRY(gfp_factoring_list(w, &s->baby, l + 1, n + 1));
    GFP_TRY(gfp_poly_set_coeff_u64(&s->baby[0], 1, 1));
    GFP_TRY(gfp_factoring_rem(w, &s->baby[1], x_p, gfp_modulus_poly(s->M)));
    for (size_t i = 1; i < l; i++) {
        GFP_TRY(distinct_step(s, &s->baby[i + 1], &s->baby[i], &s->baby[1], 1, s->by_baby, l - i));
    }
    s->steps = l;
    return gfp_poly_set(s->giant, &s->baby[l]);
}

/* ---- intervals ---- */

/* c := the product of giant - baby[i] for i < count modulo the modulus. */
static gfp_status interval_product(search *s, gfp_poly *c, size_t count)
{
    gfp_factoring *w = s->w;
    gfp_factoring_item *mark = w->top;
    gfp_poly *difference;
    GFP_TRY(gfp_factoring_poly(w, &difference, degree_of(s)));
    GFP_TRY(gfp_poly_sub(c, s->giant, &s->baby[0]));
    for (size_t i = 1; i < count; i++) {
        GFP_TRY(gfp_poly_sub(difference, s->giant, &s->baby[i]));
        GFP_INSIDE(w, gfp_factoring_units(degree_of(s), 2),
                   gfp_poly_mul_mod(c, c, difference, s->M, &w->inside));
    }
    gfp_factoring_release(w, mark);
    return GFP_OK;
}

/* Takes the factors of g, which are those of the interval. */
static gfp_status search_interval(search *s, gfp_poly *g, const interval *v)
{
    gfp_factoring *w = s->w;
    gfp_factoring_item *mark = w->top;
    gfp_poly *giant, *difference;
    GFP_TRY(gfp_factoring_poly(w, &giant, g->len));
    GFP_TRY(gfp_factoring_poly(w, &difference, g->len));
    GFP_TRY(gfp_factoring_rem(w, giant, v->giant, g));
    for (size_t i = v->count; i-- > 0 && g->len > 1;) {
        const size_t d = v->last - i;
        if (i == 0 || g->len - 1 < 2 * d) { /* one degree, or one factor */
            GFP_TRY(gfp_factors_add(s->F, g, i == 0 ? d : g->len - 1));
            break;
        }
        GFP_TRY(gfp_factoring_rem(w, difference, &s->baby[i], g));
        GFP_TRY(gfp_poly_sub(difference, giant, difference));
        GFP_TRY(gfp_factoring_gcd(w, difference, g, difference));
        if (difference->len > 1) {
            GFP_TRY(gfp_factors_add(s->F, difference, d));
            GFP_TRY(gfp_factoring_divide(w, g, difference));
        }
    }
    gfp_factoring_release(w, mark);
    return GFP_OK;
}

/* Takes the factors of g, which are those of the intervals that wait, in this order. */
static gfp_status search_waiting(search *s, gfp_poly *g)
{
    gfp_factoring *w = s->w;
    gfp_factoring_item *mark = w->top;
    gfp_poly *part;
    GFP_TRY(gfp_factoring_poly(w, &part, g->len));
    for (size_t i = 0; i + 1 < s->waits && g->len > 2 * (s->taken + 1); i++) {
        GFP_TRY(gfp_factoring_rem(w, part, s->waiting[i].product, g));
        GFP_TRY(gfp_factoring_gcd(w, part, g, part));
        if (part->len > 1) {
            GFP_TRY(gfp_factoring_divide(w, g, part));
            GFP_TRY(search_interval(s, part, &s->waiting[i]));
        }
        s->taken = s->waiting[i].last;
    }
    if (g->len > 1 && g->len <= 2 * (s->taken + 1)) { /* one factor */
        GFP_TRY(gfp_factors_add(s->F, g, g->len - 1));
    } else if (g->len > 1) {
        GFP_TRY(search_interval(s, g, &s->waiting[s->waits - 1]));
    }
    gfp_factoring_release(w, mark);
    return GFP_OK;
}

static gfp_status take_factors(search *s)
{
    gfp_factoring *w = s->w;
    gfp_factoring_item *mark = w->top;
    gfp_poly *g;
    GFP_TRY(gfp_factoring_poly(w, &g, degree_of(s) + 1));
    GFP_TRY(gfp_factoring_rem(w, g, s->all, s->rest));
    GFP_TRY(gfp_factoring_gcd(w, g, s->rest, g));
    if (g->len > 1) {
        GFP_TRY(gfp_factoring_divide(w, s->rest, g));
        GFP_TRY(search_waiting(s, g));
    }
    s->taken = s->done;
    s->waits = 0;
    gfp_factoring_release(w, mark);
    return GFP_OK;
}

/* The degrees done < d <= last, count of them. */
static gfp_status next_interval(search *s, size_t last, size_t count)
{
    gfp_factoring *w = s->w;
    interval *v = &s->waiting[s->waits];
    if (v->giant == NULL) {
        GFP_TRY(gfp_factoring_poly(w, &v->giant, degree_of(s)));
        GFP_TRY(gfp_factoring_poly(w, &v->product, degree_of(s)));
    }
    v->last = last;
    v->count = count;
    GFP_TRY(gfp_poly_set(v->giant, s->giant));
    GFP_TRY(interval_product(s, v->product, count));
    if (s->waits == 0) {
        GFP_TRY(gfp_poly_set(s->all, v->product));
    } else {
        GFP_INSIDE(w, gfp_factoring_units(degree_of(s), 2),
                   gfp_poly_mul_mod(s->all, s->all, v->product, s->M, &w->inside));
    }
    s->waits++;
    s->done = last;
    if (is_over(s) || s->waits == MOST_WAITING || (double)s->done >= GROWTH * (double)s->taken) {
        return take_factors(s);
    }
    return GFP_OK;
}

static gfp_status by_intervals(search *s, const gfp_poly *x_p)
{
    gfp_factoring *w = s->w;
    GFP_TRY(gfp_factoring_item_of(w, &s->by_baby, 0));
    GFP_TRY(gfp_factoring_item_of(w, &s->by_giant, 0));
    GFP_TRY(distinct_shorten(s));
    GFP_TRY(gfp_factoring_poly(w, &s->giant, degree_of(s)));
    GFP_TRY(gfp_factoring_poly(w, &s->all, degree_of(s)));
    GFP_TRY(make_baby_steps(s, x_p));
    const size_t l = s->steps;
    GFP_TRY(next_interval(s, l, l - 1)); /* roots have been found */
    while (!is_over(s)) {
        if (s->waits == 0) {
            GFP_TRY(distinct_shorten(s));
        }
        GFP_TRY(distinct_step(s, s->giant, s->giant, &s->baby[l], l, s->by_giant,
                              s->rest->len / (2 * l) - s->done / l));
        GFP_TRY(next_interval(s, s->done + l, l));
    }
    return GFP_OK;
}

/* The method "classical": a power and a gcd for each degree. */
static gfp_status by_degrees(search *s, const gfp_poly *x_p)
{
    gfp_factoring *w = s->w;
    gfp_poly *power;
    GFP_TRY(gfp_factoring_poly(w, &power, degree_of(s)));
    GFP_TRY(gfp_poly_set(power, x_p));
    while (!is_over(s)) {
        GFP_TRY(gfp_frobenius_apply(w, power, power, s->M));
        GFP_TRY(one_degree(s, power, s->done + 1));
    }
    return GFP_OK;
}

gfp_status gfp_factoring_distinct(gfp_factoring *w, gfp_factors *F, const gfp_frobenius *x)
{
    gfp_factoring_item *mark = w->top;
    search s = {.w = w, .F = F, .M = x->modulus->M};
    GFP_TRY(gfp_factoring_item_of(w, &s.modulus, 0));
    GFP_TRY(gfp_factoring_poly(w, &s.rest, x->f->len));
    GFP_TRY(gfp_poly_set(s.rest, x->f));
    if (s.rest->len > 2) { /* not linear */
        GFP_TRY(one_degree(&s, x->x_p, 1));
    }
    if (!is_over(&s)) {
        GFP_TRY(w->op.classical ? by_degrees(&s, x->x_p) : by_intervals(&s, x->x_p));
    }
    GFP_TRY(distinct_finish(&s));
    gfp_factoring_release(w, mark);
    return GFP_OK;
}
