/* options.c: one parser of the options of all subcommands, over the table in option_table.c.
 * Numbers are parsed strictly.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* Keys of options without a letter: this and the index of their row. */
#define FIRST_KEY 0x100
/* A row each, digits, general options, and the end. */
#define MAX_OPTIONS (MAX_ROWS + 10 + GENERAL_OPTIONS + 1)
#define MAX_WORDS 16
#define MAX_LIST 120

/* The parser's state. */
struct parsing {
    const struct command *command;
    struct request *request;
    const char *negative;                    /* an argument that looks like an option */
    struct argp_option options[MAX_OPTIONS]; /* the subcommand's, then the general ones */
};

/* ---- rows ---- */

/* The word in a list of words between spaces, without regard to a ! in front; NULL: none. */
static const char *find_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; *at != '\0'; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        const size_t mark = *at == '!';
        if (strcspn(at + mark, " ") == length && strncmp(at + mark, word, length) == 0) {
            return at;
        }
    }
    return NULL;
}

static bool takes_row(const struct command *command, const struct option_row *row)
{
    return row->takes[0] == '*' || find_word(row->takes, command->name) != NULL;
}

static bool requires_row(const struct command *command, const struct option_row *row)
{
    const char *word = find_word(row->takes, command->name);
    return word != NULL && *word == '!';
}

static int key_of(size_t row)
{
    return option_rows[row].letter != 0 ? option_rows[row].letter : FIRST_KEY + (int)row;
}

/* The index of the subcommand's row with this key; option_row_count: none. */
static size_t find_row(const struct command *command, int key)
{
    size_t i = 0;
    while (i < option_row_count && (key_of(i) != key || !takes_row(command, &option_rows[i]))) {
        i++;
    }
    return i;
}

bool has_option(const struct command *command, const char *name)
{
    for (size_t i = 0; i < option_row_count; i++) {
        if (strcmp(option_rows[i].name, name) == 0 && takes_row(command, &option_rows[i])) {
            return true;
        }
    }
    return false;
}

bool is_given(const struct request *request, const char *names)
{
    for (size_t i = 0; i < option_row_count; i++) {
        if (request->given[i] && find_word(names, option_rows[i].name) != NULL) {
            return true;
        }
    }
    return false;
}

/* ---- numbers ---- */

/* greatest: that of the type. */
static uint64_t take_number(struct argp_state *state, const struct option_row *row,
                            uint64_t greatest, const char *text)
{
    const uint64_t most = row->most != 0 ? row->most : greatest;
    uint64_t value = 0;
    if (!parse_number(text, most, &value) || value < row->least) {
        argp_error(state, "--%s: '%s' is not a number from %llu to %llu", row->name, text,
                   (unsigned long long)row->least, (unsigned long long)most);
    }
    return value;
}

static size_t take_length(struct argp_state *state, const struct option_row *row, const char *text)
{
    const uint64_t most = row->most != 0 ? row->most : SIZE_MAX;
    uint64_t value = 0;
    if (!parse_length(text, most, &value) || value < row->least) {
        argp_error(state, "--%s: '%s' is not a number from %llu to %llu, such as 1000, 10k or 2^14",
                   row->name, text, (unsigned long long)row->least, (unsigned long long)most);
    }
    return (size_t)value;
}

/* A positive number, with or without a decimal point. */
static double take_seconds(struct argp_state *state, const struct option_row *row, const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0 && value <= 1e9)) {
        argp_error(state, "--%s: '%s' is not a number of seconds above 0 and up to 1e9", row->name,
                   text);
    }
    return value;
}

static size_t take_bytes(struct argp_state *state, const struct option_row *row, const char *text)
{
    uint64_t value = 0;
    if (!parse_bytes(text, SIZE_MAX, &value) || value == 0) {
        argp_error(state, "--%s: '%s' is not a number of bytes such as 64M or 2G", row->name, text);
    }
    return (size_t)value;
}

/* More threads than a call can use count as GFP_MAX_THREADS. */
static unsigned take_threads(struct argp_state *state, const struct option_row *row,
                             const char *text)
{
    const uint64_t threads = take_number(state, row, SIZE_MAX, text);
    return threads < GFP_MAX_THREADS ? (unsigned)threads : GFP_MAX_THREADS;
}

/* ---- words ---- */

/* The index of text among the words. */
static unsigned take_word(struct argp_state *state, const struct option_row *row,
                          const char *const *words, const char *text)
{
    char list[MAX_LIST] = "";
    struct suggestion s;
    begin_suggestion(&s, text);
    for (unsigned i = 0; words[i] != NULL; i++) {
        if (strcmp(text, words[i]) == 0) {
            return i;
        }
        append_name(list, sizeof list, words[i]);
        consider(&s, words[i]);
    }
    argp_error(state, "--%s: unknown value '%s'; available: %s%s", row->name, text, list,
               end_suggestion(&s, ""));
    return 0;
}

