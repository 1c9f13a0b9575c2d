/* methods.c: the subcommand methods: the method table for a field and a problem; on request
 * with measured times, or with the reasons of the pick.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static int measure_all(struct survey *survey, const gfp_field *field,
                       const struct question *question, uint64_t seed)
{
    gfp_error error = {.message = ""};
    gfp_poly a;
    gfp_poly b;
    gfp_poly c;
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    int code = random_operands(&a, question->problem.len_a, &b, question->problem.len_b, seed);
    for (size_t i = 0; i < survey->count && code == DONE; i++) {
        struct row *row = &survey->rows[i];
        if (row->info.available && !row->skipped) {
            gfp_status status = measure_row(row, question, &usual_effort, &c, &a, &b, &error);
            code = status == GFP_OK ? DONE : complain_status("methods", status, &error);
        }
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    return code;
}

static void json_measured(struct json *json, const char *key, const struct row *row, uint64_t ns)
{
    if (row->timing.runs > 0) {
        json_u64(json, key, ns);
    } else {
        json_null(json, key);
    }
}

/* Whether a call with the same cap on memory would refuse the pick; *error gives the reason. */
static bool is_refused(const gfp_field *field, const struct question *question, gfp_error *error)
{
    gfp_options options = question->options;
    options.error = error;
    return gfp_method_check(&question->problem, field, &options) == GFP_ERR_MEMORY;
}

