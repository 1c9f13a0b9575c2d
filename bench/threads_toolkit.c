/* bench/threads_toolkit.c: operations on polynomials by one thread and by several, in turns: times
 * by the clock, and how many times as fast several threads are.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>

#include "bench/peers/operations.h"

#define MOST_ROUNDS 201
#define LEAST_ROUNDS 5

/* Runs by the number of threads, and compares the result; *ns := the time. */
static bool run_by(problem *w, unsigned threads, const gfp_poly *expected, double *ns)
{
    w->options.threads = threads;
    const uint64_t start = clock_ns();
    if (!problem_run(w)) {
        return complain("%s, %s of length %zu, %u threads: %s", gfp_field_name(w->field),
                        w->operation->name, w->n, threads, w->error.message);
    }
    *ns = (double)(clock_ns() - start);
    return gfp_poly_equal(&w->c, expected) ||
           complain("%s, %s of length %zu, %u threads: the result is wrong",
                    gfp_field_name(w->field), w->operation->name, w->n, threads);
}

static bool measure_pairs(const settings *s, problem *w, const gfp_poly *expected, timing *one,
                          timing *several)
{
    double ones[MOST_ROUNDS], others[MOST_ROUNDS], spent = 0;
    size_t rounds = 0;

    while (rounds < MOST_ROUNDS && (rounds < LEAST_ROUNDS || spent < 2e9 * s->seconds)) {
        if (!run_by(w, 1, expected, &ones[rounds]) ||
            !run_by(w, s->toolkit_threads, expected, &others[rounds])) {
            return false;
        }
        spent += ones[rounds] + others[rounds];
        rounds++;
    }
    *one = timing_of(ones, rounds, 1);
    *several = timing_of(others, rounds, 1);
    return true;
}

static bool report_time(report *r, const problem *w, unsigned threads, const timing *t)
{
    char label[60];

    snprintf(label, sizeof(label), "%s, %u thread%s", w->operation->name, threads,
             threads == 1 ? "" : "s");
    record *x = report_add(r, "threads", gfp_field_name(w->field), label);
    if (x == NULL) {
        return false;
    }
    x->len_a = x->len_b = w->n;
    x->time = *t;
    return true;
}

static bool bench_operation(const settings *s, problem *w, report *r)
{
    timing one, several;
    gfp_poly expected;

    progress(gfp_field_name(w->field), w->operation->name, w->n);
    w->options.threads = 1;
    gfp_poly_init(&expected, w->field);
    bool ok = (problem_run(w) && gfp_poly_copy(&expected, &w->c) == GFP_OK) ||
              complain("%s, %s of length %zu: %s", gfp_field_name(w->field), w->operation->name,
                       w->n, w->error.message);
    ok = ok && measure_pairs(s, w, &expected, &one, &several);
    gfp_poly_clear(&expected);
    progress_end();
    if (!ok) {
        return false;
    }
    printf("  %-16s %11.4f %11.4f x%-5.2f %11.4f %11.4f x%-5.2f %6zu\n", w->operation->name,
           one.min_ns / 1e6, several.min_ns / 1e6, one.min_ns / several.min_ns, one.median_ns / 1e6,
           several.median_ns / 1e6, one.median_ns / several.median_ns, one.runs);
    fflush(stdout);
    return report_time(r, w, 1, &one) && report_time(r, w, s->toolkit_threads, &several);
}

bool bench_toolkit_threads(const settings *s, const gfp_field *field, report *r)
{
    const operands how = {.seed = s->seed};

    for (size_t i = 0; i < s->length_count; i++) {
        printf("%s, n = %zu: ms by 1 and by %u threads in turns: least times, medians, runs\n",
               gfp_field_name(field), s->lengths[i], s->toolkit_threads);
        for (size_t j = 0; j < operation_count; j++) {
            problem w;
            if ((s->operations >> j & 1) == 0) {
                continue;
            }
            if (!problem_init(&w, &operations[j], field, s->lengths[i], &how)) {
                return false;
            }
            const bool ok = bench_operation(s, &w, r);
            problem_clear(&w);
            if (!ok) {
                return false;
            }
        }
    }
    return true;
}
