/* text.c: prints a comparison: the crossovers in numbers and in words, and the table.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/compare/session.h"

/* A method overtakes another if it is faster by more than this factor: less is noise. */
#define MARGIN 1.03
#define LENGTH_COLUMNS 10
#define LEAST_CELL 12

static double log_time(const struct comparison *c, size_t length, size_t method)
{
    const double ns = (double)comparison_figure(c, length, method)->timing.min_ns;
    return log(ns > 1 ? ns : 1);
}

static bool text_measured(const struct comparison *c, size_t length, size_t method)
{
    return comparison_figure(c, length, method)->outcome == MEASURED;
}

static double log_length(const struct comparison *c, size_t length)
{
    return log((double)c->len[length]);
}

/* ---- crossovers ---- */

/* The method with the least time; c->methods where none was measured. */
static size_t text_fastest(const struct comparison *c, size_t length)
{
    size_t best = c->methods;
    for (size_t i = 0; i < c->methods; i++) {
        if (text_measured(c, length, i) &&
            (best == c->methods || log_time(c, length, i) < log_time(c, length, best))) {
            best = i;
        }
    }
    return best;
}

/* The last point up to `length` where `next` falls below `old`, interpolated between neighbouring
 * lengths by straight lines in the logarithms of time and length. */
static struct crossover find_one(const struct comparison *c, size_t old, size_t next, size_t length)
{
    struct crossover x = {.method = next, .len = (double)c->len[length]};
    for (size_t j = length;
         j > 0 && text_measured(c, j, old) && text_measured(c, j, next) &&
         text_measured(c, j - 1, old) && text_measured(c, j - 1, next) && !x.interpolated;
         j--) {
        const double before = log_time(c, j - 1, old) - log_time(c, j - 1, next);
        const double after = log_time(c, j, old) - log_time(c, j, next);
        if (before <= 0 && after > 0) {
            const double part = before / (before - after);
            x.len = exp(log_length(c, j - 1) + part * (log_length(c, j) - log_length(c, j - 1)));
            x.interpolated = true;
        }
    }
    return x;
}

/* Whether `next`, the fastest at this length, is faster than `old` by more than noise, and also
 * faster at the following length. */
static bool takes_over(const struct comparison *c, size_t old, size_t next, size_t length)
{
    if (!text_measured(c, length, old)) {
        return true;
    }
    const bool last = length + 1 == c->lengths || !text_measured(c, length + 1, old) ||
                      !text_measured(c, length + 1, next);
    return log_time(c, length, old) - log_time(c, length, next) > log(MARGIN) &&
           (last || log_time(c, length + 1, old) > log_time(c, length + 1, next));
}

/* text := "9,000": two digits of an interpolated length, all digits of a measured one. */
static void length_text(char *text, size_t size, const struct crossover *x)
{
    double n = round(x->len);
    char digits[40];
    if (x->interpolated && n >= 100) {
        const double unit = pow(10, floor(log10(n)) - 1);
        n = round(n / unit) * unit;
    }
    const int count = snprintf(digits, sizeof digits, "%.0f", n);
    size_t at = 0;
    for (int i = 0; i < count && at + 2 < size; i++) {
        if (i > 0 && (count - i) % 3 == 0) {
            text[at++] = ',';
        }
        text[at++] = digits[i];
    }
    text[at] = '\0';
}

void crossover_label(char *text, size_t size, const struct comparison *c, size_t index)
{
    const struct crossover *x = &c->crossover[index];
    char length[60];
    length_text(length, sizeof length, x);
    snprintf(text, size, "%s from %s terms", c->name[x->method], length);
}

/* "p8: classical wins from 16 terms; hybrid from 40; bigfft from 9,000". */
static bool find_words(struct comparison *c)
{
    size_t size = 0;
    FILE *stream = open_memstream(&c->words, &size);
    if (stream == NULL) {
        return false;
    }
    fputs(gfp_field_name(c->field), stream);
    if (c->operation != GFP_OPERATION_PRODUCT) {
        fprintf(stream, ", %s", gfp_operation_name(c->operation));
    }
    if (c->threads > 1) {
        fprintf(stream, ", %u threads", c->threads);
    }
    for (size_t i = 0; i < c->crossovers; i++) {
        const struct crossover *x = &c->crossover[i];
        char length[60];
        length_text(length, sizeof length, x);
        fprintf(stream, i == 0 ? ": %s wins from %s terms" : "; %s from %s", c->name[x->method],
                length);
    }
    return fclose(stream) == 0;
}

