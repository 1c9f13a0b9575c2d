/* ring.c: operands of methods that compute with integers modulo a few primes (hybrid and
 * crt, by crt/ring.h), whose product bounds sums. A factor is a sum of `weight` polynomials with
 * reduced coefficients; a product has coefficients of `weight` terms. 0 has weight 0, and is a
 * factor and a product. A factor or a sum that exceeds the bound is first converted to reduced
 * coefficients.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/methods/engine.h"

#include "crt/ring.h"
#include "field/base/support.h"

static const gfp_ring *ring_of(const gfp_space *s)
{
    return s->state;
}

static gfp_status done_or_cancelled(bool done)
{
    return done ? GFP_OK : GFP_ERR_CANCELLED;
}

/* ---- spaces ---- */

static gfp_ring_wrap ring_wrap(const gfp_space *s)
{
    return s->wrap == GFP_WRAP_LINEAR   ? GFP_RING_LINEAR
           : s->wrap == GFP_WRAP_CYCLIC ? GFP_RING_CYCLIC
                                        : GFP_RING_NEGACYCLIC;
}

static gfp_status ring_create(gfp_space *s, size_t length, size_t terms, const gfp_options *options,
                              gfp_error *error)
{
    gfp_ring *ring;
    (void)options; /* rings choose no method: devices do */
    GFP_TRY(s->engine->rings->create(&ring, s->field, length, terms, ring_wrap(s), error));
    s->state = ring;
    s->state_bytes = ring->bytes;
    s->length = ring->length;
    s->words = ring->words;
    return GFP_OK;
}

static size_t state_bytes(const gfp_space *s, size_t length, size_t terms)
{
    const gfp_ring_engine *rings = s->engine->rings;
    return rings->bytes == NULL ? 0 : rings->bytes(s->field, length, terms, ring_wrap(s));
}

static void ring_destroy(gfp_space *s)
{
    ring_of(s)->engine->destroy(s->state);
}

static size_t work_words(const gfp_space *s, bool whole, unsigned threads)
{
    return ring_of(s)->engine->work(ring_of(s), whole, threads);
}

static bool ring_span(gfp_task *task, const gfp_space *s, const gfp_operand_steps *steps)
{
    const gfp_ring_units units = ring_of(s)->engine->units(ring_of(s));
    const double all = steps->transforms * units.transform + steps->products * units.product +
                       steps->restores * units.restore;
    return gfp_task_span(task, 1, all, units.cost);
}

/* ---- steps ---- */

/* The call of a step that reports progress, and of one that does not. */
static gfp_ring_call ring_call_reporting(const gfp_operand_call *w)
{
    return (gfp_ring_call){ring_of(w->s), w->work, w->task};
}

static gfp_ring_call ring_call_silent(const gfp_operand_call *w)
{
    return (gfp_ring_call){ring_of(w->s), w->work, w->quiet};
}

/* ---- bounds ---- */

/* The number of terms of a b. */
static size_t product_terms(const gfp_operand *a, const gfp_operand *b)
{
    return gfp_ring_terms(ring_of(a->space), a->len, a->account.weight, b->len, b->account.weight);
}

static size_t most_terms(const gfp_operand *x)
{
    return ring_of(x->space)->max_terms;
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
    const gfp_ring_engine *engine = call->ring->engine;
    const gfp_operand *x = y->x;
    const bool product = x->account.product;
    gfp_operand t = {.space = x->space};
    GFP_TRY(gfp_operand_open_apart(w, &t));
    add_steps(call, product ? 1 : 2, 1);
    if ((!product && !engine->lift(call, t.words, x->words)) ||
        !engine->renew(call, t.words, product ? x->words : t.words, x->account.weight)) {
        gfp_operand_shut_apart(w, &t);
        return GFP_ERR_CANCELLED;
    }
    t.len = x->len;
    t.account.weight = 1;
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
    if (!call->ring->engine->lift(call, t.words, x->words)) {
        gfp_operand_shut_apart(w, &t);
        return GFP_ERR_CANCELLED;
    }
    t.len = x->len;
    t.account = (gfp_operand_account){x->account.weight, true};
    ring_take(w, y, &t);
    return GFP_OK;
}

