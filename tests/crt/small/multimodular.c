/* multimodular.c: products through small primes and through FLINT, against the oracle: every field,
 * many lengths, extreme coefficients, and the edge of the bound that fixes the number of primes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "lab/fixtures.h"

#include "crt/methods.h"
#include "crt/small/flint_support.h"
#include "lab/meter.h"

#if GFP_HAVE_FLINT

typedef gfp_status (*mul_function)(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                   size_t len_a, const uint64_t *b, size_t len_b, gfp_task *task);

static const struct {
    const char *name;
    mul_function mul;
} methods[] = {
    {"multimodular", gfp_crt_mul_multimodular},
    {"flint", gfp_crt_mul_flint},
};
#define METHODS (sizeof(methods) / sizeof(methods[0]))

/* ---- the table of primes and their number ---- */

static void primes_are_the_largest_words(void **state)
{
    mpz_t q;
    size_t found = 0;

    (void)state;
    mpz_init(q);
    for (uint64_t gap = 1; found < GFP_CRT_PRIMES; gap += 2) {
        oracle_set_u64(q, 0 - gap);
        if (mpz_probab_prime_p(q, 30) != 0) {
            assert_int_equal(gfp_crt_prime(found), 0 - gap);
            found++;
        }
    }
    mpz_clear(q);
}

/* product := the first count primes. */
static void prime_product(mpz_t product, size_t count)
{
    mpz_t q;

    mpz_init(q);
    mpz_set_ui(product, 1);
    for (size_t i = 0; i < count; i++) {
        oracle_set_u64(q, gfp_crt_prime(i));
        mpz_mul(product, product, q);
    }
    mpz_clear(q);
}

/* Whether count primes suffice for the bound terms * (p - 1)^2. */
static bool multimodular_suffices(const oracle *o, size_t terms, size_t count)
{
    mpz_t product, bound;

    mpz_init(product);
    mpz_init(bound);
    oracle_set_u64(bound, terms);
    mpz_mul(bound, bound, o->special);
    mpz_mul(bound, bound, o->special);
    prime_product(product, count);
    const bool enough = mpz_cmp(product, bound) > 0;
    mpz_clear(product);
    mpz_clear(bound);
    return enough;
}

static void number_of_primes_is_least(void **state)
{
    static const size_t lengths[][2] = {{1, 1},     {1, 1000},       {2, 2},
                                        {77, 3},    {16384, 16384},  {(size_t)1 << 40, SIZE_MAX},
                                        {65536, 1}, {65537, 100000}, {SIZE_MAX, SIZE_MAX}};

    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
            const size_t terms = lengths[i][0] < lengths[i][1] ? lengths[i][0] : lengths[i][1];
            const size_t count = gfp_crt_prime_count(l->field, lengths[i][0], lengths[i][1]);
            assert_in_range(count, 1, GFP_CRT_PRIMES);
            assert_true(multimodular_suffices(&l->o, terms, count));
            assert_true(count == 1 || !multimodular_suffices(&l->o, terms, count - 1));
        }
    }
}

/* The largest radix and k, the longest length: the table must not run out. */
static void table_of_primes_covers_the_largest_field(void **state)
{
    (void)state;
    mpz_t product, bound;
    mpz_init(product);
    mpz_init(bound);
    mpz_ui_pow_ui(bound, 2, 64 * (2 * GFP_MAX_K + 1));
    prime_product(product, GFP_CRT_PRIMES);
    assert_true(mpz_cmp(product, bound) > 0);
    mpz_clear(product);
    mpz_clear(bound);
}

/* ---- products ---- */

/* Both methods on a b, against c (digits). */
static void check_product(const lab *l, const uint64_t *c, const uint64_t *a, size_t len_a,
                          const uint64_t *b, size_t len_b)
{
    const size_t len_c = len_a + len_b - 1;

    for (size_t m = 0; m < METHODS; m++) {
        uint64_t *got = lab_array(len_c * l->k);
        memset(got, 0xff, len_c * l->k * sizeof(*got));
        assert_int_equal(methods[m].mul(l->field, got, a, len_a, b, len_b, NULL), GFP_OK);
        lab_expect_digits(l, got, c, len_c, methods[m].name, len_a, len_b);
        lab_free(got);
    }
}

