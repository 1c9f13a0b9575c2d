/* usage.c: the parsing of the command line: short help, misspelled words, the forms of
 * lengths, bytes and points, --quiet and --verbose, GFPOLY_CPU.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly.h"
#include "lab/process.h"

/* Lists the subcommands of the help, which stand below the titles of families; returns their
 * number.
 */
static size_t list_subcommands(char names[][20], size_t most)
{
    size_t count = 0, families = 0;
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
            continue;
        }
        assert_true(at[21] == ' ' && at[22] != ' ');
        assert_in_range(count, 0, most - 1);
        assert_int_equal(sscanf(at, " %19s", names[count++]), 1);
    }
    assert_int_equal(families, 7);
    /* Nor does it break the text behind the list. */
    assert_non_null(strstr(out, "subcommands that begin with\nz take integers, "));
    return count;
}

static void test_short_help_is_everywhere(void **state)
{
    static char long_help[sizeof(process_out)];
    char names[60][20], line[1300];
    (void)state;
    const size_t count = list_subcommands(names, 60);
    assert_in_range(count, 18, 60);
    for (size_t i = 0; i < count; i++) {
        snprintf(line, sizeof(line), "%s --help", names[i]);
        expect(line, 0, NULL);
        snprintf(long_help, sizeof(long_help), "%s", out);
        static const char *const same[] = {"-h", "-?"};
        for (size_t j = 0; j < 2 && strcmp(names[i], "help") != 0; j++) {
            snprintf(line, sizeof(line), "%s %s", names[i], same[j]);
            expect_output(line, long_help);
        }
        /* No short options that future subcommands may need. */
        const char *quotient = strstr(out, "  -q");
        if (strcmp(names[i], "divrem") == 0) {
            assert_non_null(quotient);
            assert_int_equal(strncmp(quotient, "  -q, --quotient=", 17), 0);
            quotient = strstr(quotient + 1, "  -q");
        }
        assert_null(quotient);
        const bool cofactors = strcmp(names[i], "xgcd") == 0 || strcmp(names[i], "zgcd") == 0;
        assert_true((strstr(out, "  -v, --second-cofactor=") != NULL) == cofactors);
        assert_true((strstr(out, "  -v") != NULL) == cofactors);
    }
    expect("--help", 0, NULL);
    snprintf(long_help, sizeof(long_help), "%s", out);
    expect_output("-h", long_help);
    expect_output("help", long_help);
    expect_output("help -h", long_help);
    expect("mul --usage", 0, NULL);
    assert_int_equal(strncmp(out, "Usage: gfpoly mul [", 19), 0);
    expect("-V", 0, NULL);
    assert_int_equal(strncmp(out, "gfpoly ", 7), 0);
}

