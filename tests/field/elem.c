/* elem.c: single elements and arrays of them, in every test field, against the oracle: all
 * pairs of the extreme inputs and random ones, aliasing, odd alignment.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <limits.h>
#include <string.h>

#include "field/base/kernels.h"
#include "lab/fixtures.h"
#include "lab/rows.h"
#include "lab/sanitized.h"
#include "field/elem.h"

#define MANY 33

/* ---- binary operations ---- */

typedef void elem_op(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y);
typedef void vec_op(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                    size_t n);
typedef void oracle_op(const oracle *o, mpz_t z, const mpz_t x, const mpz_t y);

typedef struct operation {
    const char *name;
    elem_op *elem;
    vec_op *vec;
    oracle_op *reference;
} operation;

static const operation operations[] = {
    {"add", gfp_elem_add, gfp_vec_add, oracle_add},
    {"sub", gfp_elem_sub, gfp_vec_sub, oracle_sub},
    {"mul", gfp_elem_mul, gfp_vec_mul, oracle_mul},
};
#define OPERATIONS (sizeof operations / sizeof operations[0])

static void check_pairs(const lab *l)
{
    uint64_t *z = lab_array(l->k);
    mpz_t expected;
    mpz_init(expected);
    for (size_t op = 0; op < OPERATIONS; op++) {
        for (size_t i = 0; i < l->count; i++) {
            for (size_t j = 0; j < l->count; j++) {
                operations[op].elem(l->field, z, lab_sample(l, i), lab_sample(l, j));
                operations[op].reference(&l->o, expected, l->values[i], l->values[j]);
                lab_expect(l, z, expected, operations[op].name, i, j);
            }
        }
    }
    mpz_clear(expected);
    lab_free(z);
}

static void add_sub_mul_agree_with_the_oracle_on_all_pairs(void **state)
{
    (void)state;
    lab_for_each(check_pairs);
}

/* Fresh random pairs: fewer where elements are long. */
static void check_random_pairs(const lab *l)
{
    uint64_t seed = 99;
    uint64_t *x = lab_array(l->k), *y = lab_array(l->k), *z = lab_array(l->k);
    mpz_t a, b, expected;
    mpz_inits(a, b, expected, NULL);
    for (size_t i = 0; i < 8000 / l->k + 20; i++) {
        oracle_random_element(&l->o, x, &seed);
        oracle_random_element(&l->o, y, &seed);
        oracle_get(&l->o, a, x);
        oracle_get(&l->o, b, y);
        for (size_t op = 0; op < OPERATIONS; op++) {
            operations[op].elem(l->field, z, x, y);
            operations[op].reference(&l->o, expected, a, b);
            lab_expect(l, z, expected, operations[op].name, i, i);
        }
    }
    mpz_clears(a, b, expected, NULL);
    lab_free(x);
    lab_free(y);
    lab_free(z);
}

static void add_sub_mul_agree_with_the_oracle_on_random_pairs(void **state)
{
    (void)state;
    lab_for_each(check_random_pairs);
}

static void check_pair_aliasing(const lab *l, const operation *op, size_t i, size_t j)
{
    const uint64_t *x = lab_sample(l, i), *y = lab_sample(l, j);
    uint64_t *expected = lab_array(l->k), *z = lab_array(l->k);
    op->elem(l->field, expected, x, y);
    gfp_elem_set(l->field, z, x);
    op->elem(l->field, z, z, y);
    lab_expect_digits(l, z, expected, 1, "z == x", i, j);
    gfp_elem_set(l->field, z, y);
    op->elem(l->field, z, x, z);
    lab_expect_digits(l, z, expected, 1, "z == y", i, j);
    op->elem(l->field, expected, x, x);
    gfp_elem_set(l->field, z, x);
    op->elem(l->field, z, z, z);
    lab_expect_digits(l, z, expected, 1, "z == x == y", i, j);
    lab_free(expected);
    lab_free(z);
}

