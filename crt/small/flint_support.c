/* crt/small/flint_support.c: the version check of the loaded FLINT, the table of word-size primes,
 * and elements from and to fmpz: the conversions that the products and the public bridge to FLINT
 * share.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>

#include "crt/methods.h"
#include "crt/small/flint_support.h"

/* q = 2^64 - gap. */
static const uint16_t prime_gaps[GFP_CRT_PRIMES] = {
#include "crt/small/primes.inc"
};

uint64_t gfp_crt_prime(size_t index)
{
    return UINT64_MAX - prime_gaps[index] + 1;
}

#if GFP_HAVE_FLINT

#include <stdlib.h>

static const char version_problem[] = "gfpoly was built with FLINT " FLINT_VERSION
                                      ", but another version of FLINT is loaded: install "
                                      "that one, or build gfpoly again";

const char *gfp_crt_flint_problem(void)
{
    char *end;
    const long major = strtol(flint_version, &end, 10);
    const long minor = *end == '.' ? strtol(end + 1, NULL, 10) : -1;

    return major == __FLINT_VERSION && minor == __FLINT_VERSION_MINOR ? "" : version_problem;
}

void gfp_fmpz_set_elem(const gfp_field *field, fmpz_t value, const uint64_t *x)
{
    uint64_t limbs[GFP_MAX_LIMBS];

    gfp_elem_get_limbs(field, limbs, x);
    fmpz_set_ui_array(value, limbs, (slong)gfp_field_limbs(field));
}

void gfp_elem_set_fmpz_any(const gfp_field *field, uint64_t *z, const fmpz_t value)
{
    if (COEFF_IS_MPZ(*value)) {
        /* Reads the limbs in place: a copy would allocate. */
        mpz_srcptr big = COEFF_TO_PTR(*value);
        gfp_elem_set_limbs(field, z, mpz_limbs_read(big), mpz_size(big));
    } else {
        /* |value| < 2^62: the negation cannot overflow. */
        gfp_elem_set_u64(field, z, (uint64_t)(*value < 0 ? -*value : *value));
    }
    if (fmpz_sgn(value) < 0) {
        gfp_elem_neg(field, z, z);
    }
}

void gfp_fmpz_set_modulus(const gfp_field *field, fmpz_t value)
{
    fmpz_set_ui_array(value, gfp_field_modulus_limbs(field), (slong)gfp_field_limbs(field));
}

void gfp_fmpz_poly_init_integers(fmpz_poly_t poly, const gfp_crt_integers *x)
{
    fmpz_poly_init2(poly, (slong)x->len);
    for (size_t i = 0; i < x->len; i++) {
        fmpz_set_signed_ui_array(poly->coeffs + i,
                                 (const ulong *)(const void *)(x->limbs + i * x->width),
                                 (slong)x->width);
    }
    _fmpz_poly_set_length(poly, (slong)x->len);
    _fmpz_poly_normalise(poly);
}

#else

const char *gfp_crt_flint_problem(void)
{
    return "gfpoly was built without FLINT";
}

#endif
