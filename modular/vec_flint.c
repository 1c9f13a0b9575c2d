/* vec_flint.c: polynomials over Z from and to FLINT, and FLINT's polynomials as operands.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h> /* before FLINT, whose headers do not include it from 3.7 on */

#include "gfpoly/zvec_flint.h"

#include "crt/methods.h"
#include "modular/vec.h"

static gfp_status check_version(int flint_release)
{
    const bool same = flint_release / 100 == __FLINT_RELEASE / 100;
    return same && gfp_crt_flint_problem()[0] == '\0' ? GFP_OK : GFP_ERR_VERSION;
}

gfp_status gfp_zvec_set_fmpz_poly_checked(gfp_zvec *z, const fmpz_poly_t f, int flint_release)
{
    gfp_zlayout layout = {0, 0, 0};
    gfp_zvec made;
    GFP_TRY(check_version(flint_release));
    const size_t n = (size_t)f->length;
    for (size_t i = 0; i < n; i++) {
        gfp_zlayout_add(&layout, gfp_z_width((size_t)fmpz_bits(f->coeffs + i)));
    }
    gfp_zvec_init(&made, z->ring);
    GFP_TRY(gfp_zvec_reserve_layout(&made, &layout));
    for (size_t i = 0; i < n; i++) {
        const fmpz c = f->coeffs[i];
        if (COEFF_IS_MPZ(c)) {
            mpz_srcptr big = COEFF_TO_PTR(c);
            gfp_zvec_put_number(&made, i, (const uint64_t *)(const void *)mpz_limbs_read(big),
                                mpz_size(big), mpz_sgn(big) < 0);
        } else {
            const uint64_t small = (uint64_t)(c < 0 ? -c : c); /* |c| < 2^62 */
            gfp_zvec_put_number(&made, i, &small, c != 0, c < 0);
        }
    }
    gfp_zvec_swap(z, &made);
    gfp_zvec_clear(&made);
    return GFP_OK;
}

static void put_fmpz(fmpz *value, const uint64_t *x, size_t width)
{
    mpz_ptr big = _fmpz_promote(value);
    uint64_t *z = (uint64_t *)(void *)mpz_limbs_write(big, (mp_size_t)width);
    const size_t n = gfp_z_magnitude(z, x, width);
    mpz_limbs_finish(big, gfp_z_negative(x, width) ? -(mp_size_t)n : (mp_size_t)n);
    _fmpz_demote_val(value);
}

gfp_status gfp_zvec_get_fmpz_poly_checked(fmpz_poly_t f, const gfp_zvec *a, int flint_release)
{
    GFP_TRY(check_version(flint_release));
    if (a->len > (size_t)WORD_MAX || gfp_zvec_bits(a) / 64 >= (size_t)INT32_MAX) {
        return GFP_ERR_SIZE;
    }
    fmpz_poly_fit_length(f, (slong)a->len);
    for (size_t i = 0; i < a->len; i++) {
        size_t width;
        const uint64_t *x = gfp_zvec_get(&width, a, i);
        put_fmpz(f->coeffs + i, x, width);
    }
    _fmpz_poly_set_length(f, (slong)a->len);
    _fmpz_poly_normalise(f);
    return GFP_OK;
}

/* ---- operations ---- */

typedef gfp_status operation(gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                             const gfp_options *options);

/* c := the result of an operation over vectors. */
static gfp_status vec_flint_compute(operation *run, gfp_zvec *c, const fmpz_poly_t a,
                                    const fmpz_poly_t b, const gfp_options *options)
{
    gfp_zvec x, y;
    gfp_zvec_init(&x, c->ring);
    gfp_zvec_init(&y, c->ring);
    gfp_status status = gfp_zvec_set_fmpz_poly(&x, a);
    if (status == GFP_OK) {
        status = gfp_zvec_set_fmpz_poly(&y, b);
    }
    if (status == GFP_OK) {
        status = run(c, &x, &y, options);
    }
    gfp_zvec_clear(&x);
    gfp_zvec_clear(&y);
    return status;
}

static gfp_status on_polynomials(operation *run, fmpz_poly_t c, const fmpz_poly_t a,
                                 const fmpz_poly_t b, gfp_zring *ring, const gfp_options *options)
{
    gfp_zvec z;
    if (ring == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    gfp_zvec_init(&z, ring);
    gfp_status status = vec_flint_compute(run, &z, a, b, options);
    if (status == GFP_OK) {
        status = gfp_zvec_get_fmpz_poly(c, &z);
    }
    gfp_zvec_clear(&z);
    return status;
}

gfp_status gfp_fmpz_poly_mul_checked(fmpz_poly_t c, const fmpz_poly_t a, const fmpz_poly_t b,
                                     gfp_zring *ring, const gfp_options *options, int flint_release)
{
    GFP_TRY(check_version(flint_release));
    return on_polynomials(gfp_zvec_mul, c, a, b, ring, options);
}

gfp_status gfp_fmpz_poly_gcd_checked(fmpz_poly_t g, const fmpz_poly_t a, const fmpz_poly_t b,
                                     gfp_zring *ring, const gfp_options *options, int flint_release)
{
    GFP_TRY(check_version(flint_release));
    return on_polynomials(gfp_zvec_gcd, g, a, b, ring, options);
}

gfp_status gfp_fmpz_poly_resultant_checked(fmpz_t r, const fmpz_poly_t a, const fmpz_poly_t b,
                                           gfp_zring *ring, const gfp_options *options,
                                           int flint_release)
{
    gfp_zvec z;
    GFP_TRY(check_version(flint_release));
    if (ring == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    gfp_zvec_init(&z, ring);
    const gfp_status status = vec_flint_compute(gfp_zvec_resultant, &z, a, b, options);
    if (status == GFP_OK && gfp_zvec_length(&z) > 0) {
        put_fmpz(r, z.limbs, z.width);
    } else if (status == GFP_OK) {
        fmpz_zero(r);
    }
    gfp_zvec_clear(&z);
    return status;
}