/* The chooser's pick; if that was not measured, the fastest method that was. */
static size_t find_pick(const struct comparison *c, size_t length)
{
    const struct question q = comparison_question(c, length);
    const char *name = gfp_method_pick(&q.problem, c->field, &q.options);
    for (size_t i = 0; i < c->own && name != NULL; i++) {
        if (strcmp(c->name[i], name) == 0 && text_measured(c, length, i)) {
            return i;
        }
    }
    return text_fastest(c, length);
}

bool find_crossovers(struct comparison *c)
{
    size_t leader = c->methods;
    c->crossover = calloc(c->lengths, sizeof *c->crossover);
    c->pick = calloc(c->lengths, sizeof *c->pick);
    if (c->crossover == NULL || c->pick == NULL) {
        return false;
    }
    for (size_t l = 0; l < c->lengths; l++) {
        c->pick[l] = find_pick(c, l);
        const size_t best = text_fastest(c, l);
        if (best == c->methods || best == leader) {
            continue;
        }
        if (leader == c->methods) {
            c->crossover[c->crossovers++] =
                (struct crossover){.method = best, .len = (double)c->len[l]};
        } else if (!takes_over(c, leader, best, l)) {
            continue;
        } else {
            struct crossover x = find_one(c, leader, best, l);
            const double before = c->crossover[c->crossovers - 1].len;
            x.len = x.len > before ? x.len : before;
            c->crossover[c->crossovers++] = x;
        }
        leader = best;
    }
    return find_words(c);
}

/* ---- the table ---- */

static void print_cell(const struct comparison *c, size_t length, size_t method, int width)
{
    char text[40] = "-";
    if (text_measured(c, length, method)) {
        const struct figure *f = comparison_figure(c, length, method);
        const char *mark = text_fastest(c, length) == method ? "*" : f->note[0] != '\0' ? "?" : " ";
        snprintf(text, sizeof text, "%.4g%s", (double)f->timing.min_ns / 1e6, mark);
    }
    printf("%*s", width, text);
}

/* Prints the table, cut into several if its columns do not fit the width. */
static void print_table(const struct comparison *c, int width)
{
    int cell = LEAST_CELL;
    for (size_t i = 0; i < c->methods; i++) {
        const int needed = (int)strlen(c->name[i]) + 2;
        cell = comparison_has(c, i) && needed > cell ? needed : cell;
    }
    const int fit = width > LENGTH_COLUMNS + cell ? (width - LENGTH_COLUMNS) / cell : 1;
    for (size_t from = 0; from < c->methods;) {
        size_t to = from;
        int columns = 0;
        printf("\n%*s", LENGTH_COLUMNS, "terms");
        for (; to < c->methods && columns < fit; to++) {
            if (comparison_has(c, to)) {
                printf("%*s", cell, c->name[to]);
                columns++;
            }
        }
        while (to < c->methods && !comparison_has(c, to)) {
            to++;
        }
        printf("\n");
        for (size_t l = 0; l < c->lengths; l++) {
            printf("%*zu", LENGTH_COLUMNS, c->len[l]);
            for (size_t i = from; i < to; i++) {
                if (comparison_has(c, i)) {
                    print_cell(c, l, i, cell);
                }
            }
            printf("\n");
        }
        from = to;
    }
}

/* Prints why times are missing, one line for each run of lengths with the same outcome, and which
 * times broke the curve. */
static void print_notes(const struct comparison *c)
{
    for (size_t i = 0; i < c->methods; i++) {
        for (size_t l = 0; l < c->lengths; l++) {
            const struct figure *f = comparison_figure(c, l, i);
            if (f->note[0] != '\0' && (l == 0 || f->outcome == MEASURED ||
                                       comparison_figure(c, l - 1, i)->outcome != f->outcome)) {
                printf("%s at %zu terms: %s\n", c->name[i], c->len[l], f->note);
            }
        }
    }
}

void print_comparison(const struct comparison *c)
{
    print_facts(&c->machine);
    for (size_t i = c->own; i < c->methods; i++) {
        printf("%-10s %s\n", c->name[i], c->peer[i - c->own].version);
    }
    printf("\n%s, %s, %u thread%s: ms%s, the least of several runs; * the fastest\n",
           gfp_field_name(c->field), gfp_operation_name(c->operation), c->threads,
           c->threads == 1 ? "" : "s", c->threads == 1 ? " of CPU time" : "");
    /* One table with all columns, except on a terminal, which would break the lines. */
    print_table(c, isatty(STDOUT_FILENO) == 1 ? line_width(STDOUT_FILENO) : INT_MAX);
    printf("\n");
    print_notes(c);
    print_plot(c);
    printf("\n%s\n", c->words);
}
