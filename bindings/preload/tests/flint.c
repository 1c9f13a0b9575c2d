/* flint.c: a program over FLINT that knows nothing of gfpoly, with libgfpoly_flint.so
 * in LD_PRELOAD. The oracle are FLINT's products by Kronecker's substitution, which call none of
 * the functions that the library stands in for. GFPOLY_FLINT says what is expected.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <gmp.h>

#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mod.h>
#include <flint/fmpz_mod_poly.h>
#include <flint/fmpz_poly.h>
#include <flint/fmpz_vec.h>

#define PRELOAD_VARIABLE "GFPOLY_FLINT"
#define PRELOAD_COUNT "gfpoly_flint_count"
#include "bindings/preload/tests/lab.h"
#include "bindings/preload/tests/signals.h"

/* What a jump may cost: the memory of the product. */
#define JUMP_BYTES ((size_t)1 << 20)
#define JUMP_BYTES_BY_THREADS ((size_t)64 << 20)

/* ---- numbers ---- */

static flint_rand_t state;

typedef enum fill { UNIFORM, GREATEST, SPARSE, FILLS } fill;

static void fill_mod(fmpz *x, slong n, const fmpz_t p, fill how)
{
    for (slong i = 0; i < n; i++) {
        fmpz_randm(x + i, state, p);
        if (how == GREATEST) {
            fmpz_sub_ui(x + i, p, 1);
        } else if (how == SPARSE && i % 5 != 0) {
            fmpz_zero(x + i);
        }
    }
}

static void fill_z(fmpz *x, slong n, flint_bitcnt_t bits, fill how)
{
    for (slong i = 0; i < n; i++) {
        fmpz_randtest(x + i, state, bits);
        if (how == GREATEST) {
            fmpz_one(x + i);
            fmpz_mul_2exp(x + i, x + i, bits);
            fmpz_sub_ui(x + i, x + i, 1);
            if (i % 3 == 1) {
                fmpz_neg(x + i, x + i);
            }
        } else if (how == SPARSE && i % 7 != 3) {
            fmpz_zero(x + i);
        }
    }
}

static void expected_z(fmpz *c, const fmpz *a, slong len_a, const fmpz *b, slong len_b)
{
    if (len_a >= len_b) {
        _fmpz_poly_mul_KS(c, a, len_a, b, len_b);
    } else {
        _fmpz_poly_mul_KS(c, b, len_b, a, len_a);
    }
}

static void expected_mod(fmpz *c, const fmpz *a, slong len_a, const fmpz *b, slong len_b,
                         const fmpz_t p)
{
    expected_z(c, a, len_a, b, len_b);
    _fmpz_vec_scalar_mod_fmpz(c, c, len_a + len_b - 1, p);
}

/* p := radix^k + 1. */
static void set_modulus(fmpz_t p, const char *radix, ulong k)
{
    fmpz_set_str(p, radix, 10);
    fmpz_pow_ui(p, p, k);
    fmpz_add_ui(p, p, 1);
}

typedef struct modulus {
    const char *radix;
    ulong k;
    bool ours; /* products of hundreds of terms are taken, at every kernel level */
} modulus;

static const modulus moduli[] = {
    {"9223372054034644992", 8, true},   /* p8: (2^63 + 2^34)^8 + 1 */
    {"18445618173802708992", 4, true},  /* p4: (2^64 - 2^50)^4 + 1 */
    {"9232379236109516800", 2, true},   /* p2: (2^63 + 2^53)^2 + 1 */
    {"4611686087146864640", 16, true},  /* p16: (2^62 + 2^36)^16 + 1 */
    {"30", 32, false},                  /* of 158 bits: taken at some levels */
    {"9223372054034644992", 4, false},  /* composite */
    {"9223372054034644994", 8, false},  /* composite */
    {"9223372054034644992", 12, false}, /* k is no power of two */
};
#define MODULI (sizeof moduli / sizeof *moduli)

/* ---- arrays modulo p ---- */

