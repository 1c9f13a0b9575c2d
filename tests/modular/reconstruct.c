/* reconstruct.c: rational numbers from residues against the definition for all small moduli,
 * against FLINT, and as vectors with a common denominator; extreme quotients; caps, failing
 * allocations, cancellation.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>

#include "modular/lab.h"

#if GFP_HAVE_FLINT
#include <flint/fmpq.h>
#endif

/* Vectors of a call, with mpz around it. */
typedef struct lab {
    gfp_zvec num, den, a, m, max_num, max_den;
} lab;

static void vectors_of(lab *v, gfp_zvec *at[6])
{
    gfp_zvec *const all[] = {&v->num, &v->den, &v->a, &v->m, &v->max_num, &v->max_den};
    memcpy(at, all, sizeof all);
}

static void lab_init(lab *v, gfp_zring *over)
{
    gfp_zvec *at[6];
    vectors_of(v, at);
    for (size_t i = 0; i < 6; i++) {
        gfp_zvec_init(at[i], over);
    }
}

static void lab_clear(lab *v)
{
    gfp_zvec *at[6];
    vectors_of(v, at);
    for (size_t i = 0; i < 6; i++) {
        gfp_zvec_clear(at[i]);
    }
}

static void reconstruct_set(gfp_zvec *z, const mpz_t x)
{
    assert_int_equal(gfp_zvec_set_mpz(z, x, 1), GFP_OK);
}

static void reconstruct_get(mpz_t x, const gfp_zvec *a)
{
    mpz_set_ui(x, 0);
    assert_true(a->len <= 1);
    if (a->len == 1) {
        gfp_zvec_get_mpz(x, a);
    }
}

/* n / d := the fraction; returns the status. */
static gfp_status reconstruct_one(mpz_t n, mpz_t d, const mpz_t a, const mpz_t m,
                                  const mpz_t most_num, const mpz_t most_den)
{
    lab v;
    lab_init(&v, ring);
    reconstruct_set(&v.a, a);
    reconstruct_set(&v.m, m);
    reconstruct_set(&v.max_num, most_num);
    reconstruct_set(&v.max_den, most_den);
    const gfp_status status =
        gfp_zvec_reconstruct(&v.num, &v.den, &v.a, &v.m, &v.max_num, &v.max_den, NULL);
    reconstruct_get(n, &v.num);
    reconstruct_get(d, &v.den);
    lab_clear(&v);
    return status;
}

static long reconstruct_gcd(long a, long b)
{
    return b == 0 ? labs(a) : reconstruct_gcd(b, a % b);
}

/* The fraction by trying all denominators; returns whether it exists. */
static bool by_definition(long *n, long *d, long a, long m, long most_num, long most_den)
{
    for (*d = 1; *d <= most_den; (*d)++) {
        for (*n = -most_num; *n <= most_num; (*n)++) {
            if ((*d * a - *n) % m == 0 && reconstruct_gcd(*n, *d) == 1) {
                return true;
            }
        }
    }
    return false;
}

static void all_small_moduli(void **state)
{
    mpz_t a, m, n, d, most_num, most_den;
    size_t found = 0, none = 0;
    (void)state;
    mpz_inits(a, m, n, d, most_num, most_den, NULL);
    for (long of_m = 1; of_m < 38; of_m++) {
        for (long most = 0; most < of_m; most++) {
            for (long denominators = 1; 2 * most * denominators < of_m && denominators <= of_m;
                 denominators++) {
                for (long of_a = -1; of_a <= of_m; of_a++) {
                    long x, y;
                    mpz_set_si(a, of_a);
                    mpz_set_si(m, of_m);
                    mpz_set_si(most_num, most);
                    mpz_set_si(most_den, denominators);
                    const gfp_status status = reconstruct_one(n, d, a, m, most_num, most_den);
                    if (by_definition(&x, &y, of_a, of_m, most, denominators)) {
                        assert_int_equal(status, GFP_OK);
                        assert_int_equal(mpz_get_si(n), x);
                        assert_int_equal(mpz_get_si(d), y);
                        found++;
                    } else {
                        assert_int_equal(status, GFP_ERR_NOT_INVERTIBLE);
                        none++;
                    }
                }
            }
        }
    }
    assert_true(found > 1000 && none > 1000);
    mpz_clears(a, m, n, d, most_num, most_den, NULL);
}

