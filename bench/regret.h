/* bench/regret.h: shared by the parts of gfpoly_regret: settings, problems and their results.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef REGRET_H
#define REGRET_H

#include "bench/bench.h"

#define MOST_METHODS 16
/* Methods estimated at more than this many times the least estimate are not measured. */
#define FAR 4.0

#define OPERATIONS 4
extern const gfp_operation operations[OPERATIONS];

/* The cost tables that pick. */
enum { BUILT_IN, TUNED, TABLES };

typedef struct options {
    settings s;
    size_t count, max_len;
    unsigned threads;
    double budget, longest; /* seconds: for all problems; of the longest product */
    bool all, resident;
    const char *tuning_path, *output;
} options;

/* A method on a problem. */
typedef struct contender {
    const char *method;
    bool runs;
    gfp_space *space;
    gfp_operand *x;             /* for products by an operand */
    gfp_gpu_product_plan *plan; /* for a product on the device */
    size_t batch;
    double least; /* nanoseconds */
} contender;

/* A problem and its result. */
typedef struct trial {
    const gfp_field *field;
    gfp_problem p;
    unsigned threads;
    size_t methods, best;
    contender by[MOST_METHODS]; /* the method table */
    size_t pick[TABLES];
    double regret[TABLES];
} trial;

typedef struct bench {
    options o;
    gfp_field *fields[MAX_FIELDS];
    gfp_tuning *tuning;
    gfp_random g;
    trial *trials;
    size_t done;
    gfp_poly a, b, c, reference;
    gfp_gpu *gpu; /* NULL: all factors lie in host memory */
    gfp_gpu_array *da, *db, *dc;
    gfp_error error;
} bench;

/* ---- regret_trial.c ---- */

/* *t := a random problem within the time limits, its picks, and the methods that could be the best.
 * Returns false after a message. */
bool draw_trial(bench *b, trial *t);
/* Measures these methods, compares their results, and finds the best method and the cost of the
 * picks relative to it. Returns false after a message. */
bool measure_trial(bench *b, trial *t);

/* ---- regret_report.c ---- */

/* Writes the finished trials as Markdown. Returns false after a message. */
bool write_report(const bench *b, FILE *out);

#endif
