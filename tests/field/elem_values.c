/* elem_values.c: elements from and to digits, limbs, integers and text, in every test field,
 * against the oracle; random elements.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly/gmp.h"
#include "lab/fixtures.h"
#include "lab/rows.h"
#include "field/elem.h"

#define MANY 33

/* ---- conversions ---- */

static void expect_digits_refused(const lab *l, const uint64_t *x)
{
    uint64_t *z = lab_array(l->k);
    gfp_elem_one(l->field, z);
    assert_false(gfp_elem_is_canonical(l->field, x));
    assert_int_equal(gfp_elem_set_digits(l->field, z, x), GFP_ERR_RANGE);
    assert_true(gfp_elem_is_one(l->field, z));
    lab_free(z);
}

static void check_digits(const lab *l)
{
    unsigned k = l->k;
    uint64_t *x = lab_vector(l, 1, 0), *z = lab_array(k);
    for (size_t i = 0; i < l->count; i++) {
        assert_true(gfp_elem_is_canonical(l->field, lab_sample(l, i)));
        assert_int_equal(gfp_elem_set_digits(l->field, z, lab_sample(l, i)), GFP_OK);
        lab_expect_digits(l, z, lab_sample(l, i), 1, "set_digits", i, 0);
    }
    for (unsigned i = 0; i < k; i++) {
        memset(x, 0, k * sizeof *x);
        x[i] = UINT64_MAX;
        expect_digits_refused(l, x);
        x[i] = l->o.r + 1;
        expect_digits_refused(l, x);
        if (i + 1 < k) {
            x[i] = l->o.r;
            expect_digits_refused(l, x);
            x[i] = 1; /* r^k + r^i */
            x[k - 1] = l->o.r;
            expect_digits_refused(l, x);
        }
    }
    lab_free(x);
    lab_free(z);
}

static void digits_are_accepted_when_canonical_only(void **state)
{
    (void)state;
    lab_for_each(check_digits);
}

static void check_canonical_count(const lab *l)
{
    uint64_t *x = lab_vector(l, MANY, 0);
    assert_int_equal(gfp_vec_canonical(l->field, x, MANY), MANY);
    assert_int_equal(gfp_vec_canonical(l->field, x, 0), 0);
    for (size_t i = MANY; i-- > 0;) {
        x[i * l->k] = l->o.r;
        assert_int_equal(gfp_vec_canonical(l->field, x, MANY), i);
    }
    lab_free(x);
}

static void vec_canonical_counts_leading_canonical_elements(void **state)
{
    (void)state;
    lab_for_each(check_canonical_count);
}

static void check_limbs_of_length(const lab *l, const uint64_t *limbs, size_t n)
{
    uint64_t *z = lab_array(l->k);
    mpz_t expected;
    mpz_init(expected);
    oracle_set_words(expected, limbs, n);
    mpz_mod(expected, expected, l->o.p);
    gfp_elem_set_limbs(l->field, z, limbs, n);
    lab_expect(l, z, expected, "set_limbs", n, 0);
    mpz_clear(expected);
    lab_free(z);
}

static void check_limbs(const lab *l)
{
    uint64_t seed = 5;
    size_t limbs = gfp_field_limbs(l->field), most = 5 * limbs + 9;
    uint64_t *words = lab_array(most), *out = lab_array(limbs);
    uint64_t *expected = lab_array(limbs), *z = lab_array(l->k);
    check_limbs_of_length(l, NULL, 0);
    for (size_t n = 1; n <= most; n += (n < 2 * limbs + 2 || n + 3 > most) ? 1 : n / 3) {
        memset(words, 0xff, n * sizeof *words);
        check_limbs_of_length(l, words, n);
        for (size_t i = 0; i < n; i++) {
            words[i] = oracle_random(&seed);
        }
        check_limbs_of_length(l, words, n);
        memset(words, 0, n * sizeof *words);
        words[n - 1] = 1;
        check_limbs_of_length(l, words, n);
        words[n - 1] = 0;
        check_limbs_of_length(l, words, n);
    }
    for (size_t i = 0; i < l->count; i++) {
        oracle_get_words(expected, limbs, l->values[i]);
        gfp_elem_get_limbs(l->field, out, lab_sample(l, i));
        assert_memory_equal(out, expected, limbs * sizeof *out);
        gfp_elem_set_limbs(l->field, z, out, limbs);
        lab_expect_digits(l, z, lab_sample(l, i), 1, "limbs and back", i, 0);
    }
    lab_free(words);
    lab_free(out);
    lab_free(expected);
    lab_free(z);
}

