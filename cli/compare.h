/* compare.h: what the files of the subcommand compare share: figures of methods over lengths, where
 * one takes over from another, and the ways to show them. SPDX-License-Identifier:
 * LGPL-3.0-or-later */
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
    unsigned runs;
    uint64_t min_ns, median_ns;
    double spread;  /* between the quartiles, percent of the median */
    char note[240]; /* why there is no time; printable ASCII */
};

/* From a length on a method is the fastest. */
struct crossover {
    size_t method;
    double len;
    bool interpolated; /* else a length that was measured */
};

/* Rows are lengths, columns methods. */
struct comparison {
    const gfp_field *field;
    gfp_operation operation;
    unsigned threads;
    uint64_t seed;
    double seconds; /* to measure for, about */
    struct machine machine;
    size_t lengths, methods, crossovers;
    size_t *len;       /* ascending: of the factors; of middle that of the shorter one */
    size_t *row;       /* of the method table, of each column */
    const char **name; /* of each column */
    char *letter;      /* of each column, for the character plot; ' ' where it was never measured */
    struct figure *all; /* lengths x methods */
    struct crossover *crossover;
    char *words; /* the crossovers as a sentence */
};

/* What is computed at a length. */
gfp_problem comparison_problem(const struct comparison *c, size_t length);
struct figure *comparison_figure(const struct comparison *c, size_t length, size_t method);
/* Whether it was measured at any length. */
bool comparison_has(const struct comparison *c, size_t method);

/* ---- compare_measure.c ---- */

/* Fills all figures. After an interrupt only the lengths that were complete are left. Reports
 * errors; returns an exit code. */
int measure_comparison(struct comparison *c, bool *interrupted);

/* ---- compare_text.c ---- */

/* Fills crossover, words and letter. False without memory. */
bool find_crossovers(struct comparison *c);
/* "hybrid from 40 terms", as marked in pictures. */
void crossover_label(char *text, size_t size, const struct comparison *c, size_t index);
/* On standard output: table, plot, what was left out, the words. */
void print_comparison(const struct comparison *c);

/* ---- compare_files.c ---- */

/* Creates the folder where it is not there, and tries that all files can be written. Reports
 * errors; returns an exit code. */
int prepare_folder(const char *folder);
/* Data, script, and pictures where gnuplot is found; each is complete or as it was. Reports errors
 * and what was written; returns an exit code. */
int write_comparison(const struct comparison *c, const char *folder);

#endif