/* x := a natural number of exactly this number of bits. */
static void reconstruct_natural(mpz_t x, size_t bits, gfp_random *g)
{
    zlab_number(x, bits, g);
    mpz_abs(x, x);
    if (bits > 0) {
        mpz_setbit(x, bits - 1);
    }
}

/* a := n / d modulo m, d prime to m. */
static void reconstruct_residue(mpz_t a, const mpz_t n, const mpz_t d, const mpz_t m)
{
    assert_true(mpz_invert(a, d, m) != 0 || mpz_cmp_ui(m, 1) == 0);
    mpz_mul(a, a, n);
    mpz_mod(a, a, m);
}

/* Fractions of all sizes come back; m is the least modulus that makes them unique, and some more.
 */
static void fractions_come_back(void **state)
{
    gfp_random g;
    mpz_t a, m, n, d, x, y;
    (void)state;
    gfp_random_seed(&g, 1);
    mpz_inits(a, m, n, d, x, y, NULL);
    for (size_t trial = 0; trial < 1500; trial++) {
        const size_t size = trial % 10 == 0 ? 3000 : 300;
        reconstruct_natural(n, gfp_random_below(&g, size), &g);
        reconstruct_natural(d, 1 + gfp_random_below(&g, size), &g);
        mpz_gcd(x, n, d);
        mpz_divexact(n, n, x);
        mpz_divexact(d, d, x);
        mpz_mul(m, n, d);
        mpz_mul_2exp(m, m, 1);
        mpz_add_ui(m, m, 1 + (trial % 3 == 0 ? gfp_random_below(&g, 1000) : 0));
        for (mpz_gcd(x, m, d); mpz_cmp_ui(x, 1) != 0; mpz_gcd(x, m, d)) {
            mpz_add_ui(m, m, 1);
        }
        const bool negative = trial % 2 == 1;
        if (negative) {
            mpz_neg(n, n);
        }
        reconstruct_residue(a, n, d, m);
        if (trial % 5 == 0) {
            mpz_sub(a, a, m);
        }
        mpz_abs(x, n);
        assert_int_equal(reconstruct_one(x, y, a, m, x, d), GFP_OK);
        assert_int_equal(mpz_cmp(x, n), 0);
        assert_int_equal(mpz_cmp(y, d), 0);
        /* One less in a bound: none, as there is no other. */
        mpz_abs(x, n);
        mpz_sub_ui(d, d, 1);
        if (mpz_sgn(d) > 0) {
            assert_int_equal(reconstruct_one(x, y, a, m, x, d), GFP_ERR_NOT_INVERTIBLE);
        }
        mpz_add_ui(d, d, 1);
        mpz_abs(x, n);
        if (mpz_sgn(x) > 0) {
            mpz_sub_ui(x, x, 1);
            assert_int_equal(reconstruct_one(x, y, a, m, x, d), GFP_ERR_NOT_INVERTIBLE);
        }
    }
    mpz_clears(a, m, n, d, x, y, NULL);
}

/* n / d := r / t for the first remainder r <= most_num, by divisions alone; returns whether that is
 * a fraction within the bounds. */
