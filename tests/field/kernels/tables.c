/* tables.c: every entry of every kernel table against the slow twin, and the slow twin
 * against the oracle; the two general products and the steps of the FFT-based one. Sums and linear
 * combinations: sums.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "field/kernels/lab.h"

#include "field/base/mul_fft.h"
#include "lab/sanitized.h"

#define COUNT 40
#define MAX_C 32768

/* ---- add, sub, mul_r, div_2exp ---- */

static void check_add_sub(const bench *b)
{
    const gfp_field *f = b->l->field;
    size_t n = b->l->count, k = b->l->k;
    uint64_t *expected = lab_array(n * k), *z = lab_array(n * k);
    for (size_t shift = 0; shift < n; shift++) {
        uint64_t *x = lab_vector(b->l, n, 0), *y = lab_vector(b->l, n, shift);
        b->slow->add(f, expected, x, y, n);
        b->fast->add(f, z, x, y, n);
        expect_same(b, z, expected, n, "add", n, shift);
        memcpy(z, x, lab_bytes(b, n));
        b->fast->add(f, z, z, y, n);
        expect_same(b, z, expected, n, "add, z == x", n, shift);
        b->slow->sub(f, expected, x, y, n);
        b->fast->sub(f, z, x, y, n);
        expect_same(b, z, expected, n, "sub", n, shift);
        b->fast->sub(f, y, x, y, n);
        expect_same(b, y, expected, n, "sub, z == y", n, shift);
        lab_free(x);
        lab_free(y);
    }
    lab_free(expected);
    lab_free(z);
}

static void add_and_sub_equal_their_twins(void **state)
{
    (void)state;
    for_each_table(check_add_sub);
}

static void check_shifts(const bench *b)
{
    const gfp_field *f = b->l->field;
    size_t n = b->l->count, k = b->l->k;
    uint64_t *x = lab_vector(b->l, n, 0), *expected = lab_array(n * k), *z = lab_array(n * k);
    for (unsigned s = 0; s < 2 * k; s++) {
        b->slow->mul_r(f, expected, x, s, n);
        b->fast->mul_r(f, z, x, s, n);
        expect_same(b, z, expected, n, "mul_r", s, 0);
        memcpy(z, x, lab_bytes(b, n));
        b->fast->mul_r(f, z, z, s, n);
        expect_same(b, z, expected, n, "mul_r in place", s, 0);
    }
    for (unsigned j = 0; j <= gfp_field_v2_order(f) / k; j++) {
        b->slow->div_2exp(f, expected, x, j, n);
        b->fast->div_2exp(f, z, x, j, n);
        expect_same(b, z, expected, n, "div_2exp", j, 0);
        memcpy(z, x, lab_bytes(b, n));
        b->fast->div_2exp(f, z, z, j, n);
        expect_same(b, z, expected, n, "div_2exp in place", j, 0);
    }
    lab_free(x);
    lab_free(z);
    lab_free(expected);
}

static void mul_r_and_div_2exp_equal_their_twins(void **state)
{
    (void)state;
    for_each_table(check_shifts);
}

/* ---- butterflies ---- */

/* Compares all tables of a field with one run of the slow twin. */
static void check_butterfly(const lab *l, const lab_tables *all, bool inverse, unsigned s,
                            size_t first)
{
    uint64_t *u = lab_vector(l, COUNT, 0), *v = lab_vector(l, COUNT, first);
    const gfp_kernels *slow = &gfp_kernels_reference;
    (inverse ? slow->butterfly_inverse : slow->butterfly)(l->field, u, v, s, COUNT);
    for (size_t t = 0; t < all->count; t++) {
        const bench b = {l, all->table[t], slow};
        uint64_t *x = lab_vector(l, COUNT, 0), *y = lab_vector(l, COUNT, first);
        (inverse ? b.fast->butterfly_inverse : b.fast->butterfly)(l->field, x, y, s, COUNT);
        expect_same(&b, x, u, COUNT, "butterfly, x", s, first);
        expect_same(&b, y, v, COUNT, "butterfly, y", s, first);
        lab_free(x);
        lab_free(y);
    }
    lab_free(u);
    lab_free(v);
}

static void check_butterflies(const lab *l)
{
    const lab_tables all = lab_tables_of(l);
    if (all.table[0]->butterfly == gfp_kernels_reference.butterfly) {
        assert_true(all.table[0]->butterfly_inverse == gfp_kernels_reference.butterfly_inverse);
        assert_int_equal(all.count, 1); /* the generic table has the twins themselves */
        return;
    }
    for (unsigned s = 0; s < 2 * l->k; s += SANITIZED && l->k > 8 ? 5 : 1) {
        for (size_t first = s % 3; first<l->count; first += l->k> 32 ? 13 : 3) {
            check_butterfly(l, &all, false, s, first);
            check_butterfly(l, &all, true, s, first);
        }
    }
}

