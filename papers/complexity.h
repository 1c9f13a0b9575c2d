/* papers/complexity.h: the table of operation counts, predicted and measured times in the reports
 * of gfpoly_papers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef COMPLEXITY_H
#define COMPLEXITY_H

#include <stdio.h>

#include "tables.h"
#include "units.h"

/* The fields of the settings, without any all named ones; products of lengths, and transforms, that
 * are not left out, as Markdown. False after a complaint. */
bool write_complexity(paper *w);

/* complexity_crt.c: nanoseconds of the steps of a product by crt of two factors of n coefficients.
 */
typedef struct crt_times {
    const gfp_field *field;
    size_t n;
    double predicted[CRT_STEPS], measured[CRT_STEPS];
    double whole; /* the product, which does more than the steps; 0: not measured */
} crt_times;
/* Of a product that count_crt_steps counts, given costs of its operations; checks it. */
bool time_crt_steps(crt_times *t, const settings *s, const gfp_poly *a, const gfp_poly *b,
                    const unit_costs *u);
/* A table of those that are measured, and what takes longer than predicted. */
void write_crt_steps(FILE *out, const crt_times *products, size_t count);

/* complexity_transforms.c: its last part; the rows of a field, given costs of its operations. */
void write_transforms_head(FILE *out);
bool write_transforms(const paper *w, const gfp_field *field, const unit_costs *big);

#endif
