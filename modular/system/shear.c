/* shear.c: polynomials in two variables after a change of X.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "modular/bivariate.h"
#include "modular/system/impl.h"
#include "modular/points/values.h"

ptrdiff_t gfp_zbipoly_total_degree(const gfp_zbipoly *f)
{
    ptrdiff_t most = -1;
    for (size_t j = 0; j < f->len; j++) {
        const ptrdiff_t degree = (ptrdiff_t)(f->coeff[j].len + j) - 1;
        most = f->coeff[j].len > 0 && degree > most ? degree : most;
    }
    return most;
}

/* Coefficients of X^a Y^b, a <= dx, b <= n, of `width` limbs. */
typedef struct table {
    uint64_t *limbs;
    size_t dx, n, width;
} table;

static uint64_t *shear_entry(const table *s, size_t a, size_t b)
{
    return s->limbs + (b * (s->dx + 1) + a) * s->width;
}

/* Multiplies by X - t Y a polynomial of total degree below `degree`, and of a degree below dx in X.
 */
static void shear_multiply(const table *s, size_t degree, int64_t t)
{
    const mp_size_t width = (mp_size_t)s->width;
    const mp_limb_t size = t < 0 ? -(mp_limb_t)t : (mp_limb_t)t;
    for (size_t b = degree + 1; b-- > 0;) {
        for (size_t a = gfp_size_min(degree - b, s->dx) + 1; a-- > 0;) {
            mp_limb_t *z = gfp_z_limbs(shear_entry(s, a, b));
            if (a > 0) {
                mpn_copyi(z, gfp_z_limbs(shear_entry(s, a - 1, b)), width);
            } else {
                mpn_zero(z, width);
            }
            if (b > 0 && t > 0) {
                (void)mpn_submul_1(z, gfp_z_limbs(shear_entry(s, a, b - 1)), width, size);
            } else if (b > 0 && t < 0) {
                (void)mpn_addmul_1(z, gfp_z_limbs(shear_entry(s, a, b - 1)), width, size);
            }
        }
    }
}

/* Adds the terms X^i Y^j of f, for all j, as Y^j. */
static void add_column(const table *s, const gfp_zbipoly *f, size_t i)
{
    for (size_t j = 0; j < f->len; j++) {
        const gfp_zvec *row = &f->coeff[j];
        if (i >= row->len) {
            continue;
        }
        const mp_limb_t *x = gfp_z_const_limbs(gfp_zvec_at(row, i));
        mp_limb_t *z = gfp_z_limbs(shear_entry(s, 0, j));
        const mp_size_t rest = (mp_size_t)(s->width - row->width);
        const mp_limb_t carry = mpn_add_n(z, z, x, (mp_size_t)row->width);
        if (carry != 0 && rest > 0) {
            (void)mpn_add_1(z + row->width, z + row->width, rest, 1);
        }
        if (gfp_z_negative(gfp_zvec_at(row, i), row->width) && rest > 0) {
            (void)mpn_sub_1(z + row->width, z + row->width, rest, 1);
        }
    }
}

/* Horner's rule in X; n: the total degree. */
static gfp_status system_shear(gfp_zcall *call, gfp_zbipoly *z, const gfp_zbipoly *f, int64_t t,
                               size_t n)
{
    size_t bits = 0;
    const size_t len_x = gfp_zbipoly_len_x(f);
    table s = {.dx = len_x - 1, .n = n};
    for (size_t j = 0; j < f->len; j++) {
        const size_t more = gfp_zvec_bits(&f->coeff[j]);
        bits = more > bits ? more : bits;
    }
    /* A coefficient is a sum of at most dx + 1 terms c binomial(i, a) t^(i - a), i <= dx. */
    bits += (size_t)((double)s.dx * log2(1 + fabs((double)t)) * (1 + 0x1p-40) +
                     log2((double)len_x) + 2);
    s.width = gfp_z_width(bits);
    const size_t terms = gfp_size_mul_sat(n + 1, len_x), limbs = gfp_size_mul_sat(terms, s.width);
    GFP_TRY(gfp_call_array(&call->base, &s.limbs, limbs));
    memset(s.limbs, 0, limbs * sizeof *s.limbs);
    for (size_t i = len_x; i-- > 0;) {
        /* Up to now the total degree is at most n - i - 1. */
        shear_multiply(&s, n - i, t);
        add_column(&s, f, i);
        if (!gfp_task_advance(&call->base.task, (double)terms * (double)s.width)) {
            return GFP_ERR_CANCELLED;
        }
    }
    GFP_TRY(gfp_zbipoly_fit(z, n + 1));
    for (size_t b = 0; b <= n; b++) {
        const size_t len = gfp_size_min(n - b, s.dx) + 1;
        GFP_TRY(gfp_zvec_set_polynomial(&z->coeff[b], shear_entry(&s, 0, b), len, s.width));
    }
    gfp_zbipoly_normalise(z, n + 1);
    return GFP_OK;
}

gfp_status gfp_zbipoly_shear(gfp_zcall *call, gfp_zbipoly *z, const gfp_zbipoly *f, int64_t t)
{
    if (t == 0) {
        return gfp_zbipoly_set(z, f);
    }
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    const gfp_status status = system_shear(call, z, f, t, (size_t)gfp_zbipoly_total_degree(f));
    gfp_call_release(&call->base, mark);
    return status;
}

/* Row i := the coefficients of X^i. */
static gfp_status exchange_rows(gfp_zcall *call, gfp_zbipoly *z, const gfp_zbipoly *f)
{
    const size_t len_x = gfp_zbipoly_len_x(f), width = gfp_zbipoly_width(f);
    uint64_t *row;
    GFP_TRY(gfp_call_array(&call->base, &row, gfp_size_mul_sat(f->len, width)));
    GFP_TRY(gfp_zbipoly_fit(z, len_x));
    for (size_t i = 0; i < len_x; i++) {
        memset(row, 0, f->len * width * sizeof *row);
        for (size_t j = 0; j < f->len; j++) {
            const gfp_zvec *from = &f->coeff[j];
            if (i < from->len) {
                gfp_z_resize(row + j * width, width, gfp_zvec_at(from, i), from->width);
            }
        }
        GFP_TRY(gfp_zvec_set_polynomial(&z->coeff[i], row, f->len, width));
    }
    gfp_zbipoly_normalise(z, len_x);
    return GFP_OK;
}

gfp_status gfp_zbipoly_exchange(gfp_zcall *call, gfp_zbipoly *z, const gfp_zbipoly *f)
{
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    const gfp_status status = exchange_rows(call, z, f);
    gfp_call_release(&call->base, mark);
    return status;
}