static void butterflies_equal_their_twins(void **state)
{
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        check_butterflies(&lab_fields[i]);
    }
}

/* The twin by the oracle: (x + y r^s, x - y r^s), then (x + y, (x - y) r^-s) doubles both. */
static void check_butterfly_oracle(const lab *l, unsigned s, size_t i, size_t j)
{
    uint64_t *x = lab_vector(l, 1, i), *y = lab_vector(l, 1, j);
    mpz_t power, t, z;
    mpz_inits(power, t, z, NULL);
    oracle_r_power(&l->o, power, s);
    oracle_mul(&l->o, t, l->values[j], power);
    gfp_kernels_reference.butterfly(l->field, x, y, s, 1);
    oracle_add(&l->o, z, l->values[i], t);
    lab_expect(l, x, z, "x + y r^s", i, j);
    oracle_sub(&l->o, z, l->values[i], t);
    lab_expect(l, y, z, "x - y r^s", i, j);
    gfp_kernels_reference.butterfly_inverse(l->field, x, y, s, 1);
    oracle_add(&l->o, z, l->values[i], l->values[i]);
    lab_expect(l, x, z, "2 x", i, j);
    oracle_add(&l->o, z, l->values[j], l->values[j]);
    lab_expect(l, y, z, "2 y", i, j);
    mpz_clears(power, t, z, NULL);
    lab_free(x);
    lab_free(y);
}

static void the_reference_butterflies_agree_with_the_oracle(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (unsigned s = 0; s < 2 * l->k; s++) {
            for (size_t i = 0; i < l->count; i += 5) {
                check_butterfly_oracle(l, s, i, (i + s) % l->count);
            }
        }
    }
}

/* ---- products ---- */

static void check_mul(const bench *b)
{
    const gfp_field *f = b->l->field;
    size_t k = b->l->k;
    uint64_t *x = lab_vector(b->l, COUNT, 0), *y = lab_vector(b->l, COUNT, 0);
    uint64_t *expected = lab_array(COUNT * k), *z = lab_array(COUNT * k);
    for (size_t first = 0; first<b->l->count; first += k> 32 ? 5 : 1) {
        unsigned s = (unsigned)(first * 7 % (2 * k));
        for (size_t i = 0; i < COUNT; i++) {
            memcpy(y + i * k, lab_sample(b->l, first + i), lab_bytes(b, 1));
        }
        b->slow->mul(f, expected, x, k, y, k, s, COUNT);
        b->fast->mul(f, z, x, k, y, k, s, COUNT);
        expect_same(b, z, expected, COUNT, "mul", first, s);
        memcpy(z, x, lab_bytes(b, COUNT));
        b->fast->mul(f, z, z, k, y, k, s, COUNT);
        expect_same(b, z, expected, COUNT, "mul, z == x", first, s);
        b->slow->mul(f, expected, x, k, y, 0, s, COUNT);
        b->fast->mul(f, z, x, k, y, 0, s, COUNT);
        expect_same(b, z, expected, COUNT, "mul by one y", first, s);
        b->slow->mul(f, expected, y, 0, x, k, s, COUNT);
        b->fast->mul(f, z, y, 0, x, k, s, COUNT);
        expect_same(b, z, expected, COUNT, "mul of one x", first, s);
    }
    lab_free(x);
    lab_free(y);
    lab_free(z);
    lab_free(expected);
}

static void check_mul_one(const bench *b)
{
    const lab *l = b->l;
    uint64_t *z = lab_array(l->k), *expected = lab_array(l->k);
    for (size_t i = 0; i < l->count; i++) {
        for (size_t j = 0; j<l->count; j += l->k> 32 ? 7 : 1) {
            b->slow->mul_one(l->field, expected, lab_sample(l, i), lab_sample(l, j));
            b->fast->mul_one(l->field, z, lab_sample(l, i), lab_sample(l, j));
            expect_same(b, z, expected, 1, "mul_one", i, j);
        }
        memcpy(z, lab_sample(l, i), lab_bytes(b, 1));
        b->slow->mul_one(l->field, expected, z, z);
        b->fast->mul_one(l->field, z, z, z);
        expect_same(b, z, expected, 1, "mul_one, z == x == y", i, i);
    }
    lab_free(z);
    lab_free(expected);
}

static void mul_one_equals_its_twin(void **state)
{
    (void)state;
    for_each_table(check_mul_one);
}

static void mul_equals_its_twin(void **state)
{
    (void)state;
    for_each_table(check_mul);
}

