/* demo.c: the subcommand demo: its output, the times of other libraries, the commands that
 * it prints, and wrong products.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "gfpoly.h"
#include "lab/process.h"

static void test_methods_that_cannot_run_are_shown_by_all_alone(void **state)
{
    (void)state;
    expect("demo --field p4 --len 40", 0, NULL);
    assert_non_null(strstr(out, "methods agree on all 79 coefficients\n"));
    assert_non_null(strstr(out, gfp_version()));
    assert_non_null(strstr(out, ", 1 thread\n"));
    /* The tests run with GFPOLY_GPU=off. */
    assert_null(strstr(out, "_gpu"));
    assert_null(strstr(out, "cannot"));
    expect("demo --field p4 --len 40 --all", 0, NULL);
    assert_non_null(strstr(out, "hybrid_gpu           cannot run: "));
    /* One line for methods that would take too long. */
    expect("demo --field p4 --len 4096", 0, NULL);
    const char *line = strstr(out, "not run, estimated at more than 20 times the pick");
    assert_non_null(line);
    assert_non_null(strstr(line, "classical"));
    assert_null(strstr(line + 1, "not run"));
}

/* Measured if a program for the library lies in the command's folder, whatever the chooser knows of
 * the library. */
static void test_other_libraries_are_measured(void **state)
{
    static const char *const programs[] = {"flint", "ntl"};
    static const char *const names[] = {"FLINT", "NTL"};
    (void)state;
    expect("demo --field p8 --len 4096", 0, NULL);
    for (size_t i = 0; i < 2; i++) {
        char path[4200], row[40], words[40];
        snprintf(path, sizeof(path), "%.*s/gfpoly_peer_%s", (int)(strrchr(GFP_CLI, '/') - GFP_CLI),
                 GFP_CLI, programs[i]);
        snprintf(row, sizeof(row), "\n  %s ", names[i]);
        snprintf(words, sizeof(words), "er than %s ", names[i]);
        const bool there = access(path, X_OK) == 0;
        assert_int_equal(strstr(out, row) != NULL, there);
        assert_int_equal(strstr(out, words) != NULL, there);
    }
#if GFP_HAVE_FLINT
    assert_non_null(strstr(out, " times "));
    assert_non_null(strstr(out, " on this machine"));
    char version[80];
    snprintf(version, sizeof(version), "FLINT %s", gfp_build_get_info()->flint);
    assert_non_null(strstr(out, version));
#endif
}

/* Makes a copy of the command with such a program as NTL's in its folder. */
static void use_copy(const char *peer)
{
    char script[4200];
    snprintf(script, sizeof(script),
             "mkdir -p \"it's a copy\" && cd \"it's a copy\" && cp '%s' gfpoly && "
             "cat >gfpoly_peer_ntl <<'END' && chmod +x gfpoly_peer_ntl\n%s\nEND\n",
             GFP_CLI, peer);
    assert_int_equal(run_shell(script), 0);
    program = "./it's a copy/gfpoly";
}

static void test_without_other_libraries_nothing_is_said_of_them(void **state)
{
    (void)state;
    use_copy("#!/bin/sh\nexit 1");
    expect("demo --field p4 --len 40", 0, NULL);
    program = GFP_CLI;
    assert_string_equal(err, "");
    assert_null(strstr(out, "NTL"));
    assert_null(strstr(out, "FLINT"));
    assert_null(strstr(out, "faster"));
}

/* The reply of version 0.0 of NTL. */
#define MEETING "printf 'gfppeer2NTL'; head -c 13 /dev/zero; printf '0.0'; head -c 77 /dev/zero\n"

/* A program that does not answer is left out soon. A program that has answered once need not end by
 * itself, and if it then stops answering, the demonstration continues. */
static void test_programs_that_hang_or_crash_stop_nothing(void **state)
{
    static const struct {
        const char *peer, *message;
    } cases[] = {
        {"#!/bin/sh\nexec sleep 100", ""},
        {"#!/bin/sh\nkill -SEGV $$", ""},
        {"#!/bin/sh\nexec head -c 1000000 /dev/urandom", ""},
        {"#!/bin/sh\n[ ! -e met ] || kill -SEGV $$\n>met\n" MEETING "exec sleep 100",
         "gfpoly: NTL: ended without an answer\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const time_t start = time(NULL);
        use_copy(cases[i].peer);
        expect("demo --field p4 --len 40", 0, NULL);
        program = GFP_CLI;
        assert_string_equal(err, cases[i].message);
        assert_null(strstr(out, "NTL"));
        assert_true(time(NULL) - start < 60);
    }
}

static void test_short_times_have_digits(void **state)
{
    (void)state;
    expect("demo --field p4 --len 1", 0, NULL);
    assert_non_null(strstr(out, "  classical "));
    assert_null(strstr(out, " 0.000 "));
    assert_null(strstr(out, " 0.000000 "));
}

/* One run, which took 1 ns and gave zeros. */
static void test_another_product_is_an_error(void **state)
{
    (void)state;
    use_copy("#!/bin/sh\n"
             "printf 'gfppeer2NTL'\nhead -c 13 /dev/zero\nprintf '0.0'\nhead -c 45 /dev/zero\n"
             "for i in 1 2 3; do printf '\\001\\0\\0\\0\\0\\0\\0\\0'; done\n"
             "head -c 8 /dev/zero\ncat >/dev/null\nhead -c 100000 /dev/zero");
    expect("demo --field p4 --len 40", 1, "cross-check failed: ");
    program = GFP_CLI;
    assert_non_null(strstr(err, " and NTL differ"));
    assert_null(strstr(out, "faster"));
}

/* The printed commands work from any folder, also if the command's path has unusual characters. */
static void test_the_commands_to_try_next_work(void **state)
{
    int count = 0;
    (void)state;
    use_copy("#!/bin/sh\nexit 1");
    expect("demo --field p4 --len 40", 0, NULL);
    program = GFP_CLI;
    static char text[1 << 16];
    snprintf(text, sizeof(text), "%s", strstr(out, "Try next:\n"));
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strncmp(line, "    ", 4) == 0) {
            char script[8192];
            count++;
            /* The comparison runs for its --max-seconds: shorter here. */
            const char *seconds = strstr(line, "--max-seconds");
            snprintf(script, sizeof(script), "cd / && %s%s", line,
                     seconds != NULL ? " --max-len 4 --max-seconds 0.1" : "");
            if (run_shell(script) != 0) {
                fail_msg("%s", line);
            }
        }
    }
    assert_int_equal(count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods_that_cannot_run_are_shown_by_all_alone),
        cmocka_unit_test(test_other_libraries_are_measured),
        cmocka_unit_test(test_without_other_libraries_nothing_is_said_of_them),
        cmocka_unit_test(test_programs_that_hang_or_crash_stop_nothing),
        cmocka_unit_test(test_short_times_have_digits),
        cmocka_unit_test(test_another_product_is_an_error),
        cmocka_unit_test(test_the_commands_to_try_next_work),
    };
    return cmocka_run_group_tests_name("cli_demo", tests, enter_empty_folder, leave_folder);
}
