/* file.c: binary files through the command: conversions, products of mapped files, and the
 * files after an interrupt or on a full disk.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly.h"
#include "lab/process.h"
#include "lab/sanitized.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Files with the same bytes. */
static void assert_same(const char *x, const char *y)
{
    char script[200];
    snprintf(script, sizeof(script), "cmp '%s' '%s'", x, y);
    assert_int_equal(run_shell(script), 0);
}

static void test_conversions_there_and_back(void **state)
{
    static const char *const fields[] = {"p2", "p32", "m8", "30^32+1", "4^2+1", "p128"};
    (void)state;
    /* Sanitizers make the proof of p128 long, once for each command. */
    const size_t count = sizeof(fields) / sizeof(*fields) - SANITIZED;
    for (size_t i = 0; i < count; i++) {
        char line[200];
        for (int len = 0; len < 60; len += 59) {
            snprintf(line, sizeof(line), "random --field %s --len %d --seed 3 -o a.txt", fields[i],
                     len);
            expect(line, 0, NULL);
            /* The number p alone may mean another form r^k + 1. */
            snprintf(line, sizeof(line), "convert a.txt --field %s -o a.gfp", fields[i]);
            expect(line, 0, NULL);
            expect("convert a.gfp -o b.txt", 0, NULL);
            assert_same("a.txt", "b.txt");
            expect("convert a.gfp --format ntl -o a.ntl", 0, NULL);
            snprintf(line, sizeof(line), "convert a.ntl --field %s -o b.gfp", fields[i]);
            expect(line, 0, NULL);
            assert_same("a.gfp", "b.gfp");
            expect("convert a.gfp --format binary -o b.gfp", 0, NULL);
            assert_same("a.gfp", "b.gfp");
            snprintf(line, sizeof(line), "random --field %s --len %d --seed 3 --format binary",
                     fields[i], len);
            stdout_to = "c.gfp";
            expect(line, 0, NULL);
            snprintf(line, sizeof(line),
                     "random --field %s --len %d --seed 3 --format binary -o b.gfp", fields[i],
                     len);
            expect(line, 0, NULL);
            assert_same("b.gfp", "c.gfp");
            expect("equal b.gfp a.gfp", 0, NULL);
        }
    }
    assert_no_temporary();
}

/* The commands of gfpoly/file.h: xxhsum prints the bytes that the file has. Without xxhsum
 * test_file still compares with what xxhsum printed once. */
static void test_xxhsum_agrees_with_the_checksums(void **state)
{
    static const char agree[] = "sum() { xxhsum -H3 | grep -oE '[0-9a-f]{16}'; }\n"
                                "stored() { od -A n -t x1 -j $1 -N 8 sums.gfp | tr -d ' \\n'; }\n"
                                "[ \"$(tail -c +4097 sums.gfp | sum)\" = \"$(stored 56)\" ] &&\n"
                                "[ \"$(head -c 72 sums.gfp | sum)\" = \"$(stored 72)\" ]";
    (void)state;
    if (run_shell("command -v xxhsum >sums.txt") != 0) {
        skip();
    }
    expect("random --field p8 --len 0 --seed 1 --format binary -o sums.gfp", 0, NULL);
    assert_int_equal(run_shell(agree), 0);
    expect("random --field p8 --len 1000 --seed 1 --format binary -o sums.gfp", 0, NULL);
    assert_int_equal(run_shell(agree), 0);
    expect("mul sums.gfp sums.gfp --format binary -o sums.gfp", 0, NULL);
    assert_int_equal(run_shell(agree), 0);
    assert_int_equal(
        run_shell("printf '\\001' | dd of=sums.gfp bs=1 seek=5000 conv=notrunc 2>dd.txt"), 0);
    assert_int_not_equal(run_shell(agree), 0);
    expect("eval sums.gfp 1", 2, "byte 56");
}

static void test_other_subcommands_read_and_write_binary(void **state)
{
    (void)state;
    expect("random --field p8 --len 200 --seed 1 -o a.txt", 0, NULL);
    expect("random --field p8 --len 100 --seed 2 -o b.txt", 0, NULL);
    expect("convert a.txt -o a.gfp", 0, NULL);
    expect("convert b.txt -o b.gfp", 0, NULL);
    expect("add a.gfp b.gfp -o s.gfp", 0, NULL);
    expect("sub s.gfp b.txt --format flint -o a2.txt", 0, NULL);
    assert_same("a.txt", "a2.txt");
    expect("dft a.gfp -o d.gfp", 0, NULL);
    expect("idft d.gfp -o a2.gfp", 0, NULL);
    expect("equal a.gfp a2.gfp", 0, NULL);
    expect("mul a.gfp b.gfp -o c.gfp", 0, NULL);
    expect("mul a.txt b.txt -o c.txt", 0, NULL);
    expect("equal c.gfp c.txt", 0, NULL);
    stdin_from = "a.gfp";
    expect_output("equal - a.txt", "equal\n");
    put_bytes("e.gfp", "\n\x89GFP", 5);
    expect("eval e.gfp 1", 2, "e.gfp:2:1: white space before the binary format");
    put_bytes("e.gfp", "\x89GFP\n\x1a\n", 7);
    expect("eval e.gfp 1", 2, "e.gfp: byte 7: the file is cut off here");
    expect("eval a.gfp 1 --field p4", 2, "a.gfp: byte 16: the field is");
}

