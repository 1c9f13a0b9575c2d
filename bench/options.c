/* bench/options.c: see options.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <argp.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/options.h"

#define MOST_ROWS 64
#define FIRST_KEY 256 /* of rows without a letter */

/* ---- values ---- */

/* Decimal digits only: no sign, no space. *end: behind them. */
static uint64_t parse_digits(struct argp_state *state, const char *text, char **end)
{
    errno = 0;
    const unsigned long long value = strtoull(text, end, 10);
    if (text[0] < '0' || text[0] > '9' || errno != 0) {
        argp_error(state, "'%s' is not a number", text);
    }
    return value;
}

static uint64_t parse_number(struct argp_state *state, const option_row *row, const char *text)
{
    char *end;
    const uint64_t value = parse_digits(state, text, &end);
    if (*end != '\0' || value < row->least || value > row->most) {
        argp_error(state, "--%s: '%s' is not a number from %llu to %llu", row->name, text,
                   (unsigned long long)row->least, (unsigned long long)row->most);
    }
    return value;
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

static void parse_list(struct argp_state *state, size_t *value, size_t *count, const char *text)
{
    char *end;
    for (*count = 0;; text = end + 1) {
        const uint64_t number = parse_digits(state, text, &end);
        if (number == 0 || number > SIZE_MAX / 1024) {
            argp_error(state, "'%s': numbers from 1 to %zu are possible", text, SIZE_MAX / 1024);
        }
        if (*count == MAX_LENGTHS) {
            argp_error(state, "more than %d numbers", MAX_LENGTHS);
        }
        value[(*count)++] = (size_t)number;
        if (*end == '\0') {
            return;
        }
        if (*end != ',') {
            argp_error(state, "'%s' where a comma should separate numbers", end);
        }
    }
}

static void add_field(struct argp_state *state, const char **fields, size_t *count,
                      const char *name)
{
    if (*count == MAX_FIELDS) {
        argp_error(state, "more than %d fields", MAX_FIELDS);
    }
    fields[(*count)++] = name;
}

static void add_all_fields(struct argp_state *state, const char **fields, size_t *count,
                           const char *text)
{
    if (strcmp(text, "all") != 0) {
        argp_error(state, "--fields takes 'all', not '%s'", text);
    }
    for (size_t i = 0; i < gfp_named_prime_count(); i++) {
        add_field(state, fields, count, gfp_named_prime_get(i)->name);
    }
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

/* Whether the text is one of the words, which | separates. */
static bool is_one_of(const char *words, const char *text)
{
    const size_t length = strlen(text);
    for (const char *end = words; end != NULL; words = end + 1) {
        end = strchr(words, '|');
        if (length == (end != NULL ? (size_t)(end - words) : strlen(words)) &&
            strncmp(words, text, length) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- the parser ---- */

static void take_option(struct argp_state *state, const option_row *row, void *into,
                        const char *text)
{
    void *place = (char *)into + row->place;
    size_t *count = (size_t *)(void *)((char *)into + row->count_place);
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)place = true;
        return;
    case OPTION_TEXT:
        *(const char **)place = text;
        return;
    case OPTION_CHOICE:
        if (!is_one_of(row->argument, text)) {
            argp_error(state, "--%s: '%s' is none of %s", row->name, text, row->argument);
        }
        *(const char **)place = text;
        return;
    case OPTION_SECONDS:
        *(double *)place = parse_seconds(state, text);
        return;
    case OPTION_NUMBER:
        *(uint64_t *)place = parse_number(state, row, text);
        return;
    case OPTION_SIZE:
        *(size_t *)place = (size_t)parse_number(state, row, text);
        return;
    case OPTION_COUNT:
        *(unsigned *)place = (unsigned)parse_number(state, row, text);
        return;
    case OPTION_LIST:
        parse_list(state, place, count, text);
        return;
    case OPTION_FIELD:
        add_field(state, place, count, text);
        return;
    case OPTION_ALL_FIELDS:
        add_all_fields(state, place, count, text);
        return;
    default:
        row->take(state, into, text);
    }
}

static int key_of(const program *p, size_t row)
{
    return p->rows[row].letter != 0 ? p->rows[row].letter : FIRST_KEY + (int)row;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    const program *p = state->input;
    if (key == ARGP_KEY_ARG && p->take == NULL) {
        argp_error(state, "unexpected argument '%s'", text);
    } else if (key == ARGP_KEY_ARG) {
        p->take(state, p->into, text);
    }
    if (key == ARGP_KEY_END && p->complete != NULL) {
        p->complete(state, p->into);
    }
    for (size_t i = 0; i < p->count; i++) {
        if (key == key_of(p, i)) {
            take_option(state, &p->rows[i], p->into, text);
            return 0;
        }
    }
    return key == ARGP_KEY_ARG || key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
}

void parse_options(const program *p, int argc, char **argv)
{
    struct argp_option options[MOST_ROWS + 1] = {{.name = NULL}};
    const struct argp parser = {options, parse_option, p->arguments, p->documentation,
                                NULL,    NULL,         NULL};
    for (size_t i = 0; i < p->count && i < MOST_ROWS; i++) {
        options[i] = (struct argp_option){.name = p->rows[i].name,
                                          .key = key_of(p, i),
                                          .arg = p->rows[i].argument,
                                          .doc = p->rows[i].help,
                                          .group = p->rows[i].group};
    }
    program_name = p->name;
    argp_err_exit_status = 2;
    if (argp_parse(&parser, argc, argv, 0, NULL, (void *)p) != 0) {
        exit(2);
    }
}
