/* plot.c: draws a comparison by gnuplot: the script for pictures, and the plot in
 * characters.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/compare/session.h"
#include "cli/spawn.h"

/* The first fact about the machine that needs its name in front of its text. */
#define VERSION_FACTS 4
#define PLOT_ROWS 26

/* ---- curves ---- */

/* Colours that colour-blind readers can distinguish, all dark enough on white: one for each of the
 * first rows of the method table. Other libraries are black. */
static const char *const colours[] = {"#7f7f7f", "#e69f00", "#56b4e9", "#cc79a7",
                                      "#d55e00", "#0072b2", "#009e73"};

/* The row of the method table that gives a column its colour: a method on a GPU has the colour of
 * the same method on the CPU. */
static size_t colour_row(const char *name)
{
    const size_t length = strlen(name) - (runs_on_gpu(name) ? strlen("_gpu") : 0);
    size_t row = 0;
    while (row < gfp_method_count() && (strlen(gfp_method_name(row)) != length ||
                                        strncmp(gfp_method_name(row), name, length) != 0)) {
        row++;
    }
    return row;
}

static void write_style(const struct comparison *c, size_t method, FILE *out)
{
    const bool own = method < c->own;
    const size_t row = own ? colour_row(c->name[method]) : method - c->own;
    const size_t dash = own ? (runs_on_gpu(c->name[method]) ? 2 : 1) : (row == 0 ? 1 : 3);
    fprintf(out, "linecolor rgb '%s' dashtype %zu pointtype %zu linewidth %d",
            own ? colours[row % (sizeof colours / sizeof colours[0])] : "#000000", dash,
            own ? row % 8 + 4 : row + 1, own ? 2 : 3);
}

/* Writes "plot ..." of a function of the method's name. data: a file, or a block of the script. */
static void write_plot(const struct comparison *c, const char *data, const char *function,
                       bool styled, FILE *out)
{
    const char *before = "plot ";
    for (size_t i = 0; i < c->methods; i++) {
        if (!comparison_has(c, i)) {
            continue;
        }
        fprintf(out, "%s%s using 5:(%s('%s')) with linespoints ", before, data, function,
                c->name[i]);
        if (styled) {
            write_style(c, i, out);
        }
        fprintf(out, " title '%s%s%.*s'", c->name[i], i < c->own ? "" : " ",
                i < c->own ? 0 : (int)strcspn(c->peer[i - c->own].version, " '"),
                i < c->own ? "" : c->peer[i - c->own].version);
        before = ", \\\n     ";
    }
    fputc('\n', out);
}

/* Sets the range where only one length was measured: gnuplot would complain of an empty range. */
static void write_range(const struct comparison *c, FILE *out)
{
    size_t least = SIZE_MAX, most = 0;
    for (size_t l = 0; l < c->lengths; l++) {
        for (size_t i = 0; i < c->methods; i++) {
            if (comparison_figure(c, l, i)->outcome == MEASURED) {
                least = c->len[l] < least ? c->len[l] : least;
                most = c->len[l];
            }
        }
    }
    if (least == most) {
        fprintf(out, "set xrange [%.6g:%.6g]\n", (double)least / 2, (double)least * 2);
    }
}

static void write_settings(const struct comparison *c, FILE *out)
{
    fputs("set datafile separator comma\nset datafile missing NaN\nset encoding utf8\n"
          "set logscale x 2\nset logscale y 10\nset format x '%.0f'\nset format y '%g'\n"
          "ms(name) = stringcolumn(6) eq name ? column(8) / 1e6 : NaN\n"
          "ratio(name) = stringcolumn(6) eq name ? column(11) : NaN\n",
          out);
    write_range(c, out);
}

/* ---- the script ---- */

/* Writes the title and the line about the machine as variables: a block of the script could not
 * hold text with brackets. */
static void write_texts(const struct comparison *c, FILE *out)
{
    char text[300];
    snprintf(text, sizeof text, "%.100s: %s, %u thread%s", gfp_field_name(c->field),
             gfp_operation_name(c->operation), c->threads, c->threads == 1 ? "" : "s");
    fputs("title = ", out);
    write_quoted(out, text, '\'');
    fputs("\nmachine = ''\n", out);
    for (size_t i = 0; i < MACHINE_FACTS; i++) {
        const char *name = c->machine.fact[i].name;
        if (strcmp(name, "command") == 0) {
            continue; /* too long for a picture */
        }
        const bool version = i >= VERSION_FACTS && i + 1 < MACHINE_FACTS;
        snprintf(text, sizeof text, "%s%s%s%.250s", i > 0 ? ", " : "", version ? name : "",
                 version ? " " : "", c->machine.fact[i].text);
        fputs("machine = machine . ", out);
        write_quoted(out, text, '\'');
        fputc('\n', out);
    }
}

