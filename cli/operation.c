/* operation.c: what the subcommands that compute have in common: options of a call, report, and the
 * way from files to results.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

struct ranks_hooks hooks_of_ranks;

/* ---- a call ---- */

const char *verification_name(gfp_verify verified)
{
    static const char *const names[] = {"none", "none", "point", "cross"};
    return names[verified];
}

gfp_options call_options(const struct request *request, gfp_report *report)
{
    const struct call_values *values = &request->call;
    return (gfp_options){.method = values->method,
                         .verify = (gfp_verify)values->verify,
                         .report = report,
                         .tuning = request->costs.tuning,
                         .memory_cap = values->memory,
                         .threads = values->threads,
                         .gpu_device = values->gpu_device,
                         .gpu_memory_cap = values->gpu_memory,
                         .gpu_count = values->gpu_count};
}

/* Reports the method on a GPU that was picked and failed, if any. */
static void say_what_failed(const gfp_report *report)
{
    if (report->gpu_method != NULL) {
        const bool on_gpu = report->method != NULL && runs_on_gpu(report->method);
        say("note: %s failed, the result was computed on %s by %s: %s", report->gpu_method,
            on_gpu ? "one GPU" : "the CPU", report->method, report->gpu_error.message);
    }
}

int end_call(const struct request *request, const gfp_report *report, gfp_status status,
             const gfp_error *error)
{
    say_what_failed(report);
    if (status == GFP_OK && report->method != NULL) {
        tell("computed by %s, verification: %s", report->method,
             verification_name(report->verified));
    }
    if (status == GFP_OK) {
        return DONE;
    }
    const int code = complain_status(request->command->name, status, error);
    return status == GFP_ERR_IO ? FAILED : code;
}

void json_report(struct json *json, const gfp_report *report, const char *time_key)
{
    json_string(json, "method", report->method);
    json_string(json, "verified", verification_name(report->verified));
    json_string(json, "cross_method", report->cross_method);
    json_u64(json, "points", report->points);
    json_int(json, "log2_error", report->log2_error);
    json_u64(json, "threads", report->threads);
    json_u64(json, time_key, report->multiply_ns);
    json_u64(json, "verify_ns", report->verify_ns);
    json_string(json, "gpu_method", report->gpu_method);
    json_string(json, "gpu_error", report->gpu_method != NULL ? report->gpu_error.message : NULL);
}

