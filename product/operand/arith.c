/* arith.c: sums, differences and products of operands.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/operand/impl.h"

#include "field/base/support.h"

/* ---- sums ---- */

/* The caller has begun the call; a and b have words. */
static gfp_status add_in(gfp_operand_call *w, gfp_operand *c, const gfp_operand *a,
                         const gfp_operand *b, bool subtract)
{
    const gfp_space *s = w->s;
    const size_t len = a->len > b->len ? a->len : b->len;
    GFP_TRY(gfp_operand_combine(w, c, a, b, subtract));
    gfp_operand_elements e = {s->field,
                              gfp_operand_values(c),
                              gfp_operand_values(a),
                              gfp_operand_values(b),
                              subtract ? -1 : 1,
                              0};
    (void)gfp_operand_run_elements(gfp_operand_add_elements, &e, s->points, NULL);
    c->len = len;
    return GFP_OK;
}

/* add_in if a or b, which other threads may read, has no words: a temporary 0 with words replaces
 * it. */
static gfp_status add_blank(gfp_operand_call *w, gfp_operand *c, const gfp_operand *a,
                            const gfp_operand *b, bool subtract)
{
    gfp_operand zero = {.space = c->space};
    GFP_TRY(gfp_operand_open_apart(w, &zero));
    gfp_operand_set_zero(&zero);
    gfp_operand_settle(&zero);
    const gfp_status status = add_in(w, c, a->blank ? &zero : a, b->blank ? &zero : b, subtract);
    gfp_operand_shut_apart(w, &zero);
    return status;
}

static gfp_status arith_add(gfp_operand *c, const gfp_operand *a, const gfp_operand *b,
                            bool subtract)
{
    gfp_operand_call w;
    GFP_TRY(gfp_operand_check_alike(c, a, b));
    gfp_status status =
        gfp_operand_call_begin(&w, c->space, &gfp_no_options, false, 0, GFP_OPERAND_ADD_SHARE);
    if (status == GFP_OK) {
        gfp_operand_settle(c);
        status =
            a->blank || b->blank ? add_blank(&w, c, a, b, subtract) : add_in(&w, c, a, b, subtract);
    }
    return gfp_operand_call_end(&w, status);
}

/* ---- products ---- */

/* The caller has begun the call; len is the length of the product, a and b are not 0. */
static gfp_status multiply_in(gfp_operand_call *w, gfp_operand *c, const gfp_operand *a,
                              const gfp_operand *b, size_t len, int sign)
{
    if (sign != 0) {
        gfp_operand_settle(c);
    }
    GFP_TRY(gfp_operand_accumulate(w, c, a, b, sign));
    c->blank = false;
    c->len = sign == 0 || len > c->len ? len : c->len;
    gfp_operand_multiply_values(gfp_operand_values(c), a, b, sign);
    return GFP_OK;
}

gfp_status gfp_operand_multiply(gfp_operand *c, const gfp_operand *a, const gfp_operand *b,
                                int sign, const gfp_options *options)
{
    size_t len;
    gfp_operand_call w;
    GFP_TRY(gfp_operand_check_alike(c, a, b));
    if (a->len == 0 || b->len == 0) {
        if (sign == 0) {
            gfp_operand_set_zero(c);
        }
        gfp_operand_report_nothing(options->report, c->space);
        return GFP_OK;
    }
    GFP_TRY(gfp_operand_check_product(&len, c->space, a->len, b->len));
    gfp_status status = gfp_operand_call_begin(
        &w, c->space, options, false, gfp_operand_staging(c->space), GFP_OPERAND_MULTIPLY_SHARE);
    if (status == GFP_OK) {
        status = multiply_in(&w, c, a, b, len, sign);
    }
    return gfp_operand_call_end(&w, status);
}

gfp_status gfp_operand_arith(gfp_operand *c, const gfp_operand *a, const gfp_operand *b,
                             gfp_operand_operation operation)
{
    switch (operation) {
    case GFP_OPERAND_ADD:
        return arith_add(c, a, b, false);
    case GFP_OPERAND_SUB:
        return arith_add(c, a, b, true);
    case GFP_OPERAND_MUL:
        return gfp_operand_multiply(c, a, b, 0, &gfp_no_options);
    case GFP_OPERAND_ADDMUL:
        return gfp_operand_multiply(c, a, b, 1, &gfp_no_options);
    case GFP_OPERAND_SUBMUL:
        return gfp_operand_multiply(c, a, b, -1, &gfp_no_options);
    }
    return GFP_ERR_ARGUMENT;
}
