/* bench/bench.c: gfpoly_bench, the command: options, fields, output files.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum {
    OPTION_FIELDS = 256,
    OPTION_SECONDS,
    OPTION_LIMIT,
    OPTION_SEED,
    OPTION_METHODS,
    OPTION_DFT,
    OPTION_KERNELS,
    OPTION_COST_TABLE,
    OPTION_CSV,
    OPTION_JSON
};

static const struct argp_option options[] = {
    {"field", 'f', "FIELD", 0, "A field: name, formula or p; may be repeated (default: p8)", 0},
    {"fields", OPTION_FIELDS, "all", 0, "All named fields", 0},
    {"len", 'l', "N,N,...", 0,
     "Lengths of the factors (default: 256,1024,4096,16384); of the transforms with --dft "
     "(default: 256,4096,65536)",
     0},
    {"methods", OPTION_METHODS, NULL, 0, "Products by every method", 1},
    {"dft", OPTION_DFT, NULL, 0, "Transforms", 1},
    {"kernels", OPTION_KERNELS, NULL, 0, "Kernels, in nanoseconds per element", 1},
    {"cost-table", OPTION_COST_TABLE, NULL, 0,
     "Print poly/cost_table.inc for this machine, and do nothing else", 1},
    {"seconds", OPTION_SECONDS, "S", 0, "Time to spend on one figure (default: 0.3)", 2},
    {"limit", OPTION_LIMIT, "S", 0, "Skip a method estimated above (default: 2)", 2},
    {"seed", OPTION_SEED, "N", 0, "Seed of the random operands (default: 1)", 2},
    {"csv", OPTION_CSV, "FILE", 0, "Write the figures as CSV", 3},
    {"json", OPTION_JSON, "FILE", 0, "Write the figures as JSON", 3},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const char documentation[] =
    "Times the parts of gfpoly: without --methods, --dft or --kernels, products by every method "
    "and "
    "kernels.\vEvery product and transform is compared with that of another method before it is "
    "timed. min and median are of wall-clock times, one thread. \"/ flint\" is the ratio of a "
    "method's least time to flint's; \"verify\" is the time of the check at a random point over "
    "the "
    "method's least time. Exits with 0, 1 after a failure, 2 after a mistake in usage.";

static void add_field(struct argp_state *state, settings *s, const char *name)
{
    if (s->field_count == MAX_FIELDS) {
        argp_error(state, "more than %d fields", MAX_FIELDS);
    }
    s->fields[s->field_count++] = name;
}

static void add_all_fields(struct argp_state *state, settings *s, const char *argument)
{
    if (strcmp(argument, "all") != 0) {
        argp_error(state, "--fields takes 'all', not '%s'", argument);
    }
    for (size_t i = 0; i < gfp_named_prime_count(); i++) {
        add_field(state, s, gfp_named_prime_get(i)->name);
    }
}

/* Decimal digits only: no sign, no space. */
static uint64_t parse_count(struct argp_state *state, const char *text, char **end)
{
    errno = 0;
    const unsigned long long value = strtoull(text, end, 10);

    if (text[0] < '0' || text[0] > '9' || errno != 0) {
        argp_error(state, "'%s' is not a number", text);
    }
    return value;
}

static void parse_lengths(struct argp_state *state, settings *s, const char *text)
{
    char *end;

    s->length_count = 0;
    for (;; text = end + 1) {
        const uint64_t len = parse_count(state, text, &end);
        if (len == 0 || len > SIZE_MAX / 1024) {
            argp_error(state, "a length of %s is not possible", text);
        }
        if (s->length_count == MAX_LENGTHS) {
            argp_error(state, "more than %d lengths", MAX_LENGTHS);
        }
        s->lengths[s->length_count++] = (size_t)len;
        if (*end == '\0') {
            return;
        }
        if (*end != ',') {
            argp_error(state, "'%s' where a comma should separate lengths", end);
        }
    }
}

static double parse_seconds(struct argp_state *state, const char *text)
{
    char *end;
    const double value = strtod(text, &end);

    if (end == text || *end != '\0' || !isfinite(value) || value <= 0) {
        argp_error(state, "'%s' is not a time in seconds", text);
    }
    return value;
}

