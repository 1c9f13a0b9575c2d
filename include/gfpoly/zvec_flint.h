/* gfpoly/zvec_flint.h: polynomials over Z from and to FLINT (2.9 and 3.x), and operations on
 * FLINT's polynomials. Present only if gfpoly was built with FLINT; versions are compared as
 * gfpoly/flint.h says.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_ZVEC_FLINT_H
#define GFPOLY_ZVEC_FLINT_H

#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpz_poly.h>

#include "gfpoly/zvec.h"

GFP_BEGIN_DECLS

/* z := the coefficients of f. Errors: SIZE, MEMORY, VERSION. */
#define gfp_zvec_set_fmpz_poly(z, f) gfp_zvec_set_fmpz_poly_checked((z), (f), __FLINT_RELEASE)
/* f := the polynomial with these coefficients. Errors: SIZE, VERSION. */
#define gfp_zvec_get_fmpz_poly(f, a) gfp_zvec_get_fmpz_poly_checked((f), (a), __FLINT_RELEASE)

/* c := a b, g := gcd(a, b), r := the resultant of a and b, over this ring: gfp_zvec_mul,
 * gfp_zvec_gcd, gfp_zvec_resultant. Outputs may equal inputs. Errors: theirs, and VERSION. */
#define gfp_fmpz_poly_mul(c, a, b, ring, options)                                                  \
    gfp_fmpz_poly_mul_checked((c), (a), (b), (ring), (options), __FLINT_RELEASE)
#define gfp_fmpz_poly_gcd(g, a, b, ring, options)                                                  \
    gfp_fmpz_poly_gcd_checked((g), (a), (b), (ring), (options), __FLINT_RELEASE)
#define gfp_fmpz_poly_resultant(r, a, b, ring, options)                                            \
    gfp_fmpz_poly_resultant_checked((r), (a), (b), (ring), (options), __FLINT_RELEASE)

GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_set_fmpz_poly_checked(gfp_zvec *z, const fmpz_poly_t f,
                                                                 int flint_release);
GFP_API GFP_MUST_CHECK gfp_status gfp_zvec_get_fmpz_poly_checked(fmpz_poly_t f, const gfp_zvec *a,
                                                                 int flint_release);
GFP_API GFP_MUST_CHECK gfp_status gfp_fmpz_poly_mul_checked(fmpz_poly_t c, const fmpz_poly_t a,
                                                            const fmpz_poly_t b, gfp_zring *ring,
                                                            const gfp_options *options,
                                                            int flint_release);
GFP_API GFP_MUST_CHECK gfp_status gfp_fmpz_poly_gcd_checked(fmpz_poly_t g, const fmpz_poly_t a,
                                                            const fmpz_poly_t b, gfp_zring *ring,
                                                            const gfp_options *options,
                                                            int flint_release);
GFP_API GFP_MUST_CHECK gfp_status gfp_fmpz_poly_resultant_checked(fmpz_t r, const fmpz_poly_t a,
                                                                  const fmpz_poly_t b,
                                                                  gfp_zring *ring,
                                                                  const gfp_options *options,
                                                                  int flint_release);

GFP_END_DECLS
#endif
