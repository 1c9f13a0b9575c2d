/* tree.c: values at points, interpolation and Chinese remainders through the command:
 * known results, vectors whose zeros at the end count, outputs, errors, reports.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "gfpoly.h"
#include "lab/process.h"

/* Options that must not change a result. */
static const char *const ways[] = {
    "",
    " --verify full",
    " --verify cross",
    " --verify none --method classical",
    " --method crt --tuning none",
    " -j 2 --memory 64M",
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static void test_known_values(void **state)
{
    (void)state;
    put_file("f.txt", "3 17  1 2 3\n"); /* 1 + 2 X + 3 X^2 */
    put_file("x.txt", "4 17  0 1 2 16\n");
    put_file("zero.txt", "0 17\n");
    expect_output("multieval f.txt x.txt", "4 17  1 6 0 2\n");
    expect_output("multieval f.txt x.txt --format ntl", "[1 6 0 2]\n");
    expect_output("multieval zero.txt x.txt", "4 17  0 0 0 0\n");
    expect_output("multieval f.txt zero.txt", "0 17\n");
    expect_output("interp zero.txt zero.txt", "0 17\n");
    stdin_from = "x.txt";
    expect_output("multieval f.txt -", "4 17  1 6 0 2\n");
    put_file("y.txt", "4 17  1 6 0 2\n");
    expect_output("interp x.txt y.txt", "3 17  1 2 3\n");
    stdin_from = "y.txt";
    expect_output("interp x.txt - -o -", "3 17  1 2 3\n");
    assert_no_temporary();
}

/* Zeros at the end of points and values count; --count adds further ones. */
static void test_zeros_at_the_end_count(void **state)
{
    (void)state;
    put_file("f.txt", "3 17  1 2 3\n");
    put_file("root.txt", "2 17  15 1\n"); /* X - 2 */
    put_file("x.txt", "3 17  1 2 0\n");
    expect_output("multieval f.txt x.txt", "3 17  6 0 1\n");
    expect_output("multieval root.txt x.txt --count 5", "5 17  16 0 15 15 15\n");
    put_file("x2.txt", "2 17  1 2\n");
    expect("multieval root.txt x2.txt -o y.gfp --format binary", 0, NULL);
    expect_output("convert y.gfp", "1 17  16\n"); /* as a polynomial */
    put_file("y.txt", "2 17  16 0\n");
    expect_output("interp x2.txt y.txt", "2 17  15 1\n");
    expect_output("interp x2.txt y.gfp", "2 17  15 1\n");
    put_file("short.txt", "1 17  16\n");
    expect_output("interp x2.txt short.txt", "2 17  15 1\n");
    /* The third point is 0. */
    put_file("y3.txt", "3 17  6 0 1\n");
    expect_output("interp x2.txt y3.txt --count 3", "3 17  1 2 3\n");
    assert_no_temporary();
}

static void test_there_and_back(void **state)
{
    (void)state;
    expect("random --field p8 --len 300 --seed 1 -o f.txt", 0, NULL);
    expect("random --field p8 --len 300 --seed 2 --format binary -o x.gfp", 0, NULL);
    expect("multieval f.txt x.gfp -o y.txt", 0, NULL);
    for (size_t i = 0; i < WAYS; i++) {
        expect_with("multieval f.txt x.gfp -o y2.txt", ways[i]);
        assert_int_equal(run_shell("cmp y.txt y2.txt"), 0);
        expect_with("interp x.gfp y.txt -o g.txt", ways[i]);
        expect_output("equal f.txt g.txt", "equal\n");
    }
    /* NTL's form, whose field the option gives. */
    expect("convert f.txt --format ntl -o f.ntl", 0, NULL);
    expect("multieval f.ntl x.gfp --field p8 -o y.ntl", 0, NULL);
    expect("interp x.gfp y.ntl --field p8 --format flint -o g.txt", 0, NULL);
    expect_output("equal f.txt g.txt", "equal\n");
    /* More terms than points: the remainder has the values. */
    expect("random --field p8 --len 1000 --seed 3 -o long.txt", 0, NULL);
    expect("multieval long.txt x.gfp -o y.txt", 0, NULL);
    expect("interp x.gfp y.txt --format flint -o rest.txt", 0, NULL);
    expect("multieval rest.txt x.gfp -o y2.txt", 0, NULL);
    assert_int_equal(run_shell("cmp y.txt y2.txt"), 0);
    /* Outputs over inputs. */
    expect("multieval rest.txt x.gfp -o rest.txt", 0, NULL);
    assert_int_equal(run_shell("cmp y.txt rest.txt"), 0);
    assert_no_temporary();
}

static void test_errors(void **state)
{
    (void)state;
    put_file("f.txt", "3 17  1 2 3\n");
    put_file("x.txt", "4 17  0 1 2 1\n");
    put_file("x3.txt", "3 17  0 1 2\n");
    put_file("other.txt", "2 5  1 2\n");
    put_file("old.txt", "old contents\n");
    expect("interp x.txt f.txt -o old.txt", 1, "x.txt: interpolation: points 1 and 3");
    expect("interp x3.txt f.txt --count 4 -o old.txt", 1, "points 0 and 3 are equal");
    expect("interp x3.txt x.txt -o old.txt", 2, "x.txt: 4 elements for 3 points");
    expect("multieval f.txt x.txt --count 3 -o old.txt", 2, "x.txt: 4 elements for 3 points");
    expect("multieval f.txt x.txt --count 0", 2, "--count");
    expect("multieval f.txt other.txt -o old.txt", 2, "other.txt");
    expect("multieval f.txt", 2, "multieval");
    expect("multieval f.txt none.txt -o old.txt", 2, "none.txt: cannot open");
    expect("multieval f.txt x.txt --method nonsense -o old.txt", 2, "nonsense");
    expect("interp - -", 2, "only one of the inputs can be standard input");
    expect("random --field p8 --len 300 --seed 1 -o a.txt", 0, NULL);
    expect("multieval a.txt a.txt --memory 10000 -o old.txt", 1,
           "bytes are needed, more than the cap of 10000 bytes");
    expect("multieval a.txt a.txt --count 1e18 -o old.txt", 1, "no memory for 1000000000000000000");
    expect("interp a.txt a.txt --memory 10000 -o old.txt", 1, "more than the cap");
    expect("multieval a.txt a.txt --method flint -o old.txt", 2, "flint");
    assert_file("old.txt", "old contents\n");
    assert_no_temporary();
}

static void test_chinese_remainders(void **state)
{
    (void)state;
    put_file("r1.txt", "1 17  3\n");
    put_file("m1.txt", "2 17  16 1\n"); /* X - 1 */
    put_file("r2.txt", "2 17  0 1\n");
    put_file("m2.txt", "3 17  3 0 1\n"); /* X^2 + 3 */
    put_file("zero.txt", "0 17\n");
    put_file("one.txt", "1 17  1\n");
    expect_output("crt r1.txt m1.txt r2.txt m2.txt", "3 17  10 1 9\n");
    expect_output("crt r1.txt m1.txt", "1 17  3\n");
    expect_output("crt zero.txt m1.txt zero.txt m2.txt --format ntl", "[]\n");
    stdin_from = "m1.txt";
    expect_output("crt r1.txt - r2.txt m2.txt -o -", "3 17  10 1 9\n");
    /* A longer remainder; the output in the place of an input. */
    expect("crt m2.txt m1.txt r2.txt m2.txt -o r2.txt", 0, NULL);
    expect_output("crt r2.txt m1.txt r2.txt m2.txt", "3 17  15 1 5\n");
    put_file("old.txt", "old contents\n");
    expect("crt r1.txt m1.txt r2.txt m2.txt r1.txt m1.txt -o old.txt", 1,
           "crt: M1 (m1.txt) and M3 (m1.txt) have a common factor");
    expect("crt r1.txt m1.txt r2.txt one.txt -o old.txt", 1, "M2 (one.txt) is a constant");
    expect("crt r1.txt zero.txt -o old.txt", 1, "division by 0: M1 (zero.txt) is 0");
    expect("crt r1.txt m1.txt r2.txt -o old.txt", 2, "the remainder r2.txt has no modulus");
    expect("crt r1.txt", 2, "missing argument");
    put_file("other.txt", "2 5  1 2\n");
    expect("crt r1.txt other.txt -o old.txt", 2, "other.txt");
    assert_file("old.txt", "old contents\n");
    /* Divisions give the remainders back. */
    expect("random --field p8 --len 200 --seed 1 -o f.txt", 0, NULL);
    expect("random --field p8 --len 150 --seed 2 -o m1.txt", 0, NULL);
    expect("random --field p8 --len 60 --seed 3 -o m2.txt", 0, NULL);
    expect("random --field p8 --len 2 --seed 4 --format binary -o m3.gfp", 0, NULL);
    expect("divrem f.txt m1.txt -r r1.txt", 0, NULL);
    expect("divrem f.txt m2.txt -r r2.txt", 0, NULL);
    expect("divrem f.txt m3.gfp -r r3.txt", 0, NULL);
    for (size_t i = 0; i < WAYS; i++) {
        expect_with("crt r1.txt m1.txt r2.txt m2.txt r3.txt m3.gfp -o g.txt", ways[i]);
        expect_output("equal f.txt g.txt", "equal\n");
    }
    expect("crt r1.txt m1.txt r2.txt m2.txt --memory 10000 -o old.txt", 1, "more than the cap");
    expect("crt r1.txt m1.txt r2.txt m2.txt r3.txt m3.gfp --json -o g.txt", 0, NULL);
    assert_non_null(strstr(out, "\"operation\": \"crt\""));
    assert_non_null(strstr(out, "\"len_b\": 212"));
    assert_non_null(strstr(out, "\"len_c\": 200"));
    assert_non_null(strstr(out, "\"moduli\": 3"));
    assert_non_null(strstr(out, "\"verified\": \"point\""));
    assert_non_null(strstr(out, "\"method\": \"hybrid\""));
    assert_file("old.txt", "old contents\n");
    assert_no_temporary();
}

static void test_an_interrupt_leaves_the_old_file(void **state)
{
    static const char *const arguments[][8] = {
        {"multieval", "a.gfp", "b.gfp", "-o", "old.txt", "--method", "classical", NULL},
        {"crt", "a.gfp", "b.gfp", "-o", "old.txt", "--method", "classical", NULL},
    };
    (void)state;
    put_file("old.txt", "old contents\n");
    expect("random --field p64 --len 20000 --seed 1 --format binary -o a.gfp", 0, NULL);
    expect("random --field p64 --len 10000 --seed 2 --format binary -o b.gfp", 0, NULL);
    for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++) {
        const pid_t pid = start(arguments[i]);
        const bool seen = wait_for_output(pid);
        assert_int_equal(kill(pid, SIGINT), 0);
        assert_int_equal(wait_for(pid), 128 + SIGINT);
        assert_true(seen);
        assert_file("old.txt", "old contents\n");
        assert_no_temporary();
    }
}

