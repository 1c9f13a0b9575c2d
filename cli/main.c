/* main.c: the gfpoly command but for its entry (program.c, ranks.c): the table of subcommands, the
 * top level's help, and the call of a subcommand.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* The families of subcommands, in the order of the help. */
#define MOST_LISTS 6
static const struct family {
    const char *title;
    const struct command *list[MOST_LISTS];
} families[] = {
    {"Sums, products and transforms",
     {sum_commands, product_commands, verify_commands, transform_commands}},
    {"Division, greatest common divisors and series",
     {division_commands, gcd_commands, series_commands, crt_commands}},
    {"Values at points and composition", {point_commands, compose_commands}},
    {"Factors", {factor_commands}},
    {"Over the integers", {z_commands, zcomposed_commands, zsystem_commands}},
    {"Fields and files", {prime_commands, random_commands, file_commands}},
    {"Measuring",
     {info_commands, methods_commands, compare_commands, demo_commands, tune_commands,
      scale_commands}},
};
#define FAMILIES (sizeof families / sizeof families[0])

/* Subcommand i of a family; NULL: no more. */
static const struct command *family_command(const struct family *family, size_t i)
{
    for (size_t j = 0; j < MOST_LISTS && family->list[j] != NULL; j++) {
        for (const struct command *c = family->list[j]; c->name != NULL; c++) {
            if (i-- == 0) {
                return c;
            }
        }
    }
    return NULL;
}

/* The result of the top level's parsing, which ends at the subcommand. */
struct top {
    int command_at; /* index in argv, or 0 */
};

/* The subcommand; NULL: unknown, and s (may be NULL) considers the names of all. */
static const struct command *find_command(const char *name, struct suggestion *s)
{
    for (size_t i = 0; i < FAMILIES; i++) {
        const struct command *c = family_command(&families[i], 0);
        for (size_t j = 1; c != NULL; c = family_command(&families[i], j++)) {
            if (strcmp(name, c->name) == 0) {
                return c;
            }
            if (s != NULL) {
                consider(s, c->name);
            }
        }
    }
    return NULL;
}

static int complain_unknown(const char *name)
{
    struct suggestion s;
    begin_suggestion(&s, name);
    (void)find_command(name, &s);
    consider(&s, "help");
    complain("unknown subcommand '%s'; `gfpoly --help' lists them%s", name, end_suggestion(&s, ""));
    return BAD_USAGE;
}

static void list_command(FILE *stream, const char *name, const char *summary)
{
    fprintf(stream, "  %-19s %s\n", name, summary);
}

/* The list of subcommands, printed behind the options in the top level's help. */
static char *list_commands(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return NULL;
    }
    fputs("Subcommands:\n", stream);
    for (size_t i = 0; i < FAMILIES; i++) {
        fprintf(stream, " %s:\n", families[i].title);
        const struct command *c = family_command(&families[i], 0);
        for (size_t j = 1; c != NULL; c = family_command(&families[i], j++)) {
            list_command(stream, c->name, c->summary);
        }
    }
    list_command(stream, "help", "Show this text, or the help of a subcommand");
    fputs("\n"
          "`gfpoly SUBCOMMAND --help' explains a subcommand.\n"
          "Files hold polynomials as FLINT prints them, \"length modulus  c0 c1 ...\", or\n"
          "in a binary format (see `gfpoly convert --help'); subcommands that begin with\n"
          "z take integers, \"length  c0 c1 ...\"; - is standard input or output.\n"
          "Lengths are written as 10000, 1e4, 2^14, 10k (1000) or 10Ki (1024); bytes as\n"
          "64M or 64MiB (units of 2^20) or 64MB (units of 10^6).\n"
          "Exit status: 0 done; 1 a computation, verification or output failed;\n"
          "2 bad usage or input; 3 the time of --timeout is over.",
          stream);
    return fclose(stream) == 0 ? text : NULL;
}

static char *filter_help(int key, const char *text, void *input)
{
    (void)input;
    if (key == ARGP_KEY_HELP_POST_DOC) {
        return list_commands();
    }
    /* argp frees a result that is not `text`, and only that. */
    return (char *)text;
}

/* general_options, and an empty row. */
static struct argp_option top_options[GENERAL_OPTIONS + 1];

