/* crt/small/flint_mul.c: a product over Z/pZ by one fmpz_mod_poly_mul, with the conversions. Its
 * result shares no arithmetic with the other methods.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/methods.h"
#include "crt/small/flint_support.h"
#include "field/base/support.h"

#if GFP_HAVE_FLINT

#include <flint/fmpz_mod.h>
#include <flint/fmpz_mod_poly.h>

/* poly := the n elements x. */
static void poly_set(const gfp_field *field, fmpz_mod_poly_t poly, const fmpz_mod_ctx_t ctx,
                     const uint64_t *x, size_t n)
{
    const unsigned k = gfp_field_k(field);

    fmpz_mod_poly_init2(poly, (slong)n, ctx);
    for (size_t i = 0; i < n; i++) {
        gfp_fmpz_set_elem(field, poly->coeffs + i, x + i * k);
    }
    _fmpz_mod_poly_set_length(poly, (slong)n);
    _fmpz_mod_poly_normalise(poly);
}

/* x := the first n coefficients of poly, zeros beyond its length. */
static void poly_get(const gfp_field *field, uint64_t *x, const fmpz_mod_poly_t poly, size_t n)
{
    const unsigned k = gfp_field_k(field);
    const size_t len = (size_t)poly->length;

    for (size_t i = 0; i < len; i++) {
        gfp_elem_set_fmpz_any(field, x + i * k, poly->coeffs + i);
    }
    gfp_vec_zero(field, x + len * k, n - len);
}

gfp_status gfp_crt_mul_flint(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                             const uint64_t *b, size_t len_b, gfp_task *task)
{
    const bool square = a == b && len_a == len_b;
    size_t len_c;
    fmpz_t p;
    fmpz_mod_ctx_t ctx;
    fmpz_mod_poly_t fa, fb, fc;

    if (gfp_crt_flint_problem()[0] != '\0') {
        return GFP_ERR_VERSION;
    }
    if (!gfp_size_add(&len_c, len_a, len_b - 1) || len_c > (size_t)WORD_MAX) {
        return GFP_ERR_SIZE;
    }
    /* One unit: the grain exceeds one unit. */
    if (!gfp_task_span(task, 1, 1, 1)) {
        return GFP_ERR_CANCELLED;
    }
    fmpz_init(p);
    gfp_fmpz_set_modulus(field, p);
    fmpz_mod_ctx_init(ctx, p);
    fmpz_mod_poly_init(fc, ctx);
    poly_set(field, fa, ctx, a, len_a);
    if (square) {
        fmpz_mod_poly_sqr(fc, fa, ctx);
    } else {
        poly_set(field, fb, ctx, b, len_b);
        fmpz_mod_poly_mul(fc, fa, fb, ctx);
        fmpz_mod_poly_clear(fb, ctx);
    }
    poly_get(field, c, fc, len_c);
    fmpz_mod_poly_clear(fa, ctx);
    fmpz_mod_poly_clear(fc, ctx);
    fmpz_mod_ctx_clear(ctx);
    fmpz_clear(p);
    return gfp_task_finish(task) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* The memory of factors and product as fmpz (a word, an mpz header, the limbs, and the overhead of
 * malloc), and of the integers of the Kronecker substitution with the integer product's transform:
 * four times the 2 bits(p) + 64 bits of a coefficient there. */
size_t gfp_crt_flint_bytes(const gfp_field *field, size_t len_a, size_t len_b)
{
    const size_t len_c = gfp_size_add_sat(len_a, len_b);
    const size_t limbs = gfp_field_limbs(field);
    const size_t stored = 8 + 16 + 16 + 8 * limbs;
    const size_t packed = 8 * (2 * limbs + 1);

    return gfp_size_mul_sat(gfp_size_mul_sat(stored, 2) + 4 * packed, len_c);
}

#else

gfp_status gfp_crt_mul_flint(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                             const uint64_t *b, size_t len_b, gfp_task *task)
{
    (void)field;
    (void)c;
    (void)a;
    (void)len_a;
    (void)b;
    (void)len_b;
    (void)task;
    return GFP_ERR_UNAVAILABLE;
}

size_t gfp_crt_flint_bytes(const gfp_field *field, size_t len_a, size_t len_b)
{
    (void)field;
    (void)len_a;
    (void)len_b;
    return 0;
}

#endif
