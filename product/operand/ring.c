/* ring.c: the steps of operands, on the ring of their space (crt/ring.h). Engines that compute with
 * integers modulo a few primes have a bound: a factor, or a sum, that exceeds it is first converted
 * to reduced coefficients. 0 has weight 0, and is a factor and a product.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/methods/engine.h"

#include "field/base/support.h"

/* Whether products need no account: they are factors again. */
static bool is_unbounded(const gfp_space *s)
{
    return s->engine->lift == NULL;
}

size_t gfp_operand_work_words(const gfp_space *s, bool whole, unsigned threads)
{
    return s->engine->work == NULL ? 0 : s->engine->work(s->ring, whole, threads);
}

bool gfp_operand_span(gfp_task *task, const gfp_space *s, const gfp_operand_steps *steps)
{
    const gfp_ring_units units = s->engine->units(s->ring);
    const double all = steps->transforms * units.transform + steps->products * units.product +
                       steps->restores * units.restore;
    return gfp_task_span(task, 1, all, units.cost);
}

/* The call of a step that reports progress, and of one that does not. */
static gfp_ring_call ring_call_reporting(gfp_operand_call *w)
{
    return (gfp_ring_call){w->s->ring, w->work, w->task, w};
}

static gfp_ring_call ring_call_silent(gfp_operand_call *w)
{
    return (gfp_ring_call){w->s->ring, w->work, w->quiet, w};
}

/* ---- bounds ---- */

/* The number of terms of a b. */
static size_t product_terms(const gfp_operand *a, const gfp_operand *b)
{
    return gfp_ring_terms(a->space->ring, a->len, a->t.weight, b->len, b->t.weight);
}

static size_t most_terms(const gfp_operand *x)
{
    return x->space->ring->max_terms;
}

/* An input of an operation: x, which is the caller's operand or own, a temporary operand. */
typedef struct input {
    const gfp_operand *x;
    gfp_operand own;
    bool owned;
} input;

static void ring_clear(gfp_operand_call *w, input *y)
{
    if (y->owned) {
        gfp_operand_shut_apart(w, &y->own);
    }
}

/* y := t, a temporary operand. */
static void ring_take(gfp_operand_call *w, input *y, const gfp_operand *t)
{
    ring_clear(w, y);
    *y = (input){.own = *t, .owned = true};
    y->x = &y->own;
}

/* Adds steps to the span of a call. */
static void add_steps(const gfp_ring_call *call, unsigned transforms, unsigned restores)
{
    const gfp_ring_units units = call->ring->engine->units(call->ring);
    if (call->task != NULL) {
        call->task->total += transforms * units.transform + restores * units.restore;
    }
}

/* Converts y to a factor of weight 1. */
static gfp_status ring_reduce(gfp_operand_call *w, const gfp_ring_call *call, input *y)
{
    const gfp_ring_engine *engine = w->s->engine;
    const gfp_operand *x = y->x;
    const bool product = x->t.product;
    gfp_operand t = {.space = x->space};
    GFP_TRY(gfp_operand_open_apart(w, &t));
    add_steps(call, product ? 1 : 2, 1);
    t.t.weight = x->t.weight;
    gfp_status status = product ? GFP_OK : engine->lift(call, &t.t, &x->t);
    if (status == GFP_OK) {
        status = engine->renew(call, &t.t, product ? &x->t : &t.t);
    }
    if (status != GFP_OK) {
        gfp_operand_shut_apart(w, &t);
        return status;
    }
    t.len = x->len;
    t.t.weight = 1;
    ring_take(w, y, &t);
    return GFP_OK;
}

/* Converts y, a factor, to a product. */
static gfp_status ring_lift(gfp_operand_call *w, const gfp_ring_call *call, input *y)
{
    const gfp_operand *x = y->x;
    gfp_operand t = {.space = x->space};
    GFP_TRY(gfp_operand_open_apart(w, &t));
    add_steps(call, 1, 0);
    const gfp_status status = w->s->engine->lift(call, &t.t, &x->t);
    if (status != GFP_OK) {
        gfp_operand_shut_apart(w, &t);
        return status;
    }
    t.len = x->len;
    t.t.weight = x->t.weight;
    t.t.product = true;
    ring_take(w, y, &t);
    return GFP_OK;
}

