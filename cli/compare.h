/* compare.h: what the files of the subcommand compare share: figures of methods over lengths, where
 * one takes over from another, and the ways to show them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CLI_COMPARE_H
#define GFP_CLI_COMPARE_H

#include "cli.h"

enum outcome {
    NOT_REACHED = 0,
    MEASURED,
    CANNOT,  /* the method cannot serve, or failed */
    LOST,    /* it took, or would take, many times the least time */
    TOO_LONG /* for the time that is left */
};

/* A method at a length. */
struct figure {
    enum outcome outcome;
    struct timing timing;
    unsigned again; /* how often it was measured again, since it broke the method's curve */
    char note[240]; /* why there is no time, or that the curve stays broken; printable ASCII */
};

/* From a length on a method is the fastest. */
struct crossover {
    size_t method;
    double len;
    bool interpolated; /* else a length that was measured */
};

/* Rows are lengths, columns methods: gfpoly's, then other libraries. */
struct comparison {
    const gfp_field *field;
    gfp_operation operation;
    unsigned threads;
    uint64_t seed;
    double seconds; /* to measure for, about */
    struct machine machine;
    size_t lengths, methods, crossovers;
    size_t own;                   /* columns of gfpoly's methods: the first ones */
    size_t *len;                  /* ascending: of the factors; of middle that of the shorter one */
    size_t *row;                  /* of the method table, of each of these columns */
    size_t *pick;                 /* at each length, the column that the others are compared with */
    const char **name;            /* of each column */
    struct peer peer[MOST_PEERS]; /* of the other columns */
    struct figure *all;           /* lengths x methods */
    struct crossover *crossover;
    char *words; /* the crossovers as a sentence */
};

/* What is computed at a length. */
struct question comparison_question(const struct comparison *c, size_t length);
struct figure *comparison_figure(const struct comparison *c, size_t length, size_t method);
/* Whether it was measured at any length. */
bool comparison_has(const struct comparison *c, size_t method);
/* Its time in times that of the pick. */
double comparison_ratio(const struct comparison *c, size_t length, size_t method);

/* ---- compare_measure.c ---- */

/* Fills all figures. After an interrupt only the lengths that were complete are left. Reports
 * errors; returns an exit code. */
int measure_comparison(struct comparison *c, bool *interrupted);

/* ---- compare_text.c ---- */

/* Fills pick, crossover and words. False without memory. */
bool find_crossovers(struct comparison *c);
/* "hybrid from 40 terms", as marked in pictures. */
void crossover_label(char *text, size_t size, const struct comparison *c, size_t index);
/* On standard output: table, plot, what was left out, the words. */
void print_comparison(const struct comparison *c);

/* ---- compare_plot.c ---- */

/* A script for gnuplot that draws compare.csv. */
void write_script(const struct comparison *c, FILE *out);
/* Runs gnuplot on a script, from its beginning; its standard output goes to the file out. *status
 * gets that of waitpid. Returns 0, or why there is no such program (errno). */
int run_gnuplot(FILE *script, int out, int *status);
/* The plot in characters on standard output, where gnuplot is found; else a line about it. */
void print_plot(const struct comparison *c);

/* ---- compare_files.c ---- */

void write_csv(const struct comparison *c, FILE *out);

/* Creates the folder where it is not there, and tries that all files can be written. Reports
 * errors; returns an exit code. */
int prepare_folder(const char *folder);
/* Data, script, and pictures where gnuplot is found; each is complete or as it was. Reports errors
 * and what was written; returns an exit code. */
int write_comparison(const struct comparison *c, const char *folder);

#endif
