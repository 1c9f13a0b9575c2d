/* papers/complexity/measured.h: times that the table complexity compares with counts.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef MEASURED_H
#define MEASURED_H

#include "papers/complexity/units.h"

/* ---- crt.c: the steps of a product by crt, in nanoseconds ---- */

typedef struct crt_times {
    double predicted[CRT_STEPS], measured[CRT_STEPS];
    double whole; /* the product, which includes work outside the steps */
} crt_times;
/* Measures a product that count_crt_steps counts, given the costs of its operations, and checks it.
 * Returns false after a message. */
bool time_crt_steps(crt_times *t, const settings *s, const gfp_poly *a, const gfp_poly *b,
                    const unit_costs *u);

/* ---- transforms.c: both approaches of ISSAC 2017 to transforms ---- */

/* Over Z/pZ, and modulo word-size primes with projection and recombination. */
typedef struct transform_times {
    counts count_big, count_small;
    timing big, small;
} transform_times;
/* Counts and measures transforms of n points, and checks them. Returns false after a message. */
bool time_transforms(transform_times *t, const settings *s, const gfp_field *field, size_t n);
/* The costs of the operations modulo small primes, from a short transform. */
bool time_small_units(unit_costs *u, const settings *s, const gfp_field *field);

#endif
