/* gcd.c: the subcommands gcd, xgcd, resultant and discriminant.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "cli/cli.h"

static void describe_operands(struct json *json, const struct input *input)
{
    json_u64(json, "len_a", input->operand[0].poly.len);
    json_u64(json, "len_b", input->operand[1].poly.len);
}

/* ---- gcd ---- */

static gfp_status compute_gcd(const struct operation *operation, gfp_poly *c,
                              const struct input *input, const gfp_options *options)
{
    (void)operation;
    return gfp_poly_gcd(c, &input->operand[0].poly, &input->operand[1].poly, options);
}

static void describe_gcd(const struct operation *operation, struct json *json, const gfp_poly *c,
                         const struct input *input)
{
    (void)operation;
    describe_operands(json, input);
    json_u64(json, "len_g", c->len);
}

static int run_gcd(const struct settings *settings)
{
    struct operation operation = {.settings = settings,
                                  .name = "gcd",
                                  .label = "common divisor",
                                  .file = settings->file,
                                  .files = 2,
                                  .results = 1,
                                  .place = {usual_place(settings)},
                                  .compute = compute_gcd,
                                  .describe = describe_gcd};
    return run_operation(&operation);
}

static const struct argp_option gcd_options[] = {OPERATION_OPTIONS, OPTION_OUTPUT, OPTION_END};

const struct command command_gcd = {
    .name = "gcd",
    .summary = "The greatest common divisor of two polynomials",
    .arguments = "A B",
    .doc = "Writes the greatest common divisor of the polynomials in the files A and B: monic, and "
           "0 if both are 0. The command verifies the quotients of Euclid's algorithm, and writes "
           "nothing if the verification fails."
           "\vJSON keys: operation, field, len_a, len_b, len_g, " OPERATION_KEYS ".",
    .options = gcd_options,
    .operands = true,
    .files = 2,
    .run = run_gcd};

/* ---- xgcd ---- */

enum { DIVISOR, FIRST, SECOND };

static gfp_status compute_xgcd(const struct operation *operation, gfp_poly *c,
                               const struct input *input, const gfp_options *options)
{
    (void)operation;
    return gfp_poly_xgcd(&c[DIVISOR], &c[FIRST], &c[SECOND], &input->operand[0].poly,
                         &input->operand[1].poly, options);
}

static void describe_xgcd(const struct operation *operation, struct json *json, const gfp_poly *c,
                          const struct input *input)
{
    (void)operation;
    describe_operands(json, input);
    json_u64(json, "len_g", c[DIVISOR].len);
    json_u64(json, "len_u", c[FIRST].len);
    json_u64(json, "len_v", c[SECOND].len);
}

static int run_xgcd(const struct settings *settings)
{
    const bool cofactors = settings->first_cofactor != NULL || settings->second_cofactor != NULL;
    struct operation operation = {.settings = settings,
                                  .name = "xgcd",
                                  .label = "cofactors",
                                  .file = settings->file,
                                  .files = 2,
                                  .results = 3,
                                  .place = {{.option = "-o", .path = settings->output},
                                            {.option = "-u", .path = settings->first_cofactor},
                                            {.option = "-v", .path = settings->second_cofactor}},
                                  .compute = compute_xgcd,
                                  .describe = describe_xgcd};
    if (settings->output == NULL && !cofactors) {
        complain("xgcd: give -o FILE for the common divisor, -u FILE and -v FILE for the "
                 "cofactors, or some of them");
        return BAD_USAGE;
    }
    return run_operation(&operation);
}

static const struct argp_option xgcd_options[] = {
    OPTION("first-cofactor", KEY_FIRST_COFACTOR, "FILE", "Write U to FILE (-: standard output)"),
    OPTION("second-cofactor", KEY_SECOND_COFACTOR, "FILE", "Write V to FILE (-: standard output)"),
    OPERATION_OPTIONS, OPTION("output", KEY_OUTPUT, "FILE", "Write G to FILE (-: standard output)"),
    OPTION_END};

const struct command command_xgcd = {
    .name = "xgcd",
    .summary = "A greatest common divisor and its cofactors",
    .arguments = "A B",
    .doc = "Computes the greatest common divisor G of the polynomials in the files A and B, and "
           "cofactors of least degrees: G = U A + V B. Writes those that are asked for: at least "
           "one of -o, -u and -v is required. The command writes files only when all results are "
           "verified."
           "\vJSON keys: operation, field, len_a, len_b, len_g, len_u, len_v, " OPERATION_KEYS ".",
    .options = xgcd_options,
    .operands = true,
    .files = 2,
    .run = run_xgcd};

