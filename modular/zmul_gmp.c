/* zmul_gmp.c: products over Z by Kronecker's substitution X = 2^(64 s) and one product of integers
 * by GMP: the way for short polynomials. Products of less than a word take X = 2^k, as many bits as
 * they need.
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

/* ---- slots of k < 64 bits ---- */

static size_t limbs_of_bits(size_t len, unsigned k)
{
    return (len * k + 63) / 64;
}

/* The same as pack, for slots of k bits. */
static bool pack_bits(uint64_t *z, const gfp_zfactor *f, unsigned k)
{
    const uint64_t mask = (UINT64_C(1) << k) - 1;
    uint64_t borrow = 0, word = 0, *to = z;
    unsigned fill = 0;
    for (size_t i = 0; i < f->len; i++) {
        const uint64_t x = f->x[i] - borrow, slot = x & mask;
        borrow = x >> 63;
        word |= slot << fill;
        fill += k;
        if (fill >= 64) {
            *to++ = word;
            fill -= 64;
            word = slot >> (k - fill); /* fill < k */
        }
    }
    if (fill > 0) {
        *to++ = borrow != 0 ? word | ~UINT64_C(0) << fill : word;
    }
    if (borrow != 0) {
        (void)mpn_neg(gfp_z_limbs(z), gfp_z_limbs(z), (mp_size_t)(to - z));
    }
    return borrow != 0;
}

/* The same as unpack, for slots of k bits, results of one word. */
static void unpack_bits(const gfp_zmul *z, const uint64_t *x, unsigned k)
{
    const unsigned high = 64 - k;
    uint64_t carry = 0;
    for (size_t i = 0, at = 0; i < z->len; i++, at += k) {
        const unsigned shift = at % 64;
        uint64_t slot = x[at / 64] >> shift;
        if (shift > high) {
            slot |= x[at / 64 + 1] << (64 - shift);
        }
        const int64_t y = (int64_t)(slot << high) >> high;
        z->c[i] = (uint64_t)y + carry;
        carry = (uint64_t)(y < 0);
    }
}

static void multiply_in(const gfp_zmul *z, uint64_t *words)
{
    const size_t s = slot_of(z);
    const unsigned k = s == 1 ? (unsigned)z->bits + 1 : 64;
    const bool narrow = k < 64;
    const size_t size_a = narrow ? limbs_of_bits(z->a.len, k) : z->a.len * s;
    const size_t size_b = narrow ? limbs_of_bits(z->b.len, k) : z->b.len * s;
    uint64_t *a = words, *b = z->square ? a : a + size_a, *c = b + size_b;
    bool negative = narrow ? pack_bits(a, &z->a, k) : pack(a, &z->a, s);
    if (z->square) {
        negative = false;
        mpn_sqr(gfp_z_limbs(c), gfp_z_const_limbs(a), (mp_size_t)size_a);
    } else {
        negative ^= narrow ? pack_bits(b, &z->b, k) : pack(b, &z->b, s);
        (void)mpn_mul(gfp_z_limbs(c), gfp_z_const_limbs(a), (mp_size_t)size_a, gfp_z_const_limbs(b),
                      (mp_size_t)size_b);
    }
    if (negative) {
        (void)mpn_neg(gfp_z_limbs(c), gfp_z_limbs(c), (mp_size_t)(size_a + size_b));
    }
    if (narrow) {
        unpack_bits(z, c, k);
    } else {
        unpack(z, c, s);
    }
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
