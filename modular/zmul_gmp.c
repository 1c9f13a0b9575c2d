/* zmul_gmp.c: products over Z by Kronecker's substitution X = 2^(64 s) and one product of integers:
 * the way for short polynomials. Products of less than a word take X = 2^k, as many bits as they
 * need. GMP multiplies the integers; long ones are cut into digits, which word-size primes
 * multiply. From some 2^15 limbs on that takes less time, and the product can be cancelled.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <math.h>
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

/* ---- the product of the integers ---- */

/* From this many limbs of the shorter integer on, digits of so many limbs are multiplied. Products
 * of 2 DIGIT limbs and a logarithm of the length fit two blocks of primes. */
#define LONG ((size_t)1 << 17)
#define DIGIT 6

static unsigned bits_of_slot(const gfp_zmul *z)
{
    return slot_of(z) == 1 ? (unsigned)z->bits + 1 : 64;
}

static size_t limbs_of(const gfp_zmul *z, size_t len)
{
    const unsigned k = bits_of_slot(z);
    return k < 64 ? limbs_of_bits(len, k) : gfp_size_mul_sat(len, slot_of(z));
}

static size_t count_digits(size_t limbs)
{
    return (limbs + DIGIT - 1) / DIGIT;
}

/* *d := the problem of the digits, which the integers of z have. Returns whether it is the way. */
static bool takes_digits(const gfp_zmul *z, gfp_zmul *d)
{
    const size_t size_a = limbs_of(z, z->a.len), size_b = limbs_of(z, z->b.len);
    if (gfp_size_min(size_a, size_b) < LONG) {
        return false;
    }
    *d = *z;
    d->a = (gfp_zfactor){NULL, count_digits(size_a), DIGIT + 1, (size_t)64 * DIGIT};
    d->b = (gfp_zfactor){NULL, count_digits(size_b), DIGIT + 1, (size_t)64 * DIGIT};
    if (gfp_zmul_prepare(d) != GFP_OK) {
        return false;
    }
    gfp_zcost_shape(d);
    return d->shape.serves;
}

/* Words of the digits of both factors and of the product. */
static size_t words_of_digits(const gfp_zmul *d)
{
    return gfp_size_add_sat(
        gfp_size_mul_sat(gfp_size_add_sat(d->a.len, d->square ? 0 : d->b.len), DIGIT + 1),
        gfp_size_mul_sat(d->len, d->width));
}

static void cut_digits(uint64_t *z, size_t count, const uint64_t *x, size_t n)
{
    for (size_t i = 0; i < count; i++, z += DIGIT + 1) {
        const size_t here = gfp_size_min(DIGIT, n - i * DIGIT);
        memset(z, 0, (DIGIT + 1) * sizeof *z);
        memcpy(z, x + i * DIGIT, here * sizeof *z);
    }
}

/* c, n limbs, := the sum of the numbers of d times powers of 2^(64 DIGIT). */
static void join_digits(uint64_t *c, size_t n, const gfp_zmul *d)
{
    memset(c, 0, n * sizeof *c);
    for (size_t i = 0; i < d->len; i++) {
        const size_t at = i * DIGIT, here = gfp_size_min(d->width, n - at);
        mp_limb_t *to = gfp_z_limbs(c + at);
        (void)mpn_add_n(to, to, gfp_z_const_limbs(d->c + i * d->width), (mp_size_t)here);
    }
}

/* c := a b by digits; size_a and size_b limbs. Errors: also MEMORY, c is not written then. */
static gfp_status multiply_digits(gfp_zmul *d, uint64_t *c, const uint64_t *a, size_t size_a,
                                  const uint64_t *b, size_t size_b)
{
    const size_t words = words_of_digits(d), bytes = gfp_size_mul_sat(words, sizeof *c);
    gfp_zarea area;
    if (bytes > d->cap) {
        return GFP_ERR_MEMORY;
    }
    d->cap -= d->cap == SIZE_MAX ? 0 : bytes;
    GFP_TRY(gfp_zarea_take(d->ring, &area, words));
    const bool exchanged = size_a < size_b; /* d->a is the longer one */
    uint64_t *long_digits = area.words, *short_digits = long_digits;
    if (!d->square) {
        short_digits += d->a.len * (DIGIT + 1);
        cut_digits(short_digits, d->b.len, exchanged ? a : b, exchanged ? size_a : size_b);
    }
    cut_digits(long_digits, d->a.len, exchanged ? b : a, exchanged ? size_b : size_a);
    d->a.x = long_digits;
    d->b.x = short_digits;
    d->c = short_digits + d->b.len * (DIGIT + 1);
    const gfp_status status = gfp_zmul_words.multiply(d);
    if (status == GFP_OK) {
        join_digits(c, size_a + size_b, d);
    }
    gfp_zarea_give(d->ring, &area);
    return status;
}

/* c := a b, size_a >= size_b limbs; b = a: a square. */
static gfp_status multiply_integers(const gfp_zmul *z, uint64_t *c, const uint64_t *a,
                                    size_t size_a, const uint64_t *b, size_t size_b)
{
    gfp_zmul d;
    const size_t own = gfp_size_mul_sat(words_of(z), sizeof *c);
    gfp_status status = GFP_ERR_MEMORY;
    if (takes_digits(z, &d)) {
        d.cap -= d.cap == SIZE_MAX ? 0 : gfp_size_min(own, d.cap);
        status = multiply_digits(&d, c, a, size_a, b, size_b);
    }
    if (status != GFP_ERR_MEMORY) {
        return status;
    }
    if (a == b) {
        mpn_sqr(gfp_z_limbs(c), gfp_z_const_limbs(a), (mp_size_t)size_a);
    } else {
        (void)mpn_mul(gfp_z_limbs(c), gfp_z_const_limbs(a), (mp_size_t)size_a, gfp_z_const_limbs(b),
                      (mp_size_t)size_b);
    }
    return GFP_OK;
}

static gfp_status multiply_in(const gfp_zmul *z, uint64_t *words)
{
    const size_t s = slot_of(z);
    const unsigned k = bits_of_slot(z);
    const bool narrow = k < 64;
    const size_t size_a = limbs_of(z, z->a.len), size_b = limbs_of(z, z->b.len);
    uint64_t *a = words, *b = z->square ? a : a + size_a, *c = b + size_b;
    bool negative = narrow ? pack_bits(a, &z->a, k) : pack(a, &z->a, s);
    if (z->square) {
        negative = false;
    } else {
        negative ^= narrow ? pack_bits(b, &z->b, k) : pack(b, &z->b, s);
    }
    GFP_TRY(multiply_integers(z, c, a, size_a, b, size_b));
    if (negative) {
        (void)mpn_neg(gfp_z_limbs(c), gfp_z_limbs(c), (mp_size_t)(size_a + size_b));
    }
    if (narrow) {
        unpack_bits(z, c, k);
    } else {
        unpack(z, c, s);
    }
    return GFP_OK;
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
    const gfp_status status = multiply_in(z, area.words);
    gfp_zarea_give(z->ring, &area);
    return status;
}

static double time_of(const gfp_zmul *z)
{
    gfp_zmul d;
    const double by_gmp = gfp_zcost_kronecker(z);
    return takes_digits(z, &d) ? fmin(by_gmp, gfp_zmul_words.time(&d)) : by_gmp;
}

const gfp_zstrategy gfp_zmul_kronecker = {"kronecker", refuses, time_of, 0, bytes_of, multiply};
