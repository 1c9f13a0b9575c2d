/* zscalar.c: see zscalar.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zscalar.h"

#include "word.h"

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
    GFP_TRY(gfp_zcall_array(call, &g->limbs, most + 1));
    if (x.n == 0 || y.n == 0) {
        *g = copy_to(g->limbs, x.n == 0 ? y : x);
        return GFP_OK;
    }
    const gfp_zcall_mark mark = gfp_zcall_mark_here(call);
    GFP_TRY(gfp_zcall_array(call, &memory, x.n + y.n));
    gfp_znat_gcd_in_place(g, copy_to(memory, x), copy_to(memory + x.n, y));
    gfp_zcall_release(call, mark);
    return GFP_OK;
}

gfp_status gfp_znat_mul(gfp_zcall *call, gfp_znat *z, gfp_znat x, gfp_znat y)
{
    const gfp_znat u = x.n >= y.n ? x : y, v = x.n >= y.n ? y : x;
    GFP_TRY(gfp_zcall_array(call, &z->limbs, u.n + v.n + 1));
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
    GFP_TRY(gfp_zcall_array(call, &c->limbs, room + 1));
    *c = copy_to(c->limbs, x);
    const gfp_zcall_mark mark = gfp_zcall_mark_here(call);
    GFP_TRY(gfp_zcall_array(call, &memory, 3 * (room + 1)));
    for (size_t i = a->len; i-- > 0 && !gfp_znat_is_one(*c);) {
        size_t width;
        const uint64_t *from = gfp_zvec_get(a, i, &width);
        gfp_znat y = {memory, 0};
        y.n = gfp_z_magnitude(y.limbs, from, gfp_z_own_width(from, width));
        if (y.n > 0) {
            take_common(c, y, memory + room + 1, &divides);
        }
    }
    gfp_zcall_release(call, mark);
    return GFP_OK;
}

gfp_status gfp_zvec_content_of(gfp_zcall *call, gfp_znat *c, const gfp_zvec *a)
{
    uint64_t none;
    return common_divisor(call, c, a, (gfp_znat){&none, 0});
}

gfp_status gfp_zcontent_with(gfp_zcall *call, gfp_znat *c, gfp_zpoly a, gfp_znat x)
{
    const gfp_zvec view = {.ring = call->ring, .limbs = a.limbs, .len = a.len, .width = a.width};
    return common_divisor(call, c, &view, x);
}

gfp_status gfp_zcontent(gfp_zcall *call, gfp_znat *c, gfp_zpoly a)
{
    uint64_t none;
    return gfp_zcontent_with(call, c, a, (gfp_znat){&none, 0});
}

gfp_status gfp_znat_of(gfp_zcall *call, gfp_znat *z, const uint64_t *x, size_t width)
{
    GFP_TRY(gfp_zcall_array(call, &z->limbs, width));
    z->n = gfp_z_magnitude(z->limbs, x, width);
    return GFP_OK;
}

gfp_status gfp_zdivide_exact(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly a, gfp_znat c)
{
    uint64_t *memory;
    gfp_zpoly made = {NULL, a.len, a.width};
    if (gfp_znat_is_one(c) || a.len == 0) {
        *z = a;
        return GFP_OK;
    }
    GFP_TRY(gfp_zcall_array(call, &made.limbs, gfp_size_mul_sat(a.len, a.width)));
    const gfp_zcall_mark mark = gfp_zcall_mark_here(call);
    GFP_TRY(gfp_zcall_array(call, &memory, 2 * a.width + 2 + c.n));
    uint64_t *quotient = memory + a.width, *rest = quotient + a.width + 2;
    for (size_t i = 0; i < a.len; i++) {
        const uint64_t *x = gfp_zpoly_at(a, i);
        const size_t n = gfp_z_magnitude(memory, x, a.width);
        size_t limbs = 0;
        if (n > 0 && c.n == 1) {
            mpn_divexact_1(gfp_z_limbs(quotient), gfp_z_limbs(memory), (mp_size_t)n, c.limbs[0]);
            limbs = gfp_z_strip(quotient, n);
        } else if (n >= c.n) {
            mpn_tdiv_qr(gfp_z_limbs(quotient), gfp_z_limbs(rest), 0, gfp_z_limbs(memory),
                        (mp_size_t)n, gfp_z_limbs(c.limbs), (mp_size_t)c.n);
            limbs = gfp_z_strip(quotient, n - c.n + 1);
        }
        gfp_z_put(gfp_zpoly_at(made, i), a.width, quotient, limbs, gfp_z_negative(x, a.width));
    }
    gfp_zcall_release(call, mark);
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
    GFP_TRY(gfp_zcall_array(call, &z->limbs, x.n - c.n + 1));
    GFP_TRY(gfp_zcall_array(call, &rest, c.n));
    mpn_tdiv_qr(gfp_z_limbs(z->limbs), gfp_z_limbs(rest), 0, gfp_z_limbs(x.limbs), (mp_size_t)x.n,
                gfp_z_limbs(c.limbs), (mp_size_t)c.n);
    z->n = gfp_z_strip(z->limbs, x.n - c.n + 1);
    return GFP_OK;
}

gfp_status gfp_zscale(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly a, gfp_znat c, bool negative)
{
    uint64_t *memory;
    gfp_zpoly made = {NULL, a.len, gfp_size_add_sat(a.width, c.n)};
    if ((gfp_znat_is_one(c) && !negative) || a.len == 0) {
        *z = a;
        return GFP_OK;
    }
    GFP_TRY(gfp_zcall_array(call, &made.limbs, gfp_size_mul_sat(a.len, made.width)));
    const gfp_zcall_mark mark = gfp_zcall_mark_here(call);
    GFP_TRY(gfp_zcall_array(call, &memory, a.width + made.width));
    uint64_t *product = memory + a.width;
    for (size_t i = 0; i < a.len; i++) {
        const uint64_t *x = gfp_zpoly_at(a, i);
        const size_t n = gfp_z_magnitude(memory, x, a.width);
        size_t limbs = 0;
        if (n > 0) {
            const gfp_znat u = n >= c.n ? (gfp_znat){memory, n} : c;
            const gfp_znat v = n >= c.n ? c : (gfp_znat){memory, n};
            (void)mpn_mul(gfp_z_limbs(product), gfp_z_limbs(u.limbs), (mp_size_t)u.n,
                          gfp_z_limbs(v.limbs), (mp_size_t)v.n);
            limbs = gfp_z_strip(product, n + c.n);
        }
        gfp_z_put(gfp_zpoly_at(made, i), made.width, product, limbs,
                  gfp_z_negative(x, a.width) != negative);
    }
    gfp_zcall_release(call, mark);
    *z = made;
    return GFP_OK;
}

gfp_status gfp_zpoly_of(gfp_zcall *call, gfp_zpoly *z, const gfp_zvec *a)
{
    const size_t n = gfp_zvec_length(a);
    *z = (gfp_zpoly){a->limbs, n, a->width};
    if (a->width > 0) {
        return GFP_OK;
    }
    z->width = gfp_z_width(gfp_zvec_bits(a));
    GFP_TRY(gfp_zcall_array(call, &z->limbs, gfp_size_mul_sat(n, z->width)));
    for (size_t i = 0; i < n; i++) {
        size_t width;
        const uint64_t *x = gfp_zvec_get(a, i, &width);
        gfp_z_resize(gfp_zpoly_at(*z, i), z->width, x, gfp_z_own_width(x, width));
    }
    return GFP_OK;
}

size_t gfp_zpoly_bits(gfp_zpoly a)
{
    return gfp_z_most_bits(a.limbs, a.len, a.width);
}
