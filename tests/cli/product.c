/* product.c: products through the command: squares, products of several files, checks of
 * given products, and the notes on a cap on memory.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gfpoly.h"
#include "lab/process.h"

/* How often the text has the word. */
static int count_words(const char *text, const char *word)
{
    int n = 0;
    for (; (text = strstr(text, word)) != NULL; text++) {
        n++;
    }
    return n;
}

static void test_squares(void **state)
{
    (void)state;
    put_file("a.txt", "3 17  1 2 3\n");
    expect_output("sqr a.txt", "5 17  1 4 10 12 9\n");
    expect_output("sqr a.txt --format ntl --verify cross", "[1 4 10 12 9]\n");
    expect("random --field p8 --len 300 --seed 1 -o x.txt", 0, NULL);
    expect("convert x.txt -o x.gfp", 0, NULL);
    expect("mul x.txt x.txt -o xx.txt", 0, NULL);
    expect("sqr x.txt --time -o yy.txt", 0, "multiply: ");
    expect("sqr --binary x.gfp -o yy.gfp --memory 100K", 0, NULL);
    expect_output("equal xx.txt yy.txt", "equal\n");
    expect_output("equal xx.txt yy.gfp", "equal\n");
    stdin_from = "x.txt";
    expect("sqr - -o yy.txt", 0, NULL);
    expect_output("equal xx.txt yy.txt", "equal\n");
    /* The report of a product with equal factors. */
    char of_mul[sizeof(process_out)];
    expect("mul x.txt x.txt --method classical --verify none --json", 0, NULL);
    snprintf(of_mul, sizeof(of_mul), "%s", out);
    expect("sqr x.txt --method classical --verify none --json", 0, NULL);
    const char *times = strstr(out, "\"multiply_ns\"");
    assert_non_null(times);
    assert_int_equal(strncmp(out, of_mul, (size_t)(times - out)), 0);
    expect("sqr --binary x.gfp", 2, "sqr: --binary needs -o FILE");
    expect("sqr x.txt x.txt", 2, "unexpected argument 'x.txt'");
    assert_no_temporary();
}

static void test_products_of_several(void **state)
{
    static const int lengths[] = {500, 3, 70, 1, 260};
    (void)state;
    for (int i = 0; i < 5; i++) {
        char line[100];
        snprintf(line, sizeof(line), "random --field p4 --len %d --seed %d -o f%d.txt", lengths[i],
                 i + 1, i);
        expect(line, 0, NULL);
        snprintf(line, sizeof(line), "convert f%d.txt -o f%d.gfp", i, i);
        expect(line, 0, NULL);
    }
    expect("mul f0.txt f1.txt -o p.txt", 0, NULL);
    expect("mul p.txt f2.txt -o p.txt", 0, NULL);
    expect("mul p.txt f3.txt -o p.txt", 0, NULL);
    expect("mul p.txt f4.txt -o p.txt", 0, NULL);
    expect("mul f0.txt f1.txt f2.txt f3.txt f4.txt -o q.txt --time", 0, "product 4 of 4: ");
    assert_int_equal(count_words(err, "\nverify:   "), 4);
    assert_non_null(strstr(err, "\nin all: multiply "));
    assert_non_null(strstr(err, "product 1 of 4: 3 x 1 coefficients\n"));
    expect_output("equal p.txt q.txt", "equal\n");
    expect("mul --binary f0.gfp f1.gfp f2.gfp f3.gfp f4.gfp -o q.gfp --memory 64K --json", 0, NULL);
    assert_non_null(strstr(out, "\"factors\": 5,"));
    assert_non_null(strstr(out, "\"len_c\": 830,"));
    assert_int_equal(count_words(out, "\"verified\": \"point\""), 4);
    assert_int_equal(count_words(out, "\"multiply_ns\": "), 5);
    expect_output("equal p.txt q.gfp", "equal\n");
    expect("mul f0.gfp f1.txt f2.gfp --verify cross --json", 0, NULL);
    assert_int_equal(count_words(out, "\"verified\": \"cross\""), 2);
    expect("mul f2.txt f2.txt f2.txt -o q.txt", 0, NULL);
    expect("sqr f2.txt -o p.txt", 0, NULL);
    expect("mul p.txt f2.txt -o p.txt", 0, NULL);
    expect_output("equal p.txt q.txt", "equal\n");
    /* Zero, standard input, and what fails. */
    put_file("zero.txt", "0 17\n");
    put_file("one.txt", "2 17  1 1\n");
    expect_output("mul one.txt zero.txt one.txt", "0 17\n");
    stdin_from = "one.txt";
    expect_output("mul one.txt - one.txt", "4 17  1 3 3 1\n");
    expect("mul - one.txt -", 2, "only one of the inputs can be standard input");
    expect("mul one.txt one.txt f0.txt -o new.txt", 2, "f0.txt:1:5: the modulus is not that of");
    expect("mul --binary f0.gfp f1.gfp one.txt -o new.gfp", 2,
           "one.txt: byte 10: the file ends here");
    assert_int_equal(count_files(".", "new."), 0);
    assert_no_temporary();
}

