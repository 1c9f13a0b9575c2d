/* operand_back.c: from operands to polynomials: one operand, a polynomial by an operand, a sum of
 * products. SPDX-License-Identifier: LGPL-3.0-or-later */
#include "operand_impl.h"

#include <string.h>

#include "fft_task.h"
#include "support.h"
#include "word.h"

/* ---- back ---- */

/* c := coefficients from .. end of z (k digits each, room for `room`), which c takes over. */
static void install(gfp_poly *c, uint64_t *z, size_t from, size_t end, size_t room)
{
    const size_t k = gfp_field_k(c->field);
    gfp_poly result;
    gfp_poly_init(&result, c->field);
    memmove(z, z + from * k, (end - from) * k * sizeof *z);
    result.digits = z;
    result.capacity = room;
    gfp_poly_normalise(&result, end - from);
    gfp_poly_swap(c, &result);
    gfp_poly_clear(&result);
}

static gfp_status divide_elements(void *user, size_t from, size_t to, unsigned worker,
                                  gfp_task *task)
{
    const gfp_operand_elements *e = user;
    const size_t at = from * gfp_field_k(e->field);
    (void)worker;
    gfp_vec_div_2exp(e->field, e->z + at, e->x + at, e->log2_n, to - from);
    return gfp_task_advance(task, (double)(to - from)) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* A way back under way: x to a polynomial, or (a != NULL) a x, or a sum of count products. */
typedef struct way {
    gfp_operand_call w;
    const gfp_fft_operand *x;
    const gfp_poly *a;
    const uint64_t *const *words; /* of the factors of a sum: the first ones, the second ones */
    size_t count, terms;
    uint64_t *z; /* coefficients from <= i < end, at their places; hybrid and bigfft: all < end */
    size_t from, end; /* computed */
    uint64_t *value;  /* what they shall be at the points */
} way;

static bool way_bigfft(way *w, gfp_fft_operand *t)
{
    const gfp_operand_space *s = w->x->space;
    if (w->a == NULL) {
        gfp_vec_copy(s->field, t->words, w->x->words, s->length);
    } else {
        if (!gfp_operand_transform(t, w->a->digits, w->a->len, w->w.work, w->w.task)) {
            return false;
        }
        gfp_operand_elements e = {s->field, t->words, t->words, w->x->words, 0, 0};
        gfp_operand_run_elements(gfp_operand_multiply_elements, &e, s->length, w->w.quiet);
    }
    if (!gfp_fft_inverse_in_place(s->plan, t->words, w->w.work, w->w.task)) {
        return false;
    }
    gfp_operand_elements e = {s->field, w->z, t->words, NULL, 0, gfp_ctz64(s->length)};
    gfp_operand_run_elements(divide_elements, &e, w->end, w->w.task);
    return gfp_task_report(w->w.task);
}

/* x as a product (a = NULL), or as a factor of a product that fits. */
static gfp_status way_reduce(way *w, gfp_operand_stand_in *y)
{
    if (w->a == NULL) {
        return w->x->product ? GFP_OK : gfp_operand_lift(&w->w, y);
    }
    const gfp_hybrid_ring *ring = &w->x->space->ring;
    const size_t terms = gfp_hybrid_ring_terms(ring, w->a->len, 1, w->x->len, w->x->weight);
    return w->x->product || terms > ring->max_terms ? gfp_operand_reduce(&w->w, y) : GFP_OK;
}

static gfp_status way_hybrid(way *w)
{
    const gfp_hybrid_ring *ring = &w->x->space->ring;
    if (w->count > 0) {
        return gfp_hybrid_ring_dot(ring, w->z, w->end, w->words, w->words + w->count, w->count,
                                   w->terms, w->w.work, w->w.task)
                   ? GFP_OK
                   : GFP_ERR_CANCELLED;
    }
    gfp_operand_stand_in y = {.x = w->x};
    gfp_status status = way_reduce(w, &y);
    bool done = false;
    if (status == GFP_OK && w->a == NULL) {
        done = gfp_hybrid_ring_restore(ring, w->z, w->end, y.x->words, y.x->weight, w->w.work,
                                       w->w.task);
    } else if (status == GFP_OK) {
        const size_t terms = gfp_hybrid_ring_terms(ring, w->a->len, 1, y.x->len, y.x->weight);
        done = gfp_hybrid_ring_multiply_by(ring, w->z, w->end, w->a->digits, w->a->len, y.x->words,
                                           terms, w->w.work, w->w.task);
    }
    gfp_operand_stand_in_clear(&w->w, &y);
    return status != GFP_OK ? status : done ? GFP_OK : GFP_ERR_CANCELLED;
}

static gfp_status way_device(way *w)
{
    const gfp_operand_space *s = w->x->space;
    const size_t at = w->from * gfp_field_k(s->field);
    if (w->a != NULL) {
        return gfp_operand_multiply_there(&w->w, w->z + at, w->from, w->end, w->a->digits,
                                          w->a->len, w->x, w->w.task);
    }
    gfp_vec_copy(s->field, w->z + at, w->x->words + at, w->end - w->from);
    return GFP_OK;
}

static gfp_status way_cpu(way *w)
{
    gfp_fft_operand t = {.space = w->x->space};
    const bool apart = w->x->space->kind == GFP_OPERAND_BIGFFT;
    GFP_TRY(apart ? gfp_operand_open_apart(&w->w, &t) : GFP_OK);
    const int rounding = gfp_rounding_begin();
    const gfp_status status = !apart              ? way_hybrid(w)
                              : way_bigfft(w, &t) ? GFP_OK
                                                  : GFP_ERR_CANCELLED;
    gfp_rounding_end(rounding);
    if (apart) {
        gfp_operand_shut_apart(&w->w, &t);
    }
    return status;
}

static double way_units(const way *w)
{
    const double outer = w->a == NULL ? GFP_RING_OUTER : 2 * GFP_RING_OUTER + GFP_RING_TRANSFORM;
    const double products = w->count > 0 ? (double)w->count : w->a == NULL ? 0 : 1;
    return outer + GFP_RING_RESTORE + products * GFP_RING_MULTIPLY;
}

static gfp_status way_run(way *w)
{
    const gfp_operand_space *s = w->x->space;
    if (!gfp_operand_span(w->w.task, s, way_units(w), w->a == NULL ? 1 : 2)) {
        return GFP_ERR_CANCELLED;
    }
    GFP_TRY(s->kind == GFP_OPERAND_DEVICE ? way_device(w) : way_cpu(w));
    if (!gfp_task_finish(w->w.task)) {
        return GFP_ERR_CANCELLED;
    }
    if (s->points == 0) {
        return GFP_OK;
    }
    if (w->a != NULL) {
        gfp_operand_evaluate(&w->w, w->value, w->a->digits, w->a->len);
        gfp_vec_mul(s->field, w->value, w->value, gfp_operand_values(w->x), s->points);
    }
    return gfp_operand_compare_values(&w->w, w->value, w->z, w->end);
}

/* c := coefficients from <= i < end of what w says, whose length is len; 0 <= from < end <= len.
 * Where it is verified all of it is computed. */
static gfp_status way_take(way *w, gfp_poly *c, size_t from, size_t end, size_t len, double share,
                           const gfp_operand_options *options)
{
    const gfp_operand_space *s = w->x->space;
    const gfp_allocator *allocator = gfp_field_allocator(c->field);
    const size_t size = gfp_element_bytes(c->field);
    w->end = s->points > 0 ? len : end;
    w->from = s->points > 0 ? 0 : from;
    const size_t apart = gfp_size_add_sat(gfp_size_mul_sat(w->end - (end - from), size),
                                          w->a != NULL ? gfp_operand_staging(s) : 0);
    gfp_status status = gfp_operand_call_begin(&w->w, s, options, GFP_OPERAND_WHOLE, apart, share);
    if (status != GFP_OK) {
        return gfp_operand_say(status, &w->w);
    }
    w->z = gfp_allocate(allocator, w->end, size);
    status = w->z == NULL ? GFP_ERR_MEMORY : way_run(w);
    gfp_operand_call_end(&w->w);
    if (status == GFP_OK) {
        install(c, w->z, from, end, w->end);
    } else {
        gfp_release(allocator, w->z, w->end, size);
    }
    return gfp_operand_say(status, &w->w);
}

gfp_status gfp_fft_operand_to_poly(gfp_poly *c, const gfp_fft_operand *x, size_t from, size_t n,
                                   const gfp_operand_options *options)
{
    options = gfp_operand_options_or_default(options);
    GFP_TRY(
        gfp_operand_same_field(gfp_operand_poly_field(c), gfp_operand_field_of(x), options->error));
    if (from >= x->len || n == 0) {
        gfp_poly_zero(c);
        return GFP_OK;
    }
    way w = {.x = x, .value = gfp_operand_values(x)};
    return way_take(&w, c, from, from + gfp_size_min(n, x->len - from), x->len,
                    GFP_OPERAND_RESTORE_SHARE, options);
}

gfp_status gfp_poly_mul_operand(gfp_poly *c, const gfp_poly *a, const gfp_fft_operand *b,
                                size_t from, size_t n, const gfp_operand_options *options)
{
    size_t len = 0;
    uint64_t value[GFP_VERIFY_MAX_POINTS * GFP_MAX_K];
    options = gfp_operand_options_or_default(options);
    GFP_TRY(
        gfp_operand_same_field(gfp_operand_poly_field(c), gfp_operand_field_of(b), options->error));
    GFP_TRY(
        gfp_operand_same_field(gfp_operand_poly_field(a), gfp_operand_field_of(b), options->error));
    if (a->len > b->space->length ||
        (a->len > 0 && b->len > 0 &&
         gfp_operand_product_length(&len, b->space, a->len, b->len) != GFP_OK)) {
        return gfp_error_set(options->error, GFP_ERR_SIZE,
                             "a product of lengths %zu and %zu by operands of length %zu", a->len,
                             b->len, b->space->length);
    }
    if (from >= len || n == 0) {
        gfp_poly_zero(c);
        return GFP_OK;
    }
    way w = {.x = b, .a = a, .value = value};
    return way_take(&w, c, from, from + gfp_size_min(n, len - from), len,
                    GFP_OPERAND_MULTIPLY_BY_SHARE, options);
}

/* ---- sums of products at once ---- */

/* The terms of the sum; 0: some operand or the sum must be reduced on the way. */
static size_t dot_terms(const gfp_fft_operand *const *x, const gfp_fft_operand *const *y,
                        size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (x[i]->product || y[i]->product) {
            return 0;
        }
        sum = gfp_size_add_sat(sum, gfp_operand_product_terms(x[i], y[i]));
    }
    return sum <= x[0]->space->ring.max_terms ? sum : 0;
}

