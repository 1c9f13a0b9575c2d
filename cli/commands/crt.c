/* crt.c: the subcommand crt: Chinese remainders of polynomials.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/cli.h"

/* The files are remainder, modulus, remainder, modulus, .... */
#define MOST_MODULI (MAX_FILES / 2)

static size_t count_moduli(const struct input *input)
{
    return (size_t)input->count / 2;
}

static bool have_common_factor(const gfp_poly *a, const gfp_poly *b)
{
    gfp_poly g;
    gfp_poly_init(&g, a->field);
    const bool common = gfp_poly_gcd(&g, a, b, NULL) == GFP_OK && g.len > 1;
    gfp_poly_clear(&g);
    return common;
}

/* error->index is the later one of two moduli with a common factor: names both and their files. */
static void name_moduli(const struct operation *operation, const struct input *input,
                        gfp_error *error)
{
    const int j = error->index < count_moduli(input) ? (int)error->index : 0;
    for (int i = 0; i < j; i++) {
        if (have_common_factor(&input->operand[2 * i + 1].poly, &input->operand[2 * j + 1].poly)) {
            char first[100], second[100];
            name_operand(first, sizeof(first), operation, input, 2 * i + 1);
            name_operand(second, sizeof(second), operation, input, 2 * j + 1);
            snprintf(error->message, sizeof(error->message), "%s and %s have a common factor",
                     first, second);
            return;
        }
    }
}

/* c := the polynomial; the library reads the polynomials of the files through copies of their
 * heads. */
static gfp_status recombine(const struct operation *operation, gfp_poly *c,
                            const struct input *input, const gfp_options *options)
{
    gfp_poly remainder[MOST_MODULI], modulus[MOST_MODULI];
    for (size_t i = 0; i < count_moduli(input); i++) {
        remainder[i] = input->operand[2 * i].poly;
        modulus[i] = input->operand[2 * i + 1].poly;
    }
    const gfp_status status =
        gfp_poly_multi_crt(c, remainder, modulus, count_moduli(input), options);
    if (status == GFP_ERR_NOT_INVERTIBLE) {
        name_moduli(operation, input, options->error);
    }
    return status;
}

static void describe_recombination(const struct operation *operation, struct json *json,
                                   const gfp_poly *c, const struct input *input)
{
    size_t remainders = 0, moduli = 0;
    (void)operation;
    for (size_t i = 0; i < count_moduli(input); i++) {
        remainders += input->operand[2 * i].poly.len;
        moduli += input->operand[2 * i + 1].poly.len;
    }
    json_u64(json, "len_a", remainders);
    json_u64(json, "len_b", moduli);
    json_u64(json, "len_c", c->len);
    json_u64(json, "moduli", count_moduli(input));
}

static int run_crt(const struct settings *settings)
{
    struct operation operation = {.settings = settings,
                                  .name = "crt",
                                  .label = "recombining",
                                  .file = settings->file,
                                  .files = settings->files,
                                  .role = {"R", "M"},
                                  .demand = {ANY_POLYNOMIAL, NOT_CONSTANT},
                                  .pairs = true,
                                  .results = 1,
                                  .place = {usual_place(settings)},
                                  .compute = recombine,
                                  .describe = describe_recombination};
    if (settings->files % 2 != 0) {
        complain("crt: the remainder %s has no modulus", settings->file[settings->files - 1]);
        return BAD_USAGE;
    }
    return run_operation(&operation);
}

static const struct argp_option crt_options[] = {OPERATION_OPTIONS, OPTION_OUTPUT, OPTION_END};

const struct command command_crt = {
    .name = "crt",
    .summary = "Find the polynomial with given remainders",
    .arguments = "R1 M1 [R2 M2 ...]",
    .doc = "Writes the polynomial of least degree that has the remainder in the file R1 modulo the "
           "polynomial in the file M1, that in R2 modulo that in M2, and so on, up to 128 pairs: "
           "the Chinese remainder theorem. The moduli are of degree 1 at least and have no common "
           "factors. Remainders may be of any degree. The command verifies the polynomial before "
           "it writes it."
           "\vJSON keys: operation, field, len_a (all remainders), len_b (all moduli), len_c, "
           "moduli (their number), " OPERATION_KEYS ".",
    .options = crt_options,
    .operands = true,
    .files = 2,
    .most_files = MAX_FILES,
    .run = run_crt};
