/* bench/modular/sections.h: the parts of gfpoly_bench over Z. Each prints a table, adds to the
 * report, and returns false after a message. Times are CPU times.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_MODULAR_SECTIONS_H
#define BENCH_MODULAR_SECTIONS_H

#include "bench/bench.h"

/* Resultants and gcds modulo a block of primes at all levels, and by FLINT; lengths are degrees. */
bool bench_images(const settings *s, report *r);
/* s->strategies, an operation, by every strategy and by the choice. */
bool bench_strategies(const settings *s, report *r);
/* s->bivariate: bivariate resultants, their parts, peers, systems; lengths are degrees. */
bool bench_bivariate(const settings *s, report *r);

#endif
