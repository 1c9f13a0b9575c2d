/* papers/figures.c: the figures of the papers as pictures in SVG, drawn by gnuplot.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/machine.h"
#include "cli/spawn.h"
#include "papers/paper.h"

/* Colours that colour-blind readers can distinguish. */
static const char *const colours[FIGURE_SERIES] = {"#0072b2", "#d55e00", "#009e73",
                                                   "#cc79a7", "#56b4e9", "#e69f00",
                                                   "#000000", "#7f7f7f", "#8c564b"};

static size_t figure_series(figure *f, const char *name, bool published)
{
    size_t i = 0;

    while (i < f->series_count && strcmp(f->series[i].name, name) != 0) {
        i++;
    }
    if (i == f->series_count && i < FIGURE_SERIES) {
        f->series_count++;
        snprintf(f->series[i].name, sizeof(f->series[i].name), "%s", name);
        f->series[i].published = published;
        for (size_t row = 0; row < FIGURE_ROWS; row++) {
            f->value[i][row] = NAN;
        }
    }
    return i;
}

static size_t figure_row(figure *f, const char *label)
{
    size_t i = 0;

    while (i < f->rows && strcmp(f->label[i], label) != 0) {
        i++;
    }
    if (i == f->rows && i < FIGURE_ROWS) {
        f->rows++;
        snprintf(f->label[i], sizeof(f->label[i]), "%s", label);
    }
    return i;
}

void figure_put(figure *f, const char *label, const char *series, bool published, double value)
{
    const size_t row = figure_row(f, label), column = figure_series(f, series, published);

    if (row < FIGURE_ROWS && column < FIGURE_SERIES) {
        f->value[column][row] = value;
    }
}

static bool has_values(const figure *f, size_t series)
{
    for (size_t row = 0; row < f->rows; row++) {
        const double v = f->value[series][row];
        if (isfinite(v) && (v > 0 || !f->picture->logarithmic)) {
            return true;
        }
    }
    return false;
}

/* The first series with values from `i` on, or the number of series. */
static size_t next_series(const figure *f, size_t i)
{
    while (i < f->series_count && !has_values(f, i)) {
        i++;
    }
    return i;
}

/* Writes text of the program, which has no quotes. */
static void write_data(const figure *f, FILE *to)
{
    fputs("$data << EOD\n", to);
    for (size_t row = 0; row < f->rows; row++) {
        fprintf(to, f->picture->kind == FIGURE_CURVES ? "%s" : "\"%s\"", f->label[row]);
        for (size_t i = 0; i < f->series_count; i++) {
            const double v = f->value[i][row];
            if (isfinite(v) && (v > 0 || !f->picture->logarithmic)) {
                fprintf(to, " %.6g", v);
            } else {
                fputs(" NaN", to);
            }
        }
        fputc('\n', to);
    }
    fputs("EOD\n", to);
}

static void write_script(const figure *f, FILE *to)
{
    fprintf(to,
            "set terminal svg size 900,520 font 'sans-serif,13' background 'white'\n"
            "set output \"%s.svg\"\nset encoding utf8\nset title \"%s\"\nset xlabel \"%s\"\n"
            "set ylabel \"%s\"\nset datafile missing NaN\nset key outside below\n"
            "set grid ytics linecolor '#dddddd'\nset offsets 0.5, 0.5, 0, 0\n"
            "set format y '%%g'\n",
            f->picture->name, f->picture->title, f->picture->x_label, f->picture->y_label);
    fputs(f->picture->logarithmic ? "set logscale y\n" : "set yrange [0:*]\n", to);
    if (f->picture->kind != FIGURE_CURVES) {
        fprintf(to,
                "set style data histograms\nset style histogram %s\nset style fill solid 0.8\n"
                "set boxwidth 0.9\nset xtics noenhanced font ',10'\n",
                f->picture->kind == FIGURE_STACKS ? "rowstacked" : "clustered gap 1");
    }
    write_data(f, to);
    const size_t first = next_series(f, 0);
    for (size_t i = first; i < f->series_count; i = next_series(f, i + 1)) {
        fputs(i == first ? "plot $data using " : ", $data using ", to);
        fprintf(to, f->picture->kind == FIGURE_CURVES ? "1:%zu" : "%zu:xtic(1)", i + 2);
        fprintf(to, "%s linecolor rgb '%s' title \"%s\"",
                f->picture->kind != FIGURE_CURVES ? ""
                : f->series[i].published          ? " with linespoints dashtype 3 linewidth 2"
                                                  : " with linespoints linewidth 2",
                colours[i], f->series[i].name);
        if (f->picture->kind == FIGURE_BARS && f->series[i].published) {
            fputs(" fillstyle pattern 2", to);
        }
    }
    fputc('\n', to);
}

/* Runs gnuplot on the script in its folder. */
static bool draw_script(const paper *w, const char *name)
{
    FILE *script = tmpfile();
    int status = 0;

    if (script == NULL) {
        return complain("a temporary file: %s", strerror(errno));
    }
    fputs("cd ", script);
    write_quoted(script, w->pictures, '\'');
    fprintf(script, "\nload '%s.gp'\n", name);
    (void)fflush(stdout);
    const int error = run_gnuplot(script, STDOUT_FILENO, &status);
    fclose(script);
    if (error == ENOENT) {
        fprintf(w->out, "\nPicture: `gnuplot %s.gp` draws %s.svg.\n", name, name);
        return true;
    }
    if (error != 0 || status != 0) {
        return complain("%s/%s.gp: gnuplot failed", w->pictures, name);
    }
    fprintf(w->out, "\nPicture: %s.svg.\n", name);
    return true;
}

bool figure_draw(const paper *w, const figure *f)
{
    const char *name = f->picture->name;
    char path[1000];

    if (w->pictures == NULL || next_series(f, 0) == f->series_count) {
        return true;
    }
    if (strpbrk(w->pictures, "\"\\\n$`") != NULL ||
        snprintf(path, sizeof(path), "%s/%s.gp", w->pictures, name) >= (int)sizeof(path)) {
        return complain("%s: a folder's name that gnuplot cannot take", w->pictures);
    }
    FILE *to = fopen(path, "w");
    if (to == NULL) {
        return complain("%s: %s", path, strerror(errno));
    }
    write_script(f, to);
    if (fclose(to) != 0) {
        return complain("%s: %s", path, strerror(errno));
    }
    return draw_script(w, name);
}
