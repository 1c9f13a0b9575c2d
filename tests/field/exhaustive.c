/* exhaustive.c: the tiny primes in every form r^k + 1: all operands for 5, 17 and 257, all x
 * against many y for 65537. The reference is arithmetic of machine integers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field/base/kernels.h"
#include "gfpoly/elem.h"
#include "lab/oracle.h"
#include "lab/rows.h"
#include "lab/sanitized.h"
#include "field/elem.h"

/* With every x of 65537. */
#define MANY_Y (SANITIZED ? 40 : 150)

/* A field small enough to list: digits holds every element x at x*k. */
typedef struct small {
    gfp_field *field;
    uint64_t p;
    unsigned k;
    uint64_t r;
    uint64_t *digits;
    uint64_t *work; /* room for p elements */
    uint64_t *other;
} small;

static const uint64_t *exhaustive_at(const small *s, uint64_t x)
{
    return s->digits + x % s->p * s->k;
}

static uint64_t *exhaustive_words(uint64_t n)
{
    uint64_t *x = calloc((size_t)n, sizeof *x);
    if (x == NULL) {
        fail_msg("no memory");
        abort();
    }
    return x;
}

static void open_small(small *s, uint64_t r, unsigned k)
{
    gfp_error error = {0};
    s->r = r;
    s->k = k;
    s->p = 1;
    for (unsigned i = 0; i < k; i++) {
        s->p *= r;
    }
    s->p += 1;
    if (gfp_field_create_rk(&s->field, r, k, NULL, &error) != GFP_OK) {
        fail_msg("%llu^%u+1: %s", (unsigned long long)r, k, error.message);
    }
    s->digits = exhaustive_words(s->p * k);
    s->work = exhaustive_words(s->p * k);
    s->other = exhaustive_words(s->p * k);
    for (uint64_t x = 0; x + 1 < s->p; x++) {
        uint64_t rest = x;
        for (unsigned i = 0; i < k; i++, rest /= r) {
            s->digits[x * k + i] = rest % r;
        }
    }
    s->digits[s->p * k - 1] = r; /* p - 1 = r^k */
}

static void close_small(small *s)
{
    free(s->digits);
    free(s->work);
    free(s->other);
    gfp_field_destroy(s->field);
}

/* Runs check on every form of every prime in [least, most]. */
static void for_each_form(uint64_t least, uint64_t most, void (*check)(const small *s))
{
    static const struct {
        uint64_t r;
        unsigned k;
    } forms[] = {{2, 2}, {4, 2},   {2, 4},  {16, 2}, {4, 4},
                 {2, 8}, {256, 2}, {16, 4}, {4, 8},  {2, 16}};
    for (size_t i = 0; LAB_ROW(forms, i); i++) {
        small s = {0};
        open_small(&s, forms[i].r, forms[i].k);
        if (s.p >= least && s.p <= most) {
            check(&s);
        }
        close_small(&s);
    }
}

static void exhaustive_expect(const small *s, const uint64_t *z, uint64_t value, const char *what,
                              uint64_t x, uint64_t y)
{
    if (memcmp(z, exhaustive_at(s, value), s->k * sizeof *z) != 0) {
        fail_msg("%llu^%u+1: %s(%llu, %llu) is not %llu", (unsigned long long)s->r, s->k, what,
                 (unsigned long long)x, (unsigned long long)y, (unsigned long long)(value % s->p));
    }
}

/* x^e mod p. */
static uint64_t exhaustive_power(const small *s, uint64_t x, uint64_t e)
{
    uint64_t y = 1;
    for (; e != 0; e >>= 1, x = x * x % s->p) {
        if ((e & 1) != 0) {
            y = y * x % s->p;
        }
    }
    return y;
}

/* ---- pairs ---- */

static void check_all_pairs(const small *s)
{
    uint64_t z[GFP_MAX_K];
    for (uint64_t x = 0; x < s->p; x++) {
        for (uint64_t y = 0; y < s->p; y++) {
            gfp_elem_add(s->field, z, exhaustive_at(s, x), exhaustive_at(s, y));
            exhaustive_expect(s, z, x + y, "add", x, y);
            gfp_elem_sub(s->field, z, exhaustive_at(s, x), exhaustive_at(s, y));
            exhaustive_expect(s, z, x + s->p - y, "sub", x, y);
            gfp_elem_mul(s->field, z, exhaustive_at(s, x), exhaustive_at(s, y));
            exhaustive_expect(s, z, x * y, "mul", x, y);
            assert_int_equal(gfp_elem_equal(s->field, exhaustive_at(s, x), exhaustive_at(s, y)),
                             x == y);
        }
    }
}

static void every_pair_of_a_tiny_field(void **state)
{
    (void)state;
    for_each_form(5, 257, check_all_pairs);
}

