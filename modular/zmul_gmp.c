/* zmul_gmp.c: products over Z by Kronecker's substitution (crt/zkronecker.h): the way for short
 * polynomials. GMP multiplies the integers; long ones are cut into digits, which word-size primes
 * multiply. From some 2^15 limbs on that takes less time, and the product can be cancelled.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "zkronecker.h"
#include "zcost.h"
#include "zmul.h"
#include "zvec_impl.h"

static size_t words_of(const gfp_zmul *z)
{
    return gfp_zkronecker_words(z->a.len, z->square ? 0 : z->b.len, z->bits);
}

/* ---- the product of the integers ---- */

/* From this many limbs of the shorter integer on, digits of DIGIT limbs are multiplied. Products
 * of 2 DIGIT limbs and a logarithm of the length fit two blocks of primes. */
#define LONG ((size_t)1 << 17)
#define DIGIT 6

static size_t count_digits(size_t limbs)
{
    return (limbs + DIGIT - 1) / DIGIT;
}

/* *d := the problem of the digits, which the integers of z have. Returns whether it is the way. */
static bool takes_digits(const gfp_zmul *z, gfp_zmul *d)
{
    const size_t size_a = gfp_zkronecker_limbs(z->a.len, z->bits);
    const size_t size_b = gfp_zkronecker_limbs(z->b.len, z->bits);
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

static gfp_status multiply_integers(const gfp_zmul *z, const gfp_zkronecker *p)
{
    gfp_zmul d;
    const size_t own = gfp_size_mul_sat(words_of(z), sizeof *p->z);
    gfp_status status = GFP_ERR_MEMORY;
    if (takes_digits(z, &d)) {
        d.cap -= d.cap == SIZE_MAX ? 0 : gfp_size_min(own, d.cap);
        status = multiply_digits(&d, p->z, p->x, p->size_x, p->y, p->size_y);
    }
    if (status != GFP_ERR_MEMORY) {
        return status;
    }
    gfp_zkronecker_integers(p);
    return GFP_OK;
}

static gfp_status multiply_in(const gfp_zmul *z, uint64_t *words)
{
    const gfp_crt_integers a = {z->a.x, z->a.len, z->a.width}, b = {z->b.x, z->b.len, z->b.width};
    gfp_zkronecker p;
    gfp_zkronecker_pack(&p, &a, z->square ? NULL : &b, z->bits, words);
    GFP_TRY(multiply_integers(z, &p));
    gfp_zkronecker_unpack(z->c, &p);
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
