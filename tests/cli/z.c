/* z.c: products, common divisors, resultants, discriminants and systems over the integers
 * through the command: known results, identities, outputs, bad input, reports.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "gfpoly/zvec.h"
#include "lab/process.h"

/* Options that must not change a result. */
static const char *const ways[] = {
    "",
    " --verify full",
    " --verify none --method words",
    " --method big --tuning none --verify cross",
    " -j 2 --memory 64M",
    " --method mix",
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static void test_known_results(void **state)
{
    (void)state;
    put_file("a.txt", "3  -1 0 1\n");  /* X^2 - 1 */
    put_file("b.txt", "3  2 4 2\n");   /* 2 (X + 1)^2 */
    put_file("c.txt", "4  1 2 0 1\n"); /* X^3 + 2 X + 1: -4 8 - 27 = -59 */
    put_file("zero.txt", " 0 \n");
    put_file("six.txt", "1  -6");
    expect_output("zmul a.txt b.txt", "5  -2 -4 0 4 2\n");
    expect_output("zmul a.txt zero.txt", "0\n");
    expect_output("zmul six.txt six.txt", "1  36\n");
    expect_output("zgcd a.txt b.txt", "2  1 1\n");
    expect_output("zgcd b.txt zero.txt", "3  2 4 2\n");
    expect_output("zgcd zero.txt zero.txt", "0\n");
    expect_output("zgcd b.txt six.txt", "1  2\n");
    expect_output("zgcd a.txt b.txt -u -", "2  -1 1\n");
    expect_output("zgcd a.txt b.txt -o g.txt --first-cofactor=u.txt -v -", "2  2 2\n");
    assert_file("g.txt", "2  1 1\n");
    assert_file("u.txt", "2  -1 1\n");
    expect_output("zresultant a.txt b.txt", "0\n");
    expect_output("zresultant a.txt c.txt", "-8\n"); /* the values 4 and -2 */
    expect_output("zresultant c.txt six.txt", "-216\n");
    expect_output("zresultant six.txt six.txt", "1\n");
    expect_output("zresultant zero.txt a.txt", "0\n");
    expect_output("zdiscriminant a.txt", "4\n");
    expect_output("zdiscriminant b.txt", "0\n");
    expect_output("zdiscriminant c.txt", "-59\n");
    expect_output("zdiscriminant six.txt", "0\n");
    put_file("circle.txt", "3  -1 0 1\n0\n1  1\n"); /* X^2 + Y^2 - 1 */
    put_file("line.txt", "\n2  0 -1\n1  1\n\n");    /* Y - X */
    expect_output("zbiresultant circle.txt line.txt", "3  -1 0 2\n");
    expect_output("zbiresultant line.txt circle.txt --verify full -j 2", "3  -1 0 2\n");
    expect_output("zbiresultant circle.txt circle.txt", "0\n");
    expect_output("zbiresultant circle.txt six.txt --method words -o r.txt", "");
    assert_file("r.txt", "1  36\n");
    expect_output("zsystem circle.txt line.txt",
                  "t 0\nmultiplicity 1\nf 3  -1 0 2\nq 1  1\nx 2  0 1\ny 2  0 1\n");
    expect_output("zsystem circle.txt line.txt --verify full --boxes --digits 2",
                  "1 -0.7081 -0.7070 -0.7081 -0.7070\n1 0.7070 0.7081 0.7070 0.7081\n");
    put_file("power.txt", "2  0 1\n0\n0\n1  -1\n"); /* X - Y^3 */
    put_file("square.txt", "3  -2 0 1\n");          /* X^2 - 2 */
    expect_output(
        "zsystem power.txt square.txt",
        "s 0\nt 1\nmultiplicity 1\nf 7  -2 0 0 0 0 0 1\nq 1  1\nx 4  0 0 0 1\ny 2  0 1\n");
    expect_output("zsystem a.txt six.txt", "t 0\n");
    expect_output("zsystem a.txt six.txt --boxes", "");
    put_file("matrix.txt", "2 2\n1  1\n2  0 1\n\n1  3\n1  4\n");
    expect_output("zdeterminant matrix.txt", "2  4 -3\n");
    expect_output("zcharpoly matrix.txt --verify full -j 2", "2  4 -3\n1  -5\n1  1\n");
    put_file("empty_matrix.txt", "0 0\n");
    expect_output("zdeterminant empty_matrix.txt", "1  1\n");
    expect_output("zcharpoly empty_matrix.txt", "1  1\n");
    put_file("root2.txt", "3  -2 0 1\n");
    put_file("root3.txt", "4  -3 0 0 1\n");
    expect_output("zcomposedsum root2.txt root3.txt", "7  1 -36 12 -6 -6 0 1\n");
    expect_output("zcomposedproduct root2.txt root3.txt --verify full", "7  -72 0 0 0 0 0 1\n");
    expect_output("zcomposeddifference root2.txt root3.txt -j 2", "7  1 36 12 6 -6 0 1\n");
    expect_output("zcomposedquotient root2.txt root3.txt --verify full", "7  -8 0 0 0 0 0 9\n");
    expect_output("zcomposedsum root2.txt zero.txt", "0\n");
    put_file("residues.txt", "3  50 34 1\n");
    put_file("modulus.txt", "1  101\n");
    put_file("bound.txt", "1  8\n");
    put_file("one.txt", "1  1\n");
    expect_output("zreconstruct residues.txt modulus.txt", "3  -3 2 6\n1  6\n");
    expect_output("zreconstruct a.txt modulus.txt bound.txt one.txt", "3  -1 0 1\n1  1\n");
    expect_output("zreconstruct zero.txt modulus.txt", "0\n1  1\n");
    expect("zreconstruct residues.txt modulus.txt --json -o r.txt --timeout 100", 0, NULL);
    assert_non_null(strstr(process_out, "\"bits_denominator\": 3"));
    assert_non_null(strstr(process_out, "\"len_c\": 3"));
    assert_file("r.txt", "3  -3 2 6\n1  6\n");
    stdin_from = "b.txt";
    expect_output("zgcd a.txt -", "2  1 1\n");
    assert_no_temporary();
}

/* A file of random integers. */
static void put_random(const char *path, size_t len, size_t digits, uint64_t seed)
{
    static char text[1 << 18];
    gfp_random g;
    size_t used = (size_t)snprintf(text, sizeof(text), "%zu ", len);
    gfp_random_seed(&g, seed);
    for (size_t i = 0; i < len; i++) {
        assert_true(used + digits + 4 < sizeof(text));
        used += (size_t)snprintf(text + used, 4, gfp_random_u64(&g) % 2 == 0 ? " 1" : " -1");
        for (size_t j = 1; j < digits; j++) {
            text[used++] = (char)('0' + gfp_random_below(&g, 10));
        }
    }
    text[used] = '\0';
    put_file(path, text);
}

static void test_methods_agree(void **state)
{
    static char value[1 << 16];
    (void)state;
    put_random("f.txt", 30, 20, 1);
    put_random("g.txt", 20, 12, 2);
    put_random("h.txt", 25, 30, 3);
    expect("zmul f.txt h.txt -o fh.txt", 0, NULL);
    expect("zmul g.txt h.txt -o gh.txt", 0, NULL);
    expect("zresultant f.txt g.txt", 0, NULL);
    assert_true(strlen(process_out) > 500 && strlen(process_out) < sizeof(value));
    memcpy(value, process_out, strlen(process_out) + 1);
    for (size_t i = 0; i < WAYS; i++) {
        expect_with("zgcd fh.txt gh.txt -o d.txt -u u.txt -v v.txt", ways[i]);
        expect("zmul d.txt u.txt -o x.txt", 0, NULL);
        assert_int_equal(run_shell("cmp x.txt fh.txt"), 0);
        expect("zmul d.txt v.txt -o x.txt", 0, NULL);
        assert_int_equal(run_shell("cmp x.txt gh.txt"), 0);
        assert_int_equal(run_shell("cmp u.txt f.txt || cut -c1-4 u.txt | grep -q 30"), 0);
        expect_with("zmul f.txt h.txt -o x.txt", ways[i]);
        assert_int_equal(run_shell("cmp x.txt fh.txt"), 0);
        expect_with("zresultant f.txt g.txt", ways[i]);
        assert_string_equal(process_out, value);
        /* Too long for one big prime. */
        expect_with("zresultant fh.txt gh.txt", ways[i == 3 ? 0 : i]);
        assert_string_equal(process_out, "0\n");
        expect_with("zdiscriminant g.txt", ways[i]);
    }
    /* Outputs over inputs. */
    expect("zgcd fh.txt gh.txt -u fh.txt -v gh.txt", 0, NULL);
    assert_int_equal(run_shell("cmp u.txt fh.txt && cmp v.txt gh.txt"), 0);
    assert_no_temporary();
}

static void test_errors(void **state)
{
    static const struct {
        const char *line;
        int code;
        const char *message;
    } cases[] = {
        {"zgcd a.txt", 2, "missing argument: expected A B"},
        {"zgcd a.txt a.txt a.txt", 2, "unexpected argument 'a.txt'"},
        {"zgcd a.txt none -o new", 2, "none: cannot open"},
        {"zgcd a.txt a.txt -o none/new", 1, "none/new: cannot write"},
        {"zgcd a.txt a.txt --json -o -", 2, "--json and -o - would both write to standard"},
        {"zgcd a.txt a.txt --method nothing", 2,
         "available: auto, words, big, mix, kronecker, flint"},
        {"zgcd a.txt a.txt --method hybrid", 2, "--method: unknown value 'hybrid'"},
        {"zgcd a.txt a.txt --field p8", 2, "unknown option '--field'"},
        {"zgcd a.txt a.txt -o new -v new", 2, "-o new and -v new are the same file"},
        {"zgcd big.txt big2.txt -o new --memory 1K", 1, "of the cap are left"},
        {"zresultant big.txt big2.txt --method big", 2,
         "method big: the result has more bits than the named primes"},
        {"zmul a.txt short.txt -o new", 2,
         "short.txt:2:3: the text ends after 2 of 3 coefficients (coefficient 2)"},
        {"zmul fraction.txt a.txt -o new", 2,
         "fraction.txt:1:7: character '/' where a digit or a space should be (coefficient 1)"},
        {"zmul decimal.txt a.txt -o new", 2, "decimal.txt:1:5: character '.' where a digit"},
        {"zmul field.txt a.txt -o new", 2,
         "field.txt:1:9: another number after the last coefficient; the length is 2"},
        {"zmul list.txt a.txt -o new", 2, "list.txt:2:2: character '[' where the length should be"},
        {"zmul empty.txt a.txt -o new", 2, "empty.txt:1:1: the text is empty"},
        {"zmul binary.gfp a.txt -o new", 2, "binary.gfp:1:1: byte 0x"},
        {"zresultant a.txt plus.txt", 2, "plus.txt:1:4: sign '+' where an integer should be"},
        {"zbiresultant rows.txt plus.txt -o new", 2,
         "rows.txt:3:4: Y^1: character 'x' where an integer should be (coefficient 0)"},
        {"zbiresultant a.txt short.txt -o new", 2,
         "short.txt:1:5: Y^0: the line ends after 1 of 3 coefficients (coefficient 1)"},
        {"zbiresultant empty.txt a.txt -o new", 2, "empty.txt:1:1: the text is empty"},
        {"zbiresultant a.txt a.txt --method big", 2, "available: auto, words, words_gpu"},
        {"zbiresultant tall.txt tall.txt -o new --memory 1K", 1, "of the cap are left"},
        {"zsystem rows.txt a.txt -o new", 2, "rows.txt:3:4: Y^1: character 'x'"},
        {"zsystem tall.txt tall.txt -o new", 2,
         "tall.txt, tall.txt: bivariate system over Z: the "},
        {"zsystem tall.txt other.txt tall.txt", 2, "unexpected argument"},
        {"zsystem common.txt tall.txt -o new --boxes", 2, "infinitely many solutions"},
        {"zsystem zero.txt tall.txt -o new", 2, "gfpoly: zero.txt: bivariate system"},
        {"zsystem zero.txt tall.txt -o new", 2, "the first polynomial is 0"},
        {"zsystem tall.txt zero.txt -o new --boxes", 2, "gfpoly: zero.txt: bivariate system"},
        {"zsystem tall.txt zero.txt -o new --boxes", 2, "the second polynomial is 0"},
        {"zmul a.txt a.txt --timeout 0", 2, "--timeout: '0' is not a number of seconds"},
        {"zgcd a.txt a.txt --timeout soon", 2, "--timeout: 'soon' is not a number of seconds"},
        {"zsystem tall.txt a.txt -o new --digits 3", 2, "--digits needs --boxes"},
        {"zsystem tall.txt a.txt -o new --boxes --digits 0", 2, "is not a number from 1"},
        {"zsystem tall.txt a.txt --method flint", 2, "available: auto, words"},
        {"zsystem tall.txt other.txt -o new --memory 1K", 1, "of the cap are left"},
        {"zcomposedquotient a.txt zeros.txt -o new", 2,
         "gfpoly: zeros.txt: composed quotient: the "},
        {"zreconstruct a.txt tenth.txt zero.txt -o new", 2, "both bounds, N and D, or none"},
        {"zreconstruct a.txt zero.txt -o new", 2,
         "gfpoly: a.txt, zero.txt: rational reconstruction"},
        {"zreconstruct a.txt a.txt -o new", 2, "the modulus is no natural number"},
        {"zreconstruct tenth.txt m.txt -o new", 1,
         "residue 0 is not that of a fraction within the bounds"},
        {"zdeterminant wide.txt -o new", 2, "wide.txt:1:1: size: 1 rows and 2 columns"},
        {"zcharpoly rows.txt -o new", 2, "rows.txt:2:"},
        {"zcharpoly square.txt -o new --memory 1K", 1, "of the cap are left"},
        {"zdiscriminant", 2, "missing argument: expected A"},
        {"zbiresultant gap.txt a.txt", 2, "gap.txt:2:1: Y^1: the line is blank"},
        {"zdeterminant signed.txt", 2,
         "signed.txt:1:1: size: sign '+' where the number of rows or columns should be\n"},
        {"zmul - -", 2, "only one of the inputs can be standard input"},
    };
    (void)state;
    put_file("a.txt", "3  -1 0 1\n");
    put_file("short.txt", "3  1\n 2");
    put_file("gap.txt", "3  -1 0 1\n\n1  1\n");
    put_file("signed.txt", "+2 2\n");
    put_file("fraction.txt", "2  1 1/2\n");
    put_file("decimal.txt", "1  2.5\n");
    put_file("field.txt", "2 17  1 1\n");
    put_file("list.txt", "\n [1 2]\n");
    put_file("empty.txt", "");
    put_file("plus.txt", "1  +1\n");
    put_file("rows.txt", "\n2  1 1\n1  x\n");
    put_file("wide.txt", "1 2\n0\n0\n");
    put_file("square.txt", "1 1\n2  3 4\n");
    put_file("tall.txt", "2  1 1\n2  3 1\n4  1 1 1 1\n");
    put_file("common.txt", "2  1 1\n2  4 2\n4  4 2 1 1\n4  1 1 1 1\n"); /* (1 + Y) tall */
    put_file("other.txt", "2  1 2\n2  3 1\n");
    put_file("zero.txt", "0\n");
    put_file("tenth.txt", "1  10\n");
    put_file("m.txt", "1  101\n");
    put_file("zeros.txt", "3  0 0 5\n");
    expect("random --field p8 --len 3 --format binary -o binary.gfp", 0, NULL);
    put_random("big.txt", 100, 60, 4);
    put_random("big2.txt", 100, 60, 5);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect(cases[i].line, cases[i].code, cases[i].message);
        assert_string_equal(process_out, "");
    }
    assert_int_equal(count_files(".", "new"), 0);
    assert_no_temporary();
}