/* C with one coefficient changed. */
static void test_checks_of_a_product(void **state)
{
    (void)state;
    expect("random --field p8 --len 300 --seed 1 -o a.txt", 0, NULL);
    expect("random --field p8 --len 200 --seed 2 -o b.txt", 0, NULL);
    expect("mul a.txt b.txt -o c.txt", 0, NULL);
    expect("random --field p8 --len 250 --seed 9 -o x.txt", 0, NULL);
    expect("add c.txt x.txt -o wrong.txt", 0, NULL);
    static const char *const how[] = {"",
                                      " --by cross",
                                      " --points 7",
                                      " --points 3 --seed 5",
                                      " -j 2",
                                      " --by cross --memory 1M",
                                      " --seed 1"};
    static const char *const names[] = {"a", "b", "c", "wrong"};
    for (size_t i = 0; i < 4; i++) {
        char line[100];
        snprintf(line, sizeof(line), "convert %s.txt -o %s.gfp", names[i], names[i]);
        expect(line, 0, NULL);
    }
    for (size_t i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
        for (int binary = 0; binary < 2; binary++) {
            char line[100];
            const char *suffix = binary ? "gfp" : "txt";
            snprintf(line, sizeof(line), "verify a.%s b.%s c.%s%s", suffix, suffix, suffix, how[i]);
            expect(line, 0, NULL);
            assert_non_null(strstr(out, " is the product: "));
            snprintf(line, sizeof(line), "verify a.%s b.%s wrong.%s%s", suffix, suffix, suffix,
                     how[i]);
            expect(line, 1, NULL);
            assert_non_null(strstr(out, " is NOT the product: "));
            assert_string_equal(err, "");
        }
    }
    expect("verify a.txt b.gfp c.txt --points 7 --json", 0, NULL);
    assert_non_null(strstr(out, "\"product\": true,\n  \"reason\": null,"));
    assert_non_null(strstr(out, "\"verified\": \"point\""));
    const char *points = strstr(out, "\"points\": ");
    assert_non_null(points);
    assert_in_range(strtol(points + strlen("\"points\": "), NULL, 10), 7, 8);
    expect("verify a.gfp b.gfp wrong.gfp --by cross --json", 1, NULL);
    assert_non_null(strstr(out, "\"product\": false,\n  \"reason\": \""));
    expect("verify a.txt b.txt a.txt", 1, NULL);
    assert_non_null(strstr(out, "a.txt is NOT the product: "));
    expect("verify a.txt b.txt wrong.txt --quiet", 1, NULL);
    assert_string_equal(out, "");
    expect("verify a.txt b.txt c.txt --quiet --time", 0, "verify: ");
    assert_string_equal(out, "");
    /* Zeros; fields with too few points; what cannot be compared. */
    put_file("t.txt", "3 17  1 2 3\n");
    put_file("z.txt", "0 17\n");
    expect("verify t.txt z.txt z.txt", 0, NULL);
    expect("verify t.txt t.txt z.txt", 1, NULL);
    put_file("tt.txt", "5 17  1 4 10 12 9\n");
    expect("verify t.txt t.txt tt.txt", 0, NULL);
    assert_non_null(strstr(out, " computes the same coefficients\n"));
    put_file("ntl.txt", "[1 2 3]");
    expect("verify --field 17 ntl.txt t.txt tt.txt", 0, NULL);
    expect("verify t.txt t.txt a.txt", 2, "a.txt:1:");
    expect("verify t.txt t.txt none", 2, "none: cannot open");
    expect("verify t.txt t.txt", 2, "expected A B C");
    expect("verify - t.txt -", 2, "standard input");
    stdin_from = "c.txt";
    expect("verify a.txt b.txt -", 0, NULL);
    assert_int_equal(strncmp(out, "standard input is the product: ", 31), 0);
    expect("verify t.txt t.txt tt.txt --by none", 2,
           "unknown value 'none'; available: point, cross");
    expect("verify t.txt t.txt tt.txt --by cross --points 3", 2, "go with --by point");
    expect("verify a.gfp b.gfp c.gfp --field 17", 2, "a.gfp: byte 16: the field is");
}

static void test_what_a_cap_forces_is_said(void **state)
{
    (void)state;
    expect("random --field p8 --len 100 --seed 1 -o a.txt", 0, NULL);
    expect("random --field p8 --len 20k --seed 1 -o b.txt", 0, NULL);
    expect("mul a.txt a.txt --memory 1K --tuning none -o c.txt", 0,
           "gfpoly: mul: --memory: 1024 bytes of work space force classical (0 bytes), about ");
    assert_non_null(strstr(err, " times slower than hybrid with its "));
    expect("mul b.txt b.txt --memory 1M --tuning none -o c.txt", 0,
           " force hybrid to do its work in parts (");
    expect("mul b.txt b.txt --memory 1M --tuning none --quiet -o c.txt", 0, NULL);
    assert_string_equal(err, "");
    expect("sqr a.txt --memory 1K --tuning none -o c.txt", 0, "gfpoly: sqr: --memory: 1024 bytes");
    expect("mul a.txt a.txt --memory 1G --tuning none -o c.txt", 0, NULL);
    assert_string_equal(err, "");
    expect("mul a.txt a.txt --memory 1K --method classical -o c.txt", 0, NULL);
    assert_string_equal(err, ""); /* a method named by --method is not forced */
    /* A refusal is one message. */
    expect("mul b.txt b.txt --memory 1K --tuning none", 1, "only classical is possible, about ");
    assert_ptr_equal(strchr(err, '\n'), err + strlen(err) - 1);
    expect("methods --field p8 --len 64Ki --memory 1M --tuning none", 0, NULL);
    assert_non_null(
        strstr(out, "\nforced by --memory: 1048576 bytes of work space force hybrid to "));
    expect("methods --field p8 --len 64Ki --memory 1M --tuning none --json", 0, NULL);
    assert_non_null(strstr(out, "\"forced\": \"1048576 bytes of work space force hybrid to "));
    expect("methods --field p8 --len 64 --memory 1G --tuning none", 0, NULL);
    assert_null(strstr(out, "forced"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_squares),
        cmocka_unit_test(test_products_of_several),
        cmocka_unit_test(test_checks_of_a_product),
        cmocka_unit_test(test_what_a_cap_forces_is_said),
    };
    return cmocka_run_group_tests_name("cli_product", tests, enter_empty_folder, leave_folder);
}
