/* gfpoly/gmp.h: elements from and to GMP integers. Apart, so that the other headers need no GMP.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_GMP_H
#define GFPOLY_GMP_H

#include <gmp.h>

#include "gfpoly/elem.h"

GFP_BEGIN_DECLS

/* z := value mod p, any sign and size. */
GFP_API void gfp_elem_set_mpz(const gfp_field *field, uint64_t *z, mpz_srcptr value);
/* value := x in [0, p). GMP aborts the process when memory runs out here. */
GFP_API void gfp_elem_get_mpz(const gfp_field *field, mpz_ptr value, const uint64_t *x);
/* The same for n numbers, several at a time: see gfp_vec_set_limbs. Numbers in [0, p) are fast. */
GFP_API void gfp_vec_set_mpz(const gfp_field *field, uint64_t *z, mpz_srcptr values, size_t n);
/* All of them initialised, none twice. */
GFP_API void gfp_vec_get_mpz(const gfp_field *field, mpz_ptr values, const uint64_t *x, size_t n);
/* value := p. The same caution. */
GFP_API void gfp_field_get_mpz(const gfp_field *field, mpz_ptr value);

GFP_END_DECLS
#endif
