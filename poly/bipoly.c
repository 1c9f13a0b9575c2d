/* bipoly.c: the type of bivariate polynomials: storage, normal form, equality, access.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bipoly.h"

#include "support.h"

/* ---- storage ---- */

void gfp_bipoly_init(gfp_bipoly *a, const gfp_field *field)
{
    *a = (gfp_bipoly){.field = field};
}

void gfp_bipoly_clear(gfp_bipoly *a)
{
    for (size_t j = 0; j < a->capacity; j++) {
        gfp_poly_clear(&a->coeff[j]);
    }
    gfp_release(gfp_field_allocator(a->field), a->coeff, a->capacity, sizeof *a->coeff);
    gfp_bipoly_init(a, a->field);
}

gfp_status gfp_bipoly_fit_length(gfp_bipoly *a, size_t capacity)
{
    const gfp_allocator *allocator = gfp_field_allocator(a->field);
    size_t bytes;
    if (capacity <= a->capacity) {
        return GFP_OK;
    }
    if (!gfp_size_mul(&bytes, capacity, sizeof *a->coeff)) {
        return GFP_ERR_SIZE;
    }
    gfp_poly *coeff = gfp_allocate(allocator, capacity, sizeof *coeff);
    if (coeff == NULL) {
        return GFP_ERR_MEMORY;
    }
    for (size_t j = 0; j < capacity; j++) {
        if (j < a->capacity) {
            coeff[j] = a->coeff[j];
        } else {
            gfp_poly_init(&coeff[j], a->field);
        }
    }
    gfp_release(allocator, a->coeff, a->capacity, sizeof *coeff);
    a->coeff = coeff;
    a->capacity = capacity;
    return GFP_OK;
}

void gfp_bipoly_normalise(gfp_bipoly *a, size_t n)
{
    while (n > 0 && a->coeff[n - 1].len == 0) {
        n--;
    }
    a->len = n;
}

gfp_status gfp_bipoly_set_length(gfp_bipoly *a, size_t n)
{
    if (n > a->capacity) {
        return GFP_ERR_ARGUMENT;
    }
    gfp_bipoly_normalise(a, n);
    return GFP_OK;
}

void gfp_bipoly_swap(gfp_bipoly *a, gfp_bipoly *b)
{
    const gfp_bipoly t = *a;
    *a = *b;
    *b = t;
}

/* Gives made to a, frees a's storage. */
static void replace(gfp_bipoly *a, gfp_bipoly *made)
{
    gfp_bipoly_swap(a, made);
    gfp_bipoly_clear(made);
}

gfp_status gfp_bipoly_copy(gfp_bipoly *b, const gfp_bipoly *a)
{
    gfp_bipoly made;
    if (!gfp_field_same(a->field, b->field)) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    if (a == b) {
        return GFP_OK;
    }
    gfp_bipoly_init(&made, b->field);
    gfp_status status = gfp_bipoly_fit_length(&made, a->len);
    for (size_t j = 0; j < a->len && status == GFP_OK; j++) {
        status = gfp_poly_copy(&made.coeff[j], &a->coeff[j]);
    }
    if (status != GFP_OK) {
        gfp_bipoly_clear(&made);
        return status;
    }
    made.len = a->len;
    replace(b, &made);
    return GFP_OK;
}

void gfp_bipoly_zero(gfp_bipoly *a)
{
    a->len = 0;
}

gfp_status gfp_bipoly_one(gfp_bipoly *a)
{
    GFP_TRY(gfp_bipoly_fit_length(a, 1));
    GFP_TRY(gfp_poly_fit_length(&a->coeff[0], 1));
    GFP_TRY(gfp_poly_one(&a->coeff[0]));
    a->len = 1;
    return GFP_OK;
}

/* ---- questions ---- */

bool gfp_bipoly_is_zero(const gfp_bipoly *a)
{
    return a->len == 0;
}

bool gfp_bipoly_is_one(const gfp_bipoly *a)
{
    return a->len == 1 && gfp_poly_is_one(&a->coeff[0]);
}

bool gfp_bipoly_equal(const gfp_bipoly *a, const gfp_bipoly *b)
{
    bool equal = gfp_field_same(a->field, b->field) && a->len == b->len;
    for (size_t j = 0; equal && j < a->len; j++) {
        equal = gfp_poly_equal(&a->coeff[j], &b->coeff[j]);
    }
    return equal;
}

