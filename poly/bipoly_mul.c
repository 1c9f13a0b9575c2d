/* bipoly_mul.c: products and exact quotients of bivariate polynomials.
 *
 * With N above the degree in X of the product, Y -> X^N (Kronecker's substitution) maps products to
 * products of polynomials in X and nothing overlaps. The same holds with X and Y exchanged. Both
 * products have the same length; the one with the shorter short factor is taken.
 *
 * b divides a if and only if, with N above the degree of a, the image of b divides that of a with a
 * quotient whose coefficients at Y^j have degrees up to deg_X a - deg_X b: then the product of this
 * quotient and b has no overlaps, either.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bipoly.h"

#include "division.h"
#include "gcd.h"
#include "support.h"

/* ---- substitution ---- */

/* Where coefficients stand: that of X^i Y^j at i step_x + j step_y. */
typedef struct packing {
    size_t step_x, step_y;
} packing;

/* The length of a polynomial, at most that of its degrees. */
static size_t packed_length(const packing *p, size_t len_x, size_t len_y)
{
    return len_x == 0 ? 0 : (len_x - 1) * p->step_x + (len_y - 1) * p->step_y + 1;
}

/* z, n elements, := the image of a. */
static void pack(uint64_t *z, size_t n, const gfp_bipoly *a, const packing *p)
{
    const gfp_field *field = a->field;
    const size_t k = gfp_field_k(field);
    gfp_vec_zero(field, z, n);
    for (size_t j = 0; j < a->len; j++) {
        uint64_t *to = z + j * p->step_y * k;
        if (p->step_x == 1) {
            gfp_vec_copy(field, to, a->coeff[j].digits, a->coeff[j].len);
            continue;
        }
        for (size_t i = 0; i < a->coeff[j].len; i++) {
            gfp_elem_copy(field, to + i * p->step_x * k, a->coeff[j].digits + i * k);
        }
    }
}

/* ---- product ---- */

typedef struct product {
    const gfp_bipoly *a, *b;
    size_t x_a, x_b; /* lengths in X */
    size_t rows, len;
    packing by;
} product;

/* The substitution whose shorter factor is the shorter one. */
static packing choose(const product *w)
{
    const packing by_y = {.step_x = 1, .step_y = w->len}, by_x = {.step_x = w->rows, .step_y = 1};
    const size_t y = gfp_size_min(packed_length(&by_y, w->x_a, w->a->len),
                                  packed_length(&by_y, w->x_b, w->b->len));
    const size_t x = gfp_size_min(packed_length(&by_x, w->x_a, w->a->len),
                                  packed_length(&by_x, w->x_b, w->b->len));
    return y <= x ? by_y : by_x;
}

/* z := the image of a b, by products of the coefficients; rows do not overlap. */
static gfp_status multiply_rows(gfp_operation_call *op, uint64_t *z, const product *w)
{
    const gfp_field *field = op->field;
    uint64_t *t;
    GFP_TRY(gfp_operation_array(op, &t, w->len));
    gfp_vec_zero(field, z, w->rows * w->len);
    for (size_t i = 0; i < w->a->len; i++) {
        for (size_t j = 0; j < w->b->len; j++) {
            const gfp_poly *f = &w->a->coeff[i], *g = &w->b->coeff[j];
            uint64_t *to = z + (i + j) * w->len * gfp_field_k(field);
            if (f->len > 0 && g->len > 0) {
                const size_t n = f->len + g->len - 1;
                const gfp_range range =
                    gfp_range_make(field, f->digits, g->digits, f->len, g->len, 0, n);
                GFP_TRY(gfp_operation_product(op, NULL, t, &range));
                gfp_vec_add(field, to, to, t, n);
            }
        }
    }
    return GFP_OK;
}

