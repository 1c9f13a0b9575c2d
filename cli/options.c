/* options.c: one parser for the options of all subcommands; which of them a subcommand has is said
 * by its own table of options. Numbers are parsed strictly.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* What the parser works on. */
struct parsing {
    const struct command *command;
    struct settings *settings;
};

/* A decimal number without sign or spaces, at most maximum. */
static bool parse_number(const char *text, uint64_t maximum, uint64_t *value)
{
    uint64_t result = 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        uint64_t digit = (uint64_t)(*text - '0');
        if (result > (maximum - digit) / 10) {
            return false;
        }
        result = result * 10 + digit;
    }
    *value = result;
    return true;
}

static uint64_t take_u64(struct argp_state *state, const char *option, const char *text,
                         uint64_t minimum, uint64_t maximum)
{
    uint64_t value = 0;
    if (!parse_number(text, maximum, &value) || value < minimum) {
        argp_error(state, "--%s: '%s' is not a number from %llu to %llu", option, text,
                   (unsigned long long)minimum, (unsigned long long)maximum);
    }
    return value;
}

static size_t take_size(struct argp_state *state, const char *option, const char *text,
                        size_t minimum)
{
    return (size_t)take_u64(state, option, text, minimum, SIZE_MAX);
}

/* Of a comparison: its lengths are computed with in double precision. */
static size_t take_length(struct argp_state *state, const char *option, const char *text)
{
    return (size_t)take_u64(state, option, text, 1, (uint64_t)1 << 40);
}

/* A positive number, with a decimal point or without. */
static double take_seconds(struct argp_state *state, const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0 && value <= 1e9)) {
        argp_error(state, "--max-seconds: '%s' is not a number of seconds", text);
    }
    return value;
}

/* A number of bytes, at least 1, with K, M, G or T behind it where they are counted in powers of
 * 1024. */
static size_t parse_size(struct argp_state *state, const char *option, const char *text)
{
    static const char suffixes[] = "KMGT";
    char number[30];
    uint64_t value = 0;
    size_t length = strlen(text);
    const char *suffix = length == 0 ? NULL : strchr(suffixes, text[length - 1]);
    const unsigned shift = suffix == NULL ? 0 : 10 * (unsigned)(suffix - suffixes + 1);
    length -= suffix != NULL;
    if (length < sizeof(number)) {
        memcpy(number, text, length);
        number[length] = '\0';
    }
    if (length >= sizeof(number) || !parse_number(number, SIZE_MAX >> shift, &value) ||
        value == 0) {
        argp_error(state, "--%s: '%s' is not a number of bytes such as 64M or 2G", option, text);
    }
    return (size_t)value << shift;
}

/* More than a call can use are as many as it can. */
static unsigned take_threads(struct argp_state *state, const char *text)
{
    size_t threads = take_size(state, "threads", text, 1);
    return threads < GFP_MAX_THREADS ? (unsigned)threads : GFP_MAX_THREADS;
}

/* The index of text among the words. */
static int take_word(struct argp_state *state, const char *option, const char *text,
                     const char *const *words)
{
    char list[100] = "";
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(text, words[i]) == 0) {
            return i;
        }
        snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i == 0 ? "" : ", ",
                 words[i]);
    }
    argp_error(state, "--%s: '%s' is none of %s", option, text, list);
    return 0;
}

/* A gfp_operation; the subcommand may know fewer. */
static unsigned take_operation(struct argp_state *state, const struct command *command,
                               const char *text)
{
    const char *names[GFP_OPERATION_COUNT + 1] = {NULL};
    for (unsigned i = 0; i < command->operations; i++) {
        names[i] = gfp_operation_name((gfp_operation)i);
    }
    return (unsigned)take_word(state, "operation", text, names);
}

