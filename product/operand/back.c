/* back.c: from operands to coefficients: one operand, coefficients by an operand, a sum of
 * products.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/operand/impl.h"

#include "product/verify/claim.h"
#include "field/base/support.h"
#include "product/methods/engine.h"

/* ---- conversions ---- */

/* A conversion to coefficients: of x, or (a != NULL) of a x, or (sum != NULL) of a sum of
 * products. */
typedef struct conversion {
    gfp_operand_call w;
    const gfp_operand *x;
    const gfp_ring_factor *a;
    const gfp_operand_sum *sum;
    gfp_ring_part part;
    uint64_t *value; /* of the polynomial at the points */
} conversion;

static gfp_operand_steps conversion_steps(const conversion *w)
{
    return w->sum != NULL ? (gfp_operand_steps){0, (double)w->sum->count, 1}
           : w->a != NULL ? (gfp_operand_steps){1, 1, 1}
                          : (gfp_operand_steps){0, 0, 1};
}

static gfp_status conversion_compute(conversion *w)
{
    return w->sum != NULL ? gfp_operand_sum_up(&w->w, &w->part, w->sum)
           : w->a != NULL ? gfp_operand_multiply_by(&w->w, &w->part, w->a, w->x)
                          : gfp_operand_restore(&w->w, &w->part, w->x);
}

static gfp_status conversion_run(conversion *w)
{
    const gfp_space *s = w->x->space;
    const gfp_operand_steps steps = conversion_steps(w);
    if (!gfp_operand_span(w->w.task, s, &steps)) {
        return GFP_ERR_CANCELLED;
    }
    GFP_TRY(conversion_compute(w));
    if (w->a != NULL) {
        gfp_operand_evaluate(&w->w, w->value, w->a->digits, w->a->len);
        gfp_vec_mul(s->field, w->value, w->value, gfp_operand_values(w->x), s->points);
    }
    if (s->points > 0) {
        GFP_TRY(gfp_operand_compare_values(&w->w, w->value, w->part.z, w->part.end));
    }
    return gfp_task_finish(w->w.task) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* Bytes that an engine takes for each product of a sum. */
#define POINTERS (2 * sizeof(uint64_t *))

/* *d := coefficients from <= i < end of the polynomial, whose length is len; 0 <= from < end <=
 * len. With verification computes all coefficients. */
static gfp_status conversion_take(conversion *w, gfp_operand_digits *d, size_t from, size_t end,
                                  size_t len, double share, const gfp_options *options)
{
    const gfp_space *s = w->x->space;
    const gfp_allocator *allocator =
        d->allocator != NULL ? d->allocator : gfp_field_allocator(s->field);
    const size_t size = gfp_element_bytes(s->field);
    gfp_ring_part *part = &w->part;
    part->end = s->points > 0 ? len : end;
    part->from = s->points > 0 ? 0 : from;
    const size_t made = d->room >= part->end ? 0 : part->end - (d->kept ? end - from : 0);
    const size_t further = w->a != NULL     ? gfp_operand_staging(s)
                           : w->sum != NULL ? gfp_size_mul_sat(w->sum->count, POINTERS)
                                            : 0;
    const size_t apart = gfp_size_add_sat(gfp_size_mul_sat(made, size), further);
    gfp_status status = gfp_operand_call_begin(&w->w, s, options, true, apart, share);
    if (status != GFP_OK) {
        return gfp_operand_call_end(&w->w, status);
    }
    part->z = d->room >= part->end ? d->z : gfp_allocate(allocator, part->end, size);
    status = part->z == NULL ? GFP_ERR_MEMORY : conversion_run(w);
    if (status == GFP_OK) {
        *d = (gfp_operand_digits){part->z, from, end, part->end, allocator, d->kept};
    } else if (part->z != d->z) {
        gfp_release(allocator, part->z, part->end, size);
    }
    return gfp_operand_call_end(&w->w, status);
}

/* *d := no coefficients. */
static gfp_status take_nothing(gfp_operand_digits *d, const gfp_space *s,
                               const gfp_options *options)
{
    *d = (gfp_operand_digits){.z = NULL};
    gfp_operand_report_nothing(options->report, s);
    return GFP_OK;
}

gfp_status gfp_operand_take(gfp_operand_digits *d, size_t from, size_t n, const gfp_operand *x,
                            const gfp_options *options)
{
    if (x == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "no operand");
    }
    if (from >= x->len || n == 0) {
        return take_nothing(d, x->space, options);
    }
    conversion w = {.x = x, .value = gfp_operand_values(x)};
    return conversion_take(&w, d, from, from + gfp_size_min(n, x->len - from), x->len,
                           GFP_OPERAND_RESTORE_SHARE, options);
}

