/* levels.c: the choice of the kernels by k, and what the portable kernels of all k share.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "field/base/context.h"
#include "field/base/lanes.h"
#include "field/base/support.h"
#include "field/kernels/levels.h"

/* The tables of a level for k = 2^(index + 1). */
#define TABLES(level)                                                                              \
    {                                                                                              \
        &gfp_kernels_##level##_2, &gfp_kernels_##level##_4, &gfp_kernels_##level##_8,              \
            &gfp_kernels_##level##_16, &gfp_kernels_##level##_32, &gfp_kernels_##level##_64,       \
            &gfp_kernels_##level##_128, &gfp_kernels_##level##_256                                 \
    }

static const gfp_kernels *const tables[GFP_LEVEL_COUNT][8] = GFP_LEVEL_ROWS(
    TABLES(portable), TABLES(avx2), TABLES(avx512dq), TABLES(avx512), TABLES(portable));

const gfp_kernels *gfp_kernels_portable(unsigned k, uint64_t r)
{
    if (r < GFP_FAST_R_MIN || r > GFP_FAST_R_MAX || k < 2 || k > GFP_MAX_K) {
        return NULL;
    }
    return tables[GFP_LEVEL_PORTABLE][gfp_ctz64(k) - 1];
}

const gfp_kernels *gfp_kernels_get(gfp_level level, unsigned k, uint64_t r)
{
    const bool lanes = r >= GFP_LANES_R_MIN && r <= GFP_LANES_R_MAX;
    const gfp_kernels *portable = gfp_kernels_portable(k, r);
    if (portable == NULL) {
        return &gfp_kernels_generic;
    }
    return lanes ? tables[level][gfp_ctz64(k) - 1] : portable;
}

void gfp_mul_plain(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y)
{
    static gfp_mul_one *const products[] = {
        gfp_mul_plain_2,  gfp_mul_plain_4,  gfp_mul_plain_8,   gfp_mul_plain_16,
        gfp_mul_plain_32, gfp_mul_plain_64, gfp_mul_plain_128, gfp_mul_plain_256,
    };
    if (gfp_kernels_portable(field->k, field->r) == NULL) {
        gfp_kernels_reference.mul(field, z, x, field->k, y, field->k, 0, 1);
    } else {
        products[field->log2_k - 1](field, z, x, y);
    }
}

void gfp_carry_digits(uint64_t *z, unsigned k, uint64_t r)
{
    uint64_t carry = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < k && (pass == 0 || carry != 0); i++) {
            const uint64_t v = z[i] + carry;
            const bool under = v >= (uint64_t)0 - 8192, over = v >= r && !under;
            z[i] = v + (under ? r : 0) - (over ? r : 0);
            carry = (uint64_t)over - (uint64_t)under;
        }
        carry = 0 - carry; /* r^k = -1 */
    }
    if (carry != 0) { /* 1 was added to r^k - 1, or taken from 0: the element r^k */
        memset(z, 0, k * sizeof *z);
        z[k - 1] = r;
    }
}
