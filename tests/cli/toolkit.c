/* toolkit.c: division, powers modulo a polynomial, composition and power series through
 * the command: known results, identities by products, outputs, errors, reports.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Runs a line with these options. */
/* Writes X^n over p8. */
static void put_power_of_x(const char *path, int n)
{
    char text[5000] = "[";
    for (int i = 0; i < n; i++) {
        strcat(text, "0 ");
    }
    strcat(text, "1]");
    put_file("x.ntl", text);
    snprintf(text, sizeof(text), "convert x.ntl --field p8 --format flint -o %s", path);
    expect(text, 0, NULL);
}

/* ---- divrem ---- */

static void test_known_quotients_and_remainders(void **state)
{
    (void)state;
    put_file("a.txt", "5 17  1 2 3 4 5\n");
    put_file("b.txt", "3 17  1 0 2\n");
    put_file("zero.txt", "0 17\n");
    expect_output("divrem a.txt b.txt -q -", "3 17  13 2 11\n");
    expect_output("divrem a.txt b.txt -r -", "1 17  5\n");
    expect_output("divrem a.txt b.txt -q - -r r.txt", "3 17  13 2 11\n");
    assert_file("r.txt", "1 17  5\n");
    expect_output("divrem a.txt b.txt -q q.txt -r - --format ntl", "[5]\n");
    assert_file("q.txt", "[13 2 11]\n");
    expect_output("divrem a.txt b.txt --quotient=- --remainder=/dev/null", "3 17  13 2 11\n");
    expect_output("divrem b.txt a.txt -q -", "0 17\n");
    expect_output("divrem b.txt a.txt -r -", "3 17  1 0 2\n");
    expect_output("divrem zero.txt b.txt -q q.txt -r -", "0 17\n");
    assert_file("q.txt", "0 17\n");
    expect_output("divrem a.txt a.txt -q -", "1 17  1\n");
    stdin_from = "a.txt";
    expect_output("divrem - b.txt -r -", "1 17  5\n");
    assert_no_temporary();
}

static void test_quotient_times_divisor_plus_remainder(void **state)
{
    (void)state;
    expect("random --field p8 --len 1000 --seed 1 -o a.txt", 0, NULL);
    expect("random --field p8 --len 301 --seed 2 --format binary -o b.gfp", 0, NULL);
    for (size_t i = 0; i < WAYS; i++) {
        expect_with("divrem a.txt b.gfp -q q.txt -r r.txt", ways[i]);
        expect("mul q.txt b.gfp -o qb.txt", 0, NULL);
        expect("add qb.txt r.txt -o sum.txt", 0, NULL);
        expect_output("equal sum.txt a.txt", "equal\n");
        /* Smaller than b: it is its own remainder. */
        expect("divrem r.txt b.gfp -r r2.txt", 0, NULL);
        expect_output("equal r.txt r2.txt", "equal\n");
        expect_with("divrem a.txt b.gfp -q q2.gfp --format binary", ways[i]);
        expect_output("equal q.txt q2.gfp", "equal\n");
        expect_with("divrem a.txt b.gfp -r r2.txt", ways[i]);
        expect_output("equal r.txt r2.txt", "equal\n");
    }
    /* Text and binary forms. */
    expect("convert q.txt -o q3.gfp", 0, NULL);
    expect("convert q3.gfp -o q3.txt", 0, NULL);
    assert_int_equal(run_shell("cmp q.txt q3.txt"), 0);
    /* NTL's form, whose field the option gives. */
    expect("convert a.txt --format ntl -o a.ntl", 0, NULL);
    expect("divrem a.ntl b.gfp --field p8 -q q.ntl", 0, NULL);
    expect("convert q.ntl --field p8 --format flint -o q4.txt", 0, NULL);
    expect_output("equal q.txt q4.txt", "equal\n");
    /* Outputs over inputs. */
    expect("divrem a.txt b.gfp -q a.txt -r b.gfp", 0, NULL);
    expect_output("equal a.txt q.txt", "equal\n");
    expect_output("equal b.gfp r.txt", "equal\n");
    assert_no_temporary();
}

