/* rows.h: which row of a table a test is at. cmocka's message of a failed assertion names a line,
 * which is the same for all rows; programs that link gfp_lab print the rows, too.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_ROWS_H
#define TESTS_LAB_ROWS_H

#include <stdbool.h>
#include <stddef.h>

/* The condition of a loop over an array:
 *     for (size_t i = 0; LAB_ROW(cases, i); i++)
 * If an assertion in its body fails, "row 3 of cases" is printed. Loops over different tables may
 * be nested; a loop that a break leaves counts as open until the next LAB_ROW of its table or of
 * one around. */
#define LAB_ROW(table, i) lab_row(#table, (i), sizeof(table) / sizeof *(table))

/* Returns whether i < count, and notes the row of the table of this name, a literal. */
bool lab_row(const char *table, size_t i, size_t count);
/* Names the innermost row; the name must live as long as the loop. */
void lab_row_name(const char *name);

#endif
