/* factor.c: roots and factors through the command: known results, identities by products,
 * outputs, errors, reports.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly.h"
#include "lab/process.h"

/* Options that must not change a result. */
static const char *const ways[] = {
    "",
    " --verify full",
    " --verify none --method classical",
    " --method crt --tuning none --seed 5",
    " -j 2 --memory 64M --seed 18446744073709551615",
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

/* Expects this output in every way. */
static void expect_ways(const char *line, const char *expected)
{
    for (size_t i = 0; i < WAYS; i++) {
        char whole[300];
        snprintf(whole, sizeof(whole), "%s%s", line, ways[i]);
        expect_output(whole, expected);
    }
}

static void test_known_factors(void **state)
{
    (void)state;
    put_file("f.txt", "6 17  16 1 5 12 15 2\n"); /* 2 (X - 1) (X^2 + 3)^2 */
    put_file("x.txt", "4 17  0 0 0 1\n");
    put_file("c.txt", "1 17  5\n");
    put_file("one.txt", "1 17  1\n");
    put_file("p.txt", "18 17  1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1\n"); /* (X + 1)^17 */
    put_file("s.txt", "4 17  11 11 11 1\n");
    put_file("n.ntl", "[16 1 5 12 15 2]");
    expect_ways("factor f.txt", "1 1 17  2\n1 2 17  16 1\n2 3 17  3 0 1\n");
    expect_ways("factor f.txt --format ntl", "1 [2]\n1 [16 1]\n2 [3 0 1]\n");
    expect_output("factor n.ntl --field 17", "1 [2]\n1 [16 1]\n2 [3 0 1]\n");
    expect_ways("roots f.txt", "1 1\n");
    expect_ways("factor x.txt", "3 2 17  0 1\n");
    expect_ways("roots x.txt", "3 0\n");
    expect_ways("factor c.txt", "1 1 17  5\n");
    expect_output("factor one.txt", "1 1 17  1\n");
    expect_ways("roots c.txt", "");
    expect_ways("factor p.txt", "17 2 17  1 1\n");
    expect_ways("roots p.txt", "17 16\n");
    stdin_from = "x.txt";
    expect_output("roots -", "3 0\n");
    expect("convert f.txt -o f.gfp", 0, NULL);
    expect_output("factor f.gfp", "1 1 17  2\n1 2 17  16 1\n2 3 17  3 0 1\n");
    expect("roots f.txt -o r.txt", 0, NULL);
    assert_string_equal(out, "");
    assert_file("r.txt", "1 1\n");
    assert_no_temporary();
}

/* The factors of a product of polynomials are theirs, and multiply back. */
static void test_factors_multiply_back(void **state)
{
    char line[200], name[20];
    (void)state;
    expect("random --field p8 --len 30 --seed 1 -o a.txt", 0, NULL);
    expect("random --field p8 --len 9 --seed 2 -o b.txt", 0, NULL);
    expect("mul a.txt b.txt b.txt -o f.txt", 0, NULL);
    expect("factor f.txt -o all.txt", 0, NULL);
    expect("factor f.txt --verify full --seed 9 -o again.txt", 0, NULL);
    assert_int_equal(run_shell("cmp all.txt again.txt"), 0);
    put_file("product.ntl", "[1]");
    expect("convert product.ntl --field p8 --format flint -o product.txt", 0, NULL);
    FILE *file = fopen("all.txt", "r");
    assert_non_null(file);
    static char text[1 << 16];
    unsigned exponent;
    for (size_t i = 0; fscanf(file, "%u %65535[^\n]", &exponent, text) == 2; i++) {
        snprintf(name, sizeof(name), "g%zu.txt", i);
        put_file(name, text);
        assert_in_range(exponent, 1, 2);
        for (unsigned j = 0; j < exponent; j++) {
            snprintf(line, sizeof(line), "mul product.txt %s -o product.txt", name);
            expect(line, 0, NULL);
        }
    }
    (void)fclose(file);
    expect_output("equal product.txt f.txt", "equal\n");
    /* Roots as the linear factors have them. */
    assert_int_equal(run_shell("[ $(grep -c ' 2 [0-9]*  ' all.txt) = "
                               "$(\"$GFPOLY\" roots f.txt | wc -l) ]"),
                     0);
    assert_no_temporary();
}

/* The factorisation of what is drawn has one factor, the polynomial itself; the same seed and any
 * number of threads draw the same one. */
static void test_random_irreducible_polynomials(void **state)
{
    static const struct {
        const char *field;
        int len;
    } cases[] = {{"17", 2}, {"17", 3}, {"17", 40}, {"2^2+1", 9}, {"p8", 12}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char line[200], drawn[4000];
        snprintf(line, sizeof(line), "random --field %s --len %d --irreducible --seed 5",
                 cases[i].field, cases[i].len);
        expect(line, 0, NULL);
        assert_int_equal(atoi(out), cases[i].len);
        assert_true(strlen(out) < sizeof(drawn));
        memcpy(drawn, out, strlen(out) + 1);
        put_file("i.txt", drawn);
        strcat(line, " --threads 2");
        expect_output(line, drawn);
        expect("factor i.txt --verify full", 0, NULL);
        assert_int_equal(strncmp(out, "1 ", 2), 0);
        assert_string_equal(out + 2, drawn);
        snprintf(line, sizeof(line), "random --field %s --len %d --irreducible --seed 6 -o i.txt",
                 cases[i].field, cases[i].len);
        expect(line, 0, NULL);
        assert_string_equal(out, "");
        expect("convert i.txt", 0, NULL);
        assert_true(cases[i].len < 10 || strcmp(out, drawn) != 0);
    }
    expect("random --field 17 --len 5 --irreducible --format ntl", 0, NULL);
    assert_non_null(strstr(out, " 1]\n")); /* monic */
    expect("random --field 17 --len 5 --irreducible --format binary -o b.gfp", 0, NULL);
    expect("convert b.gfp --format ntl", 0, NULL);
    assert_non_null(strstr(out, " 1]\n"));
    expect("random --field 17 --len 1 --irreducible -o new", 2, "has at least 2 coefficients");
    expect("random --field 17 --len 0 --irreducible -o new", 2, "--len 0: an irreducible");
    assert_int_equal(count_files(".", "new"), 0);
    assert_no_temporary();
}

static void test_an_interrupt_leaves_the_old_file(void **state)
{
    static const char *const arguments[] = {"factor", "a.gfp", "-o", "old.txt", NULL};
    (void)state;
    put_file("old.txt", "old contents\n");
    expect("random --field p64 --len 2000 --seed 1 --format binary -o a.gfp", 0, NULL);
    const pid_t pid = start(arguments);
    const bool seen = wait_for_output(pid);
    assert_int_equal(kill(pid, SIGINT), 0);
    assert_int_equal(wait_for(pid), 128 + SIGINT);
    assert_true(seen);
    assert_file("old.txt", "old contents\n");
    assert_no_temporary();
}

static void test_errors(void **state)
{
    static const struct {
        const char *line;
        int code;
        const char *message;
    } cases[] = {
        {"factor", 2, "missing argument: expected F"},
        {"factor f.txt f.txt", 2, "unexpected argument 'f.txt'"},
        {"factor zero.txt -o new", 1, "factor: F (zero.txt) is 0"},
        {"roots zero.txt -o new", 1, "gfpoly: roots: F (zero.txt) is 0"},
        {"roots f.txt --format binary -o new", 2, "roots: the lines are text"},
        {"factor f.txt --format binary -o new", 2, "factor: the lines are text"},
        {"roots none", 2, "none: cannot open"},
        {"factor f.txt --method fastest", 2, "unknown method 'fastest'"},
        {"factor f.txt --verify maybe", 2, "none, point, cross, full"},
        {"factor f.txt --seed x", 2, "--seed"},
        {"factor f.txt --json -o -", 2, "--json and -o - would both write"},
        {"roots f.txt -o none/r.txt", 1, "none/r.txt: cannot write"},
        {"factor big.txt -o new --memory 1K", 1, "the cap of 1024 bytes"},
    };
    (void)state;
    put_file("f.txt", "6 17  16 1 5 12 15 2\n");
    put_file("zero.txt", "0 17\n");
    expect("random --field p8 --len 200 --seed 1 -o big.txt", 0, NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect(cases[i].line, cases[i].code, cases[i].message);
        assert_string_equal(out, "");
    }
    assert_int_equal(count_files(".", "new"), 0);
    assert_no_temporary();
}

static void expect_member(const char *member)
{
    if (strstr(out, member) == NULL) {
        print_error("no %s in %s\n", member, out);
    }
    assert_non_null(strstr(out, member));
}

/* Whether the report has this key with a text, which it copies. */
static bool text_of(const char *key, char text[20])
{
    char pattern[40];
    snprintf(pattern, sizeof(pattern), "\"%s\": \"", key);
    const char *found = strstr(out, pattern);
    return found != NULL && sscanf(found + strlen(pattern), "%19[^\"]", text) == 1;
}

static void test_reports(void **state)
{
    char method[20], second[20];
    static const char *const keys[] = {
        "\"method\": \"", "\"verified\": \"", "\"points\": ",    "\"log2_error\": ",
        "\"threads\": ",  "\"compute_ns\": ", "\"verify_ns\": ", "\"len_a\": 6,",
        "\"field\": \"",  "\"len_b\": null,"};
    (void)state;
    put_file("f.txt", "6 17  16 1 5 12 15 2\n");
    for (size_t roots = 0; roots < 2; roots++) {
        expect(roots == 1 ? "roots f.txt --json" : "factor f.txt --json", 0, NULL);
        expect_member(roots == 1 ? "\"operation\": \"roots\"," : "\"operation\": \"factor\",");
        expect_member(roots == 1 ? "\"root\": \"1\"" : "\"degree\": 2");
        expect_member("\"multiplicity\": 1,");
        for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++) {
            expect_member(keys[j]);
        }
    }
    expect("random --field p8 --len 12 --seed 1 -o a.txt", 0, NULL);
    expect("factor a.txt --json -o b.txt", 0, NULL);
    expect_member("\"verified\": \"point\",");
    expect_member("\"log2_error\": -");
    expect("random --field p8 --len 30 --seed 4 -o s.txt", 0, NULL);
    expect("factor s.txt --json --verify full", 0, NULL);
    expect_member("\"verified\": \"cross\",");
    assert_true(text_of("method", method) && text_of("cross_method", second));
    assert_string_not_equal(method, second);
    expect("factor f.txt --json", 0, NULL);
    expect_member("\"leading\": \"2\",");
    expect("factor a.txt --time -o b.txt", 0, "compute:  ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_factors),
        cmocka_unit_test(test_factors_multiply_back),
        cmocka_unit_test(test_random_irreducible_polynomials),
        cmocka_unit_test(test_an_interrupt_leaves_the_old_file),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_reports),
    };
    (void)setenv("GFPOLY", GFP_CLI, 1);
    return cmocka_run_group_tests_name("cli_factor", tests, enter_empty_folder, leave_folder);
}
