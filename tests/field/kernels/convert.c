/* convert.c: radix conversion of arrays, at every kernel level, against GMP: digits to limbs
 * and back on random and extreme digits, numbers next to multiples of powers of the radix, numbers
 * not below p, lengths, steps, GMP integers. Rings are enough: p need not be prime.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field/base/context.h"
#include "gfpoly/gmp.h"
#include "gfpoly/poly.h"
#include "lab/rows.h"

#define TWO(e) (UINT64_C(1) << (e))
#define GUARD UINT64_C(0xfeedfacecafebeef)
#define MOST 43

/* The smallest and largest radices that lanes serve, the radices of named primes, and others. */
static const uint64_t radices[] = {
    2,
    10,
    TWO(32) + 2,
    GFP_CONVERT_R_MIN - 2,
    GFP_CONVERT_R_MIN,
    GFP_CONVERT_R_MIN + 2,
    TWO(52) - 2,
    TWO(52),
    TWO(52) + 6,
    TWO(57) + TWO(52) + TWO(20),
    TWO(58) + TWO(55) + TWO(17),
    TWO(59) + TWO(58) + TWO(11),
    TWO(62) + TWO(36),
    TWO(62) + TWO(56),
    TWO(63) - TWO(40),
    TWO(63),
    TWO(63) + TWO(34),
    TWO(63) + TWO(53),
    UINT64_C(0xb504f333f9de6484),
    UINT64_MAX - TWO(50) + 1,
    UINT64_MAX - TWO(28) + 1,
    UINT64_MAX - 1,
};

/* A ring at a level, with room for MOST elements as digits and as limbs. */
typedef struct stand {
    gfp_field *field;
    unsigned k;
    uint64_t r;
    size_t words;
    uint64_t *digits;
    uint64_t *back;
    uint64_t *limbs;
    uint64_t *expected;
    mpz_t power; /* r^k */
    uint64_t seed;
} stand;

static uint64_t convert_draw(stand *s)
{
    s->seed += UINT64_C(0x9e3779b97f4a7c15);
    return gfp_mix64(s->seed);
}

static uint64_t *words_new(size_t n)
{
    uint64_t *x = calloc(n + 1, sizeof *x);
    assert_non_null(x);
    x[n] = GUARD;
    return x;
}

static void stand_open(stand *s, uint64_t r, unsigned k)
{
    assert_int_equal(gfp_field_create_raw(&s->field, r, k, NULL, NULL), GFP_OK);
    s->k = k;
    s->r = r;
    s->words = gfp_field_limbs(s->field);
    s->digits = words_new(MOST * (size_t)k);
    s->back = words_new(MOST * (size_t)k);
    s->limbs = words_new(MOST * (s->words + 3));
    s->expected = words_new(MOST * (s->words + 3));
    mpz_init(s->power);
    mpz_ui_pow_ui(s->power, r, k);
    s->seed = r + k;
}

static void stand_close(stand *s)
{
    assert_true(s->digits[MOST * (size_t)s->k] == GUARD);
    assert_true(s->back[MOST * (size_t)s->k] == GUARD);
    assert_true(s->limbs[MOST * (s->words + 3)] == GUARD);
    free(s->digits);
    free(s->back);
    free(s->limbs);
    free(s->expected);
    mpz_clear(s->power);
    gfp_field_destroy(s->field);
}

static void for_each_stand(void (*check)(stand *s))
{
    const gfp_level before = gfp_cpu_level_get();
    for (int level = GFP_LEVEL_PORTABLE; level < GFP_LEVEL_COUNT; level++) {
        if (!gfp_cpu_level_force((gfp_level)level)) {
            continue;
        }
        for (size_t i = 0; LAB_ROW(radices, i); i++) {
            for (unsigned k = 2; k <= GFP_MAX_K; k *= 2) {
                stand s;
                stand_open(&s, radices[i], k);
                check(&s);
                stand_close(&s);
            }
        }
    }
    assert_true(gfp_cpu_level_force(before));
}

static void convert_where(const stand *s, const char *what, size_t n, size_t i)
{
    fail_msg("%s: level %d, r = %llu, k = %u, n = %zu, element %zu", what,
             (int)gfp_field_level(s->field), (unsigned long long)s->r, s->k, n, i);
}

/* limbs := value >= 0, as size words. */
static void convert_put(uint64_t *limbs, size_t size, const mpz_t value)
{
    memset(limbs, 0, size * sizeof *limbs);
    assert_true(mpz_sizeinbase(value, 2) <= 64 * size);
    mpz_export(limbs, NULL, -1, sizeof *limbs, 0, 0, value);
}