/* Converts a and b to factors whose product is within the bound. With both of weight 1 the product
 * is: the ring was made for at least one such product. */
static gfp_status reduce_factors(gfp_operand_call *w, input *a, input *b)
{
    const gfp_ring_call call = ring_call_silent(w);
    const size_t most = most_terms(a->x);
    if (a->x->t.product || (product_terms(a->x, b->x) > most && a->x->t.weight >= b->x->t.weight)) {
        GFP_TRY(ring_reduce(w, &call, a));
    }
    if (b->x->t.product || product_terms(a->x, b->x) > most) {
        GFP_TRY(ring_reduce(w, &call, b));
    }
    return !a->owned && product_terms(a->x, b->x) > most ? ring_reduce(w, &call, a) : GFP_OK;
}

/* Converts a and b to factors, or both to products, whose sum is within the bound. */
static gfp_status reduce_terms(gfp_operand_call *w, input *a, input *b)
{
    const gfp_ring_call call = ring_call_silent(w);
    const gfp_transform x = a->x->t, y = b->x->t;
    if (gfp_size_add_sat(x.weight, y.weight) > most_terms(a->x)) {
        GFP_TRY(ring_reduce(w, &call, a));
        return ring_reduce(w, &call, b);
    }
    if (x.weight == 0 || y.weight == 0 || x.product == y.product) {
        return GFP_OK;
    }
    return ring_lift(w, &call, x.product ? b : a);
}

/* ---- sums and products ---- */

gfp_status gfp_operand_transform(gfp_operand_call *w, gfp_operand *x, const uint64_t *a, size_t len)
{
    const gfp_ring_call call = ring_call_reporting(w);
    GFP_TRY(w->s->engine->transform(&call, &x->t, a, len));
    x->t.weight = 1;
    x->t.product = false;
    x->len = len;
    x->blank = false;
    return GFP_OK;
}

gfp_status gfp_operand_combine(gfp_operand_call *w, gfp_operand *c, const gfp_operand *a,
                               const gfp_operand *b, bool subtract)
{
    const gfp_ring_call call = ring_call_silent(w);
    input x = {.x = a}, y = {.x = b};
    gfp_status status = is_unbounded(w->s) ? GFP_OK : reduce_terms(w, &x, &y);
    if (status == GFP_OK) {
        const gfp_transform u = x.x->t, v = y.x->t; /* c may be one of them */
        status = w->s->engine->add(&call, &c->t, &x.x->t, &y.x->t, subtract);
        if (status == GFP_OK) {
            c->t.weight = gfp_size_add_sat(u.weight, v.weight);
            c->t.product = (u.weight > 0 && u.product) || (v.weight > 0 && v.product);
        }
    }
    ring_clear(w, &x);
    ring_clear(w, &y);
    return status;
}

/* c := a b, c + a b or c - a b if the result fits c; else computes a b in a temporary operand
 * first. */
static gfp_status accumulate_factors(gfp_operand_call *w, gfp_operand *c, const gfp_operand *a,
                                     const gfp_operand *b, int sign)
{
    const gfp_ring_call call = ring_call_silent(w);
    const gfp_ring_engine *engine = w->s->engine;
    const size_t terms = product_terms(a, b), before = sign == 0 ? 0 : c->t.weight;
    if (before == 0 || (c->t.product && gfp_size_add_sat(before, terms) <= call.ring->max_terms)) {
        GFP_TRY(engine->multiply(&call, &c->t, &a->t, &b->t, sign));
        c->t.weight = before + terms;
        c->t.product = true;
        return GFP_OK;
    }
    gfp_operand product = {.space = c->space};
    GFP_TRY(gfp_operand_open_apart(w, &product));
    gfp_status status = engine->multiply(&call, &product.t, &a->t, &b->t, 0);
    if (status == GFP_OK) {
        product.t.weight = terms;
        product.t.product = true;
        status = gfp_operand_combine(w, c, c, &product, sign < 0);
    }
    gfp_operand_shut_apart(w, &product);
    return status;
}