/* The oracle's product of a and b, as digits (lab_free). */
static uint64_t *oracle_product(const lab *l, const uint64_t *a, size_t len_a, const uint64_t *b,
                                size_t len_b)
{
    const size_t len_c = len_a + len_b - 1;
    mpz_t *va = oracle_vec_new(len_a);
    mpz_t *vb = oracle_vec_new(len_b);
    mpz_t *vc = oracle_vec_new(len_c);
    uint64_t *c = lab_array(len_c * l->k);

    oracle_vec_get(&l->o, va, a, len_a);
    oracle_vec_get(&l->o, vb, b, len_b);
    oracle_poly_mul(&l->o, vc, va, len_a, vb, len_b);
    oracle_vec_set(&l->o, c, vc, len_c);
    oracle_vec_free(va, len_a);
    oracle_vec_free(vb, len_b);
    oracle_vec_free(vc, len_c);
    return c;
}

static void check_samples(const lab *l, size_t len_a, size_t len_b, size_t first)
{
    uint64_t *a = lab_vector(l, len_a, first);
    uint64_t *b = lab_vector(l, len_b, first + 3 * len_a + 1);
    uint64_t *c = oracle_product(l, a, len_a, b, len_b);

    check_product(l, c, a, len_a, b, len_b);
    check_product(l, c, b, len_b, a, len_a);
    lab_free(a);
    lab_free(b);
    lab_free(c);
}

static void products_equal_the_oracle(void **state)
{
    static const size_t lengths[][2] = {{1, 1},  {1, 2},  {2, 2},   {3, 1},   {1, 20},
                                        {5, 4},  {7, 7},  {16, 16}, {17, 15}, {31, 2},
                                        {33, 9}, {64, 1}, {40, 3},  {24, 24}};

    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
            check_samples(&lab_fields[f], lengths[i][0], lengths[i][1], 5 * i);
        }
    }
}

static void longer_products_equal_the_oracle(void **state)
{
    static const size_t lengths[][2] = {{100, 100}, {127, 129}, {300, 5}, {1, 500}, {256, 255}};

    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        for (size_t i = 0; lab_fields[f].k <= 8 && i < 5; i++) {
            check_samples(&lab_fields[f], lengths[i][0], lengths[i][1], i);
        }
    }
}

static void squares_equal_products(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t len = 1; len < 24; len += 5) {
            uint64_t *a = lab_vector(l, len, len);
            uint64_t *c = oracle_product(l, a, len, a, len);
            check_product(l, c, a, len, a, len);
            lab_free(a);
            lab_free(c);
        }
        /* The same start but another length is no square. */
        uint64_t *a = lab_vector(l, 9, 2);
        uint64_t *c = oracle_product(l, a, 9, a, 6);
        check_product(l, c, a, 9, a, 6);
        check_product(l, c, a, 6, a, 9);
        lab_free(a);
        lab_free(c);
    }
}

/* All coefficients p - 1 = -1: coefficient i of the product is the number of its terms. These are
 * the largest integers that the residues ever have to determine. */
static void check_all_minus_one(const gfp_field *field, size_t len_a, size_t len_b)
{
    const unsigned k = gfp_field_k(field);
    const size_t len_c = len_a + len_b - 1;
    const size_t terms = len_a < len_b ? len_a : len_b;
    const size_t longest = len_a < len_b ? len_b : len_a;
    uint64_t *a = lab_array(longest * k);
    uint64_t *expected = lab_array(len_c * k);
    uint64_t *got = lab_array(len_c * k);

    memset(a, 0, longest * k * sizeof(*a));
    for (size_t i = 0; i < longest; i++) {
        a[i * k + k - 1] = gfp_field_r(field);
    }
    for (size_t i = 0; i < len_c; i++) {
        size_t count = i + 1 < len_c - i ? i + 1 : len_c - i;
        count = count < terms ? count : terms;
        gfp_elem_set_u64(field, expected + i * k, count);
    }
    for (size_t m = 0; m < METHODS; m++) {
        assert_int_equal(methods[m].mul(field, got, a, len_a, a, len_b, NULL), GFP_OK);
        assert_memory_equal(got, expected, len_c * k * sizeof(*got));
    }
    lab_free(a);
    lab_free(expected);
    lab_free(got);
}