/* Horner's rule. */
static void value_of(const stand *s, mpz_t value, const uint64_t *digits)
{
    mpz_set_ui(value, 0);
    for (unsigned i = s->k; i-- > 0;) {
        mpz_mul_ui(value, value, s->r);
        mpz_add_ui(value, value, digits[i]);
    }
}

/* Canonical digits by division. */
static void digits_of(const stand *s, uint64_t *digits, const mpz_t value)
{
    mpz_t rest;
    mpz_init(rest);
    mpz_add_ui(rest, s->power, 1);
    mpz_mod(rest, value, rest);
    memset(digits, 0, s->k * sizeof *digits);
    if (mpz_cmp(rest, s->power) == 0) {
        digits[s->k - 1] = s->r;
    } else {
        for (unsigned i = 0; i < s->k; i++) {
            digits[i] = mpz_tdiv_q_ui(rest, rest, s->r);
        }
    }
    mpz_clear(rest);
}

/* Kinds of digits: constant ones, one half, one place, runs, anything; r^k. */
static void make_element(stand *s, uint64_t *x, size_t kind)
{
    const uint64_t values[4] = {0, s->r - 1, s->r / 2, 1};
    for (unsigned i = 0; i < s->k; i++) {
        if (kind < 4) {
            x[i] = values[kind];
        } else if (kind < 8) {
            x[i] = values[((i >> (kind / 2 % 2)) & 1) ^ (kind & 1)];
        } else if (kind < 12) {
            x[i] = values[i < s->k >> (1 + kind / 2 % 2) ? kind & 1 : 1 - (kind & 1)];
        } else if (kind < 20) {
            x[i] = i == convert_draw(s) % s->k ? convert_draw(s) % s->r : values[kind & 1];
        } else if (kind < 28) {
            x[i] = convert_draw(s) % 8 == 0 ? convert_draw(s) % s->r
                                            : values[convert_draw(s) % 16 / 8];
        } else {
            x[i] = convert_draw(s) % s->r;
        }
    }
    if (kind == 28) {
        memset(x, 0, s->k * sizeof *x);
        x[s->k - 1] = s->r;
    }
}

static void convert_compare(const stand *s, const uint64_t *got, const uint64_t *expected,
                            size_t size, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++) {
        if (memcmp(got + i * size, expected + i * size, size * sizeof *got) != 0) {
            convert_where(s, what, n, i);
        }
    }
}

/* Elements to limbs and back, n at a time, limbs at a distance. */
static void check_both_ways(stand *s)
{
    static const size_t lengths[] = {1, 2, 3, 7, 8, 9, 15, 16, 29, MOST};
    mpz_t value;
    mpz_init(value);
    for (size_t i = 0; i < MOST; i++) {
        make_element(s, s->digits + i * s->k, i);
    }
    for (size_t j = 0; LAB_ROW(lengths, j); j++) {
        const size_t n = lengths[j], step = s->words + j % 4,
                     first = convert_draw(s) % (MOST - n + 1);
        const uint64_t *x = s->digits + first * s->k;
        for (size_t i = 0; i < MOST * (s->words + 3); i++) {
            s->limbs[i] = s->expected[i] = GUARD;
        }
        for (size_t i = 0; i < n; i++) {
            value_of(s, value, x + i * s->k);
            convert_put(s->expected + i * step, s->words, value);
        }
        gfp_vec_get_limbs(s->field, s->limbs, step, x, n);
        convert_compare(s, s->limbs, s->expected, step, n, "get_limbs");
        convert_compare(s, s->limbs, s->expected, MOST * (s->words + 3), 1,
                        "get_limbs writes more");
        gfp_vec_set_limbs_mod(s->field, s->back, s->limbs, s->words, step, n);
        convert_compare(s, s->back, x, s->k, n, "set_limbs_mod");
        memset(s->back, 0x55, n * s->k * sizeof *s->back);
        assert_int_equal(gfp_vec_set_limbs(s->field, s->back, s->limbs, s->words, step, n, NULL),
                         GFP_OK);
        convert_compare(s, s->back, x, s->k, n, "set_limbs");
    }
    mpz_clear(value);
}

static void both_ways_equal_gmp(void **state)
{
    (void)state;
    for_each_stand(check_both_ways);
}

/* q r^h + d with small d, where estimated quotients are wrong first. */
static void make_near(stand *s, mpz_t value, size_t i)
{
    mpz_t power;
    mpz_init(power);
    const unsigned h = s->k >> (1 + i % 8);
    mpz_ui_pow_ui(power, s->r, h == 0 ? 1 : h);
    if (i % 5 == 0) {
        mpz_sub_ui(value, s->power, 1);
    } else if (i % 5 == 1) {
        mpz_tdiv_q_ui(value, s->power, 1 + convert_draw(s) % 3);
    } else {
        value_of(s, value, s->digits + (convert_draw(s) % MOST) * s->k);
    }
    mpz_tdiv_q(value, value, power);
    mpz_mul(value, value, power);
    mpz_add_ui(value, value, convert_draw(s) % 3);
    if (i % 2 == 0 && mpz_sgn(value) > 0) {
        mpz_sub_ui(value, value, 1);
    }
    mpz_clear(power);
}

