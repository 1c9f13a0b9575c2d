/* big.c: resultants over Z modulo big primes p = r^k + 1: one, if it suffices, else several.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gcd.h"
#include "gfpoly/poly.h"

#include "modular/big.h"
#include "modular/resultant/impl.h"

/* x := lead^n, negated if `negative` and n is odd. */
static void big_power(const gfp_field *field, uint64_t *x, const uint64_t *lead, size_t n,
                      bool negative)
{
    uint64_t square[GFP_MAX_K];
    gfp_elem_set(field, square, lead);
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
        gfp_poly_get_coeff(lead, b, b->len - 1);
        big_power(field, factor, lead, len_a - a->len, len_b % 2 == 0);
        gfp_elem_mul(field, z, z, factor);
    } else if (b->len < len_b) {
        gfp_poly_get_coeff(lead, a, a->len - 1);
        big_power(field, factor, lead, len_b - b->len, false);
        gfp_elem_mul(field, z, z, factor);
    }
    return GFP_OK;
}

/* z := the resultant modulo the field's prime. */
static gfp_status big_image(gfp_zcall *call, uint64_t *z, const gfp_field *field,
                            const gfp_zpair *pair)
{
    const size_t left = call->base.left;
    gfp_poly a, b;
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_status status = gfp_zbig_image(call, &a, pair->a);
    if (status == GFP_OK) {
        status = gfp_zbig_image(call, &b, pair->b);
    }
    if (status == GFP_OK) {
        const gfp_options inside = gfp_zcall_inside(call);
        status = gfp_call_inner(&call->base,
                                formal_resultant(z, &a, pair->a.len, &b, pair->b.len, &inside));
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    call->base.left = left;
    return status;
}

/* Adds the image modulo the big prime of this index. */
static gfp_status add_image(gfp_zbig *sum, size_t index, const gfp_zpair *pair)
{
    uint64_t z[GFP_MAX_K];
    gfp_zring_big big;
    GFP_TRY(gfp_zring_big_take(sum->call->ring, &big, index));
    gfp_status status = big_image(sum->call, z, big.field, pair);
    if (status == GFP_OK) {
        status = gfp_zbig_add(sum, big.field, z);
    }
    gfp_zring_big_give(&big);
    return status;
}

gfp_status gfp_zresultant_big(gfp_zcall *call, uint64_t *r, const gfp_zpair *pair, double to)
{
    const size_t bits = gfp_size_add_sat(pair->bits, 1);
    gfp_zbig_order order;
    gfp_zbig sum;
    gfp_zpoly z;
    if (bits > gfp_zbig_most_bits()) {
        return gfp_zcall_unavailable(call, "the result has more bits than all big primes");
    }
    gfp_zbig_order_init(&order, bits, call->base.options->verify_seed);
    GFP_TRY(gfp_zbig_begin(&sum, call, 1));
    while (gfp_zbig_bits(&sum) < bits) {
        size_t index;
        const size_t done = gfp_zbig_bits(&sum);
        if (!gfp_zbig_order_next(&order, bits - done, &index)) {
            return gfp_zcall_wrong(call); /* unreachable: the primes have enough bits */
        }
        const double after = (double)(done + gfp_zring_bits(index)) / (double)bits;
        GFP_TRY(gfp_zcall_step(call, after < 1 ? after * to : to, 1, 1));
        GFP_TRY(add_image(&sum, index, pair));
    }
    GFP_TRY(gfp_zbig_get(&sum, &z));
    if (gfp_zpoly_bits(z) > pair->bits) {
        return gfp_zcall_wrong(call);
    }
    memcpy(r, z.limbs, gfp_z_width(pair->bits) * sizeof *r);
    return GFP_OK;
}
