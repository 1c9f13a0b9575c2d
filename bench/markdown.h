/* bench/markdown.h: tables in Markdown, for all programs of bench/ and papers/.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_MARKDOWN_H
#define BENCH_MARKDOWN_H

#include <stddef.h>
#include <stdio.h>

/* The head and the line below: titles are separated by "|", and may be empty; the last `numbers`
 * columns are aligned to the right. */
void markdown_head(FILE *out, const char *titles, size_t numbers);
/* A row: its first cell, further cells, its end. A cell is printed as by printf. */
void markdown_row(FILE *out, const char *first);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void markdown_cell(FILE *out, const char *format, ...);
void markdown_end(FILE *out);

#endif
