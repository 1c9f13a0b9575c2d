/* bipoly_chain.c: subresultants of polynomials in Y whose coefficients are polynomials in X: the
 * classical algorithm, which needs no points, for fields that have too few of them, and to compare
 * with.
 *
 * Pseudo-remainders A, B -> B, R / (g h^d), with d = deg A - deg B, lc(B)^(d+1) A = Q B + R, g the
 * leading coefficient of the A before and h = g^d / h^(d-1): all divisions are exact (Brown, Traub:
 * On Euclid's algorithm and the theory of subresultants, 1971).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bipoly.h"

#include "bipoly_chain.h"
#include "gfpoly/division.h"
#include "support.h"

/* The pair, the factors that are divided by, room. */
typedef struct chain {
    gfp_operation_call *op;
    gfp_options options; /* of calls inside */
    gfp_bipoly a, b;
    gfp_poly g, h, lead, t, u, v;
} chain;

static void chain_init(chain *w, gfp_operation_call *op)
{
    gfp_poly *const list[] = {&w->g, &w->h, &w->lead, &w->t, &w->u, &w->v};
    w->op = op;
    w->options = op->inner;
    w->options.progress = NULL;
    gfp_bipoly_init(&w->a, op->field);
    gfp_bipoly_init(&w->b, op->field);
    for (size_t i = 0; i < 6; i++) {
        gfp_poly_init(list[i], op->field);
    }
}

static void chain_clear(chain *w)
{
    gfp_poly *const list[] = {&w->g, &w->h, &w->lead, &w->t, &w->u, &w->v};
    gfp_bipoly_clear(&w->a);
    gfp_bipoly_clear(&w->b);
    for (size_t i = 0; i < 6; i++) {
        gfp_poly_clear(list[i]);
    }
}

/* z := x^e; z is not x. */
static gfp_status power(chain *w, gfp_poly *z, const gfp_poly *x, size_t e)
{
    GFP_TRY(gfp_poly_one(z));
    for (size_t bit = (SIZE_MAX >> 1) + 1; bit > 0; bit >>= 1) {
        if (!gfp_poly_is_one(z)) {
            GFP_TRY(gfp_poly_sqr(z, z, &w->options));
        }
        if ((e & bit) != 0) {
            GFP_TRY(gfp_poly_mul(z, z, x, &w->options));
        }
    }
    return GFP_OK;
}

/* z := z / y. Divisions of a chain are exact: one that is not follows a wrong product. */
static gfp_status divide(const chain *w, gfp_poly *z, const gfp_poly *y)
{
    const gfp_status status = gfp_poly_divexact(z, z, y, &w->options);
    return status == GFP_ERR_ARGUMENT ? gfp_error_set(w->options.error, GFP_ERR_VERIFY,
                                                      "a division in a chain leaves a remainder")
                                      : status;
}

/* z := g^e / h^(e-1), 1 / 1 for e = 0 where h is 1. z is neither t, u, v nor an argument. */
static gfp_status power_ratio(chain *w, gfp_poly *z, const gfp_poly *g, const gfp_poly *h, size_t e)
{
    GFP_TRY(power(w, z, g, e));
    if (e > 1) {
        GFP_TRY(power(w, &w->v, h, e - 1));
        GFP_TRY(divide(w, z, &w->v));
    }
    return GFP_OK;
}

static const gfp_poly *lead_of(const gfp_bipoly *a)
{
    return &a->coeff[a->len - 1];
}

