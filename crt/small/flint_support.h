/* crt/small/flint_support.h: shared by the files that compute with FLINT: the word-size primes,
 * elements and integers from and to fmpz. The part with fmpz exists only in builds with FLINT.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_SMALL_FLINT_SUPPORT_H
#define GFP_CRT_SMALL_FLINT_SUPPORT_H

#include "crt/methods.h"
#include "gfpoly/elem.h"

/* The number of primes in the table. */
#define GFP_CRT_PRIMES 520

/* Returns a prime of multimodular: the index-th largest below 2^64, index < GFP_CRT_PRIMES. */
uint64_t gfp_crt_prime(size_t index);

#if GFP_HAVE_FLINT
#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpz_poly.h>

/* value := x in [0, p). */
void gfp_fmpz_set_elem(const gfp_field *field, fmpz_t value, const uint64_t *x);
/* z := value mod p, any sign and size. The function allocates nothing. */
void gfp_elem_set_fmpz_any(const gfp_field *field, uint64_t *z, const fmpz_t value);
/* value := p. */
void gfp_fmpz_set_modulus(const gfp_field *field, fmpz_t value);
/* Initialises a polynomial that has these coefficients. */
void gfp_fmpz_poly_init_integers(fmpz_poly_t poly, const gfp_crt_integers *x);
#endif

#endif