static void check_mod_arrays(const fmpz_t p, const fmpz_mod_ctx_t ctx, slong len_a, slong len_b,
                             fill how)
{
    const slong n = len_a + len_b - 1, low = n / 2 + 1;
    fmpz *a = _fmpz_vec_init(len_a), *b = _fmpz_vec_init(len_b);
    fmpz *c = _fmpz_vec_init(n), *d = _fmpz_vec_init(n);
    fill_mod(a, len_a, p, how);
    fill_mod(b, len_b, p, how);
    expected_mod(d, a, len_a, b, len_b, p);
#if __FLINT_RELEASE >= 30000
    _fmpz_mod_poly_mul(c, a, len_a, b, len_b, ctx);
#else
    (void)ctx;
    _fmpz_mod_poly_mul(c, a, len_a, b, len_b, p);
#endif
    assert_true(_fmpz_vec_equal(c, d, n));
    fill_mod(c, n, p, UNIFORM);
#if __FLINT_RELEASE >= 30000
    _fmpz_mod_poly_mullow(c, a, len_a, b, len_b, low, ctx);
#else
    _fmpz_mod_poly_mullow(c, a, len_a, b, len_b, p, low);
#endif
    assert_true(_fmpz_vec_equal(c, d, low));
    expected_mod(d, b, len_b, b, len_b, p);
#if __FLINT_RELEASE >= 30000
    _fmpz_mod_poly_sqr(c, b, len_b, ctx);
#else
    _fmpz_mod_poly_sqr(c, b, len_b, p);
#endif
    assert_true(_fmpz_vec_equal(c, d, 2 * len_b - 1));
    _fmpz_vec_clear(a, len_a);
    _fmpz_vec_clear(b, len_b);
    _fmpz_vec_clear(c, n);
    _fmpz_vec_clear(d, n);
}

static void products_modulo_p_equal_kronecker(void **unused)
{
    static const slong lengths[][2] = {{4, 4}, {40, 7}, {100, 100}, {513, 256}, {2100, 30}};
    fmpz_t p;
    (void)unused;
    fmpz_init(p);
    for (size_t m = 0; m < MODULI; m++) {
        fmpz_mod_ctx_t ctx;
        set_modulus(p, moduli[m].radix, moduli[m].k);
        fmpz_mod_ctx_init(ctx, p);
        const long before = lab_count("mod");
        for (size_t i = 0; i < 15; i++) {
            const slong *len = lengths[i / 3];
            check_mod_arrays(p, ctx, len[0], len[1], (fill)(i % 3));
        }
        const bool taken = lab_count("mod") > before, can = is_on() && !has_word("z");
        assert_true(moduli[m].k == 32 ? can || !taken : taken == (moduli[m].ours && can));
        fmpz_mod_ctx_clear(ctx);
    }
    fmpz_clear(p);
}

/* Coefficients that are not below p, or negative: FLINT's own answer. */
static void coefficients_that_are_not_reduced_go_to_flint(void **unused)
{
    fmpz_t p;
    fmpz_mod_ctx_t ctx;
    (void)unused;
    fmpz_init(p);
    set_modulus(p, moduli[0].radix, moduli[0].k);
    fmpz_mod_ctx_init(ctx, p);
    fmpz *a = _fmpz_vec_init(300), *c = _fmpz_vec_init(599), *d = _fmpz_vec_init(599);
    for (int i = 0; i < 3; i++) {
        fill_mod(a, 300, p, UNIFORM);
        if (i == 0) {
            fmpz_set(a + 123, p);
        } else if (i == 1) {
            fmpz_set_si(a + 299, -5);
        } else {
            fmpz_mul(a, p, p);
        }
        const long before = lab_count("mod");
        expected_mod(d, a, 300, a, 300, p);
#if __FLINT_RELEASE >= 30000
        _fmpz_mod_poly_mul(c, a, 300, a, 300, ctx);
#else
        _fmpz_mod_poly_mul(c, a, 300, a, 300, p);
#endif
        assert_int_equal(lab_count("mod"), before);
        assert_true(_fmpz_vec_equal(c, d, 599));
    }
    _fmpz_vec_clear(a, 300);
    _fmpz_vec_clear(c, 599);
    _fmpz_vec_clear(d, 599);
    fmpz_mod_ctx_clear(ctx);
    fmpz_clear(p);
}

