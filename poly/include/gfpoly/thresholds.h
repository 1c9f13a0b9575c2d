/* gfpoly/thresholds.h: the sizes up to which division, gcds, series, trees and composition are
 * computed by their base cases, and their measurement. Results do not depend on these thresholds,
 * only times do. Calls whose options have a tuning take its thresholds for the field's k, and the
 * compiled-in ones where it has none.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_THRESHOLDS_H
#define GFPOLY_THRESHOLDS_H

#include "gfpoly/tuning.h"

GFP_BEGIN_DECLS

/* The number of thresholds, and their names, in ascending order; NULL for index >= count. */
GFP_API size_t gfp_threshold_count(void);
GFP_API const char *gfp_threshold_name(size_t index);
/* The threshold that calls with this tuning (NULL: none) take over a field; 0 for index >= count. A
 * value of the tuning beyond the limits of the threshold counts as the limit. */
GFP_API size_t gfp_threshold_value(size_t index, const gfp_field *field, const gfp_tuning *tuning);

/* Measures every threshold over a field, on one thread, and enters it for the field's k: operations
 * of several sizes are timed at a threshold of their size and at half of it, by turns; a threshold
 * whose calls take too long at every size is entered as GFP_TUNING_UNMEASURED. Takes up to
 * four seconds, with options->quick one. Fields of a radix below 2^32 have other kernels than the
 * rest and are not measured. options: quick; known (its thresholds for this k are not measured
 * again); progress, user, error. Others are not read. Errors: CANCELLED (progress returned false),
 * STALE (*tuning was measured elsewhere), MEMORY, SIZE; thresholds measured before an error
 * stay. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tuning_measure_thresholds(gfp_tuning *tuning,
                                                                const gfp_field *field,
                                                                const gfp_tuning_options *options);

GFP_END_DECLS
#endif