static error_t parse_top(int key, char *text, struct argp_state *state)
{
    struct top *top = state->input;
    (void)text;
    switch (key) {
    case ARGP_KEY_INIT:
        check_options(state, top_options, false);
        return 0;
    case ARGP_KEY_ARG:
        top->command_at = state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no subcommand given");
        return 0;
    default:
        return take_general(key, state) ? 0 : ARGP_ERR_UNKNOWN;
    }
}

static const struct argp top_argp = {
    top_options,
    parse_top,
    "SUBCOMMAND [ARGUMENT...]",
    "Computes with dense univariate polynomials over Z/pZ, p = r^k + 1.\v",
    NULL,
    filter_help,
    NULL};

/* If GFPOLY_CPU is set and not empty, checks that it names a level of this machine: the library
 * would ignore another value. Reports errors; returns an exit code. */
static int check_level(void)
{
    const char *wanted = getenv("GFPOLY_CPU");
    char all[200] = "", here[200] = "";
    bool known = false, present = false;
    struct suggestion s;
    if (wanted == NULL || wanted[0] == '\0') {
        return DONE;
    }
    begin_suggestion(&s, wanted);
    for (unsigned i = 0; gfp_cpu_level_at(&present, i) != NULL; i++) {
        const char *name = gfp_cpu_level_at(NULL, i);
        if (strcmp(name, wanted) == 0 && present) {
            return DONE;
        }
        known = known || strcmp(name, wanted) == 0;
        consider(&s, name);
        append_name(all, sizeof all, name);
        if (present) {
            append_name(here, sizeof here, name);
        }
    }
    if (known) {
        complain("GFPOLY_CPU: this machine or build lacks the level '%s'; available: %s", wanted,
                 here);
    } else {
        complain("GFPOLY_CPU: unknown level '%s'; available: %s%s", wanted, all,
                 end_suggestion(&s, ""));
    }
    return BAD_USAGE;
}

/* The same for GFPOLY_GPU. */
static int check_gpu(void)
{
    const char *wanted = getenv("GFPOLY_GPU");
    if (wanted == NULL || wanted[0] == '\0' || strcmp(wanted, "off") == 0) {
        return DONE;
    }
    complain("GFPOLY_GPU: unknown value '%s'; available: off", wanted);
    return BAD_USAGE;
}

static int run_command(const struct command *command, run_function *over_ranks, int argc,
                       char **argv)
{
    char name[40];
    struct request request;
    snprintf(name, sizeof name, "gfpoly %s", command->name);
    argv[0] = name;
    parse_request(command, argc, argv, &request);
    int code = check_level();
    code = code == DONE ? check_gpu() : code;
    if (code == DONE) {
        /* compare --levels: the process must not choose a level. */
        tell("version %s, CPU level %s", gfp_version(),
             is_given(&request, "levels") ? "each" : gfp_machine_get_info().cpu_level);
        code = load_costs(&request);
    }
    if (code == DONE) {
        code = over_ranks != NULL     ? over_ranks(&request)
               : command->run != NULL ? command->run(&request)
                                      : run_operation(&request);
        check_costs_again(&request.costs);
        free_costs(&request.costs);
    }
    return code;
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
        return argp_parse(&top_argp, 2, help_argv, ARGP_NO_HELP, NULL, &top) == 0 ? DONE
                                                                                  : BAD_USAGE;
    }
    const struct command *command = find_command(argv[1], NULL);
    if (command == NULL) {
        return complain_unknown(argv[1]);
    }
    if (argc > 2) {
        complain("help: unexpected argument '%s'", argv[2]);
        return BAD_USAGE;
    }
    return run_command(command, NULL, 2, help_argv);
}

int run_gfpoly(int argc, char **argv, run_function *over_ranks)
{
    static char program[] = "gfpoly";
    struct top top = {0};
    prepare_output();
    memcpy(top_options, general_options, sizeof general_options);
    argp_err_exit_status = BAD_USAGE;
    if (argc > 0) {
        argv[0] = program;
    }
    if (argp_parse(&top_argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP, NULL, &top) != 0 ||
        top.command_at == 0) {
        return BAD_USAGE;
    }
    argc -= top.command_at;
    argv += top.command_at;
    if (strcmp(argv[0], "help") == 0) {
        return run_help(argc, argv);
    }
    const struct command *command = find_command(argv[0], NULL);
    if (command == NULL) {
        return complain_unknown(argv[0]);
    }
    return run_command(command, over_ranks, argc, argv);
}
