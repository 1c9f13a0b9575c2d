/* bench/complexity.h: the table of operation counts, predicted and measured times in the reports of
 * gfpoly_papers. SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef COMPLEXITY_H
#define COMPLEXITY_H

#include <stdio.h>

#include "tables.h"
#include "units.h"

/* The fields of the settings, without any all named ones; products of lengths, and transforms, that
 * are not left out, as Markdown. False after a complaint. */
bool write_complexity(paper *w);

/* complexity_transforms.c: its last part; the rows of a field, given costs of its operations. */
void write_transforms_head(FILE *out);
bool write_transforms(const paper *w, const gfp_field *field, const unit_costs *big);

#endif
