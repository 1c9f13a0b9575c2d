/* bench/bench.h: what the parts of gfpoly_bench share: settings, measuring, and the list of results
 * that is printed and written as CSV and JSON.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gfpoly.h"
#include "machine.h"

#define MAX_LENGTHS 32
#define MAX_FIELDS 64

typedef struct settings {
    const char *fields[MAX_FIELDS];
    size_t field_count;
    size_t lengths[MAX_LENGTHS];
    size_t length_count;
    double seconds; /* to spend on one figure */
    double limit;   /* seconds: a method estimated above is skipped */
    uint64_t seed;
    bool methods, dft, ntt, kernels, papers, rival, threads, cost_table;
    const char *csv;
    const char *json;
} settings;

/* Wall-clock nanoseconds of one run: the least and the middle of several samples, and how far the
 * middle half of them spreads, in percent of the middle one. */
typedef struct timing {
    double min_ns;
    double median_ns;
    double spread;
    size_t runs;
} timing;

/* One figure. For a method: the lengths; for a transform: N in len_a; for a kernel: 0. */
typedef struct record {
    const char *section; /* "method", "dft", "ntt", "kernel", "papers-dft", "papers-product",
                            "rival", "threads", "peer" */
    char field[40];
    char name[72];
    size_t len_a, len_b;
    timing time;
    double ratio_to_flint;  /* min / flint's min; 0: no such figure */
    double verify_share;    /* point verification / product; 0: no such figure */
    double ratio_to_gfpoly; /* of a peer: min / gfpoly's min; 0: no such figure */
    double ratio_to_gmp;    /* min / min of the same algorithm by GMP; 0: no such figure */
    double published_ns;    /* the papers' figure on their machine; 0: none */
    char note[200];         /* why there is no time; "" where there is one */
} record;

typedef struct report {
    record *records;
    size_t count, capacity;
    struct machine machine;
} report;

/* ---- options.c ---- */

struct argp;
struct argp_state;
/* The common options, for a settings * as input. --len is not among them, since it means something
 * else in each program. */
extern const struct argp common_options;
/* s->lengths from "N,N,..."; ends the program where that is malformed. */
void parse_lengths(struct argp_state *state, settings *s, const char *text);
/* A positive number; ends the program otherwise. */
double parse_seconds(struct argp_state *state, const char *text);

/* ---- measure.c ---- */

uint64_t clock_ns(void);

/* Runs body(context) for about `seconds`, three times at least and once before, to warm up, unless
 * one run takes longer. Runs of less than a few microseconds are timed in batches. False as soon as
 * body returns false. */
bool measure(timing *result, double seconds, bool (*body)(void *context), void *context);
/* What `all` takes more than the parts together: of rounds of a batch of each, so that what slows
 * the machine down for a while slows all of them. The figure is the median, which noise may make
 * negative; the least says nothing. */
bool measure_rest(timing *result, double seconds, bool (*all)(void *context),
                  bool (*const *parts)(void *context), size_t count, void *context);
/* From here on measure() tells the calling thread's CPU time, not wall-clock time, or no longer:
 * for work by that thread alone, of which other processes shall take no part. */
void measure_cpu_time(bool on);
/* Of count samples, which are sorted, each of `batch` runs. */
timing timing_of(double *samples, size_t count, size_t batch);
/* Of one of n things that were timed together. */
timing timing_divide(timing t, double n);
/* Of n words behind others of that hash: by which results are compared. */
uint64_t hash_words(const uint64_t *x, size_t n, uint64_t hash);
/* Whether a transform of n points, n even, gave the values of x at 1 and at -1, by their sums;
 * at_minus_1 NULL: that one is not looked at. */
bool evaluates(const gfp_field *field, const uint64_t *at_1, const uint64_t *at_minus_1,
               const uint64_t *x, size_t n);

/* ---- report.c ---- */

/* False, and a message, where this build's times say nothing: without optimisation, with
 * sanitizers. */
bool check_build(void);
/* Asks for machine and versions, and prints them. */
void report_start(report *r);

/* A new record, zeroed but for these; NULL (said on standard error) without memory. Valid until the
 * next one is made. */
record *report_add(report *r, const char *section, const char *field, const char *name);
/* Says why there is no time, in one line. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void record_note(record *x, const char *format, ...);
void report_clear(report *r);
/* A file for figures, opened before they are measured: what it holds stays until they are written.
 * A path of NULL gives *out NULL. False, and a message, where it cannot be opened. */
bool report_open(FILE **out, const char *path);
/* Empties the file. */
void report_begin(FILE *out);
/* Closes the file; a failed write may show only here: false, and a message. */
bool report_end(FILE *out, const char *path);
/* Write all of it and close the file; false, and a message, where it cannot be written. */
bool report_write_csv(const report *r, FILE *out, const char *path);
bool report_write_json(const report *r, FILE *out, const char *path);
/* The ends of a table's row and of its head on standard output: min, median (in units of `unit`
 * nanoseconds) and spread. */
void print_timing(const timing *t, double unit);
void print_timing_head(const char *unit);
/* For tables whose cells are minima: how many figures there are, and how far their runs spread. */
void print_spread(const report *r);

/* How messages begin. */
extern const char *program_name;

/* On standard error, if that is a terminal: what is being done. */
void progress(const char *field, const char *what, size_t len);
/* Removes the progress line. */
void progress_end(void);
/* A message on standard error; false, so that a function can end with it. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
bool complain(const char *format, ...);

/* ---- the parts; each prints a table, adds to the report, and is false after a complaint ---- */

bool bench_methods(const settings *s, const gfp_field *field, report *r);
/* By 1 to 16 threads, and batches. */
bool bench_threads(const settings *s, const gfp_field *field, report *r);
bool bench_dft(const settings *s, const gfp_field *field, report *r);
/* Over word-size primes, which take the field's place in the report. */
bool bench_ntt(const settings *s, report *r);
bool bench_kernels(const settings *s, const gfp_field *field, report *r);
/* The papers' tables; fields of k = 4, 8, ..., 128. Lengths, where given, select rows by N. */
bool bench_papers(const settings *s, const gfp_field *field, report *r);
bool in_papers(unsigned k);
/* Nanoseconds of a product by GMP, checked against ours. False after a complaint. */
bool time_gmp_product(const settings *s, const gfp_field *field, timing *t);
/* Complains of the lengths that select no row for any of the fields. */
void check_papers_lengths(const settings *s, gfp_field *const *fields);

/* The comparison with transforms modulo word-size primes, for the paper's lengths where none are
 * given. */
bool bench_rival(const settings *s, const gfp_field *field, report *r);

/* kernels.c: the FFT-based product in the field and its steps, and the product that the field uses.
 * Nanoseconds per product. False after a complaint. */
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
/* The C source of poly/costs_LEVEL.inc for the kernel level in use, on standard output. */
bool print_cost_table(const settings *s);

#endif
