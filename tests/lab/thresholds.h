/* thresholds.h: a tuning with low thresholds, by which short polynomials take what follows the
 * base cases, on every kernel level.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_THRESHOLDS_H
#define TESTS_LAB_THRESHOLDS_H

#include <stdlib.h>

#include "poly/thresholds.h"

static gfp_tuning *low_thresholds_made;

static void free_low_thresholds(void)
{
    gfp_tuning_destroy(low_thresholds_made);
    low_thresholds_made = NULL;
}

/* value := the low thresholds, and the compiled-in ones where no low one is needed. */
static inline void set_low_thresholds(size_t value[GFP_THRESHOLDS])
{
    for (size_t i = 0; i < GFP_THRESHOLDS; i++) {
        value[i] = GFP_THRESHOLD_COMPILED;
    }
    value[GFP_THRESHOLD_DIVISION] = 8;
    value[GFP_THRESHOLD_HALF_GCD] = 10;
    value[GFP_THRESHOLD_MODULUS] = 6;
    value[GFP_THRESHOLD_REMAINDER] = 4;
    value[GFP_THRESHOLD_SERIES_DEFINITION] = 16;
    value[GFP_THRESHOLD_SERIES_RECURRENCE] = 24;
    value[GFP_THRESHOLD_SERIES_START] = 12;
    value[GFP_THRESHOLD_TREE_INTERPOLATION] = 16;
    value[GFP_THRESHOLD_TREE_POINTS] = 16;
    value[GFP_THRESHOLD_TREE_ROOTS] = 16;
}

/* The tuning, which lasts until the program ends. */
static inline const gfp_tuning *low_thresholds(void)
{
    static size_t value[GFP_THRESHOLDS];
    if (low_thresholds_made == NULL) {
        assert_int_equal(gfp_tuning_create(&low_thresholds_made, NULL), GFP_OK);
        assert_int_equal(atexit(free_low_thresholds), 0);
        set_low_thresholds(value);
        gfp_thresholds_set(low_thresholds_made, value);
    }
    return low_thresholds_made;
}

#endif
