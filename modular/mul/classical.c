/* classical.c: products over Z by the definition: of factors of one word with products of at
 * most two, and by few coefficients of any size.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <string.h>

#include "field/base/word.h"
#include "modular/mul/methods.h"
#include "modular/vec.h"

/* Rows between two reports. */
#define ROWS 64

static bool in_words(const gfp_zmul *z)
{
    return z->a.width == 1 && z->b.width == 1 && z->width <= 2;
}

static const char *classical_refuses(const gfp_zmul *z)
{
    return in_words(z) || z->b.len <= GFP_ZCLASSICAL
               ? NULL
               : "one factor has few coefficients, or both have one word and products two";
}

/* The magnitudes of the shorter factor, of a coefficient, and of their product. */
static size_t words_of(const gfp_zmul *z)
{
    return (z->b.len + 1) * z->b.width + 2 * z->a.width;
}

static size_t bytes_of(const gfp_zmul *z)
{
    /* gfp_zmul_by_blocks takes as many limbs as the shorter of two coefficients has. */
    const bool by_blocks = z->a.width >= GFP_ZLONG || z->b.width >= GFP_ZLONG;
    const size_t more = by_blocks ? gfp_size_min(z->a.width, z->b.width) : 0;
    return in_words(z) ? 0 : (words_of(z) + more) * sizeof(uint64_t);
}

/* Adds rows from <= i < to to the product, in words: sums wrap around, the results do not. */
static void add_rows(const gfp_zmul *z, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const uint64_t y = z->b.x[i];
        uint64_t *c = z->c + i;
        for (size_t j = 0; j < z->a.len; j++) {
            c[j] += z->a.x[j] * y;
        }
    }
}

/* The same in two words. */
static void add_long_rows(const gfp_zmul *z, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const int64_t y = (int64_t)z->b.x[i];
        for (size_t j = 0; j < z->a.len; j++) {
            uint64_t *c = z->c + 2 * (i + j);
            const gfp_u128 product = (gfp_u128)((gfp_i128)(int64_t)z->a.x[j] * y);
            const gfp_u128 sum = gfp_join(c[1], c[0]) + product;
            c[0] = (uint64_t)sum;
            c[1] = gfp_hi64(sum);
        }
    }
}

static void classical_clear(const gfp_zmul *z)
{
    memset(z->c, 0, z->len * z->width * sizeof *z->c);
}

