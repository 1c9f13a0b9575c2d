/* points.c: the subcommands eval, multieval and interp: values of a polynomial at a point, at many
 * points, and interpolation. Points and values are vectors: the zeros at the end of a file count.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>

#include "cli/cli.h"

/* ---- eval ---- */

/* The second argument is the point: decimal, or hexadecimal after 0x, of either sign and any size.
 */
static int begin_value(struct call *call)
{
    int base;
    size_t at;
    call->files = 1;
    if (!is_number(call->request->file[1], &base, &at)) {
        complain("X: character %zu of the point: not a digit of base %d", at + 1, base);
        return BAD_USAGE;
    }
    return DONE;
}

static gfp_status find_value(struct call *call, const gfp_options *options)
{
    uint64_t x[GFP_MAX_K];
    (void)options;
    set_number(call->input.field, x, call->request->file[1]);
    gfp_poly_eval(x, poly_of(call, 0), x);
    return gfp_poly_set_coeff(call->c.poly, 0, x);
}

/* ---- vectors ---- */

size_t count_points(const struct call *call, int points)
{
    const size_t count = call->request->own.points.count;
    return count != 0 ? count : call->input.operand[points].stored;
}

gfp_status take_vector(uint64_t **x, const struct operand *operand, size_t n, gfp_error *error)
{
    const gfp_field *field = operand->poly.field;
    const size_t k = gfp_field_k(field), len = operand->poly.len;
    if (operand->stored > n) {
        snprintf(error->message, sizeof error->message, "%.100s: %zu elements for %zu points",
                 shown_path(operand->path), operand->stored, n);
        return GFP_ERR_SIZE;
    }
    *x = n < SIZE_MAX / k / sizeof **x ? malloc((n + 1) * k * sizeof **x) : NULL;
    if (*x == NULL) {
        snprintf(error->message, sizeof error->message, "no memory for %zu points", n);
        return GFP_ERR_MEMORY;
    }
    gfp_vec_set(field, *x, operand->poly.digits, len);
    gfp_vec_zero(field, *x + len * k, n - len);
    return GFP_OK;
}

/* ---- multieval ---- */

/* The files of multieval. */
enum { POLYNOMIAL, POINTS };

/* c := n values, zeros at the end included. */
static gfp_status points_evaluate(struct call *call, const gfp_options *options)
{
    const size_t n = count_points(call, POINTS);
    gfp_poly *c = call->c.poly;
    uint64_t *x = NULL;
    gfp_status status = take_vector(&x, &call->input.operand[POINTS], n, options->error);
    if (status == GFP_OK) {
        status = gfp_poly_fit_length(c, n);
    }
    if (status == GFP_OK) {
        status = gfp_poly_eval_vec(c->digits, poly_of(call, POLYNOMIAL), x, n, options);
    }
    if (status == GFP_OK) {
        c->len = n;
    }
    free(x);
    return status;
}

/* ---- interp ---- */

/* The files of interp. */
enum { NODES, VALUES };

/* The error of two equal points names their file. */
static void name_points(gfp_status status, const struct operand *points, gfp_error *error)
{
    char message[sizeof error->message];
    if (status == GFP_ERR_NOT_INVERTIBLE) {
        snprintf(message, sizeof message, "%s", error->message);
        snprintf(error->message, sizeof error->message, "%.80s: %.150s", shown_path(points->path),
                 message);
    }
}

static gfp_status points_interpolate(struct call *call, const gfp_options *options)
{
    const struct operand *points = &call->input.operand[NODES];
    const size_t n = count_points(call, NODES);
    uint64_t *x = NULL, *y = NULL;
    gfp_status status = take_vector(&x, points, n, options->error);
    if (status == GFP_OK) {
        status = take_vector(&y, &call->input.operand[VALUES], n, options->error);
    }
    if (status == GFP_OK) {
        status = gfp_poly_interpolate(call->c.poly, x, y, n, options);
        name_points(status, points, options->error);
    }
    free(x);
    free(y);
    return status;
}

static void describe_interpolation(const struct call *call, struct json *json)
{
    json_u64(json, "len_a", count_points(call, NODES));
    json_u64(json, "len_b", call->input.operand[VALUES].stored);
    json_u64(json, "len_c", call->c.poly[0].len);
}

/* ---- the subcommands ---- */

const struct command point_commands[] = {
    {.name = "eval",
     .summary = "Evaluate a polynomial at a point",
     .arguments = "A X",
     .doc = "Writes the value of the polynomial in the file A at X, a whole number in decimal, or "
            "in hexadecimal after 0x. X may be negative, or p or larger: it stands for X mod p.",
     .files = 2,
     .negative = true,
     .operation = {.label = "evaluating",
                   .results = 1,
                   .begin = begin_value,
                   .compute = find_value,
                   .is_number = true}},
    {.name = "multieval",
     .summary = "Evaluate a polynomial at many points",
     .arguments = "F X",
     .doc = "Writes the values of the polynomial in the file F at the points in the file X, a "
            "vector: zeros at its end count, and so do those of the values. The command verifies "
            "the values before it writes them."
            "\vJSON keys: operation, field, len_a (the polynomial), len_b (the points), len_c (the "
            "values), " OPERATION_KEYS ".",
     .files = 2,
     .operands = true,
     .operation = {.label = "evaluating",
                   .results = 1,
                   .compute = points_evaluate,
                   .members = {{"len_a", LENGTH_OF, POLYNOMIAL},
                               {"len_b", LENGTH_OF_RESULT, 0},
                               {"len_c", LENGTH_OF_RESULT, 0}}}},
    {.name = "interp",
     .summary = "Find the polynomial with given values",
     .arguments = "X Y",
     .doc = "Writes the polynomial of least degree that has the values in the file Y at the points "
            "in the file X. Both are vectors: zeros at the end of X count, and values behind the "
            "end of Y are 0. The points must be different. The command verifies the polynomial "
            "before it writes it."
            "\vJSON keys: operation, field, len_a (the points), len_b (the values in the file), "
            "len_c, " OPERATION_KEYS ".",
     .files = 2,
     .operands = true,
     .operation = {.label = "interpolating",
                   .results = 1,
                   .compute = points_interpolate,
                   .describe = describe_interpolation}},
    {.name = NULL}};
