/* linear.c: see linear.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/linear.h"

/* ---- vectors for the time of a call ---- */

void gfp_ztemp_init(gfp_zcall *call, gfp_ztemp *t)
{
    gfp_zvec_init(&t->v, call->ring);
    t->held = 0;
}

gfp_status gfp_ztemp_count(gfp_zcall *call, gfp_ztemp *t)
{
    GFP_TRY(gfp_zvec_flatten(&t->v));
    const size_t bytes = t->v.alloc * sizeof *t->v.limbs;
    if (bytes > t->held) {
        GFP_TRY(gfp_call_take(&call->base, bytes - t->held));
    } else {
        gfp_call_give(&call->base, t->held - bytes);
    }
    t->held = bytes;
    return GFP_OK;
}

void gfp_ztemp_clear(gfp_zcall *call, gfp_ztemp *t)
{
    gfp_call_give(&call->base, t->held);
    gfp_zvec_clear(&t->v);
    t->held = 0;
}

/* ---- arithmetic ---- */

/* z, of `width` limbs, := z + c x modulo 2^(64 width), x of at most as many limbs. sum has `width`
 * limbs. */
static void add_multiple(uint64_t *z, size_t width, int64_t c, const uint64_t *x, size_t width_x,
                         uint64_t *sum)
{
    gfp_z_resize(sum, width, x, width_x);
    mp_limb_t *to = gfp_z_limbs(z);
    if (c >= 0) {
        (void)mpn_addmul_1(to, gfp_z_limbs(sum), (mp_size_t)width, (mp_limb_t)c);
    } else {
        (void)mpn_submul_1(to, gfp_z_limbs(sum), (mp_size_t)width, -(mp_limb_t)c);
    }
}

static gfp_status linear_combine(gfp_zvec *z, int64_t u, const gfp_zvec *a, size_t shift, int64_t v,
                                 const gfp_zvec *b)
{
    gfp_zvec made, result;
    const size_t of_a = gfp_size_add_sat(a->len, shift), len = of_a > b->len ? of_a : b->len;
    const size_t width = (a->width > b->width ? a->width : b->width) + 2;
    gfp_zvec_init(&made, z->ring);
    gfp_zvec_init(&result, z->ring);
    GFP_TRY(gfp_zvec_reserve(&made, gfp_size_add_sat(len, 1), width)); /* the last one: a sum */
    uint64_t *sum = made.limbs + len * width;
    memset(made.limbs, 0, len * width * sizeof *made.limbs);
    for (size_t i = 0; i < a->len; i++) {
        add_multiple(made.limbs + (i + shift) * width, width, u, gfp_zvec_at(a, i), a->width, sum);
    }
    for (size_t i = 0; i < b->len; i++) {
        add_multiple(made.limbs + i * width, width, v, gfp_zvec_at(b, i), b->width, sum);
    }
    const gfp_status status = gfp_zvec_set_polynomial(&result, made.limbs, len, width);
    if (status == GFP_OK) {
        gfp_zvec_swap(z, &result);
    }
    gfp_zvec_clear(&made);
    gfp_zvec_clear(&result);
    return status;
}

gfp_status gfp_zvec_combine(gfp_zvec *z, int64_t u, const gfp_zvec *a, size_t shift, int64_t v,
                            const gfp_zvec *b)
{
    gfp_zvec copy[2];
    const gfp_zvec *x, *y;
    gfp_zvec_init(&copy[0], z->ring);
    gfp_zvec_init(&copy[1], z->ring);
    gfp_status status = gfp_zvec_view(&x, &copy[0], a);
    if (status == GFP_OK) {
        status = gfp_zvec_view(&y, &copy[1], b);
    }
    if (status == GFP_OK) {
        status = linear_combine(z, u, x, shift, v, y);
    }
    gfp_zvec_clear(&copy[0]);
    gfp_zvec_clear(&copy[1]);
    return status;
}

gfp_status gfp_zvec_derivative(gfp_zvec *z, const gfp_zvec *a)
{
    gfp_zvec made, result;
    const size_t n = a->len, width = a->width + 1;
    gfp_zvec_init(&made, z->ring);
    gfp_zvec_init(&result, z->ring);
    GFP_TRY(gfp_zvec_reserve(&made, gfp_size_add_sat(n, 1), width));
    memset(made.limbs, 0, n * width * sizeof *made.limbs);
    for (size_t i = 1; i < n; i++) {
        add_multiple(made.limbs + (i - 1) * width, width, (int64_t)i, gfp_zvec_at(a, i), a->width,
                     made.limbs + n * width);
    }
    const gfp_status status =
        gfp_zvec_set_polynomial(&result, made.limbs, n > 0 ? n - 1 : 0, width);
    if (status == GFP_OK) {
        gfp_zvec_swap(z, &result);
    }
    gfp_zvec_clear(&made);
    gfp_zvec_clear(&result);
    return status;
}
