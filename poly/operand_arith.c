/* operand_arith.c: sums, differences and products of operands; with hybrid by way of reduced digits
 * where what comes out would not fit. SPDX-License-Identifier: LGPL-3.0-or-later */
#include "operand_impl.h"

#include "support.h"

/* ---- reduced digits ---- */

/* t := x as a factor of weight 1, opened. */
static gfp_status open_reduced(gfp_operand_call *w, gfp_fft_operand *t, const gfp_fft_operand *x)
{
    const gfp_hybrid_ring *ring = &x->space->ring;
    *t = (gfp_fft_operand){.space = x->space};
    GFP_TRY(gfp_operand_open_apart(w, t));
    const uint64_t *from = x->words;
    if (!x->product) {
        (void)gfp_hybrid_ring_lift(ring, t->words, from, w->work, w->quiet);
        from = t->words;
    }
    (void)gfp_hybrid_ring_renew(ring, t->words, from, x->weight, w->work, w->quiet);
    t->len = x->len;
    t->weight = 1;
    return GFP_OK;
}

void gfp_operand_stand_in_clear(gfp_operand_call *w, gfp_operand_stand_in *y)
{
    if (y->owned) {
        gfp_operand_shut_apart(w, &y->own);
    }
}

/* y stands for t from now on. */
static void stand_in_take(gfp_operand_call *w, gfp_operand_stand_in *y, const gfp_fft_operand *t)
{
    gfp_operand_stand_in_clear(w, y);
    *y = (gfp_operand_stand_in){.own = *t, .owned = true};
    y->x = &y->own;
}

gfp_status gfp_operand_reduce(gfp_operand_call *w, gfp_operand_stand_in *y)
{
    gfp_fft_operand t;
    GFP_TRY(open_reduced(w, &t, y->x));
    stand_in_take(w, y, &t);
    return GFP_OK;
}

size_t gfp_operand_product_terms(const gfp_fft_operand *a, const gfp_fft_operand *b)
{
    return gfp_hybrid_ring_terms(&a->space->ring, a->len, a->weight, b->len, b->weight);
}

/* Makes factors of both whose product fits. With both of weight 1 it does: the ring was made for at
 * least one such product. */
static gfp_status reduce_factors(gfp_operand_call *w, gfp_operand_stand_in *a,
                                 gfp_operand_stand_in *b)
{
    const size_t most = a->x->space->ring.max_terms;
    if (a->x->product ||
        (gfp_operand_product_terms(a->x, b->x) > most && a->x->weight >= b->x->weight)) {
        GFP_TRY(gfp_operand_reduce(w, a));
    }
    if (b->x->product || gfp_operand_product_terms(a->x, b->x) > most) {
        GFP_TRY(gfp_operand_reduce(w, b));
    }
    return !a->owned && gfp_operand_product_terms(a->x, b->x) > most ? gfp_operand_reduce(w, a)
                                                                     : GFP_OK;
}

/* ---- sums ---- */

/* Elements that threads take at once, at least. */
static size_t least_elements(const gfp_field *field)
{
    return 4096 / gfp_field_k(field);
}

void gfp_operand_run_elements(gfp_parallel_run *run, gfp_operand_elements *e, size_t n,
                              gfp_task *task)
{
    const gfp_parallel loop = {.run = run, .job = e};
    const size_t chunk = gfp_parallel_chunk(task, n, 4), least = least_elements(e->field);
    (void)gfp_parallel_for(&loop, task, n, chunk > least ? chunk : least);
}

static gfp_status add_elements(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const gfp_operand_elements *e = user;
    const size_t at = from * gfp_field_k(e->field);
    (void)worker;
    (void)task;
    if (e->sign < 0) {
        gfp_vec_sub(e->field, e->z + at, e->x + at, e->y + at, to - from);
    } else {
        gfp_vec_add(e->field, e->z + at, e->x + at, e->y + at, to - from);
    }
    return GFP_OK;
}

