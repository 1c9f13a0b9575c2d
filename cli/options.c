/* options.c: one parser for the options of all subcommands. A subcommand's own table lists the
 * options that it has. Numbers are parsed strictly.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define MAX_OPTIONS 40
/* verify's --points. */
#define MAX_POINTS 1000000

/* The parser's state. */
struct parsing {
    const struct command *command;
    struct settings *settings;
    const char *negative;                    /* eval's point, if it looks like an option */
    struct argp_option options[MAX_OPTIONS]; /* the subcommand's, then the common ones */
};

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

/* A length or count from minimum to maximum. */
static size_t take_length(struct argp_state *state, const char *option, const char *text,
                          uint64_t minimum, uint64_t maximum)
{
    uint64_t value = 0;
    if (!parse_length(text, maximum, &value) || value < minimum) {
        argp_error(state, "--%s: '%s' is not a number from %llu to %llu, such as 1000, 10k or 2^14",
                   option, text, (unsigned long long)minimum, (unsigned long long)maximum);
    }
    return (size_t)value;
}

/* zsystem's digits. */
#define MAX_DIGITS ((uint64_t)1000000)

/* compare's lengths, which are computed in double precision. */
#define MAX_COMPARED ((uint64_t)1 << 40)

/* A positive number, with or without a decimal point. */
static double take_seconds(struct argp_state *state, const char *option, const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0 && value <= 1e9)) {
        argp_error(state, "--%s: '%s' is not a number of seconds", option, text);
    }
    return value;
}

/* A number of bytes, at least 1. */
static size_t take_bytes(struct argp_state *state, const char *option, const char *text)
{
    uint64_t value = 0;
    if (!parse_bytes(text, SIZE_MAX, &value) || value == 0) {
        argp_error(state, "--%s: '%s' is not a number of bytes such as 64M or 2G", option, text);
    }
    return (size_t)value;
}

/* More threads than a call can use count as GFP_MAX_THREADS. */
static unsigned take_threads(struct argp_state *state, const char *text)
{
    const uint64_t threads = take_u64(state, "threads", text, 1, SIZE_MAX);
    return threads < GFP_MAX_THREADS ? (unsigned)threads : GFP_MAX_THREADS;
}

/* The index of text among the words. */
static int take_word(struct argp_state *state, const char *option, const char *text,
                     const char *const *words)
{
    char list[100] = "";
    struct suggestion s;
    begin_suggestion(&s, text);
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(text, words[i]) == 0) {
            return i;
        }
        snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i == 0 ? "" : ", ",
                 words[i]);
        consider(&s, words[i]);
    }
    argp_error(state, "--%s: unknown value '%s'; available: %s%s", option, text, list,
               end_suggestion(&s, ""));
    return 0;
}

/* A gfp_operation; the subcommand may accept only the first ones. */
static unsigned take_operation(struct argp_state *state, const struct command *command,
                               const char *text)
{
    const char *names[GFP_OPERATION_COUNT + 1] = {NULL};
    if (strcmp(text, "thresholds") == 0) {
        argp_error(state, "--operation: thresholds are compiled in; `gfpoly_bench --thresholds' "
                          "measures them");
    }
    for (unsigned i = 0; i < command->operations; i++) {
        names[i] = gfp_operation_name((gfp_operation)i);
    }
    return (unsigned)take_word(state, "operation", text, names);
}

/* The argument of the subcommand's option --method. */
static const char *method_argument(const struct command *command)
{
    const struct argp_option *row = command->options;
    while (row->key != KEY_METHOD) {
        row++;
    }
    return row->arg;
}

#define MOST_NAMES 16

/* One of the names "auto|...|...", which the help lists. */
static void check_listed_method(struct argp_state *state, const char *listed, const char *text)
{
    char copy[120];
    const char *names[MOST_NAMES + 1] = {copy};
    snprintf(copy, sizeof(copy), "%s", listed);
    size_t count = 1;
    for (char *c = copy; *c != '\0' && count < MOST_NAMES; c++) {
        if (*c == '|') {
            *c = '\0';
            names[count++] = c + 1;
        }
    }
    (void)take_word(state, "method", text, names);
}

