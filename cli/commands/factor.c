/* factor.c: the subcommands roots and factor: roots in Z/pZ, factorisation. Results are lines
 * of text: a multiplicity, a space, and a root or a factor.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "cli/cli.h"

static int begin_factors(struct call *call)
{
    if (call->request->format == GFP_FORMAT_BINARY) {
        complain("%s: the lines are text: --format binary is not possible", call->name);
        return BAD_USAGE;
    }
    return DONE;
}

static gfp_options factor_seeded(const struct call *call, const gfp_options *options)
{
    gfp_options copy = *options;
    copy.verify_seed = call->request->own.factor.seed;
    return copy;
}

/* ---- roots ---- */

static gfp_status find_roots(struct call *call, const gfp_options *options)
{
    const gfp_options copy = factor_seeded(call, options);
    gfp_roots_init(&call->c.own.roots, call->input.field);
    return gfp_poly_roots(&call->c.own.roots, poly_of(call, 0), &copy);
}

/* The root i in decimal, which the caller frees; NULL: no memory. */
static char *root_text(const gfp_roots *R, size_t i)
{
    return element_text(R->field, R->root + i * gfp_field_k(R->field));
}

static gfp_status write_roots(const struct call *call, FILE *stream, gfp_format format)
{
    const gfp_roots *R = &call->c.own.roots;
    gfp_status status = GFP_OK;
    (void)format;
    for (size_t i = 0; i < R->count && status == GFP_OK; i++) {
        char *text = root_text(R, i);
        status = text == NULL                                                ? GFP_ERR_MEMORY
                 : fprintf(stream, "%zu %s\n", R->multiplicity[i], text) < 0 ? GFP_ERR_IO
                                                                             : GFP_OK;
        const int error_number = errno;
        free(text);
        errno = error_number;
    }
    return status;
}

static void describe_roots(const struct call *call, struct json *json)
{
    const gfp_roots *R = &call->c.own.roots;
    json_open(json, "roots", '[');
    for (size_t i = 0; i < R->count; i++) {
        char *text = root_text(R, i);
        json_open(json, NULL, '{');
        json_u64(json, "multiplicity", R->multiplicity[i]);
        json_string(json, "root", text);
        json_close(json, '}');
        free(text);
    }
    json_close(json, ']');
}

static void free_roots(struct call *call)
{
    gfp_roots_clear(&call->c.own.roots);
}

/* ---- factor ---- */

static gfp_status factor_operand(struct call *call, const gfp_options *options)
{
    const gfp_options copy = factor_seeded(call, options);
    gfp_factors_init(&call->c.own.factors, call->input.field);
    return gfp_poly_factor(&call->c.own.factors, poly_of(call, 0), &copy);
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

static gfp_status write_factors(const struct call *call, FILE *stream, gfp_format format)
{
    const gfp_factors *F = &call->c.own.factors;
    gfp_status status = write_leading(stream, F, format);
    for (size_t i = 0; i < F->count && status == GFP_OK; i++) {
        status = write_factor(stream, F->factor[i].exponent, &F->factor[i].poly, format);
    }
    return status;
}

static void describe_factors(const struct call *call, struct json *json)
{
    const gfp_factors *F = &call->c.own.factors;
    char *leading = element_text(F->field, F->leading);
    json_string(json, "leading", leading);
    free(leading);
    json_open(json, "factors", '[');
    for (size_t i = 0; i < F->count; i++) {
        json_open(json, NULL, '{');
        json_u64(json, "multiplicity", F->factor[i].exponent);
        json_u64(json, "degree", F->factor[i].poly.len - 1);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void free_factors(struct call *call)
{
    gfp_factors_clear(&call->c.own.factors);
}

/* ---- the subcommands ---- */

const struct command factor_commands[] = {
    {.name = "roots",
     .summary = "Find the roots in Z/pZ of a polynomial",
     .arguments = "F",
     .doc = "Writes the roots in Z/pZ of the polynomial in the file F, one line each: the "
            "multiplicity, a space, the root in decimal. The roots are in ascending order; a "
            "polynomial without roots has no lines. The command verifies that the product of all X "
            "- root divides F."
            "\vJSON keys: operation, field, len_a, len_b (null), roots (multiplicity, root in "
            "decimal), " OPERATION_KEYS ".",
     .files = 1,
     .operands = true,
     .operation = {.label = "roots",
                   .role = {"F"},
                   .demand = {NOT_ZERO},
                   .begin = begin_factors,
                   .compute = find_roots,
                   .members = {{"len_a", LENGTH_OF, 0}, {"len_b", LENGTH_OF, 1}},
                   .describe = describe_roots,
                   .write = write_roots,
                   .free_own = free_roots}},
    {.name = "factor",
     .summary = "Factor a polynomial into irreducible ones",
     .arguments = "F",
     .doc = "Writes the irreducible factors of the polynomial in the file F, one line each: the "
            "multiplicity, a space, the factor as text. Factors are monic and sorted by degree, "
            "then by coefficients from the highest power down; a leading coefficient other than 1, "
            "and that of a constant, is the first line. The command verifies that the factors "
            "multiply back to F; --verify full also proves that each is irreducible."
            "\vThe lines are text in FLINT's form, or in NTL's with --format ntl. JSON keys: "
            "operation, field, len_a, len_b (null), leading (the leading coefficient in decimal), "
            "factors (multiplicity, degree), " OPERATION_KEYS ".",
     .files = 1,
     .operands = true,
     .operation = {.label = "factoring",
                   .role = {"F"},
                   .demand = {NOT_ZERO},
                   .begin = begin_factors,
                   .compute = factor_operand,
                   .members = {{"len_a", LENGTH_OF, 0}, {"len_b", LENGTH_OF, 1}},
                   .describe = describe_factors,
                   .write = write_factors,
                   .free_own = free_factors}},
    {.name = NULL}};
