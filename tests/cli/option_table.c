/* option_table.c: the table of options of the command, row by row: the subcommands exist, no
 * subcommand takes an option or a letter twice, arguments and bounds fit the kind, the help shows
 * each row; the help of all subcommands; the levels that the environment may name.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "gfpoly.h"
#include "lab/process.h"

#define MOST_COMMANDS 64
#define NAME_SIZE 24

static char commands[MOST_COMMANDS][NAME_SIZE];
static size_t command_count;

/* Fills `commands' from the help of the top level: lines that begin with two spaces. */
static int list_commands(void **state)
{
    const int failed = enter_empty_folder(state);
    if (failed != 0 || run("--help") != 0) {
        return -1;
    }
    for (const char *at = strstr(out, "Subcommands:\n"); at != NULL && strncmp(at, "\n\n", 2) != 0;
         at = strchr(at + 1, '\n')) {
        if (strncmp(at, "\n  ", 3) == 0 && command_count < MOST_COMMANDS) {
            command_count += sscanf(at, " %23s", commands[command_count]) == 1;
        }
    }
    return command_count > 40 ? 0 : -1;
}

static bool is_command(const char *name, size_t length)
{
    for (size_t i = 0; i < command_count; i++) {
        if (strlen(commands[i]) == length && strncmp(commands[i], name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Calls visit(row, subcommand) for each subcommand that a row names. */
static void visit_rows(void (*visit)(const struct option_row *row, const char *command))
{
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        for (const char *at = row->takes; *at != '\0' && *at != '*';) {
            char command[NAME_SIZE];
            at += strspn(at, " !");
            const size_t length = strcspn(at, " ");
            if (!is_command(at, length)) {
                fail_msg("--%s: '%.*s' is no subcommand", row->name, (int)length, at);
            }
            snprintf(command, sizeof command, "%.*s", (int)length, at);
            visit(row, command);
            at += length;
        }
    }
}

static void check_nothing(const struct option_row *row, const char *command)
{
    (void)row;
    (void)command;
}

static void test_rows_name_subcommands(void **state)
{
    (void)state;
    visit_rows(check_nothing);
}

static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; *at != '\0';) {
        at += strspn(at, " !");
        if (strcspn(at, " ") == length && strncmp(at, word, length) == 0) {
            return true;
        }
        at += strcspn(at, " ");
    }
    return false;
}

/* No later row of the subcommand has the same name or letter. */
static void check_unique(const struct option_row *row, const char *command)
{
    for (const struct option_row *other = row + 1; other < option_rows + option_row_count;
         other++) {
        if (has_word(other->takes, command) &&
            (strcmp(row->name, other->name) == 0 ||
             (row->letter != 0 && row->letter == other->letter))) {
            fail_msg("%s has --%s or its letter twice", command, row->name);
        }
    }
}

static void test_no_option_twice(void **state)
{
    (void)state;
    visit_rows(check_unique);
}

/* argp gives a row without a group that of the row before. */
static void test_rows_of_all_subcommands_are_last(void **state)
{
    bool all = false;
    (void)state;
    for (size_t i = 0; i < option_row_count; i++) {
        const bool now = option_rows[i].takes[0] == '*';
        if (all && !now) {
            fail_msg("--%s comes behind a row of all subcommands", option_rows[i].name);
        }
        all = now;
    }
    assert_true(all);
}

static void test_arguments_and_bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        const bool words = row->kind == METHOD || row->kind == WORD || row->kind == VERIFY ||
                           row->kind == OPERATION || row->kind == OPERATION_SET;
        const size_t length = strlen(row->text);
        if ((row->argument == NULL) != (row->kind == FLAG) ||
            (words && strchr(row->argument, '|') == NULL)) {
            fail_msg("--%s (%s): the argument does not fit the kind", row->name, row->takes);
        }
        if (row->place >= sizeof(struct request) || (row->most != 0 && row->least > row->most)) {
            fail_msg("--%s (%s): place or bounds", row->name, row->takes);
        }
        if (length == 0 || row->text[length - 1] == '.' || row->text[0] == ' ') {
            fail_msg("--%s (%s): the text '%s'", row->name, row->takes, row->text);
        }
    }
}

/* The help of the subcommand has the option with its argument. */
static void check_help(const struct option_row *row, const char *command)
{
    static char last[NAME_SIZE];
    char line[60], shown[120];
    if (strcmp(last, command) != 0) {
        snprintf(line, sizeof line, "%s --help", command);
        expect(line, 0, NULL);
        snprintf(last, sizeof last, "%s", command);
    }
    snprintf(shown, sizeof shown, "--%s%s%s%s%s", row->name, row->optional ? "[" : "",
             row->argument != NULL ? "=" : "", row->argument != NULL ? row->argument : "",
             row->optional ? "]" : "");
    if (strstr(out, shown) == NULL) {
        fail_msg("gfpoly %s --help lacks %s", command, shown);
    }
}

