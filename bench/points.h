/* bench/points.h: the lines from which `gfpoly scale` predicts times (docs/many.md describes them),
 * as programs that measure print them: a machine, and a point of it.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_POINTS_H
#define BENCH_POINTS_H

#include <stdio.h>

/* The name of the machine where the user gave none. */
#define POINTS_MACHINE "here"

/* A host with this number of workers (processors or devices) and bytes of memory in all. */
static inline void print_points_machine(const char *name, size_t workers, size_t memory)
{
    printf("machine %s workers %zu memory %zu\n", name, workers, memory);
}

/* A product of two factors of `terms` coefficients took this time; the caller ends the line, and
 * may write a comment behind " # ". */
static inline void print_point(const char *name, const char *kind, const char *field, size_t terms,
                               size_t workers, double seconds)
{
    printf("point %s %s %s %zu %zu %.7g", name, kind, field, terms, workers, seconds);
}

#endif