static void check_near(stand *s)
{
    mpz_t value;
    mpz_init(value);
    for (size_t i = 0; i < MOST; i++) {
        make_element(s, s->digits + i * s->k, i);
    }
    for (size_t i = 0; i < MOST; i++) {
        make_near(s, value, i);
        mpz_tdiv_r(value, value, s->power);
        convert_put(s->limbs + i * s->words, s->words, value);
        digits_of(s, s->back + i * s->k, value);
    }
    memcpy(s->digits, s->back, MOST * (size_t)s->k * sizeof *s->back);
    gfp_vec_set_limbs_mod(s->field, s->back, s->limbs, s->words, s->words, MOST);
    convert_compare(s, s->back, s->digits, s->k, MOST, "near multiples of powers");
    mpz_clear(value);
}

static void multiples_of_powers_are_divided_exactly(void **state)
{
    (void)state;
    for_each_stand(check_near);
}

/* Numbers of many words against elements one by one, which are divided by p. */
static void check_long(stand *s)
{
    const size_t size = 5 * s->words + 1;
    uint64_t *limbs = words_new(MOST * size);
    for (size_t i = 0; i < MOST * size; i++) {
        const size_t number = i / size;
        limbs[i] = number % 5 == 0                   ? UINT64_MAX
                   : number % 5 == 1 && i % size > 2 ? 0
                                                     : convert_draw(s);
    }
    for (size_t i = 0; i < MOST; i++) {
        gfp_elem_set_limbs(s->field, s->digits + i * s->k, limbs + i * size, size);
    }
    gfp_vec_set_limbs_mod(s->field, s->back, limbs, size, size, MOST);
    convert_compare(s, s->back, s->digits, s->k, MOST, "many words");
    memset(limbs, 0, MOST * size * sizeof *limbs);
    memset(s->digits, 0, MOST * (size_t)s->k * sizeof *s->digits);
    gfp_vec_set_limbs_mod(s->field, s->back, limbs, size, size, MOST);
    convert_compare(s, s->back, s->digits, s->k, MOST, "zeros");
    assert_true(limbs[MOST * size] == GUARD);
    free(limbs);
}

/* Numbers that overlap, one number again and again, numbers of no words, and no numbers. */
static void check_steps(stand *s)
{
    const size_t size = 3 * s->words + 2, bytes = s->k * sizeof *s->back;
    uint64_t *limbs = words_new(MOST + size);
    for (size_t i = 0; i < MOST + size; i++) {
        limbs[i] = convert_draw(s);
    }
    for (size_t step = 0; step < 2; step++) {
        for (size_t i = 0; i < MOST; i++) {
            gfp_elem_set_limbs(s->field, s->digits + i * s->k, limbs + i * step, size);
        }
        for (size_t n = 0; n <= MOST; n += n < 20 ? 1 : MOST - 20) {
            memset(s->back, 0x55, MOST * bytes);
            gfp_vec_set_limbs_mod(s->field, s->back, limbs, size, step, n);
            convert_compare(s, s->back, s->digits, s->k, n, "steps");
            assert_true(n == MOST || s->back[n * s->k] == UINT64_C(0x5555555555555555));
        }
    }
    memset(s->digits, 0, MOST * bytes);
    gfp_vec_set_limbs_mod(s->field, s->back, limbs, 0, SIZE_MAX, 1);
    gfp_vec_set_limbs_mod(s->field, s->back + s->k, limbs, 0, 0, MOST - 1);
    convert_compare(s, s->back, s->digits, s->k, MOST, "no words");
    free(limbs);
}

static void steps_are_any(void **state)
{
    (void)state;
    for_each_stand(check_steps);
}

static void numbers_of_many_words_are_reduced(void **state)
{
    (void)state;
    for_each_stand(check_long);
}

