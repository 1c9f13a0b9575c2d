/* files.c: the subcommands equal and convert: comparison of polynomials, other file formats.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/cli.h"

/* ---- equal ---- */

/* The index of the first coefficient in which two different polynomials differ. */
static size_t first_difference(const gfp_poly *a, const gfp_poly *b)
{
    size_t k = gfp_field_k(a->field);
    size_t common = a->len < b->len ? a->len : b->len;
    for (size_t i = 0; i < common; i++) {
        if (!gfp_elem_equal(a->field, a->digits + i * k, b->digits + i * k)) {
            return i;
        }
    }
    size_t i = common;
    const gfp_poly *longer = a->len > common ? a : b;
    while (gfp_elem_is_zero(a->field, longer->digits + i * k)) {
        i++; /* ends at the leading coefficient at the latest: it is not zero */
    }
    return i;
}

static int run_equal(const struct request *request)
{
    struct input input;
    int code = read_files(&input, request, request->file, 2, OVER_FIELD);
    if (code != DONE) {
        return code;
    }
    const gfp_poly *a = &input.operand[0].poly;
    const gfp_poly *b = &input.operand[1].poly;
    bool equal = gfp_poly_equal(a, b);
    if (request->quiet) {
        /* Only the exit status answers. */
    } else if (equal) {
        puts("equal");
    } else {
        printf("different: the first differing coefficient is %zu\n", first_difference(a, b));
    }
    free_input(&input);
    code = flush_standard_output(0);
    return equal ? code : FAILED;
}

/* ---- convert ---- */

/* c := the only operand. */
static gfp_status take_operand(struct call *call, const gfp_options *options)
{
    (void)options;
    gfp_poly_swap(call->c.poly, &call->input.operand[0].poly);
    return GFP_OK;
}

const struct command file_commands[] = {
    {.name = "equal",
     .summary = "Compare two polynomials",
     .arguments = "A B",
     .doc = "Compares the polynomials in the files A and B."
            "\vExit status: 0 when they are equal; 1 when they differ (the command prints the "
            "index of the first differing coefficient); 2 when they cannot be compared. With "
            "--quiet the command prints nothing.",
     .files = 2,
     .run = run_equal},
    {.name = "convert",
     .summary = "Convert a polynomial between text and binary formats",
     .arguments = "A",
     .doc = "Writes the polynomial in the file A in another format. The format of A is recognised "
            "by its first byte."
            "\vThe binary format (gfpoly/file.h) holds the field, the digits of the coefficients, "
            "and checksums. Every reader verifies the checksums. Every subcommand reads the "
            "format, and `gfpoly mul --binary' maps such files instead of reading them into "
            "memory.",
     .files = 1,
     .operation = {.label = "converting", .results = 1, .compute = take_operand}},
    {.name = NULL}};