/* Whether the method serves products by operands over p8; classical stands for quadratic
 * algorithms. */
static bool serves_operands(size_t index, const gfp_field *field)
{
    const gfp_problem problem = {
        .operation = GFP_OPERATION_OPERAND, .len_a = 256, .len_b = 256, .no_gpu = true};
    gfp_method_info info;
    return strcmp(gfp_method_name(index), "classical") == 0 ||
           (gfp_method_query(&info, index, &problem, field, NULL) == GFP_OK && info.available);
}

/* list := the names of the methods that the subcommand takes, after "auto"; s considers them. */
static void list_methods(char *list, size_t size, struct suggestion *s,
                         const struct command *command)
{
    gfp_field *field = NULL;
    const bool all = !command->operands || gfp_field_create(&field, "p8", NULL, NULL) != GFP_OK;
    snprintf(list, size, "auto");
    consider(s, "auto");
    for (size_t i = 0; i < gfp_method_count(); i++) {
        if (all || serves_operands(i, field)) {
            const size_t length = strlen(list);
            snprintf(list + length, size - length, ", %s", gfp_method_name(i));
            consider(s, gfp_method_name(i));
        }
    }
    gfp_field_destroy(field);
}

/* NULL for "auto". Refuses an unknown method before any file is read. */
static const char *take_method(struct argp_state *state, const struct command *command,
                               const char *text)
{
    char list[200];
    struct suggestion s;
    if (strcmp(text, "auto") == 0) {
        return NULL;
    }
    if (strstr(method_argument(command), "NAME") == NULL) {
        check_listed_method(state, method_argument(command), text);
        return text;
    }
    for (size_t i = 0; i < gfp_method_count(); i++) {
        if (strcmp(text, gfp_method_name(i)) == 0) {
            return text;
        }
    }
    begin_suggestion(&s, text);
    list_methods(list, sizeof(list), &s, command);
    argp_error(state, "--method: unknown method '%s'; available: %s%s", text, list,
               end_suggestion(&s, ""));
    return NULL;
}

/* "full" is another name of "cross". */
static gfp_verify take_verify(struct argp_state *state, const char *text)
{
    static const char *const checks[] = {"none", "point", "cross", "full", NULL};
    const int check = take_word(state, "verify", text, checks);
    return check < GFP_VERIFY_CROSS ? (gfp_verify)check : GFP_VERIFY_CROSS;
}

/* A whole number of any size, or p. */
static const char *take_exponent(struct argp_state *state, const char *text)
{
    int base;
    size_t count;
    const char *digits = find_digits(text, &base, &count);
    if (strcmp(text, "p") != 0 && (count == 0 || digits[count] != '\0')) {
        argp_error(state,
                   "--exponent: '%s' is not a number such as 65537 or 0x10001, and not p, the "
                   "characteristic",
                   text);
    }
    return text;
}

/* A whole number of any size and sign. */
static const char *take_point(struct argp_state *state, const char *text)
{
    int base;
    size_t at;
    if (!is_number(text, &base, &at)) {
        argp_error(state, "--point: '%s' is not a number such as 5, -1 or 0x10", text);
    }
    return text;
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
    const int most = parsing->command->most_files;
    if (settings->files == (most != 0 ? most : parsing->command->files)) {
        argp_error(state, "unexpected argument '%s'", text);
    }
    settings->file[settings->files++] = text;
}

/* argp reads eval's point -12 as option 1 with the argument 2. */
static void take_negative(struct argp_state *state, struct parsing *parsing)
{
    if (parsing->negative != NULL) {
        argp_error(state, "unexpected argument '%s'", parsing->negative);
    }
    parsing->negative = state->argv[state->next - 1];
}

