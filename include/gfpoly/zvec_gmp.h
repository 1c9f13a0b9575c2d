/* gfpoly/zvec_gmp.h: vectors of integers from and to GMP. This is a header of its own so that the
 * other headers do not need GMP.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_ZVEC_GMP_H
#define GFPOLY_ZVEC_GMP_H

#include <gmp.h>

#include "gfpoly/zvec.h"

GFP_BEGIN_DECLS

/* z := n integers of any sign and size. Errors: SIZE, MEMORY, ARGUMENT (NULL). */
GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_set_mpz(gfp_zvec *z, mpz_srcptr values, size_t n);
/* values[i] := a_i for i < a->len. All values must be initialised, and no two may be the same
 * object. GMP aborts the process if memory runs out in this call. */
GFP_API void gfp_zvec_get_mpz(mpz_ptr values, const gfp_zvec *a);

GFP_END_DECLS
#endif
