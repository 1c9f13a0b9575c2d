/* cmd_mul.c: the subcommand mul: a verified product, and the report on it.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "cli.h"

static const char *verification_name(gfp_verify verified)
{
    static const char *const names[] = {"none", "point", "cross"};
    return names[verified];
}

static void print_report_json(const gfp_field *field, size_t len_a, size_t len_b, size_t len_c,
                              const gfp_mul_report *report)
{
    struct json json;
    json_begin(&json, stdout);
    json_string(&json, "field", gfp_field_name(field));
    json_u64(&json, "len_a", len_a);
    json_u64(&json, "len_b", len_b);
    json_u64(&json, "len_c", len_c);
    json_string(&json, "method", report->method);
    json_string(&json, "verified", verification_name(report->verified));
    json_string(&json, "cross_method", report->cross_method);
    json_u64(&json, "points", report->points);
    json_int(&json, "log2_error", report->log2_error);
    json_u64(&json, "threads", report->threads);
    json_u64(&json, "multiply_ns", report->multiply_ns);
    json_u64(&json, "verify_ns", report->verify_ns);
    json_string(&json, "gpu_method", report->gpu_method);
    json_string(&json, "gpu_error", report->gpu_method != NULL ? report->gpu_error.message : NULL);
    json_end(&json);
}

/* The pick was a method on a GPU, which failed. */
static void say_what_failed(const gfp_mul_report *report)
{
    if (report->gpu_method != NULL) {
        say("mul: note: %s failed, the product was computed on the CPU by %s: %s",
            report->gpu_method, report->method, report->gpu_error.message);
    }
}

static void print_times(const gfp_mul_report *report)
{
    fprintf(stderr, "multiply: %.3f ms (%s", (double)report->multiply_ns / 1e6,
            report->method != NULL ? report->method : "-");
    if (report->threads > 1) {
        fprintf(stderr, ", %u threads", report->threads);
    }
    fputs(")\n", stderr);
    fprintf(stderr, "verify:   %.3f ms (%s", (double)report->verify_ns / 1e6,
            verification_name(report->verified));
    if (report->verified == GFP_VERIFY_POINT) {
        fprintf(stderr, ", %u point%s, error <= 2^%d", report->points,
                report->points == 1 ? "" : "s", report->log2_error);
    } else if (report->cross_method != NULL) {
        fprintf(stderr, ", %s", report->cross_method);
    }
    fputs(")\n", stderr);
}

static int multiply(const struct settings *settings, const gfp_tuning *tuning, const gfp_poly *a,
                    const gfp_poly *b, gfp_poly *c, gfp_mul_report *report)
{
    gfp_error error = {.message = ""};
    gfp_mul_options options = {.method = settings->method,
                               .verify = settings->verify,
                               .report = report,
                               .error = &error,
                               .tuning = tuning,
                               .memory_cap = settings->memory,
                               .threads = settings->threads,
                               .gpu_device = settings->gpu_device,
                               .gpu_memory_cap = settings->gpu_memory};
    gfp_status status = gfp_poly_mul(c, a, b, &options);
    say_what_failed(report);
    return status == GFP_OK ? DONE : complain_status(settings->command, status, &error);
}

/* The output is opened before the work, so that a folder that cannot be written costs no time. */
static int multiply_and_write(const struct settings *settings, const gfp_tuning *tuning,
                              const struct input *input, gfp_poly *c)
{
    const gfp_poly *a = &input->operand[0].poly;
    const gfp_poly *b = &input->operand[1].poly;
    bool write = !settings->json || settings->output != NULL;
    struct output output;
    gfp_mul_report report = {.method = NULL};
    int code = write ? open_output(&output, settings->output) : DONE;
    if (code != DONE) {
        return code;
    }
    if (write && settings->json && output.stream == stdout) {
        complain("mul: --json and -o %s would both write to standard output", settings->output);
        return BAD_USAGE;
    }
    code = multiply(settings, tuning, a, b, c, &report);
    if (write && code == DONE) {
        gfp_format format = output_format(input, settings);
        code = finish_output(&output, gfp_poly_fwrite(c, output.stream, format));
    } else if (write) {
        abandon_output(&output);
    }
    if (code == DONE && settings->time) {
        print_times(&report);
    }
    if (code == DONE && settings->json) {
        print_report_json(a->field, a->len, b->len, c->len, &report);
        code = flush_standard_output(0);
    }
    return code;
}

/* ---- mapped files ---- */

/* What --binary cannot do. */
static int check_binary(const struct settings *settings)
{
    if (settings->output == NULL || strcmp(settings->output, "-") == 0) {
        complain("mul: --binary needs -o FILE: the product is a file that is mapped");
        return BAD_USAGE;
    }
    if (strcmp(settings->file[0], "-") == 0 || strcmp(settings->file[1], "-") == 0) {
        complain("mul: --binary maps its operands: standard input cannot be one");
        return BAD_USAGE;
    }
    if (settings->format != AS_INPUT && settings->format != GFP_FORMAT_BINARY) {
        complain("mul: --binary writes the binary format; `gfpoly convert' writes others");
        return BAD_USAGE;
    }
    return DONE;
}

