/* lab.h: shared by the tests over Z: a ring, polynomials as arrays of mpz and as vectors, random
 * families, products and resultants by the definition.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_MODULAR_LAB_H
#define TESTS_MODULAR_LAB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gfpoly/zvec.h"
#include "gfpoly/zvec_gmp.h"

#include "field/base/cpu.h"
#include "modular/call.h"
#include "modular/ring.h"

/* The ring of a test program. */
static gfp_zring *ring;

static inline int zlab_setup(void **state)
{
    (void)state;
    return gfp_zring_create(&ring, NULL, NULL) == GFP_OK ? 0 : -1;
}

static inline int zlab_teardown(void **state)
{
    (void)state;
    gfp_zring_destroy(ring);
    return 0;
}

/* Begins a call in a ring and starts its work. */
static inline gfp_status zlab_call_begin(gfp_zcall *call, const char *name, gfp_zring *of_call,
                                         const gfp_options *options)
{
    const gfp_status status = gfp_zcall_begin(call, name, options);
    return status == GFP_OK ? gfp_zcall_start(call, &of_call, 1) : status;
}

/* The kernel level number i, of those that the CPU has: they go round. */
static inline gfp_level zlab_level(size_t i)
{
    size_t level = GFP_LEVEL_PORTABLE;
    for (; i > 0; i--) {
        do {
            level = (level + 1) % GFP_LEVEL_COUNT;
        } while (!gfp_cpu_has((gfp_level)level));
    }
    return (gfp_level)level;
}

/* A polynomial over Z by GMP. */
typedef struct zlab {
    mpz_t *c;
    size_t len;
} zlab;

static inline zlab zlab_new(size_t len)
{
    zlab f = {malloc((len + 1) * sizeof(mpz_t)), len};
    assert_non_null(f.c);
    for (size_t i = 0; i < len; i++) {
        mpz_init(f.c[i]);
    }
    return f;
}

static inline void zlab_free(zlab *f)
{
    for (size_t i = 0; i < f->len; i++) {
        mpz_clear(f->c[i]);
    }
    free(f->c);
    f->c = NULL;
    f->len = 0;
}

/* x := a random integer of at most `bits` bits and any sign. */
static inline void zlab_number(mpz_t x, size_t bits, gfp_random *g)
{
    mpz_set_ui(x, 0);
    for (size_t i = 0; i < bits; i += 64) {
        mpz_mul_2exp(x, x, 64);
        mpz_add_ui(x, x, gfp_random_u64(g));
    }
    mpz_fdiv_r_2exp(x, x, bits);
    if (gfp_random_u64(g) % 2 == 1) {
        mpz_neg(x, x);
    }
}

/* Random coefficients; every `sparse`-th one other than 0; the leading one is not 0. */
static inline zlab zlab_random(size_t len, size_t bits, size_t sparse, gfp_random *g)
{
    zlab f = zlab_new(len);
    for (size_t i = 0; i < len; i++) {
        if (sparse <= 1 || gfp_random_below(g, sparse) == 0) {
            zlab_number(f.c[i], bits, g);
        }
    }
    if (len > 0 && mpz_sgn(f.c[len - 1]) == 0) {
        mpz_set_si(f.c[len - 1], gfp_random_u64(g) % 2 == 0 ? 1 : -1);
    }
    return f;
}

static inline zlab zlab_product(zlab a, zlab b)
{
    zlab c = zlab_new(a.len > 0 && b.len > 0 ? a.len + b.len - 1 : 0);
    for (size_t i = 0; i < a.len && b.len > 0; i++) {
        for (size_t j = 0; j < b.len; j++) {
            mpz_addmul(c.c[i + j], a.c[i], b.c[j]);
        }
    }
    return c;
}

/* z := f. */
static inline void zlab_set(gfp_zvec *z, zlab f)
{
    assert_int_equal(gfp_zvec_set_mpz(z, f.len > 0 ? f.c[0] : NULL, f.len), GFP_OK);
}

static inline zlab zlab_of(const gfp_zvec *a)
{
    zlab f = zlab_new(a->len);
    gfp_zvec_get_mpz(f.len > 0 ? f.c[0] : NULL, a);
    return f;
}

/* Fails the test unless a is f, without zeros at the end. */
static inline void zlab_expect(const gfp_zvec *a, zlab f, const char *what)
{
    zlab got = zlab_of(a);
    size_t n = f.len;
    while (n > 0 && mpz_sgn(f.c[n - 1]) == 0) {
        n--;
    }
    if (got.len != n) {
        fail_msg("%s: length %zu, expected %zu", what, got.len, n);
    }
    for (size_t i = 0; i < n; i++) {
        if (mpz_cmp(got.c[i], f.c[i]) != 0) {
            fail_msg("%s: coefficient %zu differs", what, i);
        }
    }
    zlab_free(&got);
}

/* det := the determinant of an n x n matrix, which is destroyed: Bareiss' elimination. */
static inline void zlab_determinant(mpz_t det, mpz_t *m, size_t n)
{
    mpz_t last, t;
    int sign = 1;
    mpz_init_set_ui(last, 1);
    mpz_init(t);
    for (size_t k = 0; k + 1 < n; k++) {
        size_t row = k;
        while (row < n && mpz_sgn(m[row * n + k]) == 0) {
            row++;
        }
        if (row == n) {
            sign = 0;
            break;
        }
        for (size_t j = 0; row != k && j < n; j++) {
            mpz_swap(m[row * n + j], m[k * n + j]);
        }
        sign = row != k ? -sign : sign;
        for (size_t i = k + 1; i < n; i++) {
            for (size_t j = k + 1; j < n; j++) {
                mpz_mul(t, m[i * n + j], m[k * n + k]);
                mpz_submul(t, m[i * n + k], m[k * n + j]);
                mpz_divexact(m[i * n + j], t, last);
            }
        }
        mpz_set(last, m[k * n + k]);
    }
    if (n == 0) {
        mpz_set_ui(det, 1);
    } else {
        mpz_mul_si(det, m[n * n - 1], sign);
    }
    mpz_clear(t);
    mpz_clear(last);
}

/* r := the determinant of Sylvester's matrix; neither polynomial is 0. */
static inline void zlab_resultant(mpz_t r, zlab a, zlab b)
{
    const size_t da = a.len - 1, db = b.len - 1, n = da + db;
    zlab m = zlab_new(n * n);
    for (size_t i = 0; i < db; i++) {
        for (size_t j = 0; j <= da; j++) {
            mpz_set(m.c[i * n + i + j], a.c[da - j]);
        }
    }
    for (size_t i = 0; i < da; i++) {
        for (size_t j = 0; j <= db; j++) {
            mpz_set(m.c[(db + i) * n + i + j], b.c[db - j]);
        }
    }
    zlab_determinant(r, m.c, n);
    zlab_free(&m);
}

/* For a gfp_progress: user[0] is the last fraction, user[1] the number of calls that are left;
 * cancels at the last one. */
static inline bool zlab_count_steps(void *user, double fraction)
{
    double *last = user;
    assert_true(fraction >= last[0] && fraction <= 1);
    last[0] = fraction;
    last[1] -= 1;
    return last[1] > 0;
}

/* A call of two operands whose result has one number at least. */
typedef gfp_status zlab_call(gfp_zvec *z, const gfp_zvec *a, const gfp_zvec *b,
                             const gfp_options *options);

#endif