/* ---- polynomials ---- */

typedef struct pair {
    fmpz_t p;
    fmpz_mod_ctx_t ctx;
    fmpz_mod_poly_t a, b, c, d;
} pair;

static void set_random(fmpz_mod_poly_t a, slong n, const pair *x)
{
    fmpz_t value;
    fmpz_init(value);
    fmpz_mod_poly_zero(a, x->ctx);
    for (slong i = n; i-- > 0;) {
        fmpz_randm(value, state, x->p);
        fmpz_mod_poly_set_coeff_fmpz(a, i, value, x->ctx);
    }
    fmpz_clear(value);
}

static void flint_begin(pair *x, slong len_a, slong len_b)
{
    fmpz_init(x->p);
    set_modulus(x->p, moduli[0].radix, moduli[0].k);
    fmpz_mod_ctx_init(x->ctx, x->p);
    fmpz_mod_poly_init(x->a, x->ctx);
    fmpz_mod_poly_init(x->b, x->ctx);
    fmpz_mod_poly_init(x->c, x->ctx);
    fmpz_mod_poly_init(x->d, x->ctx);
    set_random(x->a, len_a, x);
    set_random(x->b, len_b, x);
}

static void flint_end(pair *x)
{
    fmpz_mod_poly_clear(x->a, x->ctx);
    fmpz_mod_poly_clear(x->b, x->ctx);
    fmpz_mod_poly_clear(x->c, x->ctx);
    fmpz_mod_poly_clear(x->d, x->ctx);
    fmpz_mod_ctx_clear(x->ctx);
    fmpz_clear(x->p);
}

/* d := a b by the oracle. */
static void set_expected(pair *x)
{
    const slong n = x->a->length + x->b->length - 1;
    fmpz_mod_poly_fit_length(x->d, n, x->ctx);
    expected_mod(x->d->coeffs, x->a->coeffs, x->a->length, x->b->coeffs, x->b->length, x->p);
    _fmpz_mod_poly_set_length(x->d, n);
    _fmpz_mod_poly_normalise(x->d);
}

static void check_product(pair *x)
{
    fmpz_mod_poly_mul(x->c, x->a, x->b, x->ctx);
    assert_true(fmpz_mod_poly_equal(x->c, x->d, x->ctx));
}

static void results_may_be_factors(void **unused)
{
    pair x;
    (void)unused;
    for (int i = 0; i < 3; i++) {
        flint_begin(&x, 200, i == 2 ? 3 : 150);
        set_expected(&x);
        fmpz_mod_poly_struct *to = i == 0 ? x.a : x.b;
        fmpz_mod_poly_mul(to, x.a, x.b, x.ctx);
        assert_true(fmpz_mod_poly_equal(to, x.d, x.ctx));
        fmpz_mod_poly_set(x.b, x.a, x.ctx);
        set_expected(&x);
        fmpz_mod_poly_sqr(x.a, x.a, x.ctx);
        assert_true(fmpz_mod_poly_equal(x.a, x.d, x.ctx));
        fmpz_mod_poly_mullow(x.b, x.a, x.b, 100, x.ctx);
        assert_int_equal(x.b->length, 100);
        flint_end(&x);
    }
}

