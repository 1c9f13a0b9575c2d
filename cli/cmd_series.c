/* cmd_series.c: the subcommand series: inverses, quotients, roots, logarithms, exponentials,
 * compositions and reversions of power series.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "cli.h"
#include "gfpoly/gmp.h"

typedef gfp_status (*unary)(gfp_poly *g, const gfp_poly *f, size_t n, const gfp_options *options);
typedef gfp_status (*binary)(gfp_poly *g, const gfp_poly *a, const gfp_poly *b, size_t n,
                             const gfp_options *options);

/* The operations. */
static const struct kind {
    const char *name;
    unary compute;        /* NULL: of two series */
    bool divides_numbers; /* by 1, 2, ..., n - 1 */
    binary compute_two;
} kinds[] = {
    {"inverse", gfp_poly_inv_series, false, NULL},
    {"quotient", NULL, false, gfp_poly_div_series},
    {"sqrt", gfp_poly_sqrt_series, false, NULL},
    {"invsqrt", gfp_poly_invsqrt_series, false, NULL},
    {"log", gfp_poly_log_series, true, NULL},
    {"exp", gfp_poly_exp_series, true, NULL},
    {"compose", NULL, false, gfp_poly_compose_series},
    {"revert", gfp_poly_revert_series, false, NULL},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* NULL for an unknown name. */
static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

static int complain_unknown(const char *name)
{
    struct suggestion s;
    begin_suggestion(&s, name);
    for (size_t i = 0; i < KINDS; i++) {
        consider(&s, kinds[i].name);
    }
    complain("series: unknown operation '%s'; available: inverse, quotient, sqrt, invsqrt, log, "
             "exp, compose, revert%s",
             name, end_suggestion(&s, ""));
    return BAD_USAGE;
}

static bool is_below(const gfp_field *field, size_t n)
{
    mpz_t p;
    mpz_init(p);
    gfp_field_get_mpz(field, p);
    const bool below = mpz_cmp_ui(p, n) < 0;
    mpz_clear(p);
    return below;
}

static gfp_status compute_series(const struct operation *operation, gfp_poly *c,
                                 const struct input *input, const gfp_options *options)
{
    const struct kind *kind = find_kind(operation->settings->file[0]);
    const gfp_poly *a = &input->operand[0].poly;
    const size_t n = operation->settings->n;
    if (kind->compute == NULL) {
        return kind->compute_two(c, a, &input->operand[1].poly, n, options);
    }
    const gfp_status status = kind->compute(c, a, n, options);
    return status == GFP_ERR_UNAVAILABLE && kind->divides_numbers && is_below(input->field, n)
               ? GFP_ERR_NOT_INVERTIBLE
               : status;
}

static void describe_series(const struct operation *operation, struct json *json, const gfp_poly *c,
                            const struct input *input)
{
    json_u64(json, "len_a", input->operand[0].poly.len);
    if (operation->files == 2) {
        json_u64(json, "len_b", input->operand[1].poly.len);
    } else {
        json_null(json, "len_b");
    }
    json_u64(json, "len_c", c->len);
    json_u64(json, "terms", operation->settings->n);
}

static int run_series(const struct settings *settings)
{
    const struct kind *kind = find_kind(settings->file[0]);
    if (kind == NULL) {
        return complain_unknown(settings->file[0]);
    }
    struct operation operation = {.settings = settings,
                                  .name = kind->name,
                                  .label = kind->name,
                                  .file = settings->file + 1,
                                  .files = settings->files - 1,
                                  .results = 1,
                                  .place = {usual_place(settings)},
                                  .compute = compute_series,
                                  .describe = describe_series};
    if (operation.files != (kind->compute == NULL ? 2 : 1)) {
        complain("series: %s takes %s", kind->name,
                 kind->compute == NULL ? "two series, A B" : "one series, A");
        return BAD_USAGE;
    }
    return run_operation(&operation);
}

static const struct argp_option series_options[] = {
    OPTION("terms", KEY_TERMS, "N", "The number of coefficients of the result"), OPERATION_OPTIONS,
    OPTION_OUTPUT, OPTION_END};

const struct command command_series = {
    .name = "series",
    .summary = "Inverses, roots, log, exp, compositions of power series",
    .arguments = "inverse|quotient|sqrt|invsqrt|log|exp|compose|revert A [B]",
    .doc = "Writes the first N coefficients of 1/A, A/B, the square root of A, its inverse, log A, "
           "exp A, A(B), or the series with A(X) = x; --terms gives N. Coefficients beyond the "
           "polynomial in a file are 0. The "
           "constant term must not be 0 for a divisor, must be 1 for sqrt, invsqrt and log, and 0 "
           "for exp, for B in A(B) and for revert, which divides by the coefficient of x; log and "
           "exp need p >= N. The command verifies the result before it writes "
           "it."
           "\vJSON keys: operation, field, len_a, len_b (null: no B), len_c, terms, " OPERATION_KEYS
           ".",
    .options = series_options,
    .operands = true,
    .files = 2,
    .most_files = 3,
    .required = GIVEN_TERMS,
    .run = run_series};
