/* flint.c: products over Z by FLINT's own function.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/methods.h"
#include "crt/small/flint_support.h"
#include "modular/mul/methods.h"

static const char *flint_refuses(const gfp_zmul *z)
{
    (void)z;
    const char *problem = gfp_crt_flint_problem();
    return problem[0] == '\0' ? NULL : problem;
}

static size_t bytes_of(const gfp_zmul *z)
{
    return gfp_crt_zmul_flint_bytes(z->a.len, z->b.len, z->width);
}

static gfp_status flint_multiply(const gfp_zmul *z)
{
    const gfp_crt_integers a = {z->a.x, z->a.len, z->a.width}, b = {z->b.x, z->b.len, z->b.width};
    if (bytes_of(z) > z->cap) {
        return GFP_ERR_MEMORY;
    }
    return gfp_crt_zmul_flint(z->c, z->width, &a, z->square ? &a : &b, z->task);
}

const gfp_zstrategy gfp_zmul_flint = {GFP_Z_FLINT, flint_refuses, bytes_of, flint_multiply};