static void test_words_that_nearly_fit(void **state)
{
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"mull a.txt b.txt", "unknown subcommand 'mull'; `gfpoly --help' lists them; did you mean "
                             "'mul'?\n"},
        {"Mul a.txt b.txt", "; did you mean 'mul'?\n"},
        {"rand --len 5", "; did you mean 'random'?\n"},
        {"ad a.txt b.txt", "; did you mean 'add'?\n"},
        {"xyz", "lists them\n"},
        {"help cmpare", "; did you mean 'compare'?\n"},
        {"help mul sqr", "help: unexpected argument 'sqr'\n"},
        {"series inverse", "shift A [B], found only 1\n"},
        {"verify a.txt b.txt", "missing argument: expected A B C, found only 2\n"},
        {"--hlep", "unknown option '--hlep'; did you mean '--help'?\n"},
        {"mul --veriy a.txt b.txt", "unknown option '--veriy'; did you mean '--verify'?\n"},
        {"mul --veriy=point a.txt b.txt", "unknown option '--veriy'; did you mean '--verify'?\n"},
        {"mul a.txt b.txt --thread-s 2", "unknown option '--thread-s'; did you mean '--threads'?"},
        {"mul a.txt b.txt --nonsense", "unknown option '--nonsense'\n"},
        {"mul a.txt b.txt --method karatsub", "; did you mean 'karatsuba'?\n"},
        {"mul a.txt b.txt --method hybird", "; did you mean 'hybrid'?\n"},
        {"mul a.txt b.txt --verify poimt", "; did you mean 'point'?\n"},
        {"methods --field p8 --len 5 --operation sqare", "; did you mean 'square'?\n"},
        {"compare --field p8 --methods auto,hybird", "unknown method 'auto'"},
        {"compare --field p8 --methods NTL -j 2", "FLINT and NTL, if found, compute"},
        {"zmul a.txt b.txt --strategy shrt",
         "--strategy: unknown value 'shrt'; available: auto, words"},
        {"zmul a.txt b.txt --method shrt", "; did you mean 'short'?\n"},
        {"compare --field p8 --max-seconds 2e9",
         "'2e9' is not a number of seconds above 0 and up to 1e9"},
        {"compare --field p8 --min-bits 5", "--min-bits and --max-bits go with --strategies\n"},
        {"compare --field p8 --methods hybrid,clasical", "; did you mean 'classical'?\n"},
        {"random --field p9 --len 5", "; did you mean 'p2', 'p4' or 'p8'?\n"},
        {"random --field p218 --len 5", "; did you mean 'p128'?\n"},
        {"random --field nothing --len 5", "or the modulus as a number\n"},
        {"demo --field P8 --field p88", "; did you mean 'p8'?\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect(cases[i].line, 2, cases[i].message);
        assert_string_equal(out, "");
    }
    /* Values and arguments that look like options are none; names may be shortened. */
    put_file("--veriy", "1 17  1\n");
    expect_output("add a.txt -o --veriy b.txt", "");
    assert_file("--veriy", "3 17  2 1 3\n");
    expect_output("add --output --veriy a.txt a.txt", "");
    expect_output("add -- --veriy --veriy", "3 17  4 8 12\n");
    expect_output("mul --verif point a.txt b.txt", "4 17  1 1 1 14\n");
}

static void test_lengths(void **state)
{
    static const struct {
        const char *text;
        int length;
    } good[] = {{"12", 12},       {"0", 0},     {"1e3", 1000},  {"2E2", 200},  {"2^5", 32},
                {"3^4", 81},      {"1k", 1000}, {"2K", 2000},   {"1Ki", 1024}, {"7e0", 7},
                {"7^0", 1},       {"0^3", 0},   {"1^99999", 1}, {"0e9999", 0}, {"0^0", 1},
                {"0002^0002", 4}, {"0k", 0},    {"10^1", 10},   {"0M", 0},     {"0Ti", 0}};
    static const char *const bad[] = {"",
                                      "k",
                                      "1.5k",
                                      "1kk",

                                      "-1",
                                      "1e",
                                      "2^",
                                      "^2",
                                      "e4",
                                      "2^14k",
                                      "1e4k",
                                      "1e-1",
                                      "2^-1",
                                      "1 k",
                                      "1m",
                                      "1kB",
                                      "1B",
                                      "2^64",
                                      "1e20",
                                      "0x10",
                                      "1Q",
                                      "4^32",
                                      "2^^3",
                                      "2^3^2",
                                      "1e3e2",
                                      "20000000T",
                                      "16Mi5",
                                      "17Ei",
                                      "2^2e2",
                                      "+1",
                                      "5.0",
                                      "1e99999999999999999999",
                                      "18446744073709551616",
                                      "18446744073709552k",
                                      "16777216Ti"};
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        char line[100], start[30];
        snprintf(line, sizeof(line), "random --field 17 --len %s", good[i].text);
        snprintf(start, sizeof(start), "%d 17", good[i].length);
        expect(line, 0, NULL);
        assert_int_equal(strncmp(out, start, strlen(start)), 0);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const char *len[] = {"methods", "--field", "17", "--len", bad[i], NULL};
        if (run_arguments(len) != 2) {
            fail_msg("--len '%s' was taken", bad[i]);
        }
    }
    /* Lengths and counts up to the last size_t, in every option. */
    expect("random --field 17 --len 2^63", 2, "--len 9223372036854775808: size out of range");
    expect("random --field 17 --len 18446744073709551k", 2, "--len 18446744073709551000: size");
    expect("methods --field p8 --len 1k --len-b 2^9", 0, NULL);
    assert_non_null(strstr(out, "1000 x 512 coefficients"));
    expect("methods --field p8 --len 1k --operation low --n 1e2", 0, NULL);
    assert_non_null(strstr(out, "low mod X^100\n"));
    expect("methods --field p8 --len 10 --operation batch --count 3k", 0, NULL);
    assert_non_null(strstr(out, "batch of 3000\n"));
    expect("dft a.txt --n 2^2", 0, NULL);
    assert_int_equal(strncmp(out, "4 17  ", 6), 0);
    expect("compare --field p8 --min-len 1k --max-len 5^4", 2,
           "--min-len 1000 is above --max-len 625");
    expect("primes --search --k 8 --min-bits 500 --max-bits 508 --count 2^0", 0, NULL);
    /* A seed is no length. */
    expect("random --field 17 --len 5 --seed 1e3", 2, "--seed: '1e3' is not a number");
}

