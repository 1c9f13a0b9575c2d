/* bench/modular/inputs.h: operands over Z for the programs of bench/, and the time of a call.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_MODULAR_INPUTS_H
#define BENCH_MODULAR_INPUTS_H

#include "bench/bench.h"
#include "cli/compare/inputs.h"
#include "crt/blocks/remainders.h"

/* Ends the program unless the status is GFP_OK. */
void must(gfp_status status, const char *what);
/* Memory aligned to 64 bytes, which the caller frees; ends the program without memory. */
void *allocate(size_t words);
/* A number from least to most whose logarithm is uniform. */
size_t log_uniform(gfp_random *g, size_t least, size_t most);
/* a := n random numbers below 2^bits in absolute value, bits >= 1, the last one not 0. */
void fill_random(gfp_zvec *a, size_t n, size_t bits, gfp_random *g);
/* Random operands of this degree and these bits; common: with a common divisor of half of both,
 * which goes to z. */
void draw_pair(gfp_zvec *a, gfp_zvec *b, gfp_zvec *z, size_t degree, size_t bits, bool common,
               gfp_random *g);
/* The primes below 2^50. */
void make_block(gfp_words *block);
/* x := n random residues modulo each prime of the block. */
uint64_t *draw_residues(const gfp_words *block, size_t n, gfp_random *g);
/* The result of an operation over Z. The options name one thread: CPU times count. */
gfp_status run_operation(zoperation operation, gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                         const gfp_options *options);
/* The operation of this name among products, gcds and resultants; false: there is none. */
bool find_operation(zoperation *operation, const char *name);
/* The least time of a call in nanoseconds by the clock of measure(); the first call, which makes
 * tables, does not count. */
double least_ns(const settings *s, bool (*run)(void *context), void *context);

#endif