static void largest_coefficients(void **state)
{
    static const size_t lengths[][2] = {{1, 1}, {2, 2}, {3, 50}, {50, 50}, {257, 255}, {1000, 1}};

    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
            check_all_minus_one(lab_fields[f].field, lengths[i][0], lengths[i][1]);
        }
    }
}

/* ---- the edge of the bound ---- */

/* The largest even r with r^k + 1 prime for which `count` primes suffice for `terms` terms but not
 * for terms + 1; 0 when there is none. That is terms r^(2k) < P <= (terms + 1) r^(2k). */
static uint64_t edge_radix(unsigned k, size_t count, size_t terms)
{
    uint64_t r = 0;
    mpz_t root;

    mpz_init(root);
    prime_product(root, count);
    mpz_sub_ui(root, root, 1);
    mpz_fdiv_q_ui(root, root, terms);
    mpz_root(root, root, 2 * k);
    if (mpz_sizeinbase(root, 2) <= 64) {
        oracle_get_words(&r, 1, root);
        r -= r % 2;
    }
    mpz_clear(root);
    for (; r >= 2; r -= 2) {
        oracle o;
        oracle_init(&o, r, k);
        const bool stepped = multimodular_suffices(&o, terms + 1, count);
        const bool prime = !stepped && oracle_is_probable_prime(&o);
        oracle_clear(&o);
        if (stepped) {
            return 0;
        }
        if (prime) {
            return r;
        }
    }
    return 0;
}

static void check_edge(unsigned k, size_t count, size_t terms)
{
    const uint64_t r = edge_radix(k, count, terms);
    gfp_field *field;
    gfp_error error;

    assert_int_not_equal(r, 0);
    if (gfp_field_create_rk(&field, r, k, NULL, &error) != GFP_OK) {
        fail_msg("r = %llu, k = %u: %s", (unsigned long long)r, k, error.message);
    }
    assert_int_equal(gfp_crt_prime_count(field, terms, terms), count);
    assert_int_equal(gfp_crt_prime_count(field, terms + 9, terms), count);
    assert_int_equal(gfp_crt_prime_count(field, terms + 1, terms + 1), count + 1);
    check_all_minus_one(field, terms, terms);
    check_all_minus_one(field, terms, terms + 9);
    check_all_minus_one(field, terms + 1, terms + 1);
    check_all_minus_one(field, terms + 5, terms + 1);
    gfp_field_destroy(field);
}

static void lengths_where_the_number_of_primes_steps(void **state)
{
    static const struct {
        unsigned k;
        size_t count;
    } cases[] = {{2, 1}, {2, 2}, {2, 3}, {2, 4}, {4, 3}, {4, 8}, {8, 9}, {8, 16}, {16, 31}};
    static const size_t terms[] = {1, 2, 3, 6, 20};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (size_t j = 0; j < sizeof(terms) / sizeof(terms[0]); j++) {
            check_edge(cases[i].k, cases[i].count, terms[j]);
        }
    }
}

/* ---- errors ---- */

static void memory_is_metered_and_a_refusal_reported(void **state)
{
    meter m = {.fail_at = SIZE_MAX, .lasting = true};
    const gfp_allocator allocator = meter_hook(&m);
    gfp_field *field;
    uint64_t c[39 * 8], before[39 * 8];

    (void)state;
    assert_int_equal(gfp_field_create(&field, "p8", &allocator, NULL), GFP_OK);
    uint64_t *a = lab_array(20 * 8);
    for (size_t i = 0; i < 160; i++) {
        a[i] = i;
    }
    memset(c, 0xa5, sizeof(c));
    memcpy(before, c, sizeof(c));

    const size_t held = m.bytes;
    meter_fail_at(&m, 0);
    assert_int_equal(gfp_crt_mul_multimodular(field, c, a, 20, a + 8, 19, NULL), GFP_ERR_MEMORY);
    assert_memory_equal(c, before, sizeof(c));
    assert_int_equal(m.bytes, held);

    m.fail_at = SIZE_MAX;
    m.peak = m.bytes;
    assert_int_equal(gfp_crt_mul_multimodular(field, c, a, 20, a + 8, 19, NULL), GFP_OK);
    assert_int_equal(m.bytes, held);
    assert_true(m.peak > held);
    assert_in_range(m.peak - held, 1, gfp_crt_multimodular_bytes(field, 20, 19, 1));
    assert_int_equal(gfp_crt_mul_flint(field, before, a, 20, a + 8, 19, NULL), GFP_OK);
    assert_memory_equal(c, before, 38 * 8 * sizeof(*c));

    lab_free(a);
    gfp_field_destroy(field);
    meter_expect_empty(&m);
}

