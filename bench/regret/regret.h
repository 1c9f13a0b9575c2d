/* bench/regret/regret.h: shared by the files of gfpoly_regret: settings, problems and their
 * results.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_REGRET_REGRET_H
#define BENCH_REGRET_REGRET_H

#include "bench/bench.h"
#include "cli/compare/inputs.h"

#define MOST_METHODS 16

#define OPERATIONS 4
/* Over Z/p. Operations without device memory come last. */
extern const gfp_operation operations[OPERATIONS];

/* The cost tables that pick. */
enum { BUILT_IN, TUNED, TABLES };

typedef struct options {
    settings s;
    bool over_z;
    size_t count, max_len;
    size_t only; /* the number of the problem that is measured; 0: all are */
    unsigned threads;
    double budget, longest; /* seconds: for all problems; of the longest product */
    /* Methods estimated at more than this many times the least estimate are not measured; over Z,
     * those whose first calls take as long. */
    double far;
    bool all, resident;
    const char *tuning_path, *output, *operation;
} options;

/* A method on a problem. */
typedef struct method_run {
    const char *method; /* NULL: the call that chooses, over Z */
    bool runs;
    double estimate;            /* nanoseconds; 0: none */
    gfp_space *space;           /* over Z/p, as the next two */
    gfp_operand *x;             /* for products by an operand */
    gfp_gpu_product_plan *plan; /* for a product on the device */
    size_t batch;
    double least; /* nanoseconds */
} method_run;

/* A problem and its result. */
typedef struct trial {
    size_t number;          /* from 1 on */
    const gfp_field *field; /* NULL: over Z */
    gfp_problem p;          /* over Z its lengths, and as n that of a gcd's divisor */
    zoperation over_z;
    double first_ns;       /* over Z: the least time of a method's first calls; 0: none yet */
    size_t bits_a, bits_b; /* of coefficients over Z */
    unsigned threads;
    size_t methods, best;
    method_run by[MOST_METHODS]; /* the methods, and over Z the call that chooses */
    const char *used;            /* the method of the call that chooses */
    size_t pick[TABLES];
    double estimate[TABLES]; /* of the pick */
    double regret[TABLES];   /* 0: not measured */
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
    gfp_zring *ring; /* over Z, as the next four */
    gfp_zvec za, zb, zc, z_reference;
    gfp_error error;
} bench;

/* Problems over Z/p, or over Z. */
typedef struct subject {
    /* *t := a random problem within the time limits, its picks, and the methods that could be the
     * best. Returns false after a message. */
    bool (*draw)(bench *b, trial *t);
    /* Makes the operands and the expected result. */
    gfp_status (*prepare)(bench *b, const trial *t);
    /* Makes what a method needs, and runs it once; may find that the method does not run. */
    gfp_status (*enter)(bench *b, trial *t, method_run *x);
    gfp_status (*run)(bench *b, trial *t, const method_run *x);
    /* Whether the result of the last run is the expected one. */
    bool (*right)(const bench *b);
    void (*release)(bench *b, trial *t);
} subject;
extern const subject subject_over_p, subject_over_z;

const char *operation_of(const trial *t);
/* text := the field, or the bits of both operands. */
void name_ring(char *text, size_t size, const trial *t);

/* ---- rounds.c ---- */

/* Measures the methods of a trial in turns, compares their results, and finds the best method and
 * the cost of the picks relative to it. Returns false after a message. */
bool measure_trial(bench *b, const subject *over, trial *t);

/* ---- report.c ---- */

/* Writes the finished trials as Markdown. Returns false after a message. */
bool write_report(const bench *b, FILE *out);

#endif
