/* bench/peers/table.c: see table.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>

#include "bench/peers/table.h"

static const record *record_at(const peers_output *o, const report *r, size_t field, size_t len,
                               size_t library)
{
    return &r->records[(field * o->lengths + len) * o->libraries + library];
}

/* Digits behind the point for this number of digits in all. */
static int decimals_of(double x, int digits)
{
    const int decimals = digits - 1 - (int)floor(log10(x));
    return decimals > 0 ? decimals : 0;
}

void peers_write_ms(FILE *out, double ns)
{
    if (ns > 0) {
        fprintf(out, "%.*f", decimals_of(ns / 1e6, 3), ns / 1e6);
    } else {
        fputc('-', out);
    }
}

void peers_write_ratio(FILE *out, double ratio)
{
    if (ratio > 0) {
        fprintf(out, "%.*f ×", ratio < 0.095 ? decimals_of(ratio, 2) : ratio < 9.95 ? 1 : 0, ratio);
    } else {
        fputc('-', out);
    }
}

void peers_write_library(FILE *out, const char *name)
{
    bool first = true;

    for (; *name != '\0'; name++) {
        first = first && *name != ' ';
        fputc(first ? toupper((unsigned char)*name) : *name, out);
    }
}

static const char *fact(const report *r, const char *name)
{
    for (size_t i = 0; i < MACHINE_FACTS; i++) {
        if (strcmp(r->machine.fact[i].name, name) == 0) {
            return r->machine.fact[i].text;
        }
    }
    return "";
}

static void write_cells(const peers_output *o, const report *r, size_t field, size_t library,
                        FILE *out)
{
    for (size_t l = 0; l < o->lengths; l++) {
        const record *x = record_at(o, r, field, l, library);
        fputs(" | ", out);
        if (library == 0) {
            peers_write_ms(out, x->time.min_ns);
        } else {
            peers_write_ratio(out, x->ratio_to_gfpoly);
        }
    }
    fputs(" |\n", out);
}

static void write_head(const peers_output *o, const report *r, FILE *out)
{
    fputs("| p | terms of a factor:", out);
    for (size_t l = 0; l < o->lengths; l++) {
        fprintf(out, " | %zu", record_at(o, r, 0, l, 0)->len_a);
    }
    fputs(" |\n|---|---|", out);
    for (size_t l = 0; l < o->lengths; l++) {
        fputs("---:|", out);
    }
    fputc('\n', out);
}

void peers_write_facts(const peers_output *o, const report *r, const char *text, FILE *out)
{
    fprintf(out, "\n%s one thread, %s, kernel level %s", text, fact(r, "cpu"),
            fact(r, "cpu_level"));
    fprintf(
        out,
        ": the least time of\nseveral runs, and how many times longer the other libraries take. "
        "All results were compared,\ncoefficient by coefficient. gfpoly %s by %s, GMP %s; "
        "%.10s:\n`",
        fact(r, "gfpoly"), fact(r, "compiler"), fact(r, "gmp"), fact(r, "date"));
    for (int i = 0; i < o->argc; i++) {
        fprintf(out, "%s%s", i > 0 ? " " : "", o->argv[i]);
    }
    fputs("`\n", out);
}

bool peers_write_table(const peers_output *o, const report *r, FILE *out)
{
    report_begin(out);
    write_head(o, r, out);
    for (size_t f = 0; f < o->fields; f++) {
        for (size_t i = 0; i < o->libraries; i++) {
            const record *x = record_at(o, r, f, 0, i);
            if (i == 0) {
                fprintf(out, "| %s, %u bits | gfpoly, ms", x->field, o->bits[f]);
            } else {
                fputs("| | ", out);
                peers_write_library(out, x->name);
            }
            write_cells(o, r, f, i, out);
        }
    }
    peers_write_facts(o, r, "The product of two random polynomials by", out);
    return report_end(out, o->table);
}

/* ---- the picture ---- */

/* Writes block F of the data: lengths, and the ratios of the libraries, over a field. */
static void write_data(const peers_output *o, const report *r, size_t field, FILE *out)
{
    fprintf(out, "$F%zu << END\n", field);
    for (size_t l = 0; l < o->lengths; l++) {
        fprintf(out, "%zu", record_at(o, r, field, l, 0)->len_a);
        for (size_t i = 1; i < o->libraries; i++) {
            const double ratio = record_at(o, r, field, l, i)->ratio_to_gfpoly;
            if (ratio > 0) {
                fprintf(out, " %.6g", ratio);
            } else {
                fputs(" NaN", out);
            }
        }
        fputc('\n', out);
    }
    fputs("END\n", out);
}

