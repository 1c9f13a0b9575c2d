/* operand.c: operands from and to polynomials.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "product/operand/impl.h"
#include "poly/impl.h"
#include "field/base/support.h"
#include "product/methods/engine.h"

/* Whether a polynomial and an operand are over one field. */
static gfp_status check_field(const gfp_poly *a, const gfp_operand *x, gfp_error *error)
{
    if (a == NULL || a->field == NULL || x == NULL) {
        return gfp_error_set(
            error, GFP_ERR_ARGUMENT,
            "no operand, or a polynomial without a field: NULL, or not initialised");
    }
    const gfp_field *field = x->space->field;
    return gfp_field_same(a->field, field)
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_FIELD_MISMATCH, "operand over %s and %s",
                               gfp_field_name(a->field), gfp_field_name(field));
}

/* c := the coefficients of d, whose memory c takes over. */
static gfp_status operand_install(gfp_poly *c, const gfp_operand_digits *d)
{
    const size_t k = gfp_field_k(c->field), n = d->end - d->from;
    if (n > 0) {
        memmove(d->z, d->z + d->from * k, n * k * sizeof *d->z);
    }
    gfp_poly_take(c, d->z, n, d->room);
    return GFP_OK;
}

gfp_status gfp_poly_to_operand(gfp_operand *x, const gfp_poly *a, const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_field(a, x, options->error));
    return gfp_operand_set(x, a->digits, a->len, options);
}

gfp_status gfp_poly_from_operand(gfp_poly *c, size_t from, size_t n, const gfp_operand *x,
                                 const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_field(c, x, options->error));
    gfp_operand_digits d = {.allocator = gfp_field_allocator(c->field), .kept = true};
    GFP_TRY(gfp_operand_take(&d, from, n, x, options));
    return operand_install(c, &d);
}

gfp_status gfp_poly_mul_operand(gfp_poly *c, size_t from, size_t n, const gfp_poly *a,
                                const gfp_operand *x, const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_field(c, x, options->error));
    GFP_TRY(check_field(a, x, options->error));
    const gfp_ring_factor factor = {a->digits, a->len};
    gfp_operand_digits d = {.allocator = gfp_field_allocator(c->field), .kept = true};
    GFP_TRY(gfp_operand_take_product(&d, from, n, &factor, x, options));
    return operand_install(c, &d);
}

gfp_status gfp_poly_dot_operands(gfp_poly *c, size_t from, size_t n, const gfp_operand *const *x,
                                 const gfp_operand *const *y, size_t count,
                                 const gfp_options *options)
{
    const gfp_operand_sum sum = {x, y, count};
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_field(c, count > 0 && x != NULL ? x[0] : NULL, options->error));
    gfp_operand_digits d = {.allocator = gfp_field_allocator(c->field), .kept = true};
    GFP_TRY(gfp_operand_take_sum(&d, from, n, &sum, options));
    return operand_install(c, &d);
}
