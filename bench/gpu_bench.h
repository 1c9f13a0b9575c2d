/* bench/gpu_bench.h: shared by the parts of gfpoly_gpu_bench: table cells, and the selection of
 * rows.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GPU_BENCH_H
#define GPU_BENCH_H

#include "gpu_jobs.h"

/* Prints a number as a table's cell, or "–" for 0. */
void cell(double x);
/* Whether the options ask for rows of this field and number of words. */
bool wanted(const bench *b, const char *field, size_t words);

/* gpu_products.c */
void bench_products(bench *b);
/* gpu_toolkit.c */
void bench_toolkit(bench *b);
/* gpu_gcds.c */
void bench_gcds(bench *b);
/* gpu_modulus.c */
void bench_modulus(bench *b);

#endif
