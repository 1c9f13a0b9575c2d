/* lab.h: bivariate polynomials over Z by GMP, for tests.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_MODULAR_POINTS_LAB_H
#define TESTS_MODULAR_POINTS_LAB_H

#include "modular/lab.h"

#include "gfpoly/zbipoly.h"
#include "modular/bivariate.h"

/* row[j]: the polynomial in X at Y^j. */
typedef struct bilab {
    zlab *row;
    size_t len;
} bilab;

static inline bilab bilab_new(size_t len)
{
    bilab f = {malloc((len + 1) * sizeof(zlab)), len};
    assert_non_null(f.row);
    for (size_t j = 0; j < len; j++) {
        f.row[j] = (zlab){NULL, 0};
    }
    return f;
}

static inline void bilab_free(bilab *f)
{
    for (size_t j = 0; j < f->len; j++) {
        zlab_free(&f->row[j]);
    }
    free(f->row);
    f->len = 0;
}

/* Degrees below len_y and len_x; total: only terms of total degree below len_y. */
static inline bilab bilab_random(size_t len_y, size_t len_x, size_t bits, bool total, gfp_random *g)
{
    bilab f = bilab_new(len_y);
    for (size_t j = 0; j < len_y; j++) {
        f.row[j] = zlab_random(total ? len_y - j : len_x, bits, 1, g);
    }
    return f;
}

static inline bilab bilab_product(bilab a, bilab b)
{
    bilab c = bilab_new(a.len + b.len - 1);
    for (size_t i = 0; i < a.len; i++) {
        for (size_t j = 0; j < b.len; j++) {
            zlab p = zlab_product(a.row[i], b.row[j]), *row = &c.row[i + j];
            zlab sum = zlab_new(p.len > row->len ? p.len : row->len);
            for (size_t k = 0; k < sum.len; k++) {
                if (k < p.len) {
                    mpz_add(sum.c[k], sum.c[k], p.c[k]);
                }
                if (k < row->len) {
                    mpz_add(sum.c[k], sum.c[k], row->c[k]);
                }
            }
            zlab_free(&p);
            zlab_free(row);
            *row = sum;
        }
    }
    return c;
}

static inline void lab_value(mpz_t z, zlab f, const mpz_t x)
{
    mpz_set_ui(z, 0);
    for (size_t i = f.len; i-- > 0;) {
        mpz_mul(z, z, x);
        mpz_add(z, z, f.c[i]);
    }
}

/* f(x, Y) with all its formal coefficients. */
static inline zlab bilab_at(bilab f, const mpz_t x)
{
    zlab z = zlab_new(f.len);
    for (size_t j = 0; j < f.len; j++) {
        lab_value(z.c[j], f.row[j], x);
    }
    return z;
}

static inline void bilab_set(gfp_zbipoly *z, bilab f)
{
    gfp_zvec row;
    gfp_zbipoly made;
    gfp_zbipoly_init(&made, z->ring);
    gfp_zvec_init(&row, z->ring);
    for (size_t j = 0; j < f.len; j++) {
        zlab_set(&row, f.row[j]);
        assert_int_equal(gfp_zbipoly_set_coeff(&made, j, &row), GFP_OK);
    }
    gfp_zbipoly_swap(z, &made);
    gfp_zbipoly_clear(&made);
    gfp_zvec_clear(&row);
}

/* z := the polynomial with the number c at X^i Y^j, besides those that f has there. */
static inline void bilab_add(bilab *f, size_t i, size_t j, long c)
{
    if (j >= f->len) {
        bilab more = bilab_new(j + 1);
        memcpy(more.row, f->row, f->len * sizeof *f->row);
        free(f->row);
        *f = more;
    }
    zlab *row = &f->row[j];
    if (i >= row->len) {
        zlab more = zlab_new(i + 1);
        for (size_t k = 0; k < row->len; k++) {
            mpz_set(more.c[k], row->c[k]);
        }
        zlab_free(row);
        *row = more;
    }
    if (c >= 0) {
        mpz_add_ui(row->c[i], row->c[i], (unsigned long)c);
    } else {
        mpz_sub_ui(row->c[i], row->c[i], -(unsigned long)c);
    }
}

#endif
