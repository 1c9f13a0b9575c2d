/* operation.c: what the subcommands that compute have in common: options of a call, report, and the
 * way from files to results.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "cli/cli.h"

/* ---- a call ---- */

const char *verification_name(gfp_verify verified)
{
    static const char *const names[] = {"none", "point", "cross"};
    return names[verified];
}

gfp_options call_options(const struct settings *settings, const gfp_tuning *tuning,
                         gfp_report *report)
{
    return (gfp_options){.method = settings->method,
                         .verify = settings->verify,
                         .report = report,
                         .tuning = tuning,
                         .memory_cap = settings->memory,
                         .threads = settings->threads,
                         .gpu_device = settings->gpu_device,
                         .gpu_memory_cap = settings->gpu_memory};
}

/* Reports the method on a GPU that was picked and failed, if any. */
static void say_what_failed(const gfp_report *report)
{
    if (report->gpu_method != NULL) {
        say("note: %s failed, the result was computed on the CPU by %s: %s", report->gpu_method,
            report->method, report->gpu_error.message);
    }
}

int end_call(const struct settings *settings, const gfp_report *report, gfp_status status,
             const gfp_error *error)
{
    say_what_failed(report);
    if (status == GFP_OK) {
        tell("computed by %s, verification: %s", report->method != NULL ? report->method : "-",
             verification_name(report->verified));
        return DONE;
    }
    const int code = complain_status(settings->command, status, error);
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

struct place usual_place(const struct settings *settings)
{
    const char *without = settings->json ? NULL : "-";
    return (struct place){.option = "-o",
                          .path = settings->output != NULL ? settings->output : without};
}

/* ---- an operation ---- */

/* The results in memory; one of both arrays is in use. */
struct results {
    gfp_poly poly[MOST_RESULTS];
    gfp_zvec integers[MOST_RESULTS];
};

static bool over_integers(const struct operation *operation)
{
    return operation->compute_integers != NULL;
}

static void init_results(struct results *c, const struct operation *operation,
                         const struct input *input)
{
    for (size_t i = 0; i < operation->results; i++) {
        if (over_integers(operation)) {
            gfp_zvec_init(&c->integers[i], input->ring);
        } else {
            gfp_poly_init(&c->poly[i], input->field);
        }
    }
}

static void clear_results(struct results *c, const struct operation *operation)
{
    for (size_t i = 0; i < operation->results; i++) {
        if (over_integers(operation)) {
            gfp_zvec_clear(&c->integers[i]);
        } else {
            gfp_poly_clear(&c->poly[i]);
        }
    }
}

/* Prints times and report, after the results were written. */
static int report_operation(const struct operation *operation, const gfp_report *report,
                            const struct results *c, const struct input *input)
{
    struct json json;
    if (operation->settings->time) {
        print_report_times("compute:", report);
    }
    if (operation->settings->time && operation->counts_unlucky) {
        fprintf(stderr, "unlucky:  %zu prime%s%s\n", report->unlucky_primes,
                report->unlucky_primes == 1 ? "" : "s",
                report->unlucky_primes == 0 ? "" : ", replaced");
    }
    if (!operation->settings->json) {
        return DONE;
    }
    json_begin(&json, stdout);
    json_string(&json, "operation", operation->name);
    if (over_integers(operation)) {
        operation->describe_integers(operation, &json, c->integers, input);
        if (operation->counts_unlucky) {
            json_u64(&json, "unlucky_primes", report->unlucky_primes);
        }
    } else {
        json_string(&json, "field", gfp_field_name(input->field));
        operation->describe(operation, &json, c->poly, input);
    }
    json_report(&json, report, "compute_ns");
    json_end(&json);
    return flush_standard_output(0);
}

/* The operands have no such result: a message that names the file at fault, or all of them. */
static int complain_operands(const struct operation *operation, const gfp_error *error)
{
    char files[1000] = "";
    for (int i = 0; i < operation->files; i++) {
        if (error->index >= (uint64_t)operation->files || error->index == (uint64_t)i) {
            const size_t used = strlen(files);
            (void)snprintf(files + used, sizeof files - used, "%s%s", used > 0 ? ", " : "",
                           shown_path(operation->file[i]));
        }
    }
    return complain_status(files, GFP_ERR_ARGUMENT, error);
}

static int compute(const struct operation *operation, struct results *c, const struct input *input,
                   const gfp_tuning *tuning, gfp_report *report)
{
    gfp_error error = {.message = ""};
    struct progress progress;
    gfp_options options = call_options(operation->settings, tuning, report);
    options.error = &error;
    options.progress = begin_progress(&progress, operation->label);
    const gfp_status status =
        over_integers(operation)
            ? operation->compute_integers(operation, c->integers, input, &options)
        : device_serves(operation) ? compute_on_device(operation, c->poly, input, &options)
                                   : operation->compute(operation, c->poly, input, &options);
    end_progress(&progress);
    if (status == GFP_ERR_ARGUMENT && over_integers(operation)) {
        return complain_operands(operation, &error);
    }
    const int code = end_call(operation->settings, report, status, &error);
    return status == GFP_ERR_ARGUMENT || status == GFP_ERR_NOT_INVERTIBLE ? FAILED : code;
}

static bool writes_number(const struct operation *operation)
{
    return operation->put != NULL || operation->put_integers != NULL;
}

static int write_results(struct operation *operation, const struct results *c, gfp_format format)
{
    struct value value[MOST_RESULTS];
    struct place *place = operation->place;
    for (size_t i = 0; i < operation->results; i++) {
        value[i] = (struct value){over_integers(operation) ? NULL : &c->poly[i], &c->integers[i]};
    }
    if (!writes_number(operation) || place->path == NULL) {
        return write_places(place, operation->results, value, format);
    }
    FILE *stream = place->output.stream;
    return finish_output(&place->output, over_integers(operation)
                                             ? operation->put_integers(stream, c->integers)
                                             : operation->put(stream, c->poly));
}

static int compute_and_write(struct operation *operation, const struct input *input,
                             const gfp_tuning *tuning)
{
    const gfp_format format =
        writes_number(operation) ? GFP_FORMAT_FLINT : output_format(input, operation->settings);
    struct results c;
    gfp_report report = {.threads = 1};
    int code = open_places(operation->place, operation->results, operation->settings, format);
    if (code != DONE) {
        return code;
    }
    init_results(&c, operation, input);
    code = compute(operation, &c, input, tuning, &report);
    if (code == DONE) {
        code = write_results(operation, &c, format);
    } else {
        abandon_places(operation->place, operation->results);
    }
    if (code == DONE) {
        code = report_operation(operation, &report, &c, input);
    }
    clear_results(&c, operation);
    return code;
}

static int compute_and_write_lines(struct operation *operation, const struct input *input,
                                   const gfp_tuning *tuning)
{
    struct place *place = operation->place;
    struct results none; /* of no use to these operations */
    gfp_report report = {.threads = 1};
    int code = open_places(place, 1, operation->settings, GFP_FORMAT_FLINT);
    if (code != DONE) {
        return code;
    }
    code = compute(operation, &none, input, tuning, &report);
    if (code != DONE) {
        abandon_places(place, 1);
    } else if (place->path != NULL) {
        const gfp_format format = output_format(input, operation->settings);
        code = finish_output(&place->output,
                             operation->write(operation, place->output.stream, format));
    }
    if (code == DONE) {
        code = report_operation(operation, &report, &none, input);
    }
    operation->free(operation);
    return code;
}

/* ---- demands on operands ---- */

void name_operand(char *text, size_t size, const struct operation *operation,
                  const struct input *input, int i)
{
    const char *path = shown_path(input->operand[i].path);
    if (operation->pairs) {
        snprintf(text, size, "%s%d (%.80s)", operation->role[i % 2], i / 2 + 1, path);
    } else {
        snprintf(text, size, "%s (%.80s)", operation->role[i], path);
    }
}

static bool meets(const gfp_poly *a, enum demand demand)
{
    return demand == NOT_CONSTANT ? a->len > 1 : demand == ANY_POLYNOMIAL || a->len > 0;
}

/* Reports the first operand that does not meet the demand on it. Returns an exit code. */
static int check_demands(const struct operation *operation, const struct input *input)
{
    for (int i = 0; i < input->count; i++) {
        const enum demand demand = operation->demand[operation->pairs ? i % 2 : i % MOST_DEMANDS];
        const gfp_poly *a = &input->operand[i].poly;
        char operand[120];
        if (meets(a, demand)) {
            continue;
        }
        name_operand(operand, sizeof(operand), operation, input, i);
        if (a->len > 0) {
            complain("%s: %s is a constant: everything is 0 modulo it", operation->name, operand);
        } else {
            complain("%s: %s%s is 0", operation->name,
                     demand == NOT_ZERO ? "" : "division by 0: ", operand);
        }
        return FAILED;
    }
    return DONE;
}

int run_operation(struct operation *operation)
{
    struct costs costs;
    struct input input;
    int code = load_costs(&costs, operation->settings);
    if (code != DONE) {
        return code;
    }
    code = over_integers(operation)
               ? read_integer_files(&input, operation->settings, operation->file, operation->files,
                                    operation->kind)
               : read_files(&input, operation->settings, operation->file, operation->files);
    if (code == DONE && operation->settings->explain) {
        code = explain_operation(operation, &input, costs.tuning);
        free_input(&input);
    } else if (code == DONE && (code = check_demands(operation, &input)) != DONE) {
        free_input(&input);
    } else if (code == DONE) {
        code = operation->write != NULL ? compute_and_write_lines(operation, &input, costs.tuning)
                                        : compute_and_write(operation, &input, costs.tuning);
        free_input(&input);
    }
    check_costs_again(&costs);
    free_costs(&costs);
    return code;
}
