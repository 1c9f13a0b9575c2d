/* sample.c: see sample.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/compare/sample.h"

#include <stdlib.h>
#include <time.h>

#define LEAST_RUNS 3
/* In samples of this length the clock's own cost is negligible: a thread's clock takes a
 * microsecond on some machines. */
#define SAMPLE_NS 100000.0

static int compare_times(const void *x, const void *y)
{
    const double *a = x;
    const double *b = y;
    return (*a > *b) - (*a < *b);
}

/* Whether to take one more sample after `runs` samples and total_ns. */
static bool go_on(const struct effort *effort, unsigned runs, double total_ns)
{
    return runs < LEAST_RUNS ? total_ns < effort->most_ns
                             : runs < MOST_SAMPLES && total_ns < effort->budget_ns;
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t = {0};
    (void)clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

gfp_status take_turn(const struct turn *turn, double *ns)
{
    const clockid_t clock = turn->cpu_time ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    gfp_status status = GFP_OK;
    const uint64_t start = clock_ns(clock);
    for (size_t i = 0; i < turn->batch && status == GFP_OK; i++) {
        status = turn->body(turn->context);
    }
    *ns = (double)(clock_ns(clock) - start);
    return status;
}

gfp_status begin_turns(struct turn *turn, double *ns)
{
    turn->batch = 1;
    gfp_status status = take_turn(turn, ns);
    while (*ns < SAMPLE_NS && status == GFP_OK) {
        turn->batch *= 2;
        status = take_turn(turn, ns);
    }
    return status;
}

void sort_times(double *times, size_t count)
{
    qsort(times, count, sizeof times[0], compare_times);
}

gfp_status take_samples(struct timing *timing, const struct effort *effort, bool cpu_time,
                        gfp_status (*body)(void *context), void *context)
{
    struct samples samples;
    const gfp_status status = collect_samples(&samples, effort, cpu_time, body, context);
    if (status == GFP_OK) {
        const double *times = samples.ns;
        const unsigned runs = samples.count;
        const double batch = (double)samples.batch;
        sort_times(samples.ns, runs);
        timing->runs = runs;
        timing->min_ns = (uint64_t)(times[0] / batch + 0.5);
        timing->median_ns = (uint64_t)(times[runs / 2] / batch + 0.5);
        timing->spread = 100 * (times[3 * runs / 4] - times[runs / 4]) / times[runs / 2];
    }
    return status;
}

gfp_status collect_samples(struct samples *samples, const struct effort *effort, bool cpu_time,
                           gfp_status (*body)(void *context), void *context)
{
    struct turn turn = {.body = body, .context = context, .cpu_time = cpu_time};
    double ns = 0;
    gfp_status status = begin_turns(&turn, &ns);
    *samples = (struct samples){.batch = turn.batch};
    /* On a busy machine the limits hold for wall time, not for the thread's time. */
    const uint64_t start = clock_ns(CLOCK_MONOTONIC);
    while (status == GFP_OK) {
        const double total_ns = ns + (double)(clock_ns(CLOCK_MONOTONIC) - start);
        samples->ns[samples->count++] = ns;
        if (!go_on(effort, samples->count, total_ns)) {
            return GFP_OK;
        }
        if (effort->stay != NULL && !effort->stay(effort->user, total_ns)) {
            return GFP_ERR_CANCELLED;
        }
        status = take_turn(&turn, &ns);
    }
    return status;
}
