/* papers/published.c: reads the papers' figures. Every line is checked, since no other check of the
 * files exists.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "papers/published.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

#define LINE_SIZE 512

static const struct {
    const char *key;
    size_t offset, size;
    bool required;
} keys[] = {
    {"paper", offsetof(published_table, paper), sizeof(((published_table *)0)->paper), true},
    {"table", offsetof(published_table, table), sizeof(((published_table *)0)->table), true},
    {"machine", offsetof(published_table, machine), sizeof(((published_table *)0)->machine), true},
    {"unit", offsetof(published_table, unit), sizeof(((published_table *)0)->unit), true},
    {"remark", offsetof(published_table, remark), sizeof(((published_table *)0)->remark), false},
};
#define KEYS (sizeof(keys) / sizeof(keys[0]))

/* The index of a column; `columns`: there is none. */
static size_t published_column(const published_table *p, const char *column)
{
    size_t i = 0;

    while (i < p->columns && strcmp(p->column[i], column) != 0) {
        i++;
    }
    return i;
}

/* Whether the whole text is a number. */
static bool is_number(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

size_t published_row(const published_table *p, unsigned k, unsigned e)
{
    const size_t of_k = published_column(p, "k"), of_e = published_column(p, "e");
    size_t i = 0;

    for (; i < p->rows; i++) {
        if (of_k < p->columns && strtoul(p->text[i][of_k], NULL, 10) == k &&
            (of_e == p->columns || strtoul(p->text[i][of_e], NULL, 10) == e)) {
            break;
        }
    }
    return i;
}

size_t published_named_row(const published_table *p, const char *name)
{
    size_t i = 0;

    while (i < p->rows && strcmp(p->text[i][0], name) != 0) {
        i++;
    }
    return i;
}

double published_figure(const published_table *p, size_t row, const char *column)
{
    const size_t at = published_column(p, column);
    double value = 0;

    return row < p->rows && at < p->columns && is_number(p->text[row][at], &value) ? value : 0;
}

/* Takes a line "# key: text". Returns NULL, or a message. */
static const char *take_key(published_table *p, const char *line)
{
    for (size_t i = 0; i < KEYS; i++) {
        const size_t length = strlen(keys[i].key);
        char *to = (char *)p + keys[i].offset;
        if (strncmp(line, keys[i].key, length) != 0 || strncmp(line + length, ": ", 2) != 0) {
            continue;
        }
        line += length + 2;
        if (*to != '\0' || *line == '\0' || strlen(line) >= keys[i].size) {
            return "a key given twice, or a text that is empty or too long";
        }
        memcpy(to, line, strlen(line) + 1);
        return NULL;
    }
    return "an unknown key";
}

/* Cuts a line at the commas into cells. Returns their number, or more than PUBLISHED_COLUMNS if
 * there are too many, or one is too long. */
static size_t published_cut(const char *line, char cells[PUBLISHED_COLUMNS][32])
{
    size_t count = 0;

    for (;; line++) {
        const size_t length = strcspn(line, ",");
        if (count == PUBLISHED_COLUMNS || length >= 32) {
            return PUBLISHED_COLUMNS + 1;
        }
        memcpy(cells[count], line, length);
        cells[count++][length] = '\0';
        line += length;
        if (*line == '\0') {
            return count;
        }
    }
}

static const char *take_row(published_table *p, const char *line)
{
    char(*cells)[32] = p->text[p->rows];

    if (p->rows == PUBLISHED_ROWS) {
        return "too many rows";
    }
    if (published_cut(line, cells) != p->columns) {
        return "the row does not have a cell for every column";
    }
    for (size_t i = 0; i < p->columns; i++) {
        double value;
        const bool may_be_name = i == 0 && strcmp(p->column[0], "k") != 0;
        if (!may_be_name && cells[i][0] != '\0' && !is_number(cells[i], &value)) {
            return "a cell is not a number";
        }
    }
    const bool has_e = published_column(p, "e") < p->columns;
    for (size_t i = 0; i < p->rows; i++) {
        if (strcmp(p->text[i][0], cells[0]) == 0 &&
            (!has_e || strcmp(p->text[i][1], cells[1]) == 0)) {
            return "the row is given twice";
        }
    }
    p->rows++;
    return NULL;
}

static const char *take_line(published_table *p, char *line)
{
    const size_t length = strcspn(line, "\n");

    if (line[length] != '\n') {
        return "the line is too long, or cut off";
    }
    line[length] = '\0';
    if (strncmp(line, "# ", 2) == 0) {
        return p->columns == 0 ? take_key(p, line + 2) : "a key after the columns";
    }
    if (p->columns > 0) {
        return take_row(p, line);
    }
    for (size_t i = 0; i < KEYS; i++) {
        if (keys[i].required && *((const char *)p + keys[i].offset) == '\0') {
            return "columns before one of the keys paper, table, machine and unit";
        }
    }
    const size_t columns = published_cut(line, p->column);
    p->columns = columns <= PUBLISHED_COLUMNS ? columns : 0;
    return p->columns >= 2 ? NULL : "fewer than two columns, or too many";
}

bool published_load(published_table *p, const char *folder, const char *name)
{
    char path[1000], line[LINE_SIZE];
    const char *wrong = NULL;
    size_t number = 0;

    *p = (published_table){.rows = 0};
    snprintf(path, sizeof(path), "%s/%s.csv", folder, name);
    FILE *in = fopen(path, "r");
    if (in == NULL) {
        return complain("%s: %s", path, strerror(errno));
    }
    while (wrong == NULL && fgets(line, sizeof(line), in) != NULL) {
        number++;
        wrong = take_line(p, line);
    }
    if (wrong == NULL && ferror(in)) {
        wrong = "reading failed";
    } else if (wrong == NULL && p->rows == 0) {
        wrong = "no figures";
    }
    (void)fclose(in);
    return wrong == NULL || complain("%s:%zu: %s", path, number, wrong);
}
