/* bench/complexity.h: the table of operation counts, predicted and measured times in the reports of
 * gfpoly_papers. SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef COMPLEXITY_H
#define COMPLEXITY_H

#include <stdio.h>

#include "units.h"

/* The fields of the settings, without any all named ones; products of lengths, and transforms, up
 * to max_points (0: all), as Markdown. False after a complaint. */
bool write_complexity(FILE *out, const settings *s, size_t max_points);

/* complexity_transforms.c: its last part; the rows of a field, given costs of its operations. */
void write_transforms_head(FILE *out);
bool write_transforms(FILE *out, const settings *s, const gfp_field *field, const unit_costs *big,
                      size_t max_points);

#endif