/* The same for the words "a|b|c" of the row's argument. */
static unsigned take_listed(struct argp_state *state, const struct option_row *row,
                            const char *text)
{
    char copy[MAX_LIST];
    const char *words[MAX_WORDS + 1] = {copy};
    size_t count = 1;
    snprintf(copy, sizeof copy, "%s", row->argument);
    for (char *c = copy; *c != '\0' && count < MAX_WORDS; c++) {
        if (*c == '|') {
            *c = '\0';
            words[count++] = c + 1;
        }
    }
    return take_word(state, row, words, text);
}

static unsigned take_operation(struct argp_state *state, const struct option_row *row,
                               const char *text)
{
    const char *names[GFP_OPERATION_COUNT + 1] = {NULL};
    if (strcmp(text, "thresholds") == 0) {
        argp_error(state, "--operation: thresholds are compiled in; `gfpoly_bench --thresholds' "
                          "measures them");
    }
    for (unsigned i = 0; i < row->most; i++) {
        names[i] = gfp_operation_name((gfp_operation)i);
    }
    return take_word(state, row, names, text);
}

/* "full" is another name of "cross". */
static unsigned take_verify(struct argp_state *state, const struct option_row *row,
                            const char *text)
{
    static const char *const checks[] = {"none", "point", "cross", "full", NULL};
    const unsigned check = GFP_VERIFY_NONE + take_word(state, row, checks, text);
    return check < GFP_VERIFY_CROSS ? check : GFP_VERIFY_CROSS;
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
            append_name(list, size, gfp_method_name(i));
            consider(s, gfp_method_name(i));
        }
    }
    gfp_field_destroy(field);
}

/* NULL for "auto". Refuses an unknown method before any file is read. */
static const char *take_method(struct argp_state *state, const struct option_row *row,
                               const char *text)
{
    const struct parsing *parsing = state->input;
    char list[200];
    struct suggestion s;
    if (strstr(row->argument, "NAME") == NULL) {
        return take_listed(state, row, text) == 0 ? NULL : text;
    }
    if (strcmp(text, "auto") == 0) {
        return NULL;
    }
    for (size_t i = 0; i < gfp_method_count(); i++) {
        if (strcmp(text, gfp_method_name(i)) == 0) {
            return text;
        }
    }
    begin_suggestion(&s, text);
    list_methods(list, sizeof list, &s, parsing->command);
    argp_error(state, "--%s: unknown method '%s'; available: %s%s", row->name, text, list,
               end_suggestion(&s, ""));
    return NULL;
}

/* ---- numbers of any size, fields ---- */

static const char *take_exponent(struct argp_state *state, const struct option_row *row,
                                 const char *text)
{
    int base;
    size_t count;
    const char *digits = find_digits(text, &base, &count);
    if (strcmp(text, "p") != 0 && (count == 0 || digits[count] != '\0')) {
        argp_error(state,
                   "--%s: '%s' is not a number such as 65537 or 0x10001, and not p, the "
                   "characteristic",
                   row->name, text);
    }
    return text;
}

static const char *take_point(struct argp_state *state, const struct option_row *row,
                              const char *text)
{
    int base;
    size_t at;
    if (!is_number(text, &base, &at)) {
        argp_error(state, "--%s: '%s' is not a number such as 5, -1 or 0x10", row->name, text);
    }
    return text;
}

static void take_field(struct argp_state *state, const struct option_row *row,
                       struct request *request, const char *text)
{
    if (row->kind == FIELD) {
        request->fields = 0;
    } else if (request->fields == MAX_FIELDS) {
        argp_error(state, "--%s: given more than %d times", row->name, MAX_FIELDS);
    }
    request->field[request->fields++] = text;
}

/* ---- a pass through the table ---- */

/* *place := the number without the option. */
static void set_usual(const struct option_row *row, void *place)
{
    switch (row->kind) {
    case LENGTH:
        *(size_t *)place = (size_t)row->usual;
        break;
    case WORD:
        *(unsigned *)place = (unsigned)(row->least + row->usual);
        break;
    case SECONDS:
        *(double *)place = (double)row->usual;
        break;
    default: /* 0, or what parse_request has set */
        break;
    }
}

