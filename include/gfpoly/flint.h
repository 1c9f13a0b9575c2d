/* gfpoly/flint.h: from and to FLINT (2.9 and 3.x). Present only if gfpoly was built with FLINT.
 * Programs link with the output of `pkg-config --cflags --libs gfpoly-flint`. Each call compares
 * the FLINT headers it is compiled with, those the library was built with, and the FLINT library
 * that is loaded, and returns GFP_ERR_VERSION if major or minor version differ. FLINT aborts the
 * process when memory runs out inside it, and keeps caches per thread: gfpoly.h describes the
 * consequences for threads and fork.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_FLINT_H
#define GFPOLY_FLINT_H

#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mod.h>
#include <flint/fmpz_mod_poly.h>

#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* z := value mod p. */
#define gfp_elem_set_fmpz(field, z, value)                                                         \
    gfp_elem_set_fmpz_checked((field), (z), (value), __FLINT_RELEASE)
/* value := x in [0, p). */
#define gfp_elem_get_fmpz(field, value, x)                                                         \
    gfp_elem_get_fmpz_checked((field), (value), (x), __FLINT_RELEASE)
/* a := b. Errors: FIELD_MISMATCH if ctx's modulus is not p; a is unchanged then. */
#define gfp_poly_set_fmpz_mod_poly(a, b, ctx)                                                      \
    gfp_poly_set_fmpz_mod_poly_checked((a), (b), (ctx), __FLINT_RELEASE)
/* b := a. Errors: FIELD_MISMATCH if ctx's modulus is not p. */
#define gfp_poly_get_fmpz_mod_poly(b, a, ctx)                                                      \
    gfp_poly_get_fmpz_mod_poly_checked((b), (a), (ctx), __FLINT_RELEASE)

GFP_API GFP_MUST_CHECK gfp_status gfp_elem_set_fmpz_checked(const gfp_field *field, uint64_t *z,
                                                            const fmpz_t value, int flint_release);
GFP_API GFP_MUST_CHECK gfp_status gfp_elem_get_fmpz_checked(const gfp_field *field, fmpz_t value,
                                                            const uint64_t *x, int flint_release);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_set_fmpz_mod_poly_checked(gfp_poly *a,
                                                                     const fmpz_mod_poly_t b,
                                                                     const fmpz_mod_ctx_t ctx,
                                                                     int flint_release);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_get_fmpz_mod_poly_checked(fmpz_mod_poly_t b,
                                                                     const gfp_poly *a,
                                                                     const fmpz_mod_ctx_t ctx,
                                                                     int flint_release);

GFP_END_DECLS
#endif
