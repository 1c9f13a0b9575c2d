/* divide.c: the subcommands divrem and powmod: division with remainder, powers modulo a
 * polynomial.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* ---- divrem ---- */

/* The results of divrem. */
enum { QUOTIENT, REMAINDER };

static gfp_status divide(const struct operation *operation, gfp_poly *c, const struct input *input,
                         const gfp_options *options)
{
    const struct settings *settings = operation->settings;
    const gfp_poly *a = &input->operand[0].poly, *b = &input->operand[1].poly;
    if (settings->remainder == NULL) {
        return gfp_poly_div(&c[QUOTIENT], a, b, options);
    }
    if (settings->quotient == NULL) {
        return gfp_poly_rem(&c[REMAINDER], a, b, options);
    }
    return gfp_poly_divrem(&c[QUOTIENT], &c[REMAINDER], a, b, options);
}

/* The length of a result that was asked for, else null. */
static void describe_result(struct json *json, const char *key, const char *path,
                            const gfp_poly *result)
{
    if (path != NULL) {
        json_u64(json, key, result->len);
    } else {
        json_null(json, key);
    }
}

static void describe_division(const struct operation *operation, struct json *json,
                              const gfp_poly *c, const struct input *input)
{
    json_u64(json, "len_a", input->operand[0].poly.len);
    json_u64(json, "len_b", input->operand[1].poly.len);
    describe_result(json, "len_q", operation->settings->quotient, &c[QUOTIENT]);
    describe_result(json, "len_r", operation->settings->remainder, &c[REMAINDER]);
}

static int run_divrem(const struct settings *settings)
{
    struct operation operation = {.settings = settings,
                                  .name = "divrem",
                                  .label = "dividing",
                                  .file = settings->file,
                                  .files = 2,
                                  .role = {"A", "B"},
                                  .demand = {ANY_POLYNOMIAL, DIVISOR_NOT_ZERO},
                                  .results = 2,
                                  .place = {{.option = "-q", .path = settings->quotient},
                                            {.option = "-r", .path = settings->remainder}},
                                  .compute = divide,
                                  .describe = describe_division};
    if (settings->quotient == NULL && settings->remainder == NULL) {
        complain("divrem: give -q FILE for the quotient, -r FILE for the remainder, or both");
        return BAD_USAGE;
    }
    return run_operation(&operation);
}

static const struct argp_option divrem_options[] = {
    OPTION("quotient", KEY_QUOTIENT, "FILE", "Write the quotient to FILE (-: standard output)"),
    OPTION("remainder", KEY_REMAINDER, "FILE", "Write the remainder to FILE (-: standard output)"),
    OPERATION_OPTIONS, OPTION_END};

const struct command command_divrem = {
    .name = "divrem",
    .summary = "Divide with remainder and verify the results",
    .arguments = "A B",
    .doc = "Divides the polynomial in the file A by that in B: A = Q B + R, the degree of R is "
           "below that of B. Writes Q, R, or both: at least one of -q and -r is required. The "
           "command writes files only when all results are verified."
           "\vJSON keys: operation, field, len_a, len_b, len_q, len_r (null: not "
           "computed), " OPERATION_KEYS ".",
    .options = divrem_options,
    .operands = true,
    .files = 2,
    .run = run_divrem};

/* ---- powmod ---- */

/* c := the power, with the exponent that --exponent gives. */
static gfp_status power(gfp_poly *c, const gfp_poly *a, const char *exponent, const gfp_modulus *M,
                        const gfp_options *options)
{
    size_t limbs;
    if (strcmp(exponent, "p") == 0) {
        return gfp_poly_pow_p_mod(c, a, M, options);
    }
    uint64_t *words = exponent_words(a->field, exponent, &limbs);
    const gfp_status status =
        words == NULL ? GFP_ERR_MEMORY : gfp_poly_pow_mod(c, a, words, limbs, M, options);
    free(words);
    return status;
}

/* The files of powmod: the modulus, and the base unless that is x. */
enum { MODULUS, BASE };

static bool base_is_x(const struct settings *settings)
{
    return strcmp(settings->base, "x") == 0;
}

/* The report then has the times of both calls. The bar shows the power alone. */
static gfp_status power_modulo(const struct operation *operation, gfp_poly *c,
                               const struct input *input, const gfp_options *options)
{
    gfp_report made = {.threads = 1};
    gfp_options making = *options;
    gfp_modulus *M = NULL;
    gfp_poly x;
    making.report = &made;
    making.progress = NULL;
    gfp_poly_init(&x, input->field);
    gfp_status status = gfp_modulus_create(&M, &input->operand[MODULUS].poly, &making);
    if (status == GFP_OK) {
        status = gfp_poly_set_coeff_u64(&x, 1, 1);
    }
    if (status == GFP_OK) {
        const gfp_poly *a = base_is_x(operation->settings) ? &x : &input->operand[BASE].poly;
        status = power(c, a, operation->settings->exponent, M, options);
        options->report->multiply_ns += made.multiply_ns;
        options->report->verify_ns += made.verify_ns;
    }
    gfp_modulus_destroy(M);
    gfp_poly_clear(&x);
    return status;
}

static void describe_power(const struct operation *operation, struct json *json, const gfp_poly *c,
                           const struct input *input)
{
    const bool x = base_is_x(operation->settings);
    json_u64(json, "len_a", x ? 2 : input->operand[BASE].poly.len);
    json_u64(json, "len_b", input->operand[MODULUS].poly.len);
    json_u64(json, "len_c", c->len);
    json_string(json, "exponent", operation->settings->exponent);
}

static int run_powmod(const struct settings *settings)
{
    const char *const file[] = {settings->modulus, settings->base};
    struct operation operation = {.settings = settings,
                                  .name = "powmod",
                                  .label = "powering",
                                  .file = file,
                                  .files = base_is_x(settings) ? 1 : 2,
                                  .role = {"the modulus", "the base"},
                                  .demand = {NOT_CONSTANT, ANY_POLYNOMIAL},
                                  .results = 1,
                                  .place = {usual_place(settings)},
                                  .compute = power_modulo,
                                  .describe = describe_power};
    return run_operation(&operation);
}

static const struct argp_option powmod_options[] = {
    OPTION("base", KEY_BASE, "x|FILE",
           "The base: x, the polynomial X, or a file (./x for a file called x)"),
    OPTION("exponent", KEY_EXPONENT, "E",
           "The exponent: decimal, hexadecimal after 0x, of any size; or p, the characteristic"),
    OPTION("modulus", KEY_MODULUS, "FILE", "The modulus, of degree 1 at least"),
    OPERATION_OPTIONS,
    OPTION_OUTPUT,
    OPTION_END};

const struct command command_powmod = {
    .name = "powmod",
    .summary = "Raise a polynomial to a power modulo another one",
    .arguments = NULL,
    .doc = "Writes the power of --base with --exponent modulo --modulus; all three are required. "
           "The modulus is the first input. The command verifies every product and remainder, and "
           "writes nothing if a verification fails."
           "\vJSON keys: operation, field, len_a (the base), len_b (the modulus), len_c, "
           "exponent (as given), " OPERATION_KEYS ".",
    .options = powmod_options,
    .operands = true,
    .required = GIVEN_BASE | GIVEN_EXPONENT | GIVEN_MODULUS,
    .run = run_powmod};