static void test_both_results_or_none(void **state)
{
    (void)state;
    put_file("a.txt", "5 17  1 2 3 4 5\n");
    put_file("b.txt", "3 17  1 0 2\n");
    put_file("old.txt", "old contents\n");
    expect("divrem a.txt b.txt -q old.txt -r none/r.txt", 1, "none/r.txt: cannot write");
    expect("divrem a.txt b.txt -q new.txt -r none/r.txt", 1, "none/r.txt: cannot write");
    if (access("/dev/full", W_OK) == 0) {
        expect("divrem a.txt b.txt -q old.txt -r /dev/full", 1, "/dev/full: cannot write: No sp");
        expect("divrem a.txt b.txt -q /dev/full -r old.txt", 1, "/dev/full: cannot write: No sp");
        stdout_to = "/dev/full";
        expect("divrem a.txt b.txt -q - -r old.txt", 1, "standard output: cannot write: No space");
        stdout_to = "/dev/full";
        expect("divrem a.txt b.txt -q new.txt -r -", 1, "standard output: cannot write: No space");
    }
    program = GFP_CLI_WRONG;
    expect("divrem a.txt b.txt -q old.txt -r new.txt", 1, "failed its verification");
    expect("divrem a.txt b.txt -q - -r new.txt", 1, "failed its verification");
    program = GFP_CLI;
    assert_string_equal(out, "");
    assert_file("old.txt", "old contents\n");
    assert_int_equal(count_files(".", "new"), 0);
    assert_no_temporary();
}

static void test_an_interrupt_leaves_the_old_files(void **state)
{
    static const char *const arguments[] = {"divrem",   "a.gfp",     "b.gfp", "-q",      "old.txt",
                                            "--method", "classical", "-r",    "new.txt", NULL};
    (void)state;
    put_file("old.txt", "old contents\n");
    expect("random --field p64 --len 20000 --seed 1 --format binary -o a.gfp", 0, NULL);
    expect("random --field p64 --len 10000 --seed 2 --format binary -o b.gfp", 0, NULL);
    const pid_t pid = start(arguments);
    const bool seen = wait_for_output(pid);
    assert_int_equal(kill(pid, SIGINT), 0);
    assert_int_equal(wait_for(pid), 128 + SIGINT);
    assert_true(seen);
    assert_file("old.txt", "old contents\n");
    assert_int_equal(count_files(".", "new"), 0);
    assert_no_temporary();
}

/* ---- powmod ---- */

static void test_known_powers(void **state)
{
    (void)state;
    put_file("a.txt", "5 17  1 2 3 4 5\n");
    put_file("f.txt", "4 17  1 0 0 2\n");
    put_file("zero.txt", "0 17\n");
    expect_output("powmod --base x --exponent 0 --modulus f.txt", "1 17  1\n");
    expect_output("powmod --base x --exponent 2 --modulus f.txt", "3 17  0 0 1\n");
    expect_output("powmod --base x --exponent 3 --modulus f.txt", "1 17  8\n"); /* -1/2 */
    expect_output("powmod --base x --exponent p --modulus f.txt", "3 17  0 0 9\n");
    expect_output("powmod --base x --exponent 17 --modulus f.txt", "3 17  0 0 9\n");
    expect_output("powmod --base x --exponent 0x11 --modulus f.txt", "3 17  0 0 9\n");
    expect_output("powmod --base x --exponent 0X000011 --modulus f.txt --format ntl", "[0 0 9]\n");
    expect("divrem a.txt f.txt -r r.txt", 0, NULL);
    expect("powmod --base a.txt --exponent 1 --modulus f.txt -o r1.txt", 0, NULL);
    expect_output("equal r.txt r1.txt", "equal\n");
    expect_output("powmod --base zero.txt --exponent 5 --modulus f.txt", "0 17\n");
    expect_output("powmod --base zero.txt --exponent 0 --modulus f.txt", "1 17  1\n");
    /* A file called x, and the modulus as its own base. */
    put_file("x", "1 17  3\n");
    expect_output("powmod --base ./x --exponent 2 --modulus f.txt", "1 17  9\n");
    expect_output("powmod --base f.txt --exponent 2 --modulus f.txt", "0 17\n");
    stdin_from = "f.txt";
    expect_output("powmod --base x --exponent 3 --modulus -", "1 17  8\n");
}

