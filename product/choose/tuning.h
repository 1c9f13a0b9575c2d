/* tuning.h: the struct of tunings, and declarations that the files of tunings share. A tuning
 * carries the description of the machine and the methods that it was measured with, so a tuning of
 * another machine is kept unchanged.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_CHOOSE_TUNING_H
#define GFP_PRODUCT_CHOOSE_TUNING_H

#include "product/methods/costs.h"
#include "gfpoly/tuning.h"

/* The greatest length in a row. */
#define GFP_TUNING_MAX_LEN (UINT64_C(1) << 62)

/* The most nanoseconds of an entry (11 days). */
#define GFP_TUNING_MAX_NS 1e15

/* A row: the field r^k + 1; the lengths of the first factor and of the second, which is not longer;
 * the operation; the threads requested; where factors and result lie. */
typedef struct gfp_tuning_row {
    unsigned k;
    uint64_t r;
    uint64_t len;
    uint64_t len_b; /* to enter a row: 0 means len */
    gfp_operation operation;
    unsigned threads; /* to enter a row: 0 means 1 */
    gfp_residence resident;
} gfp_tuning_row;

/* *row := row number `index`; rows are in ascending order of (operation, resident, threads, k, r,
 * len, len_b). Errors: ARGUMENT (index >= count). */
GFP_MUST_CHECK gfp_status gfp_tuning_get_row(const gfp_tuning *tuning, size_t index,
                                             gfp_tuning_row *row);
/* Nanoseconds of the method in a row; 0 if this was not measured, or if the tuning does not have
 * the method or the index. */
double gfp_tuning_get_ns(const gfp_tuning *tuning, size_t index, const char *method);
/* Enters a time for any row: PRODUCT and OPERAND with equal lengths, or with len more than 1.42
 * times len_b; SQUARE and LOW (mod X^len) with equal lengths; MIDDLE (from = len_b - 1, n = len_b)
 * with len = 2 len_b - 1. ns = 0 removes an entry. Errors: UNKNOWN (method), ARGUMENT (len = 0 or
 * above 2^62; ns outside of [0, GFP_TUNING_MAX_NS]; other rows), SIZE (too many rows), MEMORY. */
GFP_MUST_CHECK gfp_status gfp_tuning_set_row(gfp_tuning *tuning, const gfp_tuning_row *row,
                                             const char *method, double ns);
/* Facts about a machine, texts of printable ASCII without '"'. */
enum { GFP_FACT_CPU, GFP_FACT_LEVEL, GFP_FACT_GPU, GFP_FACT_GFPOLY, GFP_FACT_FLINT, GFP_FACTS };
#define GFP_FACT_SIZE 80
#define GFP_METHOD_NAME_SIZE 24

/* The name of a fact in files. */
const char *gfp_fact_name(size_t fact);

/* The machine and library that a measurement depends on. The methods are the columns of its
 * rows. */
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
    /* The column of each row of the method table; GFP_COST_COLUMNS: no column. */
    size_t column[GFP_COST_COLUMNS];
    gfp_cost_row *rows; /* the order of product/methods/costs.h */
    size_t count, capacity;
    /* Of tests and benchmarks: values of thresholds, whose meaning an upper room knows; NULL in a
     * tuning from a file or a measurement. */
    const size_t *thresholds;
    uint64_t serial; /* number of this state of the rows, unique in this process; 0: no rows */
};

/* choice.c: *operation := the operation of this name (gfp_operation_name). Errors: UNKNOWN. */
gfp_status gfp_operation_find(gfp_operation *operation, const char *name);

/* tuning.c: an empty tuning of a given machine (NULL: this one). Errors: MEMORY. */
gfp_status gfp_tuning_create_for(gfp_tuning **tuning, const gfp_machine *machine,
                                 const gfp_allocator *allocator);
/* The column of a method; GFP_COST_COLUMNS if it has none. */
size_t gfp_machine_column(const gfp_machine *machine, const char *method);
/* Whether the machine that measured had a GPU. */
bool gfp_tuning_has_gpu(const gfp_tuning *tuning);
/* Adds a row that comes after all others. Errors: SIZE (too many rows), MEMORY. */
gfp_status gfp_tuning_append(gfp_tuning *tuning, const gfp_cost_row *row);
/* The rows of an operation, a residence and a number of threads. */
gfp_cost_table gfp_tuning_group(const gfp_tuning *tuning, gfp_operation operation,
                                gfp_residence resident, unsigned threads);
/* The time of a method in the row with this key; 0: not measured. */
double gfp_tuning_find_ns(const gfp_tuning *tuning, const gfp_tuning_row *row, const char *method);
/* The least number of threads >= `from` for which the operation has rows from host memory; 0:
 * none. */
unsigned gfp_tuning_threads(const gfp_tuning *tuning, gfp_operation operation, unsigned from);
/* The column of a row of the method table, if its times hold for this machine: times of a GPU only
 * if the measured GPU is present. GFP_COST_COLUMNS: no column. */
size_t gfp_tuning_column(const gfp_tuning *tuning, size_t method);
/* Whether a row may have this operation and these lengths. PRODUCT and OPERAND: len_a = len_b, or
 * len_a in another octave; SQUARE and LOW (the lower half of the product): len_a = len_b; MIDDLE:
 * len_a = 2 len_b - 1. */
bool gfp_tuning_takes(unsigned operation, uint64_t len_a, uint64_t len_b);
/* The time of the calling thread if the system measures it: the time of others does not count. */
uint64_t gfp_tuning_clock_ns(void);
/* log2 of the nanoseconds that the shape's method takes over its field for two factors of length
 * 2^m; HUGE_VAL if no measured time tells. */
double gfp_tuning_log2_cost(const gfp_tuning *tuning, const gfp_shape *shape, double m);

/* ---- calls that are not public ---- */

/* Reads the text that gfp_tuning_fwrite writes, up to the end of the stream. Memory grows with the
 * text read, whose length is limited. Errors: IO (see errno), and with the line in *error PARSE
 * (malformed, cut off, another version of the format), RANGE (a number out of bounds, rows out of
 * order), SIZE (too many rows), MEMORY; *tuning is unchanged. Tunings of other machines are read,
 * too: see gfp_tuning_check. Lines of thresholds and factors, which earlier versions wrote, are
 * skipped: the status is OK, and the message of *error says so, which is unchanged otherwise. */
GFP_MUST_CHECK gfp_status gfp_tuning_fread(gfp_tuning **tuning, FILE *stream,
                                           const gfp_allocator *allocator, gfp_error *error);

#endif