static void check_aliasing(const lab *l)
{
    for (size_t op = 0; op < OPERATIONS; op++) {
        for (size_t i = 0; i < l->count; i++) {
            for (size_t j = i; j < l->count; j += 7) {
                check_pair_aliasing(l, &operations[op], i, j);
            }
        }
    }
}

static void outputs_may_equal_inputs(void **state)
{
    (void)state;
    lab_for_each(check_aliasing);
}

/* ---- unary operations ---- */

static void check_unary(const lab *l)
{
    uint64_t *z = lab_array(l->k);
    mpz_t expected;
    mpz_init(expected);
    for (size_t i = 0; i < l->count; i++) {
        oracle_neg(&l->o, expected, l->values[i]);
        gfp_elem_neg(l->field, z, lab_sample(l, i));
        lab_expect(l, z, expected, "neg", i, 0);
        gfp_elem_set(l->field, z, lab_sample(l, i));
        gfp_elem_neg(l->field, z, z);
        lab_expect(l, z, expected, "neg in place", i, 0);
        oracle_mul(&l->o, expected, l->values[i], l->values[i]);
        gfp_elem_sqr(l->field, z, lab_sample(l, i));
        lab_expect(l, z, expected, "sqr", i, 0);
        gfp_elem_set(l->field, z, lab_sample(l, i));
        gfp_elem_sqr(l->field, z, z);
        lab_expect(l, z, expected, "sqr in place", i, 0);
    }
    mpz_clear(expected);
    lab_free(z);
}

static void neg_and_sqr_agree_with_the_oracle(void **state)
{
    (void)state;
    lab_for_each(check_unary);
}

static void check_shift(const lab *l, unsigned s)
{
    uint64_t *z = lab_array(l->k);
    mpz_t power, expected;
    mpz_inits(power, expected, NULL);
    oracle_r_power(&l->o, power, s);
    for (size_t i = 0; i < l->count; i++) {
        oracle_mul(&l->o, expected, l->values[i], power);
        gfp_elem_mul_r(l->field, z, lab_sample(l, i), s);
        lab_expect(l, z, expected, "mul_r", i, s);
        gfp_elem_set(l->field, z, lab_sample(l, i));
        gfp_elem_mul_r(l->field, z, z, s);
        lab_expect(l, z, expected, "mul_r in place", i, s);
    }
    mpz_clears(power, expected, NULL);
    lab_free(z);
}

static void check_shifts(const lab *l)
{
    const unsigned further[] = {0, 1, l->k, 2 * l->k - 1, 2 * l->k + 5, UINT_MAX - 1, UINT_MAX};
    for (unsigned s = 0; s < 2 * l->k; s++) {
        check_shift(l, s);
    }
    for (size_t i = 0; LAB_ROW(further, i); i++) {
        unsigned s = further[i];
        check_shift(l, s < 4 * l->k ? s + 2 * l->k : s);
    }
}

static void mul_r_agrees_with_the_oracle_for_every_shift(void **state)
{
    (void)state;
    lab_for_each(check_shifts);
}

static void check_inverses(const lab *l)
{
    uint64_t *z = lab_array(l->k);
    mpz_t expected;
    mpz_init(expected);
    for (size_t i = 0; i < l->count; i++) {
        const uint64_t *x = lab_sample(l, i);
        if (oracle_inv(&l->o, expected, l->values[i])) {
            lab_expect_status(gfp_elem_inv(l->field, z, x), GFP_OK, NULL, "inv");
            lab_expect(l, z, expected, "inv", i, 0);
            gfp_elem_set(l->field, z, x);
            lab_expect_status(gfp_elem_inv(l->field, z, z), GFP_OK, NULL, "inv in place");
            lab_expect(l, z, expected, "inv in place", i, 0);
        } else {
            gfp_elem_one(l->field, z);
            lab_expect_status(gfp_elem_inv(l->field, z, x), GFP_ERR_NOT_INVERTIBLE, NULL, "inv 0");
            assert_true(gfp_elem_is_one(l->field, z));
        }
    }
    mpz_clear(expected);
    lab_free(z);
}

