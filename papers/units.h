/* papers/units.h: what the operations of counts.h cost on this machine, each timed by itself with
 * data in a near cache, by the code that products use; and times predicted from counts and costs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef UNITS_H
#define UNITS_H

#include "bench.h"
#include "counts.h"

/* Nanoseconds of what counts have under the same name. */
typedef struct unit_costs {
    double products, powers, digit_sums, outer_sums;
    double butterflies, pointwise, roots, projected, recombined;
} unit_costs;

/* Nanoseconds: the counts times the costs, and for words moved what a copy in an area of that size
 * costs more than in a near cache. */
double predict(const counts *c, const unit_costs *u);

/* What copies cost in areas up to 2^most words: before any prediction. These and the ones below are
 * false after a complaint. */
bool time_far_words(const settings *s, unsigned most);
/* Memory on lines of 64 bytes, zeros; who opened it frees the block. */
typedef struct area {
    void *block;
    uint64_t *words;
} area;
bool area_open(area *a, size_t words);
/* Operations of a method over a field. */
bool time_bigfft_units(unit_costs *u, const settings *s, const gfp_field *field);
bool time_hybrid_units(unit_costs *u, const settings *s, const gfp_field *field);
bool time_crt_units(unit_costs *u, const settings *s, const gfp_field *field);

#endif
