/* scale.h: what `gfpoly scale` computes: measured times of products by ranks, devices and through
 * files, read from lines of text (docs/many.md describes them); a model that is fitted to one half
 * of them; and its predictions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CLI_SCALE_H
#define GFP_CLI_SCALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "gfpoly.h"

/* ---- measured points (points.c) ---- */

#define MOST_POINTS 2000
#define MOST_MACHINES 50
#define MOST_TERMS ((uint64_t)1 << 40)
#define MOST_WORKERS ((uint64_t)1 << 20)
#define NAME_SIZE 64

/* What works: threads of ranks, devices, or threads of ranks that share files. */
enum worker_kind { RANKS, GPUS, FILES, WORKER_KINDS };
extern const char *const worker_names[WORKER_KINDS];

/* Hosts of one make: workers and bytes of memory of each, bytes a second between two of them each
 * way. 0: not given. */
struct host {
    char name[NAME_SIZE];
    uint64_t workers, memory, link;
};

/* r^k + 1. */
struct modulus {
    char name[NAME_SIZE];
    unsigned k;
    double bits; /* log2 of r */
};

/* A product of two polynomials of `terms` coefficients, and the measured time. */
struct point {
    size_t host; /* an index */
    enum worker_kind kind;
    struct modulus field;
    uint64_t terms, workers;
    double seconds;
};

struct points {
    struct host host[MOST_MACHINES];
    struct point point[MOST_POINTS];
    size_t hosts, count;
};

/* *field := the field of this name. Errors: as gfp_field_create, and SIZE (the name is too long).
 */
gfp_status find_modulus(struct modulus *field, const char *name, gfp_error *error);
/* *points := those of a text, sorted by host (in the order of the text), kind, terms and workers.
 * Errors, with the line: PARSE, SIZE (too many points or machines), IO, those of find_modulus. */
gfp_status read_points(struct points *points, FILE *in, gfp_error *error);
/* The lines that the command brings along (measured.points). */
extern char measured_points[]; /* not const: fmemopen takes no const */

/* ---- the model (model.c) ---- */

/* A product takes the sum over the columns of an amount and a rate: seconds for each unit. */
#define MODEL_COLUMNS 5
struct column {
    const char *name; /* NULL: no more columns */
    const char *unit;
    bool inverse; /* shown as units a second */
};
extern const struct column model_columns[WORKER_KINDS][MODEL_COLUMNS];

/* Between two hosts, where the line of the machine does not tell the first one: bytes a second each
 * way, seconds for a message. */
#define ASSUMED_LINK 25e9
#define ASSUMED_LATENCY 5e-6

/* What a product needs. */
struct amounts {
    double column[MODEL_COLUMNS];
    double between; /* seconds of the exchange between hosts */
    double memory;  /* bytes of each host, or of all its devices */
};

void count_amounts(struct amounts *x, const struct host *host, const struct point *job);

/* Points of one host and kind. */
struct group {
    const struct host *host;
    const struct point *point;
    size_t count;
};
#define LEAST_POINTS 8

/* Rates from one half of the points, and relative errors of predictions of the other half. */
struct fit {
    double rate[MODEL_COLUMNS];
    size_t fitted, tested;
    double median, worst;
};

/* The next group behind *group, which begins with count = 0. False: there is none. */
bool next_group(struct group *group, const struct points *points);
/* Fits a group of at least LEAST_POINTS points: rates that are not negative with the least sum of
 * squares of relative errors, divided by the square of the number of points less that of rates
 * above 0 (generalized cross-validation). Returns false if no rates fit. */
bool fit_points(struct fit *fit, const struct group *group);
/* Seconds that a job takes. */
double predict_seconds(const struct fit *fit, const struct host *host, const struct point *job);
/* Whether the job's terms and workers lie between those of measured points of its field: in their
 * convex hull, on logarithmic scales. */
bool is_measured(const struct group *group, const struct point *job);

#endif
