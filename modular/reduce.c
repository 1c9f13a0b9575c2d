/* reduce.c: see reduce.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/reduce.h"

/* The least i >= from with a coefficient other than 0 at X^i; f.len or more: none. */
static size_t next_term(gfp_zpoly f, size_t from)
{
    size_t i = from * f.width, width;
    const size_t end = f.len * f.width;
    if (f.width == 0) {
        for (i = from; i < f.len; i++) {
            const uint64_t *x = gfp_zpoly_get(f, i, &width);
            if (gfp_z_strip(x, width) > 0) {
                break;
            }
        }
        return i;
    }
    while (i < end && f.limbs[i] == 0) {
        i++;
    }
    return i / f.width;
}

/* z := the polynomial of the coefficients from, from + step, ... of f. */
static gfp_status select_terms(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly f, size_t from, size_t step)
{
    gfp_zlayout layout = {0, 0, 0};
    const size_t len = (f.len - 1 - from) / step + 1;
    size_t width;
    for (size_t i = 0; i < len; i++) {
        (void)gfp_zpoly_get(f, from + i * step, &width);
        gfp_zlayout_add(&layout, width);
    }
    GFP_TRY(gfp_zpoly_reserve(call, z, &layout));
    for (size_t i = 0; i < len; i++) {
        const uint64_t *x = gfp_zpoly_get(f, from + i * step, &width);
        gfp_zpoly_put_limbs(*z, i, x, width);
    }
    return GFP_OK;
}

/* *z := f without the greatest power of X that divides f, the exponent in *power. */
static gfp_status without_power(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly f, size_t *power)
{
    const size_t n = next_term(f, 0);
    *power = n;
    if (n > 0 && f.width == 0) {
        return select_terms(call, z, f, n, 1);
    }
    *z = (gfp_zpoly){f.limbs + n * f.width, f.len - n, f.width};
    return GFP_OK;
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

gfp_status gfp_zreduce(gfp_zcall *call, gfp_zreduced *r, gfp_zpoly a, gfp_zpoly b)
{
    GFP_TRY(without_power(call, &r->a, a, &r->power_a));
    GFP_TRY(without_power(call, &r->b, b, &r->power_b));
    r->step = common_step(r->b, common_step(r->a, 0));
    if (r->step > 1) {
        GFP_TRY(select_terms(call, &r->a, r->a, 0, r->step));
        GFP_TRY(select_terms(call, &r->b, r->b, 0, r->step));
    }
    r->step = r->step > 1 ? r->step : 1;
    return GFP_OK;
}

/* z := X^power f(X^step) for coefficients with widths of their own. */
static gfp_status inflate_ragged(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly f, size_t power,
                                 size_t step, size_t len)
{
    const gfp_zlayout layout = {len, gfp_zpoly_widest(f),
                                gfp_size_add_sat(gfp_zpoly_limbs(f), len - f.len)};
    uint64_t zero = 0;
    gfp_zpoly made;
    GFP_TRY(gfp_zpoly_reserve(call, &made, &layout));
    for (size_t i = 0; i < len; i++) {
        size_t width = 1;
        const bool is_term = i >= power && (i - power) % step == 0;
        const uint64_t *x = is_term ? gfp_zpoly_get(f, (i - power) / step, &width) : &zero;
        gfp_zpoly_put_limbs(made, i, x, width);
    }
    *z = made;
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
    if (f.width == 0) {
        return inflate_ragged(call, z, f, power, step, made.len);
    }
    const size_t limbs = gfp_size_mul_sat(made.len, made.width);
    GFP_TRY(gfp_call_array(&call->base, &made.limbs, limbs));
    memset(made.limbs, 0, limbs * sizeof *made.limbs);
    for (size_t i = 0; i < f.len; i++) {
        memcpy(gfp_zpoly_at(made, power + i * step), gfp_zpoly_at(f, i), f.width * sizeof *f.limbs);
    }
    *z = made;
    return GFP_OK;
}