static bool by_divisions(mpz_t n, mpz_t d, const mpz_t a, const mpz_t m, const mpz_t most_num,
                         const mpz_t most_den)
{
    mpz_t r, t, q;
    mpz_init_set(r, m);
    mpz_init(t);
    mpz_init(q);
    mpz_mod(n, a, m);
    mpz_set_ui(d, 1);
    while (mpz_cmp(n, most_num) > 0) {
        mpz_fdiv_qr(q, r, r, n);
        mpz_swap(r, n);
        mpz_submul(t, q, d);
        mpz_swap(t, d);
    }
    if (mpz_sgn(d) < 0) {
        mpz_neg(n, n);
        mpz_neg(d, d);
    }
    mpz_gcd(q, n, d);
    const bool good = mpz_cmp_ui(q, 1) == 0 && mpz_cmp(d, most_den) <= 0;
    mpz_clears(r, t, q, NULL);
    return good;
}

/* m and a := numbers of at least `bits` bits whose quotients are small, apart from one in
 * `seldom` (0: none), which has up to `most` bits. */
static void from_quotients(mpz_t m, mpz_t a, size_t bits, size_t seldom, size_t most, gfp_random *g)
{
    mpz_t q;
    mpz_init(q);
    mpz_set_ui(m, 1);
    mpz_set_ui(a, 0);
    while (mpz_sizeinbase(m, 2) < bits) {
        const bool great = seldom != 0 && gfp_random_below(g, seldom) == 0;
        reconstruct_natural(q, 1 + gfp_random_below(g, great ? most : 3), g);
        mpz_addmul(a, q, m);
        mpz_swap(a, m);
    }
    mpz_clear(q);
}

/* Long numbers, for which steps are taken in blocks: random ones, and such with great quotients at
 * random places, which no block has; the bounds end the steps anywhere. */
static void long_numbers_by_divisions(void **state)
{
    static const size_t seldoms[] = {0, 5000, 500, 50, 1}, mosts[] = {1, 70, 2000, 9000};
    gfp_random g;
    mpz_t a, m, n, d, x, y, most_num, most_den;
    size_t found = 0;
    (void)state;
    gfp_random_seed(&g, 12);
    mpz_inits(a, m, n, d, x, y, most_num, most_den, NULL);
    for (size_t trial = 0; trial < 400; trial++) {
        const size_t bits = trial % 40 == 39 ? 60000 : 1500 + gfp_random_below(&g, 9000);
        from_quotients(m, a, bits, seldoms[trial % 5], mosts[trial % 4], &g);
        reconstruct_natural(most_num, gfp_random_below(&g, bits - 3), &g);
        mpz_sub_ui(most_den, m, 1);
        mpz_fdiv_q_2exp(most_den, most_den, 1);
        if (mpz_sgn(most_num) > 0) {
            mpz_fdiv_q(most_den, most_den, most_num);
        }
        const bool good = by_divisions(n, d, a, m, most_num, most_den);
        const gfp_status status = reconstruct_one(x, y, a, m, most_num, most_den);
        assert_int_equal(status, good ? GFP_OK : GFP_ERR_NOT_INVERTIBLE);
        if (good) {
            assert_int_equal(mpz_cmp(x, n), 0);
            assert_int_equal(mpz_cmp(y, d), 0);
            found++;
        }
    }
    assert_true(found > 100 && found < 400);
    mpz_clears(a, m, n, d, x, y, most_num, most_den, NULL);
}

#if GFP_HAVE_FLINT
static void expect_flint(const mpz_t a, const mpz_t m, const mpz_t most_num, const mpz_t most_den,
                         size_t *found)
{
    fmpz_t fa, fm, fn, fd, num, den;
    mpz_t n, d, x;
    mpz_inits(n, d, x, NULL);
    fmpz_init(num);
    fmpz_init(den);
    fmpz_init_set_readonly(fa, a);
    fmpz_init_set_readonly(fm, m);
    fmpz_init_set_readonly(fn, most_num);
    fmpz_init_set_readonly(fd, most_den);
    const int exists = _fmpq_reconstruct_fmpz_2(num, den, fa, fm, fn, fd);
    const gfp_status status = reconstruct_one(n, d, a, m, most_num, most_den);
    assert_int_equal(status, exists ? GFP_OK : GFP_ERR_NOT_INVERTIBLE);
    if (exists) {
        fmpz_get_mpz(x, num);
        assert_int_equal(mpz_cmp(x, n), 0);
        fmpz_get_mpz(x, den);
        assert_int_equal(mpz_cmp(x, d), 0);
        *found += 1;
    }
    fmpz_clear_readonly(fa);
    fmpz_clear_readonly(fm);
    fmpz_clear_readonly(fn);
    fmpz_clear_readonly(fd);
    fmpz_clear(num);
    fmpz_clear(den);
    mpz_clears(n, d, x, NULL);
}