static void inv_agrees_with_the_oracle_and_refuses_zero(void **state)
{
    (void)state;
    lab_for_each(check_inverses);
}

static void check_power(const lab *l, const uint64_t *exponent, size_t n, size_t step)
{
    uint64_t *z = lab_array(l->k);
    mpz_t e, expected;
    mpz_inits(e, expected, NULL);
    oracle_set_words(e, exponent, n);
    for (size_t i = 0; i < l->count; i += step) {
        oracle_pow(&l->o, expected, l->values[i], e);
        gfp_elem_pow(l->field, z, lab_sample(l, i), exponent, n);
        lab_expect(l, z, expected, "pow", i, n);
        gfp_elem_set(l->field, z, lab_sample(l, i));
        gfp_elem_pow(l->field, z, z, exponent, n);
        lab_expect(l, z, expected, "pow in place", i, n);
    }
    mpz_clears(e, expected, NULL);
    lab_free(z);
}

static void check_powers(const lab *l)
{
    const uint64_t exponents[][3] = {
        {0, 0, 0},          {1, 0, 0}, {2, 0, 0},    {3, 0, 0},
        {UINT64_MAX, 0, 0}, {0, 1, 0}, {255, 77, 0}, {UINT64_C(0x123456789abcdef), UINT64_MAX, 1}};
    uint64_t *x = lab_array(l->k), *z = lab_array(l->k);
    uint64_t order[GFP_MAX_LIMBS];
    for (size_t i = 0; LAB_ROW(exponents, i); i++) {
        check_power(l, exponents[i], 3, i < 4 ? 1 : 5);
    }
    check_power(l, NULL, 0, 1);
    if (SANITIZED && l->k > 64) { /* the power is slow where p is long */
        lab_free(x);
        lab_free(z);
        return;
    }
    /* Fermat: x^(p-1) = 1, except that 0 stays 0. */
    gfp_elem_set_u64(l->field, x, 3);
    memcpy(order, gfp_field_modulus_limbs(l->field), gfp_field_limbs(l->field) * sizeof *order);
    order[0] -= 1;
    gfp_elem_pow(l->field, z, x, order, gfp_field_limbs(l->field));
    assert_true(gfp_elem_is_one(l->field, z));
    gfp_elem_zero(l->field, x);
    gfp_elem_pow(l->field, z, x, order, gfp_field_limbs(l->field));
    assert_true(gfp_elem_is_zero(l->field, z));
    lab_free(x);
    lab_free(z);
}

static void pow_agrees_with_the_oracle(void **state)
{
    (void)state;
    lab_for_each(check_powers);
}

/* ---- arrays ---- */

static void check_vec_operation(const lab *l, const operation *op, size_t n, size_t first)
{
    size_t k = l->k;
    uint64_t *x = lab_vector(l, n, first), *y = lab_vector(l, n, 3 * first + 1);
    uint64_t *expected = lab_array(n * k), *z = lab_array(n * k);
    for (size_t i = 0; i < n; i++) {
        op->elem(l->field, expected + i * k, x + i * k, y + i * k);
    }
    op->vec(l->field, z, x, y, n);
    lab_expect_digits(l, z, expected, n, op->name, n, first);
    gfp_vec_set(l->field, z, x, n);
    op->vec(l->field, z, z, y, n);
    lab_expect_digits(l, z, expected, n, "z == x", n, first);
    op->vec(l->field, y, x, y, n);
    lab_expect_digits(l, y, expected, n, "z == y", n, first);
    for (size_t i = 0; i < n; i++) {
        op->elem(l->field, expected + i * k, x + i * k, x + i * k);
    }
    op->vec(l->field, x, x, x, n);
    lab_expect_digits(l, x, expected, n, "z == x == y", n, first);
    lab_free(x);
    lab_free(y);
    lab_free(z);
    lab_free(expected);
}

