/* bench/regret/rounds.c: measures the methods of a problem in rounds, in which all take turns.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bench/regret/regret.h"
#include "cli/compare/sample.h"

/* After two rounds, methods this far from the best are dropped. */
#define LOST 1.5
/* A pick this far from the best is measured again together with the best. */
#define DOUBTFUL 1.1
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
static bool takes_cpu_time(const trial *t, const method_run *x)
{
    return t->threads == 1 && strstr(name_of(x), "_gpu") == NULL;
}

/* A run, for the sampler. */
typedef struct run_context {
    bench *b;
    const subject *over;
    trial *t;
    const method_run *x;
} run_context;

static gfp_status run_method(void *context)
{
    const run_context *r = context;

    return r->over->run(r->b, r->t, r->x);
}

/* Takes one sample. */
static gfp_status run_once(bench *b, const subject *over, trial *t, const method_run *x, double *ns)
{
    run_context r = {b, over, t, x};
    const struct turn turn = {run_method, &r, takes_cpu_time(t, x), x->batch};

    return take_turn(&turn, ns);
}

/* Checks one run, and finds the number of runs of a sample. */
static bool begin_run(bench *b, const subject *over, trial *t, method_run *x)
{
    double ns = 0;
    gfp_status status = over->enter(b, t, x);

    if (status == GFP_OK && !x->runs) {
        return true;
    }
    if (status == GFP_OK && !over->right(b)) {
        char ring[40];
        name_ring(ring, sizeof(ring), t);
        return complain("%s: the result by %s is wrong", ring, name_of(x));
    }
    if (status == GFP_OK) {
        run_context r = {b, over, t, x};
        struct turn turn = {.body = run_method, .context = &r, .cpu_time = takes_cpu_time(t, x)};
        status = begin_turns(&turn, &ns);
        x->batch = turn.batch;
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
static bool go_round(bench *b, const subject *over, trial *t, int tables)
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
            if (run_once(b, over, t, x, &ns) != GFP_OK) {
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
static bool measure_doubtful(bench *b, const subject *over, trial *t, int tables)
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
    return !any || go_round(b, over, t, tables);
}

bool measure_trial(bench *b, const subject *over, trial *t)
{
    const int tables = b->tuning != NULL ? TABLES : TUNED;
    bool ok = over->prepare(b, t) == GFP_OK || run_fails(b, t, &t->by[t->pick[BUILT_IN]]);

    for (size_t i = 0; i < t->methods && ok; i++) {
        ok = !t->by[i].runs || begin_run(b, over, t, &t->by[i]);
    }
    ok = ok && go_round(b, over, t, tables) && measure_doubtful(b, over, t, tables);
    for (int i = 0; i < tables && ok; i++) {
        t->regret[i] = measured_regret(t, i);
    }
    over->release(b, t);
    return ok;
}
