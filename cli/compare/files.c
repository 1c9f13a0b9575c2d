/* files.c: writes a comparison as CSV, JSON, a script for gnuplot, and the pictures that
 * the script draws. Each file is put in place when it is complete.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/compare/session.h"
#include "cli/spawn.h"

static const char *const names[] = {"/compare.csv", "/compare.json", "/compare.gp",
                                    "/compare.md",  "/compare.svg",  "/compare.png"};
#define FILES (sizeof names / sizeof names[0])

/* ---- data ---- */

void write_csv(const void *comparison, FILE *out)
{
    const struct comparison *c = comparison;
    write_machine(out, &c->machine, "# ");
    for (size_t i = c->own; i < c->methods; i++) {
        fprintf(out, "# %s: %s\n", c->name[i], c->peer[i - c->own].version);
    }
    fputs("field,operation,threads,len_a,len_b,method,runs,min_ns,median_ns,spread_percent,"
          "ratio_to_pick,again,note\n",
          out);
    for (size_t i = 0; i < c->methods; i++) {
        for (size_t l = 0; l < c->lengths; l++) {
            const struct figure *f = comparison_figure(c, l, i);
            const gfp_problem p = comparison_question(c, l).problem;
            write_quoted(out, gfp_field_name(c->field), '"');
            fprintf(out, ",%s,%u,%zu,%zu,%s,", gfp_operation_name(c->operation), c->threads,
                    p.len_a, p.len_b, c->name[i]);
            if (f->outcome == MEASURED) {
                write_timing(out, &f->timing);
                fprintf(out, "%.4g,%u,", comparison_ratio(c, l, i), f->again);
            } else {
                fputs("0,,,,,0,", out);
            }
            write_note(out, f);
        }
    }
}

static void json_figures(struct json *json, const struct comparison *c)
{
    json_open(json, "figures", '[');
    for (size_t i = 0; i < c->methods; i++) {
        for (size_t l = 0; l < c->lengths; l++) {
            const struct figure *f = comparison_figure(c, l, i);
            const gfp_problem p = comparison_question(c, l).problem;
            json_open(json, NULL, '{');
            json_u64(json, "len_a", p.len_a);
            json_u64(json, "len_b", p.len_b);
            json_string(json, "method", c->name[i]);
            json_timing(json, f);
            if (f->outcome == MEASURED) {
                json_digits(json, "spread_percent", f->timing.spread, 4);
                json_digits(json, "ratio_to_pick", comparison_ratio(c, l, i), 4);
            } else {
                json_null(json, "spread_percent");
                json_null(json, "ratio_to_pick");
            }
            json_u64(json, "again", f->again);
            json_string(json, "note", f->note);
            json_close(json, '}');
        }
    }
    json_close(json, ']');
}

void write_json(const void *comparison, FILE *out)
{
    const struct comparison *c = comparison;
    struct json json;
    json_begin(&json, out);
    json_machine(&json, &c->machine);
    json_open(&json, "peers", '[');
    for (size_t i = c->own; i < c->methods; i++) {
        json_open(&json, NULL, '{');
        json_string(&json, "name", c->name[i]);
        json_string(&json, "version", c->peer[i - c->own].version);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_string(&json, "field", gfp_field_name(c->field));
    json_string(&json, "operation", gfp_operation_name(c->operation));
    json_u64(&json, "threads", c->threads);
    json_string(&json, "clock", c->threads <= 1 ? "cpu" : "wall");
    json_u64(&json, "seed", c->seed);
    json_open(&json, "picks", '[');
    for (size_t l = 0; l < c->lengths; l++) {
        json_open(&json, NULL, '{');
        json_u64(&json, "len", c->len[l]);
        json_string(&json, "method", c->pick[l] < c->methods ? c->name[c->pick[l]] : NULL);
        json_close(&json, '}');
    }
    json_close(&json, ']');
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

/* ---- pictures ---- */

/* Draws one picture; *missing: gnuplot was not found. */
static int draw_picture(const char *folder, const char *path, const char *only, bool *missing)
{
    struct output output;
    int status = 0;
    FILE *script = tmpfile();
    if (script == NULL) {
        complain("%s: not drawn: no temporary file: %s", path, strerror(errno));
        return FAILED;
    }
    int code = open_output(&output, path);
    if (code != DONE) {
        (void)fclose(script);
        return code;
    }
    fputs("cd ", script);
    write_quoted(script, folder, '\'');
    fprintf(script, "; only = '%s'; load 'compare.gp'\n", only);
    const int error = run_gnuplot(script, fileno(output.stream), &status);
    (void)fclose(script);
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

/* table: compare.md was written. */
static int draw_pictures(const char *folder, char *const *paths, bool table)
{
    bool missing = false;
    int code = draw_picture(folder, paths[DATA_FILES], "svg", &missing);
    if (code == DONE && !missing) {
        code = draw_picture(folder, paths[DATA_FILES + 1], "png", &missing);
    }
    if (code == DONE && missing) {
        say("no pictures: gnuplot was not found (Debian: apt-get install gnuplot-nox); once it is "
            "installed, `cd %s && gnuplot compare.gp' draws them",
            folder);
    } else if (code == DONE) {
        printf("%s: compare.csv, compare.json, compare.gp, compare.svg, compare.png%s\n", folder,
               table ? ", compare.md" : "");
    }
    return code;
}

/* ---- files ---- */

/* Makes the paths of all files; free_paths frees them. Reports errors; returns an exit code. */
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

int write_folder(const char *folder, const file_writer writers[DATA_FILES], const void *data)
{
    char *paths[FILES];
    int code = make_paths(paths, folder);
    for (size_t i = 0; i < DATA_FILES && code == DONE; i++) {
        struct output output;
        if (writers[i] == NULL) {
            continue;
        }
        code = open_output(&output, paths[i]);
        if (code == DONE) {
            writers[i](data, output.stream);
            code = finish_output(&output, GFP_OK);
        }
    }
    if (code == DONE) {
        code = draw_pictures(folder, paths, writers[DATA_FILES - 1] != NULL);
    }
    free_paths(paths);
    return code;
}