/* Division, gcd and powering reach the products. */
static void flints_algorithms_take_our_products(void **unused)
{
    pair x;
    fmpz_mod_poly_t q, r;
    (void)unused;
    flint_begin(&x, 1200, 500);
    fmpz_mod_poly_init(q, x.ctx);
    fmpz_mod_poly_init(r, x.ctx);
    long before = lab_count("mod");
    fmpz_mod_poly_divrem(q, r, x.a, x.b, x.ctx);
    assert_int_equal(lab_count("mod") > before, is_on() && !has_word("z"));
    fmpz_mod_poly_set(x.c, x.a, x.ctx);
    fmpz_mod_poly_set(x.a, q, x.ctx);
    set_expected(&x); /* q b */
    fmpz_mod_poly_add(x.d, x.d, r, x.ctx);
    assert_true(fmpz_mod_poly_equal(x.d, x.c, x.ctx));

    before = lab_count("mod");
    fmpz_mod_poly_powmod_ui_binexp(q, r, 1000, x.b, x.ctx);
    assert_int_equal(lab_count("mod") > before, is_on() && !has_word("z"));
    fmpz_mod_poly_powmod_ui_binexp(x.c, r, 500, x.b, x.ctx);
    fmpz_mod_poly_set(x.a, x.c, x.ctx);
    fmpz_mod_poly_set(r, x.b, x.ctx);
    fmpz_mod_poly_set(x.b, x.c, x.ctx);
    set_expected(&x); /* the square of the power 500 */
    fmpz_mod_poly_rem(x.d, x.d, r, x.ctx);
    assert_true(fmpz_mod_poly_equal(x.d, q, x.ctx));
    fmpz_mod_poly_clear(q, x.ctx);
    fmpz_mod_poly_clear(r, x.ctx);
    flint_end(&x);
}

/* ---- over Z ---- */

static void check_z(slong len_a, slong len_b, flint_bitcnt_t bits, fill how)
{
    const slong n = len_a + len_b - 1, low = len_a;
    fmpz *a = _fmpz_vec_init(len_a), *b = _fmpz_vec_init(len_b);
    fmpz *c = _fmpz_vec_init(2 * len_a - 1), *d = _fmpz_vec_init(2 * len_a - 1);
    fill_z(a, len_a, bits, how);
    fill_z(b, len_b, bits, how);
    expected_z(d, a, len_a, b, len_b);
    _fmpz_poly_mul(c, a, len_a, b, len_b);
    assert_true(_fmpz_vec_equal(c, d, n));
    fill_z(c, n, 70, UNIFORM);
    _fmpz_poly_mullow(c, a, len_a, b, len_b, low);
    assert_true(_fmpz_vec_equal(c, d, low));
    expected_z(d, a, len_a, a, len_a);
    _fmpz_poly_sqr(c, a, len_a);
    assert_true(_fmpz_vec_equal(c, d, 2 * len_a - 1));
    fill_z(c, n, 70, UNIFORM);
    _fmpz_poly_sqrlow(c, a, len_a, low);
    assert_true(_fmpz_vec_equal(c, d, low));
    _fmpz_vec_clear(a, len_a);
    _fmpz_vec_clear(b, len_b);
    _fmpz_vec_clear(c, 2 * len_a - 1);
    _fmpz_vec_clear(d, 2 * len_a - 1);
}

static void products_over_z_equal_kronecker(void **unused)
{
    static const flint_bitcnt_t bits[] = {1, 30, 62, 63, 64, 250, 1000};
    (void)unused;
    const long before = lab_count("z");
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        for (int how = 0; how < FILLS; how++) {
            check_z(16, 16, bits[i], (fill)how);
            check_z(400, 400, bits[i], (fill)how);
            check_z(900, 70, bits[i], (fill)how);
        }
    }
    assert_int_equal(lab_count("z") > before, is_on() && !has_word("mod"));
}

/* ---- short operands ---- */

/* n coefficients of exactly these bits. */
static void fill_bits(fmpz *x, slong n, flint_bitcnt_t bits)
{
    for (slong i = 0; i < n; i++) {
        fmpz_set_ui(x + i, (ulong)(1 + i % 97));
        fmpz_setbit(x + i, bits - 1);
    }
}

static void multiply_bits(const fmpz_mod_ctx_t ctx, slong n, flint_bitcnt_t bits_a,
                          flint_bitcnt_t bits_b)
{
    fmpz_mod_poly_t a, b, c;
    fmpz_mod_poly_init2(a, n, ctx);
    fmpz_mod_poly_init2(b, n, ctx);
    fmpz_mod_poly_init(c, ctx);
    fill_bits(a->coeffs, n, bits_a);
    fill_bits(b->coeffs, n, bits_b);
    _fmpz_mod_poly_set_length(a, n);
    _fmpz_mod_poly_set_length(b, n);
    fmpz_mod_poly_mul(c, a, b, ctx);
    fmpz_mod_poly_clear(a, ctx);
    fmpz_mod_poly_clear(b, ctx);
    fmpz_mod_poly_clear(c, ctx);
}