/* By way of a sum that stays. */
static gfp_status dot_slowly(gfp_poly *c, const gfp_fft_operand *const *x,
                             const gfp_fft_operand *const *y, size_t count, size_t from, size_t n,
                             const gfp_operand_options *options)
{
    gfp_operand_options apart = *options;
    gfp_fft_operand *sum = NULL;
    apart.gpu_error = NULL; /* which the products fill */
    gfp_status status = gfp_fft_operand_create_like(&sum, x[0], NULL, &apart);
    for (size_t i = 0; i < count && status == GFP_OK; i++) {
        status = gfp_operand_multiply(sum, x[i], y[i], 1, options);
    }
    if (status == GFP_OK) {
        status = gfp_fft_operand_to_poly(c, sum, from, n, &apart);
    }
    gfp_fft_operand_destroy(sum);
    return status;
}

/* The words of the operands, x first, in one block. */
static const uint64_t **dot_words(const gfp_fft_operand *const *x, const gfp_fft_operand *const *y,
                                  size_t count)
{
    const uint64_t **words =
        gfp_allocate(gfp_field_allocator(x[0]->space->field), count, 2 * sizeof *words);
    for (size_t i = 0; i < count && words != NULL; i++) {
        words[i] = x[i]->words;
        words[count + i] = y[i]->words;
    }
    return words;
}

