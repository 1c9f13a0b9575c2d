/* bench/gpu/jobs.h: measuring on a CUDA device, for gfpoly_gpu_bench and gfpoly_papers: a transform
 * with its operands, and comparisons with the CPU's results.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_GPU_JOBS_H
#define BENCH_GPU_JOBS_H

#include "bench/bench.h"
#include "gfpoly/gpu_papers.h"
#include "gpu/measure.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SAMPLES 21 /* the most samples of one figure; the median counts */
#define JOB_SEED 1 /* seed of all random operands */

typedef struct bench {
    gfp_gpu *gpu;
    gfp_gpu_timer *timer;
    const char *only;   /* a field, or NULL: all */
    const char *points; /* the machine's name in lines for `gfpoly scale`; NULL: tables */
    bool quick;
    bool failed;
    double seconds; /* for the samples of one figure, at least three; 0: all samples */
} bench;

/* Enqueues one run. */
typedef gfp_status (*body)(void *context);

typedef struct times {
    double single_ms; /* one run, enqueued call by call */
    double graph_ms;  /* of one of several runs in one graph; 0: cannot be captured */
    timing single;    /* single_ms with its spread */
    timing graph;     /* graph_ms with its spread */
} times;

/* Prints a message. Returns false. */
bool fails(bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whether a call on the device succeeded; if not, prints a message with the context's reason. */
bool succeeds(bench *b, gfp_status status, const char *what);
/* *t := the time of single runs, with a wait after each. */
gfp_status time_runs(const bench *b, body run, void *context, timing *t);
/* The same, and the time of runs in graphs. */
bool time_body(bench *b, body run, void *context, times *t, const char *what);
/* The median. */
double median_of_samples(double *samples, size_t count);
/* The least m with 2^m >= n. */
unsigned log2_of(size_t n);

/* ---- transforms over Z/pZ ---- */

typedef enum dft_form { DFT_AUTO, DFT_REFERENCE, DFT_PAPERS, DFT_PAPERS_SPLIT } dft_form;

typedef struct dft_options {
    size_t batch; /* 0 stands for 1 */
    dft_form form;
    bool timed;       /* the plan times its steps; the papers' forms only */
    unsigned threads; /* of a block, for the papers' forms; 0: the usual number */
} dft_options;

typedef struct dft_job {
    bench *b;
    gfp_field *field;
    size_t n, batch, words;
    dft_form form;
    gfp_gpu_fft_plan *plan;
    gfp_gpu_array *x, *y;
    uint64_t *digits, *result;
    gfp_order order;
    bool inverse;
} dft_job;

/* Makes a plan, draws x and uploads it. Returns false after a message; *absent: this form does not
 * serve this length. Call dft_close in any case. */
bool dft_open(dft_job *w, bench *b, const char *field, size_t n, const dft_options *options,
              bool *absent);
void dft_close(dft_job *w);
/* "auto", "reference", "papers" or "papers-split"; for an open job with auto: "fast" or
 * "reference". */
const char *dft_form_name(dft_form form);
const char *dft_name(const dft_job *w);
/* y := the transform of x in the job's order and direction; a body. */
gfp_status run_dft(void *context);
/* Compares the forward transform in both orders with the CPU's, and checks the inverse. */
bool dft_check(dft_job *w);

#endif