/* Random residues; residues near powers of two, which have very long quotients; quotients that are
 * all 1 (Fibonacci's numbers). */
static void fractions_are_those_of_flint(void **state)
{
    gfp_random g;
    mpz_t a, m, most_num, most_den;
    size_t found = 0;
    (void)state;
    gfp_random_seed(&g, 2);
    mpz_inits(a, m, most_num, most_den, NULL);
    for (size_t trial = 0; trial < 3000; trial++) {
        const size_t bits = 2 + gfp_random_below(&g, trial % 20 == 0 ? 2000 : 330);
        switch (trial % 3) {
        case 0:
            reconstruct_natural(m, bits, &g);
            reconstruct_natural(a, bits, &g);
            break;
        case 1:
            mpz_set_ui(m, 1);
            mpz_mul_2exp(m, m, bits);
            mpz_sub_ui(m, m, (unsigned long)gfp_random_below(&g, 3));
            mpz_set_ui(a, 1);
            mpz_mul_2exp(a, a, gfp_random_below(&g, bits));
            mpz_add_ui(a, a, (unsigned long)gfp_random_below(&g, 3));
            break;
        default:
            mpz_fib2_ui(m, a, (unsigned long)bits);
        }
        mpz_mod(a, a, m);
        /* N D just below m / 2, split anywhere. */
        reconstruct_natural(most_den, 1 + gfp_random_below(&g, bits - 1), &g);
        mpz_sub_ui(most_num, m, 1);
        mpz_fdiv_q_2exp(most_num, most_num, 1);
        mpz_fdiv_q(most_num, most_num, most_den);
        expect_flint(a, m, most_num, most_den, &found);
    }
    assert_true(found > 300 && found < 2900);
    mpz_clears(a, m, most_num, most_den, NULL);
}
#endif

/* num / den of a vector by the residues: the congruences, bounds and least denominator. */
static void vectors_have_one_denominator(void **state)
{
    gfp_random g;
    mpz_t m, d, x, y, common;
    (void)state;
    gfp_random_seed(&g, 3);
    mpz_inits(m, d, x, y, common, NULL);
    for (size_t trial = 0; trial < 200; trial++) {
        const size_t n = 1 + gfp_random_below(&g, 9), bits = 20 + gfp_random_below(&g, 300);
        zlab a = zlab_new(n), num = zlab_new(n);
        lab v;
        lab_init(&v, ring);
        reconstruct_natural(m, 2 * bits + 3, &g);
        mpz_setbit(m, 0);
        mpz_set_ui(common, 1);
        for (size_t i = 0; i < n; i++) { /* denominators with common factors, prime to m */
            mpz_ui_pow_ui(d, 6, (unsigned long)gfp_random_below(&g, bits / 8 + 1));
            mpz_mul_ui(d, d, 1 + (unsigned long)gfp_random_below(&g, 30));
            for (mpz_gcd(x, d, m); mpz_cmp_ui(x, 1) != 0; mpz_gcd(x, d, m)) {
                mpz_divexact(d, d, x);
            }
            zlab_number(num.c[i], bits / 4, &g);
            reconstruct_residue(a.c[i], num.c[i], d, m);
            if (trial % 2 == 0) {
                mpz_sub(a.c[i], a.c[i], m);
            }
            mpz_gcd(x, num.c[i], d);
            mpz_divexact(d, d, x);
            mpz_lcm(common, common, d);
        }
        zlab_set(&v.a, a);
        reconstruct_set(&v.m, m);
        assert_int_equal(gfp_zvec_reconstruct(&v.num, &v.den, &v.a, &v.m, NULL, NULL, NULL),
                         GFP_OK);
        reconstruct_get(x, &v.den);
        assert_int_equal(mpz_cmp(x, common), 0);
        for (size_t i = 0; i < n; i++) { /* num_i common / d_i, from the residue */
            mpz_mul(num.c[i], a.c[i], common);
            mpz_mod(num.c[i], num.c[i], m);
            mpz_mul_2exp(y, num.c[i], 1);
            if (mpz_cmp(y, m) > 0) {
                mpz_sub(num.c[i], num.c[i], m);
            }
        }
        zlab_expect(&v.num, num, "numerators");
        /* The outputs are the inputs. */
        assert_int_equal(gfp_zvec_reconstruct(&v.a, &v.m, &v.a, &v.m, NULL, NULL, NULL), GFP_OK);
        assert_true(gfp_zvec_equal(&v.a, &v.num));
        assert_true(gfp_zvec_equal(&v.m, &v.den));
        zlab_free(&a);
        zlab_free(&num);
        lab_clear(&v);
    }
    mpz_clears(m, d, x, y, common, NULL);
}