size_t gfp_bipoly_len_x(const gfp_bipoly *a)
{
    size_t longest = 0;
    for (size_t j = 0; j < a->len; j++) {
        longest = a->coeff[j].len > longest ? a->coeff[j].len : longest;
    }
    return longest;
}

ptrdiff_t gfp_bipoly_degree_x(const gfp_bipoly *a)
{
    return (ptrdiff_t)gfp_bipoly_len_x(a) - 1;
}

ptrdiff_t gfp_bipoly_degree_y(const gfp_bipoly *a)
{
    return (ptrdiff_t)a->len - 1;
}

size_t gfp_bipoly_bytes(const gfp_field *field, size_t rows, size_t len)
{
    const size_t row = gfp_size_mul_sat(len, gfp_element_bytes(field));
    return gfp_size_mul_sat(rows, gfp_size_add_sat(row, sizeof(gfp_poly)));
}

gfp_status gfp_bipoly_reserve(gfp_operation_call *op, size_t bytes)
{
    GFP_TRY(gfp_operation_may_take(op, bytes));
    if (op->left != SIZE_MAX) {
        op->left -= bytes;
    }
    return GFP_OK;
}

void gfp_bipoly_unreserve(gfp_operation_call *op, size_t bytes)
{
    if (op->left != SIZE_MAX) {
        op->left += bytes;
    }
}

gfp_status gfp_bipoly_cap(const gfp_operation_call *op, gfp_options *options)
{
    options->memory_cap = op->left == SIZE_MAX ? 0 : op->left;
    return op->left == 0 ? GFP_ERR_MEMORY : GFP_OK; /* 0 would be no cap */
}

gfp_status gfp_bipoly_check_operands(const gfp_bipoly *c, const gfp_bipoly *a, const gfp_bipoly *b,
                                     const gfp_options *options)
{
    if (a == NULL || b == NULL || c == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "a bivariate polynomial is NULL");
    }
    if (a->field == NULL || b->field == NULL || c->field == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                             "a bivariate polynomial was not initialised: it has no field");
    }
    if (!gfp_field_same(a->field, b->field) || !gfp_field_same(a->field, c->field)) {
        return gfp_error_set(options->error, GFP_ERR_FIELD_MISMATCH,
                             "operands over %s and %s, result over %s", gfp_field_name(a->field),
                             gfp_field_name(b->field), gfp_field_name(c->field));
    }
    return GFP_OK;
}

/* ---- access ---- */

/* z := len coefficients of a row of an array. */
static void take_row(gfp_poly *z, const gfp_bipoly_array *from, size_t j)
{
    const size_t k = gfp_field_k(z->field);
    const uint64_t *x = from->z + j * from->step_y * k;
    if (from->step_x == 1) {
        gfp_vec_copy(z->field, z->digits, x, from->len);
        return;
    }
    for (size_t i = 0; i < from->len; i++) {
        gfp_elem_copy(z->field, z->digits + i * k, x + i * from->step_x * k);
    }
}

/* The length of a row without leading zeros. */
static size_t row_length(const gfp_field *field, const gfp_bipoly_array *from, size_t j)
{
    const size_t k = gfp_field_k(field);
    size_t n = from->len;
    while (n > 0 &&
           gfp_elem_is_zero(field, from->z + (j * from->step_y + (n - 1) * from->step_x) * k)) {
        n--;
    }
    return n;
}

static gfp_status fill_rows(gfp_bipoly *made, const gfp_bipoly_array *from)
{
    GFP_TRY(gfp_bipoly_fit_length(made, from->rows));
    for (size_t j = 0; j < from->rows; j++) {
        gfp_bipoly_array row = *from;
        row.len = row_length(made->field, from, j);
        GFP_TRY(gfp_poly_fit_length(&made->coeff[j], row.len));
        take_row(&made->coeff[j], &row, j);
        made->coeff[j].len = row.len;
    }
    gfp_bipoly_normalise(made, from->rows);
    return GFP_OK;
}

gfp_status gfp_bipoly_from_array(gfp_bipoly *a, const gfp_bipoly_array *from)
{
    gfp_bipoly made;
    gfp_bipoly_init(&made, a->field);
    const gfp_status status = fill_rows(&made, from);
    if (status == GFP_OK) {
        gfp_bipoly_swap(a, &made);
    }
    gfp_bipoly_clear(&made);
    return status;
}