/* Checks, after the last argument, that nothing required is missing. */
static void check_complete(struct argp_state *state, const struct parsing *parsing)
{
    const struct command *command = parsing->command;
    static const char *const names[] = {"field", "len", "terms", "base", "exponent", "modulus"};
    unsigned missing = command->required & ~parsing->settings->given;
    if (parsing->negative != NULL) {
        take_argument(state, parsing, parsing->negative);
    }
    if (parsing->settings->files < command->files) {
        argp_error(state, "missing argument: expected %s", command->arguments);
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if ((missing >> i & 1U) != 0) {
            argp_error(state, "--%s is required", names[i]);
        }
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
    case KEY_STOCK:
        settings->stock = true;
        return true;
    case KEY_RANDOM:
        settings->random = true;
        return true;
    case KEY_IRREDUCIBLE:
        settings->irreducible = true;
        return true;
    case KEY_BOXES:
        settings->boxes = true;
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
    case KEY_FORCE:
        settings->force = true;
        return true;
    case KEY_QUIET:
        settings->quiet = true;
        return true;
    case KEY_VERBOSE:
        settings->verbose = true;
        return true;
    default:
        return false;
    }
}

/* Options of divrem, xgcd, powmod, compose and series. */
static bool parse_operand(int key, const char *text, struct argp_state *state,
                          struct settings *settings)
{
    switch (key) {
    case KEY_QUOTIENT:
        settings->quotient = text;
        return true;
    case KEY_REMAINDER:
        settings->remainder = text;
        return true;
    case KEY_FIRST_COFACTOR:
        settings->first_cofactor = text;
        return true;
    case KEY_SECOND_COFACTOR:
        settings->second_cofactor = text;
        return true;
    case KEY_BASE:
        settings->base = text;
        settings->given |= GIVEN_BASE;
        return true;
    case KEY_EXPONENT:
        settings->exponent = take_exponent(state, text);
        settings->given |= GIVEN_EXPONENT;
        return true;
    case KEY_MODULUS:
        settings->modulus = text;
        settings->given |= GIVEN_MODULUS;
        return true;
    case KEY_POINT:
        settings->point = take_point(state, text);
        settings->given |= GIVEN_POINT;
        return true;
    case KEY_LENGTH:
        settings->n = take_length(state, "length", text, 1, SIZE_MAX);
        return true;
    case KEY_DIGITS:
        settings->digits = take_length(state, "digits", text, 1, MAX_DIGITS);
        return true;
    case KEY_TERMS:
        settings->n = take_length(state, "terms", text, 1, SIZE_MAX);
        settings->given |= GIVEN_TERMS;
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
    static const char *const checks[] = {"point", "cross", NULL};
    static const char *const orders[] = {"natural", "permuted", NULL};
    static const char *const over_z[] = {"mul", "gcd", "resultant", NULL};
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
        settings->method = take_method(state, parsing->command, text);
        return true;
    case KEY_VERIFY:
        settings->verify = take_verify(state, text);
        return true;
    case KEY_BY:
        settings->verify = (gfp_verify)(1 + take_word(state, "by", text, checks));
        return true;
    case KEY_CHECK_POINTS:
        settings->points = take_length(state, "points", text, 1, MAX_POINTS);
        return true;
    case KEY_ORDER:
        settings->order = (gfp_order)take_word(state, "order", text, orders);
        return true;
    case KEY_LEN:
        settings->len = take_length(state, "len", text, parsing->command->least_len, SIZE_MAX);
        settings->given |= GIVEN_LEN;
        return true;
    case KEY_LEN_B:
        settings->len_b = take_length(state, "len-b", text, 1, SIZE_MAX);
        return true;
    case KEY_MEMORY:
        settings->memory = take_bytes(state, "memory", text);
        return true;
    case KEY_GPU_MEMORY:
        settings->gpu_memory = take_bytes(state, "gpu-memory", text);
        return true;
    case KEY_GPU_DEVICE:
        settings->gpu_device = (unsigned)take_u64(state, "gpu-device", text, 0, UINT_MAX);
        return true;
    case KEY_METHODS:
        settings->methods = text;
        return true;
    case KEY_SECONDS:
        settings->seconds = take_seconds(state, "max-seconds", text);
        return true;
    case KEY_TIMEOUT:
        stop_after(take_seconds(state, "timeout", text));
        return true;
    case KEY_MIN_LEN:
        settings->min_len = take_length(state, "min-len", text, 1, MAX_COMPARED);
        return true;
    case KEY_MAX_LEN:
        settings->max_len = take_length(state, "max-len", text, 1, MAX_COMPARED);
        return true;
    case KEY_POINTS:
        settings->points = take_length(state, "points-per-octave", text, 1, 64);
        return true;
    case KEY_OPERATION:
        settings->operations = (parsing->command->many_fields ? settings->operations : 0) |
                               1U << take_operation(state, parsing->command, text);
        return true;
    case KEY_STRATEGIES:
        settings->strategies = true;
        settings->zoperation =
            text != NULL ? (unsigned)take_word(state, "strategies", text, over_z) : 0;
        settings->given |= GIVEN_FIELD; /* none is needed */
        return true;
    case KEY_N:
        settings->n = take_length(state, "n", text, 1, SIZE_MAX);
        return true;
    case KEY_THREADS:
        settings->threads = take_threads(state, text);
        return true;
    case KEY_SEED:
        settings->seed = take_u64(state, "seed", text, 0, UINT64_MAX);
        settings->given |= GIVEN_SEED;
        return true;
    default:
        return parse_operand(key, text, state, settings);
    }
}