/* a := lc(b) a - lc(a) Y^(deg a - deg b) b, of lower degree. */
static gfp_status cancel_lead(chain *w)
{
    const size_t shift = w->a.len - w->b.len;
    GFP_TRY(gfp_poly_copy(&w->t, lead_of(&w->a)));
    for (size_t i = 0; i + 1 < w->a.len; i++) {
        gfp_poly *z = &w->a.coeff[i];
        GFP_TRY(gfp_poly_mul(z, z, &w->lead, &w->options));
        if (i >= shift) {
            GFP_TRY(gfp_poly_mul(&w->u, &w->t, &w->b.coeff[i - shift], &w->options));
            GFP_TRY(gfp_poly_sub(z, z, &w->u));
        }
        if (!gfp_task_advance(&w->op->task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    gfp_bipoly_normalise(&w->a, w->a.len - 1);
    return GFP_OK;
}

/* a := the pseudo-remainder of a by b, of lower degree than b. */
static gfp_status pseudo_remainder(chain *w)
{
    size_t left = w->a.len - w->b.len + 1;
    GFP_TRY(gfp_poly_copy(&w->lead, lead_of(&w->b)));
    for (; w->a.len >= w->b.len; left--) {
        GFP_TRY(cancel_lead(w));
    }
    GFP_TRY(power(w, &w->t, &w->lead, left));
    for (size_t i = 0; i < w->a.len; i++) {
        GFP_TRY(gfp_poly_mul(&w->a.coeff[i], &w->a.coeff[i], &w->t, &w->options));
    }
    return GFP_OK;
}

/* A step; the degree of a is at least that of b, which is at least 1. */
static gfp_status step(chain *w)
{
    const size_t fall = w->a.len - w->b.len;
    GFP_TRY(pseudo_remainder(w));
    GFP_TRY(power(w, &w->t, &w->h, fall));
    GFP_TRY(gfp_poly_mul(&w->t, &w->t, &w->g, &w->options));
    for (size_t i = 0; i < w->a.len; i++) {
        GFP_TRY(divide(w, &w->a.coeff[i], &w->t));
    }
    gfp_bipoly_swap(&w->a, &w->b);
    GFP_TRY(gfp_poly_copy(&w->g, lead_of(&w->a)));
    if (fall > 0) {
        GFP_TRY(power_ratio(w, &w->u, &w->g, &w->h, fall));
        gfp_poly_swap(&w->h, &w->u);
    }
    return GFP_OK;
}

/* Steps until b is constant in Y; *negative, not NULL, changes with the sign. */
static gfp_status run(chain *w, const gfp_bipoly *a, const gfp_bipoly *b, bool *negative)
{
    const bool exchanged = a->len < b->len;
    GFP_TRY(gfp_bipoly_copy(&w->a, exchanged ? b : a));
    GFP_TRY(gfp_bipoly_copy(&w->b, exchanged ? a : b));
    GFP_TRY(gfp_poly_one(&w->g));
    GFP_TRY(gfp_poly_one(&w->h));
    *negative = exchanged && a->len % 2 == 0 && b->len % 2 == 0;
    while (w->b.len > 1) {
        *negative ^= w->a.len % 2 == 0 && w->b.len % 2 == 0;
        GFP_TRY(step(w));
    }
    return GFP_OK;
}

/* Bytes of two polynomials and their pseudo-remainder with coefficients of these subresultants. */
static size_t bytes_of(const gfp_bipoly *a, const gfp_bipoly *b, size_t bound)
{
    const size_t rows = gfp_size_add_sat(a->len, b->len);
    return gfp_bipoly_bytes(a->field, gfp_size_mul_sat(2, rows),
                            gfp_size_mul_sat(3, gfp_size_add_sat(bound, 1)));
}

static gfp_status begin(chain *w, gfp_operation_call *op, const gfp_bipoly *a, const gfp_bipoly *b,
                        size_t bound)
{
    const double steps = (double)gfp_size_min(a->len, b->len), rows = (double)(a->len + b->len);
    const double products = (double)gfp_size_add_sat(bound, 1);
    GFP_TRY(gfp_bipoly_reserve(op, bytes_of(a, b, bound)));
    GFP_TRY(gfp_operation_step(op, gfp_bipoly_chain_units(a->len, b->len, bound), steps * rows,
                               products * gfp_task_product_cost(op->field)));
    chain_init(w, op);
    return gfp_bipoly_cap(op, &w->options);
}

double gfp_bipoly_chain_units(size_t len_a, size_t len_b, size_t bound)
{
    const double shorter = (double)gfp_size_min(len_a, len_b);
    return 2 * shorter * ((double)len_a + (double)len_b) * ((double)bound + 1);
}

static gfp_status last_subresultant(chain *w, gfp_poly *r, bool negative)
{
    if (w->b.len == 0) {
        gfp_poly_zero(r);
        return GFP_OK;
    }
    GFP_TRY(power_ratio(w, r, lead_of(&w->b), &w->h, w->a.len - 1));
    return negative ? gfp_poly_neg(r, r) : GFP_OK;
}

gfp_status gfp_bipoly_chain_resultant(gfp_operation_call *op, gfp_poly *r, const gfp_bipoly *a,
                                      const gfp_bipoly *b, size_t bound)
{
    chain w;
    bool negative;
    GFP_TRY(begin(&w, op, a, b, bound));
    gfp_status status = run(&w, a, b, &negative);
    if (status == GFP_OK) {
        status = last_subresultant(&w, r, negative);
    }
    chain_clear(&w);
    gfp_bipoly_unreserve(op, bytes_of(a, b, bound));
    return status;
}

gfp_status gfp_bipoly_chain_gcd(gfp_operation_call *op, gfp_bipoly *g, const gfp_bipoly *a,
                                const gfp_bipoly *b, size_t bound)
{
    chain w;
    bool negative;
    GFP_TRY(begin(&w, op, a, b, bound));
    gfp_status status = run(&w, a, b, &negative);
    if (status == GFP_OK) {
        gfp_bipoly_swap(g, w.b.len == 0 ? &w.a : &w.b);
    }
    chain_clear(&w);
    gfp_bipoly_unreserve(op, bytes_of(a, b, bound));
    return status;
}
