/* series.c: the subcommand series: inverses, quotients, roots, logarithms, exponentials,
 * powers, compositions and reversions of power series; derivatives, integrals and Taylor shifts.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "gfpoly/gmp.h"

typedef gfp_status (*unary)(gfp_poly *g, const gfp_poly *f, size_t n, const gfp_options *options);
typedef gfp_status (*binary)(gfp_poly *g, const gfp_poly *a, const gfp_poly *b, size_t n,
                             const gfp_options *options);

typedef gfp_status (*with_values)(gfp_poly *c, const gfp_poly *a, const struct power_values *values,
                                  const gfp_options *options);

/* ---- operations with options of their own; n = 0: without --terms ---- */

static gfp_status series_power(gfp_poly *c, const gfp_poly *a, const struct power_values *values,
                               const gfp_options *options)
{
    size_t limbs;
    uint64_t *words = exponent_words(a->field, values->exponent, &limbs);
    const gfp_status status =
        words == NULL ? GFP_ERR_MEMORY
                      : gfp_poly_pow_series(c, a, words, limbs, values->length, options);
    free(words);
    return status;
}

static gfp_status series_derivative(gfp_poly *c, const gfp_poly *a,
                                    const struct power_values *values, const gfp_options *options)
{
    const size_t n = values->length;
    const gfp_status status = gfp_poly_truncate(c, a, n != 0 && n < a->len ? n + 1 : a->len);
    return status == GFP_OK ? gfp_poly_derivative(c, c, options) : status;
}

static gfp_status series_integral(gfp_poly *c, const gfp_poly *a, const struct power_values *values,
                                  const gfp_options *options)
{
    const size_t n = values->length;
    const gfp_status status = gfp_poly_truncate(c, a, n != 0 ? n - 1 : a->len);
    return status == GFP_OK ? gfp_poly_integral(c, c, options) : status;
}

static gfp_status series_shift(gfp_poly *c, const gfp_poly *a, const struct power_values *values,
                               const gfp_options *options)
{
    uint64_t x[GFP_MAX_K];
    set_number(a->field, x, values->point);
    const gfp_status status = shift_polynomial(c, a, x, options);
    return status == GFP_OK && values->length != 0 ? gfp_poly_truncate(c, c, values->length)
                                                   : status;
}

/* ---- the table ---- */

/* The operations; each has one of three functions. */
static const struct kind {
    const char *name;
    unary compute;
    binary compute_two;
    with_values compute_with;
    const char *needs;    /* options, besides those that all accept */
    bool divides_numbers; /* by 1, 2, ..., n - 1 */
} kinds[] = {
    {"inverse", gfp_poly_inv_series, NULL, NULL, "terms", false},
    {"quotient", NULL, gfp_poly_div_series, NULL, "terms", false},
    {"sqrt", gfp_poly_sqrt_series, NULL, NULL, "terms", false},
    {"invsqrt", gfp_poly_invsqrt_series, NULL, NULL, "terms", false},
    {"log", gfp_poly_log_series, NULL, NULL, "terms", true},
    {"exp", gfp_poly_exp_series, NULL, NULL, "terms", true},
    {"power", NULL, NULL, series_power, "terms exponent", false},
    {"compose", NULL, gfp_poly_compose_series, NULL, "terms", false},
    {"revert", gfp_poly_revert_series, NULL, NULL, "terms", false},
    {"derivative", NULL, NULL, series_derivative, "", false},
    {"integral", NULL, NULL, series_integral, "", false},
    {"shift", NULL, NULL, series_shift, "point", false},
};
#define KINDS (sizeof kinds / sizeof kinds[0])
#define KIND_NAMES                                                                                 \
    "inverse|quotient|sqrt|invsqrt|log|exp|power|compose|revert|derivative|integral|shift"

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
             "exp, power, compose, revert, derivative, integral, shift%s",
             name, end_suggestion(&s, ""));
    return BAD_USAGE;
}

