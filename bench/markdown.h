/* bench/markdown.h: tables in Markdown, for all programs of bench/ and papers/.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_MARKDOWN_H
#define BENCH_MARKDOWN_H

#include <stddef.h>
#include <stdio.h>

/* The most bytes of a head; longer ones are cut. */
#define MOST_TITLES 2000
/* The head and the line below, as by printf: titles are separated by " | ", and may be empty; the
 * last `numbers` columns are aligned to the right. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void markdown_head(FILE *out, size_t numbers, const char *titles, ...);
/* Begins a row with its first cell. */
void markdown_row(FILE *out, const char *first);
/* A further cell of the row, as by printf. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void markdown_cell(FILE *out, const char *format, ...);
/* Ends the row. */
void markdown_end(FILE *out);

#endif
