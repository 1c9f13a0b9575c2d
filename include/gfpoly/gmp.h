/* gfpoly/gmp.h: elements from and to GMP integers. This is a header of its own so that the other
 * headers do not need GMP.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_GMP_H
#define GFPOLY_GMP_H

#include <gmp.h>

#include "gfpoly/elem.h"

GFP_BEGIN_DECLS

/* GMP aborts the process if memory runs out in calls that set an mpz_t. */

/* z := value mod p, any sign and size. */
static inline void gfp_elem_set_mpz(const gfp_field *field, uint64_t *z, mpz_srcptr value)
{
    gfp_elem_set_limbs(field, z, (const uint64_t *)(const void *)mpz_limbs_read(value),
                       mpz_size(value));
    if (mpz_sgn(value) < 0) {
        gfp_elem_neg(field, z, z);
    }
}

/* value := x in [0, p). */
static inline void gfp_elem_get_mpz(const gfp_field *field, mpz_ptr value, const uint64_t *x)
{
    const mp_size_t n = (mp_size_t)gfp_field_limbs(field);
    gfp_elem_get_limbs(field, (uint64_t *)(void *)mpz_limbs_write(value, n), x);
    mpz_limbs_finish(value, n);
}

/* value := p. */
static inline void gfp_field_get_mpz(const gfp_field *field, mpz_ptr value)
{
    mpz_import(value, gfp_field_limbs(field), -1, sizeof(uint64_t), 0, 0,
               gfp_field_modulus_limbs(field));
}

GFP_END_DECLS
#endif
