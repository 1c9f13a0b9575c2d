/* mul_fft.h: the FFT-based general product (the sequel's Alg. 1) in its four steps: length-k
 * negacyclic convolutions modulo two or three word-size primes, CRT, the split u = l + h r + c r^2,
 * and the carry normalisation of kernels.h. The steps are separate functions so that a benchmark
 * can time each.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_MUL_FFT_H
#define GFP_FIELD_BASE_MUL_FFT_H

#include "field/base/kernels.h"

#define GFP_MUL_FFT_PRIMES 3

typedef struct gfp_mul_fft_tables gfp_mul_fft_tables;

/* Column sums u_i, |u_i| <= k r^2, as signed 192-bit integers in two's complement. */
typedef struct gfp_wide_columns {
    uint64_t u0[GFP_MAX_K];
    uint64_t u1[GFP_MAX_K];
    uint64_t u2[GFP_MAX_K];
} gfp_wide_columns;

typedef struct gfp_mul_fft_residues {
    uint64_t prime[GFP_MUL_FFT_PRIMES][GFP_MAX_K];
} gfp_mul_fft_residues;

/* Returns the number of primes: two if k r^2 <= (q1 q2 - 1)/2, else three. */
unsigned gfp_mul_fft_prime_count(const gfp_field *field);
/* residues := the coefficients of x y mod (T^k + 1) modulo each prime, in [0, q). */
void gfp_mul_fft_convolution(const gfp_field *field, gfp_mul_fft_residues *residues,
                             const uint64_t *x, const uint64_t *y);
void gfp_mul_fft_crt(const gfp_field *field, gfp_wide_columns *u,
                     const gfp_mul_fft_residues *residues);
void gfp_mul_fft_split(const gfp_field *field, gfp_columns *columns, const gfp_wide_columns *u);

/* Creates the tables of a field. Returns NULL if memory is short. */
gfp_mul_fft_tables *gfp_mul_fft_tables_create(unsigned k, uint64_t r,
                                              const gfp_allocator *allocator);
void gfp_mul_fft_tables_destroy(gfp_mul_fft_tables *tables, const gfp_allocator *allocator);

#endif
