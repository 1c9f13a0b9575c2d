/* polymat_calls.c: the public calls on matrices of polynomials: arguments, the operation around the
 * computation, outputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly_impl.h"
#include "polymat.h"
#include "support.h"

/* ---- arguments ---- */

static const char product_name[] = "product of matrices", det_name[] = "determinant";

/* *n := x y, which is a number of entries of `len` coefficients. Errors: SIZE. */
static gfp_status count_entries(size_t *n, const gfp_field *field, size_t x, size_t y, size_t len,
                                const gfp_options *options)
{
    *n = gfp_size_mul_sat(x, y);
    return gfp_size_mul_sat(*n, gfp_size_add_sat(len, 1)) < SIZE_MAX / 4 / gfp_element_bytes(field)
               ? GFP_OK
               : gfp_error_set(options->error, GFP_ERR_SIZE,
                               "no room for a matrix of %zu by %zu polynomials", x, y);
}

static gfp_status missing(const char *name, const gfp_options *options)
{
    return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "%s: no field, or an array is NULL",
                         name);
}

/* Whether n entries are there, over the field; *len := the most coefficients of one. */
static gfp_status check_entries(size_t *len, const char *name, const gfp_poly *a, size_t n,
                                const gfp_field *field, const gfp_options *options)
{
    *len = 0;
    if (a == NULL && n > 0) {
        return missing(name, options);
    }
    for (size_t i = 0; i < n; i++) {
        gfp_poly over;
        gfp_poly_init(&over, field);
        GFP_TRY(gfp_poly_check_operands(&over, &a[i], &a[i], options));
        *len = a[i].len > *len ? a[i].len : *len;
    }
    return GFP_OK;
}

static size_t product_length(size_t len_a, size_t len_b)
{
    return len_a == 0 || len_b == 0 ? 0 : gfp_size_add_sat(len_a, len_b) - 1;
}

/* ---- products ---- */

/* Where the product goes: polynomials, or digits. */
typedef struct output {
    gfp_poly *poly;
    uint64_t *digits;
} output;

/* Entries of len coefficients each; polynomials have room for them. */
static void hand_out(const gfp_field *field, const output *to, const uint64_t *z, size_t count,
                     size_t len)
{
    const size_t k = gfp_field_k(field);
    if (to->poly == NULL) {
        gfp_vec_copy(field, to->digits, z, count * len);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        gfp_vec_copy(field, to->poly[i].digits, z + i * len * k, len);
        gfp_poly_normalise(&to->poly[i], len);
    }
}

static gfp_status make_room(gfp_poly *c, size_t count, size_t len, const gfp_options *options)
{
    for (size_t i = 0; i < count; i++) {
        const gfp_status status = gfp_poly_fit_length(&c[i], len);
        if (status != GFP_OK) {
            return gfp_error_set(options->error, status,
                                 "no room for a polynomial of %zu coefficients", len);
        }
    }
    return GFP_OK;
}

static gfp_status multiply(gfp_operation_call *op, const output *to, const gfp_polymat_product *w)
{
    const size_t count = w->rows * w->columns;
    uint64_t *z;
    GFP_TRY(gfp_operation_array(op, &z, count * w->len));
    GFP_TRY(gfp_polymat_multiply(op, z, w));
    GFP_TRY(gfp_polymat_check(op, z, w));
    GFP_TRY(gfp_operation_finish(op));
    hand_out(op->field, to, z, count, w->len);
    return GFP_OK;
}

static gfp_status run_product(const gfp_field *field, const output *to,
                              const gfp_polymat_product *w, const gfp_options *options)
{
    gfp_operation_call op;
    if (w->rows * w->columns * w->len == 0) {
        hand_out(field, to, NULL, to->poly != NULL ? w->rows * w->columns : 0, 0);
        return GFP_OK;
    }
    GFP_TRY(gfp_operation_begin(&op, product_name, field, options, gfp_polymat_units(w), 1));
    return gfp_operation_end(&op, multiply(&op, to, w));
}

/* The sizes of all three matrices. */
static gfp_status count_all(size_t n[3], const gfp_field *field, const gfp_polymat_product *w,
                            const gfp_options *options)
{
    GFP_TRY(count_entries(&n[0], field, w->rows, w->inner, w->a.len, options));
    GFP_TRY(count_entries(&n[1], field, w->inner, w->columns, w->b.len, options));
    return count_entries(&n[2], field, w->rows, w->columns, w->len, options);
}