/* Number i of the y for 65537: around the ends, powers of 2 and their neighbours, random. */
static uint64_t exhaustive_structured(uint64_t i, uint64_t p, uint64_t *seed)
{
    if (i < 20) {
        return i;
    }
    if (i < 40) {
        return p - 1 - (i - 20);
    }
    if (i < 91) {
        return (UINT64_C(1) << ((i - 40) / 3)) + (i - 40) % 3 + p - 1;
    }
    if (i < 100) {
        return UINT64_C(0x5555) << (i - 91);
    }
    return oracle_random(seed) % p;
}

/* One form of 65537 in one thread; an assertion may not leave a thread, so the first difference is
 * written down. */
typedef struct sweep {
    small s;
    pthread_t id;
    char problem[128];
} sweep;

static void exhaustive_note(sweep *w, uint64_t x, uint64_t y, uint64_t value, const char *what)
{
    const small *s = &w->s;
    if (w->problem[0] == '\0' &&
        memcmp(s->work + x * s->k, exhaustive_at(s, value), s->k * sizeof *s->work) != 0) {
        snprintf(w->problem, sizeof w->problem, "%llu^%u+1: %s(%llu, %llu) is not %llu",
                 (unsigned long long)s->r, s->k, what, (unsigned long long)x, (unsigned long long)y,
                 (unsigned long long)(value % s->p));
    }
}

static void check_all_x_against(sweep *w, uint64_t y)
{
    const small *s = &w->s;
    size_t p = (size_t)s->p;
    for (uint64_t x = 0; x < s->p; x++) {
        memcpy(s->other + x * s->k, exhaustive_at(s, y), s->k * sizeof *s->other);
    }
    gfp_vec_add(s->field, s->work, s->digits, s->other, p);
    for (uint64_t x = 0; x < s->p; x++) {
        exhaustive_note(w, x, y, x + y, "add");
    }
    gfp_vec_sub(s->field, s->work, s->digits, s->other, p);
    for (uint64_t x = 0; x < s->p; x++) {
        exhaustive_note(w, x, y, x + s->p - y, "sub");
    }
    gfp_vec_mul(s->field, s->work, s->digits, s->other, p);
    for (uint64_t x = 0; x < s->p; x++) {
        exhaustive_note(w, x, y, x * y, "mul");
    }
}

static void *run_sweep(void *argument)
{
    sweep *w = argument;
    uint64_t seed = 65537;
    for (uint64_t i = 0; i < MANY_Y; i++) {
        check_all_x_against(w, exhaustive_structured(i, w->s.p, &seed) % w->s.p);
    }
    return NULL;
}

static void all_x_against_many_y_of_65537(void **state)
{
    sweep sweeps[4];
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        unsigned k = 2u << i;
        sweeps[i].problem[0] = '\0';
        open_small(&sweeps[i].s, UINT64_C(1) << (16 / k), k);
        assert_true(sweeps[i].s.p == 65537);
        assert_int_equal(pthread_create(&sweeps[i].id, NULL, run_sweep, &sweeps[i]), 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(sweeps[i].id, NULL), 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        assert_string_equal(sweeps[i].problem, "");
        close_small(&sweeps[i].s);
    }
}

/* ---- one operand ---- */

static void check_all_shifts(const small *s)
{
    uint64_t power_of_r = 1;
    for (unsigned shift = 0; shift < 2 * s->k; shift++) {
        gfp_vec_mul_r(s->field, s->work, s->digits, shift, (size_t)s->p);
        for (uint64_t x = 0; x < s->p; x++) {
            exhaustive_expect(s, s->work + x * s->k, x * power_of_r, "mul_r", x, shift);
        }
        power_of_r = power_of_r * s->r % s->p;
    }
    assert_true(power_of_r == 1);
}

static void every_shift_of_every_element(void **state)
{
    (void)state;
    for_each_form(5, 65537, check_all_shifts);
}

static void check_negatives_and_squares(const small *s)
{
    uint64_t z[GFP_MAX_K];
    for (uint64_t x = 0; x < s->p; x++) {
        gfp_elem_neg(s->field, z, exhaustive_at(s, x));
        exhaustive_expect(s, z, s->p - x, "neg", x, 0);
        gfp_elem_sqr(s->field, z, exhaustive_at(s, x));
        exhaustive_expect(s, z, x * x, "sqr", x, 0);
    }
}

static void every_negative_and_square(void **state)
{
    (void)state;
    for_each_form(5, 65537, check_negatives_and_squares);
}

static void check_halves(const small *s)
{
    const unsigned exponents[] = {0, 1, 2, 3, 8, 16, 17, 31, 33};
    for (size_t i = 0; LAB_ROW(exponents, i); i++) {
        unsigned j = exponents[i];
        uint64_t quotient = exhaustive_power(s, (s->p + 1) / 2, j);
        gfp_vec_div_2exp(s->field, s->work, s->digits, j, (size_t)s->p);
        for (uint64_t x = 0; x < s->p; x++) {
            exhaustive_expect(s, s->work + x * s->k, x * quotient, "div_2exp", x, j);
        }
    }
}

