/* zmul_gmp.c: products over Z by Kronecker's substitution X = 2^(64 s) and one product of integers
 * by GMP: the way for short polynomials.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <string.h>

#include "zcost.h"
#include "zmul.h"
#include "zvec_impl.h"

/* The limbs of a slot: numbers in [-2^(64 s - 1), 2^(64 s - 1)). */
static size_t slot_of(const gfp_zmul *z)
{
    return gfp_z_width(z->bits);
}

/* z, len s limbs, := |sum x_i 2^(64 s i)|; returns whether the sum is negative. The sum's slots are
 * those of x_i in two's complement, less 1 above each negative number. */
static bool pack(uint64_t *z, const gfp_zfactor *f, size_t s)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < f->len; i++, z += s) {
        const uint64_t *x = f->x + i * f->width;
        const uint64_t sign = 0 - (x[f->width - 1] >> 63);
        for (size_t j = 0; j < s; j++) {
            const uint64_t limb = j < f->width ? x[j] : sign;
            z[j] = limb - borrow;
            borrow &= (uint64_t)(limb == 0);
        }
        borrow = z[s - 1] >> 63; /* of x_i - 1 or x_i: a slot has room for both */
    }
    if (borrow != 0) {
        z -= f->len * s;
        (void)mpn_neg(gfp_z_limbs(z), gfp_z_limbs(z), (mp_size_t)(f->len * s));
    }
    return borrow != 0;
}

static size_t words_of(const gfp_zmul *z)
{
    const size_t len = gfp_size_add_sat(z->a.len, z->square ? 0 : z->b.len);
    return gfp_size_mul_sat(slot_of(z), gfp_size_add_sat(len, z->len + 1));
}

/* c_i := slot i, plus 1 if the slot below is negative. */
static void unpack(const gfp_zmul *z, const uint64_t *x, size_t s)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < z->len; i++, x += s) {
        uint64_t *c = z->c + i * z->width;
        for (size_t j = 0; j < z->width; j++) {
            c[j] = x[j] + carry;
            carry &= (uint64_t)(c[j] == 0);
        }
        carry = x[s - 1] >> 63;
    }
}

static void multiply_in(const gfp_zmul *z, uint64_t *words)
{
    const size_t s = slot_of(z), size_a = z->a.len * s, size_b = z->b.len * s;
    uint64_t *a = words, *b = z->square ? a : a + size_a, *c = b + size_b;
    bool negative = pack(a, &z->a, s);
    if (z->square) {
        negative = false;
        mpn_sqr(gfp_z_limbs(c), gfp_z_const_limbs(a), (mp_size_t)size_a);
    } else {
        negative ^= pack(b, &z->b, s);
        (void)mpn_mul(gfp_z_limbs(c), gfp_z_const_limbs(a), (mp_size_t)size_a, gfp_z_const_limbs(b),
                      (mp_size_t)size_b);
    }
    if (negative) {
        (void)mpn_neg(gfp_z_limbs(c), gfp_z_limbs(c), (mp_size_t)(size_a + size_b));
    }
    unpack(z, c, s);
}

static const char *refuses(const gfp_zmul *z)
{
    return words_of(z) > (size_t)1 << 40 ? "the product is too long for one integer" : NULL;
}

/* GMP's own work space is about that of the product. */
static size_t bytes_of(const gfp_zmul *z)
{
    return gfp_size_mul_sat(words_of(z), 2 * sizeof(uint64_t));
}

static gfp_status multiply(const gfp_zmul *z)
{
    gfp_zarea area;
    if (refuses(z) != NULL) {
        return GFP_ERR_SIZE;
    }
    if (bytes_of(z) > z->cap) {
        return GFP_ERR_MEMORY;
    }
    if (!gfp_task_span(z->task, 1, 1, 1)) {
        return GFP_ERR_CANCELLED;
    }
    GFP_TRY(gfp_zarea_take(z->ring, &area, words_of(z)));
    multiply_in(z, area.words);
    gfp_zarea_give(z->ring, &area);
    return GFP_OK;
}

const gfp_zstrategy gfp_zmul_kronecker = {"kronecker", refuses,  gfp_zcost_kronecker,
                                          0,           bytes_of, multiply};
