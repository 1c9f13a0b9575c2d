/* rows.h: shared by the tests of operands below the public functions: rows of the
 * method table that have operands, polynomials of several patterns, expected values.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_PRODUCT_OPERAND_ROWS_H
#define TESTS_PRODUCT_OPERAND_ROWS_H

#include "product/choose/choice.h"
#include "lab/fixtures.h"
#include "product/methods/row.h"
#include "product/methods/engine.h"
#include "product/operand/lab.h"

/* Fills `rows` with the rows of the CPU that have operands; returns their number. */
static inline size_t operand_rows(const gfp_method *rows[GFP_COST_COLUMNS])
{
    size_t count = 0;
    const gfp_method *row;
    for (size_t i = 0; (row = gfp_method_row(i)) != NULL; i++) {
        if (row->operands != NULL && !gfp_method_on_device(row)) {
            rows[count++] = row;
        }
    }
    assert_true(count >= 2);
    return count;
}

static inline bool has_operands(const gfp_method *row, const gfp_field *field, size_t length)
{
    char why[256];
    return gfp_operand_serves(row, field, length, why, sizeof why) &&
           gfp_method_serves(row, field, length / 2 + 1, length - length / 2, 0, 1, why,
                             sizeof why);
}

typedef enum pattern { RANDOM, TOP, HALF, SPECIAL, ALTERNATING, SPARSE, KINDS } pattern;

static inline uint64_t rows_digit(const gfp_field *field, pattern kind, unsigned t)
{
    const uint64_t r = gfp_field_r(field);
    switch (kind) {
    case TOP:
        return r - 1;
    case HALF:
        return r / 2;
    case SPECIAL:
        return t + 1 == gfp_field_k(field) ? r : 0;
    case ALTERNATING:
        return t % 2 == 0 ? 0 : r - 1;
    default:
        return 0;
    }
}

/* a := n coefficients, the last one not 0. */
static inline void rows_fill(gfp_poly *a, size_t n, pattern kind, gfp_random *g)
{
    const gfp_field *field = a->field;
    const unsigned k = gfp_field_k(field);
    assert_int_equal(gfp_poly_fit_length(a, n), GFP_OK);
    for (size_t i = 0; i < n; i++) {
        uint64_t *x = a->digits + i * k;
        for (unsigned t = 0; t < k; t++) {
            x[t] = rows_digit(field, kind, t);
        }
        if (kind == RANDOM || (kind == SPARSE && i % 7 == 0)) {
            gfp_elem_random(field, x, g);
        }
    }
    if (n > 0 && gfp_elem_is_zero(field, a->digits + (n - 1) * k)) {
        gfp_elem_set_u64(field, a->digits + (n - 1) * k, 1);
    }
    assert_int_equal(gfp_poly_set_length(a, n), GFP_OK);
}

/* x as a polynomial, and as an array with zeros at the end. */
static inline void rows_expect(const gfp_operand *x, const gfp_poly *expected, const char *what)
{
    const gfp_field *field = expected->field;
    const size_t from = expected->len / 3;
    gfp_poly c, part;
    gfp_poly_init(&c, field);
    gfp_poly_init(&part, field);
    assert_int_equal(gfp_poly_from_operand(&c, 0, SIZE_MAX, x, NULL), GFP_OK);
    if (!gfp_poly_equal(&c, expected)) {
        fail_msg("%s over %s, %s: wrong (lengths %zu, %zu)", what, gfp_field_name(c.field),
                 gfp_space_get_info(gfp_operand_space(x)).method, c.len, expected->len);
    }
    assert_int_equal(gfp_poly_from_operand(&c, from, SIZE_MAX, x, NULL), GFP_OK);
    assert_int_equal(gfp_poly_shift_right(&part, expected, from), GFP_OK);
    assert_true(gfp_poly_equal(&c, &part));
    gfp_poly_clear(&c);
    gfp_poly_clear(&part);
}

static inline gfp_operand *rows_make(const gfp_poly *a, size_t length, size_t terms,
                                     const char *method)
{
    const gfp_options options = {.method = method};
    gfp_operand *x = NULL;
    assert_int_equal(operand_of(&x, a, (gfp_space_spec){length, terms, GFP_WRAP_LINEAR}, &options),
                     GFP_OK);
    return x;
}

#endif
