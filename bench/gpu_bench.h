/* bench/gpu_bench.h: what the parts of gfpoly_gpu_bench share: table cells, and which rows.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GPU_BENCH_H
#define GPU_BENCH_H

#include "gpu_jobs.h"

/* A number as a table's cell, "–" where there is none. */
void cell(double x);
/* Whether rows of this field and so many words are asked for. */
bool wanted(const bench *b, const char *field, size_t words);

/* gpu_products.c */
void bench_products(bench *b);

#endif