static void check_vec_scalars(const lab *l, size_t n, size_t first)
{
    size_t k = l->k;
    unsigned s = (unsigned)(first % (2 * k));
    const uint64_t *c = lab_sample(l, 5 * first + 2);
    uint64_t *x = lab_vector(l, n, first);
    uint64_t *scaled = lab_array(n * k), *shifted = lab_array(n * k), *negated = lab_array(n * k);
    uint64_t *z = lab_array(n * k);
    for (size_t i = 0; i < n; i++) {
        gfp_elem_mul(l->field, scaled + i * k, x + i * k, c);
        gfp_elem_mul_r(l->field, shifted + i * k, x + i * k, s);
        gfp_elem_neg(l->field, negated + i * k, x + i * k);
    }
    gfp_vec_scalar_mul(l->field, z, x, c, n);
    lab_expect_digits(l, z, scaled, n, "vec_scale", n, first);
    gfp_vec_mul_r(l->field, z, x, s, n);
    lab_expect_digits(l, z, shifted, n, "vec_mul_r", n, s);
    gfp_vec_mul_r(l->field, z, x, s + 2 * l->k, n);
    lab_expect_digits(l, z, shifted, n, "vec_mul_r, s >= 2k", n, s);
    gfp_vec_neg(l->field, z, x, n);
    lab_expect_digits(l, z, negated, n, "vec_neg", n, first);
    gfp_vec_neg(l->field, z, z, n);
    lab_expect_digits(l, z, x, n, "vec_neg in place", n, first);
    gfp_vec_mul_r(l->field, z, z, s, n);
    lab_expect_digits(l, z, shifted, n, "vec_mul_r in place", n, s);
    gfp_vec_scalar_mul(l->field, x, x, c, n);
    lab_expect_digits(l, x, scaled, n, "vec_scale in place", n, first);
    lab_free(x);
    lab_free(z);
    lab_free(scaled);
    lab_free(shifted);
    lab_free(negated);
}

/* addmul, submul and dot by single products and sums. */
static void check_vec_sums(const lab *l, size_t n, size_t first)
{
    const gfp_field *f = l->field;
    const size_t k = l->k;
    uint64_t *x = lab_vector(l, n + 1, first), *y = lab_vector(l, n, 2 * first + 3);
    uint64_t *c = lab_vector(l, 1, 5 * first + 2), *t = lab_array(k), *dot = lab_array(k);
    uint64_t *plus = lab_vector(l, n, 2 * first + 3), *minus = lab_vector(l, n, 2 * first + 3);
    uint64_t *z = lab_array((n + 1) * k);
    gfp_elem_zero(f, dot);
    for (size_t i = 0; i < n; i++) {
        gfp_elem_mul(f, t, x + i * k, c);
        gfp_elem_add(f, plus + i * k, plus + i * k, t);
        gfp_elem_sub(f, minus + i * k, minus + i * k, t);
        gfp_elem_mul(f, t, x + i * k, y + i * k);
        gfp_elem_add(f, dot, dot, t);
    }
    gfp_vec_set(f, z, y, n);
    gfp_vec_scalar_addmul(f, z, x, c, n);
    lab_expect_digits(l, z, plus, n, "vec_addmul", n, first);
    gfp_vec_set(f, z, y, n);
    gfp_vec_scalar_submul(f, z, x, c, n);
    lab_expect_digits(l, z, minus, n, "vec_submul", n, first);
    gfp_vec_set(f, z, y, n);
    gfp_vec_scalar_submul(f, z, z, c, n);
    gfp_vec_scalar_addmul(f, z, y, c, n);
    lab_expect_digits(l, z, y, n, "vec_submul in place, and back", n, first);
    gfp_vec_dot(f, z, x, y, n);
    lab_expect_digits(l, z, dot, 1, "vec_dot", n, first);
    gfp_vec_set(f, z, x, n + 1);
    gfp_vec_dot(f, z, z, y, n);
    lab_expect_digits(l, z, dot, 1, "vec_dot, z in x", n, first);
    lab_free(x);
    lab_free(y);
    lab_free(c);
    lab_free(t);
    lab_free(dot);
    lab_free(plus);
    lab_free(minus);
    lab_free(z);
}

