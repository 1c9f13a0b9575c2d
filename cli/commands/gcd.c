/* gcd.c: the subcommands gcd, xgcd, resultant and discriminant.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/cli.h"

/* The results of xgcd. */
enum { DIVISOR, FIRST, SECOND };

static int begin_cofactors(struct call *call)
{
    const struct gcd_values *values = &call->request->own.gcd;
    const char *output = call->request->output;
    call->place[DIVISOR] = (struct place){.option = "-o", .path = output};
    call->place[FIRST] = (struct place){.option = "-u", .path = values->first_cofactor};
    call->place[SECOND] = (struct place){.option = "-v", .path = values->second_cofactor};
    if (output == NULL && values->first_cofactor == NULL && values->second_cofactor == NULL) {
        complain("xgcd: give -o FILE for the common divisor, -u FILE and -v FILE for the "
                 "cofactors, or some of them");
        return BAD_USAGE;
    }
    return DONE;
}

static gfp_status find_cofactors(struct call *call, const gfp_options *options)
{
    gfp_poly *c = call->c.poly;
    return gfp_poly_xgcd(&c[DIVISOR], &c[FIRST], &c[SECOND], poly_of(call, 0), poly_of(call, 1),
                         options);
}

static gfp_status find_resultant(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                                 const gfp_options *options)
{
    uint64_t r[GFP_MAX_K];
    const gfp_status status = gfp_poly_resultant(r, a, b, options);
    return status == GFP_OK ? gfp_poly_set_coeff(c, 0, r) : status;
}

static gfp_status find_discriminant(struct call *call, const gfp_options *options)
{
    uint64_t r[GFP_MAX_K];
    const gfp_status status = gfp_poly_discriminant(r, poly_of(call, 0), options);
    return status == GFP_OK ? gfp_poly_set_coeff(call->c.poly, 0, r) : status;
}

const struct command gcd_commands[] = {
    {.name = "gcd",
     .summary = "The greatest common divisor of two polynomials",
     .arguments = "A B",
     .doc = "Writes the greatest common divisor of the polynomials in the files A and B: monic, "
            "and 0 if both are 0. The command verifies the quotients of Euclid's algorithm, and "
            "writes nothing if the verification fails."
            "\vJSON keys: operation, field, len_a, len_b, len_g, " OPERATION_KEYS ".",
     .files = 2,
     .operands = true,
     .operation = {.label = "common divisor",
                   .results = 1,
                   .of_two = gfp_poly_gcd,
                   .members = {{"len_a", LENGTH_OF, 0},
                               {"len_b", LENGTH_OF, 1},
                               {"len_g", LENGTH_OF_RESULT, 0}}}},
    {.name = "xgcd",
     .summary = "A greatest common divisor and its cofactors",
     .arguments = "A B",
     .doc = "Computes the greatest common divisor G of the polynomials in the files A and B, and "
            "cofactors of least degrees: G = U A + V B. Writes those that are asked for: at least "
            "one of -o, -u and -v is required. The command writes files only when all results are "
            "verified."
            "\vJSON keys: operation, field, len_a, len_b, len_g, len_u, len_v, " OPERATION_KEYS ".",
     .files = 2,
     .operands = true,
     .operation = {.label = "cofactors",
                   .results = 3,
                   .begin = begin_cofactors,
                   .compute = find_cofactors,
                   .members = {{"len_a", LENGTH_OF, 0},
                               {"len_b", LENGTH_OF, 1},
                               {"len_g", LENGTH_OF_RESULT, DIVISOR},
                               {"len_u", LENGTH_OF_RESULT, FIRST},
                               {"len_v", LENGTH_OF_RESULT, SECOND}}}},
    {.name = "resultant",
     .summary = "The resultant of two polynomials",
     .arguments = "A B",
     .doc = "Writes the resultant of the polynomials in the files A and B in decimal: the product "
            "of the values of B at the roots of A, times a power of the leading coefficient of A. "
            "The command verifies the quotients of Euclid's algorithm, and writes nothing if the "
            "verification fails."
            "\vJSON keys: operation, field, len_a, len_b, resultant (a string of decimal "
            "digits), " OPERATION_KEYS ".",
     .files = 2,
     .operands = true,
     .operation = {.label = "resultant",
                   .results = 1,
                   .of_two = find_resultant,
                   .members = {{"len_a", LENGTH_OF, 0},
                               {"len_b", LENGTH_OF, 1},
                               {"resultant", NUMBER_OF_RESULT, 0}},
                   .is_number = true}},
    {.name = "discriminant",
     .summary = "The discriminant of a polynomial",
     .arguments = "A",
     .doc = "Writes the discriminant of the polynomial in the file A in decimal; it is 0 if A has "
            "a multiple root. The command verifies the quotients of Euclid's algorithm, and writes "
            "nothing if the verification fails."
            "\vJSON keys: operation, field, len_a, len_b (null), discriminant (a string of decimal "
            "digits), " OPERATION_KEYS ".",
     .files = 1,
     .operands = true,
     .operation = {.label = "discriminant",
                   .results = 1,
                   .compute = find_discriminant,
                   .members = {{"len_a", LENGTH_OF, 0},
                               {"len_b", LENGTH_OF, 1},
                               {"discriminant", NUMBER_OF_RESULT, 0}},
                   .is_number = true}},
    {.name = NULL}};
