/* sample.h: how long one run of something takes: samples until that is known. The command's, and of
 * the programs that run other libraries for it (bench/peer.c).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CLI_SAMPLE_H
#define GFP_CLI_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "gfpoly.h"

/* How long to measure: samples until budget_ns have passed, but three at least, fewer only where
 * these take more than most_ns. */
struct effort {
    double budget_ns, most_ns;
    /* Asked between samples, with the nanoseconds spent; false: stop. May be NULL. */
    bool (*stay)(void *user, double spent_ns);
    void *user;
};

/* Nanoseconds of one run. */
struct timing {
    unsigned runs; /* samples; 0: not measured */
    uint64_t min_ns;
    uint64_t median_ns;
    double spread; /* between the quartiles, percent of the median */
};

/* Runs body(context), short ones many times for each sample. cpu_time: by the clock of the calling
 * thread, of which other processes have no part, for work that no other thread or device shares;
 * else by the wall's. Errors: what body returns; CANCELLED where effort said so. */
gfp_status take_samples(struct timing *timing, const struct effort *effort, bool cpu_time,
                        gfp_status (*body)(void *context), void *context);

#endif