static void check_mul_shift(const lab *l)
{
    uint64_t *z = lab_array(l->k);
    mpz_t product, power;
    mpz_inits(product, power, NULL);
    for (unsigned s = 0; s < 2 * l->k; s++) {
        size_t i = s % l->count, j = (3 * s + 20) % l->count;
        oracle_r_power(&l->o, power, s);
        oracle_mul(&l->o, product, l->values[i], l->values[j]);
        oracle_mul(&l->o, product, product, power);
        gfp_kernels_reference.mul(l->field, z, lab_sample(l, i), l->k, lab_sample(l, j), l->k, s,
                                  1);
        lab_expect(l, z, product, "x y r^s", i, j);
    }
    mpz_clears(product, power, NULL);
    lab_free(z);
}

static void the_reference_mul_agrees_with_the_oracle(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        check_mul_shift(&lab_fields[f]);
    }
}

static void check_both_products(const lab *l, size_t i, size_t j)
{
    uint64_t *z = lab_array(l->k);
    mpz_t expected;
    mpz_init(expected);
    oracle_mul(&l->o, expected, l->values[i], l->values[j]);
    gfp_mul_plain(l->field, z, lab_sample(l, i), lab_sample(l, j));
    lab_expect(l, z, expected, "mul_plain", i, j);
    gfp_mul_fft(l->field, z, lab_sample(l, i), lab_sample(l, j));
    lab_expect(l, z, expected, "mul_fft", i, j);
    memcpy(z, lab_sample(l, i), l->k * sizeof *z);
    gfp_mul_fft(l->field, z, z, lab_sample(l, j));
    lab_expect(l, z, expected, "mul_fft, z == x", i, j);
    memcpy(z, lab_sample(l, j), l->k * sizeof *z);
    gfp_mul_plain(l->field, z, lab_sample(l, i), z);
    lab_expect(l, z, expected, "mul_plain, z == y", i, j);
    mpz_clear(expected);
    lab_free(z);
}

static void both_products_agree_with_the_oracle_on_all_pairs(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < l->count; i++) {
            for (size_t j = 0; j<l->count; j += l->k> 64 ? 1 + i % 3 : 1) {
                check_both_products(l, i, j);
            }
        }
    }
}

/* ---- the steps of the FFT-based product ---- */

/* z := the 192-bit two's complement integer. */
static void get_wide(mpz_t z, uint64_t u0, uint64_t u1, uint64_t u2)
{
    const uint64_t words[3] = {u0, u1, u2};
    mpz_t modulus;
    oracle_set_words(z, words, 3);
    if (u2 >> 63 != 0) {
        mpz_init_set_ui(modulus, 1);
        mpz_mul_2exp(modulus, modulus, 192);
        mpz_sub(z, z, modulus);
        mpz_clear(modulus);
    }
}

/* u_i := the coefficient i of x y mod (T^k + 1) over the integers. */
static void tables_column(const lab *l, mpz_t u, const uint64_t *x, const uint64_t *y, unsigned i)
{
    mpz_t a, c;
    mpz_inits(a, c, NULL);
    mpz_set_ui(u, 0);
    for (unsigned j = 0; j < l->k; j++) {
        oracle_set_u64(a, x[j]);
        oracle_set_u64(c, y[(i + l->k - j) % l->k]);
        if (j <= i) {
            mpz_addmul(u, a, c);
        } else {
            mpz_submul(u, a, c);
        }
    }
    mpz_clears(a, c, NULL);
}

/* u = l + h r + c r^2 with the ranges that [M] states. */
static void expect_split(const lab *l, const gfp_columns *columns, unsigned i, const mpz_t u)
{
    mpz_t sum, t;
    assert_true(columns->l[i] < l->o.r && columns->h[i] < l->o.r);
    assert_true(columns->c[i] >= -(int64_t)l->k && columns->c[i] <= (int64_t)l->k);
    mpz_inits(sum, t, NULL);
    oracle_set_u64(t, l->o.r);
    mpz_mul_si(sum, t, (long)columns->c[i]);
    mpz_mul(sum, sum, t);
    mpz_addmul_ui(sum, t, (unsigned long)columns->h[i]);
    oracle_set_u64(t, columns->l[i]);
    mpz_add(sum, sum, t);
    assert_int_equal(mpz_cmp(sum, u), 0);
    mpz_clears(sum, t, NULL);
}