static void take_value(struct argp_state *state, const struct option_row *row,
                       struct request *request, const char *text)
{
    void *place = (char *)request + row->place;
    switch (row->kind) {
    case FLAG:
        *(bool *)place = true;
        break;
    case TEXT:
        *(const char **)place = text;
        break;
    case METHOD:
        *(const char **)place = take_method(state, row, text);
        break;
    case EXPONENT:
        *(const char **)place = take_exponent(state, row, text);
        break;
    case POINT:
        *(const char **)place = take_point(state, row, text);
        break;
    case FIELD:
    case FIELDS:
        take_field(state, row, request, text);
        break;
    case WORD:
        *(unsigned *)place =
            (unsigned)row->least + (text != NULL ? take_listed(state, row, text) : 0);
        break;
    case VERIFY:
        *(unsigned *)place = take_verify(state, row, text);
        break;
    case OPERATION:
        *(unsigned *)place = take_operation(state, row, text);
        break;
    case OPERATION_SET:
        *(unsigned *)place |= 1U << take_operation(state, row, text);
        break;
    case LENGTH:
        *(size_t *)place = take_length(state, row, text);
        break;
    case BYTES:
        *(size_t *)place = take_bytes(state, row, text);
        break;
    case NUMBER:
        *(uint64_t *)place = take_number(state, row, UINT64_MAX, text);
        break;
    case SMALL:
        *(unsigned *)place = (unsigned)take_number(state, row, UINT_MAX, text);
        break;
    case THREADS:
        *(unsigned *)place = take_threads(state, row, text);
        break;
    case SECONDS:
        *(double *)place = take_seconds(state, row, text);
        break;
    }
}

static void take_argument(struct argp_state *state, const struct parsing *parsing, const char *text)
{
    struct request *request = parsing->request;
    const int most = parsing->command->most_files;
    if (request->files == (most != 0 ? most : parsing->command->files)) {
        argp_error(state, "unexpected argument '%s'", text);
    }
    request->file[request->files++] = text;
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
    const struct request *request = parsing->request;
    bool alone = false;
    if (parsing->negative != NULL) {
        take_argument(state, parsing, parsing->negative);
    }
    if (request->files > 0 && request->files < command->files) {
        argp_error(state, "missing argument: expected %s, found only %d", command->arguments,
                   request->files);
    } else if (request->files < command->files) {
        argp_error(state, "missing argument: expected %s", command->arguments);
    }
    for (size_t i = 0; i < option_row_count; i++) {
        alone = alone || (request->given[i] && option_rows[i].alone);
    }
    for (size_t i = 0; i < option_row_count && !alone; i++) {
        if (!request->given[i] && requires_row(command, &option_rows[i])) {
            argp_error(state, "--%s is required", option_rows[i].name);
        }
    }
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
    default:
        break;
    }
    if (key >= '0' && key <= '9') {
        take_negative(state, parsing);
        return 0;
    }
    const size_t row = find_row(parsing->command, key);
    if (row == option_row_count) {
        return take_general(key, state) ? 0 : ARGP_ERR_UNKNOWN;
    }
    take_value(state, &option_rows[row], parsing->request, text);
    parsing->request->given[row] = true;
    return 0;
}

/* parsing->options := the subcommand's options, then the general ones. */
static void gather_options(struct parsing *parsing)
{
    struct argp_option *at = parsing->options;
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        if (takes_row(parsing->command, row)) {
            *at++ = (struct argp_option){.name = row->name,
                                         .key = key_of(i),
                                         .arg = row->argument,
                                         .flags = row->optional ? OPTION_ARG_OPTIONAL : 0,
                                         .doc = row->text,
                                         .group = row->takes[0] == '*' ? -1 : 0};
        }
    }
    /* Hidden options, for negative numbers, which look like options. */
    for (int digit = '0'; digit <= '9' && parsing->command->negative; digit++) {
        *at++ = (struct argp_option){
            .key = digit, .arg = "X", .flags = OPTION_ARG_OPTIONAL | OPTION_HIDDEN};
    }
    memcpy(at, general_options, sizeof general_options);
    at[GENERAL_OPTIONS] = (struct argp_option){.name = NULL};
}

void parse_request(const struct command *command, int argc, char **argv, struct request *request)
{
    struct parsing parsing = {.command = command, .request = request};
    const struct argp argp = {
        parsing.options, parse_option, command->arguments, command->doc, NULL, NULL, NULL};
    gather_options(&parsing);
    *request = (struct request){
        .command = command, .format = AS_INPUT, .call = {.verify = GFP_VERIFY_POINT, .threads = 1}};
    for (size_t i = 0; i < option_row_count; i++) {
        if (takes_row(command, &option_rows[i])) {
            set_usual(&option_rows[i], (char *)request + option_rows[i].place);
        }
    }
    const error_t error = argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &parsing);
    if (error != 0) {
        complain("%s: cannot parse the command line: %s", command->name, strerror(error));
        exit(BAD_USAGE);
    }
    set_loudness(request->quiet, request->verbose);
    if (request->call.timeout > 0) {
        stop_after(request->call.timeout);
    }
}