/* Converts a and b to factors whose product is within the bound. With both of weight 1 the product
 * is: the ring was made for at least one such product. */
static gfp_status reduce_factors(gfp_operand_call *w, input *a, input *b)
{
    const gfp_ring_call call = ring_call_silent(w);
    const size_t most = most_terms(a->x);
    if (a->x->account.product ||
        (product_terms(a->x, b->x) > most && a->x->account.weight >= b->x->account.weight)) {
        GFP_TRY(ring_reduce(w, &call, a));
    }
    if (b->x->account.product || product_terms(a->x, b->x) > most) {
        GFP_TRY(ring_reduce(w, &call, b));
    }
    return !a->owned && product_terms(a->x, b->x) > most ? ring_reduce(w, &call, a) : GFP_OK;
}

/* Converts a and b to factors, or both to products, whose sum is within the bound. */
static gfp_status reduce_terms(gfp_operand_call *w, input *a, input *b)
{
    const gfp_ring_call call = ring_call_silent(w);
    const gfp_operand_account x = a->x->account, y = b->x->account;
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

static gfp_status ring_transform(gfp_operand_call *w, gfp_operand *x, const uint64_t *a, size_t len)
{
    const gfp_ring_call call = ring_call_reporting(w);
    x->account = (gfp_operand_account){.weight = 1};
    return done_or_cancelled(call.ring->engine->transform(&call, x->words, a, len));
}

static gfp_status ring_add(gfp_operand_call *w, gfp_operand *c, const gfp_operand *a,
                           const gfp_operand *b, bool subtract)
{
    const gfp_ring_call call = ring_call_silent(w);
    input x = {.x = a}, y = {.x = b};
    const gfp_status status = reduce_terms(w, &x, &y);
    if (status == GFP_OK) {
        const gfp_operand_account u = x.x->account, v = y.x->account;
        (void)call.ring->engine->add(&call, c->words, x.x->words, y.x->words, subtract);
        c->account.weight = u.weight + v.weight;
        c->account.product = (u.weight > 0 && u.product) || (v.weight > 0 && v.product);
    }
    ring_clear(w, &x);
    ring_clear(w, &y);
    return status;
}

/* c := a b, c + a b or c - a b if the result fits c; else computes a b in a temporary operand
 * first. */
static gfp_status ring_accumulate(gfp_operand_call *w, gfp_operand *c, const gfp_operand *a,
                                  const gfp_operand *b, int sign)
{
    const gfp_ring_call call = ring_call_silent(w);
    const gfp_ring_engine *engine = call.ring->engine;
    const size_t terms = product_terms(a, b), before = sign == 0 ? 0 : c->account.weight;
    if (before == 0 ||
        (c->account.product && gfp_size_add_sat(before, terms) <= call.ring->max_terms)) {
        (void)engine->multiply(&call, c->words, a->words, b->words, sign);
        c->account = (gfp_operand_account){before + terms, true};
        return GFP_OK;
    }
    gfp_operand product = {.space = c->space};
    GFP_TRY(gfp_operand_open_apart(w, &product));
    (void)engine->multiply(&call, product.words, a->words, b->words, 0);
    product.account = (gfp_operand_account){terms, true};
    const gfp_status status = ring_add(w, c, c, &product, sign < 0);
    gfp_operand_shut_apart(w, &product);
    return status;
}

static gfp_status ring_multiply(gfp_operand_call *w, gfp_operand *c, const gfp_operand *a,
                                const gfp_operand *b, int sign)
{
    input x = {.x = a}, y = {.x = b};
    gfp_status status = reduce_factors(w, &x, &y);
    if (status == GFP_OK) {
        status = ring_accumulate(w, c, x.x, y.x, sign);
    }
    ring_clear(w, &x);
    ring_clear(w, &y);
    return status;
}

/* ---- polynomials ---- */

static gfp_status ring_restore(gfp_operand_call *w, const gfp_operand_part *part,
                               const gfp_operand *x)
{
    const gfp_ring_call call = ring_call_reporting(w);
    input y = {.x = x};
    gfp_status status = x->account.product ? GFP_OK : ring_lift(w, &call, &y);
    if (status == GFP_OK) {
        status = done_or_cancelled(
            call.ring->engine->restore(&call, part->z, part->end, y.x->words, y.x->account.weight));
    }
    ring_clear(w, &y);
    return status;
}

static gfp_status multiply_by(gfp_operand_call *w, const gfp_operand_part *part,
                              const gfp_operand_factor *a, const gfp_operand *x)
{
    const gfp_ring_call call = ring_call_reporting(w);
    const gfp_ring *ring = call.ring;
    input y = {.x = x};
    size_t terms = gfp_ring_terms(ring, a->len, 1, x->len, x->account.weight);
    gfp_status status = GFP_OK;
    if (x->account.product || terms > ring->max_terms) {
        status = ring_reduce(w, &call, &y);
        terms = gfp_ring_terms(ring, a->len, 1, x->len, 1);
    }
    if (status == GFP_OK) {
        status = done_or_cancelled(ring->engine->multiply_by(&call, part->z, part->end, a->digits,
                                                             a->len, y.x->words, terms));
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
        if (x->account.product || y->account.product) {
            return 0;
        }
        terms = gfp_size_add_sat(terms, product_terms(x, y));
    }
    return terms;
}

/* Whether the sum needs no conversion: of an operand, or of the sum itself. */
static bool sums_up(const gfp_operand_sum *sum)
{
    const size_t terms = sum_terms(sum);
    return terms > 0 && terms <= most_terms(sum->x[0]);
}

/* Sums of up to this number of products allocate nothing. */
#define FEW_TERMS 4

static gfp_status dot_words(gfp_operand_call *w, const gfp_operand_part *part,
                            const gfp_operand_sum *sum, const uint64_t **words)
{
    const size_t count = sum->count;
    for (size_t i = 0; i < count; i++) {
        words[i] = sum->x[i]->words;
        words[count + i] = sum->y[i]->words;
    }
    const gfp_ring_call call = ring_call_reporting(w);
    return done_or_cancelled(call.ring->engine->dot(&call, part->z, part->end, words, words + count,
                                                    count, sum_terms(sum)));
}

static gfp_status ring_dot(gfp_operand_call *w, const gfp_operand_part *part,
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

static size_t ring_room(const gfp_operand *x)
{
    const gfp_ring *ring = ring_of(x->space);
    /* A sum of two operands that were just converted has weight 2, for any primes. */
    const size_t most = ring->max_terms, weight = x->account.weight;
    return (most > weight ? most - weight : 0) / ring->most;
}

/* The members of an engine over rings. */
#define RING_ENGINE                                                                                \
    .wraps = true, .create = ring_create, .destroy = ring_destroy, .state_bytes = state_bytes,     \
    .work_words = work_words, .span = ring_span, .transform = ring_transform,                      \
    .multiply = ring_multiply, .add = ring_add, .restore = ring_restore,                           \
    .multiply_by = multiply_by, .sums_up = sums_up, .dot = ring_dot, .room = ring_room

/* Measured: the middle of k = 2 to 128, lengths 4 to 4096, most within 15 %. Short products (n <=
 * 16) may gain nothing. */
const gfp_operand_engine gfp_operand_hybrid = {RING_ENGINE, .rings = &gfp_hybrid_rings,
                                               .negates = true, .by_product = 0.8};

/* Measured on the portable level only, k = 2 to 64, lengths 4 to 1000: 0.63 to 0.85. */
const gfp_operand_engine gfp_operand_crt = {RING_ENGINE, .rings = &gfp_native_rings,
                                            .by_product = 0.8};