static uint64_t parse_seed(struct argp_state *state, const char *text)
{
    char *end;
    const uint64_t value = parse_count(state, text, &end);

    if (*end != '\0') {
        argp_error(state, "'%s' is not a number", text);
    }
    return value;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    settings *s = state->input;

    switch (key) {
    case 'f':
        add_field(state, s, argument);
        return 0;
    case OPTION_FIELDS:
        add_all_fields(state, s, argument);
        return 0;
    case 'l':
        parse_lengths(state, s, argument);
        return 0;
    case OPTION_SECONDS:
        s->seconds = parse_seconds(state, argument);
        return 0;
    case OPTION_LIMIT:
        s->limit = parse_seconds(state, argument);
        return 0;
    case OPTION_SEED:
        s->seed = parse_seed(state, argument);
        return 0;
    case OPTION_METHODS:
        s->methods = true;
        return 0;
    case OPTION_DFT:
        s->dft = true;
        return 0;
    case OPTION_KERNELS:
        s->kernels = true;
        return 0;
    case OPTION_COST_TABLE:
        s->cost_table = true;
        return 0;
    case OPTION_CSV:
        s->csv = argument;
        return 0;
    case OPTION_JSON:
        s->json = argument;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s'", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The settings of one part: its own default lengths. */
static settings with_lengths(const settings *s, const size_t *lengths, size_t count)
{
    settings copy = *s;

    if (copy.length_count == 0) {
        memcpy(copy.lengths, lengths, count * sizeof(*lengths));
        copy.length_count = count;
    }
    return copy;
}

static bool bench_field(const settings *s, const gfp_field *field, report *r)
{
    static const size_t product_lengths[] = {256, 1024, 4096, 16384};
    static const size_t dft_lengths[] = {256, 4096, 65536};
    const settings products = with_lengths(s, product_lengths, 4);
    const settings transforms = with_lengths(s, dft_lengths, 3);

    return (!s->methods || bench_methods(&products, field, r)) &&
           (!s->dft || bench_dft(&transforms, field, r)) &&
           (!s->kernels || bench_kernels(s, field, r));
}

static bool bench_fields(const settings *s, gfp_field *const *fields)
{
    report r = {NULL, 0, 0};
    FILE *csv = NULL;
    FILE *json = NULL;
    bool ok = report_open(&csv, s->csv) && report_open(&json, s->json);

    for (size_t i = 0; i < s->field_count && ok; i++) {
        ok = bench_field(s, fields[i], &r);
    }
    ok = ok && (csv == NULL || report_write_csv(&r, csv, s->csv));
    ok = ok && (json == NULL || report_write_json(&r, json, s->json));
    report_clear(&r);
    return ok;
}

/* Creates the fields before anything is measured. Returns an exit code. */
static int create_fields(const settings *s, gfp_field **fields)
{
    gfp_error error = {.message = ""};

    for (size_t i = 0; i < s->field_count; i++) {
        const gfp_status status = gfp_field_create(&fields[i], s->fields[i], NULL, &error);
        if (status != GFP_OK) {
            complain("--field %s: %s", s->fields[i], error.message);
            return status == GFP_ERR_MEMORY ? 1 : 2;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct argp parser = {options, parse_option, NULL, documentation, NULL, NULL, NULL};
    settings s = {.seconds = 0.3, .limit = 2, .seed = 1};
    gfp_field *fields[MAX_FIELDS] = {NULL};

    argp_err_exit_status = 2;
    if (argp_parse(&parser, argc, argv, 0, NULL, &s) != 0) {
        return 2;
    }
    if (!s.methods && !s.dft && !s.kernels) {
        s.methods = s.kernels = true;
    }
    if (s.field_count == 0) {
        s.fields[s.field_count++] = "p8";
    }
    int code = create_fields(&s, fields);
    if (code == 0) {
        code = (s.cost_table ? print_cost_table(&s) : bench_fields(&s, fields)) ? 0 : 1;
    }
    for (size_t i = 0; i < s.field_count; i++) {
        gfp_field_destroy(fields[i]);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain("standard output: %s", strerror(errno));
        code = 1;
    }
    return code;
}
