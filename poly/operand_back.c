/* operand_back.c: from operands to polynomials: one operand, a polynomial by an operand, a sum of
 * products.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "operand_impl.h"

#include <string.h>

#include "support.h"

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

/* A way back under way: to x, or (a != NULL) to a x, or (sum != NULL) to a sum of products. */
typedef struct way {
    gfp_operand_call w;
    const gfp_fft_operand *x;
    const gfp_poly *a;
    const gfp_operand_sum *sum;
    gfp_operand_part part;
    uint64_t *value; /* of the polynomial at the points */
} way;

static gfp_operand_steps way_steps(const way *w)
{
    return w->sum != NULL ? (gfp_operand_steps){0, (double)w->sum->count, 1}
           : w->a != NULL ? (gfp_operand_steps){1, 1, 1}
                          : (gfp_operand_steps){0, 0, 1};
}

static gfp_status way_compute(way *w)
{
    const gfp_operand_engine *engine = w->x->space->engine;
    return w->sum != NULL ? engine->dot(&w->w, &w->part, w->sum)
           : w->a != NULL ? engine->multiply_by(&w->w, &w->part, w->a, w->x)
                          : engine->restore(&w->w, &w->part, w->x);
}

static gfp_status way_run(way *w)
{
    const gfp_operand_space *s = w->x->space;
    const gfp_operand_steps steps = way_steps(w);
    if (!s->engine->span(w->w.task, s, &steps)) {
        return GFP_ERR_CANCELLED;
    }
    GFP_TRY(way_compute(w));
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
    return gfp_operand_compare_values(&w->w, w->value, w->part.z, w->part.end);
}

/* c := coefficients from <= i < end of what w says, whose length is len; 0 <= from < end <= len.
 * Where it is verified all of it is computed. */
static gfp_status way_take(way *w, gfp_poly *c, size_t from, size_t end, size_t len, double share,
                           const gfp_options *options)
{
    const gfp_operand_space *s = w->x->space;
    const gfp_allocator *allocator = gfp_field_allocator(c->field);
    const size_t size = gfp_element_bytes(c->field);
    gfp_operand_part *part = &w->part;
    part->end = s->points > 0 ? len : end;
    part->from = s->points > 0 ? 0 : from;
    const size_t apart = gfp_size_add_sat(gfp_size_mul_sat(part->end - (end - from), size),
                                          w->a != NULL ? gfp_operand_staging(s) : 0);
    gfp_status status = gfp_operand_call_begin(&w->w, s, options, true, apart, share);
    if (status != GFP_OK) {
        return gfp_operand_say(status, &w->w);
    }
    part->z = gfp_allocate(allocator, part->end, size);
    status = part->z == NULL ? GFP_ERR_MEMORY : way_run(w);
    gfp_operand_call_end(&w->w);
    if (status == GFP_OK) {
        install(c, part->z, from, end, part->end);
    } else {
        gfp_release(allocator, part->z, part->end, size);
    }
    return gfp_operand_say(status, &w->w);
}

gfp_status gfp_fft_operand_to_poly(gfp_poly *c, const gfp_fft_operand *x, size_t from, size_t n,
                                   const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(
        gfp_operand_same_field(gfp_operand_poly_field(c), gfp_operand_field_of(x), options->error));
    if (from >= x->len || n == 0) {
        gfp_poly_zero(c);
        gfp_operand_report_nothing(options->report, x->space);
        return GFP_OK;
    }
    way w = {.x = x, .value = gfp_operand_values(x)};
    return way_take(&w, c, from, from + gfp_size_min(n, x->len - from), x->len,
                    GFP_OPERAND_RESTORE_SHARE, options);
}

gfp_status gfp_poly_mul_operand(gfp_poly *c, const gfp_poly *a, const gfp_fft_operand *b,
                                size_t from, size_t n, const gfp_options *options)
{
    size_t len = 0;
    uint64_t value[GFP_VERIFY_MAX_POINTS * GFP_MAX_K];
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(
        gfp_operand_same_field(gfp_operand_poly_field(c), gfp_operand_field_of(b), options->error));
    GFP_TRY(
        gfp_operand_same_field(gfp_operand_poly_field(a), gfp_operand_field_of(b), options->error));
    if (a->len > b->space->length ||
        (a->len > 0 && b->len > 0 &&
         gfp_operand_check_product(&len, b->space, a->len, b->len) != GFP_OK)) {
        return gfp_error_set(options->error, GFP_ERR_SIZE,
                             "a product of lengths %zu and %zu by operands of length %zu", a->len,
                             b->len, b->space->length);
    }
    if (from >= len || n == 0) {
        gfp_poly_zero(c);
        gfp_operand_report_nothing(options->report, b->space);
        return GFP_OK;
    }
    way w = {.x = b, .a = a, .value = value};
    return way_take(&w, c, from, from + gfp_size_min(n, len - from), len,
                    GFP_OPERAND_MULTIPLY_BY_SHARE, options);
}