static void test_help_shows_rows(void **state)
{
    (void)state;
    visit_rows(check_help);
}

/* The list of the help: lines that argp does not break, below the titles of families. */
static void test_help_lists_families(void **state)
{
    size_t count = 0, families = 0;
    (void)state;
    expect("--help", 0, NULL);
    const char *at = strstr(out, "Subcommands:\n");
    assert_non_null(at);
    for (at = strchr(at, '\n') + 1; *at == ' '; at = strchr(at, '\n') + 1) {
        /* argp would break longer lines. */
        assert_in_range(strchr(at, '\n') - at, 5, 78);
        if (at[1] != ' ') {
            assert_int_equal(strchr(at, '\n')[-1], ':');
            assert_true(count == 0 || families > 0);
            families++;
        } else {
            assert_true(at[21] == ' ' && at[22] != ' ');
            count++;
        }
    }
    assert_int_equal(families, 7);
    assert_int_equal(count, command_count);
    /* Nor does it break the text behind the list. */
    assert_non_null(strstr(out, "subcommands that begin with\nz take integers, "));
}

static void test_short_help_is_everywhere(void **state)
{
    static char long_help[sizeof(process_out)];
    char line[60];
    (void)state;
    for (size_t i = 0; i < command_count; i++) {
        snprintf(line, sizeof(line), "%.23s --help", commands[i]);
        expect(line, 0, NULL);
        snprintf(long_help, sizeof(long_help), "%s", out);
        static const char *const same[] = {"-h", "-?"};
        for (size_t j = 0; j < 2 && strcmp(commands[i], "help") != 0; j++) {
            snprintf(line, sizeof(line), "%.23s %s", commands[i], same[j]);
            expect_output(line, long_help);
        }
        /* No short options that future subcommands may need. */
        const char *quotient = strstr(out, "  -q");
        if (strcmp(commands[i], "divrem") == 0) {
            assert_non_null(quotient);
            assert_int_equal(strncmp(quotient, "  -q, --quotient=", 17), 0);
            quotient = strstr(quotient + 1, "  -q");
        }
        assert_null(quotient);
        const bool cofactors = strcmp(commands[i], "xgcd") == 0 || strcmp(commands[i], "zgcd") == 0;
        assert_true((strstr(out, "  -v, --second-cofactor=") != NULL) == cofactors);
        assert_true((strstr(out, "  -v") != NULL) == cofactors);
    }
    expect("--help", 0, NULL);
    snprintf(long_help, sizeof(long_help), "%s", out);
    expect_output("-h", long_help);
    expect_output("help", long_help);
    expect_output("help -h", long_help);
}

static void test_levels_that_are_not_there_are_refused(void **state)
{
    bool present = false;
    (void)state;
    put_file("a.txt", "3 17  1 2 3\n");
    for (unsigned i = 0; gfp_cpu_level_at(&present, i) != NULL; i++) {
        char line[60];
        const char *name = gfp_cpu_level_at(NULL, i);
        assert_int_equal(setenv("GFPOLY_CPU", name, 1), 0);
        if (present) {
            snprintf(line, sizeof(line), "\"cpu_level\": \"%s\"", name);
            expect("info --json", 0, NULL);
            assert_non_null(strstr(out, line));
        } else {
            snprintf(line, sizeof(line), "lacks the level '%s'; available: portable", name);
            expect("mul a.txt a.txt", 2, line);
            assert_string_equal(out, "");
        }
    }
    assert_int_equal(unsetenv("GFPOLY_CPU"), 0);
    expect("mul a.txt a.txt --verbose -o c.txt", 0, gfp_machine_get_info().cpu_level);
}

static int reset_environment(void **state)
{
    (void)state;
    return unsetenv("GFPOLY_CPU");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_name_subcommands),
        cmocka_unit_test(test_no_option_twice),
        cmocka_unit_test(test_rows_of_all_subcommands_are_last),
        cmocka_unit_test(test_arguments_and_bounds),
        cmocka_unit_test(test_help_shows_rows),
        cmocka_unit_test(test_help_lists_families),
        cmocka_unit_test(test_short_help_is_everywhere),
        cmocka_unit_test_teardown(test_levels_that_are_not_there_are_refused, reset_environment),
    };
    return cmocka_run_group_tests_name("cli_options", tests, list_commands, leave_folder);
}
