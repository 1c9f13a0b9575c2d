/* tree.c: the subcommands multieval and interp: values of a polynomial at many points, and
 * interpolation. Points and values are vectors: the zeros at the end of a file count.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>

#include "cli/cli.h"

/* ---- vectors ---- */

size_t count_points(const struct settings *settings, const struct operand *points)
{
    return settings->count != 0 ? settings->count : points->stored;
}

gfp_status take_vector(uint64_t **x, const struct operand *operand, size_t n, gfp_error *error)
{
    const gfp_field *field = operand->poly.field;
    const size_t k = gfp_field_k(field), len = operand->poly.len;
    if (operand->stored > n) {
        snprintf(error->message, sizeof(error->message), "%.100s: %zu elements for %zu points",
                 shown_path(operand->path), operand->stored, n);
        return GFP_ERR_SIZE;
    }
    *x = n < SIZE_MAX / k / sizeof(**x) ? malloc((n + 1) * k * sizeof(**x)) : NULL;
    if (*x == NULL) {
        snprintf(error->message, sizeof(error->message), "no memory for %zu points", n);
        return GFP_ERR_MEMORY;
    }
    gfp_vec_copy(field, *x, operand->poly.digits, len);
    gfp_vec_zero(field, *x + len * k, n - len);
    return GFP_OK;
}

/* ---- multieval ---- */

/* The files of multieval. */
enum { POLYNOMIAL, POINTS };

/* c := n values, zeros at the end included. */
static gfp_status evaluate(const struct operation *operation, gfp_poly *c,
                           const struct input *input, const gfp_options *options)
{
    const struct operand *points = &input->operand[POINTS];
    const size_t n = count_points(operation->settings, points);
    uint64_t *x = NULL;
    gfp_status status = take_vector(&x, points, n, options->error);
    if (status == GFP_OK) {
        status = gfp_poly_fit_length(c, n);
    }
    if (status == GFP_OK) {
        status = gfp_poly_multieval(c->digits, &input->operand[POLYNOMIAL].poly, x, n, options);
    }
    if (status == GFP_OK) {
        c->len = n;
    }
    free(x);
    return status;
}

static void describe_values(const struct operation *operation, struct json *json, const gfp_poly *c,
                            const struct input *input)
{
    (void)operation;
    json_u64(json, "len_a", input->operand[POLYNOMIAL].poly.len);
    json_u64(json, "len_b", c->len);
    json_u64(json, "len_c", c->len);
}

static int run_multieval(const struct settings *settings)
{
    struct operation operation = {.settings = settings,
                                  .name = "multieval",
                                  .label = "evaluating",
                                  .file = settings->file,
                                  .files = 2,
                                  .results = 1,
                                  .place = {usual_place(settings)},
                                  .compute = evaluate,
                                  .describe = describe_values};
    return run_operation(&operation);
}

#define OPTION_COUNT                                                                               \
    OPTION("count", KEY_COUNT, "N",                                                                \
           "The number of points: those behind the end of the file X are 0 (default: as many as "  \
           "the file has)")

static const struct argp_option multieval_options[] = {OPTION_COUNT, OPERATION_OPTIONS,
                                                       OPTION_OUTPUT, OPTION_END};

const struct command command_multieval = {
    .name = "multieval",
    .summary = "Evaluate a polynomial at many points",
    .arguments = "F X",
    .doc = "Writes the values of the polynomial in the file F at the points in the file X, a "
           "vector: zeros at its end count, and so do those of the values. The command verifies "
           "the values before it writes them."
           "\vJSON keys: operation, field, len_a (the polynomial), len_b (the points), len_c (the "
           "values), " OPERATION_KEYS ".",
    .options = multieval_options,
    .operands = true,
    .files = 2,
    .run = run_multieval};

/* ---- interp ---- */

/* The files of interp. */
enum { NODES, VALUES };

/* The error of two equal points names their file. */
static void name_points(gfp_status status, const struct operand *points, gfp_error *error)
{
    char message[sizeof(error->message)];
    if (status == GFP_ERR_NOT_INVERTIBLE) {
        snprintf(message, sizeof(message), "%s", error->message);
        snprintf(error->message, sizeof(error->message), "%.80s: %.150s", shown_path(points->path),
                 message);
    }
}

static gfp_status interpolate(const struct operation *operation, gfp_poly *c,
                              const struct input *input, const gfp_options *options)
{
    const struct operand *points = &input->operand[NODES];
    const size_t n = count_points(operation->settings, points);
    uint64_t *x = NULL, *y = NULL;
    gfp_status status = take_vector(&x, points, n, options->error);
    if (status == GFP_OK) {
        status = take_vector(&y, &input->operand[VALUES], n, options->error);
    }
    if (status == GFP_OK) {
        status = gfp_poly_interpolate(c, x, y, n, options);
        name_points(status, points, options->error);
    }
    free(x);
    free(y);
    return status;
}

static void describe_interpolation(const struct operation *operation, struct json *json,
                                   const gfp_poly *c, const struct input *input)
{
    json_u64(json, "len_a", count_points(operation->settings, &input->operand[NODES]));
    json_u64(json, "len_b", input->operand[VALUES].stored);
    json_u64(json, "len_c", c->len);
}

static int run_interp(const struct settings *settings)
{
    struct operation operation = {.settings = settings,
                                  .name = "interp",
                                  .label = "interpolating",
                                  .file = settings->file,
                                  .files = 2,
                                  .results = 1,
                                  .place = {usual_place(settings)},
                                  .compute = interpolate,
                                  .describe = describe_interpolation};
    return run_operation(&operation);
}

static const struct argp_option interp_options[] = {OPTION_COUNT, OPERATION_OPTIONS, OPTION_OUTPUT,
                                                    OPTION_END};

const struct command command_interp = {
    .name = "interp",
    .summary = "Find the polynomial with given values",
    .arguments = "X Y",
    .doc = "Writes the polynomial of least degree that has the values in the file Y at the points "
           "in the file X. Both are vectors: zeros at the end of X count, and values behind the "
           "end of Y are 0. The points must be different. The command verifies the polynomial "
           "before it writes it."
           "\vJSON keys: operation, field, len_a (the points), len_b (the values in the file), "
           "len_c, " OPERATION_KEYS ".",
    .options = interp_options,
    .operands = true,
    .files = 2,
    .run = run_interp};