gfp_status gfp_operand_take_product(gfp_operand_digits *d, size_t from, size_t n,
                                    const gfp_ring_factor *a, const gfp_operand *b,
                                    const gfp_options *options)
{
    size_t len = 0;
    uint64_t value[GFP_VERIFY_MAX_POINTS * GFP_MAX_K];
    if (b == NULL || (a->digits == NULL && a->len > 0)) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "no operand, or no coefficients");
    }
    if (a->len > b->space->length ||
        (a->len > 0 && b->len > 0 &&
         gfp_operand_check_product(&len, b->space, a->len, b->len) != GFP_OK)) {
        return gfp_error_set(options->error, GFP_ERR_SIZE,
                             "a product of lengths %zu and %zu by operands of length %zu", a->len,
                             b->len, b->space->length);
    }
    if (from >= len || n == 0) {
        return take_nothing(d, b->space, options);
    }
    conversion w = {.x = b, .a = a, .value = value};
    return conversion_take(&w, d, from, from + gfp_size_min(n, len - from), len,
                           GFP_OPERAND_MULTIPLY_BY_SHARE, options);
}

/* ---- sums of products ---- */

/* Adds the report of a part. The method is that which computed where a GPU failed last. */
static void note_part(gfp_call *call, const gfp_report *part)
{
    if (call->report.method == NULL || part->gpu_method != NULL) {
        call->report.method = part->method;
    }
    gfp_call_note(call, part);
}

/* x := the sum, and begins the span of the way back. */
static gfp_status add_up(gfp_call *call, gfp_operand *x, const gfp_operand_sum *sum,
                         const gfp_options *inside)
{
    const double products = (double)sum->count * GFP_OPERAND_MULTIPLY_SHARE;
    gfp_task_part(&call->task, 1);
    bool going = gfp_task_span(&call->task, products / (products + GFP_OPERAND_RESTORE_SHARE),
                               (double)sum->count, GFP_TASK_GRAIN);
    for (size_t i = 0; i < sum->count && going; i++) {
        GFP_TRY(gfp_operand_multiply(x, sum->x[i], sum->y[i], 1, inside));
        note_part(call, inside->report);
        going = gfp_task_advance(&call->task, 1);
    }
    return going && gfp_task_span(&call->task, 1, 1, GFP_TASK_GRAIN) ? GFP_OK : GFP_ERR_CANCELLED;
}

static gfp_status add_and_take(gfp_call *call, gfp_operand_digits *d, const gfp_operand_sum *sum,
                               size_t from, size_t n)
{
    gfp_space *s = sum->x[0]->space;
    gfp_report one;
    gfp_operand *x = NULL;
    GFP_TRY(gfp_call_take(call, gfp_operand_host_bytes(s)));
    GFP_TRY(gfp_operand_create(&x, s));
    gfp_options inside = gfp_call_inside(call);
    inside.report = &one;
    gfp_status status = add_up(call, x, sum, &inside);
    if (status == GFP_OK) {
        status = gfp_operand_take(d, from, n, x, &inside);
    }
    if (status == GFP_OK || status == GFP_ERR_VERIFY) {
        note_part(call, &one);
        call->report.verified = one.verified;
        call->report.points = one.points;
        call->report.log2_error = one.log2_error;
    }
    gfp_operand_destroy(x);
    return gfp_call_inner(call, status);
}

