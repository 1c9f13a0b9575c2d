/* gfpoly/zvec_flint.h: polynomials over Z from and to FLINT (2.9 and 3.x), and operations on
 * FLINT's polynomials, as inline functions; versions are compared as gfpoly/flint.h says.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_ZVEC_FLINT_H
#define GFPOLY_ZVEC_FLINT_H

#include <stdlib.h>

#include "gfpoly/flint.h"

#include <flint/fmpz_poly.h>

#include "gfpoly/zvec.h"

GFP_BEGIN_DECLS

/* z := the coefficients of f. A copy of the coefficients lies in memory of malloc meanwhile.
 * Errors: SIZE, MEMORY, VERSION. */
static inline GFP_MUST_CHECK gfp_status gfp_zvec_set_fmpz_poly(gfp_zvec *z, const fmpz_poly_t f)
{
    const size_t n = (size_t)f->length;
    size_t total = 0, at = 0;
    gfp_status status = gfp_flint_check();
    if (status != GFP_OK) {
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        total += (size_t)fmpz_bits(f->coeffs + i) / 64 + 1;
    }
    size_t *const widths = (size_t *)malloc((n + 1) * sizeof *widths);
    uint64_t *const words = (uint64_t *)malloc((total + 1) * sizeof *words);
    status = widths != NULL && words != NULL ? GFP_OK : GFP_ERR_MEMORY;
    for (size_t i = 0; i < n && status == GFP_OK; i++) {
        widths[i] = (size_t)fmpz_bits(f->coeffs + i) / 64 + 1;
        fmpz_get_signed_ui_array((ulong *)(void *)(words + at), (slong)widths[i], f->coeffs + i);
        at += widths[i];
    }
    if (status == GFP_OK) {
        status = gfp_zvec_set_ragged(z, words, widths, n);
    }
    free(widths);
    free(words);
    return status;
}

/* f := the polynomial with these coefficients. Errors: SIZE, VERSION. */
static inline GFP_MUST_CHECK gfp_status gfp_zvec_get_fmpz_poly(fmpz_poly_t f, const gfp_zvec *a)
{
    const gfp_status status = gfp_flint_check();
    if (status != GFP_OK) {
        return status;
    }
    if (a->len > (size_t)WORD_MAX || gfp_zvec_bits(a) / 64 >= (size_t)INT32_MAX) {
        return GFP_ERR_SIZE;
    }
    fmpz_poly_fit_length(f, (slong)a->len);
    for (size_t i = 0; i < a->len; i++) {
        size_t width;
        const uint64_t *x = gfp_zvec_get(&width, a, i);
        fmpz_set_signed_ui_array(f->coeffs + i, (const ulong *)(const void *)x, (slong)width);
    }
    _fmpz_poly_set_length(f, (slong)a->len);
    _fmpz_poly_normalise(f);
    return GFP_OK;
}

/* ---- operations ---- */

/* An operation over vectors. */
typedef gfp_status gfp_zvec_operation(gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                                      const gfp_options *options);

/* c := the result of the operation, made over this ring; on an error c is not initialised. */
static inline GFP_MUST_CHECK gfp_status gfp_zvec_of_fmpz_polys(gfp_zvec *c, gfp_zring *over,
                                                               gfp_zvec_operation *run,
                                                               const fmpz_poly_t a,
                                                               const fmpz_poly_t b,
                                                               const gfp_options *options)
{
    gfp_zvec x, y;
    if (over == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    gfp_zvec_init(c, over);
    gfp_zvec_init(&x, over);
    gfp_zvec_init(&y, over);
    gfp_status status = gfp_zvec_set_fmpz_poly(&x, a);
    if (status == GFP_OK) {
        status = gfp_zvec_set_fmpz_poly(&y, b);
    }
    if (status == GFP_OK) {
        status = run(c, &x, &y, options);
    }
    if (status != GFP_OK) {
        gfp_zvec_clear(c);
    }
    gfp_zvec_clear(&x);
    gfp_zvec_clear(&y);
    return status;
}

/* f := the result of the operation, made over this ring. */
static inline GFP_MUST_CHECK gfp_status gfp_fmpz_poly_of(fmpz_poly_t f, gfp_zring *over,
                                                         gfp_zvec_operation *run,
                                                         const fmpz_poly_t a, const fmpz_poly_t b,
                                                         const gfp_options *options)
{
    gfp_zvec z;
    gfp_status status = gfp_zvec_of_fmpz_polys(&z, over, run, a, b, options);
    if (status == GFP_OK) {
        status = gfp_zvec_get_fmpz_poly(f, &z);
        gfp_zvec_clear(&z);
    }
    return status;
}

/* c := a b, g := gcd(a, b), r := the resultant of a and b, over this ring: gfp_zvec_mul,
 * gfp_zvec_gcd, gfp_zvec_resultant. Outputs may equal inputs. Errors: theirs, ARGUMENT (the ring is
 * NULL), VERSION. */
static inline GFP_MUST_CHECK gfp_status gfp_fmpz_poly_mul(fmpz_poly_t c, const fmpz_poly_t a,
                                                          const fmpz_poly_t b, gfp_zring *over,
                                                          const gfp_options *options)
{
    return gfp_fmpz_poly_of(c, over, gfp_zvec_mul, a, b, options);
}
static inline GFP_MUST_CHECK gfp_status gfp_fmpz_poly_gcd(fmpz_poly_t g, const fmpz_poly_t a,
                                                          const fmpz_poly_t b, gfp_zring *over,
                                                          const gfp_options *options)
{
    return gfp_fmpz_poly_of(g, over, gfp_zvec_gcd, a, b, options);
}
static inline GFP_MUST_CHECK gfp_status gfp_fmpz_poly_resultant(fmpz_t r, const fmpz_poly_t a,
                                                                const fmpz_poly_t b,
                                                                gfp_zring *over,
                                                                const gfp_options *options)
{
    gfp_zvec z;
    const gfp_status status = gfp_zvec_of_fmpz_polys(&z, over, gfp_zvec_resultant, a, b, options);
    if (status != GFP_OK) {
        return status;
    }
    fmpz_zero(r);
    if (z.len > 0) {
        size_t width;
        const uint64_t *x = gfp_zvec_get(&width, &z, 0);
        fmpz_set_signed_ui_array(r, (const ulong *)(const void *)x, (slong)width);
    }
    gfp_zvec_clear(&z);
    return GFP_OK;
}

GFP_END_DECLS
#endif