static void test_products_of_files(void **state)
{
    (void)state;
    expect("random --field m16 --len 3000 --seed 1 --format binary -o a.gfp", 0, NULL);
    expect("random --field m16 --len 2000 --seed 2 --format binary -o b.gfp", 0, NULL);
    expect("mul a.gfp b.gfp --verify none -o c.gfp", 0, NULL);
    expect("mul --binary a.gfp b.gfp -o d.gfp --time", 0, "multiply: ");
    assert_same("c.gfp", "d.gfp");
    expect("mul --binary a.gfp b.gfp -o d.gfp --threads 2 --json", 0, NULL);
    if (gfp_threads_built_in()) {
        assert_non_null(strstr(process_out, "\"threads\": 2"));
    }
    assert_same("c.gfp", "d.gfp");
    expect("mul a.gfp b.gfp --method hybrid --threads 2 --memory 300K --json", 0, NULL);
    assert_non_null(strstr(process_out, "\"threads\": 1,"));
    expect("mul --binary a.gfp b.gfp -o d.gfp --memory 300K --verify cross --json", 0, NULL);
    assert_non_null(strstr(process_out, "\"len_c\": 4999"));
    assert_non_null(strstr(process_out, "\"verified\": \"cross\""));
    assert_same("c.gfp", "d.gfp");
    expect("mul --binary a.gfp a.gfp -o d.gfp --memory 1M --field m16", 0, NULL);
    expect("mul a.gfp a.gfp -o c.gfp", 0, NULL);
    assert_same("c.gfp", "d.gfp");
    expect("random --field m16 --len 0 --format binary -o z.gfp", 0, NULL);
    expect("mul --binary a.gfp z.gfp -o d.gfp", 0, NULL);
    assert_same("z.gfp", "d.gfp");
    assert_no_temporary();
}

static void test_transforms_of_files(void **state)
{
    (void)state;
    expect("random --field p8 --len 4000 --seed 1 --format binary -o a.gfp", 0, NULL);
    expect("dft a.gfp -o d.gfp", 0, NULL);
    expect("dft --binary a.gfp -o e.gfp --json", 0, NULL);
    assert_non_null(strstr(process_out, "\"method\": \"dft\""));
    assert_same("d.gfp", "e.gfp");
    expect("dft --binary a.gfp -o e.gfp --memory 100K --threads 2 --json", 0, NULL);
    assert_non_null(strstr(process_out, "\"method\": \"dft by blocks\""));
    assert_non_null(strstr(process_out, "\"len_c\": 4096"));
    assert_same("d.gfp", "e.gfp");
    expect("idft --binary e.gfp -o b.gfp --memory 100K --time", 0, "compute: ");
    expect("equal a.gfp b.gfp", 0, NULL);
    expect("dft --binary a.gfp -o e.gfp --memory 100K --order permuted --field p8", 0, NULL);
    expect("idft --binary e.gfp -o b.gfp --order permuted", 0, NULL);
    expect("equal a.gfp b.gfp", 0, NULL);
    expect("dft --binary a.gfp -o x --n 1000", 2, "4000 coefficients do not fit --n 1000");
    expect("dft --binary a.gfp -o x --memory 1K", 1, "does not fit in 1024 bytes");
    expect("dft --binary a.gfp -o x --n 4096 --field p4", 2, "a.gfp: byte 16: the field is");
    expect("dft --binary a.gfp", 2, "dft: --binary needs -o FILE");
    expect("dft --binary - -o x", 2, "standard input cannot be one");
    assert_int_equal(count_files(".", "x"), 0);
    assert_no_temporary();
}

static void test_what_cannot_be_done_is_said(void **state)
{
    (void)state;
    expect("random --field p8 --len 100 --format binary -o a.gfp", 0, NULL);
    expect("random --field p4 --len 100 --format binary -o f.gfp", 0, NULL);
    expect("convert a.gfp -o a.txt", 0, NULL);
    expect("mul --binary a.gfp a.gfp", 2, "--binary needs -o FILE");
    expect("mul --binary a.gfp a.gfp -o -", 2, "--binary needs -o FILE");
    expect("mul --binary a.gfp a.gfp -o x.txt --format flint", 2, "binary format");
    expect("mul --binary a.gfp a.gfp -o /dev/stdout", 2,
           "it is a descriptor or another process's file");
    expect("mul --binary a.gfp a.gfp -o /dev/null", 1, "/dev/null: cannot write there");
    expect("mul --binary a.gfp a.gfp -o none/x", 1, "none/x: cannot create a file");
    expect("mul --binary a.gfp a.txt -o x", 2, "a.txt: byte 0: not a gfpoly binary file");
    expect("mul --binary a.gfp a.txt -o x", 2, "`gfpoly convert' converts other");
    put_file("short.txt", "1 17  5\n");
    expect("mul --binary a.gfp short.txt -o x", 2, "`gfpoly convert' converts other");
    expect("mul --binary a.gfp - -o x", 2, "standard input cannot be one");
    expect("mul --binary a.gfp f.gfp -o x", 2, "f.gfp: byte 16: the field is");
    expect("mul --binary a.gfp none -o x", 2, "none: cannot open");
    expect("random --field p128 --len 100 --format binary -o g.gfp", 0, NULL);
    expect("mul --binary g.gfp g.gfp -o x --memory 1K --method hybrid", 1, "the cap is 1024");
    expect("mul --binary a.gfp a.gfp -o x --memory 0", 2, "number of bytes");
    expect("mul --binary a.gfp a.gfp -o x --memory 10X", 2, "number of bytes");
    expect("mul --binary a.gfp a.gfp -o x --memory 99999999999T", 2, "number of bytes");
    assert_int_equal(count_files(".", "x"), 0);
    assert_no_temporary();
}

