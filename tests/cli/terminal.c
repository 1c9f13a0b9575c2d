/* terminal.c: the command on a terminal: the bar, which disappears, and the binary format,
 * which is refused.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lab/process.h"

static char screen[1 << 20];

/* Commands with work that grows with a scale: N is replaced by the row's units times the scale. */
static const struct {
    const char *line, *label;
    unsigned units;
} slow[] = {
    {"mul a.gfp a.gfp --method classical -o product.gfp", "multiplying ", 1},
    {"mul a.gfp a.gfp a.gfp --method classical -o product.gfp", "multiplying ", 1},
    {"sqr a.gfp --method classical -o product.gfp", "multiplying ", 1},
    {"mul --binary a.gfp b.gfp --method classical -o product.gfp", "multiplying ", 1},
    {"random --field p8 --len N --seed 1 --format binary -o big.gfp", "random ", 1000000},
    {"random --field p8 --len N --seed 1 -o written.txt", "writing ", 300000},
    {"convert big.txt -o read.gfp", "reading ", 1},
    {"convert copy.gfp -o copy.txt", "writing ", 1},
    {"verify copy.gfp one.gfp copy.gfp --points N", "verifying ", 4},
    {"divrem long.gfp a.gfp --method classical -r rest.gfp", "dividing ", 1},
    {"powmod --base a.gfp --exponent 3 --modulus b.gfp --method classical -o rest.gfp", "powering ",
     1},
    {"multieval a.gfp b.gfp --method classical -o rest.gfp", "evaluating ", 1},
    {"roots f.gfp --method classical -o rest.txt", "roots ", 1},
    {"series inverse a.gfp --terms N --method classical -o rest.gfp", "inverse ", 1500},
};

/* The command of row i at this scale. */
static const char *slow_line(size_t i, unsigned scale)
{
    static char line[200];
    const char *n = strchr(slow[i].line, 'N');
    if (n == NULL) {
        return slow[i].line;
    }
    snprintf(line, sizeof(line), "%.*s%u%s", (int)(n - slow[i].line), slow[i].line,
             slow[i].units * scale, n + 1);
    return line;
}

static void make_operands(unsigned scale)
{
    static const char *const names[] = {"a", "b", "long"};
    char line[120];
    for (unsigned i = 0; i < 3; i++) {
        snprintf(line, sizeof(line),
                 "random --field p32 --len %u --seed %u --format binary -o %s.gfp",
                 (i < 2 ? 300 : 2000) * scale, i + 1, names[i]);
        expect(line, 0, NULL);
    }
    snprintf(line, sizeof(line), "random --field p16 --len %u --seed 2 --format binary -o f.gfp",
             30 * scale);
    expect(line, 0, NULL);
    snprintf(line, sizeof(line), "random --field p8 --len %u --seed 1 -o big.txt", 300000 * scale);
    expect(line, 0, NULL);
    expect("convert big.txt -o copy.gfp", 0, NULL);
    expect("equal big.txt copy.gfp", 0, NULL);
}

/* Runs row i on a terminal; whether a bar came, which must then have disappeared. A command of
 * three seconds needs one. */
static int shows_bar(size_t i, unsigned scale)
{
    char label[30];
    const time_t start = time(NULL);
    assert_int_equal(run_on_terminal(slow_line(i, scale), 2, 80, screen, sizeof(screen)), 0);
    if (screen[0] == '\0' && time(NULL) - start < 3) {
        return 0;
    }
    snprintf(label, sizeof(label), "\r%s", slow[i].label);
    if (strstr(screen, label) == NULL) {
        print_error("%s: no bar in '%s'\n", slow_line(i, scale), screen);
    }
    assert_non_null(strstr(screen, label));
    assert_non_null(strstr(screen, " % "));
    assert_string_equal(strrchr(screen, '\r'), "\r");
    assert_null(strchr(screen, '\n'));
    return 1;
}

