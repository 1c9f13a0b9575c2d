/* tuning.h: what a tuning is made of, and what its files share. A tuning carries the description of
 * the machine and the methods that it was measured with, so that one from elsewhere is kept as it
 * is.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_TUNING_H
#define GFP_TUNING_H

#include "costs.h"
#include "gfpoly/tuning.h"

/* Of a row. */
#define GFP_TUNING_MAX_LEN (UINT64_C(1) << 62)

/* Facts about a machine, texts of printable ASCII without '"'. */
enum { GFP_FACT_CPU, GFP_FACT_LEVEL, GFP_FACT_GPU, GFP_FACT_GFPOLY, GFP_FACT_FLINT, GFP_FACTS };
#define GFP_FACT_SIZE 80
#define GFP_METHOD_NAME_SIZE 24

/* The word for a fact in files. */
const char *gfp_fact_name(size_t fact);

/* What a measurement depends on. The methods are the columns of its rows. */
typedef struct gfp_machine {
    char fact[GFP_FACTS][GFP_FACT_SIZE];
    size_t methods;
    struct {
        char name[GFP_METHOD_NAME_SIZE];
        unsigned revision;
    } method[GFP_COST_COLUMNS];
} gfp_machine;

struct gfp_tuning {
    gfp_allocator allocator;
    gfp_machine machine;
    /* The column of each row of the method table; GFP_COST_COLUMNS: it has none. */
    size_t column[GFP_COST_COLUMNS];
    gfp_cost_row *rows; /* the order of costs.h */
    size_t count, capacity;
    uint64_t serial; /* of these rows alone, in this process; 0: there are none */
};

/* tuning.c: an empty one of a given machine; NULL: this one. Errors: MEMORY. */
gfp_status gfp_tuning_create_for(gfp_tuning **tuning, const gfp_machine *machine,
                                 const gfp_allocator *allocator);
/* The column of a method; GFP_COST_COLUMNS where there is none. */
size_t gfp_machine_column(const gfp_machine *machine, const char *method);
/* Whether the machine that measured had a GPU. */
bool gfp_tuning_has_gpu(const gfp_tuning *tuning);
/* Adds a row that comes after all others. Errors: SIZE (too many rows), MEMORY. */
gfp_status gfp_tuning_append(gfp_tuning *tuning, const gfp_cost_row *row);
/* The rows of an operation on factors that lie there, asked for with so many threads. */
gfp_cost_table gfp_tuning_group(const gfp_tuning *tuning, gfp_operation operation,
                                gfp_residence resident, unsigned threads);
/* The time of a method in the row of this key; 0: it was not measured. */
double gfp_tuning_find_ns(const gfp_tuning *tuning, const gfp_tuning_row *row, const char *method);
/* The least number of threads, from `from` on, that the operation has rows of from host memory; 0:
 * none. */
unsigned gfp_tuning_threads(const gfp_tuning *tuning, gfp_operation operation, unsigned from);
/* What such rows read (gfp_cost_read) for a method, a row of the method table, over a field and for
 * two lengths. */
bool gfp_tuning_read(const gfp_tuning *tuning, const gfp_cost_table *group, size_t method,
                     const gfp_field *field, uint64_t len_a, uint64_t len_b,
                     gfp_cost_reading *reading, const void *user, double *value);
/* Whether a row may have this operation and these lengths: PRODUCT and OPERAND len_a = len_b, or
 * len_a at least so much longer that it is another octave; SQUARE and LOW (of which the lower half
 * is what was timed) len_a = len_b; MIDDLE len_a = 2 len_b - 1. */
bool gfp_tuning_takes(unsigned operation, uint64_t len_a, uint64_t len_b);
/* log2 of the nanoseconds that the shape's method takes over its field for two factors of length
 * 2^m; HUGE_VAL where nothing measured says. */
double gfp_tuning_log2_cost(const gfp_tuning *tuning, const gfp_shape *shape, double m);

#endif
