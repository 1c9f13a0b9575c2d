/* operand_ring.c: operands of methods that compute with integers modulo a few primes (hybrid, by
 * crt/hybrid_ring.h), whose product bounds sums. A factor is a sum of `weight` polynomials with
 * reduced coefficients; a product has coefficients of `weight` terms. 0 has weight 0, and is a
 * factor and a product. A factor or a sum that would not fit is first brought back to reduced
 * coefficients. SPDX-License-Identifier: LGPL-3.0-or-later */
#include "operand_engine.h"

#include "hybrid_ring.h"
#include "support.h"

static const gfp_hybrid_ring *ring_of(const gfp_operand_space *s)
{
    return s->state;
}

static gfp_status done_or_cancelled(bool done)
{
    return done ? GFP_OK : GFP_ERR_CANCELLED;
}

/* ---- spaces ---- */

/* A ring for this many terms or, where no primes hold them, for fewer: then sums are brought back
 * earlier. */
static gfp_status make_ring(gfp_hybrid_ring *ring, const gfp_operand_space *s, size_t length,
                            size_t terms, gfp_error *error)
{
    while (!gfp_hybrid_ring_make(ring, s->field, length, terms, length, s->cyclic)) {
        if (terms == 1) {
            return gfp_error_set(error, GFP_ERR_SIZE, "no transform of hybrid is as long as %zu",
                                 length);
        }
        terms /= 2;
    }
    const int rounding = gfp_rounding_begin();
    const gfp_status status = gfp_hybrid_ring_prepare(ring);
    gfp_rounding_end(rounding);
    return status != GFP_OK ? gfp_error_set(error, status, "hybrid: no memory for its tables")
                            : GFP_OK;
}

static void destroy(gfp_operand_space *s)
{
    gfp_release(gfp_field_allocator(s->field), s->state, 1, sizeof(gfp_hybrid_ring));
}

static gfp_status create(gfp_operand_space *s, size_t length, size_t terms,
                         const gfp_operand_options *options, gfp_error *error)
{
    const gfp_allocator *allocator = gfp_field_allocator(s->field);
    gfp_hybrid_ring *ring = gfp_allocate(allocator, 1, sizeof *ring);
    (void)options;
    if (ring == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "no memory for an operand");
    }
    const gfp_status status = make_ring(ring, s, length, terms, error);
    if (status != GFP_OK) {
        gfp_release(allocator, ring, 1, sizeof *ring);
        return status;
    }
    s->state = ring;
    s->length = ring->length;
    s->words = gfp_hybrid_ring_words(ring);
    return GFP_OK;
}

static bool alike(const gfp_operand_space *s, const gfp_operand_space *t)
{
    const gfp_hybrid_shape *x = &ring_of(s)->shape, *y = &ring_of(t)->shape;
    return ring_of(s)->choice.engine == ring_of(t)->choice.engine &&
           x->outer.log2_size == y->outer.log2_size && x->outer.leaves == y->outer.leaves &&
           x->outer.m == y->outer.m && x->primes == y->primes && x->group == y->group;
}

static size_t work_words(const gfp_operand_space *s, bool whole, unsigned threads)
{
    return gfp_hybrid_ring_work(ring_of(s), whole, threads);
}

static bool span(gfp_task *task, const gfp_operand_space *s, const gfp_operand_steps *steps)
{
    const double units = steps->transforms * (GFP_RING_OUTER + GFP_RING_TRANSFORM) +
                         steps->products * GFP_RING_MULTIPLY +
                         steps->restores * (GFP_RING_RESTORE + GFP_RING_OUTER);
    return gfp_task_span(task, 1, units * gfp_hybrid_ring_points(ring_of(s)),
                         gfp_hybrid_ring_unit_cost(ring_of(s)));
}

/* ---- the account ---- */

/* The terms of a b. */
static size_t product_terms(const gfp_fft_operand *a, const gfp_fft_operand *b)
{
    return gfp_hybrid_ring_terms(ring_of(a->space), a->len, a->account.weight, b->len,
                                 b->account.weight);
}

static size_t most_terms(const gfp_fft_operand *x)
{
    return ring_of(x->space)->max_terms;
}

/* An operand as some operation needs it: x itself, or one opened for it. */
typedef struct stand_in {
    const gfp_fft_operand *x;
    gfp_fft_operand own;
    bool owned;
} stand_in;

static void clear(gfp_operand_call *w, stand_in *y)
{
    if (y->owned) {
        gfp_operand_shut_apart(w, &y->own);
    }
}

