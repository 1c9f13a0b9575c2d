/* gcd.c: common divisors, cofactors, resultants and discriminants through the command:
 * known results, identities, outputs, errors, reports.
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
    " --verify none --method classical",
    " --method crt --tuning none --verify cross",
    " -j 2 --memory 64M",
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

/* Runs a line with these options. */
static void test_known_results(void **state)
{
    (void)state;
    put_file("a.txt", "3 17  16 0 1\n"); /* X^2 - 1 */
    put_file("b.txt", "3 17  1 2 1\n");  /* (X + 1)^2 */
    put_file("zero.txt", "0 17\n");
    put_file("three.txt", "1 17  3\n");
    put_file("five.txt", "1 17  5\n");
    put_file("cubic.txt", "4 17  1 2 0 1\n"); /* X^3 + 2 X + 1: -4 8 - 27 = -59 = 9 */
    expect_output("gcd a.txt b.txt", "2 17  1 1\n");
    expect_output("gcd a.txt zero.txt", "3 17  16 0 1\n");
    expect_output("gcd zero.txt zero.txt", "0 17\n");
    expect_output("gcd three.txt zero.txt --format ntl", "[1]\n");
    expect_output("xgcd a.txt b.txt -o -", "2 17  1 1\n");
    expect_output("xgcd a.txt b.txt -u -", "1 17  8\n"); /* (X^2 - 1) - (X + 1)^2 = -2 (X + 1) */
    expect_output("xgcd a.txt b.txt -v -", "1 17  9\n");
    expect_output("xgcd a.txt b.txt -o g.txt --first-cofactor=u.txt --second-cofactor=-",
                  "1 17  9\n");
    assert_file("g.txt", "2 17  1 1\n");
    assert_file("u.txt", "1 17  8\n");
    expect_output("resultant a.txt b.txt", "0\n");
    expect_output("resultant a.txt three.txt", "9\n");
    expect_output("resultant three.txt a.txt", "9\n");
    expect_output("resultant three.txt five.txt", "1\n");
    expect_output("resultant zero.txt a.txt", "0\n");
    expect_output("resultant a.txt cubic.txt", "9\n"); /* the values 4 and -2 */
    expect_output("resultant a.txt cubic.txt -o number.txt", "");
    assert_file("number.txt", "9\n");
    expect_output("discriminant a.txt -o -", "4\n");
    expect_output("eval a.txt 3 -o number.txt", "");
    assert_file("number.txt", "8\n");
    expect("eval a.txt 3 -o none/number.txt", 1, "none/number.txt: cannot write");
    expect_output("resultant cubic.txt a.txt", "9\n");
    expect_output("discriminant a.txt", "4\n");
    expect_output("discriminant b.txt", "0\n");
    expect_output("discriminant cubic.txt", "9\n");
    expect_output("discriminant three.txt", "0\n");
    stdin_from = "b.txt";
    expect_output("gcd a.txt -", "2 17  1 1\n");
    assert_no_temporary();
}

static void test_cofactors_give_the_divisor(void **state)
{
    char value[1000];
    (void)state;
    expect("random --field p8 --len 300 --seed 1 -o a.txt", 0, NULL);
    expect("random --field p8 --len 200 --seed 2 --format binary -o b.gfp", 0, NULL);
    expect("random --field p8 --len 60 --seed 3 -o c.txt", 0, NULL);
    expect("mul a.txt c.txt -o ac.txt", 0, NULL);
    expect("mul b.gfp c.txt -o bc.gfp", 0, NULL);
    expect("resultant a.txt b.gfp", 0, NULL);
    assert_true(strlen(process_out) < sizeof(value));
    memcpy(value, process_out, strlen(process_out) + 1);
    for (size_t i = 0; i < WAYS; i++) {
        expect_with("xgcd ac.txt bc.gfp -o g.txt -u u.txt -v v.gfp", ways[i]);
        expect("mul u.txt ac.txt -o x.txt", 0, NULL);
        expect("mul v.gfp bc.gfp -o y.txt", 0, NULL);
        expect("add x.txt y.txt -o sum.txt", 0, NULL);
        expect_output("equal sum.txt g.txt", "equal\n");
        expect("divrem c.txt g.txt -r r.txt", 0, NULL);
        expect("convert r.txt --format ntl -o r.ntl", 0, NULL);
        assert_file("r.ntl", "[]\n");
        expect_with("gcd ac.txt bc.gfp -o g2.txt", ways[i]);
        expect_output("equal g.txt g2.txt", "equal\n");
        expect_with("resultant a.txt b.gfp", ways[i]);
        assert_string_equal(process_out, value);
        expect_with("resultant ac.txt bc.gfp", ways[i]);
        assert_string_equal(process_out, "0\n");
        expect_with("discriminant a.txt", ways[i]);
    }
    /* Outputs over inputs. */
    expect("xgcd ac.txt bc.gfp -u ac.txt -v bc.gfp", 0, NULL);
    expect_output("equal ac.txt u.txt", "equal\n");
    expect_output("equal bc.gfp v.gfp", "equal\n");
    assert_no_temporary();
}

