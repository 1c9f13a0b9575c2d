/* bench/first.c: the first product and the first gcd of a process over a field next to later ones,
 * in CPU time: each in forks, over a field that the fork creates.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "gfpoly/gcd.h"

#define PROCESSES 5
#define CALLS 4

/* Nanoseconds of the first call, and least ones of later calls. */
typedef struct first_times {
    double first, later;
} first_times;

static double first_lesser(double a, double b)
{
    return a < b ? a : b;
}

/* Fills *t in the fork. */
static bool time_calls(first_times *t, const char *name, size_t n, uint64_t seed, bool gcd)
{
    gfp_field *field;
    gfp_random g;
    gfp_poly a, b, c;
    const gfp_options options = {.verify = GFP_VERIFY_NONE};
    if (gfp_field_create(&field, name, NULL, NULL) != GFP_OK) {
        return false;
    }
    gfp_random_seed(&g, seed);
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    bool ok = gfp_poly_random(&a, n, &g) == GFP_OK && gfp_poly_random(&b, n, &g) == GFP_OK;
    for (size_t i = 0; i < CALLS && ok; i++) {
        const uint64_t from = measure_clock_ns();
        ok = (gcd ? gfp_poly_gcd(&c, &a, &b, &options) : gfp_poly_mul(&c, &a, &b, &options)) ==
             GFP_OK;
        double *place = i == 0 ? &t->first : &t->later;
        *place = first_lesser(*place, (double)(measure_clock_ns() - from));
    }
    return ok; /* the fork ends */
}

static bool time_fork(first_times *least, const char *name, size_t n, uint64_t seed, bool gcd)
{
    first_times t = {1e18, 1e18};
    int ends[2], status = 1;
    if (pipe(ends) != 0) {
        return complain("no pipe");
    }
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const bool ok = time_calls(&t, name, n, seed, gcd);
        _exit(ok && write(ends[1], &t, sizeof t) == (ssize_t)sizeof t ? 0 : 1);
    }
    (void)close(ends[1]);
    const bool ok = child > 0 && read(ends[0], &t, sizeof t) == (ssize_t)sizeof t;
    (void)close(ends[0]);
    if (child > 0) {
        (void)waitpid(child, &status, 0);
    }
    least->first = first_lesser(least->first, t.first);
    least->later = first_lesser(least->later, t.later);
    return (ok && status == 0) || complain("a first call over %s failed", name);
}

static bool add_time(report *r, const char *field, const char *name, size_t n, double ns)
{
    record *x = report_add(r, "first", field, name);
    if (x == NULL) {
        return false;
    }
    x->len_a = x->len_b = n;
    x->time = (timing){.min_ns = ns, .median_ns = ns, .runs = PROCESSES};
    return true;
}

bool bench_first(const settings *s, const gfp_field *field, report *r)
{
    const char *const name = gfp_field_name(field);
    bool ok = measure_cpu_time(true);
    printf("\n%s: first and later calls, ms of CPU time, least of %d processes\n  %-8s %8s %10s "
           "%10s\n",
           name, PROCESSES, "", "terms", "first", "later");
    for (size_t i = 0; i < 2 * s->length_count && ok; i++) {
        const bool gcd = i >= s->length_count;
        const size_t n = s->lengths[i % s->length_count];
        first_times least = {1e18, 1e18};
        for (unsigned j = 0; j < PROCESSES && ok; j++) {
            ok = time_fork(&least, name, n, s->seed, gcd);
        }
        ok = ok && add_time(r, name, gcd ? "first gcd" : "first product", n, least.first) &&
             add_time(r, name, gcd ? "later gcd" : "later product", n, least.later);
        if (ok) {
            printf("  %-8s %8zu %10.3f %10.3f\n", gcd ? "gcd" : "product", n, 1e-6 * least.first,
                   1e-6 * least.later);
        }
    }
    return measure_cpu_time(false) && ok;
}