static void test_powers_are_repeated_products(void **state)
{
    char line[400];
    (void)state;
    expect("random --field p8 --len 301 --seed 1 -o f.txt", 0, NULL);
    expect("random --field p8 --len 500 --seed 2 -o a.txt", 0, NULL);
    expect("mul a.txt a.txt a.txt a.txt a.txt -o a5.txt", 0, NULL);
    expect("divrem a5.txt f.txt -r r.txt", 0, NULL);
    for (size_t i = 0; i < WAYS; i++) {
        expect_with("powmod --base a.txt --exponent 5 --modulus f.txt -o c.txt", ways[i]);
        expect_output("equal c.txt r.txt", "equal\n");
    }
    /* An exponent of several words: (x^(2^64))^(2^64 + 1) = x^(2^128 + 2^64). */
    expect("powmod --base x --exponent 18446744073709551616 --modulus f.txt -o c.txt", 0, NULL);
    expect("powmod --base c.txt --exponent 0x10000000000000001 --modulus f.txt -o c.txt", 0, NULL);
    snprintf(line, sizeof(line), "powmod --base x --exponent %s --modulus f.txt -o d.txt",
             "0x100000000000000010000000000000000");
    expect(line, 0, NULL);
    expect_output("equal c.txt d.txt", "equal\n");
    /* p by its name and its digits: the text's second word. */
    expect("powmod --base a.txt --exponent p --modulus f.txt -o f.txt", 0, NULL);
    expect("random --field p8 --len 301 --seed 1 -o g.txt", 0, NULL);
    assert_int_equal(setenv("GFPOLY", GFP_CLI, 1), 0);
    assert_int_equal(run_shell("\"$GFPOLY\" powmod --base a.txt --modulus g.txt -o d.txt "
                               "--exponent $(cut -d ' ' -f 2 g.txt)"),
                     0);
    expect_output("equal f.txt d.txt", "equal\n");
    assert_no_temporary();
}

/* ---- compose ---- */

static void test_known_compositions(void **state)
{
    (void)state;
    put_file("f.txt", "3 17  1 2 3\n");
    put_file("g.txt", "2 17  1 1\n");
    put_file("h.txt", "3 17  1 0 2\n");
    put_file("zero.txt", "0 17\n");
    expect_output("compose f.txt g.txt", "3 17  6 8 3\n");
    expect_output("compose f.txt g.txt --modulus h.txt", "2 17  13 8\n"); /* X^2 = -1/2 */
    expect_output("compose f.txt zero.txt", "1 17  1\n");
    expect_output("compose zero.txt f.txt", "0 17\n");
    expect_output("compose zero.txt f.txt --modulus h.txt", "0 17\n");
    expect_output("compose f.txt g.txt --format ntl --verify full", "[6 8 3]\n");
    expect_output("compose f.txt g.txt --modulus h.txt --method classical", "2 17  13 8\n");
    expect_output("compose f.txt g.txt --length 2", "2 17  6 8\n");
    expect_output("compose f.txt g.txt --length 2^60", "3 17  6 8 3\n");
    expect_output("compose f.txt zero.txt --length 9", "1 17  1\n");
    expect_output("compose zero.txt f.txt --length 9", "0 17\n");
    stdin_from = "g.txt";
    expect_output("compose f.txt -", "3 17  6 8 3\n");
}

static void test_compositions_agree(void **state)
{
    (void)state;
    expect("random --field p8 --len 40 --seed 1 -o f.txt", 0, NULL);
    expect("random --field p8 --len 30 --seed 2 -o g.txt", 0, NULL);
    expect("random --field p8 --len 200 --seed 3 -o h.txt", 0, NULL);
    expect("compose f.txt g.txt -o fg.txt", 0, NULL);
    expect("divrem fg.txt h.txt -r r.txt", 0, NULL);
    for (size_t i = 0; i < WAYS; i++) {
        expect_with("compose f.txt g.txt -o c.txt", ways[i]);
        expect_output("equal c.txt fg.txt", "equal\n");
        expect_with("compose f.txt g.txt --modulus h.txt -o c.txt", ways[i]);
        expect_output("equal c.txt r.txt", "equal\n");
    }
    /* The first coefficients alone, where the inner constant term is 0 and where not. */
    put_power_of_x("x.txt", 1);
    put_power_of_x("xn.txt", 100);
    expect("mul g.txt x.txt -o gx.txt", 0, NULL);
    for (size_t i = 0; i < 2; i++) {
        const char *inner = i == 0 ? "g.txt" : "gx.txt";
        char line[200];
        snprintf(line, sizeof(line), "compose f.txt %s -o c.txt", inner);
        expect(line, 0, NULL);
        expect("divrem c.txt xn.txt -r r.txt", 0, NULL);
        snprintf(line, sizeof(line), "compose f.txt %s --length 100 -o c.txt", inner);
        for (size_t j = 0; j < WAYS; j++) {
            expect_with(line, ways[j]);
            expect_output("equal c.txt r.txt", "equal\n");
        }
    }
    /* The characteristic is below the length of the outer polynomial. */
    expect("random --field 17 --len 40 --seed 1 -o s.txt", 0, NULL);
    expect("random --field 17 --len 30 --seed 2 -o t.txt", 0, NULL);
    expect("compose s.txt t.txt -o c.txt", 0, NULL);
    expect("convert x.ntl --field 17 --format flint -o y.txt", 0, NULL);
    expect("divrem c.txt y.txt -r r.txt", 0, NULL);
    expect("compose s.txt t.txt --length 100 -o c.txt", 0, NULL);
    expect_output("equal c.txt r.txt", "equal\n");
    /* Composition with x^p is the p-th power. */
    expect("powmod --base x --exponent p --modulus h.txt -o xp.txt", 0, NULL);
    expect("powmod --base g.txt --exponent p --modulus h.txt -o gp.txt", 0, NULL);
    expect("compose g.txt xp.txt --modulus h.txt -o c.txt", 0, NULL);
    expect_output("equal c.txt gp.txt", "equal\n");
    assert_no_temporary();
}

