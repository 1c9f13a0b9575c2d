/* process.h: shared by the tests of the command: a folder for each program, runs of the command in
 * it, files.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_PROCESS_H
#define TESTS_LAB_PROCESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cmocka.h>

/* The initial XDG_CONFIG_HOME, which can contain nothing. */
#define NO_FOLDER "/dev/null"

/* Settings of the next run; each run resets all but `program`. */
extern const char *program;
extern const char *stdin_from;
extern const char *stdout_to; /* NULL: closed */
/* Standard output and standard error of the last run. */
extern char process_out[1 << 20];
extern char process_err[1 << 16];
static const char *const out = process_out, *const err = process_err;

/* cmocka group fixtures: all tests of a program work in an empty folder, which is removed at the
 * end, without a user's tuning file. */
int enter_empty_folder(void **state);
int leave_folder(void **state);
/* The same with a.txt and b.txt over p = 17; scripts find the command's path in $GFPOLY. */
int enter_folder_of_operands(void **state);
void remove_tree(const char *path);

/* Starts the command; arguments end with NULL. */
pid_t start(const char *const *arguments);
/* The exit code, or 128 + the signal. */
int wait_for(pid_t pid);
/* Waits up to 20 s until the command has its output file, which may be without a name, or ends. */
bool wait_for_output(pid_t pid);
/* Waits for a command that was started, reads its output, and resets the settings. */
int finish(pid_t pid);
/* Starts the command and finishes it. */
int run_arguments(const char *const *arguments);
/* The same with a line of arguments, split at single spaces. */
int run(const char *line);
/* The exit code of a script that /bin/sh runs instead of the command. */
int run_shell(const char *script);
/* Runs the command with this descriptor (1 or 2) on a terminal of `columns' columns (0: unknown to
 * the terminal), and returns the exit code and the text on the terminal. Skips the test if no
 * terminal can be opened. */
int run_on_terminal(const char *line, int descriptor, unsigned short columns, char *text,
                    size_t size);
/* Expects the exit code and, unless message is NULL, a part of standard error. */
void expect(const char *line, int code, const char *message);
/* Expects success of the line followed by options. */
void expect_with(const char *line, const char *options);
/* Expects success and exactly this on standard output. */
void expect_output(const char *line, const char *expected);

/* Reads a file, up to the size of text, and terminates it. Returns its length. */
size_t slurp(const char *path, char *text, size_t size);
void put_bytes(const char *path, const char *bytes, size_t n);
void put_file(const char *path, const char *text);
void assert_file(const char *path, const char *expected);
/* The number of entries of the folder whose names begin with the prefix. */
int count_files(const char *folder, const char *prefix);
void assert_no_temporary(void);

#endif
