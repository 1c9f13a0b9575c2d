/* zbig.c: see zbig.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zbig.h"

/* Coefficients that are converted at once. */
#define CHUNK 64

gfp_status gfp_zbig_image(gfp_zcall *call, gfp_poly *z, gfp_zpoly a)
{
    const gfp_field *field = z->field;
    const unsigned k = gfp_field_k(field);
    uint64_t *magnitude;
    GFP_TRY(gfp_zcall_may_take(call, gfp_size_mul_sat(a.len, k * sizeof *magnitude)));
    GFP_TRY(gfp_poly_fit_length(z, a.len));
    const gfp_zcall_mark mark = gfp_zcall_mark_here(call);
    GFP_TRY(gfp_zcall_array(call, &magnitude, gfp_size_mul_sat(CHUNK, a.width)));
    for (size_t i = 0; i < a.len; i += CHUNK) {
        const size_t n = gfp_size_min(CHUNK, a.len - i);
        for (size_t j = 0; j < n; j++) {
            (void)gfp_z_magnitude(magnitude + j * a.width, gfp_zpoly_at(a, i + j), a.width);
        }
        gfp_vec_set_limbs_mod(field, z->digits + i * k, magnitude, a.width, a.width, n);
        for (size_t j = 0; j < n; j++) {
            if (gfp_z_negative(gfp_zpoly_at(a, i + j), a.width)) {
                uint64_t *x = z->digits + (i + j) * k;
                gfp_elem_neg(field, x, x);
            }
        }
    }
    gfp_zcall_release(call, mark);
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
        size_t used = limbs;
        while (used > 0 && least[used - 1] == 0) {
            used--;
        }
        if (used > width) {
            return gfp_zcall_wrong(call);
        }
        gfp_z_put(x + i * width, width, least, used, negative);
    }
    gfp_zcall_release(call, mark);
    return GFP_OK;
}
