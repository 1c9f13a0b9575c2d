/* flint_zgcd.c: resultants and greatest common divisors over Z by FLINT's own functions, with the
 * conversions from and to limbs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/methods.h"
#include "crt/small/flint_support.h"
#include "field/base/support.h"

#if GFP_HAVE_FLINT

/* Whether f, or -f, is below 2^(64 width - 1). */
static bool flint_zgcd_fits(const fmpz_t f, size_t width)
{
    return (size_t)fmpz_bits(f) < 64 * width;
}

gfp_status gfp_crt_zresultant_flint(uint64_t *r, size_t width, const gfp_crt_integers *a,
                                    const gfp_crt_integers *b)
{
    fmpz_poly_t fa, fb;
    fmpz_t value;
    if (gfp_crt_flint_problem()[0] != '\0') {
        return GFP_ERR_VERSION;
    }
    if (a->len > (size_t)WORD_MAX || b->len > (size_t)WORD_MAX) {
        return GFP_ERR_SIZE;
    }
    fmpz_init(value);
    gfp_fmpz_poly_init_integers(fa, a);
    gfp_fmpz_poly_init_integers(fb, b);
    fmpz_poly_resultant_modular(value, fa, fb);
    const gfp_status status = flint_zgcd_fits(value, width) ? GFP_OK : GFP_ERR_SIZE;
    if (status == GFP_OK) {
        fmpz_get_signed_ui_array((ulong *)(void *)r, (slong)width, value);
    }
    fmpz_poly_clear(fa);
    fmpz_poly_clear(fb);
    fmpz_clear(value);
    return status;
}

static gfp_status flint_zgcd_deliver(gfp_crt_divisor *z, const fmpz_poly_t f)
{
    const size_t len = (size_t)f->length;
    if (len > z->len) {
        return GFP_ERR_SIZE;
    }
    for (size_t i = 0; i < len; i++) {
        if (!flint_zgcd_fits(f->coeffs + i, z->width)) {
            return GFP_ERR_SIZE;
        }
        fmpz_get_signed_ui_array((ulong *)(void *)(z->limbs + i * z->width), (slong)z->width,
                                 f->coeffs + i);
    }
    z->len = len;
    return GFP_OK;
}

gfp_status gfp_crt_zgcd_flint(gfp_crt_divisor *z, const gfp_crt_integers *a,
                              const gfp_crt_integers *b)
{
    fmpz_poly_t fa, fb, g;
    if (gfp_crt_flint_problem()[0] != '\0') {
        return GFP_ERR_VERSION;
    }
    if (a->len > (size_t)WORD_MAX || b->len > (size_t)WORD_MAX) {
        return GFP_ERR_SIZE;
    }
    fmpz_poly_init(g);
    gfp_fmpz_poly_init_integers(fa, a);
    gfp_fmpz_poly_init_integers(fb, b);
    fmpz_poly_gcd(g, fa, fb);
    const gfp_status status = flint_zgcd_deliver(z, g);
    fmpz_poly_clear(fa);
    fmpz_poly_clear(fb);
    fmpz_poly_clear(g);
    return status;
}

#else

gfp_status gfp_crt_zresultant_flint(uint64_t *r, size_t width, const gfp_crt_integers *a,
                                    const gfp_crt_integers *b)
{
    (void)r;
    (void)width;
    (void)a;
    (void)b;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_crt_zgcd_flint(gfp_crt_divisor *z, const gfp_crt_integers *a,
                              const gfp_crt_integers *b)
{
    (void)z;
    (void)a;
    (void)b;
    return GFP_ERR_UNAVAILABLE;
}

#endif
