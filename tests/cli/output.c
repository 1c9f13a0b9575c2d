/* output.c: where the command writes, as far as records.c does not tell it: memory, limits,
 * pipes, protected places, links, devices, processes that are killed.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lab/process.h"
#include "lab/sanitized.h"

#define P8_TERMS (SANITIZED ? 1 << 18 : 1 << 20)

/* ---- memory: first, because it measures the largest of all processes so far ---- */

static long largest_child_bytes(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return usage.ru_maxrss * 1024;
}

static void test_files_are_streamed(void **state)
{
    (void)state;
    long result = (long)P8_TERMS * 64;
    char line[80];
    snprintf(line, sizeof(line), "random --field p8 --len %d --seed 1 -o big.txt", P8_TERMS);
    expect(line, 0, NULL);
    long writing = largest_child_bytes();
    expect("eval big.txt 0", 0, NULL);
    long reading = largest_child_bytes();
    unlink("big.txt");
    if (!SANITIZED) {
        assert_in_range(writing, 0, 16 << 20);
        assert_in_range(reading, result, 3 * result);
    }
}

/* ---- outputs ---- */

/* A limit on file sizes makes a write in the middle of a regular file fail, as on a full disk. */
static void test_old_file_survives_a_failed_write(void **state)
{
    struct rlimit before;
    (void)state;
    put_file("old.txt", "old contents\n");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit small = {.rlim_cur = 20000, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int code = run("random --field p8 --len 1000 -o old.txt");
    int new_code = run("random --field p8 --len 1000 -o new.txt");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(code, 1);
    assert_int_equal(new_code, 1);
    assert_non_null(strstr(err, "new.txt: cannot write: File too large"));
    assert_file("old.txt", "old contents\n");
    assert_int_not_equal(access("new.txt", F_OK), 0);
    assert_no_temporary();
}

static void test_closed_pipe(void **state)
{
    (void)state;
    int ends[2];
    char path[40];
    assert_int_equal(pipe(ends), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fcntl(ends[i], F_SETFD, FD_CLOEXEC), 0);
    }
    snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
    if (access(path, W_OK) != 0) {
        skip(); /* no /dev/fd */
    }
    /* The command gets its own end for writing; the reading end is closed. */
    const char *arguments[] = {"random", "--field", "p8", "--len", "100000", NULL};
    stdout_to = path;
    pid_t pid = start(arguments);
    close(ends[1]);
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    assert_int_equal(wait_for(pid), 1);
    (void)slurp("stderr.txt", process_err, sizeof(process_err));
    assert_non_null(strstr(err, "standard output: cannot write: Broken pipe"));
    stdout_to = "stdout.txt";
}

/* Root may write everywhere: for root the command runs as another user, in a folder of that user's.
 * A copy of it, by a relative path: the build folder may be closed to others. */
static void test_protected_places(void **state)
{
    static const char *const cases[][2] = {
        {"closed/c.txt", "closed/c.txt: cannot write: Permission"},
        {"protected.txt", "protected.txt: cannot write: Permission"}};
    const char *user = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "";
    char script[300];
    (void)state;
    snprintf(script, sizeof(script), "%s true", user);
    if (run_shell(script) != 0) {
        print_message("root cannot become another user here: %s", err);
        skip();
    }
    assert_int_equal(run_shell("mkdir -p theirs/closed && cp \"$GFPOLY\" theirs/gfpoly && "
                               "cp a.txt theirs/protected.txt && chmod 755 . theirs && "
                               "chmod 555 theirs/closed && chmod 444 theirs/protected.txt && "
                               "if test $(id -u) = 0; then chown -R 65534:65534 theirs; fi"),
                     0);
    /* For another CPU the command is a script, which names a program that the other user may not be
     * allowed to reach. */
    snprintf(script, sizeof(script), "cd theirs; %s ./gfpoly --version", user);
    if (run_shell(script) != 0) {
        print_message("another user cannot run the command here: %s", err);
        skip();
    }
    for (size_t i = 0; i < 2; i++) {
        snprintf(script, sizeof(script),
                 "cd theirs; %s ./gfpoly add protected.txt protected.txt -o %s", user, cases[i][0]);
        assert_int_equal(run_shell(script), 1);
        assert_non_null(strstr(err, cases[i][1]));
    }
    snprintf(script, sizeof(script), "cd theirs; %s ./gfpoly add protected.txt protected.txt -o d",
             user);
    assert_int_equal(run_shell(script), 0);
    assert_file("theirs/d", "3 17  2 4 6\n");
    assert_file("theirs/protected.txt", "3 17  1 2 3\n");
    assert_int_equal(count_files("theirs", ".gfpoly-"), 0);
    assert_int_equal(count_files("theirs/closed", "c"), 0);
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    return status.st_mode;
}