static void test_bytes(void **state)
{
    static const struct {
        const char *text, *bytes;
    } good[] = {{"100", "100"},          {"100B", "100"},      {"64K", "65536"},
                {"64k", "65536"},        {"64Ki", "65536"},    {"64KiB", "65536"},
                {"64KB", "64000"},       {"64M", "67108864"},  {"64MiB", "67108864"},
                {"64MB", "64000000"},    {"2G", "2147483648"}, {"2GB", "2000000000"},
                {"2^20", "1048576"},     {"1e6", "1000000"},   {"1T", "1099511627776"},
                {"1TB", "1000000000000"}};
    static const char *const bad[] = {
        "0",    "0K",    "K",  "64MIB", "64Mb", "64m",       "1.5G",
        "64 M", "2^20K", "-1", "64MM",  "64BM", "16777216T", "18446744073709551616"};
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        char line[100], said[60];
        snprintf(line, sizeof(line), "methods --field p8 --len 9 --memory %s", good[i].text);
        snprintf(said, sizeof(said), ", at most %s bytes of work space\n", good[i].bytes);
        expect(line, 0, NULL);
        assert_non_null(strstr(out, said));
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const char *memory[] = {"mul", "a.txt", "b.txt", "--memory", bad[i], NULL};
        assert_int_equal(run_arguments(memory), 2);
        assert_non_null(strstr(err, "is not a number of bytes such as 64M or 2G"));
    }
}

static void test_threads_have_a_letter(void **state)
{
    (void)state;
    expect("methods --field p8 --len 5 -j 3 --json", 0, NULL);
    assert_non_null(strstr(out, "\"threads\": 3,"));
    expect("methods --field p8 --len 5 -j2 --json", 0, NULL);
    assert_non_null(strstr(out, "\"threads\": 2,"));
    expect_output("mul -j 2 a.txt b.txt", "4 17  1 1 1 14\n");
    expect("mul -j 0 a.txt b.txt", 2, "--threads: '0'");
    expect("mul -j 1k a.txt b.txt", 2, "--threads: '1k'");
}

/* a = 1 + 2 X + 3 X^2 over Z/17Z: a(0) = 1, a(1) = 6, a(2) = 0, a(4) = 6, a(16) = 2. */
static void test_points(void **state)
{
    static const struct {
        const char *point, *value;
    } good[] = {{"17", "1\n"},
                {"18", "6\n"},
                {"-1", "2\n"},
                {"-016", "6\n"},
                {"0x10", "2\n"},
                {"0X4", "6\n"},
                {"-0xf", "0\n"},
                {"-13", "6\n"},
                {"0x0012", "6\n"},
                {"-0", "1\n"},
                {"0", "1\n"},
                {"-0x0", "1\n"},
                {"-- -1", "2\n"},
                {"34000000000000000000000000000000000000000000", "1\n"},
                {"-17000000000000000000000000000000000000000000000001", "2\n"},
                {"0x110000000000000000000000000000000000000000000000000004", "6\n"}};
    static const struct {
        const char *arguments, *message;
    } bad[] = {{"a.txt x", "X: character 1 of the point: not a digit of base 10"},
               {"a.txt 5x", "X: character 2 of the point: not a digit of base 10"},
               {"a.txt 0x", "X: character 3 of the point: not a digit of base 16"},
               {"a.txt 0x1g", "X: character 4 of the point: not a digit of base 16"},
               {"a.txt -0x1g", "X: character 5 of the point: not a digit of base 16"},
               {"a.txt -", "X: character 2 of the point"},
               {"a.txt +5", "X: character 1 of the point"},
               {"a.txt 1/2", "X: character 2 of the point"},
               {"a.txt -- --1", "X: character 2 of the point"},
               {"a.txt -1 -2", "unexpected argument '-1'"},
               {"a.txt 3 -1", "unexpected argument '-1'"},
               {"-1", "missing argument"},
               {"a.txt", "missing argument"}};
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        char line[200];
        snprintf(line, sizeof(line), "eval a.txt %s", good[i].point);
        expect_output(line, good[i].value);
    }
    expect_output("eval -1 a.txt", "2\n");
    expect_output("eval -1 --field 17 a.txt", "2\n");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char line[200];
        snprintf(line, sizeof(line), "eval %s", bad[i].arguments);
        expect(line, 2, bad[i].message);
        assert_string_equal(out, "");
    }
}