static const size_t lengths[] = {0, 1, 7, MANY};
#define LENGTHS (sizeof lengths / sizeof lengths[0])

static void check_vec(const lab *l)
{
    for (size_t i = 0; i < LENGTHS; i++) {
        for (size_t first = 0; first < l->count; first += 3) {
            for (size_t op = 0; op < OPERATIONS; op++) {
                check_vec_operation(l, &operations[op], lengths[i], first);
            }
            check_vec_scalars(l, lengths[i], first);
            check_vec_sums(l, lengths[i], first);
        }
    }
}

static void vec_functions_equal_elem_functions(void **state)
{
    (void)state;
    lab_for_each(check_vec);
}

static void check_halving(const lab *l, unsigned j)
{
    uint64_t *x = lab_vector(l, l->count, 0);
    uint64_t *z = lab_array(l->count * l->k);
    mpz_t power, expected;
    mpz_inits(power, expected, NULL);
    oracle_half_power(&l->o, power, j);
    gfp_vec_div_2exp(l->field, z, x, j, l->count);
    gfp_vec_div_2exp(l->field, x, x, j, l->count);
    for (size_t i = 0; i < l->count; i++) {
        oracle_mul(&l->o, expected, l->values[i], power);
        lab_expect(l, z + i * l->k, expected, "div_2exp", i, j);
    }
    lab_expect_digits(l, x, z, l->count, "div_2exp in place", j, 0);
    gfp_vec_div_2exp(l->field, z, x, j, 0);
    mpz_clears(power, expected, NULL);
    lab_free(x);
    lab_free(z);
}

static void check_halvings(const lab *l)
{
    unsigned v = gfp_field_v2_order(l->field) / l->k;
    const unsigned exponents[] = {
        0,   1,  2,  3,  5,  v - 1, v,   v + 1, 2 * v,    2 * v + 3,
        31,  32, 63, 64, 65, 127,   128, 200,   v * l->k, 2 * v * l->k - 1,
        1500};
    for (size_t i = 0; LAB_ROW(exponents, i); i++) {
        check_halving(l, exponents[i]);
    }
}

static void div_2exp_agrees_with_the_oracle(void **state)
{
    (void)state;
    lab_for_each(check_halvings);
}

/* Nonzero elements: the samples without zeros. */
static uint64_t *elem_units(const lab *l, size_t n)
{
    uint64_t *x = lab_array(n * l->k);
    for (size_t i = 0, from = 0; i < n; from++) {
        if (mpz_sgn(l->values[from % l->count]) != 0) {
            memcpy(x + i * l->k, lab_sample(l, from), l->k * sizeof *x);
            i++;
        }
    }
    return x;
}