static unsigned take_unsigned(struct argp_state *state, const char *option, const char *text,
                              unsigned minimum)
{
    return (unsigned)take_u64(state, option, text, minimum, UINT_MAX);
}

/* Options of --search; the library checks the range as a whole. */
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
        settings->count = take_length(state, "count", text, 1, SIZE_MAX);
        break;
    default:
        return false;
    }
    settings->given |= GIVEN_RANGE;
    return true;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct parsing *parsing = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        check_options(state, parsing->options, true);
        return 0;
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
            take_negative(state, parsing);
            return 0;
        }
        return take_general(key, state) || parse_flag(key, parsing->settings) ||
                       parse_value(key, text, state, parsing) ||
                       parse_range(key, text, state, parsing->settings)
                   ? 0
                   : ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option loudness_options[] = {
    OPTION_GENERAL("quiet", KEY_QUIET,
                   "Print only errors on standard error: no progress, notes or warnings"),
    OPTION_GENERAL("verbose", KEY_VERBOSE, "Report each step on standard error")};

/* parsing->options := the subcommand's options, then the common ones. */
static void gather_options(struct parsing *parsing)
{
    const size_t loudness = sizeof(loudness_options) / sizeof(loudness_options[0]);
    const size_t room = MAX_OPTIONS - GENERAL_OPTIONS - loudness - 1;
    const struct argp_option *own = parsing->command->options;
    size_t n = 0;
    for (; n < room && (own[n].name != NULL || own[n].key != 0); n++) {
        parsing->options[n] = own[n];
    }
    memcpy(parsing->options + n, loudness_options, sizeof(loudness_options));
    memcpy(parsing->options + n + loudness, general_options, sizeof(general_options));
    parsing->options[n + loudness + GENERAL_OPTIONS] = (struct argp_option)OPTION_END;
}

void parse_settings(const struct command *command, int argc, char **argv, struct settings *settings)
{
    struct parsing parsing = {.command = command, .settings = settings};
    const struct argp argp = {
        parsing.options, parse_option, command->arguments, command->doc, NULL, NULL, NULL};
    gather_options(&parsing);
    *settings = (struct settings){
        .command = command->name, .format = AS_INPUT, .verify = GFP_VERIFY_POINT, .threads = 1};
    error_t error = argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &parsing);
    if (error != 0) {
        complain("%s: cannot parse the command line: %s", command->name, strerror(error));
        exit(BAD_USAGE);
    }
    set_loudness(settings->quiet, settings->verbose);
}
