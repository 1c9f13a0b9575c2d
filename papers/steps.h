/* papers/steps.h: the sequel's six-step transform (Alg. 2) with the time of each step, by any
 * number of threads: by the library's call, and the same steps in GMP's arithmetic.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef STEPS_H
#define STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gfpoly.h"
#include "papers/gmp_dft.h"

/* In the order of the library's parts (fft/six_step.h). */
enum { PART_PERMUTATION, PART_DFT, PART_TWIDDLE, PARTS };

typedef struct steps {
    const gfp_field *field;
    size_t n, radix, words; /* N = K^e, K, words of an element */
    unsigned threads;
    gfp_fft_plan *plan; /* plan of the library's arithmetic */
    gmp_dft *gmp;       /* GMP's arithmetic: one for each thread; else NULL */
    uint64_t *x, *copy; /* N elements each */
    double ns[PARTS];   /* times of the last run */
    double prepare_ns;  /* time of the tables of roots */
} steps;

/* Prepares N = K^e points. Returns false, after a message, without memory or roots. */
bool steps_open(steps *s, const gfp_field *field, size_t n, bool by_gmp, unsigned threads);
void steps_close(steps *s);
/* steps_put: s->x := n elements of canonical digits. steps_get: the reverse. */
void steps_put(steps *s, const uint64_t *x);
void steps_get(steps *s, uint64_t *y);
/* s->x := DFT_N of s->x. For measure(): the context is the steps. */
bool steps_run(void *context);

#endif