static gfp_status multiply_words(const gfp_zmul *z)
{
    classical_clear(z);
    for (size_t i = 0; i < z->b.len; i += ROWS) {
        const size_t end = gfp_size_min(i + ROWS, z->b.len);
        if (z->width == 1) {
            add_rows(z, i, end);
        } else {
            add_long_rows(z, i, end);
        }
        if (!gfp_task_advance(z->task, (double)(end - i) * (double)z->a.len)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* ---- few coefficients of any size ---- */

typedef struct magnitude {
    const uint64_t *limbs;
    size_t n;
    bool negative;
    size_t at; /* the index of the coefficient */
} magnitude;

/* c, of `width` limbs, := c + x y or c - x y, y one limb. No branch depends on carries, which are
 * random. */
static void add_multiple(uint64_t *c, size_t width, magnitude x, uint64_t y, bool negative)
{
    mp_limb_t *const z = gfp_z_limbs(c);
    const mp_limb_t *const limbs = gfp_z_const_limbs(x.limbs);
    if (negative) {
        uint64_t borrow = mpn_submul_1(z, limbs, (mp_size_t)x.n, y);
        for (size_t i = x.n; i < width; i++) {
            const uint64_t was = c[i];
            c[i] = was - borrow;
            borrow = was < borrow;
        }
    } else {
        uint64_t carry = mpn_addmul_1(z, limbs, (mp_size_t)x.n, y);
        for (size_t i = x.n; i < width; i++) {
            c[i] += carry;
            carry = c[i] < carry;
        }
    }
}

/* work := x y; a product of long integers reports. Errors: MEMORY, CANCELLED. */
static gfp_status multiply_magnitudes(const gfp_zmul *z, uint64_t *work, magnitude x, magnitude y)
{
    if (x.n >= GFP_ZLONG) {
        return gfp_zmul_by_blocks(z, work, x.limbs, x.n, y.limbs, y.n);
    }
    (void)mpn_mul(gfp_z_limbs(work), gfp_z_const_limbs(x.limbs), (mp_size_t)x.n,
                  gfp_z_const_limbs(y.limbs), (mp_size_t)y.n);
    return GFP_OK;
}

/* c, z->width limbs, := c + x y; work: n' + n'' limbs. Errors: MEMORY, CANCELLED. */
static gfp_status add_product(const gfp_zmul *z, uint64_t *c, magnitude x, magnitude y,
                              uint64_t *work)
{
    const size_t width = z->width;
    if (x.n == 0 || y.n == 0) {
        return GFP_OK;
    }
    const bool swap = x.n < y.n, negative = x.negative != y.negative;
    const magnitude l = swap ? y : x, s = swap ? x : y;
    if (s.n == 1) {
        add_multiple(c, width, l, s.limbs[0], negative);
        return GFP_OK;
    }
    GFP_TRY(multiply_magnitudes(z, work, l, s));
    const size_t n = gfp_size_min(l.n + s.n, width); /* limbs beyond the width are 0 */
    if (negative) {
        (void)mpn_sub(gfp_z_limbs(c), gfp_z_const_limbs(c), (mp_size_t)width,
                      gfp_z_const_limbs(work), (mp_size_t)n);
    } else {
        (void)mpn_add(gfp_z_limbs(c), gfp_z_const_limbs(c), (mp_size_t)width,
                      gfp_z_const_limbs(work), (mp_size_t)n);
    }
    return GFP_OK;
}

static magnitude magnitude_of(const gfp_zfactor *f, size_t i, uint64_t *limbs)
{
    const uint64_t *x = f->x + i * f->width;
    return (magnitude){limbs, gfp_z_magnitude(limbs, x, f->width), gfp_z_negative(x, f->width), i};
}

static gfp_status multiply_few(const gfp_zmul *z)
{
    magnitude b[GFP_ZCLASSICAL];
    gfp_zarea area;
    gfp_status status = GFP_OK;
    GFP_TRY(gfp_zarea_take(z->ring, &area, words_of(z)));
    classical_clear(z);
    uint64_t *x = area.words + z->b.len * z->b.width, *work = x + z->a.width;
    /* Those of one sign come first: branches on random signs would cost as much as the products. */
    size_t first = 0, last = z->b.len;
    for (size_t j = 0; j < z->b.len; j++) {
        const magnitude y = magnitude_of(&z->b, j, area.words + j * z->b.width);
        b[y.negative ? --last : first++] = y;
    }
    for (size_t i = 0; i < z->a.len && status == GFP_OK; i++) {
        const magnitude a = magnitude_of(&z->a, i, x);
        for (size_t j = 0; j < z->b.len && status == GFP_OK; j++) {
            status = add_product(z, z->c + (i + b[j].at) * z->width, a, b[j], work);
        }
        if (status == GFP_OK && !gfp_task_advance(z->task, (double)z->b.len)) {
            status = GFP_ERR_CANCELLED;
        }
    }
    gfp_zarea_give(z->ring, &area);
    return status;
}

static gfp_status classical_multiply(const gfp_zmul *z)
{
    const double cost = (double)z->a.width * (double)z->b.width;
    if (bytes_of(z) > z->cap) {
        return GFP_ERR_MEMORY;
    }
    if (!gfp_task_span(z->task, 1, (double)z->a.len * (double)z->b.len, cost)) {
        return GFP_ERR_CANCELLED;
    }
    return in_words(z) ? multiply_words(z) : multiply_few(z);
}

const gfp_zstrategy gfp_zmul_classical = {GFP_Z_CLASSICAL, classical_refuses, bytes_of,
                                          classical_multiply};
