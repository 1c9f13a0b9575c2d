/* process.h: what the tests of the command share: a folder of their own, running the command in it,
 * files.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef PROCESS_H
#define PROCESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cmocka.h>

/* What XDG_CONFIG_HOME is in the beginning: nothing can be there. */
#define NO_FOLDER "/dev/null"

/* What the next run takes; after each run program alone stays. */
extern const char *program;
extern const char *stdin_from;
extern const char *stdout_to; /* NULL: closed */
/* What the last run left on standard output and standard error. */
extern char process_out[1 << 20];
extern char process_err[1 << 16];

/* cmocka group fixtures: all tests of a program work in an empty folder, without a user's tuning
 * file, which is removed in the end. */
int enter_empty_folder(void **state);
int leave_folder(void **state);
void remove_tree(const char *path);

/* Starts the command; arguments end with NULL. */
pid_t start(const char *const *arguments);
/* The exit code, or 128 + the signal. */
int wait_for(pid_t pid);
/* Waits until the command has its output file, which may be without a name; at most 20 s. */
bool wait_for_output(pid_t pid);
/* Both, and reads what it printed. */
int run_arguments(const char *const *arguments);
/* The same with the arguments in a line, split at single spaces. */
int run(const char *line);
/* The exit code of a script that /bin/sh runs instead of the command. */
int run_shell(const char *script);
/* The exit code of the command with this descriptor (1 or 2) on a terminal of so many columns (0:
 * the terminal does not know), and what appears there. Skips where no terminal can be had. */
int run_on_terminal(const char *line, int descriptor, unsigned short columns, char *text,
                    size_t size);
/* Expects the exit code and, where not NULL, a part of standard error. */
void expect(const char *line, int code, const char *message);
/* Expects success and exactly this on standard output. */
void expect_output(const char *line, const char *expected);

/* The contents of a file, terminated; the part that fits. Returns its length. */
size_t slurp(const char *path, char *text, size_t size);
void put_bytes(const char *path, const char *bytes, size_t n);
void put_file(const char *path, const char *text);
void assert_file(const char *path, const char *expected);
/* How many entries of the folder have names that begin so. */
int count_files(const char *folder, const char *prefix);
void assert_no_temporary(void);

#endif
