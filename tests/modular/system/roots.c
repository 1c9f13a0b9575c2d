/* roots.c: real roots of polynomials over Z: known roots, exact ones, close ones, none;
 * numbers of roots by Sturm's sequences of FLINT; refinement; values on intervals.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/lab.h"

#include "lab/sanitized.h"
#include "modular/system/roots.h"

#if GFP_HAVE_FLINT
#include "lab/flint_mpz.h"
#endif

/* low, high := the ends of the interval of T. */
static void interval_of(mpq_t low, mpq_t high, const gfp_zroot *root)
{
    mpz_set(mpq_numref(low), root->c);
    mpz_set(mpq_numref(high), root->c);
    if (!root->exact) {
        mpz_add_ui(mpq_numref(high), mpq_numref(high), 1);
    }
    for (size_t i = 0; i < 2; i++) {
        mpq_ptr z = i == 0 ? low : high;
        mpz_set_ui(mpq_denref(z), 1);
        mpz_mul_2exp(mpq_denref(z), mpq_denref(z), root->e);
        mpq_canonicalize(z);
    }
    if (root->side.reversed) {
        if (mpq_sgn(low) == 0) { /* 1 / 0: far away */
            mpq_set_ui(low, 1, 1);
            mpq_div_2exp(low, low, 4096);
        }
        mpq_inv(low, low);
        mpq_inv(high, high);
        mpq_swap(low, high);
    }
    if (root->side.negative) {
        mpq_neg(low, low);
        mpq_neg(high, high);
        mpq_swap(low, high);
    }
}

static int sign_at(zlab f, const mpq_t x)
{
    mpq_t z, c;
    mpq_inits(z, c, NULL);
    for (size_t i = f.len; i-- > 0;) {
        mpq_mul(z, z, x);
        mpq_set_z(c, f.c[i]);
        mpq_add(z, z, c);
    }
    const int sign = mpq_sgn(z);
    mpq_clears(z, c, NULL);
    return sign;
}

static size_t roots_sturm(zlab f)
{
#if GFP_HAVE_FLINT
    fmpz_poly_t z;
    fmpz_poly_init(z);
    for (size_t i = 0; i < f.len; i++) {
        set_coefficient_mpz(z, i, f.c[i]);
    }
    const slong n = fmpz_poly_num_real_roots(z);
    fmpz_poly_clear(z);
    return (size_t)n;
#else
    (void)f;
    return SIZE_MAX;
#endif
}

/* Each interval has a change of sign, or is a root; no two have a common inner point. */
static void expect_intervals(const gfp_zroots *roots, zlab f)
{
    mpq_t low, high, low_j, high_j;
    mpq_inits(low, high, low_j, high_j, NULL);
    for (size_t i = 0; i < roots->count; i++) {
        const gfp_zroot *root = &roots->root[i];
        interval_of(low, high, root);
        if (root->exact) {
            assert_int_equal(sign_at(f, low), 0);
        } else {
            /* Ends may be other roots; the left one of v is the right one of T if just one of both
             * changes of side is there. */
            const int a = sign_at(f, low), b = sign_at(f, high);
            assert_true(a * b < 0 || a == 0 || b == 0);
        }
        for (size_t j = 0; j < i; j++) {
            interval_of(low_j, high_j, &roots->root[j]);
            if (root->exact && roots->root[j].exact) {
                assert_true(mpq_cmp(low, low_j) != 0);
            } else {
                assert_true(mpq_cmp(high, low_j) <= 0 || mpq_cmp(high_j, low) <= 0);
            }
        }
    }
    mpq_clears(low, high, low_j, high_j, NULL);
}

/* Finds all roots, `expected` of them unless that is SIZE_MAX, and refines them. */
static void roots_check(zlab f, size_t expected, const char *what)
{
    gfp_zcall call;
    gfp_zvec z;
    gfp_zroots roots = {.ring = ring};
    const size_t by_sturm = roots_sturm(f);
    gfp_zvec_init(&z, ring);
    zlab_set(&z, f);
    assert_int_equal(zlab_call_begin(&call, "test", ring, NULL), GFP_OK);
    assert_int_equal(gfp_zroots_isolate(&call, &roots, &z, 7, NULL), GFP_OK);
    expected = expected == SIZE_MAX ? by_sturm : expected;
    if ((expected != SIZE_MAX && roots.count != expected) ||
        (by_sturm != SIZE_MAX && roots.count != by_sturm)) {
        fail_msg("%s: %zu roots, not %zu", what, roots.count, expected);
    }
    expect_intervals(&roots, f);
    for (size_t bits = 20; bits <= 700; bits = bits * 3 + 1) {
        for (size_t i = 0; i < roots.count; i++) {
            gfp_zroot *root = &roots.root[i];
            assert_int_equal(root->part, 7);
            assert_int_equal(gfp_zroots_refine(&call, root, &z, bits), GFP_OK);
            assert_true(root->exact || root->e >= bits);
        }
        expect_intervals(&roots, f);
    }
    gfp_zroots_clear(&roots);
    assert_int_equal(gfp_call_end(&call.base, GFP_OK), GFP_OK);
    gfp_zvec_clear(&z);
}

