/* sums.c: the subcommands add and sub.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/cli.h"

static gfp_status sums_add(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                           const gfp_options *options)
{
    (void)options;
    return gfp_poly_add(c, a, b);
}

static gfp_status sums_subtract(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                                const gfp_options *options)
{
    (void)options;
    return gfp_poly_sub(c, a, b);
}

const struct command sum_commands[] = {
    {.name = "add",
     .summary = "Add two polynomials",
     .arguments = "A B",
     .doc = "Writes the sum of the polynomials in the files A and B.",
     .files = 2,
     .operation = {.label = "adding", .results = 1, .of_two = sums_add}},
    {.name = "sub",
     .summary = "Subtract one polynomial from another",
     .arguments = "A B",
     .doc = "Writes the polynomial in the file A minus that in the file B.",
     .files = 2,
     .operation = {.label = "subtracting", .results = 1, .of_two = sums_subtract}},
    {.name = NULL}};
