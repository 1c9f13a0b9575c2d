/* bench/bench.h: shared by the programs of this folder: settings, measuring, and the list of
 * results, which is printed and written as CSV and JSON.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gfpoly.h"
#include "gfpoly/gpu_poly.h"
#include "gfpoly/tuning.h"
#include "cli/machine.h"

#define MAX_LENGTHS 32
#define MAX_FIELDS 64

typedef struct settings {
    const char *fields[MAX_FIELDS];
    size_t field_count;
    size_t lengths[MAX_LENGTHS];
    size_t length_count;
    size_t bits[MAX_LENGTHS]; /* of coefficients over Z */
    size_t bits_count;
    double seconds; /* time for one figure */
    double limit;   /* methods estimated at more seconds are skipped */
    uint64_t seed;
    unsigned dft_threads;     /* of bench_dft_threads; 0: not asked for */
    unsigned toolkit_threads; /* for bench_toolkit_threads; 0: not asked for */
    uint64_t operations;      /* bit i: the i-th one of bench/peers/operations.h */
    const char *filter;       /* rows whose names contain this */
    const char *strategies;   /* of bench_strategies: an operation */
    const char *bivariate;    /* of bench_bivariate: what to time */
    const char *csv, *json;
} settings;

/* Nanoseconds of one run: the least and the median of several samples, and the distance between
 * their quartiles in percent of the median. */
typedef struct {
    double min_ns;
    double median_ns;
    double spread;
    size_t runs;
} timing;

/* One figure. len_a and len_b are a method's lengths; len_a is a transform's N, and 0 for a
 * kernel. */
typedef struct record {
    const char *section; /* that of gfpoly_bench, "peer", or an operation of gfpoly_peers */
    char field[40];
    char name[96];
    size_t len_a, len_b;
    size_t library; /* of gfpoly_peers: 0 for gfpoly, else the number of the peer, from 1 on */
    timing time;
    double ratio_to_flint;  /* min / flint's min; 0: no such figure */
    double verify_share;    /* point verification / product; 0: no such figure */
    double ratio_to_gfpoly; /* for a peer: min / gfpoly's min; 0: no such figure */
    char note[200];         /* why there is no time; "" if there is one */
} record;

typedef struct report {
    record *records;
    size_t count, capacity;
    struct machine machine;
} report;

/* ---- measure.c ---- */

uint64_t clock_ns(void);
/* CPU time of the calling thread, which other processes do not advance. */
uint64_t thread_clock_ns(void);

/* From now on malloc takes big blocks from its heap and keeps them, so that page faults do not
 * decide; a message if it takes no settings. */
void keep_memory(void);
/* Runs body(context) for about `seconds`, and at least three times; if one run takes longer than
 * `seconds`, that run counts. Samples of short runs are batches, after a warm-up. Returns false as
 * soon as body returns false. */
bool measure(timing *result, double seconds, bool (*body)(void *context), void *context);
/* Measures how much more time `all` takes than its parts together. Each round runs a batch of each,
 * so that a slow phase of the machine slows all of them. The result is the median over the rounds;
 * noise may make it negative, and the least value means nothing. */
bool measure_rest(timing *result, double seconds, bool (*all)(void *context),
                  bool (*const *parts)(void *context), size_t count, void *context);
/* From now on measure() takes the calling thread's CPU time instead of wall-clock time, for work by
 * that thread alone: other processes then do not count, and no GPU computes. Returns false after a
 * message. */
bool measure_cpu_time(bool on);
/* Nanoseconds by the clock of measure(). */
uint64_t measure_clock_ns(void);
/* The timing of count samples of `batch` runs each; sorts the samples. */
timing timing_of(double *samples, size_t count, size_t batch);
/* The timing of one of n runs that were timed together. */
timing timing_divide(timing t, double n);
/* Continues a hash by n words. Results are compared by their hashes. */
uint64_t hash_words(const uint64_t *x, size_t n, uint64_t hash);
/* Whether a transform of n points, n even, gave the values of x at 1 and at -1, checked by sums of
 * coefficients. at_minus_1 NULL: only the value at 1 is checked. */
bool evaluates(const gfp_field *field, const uint64_t *at_1, const uint64_t *at_minus_1,
               const uint64_t *x, size_t n);

/* ---- report.c ---- */

/* Returns false, with a message, if this build's times mean nothing: no optimisation, or
 * sanitizers. */
bool check_build(void);
/* Whether no library of gfpoly is in LD_PRELOAD, where it computes for FLINT and NTL in this
 * process. Returns false after a message. */
bool check_preload(void);
/* Finds out the machine and the versions, and prints them. */
void report_start(report *r);

