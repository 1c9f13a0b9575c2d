/* type.c: the polynomial type: storage, normal form, equality, coefficient access.
 * A polynomial owns capacity * k digits, obtained through its field's allocator in one block.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gfpoly/poly.h"
#include "poly/impl.h"
#include "field/base/support.h"
#include "field/elem.h"

void gfp_poly_init(gfp_poly *a, const gfp_field *field)
{
    a->field = field;
    a->digits = NULL;
    a->len = 0;
    a->capacity = 0;
}

void gfp_poly_clear(gfp_poly *a)
{
    gfp_release(gfp_field_allocator(a->field), a->digits, a->capacity, gfp_element_bytes(a->field));
    gfp_poly_init(a, a->field);
}

gfp_status gfp_poly_fit_length(gfp_poly *a, size_t capacity)
{
    if (capacity <= a->capacity) {
        return GFP_OK;
    }
    size_t size = gfp_element_bytes(a->field), bytes = 0;
    if (!gfp_size_mul(&bytes, capacity, size)) {
        return GFP_ERR_SIZE;
    }
    const gfp_allocator *allocator = gfp_field_allocator(a->field);
    uint64_t *digits = gfp_allocate(allocator, capacity, size);
    if (digits == NULL) {
        return GFP_ERR_MEMORY;
    }
    if (a->len > 0) {
        memcpy(digits, a->digits, a->len * size);
    }
    gfp_release(allocator, a->digits, a->capacity, size);
    a->digits = digits;
    a->capacity = capacity;
    return GFP_OK;
}

void gfp_poly_normalise(gfp_poly *a, size_t n)
{
    size_t k = gfp_field_k(a->field);
    while (n > 0 && gfp_elem_is_zero(a->field, a->digits + (n - 1) * k)) {
        n--;
    }
    a->len = n;
}

void gfp_poly_take(gfp_poly *c, uint64_t *digits, size_t n, size_t capacity)
{
    gfp_poly result;
    gfp_poly_init(&result, c->field);
    result.digits = digits;
    result.capacity = capacity;
    gfp_poly_normalise(&result, n);
    gfp_poly_swap(c, &result);
    gfp_poly_clear(&result);
}

gfp_status gfp_poly_set_length(gfp_poly *a, size_t n)
{
    if (n > a->capacity) {
        return GFP_ERR_ARGUMENT;
    }
    if (n > 0 && gfp_vec_canonical(a->field, a->digits, n) < n) {
        return GFP_ERR_RANGE;
    }
    gfp_poly_normalise(a, n);
    return GFP_OK;
}

gfp_status gfp_poly_set(gfp_poly *b, const gfp_poly *a)
{
    if (!gfp_field_same(a->field, b->field)) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    if (a == b) {
        return GFP_OK;
    }
    GFP_TRY(gfp_poly_fit_length(b, a->len));
    if (a->len > 0) {
        gfp_vec_set(b->field, b->digits, a->digits, a->len);
    }
    b->len = a->len;
    return GFP_OK;
}

gfp_status gfp_poly_one(gfp_poly *a)
{
    GFP_TRY(gfp_poly_fit_length(a, 1));
    gfp_elem_one(a->field, a->digits);
    a->len = 1;
    return GFP_OK;
}

bool gfp_poly_is_one(const gfp_poly *a)
{
    return a->len == 1 && gfp_elem_is_one(a->field, a->digits);
}

bool gfp_poly_equal(const gfp_poly *a, const gfp_poly *b)
{
    if (!gfp_field_same(a->field, b->field) || a->len != b->len) {
        return false;
    }
    return a->len == 0 || gfp_vec_equal(a->field, a->digits, b->digits, a->len);
}

gfp_status gfp_poly_random(gfp_poly *a, size_t len, gfp_random *g)
{
    GFP_TRY(gfp_poly_fit_length(a, len));
    if (len > 0) {
        gfp_vec_random(a->field, a->digits, len, g);
    }
    gfp_poly_normalise(a, len);
    return GFP_OK;
}

void gfp_poly_get_coeff(uint64_t *x, const gfp_poly *a, size_t i)
{
    if (i < a->len) {
        gfp_elem_set(a->field, x, a->digits + i * gfp_field_k(a->field));
    } else {
        gfp_elem_zero(a->field, x);
    }
}

/* Makes room for coefficient i, with half as much again if memory suffices, so that a polynomial
 * built coefficient by coefficient is copied O(log n) times. */
static gfp_status make_room(gfp_poly *a, size_t i)
{
    size_t needed = 0, ample = 0;
    if (!gfp_size_add(&needed, i, 1)) {
        return GFP_ERR_SIZE;
    }
    if (needed <= a->capacity) {
        return GFP_OK;
    }
    if (gfp_size_add(&ample, a->capacity, a->capacity / 2) && ample > needed &&
        gfp_poly_fit_length(a, ample) == GFP_OK) {
        return GFP_OK;
    }
    return gfp_poly_fit_length(a, needed);
}

/* a_i := x, which is canonical and not inside a's digits. */
static gfp_status put_coeff(gfp_poly *a, size_t i, const uint64_t *x)
{
    size_t k = gfp_field_k(a->field), n = a->len;
    if (i >= n) {
        if (gfp_elem_is_zero(a->field, x)) {
            return GFP_OK;
        }
        GFP_TRY(make_room(a, i));
        gfp_vec_zero(a->field, a->digits + n * k, i - n);
        n = i + 1;
    }
    gfp_elem_set(a->field, a->digits + i * k, x);
    gfp_poly_normalise(a, n);
    return GFP_OK;
}

gfp_status gfp_poly_set_coeff(gfp_poly *a, size_t i, const uint64_t *x)
{
    uint64_t copy[GFP_MAX_K]; /* x may be a coefficient of a, and a may move */
    GFP_TRY(gfp_elem_set_digits(a->field, copy, x));
    return put_coeff(a, i, copy);
}

gfp_status gfp_poly_set_coeff_u64(gfp_poly *a, size_t i, uint64_t value)
{
    uint64_t x[GFP_MAX_K];
    gfp_elem_set_u64(a->field, x, value);
    return put_coeff(a, i, x);
}

gfp_status gfp_poly_set_limbs(gfp_poly *a, const uint64_t *limbs, size_t size, size_t step,
                              size_t n, gfp_error *error)
{
    gfp_status status = gfp_poly_fit_length(a, n);
    if (status != GFP_OK) {
        return gfp_error_set(error, status, "no room for %zu coefficients", n);
    }
    if (n > 0) {
        GFP_TRY(gfp_vec_set_limbs(a->field, a->digits, limbs, size, step, n, error));
    }
    gfp_poly_normalise(a, n);
    return GFP_OK;
}