/* A product that runs for minutes is interrupted as soon as its file exists. */
static void test_an_interrupt_leaves_nothing(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    (void)state;
    expect("random --field p32 --len 20000 --seed 1 --format binary -o a.gfp", 0, NULL);
    put_file("old.gfp", "old contents\n");
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
        const char *arguments[] = {"mul",      "--binary",  "a.gfp",    "a.gfp", "-o", "old.gfp",
                                   "--method", "classical", "--memory", "8M",    NULL};
        const struct timespec pause = {.tv_nsec = 5000000};
        pid_t pid = start(arguments);
        const bool seen = wait_for_output(pid);
        for (size_t j = 0; j < 4 * i; j++) {
            nanosleep(&pause, NULL);
        }
        assert_int_equal(kill(pid, signals[i]), 0);
        assert_int_equal(wait_for(pid), 128 + signals[i]);
        assert_true(seen);
        assert_file("old.gfp", "old contents\n");
        assert_no_temporary();
    }
}

/* Whether files of this folder can be without a name. */
static bool nameless_files_work(void)
{
    const char *arguments[] = {"random", "--field", "p8", "--len", "1e8", "-o", "x", NULL};
    const pid_t pid = start(arguments);
    assert_true(wait_for_output(pid));
    const bool work = count_files(".", ".gfpoly-") == 0;
    assert_int_equal(kill(pid, SIGTERM), 0);
    assert_int_equal(wait_for(pid), 128 + SIGTERM);
    return work;
}

/* Killed in the middle of a product of files, of one in memory, and of writing. */
static void test_a_kill_leaves_nothing(void **state)
{
    static const char *const lines[][12] = {
        {"mul", "--binary", "a.gfp", "a.gfp", "-o", "old.gfp", "--method", "classical", NULL},
        {"mul", "a.gfp", "a.gfp", "-o", "new.gfp", "--method", "classical", NULL},
        {"random", "--field", "p8", "--len", "1e8", "-o", "old.gfp", NULL}};
    (void)state;
    expect("random --field p32 --len 20k --seed 1 --format binary -o a.gfp", 0, NULL);
    put_file("old.gfp", "old contents\n");
    if (!nameless_files_work()) {
        print_message("skipped: no files without a name in this folder\n");
        skip();
    }
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const pid_t pid = start(lines[i]);
        assert_true(wait_for_output(pid));
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(wait_for(pid), 128 + SIGKILL);
        assert_file("old.gfp", "old contents\n");
        assert_int_equal(count_files(".", "new.gfp"), 0);
        assert_no_temporary();
    }
}

static void test_a_full_disk_leaves_nothing(void **state)
{
    (void)state;
    expect("random --field p8 --len 5000 --format binary -o a.gfp", 0, NULL);
    put_file("old.gfp", "old contents\n");
    assert_int_equal(setenv("GFPOLY", program, 1), 0);
    assert_int_equal(run_shell("ulimit -f 400; \"$GFPOLY\" mul --binary a.gfp a.gfp -o old.gfp"),
                     1);
    assert_non_null(strstr(process_err, "old.gfp: no disk space for the file"));
    assert_int_equal(run_shell("ulimit -f 1400; \"$GFPOLY\" mul --binary a.gfp a.gfp --memory 200K "
                               "--method hybrid -o old.gfp"),
                     1);
    assert_non_null(strstr(process_err, "no disk space for a scratch file"));
    assert_int_equal(run_shell("ulimit -f 100; \"$GFPOLY\" convert a.gfp -o old.gfp"), 1);
    assert_file("old.gfp", "old contents\n");
    assert_no_temporary();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversions_there_and_back),
        cmocka_unit_test(test_xxhsum_agrees_with_the_checksums),
        cmocka_unit_test(test_other_subcommands_read_and_write_binary),
        cmocka_unit_test(test_products_of_files),
        cmocka_unit_test(test_transforms_of_files),
        cmocka_unit_test(test_what_cannot_be_done_is_said),
        cmocka_unit_test(test_an_interrupt_leaves_nothing),
        cmocka_unit_test(test_a_kill_leaves_nothing),
        cmocka_unit_test(test_a_full_disk_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, enter_empty_folder, leave_folder);
}