/* ---- series ---- */

static void test_known_series(void **state)
{
    (void)state;
    put_file("f.txt", "2 17  1 16\n"); /* 1 - X */
    put_file("x.txt", "2 17  0 1\n");
    put_file("s.txt", "3 17  1 2 1\n");
    put_file("zero.txt", "0 17\n");
    put_file("one.txt", "1 17  1\n");
    expect_output("series inverse f.txt --terms 5", "5 17  1 1 1 1 1\n");
    expect_output("series quotient x.txt f.txt --terms 4", "4 17  0 1 1 1\n");
    expect_output("series quotient zero.txt f.txt --terms 4", "0 17\n");
    expect_output("series sqrt s.txt --terms 10", "2 17  1 1\n");
    expect_output("series invsqrt s.txt --terms 4", "4 17  1 16 1 16\n");
    expect_output("series exp x.txt --terms 4", "4 17  1 1 9 3\n"); /* 1/2, 1/6 */
    expect_output("series log f.txt --terms 4", "4 17  0 16 8 11\n");
    expect_output("series exp zero.txt --terms 4", "1 17  1\n");
    expect_output("series log one.txt --terms 4", "0 17\n");
    expect_output("series log f.txt --terms 1", "0 17\n");
    put_file("t.txt", "3 17  0 1 1\n");
    expect_output("series compose f.txt t.txt --terms 3", "3 17  1 16 16\n");
    expect_output("series revert t.txt --terms 5", "5 17  0 1 16 2 12\n");
    expect_output("series compose f.txt x.txt --terms 2", "2 17  1 16\n");
    expect_output("series inverse f.txt --terms 3 --format ntl", "[1 1 1]\n");
    expect_output("series power f.txt --exponent 2 --terms 9", "3 17  1 15 1\n");
    expect_output("series power f.txt --exponent 0x10 --terms 2", "2 17  1 1\n");
    expect_output("series power f.txt --exponent p --terms 18", /* 1 - X^17 */
                  "18 17  1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 16\n");
    expect_output("series power x.txt --exponent 3 --terms 4", "4 17  0 0 0 1\n");
    expect_output("series power x.txt --exponent 36893488147419103232 --terms 4", "0 17\n");
    expect_output("series power zero.txt --exponent 0 --terms 4", "1 17  1\n");
    put_file("d.txt", "5 17  3 1 2 4 5\n");
    expect_output("series derivative d.txt", "4 17  1 4 12 3\n");
    expect_output("series derivative d.txt --terms 2", "2 17  1 4\n");
    expect_output("series derivative d.txt --terms 18446744073709551615", "4 17  1 4 12 3\n");
    expect_output("series derivative one.txt", "0 17\n");
    expect_output("series derivative zero.txt --terms 3", "0 17\n");
    expect_output("series integral d.txt", "6 17  0 3 9 12 1 1\n");
    expect_output("series integral d.txt --terms 3", "3 17  0 3 9\n");
    expect_output("series integral d.txt --terms 1", "0 17\n");
    expect_output("series integral zero.txt", "0 17\n");
    expect_output("series shift s.txt --point 16", "3 17  0 0 1\n");
    expect_output("series shift s.txt --point -1", "3 17  0 0 1\n");
    expect_output("series shift s.txt --point=-0x1 --terms 2", "0 17\n");
    expect_output("series shift s.txt --point 0 --terms 2", "2 17  1 2\n");
    expect_output("series shift zero.txt --point 5", "0 17\n");
    expect_output("series shift s.txt --point 340282366920938463463374607431768211456",
                  "3 17  4 4 1\n"); /* 2^128 = 1 */
    stdin_from = "f.txt";
    expect_output("series quotient x.txt - --terms 2", "2 17  0 1\n");
}