/* Writes the crossovers as vertical lines with labels. */
static void write_crossovers(const struct comparison *c, FILE *out)
{
    for (size_t i = 1; i < c->crossovers; i++) {
        char text[120];
        fprintf(out,
                "set arrow %zu from %.6g, graph 0 to %.6g, graph 1 nohead dashtype 3 "
                "linecolor rgb 'gray40'\n",
                i, c->crossover[i].len, c->crossover[i].len);
        crossover_label(text, sizeof text, c, i);
        fprintf(out, "set label %zu ", i + 1);
        write_quoted(out, text, '\'');
        fprintf(out, " at %.6g, graph %.2f left offset 0.5,0 noenhanced\n", c->crossover[i].len,
                0.04 + 0.05 * (double)(i % 4));
    }
}

void write_script(const void *comparison, FILE *out)
{
    const struct comparison *c = comparison;
    fputs("# compare.gp: compare.csv as a picture: `gnuplot compare.gp' draws compare.svg and\n"
          "# compare.png. ",
          out);
    fprintf(out, "%s\n", c->words);
    write_machine(out, &c->machine, "# ");
    write_settings(c, out);
    write_texts(c, out);
    /* The upper plot shows the times, the lower one their ratios to the pick's. The variable `only'
     * names one picture, written to standard output; without it both go to files. */
    fputs("if (!exists('only')) only = ''\n"
          "do for [kind in 'svg png'] {\n"
          "if (only eq '' || only eq kind) {\n"
          "if (kind eq 'svg') { set terminal svg size 960,800 dynamic background rgb 'white' }\n"
          "if (kind eq 'png') { set terminal pngcairo size 960,800 }\n"
          "if (only eq '') { set output 'compare.' . kind }\n"
          "set multiplot\n"
          "set lmargin at screen 0.11\nset rmargin at screen 0.79\nset grid\n"
          "set tmargin at screen 0.94\nset bmargin at screen 0.46\n"
          "set key at screen 0.8, screen 0.94 left top Left reverse samplen 2 noenhanced\n"
          "set xlabel ''\nset autoscale y\nunset label\nunset arrow\n",
          out);
    fprintf(out, "set ylabel 'ms%s, the least of several runs'\n",
            c->threads <= 1 ? " of CPU time" : "");
    fputs("set title title noenhanced\n"
          "set label 1 machine at screen 0.5, screen 0.015 center noenhanced font ',9' "
          "textcolor rgb 'gray40'\n",
          out);
    write_crossovers(c, out);
    write_plot(c, "'compare.csv'", "ms", true, out);
    fputs("set tmargin at screen 0.42\nset bmargin at screen 0.11\n"
          "unset key\nunset label\nunset title\nset xlabel 'terms of a factor'\n"
          "set ylabel \"times the pick\"\nset yrange [0.5:100]\n"
          "set arrow 100 from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb 'gray40'\n",
          out);
    write_plot(c, "'compare.csv'", "ratio", true, out);
    fputs("unset multiplot\nset output\n}\n}\n", out);
}

/* ---- gnuplot ---- */

/* Prints gnuplot's output without its leading form feed. Returns 0, or the error number. */
static int copy_plot(FILE *from)
{
    if (fseek(from, 0, SEEK_SET) != 0) {
        return errno;
    }
    for (int c = fgetc(from); c != EOF; c = fgetc(from)) {
        if (c != '\f') {
            putchar(c);
        }
    }
    return ferror(from) != 0 ? EIO : 0;
}

static void write_characters(const struct comparison *c, FILE *out)
{
    const char *terminal = getenv("TERM");
    const bool shown = isatty(STDOUT_FILENO) == 1;
    const bool colour = shown && terminal != NULL && strcmp(terminal, "dumb") != 0;
    fprintf(out, "$data << END\n");
    write_csv(c, out);
    fputs("END\n", out);
    write_settings(c, out);
    fprintf(out,
            "set terminal dumb size %d,%d %s\nset key outside bottom center horizontal noenhanced\n"
            "set xlabel 'terms'\nset ylabel 'ms' offset 3,0\n",
            line_width(STDOUT_FILENO), PLOT_ROWS, colour ? "ansi" : "mono");
    write_plot(c, "$data", "ms", false, out);
}

void print_plot(const struct comparison *c)
{
    FILE *script = tmpfile();
    FILE *plot = tmpfile();
    int status = 0;
    int error = script == NULL || plot == NULL ? errno : 0;
    if (error == 0) {
        write_characters(c, script);
        error = run_gnuplot(script, fileno(plot), &status);
    }
    if (error == 0 && status == 0) {
        error = copy_plot(plot);
    }
    if (error == ENOENT) {
        printf("(gnuplot would draw a plot here; Debian: apt-get install gnuplot-nox)\n");
    } else if (error != 0 || status != 0) {
        printf("(no plot: gnuplot %s)\n", error != 0 ? strerror(error) : "failed");
    }
    if (script != NULL) {
        (void)fclose(script);
    }
    if (plot != NULL) {
        (void)fclose(plot);
    }
}