static gfp_status multiply(gfp_operation_call *op, gfp_bipoly *made, product *w)
{
    const gfp_field *field = op->field;
    const size_t n = w->rows * w->len;
    uint64_t *z, *x, *y;
    w->by = op->classical ? (packing){1, w->len} : choose(w);
    const size_t len_a = packed_length(&w->by, w->x_a, w->a->len);
    const size_t len_b = packed_length(&w->by, w->x_b, w->b->len);
    GFP_TRY(gfp_operation_array(op, &z, n));
    GFP_TRY(gfp_operation_array(op, &x, len_a));
    pack(x, len_a, w->a, &w->by);
    y = x;
    if (w->a != w->b) {
        GFP_TRY(gfp_operation_array(op, &y, len_b));
        pack(y, len_b, w->b, &w->by);
    }
    const gfp_range range = gfp_range_make(field, x, y, len_a, len_b, 0, n);
    GFP_TRY(op->classical ? multiply_rows(op, z, w) : gfp_operation_product(op, NULL, z, &range));
    const gfp_operation_claim claim = {
        .c = z, .a = x, .b = y, .len_c = n, .len_a = len_a, .len_b = len_b, .end = n};
    GFP_TRY(gfp_operation_check_product(op, &claim));
    GFP_TRY(gfp_bipoly_from_array(
        made, &(gfp_bipoly_array){z, w->rows, w->len, w->by.step_y, w->by.step_x}));
    return gfp_operation_finish(op);
}

gfp_status gfp_bipoly_mul(gfp_bipoly *c, const gfp_bipoly *a, const gfp_bipoly *b,
                          const gfp_options *options)
{
    static const char name[] = "a product of bivariate polynomials";
    gfp_operation_call op;
    gfp_options copy;
    gfp_bipoly made;
    size_t n;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(gfp_bipoly_check_operands(c, a, b, options));
    product w = {.a = a, .b = b, .x_a = gfp_bipoly_len_x(a), .x_b = gfp_bipoly_len_x(b)};
    const bool zero = a->len == 0 || b->len == 0;
    if (!zero) {
        w.rows = a->len + b->len - 1;
        w.len = w.x_a + w.x_b - 1;
    }
    if (!gfp_size_mul(&n, w.rows, w.len) || n > SIZE_MAX / 4) {
        return gfp_error_set(options->error, GFP_ERR_SIZE, "%s: the degrees are too high", name);
    }
    GFP_TRY(gfp_operation_begin(&op, name, c->field, options, (double)n, 1));
    gfp_bipoly_init(&made, c->field);
    const gfp_status status =
        gfp_operation_end(&op, zero ? gfp_operation_finish(&op) : multiply(&op, &made, &w));
    if (status == GFP_OK) {
        gfp_bipoly_swap(c, &made);
    }
    gfp_bipoly_clear(&made);
    return status;
}

gfp_status gfp_bipoly_sqr(gfp_bipoly *c, const gfp_bipoly *a, const gfp_options *options)
{
    return gfp_bipoly_mul(c, a, a, options);
}

/* ---- exact quotient ---- */

/* Whether the coefficients of z at Y^j, each of `step` elements, have degrees below len. */
static bool has_degrees(const gfp_field *field, const uint64_t *z, size_t n, size_t step,
                        size_t len)
{
    for (size_t from = len; from < n; from += step) {
        const size_t beyond = gfp_size_min(step - len, n - from);
        if (gfp_series_trim(field, z + from * gfp_field_k(field), beyond) > 0) {
            return false;
        }
    }
    return true;
}

/* q, rows rows, := a / b, if b divides a; made has no room yet. a is not 0, and no degree of b is
 * above that of a. */