/* Expects the product of two files modulo X^n to be the third modulo X^n, which xn.txt holds. */
static void expect_product(const char *a, const char *b, const char *c)
{
    char line[200];
    snprintf(line, sizeof(line), "mul %s %s -o product.txt", a, b);
    expect(line, 0, NULL);
    expect("divrem product.txt xn.txt -r left.txt", 0, NULL);
    snprintf(line, sizeof(line), "divrem %s xn.txt -r right.txt", c);
    expect(line, 0, NULL);
    expect_output("equal left.txt right.txt", "equal\n");
}

/* Where the characteristic is below the length, a shift is a composition. */
static void test_powers_integrals_and_shifts(void **state)
{
    (void)state;
    put_power_of_x("xn.txt", 300);
    put_file("one.txt", "[1]");
    expect("convert one.txt --field p8 --format flint -o one.txt", 0, NULL);
    expect("random --field p8 --len 200 --seed 1 -o a.txt", 0, NULL);
    expect("mul a.txt a.txt a.txt a.txt a.txt -o a5.txt", 0, NULL);
    for (size_t i = 0; i < WAYS; i++) {
        expect_with("series power a.txt --exponent 5 --terms 300 -o g.txt", ways[i]);
        expect_product("g.txt", "one.txt", "a5.txt");
        /* a(X)^p is a(X^p): a constant in all these terms. */
        expect_with("series power a.txt --exponent p --terms 300 -o g.txt", ways[i]);
        assert_int_equal(run_shell("test \"$(wc -w <g.txt)\" -eq 3"), 0);
        expect_with("series integral a.txt -o g.txt", ways[i]);
        expect_with("series derivative g.txt -o g.txt", ways[i]);
        expect_output("equal g.txt a.txt", "equal\n");
        expect_with("series shift a.txt --point 0x123456789abcdef0123 -o g.txt", ways[i]);
        expect_with("series shift g.txt --point -0x123456789abcdef0123 -o g.txt", ways[i]);
        expect_output("equal g.txt a.txt", "equal\n");
    }
    expect("random --field 17 --len 40 --seed 1 -o s.txt", 0, NULL);
    put_file("t.txt", "2 17  3 1\n");
    expect("compose s.txt t.txt -o c.txt", 0, NULL);
    expect("series shift s.txt --point 3 -o g.txt", 0, NULL);
    expect_output("equal g.txt c.txt", "equal\n");
    assert_no_temporary();
}

static void test_identities_of_series(void **state)
{
    (void)state;
    put_power_of_x("xn.txt", 700);
    put_power_of_x("x.txt", 1);
    put_file("one.txt", "[1]");
    expect("convert one.txt --field p8 --format flint -o one.txt", 0, NULL);
    expect("random --field p8 --len 500 --seed 1 -o h.txt", 0, NULL);
    expect("mul h.txt x.txt -o h.txt", 0, NULL);
    expect("add h.txt one.txt -o f.txt", 0, NULL);
    expect("random --field p8 --len 900 --seed 2 -o a.txt", 0, NULL);
    for (size_t i = 0; i < WAYS; i++) {
        expect_with("series inverse f.txt --terms 700 -o g.txt", ways[i]);
        expect_product("f.txt", "g.txt", "one.txt");
        expect_with("series quotient f.txt a.txt --terms 700 -o g.txt", ways[i]);
        expect_product("a.txt", "g.txt", "f.txt");
        expect_with("series sqrt f.txt --terms 700 -o s.txt", ways[i]);
        expect_product("s.txt", "s.txt", "f.txt");
        expect_with("series invsqrt f.txt --terms 700 -o g.txt", ways[i]);
        expect_product("s.txt", "g.txt", "one.txt");
        expect_with("series log f.txt --terms 700 -o log.txt", ways[i]);
        expect_with("series exp log.txt --terms 700 -o log.txt", ways[i]);
        expect_product("log.txt", "one.txt", "f.txt");
        expect_with("series exp h.txt --terms 700 -o exp.txt", ways[i]);
        expect_with("series log exp.txt --terms 700 -o exp.txt", ways[i]);
        expect_product("exp.txt", "one.txt", "h.txt");
    }
    assert_no_temporary();
}

/* ---- errors and reports ---- */

