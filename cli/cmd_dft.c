/* cmd_dft.c: the subcommands dft and idft: transforms at the canonical roots of the field.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>

#include "cli.h"

typedef gfp_status (*transform)(const gfp_fft_plan *plan, uint64_t *out, const uint64_t *in,
                                gfp_order order, void *work);

/* The least power of two >= length; 0 where no size_t holds it. */
static size_t power_of_two(size_t length)
{
    size_t n = 1;
    while (n != 0 && n < length) {
        n *= 2;
    }
    return n;
}

/* The coefficients of a, padded with zeros to n; NULL without memory. */
static uint64_t *padded(const gfp_poly *a, size_t n)
{
    size_t bytes = gfp_field_k(a->field) * sizeof(uint64_t);
    if (n > SIZE_MAX / bytes) {
        return NULL;
    }
    uint64_t *x = malloc(n * bytes);
    if (x != NULL) {
        gfp_vec_zero(a->field, x, n);
        gfp_vec_copy(a->field, x, a->digits, a->len);
    }
    return x;
}

/* Transforms the n elements of x in place and writes them. */
static int transform_and_write(const struct settings *settings, transform apply,
                               const gfp_fft_plan *plan, uint64_t *x, gfp_format format)
{
    struct output output;
    gfp_status status = apply(plan, x, x, settings->order, NULL);
    if (status != GFP_OK) {
        return complain_status(settings->command, status, NULL);
    }
    const int code = open_result(&output, settings, settings->output, format);
    if (code != DONE) {
        return code;
    }
    return write_result(&output, gfp_fft_plan_field(plan), x, gfp_fft_plan_length(plan), format);
}

static int run_on(const struct settings *settings, transform apply, const struct input *input)
{
    const struct operand *a = &input->operand[0];
    size_t n = settings->n != 0 ? settings->n : power_of_two(a->stored);
    if (a->stored > n) {
        complain("%s: %zu coefficients do not fit --n %zu", a->path, a->stored, n);
        return BAD_USAGE;
    }
    gfp_error error = {.message = ""};
    gfp_fft_plan *plan;
    gfp_status status = gfp_fft_plan_create(&plan, input->field, n, &error);
    if (status != GFP_OK) {
        return complain_status(settings->command, status, &error);
    }
    uint64_t *x = padded(&a->poly, n);
    int code = x == NULL
                   ? complain_status(settings->command, GFP_ERR_MEMORY, NULL)
                   : transform_and_write(settings, apply, plan, x, output_format(input, settings));
    free(x);
    gfp_fft_plan_destroy(plan);
    return code;
}

static int run_transform(const struct settings *settings, transform apply)
{
    struct input input;
    int code = read_input(&input, settings, 1);
    if (code == DONE) {
        code = run_on(settings, apply, &input);
        free_input(&input);
    }
    return code;
}

static int run_dft(const struct settings *settings)
{
    return run_transform(settings, gfp_fft_forward);
}

static int run_idft(const struct settings *settings)
{
    return run_transform(settings, gfp_fft_inverse);
}

#define OPTION_N                                                                                   \
    OPTION(                                                                                        \
        "n", KEY_N, "N",                                                                           \
        "Length, a power of two (default: the least that holds the input, which is padded with "   \
        "zeros)")
#define OPTION_ORDER(text) OPTION("order", KEY_ORDER, "natural|permuted", text)

static const struct argp_option dft_options[] = {
    OPTION_N,           OPTION_ORDER("Order of the output (default: natural)"),
    OPTION_INPUT_FIELD, OPTION_FORMAT,
    OPTION_FORCE,       OPTION_OUTPUT,
    OPTION_END};

const struct command command_dft = {
    .name = "dft",
    .summary = "Discrete Fourier transform of the coefficients",
    .arguments = "A",
    .doc =
        "Writes the N values of the polynomial in the file A at the powers of the canonical "
        "primitive N-th root of unity w of its field."
        "\vNatural order lists the values at 1, w, w^2, ...; permuted order reverses the bits of "
        "each index.",
    .options = dft_options,
    .files = 1,
    .run = run_dft};

static const struct argp_option idft_options[] = {
    OPTION_N,           OPTION_ORDER("Order of the input (default: natural)"),
    OPTION_INPUT_FIELD, OPTION_FORMAT,
    OPTION_FORCE,       OPTION_OUTPUT,
    OPTION_END};

const struct command command_idft = {
    .name = "idft",
    .summary = "Inverse discrete Fourier transform",
    .arguments = "A",
    .doc = "Writes the N coefficients of the polynomial whose values at the powers of the "
           "canonical primitive N-th root of unity are in the file A: the inverse of dft.",
    .options = idft_options,
    .files = 1,
    .run = run_idft};
