/* papers/gmp_dft.c: the steps of DFT_N, N = K^e, by the sequel's Alg. 2, over integers modulo p
 * with GMP's mpn functions. A division follows each product; a comparison and, if necessary, a
 * subtraction follow each sum. The form of p is not used. Products by 1 are left out, as in the
 * library's transform.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "papers/gmp_dft.h"

_Static_assert(GMP_NUMB_BITS == 64, "limbs of 64 bits without nails");

void gmp_dft_mul(gmp_dft *d, mp_limb_t *z, const mp_limb_t *x, const mp_limb_t *y)
{
    const mp_size_t n = (mp_size_t)d->limbs;
    mp_limb_t *quotient = d->wide + 2 * d->limbs;

    mpn_mul_n(d->wide, x, y, n);
    mpn_tdiv_qr(quotient, z, 0, d->wide, 2 * n, d->p, n);
}

static void gmp_dft_add(const gmp_dft *d, mp_limb_t *z, const mp_limb_t *x, const mp_limb_t *y)
{
    const mp_size_t n = (mp_size_t)d->limbs;
    const mp_limb_t carry = mpn_add_n(z, x, y, n);

    if (carry != 0 || mpn_cmp(z, d->p, n) >= 0) {
        mpn_sub_n(z, z, d->p, n);
    }
}

static void gmp_dft_subtract(const gmp_dft *d, mp_limb_t *z, const mp_limb_t *x, const mp_limb_t *y)
{
    const mp_size_t n = (mp_size_t)d->limbs;

    if (mpn_sub_n(z, x, y, n) != 0) {
        mpn_add_n(z, z, d->p, n);
    }
}

void gmp_dft_multiply_by_power(gmp_dft *d, mp_limb_t *x, size_t t)
{
    if (t != 0) {
        gmp_dft_mul(d, x, x, d->powers + t * d->limbs);
    }
}

static size_t bit_reverse(size_t x, size_t size)
{
    size_t y = 0;

    for (; size > 1; size /= 2) {
        y = 2 * y + x % 2;
        x /= 2;
    }
    return y;
}

static void gmp_dft_swap(const gmp_dft *d, mp_limb_t *x, mp_limb_t *y)
{
    const size_t bytes = d->limbs * sizeof(*x);

    memcpy(d->t, x, bytes);
    memcpy(x, y, bytes);
    memcpy(y, d->t, bytes);
}

/* (x, y) := (x + y w_N^t, x - y w_N^t). */
static void gmp_dft_butterfly(gmp_dft *d, mp_limb_t *x, mp_limb_t *y, size_t t)
{
    gmp_dft_multiply_by_power(d, y, t);
    memcpy(d->t, y, d->limbs * sizeof(*y));
    gmp_dft_subtract(d, y, x, d->t);
    gmp_dft_add(d, x, x, d->t);
}

/* DFT_K on K elements, natural order: in the stage of half h, block g < K / 2h has the factor
 * w_K^(h bitrev(g)). */
void gmp_dft_base(gmp_dft *d, mp_limb_t *x)
{
    const size_t l = d->limbs, scale = d->n / d->radix;

    for (size_t half = d->radix / 2; half > 0; half /= 2) {
        const size_t blocks = d->radix / (2 * half);
        for (size_t g = 0; g < blocks; g++) {
            mp_limb_t *block = x + 2 * half * g * l;
            for (size_t i = 0; i < half; i++) {
                gmp_dft_butterfly(d, block + i * l, block + (half + i) * l,
                                  half * bit_reverse(g, blocks) * scale);
            }
        }
    }
    for (size_t i = 0; i < d->radix; i++) {
        const size_t j = bit_reverse(i, d->radix);
        if (i < j) {
            gmp_dft_swap(d, x + i * l, x + j * l);
        }
    }
}

/* Computes the powers of w_N by repeated products. */
static bool fill_powers(gmp_dft *d)
{
    uint64_t root[GFP_MAX_K];
    unsigned m = 0;

    while ((size_t)1 << m < d->n) {
        m++;
    }
    if (gfp_field_root(d->field, root, m) != GFP_OK) {
        return false;
    }
    memset(d->powers, 0, d->limbs * sizeof(*d->powers));
    d->powers[0] = 1;
    mp_limb_t *w = d->powers + d->limbs; /* N >= K >= 4 */
    gmp_dft_from_digits(d, w, root, 1);
    for (size_t i = 2; i < d->n; i++) {
        gmp_dft_mul(d, d->powers + i * d->limbs, d->powers + (i - 1) * d->limbs, w);
    }
    return true;
}

/* room for a product and a quotient, and for an element */
static bool allocate_scratch(gmp_dft *d)
{
    d->wide = calloc(4, (d->limbs + 1) * sizeof(mp_limb_t));
    d->t = calloc(d->limbs, sizeof(mp_limb_t));
    return d->wide != NULL && d->t != NULL;
}

bool gmp_dft_share(gmp_dft *d, const gmp_dft *other)
{
    *d = *other;
    d->shared = true;
    if (!allocate_scratch(d)) {
        gmp_dft_clear(d);
        return false;
    }
    return true;
}

bool gmp_dft_init(gmp_dft *d, const gfp_field *field, size_t n)
{
    *d = (gmp_dft){.field = field,
                   .p = gfp_field_modulus_limbs(field),
                   .limbs = gfp_field_limbs(field),
                   .n = n,
                   .radix = 2 * (size_t)gfp_field_k(field)};
    d->powers = calloc(n, d->limbs * sizeof(mp_limb_t));
    if (!allocate_scratch(d) || d->powers == NULL || !fill_powers(d)) {
        gmp_dft_clear(d);
        return false;
    }
    return true;
}

void gmp_dft_clear(gmp_dft *d)
{
    if (!d->shared) {
        free(d->powers);
    }
    free(d->wide);
    free(d->t);
    *d = (gmp_dft){.n = 0};
}

void gmp_dft_from_digits(const gmp_dft *d, mp_limb_t *z, const uint64_t *x, size_t n)
{
    const size_t k = gfp_field_k(d->field);

    for (size_t i = 0; i < n; i++) {
        gfp_elem_get_limbs(d->field, z + i * d->limbs, x + i * k);
    }
}

void gmp_dft_to_digits(const gmp_dft *d, uint64_t *z, const mp_limb_t *x, size_t n)
{
    const size_t k = gfp_field_k(d->field);

    for (size_t i = 0; i < n; i++) {
        gfp_elem_set_limbs(d->field, z + i * k, x + i * d->limbs, d->limbs);
    }
}