/* Coefficients from <= i < end of the sum, whose length is len; it has so many terms. */
static gfp_status dot_take(gfp_poly *c, const gfp_fft_operand *const *x,
                           const gfp_fft_operand *const *y, size_t count, size_t terms, size_t from,
                           size_t end, size_t len, const gfp_operand_options *options)
{
    const gfp_operand_space *s = x[0]->space;
    uint64_t value[GFP_VERIFY_MAX_POINTS * GFP_MAX_K];
    const uint64_t **words = dot_words(x, y, count);
    if (words == NULL) {
        return gfp_error_set(options->error, GFP_ERR_MEMORY, "no memory for a sum of products");
    }
    gfp_vec_zero(s->field, value, s->points);
    for (size_t i = 0; i < count; i++) {
        gfp_operand_elements e = {
            s->field, value, gfp_operand_values(x[i]), gfp_operand_values(y[i]), 1, 0};
        gfp_operand_run_elements(gfp_operand_multiply_elements, &e, s->points, NULL);
    }
    way w = {.x = x[0], .words = words, .count = count, .terms = terms, .value = value};
    const gfp_status status =
        way_take(&w, c, from, end, len,
                 (double)count * GFP_OPERAND_MULTIPLY_SHARE + GFP_OPERAND_RESTORE_SHARE, options);
    gfp_release(gfp_field_allocator(s->field), words, count, 2 * sizeof *words);
    return status;
}

gfp_status gfp_fft_operand_dot(gfp_poly *c, const gfp_fft_operand *const *x,
                               const gfp_fft_operand *const *y, size_t count, size_t from, size_t n,
                               const gfp_operand_options *options)
{
    size_t len = 0;
    options = gfp_operand_options_or_default(options);
    if (count == 0 || x == NULL || y == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "a sum of no products");
    }
    GFP_TRY(gfp_operand_same_field(gfp_operand_poly_field(c), gfp_operand_field_of(x[0]),
                                   options->error));
    bool zeros = false;
    for (size_t i = 0; i < count; i++) {
        size_t one = 0;
        gfp_status status = gfp_operand_check_alike(x[0], x[i], y[i]);
        if (status == GFP_OK && x[i]->len > 0 && y[i]->len > 0) {
            status = gfp_operand_product_length(&one, x[0]->space, x[i]->len, y[i]->len);
        }
        if (status != GFP_OK) {
            return gfp_error_set(options->error, status, "operand: %s", gfp_status_string(status));
        }
        len = one > len ? one : len;
        zeros = zeros || one == 0;
    }
    if (from >= len || n == 0) {
        gfp_poly_zero(c);
        return GFP_OK;
    }
    const size_t terms =
        zeros || x[0]->space->kind != GFP_OPERAND_HYBRID ? 0 : dot_terms(x, y, count);
    if (terms == 0) {
        return dot_slowly(c, x, y, count, from, n, options);
    }
    return dot_take(c, x, y, count, terms, from, from + gfp_size_min(n, len - from), len, options);
}
