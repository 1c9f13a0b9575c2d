/* zmul_gmp.c: products over Z by Kronecker's substitution and one product of integers by GMP
 * (crt/zkronecker.h): the way for short polynomials.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zkronecker.h"
#include "zcost.h"
#include "zmul.h"
#include "zvec_impl.h"

static size_t words_of(const gfp_zmul *z)
{
    return gfp_zkronecker_words(z->a.len, z->square ? 0 : z->b.len, z->bits);
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
    const gfp_crt_integers a = {z->a.x, z->a.len, z->a.width}, b = {z->b.x, z->b.len, z->b.width};
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
    gfp_zkronecker_multiply(z->c, &a, z->square ? NULL : &b, z->bits, area.words);
    gfp_zarea_give(z->ring, &area);
    return GFP_OK;
}

const gfp_zstrategy gfp_zmul_kronecker = {"kronecker", refuses,  gfp_zcost_kronecker,
                                          0,           bytes_of, multiply};
