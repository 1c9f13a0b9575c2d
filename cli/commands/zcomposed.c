/* zcomposed.c: the subcommands zcomposedsum, zcomposeddifference, zcomposedproduct and
 * zcomposedquotient: polynomials over the integers whose roots are those of the roots of two.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/cli.h"

#define COMPOSED_DOC(what, resultant, roots)                                                       \
    "Writes the composed " what " of the polynomials with integer coefficients in the files A "    \
    "and B, in FLINT's format for fmpz_poly: " resultant ", whose roots are the " roots " of a "   \
    "root of A and a root of B. The command verifies the result before it writes it."              \
    "\vJSON keys: operation, len_a, len_b, len_c, bits (of the greatest coefficient of the "       \
    "result), " OPERATION_KEYS "."
#define COMPOSED_OPERATION(bar, function)                                                          \
    {                                                                                              \
        .label = (bar), .kind = ONE_VARIABLE, .results = 1, .of_two_over_z = (function),           \
        .members = {                                                                               \
            {"len_a", LENGTH_OF, 0},                                                               \
            {"len_b", LENGTH_OF, 1},                                                               \
            {"len_c", LENGTH_OF_RESULT, 0},                                                        \
            {"bits", BITS_OF_RESULT, 0}                                                            \
        }                                                                                          \
    }

#define COMPOSED_FUNCTION(function, which)                                                         \
    static gfp_status function(gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,                  \
                               const gfp_options *options)                                         \
    {                                                                                              \
        return gfp_zvec_composed(c, a, b, (which), options);                                       \
    }
COMPOSED_FUNCTION(composed_sum, GFP_ZCOMPOSED_SUM)
COMPOSED_FUNCTION(composed_difference, GFP_ZCOMPOSED_DIFFERENCE)
COMPOSED_FUNCTION(composed_product, GFP_ZCOMPOSED_PRODUCT)
COMPOSED_FUNCTION(composed_quotient, GFP_ZCOMPOSED_QUOTIENT)

const struct command zcomposed_commands[] = {
    {.name = "zcomposedsum",
     .summary = "The polynomial of all sums of two roots",
     .arguments = "A B",
     .doc = COMPOSED_DOC("sum", "the resultant of A(Y) and B(X - Y)", "sums"),
     .files = 2,
     .operation = COMPOSED_OPERATION("composed sum", composed_sum)},
    {.name = "zcomposeddifference",
     .summary = "The polynomial of all differences of two roots",
     .arguments = "A B",
     .doc = COMPOSED_DOC("difference", "the composed sum of A and (-1)^n B(-X), n the degree of B",
                         "differences"),
     .files = 2,
     .operation = COMPOSED_OPERATION("composed difference", composed_difference)},
    {.name = "zcomposedproduct",
     .summary = "The polynomial of all products of two roots",
     .arguments = "A B",
     .doc = COMPOSED_DOC("product", "the resultant of A(Y) and Y^n B(X / Y), n the degree of B",
                         "products"),
     .files = 2,
     .operation = COMPOSED_OPERATION("composed product", composed_product)},
    {.name = "zcomposedquotient",
     .summary = "The polynomial of all quotients of two roots",
     .arguments = "A B",
     .doc = COMPOSED_DOC("quotient",
                         "the resultant of A(Y) and X^n B(Y / X), n the degree of B, which must "
                         "not have the root 0",
                         "quotients"),
     .files = 2,
     .operation = COMPOSED_OPERATION("composed quotient", composed_quotient)},
    {.name = NULL}};