/* ---- sums of products at once ---- */

/* By way of a sum that stays. */
static gfp_status dot_slowly(gfp_poly *c, const gfp_operand_sum *sum, size_t from, size_t n,
                             const gfp_options *options)
{
    gfp_options apart = *options;
    gfp_report one = {.gpu_method = NULL}, all = one;
    gfp_fft_operand *x = NULL;
    apart.report = &one;
    gfp_status status = gfp_fft_operand_create_like(&x, sum->x[0], NULL, &apart);
    for (size_t i = 0; i < sum->count && status == GFP_OK; i++) {
        status = gfp_operand_multiply(x, sum->x[i], sum->y[i], 1, &apart);
        all.gpu_method = one.gpu_method != NULL ? one.gpu_method : all.gpu_method;
        all.gpu_error = one.gpu_method != NULL ? one.gpu_error : all.gpu_error;
        all.multiply_ns += one.multiply_ns;
    }
    if (status == GFP_OK) {
        status = gfp_fft_operand_to_poly(c, x, from, n, &apart);
    }
    if (options->report != NULL && (status == GFP_OK || status == GFP_ERR_VERIFY)) {
        all.multiply_ns += one.multiply_ns;
        one.gpu_method = all.gpu_method;
        one.gpu_error = all.gpu_error;
        one.multiply_ns = all.multiply_ns;
        *options->report = one;
    }
    gfp_fft_operand_destroy(x);
    return status;
}

/* Coefficients from <= i < end of the sum, whose length is len. */
static gfp_status dot_take(gfp_poly *c, const gfp_operand_sum *sum, size_t from, size_t end,
                           size_t len, const gfp_options *options)
{
    const gfp_operand_space *s = sum->x[0]->space;
    uint64_t value[GFP_VERIFY_MAX_POINTS * GFP_MAX_K];
    gfp_vec_zero(s->field, value, s->points);
    for (size_t i = 0; i < sum->count; i++) {
        gfp_operand_multiply_values(value, sum->x[i], sum->y[i], 1);
    }
    way w = {.x = sum->x[0], .sum = sum, .value = value};
    return way_take(&w, c, from, end, len,
                    (double)sum->count * GFP_OPERAND_MULTIPLY_SHARE + GFP_OPERAND_RESTORE_SHARE,
                    options);
}

/* *len := the length of a sum; *zeros: an operand is 0. FIELD_MISMATCH, ARGUMENT, SIZE. */
static gfp_status check_sum(const gfp_operand_sum *sum, size_t *len, bool *zeros)
{
    *len = 0;
    *zeros = false;
    for (size_t i = 0; i < sum->count; i++) {
        const gfp_fft_operand *x = sum->x[i], *y = sum->y[i];
        size_t one = 0;
        GFP_TRY(gfp_operand_check_alike(sum->x[0], x, y));
        if (x->len > 0 && y->len > 0) {
            GFP_TRY(gfp_operand_check_product(&one, x->space, x->len, y->len));
        }
        *len = one > *len ? one : *len;
        *zeros = *zeros || one == 0;
    }
    return GFP_OK;
}

gfp_status gfp_fft_operand_dot(gfp_poly *c, const gfp_fft_operand *const *x,
                               const gfp_fft_operand *const *y, size_t count, size_t from, size_t n,
                               const gfp_options *options)
{
    const gfp_operand_sum sum = {x, y, count};
    size_t len;
    bool zeros;
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    if (count == 0 || x == NULL || y == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "a sum of no products");
    }
    GFP_TRY(gfp_operand_same_field(gfp_operand_poly_field(c), gfp_operand_field_of(x[0]),
                                   options->error));
    const gfp_status status = check_sum(&sum, &len, &zeros);
    if (status != GFP_OK) {
        return gfp_error_set(options->error, status, "operand: %s", gfp_status_string(status));
    }
    if (from >= len || n == 0) {
        gfp_poly_zero(c);
        gfp_operand_report_nothing(options->report, x[0]->space);
        return GFP_OK;
    }
    const gfp_operand_engine *engine = x[0]->space->engine;
    if (zeros || engine->sums_up == NULL || !engine->sums_up(&sum)) {
        return dot_slowly(c, &sum, from, n, options);
    }
    return dot_take(c, &sum, from, from + gfp_size_min(n, len - from), len, options);
}
