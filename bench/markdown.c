/* bench/markdown.c: see markdown.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdarg.h>

#include "bench/markdown.h"

void markdown_head(FILE *out, size_t numbers, const char *titles, ...)
{
    char text[MOST_TITLES];
    size_t count = 1;
    va_list values;

    va_start(values, titles);
    (void)vsnprintf(text, sizeof(text), titles, values);
    va_end(values);
    for (const char *p = text; *p != '\0'; p++) {
        count += *p == '|';
    }
    fprintf(out, "| %s |\n|", text);
    for (size_t i = 0; i < count; i++) {
        fputs(i + numbers < count ? "---|" : "---:|", out);
    }
    fputc('\n', out);
}

void markdown_row(FILE *out, const char *first)
{
    fprintf(out, "| %s |", first);
}

void markdown_cell(FILE *out, const char *format, ...)
{
    va_list values;

    fputc(' ', out);
    va_start(values, format);
    (void)vfprintf(out, format, values);
    va_end(values);
    fputs(" |", out);
}

void markdown_end(FILE *out)
{
    fputc('\n', out);
}
