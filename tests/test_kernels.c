/* test_kernels.c: every entry of every kernel table against the slow twin, and the slow twin
 * against the oracle; the two general products and the steps of the FFT-based one.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab.h"

#include <stdio.h>
#include <string.h>

#include "kernels.h"
#include "mul_fft.h"
#include "sanitized.h"

#define COUNT 40
#define MAX_C 32768

/* A table under test over a field; slow is the reference. */
typedef struct bench {
    const lab *l;
    const gfp_kernels *fast;
    const gfp_kernels *slow;
} bench;

/* Runs check on every table that serves a field. */
static void for_each_table(void (*check)(const bench *b))
{
    for (size_t i = 0; i < oracle_field_count; i++) {
        const lab *l = &lab_fields[i];
        const gfp_kernels *used = gfp_field_kernels(l->field);
        const gfp_kernels *portable = gfp_kernels_portable(l->k, l->o.r);
        bench b = {l, used, &gfp_kernels_reference};
        if (l->o.r >= GFP_FAST_R_MIN && l->o.r <= GFP_FAST_R_MAX) {
            assert_non_null(portable);
        }
        check(&b);
        const gfp_kernels *below = NULL;
        for (int level = GFP_LEVEL_PORTABLE; level < GFP_LEVEL_COUNT; level++) {
            b.fast = gfp_kernels_get((gfp_level)level, l->k, l->o.r);
            if (gfp_cpu_has((gfp_level)level) && b.fast != used && b.fast != below) {
                check(&b);
            }
            below = b.fast;
        }
    }
}

static void expect_same(const bench *b, const uint64_t *z, const uint64_t *expected, size_t n,
                        const char *what, size_t i, size_t j)
{
    char text[80];
    snprintf(text, sizeof text, "%s of %s", what, b->fast->name);
    lab_expect_digits(b->l, z, expected, n, text, i, j);
}