static void limbs_are_reduced_and_round_trip(void **state)
{
    (void)state;
    lab_for_each(check_limbs);
}

static void check_u64(const lab *l)
{
    const uint64_t values[] = {0,
                               1,
                               2,
                               16,
                               17,
                               l->o.r - 1,
                               l->o.r,
                               l->o.r + 1,
                               65536,
                               65537,
                               UINT64_C(1) << 63,
                               UINT64_MAX - 1,
                               UINT64_MAX};
    uint64_t *z = lab_array(l->k);
    mpz_t expected;
    mpz_init(expected);
    for (size_t i = 0; LAB_ROW(values, i); i++) {
        oracle_set_u64(expected, values[i]);
        mpz_mod(expected, expected, l->o.p);
        gfp_elem_set_u64(l->field, z, values[i]);
        lab_expect(l, z, expected, "set_u64", i, 0);
    }
    mpz_clear(expected);
    lab_free(z);
}

static void set_u64_reduces(void **state)
{
    (void)state;
    lab_for_each(check_u64);
}

/* value mod p for a value of any sign, through gfp_elem_set_mpz. */
static void check_mpz_value(const lab *l, const mpz_t value, size_t i)
{
    uint64_t *z = lab_array(l->k);
    mpz_t expected, back;
    mpz_inits(expected, back, NULL);
    mpz_mod(expected, value, l->o.p);
    gfp_elem_set_mpz(l->field, z, value);
    lab_expect(l, z, expected, "set_mpz", i, 0);
    gfp_elem_get_mpz(l->field, back, z);
    assert_int_equal(mpz_cmp(back, expected), 0);
    mpz_clears(expected, back, NULL);
    lab_free(z);
}

static void check_mpz(const lab *l)
{
    mpz_t z;
    mpz_init(z);
    gfp_field_get_mpz(l->field, z);
    assert_int_equal(mpz_cmp(z, l->o.p), 0);
    for (size_t i = 0; i < l->count; i++) {
        check_mpz_value(l, l->values[i], i);
        mpz_neg(z, l->values[i]);
        check_mpz_value(l, z, i);
        mpz_sub(z, l->values[i], l->o.p);
        check_mpz_value(l, z, i);
        mpz_add(z, l->values[i], l->o.p);
        check_mpz_value(l, z, i);
        mpz_mul(z, z, l->o.p);
        mpz_sub_ui(z, z, 1);
        check_mpz_value(l, z, i);
        mpz_mul_2exp(z, z, 1000);
        mpz_neg(z, z);
        check_mpz_value(l, z, i);
    }
    mpz_clear(z);
}

static void mpz_values_of_any_sign_and_size_are_reduced(void **state)
{
    (void)state;
    lab_for_each(check_mpz);
}

/* ---- text ---- */

static gfp_status elem_values_parse(const lab *l, uint64_t *z, const char *text, int base,
                                    gfp_error *error)
{
    return gfp_elem_set_string(l->field, z, text, strlen(text), base, error);
}