static void test_quiet_and_verbose(void **state)
{
    (void)state;
    expect("primes --search --k 8 --min-bits 500 --max-bits 508 --count 2", 0, "only 1 found");
    expect("primes --search --k 8 --min-bits 500 --max-bits 508 --count 2 --quiet", 0, NULL);
    assert_string_equal(err, "");
    expect("mul a.txt none.txt --quiet", 2, "none.txt: cannot open"); /* errors stay */
    expect("equal a.txt b.txt --quiet", 1, NULL);
    assert_string_equal(out, "");
    assert_string_equal(err, "");
    expect("equal a.txt a.txt --quiet", 0, NULL);
    assert_string_equal(out, "");
    expect("mul a.txt b.txt --verbose -o c.txt", 0, "gfpoly: version ");
    assert_non_null(strstr(err, gfp_cpu_level()));
    assert_non_null(strstr(err, "gfpoly: a.txt: 3 coefficients over 4^2+1\n"));
    assert_non_null(strstr(err, "gfpoly: b.txt: 2 coefficients over 4^2+1\n"));
    assert_non_null(strstr(err, "gfpoly: c.txt: written\n"));
    assert_string_equal(out, "");
}

static void test_levels_that_are_not_there_are_refused(void **state)
{
    bool present = false;
    (void)state;
    for (unsigned i = 0; gfp_cpu_level_at(i, &present) != NULL; i++) {
        char line[60];
        const char *name = gfp_cpu_level_at(i, NULL);
        assert_int_equal(setenv("GFPOLY_CPU", name, 1), 0);
        if (present) {
            snprintf(line, sizeof(line), "\"cpu_level\": \"%s\"", name);
            expect("info --json", 0, NULL);
            assert_non_null(strstr(out, line));
        } else {
            snprintf(line, sizeof(line), "lacks the level '%s'; available: portable", name);
            expect("mul a.txt b.txt", 2, line);
            assert_string_equal(out, "");
        }
    }
    assert_int_equal(setenv("GFPOLY_CPU", "portabel", 1), 0);
    expect("mul a.txt b.txt", 2, "GFPOLY_CPU: unknown level 'portabel'; available: portable, ");
    assert_non_null(strstr(err, "; did you mean 'portable'?\n"));
    expect("mul --help", 0, NULL);
    assert_int_equal(setenv("GFPOLY_CPU", "", 1), 0);
    assert_int_equal(setenv("GFPOLY_GPU", "OFF", 1), 0);
    expect("mul a.txt b.txt", 2, "GFPOLY_GPU: unknown value 'OFF'; available: off");
    assert_int_equal(setenv("GFPOLY_GPU", "off", 1), 0);
    expect_output("mul a.txt b.txt", "4 17  1 1 1 14\n");
}

static int reset_environment(void **state)
{
    (void)state;
    return unsetenv("GFPOLY_CPU");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_help_is_everywhere),
        cmocka_unit_test(test_words_that_nearly_fit),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_threads_have_a_letter),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_quiet_and_verbose),
        cmocka_unit_test_teardown(test_levels_that_are_not_there_are_refused, reset_environment),
    };
    return cmocka_run_group_tests_name("cli_usage", tests, enter_folder_of_operands, leave_folder);
}
