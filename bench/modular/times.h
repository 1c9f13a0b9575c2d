/* bench/modular/times.h: shared by the programs that measure operations over Z: CPU time of a call,
 * aligned memory, random vectors.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_MODULAR_TIMES_H
#define BENCH_MODULAR_TIMES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gfpoly.h"
#include "gfpoly/zvec.h"
#include "cli/machine.h"

static inline double cpu_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Ends the program unless the status is GFP_OK. */
static inline void must(gfp_status status, const char *what)
{
    if (status != GFP_OK) {
        (void)fprintf(stderr, "%s: %s\n", what, gfp_status_string(status));
        exit(1);
    }
}

/* Before the first time is taken: it is CPU time. */
static inline void begin_times(void)
{
    must(keep_to_cpu(true) ? GFP_OK : GFP_ERR_MEMORY, "GFPOLY_GPU");
}

/* Memory aligned to 64 bytes; the caller frees it. */
static inline void *allocate(size_t words)
{
    void *x = aligned_alloc(64, (words + 8) / 8 * 64);
    if (x == NULL) {
        must(GFP_ERR_MEMORY, "input");
    }
    return x;
}

/* The least time of a call in nanoseconds, of runs that take about `budget` nanoseconds in all; the
 * first call, which makes tables, does not count. */
static inline double least_time(void (*run)(void *user), void *user, double budget)
{
    double best = HUGE_VAL, all = 0;
    size_t count = 1;
    run(user);
    for (unsigned rounds = 0; rounds < 3 || (all < budget && rounds < 50); rounds++) {
        const double start = cpu_ns();
        for (size_t i = 0; i < count; i++) {
            run(user);
        }
        const double t = cpu_ns() - start;
        all += t;
        best = fmin(best, t / (double)count);
        if (t < budget / 20) {
            count *= 2;
            rounds = 0;
        }
        if (t > budget) {
            break;
        }
    }
    return best;
}

/* a := n random numbers below 2^bits in absolute value, bits >= 1, the last one not 0. */
static inline void fill_random(gfp_zvec *a, size_t n, size_t bits, gfp_random *g)
{
    const size_t width = bits / 64 + 1, top = bits % 64;
    uint64_t *x = calloc(n * width, sizeof *x);
    if (x == NULL) {
        must(GFP_ERR_MEMORY, "input");
    }
    for (size_t i = 0; i < n * width; i++) {
        x[i] = gfp_random_u64(g);
        if (i % width == width - 1) {
            const uint64_t sign = 0 - (x[i] >> 63);
            x[i] = top == 0 ? sign : (x[i] & ((UINT64_C(1) << top) - 1)) ^ sign << top;
        }
    }
    x[(n - 1) * width] |= 1;
    must(gfp_zvec_set_limbs(a, x, n, width), "input");
    free(x);
}

#endif
