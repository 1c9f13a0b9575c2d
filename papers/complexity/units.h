/* papers/complexity/units.h: the costs of the operations of counts.h on this machine, each timed
 * alone with data in a near cache, by the code of the products; times predicted from counts and
 * costs; and times of steps and transforms to compare with these.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef UNITS_H
#define UNITS_H

#include "bench/bench.h"
#include "papers/complexity/counts.h"

/* Nanoseconds of the operations of the same names in counts. */
typedef struct unit_costs {
    double products, powers, digit_sums, outer_sums;
    double butterflies, pointwise, roots, projected, recombined;
} unit_costs;

/* The predicted nanoseconds: counts times costs, and for moved words the extra cost of a copy in an
 * area of that size over a near cache. */
double predict(const counts *c, const unit_costs *u);

/* Measures the cost of copies in areas of up to 2^most words, in the first call; required before
 * any prediction. This function and the functions below return false after a complaint. */
bool time_far_words(const settings *s, unsigned most);
/* Memory of zeros, aligned to 64 bytes. The caller of area_open frees `block`. */
typedef struct area {
    void *block;
    uint64_t *words;
} area;
bool area_open(area *a, size_t words);
/* Measure the operations of a method over a field. */
bool time_bigfft_units(unit_costs *u, const settings *s, const gfp_field *field);
bool time_hybrid_units(unit_costs *u, const settings *s, const gfp_field *field);
bool time_crt_units(unit_costs *u, const settings *s, const gfp_field *field);

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