static void test_errors(void **state)
{
    static const struct {
        const char *line;
        int code;
        const char *message;
    } cases[] = {
        {"gcd a.txt", 2, "missing argument: expected A B"},
        {"gcd a.txt a.txt a.txt", 2, "unexpected argument 'a.txt'"},
        {"gcd a.txt other.txt -o new", 2, "other.txt:1:3: the modulus is not that of a.txt"},
        {"gcd a.txt none -o new", 2, "none: cannot open"},
        {"gcd a.txt a.txt -o none/new", 1, "none/new: cannot write"},
        {"gcd a.txt a.txt --json -o -", 2, "--json and -o - would both write to standard"},
        {"gcd a.txt a.txt --method nothing", 2, "nothing"},
        {"gcd big.txt big2.txt --method karatsuba", 2, "method karatsuba: it has no operands"},
        {"gcd big.txt big2.txt -o new --memory 10K", 1, "more than the cap of 10240 bytes"},
        {"xgcd a.txt a.txt", 2, "xgcd: give -o FILE for the common divisor, -u FILE and -v FILE"},
        {"xgcd a.txt a.txt -u - -v -", 2, "-u - and -v - are the same file"},
        {"xgcd a.txt a.txt -o new -v new", 2, "-o new and -v new are the same file"},
        {"xgcd a.txt a.txt -o new -u none/new", 1, "none/new: cannot write"},
        {"resultant a.txt", 2, "missing argument: expected A B"},
        {"resultant a.txt other.txt", 2, "the modulus is not that of a.txt"},
        {"resultant a.txt a.txt -q new", 2, "invalid option"},
        {"discriminant", 2, "missing argument: expected A"},
    };
    (void)state;
    put_file("a.txt", "3 17  16 0 1\n");
    put_file("other.txt", "2 257  1 1\n");
    expect("random --field p8 --len 4000 --seed 1 -o big.txt", 0, NULL);
    expect("random --field p8 --len 3000 --seed 2 -o big2.txt", 0, NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect(cases[i].line, cases[i].code, cases[i].message);
        assert_string_equal(process_out, "");
    }
    assert_int_equal(count_files(".", "new"), 0);
    assert_no_temporary();
}

static void test_an_interrupt_leaves_the_old_files(void **state)
{
    static const char *const arguments[] = {"gcd",     "a.gfp",    "b.gfp",     "-o",
                                            "old.txt", "--method", "classical", NULL};
    (void)state;
    put_file("old.txt", "old contents\n");
    expect("random --field p64 --len 5000 --seed 1 --format binary -o a.gfp", 0, NULL);
    expect("random --field p64 --len 4999 --seed 2 --format binary -o b.gfp", 0, NULL);
    const pid_t pid = start(arguments);
    const bool seen = wait_for_output(pid);
    assert_int_equal(kill(pid, SIGINT), 0);
    assert_int_equal(wait_for(pid), 128 + SIGINT);
    assert_true(seen);
    assert_file("old.txt", "old contents\n");
    assert_no_temporary();
}

static void test_reports(void **state)
{
    static const char *const keys[] = {"\"method\": \"hybrid\"", "\"verified\": \"point\",",
                                       "\"points\": ",           "\"log2_error\": -",
                                       "\"threads\": ",          "\"compute_ns\": ",
                                       "\"verify_ns\": ",        "\"field\": \"p8\",",
                                       "\"len_a\": 300,"};
    static const struct {
        const char *line, *members[4];
    } cases[] = {
        {"gcd a.txt b.txt --json",
         {"\"operation\": \"gcd\",", "\"len_b\": 200,", "\"len_g\": 1,", "\"gpu_method\": null"}},
        {"xgcd a.txt b.txt -u u.txt --json",
         {"\"operation\": \"xgcd\",", "\"len_g\": 1,", "\"len_u\": 199,", "\"len_v\": 299,"}},
        {"resultant a.txt b.txt --json",
         {"\"operation\": \"resultant\",", "\"len_b\": 200,", "\"resultant\": \"",
          "\"cross_method\": null"}},
        {"discriminant a.txt --json",
         {"\"operation\": \"discriminant\",", "\"len_b\": null,", "\"discriminant\": \"",
          "\"cross_method\": null"}},
    };
    (void)state;
    expect("random --field p8 --len 300 --seed 1 -o a.txt", 0, NULL);
    expect("random --field p8 --len 200 --seed 2 -o b.txt", 0, NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect(cases[i].line, 0, NULL);
        for (size_t j = 0; j < 4; j++) {
            if (strstr(process_out, cases[i].members[j]) == NULL) {
                fail_msg("no %s in %s", cases[i].members[j], process_out);
            }
        }
        for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++) {
            if (strstr(process_out, keys[j]) == NULL) {
                fail_msg("no %s in %s", keys[j], process_out);
            }
        }
    }
    expect("gcd a.txt b.txt --json --verify full", 0, NULL);
    assert_non_null(strstr(process_out, "\"verified\": \"cross\","));
    assert_non_null(strstr(process_out, "\"cross_method\": \""));
    expect("resultant a.txt b.txt --time", 0, "compute:  ");
    assert_non_null(strstr(process_err, "\nverify:   "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_results),
        cmocka_unit_test(test_cofactors_give_the_divisor),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_an_interrupt_leaves_the_old_files),
        cmocka_unit_test(test_reports),
    };
    return cmocka_run_group_tests_name("cli_gcd", tests, enter_empty_folder, leave_folder);
}
