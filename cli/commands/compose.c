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
        add_report(options->report, &step[0]);
        add_report(options->report, &step[1]);
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
        status = gfp_poly_set(&g, &input->operand[INNER].poly);
    }
    if (status == GFP_OK) {
        uint64_t zero[GFP_MAX_K] = {0};
        status = gfp_poly_set_coeff(&g, 0, zero);
    }
    if (status == GFP_OK) {
        status = gfp_poly_compose_series(c, &f, &g, n, options);
        add_report(options->report, &step);
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
    gfp_poly_get_coeff(x, g, 0);
    n = n < most ? n : most;
    return gfp_elem_is_zero(input->field, x) ? gfp_poly_compose_series(c, f, g, n, options)
                                             : compose_from(c, input, x, n, options);
}

/* ---- the subcommand ---- */

static int begin_composition(struct call *call)
{
    const struct request *request = call->request;
    const char *modulus = request->own.power.modulus;
    if (modulus != NULL && request->own.power.length != 0) {
        complain("compose: --modulus and --length exclude each other");
        return BAD_USAGE;
    }
    call->own_file[OUTER] = request->file[OUTER];
    call->own_file[INNER] = request->file[INNER];
    call->own_file[COMPOSE_MODULUS] = modulus;
    call->file = call->own_file;
    call->files = modulus != NULL ? 3 : 2;
    return DONE;
}

static gfp_status compose_operands(struct call *call, const gfp_options *options)
{
    const struct power_values *values = &call->request->own.power;
    gfp_poly *c = call->c.poly;
    if (values->modulus != NULL) {
        return compose_modulo(c, &call->input, options);
    }
    return values->length != 0
               ? compose_truncated(c, &call->input, values->length, options)
               : gfp_poly_compose(c, poly_of(call, OUTER), poly_of(call, INNER), options);
}

static void describe_composition(const struct call *call, struct json *json)
{
    const size_t length = call->request->own.power.length;
    json_length(json, "length", length != 0, length);
    json_u64(json, "len_c", call->c.poly[0].len);
}

const struct command compose_commands[] = {
    {.name = "compose",
     .summary = "Compose two polynomials, also modulo a third one",
     .arguments = "F G",
     .doc = "Writes F(G), or with --modulus the remainder of F(G) by the modulus. The degree of "
            "F(G) is the product of the degrees of F and G; --length computes its first "
            "coefficients alone. The command verifies F(G) at random points, modulo a polynomial "
            "every product inside, before it writes the result."
            "\vJSON keys: operation, field, len_a (F), len_b (G), len_modulus, length (null: "
            "not given), len_c, " OPERATION_KEYS ".",
     .files = 2,
     .operands = true,
     .operation = {.label = "composing",
                   .role = {"F", "G", "the modulus"},
                   .demand = {ANY_POLYNOMIAL, ANY_POLYNOMIAL, NOT_CONSTANT},
                   .results = 1,
                   .begin = begin_composition,
                   .compute = compose_operands,
                   .members = {{"len_a", LENGTH_OF, OUTER},
                               {"len_b", LENGTH_OF, INNER},
                               {"len_modulus", LENGTH_OF, COMPOSE_MODULUS}},
                   .describe = describe_composition}},
    {.name = NULL}};