static void test_reports(void **state)
{
    (void)state;
    expect("random --field p8 --len 300 --seed 1 -o f.txt", 0, NULL);
    expect("random --field p8 --len 200 --seed 2 -o x.txt", 0, NULL);
    expect("multieval f.txt x.txt --json -o y.txt", 0, NULL);
    assert_non_null(strstr(out, "\"operation\": \"multieval\""));
    assert_non_null(strstr(out, "\"len_a\": 300"));
    assert_non_null(strstr(out, "\"len_b\": 200"));
    assert_non_null(strstr(out, "\"len_c\": 200"));
    assert_non_null(strstr(out, "\"verified\": \"point\""));
    assert_non_null(strstr(out, "\"method\": \"hybrid\""));
    expect("interp x.txt y.txt --json --verify full -o f.txt", 0, NULL);
    assert_non_null(strstr(out, "\"operation\": \"interp\""));
    assert_non_null(strstr(out, "\"len_c\": 200"));
    assert_non_null(strstr(out, "\"verified\": \"cross\""));
    assert_non_null(strstr(out, "\"cross_method\": \"classical\""));
    expect("interp x.txt y.txt --time -o f.txt", 0, NULL);
    assert_non_null(strstr(err, "compute:"));
    assert_non_null(strstr(err, "verify:"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_zeros_at_the_end_count),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_chinese_remainders),
        cmocka_unit_test(test_an_interrupt_leaves_the_old_file),
        cmocka_unit_test(test_reports),
    };
    return cmocka_run_group_tests_name("cli_tree", tests, enter_empty_folder, leave_folder);
}