/* Adds a record, zero except for the arguments. Returns NULL, with a message, without memory. The
 * record is valid until the next one is added. */
record *report_add(report *r, const char *section, const char *field, const char *name);
/* Sets the record's note, which says why there is no time, and prints it. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void record_note(record *x, const char *format, ...);
void report_clear(report *r);
/* Opens a file for figures before they are measured; its old contents stay until report_begin. *out
 * := NULL for a path of NULL. Returns false, with a message, if the file cannot be opened. */
bool report_open(FILE **out, const char *path);
/* Empties the file. */
void report_begin(FILE *out);
/* Closes the file. Returns false, with a message, if a write failed, which may show only here. */
bool report_end(FILE *out, const char *path);
/* Writes the whole report and closes the file. Returns false, with a message, if a write fails. */
bool report_write_csv(const report *r, FILE *out, const char *path);
bool report_write_json(const report *r, FILE *out, const char *path);
/* Prints the last columns of a table's row and of its head: min, median (in units of `unit`
 * nanoseconds) and spread. */
void print_timing(const timing *t, double unit);
void print_timing_head(const char *unit);
/* Prints the head of a table of such rows; `what` stands over the names. */
void print_head(const char *what, const char *unit);

/* A figure that is measured, and its row of the printed table. */
typedef struct timed_row {
    const char *section, *field, *name;
    size_t len_a, len_b;
    double per;             /* the time of a run is divided by this; 0 stands for 1 */
    double unit;            /* nanoseconds of the unit that is printed; 0: no row is printed */
    const gfp_error *error; /* why a run failed; NULL: unknown */
} timed_row;

/* Measures run(context), adds the record, and prints its row. Returns the record, which is valid
 * until the next one is added; NULL after a message. */
record *take_timed_row(const settings *s, report *r, const timed_row *f, bool (*run)(void *context),
                       void *context);

/* Runs by this number of threads and compares the result; *ns := the time. */
typedef bool (*turn_body)(void *context, unsigned threads, double *ns);
/* Measures by 1 and by `threads` threads in turns, adds two records, and prints their row. */
bool take_turns(const settings *s, report *r, const timed_row *f, unsigned threads, turn_body run,
                void *context);
void print_turns_head(unsigned threads);
/* For tables whose cells are minima: prints the number of figures and the spread of their runs. */
void print_spread(const report *r);

/* Messages begin with this name. */
extern const char *program_name;

/* Shows the current step on standard error, if that is a terminal. */
void progress(const char *field, const char *what, size_t len);
/* Removes the progress line. */
void progress_end(void);
/* Prints a message on standard error. Returns false, for use in return statements. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
bool complain(const char *format, ...);

/* ---- the parts of gfpoly_bench; each prints a table, adds to the report, and returns false after
 * a message ---- */

bool bench_methods(const settings *s, const gfp_field *field, report *r);
/* Products on 1 to 16 threads, and batches. */
bool bench_threads(const settings *s, const gfp_field *field, report *r);
/* kernels.c: the time of a loop of this number of threads that does nothing. */
bool measure_loop(timing *t, unsigned threads);
/* Transforms by 1 thread and by s->dft_threads. */
bool bench_dft_threads(const settings *s, const gfp_field *field, report *r);
/* Operations on polynomials by 1 thread and by s->toolkit_threads. */
bool bench_toolkit_threads(const settings *s, const gfp_field *field, report *r);
/* First calls of a process next to later ones. */
bool bench_first(const settings *s, const gfp_field *field, report *r);
bool bench_dft(const settings *s, const gfp_field *field, report *r);
bool bench_kernels(const settings *s, const gfp_field *field, report *r);
/* The sizes up to which base cases compute, next to the compiled-in ones (thresholds.c). */
bool bench_thresholds(const settings *s, const gfp_field *field, report *r);
/* The rows by which scripts/pairs.sh compares two revisions. */
bool bench_rows(const settings *s, report *r);
/* The C source of product/methods/costs_LEVEL.inc for the kernel level in use. */
bool print_cost_table(const settings *s, report *r);
/* Integers and their residues modulo word-size primes; lengths are bits. */
bool bench_words(const settings *s, report *r);
/* kernels.c: times of the FFT-based product in the field, of its steps, and of the field's own
 * product, in nanoseconds per product. Returns false after a message. */
enum {
    STEP_FFT,
    STEP_CONVOLUTION,
    STEP_CRT,
    STEP_LHC,
    STEP_NORMALIZATION,
    STEP_DEFAULT,
    PRODUCT_STEPS
};
extern const char *const product_step_names[PRODUCT_STEPS];
bool time_product_steps(const settings *s, const gfp_field *field, timing *steps);
#endif
