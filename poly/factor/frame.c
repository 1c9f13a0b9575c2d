/* frame.c: the frame of factorisations: calls inside, their reports, memory.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/factor/frame.h"

#include <math.h>
#include <string.h>

#include "gfpoly/division.h"
#include "gfpoly/gcd.h"
#include "field/base/support.h"
#include "poly/call.h"
#include "product/verify/claim.h"
#include "poly/compose/impl.h"
#include "poly/modulus/impl.h"

/* ---- begin and end ---- */

double gfp_factoring_units(size_t n, double products)
{
    return 2 * (double)n * products;
}

gfp_status gfp_factoring_check_input(gfp_factoring *w, const gfp_poly *f)
{
    if (f == NULL || f->field == NULL) {
        return gfp_poly_call_refuse(&w->op, GFP_ERR_ARGUMENT, "no polynomial");
    }
    return f->len > 0 ? GFP_OK
                      : gfp_poly_call_refuse(&w->op, GFP_ERR_ARGUMENT, "the polynomial is 0");
}

gfp_status gfp_factoring_begin(gfp_factoring *w, const char *name, const gfp_options *options)
{
    GFP_TRY(gfp_operation_begin(&w->op, name, options));
    w->step = w->op.base.report;
    w->largest = w->crossed = 0;
    w->top = NULL;
    w->found = (gfp_factors){.field = NULL};
    return GFP_OK;
}

gfp_status gfp_factoring_start(gfp_factoring *w, const gfp_field *field, double units)
{
    const gfp_options *options = w->op.base.options;
    uint64_t seed = options->verify_seed;
    GFP_TRY(gfp_operation_start(&w->op, field, units, 1));
    w->inside = w->op.inner;
    w->inside.verify = options->verify;
    w->inside.report = options->report != NULL ? &w->step : NULL;
    w->cap = options->memory_cap;
    gfp_factors_init(&w->found, field);
    if (seed == 0) {
        GFP_TRY(gfp_system_seed(&seed, &w->op.base.error));
    }
    gfp_random_seed(&w->random, seed);
    return GFP_OK;
}

gfp_status gfp_factoring_end(gfp_factoring *w, gfp_status status)
{
    gfp_factoring_release(w, NULL);
    if (w->found.field != NULL) {
        gfp_factors_clear(&w->found);
    }
    return gfp_operation_end(&w->op, status);
}

/* ---- memory ---- */

static size_t poly_bytes(const gfp_poly *a)
{
    return sizeof *a + a->capacity * 8 * gfp_field_k(a->field);
}

static size_t item_bytes(const gfp_factoring_item *item)
{
    size_t bytes = sizeof *item + poly_bytes(&item->poly);
    for (size_t i = 0; i < item->listed; i++) {
        bytes += poly_bytes(&item->list[i]);
    }
    bytes += item->M != NULL ? gfp_modulus_bytes(item->M) : 0;
    return bytes + (item->A != NULL ? gfp_compose_argument_bytes(item->A) : 0);
}

/* The rest of the cap when the items have their memory. */
static gfp_status count_memory(gfp_factoring *w, size_t more)
{
    size_t bytes = more;
    if (w->cap == 0) {
        return GFP_OK;
    }
    for (const gfp_factoring_item *item = w->top; item != NULL; item = item->below) {
        bytes = gfp_size_add_sat(bytes, item_bytes(item));
    }
    w->op.base.refused = bytes < w->cap ? 0 : gfp_size_add_sat(bytes, 1);
    if (w->op.base.refused != 0) {
        return GFP_ERR_MEMORY;
    }
    w->op.base.left = w->inside.memory_cap = w->cap - bytes;
    return GFP_OK;
}

gfp_status gfp_factoring_item_of(gfp_factoring *w, gfp_factoring_item **item, size_t n)
{
    const gfp_field *field = w->op.field;
    const size_t digits = gfp_size_mul_sat(n, 8 * (size_t)gfp_field_k(field));
    GFP_TRY(count_memory(w, gfp_size_add_sat(digits, sizeof **item)));
    gfp_factoring_item *made = gfp_allocate(gfp_field_allocator(field), 1, sizeof *made);
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    *made = (gfp_factoring_item){.below = w->top};
    gfp_poly_init(&made->poly, field);
    w->top = made;
    GFP_TRY(gfp_poly_fit_length(&made->poly, n));
    *item = made;
    return GFP_OK;
}

gfp_status gfp_factoring_poly(gfp_factoring *w, gfp_poly **a, size_t n)
{
    gfp_factoring_item *item;
    GFP_TRY(gfp_factoring_item_of(w, &item, n));
    *a = &item->poly;
    return GFP_OK;
}

