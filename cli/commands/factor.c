/* factor.c: the subcommands roots and factor: roots in Z/pZ, factorisation. Results are lines
 * of text: a multiplicity, a space, and a root or a factor.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "cli/cli.h"

/* ---- roots ---- */

/* An operation with its results; the operation is the first member. */
struct roots {
    struct operation operation;
    gfp_roots found;
};

static gfp_options seeded(const struct operation *operation, const gfp_options *options)
{
    gfp_options copy = *options;
    copy.verify_seed = operation->settings->seed;
    return copy;
}

static gfp_status find_roots(const struct operation *operation, gfp_poly *c,
                             const struct input *input, const gfp_options *options)
{
    struct roots *roots = (struct roots *)operation;
    const gfp_options copy = seeded(operation, options);
    (void)c;
    gfp_roots_init(&roots->found, input->field);
    return gfp_poly_roots(&roots->found, &input->operand[0].poly, &copy);
}

/* Room for an element in decimal, which the caller frees; NULL without memory. */
static char *element_text(const gfp_field *field, size_t *size)
{
    *size = gfp_elem_string_size(field, 10);
    return malloc(*size);
}

static gfp_status write_roots(const struct operation *operation, FILE *stream, gfp_format format)
{
    const gfp_roots *R = &((const struct roots *)operation)->found;
    size_t size;
    char *text = element_text(R->field, &size);
    gfp_status status = text != NULL ? GFP_OK : GFP_ERR_MEMORY;
    (void)format;
    for (size_t i = 0; i < R->count && status == GFP_OK; i++) {
        status = gfp_elem_get_string(R->field, text, size, NULL, 10,
                                     R->root + i * gfp_field_k(R->field));
        if (status == GFP_OK && fprintf(stream, "%zu %s\n", R->multiplicity[i], text) < 0) {
            status = GFP_ERR_IO;
        }
    }
    const int error_number = errno;
    free(text);
    errno = error_number;
    return status;
}

static void describe_roots(const struct operation *operation, struct json *json, const gfp_poly *c,
                           const struct input *input)
{
    const gfp_roots *R = &((const struct roots *)operation)->found;
    size_t size;
    char *text = element_text(R->field, &size);
    (void)c;
    json_u64(json, "len_a", input->operand[0].poly.len);
    json_null(json, "len_b");
    json_open(json, "roots", '[');
    for (size_t i = 0; i < R->count; i++) {
        const uint64_t *x = R->root + i * gfp_field_k(R->field);
        const bool written =
            text != NULL && gfp_elem_get_string(R->field, text, size, NULL, 10, x) == GFP_OK;
        json_open(json, NULL, '{');
        json_u64(json, "multiplicity", R->multiplicity[i]);
        json_string(json, "root", written ? text : NULL);
        json_close(json, '}');
    }
    json_close(json, ']');
    free(text);
}

static void free_roots(struct operation *operation)
{
    gfp_roots_clear(&((struct roots *)operation)->found);
}

/* Refuses --format binary: lines are text. */
static int check_format(const struct settings *settings)
{
    if (settings->format == (int)GFP_FORMAT_BINARY) {
        complain("%s: the lines are text: --format binary is not possible", settings->command);
        return BAD_USAGE;
    }
    return DONE;
}

static int run_roots(const struct settings *settings)
{
    struct roots roots = {.operation = {.settings = settings,
                                        .name = "roots",
                                        .label = "roots",
                                        .file = settings->file,
                                        .files = 1,
                                        .role = {"F"},
                                        .demand = {NOT_ZERO},
                                        .place = {usual_place(settings)},
                                        .compute = find_roots,
                                        .write = write_roots,
                                        .free = free_roots,
                                        .describe = describe_roots}};
    const int code = check_format(settings);
    return code == DONE ? run_operation(&roots.operation) : code;
}

static const struct argp_option factor_options[] = {
    OPERATION_OPTIONS,
    OPTION("seed", KEY_SEED, "S",
           "Seed of the random choices, 64 bits (default 0: from the system); the result does not "
           "depend on it"),
    OPTION_OUTPUT, OPTION_END};

const struct command command_roots = {
    .name = "roots",
    .summary = "Find the roots in Z/pZ of a polynomial",
    .arguments = "F",
    .doc = "Writes the roots in Z/pZ of the polynomial in the file F, one line each: the "
           "multiplicity, a space, the root in decimal. The roots are in ascending order; a "
           "polynomial without roots has no lines. The command verifies that the product of all X "
           "- root divides F."
           "\vJSON keys: operation, field, len_a, len_b (null), roots (multiplicity, root in "
           "decimal), " OPERATION_KEYS ".",
    .options = factor_options,
    .operands = true,
    .files = 1,
    .run = run_roots};

