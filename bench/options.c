/* bench/options.c: the options common to the programs of this folder: fields, lengths, time, seed,
 * output files.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <argp.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

enum { OPTION_FIELDS = 512, OPTION_SECONDS, OPTION_SEED, OPTION_CSV, OPTION_JSON };

static const struct argp_option field_options[] = {
    {"field", 'f', "FIELD", 0, "A field: name, formula or p; may be repeated (default: p8)", 0},
    {"fields", OPTION_FIELDS, "all", 0, "All named fields", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp_option options[] = {
    {"seconds", OPTION_SECONDS, "S", 0, "Time to spend on one figure (default: 0.3)", 2},
    {"seed", OPTION_SEED, "N", 0, "Seed of the random operands (default: 1)", 2},
    {"csv", OPTION_CSV, "FILE", 0, "Write the figures as CSV to FILE", 3},
    {"json", OPTION_JSON, "FILE", 0, "Write the figures as JSON to FILE", 3},
    {NULL, 0, NULL, 0, NULL, 0},
};

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

size_t parse_lengths(struct argp_state *state, size_t *lengths, const char *text)
{
    char *end;
    size_t count = 0;

    for (;; text = end + 1) {
        const uint64_t len = parse_count(state, text, &end);
        if (len == 0 || len > SIZE_MAX / 1024) {
            argp_error(state, "'%s': numbers from 1 to %zu are possible", text, SIZE_MAX / 1024);
        }
        if (count == MAX_LENGTHS) {
            argp_error(state, "more than %d lengths", MAX_LENGTHS);
        }
        lengths[count++] = (size_t)len;
        if (*end == '\0') {
            return count;
        }
        if (*end != ',') {
            argp_error(state, "'%s' where a comma should separate lengths", end);
        }
    }
}

double parse_seconds(struct argp_state *state, const char *text)
{
    char *end;
    const double value = strtod(text, &end);

    if (end == text || *end != '\0' || !isfinite(value) || value <= 0) {
        argp_error(state, "'%s' is not a time in seconds", text);
    }
    return value;
}

void *open_module(struct argp_state *state, const char *path)
{
    int flags = RTLD_NOW | RTLD_LOCAL;
#ifndef __SANITIZE_ADDRESS__ /* it takes no other order of symbols */
    flags |= RTLD_DEEPBIND;
#endif
    void *module = dlopen(path, flags);

    if (module == NULL) {
        argp_error(state, "%s", dlerror());
    }
    return module;
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

static error_t parse_report(int key, char *argument, struct argp_state *state)
{
    settings *s = state->input;

    switch (key) {
    case OPTION_SECONDS:
        s->seconds = parse_seconds(state, argument);
        return 0;
    case OPTION_SEED:
        s->seed = parse_seed(state, argument);
        return 0;
    case OPTION_CSV:
        s->csv = argument;
        return 0;
    case OPTION_JSON:
        s->json = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp report_options = {options, parse_report, NULL, NULL, NULL, NULL, NULL};

static error_t parse_field(int key, char *argument, struct argp_state *state)
{
    settings *s = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = s;
        return 0;
    case 'f':
        add_field(state, s, argument);
        return 0;
    case OPTION_FIELDS:
        add_all_fields(state, s, argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&report_options, 0, NULL, 0}, {NULL, 0, NULL, 0}};
const struct argp common_options = {field_options, parse_field, NULL, NULL, children, NULL, NULL};