static long counted_mod(void)
{
    return lab_count("mod") + lab_count("mod_passed");
}

static long counted_z(void)
{
    return lab_count("z") + lab_count("z_passed");
}

/* FLINT multiplies short coefficients fast, and long ones slowly. */
static void short_coefficients_are_flints(void **unused)
{
    fmpz_t p;
    fmpz_mod_ctx_t ctx;
    (void)unused;
    fmpz_init(p);
    for (int i = 0; i < 2; i++) {
        const char *radix = i == 0 ? "9223372054034644992" : "4611686087146864640";
        set_modulus(p, radix, i == 0 ? 8 : 16);
        const flint_bitcnt_t all = fmpz_bits(p);
        fmpz_mod_ctx_init(ctx, p);
        for (int j = 0; j < 50; j++) { /* until there is a field */
            multiply_bits(ctx, 100, all - 1, all - 1);
        }
        const long counted = counted_mod() + counted_z();
        multiply_bits(ctx, 4, 7, 7);
        multiply_bits(ctx, 16, 60, 60);
        multiply_bits(ctx, 64, 7, 7);
        multiply_bits(ctx, 4, all / 2 + 4, all / 2 + 4); /* conversions alone take longer */
        assert_int_equal(counted_mod() + counted_z(), counted);
        const long before = lab_count("mod");
        for (slong n = 4; n <= 256; n *= 2) {
            multiply_bits(ctx, n, 7, 7);
            multiply_bits(ctx, n, 60, 7);
        }
        multiply_bits(ctx, 4, all / 4, all / 4);
        assert_int_equal(lab_count("mod"), before);
        const long over_z = counted_z();
        multiply_bits(ctx, 256, all / 4, all / 4); /* p does not reduce: FLINT multiplies over Z */
        assert_int_equal(lab_count("mod"), before);
        assert_int_equal(counted_z() > over_z, is_on() && !has_word("mod"));
        multiply_bits(ctx, 64, all - 1, all - 1);
        assert_int_equal(lab_count("mod") > before, is_on() && !has_word("z"));
        fmpz_mod_ctx_clear(ctx);
    }
    fmpz_clear(p);
}

/* Over Z 16 terms of 40,000 bits take as long here as in FLINT, which keeps them; with 1000 bits
 * gfpoly is faster. */
static void long_integers_are_flints(void **unused)
{
    (void)unused;
    const long before = lab_count("z");
    for (int i = 0; i < 4; i++) {
        const slong n = i < 2 ? 16 : 128;
        const flint_bitcnt_t bits = i % 2 == 0 ? 40000 : 1000;
        fmpz *a = _fmpz_vec_init(n), *c = _fmpz_vec_init(2 * n - 1);
        const long last = lab_count("z");
        fill_bits(a, n, bits);
        _fmpz_poly_sqr(c, a, n);
        if (bits == 40000 && n == 16) {
            assert_int_equal(lab_count("z"), last);
        }
        _fmpz_vec_clear(a, n);
        _fmpz_vec_clear(c, 2 * n - 1);
    }
    assert_int_equal(lab_count("z") > before, is_on() && !has_word("mod"));
}

/* ---- signals ---- */

static void multiply_pair(void *user)
{
    pair *x = user;
    fmpz_mod_poly_mul(x->c, x->a, x->b, x->ctx);
}

static void spoil_pair(void *user)
{
    pair *x = user;
    for (slong i = 0; i < x->c->length; i++) {
        fmpz_sub_ui(x->c->coeffs + i, x->p, 1 + (ulong)i);
    }
}

static bool pair_is_right(void *user)
{
    const pair *x = user;
    return fmpz_mod_poly_equal(x->c, x->d, x->ctx) != 0;
}

/* Whether the library computes alone: FLINT's own code does not survive jumps out of malloc, nor do
 * AddressSanitizer's records of stacks and threads. */
static bool takes_alone(void)
{
    return is_on() && !has_word("z") && !has_word("verify") && !SANITIZED;
}