/* All panels have one scale, which contains the ratio 1. */
static void write_scale(const peers_output *o, const report *r, FILE *out)
{
    double low = 1;
    double high = 2;

    for (size_t l = 0; l < o->lengths; l++) {
        fprintf(out, "%s%zu", l > 0 ? ", " : "set xtics (", record_at(o, r, 0, l, 0)->len_a);
    }
    fputs(")\nset offsets graph 0.05, graph 0.05, 0, 0\n", out);

    for (size_t i = 0; i < r->count; i++) {
        const double ratio = r->records[i].ratio_to_gfpoly;
        low = ratio > 0 ? fmin(low, ratio) : low;
        high = fmax(high, ratio);
    }
    fprintf(out, "set yrange [%.6g:%.6g]\n", low / 1.5, high * 1.2);
}

static void write_panel(const peers_output *o, const report *r, size_t library, FILE *out)
{
    /* Five colours that colour-blind readers can distinguish. */
    static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000"};

    fputs("set title \"", out);
    peers_write_library(out, record_at(o, r, 0, 0, library)->name);
    fputs("\" noenhanced\nplot 1 with lines linecolor rgb 'gray50' dashtype 2 notitle", out);
    for (size_t f = 0; f < o->fields; f++) {
        fprintf(out,
                ", $F%zu using 1:%zu with linespoints linewidth 2 pointtype 7 pointsize 0.5 "
                "linecolor rgb '%s' title ",
                f, library + 1, colours[f % (sizeof(colours) / sizeof(colours[0]))]);
        write_quoted(out, record_at(o, r, f, 0, 0)->field, '\'');
    }
    fputs("\nunset ylabel\n", out);
}

static void write_script(const peers_output *o, const report *r, const char *picture, FILE *out)
{
    for (size_t f = 0; f < o->fields; f++) {
        write_data(o, r, f, out);
    }
    fprintf(out, "set terminal svg size %zu,380 dynamic background rgb 'white'\nset output ",
            320 * (o->libraries - 1));
    write_quoted(out, picture, '\'');
    fprintf(out,
            "\nset encoding utf8\nset multiplot layout 1,%zu title 'How many times longer other "
            "libraries take than gfpoly: product of two random polynomials'\n",
            o->libraries - 1);
    fputs("set logscale x 2\nset logscale y 2\nset format y '%g ×'\n"
          "set xlabel 'terms of a factor'\nset ylabel 'time / time of gfpoly'\nset grid\n"
          "set key bottom left maxrows 2 samplen 1 noenhanced\nset bmargin 5\n",
          out);
    fputs("set label 1 ", out);
    char facts[700];
    snprintf(facts, sizeof(facts), "%s, %s, one thread, %.10s", fact(r, "cpu"),
             fact(r, "cpu_level"), fact(r, "date"));
    write_quoted(out, facts, '\'');
    fputs(" at screen 0.5, screen 0.03 center noenhanced font ',9' textcolor rgb 'gray40'\n", out);
    write_scale(o, r, out);
    for (size_t i = 1; i < o->libraries; i++) {
        write_panel(o, r, i, out);
    }
    fputs("unset multiplot\n", out);
}

/* Writes FILE.gp, the script by which gnuplot draws FILE.svg on another machine. */
static bool write_script_file(const peers_output *o, const report *r, size_t stem)
{
    char picture[4096];
    FILE *out;

    if (stem + sizeof(".svg") > sizeof(picture)) {
        return complain("%s: %s", o->picture, strerror(ENAMETOOLONG));
    }
    snprintf(picture, sizeof(picture), "%.*s.svg", (int)stem, o->picture);
    if (!report_open(&out, o->picture)) {
        return false;
    }
    report_begin(out);
    write_script(o, r, picture, out);
    return report_end(out, o->picture);
}

bool peers_draw(const peers_output *o, const report *r)
{
    const char *end = strrchr(o->picture, '.');

    if (o->libraries == 1) {
        return complain("%s: not drawn: no other library", o->picture);
    }
    if (end != NULL && strcmp(end, ".gp") == 0) {
        return write_script_file(o, r, (size_t)(end - o->picture));
    }
    /* The exit status shows that gnuplot is missing. */
    (void)signal(SIGPIPE, SIG_IGN);
    FILE *gnuplot = popen("gnuplot", "w");
    if (gnuplot == NULL) {
        return complain("gnuplot: %s", strerror(errno));
    }
    write_script(o, r, o->picture, gnuplot);
    return pclose(gnuplot) == 0 ||
           complain("%s: not drawn: gnuplot failed (Debian: apt-get install gnuplot-nox)",
                    o->picture);
}