static gfp_status divide(gfp_operation_call *op, bool *yes, gfp_bipoly *made, const gfp_bipoly *a,
                         const gfp_bipoly *b)
{
    const gfp_field *field = op->field;
    const size_t step = gfp_bipoly_len_x(a), len = step - gfp_bipoly_len_x(b) + 1;
    const size_t rows = a->len - b->len + 1, k = gfp_field_k(field);
    const packing by = {1, step};
    const size_t len_a = (a->len - 1) * step + a->coeff[a->len - 1].len;
    const size_t len_b = (b->len - 1) * step + b->coeff[b->len - 1].len;
    uint64_t *x, *y, *q, *r;
    *yes = false;
    if (len_a < len_b) {
        return GFP_OK;
    }
    const size_t n = len_a - len_b + 1;
    GFP_TRY(gfp_operation_array(op, &x, len_a));
    GFP_TRY(gfp_operation_array(op, &y, len_b));
    GFP_TRY(gfp_operation_array(op, &q, rows * step > n ? rows * step : n));
    GFP_TRY(gfp_operation_array(op, &r, len_b));
    pack(x, len_a, a, &by);
    pack(y, len_b, b, &by);
    GFP_TRY(gfp_division(op, q, r, (gfp_series){x, len_a}, y, len_b - 1));
    GFP_TRY(gfp_division_check(op, q, r, (gfp_series){x, len_a}, y, len_b - 1));
    if (gfp_series_trim(field, r, len_b - 1) > 0 || n > rows * step ||
        !has_degrees(field, q, n, step, len)) {
        return GFP_OK;
    }
    gfp_vec_zero(field, q + n * k, rows * step - n);
    GFP_TRY(gfp_bipoly_from_array(made, &(gfp_bipoly_array){q, rows, len, step, 1}));
    *yes = true;
    return GFP_OK;
}

gfp_status gfp_bipoly_divide(gfp_operation_call *op, bool *yes, gfp_bipoly *q, const gfp_bipoly *a,
                             const gfp_bipoly *b)
{
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    *yes = a->len == 0;
    if (a->len == 0) {
        gfp_bipoly_zero(q);
        return GFP_OK;
    }
    if (a->len < b->len || gfp_bipoly_len_x(a) < gfp_bipoly_len_x(b)) {
        return GFP_OK;
    }
    gfp_bipoly made;
    gfp_bipoly_init(&made, a->field);
    const gfp_status status = divide(op, yes, &made, a, b);
    if (status == GFP_OK && *yes) {
        gfp_bipoly_swap(q, &made);
    }
    gfp_bipoly_clear(&made);
    gfp_operation_release(op, mark);
    return status;
}

double gfp_bipoly_divide_units(const gfp_bipoly *a, const gfp_bipoly *b)
{
    const size_t step = gfp_bipoly_len_x(a);
    return a->len < b->len
               ? 1
               : gfp_division_units(gfp_size_mul_sat(b->len, step), gfp_size_mul_sat(a->len, step));
}

/* b is not 0. */
static gfp_status divides(gfp_operation_call *op, bool *yes, gfp_bipoly *made, const gfp_bipoly *a,
                          const gfp_bipoly *b)
{
    GFP_TRY(gfp_bipoly_divide(op, yes, made, a, b));
    return gfp_operation_finish(op);
}

gfp_status gfp_bipoly_divides(bool *yes, gfp_bipoly *q, const gfp_bipoly *a, const gfp_bipoly *b,
                              const gfp_options *options)
{
    static const char name[] = "divisibility of bivariate polynomials";
    gfp_operation_call op;
    gfp_options copy;
    gfp_bipoly made;
    bool exact = false;
    size_t n;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(gfp_bipoly_check_operands(q != NULL ? q : a, a, b, options));
    if (yes == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "%s: yes is NULL", name);
    }
    if (!gfp_size_mul(&n, a->len, gfp_bipoly_len_x(a)) || n > SIZE_MAX / 4) {
        return gfp_error_set(options->error, GFP_ERR_SIZE, "%s: the degrees are too high", name);
    }
    GFP_TRY(gfp_operation_begin(&op, name, a->field, options, gfp_bipoly_divide_units(a, b), 1));
    gfp_bipoly_init(&made, a->field);
    gfp_status status;
    if (b->len == 0) {
        exact = a->len == 0;
        status = gfp_operation_finish(&op);
    } else {
        status = divides(&op, &exact, &made, a, b);
    }
    status = gfp_operation_end(&op, status);
    if (status == GFP_OK) {
        *yes = exact;
        if (exact && q != NULL) {
            gfp_bipoly_swap(q, &made);
        }
    }
    gfp_bipoly_clear(&made);
    return status;
}
