/* main.c: the gfpoly command: the table of subcommands, its help, and the way to one of them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const struct command *const commands[] = {
    &command_info,    &command_primes, &command_random, &command_mul,     &command_dft,
    &command_idft,    &command_add,    &command_sub,    &command_eval,    &command_equal,
    &command_methods, &command_demo,   &command_tune,   &command_convert, &command_compare,
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* Where the top level stops: at the subcommand. */
struct top {
    int command_at; /* index in argv, or 0 */
};

static void print_version(FILE *stream, struct argp_state *state)
{
    (void)state;
    fprintf(stream, "gfpoly %s\n", gfp_version());
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(name, commands[i]->name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

/* The list of subcommands, behind the options in the top level's help. */
static char *list_commands(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return NULL;
    }
    fputs("Subcommands:\n", stream);
    for (size_t i = 0; i < COMMANDS; i++) {
        fprintf(stream, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    fputs("  help       Show this text, or with a subcommand its help\n\n"
          "`gfpoly SUBCOMMAND --help' explains one of them.\n"
          "Files hold polynomials as FLINT prints them, \"length modulus  c0 c1 ...\", or\n"
          "in a binary format (see `gfpoly convert --help');\n"
          "- is standard input or output.\n"
          "Exit status: 0 done; 1 a computation, verification or output failed;\n"
          "2 bad usage or input.",
          stream);
    return fclose(stream) == 0 ? text : NULL;
}

static char *filter_help(int key, const char *text, void *input)
{
    (void)input;
    if (key == ARGP_KEY_HELP_POST_DOC) {
        return list_commands();
    }
    /* argp frees what differs from text and only that. */
    return (char *)text;
}

static error_t parse_top(int key, char *text, struct argp_state *state)
{
    struct top *top = state->input;
    (void)text;
    switch (key) {
    case ARGP_KEY_ARG:
        top->command_at = state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no subcommand given");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp top_argp = {
    NULL,
    parse_top,
    "SUBCOMMAND [ARGUMENT...]",
    "Computes with dense univariate polynomials over Z/pZ, p = r^k + 1.\v",
    NULL,
    filter_help,
    NULL};

static int run_command(const struct command *command, int argc, char **argv)
{
    char name[40];
    struct settings settings;
    snprintf(name, sizeof(name), "gfpoly %s", command->name);
    argv[0] = name;
    parse_settings(command, argc, argv, &settings);
    return command->run(&settings);
}

/* gfpoly help [SUBCOMMAND] is gfpoly [SUBCOMMAND] --help; gfpoly help OPTION is gfpoly OPTION. */
static int run_help(int argc, char **argv)
{
    static char program[] = "gfpoly";
    static char help[] = "--help";
    char *help_argv[] = {program, help, NULL};
    bool option = argc > 1 && argv[1][0] == '-';
    if (argc < 2 || option || strcmp(argv[1], "help") == 0) {
        struct top top = {0};
        help_argv[1] = option ? argv[1] : help;
        return argp_parse(&top_argp, 2, help_argv, 0, NULL, &top) == 0 ? DONE : BAD_USAGE;
    }
    const struct command *command = find_command(argv[1]);
    if (command == NULL) {
        complain("unknown subcommand '%s'; `gfpoly --help' lists them", argv[1]);
        return BAD_USAGE;
    }
    return run_command(command, 2, help_argv);
}

int main(int argc, char **argv)
{
    static char program[] = "gfpoly";
    struct top top = {0};
    prepare_output();
    argp_program_version_hook = print_version;
    argp_err_exit_status = BAD_USAGE;
    if (argc > 0) {
        argv[0] = program;
    }
    if (argp_parse(&top_argp, argc, argv, ARGP_IN_ORDER, NULL, &top) != 0 || top.command_at == 0) {
        return BAD_USAGE;
    }
    argc -= top.command_at;
    argv += top.command_at;
    if (strcmp(argv[0], "help") == 0) {
        return run_help(argc, argv);
    }
    const struct command *command = find_command(argv[0]);
    if (command == NULL) {
        complain("unknown subcommand '%s'; `gfpoly --help' lists them", argv[0]);
        return BAD_USAGE;
    }
    return run_command(command, argc, argv);
}
