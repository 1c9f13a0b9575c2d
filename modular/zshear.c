/* zshear.c: polynomials in two variables after a change of X.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "zbipoly.h"
#include "zsystem.h"

ptrdiff_t gfp_zbipoly_total_degree(const gfp_zbipoly *f)
{
    ptrdiff_t most = -1;
    for (size_t j = 0; j < f->len; j++) {
        const ptrdiff_t degree = (ptrdiff_t)(f->coeff[j].len + j) - 1;
        most = f->coeff[j].len > 0 && degree > most ? degree : most;
    }
    return most;
}

/* Coefficients of X^a Y^b, a, b <= n, of `width` limbs. */
typedef struct square {
    uint64_t *limbs;
    size_t n, width;
} square;

static uint64_t *entry(const square *s, size_t a, size_t b)
{
    return s->limbs + (b * (s->n + 1) + a) * s->width;
}

/* Multiplies by X - t Y a polynomial of total degree below `degree`. */
static void multiply(const square *s, size_t degree, int64_t t)
{
    const mp_size_t width = (mp_size_t)s->width;
    const mp_limb_t size = t < 0 ? -(mp_limb_t)t : (mp_limb_t)t;
    for (size_t b = degree + 1; b-- > 0;) {
        for (size_t a = degree - b + 1; a-- > 0;) {
            mp_limb_t *z = gfp_z_limbs(entry(s, a, b));
            if (a > 0) {
                mpn_copyi(z, gfp_z_limbs(entry(s, a - 1, b)), width);
            } else {
                mpn_zero(z, width);
            }
            if (b > 0 && t > 0) {
                (void)mpn_submul_1(z, gfp_z_limbs(entry(s, a, b - 1)), width, size);
            } else if (b > 0 && t < 0) {
                (void)mpn_addmul_1(z, gfp_z_limbs(entry(s, a, b - 1)), width, size);
            }
        }
    }
}

/* Adds the terms X^i Y^j of f, for all j, as Y^j. */
static void add_column(const square *s, const gfp_zbipoly *f, size_t i)
{
    for (size_t j = 0; j < f->len; j++) {
        const gfp_zvec *row = &f->coeff[j];
        if (i >= row->len) {
            continue;
        }
        const mp_limb_t *x = gfp_z_const_limbs(gfp_zvec_at(row, i));
        mp_limb_t *z = gfp_z_limbs(entry(s, 0, j));
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

/* Horner's rule in X. */
static gfp_status shear(gfp_zcall *call, gfp_zbipoly *z, const gfp_zbipoly *f, int64_t t, size_t n)
{
    size_t bits = 0;
    square s = {.n = n};
    for (size_t j = 0; j < f->len; j++) {
        const size_t more = gfp_zvec_bits(&f->coeff[j]);
        bits = more > bits ? more : bits;
    }
    /* A coefficient is a sum of at most n + 1 terms c binomial(i, a) t^(i - a). */
    bits +=
        (size_t)((double)n * log2(1 + fabs((double)t)) * (1 + 0x1p-40) + log2((double)n + 1) + 2);
    s.width = gfp_z_width(bits);
    const size_t limbs = gfp_size_mul_sat(gfp_size_mul_sat(n + 1, n + 1), s.width);
    GFP_TRY(gfp_zcall_array(call, &s.limbs, limbs));
    memset(s.limbs, 0, limbs * sizeof *s.limbs);
    const size_t len_x = gfp_zbipoly_len_x(f);
    for (size_t i = len_x; i-- > 0;) {
        /* Up to now the total degree is at most n - i - 1. */
        multiply(&s, n - i, t);
        add_column(&s, f, i);
        if (!gfp_task_advance(&call->task, (double)n * (double)n)) {
            return GFP_ERR_CANCELLED;
        }
    }
    GFP_TRY(gfp_zbipoly_fit(z, n + 1));
    for (size_t b = 0; b <= n; b++) {
        GFP_TRY(gfp_zvec_set_polynomial(&z->coeff[b], entry(&s, 0, b), n - b + 1, s.width));
    }
    gfp_zbipoly_normalise(z, n + 1);
    return GFP_OK;
}

gfp_status gfp_zbipoly_shear(gfp_zcall *call, gfp_zbipoly *z, const gfp_zbipoly *f, int64_t t)
{
    const gfp_zcall_mark mark = gfp_zcall_mark_here(call);
    const gfp_status status = shear(call, z, f, t, (size_t)gfp_zbipoly_total_degree(f));
    gfp_zcall_release(call, mark);
    return status;
}