/* f := f times a X - b. */
static void times_linear(zlab *f, long a, long b)
{
    zlab g = zlab_new(2), z;
    mpz_set_si(g.c[0], -b);
    mpz_set_si(g.c[1], a);
    z = zlab_product(*f, g);
    zlab_free(&g);
    zlab_free(f);
    *f = z;
}

static zlab roots_unit(void)
{
    zlab f = zlab_new(1);
    mpz_set_ui(f.c[0], 1);
    return f;
}

static void integers_and_fractions(void **state)
{
    (void)state;
    for (long n = 1; n <= 20; n += 3) {
        zlab f = roots_unit(), g = roots_unit(), h = roots_unit();
        for (long i = 0; i < n; i++) {
            times_linear(&f, 1, i);                         /* 0, 1, ... */
            times_linear(&g, 1L << i, i % 2 == 0 ? 1 : -1); /* 1, -1/2, 1/4, ... */
            times_linear(&h, 3 * i + 1, 2 * i - 9);
        }
        roots_check(f, (size_t)n, "integers");
        roots_check(g, (size_t)n, "powers of two");
        roots_check(h, (size_t)n, "fractions");
        zlab_free(&f);
        zlab_free(&g);
        zlab_free(&h);
    }
}

/* X^n - 2 (a X - 1)^2: two roots that are very close; X^n - (a X^2 - 1)^2: two pairs. */
static void close_roots(void **state)
{
    (void)state;
    for (size_t n = 5; n <= (SANITIZED ? 21 : 61); n += 8) {
        for (unsigned long a = 3; a < 2000; a = a * a) {
            zlab f = zlab_new(n + 1), g = zlab_new(n + 1);
            mpz_set_ui(f.c[n], 1);
            mpz_set_si(f.c[0], -2);
            mpz_set_ui(f.c[1], 4 * a);
            mpz_set_ui(f.c[2], 2 * a * a);
            mpz_neg(f.c[2], f.c[2]);
            roots_check(f, SIZE_MAX, "close");
            mpz_set_ui(g.c[n], 1);
            mpz_set_si(g.c[0], -1);
            mpz_set_ui(g.c[2], 2 * a);
            mpz_set_ui(g.c[4], a * a);
            mpz_neg(g.c[4], g.c[4]);
            roots_check(g, SIZE_MAX, "pairs");
            zlab_free(&f);
            zlab_free(&g);
        }
    }
}

static void random_polynomials(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 4);
    for (size_t trial = 0; trial < (SANITIZED ? 40 : 300); trial++) {
        const size_t len = 2 + gfp_random_below(&g, trial % 10 == 0 ? 60 : 15);
        zlab f = zlab_random(len, 1 + gfp_random_below(&g, 90), 1 + trial % 3, &g);
#if GFP_HAVE_FLINT
        fmpz_poly_t z; /* without multiple roots */
        fmpz_poly_init(z);
        for (size_t i = 0; i < len; i++) {
            set_coefficient_mpz(z, i, f.c[i]);
        }
        const bool simple = fmpz_poly_is_squarefree(z);
        fmpz_poly_clear(z);
        if (simple) {
            roots_check(f, SIZE_MAX, "random");
        }
#endif
        zlab_free(&f);
    }
}

/* Huge, tiny and no roots. */
static void sizes_of_roots(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < 900; shift += 299) {
        zlab f = zlab_new(4), g = zlab_new(4), h = zlab_new(5);
        mpz_set_si(f.c[0], -3); /* 3 / 2^shift, cubic root */
        mpz_set_ui(f.c[3], 1);
        mpz_mul_2exp(f.c[3], f.c[3], shift);
        mpz_set_ui(g.c[3], 1);
        mpz_set_ui(g.c[0], 5);
        mpz_mul_2exp(g.c[0], g.c[0], shift);
        mpz_set_ui(h.c[0], 7);
        mpz_set_ui(h.c[2], 1);
        mpz_mul_2exp(h.c[2], h.c[2], shift);
        mpz_set_ui(h.c[4], 1);
        roots_check(f, 1, "tiny");
        roots_check(g, 1, "huge");
        roots_check(h, 0, "none");
        zlab_free(&f);
        zlab_free(&g);
        zlab_free(&h);
    }
}

