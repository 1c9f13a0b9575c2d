/* vec_mpz.c: vectors of integers from and to GMP.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/zvec_gmp.h"

#include "modular/vec.h"

gfp_status gfp_zvec_set_mpz(gfp_zvec *z, mpz_srcptr values, size_t n)
{
    gfp_zlayout layout = {0, 0, 0};
    gfp_zvec made;
    if (z == NULL || (values == NULL && n > 0)) {
        return GFP_ERR_ARGUMENT;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t bits = mpz_sgn(&values[i]) != 0 ? mpz_sizeinbase(&values[i], 2) : 0;
        gfp_zlayout_add(&layout, gfp_z_width(bits));
    }
    gfp_zvec_init(&made, z->ring);
    GFP_TRY(gfp_zvec_reserve_layout(&made, &layout));
    for (size_t i = 0; i < n; i++) {
        gfp_zvec_put_number(&made, i, (const uint64_t *)(const void *)mpz_limbs_read(&values[i]),
                            mpz_size(&values[i]), mpz_sgn(&values[i]) < 0);
    }
    gfp_zvec_swap(z, &made);
    gfp_zvec_clear(&made);
    return GFP_OK;
}

void gfp_z_get_mpz(mpz_ptr z, const uint64_t *x, size_t width)
{
    uint64_t *limbs = (uint64_t *)(void *)mpz_limbs_write(z, (mp_size_t)width);
    const mp_size_t n = (mp_size_t)gfp_z_magnitude(limbs, x, width);
    mpz_limbs_finish(z, gfp_z_negative(x, width) ? -n : n);
}

void gfp_zvec_get_mpz(mpz_ptr values, const gfp_zvec *a)
{
    for (size_t i = 0; i < a->len; i++) {
        size_t width;
        const uint64_t *x = gfp_zvec_get(&width, a, i);
        gfp_z_get_mpz(&values[i], x, width);
    }
}