/* y stands for t from now on. */
static void take(gfp_operand_call *w, stand_in *y, const gfp_fft_operand *t)
{
    clear(w, y);
    *y = (stand_in){.own = *t, .owned = true};
    y->x = &y->own;
}

/* Makes a factor of weight 1 of y. */
static gfp_status reduce(gfp_operand_call *w, stand_in *y)
{
    const gfp_hybrid_ring *ring = ring_of(w->s);
    const gfp_fft_operand *x = y->x;
    gfp_fft_operand t = {.space = x->space};
    GFP_TRY(gfp_operand_open_apart(w, &t));
    const uint64_t *from = x->words;
    if (!x->account.product) {
        (void)gfp_hybrid_ring_lift(ring, t.words, from, w->work, w->quiet);
        from = t.words;
    }
    (void)gfp_hybrid_ring_renew(ring, t.words, from, x->account.weight, w->work, w->quiet);
    t.len = x->len;
    t.account.weight = 1;
    take(w, y, &t);
    return GFP_OK;
}

/* Makes a product of y, a factor. */
static gfp_status lift(gfp_operand_call *w, stand_in *y)
{
    const gfp_fft_operand *x = y->x;
    gfp_fft_operand t = {.space = x->space};
    GFP_TRY(gfp_operand_open_apart(w, &t));
    (void)gfp_hybrid_ring_lift(ring_of(w->s), t.words, x->words, w->work, w->quiet);
    t.len = x->len;
    t.account = (gfp_operand_account){x->account.weight, true};
    take(w, y, &t);
    return GFP_OK;
}

/* Makes factors of both whose product fits. With both of weight 1 the product fits: the ring was
 * made for at least one such product. */
static gfp_status reduce_factors(gfp_operand_call *w, stand_in *a, stand_in *b)
{
    const size_t most = most_terms(a->x);
    if (a->x->account.product ||
        (product_terms(a->x, b->x) > most && a->x->account.weight >= b->x->account.weight)) {
        GFP_TRY(reduce(w, a));
    }
    if (b->x->account.product || product_terms(a->x, b->x) > most) {
        GFP_TRY(reduce(w, b));
    }
    return !a->owned && product_terms(a->x, b->x) > most ? reduce(w, a) : GFP_OK;
}

/* Makes factors or products of both, whose sum fits. */
static gfp_status reduce_terms(gfp_operand_call *w, stand_in *a, stand_in *b)
{
    const gfp_operand_account x = a->x->account, y = b->x->account;
    if (gfp_size_add_sat(x.weight, y.weight) > most_terms(a->x)) {
        GFP_TRY(reduce(w, a));
        return reduce(w, b);
    }
    if (x.weight == 0 || y.weight == 0 || x.product == y.product) {
        return GFP_OK;
    }
    return lift(w, x.product ? b : a);
}

/* ---- sums and products ---- */

static gfp_status transform(gfp_operand_call *w, gfp_fft_operand *x, const uint64_t *a, size_t len)
{
    x->account = (gfp_operand_account){.weight = 1};
    return done_or_cancelled(
        gfp_hybrid_ring_transform(ring_of(w->s), x->words, a, len, w->work, w->task));
}

static gfp_status add(gfp_operand_call *w, gfp_fft_operand *c, const gfp_fft_operand *a,
                      const gfp_fft_operand *b, bool subtract)
{
    stand_in x = {.x = a}, y = {.x = b};
    const gfp_status status = reduce_terms(w, &x, &y);
    if (status == GFP_OK) {
        const gfp_operand_account u = x.x->account, v = y.x->account;
        (void)gfp_hybrid_ring_add(ring_of(w->s), c->words, x.x->words, y.x->words, subtract,
                                  w->work, w->quiet);
        c->account.weight = u.weight + v.weight;
        c->account.product = (u.weight > 0 && u.product) || (v.weight > 0 && v.product);
    }
    clear(w, &x);
    clear(w, &y);
    return status;
}

/* c := a b, c + a b or c - a b where the result fits c; else by way of another operand. */
static gfp_status accumulate(gfp_operand_call *w, gfp_fft_operand *c, const gfp_fft_operand *a,
                             const gfp_fft_operand *b, int sign)
{
    const gfp_hybrid_ring *ring = ring_of(w->s);
    const size_t terms = product_terms(a, b), before = sign == 0 ? 0 : c->account.weight;
    if (before == 0 || (c->account.product && gfp_size_add_sat(before, terms) <= ring->max_terms)) {
        (void)gfp_hybrid_ring_multiply(ring, c->words, a->words, b->words, sign, w->work, w->quiet);
        c->account = (gfp_operand_account){before + terms, true};
        return GFP_OK;
    }
    gfp_fft_operand product = {.space = c->space};
    GFP_TRY(gfp_operand_open_apart(w, &product));
    (void)gfp_hybrid_ring_multiply(ring, product.words, a->words, b->words, 0, w->work, w->quiet);
    product.account = (gfp_operand_account){terms, true};
    const gfp_status status = add(w, c, c, &product, sign < 0);
    gfp_operand_shut_apart(w, &product);
    return status;
}