static void test_links_are_followed_and_modes_kept(void **state)
{
    (void)state;
    assert_int_equal(mkdir("folder", 0755), 0);
    put_file("folder/target.txt", "old contents\n");
    assert_int_equal(chmod("folder/target.txt", 0640), 0);
    assert_int_equal(symlink("folder/middle.txt", "link.txt"), 0);
    assert_int_equal(symlink("target.txt", "folder/middle.txt"), 0);
    expect_output("add a.txt b.txt -o link.txt", "");
    assert_file("folder/target.txt", "3 17  2 1 3\n");
    assert_true(S_ISLNK(mode_of("link.txt")) && S_ISLNK(mode_of("folder/middle.txt")));
    assert_int_equal(mode_of("folder/target.txt") & 07777, 0640);
    /* A link to nothing creates what it points to; a new file has the mode of the umask. */
    assert_int_equal(symlink("folder/new.txt", "dangling.txt"), 0);
    (void)umask(027);
    expect_output("add a.txt b.txt -o dangling.txt", "");
    (void)umask(022);
    assert_true(S_ISLNK(mode_of("dangling.txt")));
    assert_int_equal(mode_of("folder/new.txt") & 07777, 0640);
    assert_file("folder/new.txt", "3 17  2 1 3\n");
    assert_int_equal(count_files("folder", ".gfpoly-"), 0);
    assert_no_temporary();
}

static void test_devices_and_fifos_are_written_directly(void **state)
{
    (void)state;
    char text[100];
    expect_output("add a.txt b.txt -o /dev/null", "");
    assert_true(S_ISCHR(mode_of("/dev/null")));
    expect_output("add a.txt b.txt -o /dev/stdout", "3 17  2 1 3\n");
    assert_int_equal(mkfifo("fifo", 0600), 0);
    const char *arguments[] = {"add", "a.txt", "b.txt", "-o", "fifo", NULL};
    pid_t pid = start(arguments);
    (void)slurp("fifo", text, sizeof(text));
    assert_int_equal(wait_for(pid), 0);
    assert_string_equal(text, "3 17  2 1 3\n");
    assert_true(S_ISFIFO(mode_of("fifo")));
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

/* FLINT and GMP abort when they get no memory, under some of these limits: the command ends with
 * exit code 1 all the same, and the old file stays. */
static void test_no_memory_is_a_failure(void **state)
{
    int aborted = 0;
    (void)state;
    if (SANITIZED || !GFP_HAVE_FLINT) {
        skip(); /* the sanitizers need the address space themselves */
    }
    expect("random --field p8 --len 4096 --seed 1 -o x.txt", 0, NULL);
    put_file("old.txt", "old contents\n");
    /* Under less the command, with code for devices in it, cannot even be loaded. */
    int least = 9000, code = -1;
    while (code != 0 && least < 1000000) {
        char script[100];
        least += 1000;
        snprintf(script, sizeof(script), "ulimit -v %d; exec \"$GFPOLY\" --version", least);
        code = run_shell(script);
    }
    for (int kilobytes = least; kilobytes < least + 20000; kilobytes += 1000) {
        char script[200];
        snprintf(script, sizeof(script),
                 "ulimit -v %d; exec \"$GFPOLY\" mul x.txt x.txt --method flint -o old.txt",
                 kilobytes);
        code = run_shell(script);
        bool message = strstr(err, "gfpoly: out of memory or internal failure in FLINT") != NULL;
        aborted += message;
        assert_int_not_equal(code, 128 + SIGABRT);
        assert_true(!message || code == 1);
        assert_no_temporary();
        if (code == 0) {
            break;
        }
        assert_file("old.txt", "old contents\n");
    }
    assert_in_range(aborted, 1, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_are_streamed),
        cmocka_unit_test(test_old_file_survives_a_failed_write),
        cmocka_unit_test(test_closed_pipe),
        cmocka_unit_test(test_protected_places),
        cmocka_unit_test(test_links_are_followed_and_modes_kept),
        cmocka_unit_test(test_devices_and_fifos_are_written_directly),
        cmocka_unit_test(test_an_interrupt_leaves_nothing),
        cmocka_unit_test(test_a_kill_leaves_nothing),
        cmocka_unit_test(test_no_memory_is_a_failure),
    };
    return cmocka_run_group_tests_name("cli_output", tests, enter_folder_of_operands, leave_folder);
}