static void sizes_beyond_size_t_are_refused(void **state)
{
    const gfp_field *field = lab_fields[0].field;
    uint64_t word = 0;

    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        assert_int_equal(methods[m].mul(field, &word, &word, SIZE_MAX, &word, 2, NULL),
                         GFP_ERR_SIZE);
        assert_int_equal(methods[m].mul(field, &word, &word, 1, &word, SIZE_MAX, NULL),
                         GFP_ERR_SIZE);
    }
    assert_int_equal(gfp_crt_mul_multimodular(field, &word, &word, SIZE_MAX / 2, &word, 1, NULL),
                     GFP_ERR_SIZE);
    assert_int_equal(gfp_crt_multimodular_bytes(field, SIZE_MAX, 5, 1), SIZE_MAX);
    assert_int_equal(gfp_crt_flint_bytes(field, SIZE_MAX, 5), SIZE_MAX);
}

static void estimates_of_memory_grow(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const gfp_field *field = lab_fields[f].field;
        for (size_t n = 1; n < 100000; n *= 10) {
            assert_true(gfp_crt_multimodular_bytes(field, n, n, 1) <
                        gfp_crt_multimodular_bytes(field, 10 * n, n, 1));
            assert_true(gfp_crt_flint_bytes(field, n, n) < gfp_crt_flint_bytes(field, n, 10 * n));
        }
    }
}

static void loaded_flint_is_the_one_built_with(void **state)
{
    (void)state;
    assert_string_equal(gfp_crt_flint_problem(), "");
}

#else

static void without_flint_the_products_are_unavailable(void **state)
{
    const gfp_field *field = lab_fields[0].field;
    uint64_t a[GFP_MAX_K] = {1};
    uint64_t c[GFP_MAX_K] = {7, 7};

    (void)state;
    assert_int_equal(gfp_crt_mul_multimodular(field, c, a, 1, a, 1, NULL), GFP_ERR_UNAVAILABLE);
    assert_int_equal(gfp_crt_mul_flint(field, c, a, 1, a, 1, NULL), GFP_ERR_UNAVAILABLE);
    assert_int_equal(c[0], 7);
    assert_int_equal(gfp_crt_prime_count(field, 5, 5), 0);
    assert_int_equal(gfp_crt_multimodular_bytes(field, 5, 5, 1), 0);
    assert_int_equal(gfp_crt_flint_bytes(field, 5, 5), 0);
    assert_string_not_equal(gfp_crt_flint_problem(), "");
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#if GFP_HAVE_FLINT
        cmocka_unit_test(primes_are_the_largest_words),
        cmocka_unit_test(number_of_primes_is_least),
        cmocka_unit_test(table_of_primes_covers_the_largest_field),
        cmocka_unit_test(products_equal_the_oracle),
        cmocka_unit_test(longer_products_equal_the_oracle),
        cmocka_unit_test(squares_equal_products),
        cmocka_unit_test(largest_coefficients),
        cmocka_unit_test(lengths_where_the_number_of_primes_steps),
        cmocka_unit_test(memory_is_metered_and_a_refusal_reported),
        cmocka_unit_test(sizes_beyond_size_t_are_refused),
        cmocka_unit_test(estimates_of_memory_grow),
        cmocka_unit_test(loaded_flint_is_the_one_built_with),
#else
        cmocka_unit_test(without_flint_the_products_are_unavailable),
#endif
    };

    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
