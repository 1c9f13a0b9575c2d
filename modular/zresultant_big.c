/* zresultant_big.c: resultants over Z modulo one big prime p = r^k + 1, and by FLINT.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gcd.h"
#include "gfpoly/poly.h"

#include "zbig.h"
#include "zchoose.h"
#include "zresultant.h"

/* x := lead^n, negated if `negative` and n is odd. */
static void power(const gfp_field *field, uint64_t *x, const uint64_t *lead, size_t n,
                  bool negative)
{
    uint64_t square[GFP_MAX_K];
    gfp_elem_copy(field, square, lead);
    if (negative) {
        gfp_elem_neg(field, square, square);
    }
    gfp_elem_one(field, x);
    for (; n > 0; n /= 2) {
        if (n % 2 == 1) {
            gfp_elem_mul(field, x, x, square);
        }
        gfp_elem_mul(field, square, square, square);
    }
}

/* z := the determinant of Sylvester's matrix for formal lengths len_a and len_b, both at least 2; a
 * and b are shorter where leading coefficients vanish modulo p. If that of a vanishes, the first
 * column of the matrix has one coefficient, lc(b), in row len_b - 1: each degree that a lacks
 * contributes (-1)^(len_b - 1) lc(b). If that of b vanishes, the one in the first row: lc(a). */
static gfp_status formal_resultant(uint64_t *z, const gfp_poly *a, size_t len_a, const gfp_poly *b,
                                   size_t len_b, const gfp_options *options)
{
    const gfp_field *field = a->field;
    uint64_t factor[GFP_MAX_K], lead[GFP_MAX_K];
    if ((a->len < len_a && b->len < len_b) || a->len == 0 || b->len == 0) {
        gfp_elem_zero(field, z);
        return GFP_OK;
    }
    GFP_TRY(gfp_poly_resultant(z, a, b, options));
    if (a->len < len_a) {
        gfp_poly_get_coeff(b, lead, b->len - 1);
        power(field, factor, lead, len_a - a->len, len_b % 2 == 0);
        gfp_elem_mul(field, z, z, factor);
    } else if (b->len < len_b) {
        gfp_poly_get_coeff(a, lead, a->len - 1);
        power(field, factor, lead, len_b - b->len, false);
        gfp_elem_mul(field, z, z, factor);
    }
    return GFP_OK;
}

gfp_status gfp_zresultant_big(gfp_zcall *call, uint64_t *r, const gfp_zpair *pair, double to)
{
    size_t index;
    const gfp_field *field;
    gfp_poly image[2];
    uint64_t z[GFP_MAX_K];
    if (!gfp_zring_named(gfp_size_add_sat(pair->bits, 1), &index)) {
        return gfp_zcall_unavailable(call, "the result has more bits than the named primes");
    }
    GFP_TRY(gfp_zring_field(call->ring, index, &field));
    gfp_poly_init(&image[0], field);
    gfp_poly_init(&image[1], field);
    gfp_status status = gfp_zbig_image(call, &image[0], pair->a);
    if (status == GFP_OK) {
        status = gfp_zbig_image(call, &image[1], pair->b);
    }
    if (status == GFP_OK) {
        status = gfp_zcall_step(call, to, 1, 1);
    }
    if (status == GFP_OK) {
        const gfp_options inside = gfp_zcall_inside(call);
        status = formal_resultant(z, &image[0], pair->a.len, &image[1], pair->b.len, &inside);
    }
    gfp_poly_clear(&image[0]);
    gfp_poly_clear(&image[1]);
    return status == GFP_OK ? gfp_zbig_lift(call, r, gfp_z_width(pair->bits), field, z, 1) : status;
}

/* ---- FLINT ---- */

gfp_status gfp_zresultant_flint(gfp_zcall *call, uint64_t *r, const gfp_zpair *pair)
{
    const gfp_crt_integers a = gfp_zflint_integers(pair->a), b = gfp_zflint_integers(pair->b);
    if (!gfp_zflint_is_there()) {
        return gfp_zcall_unavailable(call, "the library was built without FLINT");
    }
    /* FLINT allocates by itself: copies of the operands, the primes' residues of the result. */
    const size_t copies = gfp_size_add_sat(gfp_size_mul_sat(a.len, 8 * a.width + 40),
                                           gfp_size_mul_sat(b.len, 8 * b.width + 40));
    const size_t bytes = gfp_size_add_sat(gfp_size_mul_sat(3, copies), pair->bits);
    GFP_TRY(gfp_zcall_may_take(call, bytes));
    GFP_TRY(gfp_crt_zresultant_flint(r, gfp_z_width(pair->bits), &a, &b));
    call->left += call->left != SIZE_MAX ? bytes : 0;
    return GFP_OK;
}
