/* zmul_classical.c: products over Z by the definition, for factors of one word and products of at
 * most two. SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "word.h"
#include "zcost.h"
#include "zmul.h"

/* Rows between two reports. */
#define ROWS 64

static const char *refuses(const gfp_zmul *z)
{
    return z->a.width == 1 && z->b.width == 1 && z->bits < 128
               ? NULL
               : "factors have one word only, products less than 128 bits";
}

static size_t bytes_of(const gfp_zmul *z)
{
    (void)z;
    return 0;
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

static gfp_status multiply(const gfp_zmul *z)
{
    if (refuses(z) != NULL) {
        return GFP_ERR_SIZE;
    }
    if (!gfp_task_span(z->task, 1, (double)z->b.len, (double)z->a.len)) {
        return GFP_ERR_CANCELLED;
    }
    memset(z->c, 0, z->len * z->width * sizeof *z->c);
    for (size_t i = 0; i < z->b.len; i += ROWS) {
        const size_t end = gfp_size_min(i + ROWS, z->b.len);
        if (z->width == 1) {
            add_rows(z, i, end);
        } else {
            add_long_rows(z, i, end);
        }
        if (!gfp_task_advance(z->task, (double)(end - i))) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

const gfp_zstrategy gfp_zmul_classical = {"classical", refuses,  gfp_zcost_classical,
                                          0,           bytes_of, multiply};