/* Refuses missing operands and options, and options that the operation does not have. */
static int check_kind(const struct kind *kind, const struct request *request)
{
    static const char *const names[] = {"terms", "exponent", "point"};
    if (request->files != (kind->compute_two != NULL ? 3 : 2)) {
        complain("series: %s takes %s", kind->name,
                 kind->compute_two != NULL ? "two series, A B" : "one series, A");
        return BAD_USAGE;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const bool needed = strstr(kind->needs, names[i]) != NULL;
        const bool given = is_given(request, names[i]);
        if (needed && !given) {
            complain("series: %s: --%s is required", kind->name, names[i]);
            return BAD_USAGE;
        }
        if (given && !needed && i > 0) { /* all operations accept --terms */
            complain("series: %s takes no --%s", kind->name, names[i]);
            return BAD_USAGE;
        }
    }
    return DONE;
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

static gfp_status compute_series(struct call *call, const gfp_options *options)
{
    const struct kind *kind = find_kind(call->name);
    const struct power_values *values = &call->request->own.power;
    const gfp_poly *a = poly_of(call, 0);
    gfp_poly *c = call->c.poly;
    const size_t n = values->length;
    if (kind->compute_two != NULL) {
        return kind->compute_two(c, a, poly_of(call, 1), n, options);
    }
    if (kind->compute_with != NULL) {
        return kind->compute_with(c, a, values, options);
    }
    const gfp_status status = kind->compute(c, a, n, options);
    return status == GFP_ERR_UNAVAILABLE && kind->divides_numbers && is_below(call->input.field, n)
               ? GFP_ERR_NOT_INVERTIBLE
               : status;
}

static void describe_series(const struct call *call, struct json *json)
{
    const struct power_values *values = &call->request->own.power;
    json_length(json, "terms", values->length != 0, values->length);
    if (values->exponent != NULL) {
        json_string(json, "exponent", values->exponent);
    }
    if (values->point != NULL) {
        json_string(json, "point", values->point);
    }
}

static int begin_series(struct call *call)
{
    const struct request *request = call->request;
    const struct kind *kind = find_kind(request->file[0]);
    if (kind == NULL) {
        return complain_unknown(request->file[0]);
    }
    call->name = kind->name;
    call->file = request->file + 1;
    call->files = request->files - 1;
    return check_kind(kind, request);
}

const struct command series_commands[] = {
    {.name = "series",
     .summary = "Inverses, roots, log, exp, powers, compositions",
     .arguments = KIND_NAMES " A [B]",
     .doc = "Writes the first N coefficients of 1/A, A/B, the square root of A, its inverse, log "
            "A, exp A, the power of A with --exponent, A(B), the series with A(X) = x, the "
            "derivative of A, its integral with constant term 0, or A(x + C), the shift by "
            "--point; --terms gives N. Derivative, integral and shift have all coefficients "
            "without --terms. Coefficients beyond the polynomial in a file are 0. The constant "
            "term must not be 0 for a divisor, must be 1 for sqrt, invsqrt and log, and 0 for exp, "
            "for B in A(B) and for revert, which divides by the coefficient of x; log, exp and "
            "integral need p >= N. The command verifies the result before it writes it, but for "
            "derivatives and integrals, which take no products."
            "\vJSON keys: operation, field, len_a, len_b (null: no B), len_c, terms (null: all), "
            "exponent (power: as given), point (shift: as given), " OPERATION_KEYS ".",
     .files = 2,
     .most_files = 3,
     .operands = true,
     .operation = {.results = 1,
                   .begin = begin_series,
                   .compute = compute_series,
                   .members = {{"len_a", LENGTH_OF, 0},
                               {"len_b", LENGTH_OF, 1},
                               {"len_c", LENGTH_OF_RESULT, 0}},
                   .describe = describe_series}},
    {.name = NULL}};
