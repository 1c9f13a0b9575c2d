/* multimodular.cpp: the ends of the device's multimodular product, run on the CPU:
 * the choice of primes, projection and recombination, with products modulo the primes by the
 * definition, against the library's elements; every field, all kinds of primes, random and extreme
 * coefficients.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include <gmp.h>

extern "C" {
#include "lab/fixtures.h"
#include "lab/meter.h"

#include "fft/words/primes.h"
}

#include "gpu/cuda/product/multimodular_arith.h"

namespace
{

constexpr unsigned kinds[] = {31, 50, 62};
constexpr unsigned log2_n = 3; /* products modulo X^8 - 1 */
constexpr size_t points = (size_t)1 << log2_n;

/* Words aligned as the device's are. */
uint64_t *aligned_words(size_t n)
{
    return (uint64_t *)aligned_alloc(64, (n * sizeof(uint64_t) + 63) / 64 * 64);
}

uint64_t mul_mod(uint64_t x, uint64_t y, uint64_t q)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)x * y % q);
}

/* ---- primes ---- */

/* 2 terms (p - 1)^2 against the product of the primes. */
void check_primes(const lab *l, const gfp_multi_primes *primes, size_t terms)
{
    mpz_t bound, product;
    mpz_init(bound);
    mpz_init_set_ui(product, 1);
    mpz_mul(bound, l->o.special, l->o.special);
    mpz_mul_ui(bound, bound, terms);
    mpz_mul_2exp(bound, bound, 1);
    for (size_t i = 0; i < primes->count; i++) {
        if (mpz_cmp(product, bound) > 0) {
            fail_msg("%s: %zu primes where %zu do", l->entry->text, primes->count, i);
        }
        const uint64_t q = primes->q[i];
        assert_true(q >> primes->bits == 0 && (q - 1) >> log2_n << log2_n == q - 1);
        assert_true(i == 0 || q < primes->q[i - 1]);
        mpz_mul_ui(product, product, q);
    }
    assert_true(mpz_cmp(product, bound) > 0);
    assert_true(primes->count <= gfp_multi_most(l->field, primes->bits, terms));
    mpz_clear(bound);
    mpz_clear(product);
}

/* ---- products ---- */

struct stage {
    const lab *l;
    const gfp_multi_primes *primes;
    gfp_multi_tables tables;
    multi::setting setting;
    uint64_t *image;
};

/* The residues of element x modulo all primes, `points` apart. */
template <class word> void project_one(const stage &w, word *z, const uint64_t *x)
{
    constexpr unsigned PRIMES = GFP_MULTI_SPLIT_ROWS * sizeof(uint32_t) / sizeof(word);
    mpz_t value;
    mpz_init(value);
    oracle_get(&w.l->o, value, x);
    for (size_t first = 0; first < w.primes->count; first += PRIMES) {
        word residues[2][PRIMES];
        const uint64_t *const both[2] = {x, x};
        multi::project<word, 2>(residues, both, w.setting, (unsigned)(first / PRIMES));
        for (size_t i = 0; i < PRIMES && first + i < w.primes->count; i++) {
            assert_int_equal(residues[0][i], mpz_fdiv_ui(value, w.primes->q[first + i]));
            assert_int_equal(residues[1][i], residues[0][i]);
            z[(first + i) * points] = residues[0][i];
        }
    }
    mpz_clear(value);
}

/* c_i := sum a_j b_(i-j) times N M_i, the form that recombine takes. */
template <class word>
void multimodular_convolve(const stage &w, word *c, const word *a, const word *b)
{
    for (size_t prime = 0; prime < w.primes->count; prime++) {
        const uint64_t q = w.primes->q[prime];
        const uint64_t scale = w.tables.scale[prime];
        const unsigned bits = 8 * sizeof(word);
        const uint64_t unscale =
            mul_mod(bits == 32 ? ((uint64_t)1 << 32) % q : UINT64_MAX % q + 1, 1, q);
        /* The device's products are divided by 2^32 or 2^64, and its inverse transforms are N times
         * what they should be. */
        mpz_t x, modulus;
        mpz_init(x);
        mpz_init(modulus);
        oracle_set_u64(modulus, q);
        oracle_set_u64(x, unscale);
        assert_true(mpz_invert(x, x, modulus));
        const uint64_t inverse = mpz_fdiv_ui(x, q);
        mpz_clear(x);
        mpz_clear(modulus);
        for (size_t i = 0; i < points; i++) {
            uint64_t sum = 0;
            for (size_t j = 0; j < points; j++) {
                sum = (sum +
                       mul_mod(a[prime * points + j], b[prime * points + (i - j) % points], q)) %
                      q;
            }
            c[prime * points + i] =
                (word)mul_mod(mul_mod(mul_mod(sum, points, q), inverse, q), scale, q);
        }
    }
}