static void test_errors(void **state)
{
    static const struct {
        const char *line;
        int code;
        const char *message;
    } cases[] = {
        {"divrem a.txt b.txt", 2, "divrem: give -q FILE for the quotient, -r FILE for the rem"},
        {"divrem a.txt b.txt --json", 2, "give -q FILE"},
        {"divrem a.txt -q new", 2, "missing argument: expected A B"},
        {"divrem a.txt b.txt f.txt -q new", 2, "unexpected argument 'f.txt'"},
        {"divrem a.txt zero.txt -q new -r new2", 1, "divrem: division by 0: B (zero.txt) is 0"},
        {"divrem a.txt zero.txt -q -", 1, "division by 0"},
        {"divrem a.txt zero.txt -r -", 1, "division by 0"},
        {"divrem zero.txt zero.txt -r -", 1, "division by 0"},
        {"divrem a.txt b.txt -q - -r -", 2, "-q - and -r - are the same file"},
        {"divrem a.txt b.txt -q new -r new", 2, "-q new and -r new are the same file"},
        {"divrem a.txt b.txt -q new -r ./new", 2, "-q new and -r ./new are the same file"},
        {"divrem a.txt b.txt -q new -r link", 2, "-q new and -r link are the same file"},
        {"divrem a.txt b.txt -q - --json", 2, "--json and -q - would both write to standard"},
        {"divrem a.txt b.txt -q new -r /dev/stdout --json", 2, "-r /dev/stdout would both write"},
        {"divrem a.txt none -q new", 2, "none: cannot open"},
        {"divrem a.txt other.txt -q new", 2, "other.txt:1:3: the modulus is not that of a.txt"},
        {"divrem - - -q new", 2, "only one of the inputs can be standard input"},
        {"divrem a.txt b.txt -q new --verify maybe", 2, "none, point, cross, full"},
        {"divrem a.txt b.txt -q new --method fastest", 2,
         "'fastest'; available: auto, classical, bigfft, hybrid, crt\n"},
        {"divrem big.txt b8.txt -q new --memory 1K --method crt", 1, "the cap of 1024 bytes"},
        {"compose f.txt", 2, "missing"},
        {"compose f.txt f.txt --modulus zero.txt -o new", 1, "the modulus (zero.txt) is 0"},
        {"compose f.txt f.txt --modulus one.txt -o new", 1, "(one.txt) is a constant"},
        {"compose f.txt f.txt --length 0", 2, "--length: '0' is not a number from 1"},
        {"compose f.txt f.txt --length 3 --modulus b.txt", 2, "exclude each other"},
        {"compose f.txt other.txt", 2, "the modulus is not that of"},
        {"compose f.txt f.txt --modulus none", 2, "none: cannot open"},
        {"series compose f.txt f.txt --terms 5 -o new", 1, "the constant term of the inner"},
        {"series compose f.txt --terms 5", 2, "compose takes two series"},
        {"series revert f.txt f.txt --terms 5", 2, "revert takes one series"},
        {"series revert zero.txt --terms 5 -o new", 1, "the coefficient of X is 0"},
        {"powmod --base x --modulus f.txt", 2, "--exponent is required"},
        {"powmod --exponent 5 --modulus f.txt", 2, "--base is required"},
        {"powmod --exponent 5 --base x", 2, "--modulus is required"},
        {"powmod --base x --exponent 5 --modulus f.txt a.txt", 2, "unexpected argument 'a.txt'"},
        {"powmod --base x --exponent five --modulus f.txt", 2, "--exponent: 'five' is not a num"},
        {"powmod --base x --exponent -5 --modulus f.txt", 2, "'-5' is not a number"},
        {"powmod --base x --exponent 0x --modulus f.txt", 2, "'0x' is not a number"},
        {"powmod --base x --exponent 12a --modulus f.txt", 2, "'12a' is not a number"},
        {"powmod --base x --exponent pp --modulus f.txt", 2, "'pp' is not a number"},
        {"powmod --base x --exponent= --modulus f.txt", 2, "'' is not a number"},
        {"powmod --base x --exponent 5 --modulus zero.txt -o new", 1, "modulus (zero.txt) is 0"},
        {"powmod --base x --exponent 5 --modulus one.txt -o new", 1, "(one.txt) is a constant"},
        {"powmod --base none --exponent 5 --modulus f.txt", 2, "none: cannot open"},
        {"powmod --base x --exponent 5 --modulus none", 2, "none: cannot open"},
        {"powmod --base other.txt --exponent 5 --modulus f.txt", 2, "the modulus is not that of"},
        {"powmod --base - --exponent 5 --modulus -", 2, "only one of the inputs"},
        {"powmod --base x --exponent 5 --modulus f.txt --json -o -", 2, "--json and -o - would"},
        {"series inverse f.txt", 2, "--terms is required"},
        {"series power f.txt --terms 5", 2, "series: power: --exponent is required"},
        {"series power f.txt --exponent 5", 2, "series: power: --terms is required"},
        {"series power f.txt --exponent -5 --terms 5", 2, "--exponent: '-5' is not a number"},
        {"series power f.txt b.txt --exponent 5 --terms 5", 2, "power takes one series"},
        {"series inverse f.txt --exponent 5 --terms 5", 2, "inverse takes no --exponent"},
        {"series shift f.txt", 2, "series: shift: --point is required"},
        {"series shift f.txt --point x", 2, "--point: 'x' is not a number such as"},
        {"series shift f.txt --point 0x", 2, "--point: '0x' is not a number such as"},
        {"series shift f.txt --point --5", 2, "--point: '--5' is not a number such as"},
        {"series derivative f.txt --point 5", 2, "derivative takes no --point"},
        {"series derivative f.txt b.txt", 2, "derivative takes one series"},
        {"series integral long.txt -o new", 1, "coefficient 16"},
        {"series integral long.txt --terms 17 -o kept", 0, NULL},
        {"series inverse --terms 5", 2, "missing argument"},
        {"series inverse f.txt --terms 0", 2, "--terms: '0' is not a number from 1"},
        {"series inverse f.txt --terms -1", 2, "--terms: '-1' is not a number from 1"},
        {"series inverse f.txt --terms 18446744073709551615", 2, "no room for a series"},
        {"series inverse f.txt a.txt --terms 5", 2, "series: inverse takes one series, A"},
        {"series quotient f.txt --terms 5", 2, "series: quotient takes two series, A B"},
        {"series quotient a.txt b.txt f.txt --terms 5", 2, "unexpected argument 'f.txt'"},
        {"series invers f.txt --terms 5", 2, "unknown operation 'invers'; available: inverse, qu"},
        {"series invers f.txt --terms 5", 2, "did you mean 'inverse'?"},
        {"series inverse zero.txt --terms 5", 1, "the constant term of the divisor is 0"},
        {"series quotient f.txt x.txt --terms 5", 1, "the constant term of the divisor is 0"},
        {"series sqrt b.txt --terms 5", 1, "the constant term is not 1"},
        {"series invsqrt b.txt --terms 5", 1, "the constant term is not 1"},
        {"series log b.txt --terms 5", 1, "the constant term is not 1"},
        {"series exp f.txt --terms 5", 1, "the constant term is not 0"},
        {"series log f.txt --terms 18 -o new", 1, "18 terms need a characteristic of at least 18"},
        {"series exp x.txt --terms 18 --method classical", 1, "need a characteristic of at least"},
        {"series inverse none --terms 5", 2, "none: cannot open"},
        {"series quotient f.txt other.txt --terms 5", 2, "the modulus is not that of f.txt"},
        {"series inverse f.txt --terms 5 --json -o /dev/stdout", 2, "would both write to standard"},
        {"series inverse f.txt --terms 5 --tuning none/t", 2, "none/t"},
    };
    (void)state;
    put_file("a.txt", "5 17  1 2 3 4 5\n");
    put_file("b.txt", "3 17  2 0 2\n");
    put_file("f.txt", "4 17  1 0 0 2\n");
    put_file("x.txt", "2 17  0 1\n");
    put_file("zero.txt", "0 17\n");
    put_file("one.txt", "1 17  3\n");
    put_file("other.txt", "2 257  1 1\n");
    put_file("long.txt", "18 17  1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1\n");
    expect("random --field p8 --len 4000 --seed 1 -o big.txt", 0, NULL);
    expect("random --field p8 --len 2000 --seed 2 -o b8.txt", 0, NULL);
    assert_int_equal(symlink("new", "link"), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect(cases[i].line, cases[i].code, cases[i].message);
        assert_string_equal(out, "");
    }
    assert_int_equal(count_files(".", "new"), 0);
    assert_no_temporary();
}