/* Row i, which has shown a bar at this scale, shows none if it is quiet, or not on a terminal. */
static void expect_no_bar(size_t i, unsigned scale)
{
    char line[220];
    snprintf(line, sizeof(line), "%s --quiet", slow_line(i, scale));
    assert_int_equal(run_on_terminal(line, 2, 80, screen, sizeof(screen)), 0);
    assert_string_equal(screen, "");
    expect(slow_line(i, scale), 0, NULL);
    assert_string_equal(err, "");
}

/* A fast machine finishes a small command before a bar is due: the scale doubles until every
 * command has shown one. The first ones then run without a bar. */
static void test_a_bar_comes_and_goes(void **state)
{
    enum { ROWS = sizeof(slow) / sizeof(slow[0]), WITHOUT = 5, LARGEST = 32 };
    int shown[ROWS] = {0};
    size_t missing = ROWS;
    (void)state;
    put_file("one.txt", "[1]");
    expect("convert one.txt --field p8 -o one.gfp", 0, NULL);
    for (unsigned scale = 1; missing > 0; scale *= 2) {
        assert_true(scale <= LARGEST);
        make_operands(scale);
        missing = 0;
        for (size_t i = 0; i < ROWS; i++) {
            const int before = shown[i];
            shown[i] = before || shows_bar(i, scale);
            if (shown[i] && !before && i < WITHOUT) {
                expect_no_bar(i, scale);
            }
            missing += (size_t)!shown[i];
        }
    }
    expect("convert copy.gfp -o copy.txt", 0, NULL);
    expect("equal copy.txt copy.gfp", 0, NULL);
}

static void test_no_bar_for_short_work(void **state)
{
    (void)state;
    assert_int_equal(run_on_terminal("mul one.gfp one.gfp -o x", 2, 80, screen, sizeof(screen)), 0);
    assert_string_equal(screen, "");
}

static void test_a_terminal_gets_no_binary(void **state)
{
    static const char *const lines[] = {"random --field 17 --len 5 --format binary",
                                        "convert t.txt",
                                        "mul t.txt t.txt --format binary",
                                        "mul t.gfp t.gfp",
                                        "sqr t.gfp",
                                        "add t.gfp t.txt",
                                        "sub t.txt t.txt --format binary -o -",
                                        "dft t.gfp",
                                        "idft t.txt --n 4 --format binary -o /dev/stdout",
                                        "divrem t.gfp t.txt -q -",
                                        "divrem t.gfp t.txt -q q.gfp -r /dev/stdout",
                                        "series inverse t.gfp --terms 4",
                                        "powmod --base x --exponent 5 --modulus t.gfp"};
    char line[200];
    (void)state;
    put_file("t.txt", "3 17  1 2 3\n");
    expect("convert t.txt -o t.gfp", 0, NULL);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_int_equal(run_on_terminal(lines[i], 1, 80, screen, sizeof(screen)), 2);
        assert_string_equal(screen, "");
        (void)slurp("stderr.txt", process_err, sizeof(process_err));
        assert_non_null(strstr(err, "-o FILE writes it to a file, -f (--force) here"));
        snprintf(line, sizeof(line), "%s -f", lines[i]);
        assert_int_equal(run_on_terminal(line, 1, 80, screen, sizeof(screen)), 0);
        assert_non_null(strstr(screen, "GFP"));
        expect(lines[i], 0, NULL); /* a file or a pipe accepts it */
    }
    assert_int_equal(run_on_terminal("convert t.gfp", 1, 80, screen, sizeof(screen)), 0);
    assert_string_equal(screen, "3 17  1 2 3\r\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_bar_comes_and_goes),
        cmocka_unit_test(test_no_bar_for_short_work),
        cmocka_unit_test(test_a_terminal_gets_no_binary),
    };
    return cmocka_run_group_tests_name("cli_terminal", tests, enter_empty_folder, leave_folder);
}