static void check_batch_inverse(const lab *l)
{
    size_t k = l->k;
    uint64_t *x = elem_units(l, MANY), *expected = lab_array(MANY * k), *z = lab_array(MANY * k);
    gfp_error error = {0};
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(gfp_elem_inv(l->field, expected + i * k, x + i * k), GFP_OK);
    }
    for (size_t n = 0; n <= MANY; n++) {
        memset(z, 0xff, MANY * k * sizeof *z);
        assert_int_equal(gfp_vec_inv(l->field, z, x, n, &error), GFP_OK);
        lab_expect_digits(l, z, expected, n, "vec_inv", n, 0);
        for (size_t i = n * k; i < MANY * k; i++) {
            assert_true(z[i] == UINT64_MAX);
        }
        memcpy(z, x, n * k * sizeof *z);
        assert_int_equal(gfp_vec_inv(l->field, z, z, n, &error), GFP_OK);
        lab_expect_digits(l, z, expected, n, "vec_inv in place", n, 0);
    }
    for (size_t zero = 0; zero < MANY; zero += 8) {
        memset(x + zero * k, 0, k * sizeof *x);
        memset(x + (MANY - 1) * k, 0, k * sizeof *x);
        memcpy(z, expected, MANY * k * sizeof *x);
        lab_expect_status(gfp_vec_inv(l->field, z, x, MANY, &error), GFP_ERR_NOT_INVERTIBLE, &error,
                          "vec_inv with a zero");
        assert_int_equal(error.index, zero);
        assert_int_equal(gfp_vec_inv(l->field, z, x, MANY, NULL), GFP_ERR_NOT_INVERTIBLE);
        lab_expect_digits(l, z, expected, MANY, "vec_inv changed its output", zero, 0);
        lab_free(x);
        x = elem_units(l, MANY);
    }
    lab_free(x);
    lab_free(z);
    lab_free(expected);
}

static void vec_inv_equals_inv_and_names_the_first_zero(void **state)
{
    (void)state;
    lab_for_each(check_batch_inverse);
}

static void check_simple(const lab *l)
{
    size_t n = 5;
    uint64_t *x = lab_vector(l, n, 9), *z = lab_array(n * l->k);
    gfp_vec_set(l->field, z, x, n);
    assert_true(gfp_vec_equal(l->field, z, x, n));
    z[n * l->k - 1] ^= 1;
    assert_false(gfp_vec_equal(l->field, z, x, n));
    assert_true(gfp_vec_equal(l->field, z, x, n - 1));
    assert_true(gfp_vec_equal(l->field, z, x, 0));
    gfp_vec_zero(l->field, z, n);
    for (size_t i = 0; i < n; i++) {
        assert_true(gfp_elem_is_zero(l->field, z + i * l->k));
        assert_false(gfp_elem_is_one(l->field, z + i * l->k));
    }
    gfp_elem_one(l->field, z);
    assert_true(z[0] == 1 && gfp_elem_is_one(l->field, z) && !gfp_elem_is_zero(l->field, z));
    z[l->k - 1] = 1; /* 1 + r^(k-1) */
    assert_false(gfp_elem_is_one(l->field, z));
    z[0] = 0;
    assert_false(gfp_elem_is_zero(l->field, z));
    for (size_t i = 0; i < l->count; i++) {
        assert_true(gfp_elem_equal(l->field, lab_sample(l, i), lab_sample(l, i)));
        assert_int_equal(gfp_elem_equal(l->field, lab_sample(l, i), lab_sample(l, 0)),
                         mpz_cmp(l->values[i], l->values[0]) == 0);
        assert_int_equal(gfp_elem_is_zero(l->field, lab_sample(l, i)), mpz_sgn(l->values[i]) == 0);
    }
    lab_free(x);
    lab_free(z);
}

static void zero_one_copy_and_equality(void **state)
{
    (void)state;
    lab_for_each(check_simple);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add_sub_mul_agree_with_the_oracle_on_all_pairs),
        cmocka_unit_test(add_sub_mul_agree_with_the_oracle_on_random_pairs),
        cmocka_unit_test(outputs_may_equal_inputs),
        cmocka_unit_test(neg_and_sqr_agree_with_the_oracle),
        cmocka_unit_test(mul_r_agrees_with_the_oracle_for_every_shift),
        cmocka_unit_test(inv_agrees_with_the_oracle_and_refuses_zero),
        cmocka_unit_test(pow_agrees_with_the_oracle),
        cmocka_unit_test(vec_functions_equal_elem_functions),
        cmocka_unit_test(div_2exp_agrees_with_the_oracle),
        cmocka_unit_test(vec_inv_equals_inv_and_names_the_first_zero),
        cmocka_unit_test(zero_one_copy_and_equality),
    };
    return cmocka_run_group_tests(tests, lab_setup_all, lab_teardown);
}