/* ---- factor ---- */

struct factors {
    struct operation operation;
    gfp_factors found;
};

static gfp_status factor(const struct operation *operation, gfp_poly *c, const struct input *input,
                         const gfp_options *options)
{
    struct factors *factors = (struct factors *)operation;
    const gfp_options copy = seeded(operation, options);
    (void)c;
    gfp_factors_init(&factors->found, input->field);
    return gfp_poly_factor(&factors->found, &input->operand[0].poly, &copy);
}

static gfp_status write_factor(FILE *stream, size_t exponent, const gfp_poly *g, gfp_format format)
{
    if (fprintf(stream, "%zu ", exponent) < 0) {
        return GFP_ERR_IO;
    }
    return gfp_poly_fwrite(g, stream, format == GFP_FORMAT_BINARY ? GFP_FORMAT_FLINT : format);
}

/* The leading coefficient is a line where it is not 1, or the only factor. */
static gfp_status write_leading(FILE *stream, const gfp_factors *F, gfp_format format)
{
    gfp_poly leading;
    if (gfp_elem_is_one(F->field, F->leading) && F->count > 0) {
        return GFP_OK;
    }
    gfp_poly_init(&leading, F->field);
    gfp_status status = gfp_poly_set_coeff(&leading, 0, F->leading);
    if (status == GFP_OK) {
        status = write_factor(stream, 1, &leading, format);
    }
    const int error_number = errno;
    gfp_poly_clear(&leading);
    errno = error_number;
    return status;
}

static gfp_status write_factors(const struct operation *operation, FILE *stream, gfp_format format)
{
    const gfp_factors *F = &((const struct factors *)operation)->found;
    gfp_status status = write_leading(stream, F, format);
    for (size_t i = 0; i < F->count && status == GFP_OK; i++) {
        status = write_factor(stream, F->factor[i].exponent, &F->factor[i].poly, format);
    }
    return status;
}

static void describe_factors(const struct operation *operation, struct json *json,
                             const gfp_poly *c, const struct input *input)
{
    const gfp_factors *F = &((const struct factors *)operation)->found;
    size_t size;
    char *text = element_text(F->field, &size);
    const bool written =
        text != NULL && gfp_elem_get_string(F->field, text, size, NULL, 10, F->leading) == GFP_OK;
    (void)c;
    json_u64(json, "len_a", input->operand[0].poly.len);
    json_null(json, "len_b");
    json_string(json, "leading", written ? text : NULL);
    free(text);
    json_open(json, "factors", '[');
    for (size_t i = 0; i < F->count; i++) {
        json_open(json, NULL, '{');
        json_u64(json, "multiplicity", F->factor[i].exponent);
        json_u64(json, "degree", F->factor[i].poly.len - 1);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void free_factors(struct operation *operation)
{
    gfp_factors_clear(&((struct factors *)operation)->found);
}

static int run_factor(const struct settings *settings)
{
    struct factors factors = {.operation = {.settings = settings,
                                            .name = "factor",
                                            .label = "factoring",
                                            .file = settings->file,
                                            .files = 1,
                                            .role = {"F"},
                                            .demand = {NOT_ZERO},
                                            .place = {usual_place(settings)},
                                            .compute = factor,
                                            .write = write_factors,
                                            .free = free_factors,
                                            .describe = describe_factors}};
    const int code = check_format(settings);
    return code == DONE ? run_operation(&factors.operation) : code;
}

const struct command command_factor = {
    .name = "factor",
    .summary = "Factor a polynomial into irreducible ones",
    .arguments = "F",
    .doc = "Writes the irreducible factors of the polynomial in the file F, one line each: the "
           "multiplicity, a space, the factor as text. Factors are monic and sorted by degree, "
           "then by coefficients from the highest power down; a leading coefficient other than 1, "
           "and that of a constant, is the first line. The command verifies that the factors "
           "multiply back to F; --verify "
           "full also proves that each is irreducible."
           "\vThe lines are text in FLINT's form, or in NTL's with --format ntl. JSON keys: "
           "operation, field, len_a, len_b (null), leading (the leading coefficient in decimal), "
           "factors (multiplicity, degree), " OPERATION_KEYS ".",
    .options = factor_options,
    .operands = true,
    .files = 1,
    .run = run_factor};
