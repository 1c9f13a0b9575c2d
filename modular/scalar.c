/* scalar.c: see scalar.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/scalar.h"

#include "field/base/word.h"

/* Divides x by the greatest power of two in it, which is returned. */
static size_t make_odd(gfp_znat *x)
{
    size_t zeros = 0;
    while (x->limbs[zeros] == 0) {
        zeros++;
    }
    const unsigned bits = gfp_ctz64(x->limbs[zeros]);
    x->limbs += zeros;
    x->n -= zeros;
    if (bits > 0) {
        (void)mpn_rshift(gfp_z_limbs(x->limbs), gfp_z_limbs(x->limbs), (mp_size_t)x->n, bits);
        x->n = gfp_z_strip(x->limbs, x->n);
    }
    return 64 * zeros + bits;
}

/* g := x 2^e; g has room for the bits. */
static void shift_left(gfp_znat *g, size_t e)
{
    const size_t limbs = e / 64;
    uint64_t carry = 0;
    memmove(g->limbs + limbs, g->limbs, g->n * sizeof *g->limbs);
    memset(g->limbs, 0, limbs * sizeof *g->limbs);
    if (e % 64 != 0) {
        carry = mpn_lshift(gfp_z_limbs(g->limbs + limbs), gfp_z_limbs(g->limbs + limbs),
                           (mp_size_t)g->n, (unsigned)(e % 64));
    }
    g->n += limbs;
    if (carry != 0) {
        g->limbs[g->n++] = carry;
    }
}

/* Whether x has at least as many bits as y. */
static bool is_longer(gfp_znat x, gfp_znat y)
{
    return gfp_z_magnitude_bits(x.limbs, x.n) >= gfp_z_magnitude_bits(y.limbs, y.n);
}

void gfp_znat_gcd_in_place(gfp_znat *g, gfp_znat x, gfp_znat y)
{
    const size_t of_x = make_odd(&x), of_y = make_odd(&y);
    if (!is_longer(x, y)) {
        const gfp_znat t = x;
        x = y;
        y = t;
    }
    g->n = (size_t)mpn_gcd(gfp_z_limbs(g->limbs), gfp_z_limbs(x.limbs), (mp_size_t)x.n,
                           gfp_z_limbs(y.limbs), (mp_size_t)y.n);
    shift_left(g, of_x < of_y ? of_x : of_y);
}

static gfp_znat copy_to(uint64_t *place, gfp_znat x)
{
    memcpy(place, x.limbs, x.n * sizeof *place);
    return (gfp_znat){place, x.n};
}

gfp_status gfp_znat_gcd(gfp_zcall *call, gfp_znat *g, gfp_znat x, gfp_znat y)
{
    uint64_t *memory;
    const size_t most = x.n > y.n ? x.n : y.n;
    GFP_TRY(gfp_call_array(&call->base, &g->limbs, most + 1));
    if (x.n == 0 || y.n == 0) {
        *g = copy_to(g->limbs, x.n == 0 ? y : x);
        return GFP_OK;
    }
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    GFP_TRY(gfp_call_array(&call->base, &memory, x.n + y.n));
    gfp_znat_gcd_in_place(g, copy_to(memory, x), copy_to(memory + x.n, y));
    gfp_call_release(&call->base, mark);
    return GFP_OK;
}

gfp_status gfp_znat_mul(gfp_zcall *call, gfp_znat *z, gfp_znat x, gfp_znat y)
{
    const gfp_znat u = x.n >= y.n ? x : y, v = x.n >= y.n ? y : x;
    GFP_TRY(gfp_call_array(&call->base, &z->limbs, u.n + v.n + 1));
    z->n = 0;
    if (v.n > 0) {
        (void)mpn_mul(gfp_z_limbs(z->limbs), gfp_z_limbs(u.limbs), (mp_size_t)u.n,
                      gfp_z_limbs(v.limbs), (mp_size_t)v.n);
        z->n = gfp_z_strip(z->limbs, u.n + v.n);
    }
    return GFP_OK;
}

