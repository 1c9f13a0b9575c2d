/* lab.h: shared by the tests of systems over Z: the ring, polynomials modulo a prime,
 * systems from texts and lines, multiplicities.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_MODULAR_SYSTEM_LAB_H
#define TESTS_MODULAR_SYSTEM_LAB_H

#include <stdio.h>

#include "modular/polynomials.h"
#include "modular/points/lab.h"

#include "gfpoly/zsystem.h"
#include "field/base/word.h"
#include "modular/bivariate.h"

/* ---- polynomials modulo a prime ---- */

/* 2^61 - 1. */
static const uint64_t q = (UINT64_C(1) << 61) - 1;
#define MOST 1024

typedef struct poly {
    uint64_t c[MOST];
    size_t len;
} poly;

static inline void lab_trim(poly *f)
{
    while (f->len > 0 && f->c[f->len - 1] == 0) {
        f->len--;
    }
}

static inline poly poly_of(const gfp_zvec *a)
{
    poly f = {.len = a->len};
    zlab z = zlab_of(a);
    assert_true(a->len <= MOST);
    for (size_t i = 0; i < a->len; i++) {
        f.c[i] = mpz_fdiv_ui(z.c[i], q);
    }
    zlab_free(&z);
    lab_trim(&f);
    return f;
}

/* a := a rem f. */
static inline void lab_reduce(poly *a, const poly *f)
{
    const uint64_t inverse = gfp_mod_pow(f->c[f->len - 1], q - 2, q);
    lab_trim(a);
    while (a->len >= f->len) {
        const uint64_t c = gfp_mod_mul(a->c[a->len - 1], inverse, q);
        for (size_t i = 0; i < f->len; i++) {
            uint64_t *z = &a->c[a->len - f->len + i];
            *z = gfp_mod_sub(*z, gfp_mod_mul(c, f->c[i], q), q);
        }
        lab_trim(a);
    }
}

static inline poly lab_product(const poly *a, const poly *b, const poly *f)
{
    poly z = {.len = a->len + b->len};
    assert_true(z.len <= MOST);
    for (size_t i = 0; i < a->len; i++) {
        for (size_t j = 0; j < b->len; j++) {
            z.c[i + j] = (z.c[i + j] + gfp_mod_mul(a->c[i], b->c[j], q)) % q;
        }
    }
    lab_reduce(&z, f);
    return z;
}

static inline void lab_add(poly *a, const poly *b, uint64_t c)
{
    a->len = a->len > b->len ? a->len : b->len;
    for (size_t i = 0; i < b->len; i++) {
        a->c[i] = (a->c[i] + gfp_mod_mul(c, b->c[i], q)) % q;
    }
    lab_trim(a);
}

static inline size_t degree_of_gcd(poly a, poly b)
{
    while (b.len > 0) {
        lab_reduce(&a, &b);
        const poly t = a;
        a = b;
        b = t;
    }
    return a.len - 1;
}

typedef struct problem {
    gfp_zbipoly f, g;
    gfp_zsystem s;
} problem;

static inline void lab_make(problem *p, bilab f, bilab g)
{
    gfp_zbipoly_init(&p->f, ring);
    gfp_zbipoly_init(&p->g, ring);
    gfp_zsystem_init(&p->s, ring);
    bilab_set(&p->f, f);
    bilab_set(&p->g, g);
}

static inline void lab_clear(problem *p)
{
    gfp_zbipoly_clear(&p->f);
    gfp_zbipoly_clear(&p->g);
    gfp_zsystem_clear(&p->s);
}

/* Text in the format of files. */
static inline bilab lab_polynomial(const char *text)
{
    gfp_zbipoly f;
    gfp_zbipoly_init(&f, ring);
    lab_bivariate_read(&f, text);
    bilab z = bilab_new(f.len);
    for (size_t j = 0; j < f.len; j++) {
        z.row[j] = zlab_of(&f.coeff[j]);
    }
    gfp_zbipoly_clear(&f);
    return z;
}

/* The multiplicity of the solution (x, y); 0: none. */
static inline size_t multiplicity_at(const gfp_zsystem *s, long x, long y)
{
    size_t found = 0;
    for (size_t i = 0; i < s->count; i++) {
        const poly t = {{(uint64_t)(s->s * x + s->t * y + (long)q) % q}, 1},
                   m = poly_of(&s->part[i].f);
        const poly parts[] = {poly_of(&s->part[i].x), poly_of(&s->part[i].y),
                              poly_of(&s->part[i].q)};
        uint64_t z[4] = {0};
        for (size_t j = 0; j < 4; j++) {
            const poly *p = j < 3 ? &parts[j] : &m;
            for (size_t k = p->len; k-- > 0;) {
                z[j] = (gfp_mod_mul(z[j], t.c[0], q) + p->c[k]) % q;
            }
        }
        /* Otherwise another point with the same T. */
        if (z[3] == 0 && z[0] == gfp_mod_mul((uint64_t)(x + (long)q) % q, z[2], q) &&
            z[1] == gfp_mod_mul((uint64_t)(y + (long)q) % q, z[2], q)) {
            assert_int_equal(found, 0);
            found = s->part[i].multiplicity;
        }
    }
    return found;
}

/* f := f times a X + b Y + c. */
static inline void times_line(bilab *f, long a, long b, long c)
{
    bilab line = bilab_new(0);
    bilab_add(&line, 0, 0, c);
    bilab_add(&line, 1, 0, a);
    bilab_add(&line, 0, 1, b);
    const bilab z = bilab_product(*f, line);
    bilab_free(&line);
    bilab_free(f);
    *f = z;
}

static inline bilab lab_one(void)
{
    bilab f = bilab_new(0);
    bilab_add(&f, 0, 0, 1);
    return f;
}

/* A system with a simple part, and parts of indices 1 and 2. */
static inline void make_three_parts(problem *p, gfp_zring *over)
{
    bilab f = lab_one(), g = lab_one();
    times_line(&f, 1, 0, 0);
    times_line(&f, 1, 0, 0);
    times_line(&f, 1, 0, -3);
    times_line(&g, 0, 1, 0);
    times_line(&g, 0, 1, 0);
    times_line(&g, 1, 1, -5);
    gfp_zbipoly_init(&p->f, over);
    gfp_zbipoly_init(&p->g, over);
    gfp_zsystem_init(&p->s, over);
    bilab_set(&p->f, f);
    bilab_set(&p->g, g);
    bilab_free(&f);
    bilab_free(&g);
}

#endif
