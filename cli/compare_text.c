/* compare_text.c: a comparison for readers: where one method takes over from another, in numbers
 * and in words, the table, and the plot in characters. SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <ctype.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"

/* A method takes over where it is ahead by more than this: less is noise. */
#define MARGIN 1.03
#define PLOT_ROWS 20
#define PLOT_MOST_COLUMNS 120
#define LABEL_COLUMNS 11 /* left of the plot: the time, and the axis */
#define LENGTH_COLUMNS 10
#define LEAST_CELL 12

static double log_time(const struct comparison *c, size_t length, size_t method)
{
    const double ns = (double)comparison_figure(c, length, method)->min_ns;
    return log(ns > 1 ? ns : 1);
}

static bool measured(const struct comparison *c, size_t length, size_t method)
{
    return comparison_figure(c, length, method)->outcome == MEASURED;
}

static double log_length(const struct comparison *c, size_t length)
{
    return log((double)c->len[length]);
}

/* ---- crossovers ---- */

/* The method of the least time; c->methods where none was measured. */
static size_t fastest(const struct comparison *c, size_t length)
{
    size_t best = c->methods;
    for (size_t i = 0; i < c->methods; i++) {
        if (measured(c, length, i) &&
            (best == c->methods || log_time(c, length, i) < log_time(c, length, best))) {
            best = i;
        }
    }
    return best;
}

/* Where `next` falls below `old` for the last time up to a length at which it is ahead: straight
 * lines in the logarithms of time and length between neighbours. */
