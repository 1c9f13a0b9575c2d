/* gfpoly/flint.h: from and to FLINT (2.9 and 3.x), as inline functions over gfpoly's other headers;
 * installed if gfpoly was built with FLINT.
 * Programs link with FLINT themselves: the output of `pkg-config --cflags --libs gfpoly-flint`.
 * Each call compares the FLINT headers it is compiled with and the FLINT library that is loaded,
 * and returns GFP_ERR_VERSION if major or minor version differ. FLINT aborts the process when
 * memory runs out inside it, and keeps caches per thread: gfpoly.h describes the consequences for
 * threads and fork.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_FLINT_H
#define GFPOLY_FLINT_H

#include <string.h>

#include "gfpoly/gmp.h" /* before FLINT, whose headers do not include GMP's from 3.7 on */

#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mod.h>
#include <flint/fmpz_mod_poly.h>

#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* Whether two versions of FLINT, such as "2.9.0", have the same major and minor numbers: the layout
 * of FLINT's types may change between minor versions. */
static inline bool gfp_flint_versions_agree(const char *a, const char *b)
{
    unsigned points = 0;
    for (size_t i = 0; a[i] == b[i]; i++) {
        points += a[i] == '.' ? 1 : 0;
        if (points == 2 || a[i] == '\0') {
            return points > 0;
        }
    }
    return false;
}

/* OK, or VERSION if the loaded FLINT is of another version than these headers. */
static inline GFP_MUST_CHECK gfp_status gfp_flint_check(void)
{
    return gfp_flint_versions_agree(flint_version, FLINT_VERSION) ? GFP_OK : GFP_ERR_VERSION;
}

/* z := value mod p, any sign and size. */
static inline GFP_MUST_CHECK gfp_status gfp_elem_set_fmpz(const gfp_field *field, uint64_t *z,
                                                          const fmpz_t value)
{
    const gfp_status status = gfp_flint_check();
    if (status == GFP_OK && COEFF_IS_MPZ(*value)) {
        gfp_elem_set_mpz(field, z, COEFF_TO_PTR(*value));
    } else if (status == GFP_OK) {
        gfp_elem_set_si(field, z, *value);
    }
    return status;
}

/* value := x in [0, p). */
static inline GFP_MUST_CHECK gfp_status gfp_elem_get_fmpz(const gfp_field *field, fmpz_t value,
                                                          const uint64_t *x)
{
    uint64_t limbs[GFP_MAX_LIMBS];
    const gfp_status status = gfp_flint_check();
    if (status == GFP_OK) {
        gfp_elem_get_limbs(field, limbs, x);
        fmpz_set_ui_array(value, (const ulong *)(const void *)limbs, (slong)gfp_field_limbs(field));
    }
    return status;
}

/* Numbers that are converted at once, and words for them. */
#define GFP_FLINT_CHUNK 16
typedef struct gfp_flint_words {
    uint64_t words[GFP_FLINT_CHUNK * GFP_MAX_LIMBS];
} gfp_flint_words;

/* FIELD_MISMATCH if ctx's modulus is not p. */
static inline GFP_MUST_CHECK gfp_status gfp_flint_check_modulus(const gfp_field *field,
                                                                const fmpz_mod_ctx_t ctx)
{
    fmpz_t p;
    fmpz_init(p);
    fmpz_set_ui_array(p, (const ulong *)(const void *)gfp_field_modulus_limbs(field),
                      (slong)gfp_field_limbs(field));
    const bool same = fmpz_equal(p, fmpz_mod_ctx_modulus(ctx)) != 0;
    fmpz_clear(p);
    return same ? GFP_OK : GFP_ERR_FIELD_MISMATCH;
}

/* limbs := the value, if 0 <= value < 2^(64 size). */
static inline bool gfp_flint_get_limbs(uint64_t *limbs, size_t size, fmpz value)
{
    size_t n = 1;
    if (COEFF_IS_MPZ(value)) {
        mpz_srcptr big = COEFF_TO_PTR(value);
        n = mpz_size(big);
        if (mpz_sgn(big) < 0 || n > size) {
            return false;
        }
        memcpy(limbs, mpz_limbs_read(big), n * sizeof *limbs);
    } else if (value < 0) {
        return false;
    } else {
        limbs[0] = (uint64_t)value;
    }
    for (; n < size; n++) {
        limbs[n] = 0;
    }
    return true;
}