/* As the kernel does it, one group of digits after another. */
template <class word, unsigned DIGITS>
void multimodular_recombine(const stage &w, uint64_t *z, const word *y)
{
    const uint64_t r = w.l->o.r;
    uint64_t carry = 0;
    uint32_t t = 0;
    for (unsigned first = 0; first < w.l->k; first += DIGITS) {
        half_words::sum96 sums[1][2 * DIGITS] = {};
        multi::merge<word, DIGITS>(sums, y, points, w.setting, first / DIGITS, first == 0, &t);
        for (unsigned j = 0; j < DIGITS; j++) {
            uint64_t digit;
            const uint64_t quotient =
                half_words::divide_columns(w.setting.field, sums[0] + 2 * j, 0, &digit);
            z[first + j] = half_words::add_carry(digit, r, &carry);
            assert_true(z[first + j] < r);
            carry += quotient;
        }
    }
    half_words::finish(z, r, w.l->k, z[0], carry);
}

template <class word> void recombine_one(const stage &w, uint64_t *z, const word *y)
{
    switch (gfp_multi_digits(w.l->k)) {
    case 2:
        multimodular_recombine<word, 2>(w, z, y);
        break;
    case 4:
        multimodular_recombine<word, 4>(w, z, y);
        break;
    default:
        multimodular_recombine<word, 8>(w, z, y);
    }
}

/* The product modulo X^N - 1 of factors of `points` coefficients. */
template <class word> void check_product(const stage &w, const uint64_t *a, const uint64_t *b)
{
    const size_t k = w.l->k, size = w.primes->count * points;
    word *fa = (word *)aligned_words(size), *fb = (word *)aligned_words(size);
    word *fc = (word *)aligned_words(size);
    uint64_t *z = aligned_words(k);
    uint64_t *expected = lab_array(points * k);
    uint64_t *one = lab_array(k);
    for (size_t i = 0; i < points; i++) {
        project_one(w, fa + i, a + i * k);
        project_one(w, fb + i, b + i * k);
    }
    multimodular_convolve(w, fc, fa, fb);
    for (size_t i = 0; i < points; i++) {
        gfp_elem_zero(w.l->field, expected + i * k);
        for (size_t j = 0; j < points; j++) {
            gfp_elem_mul(w.l->field, one, a + j * k, b + (i - j) % points * k);
            gfp_elem_add(w.l->field, expected + i * k, expected + i * k, one);
        }
        recombine_one(w, z, fc + i);
        lab_expect_digits(w.l, z, expected + i * k, 1, "coefficient", i, w.primes->bits);
    }
    lab_free(one);
    lab_free(expected);
    free(z);
    free(fa);
    free(fb);
    free(fc);
}

/* Kind 0: random and extreme ones; other kinds: all 0, 1, p - 2, p - 1. */
void multimodular_fill(const lab *l, uint64_t *x, unsigned kind, size_t first)
{
    for (size_t i = 0; i < points; i++) {
        if (kind == 0) {
            memcpy(x + i * l->k, lab_sample(l, first + i), l->k * sizeof *x);
            continue;
        }
        uint64_t *one = x + i * l->k;
        gfp_elem_set_u64(l->field, one, kind == 1 ? 0 : 1);
        if (kind > 2) {
            gfp_elem_neg(l->field, one, one);
        }
        if (kind == 3) {
            uint64_t *unit = lab_array(l->k);
            gfp_elem_set_u64(l->field, unit, 1);
            gfp_elem_sub(l->field, one, one, unit);
            lab_free(unit);
        }
    }
}

