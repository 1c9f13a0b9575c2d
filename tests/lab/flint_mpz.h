/* flint_mpz.h: integers of GMP as coefficients of polynomials of FLINT, of any version.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_FLINT_MPZ_H
#define TESTS_LAB_FLINT_MPZ_H

#include <gmp.h>

#include <flint/fmpz.h>
#include <flint/fmpz_poly.h>

static inline void set_coefficient_mpz(fmpz_poly_t f, size_t i, const mpz_t x)
{
    fmpz_t value;
    fmpz_init(value);
    fmpz_set_mpz(value, x);
    fmpz_poly_set_coeff_fmpz(f, (slong)i, value);
    fmpz_clear(value);
}

#endif
