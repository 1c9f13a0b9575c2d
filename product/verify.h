/* verify.h: checks of products and of other results: at random points, or by a second method.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_VERIFY_H
#define GFP_VERIFY_H

#include "gfpoly/options.h"
#include "methods.h"

/* A random seed from the system. Errors: UNAVAILABLE. */
gfp_status gfp_system_seed(uint64_t *seed, gfp_error *error);
/* The number of random points that check a product of len_c coefficients, and the log2 of the
 * probability that a wrong product passes; 0: too many points, compute the product a second
 * time. */
unsigned gfp_verify_points(const gfp_field *field, size_t len_c, int *log2_error);
#define GFP_VERIFY_MAX_POINTS 4
/* draw: d := `points` random points. evaluate: y := x(d) for len >= 1 coefficients; a unit of the
 * task is k digit products; false: cancelled. */
void gfp_verify_draw(const gfp_field *field, uint64_t *d, unsigned points, uint64_t seed);
bool gfp_verify_evaluate(const gfp_field *field, uint64_t *y, const uint64_t *x, size_t len,
                         uint64_t d, gfp_task *task);
/* The claim that c, len_a + len_b - 1 coefficients, is a b. */
typedef struct gfp_claim {
    const gfp_field *field;
    const uint64_t *c, *a, *b;
    size_t len_a, len_b;
    const gfp_method *used;   /* the row that computed it; may be NULL */
    const gfp_tuning *tuning; /* for the choice of a second method; may be NULL */
    size_t cap;               /* bytes of work space of a second product; 0: no cap */
} gfp_claim;
/* Checks a claim; `how` is POINT or CROSS. Fills verified, cross_method, points, log2_error of
 * *report on OK and VERIFY. Spans one part of task (may be NULL). Errors: VERIFY, UNAVAILABLE (no
 * second method), SIZE, MEMORY, CANCELLED, and the second method's. */
gfp_status gfp_verify_product(const gfp_claim *claim, gfp_verify how, uint64_t seed,
                              gfp_report *report, gfp_task *task, gfp_error *error);

#endif