/* Each residue has a fraction of its own, and the least common denominator is too great. */
static void common_denominators_may_be_too_great(void **state)
{
    static const uint64_t residues[] = {1000, 501, 334}, modulus[] = {1000003};
    static const uint64_t ten[] = {10}, many[] = {50};
    lab v;
    mpz_t x, m;
    (void)state;
    lab_init(&v, ring);
    mpz_init(x);
    mpz_init_set_ui(m, 1000003);
    assert_int_equal(gfp_zvec_set_limbs(&v.m, modulus, 1, 1), GFP_OK);
    assert_int_equal(gfp_zvec_set_limbs(&v.max_num, ten, 1, 1), GFP_OK);
    assert_int_equal(gfp_zvec_set_limbs(&v.max_den, many, 1, 1), GFP_OK);
    uint64_t parts[3];
    for (unsigned i = 0; i < 3; i++) { /* 1/7, 1/11, 1/13 */
        mpz_set_ui(x, 7 + 2 * i + (i > 0 ? 2 : 0));
        assert_true(mpz_invert(x, x, m) != 0);
        parts[i] = mpz_get_ui(x);
    }
    gfp_error error;
    const gfp_options options = {.error = &error};
    assert_int_equal(gfp_zvec_set_limbs(&v.num, residues, 3, 1), GFP_OK);
    for (size_t n = 1; n <= 3; n++) {
        assert_int_equal(gfp_zvec_set_limbs(&v.a, parts, n, 1), GFP_OK);
        const gfp_status status =
            gfp_zvec_reconstruct(&v.num, &v.den, &v.a, &v.m, &v.max_num, &v.max_den, &options);
        assert_int_equal(status, n == 1 ? GFP_OK : GFP_ERR_NOT_INVERTIBLE);
    }
    assert_non_null(strstr(error.message, "residue 1"));
    assert_int_equal(error.index, 1);
    assert_int_equal(v.num.len, 1); /* of the call that found a fraction */
    assert_int_equal(v.den.limbs[0], 7);
    /* A numerator that the common denominator takes above the bound: 10 / 1 and 1 / 7. */
    const uint64_t ten_and_seventh[] = {10, parts[0]};
    assert_int_equal(gfp_zvec_set_limbs(&v.a, ten_and_seventh, 2, 1), GFP_OK);
    assert_int_equal(
        gfp_zvec_reconstruct(&v.num, &v.den, &v.a, &v.m, &v.max_num, &v.max_den, &options),
        GFP_ERR_NOT_INVERTIBLE);
    assert_non_null(strstr(error.message, "residue 0"));
    assert_int_equal(error.index, 0);
    mpz_clear(x);
    mpz_clear(m);
    lab_clear(&v);
}

