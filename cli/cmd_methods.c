/* cmd_methods.c: the subcommand methods: the method table for a field and lengths, on request with
 * measured times. SPDX-License-Identifier: LGPL-3.0-or-later */
#include <inttypes.h>

#include "cli.h"

static int measure_all(struct survey *survey, const gfp_field *field, size_t len_a, size_t len_b,
                       uint64_t seed)
{
    gfp_error error = {.message = ""};
    gfp_poly a;
    gfp_poly b;
    gfp_poly c;
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    int code = random_operands(&a, len_a, &b, len_b, seed);
    for (size_t i = 0; i < survey->count && code == DONE; i++) {
        struct row *row = &survey->rows[i];
        if (row->info.available && !row->skipped) {
            gfp_status status = measure_row(row, &c, &a, &b, &error);
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
    if (row->runs > 0) {
        json_u64(json, key, ns);
    } else {
        json_null(json, key);
    }
}

static void print_json(const struct survey *survey, const gfp_field *field, size_t len_a,
                       size_t len_b)
{
    struct json json;
    json_begin(&json, stdout);
    json_string(&json, "field", gfp_field_name(field));
    json_u64(&json, "len_a", len_a);
    json_u64(&json, "len_b", len_b);
    json_u64(&json, "threads", gfp_field_threads(field));
    json_string(&json, "pick", survey->pick);
    json_open(&json, "methods", '[');
    for (size_t i = 0; i < survey->count; i++) {
        const struct row *row = &survey->rows[i];
        json_open(&json, NULL, '{');
        json_string(&json, "name", row->info.name);
        json_bool(&json, "available", row->info.available);
        json_string(&json, "reason", row->reason);
        json_double(&json, "estimate_ns", row->info.estimate_ns);
        json_measured(&json, "measured_min_ns", row, row->min_ns);
        json_measured(&json, "measured_median_ns", row, row->median_ns);
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

/* Whether the estimates are those of the built-in costs: a tuning may have no row that serves the
 * field. */
static bool is_built_in(const struct survey *survey, const gfp_field *field, size_t len_a,
                        size_t len_b)
{
    for (size_t i = 0; i < survey->count; i++) {
        gfp_method_info info;
        double ns = survey->rows[i].info.estimate_ns;
        if (gfp_method_query(field, len_a, len_b, i, &info) != GFP_OK || info.estimate_ns < ns ||
            info.estimate_ns > ns) {
            return false;
        }
    }
    return true;
}

static void print_pick(const char *pick, const char *costs, bool built_in)
{
    if (costs != NULL && built_in) {
        printf("pick: %s (costs: built-in; %s has none for this field)\n", pick, costs);
    } else {
        printf("pick: %s (costs: %s)\n", pick, built_in ? "built-in" : costs);
    }
}

static void print_table(const struct survey *survey, const gfp_field *field, size_t len_a,
                        size_t len_b, const char *costs)
{
    const unsigned threads = gfp_field_threads(field);
    printf("field %s, %zu x %zu coefficients, %u thread%s\n", gfp_field_name(field), len_a, len_b,
           threads, threads == 1 ? "" : "s");
    printf("%-13s %-10s %14s %14s %14s  %s\n", "method", "available", "estimate ms", "min ms",
           "median ms", "reason");
    for (size_t i = 0; i < survey->count; i++) {
        const struct row *row = &survey->rows[i];
        printf("%-13s %-10s", row->info.name, row->info.available ? "yes" : "no");
        print_ms(row->info.available, row->info.estimate_ns);
        print_ms(row->runs > 0, (double)row->min_ns);
        print_ms(row->runs > 0, (double)row->median_ns);
        printf("%s%s\n", row->reason[0] != '\0' ? "  " : "", row->reason);
    }
    print_pick(survey->pick, costs, is_built_in(survey, field, len_a, len_b));
}

static int show_methods(const struct settings *settings, const struct costs *costs)
{
    size_t len_b = settings->len_b != 0 ? settings->len_b : settings->len;
    struct survey survey;
    gfp_field *field;
    int code = create_field(&field, settings->field[0]);
    if (code != DONE) {
        return code;
    }
    gfp_field_set_threads(field, settings->threads);
    /* Slow methods are marked only where that means something: when measuring. */
    bool all = settings->all || !settings->measure;
    code = make_survey(&survey, costs->tuning, field, settings->len, len_b, all, 1);
    if (code == DONE && settings->measure) {
        code = measure_all(&survey, field, settings->len, len_b, settings->seed);
    }
    if (code == DONE && settings->json) {
        print_json(&survey, field, settings->len, len_b);
    } else if (code == DONE) {
        print_table(&survey, field, settings->len, len_b, costs->path);
    }
    if (code == DONE) {
        code = flush_standard_output(0);
    }
    free_survey(&survey);
    gfp_field_destroy(field);
    return code;
}

static int run_methods(const struct settings *settings)
{
    struct costs costs;
    int code = load_costs(&costs, settings);
    if (code == DONE) {
        code = show_methods(settings, &costs);
        free_costs(&costs);
    }
    return code;
}

static const struct argp_option methods_options[] = {
    OPTION_FIELD,
    OPTION("len", KEY_LEN, "N", "Coefficients of the first polynomial"),
    OPTION("len-b", KEY_LEN_B, "N", "Coefficients of the second (default: as the first)"),
    OPTION_THREADS,
    OPTION("measure", KEY_MEASURE, NULL,
           "Run every method for about a second; those estimated at more than 20 times the pick "
           "are skipped"),
    OPTION_ALL,
    OPTION_TUNING,
    OPTION_SEED,
    OPTION_JSON,
    OPTION_END};

const struct command command_methods = {
    .name = "methods",
    .summary = "List the ways to multiply, their costs and the pick",
    .arguments = NULL,
    .doc = "Lists the multiplication methods for a field and two lengths: whether each can serve, "
           "its estimated and with --measure its measured time, and the one that mul would pick."
           "\vJSON keys: field, len_a, len_b, threads, pick, methods: [{name, available, reason, "
           "estimate_ns, measured_min_ns, measured_median_ns}]; times not measured are null.",
    .options = methods_options,
    .required = GIVEN_FIELD | GIVEN_LEN,
    .least_len = 1,
    .run = run_methods};
