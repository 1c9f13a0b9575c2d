/* division.c: the subcommands divrem and powmod: division with remainder, powers modulo a
 * polynomial.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* ---- divrem ---- */

/* The results of divrem. */
enum { QUOTIENT, REMAINDER };

static int begin_division(struct call *call)
{
    const struct division_values *values = &call->request->own.division;
    call->place[QUOTIENT] = (struct place){.option = "-q", .path = values->quotient};
    call->place[REMAINDER] = (struct place){.option = "-r", .path = values->remainder};
    if (values->quotient == NULL && values->remainder == NULL) {
        complain("divrem: give -q FILE for the quotient, -r FILE for the remainder, or both");
        return BAD_USAGE;
    }
    return DONE;
}

static gfp_status division_divide(struct call *call, const gfp_options *options)
{
    const struct division_values *values = &call->request->own.division;
    const gfp_poly *a = poly_of(call, 0), *b = poly_of(call, 1);
    gfp_poly *q = &call->c.poly[QUOTIENT], *r = &call->c.poly[REMAINDER];
    if (values->remainder == NULL) {
        return gfp_poly_div(q, a, b, options);
    }
    if (values->quotient == NULL) {
        return gfp_poly_rem(r, a, b, options);
    }
    return gfp_poly_divrem(q, r, a, b, options);
}

static void describe_division(const struct call *call, struct json *json)
{
    const struct division_values *values = &call->request->own.division;
    json_length(json, "len_q", values->quotient != NULL, call->c.poly[QUOTIENT].len);
    json_length(json, "len_r", values->remainder != NULL, call->c.poly[REMAINDER].len);
}

/* ---- powmod ---- */

/* The files of powmod: the modulus, and the base unless that is x. */
enum { MODULUS, BASE };

static bool base_is_x(const struct call *call)
{
    return strcmp(call->request->own.power.base, "x") == 0;
}

static int begin_power(struct call *call)
{
    const struct power_values *values = &call->request->own.power;
    call->own_file[MODULUS] = values->modulus;
    call->own_file[BASE] = values->base;
    call->file = call->own_file;
    call->files = base_is_x(call) ? 1 : 2;
    return DONE;
}

/* c := the power, with the exponent that --exponent gives. */
static gfp_status division_power(gfp_poly *c, const gfp_poly *a, const char *exponent,
                                 const gfp_modulus *M, const gfp_options *options)
{
    size_t limbs;
    if (strcmp(exponent, "p") == 0) {
        const gfp_field *field = a->field;
        return gfp_poly_pow_mod(c, a, gfp_field_modulus_limbs(field), gfp_field_limbs(field), M,
                                options);
    }
    uint64_t *words = exponent_words(a->field, exponent, &limbs);
    const gfp_status status =
        words == NULL ? GFP_ERR_MEMORY : gfp_poly_pow_mod(c, a, words, limbs, M, options);
    free(words);
    return status;
}

/* The report then has the times of both calls. The bar shows the power alone. */
static gfp_status power_modulo(struct call *call, const gfp_options *options)
{
    gfp_report made = {.threads = 1};
    gfp_options making = *options;
    gfp_modulus *M = NULL;
    gfp_poly x;
    making.report = &made;
    making.progress = NULL;
    gfp_poly_init(&x, call->input.field);
    gfp_status status = gfp_modulus_create(&M, poly_of(call, MODULUS), &making);
    if (status == GFP_OK) {
        status = gfp_poly_set_coeff_u64(&x, 1, 1);
    }
    if (status == GFP_OK) {
        const gfp_poly *a = base_is_x(call) ? &x : poly_of(call, BASE);
        status = division_power(call->c.poly, a, call->request->own.power.exponent, M, options);
        add_report(options->report, &made);
    }
    gfp_modulus_destroy(M);
    gfp_poly_clear(&x);
    return status;
}

static void describe_power(const struct call *call, struct json *json)
{
    json_u64(json, "len_a", base_is_x(call) ? 2 : poly_of(call, BASE)->len);
    json_u64(json, "len_b", poly_of(call, MODULUS)->len);
    json_u64(json, "len_c", call->c.poly[0].len);
    json_string(json, "exponent", call->request->own.power.exponent);
}

/* ---- the subcommands ---- */

const struct command division_commands[] = {
    {.name = "divrem",
     .summary = "Divide with remainder and verify the results",
     .arguments = "A B",
     .doc = "Divides the polynomial in the file A by that in B: A = Q B + R, the degree of R is "
            "below that of B. Writes Q, R, or both: at least one of -q and -r is required. The "
            "command writes files only when all results are verified."
            "\vJSON keys: operation, field, len_a, len_b, len_q, len_r (null: not "
            "computed), " OPERATION_KEYS ".",
     .files = 2,
     .operands = true,
     .operation = {.label = "dividing",
                   .role = {"A", "B"},
                   .demand = {ANY_POLYNOMIAL, DIVISOR_NOT_ZERO},
                   .results = 2,
                   .begin = begin_division,
                   .compute = division_divide,
                   .members = {{"len_a", LENGTH_OF, 0}, {"len_b", LENGTH_OF, 1}},
                   .describe = describe_division}},
    {.name = "powmod",
     .summary = "Raise a polynomial to a power modulo another one",
     .doc = "Writes the power of --base with --exponent modulo --modulus; all three are required. "
            "The modulus is the first input. The command verifies every product and remainder, and "
            "writes nothing if a verification fails."
            "\vJSON keys: operation, field, len_a (the base), len_b (the modulus), len_c, "
            "exponent (as given), " OPERATION_KEYS ".",
     .operands = true,
     .operation = {.label = "powering",
                   .role = {"the modulus", "the base"},
                   .demand = {NOT_CONSTANT, ANY_POLYNOMIAL},
                   .results = 1,
                   .begin = begin_power,
                   .compute = power_modulo,
                   .describe = describe_power}},
    {.name = NULL}};
