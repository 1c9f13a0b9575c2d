/* bench/measure.c: repeating something until its time is known: the least and the median of
 * samples, each long enough for the clock. SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <time.h>

#include "bench.h"

#define MAX_SAMPLES 501
#define MIN_SAMPLES 3
/* A sample this long makes the clock's own cost (tens of nanoseconds) negligible. */
#define SAMPLE_NS 20000.0

uint64_t clock_ns(void)
{
    struct timespec t = {0, 0};

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* Nanoseconds of `batch` runs; negative when body failed. */
static double sample(size_t batch, bool (*body)(void *context), void *context)
{
    const uint64_t start = clock_ns();

    for (size_t i = 0; i < batch; i++) {
        if (!body(context)) {
            return -1;
        }
    }
    return (double)(clock_ns() - start);
}

static int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x;
    const double b = *(const double *)y;

    return (a > b) - (a < b);
}

bool measure(timing *result, double seconds, bool (*body)(void *context), void *context)
{
    double samples[MAX_SAMPLES];
    size_t batch = 1;
    double ns = sample(batch, body, context);

    /* Batches too short for the clock are thrown away: they were the warm-up. */
    while (ns >= 0 && ns < SAMPLE_NS) {
        batch *= 2;
        ns = sample(batch, body, context);
    }
    if (ns < 0) {
        return false;
    }
    samples[0] = ns;
    size_t count = 1;
    double spent = ns;
    while (count < MAX_SAMPLES &&
           (spent < seconds * 1e9 || (count < MIN_SAMPLES && samples[0] < seconds * 1e9))) {
        samples[count] = sample(batch, body, context);
        if (samples[count] < 0) {
            return false;
        }
        spent += samples[count++];
    }
    qsort(samples, count, sizeof(samples[0]), ascending);
    result->min_ns = samples[0] / (double)batch;
    result->median_ns = samples[count / 2] / (double)batch;
    result->runs = count * batch;
    return true;
}