static void check_text_of(const lab *l, size_t i, int base)
{
    size_t size = gfp_elem_string_size(l->field, base), length = 0, exact;
    char *text = malloc(size + 1), *padded = malloc(size + 8);
    char *expected = mpz_get_str(NULL, base, l->values[i]);
    uint64_t *z = lab_array(l->k);
    assert_true(text != NULL && padded != NULL);
    exact = strlen(expected) + 1;
    assert_true(size >= exact);
    memset(text, '#', size + 1);
    assert_int_equal(gfp_elem_get_string(l->field, text, size, &length, base, lab_sample(l, i)),
                     GFP_OK);
    assert_string_equal(text, expected);
    assert_int_equal(length, exact - 1);
    assert_int_equal(gfp_elem_get_string(l->field, text, exact, NULL, base, lab_sample(l, i)),
                     GFP_OK);
    assert_string_equal(text, expected);
    memset(text, '#', size + 1);
    length = 12345;
    assert_int_equal(
        gfp_elem_get_string(l->field, text, exact - 1, &length, base, lab_sample(l, i)),
        GFP_ERR_SIZE);
    assert_true(text[0] == '#' && length == 12345);
    lab_expect_status(elem_values_parse(l, z, expected, base, NULL), GFP_OK, NULL, expected);
    lab_expect_digits(l, z, lab_sample(l, i), 1, "set_string", i, (size_t)base);
    memcpy(padded, "000000", 6);
    memcpy(padded + 6, expected, exact);
    for (char *c = padded; base == 16 && *c != '\0'; c++) {
        *c = (char)(*c >= 'a' ? *c - 'a' + 'A' : *c);
    }
    lab_expect_status(elem_values_parse(l, z, padded, base, NULL), GFP_OK, NULL, padded);
    lab_expect_digits(l, z, lab_sample(l, i), 1, "set_string with zeros", i, (size_t)base);
    free(text);
    free(padded);
    free(expected);
    lab_free(z);
}

static void check_text(const lab *l)
{
    for (size_t i = 0; i < l->count; i++) {
        check_text_of(l, i, 10);
        check_text_of(l, i, 16);
    }
}

static void strings_round_trip_in_both_bases(void **state)
{
    (void)state;
    lab_for_each(check_text);
}

/* p + offset, then p 10^zeros, as text: refused and z unchanged. */
static void check_too_large(const lab *l, long offset, unsigned long zeros, int base)
{
    uint64_t *z = lab_array(l->k);
    gfp_error error = {0};
    mpz_t value;
    char *text;
    mpz_init(value);
    mpz_ui_pow_ui(value, 10, zeros);
    mpz_mul(value, value, l->o.p);
    mpz_add_ui(value, value, (unsigned long)offset);
    text = mpz_get_str(NULL, base, value);
    gfp_elem_one(l->field, z);
    lab_expect_status(elem_values_parse(l, z, text, base, &error), GFP_ERR_RANGE, &error,
                      "a value >= p");
    assert_int_equal(elem_values_parse(l, z, text, base, NULL), GFP_ERR_RANGE);
    assert_true(gfp_elem_is_one(l->field, z));
    free(text);
    mpz_clear(value);
    lab_free(z);
}

static void check_range(const lab *l)
{
    for (long offset = 0; offset < 6; offset++) {
        check_too_large(l, offset, 0, 10);
        check_too_large(l, offset, 0, 16);
    }
    check_too_large(l, 0, 1, 10);
    check_too_large(l, 0, 1, 16);
    check_too_large(l, 7, 300, 10);
    check_too_large(l, 7, 300, 16);
    check_too_large(l, 1, 5000, 10);
}

static void strings_of_values_from_p_on_are_refused(void **state)
{
    (void)state;
    lab_for_each(check_range);
}

typedef struct bad_text {
    const char *text;
    size_t length;
    int base;
    uint64_t column;
} bad_text;

