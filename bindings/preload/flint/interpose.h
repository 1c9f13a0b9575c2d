/* interpose.h: the functions of FLINT that this library stands in for. Their types are FLINT's, but
 * for mullow modulo p, whose last two arguments changed places between FLINT 2 and 3.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_INTERPOSE_H
#define GFP_INTERPOSE_H

#include "bindings/preload/flint/host.h"

#pragma GCC visibility push(default)

/* A counter (settings.h), for dlsym and ctypes. */
long gfpoly_flint_count(const char *name);

void _fmpz_mod_poly_mul(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                        gfp_slong len_b, const void *modulus);
void _fmpz_mod_poly_sqr(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len, const void *modulus);
void _fmpz_mod_poly_mullow(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                           gfp_slong len_b, uintptr_t sixth, uintptr_t seventh);
void _fmpz_mod_poly_mulmid(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                           gfp_slong len_b, gfp_slong from, gfp_slong to, const void *modulus);
/* On polynomials; FLINT 3.2 and later may compute them without the functions above. */
void fmpz_mod_poly_mul(gfp_mod_poly *result, const gfp_mod_poly *a, const gfp_mod_poly *b,
                       const void *context);
void fmpz_mod_poly_sqr(gfp_mod_poly *result, const gfp_mod_poly *a, const void *context);
void fmpz_mod_poly_mullow(gfp_mod_poly *result, const gfp_mod_poly *a, const gfp_mod_poly *b,
                          gfp_slong n, const void *context);
void fmpz_mod_poly_mulmid(gfp_mod_poly *result, const gfp_mod_poly *a, const gfp_mod_poly *b,
                          gfp_slong from, gfp_slong to, const void *context);
void _fmpz_poly_mul(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                    gfp_slong len_b);
void _fmpz_poly_sqr(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len);
void _fmpz_poly_mullow(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                       gfp_slong len_b, gfp_slong n);
void _fmpz_poly_sqrlow(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len, gfp_slong n);

#pragma GCC visibility pop

#endif
