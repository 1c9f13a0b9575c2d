/* big.c: see big.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/big.h"

void gfp_zbig_wrap(const gfp_field *field, uint64_t *wrap, size_t width)
{
    const uint64_t exponent = 64 * (uint64_t)width;
    gfp_elem_set_u64(field, wrap, 2);
    gfp_elem_pow(field, wrap, wrap, &exponent, 1);
}

void gfp_zbig_reduce(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t width, size_t n,
                     const uint64_t *wrap)
{
    const size_t k = gfp_field_k(field);
    gfp_vec_set_limbs_mod(field, z, x, width, width, n);
    for (size_t i = 0; i < n; i++) {
        if (gfp_z_negative(x + i * width, width)) {
            gfp_elem_sub(field, z + i * k, z + i * k, wrap);
        }
    }
}

gfp_status gfp_zbig_image(gfp_zcall *call, gfp_poly *z, gfp_zpoly a)
{
    uint64_t wrap[GFP_MAX_K];
    GFP_TRY(gfp_zcall_may_take(call, gfp_size_mul_sat(a.len, gfp_field_k(z->field) * 8)));
    GFP_TRY(gfp_poly_fit_length(z, a.len));
    gfp_zbig_wrap(z->field, wrap, a.width);
    gfp_zbig_reduce(z->field, z->digits, a.limbs, a.width, a.len, wrap);
    return gfp_poly_set_length(z, a.len);
}

gfp_status gfp_zbig_lift(gfp_zcall *call, uint64_t *x, size_t width, const gfp_field *field,
                         const uint64_t *z, size_t n)
{
    const size_t limbs = gfp_field_limbs(field);
    const mp_limb_t *p = gfp_z_const_limbs(gfp_field_modulus_limbs(field));
    uint64_t *memory;
    const gfp_zcall_mark mark = gfp_zcall_mark_here(call);
    GFP_TRY(gfp_zcall_array(call, &memory, 2 * limbs));
    uint64_t *rest = memory + limbs;
    for (size_t i = 0; i < n; i++) {
        gfp_elem_get_limbs(field, memory, z + i * gfp_field_k(field));
        (void)mpn_sub_n(gfp_z_limbs(rest), p, gfp_z_limbs(memory), (mp_size_t)limbs);
        const bool negative = mpn_cmp(gfp_z_limbs(rest), gfp_z_limbs(memory), (mp_size_t)limbs) < 0;
        const uint64_t *least = negative ? rest : memory;
        const size_t used = gfp_z_strip(least, limbs);
        if (used > width) {
            return gfp_zcall_wrong(call);
        }
        gfp_z_put(x + i * width, width, least, used, negative);
    }
    gfp_zcall_release(call, mark);
    return GFP_OK;
}