/* "auto" gives NULL; an unknown method is refused before any file is read. */
static const char *take_method(struct argp_state *state, const char *text)
{
    char list[200] = "auto";
    if (strcmp(text, "auto") == 0) {
        return NULL;
    }
    for (size_t i = 0; i < gfp_method_count(); i++) {
        if (strcmp(text, gfp_method_name(i)) == 0) {
            return text;
        }
        snprintf(list + strlen(list), sizeof(list) - strlen(list), ", %s", gfp_method_name(i));
    }
    argp_error(state, "--method: unknown method '%s'; there are %s", text, list);
    return NULL;
}

static void take_field(struct argp_state *state, const struct parsing *parsing, const char *text)
{
    struct settings *settings = parsing->settings;
    if (!parsing->command->many_fields) {
        settings->fields = 0;
    } else if (settings->fields == MAX_FIELDS) {
        argp_error(state, "--field: given more than %d times", MAX_FIELDS);
    }
    settings->field[settings->fields++] = text;
    settings->given |= GIVEN_FIELD;
}

static void take_argument(struct argp_state *state, const struct parsing *parsing, const char *text)
{
    struct settings *settings = parsing->settings;
    if (settings->files == parsing->command->files) {
        argp_error(state, "unexpected argument '%s'", text);
    }
    settings->file[settings->files++] = text;
}

/* eval's point -12 comes as option 1 with the argument 2. */
static void refuse_negative(struct argp_state *state, int digit, const char *rest)
{
    char point[40];
    snprintf(point, sizeof(point), "-%c%s", digit, rest != NULL ? rest : "");
    argp_error(state, "X: " NEGATIVE_POINT, point);
}

/* All arguments have been seen. */
static void check_complete(struct argp_state *state, const struct parsing *parsing)
{
    const struct command *command = parsing->command;
    unsigned missing = command->required & ~parsing->settings->given;
    if (parsing->settings->files < command->files) {
        argp_error(state, "missing argument: expected %s", command->arguments);
    }
    if (missing != 0) {
        argp_error(state, "--%s is required", (missing & GIVEN_FIELD) != 0 ? "field" : "len");
    }
}

static bool parse_flag(int key, struct settings *settings)
{
    switch (key) {
    case KEY_TIME:
        settings->time = true;
        return true;
    case KEY_JSON:
        settings->json = true;
        return true;
    case KEY_MEASURE:
        settings->measure = true;
        return true;
    case KEY_ALL:
        settings->all = true;
        return true;
    case KEY_SEARCH:
        settings->search = true;
        return true;
    case KEY_RANDOM:
        settings->random = true;
        return true;
    case KEY_QUICK:
        settings->quick = true;
        return true;
    case KEY_MERGE:
        settings->merge = true;
        return true;
    case KEY_RESUME:
        settings->merge = settings->resume = true;
        return true;
    case KEY_BINARY:
        settings->binary = true;
        return true;
    case KEY_EXPLAIN:
        settings->explain = true;
        return true;
    case KEY_RESIDENT:
        settings->resident = true;
        return true;
    default:
        return false;
    }
}