/* c := gcd(c, x); work has room for x and c. *divides: whether c divided the number before; a long
 * content is tried as a divisor then, which takes less time than a gcd. */
static void take_common(gfp_znat *c, gfp_znat x, uint64_t *work, bool *divides)
{
    const mp_limb_t *limbs = gfp_z_const_limbs(x.limbs);
    if (c->n == 0) {
        *c = copy_to(c->limbs, x);
    } else if (c->n == 1) {
        const mp_limb_t rest = mpn_mod_1(limbs, (mp_size_t)x.n, c->limbs[0]);
        c->limbs[0] = rest == 0 ? c->limbs[0] : mpn_gcd_1(&rest, 1, c->limbs[0]);
    } else {
        if (*divides && x.n >= c->n) {
            mpn_tdiv_qr(gfp_z_limbs(work + c->n), gfp_z_limbs(work), 0, limbs, (mp_size_t)x.n,
                        gfp_z_limbs(c->limbs), (mp_size_t)c->n);
            *divides = gfp_z_strip(work, c->n) == 0;
            if (*divides) {
                return;
            }
        }
        const gfp_znat y = copy_to(work, *c);
        gfp_znat_gcd_in_place(c, x, y);
        *divides = c->n == y.n;
    }
}

/* The gcd of x and the coefficients. */
static gfp_status common_divisor(gfp_zcall *call, gfp_znat *c, const gfp_zvec *a, gfp_znat x)
{
    uint64_t *memory;
    bool divides = false;
    const size_t most = a->width > 0 ? a->width : gfp_z_width(gfp_zvec_bits(a));
    const size_t room = most > x.n ? most : x.n;
    GFP_TRY(gfp_call_array(&call->base, &c->limbs, room + 1));
    *c = copy_to(c->limbs, x);
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    GFP_TRY(gfp_call_array(&call->base, &memory, 3 * (room + 1)));
    for (size_t i = a->len; i-- > 0 && !gfp_znat_is_one(*c);) {
        size_t width;
        const uint64_t *from = gfp_zvec_get(&width, a, i);
        gfp_znat y = {memory, 0};
        y.n = gfp_z_magnitude(y.limbs, from, gfp_z_own_width(from, width));
        if (y.n > 0) {
            take_common(c, y, memory + room + 1, &divides);
        }
    }
    gfp_call_release(&call->base, mark);
    return GFP_OK;
}

gfp_status gfp_zvec_content_of(gfp_zcall *call, gfp_znat *c, const gfp_zvec *a)
{
    uint64_t none;
    return common_divisor(call, c, a, (gfp_znat){&none, 0});
}

gfp_status gfp_zcontent_with(gfp_zcall *call, gfp_znat *c, gfp_zpoly a, gfp_znat x)
{
    const gfp_zvec view = gfp_zpoly_view(call, a);
    return common_divisor(call, c, &view, x);
}

gfp_status gfp_zcontent(gfp_zcall *call, gfp_znat *c, gfp_zpoly a)
{
    uint64_t none;
    return gfp_zcontent_with(call, c, a, (gfp_znat){&none, 0});
}

gfp_status gfp_znat_of(gfp_zcall *call, gfp_znat *z, const uint64_t *x, size_t width)
{
    GFP_TRY(gfp_call_array(&call->base, &z->limbs, width));
    z->n = gfp_z_magnitude(z->limbs, x, width);
    return GFP_OK;
}

