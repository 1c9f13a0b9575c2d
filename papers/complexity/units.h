/* papers/complexity/units.h: the costs of the operations of counts.h on this machine, each timed
 * alone with data in a near cache, by the code of the products; and times predicted from counts
 * and costs.
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

#endif
