/* process.c: running the command; see process.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* posix_openpt */
#include "lab/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define MAX_ARGUMENTS 24

const char *program = GFP_CLI;
const char *stdin_from = "/dev/null";
const char *stdout_to = "stdout.txt";
char process_out[1 << 20];
char process_err[1 << 16];

size_t slurp(const char *path, char *text, size_t size)
{
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    size_t length = fread(text, 1, size - 1, stream);
    fclose(stream);
    text[length] = '\0';
    return length;
}

void put_bytes(const char *path, const char *bytes, size_t n)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, n, stream), n);
    assert_int_equal(fclose(stream), 0);
}

void put_file(const char *path, const char *text)
{
    put_bytes(path, text, strlen(text));
}

void assert_file(const char *path, const char *expected)
{
    static char text[1 << 16];
    (void)slurp(path, text, sizeof(text));
    assert_string_equal(text, expected);
}

pid_t start(const char *const *arguments)
{
    char *argv[MAX_ARGUMENTS + 2];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all;
    pid_t pid = -1;
    size_t n = 0;
    argv[n++] = strdup(program);
    for (; arguments[n - 1] != NULL; n++) {
        assert_in_range(n, 1, MAX_ARGUMENTS);
        argv[n] = strdup(arguments[n - 1]);
    }
    argv[n] = NULL;
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_addopen(&actions, 0, stdin_from, O_RDONLY, 0), 0);
    if (stdout_to != NULL) {
        assert_int_equal(posix_spawn_file_actions_addopen(&actions, 1, stdout_to,
                                                          O_WRONLY | O_CREAT | O_TRUNC, 0666),
                         0);
    } else {
        assert_int_equal(posix_spawn_file_actions_addclose(&actions, 1), 0);
    }
    assert_int_equal(posix_spawn_file_actions_addopen(&actions, 2, "stderr.txt",
                                                      O_WRONLY | O_CREAT | O_TRUNC, 0666),
                     0);
    /* In the background of a shell, tests begin with signals ignored. */
    sigfillset(&all);
    assert_int_equal(posix_spawnattr_init(&attributes), 0);
    assert_int_equal(posix_spawnattr_setsigdefault(&attributes, &all), 0);
    assert_int_equal(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF), 0);
    assert_int_equal(posix_spawnp(&pid, program, &actions, &attributes, argv, environ), 0);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    for (size_t i = 0; i < n; i++) {
        free(argv[i]);
    }
    return pid;
}

int wait_for(pid_t pid)
{
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Whether the process has a file open that has no name. */
static bool has_nameless_file(pid_t pid)
{
    char path[60];
    bool found = false;
    snprintf(path, sizeof(path), "/proc/%ld/fd", (long)pid);
    DIR *directory = opendir(path);
    if (directory == NULL) {
        return false;
    }
    for (struct dirent *entry; !found && (entry = readdir(directory)) != NULL;) {
        char link[400], text[400];
        snprintf(link, sizeof(link), "%s/%s", path, entry->d_name);
        const ssize_t length = readlink(link, text, sizeof(text) - 1);
        text[length > 0 ? length : 0] = '\0';
        found = strstr(text, " (deleted)") != NULL;
    }
    closedir(directory);
    return found;
}

bool wait_for_output(pid_t pid)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    for (int waits = 0; waits < 4000; waits++) {
        if (count_files(".", ".gfpoly-") > 0 || has_nameless_file(pid)) {
            return true;
        }
        siginfo_t ended = {.si_pid = 0};
        if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            ended.si_pid == pid) {
            return false;
        }
        nanosleep(&pause, NULL);
    }
    return false;
}

int finish(pid_t pid)
{
    int code = wait_for(pid);
    process_out[0] = '\0';
    if (stdout_to != NULL && strcmp(stdout_to, "stdout.txt") == 0) {
        (void)slurp(stdout_to, process_out, sizeof(process_out));
    }
    (void)slurp("stderr.txt", process_err, sizeof(process_err));
    stdin_from = "/dev/null";
    stdout_to = "stdout.txt";
    return code;
}

int run_arguments(const char *const *arguments)
{
    return finish(start(arguments));
}

/* line split at single spaces into arguments[0 .. MAX_ARGUMENTS]; copy holds the words. */
static void process_split(const char *line, char *copy, size_t size, const char **arguments)
{
    size_t n = 0;
    assert_in_range(strlen(line), 0, size - 1);
    memcpy(copy, line, strlen(line) + 1);
    char *word = copy;
    while (word != NULL) {
        assert_in_range(n, 0, MAX_ARGUMENTS - 1);
        arguments[n++] = word;
        word = strchr(word, ' ');
        if (word != NULL) {
            *word++ = '\0';
        }
    }
    arguments[n] = NULL;
}