static void malformed_strings_are_refused_with_their_place(void **state)
{
    static const bad_text bad[] = {{"-1", 2, 10, 1},  {"+1", 2, 10, 1},   {" 1", 2, 10, 1},
                                   {"1 ", 2, 10, 2},  {"1x", 2, 10, 2},   {"0x1", 3, 16, 2},
                                   {"00a", 3, 10, 3}, {"1:", 2, 10, 2},   {"1/", 2, 10, 2},
                                   {"g", 1, 16, 1},   {"1G", 2, 16, 2},   {"1`", 2, 16, 2},
                                   {"1@", 2, 16, 2},  {"1\n", 2, 10, 2},  {"1\0", 2, 10, 2},
                                   {"\0", 1, 16, 1},  {"1\xff", 2, 10, 2}};
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        uint64_t *z = lab_array(l->k);
        gfp_elem_one(l->field, z);
        for (size_t i = 0; LAB_ROW(bad, i); i++) {
            gfp_error error = {0};
            lab_expect_status(
                gfp_elem_set_string(l->field, z, bad[i].text, bad[i].length, bad[i].base, &error),
                GFP_ERR_PARSE, &error, bad[i].text);
            assert_int_equal(error.column, bad[i].column);
            assert_int_equal(
                gfp_elem_set_string(l->field, z, bad[i].text, bad[i].length, bad[i].base, NULL),
                GFP_ERR_PARSE);
            assert_true(gfp_elem_is_one(l->field, z));
        }
        lab_free(z);
    }
}

static void a_bad_digit_far_into_a_long_number_is_found(void **state)
{
    const lab *l = &lab_fields[2];
    uint64_t *z = lab_array(l->k);
    (void)state;
    for (size_t place = 0; place < 150; place++) {
        char text[151];
        gfp_error error = {0};
        memset(text, '1', 150);
        text[150] = '\0';
        text[place] = 'z';
        lab_expect_status(elem_values_parse(l, z, text, 10, &error), GFP_ERR_PARSE, &error, text);
        assert_int_equal(error.column, place + 1);
    }
    lab_free(z);
}

static void empty_strings_and_odd_bases_are_refused(void **state)
{
    const lab *l = &lab_fields[2];
    uint64_t *z = lab_array(l->k);
    char text[200] = "#";
    gfp_error error = {0};
    (void)state;
    gfp_elem_one(l->field, z);
    lab_expect_status(elem_values_parse(l, z, "", 10, &error), GFP_ERR_PARSE, &error, "empty");
    lab_expect_status(elem_values_parse(l, z, "", 16, &error), GFP_ERR_PARSE, &error, "empty");
    lab_expect_status(elem_values_parse(l, z, "1", 2, &error), GFP_ERR_ARGUMENT, &error, "base 2");
    lab_expect_status(elem_values_parse(l, z, "1", 0, &error), GFP_ERR_ARGUMENT, &error, "base 0");
    lab_expect_status(elem_values_parse(l, z, "1", -10, &error), GFP_ERR_ARGUMENT, &error,
                      "base -10");
    assert_int_equal(gfp_elem_get_string(l->field, text, sizeof text, NULL, 8, z),
                     GFP_ERR_ARGUMENT);
    assert_string_equal(text, "#");
    assert_true(gfp_elem_is_one(l->field, z));
    /* Only the first `length` bytes are the number. */
    assert_int_equal(gfp_elem_set_string(l->field, z, "12x", 2, 10, NULL), GFP_OK);
    assert_int_equal(z[0], 12);
    lab_free(z);
}

/* ---- random ---- */

static void the_generator_gives_its_published_numbers(void **state)
{
    /* SplitMix64 from 1234567, and xoshiro256** from the state 1, 2, 3, 4. */
    static const uint64_t seeded[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                      UINT64_C(9817491932198370423), UINT64_C(4593380528125082431)};
    static const uint64_t drawn[] = {UINT64_C(11520), 0, UINT64_C(1509978240),
                                     UINT64_C(1215971899390074240)};
    gfp_random g = {{0}};
    (void)state;
    gfp_random_seed(&g, 1234567);
    assert_memory_equal(g.state, seeded, sizeof seeded);
    for (uint64_t i = 0; i < 4; i++) {
        g.state[i] = i + 1;
    }
    for (size_t i = 0; i < 4; i++) {
        assert_true(gfp_random_u64(&g) == drawn[i]);
    }
}