/* FLINT's threads take signals of the process unless they inherit a mask; a handler that jumps must
 * not run there. */
static void set_threads(int threads)
{
    sigset_t all, before;
    sigfillset(&all);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &all, &before), 0);
    flint_set_num_threads(threads);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
}

static signal_work begin_work(pair *x, slong len_a, slong len_b)
{
    const signal_work w = {multiply_pair, spoil_pair, pair_is_right, x, "mod"};
    flint_begin(x, len_a, len_b);
    for (int i = 0; i < 3; i++) { /* makes the field */
        multiply_pair(x);
    }
    set_expected(x);
    check_work(&w);
    return w;
}

static void handlers_run_as_without_the_library(void **unused)
{
    pair x;
    (void)unused;
    if (!is_on() || has_word("z")) {
        skip();
    }
    const signal_work w = begin_work(&x, 700, 700);
    check_one_shot_handlers(&w);
    check_information(&w);
    check_handlers_stay(&w);
    flint_end(&x);
}

static void handlers_may_jump_out_of_products(void **unused)
{
    pair x;
    (void)unused;
    if (!takes_alone()) {
        skip();
    }
    const signal_work w = begin_work(&x, 700, 700);
    check_jump_of_each_signal(&w);
    check_many_jumps(&w, 2, JUMP_BYTES);
    flint_end(&x);
}

/* Several threads compute, and all signals are the host's. */
static void handlers_may_jump_out_of_products_by_threads(void **unused)
{
    static const int threads[] = {2, 8};
    pair x;
    (void)unused;
    if (!takes_alone()) {
        skip();
    }
    for (int i = 0; i < 2; i++) {
        const signal_work w = begin_work(&x, 20000, 20000);
        set_threads(threads[i]);
        check_one_shot_handlers(&w);
        check_handlers_stay(&w);
        check_jump_of_each_signal(&w);
        check_many_jumps(&w, 2, JUMP_BYTES_BY_THREADS);
        flint_set_num_threads(1);
        flint_end(&x);
    }
}

static void handlers_may_compute(void **unused)
{
    pair x, y;
    (void)unused;
    if (!takes_alone()) {
        skip();
    }
    const signal_work inner = begin_work(&y, 300, 300);
    const signal_work w = begin_work(&x, 700, 700);
    check_handlers_that_compute(&w, &inner, 1);
    flint_end(&x);
    const signal_work long_one = begin_work(&x, 20000, 20000);
    set_threads(8);
    check_handlers_that_compute(&long_one, &inner, 1);
    flint_set_num_threads(1);
    flint_end(&x);
    flint_end(&y);
}

static void handlers_of_threads_may_jump(void **unused)
{
    enum { THREADS = 3 };
    pair x[THREADS];
    signal_work w[THREADS];
    (void)unused;
    if (!takes_alone()) {
        skip();
    }
    for (int i = 0; i < THREADS; i++) {
        w[i] = begin_work(&x[i], 700 - i, 700);
    }
    check_jumps_of_threads(w, THREADS, 1);
    for (int i = 0; i < THREADS; i++) {
        check_work(&w[i]);
        flint_end(&x[i]);
    }
}

/* ---- signals over Z ---- */

typedef struct z_pair {
    slong n;
    fmpz *a, *b, *c, *d;
} z_pair;

static void multiply_z(void *user)
{
    const z_pair *x = user;
    _fmpz_poly_mul(x->c, x->a, x->n, x->b, x->n);
}

static void spoil_z(void *user)
{
    const z_pair *x = user;
    _fmpz_vec_neg(x->c, x->c, 2 * x->n - 1);
}

static bool z_is_right(void *user)
{
    const z_pair *x = user;
    return _fmpz_vec_equal(x->c, x->d, 2 * x->n - 1) != 0;
}

