/* dft.c: the subcommands dft and idft: transforms at the canonical roots of the field.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/cli.h"

typedef gfp_status (*transform)(const gfp_fft_plan *plan, uint64_t *out, const uint64_t *in,
                                gfp_order order, const gfp_options *options);

/* The least power of two >= length; 0 where no size_t holds it. */
static size_t power_of_two(size_t length)
{
    size_t n = 1;
    while (n != 0 && n < length) {
        n *= 2;
    }
    return n;
}

/* The length of the transform: --n, or the least power of two that holds the input. */
static size_t length_of(const struct settings *settings, size_t stored)
{
    return settings->n != 0 ? settings->n : power_of_two(stored);
}

/* c := the n coefficients of a file, zeros at the end included. Errors: SIZE (the file has more),
 * MEMORY. */
static gfp_status take_padded(gfp_poly *c, const struct operand *operand, size_t n,
                              gfp_error *error)
{
    const gfp_field *field = c->field;
    const size_t len = operand->poly.len;
    if (operand->stored > n) {
        snprintf(error->message, sizeof(error->message),
                 "%.100s: %zu coefficients do not fit --n %zu", shown_path(operand->path),
                 operand->stored, n);
        return GFP_ERR_SIZE;
    }
    const gfp_status status = gfp_poly_fit_length(c, n);
    if (status != GFP_OK) {
        snprintf(error->message, sizeof(error->message), "no memory for %zu points", n);
        return status;
    }
    gfp_vec_copy(field, c->digits, operand->poly.digits, len);
    gfp_vec_zero(field, c->digits + len * gfp_field_k(field), n - len);
    c->len = n;
    return GFP_OK;
}

/* c := the transform of the only operand. */
static gfp_status apply(transform run, const struct operation *operation, gfp_poly *c,
                        const struct input *input, const gfp_options *options)
{
    const struct settings *settings = operation->settings;
    const size_t n = length_of(settings, input->operand[0].stored);
    gfp_options unverified = *options;
    gfp_fft_plan *plan = NULL;
    unverified.verify = GFP_VERIFY_NONE;
    gfp_status status = take_padded(c, &input->operand[0], n, options->error);
    if (status == GFP_OK) {
        status = gfp_fft_plan_create(&plan, c->field, n, options->error);
    }
    if (status == GFP_OK) {
        status = run(plan, c->digits, c->digits, settings->order, &unverified);
    }
    gfp_fft_plan_destroy(plan);
    return status;
}

static gfp_status transform_forward(const struct operation *operation, gfp_poly *c,
                                    const struct input *input, const gfp_options *options)
{
    return apply(gfp_fft_forward, operation, c, input, options);
}

static gfp_status transform_back(const struct operation *operation, gfp_poly *c,
                                 const struct input *input, const gfp_options *options)
{
    return apply(gfp_fft_inverse, operation, c, input, options);
}

static void describe(const struct operation *operation, struct json *json, const gfp_poly *c,
                     const struct input *input)
{
    (void)operation;
    json_u64(json, "len_a", input->operand[0].stored);
    json_u64(json, "len_c", c->len);
}

static struct operation operation_of(const struct settings *settings)
{
    return (struct operation){.settings = settings,
                              .name = settings->command,
                              .label = "transforming",
                              .file = settings->file,
                              .files = 1,
                              .results = 1,
                              .place = {usual_place(settings)},
                              .describe = describe};
}

/* ---- mapped files ---- */

typedef gfp_status (*file_transform)(gfp_file *to, const gfp_file *from, gfp_order order,
                                     const gfp_options *options);

static int report_file(const struct settings *settings, const gfp_file *from, size_t n,
                       const gfp_report *report)
{
    struct json json;
    if (settings->time) {
        print_report_times("compute:", report);
    }
    if (!settings->json) {
        return DONE;
    }
    json_begin(&json, stdout);
    json_string(&json, "operation", settings->command);
    json_string(&json, "field", gfp_field_name(gfp_file_field(from)));
    json_u64(&json, "len_a", gfp_file_length(from));
    json_u64(&json, "len_c", n);
    json_report(&json, report, "compute_ns");
    json_end(&json);
    return flush_standard_output(0);
}

