/* papers/complexity/report.h: the table of operation counts, predicted and measured times in the
 * reports of gfpoly_papers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef COMPLEXITY_H
#define COMPLEXITY_H

#include <stdio.h>

#include "papers/paper.h"
#include "papers/complexity/units.h"

/* crt.c: nanoseconds of the steps of a product by crt of two factors of n
 * coefficients. */
typedef struct crt_times {
    const gfp_field *field;
    size_t n;
    double predicted[CRT_STEPS], measured[CRT_STEPS];
    double whole; /* the product, which includes work outside the steps; 0: not measured */
} crt_times;
/* Measures a product that count_crt_steps counts, given the costs of its operations,
 * and checks it. */
bool time_crt_steps(crt_times *t, const settings *s, const gfp_poly *a, const gfp_poly *b,
                    const unit_costs *u);
/* Writes a table of the measured products, and the excess over the predictions. */
void write_crt_steps(FILE *out, const crt_times *products, size_t count);

/* transforms.c: the last part of the table; and the rows of a field, given the costs of
 * its operations. */
void write_transforms_head(FILE *out);
bool write_transforms(const paper *w, const gfp_field *field, const unit_costs *big);

#endif