static void print_json(const struct survey *survey, const gfp_field *field,
                       const struct question *question)
{
    struct json json;
    gfp_error error = {.message = ""};
    char text[300];
    json_begin(&json, stdout);
    json_string(&json, "field", gfp_field_name(field));
    json_string(&json, "operation", gfp_operation_name(question->problem.operation));
    json_u64(&json, "len_a", question->problem.len_a);
    json_u64(&json, "len_b", question->problem.len_b);
    json_u64(&json, "threads", question->options.threads);
    json_u64(&json, "memory_cap", question->options.memory_cap);
    json_bool(&json, "resident", question->problem.resident == GFP_RESIDENT_DEVICE);
    json_string(&json, "pick", survey->pick);
    json_string(&json, "first_pick", survey->first_pick);
    json_string(&json, "refused", is_refused(field, question, &error) ? error.message : NULL);
    json_string(&json, "forced", describe_forced(text, sizeof text, field, question) ? text : NULL);
    json_open(&json, "methods", '[');
    for (size_t i = 0; i < survey->count; i++) {
        const struct row *row = &survey->rows[i];
        json_open(&json, NULL, '{');
        json_string(&json, "name", row->info.name);
        json_bool(&json, "available", row->info.available);
        json_string(&json, "reason", row->reason);
        json_double(&json, "estimate_ns", row->info.estimate_ns);
        json_string(&json, "source", row->info.source);
        json_u64(&json, "threads", row->info.threads);
        json_u64(&json, "workspace", row->info.workspace);
        json_measured(&json, "measured_min_ns", row, row->timing.min_ns);
        json_measured(&json, "measured_median_ns", row, row->timing.median_ns);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end(&json);
}

static void print_ms(bool known, double ns)
{
    if (known) {
        printf(" %14.3f", ns / 1e6);
    } else {
        printf(" %14s", "-");
    }
}

/* Whether all estimates come from the built-in costs: a tuning may have no row for the field. */
static bool is_built_in(const struct survey *survey)
{
    for (size_t i = 0; i < survey->count; i++) {
        const gfp_method_info *info = &survey->rows[i].info;
        if (info->available && strcmp(info->source, "built-in") != 0) {
            return false;
        }
    }
    return true;
}

static bool is_pick(const struct survey *survey, const char *name)
{
    return survey->pick != NULL && name != NULL && strcmp(survey->pick, name) == 0;
}

static void print_pick(const struct survey *survey, const char *costs)
{
    const bool built_in = is_built_in(survey);
    const char *pick = survey->pick != NULL ? survey->pick : "none";
    if (costs != NULL && built_in) {
        printf("pick: %s (costs: built-in; %s has none for this field)\n", pick, costs);
    } else {
        printf("pick: %s (costs: %s)\n", pick, built_in ? "built-in" : costs);
    }
    if (survey->first_pick != NULL && !is_pick(survey, survey->first_pick)) {
        printf("first product of a process: %s (starting the GPU takes about 0.2 s more)\n",
               survey->first_pick);
    }
}

static void print_refusal(const gfp_field *field, const struct question *question)
{
    gfp_error error = {.message = ""};
    char text[300];
    if (describe_forced(text, sizeof text, field, question)) {
        printf("forced by --memory: %s\n", text);
    }
    if (is_refused(field, question, &error)) {
        printf("refused, unless asked for by name: %s\n", error.message);
    }
}

static void print_question(const gfp_field *field, const struct question *question)
{
    const gfp_problem *p = &question->problem;
    const unsigned threads = question->options.threads;
    const size_t cap = question->options.memory_cap;
    printf("field %s, %zu x %zu coefficients, %u thread%s", gfp_field_name(field), p->len_a,
           p->len_b, threads, threads == 1 ? "" : "s");
    if (p->operation != GFP_OPERATION_PRODUCT) {
        printf(", %s", gfp_operation_name(p->operation));
    }
    switch (p->operation) {
    case GFP_OPERATION_LOW:
        printf(" mod X^%zu", p->n);
        break;
    case GFP_OPERATION_HIGH:
        printf(" div X^%zu", p->n);
        break;
    case GFP_OPERATION_MIDDLE:
        printf(" (%zu coefficients from X^%zu on)", p->n, p->from);
        break;
    case GFP_OPERATION_BATCH:
        printf(" of %zu", p->count);
        break;
    default:
        break;
    }
    if (p->resident == GFP_RESIDENT_DEVICE) {
        printf(", on the GPU");
    }
    if (cap != 0) {
        printf(", at most %zu bytes of work space", cap);
    }
    printf("\n");
}

static void print_table(const struct survey *survey)
{
    printf("%-16s %-10s %14s %14s %14s  %s\n", "method", "available", "estimate ms", "min ms",
           "median ms", "reason");
    for (size_t i = 0; i < survey->count; i++) {
        const struct row *row = &survey->rows[i];
        printf("%-16s %-10s", row->info.name, row->info.available ? "yes" : "no");
        print_ms(row->info.available, row->info.estimate_ns);
        print_ms(row->timing.runs > 0, (double)row->timing.min_ns);
        print_ms(row->timing.runs > 0, (double)row->timing.median_ns);
        printf("%s%s\n", row->reason[0] != '\0' ? "  " : "", row->reason);
    }
}

/* ---- why ---- */

static int compare_rows(const void *x, const void *y)
{
    const gfp_method_info *a = &((const struct row *)x)->info;
    const gfp_method_info *b = &((const struct row *)y)->info;
    if (a->available != b->available) {
        return a->available ? -1 : 1;
    }
    return (a->estimate_ns > b->estimate_ns) - (a->estimate_ns < b->estimate_ns);
}

/* Prints the pick for a changed question. */
static void explain_other(const char *condition, const struct survey *survey,
                          const gfp_field *field, const struct question *other)
{
    const char *pick = gfp_method_pick(&other->problem, field, &other->options);
    if (pick != NULL) {
        printf("%s: %s%s\n", condition, pick, is_pick(survey, pick) ? " too" : "");
    }
}

/* Prints the methods by rising estimate, and the reason of the pick; sorts the rows. */
static void explain_methods(struct survey *survey, const gfp_field *field,
                            const struct question *question)
{
    qsort(survey->rows, survey->count, sizeof survey->rows[0], compare_rows);
    const gfp_method_info *first = &survey->rows[0].info;
    const gfp_method_info *second = survey->count > 1 ? &survey->rows[1].info : first;
    printf("considered, by estimate:\n");
    for (size_t i = 0; i < survey->count; i++) {
        const gfp_method_info *info = &survey->rows[i].info;
        if (info->available) {
            printf("  %-16s %.6g ms, %.3g times the least; %s costs, %u thread%s, %.3g MiB of work "
                   "space\n",
                   info->name, info->estimate_ns / 1e6, info->estimate_ns / first->estimate_ns,
                   info->source, info->threads, info->threads == 1 ? "" : "s",
                   (double)info->workspace / 1048576);
        } else {
            printf("  %-16s cannot serve: %s\n", info->name, info->reason);
        }
    }
    if (survey->pick == NULL) {
        printf("why: no method can serve\n");
    } else if (second != first && second->available) {
        printf("why: %s has the least estimate, %.3g of that of %s\n", survey->pick,
               first->estimate_ns / second->estimate_ns, second->name);
    } else {
        printf("why: only %s can serve\n", survey->pick);
    }
    struct question other = *question;
    if (question->options.memory_cap != 0) {
        other.options.memory_cap = 0;
        explain_other("without the cap on memory", survey, field, &other);
        other = *question;
    }
    if (question->options.threads > 1) {
        other.options.threads = 1;
        explain_other("on one thread", survey, field, &other);
        other = *question;
    }
    if (question->options.tuning != NULL) {
        other.options.tuning = NULL;
        explain_other("by the built-in costs", survey, field, &other);
        other = *question;
    }
    const bool there = question->problem.resident == GFP_RESIDENT_DEVICE;
    other.problem.resident = there ? GFP_RESIDENT_HOST : GFP_RESIDENT_DEVICE;
    explain_other(there ? "with factors in host memory" : "with factors on the GPU", survey, field,
                  &other);
}

/* ---- the command ---- */

/* The problem of the request. The default of --n is half of the product; for a middle product, the
 * coefficients to which all of the shorter factor adds. */
static gfp_problem problem_of(const struct method_values *values)
{
    gfp_problem p = {.operation = (gfp_operation)values->operation,
                     .len_a = values->len,
                     .len_b = values->len_b != 0 ? values->len_b : values->len,
                     .count = values->count,
                     .resident = values->resident ? GFP_RESIDENT_DEVICE : GFP_RESIDENT_HOST};
    if (p.operation == GFP_OPERATION_SQUARE) {
        p.len_b = p.len_a;
    } else if (p.operation == GFP_OPERATION_MIDDLE && values->len_b == 0) {
        p.len_b = p.len_a / 2 + p.len_a % 2;
    }
    const size_t more = p.len_a > p.len_b ? p.len_a : p.len_b;
    const size_t less = p.len_a > p.len_b ? p.len_b : p.len_a;
    p.n = values->n != 0 ? values->n : more;
    if (p.operation == GFP_OPERATION_MIDDLE) {
        p.from = less - 1;
        p.n = values->n != 0 ? values->n : more - less + 1;
    } else if (p.operation == GFP_OPERATION_HIGH) {
        const size_t all = more > SIZE_MAX - less ? SIZE_MAX : more + less - 1;
        p.n = all > p.n ? all - p.n : 0;
    }
    return p;
}

static int show_methods(const struct request *request)
{
    const struct method_values *values = &request->own.methods;
    const struct question question = {.problem = problem_of(values),
                                      .options = {.threads = request->call.threads,
                                                  .memory_cap = request->call.memory,
                                                  .tuning = request->costs.tuning}};
    struct survey survey;
    gfp_field *field;
    int code = create_field(&field, request->field[0]);
    if (code != DONE) {
        return code;
    }
    /* Slow methods are marked only for a measurement. */
    bool all = values->all || !values->measure;
    code = make_survey(&survey, field, &question, all, 1);
    if (code == DONE && values->measure) {
        code = measure_all(&survey, field, &question, values->seed);
    }
    if (code == DONE && request->call.json) {
        print_json(&survey, field, &question);
    } else if (code == DONE) {
        print_question(field, &question);
        print_table(&survey);
        print_pick(&survey, request->costs.path);
        print_refusal(field, &question);
        if (request->call.explain) {
            explain_methods(&survey, field, &question);
        }
    }
    if (code == DONE) {
        code = flush_standard_output(0);
    }
    free_survey(&survey);
    gfp_field_destroy(field);
    return code;
}

/* The reason why the options contradict each other; NULL: they do not. */
static const char *method_contradiction(const struct request *request)
{
    const struct method_values *values = &request->own.methods;
    const gfp_operation operation = (gfp_operation)values->operation;
    const bool part = operation == GFP_OPERATION_LOW || operation == GFP_OPERATION_HIGH ||
                      operation == GFP_OPERATION_MIDDLE;
    if (values->measure && operation == GFP_OPERATION_FILE) {
        return "--measure makes no files: `mul --binary --time' measures such a product";
    }
    if (values->measure && values->resident) {
        return "--measure times factors in host memory, not --resident ones";
    }
    if (values->n != 0 && !part) {
        return "--n goes with --operation low, high or middle";
    }
    if (is_given(request, "count") && operation != GFP_OPERATION_BATCH) {
        return "--count goes with --operation batch";
    }
    return values->len_b != 0 && operation == GFP_OPERATION_SQUARE ? "a square has no --len-b"
                                                                   : NULL;
}

static int run_methods(const struct request *request)
{
    const char *why = method_contradiction(request);
    if (why != NULL) {
        complain("methods: %s", why);
        return BAD_USAGE;
    }
    return show_methods(request);
}

const struct command methods_commands[] = {
    {.name = "methods",
     .summary = "List the ways to multiply, their costs and the pick",
     .doc = "Lists the multiplication methods for a field and two lengths: whether each can serve, "
            "its estimated time and with --measure its measured time, and the pick."
            "\vJSON keys: field, operation, len_a, len_b, threads, memory_cap, resident, pick, "
            "first_pick (the pick of a process that has not used the GPU yet: starting it takes "
            "about 0.2 s), refused (why `mul' with this cap on memory would refuse the pick unless "
            "--method names it; null: it would not), forced (the method that the cap on memory "
            "forces, and how much slower it is; null: the cap changes nothing), methods: [{name, "
            "available, reason, estimate_ns, source, threads, workspace, measured_min_ns, "
            "measured_median_ns}]; times not measured are null.",
     .run = run_methods},
    {.name = NULL}};