static int write_product(const struct settings *settings, const gfp_tuning *tuning,
                         struct result *result, const gfp_file *a, const gfp_file *b)
{
    gfp_error error = {.message = ""};
    gfp_mul_report report = {.method = NULL};
    const gfp_mul_options options = {.method = settings->method,
                                     .verify = settings->verify,
                                     .report = &report,
                                     .error = &error,
                                     .tuning = tuning,
                                     .memory_cap =
                                         settings->memory != 0 ? settings->memory : usual_memory(),
                                     .threads = settings->threads,
                                     .gpu_device = settings->gpu_device,
                                     .gpu_memory_cap = settings->gpu_memory};
    const gfp_status status = gfp_file_multiply(result->file, a, b, &options);
    say_what_failed(&report);
    if (status != GFP_OK) {
        abandon_result(result);
        const int code = complain_status(settings->command, status, &error);
        return status == GFP_ERR_IO ? FAILED : code;
    }
    const size_t length = gfp_file_length(result->file);
    int code = finish_result(result);
    if (code == DONE && settings->time) {
        print_times(&report);
    }
    if (code == DONE && settings->json) {
        print_report_json(gfp_file_field(a), gfp_file_length(a), gfp_file_length(b), length,
                          &report);
        code = flush_standard_output(0);
    }
    return code;
}

static int multiply_mapped(const struct settings *settings, const gfp_tuning *tuning,
                           const gfp_file *a, const gfp_file *b)
{
    struct result result;
    size_t length = 0;
    const gfp_status status = gfp_file_product_length(a, b, &length);
    if (status != GFP_OK) {
        return complain_status(settings->command, status, NULL);
    }
    const int code = begin_result(&result, settings->output, gfp_file_field(a), length);
    return code == DONE ? write_product(settings, tuning, &result, a, b) : code;
}

/* The second file over the field of the first. The same file twice is a square. */
static int open_and_multiply(const struct settings *settings, const gfp_tuning *tuning,
                             const gfp_field *field)
{
    gfp_file *a = NULL, *b = NULL;
    const bool square = strcmp(settings->file[0], settings->file[1]) == 0;
    int code = open_mapped(&a, settings->file[0], field);
    if (code == DONE && !square) {
        code = open_mapped(&b, settings->file[1], gfp_file_field(a));
    }
    if (code == DONE) {
        code = multiply_mapped(settings, tuning, a, square ? a : b);
    }
    gfp_file_close(b);
    gfp_file_close(a);
    return code;
}

static int multiply_files(const struct settings *settings, const gfp_tuning *tuning)
{
    gfp_field *field = NULL;
    int code = check_binary(settings);
    if (code == DONE && settings->fields > 0) {
        code = create_field(&field, settings->field[0]);
    }
    if (code == DONE) {
        code = open_and_multiply(settings, tuning, field);
    }
    gfp_field_destroy(field);
    return code;
}

/* ---- the command ---- */

static int multiply_input(const struct settings *settings, const gfp_tuning *tuning)
{
    struct input input;
    gfp_poly c;
    int code = read_input(&input, settings, 2);
    if (code == DONE) {
        gfp_poly_init(&c, input.field);
        code = multiply_and_write(settings, tuning, &input, &c);
        gfp_poly_clear(&c);
        free_input(&input);
    }
    return code;
}

static int run_mul(const struct settings *settings)
{
    struct costs costs;
    int code = load_costs(&costs, settings);
    if (code != DONE) {
        return code;
    }
    code = settings->binary ? multiply_files(settings, costs.tuning)
                            : multiply_input(settings, costs.tuning);
    check_costs_again(&costs);
    free_costs(&costs);
    return code;
}

static const struct argp_option mul_options[] = {
    OPTION("method", KEY_METHOD, "auto|NAME",
           "How to multiply (default auto: the pick of `gfpoly methods', which lists the names)"),
    OPTION("verify", KEY_VERIFY, "none|point|cross",
           "How to check the product: at random points, or by a second, independent method "
           "(default: point)"),
    OPTION_TUNING,
    OPTION("binary", KEY_BINARY, NULL,
           "A and B are binary files: multiply them as they lie, mapped, into the binary file that "
           "-o names; they need not fit in memory"),
    OPTION(
        "memory", KEY_MEMORY, "SIZE",
        "Bytes that the product may take beside operands and result, such as 64M or 2G (default: "
        "as many as the method needs, with --binary a quarter of the machine's)"),
    OPTION_THREADS,
    OPTION("gpu-device", KEY_GPU_DEVICE, "N", "The GPU for methods on one (default: 0)"),
    OPTION("gpu-memory", KEY_GPU_MEMORY, "SIZE",
           "Bytes of the GPU's memory that the product may take (default: what there is)"),
    OPTION("time", KEY_TIME, NULL, "Print the times on standard error"),
    OPTION("json", KEY_JSON, NULL,
           "Print a report in JSON on standard output; the product is written with -o FILE only"),
    OPTION_INPUT_FIELD,
    OPTION_FORMAT,
    OPTION_OUTPUT,
    OPTION_END};

const struct command command_mul = {
    .name = "mul",
    .summary = "Multiply two polynomials and verify the product",
    .arguments = "A B",
    .doc = "Writes the product of the polynomials in the files A and B. It is verified first; "
           "when that fails nothing is written and the exit status is 1."
           "\vJSON keys: field, len_a, len_b, len_c, method, verified, cross_method (null: none), "
           "points, log2_error (a wrong product passes with probability at most 2^log2_error), "
           "threads (those that the product used), multiply_ns, verify_ns, gpu_method, gpu_error "
           "(the pick that failed on a GPU, so that the CPU did it, and why; null: none).",
    .options = mul_options,
    .files = 2,
    .run = run_mul};
