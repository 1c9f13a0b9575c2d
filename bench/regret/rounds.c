/* bench/regret/rounds.c: measures the methods of a problem in rounds, in which all take turns.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bench/regret/regret.h"

/* After two rounds, methods this far from the best are dropped. */
#define LOST 1.5
/* A pick this far from the best is measured again together with the best. */
#define DOUBTFUL 1.1
/* A sample this long makes the clock's own cost negligible. */
#define SAMPLE_NS 50000.0
#define LEAST_ROUNDS 5

static const char *name_of(const method_run *x)
{
    return x->method != NULL ? x->method : "auto";
}

static bool run_fails(const bench *b, const trial *t, const method_run *x)
{
    char ring[40];

    name_ring(ring, sizeof(ring), t);
    return complain("%s, %s: %s", ring, name_of(x), b->error.message);
}

/* On one thread the thread's CPU time, so that other processes do not count; for methods on a GPU
 * the wall clock. */
static uint64_t run_clock(const trial *t, const method_run *x)
{
    return t->threads == 1 && strstr(name_of(x), "_gpu") == NULL ? thread_clock_ns() : clock_ns();
}

/* Takes one sample. */
static gfp_status run_once(bench *b, const subject *of, trial *t, method_run *x, double *ns)
{
    gfp_status status = GFP_OK;
    const uint64_t start = run_clock(t, x);

    for (size_t i = 0; i < x->batch && status == GFP_OK; i++) {
        status = of->run(b, t, x);
    }
    *ns = (double)(run_clock(t, x) - start);
    return status;
}

/* Checks one run, and finds the number of runs of a sample. */
static bool begin_run(bench *b, const subject *of, trial *t, method_run *x)
{
    double ns = 0;
    gfp_status status = of->enter(b, t, x);

    if (status == GFP_OK && !of->right(b)) {
        char ring[40];
        name_ring(ring, sizeof(ring), t);
        return complain("%s: the result by %s is wrong", ring, name_of(x));
    }
    while (status == GFP_OK && (status = run_once(b, of, t, x, &ns)) == GFP_OK && ns < SAMPLE_NS) {
        x->batch *= 2;
    }
    return status == GFP_OK || run_fails(b, t, x);
}

static void find_best(trial *t)
{
    for (size_t i = 0; i < t->methods; i++) {
        if (t->by[i].method != NULL && t->by[i].least < t->by[t->best].least) {
            t->best = i;
        }
    }
}

static bool is_pick(const trial *t, size_t method, int tables)
{
    for (int i = 0; i < tables; i++) {
        if (t->pick[i] == method) {
            return true;
        }
    }
    return false;
}

/* Runs rounds of one sample per method until the time is spent. */
static bool go_round(bench *b, const subject *of, trial *t, int tables)
{
    const uint64_t start = clock_ns();

    for (unsigned round = 0;
         round < LEAST_ROUNDS || (double)(clock_ns() - start) < b->o.s.seconds * 1e9; round++) {
        for (size_t i = 0; i < t->methods; i++) {
            method_run *x = &t->by[i];
            double ns;
            if (!x->runs) {
                continue;
            }
            if (run_once(b, of, t, x, &ns) != GFP_OK) {
                return run_fails(b, t, x);
            }
            if (ns > 0) { /* on some systems the thread's clock stands still at times */
                x->least = fmin(x->least, ns / (double)x->batch);
            }
        }
        find_best(t);
        for (size_t i = 0; i < t->methods && round == 1; i++) {
            t->by[i].runs = t->by[i].runs &&
                            (is_pick(t, i, tables) || t->by[i].least < LOST * t->by[t->best].least);
        }
    }
    return true;
}

static double measured_regret(const trial *t, int table)
{
    /* A call that chooses may be faster than each method by its name. */
    return fmax(t->by[t->pick[table]].least / t->by[t->best].least, 1);
}

/* Measures picks that are far from the best again, together with the best alone. */
static bool measure_doubtful(bench *b, const subject *of, trial *t, int tables)
{
    bool any = false;

    for (size_t i = 0; i < t->methods; i++) {
        t->by[i].runs = i == t->best;
    }
    for (int i = 0; i < tables; i++) {
        if (measured_regret(t, i) > DOUBTFUL) {
            t->by[t->pick[i]].runs = any = true;
        }
    }
    return !any || go_round(b, of, t, tables);
}

bool measure_trial(bench *b, const subject *of, trial *t)
{
    const int tables = b->tuning != NULL ? TABLES : TUNED;
    bool ok = of->prepare(b, t) == GFP_OK || run_fails(b, t, &t->by[t->pick[BUILT_IN]]);

    for (size_t i = 0; i < t->methods && ok; i++) {
        ok = !t->by[i].runs || begin_run(b, of, t, &t->by[i]);
    }
    ok = ok && go_round(b, of, t, tables) && measure_doubtful(b, of, t, tables);
    for (int i = 0; i < tables && ok; i++) {
        t->regret[i] = measured_regret(t, i);
    }
    of->release(b, t);
    return ok;
}