static gfp_status multiply(gfp_operand_call *w, gfp_fft_operand *c, const gfp_fft_operand *a,
                           const gfp_fft_operand *b, int sign)
{
    stand_in x = {.x = a}, y = {.x = b};
    gfp_status status = reduce_factors(w, &x, &y);
    if (status == GFP_OK) {
        status = accumulate(w, c, x.x, y.x, sign);
    }
    clear(w, &x);
    clear(w, &y);
    return status;
}

/* ---- polynomials ---- */

static gfp_status restore(gfp_operand_call *w, const gfp_operand_part *part,
                          const gfp_fft_operand *x)
{
    stand_in y = {.x = x};
    gfp_status status = x->account.product ? GFP_OK : lift(w, &y);
    if (status == GFP_OK) {
        status = done_or_cancelled(gfp_hybrid_ring_restore(
            ring_of(w->s), part->z, part->end, y.x->words, y.x->account.weight, w->work, w->task));
    }
    clear(w, &y);
    return status;
}

static gfp_status multiply_by(gfp_operand_call *w, const gfp_operand_part *part, const gfp_poly *a,
                              const gfp_fft_operand *x)
{
    const gfp_hybrid_ring *ring = ring_of(w->s);
    stand_in y = {.x = x};
    size_t terms = gfp_hybrid_ring_terms(ring, a->len, 1, x->len, x->account.weight);
    gfp_status status = GFP_OK;
    if (x->account.product || terms > ring->max_terms) {
        status = reduce(w, &y);
        terms = gfp_hybrid_ring_terms(ring, a->len, 1, x->len, 1);
    }
    if (status == GFP_OK) {
        status = done_or_cancelled(gfp_hybrid_ring_multiply_by(
            ring, part->z, part->end, a->digits, a->len, y.x->words, terms, w->work, w->task));
    }
    clear(w, &y);
    return status;
}

/* The terms of a sum; 0: an operand is a product. Saturates. */
static size_t sum_terms(const gfp_operand_sum *sum)
{
    size_t terms = 0;
    for (size_t i = 0; i < sum->count; i++) {
        const gfp_fft_operand *x = sum->x[i], *y = sum->y[i];
        if (x->account.product || y->account.product) {
            return 0;
        }
        terms = gfp_size_add_sat(terms, product_terms(x, y));
    }
    return terms;
}

/* Neither an operand nor the sum must be reduced on the way. */
static bool sums_up(const gfp_operand_sum *sum)
{
    const size_t terms = sum_terms(sum);
    return terms > 0 && terms <= most_terms(sum->x[0]);
}

static gfp_status dot(gfp_operand_call *w, const gfp_operand_part *part, const gfp_operand_sum *sum)
{
    const gfp_allocator *allocator = gfp_field_allocator(w->s->field);
    const size_t count = sum->count;
    const uint64_t **words = gfp_allocate(allocator, count, 2 * sizeof *words);
    if (words == NULL) {
        return GFP_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        words[i] = sum->x[i]->words;
        words[count + i] = sum->y[i]->words;
    }
    const bool done = gfp_hybrid_ring_dot(ring_of(w->s), part->z, part->end, words, words + count,
                                          count, sum_terms(sum), w->work, w->task);
    gfp_release(allocator, words, count, 2 * sizeof *words);
    return done_or_cancelled(done);
}

static size_t room(const gfp_fft_operand *x)
{
    const gfp_hybrid_ring *ring = ring_of(x->space);
    /* A sum of two operands just brought back has weight 2, whatever the primes were made for. */
    const size_t most = ring->max_terms, weight = x->account.weight;
    return (most > weight ? most - weight : 0) /
           gfp_hybrid_ring_terms(ring, ring->length, 1, ring->length, 1);
}

const gfp_operand_engine gfp_operand_hybrid = {
    .by_product = 0.8,
    .wraps = true,
    .create = create,
    .destroy = destroy,
    .alike = alike,
    .work_words = work_words,
    .span = span,
    .transform = transform,
    .multiply = multiply,
    .add = add,
    .restore = restore,
    .multiply_by = multiply_by,
    .sums_up = sums_up,
    .dot = dot,
    .room = room,
};
