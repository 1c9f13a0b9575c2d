/* bench/measure.c: the least time of a function, the median and the spread, from the command's
 * sampler (cli/compare/sample.h); differences of times; hashes and values that compare results.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <malloc.h>
#include <stdlib.h>
#include <time.h>

#include "bench/bench.h"
#include "cli/compare/sample.h"

#define MIN_SAMPLES 3

static uint64_t read_clock(clockid_t clock)
{
    struct timespec t = {0, 0};

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

uint64_t clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t thread_clock_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

void keep_memory(void)
{
    if (mallopt(M_MMAP_MAX, 0) != 1 || mallopt(M_TRIM_THRESHOLD, -1) != 1) {
        (void)complain("this malloc takes no settings: page faults count in the times");
    }
}

/* The clock of measure(). */
static clockid_t measuring_clock = CLOCK_MONOTONIC;

uint64_t measure_clock_ns(void)
{
    return read_clock(measuring_clock);
}

bool measure_cpu_time(bool on)
{
    measuring_clock = on ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    return keep_to_cpu(on) || complain("no memory");
}

timing timing_of(double *samples, size_t count, size_t batch)
{
    sort_times(samples, count);
    const double median = samples[count / 2];
    return (timing){.min_ns = samples[0] / (double)batch,
                    .median_ns = median / (double)batch,
                    .spread = 100 * (samples[count - 1 - count / 4] - samples[count / 4]) / median,
                    .runs = count * batch};
}

timing timing_divide(timing t, double n)
{
    t.min_ns /= n;
    t.median_ns /= n;
    return t;
}

/* A body of measure(), for the sampler. */
typedef struct subject {
    bool (*body)(void *context);
    void *context;
} subject;

static gfp_status run_subject(void *context)
{
    const subject *s = context;

    return s->body(s->context) ? GFP_OK : GFP_ERR_MEMORY;
}

bool measure(timing *result, double seconds, bool (*body)(void *context), void *context)
{
    const struct effort effort = {.budget_ns = 1e9 * seconds, .most_ns = 1e9 * seconds};
    subject s = {body, context};
    struct samples samples;

    if (collect_samples(&samples, &effort, measuring_clock == CLOCK_THREAD_CPUTIME_ID, run_subject,
                        &s) != GFP_OK) {
        return false;
    }
    *result = timing_of(samples.ns, samples.count, samples.batch);
    return true;
}

bool measure_rest(timing *result, double seconds, bool (*all)(void *context),
                  bool (*const *parts)(void *context), size_t count, void *context)
{
    const bool cpu_time = measuring_clock == CLOCK_THREAD_CPUTIME_ID;
    double samples[MOST_SAMPLES], spent = 0, ns = 0;
    subject whole = {all, context};
    struct turn turn = {.body = run_subject, .context = &whole, .cpu_time = cpu_time};
    size_t taken = 0;
    gfp_status status = begin_turns(&turn, &ns);

    while (status == GFP_OK && taken < MOST_SAMPLES &&
           (taken < MIN_SAMPLES || spent < seconds * 1e9)) {
        status = take_turn(&turn, &ns);
        double rest = ns;
        spent += ns;
        for (size_t i = 0; i < count && status == GFP_OK; i++) {
            subject part = {parts[i], context};
            const struct turn next = {run_subject, &part, cpu_time, turn.batch};
            status = take_turn(&next, &ns);
            rest -= ns;
            spent += ns;
        }
        samples[taken++] = rest;
    }
    if (status != GFP_OK) {
        return false;
    }
    *result = timing_of(samples, taken, turn.batch);
    return true;
}

bool evaluates(const gfp_field *field, const uint64_t *at_1, const uint64_t *at_minus_1,
               const uint64_t *x, size_t n)
{
    const size_t k = gfp_field_k(field);
    uint64_t *sums =
        calloc(3 * k, sizeof(*sums)); /* sums over even and over odd indices, and a result */

    if (sums == NULL) {
        return false;
    }
    uint64_t *result = sums + 2 * k;
    for (size_t i = 0; i < n; i++) {
        uint64_t *sum = sums + i % 2 * k;
        gfp_elem_add(field, sum, sum, x + i * k);
    }
    gfp_elem_add(field, result, sums, sums + k);
    bool same = gfp_elem_equal(field, result, at_1);
    if (at_minus_1 != NULL) {
        gfp_elem_sub(field, result, sums, sums + k);
        same = same && gfp_elem_equal(field, result, at_minus_1);
    }
    free(sums);
    return same;
}

uint64_t hash_words(const uint64_t *x, size_t n, uint64_t hash)
{
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ x[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}