/* z := n <= GFP_FLINT_CHUNK integers modulo p, any sign and size. */
static inline GFP_MUST_CHECK gfp_status gfp_flint_import(const gfp_field *field, uint64_t *z,
                                                         const fmpz *values, size_t n)
{
    gfp_flint_words to;
    const size_t size = gfp_field_limbs(field), k = gfp_field_k(field);
    gfp_status status = GFP_OK;
    bool fit = true;
    for (size_t i = 0; i < n && fit; i++) {
        fit = gfp_flint_get_limbs(to.words + i * size, size, values[i]);
    }
    for (size_t i = 0; i < n && !fit && status == GFP_OK; i++) {
        status = gfp_elem_set_fmpz(field, z + i * k, values + i);
    }
    if (fit) {
        gfp_vec_set_limbs_mod(field, z, to.words, size, size, n);
    }
    return status;
}

/* a := b. Errors: FIELD_MISMATCH if ctx's modulus is not p; a is unchanged then. */
static inline GFP_MUST_CHECK gfp_status gfp_poly_set_fmpz_mod_poly(gfp_poly *a,
                                                                   const fmpz_mod_poly_t b,
                                                                   const fmpz_mod_ctx_t ctx)
{
    const size_t k = gfp_field_k(a->field);
    size_t n = (size_t)b->length;
    gfp_status status = gfp_flint_check();
    if (status == GFP_OK) {
        status = gfp_flint_check_modulus(a->field, ctx);
    }
    /* The only step that can fail comes before the first write. */
    if (status == GFP_OK) {
        status = gfp_poly_fit_length(a, n);
    }
    for (size_t i = 0; status == GFP_OK && i < n; i += GFP_FLINT_CHUNK) {
        status = gfp_flint_import(a->field, a->digits + i * k, b->coeffs + i,
                                  n - i < GFP_FLINT_CHUNK ? n - i : GFP_FLINT_CHUNK);
    }
    /* The coefficients are canonical: only zeros at the end are left to drop. */
    while (status == GFP_OK && n > 0 && gfp_elem_is_zero(a->field, a->digits + (n - 1) * k)) {
        n--;
    }
    a->len = status == GFP_OK ? n : a->len;
    return status;
}

/* b := a. Errors: FIELD_MISMATCH if ctx's modulus is not p, SIZE. */
static inline GFP_MUST_CHECK gfp_status gfp_poly_get_fmpz_mod_poly(fmpz_mod_poly_t b,
                                                                   const gfp_poly *a,
                                                                   const fmpz_mod_ctx_t ctx)
{
    gfp_flint_words from;
    const size_t size = gfp_field_limbs(a->field), k = gfp_field_k(a->field);
    gfp_status status = gfp_flint_check();
    if (status == GFP_OK) {
        status = gfp_flint_check_modulus(a->field, ctx);
    }
    if (status == GFP_OK && a->len > (size_t)WORD_MAX) {
        status = GFP_ERR_SIZE;
    }
    if (status != GFP_OK) {
        return status;
    }
    fmpz_mod_poly_fit_length(b, (slong)a->len, ctx);
    for (size_t i = 0; i < a->len; i += GFP_FLINT_CHUNK) {
        const size_t n = a->len - i < GFP_FLINT_CHUNK ? a->len - i : GFP_FLINT_CHUNK;
        gfp_vec_get_limbs(a->field, from.words, size, a->digits + i * k, n);
        for (size_t j = 0; j < n; j++) {
            fmpz_set_ui_array(b->coeffs + i + j,
                              (const ulong *)(const void *)(from.words + j * size), (slong)size);
        }
    }
    _fmpz_mod_poly_set_length(b, (slong)a->len);
    _fmpz_mod_poly_normalise(b);
    return GFP_OK;
}

GFP_END_DECLS
#endif