int run(const char *line)
{
    char copy[1000];
    const char *arguments[MAX_ARGUMENTS + 1];
    process_split(line, copy, sizeof(copy), arguments);
    return run_arguments(arguments);
}

/* In the child: never returns. */
static void run_child(const char *const *arguments, int descriptor, int slave)
{
    char *argv[MAX_ARGUMENTS + 2] = {strdup(program)};
    for (size_t n = 0; arguments[n] != NULL; n++) {
        argv[n + 1] = strdup(arguments[n]);
    }
    (void)dup2(slave, descriptor);
    (void)dup2(
        open(descriptor == 1 ? "stderr.txt" : "stdout.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666),
        3 - descriptor);
    (void)execvp(program, argv);
    _exit(127);
}

int run_on_terminal(const char *line, int descriptor, unsigned short columns, char *text,
                    size_t size)
{
    char copy[1000];
    const char *arguments[MAX_ARGUMENTS + 1];
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0) {
        print_message("skipped: no pseudo-terminal can be had here\n");
        skip();
    }
    process_split(line, copy, sizeof(copy), arguments);
    assert_true(grantpt(master) == 0 && unlockpt(master) == 0);
    const char *name = ptsname(master);
    assert_non_null(name);
    const int slave = open(name, O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    const struct winsize window = {.ws_row = 24, .ws_col = columns};
    assert_int_equal(ioctl(slave, TIOCSWINSZ, &window), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        run_child(arguments, descriptor, slave);
    }
    close(slave);
    size_t n = 0;
    ssize_t got;
    /* Ends with EIO when the last process leaves the terminal. */
    while (n + 1 < size && (got = read(master, text + n, size - 1 - n)) > 0) {
        n += (size_t)got;
    }
    text[n] = '\0';
    close(master);
    return wait_for(pid);
}

int run_shell(const char *script)
{
    const char *arguments[] = {"-c", script, NULL};
    const char *command = program;
    program = "/bin/sh";
    int code = run_arguments(arguments);
    program = command;
    return code;
}

void expect(const char *line, int code, const char *message)
{
    int got = run(line);
    if (got != code || (message != NULL && strstr(process_err, message) == NULL)) {
        print_error("gfpoly %s: exit %d, standard error:\n%s", line, got, process_err);
    }
    assert_int_equal(got, code);
    if (message != NULL) {
        assert_non_null(strstr(process_err, message));
    }
}

void expect_with(const char *line, const char *options)
{
    char whole[300];
    snprintf(whole, sizeof(whole), "%s%s", line, options);
    expect(whole, 0, NULL);
}

void expect_output(const char *line, const char *expected)
{
    expect(line, 0, NULL);
    assert_string_equal(process_out, expected);
    assert_string_equal(process_err, "");
}

int count_files(const char *folder, const char *prefix)
{
    int n = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        n += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    }
    closedir(directory);
    return n;
}

void assert_no_temporary(void)
{
    assert_int_equal(count_files(".", ".gfpoly-"), 0);
}

static char folder[] = "gfpoly-test-cli-XXXXXX";

int enter_empty_folder(void **state)
{
    (void)state;
    const struct rlimit no_core = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)umask(022);
    /* No folder: the user may have a tuning file. */
    if (setenv("XDG_CONFIG_HOME", NO_FOLDER, 1) != 0 || setenv("GFPOLY_ALLOW_DEBUG", "1", 1) != 0) {
        return -1;
    }
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

int enter_folder_of_operands(void **state)
{
    const int failed = enter_empty_folder(state);
    if (failed == 0) {
        put_file("a.txt", "3 17  1 2 3\n");
        put_file("b.txt", "2 17  1 16\n");
    }
    return failed != 0 ? failed : setenv("GFPOLY", GFP_CLI, 1);
}

void remove_tree(const char *path)
{
    DIR *directory = opendir(path);
    if (directory == NULL) {
        (void)unlink(path);
        return;
    }
    char name[600];
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            struct stat status;
            snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
            if (lstat(name, &status) == 0 && S_ISDIR(status.st_mode)) {
                remove_tree(name);
            } else {
                (void)unlink(name);
            }
        }
    }
    closedir(directory);
    (void)rmdir(path);
}

int leave_folder(void **state)
{
    (void)state;
    if (chdir("..") == 0) {
        remove_tree(folder);
    }
    return 0;
}
