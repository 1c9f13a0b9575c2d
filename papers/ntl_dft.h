/* papers/ntl_dft.h: steps 1 and 2 of the papers' rival by NTL, with its FFT primes of up to 60
 * bits. The file ntl_dft.cpp is built where NTL and a C++ compiler are found.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef NTL_DFT_H
#define NTL_DFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ntl_dft ntl_dft;

/* N = n integers (a power of two) of `limbs` words each, and as few of NTL's primes, in its order,
 * as have a product of more than `bits` bits. Returns NULL without memory, or if N exceeds
 * NTL's longest transform. */
ntl_dft *ntl_dft_open(const uint64_t *x, size_t n, size_t limbs, size_t bits);
void ntl_dft_close(ntl_dft *w);
/* The number of primes. */
size_t ntl_dft_primes(const ntl_dft *w);
/* The integers modulo each prime, and their transforms of N points, in NTL's own order. */
bool ntl_dft_run(void *context);
/* Whether NTL's inverse transforms give the residues, computed from the words. */
bool ntl_dft_check(ntl_dft *w);

#ifdef __cplusplus
}
#endif
#endif
