/* word_poly.c: polynomials modulo one word-size prime: see word_poly.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/system/word_poly.h"

#include <string.h>

#include "field/base/word.h"

gfp_wmod gfp_wmod_of(uint64_t q)
{
    const uint64_t r = (UINT64_MAX % q + 1) % q;
    return (gfp_wmod){q, gfp_mont_negative_inverse(q), gfp_mod_mul(r, r, q)};
}

/* a b / 2^64. */
static inline uint64_t form_product(uint64_t a, uint64_t b, const gfp_wmod *m)
{
    const uint64_t z = gfp_mont_reduce(gfp_mul_wide(a, b), m->q, m->negative_inverse);
    return z >= m->q ? z - m->q : z;
}

uint64_t gfp_wmod_mul(uint64_t a, uint64_t b, const gfp_wmod *m)
{
    return form_product(form_product(a, b, m), m->square, m);
}

uint64_t gfp_wmod_inverse(uint64_t a, const gfp_wmod *m)
{
    uint64_t z = 1; /* a number, a a form: their products are numbers */
    a = form_product(a, m->square, m);
    for (uint64_t e = m->q - 2; e != 0; e >>= 1) {
        if ((e & 1) != 0) {
            z = form_product(z, a, m);
        }
        a = form_product(a, a, m);
    }
    return z;
}

void gfp_wpoly_trim(gfp_wpoly *f)
{
    while (f->len > 0 && f->c[f->len - 1] == 0) {
        f->len--;
    }
}

void gfp_wpoly_subtract(gfp_wpoly *a, uint64_t x, size_t up, const gfp_wpoly *b, const gfp_wmod *m)
{
    const uint64_t companion = gfp_shoup_companion(x, m->q), q = m->q;
    const uint64_t *y = b->c;
    uint64_t *z = a->c + up;
    for (size_t i = 0; i < b->len; i++) {
        uint64_t v = z[i] + 2 * q - gfp_shoup_mul(y[i], x, companion, q); /* in (0, 3 q) */
        v = v >= 2 * q ? v - 2 * q : v;
        z[i] = v >= q ? v - q : v;
    }
    a->len = a->len > b->len + up ? a->len : b->len + up;
    gfp_wpoly_trim(a);
}

void gfp_wpoly_reduce(gfp_wpoly *a, const gfp_wpoly *f, const gfp_wmod *m)
{
    const uint64_t inverse = gfp_wmod_inverse(f->c[f->len - 1], m);
    gfp_wpoly_trim(a);
    while (a->len >= f->len) {
        const uint64_t x = gfp_wmod_mul(a->c[a->len - 1], inverse, m);
        gfp_wpoly_subtract(a, x, a->len - f->len, f, m);
    }
}

void gfp_wpoly_mul_modulo(gfp_wpoly *z, const gfp_wpoly *a, const gfp_wpoly *b, const gfp_wpoly *f,
                          const gfp_wmod *m)
{
    memset(z->c, 0, 2 * f->len * sizeof *z->c);
    z->len = 0;
    for (size_t i = 0; i < a->len; i++) {
        gfp_wpoly_subtract(z, gfp_mod_sub(0, a->c[i], m->q), i, b, m);
    }
    gfp_wpoly_reduce(z, f, m);
}

void gfp_wpoly_derivative(gfp_wpoly *z, const gfp_wpoly *f, const gfp_wmod *m)
{
    for (size_t k = 1; k < f->len; k++) {
        z->c[k - 1] = gfp_wmod_mul(k, f->c[k], m);
    }
    z->len = f->len > 0 ? f->len - 1 : 0;
    gfp_wpoly_trim(z);
}