gfp_status gfp_operand_check_alike(const gfp_fft_operand *c, const gfp_fft_operand *a,
                                   const gfp_fft_operand *b)
{
    if (c == NULL || a == NULL || b == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    if (!gfp_field_same(c->space->field, a->space->field) ||
        !gfp_field_same(c->space->field, b->space->field)) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    return gfp_operand_alike(c->space, a->space) && gfp_operand_alike(c->space, b->space)
               ? GFP_OK
               : GFP_ERR_ARGUMENT;
}

gfp_status gfp_operand_lift(gfp_operand_call *w, gfp_operand_stand_in *y)
{
    const gfp_fft_operand *x = y->x;
    gfp_fft_operand t = {.space = x->space};
    GFP_TRY(gfp_operand_open_apart(w, &t));
    (void)gfp_hybrid_ring_lift(&x->space->ring, t.words, x->words, w->work, w->quiet);
    t.len = x->len;
    t.weight = x->weight;
    t.product = true;
    stand_in_take(w, y, &t);
    return GFP_OK;
}

/* Makes both of one kind, with a sum that fits. */
static gfp_status reduce_terms(gfp_operand_call *w, gfp_operand_stand_in *a,
                               gfp_operand_stand_in *b)
{
    if (gfp_size_add_sat(a->x->weight, b->x->weight) > a->x->space->ring.max_terms) {
        GFP_TRY(gfp_operand_reduce(w, a));
        return gfp_operand_reduce(w, b);
    }
    if (a->x->weight == 0 || b->x->weight == 0 || a->x->product == b->x->product) {
        return GFP_OK;
    }
    return gfp_operand_lift(w, a->x->product ? b : a);
}

static gfp_status add_hybrid(gfp_operand_call *w, gfp_fft_operand *c, const gfp_fft_operand *a,
                             const gfp_fft_operand *b, bool subtract)
{
    gfp_operand_stand_in x = {.x = a}, y = {.x = b};
    const gfp_status status = reduce_terms(w, &x, &y);
    if (status == GFP_OK) {
        const bool product = (x.x->weight > 0 && x.x->product) || (y.x->weight > 0 && y.x->product);
        (void)gfp_hybrid_ring_add(&c->space->ring, c->words, x.x->words, y.x->words, subtract,
                                  w->work, w->quiet);
        c->len = x.x->len > y.x->len ? x.x->len : y.x->len;
        c->weight = x.x->weight + y.x->weight;
        c->product = product;
    }
    gfp_operand_stand_in_clear(w, &x);
    gfp_operand_stand_in_clear(w, &y);
    return status;
}

static gfp_status add(gfp_fft_operand *c, const gfp_fft_operand *a, const gfp_fft_operand *b,
                      bool subtract)
{
    gfp_operand_call w;
    GFP_TRY(gfp_operand_check_alike(c, a, b));
    const gfp_operand_space *s = c->space;
    GFP_TRY(gfp_operand_call_begin(&w, s, gfp_operand_options_or_default(NULL), GFP_OPERAND_FEW, 0,
                                   GFP_OPERAND_ADD_SHARE));
    gfp_operand_elements e = {s->field, c->words, a->words, b->words, subtract ? -1 : 1, 0};
    gfp_status status = GFP_OK;
    if (s->kind == GFP_OPERAND_HYBRID) {
        const int rounding = gfp_rounding_begin();
        status = add_hybrid(&w, c, a, b, subtract);
        gfp_rounding_end(rounding);
    } else {
        gfp_operand_run_elements(add_elements, &e, s->length, w.quiet);
        c->len = a->len > b->len ? a->len : b->len;
        gfp_operand_forget(c);
    }
    if (status == GFP_OK) {
        e = (gfp_operand_elements){
            s->field, gfp_operand_values(c), gfp_operand_values(a), gfp_operand_values(b), e.sign,
            0};
        gfp_operand_run_elements(add_elements, &e, s->points, NULL);
    }
    gfp_operand_call_end(&w);
    return status;
}

gfp_status gfp_fft_operand_add(gfp_fft_operand *c, const gfp_fft_operand *a,
                               const gfp_fft_operand *b)
{
    return add(c, a, b, false);
}

gfp_status gfp_fft_operand_sub(gfp_fft_operand *c, const gfp_fft_operand *a,
                               const gfp_fft_operand *b)
{
    return add(c, a, b, true);
}

/* ---- products ---- */

gfp_status gfp_operand_product_length(size_t *len, const gfp_operand_space *s, size_t len_a,
                                      size_t len_b)
{
    *len = len_a + len_b - 1; /* at most SIZE_MAX / 2 each: see space_create */
    if (*len > s->length && !s->cyclic) {
        return GFP_ERR_SIZE;
    }
    *len = gfp_size_min(*len, s->length);
    return GFP_OK;
}

/* The elements of a product that are made apart. */
#define APART 4

gfp_status gfp_operand_multiply_elements(void *user, size_t from, size_t to, unsigned worker,
                                         gfp_task *task)
{
    const gfp_operand_elements *e = user;
    const size_t k = gfp_field_k(e->field);
    uint64_t product[APART * GFP_MAX_K];
    (void)worker;
    (void)task;
    if (e->sign == 0) {
        gfp_vec_mul(e->field, e->z + from * k, e->x + from * k, e->y + from * k, to - from);
        return GFP_OK;
    }
    for (size_t i = from; i < to; i += APART) {
        const size_t n = gfp_size_min(to - i, APART);
        uint64_t *z = e->z + i * k;
        gfp_vec_mul(e->field, product, e->x + i * k, e->y + i * k, n);
        if (e->sign < 0) {
            gfp_vec_sub(e->field, z, z, product, n);
        } else {
            gfp_vec_add(e->field, z, z, product, n);
        }
    }
    return GFP_OK;
}

/* c := a b or c + a b or c - a b where what comes out fits c; else by way of another operand. */
static gfp_status accumulate(gfp_operand_call *w, gfp_fft_operand *c, const gfp_fft_operand *a,
                             const gfp_fft_operand *b, size_t len, int sign)
{
    gfp_operand_space *s = c->space;
    const size_t terms = gfp_operand_product_terms(a, b);
    if (sign == 0 || c->weight == 0 ||
        (c->product && gfp_size_add_sat(c->weight, terms) <= s->ring.max_terms)) {
        (void)gfp_hybrid_ring_multiply(&s->ring, c->words, a->words, b->words, sign, w->work,
                                       w->quiet);
        c->len = sign == 0 || len > c->len ? len : c->len;
        c->weight = sign == 0 ? terms : c->weight + terms;
        c->product = true;
        return GFP_OK;
    }
    gfp_fft_operand product = {.space = s};
    GFP_TRY(gfp_operand_open_apart(w, &product));
    (void)gfp_hybrid_ring_multiply(&s->ring, product.words, a->words, b->words, 0, w->work,
                                   w->quiet);
    product.len = len;
    product.weight = terms;
    product.product = true;
    const gfp_status status = add_hybrid(w, c, c, &product, sign < 0);
    gfp_operand_shut_apart(w, &product);
    return status;
}

static gfp_status multiply_hybrid(gfp_operand_call *w, gfp_fft_operand *c, const gfp_fft_operand *a,
                                  const gfp_fft_operand *b, size_t len, int sign)
{
    gfp_operand_stand_in x = {.x = a}, y = {.x = b};
    gfp_status status = reduce_factors(w, &x, &y);
    if (status == GFP_OK) {
        status = accumulate(w, c, x.x, y.x, len, sign);
    }
    gfp_operand_stand_in_clear(w, &x);
    gfp_operand_stand_in_clear(w, &y);
    return status;
}

/* ---- products on a GPU ---- */

gfp_status gfp_operand_multiply_there(gfp_operand_call *w, uint64_t *z, size_t first, size_t end,
                                      const uint64_t *a, size_t len_a, const gfp_fft_operand *b,
                                      gfp_task *task)
{
    const gfp_operand_space *s = b->space;
    gfp_error why = {.status = GFP_OK};
    const gfp_status status = gfp_operand_device_multiply(
        s->device, z, first, end - first, a, len_a, b->there, b->words, b->len, task, &why);
    if (status == GFP_OK || status == GFP_ERR_CANCELLED) {
        return status;
    }
    if (!s->free_choice) {
        w->said = true;
        gfp_operand_tell(w->error, &why);
        return status;
    }
    gfp_operand_tell(w->gpu_error, &why);
    gfp_range r = {s->field, a, b->words, len_a, b->len, first, end};
    gfp_range_trim(&r);
    const gfp_problem p = {.len_a = r.len_a,
                           .len_b = r.len_b,
                           .threads = gfp_task_threads(task),
                           .memory_cap = w->left == SIZE_MAX ? 0 : w->left + (w->left == 0),
                           .no_gpu = true};
    gfp_task_again(task);
    const gfp_status other =
        gfp_range_run(gfp_problem_best(s->field, &p), &r, z, p.memory_cap, task, w->error);
    w->said = other != GFP_OK && other != GFP_ERR_CANCELLED;
    return other;
}

/* c := a b, c + a b or c - a b. */
static gfp_status accumulate_there(gfp_operand_call *w, gfp_fft_operand *c,
                                   const gfp_fft_operand *a, const gfp_fft_operand *b, size_t len,
                                   int sign)
{
    const gfp_operand_space *s = c->space;
    const size_t k = gfp_field_k(s->field);
    gfp_fft_operand t = {.space = c->space};
    GFP_TRY(gfp_operand_open_apart(w, &t));
    const gfp_status status =
        gfp_operand_multiply_there(w, t.words, 0, len, a->words, a->len, b, w->quiet);
    if (status == GFP_OK && sign == 0) {
        gfp_vec_zero(s->field, t.words + len * k, s->length - len);
        gfp_vec_copy(s->field, gfp_operand_values(&t), gfp_operand_values(c), s->points);
        t.len = len;
        t.weight = 1;
        gfp_operand_exchange(c, &t);
    } else if (status == GFP_OK) {
        gfp_operand_elements e = {s->field, c->words, c->words, t.words, sign, 0};
        gfp_operand_run_elements(add_elements, &e, len, w->quiet);
        c->len = len > c->len ? len : c->len;
        gfp_operand_forget(c);
    }
    gfp_operand_shut_apart(w, &t);
    return status;
}

/* The same in a call that has begun; the product is of this length, a and b are not 0. */
static gfp_status multiply_in(gfp_operand_call *w, gfp_fft_operand *c, const gfp_fft_operand *a,
                              const gfp_fft_operand *b, size_t len, int sign)
{
    const gfp_operand_space *s = c->space;
    gfp_operand_elements e = {s->field, c->words, a->words, b->words, sign, 0};
    if (s->kind == GFP_OPERAND_DEVICE) {
        GFP_TRY(accumulate_there(w, c, a, b, len, sign));
    } else if (s->kind == GFP_OPERAND_HYBRID) {
        const int rounding = gfp_rounding_begin();
        const gfp_status status = multiply_hybrid(w, c, a, b, len, sign);
        gfp_rounding_end(rounding);
        GFP_TRY(status);
    } else {
        gfp_operand_run_elements(gfp_operand_multiply_elements, &e, s->length, w->quiet);
        c->len = sign == 0 || len > c->len ? len : c->len;
    }
    e = (gfp_operand_elements){
        s->field, gfp_operand_values(c), gfp_operand_values(a), gfp_operand_values(b), sign, 0};
    gfp_operand_run_elements(gfp_operand_multiply_elements, &e, s->points, NULL);
    return GFP_OK;
}

gfp_status gfp_operand_multiply(gfp_fft_operand *c, const gfp_fft_operand *a,
                                const gfp_fft_operand *b, int sign,
                                const gfp_operand_options *options)
{
    size_t len;
    gfp_operand_call w;
    GFP_TRY(gfp_operand_check_alike(c, a, b));
    if (a->len == 0 || b->len == 0) {
        if (sign == 0) {
            gfp_operand_set_zero(c);
        }
        return GFP_OK;
    }
    GFP_TRY(gfp_operand_product_length(&len, c->space, a->len, b->len));
    gfp_status status =
        gfp_operand_call_begin(&w, c->space, options, GFP_OPERAND_FEW,
                               gfp_operand_staging(c->space), GFP_OPERAND_MULTIPLY_SHARE);
    if (status == GFP_OK) {
        status = multiply_in(&w, c, a, b, len, sign);
        gfp_operand_call_end(&w);
    }
    return gfp_operand_say(status, &w);
}

gfp_status gfp_fft_operand_mul(gfp_fft_operand *c, const gfp_fft_operand *a,
                               const gfp_fft_operand *b)
{
    return gfp_operand_multiply(c, a, b, 0, gfp_operand_options_or_default(NULL));
}

gfp_status gfp_fft_operand_addmul(gfp_fft_operand *c, const gfp_fft_operand *a,
                                  const gfp_fft_operand *b)
{
    return gfp_operand_multiply(c, a, b, 1, gfp_operand_options_or_default(NULL));
}

gfp_status gfp_fft_operand_submul(gfp_fft_operand *c, const gfp_fft_operand *a,
                                  const gfp_fft_operand *b)
{
    return gfp_operand_multiply(c, a, b, -1, gfp_operand_options_or_default(NULL));
}

/* c := a b for a that is not 0, by way of an operand that c takes over. */
static gfp_status transform_and_multiply(gfp_operand_call *w, gfp_fft_operand *c, const gfp_poly *a,
                                         const gfp_fft_operand *b, size_t len)
{
    gfp_fft_operand x = {.space = c->space};
    GFP_TRY(gfp_operand_open_apart(w, &x));
    gfp_status status = gfp_operand_transform_to(w, &x, a);
    if (status == GFP_OK) {
        status = multiply_in(w, &x, &x, b, len, 0);
    }
    if (status == GFP_OK) {
        gfp_operand_exchange(c, &x);
    }
    gfp_operand_shut_apart(w, &x);
    return status;
}

gfp_status gfp_fft_operand_mul_poly(gfp_fft_operand *c, const gfp_poly *a, const gfp_fft_operand *b,
                                    const gfp_operand_options *options)
{
    size_t len;
    gfp_operand_call w;
    options = gfp_operand_options_or_default(options);
    GFP_TRY(
        gfp_operand_same_field(gfp_operand_poly_field(a), gfp_operand_field_of(c), options->error));
    GFP_TRY(gfp_operand_check_fits(c->space, a, options->error));
    gfp_status status = gfp_operand_check_alike(c, c, b);
    if (status == GFP_OK && a->len > 0 && b->len > 0) {
        status = gfp_operand_product_length(&len, c->space, a->len, b->len);
    }
    if (status != GFP_OK) {
        return gfp_error_set(options->error, status, "operand: %s", gfp_status_string(status));
    }
    if (a->len == 0 || b->len == 0) {
        gfp_operand_set_zero(c);
        return GFP_OK;
    }
    status = gfp_operand_call_begin(&w, c->space, options, GFP_OPERAND_WHOLE,
                                    gfp_operand_staging(c->space),
                                    GFP_OPERAND_TRANSFORM_SHARE + GFP_OPERAND_MULTIPLY_SHARE);
    if (status == GFP_OK) {
        status = transform_and_multiply(&w, c, a, b, len);
        gfp_operand_call_end(&w);
    }
    return gfp_operand_say(status, &w);
}
