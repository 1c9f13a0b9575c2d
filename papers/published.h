/* papers/published.h: the papers' published figures, read from the files of published/: CSV after
 * lines "# key: text" that name the source.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef PUBLISHED_H
#define PUBLISHED_H

#include <stdbool.h>
#include <stddef.h>

#define PUBLISHED_COLUMNS 8
#define PUBLISHED_ROWS 64

/* One table or figure. */
typedef struct published_table {
    char paper[200], table[120], machine[80], unit[20], remark[400]; /* remark may be "" */
    char column[PUBLISHED_COLUMNS][32];
    char text[PUBLISHED_ROWS][PUBLISHED_COLUMNS][32];
    size_t columns, rows;
} published_table;

/* Reads folder/name.csv. Returns false, after a message with file and line, if the file cannot be
 * read, a key is missing, a row has too many or too few cells, a cell is neither a number nor empty
 * (names are allowed in a first column that holds names), or a row occurs twice. */
bool published_load(published_table *p, const char *folder, const char *name);
/* The index of the row with this k and, if there is a column e, this e; `rows`: there is none. */
size_t published_row(const published_table *p, unsigned k, unsigned e);
/* Finds a row by the first column. */
size_t published_named_row(const published_table *p, const char *name);
/* The figure; 0 if there is none. */
double published_figure(const published_table *p, size_t row, const char *column);

#endif