gfp_status gfp_zdivide_exact(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly a, gfp_znat c)
{
    uint64_t *memory;
    size_t width;
    gfp_zpoly made;
    if (gfp_znat_is_one(c) || a.len == 0) {
        *z = a;
        return GFP_OK;
    }
    const size_t widest = gfp_zpoly_widest(a);
    GFP_TRY(gfp_zpoly_reserve_like(call, &made, a, 0));
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    GFP_TRY(gfp_call_array(&call->base, &memory, 2 * widest + 2 + c.n));
    uint64_t *quotient = memory + widest, *rest = quotient + widest + 2;
    for (size_t i = 0; i < a.len; i++) {
        const uint64_t *x = gfp_zpoly_get(a, i, &width);
        const size_t n = gfp_z_magnitude(memory, x, width);
        size_t limbs = 0;
        if (n > 0 && c.n == 1) {
            mpn_divexact_1(gfp_z_limbs(quotient), gfp_z_limbs(memory), (mp_size_t)n, c.limbs[0]);
            limbs = gfp_z_strip(quotient, n);
        } else if (n >= c.n) {
            mpn_tdiv_qr(gfp_z_limbs(quotient), gfp_z_limbs(rest), 0, gfp_z_limbs(memory),
                        (mp_size_t)n, gfp_z_limbs(c.limbs), (mp_size_t)c.n);
            limbs = gfp_z_strip(quotient, n - c.n + 1);
        }
        gfp_zpoly_put(made, i, quotient, limbs, gfp_z_negative(x, width));
    }
    gfp_call_release(&call->base, mark);
    *z = made;
    return GFP_OK;
}

gfp_status gfp_znat_divide_exact(gfp_zcall *call, gfp_znat *z, gfp_znat x, gfp_znat c)
{
    uint64_t *rest;
    *z = (gfp_znat){NULL, 0};
    if (gfp_znat_is_one(c) || x.n < c.n) {
        *z = x;
        return GFP_OK;
    }
    GFP_TRY(gfp_call_array(&call->base, &z->limbs, x.n - c.n + 1));
    GFP_TRY(gfp_call_array(&call->base, &rest, c.n));
    mpn_tdiv_qr(gfp_z_limbs(z->limbs), gfp_z_limbs(rest), 0, gfp_z_limbs(x.limbs), (mp_size_t)x.n,
                gfp_z_limbs(c.limbs), (mp_size_t)c.n);
    z->n = gfp_z_strip(z->limbs, x.n - c.n + 1);
    return GFP_OK;
}

gfp_status gfp_zscale(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly a, gfp_znat c, bool negative)
{
    uint64_t *memory;
    size_t width;
    gfp_zpoly made;
    if ((gfp_znat_is_one(c) && !negative) || a.len == 0) {
        *z = a;
        return GFP_OK;
    }
    const size_t widest = gfp_zpoly_widest(a);
    GFP_TRY(gfp_zpoly_reserve_like(call, &made, a, c.n));
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    GFP_TRY(gfp_call_array(&call->base, &memory, gfp_size_add_sat(2 * widest, c.n)));
    uint64_t *product = memory + widest;
    for (size_t i = 0; i < a.len; i++) {
        const uint64_t *x = gfp_zpoly_get(a, i, &width);
        const size_t n = gfp_z_magnitude(memory, x, width);
        size_t limbs = 0;
        if (n > 0) {
            const gfp_znat u = n >= c.n ? (gfp_znat){memory, n} : c;
            const gfp_znat v = n >= c.n ? c : (gfp_znat){memory, n};
            (void)mpn_mul(gfp_z_limbs(product), gfp_z_limbs(u.limbs), (mp_size_t)u.n,
                          gfp_z_limbs(v.limbs), (mp_size_t)v.n);
            limbs = gfp_z_strip(product, n + c.n);
        }
        gfp_zpoly_put(made, i, product, limbs, gfp_z_negative(x, width) != negative);
    }
    gfp_call_release(&call->base, mark);
    *z = made;
    return GFP_OK;
}

/* ---- polynomials ---- */

gfp_status gfp_znat_of_coefficient(gfp_zcall *call, gfp_znat *z, gfp_zpoly a, size_t i)
{
    size_t width;
    const uint64_t *x = gfp_zpoly_get(a, i, &width);
    return gfp_znat_of(call, z, x, width);
}

