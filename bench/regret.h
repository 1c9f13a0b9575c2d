/* bench/regret.h: what the parts of gfpoly_regret share: its settings, problems and what came of
 * them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef REGRET_H
#define REGRET_H

#include "bench.h"

#define MOST_METHODS 16
/* Methods whose estimate is more times the least one are not measured. */
#define FAR 4.0

#define OPERATIONS 4
extern const gfp_operation operations[OPERATIONS];

/* The tables of costs that pick. */
enum { BUILT_IN, TUNED, TABLES };

typedef struct options {
    settings s;
    size_t count, max_len;
    unsigned threads;
    double budget, longest; /* seconds: of all, and of one product */
    bool all, resident;
    const char *tuning_path, *output;
} options;

/* A method on a problem. */
typedef struct contender {
    const char *method;
    bool runs;
    gfp_space *space;
    gfp_operand *x;             /* of an operation by operands */
    gfp_gpu_product_plan *plan; /* of one on the device */
    size_t batch;
    double least; /* nanoseconds */
} contender;

/* A problem and what came of it. */
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
    gfp_gpu *gpu; /* NULL: all problems are from host memory */
    gfp_gpu_array *da, *db, *dc;
    gfp_error error;
} bench;

/* ---- regret_trial.c ---- */

/* *t := a problem of the wanted time, its picks, and which methods could be the best. False after a
 * complaint. */
bool draw_trial(bench *b, trial *t);
/* The least times of these methods, whose results are compared; the best, and what the picks cost
 * beside it. False after a complaint. */
bool measure_trial(bench *b, trial *t);

/* ---- regret_report.c ---- */

/* The trials that are done, as Markdown. False after a complaint. */
bool write_report(const bench *b, FILE *out);

#endif