/* Values at ends and inside are in the range. */
static void ranges_contain_values(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 5);
    for (size_t trial = 0; trial < 200; trial++) {
        const size_t n = 1 + gfp_random_below(&g, 12), more = gfp_random_below(&g, 3);
        zlab f = zlab_random(n + 1, 40, 1, &g);
        gfp_zvec z;
        gfp_zroot root = {.e = 1 + gfp_random_below(&g, 30),
                          .side = {trial % 2 == 1, trial / 2 % 2 == 1},
                          .exact = trial % 5 == 0};
        gfp_zrange range;
        mpq_t v, value, bound, c;
        const ptrdiff_t p = (ptrdiff_t)gfp_random_below(&g, 100) - 30;
        gfp_zvec_init(&z, ring);
        zlab_set(&z, f);
        mpz_inits(root.c, root.d, range.low, range.high, NULL);
        mpq_inits(v, value, bound, c, NULL);
        mpz_set_ui(root.c, gfp_random_below(&g, (uint64_t)1 << root.e));
        gfp_zroots_range(&range, &root, &z, n + more, p);
        for (unsigned i = 0; i <= (root.exact ? 0 : 4); i++) {
            mpz_set(mpq_numref(v), root.c);
            mpz_mul_2exp(mpq_numref(v), mpq_numref(v), 2);
            mpz_add_ui(mpq_numref(v), mpq_numref(v), i);
            mpz_set_ui(mpq_denref(v), 1);
            mpz_mul_2exp(mpq_denref(v), mpq_denref(v), root.e + 2);
            mpq_canonicalize(v);
            mpq_set_ui(value, 0, 1);
            for (size_t k = n + more + 1; k-- > 0;) {
                const size_t at = root.side.reversed ? n + more - k : k;
                mpq_mul(value, value, v);
                mpq_set_ui(c, 0, 1);
                if (at <= n) {
                    mpz_set(mpq_numref(c), f.c[at]);
                }
                if (root.side.negative && at % 2 == 1) {
                    mpq_neg(c, c);
                }
                mpq_add(value, value, c);
            }
            if (p >= 0) {
                mpq_mul_2exp(value, value, (mp_bitcnt_t)p);
            } else {
                mpq_div_2exp(value, value, (mp_bitcnt_t)-p);
            }
            mpq_set_z(bound, range.low);
            assert_true(mpq_cmp(bound, value) <= 0);
            mpq_set_z(bound, range.high);
            assert_true(mpq_cmp(bound, value) >= 0);
        }
        mpz_clears(root.c, root.d, range.low, range.high, NULL);
        mpq_clears(v, value, bound, c, NULL);
        gfp_zvec_clear(&z);
        zlab_free(&f);
    }
}

/* Finds a number of rational roots c / d; f = rest prod (d X - c). */
static void expect_split(zlab f, size_t expected)
{
    gfp_zcall call;
    gfp_zvec z, rest;
    gfp_zroots roots = {.ring = ring};
    gfp_zvec_init(&z, ring);
    gfp_zvec_init(&rest, ring);
    zlab_set(&z, f);
    assert_int_equal(zlab_call_begin(&call, "test", ring, NULL), GFP_OK);
    assert_int_equal(gfp_zroots_split(&call, &roots, &rest, &z, 3), GFP_OK);
    assert_int_equal(roots.count, expected);
    assert_int_equal(rest.len, f.len - expected);
    zlab g = zlab_of(&rest);
    for (size_t i = 0; i < roots.count; i++) {
        assert_int_equal(roots.root[i].part, 3);
        assert_true(roots.root[i].exact);
        times_linear(&g, mpz_get_si(roots.root[i].d), mpz_get_si(roots.root[i].c));
    }
    zlab_set(&rest, g);
    assert_true(gfp_zvec_equal(&rest, &z));
    gfp_zroots_clear(&roots);
    assert_int_equal(gfp_call_end(&call.base, GFP_OK), GFP_OK);
    gfp_zvec_clear(&z);
    gfp_zvec_clear(&rest);
    zlab_free(&g);
}

/* 4099 is the first prime that is taken. */
static void rational_roots_are_split(void **state)
{
    (void)state;
    for (unsigned trial = 0; trial < 4; trial++) {
        zlab f = roots_unit(), g = zlab_new(5);
        for (long i = 0; i < 20; i++) {
            times_linear(&f, trial % 2 == 0 ? 1 : 3 * i + 1, trial % 2 == 0 ? 7 * i : 2 * i - 9);
        }
        if (trial >= 2) {
            times_linear(&f, 4099, 1);
            times_linear(&f, 1, 1000003);
            times_linear(&f, 1, -1000001);
        }
        expect_split(f, trial >= 2 ? 23 : 20);
        mpz_set_si(g.c[0], 1);
        mpz_set_si(g.c[2], -10);
        mpz_set_si(g.c[4], 3);
        zlab all = zlab_product(f, g);
        expect_split(all, trial >= 2 ? 23 : 20);
        zlab_free(&all);
        zlab_free(&f);
        zlab_free(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_and_fractions), cmocka_unit_test(close_roots),
        cmocka_unit_test(random_polynomials),     cmocka_unit_test(sizes_of_roots),
        cmocka_unit_test(ranges_contain_values),  cmocka_unit_test(rational_roots_are_split),
    };
    return cmocka_run_group_tests(tests, zlab_setup, zlab_teardown);
}