/* Some seconds of work; the old file stays. */
static void test_time_is_bounded(void **state)
{
    (void)state;
    put_random("a.txt", 3000, 60, 30);
    put_random("b.txt", 3000, 60, 31);
    put_file("old.txt", "old contents\n");
    for (int threads = 1; threads <= 2; threads++) {
        char line[100];
        snprintf(line, sizeof line, "zresultant a.txt b.txt --timeout 0.2 -j %d", threads);
        expect(line, 3, "gfpoly: stopped: the 0.2 seconds of --timeout are over\n");
        snprintf(line, sizeof line, "zcomposedsum a.txt b.txt --timeout 0.2 -o old.txt -j %d",
                 threads);
        expect(line, 3, "gfpoly: stopped: the 0.2 seconds of --timeout are over\n");
        assert_file("old.txt", "old contents\n");
        assert_no_temporary();
    }
    put_file("a.txt", "3  -1 0 1\n");
    expect_output("zmul a.txt a.txt --timeout 600", "5  1 0 -2 0 1\n");
}

static void test_reports(void **state)
{
    (void)state;
    put_file("a.txt", "3  -1 0 1\n");
    put_file("b.txt", "2  3 1\n");
    expect("zgcd a.txt b.txt --json -u u.txt", 0, NULL);
    assert_non_null(strstr(process_out, "\"operation\": \"zgcd\""));
    assert_non_null(strstr(process_out, "\"len_a\": 3"));
    assert_non_null(strstr(process_out, "\"len_g\": 1"));
    assert_non_null(strstr(process_out, "\"verified\": \"point\""));
    assert_null(strstr(process_out, "\"field\""));
    assert_file("u.txt", "3  -1 0 1\n");
    assert_non_null(strstr(process_out, "\"unlucky_primes\": 0"));
    /* X (X + 1) and X (X + 1 + q), q the first word-size prime, which is unlucky. */
    put_file("x.txt", "3  0 1 1\n");
    put_file("y.txt", "3  0 1125899437080578 1\n");
    expect("zgcd x.txt y.txt --method words --json -o u.txt", 0, NULL);
    assert_non_null(strstr(process_out, "\"unlucky_primes\": 1"));
    assert_file("u.txt", "2  0 1\n");
    expect("zgcd x.txt y.txt --method words --time", 0, "unlucky:  1 prime, replaced\n");
    expect("zgcd a.txt b.txt --method words --time", 0, "unlucky:  0 primes\n");
    expect("zresultant a.txt b.txt --json --method words", 0, NULL);
    assert_non_null(strstr(process_out, "\"resultant\": \"8\""));
    expect_output("zresultant a.txt b.txt -o r.txt", "");
    assert_file("r.txt", "8\n");
    expect_output("zdiscriminant a.txt --output r.txt", "");
    assert_file("r.txt", "4\n");
    expect("zresultant a.txt b.txt --json -o r.txt", 0, NULL);
    assert_non_null(strstr(process_out, "\"resultant\": \"8\""));
    assert_file("r.txt", "8\n");
    expect("zresultant a.txt b.txt -o none/r.txt", 1, "none/r.txt: cannot write");
    expect("zresultant a.txt b.txt --json --method words", 0, NULL);
    assert_null(strstr(process_out, "unlucky"));
    assert_non_null(strstr(process_out, "\"method\": \"words\""));
    expect("zbiresultant a.txt b.txt --json", 0, NULL);
    assert_non_null(strstr(process_out, "\"len_y_a\": 1"));
    assert_non_null(strstr(process_out, "\"len_r\": 1"));
    assert_non_null(strstr(process_out, "\"method\": \"power\""));
    expect("zbiresultant a.txt b.txt --json --method words", 0, NULL);
    assert_non_null(strstr(process_out, "\"method\": \"words\""));
    expect("zresultant a.txt b.txt --json", 0, NULL);
    assert_non_null(strstr(process_out, "\"method\": \"linear\""));
    expect("zresultant a.txt b.txt --explain", 0, NULL);
    assert_non_null(strstr(process_out, "an operand is linear"));
    put_file("line.txt", "2  0 -1\n1  1\n");
    expect("zsystem a.txt line.txt --json --boxes", 0, NULL);
    assert_non_null(strstr(process_out, "\"operation\": \"zsystem\""));
    assert_non_null(strstr(process_out, "\"degree\": 2"));
    assert_non_null(strstr(process_out, "\"real_solutions\": 2"));
    expect("zsystem a.txt line.txt --json", 0, NULL);
    assert_non_null(strstr(process_out, "\"real_solutions\": null"));
    expect("zdiscriminant a.txt --json --verify none", 0, NULL);
    assert_non_null(strstr(process_out, "\"discriminant\": \"4\""));
    assert_non_null(strstr(process_out, "\"len_b\": null"));
    assert_non_null(strstr(process_out, "\"verified\": \"none\""));
    expect("zmul a.txt b.txt --time -o c.txt", 0, "compute:");
    assert_non_null(strstr(process_err, "verify:"));
    assert_file("c.txt", "4  -3 -1 3 1\n");
}

