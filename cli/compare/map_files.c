/* map_files.c: writes a map as CSV, JSON, a script for gnuplot, and a table in Markdown.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/compare/map.h"

#include <string.h>

void write_map_csv(const void *map, FILE *out)
{
    const struct map *m = map;
    write_machine(out, &m->machine, "# ");
    fprintf(out,
            "operation,len,%s,%s,runs,min_ns,median_ns,spread_percent,ratio_to_least,lead,note\n",
            m->kind->line, m->kind->column);
    for (size_t i = 0; i < m->lengths * m->lines; i++) {
        const struct map_place *p = place_at(m, i / m->lines, i % m->lines);
        for (size_t k = 0; k <= p->count; k++) {
            const struct figure *f = &p->by[k];
            fprintf(out, "%s,%zu,%s,%s,", m->operation, m->len[i / m->lines],
                    m->line[i % m->lines].name, p->name[k]);
            if (was_measured(f) && p->best < p->count) {
                write_timing(out, &f->timing);
                fprintf(out, "%.4g,", time_of(f) / time_of(&p->by[p->best]));
            } else {
                fputs("0,,,,,", out);
            }
            if (k == p->best && k < p->count) {
                fprintf(out, "%.4g", p->lead);
            }
            fputc(',', out);
            write_note(out, f);
        }
    }
}

static void json_place(struct json *json, const struct map *m, size_t index)
{
    const struct map_place *p = place_at(m, index / m->lines, index % m->lines);
    json_open(json, NULL, '{');
    json_u64(json, "len", m->len[index / m->lines]);
    if (m->kind->numbered) {
        json_u64(json, m->kind->line, (uint64_t)m->line[index % m->lines].at);
    } else {
        json_string(json, m->kind->line, m->line[index % m->lines].name);
    }
    json_string(json, "best", p->best < p->count ? p->name[p->best] : NULL);
    json_digits(json, "lead", p->lead, 4);
    json_string(json, "used", p->used);
    json_open(json, "figures", '[');
    for (size_t k = 0; k <= p->count; k++) {
        const struct figure *f = &p->by[k];
        json_open(json, NULL, '{');
        json_string(json, m->kind->column, p->name[k]);
        if (!m->kind->numbered) {
            json_string(json, "algorithm", p->group[k]);
        }
        json_timing(json, f);
        json_string(json, "note", f->note);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

void write_map_json(const void *map, FILE *out)
{
    const struct map *m = map;
    struct json json;
    json_begin(&json, out);
    json_machine(&json, &m->machine);
    json_string(&json, "operation", m->operation);
    json_u64(&json, "threads", m->threads);
    json_string(&json, "clock", m->threads <= 1 ? "cpu" : "wall");
    json_u64(&json, "seed", m->seed);
    json_string(&json, "words", m->words);
    json_open(&json, "places", '[');
    for (size_t i = 0; i < m->lengths * m->lines; i++) {
        json_place(&json, m, i);
    }
    json_close(&json, ']');
    json_end(&json);
}

/* The lines of names as numbers, for the script. */
static void write_line_numbers(const struct map *m, FILE *out)
{
    if (m->kind->numbered) {
        fprintf(out,
                "set logscale y 2\nset format y '%%.0f'\nheight(x) = column(3)\n"
                "set yrange [%.6g:%.6g]\n",
                m->line[0].at / 2, m->line[m->lines - 1].at * 2);
        return;
    }
    fputs("height(x) = ", out);
    for (size_t j = 0; j < m->lines; j++) {
        fprintf(out, "stringcolumn(3) eq '%s' ? %.0f : ", m->line[j].name, m->line[j].at);
    }
    fputs("NaN\nset ytics (", out);
    for (size_t j = 0; j < m->lines; j++) {
        fprintf(out, "%s'%s' %.0f", j > 0 ? ", " : "", m->line[j].name, m->line[j].at);
    }
    fprintf(out, ")\nset yrange [%zu:0]\n", m->lines + 1);
}