size_t gfp_zpoly_widest(gfp_zpoly a)
{
    size_t most = a.width > 0 ? a.width : 1, width;
    for (size_t i = 0; i < a.len && a.width == 0; i++) {
        (void)gfp_zpoly_get(a, i, &width);
        most = width > most ? width : most;
    }
    return most;
}

gfp_status gfp_zpoly_reserve(gfp_zcall *call, gfp_zpoly *z, const gfp_zlayout *layout)
{
    const bool ragged = gfp_zlayout_is_ragged(layout);
    const size_t width = layout->widest > 0 ? layout->widest : 1;
    *z = (gfp_zpoly){NULL, layout->len, ragged ? 0 : width};
    GFP_TRY(gfp_call_array(&call->base, &z->limbs,
                           ragged ? gfp_zlayout_ragged_limbs(layout)
                                  : gfp_size_mul_sat(layout->len, width)));
    if (ragged) {
        z->limbs[0] = layout->len + 1;
    }
    return GFP_OK;
}

gfp_status gfp_zpoly_reserve_like(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly a, size_t more)
{
    if (a.width > 0) {
        *z = (gfp_zpoly){NULL, a.len, gfp_size_add_sat(a.width, more)};
        return gfp_call_array(&call->base, &z->limbs, gfp_size_mul_sat(a.len, z->width));
    }
    const size_t total = gfp_size_add_sat(gfp_zpoly_limbs(a), gfp_size_mul_sat(a.len, more));
    const gfp_zlayout layout = {a.len, 0, total};
    *z = (gfp_zpoly){NULL, a.len, 0};
    GFP_TRY(gfp_call_array(&call->base, &z->limbs, gfp_zlayout_ragged_limbs(&layout)));
    z->limbs[0] = a.len + 1;
    return GFP_OK;
}

gfp_status gfp_zpoly_of(gfp_zcall *call, gfp_zpoly *z, const gfp_zvec *a)
{
    gfp_zlayout layout = {0, 0, 0};
    size_t width;
    const size_t n = gfp_zvec_length(a);
    *z = (gfp_zpoly){a->limbs, n, a->width};
    if (a->width == 0 || !gfp_zvec_is_ragged(a)) {
        return GFP_OK;
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t *x = gfp_zvec_at(a, i);
        gfp_zlayout_add(&layout, gfp_z_own_width(x, a->width));
    }
    GFP_TRY(gfp_zpoly_reserve(call, z, &layout));
    for (size_t i = 0; i < n; i++) {
        const uint64_t *x = gfp_zvec_entry(a, i, &width);
        gfp_zpoly_put_limbs(*z, i, x, width);
    }
    return GFP_OK;
}

gfp_status gfp_zpoly_flatten(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly a)
{
    if (a.width > 0) {
        *z = a;
        return GFP_OK;
    }
    *z = (gfp_zpoly){NULL, a.len, gfp_z_width(gfp_zpoly_bits(a))};
    GFP_TRY(gfp_call_array(&call->base, &z->limbs, gfp_size_mul_sat(a.len, z->width)));
    for (size_t i = 0; i < a.len; i++) {
        size_t width;
        const uint64_t *x = gfp_zpoly_get(a, i, &width);
        gfp_zpoly_put_limbs(*z, i, x, width);
    }
    return GFP_OK;
}

gfp_status gfp_zpoly_flat_of(gfp_zcall *call, gfp_zpoly *z, const gfp_zvec *a)
{
    const gfp_zpoly own = {a->limbs, gfp_zvec_length(a), a->width};
    return gfp_zpoly_flatten(call, z, own);
}

size_t gfp_zpoly_bits(gfp_zpoly a)
{
    const gfp_zvec view = {.limbs = a.limbs, .len = a.len, .width = a.width};
    return gfp_zvec_bits(&view);
}

double gfp_zpoly_log2_norm(gfp_zpoly a)
{
    const gfp_zvec view = {.limbs = a.limbs, .len = a.len, .width = a.width};
    return gfp_zvec_log2_norm(&view);
}
