/* kronecker.c: products over Z by Kronecker's substitution (crt/small/kronecker.h): the way for
 * short polynomials. GMP multiplies the integers; long ones are cut into digits, which word-size
 * primes multiply. From 2^17 limbs on that takes less time, and the product can be cancelled.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "crt/small/kronecker.h"
#include "modular/mul/methods.h"
#include "modular/vec.h"

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

/* *d := the problem of the digits of integers of these limbs. Returns whether it is the way. */
static bool takes_digits(const gfp_zmul *z, gfp_zmul *d, size_t size_a, size_t size_b)
{
    if (gfp_size_min(size_a, size_b) < LONG) {
        return false;
    }
    *d = *z;
    d->a = (gfp_zfactor){NULL, count_digits(size_a), DIGIT + 1, (size_t)64 * DIGIT};
    d->b = (gfp_zfactor){NULL, count_digits(size_b), DIGIT + 1, (size_t)64 * DIGIT};
    if (gfp_zmul_prepare(d) != GFP_OK) {
        return false;
    }
    gfp_zmul_set_shape(d);
    return d->shape.serves;
}

/* Words of the digits of both factors and of the product. */
static size_t words_of_digits(const gfp_zmul *d)
{
    return gfp_size_add_sat(
        gfp_size_mul_sat(gfp_size_add_sat(d->a.len, d->square ? 0 : d->b.len), DIGIT + 1),
        gfp_size_mul_sat(d->len, d->width));
}

/* Digits that are cut or joined between two reports: some milliseconds. */
#define REPORTED ((size_t)1 << 17)

/* Whether the task goes on after digit i. */
static bool reports_digit(gfp_task *task, size_t i)
{
    return i % REPORTED != REPORTED - 1 || gfp_task_report(task);
}