static void check_steps(const lab *l, size_t i, size_t j)
{
    gfp_mul_fft_residues residues;
    gfp_wide_columns wide;
    gfp_columns columns;
    const uint64_t *x = lab_sample(l, i), *y = lab_sample(l, j);
    uint64_t *z = lab_array(l->k);
    mpz_t expected, u;
    mpz_inits(expected, u, NULL);
    gfp_mul_fft_convolution(l->field, &residues, x, y);
    gfp_mul_fft_crt(l->field, &wide, &residues);
    gfp_mul_fft_split(l->field, &columns, &wide);
    for (unsigned place = 0; place < l->k; place++) {
        tables_column(l, expected, x, y, place);
        get_wide(u, wide.u0[place], wide.u1[place], wide.u2[place]);
        assert_int_equal(mpz_cmp(u, expected), 0);
        expect_split(l, &columns, place, expected);
    }
    oracle_mul(&l->o, expected, l->values[i], l->values[j]);
    gfp_kernels_reference.normalize(l->field, z, &columns);
    lab_expect(l, z, expected, "normalize", i, j);
    mpz_clears(expected, u, NULL);
    lab_free(z);
}

static void the_steps_of_the_fft_product_are_exact(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < l->count; i++) {
            check_steps(l, i, (7 * i + 5) % l->count);
            check_steps(l, i, i);
        }
        check_steps(l, 21, 28); /* r - 1 everywhere against alternating digits */
    }
}

static void two_primes_suffice_exactly_where_the_papers_say(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const oracle_field *e = lab_fields[f].entry;
        if (e->named) {
            assert_int_equal(gfp_mul_fft_prime_count(lab_fields[f].field),
                             e->text[0] == 'm' ? 2 : 3);
        }
    }
}

/* ---- normalize ---- */

/* z := sum (l_i + h_i r + c_i r^2) r^i. */
static void columns_value(const lab *l, mpz_t z, const gfp_columns *columns)
{
    mpz_t r, t;
    mpz_inits(r, t, NULL);
    oracle_set_u64(r, l->o.r);
    mpz_set_ui(z, 0);
    for (unsigned i = l->k; i-- > 0;) {
        mpz_mul(z, z, r);
        mpz_mul_si(t, r, (long)columns->c[i]);
        mpz_add_ui(t, t, (unsigned long)columns->h[i]);
        mpz_mul(t, t, r);
        mpz_add(z, z, t);
        mpz_add_ui(z, z, (unsigned long)columns->l[i]);
    }
    mpz_mod(z, z, l->o.p);
    mpz_clears(r, t, NULL);
}

/* The pattern of digits for one number: each column draws from the same few extremes. */
static void fill_columns(const lab *l, gfp_columns *columns, unsigned pattern, uint64_t *seed)
{
    const int64_t c[] = {0, MAX_C, -MAX_C, 1, -1};
    uint64_t r = l->o.r;
    for (unsigned i = 0; i < l->k; i++) {
        unsigned p = pattern < 45 ? pattern : (unsigned)(oracle_random(seed) % 45);
        const uint64_t digit[] = {0, r - 1, oracle_random(seed) % r};
        columns->l[i] = digit[p % 3];
        columns->h[i] = digit[p / 3 % 3];
        columns->c[i] = c[p / 9];
    }
}

static void check_normalize(const bench *b)
{
    const lab *l = b->l;
    uint64_t seed = 3;
    uint64_t *z = lab_array(l->k);
    mpz_t expected;
    mpz_init(expected);
    for (unsigned pattern = 0; pattern < 100; pattern++) {
        gfp_columns columns;
        fill_columns(l, &columns, pattern, &seed);
        columns_value(l, expected, &columns);
        b->slow->normalize(l->field, z, &columns);
        lab_expect(l, z, expected, "normalize of the reference", pattern, 0);
        b->fast->normalize(l->field, z, &columns);
        lab_expect(l, z, expected, "normalize", pattern, 0);
    }
    mpz_clear(expected);
    lab_free(z);
}

static void normalize_agrees_with_the_oracle(void **state)
{
    (void)state;
    for_each_table(check_normalize);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add_and_sub_equal_their_twins),
        cmocka_unit_test(mul_r_and_div_2exp_equal_their_twins),
        cmocka_unit_test(butterflies_equal_their_twins),
        cmocka_unit_test(the_reference_butterflies_agree_with_the_oracle),
        cmocka_unit_test(mul_one_equals_its_twin),
        cmocka_unit_test(mul_equals_its_twin),
        cmocka_unit_test(the_reference_mul_agrees_with_the_oracle),
        cmocka_unit_test(both_products_agree_with_the_oracle_on_all_pairs),
        cmocka_unit_test(the_steps_of_the_fft_product_are_exact),
        cmocka_unit_test(two_primes_suffice_exactly_where_the_papers_say),
        cmocka_unit_test(normalize_agrees_with_the_oracle),
    };
    return cmocka_run_group_tests(tests, lab_setup_all, lab_teardown);
}
