/* gfpoly/gmp.h: elements from and to GMP integers. This is a header of its own so that the other
 * headers do not need GMP.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_GMP_H
#define GFPOLY_GMP_H

#include <gmp.h>

#include "gfpoly/elem.h"

GFP_BEGIN_DECLS

/* z := value mod p, any sign and size. */
GFP_API void gfp_elem_set_mpz(const gfp_field *field, uint64_t *z, mpz_srcptr value);
/* value := x in [0, p). GMP aborts the process if memory runs out in this call. */
GFP_API void gfp_elem_get_mpz(const gfp_field *field, mpz_ptr value, const uint64_t *x);
/* z_i := values[i] mod p, any sign and size. The function converts several numbers at a time, as
 * gfp_vec_set_limbs does. Numbers in [0, p) are fast. */
GFP_API void gfp_vec_set_mpz(const gfp_field *field, uint64_t *z, mpz_srcptr values, size_t n);
/* values[i] := x_i in [0, p). All values must be initialised, and no two may be the same object.
 * GMP aborts the process if memory runs out in this call. */
GFP_API void gfp_vec_get_mpz(const gfp_field *field, mpz_ptr values, const uint64_t *x, size_t n);
/* value := p. GMP aborts the process if memory runs out in this call. */
GFP_API void gfp_field_get_mpz(const gfp_field *field, mpz_ptr value);

GFP_END_DECLS
#endif