gfp_status gfp_factoring_list(gfp_factoring *w, gfp_poly **list, size_t count, size_t n)
{
    const gfp_field *field = w->op.field;
    const size_t each = gfp_size_mul_sat(n, 8 * (size_t)gfp_field_k(field));
    gfp_factoring_item *item;
    GFP_TRY(gfp_factoring_item_of(w, &item, 0));
    GFP_TRY(count_memory(w, gfp_size_mul_sat(count, gfp_size_add_sat(each, sizeof *item->list))));
    item->list = gfp_allocate(gfp_field_allocator(field), count, sizeof *item->list);
    if (item->list == NULL) {
        return GFP_ERR_MEMORY;
    }
    for (; item->listed < count; item->listed++) {
        gfp_poly_init(&item->list[item->listed], field);
    }
    for (size_t i = 0; i < count; i++) {
        GFP_TRY(gfp_poly_fit_length(&item->list[i], n));
    }
    *list = item->list;
    return GFP_OK;
}

void gfp_factoring_release(gfp_factoring *w, gfp_factoring_item *mark)
{
    while (w->top != mark) {
        gfp_factoring_item *item = w->top;
        w->top = item->below;
        gfp_compose_argument_destroy(item->A);
        gfp_modulus_destroy(item->M);
        gfp_poly_clear(&item->poly);
        for (size_t i = 0; i < item->listed; i++) {
            gfp_poly_clear(&item->list[i]);
        }
        gfp_release(gfp_field_allocator(w->op.field), item->list, item->listed, sizeof *item->list);
        gfp_release(gfp_field_allocator(w->op.field), item, 1, sizeof *item);
    }
}

/* ---- calls inside ---- */

gfp_status gfp_factoring_enter(gfp_factoring *w, double units)
{
    GFP_TRY(count_memory(w, 0));
    w->inside.verify_seed = gfp_random_u64(&w->random) | 1;
    return w->inside.progress == NULL ? GFP_OK : gfp_operation_step(&w->op, units, 1, 1);
}

gfp_status gfp_factoring_note(gfp_factoring *w, double units, gfp_status status)
{
    gfp_operation_call *op = &w->op;
    const gfp_report *step = &w->step;
    gfp_report *report = &op->base.report;
    (void)gfp_call_inner(&op->base, status);
    if ((status != GFP_OK && status != GFP_ERR_VERIFY) || w->inside.report == NULL) {
        return status;
    }
    gfp_call_note(&op->base, step);
    report->verified = step->verified > report->verified ? step->verified : report->verified;
    report->verify_ns += step->verify_ns;
    if (step->points > 0) {
        gfp_operation_count_points(op, step->points, step->log2_error);
    }
    if (units > w->crossed && step->cross_method != NULL) {
        w->crossed = units;
        report->cross_method = step->cross_method;
    }
    if (units > w->largest && step->method != NULL) {
        w->largest = units;
        op->method = gfp_method_find(step->method);
    }
    return status;
}

gfp_status gfp_factoring_modulus(gfp_factoring *w, gfp_factoring_item *item, const gfp_poly *f)
{
    gfp_modulus_destroy(item->M);
    item->M = NULL;
    GFP_INSIDE(w, gfp_factoring_units(f->len, 2), gfp_modulus_create(&item->M, f, &w->inside));
    return GFP_OK;
}

gfp_status gfp_factoring_argument(gfp_factoring *w, gfp_factoring_item *item, const gfp_poly *g,
                                  const gfp_modulus *M, size_t uses)
{
    const size_t n = gfp_modulus_poly(M)->len;
    gfp_compose_argument_destroy(item->A);
    item->A = NULL;
    GFP_INSIDE(w, gfp_factoring_units(n, sqrt((double)n * (double)uses)),
               gfp_compose_argument_create(&item->A, g, M, uses, &w->inside));
    return GFP_OK;
}

/* About 30 products. */
gfp_status gfp_factoring_gcd(gfp_factoring *w, gfp_poly *g, const gfp_poly *a, const gfp_poly *b)
{
    GFP_INSIDE(w, gfp_factoring_units(gfp_size_min(a->len, b->len), 30),
               gfp_poly_gcd(g, a, b, &w->inside));
    return GFP_OK;
}

gfp_status gfp_factoring_divide(gfp_factoring *w, gfp_poly *f, const gfp_poly *g)
{
    GFP_INSIDE(w, gfp_factoring_units(f->len, 2), gfp_poly_divexact(f, f, g, &w->inside));
    return GFP_OK;
}

gfp_status gfp_factoring_rem(gfp_factoring *w, gfp_poly *r, const gfp_poly *a, const gfp_poly *f)
{
    if (a->len < f->len) {
        return gfp_poly_set(r, a);
    }
    GFP_INSIDE(w, gfp_factoring_units(a->len, 2), gfp_poly_rem(r, a, f, &w->inside));
    return GFP_OK;
}

gfp_status gfp_factoring_minus_x(gfp_poly *b, const gfp_poly *a)
{
    uint64_t one[GFP_MAX_K], x[GFP_MAX_K];
    gfp_elem_one(a->field, one);
    gfp_poly_get_coeff(x, a, 1);
    gfp_elem_sub(a->field, x, x, one);
    GFP_TRY(gfp_poly_set(b, a));
    return gfp_poly_set_coeff(b, 1, x);
}