static gfp_status cut_digits(uint64_t *z, size_t count, const uint64_t *x, size_t n, gfp_task *task)
{
    for (size_t i = 0; i < count; i++, z += DIGIT + 1) {
        const size_t here = gfp_size_min(DIGIT, n - i * DIGIT);
        memset(z, 0, (DIGIT + 1) * sizeof *z);
        memcpy(z, x + i * DIGIT, here * sizeof *z);
        if (!reports_digit(task, i)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* c, n limbs, := the sum of the numbers of d times powers of 2^(64 DIGIT). */
static gfp_status join_digits(uint64_t *c, size_t n, const gfp_zmul *d)
{
    size_t cleared = 0; /* limbs of c that are written */
    for (size_t i = 0; i < d->len; i++) {
        const size_t at = i * DIGIT, here = gfp_size_min(d->width, n - at);
        mp_limb_t *to = gfp_z_limbs(c + at);
        if (at + here > cleared) {
            memset(c + cleared, 0, (at + here - cleared) * sizeof *c);
            cleared = at + here;
        }
        (void)mpn_add_n(to, to, gfp_z_const_limbs(d->c + i * d->width), (mp_size_t)here);
        if (!reports_digit(d->task, i)) {
            return GFP_ERR_CANCELLED;
        }
    }
    memset(c + cleared, 0, (n - cleared) * sizeof *c);
    return GFP_OK;
}

static gfp_status multiply_cut(gfp_zmul *d, uint64_t *c, const uint64_t *a, size_t size_a,
                               const uint64_t *b, size_t size_b, uint64_t *words)
{
    const bool exchanged = size_a < size_b; /* d->a is the longer one */
    uint64_t *short_digits = words + (d->square ? 0 : d->a.len * (DIGIT + 1));
    if (!d->square) {
        GFP_TRY(cut_digits(short_digits, d->b.len, exchanged ? a : b, exchanged ? size_a : size_b,
                           d->task));
    }
    GFP_TRY(cut_digits(words, d->a.len, exchanged ? b : a, exchanged ? size_b : size_a, d->task));
    d->a.x = words;
    d->b.x = short_digits;
    d->c = short_digits + d->b.len * (DIGIT + 1);
    GFP_TRY(gfp_zmul_words.multiply(d));
    return join_digits(c, size_a + size_b, d);
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
    const gfp_status status = multiply_cut(d, c, a, size_a, b, size_b, area.words);
    gfp_zarea_give(d->ring, &area);
    return status;
}

gfp_status gfp_zmul_by_blocks(const gfp_zmul *z, uint64_t *c, const uint64_t *x, size_t n,
                              const uint64_t *y, size_t m)
{
    const size_t step = m < GFP_ZLONG / 2 ? GFP_ZLONG : 2 * m;
    if (n <= 2 * step || z->call->options->progress == NULL) { /* nobody waits for a report */
        (void)mpn_mul(gfp_z_limbs(c), gfp_z_const_limbs(x), (mp_size_t)n, gfp_z_const_limbs(y),
                      (mp_size_t)m);
        return gfp_task_report(z->task) ? GFP_OK : GFP_ERR_CANCELLED;
    }
    /* The top m limbs of the sum of the blocks before, which the next product overwrites. */
    uint64_t *top = gfp_allocate(&z->ring->allocator, m, sizeof *top);
    if (top == NULL) {
        return GFP_ERR_MEMORY;
    }
    bool goes_on = true;
    memset(top, 0, m * sizeof *top);
    for (size_t at = 0; at < n && goes_on; at += step) {
        const size_t here = gfp_size_min(step, n - at);
        mp_limb_t *to = gfp_z_limbs(c + at);
        const mp_limb_t *from = gfp_z_const_limbs(x + at), *factor = gfp_z_const_limbs(y);
        (void)mpn_mul(to, here >= m ? from : factor, (mp_size_t)(here >= m ? here : m),
                      here >= m ? factor : from, (mp_size_t)(here >= m ? m : here));
        (void)mpn_add(to, to, (mp_size_t)(here + m), gfp_z_limbs(top), (mp_size_t)m);
        memcpy(top, c + at + here, m * sizeof *top);
        goes_on = gfp_task_report(z->task);
    }
    gfp_release(&z->ring->allocator, top, m, sizeof *top);
    return goes_on ? GFP_OK : GFP_ERR_CANCELLED;
}

static gfp_status multiply_integers(const gfp_zmul *z, const gfp_zkronecker *p)
{
    gfp_zmul d;
    const size_t size_x = gfp_z_strip(p->x, p->size_x), size_y = gfp_z_strip(p->y, p->size_y);
    const size_t rest = p->size_x + p->size_y - size_x - size_y;
    memset(p->z + size_x + size_y, 0, rest * sizeof *p->z);
    const size_t own = gfp_size_mul_sat(words_of(z), sizeof *p->z);
    gfp_status status = GFP_ERR_MEMORY;
    if (takes_digits(z, &d, size_x, size_y)) {
        d.cap -= d.cap == SIZE_MAX ? 0 : gfp_size_min(own, d.cap);
        status = multiply_digits(&d, p->z, p->x, size_x, p->y, size_y);
    }
    if (status != GFP_ERR_MEMORY) {
        return status;
    }
    if (p->x == p->y) {
        mpn_sqr(gfp_z_limbs(p->z), gfp_z_const_limbs(p->x), (mp_size_t)size_x);
        return gfp_task_report(z->task) ? GFP_OK : GFP_ERR_CANCELLED;
    }
    return size_x >= size_y ? gfp_zmul_by_blocks(z, p->z, p->x, size_x, p->y, size_y)
                            : gfp_zmul_by_blocks(z, p->z, p->y, size_y, p->x, size_x);
}

static gfp_status multiply_in(const gfp_zmul *z, uint64_t *words)
{
    const gfp_crt_integers a = {z->a.x, z->a.len, z->a.width}, b = {z->b.x, z->b.len, z->b.width};
    gfp_zkronecker p;
    if (!gfp_zkronecker_pack(&p, &a, z->square ? NULL : &b, z->bits, words, z->task) ||
        !gfp_task_report(z->task)) {
        return GFP_ERR_CANCELLED;
    }
    GFP_TRY(multiply_integers(z, &p));
    return gfp_zkronecker_unpack(z->c, &p, z->task) ? GFP_OK : GFP_ERR_CANCELLED;
}

static const char *kronecker_refuses(const gfp_zmul *z)
{
    return words_of(z) > (size_t)1 << 40 ? "the product is too long for one integer" : NULL;
}

/* GMP's own work space is about that of the product. */
static size_t bytes_of(const gfp_zmul *z)
{
    return gfp_size_mul_sat(words_of(z), 2 * sizeof(uint64_t));
}

static gfp_status kronecker_multiply(const gfp_zmul *z)
{
    gfp_zarea area;
    if (kronecker_refuses(z) != NULL) {
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

const gfp_zstrategy gfp_zmul_kronecker = {GFP_Z_KRONECKER, kronecker_refuses, bytes_of,
                                          kronecker_multiply};
