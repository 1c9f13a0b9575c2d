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

typedef gfp_status (*with_settings)(gfp_poly *c, const gfp_poly *a, const struct settings *settings,
                                    const gfp_options *options);

/* ---- operations with options of their own; n = 0: without --terms ---- */

static gfp_status power(gfp_poly *c, const gfp_poly *a, const struct settings *settings,
                        const gfp_options *options)
{
    size_t limbs;
    uint64_t *words = exponent_words(a->field, settings->exponent, &limbs);
    const gfp_status status = words == NULL
                                  ? GFP_ERR_MEMORY
                                  : gfp_poly_pow_series(c, a, words, limbs, settings->n, options);
    free(words);
    return status;
}

static gfp_status derivative(gfp_poly *c, const gfp_poly *a, const struct settings *settings,
                             const gfp_options *options)
{
    const size_t n = settings->n;
    const gfp_status status = gfp_poly_truncate(c, a, n != 0 && n < a->len ? n + 1 : a->len);
    return status == GFP_OK ? gfp_poly_derivative(c, c, options) : status;
}

static gfp_status integral(gfp_poly *c, const gfp_poly *a, const struct settings *settings,
                           const gfp_options *options)
{
    const size_t n = settings->n;
    const gfp_status status = gfp_poly_truncate(c, a, n != 0 ? n - 1 : a->len);
    return status == GFP_OK ? gfp_poly_integral(c, c, options) : status;
}

static gfp_status shift(gfp_poly *c, const gfp_poly *a, const struct settings *settings,
                        const gfp_options *options)
{
    uint64_t x[GFP_MAX_K];
    set_number(a->field, x, settings->point);
    const gfp_status status = shift_polynomial(c, a, x, options);
    return status == GFP_OK && settings->n != 0 ? gfp_poly_truncate(c, c, settings->n) : status;
}

/* ---- the table ---- */

/* The operations; each has one of three functions. */
static const struct kind {
    const char *name;
    unary compute;
    binary compute_two;
    with_settings compute_with;
    unsigned needs;       /* GIVEN_ bits */
    bool divides_numbers; /* by 1, 2, ..., n - 1 */
} kinds[] = {
    {"inverse", gfp_poly_inv_series, NULL, NULL, GIVEN_TERMS, false},
    {"quotient", NULL, gfp_poly_div_series, NULL, GIVEN_TERMS, false},
    {"sqrt", gfp_poly_sqrt_series, NULL, NULL, GIVEN_TERMS, false},
    {"invsqrt", gfp_poly_invsqrt_series, NULL, NULL, GIVEN_TERMS, false},
    {"log", gfp_poly_log_series, NULL, NULL, GIVEN_TERMS, true},
    {"exp", gfp_poly_exp_series, NULL, NULL, GIVEN_TERMS, true},
    {"power", NULL, NULL, power, GIVEN_TERMS | GIVEN_EXPONENT, false},
    {"compose", NULL, gfp_poly_compose_series, NULL, GIVEN_TERMS, false},
    {"revert", gfp_poly_revert_series, NULL, NULL, GIVEN_TERMS, false},
    {"derivative", NULL, NULL, derivative, 0, false},
    {"integral", NULL, NULL, integral, 0, false},
    {"shift", NULL, NULL, shift, GIVEN_POINT, false},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))
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
static int check_kind(const struct kind *kind, const struct settings *settings)
{
    static const struct {
        unsigned bit;
        const char *name;
        bool all; /* operations accept it */
    } own[] = {{GIVEN_TERMS, "terms", true},
               {GIVEN_EXPONENT, "exponent", false},
               {GIVEN_POINT, "point", false}};
    if (settings->files != (kind->compute_two != NULL ? 3 : 2)) {
        complain("series: %s takes %s", kind->name,
                 kind->compute_two != NULL ? "two series, A B" : "one series, A");
        return BAD_USAGE;
    }
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        const bool needed = (kind->needs & own[i].bit) != 0;
        const bool given = (settings->given & own[i].bit) != 0;
        if (needed && !given) {
            complain("series: %s: --%s is required", kind->name, own[i].name);
            return BAD_USAGE;
        }
        if (given && !needed && !own[i].all) {
            complain("series: %s takes no --%s", kind->name, own[i].name);
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

static gfp_status compute_series(const struct operation *operation, gfp_poly *c,
                                 const struct input *input, const gfp_options *options)
{
    const struct kind *kind = find_kind(operation->settings->file[0]);
    const gfp_poly *a = &input->operand[0].poly;
    const size_t n = operation->settings->n;
    if (kind->compute_two != NULL) {
        return kind->compute_two(c, a, &input->operand[1].poly, n, options);
    }
    if (kind->compute_with != NULL) {
        return kind->compute_with(c, a, operation->settings, options);
    }
    const gfp_status status = kind->compute(c, a, n, options);
    return status == GFP_ERR_UNAVAILABLE && kind->divides_numbers && is_below(input->field, n)
               ? GFP_ERR_NOT_INVERTIBLE
               : status;
}

static void describe_series(const struct operation *operation, struct json *json, const gfp_poly *c,
                            const struct input *input)
{
    const struct settings *settings = operation->settings;
    json_u64(json, "len_a", input->operand[0].poly.len);
    if (operation->files == 2) {
        json_u64(json, "len_b", input->operand[1].poly.len);
    } else {
        json_null(json, "len_b");
    }
    json_u64(json, "len_c", c->len);
    if (settings->n != 0) {
        json_u64(json, "terms", settings->n);
    } else {
        json_null(json, "terms");
    }
    if (settings->exponent != NULL) {
        json_string(json, "exponent", settings->exponent);
    }
    if (settings->point != NULL) {
        json_string(json, "point", settings->point);
    }
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
    const int code = check_kind(kind, settings);
    return code == DONE ? run_operation(&operation) : code;
}

static const struct argp_option series_options[] = {
    OPTION("terms", KEY_TERMS, "N", "The number of coefficients of the result"),
    OPTION("exponent", KEY_EXPONENT, "E",
           "The exponent of power: decimal, hexadecimal after 0x, of any size; or p, the "
           "characteristic"),
    OPTION("point", KEY_POINT, "C",
           "The point of shift: a whole number in decimal, or in hexadecimal after 0x, of either "
           "sign"),
    OPERATION_OPTIONS,
    OPTION_OUTPUT,
    OPTION_END};

const struct command command_series = {
    .name = "series",
    .summary = "Inverses, roots, log, exp, powers, compositions",
    .arguments = KIND_NAMES " A [B]",
    .doc = "Writes the first N coefficients of 1/A, A/B, the square root of A, its inverse, log A, "
           "exp A, the power of A with --exponent, A(B), the series with A(X) = x, the derivative "
           "of A, its integral with constant term 0, or A(x + C), the shift by --point; --terms "
           "gives N. Derivative, integral and shift have all coefficients without --terms. "
           "Coefficients beyond the polynomial in a file are 0. The "
           "constant term must not be 0 for a divisor, must be 1 for sqrt, invsqrt and log, and 0 "
           "for exp, for B in A(B) and for revert, which divides by the coefficient of x; log, "
           "exp and integral need p >= N. The command verifies the result before it writes "
           "it, but for derivatives and integrals, which take no products."
           "\vJSON keys: operation, field, len_a, len_b (null: no B), len_c, terms (null: all), "
           "exponent (power: as given), point (shift: as given), " OPERATION_KEYS ".",
    .options = series_options,
    .operands = true,
    .files = 2,
    .most_files = 3,
    .run = run_series};
