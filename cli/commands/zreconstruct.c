/* zreconstruct.c: the subcommand zreconstruct: fractions from their residues modulo an integer.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/cli.h"

enum { RESIDUES, MODULUS, MAX_NUMERATOR, MAX_DENOMINATOR };

/* An operation with its results; the operation is the first member. */
struct fractions {
    struct operation operation;
    gfp_zvec numerators, denominator;
};

static gfp_status compute(const struct operation *operation, gfp_zvec *c, const struct input *input,
                          const gfp_options *options)
{
    struct fractions *f = (struct fractions *)operation;
    const bool bounded = operation->files > 2;
    (void)c;
    gfp_zvec_init(&f->numerators, input->ring);
    gfp_zvec_init(&f->denominator, input->ring);
    return gfp_zvec_reconstruct(
        &f->numerators, &f->denominator, &input->operand[RESIDUES].integers,
        &input->operand[MODULUS].integers, bounded ? &input->operand[MAX_NUMERATOR].integers : NULL,
        bounded ? &input->operand[MAX_DENOMINATOR].integers : NULL, options);
}

static gfp_status write_fractions(const struct operation *operation, FILE *stream,
                                  gfp_format format)
{
    const struct fractions *f = (const struct fractions *)operation;
    (void)format;
    const gfp_status status = gfp_zvec_fwrite(&f->numerators, stream);
    return status == GFP_OK ? gfp_zvec_fwrite(&f->denominator, stream) : status;
}

static void describe(const struct operation *operation, struct json *json, const gfp_zvec *c,
                     const struct input *input)
{
    const struct fractions *f = (const struct fractions *)operation;
    (void)c;
    json_u64(json, "len_a", input->operand[RESIDUES].integers.len);
    json_u64(json, "len_c", f->numerators.len);
    json_u64(json, "bits", gfp_zvec_bits(&f->numerators));
    json_u64(json, "bits_denominator", gfp_zvec_bits(&f->denominator));
}

static void free_fractions(struct operation *operation)
{
    struct fractions *f = (struct fractions *)operation;
    gfp_zvec_clear(&f->numerators);
    gfp_zvec_clear(&f->denominator);
}

static int run_zreconstruct(const struct settings *settings)
{
    if (settings->files == 3) {
        complain("zreconstruct: expected both bounds, N and D, or none");
        return BAD_USAGE;
    }
    struct fractions fractions = {.operation = {.settings = settings,
                                                .name = "zreconstruct",
                                                .label = "rational reconstruction",
                                                .file = settings->file,
                                                .files = settings->files,
                                                .place = {usual_place(settings)},
                                                .compute_integers = compute,
                                                .write = write_fractions,
                                                .free = free_fractions,
                                                .describe_integers = describe}};
    return run_operation(&fractions.operation);
}

static const struct argp_option zreconstruct_options[] = {
    Z_LIMIT_OPTIONS, OPTION_TIME,
    OPTION("json", KEY_JSON, NULL,
           "Print a JSON report on standard output; results are written to named files only"),
    OPTION_OUTPUT, OPTION_END};

const struct command command_zreconstruct = {
    .name = "zreconstruct",
    .summary = "Fractions from their residues",
    .arguments = "RESIDUES MODULUS [N D]",
    .doc = "Writes the fractions n_i / d whose residues modulo the integer in the file MODULUS are "
           "the integers in the file RESIDUES: a line with the n_i, and a line with d, the least "
           "common denominator, in FLINT's format for fmpz_poly, \"length  c0 c1 ...\"; an integer "
           "c is \"1  c\". |n_i| <= N and 0 < d <= D, where 2 N D is less than the modulus; "
           "without the files N and D both are the square root of half of it. Results are proved. "
           "Exit status 1: no such fractions exist."
           "\vJSON keys: operation, len_a (of the residues), len_c (of the n_i), bits (of the "
           "greatest n_i), bits_denominator, " OPERATION_KEYS ".",
    .options = zreconstruct_options,
    .files = 2,
    .most_files = 4,
    .run = run_zreconstruct};