static void test_explanations(void **state)
{
    (void)state;
    put_random("a.txt", 60, 90, 6);
    put_random("b.txt", 50, 90, 7);
    expect("zmul a.txt b.txt --explain", 0, NULL);
    assert_non_null(strstr(process_out, "mul of 60 and 50 coefficients"));
    assert_non_null(strstr(process_out, " primes of 50 bits in "));
    assert_non_null(strstr(process_out, "classical  cannot serve: "));
    assert_non_null(strstr(process_out, "\npick: "));
    assert_non_null(strstr(process_out, "\nwhy: "));
    expect("zgcd a.txt b.txt --explain --strategy kronecker", 0, NULL);
    assert_non_null(strstr(process_out, "\npick: kronecker\nwhy: the options name it\n"));
    expect("zresultant a.txt b.txt --explain --json", 0, NULL);
    assert_non_null(strstr(process_out, "\"pick\": \"words\""));
    assert_non_null(strstr(process_out, "\"estimate_ns\": "));
    expect("zdiscriminant a.txt --explain --strategy big", 0, NULL);
    assert_non_null(strstr(process_out, "big        cannot serve: no named prime exceeds"));
    assert_non_null(strstr(process_out, "\npick: none\n"));
    put_file("a.txt", "1  7\n");
    expect("zgcd a.txt b.txt --explain", 0, NULL);
    assert_non_null(strstr(process_out, "so simple that no strategy is needed"));
    expect("zgcd a.txt b.txt --strategy magic", 2, "available: ");
    expect("zbiresultant a.txt b.txt --explain", 2, "--explain");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_results), cmocka_unit_test(test_methods_agree),
        cmocka_unit_test(test_errors),        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_explanations),  cmocka_unit_test(test_time_is_bounded),
    };
    return cmocka_run_group_tests(tests, enter_empty_folder, leave_folder);
}