/* Adds the products up in an operand. */
static gfp_status dot_slowly(gfp_operand_digits *d, const gfp_operand_sum *sum, size_t from,
                             size_t n, const gfp_options *options)
{
    const size_t cap = sum->x[0]->space->cap;
    gfp_call call;
    GFP_TRY(gfp_call_begin(&call, "operand", options));
    if (options->memory_cap == 0) {
        gfp_call_limit(&call, cap);
    }
    return gfp_call_end(&call, add_and_take(&call, d, sum, from, n));
}

/* Coefficients from <= i < end of the sum, whose length is len. */
static gfp_status dot_take(gfp_operand_digits *d, const gfp_operand_sum *sum, size_t from,
                           size_t end, size_t len, const gfp_options *options)
{
    const gfp_space *s = sum->x[0]->space;
    uint64_t value[GFP_VERIFY_MAX_POINTS * GFP_MAX_K];
    gfp_vec_zero(s->field, value, s->points);
    for (size_t i = 0; i < sum->count; i++) {
        gfp_operand_multiply_values(value, sum->x[i], sum->y[i], 1);
    }
    conversion w = {.x = sum->x[0], .sum = sum, .value = value};
    return conversion_take(
        &w, d, from, end, len,
        (double)sum->count * GFP_OPERAND_MULTIPLY_SHARE + GFP_OPERAND_RESTORE_SHARE, options);
}

/* *len := the length of a sum; *zeros: an operand is 0. Errors: FIELD_MISMATCH, ARGUMENT, SIZE. */
static gfp_status check_sum(const gfp_operand_sum *sum, size_t *len, bool *zeros)
{
    *len = 0;
    *zeros = false;
    for (size_t i = 0; i < sum->count; i++) {
        const gfp_operand *x = sum->x[i], *y = sum->y[i];
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

gfp_status gfp_operand_take_sum(gfp_operand_digits *d, size_t from, size_t n,
                                const gfp_operand_sum *sum, const gfp_options *options)
{
    size_t len;
    bool zeros;
    if (sum->count == 0 || sum->x == NULL || sum->y == NULL || sum->x[0] == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                             "count is 0, or an array of operands is NULL");
    }
    const gfp_space *s = sum->x[0]->space;
    const gfp_status status = check_sum(sum, &len, &zeros);
    if (status != GFP_OK) {
        return gfp_error_set(options->error, status, "operand: %s", gfp_status_string(status));
    }
    if (from >= len || n == 0) {
        return take_nothing(d, s, options);
    }
    if (zeros || !gfp_operand_sums_up(sum)) {
        return dot_slowly(d, sum, from, n, options);
    }
    return dot_take(d, sum, from, from + gfp_size_min(n, len - from), len, options);
}

/* ---- to arrays ---- */

static gfp_status check_array(const uint64_t *c, size_t n, gfp_error *error)
{
    return c != NULL || n == 0 ? GFP_OK
                               : gfp_error_set(error, GFP_ERR_ARGUMENT, "the array is NULL");
}

/* c, n elements, := the coefficients and zeros. Releases d. */
static gfp_status hand_out(uint64_t *c, size_t n, const gfp_operand_digits *d,
                           const gfp_field *field)
{
    const size_t count = d->end - d->from, k = gfp_field_k(field);
    if (d->z != NULL) {
        gfp_vec_set(field, c, d->z + d->from * k, count);
        gfp_release(d->allocator, d->z, d->room, gfp_element_bytes(field));
    }
    gfp_vec_zero(field, c + count * k, n - count);
    return GFP_OK;
}

gfp_status gfp_vec_mul_operand(uint64_t *c, size_t from, size_t n, const uint64_t *a, size_t len_a,
                               const gfp_operand *x, const gfp_options *options)
{
    const gfp_ring_factor factor = {a, len_a};
    gfp_options copy;
    gfp_operand_digits d = {.z = NULL};
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_array(c, n, options->error));
    GFP_TRY(gfp_operand_take_product(&d, from, n, &factor, x, options));
    return hand_out(c, n, &d, x->space->field);
}
