/* arith.c: the subcommands add, sub, eval and equal.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

typedef gfp_status (*binary_operation)(gfp_poly *c, const gfp_poly *a, const gfp_poly *b);

static int run_binary(const struct settings *settings, binary_operation operation)
{
    struct input input;
    struct output output = {.stream = NULL};
    int code = read_input(&input, settings, 2);
    if (code != DONE) {
        return code;
    }
    gfp_poly *a = &input.operand[0].poly;
    gfp_status status = operation(a, a, &input.operand[1].poly);
    if (status != GFP_OK) {
        code = complain_status(settings->command, status, NULL);
    } else {
        const gfp_format format = output_format(&input, settings);
        code = open_result(&output, settings, settings->output, format);
        if (code == DONE) {
            code = write_result(&output, a->field, a->digits, a->len, format);
        }
    }
    free_input(&input);
    return code;
}

static int run_add(const struct settings *settings)
{
    return run_binary(settings, gfp_poly_add);
}

static int run_sub(const struct settings *settings)
{
    return run_binary(settings, gfp_poly_sub);
}

static const struct argp_option binary_options[] = {OPTION_INPUT_FIELD, OPTION_FORMAT, OPTION_FORCE,
                                                    OPTION_OUTPUT, OPTION_END};

const struct command command_add = {.name = "add",
                                    .summary = "Add two polynomials",
                                    .arguments = "A B",
                                    .doc =
                                        "Writes the sum of the polynomials in the files A and B.",
                                    .options = binary_options,
                                    .files = 2,
                                    .run = run_add};

const struct command command_sub = {
    .name = "sub",
    .summary = "Subtract one polynomial from another",
    .arguments = "A B",
    .doc = "Writes the polynomial in the file A minus that in the file B.",
    .options = binary_options,
    .files = 2,
    .run = run_sub};

/* x := the number in text modulo p: decimal, or hexadecimal after 0x, of either sign and any size.
 * Reports errors; returns an exit code. */
static int read_point(const gfp_field *field, uint64_t *x, const char *text)
{
    int base;
    size_t at;
    if (!is_number(text, &base, &at)) {
        complain("X: character %zu of the point: not a digit of base %d", at + 1, base);
        return BAD_USAGE;
    }
    set_number(field, x, text);
    return DONE;
}

/* Writes x in decimal, and a newline. */
static gfp_status put_element(FILE *stream, const gfp_field *field, const uint64_t *x)
{
    const size_t size = gfp_elem_string_size(field, 10);
    char *text = malloc(size);
    if (text == NULL) {
        return GFP_ERR_MEMORY;
    }
    gfp_status status = gfp_elem_get_string(field, text, size, NULL, 10, x);
    if (status == GFP_OK && fprintf(stream, "%s\n", text) < 0) {
        status = GFP_ERR_IO;
    }
    const int error_number = errno;
    free(text);
    errno = error_number;
    return status;
}

/* Writes the value of the polynomial at the point in text. */
static int write_value(const struct settings *settings, const gfp_poly *a, const char *text)
{
    struct place place = usual_place(settings);
    uint64_t x[GFP_MAX_K];
    int code = read_point(a->field, x, text);
    code = code == DONE ? open_places(&place, 1, settings, GFP_FORMAT_FLINT) : code;
    if (code != DONE) {
        return code;
    }
    gfp_poly_eval(a, x, x);
    return finish_output(&place.output, put_element(place.output.stream, a->field, x));
}

static int run_eval(const struct settings *settings)
{
    struct input input;
    int code = read_input(&input, settings, 1);
    if (code == DONE) {
        code = write_value(settings, &input.operand[0].poly, settings->file[1]);
        free_input(&input);
    }
    return code;
}

/* Hidden options for negative points, which look like options. */
#define OPTION_DIGIT(digit)                                                                        \
    {                                                                                              \
        NULL, digit, "X", OPTION_ARG_OPTIONAL | OPTION_HIDDEN, NULL, 0                             \
    }

static const struct argp_option eval_options[] = {
    OPTION_INPUT_FIELD, OPTION_DIGIT('0'), OPTION_DIGIT('1'), OPTION_DIGIT('2'), OPTION_DIGIT('3'),
    OPTION_DIGIT('4'),  OPTION_DIGIT('5'), OPTION_DIGIT('6'), OPTION_DIGIT('7'), OPTION_DIGIT('8'),
    OPTION_DIGIT('9'),  OPTION_OUTPUT,     OPTION_END};

const struct command command_eval = {
    .name = "eval",
    .summary = "Evaluate a polynomial at a point",
    .arguments = "A X",
    .doc =
        "Writes the value of the polynomial in the file A at X, a whole number in decimal, or in "
        "hexadecimal after 0x. X may be negative, or p or larger: it stands for X mod p.",
    .options = eval_options,
    .files = 2,
    .run = run_eval};

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

static int run_equal(const struct settings *settings)
{
    struct input input;
    int code = read_input(&input, settings, 2);
    if (code != DONE) {
        return code;
    }
    const gfp_poly *a = &input.operand[0].poly;
    const gfp_poly *b = &input.operand[1].poly;
    bool equal = gfp_poly_equal(a, b);
    if (settings->quiet) {
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

static const struct argp_option equal_options[] = {OPTION_INPUT_FIELD, OPTION_END};

const struct command command_equal = {
    .name = "equal",
    .summary = "Compare two polynomials",
    .arguments = "A B",
    .doc = "Compares the polynomials in the files A and B."
           "\vExit status: 0 when they are equal; 1 when they differ (the command prints the index "
           "of the first differing coefficient); 2 when they cannot be compared. With --quiet the "
           "command prints nothing.",
    .options = equal_options,
    .files = 2,
    .run = run_equal};