/* ---- resultant and discriminant ---- */

/* *text := the constant c in decimal, which the caller frees; NULL: no memory. */
static char *decimal(const gfp_poly *c)
{
    uint64_t x[GFP_MAX_K];
    const size_t size = gfp_elem_string_size(c->field, 10);
    char *text = malloc(size);
    gfp_poly_get_coeff(c, x, 0);
    if (text != NULL && gfp_elem_get_string(c->field, text, size, NULL, 10, x) != GFP_OK) {
        free(text);
        return NULL;
    }
    return text;
}

static gfp_status set_constant(gfp_poly *c, const uint64_t *r, gfp_status status)
{
    return status == GFP_OK ? gfp_poly_set_coeff(c, 0, r) : status;
}

static gfp_status compute_resultant(const struct operation *operation, gfp_poly *c,
                                    const struct input *input, const gfp_options *options)
{
    uint64_t r[GFP_MAX_K];
    (void)operation;
    return set_constant(
        c, r, gfp_poly_resultant(r, &input->operand[0].poly, &input->operand[1].poly, options));
}

static gfp_status compute_discriminant(const struct operation *operation, gfp_poly *c,
                                       const struct input *input, const gfp_options *options)
{
    uint64_t r[GFP_MAX_K];
    (void)operation;
    return set_constant(c, r, gfp_poly_discriminant(r, &input->operand[0].poly, options));
}

static void describe_number(const struct operation *operation, struct json *json, const gfp_poly *c,
                            const struct input *input)
{
    char *text = decimal(c);
    json_u64(json, "len_a", input->operand[0].poly.len);
    if (operation->files == 2) {
        json_u64(json, "len_b", input->operand[1].poly.len);
    } else {
        json_null(json, "len_b");
    }
    json_string(json, operation->name, text);
    free(text);
}

static gfp_status put_number(FILE *stream, const gfp_poly *c)
{
    char *text = decimal(c);
    if (text == NULL) {
        return GFP_ERR_MEMORY;
    }
    const gfp_status status = fprintf(stream, "%s\n", text) < 0 ? GFP_ERR_IO : GFP_OK;
    const int error_number = errno;
    free(text);
    errno = error_number;
    return status;
}

static int run_resultant(const struct settings *settings)
{
    struct operation operation = {.settings = settings,
                                  .name = "resultant",
                                  .label = "resultant",
                                  .file = settings->file,
                                  .files = 2,
                                  .results = 1,
                                  .place = {usual_place(settings)},
                                  .compute = compute_resultant,
                                  .describe = describe_number,
                                  .put = put_number};
    return run_operation(&operation);
}

static int run_discriminant(const struct settings *settings)
{
    struct operation operation = {.settings = settings,
                                  .name = "discriminant",
                                  .label = "discriminant",
                                  .file = settings->file,
                                  .files = 1,
                                  .results = 1,
                                  .place = {usual_place(settings)},
                                  .compute = compute_discriminant,
                                  .describe = describe_number,
                                  .put = put_number};
    return run_operation(&operation);
}

static const struct argp_option number_options[] = {OPERATION_OPTIONS_WITHOUT_FORMAT, OPTION_OUTPUT,
                                                    OPTION_END};

const struct command command_resultant = {
    .name = "resultant",
    .summary = "The resultant of two polynomials",
    .arguments = "A B",
    .doc = "Writes the resultant of the polynomials in the files A and B in decimal: the product "
           "of the values of B at the roots of A, times a power of the leading coefficient of A. "
           "The command verifies the quotients of Euclid's algorithm, and writes nothing if the "
           "verification fails."
           "\vJSON keys: operation, field, len_a, len_b, resultant (a string of decimal "
           "digits), " OPERATION_KEYS ".",
    .options = number_options,
    .operands = true,
    .files = 2,
    .run = run_resultant};

const struct command command_discriminant = {
    .name = "discriminant",
    .summary = "The discriminant of a polynomial",
    .arguments = "A",
    .doc = "Writes the discriminant of the polynomial in the file A in decimal; it is 0 if A has a "
           "multiple root. The command verifies the quotients of Euclid's algorithm, and writes "
           "nothing if the verification fails."
           "\vJSON keys: operation, field, len_a, len_b (null), discriminant (a string of decimal "
           "digits), " OPERATION_KEYS ".",
    .options = number_options,
    .operands = true,
    .files = 1,
    .run = run_discriminant};