/* Squares in one colour for each column that wins somewhere. */
static void write_squares(const struct map *m, FILE *out)
{
    static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                          "#e69f00", "#7f7f7f", "#56b4e9", "#000000"};
    size_t shown = 0;
    for (size_t k = 0; k < m->all[0].count; k++) {
        const char *name = m->all[0].name[k];
        if (wins_of(m, name) > 0) {
            fprintf(out,
                    "'compare.csv' using (at('%s')):(height(0)) with points pointtype 5 "
                    "pointsize 5 linecolor rgb '%s' title '%s', \\\n     ",
                    name, colours[shown++ % (sizeof colours / sizeof colours[0])], name);
        }
    }
}

/* A square for each place, in the winner's colour, with the lead as its text. */
void write_map_script(const void *map, FILE *out)
{
    const struct map *m = map;
    const size_t height = m->lines > 16 ? 40 * m->lines : 640;
    fputs("# compare.gp: compare.csv as a picture: `gnuplot compare.gp' draws compare.svg and\n"
          "# compare.png. ",
          out);
    fprintf(out, "%s\n", m->words);
    write_machine(out, &m->machine, "# ");
    fputs("set datafile separator comma\nset datafile missing NaN\nset encoding utf8\n"
          "set logscale x 2\nset format x '%.0f'\n"
          "lead(x) = strlen(stringcolumn(10)) > 0\n"
          "at(name) = stringcolumn(4) eq name && lead(0) ? column(2) : NaN\n",
          out);
    write_line_numbers(m, out);
    fprintf(out,
            "set xrange [%.6g:%.6g]\nset title '%s %s: the fastest %s, and how many times as long "
            "the best other one takes'\n"
            "set xlabel 'coefficients of an operand'\nset ylabel '%s'\n"
            "set key outside right top spacing 2.5 noenhanced\n"
            "if (!exists('only')) only = ''\n"
            "do for [kind in 'svg png'] {\nif (only eq '' || only eq kind) {\n"
            "if (kind eq 'svg') { set terminal svg size 960,%zu dynamic background rgb 'white' }\n"
            "if (kind eq 'png') { set terminal pngcairo size 960,%zu }\n"
            "if (only eq '') { set output 'compare.' . kind }\nplot ",
            (double)m->len[0] / 2, (double)m->len[m->lengths - 1] * 2, m->operation, m->kind->over,
            m->kind->column, m->kind->axis, height, height);
    write_squares(m, out);
    fputs("'compare.csv' using (lead(0) ? column(2) : NaN):(height(0)):(lead(0) && column(10) > 0 "
          "? sprintf('%.1f', column(10)) : '') with labels textcolor rgb 'white' notitle\n"
          "set output\n}\n}\n",
          out);
}

static const char *fact_of(const struct map *m, const char *name)
{
    for (size_t i = 0; i < MACHINE_FACTS; i++) {
        if (strcmp(m->machine.fact[i].name, name) == 0) {
            return m->machine.fact[i].text;
        }
    }
    return "";
}

/* A table in Markdown: a row for each line, a column for each length. */
void write_map_table(const void *map, FILE *out)
{
    const struct map *m = map;
    fprintf(out, "| %s |", m->kind->axis);
    for (size_t i = 0; i < m->lengths; i++) {
        fprintf(out, " %zu |", m->len[i]);
    }
    fputs("\n|---|", out);
    for (size_t i = 0; i < m->lengths; i++) {
        fputs("---|", out);
    }
    for (size_t j = 0; j < m->lines; j++) {
        fprintf(out, "\n| %s |", m->line[j].name);
        for (size_t i = 0; i < m->lengths; i++) {
            const struct map_place *p = place_at(m, i, j);
            fprintf(out, " %s", p->best < p->count ? p->name[p->best] : "-");
            if (p->best < p->count && p->lead > 0) {
                fprintf(out, " (%s %.1f \xc3\x97)", p->name[p->second], p->lead);
            }
            fputs(" |", out);
        }
    }
    fprintf(
        out,
        "\n\n%s %s, %u thread%s, by the number of coefficients: the fastest %s (the best one of "
        "another kind, and how many times as long it takes);\nleast times of several runs on "
        "%s. gfpoly %s, %s; %s:\n`%s`\n",
        m->operation, m->kind->over, m->threads, m->threads == 1 ? "" : "s", m->kind->column,
        fact_of(m, "cpu"), fact_of(m, "gfpoly"), fact_of(m, "compiler"), fact_of(m, "date"),
        fact_of(m, "command"));
}