/* Expects a key and the beginning of its value in the JSON printed last. */
static void expect_member(const char *member)
{
    if (strstr(out, member) == NULL) {
        print_error("no %s in %s\n", member, out);
    }
    assert_non_null(strstr(out, member));
}

static void test_reports(void **state)
{
    static const char *const keys[] = {
        "\"method\": \"",      "\"verified\": \"point\",", "\"cross_method\": null,",
        "\"points\": ",        "\"log2_error\": -",        "\"threads\": ",
        "\"compute_ns\": ",    "\"verify_ns\": ",          "\"gpu_method\": ",
        "\"gpu_error\": null", "\"field\": \"p8\",",       "\"len_a\": "};
    static const struct {
        const char *line, *members[5];
    } cases[] = {
        {"divrem a.txt f.txt -q q.txt -r r.txt --json",
         {"\"operation\": \"divrem\",", "\"len_a\": 500,", "\"len_b\": 301,", "\"len_q\": 200,",
          "\"len_r\": 300,"}},
        {"divrem a.txt f.txt -r r.txt --json",
         {"\"operation\": \"divrem\",", "\"len_a\": 500,", "\"len_b\": 301,", "\"len_q\": null,",
          "\"len_r\": 300,"}},
        {"powmod --base x --exponent 0x1000 --modulus f.txt --json",
         {"\"operation\": \"powmod\",", "\"len_a\": 2,", "\"len_b\": 301,", "\"len_c\": 300,",
          "\"exponent\": \"0x1000\","}},
        {"powmod --base a.txt --exponent p --modulus f.txt --json -o c.txt",
         {"\"operation\": \"powmod\",", "\"len_a\": 500,", "\"len_b\": 301,", "\"len_c\": 300,",
          "\"exponent\": \"p\","}},
        {"series inverse a.txt --terms 200 --json",
         {"\"operation\": \"inverse\",", "\"len_a\": 500,", "\"len_b\": null,", "\"len_c\": 200,",
          "\"terms\": 200,"}},
        {"series power a.txt --exponent 0x10 --terms 20 --json",
         {"\"operation\": \"power\",", "\"len_a\": 500,", "\"len_c\": 20,", "\"terms\": 20,",
          "\"exponent\": \"0x10\","}},
        {"series shift a.txt --point -5 --json",
         {"\"operation\": \"shift\",", "\"len_a\": 500,", "\"len_c\": 500,", "\"terms\": null,",
          "\"point\": \"-5\","}},
        {"compose a.txt f.txt --length 200 --json",
         {"\"operation\": \"compose\",", "\"len_a\": 500,", "\"len_b\": 301,", "\"len_c\": 200,",
          "\"length\": 200,"}},
        {"series quotient a.txt f.txt --terms 200 --json",
         {"\"operation\": \"quotient\",", "\"len_a\": 500,", "\"len_b\": 301,", "\"len_c\": 200,",
          "\"terms\": 200,"}},
    };
    (void)state;
    expect("random --field p8 --len 301 --seed 1 -o f.txt", 0, NULL);
    expect("random --field p8 --len 500 --seed 2 -o a.txt", 0, NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect(cases[i].line, 0, NULL);
        for (size_t j = 0; j < 5; j++) {
            expect_member(cases[i].members[j]);
        }
        for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++) {
            expect_member(keys[j]);
        }
    }
    expect("series derivative a.txt --json", 0, NULL);
    expect_member("\"len_c\": 499,");
    expect_member("\"terms\": null,");
    expect_member("\"verified\": \"none\","); /* no products */
    expect("series inverse a.txt --terms 200 --json --verify full", 0, NULL);
    expect_member("\"verified\": \"cross\",");
    expect_member("\"cross_method\": \"");
    expect("series inverse a.txt --terms 200 --json --verify none", 0, NULL);
    expect_member("\"verified\": \"none\",");
    expect("mul a.txt f.txt --json --verify full", 0, NULL);
    expect_member("\"verified\": \"cross\",");
    expect("divrem a.txt f.txt -q q.txt --time", 0, "compute:  ");
    assert_non_null(strstr(err, "\nverify:   "));
    assert_string_equal(out, "");
    expect("divrem a.txt f.txt -q q.txt --verbose", 0, "q.txt: written");
    expect("divrem a.txt f.txt -q q.txt", 0, NULL);
    assert_string_equal(err, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_quotients_and_remainders),
        cmocka_unit_test(test_quotient_times_divisor_plus_remainder),
        cmocka_unit_test(test_both_results_or_none),
        cmocka_unit_test(test_an_interrupt_leaves_the_old_files),
        cmocka_unit_test(test_known_powers),
        cmocka_unit_test(test_powers_are_repeated_products),
        cmocka_unit_test(test_known_compositions),
        cmocka_unit_test(test_compositions_agree),
        cmocka_unit_test(test_known_series),
        cmocka_unit_test(test_powers_integrals_and_shifts),
        cmocka_unit_test(test_identities_of_series),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_reports),
    };
    return cmocka_run_group_tests_name("cli_toolkit", tests, enter_empty_folder, leave_folder);
}