static struct crossover find_one(const struct comparison *c, size_t old, size_t next, size_t length)
{
    struct crossover x = {.method = next, .len = (double)c->len[length]};
    for (size_t j = length; j > 0 && measured(c, j, old) && measured(c, j, next) &&
                            measured(c, j - 1, old) && measured(c, j - 1, next) && !x.interpolated;
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

/* Whether `next`, the fastest at this length, is so by more than noise, and ahead at the following
 * one, too. */
static bool takes_over(const struct comparison *c, size_t old, size_t next, size_t length)
{
    if (!measured(c, length, old)) {
        return true;
    }
    const bool last =
        length + 1 == c->lengths || !measured(c, length + 1, old) || !measured(c, length + 1, next);
    return log_time(c, length, old) - log_time(c, length, next) > log(MARGIN) &&
           (last || log_time(c, length + 1, old) > log_time(c, length + 1, next));
}

/* "9,000": two digits of what was interpolated, all digits of what was measured. */
static void length_text(char *text, size_t size, const struct crossover *x)
{
    double n = round(x->len);
    char digits[40];
    if (x->interpolated && n >= 100) {
        const double unit = pow(10, floor(log10(n)) - 1);
        n = round(n / unit) * unit;
    }
    const int count = snprintf(digits, sizeof(digits), "%.0f", n);
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
    length_text(length, sizeof(length), x);
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
        length_text(length, sizeof(length), x);
        fprintf(stream, i == 0 ? ": %s wins from %s terms" : "; %s from %s", c->name[x->method],
                length);
    }
    return fclose(stream) == 0;
}

/* A letter of the name that no column before has; capital for methods on the GPU. */
static char find_letter(const struct comparison *c, size_t method)
{
    const char *name = c->name[method];
    const size_t length = strlen(name);
    const bool gpu = length > 4 && strcmp(name + length - 4, "_gpu") == 0;
    for (const char *at = name; *at != '\0'; at++) {
        const char letter = (char)(gpu ? toupper((unsigned char)*at) : *at);
        if (isalpha((unsigned char)letter) && memchr(c->letter, letter, method) == NULL) {
            return letter;
        }
    }
    return (char)('0' + method % 10);
}

bool find_crossovers(struct comparison *c)
{
    size_t leader = c->methods;
    c->crossover = calloc(c->lengths, sizeof(*c->crossover));
    c->letter = calloc(c->methods, 1);
    if (c->crossover == NULL || c->letter == NULL) {
        return false;
    }
    for (size_t i = 0; i < c->methods; i++) {
        c->letter[i] = ' ';
        if (comparison_has(c, i)) {
            c->letter[i] = find_letter(c, i);
        }
    }
    for (size_t l = 0; l < c->lengths; l++) {
        const size_t best = fastest(c, l);
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
    if (measured(c, length, method)) {
        snprintf(text, sizeof(text), "%.4g%s",
                 (double)comparison_figure(c, length, method)->min_ns / 1e6,
                 fastest(c, length) == method ? "*" : " ");
    }
    printf("%*s", width, text);
}

/* The columns that fit side by side; as many tables as it takes. */
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

/* What has no time, and why: a line for each run of lengths of the same kind. */
static void print_left_out(const struct comparison *c)
{
    for (size_t i = 0; i < c->methods; i++) {
        for (size_t l = 0; l < c->lengths; l++) {
            const struct figure *f = comparison_figure(c, l, i);
            if (f->outcome != MEASURED &&
                (l == 0 || comparison_figure(c, l - 1, i)->outcome != f->outcome)) {
                printf("%s at %zu terms: %s\n", c->name[i], c->len[l], f->note);
            }
        }
    }
}

/* ---- the plot ---- */

/* Logarithms, and what they are drawn on. */
struct plot {
    double x0, x1, y0, y1;
    int columns;
    char letter[PLOT_ROWS][PLOT_MOST_COLUMNS];
    double time[PLOT_ROWS][PLOT_MOST_COLUMNS];
};

static void find_bounds(struct plot *p, const struct comparison *c)
{
    p->y0 = INFINITY;
    p->y1 = -INFINITY;
    p->x0 = log_length(c, 0);
    p->x1 = log_length(c, c->lengths - 1);
    for (size_t l = 0; l < c->lengths; l++) {
        for (size_t i = 0; i < c->methods; i++) {
            if (measured(c, l, i)) {
                p->y0 = fmin(p->y0, log_time(c, l, i));
                p->y1 = fmax(p->y1, log_time(c, l, i));
            }
        }
    }
    p->y1 = p->y1 > p->y0 ? p->y1 : p->y0 + 1;
    p->x1 = p->x1 > p->x0 ? p->x1 : p->x0 + 1;
}

static int column_of(const struct plot *p, double x)
{
    return (int)lround((x - p->x0) / (p->x1 - p->x0) * (p->columns - 1));
}

/* One character; where two methods meet, that of the faster one. */
static void put(struct plot *p, int column, double y, char letter)
{
    const int row = (int)lround((p->y1 - y) / (p->y1 - p->y0) * (PLOT_ROWS - 1));
    if (p->letter[row][column] == ' ' || y < p->time[row][column]) {
        p->letter[row][column] = letter;
        p->time[row][column] = y;
    }
}

/* From each length to the next, where both were measured. */
static void draw_method(struct plot *p, const struct comparison *c, size_t method)
{
    for (size_t l = 0; l < c->lengths; l++) {
        if (!measured(c, l, method)) {
            continue;
        }
        const size_t last = l > 0 && measured(c, l - 1, method) ? l - 1 : l;
        const int to = column_of(p, log_length(c, l));
        const int from = column_of(p, log_length(c, last));
        for (int column = from; column <= to; column++) {
            const double part = to > from ? (double)(column - from) / (to - from) : 1;
            const double y0 = log_time(c, last, method);
            put(p, column, y0 + part * (log_time(c, l, method) - y0), c->letter[method]);
        }
    }
}

/* Whether the terminal's character set is UTF-8. */
static bool speaks_utf8(void)
{
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (locale == (locale_t)0) {
        return false;
    }
    const bool utf8 = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
    freelocale(locale);
    return utf8;
}

static void print_plot(const struct comparison *c, int width)
{
    static struct plot p;
    const bool utf8 = speaks_utf8();
    char marks[PLOT_MOST_COLUMNS + 1];
    p.columns =
        width - LABEL_COLUMNS < PLOT_MOST_COLUMNS ? width - LABEL_COLUMNS : PLOT_MOST_COLUMNS;
    p.columns = p.columns > 10 ? p.columns : 10;
    memset(p.letter, ' ', sizeof(p.letter));
    memset(marks, ' ', sizeof(marks));
    marks[p.columns] = '\0';
    find_bounds(&p, c);
    for (size_t i = 0; i < c->methods; i++) {
        draw_method(&p, c, i);
    }
    for (size_t i = 1; i < c->crossovers; i++) {
        const size_t method = c->crossover[i].method;
        marks[column_of(&p, log(c->crossover[i].len))] = c->letter[method];
    }
    printf("\n%*s\n", LABEL_COLUMNS - 2, "ms");
    for (int row = 0; row < PLOT_ROWS; row++) {
        const double ms = exp(p.y1 - (p.y1 - p.y0) * row / (PLOT_ROWS - 1)) / 1e6;
        if (row % 5 == 0 || row == PLOT_ROWS - 1) {
            printf("%*.3g", LABEL_COLUMNS - 2, ms);
        } else {
            printf("%*s", LABEL_COLUMNS - 2, "");
        }
        printf(" %s%.*s\n", utf8 ? "\xe2\x94\x82" : "|", p.columns, p.letter[row]);
    }
    printf("%*s %s", LABEL_COLUMNS - 2, "", utf8 ? "\xe2\x94\x94" : "+");
    for (int i = 0; i < p.columns; i++) {
        fputs(utf8 ? "\xe2\x94\x80" : "-", stdout);
    }
    printf("\n");
    if (c->crossovers > 1) {
        printf("%*s%s\n", LABEL_COLUMNS, "from ", marks);
    }
    printf("%*s%-*zu%zu terms\n", LABEL_COLUMNS, "", p.columns - LENGTH_COLUMNS, c->len[0],
           c->len[c->lengths - 1]);
    int column = width;
    for (size_t i = 0; i < c->methods; i++) {
        if (comparison_has(c, i)) {
            const int needed = (int)strlen(c->name[i]) + 4;
            if (column + needed > width) {
                printf("\n");
                column = 0;
            }
            column += printf("%s%c %s", column > 0 ? "  " : "", c->letter[i], c->name[i]);
        }
    }
    printf("\n");
}

void print_comparison(const struct comparison *c)
{
    const int width = line_width(STDOUT_FILENO);
    for (size_t i = 0; i < MACHINE_FACTS; i++) {
        printf("%-10s %s\n", c->machine.fact[i].name, c->machine.fact[i].text);
    }
    printf("\n%s, %s, %u thread%s: ms, the least of several runs; * the fastest\n",
           gfp_field_name(c->field), gfp_operation_name(c->operation), c->threads,
           c->threads == 1 ? "" : "s");
    print_table(c, width);
    printf("\n");
    print_left_out(c);
    print_plot(c, width);
    printf("\n%s\n", c->words);
}
