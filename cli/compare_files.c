/* compare_files.c: a comparison as CSV, JSON and a script for gnuplot, which draws it; each file is
 * put in place when it is complete. SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compare.h"

extern char **environ;

static const char *const names[] = {"/compare.csv", "/compare.json", "/compare.gp", "/compare.svg",
                                    "/compare.png"};
#define DATA_FILES 3
/* The first fact about the machine whose text does not tell what it is. */
#define VERSION_FACTS 4
#define FILES (sizeof(names) / sizeof(names[0]))

/* ---- data ---- */

/* Quotes in the text are doubled. */
static void write_escaped(FILE *out, const char *text, char quote)
{
    for (; *text != '\0'; text++) {
        if (*text == quote) {
            fputc(quote, out);
        }
        fputc(*text, out);
    }
}

static void write_quoted(FILE *out, const char *text, char quote)
{
    fputc(quote, out);
    write_escaped(out, text, quote);
    fputc(quote, out);
}

static void write_csv(const struct comparison *c, FILE *out)
{
    write_machine(out, &c->machine, "# ");
    fputs("field,operation,threads,len_a,len_b,method,runs,min_ns,median_ns,spread_percent,note\n",
          out);
    for (size_t i = 0; i < c->methods; i++) {
        for (size_t l = 0; l < c->lengths; l++) {
            const struct figure *f = comparison_figure(c, l, i);
            const gfp_problem p = comparison_problem(c, l);
            write_quoted(out, gfp_field_name(c->field), '"');
            fprintf(out, ",%s,%u,%zu,%zu,%s,", gfp_operation_name(c->operation), c->threads,
                    p.len_a, p.len_b, c->name[i]);
            if (f->outcome == MEASURED) {
                fprintf(out, "%u,%" PRIu64 ",%" PRIu64 ",%.4g,\n", f->runs, f->min_ns, f->median_ns,
                        f->spread);
            } else {
                fputs("0,,,,", out);
                write_quoted(out, f->note, '"');
                fputc('\n', out);
            }
        }
    }
}

static void json_figures(struct json *json, const struct comparison *c)
{
    json_open(json, "figures", '[');
    for (size_t i = 0; i < c->methods; i++) {
        for (size_t l = 0; l < c->lengths; l++) {
            const struct figure *f = comparison_figure(c, l, i);
            const gfp_problem p = comparison_problem(c, l);
            json_open(json, NULL, '{');
            json_u64(json, "len_a", p.len_a);
            json_u64(json, "len_b", p.len_b);
            json_string(json, "method", c->name[i]);
            json_u64(json, "runs", f->runs);
            if (f->outcome == MEASURED) {
                json_u64(json, "min_ns", f->min_ns);
                json_u64(json, "median_ns", f->median_ns);
                json_digits(json, "spread_percent", f->spread, 4);
            } else {
                json_null(json, "min_ns");
                json_null(json, "median_ns");
                json_null(json, "spread_percent");
            }
            json_string(json, "note", f->note);
            json_close(json, '}');
        }
    }
    json_close(json, ']');
}