gfp_status gfp_vec_polymat_mul(const gfp_field *field, uint64_t *c, const uint64_t *a,
                               const uint64_t *b, const gfp_polymat_shape *shape,
                               const gfp_options *options)
{
    gfp_options copy;
    size_t n[3];
    GFP_TRY(gfp_options_read(&options, &copy));
    if (field == NULL || shape == NULL) {
        return missing(product_name, options);
    }
    const gfp_polymat_product w = {.a = {NULL, a, shape->len_a},
                                   .b = {NULL, b, shape->len_b},
                                   .rows = shape->rows,
                                   .inner = shape->inner,
                                   .columns = shape->columns,
                                   .len = product_length(shape->len_a, shape->len_b)};
    GFP_TRY(count_all(n, field, &w, options));
    if ((a == NULL && n[0] * shape->len_a > 0) || (b == NULL && n[1] * shape->len_b > 0) ||
        (c == NULL && n[2] * w.len > 0)) {
        return missing(product_name, options);
    }
    return run_product(field, &(output){.digits = c}, &w, options);
}

gfp_status gfp_polymat_mul(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                           const gfp_polymat_shape *shape, const gfp_options *options)
{
    gfp_options copy;
    size_t n[3], len;
    GFP_TRY(gfp_options_read(&options, &copy));
    if (shape != NULL && (shape->rows == 0 || shape->columns == 0)) {
        return GFP_OK;
    }
    if (shape == NULL || c == NULL || c->field == NULL) {
        return missing(product_name, options);
    }
    const gfp_field *field = c->field;
    gfp_polymat_product w = {.a = {.poly = a},
                             .b = {.poly = b},
                             .rows = shape->rows,
                             .inner = shape->inner,
                             .columns = shape->columns};
    GFP_TRY(count_all(n, field, &w, options));
    GFP_TRY(check_entries(&w.a.len, product_name, a, n[0], field, options));
    GFP_TRY(check_entries(&w.b.len, product_name, b, n[1], field, options));
    GFP_TRY(check_entries(&len, product_name, c, n[2], field, options));
    w.len = product_length(w.a.len, w.b.len);
    GFP_TRY(count_all(n, field, &w, options));
    GFP_TRY(make_room(c, n[2], w.len, options));
    return run_product(field, &(output){.poly = c}, &w, options);
}

/* ---- determinants ---- */

static gfp_status determine(gfp_operation_call *op, const output *to, size_t points,
                            const gfp_entries *a, size_t n)
{
    uint64_t *z;
    GFP_TRY(gfp_operation_array(op, &z, points));
    GFP_TRY(gfp_polymat_determinant(op, z, points, a, n));
    GFP_TRY(gfp_operation_finish(op));
    hand_out(op->field, to, z, 1, points);
    return GFP_OK;
}

/* a has n > 0 rows, entries of a->len > 0 coefficients. */
static gfp_status run_determinant(const gfp_field *field, const output *to, const gfp_entries *a,
                                  size_t n, const gfp_options *options)
{
    const size_t points = n * (a->len - 1) + 1;
    gfp_operation_call op;
    GFP_TRY(gfp_operation_begin(&op, det_name, field, options,
                                gfp_polymat_determinant_units(points, a->len, n), 1));
    return gfp_operation_end(&op, determine(&op, to, points, a, n));
}

gfp_status gfp_vec_polymat_det(const gfp_field *field, uint64_t *d, const uint64_t *a, size_t n,
                               size_t len, const gfp_options *options)
{
    gfp_options copy;
    size_t entries;
    GFP_TRY(gfp_options_read(&options, &copy));
    if (field == NULL || d == NULL || (a == NULL && n > 0)) {
        return missing(det_name, options);
    }
    if (len == 0) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                             "determinant: entries without coefficients");
    }
    GFP_TRY(count_entries(&entries, field, n, n, len, options));
    if (n == 0) {
        gfp_elem_one(field, d);
        return GFP_OK;
    }
    return run_determinant(field, &(output){.digits = d}, &(gfp_entries){NULL, a, len}, n, options);
}

gfp_status gfp_polymat_det(gfp_poly *d, const gfp_poly *a, size_t n, const gfp_options *options)
{
    gfp_options copy;
    gfp_entries w = {.poly = a};
    size_t entries;
    GFP_TRY(gfp_options_read(&options, &copy));
    if (d == NULL || d->field == NULL) {
        return missing(det_name, options);
    }
    GFP_TRY(count_entries(&entries, d->field, n, n, 0, options));
    GFP_TRY(check_entries(&w.len, det_name, a, entries, d->field, options));
    GFP_TRY(count_entries(&entries, d->field, n, n, w.len, options));
    if (n == 0) {
        return gfp_poly_one(d);
    }
    if (w.len == 0) {
        gfp_poly_zero(d);
        return GFP_OK;
    }
    GFP_TRY(make_room(d, 1, n * (w.len - 1) + 1, options));
    return run_determinant(d->field, &(output){.poly = d}, &w, n, options);
}
