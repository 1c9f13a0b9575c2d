/* flint_zmul.c: a product over Z by one product of FLINT's, with the conversions from and to limbs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/methods.h"
#include "crt/small/flint_support.h"
#include "field/base/support.h"

#if GFP_HAVE_FLINT

/* Whether FLINT may decide wrongly upon a sign. Its product by the FFT (versions 2.9 to 3.6.0)
 * takes a coefficient just above -2^(n - 1) for a positive one, if the n bits that it reserves for
 * a coefficient fill whole limbs. n is the sum of the greatest bits of both factors, of the bits of
 * the shorter length, and of -1 to 2, which depends on the version and on the length. */
static bool signs_are_unsafe(const fmpz_poly_t a, const fmpz_poly_t b)
{
    const slong len = FLINT_MIN(a->length, b->length);
    const slong bits_a = fmpz_poly_max_bits(a), bits_b = fmpz_poly_max_bits(b);
    const ulong bits = (ulong)(FLINT_ABS(bits_a) + FLINT_ABS(bits_b)) + FLINT_BIT_COUNT((ulong)len);
    return (bits + 2) % FLINT_BITS <= 3;
}

gfp_status gfp_crt_zmul_flint(uint64_t *c, size_t width, const gfp_crt_integers *a,
                              const gfp_crt_integers *b, gfp_task *task)
{
    const bool square = a->limbs == b->limbs && a->len == b->len && a->width == b->width;
    fmpz_poly_t fa, fb, fc;
    size_t len;
    if (gfp_crt_flint_problem()[0] != '\0') {
        return GFP_ERR_VERSION;
    }
    if (!gfp_size_add(&len, a->len, b->len - 1) || len > (size_t)WORD_MAX) {
        return GFP_ERR_SIZE;
    }
    /* One unit: the grain exceeds one unit. */
    if (!gfp_task_span(task, 1, 1, 1)) {
        return GFP_ERR_CANCELLED;
    }
    fmpz_poly_init(fc);
    gfp_fmpz_poly_init_integers(fa, a);
    if (square) {
        (signs_are_unsafe(fa, fa) ? fmpz_poly_sqr_KS : fmpz_poly_sqr)(fc, fa);
    } else {
        gfp_fmpz_poly_init_integers(fb, b);
        (signs_are_unsafe(fa, fb) ? fmpz_poly_mul_KS : fmpz_poly_mul)(fc, fa, fb);
        fmpz_poly_clear(fb);
    }
    fmpz_t zero;
    fmpz_init(zero);
    for (size_t i = 0; i < len; i++) {
        const bool inside = i < (size_t)fc->length;
        fmpz_get_signed_ui_array((ulong *)(void *)(c + i * width), (slong)width,
                                 inside ? fc->coeffs + i : zero);
    }
    fmpz_clear(zero);
    fmpz_poly_clear(fa);
    fmpz_poly_clear(fc);
    return gfp_task_finish(task) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* Factors and product as fmpz (a word, an mpz header, the limbs, and the overhead of malloc), and
 * the integers of the Kronecker substitution with the integer product's transform. */
size_t gfp_crt_zmul_flint_bytes(size_t len_a, size_t len_b, size_t width)
{
    const size_t len = gfp_size_add_sat(len_a, len_b);
    const size_t stored = gfp_size_add_sat(8 + 16 + 16, gfp_size_mul_sat(8, width));
    return gfp_size_mul_sat(gfp_size_mul_sat(stored, 6), len);
}

#else

gfp_status gfp_crt_zmul_flint(uint64_t *c, size_t width, const gfp_crt_integers *a,
                              const gfp_crt_integers *b, gfp_task *task)
{
    (void)c;
    (void)width;
    (void)a;
    (void)b;
    (void)task;
    return GFP_ERR_UNAVAILABLE;
}

size_t gfp_crt_zmul_flint_bytes(size_t len_a, size_t len_b, size_t width)
{
    (void)len_a;
    (void)len_b;
    (void)width;
    return 0;
}

#endif
