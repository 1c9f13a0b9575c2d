/* ragged_forms.h: polynomials over Z of which a few coefficients are much longer than the others.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_MODULAR_RAGGED_FORMS_H
#define TESTS_MODULAR_RAGGED_FORMS_H

#include "modular/lab.h"

typedef enum zform {
    ONE_LONG,      /* one coefficient in the middle */
    LONG_CONSTANT, /* the constant one */
    LONG_LEAD,     /* the leading one, below 0 */
    ROOT_LONG,     /* sqrt(n) of them, at random */
    LONG_RUN,      /* the sqrt(n) lowest ones */
    GEOMETRIC,     /* each coefficient has half the bits of the next one */
    SPARSE_LONG,   /* all others are 0 */
    LONG_POWERS,   /* long ones are powers of two and their opposites */
    SLOPE,         /* coefficient i has bits * i / n bits: not ragged */
    UNIFORM_LONG,  /* all are long: not ragged */
    ZFORMS
} zform;

/* The bits of coefficient i. */
static inline size_t zform_bits(zform form, size_t i, size_t n, size_t bits, gfp_random *g)
{
    size_t root = 1;
    while (root * root < n) {
        root++;
    }
    switch (form) {
    case LONG_CONSTANT:
        return i == 0 ? bits : 20;
    case LONG_LEAD:
        return i == n - 1 ? bits : 20;
    case ROOT_LONG:
        return gfp_random_below(g, root) == 0 ? bits : 20;
    case LONG_RUN:
        return i < root ? bits : 20;
    case GEOMETRIC:
        return n - 1 - i < 60 ? 1 + (bits >> (n - 1 - i)) : 1;
    case SPARSE_LONG:
        return i % root == 0 ? bits : 0;
    case SLOPE:
        return 1 + bits * i / n;
    case UNIFORM_LONG:
        return bits;
    default:
        return i == n / 2 ? bits : 20;
    }
}

static inline zlab zform_new(zform form, size_t n, size_t bits, gfp_random *g)
{
    zlab f = zlab_new(n);
    for (size_t i = 0; i < n; i++) {
        const size_t own = zform_bits(form, i, n, bits, g);
        zlab_number(f.c[i], own, g);
        if (own >= bits && form == LONG_POWERS) {
            mpz_set_ui(f.c[i], 1);
            mpz_mul_2exp(f.c[i], f.c[i], bits - 1);
            mpz_neg(f.c[i], f.c[i]);
        } else if (own >= bits) {
            mpz_setbit(f.c[i], bits); /* as long as it says */
        }
    }
    if (form == LONG_LEAD) {
        mpz_abs(f.c[n - 1], f.c[n - 1]);
        mpz_neg(f.c[n - 1], f.c[n - 1]);
    }
    if (mpz_sgn(f.c[n - 1]) == 0) {
        mpz_set_si(f.c[n - 1], -1);
    }
    return f;
}

static inline bool zform_is_ragged(zform form)
{
    return form != SLOPE && form != UNIFORM_LONG;
}

#endif
