/* bench/peers/picture.c: the ratios of products over Z/p as a picture, by gnuplot.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "bench/peers/session.h"
#include "cli/spawn.h"

/* The ratio of a library at a length over a field; 0: none. */
static double ratio_at(const session *o, const report *r, size_t field, size_t len, size_t library)
{
    const place at = {&o->operations[0], o->ring[field], o->s.lengths[len]};
    const record *x = find_figure(r, &at, library + 1);

    return x != NULL ? x->ratio_to_gfpoly : 0;
}

/* Writes block F of the data: lengths, and the ratios of the libraries, over a field. */
static void write_data(const session *o, const report *r, size_t field, FILE *out)
{
    fprintf(out, "$F%zu << END\n", field);
    for (size_t l = 0; l < o->s.length_count; l++) {
        fprintf(out, "%zu", o->s.lengths[l]);
        for (size_t i = 0; i < o->peer_count; i++) {
            const double ratio = ratio_at(o, r, field, l, i);
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
static void write_scale(const session *o, const report *r, FILE *out)
{
    double low = 1;
    double high = 2;

    for (size_t l = 0; l < o->s.length_count; l++) {
        fprintf(out, "%s%zu", l > 0 ? ", " : "set xtics (", o->s.lengths[l]);
    }
    fputs(")\nset offsets graph 0.05, graph 0.05, 0, 0\n", out);

    for (size_t i = 0; i < r->count; i++) {
        const double ratio = r->records[i].ratio_to_gfpoly;
        low = ratio > 0 ? fmin(low, ratio) : low;
        high = fmax(high, ratio);
    }
    fprintf(out, "set yrange [%.6g:%.6g]\n", low / 1.5, high * 1.2);
}

static void write_panel(const session *o, size_t library, FILE *out)
{
    /* Five colours that colour-blind readers can distinguish. */
    static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000"};

    fputs("set title \"", out);
    write_library(out, o->peers[library]->name);
    fprintf(out, " %s", o->peers[library]->version);
    fputs("\" noenhanced\nplot 1 with lines linecolor rgb 'gray50' dashtype 2 notitle", out);
    for (size_t f = 0; f < o->rings; f++) {
        fprintf(out,
                ", $F%zu using 1:%zu with linespoints linewidth 2 pointtype 7 pointsize 0.5 "
                "linecolor rgb '%s' title ",
                f, library + 2, colours[f % (sizeof(colours) / sizeof(colours[0]))]);
        write_quoted(out, o->ring[f], '\'');
    }
    fputs("\nunset ylabel\n", out);
}

static void write_script(const session *o, const report *r, const char *picture, FILE *out)
{
    for (size_t f = 0; f < o->rings; f++) {
        write_data(o, r, f, out);
    }
    fprintf(out, "set terminal svg size %zu,380 dynamic background rgb 'white'\nset output ",
            320 * o->peer_count);
    write_quoted(out, picture, '\'');
    fprintf(out,
            "\nset encoding utf8\nset multiplot layout 1,%zu title 'How many times longer other "
            "libraries take than gfpoly: product of two random polynomials'\n",
            o->peer_count);
    fputs("set logscale x 2\nset logscale y 2\nset format y '%g ×'\n"
          "set xlabel 'terms of a factor'\nset ylabel 'time / time of gfpoly'\nset grid\n"
          "set key bottom left maxrows 2 samplen 1 noenhanced\nset bmargin 5\n",
          out);
    fputs("set label 1 ", out);
    char facts[700];
    snprintf(facts, sizeof(facts), "%s, %s, one thread, %.10s", fact_of(r, "cpu"),
             fact_of(r, "cpu_level"), fact_of(r, "date"));
    write_quoted(out, facts, '\'');
    fputs(" at screen 0.5, screen 0.03 center noenhanced font ',9' textcolor rgb 'gray40'\n", out);
    write_scale(o, r, out);
    for (size_t i = 0; i < o->peer_count; i++) {
        write_panel(o, i, out);
    }
    fputs("unset multiplot\n", out);
}

/* Writes FILE.gp, the script by which gnuplot draws FILE.svg on another machine. */
static bool write_script_file(const session *o, const report *r, size_t stem)
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

bool draw_picture(const session *o, const report *r)
{
    const char *end = strrchr(o->picture, '.');

    if (o->peer_count == 0) {
        return complain("%s: not drawn: no other library", o->picture);
    }
    if (end != NULL && strcmp(end, ".gp") == 0) {
        return write_script_file(o, r, (size_t)(end - o->picture));
    }
    FILE *script = tmpfile();
    if (script == NULL) {
        return complain("a temporary file: %s", strerror(errno));
    }
    write_script(o, r, o->picture, script);
    int status = 0;
    (void)fflush(stdout);
    const bool drawn = run_gnuplot(script, STDOUT_FILENO, &status) == 0 && status == 0;
    fclose(script);
    return drawn || complain("%s: not drawn: gnuplot failed (Debian: apt-get install gnuplot-nox)",
                             o->picture);
}