gfp_status gfp_bipoly_random(gfp_bipoly *a, size_t len_x, size_t len_y, gfp_random *g)
{
    gfp_bipoly made;
    gfp_bipoly_init(&made, a->field);
    gfp_status status = gfp_bipoly_fit_length(&made, len_y);
    for (size_t j = 0; j < len_y && status == GFP_OK; j++) {
        status = gfp_poly_random(&made.coeff[j], len_x, g);
    }
    if (status == GFP_OK) {
        gfp_bipoly_normalise(&made, len_y);
        gfp_bipoly_swap(a, &made);
    }
    gfp_bipoly_clear(&made);
    return status;
}

gfp_status gfp_bipoly_get_coeff(gfp_poly *c, const gfp_bipoly *a, size_t j)
{
    if (!gfp_field_same(c->field, a->field)) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    if (j < a->len) {
        return gfp_poly_copy(c, &a->coeff[j]);
    }
    gfp_poly_zero(c);
    return GFP_OK;
}

/* Room for power j, with half as much again if memory suffices. */
static gfp_status make_room(gfp_bipoly *a, size_t j)
{
    const size_t ample = gfp_size_add_sat(a->capacity, a->capacity / 2);
    if (j >= a->capacity && ample > j && ample < SIZE_MAX &&
        gfp_bipoly_fit_length(a, ample) == GFP_OK) {
        return GFP_OK;
    }
    return j == SIZE_MAX ? GFP_ERR_SIZE : gfp_bipoly_fit_length(a, j + 1);
}

gfp_status gfp_bipoly_set_coeff(gfp_bipoly *a, size_t j, const gfp_poly *c)
{
    gfp_poly copy; /* c may be a coefficient of a, and coefficients may move */
    if (!gfp_field_same(c->field, a->field)) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    if (j >= a->len && c->len == 0) {
        return GFP_OK;
    }
    gfp_poly_init(&copy, a->field);
    gfp_status status = gfp_poly_copy(&copy, c);
    if (status == GFP_OK) {
        status = make_room(a, j);
    }
    if (status == GFP_OK) {
        for (size_t i = a->len; i < j; i++) {
            gfp_poly_zero(&a->coeff[i]);
        }
        gfp_poly_swap(&a->coeff[j], &copy);
        gfp_bipoly_normalise(a, j < a->len ? a->len : j + 1);
    }
    gfp_poly_clear(&copy);
    return status;
}

/* made's polynomials have room for as many coefficients as they will have. */
static void transpose_into(gfp_bipoly *made, const gfp_bipoly *a, size_t rows)
{
    const size_t k = gfp_field_k(a->field);
    for (size_t i = 0; i < rows; i++) {
        gfp_poly *row = &made->coeff[i];
        for (size_t j = 0; j < row->capacity; j++) {
            gfp_poly_get_coeff(&a->coeff[j], row->digits + j * k, i);
        }
        row->len = row->capacity;
    }
    gfp_bipoly_normalise(made, rows);
}

/* One more than the last power of Y with a coefficient of X^i. */
static size_t column_length(const gfp_bipoly *a, size_t i)
{
    const size_t k = gfp_field_k(a->field);
    size_t n = a->len;
    while (n > 0 && (a->coeff[n - 1].len <= i ||
                     gfp_elem_is_zero(a->field, a->coeff[n - 1].digits + i * k))) {
        n--;
    }
    return n;
}

gfp_status gfp_bipoly_transpose(gfp_bipoly *b, const gfp_bipoly *a)
{
    const size_t rows = gfp_bipoly_len_x(a);
    gfp_bipoly made;
    if (!gfp_field_same(a->field, b->field)) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    gfp_bipoly_init(&made, b->field);
    gfp_status status = gfp_bipoly_fit_length(&made, rows);
    for (size_t i = 0; i < rows && status == GFP_OK; i++) {
        status = gfp_poly_fit_length(&made.coeff[i], column_length(a, i));
    }
    if (status == GFP_OK) {
        transpose_into(&made, a, rows);
        gfp_bipoly_swap(b, &made);
    }
    gfp_bipoly_clear(&made);
    return status;
}
