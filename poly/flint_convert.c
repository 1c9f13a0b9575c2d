/* poly/flint_convert.c: elements and polynomials from and to FLINT, each call with a check that the
 * caller's FLINT headers, the library's and the loaded FLINT agree.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/flint.h"

#include "crt.h"
#include "flint_support.h"
#include "support.h"

/* flint_release: __FLINT_RELEASE of the headers that the caller was compiled with. The layout of
 * FLINT's types may change between minor versions, so the last two digits alone may differ. */
static gfp_status check_version(int flint_release)
{
    const bool same = flint_release / 100 == __FLINT_RELEASE / 100;

    return same && gfp_crt_flint_problem()[0] == '\0' ? GFP_OK : GFP_ERR_VERSION;
}

static gfp_status check_modulus(const gfp_field *field, const fmpz_mod_ctx_t ctx)
{
    fmpz_t p;

    fmpz_init(p);
    gfp_fmpz_set_modulus(field, p);
    const bool same = fmpz_equal(p, fmpz_mod_ctx_modulus(ctx)) != 0;
    fmpz_clear(p);
    return same ? GFP_OK : GFP_ERR_FIELD_MISMATCH;
}

gfp_status gfp_elem_set_fmpz_checked(const gfp_field *field, uint64_t *z, const fmpz_t value,
                                     int flint_release)
{
    GFP_TRY(check_version(flint_release));
    gfp_elem_set_fmpz_any(field, z, value);
    return GFP_OK;
}

gfp_status gfp_elem_get_fmpz_checked(const gfp_field *field, fmpz_t value, const uint64_t *x,
                                     int flint_release)
{
    GFP_TRY(check_version(flint_release));
    gfp_fmpz_set_elem(field, value, x);
    return GFP_OK;
}

gfp_status gfp_poly_set_fmpz_mod_poly_checked(gfp_poly *a, const fmpz_mod_poly_t b,
                                              const fmpz_mod_ctx_t ctx, int flint_release)
{
    GFP_TRY(check_version(flint_release));
    GFP_TRY(check_modulus(a->field, ctx));
    const size_t len = (size_t)b->length;
    const unsigned k = gfp_field_k(a->field);
    /* The one step that can fail comes before the first write. */
    GFP_TRY(gfp_poly_fit_length(a, len));
    for (size_t i = 0; i < len; i++) {
        gfp_elem_set_fmpz_any(a->field, a->digits + i * k, b->coeffs + i);
    }
    return gfp_poly_set_length(a, len);
}

gfp_status gfp_poly_get_fmpz_mod_poly_checked(fmpz_mod_poly_t b, const fmpz_mod_ctx_t ctx,
                                              const gfp_poly *a, int flint_release)
{
    GFP_TRY(check_version(flint_release));
    GFP_TRY(check_modulus(a->field, ctx));
    const unsigned k = gfp_field_k(a->field);
    if (a->len > (size_t)WORD_MAX) {
        return GFP_ERR_SIZE;
    }
    fmpz_mod_poly_fit_length(b, (slong)a->len, ctx);
    for (size_t i = 0; i < a->len; i++) {
        gfp_fmpz_set_elem(a->field, b->coeffs + i, a->digits + i * k);
    }
    _fmpz_mod_poly_set_length(b, (slong)a->len);
    _fmpz_mod_poly_normalise(b);
    return GFP_OK;
}
