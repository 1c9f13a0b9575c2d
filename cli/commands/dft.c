/* dft.c: the subcommands dft and idft: transforms at the canonical roots of the field.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/cli.h"

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
static size_t length_of(const struct request *request, size_t stored)
{
    const size_t n = request->own.transform.n;
    return n != 0 ? n : power_of_two(stored);
}

/* c := the n coefficients of a file, zeros at the end included. Errors: SIZE (the file has more),
 * MEMORY. */
static gfp_status take_padded(gfp_poly *c, const struct operand *operand, size_t n,
                              gfp_error *error)
{
    const gfp_field *field = c->field;
    const size_t len = operand->poly.len;
    if (operand->stored > n) {
        snprintf(error->message, sizeof error->message,
                 "%.100s: %zu coefficients do not fit --n %zu", shown_path(operand->path),
                 operand->stored, n);
        return GFP_ERR_SIZE;
    }
    const gfp_status status = gfp_poly_fit_length(c, n);
    if (status != GFP_OK) {
        snprintf(error->message, sizeof error->message, "no memory for %zu points", n);
        return status;
    }
    gfp_vec_set(field, c->digits, operand->poly.digits, len);
    gfp_vec_zero(field, c->digits + len * gfp_field_k(field), n - len);
    c->len = n;
    return GFP_OK;
}

/* c := the transform of the only operand. */
static gfp_status dft_apply(gfp_direction direction, struct call *call, const gfp_options *options)
{
    const struct operand *operand = &call->input.operand[0];
    const size_t n = length_of(call->request, operand->stored);
    gfp_poly *c = call->c.poly;
    gfp_options unverified = *options;
    gfp_fft_plan *plan = NULL;
    unverified.verify = GFP_VERIFY_NONE;
    gfp_status status = take_padded(c, operand, n, options->error);
    if (status == GFP_OK) {
        status = gfp_fft_plan_create(&plan, c->field, n, options->error);
    }
    if (status == GFP_OK) {
        const gfp_order order = (gfp_order)call->request->own.transform.order;
        status = gfp_fft_run(c->digits, c->digits, direction, order, plan, &unverified);
    }
    gfp_fft_plan_destroy(plan);
    return status;
}

static gfp_status transform_forward(struct call *call, const gfp_options *options)
{
    return dft_apply(GFP_FORWARD, call, options);
}

static gfp_status transform_back(struct call *call, const gfp_options *options)
{
    return dft_apply(GFP_INVERSE, call, options);
}

/* ---- mapped files ---- */

static int report_file(const struct request *request, const gfp_file *from, size_t n,
                       const gfp_report *report)
{
    struct json json;
    if (request->call.time) {
        print_report_times("compute:", report);
    }
    if (!request->call.json) {
        return DONE;
    }
    json_begin(&json, stdout);
    json_string(&json, "operation", request->command->name);
    json_string(&json, "field", gfp_field_name(gfp_file_get_info(from).field));
    json_u64(&json, "len_a", gfp_file_get_info(from).length);
    json_u64(&json, "len_c", n);
    json_report(&json, report, "compute_ns");
    json_end(&json);
    return flush_standard_output(0);
}

/* Transforms a mapped file into another one that is being made. */
static int transform_file(const struct request *request, gfp_direction direction,
                          const gfp_file *from, struct result *result)
{
    gfp_error error = {.message = ""};
    gfp_report report = {.threads = 1};
    struct progress progress;
    gfp_options options = call_options(request, &report);
    options.verify = GFP_VERIFY_NONE;
    options.memory_cap = request->call.memory != 0 ? request->call.memory : usual_memory();
    options.error = &error;
    options.progress = begin_progress(&progress, "transforming");
    const gfp_status status = gfp_file_fft_run(result->file, from, direction,
                                               (gfp_order)request->own.transform.order, &options);
    end_progress(&progress);
    int code = end_call(request, &report, status, &error);
    if (code != DONE) {
        abandon_result(result);
        return code;
    }
    const size_t n = gfp_file_get_info(result->file).length;
    code = finish_result(result);
    return code == DONE ? report_file(request, from, n, &report) : code;
}

static int run_files(const struct request *request, gfp_direction direction)
{
    struct mapped mapped;
    struct result result = {.path = NULL};
    int code = check_binary(request);
    if (code != DONE) {
        return code;
    }
    code = open_mapped(&mapped, request, 1);
    const gfp_file *from = mapped.file[0];
    const size_t n = code == DONE ? length_of(request, gfp_file_get_info(from).length) : 0;
    if (code == DONE && gfp_file_get_info(from).length > n) {
        complain("%s: %zu coefficients do not fit --n %zu", request->file[0],
                 gfp_file_get_info(from).length, n);
        code = BAD_USAGE;
    }
    if (code == DONE) {
        code = begin_result(&result, request->output, mapped.field, n);
    }
    if (code == DONE) {
        code = transform_file(request, direction, from, &result);
    }
    close_mapped(&mapped);
    return code;
}

static int run_dft(const struct request *request)
{
    return request->call.binary ? run_files(request, GFP_FORWARD) : run_operation(request);
}

static int run_idft(const struct request *request)
{
    return request->call.binary ? run_files(request, GFP_INVERSE) : run_operation(request);
}

/* ---- the subcommands ---- */

/* Keys of the JSON of both subcommands. */
#define DFT_KEYS "JSON keys: operation, field, len_a (the input), len_c (N), " OPERATION_KEYS "."

const struct command transform_commands[] = {
    {.name = "dft",
     .summary = "Discrete Fourier transform of the coefficients",
     .arguments = "A",
     .doc = "Writes the N values of the polynomial in the file A at the powers of the canonical "
            "primitive N-th root of unity w of its field."
            "\vNatural order lists the values at 1, w, w^2, ...; permuted order reverses the bits "
            "of each index. " DFT_KEYS,
     .files = 1,
     .run = run_dft,
     .operation = {.label = "transforming",
                   .results = 1,
                   .compute = transform_forward,
                   .members = {{"len_a", STORED_IN, 0}, {"len_c", LENGTH_OF_RESULT, 0}}}},
    {.name = "idft",
     .summary = "Inverse discrete Fourier transform",
     .arguments = "A",
     .doc = "Writes the N coefficients of the polynomial whose values at the powers of the "
            "canonical primitive N-th root of unity are in the file A: the inverse of dft."
            "\v" DFT_KEYS,
     .files = 1,
     .run = run_idft,
     .operation = {.label = "transforming",
                   .results = 1,
                   .compute = transform_back,
                   .members = {{"len_a", STORED_IN, 0}, {"len_c", LENGTH_OF_RESULT, 0}}}},
    {.name = NULL}};
