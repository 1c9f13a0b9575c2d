/* mpz.c: elements from and to GMP integers. SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gmp.h"

#include <string.h>

#include "field_impl.h"

static void set_limbs(mpz_ptr value, const uint64_t *limbs, unsigned n)
{
    mp_limb_t *z = mpz_limbs_write(value, (mp_size_t)n);
    memcpy(z, limbs, n * sizeof *limbs);
    mpz_limbs_finish(value, (mp_size_t)n);
}

void gfp_elem_set_mpz(const gfp_field *field, uint64_t *z, mpz_srcptr value)
{
    gfp_elem_set_limbs(field, z, (const uint64_t *)(const void *)mpz_limbs_read(value),
                       mpz_size(value));
    if (mpz_sgn(value) < 0) {
        gfp_elem_neg(field, z, z);
    }
}

void gfp_elem_get_mpz(const gfp_field *field, mpz_ptr value, const uint64_t *x)
{
    uint64_t limbs[GFP_MAX_LIMBS];
    gfp_elem_get_limbs(field, limbs, x);
    set_limbs(value, limbs, field->limbs);
}

void gfp_field_get_mpz(const gfp_field *field, mpz_ptr value)
{
    set_limbs(value, field->modulus, field->limbs);
}
