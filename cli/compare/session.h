/* session.h: shared by the files of the subcommand compare: times of methods over lengths, the
 * lengths at which one method overtakes another, and the output of both.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef CLI_COMPARE_SESSION_H
#define CLI_COMPARE_SESSION_H

#include "cli/cli.h"

enum outcome {
    NOT_REACHED = 0,
    MEASURED,
    CANNOT,  /* the method cannot serve, or it failed */
    LOST,    /* it took, or would take, many times the least time */
    TOO_LONG /* it needs more than the time that is left */
};

/* A method at a length. */
struct figure {
    enum outcome outcome;
    struct timing timing;
    unsigned again; /* number of repetitions because the time broke the method's curve */
    char note[240]; /* why no time was measured, or that the curve stays broken; printable ASCII */
};

/* The method is the fastest from len on. */
struct crossover {
    size_t method;
    double len;
    bool interpolated; /* else len was measured */
};

/* A table: rows are lengths; columns are gfpoly's methods, then other libraries. */
struct comparison {
    const gfp_field *field;
    gfp_operation operation;
    unsigned threads;
    uint64_t seed;
    double seconds;     /* about how long to measure */
    const char *folder; /* of the files; NULL: none */
    struct machine machine;
    size_t lengths, methods, crossovers;
    size_t own;        /* columns of gfpoly's methods: the first ones */
    size_t *len;       /* ascending lengths of the factors; for middle, of the shorter factor */
    size_t *row;       /* row of the method table, for each of these columns */
    size_t *pick;      /* at each length, the column that the others are compared with */
    const char **name; /* of each column */
    struct peer peer[MOST_PEERS]; /* of the other columns */
    struct figure *all;           /* lengths x methods */
    struct crossover *crossover;
    char *words; /* the crossovers as a sentence */
};

/* The problem at a length. */
struct question comparison_question(const struct comparison *c, size_t length);
struct figure *comparison_figure(const struct comparison *c, size_t length, size_t method);
/* Whether the method was measured at any length. */
bool comparison_has(const struct comparison *c, size_t method);
/* The method's time divided by the pick's. */
double comparison_ratio(const struct comparison *c, size_t length, size_t method);

/* ---- session.c ---- */

/* Fills x (may be NULL) with min, max, and between them numbers whose logarithms to base 2 differ
 * by `step`, as far as they are different. Returns their number. */
size_t fill_axis(size_t *x, size_t min, size_t max, double step);
/* Whether the list "NAME,NAME,..." has the name; an empty list (NULL) has all. */
bool is_listed(const char *list, const char *name);
/* Writes runs, least time, median and spread, each with a comma behind it. */
void write_timing(FILE *out, const struct timing *timing);
/* Writes the note, if any, and ends the line. */
void write_note(FILE *out, const struct figure *figure);
/* Writes the members runs, min_ns and median_ns. */
void json_timing(struct json *json, const struct figure *figure);
/* Prints the facts about the machine. */
void print_facts(const struct machine *machine);

/* Writes compare.csv, compare.json, compare.gp or compare.md. NULL: no such file. */
typedef void (*file_writer)(const void *data, FILE *out);
#define DATA_FILES 4

/* A measurement, and what becomes of its figures. */
struct session {
    void *data;
    struct machine *machine;
    const size_t *lengths; /* complete ones */
    /* After an interrupt only the complete lengths remain. Reports errors; returns an exit code. */
    int (*measure)(void *data, bool *interrupted);
    /* Prints the figures. Reports errors; returns an exit code. */
    int (*print)(void *data);
    file_writer writers[DATA_FILES];
};

/* Measures, prints, and writes the files to the folder (NULL: none). Reports errors; returns an
 * exit code. */
int run_session(const struct session *session, const char *folder);

/* ---- measure.c ---- */

/* Fills all figures of a struct comparison: a session's `measure'. */
int measure_comparison(void *comparison, bool *interrupted);

/* ---- text.c ---- */

/* Fills pick, crossover and words. Returns false without memory. */
bool find_crossovers(struct comparison *c);
/* text := "hybrid from 40 terms", the label in pictures. */
void crossover_label(char *text, size_t size, const struct comparison *c, size_t index);
/* Prints table, plot, methods left out, and the words on standard output. */
void print_comparison(const struct comparison *c);

/* ---- plot.c ---- */

/* A script for gnuplot that draws compare.csv of a comparison. */
void write_script(const void *comparison, FILE *out);
/* Prints the plot in characters on standard output; without gnuplot, a line that names it. */
void print_plot(const struct comparison *c);

/* ---- files.c ---- */

void write_csv(const void *comparison, FILE *out);
void write_json(const void *comparison, FILE *out);

/* Creates the folder if it does not exist, and checks that all files can be written. Reports
 * errors; returns an exit code. */
int prepare_folder(const char *folder);
/* Writes data, script and, if gnuplot is found, pictures. Each file is complete or unchanged.
 * Reports errors and prints the files written; returns an exit code. */
int write_folder(const char *folder, const file_writer writers[DATA_FILES], const void *data);

/* ---- strategies.c ---- */

/* Measures and shows a map of strategies over Z. Reports errors; returns an exit code. */
int compare_strategies(const struct request *request);

/* ---- fields.c ---- */

/* Measures and shows a map of methods over fields. Reports errors; returns an exit code. */
int compare_fields(const struct request *request);

#endif
