/* thresholds_lab.h: a tuning with low thresholds, by which short polynomials take what follows the
 * base cases, on every kernel level.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef THRESHOLDS_LAB_H
#define THRESHOLDS_LAB_H

#include <stdlib.h>

#include "gfpoly/tuning.h"

static gfp_tuning *low_thresholds_made;

static void free_low_thresholds(void)
{
    gfp_tuning_destroy(low_thresholds_made);
    low_thresholds_made = NULL;
}

/* Enters the low thresholds for every k. */
static inline void enter_low_thresholds(gfp_tuning *tuning)
{
    static const struct {
        const char *name;
        uint64_t value;
    } low[] = {
        {"division", 8},      {"half_gcd", 10},           {"modulus", 6},
        {"remainder", 4},     {"series_definition", 16},  {"series_recurrence", 24},
        {"series_start", 12}, {"tree_interpolation", 16}, {"tree_points", 16},
        {"tree_roots", 16},
    };
    for (unsigned k = 2; k <= GFP_MAX_K; k *= 2) {
        for (size_t i = 0; i < sizeof low / sizeof *low; i++) {
            const gfp_tuning_threshold threshold = {low[i].name, k, low[i].value};
            assert_int_equal(gfp_tuning_set_threshold(tuning, &threshold), GFP_OK);
        }
    }
}

/* The tuning, which lasts until the program ends. */
static inline const gfp_tuning *low_thresholds(void)
{
    if (low_thresholds_made == NULL) {
        assert_int_equal(gfp_tuning_create(&low_thresholds_made, NULL), GFP_OK);
        assert_int_equal(atexit(free_low_thresholds), 0);
        enter_low_thresholds(low_thresholds_made);
    }
    return low_thresholds_made;
}

#endif
