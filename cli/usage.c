/* usage.c: the options --help, --usage and --version; and the refusal of unknown options, with
 * suggestions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* Above the keys of the table of options. */
#define KEY_USAGE 0x10000

const struct argp_option general_options[GENERAL_OPTIONS] = {
    {"help", 'h', NULL, 0, "Show this help", -1},
    {NULL, '?', NULL, OPTION_HIDDEN, NULL, -1},
    {"usage", KEY_USAGE, NULL, 0, "Show a short usage message", -1},
    {"version", 'V', NULL, 0, "Print the version", -1}};

bool take_general(int key, struct argp_state *state)
{
    switch (key) {
    case 'h':
    case '?':
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        return true;
    case KEY_USAGE:
        argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
        return true;
    case 'V':
        printf("gfpoly %s\n", gfp_version());
        exit(DONE);
    default:
        return false;
    }
}

static bool is_end(const struct argp_option *option)
{
    return option->name == NULL && option->key == 0;
}

/* Whether the option takes the next argument as its value, unless the same argument holds the
 * value. */
static bool has_value(const struct argp_option *option)
{
    return option->arg != NULL && (option->flags & OPTION_ARG_OPTIONAL) == 0;
}

/* The option whose name equals word[0 .. length), or else begins with it. */
static const struct argp_option *find_long(const struct argp_option *options, const char *word,
                                           size_t length)
{
    const struct argp_option *begun = NULL;
    for (; !is_end(options); options++) {
        if (options->name != NULL && strncmp(options->name, word, length) == 0) {
            if (options->name[length] == '\0') {
                return options;
            }
            begun = options;
        }
    }
    return begun;
}

/* Checks a long option, word without its dashes. Returns whether the next argument is its value. */
static bool check_long(struct argp_state *state, const struct argp_option *options,
                       const char *word)
{
    const size_t length = strcspn(word, "=");
    const struct argp_option *option = find_long(options, word, length);
    if (option == NULL) {
        char name[60];
        struct suggestion s;
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name),
                 word);
        begin_suggestion(&s, name);
        for (; !is_end(options); options++) {
            if (options->name != NULL) {
                consider(&s, options->name);
            }
        }
        argp_error(state, "unknown option '--%s'%s", name, end_suggestion(&s, "--"));
        return false;
    }
    return word[length] == '\0' && has_value(option);
}

/* The same for the letters of one argument; getopt refuses unknown letters. */
static bool check_short(const struct argp_option *options, const char *letters)
{
    for (; *letters != '\0'; letters++) {
        const struct argp_option *option = options;
        while (!is_end(option) && option->key != *letters) {
            option++;
        }
        if (is_end(option) || option->arg != NULL) {
            return !is_end(option) && has_value(option) && letters[1] == '\0';
        }
    }
    return false;
}

void check_options(struct argp_state *state, const struct argp_option *options, bool to_the_last)
{
    state->name = state->argv[0]; /* for messages, before argp sets it */
    for (int i = 1; i < state->argc && strcmp(state->argv[i], "--") != 0; i++) {
        const char *word = state->argv[i];
        if (word[0] == '-' && word[1] == '-') {
            i += check_long(state, options, word + 2);
        } else if (word[0] == '-' && word[1] != '\0') {
            i += check_short(options, word + 1);
        } else if (!to_the_last) {
            return;
        }
    }
}
