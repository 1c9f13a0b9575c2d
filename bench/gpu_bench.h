/* bench/gpu_bench.h: what the parts of gfpoly_gpu_bench share: measuring on the device, and table
 * cells. SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GPU_BENCH_H
#define GPU_BENCH_H

#include "bench.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SAMPLES 21 /* of which the median is told */

typedef struct bench {
    gfp_gpu *gpu;
    gfp_gpu_timer *timer;
    const char *only; /* a field, or NULL: all */
    bool quick;
    bool failed;
} bench;

/* Enqueues one run. */
typedef gfp_status (*body)(void *context);

typedef struct times {
    double single_ms; /* one run, enqueued call by call */
    double graph_ms;  /* of several in one graph; 0: cannot be captured */
} times;

/* False, after a complaint. */
bool fails(bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whether a call on the device went well; else a complaint with the context's reason. */
bool succeeds(bench *b, gfp_status status, const char *what);
/* Medians of SAMPLES. */
bool time_body(bench *b, body run, void *context, times *t, const char *what);
/* The middle one. */
double median_of_samples(double *samples, size_t count);
/* A number as a table's cell, "–" where there is none. */
void cell(double x);
/* Whether rows of this field and so many words are asked for. */
bool wanted(const bench *b, const char *field, size_t words);
/* The least m with 2^m >= n. */
unsigned log2_of(size_t n);

/* gpu_products.c */
void bench_products(bench *b);

#endif