/* Some fractions of 900 bits, in vectors over this ring. */
static void make_lab(lab *v, gfp_zring *over)
{
    gfp_random g;
    mpz_t m, d, n;
    zlab a = zlab_new(3);
    gfp_random_seed(&g, 4);
    mpz_inits(m, d, n, NULL);
    reconstruct_natural(m, 2000, &g);
    mpz_setbit(m, 0);
    for (size_t i = 0; i < 3; i++) {
        reconstruct_natural(n, 300, &g);
        mpz_setbit(n, 0);
        mpz_set_ui(d, 1);
        mpz_mul_2exp(d, d, 300 * i);
        reconstruct_residue(a.c[i], n, d, m);
    }
    lab_init(v, over);
    zlab_set(&v->a, a);
    reconstruct_set(&v->m, m);
    zlab_free(&a);
    mpz_clears(m, d, n, NULL);
}

static void bad_arguments(void **state)
{
    static const uint64_t two[] = {2, 3}, minus[] = {UINT64_MAX};
    gfp_error error;
    gfp_report report;
    const gfp_options options = {.error = &error, .report = &report};
    gfp_zring *other;
    gfp_zvec far, none, bad, same;
    lab v;
    (void)state;
    make_lab(&v, ring);
    assert_int_equal(gfp_zring_create(&other, NULL, NULL), GFP_OK);
    gfp_zvec_init(&far, other);
    gfp_zvec_init(&none, ring);
    gfp_zvec_init(&bad, ring);
    gfp_zvec_init(&same, ring);
    assert_int_equal(gfp_zvec_reconstruct(NULL, &v.den, &v.a, &v.m, NULL, NULL, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zvec_reconstruct(&same, &same, &v.a, &v.m, NULL, NULL, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zvec_reconstruct(&v.num, &v.den, &v.a, &v.m, &none, NULL, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zvec_reconstruct(&v.num, &v.den, &far, &v.m, NULL, NULL, &options),
                     GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_zvec_reconstruct(&v.num, &v.den, &v.a, &none, NULL, NULL, &options),
                     GFP_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "the modulus is 0"));
    assert_int_equal(gfp_zvec_set_limbs(&bad, two, 2, 1), GFP_OK);
    assert_int_equal(gfp_zvec_reconstruct(&v.num, &v.den, &v.a, &bad, NULL, NULL, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zvec_set_limbs(&bad, minus, 1, 1), GFP_OK);
    assert_int_equal(gfp_zvec_reconstruct(&v.num, &v.den, &v.a, &v.m, &bad, &v.m, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zvec_set_limbs(&bad, two, 1, 1), GFP_OK);
    assert_int_equal(gfp_zvec_reconstruct(&v.num, &v.den, &v.a, &v.m, &bad, &v.m, &options),
                     GFP_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "2 N D < m"));
    assert_int_equal(gfp_zvec_reconstruct(&v.num, &v.den, &v.a, &v.m, &bad, &none, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(v.num.len, 0);
    /* No residues: the denominator is 1. */
    assert_int_equal(gfp_zvec_reconstruct(&v.num, &v.den, &none, &v.m, NULL, NULL, &options),
                     GFP_OK);
    assert_string_equal(report.method, "euclid");
    assert_int_equal(v.num.len, 0);
    assert_int_equal(v.den.limbs[0], 1);
    gfp_zvec_clear(&far);
    gfp_zvec_clear(&bad);
    lab_clear(&v);
    gfp_zring_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_moduli),
        cmocka_unit_test(fractions_come_back),
        cmocka_unit_test(long_numbers_by_divisions),
#if GFP_HAVE_FLINT
        cmocka_unit_test(fractions_are_those_of_flint),
#endif
        cmocka_unit_test(vectors_have_one_denominator),
        cmocka_unit_test(common_denominators_may_be_too_great),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, zlab_setup, zlab_teardown);
}