static void write_json(const struct comparison *c, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    json_machine(&json, &c->machine);
    json_string(&json, "field", gfp_field_name(c->field));
    json_string(&json, "operation", gfp_operation_name(c->operation));
    json_u64(&json, "threads", c->threads);
    json_u64(&json, "seed", c->seed);
    json_open(&json, "crossovers", '[');
    for (size_t i = 0; i < c->crossovers; i++) {
        json_open(&json, NULL, '{');
        json_string(&json, "method", c->name[c->crossover[i].method]);
        json_double(&json, "len", c->crossover[i].len);
        json_bool(&json, "interpolated", c->crossover[i].interpolated);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_string(&json, "words", c->words);
    json_figures(&json, c);
    json_end(&json);
}

/* ---- the script ---- */

static void write_title(const struct comparison *c, FILE *out)
{
    char text[300];
    snprintf(text, sizeof(text), "%.100s: %s, %u thread%s", gfp_field_name(c->field),
             gfp_operation_name(c->operation), c->threads, c->threads == 1 ? "" : "s");
    fputs("set title ", out);
    write_quoted(out, text, '\'');
    fputs(" noenhanced\nset label 1 ", out);
    fputc('\'', out);
    for (size_t i = 0; i < MACHINE_FACTS; i++) {
        const char *name = c->machine.fact[i].name;
        const bool version = i >= VERSION_FACTS && i + 1 < MACHINE_FACTS;
        fprintf(out, "%s%s%s", i > 0 ? ", " : "", version ? name : "", version ? " " : "");
        write_escaped(out, c->machine.fact[i].text, '\'');
    }
    fputs("' at screen 0.5, screen 0.015 center noenhanced font ',9' textcolor rgb 'gray40'\n",
          out);
}

/* Vertical lines with their names. */
static void write_crossovers(const struct comparison *c, FILE *out)
{
    for (size_t i = 1; i < c->crossovers; i++) {
        char text[120];
        crossover_label(text, sizeof(text), c, i);
        fprintf(out,
                "set arrow from %.6g, graph 0 to %.6g, graph 1 nohead dashtype 3 "
                "linecolor rgb 'gray40'\nset label ",
                c->crossover[i].len, c->crossover[i].len);
        write_quoted(out, text, '\'');
        fprintf(out, " at %.6g, graph %.2f left offset 0.5,0 noenhanced\n", c->crossover[i].len,
                0.04 + 0.05 * (double)(i % 4));
    }
}

static void write_script(const struct comparison *c, FILE *out)
{
    size_t curves = 0;
    fputs("# compare.gp: compare.csv as a picture: `gnuplot compare.gp' draws compare.svg and\n"
          "# compare.png. ",
          out);
    fprintf(out, "%s\n", c->words);
    write_machine(out, &c->machine, "# ");
    fputs("set datafile separator comma\nset datafile missing NaN\nset encoding utf8\n"
          "set logscale x 2\nset logscale y 10\nset format x '%.0f'\nset format y '%g'\n"
          "set xlabel 'terms of a factor'\nset ylabel 'ms, the least of several runs'\n"
          "set key left top noenhanced\nset grid\nset bmargin 5\n",
          out);
    write_title(c, out);
    write_crossovers(c, out);
    /* Which picture, on standard output; unless told, both, to files. */
    fputs("if (!exists('only')) only = ''\n", out);
    fputs("curve(name) = stringcolumn(6) eq name ? column(8) / 1e6 : NaN\n", out);
    fputs("draw = \"plot", out);
    for (size_t i = 0; i < c->methods; i++) {
        if (comparison_has(c, i)) {
            fprintf(out,
                    "%s 'compare.csv' using 5:(curve('%s')) with linespoints linewidth 2 "
                    "pointtype %zu%s title '%s'",
                    curves > 0 ? "," : "", c->name[i], curves % 12 + 1,
                    c->letter[i] >= 'A' && c->letter[i] <= 'Z' ? " dashtype 2" : "", c->name[i]);
            curves++;
        }
    }
    fputs("\"\n"
          "if (only ne 'png') {\n"
          "    set terminal svg size 960,640 dynamic background rgb 'white'\n"
          "    if (only eq '') { set output 'compare.svg' }\n"
          "    eval draw\n"
          "}\n"
          "if (only ne 'svg') {\n"
          "    set terminal pngcairo size 960,640\n"
          "    if (only eq '') { set output 'compare.png' }\n"
          "    eval draw\n"
          "}\n",
          out);
}

/* ---- pictures ---- */

/* Runs gnuplot in the folder, its standard output going to a file. *status gets that of waitpid.
 * Returns 0, or why there is no such program (errno). */
static int run_gnuplot(const char *folder, const char *only, int out, int *status)
{
    char *commands = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&commands, &size);
    if (stream == NULL) {
        return errno;
    }
    fputs("cd ", stream);
    write_quoted(stream, folder, '\'');
    fprintf(stream, "; only = '%s'; load 'compare.gp'", only);
    if (fclose(stream) != 0) {
        free(commands);
        return ENOMEM;
    }
    char *const argv[] = {(char[]){"gnuplot"}, (char[]){"-d"}, (char[]){"-e"}, commands, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    pid_t pid = 0;
    int error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        error = posix_spawnattr_init(&attributes);
    }
    if (error == 0) {
        sigemptyset(&defaults);
        sigaddset(&defaults, SIGPIPE);
        sigaddset(&defaults, SIGXFSZ);
        (void)posix_spawnattr_setsigdefault(&attributes, &defaults);
        (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
        error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        error = error == 0 ? posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO) : error;
        error =
            error == 0 ? posix_spawnp(&pid, argv[0], &actions, &attributes, argv, environ) : error;
        (void)posix_spawnattr_destroy(&attributes);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    free(commands);
    while (error == 0 && waitpid(pid, status, 0) < 0) {
        error = errno == EINTR ? 0 : errno;
    }
    return error;
}

/* One picture; *missing: there is no gnuplot. */
static int draw_picture(const char *folder, const char *path, const char *only, bool *missing)
{
    struct output output;
    int status = 0;
    int code = open_output(&output, path);
    if (code != DONE) {
        return code;
    }
    const int error = run_gnuplot(folder, only, fileno(output.stream), &status);
    if (error == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return finish_output(&output, GFP_OK);
    }
    abandon_output(&output);
    *missing = error == ENOENT;
    if (error != 0 && !*missing) {
        complain("gnuplot: cannot be run: %s", strerror(error));
    } else if (error == 0) {
        complain("%s: not drawn: gnuplot %s %d", path,
                 WIFEXITED(status) ? "ended with status" : "was ended by signal",
                 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    }
    return *missing ? DONE : FAILED;
}

static int draw_pictures(const char *folder, char *const *paths)
{
    bool missing = false;
    int code = draw_picture(folder, paths[DATA_FILES], "svg", &missing);
    if (code == DONE && !missing) {
        code = draw_picture(folder, paths[DATA_FILES + 1], "png", &missing);
    }
    if (code == DONE && missing) {
        complain("no pictures: gnuplot was not found (Debian: apt-get install gnuplot-nox); then "
                 "`cd %s && gnuplot compare.gp' draws them",
                 folder);
    } else if (code == DONE) {
        printf("%s: compare.csv, compare.json, compare.gp, compare.svg, compare.png\n", folder);
    }
    return code;
}

/* ---- files ---- */

/* The paths of all files, to be freed one by one. Reports errors; returns an exit code. */
static int make_paths(char **paths, const char *folder)
{
    bool good = true;
    for (size_t i = 0; i < FILES; i++) {
        paths[i] = join_path(folder, strlen(folder), names[i]);
        good = good && paths[i] != NULL;
    }
    return good ? DONE : complain_status("compare", GFP_ERR_MEMORY, NULL);
}

static void free_paths(char **paths)
{
    for (size_t i = 0; i < FILES; i++) {
        free(paths[i]);
    }
}

int prepare_folder(const char *folder)
{
    char *paths[FILES];
    int code = make_paths(paths, folder);
    if (code == DONE) {
        code = make_folders(paths[0], 0777);
    }
    for (size_t i = 0; i < FILES && code == DONE; i++) {
        struct output output;
        code = open_output(&output, paths[i]);
        if (code == DONE) {
            abandon_output(&output);
        }
    }
    free_paths(paths);
    return code;
}

int write_comparison(const struct comparison *c, const char *folder)
{
    void (*const writers[DATA_FILES])(const struct comparison *, FILE *) = {write_csv, write_json,
                                                                            write_script};
    char *paths[FILES];
    int code = make_paths(paths, folder);
    for (size_t i = 0; i < DATA_FILES && code == DONE; i++) {
        struct output output;
        code = open_output(&output, paths[i]);
        if (code == DONE) {
            writers[i](c, output.stream);
            code = finish_output(&output, GFP_OK);
        }
    }
    if (code == DONE) {
        code = draw_pictures(folder, paths);
    }
    free_paths(paths);
    return code;
}