gfp_status gfp_operand_accumulate(gfp_operand_call *w, gfp_operand *c, const gfp_operand *a,
                                  const gfp_operand *b, int sign)
{
    const gfp_ring_call call = ring_call_silent(w);
    input x = {.x = a}, y = {.x = b};
    if (is_unbounded(w->s)) {
        return w->s->engine->multiply(&call, &c->t, &a->t, &b->t, sign);
    }
    gfp_status status = reduce_factors(w, &x, &y);
    if (status == GFP_OK) {
        status = accumulate_factors(w, c, x.x, y.x, sign);
    }
    ring_clear(w, &x);
    ring_clear(w, &y);
    return status;
}

/* ---- polynomials ---- */

gfp_status gfp_operand_restore(gfp_operand_call *w, const gfp_ring_part *part, const gfp_operand *x)
{
    const gfp_ring_call call = ring_call_reporting(w);
    input y = {.x = x};
    gfp_status status = x->t.product || is_unbounded(w->s) ? GFP_OK : ring_lift(w, &call, &y);
    if (status == GFP_OK) {
        status = w->s->engine->restore(&call, part, &y.x->t);
    }
    ring_clear(w, &y);
    return status;
}

gfp_status gfp_operand_multiply_by(gfp_operand_call *w, const gfp_ring_part *part,
                                   const gfp_ring_factor *a, const gfp_operand *x)
{
    const gfp_ring_call call = ring_call_reporting(w);
    const gfp_ring *ring = call.ring;
    input y = {.x = x};
    size_t terms = gfp_ring_terms(ring, a->len, 1, x->len, x->t.weight);
    gfp_status status = GFP_OK;
    if (!is_unbounded(w->s) && (x->t.product || terms > ring->max_terms)) {
        status = ring_reduce(w, &call, &y);
        terms = gfp_ring_terms(ring, a->len, 1, x->len, 1);
    }
    if (status == GFP_OK) {
        status = w->s->engine->multiply_by(&call, part, a, &y.x->t, terms);
    }
    ring_clear(w, &y);
    return status;
}

/* The number of terms of a sum; 0: an operand is a product. Saturates. */
static size_t sum_terms(const gfp_operand_sum *sum)
{
    size_t terms = 0;
    for (size_t i = 0; i < sum->count; i++) {
        const gfp_operand *x = sum->x[i], *y = sum->y[i];
        if (x->t.product || y->t.product) {
            return 0;
        }
        terms = gfp_size_add_sat(terms, product_terms(x, y));
    }
    return terms;
}

bool gfp_operand_sums_up(const gfp_operand_sum *sum)
{
    const size_t terms = sum_terms(sum);
    return sum->x[0]->space->engine->dot != NULL && terms > 0 && terms <= most_terms(sum->x[0]);
}

/* Sums of up to this number of products allocate nothing. */
#define FEW_TERMS 4

static gfp_status dot_words(gfp_operand_call *w, const gfp_ring_part *part,
                            const gfp_operand_sum *sum, const uint64_t **words)
{
    const size_t count = sum->count;
    for (size_t i = 0; i < count; i++) {
        words[i] = sum->x[i]->t.words;
        words[count + i] = sum->y[i]->t.words;
    }
    const gfp_ring_call call = ring_call_reporting(w);
    return w->s->engine->dot(&call, part, words, words + count, count, sum_terms(sum));
}

gfp_status gfp_operand_sum_up(gfp_operand_call *w, const gfp_ring_part *part,
                              const gfp_operand_sum *sum)
{
    const gfp_allocator *allocator = gfp_field_allocator(w->s->field);
    const size_t count = sum->count;
    const uint64_t *few[2 * FEW_TERMS];
    if (count <= FEW_TERMS) {
        return dot_words(w, part, sum, few);
    }
    const uint64_t **words = gfp_allocate(allocator, count, 2 * sizeof *words);
    if (words == NULL) {
        return GFP_ERR_MEMORY;
    }
    const gfp_status status = dot_words(w, part, sum, words);
    gfp_release(allocator, words, count, 2 * sizeof *words);
    return status;
}

size_t gfp_operand_room(const gfp_operand *x)
{
    const gfp_ring *ring = x->space->ring;
    if (is_unbounded(x->space)) {
        return SIZE_MAX;
    }
    /* A sum of two operands that were just converted has weight 2, for any primes. */
    const size_t most = ring->max_terms, weight = x->t.weight;
    return (most > weight ? most - weight : 0) / ring->most;
}
