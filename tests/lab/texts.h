/* texts.h: one table of texts for all readers of a kind of objects: memory, a file, a pipe, and the
 * command from a file and from standard input. The program's fixtures are those of lab/process.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_TEXTS_H
#define TESTS_LAB_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gfpoly.h"

/* A text, which may have NUL bytes, and what readers make of it: the object's own text, or an
 * error. */
typedef struct lab_text_row {
    const char *text;
    size_t length;
    const char *normal; /* NULL: refused */
    gfp_status status;
    uint64_t line, column, index;
    const char *message; /* its beginning */
    bool apart;          /* not for the command, which takes the format from the text */
} lab_text_row;
#define LAB_READ(text, normal)                                                                     \
    {                                                                                              \
        text, sizeof(text) - 1, normal, GFP_OK, 0, 0, 0, "", false                                 \
    }
#define LAB_REFUSED(text, status, line, column, index, message)                                    \
    {                                                                                              \
        text, sizeof(text) - 1, NULL, GFP_ERR_##status, line, column, index, message, false        \
    }
#define LAB_REFUSED_APART(text, status, line, column, index, message)                              \
    {                                                                                              \
        text, sizeof(text) - 1, NULL, GFP_ERR_##status, line, column, index, message, true         \
    }
#define NONE GFP_NO_INDEX

/* The readers and the writer of an object, which the test has. */
typedef struct lab_text_kind {
    const char *name;
    gfp_status (*from_string)(const char *text, size_t length, gfp_error *error); /* or NULL */
    gfp_status (*from_stream)(FILE *stream, gfp_error *error);
    /* Returns the object's text, to be freed with free; writes the same and a newline. */
    char *(*to_string)(void);
    gfp_status (*to_stream)(FILE *stream);
    /* The command's words, %s for the file; it prints the object again, or something else. */
    const char *command;
    bool again;
} lab_text_kind;

/* Expects of each row and each reader: the object's text, or the error with its place, its message
 * and an unchanged object. */
#define LAB_TEXTS(kind, rows) lab_texts((kind), (rows), sizeof(rows) / sizeof *(rows))
void lab_texts(const lab_text_kind *kind, const lab_text_row *rows, size_t count);

#endif
