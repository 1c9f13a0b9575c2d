/* bench/gpu/bench.h: shared by the parts of gfpoly_gpu_bench: table cells, and the selection of
 * rows.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_GPU_BENCH_H
#define BENCH_GPU_BENCH_H

#include "bench/gpu/jobs.h"

/* Prints a number as a table's cell, or "–" for 0. */
void cell(double x);
/* Whether the options ask for rows of this field and number of words. */
bool wanted(const bench *b, const char *field, size_t words);

/* products.c */
void bench_products(bench *b);
/* toolkit.c */
void bench_toolkit(bench *b);
/* gcds.c */
void bench_gcds(bench *b);
/* modulus.c */
void bench_modulus(bench *b);
/* dealt.c */
void bench_dealt(bench *b);
/* *gpus := a context on each device, at most GFP_GPU_MOST_MEMBERS; returns their number. */
size_t open_devices(gfp_gpu **gpus);
void close_devices(gfp_gpu **gpus, size_t count);
/* dealt_host.c */
void bench_dealt_host(bench *b);

#endif