static bool parse_value(int key, char *text, struct argp_state *state,
                        const struct parsing *parsing)
{
    struct settings *settings = parsing->settings;
    static const char *const formats[] = {"flint", "ntl", "binary", NULL};
    static const char *const checks[] = {"none", "point", "cross", NULL};
    static const char *const orders[] = {"natural", "permuted", NULL};
    switch (key) {
    case KEY_OUTPUT:
        settings->output = text;
        return true;
    case KEY_TUNING:
        settings->tuning = text;
        return true;
    case KEY_FORMAT:
        settings->format = take_word(state, "format", text, formats);
        return true;
    case KEY_METHOD:
        settings->method = take_method(state, text);
        return true;
    case KEY_VERIFY:
        settings->verify = (gfp_verify)take_word(state, "verify", text, checks);
        return true;
    case KEY_ORDER:
        settings->order = (gfp_order)take_word(state, "order", text, orders);
        return true;
    case KEY_LEN:
        settings->len = take_size(state, "len", text, parsing->command->least_len);
        settings->given |= GIVEN_LEN;
        return true;
    case KEY_LEN_B:
        settings->len_b = take_size(state, "len-b", text, 1);
        return true;
    case KEY_MEMORY:
        settings->memory = parse_size(state, "memory", text);
        return true;
    case KEY_GPU_MEMORY:
        settings->gpu_memory = parse_size(state, "gpu-memory", text);
        return true;
    case KEY_GPU_DEVICE:
        settings->gpu_device = (unsigned)take_u64(state, "gpu-device", text, 0, UINT_MAX);
        return true;
    case KEY_METHODS:
        settings->methods = text;
        return true;
    case KEY_SECONDS:
        settings->seconds = take_seconds(state, text);
        return true;
    case KEY_MIN_LEN:
        settings->min_len = take_length(state, "min-len", text);
        return true;
    case KEY_MAX_LEN:
        settings->max_len = take_length(state, "max-len", text);
        return true;
    case KEY_POINTS:
        settings->points = (size_t)take_u64(state, "points-per-octave", text, 1, 64);
        return true;
    case KEY_OPERATION:
        settings->operations = (parsing->command->many_fields ? settings->operations : 0) |
                               1U << take_operation(state, parsing->command, text);
        return true;
    case KEY_N:
        settings->n = take_size(state, "n", text, 1);
        return true;
    case KEY_THREADS:
        settings->threads = take_threads(state, text);
        return true;
    case KEY_SEED:
        settings->seed = take_u64(state, "seed", text, 0, UINT64_MAX);
        settings->given |= GIVEN_SEED;
        return true;
    default:
        return false;
    }
}

static unsigned take_unsigned(struct argp_state *state, const char *option, const char *text,
                              unsigned minimum)
{
    return (unsigned)take_u64(state, option, text, minimum, UINT_MAX);
}

/* What --search looks for; the library judges the range as a whole. */
static bool parse_range(int key, const char *text, struct argp_state *state,
                        struct settings *settings)
{
    switch (key) {
    case KEY_K:
        settings->range.k = take_unsigned(state, "k", text, 1);
        break;
    case KEY_MIN_BITS:
        settings->range.min_bits = take_unsigned(state, "min-bits", text, 1);
        break;
    case KEY_MAX_BITS:
        settings->range.max_bits = take_unsigned(state, "max-bits", text, 1);
        break;
    case KEY_MIN_V2:
        settings->range.min_v2_r = take_unsigned(state, "min-v2", text, 0);
        break;
    case KEY_COUNT:
        settings->count = take_size(state, "count", text, 1);
        break;
    default:
        return false;
    }
    settings->given |= GIVEN_RANGE;
    return true;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    const struct parsing *parsing = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        take_argument(state, parsing, text);
        return 0;
    case ARGP_KEY_END:
        check_complete(state, parsing);
        return 0;
    case KEY_FIELD:
        take_field(state, parsing, text);
        return 0;
    default:
        if (key >= '0' && key <= '9') {
            refuse_negative(state, key, text);
        }
        return parse_flag(key, parsing->settings) || parse_value(key, text, state, parsing) ||
                       parse_range(key, text, state, parsing->settings)
                   ? 0
                   : ARGP_ERR_UNKNOWN;
    }
}

void parse_settings(const struct command *command, int argc, char **argv, struct settings *settings)
{
    struct parsing parsing = {command, settings};
    const struct argp argp = {
        command->options, parse_option, command->arguments, command->doc, NULL, NULL, NULL};
    *settings = (struct settings){
        .command = command->name, .format = AS_INPUT, .verify = GFP_VERIFY_POINT, .threads = 1};
    error_t error = argp_parse(&argp, argc, argv, 0, NULL, &parsing);
    if (error != 0) {
        complain("%s: cannot parse the command line: %s", command->name, strerror(error));
        exit(BAD_USAGE);
    }
}
