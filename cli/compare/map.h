/* map.h: a map of times: columns (strategies over Z, or methods) at places, which are lengths and
 * lines (bits of coefficients, or fields): which column wins, and by how much. Shared by
 * strategies.c and fields.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef CLI_COMPARE_MAP_H
#define CLI_COMPARE_MAP_H

#include "cli/compare/session.h"

/* Of lengths, and of lines. */
#define MOST_ON_AXIS 64
/* Columns, and behind them the choice. */
#define MOST_COLUMNS 20
/* Columns that take more than this many times the least time are left out. */
#define LOST_RATIO 20.0

struct map_place {
    size_t count;                        /* columns */
    struct figure by[MOST_COLUMNS + 1];  /* [count]: the choice */
    const char *name[MOST_COLUMNS + 1];  /* "" where the map has not come to this place */
    const char *group[MOST_COLUMNS + 1]; /* columns of one group are no rivals */
    const char *used;                    /* by the choice */
    size_t best;                         /* count: none was measured */
    size_t second; /* the best one of the other groups; count: none was measured */
    double lead;   /* the second's time divided by the least; 0: there is no second */
};

struct map;

/* What a map measures. */
struct map_kind {
    const char *column; /* "strategy" */
    const char *line;   /* "bits" */
    const char *axis;   /* "bits of a coefficient" */
    const char *over;   /* "over Z" */
    bool numbered;      /* lines are numbers */
    gfp_verify checked; /* how the first product of a figure is verified */
    /* Draws operands, and names columns and those to measure (MEASURED). */
    gfp_status (*draw)(struct map *map, struct map_place *p, size_t length, size_t line);
    gfp_status (*call)(struct map *map, const gfp_options *options);
    /* A session's `measure'. Calls measure_places. */
    int (*measure)(void *map, bool *interrupted);
};

struct map {
    const struct map_kind *kind;
    void *operands;        /* of the kind */
    const char *operation; /* "gcd" */
    uint64_t seed;
    unsigned threads;
    double seconds; /* about how long to measure */
    struct machine machine;
    size_t lengths, lines;
    size_t stride; /* places of a length: the lines asked for */
    size_t len[MOST_ON_AXIS];
    struct {
        char name[64];
        double at; /* on the axis: the number, or 1, 2, ... */
    } line[MOST_ON_AXIS];
    struct map_place *all; /* lengths x stride */
    char *words;
};

struct map_place *place_at(const struct map *m, size_t length, size_t line);
bool was_measured(const struct figure *f);
double time_of(const struct figure *f);
/* The number of places where the column with this name is the fastest. */
size_t wins_of(const struct map *m, const char *name);
/* Fills the lengths; min and most: those without --min-len and --max-len. Reports errors; returns
 * an exit code. */
int make_lengths(struct map *m, const struct compare_values *values, size_t min, size_t most);
/* Measures lines first <= i < end in about m->seconds. *lengths := those that are complete. Errors:
 * those of draw, MEMORY, CANCELLED. */
gfp_status measure_places(struct map *m, size_t first, size_t end, size_t *lengths);
/* Measures, shows and writes the map. Reports errors; returns an exit code. */
int run_map(struct map *m, const char *folder);

/* ---- map_files.c ---- */

void write_map_csv(const void *map, FILE *out);
void write_map_json(const void *map, FILE *out);
void write_map_script(const void *map, FILE *out);
void write_map_table(const void *map, FILE *out);

#endif