static void check_jumps_over_z(slong n, int threads, size_t bytes)
{
    z_pair x = {.n = n, .a = _fmpz_vec_init(n), .b = _fmpz_vec_init(n)};
    const signal_work w = {multiply_z, spoil_z, z_is_right, &x, "z"};
    x.c = _fmpz_vec_init(2 * n - 1);
    x.d = _fmpz_vec_init(2 * n - 1);
    fill_z(x.a, n, 250, GREATEST);
    fill_z(x.b, n, 250, GREATEST);
    expected_z(x.d, x.a, n, x.b, n);
    multiply_z(&x);
    set_threads(threads);
    check_one_shot_handlers(&w);
    check_handlers_stay(&w);
    check_jump_of_each_signal(&w);
    check_many_jumps(&w, 1, bytes);
    flint_set_num_threads(1);
    _fmpz_vec_clear(x.a, n);
    _fmpz_vec_clear(x.b, n);
    _fmpz_vec_clear(x.c, 2 * n - 1);
    _fmpz_vec_clear(x.d, 2 * n - 1);
}

static void handlers_may_jump_out_of_products_over_z(void **unused)
{
    (void)unused;
    if (!is_on() || has_word("mod") || has_word("verify") || SANITIZED) {
        skip();
    }
    check_jumps_over_z(600, 1, JUMP_BYTES);
    check_jumps_over_z(8000, 8, JUMP_BYTES_BY_THREADS);
}

/* ---- processes, threads ---- */

static void *multiply_often(void *user)
{
    const pair *x = user;
    fmpz_mod_poly_t c;
    bool equal = true;
    fmpz_mod_poly_init(c, x->ctx);
    for (int i = 0; i < 100; i++) {
        fmpz_mod_poly_mul(c, x->a, x->b, x->ctx);
        equal = equal && fmpz_mod_poly_equal(c, x->d, x->ctx);
    }
    fmpz_mod_poly_clear(c, x->ctx);
    flint_cleanup();
    return equal ? NULL : user;
}

static void threads_and_forks_multiply(void **unused)
{
    pair x;
    (void)unused;
    flint_begin(&x, 300, 280);
    set_expected(&x);
    check_threads_and_children(multiply_often, &x, is_on());
    flint_end(&x);
}

static void as_many_threads_as_flint_has(void **unused)
{
    pair x;
    (void)unused;
    flint_begin(&x, 20000, 20000);
    fmpz_mod_poly_mul(x.c, x.a, x.b, x.ctx);
    fmpz_mod_poly_set(x.d, x.c, x.ctx);
    flint_set_num_threads(3);
    check_product(&x);
    flint_set_num_threads(1);
    flint_end(&x);
}

/* ---- the counters ---- */

static void counters_have_names(void **unused)
{
    (void)unused;
    assert_int_equal(lab_count("nothing"), -1);
    assert_int_equal(lab_count(NULL), -1);
    assert_int_equal(lab_count("flints"), 1);
    assert_int_equal(lab_count("wrong"), 0);
    assert_int_equal(lab_count("verified") > 0, has_word("verify"));
}

static int begin_state(void **unused)
{
    (void)unused;
#if __FLINT_RELEASE >= 30200
    flint_rand_init(state);
#else
    flint_randinit(state);
#endif
    return 0;
}

/* The argument: which tests run. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_modulo_p_equal_kronecker),
        cmocka_unit_test(coefficients_that_are_not_reduced_go_to_flint),
        cmocka_unit_test(results_may_be_factors),
        cmocka_unit_test(flints_algorithms_take_our_products),
        cmocka_unit_test(products_over_z_equal_kronecker),
        cmocka_unit_test(handlers_run_as_without_the_library),
        cmocka_unit_test(handlers_may_jump_out_of_products),
        cmocka_unit_test(handlers_may_jump_out_of_products_by_threads),
        cmocka_unit_test(handlers_may_compute),
        cmocka_unit_test(handlers_of_threads_may_jump),
        cmocka_unit_test(handlers_may_jump_out_of_products_over_z),
        cmocka_unit_test(short_coefficients_are_flints),
        cmocka_unit_test(long_integers_are_flints),
        cmocka_unit_test(threads_and_forks_multiply),
        cmocka_unit_test(as_many_threads_as_flint_has),
        cmocka_unit_test(counters_have_names),
    };
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests(tests, begin_state, NULL);
}