static void random_below_is_uniform_and_bounded(void **state)
{
    gfp_random g, h;
    unsigned count[6] = {0};
    (void)state;
    gfp_random_seed(&g, 1);
    gfp_random_seed(&h, 1);
    assert_true(gfp_random_below(&g, 0) == gfp_random_u64(&h));
    assert_true(gfp_random_below(&g, 1) == 0);
    for (unsigned i = 0; i < 60000; i++) {
        uint64_t x = gfp_random_below(&g, 6);
        assert_true(x < 6);
        count[x]++;
    }
    for (unsigned i = 0; i < 6; i++) {
        assert_in_range(count[i], 9500, 10500);
    }
    for (unsigned i = 0; i < 1000; i++) {
        assert_true(gfp_random_below(&g, (UINT64_C(1) << 63) + 1) <= UINT64_C(1) << 63);
    }
}

static void check_random(const lab *l)
{
    gfp_random g, h;
    uint64_t *x = lab_array(MANY * l->k), *y = lab_array(MANY * l->k);
    gfp_random_seed(&g, 7);
    gfp_random_seed(&h, 7);
    for (unsigned i = 0; i < 20; i++) {
        gfp_vec_random(l->field, x, MANY, &g);
        gfp_vec_random(l->field, y, MANY, &h);
        assert_true(gfp_vec_equal(l->field, x, y, MANY));
        for (size_t j = 0; j < MANY; j++) {
            assert_true(oracle_is_canonical(&l->o, x + j * l->k));
        }
        gfp_elem_random(l->field, x, &g);
        gfp_elem_random(l->field, y, &h);
        assert_true(oracle_is_canonical(&l->o, x) && gfp_elem_equal(l->field, x, y));
    }
    lab_free(x);
    lab_free(y);
}

static void random_elements_are_canonical_and_reproducible(void **state)
{
    (void)state;
    lab_for_each(check_random);
}

static void random_reaches_every_element_of_a_tiny_field_evenly(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        unsigned count[257] = {0};
        gfp_random g;
        unsigned long p = mpz_get_ui(l->o.p);
        if (mpz_cmp_ui(l->o.p, 257) > 0) {
            continue;
        }
        gfp_random_seed(&g, 11);
        for (unsigned long i = 0; i < 1000 * p; i++) {
            uint64_t x[GFP_MAX_K];
            unsigned long value = 0;
            gfp_elem_random(l->field, x, &g);
            for (unsigned j = l->k; j-- > 0;) {
                value = value * l->o.r + x[j];
            }
            assert_true(value < p);
            count[value]++;
        }
        for (unsigned long i = 0; i < p; i++) {
            assert_in_range(count[i], 800, 1200); /* six standard deviations */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_accepted_when_canonical_only),
        cmocka_unit_test(vec_canonical_counts_leading_canonical_elements),
        cmocka_unit_test(limbs_are_reduced_and_round_trip),
        cmocka_unit_test(set_u64_reduces),
        cmocka_unit_test(mpz_values_of_any_sign_and_size_are_reduced),
        cmocka_unit_test(strings_round_trip_in_both_bases),
        cmocka_unit_test(strings_of_values_from_p_on_are_refused),
        cmocka_unit_test(malformed_strings_are_refused_with_their_place),
        cmocka_unit_test(a_bad_digit_far_into_a_long_number_is_found),
        cmocka_unit_test(empty_strings_and_odd_bases_are_refused),
        cmocka_unit_test(the_generator_gives_its_published_numbers),
        cmocka_unit_test(random_below_is_uniform_and_bounded),
        cmocka_unit_test(random_elements_are_canonical_and_reproducible),
        cmocka_unit_test(random_reaches_every_element_of_a_tiny_field_evenly),
    };
    return cmocka_run_group_tests(tests, lab_setup_all, lab_teardown);
}