template <class word> void check_products(const stage &w)
{
    uint64_t *a = aligned_words(points * w.l->k), *b = aligned_words(points * w.l->k);
    for (unsigned kind = 0; kind < 7; kind++) {
        multimodular_fill(w.l, a, kind < 3 ? 0 : kind - 2, 3 * kind);
        multimodular_fill(w.l, b, kind < 3 ? 0 : kind - 2, 5 * kind + 1);
        check_product<word>(w, a, b);
    }
    free(a);
    free(b);
}

void check_kind(const lab *l, unsigned bits)
{
    meter m = {};
    m.fail_at = SIZE_MAX;
    const gfp_allocator allocator = meter_hook(&m);
    gfp_multi_primes primes;
    assert_true(gfp_multi_choose(&primes, l->field, bits, log2_n, points));
    check_primes(l, &primes, points);
    stage w = {l, &primes, {}, {}, NULL};
    assert_int_equal(gfp_multi_tables_init(&w.tables, l->field, &primes, &allocator), GFP_OK);
    assert_int_equal(w.tables.words, gfp_multi_table_words(l->k, bits, primes.count));
    w.image = aligned_words(w.tables.words);
    memcpy(w.image, w.tables.image, w.tables.words * sizeof *w.image);
    w.setting = multi::make_setting(l->field, &w.tables, bits, w.image);
    if (bits == 31) {
        check_products<uint32_t>(w);
    } else {
        check_products<uint64_t>(w);
    }
    free(w.image);
    gfp_multi_tables_release(&w.tables, &allocator);
    meter_expect_empty(&m);
}

void products_agree_with_elements(void **)
{
    for (size_t f = 0; f < oracle_field_count; f++) {
        for (unsigned bits : kinds) {
            check_kind(&lab_fields[f], bits);
        }
    }
}

/* Primes of 31 bits run out at the stated lengths, and the others do not. */
void primes_run_out(void **)
{
    gfp_multi_primes primes;
    for (size_t f = 0; f < oracle_field_count; f++) {
        const gfp_field *field = lab_fields[f].field;
        for (unsigned log2 = 14; log2 <= 32; log2++) {
            const size_t terms = (size_t)1 << (log2 - 1);
            if (gfp_multi_half_words(field, log2, terms)) {
                assert_true(gfp_multi_choose(&primes, field, 31, log2, terms));
            } else {
                uint64_t q = UINT64_C(1) << 31;
                size_t count = 0;
                while (gfp_word_prime_below(&q, q, log2) == GFP_OK && q >> 30 != 0) {
                    count++;
                }
                assert_true(count < gfp_multi_most(field, 31, terms));
            }
        }
        assert_true(gfp_multi_choose(&primes, field, 50, 32, SIZE_MAX));
        assert_true(gfp_multi_choose(&primes, field, 62, 32, SIZE_MAX));
        assert_true(primes.count <= GFP_MULTI_MAX_PRIMES);
    }
    assert_true(gfp_multi_half_words(lab_fields[2].field, 21, 1 << 20)); /* p8 */
}

/* Carries of every size from the top, against GMP. */
void carries_are_subtracted(void **)
{
    const uint64_t carries[] = {0,
                                1,
                                2,
                                3,
                                4,
                                5,
                                255,
                                256,
                                257,
                                65535,
                                65536,
                                65537,
                                UINT64_C(0xffffffff),
                                UINT64_C(1) << 42};
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        uint64_t *z = lab_array(l->k);
        for (size_t i = 0; i < l->count; i++) {
            if (lab_sample(l, i)[l->k - 1] == l->o.r) {
                continue; /* the special element: digits must be below r */
            }
            for (uint64_t carry : carries) {
                mpz_t value;
                mpz_init_set(value, l->values[i]);
                mpz_sub_ui(value, value, carry);
                mpz_fdiv_r(value, value, l->o.p);
                memcpy(z, lab_sample(l, i), l->k * sizeof *z);
                half_words::subtract(z, l->o.r, l->k, carry);
                lab_expect(l, z, value, "less a carry", i, (size_t)carry);
                mpz_clear(value);
            }
        }
        lab_free(z);
    }
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primes_run_out),
        cmocka_unit_test(carries_are_subtracted),
        cmocka_unit_test(products_agree_with_elements),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
