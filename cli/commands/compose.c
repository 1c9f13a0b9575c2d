/* compose.c: the subcommand compose: composition of polynomials, also modulo a polynomial.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/cli.h"

/* ---- modulo a polynomial ---- */

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

/* ---- modulo X^N ---- */

gfp_status shift_polynomial(gfp_poly *c, const gfp_poly *f, const uint64_t *x,
                            const gfp_options *options)
{
    gfp_poly inner;
    gfp_status status = gfp_poly_taylor_shift(c, f, x, options);
    if (status != GFP_ERR_UNAVAILABLE) {
        return status;
    }
    /* The characteristic is below the length of f. */
    gfp_poly_init(&inner, f->field);
    status = gfp_poly_set_coeff_u64(&inner, 1, 1);
    if (status == GFP_OK) {
        status = gfp_poly_set_coeff(&inner, 0, x);
    }
    if (status == GFP_OK) {
        status = gfp_poly_compose(c, f, &inner, options);
    }
    gfp_poly_clear(&inner);
    return status;
}

/* f(g) modulo X^n is F(g - g_0) with F = f(X + g_0) modulo X^n. The bar shows the composition. */
static gfp_status compose_from(gfp_poly *c, const struct input *input, const uint64_t *x, size_t n,
                               const gfp_options *options)
{
    gfp_report step = {.threads = 1};
    gfp_options shifting = *options;
    gfp_poly f, g;
    gfp_poly_init(&f, input->field);
    gfp_poly_init(&g, input->field);
    shifting.report = &step;
    shifting.progress = NULL;
    gfp_status status = shift_polynomial(&f, &input->operand[OUTER].poly, x, &shifting);
    if (status == GFP_OK) {
        status = gfp_poly_truncate(&f, &f, n);
    }
    if (status == GFP_OK) {
        status = gfp_poly_copy(&g, &input->operand[INNER].poly);
    }
    if (status == GFP_OK) {
        uint64_t zero[GFP_MAX_K] = {0};
        status = gfp_poly_set_coeff(&g, 0, zero);
    }
    if (status == GFP_OK) {
        status = gfp_poly_compose_series(c, &f, &g, n, options);
        options->report->multiply_ns += step.multiply_ns;
        options->report->verify_ns += step.verify_ns;
    }
    gfp_poly_clear(&f);
    gfp_poly_clear(&g);
    return status;
}

/* The coefficients of f(g), at most. */
static size_t most_coefficients(const gfp_poly *f, const gfp_poly *g)
{
    const size_t df = f->len > 1 ? f->len - 1 : 0, dg = g->len > 1 ? g->len - 1 : 0;
    return dg != 0 && df > (SIZE_MAX - 1) / dg ? SIZE_MAX : df * dg + 1;
}

static gfp_status compose_truncated(gfp_poly *c, const struct input *input, size_t n,
                                    const gfp_options *options)
{
    const gfp_poly *f = &input->operand[OUTER].poly, *g = &input->operand[INNER].poly;
    const size_t most = most_coefficients(f, g);
    uint64_t x[GFP_MAX_K];
    gfp_poly_get_coeff(g, x, 0);
    n = n < most ? n : most;
    return gfp_elem_is_zero(input->field, x) ? gfp_poly_compose_series(c, f, g, n, options)
                                             : compose_from(c, input, x, n, options);
}

/* ---- the subcommand ---- */

static gfp_status compose(const struct operation *operation, gfp_poly *c, const struct input *input,
                          const gfp_options *options)
{
    const struct settings *settings = operation->settings;
    if (settings->modulus != NULL) {
        return compose_modulo(c, input, options);
    }
    return settings->n != 0 ? compose_truncated(c, input, settings->n, options)
                            : gfp_poly_compose(c, &input->operand[OUTER].poly,
                                               &input->operand[INNER].poly, options);
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
    if (operation->settings->n != 0) {
        json_u64(json, "length", operation->settings->n);
    } else {
        json_null(json, "length");
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
                                  .role = {"F", "G", "the modulus"},
                                  .demand = {ANY_POLYNOMIAL, ANY_POLYNOMIAL, NOT_CONSTANT},
                                  .results = 1,
                                  .place = {usual_place(settings)},
                                  .compute = compose,
                                  .describe = describe_composition};
    if (settings->modulus != NULL && settings->n != 0) {
        complain("compose: --modulus and --length exclude each other");
        return BAD_USAGE;
    }
    return run_operation(&operation);
}

static const struct argp_option compose_options[] = {
    OPTION("modulus", KEY_MODULUS, "FILE",
           "Compose modulo the polynomial in FILE, of degree 1 at least"),
    OPTION("length", KEY_LENGTH, "N", "Compute the first N coefficients of F(G) alone"),
    OPERATION_OPTIONS, OPTION_OUTPUT, OPTION_END};

const struct command command_compose = {
    .name = "compose",
    .summary = "Compose two polynomials, also modulo a third one",
    .arguments = "F G",
    .doc =
        "Writes F(G), or with --modulus the remainder of F(G) by the modulus. The degree of F(G) "
        "is the product of the degrees of F and G; --length computes its first coefficients alone. "
        "The command verifies F(G) at random points, modulo a polynomial every product inside, "
        "before it writes the result."
        "\vJSON keys: operation, field, len_a (F), len_b (G), len_modulus, length (null: "
        "not given), len_c, " OPERATION_KEYS ".",
    .options = compose_options,
    .operands = true,
    .files = 2,
    .run = run_compose};
