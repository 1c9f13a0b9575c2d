/* cmd_compose.c: the subcommand compose: composition of polynomials, also modulo a polynomial.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli.h"

/* The files of compose. */
enum { OUTER, INNER, COMPOSE_MODULUS };

/* The bar shows the composition alone; the times are those of all calls. */
static gfp_status compose_modulo(gfp_poly *c, const struct input *input, const gfp_options *options)
{
    gfp_report step[2] = {{.threads = 1}, {.threads = 1}};
    gfp_options making = *options;
    gfp_modulus *M = NULL;
    gfp_compose_argument *A = NULL;
    making.report = &step[0];
    making.progress = NULL;
    gfp_status status = gfp_modulus_create(&M, &input->operand[COMPOSE_MODULUS].poly, &making);
    if (status == GFP_OK) {
        making.report = &step[1];
        making.progress = options->progress;
        status = gfp_compose_argument_create(&A, &input->operand[INNER].poly, M, 1, &making);
    }
    if (status == GFP_OK) {
        making = *options;
        making.progress = NULL;
        status = gfp_poly_compose_mod(c, &input->operand[OUTER].poly, A, &making);
        for (size_t i = 0; i < 2; i++) {
            options->report->multiply_ns += step[i].multiply_ns;
            options->report->verify_ns += step[i].verify_ns;
        }
    }
    gfp_compose_argument_destroy(A);
    gfp_modulus_destroy(M);
    return status;
}

static gfp_status compose(const struct operation *operation, gfp_poly *c, const struct input *input,
                          const gfp_options *options)
{
    return operation->settings->modulus != NULL
               ? compose_modulo(c, input, options)
               : gfp_poly_compose(c, &input->operand[OUTER].poly, &input->operand[INNER].poly,
                                  options);
}

static void describe_composition(const struct operation *operation, struct json *json,
                                 const gfp_poly *c, const struct input *input)
{
    json_u64(json, "len_a", input->operand[OUTER].poly.len);
    json_u64(json, "len_b", input->operand[INNER].poly.len);
    if (operation->settings->modulus != NULL) {
        json_u64(json, "len_modulus", input->operand[COMPOSE_MODULUS].poly.len);
    } else {
        json_null(json, "len_modulus");
    }
    json_u64(json, "len_c", c->len);
}

static int run_compose(const struct settings *settings)
{
    const char *const file[] = {settings->file[0], settings->file[1], settings->modulus};
    struct operation operation = {.settings = settings,
                                  .name = "compose",
                                  .label = "composing",
                                  .file = file,
                                  .files = settings->modulus != NULL ? 3 : 2,
                                  .results = 1,
                                  .place = {usual_place(settings)},
                                  .compute = compose,
                                  .describe = describe_composition};
    return run_operation(&operation);
}

static const struct argp_option compose_options[] = {
    OPTION("modulus", KEY_MODULUS, "FILE",
           "Compose modulo the polynomial in FILE, of degree 1 at least"),
    OPERATION_OPTIONS, OPTION_OUTPUT, OPTION_END};

const struct command command_compose = {
    .name = "compose",
    .summary = "Compose two polynomials, also modulo a third one",
    .arguments = "F G",
    .doc =
        "Writes F(G), or with --modulus the remainder of F(G) by the modulus. The degree of F(G) "
        "is the product of the degrees of F and G; `gfpoly series compose' computes its first "
        "coefficients alone. The command verifies F(G) at random points, modulo a polynomial "
        "every product inside, before it writes the result."
        "\vJSON keys: operation, field, len_a (F), len_b (G), len_modulus (null: none), "
        "len_c, " OPERATION_KEYS ".",
    .options = compose_options,
    .files = 2,
    .run = run_compose};
