/* output.c: where the command writes: output files after failures and signals, full disks,
 * protected places, links, devices, descriptors.
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

static void test_failed_verification_writes_nothing(void **state)
{
    (void)state;
    put_file("old.txt", "old contents\n");
    program = GFP_CLI_WRONG;
    expect("mul a.txt b.txt -o old.txt", 1, "failed its verification");
    expect("mul a.txt b.txt -o new.txt", 1, "failed its verification");
    expect("mul a.txt b.txt", 1, "failed its verification");
    program = GFP_CLI;
    assert_string_equal(out, "");
    assert_file("old.txt", "old contents\n");
    assert_int_not_equal(access("new.txt", F_OK), 0);
    assert_no_temporary();
}

static void test_full_disk(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        skip(); /* not Linux */
    }
    stdout_to = "/dev/full";
    expect("add a.txt b.txt", 1, "standard output: cannot write: No space left");
    stdout_to = "/dev/full";
    expect("random --field p8 --len 1000", 1, "standard output: cannot write: No space left");
    stdout_to = "/dev/full";
    expect("info", 1, "No space left");
    stdout_to = "/dev/full";
    expect("mul a.txt b.txt --json", 1, "No space left");
    stdout_to = "/dev/full";
    expect("--help", 1, "No space left");
    expect("add a.txt b.txt -o /dev/full", 1, "/dev/full: cannot write: No space left");
    expect("random --field p8 --len 1000 -o /dev/full", 1, "No space left");
}

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

static void test_closed_standard_output(void **state)
{
    (void)state;
    put_file("c.txt", "3 17  1 2 3\n");
    stdout_to = NULL;
    expect("add c.txt c.txt", 1, "standard output: cannot write");
    assert_file("c.txt", "3 17  1 2 3\n");
    stdout_to = NULL;
    expect("add c.txt c.txt -o d.txt", 0, NULL);
    assert_file("d.txt", "3 17  2 4 6\n");
}

static void test_unwritable_places(void **state)
{
    (void)state;
    expect("add a.txt b.txt -o a.txt/c.txt", 1, "a.txt/c.txt: cannot write: Not a directory");
    expect("add a.txt b.txt -o missing/c.txt", 1, "missing/c.txt: cannot write: No such file");
    expect("add a.txt b.txt -o .", 1, ".: cannot write: Is a directory");
    assert_int_equal(symlink("loop.txt", "loop.txt"), 0);
    expect("add a.txt b.txt -o loop.txt", 1, "loop.txt: cannot write: Too many levels");
    assert_file("a.txt", "3 17  1 2 3\n");
    assert_no_temporary();
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

static void test_output_may_be_an_input(void **state)
{
    (void)state;
    put_file("c.txt", "3 17  1 2 3\n");
    expect_output("add c.txt c.txt -o c.txt", "");
    assert_file("c.txt", "3 17  2 4 6\n");
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

/* The process that opened a descriptor continues to write to it: its earlier output stays. */
static void test_descriptors_are_written_through(void **state)
{
    static const char *const paths[] = {"/dev/stdout",     "/dev/fd/1",
                                        "/proc/self/fd/1", "/proc/thread-self/fd/1",
                                        "to-stdout",       "to-fds/1"};
    char script[300];
    (void)state;
    if (access("/proc/self/fd", X_OK) != 0) {
        skip(); /* not Linux */
    }
    assert_int_equal(symlink("/dev/stdout", "to-stdout"), 0);
    assert_int_equal(symlink("/dev/fd", "to-fds"), 0);
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        snprintf(script, sizeof(script),
                 "{ echo header; \"$GFPOLY\" add a.txt b.txt -o %s; echo trailer; } >f", paths[i]);
        assert_int_equal(run_shell(script), 0);
        assert_file("f", "header\n3 17  2 1 3\ntrailer\n");
        snprintf(script, sizeof(script), "\"$GFPOLY\" add a.txt a.txt -o %s >>f", paths[i]);
        assert_int_equal(run_shell(script), 0);
        assert_file("f", "header\n3 17  2 1 3\ntrailer\n3 17  2 4 6\n");
    }
    put_file("log", "before\n");
    assert_int_equal(run_shell("exec 5>>log; \"$GFPOLY\" add a.txt b.txt -o /dev/fd/5; "
                               "echo after >&5"),
                     0);
    assert_file("log", "before\n3 17  2 1 3\nafter\n");
    assert_int_equal(run_shell("exec 5>gone; rm gone; \"$GFPOLY\" add a.txt b.txt -o /dev/fd/5"),
                     0);
    assert_int_equal(count_files(".", "gone"), 0);
    assert_int_equal(run_shell("exec 5<a.txt; \"$GFPOLY\" add a.txt b.txt -o /dev/fd/5"), 1);
    assert_int_equal(run_shell("\"$GFPOLY\" add a.txt b.txt -o /dev/fd/77"), 1);
    assert_non_null(strstr(err, "/dev/fd/77: cannot write: Bad file descriptor"));
    assert_file("a.txt", "3 17  1 2 3\n");
    /* Of another process only the file is known: what it holds stays. */
    put_file("log", "before\n");
    assert_int_equal(run_shell("exec 5>>log; \"$GFPOLY\" add a.txt b.txt -o /proc/$$/fd/5; "
                               "echo after >&5"),
                     0);
    assert_file("log", "before\n3 17  2 1 3\nafter\n");
    assert_no_temporary();
}

static void test_signals_leave_the_old_file_and_no_temporary(void **state)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGABRT};
    (void)state;
    put_file("old.txt", "old contents\n");
    for (size_t i = 0; i < 4; i++) {
        const char *arguments[] = {"random",    "--field", "p8",      "--len",
                                   "100000000", "-o",      "old.txt", NULL};
        pid_t pid = start(arguments);
        const bool seen = wait_for_output(pid);
        assert_int_equal(kill(pid, signals[i]), 0);
        assert_int_equal(wait_for(pid), signals[i] == SIGABRT ? 1 : 128 + signals[i]);
        assert_true(seen);
        assert_file("old.txt", "old contents\n");
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
        cmocka_unit_test(test_failed_verification_writes_nothing),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_old_file_survives_a_failed_write),
        cmocka_unit_test(test_closed_pipe),
        cmocka_unit_test(test_closed_standard_output),
        cmocka_unit_test(test_unwritable_places),
        cmocka_unit_test(test_protected_places),
        cmocka_unit_test(test_links_are_followed_and_modes_kept),
        cmocka_unit_test(test_output_may_be_an_input),
        cmocka_unit_test(test_devices_and_fifos_are_written_directly),
        cmocka_unit_test(test_descriptors_are_written_through),
        cmocka_unit_test(test_signals_leave_the_old_file_and_no_temporary),
        cmocka_unit_test(test_no_memory_is_a_failure),
    };
    return cmocka_run_group_tests_name("cli_output", tests, enter_folder_of_operands, leave_folder);
}
