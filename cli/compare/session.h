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
    double seconds; /* about how long to measure */
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

/* ---- measure.c ---- */

/* Fills all figures. After an interrupt only the complete lengths remain. Reports errors; returns
 * an exit code. */
int measure_comparison(struct comparison *c, bool *interrupted);

/* ---- text.c ---- */

/* Fills pick, crossover and words. Returns false without memory. */
bool find_crossovers(struct comparison *c);
/* text := "hybrid from 40 terms", the label in pictures. */
void crossover_label(char *text, size_t size, const struct comparison *c, size_t index);
/* Prints table, plot, methods left out, and the words on standard output. */
void print_comparison(const struct comparison *c);

/* ---- plot.c ---- */

/* A script for gnuplot that draws compare.csv. */
void write_script(const struct comparison *c, FILE *out);
/* Runs gnuplot on the whole script, with standard output `out`. *status gets waitpid's status.
 * Returns 0, or errno where gnuplot could not be run. */
int run_gnuplot(FILE *script, int out, int *status);
/* Prints the plot in characters on standard output; without gnuplot, a line that names it. */
void print_plot(const struct comparison *c);

/* ---- files.c ---- */

void write_csv(const struct comparison *c, FILE *out);

/* Writes compare.csv, compare.json or compare.gp. */
typedef void (*file_writer)(const void *data, FILE *out);
#define DATA_FILES 3

/* Creates the folder if it does not exist, and checks that all files can be written. Reports
 * errors; returns an exit code. */
int prepare_folder(const char *folder);
/* Writes data, script and, if gnuplot is found, pictures. Each file is complete or unchanged.
 * Reports errors and prints the files written; returns an exit code. */
int write_folder(const char *folder, const file_writer writers[DATA_FILES], const void *data);
/* The same for a comparison. */
int write_comparison(const struct comparison *c, const char *folder);

/* ---- strategies.c ---- */

/* Measures and shows a map of strategies over Z. Reports errors; returns an exit code. */
int compare_strategies(const struct request *request);

#endif
