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
static void name_moduli(const struct call *call, gfp_error *error)
{
    const struct input *input = &call->input;
    const int j = error->index < count_moduli(input) ? (int)error->index : 0;
    for (int i = 0; i < j; i++) {
        if (have_common_factor(&input->operand[2 * i + 1].poly, &input->operand[2 * j + 1].poly)) {
            char first[100], second[100];
            name_operand(first, sizeof first, call, 2 * i + 1);
            name_operand(second, sizeof second, call, 2 * j + 1);
            snprintf(error->message, sizeof error->message, "%s and %s have a common factor", first,
                     second);
            return;
        }
    }
}

/* c := the polynomial; the library reads the polynomials of the files through copies of their
 * heads. */
static gfp_status crt_recombine(struct call *call, const gfp_options *options)
{
    gfp_poly remainder[MOST_MODULI], modulus[MOST_MODULI];
    const size_t n = count_moduli(&call->input);
    for (size_t i = 0; i < n; i++) {
        remainder[i] = call->input.operand[2 * i].poly;
        modulus[i] = call->input.operand[2 * i + 1].poly;
    }
    const gfp_status status = gfp_poly_multi_crt(call->c.poly, remainder, modulus, n, options);
    if (status == GFP_ERR_NOT_INVERTIBLE) {
        name_moduli(call, options->error);
    }
    return status;
}

static void describe_recombination(const struct call *call, struct json *json)
{
    const struct input *input = &call->input;
    size_t remainders = 0, moduli = 0;
    for (size_t i = 0; i < count_moduli(input); i++) {
        remainders += input->operand[2 * i].poly.len;
        moduli += input->operand[2 * i + 1].poly.len;
    }
    json_u64(json, "len_a", remainders);
    json_u64(json, "len_b", moduli);
    json_u64(json, "len_c", call->c.poly[0].len);
    json_u64(json, "moduli", count_moduli(input));
}

static int begin_recombination(struct call *call)
{
    if (call->files % 2 != 0) {
        complain("crt: the remainder %s has no modulus", call->file[call->files - 1]);
        return BAD_USAGE;
    }
    return DONE;
}

const struct command crt_commands[] = {
    {.name = "crt",
     .summary = "Find the polynomial with given remainders",
     .arguments = "R1 M1 [R2 M2 ...]",
     .doc = "Writes the polynomial of least degree that has the remainder in the file R1 modulo "
            "the polynomial in the file M1, that in R2 modulo that in M2, and so on, up to 128 "
            "pairs: the Chinese remainder theorem. The moduli are of degree 1 at least and have no "
            "common factors. Remainders may be of any degree. The command verifies the polynomial "
            "before it writes it."
            "\vJSON keys: operation, field, len_a (all remainders), len_b (all moduli), len_c, "
            "moduli (their number), " OPERATION_KEYS ".",
     .files = 2,
     .most_files = MAX_FILES,
     .operands = true,
     .operation = {.label = "recombining",
                   .role = {"R", "M"},
                   .demand = {ANY_POLYNOMIAL, NOT_CONSTANT},
                   .pairs = true,
                   .results = 1,
                   .begin = begin_recombination,
                   .compute = crt_recombine,
                   .describe = describe_recombination}},
    {.name = NULL}};