void print_report_times(const char *what, const gfp_report *report)
{
    fprintf(stderr, "%-9s %.3f ms (%s", what, (double)report->multiply_ns / 1e6,
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

struct place usual_place(const struct request *request)
{
    const char *without = request->call.json ? NULL : "-";
    return (struct place){.option = "-o",
                          .path = request->output != NULL ? request->output : without};
}

/* ---- values of a call ---- */

const gfp_poly *poly_of(const struct call *call, int i)
{
    return &call->input.operand[i].poly;
}

const gfp_zvec *integers_of(const struct call *call, int i)
{
    return &call->input.operand[i].integers;
}

static bool over_integers(const struct call *call)
{
    return call->operation->kind != OVER_FIELD;
}

static size_t operand_length(const struct call *call, int i)
{
    const struct operand *operand = &call->input.operand[i];
    switch (call->operation->kind) {
    case ONE_VARIABLE:
        return operand->integers.len;
    case TWO_VARIABLES:
        return operand->bivariate.len;
    case MATRICES:
        return operand->matrix.n;
    default:
        return operand->poly.len;
    }
}

char *element_text(const gfp_field *field, const uint64_t *x)
{
    const size_t size = gfp_elem_string_size(field, 10);
    char *text = malloc(size);
    if (text != NULL && gfp_elem_get_string(field, text, size, NULL, 10, x) != GFP_OK) {
        free(text);
        return NULL;
    }
    return text;
}

/* The constant result over Z in decimal, which the caller frees; NULL: no memory. */
static char *integer_text(const gfp_zvec *c)
{
    char *all;
    size_t size;
    if (gfp_zvec_to_string(&all, &size, c) != GFP_OK) {
        return NULL;
    }
    const char *space = strrchr(all, ' '); /* "1  number", or "0" */
    char *text = strdup(space != NULL ? space + 1 : all);
    gfp_free(all);
    return text;
}

/* The same over a field or Z. */
static char *number_text(const struct call *call)
{
    uint64_t x[GFP_MAX_K];
    if (over_integers(call)) {
        return integer_text(&call->c.integers[0]);
    }
    gfp_poly_get_coeff(x, &call->c.poly[0], 0);
    return element_text(call->input.field, x);
}

static gfp_status write_number(const struct call *call, FILE *stream)
{
    char *text = number_text(call);
    if (text == NULL) {
        return GFP_ERR_MEMORY;
    }
    const gfp_status status = fprintf(stream, "%s\n", text) < 0 ? GFP_ERR_IO : GFP_OK;
    const int error_number = errno;
    free(text);
    errno = error_number;
    return status;
}

/* ---- the report ---- */

void add_report(gfp_report *report, const gfp_report *step)
{
    report->multiply_ns += step->multiply_ns;
    report->verify_ns += step->verify_ns;
}

void json_length(struct json *json, const char *key, bool known, size_t length)
{
    if (known) {
        json_u64(json, key, length);
    } else {
        json_null(json, key);
    }
}

static void json_member(struct json *json, const struct member *member, const struct call *call)
{
    const int i = member->index;
    char *text;
    switch (member->kind) {
    case LENGTH_OF:
        json_length(json, member->key, i < call->input.count, operand_length(call, i));
        break;
    case STORED_IN:
        json_u64(json, member->key, call->input.operand[i].stored);
        break;
    case LENGTH_OF_RESULT:
        json_u64(json, member->key,
                 over_integers(call) ? call->c.integers[i].len : call->c.poly[i].len);
        break;
    case BITS_OF_RESULT:
        json_u64(json, member->key, gfp_zvec_bits(&call->c.integers[i]));
        break;
    case NUMBER_OF_RESULT:
        text = number_text(call);
        json_string(json, member->key, text);
        free(text);
        break;
    }
}

static int print_report(const struct call *call, const gfp_report *report)
{
    const struct operation *operation = call->operation;
    struct json json;
    json_begin(&json, stdout);
    json_string(&json, "operation", call->name);
    if (!over_integers(call)) {
        json_string(&json, "field", gfp_field_name(call->input.field));
    }
    for (size_t i = 0; i < MOST_MEMBERS && operation->members[i].key != NULL; i++) {
        json_member(&json, &operation->members[i], call);
    }
    if (operation->describe != NULL) {
        operation->describe(call, &json);
    }
    if (operation->counts_unlucky) {
        json_u64(&json, "unlucky_primes", report->unlucky_primes);
    }
    json_report(&json, report, "compute_ns");
    json_end(&json);
    return flush_standard_output(0);
}

/* Prints times and report, after the results were written. */
static int report_call(const struct call *call, const gfp_report *report)
{
    if (call->request->call.time) {
        print_report_times("compute:", report);
    }
    if (call->request->call.time && call->operation->counts_unlucky) {
        fprintf(stderr, "unlucky:  %zu prime%s%s\n", report->unlucky_primes,
                report->unlucky_primes == 1 ? "" : "s",
                report->unlucky_primes == 0 ? "" : ", replaced");
    }
    return call->request->call.json ? print_report(call, report) : DONE;
}

/* ---- the computation ---- */

static void init_results(struct call *call)
{
    for (size_t i = 0; i < call->operation->results; i++) {
        if (over_integers(call)) {
            gfp_zvec_init(&call->c.integers[i], call->input.ring);
        } else {
            gfp_poly_init(&call->c.poly[i], call->input.field);
        }
    }
}

static void clear_results(struct call *call)
{
    for (size_t i = 0; i < call->operation->results; i++) {
        if (over_integers(call)) {
            gfp_zvec_clear(&call->c.integers[i]);
        } else {
            gfp_poly_clear(&call->c.poly[i]);
        }
    }
    if (call->operation->free_own != NULL) {
        call->operation->free_own(call);
    }
}

/* The operands have no such result: a message that names the file at fault, or all of them. */
static int complain_operands(const struct call *call, const gfp_error *error)
{
    char files[1000] = "";
    for (int i = 0; i < call->files; i++) {
        if (error->index >= (uint64_t)call->files || error->index == (uint64_t)i) {
            append_name(files, sizeof files, shown_path(call->file[i]));
        }
    }
    return complain_status(files, GFP_ERR_ARGUMENT, error);
}

static gfp_status call_operation(struct call *call, const gfp_options *options)
{
    const struct operation *operation = call->operation;
    if (operation->of_two != NULL) {
        return operation->of_two(call->c.poly, poly_of(call, 0), poly_of(call, 1), options);
    }
    if (operation->of_two_over_z != NULL) {
        return operation->of_two_over_z(call->c.integers, integers_of(call, 0),
                                        integers_of(call, 1), options);
    }
    return operation->compute(call, options);
}

int agree_code(int code)
{
    return hooks_of_ranks.agree != NULL ? hooks_of_ranks.agree(code) : code;
}

gfp_status make_dealer(gfp_dealer **dealer, const char *checkpoint, gfp_error *error)
{
    if (hooks_of_ranks.make_dealer != NULL) {
        return hooks_of_ranks.make_dealer(dealer, checkpoint, error);
    }
    return checkpoint != NULL ? gfp_dealer_create(dealer, checkpoint, error) : GFP_OK;
}

static int operation_compute(struct call *call, gfp_report *report)
{
    gfp_error error = {.message = ""};
    struct progress progress;
    gfp_options options = call_options(call->request, report);
    options.error = &error;
    const char *label = call->operation->label;
    const char *checkpoint = call->request->call.checkpoint;
    if (make_dealer(&options.dealer, checkpoint, &error) != GFP_OK) {
        complain("%s: %s", call->name, error.message);
        return FAILED;
    }
    if (checkpoint != NULL && !gfp_dealer_get_info(options.dealer).locked) {
        complain("%s: the file system has no locks: start no second run", checkpoint);
    }
    options.progress = begin_progress(&progress, label != NULL ? label : call->name);
    const gfp_status status =
        device_serves(call) ? compute_on_device(call, &options) : call_operation(call, &options);
    end_progress(&progress);
    if (checkpoint != NULL) {
        tell("%s: %" PRIu64 " pieces of the work existed already", checkpoint,
             gfp_dealer_get_info(options.dealer).restored);
    }
    gfp_dealer_destroy(options.dealer);
    if (status == GFP_ERR_ARGUMENT && over_integers(call)) {
        return complain_operands(call, &error);
    }
    const int code = end_call(call->request, report, status, &error);
    return status == GFP_ERR_ARGUMENT || status == GFP_ERR_NOT_INVERTIBLE ? FAILED : code;
}

/* Whether the result is a line or lines of text, at the first place. */
static bool is_text(const struct call *call)
{
    return call->operation->write != NULL || call->operation->is_number;
}

static int write_results(struct call *call, gfp_format format)
{
    struct value value[MOST_RESULTS];
    struct output *output = &call->place[0].output;
    if (!is_text(call)) {
        for (size_t i = 0; i < call->operation->results; i++) {
            value[i] =
                (struct value){over_integers(call) ? NULL : &call->c.poly[i], &call->c.integers[i]};
        }
        return write_places(call->place, call->operation->results, value, format);
    }
    if (call->place[0].path == NULL) {
        return DONE;
    }
    return finish_output(output, call->operation->is_number
                                     ? write_number(call, output->stream)
                                     : call->operation->write(call, output->stream, format));
}

/* The results are on the disk. A dealer that wrote nothing has removed its file. */
static void remove_checkpoint(const struct call *call)
{
    const char *checkpoint = call->request->call.checkpoint;
    if (checkpoint != NULL && remove(checkpoint) != 0 && errno != ENOENT) {
        say("note: %s: cannot remove: %s", checkpoint, strerror(errno));
    }
}

static size_t places_of(const struct call *call)
{
    return is_text(call) ? 1 : call->operation->results;
}

/* The places are open. */
static int compute_and_write(struct call *call)
{
    const gfp_format format = output_format(&call->input, call->request);
    gfp_report report = {.threads = 1};
    init_results(call);
    for (size_t i = 0; i < places_of(call); i++) {
        call->place[i].output.durable = call->request->call.checkpoint != NULL;
    }
    int code = operation_compute(call, &report);
    if (code == DONE) {
        code = write_results(call, format);
    } else {
        abandon_places(call->place, places_of(call));
    }
    if (code == DONE) {
        remove_checkpoint(call);
        code = report_call(call, &report);
    }
    clear_results(call);
    return code;
}

/* ---- demands on operands ---- */

void name_operand(char *text, size_t size, const struct call *call, int i)
{
    const char *path = shown_path(call->input.operand[i].path);
    if (call->operation->pairs) {
        snprintf(text, size, "%s%d (%.80s)", call->operation->role[i % 2], i / 2 + 1, path);
    } else {
        snprintf(text, size, "%s (%.80s)", call->operation->role[i], path);
    }
}

static bool operation_meets(const gfp_poly *a, enum demand demand)
{
    return demand == NOT_CONSTANT ? a->len > 1 : demand == ANY_POLYNOMIAL || a->len > 0;
}

/* Reports the first operand that does not meet the demand on it. Returns an exit code. */
static int check_demands(const struct call *call)
{
    for (int i = 0; i < call->input.count; i++) {
        const struct operation *operation = call->operation;
        const enum demand demand = operation->demand[operation->pairs ? i % 2 : i % MOST_DEMANDS];
        const gfp_poly *a = poly_of(call, i);
        char operand[120];
        if (demand == ANY_POLYNOMIAL || operation_meets(a, demand)) {
            continue;
        }
        name_operand(operand, sizeof operand, call, i);
        if (a->len > 0) {
            complain("%s: %s is a constant: everything is 0 modulo it", call->name, operand);
        } else {
            complain("%s: %s%s is 0", call->name,
                     demand == NOT_ZERO ? "" : "division by 0: ", operand);
        }
        return FAILED;
    }
    return DONE;
}

/* ---- from files to results ---- */

/* Reads the operands, checks them, and opens the places of the results. *is_read: whether there is
 * an input to free. */
static int prepare_call(struct call *call, bool *is_read)
{
    const struct request *request = call->request;
    int code = call->operation->begin != NULL ? call->operation->begin(call) : DONE;
    if (code == DONE) {
        code = read_files(&call->input, request, call->file, call->files, call->operation->kind);
        *is_read = code == DONE;
    }
    if (code == DONE) {
        code = check_demands(call);
    }
    return code == DONE ? open_places(call->place, places_of(call), request,
                                      is_text(call) ? GFP_FORMAT_FLINT
                                                    : output_format(&call->input, request))
                        : code;
}

int run_operation(const struct request *request)
{
    struct call call = {.request = request,
                        .operation = &request->command->operation,
                        .name = request->command->name,
                        .file = request->file,
                        .files = request->files,
                        .place = {usual_place(request)}};
    bool is_read = false;
    const int own = prepare_call(&call, &is_read);
    int code = agree_code(own);
    if (code == DONE) {
        code = compute_and_write(&call);
    } else if (own == DONE) {
        abandon_places(call.place, places_of(&call));
    }
    if (is_read) {
        free_input(&call.input);
    }
    return code;
}
