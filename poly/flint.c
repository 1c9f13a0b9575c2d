/* poly/flint.c: elements and polynomials from and to FLINT. Each call checks that the
 * caller's FLINT headers, the library's and the loaded FLINT agree.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h> /* before FLINT, whose headers do not include it from 3.7 on */

#include "gfpoly/flint.h"

#include "field/base/convert.h"
#include "crt/methods.h"
#include "crt/small/flint_support.h"
#include "poly/impl.h"
#include "field/base/support.h"

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

/* Numbers that are converted at once. */
#define CHUNK 64

/* z := count <= CHUNK values modulo p, of any sign and size. */
static void import_chunk(const gfp_field *field, uint64_t *z, const fmpz *values, size_t count)
{
    const unsigned k = gfp_field_k(field);
    gfp_limbs_view x[CHUNK];
    uint64_t small[CHUNK];

    for (size_t j = 0; j < count; j++) {
        const fmpz f = values[j];
        if (COEFF_IS_MPZ(f)) {
            mpz_srcptr big = COEFF_TO_PTR(f);
            x[j] = (gfp_limbs_view){mpz_limbs_read(big), mpz_size(big)};
        } else {
            small[j] = (uint64_t)(f < 0 ? -f : f); /* |f| < 2^62 */
            x[j] = (gfp_limbs_view){&small[j], 1};
        }
    }
    gfp_convert_import(field, z, x, count);
    for (size_t j = 0; j < count; j++) {
        if (fmpz_sgn(values + j) < 0) {
            gfp_elem_neg(field, z + j * k, z + j * k);
        }
    }
}

/* values := count <= CHUNK elements. */
static void export_chunk(const gfp_field *field, fmpz *values, const uint64_t *x, size_t count)
{
    const mp_size_t limbs = (mp_size_t)gfp_field_limbs(field);
    uint64_t *to[CHUNK];
    mpz_ptr big[CHUNK];

    for (size_t j = 0; j < count; j++) {
        big[j] = _fmpz_promote(values + j);
        to[j] = mpz_limbs_write(big[j], limbs);
    }
    gfp_convert_export(field, to, x, count);
    for (size_t j = 0; j < count; j++) {
        mpz_limbs_finish(big[j], limbs);
        if (mpz_size(big[j]) <= 1) {
            _fmpz_demote_val(values + j);
        }
    }
}

gfp_status gfp_poly_set_fmpz_mod_poly_checked(gfp_poly *a, const fmpz_mod_poly_t b,
                                              const fmpz_mod_ctx_t ctx, int flint_release)
{
    GFP_TRY(check_version(flint_release));
    GFP_TRY(check_modulus(a->field, ctx));
    const size_t len = (size_t)b->length;
    const unsigned k = gfp_field_k(a->field);
    /* The only step that can fail comes before the first write. */
    GFP_TRY(gfp_poly_fit_length(a, len));
    for (size_t i = 0; i < len; i += CHUNK) {
        import_chunk(a->field, a->digits + i * k, b->coeffs + i, gfp_size_min(len - i, CHUNK));
    }
    gfp_poly_normalise(a, len);
    return GFP_OK;
}

gfp_status gfp_poly_get_fmpz_mod_poly_checked(fmpz_mod_poly_t b, const gfp_poly *a,
                                              const fmpz_mod_ctx_t ctx, int flint_release)
{
    GFP_TRY(check_version(flint_release));
    GFP_TRY(check_modulus(a->field, ctx));
    const unsigned k = gfp_field_k(a->field);
    if (a->len > (size_t)WORD_MAX) {
        return GFP_ERR_SIZE;
    }
    fmpz_mod_poly_fit_length(b, (slong)a->len, ctx);
    for (size_t i = 0; i < a->len; i += CHUNK) {
        export_chunk(a->field, b->coeffs + i, a->digits + i * k, gfp_size_min(a->len - i, CHUNK));
    }
    _fmpz_mod_poly_set_length(b, (slong)a->len);
    _fmpz_mod_poly_normalise(b);
    return GFP_OK;
}
