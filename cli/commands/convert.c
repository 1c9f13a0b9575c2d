/* convert.c: the subcommand convert, which writes a polynomial in another file format.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/cli.h"

/* Text becomes binary, binary becomes FLINT's text, unless --format says otherwise. */
static gfp_format format_to(const struct input *input, const struct settings *settings)
{
    if (settings->format != AS_INPUT) {
        return (gfp_format)settings->format;
    }
    return input->operand[0].format == GFP_FORMAT_BINARY ? GFP_FORMAT_FLINT : GFP_FORMAT_BINARY;
}

static int run_convert(const struct settings *settings)
{
    struct input input;
    struct output output;
    int code = read_input(&input, settings, 1);
    if (code != DONE) {
        return code;
    }
    const gfp_poly *a = &input.operand[0].poly;
    const gfp_format format = format_to(&input, settings);
    code = open_result(&output, settings, settings->output, format);
    if (code == DONE) {
        code = write_result(&output, a->field, a->digits, a->len, format);
    }
    free_input(&input);
    return code;
}

static const struct argp_option convert_options[] = {
    OPTION_INPUT_FIELD,
    OPTION("format", KEY_FORMAT, "flint|ntl|binary",
           "Output format (default: binary for text, flint for binary)"),
    OPTION_FORCE, OPTION_OUTPUT, OPTION_END};

const struct command command_convert = {
    .name = "convert",
    .summary = "Convert a polynomial between text and binary formats",
    .arguments = "A",
    .doc =
        "Writes the polynomial in the file A in another format. The format of A is recognised by "
        "its first byte."
        "\vThe binary format (gfpoly/file.h) holds the field, the digits of the coefficients, and "
        "checksums. Every reader verifies the checksums. Every subcommand reads the format, and "
        "`gfpoly mul --binary' maps such files instead of reading them into memory.",
    .options = convert_options,
    .files = 1,
    .run = run_convert};
