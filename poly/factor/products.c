/* products.c: products of factors, their order, and the check that they multiply back.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>

#include "poly/factor/frame.h"
#include "field/base/support.h"
#include "product/verify/claim.h"

/* ---- storage ---- */

void gfp_factors_init(gfp_factors *F, const gfp_field *field)
{
    *F = (gfp_factors){.field = field};
    gfp_elem_one(field, F->leading);
}

static void free_factors(gfp_factors *F)
{
    for (size_t i = 0; i < F->count; i++) {
        gfp_poly_clear(&F->factor[i].poly);
    }
    gfp_release(gfp_field_allocator(F->field), F->factor, F->capacity, sizeof *F->factor);
}

void gfp_factors_clear(gfp_factors *F)
{
    free_factors(F);
    gfp_factors_init(F, F->field);
}

static gfp_status products_grow(gfp_factors *F)
{
    const gfp_allocator *allocator = gfp_field_allocator(F->field);
    const size_t capacity = F->capacity == 0 ? 4 : gfp_size_mul_sat(2, F->capacity);
    gfp_factor_power *grown = gfp_allocate(allocator, capacity, sizeof *grown);
    if (grown == NULL) {
        return GFP_ERR_MEMORY;
    }
    for (size_t i = 0; i < F->count; i++) {
        grown[i] = F->factor[i];
    }
    gfp_release(allocator, F->factor, F->capacity, sizeof *F->factor);
    F->factor = grown;
    F->capacity = capacity;
    return GFP_OK;
}

gfp_status gfp_factors_add(gfp_factors *F, const gfp_poly *g, size_t exponent)
{
    if (F->count == F->capacity) {
        GFP_TRY(products_grow(F));
    }
    gfp_factor_power *place = &F->factor[F->count];
    place->exponent = exponent;
    gfp_poly_init(&place->poly, F->field);
    GFP_TRY(gfp_poly_set(&place->poly, g));
    F->count++;
    return GFP_OK;
}

/* ---- order ---- */

int gfp_factors_compare_elements(const gfp_field *field, const uint64_t *x, const uint64_t *y)
{
    for (size_t i = gfp_field_k(field); i-- > 0;) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

static int products_compare(const void *left, const void *right)
{
    const gfp_poly *a = &((const gfp_factor_power *)left)->poly,
                   *b = &((const gfp_factor_power *)right)->poly;
    const size_t k = gfp_field_k(a->field);
    int order = a->len < b->len ? -1 : a->len > b->len;
    for (size_t i = a->len; i-- > 0 && order == 0;) {
        order = gfp_factors_compare_elements(a->field, a->digits + i * k, b->digits + i * k);
    }
    return order;
}

static int compare_exponents(const void *left, const void *right)
{
    const gfp_factor_power *a = left, *b = right;
    return a->exponent < b->exponent ? -1 : a->exponent > b->exponent;
}

void gfp_factors_sort(gfp_factors *F)
{
    if (F->count > 1) {
        qsort(F->factor, F->count, sizeof *F->factor, products_compare);
    }
}

void gfp_factors_sort_by_exponent(gfp_factors *F)
{
    if (F->count > 1) {
        qsort(F->factor, F->count, sizeof *F->factor, compare_exponents);
    }
}

/* ---- check ---- */

static gfp_status products_value(gfp_operation_call *op, uint64_t *y, const gfp_poly *x, uint64_t d)
{
    return gfp_verify_evaluate(op->field, y, x->digits, x->len, d, &op->base.task)
               ? GFP_OK
               : GFP_ERR_CANCELLED;
}

/* x := x times the value at d of the product of F without its leading coefficient. */
static gfp_status multiply_value(gfp_operation_call *op, uint64_t *x, const gfp_factors *F,
                                 uint64_t d)
{
    uint64_t y[GFP_MAX_K];
    for (size_t i = 0; i < F->count; i++) {
        const uint64_t exponent = F->factor[i].exponent;
        GFP_TRY(products_value(op, y, &F->factor[i].poly, d));
        gfp_elem_pow(op->field, y, y, &exponent, 1);
        gfp_elem_mul(op->field, x, x, y);
    }
    return GFP_OK;
}

/* Compares the values at d. */
static gfp_status check_at(gfp_factoring *w, const gfp_poly *f, const gfp_factors *rest, uint64_t d)
{
    const gfp_field *field = w->op.field;
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K];
    gfp_elem_set(field, x, w->found.leading);
    GFP_TRY(multiply_value(&w->op, x, &w->found, d));
    if (rest != NULL) {
        GFP_TRY(multiply_value(&w->op, x, rest, d));
    }
    GFP_TRY(products_value(&w->op, y, f, d));
    return gfp_elem_equal(field, x, y) ? GFP_OK : gfp_operation_wrong(&w->op, GFP_NO_INDEX);
}