/* p - 2 + i, and numbers with one and three words more; all ones. */
static void check_large(stand *s)
{
    const size_t size = s->words + 3;
    gfp_error error;
    mpz_t value;
    mpz_init(value);
    for (size_t i = 0; i < MOST; i++) {
        if (i % 4 == 0) {
            make_element(s, s->digits + i * s->k, 28 + i % 8);
            value_of(s, value, s->digits + i * s->k);
        } else if (i % 8 < 6) {
            mpz_add_ui(value, s->power, i / 8);
            mpz_sub_ui(value, value, 1);
        } else {
            mpz_ui_pow_ui(value, 2, 64 * (s->words + i % 4));
            mpz_sub_ui(value, value, 1 + convert_draw(s) % 2);
        }
        convert_put(s->limbs + i * size, size, value);
        digits_of(s, s->digits + i * s->k, value);
    }
    gfp_vec_set_limbs_mod(s->field, s->back, s->limbs, size, size, MOST);
    convert_compare(s, s->back, s->digits, s->k, MOST, "set_limbs_mod");
    memset(s->back, 0x55, MOST * (size_t)s->k * sizeof *s->back);
    memcpy(s->digits, s->back, MOST * (size_t)s->k * sizeof *s->back);
    mpz_set(value, s->power);
    for (size_t i = 0; i < MOST; i++) {
        convert_put(s->limbs + i * size, size, value);
    }
    mpz_add_ui(value, value, 1);
    convert_put(s->limbs + 31 * size, size, value);
    convert_put(s->limbs + 37 * size, size, value);
    assert_int_equal(gfp_vec_set_limbs(s->field, s->back, s->limbs, size, size, MOST, &error),
                     GFP_ERR_RANGE);
    assert_int_equal(error.index, 31);
    convert_compare(s, s->back, s->digits, s->k, MOST, "refused, but written");
    assert_int_equal(gfp_vec_set_limbs(s->field, s->back, s->limbs, size, size, 31, &error),
                     GFP_OK);
    mpz_clear(value);
}

static void large_numbers_are_refused_or_reduced(void **state)
{
    (void)state;
    for_each_stand(check_large);
}

/* GMP integers of either sign and of many sizes. */
static void check_mpz(stand *s)
{
    mpz_t values[MOST], value;
    mpz_init(value);
    for (size_t i = 0; i < MOST; i++) {
        make_element(s, s->digits + i * s->k, i);
        value_of(s, value, s->digits + i * s->k);
        mpz_init_set(values[i], value);
        mpz_tdiv_q_2exp(values[i], values[i], convert_draw(s) % (64 * s->words));
        if (i % 4 == 3) {
            mpz_neg(values[i], values[i]);
        }
        if (i % 16 == 5) {
            mpz_mul(values[i], values[i], s->power);
        }
        digits_of(s, s->digits + i * s->k, values[i]);
    }
    for (size_t i = 0; i < MOST; i++) {
        gfp_elem_set_mpz(s->field, s->back + i * s->k, values[i]);
    }
    convert_compare(s, s->back, s->digits, s->k, MOST, "set_mpz");
    for (size_t i = 0; i < MOST; i++) {
        gfp_elem_get_mpz(s->field, values[i], s->digits + i * s->k);
        value_of(s, value, s->digits + i * s->k);
        if (mpz_cmp(value, values[i]) != 0) {
            convert_where(s, "get_mpz", MOST, i);
        }
        mpz_clear(values[i]);
    }
    mpz_clear(value);
}

static void gmp_integers_go_both_ways(void **state)
{
    (void)state;
    for_each_stand(check_mpz);
}

/* Leading zeros are dropped; a refused array leaves the polynomial unchanged. */
static void polynomials_go_both_ways(void **state)
{
    gfp_field *field;
    gfp_poly a, b;
    gfp_random g;
    gfp_error error;

    (void)state;
    assert_int_equal(gfp_field_create(&field, "p8", NULL, NULL), GFP_OK);
    const size_t words = gfp_field_limbs(field);
    uint64_t *limbs = words_new(20 * words);
    gfp_random_seed(&g, 11);
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    assert_int_equal(gfp_poly_random(&a, 17, &g), GFP_OK);
    gfp_poly_get_limbs(limbs, words, &a);
    assert_int_equal(gfp_poly_set_limbs(&b, limbs, words, words, 20, &error), GFP_OK);
    assert_int_equal(b.len, a.len);
    assert_true(gfp_poly_equal(&a, &b));
    memset(limbs + 3 * words, 0xff, words * sizeof *limbs);
    assert_int_equal(gfp_poly_set_limbs(&b, limbs, words, words, 20, &error), GFP_ERR_RANGE);
    assert_int_equal(error.index, 3);
    assert_true(gfp_poly_equal(&a, &b));
    assert_int_equal(gfp_poly_set_limbs(&b, NULL, words, words, 0, NULL), GFP_OK);
    assert_true(gfp_poly_is_zero(&b));
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    free(limbs);
    gfp_field_destroy(field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_equal_gmp),
        cmocka_unit_test(multiples_of_powers_are_divided_exactly),
        cmocka_unit_test(large_numbers_are_refused_or_reduced),
        cmocka_unit_test(numbers_of_many_words_are_reduced),
        cmocka_unit_test(steps_are_any),
        cmocka_unit_test(gmp_integers_go_both_ways),
        cmocka_unit_test(polynomials_go_both_ways),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