static size_t bytes(const bench *b, size_t n)
{
    return n * b->l->k * sizeof(uint64_t);
}

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
        memcpy(z, x, bytes(b, n));
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
        memcpy(z, x, bytes(b, n));
        b->fast->mul_r(f, z, z, s, n);
        expect_same(b, z, expected, n, "mul_r in place", s, 0);
    }
    for (unsigned j = 0; j <= gfp_field_v2_r(f); j++) {
        b->slow->div_2exp(f, expected, x, j, n);
        b->fast->div_2exp(f, z, x, j, n);
        expect_same(b, z, expected, n, "div_2exp", j, 0);
        memcpy(z, x, bytes(b, n));
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

typedef void butterfly_kernel(const gfp_field *field, uint64_t *x, uint64_t *y, unsigned s,
                              size_t n);

static void check_butterfly(const bench *b, butterfly_kernel *fast, butterfly_kernel *slow,
                            unsigned s, size_t first)
{
    uint64_t *x = lab_vector(b->l, COUNT, 0), *y = lab_vector(b->l, COUNT, first);
    uint64_t *u = lab_vector(b->l, COUNT, 0), *v = lab_vector(b->l, COUNT, first);
    fast(b->l->field, x, y, s, COUNT);
    slow(b->l->field, u, v, s, COUNT);
    expect_same(b, x, u, COUNT, "butterfly, x", s, first);
    expect_same(b, y, v, COUNT, "butterfly, y", s, first);
    lab_free(x);
    lab_free(y);
    lab_free(u);
    lab_free(v);
}

static void check_butterflies(const bench *b)
{
    for (unsigned s = 0; s < 2 * b->l->k; s += SANITIZED && b->l->k > 8 ? 5 : 1) {
        for (size_t first = s % 3; first<b->l->count; first += b->l->k> 32 ? 13 : 3) {
            check_butterfly(b, b->fast->butterfly, b->slow->butterfly, s, first);
            check_butterfly(b, b->fast->butterfly_inverse, b->slow->butterfly_inverse, s, first);
        }
    }
}

static void butterflies_equal_their_twins(void **state)
{
    (void)state;
    for_each_table(check_butterflies);
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
    for (size_t f = 0; f < oracle_field_count; f++) {
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
            memcpy(y + i * k, lab_sample(b->l, first + i), bytes(b, 1));
        }
        b->slow->mul(f, expected, x, k, y, k, s, COUNT);
        b->fast->mul(f, z, x, k, y, k, s, COUNT);
        expect_same(b, z, expected, COUNT, "mul", first, s);
        memcpy(z, x, bytes(b, COUNT));
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
        memcpy(z, lab_sample(l, i), bytes(b, 1));
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
    for (size_t f = 0; f < oracle_field_count; f++) {
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
    for (size_t f = 0; f < oracle_field_count; f++) {
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
static void column(const lab *l, mpz_t u, const uint64_t *x, const uint64_t *y, unsigned i)
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
        column(l, expected, x, y, place);
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
    for (size_t f = 0; f < oracle_field_count; f++) {
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
    for (size_t f = 0; f < oracle_field_count; f++) {
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

/* ---- sums ---- */

static void check_dot_length(const bench *b, size_t n)
{
    const lab *l = b->l;
    uint64_t *x = lab_vector(l, n, 0), *y = lab_vector(l, n, 17), *z = lab_array(l->k);
    mpz_t sum;
    mpz_init(sum);
    for (size_t i = 0; i < n; i++) {
        mpz_addmul(sum, l->values[i % l->count], l->values[(17 + i) % l->count]);
    }
    mpz_mod(sum, sum, l->o.p);
    b->fast->dot(l->field, z, x, y, (ptrdiff_t)l->k, n);
    lab_expect(l, z, sum, "dot", n, 0);
    b->slow->dot(l->field, z, x, y, (ptrdiff_t)l->k, n);
    lab_expect(l, z, sum, "dot of the reference", n, 0);
    mpz_clear(sum);
    lab_free(x);
    lab_free(y);
    lab_free(z);
}

static void check_dot(const bench *b)
{
    const size_t lengths[] = {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 64, 65, 100, 129};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        check_dot_length(b, lengths[i]);
    }
}

static void dot_agrees_with_the_oracle(void **state)
{
    (void)state;
    for_each_table(check_dot);
}

static void check_reversed_dot(const bench *b)
{
    const lab *l = b->l;
    const size_t n = 23, k = l->k;
    uint64_t *x = lab_vector(l, n, 3), *y = lab_vector(l, n, 11), *z = lab_array(k);
    mpz_t sum;
    mpz_init(sum);
    for (size_t i = 0; i < n; i++) {
        mpz_addmul(sum, l->values[(3 + i) % l->count], l->values[(11 + n - 1 - i) % l->count]);
    }
    mpz_mod(sum, sum, l->o.p);
    b->fast->dot(l->field, z, x, y + (n - 1) * k, -(ptrdiff_t)k, n);
    lab_expect(l, z, sum, "dot that runs down", n, 0);
    b->slow->dot(l->field, z, x, y + (n - 1) * k, -(ptrdiff_t)k, n);
    lab_expect(l, z, sum, "dot of the reference that runs down", n, 0);
    mpz_clear(sum);
    lab_free(x);
    lab_free(y);
    lab_free(z);
}

static void dot_runs_down_one_array(void **state)
{
    (void)state;
    for_each_table(check_reversed_dot);
}

/* ---- linear combinations ---- */

#define ROW_SIZE 20
#define MAX_ROWS 270

/* Arrays for combinations of n elements: rows[j] begins at element j mod 3 of the array x. */
typedef struct combination {
    uint64_t *x;
    uint64_t *c;
    uint64_t *z;
    uint64_t *expected;
    const uint64_t *rows[MAX_ROWS];
} combination;

static combination combination_new(const lab *l, size_t count, size_t first)
{
    combination w = {lab_vector(l, ROW_SIZE, first),
                     lab_vector(l, count, 3 * first + 1),
                     lab_vector(l, ROW_SIZE, first + 5),
                     lab_array(ROW_SIZE * l->k),
                     {NULL}};
    for (size_t j = 0; j < count; j++) {
        w.rows[j] = w.x + j % 3 * l->k;
    }
    return w;
}

static void combination_free(const combination *w)
{
    lab_free(w->x);
    lab_free(w->c);
    lab_free(w->z);
    lab_free(w->expected);
}

static void check_lincomb_size(const bench *b, size_t count, size_t n, size_t first)
{
    const gfp_field *f = b->l->field;
    combination w = combination_new(b->l, count, first);
    b->slow->lincomb(f, w.expected, NULL, w.c, w.rows, count, n);
    b->fast->lincomb(f, w.z, NULL, w.c, w.rows, count, n);
    expect_same(b, w.z, w.expected, n, "lincomb", count, n);
    b->slow->lincomb(f, w.expected, w.x + b->l->k, w.c, w.rows, count, n);
    b->fast->lincomb(f, w.z, w.x + b->l->k, w.c, w.rows, count, n);
    expect_same(b, w.z, w.expected, n, "lincomb and an array", count, n);
    /* In place: row 0, or the array that is added. */
    memcpy(w.z, w.expected, bytes(b, n));
    b->fast->lincomb(f, w.z, w.z, w.c, w.rows, count, n);
    b->slow->lincomb(f, w.expected, w.expected, w.c, w.rows, count, n);
    expect_same(b, w.z, w.expected, n, "lincomb, z == a", count, n);
    if (count > 0) {
        w.rows[count - 1] = w.z;
        b->slow->lincomb(f, w.expected, w.x, w.c, w.rows, count, n);
        b->fast->lincomb(f, w.z, w.x, w.c, w.rows, count, n);
        expect_same(b, w.z, w.expected, n, "lincomb, z == a row", count, n);
    }
    combination_free(&w);
}

/* The same with factors of each element's own: row j of y begins at element j mod 2. */
static void check_dot_rows_size(const bench *b, size_t count, size_t n, size_t first)
{
    const gfp_field *f = b->l->field;
    const uint64_t *y[MAX_ROWS];
    combination w = combination_new(b->l, count, first);
    uint64_t *factors = lab_vector(b->l, ROW_SIZE, 5 * first + 2);
    for (size_t j = 0; j < count; j++) {
        y[j] = factors + j % 2 * b->l->k;
    }
    b->slow->dot_rows(f, w.expected, NULL, w.rows, y, count, n);
    b->fast->dot_rows(f, w.z, NULL, w.rows, y, count, n);
    expect_same(b, w.z, w.expected, n, "dot_rows", count, n);
    b->slow->dot_rows(f, w.expected, w.x + b->l->k, w.rows, y, count, n);
    b->fast->dot_rows(f, w.z, w.x + b->l->k, w.rows, y, count, n);
    expect_same(b, w.z, w.expected, n, "dot_rows and an array", count, n);
    memcpy(w.z, w.expected, bytes(b, n));
    b->fast->dot_rows(f, w.z, w.z, w.rows, y, count, n);
    b->slow->dot_rows(f, w.expected, w.expected, w.rows, y, count, n);
    expect_same(b, w.z, w.expected, n, "dot_rows, z == a", count, n);
    if (count > 0) {
        w.rows[count - 1] = w.z;
        b->slow->dot_rows(f, w.expected, w.x, w.rows, y, count, n);
        b->fast->dot_rows(f, w.z, w.x, w.rows, y, count, n);
        expect_same(b, w.z, w.expected, n, "dot_rows, z == a row", count, n);
    }
    lab_free(factors);
    combination_free(&w);
}

/* Elements that lie anywhere. */
static void check_lincomb_at(const bench *b, size_t count, size_t n)
{
    const gfp_field *f = b->l->field;
    const uint64_t *places[GFP_GATHER_TERMS * 20];
    const size_t k = b->l->k;
    combination w = combination_new(b->l, count, n);
    uint64_t *rows = lab_array(count * n * k);
    const uint64_t *row[GFP_GATHER_TERMS];
    for (size_t j = 0; j < count; j++) {
        row[j] = rows + j * n * k;
        for (size_t i = 0; i < n; i++) {
            const size_t from = (5 * i + 3 * j) % (n + 1);
            places[j * n + i] = w.x + from * k;
            memcpy(rows + (j * n + i) * k, w.x + from * k, bytes(b, 1));
        }
    }
    b->slow->lincomb(f, w.expected, NULL, w.c, row, count, n);
    b->fast->lincomb_at(f, w.z, w.c, places, count, n);
    expect_same(b, w.z, w.expected, n, "lincomb_at", count, n);
    b->slow->lincomb_at(f, w.z, w.c, places, count, n);
    expect_same(b, w.z, w.expected, n, "lincomb_at of the twin", count, n);
    lab_free(rows);
    combination_free(&w);
}

static void check_lincomb(const bench *b)
{
    const size_t lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17};
    const size_t few = b->l->k <= 32 && b->l->o.r >= GFP_FAST_R_MIN ? 3 : 1;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (size_t count = 0; count <= few; count++) {
            check_lincomb_size(b, count, lengths[i], 7 * i + count);
            check_dot_rows_size(b, count, lengths[i], 7 * i + count);
            if (count > 0) {
                check_lincomb_at(b, count, lengths[i]);
            }
        }
    }
    /* The most products that are divided at once, one more, and twice as many. */
    const size_t most = 256 / b->l->k;
    check_lincomb_size(b, most, 5, 1);
    check_lincomb_size(b, most + 1, 9, 2);
    check_dot_rows_size(b, most, 5, 1);
    check_dot_rows_size(b, most + 1, 9, 2);
    check_lincomb_size(b, most < 128 ? 2 * most + 1 : 2 * most, 3, 3);
}

static void lincomb_equals_its_twin(void **state)
{
    (void)state;
    for_each_table(check_lincomb);
}

/* All rows equal sample i, all coefficients sample j: the columns grow as far as they can. */
static void check_full_columns(const bench *b, size_t i, size_t j)
{
    const lab *l = b->l;
    const size_t count = 256 / l->k, n = 9;
    const uint64_t *rows[128], *factors[128];
    uint64_t *x = lab_array(n * l->k), *y = lab_array(n * l->k), *c = lab_array(count * l->k),
             *z = lab_array(n * l->k);
    mpz_t sum;
    mpz_init(sum);
    for (size_t e = 0; e < n; e++) {
        memcpy(x + e * l->k, lab_sample(l, i), bytes(b, 1));
        memcpy(y + e * l->k, lab_sample(l, j), bytes(b, 1));
    }
    for (size_t e = 0; e < count; e++) {
        memcpy(c + e * l->k, lab_sample(l, j), bytes(b, 1));
        rows[e] = x;
        factors[e] = y;
    }
    mpz_mul(sum, l->values[i], l->values[j]);
    mpz_mul_ui(sum, sum, (unsigned long)count);
    mpz_add(sum, sum, l->values[i]);
    mpz_mod(sum, sum, l->o.p);
    b->fast->lincomb(l->field, z, x, c, rows, count, n);
    for (size_t e = 0; e < n; e++) {
        lab_expect(l, z + e * l->k, sum, "lincomb of equal elements", i, j);
    }
    b->fast->dot_rows(l->field, z, x, rows, factors, count, n);
    for (size_t e = 0; e < n; e++) {
        lab_expect(l, z + e * l->k, sum, "dot_rows of equal elements", i, j);
    }
    mpz_clear(sum);
    lab_free(x);
    lab_free(y);
    lab_free(c);
    lab_free(z);
}

static void check_extreme_lincombs(const bench *b)
{
    for (size_t i = 0; i < b->l->extremes; i++) {
        for (size_t j = 0; j<b->l->extremes; j += b->l->k> 8 ? 3 : 1) {
            check_full_columns(b, i, j);
        }
    }
}

static void lincomb_of_extreme_elements_does_not_overflow(void **state)
{
    (void)state;
    for_each_table(check_extreme_lincombs);
}

/* n times the same product: the sums grow as far as they can. */
static void check_long_dot(const bench *b, size_t n, size_t i, size_t j)
{
    const lab *l = b->l;
    uint64_t *x = lab_array(n * l->k), *y = lab_array(n * l->k), *z = lab_array(l->k);
    mpz_t sum;
    mpz_init(sum);
    for (size_t e = 0; e < n; e++) {
        memcpy(x + e * l->k, lab_sample(l, i), bytes(b, 1));
        memcpy(y + e * l->k, lab_sample(l, j), bytes(b, 1));
    }
    mpz_mul(sum, l->values[i], l->values[j]);
    mpz_mul_ui(sum, sum, (unsigned long)n);
    mpz_mod(sum, sum, l->o.p);
    b->fast->dot(l->field, z, x, y, (ptrdiff_t)l->k, n);
    lab_expect(l, z, sum, "long dot", i, j);
    mpz_clear(sum);
    lab_free(x);
    lab_free(y);
    lab_free(z);
}

static void check_long_dots(const bench *b)
{
    const lab *l = b->l;
    size_t n = l->k <= 8 ? 70001 : 3001; /* beyond 2^16 terms where that is quick */
    if (l->k <= 32) {
        check_long_dot(b, n, 21, 21); /* r - 1 everywhere */
        check_long_dot(b, n, 28, 29); /* alternating */
        check_long_dot(b, n, 21, l->extremes - 1);
        check_long_dot(b, n, l->extremes - 1, l->extremes - 1);
    }
}

static void long_sums_of_extreme_products_do_not_overflow(void **state)
{
    (void)state;
    for_each_table(check_long_dots);
}

static void check_eval_at(const bench *b, const uint64_t *x, size_t n, uint64_t d)
{
    const lab *l = b->l;
    uint64_t *y = lab_array(l->k);
    mpz_t sum, point, t;
    mpz_inits(sum, point, t, NULL);
    oracle_set_u64(point, d);
    for (size_t i = n; i-- > 0;) {
        oracle_get(&l->o, t, x + i * l->k);
        mpz_mul(sum, sum, point);
        mpz_add(sum, sum, t);
        mpz_mod(sum, sum, l->o.p);
    }
    b->fast->eval_digit(l->field, y, x, n, d);
    lab_expect(l, y, sum, "eval_digit", n, (size_t)d);
    b->slow->eval_digit(l->field, y, x, n, d);
    lab_expect(l, y, sum, "eval_digit of the reference", n, (size_t)d);
    mpz_clears(sum, point, t, NULL);
    lab_free(y);
}

static void check_eval(const bench *b)
{
    const lab *l = b->l;
    const size_t lengths[] = {0, 1, 2, 7, 33, 90, 256, 301};
    uint64_t limit = l->o.r < UINT64_C(1) << 60 ? l->o.r : UINT64_C(1) << 60;
    const uint64_t points[] = {0, 1, limit - 1, limit / 2, UINT64_C(0x123456789abcdef) % limit};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        size_t n = lengths[i];
        if (n > 90 && (l->k > 32 || l->o.r < GFP_FAST_R_MIN)) {
            break; /* only slow twins */
        }
        uint64_t *x = lab_vector(l, n, 1), *full = lab_array(n * l->k);
        uint64_t *special = lab_array(n * l->k);
        for (size_t e = 0; e < n; e++) {
            memcpy(full + e * l->k, lab_sample(l, 21), bytes(b, 1));
            memcpy(special + e * l->k, lab_sample(l, l->extremes - 1), bytes(b, 1));
        }
        for (size_t j = 0; j < sizeof points / sizeof points[0]; j++) {
            check_eval_at(b, x, n, points[j]);
            check_eval_at(b, full, n, points[j]);
            check_eval_at(b, special, n, points[j]);
        }
        lab_free(x);
        lab_free(full);
        lab_free(special);
    }
}

/* v := x(d), y(d), the sum over i + j >= n - 1 of x_i y_j d^(i+j-n+1). */
static void expect_pairs(const bench *b, const uint64_t *v, mpz_t expected[3], size_t n,
                         const char *what)
{
    for (size_t i = 0; i < 3; i++) {
        lab_expect(b->l, v + i * b->l->k, expected[i], what, n, i);
    }
}

static void check_pairs_at(const bench *b, const uint64_t *x, const uint64_t *y, size_t n,
                           uint64_t d)
{
    const lab *l = b->l;
    uint64_t *v = lab_array(3 * l->k);
    mpz_t sum[3], point, s, t;
    mpz_inits(sum[0], sum[1], sum[2], point, s, t, NULL);
    oracle_set_u64(point, d);
    for (size_t i = n; i-- > 0;) {
        oracle_get(&l->o, s, x + i * l->k);
        mpz_mul(sum[0], sum[0], point);
        mpz_add(sum[0], sum[0], s);
        mpz_mod(sum[0], sum[0], l->o.p);
        oracle_get(&l->o, t, y + i * l->k);
        mpz_mul(sum[1], sum[1], point);
        mpz_add(sum[1], sum[1], t);
        mpz_mod(sum[1], sum[1], l->o.p);
        /* The sum over j >= i of y_j d^(j-i) meets x_(n-1-i). */
        oracle_get(&l->o, s, x + (n - 1 - i) * l->k);
        mpz_addmul(sum[2], s, sum[1]);
    }
    mpz_mod(sum[2], sum[2], l->o.p);
    b->fast->eval_pairs(l->field, v, x, y, n, d);
    expect_pairs(b, v, sum, n, "eval_pairs");
    b->slow->eval_pairs(l->field, v, x, y, n, d);
    expect_pairs(b, v, sum, n, "eval_pairs of the reference");
    mpz_clears(sum[0], sum[1], sum[2], point, s, t, NULL);
    lab_free(v);
}

static void check_pairs(const bench *b)
{
    const lab *l = b->l;
    const size_t lengths[] = {0, 1, 2, 7, 8, 9, 33, 90, 421};
    uint64_t limit = l->o.r < UINT64_C(1) << 60 ? l->o.r : UINT64_C(1) << 60;
    const uint64_t points[] = {0, limit - 1, UINT64_C(0x123456789abcdef) % limit};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        size_t n = lengths[i];
        if ((n > 33 && l->k > 64) || (n > 90 && l->k > 16) || (n > 9 && l->o.r < GFP_FAST_R_MIN)) {
            break; /* slow twins, and nothing new */
        }
        uint64_t *x = lab_vector(l, n, 1), *y = lab_vector(l, n, 6);
        uint64_t *full = lab_array(n * l->k), *special = lab_array(n * l->k);
        for (size_t e = 0; e < n; e++) {
            memcpy(full + e * l->k, lab_sample(l, 21), bytes(b, 1));
            memcpy(special + e * l->k, lab_sample(l, l->extremes - 1), bytes(b, 1));
        }
        for (size_t j = 0; j < sizeof points / sizeof points[0]; j++) {
            check_pairs_at(b, x, y, n, points[j]);
            check_pairs_at(b, x, x, n, points[j]);
            check_pairs_at(b, full, full, n, points[j]);
            check_pairs_at(b, special, full, n, points[j]);
            check_pairs_at(b, full, special, n, points[j]);
        }
        lab_free(x);
        lab_free(y);
        lab_free(full);
        lab_free(special);
    }
}

static void eval_pairs_agrees_with_the_oracle(void **state)
{
    (void)state;
    for_each_table(check_pairs);
}

static void eval_digit_agrees_with_the_oracle(void **state)
{
    (void)state;
    for_each_table(check_eval);
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
        cmocka_unit_test(dot_agrees_with_the_oracle),
        cmocka_unit_test(dot_runs_down_one_array),
        cmocka_unit_test(lincomb_equals_its_twin),
        cmocka_unit_test(lincomb_of_extreme_elements_does_not_overflow),
        cmocka_unit_test(long_sums_of_extreme_products_do_not_overflow),
        cmocka_unit_test(eval_digit_agrees_with_the_oracle),
        cmocka_unit_test(eval_pairs_agrees_with_the_oracle),
    };
    return cmocka_run_group_tests(tests, lab_setup_all, lab_teardown);
}
