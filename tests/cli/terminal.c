/* terminal.c: the command on a terminal: the bar, which disappears, and the binary format,
 * which is refused.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab/process.h"
#include "lab/sanitized.h"

static char screen[1 << 20];

/* Lengths with which the commands below take half a second or more; sanitizers make them slower. */
#if SANITIZED
#define LENGTH_OF_A "300"
#define LENGTH_OF_LONG "2000"
#define LENGTH_OF_BINARY "3e6"
#define LENGTH_OF_TEXT "300k"
#define POINTS "6"
#define TERMS "1500"
#else
#define LENGTH_OF_A "900"
#define LENGTH_OF_LONG "6000"
#define LENGTH_OF_BINARY "4e6"
#define LENGTH_OF_TEXT "1200k"
#define POINTS "12"
#define TERMS "5000"
#endif

static const struct {
    const char *line, *label;
} slow[] = {
    {"mul a.gfp a.gfp --method classical -o product.gfp", "multiplying "},
    {"mul a.gfp a.gfp a.gfp --method classical -o product.gfp", "multiplying "},
    {"sqr a.gfp --method classical -o product.gfp", "multiplying "},
    {"mul --binary a.gfp b.gfp --method classical -o product.gfp", "multiplying "},
    {"random --field p8 --len " LENGTH_OF_BINARY " --seed 1 --format binary -o big.gfp", "random "},
    {"random --field p8 --len " LENGTH_OF_TEXT " --seed 1 -o big.txt", "writing "},
    {"convert big.txt -o copy.gfp", "reading "},
    {"convert copy.gfp -o copy.txt", "writing "},
    {"verify copy.gfp one.gfp copy.gfp --points " POINTS, "verifying "},
    {"divrem long.gfp a.gfp --method classical -r rest.gfp", "dividing "},
    {"powmod --base a.gfp --exponent 3 --modulus b.gfp --method classical -o rest.gfp",
     "powering "},
    {"multieval a.gfp b.gfp --method classical -o rest.gfp", "evaluating "},
    {"roots f.gfp --method classical -o rest.txt", "roots "},
    {"series inverse a.gfp --terms " TERMS " --method classical -o rest.gfp", "inverse "},
};

static void test_a_bar_comes_and_goes(void **state)
{
    (void)state;
    expect("random --field p32 --len " LENGTH_OF_A " --seed 1 --format binary -o a.gfp", 0, NULL);
    expect("random --field p32 --len " LENGTH_OF_A " --seed 2 --format binary -o b.gfp", 0, NULL);
    expect("random --field p32 --len " LENGTH_OF_LONG " --seed 3 --format binary -o long.gfp", 0,
           NULL);
    expect("random --field p16 --len 60 --seed 2 --format binary -o f.gfp", 0, NULL);
    put_file("one.txt", "[1]");
    expect("convert one.txt --field p8 -o one.gfp", 0, NULL);
    for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
        char label[30];
        assert_int_equal(run_on_terminal(slow[i].line, 2, 80, screen, sizeof(screen)), 0);
        snprintf(label, sizeof(label), "\r%s", slow[i].label);
        if (strstr(screen, label) == NULL) {
            print_error("%s: no bar in '%s'\n", slow[i].line, screen);
        }
        assert_non_null(strstr(screen, label));
        assert_non_null(strstr(screen, " % "));
        /* The bar disappears. */
        assert_string_equal(strrchr(screen, '\r'), "\r");
        assert_null(strchr(screen, '\n'));
    }
    assert_int_equal(run("equal big.txt copy.gfp"), 0);
    assert_int_equal(run("equal copy.txt copy.gfp"), 0);
}

static void test_no_bar_for_short_work_or_quiet_or_files(void **state)
{
    char line[200];
    (void)state;
    assert_int_equal(run_on_terminal("mul one.gfp one.gfp -o x", 2, 80, screen, sizeof(screen)), 0);
    assert_string_equal(screen, "");
    for (size_t i = 0; i < 5; i++) {
        snprintf(line, sizeof(line), "%s --quiet", slow[i].line);
        assert_int_equal(run_on_terminal(line, 2, 80, screen, sizeof(screen)), 0);
        assert_string_equal(screen, "");
        expect(slow[i].line, 0, NULL);
        assert_string_equal(err, "");
    }
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
        cmocka_unit_test(test_no_bar_for_short_work_or_quiet_or_files),
        cmocka_unit_test(test_a_terminal_gets_no_binary),
    };
    return cmocka_run_group_tests_name("cli_terminal", tests, enter_empty_folder, leave_folder);
}