static gfp_status products_multiply(gfp_factoring *w, gfp_poly *c, const gfp_poly *a)
{
    GFP_INSIDE(w, (double)(c->len + a->len), gfp_poly_mul(c, c, a, &w->inside));
    return GFP_OK;
}

/* c := the product of these factors with their exponents. */
static gfp_status product_of_factors(gfp_factoring *w, gfp_poly *c, const gfp_factor_power *g,
                                     size_t count)
{
    if (count == 0) {
        return gfp_poly_one(c);
    }
    if (count > 1) {
        gfp_factoring_item *mark = w->top;
        gfp_poly *right;
        GFP_TRY(gfp_factoring_poly(w, &right, 0));
        GFP_TRY(product_of_factors(w, c, g, count / 2));
        GFP_TRY(product_of_factors(w, right, g + count / 2, count - count / 2));
        GFP_TRY(products_multiply(w, c, right));
        gfp_factoring_release(w, mark);
        return GFP_OK;
    }
    size_t bit = 1;
    while (bit <= g->exponent / 2) {
        bit *= 2;
    }
    GFP_TRY(gfp_poly_set(c, &g->poly));
    for (bit /= 2; bit > 0; bit /= 2) {
        GFP_TRY(products_multiply(w, c, c));
        if (g->exponent & bit) {
            GFP_TRY(products_multiply(w, c, &g->poly));
        }
    }
    return GFP_OK;
}

static gfp_status check_whole(gfp_factoring *w, const gfp_poly *f, const gfp_factors *rest)
{
    gfp_factoring_item *mark = w->top;
    gfp_poly *c, *of_rest;
    GFP_TRY(gfp_factoring_poly(w, &c, f->len));
    GFP_TRY(product_of_factors(w, c, w->found.factor, w->found.count));
    if (rest != NULL) {
        GFP_TRY(gfp_factoring_poly(w, &of_rest, 0));
        GFP_TRY(product_of_factors(w, of_rest, rest->factor, rest->count));
        GFP_TRY(products_multiply(w, c, of_rest));
    }
    GFP_TRY(gfp_poly_scalar_mul(c, c, w->found.leading));
    const size_t k = gfp_field_k(w->op.field);
    size_t i = 0;
    while (i < c->len && i < f->len &&
           gfp_elem_equal(w->op.field, c->digits + i * k, f->digits + i * k)) {
        i++;
    }
    const bool equal = i == c->len && i == f->len;
    gfp_factoring_release(w, mark);
    return equal ? GFP_OK : gfp_operation_wrong(&w->op, i);
}

gfp_status gfp_factoring_check(gfp_factoring *w, const gfp_poly *f, const gfp_factors *rest)
{
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    unsigned points;
    if (w->op.base.options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    GFP_TRY(gfp_operation_check_begin(&w->op, f->len, &points, d, 3 * (double)f->len,
                                      (double)gfp_field_k(w->op.field)));
    const uint64_t start = gfp_clock_ns(), before = w->op.base.report.verify_ns;
    gfp_status status = points == 0 ? check_whole(w, f, rest) : GFP_OK;
    for (unsigned i = 0; i < points && status == GFP_OK; i++) {
        status = check_at(w, f, rest, d[i]);
    }
    w->op.base.report.verify_ns = before + gfp_clock_ns() - start;
    return status;
}

gfp_status gfp_factoring_check_irreducible(gfp_factoring *w)
{
    const bool full = w->op.base.options->verify == GFP_VERIFY_CROSS;
    for (size_t i = 0; i < w->found.count && full; i++) {
        bool yes = false;
        GFP_TRY(gfp_factoring_irreducible(w, &yes, &w->found.factor[i].poly));
        if (!yes) {
            gfp_error_fill(&w->op.base.error, GFP_ERR_VERIFY,
                           "%s: a factor of degree %zu is not irreducible", w->op.base.name,
                           w->found.factor[i].poly.len - 1);
            return GFP_ERR_VERIFY;
        }
    }
    return GFP_OK;
}