/* Transforms a mapped file into another one that is being made. */
static int transform_file(const struct settings *settings, file_transform run, const gfp_file *from,
                          struct result *result)
{
    gfp_error error = {.message = ""};
    gfp_report report = {.threads = 1};
    struct progress progress;
    gfp_options options = call_options(settings, NULL, &report);
    options.verify = GFP_VERIFY_NONE;
    options.memory_cap = settings->memory != 0 ? settings->memory : usual_memory();
    options.error = &error;
    options.progress = begin_progress(&progress, "transforming");
    const gfp_status status = run(result->file, from, settings->order, &options);
    end_progress(&progress);
    int code = end_call(settings, &report, status, &error);
    if (code != DONE) {
        abandon_result(result);
        return code;
    }
    const size_t n = gfp_file_length(result->file);
    code = finish_result(result);
    return code == DONE ? report_file(settings, from, n, &report) : code;
}

static int run_files(const struct settings *settings, file_transform run)
{
    gfp_field *field = NULL;
    gfp_file *from = NULL;
    struct result result = {.path = NULL};
    int code = check_binary(settings);
    if (code == DONE && settings->fields > 0) {
        code = create_field(&field, settings->field[0]);
    }
    if (code == DONE) {
        code = open_mapped(&from, settings->file[0], field);
    }
    const size_t n = code == DONE ? length_of(settings, gfp_file_length(from)) : 0;
    if (code == DONE && gfp_file_length(from) > n) {
        complain("%s: %zu coefficients do not fit --n %zu", settings->file[0],
                 gfp_file_length(from), n);
        code = BAD_USAGE;
    }
    if (code == DONE) {
        code = begin_result(&result, settings->output, gfp_file_field(from), n);
    }
    if (code == DONE) {
        code = transform_file(settings, run, from, &result);
    }
    gfp_file_close(from);
    gfp_field_destroy(field);
    return code;
}

static int run_dft(const struct settings *settings)
{
    if (settings->binary) {
        return run_files(settings, gfp_file_forward);
    }
    struct operation operation = operation_of(settings);
    operation.compute = transform_forward;
    return run_operation(&operation);
}

static int run_idft(const struct settings *settings)
{
    if (settings->binary) {
        return run_files(settings, gfp_file_inverse);
    }
    struct operation operation = operation_of(settings);
    operation.compute = transform_back;
    return run_operation(&operation);
}

#define OPTION_N                                                                                   \
    OPTION(                                                                                        \
        "n", KEY_N, "N",                                                                           \
        "Length, a divisor of p - 1 (default: the least power of two that holds the input, which " \
        "is padded with zeros)")
#define OPTION_ORDER(text) OPTION("order", KEY_ORDER, "natural|permuted", text)

#define DFT_OPTIONS                                                                                \
    OPTION("binary", KEY_BINARY, NULL,                                                             \
           "The input is a binary file: map it instead of reading it, and write the binary file "  \
           "that -o names; the files need not fit in memory"),                                     \
        OPTION(                                                                                    \
            "memory", KEY_MEMORY, "SIZE",                                                          \
            "Bytes that the transform may take in addition to the values, such as 64M or 2G "      \
            "(default: as many as needed; with --binary a quarter of the machine's memory, and "   \
            "longer files are transformed by blocks)"),                                            \
        OPTION_THREADS, OPTION_TIME,                                                               \
        OPTION("json", KEY_JSON, NULL,                                                             \
               "Print a JSON report on standard output; values are written to a named file only"), \
        OPTION_INPUT_FIELD, OPTION_FORMAT, OPTION_FORCE, OPTION_OUTPUT

/* Keys of the JSON of both subcommands. */
#define DFT_KEYS "JSON keys: operation, field, len_a (the input), len_c (N), " OPERATION_KEYS "."

static const struct argp_option dft_options[] = {
    OPTION_N, OPTION_ORDER("Order of the output (default: natural)"), DFT_OPTIONS, OPTION_END};

const struct command command_dft = {
    .name = "dft",
    .summary = "Discrete Fourier transform of the coefficients",
    .arguments = "A",
    .doc =
        "Writes the N values of the polynomial in the file A at the powers of the canonical "
        "primitive N-th root of unity w of its field."
        "\vNatural order lists the values at 1, w, w^2, ...; permuted order reverses the bits of "
        "each index. " DFT_KEYS,
    .options = dft_options,
    .files = 1,
    .run = run_dft};

static const struct argp_option idft_options[] = {
    OPTION_N, OPTION_ORDER("Order of the input (default: natural)"), DFT_OPTIONS, OPTION_END};

const struct command command_idft = {
    .name = "idft",
    .summary = "Inverse discrete Fourier transform",
    .arguments = "A",
    .doc = "Writes the N coefficients of the polynomial whose values at the powers of the "
           "canonical primitive N-th root of unity are in the file A: the inverse of dft."
           "\v" DFT_KEYS,
    .options = idft_options,
    .files = 1,
    .run = run_idft};
