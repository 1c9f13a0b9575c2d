/* zreduce.c: see zreduce.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zreduce.h"

/* The least i >= from with a coefficient other than 0 at X^i; f.len or more: none. */
static size_t next_term(gfp_zpoly f, size_t from)
{
    size_t i = from * f.width;
    const size_t end = f.len * f.width;
    while (i < end && f.limbs[i] == 0) {
        i++;
    }
    return i / f.width;
}

/* f without the greatest power of X that divides f, the exponent in *power. */
static gfp_zpoly without_power(gfp_zpoly f, size_t *power)
{
    const size_t n = next_term(f, 0);
    *power = n;
    return (gfp_zpoly){gfp_zpoly_at(f, n), f.len - n, f.width};
}

/* The greatest common divisor of `step` and the exponents of f. */
static size_t common_step(gfp_zpoly f, size_t step)
{
    for (size_t i = next_term(f, 1); i < f.len && step != 1; i = next_term(f, i + 1)) {
        size_t rest = i;
        while (rest != 0) {
            const size_t next = step % rest;
            step = rest;
            rest = next;
        }
    }
    return step;
}

/* z := the polynomial with the coefficients of f at multiples of the step. */
static gfp_status deflate(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly f, size_t step)
{
    *z = (gfp_zpoly){NULL, (f.len - 1) / step + 1, f.width};
    GFP_TRY(gfp_zcall_array(call, &z->limbs, gfp_size_mul_sat(z->len, z->width)));
    for (size_t i = 0; i < z->len; i++) {
        memcpy(gfp_zpoly_at(*z, i), gfp_zpoly_at(f, i * step), f.width * sizeof *f.limbs);
    }
    return GFP_OK;
}

gfp_status gfp_zreduce(gfp_zcall *call, gfp_zreduced *r, gfp_zpoly a, gfp_zpoly b)
{
    r->a = without_power(a, &r->power_a);
    r->b = without_power(b, &r->power_b);
    r->step = common_step(r->b, common_step(r->a, 0));
    if (r->step > 1) {
        GFP_TRY(deflate(call, &r->a, r->a, r->step));
        GFP_TRY(deflate(call, &r->b, r->b, r->step));
    }
    r->step = r->step > 1 ? r->step : 1;
    return GFP_OK;
}

gfp_status gfp_zinflate(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly f, size_t power, size_t step)
{
    gfp_zpoly made = {NULL, 0, f.width};
    if (f.len == 0 || (power == 0 && step == 1)) {
        *z = f;
        return GFP_OK;
    }
    made.len = gfp_size_add_sat(gfp_size_mul_sat(f.len - 1, step), gfp_size_add_sat(power, 1));
    const size_t limbs = gfp_size_mul_sat(made.len, made.width);
    GFP_TRY(gfp_zcall_array(call, &made.limbs, limbs));
    memset(made.limbs, 0, limbs * sizeof *made.limbs);
    for (size_t i = 0; i < f.len; i++) {
        memcpy(gfp_zpoly_at(made, power + i * step), gfp_zpoly_at(f, i), f.width * sizeof *f.limbs);
    }
    *z = made;
    return GFP_OK;
}
