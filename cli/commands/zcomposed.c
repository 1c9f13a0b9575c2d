/* zcomposed.c: the subcommands zcomposedsum, zcomposeddifference, zcomposedproduct and
 * zcomposedquotient: polynomials over the integers whose roots are those of the roots of two.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/cli.h"

/* An operation with its call; the operation is the first member. */
struct composition {
    struct operation operation;
    gfp_status (*call)(gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                       const gfp_options *options);
};

static gfp_status compute(const struct operation *operation, gfp_zvec *c, const struct input *input,
                          const gfp_options *options)
{
    const struct composition *composition = (const struct composition *)operation;
    return composition->call(c, &input->operand[0].integers, &input->operand[1].integers, options);
}

static void describe(const struct operation *operation, struct json *json, const gfp_zvec *c,
                     const struct input *input)
{
    (void)operation;
    json_u64(json, "len_a", input->operand[0].integers.len);
    json_u64(json, "len_b", input->operand[1].integers.len);
    json_u64(json, "len_c", c->len);
    json_u64(json, "bits", gfp_zvec_bits(c));
}

static int run(const struct settings *settings, struct composition *composition)
{
    composition->operation.settings = settings;
    composition->operation.file = settings->file;
    composition->operation.files = 2;
    composition->operation.results = 1;
    composition->operation.place[0] = usual_place(settings);
    composition->operation.compute_integers = compute;
    composition->operation.describe_integers = describe;
    return run_operation(&composition->operation);
}

static const struct argp_option composed_options[] = {Z_OPTIONS_WITH("words", ", the only method"),
                                                      OPTION_OUTPUT, OPTION_END};

#define DOC(what, resultant, roots)                                                                \
    "Writes the composed " what " of the polynomials with integer coefficients in the files A "    \
    "and B, in FLINT's format for fmpz_poly: " resultant ", whose roots are the " roots " of a "   \
    "root of A and a root of B. The command verifies the result before it writes it."              \
    "\vJSON keys: operation, len_a, len_b, len_c, bits (of the greatest coefficient of the "       \
    "result), " OPERATION_KEYS "."

static int run_sum(const struct settings *settings)
{
    struct composition composition = {
        .operation = {.name = "zcomposedsum", .label = "composed sum"},
        .call = gfp_zvec_composed_sum};
    return run(settings, &composition);
}

const struct command command_zcomposedsum = {
    .name = "zcomposedsum",
    .summary = "The polynomial of all sums of two roots",
    .arguments = "A B",
    .doc = DOC("sum", "the resultant of A(Y) and B(X - Y)", "sums"),
    .options = composed_options,
    .files = 2,
    .run = run_sum};

static int run_difference(const struct settings *settings)
{
    struct composition composition = {
        .operation = {.name = "zcomposeddifference", .label = "composed difference"},
        .call = gfp_zvec_composed_difference};
    return run(settings, &composition);
}

const struct command command_zcomposeddifference = {
    .name = "zcomposeddifference",
    .summary = "The polynomial of all differences of two roots",
    .arguments = "A B",
    .doc = DOC("difference", "the composed sum of A and (-1)^n B(-X), n the degree of B",
               "differences"),
    .options = composed_options,
    .files = 2,
    .run = run_difference};

static int run_product(const struct settings *settings)
{
    struct composition composition = {
        .operation = {.name = "zcomposedproduct", .label = "composed product"},
        .call = gfp_zvec_composed_product};
    return run(settings, &composition);
}

const struct command command_zcomposedproduct = {
    .name = "zcomposedproduct",
    .summary = "The polynomial of all products of two roots",
    .arguments = "A B",
    .doc = DOC("product", "the resultant of A(Y) and Y^n B(X / Y), n the degree of B", "products"),
    .options = composed_options,
    .files = 2,
    .run = run_product};

static int run_quotient(const struct settings *settings)
{
    struct composition composition = {
        .operation = {.name = "zcomposedquotient", .label = "composed quotient"},
        .call = gfp_zvec_composed_quotient};
    return run(settings, &composition);
}

const struct command command_zcomposedquotient = {
    .name = "zcomposedquotient",
    .summary = "The polynomial of all quotients of two roots",
    .arguments = "A B",
    .doc = DOC(
        "quotient",
        "the resultant of A(Y) and X^n B(Y / X), n the degree of B, which must not have the root 0",
        "quotients"),
    .options = composed_options,
    .files = 2,
    .run = run_quotient};