static void every_element_over_powers_of_two(void **state)
{
    (void)state;
    for_each_form(5, 65537, check_halves);
}

static void check_inverses(const small *s)
{
    uint64_t z[GFP_MAX_K];
    assert_int_equal(gfp_elem_inv(s->field, z, exhaustive_at(s, 0)), GFP_ERR_NOT_INVERTIBLE);
    for (uint64_t x = 1; x < s->p; x++) {
        assert_int_equal(gfp_elem_inv(s->field, z, exhaustive_at(s, x)), GFP_OK);
        exhaustive_expect(s, z, exhaustive_power(s, x, s->p - 2), "inv", x, 0);
    }
    assert_int_equal(gfp_vec_inv(s->field, s->work, exhaustive_at(s, 1), (size_t)s->p - 1, NULL),
                     GFP_OK);
    for (uint64_t x = 1; x < s->p; x++) {
        exhaustive_expect(s, s->work + (x - 1) * s->k, exhaustive_power(s, x, s->p - 2), "vec_inv",
                          x, 0);
    }
}

static void every_inverse(void **state)
{
    (void)state;
    for_each_form(5, 65537, check_inverses);
}

static void check_powers(const small *s)
{
    uint64_t z[GFP_MAX_K];
    for (uint64_t x = 0; x < s->p; x++) {
        for (uint64_t e = 0; e < (s->p <= 257 ? s->p + 2 : 4); e++) {
            gfp_elem_pow(s->field, z, exhaustive_at(s, x), &e, 1);
            exhaustive_expect(s, z, exhaustive_power(s, x, e), "pow", x, e);
        }
    }
}

static void every_power_in_a_tiny_field(void **state)
{
    (void)state;
    for_each_form(5, 65537, check_powers);
}

/* ---- conversions ---- */

static void check_text(const small *s, uint64_t x, int base)
{
    char text[32], expected[32];
    uint64_t z[GFP_MAX_K];
    size_t length = 0, digits = 0;
    uint64_t rest = x;
    do { /* the expected text, last digit first */
        expected[digits++] = "0123456789abcdef"[rest % (unsigned)base];
        rest /= (unsigned)base;
    } while (rest != 0);
    assert_int_equal(
        gfp_elem_get_string(s->field, text, sizeof text, &length, base, exhaustive_at(s, x)),
        GFP_OK);
    assert_int_equal(length, digits);
    for (size_t i = 0; i < digits; i++) {
        assert_true(text[i] == expected[digits - 1 - i]);
    }
    assert_int_equal(gfp_elem_set_string(s->field, z, text, length, base, NULL), GFP_OK);
    exhaustive_expect(s, z, x, "text", x, (uint64_t)base);
}

static void check_round_trips(const small *s)
{
    uint64_t z[GFP_MAX_K];
    uint64_t limb = 0;
    assert_int_equal(gfp_field_limbs(s->field), 1);
    for (uint64_t x = 0; x < s->p; x++) {
        gfp_elem_get_limbs(s->field, &limb, exhaustive_at(s, x));
        assert_true(limb == x);
        gfp_elem_set_limbs(s->field, z, &limb, 1);
        exhaustive_expect(s, z, x, "limbs", x, 0);
        gfp_elem_set_u64(s->field, z, x + 3 * s->p);
        exhaustive_expect(s, z, x, "set_u64", x, 0);
        assert_int_equal(gfp_elem_set_digits(s->field, z, exhaustive_at(s, x)), GFP_OK);
        exhaustive_expect(s, z, x, "digits", x, 0);
        check_text(s, x, 10);
        check_text(s, x, 16);
    }
}

static void every_element_round_trips(void **state)
{
    (void)state;
    for_each_form(5, 65537, check_round_trips);
}

/* Every k words with digits in [0, r + 1]: canonical exactly where listed. */
static void check_canonical(const small *s)
{
    uint64_t z[GFP_MAX_K] = {0};
    uint64_t canonical = 0;
    unsigned i = 0;
    while (i < s->k) {
        canonical += gfp_elem_is_canonical(s->field, z);
        for (i = 0; i < s->k && ++z[i] == s->r + 2; i++) {
            z[i] = 0;
        }
    }
    assert_true(canonical == s->p);
    for (uint64_t x = 0; x < s->p; x++) {
        assert_true(gfp_elem_is_canonical(s->field, exhaustive_at(s, x)));
    }
}

static void exactly_p_digit_strings_are_canonical(void **state)
{
    (void)state;
    for_each_form(5, 257, check_canonical);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_a_tiny_field),
        cmocka_unit_test(all_x_against_many_y_of_65537),
        cmocka_unit_test(every_shift_of_every_element),
        cmocka_unit_test(every_negative_and_square),
        cmocka_unit_test(every_element_over_powers_of_two),
        cmocka_unit_test(every_inverse),
        cmocka_unit_test(every_power_in_a_tiny_field),
        cmocka_unit_test(every_element_round_trips),
        cmocka_unit_test(exactly_p_digit_strings_are_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
