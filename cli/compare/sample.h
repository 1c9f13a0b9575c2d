/* sample.h: measures the time of one run by repeated samples. For the command, the programs that
 * run other libraries for it (bench/peers/peer.c), and the programs of bench/.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef CLI_COMPARE_SAMPLE_H
#define CLI_COMPARE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gfpoly.h"

/* How long to measure: until budget_ns have passed, and three samples at least; fewer only if these
 * take more than most_ns. */
struct effort {
    double budget_ns, most_ns;
    /* Called between samples with the nanoseconds spent; false: stop. May be NULL. */
    bool (*stay)(void *user, double spent_ns);
    void *user;
};

/* Times of one run in nanoseconds. */
struct timing {
    unsigned runs; /* samples; 0: not measured */
    uint64_t min_ns;
    uint64_t median_ns;
    double spread; /* between the quartiles, percent of the median */
};

/* A function that is measured sample by sample, alone or in turns with others. */
struct turn {
    gfp_status (*body)(void *context);
    void *context;
    bool cpu_time; /* by the clock of the calling thread; else by the wall clock */
    size_t batch;  /* runs in a sample */
};

/* *ns := the time of one sample. Errors: what body returns. */
gfp_status take_turn(const struct turn *turn, double *ns);
/* Doubles turn->batch, from 1 on, until a sample is long enough for the clock, of which *ns is the
 * time; shorter ones serve as warm-up. Errors: what body returns. */
gfp_status begin_turns(struct turn *turn, double *ns);

/* Samples: nanoseconds of `batch` runs each. */
#define MOST_SAMPLES 101
struct samples {
    unsigned count;
    size_t batch;
    double ns[MOST_SAMPLES];
};

/* Sorts times, the least one first. */
void sort_times(double *times, size_t count);
/* Measures body(context); a sample of a short body runs it many times. cpu_time: by the clock of
 * the calling thread, which other processes do not advance, for work without other threads or
 * devices; else by the wall clock. Errors: what body returns; CANCELLED where effort->stay said so.
 */
gfp_status collect_samples(struct samples *samples, const struct effort *effort, bool cpu_time,
                           gfp_status (*body)(void *context), void *context);
/* The same; *timing := the times of one run. */
gfp_status take_samples(struct timing *timing, const struct effort *effort, bool cpu_time,
                        gfp_status (*body)(void *context), void *context);

#endif
